/*
 * Waits that a small error of the clocks can make jump.
 *
 * Whether a send waited for its receiver is seen from whether the receive was posted before the send
 * was left: if these two moments are closer than the clocks are known, all of the call may be
 * waiting or none of it. In collectives with counts, whoever gives nothing counts if it enters
 * before somebody leaves.
 *
 * And a wait as a whole goes from one culprit to another, where two come within the clocks' error
 * of each other.
 */
#include "config.h"

#include "run/run_priv.h"

/* ---- late receivers --------------------------------------------------------------------------- */

/* The record that enters the call around \p event, or MPL_NONE. */
static uint32_t enter_of(const struct mpl_location *loc, uint32_t event)
{
    for (uint32_t i = event; i-- > 0;) {
        if (mpl_kind_of(loc, i) == MPL_EV_ENTER) {
            return i;
        }
        if (mpl_kind_of(loc, i) == MPL_EV_LEAVE) {
            return MPL_NONE;
        }
    }
    return MPL_NONE;
}

/* When the receive at the other end was posted; false where that is not known. */
static bool find_post(const struct mpl_run *run, struct mpl_end end, int64_t *ticks)
{
    const struct mpl_location *loc = &run->model->locations[end.location];
    const struct mpl_message receive = mpl_message_get(loc, end.message);
    const uint32_t event = receive.post != MPL_NONE    ? receive.post
                           : receive.event != MPL_NONE ? enter_of(loc, receive.event)
                                                       : MPL_NONE;

    if (event == MPL_NONE) {
        return false;
    }
    *ticks = mpl_ticks_of(loc, event);
    return true;
}

/* Whether the call that completes a send may jump, which is left at \p leave_ticks. */
static bool may_jump(const struct mpl_run *run, const struct mpl_clock_doubt *doubt,
                     uint32_t location, uint32_t message, int64_t leave_ticks)
{
    const struct mpl_end end = mpl_match_partner(run->match, location, message);
    int64_t posted;

    if (end.message == MPL_NONE || !find_post(run, end, &posted)) {
        return false;
    }
    const int64_t apart = mpl_ticks_minus(leave_ticks, posted);
    const int64_t error = doubt->error_ticks[location] + doubt->error_ticks[end.location];

    return apart <= error && apart >= -error;
}

int64_t mpl_doubt_late_receivers(const struct mpl_run *run,
                                 const struct mpl_clock_doubt *doubt, uint32_t location,
                                 uint32_t call)
{
    const struct mpl_location *loc = &run->model->locations[location];
    const int64_t ticks = mpl_events_duration_ticks(run->events, location, 2 * call + 1);
    struct mpl_call_view view;
    int64_t sum = 0;

    mpl_events_call(run->events, location, call, &view);
    if (view.class != MPL_SPAN_P2P || !view.is_wait_known ||
        (view.mode != MPL_CALL_PLAIN && view.mode != MPL_CALL_SYNC_SEND)) {
        return 0;
    }
    const int64_t leave_ticks = mpl_ticks_of(loc, view.last_event);

    for (uint32_t e = view.first_event; e <= view.last_event; e++) {
        const uint32_t message = mpl_send_done_at(loc, e);

        if (message != MPL_NONE && may_jump(run, doubt, location, message, leave_ticks)) {
            sum += ticks;
        }
    }
    return sum;
}

static bool gives_nothing(const struct mpl_run *run, const struct mpl_coll_part *part)
{
    return run->model->locations[part->location].collectives[part->collective].sent_bytes ==
           0;
}

double mpl_doubt_idle_givers_s(const struct mpl_run *run)
{
    const struct mpl_coll_wait *waits = mpl_events_coll_waits(run->events);
    double sum_s = 0;

    for (uint32_t i = 0; i < run->match->n_instances; i++) {
        const struct mpl_coll_instance *in = &run->match->instances[i];
        bool is_idle = false;

        if (in->op != MPL_COLL_ALLGATHERV && in->op != MPL_COLL_ALLTOALLV &&
            in->op != MPL_COLL_ALLTOALLW) {
            continue;
        }
        for (uint32_t k = 0; k < in->n_parts && !is_idle; k++) {
            is_idle = gives_nothing(run, &run->match->parts[in->first_part + k]);
        }
        sum_s += is_idle ? waits[i].wait_s : 0;
    }
    return sum_s;
}

/* ---- culprits ----------------------------------------------------------------------------------- */

/* Somebody who may have kept others waiting, and with which span. */
struct entrant {
    uint32_t location;
    uint32_t span;
    int64_t ticks; /* when that is entered; valid once its race is run */
};

/* Who may have kept others waiting: the latest, and with their errors all who come as late. */
struct race {
    size_t first; /* of its entrants */
    size_t n;
    int64_t wait_ticks; /* of a call … */
    double wait_s;      /* … or of a collective */
};

/*
 * Spans of entrants lie far from each other in memory; so they are asked for when they enter, and some races are run
 * together when they have come.
 */
enum { ENTRANTS_BATCH = 32 };

