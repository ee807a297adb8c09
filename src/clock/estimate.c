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
    const uint32_t *component;
    struct mpl_paths up;
    struct mpl_paths down;
    uint32_t n_up;               /* Of those that up has reached, so many were looked at; */
    uint32_t n_down;             /* likewise. */
    struct mpl_lowest one_sided; /* Processes with a limit that were not enclosed then. */
    __int128 *x; /* The solution so far; add_ticks is what of it fits there. */
    bool *is_fixed;
    uint32_t n_fixed;
    uint32_t n_first;     /* So many processes from 0 on are fixed. */
    bool is_settled;      /* The solution holds for all collectives. */
    bool has_limits_only; /* Nobody asks for the solution. */
};

enum { MPL_CLOCK_MAX_REFINEMENTS = 32 };

/* ---- the reference ---------------------------------------------------------------------- */

/* The lowest process among the most that enclose each other: nearly always process 0. */
static enum mpl_status choose_reference(struct solver *s, struct mpl_err *err)
{
    const uint32_t n = s->upper.n;
    uint32_t *size = MPL_NEW_ARRAY(s->scratch, n, uint32_t);
    uint32_t most = 0;

    if (size == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t p = 0; p < n; p++) {
        size[s->component[p]]++;
    }
    for (uint32_t p = 0; p < n; p++) {
        if (size[p] > most) {
            most = size[p];
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
        const struct mpl_clock_link *link = mpl_links_get(s->links, i);
        const struct mpl_clock_link *back = mpl_links_back(s->links, link);

        if (back != NULL && mpl_ticks_plus(link->limit_ticks, back->limit_ticks) < 0) {
            return false;
        }
    }
    return mpl_graph_has_solution(&s->upper, s->component, &s->up);
}

/* Its value limits others, when limits are spread. */
static void fix(struct solver *s, uint32_t process, __int128 x)
{
    s->x[process] = x;
    s->estimate->add_ticks[process] = mpl_ticks_narrow(x);
    s->is_fixed[process] = true;
    s->n_fixed++;
    mpl_paths_start(&s->up, process, x);
    mpl_paths_start(&s->down, process, -x);
}

/* Constraints that have a solution keep one after fixing a part of it. Limits only become tighter by
 * that, so what was found before stays. */
static void spread_limits(struct solver *s)
{
    mpl_paths_spread(&s->upper, &s->up);
    mpl_paths_spread(&s->lower, &s->down);
}

/* Rounded down for all alike, which keeps every constraint between them. */
static __int128 middle_of(__int128 high, __int128 minus_low)
{
    const __int128 sum = high - minus_low;

    return sum >= 0 || sum % 2 == 0 ? sum / 2 : sum / 2 - 1;
}

/* Looks at a process that has got a limit; whether it is enclosed now, and has been fixed. */
static bool fix_if_enclosed(struct solver *s, uint32_t p)
{
    if (s->is_fixed[p]) {
        return false;
    }
    if (s->up.ticks[p] == MPL_PATH_NONE || s->down.ticks[p] == MPL_PATH_NONE) {
        mpl_lowest_add(&s->one_sided, p);
        return false;
    }
    fix(s, p, middle_of(s->up.ticks[p], s->down.ticks[p]));
    return true;
}

static bool fix_enclosed(struct solver *s)
{
    /* What is fixed here counts as reached, too. */
    const uint32_t n_up = s->up.n_reached;
    const uint32_t n_down = s->down.n_reached;
    bool has_fixed = false;

    while (s->n_up < n_up) {
        has_fixed |= fix_if_enclosed(s, s->up.reached[s->n_up++]);
    }
    while (s->n_down < n_down) {
        has_fixed |= fix_if_enclosed(s, s->down.reached[s->n_down++]);
    }
    return has_fixed;
}

/* How long the process takes on its own clock; no clock is off by more without notice. */
static __int128 time_of(const struct solver *s, uint32_t p)
{
    const struct mpl_process *process = &s->view->model->processes[p];
    int64_t last = 0;

    for (uint32_t t = 0; t < process->n_locations; t++) {
        const struct mpl_location *loc = &s->view->model->locations[process->locations[t]];

        last = loc->n_events > 0 && mpl_ticks_of(loc, loc->n_events - 1) > last
                   ? mpl_ticks_of(loc, loc->n_events - 1)
                   : last;
    }
    return last;
}

/*
 * Messages in one direction only say how early a clock may be, or how late, not both. The
 * nearest value that they allow makes the fastest of them arrive at once. That is right where
 * a receiver ever waited. Where none did, as behind a process that is late itself, the clocks
 * as recorded are the better guess, if messages allow them.
 */
static __int128 one_sided_of(const struct solver *s, uint32_t p)
{
    const bool has_high = s->up.ticks[p] != MPL_PATH_NONE;
    const uint32_t next = has_high ? s->up.parent[p] : s->down.parent[p];
    const struct mpl_clock_link *link =
        has_high ? mpl_links_find(s->links, p, next) : mpl_links_find(s->links, next, p);
    const __int128 limit = has_high ? s->up.ticks[p] : -s->down.ticks[p];
    const __int128 raw = (__int128) s->raw_ticks[p] - s->raw_ticks[s->estimate->reference];
    const __int128 beyond = has_high ? limit - raw : raw - limit;

    return link != NULL && link->is_prompt && beyond >= 0 && beyond <= time_of(s, p)
               ? raw
               : limit;
}

/* One process at a time, the lowest: those that it encloses follow with their middle. */
static bool fix_one_sided(struct solver *s)
{
    uint32_t p;

    while ((p = mpl_lowest_take(&s->one_sided)) != MPL_NONE) {
        if (!s->is_fixed[p]) {
            fix(s, p, one_sided_of(s, p));
            return true;
        }
    }
    return false;
}

static void fix_alone(struct solver *s)
{
    while (s->is_fixed[s->n_first]) {
        s->n_first++;
    }
    fix(s, s->n_first,
        (__int128) s->raw_ticks[s->n_first] - s->raw_ticks[s->estimate->reference]);
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

static void start(struct solver *s)
{
    for (uint32_t p = 0; p < s->upper.n; p++) {
        s->is_fixed[p] = false;
    }
    s->n_fixed = 0;
    s->n_first = 0;
    s->n_up = 0;
    s->n_down = 0;
    s->one_sided.n = 0;
    mpl_paths_clear(&s->up);
    mpl_paths_clear(&s->down);
}

static void solve(struct solver *s, bool are_limits_sure)
{
    start(s);
    fix(s, s->estimate->reference, 0);
    spread_limits(s);
    if (are_limits_sure) {
        keep_limits(s);
    }
    while (s->n_fixed < s->upper.n) {
        if (!fix_enclosed(s) && !fix_one_sided(s)) {
            fix_alone(s);
        }
        spread_limits(s);
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

static enum mpl_status make_graphs(struct solver *s, struct mpl_err *err)
{
    enum mpl_status st =
        mpl_graph_create(s->links, MPL_GRAPH_UPPER, s->scratch, &s->upper, err);

    if (st == MPL_OK) {
        st = mpl_graph_create(s->links, MPL_GRAPH_LOWER, s->scratch, &s->lower, err);
    }
    return st != MPL_OK ? st
                        : mpl_components_find(&s->upper, s->scratch, &s->component, err);
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
        mpl_waiting_assume(s->links, *travel_ticks);
        const enum mpl_status st = make_graphs(s, err);
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

    if (st == MPL_OK && s->is_settled) {
        st = mpl_waiting_find_late(s->view, s->links, s->estimate->add_ticks, s->scratch,
                                   err);
    }
    int64_t travel_ticks = mpl_waiting_travel(s->links, s->view->model->ticks_per_s);
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

    st = st == MPL_OK ? mpl_paths_create(round.n, s->scratch, tree, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    mpl_paths_start(tree, s->estimate->reference, 0);
    mpl_paths_spread(&round, tree);
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

    st = st == MPL_OK ? mpl_paths_create(s->upper.n, s->scratch, &s->up, err) : st;
    st = st == MPL_OK ? mpl_paths_create(s->upper.n, s->scratch, &s->down, err) : st;
    st = st == MPL_OK ? choose_reference(s, err) : st;
    st = st == MPL_OK ? solve_all(s, err) : st;
    st = st == MPL_OK ? find_tree(s, &tree, err) : st;
    if (st == MPL_OK && !s->estimate->is_contradictory) {
        st = s->has_limits_only ? MPL_OK : favour_waiting(s, err);
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
    return mpl_arena_is_short(arena) ? NULL : e;
}

enum mpl_status mpl_estimate_create(const struct mpl_order_view *view,
                                    struct mpl_links *links, const int64_t *raw_ticks,
                                    bool has_limits_only, struct mpl_arena *arena,
                                    const struct mpl_estimate **out, struct mpl_err *err)
{
    const uint32_t n = view->model->n_processes;
    struct solver s = { .view = view,
                        .links = links,
                        .raw_ticks = raw_ticks,
                        .has_limits_only = has_limits_only };
    enum mpl_status st = MPL_E_NOMEM;

    s.scratch = mpl_arena_create();
    s.estimate = create_estimate(n, arena);
    s.is_fixed = MPL_NEW_ARRAY(s.scratch, n, bool);
    s.x = MPL_NEW_ARRAY(s.scratch, n, __int128);
    /* A process is reached once from above and once from below. */
    s.one_sided.number = mpl_arena_array(s.scratch, n, 2 * sizeof *s.one_sided.number);
    st = s.estimate == NULL || s.is_fixed == NULL || s.x == NULL ||
                 s.one_sided.number == NULL
             ? mpl_nomem(err)
             : run(&s, err);
    if (st == MPL_OK) {
        *out = s.estimate;
    }
    mpl_arena_destroy(s.scratch);
    return st;
}
