/* Single fields of spans, for whoever reads one field of very many of them. */
#include "config.h"

#include "events/events_priv.h"

int64_t mpl_events_first_ticks(const struct mpl_events *events, uint32_t location)
{
    const struct mpl_location *loc = &events->model->locations[location];
    const struct mpl_lane *lane = &events->lanes[location];

    return lane->n_calls > 0 && mpl_call_class(lane, 0) == MPL_SPAN_STARTUP
               ? mpl_ticks_of(loc, 0)
               : mpl_time_of(events, loc, 0);
}

int64_t mpl_events_last_ticks(const struct mpl_events *events, uint32_t location)
{
    const struct mpl_location *loc = &events->model->locations[location];

    return mpl_time_of(events, loc, loc->n_events - 1);
}

static inline bool only_message(const struct mpl_lane *lane, uint32_t call,
                                uint32_t *message)
{
    const struct mpl_call of = mpl_call_get(lane, call);
    const struct mpl_messages messages = mpl_call_messages(lane, &of);

    *message = messages.n == 1 ? messages.first : MPL_NONE;
    return messages.n <= 1;
}

bool mpl_events_only_message(const struct mpl_events *events, uint32_t location,
                             uint32_t span, uint32_t *message)
{
    const struct mpl_lane *lane = &events->lanes[location];

    if (span % 2 == 0) {
        *message = MPL_NONE;
        return true;
    }
    return only_message(lane, span / 2, message);
}

uint32_t mpl_events_sole_message(const struct mpl_events *events, uint32_t location,
                                 uint32_t call)
{
    const struct mpl_lane *lane = &events->lanes[location];
    uint32_t message;

    return mpl_call_form_of(lane, call)->n_records == 2 &&
                   only_message(lane, call, &message)
               ? message
               : MPL_NONE;
}

void mpl_events_fetch(const struct mpl_events *events, uint32_t location, uint32_t span,
                      enum mpl_fetched what)
{
    const struct mpl_lane *lane = &events->lanes[location];

    if (what == MPL_FETCHED_CALL) {
        mpl_call_prefetch(lane, span / 2);
    } else if (span % 2 != 0) {
        const struct mpl_call call = mpl_call_get(lane, span / 2);

        if (call.parts == MPL_PARTS_MESSAGES) {
            mpl_message_prefetch(&events->model->locations[location], call.first,
                                 what == MPL_FETCHED_MESSAGE);
        }
    }
}

/* ---- whole calls ----------------------------------------------------------------------- */

uint32_t mpl_events_call_count(const struct mpl_events *events, uint32_t location)
{
    return events->lanes[location].n_calls;
}

/* Such a call waits for nobody, and nobody need know for whom it might have. */
static inline bool is_post(const struct mpl_events *events, const struct mpl_location *loc,
                           const struct mpl_lane *lane, uint32_t call)
{
    const struct mpl_call_form *form = mpl_call_form_of(lane, call);

    if (form->n_records != 2 || form->class != MPL_SPAN_P2P ||
        form->region >= MPL_CALL_REGION_FAR ||
        events->use[form->region].mode != MPL_CALL_IMMEDIATE) {
        return false;
    }
    const uint32_t enter = mpl_call_enter(lane, call);
    const uint8_t kind = mpl_kind_of(loc, enter + 1);

    /* A call that is never left ends with any record. */
    return (kind == MPL_EV_ISEND || kind == MPL_EV_IRECV_POST) &&
           mpl_kind_of(loc, enter + 2) == MPL_EV_LEAVE;
}

