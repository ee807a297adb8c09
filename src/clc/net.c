#include "config.h"

#include "clc/clc_priv.h"

/* ---- what is seen of delays while the net is made --------------------------------------------- */

struct watching {
    struct mpl_clc_delays *delays;
    const int64_t *zero_ticks; /* Per process. */
    bool is_mu_given;
};

static unsigned marks_of(const struct watching *w, enum mpl_clc_class class,
                         int64_t delay_ticks)
{
    return (unsigned) class |
           (!w->is_mu_given && delay_ticks == 0 ? MPL_CLC_MARK_TOGETHER : 0);
}

static unsigned see_message(void *context, const struct mpl_order_pair *pair)
{
    struct watching *w = context;
    const enum mpl_clc_class class = mpl_clc_delays_see_pair(w->delays, pair);

    return marks_of(w, class, mpl_ticks_minus(pair->received_ticks, pair->sent_ticks));
}

/* That a synchronous send is answered proves an order, but is no message with a delay that
 * could be compared with those of others. */
static unsigned see_answer(void *context, const struct mpl_order_pair *pair)
{
    (void) pair;
    return marks_of(context, MPL_CLC_P2P_BETWEEN, 0);
}

/* Threads of a process share its clock, so what they take is seen as it is, and no round trip
 * needs to limit it. */
static unsigned see_member(void *context, bool is_thread, int64_t delay_ticks)
{
    struct watching *w = context;
    const enum mpl_clc_class class = is_thread ? MPL_CLC_THREAD : MPL_CLC_COLLECTIVE;

    mpl_clc_delays_see(w->delays, class, delay_ticks);
    return marks_of(w, class, delay_ticks);
}

static void see_round(void *context, int64_t ticks)
{
    struct watching *w = context;

    mpl_clc_delays_see_round(w->delays, MPL_CLC_COLLECTIVE, ticks);
}

static bool does_trust(void *context, const struct mpl_order_instance *in)
{
    struct watching *w = context;

    return mpl_order_is_trusted(mpl_order_reversal(in, w->zero_ticks),
                                mpl_clc_delays_worst(w->delays));
}

/* ---- the net with times -------------------------------------------------------------------------- */

static enum mpl_status add_times(struct mpl_clc_net *net, struct mpl_model *model,
                                 struct mpl_arena *scratch, struct mpl_err *err)
{
    struct mpl_net *order = net->order;

    net->track = MPL_NEW_ARRAY(scratch, order->n_tracks, struct mpl_clc_track);
    net->pair_ticks = MPL_NEW_ARRAY(scratch, order->n_pairs, int64_t);
    net->top = MPL_NEW_ARRAY(scratch, order->n_groups, struct mpl_top);
    if (net->track == NULL || net->pair_ticks == NULL || net->top == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < order->n_tracks; l++) {
        struct mpl_clc_track *track = &net->track[l];

        *track = (struct mpl_clc_track){ .n_points = order->track[l].n_points,
                                         .points = order->track[l].points,
                                         .n_events = model->locations[l].n_events,
                                         .times = &model->locations[l].times };
        track->at = MPL_NEW_UNSET(scratch, track->n_points, struct mpl_clc_at);
        if (track->at == NULL) {
            return mpl_nomem(err);
        }
    }
    return MPL_OK;
}

static enum mpl_status make(struct mpl_clc_net *net, const struct mpl_order_view *view,
                            struct mpl_model *model, struct watching *watching,
                            struct mpl_arena *scratch, struct mpl_err *err)
{
    const struct mpl_net_watch watch = { .context = watching,
                                         .message = see_message,
                                         .answer = see_answer,
                                         .member = see_member,
                                         .round = see_round,
                                         .does_trust = does_trust };
    enum mpl_status st = mpl_net_create(view, &watch, scratch, &net->order, err);

    st = st == MPL_OK ? add_times(net, model, scratch, err) : st;
    if (st == MPL_OK &&
        !mpl_clc_delays_finish(watching->delays, net->mu_ticks, &net->need_ticks)) {
        st = mpl_nomem(err);
    }
    return st;
}

enum mpl_status mpl_clc_net_create(const struct mpl_order_view *view,
                                   struct mpl_model *model, int64_t mu_ticks,
                                   struct mpl_arena *scratch, struct mpl_clc_net **out,
                                   struct mpl_err *err)
{
    struct mpl_clc_net *net = MPL_NEW(scratch, struct mpl_clc_net);
    struct watching w = { .delays = mpl_clc_delays_create(model, mu_ticks, scratch),
                          .zero_ticks = MPL_NEW_ARRAY(scratch, model->n_processes, int64_t),
                          .is_mu_given = mu_ticks >= 0 };
    const enum mpl_status st = net == NULL || w.delays == NULL || w.zero_ticks == NULL
                                   ? mpl_nomem(err)
                                   : make(net, view, model, &w, scratch, err);

    mpl_clc_delays_destroy(w.delays);
    if (st == MPL_OK) {
        *out = net;
    }
    return st;
}
