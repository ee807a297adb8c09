/* Changes that are nothing but the number of iterations of a loop. */
#include "config.h"

#include "diff/diff.h"

bool mpl_block_goes_on(const struct mpl_block *common, const struct mpl_block *next)
{
    const uint32_t what = common->items[common->n - 1].what;

    return (what & MPL_LOOP) != 0 && next->items[0].what == what;
}

bool mpl_divergence_counts(const struct mpl_divergence *x, uint32_t *base, uint32_t *new)
{
    const struct mpl_block *odd = NULL;
    uint32_t common = 0;

    for (size_t i = 0; i < x->n_blocks; i++) {
        const struct mpl_block *b = &x->blocks[i];

        if (b->side == MPL_BLOCK_BOTH) {
            continue;
        }
        if (odd != NULL || b->n != 1 || i == 0 ||
            !mpl_block_goes_on(&x->blocks[i - 1], b)) {
            return false;
        }
        odd = b;
        common = x->blocks[i - 1].items[x->blocks[i - 1].n - 1].count;
    }
    if (odd == NULL) {
        return false;
    }
    *base = common + (odd->side == MPL_BLOCK_BASE ? odd->items[0].count : 0);
    *new = common + (odd->side == MPL_BLOCK_NEW ? odd->items[0].count : 0);
    return true;
}
