#include "config.h"

#include "clc/clc_priv.h"

/*
 * Equations 3, 3' and 4, replayed in an order that the dependences allow: each location runs
 * until it comes to a sink with a source that has not come yet, and goes on when the last one
 * has. Every point is passed once and events only where a shift is under way: a location
 * without one steps from point to point.
 *
 * With shifts instead of times, equation 4 says that a shift falls back by (1 - gamma) of each
 * interval, and by less where no delta would be left of it. Fractions of a tick are carried on,
 * or short intervals would never fall back at all.
 */

/* Values of a pair that has no time yet: nobody waits, or that location. Times are far away
 * from these, see mpl_clc_repair(). */
#define PAIR_OPEN       INT64_MIN
#define PAIR_AWAITED(l) (INT64_MIN + 1 + (int64_t) (l))
#define PAIR_READY      (INT64_MIN / 2)

enum { POINTS_PER_NEWS = 1 << 18 };

/* Where a location stands. */
struct cursor {
    struct mpl_clc_shift shift;
    uint32_t point; /* The next one. */
    uint32_t event; /* That shift belongs to. */
    uint32_t next_waiter;
    bool is_blocked;
};

struct replay {
    struct mpl_clc_net *net;
    struct mpl_clc_pass *pass;
    const struct mpl_progress *progress;
    struct cursor *cursor;
    uint32_t *ready; /* Locations that can run: a stack. */
    uint32_t n_ready;
    uint64_t n_passed; /* Points of locations that have stopped. */
    uint64_t n_told;
    /* Only after the first circle: blocked locations, the one with the earliest sink first. */
    bool has_circles;
    uint32_t *heap;
    uint32_t n_heap;
    uint32_t *place; /* Per location: 1 + its place in the heap; 0: not there. */
};

/* ---- waiting and waking -------------------------------------------------------------------- */

static void make_ready(struct replay *r, uint32_t location)
{
    r->cursor[location].is_blocked = false;
    r->ready[r->n_ready++] = location;
}

static void complete_group(struct replay *r, struct mpl_clc_group *group)
{
    while (group->waiter != MPL_NONE) {
        const uint32_t location = group->waiter;

        group->waiter = r->cursor[location].next_waiter;
        make_ready(r, location);
    }
}

static void add_to_group(struct replay *r, uint32_t link, int64_t ticks, uint32_t location)
{
    struct mpl_clc_group *group = &r->net->group[link];

    mpl_clc_top_add(&group->top, ticks, location);
    while (--group->n_left == 0) {
        complete_group(r, group);
        if (group->next == MPL_NONE) {
            return;
        }

        const struct mpl_clc_top *top = &group->top;

        group = &r->net->group[group->next];
        mpl_clc_top_merge(&group->top, top);
    }
}

static void publish(struct replay *r, const struct mpl_clc_point *point, int64_t ticks,
                    uint32_t location)
{
    if ((point->flags & MPL_POINT_GROUP) != 0) {
        add_to_group(r, point->link, ticks, location);
        return;
    }

    int64_t *pair = &r->net->pair_ticks[point->link];
    const int64_t before = *pair;

    *pair = ticks;
    if (before != PAIR_OPEN) {
        make_ready(r, (uint32_t) (before - PAIR_AWAITED(0)));
    }
}

static bool is_complete(const struct replay *r, const struct mpl_clc_point *point)
{
    if ((point->flags & MPL_POINT_GROUP) != 0) {
        return r->net->group[point->link].n_left == 0;
    }
    return r->net->pair_ticks[point->link] > PAIR_READY;
}

static void wait_for(struct replay *r, const struct mpl_clc_point *point, uint32_t location)
{
    r->cursor[location].is_blocked = true;
    if ((point->flags & MPL_POINT_GROUP) != 0) {
        struct mpl_clc_group *group = &r->net->group[point->link];

        r->cursor[location].next_waiter = group->waiter;
        group->waiter = location;
    } else {
        r->net->pair_ticks[point->link] = PAIR_AWAITED(location);
    }
}

static void stop_waiting(struct replay *r, const struct mpl_clc_point *point,
                         uint32_t location)
{
    if ((point->flags & MPL_POINT_GROUP) == 0) {
        r->net->pair_ticks[point->link] = PAIR_OPEN;
        return;
    }

    uint32_t *at = &r->net->group[point->link].waiter;

    while (*at != location) {
        at = &r->cursor[*at].next_waiter;
    }
    *at = r->cursor[location].next_waiter;
}

