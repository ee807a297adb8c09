#include "config.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *x, const void *y)
{
    const double a = *(const double *) x;
    const double b = *(const double *) y;

    return (a > b) - (a < b);
}

double mpl_median(double *values, size_t n)
{
    if (n == 0) {
        return NAN;
    }
    qsort(values, n, sizeof *values, by_value);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

static int by_size(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *) x;
    const int64_t b = *(const int64_t *) y;

    return (a > b) - (a < b);
}

int64_t mpl_usual(int64_t *values, size_t n)
{
    double all = 0;
    double sum = 0;
    size_t i = n;

    qsort(values, n, sizeof *values, by_size);
    for (size_t k = 0; k < n; k++) {
        all += (double) values[k];
    }
    do {
        sum += (double) values[--i];
    } while (i > 0 && 2 * sum < all);
    return values[i];
}
