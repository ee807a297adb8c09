/*
 * Counts of the processor become times. All processes of a machine read one counter and one clock, so what they wrote down
 * of both is put together: then equal counts are equal times, whoever read them.
 */
#include "config.h"

#include "spool/spool_priv.h"

#include <stdlib.h>
#include <string.h>

/* A tie is wrong by some 20 ns; between two that are so far apart that bends time by 2 millionths. */
static const uint64_t least_ns = 10 * 1000 * 1000;

static int by_ticks(const void *a, const void *b)
{
    const uint64_t x = ((const struct mpl_spool_tie *) a)->ticks;
    const uint64_t y = ((const struct mpl_spool_tie *) b)->ticks;

    return x < y ? -1 : x > y;
}

static bool is_same_clock(const struct spool *a, const struct spool *b)
{
    return a->head->is_counted != 0 && b->head->is_counted != 0 &&
           strcmp(a->head->clock, b->head->clock) == 0;
}

static bool is_later(const struct mpl_spool_tie *tie, const struct mpl_spool_tie *before,
                     uint64_t by_ns)
{
    return tie->ticks > before->ticks && tie->ns > before->ns &&
           tie->ns - before->ns >= by_ns;
}

/* Those that are too near to the one before go; the last one stays, as it says most about a short run. */
static size_t thin(struct mpl_spool_tie *ties, size_t n)
{
    size_t kept = n > 0;

    for (size_t i = 1; i < n; i++) {
        if (is_later(&ties[i], &ties[kept - 1], least_ns)) {
            ties[kept++] = ties[i];
        }
    }
    if (n > 0 && is_later(&ties[n - 1], &ties[kept - 1], 1)) {
        kept -= kept > 1;
        ties[kept++] = ties[n - 1];
    }
    return kept;
}

static bool put_together(struct spools *spools, uint32_t first, struct mpl_arena *arena)
{
    struct spool *own = &spools->all[first];
    size_t n = 0;

    for (uint32_t i = first; i < spools->n; i++) {
        n += is_same_clock(own, &spools->all[i]) ? spools->all[i].head->n_ties : 0;
    }
    struct mpl_spool_tie *ties = MPL_NEW_ARRAY(arena, n, struct mpl_spool_tie);
    if (ties == NULL) {
        return false;
    }
    n = 0;
    for (uint32_t i = first; i < spools->n; i++) {
        const struct mpl_spool_head *head = spools->all[i].head;

        if (is_same_clock(own, &spools->all[i])) {
            memcpy(ties + n, head->ties, head->n_ties * sizeof *ties);
            n += head->n_ties;
        }
    }
    if (n > 1) {
        qsort(ties, n, sizeof *ties, by_ticks);
    }
    n = thin(ties, n);
    for (uint32_t i = first; n >= 2 && i < spools->n; i++) {
        if (is_same_clock(own, &spools->all[i])) {
            spools->all[i].ties = ties;
            spools->all[i].n_ties = n;
        }
    }
    return true;
}

bool mpl_ticks_find(struct spools *spools, struct mpl_arena *arena)
{
    bool is_good = true;

    for (uint32_t i = 0; i < spools->n && is_good; i++) {
        if (spools->all[i].ties == NULL && spools->all[i].head->is_counted != 0) {
            is_good = put_together(spools, i, arena);
        }
    }
    return is_good;
}

uint64_t mpl_ticks_to_ns(const struct spool *spool, uint64_t ticks, size_t *tie)
{
    const struct mpl_spool_tie *ties = spool->ties;
    size_t i = *tie;

    if (ties == NULL) {
        return ticks;
    }
    while (i > 0 && ticks < ties[i].ticks) {
        i--;
    }
    while (i + 2 < spool->n_ties && ticks >= ties[i + 1].ticks) {
        i++;
    }
    *tie = i;
    /* On both sides the line goes on. */
    const double ns = ((double) (int64_t) (ticks - ties[i].ticks)) *
                      (double) (ties[i + 1].ns - ties[i].ns) /
                      (double) (ties[i + 1].ticks - ties[i].ticks);
    /* Where both are damaged they say nothing. */
    return ns > -9e18 && ns < 9e18 ? ties[i].ns + (uint64_t) (int64_t) ns : ties[i].ns;
}
