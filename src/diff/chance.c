#include "config.h"

#include "diff/chance_priv.h"

#include <math.h>
#include <stdlib.h>

/* Of a confidence interval of 95 %, what lies outside on each side. */
static const double tail = 0.025;

/* ---- Student's distribution -------------------------------------------------------------------- */

/* The continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz' algorithm. It is only
   asked where it converges within some sqrt(max(a, b)) terms. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1;
    double d = 1 / fmax(1 - (a + b) * x / (a + 1), tiny);
    double value = d;

    for (int m = 1; m < 10000; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

        d = 1 + even * d;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = 1 + even / c;
        c = fabs(c) < tiny ? tiny : c;
        value *= d * c;
        d = 1 + odd * d;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = 1 + odd / c;
        c = fabs(c) < tiny ? tiny : c;
        value *= d * c;
        if (fabs(d * c - 1) < 1e-15) {
            break;
        }
    }
    return value;
}

static double beta_share(double a, double b, double x)
{
    if (x <= 0 || x >= 1) {
        return x <= 0 ? 0 : 1;
    }

    const double front =
        exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double mpl_student_p(double t, double freedom)
{
    return beta_share(freedom / 2, 0.5, freedom / (freedom + t * t));
}

/* The t whose p that is; by halving, as nobody asks often. */
static double student_limit(double p, double freedom)
{
    double low = 0;
    double high = 1e9;

    for (int i = 0; i < 100; i++) {
        const double middle = low + (high - low) / 2;

        if (mpl_student_p(middle, freedom) > p) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

/* ---- moments -------------------------------------------------------------------------------------- */

/* Of the mean: its value, and the square of its standard error. */
struct moments {
    double mean;
    double square;
};

static struct moments moments_of(struct mpl_chance_sample x)
{
    struct moments m = { 0, 0 };

    for (size_t i = 0; i < x.n; i++) {
        m.mean += x.values[i] / (double) x.n;
    }
    for (size_t i = 0; i < x.n && x.n > 1; i++) {
        const double off = x.values[i] - m.mean;

        m.square += off * off / ((double) x.n * (double) (x.n - 1));
    }
    return m;
}

/* Splitmix64; see mpl_hash_mix(). */
static uint64_t draw(uint64_t *state)
{
    return mpl_hash_mix((*state)++);
}

/* The upper half of a product: no division, and no number is preferred measurably. */
static size_t draw_below(uint64_t *state, size_t n)
{
    return (size_t) ((draw(state) >> 32) * n >> 32);
}

static double resampled_mean(struct mpl_chance_sample x, uint64_t *state)
{
    double sum = 0;

    for (size_t i = 0; i < x.n; i++) {
        sum += x.values[draw_below(state, x.n)];
    }
    return x.n == 0 ? 0 : sum / (double) x.n;
}

/* Where there is no difference, each pair could as well be the other way round. */
static double flipped_mean(struct mpl_chance_sample x, uint64_t *state)
{
    double sum = 0;

    for (size_t i = 0; i < x.n; i++) {
        sum += (draw(state) >> 63) != 0 ? x.values[i] : -x.values[i];
    }
    return sum / (double) x.n;
}

/* Where there is none, each value could as well be of the other side. \p pool has both; it is shuffled. */
static double dealt_difference(double *pool, size_t n, size_t n_x, uint64_t *state)
{
    double sums[2] = { 0, 0 };

    for (size_t i = 0; i < n; i++) {
        const size_t other = i + draw_below(state, n - i);
        const double value = pool[other];

        pool[other] = pool[i];
        pool[i] = value;
        sums[i >= n_x] += value;
    }
    return sums[0] / (double) n_x - sums[1] / (double) (n - n_x);
}

static void find_interval(struct mpl_chance_sample x, struct mpl_chance_sample y,
                          uint64_t state, double *means, struct mpl_chance *out)
{
    for (size_t i = 0; i < MPL_RESAMPLES; i++) {
        const double mean = resampled_mean(x, &state);

        means[i] = mean - resampled_mean(y, &state);
    }
    qsort(means, MPL_RESAMPLES, sizeof *means, mpl_compare_doubles);
    out->low = means[(size_t) (tail * (MPL_RESAMPLES + 1)) - 1];
    out->high = means[(size_t) ((1 - tail) * (MPL_RESAMPLES + 1)) - 1];
}

/* Differences that are equal but for how they were rounded count as equal. */
static double find_p(struct mpl_chance_sample x, struct mpl_chance_sample y, double mean,
                     size_t resamples, uint64_t state, double *pool)
{
    const double least = fabs(mean) * (1 - 1e-9);
    size_t n_beyond = 0;

    for (size_t i = 0; i < x.n + y.n; i++) {
        pool[i] = i < x.n ? x.values[i] : y.values[i - x.n];
    }
    for (size_t i = 0; i < resamples; i++) {
        n_beyond +=
            fabs(y.n == 0 ? flipped_mean(x, &state)
                          : dealt_difference(pool, x.n + y.n, x.n, &state)) >= least;
    }
    return (double) (n_beyond + 1) / (double) (resamples + 1);
}

enum mpl_status mpl_chance_of_blocks(struct mpl_chance_sample x, struct mpl_chance_sample y,
                                     size_t resamples, uint64_t seed,
                                     struct mpl_chance *out, struct mpl_err *err)
{
    const double mean = moments_of(x).mean - moments_of(y).mean;
    enum mpl_status st = MPL_OK;

    *out = (struct mpl_chance){ mean, NAN, NAN, NAN };
    if (x.n < MPL_BLOCKS_LEAST || (y.n > 0 && y.n < MPL_BLOCKS_LEAST)) {
        return MPL_OK;
    }
    struct mpl_arena *arena = mpl_arena_create();
    double *means = arena == NULL ? NULL : MPL_NEW_ARRAY(arena, MPL_RESAMPLES, double);
    double *pool = arena == NULL ? NULL : MPL_NEW_ARRAY(arena, x.n + y.n, double);
    if (means == NULL || pool == NULL) {
        st = mpl_nomem(err);
    } else {
        find_interval(x, y, mpl_hash_mix(seed), means, out);
        out->p = find_p(x, y, mean, resamples, mpl_hash_mix(~seed), pool);
    }
    mpl_arena_destroy(arena);
    return st;
}

/* ---- repetitions --------------------------------------------------------------------------------------- */

void mpl_chance_of_runs(struct mpl_chance_sample x, struct mpl_chance_sample y,
                        struct mpl_chance *out)
{
    struct moments a = moments_of(x);
    struct moments b = moments_of(y);
    double freedom;

    *out = (struct mpl_chance){ a.mean - b.mean, NAN, NAN, NAN };
    if (x.n == 0 || y.n == 0 || x.n + y.n < 3) {
        return;
    }
    if (x.n > 1 && y.n > 1) {
        const double sum = a.square + b.square;

        freedom = sum == 0 ? 1
                           : sum * sum /
                                 (a.square * a.square / (double) (x.n - 1) +
                                  b.square * b.square / (double) (y.n - 1));
    } else {
        a.square = x.n == 1 ? b.square * (double) y.n : a.square;
        b.square = y.n == 1 ? a.square * (double) x.n : b.square;
        freedom = (double) (x.n + y.n - 2);
    }

    const double square = a.square + b.square;
    const double margin = square == 0 ? 0 : student_limit(2 * tail, freedom) * sqrt(square);

    out->low = out->mean - margin;
    out->high = out->mean + margin;
    out->p = square == 0 ? (out->mean == 0 ? 1 : 0)
                         : mpl_student_p(out->mean / sqrt(square), freedom);
}

/* ---- many tests ---------------------------------------------------------------------------------------- */

double mpl_discovery_limit(const double *p, size_t n, double share, double *scratch)
{
    size_t n_tests = 0;
    double limit = 0;

    for (size_t i = 0; i < n; i++) {
        if (!isnan(p[i])) {
            scratch[n_tests++] = p[i];
        }
    }
    qsort(scratch, n_tests, sizeof *scratch, mpl_compare_doubles);
    for (size_t k = 1; k <= n_tests; k++) {
        if (scratch[k - 1] <= share * (double) k / (double) n_tests) {
            limit = scratch[k - 1];
        }
    }
    return limit;
}
