/*
 * What the trace does not tell. A wait can only be computed where both ends are recorded; where
 * one is missing, zero would be a claim. So every call that may have waited for somebody whom the
 * trace does not name is marked here, before any wait is computed.
 */
#include "config.h"

#include "events/events_priv.h"

static bool lacks_partner(const struct mpl_events *events, uint32_t location,
                          uint32_t message)
{
    const struct mpl_location *loc = &events->model->locations[location];
    const uint32_t envelope = loc->messages[message].envelope;

    if (envelope != MPL_NONE && loc->envelopes[envelope].is_null) {
        return false;
    }
    return events->match->partner[location][message] == MPL_NONE;
}

/* Counts what the call sends, receives or completes; true if a partner is missing. */
static bool count_records(const struct mpl_events *events, uint32_t location,
                          const struct mpl_call *call, uint32_t *n_records)
{
    const struct mpl_location *loc = &events->model->locations[location];
    bool is_lacking = false;

    *n_records = 0;
    for (uint32_t e = call->enter; e <= call->leave; e++) {
        switch ((enum mpl_event_kind) loc->kind[e]) {
        case MPL_EV_COLL_END:
            ++*n_records;
            break;
        case MPL_EV_SEND:
        case MPL_EV_ISEND:
        case MPL_EV_ISEND_DONE:
        case MPL_EV_RECV:
        case MPL_EV_IRECV:
            ++*n_records;
            is_lacking = is_lacking || (loc->ref[e] != MPL_NONE &&
                                        lacks_partner(events, location, loc->ref[e]));
            break;
        default:
            break;
        }
    }
    return is_lacking;
}

/* These two write a record for every message and request; EZTrace leaves many out. */
static bool is_thorough(const struct mpl_model *model)
{
    return model->tracer == MPL_TRACER_SCOREP || model->tracer == MPL_TRACER_TEXT;
}

static bool is_left_by_its_own_leave(const struct mpl_location *loc,
                                     const struct mpl_call *call)
{
    return loc->kind[call->leave] == MPL_EV_LEAVE &&
           loc->ref[call->leave] == loc->ref[call->enter];
}

/* What it means that a call which may block has no record of a message. */
static bool is_known_without_records(const struct mpl_events *events, uint32_t location,
                                     const struct mpl_call *call,
                                     enum mpl_region_block block)
{
    const struct mpl_model *model = events->model;

    if (!is_left_by_its_own_leave(&model->locations[location], call)) {
        /* The run was killed while it hung here. */
        return false;
    }
    if (block == BLOCK_REQUESTS) {
        /* All requests it could have waited for are completed elsewhere. */
        return is_thorough(model) || (model->can.has_receive_completions &&
                                      model->can.has_immediate_collectives_complete);
    }
    /* MPI_PROC_NULL, which Score-P does not record. */
    return block == BLOCK_MESSAGE && is_thorough(model);
}

static bool is_p2p_known(const struct mpl_events *events, uint32_t location,
                         const struct mpl_call *call)
{
    const struct mpl_region_use *use = mpl_call_use(events, location, call);
    uint32_t n_records;

    if (use->block == BLOCK_NEVER) {
        return true;
    }
    if (call->parts == PARTS_MESSAGE && call->leave - call->enter == 2) {
        return !lacks_partner(events, location, call->first);
    }
    if (count_records(events, location, call, &n_records)) {
        return false;
    }
    return n_records > 0 || is_known_without_records(events, location, call,
                                                     (enum mpl_region_block) use->block);
}

static bool is_collective_known(const struct mpl_events *events, uint32_t location,
                                const struct mpl_call *call)
{
    const struct mpl_region_use *use = mpl_call_use(events, location, call);
    const struct mpl_lane *lane = &events->lanes[location];
    uint32_t part = MPL_NONE;

    if (use->mode != MPL_CALL_PLAIN) {
        return true;
    }
    if (call->parts == PARTS_COLLECTIVE) {
        part = call->first;
    } else if (call->parts == PARTS_LIST) {
        part = lane->list[call->first + 1];
    }
    if (part == MPL_NONE) {
        return is_thorough(events->model) &&
               is_left_by_its_own_leave(&events->model->locations[location], call);
    }
    return events->match->instance[location][part] != MPL_NONE;
}

static bool is_known(const struct mpl_events *events, uint32_t location,
                     const struct mpl_call *call)
{
    if (call->class == MPL_SPAN_P2P) {
        return is_p2p_known(events, location, call);
    }
    if (call->class == MPL_SPAN_COLLECTIVE) {
        return is_collective_known(events, location, call);
    }
    return true;
}

void mpl_calls_mark_unknown(struct mpl_events *events)
{
    for (uint32_t l = 0; l < events->model->n_locations; l++) {
        struct mpl_lane *lane = &events->lanes[l];

        for (uint32_t k = 0; k < lane->n_calls; k++) {
            lane->calls[k].is_wait_known = is_known(events, l, &lane->calls[k]);
        }
    }
}
