/* The diagnosis for a person: verdict first, evidence after. */
#include "config.h"

#include "report/report_priv.h"

#include <math.h>
#include <string.h>

enum { TOP_DEFAULT = 5, WIDTH_DEFAULT = 92 };

/* KNOWLEDGE: critical from 15 % of the process time on, warning from 5 %. */
static const char *grade_of(double severity)
{
    return isnan(severity)    ? ""
           : severity >= 0.15 ? "critical"
           : severity >= 0.05 ? "warning"
                              : "minor";
}

static bool is_cause(const struct mpl_diagnosed *d)
{
    return strcmp(d->finding->kind, "cause") == 0;
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
        const struct mpl_source *s = &d->where[i];
        const char *line =
            s->line > 0 ? mpl_arena_printf(page->scratch, ":%u", s->line) : "";

        mpl_page_tell(page, 6, "where: ", "%s%s%s%s%s (%s)", s->region,
                      s->file != NULL ? " at " : "", s->file != NULL ? s->file : "",
                      s->file != NULL && line != NULL ? line : "", "",
                      mpl_page_seconds(page, s->seconds));
    }
}

static void say_who(struct page *page, const struct mpl_finding *f)
{
    if (f->n_locations > 0) {
        mpl_page_tell(
            page, 6, "who:   ", "%s %s%s%s", f->n_locations > 1 ? "processes" : "process",
            mpl_page_labels(page, f->locations, f->n_locations),
            f->n_culprits > 0 ? "; to blame: " : "",
            f->n_culprits > 0 ? mpl_page_labels(page, f->culprits, f->n_culprits) : "");
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
        mpl_page_say(page, 2, "%zu. %s (%s): %s of process time, severity %s, %s%s", number,
                     d->finding->name, d->id, mpl_page_seconds(page, d->lost_s),
                     mpl_page_share(page, d->severity), grade_of(d->severity),
                     share != NULL ? share : "");
    }
}

static void say_cause(struct page *page, size_t number, const struct mpl_diagnosed *d)
{
    const struct mpl_finding *f = d->finding;

    (void) fputc('\n', page->out);
    say_cost(page, number, d);
    mpl_page_tell(page, 6, "what:  ", "%s", f->text);
    say_who(page, f);
    say_sources(page, d);
    say_reasons(page, d);
    if (f->remedy != NULL) {
        mpl_page_tell(page, 6, "do:    ", "%s", f->remedy);
    }
    if (!isnan(d->gain_s) && d->gain_s > 0) {
        mpl_page_tell(page, 6, "gain:  ", "about %s of run time at most; confidence %s",
                      mpl_page_seconds(page, d->gain_s),
                      mpl_page_share(page, f->confidence));
    }
    if (d->is_clock_sensitive) {
        mpl_page_tell(page, 6, "clock: ", "do not rely on it: %s", d->clock_reason);
    }
}

static void say_causes(struct page *page, const struct mpl_diagnosis *d, size_t top)
{
    size_t n = 0;
    size_t hidden = 0;

    for (size_t i = 0; i < d->n_findings; i++) {
        if (!is_cause(&d->findings[i])) {
            continue;
        }
        if (n == 0) {
            mpl_page_heading(page, "Causes");
        }
        if (++n > top) {
            hidden++;
        } else {
            say_cause(page, n, &d->findings[i]);
        }
    }
    if (hidden > 0) {
        mpl_page_say(page, 2, "… and %zu more; --top %zu shows them", hidden, n);
    }
}

static void say_patterns(struct page *page, const struct mpl_diagnosis *d)
{
    if (d->n_trials > 0) {
        mpl_page_heading(page, "Patterns");
    }
    for (size_t i = 0; i < d->n_trials; i++) {
        const struct mpl_trial *t = &d->trials[i];

        if (!t->is_chosen) {
            if (t->is_runner_up) {
                mpl_page_say(page, 2, "%s: not taken: %s", mpl_pattern_name(t->pattern),
                             t->reason != NULL ? t->reason : "its roles were not found");
            }
            continue;
        }
        if (mpl_pattern_event_count(t->pattern) > 0) {
            const bool is_part = strcmp(t->scope, "world") != 0;

            mpl_page_say(page, 2,
                         "%s%s%s%s: explains %s of the messages and collectives; %s of its "
                         "events meet all constraints",
                         mpl_pattern_name(t->pattern), is_part ? " (" : "",
                         is_part ? t->scope : "", is_part ? ")" : "",
                         mpl_page_share(page, t->coverage), mpl_page_share(page, t->fit));
        } else {
            mpl_page_say(page, 2, "%s: fits every MPI run", mpl_pattern_name(t->pattern));
        }
        for (size_t r = 0; r < mpl_pattern_role_count(t->pattern); r++) {
            const struct mpl_role *role = mpl_recognition_role(t->recognition, r);
            const struct mpl_model *model = d->runs[t->run].model;
            const char **labels = MPL_NEW_ARRAY(page->scratch, role->n, const char *);

            for (uint32_t l = 0; labels != NULL && l < role->n; l++) {
                labels[l] = model->locations[role->locations[l]].label;
            }
            mpl_page_say(page, 4, "%s: %s", role->name,
                         labels != NULL ? mpl_page_labels(page, labels, role->n) : "?");
        }
    }
}

