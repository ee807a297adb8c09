#include "config.h"

#include "diff/when_priv.h"

#include <math.h>
#include <stdlib.h>

/* Fewer steps have no pattern. */
enum { LEAST_STEPS = 8, MOST_STRETCHES = 1024, PERMUTATIONS = 999 };
/* Where one step more or less looks like a change, it is a single step. */
enum { LEAST_SIDE = 3, SINGLE_STEPS = 2 };
static const double least_p = 0.01;
/* "From a step on": before it there is next to nothing. */
static const double most_before = 0.25;
/* nor is the rest of it more than this stretch has, small as it may be in each step. */
static const double least_stretch = 0.5;
/* Some steps have nearly all of it, and others hardly anything either way. */
static const double nearly_all = 0.9;
static const double most_others = 0.5;
static const double most_some = 0.25;
/* Each of nearly all steps has its part. */
static const double least_part = 0.25;
static const double least_having = 0.75;
/* Bai 1997: 95 % of the limit distribution lie within this, in units of variance over squared change. */
static const double bai_width = 11;

static double sum_of(const double *x, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum;
}

/* What two means explain of the squares, more than one does; \p *first begins the second one. */
static double best_split(const double *x, uint32_t n, double sum, uint32_t *first)
{
    double best = -1;
    double left = 0;

    for (uint32_t t = 1; t + LEAST_SIDE <= n; t++) {
        left += x[t - 1];
        if (t >= LEAST_SIDE) {
            const double off = left - sum * t / n;
            const double explained = off * off * n / ((double) t * (n - t));

            if (explained > best) {
                best = explained;
                *first = t;
            }
        }
    }
    return best;
}

/* Means of as many stretches as a permutation can have; \p out has room for them. */
static uint32_t shorten(const double *x, uint32_t n, double *out)
{
    const uint32_t n_out = n < MOST_STRETCHES ? n : MOST_STRETCHES;

    for (uint32_t i = 0; i < n_out; i++) {
        const uint32_t begin = (uint32_t) ((uint64_t) i * n / n_out);
        const uint32_t end = (uint32_t) ((uint64_t) (i + 1) * n / n_out);

        out[i] = sum_of(x + begin, end - begin) / (end - begin);
    }
    return n_out;
}

static double chance_of_split(const double *x, uint32_t n)
{
    double values[MOST_STRETCHES];
    const uint32_t n_values = shorten(x, n, values);
    const double sum = sum_of(values, n_values);
    uint32_t first = 0;
    const double found = best_split(values, n_values, sum, &first) * (1 - 1e-9);
    uint32_t n_beyond = 0;
    uint64_t state = 0;

    for (int k = 0; k < PERMUTATIONS; k++) {
        for (uint32_t i = 0; i + 1 < n_values; i++) {
            const uint64_t draw = mpl_hash_mix(state++) >> 32;
            const uint32_t other = i + (uint32_t) (draw * (n_values - i) >> 32);
            const double value = values[other];

            values[other] = values[i];
            values[i] = value;
        }
        n_beyond += best_split(values, n_values, sum, &first) >= found;
    }
    return (double) (n_beyond + 1) / (PERMUTATIONS + 1);
}

static double squares_of(const double *x, uint32_t n, double mean)
{
    double squares = 0;

    for (uint32_t i = 0; i < n; i++) {
        squares += (x[i] - mean) * (x[i] - mean);
    }
    return squares;
}

static void take_interval(const double *x, uint32_t n, double before, double behind,
                          struct mpl_when *out)
{
    const uint32_t t = out->first;
    const double squares = squares_of(x, t, before) + squares_of(x + t, n - t, behind);
    const double width = bai_width * squares / n / ((behind - before) * (behind - before));
    const uint32_t half = width < 1 ? 0 : width < n ? (uint32_t) width + 1 : n;

    out->low = t > half ? t - half : 0;
    out->high = n - t > half ? t + half : n;
}

