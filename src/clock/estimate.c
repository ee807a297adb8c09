#include "config.h"

#include "clock/clock_priv.h"

/*
 * With x[p] added to the clock of p, every message from p to q says x[p] - x[q] <= d[p][q], d
 * being the smallest (received - sent) of all. Two processes that answer each other thus
 * enclose the offset between their clocks in an interval as wide as their smallest round trip;
 * half of it is the error of its middle. Such edges form a graph, whose shortest paths from
 * the reference, by round trips, are the classical spanning tree; the sum of half round trips
 * along it bounds the error of the middles added up.
 *
 * All inequalities at once do better. They are difference constraints: the largest x that they
 * allow are shortest paths from the reference, U; the smallest likewise, L; and (U + L) / 2
 * fulfils every one of them, as a mean of two solutions does. Its error is at most (U - L) / 2,
 * and since the tree's path is one of those that the shortest is chosen from, never more than
 * the tree's. Example: 0 and 1 bounce a message in 10 us, 1 and 2 in 10, 0 and 2 in 40. The
 * tree goes by 1 and is off by 10 us at most; the constraint between 0 and 2 may cut that down,
 * never widen it.
 *
 * A circle of negative length has no solution. Then no constants exist that explain the
 * records: clocks drift (or a record is wrong), see rough.c and drift.c.
 */

struct solver {
    const struct mpl_order_view *view;
    struct mpl_links *links;
    const int64_t *raw_ticks;
    struct mpl_estimate *estimate;
    struct mpl_arena *scratch;
    struct mpl_graph upper;
    struct mpl_graph lower;
    struct mpl_paths up;
    struct mpl_paths down;
    __int128 *x; /* The solution so far; add_ticks is what of it fits there. */
    bool *is_fixed;
    uint32_t n_fixed;
    bool is_settled; /* The solution holds for all collectives. */
};

enum { MPL_CLOCK_MAX_REFINEMENTS = 32 };

/* ---- the reference ---------------------------------------------------------------------- */

static void mark_reached(const struct mpl_graph *graph, uint32_t from,
                         struct mpl_paths *work, uint8_t *seen, uint8_t bit)
{
    uint32_t n_queued = 1;

    work->queue[0] = from;
    seen[from] |= bit;
    for (uint32_t head = 0; head < n_queued; head++) {
        const uint32_t p = work->queue[head];

        for (uint32_t i = graph->first[p]; i < graph->first[p + 1]; i++) {
            const uint32_t q = graph->arc[i].to;

            if ((seen[q] & bit) == 0) {
                seen[q] |= bit;
                work->queue[n_queued++] = q;
            }
        }
    }
}

/* The lowest process among the most that enclose each other: nearly always process 0. */
static enum mpl_status choose_reference(struct solver *s, struct mpl_err *err)
{
    const uint32_t n = s->upper.n;
    uint8_t *seen = MPL_NEW_ARRAY(s->scratch, n, uint8_t);
    bool *is_done = MPL_NEW_ARRAY(s->scratch, n, bool);
    uint32_t n_left = n;
    uint32_t most = 0;

    if (seen == NULL || is_done == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t p = 0; p < n && n_left > most; p++) {
        uint32_t size = 0;

        if (is_done[p]) {
            continue;
        }
        for (uint32_t q = 0; q < n; q++) {
            seen[q] = 0;
        }
        mark_reached(&s->upper, p, &s->up, seen, 1);
        mark_reached(&s->lower, p, &s->up, seen, 2);
        for (uint32_t q = 0; q < n; q++) {
            if (seen[q] == 3) {
                is_done[q] = true;
                size++;
            }
        }
        n_left -= size;
        if (size > most) {
            most = size;
            s->estimate->reference = p;
        }
    }
    return MPL_OK;
}

/* ---- solving ------------------------------------------------------------------------------- */

