#include "config.h"

#include "clock/clock_priv.h"

#include <math.h>
#include <string.h>

/*
 * Clocks that no constants fit. In each round the points are laid on the time line that the
 * curves so far make, the windows enclose what is still missing (windows.c), and each process
 * gets the smoothest curve through its intervals (curve.c). The better the curves, the less
 * drift is left inside and between windows, the narrower the intervals: a few rounds are
 * enough. The best time line is kept, the one on which points are reversed least.
 *
 * How wrong the curves can be is not what the last round says. Curves bend until no message
 * contradicts them, so the rate that remains tends to nothing, and with it the intervals. The
 * rate that is used is the largest that the data cannot exclude, see find_largest_rate().
 */

enum {
    MPL_DRIFT_ROUNDS = 4,
    MPL_DRIFT_PATIENCE = 2, /* Rounds without success before giving up. */
    MPL_DRIFT_PRIOR = 4,    /* Corrections are expected to be so often what is forced. */
    MPL_DRIFT_RARE = 1000,  /* One point in so many may be reversed for longer trips. */
    MPL_DRIFT_RATES = 4,    /* Steps to the rate that confirms itself. */
};

/* Success is to leave at most this share of the reversals, by their sum. */
static const double enough_gain = 0.8;

/*
 * Where there are no messages, a clock goes on along the straight line that fits best, if that
 * is one a clock can follow: time daemons correct up to 500 ppm and no more. What is steeper
 * is a swing, of which messages show only a part. Recorded offsets go on as recorded.
 */
static const double sound_slope = 500e-6;

/* Rates and sways are estimates themselves, some too small: simulated runs whose error was beyond
 * limits without this factor, one in thirty, were so by less than a tenth. */
static const double unsure_share = 1.25;

struct drift {
    struct mpl_links *links;
    struct mpl_windows *windows;
    struct mpl_curve *curve;
    struct mpl_drift *result;
    struct mpl_course now;
    struct mpl_tunnel tunnel;
    struct mpl_tunnel row; /* Of one process, as values of its curve. */
    uint32_t reference;
    double *prior;     /* Per process: how far its curve may be from recorded offsets. */
    double tilt;       /* A drift that is known to be there; 0: reversals tell. */
    double first_rate; /* Of the first round: that of the drift itself. */
    double span_ticks; /* From the first to the last window. */
    double unsure;     /* How unsure the slope of a line is that fits the whole run. */
};

/* ---- rounds ---------------------------------------------------------------------------- */

static bool is_enclosed(const struct drift *d, uint32_t process, uint32_t k)
{
    const size_t cell = (size_t) process * d->now.n + k;

    return isfinite(d->tunnel.low[cell]) && isfinite(d->tunnel.high[cell]);
}

/*
 * Recorded offsets are good where they were taken, and in between as good as drift is even. So
 * what is to be added is expected to be as large as messages force it to be, and not larger:
 * where zero is inside of nearly all intervals, their middles are no reason to leave it.
 */

/* At the recorded moments nothing is to be added, to within the width that is usual there. */
static void apply_pins(struct drift *d, const int64_t *pins, uint32_t n_pins)
{
    double width = 0;
    uint32_t n_known = 0;

    for (uint32_t k = 0; k < d->now.n; k++) {
        if (isfinite(d->row.high[k] - d->row.low[k])) {
            width += d->row.high[k] - d->row.low[k];
            n_known++;
        }
    }
    width = n_known > 0 ? width / n_known / 2 + 1 : 1;
    for (uint32_t i = 0; i < n_pins; i++) {
        for (uint32_t k = 0; k < d->now.n; k++) {
            if (d->now.at_ticks[k] == pins[i] && d->row.low[k] < width &&
                d->row.high[k] > -width) {
                d->row.low[k] = fmax(d->row.low[k], -width);
                d->row.high[k] = fmin(d->row.high[k], width);
            }
        }
    }
}

/* A few times how far zero is outside of the intervals of a process, at most. */
static double find_prior(const struct drift *d)
{
    double most = 0;

    for (uint32_t k = 0; k < d->now.n; k++) {
        const double outside = fmax(d->row.low[k], -d->row.high[k]);

        most = isfinite(outside) ? fmax(most, outside) : most;
    }
    return MPL_DRIFT_PRIOR * most;
}

