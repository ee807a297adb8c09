/*
 * The run on an ideal network, as Dimemas defines it: computation takes as long as measured,
 * transfers take no time, and whoever needs a message or other participants still waits for
 * them. Each location runs through its calls until it needs something that has not happened; it
 * then hangs on that event and is woken when it happens. Each call is visited once.
 *
 * A call's place for the waiting time (not computed yet) serves as its slot: 0 while nobody has
 * reached it, -(l + 1) when location l is the first of a chain that hangs on it, and the ideal
 * time of its beginning plus one when it is reached.
 */
#include "config.h"

#include "events/events_priv.h"

#include <math.h>

/* More than this share of missing ends makes the replay a guess. */
static const double tolerated_share = 0.01;

/* Set in the slot of a scan's participant when its lower ranks are known too. */
static const int64_t resolved_bit = INT64_C(1) << 62;

struct runner {
    int64_t ticks;  /* ideal time, since the window begins */
    uint32_t call;  /* next or current */
    uint32_t event; /* record in that call to go on with */
    uint32_t next;  /* in the chain of those that hang on the same thing; location + 1 */
    uint32_t hint;  /* location of the last partner */
    uint32_t scan_instance; /* hangs on this scan */
    int64_t begin_ticks;    /* of the current call */
    bool is_in_call;
    bool is_part; /* takes part in the replay */
    bool is_done;
};

struct coll_state {
    int64_t ticks; /* latest participant so far; for 1-to-N the root */
    uint32_t n_arrived;
    uint32_t first_hanging; /* location + 1 */
    uint32_t n_resolved;    /* of a scan: parts whose lower ranks have all arrived */
    bool is_root_here;
};

struct replay {
    struct mpl_events *events;
    struct runner *runners;   /* per location */
    struct coll_state *colls; /* per instance */
    uint32_t *ready;          /* stack of locations that can go on */
    uint32_t n_ready;
    int64_t unknown_ticks; /* in calls whose partners are not recorded */
};

enum progress { HANGS, GOES_ON };

/* ---- hanging and waking --------------------------------------------------------- */

static void wake_chain(struct replay *r, uint32_t first)
{
    while (first != 0) {
        const uint32_t location = first - 1;

        first = r->runners[location].next;
        r->runners[location].next = 0;
        r->ready[r->n_ready++] = location;
    }
}

/* The location goes on at once if \p call of \p other is reached, and then not before it. */
static enum progress need_call(struct replay *r, uint32_t location, uint32_t other,
                               uint32_t call)
{
    struct mpl_call *needed = &r->events->lanes[other].calls[call];
    struct runner *runner = &r->runners[location];
    const int64_t slot = mpl_call_ticks(needed);

    if (slot > 0) {
        const int64_t reached = (slot & ~resolved_bit) - 1;

        runner->ticks = reached > runner->ticks ? reached : runner->ticks;
        return GOES_ON;
    }
    runner->next = (uint32_t) -slot;
    mpl_call_set_ticks(needed, -(int64_t) location - 1);
    return HANGS;
}

static void reach_call(struct replay *r, uint32_t location, struct mpl_call *call)
{
    const int64_t slot = mpl_call_ticks(call);

    mpl_call_set_ticks(call, r->runners[location].ticks + 1);
    wake_chain(r, (uint32_t) -slot);
}

/* ---- messages ---------------------------------------------------------------------- */

static enum progress need_send(struct replay *r, uint32_t location, uint32_t message)
{
    const uint32_t number = r->events->match->partner[location][message];
    struct mpl_end end;
    uint32_t call;

    if (number == MPL_NONE) {
        return GOES_ON;
    }
    end = mpl_other_end(r->events, number);
    call = r->events->lanes[end.location].call_of_message[end.message];
    return call == MPL_NONE ? GOES_ON : need_call(r, location, end.location, call);
}

static enum progress need_receive(struct replay *r, uint32_t location, uint32_t message)
{
    const uint32_t number = r->events->match->partner[location][message];
    struct mpl_end end;
    uint32_t call;

