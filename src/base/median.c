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

int64_t mpl_usual(int64_t *values, size_t n)
{
    double all = 0;
    double sum = 0;
    size_t i = n;

    mpl_sort_few(values, n, sizeof *values, mpl_compare_i64);
    for (size_t k = 0; k < n; k++) {
        all += (double) values[k];
    }
    do {
        sum += (double) values[--i];
    } while (i > 0 && 2 * sum < all);
    return values[i];
}
