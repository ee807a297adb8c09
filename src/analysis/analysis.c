#include "config.h"

#include "analysis/analysis_priv.h"

/* What rules have by default (infer.h); of several runs each has as much. */
static const double rule_seconds = 10;

/* Of functions what their calls do, device and all: it is to be the same in all commands, with rules or without. */
static enum mpl_status load_regions(struct mpl_analysis *a,
                                    const struct mpl_analysis_options *options,
                                    struct mpl_err *err)
{
    struct mpl_knowledge known = { 0 };
    const enum mpl_status st = mpl_knowledge_regions(
        options->knowledge, options->n_knowledge, a->arena, a->lint, &known, err);

    a->run_options.region_classes = known.region_classes;
    a->run_options.n_region_classes = known.n_region_classes;
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot load the knowledge");
}

static enum mpl_status load_knowledge(struct mpl_analysis *a,
                                      const struct mpl_analysis_options *options,
                                      struct mpl_err *err)
{
    struct mpl_knowledge known = { 0 };
    enum mpl_status st = mpl_knowledge_load(options->knowledge, options->n_knowledge,
                                            a->arena, a->lint, &known, err);

    a->patterns = known.patterns;
    a->metric_sets = known.metric_sets;
    a->rules = known.rules;
    if (st == MPL_OK && !options->is_tested) {
        st = mpl_infer_create(a->rules, &a->limits, &a->infer, err);
    }
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot load the knowledge");
}

/* Those rules that can fire, once the patterns are known; authors have had all theirs checked, and tests have seen what
 * comes with marple. Where CLIPS refuses that all the same, checking it says why. */
static enum mpl_status load_rules(struct mpl_analysis *a, struct mpl_err *err)
{
    enum mpl_status st = mpl_facts_given(a, err);

    if (st == MPL_OK && a->infer == NULL) {
        st = mpl_infer_renew(a->rules, &a->limits, &a->infer, err);
        st = st == MPL_E_SYNTAX ? mpl_infer_create(a->rules, &a->limits, &a->infer, err)
                                : st;
    }
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot load the knowledge");
}

static enum mpl_status open_runs(struct mpl_analysis *a, const char *const *paths, size_t n,
                                 struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    a->runs = MPL_NEW_ARRAY(a->runs_arena, n, struct mpl_run);
    if (a->runs == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        a->n_runs++;
        st =
            mpl_run_open(&a->run_options, a->runs_arena, paths[i], i + 1, &a->runs[i], err);
    }
    return st;
}

struct preparing {
    struct mpl_analysis *a;
    const struct mpl_analysis_options *options;
    const char *const *paths;
    size_t n_paths;
};

static enum mpl_status prepare_part(void *context, size_t part, unsigned worker,
                                    struct mpl_err *err)
{
    const struct preparing *p = context;

    (void) worker;
    return part == 0 ? open_runs(p->a, p->paths, p->n_paths, err)
                     : load_knowledge(p->a, p->options, err);
}

/*
 * Reads the runs. Loading what is known is one thread's work, for one that has no location to read: locations are few and
 * long, and who loads first is late with the last of them. Authors have what they wrote checked before: they wait for
 * messages, not for a trace.
 */
static enum mpl_status prepare(struct preparing *p, struct mpl_err *err)
{
    const struct mpl_parallel both = { .n_tasks = 2,
                                       .max_threads = mpl_threads(),
                                       .run = prepare_part,
                                       .context = p,
                                       .is_for_idle = true };

    if (p->options->is_tested) {
        return mpl_parallel_run(&both, err);
    }
    const enum mpl_status st = load_knowledge(p->a, p->options, err);

    return st == MPL_OK ? open_runs(p->a, p->paths, p->n_paths, err) : st;
}

static enum mpl_status show_rule_errors(struct mpl_analysis *a, struct mpl_err *err)
{
    for (size_t i = 0; i < mpl_infer_error_count(a->infer); i++) {
        const struct mpl_lint_message *error = mpl_infer_error(a->infer, i);

        if (!mpl_buf_put(&a->complaints, &error)) {
            return mpl_nomem(err);
        }
    }
    return MPL_OK;
}

static enum mpl_status show_firings(struct mpl_analysis *a, struct mpl_err *err)
{
    const size_t n = mpl_infer_firing_count(a->infer);
    struct mpl_firing *firings = MPL_NEW_ARRAY(a->arena, n, struct mpl_firing);

    if (firings == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        firings[i] = mpl_infer_firing(a->infer, i);
    }
    a->diagnosis.firings = firings;
    a->diagnosis.n_firings = n;
    return MPL_OK;
}

