#include "config.h"

#include "clock/clock_priv.h"

#include <math.h>

/* Offsets that the tracer recorded, and where they are to be used. */

static bool has_events(const struct mpl_model *model, uint32_t process)
{
    const struct mpl_process *p = &model->processes[process];

    for (uint32_t t = 0; t < p->n_locations; t++) {
        if (model->locations[p->locations[t]].n_events > 0) {
            return true;
        }
    }
    return false;
}

static uint32_t offsets_of(const struct mpl_model *model, uint32_t location)
{
    return model->offsets == NULL || model->n_offsets == NULL ? 0
                                                              : model->n_offsets[location];
}

/*
 * Whose offsets hold at a location: its own, or those of the first thread of its process that
 * has any: threads share a clock. Two points show the drift, so they are preferred to one. A
 * single point (a run cut short before the second was taken) is used as a constant: OTF2's own
 * reader ignores it, which leaves clocks of different nodes apart by days for the sake of
 * microseconds of drift.
 */
static uint32_t find_offsets(const struct mpl_model *model, uint32_t location)
{
    const struct mpl_process *process =
        &model->processes[model->locations[location].process];

    for (uint32_t enough = 2; enough > 0; enough--) {
        if (offsets_of(model, location) >= enough) {
            return location;
        }
        for (uint32_t t = 0; t < process->n_locations; t++) {
            if (offsets_of(model, process->locations[t]) >= enough) {
                return process->locations[t];
            }
        }
    }
    return MPL_NONE;
}

enum mpl_status mpl_clock_map_offsets(struct mpl_clock_stage *s, struct mpl_err *err)
{
    struct mpl_quality *quality = s->model->quality;

    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        const struct mpl_location *loc = &s->model->locations[l];
        const uint32_t from = find_offsets(s->model, l);
        bool is_sound = true;
        enum mpl_status st;

        if (from == MPL_NONE) {
            /* Only a process without any event has none. */
            st = mpl_clock_map_constant(0, s->scratch, &s->map[l], err);
        } else {
            st = mpl_clock_map_recorded(s->model->offsets[from], s->model->n_offsets[from],
                                        loc->base_ticks, s->origin_ticks, s->scratch,
                                        &s->map[l], &is_sound, err);
        }
        if (st != MPL_OK) {
            return st;
        }
        if (!is_sound) {
            mpl_quality_add(
                quality, "clock-offset-implausible", l, 1,
                "Recorded clock offsets that no clock can have; the first one is "
                "used throughout, so times may drift.");
        } else if (from != MPL_NONE && s->model->n_offsets[from] == 1) {
            mpl_quality_add(
                quality, "clock-offset-constant", l, 1,
                "Only one clock offset is recorded, so drift in the course of the "
                "run is not corrected.");
        }
    }
    return MPL_OK;
}

/* ---- sources ------------------------------------------------------------------------------ */

static bool has_offsets(const struct mpl_model *model)
{
    for (uint32_t p = 0; p < model->n_processes; p++) {
        if (has_events(model, p) &&
            find_offsets(model, model->processes[p].locations[0]) == MPL_NONE) {
            return false;
        }
    }
    return true;
}

static uint32_t count_active(const struct mpl_model *model)
{
    uint32_t n = 0;

    for (uint32_t p = 0; p < model->n_processes; p++) {
        n += has_events(model, p);
    }
    return n;
}

enum mpl_clock_source mpl_clock_choose_source(const struct mpl_model *model,
                                              enum mpl_clock_choice choice)
{
    if (model->has_common_clock || count_active(model) <= 1) {
        return MPL_CLOCK_SINGLE;
    }
    switch (choice) {
    case MPL_CLOCK_NONE:
        return MPL_CLOCK_RAW;
    case MPL_CLOCK_ONLY_MESSAGES:
        return MPL_CLOCK_MESSAGES;
    case MPL_CLOCK_ONLY_EVENTSPACE:
        return MPL_CLOCK_EVENTSPACE;
    default:
        return has_offsets(model) ? MPL_CLOCK_OFFSETS : MPL_CLOCK_MESSAGES;
    }
}

/* ---- pins ------------------------------------------------------------------------------------ */

void mpl_clock_find_pins(const struct mpl_clock_stage *s, int64_t pins[2])
{
    pins[0] = INT64_MAX;
    pins[1] = INT64_MIN;
    for (uint32_t p = 0; p < s->model->n_processes; p++) {
        const struct mpl_clock_map *map = &s->map[s->model->processes[p].locations[0]];

        if (!has_events(s->model, p)) {
            continue;
        }

        const int64_t first = mpl_clock_map_apply(map, map->knot[0].at_ticks);
        const int64_t last = mpl_clock_map_apply(map, map->knot[map->n - 1].at_ticks);

        pins[0] = first < pins[0] ? first : pins[0];
        pins[1] = last > pins[1] ? last : pins[1];
    }
}

int64_t mpl_clock_stated_error(const struct mpl_model *model, uint32_t process)
{
    const uint32_t from = find_offsets(model, model->processes[process].locations[0]);
    double error = 0;

    for (uint32_t i = 0; from != MPL_NONE && i < model->n_offsets[from]; i++) {
        error = fmax(error, model->offsets[from][i].error_ticks);
    }
    return (int64_t) ceil(fmin(error, (double) MPL_TICKS_FAR));
}
