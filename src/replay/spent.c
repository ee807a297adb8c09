/*
 * What each location spends on what a change may change: as recorded, so it does not depend on who waits for whom, and is
 * known before anything is replayed.
 */
#include "config.h"

#include "replay/replay_priv.h"

struct spender {
    const struct activities *a;
    const struct scale *scale;
    struct spent *spent;
    uint32_t *open; /* [location * regions + region of the scale]: how often it is open */
};

/* ---- calls by their records ------------------------------------------------------------------ */

/* How long the last send of the call was held until the receiver looked. */
static int64_t find_held(const struct activities *a, uint32_t lane,
                         const struct mpl_call_view *view)
{
    const struct mpl_location *loc = &a->model->locations[lane];
    int64_t held_ticks = 0;
    uint32_t other;
    uint32_t call;

    if (view->mode == MPL_CALL_SYNC_SEND || view->wait_kind == MPL_WAIT_LATE_RECEIVER) {
        return 0;
    }
    for (uint32_t e = view->first_event; e <= view->last_event; e++) {
        if (mpl_kind_of(loc, e) == MPL_EV_SEND &&
            !mpl_activities_find_progress(a, lane, view, mpl_ref_of(loc, e), &other, &call,
                                          &held_ticks)) {
            held_ticks = 0;
        }
    }
    return held_ticks;
}

/* What it takes beyond waiting. Who is early waits in the shut-down, and of a call of which nobody knows what it waited
 * for, nobody knows that. */
static int64_t find_cost(const struct activities *a, uint32_t lane,
                         const struct mpl_call_view *view)
{
    const struct mpl_location *loc = &a->model->locations[lane];
    const int64_t ticks = mpl_activities_inside(a, mpl_ticks_of(loc, view->first_event),
                                                mpl_ticks_of(loc, view->last_event));

    if (!view->is_wait_known || !view->is_mpi || view->class == MPL_SPAN_SHUTDOWN) {
        return 0;
    }

    const int64_t waited_ticks = view->wait_ticks + find_held(a, lane, view);

    return ticks > waited_ticks ? ticks - waited_ticks : 0;
}

/* ---- computation and calls ------------------------------------------------------------------- */

/* What is computed behind the last call, or where there is none, in all. */
static int64_t compute_behind(const struct activities *a, uint32_t lane, uint32_t n_calls)
{
    const struct mpl_location *loc = &a->model->locations[lane];
    struct mpl_call_view view = { .last_event = 0 };

    if (n_calls > 0) {
        mpl_events_call(a->events, lane, n_calls - 1, &view);
    }
    return mpl_activities_inside(a, mpl_ticks_of(loc, view.last_event),
                                 mpl_ticks_of(loc, loc->n_events - 1));
}

/* The first call that is not in that section; MPL_NONE where all others are. */
static uint32_t section_end(const struct mpl_sections *sections, uint32_t lane,
                            uint32_t section)
{
    const uint32_t *calls = sections == NULL ? NULL : sections->calls[lane];

    return calls != NULL && section + 1 < sections->n ? calls[section] + 1 : MPL_NONE;
}

/* What is computed before call \p k, whose activity stands at \p at, and what the call costs. Returns what is behind it. */
static const uint8_t *take_activity(const struct activities *a, uint32_t lane, uint32_t k,
                                    const uint8_t *at, int64_t *compute_ticks,
                                    int64_t *cost_ticks)
{
    const uint8_t head = *at;

    at = mpl_activity_take_ticks(at + 1, head, compute_ticks, cost_ticks);

    const uint32_t n_needs = mpl_activity_take_n(head, &at);

    if ((head & ACTIVITY_BY_RECORD) != 0) {
        struct mpl_call_view view;

        mpl_events_call(a->events, lane, k, &view);
        *cost_ticks = find_cost(a, lane, &view);
    }
    return at + n_needs * ACTIVITY_NEED_BYTES;
}

