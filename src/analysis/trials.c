#include "config.h"

#include "analysis/analysis_priv.h"

#include "run/scopes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_asked_for(const struct mpl_pattern *pattern,
                         const struct mpl_analysis_options *options)
{
    return options->pattern == NULL ||
           strcmp(options->pattern, mpl_pattern_name(pattern)) == 0;
}

/* Bindings of roles that this pattern has; --role master=0 says nothing to the others. */
static size_t own_bindings(const struct mpl_pattern *pattern,
                           const struct mpl_analysis_options *options,
                           struct mpl_role_binding *own)
{
    size_t n = 0;

    for (size_t i = 0; i < options->n_roles; i++) {
        if (mpl_pattern_find_role(pattern, options->roles[i].role) != MPL_NONE) {
            own[n++] = options->roles[i];
        }
    }
    return n;
}

/*
 * On the world, or with options NULL on a part of it, whose roles nobody can bind. \p better: what a pattern must score that
 * may be taken.
 */
static enum mpl_status try_pattern(struct mpl_analysis *a, struct trial *t,
                                   struct mpl_topology *topology,
                                   const struct mpl_analysis_options *options,
                                   double better, struct mpl_err *err)
{
    const struct mpl_run *run = &a->runs[t->shown.run];
    const size_t n_roles = options == NULL ? 0 : options->n_roles;
    struct mpl_role_binding *own =
        MPL_NEW_ARRAY(a->arena, n_roles, struct mpl_role_binding);

    t->arena = mpl_arena_create();
    if (t->arena == NULL || own == NULL) {
        return mpl_nomem(err);
    }
    const size_t n = n_roles == 0 ? 0 : own_bindings(t->shown.pattern, options, own);
    const bool is_asked = options != NULL && options->pattern != NULL;
    const double needed =
        is_asked ? 0 : fmax(better, mpl_pattern_minimum_coverage(t->shown.pattern));
    const enum mpl_status st =
        mpl_recognize_in(t->shown.pattern, topology, own, n,
                         mpl_pattern_is_structural(t->shown.pattern) ? needed : 0, t->arena,
                         &t->recognition, &t->shown.reason, err);

    if (st < 0) {
        return mpl_wrap(err, st, "cannot look for pattern '%s' in \"%s\"",
                        mpl_pattern_name(t->shown.pattern), run->path);
    }
    if (st == MPL_END) {
        t->recognition = NULL;
        return MPL_OK;
    }
    t->shown.recognition = t->recognition;
    t->shown.coverage = mpl_recognition_message_coverage(t->recognition);
    t->shown.time_coverage = mpl_recognition_time_coverage(t->recognition);
    t->shown.fit = mpl_recognition_fit(t->recognition);
    return MPL_OK;
}

/* Why a recognised pattern is not taken, or NULL when it may be. */
static const char *objection(struct mpl_analysis *a, const struct trial *t)
{
    const double coverage = mpl_pattern_minimum_coverage(t->shown.pattern);
    const double fit = mpl_pattern_minimum_fit(t->shown.pattern);
    const char *worst = mpl_recognition_worst_constraint(t->recognition);

    if (mpl_recognition_has_stopped(t->recognition)) {
        const char *more = mpl_arena_printf(a->arena, "%.0f %% are needed", 100 * coverage);

        return mpl_arena_printf(a->arena,
                                "it explains at most %.0f %% of the messages and "
                                "collectives, %s",
                                ceil(100 * t->shown.coverage),
                                t->shown.coverage < coverage && more != NULL
                                    ? more
                                    : "and another pattern explains more");
    }
    if (t->shown.coverage < coverage) {
        return mpl_arena_printf(a->arena,
                                "it explains %.0f %% of the messages and collectives, "
                                "%.0f %% are needed",
                                100 * t->shown.coverage, 100 * coverage);
    }
    if (t->shown.fit < fit) {
        return mpl_arena_printf(
            a->arena, "%.0f %% of its events meet all constraints, %.0f %% are needed%s%s",
            100 * t->shown.fit, 100 * fit, worst != NULL ? "; most fail: " : "",
            worst != NULL ? worst : "");
    }
    return NULL;
}

