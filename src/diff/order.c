/*
 * Receives that met another sender than in the base, and nothing else is different: whether the program
 * asked for that sender is not recorded, so it may have taken what came first.
 */
#include "config.h"

#include "diff/diff_priv.h"

/* How often each function is called, base minus new: 0 for all, or a call is missing or too many. */
static bool has_same_calls(const struct mpl_comparison *c, const struct mpl_sequence *base,
                           const struct mpl_sequence *new, int64_t *counts)
{
    bool is_same = base->n == new->n;

    for (uint32_t i = 0; i < base->n && is_same; i++) {
        counts[mpl_symbols_get(c->symbols, base->symbols[i])->function]++;
        counts[mpl_symbols_get(c->symbols, new->symbols[i])->function]--;
    }
    for (uint32_t i = 0; i < base->n && base->n == new->n; i++) {
        const uint32_t a = mpl_symbols_get(c->symbols, base->symbols[i])->function;
        const uint32_t b = mpl_symbols_get(c->symbols, new->symbols[i])->function;

        is_same = is_same && counts[a] == 0 && counts[b] == 0;
    }
    for (uint32_t i = 0; i < base->n && base->n == new->n; i++) {
        counts[mpl_symbols_get(c->symbols, base->symbols[i])->function] = 0;
        counts[mpl_symbols_get(c->symbols, new->symbols[i])->function] = 0;
    }
    return is_same;
}

static bool met_another(const struct mpl_comparison *c, const struct mpl_sequence *base,
                        const struct mpl_sequence *new)
{
    uint32_t i = 0;

    while (i < base->n && base->symbols[i] == new->symbols[i]) {
        i++;
    }
    if (i == base->n) {
        return false;
    }

    const struct mpl_symbol *a = mpl_symbols_get(c->symbols, base->symbols[i]);
    const struct mpl_symbol *b = mpl_symbols_get(c->symbols, new->symbols[i]);

    return a->function == b->function && a->to == MPL_NONE && b->to == MPL_NONE &&
           a->from != MPL_NONE && b->from != MPL_NONE && a->from != b->from &&
           a->tag == b->tag && a->comm == b->comm;
}

enum mpl_status mpl_order_allow(struct mpl_comparison *c, const struct mpl_sequence *base,
                                const struct mpl_sequence *new, bool *has_more,
                                struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    /* Functions are numbered like all names, at most as many as regions and communicators. */
    const size_t n = mpl_symbols_names(c->symbols);
    int64_t *counts = scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, n, int64_t);

    *has_more = false;
    for (uint32_t l = 0; l < c->n_locations && counts != NULL; l++) {
        const uint32_t p = c->diff.base->model->locations[l].process;

        if (!c->takes_any[p] && has_same_calls(c, &base[l], &new[l], counts) &&
            met_another(c, &base[l], &new[l])) {
            c->takes_any[p] = true;
            *has_more = true;
        }
    }
    mpl_arena_destroy(scratch);
    return counts == NULL ? mpl_nomem(err) : MPL_OK;
}