/* Bends the curves of all processes to the intervals as they are now. */
static void bend(struct drift *d, const int64_t *pins, uint32_t n_pins)
{
    for (uint32_t p = 0; p < d->now.n_processes; p++) {
        double *add = d->now.add_ticks + (size_t) p * d->now.n;
        const size_t first = (size_t) p * d->now.n;

        if (p == d->reference || !is_enclosed(d, p, 0)) {
            continue;
        }
        for (uint32_t k = 0; k < d->now.n; k++) {
            d->row.low[k] = add[k] + d->tunnel.low[first + k];
            d->row.high[k] = add[k] + d->tunnel.high[first + k];
        }
        apply_pins(d, pins, n_pins);
        d->prior[p] = n_pins > 0 ? fmax(find_prior(d), d->prior[p]) : INFINITY;

        const double slope = mpl_curve_fit(d->curve, &d->row, d->prior[p], add);

        d->now.slope[p] = n_pins > 0 ? 0 : fmax(-sound_slope, fmin(sound_slope, slope));
    }
}

static void keep(struct drift *d, struct mpl_reversals reversals)
{
    const size_t n_cells = (size_t) d->now.n_processes * d->now.n;

    d->result->after = reversals;
    memcpy(d->result->course.add_ticks, d->now.add_ticks, n_cells * sizeof(double));
    memcpy(d->result->course.slope, d->now.slope, d->now.n_processes * sizeof(double));
}

/* Fewer reversals; where a drift is known that reverses nothing, longer round trips. */
static bool is_better(const struct drift *d, struct mpl_reversals now,
                      struct mpl_reversals best, double gain)
{
    return d->tilt > 0 ? now.n * MPL_DRIFT_RARE <= d->links->point.n &&
                             now.trips_ticks * gain > best.trips_ticks
                       : now.sum_ticks < best.sum_ticks * gain;
}

/* Outliers show best where little drift is left: before the first round, and after it. */
static enum mpl_status run_rounds(struct drift *d, const int64_t *pins, uint32_t n_pins,
                                  struct mpl_err *err)
{
    struct mpl_reversals now = mpl_windows_measure(d->windows, &d->now);
    uint64_t *n_outliers = &d->result->n_outliers;
    uint32_t n_failed = 0;
    enum mpl_status st = mpl_windows_drop_outliers(d->windows, &d->now, n_outliers, err);

    now = mpl_windows_measure(d->windows, &d->now);
    d->result->before = now;
    keep(d, now);
    for (int i = 0; i < MPL_DRIFT_ROUNDS && n_failed < MPL_DRIFT_PATIENCE &&
                    (now.n > 0 || d->tilt > 0) && st == MPL_OK;
         i++) {
        mpl_windows_enclose(d->windows, d->reference, i == 0 ? d->tilt : 0, &d->tunnel);
        d->first_rate = i == 0 ? mpl_windows_rate(d->windows) : d->first_rate;
        bend(d, pins, n_pins);
        (void) mpl_windows_measure(d->windows, &d->now);
        if (i == 0) {
            st = mpl_windows_drop_outliers(d->windows, &d->now, n_outliers, err);
        }
        now = mpl_windows_measure(d->windows, &d->now);
        n_failed = is_better(d, now, d->result->after, enough_gain) ? 0 : n_failed + 1;
        if (is_better(d, now, d->result->after, 1)) {
            keep(d, now);
        }
    }
    d->result->is_better = is_better(d, d->result->after, d->result->before, 1);
    return st;
}

/* ---- how wrong it can be --------------------------------------------------------------- */

/* By how much the slope of a curve leaves that of its line, and the curve its line. */
struct sway {
    double rate;
    double range_ticks;
};

static struct sway find_sway(const struct mpl_course *c, uint32_t process)
{
    const double *add = c->add_ticks + (size_t) process * c->n;
    struct sway sway = { 0, 0 };
    double low = 0;
    double high = 0;

    for (uint32_t k = 1; k < c->n; k++) {
        const double gap = (double) mpl_ticks_minus(c->at_ticks[k], c->at_ticks[k - 1]);
        const double slope = (add[k] - add[k - 1]) / gap;
        const double from_line =
            add[k] - add[0] -
            c->slope[process] * (double) mpl_ticks_minus(c->at_ticks[k], c->at_ticks[0]);

        sway.rate = fmax(sway.rate, fabs(slope - c->slope[process]));
        low = fmin(low, from_line);
        high = fmax(high, from_line);
    }
    sway.range_ticks = high - low;
    return sway;
}

/* What a clock may do unseen for so long: a line of unsure slope goes on, and
 * the clock leaves it no faster than it is seen to do elsewhere, and no farther
 * in as long a time. */
