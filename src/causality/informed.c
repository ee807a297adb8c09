/*
 * Clusters for who knows the whole trace: what it exchanges shall stay within clusters as far as it
 * can. That is the partitioning of a graph; here by coarsening and growing (Karypis, Kumar 1998).
 *
 * Clusters grow from the two that talk most, and take in who talks most with them. That depends on where
 * it begins, so it is also tried with pairs that talk much in place of single ones, with pairs of those, and
 * so on; the shortest timestamps are taken. An outer level has the clusters of the inner one in place of
 * locations.
 */
#include "config.h"

#include "causality/causality_priv.h"

#include <stdlib.h>
#include <string.h>

/* Messages between two nodes, the smaller number first. */
struct traffic {
    uint32_t a;
    uint32_t b;
    uint64_t n;
    uint32_t size; /* Of both nodes, while they are matched. */
};

/* Nodes are locations or groups of them, which have the number of one of theirs. */
struct graph {
    uint32_t n;               /* Locations. */
    uint32_t most;            /* Locations in a cluster, */
    uint32_t bytes_around;    /* Of a timestamp of the next level. */
    const uint64_t *received; /* Messages, per location. */
    uint32_t *members;        /* Room, per location. */
    uint32_t *node;           /* Of a location. */
    uint32_t *size;           /* Of a node; 0: no node has that number. */
    struct mpl_buf traffic;   /* struct traffic, sorted */
};

/* ---- traffic ----------------------------------------------------------------------------------- */

/* Most messages first; of equal ones small nodes, which have more room to grow in all directions; then by number. */
static int by_traffic(const void *x, const void *y)
{
    const struct traffic *one = x;
    const struct traffic *other = y;

    if (one->n != other->n) {
        return one->n < other->n ? 1 : -1;
    }
    if (one->size != other->size) {
        return one->size < other->size ? -1 : 1;
    }
    if (one->a != other->a) {
        return one->a < other->a ? -1 : 1;
    }
    return (one->b > other->b) - (one->b < other->b);
}

static void sort(struct mpl_buf *traffic)
{
    if (traffic->n > 0) {
        qsort(traffic->data, traffic->n, sizeof(struct traffic), by_traffic);
    }
}

static bool count(struct mpl_map *at, struct mpl_buf *traffic, uint32_t x, uint32_t y,
                  uint64_t n)
{
    const uint32_t a = x < y ? x : y;
    const uint32_t b = x < y ? y : x;
    struct traffic *t = mpl_map_item(at, (uint64_t) a << 32 | b, traffic);

    if (t != NULL) {
        *t = (struct traffic){ .a = a, .b = b, .n = t->n + n };
    }
    return t != NULL;
}

/* All messages of the trace. */
struct exchange {
    struct mpl_buf traffic; /* struct traffic */
    uint64_t *received;     /* Per location. */
};

/* By the two ends of each pair; \p sender has room for all pairs. */
static bool count_pairs(const struct mpl_net *net, uint32_t *sender, struct mpl_map *at,
                        struct exchange *all)
{
    bool is_done = true;

    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t l = 0; l < net->n_tracks && is_done; l++) {
            for (uint32_t i = 0; i < net->track[l].n_points && is_done; i++) {
                const struct mpl_net_point *p = &net->track[l].points[i];
                const bool is_source = (p->flags & MPL_POINT_SOURCE) != 0;

                if ((p->flags & MPL_POINT_GROUP) != 0) {
                    continue;
                }
                if (pass == 0 && is_source) {
                    sender[p->link] = l;
                } else if (pass == 1 && !is_source && sender[p->link] != l) {
                    is_done = count(at, &all->traffic, sender[p->link], l, 1);
                    all->received[l]++;
                }
            }
        }
    }
    return is_done;
}

/* ---- coarsening -------------------------------------------------------------------------------- */

