/*
 * Nested loop recognition (Ketterlin and Clauss 2008, as DiffTrace adapts it). Symbols are put on a stack.
 * Three equal stretches on top of it become a loop; two, if that loop is known from elsewhere; a body
 * behind its loop is one more iteration. A loop is an item like others, so loops nest.
 *
 * Which lengths of a stretch are worth looking at must not cost K tries: stretches are compared by a hash
 * of all items below (of a stretch: the difference of two), and only such lengths are tried at which the
 * last four items occurred before. What the hash finds is compared item by item, so nothing is lost.
 *
 * Loops known are those of all sequences in the pass before, so they do not depend on the order of the
 * sequences: passes follow each other until none finds a new loop.
 */
#include "config.h"

#include "sequence/sequence.h"

#include <string.h>

/* GRAM items are compared at once; shorter bodies are tried anyhow. */
enum { GRAM = 4, BUCKETS = 1 << 14, MOST_PASSES = 8, FIRST_PLACES = 256 };

static const uint64_t base = UINT64_C(0xD1342543DE82EF95); /* Odd. */

struct body {
    uint32_t first; /* In the items of all bodies. */
    uint32_t n;
    uint64_t hash;
    uint64_t length;
    uint32_t most; /* The highest count with which this loop stands in a body. */
    bool is_plain; /* Calls only. */
};

struct mpl_loops {
    struct mpl_arena *arena;
    struct mpl_arena *own;
    uint32_t k;
    struct mpl_map *numbers; /* Hash of a body, or behind it: its loop. */
    struct mpl_buf bodies;   /* struct body */
    struct mpl_buf items;    /* struct mpl_item, of all bodies */
    uint64_t *powers;        /* Of base, up to K. */
    uint32_t n_known;        /* Loops that two iterations are enough for. */
    bool
        is_open; /* Two were not enough somewhere: with more loops known, more may become of it. */
    struct mpl_buf stack; /* struct place */
    uint32_t *heads;      /* Per bucket: 1 + the topmost place with such a gram. */
    struct mpl_buf seen;  /* uint64_t, per symbol: where it was seen last. */
    uint64_t
        n_seen; /* Symbols so far; those of different sequences are far from each other. */
};

struct place {
    struct mpl_item item;
    uint64_t sum;       /* Hash of all items up to this one. */
    uint64_t gram;      /* Of the last GRAM items; 0: there are fewer. */
    uint32_t alike;     /* 1 + the place below in the same bucket; 0: none. */
    uint32_t last_loop; /* 1 + the topmost place up to this one that is a loop; 0: none. */
};

struct mpl_loops *mpl_loops_create(uint32_t k, struct mpl_arena *arena)
{
    struct mpl_arena *own = mpl_arena_create();
    struct mpl_loops *x = own == NULL ? NULL : MPL_NEW(own, struct mpl_loops);

    if (x == NULL) {
        mpl_arena_destroy(own);
        return NULL;
    }
    x->arena = arena;
    x->own = own;
    x->k = k;
    x->numbers = mpl_map_create();
    x->bodies = mpl_buf_make(sizeof(struct body));
    x->items = mpl_buf_make(sizeof(struct mpl_item));
    x->stack = mpl_buf_make(sizeof(struct place));
    x->seen = mpl_buf_make(sizeof(uint64_t));
    x->powers = MPL_NEW_ARRAY(own, (size_t) k + 1, uint64_t);
    x->heads = MPL_NEW_ARRAY(own, BUCKETS, uint32_t);
    if (x->numbers == NULL || x->powers == NULL || x->heads == NULL) {
        mpl_loops_destroy(x);
        return NULL;
    }
    x->powers[0] = 1;
    for (uint32_t i = 1; i <= k; i++) {
        x->powers[i] = x->powers[i - 1] * base;
    }
    return x;
}

void mpl_loops_destroy(struct mpl_loops *loops)
{
    if (loops != NULL) {
        mpl_map_destroy(loops->numbers);
        mpl_buf_free(&loops->bodies);
        mpl_buf_free(&loops->items);
        mpl_buf_free(&loops->stack);
        mpl_buf_free(&loops->seen);
        mpl_arena_destroy(loops->own);
    }
}

