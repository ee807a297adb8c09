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
    struct mpl_events *events;
    const struct mpl_coll_instance *instance;
    const struct mpl_coll_part *parts;
    struct mpl_coll_wait *wait;
    enum mpl_wait_kind kind;
    bool has_counts; /* byte counts tell who gives and takes */
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
    const struct mpl_lane *lane = &w->events->lanes[part->location];
    const struct mpl_collective *record = part_record(w, part);
    const uint32_t begin = record->begin != MPL_NONE ? record->begin : record->end;
    const uint32_t call = record->is_immediate
                              ? mpl_call_find(w->events, part->location, begin)
                              : lane->call_of_collective[part->collective];

    return mpl_time_of(w->events, loc, call != MPL_NONE ? lane->calls[call].enter : begin);
}

static bool gives(const struct instance_walk *w, const struct mpl_coll_part *part)
{
    return !w->has_counts || part_record(w, part)->sent_bytes > 0;
}

static bool takes(const struct instance_walk *w, const struct mpl_coll_part *part)
{
    return !w->has_counts || part_record(w, part)->received_bytes > 0;
}

/* The call in which a participant waits, or NULL if it does not. */
static struct mpl_call *waiting_call(const struct instance_walk *w,
                                     const struct mpl_coll_part *part)
{
    struct mpl_lane *lane = &w->events->lanes[part->location];
    const uint32_t k = lane->call_of_collective[part->collective];
    const struct mpl_location *loc;
    struct mpl_call *call;

    if (k == MPL_NONE || part_record(w, part)->end == MPL_NONE) {
        return NULL;
    }
    call = &lane->calls[k];
    if (call->class != MPL_SPAN_COLLECTIVE && call->class != MPL_SPAN_P2P) {
        return NULL;
    }
    loc = &w->events->model->locations[part->location];
    switch ((enum mpl_call_mode) mpl_call_use(w->events, loc, call).mode) {
    case MPL_CALL_TEST:
    case MPL_CALL_IMMEDIATE:
        return NULL;
    default:
        return call;
    }
}

/* \p part waits until \p until_ticks, when \p culprit enters. */
static void wait_until(struct instance_walk *w, const struct mpl_coll_part *part,
                       int64_t until_ticks, uint32_t culprit)
{
    const struct mpl_location *loc = &w->events->model->locations[part->location];
    struct mpl_call *call = waiting_call(w, part);
    int64_t leave;
    int64_t ticks;

    if (call == NULL) {
        return;
    }
    leave = mpl_time_of(w->events, loc, call->leave);
    ticks = (until_ticks < leave ? until_ticks : leave) -
            mpl_time_of(w->events, loc, call->enter);
    if (ticks <= 0) {
        return;
    }
    w->wait->wait_s += mpl_model_seconds(w->events->model, ticks);
    if (call->is_wait_known && ticks > mpl_call_ticks(call)) {
        mpl_call_set_ticks(call, ticks);
        call->wait_kind = w->kind;
        call->culprit = culprit;
    }
}

static void mark_unknown(const struct instance_walk *w, const struct mpl_coll_part *part)
{
    struct mpl_call *call = waiting_call(w, part);

    if (call != NULL) {
        mpl_call_set_ticks(call, 0);
        call->wait_kind = MPL_WAIT_NONE;
        call->culprit = MPL_NONE;
        call->is_wait_known = false;
    }
}

static int64_t first_leave(const struct instance_walk *w)
{
    int64_t first = INT64_MAX;

    for (uint32_t i = 0; i < w->instance->n_parts; i++) {
        const struct mpl_call *call = waiting_call(w, &w->parts[i]);

        if (call != NULL) {
            const int64_t leave = mpl_time_of(
                w->events, &w->events->model->locations[w->parts[i].location], call->leave);

            first = leave < first ? leave : first;
        }
    }
    return first;
}

/* The last to enter among those who give something, or who give nothing but enter until
 * \p idle_until_ticks; the root aside if it is one. */
static const struct mpl_coll_part *last_giver(const struct instance_walk *w,
                                              uint32_t root_part, int64_t idle_until_ticks,
                                              int64_t *enter_ticks)
{
    const struct mpl_coll_part *last = NULL;

    for (uint32_t i = 0; i < w->instance->n_parts; i++) {
        const struct mpl_coll_part *part = &w->parts[i];
        int64_t enter;

        if (i == root_part) {
            continue;
        }
        enter = enter_of_part(w, part);
        if (enter > idle_until_ticks && !gives(w, part)) {
            continue;
        }
        if (last == NULL || enter > *enter_ticks) {
            last = part;
            *enter_ticks = enter;
        }
    }
    return last;
}

