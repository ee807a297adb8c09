/*
 * The teams of a process while its relations are found: what its threads have recorded, and who
 * was in which team.
 */
#ifndef MPL_MATCH_TEAMS_PRIV_H
#define MPL_MATCH_TEAMS_PRIV_H

#include "match/match_priv.h"

/** A thread's time in a team. */
struct mpl_team_turn {
    uint32_t team;
    uint32_t location;
    uint32_t begin;
    uint32_t end;  /**< MPL_NONE if not recorded. */
    uint32_t fork; /**< Of who makes the team; else MPL_NONE. */
    uint32_t join; /**< Likewise. */
    uint32_t first_barrier;
    uint32_t n_barriers;
    bool is_odd;    /**< Its barriers and nested teams do not nest properly. */
    bool is_placed; /**< Its fork is known. */
};

/** A wait for the other threads of the team. */
struct mpl_team_barrier {
    uint32_t turn;
    uint32_t region;
    uint32_t enter;
    uint32_t leave; /**< MPL_NONE if not recorded. */
};

/** What a thread begins and ends, properly nested. */
enum mpl_open_kind { MPL_OPEN_FORK, MPL_OPEN_TURN, MPL_OPEN_BARRIER };

/** One of these that has begun and not ended. */
struct mpl_team_open {
    enum mpl_open_kind what;
    uint32_t event;
    uint32_t item; /**< Turn, also of a fork once it has begun; or barrier. */
};

struct mpl_teams {
    const struct mpl_model *model;
    uint32_t process;
    struct mpl_relations *relations;
    struct mpl_arena *scratch;
    bool *is_barrier;      /**< Per region. */
    struct mpl_map *teams; /**< Number of the trace to team. */
    uint32_t n_teams;
    struct mpl_buf turns;    /**< struct mpl_team_turn, by location and time. */
    struct mpl_buf barriers; /**< struct mpl_team_barrier, likewise. */
    struct mpl_buf open;     /**< struct mpl_team_open, of the location at hand. */
    uint32_t n_open_forks;
    uint32_t n_open_turns;
    bool is_short; /**< Out of memory. */
    /** Who makes teams outside of any team; MPL_NONE: nobody, or several. */
    uint32_t master;
    uint32_t n_masters;
    uint32_t first_fork; /**< Of the master. */
    uint32_t last_join;  /**< Of the master; MPL_NONE when the last fork has no join. */
    bool is_unsure;      /**< A join belongs to no fork, or to which one is not clear. */
};

/** Finds the turns, barriers and forks of all threads; sets is_short. */
void mpl_teams_gather(struct mpl_teams *teams);

static inline struct mpl_team_turn *mpl_teams_turn(const struct mpl_teams *t, uint32_t i)
{
    return (struct mpl_team_turn *) mpl_buf_get(&t->turns, i);
}

static inline struct mpl_team_barrier *mpl_teams_barrier(const struct mpl_teams *t,
                                                         uint32_t i)
{
    return (struct mpl_team_barrier *) mpl_buf_get(&t->barriers, i);
}

#endif