struct mpl_contests mpl_contests_make(const struct mpl_run *run,
                                      const struct mpl_clock_doubt *doubt,
                                      int64_t *blame_ticks)
{
    return (struct mpl_contests){ .run = run,
                                  .doubt = doubt,
                                  .blame_ticks = blame_ticks,
                                  .entrants = mpl_buf_make(sizeof(struct entrant)),
                                  .open = mpl_buf_make(sizeof(struct race)) };
}

void mpl_contests_free(struct mpl_contests *races)
{
    mpl_buf_free(&races->open);
    mpl_buf_free(&races->entrants);
}

static void enter_race(struct mpl_contests *races, uint32_t location, uint32_t span)
{
    const size_t n = races->entrants.n;

    if (mpl_buf_grow_to(&races->entrants, n + 1)) {
        ((struct entrant *) races->entrants.data)[n] =
            (struct entrant){ .location = location, .span = span };
        mpl_events_fetch(races->run->events, location, span, MPL_FETCHED_CALL);
    } else {
        races->has_no_memory = true;
    }
}

static void blame(const struct mpl_contests *races, uint32_t location,
                  const struct race *race)
{
    if (races->blame_ticks == NULL) {
        races->doubt->blame_s[location] += race->wait_s;
    } else {
        races->blame_ticks[location] =
            mpl_ticks_plus(races->blame_ticks[location], race->wait_ticks);
    }
}

static void run_race(const struct mpl_contests *races, const struct race *race)
{
    const struct mpl_events *events = races->run->events;
    const struct mpl_clock_doubt *doubt = races->doubt;
    struct entrant *all = (struct entrant *) races->entrants.data + race->first;
    struct entrant first = { .location = MPL_NONE };
    int64_t least_ticks;
    bool is_contested = false;

    for (size_t i = 0; i < race->n; i++) {
        all[i].ticks = mpl_events_enter_ticks(events, all[i].location, all[i].span);
        first = first.location == MPL_NONE || all[i].ticks > first.ticks ? all[i] : first;
    }
    least_ticks = first.ticks - doubt->error_ticks[first.location];
    for (size_t i = 0; i < race->n; i++) {
        if (all[i].location != first.location &&
            all[i].ticks + doubt->error_ticks[all[i].location] >= least_ticks) {
            blame(races, all[i].location, race);
            is_contested = true;
        }
    }
    if (is_contested) {
        blame(races, first.location, race);
    }
}

void mpl_contests_run(struct mpl_contests *races)
{
    const struct race *open = races->open.data;

    for (size_t i = 0; i < races->open.n; i++) {
        run_race(races, &open[i]);
    }
    races->open.n = 0;
    races->entrants.n = 0;
    races->first = 0;
}

/* All have entered. */
static void close_race(struct mpl_contests *races, int64_t wait_ticks, double wait_s)
{
    const size_t n = races->entrants.n - races->first;
    const size_t n_open = races->open.n;

    if (n < 2) {
        races->entrants.n = races->first;
        return;
    }
    if (!mpl_buf_grow_to(&races->open, n_open + 1)) {
        races->has_no_memory = true;
        return;
    }
    ((struct race *) races->open.data)[n_open] =
        (struct race){ races->first, n, wait_ticks, wait_s };
    races->first += n;
    if (races->first >= ENTRANTS_BATCH) {
        mpl_contests_run(races);
    }
}

bool mpl_doubt_contest_collectives(const struct mpl_run *run,
                                   const struct mpl_clock_doubt *doubt)
{
    const struct mpl_coll_wait *waits = mpl_events_coll_waits(run->events);
    struct mpl_contests races = mpl_contests_make(run, doubt, NULL);

    for (uint32_t i = 0; i < run->match->n_instances; i++) {
        const struct mpl_coll_instance *in = &run->match->instances[i];

        for (uint32_t k = 0; k < in->n_parts && waits[i].wait_s > 0; k++) {
            const struct mpl_coll_part *part = &run->match->parts[in->first_part + k];
            const uint32_t span = mpl_events_span_of_collective(run->events, part->location,
                                                                part->collective);

            if (span != MPL_NONE) {
                enter_race(&races, part->location, span);
            }
        }
        close_race(&races, 0, waits[i].wait_s);
    }
    mpl_contests_run(&races);
    mpl_contests_free(&races);
    return !races.has_no_memory;
}

/* Whoever is at the other end of a call that completes several messages may be meant. */
void mpl_contests_add_call(struct mpl_contests *races, uint32_t location, uint32_t call,
                           int64_t wait_ticks)
{
    const struct mpl_events *events = races->run->events;
    const struct mpl_messages messages = mpl_events_messages(events, location, call);

    if (messages.n < 2) {
        return;
    }
    for (uint32_t i = 0; i < messages.n; i++) {
        const struct mpl_end end =
            mpl_match_partner(races->run->match, location, mpl_messages_get(&messages, i));
        const uint32_t other =
            end.message == MPL_NONE
                ? MPL_NONE
                : mpl_events_span_of_message(events, end.location, end.message);

        if (other != MPL_NONE) {
            enter_race(races, end.location, other);
        }
    }
    close_race(races, wait_ticks, 0);
}
