/*
 * Who computes longer than before. A machine that is slower makes all of them slower by the same factor: the
 * median of their ratios, which a few heavy ones do not move. What is beyond it is somebody's own. Who gets
 * its work from a process that takes what comes first has as much of it as it asks for: that is
 * compared per message, not as a whole.
 */
#include "config.h"

#include "diff/diff_priv.h"

#include <math.h>
#include <stdlib.h>

/* Locations that compute less than this share of the busiest one say nothing about a factor. */
static const double least_busy = 0.01;
/* Smaller factors are what two runs of the same program differ in anyhow. */
static const double least_factor = 1.15;
/* It is common if half of the locations have it within this share. */
static const double most_scatter = 0.1;

/* A location is named if it stands out from the others, and is worth a tenth of the base's run time. */
static const double least_share = 0.1;
static const double least_times = 3;
/* And the run is slower or faster for its sake, or for that of all, if that is half of the difference. */
static const double least_explained = 0.5;
/* Or for whatever reason: single runs of the same program do not differ by a quarter. */
static const double least_unexplained = 0.25;

static double busiest(const struct mpl_load *loads, uint32_t n)
{
    double most = 0;

    for (uint32_t l = 0; l < n; l++) {
        most = loads[l].base_s > most ? loads[l].base_s : most;
    }
    return most;
}

/* 1 also where hardly anything is computed, or each location has its own. */
static double find_factor(const struct mpl_load *loads, uint32_t n, double base_s,
                          double *ratios)
{
    const double most = busiest(loads, n);
    size_t n_ratios = 0;

    if (most < least_share * base_s) {
        return 1;
    }

    for (uint32_t l = 0; l < n; l++) {
        if (loads[l].base_s > 0 && loads[l].base_s >= least_busy * most) {
            ratios[n_ratios++] = loads[l].new_s / (loads[l].work * loads[l].base_s);
        }
    }

    const double factor = n_ratios == 0 ? 1 : mpl_median(ratios, n_ratios);

    for (size_t i = 0; i < n_ratios; i++) {
        ratios[i] = fabs(ratios[i] - factor);
    }
    if (n_ratios == 0 || mpl_median(ratios, n_ratios) > most_scatter * factor) {
        return 1;
    }
    return factor > least_factor || factor < 1 / least_factor ? factor : 1;
}

/* Messages with those who take what comes first. */
static uint64_t count_asked(const struct mpl_comparison *c, const struct mpl_run *run,
                            uint32_t l)
{
    const struct mpl_location *loc = &run->model->locations[l];
    uint64_t n = 0;

    for (uint32_t i = 0; i < loc->n_messages; i++) {
        const uint32_t e = loc->messages[i].envelope;
        const uint32_t peer = e == MPL_NONE ? MPL_NONE : loc->envelopes[e].peer;

        n += peer != MPL_NONE && c->takes_any[peer];
    }
    return n;
}

static void take_load(const struct mpl_comparison *c, uint32_t l, struct mpl_load *out)
{
    const struct mpl_run *base = c->diff.base;
    const struct mpl_run *new = c->diff.new;
    const bool is_taker = c->takes_any[base->model->locations[l].process];
    const uint64_t before = is_taker ? 0 : count_asked(c, base, l);
    const uint64_t now = is_taker ? 0 : count_asked(c, new, l);

    *out = (struct mpl_load){
        .location = l,
        .base_s = mpl_events_totals(base->events, l)->class_s[MPL_SPAN_COMPUTE],
        .new_s = mpl_events_totals(new->events, l)->class_s[MPL_SPAN_COMPUTE],
        .work = before > 0 && now > 0 ? (double) now / (double) before : 1,
    };
}

static int by_excess(const void *x, const void *y)
{
    const struct mpl_load *a = x;
    const struct mpl_load *b = y;

    if (fabs(a->beyond_s) != fabs(b->beyond_s)) {
        return fabs(a->beyond_s) > fabs(b->beyond_s) ? -1 : 1;
    }
    return (a->location > b->location) - (a->location < b->location);
}

/* Those that stand out stand in front. */
static uint32_t count_named(const struct mpl_load *loads, uint32_t n, double base_s,
                            double *scratch)
{
    double typical;
    uint32_t n_named = 0;

    for (uint32_t l = 0; l < n; l++) {
        scratch[l] = fabs(loads[l].beyond_s);
    }
    typical = n == 0 ? 0 : mpl_median(scratch, n);
    while (n_named < n && fabs(loads[n_named].beyond_s) >= least_share * base_s &&
           fabs(loads[n_named].beyond_s) >= least_times * typical) {
        n_named++;
    }
    return n_named;
}

/* What computation explains of the difference in run time: of who stands out most, or of who computes longest,
 * as no run is shorter than that, or of all on average. NaN: there is no difference. */
static double explain(const struct mpl_diff *diff, double difference_s)
{
    double longest_s[2] = { 0, 0 };
    double mean_s = 0;
    double share;

    if (difference_s == 0 || diff->n_loads == 0) {
        return NAN;
    }
    for (uint32_t l = 0; l < diff->n_loads; l++) {
        longest_s[0] = fmax(longest_s[0], diff->loads[l].base_s);
        longest_s[1] = fmax(longest_s[1], diff->loads[l].new_s);
        mean_s += (diff->loads[l].new_s - diff->loads[l].base_s) / diff->n_loads;
    }
    share = fmax(mean_s / difference_s, (longest_s[1] - longest_s[0]) / difference_s);
    if (diff->n_named > 0) {
        share = fmax(share, diff->loads[0].beyond_s / difference_s);
    }
    return fmin(1, share);
}

enum mpl_status mpl_loads_compare(struct mpl_comparison *c, struct mpl_err *err)
{
    const uint32_t n = c->n_locations;
    const double base_s = mpl_events_measured_s(c->diff.base->events);
    const double difference_s = mpl_events_measured_s(c->diff.new->events) - base_s;
    struct mpl_load *loads = MPL_NEW_ARRAY(c->arena, n, struct mpl_load);
    double *scratch = MPL_NEW_ARRAY(c->arena, n, double);

    if (loads == NULL || scratch == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < n; l++) {
        take_load(c, l, &loads[l]);
    }
    c->diff.factor = find_factor(loads, n, base_s, scratch);
    for (uint32_t l = 0; l < n; l++) {
        loads[l].beyond_s =
            loads[l].new_s - c->diff.factor * loads[l].work * loads[l].base_s;
    }
    if (n > 0) {
        qsort(loads, n, sizeof *loads, by_excess);
    }
    c->diff.loads = loads;
    c->diff.n_loads = n;
    c->diff.n_named = count_named(loads, n, base_s, scratch);
    c->diff.explained_share = explain(&c->diff, difference_s);
    return MPL_OK;
}

void mpl_loads_judge(struct mpl_diff *diff)
{
    const double base_s = mpl_events_measured_s(diff->base->events);
    const double more_s = mpl_events_measured_s(diff->new->events) - base_s;
    const bool is_explained = diff->n_loads > 0 && diff->explained_share >= least_explained;
    const bool counts = fabs(more_s) >= least_unexplained * base_s ||
                        (fabs(more_s) >= least_share * base_s && is_explained);

    diff->is_slower = counts && more_s > 0;
    diff->is_unexplained = counts && !is_explained;
    if (diff->verdict == MPL_DIFF_SAME && counts) {
        diff->verdict = more_s > 0 ? MPL_DIFF_SLOWER : MPL_DIFF_FASTER;
    }
}
