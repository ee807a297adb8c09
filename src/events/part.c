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
    bool is_late;         /* begins behind the begin of the run's window */
    bool is_early;        /* ends before its end */
    uint8_t *belongs;     /* per call of the location at hand */
    uint32_t *numbers;    /* per call: its number in the part, MPL_NONE */
    struct mpl_buf longs; /* struct mpl_long_call, of the location at hand */
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
    const struct mpl_call *call = &c->whole->lanes[location].calls[k];

    if (call->class == MPL_SPAN_STARTUP) {
        return true;
    }
    if (call->class == MPL_SPAN_SHUTDOWN) {
        return !c->is_early;
    }
    return c->belongs[k] == BELONGS_HERE ||
           (c->belongs[k] == BELONGS_UNKNOWN && is_in_time(c, loc, call->enter));
}

/* ---- the calls that stay ------------------------------------------------------------------ */

static size_t list_size(const struct mpl_lane *lane)
{
    size_t n = 0;

    for (uint32_t k = 0; k < lane->n_calls; k++) {
        n += lane->calls[k].parts == PARTS_LIST ? lane->list[lane->calls[k].first] + 2 : 0;
    }
    return n;
}

/* A list without the messages and the collective that do not count, at \p at of the new ones.
 * Returns the end of it. */
static uint32_t cut_list(const struct mpl_lane *lane, const uint32_t *words, uint32_t *list,
                         uint32_t at, struct mpl_call *call)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < words[0]; i++) {
        if (lane->call_of_message[words[2 + i]] != MPL_NONE) {
            list[at + 2 + n++] = words[2 + i];
        }
    }
    list[at] = n;
    list[at + 1] = words[1] != MPL_NONE && lane->call_of_collective[words[1]] != MPL_NONE
                       ? words[1]
                       : MPL_NONE;
    if (n == 0) {
        call->first = list[at + 1];
        call->parts = call->first == MPL_NONE ? PARTS_NONE : PARTS_COLLECTIVE;
    } else if (n == 1 && list[at + 1] == MPL_NONE) {
        call->first = list[at + 2];
        call->parts = PARTS_MESSAGE;
    } else {
        call->first = at;
        return at + 2 + n;
    }
    return at;
}

static uint32_t cut_parts(const struct mpl_lane *old, const struct mpl_lane *lane,
                          uint32_t *list, uint32_t at, struct mpl_call *call)
{
    if (call->parts == PARTS_LIST) {
        return cut_list(lane, old->list + call->first, list, at, call);
    }
    if ((call->parts == PARTS_MESSAGE && lane->call_of_message[call->first] == MPL_NONE) ||
        (call->parts == PARTS_COLLECTIVE &&
         lane->call_of_collective[call->first] == MPL_NONE)) {
        call->parts = PARTS_NONE;
        call->first = MPL_NONE;
    }
    return at;
}

static int64_t not_before(int64_t ticks, int64_t begin_ticks)
{
    return ticks > begin_ticks ? ticks : begin_ticks;
}

/* A call of the part, the last one so far, lies where it lay in the whole, but not before the part begins. So much less
 * it waits, as a wait lasts from the beginning of its call. False when out of memory. */
static bool cut_times(struct cutter *c, uint32_t location, uint32_t k)
{
    const struct mpl_lane *old = &c->whole->lanes[location];
    const int64_t old_enter = mpl_call_enter_ticks(c->whole, location, k);
    const int64_t begin = c->events->startup_end_ticks;
    const int64_t enter = not_before(old_enter, begin);
    const int64_t leave = not_before(mpl_call_leave_ticks(c->whole, location, k), begin);
    const int64_t wait = mpl_call_wait_ticks(old, &old->calls[k]) - (enter - old_enter);
    struct mpl_lane *lane = &c->events->lanes[location];
    struct mpl_call *call = &lane->calls[lane->n_calls - 1];

    mpl_call_set_begin(lane, lane->n_calls - 1, enter);
    if (!mpl_call_set_end(lane, lane->n_calls - 1, &c->longs,
                          mpl_call_leave(old, &old->calls[k]), leave - enter)) {
        return false;
    }
    mpl_call_set_wait(lane, call, call->wait_kind != MPL_WAIT_NONE && wait > 0 ? wait : 0);
    return true;
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
        gap->region = is_last ? lane->rest_region : lane->calls[k].gap_region;
    }
}

static const struct gap no_gap = { CALL_REGION_NONE, -1 };

