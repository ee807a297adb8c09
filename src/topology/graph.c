/*
 * The graph of processes. Messages of a pair are counted at both ends, as one of them may be
 * missing. A pair is significant if it is for one of the two: the master has a lazy worker that
 * has nobody else.
 */
#include "config.h"

#include "topology/topology.h"

#include <stdlib.h>
#include <string.h>

/* ---- arcs ---------------------------------------------------------------------------- */

/* Messages between two processes as one end has seen them. */
struct seen {
    struct mpl_topology_arc arc;
    bool is_sender; /* who has seen them */
};

static int by_pair(const void *x, const void *y)
{
    const struct seen *a = x;
    const struct seen *b = y;

    if (a->arc.from != b->arc.from) {
        return a->arc.from < b->arc.from ? -1 : 1;
    }
    if (a->arc.to != b->arc.to) {
        return a->arc.to < b->arc.to ? -1 : 1;
    }
    return (int) a->is_sender - (int) b->is_sender;
}

static bool see(struct mpl_buf *all, uint32_t from, uint32_t to, uint64_t n, bool is_sender)
{
    const struct seen seen = { { from, to, n }, is_sender };

    return n == 0 || mpl_buf_put(all, &seen);
}

static bool see_all(const struct mpl_topology *t, struct mpl_buf *all)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const uint32_t own = t->model->locations[t->locations[i]].process;

        for (size_t k = t->first[i]; k < t->first[i + 1]; k++) {
            const struct mpl_traffic *traffic = &t->traffic[k];

            if (traffic->process != own && t->graph.is_node[traffic->process] &&
                !(see(all, own, traffic->process, traffic->n_sent, true) &&
                  see(all, traffic->process, own, traffic->n_received, false))) {
                return false;
            }
        }
    }
    return true;
}

/* Pairs that stand several times become one: what the end that has seen more of it says. */
static uint32_t unite(const struct seen *seen, size_t n, struct mpl_topology_arc *arcs)
{
    uint32_t n_arcs = 0;
    size_t i = 0;

    while (i < n) {
        const struct mpl_topology_arc *first = &seen[i].arc;
        uint64_t counts[2] = { 0, 0 };

        for (; i < n && seen[i].arc.from == first->from && seen[i].arc.to == first->to;
             i++) {
            counts[seen[i].is_sender] += seen[i].arc.n;
        }
        arcs[n_arcs++] =
            (struct mpl_topology_arc){ first->from, first->to,
                                       counts[0] > counts[1] ? counts[0] : counts[1] };
    }
    return n_arcs;
}

uint32_t mpl_arc_find(const struct mpl_topology_arc *arcs, uint32_t n, uint32_t from,
                      uint32_t to)
{
    uint32_t low = 0;
    uint32_t high = n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct mpl_topology_arc *a = &arcs[middle];

        if (a->from < from || (a->from == from && a->to < to)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < n && arcs[low].from == from && arcs[low].to == to ? low : MPL_NONE;
}

/* What goes both ways counts at both ends, once for each way. */
static void count_mutual(struct mpl_peer_graph *graph, const struct mpl_topology_arc *arcs,
                         uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct mpl_topology_arc *a = &arcs[i];
        const uint32_t back = mpl_arc_find(arcs, n, a->to, a->from);
        const uint64_t n_back = back == MPL_NONE ? 0 : arcs[back].n;
        const uint64_t n_mutual = a->n < n_back ? a->n : n_back;

        graph->n_messages[a->from] += a->n;
        graph->n_messages[a->to] += a->n;
        graph->n_mutual[a->from] += n_mutual;
        graph->n_mutual[a->to] += n_mutual;
    }
}

/* Without strays. */
static uint32_t sift(struct mpl_topology_arc *arcs, uint32_t n, uint64_t *busiest)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct mpl_topology_arc *a = &arcs[i];

        busiest[a->from] = a->n > busiest[a->from] ? a->n : busiest[a->from];
        busiest[a->to] = a->n > busiest[a->to] ? a->n : busiest[a->to];
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t n_messages = arcs[i].n * MPL_STRAY_ONE_IN;

        if (n_messages >= busiest[arcs[i].from] || n_messages >= busiest[arcs[i].to]) {
            arcs[kept++] = arcs[i];
        }
    }
    return kept;
}

static enum mpl_status make_arcs(struct mpl_topology *t, struct mpl_err *err)
{
    struct mpl_peer_graph *graph = &t->graph;
    struct mpl_buf all = mpl_buf_make(sizeof(struct seen));
    uint64_t *busiest = MPL_NEW_ARRAY(t->arena, graph->n_processes, uint64_t);
    struct mpl_topology_arc *arcs = NULL;

