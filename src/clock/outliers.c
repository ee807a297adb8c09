#include "config.h"

#include "clock/windows_priv.h"

#include <math.h>
#include <stdlib.h>

/*
 * A record with a wrong time, or two that were matched but do not belong together, can seem to
 * prove what is impossible, and one is enough to bend the curve of a clock. What gives it away
 * is that it is alone: it contradicts nearly all tight comparisons of the other direction around it,
 * while each of these contradicts nothing but the one. Where clocks drift, comparisons
 * contradict each other, too, but no more than their distance times the drift explains, and
 * close to curves that follow the drift only by a part of a round trip. How much both are
 * is taken from most of the others.
 */

enum {
    MPL_OUTLIER_BLOCK = 8,  /* Windows of which the tightest is taken for all. */
    MPL_OUTLIER_REACH = 4,  /* Blocks looked at on either side. */
    MPL_OUTLIER_FEWEST = 6, /* With fewer, nobody can say who is wrong. */
    MPL_OUTLIER_SAMPLE = 1 << 14,
    MPL_OUTLIER_TIMES = 4, /* What goes so much beyond what nearly all need is no drift. */
    MPL_OUTLIER_ROUNDS = 4,
};

/* Windows of a link that hold a point. */
struct filled {
    uint32_t *window;
    uint32_t n;
};

struct search {
    struct mpl_windows *windows;
    struct filled there; /* Of the link at hand. */
    struct filled back;  /* Of the one the other way. */
    double *rate;        /* Sample of rates that pairs of neighbours need. */
    double *trip;        /* The size of their round trips. */
    uint64_t n_rates;
    uint64_t n_seen;
    uint64_t step;
    double most;      /* Rate that is drift; INFINITY while sampling. */
    double usual;     /* Size of a round trip. */
    double *is_wrong; /* Per link and window: delays up to this are wrong; -INFINITY. */
    uint64_t n_wrong;
};

static void fill(const struct mpl_windows *w, size_t link, struct filled *out)
{
    out->n = 0;
    for (uint32_t k = 0; k < w->n; k++) {
        if (isfinite(w->least[link * w->n + k])) {
            out->window[out->n++] = k;
        }
    }
}

/* Most messages are late; of each block only the tightest window is left. */
static void keep_tightest(const struct mpl_windows *w, size_t link, struct filled *filled)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < filled->n; i += MPL_OUTLIER_BLOCK) {
        uint32_t best = filled->window[i];

        for (uint32_t b = i; b < filled->n && b < i + MPL_OUTLIER_BLOCK; b++) {
            const uint32_t k = filled->window[b];

            best = w->least[link * w->n + k] < w->least[link * w->n + best] ? k : best;
        }
        filled->window[n++] = best;
    }
    filled->n = n;
}

/* How far two points of these windows can be apart. */
static double distance(const struct mpl_windows *w, uint32_t k, uint32_t v)
{
    const double between = fabs((double) mpl_ticks_minus(w->at_ticks[k], w->at_ticks[v]));
    const double own = w->gap[k] + w->gap[v] + (k + 1 < w->n ? w->gap[k + 1] : 0) +
                       (v + 1 < w->n ? w->gap[v + 1] : 0);

    return between + own / 2 + 1;
}

/* Every n-th is kept, and when the sample is full, every other one of these. */
static void sample(struct search *s, double rate, double trip)
{
    if (s->n_seen++ % s->step != 0) {
        return;
    }
    if (s->n_rates == MPL_OUTLIER_SAMPLE) {
        for (uint32_t i = 0; i < MPL_OUTLIER_SAMPLE / 2; i++) {
            s->rate[i] = s->rate[2 * i];
            s->trip[i] = s->trip[2 * i];
        }
        s->n_rates /= 2;
        s->step *= 2;
    }
    s->trip[s->n_rates] = fabs(trip);
    s->rate[s->n_rates++] = rate;
}