static bool add_bound(struct cutter *c, uint32_t location, uint32_t event, uint32_t last,
                      enum mpl_span_class class, uint32_t region)
{
    const struct mpl_location *loc = &c->whole->model->locations[location];
    const int64_t enter = mpl_time_of(c->events, loc, event);
    struct mpl_lane *lane = &c->events->lanes[location];

    lane->calls[lane->n_calls++] = (struct mpl_call){
        .enter = event,
        .region = mpl_call_region_of(loc, event),
        .culprit = MPL_NONE,
        .first = MPL_NONE,
        .gap_region = region & CALL_REGION_NONE,
        .class = class,
        .is_wait_known = 1,
    };
    mpl_call_set_begin(lane, lane->n_calls - 1, enter);
    return mpl_call_set_end(lane, lane->n_calls - 1, &c->longs, last,
                            mpl_time_of(c->events, loc, last) - enter);
}

/* The last record before the end of the part, but not before the last call that stays. */
static uint32_t find_end(const struct cutter *c, const struct mpl_location *loc,
                         const struct mpl_lane *lane)
{
    uint32_t low =
        lane->n_calls > 0 ? mpl_call_leave(lane, &lane->calls[lane->n_calls - 1]) : 0;
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

static bool keep_calls(struct cutter *c, uint32_t location, uint32_t *list)
{
    const struct mpl_location *loc = &c->whole->model->locations[location];
    const struct mpl_lane *old = &c->whole->lanes[location];
    struct mpl_lane *lane = &c->events->lanes[location];
    struct gap gap = no_gap;
    uint32_t at = 0;

    if (c->is_late && (old->n_calls == 0 || old->calls[0].class != MPL_SPAN_STARTUP) &&
        !add_bound(c, location, 0, 0, MPL_SPAN_STARTUP, CALL_REGION_NONE)) {
        return false;
    }
    for (uint32_t k = 0; k < old->n_calls; k++) {
        struct mpl_call *call = &lane->calls[lane->n_calls];

        widen(c, location, k, &gap);
        c->numbers[k] = MPL_NONE;
        if (!is_kept(c, location, k)) {
            continue;
        }
        c->numbers[k] = lane->n_calls++;
        *call = old->calls[k];
        call->gap_region = gap.region & CALL_REGION_NONE;
        if (!cut_times(c, location, k)) {
            return false;
        }
        at = cut_parts(old, lane, list, at, call);
        gap = no_gap;
    }
    widen(c, location, old->n_calls, &gap);
    lane->rest_region = gap.region == CALL_REGION_NONE ? MPL_NONE : gap.region;
    return !c->is_early || add_bound(c, location, find_end(c, loc, lane), loc->n_events - 1,
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
    const size_t n_calls = is_in ? (size_t) old->n_calls + 2 : 0;
    uint32_t *list = MPL_NEW_ARRAY(arena, is_in ? list_size(old) : 0, uint32_t);

    *lane = (struct mpl_lane){
        .calls = MPL_NEW_ARRAY(arena, n_calls, struct mpl_call),
        .bases = MPL_NEW_ARRAY(arena, n_calls / MPL_CALLS_PER_BASE + 1, int64_t),
        .rest_region = MPL_NONE,
        .call_of_message = MPL_NEW_ARRAY(arena, loc->n_messages, uint32_t),
        .post_of_message = MPL_NEW_ARRAY(arena, loc->n_messages, uint32_t),
        .call_of_collective = MPL_NEW_ARRAY(arena, loc->n_collectives, uint32_t),
        .list = list,
        .first_init = old->first_init,
        .regions = old->regions,
        .n_regions = is_in ? old->n_regions : 0,
    };
    if (list == NULL || lane->calls == NULL || lane->bases == NULL ||
        lane->call_of_message == NULL || lane->post_of_message == NULL ||
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
    c->longs.n = 0;
    if (!keep_calls(c, location, list)) {
        return false;
    }
    lane->longs = lane->n_longs == 0 ? NULL : mpl_buf_take(&c->longs, arena);
    renumber(c, lane->call_of_message, loc->n_messages);
    renumber(c, lane->call_of_collective, loc->n_collectives);
    find_posts(c, location);
    return lane->n_longs == 0 || lane->longs != NULL;
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
    mpl_buf_free(&c->longs);
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
    struct cutter c = { .whole = events,
                        .events = made,
                        .part = part,
                        .longs = mpl_buf_make(sizeof(struct mpl_long_call)) };
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
