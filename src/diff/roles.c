/*
 * Runs of other numbers of processes: nobody knows who corresponds to whom, but what kinds of processes there are can be
 * compared. A role is what processes have in common that make the same calls behind each other, by their functions
 * alone and however often, which hardly depends on how many processes there are (as formal contexts of
 * the paper DiffTrace, doub.orig). How often a message is sent in a row is left out: that grows with the neighbours.
 *
 * What has no equal in the other run is
 * - the same calls in another order, or less of them, by few processes: a difference in structure;
 * - the same calls in another order, by many: order depends on chance, or on the place among others, so it is left out;
 * - calls that nobody makes in the other run: a difference in structure, beside whoever is most like them there;
 * - anything else, as the middle of a chain where the other run has ends only: the runs cannot be compared.
 */
#include "config.h"

#include "diff/roles_priv.h"

/* As clusters of suspects: at most an eighth of the processes are few. */
enum { FEW = 8 };
/* Below this share of calls in common nobody would take two processes for the same one with something more. */
static const double least_alike = 0.5;

/* Classes of the pairs of calls are the smallest kinds; each has a set of calls, which several may have. */
struct matching {
    struct mpl_roles *r;
    uint32_t *n[2];       /* Per kind: locations of a run that are of it. */
    uint32_t *n_calls[2]; /* Per set of calls likewise. */
    uint32_t *calls_of;   /* Per kind: its set of calls. */
    enum mpl_diff_role_kind *state;
    bool *is_open;      /* Per kind: nobody of the other run has the same set of calls. */
    uint32_t *near;     /* Per kind with a difference: to whose it is one. */
    const char *reason; /* Why roles do not match; NULL: they do. */
};

/* ---- what processes call ------------------------------------------------------------------------------ */

static bool is_message(const struct mpl_run *run, uint32_t l, const struct mpl_sequence *s,
                       uint32_t i)
{
    struct mpl_call_view view;

    mpl_events_call(run->events, l, s->calls[i], &view);
    return run->model->regions[view.region].kind == MPL_REGION_MPI_P2P;
}

/* A single call has no neighbour: nothing stands before it. Not to end is like a call that others do not make. */
static bool take_items(const struct mpl_roles *r, int side, uint32_t l,
                       struct mpl_folded *out)
{
    const struct mpl_run *run = r->runs[side];
    const struct mpl_sequence *s = &r->sequences[side][l];
    struct mpl_item *items = MPL_NEW_ARRAY(r->scratch, s->n + (size_t) 2, struct mpl_item);
    uint32_t n = 0;

    if (s->n == 1 && items != NULL) {
        items[n++] = (struct mpl_item){ MPL_NONE, 1 };
    }
    for (uint32_t i = 0; i < s->n && items != NULL; i++) {
        if (n == 0 || items[n - 1].what != s->symbols[i] || !is_message(run, l, s, i)) {
            items[n++] = (struct mpl_item){ s->symbols[i], 1 };
        }
    }
    /* Whether the location ends in a call that never returns, or works on for ever. */
    const enum mpl_halt_state end =
        run->halt == NULL ? MPL_HALT_OVER
                          : run->halt->places[run->model->locations[l].process].state;

    if (s->n > 0 && end != MPL_HALT_OVER && end != MPL_HALT_UNKNOWN && items != NULL) {
        items[n++] = (struct mpl_item){ r->no_end, 1 };
    }
    *out = (struct mpl_folded){ n, items };
    return items != NULL;
}

static enum mpl_status make_sequences(struct mpl_roles *r, struct mpl_err *err)
{
    const struct mpl_sequence_options options = { .without_polls = true };
    enum mpl_status st = MPL_OK;

    for (int i = 0; i < 2 && st == MPL_OK; i++) {
        st = mpl_sequences_create(r->runs[i]->events, &options, r->comparison->symbols,
                                  r->scratch, &r->sequences[i], err);
    }
    const struct mpl_symbol no_end = mpl_symbol_of(
        mpl_symbols_name(r->comparison->symbols, "a call that never returns"));