/* Compares one window of a link with the tightest ones of the other direction around it. */
static void compare_window(struct search *s, size_t link, size_t back, uint32_t k,
                           uint32_t first)
{
    const struct mpl_windows *w = s->windows;
    const double least = w->least[link * w->n + k];
    uint32_t n = 0;
    uint32_t n_against = 0;

    for (uint32_t i = first; i < s->back.n && i < first + 2 * MPL_OUTLIER_REACH; i++) {
        const uint32_t v = s->back.window[i];
        const double trip = least + w->least[back * w->n + v];
        const double rate = trip < 0 ? -trip / distance(w, k, v) : 0;

        n++;
        n_against += rate > s->most && -trip > s->usual;
        if (isinf(s->most)) {
            sample(s, rate, trip);
        }
    }
    if (n >= MPL_OUTLIER_FEWEST && n_against * 4 >= n * 3) {
        s->is_wrong[link * w->n + k] = least;
        s->n_wrong++;
    }
}

static void compare_link(struct search *s, size_t link, size_t back)
{
    uint32_t at = 0;

    fill(s->windows, link, &s->there);
    fill(s->windows, back, &s->back);
    keep_tightest(s->windows, back, &s->back);
    for (uint32_t i = 0; i < s->there.n; i++) {
        const uint32_t k = s->there.window[i];

        while (at < s->back.n && s->back.window[at] < k) {
            at++;
        }
        compare_window(s, link, back, k,
                       at > MPL_OUTLIER_REACH ? at - MPL_OUTLIER_REACH : 0);
    }
}

static void compare_all(struct search *s)
{
    for (size_t i = 0; i < s->windows->n_links; i++) {
        const struct mpl_clock_link *link = mpl_links_get(s->windows->links, i);

        if (link->back != MPL_NONE) {
            compare_link(s, i, link->back);
        }
    }
}

/* What nine of ten neighbours need at most, with room above, and how long round trips are. */
static void find_usual(struct search *s)
{
    s->most = INFINITY;
    s->n_rates = 0;
    s->n_seen = 0;
    s->step = 1;
    compare_all(s);
    if (s->n_rates == 0) {
        return;
    }
    qsort(s->rate, s->n_rates, sizeof *s->rate, mpl_compare_doubles);
    qsort(s->trip, s->n_rates, sizeof *s->trip, mpl_compare_doubles);
    s->most = MPL_OUTLIER_TIMES * s->rate[(s->n_rates - 1) * 9 / 10];
    s->usual = s->trip[s->n_rates / 10];
}

/* Drops the points that compare_window() found wrong. */
static uint64_t drop_points(struct search *s, const struct mpl_course *course)
{
    const struct mpl_windows *w = s->windows;
    uint64_t n = 0;

    for (size_t i = 0; i < w->links->point.n; i++) {
        struct mpl_point *point = mpl_buf_get(&w->links->point, i);

        if (point->link != MPL_NONE &&
            mpl_windows_delay(w, course, point) <=
                s->is_wrong[point->link * (size_t) w->n +
                            mpl_windows_find(w, point->end_at, point->end_ticks)]) {
            point->link = MPL_NONE;
            n++;
        }
    }
    return n;
}

enum mpl_status mpl_windows_drop_outliers(struct mpl_windows *w,
                                          const struct mpl_course *course,
                                          uint64_t *n_dropped, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct search s = { .windows = w };
    const size_t n_cells = w->n_links * w->n;

    s.there.window = MPL_NEW_ARRAY(scratch, w->n, uint32_t);
    s.back.window = MPL_NEW_ARRAY(scratch, w->n, uint32_t);
    s.rate = MPL_NEW_ARRAY(scratch, MPL_OUTLIER_SAMPLE, double);
    s.trip = MPL_NEW_ARRAY(scratch, MPL_OUTLIER_SAMPLE, double);
    s.is_wrong = MPL_NEW_ARRAY(scratch, n_cells, double);
    if (mpl_arena_is_short(scratch)) {
        mpl_arena_destroy(scratch);
        return mpl_nomem(err);
    }
    find_usual(&s);
    for (int i = 0; i < MPL_OUTLIER_ROUNDS; i++) {
        for (size_t c = 0; c < n_cells; c++) {
            s.is_wrong[c] = -INFINITY;
        }
        s.n_wrong = 0;
        compare_all(&s);
        if (s.n_wrong == 0) {
            break;
        }
        *n_dropped += drop_points(&s, course);
        (void) mpl_windows_measure(w, course);
    }
    mpl_arena_destroy(scratch);
    return MPL_OK;
}