static enum mpl_status choose(struct mpl_analysis *a, struct trial *t, size_t pattern,
                              struct mpl_err *err)
{
    struct mpl_variables *variables = NULL;

    if (t->part == NULL && !mpl_run_variables(&a->runs[t->shown.run], &variables)) {
        return mpl_nomem(err);
    }
    t->shown.is_chosen = true;
    t->shown.reason = NULL;
    t->shown.metrics = a->metric_sets[pattern];
    return mpl_metrics_create(a->metric_sets[pattern], t->recognition, variables, t->arena,
                              &t->metrics, err);
}

/* ---- choosing ------------------------------------------------------------------------ */

static double score_of(const struct trial *t)
{
    return t->shown.coverage * t->shown.fit;
}

static bool fits(const struct trial *t)
{
    return t->recognition != NULL && mpl_pattern_is_structural(t->shown.pattern) &&
           !mpl_recognition_has_stopped(t->recognition) &&
           t->shown.coverage >= mpl_pattern_minimum_coverage(t->shown.pattern) &&
           t->shown.fit >= mpl_pattern_minimum_fit(t->shown.pattern);
}

/* A refined pattern says more than its base: it need not explain more. */
static const double refined_enough = 0.98;

/* Whether x explains more than y: coverage times fit. */
static bool is_better(const struct trial *x, const struct trial *y)
{
    if (mpl_pattern_extends(x->shown.pattern, y->shown.pattern)) {
        return score_of(x) >= refined_enough * score_of(y);
    }
    if (mpl_pattern_extends(y->shown.pattern, x->shown.pattern)) {
        return score_of(y) < refined_enough * score_of(x);
    }
    return score_of(x) > score_of(y);
}

/* Of the trials from \p first on, so many are made: whether pattern \p i may be taken, for all that is known. */
static bool may_be_taken(const struct mpl_analysis *a, size_t first, size_t n_made,
                         size_t i)
{
    return i >= n_made || fits(&a->trials[first + i]);
}

/*
 * What a pattern must score at least to be taken where another one has \p best. The choice goes from one to a refinement
 * of it that explains a bit less, and from there perhaps to the next.
 */
static double least_score(const struct mpl_analysis *a, size_t first, size_t n_made,
                          double best)
{
    const size_t n = mpl_patterns_count(a->patterns);

    for (size_t i = 0; i < n; i++) {
        const struct mpl_pattern *pattern = mpl_patterns_get(a->patterns, i);
        bool is_refined = false;

        for (size_t k = 0; k < n && may_be_taken(a, first, n_made, i); k++) {
            is_refined = is_refined ||
                         (mpl_pattern_extends(pattern, mpl_patterns_get(a->patterns, k)) &&
                          may_be_taken(a, first, n_made, k));
        }
        best *= is_refined ? refined_enough : 1;
    }
    return best;
}

/*
 * Of the specific patterns that fit, the one that explains most is taken. Two that describe the
 * same messages would count each second twice. Then its refinements: each is compared with the
 * pattern that it refines, not with whoever came in between.
 */
static size_t best_of(struct mpl_analysis *a, size_t first, size_t n)
{
    size_t best = n;

    for (size_t i = 0; i < n; i++) {
        struct trial *t = &a->trials[first + i];

        if (t->recognition == NULL || !mpl_pattern_is_structural(t->shown.pattern)) {
            continue;
        }
        t->shown.reason = objection(a, t);
        t->is_fit = t->shown.reason == NULL;
        if (!t->is_fit) {
            continue;
        }
        t->shown.reason = "another pattern explains more";
        if (best == n || score_of(t) > score_of(&a->trials[first + best])) {
            best = i;
        }
    }
    for (size_t i = 0; i < n && best < n; i++) {
        const struct trial *t = &a->trials[first + i];

        if (t->is_fit && is_better(t, &a->trials[first + best])) {
            best = i;
        }
    }
    return best;
}

