/*
 * Who changed most, in many configurations: filters, with and without loops, with and without whom messages go
 * to, and the kinds of attributes. A configuration in which nothing changes says nothing.
 */
#include "config.h"

#include "diff/diff_priv.h"

#include <string.h>

/* As in the tables of the paper; 0K10 is its constant. */
static const char *const filters[] = { "11.mpi.cust.0K10", "11.mpicol.cust.0K10",
                                       "11.mpisr.cust.0K10" };
static const unsigned parts[] = { 0, MPL_SYMBOL_PEER | MPL_SYMBOL_ROOT,
                                  MPL_SYMBOL_PEER | MPL_SYMBOL_ROOT | MPL_SYMBOL_TAG |
                                      MPL_SYMBOL_BYTES | MPL_SYMBOL_COMM };
enum {
    N_FILTERS = sizeof filters / sizeof *filters,
    N_PARTS = sizeof parts / sizeof *parts
};

/* Rows that differ by less differ by how their sums were rounded. */
static const double least = 1e-9;

static enum mpl_status count(struct mpl_comparison *c, struct mpl_divergence *changes,
                             const struct mpl_filtered *f, struct mpl_context_kind kind,
                             struct mpl_err *err)
{
    struct mpl_diff *diff = &c->diff;
    double *rows = MPL_NEW_ARRAY(f->arena, f->n_locations, double);
    double top = 0;
    const enum mpl_status st =
        rows == NULL ? mpl_nomem(err) : mpl_similarity_changes(f, kind, rows, err);

    diff->n_configurations++;
    for (uint32_t l = 0; l < f->n_locations && st == MPL_OK; l++) {
        top = rows[l] > top ? rows[l] : top;
    }
    diff->n_telling += top > least;
    for (size_t i = 0; i < diff->n_changes && top > least; i++) {
        changes[i].n_votes += rows[changes[i].location] > top - least;
    }
    return st;
}

static enum mpl_status count_all(struct mpl_comparison *c, struct mpl_divergence *changes,
                                 const struct mpl_filtered *f, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (int of = MPL_CONTEXT_SINGLE; of <= MPL_CONTEXT_DOUBLE; of++) {
        for (int by = MPL_CONTEXT_PRESENCE; by <= MPL_CONTEXT_ACTUAL && st == MPL_OK;
             by++) {
            const struct mpl_context_kind kind = { (enum mpl_context_of) of,
                                                   (enum mpl_context_by) by };

            st = count(c, changes, f, kind, err);
        }
    }
    return st;
}

/* With loops and without. */
static enum mpl_status count_with(struct mpl_comparison *c, struct mpl_divergence *changes,
                                  const struct mpl_filter *filter, unsigned with,
                                  struct mpl_err *err)
{
    const struct mpl_filtering how = { .filter = filter,
                                       .parts = with,
                                       .without_noise = true };
    struct mpl_filtered folded;
    struct mpl_filtered unfolded;
    enum mpl_status st = mpl_filtered_create(c, &how, &folded, err);

    st = st == MPL_OK ? count_all(c, changes, &folded, err) : st;
    if (st == MPL_OK && !mpl_filtered_unfold(&folded, &unfolded)) {
        st = mpl_nomem(err);
    }
    st = st == MPL_OK ? count_all(c, changes, &unfolded, err) : st;
    mpl_filtered_destroy(&folded);
    return st;
}

/* ---- what was looked at before ---------------------------------------------------------------------------- */

/* Calls that differ; those that a configuration keeps and takes for the same are a class of it. Configurations
   with the same classes see the same runs (all filters have the same K): a part that never differs makes no other
   classes. */
struct alphabet {
    uint32_t n;
    struct mpl_sequence *calls; /* Of one each. */
};

/* What a configuration comes to. */
struct ballot {
    uint32_t
        *classes; /* Per call of the alphabet: 1 + the first of its class; 0: left out. */
    uint32_t n_configurations;
    uint32_t n_telling;
    uint32_t *votes; /* Per change. */
};

struct voting {
    struct mpl_comparison *c;
    struct mpl_divergence *changes;
    struct mpl_arena *arena;
    struct alphabet alphabet;
    struct ballot all[N_FILTERS * N_PARTS];
    size_t n;
};

