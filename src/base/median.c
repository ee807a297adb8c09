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
