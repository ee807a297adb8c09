#include "config.h"

#include "analysis/analysis_priv.h"

#include <string.h>

/* The pattern that fits every MPI trace and steps back where another one does. */
static const char *const fallback = "message-passing";

static bool is_fallback(const struct mpl_pattern *pattern)
{
    return strcmp(mpl_pattern_name(pattern), fallback) == 0;
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

static enum mpl_status try_pattern(struct mpl_analysis *a, struct trial *t,
                                   const struct mpl_analysis_options *options,
                                   struct mpl_err *err)
{
    const struct mpl_run *run = &a->runs[t->shown.run].shown;
    struct mpl_role_binding *own =
        MPL_NEW_ARRAY(a->arena, options->n_roles, struct mpl_role_binding);

    t->arena = mpl_arena_create();
    if (t->arena == NULL || own == NULL) {
        return mpl_nomem(err);
    }
    const size_t n = own_bindings(t->shown.pattern, options, own);
    const enum mpl_status st =
        mpl_recognize(t->shown.pattern, run->events, own, n, t->arena, &t->recognition,
                      &t->shown.reason, err);

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

    if (t->shown.coverage < coverage) {
        return mpl_arena_printf(a->arena,
                                "it explains %.0f %% of the messages, %.0f %% are needed",
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
    t->shown.is_chosen = true;
    t->shown.reason = NULL;
    t->shown.metrics = a->metric_sets[pattern];
    return mpl_metrics_create(a->metric_sets[pattern], t->recognition, t->arena,
                              &t->metrics, err);
}

/*
 * Of the specific patterns that fit, the one that explains most is taken: coverage times fit.
 * Two that describe the same messages would count each second twice.
 */
static size_t best_of(struct mpl_analysis *a, size_t first, size_t n)
{
    size_t best = n;
    double best_score = 0;

    for (size_t i = 0; i < n; i++) {
        struct trial *t = &a->trials[first + i];

        if (t->recognition == NULL || is_fallback(t->shown.pattern)) {
            continue;
        }
        t->shown.reason = objection(a, t);
        if (t->shown.reason != NULL) {
            continue;
        }
        const double score = t->shown.coverage * t->shown.fit;

        t->shown.reason = "another pattern explains more";
        if (best == n || score > best_score) {
            best = i;
            best_score = score;
        }
    }
    return best;
}

static enum mpl_status choose_of_run(struct mpl_analysis *a, size_t first, size_t n,
                                     const struct mpl_analysis_options *options,
                                     struct mpl_err *err)
{
    const size_t best = best_of(a, first, n);

    for (size_t i = 0; i < n; i++) {
        struct trial *t = &a->trials[first + i];
        const char *name = mpl_pattern_name(t->shown.pattern);
        const bool is_asked =
            options->pattern != NULL && strcmp(options->pattern, name) == 0;

        if (t->recognition == NULL) {
            continue;
        }
        if (is_asked || is_fallback(t->shown.pattern) ||
            (options->pattern == NULL && i == best)) {
            const enum mpl_status st = choose(a, t, i, err);

            if (st != MPL_OK) {
                return st;
            }
        }
    }
    return MPL_OK;
}

static enum mpl_status check_roles(struct mpl_analysis *a,
                                   const struct mpl_analysis_options *options,
                                   struct mpl_err *err)
{
    struct mpl_buf names = mpl_buf_make(sizeof(const char *));
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < mpl_patterns_count(a->patterns); i++) {
        const struct mpl_pattern *pattern = mpl_patterns_get(a->patterns, i);

        for (size_t k = 0; k < mpl_pattern_role_count(pattern) && st == MPL_OK; k++) {
            const char **name = mpl_buf_add(&names);

            if (name == NULL) {
                st = mpl_nomem(err);
            } else {
                *name = mpl_pattern_role(pattern, k);
            }
        }
    }
    for (size_t r = 0; r < options->n_roles && st == MPL_OK; r++) {
        const char *role = options->roles[r].role;
        const char *near = mpl_suggest(role, names.data, names.n);

        if (near == NULL || strcmp(near, role) != 0) {
            st = mpl_fail(err, MPL_E_USAGE, "no pattern has a role '%s'%s%s%s", role,
                          near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                          near != NULL ? "'?" : "");
        }
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

enum mpl_status mpl_trials_make(struct mpl_analysis *a,
                                const struct mpl_analysis_options *options,
                                struct mpl_err *err)
{
    const size_t n = mpl_patterns_count(a->patterns);
    enum mpl_status st = check_names(a, options, err);

    a->trials = MPL_NEW_ARRAY(a->arena, n * a->n_runs, struct trial);
    if (st == MPL_OK && a->trials == NULL) {
        st = mpl_nomem(err);
    }
    for (size_t r = 0; r < a->n_runs && st == MPL_OK; r++) {
        const size_t first = a->n_trials;

        if (!mpl_run_is_usable(&a->runs[r])) {
            continue;
        }
        for (size_t i = 0; i < n && st == MPL_OK; i++) {
            struct trial *t = &a->trials[a->n_trials++];

            mpl_progress_tell(a->progress, "looking for patterns", i, n);
            t->shown.run = (uint32_t) r;
            t->shown.pattern = mpl_patterns_get(a->patterns, i);
            st = try_pattern(a, t, options, err);
        }
        if (st == MPL_OK) {
            st = choose_of_run(a, first, n, options, err);
        }
    }
    return st;
}

struct trial *mpl_trials_find(struct mpl_analysis *a, const char *run, const char *pattern)
{
    for (size_t i = 0; i < a->n_trials; i++) {
        struct trial *t = &a->trials[i];

        if (t->shown.is_chosen && strcmp(a->runs[t->shown.run].shown.id, run) == 0 &&
            strcmp(mpl_pattern_name(t->shown.pattern), pattern) == 0) {
            return t;
        }
    }
    return NULL;
}