/* ---- circles ------------------------------------------------------------------------------------ */

/*
 * Where a trace is damaged or a match is wrong, locations may wait for each other in a circle.
 * The clocks are the only witness of what came first then: the blocked sink with the smallest
 * time is let go, and never waited for again.
 */
static int64_t blocked_ticks(const struct replay *r, uint32_t location)
{
    const struct cursor *c = &r->cursor[location];

    return r->net->track[location].ticks[c->event] + c->shift.ticks;
}

/* Equal times: the first location, so that the answer does not depend on the replay. */
static bool is_earlier(const struct replay *r, uint32_t a, uint32_t b)
{
    const int64_t a_ticks = blocked_ticks(r, a);
    const int64_t b_ticks = blocked_ticks(r, b);

    return a_ticks != b_ticks ? a_ticks < b_ticks : a < b;
}

static void heap_put(struct replay *r, uint32_t place, uint32_t location)
{
    r->heap[place] = location;
    r->place[location] = place + 1;
}

static void heap_down(struct replay *r, uint32_t place)
{
    const uint32_t location = r->heap[place];

    for (uint32_t child = 2 * place + 1; child < r->n_heap; child = 2 * place + 1) {
        if (child + 1 < r->n_heap && is_earlier(r, r->heap[child + 1], r->heap[child])) {
            child++;
        }
        if (!is_earlier(r, r->heap[child], location)) {
            break;
        }
        heap_put(r, place, r->heap[child]);
        place = child;
    }
    heap_put(r, place, location);
}

