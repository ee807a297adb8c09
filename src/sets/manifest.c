/*
 * A manifest: what somebody, or `marple run`, noted about runs. Only what distinguishes runs is taken;
 * doc/guide.md, "Several runs", describes it.
 */
#include "config.h"

#include "sets/sets.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BYTES_LIMIT = 16 << 20 };

/* More processes or cores than any machine has; a number beyond is a slip. */
static const unsigned long count_limit = 100000000;

struct manifest_reader {
    struct mpl_arena *arena;
    struct mpl_lint *lint;
    const char
        *folder; /* of the manifest, with a slash at its end; "" for the current one */
    struct mpl_names *seen; /* real paths of traces */
    struct mpl_buf runs;    /* struct mpl_manifest_run */
    const struct mpl_yaml
        *stopped; /* the last run that was stopped and left a trace; or NULL */
    struct mpl_manifest_run stopped_run; /* without its trace */
    bool is_of_run;                      /* `marple run` wrote it */
    bool is_short;                       /* of memory */
};

static void complain(struct manifest_reader *r, struct mpl_place place, const char *fmt,
                     ...) MPL_PRINTF(3, 4);

static void complain(struct manifest_reader *r, struct mpl_place place, const char *fmt,
                     ...)
{
    va_list args;

    va_start(args, fmt);

    const char *text = mpl_arena_vprintf(r->arena, fmt, args);

    va_end(args);
    r->is_short = r->is_short || text == NULL;
    mpl_lint_add(r->lint, MPL_LINT_ERROR, place, "%s", text != NULL ? text : "?");
}

static const char *keep(struct manifest_reader *r, const char *text)
{
    r->is_short = r->is_short || text == NULL;
    return text;
}

/* ---- parts of a run -------------------------------------------------------------------------- */

static bool is_nothing(const struct mpl_yaml *node)
{
    return node == NULL || (node->kind == MPL_YAML_SCALAR &&
                            (node->text[0] == '\0' || strcmp(node->text, "null") == 0 ||
                             strcmp(node->text, "~") == 0));
}

/* The text of a member; NULL where it is not said, or no text. */
static const char *text_of(struct manifest_reader *r, const struct mpl_yaml *run,
                           const char *key)
{
    const struct mpl_yaml *node = mpl_yaml_find(run, key);

    if (is_nothing(node)) {
        return NULL;
    }
    if (node->kind != MPL_YAML_SCALAR) {
        complain(r, node->place, "'%s' takes one value", key);
        return NULL;
    }
    return keep(r, mpl_arena_strdup(r->arena, node->text));
}

/* A number from 1 on; 0 where it is not said. */
static uint32_t count_of(struct manifest_reader *r, const struct mpl_yaml *run,
                         const char *key)
{
    const struct mpl_yaml *node = mpl_yaml_find(run, key);
    const char *text = text_of(r, run, key);
    char *end = NULL;

    if (text == NULL) {
        return 0;
    }
    errno = 0;
    const unsigned long n = strtoul(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n == 0 ||
        n > count_limit) {
        complain(r, node->place, "'%s' takes a number from 1 on, not '%s'", key, text);
        return 0;
    }
    return (uint32_t) n;
}

static int by_text(const void *x, const void *y)
{
    return strcmp(*(const char *const *) x, *(const char *const *) y);
}

/* A number from 0 on; NaN where it is not said. */
static double amount_of(struct manifest_reader *r, const struct mpl_yaml *run,
                        const char *key)
{
    const struct mpl_yaml *node = mpl_yaml_find(run, key);
    const char *text = text_of(r, run, key);
    char *end = NULL;

    if (text == NULL) {
        return NAN;
    }
    const double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value >= 0 && value <= (double) count_limit)) {
        complain(r, node->place, "'%s' takes a number from 0 on, not '%s'", key, text);
        return NAN;
    }
    return value;
}

static struct mpl_machine machine_of(struct manifest_reader *r, const struct mpl_yaml *run)
{
    const double shared = amount_of(r, run, "ranks_per_core");

    return (struct mpl_machine){ .host = text_of(r, run, "host"),
                                 .cores = count_of(r, run, "cores"),
                                 .foreign_cores = amount_of(r, run, "foreign_cores"),
                                 .ranks_per_core = isnan(shared) ? 0 : shared };
}

