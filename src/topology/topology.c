/*
 * What formulas of roles read of a location: how many messages it exchanges with how many
 * others, and where it stands among them.
 */
#include "config.h"

#include "topology/topology.h"

#include <math.h>
#include <string.h>

/* ---- message ends --------------------------------------------------------------------- */

bool mpl_topology_counts_collective(const struct mpl_events *events, uint32_t location,
                                    uint32_t collective)
{
    const struct mpl_model *model = mpl_events_model(events);
    const struct mpl_collective *c = &model->locations[location].collectives[collective];

    if (c->op == MPL_COLL_CREATE || c->op == MPL_COLL_DESTROY || c->comm == MPL_NONE) {
        return false;
    }

    const struct mpl_comm *comm = &model->comms[c->comm];
    const uint32_t at = mpl_events_span_of_collective(events, location, collective);

    if (comm->is_self || comm->n_members + comm->n_remote < 2 || at == MPL_NONE) {
        return false;
    }

    const enum mpl_span_class class = mpl_events_span(events, location, at).class;

    return class != MPL_SPAN_STARTUP && class != MPL_SPAN_SHUTDOWN;
}

uint32_t mpl_topology_matched_peer(const struct mpl_events *events, uint32_t location,
                                   uint32_t message)
{
    const struct mpl_model *model = mpl_events_model(events);
    const struct mpl_location *loc = &model->locations[location];
    const struct mpl_end partner =
        mpl_match_partner(mpl_events_match(events), location, message);

    return partner.message != MPL_NONE
               ? model->locations[partner.location].process
               : loc->envelopes[mpl_message_get(loc, message).envelope].peer;
}

/* ---- traffic ------------------------------------------------------------------------------ */

/* Per location that takes part, its messages by envelope: these are few, and messages many. */
struct survey {
    struct mpl_topology *t;
    uint64_t **of_envelope;
};

/* Of a part of the run not all messages count. */
static enum mpl_status survey_one(void *context, size_t i, unsigned worker,
                                  struct mpl_err *err)
{
    const struct survey *survey = context;
    const struct mpl_topology *t = survey->t;
    const uint32_t location = t->locations[i];
    const struct mpl_location *loc = &t->model->locations[location];
    const bool is_part = mpl_events_is_part(t->events);
    uint64_t *n = survey->of_envelope[i];
    uint32_t received = MPL_NONE;
    uint32_t first_send = MPL_NONE;
    uint32_t first_receive = MPL_NONE;

    (void) worker;
    (void) err;
    for (uint32_t m = 0; m < loc->n_messages; m++) {
        const uint32_t e = mpl_message_get(loc, m).envelope;
        const uint32_t event = mpl_message_get(loc, m).event;

        if (e == MPL_NONE || (is_part && !mpl_events_has_message(t->events, location, m))) {
            continue;
        }
        n[e]++;
        /* What comes after the first send says nothing any more. */
        if (event >= first_send || loc->envelopes[e].is_null ||
            loc->envelopes[e].is_garbage) {
            continue;
        }
        if (loc->envelopes[e].is_send) {
            first_send = event;
        } else if (event < first_receive) {
            first_receive = event;
            received = m;
        }
    }
    t->firsts[i] =
        (struct mpl_first_messages){ first_send == MPL_NONE && first_receive == MPL_NONE,
                                     first_receive < first_send ? received : MPL_NONE };
    return MPL_OK;
}

/* Of all locations, by as many threads as may be had. \p arena is scratch. NULL: no memory. */
static uint64_t **survey_all(struct mpl_topology *t, struct mpl_arena *arena)
{
    struct survey survey = { t, MPL_NEW_ARRAY(arena, t->n, uint64_t *) };
    const struct mpl_parallel job = { .n_tasks = t->n,
                                      .max_threads = mpl_threads(),
                                      .run = survey_one,
                                      .context = &survey,
                                      .is_spread = true };

    t->firsts = MPL_NEW_ARRAY(t->arena, t->n, struct mpl_first_messages);
    for (uint32_t i = 0; i < t->n && survey.of_envelope != NULL; i++) {
        survey.of_envelope[i] = MPL_NEW_ARRAY(
            arena, t->model->locations[t->locations[i]].n_envelopes, uint64_t);
    }
    return t->firsts != NULL && !mpl_arena_is_short(arena) &&
                   mpl_parallel_run(&job, NULL) == MPL_OK
               ? survey.of_envelope
               : NULL;
}