static enum mpl_status find_sets(struct mpl_analysis *a,
                                 const struct mpl_manifest *manifest, struct mpl_err *err)
{
    struct mpl_found_pattern *patterns =
        MPL_NEW_ARRAY(a->arena, a->n_trials, struct mpl_found_pattern);
    struct mpl_sets_input in = {
        .runs = a->runs, .n_runs = a->n_runs, .manifest = manifest, .patterns = patterns
    };

    for (size_t i = 0; patterns != NULL && i < a->n_trials; i++) {
        const struct mpl_trial *t = &a->trials[i].shown;

        if (t->is_chosen && mpl_pattern_is_structural(t->pattern)) {
            patterns[in.n_patterns++] = (struct mpl_found_pattern){ t->run, t->pattern };
        }
    }
    return patterns == NULL ? mpl_nomem(err)
                            : mpl_sets_find(&in, a->arena, &a->diagnosis.sets, err);
}

/* What rules will ask of nearly every run. Where memory is short, whoever asks for it says so. */
static void make_usual(const struct mpl_analysis *a)
{
    for (size_t i = 0; i < a->n_runs; i++) {
        struct mpl_variables *variables = NULL;

        if (mpl_run_is_usable(&a->runs[i]) && mpl_run_variables(&a->runs[i], &variables)) {
            mpl_variables_make_usual(variables);
        }
    }
}

static enum mpl_status ready_part(void *context, size_t part, unsigned worker,
                                  struct mpl_err *err)
{
    struct mpl_analysis *a = context;

    (void) worker;
    if (part == 0) {
        return load_rules(a, err);
    }
    make_usual(a);
    return MPL_OK;
}

/* The rules, and beside them, as loading them is one thread's work, what they will ask of nearly every run. */
static enum mpl_status ready_rules(struct mpl_analysis *a, struct mpl_err *err)
{
    const struct mpl_parallel both = {
        .n_tasks = 2, .max_threads = mpl_threads(), .run = ready_part, .context = a
    };

    return mpl_parallel_run(&both, err);
}

static enum mpl_status run_rules(struct mpl_analysis *a, struct mpl_err *err)
{
    enum mpl_status st = mpl_facts_assert(a, err);

    st = st == MPL_OK ? mpl_groups_assert(a, err) : st;
    st = st == MPL_OK ? mpl_needs_answer(a, err) : st;
    st = st == MPL_OK ? mpl_scaling_show(a, err) : st;
    st = st == MPL_OK ? mpl_findings_rank(a, err) : st;
    st = st == MPL_OK ? show_rule_errors(a, err) : st;
    return st == MPL_OK ? show_firings(a, err) : st;
}

struct reasoning {
    struct mpl_analysis *a;
    struct mpl_arena *arena; /* of how wrong the clocks may be */
    struct mpl_clock_doubt *doubts;
};

static enum mpl_status reason_part(void *context, size_t part, unsigned worker,
                                   struct mpl_err *err)
{
    struct reasoning *r = context;

    (void) worker;
    return part == 0 ? run_rules(r->a, err)
                     : mpl_clocks_doubt(r->a, r->arena, &r->doubts, err);
}

/* Rules are one thread's work; beside them others find how wrong the clocks may be. */
static enum mpl_status reason_and_doubt(struct mpl_analysis *a, struct mpl_err *err)
{
    struct reasoning r = { .a = a, .arena = mpl_arena_create() };
    const struct mpl_parallel both = {
        .n_tasks = 2, .max_threads = mpl_threads(), .run = reason_part, .context = &r
    };
    const enum mpl_status st =
        r.arena == NULL ? mpl_nomem(err) : mpl_parallel_run(&both, err);

    a->clock_doubts = r.doubts;
    mpl_arena_absorb(a->arena, r.arena);
    return st;
}

static enum mpl_status reason(struct mpl_analysis *a,
                              const struct mpl_analysis_options *options,
                              struct mpl_err *err)
{
    enum mpl_status st = mpl_trials_make(a, options, err);

    st = st == MPL_OK ? find_sets(a, options->manifest, err) : st;
    mpl_progress_tell(a->run_options.progress, "reasoning", 0, 1);
    st = st == MPL_OK ? ready_rules(a, err) : st;
    return st == MPL_OK ? reason_and_doubt(a, err) : st;
}

