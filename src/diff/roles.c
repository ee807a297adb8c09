/*
 * Runs of other numbers of processes: nobody knows who corresponds to whom, but what kinds of processes there are can be
 * compared. A role is what processes have in common that make the same kinds of calls: the same pairs of
 * calls behind each other, by their functions alone and however often, which hardly depends on how many processes
 * there are (as formal contexts of the paper DiffTrace, doub.orig).
 */
#include "config.h"

#include "diff/effects_priv.h"

/* A page says no more; and where most processes do what nobody does in the other run, roles say nothing. */
enum { MOST_ROLES = 6 };
static const double least_share = 0.5;

struct roles {
    struct mpl_comparison *comparison;
    struct mpl_arena *scratch;
    const struct mpl_run *runs[2]; /* Base and new. */
    uint32_t n[2];                 /* Their locations. */
    const struct mpl_sequence *sequences[2];
    const struct mpl_context
        *context; /* Objects: locations of the base, then of the new run. */
};

static enum mpl_status make_sequences(struct roles *r, struct mpl_err *err)
{
    const struct mpl_sequence_options options = { .without_polls = true };
    enum mpl_status st = MPL_OK;

    for (int i = 0; i < 2 && st == MPL_OK; i++) {
        st = mpl_sequences_create(r->runs[i]->events, &options, r->comparison->symbols,
                                  r->scratch, &r->sequences[i], err);
    }
    return st;
}

static enum mpl_status find_roles(struct roles *r, struct mpl_err *err)
{
    static const struct mpl_context_kind kind = { MPL_CONTEXT_DOUBLE,
                                                  MPL_CONTEXT_PRESENCE };
    const size_t n = (size_t) r->n[0] + r->n[1];
    struct mpl_folded *all = MPL_NEW_ARRAY(r->scratch, n, struct mpl_folded);

    for (size_t k = 0; all != NULL && k < n; k++) {
        const struct mpl_sequence *s =
            k < r->n[0] ? &r->sequences[0][k] : &r->sequences[1][k - r->n[0]];
        struct mpl_item *items = MPL_NEW_ARRAY(r->scratch, s->n, struct mpl_item);

        for (uint32_t i = 0; items != NULL && i < s->n; i++) {
            items[i] = (struct mpl_item){ s->symbols[i], 1 };
        }
        if (items == NULL) {
            return mpl_nomem(err);
        }
        all[k] = (struct mpl_folded){ s->n, items };
    }
    return all == NULL ? mpl_nomem(err)
                       : mpl_context_create(all, n, kind, r->scratch, &r->context, err);
}

/* ---- one role ----------------------------------------------------------------------------------------- */

/* Who has it in a run. */
struct holders {
    uint32_t n;
    uint32_t first;
    double median_s; /* What one of them computes, */
    double sum_s;    /* and all. */
};

static bool find_holders(const struct roles *r, int side, uint32_t role,
                         struct holders *out)
{
    double *computed_s = MPL_NEW_ARRAY(r->scratch, r->n[side], double);
    const uint32_t *of = r->context->class_of + (side == 0 ? 0 : r->n[0]);

    *out = (struct holders){ 0, 0, 0, 0 };
    for (uint32_t l = 0; l < r->n[side] && computed_s != NULL; l++) {
        if (of[l] == role) {
            out->first = out->n == 0 ? l : out->first;
            computed_s[out->n] = mpl_effects_computed(r->runs[side], l);
            out->sum_s += computed_s[out->n++];
        }
    }
    out->median_s = computed_s == NULL ? 0 : mpl_median(computed_s, out->n);
    return computed_s != NULL;
}

static const char *label_of(const struct roles *r, int side, const struct holders *h)
{
    return r->runs[side]->model->locations[h->first].label;
}

/* "1.36 s there and 0.577 s now (median), all of them 4.08 s and 4.04 s": work that is shared out stays the same. */
static const char *computed_text(const struct roles *r, const struct holders h[2])
{
    const char *one[2] = { mpl_text_seconds(r->scratch, h[0].median_s),
                           mpl_text_seconds(r->scratch, h[1].median_s) };
    const char *all[2] = { mpl_text_seconds(r->scratch, h[0].sum_s),
                           mpl_text_seconds(r->scratch, h[1].sum_s) };

    if (one[0] == NULL || one[1] == NULL || all[0] == NULL || all[1] == NULL) {
        return NULL;
    }
    return h[0].n == 1 && h[1].n == 1
               ? mpl_arena_printf(r->scratch, "%s there and %s now", one[0], one[1])
               : mpl_arena_printf(r->scratch,
                                  "%s there and %s now (medians), all of them %s and %s",
                                  one[0], one[1], all[0], all[1]);
}

static const char *both_text(const struct roles *r, const struct holders h[2])
{
    const char *computed = computed_text(r, h);

    return computed == NULL
               ? NULL
               : mpl_arena_printf(
                     r->comparison->arena,
                     "By role: like rank %s are %u of %u processes of the base "
                     "and %u of %u of the new run. Each computes %s.",
                     label_of(r, 0, &h[0]), h[0].n, r->n[0], h[1].n, r->n[1], computed);
}

/* The most similar role that the other run has; MPL_NONE: it has none. */
static uint32_t find_nearest(const struct roles *r, uint32_t role, int other)
{
    const struct mpl_context *c = r->context;
    const uint32_t *of = c->class_of + (other == 0 ? 0 : r->n[0]);
    uint32_t best = MPL_NONE;

    for (uint32_t l = 0; l < r->n[other]; l++) {
        if (best == MPL_NONE || c->alike[(size_t) role * c->n_classes + of[l]] >
                                    c->alike[(size_t) role * c->n_classes + best]) {
            best = of[l];
        }
    }
    return best;
}

