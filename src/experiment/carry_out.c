/* Measure, diagnose, ask again: until nothing is asked, or nothing more can or may be done. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <string.h>

const char *mpl_end_reason_name(enum mpl_end_reason why)
{
    static const char *const names[] = {
        [MPL_END_NOTHING_ASKED] = "nothing-asked",   [MPL_END_BUDGET] = "budget",
        [MPL_END_NOT_EXECUTABLE] = "not-executable", [MPL_END_FAILED] = "failed",
        [MPL_END_INTERRUPTED] = "interrupted",       [MPL_END_DRY] = "dry-run",
    };

    return names[why];
}

/* ---- diagnosing ---------------------------------------------------------------------------------- */

/* The runs with a trace as the analysis wants them. Where none came to its end, the last one that was stopped: a
 * program that hangs never does. */
static enum mpl_status gather(struct hunt *h, const char ***paths, size_t *n,
                              struct mpl_manifest *manifest, struct mpl_err *err)
{
    const size_t most = h->c->runs.n;
    const struct mpl_case_run *stopped = mpl_case_stopped_run(h->c);
    const char **all = MPL_NEW_ARRAY(h->arena, most, const char *);
    struct mpl_manifest_run *runs = MPL_NEW_ARRAY(h->arena, most, struct mpl_manifest_run);

    h->run_of = MPL_NEW_ARRAY(h->arena, most, size_t);
    if (all == NULL || runs == NULL || h->run_of == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < most; i++) {
        const struct mpl_case_run *r = mpl_case_run_at(h->c, i);

        if (!mpl_is_usable(r) && r != stopped) {
            continue;
        }
        all[*n] = mpl_arena_printf(h->arena, "%s/%s", h->c->directory,
                                   r == stopped ? r->partial : r->trace);
        if (all[*n] == NULL) {
            return mpl_nomem(err);
        }
        runs[*n] =
            (struct mpl_manifest_run){ .trace = all[*n],
                                       .label = mpl_arena_strdup(h->arena, r->id),
                                       .processes = r->processes,
                                       .machine = { .host = r->host,
                                                    .cores = r->cores,
                                                    .foreign_cores = r->foreign_cores,
                                                    .ranks_per_core = r->ranks_per_core } };
        h->run_of[(*n)++] = i;
    }
    *paths = all;
    *manifest = (struct mpl_manifest){ .path = h->c->directory, .n = *n, .runs = runs };
    return MPL_OK;
}

/* A trace that turns out to be useless is none; true: there was one. */
static bool sort_out(struct hunt *h, const struct mpl_diagnosis *d)
{
    bool has_changed = false;

    for (size_t i = 0; i < d->n_runs; i++) {
        struct mpl_case_run *r = mpl_case_run_at(h->c, h->run_of[i]);

        if (d->runs[i].failure == NULL) {
            continue;
        }
        has_changed = true;
        r->problem = mpl_arena_printf(h->c->arena, "%s%sits trace cannot be used: %s",
                                      r->problem != NULL ? r->problem : "",
                                      r->problem != NULL ? "; " : "", d->runs[i].failure);
        if (mpl_is_usable(r)) {
            r->outcome = MPL_OUTCOME_NO_TRACE;
            r->partial = r->trace;
            r->trace = NULL;
        } else {
            r->partial = NULL;
        }
        mpl_tell(h, MPL_NEWS_RAN, r->level, r, "%s", "");
    }
    return has_changed;
}

/* Where the command does not say how many processes it starts, the traces do; true: they did. */
static bool note_processes(struct hunt *h, const struct mpl_diagnosis *d)
{
    bool has_changed = false;

    for (size_t i = 0; i < d->n_runs; i++) {
        struct mpl_case_run *r = mpl_case_run_at(h->c, h->run_of[i]);

        if (d->runs[i].failure == NULL && d->runs[i].model != NULL && r->processes == 0) {
            r->processes = d->runs[i].model->n_processes;
            has_changed = true;
        }
        if (h->first_processes == 0 && mpl_is_usable(r)) {
            h->first_processes = r->processes;
        }
    }
    return has_changed;
}