/* False: no memory. */
static bool make_alphabet(struct voting *v)
{
    const struct mpl_sequence *const sides[] = { v->c->base, v->c->new };
    const uint32_t n = mpl_symbols_count(v->c->symbols);
    bool *is_seen = MPL_NEW_ARRAY(v->arena, n, bool);
    uint32_t *symbols = MPL_NEW_ARRAY(v->arena, n, uint32_t);

    v->alphabet.calls = MPL_NEW_ARRAY(v->arena, n, struct mpl_sequence);
    if (is_seen == NULL || symbols == NULL || v->alphabet.calls == NULL) {
        return false;
    }
    for (uint32_t l = 0; l < 2 * v->c->n_locations; l++) {
        const struct mpl_sequence *s = &sides[l / v->c->n_locations][l % v->c->n_locations];

        for (uint32_t i = 0; i < s->n; i++) {
            is_seen[s->symbols[i]] = true;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        symbols[i] = i;
        if (is_seen[i]) {
            v->alphabet.calls[v->alphabet.n++] =
                (struct mpl_sequence){ .n = 1, .symbols = &symbols[i] };
        }
    }
    return true;
}

static enum mpl_status find_classes(const struct voting *v, const struct mpl_filter *filter,
                                    unsigned with, uint32_t *classes, struct mpl_err *err)
{
    const struct mpl_sequence *seen = NULL;
    struct mpl_map *first = mpl_map_create();
    enum mpl_status st =
        first == NULL ? mpl_nomem(err)
                      : mpl_sequences_coarsen(v->alphabet.calls, v->alphabet.n, filter,
                                              with, v->c->symbols, v->arena, &seen, err);

    for (uint32_t i = 0; i < v->alphabet.n && st == MPL_OK; i++) {
        const uint32_t at =
            seen[i].n == 0 ? MPL_NONE : mpl_map_find(first, seen[i].symbols[0]);

        classes[i] = seen[i].n == 0 ? 0 : 1 + (at == MPL_NONE ? i : at);
        if (seen[i].n > 0 && at == MPL_NONE && !mpl_map_put(first, seen[i].symbols[0], i)) {
            st = mpl_nomem(err);
        }
    }
    mpl_map_destroy(first);
    return st;
}

static const struct ballot *find_same(const struct voting *v, const uint32_t *classes)
{
    for (size_t i = 0; i < v->n; i++) {
        if (v->alphabet.n == 0 ||
            memcmp(v->all[i].classes, classes, v->alphabet.n * sizeof *classes) == 0) {
            return &v->all[i];
        }
    }
    return NULL;
}

static enum mpl_status look(struct voting *v, const struct mpl_filter *filter,
                            unsigned with, struct ballot *b, struct mpl_err *err)
{
    const struct mpl_diff *diff = &v->c->diff;
    const uint32_t n_configurations = diff->n_configurations;
    const uint32_t n_telling = diff->n_telling;

    b->votes = MPL_NEW_ARRAY(v->arena, diff->n_changes, uint32_t);
    if (b->votes == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < diff->n_changes; i++) {
        b->votes[i] = v->changes[i].n_votes;
    }
    const enum mpl_status st = count_with(v->c, v->changes, filter, with, err);
    for (size_t i = 0; i < diff->n_changes; i++) {
        b->votes[i] = v->changes[i].n_votes - b->votes[i];
    }
    b->n_configurations = diff->n_configurations - n_configurations;
    b->n_telling = diff->n_telling - n_telling;
    return st;
}

static enum mpl_status vote_with(struct voting *v, const struct mpl_filter *filter,
                                 unsigned with, struct mpl_err *err)
{
    struct ballot *b = &v->all[v->n];

    b->classes = MPL_NEW_ARRAY(v->arena, v->alphabet.n, uint32_t);
    const enum mpl_status st = b->classes == NULL
                                   ? mpl_nomem(err)
                                   : find_classes(v, filter, with, b->classes, err);
    if (st != MPL_OK) {
        return st;
    }
    const struct ballot *same = find_same(v, b->classes);
    if (same != NULL) {
        v->c->diff.n_configurations += same->n_configurations;
        v->c->diff.n_telling += same->n_telling;
        for (size_t i = 0; i < v->c->diff.n_changes; i++) {
            v->changes[i].n_votes += same->votes[i];
        }
        return MPL_OK;
    }
    v->n++;
    return look(v, filter, with, b, err);
}

/* Only what is compared at all. */
static enum mpl_status vote_through(struct voting *v, const char *code, unsigned all,
                                    struct mpl_err *err)
{
    struct mpl_filter *filter = NULL;
    enum mpl_status st = mpl_filter_open(code, v->arena, &filter, err);

    for (size_t p = 0; p < N_PARTS && st == MPL_OK; p++) {
        const bool is_new = p == 0 || (parts[p] & all) != (parts[p - 1] & all);

        st = is_new ? vote_with(v, filter, parts[p] & all, err) : MPL_OK;
    }
    mpl_filter_close(filter);
    return st;
}

enum mpl_status mpl_vote(struct mpl_comparison *c, struct mpl_divergence *changes,
                         struct mpl_err *err)
{
    const struct mpl_diff_options *o = &c->options;
    const unsigned all = !o->has_parts ? ~0U
                         : (o->parts & MPL_SYMBOL_RELATIVE) != 0
                             ? o->parts | MPL_SYMBOL_PEER
                             : o->parts;
    struct voting v = { .c = c, .changes = changes, .arena = mpl_arena_create() };
    enum mpl_status st = v.arena == NULL || !make_alphabet(&v) ? mpl_nomem(err) : MPL_OK;

    for (size_t f = 0; f < N_FILTERS && st == MPL_OK; f++) {
        st = vote_through(&v, filters[f], all, err);
    }
    mpl_arena_destroy(v.arena);
    return st;
}
