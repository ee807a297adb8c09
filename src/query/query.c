#include "config.h"

#include "query/query_priv.h"

enum mpl_status mpl_query_create(const struct mpl_diagnosis *diagnosis,
                                 struct mpl_query **out, struct mpl_err *err)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_query *q = arena == NULL ? NULL : MPL_NEW(arena, struct mpl_query);

    if (q != NULL) {
        const uint32_t n = diagnosis->runs[0].model->n_locations;

        q->arena = arena;
        q->diagnosis = diagnosis;
        q->run = &diagnosis->runs[0];
        q->records = MPL_NEW_ARRAY(arena, n, struct mpl_records);
        q->has_records = MPL_NEW_ARRAY(arena, n, bool);
    }
    if (q == NULL || q->records == NULL || q->has_records == NULL) {
        mpl_arena_destroy(arena);
        return mpl_nomem(err);
    }
    *out = q;
    return MPL_OK;
}

void mpl_query_destroy(struct mpl_query *q)
{
    if (q == NULL) {
        return;
    }
    mpl_causality_destroy(q->causality);
    mpl_arena_destroy(q->arena);
}

enum mpl_status mpl_query_records(struct mpl_query *q, uint32_t location,
                                  const struct mpl_records **out, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    if (!q->has_records[location]) {
        st =
            mpl_records_read(q->run->model, location, q->arena, &q->records[location], err);
        q->has_records[location] = st == MPL_OK;
    }
    *out = &q->records[location];
    return st;
}

enum mpl_status mpl_query_net(struct mpl_query *q, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    if (q->view == NULL) {
        st = mpl_order_view_create(q->run->model, q->run->match, q->arena, &q->view, err);
    }
    if (st == MPL_OK && q->net == NULL) {
        st = mpl_net_create(q->view, NULL, q->arena, &q->net, err);
    }
    return st;
}

enum mpl_status mpl_query_stamps(struct mpl_query *q, struct mpl_err *err)
{
    const struct mpl_causality_options options = mpl_stamp_options(
        q->run->model->n_locations <= MPL_MOST_FOR_VECTORS ? MPL_STAMP_VECTORS
                                                           : MPL_STAMP_HIERARCHICAL,
        MPL_USUAL_CLUSTER);
    enum mpl_status st = MPL_OK;

    if (q->causality != NULL) {
        return MPL_OK;
    }
    st = mpl_query_net(q, err);
    return st == MPL_OK ? mpl_causality_create(q->net, &options, &q->causality, err) : st;
}

const char *mpl_query_doubt(const struct mpl_query *q)
{
    const struct mpl_model *model = q->run->model;

    if (mpl_causality_has_circles(q->causality)) {
        return "records of the trace wait for each other in a circle, so some of them are "
               "damaged or matched wrongly";
    }
    if (!model->can.has_receive_completions) {
        return "the trace does not record when non-blocking receives are over, so messages "
               "may have made an order that cannot be seen";
    }
    return NULL;
}