uint32_t mpl_loops_count(const struct mpl_loops *loops)
{
    return (uint32_t) loops->bodies.n;
}

static const struct body *body_of(const struct mpl_loops *x, uint32_t loop)
{
    return mpl_buf_get(&x->bodies, loop);
}

static const struct mpl_item *items_of(const struct mpl_loops *x, const struct body *body)
{
    return mpl_buf_get(&x->items, body->first);
}

struct mpl_loop mpl_loops_get(const struct mpl_loops *loops, uint32_t loop)
{
    const struct body *b = body_of(loops, loop);

    return (struct mpl_loop){ b->n, items_of(loops, b), b->length };
}

uint64_t mpl_item_length(const struct mpl_loops *loops, struct mpl_item item)
{
    return (item.what & MPL_LOOP) == 0
               ? item.count
               : item.count * body_of(loops, item.what & ~MPL_LOOP)->length;
}

/* ---- the stack -------------------------------------------------------------------------------- */

static struct place *place_at(const struct mpl_loops *x, size_t i)
{
    return (struct place *) x->stack.data + i;
}

/* Hash of the \p n items below \p end. */
static uint64_t stretch(const struct mpl_loops *x, size_t end, uint32_t n)
{
    const uint64_t below = end == n ? 0 : place_at(x, end - n - 1)->sum;

    return place_at(x, end - 1)->sum - below * x->powers[n];
}

static uint32_t *head_of(const struct mpl_loops *x, uint64_t gram)
{
    return &x->heads[(gram >> 20) % BUCKETS];
}

static bool push(struct mpl_loops *x, struct mpl_item item)
{
    const size_t n = x->stack.n + 1;

    if (n > x->stack.room && !mpl_buf_reserve(&x->stack, FIRST_PLACES + 2 * n)) {
        return false;
    }
    x->stack.n = n;
    struct place *p = place_at(x, n - 1);
    *p = (struct place){ .item = item,
                         .sum = (n == 1 ? 0 : p[-1].sum) * base +
                                mpl_hash_mix((uint64_t) item.count << 32 | item.what),
                         .last_loop = (item.what & MPL_LOOP) != 0 ? (uint32_t) n
                                      : n == 1                    ? 0
                                                                  : p[-1].last_loop };
    if (n >= GRAM && x->k >= GRAM) {
        p->gram = stretch(x, n, GRAM);
        uint32_t *head = head_of(x, p->gram);
        p->alike = *head;
        *head = (uint32_t) n;
    }
    return true;
}

static void pop(struct mpl_loops *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct place *p = place_at(x, x->stack.n - 1);

        if (x->stack.n >= GRAM && x->k >= GRAM) {
            *head_of(x, p->gram) = p->alike;
        }
        x->stack.n--;
    }
}

static bool is_equal_item(struct mpl_item a, struct mpl_item b)
{
    return a.what == b.what && a.count == b.count;
}

/* Whether the \p n items on top stand \p times times on top of each other. */
static bool is_repeated(const struct mpl_loops *x, uint32_t n, uint32_t times)
{
    const size_t top = x->stack.n;

    for (size_t i = top - (size_t) n * times; i + n < top; i++) {
        if (!is_equal_item(place_at(x, i)->item, place_at(x, i + n)->item)) {
            return false;
        }
    }
    return true;
}

static bool is_body(const struct mpl_loops *x, uint32_t loop)
{
    const struct body *b = body_of(x, loop);
    const struct mpl_item *items = items_of(x, b);

    for (uint32_t i = 0; i < b->n; i++) {
        if (!is_equal_item(items[i], place_at(x, x->stack.n - b->n + i)->item)) {
            return false;
        }
    }
    return true;
}

/* ---- loops ------------------------------------------------------------------------------------ */

/* The loop whose body are the \p n items on top, and where it is to be put if there is none. */
static uint32_t find_loop(const struct mpl_loops *x, uint32_t n, uint64_t *key)
{
    const uint64_t hash = stretch(x, x->stack.n, n);

    for (*key = hash + n;; ++*key) {
        const uint32_t loop = mpl_map_find(x->numbers, *key);

        if (loop == MPL_NONE || (body_of(x, loop)->n == n && is_body(x, loop))) {
            return loop;
        }
    }
}

