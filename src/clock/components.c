/*
 * Processes that limit each other's clocks from both sides: the strongly connected components of the
 * graph (Tarjan 1972, with a stack of its own, as chains of messages may be as long as the run has
 * processes).
 */
#include "config.h"

#include "clock/clock_priv.h"

struct tarjan {
    const struct mpl_graph *graph;
    uint32_t *component; /* Out; MPL_NONE until the component is complete. */
    uint32_t *order;     /* In which processes were seen, from 1; 0: not yet. */
    uint32_t *low;       /* The first seen that is known to be in the same component. */
    uint32_t *arc;       /* The next to follow. */
    uint32_t *path;      /* From where the search began to where it is. */
    uint32_t *open;      /* Seen and without a component, in their order. */
    uint32_t n_path;
    uint32_t n_open;
    uint32_t n_seen;
};

static void see(struct tarjan *t, uint32_t p)
{
    t->order[p] = ++t->n_seen;
    t->low[p] = t->order[p];
    t->arc[p] = t->graph->first[p];
    t->path[t->n_path++] = p;
    t->open[t->n_open++] = p;
}

/* All that were seen since \p root are of one component, called by its lowest process. */
static void complete(struct tarjan *t, uint32_t root)
{
    uint32_t first = t->n_open;
    uint32_t lowest = root;

    do {
        first--;
        lowest = t->open[first] < lowest ? t->open[first] : lowest;
    } while (t->open[first] != root);
    for (uint32_t i = first; i < t->n_open; i++) {
        t->component[t->open[i]] = lowest;
    }
    t->n_open = first;
}

static void search_from(struct tarjan *t, uint32_t start)
{
    see(t, start);
    while (t->n_path > 0) {
        const uint32_t p = t->path[t->n_path - 1];

        if (t->arc[p] < t->graph->first[p + 1]) {
            const uint32_t q = t->graph->arc[t->arc[p]++].to;

            if (t->order[q] == 0) {
                see(t, q);
            } else if (t->component[q] == MPL_NONE && t->order[q] < t->low[p]) {
                t->low[p] = t->order[q];
            }
            continue;
        }
        t->n_path--;
        if (t->low[p] == t->order[p]) {
            complete(t, p);
        } else if (t->low[p] < t->low[t->path[t->n_path - 1]]) {
            t->low[t->path[t->n_path - 1]] = t->low[p];
        }
    }
}

enum mpl_status mpl_components_find(const struct mpl_graph *graph, struct mpl_arena *arena,
                                    const uint32_t **out, struct mpl_err *err)
{
    const uint32_t n = graph->n;
    struct mpl_arena *scratch = mpl_arena_create();
    uint32_t *room = scratch == NULL ? NULL : mpl_arena_array(scratch, n, 5 * sizeof *room);
    struct tarjan t = { .graph = graph, .component = MPL_NEW_ARRAY(arena, n, uint32_t) };

    if (room == NULL || t.component == NULL) {
        mpl_arena_destroy(scratch);
        return mpl_nomem(err);
    }
    t.order = room;
    t.low = room + n;
    t.arc = room + (size_t) 2 * n;
    t.path = room + (size_t) 3 * n;
    t.open = room + (size_t) 4 * n;
    for (uint32_t p = 0; p < n; p++) {
        t.component[p] = MPL_NONE;
    }
    for (uint32_t p = 0; p < n; p++) {
        if (t.order[p] == 0) {
            search_from(&t, p);
        }
    }
    *out = t.component;
    mpl_arena_destroy(scratch);
    return MPL_OK;
}
