/* Processes that change in the same way, each with partners of its own: said once. */
#include "config.h"

#include "report/report_priv.h"

#include <string.h>

/* What goes to other partners is alike, if that is no part of the change. */
static bool is_symbol_alike(const struct mpl_diff *diff, uint32_t a, uint32_t b)
{
    if (a == b || a == MPL_NONE || b == MPL_NONE) {
        return a == b;
    }

    const struct mpl_symbol *x = mpl_symbols_get(diff->symbols, a);
    const struct mpl_symbol *y = mpl_symbols_get(diff->symbols, b);

    return x->function == y->function && (x->to == MPL_NONE) == (y->to == MPL_NONE) &&
           (x->from == MPL_NONE) == (y->from == MPL_NONE) && x->root == y->root &&
           x->tag == y->tag && x->comm == y->comm && x->sent_bytes == y->sent_bytes &&
           x->received_bytes == y->received_bytes && (x->more == 0) == (y->more == 0) &&
           x->path == y->path && x->is_return == y->is_return;
}

/* Another partner of the same call is what changed. */
static bool changes_partner(const struct mpl_diff *diff, const struct mpl_divergence *x)
{
    if (x->base_symbol == MPL_NONE || x->new_symbol == MPL_NONE) {
        return false;
    }

    const struct mpl_symbol *a = mpl_symbols_get(diff->symbols, x->base_symbol);
    const struct mpl_symbol *b = mpl_symbols_get(diff->symbols, x->new_symbol);

    return a->function == b->function && (a->to != b->to || a->from != b->from);
}

static bool are_items_alike(const struct mpl_diff *diff, const struct mpl_item *a,
                            const struct mpl_item *b, uint32_t n);

static bool is_item_alike(const struct mpl_diff *diff, struct mpl_item a, struct mpl_item b)
{
    if (a.count != b.count || ((a.what ^ b.what) & MPL_LOOP) != 0) {
        return false;
    }
    if (a.what == b.what || (a.what & MPL_LOOP) == 0) {
        return is_symbol_alike(diff, a.what, b.what);
    }

    const struct mpl_loop x = mpl_loops_get(diff->loops, a.what & ~MPL_LOOP);
    const struct mpl_loop y = mpl_loops_get(diff->loops, b.what & ~MPL_LOOP);

    return x.n == y.n && are_items_alike(diff, x.items, y.items, x.n);
}

static bool are_items_alike(const struct mpl_diff *diff, const struct mpl_item *a,
                            const struct mpl_item *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!is_item_alike(diff, a[i], b[i])) {
            return false;
        }
    }
    return true;
}

static bool are_alike(const struct mpl_diff *diff, const struct mpl_divergence *a,
                      const struct mpl_divergence *b)
{
    if (a->n_blocks != b->n_blocks || a->iteration != b->iteration ||
        a->n_iterations != b->n_iterations || a->position != b->position ||
        !mpl_is_same_text(a->remark, b->remark) || changes_partner(diff, a) ||
        changes_partner(diff, b) ||
        !is_symbol_alike(diff, a->base_symbol, b->base_symbol) ||
        !is_symbol_alike(diff, a->new_symbol, b->new_symbol)) {
        return false;
    }
    for (size_t i = 0; i < a->n_blocks; i++) {
        const struct mpl_block *x = &a->blocks[i];
        const struct mpl_block *y = &b->blocks[i];

        if (x->side != y->side || x->n != y->n ||
            !are_items_alike(diff, x->items, y->items, x->n)) {
            return false;
        }
    }
    return true;
}

size_t mpl_changes_group(const struct mpl_diff *diff, size_t most, size_t *of)
{
    size_t n = 0;
    size_t at = 0;

    for (size_t i = 0; i < diff->n_changes; i++) {
        of[i] = SIZE_MAX;
    }
    for (; n < most && at < diff->n_changes; at++) {
        if (of[at] != SIZE_MAX) {
            continue;
        }
        of[at] = n;
        for (size_t i = at + 1; i < diff->n_changes; i++) {
            if (of[i] == SIZE_MAX &&
                are_alike(diff, &diff->changes[at], &diff->changes[i])) {
                of[i] = n;
            }
        }
        n++;
    }
    return n;
}
