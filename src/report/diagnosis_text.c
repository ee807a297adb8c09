/* The diagnosis for a person: verdict first, evidence after. */
#include "config.h"

#include "report/report_priv.h"

#include <math.h>
#include <string.h>

enum { TOP_DEFAULT = 5 };

static const char *grade_of(double severity)
{
    return isnan(severity)                     ? ""
           : severity >= MPL_SEVERITY_CRITICAL ? "critical"
           : severity >= MPL_SEVERITY_WARNING  ? "warning"
                                               : "minor";
}

static const char *verdict_sentence(enum mpl_verdict verdict)
{
    switch (verdict) {
    case MPL_VERDICT_PROBLEMS:
        return "PROBLEMS";
    case MPL_VERDICT_NO_PROBLEM:
        return "NO SIGNIFICANT PROBLEM";
    case MPL_VERDICT_INCONCLUSIVE:
        return "INCONCLUSIVE";
    default:
        return "UNUSABLE";
    }
}

static void say_sources(struct page *page, const struct mpl_diagnosed *d)
{
    for (size_t i = 0; i < d->n_where; i++) {
        const struct mpl_where *s = &d->where[i];
        const char *line =
            s->line > 0 ? mpl_arena_printf(page->scratch, ":%u", s->line) : "";

        mpl_page_tell(page, 6, "where: ", "%s%s%s%s%s (%s)", mpl_page_source(page, s),
                      s->file != NULL ? " at " : "", s->file != NULL ? s->file : "",
                      s->file != NULL && line != NULL ? line : "", "",
                      mpl_page_seconds(page, s->seconds));
    }
}

static void say_reasons(struct page *page, const struct mpl_diagnosed *d)
{
    const char *text = "";

    for (size_t i = 0; i < d->n_because && text != NULL; i++) {
        text = mpl_arena_printf(page->scratch, "%s%s%s", text, i > 0 ? ", " : "",
                                d->because[i]);
    }
    for (size_t i = 0; i < d->n_evidence && text != NULL; i++) {
        const struct mpl_evidence *e = &d->evidence[i];
        const bool is_at = e->location[0] != '\0';

        text = mpl_arena_printf(page->scratch, "%s%s%s%s%s%s = %s", text,
                                text[0] != '\0' ? ", " : "", e->metric, is_at ? "(" : "",
                                is_at ? e->location : "", is_at ? ")" : "",
                                mpl_page_value(page, e->value, e->unit));
    }
    if (text != NULL && text[0] != '\0') {
        mpl_page_tell(page, 6, "why:   ", "%s", text);
    }
}

static const char *scope_of(const struct mpl_diagnosis *d, const char *pattern)
{
    for (size_t i = 0; i < d->n_trials; i++) {
        if (d->trials[i].is_chosen && strcmp(d->trials[i].id, pattern) == 0) {
            return d->trials[i].scope;
        }
    }
    return "it";
}

/* An outer finding names the cause inside, and a cause what it costs outside. */
static void say_inside(struct page *page, const struct mpl_diagnosis *d,
                       const struct mpl_diagnosed *f, int indent)
{
    for (size_t i = 0; i < f->n_explained_by; i++) {
        const struct mpl_diagnosed *inner = NULL;

        if (mpl_diagnosed_find(d, f->explained_by[i], &inner, NULL) == MPL_OK) {
            mpl_page_tell(page, indent,
                          "inside: ", "because, in %s, there is %s%s%s: see %s",
                          scope_of(d, inner->finding->pattern), inner->finding->name,
                          inner->finding->n_culprits > 0 ? ", process " : "",
                          inner->finding->n_culprits > 0
                              ? mpl_page_labels(page, inner->finding->culprits,
                                                inner->finding->n_culprits)
                              : "",
                          inner->id);
        }
    }
}

