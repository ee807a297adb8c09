/*
 * How far each cause, and the verdict, can be relied on: one word, by one rule.
 *
 *   doubtful  something known to be missing or uncertain is as large as the cause itself: what a
 *             damaged trace lacks, what clocks leave open, what differs from run to run; or another
 *             cause spoils what it rests on, such as too few cores; or the
 *             rule itself says that it only infers it (confidence below 0.65); or two of the next
 *   likely    nothing of that, but one of: the rules were stopped; other programs used the
 *             machine; the trace is damaged; a part of it is open by the clocks; a tenth of the time is in calls whose partners are not recorded; no pattern of the program
 *             was found, or one that explains less than nineteen twentieths of the communication; the
 *             rule leaves room for other reasons (confidence below 0.85); the cause is as small as the
 *             noise of a shared machine may be
 *   sure      none of these
 *
 * Where clocks leave open who waited for whom, but all who are to blame compute longer than the others
 * by their own clocks, that much is certain, and the cause is likely.
 *
 * That there is no problem is likely where a tenth of the time is lost for unknown reasons or spent in calls without
 * recorded partners, and doubtful where clocks leave it open or an observation says that times may be wrong.
 *
 * The first reason that holds is given. Nothing else in the report speaks of it.
 */
#include "config.h"

#include "analysis/analysis_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rules below this infer a cause from what it would lead to, not from what it is. */
static const double inferred = 0.65;
static const double certain = 0.85;
/* Of what a cause costs: if the clocks may take more than this of it away, it may be none. */
static const double mostly = 0.5;
static const double well_covered = 0.95;

const char *mpl_certainty_name(enum mpl_certainty certainty)
{
    static const char *const names[] = { [MPL_CERTAINTY_SURE] = "sure",
                                         [MPL_CERTAINTY_LIKELY] = "likely",
                                         [MPL_CERTAINTY_DOUBTFUL] = "doubtful" };

    return names[certainty];
}

/* ---- what weakens --------------------------------------------------------------------------- */

/* Time without a core says how others were scheduled, not how much a process has to do. */
static double compute_s(const struct mpl_run *run, uint32_t location)
{
    const double all_s =
        mpl_events_totals(run->events, location)->class_s[MPL_SPAN_COMPUTE];
    const struct mpl_cpu *cpu = &run->model->locations[location].cpu;

    return cpu->n_samples > 1 ? all_s - cpu->descheduled_s : all_s;
}

/* The median of what processes compute. */
static double typical_compute_s(struct mpl_analysis *a, const struct mpl_run *run)
{
    const uint32_t n_locations = run->model->n_locations;
    double *values = MPL_NEW_ARRAY(a->arena, n_locations, double);
    uint32_t n = 0;

    for (uint32_t l = 0; l < n_locations && values != NULL; l++) {
        if (run->model->locations[l].thread == 0 && run->model->locations[l].n_events > 0) {
            values[n++] = compute_s(run, l);
        }
    }
    return mpl_median(values, n);
}

/* Than others, by a threshold of the rules. */
static bool do_culprits_compute_longer(struct mpl_analysis *a,
                                       const struct mpl_diagnosed *d, const char *threshold)
{
    const struct mpl_run *run = &a->runs[d->run];
    const double least_s =
        mpl_infer_threshold(a->infer, threshold) * typical_compute_s(a, run);

    for (size_t i = 0; i < d->finding->n_culprits; i++) {
        const uint32_t location =
            mpl_model_find_location(run->model, d->finding->culprits[i]);

        if (location == MPL_NONE || !(compute_s(run, location) >= least_s)) {
            return false;
        }
    }
    return d->finding->n_culprits > 0;
}

