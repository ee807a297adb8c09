/*
 * The calls of one location in both runs beside each other (the paper's diffNLR). What both begin and end with
 * is the same iterations of the same loops in both; only what lies between is folded anew and aligned. So
 * a single call that is missing does not shift all loops behind it.
 */
#include "config.h"

#include "diff/diff_priv.h"

/* So many edits between two sequences of loops, and nobody reads on. */
enum { MOST_EDITS = 500 };

/* ---- what both have in common ---------------------------------------------------------------- */

/* The last call of a run that was stopped has no records: whom it was about is not known. */
static bool is_stub(const struct mpl_comparison *c, uint32_t symbol, uint32_t other)
{
    const struct mpl_symbol *s = mpl_symbols_get(c->symbols, symbol);

    return s->function == mpl_symbols_get(c->symbols, other)->function &&
           s->to == MPL_NONE && s->from == MPL_NONE && s->root == MPL_NONE &&
           s->sent_bytes == UINT64_MAX && s->received_bytes == UINT64_MAX;
}

uint32_t mpl_sides_common(const struct mpl_comparison *c, const struct mpl_sides *sides)
{
    const struct mpl_sequence *a = sides->base;
    const struct mpl_sequence *b = sides->new;
    const uint32_t shorter = a->n < b->n ? a->n : b->n;
    uint32_t n = 0;

    while (n < shorter && a->symbols[n] == b->symbols[n]) {
        n++;
    }
    if (n < shorter && ((n + 1 == b->n && is_stub(c, b->symbols[n], a->symbols[n])) ||
                        (n + 1 == a->n && is_stub(c, a->symbols[n], b->symbols[n])))) {
        n++;
    }
    return n;
}

static uint32_t common_end(const struct mpl_sides *sides, uint32_t most)
{
    const struct mpl_sequence *a = sides->base;
    const struct mpl_sequence *b = sides->new;
    uint32_t n = 0;

    while (n < most && a->symbols[a->n - 1 - n] == b->symbols[b->n - 1 - n]) {
        n++;
    }
    return n;
}

/* ---- stretches of a folded sequence -------------------------------------------------------------- */

/* The item in which a call is, the calls before that item, and the iteration of its loop. */
struct spot {
    uint32_t item;
    uint32_t iteration;
    uint64_t start; /* Calls before that iteration. */
};

static uint64_t length_of(const struct mpl_comparison *c, struct mpl_item item)
{
    return mpl_item_length(c->loops, item) / item.count;
}

static struct spot find(const struct mpl_comparison *c, const struct mpl_folded *f,
                        uint64_t position)
{
    struct spot s = { 0, 0, 0 };

    for (; s.item < f->n; s.item++) {
        const uint64_t all = mpl_item_length(c->loops, f->items[s.item]);

        if (position < s.start + all) {
            const uint64_t one = length_of(c, f->items[s.item]);

            s.iteration = (uint32_t) ((position - s.start) / one);
            s.start += s.iteration * one;
            return s;
        }
        s.start += all;
    }
    return s;
}

struct stretch {
    uint32_t n;
    struct mpl_item *items;
};

/* The items between two iterations. */
static bool cut(const struct mpl_comparison *c, const struct mpl_folded *f,
                const struct spot *from, const struct spot *to, struct stretch *out)
{
    *out =
        (struct stretch){ 0, MPL_NEW_ARRAY(c->arena, (size_t) f->n + 1, struct mpl_item) };
    if (out->items == NULL) {
        return false;
    }
    for (uint32_t i = from->item; i < f->n && i <= to->item; i++) {
        struct mpl_item item = f->items[i];
        const uint32_t first = i == from->item ? from->iteration : 0;
        const uint32_t end = i == to->item ? to->iteration : item.count;

        if (end > first) {
            item.count = end - first;
            out->items[out->n++] = item;
        }
    }
    return true;
}

