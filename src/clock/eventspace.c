#include "config.h"

#include "clock/clock_priv.h"

#include <stdlib.h>

/*
 * The global clock of EventSpace (Bongo, Anshus, Bjørndalen, section 5.4), to
 * compare with. A request leaves A at t1 and reaches B at t2, the response
 * leaves B at t3 and reaches A at t4, each on its own clock. If both took the
 * same time c = ((t4 - t1) - (t3 - t2)) / 2, the clock of B is ahead by o = t2
 * - (t1 + c). The mean of all o of two processes is their offset, and offsets
 * add up along a breadth-first spanning tree of the communication graph. Its
 * root is process 0: not always the one with the lowest tree, but the reference
 * that other estimates have, too.
 *
 * MPI has no requests and responses. Taken for one is a message from A that B
 * receives and the next message between the two, if it goes from B to A:
 * nothing of A lies between, so that t3 answers t2 as closely as the program
 * does. What B computes in between cancels out, what A or B let the other's
 * message wait does not: hence the large errors where one side is late.
 */

/* One end of a message, at one of the two processes. */
struct end {
    uint32_t peer;
    bool is_send;
    int64_t here_ticks;
    int64_t there_ticks; /* Of the other end, on the peer's clock. */
    uint64_t number;     /* As visited: decides between equal times. */
};

/* Ends by process: those of p are end[first[p]] up to end[first[p + 1]]. */
struct ends {
    uint64_t *first; /* n + 2 entries. */
    struct end *end;
    uint64_t n;
    bool is_counting;
};

struct sum {
    __int128 twice_ticks; /* Of 2 o. */
    uint64_t n;
};

/* ---- ends ---------------------------------------------------------------------------- */

static void put_end(struct ends *ends, uint32_t process, struct end end)
{
    if (ends->is_counting) {
        ends->first[process + 2]++;
        ends->n++;
    } else {
        ends->end[ends->first[process + 1]++] = end;
    }
}

static void see_pair(void *context, const struct mpl_order_pair *pair)
{
    struct ends *ends = context;
    const uint64_t number = ends->n;

    if (pair->from == pair->to) {
        return;
    }
    put_end(ends, pair->from,
            (struct end){ pair->to, true, pair->sent_ticks, pair->received_ticks, number });
    put_end(
        ends, pair->to,
        (struct end){ pair->from, false, pair->received_ticks, pair->sent_ticks, number });
}

/* By peer, then by time; what comes in is seen before what goes out at the same
 * tick. */
