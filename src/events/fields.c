/* Single fields of spans, for whoever reads one field of very many of them. */
#include "config.h"

#include "events/events_priv.h"

/* Start-up, the first call if it is recorded, has its times from elsewhere: mpl_events_span(). */
static bool is_special(const struct mpl_lane *lane, uint32_t call)
{
    return call == 0 && lane->n_calls > 0 && lane->calls[0].class == MPL_SPAN_STARTUP;
}

int64_t mpl_events_enter_ticks(const struct mpl_events *events, uint32_t location,
                               uint32_t span)
{
    const struct mpl_location *loc = &events->model->locations[location];
    const struct mpl_lane *lane = &events->lanes[location];
    const uint32_t call = span / 2;

    if (is_special(lane, call)) {
        return mpl_events_span(events, location, span).enter_ticks;
    }
    if (span % 2 != 0) {
        return mpl_time_of(events, loc, lane->calls[call].enter);
    }
    return mpl_time_of(events, loc, call == 0 ? 0 : lane->calls[call - 1].leave);
}

int64_t mpl_events_leave_ticks(const struct mpl_events *events, uint32_t location,
                               uint32_t span)
{
    const struct mpl_location *loc = &events->model->locations[location];
    const struct mpl_lane *lane = &events->lanes[location];
    const uint32_t call = span / 2;

    if (is_special(lane, call)) {
        return mpl_events_span(events, location, span).leave_ticks;
    }
    if (span % 2 != 0) {
        return mpl_time_of(events, loc, lane->calls[call].leave);
    }
    return mpl_time_of(events, loc,
                       call == lane->n_calls ? loc->n_events - 1 : lane->calls[call].enter);
}

int64_t mpl_events_wait_ticks(const struct mpl_events *events, uint32_t location,
                              uint32_t span)
{
    mpl_assert(events->totals != NULL);
    return span % 2 == 0 ? 0 : mpl_call_ticks(&events->lanes[location].calls[span / 2]);
}

bool mpl_events_only_message(const struct mpl_events *events, uint32_t location,
                             uint32_t span, uint32_t *message)
{
    const struct mpl_lane *lane = &events->lanes[location];
    const struct mpl_call *call = &lane->calls[span / 2];

    *message = MPL_NONE;
    if (span % 2 == 0 || call->parts == PARTS_NONE || call->parts == PARTS_COLLECTIVE) {
        return true;
    }
    if (call->parts == PARTS_MESSAGE) {
        *message = call->first;
        return true;
    }
    *message = lane->list[call->first] == 1 ? lane->list[call->first + 2] : MPL_NONE;
    return lane->list[call->first] <= 1;
}

/* ---- whole calls ----------------------------------------------------------------------- */

uint32_t mpl_events_call_count(const struct mpl_events *events, uint32_t location)
{
    return events->lanes[location].n_calls;
}

void mpl_events_call(const struct mpl_events *events, uint32_t location, uint32_t call,
                     struct mpl_call_view *out)
{
    const struct mpl_location *loc = &events->model->locations[location];
    const struct mpl_call *of = &events->lanes[location].calls[call];
    const struct mpl_region_use use = mpl_call_use(events, loc, of);

    out->first_event = of->enter;
    out->last_event = of->leave;
    out->region = mpl_call_region(events, location, of);
    out->culprit = of->culprit;
    out->wait_ticks = mpl_call_ticks(of);
    out->class = (enum mpl_span_class) of->class;
    out->mode = (enum mpl_call_mode) use.mode;
    out->wait_kind = (enum mpl_wait_kind) of->wait_kind;
    out->is_mpi = use.is_mpi || of->class != MPL_SPAN_OTHER;
    out->is_probe = mpl_call_is_probe(events, loc, of);
    out->is_wait_known = of->is_wait_known;
}

bool mpl_events_calls_region(const struct mpl_events *events, uint32_t region)
{
    return events->is_called[region];
}

void mpl_events_call_about(const struct mpl_events *events, uint32_t location,
                           uint32_t call, struct mpl_call_about *out)
{
    const struct mpl_location *loc = &events->model->locations[location];
    const struct mpl_lane *lane = &events->lanes[location];
    const struct mpl_call *of = &lane->calls[call];
    const uint32_t ahead = mpl_call_ahead(lane, call);

    if (ahead != MPL_NONE) {
        __builtin_prefetch(&loc->kind[ahead]);
        __builtin_prefetch(&loc->ref[ahead]);
    }
    out->first_event = of->enter;
    out->region = mpl_call_region(events, location, of);
    out->n_messages = of->parts == PARTS_MESSAGE;
    out->first_message = of->parts == PARTS_MESSAGE ? of->first : MPL_NONE;
    out->collective = of->parts == PARTS_COLLECTIVE ? of->first : MPL_NONE;
    out->is_probe = mpl_call_is_probe(events, loc, of);
    if (of->parts == PARTS_LIST) {
        const uint32_t *list = &lane->list[of->first];

        out->n_messages = list[0];
        out->collective = list[1];
        out->first_message = list[2];
    }
}

uint32_t mpl_events_call_of_event(const struct mpl_events *events, uint32_t location,
                                  uint32_t event)
{
    return mpl_call_find(events, location, event);
}

uint32_t mpl_events_call_of_message(const struct mpl_events *events, uint32_t location,
                                    uint32_t message)
{
    return events->lanes[location].call_of_message[message];
}

bool mpl_events_posting_call(const struct mpl_events *events, uint32_t location,
                             uint32_t message, uint32_t *other, uint32_t *call)
{
    const struct mpl_location *loc = &events->model->locations[location];
    const uint32_t number = events->match->partner[location][message];
    struct mpl_end end;

    if (number == MPL_NONE) {
        return false;
    }
    end = mpl_other_end(events, number);
    *other = end.location;
    *call = loc->envelopes[loc->messages[message].envelope].is_send
                ? mpl_receive_post_call(events, end)
                : events->lanes[end.location].call_of_message[end.message];
    return *call != MPL_NONE;
}
