/*
 * How long calls of each function take: mean, median, deviation and quantiles, the tables with statistics of
 * section 4.6. A call counts where it ends, with its time inside of the selection, so the sums over all of a run are those
 * of its threads. Computation between calls is a row like others.
 *
 * A quantile is the smallest time that so many of all are not above: always one that was measured.
 */
#include "config.h"

#include "view/view_priv.h"

#include <math.h>

static const struct mpl_column columns[] = {
    { "region", NULL, "the call, or the function with most of a stretch of computation" },
    { "class", NULL, "compute, p2p, collective, other, startup or shutdown" },
    { "calls", "1", "that end in the selection; of computation stretches between calls" },
    { "time", "s", "all of them together, waiting included" },
    { "wait", "s", "of this, for others" },
    { "mean", "s", "of a call" },
    { "median", "s", "half is not above" },
    { "deviation", "s", "standard deviation of the calls" },
    { "most", "s", "the longest one" },
    { "least", "s", "the shortest one" },
    { "lower_quartile", "s", "a quarter is not above" },
    { "upper_quartile", "s", "three quarters are not above" },
    { "percentile_95", "s", "of 100, 95 are not above" },
    { "location", NULL, "of the longest one" },
    { "record", NULL, "where that begins" },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

struct sample {
    uint32_t class;
    uint32_t region;
    int64_t ticks;
    int64_t wait_ticks;
    uint32_t location;
    uint32_t number; /* of the span */
};

/* By function, and in it the shortest first; of equals the first one of the trace is the last. */
static int by_function(const void *x, const void *y)
{
    const struct sample *a = x;
    const struct sample *b = y;

    if (a->class != b->class) {
        return a->class > b->class ? 1 : -1;
    }
    if (a->region != b->region) {
        return a->region > b->region ? 1 : -1;
    }
    if (a->ticks != b->ticks) {
        return a->ticks > b->ticks ? 1 : -1;
    }
    return a->location != b->location
               ? (a->location < b->location) - (a->location > b->location)
               : (a->number < b->number) - (a->number > b->number);
}

static bool collect(const struct mpl_selection *s, struct mpl_buf *samples)
{

    for (uint32_t l = 0; l < s->run->model->n_locations; l++) {
        for (struct mpl_piece p = mpl_pieces_of(s, l); mpl_piece_next(s, &p);) {
            if (!p.ends_inside || (p.number % 2 == 0 && p.end_ticks <= p.begin_ticks)) {
                continue;
            }
            const struct sample sample = { .class = p.span.class,
                                           .region = p.span.region,
                                           .ticks = p.end_ticks - p.begin_ticks,
                                           .wait_ticks = p.wait_ticks,
                                           .location = l,
                                           .number = p.number };

            if (!mpl_buf_put(samples, &sample)) {
                return false;
            }
        }
    }
    mpl_sort(samples->data, samples->n, sizeof(struct sample), by_function);
    return true;
}

static int64_t quantile(const struct sample *samples, size_t n, unsigned percent)
{
    const size_t rank = (n * percent + 99) / 100;

    return samples[rank > 0 ? rank - 1 : 0].ticks;
}

static enum mpl_status emit(const struct mpl_selection *s, const struct sample *of,
                            size_t n, struct mpl_view_rows *rows, struct mpl_err *err)
{
    const struct sample *longest = &of[n - 1];
    int64_t sum = 0;
    int64_t wait = 0;
    double squares = 0;

    for (size_t i = 0; i < n; i++) {
        sum += of[i].ticks;
        wait += of[i].wait_ticks;
    }
    const double mean_s = mpl_model_seconds(s->run->model, sum) / (double) n;
    for (size_t i = 0; i < n; i++) {
        const double off_s = mpl_model_seconds(s->run->model, of[i].ticks) - mean_s;

        squares += off_s * off_s;
    }
    struct mpl_cell cells[N_COLUMNS] = {
        mpl_cell_region(s, of->region),
        mpl_cell_text(mpl_span_class_name((enum mpl_span_class) of->class)),
        mpl_cell_whole(n),
        mpl_cell_seconds(s, sum),
        mpl_cell_seconds(s, wait),
        mpl_cell_number(mean_s),
        mpl_cell_seconds(s, quantile(of, n, 50)),
        mpl_cell_number(sqrt(squares / (double) n)),
        mpl_cell_seconds(s, longest->ticks),
        mpl_cell_seconds(s, of->ticks),
        mpl_cell_seconds(s, quantile(of, n, 25)),
        mpl_cell_seconds(s, quantile(of, n, 75)),
        mpl_cell_seconds(s, quantile(of, n, 95)),
        mpl_cell_location(s, longest->location),
    };

    return mpl_view_put_call(rows, longest->location, longest->number, cells, err);
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    struct mpl_buf samples = mpl_buf_make(sizeof(struct sample));
    enum mpl_status st = collect(s, &samples) ? MPL_OK : mpl_nomem(err);

    for (size_t i = 0; i < samples.n && st == MPL_OK;) {
        const struct sample *first = mpl_buf_get(&samples, i);
        size_t n = 1;

        while (i + n < samples.n && first[n].class == first->class &&
               first[n].region == first->region) {
            n++;
        }
        st = emit(s, first, n, rows, err);
        i += n;
    }
    mpl_buf_free(&samples);
    return st;
}

const struct mpl_view mpl_view_statistics = {
    .name = "statistics",
    .says = "how long calls of each function take: mean, median, deviation, quantiles",
    .mark = MPL_MARK_BARS,
    .axes = { .of = { 0, 1 }, .n_of = 2 },
    MPL_COLUMNS(columns),
    .by = 3,
    .make = make,
};
