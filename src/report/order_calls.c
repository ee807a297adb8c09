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

struct mpl_json *mpl_report_path_calls_json(const struct mpl_run *run,
                                            const struct mpl_critical_calls *calls,
                                            double length_s, struct mpl_arena *scratch)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < calls->n; i++) {
        const struct mpl_critical_call *call = &calls->all[i];
        const char *region =
            call->region == MPL_NONE ? NULL : run->model->regions[call->region].name;
        struct mpl_json *json = mpl_json_object();

        mpl_json_set(json, "address", mpl_json_string(address_of(run, call, scratch)));
        mpl_json_set(json, "location",
                     mpl_json_string(run->model->locations[call->location].label));
        mpl_json_set(json, "region", mpl_json_string(region));
        mpl_json_set(json, "path_s", mpl_json_number(call->path_s));
        mpl_json_set(json, "share",
                     mpl_json_number(length_s > 0 ? call->path_s / length_s : 0));
        mpl_json_add(all, json);
    }
    return all;
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
