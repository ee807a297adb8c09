/* Which spans a member may stand for, and what can be read of a span. */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <fnmatch.h>
#include <math.h>

/* ---- messages --------------------------------------------------------------------- */

static bool is_in_role(const struct mpl_recognition *r, uint32_t process, uint32_t role)
{
    return process != MPL_NONE && (r->roles_of_process[process] >> role & 1) != 0;
}

static bool has_tag(const struct mpl_span_filter *filter, uint32_t tag)
{
    for (uint32_t i = 0; i < filter->n_tags; i++) {
        if (filter->tags[i] == tag) {
            return true;
        }
    }
    return filter->n_tags == 0;
}

bool mpl_filter_wants_message(const struct mpl_recognition *r,
                              const struct mpl_span_filter *filter, uint32_t location,
                              uint32_t message)
{
    const struct mpl_envelope *envelope =
        mpl_topology_envelope(r->events, location, message);

    if (envelope == NULL) {
        return false;
    }

    const enum mpl_primitive_test test = filter->primitive == MPL_NONE
                                             ? MPL_TEST_CALL
                                             : mpl_primitive_row(filter->primitive)->test;
    const bool is_for_sends = test == MPL_TEST_SEND || test == MPL_TEST_SSEND;
    const uint32_t role = envelope->is_send ? filter->to : filter->from;

    if ((is_for_sends && !envelope->is_send) ||
        (test == MPL_TEST_RECV && envelope->is_send) || !has_tag(filter, envelope->tag)) {
        return false;
    }
    if (filter->to == MPL_NONE && filter->from == MPL_NONE) {
        return true;
    }
    return role != MPL_NONE &&
           is_in_role(r, mpl_topology_peer_by(r->events, location, message, envelope),
                      role);
}

/* The first one of a span. */
static uint32_t message_of(const struct mpl_recognition *r,
                           const struct mpl_span_filter *filter, uint32_t location,
                           const struct mpl_span *span)
{
    for (uint32_t i = 0; i < span->n_messages; i++) {
        const uint32_t message = mpl_events_message(r->events, location, span, i);

        if (mpl_filter_wants_message(r, filter, location, message)) {
            return message;
        }
    }
    return MPL_NONE;
}

uint32_t mpl_filter_message_at(const struct mpl_recognition *r,
                               const struct mpl_span_filter *filter, uint32_t location,
                               uint32_t at)
{
    struct mpl_messages messages;
    uint32_t message;

    /* Nearly every call has one or none, for which nothing has to be made. */
    if (mpl_events_only_message(r->events, location, at, &message)) {
        return message != MPL_NONE && mpl_filter_wants_message(r, filter, location, message)
                   ? message
                   : MPL_NONE;
    }
    messages = mpl_events_messages(r->events, location, at / 2);
    for (uint32_t i = 0; i < messages.n; i++) {
        message = mpl_messages_get(&messages, i);
        if (mpl_filter_wants_message(r, filter, location, message)) {
            return message;
        }
    }
    return MPL_NONE;
}

bool mpl_filter_has_messages(const struct mpl_span_filter *filter)
{
    size_t n;

    return filter->primitive != MPL_NONE &&
           mpl_primitives(&n)[filter->primitive].has_message;
}

bool mpl_filter_has_collectives(const struct mpl_span_filter *filter)
{
    if (filter->primitive == MPL_NONE) {
        return false;
    }

    const enum mpl_primitive_test test = mpl_primitive_row(filter->primitive)->test;

    return test == MPL_TEST_COLLECTIVE || test == MPL_TEST_CALL || test == MPL_TEST_REGION;
}

/* ---- spans -------------------------------------------------------------------------- */

struct mpl_range mpl_range_of(const struct mpl_events *events, uint32_t location)
{
    struct mpl_range range = { 0, mpl_events_span_count(events, location) };

