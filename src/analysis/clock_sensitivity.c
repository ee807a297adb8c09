/*
 * Which findings could change if the clocks were as wrong as they may be.
 *
 * What the clocks can change of all waits of a run together (clock_doubt.h) is compared with
 * what a finding says is lost. That is a bound: errors of clocks hardly ever add up so. What is not
 * marked holds with any clocks within their bounds; what is marked may hold as well.
 */
#include "config.h"

#include "analysis/analysis_priv.h"

#include "run/clock_doubt.h"

#include <math.h>

/* A loss of which clocks can take this share is not known well enough to act on: it could as well be
 * the next smaller cause. */
static const double sensitive_share = 0.25;

/* ---- clocks that nothing limits ------------------------------------------------------------- */

static bool names_unlimited(const struct mpl_run *run, const struct mpl_clock_doubt *doubt,
                            const char *const *labels, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t l = mpl_model_find_location(run->model, labels[i]);

        if (l != MPL_NONE && doubt->is_unlimited[run->model->locations[l].process]) {
            return true;
        }
    }
    return false;
}

/* Waiting of one process, or for it, with those whose clocks nothing limits at the other end. */
static double unlimited_wait_s(const struct mpl_run *run,
                               const struct mpl_clock_doubt *doubt, uint32_t process)
{
    uint32_t n = 0;
    const struct mpl_edge *edges = mpl_events_edges(run->events, &n);
    double sum_s = 0;

    for (uint32_t i = 0; i < n; i++) {
        if ((edges[i].to == process && doubt->is_unlimited[edges[i].from]) ||
            (edges[i].from == process && doubt->is_unlimited[edges[i].to])) {
            sum_s += edges[i].wait_s;
        }
    }
    return sum_s;
}

/* Whether what a finding claims of limited locations is waiting for, or of, unlimited ones. */
static bool waits_for_unlimited(const struct mpl_run *run,
                                const struct mpl_clock_doubt *doubt,
                                const struct mpl_diagnosed *d)
{
    double sum_s = 0;

    for (size_t i = 0; i < d->finding->n_locations; i++) {
        const uint32_t l = mpl_model_find_location(run->model, d->finding->locations[i]);

        if (l != MPL_NONE && run->model->locations[l].thread == 0) {
            sum_s += unlimited_wait_s(run, doubt, run->model->locations[l].process);
        }
    }
    return sum_s > sensitive_share * d->lost_s;
}

/* A finding that names no locations is about all of them. */
static bool is_unlimited(const struct mpl_run *run, const struct mpl_clock_doubt *doubt,
                         const struct mpl_diagnosed *d)
{
    const struct mpl_finding *f = d->finding;

    return doubt->n_unlimited > 0 && !f->has_own_clocks &&
           (f->n_locations == 0 ||
            names_unlimited(run, doubt, f->locations, f->n_locations) ||
            names_unlimited(run, doubt, f->culprits, f->n_culprits) ||
            waits_for_unlimited(run, doubt, d));
}

static const char *unlimited_text(struct mpl_analysis *a, const struct mpl_run *run,
                                  const struct mpl_clock_doubt *doubt)
{
    const char *label = run->model->locations[doubt->unlimited].label;

    return doubt->n_unlimited == 1
               ? mpl_arena_printf(a->arena,
                                  "no message limits the clock error of process %s", label)
               : mpl_arena_printf(
                     a->arena,
                     "no message limits the clock errors of process %s and %u more", label,
                     (unsigned) doubt->n_unlimited - 1);
}

/* ---- findings --------------------------------------------------------------------------------- */

static const char *range_text(struct mpl_analysis *a, const struct mpl_diagnosed *d)
{
    const char *low = mpl_text_seconds(a->arena, d->clock_low_s);
    const char *high = mpl_text_seconds(a->arena, d->clock_high_s);

    return low == NULL || high == NULL
               ? NULL
               : mpl_arena_printf(a->arena,
                                  "the clocks' bounds allow a loss between %s and %s", low,
                                  high);
}

/* Of the waits that the culprits are blamed for, or are not. */
static double contested_s(const struct mpl_run *run, const struct mpl_clock_doubt *doubt,
                          const struct mpl_finding *f)
{
    double sum_s = 0;

    for (size_t i = 0; i < f->n_culprits; i++) {
        const uint32_t l = mpl_model_find_location(run->model, f->culprits[i]);

        sum_s += l != MPL_NONE ? doubt->blame_s[l] : 0;
    }
    return sum_s;
}