    r->no_end = no_end.function == MPL_NONE
                    ? MPL_NONE
                    : mpl_symbols_put(r->comparison->symbols, &no_end);
    return r->no_end == MPL_NONE ? mpl_nomem(err) : st;
}

static enum mpl_status make_contexts(struct mpl_roles *r, struct mpl_err *err)
{
    static const struct mpl_context_kind pairs = { MPL_CONTEXT_DOUBLE,
                                                   MPL_CONTEXT_PRESENCE };
    static const struct mpl_context_kind calls = { MPL_CONTEXT_SINGLE,
                                                   MPL_CONTEXT_PRESENCE };
    const size_t n = (size_t) r->n[0] + r->n[1];
    struct mpl_folded *all = MPL_NEW_ARRAY(r->scratch, n, struct mpl_folded);
    enum mpl_status st = all == NULL ? mpl_nomem(err) : MPL_OK;

    for (size_t k = 0; k < n && st == MPL_OK; k++) {
        const int side = k >= r->n[0];
        const uint32_t l = (uint32_t) (k - (side == 0 ? 0 : r->n[0]));

        if (!take_items(r, side, l, &all[k])) {
            st = mpl_nomem(err);
        }
    }
    r->items = all;
    st = st == MPL_OK ? mpl_context_create(all, n, pairs, r->scratch, &r->pairs, err) : st;
    return st == MPL_OK ? mpl_context_create(all, n, calls, r->scratch, &r->calls, err)
                        : st;
}

/* ---- who is like whom --------------------------------------------------------------------------------- */

static bool open_matching(struct matching *m, struct mpl_roles *r)
{
    const uint32_t n = r->pairs->n_classes;

    *m = (struct matching){ .r = r };
    m->calls_of = MPL_NEW_ARRAY(r->scratch, n, uint32_t);
    m->state = MPL_NEW_ARRAY(r->scratch, n, enum mpl_diff_role_kind);
    m->is_open = MPL_NEW_ARRAY(r->scratch, n, bool);
    m->near = MPL_NEW_ARRAY(r->scratch, n, uint32_t);
    r->role_of = MPL_NEW_ARRAY(r->scratch, n, uint32_t);
    for (int i = 0; i < 2; i++) {
        m->n[i] = MPL_NEW_ARRAY(r->scratch, n, uint32_t);
        m->n_calls[i] = MPL_NEW_ARRAY(r->scratch, r->calls->n_classes, uint32_t);
        if (m->n[i] == NULL || m->n_calls[i] == NULL) {
            return false;
        }
    }
    return m->calls_of != NULL && m->state != NULL && m->is_open != NULL &&
           m->near != NULL && r->role_of != NULL;
}

static void count(struct matching *m)
{
    const struct mpl_roles *r = m->r;

    for (uint32_t k = 0; k < r->n[0] + r->n[1]; k++) {
        const int side = k >= r->n[0];

        m->n[side][r->pairs->class_of[k]]++;
        m->n_calls[side][r->calls->class_of[k]]++;
        m->calls_of[r->pairs->class_of[k]] = r->calls->class_of[k];
    }
    for (uint32_t k = 0; k < r->pairs->n_classes; k++) {
        r->role_of[k] = k;
        m->near[k] = MPL_NONE;
    }
}

static bool is_single(const struct matching *m, uint32_t kind)
{
    return m->n[0][kind] == 0 || m->n[1][kind] == 0;
}

static int side_of(const struct matching *m, uint32_t kind)
{
    return m->n[0][kind] == 0;
}

static void join(struct matching *m, uint32_t a, uint32_t b)
{
    const uint32_t from = m->r->role_of[b];

    for (uint32_t k = 0; k < m->r->pairs->n_classes; k++) {
        m->r->role_of[k] = m->r->role_of[k] == from ? m->r->role_of[a] : m->r->role_of[k];
    }
}

