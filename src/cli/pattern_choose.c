/* Which patterns the operands of a command mean: names, or files that may lie anywhere. */
#include "config.h"

#include "cli/pattern_priv.h"

#include <string.h>

/* Patterns that people write have some 10 KiB. */
enum { FILE_BYTES_MAX = 1 << 20 };

enum mpl_status mpl_lint_tell(const struct mpl_lint *lint, enum mpl_status status,
                              const char *what, const struct mpl_err *reason,
                              struct mpl_err *err)
{
    const size_t n = mpl_lint_errors(lint);

    mpl_lint_print(lint, stderr);
    if (status == MPL_OK) {
        return MPL_OK;
    }
    if (n == 0 || status == MPL_E_NOMEM) {
        *err = *reason;
        return status;
    }
    return mpl_fail(err, status, "the %s have %zu error%s, shown above", what, n,
                    n == 1 ? "" : "s");
}

struct choice {
    const struct mpl_patterns *base; /* NULL: it has faults */
    struct mpl_arena *arena;
    struct mpl_lint *lint;
    struct mpl_chosen *out;
};

/* A file of its own; its metrics are checked, too, as those of the others are. */
static enum mpl_status choose_file(struct choice *c, const char *file, struct mpl_err *err)
{
    const struct mpl_pattern *pattern = NULL;
    const struct mpl_patterns *patterns = NULL;
    const struct mpl_metric_set *metrics = NULL;
    char *text = NULL;
    size_t bytes = 0;
    enum mpl_status st = MPL_OK;

    for (size_t i = 0;
         c->base != NULL && i < mpl_patterns_count(c->base) && pattern == NULL; i++) {
        const struct mpl_pattern *known = mpl_patterns_get(c->base, i);

        pattern = mpl_is_same_file(mpl_pattern_file(known), file) ? known : NULL;
    }
    if (pattern == NULL) {
        st = mpl_file_read(file, FILE_BYTES_MAX, c->arena, &text, &bytes, err);
        st = st == MPL_OK ? mpl_patterns_parse(file, text, bytes, c->base, c->arena,
                                               c->lint, &patterns, err)
                          : st;
        for (size_t i = 0; patterns != NULL && i < mpl_patterns_count(patterns); i++) {
            if (strcmp(mpl_pattern_file(mpl_patterns_get(patterns, i)), file) == 0) {
                pattern = mpl_patterns_get(patterns, i);
            }
        }
        const enum mpl_status checked =
            pattern == NULL ? MPL_OK
                            : mpl_metric_set_create(pattern, c->arena, c->lint, &metrics,
                                                    st == MPL_OK ? err : NULL);
        st = st == MPL_OK ? checked : st;
    }
    if (st == MPL_OK) {
        c->out->patterns[c->out->n++] = pattern;
    }
    return st;
}

enum mpl_status mpl_pattern_fail(const struct mpl_patterns *patterns, const char *name,
                                 struct mpl_arena *arena, struct mpl_err *err)
{
    const size_t n = mpl_patterns_count(patterns);
    const char **names = MPL_NEW_ARRAY(arena, n, const char *);

    if (names == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        names[i] = mpl_pattern_name(mpl_patterns_get(patterns, i));
    }
    const char *near = mpl_suggest(name, names, n);
    return mpl_fail(err, MPL_E_USAGE, "there is no pattern \"%s\"%s%s%s", name,
                    near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                    near != NULL ? "\"?" : "; marple pattern list shows their names");
}

static enum mpl_status choose_name(struct choice *c, const char *name, struct mpl_err *err)
{
    const struct mpl_pattern *pattern = mpl_patterns_find(c->base, name);

    if (pattern == NULL) {
        return mpl_pattern_fail(c->base, name, c->arena, err);
    }
    c->out->patterns[c->out->n++] = pattern;
    return MPL_OK;
}

static enum mpl_status choose_directory(struct choice *c, const char *directory,
                                        struct mpl_err *err)
{
    const size_t before = c->out->n;

    for (size_t i = 0; i < mpl_patterns_count(c->base); i++) {
        const struct mpl_pattern *pattern = mpl_patterns_get(c->base, i);

        if (mpl_operand_covers(c->arena, directory, mpl_pattern_file(pattern))) {
            c->out->patterns[c->out->n++] = pattern;
        }
    }
    return c->out->n > before
               ? MPL_OK
               : mpl_fail(err, MPL_E_USAGE, "there are no patterns in the directory \"%s\"",
                          directory);
}

static bool are_files(const struct mpl_pattern_opts *opts)
{
    bool all = opts->operands.n > 0;

    for (size_t i = 0; i < opts->operands.n; i++) {
        all = all && mpl_word_is_file(opts->operands.items[i]) &&
              !mpl_word_is_directory(opts->operands.items[i]);
    }
    return all;
}

/* Faults of other patterns must not keep an author from trying a file of their own. */
static enum mpl_status load_base(struct choice *c, const struct mpl_pattern_opts *opts,
                                 struct mpl_err *err)
{
    struct mpl_knowledge known = { 0 };
    struct mpl_lint *lint = are_files(opts) ? mpl_lint_create(c->arena) : c->lint;
    struct mpl_err *load_err = are_files(opts) ? NULL : err;

    if (lint == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = mpl_knowledge_load_patterns(
        opts->directories.paths, opts->directories.n, c->arena, lint, &known, load_err);
    if (st == MPL_E_SYNTAX && are_files(opts)) {
        mpl_lint_add(c->lint, MPL_LINT_WARNING, (struct mpl_place){ .file = NULL },
                     "the patterns in the directories have errors, so files are read "
                     "without them: see marple pattern lint");
        return MPL_OK;
    }
    c->base = known.patterns;
    return st == MPL_OK || load_err != NULL ? st
                                            : mpl_fail(err, st, "cannot load patterns");
}

static enum mpl_status choose(struct choice *c, const struct mpl_pattern_opts *opts,
                              struct mpl_err *err)
{
    enum mpl_status st = load_base(c, opts, err);

    if (st != MPL_OK) {
        return st;
    }
    const size_t n = c->base == NULL ? 0 : mpl_patterns_count(c->base);
    struct mpl_chosen *out = c->out;

    out->patterns = MPL_NEW_ARRAY(c->arena, (opts->operands.n + 1) * (n + 1),
                                  const struct mpl_pattern *);
    if (out->patterns == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n && opts->operands.n == 0; i++) {
        out->patterns[out->n++] = mpl_patterns_get(c->base, i);
    }
    for (size_t i = 0; i < opts->operands.n && st == MPL_OK; i++) {
        const char *operand = opts->operands.items[i];

        st = mpl_word_is_directory(operand) ? choose_directory(c, operand, err)
             : mpl_word_is_file(operand)    ? choose_file(c, operand, err)
                                            : choose_name(c, operand, err);
    }
    return st;
}

enum mpl_status mpl_patterns_choose(const struct mpl_pattern_opts *opts,
                                    struct mpl_arena *arena, struct mpl_chosen *out,
                                    struct mpl_err *err)
{
    struct choice c = { .arena = arena, .lint = mpl_lint_create(arena), .out = out };
    struct mpl_err mine = { 0 };

    *out = (struct mpl_chosen){ 0 };
    if (c.lint == NULL) {
        return mpl_nomem(err);
    }
    return mpl_lint_tell(c.lint, choose(&c, opts, &mine), "patterns", &mine, err);
}
