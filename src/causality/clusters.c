#include "config.h"

#include "causality/causality_priv.h"

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
        const uint32_t location = mpl_clusters_member(c, level, from, i);

        cluster->members[cluster->n++] = location;
        c->home[(size_t) level * c->n_locations + location] = into;
    }
    return !c->is_short;
}

/* ---- clusters that are there before the walk ------------------------------------------------- */

/* Outer clusters hold whole inner ones. */
static void put_neighbours(struct mpl_clusters *c)
{
    uint32_t size = 1;

    for (uint32_t level = 0; level < c->n_levels; level++) {
        size = c->most[level] < size ? size : c->most[level] - c->most[level] % size;
        for (uint32_t l = 0; l < c->n_locations; l++) {
            (void) mpl_clusters_merge(c, level, l - l % size, l);
        }
    }
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
                                .arena = arena };
    if (c->cluster == NULL || c->home == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        c->cluster[i].n = 1;
        c->home[i] = (uint32_t) (i % net->n_tracks);
    }
    if (options->clustering == MPL_CLUSTER_STATIC) {
        put_neighbours(c);
    } else if (options->clustering == MPL_CLUSTER_INFORMED) {
        is_done = mpl_clusters_inform(c, net);
    }
    return is_done && !c->is_short;
}

void mpl_clusters_line_up(const struct mpl_clusters *c, uint32_t *row, uint32_t *place,
                          uint32_t *home, uint32_t *size)
{
    size_t at = 0;

    for (uint32_t level = 0; level < c->n_levels; level++) {
        for (uint32_t l = 0; l < c->n_locations; l++) {
            const uint32_t n = mpl_clusters_get(c, level, l)->n;

            size[(size_t) level * c->n_locations + l] = n;
            for (uint32_t i = 0; i < n && mpl_clusters_home(c, level, l) == l; i++, at++) {
                const uint32_t member = mpl_clusters_member(c, level, l, i);

                row[at] = member;
                place[(size_t) level * c->n_locations + member] =
                    (uint32_t) (at % c->n_locations);
                home[(size_t) level * c->n_locations + member] = l;
            }
        }
    }
}
