/* What stretches of a location take in a changed run. */
#include "config.h"

#include "replay/replay_priv.h"

#include <math.h>

int64_t mpl_engine_inside(const struct engine *r, int64_t from_ticks, int64_t to_ticks)
{
    const int64_t begin = r->window_begin_ticks;
    const int64_t end = r->window_end_ticks;

    from_ticks = from_ticks > begin ? from_ticks : begin;
    to_ticks = to_ticks < end ? to_ticks : end;
    return to_ticks > from_ticks ? to_ticks - from_ticks : 0;
}

static int64_t scaled(int64_t ticks, double factor)
{
    return factor == 1 ? ticks : (int64_t) llround((double) ticks * factor);
}

/* Of the functions that are open now. */
static double factor_of_open(const struct engine *r, uint32_t location)
{
    double factor = 1;

    for (size_t i = 0; i < r->scale->n_regions; i++) {
        if (r->open[location][i] > 0) {
            factor *= r->scale->regions[i].factor[location];
        }
    }
    return factor;
}

static void note_record(const struct engine *r, uint32_t location, uint32_t event)
{
    const struct mpl_location *loc = &r->model->locations[location];

    if (loc->kind[event] != MPL_EV_ENTER && loc->kind[event] != MPL_EV_LEAVE) {
        return;
    }
    for (size_t i = 0; i < r->scale->n_regions; i++) {
        uint32_t *open = &r->open[location][i];

        if (!r->scale->regions[i].is_region[loc->ref[event]]) {
            continue;
        }
        if (loc->kind[event] == MPL_EV_ENTER) {
            ++*open;
        } else if (*open > 0) {
            --*open;
        }
    }
}

/* Counts the stretch for each function that is open. */
static void note_stretch(const struct engine *r, uint32_t location, int64_t ticks)
{
    for (size_t i = 0; i < r->scale->n_regions && r->spent != NULL; i++) {
        if (r->open[location][i] > 0) {
            r->spent[location].regions_s[i] += mpl_model_seconds(r->model, ticks);
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
        const int64_t stretch =
            mpl_engine_inside(r, loc->time_ticks[e], loc->time_ticks[e + 1]);

        while (runner->n_noted <= e) {
            note_record(r, location, runner->n_noted++);
        }
        if (stretch > 0) {
            ticks += (double) stretch * factor_of_open(r, location);
            note_stretch(r, location, stretch);
        }
    }
    return (int64_t) llround(ticks);
}

/* Calls are run through in their order, so sections are. */
static uint32_t section_of(struct engine *r, uint32_t location)
{
    const struct mpl_sections *sections = r->scale->sections;
    const uint32_t *calls = sections->calls[location];
    struct runner *runner = &r->runners[location];

    while (calls != NULL && runner->section + 1 < sections->n &&
           calls[runner->section] < runner->call) {
        runner->section++;
    }
    return runner->section;
}

static int64_t compute_in_section(struct engine *r, uint32_t location, int64_t ticks,
                                  double factor)
{
    const struct section_scale *in =
        r->scale->in_sections == NULL ? NULL : r->scale->in_sections[location];
    struct runner *runner = &r->runners[location];
    const uint32_t section = section_of(r, location);
    int64_t more_ticks = 0;

    if (r->spent != NULL && r->spent[location].sections_s != NULL) {
        r->spent[location].sections_s[section] += mpl_model_seconds(r->model, ticks);
    }
    for (; in != NULL && runner->n_begun <= section; runner->n_begun++) {
        more_ticks += in[runner->n_begun].more_ticks;
    }
    return scaled(ticks, in == NULL ? factor : factor * in[section].factor) + more_ticks;
}

int64_t mpl_engine_compute(struct engine *r, uint32_t location, uint32_t from, uint32_t to)
{
    const struct runner *runner = &r->runners[location];
    const struct mpl_location *loc = &r->model->locations[runner->lane];
    const double factor =
        runner->speed * (r->scale->compute == NULL ? 1 : r->scale->compute[location]);
    int64_t ticks = mpl_engine_inside(r, loc->time_ticks[from], loc->time_ticks[to]);

    if (r->scale->given != NULL && r->scale->given[location] != NULL) {
        ticks = r->scale->given[location][runner->call];
    }
    if (r->spent != NULL) {
        r->spent[location].compute_s += mpl_model_seconds(r->model, ticks);
    }
    if (r->scale->n_regions > 0) {
        ticks = compute_by_region(r, location, from, to);
    }
    return r->scale->sections != NULL ? compute_in_section(r, location, ticks, factor)
                                      : scaled(ticks, factor);
}

int64_t mpl_engine_cost(const struct engine *r, uint32_t location)
{
    const struct mpl_location *loc = &r->model->locations[r->runners[location].lane];
    const struct mpl_call_view *view = &r->runners[location].view;
    int64_t ticks = mpl_engine_inside(r, loc->time_ticks[view->first_event],
                                      loc->time_ticks[view->last_event]);
    double factor = r->scale->transfer == NULL ? 1 : r->scale->transfer[location];

    const int64_t waited_ticks = view->wait_ticks + r->runners[location].held_ticks;

    ticks = ticks > waited_ticks ? ticks - waited_ticks : 0;
    if (r->spent != NULL) {
        r->spent[location].transfer_s += mpl_model_seconds(r->model, ticks);
    }
    for (size_t i = 0; i < r->scale->n_regions && view->region != MPL_NONE; i++) {
        if (r->scale->regions[i].is_region[view->region]) {
            factor *= r->scale->regions[i].factor[location];
            if (r->spent != NULL) {
                r->spent[location].regions_s[i] += mpl_model_seconds(r->model, ticks);
            }
        }
    }
    return scaled(ticks, factor);
}