/* "grid=512, tasks=400": the same settings give the same text, in whatever order they stand. */
static const char *join_settings(struct manifest_reader *r, const struct mpl_yaml *map)
{
    const char **parts = MPL_NEW_ARRAY(r->arena, map->n, const char *);
    const char *text = NULL;
    size_t n = 0;

    for (const struct mpl_yaml *s = map->first; s != NULL && parts != NULL; s = s->next) {
        if (s->kind != MPL_YAML_SCALAR) {
            complain(r, s->place, "setting '%s' takes one value", s->key);
            continue;
        }
        parts[n] = mpl_arena_printf(r->arena, "%s=%s", s->key, s->text);
        if (parts[n++] == NULL) {
            return keep(r, NULL);
        }
    }
    if (parts == NULL) {
        return keep(r, NULL);
    }
    qsort(parts, n, sizeof *parts, by_text);
    for (size_t i = 0; i < n; i++) {
        text = keep(r, mpl_arena_printf(r->arena, "%s%s%s", i > 0 ? text : "",
                                        i > 0 ? ", " : "", parts[i]));
        if (text == NULL) {
            return NULL;
        }
    }
    return text;
}

static const char *settings_of(struct manifest_reader *r, const struct mpl_yaml *run)
{
    const struct mpl_yaml *node = mpl_yaml_find(run, "settings");

    return node == NULL || node->kind != MPL_YAML_MAP ? text_of(r, run, "settings")
                                                      : join_settings(r, node);
}

