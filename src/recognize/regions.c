/* In which functions the time of a member or associated event is spent. */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <stdlib.h>
#include <string.h>

struct tally {
    const struct mpl_recognition *r;
    struct mpl_region_time *of_region; /* per region */
};

static bool count(void *context, uint32_t name, struct mpl_bound *bound)
{
    struct tally *tally = context;
    const struct mpl_span span =
        mpl_events_span(tally->r->events, bound->location, bound->at);

    (void) name;
    if (span.region != MPL_NONE) {
        struct mpl_region_time *time = &tally->of_region[span.region];

        time->region = span.region;
        time->exclusive_s +=
            mpl_model_seconds(tally->r->model, span.leave_ticks - span.enter_ticks);
        time->visits++;
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct mpl_region_time *x = a;
    const struct mpl_region_time *y = b;

    if (x->exclusive_s != y->exclusive_s) {
        return x->exclusive_s > y->exclusive_s ? -1 : 1;
    }
    return x->region < y->region ? -1 : x->region > y->region;
}

static bool count_all(struct tally *tally, struct mpl_recognition *r, uint32_t event,
                      uint32_t name, struct mpl_arena *arena)
{
    const struct mpl_instances *instances = &r->instances[event];
    struct mpl_instance_view *view = mpl_view_open(r, event, instances->n, arena);

    for (size_t first = 0; view != NULL && first < instances->n; first += view->n) {
        mpl_view_fill(view, first, instances->n - first);
        for (uint32_t i = 0; i < view->n; i++) {
            mpl_view_go(view, i);
            (void) mpl_view_each(view, name, count, tally);
        }
    }
    mpl_view_close(view);
    return view != NULL && !view->has_no_memory;
}

const struct mpl_region_time *mpl_recognition_regions(struct mpl_recognition *r,
                                                      uint32_t event, const char *name,
                                                      uint32_t *n)
{
    const struct mpl_event_definition *definition = &r->pattern->events[event];
    const uint32_t number = mpl_event_name_find(definition, name, strlen(name));
    const uint32_t n_regions = r->model->n_regions;
    struct mpl_arena *scratch = mpl_arena_create();
    struct tally tally = { .r = r };
    struct mpl_region_time *times = NULL;

    *n = 0;
    if (scratch != NULL) {
        tally.of_region = MPL_NEW_ARRAY(scratch, n_regions, struct mpl_region_time);
    }
    if (tally.of_region != NULL && number != MPL_NONE &&
        (number >= definition->n_members || definition->members[number].occurs.is_used) &&
        count_all(&tally, r, event, number, scratch)) {
        for (uint32_t i = 0; i < n_regions; i++) {
            if (tally.of_region[i].visits > 0) {
                tally.of_region[(*n)++] = tally.of_region[i];
            }
        }
        times = MPL_NEW_ARRAY(r->arena, *n, struct mpl_region_time);
    }
    if (times != NULL && *n > 0) {
        memcpy(times, tally.of_region, *n * sizeof *times);
        qsort(times, *n, sizeof *times, compare);
    }
    *n = times == NULL ? 0 : *n;
    mpl_arena_destroy(scratch);
    return times;
}
