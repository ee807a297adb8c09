#include "config.h"

#include "clock/clock_priv.h"

/* Where an arc of a link begins in the graph, and what it weighs; false: it has none. */
static bool make_arc(const struct mpl_links *links, const struct mpl_link *link,
                     enum mpl_graph_kind kind, uint32_t *begin, struct mpl_arc *arc)
{
    const struct mpl_link *back;

    switch (kind) {
    case MPL_GRAPH_UPPER:
        *begin = link->to;
        *arc = (struct mpl_arc){ link->from, link->limit_ticks };
        return true;
    case MPL_GRAPH_LOWER:
        *begin = link->from;
        *arc = (struct mpl_arc){ link->to, link->limit_ticks };
        return true;
    default:
        back = mpl_links_back(links, link);
        if (back == NULL) {
            return false;
        }
        *begin = link->from;
        arc->to = link->to;
        arc->ticks = mpl_ticks_plus(link->least_ticks, back->least_ticks);
        arc->ticks = arc->ticks < 0 ? -arc->ticks : arc->ticks;
        return true;
    }
}

void mpl_graph_fill(const struct mpl_links *links, enum mpl_graph_kind kind,
                    struct mpl_graph *graph)
{
    struct mpl_arc arc = { 0 };
    uint32_t begin = 0;

    for (uint32_t p = 0; p < graph->n + 2; p++) {
        graph->first[p] = 0;
    }
    for (size_t i = 0; i < links->link.n; i++) {
        if (make_arc(links, mpl_links_get(links, i), kind, &begin, &arc)) {
            graph->first[begin + 2]++;
        }
    }
    for (uint32_t p = 0; p < graph->n; p++) {
        graph->first[p + 2] += graph->first[p + 1];
    }
    for (size_t i = 0; i < links->link.n; i++) {
        if (make_arc(links, mpl_links_get(links, i), kind, &begin, &arc)) {
            graph->arc[graph->first[begin + 1]++] = arc;
        }
    }
}

enum mpl_status mpl_graph_create(const struct mpl_links *links, enum mpl_graph_kind kind,
                                 struct mpl_arena *arena, struct mpl_graph *out,
                                 struct mpl_err *err)
{
    const uint32_t n = links->n_processes;
    struct mpl_graph graph = { .n = n };

    graph.first = MPL_NEW_ARRAY(arena, (size_t) n + 2, uint32_t);
    graph.arc = MPL_NEW_ARRAY(arena, links->link.n, struct mpl_arc);
    if (graph.first == NULL || graph.arc == NULL) {
        return mpl_nomem(err);
    }
    mpl_graph_fill(links, kind, &graph);
    *out = graph;
    return MPL_OK;
}

enum mpl_status mpl_paths_create(uint32_t n, struct mpl_arena *arena, struct mpl_paths *out,
                                 struct mpl_err *err)
{
    struct mpl_paths paths = {
        .ticks = MPL_NEW_ARRAY(arena, n, __int128),
        .parent = MPL_NEW_ARRAY(arena, n, uint32_t),
        .hops = MPL_NEW_ARRAY(arena, n, uint32_t),
        .queue = MPL_NEW_ARRAY(arena, n, uint32_t),
        .is_queued = MPL_NEW_ARRAY(arena, n, bool),
    };

    if (paths.ticks == NULL || paths.parent == NULL || paths.hops == NULL ||
        paths.queue == NULL || paths.is_queued == NULL) {
        return mpl_nomem(err);
    }
    *out = paths;
    return MPL_OK;
}

/*
 * Bellman and Ford with a queue: only processes whose limit became tighter pass it on. A
 * shortest path has fewer arcs than there are processes, so one that has as many runs in a
 * circle of negative length.
 */
bool mpl_paths_find(const struct mpl_graph *graph, struct mpl_paths *paths)
{
    uint32_t head = 0;
    uint32_t n_queued = 0;

    for (uint32_t p = 0; p < graph->n; p++) {
        paths->parent[p] = MPL_NONE;
        paths->hops[p] = 0;
        paths->is_queued[p] = paths->ticks[p] != MPL_PATH_NONE;
        if (paths->is_queued[p]) {
            paths->queue[n_queued++] = p;
        }
    }
    while (n_queued > 0) {
        const uint32_t p = paths->queue[head];

        head = (head + 1) % graph->n;
        n_queued--;
        paths->is_queued[p] = false;
        for (uint32_t i = graph->first[p]; i < graph->first[p + 1]; i++) {
            const uint32_t q = graph->arc[i].to;
            const __int128 ticks = paths->ticks[p] + graph->arc[i].ticks;

            if (ticks >= paths->ticks[q]) {
                continue;
            }
            paths->ticks[q] = ticks;
            paths->parent[q] = p;
            paths->hops[q] = paths->hops[p] + 1;
            if (paths->hops[q] >= graph->n) {
                return false;
            }
            if (!paths->is_queued[q]) {
                paths->is_queued[q] = true;
                paths->queue[(head + n_queued++) % graph->n] = q;
            }
        }
    }
    return true;
}
