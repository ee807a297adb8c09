/* Which of the differences in computation are more than chance: all of them are tested, so that a few would look so anyhow. */
#include "config.h"

#include "diff/effects_priv.h"

#include <math.h>

/* Of what counts as more than chance, so much may be chance all the same. */
static const double false_share = 0.05;
/* The smallest p that resamples can show should be this much below what is asked for. */
static const double margin = 4;

/* Per run, for as much work as the new runs have. */
static enum mpl_status take_runs(const struct mpl_effects *e, const struct mpl_load *load,
                                 const struct mpl_diff_side *side, double scale,
                                 struct mpl_chance_sample *x, struct mpl_err *err)
{
    double *values = MPL_NEW_ARRAY(e->scratch, side->n, double);

    for (size_t r = 0; r < side->n && values != NULL; r++) {
        const double n = load->new_tasks == 0
                             ? 0
                             : mpl_effects_tasks(e, side->runs[r], load->location, NULL);

        values[r] = scale * mpl_time_total(e->time, side->runs[r], load->location) *
                    (n == 0 ? 1 : (double) load->new_tasks / n);
    }
    *x = (struct mpl_chance_sample){ side->n, values };
    return values == NULL ? mpl_nomem(err) : MPL_OK;
}

static enum mpl_status test_runs(const struct mpl_effects *e, const struct mpl_load *load,
                                 struct mpl_chance *out, struct mpl_err *err)
{
    struct mpl_chance_sample x = { 0 };
    struct mpl_chance_sample y = { 0 };
    enum mpl_status st = take_runs(e, load, &e->diff->sides[1], 1, &x, err);

    st = st == MPL_OK ? take_runs(e, load, &e->diff->sides[0], e->factor, &y, err) : st;
    if (st == MPL_OK) {
        mpl_chance_of_runs(x, y, out);
    }
    return st;
}

static bool is_large(const struct mpl_effects *e, const struct mpl_load *load)
{
    return fabs(load->beyond_s) >= e->diff->least_share * e->diff->sides[0].median_s;
}

/* What is too small to count needs no test, but it is one of those that could have looked like more. */
static enum mpl_status test(const struct mpl_effects *e, struct mpl_load *load,
                            size_t resamples, struct mpl_err *err)
{
    struct mpl_chance chance = { 0, NAN, NAN, 1 };
    enum mpl_status st = MPL_OK;

    if (isnan(load->beyond_s)) {
        chance.p = NAN;
    } else if (mpl_diff_has_repetitions(e->diff)) {
        st = test_runs(e, load, &chance, err);
    } else if (is_large(e, load)) {
        st = mpl_blocks_chance(e, load, resamples, &chance, err);
    }
    load->low_s = chance.low;
    load->high_s = chance.high;
    load->p = chance.p;
    return st;
}

static void mark(struct mpl_effects *e, double *p, double *scratch)
{
    for (uint32_t l = 0; l < e->n_locations; l++) {
        p[l] = e->loads[l].p;
    }

    const double limit = mpl_discovery_limit(p, e->n_locations, false_share, scratch);

    for (uint32_t l = 0; l < e->n_locations; l++) {
        e->loads[l].is_significant = e->loads[l].p <= limit && is_large(e, &e->loads[l]);
    }
}

/*
 * With 999 resamples no p is below 0.001. One location of a thousand needs a smaller one: it gets as many
 * resamples as show that. If more than a few ask for it, 0.001 is small enough.
 */
static enum mpl_status refine(struct mpl_effects *e, struct mpl_err *err)
{
    const double least = 1.0 / (MPL_RESAMPLES + 1);
    const double asked = margin * (double) e->n_locations / false_share;
    enum mpl_status st = MPL_OK;

    for (uint32_t l = 0; l < e->n_locations && st == MPL_OK; l++) {
        if (e->loads[l].p == least && !e->loads[l].is_significant) {
            st = test(e, &e->loads[l], (size_t) asked, err);
        }
    }
    return st;
}

enum mpl_status mpl_loads_weigh(struct mpl_effects *e, struct mpl_err *err)
{
    double *p = MPL_NEW_ARRAY(e->scratch, e->n_locations, double);
    double *scratch = MPL_NEW_ARRAY(e->scratch, e->n_locations, double);
    enum mpl_status st = p == NULL || scratch == NULL ? mpl_nomem(err) : MPL_OK;

    for (uint32_t l = 0; l < e->n_locations && st == MPL_OK; l++) {
        st = test(e, &e->loads[l], MPL_RESAMPLES, err);
    }
    if (st == MPL_OK) {
        mark(e, p, scratch);
        st = refine(e, err);
        mark(e, p, scratch);
    }
    return st;
}
