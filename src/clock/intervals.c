#include "config.h"

#include "clock/windows_priv.h"

#include <math.h>

/*
 * From the least differences in windows to intervals. A fast message is rare, so what it says
 * must reach beyond its window: at a distance of t it still holds within rate times t, where
 * the rate is how fast the difference of two clocks may still change. The rate is found, not
 * assumed: the smallest with which messages do not contradict each other, in the two directions
 * of a link or in longer circles, except in few windows. If the time line is right but for a
 * constant, the rate is 0, and every window gets the tightest message of the whole run. A time
 * line whose curves follow the clocks has a small rate, hence narrow intervals, hence better
 * curves: that is why the whole is repeated (drift.c).
 *
 * Each window then has the difference constraints of estimate.c, and their shortest paths.
 */

enum {
    MPL_RATE_TRUST = 64,  /* One contradiction in so many does not raise the rate. */
    MPL_RATE_SAMPLE = 64, /* Windows in which longer circles are looked for. */
    MPL_RATE_STEPS = 7,   /* Of the search: to 1/4 of a power of two. */
};

/* Exponents of two between which rates are sought. */
static const double exponent_least = -40;
static const double exponent_most = -3;

/* ---- the rate ------------------------------------------------------------------------------------ */

enum { ABREAST = 4 };

/* What each window says where it is tighter than what its neighbours say at their distance. */
static void spread_row(const struct mpl_windows *w, const double *least, double rate,
                       double *out)
{
    double limit = INFINITY;

    for (uint32_t k = 0; k < w->n; k++) {
        limit += rate * w->gap[k];
        limit = least[k] < limit ? least[k] : limit;
        out[k] = limit;
    }
    for (uint32_t k = w->n; k-- > 0;) {
        limit = out[k] < limit ? out[k] : limit;
        out[k] = limit;
        limit += rate * w->gap[k];
    }
}

/* The same for some rows that follow each other: each step waits for the one before it, so rows
 * side by side cost little more than one. */
static void spread_abreast(const struct mpl_windows *w, const double *least, double rate,
                           double *out)
{
    const size_t n = w->n;
    double limit[ABREAST] = { INFINITY, INFINITY, INFINITY, INFINITY };

    for (size_t k = 0; k < n; k++) {
        const double step = rate * w->gap[k];

        for (size_t i = 0; i < ABREAST; i++) {
            limit[i] += step;
            limit[i] = least[i * n + k] < limit[i] ? least[i * n + k] : limit[i];
            out[i * n + k] = limit[i];
        }
    }
    for (size_t k = n; k-- > 0;) {
        const double step = rate * w->gap[k];

        for (size_t i = 0; i < ABREAST; i++) {
            limit[i] = out[i * n + k] < limit[i] ? out[i * n + k] : limit[i];
            out[i * n + k] = limit[i];
            limit[i] += step;
        }
    }
}

/* Into w->spread, for all links. */
static void spread_all(const struct mpl_windows *w, double rate)
{
    size_t i = 0;

    for (; i + ABREAST <= w->n_links; i += ABREAST) {
        spread_abreast(w, w->least + i * w->n, rate, w->spread + i * w->n);
    }
    for (; i < w->n_links; i++) {
        spread_row(w, w->least + i * w->n, rate, w->spread + i * w->n);
    }
}

/* In how many windows the two directions of a link contradict each other. */
static uint64_t count_contradictions(struct mpl_windows *w, double rate)
{
    uint64_t n = 0;

    spread_all(w, rate);
    for (size_t i = 0; i < w->n_links; i++) {
        const uint32_t back = mpl_links_get(w->links, i)->back;

        if (back == MPL_NONE || back < i) {
            continue;
        }

        const double *there = w->spread + i * w->n;
        const double *again = w->spread + (size_t) back * w->n;

        for (uint32_t k = 0; k < w->n; k++) {
            n += there[k] + again[k] < 0;
        }
    }
    return n;
}

/* ---- limits ------------------------------------------------------------------------------- */

static int64_t to_ticks(double ticks)
{
    const double far = (double) MPL_TICKS_FAR;

    return ticks > far ? MPL_TICKS_FAR : ticks < -far ? -MPL_TICKS_FAR : llround(ticks);
}

static void set_limits(struct mpl_windows *w, uint32_t k, int64_t slack)
{
    for (size_t i = 0; i < w->n_links; i++) {
        mpl_links_get(w->links, i)->limit_ticks =
            mpl_ticks_plus(to_ticks(w->spread[i * w->n + k]), slack);
    }
    mpl_graph_fill(w->links, MPL_GRAPH_UPPER, &w->upper);
}

