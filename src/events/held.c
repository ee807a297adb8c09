/*
 * Sends that are held although their receive is posted: a large message moves only while its receiver
 * is in MPI, if nobody else does it for it. The sender cannot go on until the receiver has computed to
 * its end, wherever its next call is. No wait state of Scalasca, which asks when the receive is posted.
 *
 * Example (prk-stencil-slow6-np16): 6 posts a receive and computes for 5 ms; 5 sends at once, and its
 * MPI_Wait for that send returns when 6 enters its next call.
 */
#include "config.h"

#include "events/delays_priv.h"

#include <stdlib.h>

/* The last call of a location that is entered up to a moment; MPL_NONE. It is looked for around call \p near: messages
 * are in the order of time, so a search among all calls would ask for memory far away, each time. */
static uint32_t entered_until(const struct mpl_events *events, uint32_t location,
                              int64_t ticks, uint32_t near)
{
    const uint32_t n = events->lanes[location].n_calls;
    uint32_t low = near < n ? near : 0;
    uint32_t high = low;

    for (uint32_t step = 1;
         high < n && mpl_call_enter_ticks(events, location, high) <= ticks; step *= 2) {
        low = high + 1;
        high = n - high > step ? high + step : n;
    }
    for (uint32_t step = 1;
         low > 0 && mpl_call_enter_ticks(events, location, low - 1) > ticks; step *= 2) {
        high = low - 1;
        low = low > step ? low - step : 0;
    }
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (mpl_call_enter_ticks(events, location, middle) <= ticks) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? MPL_NONE : low - 1;
}

/* A wait for a message is most often among so many calls behind the one that sends it. */
enum { CALLS_BEHIND = 16 };

/* A call and its records. */
struct wait_call {
    uint32_t call;
    uint32_t enter;
    uint32_t leave;
};

/* The call with a record, which stands behind call \p sent: false if it is not near or in none. */
static bool find_wait(const struct mpl_lane *lane, uint32_t sent, uint32_t event,
                      struct wait_call *out)
{
    /* Calls follow one another, so only the first that does not end before the record can hold it. */
    for (uint32_t k = sent; k < lane->n_calls && k - sent < CALLS_BEHIND; k++) {
        const uint32_t leave = mpl_call_leave(lane, k);

        if (event <= leave) {
            *out = (struct wait_call){ k, mpl_call_enter(lane, k), leave };
            return out->enter <= event;
        }
    }
    return false;
}

/*
 * The call in which a message that is sent has to be handed over at last: the wait for it, or the send. Messages sent one
 * after the other are mostly waited for together, in the call that \p last is.
 */
static uint32_t last_call_of(const struct mpl_events *events, uint32_t location,
                             uint32_t message, const struct mpl_message *m,
                             struct wait_call *last)
{
    const struct mpl_lane *lane = &events->lanes[location];
    const uint32_t sent = lane->call_of_message[message];

    if (mpl_kind_of(&events->model->locations[location], m->event) == MPL_EV_SEND) {
        return sent;
    }
    if (m->post == MPL_NONE) {
        return MPL_NONE;
    }
    if ((last->enter <= m->post && m->post <= last->leave) ||
        find_wait(lane, sent, m->post, last)) {
        return last->call;
    }
    return mpl_call_find(events, location, m->post);
}

/* Of what the receiver computes meanwhile the longest stretch; it must be most of the call. */
static bool is_held(const struct mpl_events *events, uint32_t location, uint32_t call,
                    struct mpl_end received, struct mpl_held *out)
{
    const int64_t enter = mpl_call_enter_ticks(events, location, call);
    const int64_t leave = mpl_call_leave_ticks(events, location, call);
    const uint32_t receiver = received.location;
    const uint32_t last =
        entered_until(events, receiver, leave,
                      mpl_events_call_of_message(events, receiver, received.message));

    *out = (struct mpl_held){ .call = call, .receiver = receiver };
    for (uint32_t k = last == MPL_NONE ? 0 : last; k > 0; k--) {
        const int64_t end = mpl_call_enter_ticks(events, receiver, k);
        const int64_t before = mpl_call_leave_ticks(events, receiver, k - 1);
        const int64_t begin = before > enter ? before : enter;

        if (end <= enter) {
            break;
        }
        if (end - begin > out->ticks) {
            out->until = k;
            out->ticks = end - begin;
            out->end_ticks = end;
        }
    }
    return out->ticks > 0 && 2 * out->ticks >= leave - enter;
}

