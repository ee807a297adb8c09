/*
 * Between calls the time of a location belongs to the innermost function of the program. Each
 * function gathers it over the location, and over the current gap, so that the gap can be named
 * after the one that took most of it.
 */
#include "config.h"

#include "events/walk_priv.h"

#include <stdlib.h>

struct mpl_region_sum *mpl_region_sum_of(struct mpl_walk *w, uint32_t region)
{
    struct mpl_region_sum *sum = &w->scratch->sums[region];

    if (sum->location_stamp != w->location + 1) {
        uint32_t *touched = (uint32_t *) mpl_buf_add(&w->scratch->touched);

        if (touched == NULL) {
            return NULL;
        }
        *touched = region;
        sum->exclusive_ticks = 0;
        sum->visits = 0;
        sum->location_stamp = w->location + 1;
    }
    return sum;
}

bool mpl_gap_credit(struct mpl_walk *w, int64_t now_ticks)
{
    const int64_t delta = now_ticks - w->since_ticks;
    struct mpl_region_sum *sum;
    uint32_t region;

    w->since_ticks = now_ticks;
    if (delta == 0 || w->depth == 0) {
        return true;
    }
    region = ((const uint32_t *) w->scratch->stack.data)[w->depth - 1];
    if (w->use[region].role != ROLE_USER) {
        return true;
    }
    sum = mpl_region_sum_of(w, region);
    if (sum == NULL) {
        return false;
    }
    sum->exclusive_ticks += delta;
    if (sum->gap_stamp != w->scratch->gap) {
        sum->gap_stamp = w->scratch->gap;
        sum->gap_ticks = 0;
    }
    sum->gap_ticks += delta;
    if (sum->gap_ticks > w->gap_best_ticks) {
        w->gap_best_ticks = sum->gap_ticks;
        w->gap_region = region;
    }
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
