#include "config.h"

#include "clock/clock_priv.h"

#include <math.h>
#include <stdlib.h>

/* How far messages are received before they were sent; what EventSpace calls a
 * miss. */
struct misses {
    struct mpl_buf miss; /* int64_t, > 0 */
    uint64_t n;
    bool is_short;
};

static void see_pair(void *context, const struct mpl_order_pair *pair)
{
    struct misses *misses = context;
    const int64_t ticks = mpl_ticks_minus(pair->sent_ticks, pair->received_ticks);
    int64_t *miss;

    misses->n++;
    if (ticks <= 0) {
        return;
    }
    miss = mpl_buf_add(&misses->miss);
    if (miss == NULL) {
        misses->is_short = true;
        return;
    }
    *miss = ticks;
}

static int compare_ticks(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *) a;
    const int64_t y = *(const int64_t *) b;

    return (x > y) - (x < y);
}

static void describe(int64_t *miss, size_t n, struct mpl_clock_accuracy *out)
{
    double sum = 0;
    double squares = 0;

    qsort(miss, n, sizeof *miss, compare_ticks);
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

enum mpl_status mpl_clock_measure(const struct mpl_order_view *view,
                                  struct mpl_clock_accuracy *out, struct mpl_err *err)
{
    struct misses misses = { .miss = mpl_buf_make(sizeof(int64_t)) };
    struct mpl_clock_accuracy accuracy = { 0 };

    mpl_order_walk_pairs(view, see_pair, &misses);
    if (misses.is_short) {
        mpl_buf_free(&misses.miss);
        return mpl_nomem(err);
    }
    accuracy.n = misses.n;
    accuracy.n_correct = misses.n - misses.miss.n;
    if (misses.miss.n > 0) {
        describe(misses.miss.data, misses.miss.n, &accuracy);
    }
    mpl_buf_free(&misses.miss);
    *out = accuracy;
    return MPL_OK;
}