/* Heavy-edge matching: with[] of the smaller one of a pair is the other, and the other way round. */
static bool match(struct graph *g, uint32_t *with)
{
    bool has_matched = false;

    memset(with, 0xff, g->n * sizeof *with);
    for (size_t i = 0; i < g->traffic.n; i++) {
        struct traffic *t = mpl_buf_get(&g->traffic, i);

        t->size = g->size[t->a] + g->size[t->b];
    }
    sort(&g->traffic);
    for (size_t i = 0; i < g->traffic.n; i++) {
        const struct traffic *t = mpl_buf_get(&g->traffic, i);

        if (with[t->a] == MPL_NONE && with[t->b] == MPL_NONE && t->size <= g->most) {
            with[t->a] = t->b;
            with[t->b] = t->a;
            has_matched = true;
        }
    }
    return has_matched;
}

/* Nodes become those of \p node, given per old one. */
static bool join(struct graph *g, const uint32_t *node)
{
    struct mpl_map *at = mpl_map_create();
    struct mpl_buf traffic = mpl_buf_make(sizeof(struct traffic));
    bool is_done = at != NULL;

    for (uint32_t l = 0; l < g->n; l++) {
        if (g->size[l] > 0 && node[l] != l) {
            g->size[node[l]] += g->size[l];
            g->size[l] = 0;
        }
    }
    for (uint32_t l = 0; l < g->n; l++) {
        g->node[l] = node[g->node[l]];
    }
    for (size_t i = 0; i < g->traffic.n && is_done; i++) {
        const struct traffic *t = mpl_buf_get(&g->traffic, i);

        is_done =
            node[t->a] == node[t->b] || count(at, &traffic, node[t->a], node[t->b], t->n);
    }
    mpl_map_destroy(at);
    mpl_buf_free(&g->traffic);
    g->traffic = traffic;
    sort(&g->traffic);
    return is_done;
}

/* Makes pairs of nodes that talk much. *has_changed: there are some. */
static bool coarsen(struct graph *g, uint32_t *with, bool *has_changed)
{
    *has_changed = match(g, with);
    for (uint32_t l = 0; l < g->n; l++) {
        with[l] = with[l] < l ? with[l] : l;
    }
    return !*has_changed || join(g, with);
}

/* ---- growing ----------------------------------------------------------------------------------- */

struct growth {
    const struct graph *graph;
    uint32_t
        *part; /* Per node: the one with which its cluster began; MPL_NONE: it is free. */
    uint32_t *first; /* Per node: of its neighbours; those of the next one follow. */
    struct neighbour {
        uint32_t node;
        uint64_t n;
    } * neighbours;
    uint64_t *to_grown; /* Per node: messages with the cluster that grows. */
    uint64_t *to_free;  /* Per node: messages with those that are free. */
    uint32_t *fringe;   /* Who talks with the cluster, the first to do so first. */
    uint32_t n_fringe;
};

static void take(struct growth *g, uint32_t seed, uint32_t node)
{
    g->part[node] = seed;
    for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++) {
        const struct neighbour *to = &g->neighbours[i];

        if (g->to_grown[to->node] == 0) {
            g->fringe[g->n_fringe++] = to->node;
        }
        g->to_grown[to->node] += to->n;
        g->to_free[to->node] -= to->n;
    }
}

/* Whether a node talks with nobody that is free more than with the cluster. */
static bool belongs(const struct growth *g, uint32_t node)
{
    for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++) {
        const struct neighbour *to = &g->neighbours[i];

        if (g->part[to->node] == MPL_NONE && to->n > g->to_grown[node]) {
            return false;
        }
    }
    return true;
}

/* Of those that talk as much with the cluster, the one that talks least with free nodes. */
static bool is_better(const struct growth *g, uint32_t node, uint32_t than)
{
    return than == MPL_NONE || g->to_grown[node] > g->to_grown[than] ||
           (g->to_grown[node] == g->to_grown[than] && g->to_free[node] < g->to_free[than]);
}

static uint32_t best_of_fringe(const struct growth *g, uint32_t room)
{
    uint32_t best = MPL_NONE;

    for (uint32_t i = 0; i < g->n_fringe; i++) {
        const uint32_t node = g->fringe[i];

        if (g->part[node] == MPL_NONE && g->graph->size[node] <= room &&
            is_better(g, node, best) && belongs(g, node)) {
            best = node;
        }
    }
    return best;
}

