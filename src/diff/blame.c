/*
 * Who makes others wait, in both runs: delay costs (events), so that a wait counts for who caused it in the end, and not for
 * whom it was. Where one of the runs does not record when receives are over, waits are not compared.
 */
#include "config.h"

#include "diff/effects_priv.h"

/* Who is to blame causes so much of what is waited longer. */
static const double least_blamed = 0.5;

static double caused(const struct mpl_delay *delay)
{
    double sum_s = 0;

    for (int kind = 0; kind < MPL_WAIT_KINDS; kind++) {
        sum_s += delay->direct_s[kind] + delay->indirect_s[kind];
    }
    return sum_s;
}

bool mpl_waits_are_known(const struct mpl_run *run)
{
    return run->model->can.has_receive_completions || !run->model->can.has_messages;
}

enum mpl_status mpl_blame(struct mpl_effects *e, struct mpl_err *err)
{
    struct mpl_diff *diff = e->diff;
    const struct mpl_delay *base = NULL;
    const struct mpl_delay *new = NULL;

    if (!mpl_waits_are_known(diff->base) || !mpl_waits_are_known(diff->new)) {
        return MPL_OK;
    }
    enum mpl_status st = mpl_events_delays(diff->base->events, e->scratch, &base, err);
    st = st == MPL_OK ? mpl_events_delays(diff->new->events, e->scratch, &new, err) : st;
    for (uint32_t i = 0; i < e->n_locations && st == MPL_OK; i++) {
        struct mpl_load *load = &e->loads[i];

        load->caused_base_s = caused(&base[load->location]);
        load->caused_new_s = caused(&new[load->location]);
    }
    return st;
}

const struct mpl_load *mpl_diff_culprit(const struct mpl_diff *diff, double *more_s)
{
    const struct mpl_load *most = NULL;

    *more_s = 0;
    for (uint32_t i = 0; i < diff->n_loads; i++) {
        const struct mpl_load *load = &diff->loads[i];
        const double own_s = load->caused_new_s - load->caused_base_s;

        *more_s += own_s;
        if (most == NULL || own_s > most->caused_new_s - most->caused_base_s) {
            most = load;
        }
    }
    /* NaN: not known. */
    return most != NULL && *more_s > 0 &&
                   most->caused_new_s - most->caused_base_s >= least_blamed * *more_s
               ? most
               : NULL;
}