static double unseen(const struct drift *d, struct sway sway, double gap_ticks)
{
    const double range = sway.range_ticks * (1 + gap_ticks / fmax(d->span_ticks, 1));

    return d->unsure * gap_ticks + fmin(sway.rate * gap_ticks, range);
}

/* The limits of one process: the widest interval, and what may happen beside the windows. */
static void limit_process(struct drift *d, uint32_t process, int64_t end_ticks)
{
    const struct mpl_course *c = &d->result->course;
    const struct sway sway = find_sway(c, process);
    double low = 0;
    double high = 0;
    double narrowest = INFINITY;
    double gap = 0;
    double end_gap = fmax((double) c->at_ticks[0], 0);

    end_gap = fmax(end_gap, (double) mpl_ticks_minus(end_ticks, c->at_ticks[c->n - 1]));
    for (uint32_t k = 0; k < c->n; k++) {
        const size_t cell = (size_t) process * c->n + k;

        low = fmin(low, d->tunnel.low[cell]);
        high = fmax(high, d->tunnel.high[cell]);
        narrowest = fmin(narrowest, d->tunnel.high[cell] - d->tunnel.low[cell]);
        if (k > 0) {
            gap =
                fmax(gap, (double) mpl_ticks_minus(c->at_ticks[k], c->at_ticks[k - 1]) / 2);
        }
    }
    d->result->low_ticks[process] = unsure_share * (low - unseen(d, sway, gap));
    d->result->high_ticks[process] = unsure_share * (high + unseen(d, sway, gap));
    d->result->beyond_ticks[process] =
        unsure_share * fmax(unseen(d, sway, fmax(gap, end_gap)) - unseen(d, sway, gap), 0);
    d->result->narrowest_ticks[process] = narrowest;
}

/* Half the mean width of the intervals, of the process with the widest. */
static double find_half_width(const struct drift *d)
{
    double widest = 0;

    for (uint32_t p = 0; p < d->now.n_processes; p++) {
        const size_t first = (size_t) p * d->now.n;
        double width = 0;
        uint32_t n_known = 0;

        for (uint32_t k = 0; k < d->now.n; k++) {
            if (isfinite(d->tunnel.high[first + k] - d->tunnel.low[first + k])) {
                width += d->tunnel.high[first + k] - d->tunnel.low[first + k];
                n_known++;
            }
        }
        widest = n_known > 0 ? fmax(widest, width / n_known) : widest;
    }
    return widest / 2;
}

/* The second derivative of a course in ticks per square tick: its root mean
 * square, of the process with the largest. */
static double find_curvature(const struct mpl_course *c)
{
    double most = 0;

    for (uint32_t p = 0; p < c->n_processes; p++) {
        const double *add = c->add_ticks + (size_t) p * c->n;
        double sum = 0;

        for (uint32_t k = 1; k + 1 < c->n; k++) {
            const double before =
                (double) mpl_ticks_minus(c->at_ticks[k], c->at_ticks[k - 1]);
            const double after =
                (double) mpl_ticks_minus(c->at_ticks[k + 1], c->at_ticks[k]);
            const double bend =
                (add[k + 1] - add[k]) / after - (add[k] - add[k - 1]) / before;

            sum += bend * bend * 2 / (before + after);
        }
        most = fmax(most, sum);
    }
    return c->n > 2 ? sqrt(most /
                           (double) mpl_ticks_minus(c->at_ticks[c->n - 1], c->at_ticks[0]))
                    : 0;
}

/*
 * How fast the offset may still run away from the curve. What stays within H of
 * it and has a second derivative of at most K moves by no more than 2 sqrt(H K)
 * per tick, and no more than 2 H / T if it is straight for a time T (Landau,
 * 1913). H is half the width of the intervals, which in turn depends on the
 * rate; the largest rate that confirms itself holds. K is what the curve shows:
 * twice its root mean square, and as much again for the true offset.
 */
static void find_largest_rate(struct drift *d, double start)
{
    const struct mpl_course *c = &d->result->course;
    const double span = (double) mpl_ticks_minus(c->at_ticks[c->n - 1], c->at_ticks[0]);
    const double curvature = 4 * find_curvature(c);
    double rate = start;

    d->span_ticks = span;
    for (int i = 0; i < MPL_DRIFT_RATES && span > 0; i++) {
        mpl_windows_enclose(d->windows, d->reference, rate, &d->tunnel);

        const double half = find_half_width(d);

        d->unsure = 2 * half / span;
        rate = fmin(rate, 2 * sqrt(half * curvature) + d->unsure);
    }
    d->result->rate = rate;
}

