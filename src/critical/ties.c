/*
 * Where two came last together, the path could as well have gone to the other one. Clocks that are
 * off by their error bounds cannot tell who was first either.
 */
#include "config.h"

#include "critical/critical_priv.h"

int64_t mpl_clock_error_ticks(const struct mpl_events *events, uint32_t location)
{
    const struct mpl_clock *clock = mpl_events_clock(events);

    return clock == NULL ? 0 : mpl_ticks_narrow(clock->bound_ticks[location]);
}

bool mpl_times_are_tied(const struct mpl_events *events, uint32_t a, int64_t a_ticks,
                        uint32_t b, int64_t b_ticks)
{
    const struct mpl_model *model = mpl_events_model(events);
    const bool is_one_clock = model->locations[a].process == model->locations[b].process;
    const int64_t apart = a_ticks > b_ticks ? mpl_ticks_minus(a_ticks, b_ticks)
                                            : mpl_ticks_minus(b_ticks, a_ticks);

    return apart <= (is_one_clock ? 0
                                  : mpl_ticks_plus(mpl_clock_error_ticks(events, a),
                                                   mpl_clock_error_ticks(events, b)));
}

/* Another than the holder came at \p ticks. */
static bool comes_as_late(const struct mpl_events *events, const struct mpl_decision *d,
                          uint32_t other, int64_t ticks)
{
    return other != d->holder &&
           mpl_times_are_tied(events, d->holder, d->at_ticks, other, ticks);
}

static bool is_tied_at_collective(const struct mpl_events *events,
                                  const struct mpl_decision *d, uint32_t collective,
                                  struct mpl_coll_need *needs)
{
    const struct mpl_match *match = mpl_events_match(events);
    const uint32_t instance = match->instance[d->location][collective];

    if (instance == MPL_NONE) {
        return false;
    }

    const struct mpl_coll_instance *in = &match->instances[instance];
    const struct mpl_coll_part *parts = &match->parts[in->first_part];
    const bool is_prefix = mpl_order_is_prefix(in->op);
    bool is_tied = false;
    bool does_wait = false;

    mpl_events_coll_needs(events, instance, needs);
    for (uint32_t i = 0; i < in->n_parts && !(is_prefix && does_wait); i++) {
        const uint32_t l = parts[i].location;
        const uint32_t span = mpl_events_span_of_collective(events, l, parts[i].collective);

        if (l == d->location) {
            does_wait = needs[i].does_wait;
        }
        is_tied = is_tied ||
                  (needs[i].is_needed && span != MPL_NONE &&
                   comes_as_late(events, d, l, mpl_events_enter_ticks(events, l, span)));
    }
    return is_tied && does_wait;
}

static bool is_send(const struct mpl_location *loc, uint32_t message)
{
    return loc->envelopes[mpl_message_get(loc, message).envelope].is_send;
}

static bool is_tied_at_messages(const struct mpl_events *events,
                                const struct mpl_decision *d, const struct mpl_span *span)
{
    const struct mpl_location *loc = &mpl_events_model(events)->locations[d->location];
    const bool is_for_receiver = span->wait_kind == MPL_WAIT_LATE_RECEIVER;

    for (uint32_t i = 0; i < span->n_messages; i++) {
        const uint32_t m = mpl_events_message(events, d->location, span, i);
        uint32_t other;
        uint32_t call;

        if (mpl_message_get(loc, m).envelope != MPL_NONE &&
            is_send(loc, m) == is_for_receiver &&
            mpl_events_posting_call(events, d->location, m, &other, &call) &&
            comes_as_late(events, d, other,
                          mpl_events_enter_ticks(events, other, 2 * call + 1))) {
            return true;
        }
    }
    return false;
}

bool mpl_decision_is_tied(const struct mpl_events *events, const struct mpl_decision *d,
                          struct mpl_coll_need *needs)
{
    const struct mpl_span span = mpl_events_span(events, d->location, 2 * d->call + 1);

    if (!span.is_wait_known) {
        return false;
    }
    if (d->holder != d->location &&
        comes_as_late(events, d, d->location, span.enter_ticks)) {
        return true;
    }
    if (span.collective != MPL_NONE) {
        return is_tied_at_collective(events, d, span.collective, needs);
    }
    return is_tied_at_messages(events, d, &span);
}