/* Reused from location to location. */
struct counting {
    struct mpl_topology *t;
    struct mpl_buf traffic; /* struct mpl_traffic */
    uint32_t
        *stamp; /* per process: number of the location plus 1 for which place is valid */
    uint32_t *place;        /* per process: in the traffic of the location at hand */
    uint64_t **of_envelope; /* see struct survey */
};

static bool add_traffic(struct counting *c, uint32_t i, uint32_t process, bool is_send,
                        uint64_t n)
{
    struct mpl_traffic *traffic;

    if (process == MPL_NONE) {
        return true;
    }
    if (c->stamp[process] != i + 1) {
        c->stamp[process] = i + 1;
        c->place[process] = (uint32_t) (c->traffic.n - c->t->first[i]);
        traffic = mpl_buf_add(&c->traffic);
        if (traffic == NULL) {
            return false;
        }
        traffic->process = process;
    }
    traffic = mpl_buf_get(&c->traffic, c->t->first[i] + c->place[process]);
    traffic->n_sent += is_send ? n : 0;
    traffic->n_received += is_send ? 0 : n;
    return true;
}

/* The messages whose envelopes are unsure of the peer, one after the other. */
static bool count_unsure(struct counting *c, uint32_t i)
{
    const uint32_t location = c->t->locations[i];
    const struct mpl_location *loc = &c->t->model->locations[location];

    for (uint32_t m = 0; m < loc->n_messages; m++) {
        const uint32_t e = mpl_message_get(loc, m).envelope;

        if (e != MPL_NONE && loc->envelopes[e].comm_unsure &&
            mpl_topology_counts(c->t->events, location, m) &&
            !add_traffic(c, i, mpl_topology_peer(c->t->events, location, m),
                         loc->envelopes[e].is_send, 1)) {
            return false;
        }
    }
    return true;
}

/* By envelopes, but for those that are unsure of the peer. */
static bool count_messages(struct counting *c, uint32_t i)
{
    const uint32_t location = c->t->locations[i];
    const struct mpl_location *loc = &c->t->model->locations[location];
    const uint64_t *n = c->of_envelope[i];
    bool is_unsure = false;

    for (uint32_t e = 0; e < loc->n_envelopes; e++) {
        is_unsure = is_unsure || (loc->envelopes[e].comm_unsure && n[e] > 0);
    }
    if (is_unsure && !count_unsure(c, i)) {
        return false;
    }
    for (uint32_t e = 0; e < loc->n_envelopes; e++) {
        const struct mpl_envelope *envelope = &loc->envelopes[e];

        if (envelope->is_null || envelope->is_garbage || n[e] == 0) {
            continue;
        }
        c->t->n_ends[location] += n[e];
        if (!envelope->comm_unsure &&
            !add_traffic(c, i, envelope->peer, envelope->is_send, n[e])) {
            return false;
        }
    }
    return true;
}

static enum mpl_status count_traffic(struct mpl_topology *t, struct mpl_err *err)
{
    const struct mpl_model *model = t->model;
    struct mpl_arena *arena = mpl_arena_create();
    struct counting counting = {
        .t = t,
        .traffic = mpl_buf_make(sizeof(struct mpl_traffic)),
        .stamp = MPL_NEW_ARRAY(t->arena, model->n_processes, uint32_t),
        .place = MPL_NEW_ARRAY(t->arena, model->n_processes, uint32_t),
        .of_envelope = survey_all(t, arena),
    };
    bool is_good;

    t->first = MPL_NEW_ARRAY(t->arena, (size_t) t->n + 1, size_t);
    is_good = counting.of_envelope != NULL && counting.stamp != NULL &&
              counting.place != NULL && t->first != NULL;
    for (uint32_t i = 0; i < t->n && is_good; i++) {
        t->first[i] = counting.traffic.n;
        is_good = count_messages(&counting, i);
        for (uint32_t c = 0; c < model->locations[t->locations[i]].n_collectives; c++) {
            t->n_ends[t->locations[i]] +=
                mpl_topology_counts_collective(t->events, t->locations[i], c);
        }
    }
    if (is_good) {
        t->first[t->n] = counting.traffic.n;
        t->traffic = mpl_buf_take(&counting.traffic, t->arena);
    }
    mpl_buf_free(&counting.traffic);
    mpl_arena_destroy(arena);
    return is_good && t->traffic != NULL ? MPL_OK : mpl_nomem(err);
}

