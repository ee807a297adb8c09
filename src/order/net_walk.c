#include "config.h"

#include "order/order_priv.h"

#include <stdlib.h>

/* What a pair waits for, or that location does. */
#define PAIR_OPEN    0
#define PAIR_READY   1
#define PAIR_WAITERS 2 /* And the location's number. */

enum { POINTS_PER_NEWS = 1 << 18, POINTS_AHEAD = 8 };

/* Where a location stands. */
struct cursor {
    int64_t blocked_ticks; /* While it is in the heap. */
    uint32_t point;        /* The next one. */
    uint32_t next_waiter;
    bool is_blocked;
};

struct group_state {
    uint32_t n_left; /* Sources that have not come. */
    uint32_t waiter; /* First location that waits; MPL_NONE. */
};

struct walk {
    struct mpl_net *net;
    const struct mpl_net_walker *by;
    struct cursor *cursor;
    uint32_t *pair; /* PAIR_OPEN, PAIR_READY, or the location that waits for it. */
    struct group_state *group;
    uint32_t *ready; /* Locations that can run: a stack. */
    uint32_t n_ready;
    uint32_t
        *later; /* In rounds: those that can run, or will have gone on, in the next one. */
    uint32_t n_later;
    bool is_over;  /* Somebody ended it. */
    bool is_short; /* Memory ran out. */
    uint64_t n_ignored;
    uint64_t n_passed; /* Points of locations that have stopped. */
    uint64_t n_reported;
    struct mpl_net_circles *circles; /* Where no clock is asked: after the first one. */
    struct mpl_arena *scratch;
    /* Only after the first circle: blocked locations, the one with the earliest sink first. */
    bool has_circles;
    uint32_t *heap;
    uint32_t n_heap;
    uint32_t *place; /* Per location: 1 + its place in the heap; 0: not there. */
};

/* ---- waiting and waking -------------------------------------------------------------------- */

static void make_ready(struct walk *w, uint32_t location)
{
    w->cursor[location].is_blocked = false;
    if (w->by->is_in_rounds) {
        w->later[w->n_later++] = location;
    } else {
        w->ready[w->n_ready++] = location;
    }
}

static int by_falling_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *) a;
    const uint32_t y = *(const uint32_t *) b;

    return (x < y) - (x > y);
}

static void start_round(struct walk *w)
{
    uint32_t *const free = w->ready;

    w->ready = w->later;
    w->n_ready = w->n_later;
    w->later = free;
    w->n_later = 0;
    qsort(w->ready, w->n_ready, sizeof *w->ready, by_falling_number);
}

static void wake_all(struct walk *w, struct group_state *group)
{
    while (group->waiter != MPL_NONE) {
        const uint32_t location = group->waiter;

        group->waiter = w->cursor[location].next_waiter;
        make_ready(w, location);
    }
}

static void come_to_group(struct walk *w, uint32_t group)
{
    while (--w->group[group].n_left == 0) {
        const uint32_t next = w->net->group[group].next;

        wake_all(w, &w->group[group]);
        if (next == MPL_NONE) {
            return;
        }
        w->by->chain(w->by->context, group, next);
        group = next;
    }
}

static void come(struct walk *w, const struct mpl_net_point *point)
{
    if ((point->flags & MPL_POINT_GROUP) != 0) {
        come_to_group(w, point->link);
        return;
    }

    const uint32_t before = w->pair[point->link];

    w->pair[point->link] = PAIR_READY;
    if (before != PAIR_OPEN) {
        make_ready(w, before - PAIR_WAITERS);
    }
}

static bool is_complete(const struct walk *w, const struct mpl_net_point *point)
{
    return (point->flags & MPL_POINT_GROUP) != 0 ? w->group[point->link].n_left == 0
                                                 : w->pair[point->link] == PAIR_READY;
}

static void wait_for(struct walk *w, const struct mpl_net_point *point, uint32_t location)
{
    w->cursor[location].is_blocked = true;
    if ((point->flags & MPL_POINT_GROUP) != 0) {
        struct group_state *group = &w->group[point->link];

        w->cursor[location].next_waiter = group->waiter;
        group->waiter = location;
    } else {
        w->pair[point->link] = location + PAIR_WAITERS;
    }
}

static void stop_waiting(struct walk *w, const struct mpl_net_point *point,
                         uint32_t location)
{
    if ((point->flags & MPL_POINT_GROUP) == 0) {
        w->pair[point->link] = PAIR_OPEN;
        return;
    }

    uint32_t *at = &w->group[point->link].waiter;

    while (*at != location) {
        at = &w->cursor[*at].next_waiter;
    }
    *at = w->cursor[location].next_waiter;
}