/* By how much round trips are shorter than nothing, at most. */
static int64_t find_slack(const struct mpl_windows *w)
{
    int64_t worst = 0;

    for (size_t i = 0; i < w->n_links; i++) {
        const struct mpl_clock_link *link = mpl_links_get(w->links, i);
        const struct mpl_clock_link *back = mpl_links_back(w->links, link);

        if (back != NULL) {
            const int64_t trip = mpl_ticks_plus(link->limit_ticks, back->limit_ticks);

            worst = trip < worst ? trip : worst;
        }
    }
    return -(worst / 2) + (worst % 2 != 0);
}

/*
 * Where messages contradict each other all the same, all of them are given the same slack, as
 * little as makes a solution possible, but for a factor of two where longer circles are to
 * blame. The intervals become wider by it, as is right.
 */
static bool is_feasible(struct mpl_windows *w)
{
    return mpl_graph_has_solution(&w->upper, w->component, &w->up);
}

static void relax(struct mpl_windows *w, uint32_t k)
{
    set_limits(w, k, 0);
    int64_t slack = find_slack(w);
    if (slack > 0) {
        set_limits(w, k, slack);
    }
    while (!is_feasible(w)) {
        mpl_assert(slack < MPL_TICKS_FAR);
        slack = slack == 0 ? 1 : mpl_ticks_plus(slack, slack);
        set_limits(w, k, slack);
    }
}

/* ---- intervals ------------------------------------------------------------------------------ */

/* The same for longer circles: in how many of some windows there is no solution. */
static uint64_t count_insoluble(struct mpl_windows *w, double rate)
{
    const uint32_t step = w->n / MPL_RATE_SAMPLE + 1;
    uint64_t n = 0;

    spread_all(w, rate);
    for (uint32_t k = 0; k < w->n; k += step) {
        set_limits(w, k, 0);
        n += !is_feasible(w);
    }
    return n;
}

typedef uint64_t (*counter)(struct mpl_windows *w, double rate);

/* The least rate, from \p least on, with which at most \p few more than unavoidable are counted. */
static double search_rate(struct mpl_windows *w, counter count, uint64_t few, double least)
{
    const uint64_t n_at_least = count(w, least);
    double low = exponent_least;
    double high = exponent_most;
    uint64_t most = few;

    if (n_at_least > few) {
        most += count(w, exp2(exponent_most));
    }
    if (n_at_least <= most) {
        return least;
    }
    for (int i = 0; i < MPL_RATE_STEPS; i++) {
        const double middle = (low + high) / 2;

        if (count(w, exp2(middle)) <= most) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return fmax(exp2(high), least);
}

/* Links that lost all points as outliers reach far and limit nothing. */
static double to_limit(__int128 ticks)
{
    return ticks >= MPL_TICKS_FAR ? INFINITY : (double) ticks;
}

static void enclose_window(struct mpl_windows *w, uint32_t reference, uint32_t k,
                           struct mpl_tunnel *tunnel)
{
    const uint32_t n = w->upper.n;

    relax(w, k);
    mpl_graph_fill(w->links, MPL_GRAPH_LOWER, &w->lower);
    mpl_paths_clear(&w->up);
    mpl_paths_clear(&w->down);
    mpl_paths_start(&w->up, reference, 0);
    mpl_paths_start(&w->down, reference, 0);
    mpl_paths_spread(&w->upper, &w->up);
    mpl_paths_spread(&w->lower, &w->down);
    for (uint32_t p = 0; p < n; p++) {
        const size_t cell = (size_t) p * w->n + k;

        tunnel->high[cell] = to_limit(w->up.ticks[p]);
        tunnel->low[cell] = -to_limit(w->down.ticks[p]);
    }
}

void mpl_windows_enclose(struct mpl_windows *w, uint32_t reference, double rate_least,
                         struct mpl_tunnel *tunnel)
{
    const uint64_t few = w->n_links * w->n / 2 / MPL_RATE_TRUST;

    w->rate = search_rate(w, count_contradictions, few, 0);
    w->rate = search_rate(w, count_insoluble, MPL_RATE_SAMPLE / MPL_RATE_TRUST, w->rate);
    w->rate = fmax(w->rate, rate_least);
    spread_all(w, w->rate);
    for (uint32_t k = 0; k < w->n; k++) {
        enclose_window(w, reference, k, tunnel);
    }
}
