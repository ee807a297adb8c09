#include "config.h"

#include "causality/causality_priv.h"

#include <stdlib.h>

uint32_t mpl_clusters_home(const struct mpl_clusters *c, uint32_t level, uint32_t location)
{
    return c->home[(size_t) level * c->n_locations + location];
}

struct mpl_cluster *mpl_clusters_get(const struct mpl_clusters *c, uint32_t level,
                                     uint32_t cluster)
{
    return &c->cluster[(size_t) level * c->n_locations + cluster];
}

uint32_t mpl_clusters_member(const struct mpl_clusters *c, uint32_t level, uint32_t cluster,
                             uint32_t i)
{
    return i == 0 ? cluster : mpl_clusters_get(c, level, cluster)->members[i];
}

static uint64_t key_of(const struct mpl_clusters *c, uint32_t level, uint32_t cluster,
                       uint32_t location)
{
    return ((uint64_t) level * c->n_locations + cluster) * c->n_locations + location;
}

uint32_t mpl_clusters_place(const struct mpl_clusters *c, uint32_t level, uint32_t cluster,
                            uint32_t location)
{
    return location == cluster
               ? 0
               : mpl_map_find(c->place, key_of(c, level, cluster, location));
}

static bool append(struct mpl_clusters *c, uint32_t level, uint32_t into, uint32_t location)
{
    struct mpl_cluster *cluster = mpl_clusters_get(c, level, into);

    cluster->members[cluster->n] = location;
    c->home[(size_t) level * c->n_locations + location] = into;
    return mpl_map_put(c->place, key_of(c, level, into, location), cluster->n++);
}

bool mpl_clusters_merge(struct mpl_clusters *c, uint32_t level, uint32_t a, uint32_t b)
{
    const uint32_t into = mpl_clusters_home(c, level, a);
    const uint32_t from = mpl_clusters_home(c, level, b);
    struct mpl_cluster *cluster = mpl_clusters_get(c, level, into);
    const uint32_t n = mpl_clusters_get(c, level, from)->n;

    if (into == from || cluster->n + n > c->most[level]) {
        return into == from;
    }
    if (cluster->members == NULL) {
        cluster->members = MPL_NEW_ARRAY(c->arena, c->most[level], uint32_t);
    }
    c->is_short = c->is_short || cluster->members == NULL;
    for (uint32_t i = 0; i < n && !c->is_short; i++) {
        c->is_short = !append(c, level, into, mpl_clusters_member(c, level, from, i));
    }
    return !c->is_short;
}

/* ---- clusters that are there before the walk ------------------------------------------------- */

static void put_neighbours(struct mpl_clusters *c)
{
    for (uint32_t level = 0; level < c->n_levels; level++) {
        for (uint32_t l = 0; l < c->n_locations; l++) {
            (void) mpl_clusters_merge(c, level, l - l % c->most[level], l);
        }
    }
}

/* Messages between two locations, the smaller number first. */
struct traffic {
    uint32_t a;
    uint32_t b;
    uint32_t n;
};

static int by_traffic(const void *x, const void *y)
{
    const struct traffic *a = x;
    const struct traffic *b = y;

    if (a->n != b->n) {
        return a->n < b->n ? 1 : -1;
    }
    if (a->a != b->a) {
        return a->a < b->a ? -1 : 1;
    }
    return (a->b > b->b) - (a->b < b->b);
}

static bool count_message(struct mpl_map *at, struct mpl_buf *traffic, uint32_t n_locations,
                          uint32_t x, uint32_t y)
{
    const uint32_t a = x < y ? x : y;
    const uint32_t b = x < y ? y : x;
    const uint64_t key = (uint64_t) a * n_locations + b;
    const uint32_t i = mpl_map_find(at, key);
    struct traffic *t = i == MPL_NONE ? mpl_buf_add(traffic) : mpl_buf_get(traffic, i);

    if (t == NULL ||
        (i == MPL_NONE && !mpl_map_put(at, key, (uint32_t) (traffic->n - 1)))) {
        return false;
    }
    *t = (struct traffic){ a, b, t->n + 1 };
    return true;
}

/* Locations of the two ends of each pair; false: no memory. */
static bool count_traffic(const struct mpl_net *net, struct mpl_map *at,
                          struct mpl_buf *traffic, uint32_t *sender)
{
    bool is_done = at != NULL && sender != NULL;

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
                } else if (pass == 1 && !is_source) {
                    is_done = count_message(at, traffic, net->n_tracks, sender[p->link], l);
                }
            }
        }
    }
    return is_done;
}

static bool put_by_traffic(struct mpl_clusters *c, const struct mpl_net *net)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_map *at = mpl_map_create();
    struct mpl_buf traffic = mpl_buf_make(sizeof(struct traffic));
    const bool is_done =
        scratch != NULL &&
        count_traffic(net, at, &traffic, MPL_NEW_ARRAY(scratch, net->n_pairs, uint32_t));

    if (is_done && traffic.n > 0) {
        qsort(traffic.data, traffic.n, sizeof(struct traffic), by_traffic);
    }
    for (uint32_t level = 0; level < c->n_levels && is_done; level++) {
        for (size_t i = 0; i < traffic.n; i++) {
            const struct traffic *t = mpl_buf_get(&traffic, i);

            (void) mpl_clusters_merge(c, level, t->a, t->b);
        }
    }
    mpl_buf_free(&traffic);
    mpl_map_destroy(at);
    mpl_arena_destroy(scratch);
    return is_done;
}

bool mpl_clusters_open(struct mpl_clusters *c, const struct mpl_net *net,
                       const struct mpl_causality_options *options, struct mpl_arena *arena)
{
    const size_t n = (size_t) options->n_levels * net->n_tracks;
    bool is_done = true;

    *c = (struct mpl_clusters){ .n_locations = net->n_tracks,
                                .n_levels = options->n_levels,
                                .most = options->most,
                                .cluster = MPL_NEW_ARRAY(arena, n, struct mpl_cluster),
                                .home = MPL_NEW_ARRAY(arena, n, uint32_t),
                                .place = mpl_map_create(),
                                .arena = arena };
    if (c->cluster == NULL || c->home == NULL || c->place == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        c->cluster[i].n = 1;
        c->home[i] = (uint32_t) (i % net->n_tracks);
    }
    if (options->clustering == MPL_CLUSTER_STATIC) {
        put_neighbours(c);
    } else if (options->clustering == MPL_CLUSTER_INFORMED) {
        is_done = put_by_traffic(c, net);
    }
    return is_done && !c->is_short;
}

void mpl_clusters_close(struct mpl_clusters *c)
{
    mpl_map_destroy(c->place);
}
