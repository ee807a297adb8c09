#include "config.h"

#include "order/order.h"

/*
 * Certain: who contributes data and who needs some. Without data there is no dependence: MPI lets a
 * member with nothing to give or take pass at once, and some libraries do.
 *
 * Only figures that mean something at that member are looked at (the send count of a Scatter
 * is meaningless at its leaves, and EZTrace writes it all the same). EZTrace does not say how
 * much of a Reduce_scatter a member keeps. A text trace may leave sizes out; it means the usual,
 * some data for everybody. Making a communicator must end with agreement on it, but MPI does not
 * say that its members wait for each other, and no figure shows it. Nothing is concluded from
 * collectives of inter-communicators: EZTrace names one group for both, and whether Score-P's
 * root is a rank of the local or of the remote group depends on the member.
 *
 * Sums over peers do not say which peer got something, so Alltoallv and Alltoallw order nobody
 * against somebody. But a member's data to itself are in both of its sums: if it received more
 * than it sent, then something came from another one that has sent. EZTrace's figures of these
 * calls are not sums.
 */
struct need {
    bool gives;
    bool takes;
};

static struct need certain_need(enum mpl_tracer tracer, const struct mpl_collective *part)
{
    const bool is_text = tracer == MPL_TRACER_TEXT;
    const struct need by_bytes = { part->sent_bytes > 0, part->received_bytes > 0 };

    switch (part->op) {
    case MPL_COLL_BARRIER:
        return (struct need){ true, true };
    case MPL_COLL_BCAST:
    case MPL_COLL_SCATTER:
        return (struct need){ true, is_text || by_bytes.takes };
    case MPL_COLL_SCATTERV:
        return (struct need){ true, by_bytes.takes };
    case MPL_COLL_GATHER:
    case MPL_COLL_REDUCE:
        return (struct need){ is_text || by_bytes.gives, true };
    case MPL_COLL_GATHERV:
        return (struct need){ by_bytes.gives, true };
    case MPL_COLL_ALLGATHER:
    case MPL_COLL_ALLTOALL:
    case MPL_COLL_ALLREDUCE:
    case MPL_COLL_REDUCE_SCATTER_BLOCK:
    case MPL_COLL_SCAN:
    case MPL_COLL_EXSCAN:
        return (struct need){ is_text || by_bytes.gives, is_text || by_bytes.takes };
    case MPL_COLL_ALLGATHERV:
        return by_bytes;
    case MPL_COLL_REDUCE_SCATTER:
        return tracer == MPL_TRACER_SCOREP ? by_bytes : (struct need){ false, false };
    case MPL_COLL_ALLTOALLV:
    case MPL_COLL_ALLTOALLW:
        return tracer == MPL_TRACER_EZTRACE
                   ? (struct need){ false, false }
                   : (struct need){ by_bytes.gives,
                                    part->received_bytes > part->sent_bytes };
    default:
        return (struct need){ false, false };
    }
}

bool mpl_order_has_counts(const struct mpl_model *model, enum mpl_coll_op op)
{
    /* EZTrace writes count times size of the local arguments, whatever the role. */
    if (model->tracer != MPL_TRACER_SCOREP) {
        return false;
    }
    switch (op) {
    case MPL_COLL_GATHERV:
    case MPL_COLL_SCATTERV:
    case MPL_COLL_ALLGATHERV:
    case MPL_COLL_ALLTOALLV:
    case MPL_COLL_ALLTOALLW:
        return true;
    default:
        return false;
    }
}

/* Whether a member's role in the operation lets it give, and take. */
static struct need role_of(const struct mpl_coll_instance *in, bool is_root)
{
    switch (mpl_coll_class_of(in->op)) {
    case MPL_CLASS_1_TO_N:
        return (struct need){ is_root, !is_root };
    case MPL_CLASS_N_TO_1:
        return (struct need){ !is_root, is_root };
    case MPL_CLASS_NONE:
        return (struct need){ false, false };
    default:
        return (struct need){ true, true };
    }
}

static enum mpl_data level(bool is_possible, bool is_usual, bool is_certain)
{
    if (!is_possible) {
        return MPL_DATA_NONE;
    }
    return is_certain ? MPL_DATA_CERTAIN : is_usual ? MPL_DATA_USUAL : MPL_DATA_NONE;
}

struct mpl_data_flow mpl_order_data_of(const struct mpl_model *model,
                                       const struct mpl_coll_instance *in,
                                       const struct mpl_coll_part *part)
{
    const struct mpl_location *loc = &model->locations[part->location];
    const struct mpl_collective *c = &loc->collectives[part->collective];
    const struct need role = role_of(in, loc->process == in->root);
    /* Usual: what the operation is for, unless the figures say otherwise. */
    const struct need usual =
        mpl_order_has_counts(model, c->op)
            ? (struct need){ c->sent_bytes > 0, c->received_bytes > 0 }
            : (struct need){ true, true };
    const struct need certain = certain_need(model->tracer, c);

    return (struct mpl_data_flow){ level(role.gives, usual.gives, certain.gives),
                                   level(role.takes, usual.takes, certain.takes) };
}

bool mpl_order_is_prefix(enum mpl_coll_op op)
{
    const enum mpl_coll_class class = mpl_coll_class_of(op);

    return class == MPL_CLASS_SCAN || class == MPL_CLASS_EXSCAN;
}

uint32_t mpl_order_root_part(const struct mpl_model *model, const struct mpl_match *match,
                             const struct mpl_coll_instance *in)
{
    const struct mpl_coll_part *parts = &match->parts[in->first_part];
    const enum mpl_coll_class class = mpl_coll_class_of(in->op);
    const bool is_rooted = class == MPL_CLASS_1_TO_N || class == MPL_CLASS_N_TO_1;

    for (uint32_t i = 0; i < in->n_parts && is_rooted && in->root != MPL_NONE; i++) {
        if (model->locations[parts[i].location].process == in->root) {
            return i;
        }
    }
    return MPL_NONE;
}

bool mpl_order_has_needed(const struct mpl_match *match, const struct mpl_coll_instance *in,
                          uint32_t root, uint32_t i)
{
    if (mpl_coll_class_of(in->op) == MPL_CLASS_1_TO_N) {
        return root != MPL_NONE;
    }
    /* Parts are in the order of ranks; if not, a lower rank is not recorded. */
    return mpl_order_is_prefix(in->op) ? match->parts[in->first_part + i].rank == i
                                       : in->is_complete;
}
