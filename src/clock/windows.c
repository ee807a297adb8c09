#include "config.h"

#include "clock/windows_priv.h"

#include <math.h>
#include <stdlib.h>

/*
 * What points say about the clocks in the course of the run. The run is cut into windows with
 * about one point per link each, so that windows are short where messages are dense. On the
 * time line at hand, the least (end - begin) of a link in a window limits by how much the
 * difference of two clocks may still be wrong there; what follows from all of them is in
 * intervals.c.
 */

enum {
    MPL_WINDOWS_MOST = 4096,     /* Bends that no thermometer and no daemon causes. */
    MPL_WINDOWS_CELLS = 1 << 16, /* Links times windows that are always allowed. */
    MPL_WINDOWS_SAMPLE = 16,     /* Times looked at per window when knots are placed. */
};

/* ---- knots --------------------------------------------------------------------------------- */

static const struct mpl_point *get_point(const struct mpl_windows *w, size_t i)
{
    return mpl_buf_get(&w->links->point, i);
}

/* Ends of some points, ascending: every k-th, so that sorting stays cheap. */
static enum mpl_status sample_ends(const struct mpl_windows *w, uint32_t most,
                                   int64_t **out, size_t *n, struct mpl_err *err)
{
    const size_t n_points = w->links->point.n;
    const size_t step = n_points / most + 1;

    *n = (n_points + step - 1) / step;
    *out = MPL_NEW_ARRAY(w->scratch, *n, int64_t);
    if (*out == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < *n; i++) {
        (*out)[i] = get_point(w, i * step)->end_ticks;
    }
    qsort(*out, *n, sizeof **out, mpl_compare_i64);
    return MPL_OK;
}

/* One point per window and link; in small traces, where nothing costs much, one in all. */
static uint32_t count_windows(size_t n_points, size_t n_links)
{
    const size_t small = n_links == 0 ? 1 : MPL_WINDOWS_CELLS / n_links;
    const size_t most = n_points < small ? n_points : small;
    const size_t n = n_links == 0 || n_points / n_links < most ? most : n_points / n_links;

    return n == 0 ? 1 : n > MPL_WINDOWS_MOST ? MPL_WINDOWS_MOST : (uint32_t) n;
}

/* Knots at equal shares of the points, and at the pins. */
static enum mpl_status place_knots(struct mpl_windows *w, const int64_t *pins,
                                   uint32_t n_pins, struct mpl_err *err)
{
    const size_t n_points = w->links->point.n;
    const uint32_t n = count_windows(n_points, w->n_links);
    int64_t *ends = NULL;
    size_t n_ends = 0;
    enum mpl_status st = sample_ends(w, n * MPL_WINDOWS_SAMPLE, &ends, &n_ends, err);

    if (st != MPL_OK) {
        return st;
    }
    w->at_ticks = MPL_NEW_ARRAY(w->scratch, (size_t) n + n_pins, int64_t);
    if (w->at_ticks == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t k = 0; k < n; k++) {
        w->at_ticks[k] = ends[(size_t) ((k + 0.5) / n * (double) n_ends)];
    }
    for (uint32_t k = 0; k < n_pins; k++) {
        w->at_ticks[n + k] = pins[k];
    }
    qsort(w->at_ticks, (size_t) n + n_pins, sizeof *w->at_ticks, mpl_compare_i64);
    w->n = 0;
    for (uint32_t k = 0; k < n + n_pins; k++) {
        if (w->n == 0 || w->at_ticks[k] > w->at_ticks[w->n - 1]) {
            w->at_ticks[w->n++] = w->at_ticks[k];
        }
    }
    return MPL_OK;
}

