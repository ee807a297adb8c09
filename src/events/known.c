/*
 * What the trace does not tell. A wait can only be computed where both ends are recorded; where
 * one is missing, zero would be a claim. So every call that may have waited for somebody whom the
 * trace does not name is marked here, before any wait is computed.
 */
#include "config.h"

#include "events/events_priv.h"

/* These write a record for every message and request; EZTrace leaves many out. */
bool mpl_is_thorough(const struct mpl_model *model)
{
    return model->tracer == MPL_TRACER_SCOREP || model->tracer == MPL_TRACER_TEXT ||
           model->tracer == MPL_TRACER_MARPLE;
}

static bool is_left_by_its_own_leave(const struct mpl_events *events, uint32_t location,
                                     const struct mpl_call *call)
{
    const struct mpl_location *loc = &events->model->locations[location];

    return mpl_kind_of(loc, call->leave) == MPL_EV_LEAVE &&
           mpl_ref_of(loc, call->leave) == mpl_ref_of(loc, call->enter);
}

/* What it means that a call which may block has no record of a message. */
static bool is_known_without_records(const struct mpl_events *events, uint32_t location,
                                     const struct mpl_call *call,
                                     enum mpl_region_block block)
{
    const struct mpl_model *model = events->model;

    if (!is_left_by_its_own_leave(events, location, call)) {
        /* The run was killed while it hung here. */
        return false;
    }
    if (block == BLOCK_REQUESTS) {
        /* All requests it could have waited for are completed elsewhere. */
        return mpl_is_thorough(model) || (model->can.has_receive_completions &&
                                          model->can.has_immediate_collectives_complete);
    }
    /* MPI_PROC_NULL, which Score-P does not record. */
    return (block == BLOCK_MESSAGE || block == BLOCK_EXCHANGE) && mpl_is_thorough(model);
}

static bool is_p2p_known(const struct mpl_events *events, uint32_t location,
                         const struct mpl_call *call,
                         const struct mpl_call_records *records)
{
    struct mpl_region_use use;

    if (records->n > 0 && !records->is_lacking) {
        return true;
    }
    use = mpl_call_use(events, &events->model->locations[location], call);
    if (use.block == BLOCK_NEVER) {
        return true;
    }
    return !records->is_lacking &&
           is_known_without_records(events, location, call,
                                    (enum mpl_region_block) use.block);
}

static bool is_collective_known(const struct mpl_events *events, uint32_t location,
                                const struct mpl_call *call,
                                const struct mpl_call_records *records)
{
    const struct mpl_location *loc = &events->model->locations[location];

    if (mpl_call_use(events, loc, call).mode != MPL_CALL_PLAIN) {
        return true;
    }
    if (records->collective == MPL_NONE) {
        /* What marple's tracer has no operation for (MPI_Neighbor_…) waits all the same. */
        return mpl_is_thorough(events->model) &&
               events->model->tracer != MPL_TRACER_MARPLE &&
               is_left_by_its_own_leave(events, location, call);
    }
    return events->match->instance[location][records->collective] != MPL_NONE;
}

bool mpl_call_is_known(const struct mpl_events *events, uint32_t location,
                       const struct mpl_call *call, const struct mpl_call_records *records)
{
    switch ((enum mpl_span_class) call->class) {
    case MPL_SPAN_P2P:
        return is_p2p_known(events, location, call, records);
    case MPL_SPAN_COLLECTIVE:
        return is_collective_known(events, location, call, records);
    default:
        return true;
    }
}
