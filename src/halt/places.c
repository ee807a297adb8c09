/*
 * Where each process is at the end. A call is cut off if the last record of MPI on its location enters
 * it: tracers that are ended by a signal close the functions around it (EZTrace leaves "Working"), but
 * not the call. Where that record leaves a call, the process is in its own code, or its trace is over.
 */
#include "config.h"

#include "halt/halt_priv.h"

static uint32_t last_mpi_record(const struct mpl_model *model,
                                const struct mpl_location *loc, uint32_t before)
{
    for (uint32_t i = before; i > 0; i--) {
        const uint8_t kind = mpl_kind_of(loc, i - 1);

        if ((kind == MPL_EV_ENTER || kind == MPL_EV_LEAVE) &&
            mpl_halt_is_mpi(model, mpl_ref_of(loc, i - 1))) {
            return i - 1;
        }
    }
    return MPL_NONE;
}

static bool is_poll(const struct mpl_model *model, const struct mpl_location *loc,
                    uint32_t event)
{
    return model->regions[mpl_ref_of(loc, event)].mode == MPL_CALL_TEST;
}

/* The innermost function of the program that is open at a record. */
static uint32_t function_at(const struct mpl_model *model, const struct mpl_location *loc,
                            uint32_t event)
{
    uint32_t closed = 0;

    for (uint32_t i = event; i > 0; i--) {
        const uint8_t kind = mpl_kind_of(loc, i - 1);

        if ((kind != MPL_EV_ENTER && kind != MPL_EV_LEAVE) ||
            model->regions[mpl_ref_of(loc, i - 1)].kind != MPL_REGION_USER) {
            continue;
        }
        if (kind == MPL_EV_LEAVE) {
            closed++;
        } else if (closed-- == 0) {
            return mpl_ref_of(loc, i - 1);
        }
    }
    return MPL_NONE;
}

/* The first record in the last hundredth of the time behind record \p last: what is left there is left
 * because the run ends. */
static uint32_t before_the_end(const struct mpl_location *loc, uint32_t last)
{
    const int64_t end_ticks = mpl_halt_end_of(loc);
    const int64_t most_ticks = end_ticks - (end_ticks - mpl_ticks_of(loc, last)) / 100;
    uint32_t i = last + 1;

    while (i < loc->n_events && mpl_ticks_of(loc, i) < most_ticks) {
        i++;
    }
    return i;
}

static struct mpl_halt_place place_of(const struct mpl_model *model, uint32_t location)
{
    const struct mpl_location *loc = &model->locations[location];
    struct mpl_halt_place place = { .location = location,
                                    .region = MPL_NONE,
                                    .function = MPL_NONE,
                                    .last_region = MPL_NONE,
                                    .expected_region = MPL_NONE,
                                    .comm = MPL_NONE };
    uint32_t last = last_mpi_record(model, loc, loc->n_events);

    place.event = last;
    if (loc->is_damaged || last == MPL_NONE) {
        return place;
    }
    if (model->regions[mpl_ref_of(loc, last)].kind == MPL_REGION_MPI_FINALIZE) {
        place.state = MPL_HALT_OVER;
    } else if (is_poll(model, loc, last)) {
        place.state = MPL_HALT_POLLS;
        place.region = mpl_ref_of(loc, last);
        while (last != MPL_NONE && is_poll(model, loc, last)) {
            place.event = last;
            last = last_mpi_record(model, loc, last);
        }
    } else if (mpl_kind_of(loc, last) == MPL_EV_ENTER) {
        place.state = MPL_HALT_IN_CALL;
        place.region = mpl_ref_of(loc, last);
    } else {
        place.state = MPL_HALT_OUTSIDE;
    }
    return place;
}

