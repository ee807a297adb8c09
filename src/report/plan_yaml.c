/* A plan as a file: to be read by people, and carried out by machines (doc/tracers.md). */
#include "config.h"

#include "report/report_priv.h"

#include <math.h>
#include <string.h>

struct writer {
    FILE *out;
    struct mpl_arena *scratch;
};

/* ---- YAML ------------------------------------------------------------------------------- */

static void put_quoted(struct writer *w, const char *text)
{
    const char *quoted = mpl_yaml_quote(w->scratch, text);

    mpl_text_print(w->out, "%s", quoted != NULL ? quoted : "\"\"");
}

/* A text that may be missing: no line then. */
static void put_text(struct writer *w, int indent, const char *key, const char *text)
{
    if (text != NULL) {
        mpl_text_print(w->out, "%*s%s: ", indent, "", key);
        put_quoted(w, text);
        (void) fputc('\n', w->out);
    }
}

static void put_texts(struct writer *w, int indent, const char *key,
                      const char *const *texts, size_t n)
{
    mpl_text_print(w->out, "%*s%s: [", indent, "", key);
    for (size_t i = 0; i < n; i++) {
        mpl_text_print(w->out, "%s", i > 0 ? ", " : "");
        put_quoted(w, texts[i]);
    }
    (void) fputs("]\n", w->out);
}

static void put_number(struct writer *w, int indent, const char *key, double value)
{
    if (!isnan(value)) {
        mpl_text_print(w->out, "%*s%s: %.3g\n", indent, "", key, value);
    }
}

/* A block holds all of its characters as they are and begins flush left. */
static bool can_be_block(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (((unsigned char) *at < ' ' && *at != '\n') || (unsigned char) *at >= 0x7F) {
            return false;
        }
    }
    return *text != ' ' && *text != '\n';
}

/* A text of several lines as a block, so that it can be copied. */
static void put_block(struct writer *w, int indent, const char *key, const char *text)
{
    if (!can_be_block(text)) {
        put_text(w, indent, key, text);
        return;
    }
    mpl_text_print(w->out, "%*s%s: |\n", indent, "", key);
    while (*text != '\0') {
        const size_t n = strcspn(text, "\n");

        mpl_text_print(w->out, "%*s%.*s\n", n > 0 ? indent + 2 : 0, "", (int) n, text);
        text += n + (text[n] == '\n');
    }
}

static void put_comment(struct writer *w, int indent, const char *label, const char *text)
{
    const char *lead = mpl_arena_printf(w->scratch, "%*s# %s", indent, "", label);
    size_t column = lead == NULL ? 0 : strlen(lead);
    bool is_first = true;

    mpl_text_print(w->out, "%s", lead == NULL ? "# " : lead);
    for (const char *at = text + strspn(text, " \n"); *at != '\0';
         at += strspn(at, " \n")) {
        const size_t n = strcspn(at, " \n");

        if (!is_first && column + n > 96) {
            mpl_text_print(w->out, "\n%*s#  ", indent, "");
            column = (size_t) indent + 3;
        }
        mpl_text_print(w->out, "%s%.*s", is_first ? "" : " ", (int) n, at);
        column += n + 1;
        at += n;
        is_first = false;
    }
    (void) fputc('\n', w->out);
}

static void put_cost(struct writer *w, const struct mpl_planned *e)
{
    if (isnan(e->bytes) && isnan(e->run_s)) {
        return;
    }
    mpl_text_print(w->out, "    # By the run at hand%s.\n    cost:\n",
                   e->lacks_functions ? "; functions of the program come on top" : "");
    if (!isnan(e->bytes)) {
        mpl_text_print(w->out, "      trace_bytes: %.0f\n", e->bytes);
    }
    put_number(w, 6, "run_s", e->run_s);
    put_number(w, 6, "overhead_s", e->overhead_s);
}

static void put_settings(struct writer *w, const struct mpl_settings *s)
{
    put_texts(w, 4, "launch", s->launch, s->n_launch);
    if (s->n_finish > 0) {
        put_texts(w, 4, "finish", s->finish, s->n_finish);
    }
    if (s->n_environment > 0) {
        (void) fputs("    environment:\n", w->out);
    }
    for (size_t i = 0; i < s->n_environment; i++) {
        put_text(w, 6, s->environment[i].name, s->environment[i].value);
    }
    if (s->n_files > 0) {
        (void) fputs("    files:\n", w->out);
    }
    for (size_t i = 0; i < s->n_files; i++) {
        put_block(w, 6, s->files[i].name, s->files[i].text);
    }
    if (s->needs_build != NULL) {
        (void) fputs("    build:\n", w->out);
        put_text(w, 6, "why", s->needs_build);
        put_texts(w, 6, "lines", s->build, s->n_build);
    }
}

