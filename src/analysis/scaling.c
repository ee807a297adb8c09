/*
 * What rules learn of several runs: which are repetitions of one another, and which pairs of sizes
 * show how the program scales; and what they conclude about these.
 */
#include "config.h"

#include "analysis/analysis_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *speaker_of(const struct mpl_analysis *a, const struct mpl_group *group)
{
    return a->runs[group->speaker].id;
}

static enum mpl_status assert_repeats(struct mpl_analysis *a, const struct mpl_group *group,
                                      struct mpl_err *err)
{
    const struct mpl_slot slots[] = {
        mpl_slot_text("group", group->id),
        mpl_slot_text("run", speaker_of(a, group)),
        mpl_slot_integer("runs", group->n_runs),
        mpl_slot_integer("processes", group->processes),
        mpl_slot_float("median", group->median_s),
        mpl_slot_float("low", group->low_s),
        mpl_slot_float("high", group->high_s),
    };

    return mpl_infer_assert(a->infer, "repeats", slots, sizeof slots / sizeof slots[0],
                            err);
}

/* ---- pairs of sizes -------------------------------------------------------------------------- */

enum scaling_kind { SCALING_STRONG, SCALING_WEAK, SCALING_UNCLEAR };

static const char *const kind_names[] = { "strong", "weak", "unclear" };

struct pair {
    const struct mpl_group *from;
    const struct mpl_group *to;
    enum scaling_kind kind;
    double distance; /* from what the kind says: 0 where the work is exactly that */
    bool is_first;
    bool is_next;
};

static double ratio_of(double to, double from)
{
    return from > 0 ? to / from : 0;
}

/* How far two ratios are apart, as the logarithm of their own. */
static double distance(double x, double y)
{
    return x > 0 && y > 0 ? fabs(log(x / y)) : INFINITY;
}

/*
 * Strong scaling: the same computation in all; weak: the same per process. A master that only hands
 * out does not compute, so that the number of those who do counts as well. Where sizes are near to
 * one another both can be meant; the nearer is taken.
 */
static void find_kind(struct pair *p)
{
    const double work = ratio_of(p->to->compute_s, p->from->compute_s);
    const double processes = ratio_of(p->to->processes, p->from->processes);
    const double computing = ratio_of(p->to->computing, p->from->computing);
    const double strong = distance(work, 1);
    const double weak = fmin(distance(work, processes), distance(work, computing));

    p->distance = fmin(strong, weak);
    p->kind = p->distance > log(MPL_SAME_WORK) ? SCALING_UNCLEAR
              : strong <= weak                 ? SCALING_STRONG
                                               : SCALING_WEAK;
}

static bool are_of_one_series(const struct mpl_group *x, const struct mpl_group *y)
{
    return x->program == y->program && strcmp(x->settings != NULL ? x->settings : "",
                                              y->settings != NULL ? y->settings : "") == 0;
}

/*
 * Of the groups of \p processes the one of the same series that fits best; .from NULL: none. The same
 * work before as much per process, whichever of them is met more closely: both are met within what
 * runs scatter, so that their distances say nothing, and with the same work the times can be compared.
 */
static struct pair find_pair(const struct mpl_diagnosis *d, const struct mpl_group *to,
                             uint32_t processes)
{
    struct pair best = { .to = to };

    for (size_t i = 0; i < d->sets.n_groups; i++) {
        struct pair p = { .from = &d->sets.groups[i], .to = to };

        if (p.from->processes == processes && are_of_one_series(p.from, to)) {
            find_kind(&p);
            if (best.from == NULL || p.kind < best.kind ||
                (p.kind == best.kind && p.distance < best.distance)) {
                best = p;
            }
        }
    }
    return best;
}

static double spread_of(const struct mpl_group *group)
{
    return group->median_s > 0 ? (group->high_s - group->low_s) / group->median_s : 0;
}

static enum mpl_status assert_scaling(struct mpl_analysis *a, const struct pair *p,
                                      struct mpl_err *err)
{
    const struct mpl_slot slots[] = {
        mpl_slot_text("from", speaker_of(a, p->from)),
        mpl_slot_text("to", speaker_of(a, p->to)),
        mpl_slot_integer("from-processes", p->from->processes),
        mpl_slot_integer("to-processes", p->to->processes),
        mpl_slot_integer("from-computing", p->from->computing),
        mpl_slot_integer("to-computing", p->to->computing),
        mpl_slot_symbol("is-first", p->is_first ? "yes" : "no"),
        mpl_slot_symbol("is-next", p->is_next ? "yes" : "no"),
        mpl_slot_symbol("kind", kind_names[p->kind]),
        mpl_slot_float("work-ratio", ratio_of(p->to->compute_s, p->from->compute_s)),
        mpl_slot_float("duration-from", p->from->median_s),
        mpl_slot_float("duration-to", p->to->median_s),
        mpl_slot_float("spread", fmax(spread_of(p->from), spread_of(p->to))),
    };