static int by_call(const void *x, const void *y)
{
    const struct mpl_held *a = x;
    const struct mpl_held *b = y;

    if (a->call != b->call) {
        return a->call < b->call ? -1 : 1;
    }
    return (a->ticks < b->ticks) - (a->ticks > b->ticks);
}

/* Adds a message that is sent to \p out if it is held. False: no memory. */
static bool add_if_held(const struct mpl_events *events, uint32_t location,
                        uint32_t message, struct wait_call *last, struct mpl_buf *out)
{
    const struct mpl_message sent =
        mpl_message_get(&events->model->locations[location], message);
    const uint32_t partner = events->match->partner[location][message];
    struct mpl_held *kept;
    struct mpl_held held;
    uint32_t call;

    if (partner == MPL_NONE || sent.event == MPL_NONE) {
        return true;
    }
    call = last_call_of(events, location, message, &sent, last);
    if (call == MPL_NONE || mpl_call_wait_ticks(&events->lanes[location], call) != 0 ||
        !is_held(events, location, call, mpl_match_end(events->match, partner), &held)) {
        return true;
    }
    kept = mpl_buf_add(out);
    if (kept != NULL) {
        *kept = held;
    }
    return kept != NULL;
}

bool mpl_held_find(const struct mpl_events *events, uint32_t location, struct mpl_buf *out)
{
    const struct mpl_location *loc = &events->model->locations[location];
    const size_t first = out->n;
    struct wait_call last = { MPL_NONE, MPL_NONE, 0 };

    for (uint32_t m = 0, n; m < loc->n_messages; m += n) {
        const struct mpl_message *messages = mpl_messages_from(loc, m, &n);

        for (uint32_t i = 0; i < n; i++) {
            const uint32_t e = messages[i].envelope;

            if (e != MPL_NONE && loc->envelopes[e].is_send &&
                !add_if_held(events, location, m + i, &last, out)) {
                return false;
            }
        }
    }
    if (out->n > first) {
        qsort(mpl_buf_get(out, first), out->n - first, sizeof(struct mpl_held), by_call);
    }
    return true;
}

/* Of several messages in a call the longest comes first. */
static double seconds_of(const struct mpl_events *events, const struct mpl_buf *held)
{
    int64_t ticks = 0;
    uint32_t last = MPL_NONE;

    for (size_t i = 0; i < held->n; i++) {
        const struct mpl_held *h = mpl_buf_get(held, i);

        ticks += h->call == last ? 0 : h->ticks;
        last = h->call;
    }
    return mpl_model_seconds(events->model, ticks);
}

struct held_walk {
    const struct mpl_events *events;
    double *held_s; /* per location */
};

static enum mpl_status sum_location(void *context, size_t task, unsigned worker,
                                    struct mpl_err *err)
{
    const struct held_walk *w = context;
    struct mpl_buf held = mpl_buf_make(sizeof(struct mpl_held));
    const bool is_enough = mpl_held_find(w->events, (uint32_t) task, &held);

    (void) worker;
    w->held_s[task] = is_enough ? seconds_of(w->events, &held) : 0;
    mpl_buf_free(&held);
    return is_enough ? MPL_OK : mpl_nomem(err);
}

enum mpl_status mpl_events_held(const struct mpl_events *events, struct mpl_arena *arena,
                                const double **out_s, struct mpl_err *err)
{
    const uint32_t n = events->model->n_locations;
    struct held_walk w = { events, MPL_NEW_ARRAY(arena, n, double) };
    const struct mpl_parallel job = {
        .n_tasks = n, .max_threads = mpl_threads(), .run = sum_location, .context = &w
    };
    enum mpl_status st;

    if (w.held_s == NULL) {
        return mpl_nomem(err);
    }
    st = mpl_parallel_run(&job, err);
    if (st == MPL_OK) {
        *out_s = w.held_s;
    }
    return st;
}
