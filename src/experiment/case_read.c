/* case.yaml, as this or an earlier marple left it, or as somebody edited it. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BYTES_LIMIT = 16 * 1024 * 1024 };

struct reader {
    struct mpl_case *c;
    struct mpl_lint *lint;
    bool is_out_of_memory;
};

static void complain(struct reader *r, const struct mpl_yaml *node, const char *what)
{
    mpl_lint_add(r->lint, MPL_LINT_ERROR, node->place, "%s", what);
}

static const char *text_of(const struct mpl_yaml *map, const char *key)
{
    const struct mpl_yaml *node = mpl_yaml_find(map, key);

    return node != NULL && node->kind == MPL_YAML_SCALAR ? node->text : NULL;
}

/* 0 when it is not there. */
static double number_of(struct reader *r, const struct mpl_yaml *map, const char *key,
                        double low, double high)
{
    const struct mpl_yaml *node = mpl_yaml_find(map, key);
    char *end = NULL;

    if (node == NULL) {
        return 0;
    }
    const double value = node->text != NULL ? strtod(node->text, &end) : NAN;
    if (node->text == NULL || end == node->text || *end != '\0' ||
        !(value >= low && value <= high)) {
        complain(r, node, "this is not a number that can stand here");
        return 0;
    }
    return value;
}

static double number_or_nan(struct reader *r, const struct mpl_yaml *map, const char *key,
                            double high)
{
    return mpl_yaml_find(map, key) != NULL ? number_of(r, map, key, 0, high) : NAN;
}

static const char *const *words_of(struct reader *r, const struct mpl_yaml *map,
                                   const char *key, size_t *n)
{
    const struct mpl_yaml *list = mpl_yaml_find(map, key);

    *n = 0;
    if (list == NULL) {
        return NULL;
    }
    if (list->kind != MPL_YAML_SEQ) {
        complain(r, list, "this has to be a list of words");
        return NULL;
    }
    const char **words = MPL_NEW_ARRAY(r->c->arena, list->n, const char *);
    r->is_out_of_memory |= words == NULL;
    for (const struct mpl_yaml *w = list->first; w != NULL && words != NULL; w = w->next) {
        if (w->kind != MPL_YAML_SCALAR) {
            complain(r, w, "this has to be a word");
            return NULL;
        }
        words[(*n)++] = w->text;
    }
    return words;
}

static void read_environment(struct reader *r, const struct mpl_yaml *map,
                             struct mpl_case_run *run)
{
    size_t n = 0;
    const char *const *words = words_of(r, map, "environment", &n);
    struct mpl_setting_pair *pairs = MPL_NEW_ARRAY(r->c->arena, n, struct mpl_setting_pair);

    r->is_out_of_memory |= pairs == NULL;
    for (size_t i = 0; i < n && words != NULL && pairs != NULL; i++) {
        const size_t length = strcspn(words[i], "=");
        const char *name = mpl_arena_strndup(r->c->arena, words[i], length);

        r->is_out_of_memory |= name == NULL;
        pairs[i] = (struct mpl_setting_pair){
            .name = name, .value = words[i] + length + (words[i][length] == '=')
        };
    }
    run->environment = pairs;
    run->n_environment = words != NULL ? n : 0;
}

static void read_experiment(struct reader *r, const struct mpl_yaml *map,
                            struct mpl_case_run *run)
{
    struct mpl_recording *recording = &run->recording;
    const struct mpl_yaml *list = mpl_yaml_find(map, "sizes");
    size_t n = 0;
    const char *const *words = words_of(r, map, "sizes", &n);
    uint32_t *sizes = MPL_NEW_ARRAY(r->c->arena, n, uint32_t);

    r->is_out_of_memory |= sizes == NULL;
    for (size_t i = 0; i < n && sizes != NULL && words != NULL; i++) {
        char *end = NULL;
        const unsigned long size = strtoul(words[i], &end, 10);

        if (end == words[i] || *end != '\0' || size == 0 || size > 100000000) {
            complain(r, list, "this has to be a list of numbers of processes");
            return;
        }
        sizes[run->n_sizes++] = (uint32_t) size;
    }
    run->sizes = sizes;
    run->repetitions = (uint32_t) number_of(r, map, "repetitions", 0, 1e6);
    recording->capabilities = words_of(r, map, "records", &recording->n_capabilities);
    recording->regions = words_of(r, map, "functions", &recording->n_regions);
    recording->counters = words_of(r, map, "counters", &recording->n_counters);
}

/* It names the run's folder, in which files are read and written. */
static bool is_name(const char *id)
{
    return id[0] != '\0' && strchr(id, '/') == NULL && strcmp(id, ".") != 0 &&
           strcmp(id, "..") != 0;
}

