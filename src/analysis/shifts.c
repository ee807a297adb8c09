/*
 * Time lines that are as possible as the one chosen.
 *
 * With x[p] added to all times of process p, a message from p to q still arrives after it was
 * sent as long as x[p] - x[q] <= received - sent; collectives say likewise whom a leave needs.
 * Such difference constraints have, for every process k, a least solution with x[k] = 0 (k as late
 * as it can be beside all others at once) and a greatest one (as early as it can be). These two
 * are what waiting for k can become most and least: a wait for k grows with x[k] - x[q] only. For
 * the reference's k they are, but for a constant, the clock's own low_ticks and high_ticks.
 *
 * The solutions are found by relaxing: messages shrink to one number per pair of processes that
 * talk, collectives are walked again until none moves a process any more, which needs as many
 * walks as the longest chain of collectives that push each other; two or three as a rule.
 *
 * Clocks that had to be repaired are beyond that: no shift of whole clocks fits their messages, and
 * after the repair these hold with nothing to spare. Their error differs from moment to moment.
 * There the one process is moved by its own bounds, and the others stay.
 */
#include "config.h"

#include "analysis/analysis_priv.h"

/* So early that every limit is later. */
#define UNKNOWN_TICKS (-4 * MPL_TICKS_FAR)

struct link {
    uint32_t from, to;
    int64_t slack_ticks;
};

struct solver {
    const struct mpl_run *run;
    const struct clock_doubt *doubt;
    struct mpl_order_view *view;
    struct mpl_buf links; /* struct link, each (from, to) once */
    struct mpl_map *at;   /* from << 32 | to, to an index into links */
    bool is_short;        /* memory ran out: links are missing */
    int64_t *x;           /* per process: the solution so far */
    bool is_early; /* find the greatest one: with all signs turned, the least again */
    bool has_moved;
};

/* ---- messages ------------------------------------------------------------------------------- */

static void see_pair(void *context, const struct mpl_order_pair *pair)
{
    struct solver *s = context;
    const uint64_t key = (uint64_t) pair->from << 32 | pair->to;
    const int64_t ticks = mpl_ticks_minus(pair->received_ticks, pair->sent_ticks);
    const int64_t slack = ticks > 0 ? ticks : 0;
    uint32_t i = mpl_map_find(s->at, key);

    if (i == MPL_NONE) {
        struct link *link = mpl_buf_add(&s->links);

        if (link == NULL || !mpl_map_put(s->at, key, (uint32_t) s->links.n - 1)) {
            s->is_short = true;
            return;
        }
        *link = (struct link){ pair->from, pair->to, slack };
        return;
    }
    struct link *link = mpl_buf_get(&s->links, i);

    link->slack_ticks = slack < link->slack_ticks ? slack : link->slack_ticks;
}

static void gather(struct solver *s)
{
    mpl_order_walk_pairs(s->view, see_pair, s);
    if (mpl_order_has_answers(s->view)) {
        for (uint32_t l = 0; l < s->run->model->n_locations; l++) {
            mpl_order_walk_answers(s->view, l, see_pair, s);
        }
    }
}

/* ---- relaxing ------------------------------------------------------------------------------- */

static void raise(struct solver *s, uint32_t process, int64_t ticks)
{
    if (ticks > s->x[process]) {
        s->x[process] = ticks;
        s->has_moved = true;
    }
}

static void relax_links(struct solver *s, bool is_backwards)
{
    for (size_t k = 0; k < s->links.n; k++) {
        const size_t i = is_backwards ? s->links.n - 1 - k : k;
        const struct link *link = mpl_buf_get(&s->links, i);
        const uint32_t from = s->is_early ? link->to : link->from;
        const uint32_t to = s->is_early ? link->from : link->to;

        if (s->x[from] != UNKNOWN_TICKS) {
            raise(s, to, mpl_ticks_minus(s->x[from], link->slack_ticks));
        }
    }
}