static inline __attribute__((always_inline)) void
view_call(const struct mpl_events *events, const struct mpl_location *loc,
          const struct mpl_lane *lane, uint32_t call, struct mpl_call_view *out)
{
    const struct mpl_call of = mpl_call_get(lane, call);
    const uint32_t opener = mpl_call_opener(loc, &of);
    const struct mpl_region_use *use = mpl_opener_use(events, opener);

    out->first_event = of.enter;
    out->last_event = of.leave;
    out->region = mpl_opened_region(loc, lane, &of, opener);
    out->culprit = of.culprit;
    out->wait_ticks = mpl_call_wait_ticks(lane, call);
    out->class = (enum mpl_span_class) of.class;
    out->mode = (enum mpl_call_mode) use->mode;
    out->wait_kind = (enum mpl_wait_kind) of.wait_kind;
    out->is_mpi = use->is_mpi || of.class != MPL_SPAN_OTHER;
    out->is_probe = mpl_opened_is_probe(events, &of, opener);
    out->is_wait_known = of.is_wait_known;
    out->is_post = false;
}

void mpl_events_call(const struct mpl_events *events, uint32_t location, uint32_t call,
                     struct mpl_call_view *out)
{
    view_call(events, &events->model->locations[location], &events->lanes[location], call,
              out);
}

uint32_t mpl_events_calls(const struct mpl_events *events, uint32_t location, uint32_t call,
                          struct mpl_call_view *out)
{
    const struct mpl_location *loc = &events->model->locations[location];
    const struct mpl_lane *lane = &events->lanes[location];
    const uint32_t in_block = MPL_CALLS_PER_BLOCK - call % MPL_CALLS_PER_BLOCK;
    const uint32_t n = lane->n_calls - call < in_block ? lane->n_calls - call : in_block;

    for (uint32_t i = 0; i < n; i++) {
        if (is_post(events, loc, lane, call + i)) {
            out[i].first_event = mpl_call_enter(lane, call + i);
            out[i].last_event = out[i].first_event + 2;
            out[i].is_post = true;
        } else {
            view_call(events, loc, lane, call + i, &out[i]);
        }
    }
    return n;
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
    const struct mpl_call of = mpl_call_get(lane, call);
    const struct mpl_messages messages = mpl_call_messages(lane, &of);
    const uint32_t opener = mpl_call_opener(loc, &of);

    out->first_event = of.enter;
    out->region = mpl_opened_region(loc, lane, &of, opener);
    out->n_messages = messages.n;
    out->first_message = messages.n > 0 ? messages.first : MPL_NONE;
    out->collective = mpl_call_collective(lane, &of);
    out->is_probe = mpl_opened_is_probe(events, &of, opener);
}

struct mpl_messages mpl_events_messages(const struct mpl_events *events, uint32_t location,
                                        uint32_t call)
{
    const struct mpl_lane *lane = &events->lanes[location];
    const struct mpl_call of = mpl_call_get(lane, call);

    return mpl_call_messages(lane, &of);
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

void mpl_events_fetch_posting(const struct mpl_events *events, uint32_t location,
                              uint32_t message, bool is_there)
{
    const struct mpl_end end = mpl_match_partner(events->match, location, message);

    if (end.message == MPL_NONE) {
        return;
    }
    const struct mpl_lane *lane = &events->lanes[end.location];

    if (!is_there) {
        mpl_prefetch(&lane->post_of_message[end.message]);
    } else if (lane->post_of_message[end.message] != MPL_NONE) {
        mpl_call_prefetch(lane, lane->post_of_message[end.message]);
    }
}

bool mpl_events_posting_call(const struct mpl_events *events, uint32_t location,
                             uint32_t message, uint32_t *other, uint32_t *call)
{
    const uint32_t number = events->match->partner[location][message];
    struct mpl_end end;

    if (number == MPL_NONE) {
        return false;
    }
    end = mpl_match_end(events->match, number);
    *other = end.location;
    *call = mpl_call_posting(events, end);
    return *call != MPL_NONE;
}

bool mpl_events_is_part(const struct mpl_events *events)
{
    return events->processes != NULL;
}

bool mpl_events_has_process(const struct mpl_events *events, uint32_t process)
{
    return events->processes == NULL || events->processes[process];
}

bool mpl_events_has_collective(const struct mpl_events *events, uint32_t location,
                               uint32_t collective)
{
    return events->processes == NULL ||
           events->lanes[location].call_of_collective[collective] != MPL_NONE;
}