    /* What comes before the end of start-up and after MPI_Finalize goes with them. */
    while (range.first < range.end &&
           mpl_events_span(events, location, range.first).class == MPL_SPAN_STARTUP) {
        range.first++;
    }
    if (range.end > 1 &&
        mpl_events_span(events, location, range.end - 2).class == MPL_SPAN_SHUTDOWN) {
        range.end -= 2;
    }
    return range;
}

/* \p ops: of the primitive; the filter may ask for fewer. */
static bool has_op(const struct mpl_recognition *r, const struct mpl_span_filter *filter,
                   uint32_t location, const struct mpl_span *span, uint32_t ops)
{
    const struct mpl_location *loc = &r->model->locations[location];

    if (span->collective == MPL_NONE) {
        /* One of which the trace does not say the operation still is a collective. */
        return span->class == MPL_SPAN_COLLECTIVE && ops == MPL_OPS_ALL &&
               filter->ops == 0 && filter->root == MPL_NONE;
    }

    const struct mpl_collective *collective = &loc->collectives[span->collective];

    return (ops >> collective->op & 1) != 0 &&
           (filter->ops == 0 || (filter->ops >> collective->op & 1) != 0) &&
           (filter->root == MPL_NONE || is_in_role(r, collective->root, filter->root));
}

static bool is_of_kind(const struct mpl_recognition *r,
                       const struct mpl_span_filter *filter, uint32_t location,
                       const struct mpl_span *span)
{
    const struct mpl_primitive_row *row = mpl_primitive_row(filter->primitive);

    switch (row->test) {
    case MPL_TEST_COMPUTE:
        return span->class == MPL_SPAN_COMPUTE;
    case MPL_TEST_CALL:
        return span->class != MPL_SPAN_COMPUTE &&
               ((filter->ops == 0 && filter->root == MPL_NONE) ||
                (span->collective != MPL_NONE &&
                 has_op(r, filter, location, span, MPL_OPS_ALL)));
    case MPL_TEST_P2P:
        return span->class == MPL_SPAN_P2P;
    case MPL_TEST_SSEND:
        return span->region != MPL_NONE &&
               r->model->regions[span->region].mode == MPL_CALL_SYNC_SEND;
    case MPL_TEST_COLLECTIVE:
        return has_op(r, filter, location, span, row->ops);
    case MPL_TEST_OTHER:
        return span->class == MPL_SPAN_OTHER;
    default:
        return true;
    }
}

bool mpl_filter_takes(const struct mpl_recognition *r, const struct mpl_span_filter *filter,
                      uint32_t location, const struct mpl_span *span)
{
    if (filter->primitive == MPL_NONE || !is_of_kind(r, filter, location, span) ||
        (filter->region != NULL &&
         (span->region == MPL_NONE ||
          fnmatch(filter->region, r->model->regions[span->region].name, 0) != 0))) {
        return false;
    }

    const enum mpl_primitive_test test = mpl_primitive_row(filter->primitive)->test;
    const bool needs_message = test == MPL_TEST_SEND || test == MPL_TEST_SSEND ||
                               test == MPL_TEST_RECV || filter->to != MPL_NONE ||
                               filter->from != MPL_NONE || filter->n_tags > 0;

    return !needs_message || message_of(r, filter, location, span) != MPL_NONE;
}

/* ---- fields ---------------------------------------------------------------------------- */

static double sum_bytes(const struct mpl_recognition *r,
                        const struct mpl_span_filter *filter, uint32_t location,
                        uint32_t at)
{
    const struct mpl_location *loc = &r->model->locations[location];
    const struct mpl_messages messages = mpl_events_messages(r->events, location, at / 2);
    double bytes = 0;

    for (uint32_t i = 0; i < messages.n; i++) {
        const uint32_t message = mpl_messages_get(&messages, i);

        if (mpl_filter_wants_message(r, filter, location, message)) {
            bytes += (double) mpl_message_get(loc, message).bytes;
        }
    }
    return bytes;
}

