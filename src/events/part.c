/*
 * A part of a run seen as a run of its own: some of its processes, the messages and collectives of
 * some communicators, a stretch of time. Calls that belong to what is left out become part of the
 * computation around them: a group that solves its piece of work among itself computes, for those
 * who handed it out (Li & Malony, section 6). A message lies where it is sent, so that both its
 * ends do.
 */
#include "config.h"

#include "events/events_priv.h"

#include <math.h>
#include <string.h>

struct cutter {
    const struct mpl_events *whole;
    struct mpl_events *events;
    const struct mpl_part *part;
    bool is_late;      /* begins behind the begin of the run's window */
    bool is_early;     /* ends before its end */
    uint8_t *belongs;  /* per call of the location at hand */
    uint32_t *numbers; /* per call: its number in the part, MPL_NONE */
    struct mpl_call_maker maker;
};

/* Whether a call belongs to the part, by what it contains: the larger wins. */
enum belongs { BELONGS_UNKNOWN, BELONGS_ELSEWHERE, BELONGS_HERE };

static bool is_in_time(const struct cutter *c, const struct mpl_location *loc,
                       uint32_t event)
{
    if (c->part->first_record != NULL) {
        const size_t location = (size_t) (loc - c->whole->model->locations);

        return event >= c->part->first_record[location] &&
               event < c->part->end_record[location];
    }

    const int64_t ticks = mpl_time_of(c->whole, loc, event);

    return (!c->is_late || ticks >= c->part->begin_ticks) &&
           (!c->is_early || ticks < c->part->end_ticks);
}

static bool has_comm(const struct cutter *c, uint32_t comm)
{
    return c->part->comms == NULL || (comm != MPL_NONE && c->part->comms[comm]);
}

static bool has_process(const struct cutter *c, uint32_t process)
{
    return c->part->processes == NULL ||
           (process != MPL_NONE && c->part->processes[process]);
}

/* The communicator that both ends agree on; an end that is unsure asks the other. */
static bool counts_message(const struct cutter *c, uint32_t location, uint32_t message)
{
    const struct mpl_model *model = c->whole->model;
    const struct mpl_location *loc = &model->locations[location];
    const struct mpl_envelope *envelope =
        &loc->envelopes[mpl_message_get(loc, message).envelope];
    const uint32_t number = c->whole->match->partner[location][message];
    uint32_t event = mpl_message_get(loc, message).event;
    uint32_t process = envelope->peer;

    if (number != MPL_NONE) {
        const struct mpl_end end = mpl_match_end(c->whole->match, number);
        const struct mpl_location *other = &model->locations[end.location];

        process = other->process;
        if (envelope->comm_unsure) {
            envelope = &other->envelopes[mpl_message_get(other, end.message).envelope];
        }
        if (!loc->envelopes[mpl_message_get(loc, message).envelope].is_send) {
            event = mpl_message_get(other, end.message).event;
            loc = other;
        }
    }
    return event != MPL_NONE && has_comm(c, envelope->comm) && has_process(c, process) &&
           is_in_time(c, loc, event);
}

static void note_call(struct cutter *c, uint32_t call, bool counts)
{
    if (call != MPL_NONE) {
        const uint8_t now = counts ? BELONGS_HERE : BELONGS_ELSEWHERE;

        c->belongs[call] = now > c->belongs[call] ? now : c->belongs[call];
    }
}

static void judge_messages(struct cutter *c, uint32_t location)
{
    const struct mpl_location *loc = &c->whole->model->locations[location];
    struct mpl_lane *lane = &c->events->lanes[location];

    for (uint32_t m = 0; m < loc->n_messages; m++) {
        const struct mpl_message message = mpl_message_get(loc, m);
        const uint32_t call = c->whole->lanes[location].call_of_message[m];

        lane->call_of_message[m] = MPL_NONE;
        if (message.envelope == MPL_NONE || loc->envelopes[message.envelope].is_null ||
            loc->envelopes[message.envelope].is_garbage) {
            continue;
        }

        const bool counts = call != MPL_NONE && counts_message(c, location, m);

        /* The number of the call so far: of the whole. */
        lane->call_of_message[m] = counts ? call : MPL_NONE;
        note_call(c, call, counts);
        if (message.post != MPL_NONE) {
            note_call(c, mpl_call_find(c->whole, location, message.post), counts);
        }
    }
}