static uint32_t add_loop(struct mpl_loops *x, uint32_t n, uint64_t key)
{
    const uint32_t loop = (uint32_t) x->bodies.n;
    const size_t first = x->items.n;
    uint64_t length = 0;
    bool is_plain = true;

    for (uint32_t i = 0; i < n; i++) {
        struct mpl_item *item = mpl_buf_add(&x->items);

        if (item == NULL) {
            return MPL_NONE;
        }
        *item = place_at(x, x->stack.n - n + i)->item;
        length += mpl_item_length(x, *item);
        if ((item->what & MPL_LOOP) != 0) {
            struct body *inner = mpl_buf_get(&x->bodies, item->what & ~MPL_LOOP);

            inner->most = item->count > inner->most ? item->count : inner->most;
            is_plain = false;
        }
    }

    struct body *body = mpl_buf_add(&x->bodies);

    if (body == NULL || !mpl_map_put(x->numbers, key, loop)) {
        return MPL_NONE;
    }
    *body = (struct body){ .first = (uint32_t) first,
                           .n = n,
                           .hash = stretch(x, x->stack.n, n),
                           .length = length,
                           .is_plain = is_plain };
    return loop;
}

/* ---- what the top of the stack is --------------------------------------------------------------- */

enum change { UNCHANGED, CHANGED, NO_MEMORY };

/* One more iteration of a loop that stands below? */
static enum change extend(struct mpl_loops *x)
{
    const size_t top = x->stack.n;

    for (uint32_t at = top < 2 ? 0 : place_at(x, top - 2)->last_loop; at > 0;
         at = at < 2 ? 0 : place_at(x, at - 2)->last_loop) {
        const uint32_t n = (uint32_t) (top - at);
        struct mpl_item item = place_at(x, at - 1)->item;
        const struct body *body = body_of(x, item.what & ~MPL_LOOP);

        if (n > x->k) {
            break;
        }
        if (body->n == n && body->hash == stretch(x, top, n) &&
            is_body(x, item.what & ~MPL_LOOP)) {
            pop(x, n + 1);
            item.count++;
            return push(x, item) ? CHANGED : NO_MEMORY;
        }
    }
    return UNCHANGED;
}

/* Most lengths are out of question for this alone. */
static bool ends_alike(const struct mpl_loops *x, uint32_t n)
{
    const struct place *top = place_at(x, x->stack.n - 1);

    return is_equal_item(top->item, (top - n)->item);
}

/* A loop whose body are the \p n items on top? */
static enum change fold(struct mpl_loops *x, uint32_t n)
{
    const size_t top = x->stack.n;
    const uint64_t hash = stretch(x, top, n);
    uint32_t times = 2;
    uint64_t key;

    if (hash != stretch(x, top - n, n) || !is_repeated(x, n, 2)) {
        return UNCHANGED;
    }

    uint32_t loop = find_loop(x, n, &key);

    if (loop == MPL_NONE || loop >= x->n_known) {
        times = 3;
        if (3 * (size_t) n > top || hash != stretch(x, top - 2 * (size_t) n, n) ||
            !is_repeated(x, n, 3)) {
            x->is_open = true;
            return UNCHANGED;
        }
    }
    if (loop == MPL_NONE) {
        loop = add_loop(x, n, key);
        if (loop == MPL_NONE) {
            return NO_MEMORY;
        }
    }
    pop(x, n * times);
    return push(x, (struct mpl_item){ MPL_LOOP | loop, times }) ? CHANGED : NO_MEMORY;
}

static enum change settle(struct mpl_loops *x)
{
    const size_t top = x->stack.n;
    enum change change = extend(x);

    for (uint32_t n = 1;
         n < GRAM && n <= x->k && 2 * (size_t) n <= top && change == UNCHANGED; n++) {
        change = ends_alike(x, n) ? fold(x, n) : UNCHANGED;
    }
    if (change != UNCHANGED || top < 2 * (size_t) GRAM || x->k < GRAM) {
        return change;
    }

    const uint64_t gram = place_at(x, top - 1)->gram;

