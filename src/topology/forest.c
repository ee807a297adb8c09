/*
 * Who started whom: the parent of a process sent it its first message, before it had sent any
 * itself. Only the order of records on each location counts, no clock.
 */
#include "config.h"

#include "topology/topology.h"

#include <string.h>

/* ---- parents ----------------------------------------------------------------------------- */

/* Who sent the first message that a location received before it sent one; MPL_NONE. */
static uint32_t find_parent(const struct mpl_topology *t, uint32_t i)
{
    const uint32_t received = t->firsts[i].received;

    return received == MPL_NONE ? MPL_NONE
                                : mpl_topology_peer(t->events, t->locations[i], received);
}

/* Of each process, by its first location that exchanges messages: the order of threads says nothing. */
static bool find_parents(const struct mpl_topology *t, uint32_t *parents)
{
    bool *is_known = MPL_NEW_ARRAY(t->arena, t->model->n_processes, bool);

    for (uint32_t i = 0; i < t->n && is_known != NULL; i++) {
        const uint32_t own = t->model->locations[t->locations[i]].process;

        if (is_known[own]) {
            continue;
        }

        const uint32_t parent = find_parent(t, i);

        is_known[own] = !t->firsts[i].are_none;
        if (parent != MPL_NONE && parent != own && t->graph.is_node[parent]) {
            parents[own] = parent;
        }
    }
    return is_known != NULL;
}

/* ---- levels ------------------------------------------------------------------------------- */

/*
 * Up to somebody whose level is known, or who has no parent, and down again. A circle, which only
 * damaged records can make, is as long as the path may get; its processes stay without a level.
 */
static void find_level(const uint32_t *parents, uint32_t process, uint32_t n,
                       uint32_t *levels, uint32_t *path)
{
    uint32_t length = 0;
    uint32_t at = process;

    while (levels[at] == MPL_NONE && parents[at] != MPL_NONE && length < n) {
        path[length++] = at;
        at = parents[at];
    }
    if (levels[at] == MPL_NONE && parents[at] != MPL_NONE) {
        return;
    }
    if (levels[at] == MPL_NONE) {
        levels[at] = 0;
    }
    while (length > 0) {
        const uint32_t next = path[--length];

        levels[next] = levels[at] + 1;
        at = next;
    }
}

/* From the deepest level upwards; \p order is scratch. */
static bool find_heights(const struct mpl_topology *t, const uint32_t *parents,
                         struct mpl_forest *forest, uint32_t *order)
{
    const uint32_t n = t->model->n_processes;
    uint32_t *first = MPL_NEW_ARRAY(t->arena, (size_t) n + 2, uint32_t);

    if (first == NULL) {
        return false;
    }
    for (uint32_t p = 0; p < n; p++) {
        if (forest->level[p] != MPL_NONE) {
            first[forest->level[p] + 1]++;
        }
    }
    for (uint32_t l = 0; l < n; l++) {
        first[l + 1] += first[l];
    }

    const uint32_t n_ordered = first[n];

    for (uint32_t p = 0; p < n; p++) {
        if (forest->level[p] != MPL_NONE) {
            order[first[forest->level[p]]++] = p;
        }
    }
    for (uint32_t i = n_ordered; i > 0; i--) {
        const uint32_t p = order[i - 1];
        const uint32_t parent = parents[p];

        if (parent != MPL_NONE) {
            forest->children[parent]++;
            if (forest->height[p] + 1 > forest->height[parent]) {
                forest->height[parent] = forest->height[p] + 1;
            }
        }
    }
    return true;
}

enum mpl_status mpl_forest_create(const struct mpl_topology *t, struct mpl_forest *out,
                                  struct mpl_err *err)
{
    const uint32_t n = t->model->n_processes;
    uint32_t *parents = MPL_NEW_ARRAY(t->arena, n, uint32_t);
    uint32_t *path = MPL_NEW_ARRAY(t->arena, n, uint32_t);

    out->level = MPL_NEW_ARRAY(t->arena, n, uint32_t);
    out->children = MPL_NEW_ARRAY(t->arena, n, uint32_t);
    out->height = MPL_NEW_ARRAY(t->arena, n, uint32_t);
    if (parents == NULL || path == NULL || out->level == NULL || out->children == NULL ||
        out->height == NULL) {
        return mpl_nomem(err);
    }
    if (n > 0) {
        memset(parents, 0xff, n * sizeof *parents);
        memset(out->level, 0xff, n * sizeof *out->level);
    }
    if (!find_parents(t, parents)) {
        return mpl_nomem(err);
    }
    for (uint32_t p = 0; p < n; p++) {
        if (t->graph.is_node[p]) {
            find_level(parents, p, n, out->level, path);
        }
    }
    return find_heights(t, parents, out, path) ? MPL_OK : mpl_nomem(err);
}
