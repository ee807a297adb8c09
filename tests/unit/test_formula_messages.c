#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "formula/formula.h"
#include "formula_names.h"

static struct mpl_lint *lint;

static void open_formulas(void)
{
    create_arena();
    lint = mpl_lint_create(arena);
    ck_assert_ptr_nonnull(lint);
}

static enum mpl_status compile(const char *text, const struct mpl_formula **formula)
{
    return compile_test_formula(text, arena, &lint, formula);
}

/* All messages of a formula that stands at 7:11, one per line, without file and line. */
static char *messages(const char *text)
{
    const struct mpl_formula *formula = NULL;
    char *all = mpl_arena_strdup(arena, "");

    ck_assert_int_eq(compile(text, &formula), MPL_E_SYNTAX);
    ck_assert_ptr_null(formula);
    for (size_t i = 0; i < mpl_lint_count(lint); i++) {
        const struct mpl_lint_message *m = mpl_lint_get(lint, i);

        ck_assert_str_eq(m->place.file, "p.yaml");
        ck_assert_uint_eq(m->place.line, 7);
        all = mpl_arena_printf(arena, "%s%u: %s\n", all, m->place.column - 10, m->text);
    }
    return all;
}

static void check_messages(const char *const (*expected)[2], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *found = messages(expected[i][0]);

        ck_assert_msg(strcmp(found, expected[i][1]) == 0, "%s:\nfound\n%sexpected\n%s",
                      expected[i][0], found, expected[i][1]);
    }
}

#define CHECK_MESSAGES(...) \
    do { \
        static const char *const expected[][2] = { __VA_ARGS__ }; \
        check_messages(expected, sizeof expected / sizeof *expected); \
    } while (0)

START_TEST(syntax_errors_name_the_place_and_what_was_expected)
{
    CHECK_MESSAGES(
        { "", "1: the formula is empty\n" }, { "   ", "1: the formula is empty\n" },
        { "1 +", "4: expected a value before the end\n" },
        { "1 2", "3: expected an operator before '2'\n" },
        { "* 3", "1: expected a value before '*'\n" },
        { "(1 + 2", "1: '(' is never closed\n" }, { "1)", "2: ')' without '('\n" },
        { "(1 2)", "4: expected an operator or ')' before '2'\n" },
        { "max(1 2)", "7: expected an operator, ',' or ')' before '2'\n" },
        { "max(1, 2", "4: '(' is never closed\n" },
        { "max(1,)", "7: expected a value before ')'\n" },
        { "n ? 1", "3: '?' without ':'\n" },
        { "n ? 1 ) 2", "7: expected an operator or ':' before ')'\n" },
        { "1 : 2", "3: expected an operator before ':'\n" },
        { "1 < 2 < 3", "7: comparisons form no chain; write 'a < b and b < c'\n" },
        { "1 + not 2", "5: 'not' needs parentheses here: (not ...)\n" });
}
END_TEST

START_TEST(characters_that_mean_nothing_get_an_answer)
{
    CHECK_MESSAGES(
        { "n = 1", "3: nothing can be assigned here; write '==' to compare\n" },
        { "n && m", "3: unknown operator '&&'; write 'and'\n" },
        { "n || m", "3: unknown operator '||'; write 'or'\n" },
        { "!n", "1: unknown operator '!'; write 'not'\n" },
        { "n <> m", "3: unknown operator '<>'; write '!='\n" },
        { "n ^ 2", "3: there is no power operator; write the product\n" },
        { "n ** 2", "3: there is no power operator; write the product\n" },
        { "n $ 2", "3: unexpected character '$'\n" },
        { "n \xC3\xA9", "3: unexpected character '\xC3\xA9'\n" },
        { "n \xE2\x82", "3: unexpected character '\xE2\x82'\n" },
        { "n \x01", "3: unexpected control character 1\n" },
        { "run..setup", "4: a '.' without a name behind it\n" },
        { "run.", "4: a '.' without a name behind it\n" },
        { "1.2.3", "1: a number with two points\n" },
        { "1 + .", "5: a '.' without digits or name\n" },
        { "1e999", "1: the number is too large\n" },
        { "3 sec",
          "3: unknown unit 'sec'; a number may carry s, ms, us, ns, B, kB, MB, GB, KiB, "
          "MiB, GiB\n" });
}
END_TEST