static void put_findings(struct writer *w, const struct mpl_plan *plan,
                         const struct mpl_planned *e)
{
    size_t n = 0;

    (void) fputs("    findings: [", w->out);
    for (size_t i = 0; plan->diagnosis != NULL && i < plan->diagnosis->n_findings; i++) {
        const struct mpl_diagnosed *f = &plan->diagnosis->findings[i];

        if (mpl_planned_separates(e, f)) {
            mpl_text_print(w->out, "%s%s", n++ > 0 ? ", " : "", f->id);
        }
    }
    (void) fputs("]\n", w->out);
}

static void put_why(struct writer *w, const struct mpl_planned *e)
{
    (void) fputc('\n', w->out);
    for (size_t i = 0; i < e->n_purposes; i++) {
        put_comment(w, 2, i == 0 ? "To " : "and to ", e->purposes[i]);
    }
    for (size_t i = 0; i < e->n_reasons; i++) {
        put_comment(w, 2, "- ", e->reasons[i]);
    }
    if (e->problem != NULL) {
        put_comment(w, 2, "Not as it is: ", e->problem);
    }
    if (e->settings != NULL && !mpl_tracer_is_installed(e->settings->tracer)) {
        put_comment(w, 2, "",
                    mpl_arena_printf(w->scratch, "%s is not installed here.",
                                     mpl_tracer_file_name(e->settings->tracer)));
    }
}

static void put_experiment(struct writer *w, const struct mpl_plan *plan,
                           const struct mpl_planned *e)
{
    const struct mpl_settings *s = e->settings;

    put_why(w, e);
    mpl_text_print(w->out, "  - id: %s\n    level: %d\n", e->id, e->level);
    put_text(w, 4, "pattern", e->pattern);
    put_text(w, 4, "purpose", e->purpose);
    put_texts(w, 4, "reasons", e->reasons, e->n_reasons);
    put_texts(w, 4, "separates", e->separates, e->n_separates);
    put_findings(w, plan, e);
    put_text(w, 4, "expects", e->expects);
    put_texts(w, 4, "metrics", e->metrics, e->n_metrics);
    put_texts(w, 4, "events", e->events, e->n_events);
    put_texts(w, 4, "record", e->recording.capabilities, e->recording.n_capabilities);
    put_texts(w, 4, "adds", e->adds, e->n_adds);
    put_texts(w, 4, "regions", e->recording.regions, e->recording.n_regions);
    put_texts(w, 4, "counters", e->recording.counters, e->recording.n_counters);
    put_texts(w, 4, "locations", e->locations, e->n_locations);
    (void) fputs("    processes: [", w->out);
    for (size_t i = 0; i < e->n_processes; i++) {
        mpl_text_print(w->out, "%s%u", i > 0 ? ", " : "", e->processes[i]);
    }
    mpl_text_print(w->out, "]\n    repetitions: %u\n", e->repetitions);
    put_text(w, 4, "knob", e->knob);
    put_cost(w, e);
    put_text(w, 4, "problem", e->problem);
    mpl_text_print(w->out, "    executable: %s\n", e->is_executable ? "true" : "false");
    if (s != NULL) {
        put_text(w, 4, "tracer", mpl_tracer_file_name(s->tracer));
        mpl_text_print(w->out, "    installed: %s\n",
                       mpl_tracer_is_installed(s->tracer) ? "true" : "false");
        put_settings(w, s);
        const char *shell = mpl_report_plan_shell(e, w->scratch);

        if (shell != NULL) {
            (void) fputs(
                "    # To paste; put your own program and its arguments for ./app.\n",
                w->out);
            put_block(w, 4, "shell", shell);
        }
    }
}

static void put_head(struct writer *w, const struct mpl_plan *plan)
{
    const struct mpl_diagnosis *d = plan->diagnosis;

    put_comment(w, 0, "",
                plan->n == 0
                    ? "marple plan: nothing more has to be measured."
                    : "marple plan: what to measure next, the most informative for "
                      "its cost first.");
    if (d != NULL) {
        put_comment(w, 0, "", d->summary);
    }
    (void) fputs("plan: 1\ntraces:\n", w->out);
    for (size_t i = 0; d != NULL && i < d->n_runs; i++) {
        mpl_text_print(w->out, "  - id: %s\n", d->runs[i].id);
        put_text(w, 4, "path", d->runs[i].path);
        if (d->runs[i].model != NULL) {
            mpl_text_print(w->out, "    processes: %u\n", d->runs[i].model->n_processes);
        }
    }
}

enum mpl_status mpl_report_plan_yaml(const struct mpl_plan *plan, FILE *out,
                                     struct mpl_err *err)
{
    struct writer w = { .out = out, .scratch = mpl_arena_create() };

    if (w.scratch == NULL) {
        return mpl_nomem(err);
    }
    put_head(&w, plan);
    mpl_text_print(out, "experiments:%s\n", plan->n > 0 ? "" : " []");
    for (size_t i = 0; i < plan->n; i++) {
        put_experiment(&w, plan, &plan->experiments[i]);
    }
    put_texts(&w, 0, "unanswerable", plan->unanswerable, plan->n_unanswerable);
    mpl_arena_destroy(w.scratch);
    const enum mpl_status st = mpl_file_flush(out, err);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot write the plan");
}
