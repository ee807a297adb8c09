/*
 * Which findings would change if the clocks were as wrong as they may be.
 *
 * First a certificate that costs nothing: what the clocks' errors can change of all waits together
 * (doubt.c) is far below what a finding claims. Where that does not settle everything, the
 * diagnosis is made again (scenario.c) on other time lines that the messages allow as well: all
 * clocks at their upper bounds, all at their lower ones, and those who are blamed, and whose clock
 * is known least, as late and as early as they can be beside the others (shifts.c). What changes
 * by a quarter or more on one of them is sensitive. Long traces are left at the certificate, and
 * what it does not settle is taken for sensitive.
 *
 * Not tried are time lines on which clocks are wrong by different amounts from moment to moment.
 */
#include "config.h"

#include "analysis/sensitivity_priv.h"

#include <math.h>
#include <string.h>

/* The certificate asks for a tenth of what is sensitive, so that what it leaves out does not matter. */
static const double certain_share = 0.025;

/* What a finding without a figure claims, of the process time: as much as a problem costs. */
static const double tacit_share = 0.05;

/* Beside the one whose clock is known least. Those of the first causes decide what to do. */
enum { SUSPECTS = 3 };

/* A scenario costs nearly as much as reading its events again, so that trying ten makes a diagnosis
 * that takes a tenth of a second here last half a second. On longer traces nothing is tried unless
 * asked for: there what is not certain counts as sensitive. */
static const uint64_t long_events = UINT64_C(1) << 19;

/* ---- what is certain without trying --------------------------------------------------------- */

static double known(double *kept_s, const struct weighing *w, uint32_t run,
                    double (*find)(const struct mpl_run *, const struct clock_doubt *))
{
    if (isnan(*kept_s)) {
        *kept_s = find(&w->a->runs[run].shown, &w->doubts[run]);
    }
    return *kept_s;
}

/* What costs a look at the trace is asked for only if it could matter. */
static bool is_certain(struct weighing *w, const struct mpl_diagnosed *d)
{
    const struct mpl_run *run = &w->a->runs[d->run].shown;
    const double claim_s = isnan(d->lost_s)
                               ? tacit_share * run->window_s * run->model->n_locations
                               : d->lost_s;
    const double most_s = certain_share * claim_s;
    double moved_s = w->doubts[d->run].reach_s;

    if (w->doubts[d->run].is_none || d->finding->has_own_clocks) {
        return true;
    }
    if (moved_s <= most_s) {
        moved_s += known(&w->jumps_s[d->run], w, d->run, mpl_doubt_jumps_s);
    }
    if (moved_s <= most_s && d->finding->n_culprits > 0) {
        moved_s += known(&w->blame_s[d->run], w, d->run, mpl_doubt_blame_s);
    }
    return moved_s <= most_s;
}

static bool names_unlimited(const struct weighing *w, uint32_t run,
                            const char *const *labels, size_t n)
{
    const struct mpl_model *model = w->a->runs[run].shown.model;

    for (size_t i = 0; i < n; i++) {
        const uint32_t l = mpl_model_find_location(model, labels[i]);

        if (l != MPL_NONE && w->doubts[run].is_unlimited[model->locations[l].process]) {
            return true;
        }
    }
    return false;
}

/* Waiting of one process, or for it, with those whose clocks nothing limits at the other end. */
static double unlimited_wait_s(const struct weighing *w, uint32_t run, uint32_t process)
{
    const bool *is_unlimited = w->doubts[run].is_unlimited;
    uint32_t n = 0;
    const struct mpl_edge *edges = mpl_events_edges(w->a->runs[run].shown.events, &n);
    double sum_s = 0;

    for (uint32_t i = 0; i < n; i++) {
        if ((edges[i].to == process && is_unlimited[edges[i].from]) ||
            (edges[i].from == process && is_unlimited[edges[i].to])) {
            sum_s += edges[i].wait_s;
        }
    }
    return sum_s;
}

/* Whether what a finding claims of limited locations is waiting for, or of, unlimited ones. */
static bool waits_for_unlimited(const struct weighing *w, const struct mpl_diagnosed *d)
{
    const struct mpl_model *model = w->a->runs[d->run].shown.model;
    double sum_s = 0;

    for (size_t i = 0; i < d->finding->n_locations; i++) {
        const uint32_t l = mpl_model_find_location(model, d->finding->locations[i]);

        if (l != MPL_NONE && model->locations[l].thread == 0) {
            sum_s += unlimited_wait_s(w, d->run, model->locations[l].process);
        }
    }
    return sum_s > SENSITIVE_SHARE * d->lost_s;
}

/* A finding that names no locations is about all of them. */
static bool is_unlimited(const struct weighing *w, const struct mpl_diagnosed *d)
{
    const struct mpl_finding *f = d->finding;

    return w->doubts[d->run].n_unlimited > 0 && !f->has_own_clocks &&
           (f->n_locations == 0 ||
            names_unlimited(w, d->run, f->locations, f->n_locations) ||
            names_unlimited(w, d->run, f->culprits, f->n_culprits) ||
            waits_for_unlimited(w, d));
}