/* ---- variables ------------------------------------------------------------------------------ */

static void set_counts(struct mpl_topology *t, uint32_t i)
{
    const uint32_t process = t->model->locations[t->locations[i]].process;
    const struct mpl_totals *totals = mpl_events_totals(t->events, t->locations[i]);

    t->values[MPL_VAR_RANK][i] = t->model->processes[process].rank;
    t->values[MPL_VAR_SIZE][i] = t->graph.n_nodes;
    t->values[MPL_VAR_MESSAGES][i] = (double) (totals->n_sends + totals->n_receives);
    t->values[MPL_VAR_SENDS][i] = (double) totals->n_sends;
    t->values[MPL_VAR_RECEIVES][i] = (double) totals->n_receives;
    t->values[MPL_VAR_SENT_BYTES][i] = (double) totals->sent_bytes;
    t->values[MPL_VAR_RECEIVED_BYTES][i] = (double) totals->received_bytes;
    t->values[MPL_VAR_COLLECTIVES][i] = (double) totals->n_collectives;
    t->values[MPL_VAR_CALLS][i] = (double) totals->n_calls;
    t->values[MPL_VAR_UNSEEN][i] = (double) totals->n_unseen;
    t->values[MPL_VAR_COMPUTE][i] = totals->class_s[MPL_SPAN_COMPUTE];
    t->values[MPL_VAR_WAITING][i] = totals->wait_s[MPL_WAIT_LATE_SENDER];
    t->values[MPL_VAR_READY_WAIT][i] = totals->ready_s;
    t->values[MPL_VAR_WRONG_ORDERS][i] = (double) totals->n_wrong_order;
}

/* A peer counts by the busiest direction of all. */
static uint64_t find_busiest(const struct mpl_topology *t, uint32_t i, uint32_t process)
{
    uint64_t busiest = 0;

    for (size_t k = t->first[i]; k < t->first[i + 1]; k++) {
        const struct mpl_traffic *traffic = &t->traffic[k];

        if (traffic->process != process) {
            busiest = traffic->n_sent > busiest ? traffic->n_sent : busiest;
            busiest = traffic->n_received > busiest ? traffic->n_received : busiest;
        }
    }
    return busiest;
}

static bool is_request(const struct mpl_topology *t, uint32_t from, uint32_t to)
{
    const uint32_t arc = mpl_arc_find(t->graph.arcs, t->graph.n_arcs, from, to);

    return arc != MPL_NONE && t->graph.is_request[arc];
}

static void set_requests(struct mpl_topology *t, uint32_t i)
{
    const uint32_t process = t->model->locations[t->locations[i]].process;

    for (size_t k = t->first[i]; k < t->first[i + 1]; k++) {
        const struct mpl_traffic *traffic = &t->traffic[k];

        if (is_request(t, process, traffic->process)) {
            t->values[MPL_VAR_ASKS][i] += (double) traffic->n_sent;
        }
        if (is_request(t, traffic->process, process)) {
            t->values[MPL_VAR_ASKED][i] += (double) traffic->n_received;
        }
    }
}

static void set_peers(struct mpl_topology *t, uint32_t i)
{
    const uint32_t process = t->model->locations[t->locations[i]].process;
    const uint64_t busiest = find_busiest(t, i, process);
    const uint64_t n_messages = t->graph.n_messages[process];

    for (size_t k = t->first[i]; k < t->first[i + 1]; k++) {
        const struct mpl_traffic *traffic = &t->traffic[k];
        const bool is_sender = MPL_STRAY_ONE_IN * traffic->n_received >= busiest;
        const bool is_receiver = MPL_STRAY_ONE_IN * traffic->n_sent >= busiest;

        if (traffic->process == process) {
            continue;
        }
        t->values[MPL_VAR_PEERS][i]++;
        t->values[MPL_VAR_SENDERS][i] += is_sender;
        t->values[MPL_VAR_RECEIVERS][i] += is_receiver;
        t->values[MPL_VAR_DEGREE][i] += is_sender || is_receiver;
    }
    set_requests(t, i);
    t->values[MPL_VAR_MUTUAL_SHARE][i] =
        n_messages == 0 ? NAN : (double) t->graph.n_mutual[process] / (double) n_messages;
}