static double collective_bytes(const struct mpl_recognition *r, uint32_t location,
                               uint32_t at)
{
    const uint32_t part = mpl_events_span(r->events, location, at).collective;

    return part == MPL_NONE
               ? NAN
               : mpl_coll_bytes(r->model, &r->model->locations[location].collectives[part]);
}

/* Of the only message, or of those of a call with several. */
static inline double message_field(const struct mpl_recognition *r,
                                   const struct mpl_span_filter *filter, uint32_t location,
                                   uint32_t at, uint32_t message, enum mpl_field field)
{
    const struct mpl_location *loc = &r->model->locations[location];
    const bool is_known = message != MPL_NONE;
    const uint32_t one =
        is_known ? message : mpl_filter_message_at(r, filter, location, at);
    const struct mpl_envelope *envelope =
        one == MPL_NONE ? NULL : mpl_topology_envelope(r->events, location, one);

    if (envelope == NULL) {
        return field == MPL_FIELD_BYTES ? collective_bytes(r, location, at) : NAN;
    }
    if (field == MPL_FIELD_BYTES) {
        return is_known ? (double) mpl_message_get(loc, one).bytes
                        : sum_bytes(r, filter, location, at);
    }
    if (field == MPL_FIELD_TAG) {
        return envelope->tag;
    }

    const uint32_t peer = mpl_topology_peer_by(r->events, location, one, envelope);

    if (field == MPL_FIELD_ASKS) {
        return mpl_requests_has(r, loc->process, peer, envelope->is_send);
    }
    return peer == MPL_NONE ? NAN : r->model->processes[peer].rank;
}

/* Ticks are subtracted as integers: times before the window are negative, and exact. */
static double seconds(const struct mpl_recognition *r, int64_t ticks)
{
    return (double) ticks / (double) r->model->ticks_per_s;
}

static inline double field_of(const struct mpl_recognition *r,
                              const struct mpl_span_filter *filter, uint32_t location,
                              uint32_t at, uint32_t message, enum mpl_field field)
{
    const struct mpl_events *e = r->events;

    switch (field) {
    case MPL_FIELD_ENTER:
        return seconds(r, mpl_events_enter_ticks(e, location, at) - r->window.begin_ticks);
    case MPL_FIELD_LEAVE:
        return seconds(r, mpl_events_leave_ticks(e, location, at) - r->window.begin_ticks);
    case MPL_FIELD_DURATION:
        return seconds(r, mpl_events_duration_ticks(e, location, at));
    case MPL_FIELD_WAIT:
        return seconds(r, mpl_events_wait_ticks(e, location, at));
    case MPL_FIELD_TRANSFER:
        return seconds(r, mpl_events_duration_ticks(e, location, at) -
                              mpl_events_wait_ticks(e, location, at));
    case MPL_FIELD_RANK:
        return r->model->processes[r->model->locations[location].process].rank;
    case MPL_FIELD_PLACE:
        return at;
    case MPL_FIELD_LATE:
        return mpl_events_wait_ticks(e, location, at) > 0;
    case MPL_FIELD_UNSURE:
        return !mpl_events_span(e, location, at).is_wait_known;
    default:
        return message_field(r, filter, location, at, message, field);
    }
}

bool mpl_filter_holds(const struct mpl_recognition *r, const struct mpl_span_filter *filter,
                      uint32_t location, uint32_t at)
{
    double scalars[MPL_FIELDS];
    size_t n;

    if (filter->where == NULL) {
        return true;
    }

    const uint32_t *slots = mpl_formula_scalars(filter->where, &n);

    for (size_t i = 0; i < n; i++) {
        scalars[slots[i]] =
            field_of(r, filter, location, at, MPL_NONE, (enum mpl_field) slots[i]);
    }

    const double value = mpl_formula_eval(filter->where, scalars, NULL);

    return !isnan(value) && value != 0;
}

