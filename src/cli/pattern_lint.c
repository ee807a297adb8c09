/* marple pattern lint, marple rule lint: all knowledge is loaded, what is wrong in the files is reported. */
#include "config.h"

#include "cli/pattern_priv.h"

#include <string.h>

#include "view/view.h"

/* Patterns and rules that the operands name, as the loader names their files. */
struct asked {
    const struct mpl_pattern_opts *opts;
    const struct mpl_knowledge *known;
    struct mpl_arena *arena;
    const char **files;
    size_t n;
};

static size_t add_patterns(struct asked *a, const char *operand)
{
    const size_t before = a->n;

    for (size_t i = 0; i < mpl_patterns_count(a->known->patterns); i++) {
        const struct mpl_pattern *p = mpl_patterns_get(a->known->patterns, i);

        if (strcmp(mpl_pattern_name(p), operand) == 0 ||
            mpl_operand_covers(a->arena, operand, mpl_pattern_file(p))) {
            a->files[a->n++] = mpl_pattern_file(p);
        }
    }
    return a->n - before;
}

static size_t add_rules(struct asked *a, const char *operand)
{
    const size_t before = a->n;
    const char *file = "";

    for (size_t i = 0; i < mpl_rules_count(a->known->rules); i++) {
        const char *next = mpl_rules_get(a->known->rules, i)->file;

        if (strcmp(next, file) != 0 && mpl_operand_covers(a->arena, operand, next)) {
            a->files[a->n++] = next;
        }
        file = next;
    }
    return a->n - before;
}

/* Without operands all that there is of the kind. */
static enum mpl_status choose_files(struct asked *a, bool is_rules, struct mpl_err *err)
{
    const size_t n_all =
        mpl_patterns_count(a->known->patterns) + mpl_rules_count(a->known->rules) + 1;

    a->files = MPL_NEW_ARRAY(a->arena, n_all * (a->opts->operands.n + 1), const char *);
    if (a->files == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < a->opts->operands.n; i++) {
        const char *operand = a->opts->operands.items[i];

        if ((is_rules ? add_rules(a, operand) : add_patterns(a, operand)) == 0) {
            return is_rules || mpl_word_is_file(operand)
                       ? mpl_fail(err, MPL_E_USAGE, "there are no %s in \"%s\"",
                                  is_rules ? "rules" : "patterns", operand)
                       : mpl_pattern_fail(a->known->patterns, operand, a->arena, err);
        }
    }
    for (size_t i = 0; a->opts->operands.n == 0 && i < n_all - 1; i++) {
        const size_t n = mpl_patterns_count(a->known->patterns);

        if (i < n && !is_rules) {
            a->files[a->n++] = mpl_pattern_file(mpl_patterns_get(a->known->patterns, i));
        } else if (i >= n && is_rules) {
            a->files[a->n++] = mpl_rules_get(a->known->rules, i - n)->file;
        }
    }
    return MPL_OK;
}

/* Views are above what loads patterns, so only this command knows their names. */
static enum mpl_status lint_views(const struct asked *a, struct mpl_lint *lint,
                                  struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < mpl_patterns_count(a->known->patterns) && st == MPL_OK; i++) {
        const struct mpl_pattern *p = mpl_patterns_get(a->known->patterns, i);
        const struct mpl_view *const *views;
        size_t n;

        for (size_t k = 0; k < a->n && st == MPL_OK; k++) {
            st = strcmp(a->files[k], mpl_pattern_file(p)) == 0
                     ? mpl_view_of_pattern(p, a->arena, &views, &n, lint, err)
                     : MPL_OK;
        }
    }
    return st;
}

static enum mpl_status lint_files(const struct mpl_pattern_opts *opts, bool is_rules,
                                  struct mpl_arena *arena, FILE *out, struct mpl_err *err)
{
    struct mpl_knowledge known = { 0 };
    struct mpl_lint *lint = mpl_lint_create(arena);
    struct asked asked = { .opts = opts, .known = &known, .arena = arena };

    if (lint == NULL) {
        return mpl_nomem(err);
    }
    struct mpl_err mine = { 0 };
    /* Rules have been loaded by CLIPS, too, when this returns MPL_OK. */
    static const struct mpl_infer_limits usual = { 0 };
    struct mpl_infer *infer = NULL;
    enum mpl_status st =
        mpl_knowledge_load_files(opts->directories.paths, opts->directories.n, opts->files,
                                 opts->n_files, arena, lint, &known, &mine);

    st = st == MPL_OK ? mpl_knowledge_regions(opts->directories.paths, opts->directories.n,
                                              arena, lint, &known, &mine)
                      : st;
    st = st == MPL_OK ? mpl_infer_create(known.rules, &usual, &infer, &mine) : st;
    mpl_infer_destroy(infer);
    if (st != MPL_OK && mpl_lint_errors(lint) == 0) {
        *err = mine;
        return st;
    }
    if (st == MPL_OK) {
        st = choose_files(&asked, is_rules, err);
        st = st == MPL_OK
                 ? mpl_knowledge_lint(&known, asked.files, asked.n, arena, lint, err)
                 : st;
        st = st == MPL_OK ? lint_views(&asked, lint, err) : st;
        if (st != MPL_OK) {
            return st;
        }
    }
    mpl_lint_print(lint, out);
    const size_t errors = mpl_lint_errors(lint);
    const size_t warnings = mpl_lint_count(lint) - errors;
    mpl_text_print(out, "%zu error%s, %zu warning%s\n", errors, errors == 1 ? "" : "s",
                   warnings, warnings == 1 ? "" : "s");
    return errors > 0 ? MPL_END : MPL_OK;
}

enum mpl_status mpl_pattern_lint(const struct mpl_pattern_opts *opts,
                                 struct mpl_arena *arena, FILE *out, struct mpl_err *err)
{
    return lint_files(opts, false, arena, out, err);
}

enum mpl_status mpl_rule_lint(const struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                              FILE *out, struct mpl_err *err)
{
    return lint_files(opts, true, arena, out, err);
}