/* Of one that was not searched to the end, what it is by what was. */
static double likely_score(const struct trial *t)
{
    return mpl_recognition_likely_coverage(t->recognition) * t->shown.fit;
}

/* Of those that are not taken: one whose roles were found before the others, then by score. */
static void find_runner_up(struct mpl_analysis *a, size_t first, size_t n,
                           const struct mpl_analysis_options *options)
{
    struct trial *best = NULL;

    for (size_t i = first; i < first + n; i++) {
        struct trial *t = &a->trials[i];

        if (t->shown.is_chosen || !mpl_pattern_is_structural(t->shown.pattern) ||
            !is_asked_for(t->shown.pattern, options)) {
            continue;
        }
        if (best == NULL || (t->recognition != NULL) > (best->recognition != NULL) ||
            (t->recognition != NULL && best->recognition != NULL &&
             likely_score(t) > likely_score(best))) {
            best = t;
        }
    }
    if (best != NULL) {
        best->shown.is_runner_up = true;
    }
}

/* ---- parts of the run ------------------------------------------------------------------ */

static void drop(struct trial *t)
{
    mpl_arena_destroy(t->arena);
    mpl_arena_destroy(t->part_arena);
    *t = (struct trial){ .arena = NULL };
}

/* All patterns on the events of a part; the best that fits stays in \p best, if any. */
static enum mpl_status try_all(struct mpl_analysis *a, uint32_t run,
                               const struct mpl_events *events, struct trial *best,
                               size_t *pattern, struct mpl_err *err)
{
    const size_t n = mpl_patterns_count(a->patterns);
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_topology *topology = NULL;
    enum mpl_status st =
        arena == NULL ? mpl_nomem(err) : mpl_topology_create(events, arena, &topology, err);

    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        struct trial t = { .shown = { .run = run,
                                      .pattern = mpl_patterns_get(a->patterns, i) } };

        if (!mpl_pattern_is_structural(t.shown.pattern)) {
            continue;
        }
        st = try_pattern(a, &t, topology, NULL,
                         best->recognition == NULL ? 0 : refined_enough * score_of(best),
                         err);
        if (st == MPL_OK && t.recognition != NULL && objection(a, &t) == NULL &&
            (best->recognition == NULL || is_better(&t, best))) {
            mpl_arena_destroy(best->arena);
            *best = t;
            *pattern = i;
        } else {
            mpl_arena_destroy(t.arena);
        }
    }
    mpl_arena_destroy(arena);
    return st;
}

/* Of all locations together. */
static double calls_s(const struct mpl_events *events)
{
    double sum_s = 0;

    for (uint32_t l = 0; l < mpl_events_model(events)->n_locations; l++) {
        const struct mpl_totals *totals = mpl_events_totals(events, l);

        sum_s += totals->class_s[MPL_SPAN_P2P] + totals->class_s[MPL_SPAN_COLLECTIVE];
    }
    return sum_s;
}

static double share_of(const struct mpl_events *part, const struct mpl_events *whole)
{
    const double all_s = calls_s(whole);

    return all_s > 0 ? calls_s(part) / all_s : 0;
}

/* What the processes of a phase do there, like that of steps. */
static struct mpl_phase sum_phase(const struct mpl_events *events)
{
    const struct mpl_model *model = mpl_events_model(events);
    struct mpl_phase phase = { .duration_s = mpl_events_measured_s(events) };
    uint32_t n = 0;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_totals *totals = mpl_events_totals(events, l);

        if (totals->n_calls > 0) {
            phase.compute_s += totals->class_s[MPL_SPAN_COMPUTE];
            phase.longest_s = fmax(phase.longest_s, totals->class_s[MPL_SPAN_COMPUTE]);
            n++;
        }
    }
    phase.compute_s /= n > 0 ? n : 1;
    return phase;
}

