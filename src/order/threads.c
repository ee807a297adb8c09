#include "config.h"

#include "order/order.h"

void mpl_order_walk_groups(const struct mpl_order_view *view, mpl_group_visitor visit,
                           void *context)
{
    const struct mpl_match *match = view->match;

    for (size_t i = 0; i < match->n_relations; i++) {
        const struct mpl_relation *r = &match->relations[i];
        const struct mpl_moment *moments = match->moments + r->first;
        const struct mpl_order_group group = {
            .process = r->process,
            .kind = r->kind,
            .n_sources = r->n_sources,
            .n_sinks = r->n_sinks,
            .sources = moments,
            .sinks = moments + r->n_sources,
        };

        visit(context, &group);
    }
}
