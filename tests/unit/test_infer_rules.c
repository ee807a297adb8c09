/* The rule tests that rule authors wrote, and the examples in their guide. */
#include "config.h"

#include <check.h>
#include <dirent.h>
#include <string.h>

#include "../lib/suite.h"
#include "infer_fixture.h"

static char *read_file(const char *path, size_t *bytes)
{
    struct lab *lab = lab_get();
    char *text = NULL;

    ck_assert_msg(mpl_file_read(path, 1 << 20, lab->arena, &text, bytes, &lab->err) ==
                      MPL_OK,
                  "%s", lab->err.cause[0].text);
    return text;
}

static void load_shipped(void)
{
    const char *list[] = { lab_path("rules") };

    ck_assert_msg(lab_load(list, 1) == MPL_OK, "%s", lab_message(0));
}

static size_t run_cases(const char *file, const char *text, size_t bytes)
{
    struct lab *lab = lab_get();
    size_t n = 0;
    const enum mpl_status st =
        mpl_rules_test(lab->rules, file, text, bytes, lab->arena, lab->lint, &n, &lab->err);

    if (st != MPL_OK) {
        mpl_lint_print(lab->lint, stderr);
    }
    ck_assert_msg(st == MPL_OK, "%s", lab->err.cause[0].text);
    return n;
}

static bool is_test(const char *name)
{
    static const char ending[] = ".test.clp";
    const size_t n = strlen(name);

    /* The template's rules are not loaded; tests/system/stock.tap runs its cases. */
    return n > sizeof ending - 1 && strcmp(name + n - (sizeof ending - 1), ending) == 0 &&
           strcmp(name, "TEMPLATE.test.clp") != 0;
}

START_TEST(every_rule_test_of_the_tree_passes)
{
    DIR *directory = opendir(lab_path("rules"));
    unsigned n_files = 0;

    load_shipped();
    ck_assert_ptr_nonnull(directory);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (is_test(entry->d_name)) {
            size_t bytes = 0;
            const char *path = mpl_arena_printf(lab_get()->arena, "%s/%s",
                                                lab_path("rules"), entry->d_name);
            const char *text = read_file(path, &bytes);

            ck_assert_uint_gt(run_cases(path, text, bytes), 0);
            n_files++;
        }
    }
    (void) closedir(directory);
    ck_assert_uint_ge(n_files, 20);
}
END_TEST

/** The blocks of the guide that begin with \p fence, as one text on the same lines. */
static char *blocks(const char *guide, const char *fence)
{
    char *text = mpl_arena_strdup(lab_get()->arena, guide);
    const size_t n = strlen(fence);
    bool is_inside = false;

    for (char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        const bool is_fence = strncmp(line, "```", 3) == 0;

        if (!is_inside || is_fence) {
            is_inside =
                is_fence && !is_inside && length == n && strncmp(line, fence, n) == 0;
            memset(line, ' ', length);
        }
        line += length + (line[length] == '\n');
    }
    return text;
}

START_TEST(examples_of_the_guide_do_what_it_says)
{
    struct lab *lab = lab_get();
    size_t bytes = 0;
    const char *guide = read_file(lab_path("doc/rules.md"), &bytes);
    const char *rules = blocks(guide, "```clips");
    const char *cases = blocks(guide, "```clips test");

    ck_assert_msg(lab_parse_on(lab->vocabulary, "doc/rules.md", rules, strlen(rules),
                               lab->arena, lab->lint, &lab->rules, &lab->err) == MPL_OK,
                  "%s", lab_message(0));
    ck_assert_uint_ge(mpl_rules_count(lab->rules), 1);
    ck_assert_uint_ge(run_cases("doc/rules.md", cases, strlen(cases)), 2);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("infer_rules");
    TCase *tc = add_case(s, "rules", lab_create, lab_destroy);

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, every_rule_test_of_the_tree_passes);
    tcase_add_test(tc, examples_of_the_guide_do_what_it_says);
    return run_suite(s);
}