    graph->n_messages = MPL_NEW_ARRAY(t->arena, graph->n_processes, uint64_t);
    graph->n_mutual = MPL_NEW_ARRAY(t->arena, graph->n_processes, uint64_t);
    if (busiest != NULL && graph->n_messages != NULL && graph->n_mutual != NULL &&
        see_all(t, &all)) {
        arcs = MPL_NEW_ARRAY(t->arena, all.n, struct mpl_topology_arc);
    }
    if (arcs != NULL && all.n > 0) {
        qsort(all.data, all.n, sizeof(struct seen), by_pair);

        const uint32_t n = unite(all.data, all.n, arcs);

        count_mutual(graph, arcs, n);
        graph->n_arcs = sift(arcs, n, busiest);
    }
    graph->arcs = arcs;
    mpl_buf_free(&all);
    return arcs == NULL ? mpl_nomem(err) : MPL_OK;
}

/* ---- edges ----------------------------------------------------------------------------- */

/* Whether this arc stands for the edge: of two that lead to and fro the one upwards. */
static bool is_edge(const struct mpl_peer_graph *graph, const struct mpl_topology_arc *arc)
{
    return arc->from < arc->to ||
           mpl_arc_find(graph->arcs, graph->n_arcs, arc->to, arc->from) == MPL_NONE;
}

static int by_number(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *) x;
    const uint32_t b = *(const uint32_t *) y;

    return a < b ? -1 : a > b;
}

static enum mpl_status make_edges(struct mpl_peer_graph *graph, struct mpl_arena *arena,
                                  struct mpl_err *err)
{
    const uint32_t n = graph->n_processes;
    uint32_t *first = MPL_NEW_ARRAY(arena, (size_t) n + 1, uint32_t);
    uint32_t *at = MPL_NEW_ARRAY(arena, n, uint32_t);
    uint32_t *neighbours = MPL_NEW_ARRAY(arena, 2 * (size_t) graph->n_arcs, uint32_t);

    if (first == NULL || at == NULL || neighbours == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < graph->n_arcs; i++) {
        if (is_edge(graph, &graph->arcs[i])) {
            first[graph->arcs[i].from + 1]++;
            first[graph->arcs[i].to + 1]++;
            graph->n_edges++;
        }
    }
    for (uint32_t p = 0; p < n; p++) {
        first[p + 1] += first[p];
        at[p] = first[p];
    }
    for (uint32_t i = 0; i < graph->n_arcs; i++) {
        if (is_edge(graph, &graph->arcs[i])) {
            neighbours[at[graph->arcs[i].from]++] = graph->arcs[i].to;
            neighbours[at[graph->arcs[i].to]++] = graph->arcs[i].from;
        }
    }
    for (uint32_t p = 0; p < n; p++) {
        if (first[p + 1] > first[p]) {
            qsort(neighbours + first[p], first[p + 1] - first[p], sizeof *neighbours,
                  by_number);
        }
    }
    graph->first = first;
    graph->neighbours = neighbours;
    return MPL_OK;
}

/* ---- searching in breadth ------------------------------------------------------------------ */

/* Distances from \p start into \p distance, which must be MPL_NONE wherever the search may come.
 * Returns the farthest process; \p queue holds what was reached, \p *n of them. */
static uint32_t search_from(const struct mpl_peer_graph *graph, uint32_t start,
                            uint32_t *distance, uint32_t *queue, uint32_t *n)
{
    uint32_t head = 0;

    *n = 0;
    queue[(*n)++] = start;
    distance[start] = 0;
    while (head < *n) {
        const uint32_t p = queue[head++];

        for (uint32_t k = graph->first[p]; k < graph->first[p + 1]; k++) {
            const uint32_t q = graph->neighbours[k];

            if (distance[q] == MPL_NONE) {
                distance[q] = distance[p] + 1;
                queue[(*n)++] = q;
            }
        }
    }
    return queue[*n - 1];
}

static uint32_t *make_unknown(struct mpl_arena *arena, uint32_t n)
{
    uint32_t *values = MPL_NEW_ARRAY(arena, n, uint32_t);

    if (values != NULL && n > 0) {
        memset(values, 0xff, n * sizeof *values);
    }
    return values;
}

static enum mpl_status find_components(struct mpl_peer_graph *graph,
                                       struct mpl_arena *arena, struct mpl_err *err)
{
    const uint32_t n = graph->n_processes;
    uint32_t *distance = make_unknown(arena, n);
    uint32_t *component = make_unknown(arena, n);
    uint32_t *queue = MPL_NEW_ARRAY(arena, n, uint32_t);

    if (distance == NULL || component == NULL || queue == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t p = 0; p < n; p++) {
        uint32_t reached;

        if (!graph->is_node[p] || component[p] != MPL_NONE) {
            continue;
        }
        (void) search_from(graph, p, distance, queue, &reached);
        for (uint32_t i = 0; i < reached; i++) {
            component[queue[i]] = graph->n_components;
        }
        graph->n_components++;
    }
    graph->component = component;
    return MPL_OK;
}

enum mpl_status mpl_peer_graph_create(struct mpl_topology *t, struct mpl_err *err)
{
    struct mpl_peer_graph *graph = &t->graph;
    bool *is_node = MPL_NEW_ARRAY(t->arena, t->model->n_processes, bool);
    enum mpl_status st;