static void grow_from(struct growth *g, uint32_t seed)
{
    uint32_t n = 0;

    for (uint32_t next = seed; next != MPL_NONE;
         next = best_of_fringe(g, g->graph->most - n)) {
        take(g, seed, next);
        n += g->graph->size[next];
    }
    while (g->n_fringe > 0) {
        g->to_grown[g->fringe[--g->n_fringe]] = 0;
    }
}

static bool make_room(struct growth *g, struct mpl_arena *arena)
{
    const uint32_t n = g->graph->n;

    g->first = MPL_NEW_ARRAY(arena, n + 2, uint32_t);
    g->neighbours = MPL_NEW_ARRAY(arena, 2 * g->graph->traffic.n, struct neighbour);
    g->to_grown = MPL_NEW_ARRAY(arena, n, uint64_t);
    g->to_free = MPL_NEW_ARRAY(arena, n, uint64_t);
    g->fringe = MPL_NEW_ARRAY(arena, n, uint32_t);
    return !mpl_arena_is_short(arena);
}

/* first[n + 1] is where the next neighbour of n goes, and so where those of n + 1 begin in the end. */
static void list_neighbours(struct growth *g)
{
    const struct mpl_buf *traffic = &g->graph->traffic;

    for (size_t i = 0; i < traffic->n; i++) {
        const struct traffic *t = mpl_buf_get(traffic, i);

        g->first[t->a + 2]++;
        g->first[t->b + 2]++;
        g->to_free[t->a] += t->n;
        g->to_free[t->b] += t->n;
    }
    for (uint32_t l = 0; l < g->graph->n; l++) {
        g->first[l + 2] += g->first[l + 1];
    }
    for (size_t i = 0; i < traffic->n; i++) {
        const struct traffic *t = mpl_buf_get(traffic, i);

        g->neighbours[g->first[t->a + 1]++] = (struct neighbour){ t->b, t->n };
        g->neighbours[g->first[t->b + 1]++] = (struct neighbour){ t->a, t->n };
    }
}

/* Fills \p part, per node. */
static bool grow(const struct graph *graph, uint32_t *part)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct growth g = { .graph = graph, .part = part };
    const bool is_done = arena != NULL && make_room(&g, arena);

    memset(part, 0xff, graph->n * sizeof *part);
    if (is_done) {
        list_neighbours(&g);
        for (size_t i = 0; i < graph->traffic.n; i++) {
            const struct traffic *t = mpl_buf_get(&graph->traffic, i);

            if (part[t->a] == MPL_NONE && part[t->b] == MPL_NONE) {
                grow_from(&g, t->a);
            }
        }
        for (uint32_t l = 0; l < graph->n; l++) {
            if (graph->size[l] > 0 && part[l] == MPL_NONE) {
                grow_from(&g, l);
            }
        }
    }
    mpl_arena_destroy(arena);
    return is_done;
}

/* ---- the best of all ---------------------------------------------------------------------------- */

/*
 * Twice the bytes of the timestamps of receives: a number for each member of the receiver's cluster or, where the
 * message comes from another one, a timestamp of the next level. How many messages of a pair go which way is
 * not kept; it is taken for half of them. The fewest messages between clusters would not do: they fill
 * clusters up with whoever is left.
 */
static uint64_t cost_of(const struct graph *g, const uint32_t *part)
{
    const uint32_t number = sizeof(uint32_t);
    uint32_t *members = g->members;
    uint64_t cost = 0;

    memset(members, 0, g->n * sizeof *members);
    for (uint32_t l = 0; l < g->n; l++) {
        members[part[g->node[l]]]++;
    }
    for (uint32_t l = 0; l < g->n; l++) {
        cost += 2 * g->received[l] * number * members[part[g->node[l]]];
    }
    for (size_t i = 0; i < g->traffic.n; i++) {
        const struct traffic *t = mpl_buf_get(&g->traffic, i);
        const uint32_t n = members[part[t->a]] + members[part[t->b]];

        if (part[t->a] != part[t->b]) {
            cost += t->n * 2 * g->bytes_around;
            cost -= t->n * number * n;
        }
    }
    return cost;
}

/* The best clusters so far. */
struct choice {
    uint64_t cost;
    uint32_t *part; /* Per location. */
};