/* False: there is none, or something lies on both sides of it. */
static bool find_change(const double *x, uint32_t n, struct mpl_when *out)
{
    uint32_t t = 0;

    if (best_split(x, n, sum_of(x, n), &t) <= 0) {
        return false;
    }

    const double before = sum_of(x, t) / t;
    const double behind = sum_of(x + t, n - t) / (n - t);
    const bool is_from = fabs(before) <= most_before * fabs(behind);

    const double stretch = is_from ? behind * (n - t) : before * t;

    if ((!is_from && fabs(behind) > most_before * fabs(before)) ||
        fabs(stretch) < least_stretch * fabs(sum_of(x, n)) ||
        chance_of_split(x, n) > least_p) {
        return false;
    }
    *out = (struct mpl_when){ .kind = is_from ? MPL_WHEN_FROM : MPL_WHEN_UNTIL,
                              .first = t,
                              .n = is_from ? n - t : t,
                              .each_s = is_from ? behind : before };
    take_interval(x, n, before, behind, out);
    return true;
}

struct ranked {
    double value; /* Positive in the direction of the sum. */
    uint32_t step;
};

static int descending(const void *x, const void *y)
{
    const struct ranked *a = x;
    const struct ranked *b = y;

    if (a->value != b->value) {
        return a->value < b->value ? 1 : -1;
    }
    return (a->step > b->step) - (a->step < b->step);
}

/* The fewest steps that have nearly all of \p sum; more than \p most: false. */
static bool find_some(const struct ranked *ranked, uint32_t n, double sum, uint32_t most,
                      struct mpl_when *out)
{
    double taken = 0;
    double others = 0;
    uint32_t k = 0;

    *out = (struct mpl_when){ .kind = MPL_WHEN_SOME, .first = n };
    while (k < n && k <= most && taken < nearly_all * sum) {
        taken += ranked[k].value;
        out->first = ranked[k].step < out->first ? ranked[k].step : out->first;
        k++;
    }
    for (uint32_t i = k; i < n; i++) {
        others += fabs(ranked[i].value);
    }
    out->n = k;
    out->low = out->high = out->first;
    out->each_s = k == 0 ? 0 : taken / k;
    return k > 0 && k <= most && others <= most_others * sum;
}

static enum mpl_status find(const double *x, uint32_t n, struct ranked *ranked,
                            struct mpl_when *out)
{
    const double sum = sum_of(x, n);
    const double sign = sum < 0 ? -1 : 1;
    uint32_t n_having = 0;

    for (uint32_t i = 0; i < n; i++) {
        ranked[i] = (struct ranked){ sign * x[i], i };
        n_having += n * ranked[i].value >= least_part * fabs(sum);
    }
    qsort(ranked, n, sizeof *ranked, descending);
    bool is_some = find_some(ranked, n, fabs(sum), SINGLE_STEPS, out);
    if (!is_some && find_change(x, n, out)) {
        return MPL_OK;
    }
    is_some = is_some || find_some(ranked, n, fabs(sum), (uint32_t) (most_some * n), out);
    if (is_some) {
        out->each_s *= sign;
        return MPL_OK;
    }
    *out = (struct mpl_when){ .kind = n_having >= least_having * n ? MPL_WHEN_ALL
                                                                   : MPL_WHEN_UNEVEN,
                              .n = n,
                              .each_s = sum / n };
    return MPL_OK;
}

enum mpl_status mpl_when_find(const double *values, uint32_t n, struct mpl_when *out,
                              struct mpl_err *err)
{
    struct ranked *ranked;

    *out = (struct mpl_when){ .kind = MPL_WHEN_UNEVEN,
                              .n = n,
                              .each_s = n == 0 ? 0 : sum_of(values, n) / n };
    if (n < LEAST_STEPS || sum_of(values, n) == 0) {
        return MPL_OK;
    }
    struct mpl_arena *arena = mpl_arena_create();
    ranked = arena == NULL ? NULL : MPL_NEW_ARRAY(arena, n, struct ranked);
    const enum mpl_status st =
        ranked == NULL ? mpl_nomem(err) : find(values, n, ranked, out);
    mpl_arena_destroy(arena);
    return st;
}