/* Diagnoses all runs that can be used; \p *analysis and \p *plan are NULL when there is none. */
static enum mpl_status diagnose_once(struct hunt *h, bool *again,
                                     struct mpl_analysis **analysis,
                                     const struct mpl_plan **plan, struct mpl_err *err)
{
    struct mpl_analysis_options options = *h->options->analysis;
    struct mpl_manifest *manifest = MPL_NEW(h->arena, struct mpl_manifest);
    const char **paths = NULL;
    size_t n = 0;
    enum mpl_status st =
        manifest != NULL ? gather(h, &paths, &n, manifest, err) : mpl_nomem(err);

    *again = false;
    if (st != MPL_OK || n == 0) {
        return st;
    }
    options.manifest = manifest;
    st = mpl_analysis_run((const char *const *) paths, n, &options, analysis, err);
    if (st != MPL_OK) {
        return st;
    }
    const struct mpl_diagnosis *d = mpl_analysis_diagnosis(*analysis);
    *again = sort_out(h, d);
    if ((note_processes(h, d) || *again) && !h->options->is_dry) {
        st = mpl_case_write(h->c, err);
    }
    return st == MPL_OK && !*again
               ? mpl_plan_make(*analysis, &h->options->plan, h->arena, plan, err)
               : st;
}

/* What was known stays known until something better is: on an error it is what can be shown. */
static enum mpl_status diagnose(struct hunt *h, struct mpl_err *err)
{
    size_t *const run_of_before = h->run_of;
    struct mpl_analysis *analysis = NULL;
    const struct mpl_plan *plan = NULL;
    bool again = true;
    enum mpl_status st = MPL_OK;

    while (st == MPL_OK && again) {
        mpl_analysis_destroy(analysis);
        analysis = NULL;
        st = diagnose_once(h, &again, &analysis, &plan, err);
    }
    if (st != MPL_OK && h->analysis != NULL) {
        mpl_analysis_destroy(analysis);
        h->run_of = run_of_before;
        return st;
    }
    mpl_analysis_destroy(h->analysis);
    h->analysis = analysis;
    h->plan = plan;
    return st;
}

/* ---- the loop ------------------------------------------------------------------------------------- */

/* A reason names the rule and what it wants; where that is the purpose itself, it is not said twice. */
static void tell_reason(const struct hunt *h, const struct mpl_planned *e,
                        const char *reason)
{
    const char *same = strstr(reason, e->purpose);
    const size_t n = same != NULL ? (size_t) (same - reason) : strlen(reason);

    if (same == NULL) {
        mpl_tell(h, MPL_NEWS_WHY, e->level, NULL, "why: %s", reason);
    } else if (n > 2) {
        mpl_tell(h, MPL_NEWS_WHY, e->level, NULL, "why: %.*s", (int) (n - 2), reason);
    }
}

static void announce(const struct hunt *h, const struct mpl_planned *e)
{
    const char *separates = "";

    mpl_tell(h, MPL_NEWS_LEVEL, e->level, NULL, "%s", e->purpose);
    for (size_t i = 0; i < e->n_reasons; i++) {
        tell_reason(h, e, e->reasons[i]);
    }
    for (size_t i = 0; i < e->n_separates && separates != NULL; i++) {
        separates = mpl_arena_printf(h->arena, "%s%s%s", separates, i > 0 ? "; " : "",
                                     e->separates[i]);
    }
    if (separates != NULL && separates[0] != '\0') {
        mpl_tell(h, MPL_NEWS_WHY, e->level, NULL, "confirms or refutes: %s", separates);
    }
    if (e->expects != NULL) {
        mpl_tell(h, MPL_NEWS_WHY, e->level, NULL, "expected: %s", e->expects);
    }
}

