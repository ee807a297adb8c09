/* Directories of patterns and rules, later ones on top of earlier ones; and what lint says of them. */
#include "config.h"

#include <check.h>
#include <string.h>

#include "knowledge/knowledge.h"

#include "../lib/suite.h"
#include "folder_fixture.h"
#include "read_fixture.h"

static struct mpl_lint *lint;
static struct mpl_knowledge known;

static void set_up(void)
{
    size_t n = 0;

    create_folder();
    lint = mpl_lint_create(arena);
    known = (struct mpl_knowledge){ 0 };
    (void) put_file(
        "a/rules/vocabulary.clp",
        (const char *) fixture_load(in_tree("rules/vocabulary.clp"), &n, arena));
}

#define PATTERN(name, says, metric) \
    "pattern: " name "\n" \
    "says: " says "\n" \
    "roles: {everybody: {count: many}}\n" \
    "metrics: {" metric ": {per: run, value: run.duration, unit: s}}\n"
#define RULE(name, metric) \
    "(defrule CAUSES::" name " \"Claim.\"\n" \
    "  (metric (name \"" metric "\") (value ?v))\n" \
    "  => (assert (finding (kind cause) (name " name ") (run \"r\") (level 1)\n" \
    "                      (pattern \"p\") (remedy \"Do.\") (text \"T.\"))))\n"

static const char *messages(void)
{
    const char *all = "";

    for (size_t i = 0; i < mpl_lint_count(lint); i++) {
        all = mpl_arena_printf(arena, "%s%s\n", all, mpl_lint_get(lint, i)->text);
    }
    return all;
}

static enum mpl_status load(const char *first, const char *second)
{
    const char *directories[] = { in_folder(first),
                                  second == NULL ? NULL : in_folder(second) };

    return mpl_knowledge_load(directories, second == NULL ? 1 : 2, arena, lint, &known,
                              NULL);
}

START_TEST(later_directories_replace_patterns_and_keep_the_others)
{
    (void) put_file("a/patterns/p.yaml", PATTERN("p", "Old.", "old"));
    (void) put_file("a/patterns/q.yaml", PATTERN("q", "Kept.", "kept"));
    (void) put_file("a/rules/x.clp", RULE("x", "old"));
    (void) put_file("b/patterns/p.yaml", PATTERN("p", "New.", "new"));
    (void) put_file("b/rules/y.clp", RULE("y", "new"));
    ck_assert_int_eq(load("a", "b"), MPL_OK);
    ck_assert_uint_eq(mpl_patterns_count(known.patterns), 2);
    for (size_t i = 0; i < 2; i++) {
        const struct mpl_pattern *p = mpl_patterns_get(known.patterns, i);
        const bool is_new = strcmp(mpl_pattern_name(p), "p") == 0;

        ck_assert_str_eq(mpl_pattern_says(p), is_new ? "New." : "Kept.");
        ck_assert_uint_eq(mpl_metric_set_count(known.metric_sets[i]), 1);
        ck_assert_str_eq(mpl_metric_set_get(known.metric_sets[i], 0).name,
                         is_new ? "run.new" : "run.kept");
    }
    ck_assert_uint_eq(mpl_rules_count(known.rules), 2);
}
END_TEST

START_TEST(classes_of_functions_add_up_the_first_directory_first)
{
    (void) put_file("a/rules/regions.yaml", "device-wait: [clFinish]\n");
    (void) put_file("b/rules/regions.yaml", "thread-wait: [\"my*\"]\n");

    const char *directories[] = { in_folder("a"), in_folder("b") };

    ck_assert_int_eq(mpl_knowledge_regions(directories, 2, arena, lint, &known, NULL),
                     MPL_OK);
    ck_assert_uint_eq(known.n_region_classes, 2);
    ck_assert_int_eq(known.region_classes[0].kind, MPL_REGION_DEVICE_SYNC);
    ck_assert_int_eq(known.region_classes[1].kind, MPL_REGION_THREAD_SYNC);
}
END_TEST

START_TEST(files_are_as_if_in_a_directory_behind_the_others)
{
    const char *files[] = { put_file("c/patterns/other.yaml", PATTERN("p", "New.", "new")),
                            put_file("c/rules/y.clp", RULE("y", "new")) };

    (void) put_file("a/patterns/p.yaml", PATTERN("p", "Old.", "old"));

    const char *directories[] = { in_folder("a") };

    ck_assert_int_eq(
        mpl_knowledge_load_files(directories, 1, files, 2, arena, lint, &known, NULL),
        MPL_OK);
    ck_assert_uint_eq(mpl_patterns_count(known.patterns), 1);
    ck_assert_str_eq(mpl_pattern_says(mpl_patterns_get(known.patterns, 0)), "New.");
    ck_assert_uint_eq(mpl_rules_count(known.rules), 1);
}
END_TEST