static void find_certain(struct weighing *w)
{
    struct mpl_diagnosis *d = mpl_weighed_diagnosis(w);
    double reach_s = 0;

    for (size_t i = 0; i < d->n_findings; i++) {
        const struct mpl_diagnosed *f = mpl_weighed_finding(w, i);
        struct weight *weight = &w->weights[i];

        weight->is_unlimited = is_unlimited(w, f);
        weight->is_certain = !weight->is_unlimited && is_certain(w, f);
        weight->low_s = f->lost_s;
        weight->high_s = f->lost_s;
        weight->reach_s = w->doubts[f->run].reach_s;
        weight->gain_low_s = f->gain_model_s;
        weight->gain_high_s = f->gain_model_s;
    }
    for (size_t i = 0; i < w->a->n_runs; i++) {
        reach_s += w->doubts[i].reach_s + (isnan(w->jumps_s[i]) ? 0 : w->jumps_s[i]);
    }
    /* Each explained second and the sum of them may be off by the reach. */
    w->is_verdict_certain =
        reach_s == 0 || reach_s * (double) (d->n_findings + 1) < mpl_verdict_margin_s(d);
}

/* ---- what is to be tried ---------------------------------------------------------------------- */

struct suspects {
    uint32_t process[SUSPECTS + 1];
    size_t n;
};

static void suspect(const struct weighing *w, uint32_t run, uint32_t process,
                    struct suspects *suspects, size_t room)
{
    for (size_t i = 0; i < suspects->n; i++) {
        if (suspects->process[i] == process) {
            return;
        }
    }
    if (suspects->n < room && !w->doubts[run].is_unlimited[process]) {
        suspects->process[suspects->n++] = process;
    }
}

static void suspect_labels(const struct weighing *w, uint32_t run,
                           const char *const *labels, size_t n, struct suspects *suspects)
{
    const struct mpl_model *model = w->a->runs[run].shown.model;

    for (size_t i = 0; i < n; i++) {
        const uint32_t l = mpl_model_find_location(model, labels[i]);

        if (l != MPL_NONE) {
            suspect(w, run, model->locations[l].process, suspects, SUSPECTS);
        }
    }
}

static uint32_t least_known(const struct weighing *w, uint32_t run)
{
    const struct clock_doubt *doubt = &w->doubts[run];
    uint32_t worst = 0;

    for (uint32_t p = 1; p < w->a->runs[run].shown.model->n_processes; p++) {
        if (doubt->high_ticks[p] - doubt->low_ticks[p] >
            doubt->high_ticks[worst] - doubt->low_ticks[worst]) {
            worst = p;
        }
    }
    return worst;
}

/* Whether anything about a run is open; who is blamed for that, in order of rank. */
static bool find_suspects(const struct weighing *w, uint32_t run, struct suspects *suspects)
{
    bool is_open = !w->is_verdict_certain;

    for (size_t i = 0; i < mpl_weighed_diagnosis(w)->n_findings; i++) {
        const struct mpl_diagnosed *d = mpl_weighed_finding(w, i);
        const struct mpl_finding *f = d->finding;

        if (d->run != run || w->weights[i].is_certain || w->weights[i].is_unlimited) {
            continue;
        }
        is_open = true;
        if (f->n_culprits > 0) {
            suspect_labels(w, run, f->culprits, f->n_culprits, suspects);
        } else if (f->n_locations == 1) {
            suspect_labels(w, run, f->locations, 1, suspects);
        }
    }
    suspect(w, run, least_known(w, run), suspects, SUSPECTS + 1);
    return is_open;
}

static enum mpl_status find_shifts(struct weighing *w, size_t *n_scenarios,
                                   struct mpl_err *err)
{
    *n_scenarios = 0;
    for (uint32_t r = 0; r < w->a->n_runs; r++) {
        struct suspects suspects = { .n = 0 };
        enum mpl_status st;

        if (!mpl_run_is_usable(&w->a->runs[r]) || w->doubts[r].is_none ||
            !find_suspects(w, r, &suspects)) {
            continue;
        }
        st = mpl_shifts_create(&w->a->runs[r].shown, &w->doubts[r], suspects.process,
                               suspects.n, w->scratch, &w->shifts[r], err);
        if (st != MPL_OK) {
            return st;
        }
        *n_scenarios = w->shifts[r].n > *n_scenarios ? w->shifts[r].n : *n_scenarios;
    }
    return MPL_OK;
}

/* ---- concluding ------------------------------------------------------------------------------- */

static enum mpl_status conclude(struct weighing *w, struct mpl_err *err)
{
    struct mpl_diagnosis *d = mpl_weighed_diagnosis(w);

    for (size_t i = 0; i < d->n_findings; i++) {
        /* The array is the analysis' own; reports see it as const. */
        struct mpl_diagnosed *f = &w->a->findings[i];
        const struct weight *weight = &w->weights[i];
        const bool is_tried =
            w->shifts[f->run].n > 0 && !weight->is_unlimited && !isnan(f->lost_s);

        f->is_clock_sensitive = mpl_weights_is_sensitive(w, i);
        f->clock_low_s = is_tried ? weight->low_s : NAN;
        f->clock_high_s = is_tried ? weight->high_s : NAN;
        if (f->is_clock_sensitive) {
            f->clock_reason = mpl_weights_reason(w, i);
            if (f->clock_reason == NULL) {
                return mpl_nomem(err);
            }
        }
    }
    return MPL_OK;
}

