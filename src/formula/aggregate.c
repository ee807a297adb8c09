#include "config.h"

#include "formula/formula_priv.h"

#include <math.h>

/* Undefined elements count for nothing; of no elements only sum and count are defined. */

/* \p total and what is added by \p n elements. */
static inline double add(double total, const double *values, size_t n, size_t *n_defined)
{
    for (size_t i = 0; i < n; i++) {
        total += isfinite(values[i]) ? values[i] : 0.0;
        *n_defined += isfinite(values[i]);
    }
    return total;
}

static double sum(struct series *series, size_t *n_defined)
{
    const double *values;
    double total = 0.0;
    size_t n;

    *n_defined = 0;
    for (size_t at = 0; (n = mpl_series_read(series, at, &values)) > 0; at += n) {
        total = add(total, values, n, n_defined);
    }
    return total;
}

static double mean(struct series *series)
{
    size_t n;
    const double total = sum(series, &n);

    return n == 0 ? NAN : total / (double) n;
}

static double count(struct series *series)
{
    size_t n;

    (void) sum(series, &n);
    return (double) n;
}

/* Whichever is greater, \p best or one of \p n elements times \p sign. */
static inline double go_farther(double best, const double *values, size_t n, double sign)
{
    for (size_t i = 0; i < n; i++) {
        const double x = sign * values[i];

        best = x > best && isfinite(x) ? x : best;
    }
    return best;
}

/* The extreme towards \p sign times infinity. */
static double extreme(struct series *series, double sign)
{
    const double *values;
    double best = -INFINITY;
    size_t n;

    for (size_t at = 0; (n = mpl_series_read(series, at, &values)) > 0; at += n) {
        best = go_farther(best, values, n, sign);
    }
    return isfinite(best) ? sign * best : NAN;
}

/*
 * Of the elements themselves, not of a population they were drawn from: divided by n. In
 * one pass (Welford, 1962), because the difference of two large sums of squares loses all
 * digits when the spread is small.
 */
static double stddev(struct series *series, double *mean_value)
{
    const double *values;
    double average = 0.0;
    double squares = 0.0;
    size_t n_defined = 0;
    size_t n;

    for (size_t at = 0; (n = mpl_series_read(series, at, &values)) > 0; at += n) {
        for (size_t i = 0; i < n; i++) {
            if (isfinite(values[i])) {
                const double before = values[i] - average;

                n_defined++;
                average += before / (double) n_defined;
                squares += before * (values[i] - average);
            }
        }
    }
    *mean_value = average;
    return n_defined == 0 ? NAN : sqrt(squares / (double) n_defined);
}

static double variation(struct series *series)
{
    double average;
    const double deviation = stddev(series, &average);

    return average == 0.0 ? NAN : deviation / average;
}

/* The first or the last defined element. */
static double edge(struct series *series, bool is_last)
{
    const double *values;
    double found = NAN;
    size_t n;

    for (size_t at = 0; (n = mpl_series_read(series, at, &values)) > 0; at += n) {
        for (size_t i = 0; i < n; i++) {
            if (isfinite(values[i]) && (is_last || isnan(found))) {
                found = values[i];
            }
        }
    }
    return found;
}

/* Whether there is an element that is true (\p wanted) or one that is false. */
static double has(struct series *series, bool wanted)
{
    const double *values;
    double found = NAN;
    size_t n;

    for (size_t at = 0; (n = mpl_series_read(series, at, &values)) > 0; at += n) {
        for (size_t i = 0; i < n; i++) {
            if (isfinite(values[i])) {
                found = found == 1.0 || (values[i] != 0.0) == wanted ? 1.0 : 0.0;
            }
        }
    }
    return found;
}

double mpl_aggregate(enum opcode op, struct series *series, double p)
{
    size_t n;
    double unused;

    switch (op) {
    case OP_SUM:
        return sum(series, &n);
    case OP_MEAN:
        return mean(series);
    case OP_COUNT:
        return count(series);
    case OP_MINIMUM:
        return extreme(series, -1.0);
    case OP_MAXIMUM:
        return extreme(series, 1.0);
    case OP_STDDEV:
        return stddev(series, &unused);
    case OP_CV:
        return variation(series);
    case OP_FIRST:
        return edge(series, false);
    case OP_LAST:
        return edge(series, true);
    case OP_ANY:
        return has(series, true);
    case OP_ALL:
        return 1.0 - has(series, false);
    case OP_MEDIAN:
        return mpl_percentile(series, 50.0);
    default:
        return mpl_percentile(series, p);
    }
}

/* What was not read holds anything; NULL: all was. */
static struct mpl_list wanted_list(const struct mpl_list *lists, const uint64_t *wanted,
                                   size_t i)
{
    return wanted == NULL || mpl_row_is_in(wanted, (uint32_t) i)
               ? lists[i]
               : (struct mpl_list){ NULL, 0 };
}

static bool are_all_wanted(const uint64_t *wanted, size_t n)
{
    uint32_t i = 0;

    while (i < n && (wanted[i / 64] == UINT64_MAX || mpl_row_is_in(wanted, i))) {
        i += wanted[i / 64] == UINT64_MAX ? 64 : 1;
    }
    return i >= n;
}

/* Inlined once per operation, so that nobody counts where the sum is asked for. */
static inline void add_lists(bool is_count, const struct mpl_list *lists,
                             const uint64_t *wanted, size_t n, double *to)
{
    for (size_t i = 0; i < n; i++) {
        const struct mpl_list list = wanted_list(lists, wanted, i);
        size_t n_defined = 0;
        const double total = add(0.0, list.values, list.n, &n_defined);

        to[i] = is_count ? (double) n_defined : total;
    }
}

bool mpl_aggregate_lists(enum opcode op, const struct mpl_list *lists,
                         const uint64_t *wanted, size_t n, double *to)
{
    const double sign = op == OP_MINIMUM ? -1.0 : 1.0;

    wanted = are_all_wanted(wanted, n) ? NULL : wanted;
    switch (op) {
    case OP_SUM:
        add_lists(false, lists, wanted, n, to);
        return true;
    case OP_COUNT:
        add_lists(true, lists, wanted, n, to);
        return true;
    case OP_MINIMUM:
    case OP_MAXIMUM:
        for (size_t i = 0; i < n; i++) {
            const struct mpl_list list = wanted_list(lists, wanted, i);
            const double best = go_farther(-INFINITY, list.values, list.n, sign);

            to[i] = isfinite(best) ? sign * best : NAN;
        }
        return true;
    default:
        return false;
    }
}
