#include "config.h"

#include "halt/halt_priv.h"

/*
 * Nothing happens for longer than this many times the longest pause before. Chosen: a run that is killed
 * at work is caught in a pause, hardly in one that is five times as long as any before it.
 */
static const double standstill_pauses = 5;

/* With fewer calls behind it, nobody knows how long a process is usually in its own code: it may be reading
 * its input while the others wait. */
enum { LEAST_CALLS = 4 };

const char *mpl_halt_state_name(enum mpl_halt_state state)
{
    static const char *const names[] = { [MPL_HALT_UNKNOWN] = "unknown",
                                         [MPL_HALT_OVER] = "over",
                                         [MPL_HALT_OUTSIDE] = "outside",
                                         [MPL_HALT_POLLS] = "polling",
                                         [MPL_HALT_IN_CALL] = "in-call" };

    return names[state];
}

/* The last thing that happens, and from then on the silence, while all are there. */
static void measure(struct mpl_halting *h)
{
    int64_t end_ticks = INT64_MAX;
    int64_t at_ticks = INT64_MIN;
    bool does_somebody_work = false;
    bool is_work_usual = true;

    for (uint32_t p = 0; p < h->model->n_processes; p++) {
        struct mpl_halt_place *place = &h->places[p];

        if (place->state == MPL_HALT_UNKNOWN) {
            does_somebody_work = true;
            continue;
        }
        const int64_t own_ticks = mpl_halt_end_of(&h->model->locations[place->location]);
        const int64_t since_ticks = mpl_halt_since(h, p);

        place->for_s = mpl_model_seconds(h->model, own_ticks - since_ticks);
        at_ticks = since_ticks > at_ticks ? since_ticks : at_ticks;
        if (place->state != MPL_HALT_OVER) {
            end_ticks = own_ticks < end_ticks ? own_ticks : end_ticks;
            does_somebody_work |= place->state != MPL_HALT_IN_CALL;
            is_work_usual = is_work_usual && (place->state == MPL_HALT_IN_CALL ||
                                              h->histories[p].n >= LEAST_CALLS);
        }
    }
    h->at_ticks = at_ticks;
    h->halt->silence_s =
        end_ticks > at_ticks ? mpl_model_seconds(h->model, end_ticks - at_ticks) : 0;
    mpl_halt_pauses_find(h, does_somebody_work);
    h->halt->is_standstill = h->halt->is_cycle_certain ||
                             (h->halt->silence_s > standstill_pauses * h->halt->pause_s &&
                              (is_work_usual || h->halt->is_cycle_known));
}

/* No block takes longer afterwards, so that none needs more room than it has. */
static void cut_block(struct mpl_location *loc, uint32_t first, int64_t end_ticks)
{
    const uint32_t left = loc->n_events - first;
    const uint32_t n = left < MPL_BLOCK_EVENTS ? left : MPL_BLOCK_EVENTS;
    int64_t ticks[MPL_BLOCK_EVENTS];

    if (mpl_ticks_of(loc, first + n - 1) <= end_ticks) {
        return;
    }
    mpl_times_read(&loc->times, first, n, ticks);
    for (uint32_t i = n; i > 0 && ticks[i - 1] > end_ticks; i--) {
        ticks[i - 1] = end_ticks;
    }
    mpl_assert(mpl_times_write(&loc->times, first, n, ticks));
}

/* One tick is left, so that the run is not without duration where it stands still from the beginning. */
static void cut_standstill(struct mpl_halting *h)
{
    for (uint32_t l = 0; l < h->model->n_locations; l++) {
        struct mpl_location *loc = &h->model->locations[l];

        for (uint32_t i = 0; i < loc->n_events; i += MPL_BLOCK_EVENTS) {
            cut_block(loc, i, h->at_ticks + 1);
        }
    }
}

static void find(struct mpl_halting *h)
{
    mpl_halt_places_find(h);
    if (h->halt->n_in[MPL_HALT_IN_CALL] == 0) {
        return;
    }
    mpl_halt_functions_find(h);
    mpl_halt_histories_make(h);
    if (!h->is_out_of_memory) {
        mpl_halt_waits_find(h);
    }
    if (!h->is_out_of_memory && h->halt->n_in[MPL_HALT_IN_CALL] > 0) {
        measure(h);
    }
    if (!h->is_out_of_memory && h->halt->is_standstill) {
        cut_standstill(h);
    }
}

enum mpl_status mpl_halt_find(struct mpl_model *model, const struct mpl_match *match,
                              struct mpl_arena *arena, const struct mpl_halt **out,
                              struct mpl_err *err)
{
    struct mpl_halting h = { .model = model,
                             .match = match,
                             .arena = arena,
                             .scratch = mpl_arena_create(),
                             .halt = MPL_NEW(arena, struct mpl_halt),
                             .places = MPL_NEW_ARRAY(arena, model->n_processes,
                                                     struct mpl_halt_place) };

    h.is_out_of_memory = h.scratch == NULL || h.halt == NULL || h.places == NULL;
    if (!h.is_out_of_memory) {
        h.halt->places = h.places;
        find(&h);
    }
    mpl_arena_destroy(h.scratch);
    if (h.is_out_of_memory) {
        return mpl_nomem(err);
    }
    *out = h.halt->n_in[MPL_HALT_IN_CALL] > 0 ? h.halt : NULL;
    return MPL_OK;
}