/* All runs of an experiment that the budget allows. */
static enum mpl_status carry_out(struct hunt *h, const struct mpl_planned *e,
                                 const char **stopped, struct mpl_err *err)
{
    uint32_t processes = 0;
    uint32_t repetition = 0;
    enum mpl_status st = MPL_OK;

    announce(h, e);
    while (st == MPL_OK && !h->is_interrupted &&
           mpl_missing_run(h, e, &processes, &repetition)) {
        size_t index = 0;

        *stopped = mpl_spent(h);
        if (*stopped != NULL) {
            break;
        }
        st = mpl_attempt(h, e, processes, repetition, &index, err);
        if (h->options->is_dry) {
            break;
        }
    }
    return st;
}

/* Why there is no next experiment. */
static void explain(const struct hunt *h, size_t n_blocked, size_t n_dear, size_t n_done,
                    enum mpl_end_reason *why, const char **text)
{
    *why = n_dear > 0      ? MPL_END_BUDGET
           : n_blocked > 0 ? MPL_END_NOT_EXECUTABLE
                           : MPL_END_NOTHING_ASKED;
    *text = n_dear > 0      ? "what is still asked for exceeds the budget"
            : n_blocked > 0 ? "what is still asked for needs you"
            : n_done > 0    ? "what is still asked for has been tried already"
                            : "nothing more is asked for";
    if (h->is_interrupted) {
        *why = MPL_END_INTERRUPTED;
        *text = "interrupted";
    }
}

/* The next experiment worth carrying out, or NULL and why there is none. */
static const struct mpl_planned *choose(struct hunt *h, enum mpl_end_reason *why,
                                        const char **text)
{
    uint32_t processes = 0;
    uint32_t repetition = 0;
    size_t n_blocked = 0;
    size_t n_dear = 0;
    size_t n_done = 0;

    const struct mpl_planned *unfinished = mpl_unfinished(h);

    for (size_t i = 0; i < h->plan->n + (unfinished != NULL); i++) {
        const struct mpl_planned *e =
            i < h->plan->n ? &h->plan->experiments[i] : unfinished;

        if (mpl_obstacle(h, e) != NULL) {
            n_blocked++;
        } else if (!mpl_missing_run(h, e, &processes, &repetition)) {
            n_done++;
        } else if ((*text = mpl_spent(h)) != NULL) {
            *why = MPL_END_BUDGET;
            return NULL;
        } else if (mpl_too_dear(h, e) != NULL) {
            n_dear++;
        } else {
            return e;
        }
    }
    explain(h, n_blocked, n_dear, n_done, why, text);
    return NULL;
}

/* The least recording that shows anything; without one there is nothing to go on with. */
static enum mpl_status measure_first(struct hunt *h, struct mpl_err *err)
{
    const struct mpl_planned *first = NULL;
    const char *stopped = NULL;
    enum mpl_status st =
        mpl_plan_first(&h->options->plan, h->first_processes, h->arena, &first, err);

    if (st != MPL_OK) {
        return st;
    }
    const char *obstacle = mpl_obstacle(h, first);
    if (obstacle != NULL) {
        (void) mpl_fail(err, MPL_E_UNSUPPORTED, "%s", obstacle);
        return mpl_wrap(err, MPL_E_UNSUPPORTED, "the program cannot be measured");
    }
    st = carry_out(h, first, &stopped, err);
    return st == MPL_OK && stopped != NULL ? mpl_fail(err, MPL_E_LIMIT, "%s", stopped) : st;
}

static bool has_run(const struct hunt *h, uint32_t processes)
{
    for (size_t i = 0; i < h->c->runs.n; i++) {
        const struct mpl_case_run *r = mpl_case_run_at(h->c, i);

        if (mpl_is_usable(r) && (processes == 0 || r->processes == processes)) {
            return true;
        }
    }
    return false;
}

static size_t count_usable(const struct hunt *h)
{
    size_t n = 0;

    for (size_t i = 0; i < h->c->runs.n; i++) {
        n += mpl_is_usable(mpl_case_run_at(h->c, i));
    }
    return n;
}

