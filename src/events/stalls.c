/*
 * Stalls: calls that go on although nothing holds them up. Everybody whom the call needs has entered, and
 * what is to be moved is little, so microseconds are left to do. If it takes a millisecond or more, a
 * process that has to do them has no core: it, or a partner, waits for its turn, as the scheduler of
 * the system lets a process run for some milliseconds before the next. Where clocks may be off, only what
 * is beyond that counts.
 *
 * Only calls of which this can be said are prompt, and looked at:
 *   - calls that return at once by their nature, such as MPI_Isend and MPI_Test;
 *   - receives, from the send on;
 *   - blocking sends, from the receive on: before that, a sender may be held by earlier messages that
 *     the receiver has not taken;
 *   - collectives, from the last enter of all on, as libraries build them from messages between any two.
 */
#include "config.h"

#include "events/events_priv.h"

/* A turn of another process lasts at least about this long: Linux lets run for 0.75 to 4 ms. */
static const double least_s = 1e-3;
/* More than this may be sent by rendezvous, which also needs a partner that is in MPI. The smallest limit
 * in use is that of Open MPI for shared memory, 4096 with its own header. */
enum { LITTLE_BYTES = 4000 };
/* A collective may take this long for each member on a slow network. */
static const double per_member_s = 50e-6;

static int64_t latest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- collectives --------------------------------------------------------------------------- */

static int64_t due_of_instance(const struct mpl_events *events,
                               const struct mpl_coll_instance *instance)
{
    const double allowed_s = per_member_s * instance->n_parts;
    int64_t due = INT64_MIN;

    if (!instance->is_complete || instance->op >= MPL_COLL_CREATE) {
        return INT64_MAX;
    }
    for (uint32_t i = 0; i < instance->n_parts; i++) {
        const struct mpl_coll_part *part = &events->match->parts[instance->first_part + i];
        const uint32_t call =
            events->lanes[part->location].call_of_collective[part->collective];

        due =
            call == MPL_NONE
                ? INT64_MAX
                : latest(due, mpl_ticks_later(mpl_events_enter_ticks(events, part->location,
                                                                     2 * call + 1),
                                              mpl_clock_error_of(events, part->location)));
    }
    return mpl_ticks_later(due,
                           (int64_t) (allowed_s * (double) events->model->ticks_per_s));
}

int64_t *mpl_stalls_prepare(const struct mpl_events *events, struct mpl_arena *arena)
{
    const uint32_t n = events->match->n_instances;
    int64_t *due = MPL_NEW_ARRAY(arena, n, int64_t);

    for (uint32_t i = 0; i < n && due != NULL; i++) {
        due[i] = due_of_instance(events, &events->match->instances[i]);
    }
    return due;
}

static int64_t due_of_collective(const struct mpl_stall_walk *w, uint32_t collective)
{
    const struct mpl_collective *c = &w->loc->collectives[collective];
    const uint32_t instance = w->events->match->instance[w->location][collective];
    const uint64_t most =
        c->sent_bytes > c->received_bytes ? c->sent_bytes : c->received_bytes;

    return instance == MPL_NONE || c->is_immediate || c->end == MPL_NONE ||
                   most > LITTLE_BYTES
               ? INT64_MAX
               : mpl_ticks_later(w->instance_due[instance],
                                 mpl_clock_error_of(w->events, w->location));
}

/* ---- messages ------------------------------------------------------------------------------- */

/* By the clock of the partner, which may be off against the own. */
static int64_t by_clock_of(const struct mpl_stall_walk *w, uint32_t location, int64_t ticks)
{
    return mpl_ticks_later(mpl_ticks_later(ticks, mpl_clock_error_of(w->events, location)),
                           mpl_clock_error_of(w->events, w->location));
}

/* From when on nothing holds up a message of a call that may wait. */
static int64_t due_of_message(const struct mpl_stall_walk *w, int64_t enter,
                              uint32_t message)
{
    const struct mpl_message m = mpl_message_get(w->loc, message);
    const int64_t posted = w->posted_ticks[message];
    const uint32_t partner = w->events->match->partner[w->location][message];

    if (m.envelope == MPL_NONE || m.bytes > LITTLE_BYTES) {
        return INT64_MAX;
    }
    if (w->loc->envelopes[m.envelope].is_null) {
        return enter;
    }
    return posted == INT64_MAX
               ? INT64_MAX
               : by_clock_of(w, mpl_match_end(w->events->match, partner).location, posted);
}

/* The messages of a call, or its collective. */
static int64_t due_of_parts(const struct mpl_stall_walk *w, const struct mpl_call *call,
                            int64_t enter)
{
    const struct mpl_messages messages = mpl_call_messages(w->lane, call);
    const uint32_t collective = mpl_call_collective(w->lane, call);
    int64_t due = INT64_MIN;

    if (messages.n == 0) {
        return collective == MPL_NONE ? INT64_MAX : due_of_collective(w, collective);
    }
    for (uint32_t i = 0; i < messages.n && due < INT64_MAX; i++) {
        due = latest(due, due_of_message(w, enter, mpl_messages_get(&messages, i)));
    }
    return collective == MPL_NONE ? due : INT64_MAX;
}

/* A large message may be copied in the call that returns at once. */
static bool is_little(const struct mpl_stall_walk *w, const struct mpl_call *call)
{
    /* Not one condition: gcc would load both bytes at once, and wait until both have been stored. */
    if (call->parts != MPL_PARTS_MESSAGES) {
        return call->parts == MPL_PARTS_NONE;
    }
    return call->n_more == 0 && mpl_message_get(w->loc, call->first).bytes <= LITTLE_BYTES;
}

/* From when on nothing holds up a call; INT64_MAX where nobody can say. */
static int64_t due_of_call(const struct mpl_stall_walk *w, const struct mpl_call *call,
                           int64_t enter)
{
    if ((call->class != MPL_SPAN_P2P && call->class != MPL_SPAN_COLLECTIVE) ||
        !call->is_wait_known) {
        return INT64_MAX;
    }
    switch ((enum mpl_call_mode) mpl_call_use(w->events, w->loc, call).mode) {
    case MPL_CALL_IMMEDIATE:
    case MPL_CALL_TEST:
        return call->class == MPL_SPAN_P2P && is_little(w, call) ? enter : INT64_MAX;
    default:
        return latest(enter, due_of_parts(w, call, enter));
    }
}

struct mpl_stall_walk mpl_stalls_begin(const struct mpl_events *events,
                                       const int64_t *instance_due,
                                       const int64_t *posted_ticks, uint32_t location)
{
    return (struct mpl_stall_walk){
        .events = events,
        .instance_due = instance_due,
        .posted_ticks = posted_ticks + events->match->first_number[location],
        .location = location,
        .loc = &events->model->locations[location],
        .lane = &events->lanes[location],
        .totals = &events->totals[location],
        .short_ticks = (int64_t) (0.99 * least_s * (double) events->model->ticks_per_s),
    };
}

void mpl_stalls_add(const struct mpl_stall_walk *w, const struct mpl_call *call,
                    int64_t enter, int64_t leave)
{
    const int64_t due = due_of_call(w, call, enter);

    if (due > leave) {
        return;
    }
    w->totals->n_prompt++;
    if (leave - due > w->short_ticks) {
        const double late_s = mpl_model_seconds(w->events->model, leave - due);

        if (late_s >= least_s) {
            w->totals->n_stalled++;
            w->totals->stalled_s += late_s;
        }
    }
}
