/*
 * Who waits for whom at a given time (section 4.5, "which threads are waiting for which other threads at
 * a given time"): the moment at which the selection begins, or without one the longest
 * stretch in which most locations wait. Who is waited for may wait itself; at the end of that chain somebody is busy.
 */
#include "config.h"

#include "view/view_priv.h"

#include <math.h>

static const struct mpl_column columns[] = {
    { "location", NULL, "who" },
    { "does", NULL, "compute, p2p, collective, other, startup, shutdown; or waits" },
    { "region", NULL, "in which call or function" },
    { "waits_for", NULL, "for whom" },
    { "behind_it", NULL, "who is busy while they all wait: the end of the chain" },
    { "hops", "1", "from one to the next, until there" },
    { "since", "s", "when that began" },
    { "until", "s", "how long it will do so" },
    { "at", "s", "the moment" },
    { "record", NULL, "where its call begins" },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

/* A wait begins or ends. */
struct change {
    int64_t ticks;
    int add;
};

static int by_time(const void *x, const void *y)
{
    const struct change *a = x;
    const struct change *b = y;

    if (a->ticks != b->ticks) {
        return a->ticks < b->ticks ? -1 : 1;
    }
    return (a->add > b->add) - (a->add < b->add); /* Ends first. */
}

/* Where most of them wait, and of such stretches the longest. */
static int64_t busiest(const struct mpl_buf *changes, int64_t begin)
{
    int n = 0;
    int most = 0;
    int64_t longest = 0;
    int64_t at = begin;

    for (size_t i = 0; i + 1 < changes->n; i++) {
        const struct change *change = mpl_buf_get(changes, i);
        const int64_t ticks = change[1].ticks - change->ticks;

        n += change->add;
        if (ticks > 0 && (n > most || (n == most && ticks > longest))) {
            most = n;
            longest = ticks;
            at = change->ticks;
        }
    }
    return at;
}

static bool find_moment(const struct mpl_selection *s, int64_t *out)
{
    struct mpl_buf changes = mpl_buf_make(sizeof(struct change));
    bool is_enough = true;

    for (uint32_t l = 0; l < s->run->model->n_locations; l++) {
        for (struct mpl_piece p = mpl_pieces_of(s, l);
             is_enough && mpl_piece_next(s, &p);) {
            const struct change begin = { p.begin_ticks, 1 };
            const struct change end = { p.begin_ticks + p.wait_ticks, -1 };

            is_enough = p.wait_ticks <= 0 ||
                        (mpl_buf_put(&changes, &begin) && mpl_buf_put(&changes, &end));
        }
    }
    mpl_sort(changes.data, changes.n, sizeof(struct change), by_time);
    *out = busiest(&changes, s->begin_ticks);
    mpl_buf_free(&changes);
    return is_enough;
}

struct state {
    bool is_there;
    uint32_t number; /* of the span */
    struct mpl_span span;
    bool waits;
};

static void find_state(const struct mpl_selection *s, uint32_t location, int64_t at,
                       struct state *out)
{
    const struct mpl_events *events = s->run->events;
    const uint32_t number = mpl_span_at(events, location, at);

    *out = (struct state){ .number = number };
    if (number < mpl_events_span_count(events, location) &&
        mpl_events_enter_ticks(events, location, number) <= at) {
        out->is_there = true;
        out->span = mpl_events_span(events, location, number);
        out->waits = at < out->span.enter_ticks + out->span.wait_ticks;
    }
}

/* Where the chain of those who wait ends; MPL_NONE: it does not, they wait in a circle. */
static uint32_t end_of_chain(const struct state *states, uint32_t location, uint32_t n,
                             uint32_t *hops)
{
    for (*hops = 0; *hops <= n; (*hops)++) {
        if (!states[location].waits || states[location].span.culprit == MPL_NONE) {
            return location;
        }
        location = states[location].span.culprit;
    }
    return MPL_NONE;
}

static enum mpl_status emit(const struct mpl_selection *s, const struct state *states,
                            uint32_t location, int64_t at, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    const struct state *x = &states[location];
    struct mpl_cell cells[N_COLUMNS] = {
        [0] = mpl_cell_location(s, location), [8] = mpl_cell_seconds(s, at)
    };
    uint32_t hops;
    const uint32_t last = end_of_chain(states, location, s->run->model->n_locations, &hops);

    if (x->is_there) {
        const int64_t end =
            x->waits ? x->span.enter_ticks + x->span.wait_ticks : x->span.leave_ticks;
        const int64_t begin =
            x->waits ? x->span.enter_ticks : x->span.enter_ticks + x->span.wait_ticks;

        cells[1] = mpl_cell_text(x->waits ? "waits" : mpl_span_class_name(x->span.class));
        cells[2] = mpl_cell_region(s, x->span.region);
        cells[3] = mpl_cell_location(s, x->waits ? x->span.culprit : MPL_NONE);
        cells[4] = mpl_cell_location(s, x->waits ? last : MPL_NONE);
        cells[5] = x->waits && last != MPL_NONE ? mpl_cell_whole(hops) : mpl_cell_none();
        cells[6] = mpl_cell_seconds(s, begin);
        cells[7] = mpl_cell_seconds(s, end);
    }
    /* What lies between two calls, as span 0 does, has no record. */
    return mpl_view_put_call(rows, location, x->is_there ? x->number : 0, cells, err);
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    const uint32_t n = s->run->model->n_locations;
    struct state *states = MPL_NEW_ARRAY(rows->arena, n, struct state);
    int64_t at = s->begin_ticks;
    enum mpl_status st = MPL_OK;

    if (states == NULL || (isnan(s->asked.from_s) && !find_moment(s, &at))) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < n; l++) {
        find_state(s, l, at, &states[l]);
    }
    for (uint32_t l = 0; l < n && st == MPL_OK; l++) {
        if (s->has_location[l]) {
            st = emit(s, states, l, at, rows, err);
        }
    }
    return st;
}

const struct mpl_view mpl_view_waiting = {
    .name = "waiting",
    .says = "who waits for whom at one moment (--from), else when most wait",
    .mark = MPL_MARK_STRETCHES,
    .axes = { .of = { 0 }, .n_of = 1, .x = 6, .x_end = 7, .class = 1 },
    MPL_COLUMNS(columns),
    .make = make,
};