static void judge_collectives(struct cutter *c, uint32_t location)
{
    const struct mpl_location *loc = &c->whole->model->locations[location];
    struct mpl_lane *lane = &c->events->lanes[location];

    for (uint32_t i = 0; i < loc->n_collectives; i++) {
        const struct mpl_collective *collective = &loc->collectives[i];
        const uint32_t call = c->whole->lanes[location].call_of_collective[i];
        const uint32_t last =
            collective->end != MPL_NONE ? collective->end : collective->begin;
        const bool counts = call != MPL_NONE && last != MPL_NONE &&
                            has_comm(c, collective->comm) && is_in_time(c, loc, last);

        lane->call_of_collective[i] = counts ? call : MPL_NONE;
        note_call(c, call, counts);
        if (collective->is_immediate && collective->begin != MPL_NONE) {
            note_call(c, mpl_call_find(c->whole, location, collective->begin), counts);
        }
    }
}

static bool is_kept(const struct cutter *c, uint32_t location, uint32_t k)
{
    const struct mpl_location *loc = &c->whole->model->locations[location];
    const struct mpl_lane *lane = &c->whole->lanes[location];

    if (mpl_call_class(lane, k) == MPL_SPAN_STARTUP) {
        return true;
    }
    if (mpl_call_class(lane, k) == MPL_SPAN_SHUTDOWN) {
        return !c->is_early;
    }
    return c->belongs[k] == BELONGS_HERE || (c->belongs[k] == BELONGS_UNKNOWN &&
                                             is_in_time(c, loc, mpl_call_enter(lane, k)));
}

/* ---- the calls that stay ------------------------------------------------------------------ */

/* Room for a list of the messages of each call that has several, and behind them for one to try. */
static size_t list_size(const struct mpl_lane *lane)
{
    size_t n = 0;

    for (uint32_t k = 0; k < lane->n_calls; k++) {
        const struct mpl_call call = mpl_call_get(lane, k);

        n += call.parts == MPL_PARTS_LIST || call.n_more > 0
                 ? mpl_call_messages(lane, &call).n + 2
                 : 0;
    }
    return n + 3;
}

/* What a call has without the messages and the collective that do not count; \p at is the end of the lists so far. Returns
 * the new end. */
static uint32_t cut_parts(const struct mpl_lane *old, const struct mpl_lane *lane,
                          uint32_t *list, uint32_t at, struct mpl_call *call)
{
    const struct mpl_messages messages = mpl_call_messages(old, call);
    uint32_t collective = mpl_call_collective(old, call);
    uint32_t n = 0;

    for (uint32_t i = 0; i < messages.n; i++) {
        const uint32_t message = mpl_messages_get(&messages, i);

        if (lane->call_of_message[message] != MPL_NONE) {
            list[at + 2 + n++] = message;
        }
    }
    if (collective != MPL_NONE && lane->call_of_collective[collective] == MPL_NONE) {
        collective = MPL_NONE;
    }
    return mpl_call_set_parts(call, list + at, at, n, collective) ? at + 2 + n : at;
}

static int64_t not_before(int64_t ticks, int64_t begin_ticks)
{
    return ticks > begin_ticks ? ticks : begin_ticks;
}

/* A call of the part lies where it lay in the whole, but not before the part begins. So much less it waits, as a wait
 * lasts from the beginning of its call. */
