/* marple pattern lint, marple rule lint: all knowledge is loaded, what stands in the files is told. */
#include "config.h"

#include "cli/pattern_priv.h"

#include <string.h>

/* Files of the kind that are asked for, as the loader names them; unknown ones as they are. */
static enum mpl_status choose_files(const struct mpl_pattern_opts *opts,
                                    const struct mpl_knowledge *known, bool is_rules,
                                    struct mpl_arena *arena, const char ***files, size_t *n,
                                    struct mpl_err *err)
{
    const size_t n_patterns = mpl_patterns_count(known->patterns);
    const size_t n_rules = mpl_rules_count(known->rules);
    const char **list = MPL_NEW_ARRAY(arena, n_patterns + n_rules + 1, const char *);
    size_t at = 0;

    if (list == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; !is_rules && i < n_patterns; i++) {
        list[at++] = mpl_pattern_file(mpl_patterns_get(known->patterns, i));
    }
    for (size_t i = 0; is_rules && i < n_rules; i++) {
        list[at++] = mpl_rules_get(known->rules, i)->file;
    }
    *n = 0;
    *files = MPL_NEW_ARRAY(arena, at + 1, const char *);
    if (*files == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < at; i++) {
        bool is_wanted = opts->n_operands == 0;

        for (size_t j = 0; j < opts->n_operands; j++) {
            is_wanted =
                is_wanted || mpl_is_same_file(list[i], opts->operands[j]) ||
                (!is_rules && strcmp(mpl_pattern_name(mpl_patterns_get(known->patterns, i)),
                                     opts->operands[j]) == 0);
        }
        if (is_wanted) {
            (*files)[(*n)++] = list[i];
        }
    }
    return MPL_OK;
}

/* Rules have been loaded by CLIPS, too, when this returns MPL_OK. */
static enum mpl_status load(const struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                            struct mpl_lint *lint, struct mpl_knowledge *known,
                            struct mpl_err *err)
{
    static const struct mpl_infer_limits usual = { 0 };
    struct mpl_infer *infer = NULL;
    enum mpl_status st = mpl_knowledge_load(opts->directories.paths, opts->directories.n,
                                            arena, lint, known, err);

    st = st == MPL_OK ? mpl_infer_create(known->rules, &usual, &infer, err) : st;
    mpl_infer_destroy(infer);
    return st;
}

/* A file that lies in no directory is tried by itself: what loading says of it. */
static enum mpl_status lint_others(const struct mpl_pattern_opts *opts,
                                   const struct mpl_knowledge *known, size_t n_found,
                                   struct mpl_err *err)
{
    (void) known;
    if (opts->n_operands > 0 && n_found == 0) {
        return mpl_fail(
            err, MPL_E_USAGE,
            "\"%s\" is not among the knowledge; --knowledge DIR adds its directory",
            opts->operands[0]);
    }
    return MPL_OK;
}

static enum mpl_status lint_files(const struct mpl_pattern_opts *opts, bool is_rules,
                                  struct mpl_arena *arena, FILE *out, struct mpl_err *err)
{
    struct mpl_knowledge known = { 0 };
    struct mpl_lint *lint = mpl_lint_create(arena);
    const char **files = NULL;
    size_t n = 0;

    if (lint == NULL) {
        return mpl_nomem(err);
    }
    struct mpl_err mine = { 0 };
    enum mpl_status st = load(opts, arena, lint, &known, &mine);
    if (st != MPL_OK && mpl_lint_errors(lint) == 0) {
        *err = mine;
        return st;
    }
    if (st == MPL_OK) {
        st = choose_files(opts, &known, is_rules, arena, &files, &n, err);
        st = st == MPL_OK ? lint_others(opts, &known, n, err) : st;
        st = st == MPL_OK ? mpl_knowledge_lint(&known, files, n, arena, lint, err) : st;
        if (st != MPL_OK) {
            return st;
        }
    }
    mpl_lint_print(lint, out);
    const size_t errors = mpl_lint_errors(lint);
    const size_t warnings = mpl_lint_count(lint) - errors;
    fprintf(out, "%zu error%s, %zu warning%s\n", errors, errors == 1 ? "" : "s", warnings,
            warnings == 1 ? "" : "s");
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
