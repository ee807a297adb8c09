/*
 * Which messages only ask for others. Where two processes send messages to each other, one way may be
 * requests: a worker asks a splitter for items, and what it makes of them goes elsewhere. That the flow
 * of items has a direction is known where messages go one way only. Who gets something that way, and
 * gives nothing on, gives it to those that it talks with both ways; who gives that way, and gets nothing,
 * gets it from them. From there the same is concluded for the next ones. Where two contradict each other,
 * or nothing goes one way, as in halo exchanges and between a master and its workers, there are none.
 *
 * Neither sizes nor times are asked: a request may be as long as an item.
 */
#include "config.h"

#include "topology/topology.h"

enum {
    /** Requests are answered; what was asked for in advance may remain open at the end. */
    MOST_PER_ANSWER = 2,
};

/* What is known of a process so far. */
struct known {
    uint32_t n_in, n_out; /* arcs of items */
    bool is_queued;
};

struct search {
    const struct mpl_peer_graph *graph;
    bool *is_request;
    bool *is_known; /* per arc */
    struct known *known;
    uint32_t *queue, *next; /* processes of which more became known */
    uint32_t n_queued, n_next;
    uint32_t *found; /* arcs of items, found with what is in the queue */
    uint32_t n_found;
};

static bool must_give(const struct known *k)
{
    return k->n_in > 0 && k->n_out == 0;
}

static bool must_take(const struct known *k)
{
    return k->n_out > 0 && k->n_in == 0;
}

static void put(struct search *s, uint32_t process)
{
    if (!s->known[process].is_queued) {
        s->known[process].is_queued = true;
        s->next[s->n_next++] = process;
    }
}

static void know(struct search *s, uint32_t arc)
{
    const struct mpl_topology_arc *a = &s->graph->arcs[arc];

    s->is_known[arc] = true;
    s->known[a->from].n_out++;
    s->known[a->to].n_in++;
    put(s, a->from);
    put(s, a->to);
}

/* Items go from \p from to \p to, unless the other one says the contrary. */
static void find(struct search *s, uint32_t from, uint32_t to, bool is_giver_sure)
{
    const struct mpl_topology_arc *arcs = s->graph->arcs;
    const uint32_t there = mpl_arc_find(arcs, s->graph->n_arcs, from, to);
    const uint32_t back = mpl_arc_find(arcs, s->graph->n_arcs, to, from);
    const bool is_open = there != MPL_NONE && back != MPL_NONE && !s->is_known[there];
    const bool is_denied =
        is_giver_sure ? must_give(&s->known[to]) : must_take(&s->known[from]);

    if (is_open && !is_denied && arcs[back].n / MOST_PER_ANSWER <= arcs[there].n) {
        s->is_known[there] = s->is_known[back] = true;
        s->is_request[back] = true;
        s->found[s->n_found++] = there;
    }
}

/* What is known at the beginning of the round decides, so that the order does not. */
static void look_around(struct search *s, uint32_t process)
{
    const struct mpl_peer_graph *graph = s->graph;
    const bool gives = must_give(&s->known[process]);

    if (!gives && !must_take(&s->known[process])) {
        return;
    }
    for (uint32_t k = graph->first[process]; k < graph->first[process + 1]; k++) {
        const uint32_t other = graph->neighbours[k];

        find(s, gives ? process : other, gives ? other : process, gives);
    }
}

static void go_round(struct search *s)
{
    uint32_t *queue = s->queue;

    s->queue = s->next;
    s->n_queued = s->n_next;
    s->next = queue;
    s->n_next = 0;
    for (uint32_t i = 0; i < s->n_queued; i++) {
        s->known[s->queue[i]].is_queued = false;
    }
    s->n_found = 0;
    for (uint32_t i = 0; i < s->n_queued; i++) {
        look_around(s, s->queue[i]);
    }
    for (uint32_t i = 0; i < s->n_found; i++) {
        know(s, s->found[i]);
    }
}

enum mpl_status mpl_peer_graph_find_requests(struct mpl_peer_graph *graph,
                                             struct mpl_arena *arena, struct mpl_err *err)
{
    struct search s = {
        .graph = graph,
        .is_request = MPL_NEW_ARRAY(arena, graph->n_arcs, bool),
        .is_known = MPL_NEW_ARRAY(arena, graph->n_arcs, bool),
        .known = MPL_NEW_ARRAY(arena, graph->n_processes, struct known),
        .queue = MPL_NEW_ARRAY(arena, graph->n_processes, uint32_t),
        .next = MPL_NEW_ARRAY(arena, graph->n_processes, uint32_t),
        .found = MPL_NEW_ARRAY(arena, graph->n_arcs, uint32_t),
    };

    if (s.is_request == NULL || s.is_known == NULL || s.known == NULL || s.queue == NULL ||
        s.next == NULL || s.found == NULL) {
        return mpl_nomem(err);
    }
    graph->is_request = s.is_request;
    for (uint32_t i = 0; i < graph->n_arcs; i++) {
        if (mpl_arc_find(graph->arcs, graph->n_arcs, graph->arcs[i].to,
                         graph->arcs[i].from) == MPL_NONE) {
            know(&s, i);
        }
    }
    while (s.n_next > 0) {
        go_round(&s);
    }
    return MPL_OK;
}
