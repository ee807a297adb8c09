/*
 * Sums: per location over its calls, and per pair of processes over their messages.
 */
#include "config.h"

#include "events/events_priv.h"

#include <stdlib.h>

/* In ticks until the end, so that the classes add up exactly. */
struct tick_sums {
    int64_t class_ticks[MPL_SPAN_CLASSES];
    int64_t wait_ticks[MPL_WAIT_KINDS];
    int64_t caused_ticks[MPL_WAIT_KINDS];
    int64_t unknown_ticks;
    int64_t device_ticks;
    int64_t thread_ticks;
};

struct totals_walk {
    struct mpl_events *events;
    struct tick_sums *sums;       /* per location */
    const int64_t *instance_due;  /* see mpl_stalls_prepare() */
    const int64_t *posted_ticks;  /* see mpl_posts_find() */
    struct mpl_buf edges;         /* struct mpl_edge */
    struct mpl_map *edge_of;      /* from << 32 | to, to an index into edges */
    struct mpl_buf envelope_sums; /* struct envelope_sum, of the current location */
};

/* What the message ends of an envelope add up to. */
struct envelope_sum {
    uint64_t messages;
    uint64_t bytes;
    uint64_t lone_messages; /* Of these, without a partner. */
    uint64_t lone_bytes;
};

/* ---- edges ------------------------------------------------------------------------ */

/* The index of the edge, made now if there is none; MPL_NONE when out of memory. */
static uint32_t edge_index(struct totals_walk *w, uint32_t from, uint32_t to)
{
    const uint64_t key = (uint64_t) from << 32 | to;
    uint32_t i = mpl_map_find(w->edge_of, key);
    struct mpl_edge *edge;

    if (i != MPL_NONE) {
        return i;
    }
    i = (uint32_t) w->edges.n;
    edge = (struct mpl_edge *) mpl_buf_add(&w->edges);
    if (edge == NULL || !mpl_map_put(w->edge_of, key, i)) {
        return MPL_NONE;
    }
    edge->from = from;
    edge->to = to;
    return i;
}

static inline void add_message(struct envelope_sum *sum, uint64_t bytes, bool is_lone)
{
    sum->messages++;
    sum->bytes += bytes;
    if (is_lone) {
        sum->lone_messages++;
        sum->lone_bytes += bytes;
    }
}

/* Messages share few envelopes, so only their sums need to know what these are. NULL: no memory. */
static const struct envelope_sum *sum_envelopes(struct totals_walk *w, uint32_t location)
{
    const struct mpl_location *loc = &w->events->model->locations[location];
    const uint32_t *partner = w->events->match->partner[location];
    const bool is_part = mpl_events_is_part(w->events);
    struct envelope_sum *sums;

    w->envelope_sums.n = 0;
    sums = mpl_buf_add_many(&w->envelope_sums, loc->n_envelopes);
    for (uint32_t first = 0, n; first < loc->n_messages && sums != NULL; first += n) {
        const struct mpl_message *messages = mpl_messages_from(loc, first, &n);

        for (uint32_t i = 0; i < n; i++) {
            const struct mpl_message *message = &messages[i];

            if (message->envelope != MPL_NONE &&
                (!is_part || mpl_events_has_message(w->events, location, first + i))) {
                add_message(&sums[message->envelope], message->bytes,
                            partner[first + i] == MPL_NONE);
            }
        }
    }
    return sums;
}

/* A message counts where it is sent; where that is not recorded, where it is received. False: no memory. */
static bool add_to_edge(struct totals_walk *w, uint32_t process,
                        const struct mpl_envelope *envelope, const struct envelope_sum *sum)
{
    const uint64_t messages = envelope->is_send ? sum->messages : sum->lone_messages;
    struct mpl_edge *edge;
    uint32_t i;

    if (messages == 0 || envelope->peer == MPL_NONE || envelope->comm_unsure) {
        return true;
    }
    i = envelope->is_send ? edge_index(w, process, envelope->peer)
                          : edge_index(w, envelope->peer, process);
    if (i == MPL_NONE) {
        return false;
    }
    edge = &((struct mpl_edge *) w->edges.data)[i];
    edge->messages += messages;
    edge->bytes += envelope->is_send ? sum->bytes : sum->lone_bytes;
    return true;
}