/* How many knots are not later. */
static uint32_t find_knot(const int64_t *at_ticks, uint32_t n, int64_t ticks)
{
    uint32_t low = 0;
    uint32_t high = n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (at_ticks[middle] <= ticks) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static double get_between(const struct mpl_course *c, uint32_t process, uint32_t at,
                          int64_t ticks)
{
    const double *add = c->add_ticks + (size_t) process * c->n;

    if (at == 0 || at == c->n) {
        const uint32_t k = at == 0 ? 0 : at - 1;

        return add[k] + c->slope[process] * (double) mpl_ticks_minus(ticks, c->at_ticks[k]);
    }

    const int64_t from = c->at_ticks[at - 1];
    const double share = (double) mpl_ticks_minus(ticks, from) /
                         (double) mpl_ticks_minus(c->at_ticks[at], from);

    return add[at - 1] + (add[at] - add[at - 1]) * share;
}

double mpl_course_get(const struct mpl_course *course, uint32_t process, int64_t ticks)
{
    return get_between(course, process, find_knot(course->at_ticks, course->n, ticks),
                       ticks);
}

uint32_t mpl_windows_find(const struct mpl_windows *w, uint32_t at, int64_t ticks)
{
    if (at == 0 || at == w->n) {
        return at == 0 ? 0 : at - 1;
    }
    return mpl_ticks_minus(ticks, w->at_ticks[at - 1]) <
                   mpl_ticks_minus(w->at_ticks[at], ticks)
               ? at - 1
               : at;
}

/* ---- creation ------------------------------------------------------------------------------ */

static enum mpl_status make_tables(struct mpl_windows *w, struct mpl_err *err)
{
    const size_t n_cells = w->n_links * w->n;
    const uint32_t n_processes = w->links->n_processes;

    w->least = MPL_NEW_ARRAY(w->scratch, n_cells, double);
    w->spread = MPL_NEW_ARRAY(w->scratch, n_cells, double);
    w->shortest = MPL_NEW_ARRAY(w->scratch, w->n_links, double);
    w->gap = MPL_NEW_ARRAY(w->scratch, w->n, double);
    if (w->least == NULL || w->spread == NULL || w->shortest == NULL || w->gap == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t k = 1; k < w->n; k++) {
        w->gap[k] = (double) mpl_ticks_minus(w->at_ticks[k], w->at_ticks[k - 1]);
    }
    enum mpl_status st =
        mpl_graph_create(w->links, MPL_GRAPH_UPPER, w->scratch, &w->upper, err);
    if (st == MPL_OK) {
        st = mpl_graph_create(w->links, MPL_GRAPH_LOWER, w->scratch, &w->lower, err);
    }
    st = st == MPL_OK ? mpl_components_find(&w->upper, w->scratch, &w->component, err) : st;
    st = st == MPL_OK ? mpl_paths_create(n_processes, w->scratch, &w->up, err) : st;
    return st == MPL_OK ? mpl_paths_create(n_processes, w->scratch, &w->down, err) : st;
}

enum mpl_status mpl_windows_create(struct mpl_links *links, const int64_t *pins,
                                   uint32_t n_pins, struct mpl_arena *arena,
                                   struct mpl_windows **out, struct mpl_err *err)
{
    struct mpl_windows *w = MPL_NEW(arena, struct mpl_windows);

    if (w == NULL) {
        return mpl_nomem(err);
    }
    w->links = links;
    w->scratch = arena;
    w->n_links = links->link.n;
    const enum mpl_status st = place_knots(w, pins, n_pins, err);
    if (st != MPL_OK) {
        return st;
    }
    for (size_t i = 0; i < links->point.n; i++) {
        struct mpl_point *point = mpl_buf_get(&links->point, i);

        point->begin_at = find_knot(w->at_ticks, w->n, point->begin_ticks);
        point->end_at = find_knot(w->at_ticks, w->n, point->end_ticks);
    }
    *out = w;
    return make_tables(w, err);
}

uint32_t mpl_windows_count(const struct mpl_windows *w, const int64_t **at_ticks)
{
    *at_ticks = w->at_ticks;
    return w->n;
}

double mpl_windows_rate(const struct mpl_windows *w)
{
    return w->rate;
}

/* ---- measuring --------------------------------------------------------------------------------- */

double mpl_windows_delay(const struct mpl_windows *w, const struct mpl_course *course,
                         const struct mpl_point *point)
{
    const struct mpl_clock_link *link = mpl_links_get(w->links, point->link);

    return (double) mpl_ticks_minus(point->end_ticks, point->begin_ticks) +
           get_between(course, link->to, point->end_at, point->end_ticks) -
           get_between(course, link->from, point->begin_at, point->begin_ticks);
}

static double add_trips(const struct mpl_windows *w)
{
    double trips = 0;

    for (size_t i = 0; i < w->n_links; i++) {
        const uint32_t back = mpl_links_get(w->links, i)->back;

        if (back != MPL_NONE && back > i && isfinite(w->shortest[i] + w->shortest[back])) {
            trips += w->shortest[i] + w->shortest[back];
        }
    }
    return trips;
}

struct mpl_reversals mpl_windows_measure(struct mpl_windows *w,
                                         const struct mpl_course *course)
{
    struct mpl_reversals reversals = { 0 };

    for (size_t i = 0; i < w->n_links * w->n; i++) {
        w->least[i] = INFINITY;
    }
    for (size_t i = 0; i < w->n_links; i++) {
        w->shortest[i] = INFINITY;
    }
    for (size_t i = 0; i < w->links->point.n; i++) {
        const struct mpl_point *point = get_point(w, i);

        if (point->link == MPL_NONE) {
            continue;
        }

        const double delay = mpl_windows_delay(w, course, point);
        double *least = &w->least[point->link * (size_t) w->n +
                                  mpl_windows_find(w, point->end_at, point->end_ticks)];
        double *shortest = &w->shortest[point->link];

        *least = delay < *least ? delay : *least;
        *shortest = delay < *shortest ? delay : *shortest;
        if (delay < 0) {
            reversals.n++;
            reversals.sum_ticks -= delay;
        }
    }
    reversals.trips_ticks = add_trips(w);
    return reversals;
}
