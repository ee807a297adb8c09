/*
 * How alike sequences are. A sequence is a set of attributes, its entries (calls and loops) or pairs of
 * neighbours, with or without how often; Jaccard's index of two sets is what they share over what either
 * has. The union is |A| + |B| - |A and B|: adding up a lattice's paths, as the paper says, is wrong
 * where paths are not unique. Sequences with equal sets are one class and looked at once.
 */
#include "config.h"

#include "diff/diff_priv.h"

#include <math.h>
#include <string.h>

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
    const struct mpl_context_attribute *a = x;
    const struct mpl_context_attribute *b = y;

    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return (a->value > b->value) - (a->value < b->value);
}

static uint64_t value_of(uint64_t n, enum mpl_context_by by)
{
    if (by == MPL_CONTEXT_LOG10) {
        return (uint64_t) log10((double) n);
    }
    return by == MPL_CONTEXT_PRESENCE ? 0 : n;
}

static bool make_set(const struct mpl_frequencies *found, enum mpl_context_by by,
                     struct mpl_arena *arena, struct mpl_context_attributes *out)
{
    struct mpl_context_attribute *all =
        MPL_NEW_ARRAY(arena, found->n, struct mpl_context_attribute);

    for (uint32_t i = 0; i < found->n && all != NULL; i++) {
        all[i].key = found->all[i].key;
        all[i].value = value_of(found->all[i].value, by);
    }
    *out = (struct mpl_context_attributes){ found->n, all };
    return all != NULL;
}

static double weighted(const struct mpl_context_attributes *a,
                       const struct mpl_context_attributes *b)
{
    double least = 0;
    double most = 0;

    for (size_t i = 0, j = 0; i < a->n || j < b->n;) {
        const uint64_t x = i < a->n ? a->all[i].key : UINT64_MAX;
        const uint64_t y = j < b->n ? b->all[j].key : UINT64_MAX;
        const double p = x <= y && i < a->n ? (double) a->all[i].value : 0;
        const double q = y <= x && j < b->n ? (double) b->all[j].value : 0;

        least += p < q ? p : q;
        most += p < q ? q : p;
        i += x <= y && i < a->n;
        j += y <= x && j < b->n;
    }
    return most > 0 ? least / most : 1;
}

/* ---- classes ----------------------------------------------------------------------------------------- */

static uint64_t hash_set(const struct mpl_context_attributes *s)
{
    uint64_t hash = s->n;

    for (size_t i = 0; i < s->n; i++) {
        hash = mpl_hash_mix(mpl_hash_mix(hash ^ s->all[i].key) ^ s->all[i].value);
    }
    return hash;
}

/* A context while it is made. */
struct making {
    struct mpl_context *context;
    uint32_t *class_of;
    uint32_t *sizes;
    struct mpl_context_attributes *sets;
};

/* The class of each of all sets. */
static bool classify(const struct mpl_context_attributes *all, struct making *m)
{
    struct mpl_map *seen = mpl_map_create();
    bool is_done = seen != NULL;

    for (uint32_t i = 0; i < m->context->n_objects && is_done; i++) {
        uint64_t key = hash_set(&all[i]);
        uint32_t at;

        while ((at = mpl_map_find(seen, key)) != MPL_NONE &&
               !mpl_is_same_array(m->sets[at].all, m->sets[at].n, all[i].all, all[i].n,
                                  sizeof *all[i].all)) {
            key++;
        }
        if (at == MPL_NONE) {
            at = m->context->n_classes++;
            m->sets[at] = all[i];
            is_done = mpl_map_put(seen, key, at);
        }
        m->class_of[i] = at;
        m->sizes[at]++;
    }
    mpl_map_destroy(seen);
    return is_done;
}

static bool find_classes(const struct mpl_frequencies *counts, struct mpl_arena *arena,
                         struct mpl_context *context)
{
    const size_t n = context->n_objects;
    struct mpl_context_attributes *all =
        MPL_NEW_ARRAY(arena, n, struct mpl_context_attributes);
    struct making m = { context, MPL_NEW_ARRAY(arena, n, uint32_t),
                        MPL_NEW_ARRAY(arena, n, uint32_t),
                        MPL_NEW_ARRAY(arena, n, struct mpl_context_attributes) };

    if (all == NULL || m.class_of == NULL || m.sizes == NULL || m.sets == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!make_set(&counts[i], context->kind.by, arena, &all[i])) {
            return false;
        }
    }
    context->class_of = m.class_of;
    context->sizes = m.sizes;
    context->sets = m.sets;
    return classify(all, &m);
}

