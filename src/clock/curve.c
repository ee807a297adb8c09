#include "config.h"

#include "clock/clock_priv.h"

#include <math.h>

/*
 * The smoothest curve inside a tunnel. Each window of time encloses the offset of a clock in an
 * interval; the offset of a real clock runs smoothly through all of them. Middles of intervals
 * are only as good as the messages of that moment, so the curve may leave them, but not the
 * intervals: it is a smoothing spline (Whittaker, Reinsch) with the largest smoothness for
 * which it stays inside nearly everywhere, and is then pulled in where it does not. Thus a
 * straight line is kept where one fits, and bends come where the data demand them and nowhere
 * else.
 *
 * Penalised is the change of slope from one piece to the next, squared and weighted by the
 * distance, which is the integral of the squared second derivative. The matrix has five
 * diagonals, so that a solution costs a few steps per window.
 */

enum {
    MPL_CURVE_STEPS = 7,    /* Of the bisection: to half a power of two. */
    MPL_CURVE_PULLS = 8,    /* Rounds of pulling in. */
    MPL_CURVE_OUTSIDE = 20, /* One window of so many may be outside before that. */
};

/* Exponents of two between which the penalty is sought, in runs to the fourth power. The
 * largest leaves a bend of half a run's length alone, the least one of a window. */
static const double penalty_least = -60;
static const double penalty_most = 0;
/* A penalty beyond this share of the weights would drown them in rounding. */
static const double penalty_share = 1e12;

struct mpl_curve {
    uint32_t n;
    double span_ticks; /* From the first window to the last. */
    double *t;         /* Windows, the first is 0 and the last 1. */
    double *weight;
    double *target;
    double *pull; /* Factor of the weight. */
    double *y;    /* The solution. */
    double *d;    /* Diagonals of the matrix, then of its factor. */
    double *e;
    double *f;
    double most;        /* Largest penalty that keeps enough digits. */
    double line_offset; /* The straight line that fits best. */
    double line_slope;
};

struct mpl_curve *mpl_curve_create(uint32_t n, const int64_t *at_ticks,
                                   struct mpl_arena *arena)
{
    struct mpl_curve *c = MPL_NEW(arena, struct mpl_curve);
    double *room = MPL_NEW_ARRAY(arena, (size_t) n * 8, double);
    double least = 1;

    if (c == NULL || room == NULL) {
        return NULL;
    }
    c->n = n;
    c->t = room;
    c->weight = room + n;
    c->target = room + (size_t) n * 2;
    c->pull = room + (size_t) n * 3;
    c->y = room + (size_t) n * 4;
    c->d = room + (size_t) n * 5;
    c->e = room + (size_t) n * 6;
    c->f = room + (size_t) n * 7;
    c->span_ticks = (double) (at_ticks[n - 1] - at_ticks[0]);
    for (uint32_t k = 1; k < n; k++) {
        c->t[k] = (double) (at_ticks[k] - at_ticks[0]) / c->span_ticks;
        least = c->t[k] - c->t[k - 1] < least ? c->t[k] - c->t[k - 1] : least;
    }
    c->most = penalty_share * least * least * least / n;
    return c;
}

/* ---- solving ------------------------------------------------------------------------------- */

static void add_penalties(struct mpl_curve *c, double penalty)
{
    for (uint32_t k = 1; k + 1 < c->n; k++) {
        const double before = c->t[k] - c->t[k - 1];
        const double after = c->t[k + 1] - c->t[k];
        const double scale = penalty * 2 / (before + after);
        const double a = 1 / before;
        const double b = -1 / before - 1 / after;
        const double g = 1 / after;

        c->d[k - 1] += scale * a * a;
        c->d[k] += scale * b * b;
        c->d[k + 1] += scale * g * g;
        c->e[k - 1] += scale * a * b;
        c->e[k] += scale * b * g;
        c->f[k - 1] += scale * a * g;
    }
}

/* Factors the matrix as L D L' in place: d becomes D, e and f the two diagonals of L. */
static void factor(struct mpl_curve *c)
{
    for (uint32_t k = 0; k < c->n; k++) {
        if (k >= 2) {
            c->d[k] -= c->f[k - 2] * c->f[k - 2] * c->d[k - 2];
        }
        if (k >= 1) {
            c->d[k] -= c->e[k - 1] * c->e[k - 1] * c->d[k - 1];
            if (k + 1 < c->n) {
                c->e[k] -= c->e[k - 1] * c->f[k - 1] * c->d[k - 1];
            }
        }

        const double inverse = 1 / c->d[k];

        c->e[k] *= inverse;
        c->f[k] *= inverse;
    }
}