static void read_run(struct reader *r, const struct mpl_yaml *map)
{
    struct mpl_case_run run = { .id = text_of(map, "id") };
    const char *outcome = text_of(map, "outcome");

    if (map->kind != MPL_YAML_MAP || run.id == NULL || outcome == NULL) {
        complain(r, map, "a run has at least an id and an outcome");
        return;
    }
    if (!is_name(run.id)) {
        complain(r, mpl_yaml_find(map, "id"),
                 "the id of a run is the name of its folder in the case, not a path");
    }
    if (mpl_outcome_parse(outcome, &run.outcome) != MPL_OK) {
        complain(r, mpl_yaml_find(map, "outcome"), "there is no such outcome");
    }
    run.experiment = text_of(map, "experiment");
    run.tracer = text_of(map, "tracer");
    run.settings = text_of(map, "recording");
    run.trace = text_of(map, "trace");
    run.partial = text_of(map, "partial");
    run.host = text_of(map, "host");
    run.date = text_of(map, "date");
    run.version = text_of(map, "version");
    run.problem = text_of(map, "problem");
    run.words = words_of(r, map, "command", &run.n_words);
    read_environment(r, map, &run);
    read_experiment(r, map, &run);
    run.level = (int) number_of(r, map, "level", 0, 99);
    run.processes = (uint32_t) number_of(r, map, "processes", 0, 1e8);
    run.repetition = (uint32_t) number_of(r, map, "repetition", 0, 1e6);
    run.exit_status = (int) number_of(r, map, "exit_status", -1, 255);
    run.signal = (int) number_of(r, map, "signal", 0, 255);
    run.duration_s = number_of(r, map, "duration_s", 0, 1e12);
    run.trace_bytes = (uint64_t) number_of(r, map, "trace_bytes", 0, 1e18);
    run.cores = (uint32_t) number_of(r, map, "cores", 0, 1e8);
    run.load = number_or_nan(r, map, "load", 1e8);
    run.foreign_cores = number_or_nan(r, map, "foreign_cores", 1e8);
    run.ranks_per_core = number_of(r, map, "ranks_per_core", 0, 1e8);
    run.placement = words_of(r, map, "placement", &run.n_placement);

    struct mpl_case_run *slot = mpl_case_add(r->c);
    r->is_out_of_memory |= slot == NULL;
    if (slot != NULL) {
        *slot = run;
    }
}

static void read_root(struct reader *r, const struct mpl_yaml *root)
{
    const char *version = text_of(root, "case");
    const struct mpl_yaml *runs = mpl_yaml_find(root, "runs");
    struct mpl_command *command = &r->c->command;

    if (version == NULL || strcmp(version, "1") != 0) {
        complain(r, root,
                 version == NULL ? "this is no case: it lacks \"case: 1\""
                                 : "this case is of another version of marple");
        return;
    }
    command->words = words_of(r, root, "command", &command->n);
    command->args = text_of(root, "args");
    if (command->n == 0) {
        complain(r, root, "a case has a command");
    }
    if (runs == NULL || runs->kind != MPL_YAML_SEQ) {
        complain(r, runs != NULL ? runs : root, "a case has a list of runs");
        return;
    }
    for (const struct mpl_yaml *run = runs->first; run != NULL; run = run->next) {
        read_run(r, run);
    }
}

enum mpl_status mpl_case_read(struct mpl_case *c, struct mpl_err *err)
{
    const char *path = mpl_arena_printf(c->arena, "%s/case.yaml", c->directory);
    const struct mpl_yaml *root = NULL;
    struct reader r = { .c = c, .lint = mpl_lint_create(c->arena) };
    struct stat st;
    char *text = NULL;
    size_t bytes = 0;

    if (path == NULL || r.lint == NULL) {
        return mpl_nomem(err);
    }
    if (stat(path, &st) != 0) {
        return errno == ENOENT ? MPL_OK
                               : mpl_fail(err, MPL_E_IO, "cannot read \"%s\": %s", path,
                                          strerror(errno));
    }
    enum mpl_status done = mpl_file_read(path, BYTES_LIMIT, c->arena, &text, &bytes, err);
    done = done == MPL_OK ? mpl_yaml_parse(path, text, bytes, c->arena, r.lint, &root, err)
                          : done;
    if (done != MPL_OK) {
        return done;
    }
    if (root == NULL || root->kind != MPL_YAML_MAP) {
        return mpl_fail(err, MPL_E_SYNTAX, "%s: this is no case: it lacks \"case: 1\"",
                        path);
    }
    read_root(&r, root);
    if (r.is_out_of_memory) {
        return mpl_nomem(err);
    }
    return mpl_lint_errors(r.lint) > 0 ? mpl_lint_fail(r.lint, err) : MPL_OK;
}