    for (uint32_t at = place_at(x, top - 1)->alike; at > 0 && change == UNCHANGED;
         at = place_at(x, at - 1)->alike) {
        const size_t n = top - at;

        if (n > x->k || 2 * n > top) {
            break;
        }
        if (n >= GRAM && place_at(x, at - 1)->gram == gram) {
            change = fold(x, (uint32_t) n);
        }
    }
    return change;
}

/* ---- many iterations at once ------------------------------------------------------------------------ */

/* The highest count with which a loop stands within K items below the top. */
static uint32_t most_below(const struct mpl_loops *x, uint32_t what)
{
    const size_t top = x->stack.n;
    uint32_t most = 0;

    for (uint32_t at = top < 2 ? 0 : place_at(x, top - 2)->last_loop;
         at > 0 && top - at <= x->k; at = at < 2 ? 0 : place_at(x, at - 2)->last_loop) {
        const struct mpl_item item = place_at(x, at - 1)->item;

        most = item.what == what && item.count > most ? item.count : most;
    }
    return most;
}

/*
 * Symbols that are further iterations of the loop on top, whose body has calls only. Put on the stack one by one they
 * would make nothing else in between: the body did not when it was put there, and a longer stretch that repeats holds the
 * loop itself, as often as it is taken by then. That it must not stand anywhere else, neither in reach below nor in a
 * body. What is returned is how many symbols that are.
 */
static uint32_t count_further(const struct mpl_loops *x, const uint32_t *symbols,
                              uint32_t n, uint32_t *times)
{
    const struct mpl_item top =
        x->stack.n == 0 ? (struct mpl_item){ 0, 0 } : place_at(x, x->stack.n - 1)->item;
    const struct body *body =
        (top.what & MPL_LOOP) != 0 ? body_of(x, top.what & ~MPL_LOOP) : NULL;
    uint32_t i = 0;

    *times = 0;
    if (body == NULL || !body->is_plain || top.count <= body->most) {
        return 0;
    }
    const struct mpl_item *items = items_of(x, body);
    while (n - i >= body->n) {
        uint32_t k = 0;

        while (k < body->n && symbols[i + k] == items[k].what) {
            k++;
        }
        if (k < body->n) {
            break;
        }
        i += k;
        ++*times;
    }
    if (*times > 0 && top.count <= most_below(x, top.what)) {
        *times = 0;
    }
    return *times * body->n;
}

static bool add_times(struct mpl_loops *x, uint32_t times)
{
    struct mpl_item item = place_at(x, x->stack.n - 1)->item;

    pop(x, 1);
    item.count += times;
    return push(x, item);
}

/* ---- sequences -------------------------------------------------------------------------------- */

/* False: no memory. */
static bool make_seen(struct mpl_loops *x, const struct mpl_sequence *s)
{
    uint32_t highest = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        highest = s->symbols[i] > highest ? s->symbols[i] : highest;
    }
    x->n_seen += x->k;
    return highest < x->seen.n ||
           mpl_buf_add_many(&x->seen, (size_t) highest + 1 - x->seen.n) != NULL;
}

/*
 * Whether the symbol on top cannot end anything that repeats: there is no loop within K items below it, so that these are the
 * symbols before it, and it is none of them. So it is with most symbols of a process that does nothing regularly.
 */
static bool is_new(struct mpl_loops *x, uint32_t symbol)
{
    uint64_t *seen = (uint64_t *) x->seen.data + symbol;
    const uint64_t before = *seen;
    const size_t top = x->stack.n;

    *seen = ++x->n_seen;
    return x->n_seen - before > x->k && top - place_at(x, top - 1)->last_loop > x->k;
}

static bool fold_sequence(struct mpl_loops *x, const struct mpl_sequence *s,
                          struct mpl_arena *arena, struct mpl_folded *out)
{
    enum change change = make_seen(x, s) ? CHANGED : NO_MEMORY;

