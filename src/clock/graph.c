#include "config.h"

#include "clock/clock_priv.h"

/* Where an arc of a link begins in the graph, and what it weighs; false: it has none. */
static bool make_arc(const struct mpl_links *links, const struct mpl_clock_link *link,
                     enum mpl_graph_kind kind, uint32_t *begin, struct mpl_arc *arc)
{
    const struct mpl_clock_link *back;

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

/* ---- shortest paths ------------------------------------------------------------------------ */

enum mpl_status mpl_paths_create(uint32_t n, struct mpl_arena *arena, struct mpl_paths *out,
                                 struct mpl_err *err)
{
    struct mpl_paths paths = {
        .n = n,
        .ticks = MPL_NEW_ARRAY(arena, n, __int128),
        .parent = MPL_NEW_ARRAY(arena, n, uint32_t),
        .reached = MPL_NEW_ARRAY(arena, n, uint32_t),
        .queue = MPL_NEW_ARRAY(arena, n, uint32_t),
        .mark = MPL_NEW_ARRAY(arena, n, uint32_t),
        .is_queued = MPL_NEW_ARRAY(arena, n, bool),
    };

    if (mpl_arena_is_short(arena)) {
        return mpl_nomem(err);
    }
    mpl_paths_clear(&paths);
    *out = paths;
    return MPL_OK;
}

void mpl_paths_clear(struct mpl_paths *paths)
{
    for (uint32_t p = 0; p < paths->n; p++) {
        paths->ticks[p] = MPL_PATH_NONE;
        paths->parent[p] = MPL_NONE;
        paths->is_queued[p] = false;
    }
    paths->n_reached = 0;
    paths->head = 0;
    paths->n_queued = 0;
    paths->n_shortened = 0;
}

static void shorten(struct mpl_paths *paths, uint32_t p, __int128 ticks, uint32_t parent)
{
    if (paths->ticks[p] == MPL_PATH_NONE) {
        paths->reached[paths->n_reached++] = p;
    }
    paths->ticks[p] = ticks;
    paths->parent[p] = parent;
    if (!paths->is_queued[p]) {
        paths->is_queued[p] = true;
        paths->queue[((uint64_t) paths->head + paths->n_queued++) % paths->n] = p;
    }
}

void mpl_paths_start(struct mpl_paths *paths, uint32_t p, __int128 ticks)
{
    shorten(paths, p, ticks, MPL_NONE);
}

/* Whether parents run in a circle, as they do sooner or later if there is one of negative length, and
 * then only. */
static bool has_circle(struct mpl_paths *paths)
{
    for (uint32_t p = 0; p < paths->n; p++) {
        paths->mark[p] = MPL_NONE;
    }
    for (uint32_t p = 0; p < paths->n; p++) {
        uint32_t q = p;

        while (q != MPL_NONE && paths->mark[q] == MPL_NONE) {
            paths->mark[q] = p;
            q = paths->parent[q];
        }
        if (q != MPL_NONE && paths->mark[q] == p) {
            return true;
        }
    }
    return false;
}

/*
 * Bellman and Ford with a queue: only processes whose limit became tighter pass it on. Looking for
 * circles costs as much as shortening as many paths as there are processes, so it is done that
 * often.
 */
static bool spread(const struct mpl_graph *graph, const uint32_t *component,
                   struct mpl_paths *paths)
{
    while (paths->n_queued > 0) {
        const uint32_t p = paths->queue[paths->head];

        paths->head = (paths->head + 1) % paths->n;
        paths->n_queued--;
        paths->is_queued[p] = false;
        for (uint32_t i = graph->first[p]; i < graph->first[p + 1]; i++) {
            const uint32_t q = graph->arc[i].to;
            const __int128 ticks = paths->ticks[p] + graph->arc[i].ticks;

            if (ticks >= paths->ticks[q] ||
                (component != NULL && component[p] != component[q])) {
                continue;
            }
            shorten(paths, q, ticks, p);
            if (++paths->n_shortened >= paths->n) {
                paths->n_shortened = 0;
                if (has_circle(paths)) {
                    return false;
                }
            }
        }
    }
    return true;
}

void mpl_paths_spread(const struct mpl_graph *graph, struct mpl_paths *paths)
{
    mpl_assert(spread(graph, NULL, paths));
}

/*
 * A circle lies within a component, and all of that can be reached from any of its processes. To
 * begin everywhere at once instead would shorten the paths of a chain over and over.
 */
bool mpl_graph_has_solution(const struct mpl_graph *graph, const uint32_t *component,
                            struct mpl_paths *paths)
{
    mpl_paths_clear(paths);
    for (uint32_t p = 0; p < graph->n; p++) {
        if (component[p] == p) {
            mpl_paths_start(paths, p, 0);
        }
    }
    return spread(graph, component, paths);
}