/* Gathers the runs and their patterns in the structure that the reports read. */
static enum mpl_status publish_trials(struct mpl_analysis *a, struct mpl_err *err)
{
    struct mpl_diagnosis *d = &a->diagnosis;
    struct mpl_trial *trials = MPL_NEW_ARRAY(a->arena, a->n_trials, struct mpl_trial);

    if (trials == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < a->n_trials; i++) {
        trials[i] = a->trials[i].shown;
    }
    d->runs = a->runs;
    d->n_runs = a->n_runs;
    d->trials = trials;
    d->n_trials = a->n_trials;
    return MPL_OK;
}

/* And the rest. */
static enum mpl_status publish(struct mpl_analysis *a, struct mpl_err *err)
{
    struct mpl_diagnosis *d = &a->diagnosis;

    d->n_experiments = a->experiments.n;
    d->experiments = mpl_buf_take(&a->experiments, a->arena);
    d->n_metrics = a->results.n;
    d->metrics = mpl_buf_take(&a->results, a->arena);
    d->n_rule_errors = a->complaints.n;
    d->rule_errors = mpl_buf_take(&a->complaints, a->arena);
    if (d->experiments == NULL || d->metrics == NULL || d->rule_errors == NULL) {
        return mpl_nomem(err);
    }
    return MPL_OK;
}

static struct mpl_analysis *create(const struct mpl_clock_options *clock,
                                   const struct mpl_progress *progress)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_analysis *a = arena == NULL ? NULL : MPL_NEW(arena, struct mpl_analysis);

    if (a == NULL) {
        mpl_arena_destroy(arena);
        return NULL;
    }
    a->arena = arena;
    a->run_options = (struct mpl_run_options){ .clock = clock, .progress = progress };
    a->runs_arena = mpl_arena_create();
    a->lint = mpl_lint_create(arena);
    a->experiments = mpl_buf_make(sizeof(struct mpl_experiment));
    a->results = mpl_buf_make(sizeof(struct mpl_metric_result));
    a->complaints = mpl_buf_make(sizeof(const struct mpl_lint_message *));
    if (a->lint == NULL || a->runs_arena == NULL) {
        mpl_arena_destroy(a->runs_arena);
        mpl_arena_destroy(arena);
        return NULL;
    }
    return a;
}

static enum mpl_status find_steps(struct mpl_analysis *a, struct mpl_err *err)
{
    const struct mpl_run *run = &a->runs[a->diagnosis.speaker];
    struct mpl_variables *variables = NULL;
    const struct mpl_steps *steps = NULL;

    if (!mpl_run_is_usable(run)) {
        return MPL_OK;
    }
    if (!mpl_run_variables(run, &variables)) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = mpl_variables_steps(variables, &steps, err);

    a->diagnosis.steps = st == MPL_OK && steps->n > 0 ? steps : NULL;
    return st;
}

struct weighing {
    struct mpl_analysis *a;
    struct mpl_arena *kept; /* of what stays of precedence */
};

static enum mpl_status weigh_part(void *context, size_t part, unsigned worker,
                                  struct mpl_err *err)
{
    struct weighing *w = context;

    (void) worker;
    return part == 0 ? mpl_what_if_answer(w->a, err)
                     : mpl_precedence_find(w->a, w->kept, err);
}

/* What remedies would bring, and which cause began first: neither needs the other, and only the first allocates in the
 * arena of all. */
static enum mpl_status weigh(struct mpl_analysis *a, struct mpl_err *err)
{
    struct weighing w = { .a = a, .kept = mpl_arena_create() };
    const struct mpl_parallel both = {
        .n_tasks = 2, .max_threads = mpl_threads(), .run = weigh_part, .context = &w
    };
    enum mpl_status st = w.kept == NULL ? mpl_nomem(err) : mpl_parallel_run(&both, err);

    st = st == MPL_OK ? mpl_clocks_weigh(a, err) : st;
    mpl_arena_absorb(a->arena, w.kept);
    return st;
}

/* Of runs that are read. */
static enum mpl_status diagnose(struct mpl_analysis *a,
                                const struct mpl_analysis_options *options,
                                struct mpl_err *err)
{
    enum mpl_status st = reason(a, options, err);