static struct mpl_call_ticks cut_times(const struct cutter *c, uint32_t location,
                                       uint32_t k)
{
    const struct mpl_lane *old = &c->whole->lanes[location];
    const int64_t old_enter = mpl_call_enter_ticks(c->whole, location, k);
    const int64_t begin = c->events->startup_end_ticks;
    const int64_t enter = not_before(old_enter, begin);
    const int64_t leave = not_before(mpl_call_leave_ticks(c->whole, location, k), begin);
    const int64_t wait = mpl_call_wait_ticks(old, k) - (enter - old_enter);

    return (struct mpl_call_ticks){ enter, leave - enter,
                                    old->waits[k].kind != MPL_WAIT_NONE && wait > 0 ? wait
                                                                                    : 0 };
}

/* Of the gaps that became one, the function of the longest stands for all. */
struct gap {
    uint32_t region;
    int64_t longest_ticks;
};

static void widen(const struct cutter *c, uint32_t location, uint32_t k, struct gap *gap)
{
    const struct mpl_location *loc = &c->whole->model->locations[location];
    const struct mpl_lane *lane = &c->whole->lanes[location];
    const int64_t begin = c->events->startup_end_ticks;
    const bool is_last = k == lane->n_calls;
    const int64_t from = not_before(
        k == 0 ? mpl_ticks_of(loc, 0) : mpl_call_leave_ticks(c->whole, location, k - 1),
        begin);
    const int64_t to = not_before(is_last ? mpl_ticks_of(loc, loc->n_events - 1)
                                          : mpl_call_enter_ticks(c->whole, location, k),
                                  begin);

    if (to - from > gap->longest_ticks) {
        gap->longest_ticks = to - from;
        gap->region = is_last ? lane->rest_region : mpl_call_form_of(lane, k)->gap_region;
    }
}

static const struct gap no_gap = { MPL_CALL_NO_GAP, -1 };

static bool add_bound(struct cutter *c, uint32_t location, uint32_t event, uint32_t last,
                      enum mpl_span_class class, uint32_t region)
{
    const struct mpl_location *loc = &c->whole->model->locations[location];
    const int64_t enter = mpl_time_of(c->events, loc, event);
    const struct mpl_call call = {
        .enter = event,
        .leave = last,
        .culprit = MPL_NONE,
        .first = MPL_NONE,
        .gap_region = region & MPL_CALL_NO_GAP,
        .region = mpl_call_region_of(loc, event),
        .class = class,
        .is_wait_known = true,
    };
    const struct mpl_call_ticks ticks = { enter, mpl_time_of(c->events, loc, last) - enter,
                                          0 };

    return mpl_call_add(&c->maker, &call, &ticks);
}

/* The last record before the end of the part, but not before \p low, where the last call that stays ends. */
static uint32_t find_end(const struct cutter *c, const struct mpl_location *loc,
                         uint32_t low)
{
    uint32_t high = loc->n_events;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (mpl_ticks_of(loc, middle) < c->part->end_ticks) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool add_calls(struct cutter *c, uint32_t location, uint32_t *list)
{
    const struct mpl_location *loc = &c->whole->model->locations[location];
    const struct mpl_lane *old = &c->whole->lanes[location];
    struct mpl_lane *lane = &c->events->lanes[location];
    struct gap gap = no_gap;
    uint32_t at = 0;
    uint32_t last = 0;

    if (c->is_late && (old->n_calls == 0 || mpl_call_class(old, 0) != MPL_SPAN_STARTUP) &&
        !add_bound(c, location, 0, 0, MPL_SPAN_STARTUP, MPL_CALL_NO_GAP)) {
        return false;
    }
    for (uint32_t k = 0; k < old->n_calls; k++) {
        widen(c, location, k, &gap);
        c->numbers[k] = MPL_NONE;
        if (!is_kept(c, location, k)) {
            continue;
        }

        struct mpl_call call = mpl_call_get(old, k);
        const struct mpl_call_ticks ticks = cut_times(c, location, k);

        call.gap_region = gap.region & MPL_CALL_NO_GAP;
        at = cut_parts(old, lane, list, at, &call);
        c->numbers[k] = c->maker.n_calls;
        last = call.leave;
        if (!mpl_call_add(&c->maker, &call, &ticks)) {
            return false;
        }
        gap = no_gap;
    }
    widen(c, location, old->n_calls, &gap);
    lane->rest_region = gap.region == MPL_CALL_NO_GAP ? MPL_NONE : gap.region;
    return !c->is_early || add_bound(c, location, find_end(c, loc, last), loc->n_events - 1,
                                     MPL_SPAN_SHUTDOWN, gap.region);
}

/* From numbers of the whole to those of the part. */
static void renumber(const struct cutter *c, uint32_t *calls, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (calls[i] != MPL_NONE) {
            calls[i] = c->numbers[calls[i]];
        }
    }
}