/* ---- circles ------------------------------------------------------------------------------------ */

/* Equal times: the first location, so that the answer does not depend on the replay. */
static bool is_earlier(const struct walk *w, uint32_t a, uint32_t b)
{
    const int64_t a_ticks = w->cursor[a].blocked_ticks;
    const int64_t b_ticks = w->cursor[b].blocked_ticks;

    return a_ticks != b_ticks ? a_ticks < b_ticks : a < b;
}

static void heap_put(struct walk *w, uint32_t place, uint32_t location)
{
    w->heap[place] = location;
    w->place[location] = place + 1;
}

static void heap_down(struct walk *w, uint32_t place)
{
    const uint32_t location = w->heap[place];

    for (uint32_t child = 2 * place + 1; child < w->n_heap; child = 2 * place + 1) {
        if (child + 1 < w->n_heap && is_earlier(w, w->heap[child + 1], w->heap[child])) {
            child++;
        }
        if (!is_earlier(w, w->heap[child], location)) {
            break;
        }
        heap_put(w, place, w->heap[child]);
        place = child;
    }
    heap_put(w, place, location);
}

static void heap_up(struct walk *w, uint32_t place)
{
    const uint32_t location = w->heap[place];

    while (place > 0 && is_earlier(w, location, w->heap[(place - 1) / 2])) {
        heap_put(w, place, w->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    heap_put(w, place, location);
}

static void heap_add(struct walk *w, uint32_t location)
{
    struct cursor *c = &w->cursor[location];

    c->blocked_ticks = w->by->blocked_ticks(w->by->context, location, c->point);
    heap_put(w, w->n_heap++, location);
    heap_up(w, w->n_heap - 1);
}

static void heap_remove(struct walk *w, uint32_t location)
{
    const uint32_t place = w->place[location] - 1;
    const uint32_t last = w->heap[--w->n_heap];

    w->place[location] = 0;
    if (last != location) {
        heap_put(w, place, last);
        heap_up(w, place);
        heap_down(w, w->place[last] - 1);
    }
}

static void ignore(struct walk *w, uint32_t location, const char *note, const char *text)
{
    struct mpl_net_point *point =
        &w->net->track[location].points[w->cursor[location].point];

    stop_waiting(w, point, location);
    point->flags |= MPL_POINT_IGNORED;
    w->n_ignored++;
    mpl_quality_add(w->net->model->quality, note, location, 1, "%s", text);
    make_ready(w, location);
}

/* False: everybody is through. */
static bool ignore_earliest(struct walk *w)
{
    for (uint32_t l = 0; l < w->net->n_tracks && !w->has_circles; l++) {
        if (w->cursor[l].is_blocked) {
            heap_add(w, l);
        }
    }
    w->has_circles = true;
    if (w->n_heap == 0) {
        return false;
    }

    const uint32_t location = w->heap[0];

    heap_remove(w, location);
    ignore(w, location, "clock-contradiction",
           "Messages or collectives that wait for each other in a circle, which no "
           "run can do: their records are damaged or matched wrongly. The clock "
           "repair leaves them as they are.");
    return true;
}

static uint32_t blocked_at(const void *context, uint32_t location)
{
    const struct walk *w = context;

    return w->cursor[location].point;
}

/* Likewise. Which circles are found does not depend on the order of the walk. */
static bool ignore_circles(struct walk *w)
{
    const uint32_t *locations;
    const struct mpl_net_stand stand = { w, blocked_at };

    if (w->circles == NULL) {
        w->circles = mpl_net_circles_create(w->net, w->scratch);
        w->is_short = w->circles == NULL;
    }
    const size_t n = w->is_short ? 0 : mpl_net_circles_find(w->circles, &stand, &locations);
    for (size_t i = 0; i < n; i++) {
        ignore(w, locations[i], "order-circle",
               "Messages or collectives that wait for each other in a circle, which no "
               "run can do: their records are damaged or matched wrongly. Who was first is "
               "not known where that rests on them.");
    }
    return n > 0;
}

/* ---- one location ------------------------------------------------------------------------------- */

/* Locations take turns after a few points each, so that no hardware sees what comes next. */
static inline void look_ahead(const struct walk *w, const struct mpl_net_track *track,
                              uint32_t location, uint32_t i)
{
    if (i + POINTS_AHEAD < track->n_points) {
        const struct mpl_net_point *point = &track->points[i + POINTS_AHEAD];

        mpl_prefetch(point + POINTS_AHEAD);
        if ((point->flags & MPL_POINT_GROUP) == 0) {
            mpl_prefetch_to_write(&w->pair[point->link]);
        }
        if (w->by->soon != NULL) {
            w->by->soon(w->by->context, location, i + POINTS_AHEAD);
        }
    }
}

/* Runs until the location is blocked or through, or has had its turn. */
static void run(struct walk *w, uint32_t location)
{
    const struct mpl_net_walker *by = w->by;
    const struct mpl_net_track *track = &w->net->track[location];
    struct cursor *c = &w->cursor[location];
    const uint32_t begin = c->point;
    uint32_t i = begin;
    bool has_sent = false;

    for (; i < track->n_points && !w->is_over; i++) {
        const struct mpl_net_point *point = &track->points[i];

        look_ahead(w, track, location, i);
        if ((point->flags & MPL_POINT_SOURCE) != 0) {
            by->source(by->context, location, i);
            come(w, point);
            has_sent = true;
        } else if (has_sent && by->is_in_rounds && is_complete(w, point)) {
            make_ready(w, location);
            break;
        } else if ((point->flags & MPL_POINT_IGNORED) == 0 && !is_complete(w, point)) {
            wait_for(w, point, location);
            break;
        } else {
            w->is_over = !by->sink(by->context, location, i);
        }
    }
    c->point = i;
    w->n_passed += i - begin;
    if (c->is_blocked && w->has_circles) {
        heap_add(w, location);
    }
}

/* ---- the walk ------------------------------------------------------------------------------------ */

static bool make_room(struct walk *w, struct mpl_arena *scratch)
{
    const uint32_t n = w->net->n_tracks;

    w->cursor = MPL_NEW_ARRAY(scratch, n, struct cursor);
    w->ready = MPL_NEW_ARRAY(scratch, n, uint32_t);
    w->later = MPL_NEW_ARRAY(scratch, n, uint32_t);
    w->heap = MPL_NEW_ARRAY(scratch, n, uint32_t);
    w->place = MPL_NEW_ARRAY(scratch, n, uint32_t);
    w->pair = MPL_NEW_ARRAY(scratch, w->net->n_pairs, uint32_t);
    w->group = MPL_NEW_ARRAY(scratch, w->net->n_groups, struct group_state);
    if (mpl_arena_is_short(scratch)) {
        return false;
    }
    for (uint32_t i = 0; i < w->net->n_groups; i++) {
        w->group[i] = (struct group_state){ w->net->group[i].n_sources, MPL_NONE };
    }
    return true;
}

/* Not at every stop: locations stop often, and the callback may be slow. */
static void tell(struct walk *w, bool is_due)
{
    if (is_due || w->n_passed - w->n_reported >= POINTS_PER_NEWS) {
        w->n_reported = w->n_passed;
        mpl_progress_tell(w->by->progress, w->by->doing, w->n_passed, w->net->n_points);
    }
}

static void walk_all(struct walk *w)
{
    do {
        while (w->n_ready + w->n_later > 0 && !w->is_over) {
            if (w->n_ready == 0) {
                start_round(w);
            }

            const uint32_t location = w->ready[--w->n_ready];

            if (w->has_circles && w->place[location] != 0) {
                heap_remove(w, location);
            }
            run(w, location);
            tell(w, false);
        }
    } while (!w->is_over && w->n_passed != w->net->n_points &&
             (w->by->blocked_ticks == NULL ? ignore_circles(w) : ignore_earliest(w)));
    if (!w->is_over) {
        tell(w, true);
    }
}

enum mpl_status mpl_net_walk(struct mpl_net *net, const struct mpl_net_walker *walker,
                             uint64_t *n_ignored, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct walk w = { .net = net, .by = walker, .scratch = scratch };

    if (scratch == NULL || !make_room(&w, scratch)) {
        mpl_arena_destroy(scratch);
        return mpl_nomem(err);
    }
    /* The first location runs first. */
    for (uint32_t l = net->n_tracks; l > 0; l--) {
        make_ready(&w, l - 1);
    }
    walk_all(&w);
    mpl_arena_destroy(scratch);
    if (w.is_short) {
        return mpl_nomem(err);
    }
    *n_ignored = w.n_ignored;
    return MPL_OK;
}
