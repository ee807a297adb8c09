/*
 * How alike sequences are. A sequence is a set of attributes, its entries (calls and loops) or pairs of
 * neighbours, with or without how often; Jaccard's index of two sets is what they share over what either
 * has. The union is |A| + |B| - |A and B|: adding up a lattice's paths, as the paper says, is wrong
 * where paths are not unique. Sequences with equal sets are looked at once.
 */
#include "config.h"

#include "diff/diff_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct attribute {
    uint64_t key;   /* Entry, or entry and its neighbour. */
    uint64_t value; /* How often, as far as that makes another attribute. */
};
struct set {
    size_t n;
    const struct attribute *attributes; /* Ascending by key. */
};

const char *mpl_context_name(struct mpl_context_kind kind)
{
    static const char *const names[2][MPL_CONTEXT_WAYS] = {
        { "sing.orig", "sing.log10", "sing.actual", "sing.weighted" },
        { "doub.orig", "doub.log10", "doub.actual", "doub.weighted" },
    };

    return names[kind.of][kind.by];
}

/* ---- sets ------------------------------------------------------------------------------------------ */

static int by_key(const void *x, const void *y)
{
    const struct attribute *a = x;
    const struct attribute *b = y;

    return (a->key > b->key) - (a->key < b->key);
}

static uint64_t value_of(uint64_t n, enum mpl_context_by by)
{
    if (by == MPL_CONTEXT_LOG10) {
        return (uint64_t) log10((double) n);
    }
    return by == MPL_CONTEXT_PRESENCE ? 0 : n;
}

static bool make_set(const struct mpl_folded *s, struct mpl_context_kind kind,
                     struct mpl_arena *arena, struct set *out)
{
    const bool is_double = kind.of == MPL_CONTEXT_DOUBLE;
    const size_t n = is_double ? (s->n == 0 ? 0 : s->n - 1) : s->n;
    struct attribute *all = MPL_NEW_ARRAY(arena, n, struct attribute);
    size_t n_kept = 0;

    if (all == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        all[i].key = is_double ? (uint64_t) s->items[i].what << 32 | s->items[i + 1].what
                               : s->items[i].what;
        all[i].value = is_double ? 1 : s->items[i].count;
    }
    if (n > 0) {
        qsort(all, n, sizeof *all, by_key);
    }
    for (size_t i = 0; i < n; i++) {
        if (n_kept > 0 && all[n_kept - 1].key == all[i].key) {
            all[n_kept - 1].value += all[i].value;
        } else {
            all[n_kept++] = all[i];
        }
    }
    for (size_t i = 0; i < n_kept; i++) {
        all[i].value = value_of(all[i].value, kind.by);
    }
    *out = (struct set){ n_kept, all };
    return true;
}

static bool is_equal(const struct set *a, const struct set *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->attributes, b->attributes,
                                                a->n * sizeof *a->attributes) == 0);
}

static double jaccard(const struct set *a, const struct set *b)
{
    size_t both = 0;

    for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
        const struct attribute *x = &a->attributes[i];
        const struct attribute *y = &b->attributes[j];

        both += x->key == y->key && x->value == y->value;
        i += x->key <= y->key;
        j += y->key <= x->key;
    }

    const size_t either = a->n + b->n - both;

    return either == 0 ? 1 : (double) both / (double) either;
}

static double weighted(const struct set *a, const struct set *b)
{
    double least = 0;
    double most = 0;

    for (size_t i = 0, j = 0; i < a->n || j < b->n;) {
        const uint64_t x = i < a->n ? a->attributes[i].key : UINT64_MAX;
        const uint64_t y = j < b->n ? b->attributes[j].key : UINT64_MAX;
        const double p = x <= y && i < a->n ? (double) a->attributes[i].value : 0;
        const double q = y <= x && j < b->n ? (double) b->attributes[j].value : 0;

        least += p < q ? p : q;
        most += p < q ? q : p;
        i += x <= y && i < a->n;
        j += y <= x && j < b->n;
    }
    return most > 0 ? least / most : 1;
}

/* ---- all pairs -------------------------------------------------------------------------------------- */

/* Sequences by equal sets, and how alike these are. */
struct classes {
    uint32_t n;
    uint32_t *of;  /* Per sequence. */
    double *alike; /* [class * n + class] */
};

static uint64_t hash_set(const struct set *s)
{
    uint64_t hash = s->n;

    for (size_t i = 0; i < s->n; i++) {
        hash = (hash ^ s->attributes[i].key) * UINT64_C(0x9E3779B97F4A7C15);
        hash = (hash ^ hash >> 31 ^ s->attributes[i].value) * UINT64_C(0xBF58476D1CE4E5B9);
    }
    return hash;
}

