/*
 * What a damaged trace lacks, and of how much process time it therefore says nothing: the time behind
 * the last event of a location whose events end early, time in functions that are not defined, and
 * calls whose partner was lost. What is left may look healthy because of that: a function without
 * a name is computation until somebody knows that it was MPI_Recv.
 */
#include "config.h"

#include "run/run_priv.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *note; /* of the reader */
    const char *lacks;
} damages[] = {
    { "truncated-events", "events" },
    { "damaged-events", "events" },
    { "missing-events-file", "events" },
    { "empty-events-file", "events" },
    { "undefined-regions", "names of functions" },
    { "undefined-communicators", "communicators" },
    { "missing-local-definitions", "definitions" },
    { "damaged-local-definitions", "definitions" },
    { "damaged-communicators", "members of communicators" },
    { "damaged-definitions", "definitions" },
};
enum { N_DAMAGES = sizeof damages / sizeof *damages };

bool mpl_note_is_damage(const char *note)
{
    bool is_damage = false;

    for (size_t i = 0; i < N_DAMAGES && !is_damage; i++) {
        is_damage = strcmp(damages[i].note, note) == 0;
    }
    return is_damage;
}

/* "events of location 2", "definitions" */
static const char *lack_text(struct mpl_arena *arena, const struct mpl_model *model,
                             const struct mpl_quality_note *note, const char *lacks)
{
    if (note->n_locations == 0) {
        return lacks;
    }
    return note->n_locations == 1
               ? mpl_arena_printf(arena, "%s of location %s", lacks,
                                  model->locations[note->locations[0]].label)
               : mpl_arena_printf(arena, "%s of %u of %u locations", lacks,
                                  (unsigned) note->n_locations,
                                  (unsigned) model->n_locations);
}

static double undefined_s(const struct mpl_events *events, uint32_t location)
{
    const struct mpl_model *model = mpl_events_model(events);
    uint32_t n = 0;
    const struct mpl_region_time *times = mpl_events_regions(events, location, &n);
    double sum_s = 0;

    for (uint32_t i = 0; i < n; i++) {
        sum_s += model->regions[times[i].region].is_undefined ? times[i].exclusive_s : 0;
    }
    return sum_s;
}

/* From the last event of a location to the end of what is diagnosed. */
static double rest_s(const struct mpl_model *model, const struct mpl_location *loc,
                     struct mpl_window window)
{
    const int64_t last_ticks =
        loc->n_events > 0 ? mpl_ticks_of(loc, loc->n_events - 1) : window.begin_ticks;

    return last_ticks >= window.end_ticks
               ? 0
               : mpl_model_seconds(model,
                                   window.end_ticks - (last_ticks > window.begin_ticks
                                                           ? last_ticks
                                                           : window.begin_ticks));
}

enum mpl_status mpl_damage_name(struct mpl_arena *arena, struct mpl_run *run,
                                struct mpl_err *err)
{
    const char *all = NULL;

    for (size_t i = 0; i < N_DAMAGES; i++) {
        const struct mpl_quality_note *note =
            mpl_quality_find(run->model->quality, damages[i].note);
        const char *text =
            note == NULL ? NULL : lack_text(arena, run->model, note, damages[i].lacks);

        if (note == NULL) {
            continue;
        }
        all = text == NULL || all == NULL ? text
                                          : mpl_arena_printf(arena, "%s, %s", all, text);
        if (all == NULL) {
            return mpl_nomem(err);
        }
    }
    run->damage = all; /* NULL without damage */
    return MPL_OK;
}

enum mpl_status mpl_damage_find(struct mpl_arena *arena, struct mpl_run *run,
                                struct mpl_err *err)
{
    const struct mpl_model *model = run->model;
    const enum mpl_status st = mpl_damage_name(arena, run, err);

    run->unknown_s = 0;
    for (uint32_t l = 0; l < model->n_locations && run->damage != NULL; l++) {
        const struct mpl_location *loc = &model->locations[l];
        const struct mpl_totals *totals = mpl_events_totals(run->events, l);

        run->unknown_s += undefined_s(run->events, l) + totals->unknown_s;
        run->unknown_s +=
            loc->is_damaged ? rest_s(model, loc, mpl_window_of(run->events)) : 0;
    }
    run->unknown_s = fmin(run->unknown_s, run->window_s * model->n_locations);
    return st;
}
