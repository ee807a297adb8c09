/* Tasks of processes that take what comes first. */
#include "config.h"

#include "diff/effects_priv.h"

#include <math.h>

/* Fewer tasks say nothing about those that somebody else got. */
static const double least_tasks = MPL_BLOCKS_LEAST;

uint32_t mpl_effects_tasks(const struct mpl_effects *e, const struct mpl_run *run,
                           uint32_t l, uint32_t *sends)
{
    const struct mpl_location *loc = &run->model->locations[l];
    const bool is_taker = e->takes_any[loc->process];
    bool has_received = false;
    uint32_t n = 0;

    for (uint32_t i = 0; i < loc->n_messages; i++) {
        const uint32_t at = mpl_message_get(loc, i).envelope;
        const struct mpl_envelope *x = at == MPL_NONE ? NULL : &loc->envelopes[at];

        if (x == NULL || x->peer == MPL_NONE || (!is_taker && !e->takes_any[x->peer])) {
            continue;
        }
        if (x->is_send && has_received) {
            n++;
            if (sends != NULL) {
                sends[n - 1] = i;
            }
        }
        has_received = !x->is_send;
    }
    return n;
}

bool mpl_load_is_comparable(const struct mpl_load *load)
{
    return load->work == 1 ||
           fmin((double) load->base_tasks, (double) load->new_tasks) >= least_tasks;
}