    if (is_node == NULL) {
        return mpl_nomem(err);
    }
    graph->n_processes = t->model->n_processes;
    graph->is_node = is_node;
    for (uint32_t i = 0; i < t->n; i++) {
        const uint32_t process = t->model->locations[t->locations[i]].process;

        graph->n_nodes += !is_node[process];
        is_node[process] = true;
    }
    st = make_arcs(t, err);
    st = st == MPL_OK ? make_edges(graph, t->arena, err) : st;
    st = st == MPL_OK ? mpl_peer_graph_find_requests(graph, t->arena, err) : st;
    return st == MPL_OK ? find_components(graph, t->arena, err) : st;
}

/* ---- stages ------------------------------------------------------------------------------- */

enum mpl_status mpl_peer_graph_stages(const struct mpl_peer_graph *graph,
                                      struct mpl_arena *arena, uint32_t **out,
                                      struct mpl_err *err)
{
    const uint32_t n = graph->n_processes;
    uint32_t *n_senders = MPL_NEW_ARRAY(arena, n, uint32_t); /* not looked at so far */
    uint32_t *first = MPL_NEW_ARRAY(arena, (size_t) n + 1, uint32_t);
    uint32_t *queue = MPL_NEW_ARRAY(arena, n, uint32_t);
    uint32_t *stage = make_unknown(arena, n);
    uint32_t n_queued = 0;

    if (n_senders == NULL || first == NULL || queue == NULL || stage == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < graph->n_arcs; i++) {
        first[graph->arcs[i].from + 1]++;
        n_senders[graph->arcs[i].to] += !graph->is_request[i];
    }
    for (uint32_t p = 0; p < n; p++) {
        first[p + 1] += first[p];
        if (graph->is_node[p] && n_senders[p] == 0) {
            stage[p] = 0;
            queue[n_queued++] = p;
        }
    }
    for (uint32_t head = 0; head < n_queued; head++) {
        const uint32_t p = queue[head];

        for (uint32_t i = first[p]; i < first[p + 1]; i++) {
            const uint32_t to = graph->arcs[i].to;

            /* The last sender that is looked at has the longest path: known when it is queued. */
            if (!graph->is_request[i] && --n_senders[to] == 0) {
                queue[n_queued++] = to;
                stage[to] = stage[p] + 1;
            }
        }
    }
    *out = stage;
    return MPL_OK;
}

/* ---- eccentricity ---------------------------------------------------------------------------- */

/*
 * The farthest process from anywhere is a, the farthest from a is b: each process is at least as
 * far from the farthest as from a and b. In trees that is exact.
 */
static void sweep_twice(const struct mpl_peer_graph *graph, uint32_t start,
                        uint32_t *distance, uint32_t *queue, uint32_t *eccentricity)
{
    uint32_t from = start;
    uint32_t reached;

    for (int sweep = 0; sweep < 3; sweep++) {
        memset(distance, 0xff, graph->n_processes * sizeof *distance);

        const uint32_t far = search_from(graph, from, distance, queue, &reached);

        for (uint32_t i = 0; i < reached; i++) {
            const uint32_t p = queue[i];

            if (eccentricity[p] == MPL_NONE || distance[p] > eccentricity[p]) {
                eccentricity[p] = distance[p];
            }
        }
        if (distance[far] > eccentricity[from]) {
            eccentricity[from] = distance[far];
        }
        from = far;
    }
}

static void search_from_each(const struct mpl_peer_graph *graph, uint32_t *distance,
                             uint32_t *queue, uint32_t *eccentricity)
{
    uint32_t reached;

    for (uint32_t p = 0; p < graph->n_processes; p++) {
        if (graph->is_node[p]) {
            memset(distance, 0xff, graph->n_processes * sizeof *distance);
            eccentricity[p] = distance[search_from(graph, p, distance, queue, &reached)];
        }
    }
}

enum mpl_status mpl_peer_graph_eccentricities(const struct mpl_peer_graph *graph,
                                              struct mpl_arena *arena, uint32_t **out,
                                              struct mpl_err *err)
{
    const uint32_t n = graph->n_processes;
    uint32_t *distance = MPL_NEW_ARRAY(arena, n, uint32_t);
    uint32_t *queue = MPL_NEW_ARRAY(arena, n, uint32_t);
    uint32_t *eccentricity = make_unknown(arena, n);
    uint32_t start = 0;

    if (distance == NULL || queue == NULL || eccentricity == NULL) {
        return mpl_nomem(err);
    }
    while (start < n && !graph->is_node[start]) {
        start++;
    }
    if (graph->n_components == 1 && graph->n_nodes <= MPL_ECCENTRICITY_EXACT) {
        search_from_each(graph, distance, queue, eccentricity);
    } else if (graph->n_components == 1) {
        sweep_twice(graph, start, distance, queue, eccentricity);
    }
    *out = eccentricity;
    return MPL_OK;
}