/* What decides is the leading cause where it is a problem, else all processes together. */
static enum mpl_status conclude_verdict(struct weighing *w, struct mpl_err *err)
{
    struct mpl_diagnosis *d = mpl_weighed_diagnosis(w);

    for (uint32_t r = 0; r < w->a->n_runs && !d->is_verdict_clock_sensitive; r++) {
        if (w->doubts[r].n_unlimited == 0 ||
            (d->verdict == MPL_VERDICT_PROBLEMS && !w->weights[0].is_unlimited)) {
            continue;
        }
        d->is_verdict_clock_sensitive = true;
        d->verdict_clock_reason = mpl_weights_unlimited(w, r);
        if (d->verdict_clock_reason == NULL) {
            return mpl_nomem(err);
        }
    }
    return MPL_OK;
}

/* ---- the whole -------------------------------------------------------------------------------- */

static enum mpl_status open_weighing(struct weighing *w, struct mpl_err *err)
{
    const size_t n = w->a->n_runs;
    enum mpl_status st = MPL_OK;

    w->scratch = mpl_arena_create();
    if (w->scratch == NULL) {
        return mpl_nomem(err);
    }
    w->doubts = MPL_NEW_ARRAY(w->scratch, n, struct clock_doubt);
    w->jumps_s = MPL_NEW_ARRAY(w->scratch, n, double);
    w->blame_s = MPL_NEW_ARRAY(w->scratch, n, double);
    w->shifts = MPL_NEW_ARRAY(w->scratch, n, struct shifts);
    w->weights =
        MPL_NEW_ARRAY(w->scratch, mpl_weighed_diagnosis(w)->n_findings, struct weight);
    if (w->doubts == NULL || w->jumps_s == NULL || w->blame_s == NULL ||
        w->shifts == NULL || w->weights == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        w->jumps_s[i] = NAN;
        w->blame_s[i] = NAN;
        if (mpl_run_is_usable(&w->a->runs[i])) {
            st = mpl_doubt_create(&w->a->runs[i].shown, w->scratch, &w->doubts[i], err);
        }
    }
    return st;
}

static enum mpl_status try_scenario(struct weighing *w, size_t number, struct mpl_err *err)
{
    const int64_t **ticks = MPL_NEW_ARRAY(w->scratch, w->a->n_runs, const int64_t *);
    struct mpl_analysis *scenario = NULL;
    enum mpl_status st;

    if (ticks == NULL) {
        return mpl_nomem(err);
    }
    for (size_t r = 0; r < w->a->n_runs; r++) {
        ticks[r] = number < w->shifts[r].n ? w->shifts[r].ticks[number] : NULL;
    }
    st = mpl_scenario_run(w->a, ticks, &scenario, err);
    if (st == MPL_OK) {
        st = mpl_weights_compare(w, ticks, &scenario->diagnosis, err);
        mpl_scenario_end(scenario, w->a);
    }
    return st;
}

/* The events that a scenario looks at. */
static uint64_t events_tried(const struct weighing *w)
{
    uint64_t n = 0;

    for (size_t r = 0; r < w->a->n_runs; r++) {
        n += w->shifts[r].n > 0 ? w->a->runs[r].model->n_events : 0;
    }
    return n;
}

/* What is not certain could be less or more by all that the clocks can change. */
static void leave_untried(struct weighing *w)
{
    for (size_t i = 0; i < mpl_weighed_diagnosis(w)->n_findings; i++) {
        struct weight *weight = &w->weights[i];

        if (!weight->is_certain && !weight->is_unlimited) {
            weight->is_untried = true;
            weight->low_s = fmax(0, weight->low_s - weight->reach_s);
            weight->high_s += weight->reach_s;
        }
    }
}

static enum mpl_status try_all(struct weighing *w, size_t n, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        mpl_progress_tell(w->a->progress, "weighing clock errors", i, n);
        st = try_scenario(w, i, err);
    }
    return st;
}

enum mpl_status mpl_clocks_weigh(struct mpl_analysis *a, struct mpl_err *err)
{
    struct weighing w = { .a = a };
    size_t n = 0;
    enum mpl_status st;

    if (a->diagnosis.verdict == MPL_VERDICT_UNUSABLE) {
        return MPL_OK;
    }
    st = open_weighing(&w, err);
    if (st == MPL_OK) {
        find_certain(&w);
        st = find_shifts(&w, &n, err);
    }
    if (st == MPL_OK && events_tried(&w) > long_events && !a->is_thorough) {
        leave_untried(&w);
    } else if (st == MPL_OK) {
        st = try_all(&w, n, err);
    }
    st = st == MPL_OK ? conclude(&w, err) : st;
    st = st == MPL_OK ? conclude_verdict(&w, err) : st;
    mpl_arena_destroy(w.scratch);
    return st;
}
