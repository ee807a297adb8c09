/*
 * Who computes longer than before. A machine that is slower makes all of them slower by the same factor; what is beyond it is
 * somebody's own. Who gets its work from a process that takes what comes first has as much of it as it asks for: that
 * is compared per task, not as a whole.
 */
#include "config.h"

#include "diff/effects_priv.h"

#include <math.h>
#include <stdlib.h>

/* Of single runs, a location that stands out from the others by this is named even if one or few of its calls are all of it. */
static const double least_times = 3;
/* And the run is slower or faster for its sake, or for that of all, if that is half of the difference. */
static const double least_explained = 0.5;
/* Or for whatever reason: single runs of the same program do not differ by a quarter, unless the machine has more to do. */
static const double least_unexplained = 0.25;

/* ---- per location ------------------------------------------------------------------------------------- */

/* Medians over the runs of a side; \p values has room for them. */
static void take_side(const struct mpl_effects *e, const struct mpl_diff_side *side,
                      uint32_t l, double *values, double *computed_s, double *n_tasks)
{
    for (size_t r = 0; r < side->n; r++) {
        values[r] = mpl_time_total(e->time, side->runs[r], l);
    }
    *computed_s = mpl_median(values, side->n);
    for (size_t r = 0; r < side->n; r++) {
        values[r] = mpl_effects_tasks(e, side->runs[r], l, NULL);
    }
    *n_tasks = mpl_median(values, side->n);
}

static void take_load(const struct mpl_effects *e, uint32_t l, double *values,
                      struct mpl_load *out)
{
    double before;
    double now;

    *out = (struct mpl_load){
        .location = l, .work = 1, .caused_base_s = NAN, .caused_new_s = NAN
    };
    take_side(e, &e->diff->sides[0], l, values, &out->base_s, &before);
    take_side(e, &e->diff->sides[1], l, values, &out->new_s, &now);
    /* Who hands out work does not get it from others. */
    if (before > 0 && now > 0 &&
        !e->takes_any[e->diff->base->model->locations[l].process]) {
        out->base_tasks = (uint64_t) before;
        out->new_tasks = (uint64_t) now;
        out->work = now / before;
    }
}

/* ---- who counts --------------------------------------------------------------------------------------- */

static double size_of(const struct mpl_load *load)
{
    return isnan(load->beyond_s) ? -1 : fabs(load->beyond_s);
}

/* Those that count in front. */
static int by_importance(const void *x, const void *y)
{
    const struct mpl_load *a = x;
    const struct mpl_load *b = y;

    if (a->is_significant != b->is_significant) {
        return a->is_significant ? -1 : 1;
    }
    if (size_of(a) != size_of(b)) {
        return size_of(a) > size_of(b) ? -1 : 1;
    }
    return (a->location > b->location) - (a->location < b->location);
}