/* The kind of a run that is most like it, by \p context: kinds have the pairs, and sets of calls the calls. */
static uint32_t nearest(const struct matching *m, uint32_t kind, bool by_pairs,
                        bool only_open, double *share)
{
    const struct mpl_context *c = by_pairs ? m->r->pairs : m->r->calls;
    const uint32_t own = by_pairs ? kind : m->calls_of[kind];
    const int other = 1 - side_of(m, kind);
    uint32_t best = MPL_NONE;

    *share = 0;
    for (uint32_t k = 0; k < m->r->pairs->n_classes; k++) {
        const uint32_t its = by_pairs ? k : m->calls_of[k];
        const double alike = c->alike[(size_t) own * c->n_classes + its];

        if (m->n[other][k] > 0 && (!only_open || m->is_open[k]) &&
            (best == MPL_NONE || alike > *share)) {
            best = k;
            *share = alike;
        }
    }
    return best;
}

/* Locations of a run whose kind nobody is of in the other run, though somebody makes the same calls. */
static uint32_t count_astray(const struct matching *m, int side, uint32_t calls)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < m->r->pairs->n_classes; k++) {
        n += m->calls_of[k] == calls && is_single(m, k) ? m->n[side][k] : 0;
    }
    return n;
}

static bool are_few(const struct matching *m, int side, uint32_t calls)
{
    return FEW * count_astray(m, side, calls) <= m->r->n[side];
}

static void match_order(struct matching *m, uint32_t kind)
{
    const int side = side_of(m, kind);
    const uint32_t calls = m->calls_of[kind];
    double unused;

    /* Few in both runs: the last one of an odd number has another place than the last one of an even number. */
    if (!are_few(m, side, calls) ||
        (count_astray(m, 1 - side, calls) > 0 && are_few(m, 1 - side, calls))) {
        uint32_t first = MPL_NONE;

        for (uint32_t k = 0; k < m->r->pairs->n_classes; k++) {
            if (m->calls_of[k] == calls) {
                first = first == MPL_NONE ? k : first;
                m->state[k] = MPL_ROLE_LOOSE;
                join(m, first, k);
            }
        }
    } else {
        m->state[kind] = MPL_ROLE_ORDER;
        m->near[kind] = nearest(m, kind, true, false, &unused);
    }
}

/* ---- calls that the other run has not ------------------------------------------------------------------- */

static bool is_made(const struct matching *m, int side, uint64_t call)
{
    for (uint32_t c = 0; c < m->r->calls->n_classes; c++) {
        if (m->n_calls[side][c] > 0 &&
            mpl_attributes_have_key(&m->r->calls->sets[c], call)) {
            return true;
        }
    }
    return false;
}

static bool is_foreign(const struct matching *m, uint32_t kind)
{
    const struct mpl_context_attributes *set = &m->r->calls->sets[m->calls_of[kind]];

    for (uint32_t i = 0; i < set->n; i++) {
        if (!is_made(m, 1 - side_of(m, kind), set->all[i].key)) {
            return true;
        }
    }
    return false;
}

/* Beside one that has no equal either, else beside whoever is most like it. Few may also make less calls than others. */
static void match_calls(struct matching *m, uint32_t kind)
{
    const bool may_differ =
        is_foreign(m, kind) || are_few(m, side_of(m, kind), m->calls_of[kind]);
    double alike;
    uint32_t near = nearest(m, kind, false, true, &alike);
    const bool is_pair = near != MPL_NONE && alike >= least_alike &&
                         (is_foreign(m, kind) || is_foreign(m, near));

    if (is_pair) {
        m->state[kind] = m->state[near] = MPL_ROLE_CALLS;
        m->near[kind] = near;
        join(m, near, kind);
        return;
    }
    near = may_differ ? nearest(m, kind, false, false, &alike) : MPL_NONE;
    if (near != MPL_NONE && alike >= least_alike) {
        m->state[kind] = MPL_ROLE_CALLS;
        m->near[kind] = near;
    }
}

/* ---- no counterpart ------------------------------------------------------------------------------------- */