    if (number == MPL_NONE) {
        return GOES_ON;
    }
    end = mpl_other_end(r->events, number);
    call = mpl_receive_post_call(r->events, end);
    return call == MPL_NONE ? GOES_ON : need_call(r, location, end.location, call);
}

/* ---- collectives ---------------------------------------------------------------------- */

static uint32_t instance_of(const struct replay *r, uint32_t location, uint32_t collective)
{
    return collective == MPL_NONE ? MPL_NONE
                                  : r->events->match->instance[location][collective];
}

/* The call whose slot tells when a participant arrived. */
static struct mpl_call *arrival_call(const struct replay *r,
                                     const struct mpl_coll_part *part)
{
    const struct mpl_lane *lane = &r->events->lanes[part->location];
    const struct mpl_collective *record =
        &r->events->model->locations[part->location].collectives[part->collective];
    const uint32_t begin = record->begin != MPL_NONE ? record->begin : record->end;
    const uint32_t call = mpl_call_find(r->events, part->location, begin);

    return call == MPL_NONE ? NULL : &lane->calls[call];
}

/* Goes on through the ranks of a scan as far as they have arrived. */
static void resolve_scan(struct replay *r, uint32_t i)
{
    const struct mpl_coll_instance *instance = &r->events->match->instances[i];
    struct coll_state *state = &r->colls[i];

    while (state->n_resolved < instance->n_parts) {
        const struct mpl_coll_part *part =
            &r->events->match->parts[instance->first_part + state->n_resolved];
        struct mpl_call *call = arrival_call(r, part);
        struct runner *runner = &r->runners[part->location];
        int64_t reached;

        if (call == NULL || mpl_call_ticks(call) <= 0) {
            return;
        }
        reached = mpl_call_ticks(call) - 1;
        state->ticks = reached > state->ticks ? reached : state->ticks;
        mpl_call_set_ticks(call, (state->ticks + 1) | resolved_bit);
        state->n_resolved++;
        if (runner->scan_instance == i) {
            runner->scan_instance = MPL_NONE;
            r->ready[r->n_ready++] = part->location;
        }
    }
}

static void arrive(struct replay *r, uint32_t location, uint32_t i)
{
    const struct mpl_coll_instance *instance = &r->events->match->instances[i];
    const enum mpl_coll_class class = mpl_coll_class_of(instance->op);
    struct coll_state *state = &r->colls[i];
    const int64_t ticks = r->runners[location].ticks;

    state->n_arrived++;
    if (class == MPL_CLASS_SCAN || class == MPL_CLASS_EXSCAN) {
        resolve_scan(r, i);
        return;
    }
    if (class == MPL_CLASS_1_TO_N) {
        if (r->events->model->locations[location].process != instance->root) {
            return;
        }
        state->ticks = ticks;
        state->is_root_here = true;
    } else {
        state->ticks = ticks > state->ticks ? ticks : state->ticks;
        if (state->n_arrived < instance->n_parts) {
            return;
        }
    }
    wake_chain(r, state->first_hanging);
}

static enum progress hang_on_instance(struct replay *r, uint32_t location, uint32_t i)
{
    r->runners[location].next = r->colls[i].first_hanging;
    r->colls[i].first_hanging = location + 1;
    return HANGS;
}

static enum progress complete_scan(struct replay *r, uint32_t location, uint32_t i,
                                   uint32_t collective)
{
    const struct mpl_coll_part part = { location, collective, 0 };
    const struct mpl_call *call = arrival_call(r, &part);
    struct runner *runner = &r->runners[location];
    int64_t reached;

    if (call == NULL) {
        return GOES_ON;
    }
    if ((mpl_call_ticks(call) & resolved_bit) == 0) {
        runner->scan_instance = i;
        return HANGS;
    }
    reached = (mpl_call_ticks(call) & ~resolved_bit) - 1;
    runner->ticks = reached > runner->ticks ? reached : runner->ticks;
    return GOES_ON;
}

static enum progress complete(struct replay *r, uint32_t location, uint32_t collective)
{
    const uint32_t i = instance_of(r, location, collective);
    struct runner *runner = &r->runners[location];
    const struct mpl_coll_instance *instance;
    bool is_root;
    bool is_ready;

