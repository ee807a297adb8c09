#include "config.h"

#include "order/order_priv.h"

/* A source: where it is. */
struct source {
    uint32_t location;
    uint32_t point;
};

struct mpl_net_circles {
    const struct mpl_net *net;
    struct source *pair;   /* Per pair. */
    size_t *first;         /* Per group, n_groups + 1: into sources. */
    size_t *left;          /* Per group: the first that has not come, as far as is known. */
    struct source *source; /* Of groups, those of one by location. */
    uint32_t *before;      /* Per group: the one before it in its chain; MPL_NONE. */
    uint32_t *seen; /* Per location: 1 + from whom it was first come to; 0: not yet. */
    uint32_t *found;
};

/* Twice: counts first, puts then. */
static void see_sources(struct mpl_net_circles *c, size_t *at)
{
    for (uint32_t l = 0; l < c->net->n_tracks; l++) {
        for (uint32_t i = 0; i < c->net->track[l].n_points; i++) {
            const struct mpl_net_point *p = &c->net->track[l].points[i];

            if ((p->flags & MPL_POINT_SOURCE) == 0) {
                continue;
            }
            if ((p->flags & MPL_POINT_GROUP) == 0) {
                c->pair[p->link] = (struct source){ l, i };
            } else if (at == NULL) {
                c->first[p->link + 1]++;
            } else {
                c->source[at[p->link]++] = (struct source){ l, i };
            }
        }
    }
}

static bool put_groups(struct mpl_net_circles *c, struct mpl_arena *arena)
{
    const uint32_t n = c->net->n_groups;
    size_t *at = MPL_NEW_ARRAY(arena, n, size_t);

    see_sources(c, NULL);
    for (uint32_t g = 0; g < n; g++) {
        c->first[g + 1] += c->first[g];
        c->before[g] = MPL_NONE;
    }
    for (uint32_t g = 0; g < n; g++) {
        if (c->net->group[g].next != MPL_NONE) {
            c->before[c->net->group[g].next] = g;
        }
    }
    c->source = MPL_NEW_ARRAY(arena, c->first[n], struct source);
    if (at == NULL || c->source == NULL) {
        return false;
    }
    for (uint32_t g = 0; g < n; g++) {
        at[g] = c->first[g];
        c->left[g] = c->first[g];
    }
    see_sources(c, at);
    return true;
}

struct mpl_net_circles *mpl_net_circles_create(const struct mpl_net *net,
                                               struct mpl_arena *arena)
{
    struct mpl_net_circles *c = MPL_NEW(arena, struct mpl_net_circles);

    if (c == NULL) {
        return NULL;
    }
    c->net = net;
    c->pair = MPL_NEW_ARRAY(arena, net->n_pairs, struct source);
    c->first = MPL_NEW_ARRAY(arena, (size_t) net->n_groups + 1, size_t);
    c->left = MPL_NEW_ARRAY(arena, net->n_groups, size_t);
    c->before = MPL_NEW_ARRAY(arena, net->n_groups, uint32_t);
    c->seen = MPL_NEW_ARRAY(arena, net->n_tracks, uint32_t);
    c->found = MPL_NEW_ARRAY(arena, net->n_tracks, uint32_t);
    return !mpl_arena_is_short(arena) && put_groups(c, arena) ? c : NULL;
}

/*
 * The lowest location that lacks a source of a group; the groups before it in a chain are its, too. What
 * has come does not go away, so each source is looked at once.
 */
static uint32_t lacks(struct mpl_net_circles *c, const struct mpl_net_stand *stand,
                      uint32_t group)
{
    for (; group != MPL_NONE; group = c->before[group]) {
        size_t *left = &c->left[group];

        for (; *left < c->first[group + 1]; (*left)++) {
            const struct source *source = &c->source[*left];

            if (stand->point(stand->context, source->location) <= source->point) {
                return source->location;
            }
        }
    }
    return MPL_NONE;
}

/* Whom a location waits for; MPL_NONE: it is through. */
static uint32_t waits_for(struct mpl_net_circles *c, const struct mpl_net_stand *stand,
                          uint32_t location)
{
    const struct mpl_net_track *track = &c->net->track[location];
    const uint32_t at = stand->point(stand->context, location);

    if (at == track->n_points) {
        return MPL_NONE;
    }

    const struct mpl_net_point *point = &track->points[at];

    return (point->flags & MPL_POINT_GROUP) == 0 ? c->pair[point->link].location
                                                 : lacks(c, stand, point->link);
}

size_t mpl_net_circles_find(struct mpl_net_circles *c, const struct mpl_net_stand *stand,
                            const uint32_t **locations)
{
    size_t n = 0;

    for (uint32_t l = 0; l < c->net->n_tracks; l++) {
        c->seen[l] = 0;
    }
    for (uint32_t l = 0; l < c->net->n_tracks; l++) {
        uint32_t at = l;

        while (at != MPL_NONE && c->seen[at] == 0) {
            c->seen[at] = 1 + l;
            at = waits_for(c, stand, at);
        }
        if (at == MPL_NONE || c->seen[at] != 1 + l) {
            continue;
        }

        const uint32_t first = at;

        do {
            c->found[n++] = at;
            at = waits_for(c, stand, at);
        } while (at != first);
    }
    *locations = c->found;
    return n;
}
