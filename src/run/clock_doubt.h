/* How far the clocks of a run may still be off, and what that can change at most. */
#ifndef MPL_RUN_CLOCK_DOUBT_H
#define MPL_RUN_CLOCK_DOUBT_H

#include "run/run.h"

struct mpl_clock_doubt {
    bool is_none;         /**< by nothing */
    uint32_t n_unlimited; /**< processes with events whose clocks nothing limits */
    uint32_t unlimited;   /**< a location of the first of them; MPL_NONE */
    bool *is_unlimited;   /**< per process */
    int64_t *low_ticks;   /**< per process, what mpl_clock says; 0 where unlimited */
    int64_t *high_ticks;
    int64_t *
        error_ticks; /**< per location, by how much its times may be wrong, one way or the other */
    int64_t most_ticks; /**< the largest of these */
    double less_s;      /**< what that can take from all waits together at most … */
    double more_s;      /**< … and add to them */
    double *blame_s; /**< per location, waits for it, or for others, that could be either */
};
/** Ownership: in \p arena. Errors: MPL_E_NOMEM. Cost: a look at each call. */
enum mpl_status mpl_doubt_create(const struct mpl_run *run, struct mpl_arena *arena,
                                 struct mpl_clock_doubt *out, struct mpl_err *err);

#endif