static int highest_level(const struct mpl_diagnosis *d)
{
    int level = 0;

    for (size_t i = 0; i < d->n_experiments; i++) {
        level = d->experiments[i].level > level ? d->experiments[i].level : level;
    }
    for (size_t i = 0; i < d->n_findings; i++) {
        const int own = d->findings[i].finding->level;

        level = own > level ? own : level;
    }
    return level;
}

static void say_observation(struct page *page, const struct mpl_diagnosed *f)
{
    char label[32];

    (void) snprintf(label, sizeof label, "%-4s ", f->id);
    mpl_page_tell(page, 6, label, "%s", f->finding->text);
    say_sources(page, f);
    if (f->finding->remedy != NULL) {
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

        if (!is_cause(f) && f->finding->level == level && f->run == t->run &&
            strcmp(f->finding->pattern, pattern) == 0) {
            say_observation(page, f);
        }
    }
}

static bool is_general(const struct mpl_trial *t)
{
    return mpl_pattern_event_count(t->pattern) == 0;
}

/*
 * The search as the paper's Fig. 7 tells it: level by level, what is measured and why, then what
 * was found. Patterns with events of their own come before those that fit everything.
 */
static void say_search(struct page *page, const struct mpl_diagnosis *d)
{
    const int last = highest_level(d);

    if (last > 0) {
        mpl_page_heading(page, "How it was found");
    }
    for (int general = 0; general <= 1; general++) {
        for (size_t i = 0; i < d->n_trials && last > 0; i++) {
            const struct mpl_trial *t = &d->trials[i];

            if (!t->is_chosen || is_general(t) != (general == 1)) {
                continue;
            }
            mpl_page_say(page, 2, "As %s (%s):", t->id, d->runs[t->run].id);
            for (int level = 1; level <= last; level++) {
                say_level(page, d, t, level);
            }
        }
    }
}

static void say_unexplained(struct page *page, const struct mpl_diagnosis *d)
{
    const double rest_s = d->lost_s - d->explained_s - d->normal_s;

    if (d->location_s <= 0) {
        return;
    }
    mpl_page_heading(page, "What remains");
    mpl_page_say(
        page, 2,
        "Of %s of process time, %s (%s) is not computation. The causes above explain %s "
        "of it%s%s%s; %s (%s of the process time) remain unexplained.",
        mpl_page_seconds(page, d->location_s), mpl_page_seconds(page, d->lost_s),
        mpl_page_share(page, d->lost_s / d->location_s),
        mpl_page_seconds(page, d->explained_s), d->normal_s > 0 ? ", " : "",
        d->normal_s > 0 ? mpl_page_seconds(page, d->normal_s) : "",
        d->normal_s > 0 ? " are normal for the pattern" : "",
        mpl_page_seconds(page, rest_s), mpl_page_share(page, rest_s / d->location_s));
}

static void say_next(struct page *page, const struct mpl_diagnosis *d)
{
    bool is_first = true;

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
        mpl_page_heading(page, "Rules that failed (the diagnosis goes on without them)");
    }
    for (size_t i = 0; i < d->n_rule_errors; i++) {
        const struct mpl_lint_message *m = d->rule_errors[i];

        mpl_page_say(page, 2, "%s:%u: %s", m->place.file != NULL ? m->place.file : "rules",
                     m->place.line, m->text);
    }
}

static void say_details(struct page *page, const struct mpl_diagnosis *d)
{
    mpl_page_heading(page, "Rules that fired");
    for (size_t i = 0; i < d->n_firings; i++) {
        mpl_page_say(page, 2, "%s (%zu facts)", d->firings[i].rule, d->firings[i].n_facts);
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
    struct page page = { .out = out,
                         .width = options->width > 0 ? options->width : WIDTH_DEFAULT,
                         .scratch = mpl_arena_create() };

    if (page.scratch == NULL) {
        return mpl_nomem(err);
    }
    mpl_page_say(&page, 0, "%s", verdict_sentence(d->verdict));
    mpl_page_say(&page, 2, "%s", d->summary);
    if (d->is_verdict_clock_sensitive) {
        mpl_page_say(&page, 2, "This rests on uncertain clocks: %s.",
                     d->verdict_clock_reason);
    }
    say_causes(&page, d, options->top > 0 ? options->top : TOP_DEFAULT);
    say_search(&page, d);
    say_unexplained(&page, d);
    say_next(&page, d);
    say_patterns(&page, d);
    say_rule_errors(&page, d);
    mpl_page_heading(&page, "Data");
    for (size_t i = 0; i < d->n_runs; i++) {
        mpl_page_run(&page, &d->runs[i]);
    }
    if (options->is_verbose) {
        say_details(&page, d);
    }
    mpl_arena_destroy(page.scratch);
    const enum mpl_status st = mpl_file_flush(out, err);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot write the report");
}
