/* marple rule list and test. */
#include "config.h"

#include "cli/pattern_priv.h"
#include "infer/infer.h"
#include "ruletest/ruletest.h"

#include <string.h>

enum { TEST_BYTES_MAX = 4 << 20 };

/* CLIPS has seen the rules, too, when this returns MPL_OK. */
static enum mpl_status read_rules(const struct mpl_pattern_opts *opts,
                                  struct mpl_arena *arena, struct mpl_lint *lint,
                                  const struct mpl_rules **rules, struct mpl_err *err)
{
    const char **folders = MPL_NEW_ARRAY(arena, opts->directories.n, const char *);
    const char **files = MPL_NEW_ARRAY(arena, opts->n_files, const char *);
    struct mpl_rule_places places = { .directories = folders,
                                      .n_directories = opts->directories.n,
                                      .files = files };
    struct mpl_infer *infer = NULL;

    if (folders == NULL || files == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < opts->directories.n; i++) {
        folders[i] = mpl_knowledge_folder(arena, opts->directories.paths[i], "rules");
        if (folders[i] == NULL) {
            return mpl_nomem(err);
        }
    }
    for (size_t i = 0; i < opts->n_files; i++) {
        if (strcmp(strrchr(opts->files[i], '.'), ".clp") == 0) {
            files[places.n_files++] = opts->files[i];
        }
    }
    enum mpl_status st = mpl_rules_read(&places, arena, lint, rules, err);
    st = st == MPL_OK ? mpl_infer_create(*rules, NULL, &infer, err) : st;
    mpl_infer_destroy(infer);
    return st;
}

static enum mpl_status load(const struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                            const struct mpl_rules **rules, struct mpl_err *err)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    struct mpl_err mine = { 0 };

    if (lint == NULL) {
        return mpl_nomem(err);
    }
    return mpl_lint_tell(lint, read_rules(opts, arena, lint, rules, &mine), "rules", &mine,
                         err);
}

static bool is_wanted(const struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                      const char *file)
{
    bool wanted = opts->operands.n == 0;

    for (size_t i = 0; i < opts->operands.n && !wanted; i++) {
        wanted = mpl_operand_covers(arena, opts->operands.items[i], file);
    }
    return wanted;
}

enum mpl_status mpl_rule_list(const struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                              FILE *out, struct mpl_err *err)
{
    const struct mpl_rules *rules = NULL;
    const char *file = "";
    const enum mpl_status st = load(opts, arena, &rules, err);

    for (size_t i = 0; st == MPL_OK && i < mpl_rules_count(rules); i++) {
        const struct mpl_rule *rule = mpl_rules_get(rules, i);

        if (!is_wanted(opts, arena, rule->file)) {
            continue;
        }
        if (strcmp(rule->file, file) != 0) {
            file = rule->file;
            mpl_origin_print(opts, file, mpl_rules_replaces(rules, file), out);
        }
        mpl_text_print(out, "    %s\n", rule->name);
        if (rule->says != NULL && rule->says[0] != '\0') {
            mpl_text_wrap(out, rule->says, 8, opts->width);
        }
    }
    return st;
}

/* "x.test.clp" beside "x.clp"; a file of tests stands for itself. */
static enum mpl_status test_file(const struct mpl_rules *rules, const char *path, FILE *out,
                                 size_t *n_bad, struct mpl_err *err)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_lint *lint = arena == NULL ? NULL : mpl_lint_create(arena);
    struct mpl_err mine = { 0 };
    char *text = NULL;
    size_t bytes = 0;
    size_t n = 0;
    enum mpl_status st = lint == NULL ? mpl_nomem(err) : MPL_OK;

    st = st == MPL_OK ? mpl_file_read(path, TEST_BYTES_MAX, arena, &text, &bytes, err) : st;
    if (st == MPL_OK) {
        st = mpl_rules_test(rules, path, text, bytes, arena, lint, &n, &mine);
        mpl_text_print(out, "%-5s  %s: %zu case%s\n", st == MPL_OK ? "ok" : "WRONG", path,
                       n, n == 1 ? "" : "s");
        mpl_lint_print(lint, out);
        *n_bad += st != MPL_OK;
        if (st != MPL_OK && mpl_lint_errors(lint) == 0) {
            *err = mine;
        } else {
            st = MPL_OK;
        }
    }
    mpl_arena_destroy(arena);
    return st;
}

enum mpl_status mpl_rule_test(const struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                              FILE *out, struct mpl_err *err)
{
    const struct mpl_rules *rules = NULL;
    const char *file = "";
    size_t n_bad = 0;
    size_t n_done = 0;
    enum mpl_status st = load(opts, arena, &rules, err);

    for (size_t i = 0; st == MPL_OK && i < mpl_rules_count(rules); i++) {
        const struct mpl_rule *rule = mpl_rules_get(rules, i);
        const char *path = mpl_arena_printf(arena, "%.*s.test.clp",
                                            (int) (strlen(rule->file) - 4), rule->file);

        if (path == NULL) {
            return mpl_nomem(err);
        }
        if (strcmp(rule->file, file) != 0 && mpl_is_same_file(path, path) &&
            (is_wanted(opts, arena, rule->file) || is_wanted(opts, arena, path))) {
            st = test_file(rules, path, out, &n_bad, err);
            n_done++;
        }
        file = rule->file;
    }
    if (st == MPL_OK && n_done == 0) {
        return opts->operands.n == 0
                   ? mpl_fail(err, MPL_E_USAGE,
                              "no rules have tests, which stand beside them in *.test.clp")
                   : mpl_fail(err, MPL_E_USAGE,
                              "no tests for \"%s\": those of x.clp stand in x.test.clp "
                              "beside it",
                              opts->operands.items[0]);
    }
    return st == MPL_OK && n_bad > 0 ? MPL_END : st;
}