/* Whoever is in its own code is where it was before the run ended. */
static uint32_t function_of(const struct mpl_model *model, const struct mpl_location *loc)
{
    const uint32_t last = last_mpi_record(model, loc, loc->n_events);

    if (loc->is_damaged || last == MPL_NONE) {
        return MPL_NONE;
    }

    const bool is_outside =
        mpl_kind_of(loc, last) == MPL_EV_LEAVE && !is_poll(model, loc, last) &&
        model->regions[mpl_ref_of(loc, last)].kind != MPL_REGION_MPI_FINALIZE;

    return function_at(model, loc, is_outside ? before_the_end(loc, last) : last);
}

/* Apart, as it may take the whole trace: the function around all calls is entered first. */
void mpl_halt_functions_find(struct mpl_halting *h)
{
    for (uint32_t p = 0; p < h->model->n_processes; p++) {
        struct mpl_halt_place *place = &h->places[p];

        if (place->location != MPL_NONE) {
            place->function = function_of(h->model, &h->model->locations[place->location]);
        }
    }
}

/* Of several threads the one that is in a call says more than one without work; else the last to act. */
static bool is_better(const struct mpl_model *model, const struct mpl_halt_place *a,
                      const struct mpl_halt_place *b)
{
    if (b->state == MPL_HALT_UNKNOWN || a->state == MPL_HALT_UNKNOWN) {
        return b->state == MPL_HALT_UNKNOWN && a->state != MPL_HALT_UNKNOWN;
    }
    if ((a->state == MPL_HALT_IN_CALL) != (b->state == MPL_HALT_IN_CALL)) {
        return a->state == MPL_HALT_IN_CALL;
    }
    return mpl_ticks_of(&model->locations[a->location], a->event) >
           mpl_ticks_of(&model->locations[b->location], b->event);
}

int64_t mpl_halt_since(const struct mpl_halting *h, uint32_t process)
{
    const struct mpl_halt_place *place = &h->places[process];
    const struct mpl_location *loc = &h->model->locations[place->location];

    /* What comes behind MPI_Finalize, if it is only that others go on, is nothing that it does. */
    return place->state == MPL_HALT_OVER &&
                   h->model->regions[mpl_ref_of(loc, place->event)].kind !=
                       MPL_REGION_MPI_FINALIZE
               ? mpl_halt_end_of(loc)
               : mpl_ticks_of(loc, place->event);
}

/*
 * Whoever is killed in its own code ends with the others; whoever has left the program ended before
 * them. Its trace is over if it has been gone for longer than it was last seen in its own code.
 */
static void find_gone(struct mpl_halting *h, int64_t end_ticks)
{
    for (uint32_t p = 0; p < h->model->n_processes; p++) {
        struct mpl_halt_place *place = &h->places[p];

        if (place->state != MPL_HALT_OUTSIDE) {
            continue;
        }
        const int64_t own_ticks = mpl_halt_end_of(&h->model->locations[place->location]);

        if (end_ticks != INT64_MAX &&
            end_ticks - own_ticks > own_ticks - mpl_halt_since(h, p)) {
            place->state = MPL_HALT_OVER;
        }
    }
}

void mpl_halt_places_find(struct mpl_halting *h)
{
    const struct mpl_model *model = h->model;
    int64_t end_ticks = INT64_MAX;

    for (uint32_t p = 0; p < model->n_processes; p++) {
        struct mpl_halt_place *place = &h->places[p];

        place->location = MPL_NONE;
        for (uint32_t i = 0; i < model->processes[p].n_locations; i++) {
            const uint32_t l = model->processes[p].locations[i];
            const struct mpl_halt_place found = place_of(model, l);

            if (place->location == MPL_NONE || is_better(model, &found, place)) {
                *place = found;
            }
        }
        if (place->state == MPL_HALT_IN_CALL) {
            const int64_t own_ticks = mpl_halt_end_of(&model->locations[place->location]);

            end_ticks = own_ticks < end_ticks ? own_ticks : end_ticks;
        }
    }
    find_gone(h, end_ticks);
    for (uint32_t p = 0; p < model->n_processes; p++) {
        h->halt->n_in[h->places[p].state]++;
    }
}
