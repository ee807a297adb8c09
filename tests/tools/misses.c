#include "config.h"

#include "misses.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Messages while they are visited. */
struct visit {
    struct mpl_buf misses; /* int64_t */
    uint64_t n_messages;
    bool is_full;
};

static void see_pair(void *context, const struct mpl_order_pair *pair)
{
    struct visit *visit = context;
    const int64_t missed = mpl_ticks_minus(pair->sent_ticks, pair->received_ticks);

    visit->n_messages++;
    if (missed > 0) {
        int64_t *added = mpl_buf_add(&visit->misses);

        if (added == NULL) {
            visit->is_full = true;
        } else {
            *added = missed;
        }
    }
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *) a;
    const int64_t y = *(const int64_t *) b;

    return (x > y) - (x < y);
}

static void summarize(const struct mpl_model *model, struct visit *visit,
                      struct miss_table *out)
{
    const size_t n = visit->misses.n;
    const int64_t *misses = visit->misses.data;
    double sum_s = 0;
    double squares = 0;

    *out = (struct miss_table){ .n_messages = visit->n_messages, .n_missed = n };
    out->correct_share =
        visit->n_messages == 0 ? 1 : 1 - (double) n / (double) visit->n_messages;
    if (n == 0) {
        return;
    }
    qsort(visit->misses.data, n, sizeof *misses, compare);
    for (size_t i = 0; i < n; i++) {
        sum_s += mpl_model_seconds(model, misses[i]);
    }
    out->mean_s = sum_s / (double) n;
    for (size_t i = 0; i < n; i++) {
        const double off_s = mpl_model_seconds(model, misses[i]) - out->mean_s;

        squares += off_s * off_s;
    }
    out->stddev_s = sqrt(squares / (double) n);
    out->median_s = (mpl_model_seconds(model, misses[(n - 1) / 2]) +
                     mpl_model_seconds(model, misses[n / 2])) /
                    2;
}

enum mpl_status misses_measure(struct mpl_model *model, const struct mpl_match *match,
                               enum mpl_clock_choice choice, struct mpl_arena *arena,
                               struct miss_table *out, struct mpl_err *err)
{
    struct mpl_clock_options options = mpl_clock_defaults();
    struct visit visit = { .misses = mpl_buf_make(sizeof(int64_t)) };
    const struct mpl_clock *clock = NULL;
    struct mpl_order_view *view = NULL;
    enum mpl_status st;

    options.choice = choice;
    options.repair.is_off = true;
    st = mpl_clock_correct(model, match, &options, NULL, arena, &clock, err);
    if (st == MPL_OK) {
        st = mpl_order_view_create(model, match, arena, &view, err);
    }
    if (st != MPL_OK) {
        return st;
    }
    mpl_order_walk_pairs(view, see_pair, &visit);
    if (!visit.is_full) {
        summarize(model, &visit, out);
    }
    mpl_buf_free(&visit.misses);
    return visit.is_full ? mpl_nomem(err) : MPL_OK;
}

void misses_print(const char *what, const struct miss_table *table, FILE *out)
{
    (void) fprintf(out,
                   "%-12s %8" PRIu64 " messages  correct %6.2f %%  misses: mean %9.3f us  "
                   "median %9.3f us  standard deviation %9.3f us\n",
                   what, table->n_messages, 100 * table->correct_share, 1e6 * table->mean_s,
                   1e6 * table->median_s, 1e6 * table->stddev_s);
}
