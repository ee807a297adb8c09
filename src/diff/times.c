/* What of a location's time is compared: what it computes, how long it waits, and how long its calls take without that. */
#include "config.h"

#include "diff/effects_priv.h"

int64_t mpl_computed_before(const struct mpl_events *events, uint32_t l, uint32_t call)
{
    return mpl_events_leave_ticks(events, l, 2 * call) -
           mpl_events_enter_ticks(events, l, 2 * call);
}

static int64_t in_call(enum mpl_time time, const struct mpl_events *events, uint32_t l,
                       uint32_t call)
{
    struct mpl_call_view view;

    mpl_events_call(events, l, call, &view);
    if (!view.is_mpi || view.class == MPL_SPAN_STARTUP || view.class == MPL_SPAN_SHUTDOWN) {
        return 0;
    }
    return time == MPL_TIME_WAITED
               ? view.wait_ticks
               : mpl_events_leave_ticks(events, l, 2 * call + 1) -
                     mpl_events_enter_ticks(events, l, 2 * call + 1) - view.wait_ticks;
}

double mpl_time_between(enum mpl_time time, const struct mpl_events *events, uint32_t l,
                        uint32_t first, uint32_t end)
{
    const uint32_t n = mpl_events_call_count(events, l);
    int64_t ticks = 0;

    for (uint32_t call = first; call < end; call++) {
        if (time == MPL_TIME_COMPUTED) {
            ticks += mpl_computed_before(events, l, call);
        } else if (call < n) {
            ticks += in_call(time, events, l, call);
        }
    }
    return mpl_model_seconds(mpl_events_model(events), ticks);
}

double mpl_time_total(enum mpl_time time, const struct mpl_run *run, uint32_t l)
{
    return time == MPL_TIME_COMPUTED
               ? mpl_events_computed_s(run->events, l)
               : mpl_time_between(time, run->events, l, 0,
                                  mpl_events_call_count(run->events, l));
}
