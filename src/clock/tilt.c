#include "config.h"

#include "clock/clock_priv.h"

#include <math.h>
#include <stdlib.h>

/*
 * Constants can fit all messages although the clocks drift, if the drift is less than a round
 * trip. It then eats up the round trip: the smallest differences of the two directions come
 * from opposite ends of the run, the interval between them is too narrow, and the bound is
 * too small. So before constants are used, each pair of processes is asked whether a slope would
 * explain its messages much better.
 *
 * The run of a pair is cut into slices. What the smallest difference of a slice is above that
 * of the whole run is taken to be exponentially distributed, as delays of fast messages
 * roughly are, with a mean that is estimated, too: m. A slope that lowers m to m' makes n slices
 * (m / m')^n times as likely. The slope that is tried is the median of those between all
 * slices, so that one odd slice does not matter.
 */

enum {
    MPL_TILT_SLICES = 16,
    MPL_TILT_FEWEST = 2, /* Points per slice and direction, on average. */
};

/* How much more likely a slope must be than none, as a logarithm: one in 9 million would err. */
static const double tilt_evidence = 16;

struct slice {
    double least[2]; /* There and back; infinite if there is no point. */
    double at;
};

/* Points of a link and the one back, by slices. */
struct series {
    struct slice slice[MPL_TILT_SLICES];
    uint64_t n[2];
};

/* Mean of what slices are above the smallest, with \p slope added; n: those with a point. */
static double find_mean(const struct series *s, int way, double slope, uint32_t *n)
{
    const double signed_slope = way == 0 ? slope : -slope;
    double least = INFINITY;
    double sum = 0;

    *n = 0;
    for (int i = 0; i < MPL_TILT_SLICES; i++) {
        const double ticks = s->slice[i].least[way] + signed_slope * s->slice[i].at;

        if (isfinite(ticks)) {
            least = fmin(least, ticks);
            sum += ticks;
            (*n)++;
        }
    }
    return *n == 0 ? 0 : sum / *n - least + 1;
}

/* By how much the clock of the receiver seems to be ahead more and more, per tick. */
static double find_slope(const struct series *s)
{
    double slope[MPL_TILT_SLICES * (MPL_TILT_SLICES - 1) / 2];
    size_t n = 0;

    for (int i = 0; i < MPL_TILT_SLICES; i++) {
        for (int k = 0; k < i; k++) {
            const struct slice *a = &s->slice[k];
            const struct slice *b = &s->slice[i];
            const double rise = (b->least[1] - b->least[0]) - (a->least[1] - a->least[0]);

            if (isfinite(rise)) {
                slope[n++] = rise / 2 / (b->at - a->at);
            }
        }
    }
    if (n == 0) {
        return 0;
    }
    qsort(slope, n, sizeof *slope, mpl_compare_doubles);
    return slope[n / 2];
}

/* The slope, if it is far more likely than none, else 0. */
static double judge(const struct series *s)
{
    const double slope = find_slope(s);
    double evidence = 0;

    if (s->n[0] < MPL_TILT_FEWEST * MPL_TILT_SLICES ||
        s->n[1] < MPL_TILT_FEWEST * MPL_TILT_SLICES) {
        return 0;
    }
    for (int way = 0; way < 2; way++) {
        uint32_t n = 0;
        const double without = find_mean(s, way, 0, &n);
        const double with = find_mean(s, way, slope, &n);

        evidence += n * log(without / with);
    }
    return evidence > tilt_evidence ? slope : 0;
}

static void clear(struct series *s, size_t n, double span)
{
    for (size_t l = 0; l < n; l++) {
        for (int i = 0; i < MPL_TILT_SLICES; i++) {
            s[l].slice[i] = (struct slice){ { INFINITY, INFINITY },
                                            (i + 0.5) * span / MPL_TILT_SLICES };
        }
    }
}

enum mpl_status mpl_tilt_find(const struct mpl_links *links, int64_t end_ticks,
                              struct mpl_arena *scratch, double *rate, struct mpl_err *err)
{
    const double span = (double) end_ticks + 1;
    struct series *series = MPL_NEW_ARRAY(scratch, links->link.n, struct series);

    *rate = 0;
    if (series == NULL) {
        return mpl_nomem(err);
    }
    clear(series, links->link.n, span);
    for (size_t i = 0; i < links->point.n; i++) {
        const struct mpl_point *point = mpl_buf_get(&links->point, i);

        if (point->link == MPL_NONE) {
            continue;
        }

        const struct mpl_clock_link *link = mpl_links_get(links, point->link);
        const int way = link->back != MPL_NONE && link->back < point->link;
        struct series *s = &series[way == 0 ? point->link : link->back];
        const double share = (double) point->end_ticks / span;
        const int at = (int) fmax(0, fmin(share * MPL_TILT_SLICES, MPL_TILT_SLICES - 1));
        double *least = &s->slice[at].least[way];

        *least =
            fmin(*least, (double) mpl_ticks_minus(point->end_ticks, point->begin_ticks));
        s->n[way]++;
    }
    for (size_t l = 0; l < links->link.n; l++) {
        const double slope = judge(&series[l]);

        *rate = fmax(*rate, fabs(slope));
    }
    return MPL_OK;
}