static const char *first_label(const struct matching *m, int side, uint32_t kind)
{
    const struct mpl_roles *r = m->r;
    const uint32_t *of = r->pairs->class_of + (side == 0 ? 0 : r->n[0]);
    uint32_t l = 0;

    while (of[l] != kind) {
        l++;
    }
    return r->runs[side]->model->locations[l].label;
}

static bool say_lost(struct matching *m)
{
    static const char *const names[] = { "the base", "the new run" };
    const struct mpl_roles *r = m->r;

    for (uint32_t k = 0; k < r->pairs->n_classes; k++) {
        /* Threads may make no calls of MPI. */
        if (m->is_open[k] && m->state[k] == MPL_ROLE_SAME &&
            m->r->calls->sets[m->calls_of[k]].n > 0) {
            const int side = side_of(m, k);
            const char *calls = mpl_roles_list(
                r, &(struct mpl_role_sets){ r->calls, m->calls_of[k], MPL_NONE });

            m->reason =
                calls == NULL
                    ? NULL
                    : mpl_arena_printf(r->comparison->arena,
                                       "nobody in %s has the role of "
                                       "rank %s of %s (%u of %u), which "
                                       "calls %s",
                                       names[1 - side], first_label(m, side, k),
                                       names[side], m->n[side][k], r->n[side], calls);
            return m->reason != NULL;
        }
    }
    return true;
}

static void match(struct matching *m)
{
    const uint32_t n = m->r->pairs->n_classes;

    for (uint32_t k = 0; k < n; k++) {
        m->is_open[k] =
            is_single(m, k) && m->n_calls[1 - side_of(m, k)][m->calls_of[k]] == 0;
    }
    for (uint32_t k = 0; k < n; k++) {
        if (is_single(m, k) && !m->is_open[k] && m->state[k] == MPL_ROLE_SAME) {
            match_order(m, k);
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        if (m->is_open[k] && m->state[k] == MPL_ROLE_SAME) {
            match_calls(m, k);
        }
    }
}

static enum mpl_status find(struct mpl_roles *r, struct matching *m, struct mpl_err *err)
{
    enum mpl_status st = make_sequences(r, err);

    st = st == MPL_OK ? make_contexts(r, err) : st;
    if (st == MPL_OK && !open_matching(m, r)) {
        st = mpl_nomem(err);
    }
    if (st == MPL_OK) {
        count(m);
        match(m);
        st = say_lost(m) ? MPL_OK : mpl_nomem(err);
    }
    if (st == MPL_OK && m->reason == NULL) {
        r->kind_of = m->state;
        r->near = m->near;
        st = mpl_roles_fill(r, err);
    }
    return st;
}

/* What is lost of a trace would be a role of its own. NULL: both are whole, or no memory. */
static const char *damage_text(struct mpl_comparison *c)
{
    const char *base = c->diff.base->damage;
    const char *new = c->diff.new->damage;

    return base == NULL && new == NULL
               ? NULL
               : mpl_arena_printf(c->arena, "%s lacks %s",
                                  base != NULL ? "the base" : "the new run",
                                  base != NULL ? base : new);
}

enum mpl_status mpl_roles_compare(struct mpl_comparison *c, const char **reason,
                                  struct mpl_err *err)
{
    struct mpl_roles r = { .comparison = c,
                           .scratch = mpl_arena_create(),
                           .runs = { c->diff.base, c->diff.new },
                           .n = { c->diff.base->model->n_locations,
                                  c->diff.new->model->n_locations } };
    struct matching m = { .reason = damage_text(c) };
    const bool is_damaged = c->diff.base->damage != NULL || c->diff.new->damage != NULL;
    enum mpl_status st =
        r.scratch == NULL || (is_damaged && m.reason == NULL) ? mpl_nomem(err) : MPL_OK;

    st = st == MPL_OK && !is_damaged ? find(&r, &m, err) : st;
    *reason = m.reason;
    mpl_arena_destroy(r.scratch);
    return st;
}