static bool sum_messages(struct totals_walk *w, uint32_t location)
{
    const struct mpl_location *loc = &w->events->model->locations[location];
    struct mpl_totals *totals = &w->events->totals[location];
    const struct envelope_sum *sums;
    bool is_done = true;

    if (loc->n_envelopes == 0) {
        return true;
    }
    sums = sum_envelopes(w, location);
    for (uint32_t i = 0; i < loc->n_envelopes && sums != NULL && is_done; i++) {
        const struct mpl_envelope *envelope = &loc->envelopes[i];

        if (envelope->is_null || envelope->is_garbage) {
            continue;
        }
        if (envelope->is_send) {
            totals->n_sends += sums[i].messages;
            totals->sent_bytes += sums[i].bytes;
        } else {
            totals->n_receives += sums[i].messages;
            totals->received_bytes += sums[i].bytes;
        }
        is_done = add_to_edge(w, loc->process, envelope, &sums[i]);
    }
    return sums != NULL && is_done;
}

/* ---- calls ------------------------------------------------------------------------- */

/* What the waits of a location say of others. False: no memory. */
static bool sum_waits(struct totals_walk *w, uint32_t location)
{
    const struct mpl_location *locations = w->events->model->locations;
    const struct mpl_lane *lane = &w->events->lanes[location];
    /* Waits that follow one another are often for the same sender. */
    uint32_t sender = MPL_NONE;
    uint32_t edge = MPL_NONE;

    for (uint32_t k = 0; k < lane->n_calls; k++) {
        const enum mpl_wait_kind kind = (enum mpl_wait_kind) lane->waits[k].kind;

        if (kind == MPL_WAIT_NONE) {
            continue;
        }

        const int64_t ticks = mpl_call_wait_ticks(lane, k);
        const uint32_t culprit = mpl_call_culprit(lane, k);

        w->sums[culprit].caused_ticks[kind] += ticks;
        if (kind == MPL_WAIT_LATE_SENDER) {
            if (culprit != sender) {
                sender = culprit;
                edge =
                    edge_index(w, locations[sender].process, locations[location].process);
            }
            if (edge == MPL_NONE) {
                return false;
            }
            ((struct mpl_edge *) w->edges.data)[edge].wait_s +=
                mpl_model_seconds(w->events->model, ticks);
        }
    }
    return true;
}

/* Pauses between questions are as short as this, usleep(1000) included; longer ones are taken for work. */
static const double pause_s = 2e-3;

/* What is counted of the calls of a location on the way. */
struct call_counts {
    uint64_t n_calls;  /* of MPI, but for start-up and shut-down */
    uint64_t n_unseen; /* exchanges without a message */
    uint32_t asked;    /* the last call that asked; MPL_NONE before the first one */
};

/*
 * MPI_Test, MPI_Iprobe and their like that follow one another without an answer: whether the process pauses in between or
 * computes the trace does not tell. Call \p k is one of them.
 */
static void sum_asking(const struct mpl_events *events, uint32_t location, uint32_t k,
                       struct call_counts *counts)
{
    if (k > 0 && counts->asked == k - 1) {
        struct mpl_totals *totals = &events->totals[location];
        const double gap_s = mpl_model_seconds(
            events->model, mpl_call_enter_ticks(events, location, k) -
                               mpl_call_leave_ticks(events, location, k - 1));

        totals->asking_s += gap_s <= pause_s ? gap_s : 0;
        totals->n_asks += gap_s <= pause_s;
    }
    counts->asked = k;
}

/* Of a call that could move messages, and has none. */
static void sum_without_messages(const struct mpl_events *events, uint32_t location,
                                 uint32_t k, const struct mpl_call *call,
                                 struct call_counts *counts)
{
    const struct mpl_region_use use =
        mpl_call_use(events, &events->model->locations[location], call);

    counts->n_unseen += use.block == BLOCK_EXCHANGE;
    if (use.mode == MPL_CALL_TEST) {
        sum_asking(events, location, k, counts);
    }
}

/* Of a call that neither moves messages nor is a collective. Returns whether it is one of MPI. */
static bool sum_other(const struct mpl_events *events, uint32_t location,
                      const struct mpl_call *call, int64_t ticks, struct tick_sums *sums)
{
    const struct mpl_location *loc = &events->model->locations[location];
    const uint32_t region = mpl_call_region(events, location, call);
    const enum mpl_region_kind kind =
        region == MPL_NONE ? MPL_REGION_USER : events->model->regions[region].kind;

    sums->device_ticks += kind == MPL_REGION_DEVICE_SYNC ? ticks : 0;
    sums->thread_ticks += kind == MPL_REGION_THREAD_SYNC ? ticks : 0;
    return mpl_call_use(events, loc, call).is_mpi;
}