static const char *doubt_of(struct mpl_analysis *a, const struct mpl_diagnosed *d)
{
    const struct mpl_run *run = &a->runs[d->run];

    if (run->unknown_s > 0 &&
        run->unknown_s >= (isnan(d->lost_s) ? 0 : d->lost_s + d->outer_s)) {
        return "the trace is damaged and lacks more than that";
    }
    if (d->is_within_spread) {
        return "it differs from run to run";
    }
    if (d->doubt != NULL) {
        return d->doubt;
    }
    if (d->is_clock_sensitive &&
        (isnan(d->clock_low_s) || d->clock_low_s < mostly * d->lost_s) &&
        !do_culprits_compute_longer(a, d, "heavy")) {
        return "the clocks are not known well enough to tell";
    }
    if (d->finding->confidence < inferred) {
        return "it is inferred, not seen";
    }
    return NULL;
}

/* Share of the process time in calls whose partners are not recorded. */
static double unrecorded_share(const struct mpl_run *run)
{
    double unknown_s = 0;

    for (uint32_t l = 0; run->events != NULL && l < run->model->n_locations; l++) {
        unknown_s += mpl_events_totals(run->events, l)->unknown_s;
    }
    return run->window_s > 0 ? unknown_s / (run->window_s * run->model->n_locations) : 0;
}

/* Of the pattern whose rules found it or, where those fit every run, of the best one that was
 * recognised; 0: there is none. */
static double coverage_of(struct mpl_analysis *a, const struct mpl_diagnosed *d)
{
    const struct trial *own = mpl_trials_find(a, d->finding->run, d->finding->pattern);
    double coverage = 0;

    if (own == NULL) {
        return 1;
    }
    if (mpl_pattern_is_structural(own->shown.pattern)) {
        return own->shown.coverage;
    }
    for (size_t i = 0; i < a->n_trials; i++) {
        const struct mpl_trial *t = &a->trials[i].shown;

        if (t->is_chosen && t->run == own->shown.run &&
            mpl_pattern_is_structural(t->pattern)) {
            coverage = fmax(coverage, t->coverage);
        }
    }
    return coverage;
}

/* An observation that something outside of the program may have changed its times: its clause; or NULL. */
static const char *disturbance_of(const struct mpl_analysis *a, uint32_t run)
{
    for (size_t i = 0; i < a->diagnosis.n_findings; i++) {
        const struct mpl_diagnosed *d = &a->findings[i];

        if (d->run == run && d->finding->doubt != NULL && !mpl_diagnosed_is_cause(d)) {
            return d->finding->doubt;
        }
    }
    return NULL;
}

/* What leaves room for something else, each for a reason of its own; the first is named. */
static unsigned count_reserves(struct mpl_analysis *a, const struct mpl_diagnosed *d,
                               double unknown, const char **first)
{
    const struct mpl_run *run = &a->runs[d->run];
    /* That a run stands still is seen, whatever it does when it runs. */
    const bool is_fatal = d->finding->is_fatal;
    const char *disturbed = is_fatal ? NULL : disturbance_of(a, d->run);
    const double coverage = is_fatal ? 1 : coverage_of(a, d);
    const struct {
        bool holds;
        const char *reason;
    } all[] = {
        { disturbed != NULL, disturbed },
        { a->diagnosis.why_stopped != NULL && !is_fatal,
          "the rules were stopped before they had weighed all" },
        { run->unknown_s > 0,
          mpl_arena_printf(
              a->arena, "the trace is damaged and does not tell of %.0f %% of the time",
              100 * run->unknown_s / (run->window_s * run->model->n_locations)) },
        { d->is_clock_sensitive, "the clocks leave open how much of it there is" },
        { unknown >= mpl_infer_threshold(a->infer, "unknown-large") && !is_fatal,
          mpl_arena_printf(
              a->arena, "%.0f %% of the time is in calls whose partners are not recorded",
              100 * unknown) },
        /* What spoils what was measured does so whatever the program does. */
        { coverage == 0 && d->finding->doubt == NULL,
          "no pattern of the program was recognised" },
        { coverage > 0 && coverage < well_covered,
          mpl_arena_printf(a->arena,
                           "the pattern explains only %.0f %% of the communication",
                           100 * coverage) },
        { d->finding->confidence < certain, "other reasons are possible" },
        { d->severity < mpl_infer_threshold(a->infer, "noise-large") && !is_fatal,
          "noise of the machine can be as large" },
    };
    unsigned n = 0;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *first = all[i].holds && n == 0 ? all[i].reason : *first;
        n += all[i].holds;
    }
    return n;
}