static bool is_feasible(struct solver *s)
{
    /* Where clocks drift, some round trip is nearly always negative, and the search for longer
     * circles, whose cost grows with the processes, is not needed. */
    for (size_t i = 0; i < s->links->link.n; i++) {
        const struct mpl_link *link = mpl_links_get(s->links, i);
        const struct mpl_link *back = mpl_links_back(s->links, link);

        if (back != NULL && mpl_ticks_plus(link->limit_ticks, back->limit_ticks) < 0) {
            return false;
        }
    }
    for (uint32_t p = 0; p < s->upper.n; p++) {
        s->up.ticks[p] = 0;
    }
    return mpl_paths_find(&s->upper, &s->up);
}

static void fix(struct solver *s, uint32_t process, __int128 x)
{
    s->x[process] = x;
    s->estimate->add_ticks[process] = mpl_ticks_narrow(x);
    s->is_fixed[process] = true;
    s->n_fixed++;
}

/* Limits of everybody, given the processes fixed so far. */
static void find_limits(struct solver *s)
{
    for (uint32_t p = 0; p < s->upper.n; p++) {
        s->up.ticks[p] = s->is_fixed[p] ? s->x[p] : MPL_PATH_NONE;
        s->down.ticks[p] = s->is_fixed[p] ? -s->x[p] : MPL_PATH_NONE;
    }
    /* Constraints that have a solution keep one after fixing a part of it. */
    mpl_assert(mpl_paths_find(&s->upper, &s->up));
    mpl_assert(mpl_paths_find(&s->lower, &s->down));
}

/* Rounded down for all alike, which keeps every constraint between them. */
static __int128 middle_of(__int128 high, __int128 minus_low)
{
    const __int128 sum = high - minus_low;

    return sum >= 0 || sum % 2 == 0 ? sum / 2 : sum / 2 - 1;
}

static bool fix_enclosed(struct solver *s)
{
    bool has_fixed = false;

    for (uint32_t p = 0; p < s->upper.n; p++) {
        if (!s->is_fixed[p] && s->up.ticks[p] != MPL_PATH_NONE &&
            s->down.ticks[p] != MPL_PATH_NONE) {
            fix(s, p, middle_of(s->up.ticks[p], s->down.ticks[p]));
            has_fixed = true;
        }
    }
    return has_fixed;
}

/*
 * Messages in one direction only say how early a clock may be, or how late, not both. The
 * nearest value that they allow makes the fastest of them arrive at once. One process at a
 * time: those that it encloses follow with their middle.
 */
static bool fix_one_sided(struct solver *s)
{
    for (uint32_t p = 0; p < s->upper.n; p++) {
        const bool has_high = s->up.ticks[p] != MPL_PATH_NONE;

        if (!s->is_fixed[p] && (has_high || s->down.ticks[p] != MPL_PATH_NONE)) {
            fix(s, p, has_high ? s->up.ticks[p] : -s->down.ticks[p]);
            return true;
        }
    }
    return false;
}

static void fix_alone(struct solver *s)
{
    uint32_t p = 0;

    while (s->is_fixed[p]) {
        p++;
    }
    fix(s, p, (__int128) s->raw_ticks[p] - s->raw_ticks[s->estimate->reference]);
}

static void keep_limits(struct solver *s)
{
    struct mpl_estimate *e = s->estimate;

    for (uint32_t p = 0; p < s->upper.n; p++) {
        const __int128 high = s->up.ticks[p];
        const __int128 minus_low = s->down.ticks[p];
        const bool has_high = high != MPL_PATH_NONE;
        const bool has_low = minus_low != MPL_PATH_NONE;

        e->high_ticks[p] = has_high ? mpl_ticks_narrow(high) : INT64_MAX;
        e->low_ticks[p] = has_low ? mpl_ticks_narrow(-minus_low) : INT64_MIN;
        e->bound_ticks[p] =
            has_high && has_low ? mpl_ticks_narrow((high + minus_low + 1) / 2) : INT64_MAX;
        e->is_one_sided[p] = has_high != has_low;
        e->is_alone[p] = !has_high && !has_low;
    }
}

