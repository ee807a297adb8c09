/* What is asked for: by facts `measure`, and by metrics that the traces at hand cannot answer. */
#include "config.h"

#include "plan/plan_priv.h"

#include <string.h>

static uint32_t find_run(const struct planner *p, const char *id)
{
    for (size_t i = 0; i < p->diagnosis->n_runs; i++) {
        if (strcmp(p->diagnosis->runs[i].id, id) == 0) {
            return (uint32_t) i;
        }
    }
    return MPL_NONE;
}

static const struct mpl_trial *find_trial(const struct planner *p, uint32_t run,
                                          const char *id)
{
    for (size_t i = 0; i < p->diagnosis->n_trials; i++) {
        const struct mpl_trial *t = &p->diagnosis->trials[i];

        if (t->is_chosen && t->run == run && strcmp(t->id, id) == 0) {
            return t;
        }
    }
    return NULL;
}

/* ---- measures -------------------------------------------------------------------------- */

/* Rules are files that users write: a word that is no capability is reported and left out. */
static bool add_capabilities(struct planner *p, struct want *w, const struct mpl_measure *m)
{
    for (size_t i = 0; i < m->n_record; i++) {
        const struct mpl_capability *c = mpl_capability_find(m->record[i]);
        bool ok = true;

        if (c == NULL) {
            ok = mpl_texts_add(p, &p->unanswerable,
                               mpl_arena_printf(p->arena,
                                                "%s: rule %s asks to record it, but there "
                                                "is no such capability",
                                                m->record[i], m->rule));
        } else {
            ok = mpl_texts_add(p, &w->capabilities, c->name);
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

static bool is_asked(const struct mpl_measure *m, const char *capability)
{
    for (size_t i = 0; i < m->n_record; i++) {
        if (strcmp(m->record[i], capability) == 0) {
            return true;
        }
    }
    return false;
}

static bool add_counters(struct planner *p, struct want *w, const struct mpl_measure *m)
{
    for (size_t i = 0; i < m->n_counters; i++) {
        const char *name = m->counters[i];
        const bool is_name = mpl_counter_is_name(name);

        if (!mpl_texts_add(p, is_name ? &w->counters : &p->unanswerable,
                           is_name ? name
                                   : mpl_arena_printf(
                                         p->arena,
                                         "%s: rule %s asks to count it, but no counter can "
                                         "be called so",
                                         name, m->rule))) {
            return false;
        }
    }
    return true;
}

static bool take_measure(struct planner *p, struct want *w, const struct mpl_measure *m)
{
    w->pattern = m->pattern;
    w->level = m->level;
    w->processes = m->processes;
    w->n_processes = m->n_processes;
    w->repetitions = m->repetitions;
    w->knob = m->knob;
    w->expects = m->expects;
    w->is_all_regions = m->n_regions == 0 && is_asked(m, "user-regions");
    return mpl_texts_add(p, &w->purposes, m->reason) &&
           mpl_texts_add(p, &w->reasons,
                         mpl_arena_printf(p->arena, "%s (%s)", m->rule_says, m->rule)) &&
           add_capabilities(p, w, m) &&
           mpl_texts_add_all(p, &w->regions, m->regions, m->n_regions) &&
           add_counters(p, w, m) &&
           mpl_texts_add_all(p, &w->locations, m->locations, m->n_locations) &&
           mpl_texts_add_all(p, &w->separates, m->separates, m->n_separates);
}

/*
 * A run that has functions is compared with others by those that its findings name; the rest would
 * only cost time and space.
 */
static bool add_functions(struct planner *p, struct want *w)
{
    const struct mpl_diagnosis *d = p->diagnosis;
    const struct mpl_model *model = d->runs[w->run].model;

    if (model == NULL || !model->can.has_user_regions) {
        return true;
    }
    for (size_t i = 0; i < d->n_findings; i++) {
        const struct mpl_diagnosed *f = &d->findings[i];

        if (f->run != w->run || !mpl_texts_has(&w->separates, f->finding->name)) {
            continue;
        }
        for (size_t k = 0; k < f->n_where; k++) {
            if (!mpl_texts_add(p, &w->regions, f->where[k].region) ||
                !mpl_texts_add(p, &w->capabilities, "user-regions")) {
                return false;
            }
        }
    }
    return true;
}

/* A run without its threads would be another one, and Score-P has to know of them. */
static bool add_threads(struct planner *p, struct want *w)
{
    const struct mpl_model *model = p->diagnosis->runs[w->run].model;

    return model == NULL || model->n_locations == model->n_processes ||
           mpl_texts_add(p, &w->capabilities, "threads");
}

static enum mpl_status collect_measures(struct planner *p, struct mpl_err *err)
{
    for (size_t i = 0; i < mpl_analysis_measure_count(p->analysis); i++) {
        const struct mpl_measure *m = mpl_analysis_measure(p->analysis, i);
        const uint32_t run = find_run(p, m->run);

        if (run == MPL_NONE) {
            continue; /* A rule that names no run of ours. */
        }
        struct want *w = mpl_buf_add(&p->wants);

        if (w == NULL) {
            return mpl_nomem(err);
        }
        w->run = run;
        if (!take_measure(p, w, m) || !add_functions(p, w) || !add_threads(p, w)) {
            return mpl_nomem(err);
        }
    }
    return MPL_OK;
}

/* ---- needs ------------------------------------------------------------------------------ */

/* Capabilities that a metric lacks in the run, and the events that it derives from. */
static enum mpl_status add_metric(struct planner *p, struct want *w,
                                  const struct mpl_trial *t, const char *name,
                                  struct mpl_err *err)
{
    const uint32_t i = mpl_metric_set_find(t->metrics, name);
    const struct mpl_capabilities *can = &p->diagnosis->runs[t->run].model->can;
    struct mpl_metric_basis basis;
    bool is_lacking = false;

    if (i == MPL_NONE) {
        return MPL_OK;
    }
    const enum mpl_status st = mpl_metric_set_basis(t->metrics, i, p->arena, &basis, err);

    for (size_t k = 0; st == MPL_OK && k < basis.n_needs; k++) {
        if (!mpl_capability_get(can, basis.needs[k])) {
            is_lacking = true;
            if (!mpl_texts_add(p, &w->capabilities, basis.needs[k]->name)) {
                return mpl_nomem(err);
            }
        }
    }
    for (size_t k = 0; st == MPL_OK && is_lacking && k < basis.n_events; k++) {
        if (!mpl_texts_add(p, &w->events, mpl_pattern_event(t->pattern, basis.events[k]))) {
            return mpl_nomem(err);
        }
    }
    if (st == MPL_OK && is_lacking && !mpl_texts_add(p, &w->metrics, name)) {
        return mpl_nomem(err);
    }
    return st;
}

/*
 * A need that was not answered. Where no capability is missing, the run has nothing to evaluate
 * (no instances), and another recording of it would not either.
 */
static enum mpl_status add_need(struct planner *p, const struct mpl_experiment *e,
                                struct mpl_err *err)
{
    const struct mpl_trial *t = find_trial(p, e->run, e->pattern);
    struct want w = {
        .run = e->run, .pattern = e->pattern, .level = e->level, .repetitions = 1
    };
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; t != NULL && i < e->n_metrics && st == MPL_OK; i++) {
        st = add_metric(p, &w, t, e->metrics[i], err);
    }
    if (st != MPL_OK || w.capabilities.n == 0) {
        return st;
    }
    const char *reason = mpl_arena_printf(
        p->arena, "The rules need %s to %s, and the trace does not record %s.",
        w.metrics.items[0], e->purpose, w.capabilities.items[0]);

    w.is_all_regions = mpl_texts_has(&w.capabilities, "user-regions");
    if (!mpl_texts_add(p, &w.purposes, e->purpose) ||
        !mpl_texts_add(p, &w.reasons, reason)) {
        return mpl_nomem(err);
    }
    struct want *kept = mpl_buf_add(&p->wants);

    if (kept == NULL) {
        return mpl_nomem(err);
    }
    *kept = w;
    return MPL_OK;
}

/* ---- clocks ------------------------------------------------------------------------------ */

/* The causes of a run that other clocks would change, as far as the answer rests on them: the leading
 * cause, or all when the verdict itself does. */
static bool add_sensitive(struct planner *p, struct want *w)
{
    const struct mpl_diagnosis *d = p->diagnosis;
    bool is_first = true;

    for (size_t i = 0; i < d->n_findings; i++) {
        const struct mpl_diagnosed *f = &d->findings[i];

        if (f->run != w->run || strcmp(f->finding->kind, "cause") != 0) {
            continue;
        }
        if (f->is_clock_sensitive && (is_first || d->is_verdict_clock_sensitive)) {
            w->pattern = w->pattern != NULL ? w->pattern : f->finding->pattern;
            if (!mpl_texts_add(p, &w->separates, f->finding->name)) {
                return false;
            }
        }
        is_first = false;
    }
    return true;
}

/*
 * Only after the rules is it known what other clocks would change, so no rule can ask for this. Where
 * the tracer compared the clocks, there is nothing better to record.
 */
static enum mpl_status collect_clocks(struct planner *p, uint32_t run, struct mpl_err *err)
{
    const struct mpl_run *r = &p->diagnosis->runs[run];
    struct want w = { .run = run, .level = 2, .repetitions = 1 };

    if (r->model == NULL || r->model->can.has_clock_offsets) {
        return MPL_OK;
    }
    if (!add_sensitive(p, &w)) {
        return mpl_nomem(err);
    }
    if (w.separates.n == 0) {
        return MPL_OK;
    }
    const char *purpose =
        mpl_arena_printf(p->arena, "have clocks that %s can rest on", w.separates.items[0]);
    struct want *kept = mpl_buf_add(&p->wants);

    if (kept == NULL || !mpl_texts_add(p, &w.purposes, purpose) ||
        !mpl_texts_add(
            p, &w.reasons,
            "Findings could be others if the clocks were wrong by as much as they "
            "may be, and the tracer did not compare them.") ||
        !mpl_texts_add(p, &w.capabilities, "clock-offsets")) {
        return mpl_nomem(err);
    }
    *kept = w;
    return MPL_OK;
}

enum mpl_status mpl_wants_collect(struct planner *p, struct mpl_err *err)
{
    enum mpl_status st = collect_measures(p, err);

    for (uint32_t i = 0; i < p->diagnosis->n_runs && st == MPL_OK; i++) {
        st = collect_clocks(p, i, err);
    }

    for (size_t i = 0; i < p->diagnosis->n_experiments && st == MPL_OK; i++) {
        if (!p->diagnosis->experiments[i].is_answered) {
            st = add_need(p, &p->diagnosis->experiments[i], err);
        }
    }
    return st;
}
