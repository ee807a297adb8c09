/*
 * What uneven steps cost, from computation alone: each process begins its next step as soon as all
 * that send it messages are done with this one. Nothing is asked of waits, which not all traces
 * record. Where a collective ends the steps, all wait for all; in a halo exchange a delay spreads
 * by one neighbour per step, and delays in different places at the same time cost less.
 *
 * Example: three processes in a chain compute 3 1 1 in the first step and 1 1 3 in the second. The
 * last one gets nothing from the first and begins its second step after 1: all are done after 4.
 * If all met after each step, that would take 6.
 */
#include "config.h"

#include "events/steps_priv.h"

#include <string.h>

struct waits {
    const struct mpl_events *events;
    const struct mpl_steps *steps;
    struct mpl_buf
        peers; /* uint32_t: who waits for a process, one process after the other */
    uint32_t *first_peer; /* per process, and the end of all */
    int64_t *done_ticks;  /* per process: with its computation of the step at hand */
    int64_t *begun_ticks; /* likewise: since when it is in that step */
};

/* Who gets something in every other step at least; nobody waits in each for the result at the end. False: no memory. */
static bool find_peers(struct waits *w)
{
    const struct mpl_edge *edge = w->events->edges;
    const struct mpl_edge *end = edge + w->events->n_edges;

    for (uint32_t p = 0; p < w->steps->n_processes; p++) {
        w->first_peer[p] = (uint32_t) w->peers.n;
        for (; edge < end && edge->from == p; edge++) {
            if (edge->to != p && 2 * edge->messages >= w->steps->n &&
                !mpl_buf_put(&w->peers, &edge->to)) {
                return false;
            }
        }
    }
    w->first_peer[w->steps->n_processes] = (uint32_t) w->peers.n;
    return true;
}

/* Returns when the last process is done with the last step. */
static int64_t run_steps(const struct waits *w)
{
    const uint32_t n = w->steps->n_processes;
    const uint32_t *peers = w->peers.data;
    int64_t last = 0;

    for (uint32_t k = 0; k < w->steps->n; k++) {
        for (uint32_t p = 0; p < n; p++) {
            w->done_ticks[p] =
                w->begun_ticks[p] + w->steps->compute_ticks[(size_t) k * n + p];
            last = w->done_ticks[p] > last ? w->done_ticks[p] : last;
        }
        memcpy(w->begun_ticks, w->done_ticks, n * sizeof *w->begun_ticks);
        for (uint32_t p = 0; p < n; p++) {
            for (uint32_t i = w->first_peer[p]; i < w->first_peer[p + 1]; i++) {
                int64_t *begun = &w->begun_ticks[peers[i]];

                *begun = w->done_ticks[p] > *begun ? w->done_ticks[p] : *begun;
            }
        }
    }
    return last;
}

/* Waiting of the processes that are compared; one that computes nothing waits all the time. */
static double cost_of(const struct waits *w, const uint32_t *who, uint32_t n)
{
    double cost = (double) run_steps(w) * n;

    for (uint32_t k = 0; k < w->steps->n; k++) {
        for (uint32_t i = 0; i < n; i++) {
            cost -=
                (double)
                    w->steps->compute_ticks[(size_t) k * w->steps->n_processes + who[i]];
        }
    }
    return cost / (double) w->events->model->ticks_per_s;
}

bool mpl_step_waits_find(const struct mpl_events *events, const uint32_t *who,
                         uint32_t n_compared, struct mpl_steps *steps,
                         struct mpl_arena *scratch)
{
    const uint32_t n = steps->n_processes;
    struct waits w = { .events = events,
                       .steps = steps,
                       .peers = mpl_buf_make(sizeof(uint32_t)),
                       .first_peer = MPL_NEW_ARRAY(scratch, (size_t) n + 1, uint32_t),
                       .done_ticks = MPL_NEW_ARRAY(scratch, n, int64_t),
                       .begun_ticks = MPL_NEW_ARRAY(scratch, n, int64_t) };
    bool is_enough = w.first_peer != NULL && w.done_ticks != NULL && w.begun_ticks != NULL;

    steps->peers_cost_s = steps->cost_s;
    if (is_enough && !steps->is_collective) {
        is_enough = find_peers(&w);
        steps->peers_cost_s = is_enough ? cost_of(&w, who, n_compared) : 0;
    }
    mpl_buf_free(&w.peers);
    return is_enough;
}