static int compare_ends(const void *a, const void *b)
{
    const struct end *x = a;
    const struct end *y = b;

    if (x->peer != y->peer) {
        return x->peer < y->peer ? -1 : 1;
    }
    if (x->here_ticks != y->here_ticks) {
        return x->here_ticks < y->here_ticks ? -1 : 1;
    }
    if (x->is_send != y->is_send) {
        return x->is_send ? 1 : -1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

static enum mpl_status sort_ends(const struct mpl_order_view *view, struct ends *ends,
                                 struct mpl_arena *scratch, struct mpl_err *err)
{
    const uint32_t n = view->model->n_processes;

    ends->first = MPL_NEW_ARRAY(scratch, (size_t) n + 2, uint64_t);
    if (ends->first == NULL) {
        return mpl_nomem(err);
    }
    ends->is_counting = true;
    mpl_order_walk_pairs(view, see_pair, ends);
    ends->end = MPL_NEW_ARRAY(scratch, ends->n, struct end);
    if (ends->end == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t p = 0; p < n; p++) {
        ends->first[p + 2] += ends->first[p + 1];
    }
    ends->is_counting = false;
    mpl_order_walk_pairs(view, see_pair, ends);
    for (uint32_t p = 0; p < n; p++) {
        if (ends->first[p + 1] > ends->first[p]) {
            qsort(ends->end + ends->first[p], ends->first[p + 1] - ends->first[p],
                  sizeof *ends->end, compare_ends);
        }
    }
    return MPL_OK;
}

/* ---- the tree ------------------------------------------------------------------------ */

/*
 * Of B relative to its peer A, whose ends at B are \p end: twice the sum of
 * o = ((t2 - t1) + (t3 - t4)) / 2, and how many there are.
 */
static struct sum add_responses(const struct end *end, uint64_t n)
{
    struct sum sum = { 0, 0 };

    for (uint64_t i = 0; i + 1 < n; i++) {
        if (!end[i].is_send && end[i + 1].is_send) {
            sum.twice_ticks +=
                (__int128) mpl_ticks_minus(end[i].here_ticks, end[i].there_ticks) +
                mpl_ticks_minus(end[i + 1].here_ticks, end[i + 1].there_ticks);
            sum.n++;
        }
    }
    return sum;
}

/* The ends at \p process that belong to \p peer: their number, from *first on.
 */
static uint64_t find_ends(const struct ends *ends, uint32_t process, uint32_t peer,
                          uint64_t *first)
{
    uint64_t low = ends->first[process];
    uint64_t high = ends->first[process + 1];
    uint64_t n = 0;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (ends->end[middle].peer < peer) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *first = low;
    while (low + n < ends->first[process + 1] && ends->end[low + n].peer == peer) {
        n++;
    }
    return n;
}

/* What must be added to the clock of \p process to reach that of \p peer;
 * false: unknown. */
static bool find_offset(const struct ends *ends, uint32_t process, uint32_t peer,
                        int64_t *ticks)
{
    uint64_t at = 0;
    uint64_t n = find_ends(ends, process, peer, &at);
    const struct sum here = add_responses(ends->end + at, n);

    n = find_ends(ends, peer, process, &at);

    const struct sum there = add_responses(ends->end + at, n);
    const uint64_t both = here.n + there.n;

    if (both == 0) {
        return false;
    }
    *ticks = mpl_ticks_narrow((there.twice_ticks - here.twice_ticks) / 2 / (__int128) both);
    return true;
}

static void grow_tree(const struct ends *ends, uint32_t n, uint32_t *queue,
                      bool *is_reached, int64_t *add_ticks)
{
    uint32_t n_queued = 1;

    queue[0] = 0;
    is_reached[0] = true;
    add_ticks[0] = 0;
    for (uint32_t head = 0; head < n_queued; head++) {
        const uint32_t p = queue[head];
        const uint64_t end = ends->first[p + 1];

        for (uint64_t i = ends->first[p]; i < end; i++) {
            const uint32_t q = ends->end[i].peer;
            const bool is_next = i == ends->first[p] || ends->end[i - 1].peer != q;
            int64_t ticks = 0;

            if (is_next && !is_reached[q] && find_offset(ends, q, p, &ticks)) {
                is_reached[q] = true;
                add_ticks[q] = mpl_ticks_plus(add_ticks[p], ticks);
                queue[n_queued++] = q;
            }
        }
    }
    mpl_assert(n_queued <= n);
}

/* ---- the whole ----------------------------------------------------------------------------- */

enum mpl_status mpl_eventspace_estimate(const struct mpl_order_view *view,
                                        const int64_t *raw_ticks, struct mpl_arena *scratch,
                                        int64_t *add_ticks, bool *is_reached,
                                        struct mpl_err *err)
{
    const uint32_t n = view->model->n_processes;
    struct ends ends = { 0 };
    uint32_t *queue = MPL_NEW_ARRAY(scratch, n, uint32_t);
    const enum mpl_status st =
        queue == NULL ? mpl_nomem(err) : sort_ends(view, &ends, scratch, err);

    if (st != MPL_OK) {
        return st;
    }
    for (uint32_t p = 0; p < n; p++) {
        add_ticks[p] = raw_ticks[p];
        is_reached[p] = false;
    }
    grow_tree(&ends, n, queue, is_reached, add_ticks);
    return MPL_OK;
}
