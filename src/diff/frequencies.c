/*
 * How often what occurs in a sequence. Without loops a sequence has as many items as calls, and few different ones:
 * then they are counted in a table of all pairs of them, which is much faster than sorting.
 */
#include "config.h"

#include "diff/diff_priv.h"

#include <stdlib.h>

static int by_key(const void *x, const void *y)
{
    const struct mpl_attribute *a = x;
    const struct mpl_attribute *b = y;

    return (a->key > b->key) - (a->key < b->key);
}

static void sort(struct mpl_attribute *all, size_t n)
{
    if (n > 0) {
        qsort(all, n, sizeof *all, by_key);
    }
}

/* ---- by sorting -------------------------------------------------------------------------------------- */

static struct mpl_attribute attribute_at(const struct mpl_folded *s, size_t i,
                                         bool is_double)
{
    const struct mpl_item *items = &s->items[i];

    return is_double
               ? (struct mpl_attribute){ (uint64_t) items[0].what << 32 | items[1].what, 1 }
               : (struct mpl_attribute){ items[0].what, items[0].count };
}

static bool make_sorted(const struct mpl_folded *s, size_t n, bool is_double,
                        struct mpl_arena *arena, struct mpl_frequencies *out)
{
    struct mpl_attribute *all = MPL_NEW_ARRAY(arena, n, struct mpl_attribute);
    uint32_t n_kept = 0;

    for (size_t i = 0; i < n && all != NULL; i++) {
        all[i] = attribute_at(s, i, is_double);
    }
    if (all == NULL) {
        return false;
    }
    sort(all, n);
    for (size_t i = 0; i < n; i++) {
        if (n_kept > 0 && all[n_kept - 1].key == all[i].key) {
            all[n_kept - 1].value += all[i].value;
        } else {
            all[n_kept++] = all[i];
        }
    }
    *out = (struct mpl_frequencies){ n_kept, all };
    return true;
}

/* ---- by counting ------------------------------------------------------------------------------------- */

/* Below that, sorting costs nothing. */
enum { LEAST_COUNTED = 256 };

/* Different items of a sequence, numbered from 0 in order of first appearance. */
struct alphabet {
    uint32_t n;
    uint32_t *items;   /* What they are. */
    uint32_t *numbers; /* Per index_of() of an item 1 + its number; 0: it does not occur. */
};

static size_t index_of(uint32_t what)
{
    return (size_t) (what & ~MPL_LOOP) << 1 | (what & MPL_LOOP) >> 31;
}

static bool make_alphabet(const struct mpl_folded *s, struct mpl_arena *scratch,
                          struct alphabet *out)
{
    size_t most = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        most = index_of(s->items[i].what) > most ? index_of(s->items[i].what) : most;
    }
    /* A table that is larger than the sequence is not worth it. */
    if (most >= s->n) {
        return false;
    }
    out->numbers = MPL_NEW_ARRAY(scratch, most + 1, uint32_t);
    out->items = MPL_NEW_ARRAY(scratch, most + 1, uint32_t);
    if (out->numbers == NULL || out->items == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t *number = &out->numbers[index_of(s->items[i].what)];

        if (*number == 0) {
            out->items[out->n++] = s->items[i].what;
            *number = out->n;
        }
    }
    return true;
}

static uint32_t number_of(const struct alphabet *x, struct mpl_item item)
{
    return x->numbers[index_of(item.what)] - 1;
}

static void count(const struct mpl_folded *s, size_t n, bool is_double,
                  const struct alphabet *x, uint64_t *counts)
{
    size_t next = n == 0 ? 0 : number_of(x, s->items[0]);

    for (size_t i = 0; i < n && !is_double; i++) {
        counts[number_of(x, s->items[i])] += s->items[i].count;
    }
    for (size_t i = 0; i < n && is_double; i++) {
        const size_t first = next;

        next = number_of(x, s->items[i + 1]);
        counts[first * x->n + next]++;
    }
}

static bool gather(const struct alphabet *x, const uint64_t *counts, size_t n_counts,
                   bool is_double, struct mpl_arena *arena, struct mpl_frequencies *out)
{
    struct mpl_attribute *all;
    uint32_t n = 0;

    for (size_t i = 0; i < n_counts; i++) {
        n += counts[i] > 0;
    }
    all = MPL_NEW_ARRAY(arena, n, struct mpl_attribute);
    if (all == NULL) {
        return false;
    }
    n = 0;
    for (size_t i = 0; i < n_counts; i++) {
        const uint64_t first = x->items[is_double ? i / x->n : i];

        if (counts[i] > 0) {
            all[n++] = (struct mpl_attribute){ is_double ? first << 32 | x->items[i % x->n]
                                                         : first,
                                               counts[i] };
        }
    }
    sort(all, n);
    *out = (struct mpl_frequencies){ n, all };
    return true;
}

/* False: sorting is the better way, or there is no memory. */
static bool make_counted(const struct mpl_folded *s, size_t n, bool is_double,
                         struct mpl_arena *arena, struct mpl_arena *scratch,
                         struct mpl_frequencies *out)
{
    struct alphabet x = { 0 };
    uint64_t *counts;
    size_t n_counts;

    if (!make_alphabet(s, scratch, &x)) {
        return false;
    }
    n_counts = is_double ? (size_t) x.n * x.n : x.n;
    counts = n_counts > n ? NULL : MPL_NEW_ARRAY(scratch, n_counts, uint64_t);
    if (counts == NULL) {
        return false;
    }
    count(s, n, is_double, &x, counts);
    return gather(&x, counts, n_counts, is_double, arena, out);
}

bool mpl_frequencies_make(const struct mpl_folded *s, enum mpl_context_of of,
                          struct mpl_arena *arena, struct mpl_frequencies *out)
{
    const bool is_double = of == MPL_CONTEXT_DOUBLE;
    const size_t n = is_double ? (s->n == 0 ? 0 : s->n - 1) : s->n;
    struct mpl_arena *scratch = n < LEAST_COUNTED ? NULL : mpl_arena_create();
    const bool is_counted =
        scratch != NULL && make_counted(s, n, is_double, arena, scratch, out);

    mpl_arena_destroy(scratch);
    return is_counted || make_sorted(s, n, is_double, arena, out);
}

const struct mpl_frequencies *mpl_frequencies_of_all(const struct mpl_folded *sequences,
                                                     size_t n, enum mpl_context_of of,
                                                     struct mpl_arena *arena)
{
    struct mpl_frequencies *all = MPL_NEW_ARRAY(arena, n, struct mpl_frequencies);
    struct mpl_map *done = mpl_map_create(); /* By where items stand. */
    bool is_done = all != NULL && done != NULL;

    for (uint32_t i = 0; i < n && is_done; i++) {
        const uint64_t key = (uint64_t) (uintptr_t) sequences[i].items;
        const uint32_t same = mpl_map_find(done, key);

        if (same != MPL_NONE) {
            all[i] = all[same];
        } else {
            is_done = mpl_frequencies_make(&sequences[i], of, arena, &all[i]) &&
                      mpl_map_put(done, key, i);
        }
    }
    mpl_map_destroy(done);
    return is_done ? all : NULL;
}
