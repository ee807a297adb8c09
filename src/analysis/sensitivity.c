/*
 * Which findings would change if the clocks were as wrong as they may be.
 *
 * First a certificate that costs nothing: what the clocks' errors can change of all waits together
 * (doubt.c) is far below what a finding claims. Where that does not settle everything, the
 * diagnosis is made again (scenario.c) on other time lines that the messages allow as well: all
 * clocks at their upper bounds, all at their lower ones, and those who are blamed, and whose clock
 * is known least, as late and as early as they can be beside the others (shifts.c). What changes
 * by a quarter or more on one of them is sensitive.
 *
 * Not tried are time lines on which clocks are wrong by different amounts from moment to moment.
 */
#include "config.h"

#include "analysis/analysis_priv.h"

#include <math.h>
#include <string.h>

/* A loss or a gain that another time line changes by this share is not known well enough to act
 * on: it could as well be the next smaller or larger cause. */
static const double sensitive_share = 0.25;

/* The certificate asks for a tenth of that, so that what it leaves out does not matter. */
static const double certain_share = 0.025;

/* What a finding without a figure claims, of the process time: as much as a problem costs. */
static const double tacit_share = 0.05;

/* Beside the one whose clock is known least. Those of the first causes decide what to do. */
enum { SUSPECTS = 3 };

/* What the time lines that were tried say of a finding. */
struct weight {
    bool is_unlimited; /* it involves a clock that nothing limits */
    bool is_certain;
    bool is_gone;        /* on one of them it is not found … */
    const char *instead; /* … but of these locations; or NULL */
    const char *leader;  /* on one of them this other cause leads; or NULL */
    bool is_leader;      /* on one of them it leads, and did not */
    double low_s, high_s;
    double gain_low_s, gain_high_s;
};

struct weighing {
    struct mpl_analysis *a;
    struct mpl_arena *scratch;
    struct clock_doubt *doubts; /* per run */
    double *jumps_s;            /* per run; NaN until asked for */
    double *blame_s;            /* likewise */
    struct shifts *shifts;      /* per run; none where nothing is to be tried */
    struct weight *weights;     /* per finding */
    bool is_verdict_certain;
};

static struct mpl_diagnosis *diagnosis_of(const struct weighing *w)
{
    return &w->a->diagnosis;
}