static void find_limits(struct drift *d, int64_t end_ticks)
{
    const struct mpl_course *c = &d->result->course;

    (void) mpl_windows_measure(d->windows, c);
    find_largest_rate(d, d->first_rate);
    mpl_windows_enclose(d->windows, d->reference, d->result->rate, &d->tunnel);
    for (uint32_t p = 0; p < c->n_processes; p++) {
        d->result->low_ticks[p] = -INFINITY;
        d->result->high_ticks[p] = INFINITY;
        if (p == d->reference) {
            d->result->low_ticks[p] = 0;
            d->result->high_ticks[p] = 0;
        } else if (is_enclosed(d, p, 0)) {
            limit_process(d, p, end_ticks);
        }
    }
}

/*
 * Processes that messages limit from one side only follow the curves of the others by a
 * constant: the fastest message arrives at once. All upper limits together are a solution,
 * and so are all lower ones.
 */
static void attach_one_sided(struct drift *d)
{
    struct mpl_course *c = &d->result->course;

    for (uint32_t p = 0; p < c->n_processes; p++) {
        double low = -INFINITY;
        double high = INFINITY;

        for (uint32_t k = 0; k < c->n; k++) {
            low = fmax(low, d->tunnel.low[(size_t) p * c->n + k]);
            high = fmin(high, d->tunnel.high[(size_t) p * c->n + k]);
        }
        for (uint32_t k = 0; k < c->n && isfinite(low) != isfinite(high); k++) {
            c->add_ticks[(size_t) p * c->n + k] += isfinite(low) ? low : high;
        }
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

static enum mpl_status create_course(uint32_t n_processes, const struct mpl_windows *w,
                                     struct mpl_arena *arena, struct mpl_course *out,
                                     struct mpl_err *err)
{
    out->n_processes = n_processes;
    out->n = mpl_windows_count(w, &out->at_ticks);
    out->add_ticks = MPL_NEW_ARRAY(arena, (size_t) n_processes * out->n, double);
    out->slope = MPL_NEW_ARRAY(arena, n_processes, double);
    return out->add_ticks == NULL || out->slope == NULL ? mpl_nomem(err) : MPL_OK;
}

static enum mpl_status make_tables(struct drift *d, struct mpl_arena *arena,
                                   struct mpl_err *err)
{
    const uint32_t n_processes = d->links->n_processes;
    enum mpl_status st =
        create_course(n_processes, d->windows, arena, &d->result->course, err);

    st = st == MPL_OK ? create_course(n_processes, d->windows, arena, &d->now, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    const size_t n_cells = (size_t) n_processes * d->now.n;
    d->curve = mpl_curve_create(d->now.n, d->now.at_ticks, arena);
    d->tunnel.low = MPL_NEW_ARRAY(arena, n_cells, double);
    d->tunnel.high = MPL_NEW_ARRAY(arena, n_cells, double);
    d->prior = MPL_NEW_ARRAY(arena, n_processes, double);
    d->row.low = MPL_NEW_ARRAY(arena, d->now.n, double);
    d->row.high = MPL_NEW_ARRAY(arena, d->now.n, double);
    d->result->low_ticks = MPL_NEW_ARRAY(arena, n_processes, double);
    d->result->high_ticks = MPL_NEW_ARRAY(arena, n_processes, double);
    d->result->beyond_ticks = MPL_NEW_ARRAY(arena, n_processes, double);
    d->result->narrowest_ticks = MPL_NEW_ARRAY(arena, n_processes, double);
    return mpl_arena_is_short(arena) ? mpl_nomem(err) : MPL_OK;
}

enum mpl_status mpl_drift_estimate(struct mpl_links *links, uint32_t reference,
                                   const int64_t *pins, uint32_t n_pins, int64_t end_ticks,
                                   double tilt, struct mpl_arena *arena,
                                   const struct mpl_drift **out, struct mpl_err *err)
{
    struct drift d = { .links = links, .reference = reference, .tilt = tilt };

    d.result = MPL_NEW(arena, struct mpl_drift);
    if (d.result == NULL) {
        return mpl_nomem(err);
    }
    enum mpl_status st = mpl_windows_create(links, pins, n_pins, arena, &d.windows, err);
    st = st == MPL_OK ? make_tables(&d, arena, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    st = run_rounds(&d, pins, n_pins, err);
    if (st != MPL_OK) {
        return st;
    }
    find_limits(&d, end_ticks);
    attach_one_sided(&d);
    *out = d.result;
    return MPL_OK;
}