/* The deviation from the line is what is solved for: it is small, so few digits are lost. */
static void solve(struct mpl_curve *c, double penalty)
{
    const uint32_t n = c->n;
    double *y = c->y;

    for (uint32_t k = 0; k < n; k++) {
        /* Windows that say nothing must not make the matrix singular. */
        c->d[k] = c->weight[k] * c->pull[k] + 1e-12 / n;
        c->e[k] = 0;
        c->f[k] = 0;
        y[k] = c->weight[k] * c->pull[k] *
               (c->target[k] - c->line_offset - c->line_slope * c->t[k]);
    }
    add_penalties(c, penalty);
    factor(c);
    for (uint32_t k = 0; k < n; k++) {
        y[k] -=
            (k >= 1 ? c->e[k - 1] * y[k - 1] : 0) + (k >= 2 ? c->f[k - 2] * y[k - 2] : 0);
    }
    for (uint32_t k = n; k-- > 0;) {
        y[k] = y[k] / c->d[k] - (k + 1 < n ? c->e[k] * y[k + 1] : 0) -
               (k + 2 < n ? c->f[k] * y[k + 2] : 0);
    }
    for (uint32_t k = 0; k < n; k++) {
        y[k] += c->line_offset + c->line_slope * c->t[k];
    }
}

/* ---- the tunnel ---------------------------------------------------------------------------------- */

static bool is_outside(const struct mpl_curve *c, const struct mpl_tunnel *tunnel,
                       uint32_t k)
{
    return c->y[k] < tunnel->low[k] || c->y[k] > tunnel->high[k];
}

static uint32_t count_outside(const struct mpl_curve *c, const struct mpl_tunnel *tunnel)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < c->n; k++) {
        n += is_outside(c, tunnel, k);
    }
    return n;
}

/* Middles count by the inverse square of their interval's width; all weights add up to 1. */
static void weigh(struct mpl_curve *c, const struct mpl_tunnel *tunnel, double prior)
{
    const double for_zero = 1 / ((prior + 1) * (prior + 1));
    double sum = 0;

    for (uint32_t k = 0; k < c->n; k++) {
        const double width = tunnel->high[k] - tunnel->low[k];

        const double for_middle = isfinite(width) ? 1 / ((width + 1) * (width + 1)) : 0;
        const double middle = isfinite(width) ? (tunnel->high[k] + tunnel->low[k]) / 2 : 0;

        c->weight[k] = for_middle + for_zero;
        c->target[k] = c->weight[k] > 0 ? for_middle * middle / c->weight[k] : 0;
        c->pull[k] = 1;
        sum += c->weight[k];
    }
    for (uint32_t k = 0; k < c->n && sum > 0; k++) {
        c->weight[k] /= sum;
    }
}

static void fit_line(struct mpl_curve *c)
{
    double t = 0;
    double y = 0;
    double tt = 0;
    double ty = 0;

    for (uint32_t k = 0; k < c->n; k++) {
        t += c->weight[k] * c->t[k];
        y += c->weight[k] * c->target[k];
    }
    for (uint32_t k = 0; k < c->n; k++) {
        tt += c->weight[k] * (c->t[k] - t) * (c->t[k] - t);
        ty += c->weight[k] * (c->t[k] - t) * (c->target[k] - y);
    }
    c->line_slope = tt > 1e-12 ? ty / tt : 0;
    c->line_offset = y - c->line_slope * t;
    for (uint32_t k = 0; k < c->n; k++) {
        c->y[k] = c->line_offset + c->line_slope * c->t[k];
    }
}

/* The largest penalty with which nearly all windows are met. */
static double find_penalty(struct mpl_curve *c, const struct mpl_tunnel *tunnel)
{
    double low = penalty_least;
    double high = fmin(penalty_most, log2(c->most));

    for (int i = 0; i < MPL_CURVE_STEPS; i++) {
        const double middle = (low + high) / 2;

        solve(c, exp2(middle));
        if (count_outside(c, tunnel) > c->n / MPL_CURVE_OUTSIDE) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return exp2(low);
}

static void pull_in(struct mpl_curve *c, const struct mpl_tunnel *tunnel, double penalty)
{
    for (int i = 0; i < MPL_CURVE_PULLS; i++) {
        solve(c, penalty);
        if (count_outside(c, tunnel) == 0) {
            return;
        }
        for (uint32_t k = 0; k < c->n; k++) {
            if (is_outside(c, tunnel, k)) {
                c->pull[k] *= 4;
            }
        }
    }
}

double mpl_curve_fit(struct mpl_curve *c, const struct mpl_tunnel *tunnel, double prior,
                     double *out)
{
    weigh(c, tunnel, prior);
    fit_line(c);
    if (c->n > 2 && count_outside(c, tunnel) > 0) {
        pull_in(c, tunnel, find_penalty(c, tunnel));
    }
    for (uint32_t k = 0; k < c->n; k++) {
        out[k] = c->y[k];
    }
    return c->n > 1 ? c->line_slope / c->span_ticks : 0;
}
