/* How much timestamps take, by kind and by size of clusters. */
#include "config.h"

#include "query/query_priv.h"

const char *mpl_stamp_kind_name(enum mpl_stamp_kind kind)
{
    static const char *const names[] = {
        [MPL_STAMP_VECTORS] = "vectors",           [MPL_STAMP_STATIC] = "static",
        [MPL_STAMP_SELF] = "self-organising",      [MPL_STAMP_INFORMED] = "informed",
        [MPL_STAMP_HIERARCHICAL] = "hierarchical",
    };

    return names[kind];
}

static struct mpl_causality_options stamp_options(enum mpl_stamp_kind kind, uint32_t most)
{
    static const enum mpl_clustering clusterings[] = {
        [MPL_STAMP_VECTORS] = MPL_CLUSTER_STATIC,
        [MPL_STAMP_STATIC] = MPL_CLUSTER_STATIC,
        [MPL_STAMP_SELF] = MPL_CLUSTER_SELF,
        [MPL_STAMP_INFORMED] = MPL_CLUSTER_INFORMED,
        [MPL_STAMP_HIERARCHICAL] = MPL_CLUSTER_INFORMED,
    };
    struct mpl_causality_options options = { .clustering = clusterings[kind],
                                             .n_levels = kind == MPL_STAMP_VECTORS ? 0 : 1,
                                             .most = { most } };

    if (kind == MPL_STAMP_HIERARCHICAL) {
        options.n_levels = 3;
        options.most[1] = 4 * most;
        options.most[2] = 16 * most;
    }
    return options;
}

enum mpl_status mpl_query_size(struct mpl_query *q, enum mpl_stamp_kind kind, uint32_t most,
                               struct mpl_stamp_size *out, struct mpl_err *err)
{
    const struct mpl_causality_options options = stamp_options(kind, most);
    struct mpl_causality *causality = NULL;
    enum mpl_status st = MPL_OK;

    if (q->net == NULL) {
        struct mpl_order_view *view = NULL;

        st = mpl_order_view_create(q->run->model, q->run->match, q->arena, &view, err);
        st = st == MPL_OK ? mpl_net_create(view, NULL, q->arena, &q->net, err) : st;
    }
    st = st == MPL_OK ? mpl_query_stamps(q, err) : st;
    st = st == MPL_OK ? mpl_causality_create(q->net, &options, &causality, err) : st;
    if (st != MPL_OK) {
        return st;
    }

    const struct mpl_precedences *precedences = mpl_events_precedences(q->run->events);
    const struct mpl_causality_options *used = mpl_precedences_options(precedences);
    const bool is_used =
        used->n_levels == options.n_levels &&
        (options.n_levels == 0 ||
         (used->clustering == options.clustering && used->most[0] == most));
    const struct mpl_causality_size size = mpl_causality_size(causality);

    *out = (struct mpl_stamp_size){
        .kind = kind,
        .max_cluster = kind == MPL_STAMP_VECTORS ? 0 : most,
        .ratio = size.ratio,
        .bytes = size.bytes,
        .is_used = is_used,
        .why = is_used ? mpl_precedences_why(precedences) : NULL,
    };
    mpl_causality_destroy(causality);
    return MPL_OK;
}