/* From a number per process, MPL_NONE where it is undefined. */
static void set_of_process(struct mpl_topology *t, uint32_t variable,
                           const uint32_t *numbers)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const uint32_t number = numbers[t->model->locations[t->locations[i]].process];

        t->values[variable][i] = number == MPL_NONE ? NAN : number;
    }
}

static enum mpl_status set_places(struct mpl_topology *t, struct mpl_err *err)
{
    struct mpl_forest forest;
    uint32_t *stages = NULL;
    enum mpl_status st = mpl_forest_create(t, &forest, err);

    st = st == MPL_OK ? mpl_peer_graph_stages(&t->graph, t->arena, &stages, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    set_of_process(t, MPL_VAR_LEVEL, forest.level);
    set_of_process(t, MPL_VAR_CHILDREN, forest.children);
    set_of_process(t, MPL_VAR_HEIGHT, forest.height);
    set_of_process(t, MPL_VAR_STAGE, stages);
    for (uint32_t i = 0; i < t->n; i++) {
        t->values[MPL_VAR_EDGES][i] = t->graph.n_edges;
        t->values[MPL_VAR_COMPONENTS][i] = t->graph.n_components;
    }
    return MPL_OK;
}

enum mpl_status mpl_topology_want_eccentricity(struct mpl_topology *t, struct mpl_err *err)
{
    uint32_t *numbers = NULL;
    enum mpl_status st;

    if (t->has_eccentricity) {
        return MPL_OK;
    }
    st = mpl_peer_graph_eccentricities(&t->graph, t->arena, &numbers, err);
    if (st == MPL_OK) {
        set_of_process(t, MPL_VAR_ECCENTRICITY, numbers);
        t->has_eccentricity = true;
    }
    return st;
}

static enum mpl_status make_values(struct mpl_topology *t, struct mpl_err *err)
{
    for (uint32_t v = 0; v < MPL_VAR_FIXED; v++) {
        t->values[v] = MPL_NEW_ARRAY(t->arena, t->n, double);
        if (t->values[v] == NULL) {
            return mpl_nomem(err);
        }
    }
    for (uint32_t i = 0; i < t->n; i++) {
        set_counts(t, i);
        set_peers(t, i);
    }
    return set_places(t, err);
}

enum mpl_status mpl_topology_create(const struct mpl_events *events,
                                    struct mpl_arena *arena, struct mpl_topology **out,
                                    struct mpl_err *err)
{
    const struct mpl_model *model = mpl_events_model(events);
    struct mpl_topology *t = MPL_NEW(arena, struct mpl_topology);
    enum mpl_status st;

    if (t == NULL) {
        return mpl_nomem(err);
    }
    t->events = events;
    t->model = model;
    t->arena = arena;
    t->locations = MPL_NEW_ARRAY(arena, model->n_locations, uint32_t);
    t->n_ends = MPL_NEW_ARRAY(arena, model->n_locations, uint64_t);
    if (t->locations == NULL || t->n_ends == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_totals *totals = mpl_events_totals(events, l);

        if (totals->n_calls > 0) {
            t->locations[t->n++] = l;
        } else {
            t->n_ends[l] = totals->n_sends + totals->n_receives;
        }
    }
    st = count_traffic(t, err);
    st = st == MPL_OK ? mpl_peer_graph_create(t, err) : st;
    st = st == MPL_OK ? make_values(t, err) : st;
    if (st == MPL_OK) {
        *out = t;
    }
    return st;
}

enum mpl_status mpl_topology_components(const struct mpl_events *events,
                                        struct mpl_arena *arena, const uint32_t **component,
                                        uint32_t *n, struct mpl_err *err)
{
    struct mpl_topology *t = NULL;
    const enum mpl_status st = mpl_topology_create(events, arena, &t, err);

    if (st == MPL_OK) {
        *component = t->graph.component;
        *n = t->graph.n_components;
    }
    return st;
}