/* The class of each set; \p firsts gets a set of each. */
static bool classify(struct set *sets, size_t n, struct classes *c, struct set *firsts)
{
    struct mpl_map *seen = mpl_map_create();
    bool is_done = seen != NULL;

    for (size_t i = 0; i < n && is_done; i++) {
        uint64_t key = hash_set(&sets[i]);
        uint32_t at;

        while ((at = mpl_map_find(seen, key)) != MPL_NONE &&
               !is_equal(&firsts[at], &sets[i])) {
            key++;
        }
        if (at == MPL_NONE) {
            at = c->n++;
            firsts[at] = sets[i];
            is_done = mpl_map_put(seen, key, at);
        }
        c->of[i] = at;
    }
    mpl_map_destroy(seen);
    return is_done;
}

static bool make_classes(const struct mpl_folded *sequences, size_t n,
                         struct mpl_context_kind kind, struct mpl_arena *arena,
                         struct classes *c)
{
    struct set *sets = MPL_NEW_ARRAY(arena, n, struct set);
    struct set *firsts = MPL_NEW_ARRAY(arena, n, struct set);

    *c = (struct classes){ 0, MPL_NEW_ARRAY(arena, n, uint32_t), NULL };
    if (sets == NULL || firsts == NULL || c->of == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!make_set(&sequences[i], kind, arena, &sets[i])) {
            return false;
        }
    }
    if (!classify(sets, n, c, firsts)) {
        return false;
    }
    c->alike = MPL_NEW_ARRAY(arena, (size_t) c->n * c->n, double);
    for (uint32_t i = 0; i < c->n && c->alike != NULL; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            const double x = kind.by == MPL_CONTEXT_WEIGHTED
                                 ? weighted(&firsts[i], &firsts[j])
                                 : jaccard(&firsts[i], &firsts[j]);

            c->alike[(size_t) i * c->n + j] = x;
            c->alike[(size_t) j * c->n + i] = x;
        }
    }
    return c->alike != NULL;
}

enum mpl_status mpl_similarity(const struct mpl_folded *sequences, size_t n,
                               struct mpl_context_kind kind, struct mpl_arena *arena,
                               const double **out, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    double *all = MPL_NEW_ARRAY(arena, n * n, double);
    struct classes c;
    const bool is_done =
        scratch != NULL && all != NULL && make_classes(sequences, n, kind, scratch, &c);

    for (size_t i = 0; i < n && is_done; i++) {
        for (size_t j = 0; j < n; j++) {
            all[i * n + j] = c.alike[(size_t) c.of[i] * c.n + c.of[j]];
        }
    }
    mpl_arena_destroy(scratch);
    if (!is_done) {
        return mpl_nomem(err);
    }
    *out = all;
    return MPL_OK;
}

/* ---- changes ------------------------------------------------------------------------------------------ */

/* Sequences of the same class in both runs have equal rows. */
struct twin {
    uint32_t base;
    uint32_t new;
    uint32_t n;
    double row;
};

static bool find_twins(const struct classes *base, const struct classes *new, size_t n,
                       struct twin *twins, uint32_t *of, size_t *n_twins)
{
    struct mpl_map *seen = mpl_map_create();
    bool is_done = seen != NULL;

    for (size_t i = 0; i < n && is_done; i++) {
        const uint64_t key = (uint64_t) base->of[i] << 32 | new->of[i];

        of[i] = mpl_map_find(seen, key);
        if (of[i] == MPL_NONE) {
            of[i] = (uint32_t) (*n_twins)++;
            twins[of[i]] = (struct twin){ base->of[i], new->of[i], 0, 0 };
            is_done = mpl_map_put(seen, key, of[i]);
        }
        twins[of[i]].n++;
    }
    mpl_map_destroy(seen);
    return is_done;
}

enum mpl_status mpl_similarity_changes(const struct mpl_filtered *f,
                                       struct mpl_context_kind kind, double *rows,
                                       struct mpl_err *err)
{
    const size_t n = f->n_locations;
    struct mpl_arena *scratch = mpl_arena_create();
    struct twin *twins = scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, n, struct twin);
    uint32_t *of = scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, n, uint32_t);
    size_t n_twins = 0;
    struct classes b;
    struct classes w;
    const bool is_done = twins != NULL && of != NULL &&
                         make_classes(f->base, n, kind, scratch, &b) &&
                         make_classes(f->new, n, kind, scratch, &w) &&
                         find_twins(&b, &w, n, twins, of, &n_twins);

    for (size_t i = 0; i < n_twins && is_done; i++) {
        for (size_t j = 0; j < n_twins; j++) {
            twins[i].row +=
                twins[j].n * fabs(w.alike[(size_t) twins[i].new *w.n + twins[j].new] -
                                  b.alike[(size_t) twins[i].base * b.n + twins[j].base]);
        }
    }
    for (size_t i = 0; i < n && is_done; i++) {
        rows[i] = twins[of[i]].row;
    }
    mpl_arena_destroy(scratch);
    return is_done ? MPL_OK : mpl_nomem(err);
}
