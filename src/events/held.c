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

/* A send that may be held in a call, and the call that takes it. */
struct candidate {
    uint32_t call;
    uint32_t message;
    struct mpl_end received;
    uint32_t receive;
};

/* Receivers are far from each other in memory; so some are asked for together, and looked at when they have come. */
enum { MOST_AT_ONCE = 32 };
struct batch {
    size_t n;
    struct candidate all[MOST_AT_ONCE];
};

/* Of what the receiver computes meanwhile the longest stretch; it must be most of the call. */
static bool is_held(const struct mpl_events *events, uint32_t location,
                    const struct candidate *c, struct mpl_held *out)
{
    const int64_t enter = mpl_call_enter_ticks(events, location, c->call);
    const int64_t leave = mpl_call_leave_ticks(events, location, c->call);
    const uint32_t receiver = c->received.location;
    const uint32_t last = entered_until(events, receiver, leave, c->receive);

    *out =
        (struct mpl_held){ .call = c->call, .message = c->message, .receiver = receiver };
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

/* Of several in a call the longest is kept. False: no memory. */
static bool keep(struct mpl_buf *out, size_t first, const struct mpl_held *held)
{
    struct mpl_held *last = out->n > first ? mpl_buf_get(out, out->n - 1) : NULL;

    if (last == NULL || last->call != held->call) {
        return mpl_buf_put(out, held);
    }
    if (held->ticks > last->ticks ||
        (held->ticks == last->ticks && held->message < last->message)) {
        *last = *held;
    }
    return true;
}

/* Adds those of the batch that are held to \p out, which has others of the location from \p first on. False: no memory. */
static bool take_batch(const struct mpl_events *events, uint32_t location,
                       struct batch *batch, struct mpl_buf *out, size_t first)
{
    bool is_enough = true;

    for (size_t i = 0; i < batch->n; i++) {
        const struct mpl_end received = batch->all[i].received;

        mpl_prefetch(&events->lanes[received.location].call_of_message[received.message]);
    }
    for (size_t i = 0; i < batch->n; i++) {
        struct candidate *c = &batch->all[i];
        const struct mpl_lane *lane = &events->lanes[c->received.location];

        c->receive = lane->call_of_message[c->received.message];
        if (c->receive != MPL_NONE) {
            mpl_call_prefetch(lane, c->receive);
        }
    }
    for (size_t i = 0; i < batch->n && is_enough; i++) {
        struct mpl_held held;

        is_enough =
            !is_held(events, location, &batch->all[i], &held) || keep(out, first, &held);
    }
    batch->n = 0;
    return is_enough;
}

/* The sends that have to be handed over at last in a call. Its first record opens it, and its last one closes it, unless the
 * trace ends with it. */
static bool take_call(const struct mpl_events *events, uint32_t location, uint32_t number,
                      const struct mpl_call *call, struct batch *batch, struct mpl_buf *out,
                      size_t first)
{
    const struct mpl_location *loc = &events->model->locations[location];
    const uint32_t end = call->leave + 1 < loc->n_events ? call->leave : call->leave + 1;

    for (uint32_t e = call->enter + 1; e < end; e++) {
        const uint32_t message = mpl_send_done_at(loc, e);
        const uint32_t partner =
            message == MPL_NONE ? MPL_NONE : events->match->partner[location][message];

        if (partner == MPL_NONE) {
            continue;
        }
        if (batch->n == MOST_AT_ONCE && !take_batch(events, location, batch, out, first)) {
            return false;
        }
        batch->all[batch->n++] =
            (struct candidate){ number, message, mpl_match_end(events->match, partner),
                                MPL_NONE };
    }
    return true;
}

/* Of start-up and shut-down part, or all, lies outside the window; MPI_Isend, MPI_Test and their like go on at once, and
 * MPI_Bsend does not need the receiver. */
static bool can_be_held(const struct mpl_events *events, const struct mpl_location *loc,
                        const struct mpl_call *call)
{
    return call->class == MPL_SPAN_P2P
               ? mpl_call_use(events, loc, call).block != BLOCK_NEVER
               : call->class != MPL_SPAN_STARTUP && call->class != MPL_SPAN_SHUTDOWN;
}

bool mpl_held_find(const struct mpl_events *events, uint32_t location, struct mpl_buf *out)
{
    const struct mpl_location *loc = &events->model->locations[location];
    const struct mpl_lane *lane = &events->lanes[location];
    const size_t first = out->n;
    struct batch batch;

    batch.n = 0;
    for (uint32_t k = 0; k < lane->n_calls; k++) {
        const struct mpl_call call = mpl_call_get(lane, k);

        if (mpl_call_wait_ticks(lane, k) == 0 && can_be_held(events, loc, &call) &&
            !take_call(events, location, k, &call, &batch, out, first)) {
            return false;
        }
    }
    return take_batch(events, location, &batch, out, first);
}

static double seconds_of(const struct mpl_events *events, const struct mpl_buf *held)
{
    int64_t ticks = 0;

    for (size_t i = 0; i < held->n; i++) {
        ticks += ((const struct mpl_held *) mpl_buf_get(held, i))->ticks;
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
