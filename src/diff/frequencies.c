/*
 * How often what occurs in a sequence. Without loops a sequence has as many entries as calls, and few different ones:
 * then they are counted in a table of all pairs of them, which is much faster than sorting. Calls in loops are counted once, as
 * often as the loop is taken.
 */
#include "config.h"

#include "diff/diff_priv.h"

static int by_key(const void *x, const void *y)
{
    const struct mpl_context_attribute *a = x;
    const struct mpl_context_attribute *b = y;

    return (a->key > b->key) - (a->key < b->key);
}

static void sort(struct mpl_context_attribute *all, size_t n)
{
    mpl_sort(all, n, sizeof *all, by_key);
}

/* ---- a sequence ---------------------------------------------------------------------------------------- */

/* Different entries of a sequence, numbered from 1 in order of first appearance. */
struct alphabet {
    uint32_t n;
    uint32_t *entries; /* What they are; the first one is not used. */
    uint32_t *numbers; /* Per index_of() of an entry; 0: it does not occur. */
};

struct counting {
    const struct mpl_loops *loops; /* NULL: loops are entries; else calls are. */
    struct alphabet alphabet;
    uint64_t *singles; /* Per entry; NULL: nobody asks, */
    uint64_t *pairs;   /* and per pair of them. */
};

static size_t index_of(uint32_t what)
{
    return (size_t) (what & ~MPL_LOOP) << 1 | (what & MPL_LOOP) >> 31;
}

static bool is_opened(const struct mpl_loops *loops, uint32_t what)
{
    return loops != NULL && (what & MPL_LOOP) != 0;
}

static struct mpl_loop loop_of(const struct mpl_loops *loops, uint32_t what)
{
    return mpl_loops_get(loops, what & ~MPL_LOOP);
}

/* The first entry of an item. */
static uint32_t first_of(const struct mpl_loops *loops, uint32_t what)
{
    while (is_opened(loops, what)) {
        what = loop_of(loops, what).items[0].what;
    }
    return what;
}

static uint32_t last_of(const struct mpl_loops *loops, uint32_t what)
{
    while (is_opened(loops, what)) {
        const struct mpl_loop loop = loop_of(loops, what);

        what = loop.items[loop.n - 1].what;
    }
    return what;
}

/* ---- by counting ------------------------------------------------------------------------------------- */

/* Below that, sorting costs nothing. */
enum { LEAST_COUNTED = 256 };

static size_t highest_of(const struct mpl_loops *loops, const struct mpl_item *items,
                         size_t n)
{
    size_t highest = 0;

    for (size_t i = 0; i < n; i++) {
        size_t here = index_of(items[i].what);

        if (is_opened(loops, items[i].what)) {
            const struct mpl_loop loop = loop_of(loops, items[i].what);

            here = highest_of(loops, loop.items, loop.n);
        }
        highest = here > highest ? here : highest;
    }
    return highest;
}

static void number_all(struct counting *c, const struct mpl_item *items, size_t n)
{
    struct alphabet *x = &c->alphabet;

    for (size_t i = 0; i < n; i++) {
        if (is_opened(c->loops, items[i].what)) {
            const struct mpl_loop loop = loop_of(c->loops, items[i].what);

            number_all(c, loop.items, loop.n);
        } else if (x->numbers[index_of(items[i].what)] == 0) {
            x->entries[++x->n] = items[i].what;
            x->numbers[index_of(items[i].what)] = x->n;
        }
    }
}

static bool make_alphabet(struct counting *c, const struct mpl_folded *s, uint64_t n,
                          struct mpl_arena *scratch)
{
    const size_t highest = highest_of(c->loops, s->items, s->n);

    /* A table that is larger than the sequence is not worth it. */
    if (highest >= n) {
        return false;
    }
    c->alphabet.numbers = MPL_NEW_ARRAY(scratch, highest + 1, uint32_t);
    c->alphabet.entries = MPL_NEW_ARRAY(scratch, highest + 2, uint32_t);
    if (c->alphabet.numbers == NULL || c->alphabet.entries == NULL) {
        return false;
    }
    number_all(c, s->items, s->n);
    return true;
}

