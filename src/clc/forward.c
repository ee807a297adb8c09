#include "config.h"

#include "clc/clc_priv.h"

/*
 * Equations 3, 3' and 4, in an order that the dependences allow. Events are looked at only where a
 * shift is under way: a location without one steps from point to point.
 *
 * With shifts instead of times, equation 4 says that a shift falls back by (1 - gamma) of each
 * interval, and by less where no delta would be left of it. Fractions of a tick are carried on,
 * or short intervals would never fall back at all.
 */

/* Where a location stands: at an event, with its time and its shift. */
struct cursor {
    struct mpl_clc_shift shift;
    int64_t ticks;
    uint32_t event;
};

struct replay {
    struct mpl_clc_net *net;
    struct mpl_clc_pass *pass;
    struct cursor *cursor;
};

static int64_t ticks_of(const struct cursor *c)
{
    return c->ticks + c->shift.ticks;
}

/*
 * Moves a location's cursor to point i, which does not lie before it, and returns when that is. All that a step needs is
 * copied, or it would be loaded again for each: for all that the compiler knows, a step changes it.
 */
static int64_t go_to(struct replay *r, uint32_t location, uint32_t i)
{
    const struct mpl_clc_track *track = &r->net->track[location];
    const struct mpl_times times = *track->times;
    const struct mpl_clc_fall fall = r->pass->fall;
    const uint32_t event = track->points[i].event;
    struct cursor c = r->cursor[location];

    while (c.shift.ticks > 0 && c.event < event) {
        const int64_t next = mpl_times_get(&times, ++c.event);

        mpl_clc_shift_step(&c.shift, &fall, next - c.ticks);
        c.ticks = next;
    }
    if (c.shift.ticks == 0) {
        c.ticks = mpl_times_get(&times, event);
        c.event = event;
    }
    r->cursor[location] = c;
    return ticks_of(&c);
}

static void remember(struct replay *r, uint32_t location, uint32_t i, bool is_jump)
{
    const struct mpl_clc_shift shift = r->cursor[location].shift;

    r->net->track[location].at[i] = (struct mpl_clc_at){ shift.ticks, shift.rest, is_jump };
}

static void ask_ahead(void *context, uint32_t location, uint32_t i)
{
    const struct replay *r = context;
    const struct mpl_clc_track *track = &r->net->track[location];
    const struct mpl_net_point *point = &track->points[i];

    mpl_prefetch_to_write(&track->at[i]);
    mpl_prefetch(&track->times->offset[point->event]);
    if ((point->flags & MPL_POINT_GROUP) == 0) {
        mpl_prefetch_to_write(&r->net->pair_ticks[point->link]);
    }
}

static void pass_source(void *context, uint32_t location, uint32_t i)
{
    struct replay *r = context;
    const struct mpl_net_point *point = &r->net->track[location].points[i];
    const int64_t ticks = go_to(r, location, i);

    if ((point->flags & MPL_POINT_GROUP) != 0) {
        mpl_top_add(&r->net->top[point->link], ticks, location);
    } else if (r->net->pair_ticks[point->link] != INT64_MAX) {
        r->net->pair_ticks[point->link] = ticks;
    }
    remember(r, location, i, false);
}

static void pass_on(void *context, uint32_t group, uint32_t next)
{
    struct replay *r = context;

    mpl_top_merge(&r->net->top[next], &r->net->top[group]);
}

/* Puts the sink forward where that is needed; whether it was. */
static bool is_jump(struct replay *r, uint32_t location, int64_t source, int64_t least)
{
    struct cursor *c = &r->cursor[location];
    const int64_t ticks = ticks_of(c);

    if (source == MPL_ORDER_NEVER || source + least <= ticks) {
        return false;
    }
    /* Whoever is moved because of it comes strictly after it. */
    c->shift.ticks += source + (least > 0 ? least : 1) - ticks;
    c->shift.rest = 0;
    r->pass->n_jumps++;
    if (c->shift.ticks > r->pass->max_ticks) {
        r->pass->max_ticks = c->shift.ticks;
    }
    return true;
}

/* Leaves the source's cap behind: the sink's time without the least that lies between them. */
static bool pass_pair(struct replay *r, uint32_t location,
                      const struct mpl_net_point *point)
{
    const struct cursor *c = &r->cursor[location];
    const int64_t least = mpl_clc_point_least(r->net, point);
    int64_t *ticks = &r->net->pair_ticks[point->link];

    if ((point->flags & MPL_POINT_IGNORED) != 0) {
        *ticks = INT64_MAX;
        return false;
    }

    const bool has_jumped = is_jump(r, location, *ticks, least);

    *ticks = ticks_of(c) - least;
    return has_jumped;
}

static bool pass_group(struct replay *r, uint32_t location,
                       const struct mpl_net_point *point)
{
    return (point->flags & MPL_POINT_IGNORED) == 0 &&
           is_jump(r, location, mpl_top_of_others(&r->net->top[point->link], location),
                   mpl_clc_point_least(r->net, point));
}

static bool pass_sink(void *context, uint32_t location, uint32_t i)
{
    struct replay *r = context;
    const struct mpl_net_point *point = &r->net->track[location].points[i];

    go_to(r, location, i);
    remember(r, location, i,
             (point->flags & MPL_POINT_GROUP) != 0 ? pass_group(r, location, point)
                                                   : pass_pair(r, location, point));
    return r->pass->max_ticks <= r->pass->limit_ticks;
}

static int64_t blocked_ticks(void *context, uint32_t location, uint32_t i)
{
    return go_to(context, location, i);
}

enum mpl_status mpl_clc_forward(struct mpl_clc_net *net, struct mpl_clc_pass *pass,
                                const struct mpl_progress *progress,
                                struct mpl_arena *scratch, struct mpl_err *err)
{
    struct replay r = { .net = net, .pass = pass };
    const struct mpl_net_walker walker = { .context = &r,
                                           .soon = ask_ahead,
                                           .source = pass_source,
                                           .sink = pass_sink,
                                           .chain = pass_on,
                                           .blocked_ticks = blocked_ticks,
                                           .progress = progress,
                                           .doing = "repairing clocks" };

    r.cursor = MPL_NEW_ARRAY(scratch, net->order->n_tracks, struct cursor);
    if (r.cursor == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < net->order->n_groups; i++) {
        mpl_top_clear(&net->top[i]);
    }
    pass->max_ticks = 0;
    pass->n_jumps = 0;

    const enum mpl_status st = mpl_net_walk(net->order, &walker, &pass->n_ignored, err);

    pass->is_over = pass->max_ticks > pass->limit_ticks;
    return st;
}
