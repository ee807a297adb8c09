/*
 * How long as little happened before as happens at the end. Where all processes are in calls at the end,
 * that is the longest time in which all were, and none entered or left one: what a transfer takes.
 * Where one is in its own code, it is the longest that any was in its own code, or in a call.
 */
#include "config.h"

#include "halt/halt_priv.h"

#include <stdlib.h>

struct step {
    int64_t ticks;
    int32_t change; /* of the number of processes in calls */
};

static int by_time(const void *x, const void *y)
{
    const struct step *a = x;
    const struct step *b = y;

    return a->ticks != b->ticks ? (a->ticks < b->ticks ? -1 : 1) : a->change - b->change;
}

static int64_t longest_in_all(const struct step *steps, size_t n, uint32_t n_processes)
{
    int64_t longest_ticks = 0;
    int64_t n_inside = 0;

    for (size_t i = 0; i + 1 < n; i++) {
        const int64_t ticks = steps[i + 1].ticks - steps[i].ticks;

        n_inside += steps[i].change;
        if (n_inside >= n_processes && ticks > longest_ticks) {
            longest_ticks = ticks;
        }
    }
    return longest_ticks;
}

void mpl_halt_pauses_find(struct mpl_halting *h, bool does_somebody_work)
{
    struct mpl_buf steps = mpl_buf_make(sizeof(struct step));
    int64_t own_ticks = 0;
    int64_t call_ticks = 0;
    uint32_t n_processes = 0;

    for (uint32_t p = 0; p < h->model->n_processes && !h->is_out_of_memory; p++) {
        if (h->places[p].state == MPL_HALT_UNKNOWN) {
            continue;
        }
        const struct mpl_location *loc = &h->model->locations[h->places[p].location];
        int64_t since_ticks = mpl_ticks_of(loc, 0);

        n_processes++;
        for (uint32_t i = 0; i < h->histories[p].n && !h->is_out_of_memory; i++) {
            const struct mpl_halt_past *call = &h->histories[p].calls[i];
            const int64_t enter = mpl_ticks_of(loc, call->enter);
            const int64_t leave = mpl_ticks_of(loc, call->leave);

            h->is_out_of_memory |= !mpl_buf_put(&steps, &(struct step){ enter, 1 }) ||
                                   !mpl_buf_put(&steps, &(struct step){ leave, -1 });
            own_ticks = enter - since_ticks > own_ticks ? enter - since_ticks : own_ticks;
            call_ticks = leave - enter > call_ticks ? leave - enter : call_ticks;
            since_ticks = leave;
        }
    }
    if (steps.n > 0 && !h->is_out_of_memory) {
        qsort(steps.data, steps.n, sizeof(struct step), by_time);
    }
    const int64_t pause_ticks =
        does_somebody_work ? (own_ticks > call_ticks ? own_ticks : call_ticks)
        : h->is_out_of_memory
            ? 0
            : longest_in_all((const struct step *) steps.data, steps.n, n_processes);
    h->halt->pause_s = mpl_model_seconds(h->model, pause_ticks);
    h->halt->usual_s = mpl_model_seconds(h->model, own_ticks);
    mpl_buf_free(&steps);
}