static void say_outside(struct page *page, const struct mpl_diagnosis *d,
                        const struct mpl_diagnosed *f)
{
    const char *ids = "";

    for (size_t i = 0; i < d->n_findings && f->outer_s > 0 && ids != NULL; i++) {
        const struct mpl_diagnosed *outer = &d->findings[i];

        if (mpl_diagnosed_is_cause(outer) && outer->n_explained_by > 0 &&
            strcmp(outer->explained_by[0], f->id) == 0) {
            ids = mpl_arena_printf(page->scratch, "%s%s%s", ids, ids[0] != '\0' ? ", " : "",
                                   outer->id);
        }
    }
    if (f->outer_s > 0) {
        mpl_page_tell(page, 6, "also:  ",
                      "another %s of process time in patterns around it go back to it (%s)",
                      mpl_page_seconds(page, f->outer_s), ids != NULL ? ids : "?");
    }
}

static void say_cost(struct page *page, size_t number, const struct mpl_diagnosed *d)
{
    const char *share = "";

    if (!isnan(d->share_of_lost)) {
        share = mpl_arena_printf(page->scratch, "; %s of the lost time",
                                 mpl_page_share(page, d->share_of_lost));
    }
    if (isnan(d->lost_s)) {
        mpl_page_say(page, 2, "%zu. %s (%s)", number, d->finding->name, d->id);
    } else {
        const bool is_inside = d->n_explained_by > 0;

        mpl_page_say(page, 2, "%zu. %s (%s): %s%s of process time, severity %s, %s%s%s",
                     number, d->finding->name, d->id, is_inside ? "(" : "",
                     mpl_page_seconds(page, d->lost_s), mpl_page_share(page, d->severity),
                     grade_of(d->severity), share != NULL ? share : "",
                     is_inside ? "), counted to the cause inside" : "");
    }
}

static void say_cause(struct page *page, size_t number, const struct mpl_diagnosis *all,
                      const struct mpl_diagnosed *d)
{
    const struct mpl_finding *f = d->finding;

    (void) fputc('\n', page->out);
    say_cost(page, number, d);
    mpl_page_tell(page, 6, "what:  ", "%s", f->text);
    if (f->n_locations > 0) {
        mpl_page_tell(
            page, 6, "who:   ", "%s %s%s%s", f->n_locations > 1 ? "processes" : "process",
            mpl_page_labels(page, f->locations, f->n_locations),
            f->n_culprits > 0 ? "; to blame: " : "",
            f->n_culprits > 0 ? mpl_page_labels(page, f->culprits, f->n_culprits) : "");
    }
    mpl_page_repeats(page, all, d);
    say_sources(page, d);
    say_reasons(page, d);
    if (mpl_page_began(page, all, d) != NULL) {
        mpl_page_tell(page, 6, "began first: ", "%s", mpl_page_began(page, all, d));
    }
    say_inside(page, all, d, 6);
    say_outside(page, all, d);
    /* What is to be done is said once, with the cause inside. */
    if (d->n_explained_by == 0) {
        if (f->remedy != NULL) {
            mpl_page_tell(page, 6, "do:    ", "%s", f->remedy);
        }
        mpl_page_gain(page, d);
    }
    if (mpl_page_experiments_of(page, page->plan, d) != NULL) {
        mpl_page_tell(page, 6, "test:  ", "%s would confirm or refute it",
                      mpl_page_experiments_of(page, page->plan, d));
    }
    mpl_page_tell(page, 6, "trust: ", "%s%s%s%s%s", mpl_certainty_name(d->certainty),
                  d->certainty_reason != NULL ? ", because " : "",
                  d->certainty_reason != NULL ? d->certainty_reason : "",
                  d->is_clock_sensitive ? "; " : "",
                  d->is_clock_sensitive ? d->clock_reason : "");
}

static void say_causes(struct page *page, const struct mpl_diagnosis *d, size_t top)
{
    size_t n = 0;
    size_t hidden = 0;

    for (size_t i = 0; i < d->n_findings; i++) {
        if (!mpl_diagnosed_is_cause(&d->findings[i]) || d->findings[i].is_within_spread) {
            continue;
        }
        if (n == 0) {
            mpl_page_heading(page, "Causes");
        }
        if (++n > top) {
            hidden++;
        } else {
            say_cause(page, n, d, &d->findings[i]);
        }
    }
    if (hidden > 0) {
        mpl_page_say(page, 2, "… and %zu more; --top %zu shows them", hidden, n);
    }
}

/* ---- parts that are all the same ---------------------------------------------------------- */