static void settle_links(struct solver *s)
{
    /* Each round settles one more process, if no constraints contradict each other. Links stand in the
     * order of the processes that receive, so in one of the directions a long chain is settled at
     * once (Yen 1970). */
    for (uint32_t i = 0; i <= s->run->model->n_processes; i++) {
        s->has_moved = false;
        relax_links(s, i % 2 != 0);
        if (!s->has_moved) {
            return;
        }
    }
}

/*
 * Whoever leaves needs everybody who enters, or all of lower rank. With signs turned: whoever
 * enters is needed by all who leave, or all of higher rank. So both ways one running maximum.
 */
static void relax_instance(void *context, const struct mpl_order_instance *in)
{
    struct solver *s = context;
    const int64_t *given = s->is_early ? in->leave_ticks : in->enter_ticks;
    const int64_t *taken = s->is_early ? in->enter_ticks : in->leave_ticks;
    const int64_t sign = s->is_early ? -1 : 1;
    int64_t most = UNKNOWN_TICKS;

    for (uint32_t i = 0; i < 2 * in->n; i++) {
        const bool is_second = i >= in->n;
        const uint32_t k = is_second ? i - in->n : i;
        const uint32_t rank = s->is_early ? in->n - 1 - k : k;
        const uint32_t process = in->process[rank];

        if (!is_second && given[rank] != MPL_ORDER_NEVER &&
            s->x[process] != UNKNOWN_TICKS) {
            const int64_t ticks = mpl_ticks_plus(sign * given[rank], s->x[process]);

            most = ticks > most ? ticks : most;
        }
        if ((in->is_prefix ? !is_second : is_second) && taken[rank] != MPL_ORDER_NEVER &&
            most != UNKNOWN_TICKS) {
            raise(s, process, mpl_ticks_minus(most, sign * taken[rank]));
        }
    }
}

/* Never beyond what the clock itself allows for both: that is a solution as well, and the larger
 * of two solutions is one. */
static void limit(struct solver *s, uint32_t process, uint32_t k)
{
    const struct clock_doubt *d = s->doubt;
    const int64_t least = s->is_early ? d->low_ticks[k] - d->high_ticks[process]
                                      : d->low_ticks[process] - d->high_ticks[k];

    if (d->is_unlimited[process]) {
        s->x[process] = 0;
    } else if (s->x[process] < least) {
        s->x[process] = least;
    }
}

/* Leaves in x what makes process \p k late, or with is_early and signs turned, early. */
static enum mpl_status solve(struct solver *s, uint32_t k, struct mpl_err *err)
{
    const uint32_t n = s->run->model->n_processes;
    enum mpl_status st = MPL_OK;

    for (uint32_t p = 0; p < n; p++) {
        s->x[p] = p == k ? 0 : UNKNOWN_TICKS;
    }
    s->has_moved = true;
    for (uint32_t round = 0; round <= n && s->has_moved && st == MPL_OK; round++) {
        settle_links(s);
        s->has_moved = false;
        st = mpl_order_walk_instances(s->view, relax_instance, s, err);
    }
    for (uint32_t p = 0; p < n; p++) {
        limit(s, p, k);
    }
    return st;
}

/* ---- the list of time lines ---------------------------------------------------------------------- */

/* Whether two shifts differ by a constant only, so that they are one time line. */
static bool is_same(const struct mpl_model *model, const int64_t *a, const int64_t *b)
{
    for (uint32_t p = 1; p < model->n_processes; p++) {
        if (a[p] - a[0] != b[p] - b[0]) {
            return false;
        }
    }
    return true;
}

static enum mpl_status add_shift(const struct mpl_run *run, struct mpl_arena *arena,
                                 const int64_t *ticks, int64_t sign, struct shifts *shifts,
                                 struct mpl_err *err)
{
    const uint32_t n = run->model->n_processes;
    int64_t *copy = MPL_NEW_ARRAY(arena, n, int64_t);
    bool is_new = false;

    if (copy == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t p = 0; p < n; p++) {
        copy[p] = sign * ticks[p];
        is_new |= copy[p] != copy[0];
    }
    for (size_t i = 0; i < shifts->n && is_new; i++) {
        is_new = !is_same(run->model, shifts->ticks[i], copy);
    }
    if (is_new) {
        shifts->ticks[shifts->n++] = copy;
    }
    return MPL_OK;
}

