/* Of each role what those who have it compute and wait, in both runs. */
#include "config.h"

#include "diff/roles_priv.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_LISTED = 3 };

bool mpl_attributes_have_key(const struct mpl_context_attributes *set, uint64_t key)
{
    for (uint32_t i = 0; i < set->n; i++) {
        if (set->all[i].key == key) {
            return true;
        }
    }
    return false;
}

static const char *attribute_text(const struct mpl_roles *r,
                                  const struct mpl_context *context, uint64_t key)
{
    struct mpl_symbols *symbols = r->comparison->symbols;
    const char *call = mpl_symbol_text(symbols, (uint32_t) key, false, r->scratch);
    const uint32_t before = (uint32_t) (key >> 32);

    if (context->kind.of == MPL_CONTEXT_SINGLE || before == MPL_NONE || call == NULL) {
        return call;
    }
    const char *first = mpl_symbol_text(symbols, before, false, r->scratch);
    return first == NULL ? NULL : mpl_arena_printf(r->scratch, "%s behind %s", call, first);
}

const char *mpl_roles_list(const struct mpl_roles *r, const struct mpl_role_sets *sets)
{
    const struct mpl_context_attributes *own = &sets->context->sets[sets->class];
    const struct mpl_context_attributes none = { 0, NULL };
    const struct mpl_context_attributes *other =
        sets->other == MPL_NONE ? &none : &sets->context->sets[sets->other];
    const char *text = "";
    uint32_t n = 0;

    for (uint32_t i = 0; i < own->n && text != NULL; i++) {
        const uint64_t key = own->all[i].key;

        if ((sets->context->kind.of == MPL_CONTEXT_SINGLE && key == MPL_NONE) ||
            mpl_attributes_have_key(other, key)) {
            continue;
        }
        n++;
        const char *one = n <= MOST_LISTED ? attribute_text(r, sets->context, key) : "";
        text = one == NULL ? NULL
               : n > MOST_LISTED
                   ? text
                   : mpl_arena_printf(r->scratch, "%s%s%s", text, n == 1 ? "" : ", ", one);
    }
    return text == NULL || n <= MOST_LISTED
               ? text
               : mpl_arena_printf(r->scratch, "%s and %u more", text, n - MOST_LISTED);
}

static const uint32_t *kinds_of(const struct mpl_roles *r, int side)
{
    return r->pairs->class_of + (side == 0 ? 0 : r->n[0]);
}

static double waited(const struct mpl_run *run, uint32_t l)
{
    const struct mpl_totals *totals = mpl_events_totals(run->events, l);
    double sum_s = 0;

    for (int i = 0; i < MPL_WAIT_KINDS; i++) {
        sum_s += totals->wait_s[i];
    }
    return sum_s;
}

static bool fill_side(const struct mpl_roles *r, int side, uint32_t role, bool has_waits,
                      struct mpl_diff_role_side *out)
{
    const struct mpl_run *run = r->runs[side];
    uint32_t *locations = MPL_NEW_ARRAY(r->comparison->arena, r->n[side], uint32_t);
    double *computed_s = MPL_NEW_ARRAY(r->scratch, r->n[side], double);
    const uint32_t *kinds = kinds_of(r, side);

    if (locations == NULL || computed_s == NULL) {
        return false;
    }
    *out = (struct mpl_diff_role_side){ .locations = locations,
                                        .waited_s = has_waits ? 0 : NAN };
    for (uint32_t l = 0; l < r->n[side]; l++) {
        if (r->role_of[kinds[l]] == role) {
            computed_s[out->n] = mpl_events_computed_s(run->events, l);
            out->sum_s += computed_s[out->n];
            out->waited_s += has_waits ? waited(run, l) : 0;
            locations[out->n++] = l;
        }
    }
    out->median_s = out->n == 0 ? NAN : mpl_median(computed_s, out->n);
    return true;
}

static uint32_t calls_of(const struct mpl_roles *r, uint32_t kind)
{
    uint32_t k = 0;

    while (r->pairs->class_of[k] != kind) {
        k++;
    }
    return r->calls->class_of[k];
}

/* MPL_NONE: nobody of that run is of the kind. */
static uint32_t first_of(const struct mpl_roles *r, int side, uint32_t kind)
{
    const uint32_t *kinds = kinds_of(r, side);

    for (uint32_t l = 0; l < r->n[side]; l++) {
        if (kinds[l] == kind) {
            return l;
        }
    }
    return MPL_NONE;
}

/* What only one of two kinds does: calls, or where these are the same, pairs of them. */
static bool say_difference(const struct mpl_roles *r, uint32_t kind,
                           struct mpl_diff_role *role)
{
    const bool is_order = role->kind == MPL_ROLE_ORDER;
    const uint32_t near = r->near[kind];
    const uint32_t own = is_order ? kind : calls_of(r, kind);
    const uint32_t other = is_order ? near : calls_of(r, near);
    const struct mpl_context *context = is_order ? r->pairs : r->calls;
    const bool is_new = first_of(r, 0, kind) == MPL_NONE;
    const char *mine = mpl_roles_list(r, &(struct mpl_role_sets){ context, own, other });
    const char *its = mpl_roles_list(r, &(struct mpl_role_sets){ context, other, own });

