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

/* How wrong the times of a location can be, one way or the other. Inline, as it is asked for both ends of messages. */
static inline int64_t mpl_doubt_error_ticks(const struct mpl_run *run,
                                            const struct mpl_clock_doubt *doubt,
                                            uint32_t location)
{
    const uint32_t p = run->model->locations[location].process;

    return doubt->high_ticks[p] > -doubt->low_ticks[p] ? doubt->high_ticks[p]
                                                       : -doubt->low_ticks[p];
}

/* clock_contested.c. Cost of both: a look at each call. */
/* Waits that may as well not be there, or the other way round. */
double mpl_doubt_jumps_s(const struct mpl_run *run, const struct mpl_clock_doubt *doubt);
/* Adds up blame_s. False when out of memory. */
bool mpl_doubt_find_blame(const struct mpl_run *run, struct mpl_clock_doubt *doubt);

#endif