START_TEST(patterns_may_be_loaded_alone)
{
    (void) put_file("a/patterns/p.yaml", PATTERN("p", "P.", "m"));
    (void) put_file("a/rules/x.clp", "(this is no rule");

    const char *directories[] = { in_folder("a") };

    ck_assert_int_eq(mpl_knowledge_load_patterns(directories, 1, arena, lint, &known, NULL),
                     MPL_OK);
    ck_assert_uint_eq(mpl_patterns_count(known.patterns), 1);
    ck_assert_ptr_null(known.rules);
}
END_TEST

START_TEST(a_directory_that_is_not_there_is_an_error)
{
    ck_assert_int_eq(load("none", NULL), MPL_E_IO);
}
END_TEST

START_TEST(faults_of_patterns_and_of_their_metrics_are_told_together)
{
    (void) put_file("a/patterns/p.yaml",
                    "pattern: p\nsays: P.\nroles: {everybody: {count: most}}\n");
    (void) put_file("a/patterns/q.yaml",
                    "pattern: q\nsays: Q.\nroles: {everybody: {count: many}}\n"
                    "metrics: {m: {per: run, value: run.duratoin, unit: s}}\n");
    ck_assert_int_eq(load("a", NULL), MPL_E_SYNTAX);
    ck_assert_msg(strstr(messages(), "must be 1 or many") != NULL, "%s", messages());
    ck_assert_msg(strstr(messages(), "run.duration") != NULL, "%s", messages());
}
END_TEST

/* ---- lint --------------------------------------------------------------------------------------- */

static const char *said_by_lint(const char *file)
{
    ck_assert_msg(load("a", NULL) == MPL_OK, "%s", messages());
    lint = mpl_lint_create(arena);
    ck_assert_int_eq(
        mpl_knowledge_lint(&known, &file, file == NULL ? 0 : 1, arena, lint, NULL), MPL_OK);
    return messages();
}

START_TEST(lint_tells_what_loading_does_not_find)
{
    (void) put_file("a/patterns/p.yaml", PATTERN("p", "P.", "m"));
    (void) put_file("a/rules/x.clp", RULE("x", "run.n"));

    const char *said = said_by_lint(NULL);

    ck_assert_msg(strstr(said, "run.n") != NULL, "%s", said);
    ck_assert_msg(strstr(said, "these rules have no tests") != NULL, "%s", said);
    ck_assert_uint_gt(mpl_lint_errors(lint), 0);
}
END_TEST

START_TEST(lint_of_a_file_leaves_out_the_others)
{
    const char *rule = put_file("a/rules/x.clp", RULE("x", "run.m"));

    (void) put_file("a/patterns/p.yaml", PATTERN("p", "P.", "m"));
    (void) put_file("a/rules/y.clp", RULE("y", "run.n"));

    const char *said = said_by_lint(rule);

    ck_assert_uint_gt(mpl_lint_count(lint), 0);
    for (size_t i = 0; i < mpl_lint_count(lint); i++) {
        ck_assert_str_eq(mpl_lint_get(lint, i)->place.file, rule);
    }
    ck_assert_msg(strstr(said, "run.n") == NULL, "%s", said);
}
END_TEST

START_TEST(running_out_of_memory_is_told)
{
    enum mpl_status st = MPL_E_NOMEM;

    (void) put_file("a/patterns/p.yaml", PATTERN("p", "P.", "m"));
    (void) put_file("a/rules/x.clp", RULE("x", "run.m"));

    const char *directories[] = { in_folder("a") };

    for (long n = 0; fails_without_memory(n, st); n++) {
        struct mpl_arena *own = mpl_arena_create();
        struct mpl_lint *own_lint = mpl_lint_create(own);

        known = (struct mpl_knowledge){ 0 };
        mpl_alloc_fail_after(n);
        st = mpl_knowledge_load(directories, 1, own, own_lint, &known, NULL);
        st = st == MPL_OK ? mpl_knowledge_lint(&known, NULL, 0, own, own_lint, NULL) : st;
        mpl_alloc_fail_after(-1);
        mpl_arena_destroy(own);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("knowledge");
    TCase *loading = add_case(suite, "loading", set_up, remove_folder);
    TCase *checks = add_case(suite, "lint", set_up, remove_folder);

    tcase_add_test(loading, later_directories_replace_patterns_and_keep_the_others);
    tcase_add_test(loading, classes_of_functions_add_up_the_first_directory_first);
    tcase_add_test(loading, files_are_as_if_in_a_directory_behind_the_others);
    tcase_add_test(loading, patterns_may_be_loaded_alone);
    tcase_add_test(loading, a_directory_that_is_not_there_is_an_error);
    tcase_add_test(loading, faults_of_patterns_and_of_their_metrics_are_told_together);
    tcase_add_test(loading, running_out_of_memory_is_told);
    tcase_add_test(checks, lint_tells_what_loading_does_not_find);
    tcase_add_test(checks, lint_of_a_file_leaves_out_the_others);
    return run_suite(suite);
}
