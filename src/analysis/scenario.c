/*
 * The same diagnosis on clocks that were shifted: events, recognition with the roles that were
 * chosen, the metrics that the rules ask for, findings, verdict. It happens on the model's own
 * times, which a copy of a long trace would double; integers that are added and subtracted again
 * are what they were, to the last bit.
 */
#include "config.h"

#include "analysis/analysis_priv.h"

#include <math.h>

/* ---- times ---------------------------------------------------------------------------------- */

/* So that the earliest event of the run is at 0, as everybody expects. */
static int64_t origin_of(const struct mpl_model *model, const int64_t *ticks)
{
    int64_t first = INT64_MAX;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        if (loc->n_events > 0 && mpl_ticks_of(loc, 0) + ticks[loc->process] < first) {
            first = mpl_ticks_of(loc, 0) + ticks[loc->process];
        }
    }
    return first;
}

static void shift(struct mpl_model *model, const int64_t *ticks, int64_t origin_ticks,
                  int64_t sign)
{
    for (uint32_t l = 0; l < model->n_locations; l++) {
        struct mpl_location *loc = &model->locations[l];

        mpl_times_shift(&loc->times, 0, loc->n_events,
                        sign * (ticks[loc->process] - origin_ticks));
    }
}

/* ---- stages --------------------------------------------------------------------------------- */

/* A run that stays as it is shares everything. */
static enum mpl_status open_run(struct run *run, const struct run *of, bool is_shifted,
                                struct mpl_err *err)
{
    enum mpl_status st;

    *run = (struct run){ .shown = of->shown, .model = of->model };
    if (!is_shifted) {
        return MPL_OK;
    }
    run->events_arena = mpl_arena_create();
    if (run->events_arena == NULL) {
        return mpl_nomem(err);
    }
    st = mpl_events_create(run->model, of->shown.match, of->shown.clock, run->events_arena,
                           &run->shown.events, err);
    if (st == MPL_OK) {
        mpl_run_measure(run);
    }
    return st;
}

static enum mpl_status keep_roles(struct mpl_analysis *a, const struct trial *of,
                                  struct mpl_role_binding *bindings, size_t *n,
                                  struct mpl_err *err)
{
    const struct mpl_model *model = a->runs[of->shown.run].model;

    *n = 0;
    for (size_t i = 0; i < mpl_pattern_role_count(of->shown.pattern); i++) {
        const struct mpl_role *role = mpl_recognition_role(of->recognition, i);
        const char **labels = MPL_NEW_ARRAY(a->arena, role->n, const char *);

        if (labels == NULL) {
            return mpl_nomem(err);
        }
        for (uint32_t l = 0; l < role->n; l++) {
            labels[l] = model->locations[role->locations[l]].label;
        }
        if (role->n > 0) {
            bindings[(*n)++] = (struct mpl_role_binding){ role->name, labels, role->n };
        }
    }
    return MPL_OK;
}

static enum mpl_status try_again(struct mpl_analysis *a, struct trial *t,
                                 const struct trial *of, struct mpl_err *err)
{
    struct mpl_role_binding *bindings = MPL_NEW_ARRAY(
        a->arena, mpl_pattern_role_count(of->shown.pattern), struct mpl_role_binding);
    size_t n = 0;
    enum mpl_status st;

    const struct mpl_events *events = a->runs[of->shown.run].shown.events;
    struct mpl_variables *variables = NULL;

    t->shown = of->shown;
    t->part = of->part;
    t->arena = mpl_arena_create();
    if (t->arena == NULL || bindings == NULL) {
        return mpl_nomem(err);
    }
    st = keep_roles(a, of, bindings, &n, err);
    if (st == MPL_OK && of->part != NULL) {
        st = mpl_events_part(events, of->part, t->arena, &events, err);
    }
    st = st == MPL_OK ? mpl_recognize(of->shown.pattern, events, bindings, n, t->arena,
                                      &t->recognition, &t->shown.reason, err)
                      : st;
    if (st == MPL_END) {
        t->shown.is_chosen = false;
        return MPL_OK;
    }
    if (st != MPL_OK) {
        return st;
    }
    t->shown.recognition = t->recognition;
    t->shown.coverage = mpl_recognition_message_coverage(t->recognition);
    t->shown.fit = mpl_recognition_fit(t->recognition);
    if (of->part == NULL && !mpl_run_variables(&a->runs[of->shown.run], &variables)) {
        return mpl_nomem(err);
    }
    return mpl_metrics_create(of->shown.metrics, t->recognition, variables, t->arena,
                              &t->metrics, err);
}