    if (i == MPL_NONE) {
        return GOES_ON;
    }
    instance = &r->events->match->instances[i];
    is_root = r->events->model->locations[location].process == instance->root;
    is_ready = r->colls[i].n_arrived == instance->n_parts;
    switch (mpl_coll_class_of(instance->op)) {
    case MPL_CLASS_NONE:
        return GOES_ON;
    case MPL_CLASS_SCAN:
    case MPL_CLASS_EXSCAN:
        return complete_scan(r, location, i, collective);
    case MPL_CLASS_1_TO_N:
        if (is_root) {
            return GOES_ON;
        }
        is_ready = r->colls[i].is_root_here;
        break;
    case MPL_CLASS_N_TO_1:
        if (!is_root) {
            return GOES_ON;
        }
        break;
    case MPL_CLASS_BARRIER:
    case MPL_CLASS_N_TO_N:
        break;
    }
    if (!is_ready) {
        return hang_on_instance(r, location, i);
    }
    runner->ticks = r->colls[i].ticks > runner->ticks ? r->colls[i].ticks : runner->ticks;
    return GOES_ON;
}

/* ---- running ------------------------------------------------------------------------------ */

/* The part of a stretch that lies in the window. */
static int64_t inside(const struct replay *r, int64_t from_ticks, int64_t to_ticks)
{
    const int64_t begin = r->events->window_begin_ticks;
    const int64_t end = r->events->window_end_ticks;

    from_ticks = from_ticks > begin ? from_ticks : begin;
    to_ticks = to_ticks < end ? to_ticks : end;
    return to_ticks > from_ticks ? to_ticks - from_ticks : 0;
}

static enum progress take_record(struct replay *r, uint32_t location,
                                 const struct mpl_location *loc, uint32_t event)
{
    const uint32_t ref = loc->ref[event];
    uint32_t instance;

    switch ((enum mpl_event_kind) loc->kind[event]) {
    case MPL_EV_RECV:
    case MPL_EV_IRECV:
        return need_send(r, location, ref);
    case MPL_EV_SEND: {
        const struct mpl_lane *lane = &r->events->lanes[location];
        const struct mpl_call *call = &lane->calls[r->runners[location].call];

        return mpl_call_use(r->events, loc, call).mode == MPL_CALL_SYNC_SEND
                   ? need_receive(r, location, ref)
                   : GOES_ON;
    }
    case MPL_EV_COLL_BEGIN:
        instance = instance_of(r, location, ref);
        if (instance != MPL_NONE) {
            arrive(r, location, instance);
        }
        return GOES_ON;
    case MPL_EV_COLL_END:
        instance = instance_of(r, location, ref);
        if (instance != MPL_NONE && loc->collectives[ref].begin == MPL_NONE) {
            /* The others must not hang on a beginning that is not recorded. */
            arrive(r, location, instance);
            return GOES_ON;
        }
        return complete(r, location, ref);
    default:
        return GOES_ON;
    }
}

/* Adds what the call takes although the network is ideal. */
static void leave_call(struct replay *r, struct runner *runner,
                       const struct mpl_location *loc, const struct mpl_call *call)
{
    int64_t ticks;

    runner->is_in_call = false;
    if (call->is_wait_known && call->class != MPL_SPAN_OTHER) {
        return;
    }
    ticks = inside(r, loc->time_ticks[call->enter], loc->time_ticks[call->leave]);
    if (!call->is_wait_known) {
        /* Nobody knows what it waited for: as measured, but not too much of that. */
        r->unknown_ticks += ticks;
    } else if (mpl_call_use(r->events, loc, call).is_mpi) {
        return;
    }
    /* Waiting for threads and for the tracer is no business of the network. */
    if (runner->begin_ticks + ticks > runner->ticks) {
        runner->ticks = runner->begin_ticks + ticks;
    }
}