    role->only[is_new] = mine == NULL ? NULL : mpl_arena_strdup(r->comparison->arena, mine);
    role->only[!is_new] = its == NULL ? NULL : mpl_arena_strdup(r->comparison->arena, its);
    role->near = first_of(r, !is_new, near);
    return role->only[0] != NULL && role->only[1] != NULL;
}

static enum mpl_status fill_role(const struct mpl_roles *r, uint32_t k, bool has_waits,
                                 struct mpl_diff_role *out, struct mpl_err *err)
{
    *out = (struct mpl_diff_role){ .kind = r->kind_of[k],
                                   .near = MPL_NONE,
                                   .only = { "", "" } };
    if (!fill_side(r, 0, k, has_waits, &out->sides[0]) ||
        !fill_side(r, 1, k, has_waits, &out->sides[1])) {
        return mpl_nomem(err);
    }
    for (uint32_t other = 0; other < r->pairs->n_classes; other++) {
        if (r->role_of[other] == k && r->near[other] != MPL_NONE && out->near == MPL_NONE &&
            !say_difference(r, other, out)) {
            return mpl_nomem(err);
        }
    }
    return mpl_roles_compare_loops(r, out, err);
}

/* What differs first, then what most processes are. */
static int by_importance(const void *x, const void *y)
{
    const struct mpl_diff_role *a = x;
    const struct mpl_diff_role *b = y;
    const bool differs = mpl_diff_role_differs(a);
    const uint32_t n[2] = { a->sides[0].n + a->sides[1].n, b->sides[0].n + b->sides[1].n };

    if (differs != mpl_diff_role_differs(b)) {
        return differs ? -1 : 1;
    }
    return n[0] != n[1] ? (n[0] < n[1]) - (n[0] > n[1])
                        : (a->sides[1].n > 0 && b->sides[1].n > 0 &&
                           a->sides[1].locations[0] > b->sides[1].locations[0]);
}

bool mpl_diff_role_differs(const struct mpl_diff_role *role)
{
    return role->kind == MPL_ROLE_ORDER || role->kind == MPL_ROLE_CALLS;
}

/* See explain() of loads.c: of who computes longest, or of all on average. */
static double explain(const struct mpl_roles *r)
{
    const struct mpl_diff *diff = &r->comparison->diff;
    const double more_s = diff->sides[1].median_s - diff->sides[0].median_s;
    double longest_s[2] = { 0, 0 };
    double mean_s[2] = { 0, 0 };

    for (int i = 0; i < 2; i++) {
        for (uint32_t l = 0; l < r->n[i]; l++) {
            const double s = mpl_events_computed_s(r->runs[i]->events, l);

            longest_s[i] = fmax(longest_s[i], s);
            mean_s[i] += s / r->n[i];
        }
    }
    return more_s == 0 ? NAN
                       : fmin(1, fmax((longest_s[1] - longest_s[0]) / more_s,
                                      (mean_s[1] - mean_s[0]) / more_s));
}

/* Only where both runs record what waiting needs. */
static enum mpl_status make_waits(const struct mpl_roles *r, bool *has_waits,
                                  struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    *has_waits = r->runs[0]->model->can.has_receive_completions ==
                 r->runs[1]->model->can.has_receive_completions;
    for (int i = 0; i < 2 && *has_waits && st == MPL_OK; i++) {
        st = mpl_events_complete(r->runs[i]->events, err);
    }
    return st;
}

enum mpl_status mpl_roles_fill(struct mpl_roles *r, struct mpl_err *err)
{
    struct mpl_diff *diff = &r->comparison->diff;
    const uint32_t n = r->pairs->n_classes;
    struct mpl_diff_role *roles =
        MPL_NEW_ARRAY(r->comparison->arena, n, struct mpl_diff_role);
    bool has_waits = false;
    enum mpl_status st = roles == NULL ? mpl_nomem(err) : make_waits(r, &has_waits, err);

    for (uint32_t k = 0; k < n && st == MPL_OK; k++) {
        if (r->role_of[k] == k) {
            st = fill_role(r, k, has_waits, &roles[diff->n_roles++], err);
        }
    }
    if (st != MPL_OK) {
        return st;
    }
    qsort(roles, diff->n_roles, sizeof *roles, by_importance);
    diff->roles = roles;
    diff->explained_share = explain(r);
    diff->verdict = mpl_diff_role_differs(&roles[0]) ? MPL_DIFF_DIFFERENT : MPL_DIFF_SAME;
    return MPL_OK;
}