static uint32_t find_root(const struct instance_walk *w)
{
    for (uint32_t i = 0; i < w->instance->n_parts; i++) {
        const uint32_t l = w->parts[i].location;

        if (w->events->model->locations[l].process == w->instance->root) {
            return i;
        }
    }
    return MPL_NONE;
}

static void walk_all_to_all(struct instance_walk *w)
{
    const int64_t idle_until = w->has_counts ? first_leave(w) : INT64_MAX;
    int64_t until = 0;
    const struct mpl_coll_part *last = last_giver(w, MPL_NONE, idle_until, &until);

    for (uint32_t i = 0; i < w->instance->n_parts; i++) {
        if (!w->instance->is_complete) {
            mark_unknown(w, &w->parts[i]);
        } else if (last != NULL && takes(w, &w->parts[i])) {
            wait_until(w, &w->parts[i], until, last->location);
        }
    }
    w->wait->last = last != NULL ? last->location : MPL_NONE;
}

static void walk_one_to_all(struct instance_walk *w)
{
    const uint32_t root = find_root(w);

    for (uint32_t i = 0; i < w->instance->n_parts; i++) {
        if (i == root) {
            continue;
        }
        if (root == MPL_NONE) {
            mark_unknown(w, &w->parts[i]);
        } else if (takes(w, &w->parts[i])) {
            wait_until(w, &w->parts[i], enter_of_part(w, &w->parts[root]),
                       w->parts[root].location);
        }
    }
    w->wait->last = root != MPL_NONE ? w->parts[root].location : MPL_NONE;
}

static void walk_all_to_one(struct instance_walk *w)
{
    const uint32_t root = find_root(w);
    int64_t until = 0;
    const struct mpl_coll_part *last = last_giver(w, root, INT64_MIN, &until);

    if (root != MPL_NONE && !w->instance->is_complete) {
        mark_unknown(w, &w->parts[root]);
    } else if (root != MPL_NONE && last != NULL && takes(w, &w->parts[root])) {
        wait_until(w, &w->parts[root], until, last->location);
    }
    w->wait->last = last != NULL ? last->location : MPL_NONE;
}

/* Parts are in the order of ranks. */
static void walk_scan(struct instance_walk *w)
{
    uint32_t last = MPL_NONE;
    int64_t until = 0;

    for (uint32_t i = 0; i < w->instance->n_parts; i++) {
        const struct mpl_coll_part *part = &w->parts[i];
        const int64_t enter = enter_of_part(w, part);

        if (part->rank != i) {
            /* A lower rank is not recorded. */
            mark_unknown(w, part);
            continue;
        }
        if (last != MPL_NONE) {
            wait_until(w, part, until, last);
        }
        if (last == MPL_NONE || enter > until) {
            last = part->location;
            until = enter;
        }
    }
    w->wait->last = last;
}

static bool has_counts_per_rank(enum mpl_coll_op op)
{
    switch (op) {
    case MPL_COLL_GATHERV:
    case MPL_COLL_SCATTERV:
    case MPL_COLL_ALLGATHERV:
    case MPL_COLL_ALLTOALLV:
    case MPL_COLL_ALLTOALLW:
        return true;
    default:
        return false;
    }
}

static void walk_instance(struct instance_walk *w)
{
    w->wait->last = MPL_NONE;
    switch (mpl_coll_class_of(w->instance->op)) {
    case MPL_CLASS_BARRIER:
        w->kind = MPL_WAIT_BARRIER;
        walk_all_to_all(w);
        break;
    case MPL_CLASS_N_TO_N:
        w->kind = MPL_WAIT_N_TO_N;
        walk_all_to_all(w);
        break;
    case MPL_CLASS_1_TO_N:
        w->kind = MPL_WAIT_LATE_BROADCAST;
        walk_one_to_all(w);
        break;
    case MPL_CLASS_N_TO_1:
        w->kind = MPL_WAIT_EARLY_REDUCE;
        walk_all_to_one(w);
        break;
    case MPL_CLASS_SCAN:
    case MPL_CLASS_EXSCAN:
        w->kind = MPL_WAIT_EARLY_SCAN;
        walk_scan(w);
        break;
    case MPL_CLASS_NONE:
        break;
    }
}

void mpl_waits_coll(struct mpl_events *events)
{
    const struct mpl_match *match = events->match;

    for (uint32_t i = 0; i < match->n_instances; i++) {
        const struct mpl_coll_instance *instance = &match->instances[i];
        struct instance_walk w = {
            .events = events,
            .instance = instance,
            .parts = &match->parts[instance->first_part],
            .wait = &events->coll_waits[i],
            /* EZTrace writes count times size of the local arguments, whatever the role. */
            .has_counts = events->model->tracer == MPL_TRACER_SCOREP &&
                          has_counts_per_rank(instance->op),
        };

        walk_instance(&w);
    }
}