static void solve(struct solver *s, bool are_limits_sure)
{
    const uint32_t n = s->upper.n;

    for (uint32_t p = 0; p < n; p++) {
        s->is_fixed[p] = false;
    }
    s->n_fixed = 0;
    fix(s, s->estimate->reference, 0);
    find_limits(s);
    if (are_limits_sure) {
        keep_limits(s);
    }
    for (;;) {
        if (!fix_enclosed(s) && !fix_one_sided(s) && s->n_fixed < n) {
            fix_alone(s);
        }
        if (s->n_fixed == n) {
            return;
        }
        find_limits(s);
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

static enum mpl_status make_graphs(struct solver *s, struct mpl_err *err)
{
    const enum mpl_status st =
        mpl_graph_create(s->links, MPL_GRAPH_UPPER, s->scratch, &s->upper, err);

    return st != MPL_OK
               ? st
               : mpl_graph_create(s->links, MPL_GRAPH_LOWER, s->scratch, &s->lower, err);
}

/* Solves, and again with what collectives say against the solution, until nothing does. */
static enum mpl_status solve_all(struct solver *s, struct mpl_err *err)
{
    uint64_t n_new = 1;

    for (int i = 0; i < MPL_CLOCK_MAX_REFINEMENTS && n_new > 0; i++) {
        enum mpl_status st = make_graphs(s, err);

        if (st != MPL_OK) {
            return st;
        }
        if (!is_feasible(s)) {
            s->estimate->is_contradictory = true;
            return MPL_OK;
        }
        solve(s, true);
        st = mpl_links_refine(s->links, s->view, s->estimate->add_ticks, &n_new, err);
        if (st != MPL_OK) {
            return st;
        }
    }
    s->is_settled = n_new == 0;
    return MPL_OK;
}

/* Assumes the shortest time of travel, from \p travel_ticks on, that has a solution. Doubling
 * it overshoots by a factor of two at most, and only where tight links form longer circles. */
static enum mpl_status assume(struct solver *s, int64_t *travel_ticks, struct mpl_err *err)
{
    for (;;) {
        enum mpl_status st;

        mpl_waiting_assume(s->links, *travel_ticks);
        st = make_graphs(s, err);
        if (st != MPL_OK || is_feasible(s)) {
            return st;
        }
        /* From a large part of all times on, the assumption changes nothing any more. */
        mpl_assert(*travel_ticks < MPL_TICKS_FAR);
        *travel_ticks =
            *travel_ticks == 0 ? 1 : mpl_ticks_plus(*travel_ticks, *travel_ticks);
    }
}

/* Solves anew, in favour of those directions in which the receivers were waiting. */
static enum mpl_status favour_waiting(struct solver *s, struct mpl_err *err)
{
    enum mpl_status st = mpl_waiting_find(s->view, s->links, s->scratch, err);
    uint64_t n_new = 1;
    int64_t travel_ticks;

    if (st == MPL_OK && s->is_settled) {
        st = mpl_waiting_find_late(s->view, s->links, s->estimate->add_ticks, s->scratch,
                                   err);
    }
    travel_ticks = mpl_waiting_travel(s->links, s->view->model->ticks_per_s);
    for (int i = 0; i < MPL_CLOCK_MAX_REFINEMENTS && n_new > 0 && st == MPL_OK; i++) {
        st = assume(s, &travel_ticks, err);
        if (st == MPL_OK) {
            solve(s, false);
            st = mpl_links_refine(s->links, s->view, s->estimate->add_ticks, &n_new, err);
        }
    }
    return st;
}

static enum mpl_status find_tree(struct solver *s, struct mpl_paths *tree,
                                 struct mpl_err *err)
{
    struct mpl_graph round;
    enum mpl_status st =
        mpl_graph_create(s->links, MPL_GRAPH_ROUND, s->scratch, &round, err);

    if (st == MPL_OK) {
        st = mpl_paths_create(round.n, s->scratch, tree, err);
    }
    if (st != MPL_OK) {
        return st;
    }
    for (uint32_t p = 0; p < round.n; p++) {
        tree->ticks[p] = p == s->estimate->reference ? 0 : MPL_PATH_NONE;
    }
    mpl_assert(mpl_paths_find(&round, tree));
    for (uint32_t p = 0; p < round.n; p++) {
        const __int128 trip = tree->ticks[p];

        s->estimate->tree_ticks[p] =
            trip == MPL_PATH_NONE ? INT64_MAX : mpl_ticks_narrow((trip + 1) / 2);
    }
    return MPL_OK;
}

static enum mpl_status run(struct solver *s, struct mpl_err *err)
{
    struct mpl_paths tree;
    enum mpl_status st = make_graphs(s, err);

    if (st == MPL_OK) {
        st = mpl_paths_create(s->upper.n, s->scratch, &s->up, err);
    }
    if (st == MPL_OK) {
        st = mpl_paths_create(s->upper.n, s->scratch, &s->down, err);
    }
    if (st == MPL_OK) {
        st = choose_reference(s, err);
    }
    if (st == MPL_OK) {
        st = solve_all(s, err);
    }
    if (st == MPL_OK) {
        st = find_tree(s, &tree, err);
    }
    if (st == MPL_OK && !s->estimate->is_contradictory) {
        st = favour_waiting(s, err);
    } else if (st == MPL_OK) {
        st = mpl_rough_estimate(s->view, s->links, s->raw_ticks, &tree, s->scratch,
                                s->estimate, err);
    }
    return st;
}

static struct mpl_estimate *create_estimate(uint32_t n, struct mpl_arena *arena)
{
    struct mpl_estimate *e = MPL_NEW(arena, struct mpl_estimate);

    if (e == NULL) {
        return NULL;
    }
    e->add_ticks = MPL_NEW_ARRAY(arena, n, int64_t);
    e->low_ticks = MPL_NEW_ARRAY(arena, n, int64_t);
    e->high_ticks = MPL_NEW_ARRAY(arena, n, int64_t);
    e->bound_ticks = MPL_NEW_ARRAY(arena, n, int64_t);
    e->tree_ticks = MPL_NEW_ARRAY(arena, n, int64_t);
    e->is_one_sided = MPL_NEW_ARRAY(arena, n, bool);
    e->is_alone = MPL_NEW_ARRAY(arena, n, bool);
    return e->add_ticks == NULL || e->low_ticks == NULL || e->high_ticks == NULL ||
                   e->bound_ticks == NULL || e->tree_ticks == NULL ||
                   e->is_one_sided == NULL || e->is_alone == NULL
               ? NULL
               : e;
}

enum mpl_status mpl_estimate_create(const struct mpl_order_view *view,
                                    struct mpl_links *links, const int64_t *raw_ticks,
                                    struct mpl_arena *arena,
                                    const struct mpl_estimate **out, struct mpl_err *err)
{
    const uint32_t n = view->model->n_processes;
    struct solver s = { .view = view, .links = links, .raw_ticks = raw_ticks };
    enum mpl_status st = MPL_E_NOMEM;

    s.scratch = mpl_arena_create();
    if (s.scratch == NULL) {
        return mpl_nomem(err);
    }
    s.estimate = create_estimate(n, arena);
    s.is_fixed = MPL_NEW_ARRAY(s.scratch, n, bool);
    s.x = MPL_NEW_ARRAY(s.scratch, n, __int128);
    st = s.estimate == NULL || s.is_fixed == NULL || s.x == NULL ? mpl_nomem(err)
                                                                 : run(&s, err);
    if (st == MPL_OK) {
        *out = s.estimate;
    }
    mpl_arena_destroy(s.scratch);
    return st;
}