/* Resolved against the manifest's directory; NULL after a complaint. */
static const char *trace_of(struct manifest_reader *r, const struct mpl_yaml *run,
                            const char *key)
{
    const struct mpl_yaml *node = mpl_yaml_find(run, key);
    const char *text = text_of(r, run, key);
    const char *path;
    char real[PATH_MAX];

    if (text == NULL) {
        if (is_nothing(node)) {
            complain(r, run->place, "a run needs its 'trace': the path of an archive");
        }
        return NULL;
    }
    path =
        keep(r, mpl_arena_printf(r->arena, "%s%s", text[0] == '/' ? "" : r->folder, text));
    if (path == NULL) {
        return NULL;
    }
    if (realpath(path, real) == NULL) {
        complain(r, node->place, "there is no trace '%s'", path);
        return NULL;
    }
    const size_t known = mpl_names_count(r->seen);
    const uint32_t number = mpl_names_put(r->seen, real);

    r->is_short = r->is_short || number == MPL_NONE;
    if (number != MPL_NONE && number < known) {
        complain(r, node->place, "trace '%s' is named twice", text);
        return NULL;
    }
    return path;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static const char *const keys[] = {
    "trace", "processes", "label",     "settings",      "outcome",        "id",     "host",
    "cores", "load",      "placement", "foreign_cores", "ranks_per_core", "partial"
};
enum { N_KEYS = sizeof keys / sizeof keys[0] };

/* In a file that somebody wrote; `marple run` notes much more for people and for itself. */
static void check_keys(struct manifest_reader *r, const struct mpl_yaml *run)
{
    for (const struct mpl_yaml *m = run->first; m != NULL; m = m->next) {
        bool is_known = false;

        for (size_t i = 0; i < N_KEYS; i++) {
            is_known = is_known || strcmp(m->key, keys[i]) == 0;
        }
        if (!is_known) {
            const char *near = mpl_suggest(m->key, keys, N_KEYS);

            mpl_lint_add(r->lint, MPL_LINT_WARNING, m->key_place,
                         "unknown key '%s' of a run%s%s%s", m->key,
                         near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                         near != NULL ? "'?" : "");
        }
    }
}

/* And left a trace. One that ended by itself with status 0 was only paused. */
static bool was_stopped(struct manifest_reader *r, const struct mpl_yaml *run,
                        const char *outcome)
{
    const char *status = text_of(r, run, "exit_status");
    const bool is_over = status != NULL && strcmp(status, "0") == 0;

    return !is_nothing(mpl_yaml_find(run, "partial")) &&
           (strcmp(outcome, "timed-out") == 0 ||
            (strcmp(outcome, "interrupted") == 0 && !is_over));
}

static void keep_run(struct manifest_reader *r, struct mpl_manifest_run run)
{
    struct mpl_manifest_run *kept = run.trace == NULL ? NULL : mpl_buf_add(&r->runs);

    r->is_short = r->is_short || (run.trace != NULL && kept == NULL);
    if (kept != NULL) {
        *kept = run;
    }
}

static void read_run(struct manifest_reader *r, const struct mpl_yaml *node)
{
    if (node->kind != MPL_YAML_MAP) {
        complain(r, node->place, "a run is a map: trace, processes, label, settings");
        return;
    }
    if (!r->is_of_run) {
        check_keys(r, node);
    }

    const char *outcome = text_of(r, node, "outcome");
    struct mpl_manifest_run run = { .label = text_of(r, node, "label"),
                                    .processes = count_of(r, node, "processes"),
                                    .machine = machine_of(r, node),
                                    .settings = settings_of(r, node) };

    /* A run that failed may have no trace; those that are over are diagnosed. */
    if (outcome != NULL && strcmp(outcome, "ok") != 0) {
        if (was_stopped(r, node, outcome)) {
            r->stopped = node;
            r->stopped_run = run;
        }
        return;
    }
    run.trace = trace_of(r, node, "trace");
    keep_run(r, run);
}

/* Where no run came to its end, the last one that was stopped: a program that hangs never does. */
static void read_stopped(struct manifest_reader *r)
{
    if (r->runs.n == 0 && r->stopped != NULL && mpl_lint_errors(r->lint) == 0) {
        r->stopped_run.trace = trace_of(r, r->stopped, "partial");
        keep_run(r, r->stopped_run);
    }
}

static void read_runs(struct manifest_reader *r, const struct mpl_yaml *root,
                      const char *file)
{
    const struct mpl_place top = { .file = file, .line = 1 };
    const struct mpl_yaml *runs =
        root != NULL && root->kind == MPL_YAML_MAP ? mpl_yaml_find(root, "runs") : NULL;

    if (runs == NULL || runs->kind != MPL_YAML_SEQ) {
        complain(r, runs != NULL ? runs->place : top, "a manifest needs a list 'runs'");
        return;
    }
    r->is_of_run = mpl_yaml_find(root, "case") != NULL;
    for (const struct mpl_yaml *run = runs->first; run != NULL; run = run->next) {
        read_run(r, run);
    }
    read_stopped(r);
    if (r->runs.n == 0 && mpl_lint_errors(r->lint) == 0) {
        complain(r, runs->place, "none of its runs has a trace");
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The manifest itself: a directory holds case.yaml. */
static const char *file_of(const char *path, struct mpl_arena *arena)
{
    struct stat found;

    return stat(path, &found) == 0 && S_ISDIR(found.st_mode)
               ? mpl_arena_printf(arena, "%s/case.yaml", path)
               : mpl_arena_strdup(arena, path);
}

static const char *folder_of(const char *file, struct mpl_arena *arena)
{
    const char *slash = strrchr(file, '/');

    return slash == NULL ? "" : mpl_arena_strndup(arena, file, (size_t) (slash - file) + 1);
}

static enum mpl_status read_text(struct manifest_reader *r, const char *file,
                                 struct mpl_err *err)
{
    const struct mpl_yaml *root = NULL;
    char *text = NULL;
    size_t bytes = 0;
    enum mpl_status st = mpl_file_read(file, BYTES_LIMIT, r->arena, &text, &bytes, err);

    if (st != MPL_OK) {
        return mpl_wrap(err, st, "cannot read the manifest \"%s\"", file);
    }
    mpl_lint_source(r->lint, file, text, bytes);
    st = mpl_yaml_parse(file, text, bytes, r->arena, r->lint, &root, err);
    if (st != MPL_OK) {
        return st;
    }
    read_runs(r, root, file);
    if (r->is_short) {
        return mpl_nomem(err);
    }
    return mpl_lint_errors(r->lint) > 0 ? mpl_lint_fail(r->lint, err) : MPL_OK;
}

enum mpl_status mpl_manifest_read(const char *path, struct mpl_arena *arena,
                                  struct mpl_lint *lint, const struct mpl_manifest **out,
                                  struct mpl_err *err)
{
    struct mpl_manifest *manifest = MPL_NEW(arena, struct mpl_manifest);
    const char *file = file_of(path, arena);
    struct manifest_reader r = { .arena = arena,
                                 .lint = lint,
                                 .folder = file == NULL ? NULL : folder_of(file, arena),
                                 .seen = mpl_names_create(),
                                 .runs = mpl_buf_make(sizeof(struct mpl_manifest_run)) };
    enum mpl_status st;

    if (manifest == NULL || r.folder == NULL || r.seen == NULL) {
        mpl_names_destroy(r.seen);
        return mpl_nomem(err);
    }
    st = read_text(&r, file, err);
    if (st == MPL_OK) {
        manifest->path = file;
        manifest->n = r.runs.n;
        manifest->runs = mpl_buf_take(&r.runs, arena);
        st = manifest->runs == NULL ? mpl_nomem(err) : MPL_OK;
    }
    mpl_buf_free(&r.runs);
    mpl_names_destroy(r.seen);
    if (st == MPL_OK) {
        *out = manifest;
    }
    return st;
}
