/* What the files of match share: the matcher while it works. */
#ifndef MPL_MATCH_MATCH_PRIV_H
#define MPL_MATCH_MATCH_PRIV_H

#include "match/match.h"

/** Relations of threads while they are found. */
struct mpl_relations {
    struct mpl_buf relation; /**< struct mpl_relation */
    struct mpl_buf moment;   /**< struct mpl_moment */
    bool is_short;           /**< Out of memory: what follows is nonsense. */
};

/** Of one location's message ends: how many have a partner, and what the others are. */
struct mpl_end_counts {
    uint64_t pairs; /**< Receives with a partner. */
    uint64_t sends; /**< Without one. */
    uint64_t receives;
    uint64_t null;
    uint64_t garbage;
    uint64_t open; /**< Never completed. */
};

/** What match is making, and where. */
struct mpl_matcher {
    const struct mpl_model *model; /**< Borrowed. */
    struct mpl_arena *arena;       /**< Of the result; borrowed. */
    struct mpl_arena *scratch;     /**< Destroyed when the stage returns. */
    struct mpl_match *match;       /**< The result, in arena. */
    uint64_t *is_guess;            /**< Behind match->is_guess. */
    uint32_t *partner;  /**< The columns behind match->partner, one behind another. */
    uint32_t *instance; /**< The columns behind match->instance, likewise. */
    uint32_t *first_collective;  /**< Per location: where its column in instance starts. */
    struct mpl_end_counts *ends; /**< Per location; by mpl_match_messages(). */
    uint64_t *n_outsiders; /**< Per location: collective parts of a communicator that the
                                        process is no member of. */
    uint64_t *n_ambiguous; /**< Per location: receives that several communicators fit. */
    uint64_t *n_guessed;   /**< Per location: receives found in another communicator. */
};

/** A thread's place in its process while the threads are merged by time. */
struct mpl_turn {
    int64_t time_ticks; /**< Relative to the base of the process's first location. */
    uint32_t location;
    uint32_t item; /**< Index into the location's messages or collectives. */
};

/** Threads of one process in order of time: a binary heap, earliest first. */
struct mpl_turns {
    struct mpl_turn *turn;
    uint32_t n;
};

/** Time of event \p event of \p location on the clock that the threads of a process share. */
int64_t mpl_turn_time(const struct mpl_model *model, uint32_t location, uint32_t event);
void mpl_turns_add(struct mpl_turns *turns, struct mpl_turn turn);
/** Puts \p turn in the place of the first one. */
void mpl_turns_replace(struct mpl_turns *turns, struct mpl_turn turn);
void mpl_turns_drop(struct mpl_turns *turns);

/** Most threads of one process. */
uint32_t mpl_match_most_threads(const struct mpl_model *model);

enum mpl_status mpl_match_messages(struct mpl_matcher *matcher, struct mpl_err *err);
enum mpl_status mpl_match_collectives(struct mpl_matcher *matcher, struct mpl_err *err);
enum mpl_status mpl_match_threads(struct mpl_matcher *matcher, struct mpl_err *err);

/** Starts a relation without moments; all sources are added, then all sinks. */
void mpl_relation_start(struct mpl_relations *relations, enum mpl_relation_kind kind,
                        uint32_t process);
void mpl_relation_add_source(struct mpl_relations *relations, uint32_t location,
                             uint32_t event);
void mpl_relation_add_sink(struct mpl_relations *relations, uint32_t location,
                           uint32_t event);
/** Drops it if it has come out without sources or without sinks. */
void mpl_relation_end(struct mpl_relations *relations);

/** Forks, joins and barriers of a process. */
enum mpl_status mpl_match_teams(const struct mpl_model *model, uint32_t process,
                                struct mpl_relations *relations, struct mpl_err *err);
/** Its locks, and threads that were created one by one. */
enum mpl_status mpl_match_numbered(const struct mpl_model *model, uint32_t process,
                                   struct mpl_relations *relations, struct mpl_err *err);
/** Says in the quality notes what has no partner. */
void mpl_match_note(struct mpl_matcher *matcher);

#endif