static enum mpl_status name_trial(struct mpl_analysis *a, struct trial *t,
                                  const struct mpl_scope *scope, struct mpl_err *err)
{
    struct mpl_part *part = MPL_NEW(a->arena, struct mpl_part);

    if (part == NULL) {
        return mpl_nomem(err);
    }
    *part = scope->part;
    t->part = part;
    t->shown.scope = scope->says;
    t->shown.end_s = a->runs[t->shown.run].window_s;
    if (scope->is_phase) {
        t->shown.is_phase = true;
        t->shown.begin_s = scope->begin_s;
        t->shown.end_s = scope->end_s;
        t->shown.phase = sum_phase(mpl_recognition_events(t->recognition));
    }
    t->shown.id =
        mpl_arena_printf(a->arena, "%s@%s", mpl_pattern_name(t->shown.pattern), scope->id);
    return t->shown.id == NULL ? mpl_nomem(err) : MPL_OK;
}

/* Adds a trial when some pattern fits the scope. */
static enum mpl_status try_scope(struct mpl_analysis *a, uint32_t run,
                                 const struct mpl_scope *scope, bool *is_found,
                                 struct mpl_err *err)
{
    struct trial *t = &a->trials[a->n_trials];
    const struct mpl_events *events = NULL;
    struct mpl_arena *arena = mpl_arena_create();
    size_t pattern = 0;
    enum mpl_status st = arena == NULL ? mpl_nomem(err)
                                       : mpl_events_part(a->runs[run].events, &scope->part,
                                                         arena, &events, err);

    *is_found = false;
    *t = (struct trial){ .arena = NULL };
    st = st == MPL_OK ? try_all(a, run, events, t, &pattern, err) : st;
    t->part_arena = arena;
    if (st == MPL_OK && t->recognition != NULL) {
        t->shown.share = share_of(events, a->runs[run].events);
        st = name_trial(a, t, scope, err);
        st = st == MPL_OK ? choose(a, t, pattern, err) : st;
        *is_found = st == MPL_OK;
    }
    if (*is_found) {
        a->n_trials++;
    } else {
        drop(t);
    }
    return st;
}

/* Tries the scopes from \p from on. Adds what share of the run those that fit explain. */
static enum mpl_status try_scopes(struct mpl_analysis *a, uint32_t run,
                                  const struct mpl_scopes *s, size_t from, bool *is_taken,
                                  double *explained, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (size_t i = from; i < s->items.n && st == MPL_OK; i++) {
        const struct mpl_scope *scope = mpl_buf_get(&s->items, i);
        bool is_found;

        mpl_progress_tell(a->run_options.progress, "looking for patterns in parts", i,
                          s->items.n);
        st = try_scope(a, run, scope, &is_found, err);
        if (is_found) {
            *explained += scope->share * score_of(&a->trials[a->n_trials - 1]);
            if (scope->comm != MPL_NONE) {
                is_taken[scope->comm] = true;
            }
        }
    }
    return st;
}

/* Communicators, and what remains without those in which a pattern was found. */
static enum mpl_status try_nested(struct mpl_analysis *a, uint32_t run,
                                  struct mpl_scopes *s, double *explained,
                                  struct mpl_err *err)
{
    const size_t n_before = a->n_trials;
    bool *is_taken = MPL_NEW_ARRAY(a->arena, a->runs[run].model->n_comms, bool);
    enum mpl_status st = is_taken == NULL ? mpl_nomem(err) : MPL_OK;

    st = st == MPL_OK ? try_scopes(a, run, s, 0, is_taken, explained, err) : st;
    if (st == MPL_OK && a->n_trials > n_before) {
        const size_t from = s->items.n;

        st = mpl_scopes_rest(s, is_taken, err);
        st = st == MPL_OK ? try_scopes(a, run, s, from, is_taken, explained, err) : st;
    }
    return st;
}

/*
 * The last two phases have the same pattern: a pipeline whose first stages are ahead says something else in
 * the end than in the beginning. They are one if the pattern fits them together as well.
 */
static enum mpl_status try_together(struct mpl_analysis *a, uint32_t run,
                                    const struct mpl_scopes *s, struct mpl_scope *found,
                                    struct mpl_err *err)
{
    struct trial *first = &a->trials[a->n_trials - 2];
    struct trial *second = &a->trials[a->n_trials - 1];
    struct trial *both = &a->trials[a->n_trials];
    struct mpl_scope scope;
    bool is_found;
    enum mpl_status st;