    st = st == MPL_OK ? mpl_verdict_reach(a, err) : st;
    st = st == MPL_OK ? publish_trials(a, err) : st;
    st = st == MPL_OK ? weigh(a, err) : st;
    st = st == MPL_OK ? find_steps(a, err) : st;
    st = st == MPL_OK && !options->is_without_path ? mpl_path_find(a, err) : st;
    if (st == MPL_OK) {
        mpl_certainty_judge(a);
    }
    st = st == MPL_OK ? publish(a, err) : st;
    st = st == MPL_OK ? mpl_sites_find(a, err) : st;
    /* Also where who makes a text for the diagnosis goes on without it. */
    st = st == MPL_OK && mpl_arena_is_short(a->arena) ? mpl_nomem(err) : st;
    if (st != MPL_E_NOMEM) {
        return st;
    }
    return a->n_runs == 1
               ? mpl_wrap(err, st, "cannot diagnose \"%s\"", a->runs[0].path)
               : mpl_wrap(err, st, "cannot diagnose the %zu traces together", a->n_runs);
}

enum mpl_status mpl_analysis_run(const char *const *paths, size_t n_paths,
                                 const struct mpl_analysis_options *options,
                                 struct mpl_analysis **out, struct mpl_err *err)
{
    struct mpl_analysis *a = create(options->clock, options->progress);

    if (a == NULL) {
        return mpl_nomem(err);
    }
    /* Handed out even after a failure, so that the messages of a->lint can be printed. */
    *out = a;
    a->limits = options->limits;
    if (a->limits.seconds == 0 && n_paths > 1) {
        a->limits.seconds = rule_seconds * (double) n_paths;
    }

    enum mpl_status st = load_regions(a, options, err);

    st = st == MPL_OK ? mpl_what_if_read(a, options, err) : st;
    st =
        st == MPL_OK ? prepare(&(struct preparing){ a, options, paths, n_paths }, err) : st;
    return st == MPL_OK ? diagnose(a, options, err) : st;
}

enum mpl_status mpl_analysis_check(const char *path,
                                   const struct mpl_analysis_options *options,
                                   struct mpl_analysis **out, struct mpl_err *err)
{
    static const struct mpl_analysis_options defaults = { 0 };

    options = options == NULL ? &defaults : options;

    struct mpl_analysis *a = create(options->clock, options->progress);

    if (a == NULL) {
        return mpl_nomem(err);
    }
    *out = a;

    enum mpl_status st = load_regions(a, options, err);

    st = st == MPL_OK ? open_runs(a, &path, 1, err) : st;
    st = st == MPL_OK ? find_sets(a, NULL, err) : st;
    st = st == MPL_OK ? mpl_verdict_reach(a, err) : st;
    st = st == MPL_OK ? publish_trials(a, err) : st;
    return st == MPL_OK ? publish(a, err) : st;
}

enum mpl_status mpl_analysis_calls(const char *path, const struct mpl_rank_pair *ranks,
                                   size_t n_ranks, const struct mpl_clock_options *clock,
                                   const struct mpl_progress *progress,
                                   struct mpl_analysis **out, struct mpl_err *err)
{
    struct mpl_analysis *a = create(clock, progress);

    if (a == NULL) {
        return mpl_nomem(err);
    }
    *out = a;
    a->run_options.ranks = ranks;
    a->run_options.n_ranks = n_ranks;
    a->run_options.has_calls_only = true;

    enum mpl_status st = open_runs(a, &path, 1, err);

    st = st == MPL_OK ? publish_trials(a, err) : st;
    return st == MPL_OK ? publish(a, err) : st;
}

const struct mpl_diagnosis *mpl_analysis_diagnosis(const struct mpl_analysis *analysis)
{
    return &analysis->diagnosis;
}

size_t mpl_analysis_measure_count(const struct mpl_analysis *analysis)
{
    return analysis->infer == NULL ? 0 : mpl_infer_measure_count(analysis->infer);
}

const struct mpl_measure *mpl_analysis_measure(const struct mpl_analysis *analysis,
                                               size_t i)
{
    return mpl_infer_measure(analysis->infer, i);
}

const struct mpl_lint *mpl_analysis_lint(const struct mpl_analysis *analysis)
{
    return analysis->lint;
}

void mpl_analysis_destroy(struct mpl_analysis *analysis)
{
    if (analysis == NULL) {
        return;
    }
    mpl_infer_destroy(analysis->infer);
    for (size_t i = 0; i < analysis->n_trials; i++) {
        mpl_arena_destroy(analysis->trials[i].arena);
        mpl_arena_destroy(analysis->trials[i].part_arena);
    }
    for (size_t i = 0; i < analysis->n_runs; i++) {
        mpl_run_close(&analysis->runs[i]);
    }
    mpl_buf_free(&analysis->experiments);
    mpl_buf_free(&analysis->results);
    mpl_buf_free(&analysis->complaints);
    mpl_arena_destroy(analysis->runs_arena);
    mpl_arena_destroy(analysis->arena);
}