/* \p g is coarse in the end. */
static bool try_all(struct graph *g, uint32_t *scratch, struct choice *best)
{
    bool has_changed = true;

    while (has_changed) {
        if (!grow(g, scratch)) {
            return false;
        }

        const uint64_t cost = cost_of(g, scratch);

        for (uint32_t l = 0; l < g->n && cost < best->cost; l++) {
            best->part[l] = scratch[g->node[l]];
        }
        best->cost = cost < best->cost ? cost : best->cost;
        if (!coarsen(g, scratch, &has_changed)) {
            return false;
        }
    }
    return true;
}

/*
 * A full vector takes a byte per number, as most are kept by what they differ in. With several levels numbers are
 * compared all the same, as the paper does: in bytes an outer level hardly saves anything.
 */
static uint32_t bytes_around(const struct mpl_clusters *c, uint32_t level)
{
    const uint32_t number = sizeof(uint32_t);

    if (c->n_levels == 1) {
        return c->n_locations;
    }
    return number * (level + 1 == c->n_levels ? c->n_locations : c->most[level + 1]);
}

/* Nodes are the clusters of the level below, and all their messages. */
static bool fill(struct graph *g, const struct mpl_clusters *c, uint32_t level,
                 const struct exchange *all, uint32_t *scratch)
{
    bool is_done = true;

    g->traffic = mpl_buf_make(sizeof(struct traffic));
    for (size_t i = 0; i < all->traffic.n && is_done; i++) {
        is_done = mpl_buf_put(&g->traffic, mpl_buf_get(&all->traffic, i));
    }
    for (uint32_t l = 0; l < c->n_locations; l++) {
        g->node[l] = l;
        g->size[l] = 1;
        scratch[l] = level == 0 ? l : mpl_clusters_home(c, level - 1, l);
    }
    return is_done && join(g, scratch);
}

/* Where there is one level, smaller clusters than there may be can be the best. */
static bool put_level(struct mpl_clusters *c, uint32_t level, const struct exchange *all,
                      struct mpl_arena *arena)
{
    const uint32_t n = c->n_locations;
    struct graph g = { .n = n,
                       .most = c->most[level],
                       .bytes_around = bytes_around(c, level),
                       .received = all->received,
                       .members = MPL_NEW_ARRAY(arena, n, uint32_t),
                       .node = MPL_NEW_ARRAY(arena, n, uint32_t),
                       .size = MPL_NEW_ARRAY(arena, n, uint32_t) };
    struct choice best = { UINT64_MAX, MPL_NEW_ARRAY(arena, n, uint32_t) };
    uint32_t *scratch = MPL_NEW_ARRAY(arena, n, uint32_t);
    bool is_done = !mpl_arena_is_short(arena);

    while (is_done && g.most > 0) {
        is_done = fill(&g, c, level, all, scratch) && try_all(&g, scratch, &best);
        mpl_buf_free(&g.traffic);
        g.most = c->n_levels == 1 ? g.most * 3 / 4 : 0;
    }
    for (uint32_t l = 0; l < n && is_done; l++) {
        (void) mpl_clusters_merge(c, level, best.part[l], l);
    }
    return is_done;
}

bool mpl_clusters_inform(struct mpl_clusters *c, const struct mpl_net *net)
{
    struct mpl_arena *arena = mpl_arena_create();
    uint32_t *sender = arena == NULL ? NULL : MPL_NEW_ARRAY(arena, net->n_pairs, uint32_t);
    struct mpl_map *at = mpl_map_create();
    struct exchange all = { .traffic = mpl_buf_make(sizeof(struct traffic)) };
    bool is_done = sender != NULL && at != NULL;

    all.received = is_done ? MPL_NEW_ARRAY(arena, net->n_tracks, uint64_t) : NULL;
    is_done = all.received != NULL && count_pairs(net, sender, at, &all);
    for (uint32_t level = 0; level < c->n_levels && is_done; level++) {
        is_done = put_level(c, level, &all, arena);
    }
    mpl_buf_free(&all.traffic);
    mpl_map_destroy(at);
    mpl_arena_destroy(arena);
    return is_done;
}
