/*
 * Waiting in point-to-point calls, with the definitions of Scalasca:
 *
 *   late sender    a receive or wait is entered before the send that it needs; it waits until
 *                  the send is entered. The latest sender counts where a call completes several.
 *   late receiver  a blocking send, or the wait for a non-blocking one, is still in progress when
 *                  the receive is posted: it waited for that.
 *
 * MPI_Probe, of which Scalasca says nothing, waits like a receive for the message that the next
 * blocking receive takes.
 *
 * A location is walked backwards, so that the earliest send among the messages received later is
 * at hand: if that is before the send that was waited for, the messages came in the wrong order.
 *
 * Who is to blame in the end follows from the culprit of each wait, not from its kind: delays.c.
 */
#include "config.h"

#include "events/events_priv.h"

/* ---- the other end of each message ------------------------------------------------- */

/*
 * The calls of the other ends lie far from each other. One by one, each would be waited for; so a batch of messages
 * first asks for all it needs, and looks at it when it has come.
 */
enum { POSTS_BATCH = 32 };

static void find_batch(const struct mpl_events *events, const uint32_t *partner, uint32_t n,
                       int64_t *posted_ticks)
{
    struct mpl_end ends[POSTS_BATCH];
    uint32_t calls[POSTS_BATCH];

    for (uint32_t i = 0; i < n; i++) {
        ends[i].location = MPL_NONE;
        if (partner[i] != MPL_NONE) {
            ends[i] = mpl_match_end(events->match, partner[i]);
            mpl_prefetch(&events->lanes[ends[i].location].post_of_message[ends[i].message]);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        calls[i] = MPL_NONE;
        if (ends[i].location != MPL_NONE) {
            calls[i] = mpl_call_posting(events, ends[i]);
        }
        if (calls[i] != MPL_NONE) {
            mpl_call_prefetch(&events->lanes[ends[i].location], calls[i]);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        posted_ticks[i] = calls[i] == MPL_NONE
                              ? INT64_MAX
                              : mpl_call_enter_ticks(events, ends[i].location, calls[i]);
    }
}

struct posts {
    const struct mpl_events *events;
    int64_t *posted_ticks;
};

static enum mpl_status find_posts(void *context, size_t l, unsigned worker,
                                  struct mpl_err *err)
{
    const struct posts *posts = context;
    const struct mpl_match *match = posts->events->match;
    const uint32_t n_messages = match->first_number[l + 1] - match->first_number[l];

    (void) worker;
    (void) err;
    for (uint32_t m = 0; m < n_messages; m += POSTS_BATCH) {
        const uint32_t left = n_messages - m;

        find_batch(posts->events, match->partner[l] + m,
                   left < POSTS_BATCH ? left : POSTS_BATCH,
                   posts->posted_ticks + match->first_number[l] + m);
    }
    return MPL_OK;
}

int64_t *mpl_posts_find(const struct mpl_events *events, struct mpl_arena *arena)
{
    const uint32_t n_locations = events->model->n_locations;
    const uint32_t n = n_locations > 0 ? events->match->first_number[n_locations] : 0;
    struct posts posts = { events, MPL_NEW_UNSET(arena, n, int64_t) };
    const struct mpl_parallel job = { .n_tasks = n_locations,
                                      .max_threads = mpl_threads(),
                                      .run = find_posts,
                                      .context = &posts,
                                      .is_spread = true };

    if (posts.posted_ticks != NULL) {
        (void) mpl_parallel_run(&job, NULL);
    }
    return posts.posted_ticks;
}

/* ---- waits ------------------------------------------------------------------------- */

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
    const uint32_t *partner;
    const int64_t *posted_ticks; /* per message: of the other end, see mpl_posts_find() */
    int64_t earliest_send_ticks; /* among the messages received in later calls */
    uint32_t earliest_sender;    /* location; MPL_NONE without any */
    uint32_t next_receive;       /* message of the next blocking receive, or MPL_NONE */
};

/* The call that is looked at. */
struct view {
    int64_t enter_ticks;
    int64_t leave_ticks;
    bool may_wait;
    int64_t earliest_send_ticks; /* like that of the walk, and of this call */
    uint32_t earliest_sender;
    uint32_t first_receive; /* message, MPL_NONE if it receives none */
    bool takes_any;         /* what it waits for is whatever comes first */
    struct wait wait;
};

/* When the send was entered; the moment of its record if no call holds that. */
static int64_t enter_of_send(const struct lane_walk *w, uint32_t message,
                             struct mpl_end end)
{
    const struct mpl_location *loc = &w->events->model->locations[end.location];

    return w->posted_ticks[message] != INT64_MAX
               ? w->posted_ticks[message]
               : mpl_time_of(w->events, loc, mpl_message_get(loc, end.message).event);
}

static void take_receive(const struct lane_walk *w, uint32_t message, struct view *view)
{
    struct mpl_end end;
    int64_t send;
    int64_t until;

    if (w->partner[message] == MPL_NONE) {
        return;
    }
    end = mpl_match_end(w->events->match, w->partner[message]);
    send = enter_of_send(w, message, end);
    if (send < view->earliest_send_ticks) {
        view->earliest_send_ticks = send;
        view->earliest_sender = end.location;
    }
    until = send < view->leave_ticks ? send : view->leave_ticks;
    if (view->may_wait && until - view->enter_ticks > view->wait.ticks) {
        view->wait = (struct wait){ until - view->enter_ticks, MPL_WAIT_LATE_SENDER,
                                    end.location, send };
        view->takes_any =
            w->loc->envelopes[mpl_message_get(w->loc, message).envelope].any_source;
    }
}

/* Only a send still in progress when the receive came can have waited for it. */
static void take_send(const struct lane_walk *w, uint32_t message, struct view *view)
{
    const int64_t receive = w->posted_ticks[message];

    if (view->may_wait && receive <= view->leave_ticks &&
        receive - view->enter_ticks > view->wait.ticks) {
        const struct mpl_end end = mpl_match_end(w->events->match, w->partner[message]);

        view->wait = (struct wait){ receive - view->enter_ticks, MPL_WAIT_LATE_RECEIVER,
                                    end.location, 0 };
    }
}

static void take_records(const struct lane_walk *w, const struct mpl_call *call,
                         struct view *view)
{
    for (uint32_t e = call->enter; e <= call->leave; e++) {
        uint32_t message;

        switch ((enum mpl_event_kind) mpl_kind_of(w->loc, e)) {
        case MPL_EV_RECV:
            message = mpl_message_of(w->loc, e);
            if (view->first_receive == MPL_NONE) {
                view->first_receive = message;
            }
            take_receive(w, message, view);
            break;
        case MPL_EV_IRECV:
            take_receive(w, mpl_message_of(w->loc, e), view);
            break;
        case MPL_EV_SEND:
            take_send(w, mpl_message_of(w->loc, e), view);
            break;
        case MPL_EV_ISEND_DONE:
            message = mpl_message_of(w->loc, e);
            if (message != MPL_NONE) {
                take_send(w, message, view);
            }
            break;
        default:
            break;
        }
    }
}

static bool may_wait(const struct lane_walk *w, const struct mpl_call *call)
{
    return call->class == MPL_SPAN_P2P && call->is_wait_known &&
           mpl_call_use(w->events, w->loc, call).block != BLOCK_NEVER;
}

static bool does_receive(const struct lane_walk *w, const struct mpl_call *call)
{
    /* Most of them post receives or send. Only start-up may have records that it does not have as its parts. */
    if (call->class == MPL_SPAN_P2P) {
        if (call->parts == MPL_PARTS_NONE) {
            return false;
        }
        /* Not one condition: gcc would load both bytes at once, and wait until both have been stored. */
        if (call->parts == MPL_PARTS_MESSAGES) {
            if (call->n_more == 0) {
                return !mpl_envelope_of(w->loc, call->first)->is_send;
            }
        }
    }
    for (uint32_t e = call->enter; e <= call->leave; e++) {
        if (mpl_kind_of(w->loc, e) == MPL_EV_RECV ||
            mpl_kind_of(w->loc, e) == MPL_EV_IRECV) {
            return true;
        }
    }
    return false;
}

/*
 * From when on the earliest of the messages received later was there for certain. Who takes whatever
 * comes first may still take one that was sent a little later: on its way a message takes as long as
 * the one that did come, and clocks that are estimated from messages differ by their errors. What
 * recorded offsets could be wrong by without reversing a message says little about how wrong they are.
 */
static int64_t other_is_there(const struct lane_walk *w, const struct view *view)
{
    const uint32_t other = w->earliest_sender;
    const uint32_t culprit = view->wait.culprit;
    int64_t there =
        mpl_ticks_later(w->earliest_send_ticks, view->leave_ticks - view->wait.send_ticks);

    if (other != culprit && w->events->clock != NULL &&
        w->events->clock->source == MPL_CLOCK_MESSAGES) {
        there = mpl_ticks_later(there, mpl_clock_error_of(w->events, other));
        there = mpl_ticks_later(there, mpl_clock_error_of(w->events, culprit));
    }
    return there;
}

/* Scalasca counts the whole wait where the other was sent before; what counts here is that it was there. */
static void add_wrong_order(const struct lane_walk *w, const struct view *view,
                            struct mpl_wrong_order *wrong)
{
    const int64_t there = other_is_there(w, view);
    const int64_t late = there - view->enter_ticks;

    wrong->ticks += view->wait.ticks;
    if (there < view->wait.send_ticks) {
        wrong->ready_ticks += late > 0 ? view->wait.ticks - late : view->wait.ticks;
        wrong->n++;
    }
}

static struct mpl_wrong_order walk_lane(struct lane_walk *w, uint32_t location)
{
    struct mpl_lane *lane = &w->events->lanes[location];
    struct mpl_wrong_order wrong = { 0, 0, 0 };

    for (uint32_t k = lane->n_calls; k-- > 0;) {
        const struct mpl_call call = mpl_call_get(lane, k);
        const bool does_wait = may_wait(w, &call);

        /* Most calls only post something; as they were made, they wait for nobody. */
        if (!does_wait && !does_receive(w, &call)) {
            continue;
        }

        struct view view = {
            .enter_ticks = mpl_call_enter_ticks(w->events, location, k),
            .leave_ticks = mpl_call_leave_ticks(w->events, location, k),
            .may_wait = does_wait,
            .earliest_send_ticks = w->earliest_send_ticks,
            .earliest_sender = w->earliest_sender,
            .first_receive = MPL_NONE,
            .wait = { 0, MPL_WAIT_NONE, MPL_NONE, 0 },
        };

        take_records(w, &call, &view);
        if (w->next_receive != MPL_NONE && mpl_call_is_probe(w->events, w->loc, &call)) {
            take_receive(w, w->next_receive, &view);
        }
        mpl_call_set_wait(lane, k, view.wait.ticks, view.wait.kind, view.wait.culprit);
        if (view.wait.kind == MPL_WAIT_LATE_SENDER && !view.takes_any &&
            w->earliest_send_ticks < view.wait.send_ticks) {
            add_wrong_order(w, &view, &wrong);
        }
        w->earliest_send_ticks = view.earliest_send_ticks;
        w->earliest_sender = view.earliest_sender;
        if (view.first_receive != MPL_NONE) {
            w->next_receive = view.first_receive;
        }
    }
    return wrong;
}

struct waiting {
    struct mpl_events *events;
    const int64_t *posted_ticks;
    struct mpl_wrong_order *wrong;
};

/* Reads when calls of others begin and end, and writes waits of its own. */
static enum mpl_status walk_one(void *context, size_t l, unsigned worker,
                                struct mpl_err *err)
{
    const struct waiting *waiting = context;
    struct mpl_events *events = waiting->events;
    struct lane_walk w = {
        .events = events,
        .loc = &events->model->locations[l],
        .partner = events->match->partner[l],
        .posted_ticks = waiting->posted_ticks + events->match->first_number[l],
        .earliest_send_ticks = INT64_MAX,
        .earliest_sender = MPL_NONE,
        .next_receive = MPL_NONE,
    };

    (void) worker;
    (void) err;
    waiting->wrong[l] = walk_lane(&w, (uint32_t) l);
    return MPL_OK;
}

void mpl_waits_p2p(struct mpl_events *events, const int64_t *posted_ticks,
                   struct mpl_wrong_order *wrong)
{
    struct waiting waiting = { events, posted_ticks, wrong };
    const struct mpl_parallel job = { .n_tasks = events->model->n_locations,
                                      .max_threads = mpl_threads(),
                                      .run = walk_one,
                                      .context = &waiting };

    (void) mpl_parallel_run(&job, NULL);
}