/* Goes on with a location until it hangs or is through. */
static void run_location(struct replay *r, uint32_t location)
{
    const struct mpl_location *loc = &r->events->model->locations[location];
    const struct mpl_lane *lane = &r->events->lanes[location];
    struct runner *runner = &r->runners[location];

    for (; runner->call < lane->n_calls; runner->call++) {
        struct mpl_call *call = &lane->calls[runner->call];

        if (!runner->is_in_call) {
            const uint32_t before = runner->call == 0 ? 0 : call[-1].leave;

            runner->ticks +=
                inside(r, loc->time_ticks[before], loc->time_ticks[call->enter]);
            reach_call(r, location, call);
            runner->is_in_call = true;
            runner->begin_ticks = runner->ticks;
            runner->event = call->enter;
        }
        for (; runner->event <= call->leave; runner->event++) {
            if (take_record(r, location, loc, runner->event) == HANGS) {
                return;
            }
        }
        leave_call(r, runner, loc, call);
    }
    if (loc->n_events > 0) {
        const uint32_t before =
            lane->n_calls == 0 ? 0 : lane->calls[lane->n_calls - 1].leave;

        runner->ticks +=
            inside(r, loc->time_ticks[before], loc->time_ticks[loc->n_events - 1]);
    }
    runner->is_done = true;
}

/* Worker threads that never call MPI are part of their master's computation. */
static bool takes_part(const struct mpl_location *loc)
{
    return loc->n_events > 0 &&
           (loc->thread == 0 || loc->n_messages > 0 || loc->n_collectives > 0);
}

static bool is_guess(const struct mpl_events *events)
{
    const struct mpl_match_counts *n = &events->match->counts;
    const double missing = (double) n->unmatched_sends + (double) n->unmatched_receives +
                           (double) n->garbage_ends + (double) n->open_receives;
    const double ends = 2 * (double) n->pairs + missing;

    return !events->model->can.has_receive_completions && events->model->can.has_messages
               ? true
               : missing > tolerated_share * ends ||
                     (double) n->incomplete_collectives >
                         tolerated_share * (double) n->collectives;
}

static bool prepare(struct replay *r, struct mpl_arena *scratch)
{
    const struct mpl_model *model = r->events->model;

    r->runners = MPL_NEW_ARRAY(scratch, model->n_locations, struct runner);
    r->ready = MPL_NEW_ARRAY(scratch, model->n_locations, uint32_t);
    r->colls = MPL_NEW_ARRAY(scratch, r->events->match->n_instances, struct coll_state);
    if (r->runners == NULL || r->ready == NULL || r->colls == NULL) {
        return false;
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];
        struct runner *runner = &r->runners[l];

        runner->scan_instance = MPL_NONE;
        runner->is_part = takes_part(loc);
        if (runner->is_part) {
            /* A process that appears late cannot have run before. */
            runner->ticks = inside(r, r->events->window_begin_ticks, loc->time_ticks[0]);
            r->ready[r->n_ready++] = l;
        }
    }
    return true;
}

/* The latest end; NaN if somebody hangs for ever or too much is unknown. */
static double longest_run_s(const struct replay *r)
{
    const struct mpl_events *events = r->events;
    const int64_t window = events->window_end_ticks - events->window_begin_ticks;
    int64_t longest = 0;
    uint32_t n_parts = 0;

    for (uint32_t l = 0; l < events->model->n_locations; l++) {
        const struct runner *runner = &r->runners[l];

        if (!runner->is_part) {
            continue;
        }
        if (!runner->is_done) {
            return NAN;
        }
        longest = runner->ticks > longest ? runner->ticks : longest;
        n_parts++;
    }
    if ((double) r->unknown_ticks > tolerated_share * (double) n_parts * (double) window) {
        return NAN;
    }
    return mpl_model_seconds(events->model, longest);
}

enum mpl_status mpl_replay_run(struct mpl_events *events, struct mpl_err *err)
{
    struct replay replay = { .events = events };
    struct mpl_arena *scratch;

    events->ideal_s = NAN;
    if (is_guess(events)) {
        return MPL_OK;
    }
    scratch = mpl_arena_create();
    if (scratch == NULL || !prepare(&replay, scratch)) {
        mpl_arena_destroy(scratch);
        return mpl_nomem(err);
    }
    while (replay.n_ready > 0) {
        run_location(&replay, replay.ready[--replay.n_ready]);
    }
    events->ideal_s = longest_run_s(&replay);
    mpl_arena_destroy(scratch);
    return MPL_OK;
}