    if (first->shown.pattern != second->shown.pattern) {
        return MPL_OK;
    }
    st = mpl_scopes_join(s, &found[0], &found[1], &scope, err);
    st = st == MPL_OK ? try_scope(a, run, &scope, &is_found, err) : st;
    if (st != MPL_OK || !is_found) {
        return st;
    }
    a->n_trials--;
    if (both->shown.pattern != first->shown.pattern ||
        score_of(both) < refined_enough * fmin(score_of(first), score_of(second))) {
        drop(both);
        return MPL_OK;
    }
    drop(first);
    drop(second);
    *first = *both;
    *both = (struct trial){ .arena = NULL };
    found[0] = scope;
    a->n_trials--;
    return MPL_OK;
}

/* A pattern of the world that explains so much leaves nothing that a phase of its own could be. */
static const double nearly_all = 0.95;

/*
 * Phases replace the world's pattern if together they explain more; where it has none, if those in
 * which some pattern fits are half of the run, in what is said or in time.
 */
static enum mpl_status try_phases(struct mpl_analysis *a, uint32_t run,
                                  struct mpl_scopes *s, const struct trial *world,
                                  bool *is_replaced, struct mpl_err *err)
{
    const double window_s = a->runs[run].window_s;
    const size_t n_before = a->n_trials;
    double explained = 0;
    double share = 0;
    double time_s = 0;
    struct mpl_scope found[MPL_SCOPES_MAX]; /* of the trials from n_before on */
    bool is_found;
    enum mpl_status st;

    s->items.n = 0;
    st = mpl_scopes_phases(s, err);
    for (size_t i = 0; i < s->items.n && st == MPL_OK; i++) {
        found[a->n_trials - n_before] =
            *(const struct mpl_scope *) mpl_buf_get(&s->items, i);
        st = try_scope(a, run, &found[a->n_trials - n_before], &is_found, err);
        if (is_found && a->n_trials - n_before >= 2) {
            st = try_together(a, run, s, &found[a->n_trials - n_before - 2], err);
        }
    }
    for (size_t i = n_before; i < a->n_trials; i++) {
        explained += found[i - n_before].share * score_of(&a->trials[i]);
        share += found[i - n_before].share;
        time_s += found[i - n_before].end_s - found[i - n_before].begin_s;
    }

    const bool is_better = world != NULL ? explained > score_of(world)
                                         : share >= 0.5 || time_s >= 0.5 * window_s;

    *is_replaced = world != NULL && is_better;
    while (!is_better && a->n_trials > n_before) {
        drop(&a->trials[--a->n_trials]);
    }
    return st;
}

/*
 * Where the world has no pattern, or most is said in inner communicators, parts are tried. They
 * replace the world's pattern only if together they explain more: who exchanges halos along rows
 * and columns is one grid.
 */
static enum mpl_status try_parts(struct mpl_analysis *a, uint32_t run, struct mpl_scopes *s,
                                 struct trial *world, bool *is_replaced,
                                 struct mpl_err *err)
{
    const size_t n_before = a->n_trials;
    double explained = 0;
    enum mpl_status st = mpl_scopes_comms(s, err);

    *is_replaced = false;
    if (st == MPL_OK && (world == NULL || s->inner_share > 0.5)) {
        st = try_nested(a, run, s, &explained, err);
    }
    if (world != NULL) {
        *is_replaced = refined_enough * explained > score_of(world);
        while (!*is_replaced && a->n_trials > n_before) {
            drop(&a->trials[--a->n_trials]);
        }
    }
    if (st == MPL_OK && a->n_trials == n_before && world == NULL) {
        s->items.n = 0;
        st = mpl_scopes_groups(s, err);
        st = st == MPL_OK ? try_scopes(a, run, s, 0, NULL, &explained, err) : st;
    }
    if (st == MPL_OK && a->n_trials == n_before &&
        (world == NULL || score_of(world) < nearly_all)) {
        st = try_phases(a, run, s, world, is_replaced, err);
    }
    return st;
}