/* What only calls of a class have. */
static void sum_by_class(const struct mpl_events *events, uint32_t location, uint32_t k,
                         const struct mpl_call *call, int64_t ticks, struct tick_sums *sums,
                         struct call_counts *counts)
{
    switch ((enum mpl_span_class) call->class) {
    case MPL_SPAN_P2P:
        counts->n_calls++;
        if (call->parts == MPL_PARTS_NONE) {
            sum_without_messages(events, location, k, call, counts);
        }
        break;
    case MPL_SPAN_COLLECTIVE:
        counts->n_calls++;
        break;
    case MPL_SPAN_OTHER:
        counts->n_calls += sum_other(events, location, call, ticks, sums);
        break;
    default:
        break;
    }
}

/* What the calls of a location say of itself. */
static void sum_calls(const struct totals_walk *w, uint32_t location)
{
    const struct mpl_location *loc = &w->events->model->locations[location];
    const struct mpl_lane *lane = &w->events->lanes[location];
    const struct mpl_stall_walk stalls =
        mpl_stalls_begin(w->events, w->instance_due, w->posted_ticks, location);
    struct mpl_totals *totals = &w->events->totals[location];
    struct tick_sums *sums = &w->sums[location];
    int64_t compute_ticks = mpl_ticks_of(loc, loc->n_events - 1) - mpl_ticks_of(loc, 0);
    struct call_counts counts = { .asked = MPL_NONE };

    for (uint32_t k = 0; k < lane->n_calls; k++) {
        const struct mpl_call call = mpl_call_get(lane, k);
        const int64_t enter = mpl_call_enter_ticks(w->events, location, k);
        const int64_t leave = enter + mpl_call_duration_ticks(lane, k);
        /* Only start-up, the first call, may begin before its record. */
        const int64_t ticks =
            k > 0 ? leave - enter : mpl_events_duration_ticks(w->events, location, 1);

        sums->class_ticks[call.class] += ticks;
        compute_ticks -= ticks;
        if (!call.is_wait_known) {
            sums->unknown_ticks += ticks;
        }
        sum_by_class(w->events, location, k, &call, ticks, sums, &counts);
        if (call.wait_kind != MPL_WAIT_NONE) {
            sums->wait_ticks[call.wait_kind] += mpl_call_wait_ticks(lane, k);
            totals->n_waits[call.wait_kind]++;
        }
        mpl_stalls_add(&stalls, &call, enter, leave);
    }
    sums->class_ticks[MPL_SPAN_COMPUTE] = compute_ticks;
    totals->n_calls += counts.n_calls;
    totals->n_unseen += counts.n_unseen;
}

/* ---- together ------------------------------------------------------------------------ */

static void to_seconds(struct totals_walk *w, uint32_t location,
                       const struct mpl_wrong_order *wrong)
{
    const struct mpl_model *model = w->events->model;
    const struct mpl_location *loc = &model->locations[location];
    const struct tick_sums *sums = &w->sums[location];
    struct mpl_totals *totals = &w->events->totals[location];

    for (int i = 0; i < MPL_SPAN_CLASSES; i++) {
        totals->class_s[i] = mpl_model_seconds(model, sums->class_ticks[i]);
    }
    for (int i = 0; i < MPL_WAIT_KINDS; i++) {
        totals->wait_s[i] = mpl_model_seconds(model, sums->wait_ticks[i]);
        totals->caused_s[i] = mpl_model_seconds(model, sums->caused_ticks[i]);
    }
    totals->wrong_order_s = mpl_model_seconds(model, wrong->ticks);
    totals->ready_s = mpl_model_seconds(model, wrong->ready_ticks);
    totals->n_wrong_order = wrong->n;
    totals->unknown_s = mpl_model_seconds(model, sums->unknown_ticks);
    totals->device_wait_s = mpl_model_seconds(model, sums->device_ticks);
    totals->thread_wait_s = mpl_model_seconds(model, sums->thread_ticks);
    for (uint32_t i = 0; i < loc->n_collectives; i++) {
        totals->n_collectives += mpl_events_has_collective(w->events, location, i);
    }
    if (loc->n_events > 0) {
        totals->total_s = mpl_model_seconds(model, mpl_ticks_of(loc, loc->n_events - 1) -
                                                       mpl_ticks_of(loc, 0));
    }
}

