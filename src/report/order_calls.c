/* Which calls the critical path goes through. */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>

/* As `marple order` takes it: "0:solve[3]", or a moment in the middle of a stretch, "0@0.25". */
static const char *address_of(const struct mpl_run *run,
                              const struct mpl_critical_call *call, struct mpl_arena *arena)
{
    const struct mpl_location *loc = &run->model->locations[call->location];

    if (call->region != MPL_NONE) {
        return mpl_arena_printf(arena, "%s:%s[%" PRIu32 "]", loc->label,
                                run->model->regions[call->region].name, call->number);
    }

    const int64_t begin_ticks = mpl_ticks_of(loc, call->event);
    const int64_t ticks = mpl_ticks_of(loc, call->event + 1) - begin_ticks;
    const double middle_s = mpl_model_seconds(run->model, begin_ticks + ticks / 2);

    /* As few digits as lie within it for sure. */
    return mpl_arena_printf(
        arena, mpl_model_seconds(run->model, ticks) > 2e-6 ? "%s@%.6f" : "%s@%.9f",
        loc->label, middle_s);
}

void mpl_report_path_calls_json(struct mpl_json *json, const struct mpl_run *run,
                                const struct mpl_critical_calls *calls, double length_s,
                                struct mpl_arena *scratch)
{
    mpl_json_array(json, "calls");
    for (size_t i = 0; i < calls->n; i++) {
        const struct mpl_critical_call *call = &calls->all[i];

        mpl_json_object(json, NULL);
        mpl_json_string(json, "address", address_of(run, call, scratch));
        mpl_report_label_json(json, "location", run, call->location);
        mpl_json_string(json, "region",
                        call->region == MPL_NONE ? NULL
                                                 : run->model->regions[call->region].name);
        mpl_json_number(json, "path_s", call->path_s);
        mpl_json_number(json, "share", length_s > 0 ? call->path_s / length_s : 0);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

void mpl_page_path_calls(struct page *page, const struct mpl_run *run,
                         const struct mpl_critical_calls *calls, double length_s)
{
    mpl_page_heading(page, "Its longest calls, and stretches outside of any");
    for (size_t i = 0; i < calls->n; i++) {
        const struct mpl_critical_call *call = &calls->all[i];
        const char *address = address_of(run, call, page->scratch);

        mpl_page_say(page, 2, "%s: %s, %s", address == NULL ? "?" : address,
                     mpl_page_share(page, call->path_s / length_s),
                     mpl_page_seconds(page, call->path_s));
    }
    if (calls->n_all > calls->n) {
        mpl_page_say(page, 2, "… and %s more",
                     mpl_page_count(page, calls->n_all - calls->n));
    }
}