/* A part of the run in which nothing is wrong. */
static bool is_quiet_part(const struct mpl_diagnosis *d, const struct mpl_trial *t)
{
    if (!t->is_chosen || strchr(t->id, '@') == NULL) {
        return false;
    }
    for (size_t i = 0; i < d->n_findings; i++) {
        const struct mpl_diagnosed *f = &d->findings[i];

        if (f->run == t->run && strcmp(f->finding->pattern, t->id) == 0 &&
            !f->finding->is_healthy) {
            return false;
        }
    }
    return true;
}

/* Of twenty groups that are fine one is shown for all. */
static bool is_alike(const struct mpl_diagnosis *d, const struct mpl_trial *x,
                     const struct mpl_trial *y)
{
    return x == y || (x->run == y->run && x->pattern == y->pattern && is_quiet_part(d, x) &&
                      is_quiet_part(d, y));
}

static bool is_first_alike(const struct mpl_diagnosis *d, const struct mpl_trial *t)
{
    for (const struct mpl_trial *earlier = d->trials; earlier < t; earlier++) {
        if (is_alike(d, earlier, t)) {
            return false;
        }
    }
    return true;
}

static size_t count_alike(const struct mpl_diagnosis *d, const struct mpl_trial *t)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n_trials; i++) {
        n += is_alike(d, t, &d->trials[i]);
    }
    return n;
}

/* ---- patterns ------------------------------------------------------------------------------- */

static void say_role(struct page *page, const struct mpl_diagnosis *d,
                     const struct mpl_trial *t, size_t number)
{
    const struct mpl_model *model = d->runs[t->run].model;
    const char **labels = MPL_NEW_ARRAY(page->scratch, model->n_locations, const char *);
    size_t n = 0;

    for (size_t i = 0; i < d->n_trials && labels != NULL; i++) {
        if (!is_alike(d, t, &d->trials[i])) {
            continue;
        }
        const struct mpl_role *role =
            mpl_recognition_role(d->trials[i].recognition, number);

        for (uint32_t l = 0; l < role->n && n < model->n_locations; l++) {
            labels[n++] = model->locations[role->locations[l]].label;
        }
    }
    if (n == 0 && labels != NULL) {
        return; /* a role that nobody needs to play */
    }
    mpl_page_say(page, 4, "%s: %s", mpl_pattern_role(t->pattern, number),
                 labels != NULL ? mpl_page_labels(page, labels, n) : "?");
}

/* "master-worker", and of several runs "master-worker (r1)". */
static const char *name_in_run(struct page *page, const struct mpl_diagnosis *d,
                               const struct mpl_trial *t)
{
    const char *name = mpl_pattern_name(t->pattern);
    const char *longer =
        d->n_runs > 1 ? mpl_arena_printf(page->scratch, "%s (%s)", name, d->runs[t->run].id)
                      : NULL;

    return longer != NULL ? longer : name;
}

static void say_pattern(struct page *page, const struct mpl_diagnosis *d,
                        const struct mpl_trial *t)
{
    const bool is_part = strcmp(t->scope, "world") != 0;
    const size_t n = count_alike(d, t);
    double coverage = t->coverage;
    double fit = t->fit;

    for (size_t i = 0; i < d->n_trials; i++) {
        if (is_alike(d, t, &d->trials[i])) {
            coverage = fmin(coverage, d->trials[i].coverage);
            fit = fmin(fit, d->trials[i].fit);
        }
    }
    if (!mpl_pattern_is_structural(t->pattern)) {
        mpl_page_say(page, 2, "%s: fits every MPI run", name_in_run(page, d, t));
    } else {
        const char *others =
            n > 1 ? mpl_arena_printf(page->scratch, ", and %zu more alike", n - 1) : "";

        mpl_page_say(
            page, 2,
            "%s%s%s%s%s: explains %s%s of the messages and collectives; %s%s of its "
            "events meet all constraints",
            name_in_run(page, d, t), is_part ? " (" : "", is_part ? t->scope : "",
            others != NULL ? others : "", is_part ? ")" : "", n > 1 ? "at least " : "",
            mpl_page_share(page, coverage), n > 1 ? "at least " : "",
            mpl_page_share(page, fit));
    }
    for (size_t r = 0; r < mpl_pattern_role_count(t->pattern); r++) {
        say_role(page, d, t, r);
    }
}