static bool has(const struct mpl_attributes *set, uint64_t key)
{
    for (uint32_t i = 0; i < set->n; i++) {
        if (set->all[i].key == key) {
            return true;
        }
    }
    return false;
}

/* "MPI_Send behind MPI_Recv": something that the one does and the other does not; NULL: there is nothing, or no
   memory. */
static const char *surplus_text(const struct roles *r, uint32_t role, uint32_t other)
{
    const struct mpl_attributes *mine = &r->context->sets[role];
    const struct mpl_attributes *theirs = &r->context->sets[other];

    for (uint32_t i = 0; i < mine->n; i++) {
        const uint64_t key = mine->all[i].key;

        if (!has(theirs, key)) {
            struct mpl_symbols *symbols = r->comparison->symbols;
            const char *next = mpl_symbol_text(symbols, (uint32_t) key, false, r->scratch);
            const char *first =
                mpl_symbol_text(symbols, (uint32_t) (key >> 32), false, r->scratch);

            return next == NULL || first == NULL
                       ? NULL
                       : mpl_arena_printf(r->scratch, "%s behind %s", next, first);
        }
    }
    return NULL;
}

static const char *single_text(const struct roles *r, uint32_t role, int side,
                               const struct holders *h)
{
    static const char *const names[] = { "the base", "the new run" };
    const uint32_t nearest = find_nearest(r, role, 1 - side);
    const char *more = surplus_text(r, role, nearest);
    const char *less = surplus_text(r, nearest, role);

    return mpl_arena_printf(r->comparison->arena,
                            "By role: only %s has processes like rank %s (%u of %u). From "
                            "the most similar ones "
                            "of %s they differ by what they do (%s) or do not (%s).",
                            names[side], label_of(r, side, h), h->n, r->n[side],
                            names[1 - side], more == NULL ? "nothing" : more,
                            less == NULL ? "nothing" : less);
}

static enum mpl_status note_role(const struct roles *r, uint32_t role, struct mpl_err *err)
{
    struct holders h[2];

    if (!find_holders(r, 0, role, &h[0]) || !find_holders(r, 1, role, &h[1])) {
        return mpl_nomem(err);
    }
    return mpl_comparison_note(r->comparison,
                               h[0].n > 0 && h[1].n > 0
                                   ? both_text(r, h)
                                   : single_text(r, role, h[0].n == 0, &h[h[0].n == 0]),
                               err);
}

/* ---- all ------------------------------------------------------------------------------------------------ */

static bool has_role(const struct roles *r, int side, uint32_t role)
{
    const uint32_t *of = r->context->class_of + (side == 0 ? 0 : r->n[0]);

    for (uint32_t l = 0; l < r->n[side]; l++) {
        if (of[l] == role) {
            return true;
        }
    }
    return false;
}

/* Locations of a run whose role the other one has, too. */
static uint32_t count_common(const struct roles *r, int side)
{
    const uint32_t *of = r->context->class_of + (side == 0 ? 0 : r->n[0]);
    uint32_t n = 0;

    for (uint32_t l = 0; l < r->n[side]; l++) {
        n += has_role(r, 1 - side, of[l]);
    }
    return n;
}

/* Why roles are not compared, either, if they are not. */
static enum mpl_status note_doubt(const struct roles *r, bool *has_roles,
                                  struct mpl_err *err)
{
    const uint32_t n[2] = { count_common(r, 0), count_common(r, 1) };

    *has_roles = n[0] >= least_share * r->n[0] && n[1] >= least_share * r->n[1];
    return *has_roles
               ? MPL_OK
               : mpl_comparison_note(
                     r->comparison,
                     mpl_arena_printf(r->comparison->arena,
                                      "Nor are there roles to compare: %u of %u processes "
                                      "of the new run make the same kinds of calls as one "
                                      "of the base.",
                                      n[1], r->n[1]),
                     err);
}

static enum mpl_status note_roles(const struct roles *r, bool *has_roles,
                                  struct mpl_err *err)
{
    const uint32_t n = r->context->n_classes;
    enum mpl_status st = note_doubt(r, has_roles, err);

    if (st != MPL_OK || !*has_roles) {
        return st;
    }
    for (uint32_t role = 0; role < n && role < MOST_ROLES && st == MPL_OK; role++) {
        st = note_role(r, role, err);
    }
    return st == MPL_OK && n > MOST_ROLES
               ? mpl_comparison_note(r->comparison,
                                     mpl_arena_printf(r->comparison->arena,
                                                      "There are %u more roles.",
                                                      n - MOST_ROLES),
                                     err)
               : st;
}

enum mpl_status mpl_roles_note(struct mpl_comparison *c, bool *has_roles,
                               struct mpl_err *err)
{
    struct roles r = { .comparison = c,
                       .scratch = mpl_arena_create(),
                       .runs = { c->diff.base, c->diff.new },
                       .n = { c->diff.base->model->n_locations,
                              c->diff.new->model->n_locations } };
    enum mpl_status st = r.scratch == NULL ? mpl_nomem(err) : make_sequences(&r, err);

    st = st == MPL_OK ? find_roles(&r, err) : st;
    st = st == MPL_OK ? note_roles(&r, has_roles, err) : st;
    mpl_arena_destroy(r.scratch);
    return st;
}