static void find_processes(struct hunt *h)
{
    const bool can_vary = mpl_command_has(&h->c->command, "{processes}");

    if (can_vary) {
        h->first_processes = h->options->processes > 0
                                 ? h->options->processes
                                 : mpl_default_processes(&h->c->command);
    }
    /* The default is only a guess; what was measured already will do. */
    const bool is_known = can_vary && h->options->processes > 0;
    for (size_t i = 0; !is_known && i < h->c->runs.n; i++) {
        if (mpl_is_usable(mpl_case_run_at(h->c, i))) {
            h->first_processes = mpl_case_run_at(h->c, i)->processes;
            break;
        }
    }
}

static enum mpl_status go_on(struct hunt *h, enum mpl_end_reason *why, const char **text,
                             struct mpl_err *err)
{
    const char *cut_short = NULL; /* The budget ended within an experiment. */
    enum mpl_status st = MPL_OK;

    mpl_narrate_levels(h);
    while (st == MPL_OK) {
        const struct mpl_planned *next = choose(h, why, text);
        const char *stopped = NULL;
        const size_t n_usable = count_usable(h);

        if (next == NULL && cut_short != NULL && !h->is_interrupted) {
            *why = MPL_END_BUDGET;
            *text = cut_short;
        }
        if (next == NULL) {
            break;
        }
        st = carry_out(h, next, &stopped, err);
        cut_short = stopped != NULL ? stopped : cut_short;
        if (st == MPL_OK && h->options->is_dry) {
            *why = MPL_END_DRY;
            *text = "nothing was executed; what comes next depends on what is found";
            break;
        }
        if (st == MPL_OK && count_usable(h) > n_usable) {
            st = diagnose(h, err);
            if (st == MPL_OK && h->analysis != NULL) {
                mpl_narrate_news(h);
            }
        }
        if (h->is_interrupted) {
            *why = MPL_END_INTERRUPTED;
            *text = "interrupted";
            break;
        }
        if (h->plan == NULL) {
            *why = MPL_END_FAILED;
            *text = "no trace is left";
            break;
        }
    }
    return st;
}

static enum mpl_status hunt(struct hunt *h, enum mpl_end_reason *why, const char **text,
                            struct mpl_err *err)
{
    const uint32_t asked =
        mpl_command_has(&h->c->command, "{processes}") ? h->options->processes : 0;
    enum mpl_status st = MPL_OK;

    find_processes(h);
    if (!has_run(h, asked)) {
        st = measure_first(h, err);
    }
    st = st == MPL_OK ? diagnose(h, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    if (h->is_interrupted) {
        *why = MPL_END_INTERRUPTED;
        *text = "interrupted";
        return MPL_OK;
    }
    if (h->plan == NULL) {
        *why = h->options->is_dry ? MPL_END_DRY : MPL_END_FAILED;
        *text = h->options->is_dry
                    ? "nothing was executed; what comes next depends on what is found"
                    : "the program could not be measured";
        return MPL_OK;
    }
    if (count_usable(h) == 0) {
        mpl_narrate_levels(h);
        *why = MPL_END_FAILED;
        *text = "the program did not end, so nothing more is measured; what it did until "
                "it was stopped is diagnosed";
        return MPL_OK;
    }
    return go_on(h, why, text, err);
}

enum mpl_status mpl_experiment_carry_out(struct mpl_case *c,
                                         const struct mpl_experiment_options *options,
                                         struct mpl_arena *arena,
                                         struct mpl_analysis **analysis,
                                         const struct mpl_plan **plan,
                                         enum mpl_end_reason *why, struct mpl_err *err)
{
    struct hunt h = { .c = c,
                      .options = options,
                      .arena = arena,
                      .n_before = c->runs.n,
                      .known = mpl_buf_make(sizeof(const char *)) };
    const char *text = "";
    const enum mpl_status st = hunt(&h, why, &text, err);

    if (st == MPL_OK) {
        mpl_narrate_rest(&h);
        mpl_tell(&h, MPL_NEWS_STOPPED, h.level, NULL, "%s", text);
    }
    mpl_buf_free(&h.known);
    *analysis = h.analysis;
    *plan = h.plan;
    return st;
}