/* Rows lie far apart where many have one partner: without this, each waits for memory three times. */
static void fetch_messages(const struct mpl_recognition *r, const struct mpl_bound *bounds,
                           const struct mpl_rows *rows)
{
    for (int what = MPL_FETCHED_CALL; what <= MPL_FETCHED_MESSAGE; what++) {
        for (uint32_t k = 0; k < rows->n; k++) {
            const struct mpl_bound *bound = &bounds[rows->at[k]];

            if (bound->kind == MPL_BOUND_SPAN && bound->message == MPL_NONE) {
                mpl_events_fetch(r->events, bound->location, bound->at,
                                 (enum mpl_fetched) what);
            }
        }
    }
}

/* Inlined once per field, so that the compiler takes the choice of it out of the loop. */
static inline void read_each(const struct mpl_recognition *r,
                             const struct mpl_span_filter *filter,
                             const struct mpl_bound *bounds, const struct mpl_rows *rows,
                             enum mpl_field field, double *values)
{
    for (uint32_t k = 0; k < rows->n; k++) {
        const struct mpl_bound *bound = &bounds[rows->at[k]];

        values[rows->at[k]] =
            bound->kind != MPL_BOUND_SPAN
                ? NAN
                : field_of(r, filter, bound->location, bound->at, bound->message, field);
    }
}

void mpl_span_read(const struct mpl_recognition *r, const struct mpl_span_filter *filter,
                   const struct mpl_bound *bounds, const struct mpl_rows *rows,
                   enum mpl_field field, double *values)
{
    switch (field) {
    case MPL_FIELD_ENTER:
        read_each(r, filter, bounds, rows, MPL_FIELD_ENTER, values);
        break;
    case MPL_FIELD_LEAVE:
        read_each(r, filter, bounds, rows, MPL_FIELD_LEAVE, values);
        break;
    case MPL_FIELD_DURATION:
        read_each(r, filter, bounds, rows, MPL_FIELD_DURATION, values);
        break;
    case MPL_FIELD_WAIT:
        read_each(r, filter, bounds, rows, MPL_FIELD_WAIT, values);
        break;
    case MPL_FIELD_PLACE:
        read_each(r, filter, bounds, rows, MPL_FIELD_PLACE, values);
        break;
    case MPL_FIELD_PEER:
        fetch_messages(r, bounds, rows);
        read_each(r, filter, bounds, rows, MPL_FIELD_PEER, values);
        break;
    case MPL_FIELD_BYTES:
        fetch_messages(r, bounds, rows);
        read_each(r, filter, bounds, rows, MPL_FIELD_BYTES, values);
        break;
    default:
        fetch_messages(r, bounds, rows);
        read_each(r, filter, bounds, rows, field, values);
        break;
    }
}

bool mpl_field_is_time(enum mpl_field field)
{
    return field == MPL_FIELD_ENTER || field == MPL_FIELD_LEAVE ||
           field == MPL_FIELD_DURATION || field == MPL_FIELD_WAIT ||
           field == MPL_FIELD_TRANSFER;
}

/* Likewise inlined once per field. */
static inline void read_all(const struct mpl_recognition *r, uint32_t location,
                            const uint32_t *spans, size_t n, enum mpl_field field,
                            double *values)
{
    for (size_t i = 0; i < n; i++) {
        values[i] = field_of(r, NULL, location, spans[i], MPL_NONE, field);
    }
}

void mpl_spans_read(const struct mpl_recognition *r, uint32_t location,
                    const uint32_t *spans, size_t n, enum mpl_field field, double *values)
{
    switch (field) {
    case MPL_FIELD_ENTER:
        read_all(r, location, spans, n, MPL_FIELD_ENTER, values);
        break;
    case MPL_FIELD_LEAVE:
        read_all(r, location, spans, n, MPL_FIELD_LEAVE, values);
        break;
    case MPL_FIELD_DURATION:
        read_all(r, location, spans, n, MPL_FIELD_DURATION, values);
        break;
    case MPL_FIELD_WAIT:
        read_all(r, location, spans, n, MPL_FIELD_WAIT, values);
        break;
    default:
        read_all(r, location, spans, n, MPL_FIELD_TRANSFER, values);
        break;
    }
}
