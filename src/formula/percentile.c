/*
 * The k-th smallest of numbers that are made one by one and stored nowhere.
 *
 * Up to SAMPLE_SIZE numbers are collected and selected from. Of more, a random sample is
 * taken in one pass; two of its members enclose the wanted number with high probability, a
 * second pass counts, and the search goes on between them with what is left, some five per
 * cent. A million numbers take five passes. The answer is exact: chance decides only how
 * many passes there are, and the chances are the same in each run.
 */
#include "config.h"

#include "formula/formula_priv.h"

#include <math.h>

enum {
    SAMPLE_SIZE = 4096,
    /* Three standard deviations of a rank in the sample: sqrt(4096) / 2 each. */
    SAMPLE_MARGIN = 96,
};

/* The elements strictly between two bounds, of which the one of rank `rank` is sought. */
struct range {
    double low, high;
    size_t n;    /* elements inside */
    size_t rank; /* from 0, among them */
};

static bool is_inside(const struct range *range, double x)
{
    return x > range->low && x < range->high; /* false for undefined */
}

static double next_random(uint64_t *state)
{
    const uint64_t z = mpl_hash_mix(*state);

    *state += UINT64_C(0x9e3779b97f4a7c15);
    return (double) (z >> 11) * 0x1p-53;
}

/* A random selection of the elements inside: Vitter's algorithm R (1985). */
struct selection {
    double *sample;
    size_t n; /* elements seen */
    uint64_t state;
};

static void offer(struct selection *selection, double x)
{
    const double chance = (double) (selection->n + 1);
    const size_t place = selection->n < SAMPLE_SIZE
                             ? selection->n
                             : (size_t) (next_random(&selection->state) * chance);

    if (place < SAMPLE_SIZE) {
        selection->sample[place] = x;
    }
    selection->n++;
}

/* Puts the elements inside into \p sample, or as many as fit. Returns how many there are. */
static size_t collect(struct series *series, const struct range *range, double *sample)
{
    struct selection selection = { .sample = sample, .state = 1 };
    const double *values;
    size_t n;

    for (size_t at = 0; (n = mpl_series_read(series, at, &values)) > 0; at += n) {
        for (size_t i = 0; i < n; i++) {
            if (is_inside(range, values[i])) {
                offer(&selection, values[i]);
            }
        }
    }
    return selection.n;
}

/* Hoare's FIND (1961): afterwards values[rank] is what sorting would put there. */
static double select_rank(double *values, size_t n, size_t rank)
{
    const ptrdiff_t k = (ptrdiff_t) rank;
    ptrdiff_t left = 0;
    ptrdiff_t right = (ptrdiff_t) n - 1;

    while (left < right) {
        const double pivot = values[k];
        ptrdiff_t i = left;
        ptrdiff_t j = right;

        while (i <= j) {
            for (; values[i] < pivot; i++) {
            }
            for (; values[j] > pivot; j--) {
            }
            if (i <= j) {
                const double moved = values[i];

                values[i++] = values[j];
                values[j--] = moved;
            }
        }
        left = j < k ? i : left;
        right = k < i ? j : right;
    }
    return values[k];
}

/* How the elements of a range lie to two bounds inside it. */
struct tally {
    size_t below, at_low, between, at_high;
};

static struct tally count(struct series *series, const struct range *range, double low,
                          double high)
{
    struct tally tally = { 0 };
    const double *values;
    size_t n;

    for (size_t at = 0; (n = mpl_series_read(series, at, &values)) > 0; at += n) {
        for (size_t i = 0; i < n; i++) {
            const double x = is_inside(range, values[i]) ? values[i] : INFINITY;

            tally.below += x < low;
            tally.at_low += x == low;
            tally.between += x > low && x < high;
            tally.at_high += x == high && high > low;
        }
    }
    return tally;
}

/* Narrows \p range around its rank; true when \p found is the element of that rank. */
static bool narrow(struct series *series, struct range *range, double *sample,
                   double *found)
{
    const size_t middle = (size_t) ((double) range->rank / (double) range->n * SAMPLE_SIZE);
    const size_t first = middle < SAMPLE_MARGIN ? 0 : middle - SAMPLE_MARGIN;
    const size_t last =
        middle + SAMPLE_MARGIN < SAMPLE_SIZE ? middle + SAMPLE_MARGIN : SAMPLE_SIZE - 1;
    const double low = select_rank(sample, SAMPLE_SIZE, first);
    const double high = select_rank(sample, SAMPLE_SIZE, last);
    const struct tally tally = count(series, range, low, high);
    const size_t to_between = tally.below + tally.at_low;
    const size_t to_above = to_between + tally.between + tally.at_high;

    if (range->rank < tally.below) {
        *range = (struct range){ range->low, low, tally.below, range->rank };
        return false;
    }
    if (range->rank >= to_above) {
        *range = (struct range){ high, range->high, range->n - to_above,
                                 range->rank - to_above };
        return false;
    }
    if (range->rank >= to_between && range->rank < to_between + tally.between) {
        *range = (struct range){ low, high, tally.between, range->rank - to_between };
        return false;
    }
    *found = range->rank < to_between ? low : high;
    return true;
}

/* The element of the range's rank; \p sample holds what collect() found in the range. */
static double find_rank(struct series *series, struct range range, double *sample)
{
    double found;

    while (range.n > SAMPLE_SIZE) {
        if (narrow(series, &range, sample, &found)) {
            return found;
        }
        (void) collect(series, &range, sample);
    }
    return select_rank(sample, range.n, range.rank);
}

/* The element of rank \p rank, where \p before is that of the rank below. */
static double find_next(struct series *series, double before, size_t rank)
{
    const double *values;
    double next = INFINITY;
    size_t n_to_before = 0;
    size_t n;

    for (size_t at = 0; (n = mpl_series_read(series, at, &values)) > 0; at += n) {
        for (size_t i = 0; i < n; i++) {
            const double x = isfinite(values[i]) ? values[i] : INFINITY;

            n_to_before += x <= before;
            next = x > before && x < next ? x : next;
        }
    }
    return n_to_before > rank ? before : next;
}

/* Linear between the two nearest elements, as most statistics programs do (Hyndman's 7). */
double mpl_percentile(struct series *series, double p)
{
    double sample[SAMPLE_SIZE];
    struct range range = { .low = -INFINITY, .high = INFINITY };

    if (!(p >= 0.0 && p <= 100.0)) {
        return NAN;
    }
    range.n = collect(series, &range, sample);
    if (range.n == 0) {
        return NAN;
    }

    const double at = (double) (range.n - 1) * p / 100.0;

    range.rank = (size_t) at;

    const double value = find_rank(series, range, sample);
    const double share = at - (double) range.rank;

    if (share == 0.0) {
        return value;
    }
    return value + share * (find_next(series, value, range.rank + 1) - value);
}
