/*
 * Which of a few moments come before which. That takes no timestamps: while the net is walked, each location has a set of
 * those moments that come before where it stands, and messages and collectives carry it on.
 */
#include "config.h"

#include "causality/causality_priv.h"

struct among {
    const struct mpl_net *net;
    const struct mpl_moment *moments;
    uint32_t *moment_of; /* Per location: 1 + its moment; 0: it has none. */
    uint32_t *
        last_sink; /* Per moment: 1 + its last point that is a sink; 0: nothing comes before it. */
    uint64_t *now; /* Per location, and so on: bits of moments. */
    uint64_t *pair;
    uint64_t *group;
    uint64_t *before; /* Per moment. */
    uint32_t n_left;  /* Moments with a last sink that is not passed yet. */
};

static uint64_t *carrier(const struct among *a, const struct mpl_net_point *point)
{
    return (point->flags & MPL_POINT_GROUP) != 0 ? &a->group[point->link]
                                                 : &a->pair[point->link];
}

static void pass_source(void *context, uint32_t location, uint32_t i)
{
    const struct among *a = context;
    const struct mpl_net_point *point = &a->net->track[location].points[i];
    const uint32_t own = a->moment_of[location];
    uint64_t set = a->now[location];

    if (own > 0 && a->moments[own - 1].event <= point->event) {
        set |= UINT64_C(1) << (own - 1);
    }
    /* Nobody has to touch the memory of those that carry nothing. */
    if (set != 0) {
        *carrier(a, point) |= set;
    }
}

static bool pass_sink(void *context, uint32_t location, uint32_t i)
{
    struct among *a = context;
    const struct mpl_net_point *point = &a->net->track[location].points[i];
    const uint32_t own = a->moment_of[location];

    if ((point->flags & MPL_POINT_IGNORED) == 0) {
        const uint64_t set = *carrier(a, point);

        a->now[location] |= set;
        if (own > 0 && point->event <= a->moments[own - 1].event) {
            a->before[own - 1] |= set & ~(UINT64_C(1) << (own - 1));
        }
    }
    a->n_left -= own > 0 && a->last_sink[own - 1] == i + 1;
    return a->n_left > 0;
}

static void pass_on(void *context, uint32_t group, uint32_t next)
{
    const struct among *a = context;

    a->group[next] |= a->group[group];
}

static uint32_t find_last_sink(const struct mpl_net_track *track, uint32_t event)
{
    uint32_t low = 0;
    uint32_t high = track->n_points;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (track->points[middle].event <= event) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low > 0 && (track->points[low - 1].flags & MPL_POINT_SOURCE) != 0) {
        low--;
    }
    return low;
}

static bool make_room(struct among *a, uint32_t n, struct mpl_arena *arena)
{
    a->moment_of = MPL_NEW_ARRAY(arena, a->net->n_tracks, uint32_t);
    a->last_sink = MPL_NEW_ARRAY(arena, n, uint32_t);
    a->now = MPL_NEW_ARRAY(arena, a->net->n_tracks, uint64_t);
    a->pair = MPL_NEW_ARRAY(arena, a->net->n_pairs, uint64_t);
    a->group = MPL_NEW_ARRAY(arena, a->net->n_groups, uint64_t);
    return !mpl_arena_is_short(arena);
}

enum mpl_status mpl_moments_order(struct mpl_net *net, const struct mpl_moment *moments,
                                  uint32_t n, uint64_t *before, struct mpl_err *err)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct among a = { .net = net, .moments = moments, .before = before };
    const struct mpl_net_walker walker = {
        .context = &a, .source = pass_source, .sink = pass_sink, .chain = pass_on
    };
    uint64_t n_ignored = 0;
    enum mpl_status st =
        arena == NULL || !make_room(&a, n, arena) ? mpl_nomem(err) : MPL_OK;

    for (uint32_t i = 0; i < n && st == MPL_OK; i++) {
        before[i] = 0;
        a.moment_of[moments[i].location] = i + 1;
        a.last_sink[i] = find_last_sink(&net->track[moments[i].location], moments[i].event);
        a.n_left += a.last_sink[i] > 0;
    }
    if (st == MPL_OK && a.n_left > 0) {
        st = mpl_net_walk(net, &walker, &n_ignored, err);
    }
    mpl_arena_destroy(arena);
    return st;
}
