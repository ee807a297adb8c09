/*
 * What threads decide. A process that calls MPI in a parallel region does so beside other threads of its team, and what these have
 * found so far is in memory, which no trace records: as in a search whose processes agree from time to time who has the
 * best solution, until nobody finds a better one. With which root they do so, and how often, differs from run to run.
 *
 * It is taken for chance only where all processes that call MPI differ in the same way: then they have agreed on it. What one of them
 * does otherwise stays a difference, and so do functions, sizes, communicators, and the order of calls.
 */
#include "config.h"

#include "diff/diff_priv.h"

/* The first record of a call to MPI that a location makes in a team of several threads; MPL_NONE: there is none. */
static uint32_t first_beside(const struct mpl_run *run, uint32_t l)
{
    const struct mpl_location *loc = &run->model->locations[l];
    const uint32_t n = mpl_events_call_count(run->events, l);
    uint32_t depth = 0;
    uint32_t e = 0;

    if (run->model->processes[loc->process].n_locations < 2) {
        return MPL_NONE;
    }
    for (uint32_t c = 0; c < n; c++) {
        struct mpl_call_view view;

        mpl_events_call(run->events, l, c, &view);
        for (; e < view.first_event; e++) {
            depth += mpl_kind_of(loc, e) == MPL_EV_TEAM_BEGIN;
            depth -= mpl_kind_of(loc, e) == MPL_EV_TEAM_END && depth > 0;
        }
        if (depth > 0 && view.is_mpi) {
            return view.first_event;
        }
    }
    return MPL_NONE;
}

/* Whether that call, or the end, comes at or behind the first one beside threads. */
static bool is_beside(const struct mpl_run *run, uint32_t l, const struct mpl_sequence *s,
                      uint32_t i)
{
    const uint32_t first = first_beside(run, l);
    struct mpl_call_view view;

    if (first == MPL_NONE || i >= s->n) {
        return first != MPL_NONE;
    }
    mpl_events_call(run->events, l, s->calls[i], &view);
    return view.first_event >= first;
}

/* Where the sequences of a location begin to differ. */
struct split {
    uint32_t i;
    uint32_t base_symbol;
    uint32_t new_symbol;
};

static bool find_split(const struct mpl_comparison *c, const struct mpl_sequence *base,
                       const struct mpl_sequence *new, struct split *out)
{
    const struct mpl_sides sides = { .base = base, .new = new };

    out->i = mpl_sides_common(c, &sides);
    if (out->i >= base->n || out->i >= new->n) {
        return false;
    }
    out->base_symbol = base->symbols[out->i];
    out->new_symbol = new->symbols[out->i];
    return true;
}

static bool is_other_root(const struct mpl_comparison *c, const struct split *split)
{
    const struct mpl_symbol *a = mpl_symbols_get(c->symbols, split->base_symbol);
    const struct mpl_symbol *b = mpl_symbols_get(c->symbols, split->new_symbol);

    return a->function == b->function && a->comm == b->comm && a->root != MPL_NONE &&
           b->root != MPL_NONE && a->root != b->root && a->sent_bytes == b->sent_bytes &&
           a->received_bytes == b->received_bytes;
}

/* Whether all that call MPI begin to differ in the same root. */
static bool have_same_split(const struct mpl_comparison *c, const struct mpl_sequence *base,
                            const struct mpl_sequence *new, struct split *first)
{
    uint32_t n = 0;

    for (uint32_t l = 0; l < c->n_locations; l++) {
        struct split split;

        if (base[l].n == 0 && new[l].n == 0) {
            continue;
        }
        if (!find_split(c, &base[l], &new[l], &split) || !is_other_root(c, &split) ||
            (n > 0 && (split.base_symbol != first->base_symbol ||
                       split.new_symbol != first->new_symbol)) ||
            !is_beside(c->diff.base, l, &base[l], split.i) ||
            !is_beside(c->diff.new, l, &new[l], split.i)) {
            return false;
        }
        *first = split;
        n++;
    }
    return n > 1;
}

enum mpl_status mpl_beside_find(struct mpl_comparison *c, const struct mpl_sequence *base,
                                const struct mpl_sequence *new, struct mpl_err *err)
{
    struct split split = { 0, 0, 0 };

    if (!have_same_split(c, base, new, &split)) {
        return MPL_OK;
    }
    c->has_loose_roots = true;
    for (uint32_t l = 0; l < c->n_locations; l++) {
        const struct mpl_symbol *call = mpl_symbols_get(c->symbols, split.base_symbol);

        if (mpl_loose_get(c->loose, l, call) == MPL_FIRM &&
            !mpl_loose_put(c->loose, l, call, false, MPL_LOOSE_ROOT)) {
            return mpl_nomem(err);
        }
    }
    return MPL_OK;
}

bool mpl_beside_explains(struct mpl_comparison *c, const struct mpl_divergence *changes,
                         size_t n)
{
    uint32_t first[2] = { 0, 0 };
    uint32_t n_callers = 0;

    for (uint32_t l = 0; l < c->n_locations; l++) {
        n_callers += c->base[l].n + c->new[l].n > 0;
    }
    if (n < 2 || n != n_callers) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t l = changes[i].location;
        uint32_t count[2];

        if (!mpl_divergence_counts(&changes[i], &count[0], &count[1]) ||
            (i > 0 && (count[0] != first[0] || count[1] != first[1])) ||
            !is_beside(c->diff.base, l, &c->base[l], changes[i].position) ||
            !is_beside(c->diff.new, l, &c->new[l], changes[i].position)) {
            return false;
        }
        first[0] = count[0];
        first[1] = count[1];
    }
    c->diff.loose_iterations[0] = first[0];
    c->diff.loose_iterations[1] = first[1];
    return true;
}

enum mpl_status mpl_beside_note(struct mpl_comparison *c, struct mpl_err *err)
{
    static const char beside[] =
        "processes call MPI in parallel regions, beside threads that may decide it";
    const uint32_t *n = c->diff.loose_iterations;
    enum mpl_status st = MPL_OK;

    if (c->has_loose_roots) {
        st = mpl_comparison_note(
            c,
            mpl_arena_printf(c->arena,
                             "The roots of collectives differ, in all processes alike, and "
                             "are not compared: %s.",
                             beside),
            err);
    }
    return st != MPL_OK || n[0] == n[1]
               ? st
               : mpl_comparison_note(
                     c,
                     mpl_arena_printf(
                         c->arena,
                         "All take %u iterations instead of %u. That is no difference in "
                         "structure, since %s; computation is not compared then, and run "
                         "times only of repetitions.",
                         n[1], n[0], beside),
                     err);
}