    return mpl_infer_assert(a->infer, "scaling", slots, sizeof slots / sizeof slots[0],
                            err);
}

/* The sizes of the series of \p to below its own: the smallest and the next; 0: there are none. */
static void find_sizes(const struct mpl_diagnosis *d, const struct mpl_group *to,
                       uint32_t *first, uint32_t *next)
{
    *first = 0;
    *next = 0;
    /* Groups are ascending by processes. */
    for (size_t i = 0; i < d->sets.n_groups && d->sets.groups[i].processes < to->processes;
         i++) {
        if (are_of_one_series(&d->sets.groups[i], to)) {
            *first = *first == 0 ? d->sets.groups[i].processes : *first;
            *next = d->sets.groups[i].processes;
        }
    }
}

static enum mpl_status assert_pairs(struct mpl_analysis *a, const struct mpl_group *to,
                                    struct mpl_err *err)
{
    const struct mpl_diagnosis *d = &a->diagnosis;
    uint32_t first = 0;
    uint32_t next = 0;
    enum mpl_status st;

    find_sizes(d, to, &first, &next);
    if (first == 0) {
        return MPL_OK;
    }
    struct pair p = find_pair(d, to, next);

    p.is_next = true;
    p.is_first = first == next;
    st = assert_scaling(a, &p, err);
    if (st == MPL_OK && first != next) {
        p = find_pair(d, to, first);
        p.is_first = true;
        st = assert_scaling(a, &p, err);
    }
    return st;
}

enum mpl_status mpl_groups_assert(struct mpl_analysis *a, struct mpl_err *err)
{
    const struct mpl_diagnosis *d = &a->diagnosis;
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < d->sets.n_groups && st == MPL_OK; i++) {
        st = assert_repeats(a, &d->sets.groups[i], err);
    }
    for (size_t i = 0; i < d->sets.n_groups && st == MPL_OK; i++) {
        st = assert_pairs(a, &d->sets.groups[i], err);
    }
    return st;
}

/* ---- what rules make of it ------------------------------------------------------------------- */

struct row_order {
    uint32_t to, from; /* processes */
    size_t number;     /* in the order of the rules */
    struct mpl_scaling_row row;
};

/* Ascending by the size of the larger run, then of the smaller one. */
static int by_size(const void *x, const void *y)
{
    const struct row_order *a = x;
    const struct row_order *b = y;

    if (a->to != b->to) {
        return a->to < b->to ? -1 : 1;
    }
    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

static enum mpl_status read_row(const struct mpl_analysis *a, size_t number,
                                struct row_order *out, struct mpl_err *err)
{
    const struct mpl_expectation *e = mpl_infer_expectation(a->infer, number);
    const uint32_t from = mpl_runs_find(a, e->from);
    const uint32_t to = mpl_runs_find(a, e->to);

    if (from == MPL_NONE || to == MPL_NONE || !mpl_run_is_usable(&a->runs[from]) ||
        !mpl_run_is_usable(&a->runs[to])) {
        return mpl_fail(
            err, MPL_E_MEANING,
            "rule %s expects something of run '%s' from run '%s', but there is no "
            "such run",
            e->rule, e->to, e->from);
    }
    *out = (struct row_order){ .to = a->runs[to].model->n_processes,
                               .from = a->runs[from].model->n_processes,
                               .number = number,
                               .row = { .from = from,
                                        .to = to,
                                        .pattern = e->pattern,
                                        .quantity = e->quantity,
                                        .unit = e->unit,
                                        .model = e->model,
                                        .expected = e->expected,
                                        .measured = e->measured } };
    return MPL_OK;
}

enum mpl_status mpl_scaling_show(struct mpl_analysis *a, struct mpl_err *err)
{
    const size_t n = mpl_infer_expectation_count(a->infer);
    struct mpl_scaling_row *rows = MPL_NEW_ARRAY(a->arena, n, struct mpl_scaling_row);
    struct row_order *orders = MPL_NEW_ARRAY(a->arena, n, struct row_order);
    enum mpl_status st = rows == NULL || orders == NULL ? mpl_nomem(err) : MPL_OK;

    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        st = read_row(a, i, &orders[i], err);
    }
    if (st != MPL_OK) {
        return st;
    }
    qsort(orders, n, sizeof *orders, by_size);
    for (size_t i = 0; i < n; i++) {
        rows[i] = orders[i].row;
    }
    a->diagnosis.scaling = rows;
    a->diagnosis.n_scaling = n;
    return MPL_OK;
}
