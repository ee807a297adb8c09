#include "config.h"

#include "order/order.h"

static void see_reversal(struct mpl_tally *tally, uint32_t location, int64_t ticks)
{
    if (ticks > tally->found->worst_ticks) {
        tally->found->worst_ticks = ticks;
    }
    if (tally->per_location != NULL && location != MPL_NONE) {
        tally->per_location[location]++;
    }
}

void mpl_tally_reversed_pair(struct mpl_tally *tally, const struct mpl_order_pair *pair,
                             int64_t reversed_ticks)
{
    int64_t *worst_certain = &tally->found->worst_certain_ticks;

    tally->found->p2p++;
    *worst_certain = reversed_ticks > *worst_certain ? reversed_ticks : *worst_certain;
    see_reversal(tally, pair->to_location, reversed_ticks);
}

static void tally_reversed(void *context, const struct mpl_order_instance *in,
                           uint32_t from, uint32_t to, int64_t reversed_ticks)
{
    struct mpl_tally *tally = context;
    int64_t *worst_certain = &tally->found->worst_certain_ticks;

    (void) from;
    tally->found->collective++;
    if (!in->is_presumed && reversed_ticks > *worst_certain) {
        *worst_certain = reversed_ticks;
    }
    see_reversal(tally, in->location[to], reversed_ticks);
}

void mpl_tally_instance(struct mpl_tally *tally, const struct mpl_order_instance *in)
{
    if (in->is_presumed && !mpl_order_is_trusted(mpl_order_reversal(in, tally->add_ticks),
                                                 tally->found->worst_certain_ticks)) {
        return;
    }
    tally->found->n_collective +=
        mpl_order_find_reversed(in, tally->add_ticks, tally_reversed, tally);
}

/* ---- threads ------------------------------------------------------------------------------ */

struct thread_tally {
    struct mpl_tally *tally;
    const struct mpl_order_view *view;
};

/* A moment cannot violate the order of its own location, so the last source stands for those
 * of other locations. */
static void tally_group(void *context, const struct mpl_order_group *group)
{
    const struct thread_tally *t = context;
    int64_t last = INT64_MIN;

    for (uint32_t i = 0; i < group->n_sources; i++) {
        const struct mpl_moment *m = &group->sources[i];
        const int64_t ticks = mpl_order_view_time(t->view, m->location, m->event);

        last = ticks > last ? ticks : last;
    }
    for (uint32_t i = 0; i < group->n_sinks; i++) {
        const struct mpl_moment *m = &group->sinks[i];
        const int64_t reversed =
            mpl_ticks_minus(last, mpl_order_view_time(t->view, m->location, m->event));

        t->tally->found->n_thread++;
        if (reversed > 0) {
            t->tally->found->thread++;
            see_reversal(t->tally, m->location, reversed);
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------ */

static void visit_instance(void *context, const struct mpl_order_instance *in)
{
    mpl_tally_instance(context, in);
}

enum mpl_status mpl_tally_rest(struct mpl_tally *tally, const struct mpl_order_view *view,
                               struct mpl_err *err)
{
    struct thread_tally threads = { tally, view };

    mpl_order_walk_groups(view, tally_group, &threads);
    return mpl_order_walk_weak(view, visit_instance, tally, err);
}
