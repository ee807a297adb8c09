/*
 * Waiting in point-to-point calls, with the definitions of Scalasca:
 *
 *   late sender    a receive or wait is entered before the send that it needs; it waits until
 *                  the send is entered. The latest sender counts where a call completes several.
 *   late receiver  a blocking send, or the wait for a non-blocking one, is still in progress when
 *                  the receive is posted: it waited for that.
 *
 * A location is walked backwards, so that the earliest send among the messages received later is
 * at hand: if that is before the send that was waited for, the messages came in the wrong order.
 */
#include "config.h"

#include "events/events_priv.h"

/* The wait of one call. */
struct wait {
    int64_t ticks;
    enum mpl_wait_kind kind;
    uint32_t culprit;
    int64_t send_ticks; /* late sender: when that sender entered */
};

struct lane_walk {
    struct mpl_events *events;
    const struct mpl_location *loc;
    uint32_t location;
    uint32_t hint;               /* location of the last partner */
    int64_t earliest_send_ticks; /* among the messages received later */
};

static struct mpl_end find_partner(struct lane_walk *w, uint32_t message)
{
    const uint32_t number = w->events->match->partner[w->location][message];
    struct mpl_end end = { MPL_NONE, MPL_NONE };

    if (number != MPL_NONE) {
        end =
            mpl_other_end(w->events->match, w->events->model->n_locations, number, w->hint);
        w->hint = end.location;
    }
    return end;
}

static int64_t enter_of_call(const struct mpl_events *events, uint32_t location,
                             uint32_t call)
{
    return events->model->locations[location]
        .time_ticks[events->lanes[location].calls[call].enter];
}

/* When the send was entered; the moment of its record if no call holds that. */
static int64_t enter_of_send(const struct mpl_events *events, struct mpl_end end)
{
    const struct mpl_location *loc = &events->model->locations[end.location];
    const uint32_t call = events->lanes[end.location].call_of_message[end.message];

    return call != MPL_NONE ? enter_of_call(events, end.location, call)
                            : loc->time_ticks[loc->messages[end.message].event];
}

static void consider(struct wait *wait, int64_t ticks, enum mpl_wait_kind kind,
                     uint32_t culprit)
{
    if (ticks > wait->ticks) {
        wait->ticks = ticks;
        wait->kind = kind;
        wait->culprit = culprit;
    }
}

static void consider_receive(struct lane_walk *w, const struct mpl_call *call,
                             uint32_t message, struct wait *wait)
{
    const struct mpl_end end = find_partner(w, message);
    const int64_t enter = w->loc->time_ticks[call->enter];
    const int64_t leave = w->loc->time_ticks[call->leave];
    int64_t send_enter;
    int64_t until;

    if (end.message == MPL_NONE) {
        return;
    }
    send_enter = enter_of_send(w->events, end);
    until = send_enter < leave ? send_enter : leave;
    if (until - enter > wait->ticks) {
        wait->send_ticks = send_enter;
        consider(wait, until - enter, MPL_WAIT_LATE_SENDER, end.location);
    }
}

/* Only a send still in progress when the receive came can have waited for it. */
static void consider_send(struct lane_walk *w, const struct mpl_call *call,
                          uint32_t message, struct wait *wait)
{
    const struct mpl_end end = find_partner(w, message);
    const int64_t enter = w->loc->time_ticks[call->enter];
    const int64_t leave = w->loc->time_ticks[call->leave];
    uint32_t post;
    int64_t receive_enter;

    if (end.message == MPL_NONE) {
        return;
    }
    post = mpl_receive_post_call(w->events, end);
    if (post == MPL_NONE) {
        return;
    }
    receive_enter = enter_of_call(w->events, end.location, post);
    if (receive_enter <= leave) {
        consider(wait, receive_enter - enter, MPL_WAIT_LATE_RECEIVER, end.location);
    }
}

static void note_later_send(struct lane_walk *w, uint32_t message)
{
    const struct mpl_end end = find_partner(w, message);

    if (end.message != MPL_NONE) {
        const int64_t send = enter_of_send(w->events, end);

        if (send < w->earliest_send_ticks) {
            w->earliest_send_ticks = send;
        }
    }
}

static struct wait wait_of(struct lane_walk *w, const struct mpl_call *call)
{
    const struct mpl_region_use *use = mpl_call_use(w->events, w->location, call);
    struct wait wait = { 0, MPL_WAIT_NONE, MPL_NONE, 0 };

    if (use->block == BLOCK_NEVER || !call->is_wait_known) {
        return wait;
    }
    for (uint32_t e = call->enter; e <= call->leave; e++) {
        const uint32_t ref = w->loc->ref[e];

        switch ((enum mpl_event_kind) w->loc->kind[e]) {
        case MPL_EV_RECV:
        case MPL_EV_IRECV:
            consider_receive(w, call, ref, &wait);
            break;
        case MPL_EV_SEND:
            consider_send(w, call, ref, &wait);
            break;
        case MPL_EV_ISEND_DONE:
            if (ref != MPL_NONE) {
                consider_send(w, call, ref, &wait);
            }
            break;
        default:
            break;
        }
    }
    return wait;
}

static void set_wait(struct mpl_call *call, const struct wait *wait)
{
    mpl_call_set_ticks(call, wait->ticks);
    call->wait_kind = wait->kind;
    call->culprit = wait->culprit;
}

static struct mpl_wrong_order walk_lane(struct lane_walk *w)
{
    struct mpl_lane *lane = &w->events->lanes[w->location];
    struct mpl_wrong_order wrong = { 0, 0 };

    for (uint32_t k = lane->n_calls; k-- > 0;) {
        struct mpl_call *call = &lane->calls[k];
        struct wait wait = { 0, MPL_WAIT_NONE, MPL_NONE, 0 };

        if (call->class == MPL_SPAN_P2P) {
            wait = wait_of(w, call);
        }
        set_wait(call, &wait);
        if (wait.kind == MPL_WAIT_LATE_SENDER && w->earliest_send_ticks < wait.send_ticks) {
            wrong.ticks += wait.ticks;
            wrong.n++;
        }
        for (uint32_t e = call->enter; e <= call->leave; e++) {
            if (w->loc->kind[e] == MPL_EV_RECV || w->loc->kind[e] == MPL_EV_IRECV) {
                note_later_send(w, w->loc->ref[e]);
            }
        }
    }
    return wrong;
}

void mpl_waits_p2p(struct mpl_events *events, struct mpl_wrong_order *wrong)
{
    for (uint32_t l = 0; l < events->model->n_locations; l++) {
        struct lane_walk w = {
            .events = events,
            .loc = &events->model->locations[l],
            .location = l,
            .hint = l,
            .earliest_send_ticks = INT64_MAX,
        };

        wrong[l] = walk_lane(&w);
    }
}
