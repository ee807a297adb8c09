/*
 * How far the clocks of a run may still be off, and what that can change at most.
 *
 * A wait is the time between two moments of two locations, cut off at the ends of a call. If each
 * of these two clocks may be off by so much, the wait changes by no more than the two together.
 * Hence the sum, over all calls that may wait, of what the two clocks may be off bounds what any
 * sum of waits can change: the reach. Example: 2 us between each of two clocks and the reference,
 * 1,000 calls: 4 ms at most, whatever the calls waited.
 *
 * That holds for waits that grow and shrink with the clocks; contested.c looks at those that jump.
 */
#include "config.h"

#include "analysis/analysis_priv.h"

/* Beyond this a shift would come near the ends of what times can hold. */
#define MOST_TICKS (MPL_TICKS_FAR / 2)

/* Per location: to have begun and to have ended is compared with others, too. */
enum { ENDS = 2 };

static bool is_limited(const struct mpl_location *loc, int64_t low, int64_t high)
{
    return low > -MOST_TICKS && high < MOST_TICKS && mpl_ticks_of(loc, 0) > -MOST_TICKS &&
           mpl_ticks_of(loc, loc->n_events - 1) < MOST_TICKS;
}

/* The threads of a process share its clock, so that what limits one of them limits all. */
static void take_limits(const struct mpl_run *run, uint32_t process,
                        struct clock_doubt *doubt)
{
    const struct mpl_process *p = &run->model->processes[process];
    int64_t low = -MOST_TICKS;
    int64_t high = MOST_TICKS;
    bool has_events = false;

    for (uint32_t t = 0; t < p->n_locations; t++) {
        const uint32_t l = p->locations[t];
        const struct mpl_location *loc = &run->model->locations[l];

        if (loc->n_events == 0) {
            continue;
        }
        has_events = true;
        if (is_limited(loc, run->clock->low_ticks[l], run->clock->high_ticks[l])) {
            low = run->clock->low_ticks[l] > low ? run->clock->low_ticks[l] : low;
            high = run->clock->high_ticks[l] < high ? run->clock->high_ticks[l] : high;
        }
    }
    doubt->is_unlimited[process] = has_events && high == MOST_TICKS;
    if (high < MOST_TICKS) {
        doubt->low_ticks[process] = low;
        doubt->high_ticks[process] = high;
    }
    if (doubt->is_unlimited[process]) {
        doubt->unlimited = doubt->n_unlimited == 0 ? p->locations[0] : doubt->unlimited;
        doubt->n_unlimited++;
    }
}

int64_t mpl_doubt_error_ticks(const struct mpl_run *run, const struct clock_doubt *doubt,
                              uint32_t location)
{
    const uint32_t p = run->model->locations[location].process;

    return doubt->high_ticks[p] > -doubt->low_ticks[p] ? doubt->high_ticks[p]
                                                       : -doubt->low_ticks[p];
}

static void measure_reach(const struct mpl_run *run, struct clock_doubt *doubt)
{
    const uint32_t n = run->model->n_locations;
    int64_t most = 0;
    int64_t second = 0;

    for (uint32_t l = 0; l < n; l++) {
        const int64_t error = mpl_doubt_error_ticks(run, doubt, l);

        if (error >= most) {
            second = most;
            most = error;
        } else if (error > second) {
            second = error;
        }
    }
    doubt->most_ticks = most;
    doubt->is_none = most == 0 && doubt->n_unlimited == 0;
    doubt->reach_s = 0;
    for (uint32_t l = 0; l < n; l++) {
        const int64_t own = mpl_doubt_error_ticks(run, doubt, l);
        const int64_t other = own == most ? second : most;

        doubt->reach_s += mpl_model_seconds(run->model, own + other) *
                          (double) (mpl_events_totals(run->events, l)->n_calls + ENDS);
    }
}

enum mpl_status mpl_doubt_create(const struct mpl_run *run, struct mpl_arena *arena,
                                 struct clock_doubt *out, struct mpl_err *err)
{
    const uint32_t n = run->model->n_processes;
    struct clock_doubt doubt = {
        .unlimited = MPL_NONE,
        .low_ticks = MPL_NEW_ARRAY(arena, n, int64_t),
        .high_ticks = MPL_NEW_ARRAY(arena, n, int64_t),
        .is_unlimited = MPL_NEW_ARRAY(arena, n, bool),
    };

    if (doubt.low_ticks == NULL || doubt.high_ticks == NULL || doubt.is_unlimited == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t p = 0; p < n && run->clock->source != MPL_CLOCK_SINGLE; p++) {
        take_limits(run, p, &doubt);
    }
    measure_reach(run, &doubt);
    *out = doubt;
    return MPL_OK;
}