    for (uint32_t i = 0; i < s->n && change != NO_MEMORY; i++) {
        uint32_t times;

        change = push(x, (struct mpl_item){ s->symbols[i], 1 }) ? CHANGED : NO_MEMORY;
        if (change == CHANGED && is_new(x, s->symbols[i])) {
            continue;
        }
        while (change == CHANGED) {
            change = settle(x);
        }
        if (change == UNCHANGED) {
            i += count_further(x, s->symbols + i + 1, s->n - i - 1, &times);
            change = times == 0 || add_times(x, times) ? UNCHANGED : NO_MEMORY;
        }
    }
    out->n = (uint32_t) x->stack.n;
    struct mpl_item *items = MPL_NEW_ARRAY(arena, out->n, struct mpl_item);
    for (uint32_t i = 0; i < out->n && items != NULL; i++) {
        items[i] = place_at(x, i)->item;
    }
    out->items = items;
    pop(x, out->n);
    return change != NO_MEMORY && items != NULL;
}

/* Of every fourth symbol a hash of its own, so that none has to wait for the one before. */
static uint64_t hash_sequence(const struct mpl_sequence *s)
{
    enum { LANES = 4 };
    uint64_t lane[LANES] = { 0 };
    uint64_t hash = s->n;
    uint32_t i = 0;

    for (; s->n - i >= LANES; i += LANES) {
        for (uint32_t k = 0; k < LANES; k++) {
            lane[k] = lane[k] * base + s->symbols[i + k];
        }
    }
    for (; i < s->n; i++) {
        hash = hash * base + s->symbols[i];
    }
    for (uint32_t k = 0; k < LANES; k++) {
        hash = hash * base + lane[k];
    }
    return hash;
}

/* False: no memory. */
static bool find_content(const struct mpl_sequence *sequences, uint32_t i,
                         struct mpl_map *seen, uint32_t *first)
{
    const uint64_t hash = hash_sequence(&sequences[i]);
    const uint32_t at = mpl_map_find(seen, hash);
    const struct mpl_sequence *other = at == MPL_NONE ? NULL : &sequences[at];

    *first = i;
    if (other == NULL) {
        return mpl_map_put(seen, hash, i);
    }
    if (other->n == sequences[i].n && memcmp(other->symbols, sequences[i].symbols,
                                             other->n * sizeof *other->symbols) == 0) {
        *first = at;
    }
    return true;
}

bool mpl_sequences_find_equal(const struct mpl_sequence *sequences, size_t n,
                              uint32_t *first)
{
    struct mpl_map *contents = mpl_map_create();
    struct mpl_map *shared = mpl_map_create(); /* By where symbols stand. */
    bool is_done = contents != NULL && shared != NULL;

    for (uint32_t i = 0; i < n && is_done; i++) {
        const uint64_t key = (uint64_t) (uintptr_t) sequences[i].symbols;

        first[i] = mpl_map_find(shared, key);
        if (first[i] == MPL_NONE) {
            is_done = find_content(sequences, i, contents, &first[i]) &&
                      mpl_map_put(shared, key, first[i]);
        }
    }
    mpl_map_destroy(contents);
    mpl_map_destroy(shared);
    return is_done;
}

/* Of each sequence that may look different now that more loops are known. */
static bool pass(struct mpl_loops *x, const struct mpl_sequence *sequences, size_t n,
                 const uint32_t *first, bool *is_settled, struct mpl_folded *out)
{
    for (size_t i = 0; i < n; i++) {
        if (first[i] != i) {
            out[i] = out[first[i]];
        } else if (!is_settled[i]) {
            x->is_open = false;
            if (!fold_sequence(x, &sequences[i], x->arena, &out[i])) {
                return false;
            }
            is_settled[i] = !x->is_open;
        }
    }
    return true;
}

enum mpl_status mpl_loops_fold(struct mpl_loops *loops,
                               const struct mpl_sequence *sequences, size_t n,
                               struct mpl_folded *out, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    uint32_t *first = scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, n, uint32_t);
    bool *is_settled = scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, n, bool);
    bool is_done = first != NULL && is_settled != NULL &&
                   mpl_sequences_find_equal(sequences, n, first);
    bool is_last = false;

    for (int i = 0; i < MOST_PASSES && is_done && !is_last; i++) {
        const uint32_t n_before = mpl_loops_count(loops);

        loops->n_known = n_before;
        is_done = pass(loops, sequences, n, first, is_settled, out);
        is_last = mpl_loops_count(loops) == n_before;
    }
    mpl_arena_destroy(scratch);
    return is_done ? MPL_OK : mpl_nomem(err);
}