START_TEST(unknown_names_come_with_a_suggestion)
{
    CHECK_MESSAGES(
        { "run.durration",
          "1: unknown name 'run.durration'; did you mean 'run.duration'?\n" },
        { "1 + Task.xyzzy", "5: unknown name 'Task.xyzzy'\n" },
        { "refused * 2", "1: 'refused' is of another role\n" },
        { "summ(Task.wait)", "1: unknown function 'summ'; did you mean 'sum'?\n" },
        { "frobnicate(1)", "1: unknown function 'frobnicate'\n" },
        { "sum + 1", "1: 'sum' is a function; it needs parentheses\n" },
        { "5 * ms", "5: 'ms' is a unit; it stands behind a number, as in 5 ms\n" });
}
END_TEST

START_TEST(lists_stand_inside_aggregates_only_once)
{
    CHECK_MESSAGES(
        { "Task.wait", "1: 'Task.wait' is repeated; use it inside sum(), mean(), ...\n" },
        { "1 s + Task.wait",
          "7: 'Task.wait' is repeated; use it inside sum(), mean(), ...\n" },
        { "max(Task.wait, 1 s)",
          "5: 'Task.wait' is repeated; use it inside sum(), mean(), ...\n" },
        { "sum(mean(Task.wait))", "5: aggregate 'mean' inside another aggregate\n" },
        { "sum(Task.wait - max(Task.wait))",
          "17: aggregate 'max' inside another aggregate\n" },
        { "max(max(Task.wait))", "5: aggregate 'max' inside another aggregate\n" },
        { "sum(Task.wait + Call.wait)",
          "15: 'Task.wait' and 'Call.wait' are lists of different things; aggregate each "
          "alone\n" },
        { "percentile(Task.wait, Task.late)",
          "23: the second argument of percentile() must not be a list\n" },
        { "percentile(Task.wait, max(Task.late))",
          "23: aggregate 'max' inside another aggregate\n" },
        { "percentile(Task.wait, 101)",
          "1: percentile() goes from 0 to 100, not to 101\n" },
        { "percentile(Task.wait, -1)", "1: percentile() goes from 0 to 100, not to -1\n" });
}
END_TEST

START_TEST(arguments_are_counted)
{
    CHECK_MESSAGES(
        { "sum()", "1: sum() takes one argument, not 0\n" },
        { "abs(1, 2, 3)", "1: abs() takes one argument, not 3\n" },
        { "default(1)", "1: default() takes two arguments, not 1\n" },
        { "default(1, 2, 3)", "1: default() takes two arguments, not 3\n" },
        { "percentile(Task.wait)", "1: percentile() takes two arguments, not 1\n" },
        { "max()", "1: max() needs at least one argument\n" });
}
END_TEST

START_TEST(unit_errors_name_both_units)
{
    CHECK_MESSAGES(
        { "run.duration + run.bytes", "14: '+' needs equal units, not s and B\n" },
        { "run.duration + 1",
          "14: '+' needs equal units, not s and 1; a number gets its unit as in 5 ms\n" },
        { "64 > run.bytes",
          "4: '>' needs equal units, not 1 and B; a number gets its unit as in 64 KiB\n" },
        { "run.duration % run.bytes", "14: '%' needs equal units, not s and B\n" },
        { "n == run.duration", "3: '==' needs equal units, not 1 and s\n" },
        { "min(run.duration, n)", "19: min() needs equal units, not s and 1\n" },
        { "default(run.duration, run.bytes)",
          "23: default() needs equal units, not s and B\n" },
        { "n ? run.duration : run.bytes",
          "3: the choice '?:' needs equal units, not s and B\n" },
        { "run.duration ? 1 : 2",
          "14: the condition of '?:' needs a number without unit, not s\n" },
        { "run.duration and 1", "14: 'and' needs a number without unit, not s\n" },
        { "1 or run.bytes", "3: 'or' needs a number without unit, not B\n" },
        { "not run.bytes", "1: 'not' needs a number without unit, not B\n" },
        { "log2(run.bytes)", "1: log2() needs a number without unit, not B\n" },
        { "any(Task.wait)", "1: any() needs a number without unit, not s\n" },
        { "sqrt(run.duration)", "1: sqrt() needs even powers, not s\n" },
        { "percentile(Task.late, run.duration)",
          "1: the second argument of percentile() needs a number without unit, not s\n" });
}
END_TEST