static enum mpl_status open_stages(struct mpl_analysis *a, const struct mpl_analysis *of,
                                   const int64_t *const *ticks, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    a->runs = MPL_NEW_ARRAY(a->arena, of->n_runs, struct run);
    a->trials = MPL_NEW_ARRAY(a->arena, of->n_trials, struct trial);
    if (a->runs == NULL || a->trials == NULL) {
        return mpl_nomem(err);
    }
    while (a->n_runs < of->n_runs && st == MPL_OK) {
        const size_t i = a->n_runs++;

        st = open_run(&a->runs[i], &of->runs[i], ticks[i] != NULL, err);
    }
    for (size_t i = 0; i < of->n_trials && st == MPL_OK; i++) {
        const struct trial *t = &of->trials[i];

        if (!t->shown.is_chosen || !mpl_run_is_usable(&a->runs[t->shown.run])) {
            continue;
        }
        a->n_trials++;
        if (ticks[t->shown.run] != NULL) {
            st = try_again(a, &a->trials[a->n_trials - 1], t, err);
        } else {
            a->trials[a->n_trials - 1] = *t;
            a->trials[a->n_trials - 1].arena = NULL;
            a->trials[a->n_trials - 1].part_arena = NULL;
            a->trials[a->n_trials - 1].is_kept = NULL;
        }
    }
    return st;
}

/* What the rules have concluded stays; what they are loaded into goes on with other facts. */
static enum mpl_status take_engine(struct mpl_analysis *a, struct mpl_analysis *of,
                                   struct mpl_err *err)
{
    const enum mpl_status st =
        of->spare == NULL ? mpl_infer_part(&of->infer, &of->spare, err) : MPL_OK;

    a->infer = of->spare;
    of->spare = NULL;
    return st == MPL_OK ? mpl_infer_renew(a->rules, &of->limits, &a->infer, err) : st;
}

/* Which runs are alike is no question of microseconds; what they cost is judged anew. */
static enum mpl_status keep_groups(struct mpl_analysis *a, const struct mpl_analysis *of,
                                   struct mpl_err *err)
{
    const size_t n = of->diagnosis.n_groups;

    a->group_of = of->group_of;
    a->groups = MPL_NEW_ARRAY(a->arena, n, struct mpl_group);
    if (a->groups == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        a->groups[i] = of->groups[i];
    }
    a->diagnosis.groups = a->groups;
    a->diagnosis.n_groups = n;
    return MPL_OK;
}

static enum mpl_status diagnose(struct mpl_analysis *a, struct mpl_analysis *of,
                                const int64_t *const *ticks, struct mpl_err *err)
{
    enum mpl_status st;

    a->is_scenario = true;
    a->patterns = of->patterns;
    a->metric_sets = of->metric_sets;
    a->rules = of->rules;
    st = keep_groups(a, of, err);
    st = st == MPL_OK ? open_stages(a, of, ticks, err) : st;
    st = st == MPL_OK ? take_engine(a, of, err) : st;
    st = st == MPL_OK ? mpl_facts_assert(a, err) : st;
    st = st == MPL_OK ? mpl_groups_assert(a, err) : st;
    st = st == MPL_OK ? mpl_needs_answer(a, err) : st;
    st = st == MPL_OK ? mpl_findings_rank(a, err) : st;
    return st == MPL_OK ? mpl_verdict_reach(a, err) : st;
}

enum mpl_status mpl_scenario_run(struct mpl_analysis *a, const int64_t *const *ticks,
                                 struct mpl_analysis **out, struct mpl_err *err)
{
    struct mpl_analysis *scenario = mpl_analysis_create(a->clock, NULL);
    int64_t *origin_ticks =
        scenario == NULL ? NULL : MPL_NEW_ARRAY(scenario->arena, a->n_runs, int64_t);
    enum mpl_status st;

    if (origin_ticks == NULL) {
        mpl_analysis_destroy(scenario);
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < a->n_runs; i++) {
        if (ticks[i] != NULL) {
            origin_ticks[i] = origin_of(a->runs[i].model, ticks[i]);
            shift(a->runs[i].model, ticks[i], origin_ticks[i], 1);
        }
    }
    st = diagnose(scenario, a, ticks, err);
    for (size_t i = 0; i < a->n_runs; i++) {
        if (ticks[i] != NULL) {
            shift(a->runs[i].model, ticks[i], origin_ticks[i], -1);
        }
    }
    if (st != MPL_OK) {
        mpl_analysis_destroy(scenario);
        return mpl_wrap(err, st, "cannot diagnose at the bounds of the clocks");
    }
    *out = scenario;
    return MPL_OK;
}

enum mpl_status mpl_scenario_again(struct mpl_analysis *a, struct mpl_infer **infer,
                                   struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    if (!mpl_infer_has_engine(a->infer) && a->again == NULL) {
        const int64_t **ticks = MPL_NEW_ARRAY(a->arena, a->n_runs, const int64_t *);

        st = ticks == NULL ? mpl_nomem(err) : mpl_scenario_run(a, ticks, &a->again, err);
    }
    *infer = a->again == NULL ? a->infer : a->again->infer;
    return st;
}

void mpl_scenario_end(struct mpl_analysis *scenario, struct mpl_analysis *of)
{
    of->spare = scenario->infer;
    scenario->infer = NULL;
    mpl_analysis_destroy(scenario);
}
