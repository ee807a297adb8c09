#include "config.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

int mpl_compare_u32(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *) x;
    const uint32_t b = *(const uint32_t *) y;

    return (a > b) - (a < b);
}

int mpl_compare_i64(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *) x;
    const int64_t b = *(const int64_t *) y;

    return (a > b) - (a < b);
}

int mpl_compare_doubles(const void *x, const void *y)
{
    const double a = *(const double *) x;
    const double b = *(const double *) y;

    return (a > b) - (a < b);
}

void mpl_sort(void *items, size_t n, size_t size,
              int (*compare)(const void *x, const void *y))
{
    if (n > 1) {
        qsort(items, n, size, compare);
    }
}

double mpl_median(double *values, size_t n)
{
    if (n == 0) {
        return NAN;
    }
    mpl_sort_few(values, n, sizeof *values, mpl_compare_doubles);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* The first \p *n_more of \p values are then larger than \p pivot, and \p *n_same behind them the same. Returns the sum
 * of the larger ones. */
static __int128 split(int64_t *values, size_t n, int64_t pivot, size_t *n_more,
                      size_t *n_same)
{
    __int128 sum = 0;
    size_t more = 0;
    size_t same = 0;

    for (size_t i = 0; i < n; i++) {
        const int64_t value = values[i];

        if (value >= pivot) {
            values[i] = values[more + same];
            values[more + same] = value;
            same++;
        }
        if (value > pivot) {
            values[more + same - 1] = values[more];
            values[more++] = value;
            same--;
            sum += value;
        }
    }
    *n_more = more;
    *n_same = same;
    return sum;
}

/* By selection with pivots at random, as there may be millions: each value is looked at some three times. */
int64_t mpl_usual(int64_t *values, size_t n)
{
    uint64_t random = 1;
    __int128 rest = 0; /* half of the sum, without what is larger than the values at hand */

    for (size_t i = 0; i < n; i++) {
        rest += values[i];
    }
    rest -= rest / 2;
    for (;;) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;

        const int64_t pivot = values[(random >> 33) % n];
        size_t n_more;
        size_t n_same;
        const __int128 more = split(values, n, pivot, &n_more, &n_same);

        if (n_more > 0 && more >= rest) {
            n = n_more;
            continue;
        }
        rest -= more + (__int128) n_same * pivot;
        if (rest <= 0) {
            return pivot;
        }
        mpl_assert(n_more + n_same < n);
        values += n_more + n_same;
        n -= n_more + n_same;
    }
}