START_TEST(several_faults_give_several_messages_and_no_echo)
{
    CHECK_MESSAGES(
        { "foo + bar * (run.duration - run.bytes)",
          "1: unknown name 'foo'\n7: unknown name 'bar'\n"
          "27: '-' needs equal units, not s and B\n" },
        { "(foo + 1 s) / (foo * run.bytes)",
          "2: unknown name 'foo'\n16: unknown name 'foo'\n" },
        { "sum(foo) + sum(mean(foo))", "5: unknown name 'foo'\n21: unknown name 'foo'\n" },
        { "foo && bar", "1: unknown name 'foo'\n5: unknown operator '&&'; write 'and'\n" },
        { "foo(run.duration + 1 B)",
          "1: unknown function 'foo'\n18: '+' needs equal units, not s and B\n" });
}
END_TEST

START_TEST(after_ten_messages_it_is_enough)
{
    const char *found = messages("a+b+c+d+e+f+g+h+i+j+k+l");

    ck_assert_uint_eq(mpl_lint_count(lint), 10);
    ck_assert_ptr_nonnull(strstr(found, "19: unknown name 'j'\n"));
}
END_TEST

START_TEST(columns_are_not_guessed_in_text_that_is_not_inline)
{
    const struct mpl_place place = { "p.yaml", 7, 11 };
    const struct mpl_formula *formula;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_formula_compile("1 +\n  foo", place, false, look_up_test_name,
                                         NULL, arena, lint, &formula, &err),
                     MPL_E_SYNTAX);
    ck_assert_uint_eq(mpl_lint_get(lint, 0)->place.column, 11);
    ck_assert_str_eq(mpl_lint_get(lint, 0)->text, "unknown name 'foo'");
    ck_assert_int_eq(err.code, MPL_E_SYNTAX);
}
END_TEST

static void check_warning(const char *text, const char *warning)
{
    const struct mpl_formula *formula = NULL;

    /* compile() begins each formula with messages of its own. */
    ck_assert_msg(compile(text, &formula) == MPL_OK, "%s", text);
    ck_assert_uint_eq(mpl_lint_count(lint), warning == NULL ? 0 : 1);
    if (warning != NULL) {
        ck_assert_int_eq(mpl_lint_get(lint, 0)->severity, MPL_LINT_WARNING);
        ck_assert_str_eq(mpl_lint_get(lint, 0)->text, warning);
    }
}

START_TEST(what_is_hardly_meant_gives_a_warning)
{
    static const char counted[] =
        "count() counts what is known, be it true or not; how often a condition holds is "
        "sum(...)";

    check_warning("percentile(Task.wait, 0.9)",
                  "percentile() counts from 0 to 100: of 0.9 percent there is hardly "
                  "anything; did you mean 90?");
    check_warning("percentile(Task.wait, 0)", NULL);
    check_warning("percentile(Task.wait, 1)", NULL);
    check_warning("count(Task.wait > 1 s)", counted);
    check_warning("count(not Task.late)", counted);
    check_warning("count(defined(Task.wait))", counted);
    check_warning("count(Task.wait)", NULL);
    check_warning("count((Task.wait > 1 s) * Task.wait)", NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formula messages");
    TCase *texts = add_case(suite, "messages", open_formulas, destroy_arena);

    tcase_add_test(texts, syntax_errors_name_the_place_and_what_was_expected);
    tcase_add_test(texts, characters_that_mean_nothing_get_an_answer);
    tcase_add_test(texts, unknown_names_come_with_a_suggestion);
    tcase_add_test(texts, lists_stand_inside_aggregates_only_once);
    tcase_add_test(texts, arguments_are_counted);
    tcase_add_test(texts, unit_errors_name_both_units);
    tcase_add_test(texts, several_faults_give_several_messages_and_no_echo);
    tcase_add_test(texts, after_ten_messages_it_is_enough);
    tcase_add_test(texts, columns_are_not_guessed_in_text_that_is_not_inline);
    tcase_add_test(texts, what_is_hardly_meant_gives_a_warning);
    return run_suite(suite);
}