static bool add(struct mpl_comparison *c, struct mpl_buf *blocks, enum mpl_block_side side,
                const struct mpl_item *items, uint32_t n)
{
    struct mpl_block *last = blocks->n == 0 ? NULL : mpl_buf_get(blocks, blocks->n - 1);
    const uint32_t n_before = last != NULL && last->side == side ? last->n : 0;

    if (n == 0) {
        return true;
    }
    struct mpl_item *all = MPL_NEW_ARRAY(c->arena, (size_t) n_before + n, struct mpl_item);
    if (all == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < n_before; i++) {
        all[i] = last->items[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        all[n_before + i] = items[i];
    }
    if (n_before == 0) {
        last = mpl_buf_add(blocks);
    }
    if (last == NULL) {
        return false;
    }
    *last = (struct mpl_block){ side, n_before + n, all };
    return true;
}

/* Of a loop that both have, the iterations that both have, and then the others. */
static bool add_pair(struct mpl_comparison *c, struct mpl_buf *blocks, struct mpl_item a,
                     struct mpl_item b)
{
    struct mpl_item both = a;
    struct mpl_item rest = a;

    both.count = a.count < b.count ? a.count : b.count;
    rest.count = a.count + b.count - 2 * both.count;
    return add(c, blocks, MPL_BLOCK_BOTH, &both, 1) &&
           (rest.count == 0 ||
            add(c, blocks, a.count > b.count ? MPL_BLOCK_BASE : MPL_BLOCK_NEW, &rest, 1));
}

static bool add_aligned(struct mpl_comparison *c, struct mpl_buf *blocks,
                        const struct stretch *a, const struct mpl_folded *b,
                        const uint32_t *pairs)
{
    uint32_t y = 0;
    bool is_done = true;

    for (uint32_t x = 0; x < a->n && is_done; x++) {
        if (pairs[x] == MPL_NONE) {
            is_done = add(c, blocks, MPL_BLOCK_BASE, &a->items[x], 1);
            continue;
        }
        is_done = add(c, blocks, MPL_BLOCK_NEW, &b->items[y], pairs[x] - y) &&
                  add_pair(c, blocks, a->items[x], b->items[pairs[x]]);
        y = pairs[x] + 1;
    }
    return is_done && (y == b->n || add(c, blocks, MPL_BLOCK_NEW, &b->items[y], b->n - y));
}

/* ---- a location ------------------------------------------------------------------------------------ */

/* The new calls in between: as they are folded in their run where that cuts no iteration, else folded anew. */
static enum mpl_status fold_middle(struct mpl_comparison *c, const struct mpl_sides *sides,
                                   uint32_t from, uint32_t to, struct mpl_folded *out,
                                   struct mpl_err *err)
{
    const struct spot first = find(c, &sides->folded_new, from);
    const struct spot last = find(c, &sides->folded_new, to);
    const struct mpl_sequence rest = { to - from, sides->new->symbols + from, NULL };
    struct stretch stretch;

    if (first.start != from || last.start != to) {
        return mpl_loops_fold(c->loops, &rest, 1, out, err);
    }
    if (!cut(c, &sides->folded_new, &first, &last, &stretch)) {
        return mpl_nomem(err);
    }
    *out = (struct mpl_folded){ stretch.n, stretch.items };
    return MPL_OK;
}

static enum mpl_status align_middle(struct mpl_comparison *c, struct mpl_buf *blocks,
                                    const struct stretch *base,
                                    const struct mpl_folded *new, bool *is_cut,
                                    struct mpl_err *err)
{
    uint32_t *pairs = MPL_NEW_ARRAY(c->arena, base->n, uint32_t);
    enum mpl_status st = pairs == NULL ? mpl_nomem(err)
                                       : mpl_myers(base->items, base->n, new->items, new->n,
                                                   MOST_EDITS, pairs, is_cut, err);

    if (st == MPL_OK && !add_aligned(c, blocks, base, new, pairs)) {
        st = mpl_nomem(err);
    }
    return st;
}

/* Calls in an iteration of the loop in which the spot is; 0: in none. */
static uint64_t body_length(const struct mpl_comparison *c, const struct mpl_folded *f,
                            const struct spot *spot)
{
    return spot->item < f->n && (f->items[spot->item].what & MPL_LOOP) != 0
               ? length_of(c, f->items[spot->item])
               : 0;
}

/* Of two runs the outer loop, which one of them may not repeat often enough to have it; of the same loop
   the later iteration. */
static void take_loop(const struct mpl_comparison *c, const struct mpl_sides *sides,
                      const struct spot *base, const struct spot *new,
                      struct mpl_divergence *change)
{
    const uint64_t in_base = body_length(c, &sides->folded, base);
    const uint64_t in_new = body_length(c, &sides->folded_new, new);
    const bool is_new =
        in_new > in_base || (in_new == in_base && new->iteration > base->iteration);
    const struct spot *spot = is_new ? new : base;
    const struct mpl_folded *f = is_new ? &sides->folded_new : &sides->folded;

    if (in_base > 0 || in_new > 0) {
        change->iteration = spot->iteration;
        change->n_iterations = f->items[spot->item].count;
    }
}

static uint32_t symbol_at(const struct mpl_sequence *s, uint32_t i)
{
    return i < s->n ? s->symbols[i] : MPL_NONE;
}

static uint32_t first_symbol(const struct mpl_comparison *c, struct mpl_item item)
{
    while ((item.what & MPL_LOOP) != 0) {
        item = mpl_loops_get(c->loops, item.what & ~MPL_LOOP).items[0];
    }
    return item.what;
}

/* A loop that ends here in one run is begun once more in the other, which need not come to its end. */
static void take_one_more(const struct mpl_comparison *c, const struct mpl_folded *f,
                          const struct spot *spot, uint32_t symbol,
                          struct mpl_divergence *change)
{
    const struct mpl_item before = spot->item == 0 || spot->item > f->n
                                       ? (struct mpl_item){ 0, 0 }
                                       : f->items[spot->item - 1];

    if (change->n_iterations == 0 && (before.what & MPL_LOOP) != 0 &&
        spot->start == change->position && symbol != MPL_NONE &&
        mpl_symbols_get(c->symbols, first_symbol(c, before))->function ==
            mpl_symbols_get(c->symbols, symbol)->function) {
        change->iteration = before.count;
        change->n_iterations = before.count;
    }
}

void mpl_align_place(const struct mpl_comparison *c, const struct mpl_sides *sides,
                     struct mpl_divergence *change)
{
    const uint32_t i = change->position;
    const struct spot spot = find(c, &sides->folded, i);
    const struct spot other = find(c, &sides->folded_new, i);
    const uint32_t base_symbol = symbol_at(sides->base, i);
    const uint32_t new_symbol = symbol_at(sides->new, i);

    change->iteration = change->n_iterations = 0;
    take_loop(c, sides, &spot, &other, change);
    take_one_more(c, &sides->folded, &spot, new_symbol, change);
    take_one_more(c, &sides->folded_new, &other, base_symbol, change);
    /* The last call of an iteration twice is no matter of the next one, unless a whole further iteration begins
       with that call. */
    if (change->iteration > 0 && spot.start == i && i > 0 &&
        (body_length(c, &sides->folded_new, &other) == 0 || other.start != i) &&
        new_symbol == sides->base->symbols[i - 1] &&
        change->iteration < change->n_iterations) {
        change->iteration--;
    }
}

enum mpl_status mpl_align(struct mpl_comparison *c, const struct mpl_sides *sides,
                          struct mpl_divergence *change, struct mpl_err *err)
{
    const struct mpl_folded *f = &sides->folded;
    const uint32_t n_base = sides->base->n;
    const uint32_t n_new = sides->new->n;
    const uint32_t shorter = n_base < n_new ? n_base : n_new;
    const struct spot begin = { 0, 0, 0 };
    const struct spot first = find(c, f, change->position);
    const uint32_t kept = (uint32_t) first.start;
    struct spot last = find(c, f, n_base - common_end(sides, shorter - kept));
    const struct spot end = { f->n, 0, n_base };
    struct mpl_buf blocks = mpl_buf_make(sizeof(struct mpl_block));
    struct stretch head;
    struct stretch middle;
    struct stretch tail;
    struct mpl_folded rest;

    change->base_symbol = symbol_at(sides->base, change->position);
    change->new_symbol = symbol_at(sides->new, change->position);
    /* Begun iterations belong to the middle. */
    if (last.start < n_base - common_end(sides, shorter - kept)) {
        last = find(c, f, last.start + length_of(c, f->items[last.item]));
    }

    enum mpl_status st =
        fold_middle(c, sides, kept, n_new - (n_base - (uint32_t) last.start), &rest, err);
    if (st == MPL_OK &&
        (!cut(c, f, &begin, &first, &head) || !cut(c, f, &first, &last, &middle) ||
         !cut(c, f, &last, &end, &tail) ||
         !add(c, &blocks, MPL_BLOCK_BOTH, head.items, head.n))) {
        st = mpl_nomem(err);
    }
    st = st == MPL_OK ? align_middle(c, &blocks, &middle, &rest, &change->is_cut, err) : st;
    if (st == MPL_OK && !add(c, &blocks, MPL_BLOCK_BOTH, tail.items, tail.n)) {
        st = mpl_nomem(err);
    }
    change->n_blocks = blocks.n;
    change->blocks = mpl_buf_take(&blocks, c->arena);
    mpl_buf_free(&blocks);
    return st == MPL_OK && change->blocks == NULL ? mpl_nomem(err) : st;
}