static uint32_t count_named(const struct mpl_effects *e, double *scratch)
{
    const struct mpl_load *loads = e->loads;
    const double least_s = e->diff->least_share * e->diff->sides[0].median_s;
    const bool are_single = !mpl_diff_has_repetitions(e->diff);
    uint32_t n_named = 0;

    for (uint32_t l = 0; l < e->n_locations; l++) {
        scratch[l] = fmax(size_of(&loads[l]), 0);
    }
    const double typical = e->n_locations == 0 ? 0 : mpl_median(scratch, e->n_locations);
    while (n_named < e->n_locations &&
           (loads[n_named].is_significant ||
            (are_single && size_of(&loads[n_named]) >= least_s &&
             size_of(&loads[n_named]) >= least_times * typical))) {
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

    if (difference_s == 0 || diff->n_loads == 0) {
        return NAN;
    }
    for (uint32_t l = 0; l < diff->n_loads; l++) {
        longest_s[0] = fmax(longest_s[0], diff->loads[l].base_s);
        longest_s[1] = fmax(longest_s[1], diff->loads[l].new_s);
        mean_s += (diff->loads[l].new_s - diff->loads[l].base_s) / diff->n_loads;
    }
    double share =
        fmax(mean_s / difference_s, (longest_s[1] - longest_s[0]) / difference_s);
    if (diff->n_named > 0) {
        share = fmax(share, diff->loads[0].beyond_s / difference_s);
    }
    return fmin(1, share);
}

/* Why the run takes longer or shorter. Only that needs waits. */
static enum mpl_status find_why(struct mpl_effects *e, struct mpl_err *err)
{
    enum mpl_status st = mpl_events_complete(e->diff->base->events, err);

    st = st == MPL_OK ? mpl_events_complete(e->diff->new->events, err) : st;
    st = st == MPL_OK ? mpl_blame(e, err) : st;
    st = st == MPL_OK ? mpl_closing_check(e, err) : st;
    return st == MPL_OK ? mpl_calls_compare(e, err) : st;
}

enum mpl_status mpl_loads_measure(struct mpl_effects *e, struct mpl_err *err)
{
    const size_t n_runs = e->diff->sides[0].n + e->diff->sides[1].n;
    double *scratch = MPL_NEW_ARRAY(e->scratch, n_runs, double);

    e->loads = MPL_NEW_ARRAY(e->arena, e->n_locations, struct mpl_load);
    if (e->loads == NULL || scratch == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < e->n_locations; l++) {
        take_load(e, l, scratch, &e->loads[l]);
    }
    return MPL_OK;
}

enum mpl_status mpl_loads_rank(struct mpl_effects *e, struct mpl_err *err)
{
    double *scratch = MPL_NEW_ARRAY(e->scratch, e->n_locations, double);

    for (uint32_t l = 0; l < e->n_locations; l++) {
        struct mpl_load *load = &e->loads[l];

        load->beyond_s = mpl_load_is_comparable(load)
                             ? load->new_s - e->factor * load->work * load->base_s
                             : NAN;
    }
    const enum mpl_status st = scratch == NULL ? mpl_nomem(err) : mpl_loads_weigh(e, err);
    if (st == MPL_OK && e->n_locations > 0) {
        qsort(e->loads, e->n_locations, sizeof *e->loads, by_importance);
        e->n_named = count_named(e, scratch);
    }
    return st;
}

static enum mpl_status find_places(struct mpl_effects *e, struct mpl_err *err)
{
    struct mpl_buf found = mpl_buf_make(sizeof(struct mpl_place_load));
    enum mpl_status st = mpl_where_find(e, &found, err);

    if (st == MPL_OK && found.n > 0) {
        e->diff->n_places = found.n;
        e->diff->places = mpl_buf_take(&found, e->arena);
        st = e->diff->places == NULL ? mpl_nomem(err) : MPL_OK;
    }
    mpl_buf_free(&found);
    return st;
}

static enum mpl_status compare(struct mpl_effects *e, struct mpl_err *err)
{
    struct mpl_diff *diff = e->diff;
    const double more_s = diff->sides[1].median_s - diff->sides[0].median_s;
    double *scratch = MPL_NEW_ARRAY(e->scratch, 2 * (size_t) e->n_locations, double);
    enum mpl_status st = scratch == NULL ? mpl_nomem(err) : mpl_loads_measure(e, err);

    if (st == MPL_OK) {
        e->factor = diff->factor = mpl_common_factor(e, scratch);
        st = mpl_loads_rank(e, err);
    }
    if (st == MPL_OK && e->n_locations > 0) {
        diff->loads = e->loads;
        diff->n_loads = e->n_locations;
        diff->n_named = e->n_named;
        diff->explained_share = explain(diff, more_s);
        st = find_places(e, err);
        /* Else nobody asks why the run takes longer or shorter. */
        st = st == MPL_OK && fabs(more_s) >= diff->least_share * diff->sides[0].median_s &&
                     !mpl_diff_may_be_chance(diff)
                 ? find_why(e, err)
                 : st;
    }
    return st;
}

enum mpl_status mpl_loads_compare(struct mpl_comparison *c, const struct mpl_sequence *base,
                                  const struct mpl_sequence *new, struct mpl_err *err)
{
    struct mpl_effects e = { .comparison = c,
                             .diff = &c->diff,
                             .takes_any = c->takes_any,
                             .n_locations = c->n_locations,
                             .base = base,
                             .new = new,
                             .looseness = c->looseness,
                             .has_parts = c->options.has_parts,
                             .symbols = c->symbols,
                             .loops = c->loops,
                             .arena = c->arena,
                             .scratch = mpl_arena_create() };
    const enum mpl_status st = e.scratch == NULL ? mpl_nomem(err) : compare(&e, err);

    mpl_arena_destroy(e.scratch);
    return st;
}

static bool is_more_than_chance(const struct mpl_diff *diff, double more_s,
                                bool is_explained)
{
    const double base_s = diff->sides[0].median_s;
    const uint32_t *iterations = diff->loose_iterations;
    /* On a busy machine everybody computes longer now and then, so that it adds up, but nobody stands out. */
    const bool has_reason = diff->n_roles > 0 || diff->n_named > 0 || diff->factor != 1;

    if (mpl_diff_has_repetitions(diff)) {
        return fabs(more_s) >= diff->least_share * base_s && !mpl_diff_may_be_chance(diff);
    }
    return iterations[0] == iterations[1] &&
           (fabs(more_s) >= least_unexplained * base_s ||
            (fabs(more_s) >= diff->least_share * base_s && is_explained && has_reason));
}

void mpl_loads_judge(struct mpl_diff *diff)
{
    const double more_s = diff->sides[1].median_s - diff->sides[0].median_s;
    const bool is_explained =
        diff->n_loads + diff->n_roles > 0 && diff->explained_share >= least_explained;
    const bool counts = is_more_than_chance(diff, more_s, is_explained);

    diff->is_slower = counts && more_s > 0;
    diff->is_unexplained = counts && !is_explained;
    if (diff->verdict == MPL_DIFF_SAME && counts) {
        diff->verdict = more_s > 0 ? MPL_DIFF_SLOWER : MPL_DIFF_FASTER;
    }
}
