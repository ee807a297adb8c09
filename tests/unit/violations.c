#include "config.h"

#include "violations.h"

static void visit_pair(void *context, const struct mpl_order_pair *pair)
{
    mpl_tally_pair(context, pair);
}

static void visit_instance(void *context, const struct mpl_order_instance *in)
{
    mpl_tally_instance(context, in);
}

enum mpl_status violations_count(const struct mpl_order_view *view,
                                 struct mpl_violations *out, struct mpl_err *err)
{
    struct mpl_violations found = { 0 };
    struct mpl_arena *scratch = mpl_arena_create();
    int64_t *zero =
        scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, view->model->n_processes, int64_t);
    struct mpl_tally tally = { zero, NULL, &found };
    enum mpl_status st = zero == NULL ? mpl_nomem(err) : MPL_OK;

    if (st == MPL_OK) {
        mpl_order_walk_pairs(view, visit_pair, &tally);
        st = mpl_order_walk_instances(view, visit_instance, &tally, err);
    }
    if (st == MPL_OK) {
        st = mpl_tally_rest(&tally, view, err);
    }
    if (st == MPL_OK) {
        *out = found;
    }
    mpl_arena_destroy(scratch);
    return st;
}
