/* case.yaml, replaced as a whole: whoever reads it at any moment sees a whole one. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <math.h>
#include <string.h>

/* The text so far; NULL after a failure. */
struct text {
    struct mpl_arena *arena;
    struct mpl_buf bytes;
    bool has_failed;
};

static void put(struct text *t, const char *fmt, ...) MPL_PRINTF(2, 3);

static void put_bytes(struct text *t, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n && !t->has_failed; i++) {
        t->has_failed = !mpl_buf_put(&t->bytes, &bytes[i]);
    }
}

static void put(struct text *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *more = mpl_arena_vprintf(t->arena, fmt, args);
    va_end(args);
    if (more == NULL) {
        t->has_failed = true;
        return;
    }
    put_bytes(t, more, strlen(more));
}

/* Always in double quotes: no text can then be taken for anything else. */
static void quote(struct text *t, const char *value)
{
    const char *quoted = value == NULL ? NULL : mpl_yaml_quote(t->arena, value);

    t->has_failed |= quoted == NULL;
    if (quoted != NULL) {
        put_bytes(t, quoted, strlen(quoted));
    }
}

static void put_text(struct text *t, const char *key, const char *value)
{
    if (value != NULL) {
        put(t, "    %s: ", key);
        quote(t, value);
        put(t, "\n");
    }
}

static void put_words(struct text *t, const char *key, const char *const *words, size_t n)
{
    put(t, "%s: [", key);
    for (size_t i = 0; i < n; i++) {
        put(t, "%s", i > 0 ? ", " : "");
        quote(t, words[i]);
    }
    put(t, "]\n");
}

static void put_number(struct text *t, const char *key, double value)
{
    if (isfinite(value)) {
        put(t, "    %s: %.4g\n", key, value);
    }
}

/* What the experiment was to be as a whole, so that a later call can finish it. */
static void put_experiment(struct text *t, const struct mpl_case_run *r)
{
    const struct mpl_recording *recording = &r->recording;

    if (r->n_sizes > 0) {
        put(t, "    sizes: [");
        for (size_t i = 0; i < r->n_sizes; i++) {
            put(t, "%s%u", i > 0 ? ", " : "", r->sizes[i]);
        }
        put(t, "]\n    repetitions: %u\n", r->repetitions);
    }
    if (recording->n_capabilities > 0) {
        put_words(t, "    records", recording->capabilities, recording->n_capabilities);
    }
    if (recording->n_regions > 0) {
        put_words(t, "    functions", recording->regions, recording->n_regions);
    }
    if (recording->n_counters > 0) {
        put_words(t, "    counters", recording->counters, recording->n_counters);
    }
}

static void put_run(struct text *t, const struct mpl_case_run *r)
{
    put(t, "  - id: ");
    quote(t, r->id);
    put(t, "\n");
    put_text(t, "experiment", r->experiment);
    put(t, "    level: %d\n    repetition: %u\n", r->level, r->repetition);
    if (r->processes > 0) {
        put(t, "    processes: %u\n", r->processes);
    }
    put_experiment(t, r);
    put_text(t, "tracer", r->tracer);
    put_text(t, "recording", r->settings);
    put_words(t, "    command", r->words, r->n_words);
    put(t, "    environment:%s\n", r->n_environment > 0 ? "" : " []");
    for (size_t i = 0; i < r->n_environment; i++) {
        put(t, "      - ");
        quote(t, mpl_arena_printf(t->arena, "%s=%s", r->environment[i].name,
                                  r->environment[i].value));
        put(t, "\n");
    }
    put(t, "    outcome: %s\n    exit_status: %d\n    signal: %d\n    duration_s: %.6g\n",
        mpl_outcome_name(r->outcome), r->exit_status, r->signal,
        isfinite(r->duration_s) ? r->duration_s : 0.0);
    put(t, "    trace_bytes: %llu\n", (unsigned long long) r->trace_bytes);
    put_text(t, "trace", r->trace);
    put_text(t, "partial", r->partial);
    put_text(t, "host", r->host);
    if (r->cores > 0) {
        put(t, "    cores: %u\n", r->cores);
    }
    put_number(t, "load", r->load);
    put_number(t, "foreign_cores", r->foreign_cores);
    put_number(t, "ranks_per_core", r->ranks_per_core > 0 ? r->ranks_per_core : NAN);
    if (r->n_placement > 0) {
        put_words(t, "    placement", r->placement, r->n_placement);
    }
    put_text(t, "date", r->date);
    put_text(t, "version", r->version);
    put_text(t, "problem", r->problem);
}

enum mpl_status mpl_case_write(const struct mpl_case *c, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct text t = { .arena = scratch, .bytes = mpl_buf_make(1) };

    if (scratch == NULL) {
        return mpl_nomem(err);
    }
    put(&t, "# Written by marple run, which continues this case when it is called with the "
            "same\n"
            "# command and directory. marple diagnose takes this directory, too.\n"
            "case: 1\n");
    put_words(&t, "command", c->command.words, c->command.n);
    if (c->command.args != NULL) {
        put(&t, "args: ");
        quote(&t, c->command.args);
        put(&t, "\n");
    }
    put(&t, "runs:%s\n", c->runs.n > 0 ? "" : " []");
    for (size_t i = 0; i < c->runs.n; i++) {
        put_run(&t, mpl_case_run_at(c, i));
    }
    const enum mpl_status st =
        t.has_failed
            ? mpl_nomem(err)
            : mpl_folder_replace(c->directory, "case.yaml", t.bytes.data, t.bytes.n, err);
    mpl_buf_free(&t.bytes);
    mpl_arena_destroy(scratch);
    return st;
}