static void heap_up(struct replay *r, uint32_t place)
{
    const uint32_t location = r->heap[place];

    while (place > 0 && is_earlier(r, location, r->heap[(place - 1) / 2])) {
        heap_put(r, place, r->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    heap_put(r, place, location);
}

static void heap_add(struct replay *r, uint32_t location)
{
    heap_put(r, r->n_heap++, location);
    heap_up(r, r->n_heap - 1);
}

static void heap_remove(struct replay *r, uint32_t location)
{
    const uint32_t place = r->place[location] - 1;
    const uint32_t last = r->heap[--r->n_heap];

    r->place[location] = 0;
    if (last != location) {
        heap_put(r, place, last);
        heap_up(r, place);
        heap_down(r, r->place[last] - 1);
    }
}

static void start_heap(struct replay *r)
{
    r->has_circles = true;
    for (uint32_t l = 0; l < r->net->n_tracks; l++) {
        if (r->cursor[l].is_blocked) {
            heap_add(r, l);
        }
    }
}

/* False: everybody is through. */
static bool break_circle(struct replay *r)
{
    if (!r->has_circles) {
        start_heap(r);
    }
    if (r->n_heap == 0) {
        return false;
    }

    const uint32_t location = r->heap[0];
    struct mpl_clc_point *point =
        &r->net->track[location].points[r->cursor[location].point];

    heap_remove(r, location);
    stop_waiting(r, point, location);
    point->flags |= MPL_POINT_IGNORED;
    r->pass->n_ignored++;
    mpl_quality_add(
        r->net->model->quality, "clock-contradiction", location, 1,
        "Messages or collectives that wait for each other in a circle, which no "
        "run can do: their records are damaged or matched wrongly. The clock "
        "repair leaves them as they are.");
    make_ready(r, location);
    return true;
}

/* ---- one location ------------------------------------------------------------------------------- */

static void walk_to(struct cursor *c, const struct mpl_clc_track *track,
                    const struct mpl_clc_fall *fall, uint32_t event)
{
    for (uint32_t e = c->event; e < event && c->shift.ticks > 0; e++) {
        mpl_clc_shift_step(&c->shift, fall, track->ticks[e + 1] - track->ticks[e]);
    }
    c->event = event;
}

static int64_t source_ticks(const struct mpl_clc_net *net,
                            const struct mpl_clc_point *point, uint32_t location)
{
    return (point->flags & MPL_POINT_GROUP) != 0
               ? mpl_clc_top_of_others(&net->group[point->link].top, location)
               : net->pair_ticks[point->link];
}

static void pass_sink(struct replay *r, struct cursor *c, struct mpl_clc_point *point,
                      uint32_t location)
{
    const int64_t ticks = r->net->track[location].ticks[point->event] + c->shift.ticks;
    const int64_t source = source_ticks(r->net, point, location);

    if (source == MPL_CLC_NEVER || source + mpl_clc_point_least(r->net, point) <= ticks) {
        return;
    }

    /* Whoever is moved because of it comes strictly after it. */
    const int64_t least = mpl_clc_point_least(r->net, point);

    c->shift.ticks += source + (least > 0 ? least : 1) - ticks;
    c->shift.rest = 0;
    point->flags |= MPL_POINT_JUMP;
    r->pass->n_jumps++;
    if (c->shift.ticks > r->pass->max_ticks) {
        r->pass->max_ticks = c->shift.ticks;
    }
}

/* Runs until the location is blocked or through. */
static void run(struct replay *r, uint32_t location)
{
    struct mpl_clc_track *track = &r->net->track[location];
    struct cursor *c = &r->cursor[location];
    const uint32_t begin = c->point;

    for (; c->point < track->n_points; c->point++) {
        struct mpl_clc_point *point = &track->points[c->point];

        walk_to(c, track, &r->pass->fall, point->event);
        point->flags &= (uint8_t) ~MPL_POINT_JUMP;
        if ((point->flags & MPL_POINT_SOURCE) != 0) {
            publish(r, point, track->ticks[point->event] + c->shift.ticks, location);
        } else if ((point->flags & MPL_POINT_IGNORED) == 0) {
            if (!is_complete(r, point)) {
                wait_for(r, point, location);
                break;
            }
            pass_sink(r, c, point, location);
            if (r->pass->max_ticks > r->pass->limit_ticks) {
                break;
            }
        }
        point->shift_ticks = c->shift.ticks;
        point->rest = c->shift.rest;
    }
    r->n_passed += c->point - begin;
    if (c->is_blocked && r->has_circles) {
        heap_add(r, location);
    }
}

/* ---- the pass ------------------------------------------------------------------------------------ */

static bool make_room(struct replay *r, struct mpl_arena *scratch)
{
    const uint32_t n = r->net->n_tracks;

    r->cursor = MPL_NEW_ARRAY(scratch, n, struct cursor);
    r->ready = MPL_NEW_ARRAY(scratch, n, uint32_t);
    r->heap = MPL_NEW_ARRAY(scratch, n, uint32_t);
    r->place = MPL_NEW_ARRAY(scratch, n, uint32_t);
    return r->cursor != NULL && r->ready != NULL && r->heap != NULL && r->place != NULL;
}

static void open_links(struct mpl_clc_net *net)
{
    for (uint32_t i = 0; i < net->n_pairs; i++) {
        net->pair_ticks[i] = PAIR_OPEN;
    }
    for (uint32_t i = 0; i < net->n_groups; i++) {
        mpl_clc_top_clear(&net->group[i].top);
        net->group[i].n_left = net->group[i].n_sources;
        net->group[i].waiter = MPL_NONE;
    }
}

/* Locations stop often, and whoever is told may be slow. */
static void tell(struct replay *r)
{
    if (r->n_passed - r->n_told >= POINTS_PER_NEWS) {
        r->n_told = r->n_passed;
        mpl_progress_tell(r->progress, "repairing clocks", r->n_passed, r->net->n_points);
    }
}

static void replay(struct replay *r)
{
    do {
        while (r->n_ready > 0 && r->pass->max_ticks <= r->pass->limit_ticks) {
            const uint32_t location = r->ready[--r->n_ready];

            if (r->has_circles && r->place[location] != 0) {
                heap_remove(r, location);
            }
            run(r, location);
            tell(r);
        }
    } while (r->pass->max_ticks <= r->pass->limit_ticks && break_circle(r));
    r->pass->is_over = r->pass->max_ticks > r->pass->limit_ticks;
    if (!r->pass->is_over) {
        mpl_progress_tell(r->progress, "repairing clocks", r->n_passed, r->net->n_points);
    }
}

enum mpl_status mpl_clc_forward(struct mpl_clc_net *net, struct mpl_clc_pass *pass,
                                const struct mpl_progress *progress,
                                struct mpl_arena *scratch, struct mpl_err *err)
{
    struct replay r = { .net = net, .pass = pass, .progress = progress };

    if (!make_room(&r, scratch)) {
        return mpl_nomem(err);
    }
    open_links(net);
    pass->max_ticks = 0;
    pass->n_jumps = 0;
    pass->n_ignored = 0;
    /* The first location runs first. */
    for (uint32_t l = net->n_tracks; l > 0; l--) {
        make_ready(&r, l - 1);
    }
    replay(&r);
    return MPL_OK;
}
