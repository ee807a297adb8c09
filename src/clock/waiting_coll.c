#include "config.h"

#include "clock/clock_priv.h"

/*
 * Members that wait in a collective leave it soon after the last one has entered. Where one process
 * is late again and again, this shows its offset to the others far better than their common
 * constraints do: these only say that nobody left before it came, which leaves room for as much as
 * they had waited. So the late one gets links to all whom it kept waiting, as if it had sent them
 * a message, and what waiting.c says of messages holds for them.
 *
 * Only members that are last often enough to prove something are looked at, and only calls that
 * move little: an exchange of megabytes takes its time after the last one has come.
 */

enum {
    LATE_OFTEN = 8,  /* Less is no proof, see waiting.c. */
    LATE_SHARE = 16, /* One instance in so many: so there are at most that many of them. */
    SMALL_BYTES = 1 << 12 /* Sent and received by a member. */
};

/* The last to enter. */
struct last {
    uint32_t rank; /* MPL_NONE: nobody enters. */
    int64_t ticks;
};

struct late {
    const struct mpl_order_view *view;
    struct mpl_links *links;
    const int64_t *add_ticks;
    uint32_t *n_last; /* Per process: instances in which it was the last. */
    uint64_t n_instances;
    void (*see)(struct late *late, const struct mpl_order_instance *in, uint32_t last,
                uint32_t to);
};

static bool is_small(const struct late *late, const struct mpl_order_instance *in,
                     uint32_t rank)
{
    const struct mpl_location *loc = &late->view->model->locations[in->location[rank]];
    const uint32_t event = in->leave_event[rank];

    if (mpl_kind_of(loc, event) != MPL_EV_COLL_END) {
        return false;
    }

    const struct mpl_collective *part = &loc->collectives[mpl_ref_of(loc, event)];

    return part->sent_bytes <= SMALL_BYTES && part->received_bytes <= SMALL_BYTES;
}

static struct last find_last(const struct late *late, const struct mpl_order_instance *in)
{
    struct last last = { MPL_NONE, 0 };

    for (uint32_t rank = 0; rank < in->n; rank++) {
        if (in->enter_ticks[rank] == MPL_ORDER_NEVER) {
            continue;
        }

        const int64_t ticks =
            mpl_ticks_plus(in->enter_ticks[rank], late->add_ticks[in->process[rank]]);

        if (last.rank == MPL_NONE || ticks > last.ticks) {
            last = (struct last){ rank, ticks };
        }
    }
    return last;
}

/* Whether all need the last to enter; in a prefix operation only higher ranks do. */
static bool keeps_others_waiting(const struct mpl_order_instance *in, uint32_t last)
{
    return last != MPL_NONE && !in->is_prefix && !in->is_any && !in->is_presumed;
}

static void count_last(void *context, const struct mpl_order_instance *in)
{
    struct late *late = context;
    const struct last last = find_last(late, in);

    if (keeps_others_waiting(in, last.rank)) {
        late->n_last[in->process[last.rank]]++;
        late->n_instances++;
    }
}

static bool is_often_last(const struct late *late, uint32_t process)
{
    return late->n_last[process] >= LATE_OFTEN &&
           late->n_last[process] >= late->n_instances / LATE_SHARE;
}

static void see_instance(void *context, const struct mpl_order_instance *in)
{
    struct late *late = context;
    const struct last last = find_last(late, in);

    if (!keeps_others_waiting(in, last.rank) ||
        !is_often_last(late, in->process[last.rank])) {
        return;
    }
    for (uint32_t to = 0; to < in->n; to++) {
        if (to != last.rank && in->leave_ticks[to] != MPL_ORDER_NEVER &&
            in->enter_ticks[to] != MPL_ORDER_NEVER && is_small(late, in, to)) {
            late->see(late, in, last.rank, to);
        }
    }
}

/* Both ways: how late the one may be follows from when it leaves, if it needs the other. */
static void add_links(struct late *late, const struct mpl_order_instance *in, uint32_t last,
                      uint32_t to)
{
    (void) mpl_links_add(late->links, in->process[last], in->process[to],
                         mpl_ticks_minus(in->leave_ticks[to], in->enter_ticks[last]));
    if (in->leave_ticks[last] != MPL_ORDER_NEVER) {
        (void) mpl_links_add(late->links, in->process[to], in->process[last],
                             mpl_ticks_minus(in->leave_ticks[last], in->enter_ticks[to]));
    }
}

/* Whether \p to had entered before, whatever the offset. */
static void count_waiting(struct late *late, const struct mpl_order_instance *in,
                          uint32_t last, uint32_t to)
{
    const struct mpl_clock_link *found =
        mpl_links_find(late->links, in->process[last], in->process[to]);

    if (found == NULL || found->back == MPL_NONE) {
        return;
    }
    struct mpl_clock_link *link =
        mpl_links_get(late->links, mpl_links_back(late->links, found)->back);
    if (mpl_ticks_minus(in->enter_ticks[last], in->enter_ticks[to]) >=
        mpl_links_back(late->links, link)->least_ticks) {
        link->n_waited++;
    }
}

enum mpl_status mpl_waiting_find_late(const struct mpl_order_view *view,
                                      struct mpl_links *links, const int64_t *add_ticks,
                                      struct mpl_arena *scratch, struct mpl_err *err)
{
    struct late late = { .view = view, .links = links, .add_ticks = add_ticks };

    late.n_last = MPL_NEW_ARRAY(scratch, links->n_processes, uint32_t);
    if (late.n_last == NULL) {
        return mpl_nomem(err);
    }
    enum mpl_status st = mpl_order_walk_instances(view, count_last, &late, err);
    late.see = add_links;
    st = st == MPL_OK ? mpl_order_walk_instances(view, see_instance, &late, err) : st;
    late.see = count_waiting;
    st = st == MPL_OK ? mpl_order_walk_instances(view, see_instance, &late, err) : st;
    return st == MPL_OK && links->is_short ? mpl_nomem(err) : st;
}