static int compare_edges(const void *a, const void *b)
{
    const struct mpl_edge *x = (const struct mpl_edge *) a;
    const struct mpl_edge *y = (const struct mpl_edge *) b;

    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    return x->to < y->to ? -1 : x->to > y->to;
}

/* Without those whose messages all count at the other end. */
static bool keep_edges(struct totals_walk *w)
{
    struct mpl_edge *edges = (struct mpl_edge *) w->edges.data;
    size_t n = 0;

    for (size_t i = 0; i < w->edges.n; i++) {
        if (edges[i].messages > 0) {
            edges[n++] = edges[i];
        }
    }
    w->edges.n = n;
    w->events->n_edges = (uint32_t) n;
    if (n == 0) {
        return true;
    }
    qsort(edges, n, sizeof(struct mpl_edge), compare_edges);
    w->events->edges = (struct mpl_edge *) mpl_buf_take(&w->edges, w->events->arena);
    return w->events->edges != NULL;
}

static bool has_calls(const struct totals_walk *w, uint32_t location)
{
    const struct mpl_location *loc = &w->events->model->locations[location];

    return loc->n_events > 0 && mpl_events_has_process(w->events, loc->process);
}

/*
 * Task 0 sums what is between locations, one after the other, as they share pairs and culprits. Each other task sums the
 * calls of a location. No member of a sum is written by both.
 */
static enum mpl_status sum_part(void *context, size_t task, unsigned worker,
                                struct mpl_err *err)
{
    struct totals_walk *w = context;
    bool is_done = true;

    (void) worker;
    if (task > 0) {
        if (has_calls(w, (uint32_t) task - 1)) {
            sum_calls(w, (uint32_t) task - 1);
        }
        return MPL_OK;
    }
    for (uint32_t l = 0; l < w->events->model->n_locations && is_done; l++) {
        is_done = sum_messages(w, l) && (!has_calls(w, l) || sum_waits(w, l));
    }
    return is_done ? MPL_OK : mpl_nomem(err);
}

enum mpl_status mpl_totals_create(struct mpl_events *events,
                                  const struct mpl_wrong_order *wrong,
                                  const int64_t *posted_ticks, struct mpl_err *err)
{
    const uint32_t n = events->model->n_locations;
    struct mpl_arena *scratch = mpl_arena_create();
    struct totals_walk w = {
        .events = events,
        .edges = mpl_buf_make(sizeof(struct mpl_edge)),
        .envelope_sums = mpl_buf_make(sizeof(struct envelope_sum)),
        .edge_of = mpl_map_create(),
    };
    const struct mpl_parallel job = { .n_tasks = (size_t) n + 1,
                                      .max_threads = mpl_threads(),
                                      .run = sum_part,
                                      .context = &w };
    bool is_done = false;

    if (scratch == NULL || w.edge_of == NULL) {
        goto out;
    }
    w.sums = MPL_NEW_ARRAY(scratch, n, struct tick_sums);
    w.instance_due = mpl_stalls_prepare(events, scratch);
    w.posted_ticks = posted_ticks == NULL ? mpl_posts_find(events, scratch) : posted_ticks;
    if (w.sums == NULL || w.instance_due == NULL || w.posted_ticks == NULL) {
        goto out;
    }
    is_done = mpl_parallel_run(&job, err) == MPL_OK;
    for (uint32_t l = 0; l < n; l++) {
        to_seconds(&w, l, &wrong[l]);
    }
    is_done = is_done && keep_edges(&w);
out:
    mpl_map_destroy(w.edge_of);
    mpl_buf_free(&w.envelope_sums);
    mpl_buf_free(&w.edges);
    mpl_arena_destroy(scratch);
    return is_done ? MPL_OK : mpl_nomem(err);
}

/* ---- without totals ------------------------------------------------------------------ */

double mpl_events_computed_s(const struct mpl_events *events, uint32_t location)
{
    const struct mpl_location *loc = &events->model->locations[location];
    const struct mpl_lane *lane = &events->lanes[location];
    int64_t ticks;

    if (loc->n_events == 0 || !mpl_events_has_process(events, loc->process)) {
        return 0;
    }
    ticks = mpl_ticks_of(loc, loc->n_events - 1) - mpl_ticks_of(loc, 0);
    for (uint32_t k = 0; k < lane->n_calls; k++) {
        ticks -= mpl_events_duration_ticks(events, location, 2 * k + 1);
    }
    return mpl_model_seconds(events->model, ticks);
}