static void spend_in_calls(const struct spender *s, uint32_t lane)
{
    const struct activities *a = s->a;
    const struct mpl_sections *sections = s->scale->sections;
    const uint32_t n_calls = mpl_events_call_count(a->events, lane);
    const uint8_t *at = a->code[lane];
    struct spent *spent = &s->spent[lane];
    uint32_t section = 0;
    uint32_t end = section_end(sections, lane, 0);
    int64_t compute_ticks = 0;
    int64_t section_ticks = 0;
    int64_t transfer_ticks = 0;

    for (uint32_t k = 0; k <= n_calls; k++) {
        int64_t ticks;
        int64_t cost_ticks = 0;

        if (k < n_calls) {
            at = take_activity(a, lane, k, at, &ticks, &cost_ticks);
        } else {
            ticks = compute_behind(a, lane, n_calls);
        }
        while (k >= end) {
            spent->sections_s[section] = mpl_model_seconds(a->model, section_ticks);
            section_ticks = 0;
            end = section_end(sections, lane, ++section);
        }
        compute_ticks += ticks;
        section_ticks += ticks;
        transfer_ticks += cost_ticks;
    }
    if (spent->sections_s != NULL) {
        spent->sections_s[section] = mpl_model_seconds(a->model, section_ticks);
    }
    spent->compute_s = mpl_model_seconds(a->model, compute_ticks);
    spent->transfer_s = mpl_model_seconds(a->model, transfer_ticks);
}

/* ---- regions --------------------------------------------------------------------------------- */

/* What passes between two records, stretch by stretch, counts for the functions that are open then; those that were entered
 * in the call before count, too, so all records from \p *noted on are looked at. */
static void spend_between(const struct spender *s, uint32_t lane, uint32_t from,
                          uint32_t to, uint32_t *noted)
{
    const struct mpl_location *loc = &s->a->model->locations[lane];
    const size_t n_regions = s->scale->n_regions;
    uint32_t *open = &s->open[lane * n_regions];

    for (uint32_t e = from; e < to; e++) {
        const int64_t ticks =
            mpl_activities_inside(s->a, mpl_ticks_of(loc, e), mpl_ticks_of(loc, e + 1));

        while (*noted <= e) {
            mpl_scale_note(s->scale, loc, (*noted)++, open);
        }
        for (size_t i = 0; i < n_regions; i++) {
            if (open[i] > 0) {
                s->spent[lane].regions_s[i] += mpl_model_seconds(s->a->model, ticks);
            }
        }
    }
}

static void spend_in_regions(const struct spender *s, uint32_t lane)
{
    const struct activities *a = s->a;
    const uint32_t n_calls = mpl_events_call_count(a->events, lane);
    uint32_t from = 0;
    uint32_t noted = 0;

    for (uint32_t k = 0; k < n_calls; k++) {
        struct mpl_call_view view;

        mpl_events_call(a->events, lane, k, &view);
        spend_between(s, lane, from, view.first_event, &noted);
        for (size_t i = 0; i < s->scale->n_regions; i++) {
            if (view.region != MPL_NONE && s->scale->regions[i].is_region[view.region]) {
                s->spent[lane].regions_s[i] +=
                    mpl_model_seconds(a->model, find_cost(a, lane, &view));
            }
        }
        from = view.last_event;
    }
    spend_between(s, lane, from, a->model->locations[lane].n_events - 1, &noted);
}

/* ---- all ------------------------------------------------------------------------------------- */

static enum mpl_status spend(void *context, size_t task, unsigned worker,
                             struct mpl_err *err)
{
    const struct spender *s = context;
    const uint32_t lane = (uint32_t) task;

    (void) worker;
    (void) err;
    if (s->a->is_part[lane]) {
        spend_in_calls(s, lane);
        if (s->scale->n_regions > 0) {
            spend_in_regions(s, lane);
        }
    }
    return MPL_OK;
}

struct spent *mpl_spent_find(const struct activities *activities, const struct scale *scale,
                             struct mpl_arena *arena)
{
    const uint32_t n = activities->model->n_locations;
    struct spender s = { .a = activities,
                         .scale = scale,
                         .spent = MPL_NEW_ARRAY(arena, n, struct spent),
                         .open = MPL_NEW_ARRAY(arena, n * scale->n_regions, uint32_t) };
    const struct mpl_parallel job = {
        .n_tasks = n, .max_threads = mpl_threads(), .run = spend, .context = &s
    };

    if (s.spent == NULL || s.open == NULL) {
        return NULL;
    }
    for (uint32_t l = 0; l < n; l++) {
        struct spent *spent = &s.spent[l];

        spent->regions_s = MPL_NEW_ARRAY(arena, scale->n_regions, double);
        if (scale->sections != NULL) {
            spent->sections_s = MPL_NEW_ARRAY(arena, scale->sections->n, double);
        }
        if (spent->regions_s == NULL ||
            (scale->sections != NULL && spent->sections_s == NULL)) {
            return NULL;
        }
    }
    return mpl_parallel_run(&job, NULL) == MPL_OK ? s.spent : NULL;
}