/* Whether shifts of whole clocks are what this run's clocks may be wrong by. */
static bool is_shift_possible(const struct mpl_clock *clock)
{
    return clock->repair == NULL && clock->mapped.p2p == 0 && clock->mapped.collective == 0;
}

static enum mpl_status add_alone(struct solver *s, uint32_t k, struct mpl_arena *arena,
                                 struct shifts *shifts, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (uint32_t p = 0; p < s->run->model->n_processes; p++) {
        s->x[p] = 0;
    }
    s->x[k] = s->doubt->low_ticks[k];
    st = add_shift(s->run, arena, s->x, 1, shifts, err);
    s->x[k] = s->doubt->high_ticks[k];
    return st == MPL_OK ? add_shift(s->run, arena, s->x, 1, shifts, err) : st;
}

static enum mpl_status add_solutions(struct solver *s, uint32_t k, struct mpl_arena *arena,
                                     struct shifts *shifts, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (int i = 0; i < 2 && st == MPL_OK; i++) {
        s->is_early = i == 0;
        st = solve(s, k, err);
        if (st == MPL_OK) {
            st = add_shift(s->run, arena, s->x, s->is_early ? -1 : 1, shifts, err);
        }
    }
    return st;
}

static enum mpl_status open_view(struct solver *s, struct mpl_arena *arena,
                                 struct mpl_err *err)
{
    const enum mpl_status st =
        mpl_order_view_create(s->run->model, s->run->match, arena, &s->view, err);

    if (st != MPL_OK) {
        return st;
    }
    gather(s);
    return s->is_short ? mpl_nomem(err) : MPL_OK;
}

static enum mpl_status add_bounds(struct solver *s, struct mpl_arena *arena,
                                  struct shifts *shifts, struct mpl_err *err)
{
    const enum mpl_status st =
        add_shift(s->run, arena, s->doubt->high_ticks, 1, shifts, err);

    return st == MPL_OK ? add_shift(s->run, arena, s->doubt->low_ticks, 1, shifts, err)
                        : st;
}

/* What matters most comes first: whether the loss that the first suspect causes could be less. */
static enum mpl_status add_all(struct solver *s, const uint32_t *suspects, size_t n,
                               struct mpl_arena *arena, struct shifts *shifts,
                               struct mpl_err *err)
{
    const bool is_possible = is_shift_possible(s->run->clock);
    enum mpl_status st = is_possible && n > 0 ? open_view(s, arena, err) : MPL_OK;

    if (n == 0) {
        return add_bounds(s, arena, shifts, err);
    }
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        st = is_possible ? add_solutions(s, suspects[i], arena, shifts, err)
                         : add_alone(s, suspects[i], arena, shifts, err);
        if (st == MPL_OK && i == 0) {
            st = add_bounds(s, arena, shifts, err);
        }
    }
    return st;
}

enum mpl_status mpl_shifts_create(const struct mpl_run *run,
                                  const struct clock_doubt *doubt, const uint32_t *suspects,
                                  size_t n, struct mpl_arena *arena, struct shifts *out,
                                  struct mpl_err *err)
{
    struct solver s = {
        .run = run,
        .doubt = doubt,
        .links = mpl_buf_make(sizeof(struct link)),
        .at = mpl_map_create(),
        .x = MPL_NEW_ARRAY(arena, run->model->n_processes, int64_t),
    };
    struct shifts shifts = { .ticks = MPL_NEW_ARRAY(arena, 2 * n + 2, const int64_t *) };
    enum mpl_status st =
        s.at == NULL || s.x == NULL || shifts.ticks == NULL ? mpl_nomem(err) : MPL_OK;

    st = st == MPL_OK ? add_all(&s, suspects, n, arena, &shifts, err) : st;
    mpl_buf_free(&s.links);
    mpl_map_destroy(s.at);
    if (st == MPL_OK) {
        *out = shifts;
    }
    return st;
}