static const struct mpl_diagnosed *finding_at(const struct weighing *w, size_t i)
{
    return &diagnosis_of(w)->findings[i];
}

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

    if (w->doubts[d->run].is_none) {
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

/* A finding that names no locations is about all of them. */
static bool is_unlimited(const struct weighing *w, const struct mpl_diagnosed *d)
{
    const struct mpl_finding *f = d->finding;

    return w->doubts[d->run].n_unlimited > 0 &&
           (f->n_locations == 0 ||
            names_unlimited(w, d->run, f->locations, f->n_locations) ||
            names_unlimited(w, d->run, f->culprits, f->n_culprits));
}

static void find_certain(struct weighing *w)
{
    struct mpl_diagnosis *d = diagnosis_of(w);
    double reach_s = 0;

    for (size_t i = 0; i < d->n_findings; i++) {
        const struct mpl_diagnosed *f = finding_at(w, i);
        struct weight *weight = &w->weights[i];

        weight->is_unlimited = is_unlimited(w, f);
        weight->is_certain = !weight->is_unlimited && is_certain(w, f);
        weight->low_s = f->lost_s;
        weight->high_s = f->lost_s;
        weight->gain_low_s = f->gain_s;
        weight->gain_high_s = f->gain_s;
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

    for (size_t i = 0; i < diagnosis_of(w)->n_findings; i++) {
        const struct mpl_diagnosed *d = finding_at(w, i);
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

/* ---- comparing -------------------------------------------------------------------------------- */

static bool are_same_labels(const char *const *a, size_t n, const char *const *b, size_t m)
{
    for (size_t i = 0; i < n && n == m; i++) {
        if (strcmp(a[i], b[i]) != 0) {
            return false;
        }
    }
    return n == m;
}

static bool is_same_claim(const struct mpl_diagnosed *x, const struct mpl_diagnosed *y)
{
    return x->run == y->run && strcmp(x->finding->kind, y->finding->kind) == 0 &&
           strcmp(x->finding->name, y->finding->name) == 0 &&
           strcmp(x->finding->pattern, y->finding->pattern) == 0;
}

static bool is_same(const struct mpl_diagnosed *x, const struct mpl_diagnosed *y)
{
    const struct mpl_finding *f = x->finding;
    const struct mpl_finding *g = y->finding;

    return is_same_claim(x, y) &&
           are_same_labels(f->locations, f->n_locations, g->locations, g->n_locations) &&
           are_same_labels(f->culprits, f->n_culprits, g->culprits, g->n_culprits);
}

static const struct mpl_diagnosed *find_same(const struct mpl_diagnosis *in,
                                             const struct mpl_diagnosed *d)
{
    for (size_t i = 0; i < in->n_findings; i++) {
        if (is_same(d, &in->findings[i])) {
            return &in->findings[i];
        }
    }
    return NULL;
}

/* The same said of others, who are not named in the diagnosis itself. */
static const struct mpl_diagnosed *find_instead(const struct weighing *w,
                                                const struct mpl_diagnosis *in,
                                                const struct mpl_diagnosed *d)
{
    for (size_t i = 0; i < in->n_findings; i++) {
        if (is_same_claim(d, &in->findings[i]) &&
            find_same(diagnosis_of(w), &in->findings[i]) == NULL) {
            return &in->findings[i];
        }
    }
    return NULL;
}

/* "2, 3"; texts of a scenario do not outlive it. NULL when out of memory. */
static const char *keep_labels(struct weighing *w, const struct mpl_finding *f)
{
    const char *const *labels = f->n_culprits > 0 ? f->culprits : f->locations;
    const size_t n = f->n_culprits > 0 ? f->n_culprits : f->n_locations;
    const char *text = "";

    for (size_t i = 0; i < n && text != NULL; i++) {
        text = mpl_arena_printf(w->scratch, "%s%s%s", text, i > 0 ? ", " : "", labels[i]);
    }
    return text;
}

static enum mpl_status compare_finding(struct weighing *w, size_t i,
                                       const struct mpl_diagnosis *in, struct mpl_err *err)
{
    const struct mpl_diagnosed *d = finding_at(w, i);
    const struct mpl_diagnosed *same = find_same(in, d);
    struct weight *weight = &w->weights[i];

    if (same == NULL) {
        const struct mpl_diagnosed *other = find_instead(w, in, d);

        weight->is_gone = true;
        if (other != NULL && weight->instead == NULL) {
            weight->instead = keep_labels(w, other->finding);
            return weight->instead == NULL ? mpl_nomem(err) : MPL_OK;
        }
        return MPL_OK;
    }
    /* fmin and fmax pass over NaN. */
    weight->low_s = fmin(weight->low_s, same->lost_s);
    weight->high_s = fmax(weight->high_s, same->lost_s);
    weight->gain_low_s = fmin(weight->gain_low_s, same->gain_s);
    weight->gain_high_s = fmax(weight->gain_high_s, same->gain_s);
    return MPL_OK;
}

static enum mpl_status compare_leaders(struct weighing *w, const struct mpl_diagnosis *in,
                                       struct mpl_err *err)
{
    const struct mpl_diagnosed *here = mpl_leading_cause(diagnosis_of(w));
    const struct mpl_diagnosed *there = mpl_leading_cause(in);
    const struct mpl_diagnosed *same;

    if (here == NULL || there == NULL || is_same(here, there)) {
        return MPL_OK;
    }
    same = find_same(diagnosis_of(w), there);
    if (same != NULL) {
        w->weights[same - diagnosis_of(w)->findings].is_leader = true;
    }
    w->weights[0].leader = mpl_arena_strdup(w->scratch, there->finding->name);
    return w->weights[0].leader == NULL ? mpl_nomem(err) : MPL_OK;
}

static enum mpl_status compare_verdicts(struct weighing *w, const struct mpl_diagnosis *in,
                                        struct mpl_err *err)
{
    struct mpl_diagnosis *d = diagnosis_of(w);

    if (in->verdict == d->verdict || d->is_verdict_clock_sensitive) {
        return MPL_OK;
    }
    d->is_verdict_clock_sensitive = true;
    d->verdict_clock_reason =
        mpl_arena_printf(w->a->arena, "at the clocks' bounds the verdict is \"%s\"",
                         mpl_verdict_name(in->verdict));
    return d->verdict_clock_reason == NULL ? mpl_nomem(err) : MPL_OK;
}

static enum mpl_status compare(struct weighing *w, const int64_t *const *ticks,
                               const struct mpl_diagnosis *in, struct mpl_err *err)
{
    enum mpl_status st = compare_leaders(w, in, err);

    for (size_t i = 0; i < diagnosis_of(w)->n_findings && st == MPL_OK; i++) {
        if (ticks[finding_at(w, i)->run] != NULL) {
            st = compare_finding(w, i, in, err);
        }
    }
    return st == MPL_OK ? compare_verdicts(w, in, err) : st;
}

/* ---- saying so -------------------------------------------------------------------------------- */

static bool is_far_apart(double low_s, double high_s, double chosen_s)
{
    return high_s - chosen_s > sensitive_share * chosen_s ||
           chosen_s - low_s > sensitive_share * chosen_s;
}

static const char *range_text(struct mpl_arena *arena, const char *what, double low_s,
                              double high_s)
{
    const char *low = mpl_text_seconds(arena, low_s);
    const char *high = mpl_text_seconds(arena, high_s);

    return low == NULL || high == NULL
               ? NULL
               : mpl_arena_printf(arena,
                                  "at the clocks' bounds the %s is between %s and %s", what,
                                  low, high);
}

static const char *unlimited_text(const struct weighing *w, uint32_t run)
{
    const struct clock_doubt *doubt = &w->doubts[run];
    const char *label = w->a->runs[run].shown.model->locations[doubt->unlimited].label;

    return doubt->n_unlimited == 1
               ? mpl_arena_printf(w->a->arena,
                                  "nothing limits the clock error of process %s", label)
               : mpl_arena_printf(
                     w->a->arena,
                     "nothing limits the clock errors of process %s and %u more", label,
                     (unsigned) doubt->n_unlimited - 1);
}

static const char *reason_text(const struct weighing *w, const struct mpl_diagnosed *d,
                               const struct weight *weight)
{
    struct mpl_arena *arena = w->a->arena;

    if (weight->is_unlimited) {
        return unlimited_text(w, d->run);
    }
    if (weight->instead != NULL) {
        return mpl_arena_printf(arena, "at the clocks' bounds this is said of %s",
                                weight->instead);
    }
    if (weight->is_gone) {
        return "at the clocks' bounds this is not found";
    }
    if (weight->leader != NULL) {
        return mpl_arena_printf(arena, "at the clocks' bounds %s leads", weight->leader);
    }
    if (weight->is_leader) {
        return "at the clocks' bounds this one leads";
    }
    return is_far_apart(weight->low_s, weight->high_s, d->lost_s)
               ? range_text(arena, "loss", weight->low_s, weight->high_s)
               : range_text(arena, "gain", weight->gain_low_s, weight->gain_high_s);
}

static enum mpl_status conclude(struct weighing *w, struct mpl_err *err)
{
    struct mpl_diagnosis *d = diagnosis_of(w);

    for (size_t i = 0; i < d->n_findings; i++) {
        /* The array is the analysis' own; reports see it as const. */
        struct mpl_diagnosed *f = &w->a->findings[i];
        const struct weight *weight = &w->weights[i];
        const bool is_tried = w->shifts[f->run].n > 0 && !weight->is_unlimited;

        f->is_clock_sensitive =
            weight->is_unlimited || weight->is_gone || weight->leader != NULL ||
            weight->is_leader || is_far_apart(weight->low_s, weight->high_s, f->lost_s) ||
            is_far_apart(weight->gain_low_s, weight->gain_high_s, f->gain_s);
        f->clock_low_s = is_tried ? weight->low_s : NAN;
        f->clock_high_s = is_tried ? weight->high_s : NAN;
        if (f->is_clock_sensitive) {
            f->clock_reason = reason_text(w, f, weight);
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
    struct mpl_diagnosis *d = diagnosis_of(w);

    for (uint32_t r = 0; r < w->a->n_runs && !d->is_verdict_clock_sensitive; r++) {
        if (w->doubts[r].n_unlimited == 0 ||
            (d->verdict == MPL_VERDICT_PROBLEMS && !w->weights[0].is_unlimited)) {
            continue;
        }
        d->is_verdict_clock_sensitive = true;
        d->verdict_clock_reason = unlimited_text(w, r);
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
    w->weights = MPL_NEW_ARRAY(w->scratch, diagnosis_of(w)->n_findings, struct weight);
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
        st = compare(w, ticks, &scenario->diagnosis, err);
        mpl_analysis_destroy(scenario);
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
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        mpl_progress_tell(a->progress, "weighing clock errors", i, n);
        st = try_scenario(&w, i, err);
    }
    st = st == MPL_OK ? conclude(&w, err) : st;
    st = st == MPL_OK ? conclude_verdict(&w, err) : st;
    mpl_arena_destroy(w.scratch);
    return st;
}
