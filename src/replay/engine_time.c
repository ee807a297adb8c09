/* What stretches of a location take in a changed run. */
#include "config.h"

#include "replay/replay_priv.h"

#include <math.h>

/* Per changed region, how often it is open. */
static uint32_t *open_of(const struct engine *r, uint32_t location)
{
    return &r->open[location * r->scale->n_regions];
}

/* Of the functions that are open now. */
static double factor_of_open(const struct engine *r, uint32_t location)
{
    double factor = 1;

    for (size_t i = 0; i < r->scale->n_regions; i++) {
        if (open_of(r, location)[i] > 0) {
            factor *= r->scale->regions[i].factor[location];
        }
    }
    return factor;
}

void mpl_scale_note(const struct scale *scale, const struct mpl_location *loc,
                    uint32_t event, uint32_t *open)
{
    if (mpl_kind_of(loc, event) != MPL_EV_ENTER &&
        mpl_kind_of(loc, event) != MPL_EV_LEAVE) {
        return;
    }
    for (size_t i = 0; i < scale->n_regions; i++) {
        if (!scale->regions[i].is_region[mpl_ref_of(loc, event)]) {
            continue;
        }
        if (mpl_kind_of(loc, event) == MPL_EV_ENTER) {
            open[i]++;
        } else if (open[i] > 0) {
            open[i]--;
        }
    }
}

/* Record by record, since functions begin and end in between; those in the calls before count, too. */
static int64_t compute_by_region(struct engine *r, uint32_t location, uint32_t from,
                                 uint32_t to)
{
    const struct mpl_location *loc = &r->model->locations[location];
    struct runner *runner = &r->runners[location];
    double ticks = 0;

    for (uint32_t e = from; e < to; e++) {
        const int64_t stretch = mpl_activities_inside(r->activities, mpl_ticks_of(loc, e),
                                                      mpl_ticks_of(loc, e + 1));

        while (runner->n_noted <= e) {
            mpl_scale_note(r->scale, loc, runner->n_noted++, open_of(r, location));
        }
        if (stretch > 0) {
            ticks += (double) stretch * factor_of_open(r, location);
        }
    }
    return (int64_t) llround(ticks);
}

/* A section in which nothing is computed that could be scaled. */
static int64_t more_ticks_in(const struct engine *r, double scale)
{
    return scale < 0 ? (int64_t) llround(-scale * (double) r->model->ticks_per_s) : 0;
}

/* Calls are run through in their order, so sections are. */
int64_t mpl_engine_enter_section(struct engine *r, uint32_t location)
{
    const struct mpl_sections *sections = r->scale->sections;
    const double *scales =
        r->scale->in_sections == NULL ? NULL : r->scale->in_sections[location];
    const uint32_t *calls = sections->calls[location];
    struct runner *runner = &r->runners[location];
    int64_t more_ticks = 0;

    while (calls != NULL && runner->section + 1 < sections->n &&
           calls[runner->section] < runner->call) {
        runner->section++;
    }
    runner->section_end = calls != NULL && runner->section + 1 < sections->n
                              ? calls[runner->section] + 1
                              : MPL_NONE;
    if (scales != NULL) {
        const double scale = scales[runner->section];

        runner->factor = scale < 0 ? runner->compute : runner->compute * scale;
    }
    for (; scales != NULL && runner->n_begun <= runner->section; runner->n_begun++) {
        more_ticks += more_ticks_in(r, scales[runner->n_begun]);
    }
    return more_ticks;
}

/* The records between which a runner computes next: from the end of a call, or the first one. */
static void find_gap(const struct engine *r, const struct runner *runner, uint32_t *from,
                     uint32_t *to)
{
    struct mpl_call_view view;

    *from = 0;
    *to = r->model->locations[runner->lane].n_events - 1;
    if (runner->call > 0) {
        mpl_events_call(r->events, runner->lane, runner->call - 1, &view);
        *from = view.last_event;
    }
    if (runner->call < mpl_events_call_count(r->events, runner->lane)) {
        mpl_events_call(r->events, runner->lane, runner->call, &view);
        *to = view.first_event;
    }
}

int64_t mpl_engine_computed(const struct engine *r, const struct runner *runner)
{
    const struct mpl_location *loc = &r->model->locations[runner->lane];
    uint32_t from;
    uint32_t to;

    find_gap(r, runner, &from, &to);
    return mpl_activities_inside(r->activities, mpl_ticks_of(loc, from),
                                 mpl_ticks_of(loc, to));
}

int64_t mpl_engine_compute(struct engine *r, uint32_t location, int64_t ticks)
{
    struct runner *runner = &r->runners[location];

    if (r->scale->given != NULL && r->scale->given[location] != NULL) {
        ticks = r->scale->given[location][runner->call];
    }
    if (r->scale->n_regions > 0) {
        uint32_t from;
        uint32_t to;

        find_gap(r, runner, &from, &to);
        ticks = compute_by_region(r, location, from, to);
    }

    const int64_t more_ticks =
        runner->call >= runner->section_end ? mpl_engine_enter_section(r, location) : 0;

    return mpl_engine_scaled(ticks, runner->factor) + more_ticks;
}

int64_t mpl_engine_cost(struct engine *r, uint32_t location, int64_t ticks, uint32_t region)
{
    struct runner *runner = &r->runners[location];
    double factor = runner->transfer;

    for (size_t i = 0; i < r->scale->n_regions && region != MPL_NONE; i++) {
        if (r->scale->regions[i].is_region[region]) {
            factor *= r->scale->regions[i].factor[location];
        }
    }
    return mpl_engine_scaled(ticks, factor);
}