static void count_pair(const struct counting *c, uint32_t left, uint32_t right,
                       uint64_t times)
{
    if (c->pairs != NULL) {
        c->pairs[(size_t) left * (c->alphabet.n + 1) + right] += times;
    }
}

/* The body of a loop is looked at once, and is followed by itself. */
static void count_all(const struct counting *c, const struct mpl_item *items, size_t n,
                      uint64_t times)
{
    uint32_t before = 0;

    for (size_t i = 0; i < n; i++) {
        const uint32_t what = items[i].what;
        const uint64_t times_here = times * items[i].count;
        const uint32_t first = c->alphabet.numbers[index_of(first_of(c->loops, what))];
        uint32_t last = first;

        count_pair(c, before, first, times);
        if (is_opened(c->loops, what)) {
            const struct mpl_loop loop = loop_of(c->loops, what);

            last = c->alphabet.numbers[index_of(last_of(c->loops, what))];
            count_pair(c, last, first, times_here - times);
            count_all(c, loop.items, loop.n, times_here);
        } else if (c->singles != NULL) {
            c->singles[first] += times_here;
        }
        before = last;
    }
}

static bool gather(const struct counting *c, const uint64_t *counts, bool is_double,
                   struct mpl_arena *arena, struct mpl_frequencies *out)
{
    const struct alphabet *x = &c->alphabet;
    const size_t end = x->n + 1;
    uint32_t n = 0;

    /* Before the first one of a body stands number 0. */
    for (size_t i = is_double ? end : 0; i < (is_double ? end * end : end); i++) {
        n += counts[i] > 0;
    }
    struct mpl_context_attribute *all =
        MPL_NEW_ARRAY(arena, n, struct mpl_context_attribute);
    if (all == NULL) {
        return false;
    }
    n = 0;
    for (size_t i = is_double ? end : 0; i < (is_double ? end * end : end); i++) {
        const uint64_t first = x->entries[is_double ? i / end : i];

        if (counts[i] > 0) {
            all[n++] = (struct mpl_context_attribute){
                is_double ? first << 32 | x->entries[i % end] : first, counts[i]
            };
        }
    }
    sort(all, n);
    *out = (struct mpl_frequencies){ n, all };
    return true;
}

/* ---- by sorting -------------------------------------------------------------------------------------- */

struct listing {
    const struct mpl_loops *loops;
    bool is_double;
    struct mpl_buf all; /* struct mpl_context_attribute, some several times. */
    bool is_short;
};

static void list(struct listing *l, uint64_t key, uint64_t times)
{
    const struct mpl_context_attribute attribute = { key, times };

    l->is_short |= times > 0 && !mpl_buf_put(&l->all, &attribute);
}

static void list_pair(struct listing *l, uint32_t left, uint32_t right, uint64_t times)
{
    if (l->is_double) {
        list(l, (uint64_t) left << 32 | right, times);
    }
}

static void list_all(struct listing *l, const struct mpl_item *items, size_t n,
                     uint64_t times)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t what = items[i].what;
        const uint64_t times_here = times * items[i].count;
        const uint32_t first = first_of(l->loops, what);

        if (i > 0) {
            list_pair(l, last_of(l->loops, items[i - 1].what), first, times);
        }
        if (is_opened(l->loops, what)) {
            const struct mpl_loop loop = loop_of(l->loops, what);

            list_pair(l, last_of(l->loops, what), first, times_here - times);
            list_all(l, loop.items, loop.n, times_here);
        } else if (!l->is_double) {
            list(l, what, times_here);
        }
    }
}

static bool make_sorted(const struct mpl_folded *s, const struct mpl_loops *loops,
                        bool is_double, struct mpl_arena *arena,
                        struct mpl_frequencies *out)
{
    struct listing l = { .loops = loops,
                         .is_double = is_double,
                         .all = mpl_buf_make(sizeof(struct mpl_context_attribute)) };
    struct mpl_context_attribute *all;
    uint32_t n_kept = 0;