/* It fits the run, but another one was preferred: whoever wrote it wants to know. */
static bool is_beaten(const struct mpl_trial *t)
{
    return !t->is_chosen && t->reason != NULL && strcmp(t->scope, "world") == 0 &&
           mpl_pattern_is_structural(t->pattern) && t->recognition != NULL &&
           !mpl_recognition_has_stopped(t->recognition) &&
           t->coverage >= mpl_pattern_minimum_coverage(t->pattern) &&
           t->fit >= mpl_pattern_minimum_fit(t->pattern);
}

static void say_patterns(struct page *page, const struct mpl_diagnosis *d)
{
    if (d->n_trials > 0) {
        mpl_page_heading(page, "Patterns");
    }
    for (size_t i = 0; i < d->n_trials; i++) {
        const struct mpl_trial *t = &d->trials[i];

        if (mpl_page_is_spoken_for(d, t->run)) {
            continue;
        }
        if (t->is_chosen && is_first_alike(d, t)) {
            say_pattern(page, d, t);
        } else if (t->is_runner_up || is_beaten(t)) {
            mpl_page_say(page, 2, "%s: not taken: %s", name_in_run(page, d, t),
                         t->reason != NULL ? t->reason : "its roles were not found");
        }
    }
}

static void say_observation(struct page *page, const struct mpl_diagnosis *d,
                            const struct mpl_diagnosed *f)
{
    char label[32];

    (void) snprintf(label, sizeof label, "%-4s ", f->id);
    mpl_page_tell(page, 6, label, "%s%s", f->finding->text, mpl_page_seen(page, f));
    say_sources(page, f);
    say_inside(page, d, f, 8);
    if (f->finding->remedy != NULL && f->n_explained_by == 0) {
        mpl_page_tell(page, 8, "do: ", "%s", f->finding->remedy);
    }
}

static void say_level(struct page *page, const struct mpl_diagnosis *d,
                      const struct mpl_trial *t, int level)
{
    const char *pattern = t->id;

    for (size_t i = 0; i < d->n_experiments; i++) {
        const struct mpl_experiment *e = &d->experiments[i];

        if (e->level == level && e->is_answered && e->run == t->run &&
            strcmp(e->pattern, pattern) == 0) {
            mpl_page_say(page, 4, "Level %d experiment - %s.", level, e->purpose);
        }
    }
    for (size_t i = 0; i < d->n_findings; i++) {
        const struct mpl_diagnosed *f = &d->findings[i];

        if (!mpl_diagnosed_is_cause(f) && !f->is_of_set && f->finding->level == level &&
            f->run == t->run && strcmp(f->finding->pattern, pattern) == 0) {
            say_observation(page, d, f);
        }
    }
}

static void say_heading(struct page *page, const struct mpl_diagnosis *d,
                        const struct mpl_trial *t)
{
    const size_t n = count_alike(d, t) - 1;

    if (n > 0) {
        mpl_page_say(page, 2, "As %s (%s), and the same in %zu more:", t->id,
                     d->runs[t->run].id, n);
    } else {
        mpl_page_say(page, 2, "As %s (%s):", t->id, d->runs[t->run].id);
    }
}

/*
 * The search as the paper's Fig. 7 shows it: level by level, what is measured and why, then what
 * was found. Patterns with events of their own come before those that fit everything.
 */
static void say_search(struct page *page, const struct mpl_diagnosis *d)
{
    int last = 0;

    for (size_t i = 0; i < d->n_experiments; i++) {
        last = d->experiments[i].level > last ? d->experiments[i].level : last;
    }
    for (size_t i = 0; i < d->n_findings; i++) {
        const int own = d->findings[i].finding->level;

        last = own > last ? own : last;
    }
    if (last > 0) {
        mpl_page_heading(page, "How it was found");
    }
    for (int general = 0; general <= 1; general++) {
        for (size_t i = 0; i < d->n_trials && last > 0; i++) {
            const struct mpl_trial *t = &d->trials[i];

            if (!t->is_chosen || mpl_pattern_is_structural(t->pattern) != (general == 0) ||
                !is_first_alike(d, t) || mpl_page_is_spoken_for(d, t->run)) {
                continue;
            }
            say_heading(page, d, t);
            for (int level = 1; level <= last; level++) {
                say_level(page, d, t, level);
            }
        }
    }
}

