#include "config.h"

#include "clock/clock_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mpl_misses_clear(struct mpl_misses *misses)
{
    misses->miss.n = 0;
    misses->n = 0;
    misses->is_short = false;
}

void mpl_misses_put(struct mpl_misses *misses, int64_t ticks)
{
    misses->is_short |= !mpl_buf_put(&misses->miss, &ticks);
}

void mpl_misses_add(struct mpl_misses *misses, const struct mpl_misses *more)
{
    int64_t *miss =
        more->miss.n == 0 ? NULL : mpl_buf_add_many(&misses->miss, more->miss.n);

    misses->n += more->n;
    misses->is_short |= more->is_short || (miss == NULL && more->miss.n > 0);
    if (miss != NULL) {
        memcpy(miss, more->miss.data, more->miss.n * sizeof *miss);
    }
}

void mpl_misses_describe(struct mpl_misses *misses, struct mpl_clock_accuracy *out)
{
    int64_t *miss = misses->miss.data;
    const size_t n = misses->miss.n;
    double sum = 0;
    double squares = 0;

    *out = (struct mpl_clock_accuracy){ .n = misses->n, .n_correct = misses->n - n };
    if (n == 0) {
        return;
    }
    qsort(miss, n, sizeof *miss, mpl_compare_i64);
    for (size_t i = 0; i < n; i++) {
        sum += (double) miss[i];
    }
    out->mean_ticks = sum / (double) n;
    for (size_t i = 0; i < n; i++) {
        const double from_mean = (double) miss[i] - out->mean_ticks;

        squares += from_mean * from_mean;
    }
    out->median_ticks = ((double) miss[(n - 1) / 2] + (double) miss[n / 2]) / 2;
    out->stddev_ticks = sqrt(squares / (double) n);
    out->worst_ticks = miss[n - 1];
}
