/*
 * Waiting in collective calls, with the definitions of Scalasca: a participant waits from its own
 * enter until the last of those it depends on has entered. Which ones these are follows from the
 * operation: all (barrier, N-to-N), the root (1-to-N), all for the root only (N-to-1), the lower
 * ranks (scan). In operations with counts per rank, one that gives nothing keeps nobody waiting,
 * and one that takes nothing does not wait. The exception: MPI libraries build an N-to-N exchange
 * from steps that pass through all ranks, so there one that gives nothing still counts as long as
 * nobody has left before it entered. (With that, the 50 MPI_Allgatherv of the Score-P trace
 * scorep-colls wait 0.058029 s, as Scalasca says; 0.054420 s without, 0.058710 s if all counted.)
 */
#include "config.h"

#include "events/events_priv.h"

struct instance_walk {
    const struct mpl_events *events;
    const struct mpl_coll_instance *instance;
    const struct mpl_coll_part *parts;
    struct mpl_coll_wait *wait;
    enum mpl_wait_kind kind;
    uint32_t root;            /* part of the root, MPL_NONE if there is none */
    int64_t idle_until_ticks; /* who gives nothing counts if it enters until then */
};

static const struct mpl_collective *part_record(const struct instance_walk *w,
                                                const struct mpl_coll_part *part)
{
    return &w->events->model->locations[part->location].collectives[part->collective];
}

/* When a participant entered, that is: when others may count on it. */
static int64_t enter_of_part(const struct instance_walk *w,
                             const struct mpl_coll_part *part)
{
    const struct mpl_location *loc = &w->events->model->locations[part->location];
    const struct mpl_collective *record = part_record(w, part);
    const uint32_t begin = record->begin != MPL_NONE ? record->begin : record->end;
    const uint32_t call =
        record->is_immediate
            ? mpl_call_find(w->events, part->location, begin)
            : w->events->lanes[part->location].call_of_collective[part->collective];

    return call != MPL_NONE ? mpl_call_enter_ticks(w->events, part->location, call)
                            : mpl_time_of(w->events, loc, begin);
}

static struct mpl_data_flow data_of(const struct instance_walk *w, uint32_t i)
{
    return mpl_order_data_of(w->events->model, w->instance, &w->parts[i]);
}

static bool gives(const struct instance_walk *w, uint32_t i)
{
    return data_of(w, i).gives != MPL_DATA_NONE;
}

static bool takes(const struct instance_walk *w, uint32_t i)
{
    return data_of(w, i).takes != MPL_DATA_NONE;
}

/* The call in which a participant waits, or MPL_NONE if it does not. */
static uint32_t waiting_call(const struct instance_walk *w,
                             const struct mpl_coll_part *part)
{
    const struct mpl_lane *lane = &w->events->lanes[part->location];
    const uint32_t k = lane->call_of_collective[part->collective];
    const struct mpl_location *loc;
    struct mpl_call call;

    if (k == MPL_NONE || part_record(w, part)->end == MPL_NONE) {
        return MPL_NONE;
    }
    call = mpl_call_get(lane, k);
    if (call.class != MPL_SPAN_COLLECTIVE && call.class != MPL_SPAN_P2P) {
        return MPL_NONE;
    }
    loc = &w->events->model->locations[part->location];
    switch ((enum mpl_call_mode) mpl_call_use(w->events, loc, &call).mode) {
    case MPL_CALL_TEST:
    case MPL_CALL_IMMEDIATE:
        return MPL_NONE;
    default:
        return k;
    }
}

/* \p part waits until \p until_ticks, when \p culprit enters. */
static void wait_until(struct instance_walk *w, const struct mpl_coll_part *part,
                       int64_t until_ticks, uint32_t culprit)
{
    struct mpl_lane *lane = &w->events->lanes[part->location];
    const uint32_t call = waiting_call(w, part);
    int64_t duration;
    int64_t ticks;

    if (call == MPL_NONE) {
        return;
    }
    duration = mpl_call_duration_ticks(lane, call);
    ticks = until_ticks - mpl_call_enter_ticks(w->events, part->location, call);
    ticks = ticks < duration ? ticks : duration;
    if (ticks <= 0) {
        return;
    }
    w->wait->wait_s += mpl_model_seconds(w->events->model, ticks);
    if (lane->waits[call].is_known && ticks > mpl_call_wait_ticks(lane, call)) {
        mpl_call_set_wait(lane, call, ticks, w->kind, culprit);
    }
}

static void mark_unknown(const struct instance_walk *w, const struct mpl_coll_part *part)
{
    struct mpl_lane *lane = &w->events->lanes[part->location];
    const uint32_t call = waiting_call(w, part);

    if (call != MPL_NONE) {
        mpl_call_set_wait(lane, call, 0, MPL_WAIT_NONE, MPL_NONE);
        lane->waits[call].is_known = false;
    }
}

static int64_t first_leave(const struct instance_walk *w)
{
    int64_t first = INT64_MAX;

    for (uint32_t i = 0; i < w->instance->n_parts; i++) {
        const uint32_t call = waiting_call(w, &w->parts[i]);

        if (call != MPL_NONE) {
            const int64_t leave =
                mpl_call_leave_ticks(w->events, w->parts[i].location, call);

            first = leave < first ? leave : first;
        }
    }
    return first;
}