/* A finding without a figure says nothing that a quarter less would change. */
static enum mpl_status weigh(struct mpl_analysis *a, const struct mpl_clock_doubt *doubt,
                             struct mpl_diagnosed *d, struct mpl_err *err)
{
    const struct mpl_run *run = &a->runs[d->run];

    if (is_unlimited(run, doubt, d)) {
        d->is_clock_sensitive = true;
        d->clock_reason = unlimited_text(a, run, doubt);
    } else if (!doubt->is_none && !isnan(d->lost_s)) {
        const bool is_moved = !d->finding->has_own_clocks;
        const double blame_s = contested_s(run, doubt, d->finding);

        d->clock_low_s = fmax(0, d->lost_s - (is_moved ? doubt->less_s + blame_s : 0));
        d->clock_high_s = d->lost_s + (is_moved ? doubt->more_s + blame_s : 0);
        d->is_clock_sensitive = d->lost_s - d->clock_low_s > sensitive_share * d->lost_s;
        d->clock_reason = d->is_clock_sensitive ? range_text(a, d) : NULL;
    }
    return d->is_clock_sensitive && d->clock_reason == NULL ? mpl_nomem(err) : MPL_OK;
}

/* ---- the verdict ------------------------------------------------------------------------------ */

static const char *verdict_text(struct mpl_analysis *a, double moved_s)
{
    const char *moved = mpl_text_seconds(a->arena, moved_s);

    return moved == NULL ? NULL
                         : mpl_arena_printf(a->arena,
                                            "clock errors could change waits by %s in sum, "
                                            "enough for another verdict",
                                            moved);
}

static double most_moved_s(const struct mpl_run *run, const struct mpl_clock_doubt *doubt)
{
    double blame_s = 0;

    for (uint32_t l = 0; l < run->model->n_locations; l++) {
        blame_s = fmax(blame_s, doubt->blame_s[l]);
    }
    return fmax(doubt->less_s, doubt->more_s) + blame_s;
}

/* What decides is the leading cause where it is a problem, else all processes together. */
static enum mpl_status weigh_group(struct mpl_analysis *a,
                                   const struct mpl_clock_doubt *doubts,
                                   const struct mpl_group_verdict *g, struct mpl_err *err)
{
    struct mpl_diagnosis *d = &a->diagnosis;
    const struct mpl_diagnosed *leading = d->leading;
    const uint32_t r = leading != NULL ? leading->run : g->group->speaker;
    const struct mpl_run *run = &a->runs[r];
    const struct mpl_clock_doubt *doubt = &doubts[r];
    const double moved_s =
        leading != NULL ? leading->lost_s - leading->clock_low_s : most_moved_s(run, doubt);

    if (leading != NULL ? is_unlimited(run, doubt, leading) : doubt->n_unlimited > 0) {
        d->verdict_clock_reason = unlimited_text(a, run, doubt);
    } else if (moved_s > mpl_verdict_margin_s(a, g)) {
        d->verdict_clock_reason = verdict_text(a, moved_s);
    } else {
        return MPL_OK;
    }
    d->is_verdict_clock_sensitive = true;
    return d->verdict_clock_reason == NULL ? mpl_nomem(err) : MPL_OK;
}

/* ---- the whole -------------------------------------------------------------------------------- */

enum mpl_status mpl_clocks_doubt(const struct mpl_analysis *a, struct mpl_arena *arena,
                                 struct mpl_clock_doubt **out, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    *out = MPL_NEW_ARRAY(arena, a->n_runs, struct mpl_clock_doubt);
    if (*out == NULL) {
        return mpl_nomem(err);
    }
    for (size_t r = 0; r < a->n_runs && st == MPL_OK; r++) {
        if (mpl_run_is_usable(&a->runs[r])) {
            st = mpl_doubt_create(&a->runs[r], arena, &(*out)[r], err);
        }
    }
    return st;
}

enum mpl_status mpl_clocks_weigh(struct mpl_analysis *a, struct mpl_err *err)
{
    const struct mpl_clock_doubt *doubts = a->clock_doubts;
    const struct mpl_diagnosis *d = &a->diagnosis;
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < d->n_findings && st == MPL_OK; i++) {
        st = weigh(a, &doubts[a->findings[i].run], &a->findings[i], err);
    }
    for (size_t i = 0; i < d->sets.n_groups && st == MPL_OK; i++) {
        const struct mpl_group_verdict *g = &d->group_verdicts[i];

        if (!d->is_verdict_clock_sensitive &&
            (d->leading == NULL || mpl_group_of(&d->sets, d->leading->run) == g->group)) {
            st = weigh_group(a, doubts, g, err);
        }
    }
    return st;
}
