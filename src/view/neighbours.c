/*
 * How far apart are those in steps who exchange messages: section 5.1 sees that "most threads are one
 * step ahead of the thread below (neighbors can only be one step apart)". A process is in step k when it
 * has passed k of the calls that bound steps; two are k apart as long as one has passed k more.
 */
#include "config.h"

#include "view/view_priv.h"

static const struct mpl_column columns[] = {
    { "location", NULL, "one of two that exchange messages" },
    { "neighbour", NULL, "the other one" },
    { "messages", "1", "between them, in the whole run" },
    { "ahead", "1", "steps by which the first one is ahead at most" },
    { "behind", "1", "steps by which it is behind at most" },
    { "mean", "1", "steps by which it is ahead, mean over the time; below 0 behind" },
    { "time_ahead", "1", "share of the time in which it is ahead" },
    { "time_behind", "1", "share of the time in which it is behind" },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

struct distance {
    int64_t ahead; /* at most; behind likewise */
    int64_t behind;
    double sum; /* steps times ticks */
    int64_t ahead_ticks;
    int64_t behind_ticks;
    int64_t all_ticks;
};

/* From now to the next mark of one of the two they are x - y steps apart. */
static void add_stretch(const struct mpl_selection *s, int64_t from, int64_t to,
                        int64_t apart, struct distance *d)
{
    from = from > s->begin_ticks ? from : s->begin_ticks;
    to = to < s->end_ticks ? to : s->end_ticks;
    if (to <= from) {
        return;
    }
    d->ahead = apart > d->ahead ? apart : d->ahead;
    d->behind = -apart > d->behind ? -apart : d->behind;
    d->sum += (double) apart * (double) (to - from);
    d->all_ticks += to - from;
    d->ahead_ticks += apart > 0 ? to - from : 0;
    d->behind_ticks += apart < 0 ? to - from : 0;
}

static struct distance measure(const struct mpl_selection *s, uint32_t x, uint32_t y)
{
    const uint32_t n = s->steps->n + 1; /* marks */
    struct distance d = { .sum = 0 };
    uint32_t i = 0;
    uint32_t k = 0;
    int64_t at = INT64_MIN;

    while (i < n || k < n) {
        const int64_t next_x = i < n ? mpl_step_end(s->run, s->steps, x, i) : INT64_MAX;
        const int64_t next_y = k < n ? mpl_step_end(s->run, s->steps, y, k) : INT64_MAX;
        const int64_t next = next_x < next_y ? next_x : next_y;

        if (i + k > 0) {
            add_stretch(s, at, next, (int64_t) i - (int64_t) k, &d);
        }
        i += next_x == next;
        k += next_y == next;
        at = next;
    }
    return d;
}

static enum mpl_status emit(const struct mpl_selection *s, uint32_t x, uint32_t y,
                            uint64_t n_messages, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    const struct distance d = measure(s, x, y);
    const double all = (double) d.all_ticks;
    const struct mpl_cell cells[N_COLUMNS] = {
        mpl_cell_location(s, s->steps->loads[x].location),
        mpl_cell_location(s, s->steps->loads[y].location),
        mpl_cell_whole(n_messages),
        mpl_cell_whole((uint64_t) d.ahead),
        mpl_cell_whole((uint64_t) d.behind),
        mpl_cell_number(d.sum / all),
        mpl_cell_number((double) d.ahead_ticks / all),
        mpl_cell_number((double) d.behind_ticks / all),
    };

    return d.all_ticks == 0 ? MPL_OK : mpl_view_put(rows, cells, err);
}

/* Messages of the edge the other way round. Edges are sorted. */
static uint64_t messages_back(const struct mpl_edge *edges, uint32_t n,
                              const struct mpl_edge *edge)
{
    uint32_t low = 0;
    uint32_t high = n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct mpl_edge *e = &edges[middle];

        if (e->from < edge->to || (e->from == edge->to && e->to < edge->from)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < n && edges[low].from == edge->to && edges[low].to == edge->from
               ? edges[low].messages
               : 0;
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    uint32_t n = 0;
    const struct mpl_edge *edges = mpl_events_edges(s->run->events, &n);
    enum mpl_status st = mpl_selection_steps(s, rows->arena, err);

    if (st != MPL_OK || s->steps->n == 0) {
        return st;
    }
    for (uint32_t i = 0; i < n && st == MPL_OK; i++) {
        const uint64_t back = messages_back(edges, n, &edges[i]);
        const uint32_t x = edges[i].from < edges[i].to ? edges[i].from : edges[i].to;
        const uint32_t y = edges[i].from < edges[i].to ? edges[i].to : edges[i].from;

        /* A pair with messages both ways has two edges, and one row. */
        if (x != y && (edges[i].from == x || back == 0) &&
            s->has_location[s->steps->loads[x].location] &&
            s->has_location[s->steps->loads[y].location]) {
            st = emit(s, x, y, edges[i].messages + back, rows, err);
        }
    }
    return st;
}

const struct mpl_view mpl_view_neighbours = {
    .name = "neighbours",
    .says = "how far apart in steps those are who exchange messages",
    .mark = MPL_MARK_BARS,
    .axes = { .of = { 0, 1 }, .n_of = 2, .y = { 3, 4 }, .n_y = 2 },
    MPL_COLUMNS(columns),
    .by = 3,
    .make = make,
};
