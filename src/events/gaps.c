/*
 * Between calls the time of a location belongs to the innermost function of the program. Each
 * function gathers it over the location, and over the current gap, so that the gap can be named
 * after the one that took most of it.
 */
#include "config.h"

#include "events/walk_priv.h"

#include <stdlib.h>

bool mpl_region_touch(struct mpl_walk *w, uint32_t region)
{
    struct mpl_region_sum *sum = &w->scratch->sums[region];
    uint32_t *touched = (uint32_t *) mpl_buf_add(&w->scratch->touched);

    if (touched == NULL) {
        return false;
    }
    *touched = region;
    sum->exclusive_ticks = 0;
    sum->visits = 0;
    sum->location_stamp = w->location + 1;
    return true;
}

uint32_t mpl_gap_close(struct mpl_walk *w)
{
    const uint32_t region = w->gap_region;

    w->gap_region = MPL_NONE;
    w->gap_best_ticks = 0;
    w->scratch->gap++;
    return region;
}

static int compare_region_times(const void *a, const void *b)
{
    const struct mpl_region_time *x = (const struct mpl_region_time *) a;
    const struct mpl_region_time *y = (const struct mpl_region_time *) b;

    if (x->exclusive_s != y->exclusive_s) {
        return x->exclusive_s > y->exclusive_s ? -1 : 1;
    }
    return x->region < y->region ? -1 : x->region > y->region;
}

bool mpl_regions_keep(struct mpl_walk *w, const struct mpl_model *model,
                      struct mpl_arena *arena)
{
    const uint32_t *touched = (const uint32_t *) w->scratch->touched.data;
    const uint32_t n = (uint32_t) w->scratch->touched.n;
    struct mpl_region_time *regions = MPL_NEW_ARRAY(arena, n, struct mpl_region_time);

    if (regions == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct mpl_region_sum *sum = &w->scratch->sums[touched[i]];

        regions[i].region = touched[i];
        regions[i].exclusive_s = mpl_model_seconds(model, sum->exclusive_ticks);
        regions[i].visits = sum->visits;
    }
    if (n > 1) {
        qsort(regions, n, sizeof *regions, compare_region_times);
    }
    w->lane->regions = regions;
    w->lane->n_regions = n;
    return true;
}