/* All attributes that any class has, each once. */
static bool collect(struct mpl_arena *arena, struct mpl_context *context)
{
    size_t n = 0;
    uint32_t n_kept = 0;

    for (uint32_t i = 0; i < context->n_classes; i++) {
        n += context->sets[i].n;
    }
    struct mpl_context_attribute *all =
        MPL_NEW_ARRAY(arena, n, struct mpl_context_attribute);
    if (all == NULL) {
        return false;
    }
    for (size_t i = 0, at = 0; i < context->n_classes; at += context->sets[i++].n) {
        if (context->sets[i].n > 0) {
            memcpy(&all[at], context->sets[i].all, context->sets[i].n * sizeof *all);
        }
    }
    mpl_sort(all, n, sizeof *all, by_key);
    for (size_t i = 0; i < n; i++) {
        if (n_kept == 0 || by_key(&all[n_kept - 1], &all[i]) != 0) {
            all[n_kept++] = all[i];
        }
    }
    context->attributes = (struct mpl_context_attributes){ n_kept, all };
    return true;
}

/* Attributes of each class as bits, where that is less to compare than the lists: thousands of different
   classes make millions of pairs. */
struct bits {
    size_t n_words; /* 0: lists are shorter. */
    uint64_t *all;
};

static bool make_bits(const struct mpl_context *context, struct mpl_arena *arena,
                      struct bits *bits)
{
    const struct mpl_context_attributes all = context->attributes;
    const size_t n_words = mpl_bits_words(all.n);
    size_t n = 0;

    for (uint32_t c = 0; c < context->n_classes; c++) {
        n += context->sets[c].n;
    }
    if (n_words * context->n_classes > n) {
        return true;
    }
    bits->n_words = n_words;
    bits->all = MPL_NEW_ARRAY(arena, n_words * context->n_classes, uint64_t);
    for (uint32_t c = 0; c < context->n_classes && bits->all != NULL; c++) {
        const struct mpl_context_attributes *set = &context->sets[c];

        for (uint32_t i = 0, j = 0; j < set->n; i++) {
            if (by_key(&all.all[i], &set->all[j]) == 0) {
                mpl_bits_put(&bits->all[c * n_words], i);
                j++;
            }
        }
    }
    return bits->all != NULL;
}

static uint32_t in_both(const struct mpl_context_attributes *a,
                        const struct mpl_context_attributes *b)
{
    uint32_t n = 0;

    for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
        const int order = by_key(&a->all[i], &b->all[j]);

        n += order == 0;
        i += order <= 0;
        j += order >= 0;
    }
    return n;
}

static double jaccard(const struct mpl_context *context, const struct bits *bits,
                      uint32_t i, uint32_t j)
{
    const struct mpl_context_attributes *a = &context->sets[i];
    const struct mpl_context_attributes *b = &context->sets[j];
    const size_t n = bits->n_words;
    const uint32_t both =
        n > 0 ? mpl_bits_common(&bits->all[i * n], &bits->all[j * n], n) : in_both(a, b);
    const uint32_t either = a->n + b->n - both;

    return either == 0 ? 1 : (double) both / (double) either;
}

static bool compare_classes(struct mpl_arena *arena, struct mpl_context *context)
{
    const uint32_t n = context->n_classes;
    struct mpl_arena *scratch = mpl_arena_create();
    struct bits bits = { 0, NULL };
    const bool has_bits = scratch != NULL && make_bits(context, scratch, &bits);
    double *alike = MPL_NEW_ARRAY(arena, (size_t) n * n, double);

    for (uint32_t i = 0; i < n && alike != NULL && has_bits; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            const double x = context->kind.by == MPL_CONTEXT_WEIGHTED
                                 ? weighted(&context->sets[i], &context->sets[j])
                                 : jaccard(context, &bits, i, j);

            alike[(size_t) i * n + j] = x;
            alike[(size_t) j * n + i] = x;
        }
    }
    context->alike = alike;
    mpl_arena_destroy(scratch);
    return alike != NULL && has_bits;
}

enum mpl_status mpl_context_of_counts(const struct mpl_frequencies *counts, size_t n,
                                      struct mpl_context_kind kind, struct mpl_arena *arena,
                                      const struct mpl_context **out, struct mpl_err *err)
{
    struct mpl_context *context = MPL_NEW(arena, struct mpl_context);

    if (context == NULL) {
        return mpl_nomem(err);
    }
    context->kind = kind;
    context->n_objects = (uint32_t) n;
    if (!find_classes(counts, arena, context) || !collect(arena, context) ||
        !compare_classes(arena, context)) {
        return mpl_nomem(err);
    }
    *out = context;
    return MPL_OK;
}

enum mpl_status mpl_context_create(const struct mpl_folded *sequences, size_t n,
                                   struct mpl_context_kind kind, struct mpl_arena *arena,
                                   const struct mpl_context **out, struct mpl_err *err)
{
    const struct mpl_frequencies *counts[2];

    return mpl_frequencies_of_all(sequences, n, NULL, 1U << kind.of, arena, counts)
               ? mpl_context_of_counts(counts[kind.of], n, kind, arena, out, err)
               : mpl_nomem(err);
}