/* What a location's messages are posted in. Receives ask for the record: the call that stands for what is left out
 * behind the part has it, too. */
static void find_posts(const struct cutter *c, uint32_t location)
{
    const struct mpl_location *loc = &c->whole->model->locations[location];
    struct mpl_lane *lane = &c->events->lanes[location];

    for (uint32_t m = 0; m < loc->n_messages; m++) {
        const struct mpl_message message = mpl_message_get(loc, m);
        const uint8_t kind =
            message.envelope == MPL_NONE ? MPL_EV_IRECV : mpl_kind_of(loc, message.event);

        lane->post_of_message[m] = kind != MPL_EV_IRECV ? lane->call_of_message[m]
                                   : message.post != MPL_NONE
                                       ? mpl_call_find(c->events, location, message.post)
                                       : MPL_NONE;
    }
}

/* ---- locations ------------------------------------------------------------------------------ */

static bool cut_location(struct cutter *c, uint32_t location)
{
    struct mpl_arena *arena = c->events->arena;
    const struct mpl_location *loc = &c->whole->model->locations[location];
    const struct mpl_lane *old = &c->whole->lanes[location];
    struct mpl_lane *lane = &c->events->lanes[location];
    const bool is_in = has_process(c, loc->process) && loc->n_events > 0;
    uint32_t *list = MPL_NEW_ARRAY(arena, is_in ? list_size(old) : 0, uint32_t);

    *lane = (struct mpl_lane){
        .rest_region = MPL_NONE,
        .call_of_message = MPL_NEW_ARRAY(arena, loc->n_messages, uint32_t),
        .post_of_message = MPL_NEW_ARRAY(arena, loc->n_messages, uint32_t),
        .call_of_collective = MPL_NEW_ARRAY(arena, loc->n_collectives, uint32_t),
        .list = list,
        .first_init = old->first_init,
        .regions = old->regions,
        .n_regions = is_in ? old->n_regions : 0,
    };
    if (list == NULL || lane->call_of_message == NULL || lane->post_of_message == NULL ||
        lane->call_of_collective == NULL) {
        return false;
    }
    if (!is_in) {
        memset(lane->post_of_message, 0xff, loc->n_messages * sizeof(uint32_t));
        memset(lane->call_of_message, 0xff, loc->n_messages * sizeof(uint32_t));
        memset(lane->call_of_collective, 0xff, loc->n_collectives * sizeof(uint32_t));
        return true;
    }
    memset(c->belongs, BELONGS_UNKNOWN, old->n_calls);
    judge_messages(c, location);
    judge_collectives(c, location);
    mpl_calls_begin(&c->maker, old->n_calls);
    if (!add_calls(c, location, list) || !mpl_calls_keep(&c->maker, lane, NULL, arena)) {
        return false;
    }
    renumber(c, lane->call_of_message, loc->n_messages);
    renumber(c, lane->call_of_collective, loc->n_collectives);
    find_posts(c, location);
    return true;
}