static enum mpl_status choose_of_run(struct mpl_analysis *a, size_t first, size_t n,
                                     const struct mpl_analysis_options *options,
                                     struct mpl_err *err)
{
    const uint32_t run = a->trials[first].shown.run;
    const size_t best = best_of(a, first, n);
    struct mpl_scopes scopes = { .events = a->runs[run].events,
                                 .arena = a->arena,
                                 .items = mpl_buf_make(sizeof(struct mpl_scope)) };
    struct trial *world = best < n ? &a->trials[first + best] : NULL;
    bool is_replaced = false;
    enum mpl_status st = MPL_OK;

    /* Who names a pattern or roles means the whole run. */
    if (options->pattern == NULL && options->n_roles == 0) {
        st = try_parts(a, run, &scopes, world, &is_replaced, err);
    }
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        struct trial *t = &a->trials[first + i];
        const bool is_asked =
            options->pattern != NULL && is_asked_for(t->shown.pattern, options);

        if (t->recognition == NULL) {
            continue;
        }
        if (is_asked || !mpl_pattern_is_structural(t->shown.pattern) ||
            (options->pattern == NULL && t == world && !is_replaced)) {
            st = choose(a, t, i, err);
        } else if (t == world && is_replaced) {
            t->shown.reason = "patterns of parts of the run explain more";
        }
    }
    find_runner_up(a, first, n, options);
    mpl_buf_free(&scopes.items);
    return st;
}

/* ---- what is asked for ------------------------------------------------------------------ */

static enum mpl_status check_role(struct mpl_analysis *a, const char *role,
                                  const struct mpl_buf *names, const char *pattern,
                                  struct mpl_err *err)
{
    const char *near = mpl_suggest(role, names->data, names->n);
    const char *hint = mpl_suggest_hint(a->arena, role, names->data, names->n);

    if (hint == NULL) {
        return mpl_nomem(err);
    }
    if (near != NULL && strcmp(near, role) == 0) {
        return MPL_OK;
    }
    return pattern == NULL
               ? mpl_fail(err, MPL_E_USAGE, "no pattern has a role '%s'%s", role, hint)
               : mpl_fail(err, MPL_E_USAGE, "pattern '%s' has no role '%s'%s", pattern,
                          role, hint);
}

static enum mpl_status check_roles(struct mpl_analysis *a,
                                   const struct mpl_analysis_options *options,
                                   struct mpl_err *err)
{
    struct mpl_buf names = mpl_buf_make(sizeof(const char *));
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < mpl_patterns_count(a->patterns); i++) {
        const struct mpl_pattern *pattern = mpl_patterns_get(a->patterns, i);

        if (!is_asked_for(pattern, options)) {
            continue;
        }
        for (size_t k = 0; k < mpl_pattern_role_count(pattern) && st == MPL_OK; k++) {
            const char *name = mpl_pattern_role(pattern, k);

            st = mpl_buf_put(&names, &name) ? MPL_OK : mpl_nomem(err);
        }
    }
    for (size_t r = 0; r < options->n_roles && st == MPL_OK; r++) {
        st = check_role(a, options->roles[r].role, &names, options->pattern, err);
    }
    mpl_buf_free(&names);
    return st;
}

static enum mpl_status check_names(struct mpl_analysis *a,
                                   const struct mpl_analysis_options *options,
                                   struct mpl_err *err)
{
    const size_t n = mpl_patterns_count(a->patterns);
    const char **names = MPL_NEW_ARRAY(a->arena, n, const char *);

    if (names == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        names[i] = mpl_pattern_name(mpl_patterns_get(a->patterns, i));
    }
    if (options->pattern != NULL &&
        mpl_patterns_find(a->patterns, options->pattern) == NULL) {
        const char *near = mpl_suggest(options->pattern, names, n);

        return mpl_fail(err, MPL_E_USAGE, "there is no pattern '%s'%s%s%s",
                        options->pattern, near != NULL ? "; did you mean '" : "",
                        near != NULL ? near : "", near != NULL ? "'?" : "");
    }
    return check_roles(a, options, err);
}

