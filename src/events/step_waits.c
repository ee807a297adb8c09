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
    uint32_t *n_sent;  /* per process: messages that the one at hand sends to it */
    uint32_t *sent_to; /* those with any */
    uint32_t n_sent_to;
    struct mpl_buf of_envelope; /* uint32_t: messages of the location at hand */
    struct mpl_buf
        peers; /* uint32_t: who waits for a process, one process after the other */
    uint32_t *first_peer; /* per process, and the end of all */
    int64_t *done_ticks;  /* per process: with its computation of the step at hand */
    int64_t *begun_ticks; /* likewise: since when it is in that step */
};

static void add_messages(struct waits *w, uint32_t peer, uint32_t n)
{
    if (w->n_sent[peer] == 0) {
        w->sent_to[w->n_sent_to++] = peer;
    }
    w->n_sent[peer] += n;
}

/* Messages share few envelopes, so only their sums need to know what these are. False when out of memory. */
static bool count_messages(struct waits *w, uint32_t location)
{
    const struct mpl_location *loc = &w->events->model->locations[location];
    uint32_t *of_envelope;

    if (loc->n_envelopes == 0) {
        return true;
    }
    w->of_envelope.n = 0;
    of_envelope = mpl_buf_add_many(&w->of_envelope, loc->n_envelopes);
    if (of_envelope == NULL) {
        return false;
    }
    for (uint32_t first = 0, n; first < loc->n_messages; first += n) {
        const struct mpl_message *messages = mpl_messages_from(loc, first, &n);

        for (uint32_t i = 0; i < n; i++) {
            if (messages[i].envelope != MPL_NONE) {
                of_envelope[messages[i].envelope]++;
            }
        }
    }
    for (uint32_t e = 0; e < loc->n_envelopes; e++) {
        const struct mpl_envelope *envelope = &loc->envelopes[e];

        if (of_envelope[e] > 0 && envelope->is_send && envelope->peer != MPL_NONE &&
            envelope->peer != loc->process && !envelope->is_null && !envelope->is_garbage) {
            add_messages(w, envelope->peer, of_envelope[e]);
        }
    }
    return true;
}

/* Who gets something in every other step at least; nobody waits in each for the result at the end. */
static bool find_peers(struct waits *w)
{
    const struct mpl_model *model = w->events->model;

    for (uint32_t p = 0; p < model->n_processes; p++) {
        const struct mpl_process *process = &model->processes[p];

        w->n_sent_to = 0;
        for (uint32_t t = 0; t < process->n_locations; t++) {
            if (!count_messages(w, process->locations[t])) {
                return false;
            }
        }
        w->first_peer[p] = (uint32_t) w->peers.n;
        for (uint32_t i = 0; i < w->n_sent_to; i++) {
            const uint32_t q = w->sent_to[i];
            const bool is_peer = 2 * (uint64_t) w->n_sent[q] >= w->steps->n;
            uint32_t *peer = is_peer ? mpl_buf_add(&w->peers) : NULL;

            w->n_sent[q] = 0;
            if (is_peer && peer == NULL) {
                return false;
            }
            if (is_peer) {
                *peer = q;
            }
        }
    }
    w->first_peer[model->n_processes] = (uint32_t) w->peers.n;
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
                       .n_sent = MPL_NEW_ARRAY(scratch, n, uint32_t),
                       .sent_to = MPL_NEW_ARRAY(scratch, n, uint32_t),
                       .of_envelope = mpl_buf_make(sizeof(uint32_t)),
                       .peers = mpl_buf_make(sizeof(uint32_t)),
                       .first_peer = MPL_NEW_ARRAY(scratch, (size_t) n + 1, uint32_t),
                       .done_ticks = MPL_NEW_ARRAY(scratch, n, int64_t),
                       .begun_ticks = MPL_NEW_ARRAY(scratch, n, int64_t) };
    bool is_enough = w.n_sent != NULL && w.sent_to != NULL && w.first_peer != NULL &&
                     w.done_ticks != NULL && w.begun_ticks != NULL;

    steps->peers_cost_s = steps->cost_s;
    if (is_enough && !steps->is_collective) {
        is_enough = find_peers(&w);
        steps->peers_cost_s = is_enough ? cost_of(&w, who, n_compared) : 0;
    }
    mpl_buf_free(&w.of_envelope);
    mpl_buf_free(&w.peers);
    return is_enough;
}