static enum mpl_status cut_all(struct cutter *c, struct mpl_err *err)
{
    const struct mpl_model *model = c->whole->model;
    struct mpl_arena *scratch = mpl_arena_create();
    uint32_t most = 0;
    bool is_done;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        most = c->whole->lanes[l].n_calls > most ? c->whole->lanes[l].n_calls : most;
    }
    c->belongs = scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, most, uint8_t);
    c->numbers = scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, most, uint32_t);
    is_done = c->belongs != NULL && c->numbers != NULL;
    for (uint32_t l = 0; l < model->n_locations && is_done; l++) {
        is_done = cut_location(c, l);
    }
    mpl_call_maker_free(&c->maker);
    mpl_arena_destroy(scratch);
    return is_done ? MPL_OK : mpl_nomem(err);
}

/* Which of a location's messages were received in the wrong order is known of the whole only:
 * this is the most that it can be. */
static void bound_wrong_order(const struct mpl_events *whole, struct mpl_events *events)
{
    for (uint32_t l = 0; l < whole->model->n_locations; l++) {
        const struct mpl_totals *of = &whole->totals[l];
        struct mpl_totals *totals = &events->totals[l];

        totals->wrong_order_s =
            fmin(of->wrong_order_s, totals->wait_s[MPL_WAIT_LATE_SENDER]);
        totals->ready_s = fmin(of->ready_s, totals->wrong_order_s);
        totals->n_wrong_order = of->n_wrong_order < totals->n_waits[MPL_WAIT_LATE_SENDER]
                                    ? of->n_wrong_order
                                    : totals->n_waits[MPL_WAIT_LATE_SENDER];
    }
}

static enum mpl_status build(struct cutter *c, struct mpl_err *err)
{
    struct mpl_events *events = c->events;
    const uint32_t n = events->model->n_locations;
    struct mpl_wrong_order *none = MPL_NEW_ARRAY(events->arena, n, struct mpl_wrong_order);
    bool *processes = MPL_NEW_ARRAY(events->arena, events->model->n_processes, bool);
    enum mpl_status st;

    events->lanes = MPL_NEW_ARRAY(events->arena, n, struct mpl_lane);
    events->totals = MPL_NEW_ARRAY(events->arena, n, struct mpl_totals);
    events->processes = processes;
    events->edges = NULL;
    events->n_edges = 0;
    if (none == NULL || processes == NULL || events->lanes == NULL ||
        events->totals == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t p = 0; p < events->model->n_processes; p++) {
        processes[p] = has_process(c, p);
    }
    if (c->is_late) {
        events->startup_end_ticks = c->part->begin_ticks;
        events->window_begin_ticks = c->part->begin_ticks;
    }
    if (c->is_early) {
        events->window_end_ticks = c->part->end_ticks;
    }
    st = cut_all(c, err);
    st = st == MPL_OK ? mpl_totals_create(events, none, NULL, err) : st;
    if (st == MPL_OK) {
        bound_wrong_order(c->whole, events);
    }
    return st;
}

enum mpl_status mpl_events_part(const struct mpl_events *events,
                                const struct mpl_part *part, struct mpl_arena *arena,
                                const struct mpl_events **out, struct mpl_err *err)
{
    struct mpl_events *made = MPL_NEW(arena, struct mpl_events);
    struct cutter c = {
        .whole = events, .events = made, .part = part, .maker = mpl_call_maker_make()
    };
    enum mpl_status st;

    mpl_assert(events->totals != NULL);
    if (made == NULL) {
        return mpl_nomem(err);
    }
    *made = *events;
    made->self = made;
    made->arena = arena;
    made->sections = mpl_kept_sections_create(arena);
    if (made->sections == NULL) {
        return mpl_nomem(err);
    }
    c.is_late = part->begin_ticks > events->window_begin_ticks;
    c.is_early = part->end_ticks < events->window_end_ticks;
    st = build(&c, err);
    if (st == MPL_OK) {
        *out = made;
    }
    return st;
}
