/*
 * Where calls of MPI take longer than in the base: waits for somebody who is late, with who that is in the end; and
 * what they take beside that, which grows with bytes, or as the network is slower, or a core is busy. Each is tested as computation
 * is, but for a common factor: of a slower machine that is no factor of waits.
 */
#include "config.h"

#include "diff/effects_priv.h"

static bool have_waits(const struct mpl_diff *diff)
{
    for (int side = 0; side < 2; side++) {
        for (size_t r = 0; r < diff->sides[side].n; r++) {
            if (!mpl_waits_are_known(diff->sides[side].runs[r])) {
                return false;
            }
        }
    }
    return true;
}

static enum mpl_status complete(const struct mpl_diff *diff, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (int side = 0; side < 2; side++) {
        for (size_t r = 0; r < diff->sides[side].n && st == MPL_OK; r++) {
            st = mpl_events_complete(diff->sides[side].runs[r]->events, err);
        }
    }
    return st;
}

static enum mpl_status find(struct mpl_effects *e, struct mpl_buf *found,
                            struct mpl_err *err)
{
    const struct mpl_run *const runs[] = { e->diff->base, e->diff->new };
    enum mpl_status st = complete(e->diff, err);

    for (int side = 0; side < 2 && st == MPL_OK; side++) {
        st = mpl_events_wait_origins(runs[side]->events, e->scratch, &e->origins[side].all,
                                     &e->origins[side].n, err);
    }
    for (e->time = MPL_TIME_WAITED; e->time < MPL_TIMES && st == MPL_OK; e->time++) {
        st = mpl_loads_measure(e, err);
        st = st == MPL_OK ? mpl_loads_rank(e, err) : st;
        st = st == MPL_OK ? mpl_where_find(e, found, err) : st;
    }
    return st;
}

enum mpl_status mpl_calls_compare(const struct mpl_effects *e, struct mpl_err *err)
{
    struct mpl_diff *diff = e->diff;
    struct mpl_effects own = *e;
    struct mpl_buf found = mpl_buf_make(sizeof(struct mpl_place_load));
    enum mpl_status st = MPL_OK;

    own.factor = 1;
    if (have_waits(diff)) {
        st = find(&own, &found, err);
    }
    if (st == MPL_OK && found.n > 0) {
        diff->n_calls = found.n;
        diff->calls = mpl_buf_take(&found, e->arena);
        st = diff->calls == NULL ? mpl_nomem(err) : MPL_OK;
    }
    mpl_buf_free(&found);
    return st;
}