static void judge(struct mpl_analysis *a, struct mpl_diagnosed *d, double unknown)
{
    const char *doubt = doubt_of(a, d);
    const unsigned n_reserves = count_reserves(a, d, unknown, &d->certainty_reason);

    if (doubt != NULL) {
        d->certainty_reason = doubt;
    }
    d->certainty = doubt != NULL || n_reserves > 1 ? MPL_CERTAINTY_DOUBTFUL
                   : n_reserves == 1               ? MPL_CERTAINTY_LIKELY
                                                   : MPL_CERTAINTY_SURE;
}

/*
 * Where a cause spoils what was measured, the other causes of the run are doubtful, except those whose
 * culprits compute much longer than the others: processes that wait for a core do so alike.
 */
void mpl_certainty_spread_doubt(struct mpl_analysis *a, struct mpl_diagnosed *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *doubt = mpl_diagnosed_is_cause(&all[i]) ? all[i].finding->doubt : NULL;

        for (size_t k = 0; k < n && doubt != NULL; k++) {
            if (k != i && all[k].run == all[i].run && all[k].finding->doubt == NULL &&
                mpl_diagnosed_is_cause(&all[k]) && !all[k].finding->is_fatal &&
                !do_culprits_compute_longer(a, &all[k], "outlier")) {
                all[k].doubt = doubt;
            }
        }
    }
}

/* ---- the verdict ------------------------------------------------------------------------------- */

static void judge_verdict(struct mpl_analysis *a)
{
    struct mpl_diagnosis *d = &a->diagnosis;

    d->certainty = MPL_CERTAINTY_SURE;
    if (d->leading != NULL) {
        d->certainty = d->leading->certainty;
        d->certainty_reason = d->leading->certainty_reason;
        return;
    }
    if (d->is_verdict_clock_sensitive) {
        d->certainty = MPL_CERTAINTY_DOUBTFUL;
        d->certainty_reason = "the clocks are not known well enough to tell";
        return;
    }
    for (uint32_t i = 0; i < a->n_runs && d->certainty == MPL_CERTAINTY_SURE; i++) {
        d->certainty_reason = disturbance_of(a, i);
        d->certainty =
            d->certainty_reason != NULL ? MPL_CERTAINTY_DOUBTFUL : MPL_CERTAINTY_SURE;
    }
    if (d->certainty_reason != NULL) {
        return;
    }
    if (d->verdict == MPL_VERDICT_NO_PROBLEM &&
        d->lost_s - d->explained_s - d->nested_s - d->normal_s >=
            mpl_infer_threshold(a->infer, "noise-large") * d->location_s) {
        d->certainty = MPL_CERTAINTY_LIKELY;
        d->certainty_reason = "no cause was found for a tenth of the time or more";
        return;
    }
    for (uint32_t i = 0; i < a->n_runs && d->certainty == MPL_CERTAINTY_SURE; i++) {
        if (mpl_run_is_usable(&a->runs[i]) &&
            unrecorded_share(&a->runs[i]) >=
                mpl_infer_threshold(a->infer, "unknown-large")) {
            d->certainty = MPL_CERTAINTY_LIKELY;
            d->certainty_reason =
                "a good part of the time is in calls whose partners are not recorded";
        }
    }
}

void mpl_certainty_judge(struct mpl_analysis *a)
{
    /* There are many findings, and of a run they have it in common. */
    for (uint32_t r = 0; r < a->n_runs; r++) {
        const double unknown = unrecorded_share(&a->runs[r]);

        for (size_t i = 0; i < a->diagnosis.n_findings; i++) {
            if (a->findings[i].run == r) {
                judge(a, &a->findings[i], unknown);
            }
        }
    }
    judge_verdict(a);
}

bool mpl_diagnosed_is_cause(const struct mpl_diagnosed *d)
{
    return strcmp(d->finding->kind, "cause") == 0;
}
