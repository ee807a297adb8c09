#include "config.h"

#include "clock/clock_priv.h"

/* One walk, two uses: a trace is long. */
struct count {
    struct mpl_tally tally;
    struct mpl_gather *gather; /* NULL: only count. */
    struct mpl_misses *misses; /* NULL: not asked for. */
};

static void count_pair(void *context, const struct mpl_order_pair *pair)
{
    struct count *count = context;

    mpl_tally_pair(&count->tally, pair);
    if (count->misses != NULL) {
        mpl_misses_see(count->misses, pair);
    }
    if (count->gather != NULL) {
        mpl_gather_pair(count->gather, pair);
    }
}

static void gather_answer(void *context, const struct mpl_order_pair *pair)
{
    mpl_gather_pair(context, pair);
}

static void count_instance(void *context, const struct mpl_order_instance *in)
{
    struct count *count = context;

    mpl_tally_instance(&count->tally, in);
    if (count->gather != NULL) {
        mpl_gather_instance(count->gather, in);
    }
}

static enum mpl_status scan(const struct mpl_order_view *view, struct count *count,
                            struct mpl_err *err)
{
    mpl_order_walk_pairs(view, count_pair, count);
    /* Synchronous sends tell when they were received. */
    if (count->gather != NULL && mpl_order_has_answers(view)) {
        for (uint32_t l = 0; l < view->model->n_locations; l++) {
            mpl_order_walk_answers(view, l, gather_answer, count->gather);
        }
    }
    const enum mpl_status st = mpl_order_walk_instances(view, count_instance, count, err);
    if (count->gather != NULL) {
        mpl_gather_finish(count->gather);
    }
    return st;
}

enum mpl_status mpl_clock_scan(const struct mpl_order_view *view, const int64_t *add_ticks,
                               struct mpl_links *links, uint64_t *per_location,
                               struct mpl_misses *misses, struct mpl_violations *out,
                               struct mpl_err *err)
{
    struct mpl_violations found = { 0 };
    struct count count = { { add_ticks, per_location, &found }, NULL, misses };
    struct mpl_arena *scratch = mpl_arena_create();
    enum mpl_status st = MPL_OK;

    if (scratch == NULL) {
        return mpl_nomem(err);
    }
    if (links != NULL) {
        count.gather = mpl_gather_create(links, view, scratch);
        st = count.gather == NULL ? mpl_nomem(err) : MPL_OK;
    }
    st = st == MPL_OK ? scan(view, &count, err) : st;
    mpl_arena_destroy(scratch);
    if (st == MPL_OK && misses != NULL && misses->is_short) {
        st = mpl_nomem(err);
    }
    if (st == MPL_OK && links != NULL && links->is_short) {
        st = mpl_nomem(err);
    }
    st = st == MPL_OK ? mpl_tally_rest(&count.tally, view, err) : st;
    if (st == MPL_OK) {
        *out = found;
    }
    return st;
}
