/* Shared by the files of run only. */
#ifndef MPL_RUN_RUN_PRIV_H
#define MPL_RUN_RUN_PRIV_H

#include "run/clock_doubt.h"

/* damage.c: sets damage, and by totals unknown_s; texts in arena. */
enum mpl_status mpl_damage_name(struct mpl_arena *arena, struct mpl_run *run,
                                struct mpl_err *err);
enum mpl_status mpl_damage_find(struct mpl_arena *arena, struct mpl_run *run,
                                struct mpl_err *err);

/* phases.c: a stretch of the run in which the same is communicated; together they are the run. */
struct phase {
    struct mpl_part part; /* from INT64_MIN, to INT64_MAX at the ends of the run */
    double share;         /* of messages sent and parts of collectives */
};
/* *n: 0 where nothing is communicated, 1 where there is nothing to tell apart. In \p arena. */
enum mpl_status mpl_phases_find(const struct mpl_events *events, struct mpl_arena *arena,
                                const struct phase **out, size_t *n, struct mpl_err *err);

/* clock_contested.c: waits that may as well not be there, or the other way round. */
/* Of the sends that a call completes, if it may wait for their receivers. Cost: linear in its records. */
int64_t mpl_doubt_late_receivers(const struct mpl_run *run,
                                 const struct mpl_clock_doubt *doubt, uint32_t location,
                                 uint32_t call);
/* In collectives. */
double mpl_doubt_idle_givers_s(const struct mpl_run *run);

/* Adds to blame_s what collectives wait. False when out of memory. */
bool mpl_doubt_contest_collectives(const struct mpl_run *run,
                                   const struct mpl_clock_doubt *doubt);

/* Calls that wait for one of several, of whom it is found out who may be it. */
struct mpl_contests {
    const struct mpl_run *run;
    const struct mpl_clock_doubt *doubt;
    int64_t *blame_ticks; /* per location, what blame_s is to be; NULL: is added there */
    struct mpl_buf entrants;
    struct mpl_buf open; /* not run yet */
    size_t first;        /* entrant of the next race */
    bool has_no_memory;
};
struct mpl_contests mpl_contests_make(const struct mpl_run *run,
                                      const struct mpl_clock_doubt *doubt,
                                      int64_t *blame_ticks);
/* A call that waits by \p wait_ticks, more than 0. */
void mpl_contests_add_call(struct mpl_contests *races, uint32_t location, uint32_t call,
                           int64_t wait_ticks);
/* What is open; must come after all calls. */
void mpl_contests_run(struct mpl_contests *races);
void mpl_contests_free(struct mpl_contests *races);

#endif
