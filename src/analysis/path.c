/* The critical path of the run that the summary speaks of, and what has a share of it. */
#include "config.h"

#include "analysis/analysis_priv.h"

/* More steps are taken together: nobody reads them, and a picture has no more columns. */
enum { STEPS_TOLD = 250 };

enum mpl_status mpl_path_find(struct mpl_analysis *a, struct mpl_err *err)
{
    const struct mpl_run *run = &a->runs[a->diagnosis.speaker];

    if (!mpl_run_is_usable(run)) {
        return MPL_OK;
    }

    const struct mpl_events *events = run->events;
    struct mpl_run_path *out = MPL_NEW(a->arena, struct mpl_run_path);
    int64_t begin_ticks;
    int64_t end_ticks;
    enum mpl_status st = out == NULL
                             ? mpl_nomem(err)
                             : mpl_critical_create(events, a->arena, &out->path, err);

    if (st != MPL_OK) {
        return st;
    }
    mpl_events_window(events, &begin_ticks, &end_ticks);
    st = mpl_critical_shares_create(out->path, begin_ticks, end_ticks, a->arena,
                                    &out->shares, err);
    if (st == MPL_OK && a->diagnosis.steps != NULL) {
        st = mpl_critical_steps_create(out->path, a->diagnosis.steps, begin_ticks,
                                       end_ticks, STEPS_TOLD, a->arena, &out->steps, err);
    }
    if (st == MPL_OK) {
        a->diagnosis.path = out;
    }
    return st;
}