    list_all(&l, s->items, s->n, 1);
    all = l.all.data;
    sort(all, l.all.n);
    for (size_t i = 0; i < l.all.n; i++) {
        if (n_kept > 0 && all[n_kept - 1].key == all[i].key) {
            all[n_kept - 1].value += all[i].value;
        } else {
            all[n_kept++] = all[i];
        }
    }
    l.all.n = n_kept;
    *out = (struct mpl_frequencies){ n_kept, mpl_buf_take(&l.all, arena) };
    mpl_buf_free(&l.all);
    return out->all != NULL && !l.is_short;
}

static bool wants(unsigned of, enum mpl_context_of one)
{
    return (of & 1U << one) != 0;
}

/* Tables for what is asked for, where they are worth it. */
static void make_tables(struct counting *c, const struct mpl_folded *s, unsigned of,
                        struct mpl_arena *scratch)
{
    uint64_t n = c->loops == NULL ? s->n : 0; /* of entries, or calls */

    for (uint32_t i = 0; i < s->n && c->loops != NULL; i++) {
        n += mpl_item_length(c->loops, s->items[i]);
    }
    if (n < LEAST_COUNTED || !make_alphabet(c, s, n, scratch)) {
        return;
    }
    size_t end = (size_t) c->alphabet.n + 1;
    if (wants(of, MPL_CONTEXT_SINGLE)) {
        c->singles = MPL_NEW_ARRAY(scratch, end, uint64_t);
    }
    if (wants(of, MPL_CONTEXT_DOUBLE) && end * end <= n) {
        c->pairs = MPL_NEW_ARRAY(scratch, end * end, uint64_t);
    }
    if (c->singles != NULL || c->pairs != NULL) {
        count_all(c, s->items, s->n, 1);
    }
}

/* Cost: linear in items where few of them differ. False: no memory. */
static bool make(const struct mpl_folded *s, const struct mpl_loops *loops, unsigned of,
                 struct mpl_arena *arena, struct mpl_frequencies *out[2])
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct counting c = { .loops = loops };
    bool is_done = scratch != NULL;

    if (is_done) {
        make_tables(&c, s, of, scratch);
    }
    for (int one = MPL_CONTEXT_SINGLE; one <= MPL_CONTEXT_DOUBLE && is_done; one++) {
        const bool is_double = one == MPL_CONTEXT_DOUBLE;
        const uint64_t *counts = is_double ? c.pairs : c.singles;

        if (wants(of, (enum mpl_context_of) one)) {
            is_done = counts != NULL ? gather(&c, counts, is_double, arena, out[one])
                                     : make_sorted(s, loops, is_double, arena, out[one]);
        }
    }
    mpl_arena_destroy(scratch);
    return is_done;
}

bool mpl_frequencies_of_all(const struct mpl_folded *sequences, size_t n,
                            const struct mpl_loops *loops, unsigned of,
                            struct mpl_arena *arena, const struct mpl_frequencies **out)
{
    struct mpl_frequencies *all[2] = { MPL_NEW_ARRAY(arena, n, struct mpl_frequencies),
                                       MPL_NEW_ARRAY(arena, n, struct mpl_frequencies) };
    /* From the address of items to the first sequence that has them: several may share theirs. */
    struct mpl_map *done = mpl_map_create();
    bool is_done = all[0] != NULL && all[1] != NULL && done != NULL;

    for (uint32_t i = 0; i < n && is_done; i++) {
        const uint64_t key = (uint64_t) (uintptr_t) sequences[i].items;
        const uint32_t same = mpl_map_find(done, key);
        struct mpl_frequencies *here[2] = { &all[0][i], &all[1][i] };

        if (same != MPL_NONE) {
            all[0][i] = all[0][same];
            all[1][i] = all[1][same];
        } else {
            is_done =
                make(&sequences[i], loops, of, arena, here) && mpl_map_put(done, key, i);
        }
    }
    mpl_map_destroy(done);
    for (int one = MPL_CONTEXT_SINGLE; one <= MPL_CONTEXT_DOUBLE && is_done; one++) {
        out[one] = wants(of, (enum mpl_context_of) one) ? all[one] : NULL;
    }
    return is_done;
}