static void say_next(struct page *page, const struct mpl_diagnosis *d)
{
    bool is_first = true;

    if (page->plan != NULL) {
        mpl_page_plan(page, page->plan);
        return;
    }
    for (size_t i = 0; i < d->n_experiments; i++) {
        const struct mpl_experiment *e = &d->experiments[i];

        if (e->is_answered) {
            continue;
        }
        if (is_first) {
            mpl_page_heading(page, "What to measure next");
            is_first = false;
        }
        mpl_page_say(page, 2, "To %s: %s", e->purpose,
                     e->why_needed != NULL ? e->why_needed : "?");
    }
}

static void say_rule_errors(struct page *page, const struct mpl_diagnosis *d)
{
    if (d->n_rule_errors > 0) {
        mpl_page_heading(page,
                         d->why_stopped != NULL
                             ? "Rules that failed (causes may be missing)"
                             : "Rules that failed (the diagnosis goes on without them)");
    }
    for (size_t i = 0; i < d->n_rule_errors; i++) {
        const struct mpl_lint_message *m = d->rule_errors[i];

        if (m->place.file == NULL) {
            mpl_page_say(page, 2, "%s", m->text);
        } else {
            mpl_page_say(page, 2, "%s:%u: %s", m->place.file, m->place.line, m->text);
        }
    }
}

static void say_details(struct page *page, const struct mpl_diagnosis *d)
{
    mpl_page_heading(page, "Rules that fired");
    for (size_t i = 0; i < d->n_firings; i++) {
        mpl_page_say(page, 2, "%s (%zu fact%s)", d->firings[i].rule, d->firings[i].n_facts,
                     d->firings[i].n_facts == 1 ? "" : "s");
    }
    mpl_page_heading(page, "Metrics");
    for (size_t i = 0; i < d->n_metrics; i++) {
        const struct mpl_metric_result *m = &d->metrics[i];
        const bool is_at = m->location[0] != '\0';

        mpl_page_say(page, 2, "%s  %s%s%s%s = %s", d->runs[m->run].id, m->name,
                     is_at ? "(" : "", is_at ? m->location : "", is_at ? ")" : "",
                     mpl_page_value(page, m->value, m->unit));
    }
}

enum mpl_status mpl_report_text(const struct mpl_diagnosis *d,
                                const struct mpl_report_options *options, FILE *out,
                                struct mpl_err *err)
{
    struct page page;

    mpl_page_open(&page, options, out);
    mpl_page_say(&page, 0, "%s%s", verdict_sentence(d->verdict), mpl_report_certainty(d));
    mpl_page_summary(&page, d);
    if (d->certainty_reason != NULL) {
        mpl_page_say(&page, 2, "Not sure, because %s%s%s.", d->certainty_reason,
                     d->is_verdict_clock_sensitive ? ": " : "",
                     d->is_verdict_clock_sensitive ? d->verdict_clock_reason : "");
    }
    mpl_page_failed(&page, options);
    mpl_page_groups(&page, d);
    mpl_page_scaling(&page, d);
    say_causes(&page, d, options->top > 0 ? options->top : TOP_DEFAULT);
    mpl_page_noise(&page, d);
    mpl_page_what_ifs(&page, d);
    say_search(&page, d);
    mpl_page_path(&page, d);
    mpl_page_remains(&page, d);
    say_next(&page, d);
    say_patterns(&page, d);
    say_rule_errors(&page, d);
    /* Why the only trace cannot be read has been said at the top, and nothing else is known of it. */
    if (d->n_runs != 1 || d->runs[0].failure == NULL || d->runs[0].events != NULL) {
        mpl_page_heading(&page, "Data");
        for (size_t i = 0; i < d->n_runs; i++) {
            mpl_page_run(&page, &d->runs[i]);
        }
    }
    if (options->is_verbose) {
        say_details(&page, d);
    }
    return mpl_page_close(&page, err);
}