/* ---- who depends on whom ----------------------------------------------------------------- */

/* Whether others wait for the \p i-th part. */
static bool is_needed(const struct instance_walk *w, uint32_t i)
{
    const enum mpl_coll_class class = mpl_coll_class_of(w->instance->op);
    const bool is_of_all = class == MPL_CLASS_BARRIER || class == MPL_CLASS_N_TO_N;

    return gives(w, i) ||
           (is_of_all && enter_of_part(w, &w->parts[i]) <= w->idle_until_ticks);
}

/* Whether the \p i-th part waits for others: it does, it does not, or for somebody whose part is not
 * recorded. */
enum need { NEEDS_NOBODY, NEEDS_OTHERS, NEEDS_UNKNOWN };

static enum need need_of(const struct instance_walk *w, uint32_t i)
{
    if (!takes(w, i)) {
        return NEEDS_NOBODY;
    }
    return mpl_order_has_needed(w->events->match, w->instance, w->root, i) ? NEEDS_OTHERS
                                                                           : NEEDS_UNKNOWN;
}

/* ---- waits -------------------------------------------------------------------------------- */

static void wait_or_mark(struct instance_walk *w, uint32_t i, uint32_t culprit,
                         int64_t until_ticks)
{
    switch (need_of(w, i)) {
    case NEEDS_UNKNOWN:
        mark_unknown(w, &w->parts[i]);
        break;
    case NEEDS_OTHERS:
        if (culprit != MPL_NONE) {
            wait_until(w, &w->parts[i], until_ticks, culprit);
        }
        break;
    case NEEDS_NOBODY:
        break;
    }
}

/* All wait for the last of those who are needed. */
static void walk_parts(struct instance_walk *w)
{
    uint32_t last = MPL_NONE;
    int64_t until = 0;

    for (uint32_t i = 0; i < w->instance->n_parts; i++) {
        if (is_needed(w, i)) {
            const int64_t enter = enter_of_part(w, &w->parts[i]);

            if (last == MPL_NONE || enter > until) {
                last = w->parts[i].location;
                until = enter;
            }
        }
    }
    for (uint32_t i = 0; i < w->instance->n_parts; i++) {
        wait_or_mark(w, i, last, until);
    }
    w->wait->last = last;
}

static void walk_scan(struct instance_walk *w)
{
    uint32_t last = MPL_NONE;
    int64_t until = 0;

    for (uint32_t i = 0; i < w->instance->n_parts; i++) {
        const struct mpl_coll_part *part = &w->parts[i];
        const int64_t enter = enter_of_part(w, part);

        wait_or_mark(w, i, last, until);
        if (need_of(w, i) != NEEDS_UNKNOWN && (last == MPL_NONE || enter > until)) {
            last = part->location;
            until = enter;
        }
    }
    w->wait->last = last;
}

static enum mpl_wait_kind kind_of(enum mpl_coll_class class)
{
    switch (class) {
    case MPL_CLASS_BARRIER:
        return MPL_WAIT_BARRIER;
    case MPL_CLASS_N_TO_N:
        return MPL_WAIT_N_TO_N;
    case MPL_CLASS_1_TO_N:
        return MPL_WAIT_LATE_BROADCAST;
    case MPL_CLASS_N_TO_1:
        return MPL_WAIT_EARLY_REDUCE;
    case MPL_CLASS_SCAN:
    case MPL_CLASS_EXSCAN:
        return MPL_WAIT_EARLY_SCAN;
    case MPL_CLASS_NONE:
        break;
    }
    return MPL_WAIT_NONE;
}

static struct instance_walk open_walk(const struct mpl_events *events, uint32_t instance)
{
    const struct mpl_match *match = events->match;
    struct instance_walk w = {
        .events = events,
        .instance = &match->instances[instance],
        .parts = &match->parts[match->instances[instance].first_part],
        .wait = &events->coll_waits[instance],
        .kind = kind_of(mpl_coll_class_of(match->instances[instance].op)),
    };

    w.root = mpl_order_root_part(events->model, match, w.instance);
    w.idle_until_ticks =
        mpl_order_has_counts(events->model, w.instance->op) ? first_leave(&w) : INT64_MAX;
    return w;
}

void mpl_waits_coll(struct mpl_events *events)
{
    for (uint32_t i = 0; i < events->match->n_instances; i++) {
        struct instance_walk w = open_walk(events, i);

        w.wait->last = MPL_NONE;
        if (w.kind == MPL_WAIT_EARLY_SCAN) {
            walk_scan(&w);
        } else if (w.kind != MPL_WAIT_NONE) {
            walk_parts(&w);
        }
    }
}

void mpl_events_coll_needs(const struct mpl_events *events, uint32_t instance,
                           struct mpl_coll_need *needs)
{
    const struct instance_walk w = open_walk(events, instance);

    for (uint32_t i = 0; i < w.instance->n_parts; i++) {
        needs[i].is_needed = is_needed(&w, i);
        needs[i].does_wait = need_of(&w, i) == NEEDS_OTHERS;
    }
}