/* All patterns on a whole run, each with a trial to be shown. */
static enum mpl_status try_world(struct mpl_analysis *a, uint32_t run,
                                 const struct mpl_analysis_options *options,
                                 struct mpl_err *err)
{
    const size_t n = mpl_patterns_count(a->patterns);
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_topology *topology = NULL;
    const size_t first = a->n_trials;
    double best = 0;
    enum mpl_status st =
        arena == NULL ? mpl_nomem(err)
                      : mpl_topology_create(a->runs[run].events, arena, &topology, err);

    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        struct trial *t = &a->trials[a->n_trials++];

        mpl_progress_tell(a->run_options.progress, "looking for patterns", i, n);
        t->shown.run = run;
        t->shown.pattern = mpl_patterns_get(a->patterns, i);
        t->shown.id = mpl_pattern_name(t->shown.pattern);
        t->shown.scope = "world";
        t->shown.share = 1;
        t->shown.end_s = a->runs[run].window_s;
        if (is_asked_for(t->shown.pattern, options) ||
            !mpl_pattern_is_structural(t->shown.pattern)) {
            st = try_pattern(a, t, topology, options, least_score(a, first, i, best), err);
            best = fits(t) ? fmax(best, score_of(t)) : best;
        } else {
            t->shown.reason = "another pattern was asked for";
        }
    }
    mpl_arena_destroy(arena);
    return st;
}

enum mpl_status mpl_trials_make(struct mpl_analysis *a,
                                const struct mpl_analysis_options *options,
                                struct mpl_err *err)
{
    const size_t n = mpl_patterns_count(a->patterns);
    enum mpl_status st = check_names(a, options, err);

    a->trials = MPL_NEW_ARRAY(a->arena, (n + MPL_SCOPES_MAX + 3) * a->n_runs, struct trial);
    if (st == MPL_OK && a->trials == NULL) {
        st = mpl_nomem(err);
    }
    for (size_t r = 0; r < a->n_runs && st == MPL_OK; r++) {
        const size_t first = a->n_trials;

        if (!mpl_run_is_usable(&a->runs[r])) {
            continue;
        }
        st = try_world(a, (uint32_t) r, options, err);
        if (st == MPL_OK && n > 0) {
            st = choose_of_run(a, first, n, options, err);
        }
    }
    return st;
}

bool mpl_trial_is_inside(const struct trial *inner, const struct trial *outer)
{
    const char *scope = strchr(outer->shown.id, '@');

    /* What remains is made of all communicators in which nothing was found. */
    return inner->shown.is_chosen && outer->shown.is_chosen && inner != outer &&
           inner->shown.run == outer->shown.run && inner->part != NULL &&
           inner->part->comms != NULL && inner->part->processes != NULL && scope != NULL &&
           strcmp(scope, "@rest") == 0;
}

/* Ids are "r1", "r2", … in the order of the runs. */
uint32_t mpl_runs_find(const struct mpl_analysis *a, const char *id)
{
    char *end = NULL;
    const unsigned long number = id[0] == 'r' ? strtoul(id + 1, &end, 10) : 0;

    return number == 0 || *end != '\0' || number > a->n_runs ? MPL_NONE
                                                             : (uint32_t) number - 1;
}

/* The first of a run, which stand together in the order of runs; n_trials where it has none. */
static size_t mpl_trials_of(const struct mpl_analysis *a, uint32_t run)
{
    size_t low = 0;
    size_t high = a->n_trials;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (a->trials[middle].shown.run < run) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct trial *mpl_trials_find(const struct mpl_analysis *a, const char *run,
                              const char *pattern)
{
    const uint32_t index = mpl_runs_find(a, run);

    for (size_t i = mpl_trials_of(a, index); i < a->n_trials; i++) {
        struct trial *t = &a->trials[i];

        if (t->shown.run != index) {
            break;
        }
        if (t->shown.is_chosen && strcmp(t->shown.id, pattern) == 0) {
            return t;
        }
    }
    return NULL;
}
