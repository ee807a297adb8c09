#include "config.h"

#include <check.h>
#include <locale.h>
#include <math.h>
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

static const struct mpl_formula *compiled(const char *text)
{
    const struct mpl_formula *formula = NULL;
    const enum mpl_status st = compile(text, &formula);

    ck_assert_msg(st == MPL_OK, "%s: %s", text,
                  mpl_lint_count(lint) > 0 ? mpl_lint_get(lint, 0)->text : "no message");
    return formula;
}

static double value_of(const char *text)
{
    return mpl_formula_eval(compiled(text), test_scalars, test_lists);
}

static void check_value(const char *text, double expected)
{
    const double found = value_of(text);

    if (isnan(expected)) {
        ck_assert_msg(isnan(found), "%s is %.17g and not undefined", text, found);
    } else {
        ck_assert_msg(fabs(found - expected) <= 1e-12 * fabs(expected),
                      "%s is %.17g and not %.17g", text, found, expected);
    }
}

struct expected_value {
    const char *text;
    double value;
};

static void check_values(const struct expected_value *expected, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        check_value(expected[i].text, expected[i].value);
    }
}

#define CHECK_VALUES(...) \
    do { \
        static const struct expected_value expected[] = { __VA_ARGS__ }; \
        check_values(expected, sizeof expected / sizeof *expected); \
    } while (0)

/* ---- values ----------------------------------------------------------------------- */

START_TEST(operators_bind_as_stated)
{
    CHECK_VALUES({ "1 + 2 * 3", 7 }, { "(1 + 2) * 3", 9 }, { "10 - 4 - 3", 3 },
                 { "100 / 10 / 5", 2 }, { "2 * 7 % 4", 2 }, { "-2 * 3", -6 },
                 { "2 - -3", 5 }, { "- - 4", 4 }, { "1 + 2 < 4 and 3 > 2", 1 },
                 { "1 or 0 and 0", 1 }, { "not 1 == 2", 1 }, { "not 0 and 0", 0 },
                 { "not not 5", 1 }, { "1 ? 2 : 0 ? 3 : 4", 2 }, { "0 ? 2 : 0 ? 3 : 4", 4 },
                 { "0 ? 1 : 2 + 3", 5 }, { "n > 1 ? n : 1", 2 },
                 { "(1 ? 0 : 1) ? 7 : 8", 8 });
}
END_TEST

START_TEST(scalar_functions_do_what_they_say)
{
    CHECK_VALUES({ "min(3, 1, 2)", 1 }, { "max(3, 1, 2)", 3 }, { "max(1, n, ten)", 10 },
                 { "abs(m)", 7 }, { "abs(-0.5)", 0.5 }, { "sqrt(16)", 4 },
                 { "floor(-1.5)", -2 }, { "ceil(1.2)", 2 }, { "log2(8)", 3 },
                 { "-7 % 3", -1 }, { "7.5 % 2", 1.5 }, { "defined(n)", 1 },
                 { "default(n, 9)", 2 });
}
END_TEST

START_TEST(undefined_passes_through_operators_and_functions)
{
    CHECK_VALUES({ "undefined + 1", NAN }, { "1 - undefined", NAN },
                 { "0 * undefined", NAN }, { "-undefined", NAN },
                 { "undefined == undefined", NAN }, { "undefined != 1", NAN },
                 { "1 < undefined", NAN }, { "min(1, undefined)", NAN },
                 { "min(undefined, 1)", NAN }, { "max(1, undefined, 2)", NAN },
                 { "abs(undefined)", NAN }, { "floor(undefined)", NAN },
                 { "undefined ? 1 : 2", NAN }, { "1 ? undefined : 2", NAN },
                 { "0 ? undefined : 2", 2 });
}
END_TEST

START_TEST(operations_without_result_are_undefined)
{
    CHECK_VALUES({ "1 / none", NAN }, { "none / none", NAN }, { "1 % none", NAN },
                 { "sqrt(m)", NAN }, { "log2(none)", NAN }, { "log2(m)", NAN },
                 { "1e300 * 1e300", NAN }, { "-1e300 * 1e300", NAN },
                 { "percentile(Task.late, 10 * ten + 1)", NAN },
                 { "percentile(Task.late, m)", NAN });
}
END_TEST

START_TEST(undefined_can_be_asked_for_and_replaced)
{
    CHECK_VALUES({ "defined(undefined)", 0 }, { "defined(1 / none)", 0 },
                 { "default(undefined, 9)", 9 }, { "default(undefined, undefined)", NAN },
                 { "default(1 / none, n)", 2 }, { "not defined(undefined)", 1 });
}
END_TEST

START_TEST(logic_has_three_values)
{
    CHECK_VALUES({ "0 and undefined", 0 }, { "undefined and 0", 0 },
                 { "1 and undefined", NAN }, { "undefined and undefined", NAN },
                 { "1 or undefined", 1 }, { "undefined or 1", 1 },
                 { "0 or undefined", NAN }, { "undefined or undefined", NAN },
                 { "not undefined", NAN }, { "3 and -2", 1 }, { "0 or 0", 0 },
                 { "0 and 0", 0 });
}
END_TEST

/* Task.wait is 0.5 - 0 1 0.25 - 3 0.5, in order 0 0.25 0.5 0.5 1 3: sum 5.25 of six. */
START_TEST(aggregates_skip_undefined_elements)
{
    CHECK_VALUES({ "sum(Task.wait)", 5.25 }, { "count(Task.wait)", 6 },
                 { "mean(Task.wait)", 0.875 }, { "min(Task.wait)", 0 },
                 { "max(Task.wait)", 3 }, { "first(Task.wait)", 0.5 },
                 { "last(Task.wait)", 0.5 }, { "median(Task.wait)", 0.5 },
                 { "percentile(Task.wait, 0)", 0 }, { "percentile(Task.wait, 100)", 3 },
                 /* rank 0.9 * 5 = 4.5: half way from 1 to 3 */
                 { "percentile(Task.wait, 90)", 2 }, { "percentile(Task.wait, 20)", 0.25 },
                 { "stddev(Call.wait)", 1.247219128924647 }, /* sqrt(14/9) */
                 { "cv(Call.wait)", 0.5345224838248488 },    /* over 7/3 */
                 { "any(Task.late)", 1 }, { "all(Task.late)", 0 },
                 { "all(Task.late >= 0)", 1 }, { "any(Task.late > 1)", 0 },
                 { "first(Task.late == 0 ? Task.leave : run.ideal)", 3.5 },
                 { "last(Task.late == 1 ? Task.leave : run.ideal)", 19.5 });
}
END_TEST

START_TEST(of_nothing_only_sum_and_count_are_defined)
{
    CHECK_VALUES({ "sum(Nothing.wait)", 0 }, { "count(Nothing.wait)", 0 },
                 { "mean(Nothing.wait)", NAN }, { "min(Nothing.wait)", NAN },
                 { "max(Nothing.wait)", NAN }, { "median(Nothing.wait)", NAN },
                 { "percentile(Nothing.wait, 50)", NAN }, { "stddev(Nothing.wait)", NAN },
                 { "cv(Nothing.wait)", NAN }, { "first(Nothing.wait)", NAN },
                 { "last(Nothing.wait)", NAN }, { "any(Nothing.wait > 0)", NAN },
                 { "all(Nothing.wait > 0)", NAN }, { "sum(Task.wait + run.ideal)", 0 },
                 { "max(Task.wait + run.ideal)", NAN }, { "cv(Call.wait * none)", NAN });
}
END_TEST

START_TEST(expressions_are_aggregated_element_by_element)
{
    CHECK_VALUES({ "sum(Task.leave - Task.enter)", 13.25 },
                 { "sum(max(0, Task.wait - run.setup))", 4 },
                 { "count(Task.wait > 0.3 s ? Task.wait : run.ideal)", 4 },
                 { "sum(Task.late * Task.bytes)", 1096 },
                 { "sum(default(Task.wait, 1 s))", 7.25 }, { "sum(defined(Task.wait))", 6 },
                 { "sum(-Task.wait)", -5.25 }, { "sum(not Task.late)", 3 },
                 { "max(Task.bytes / (Task.leave - Task.enter))", 1024 / 4.25 },
                 { "sum(min(Task.wait, 1 s)) / sum(Task.wait)", 3.25 / 5.25 },
                 { "percentile(Task.leave - Task.enter, 10 * ten - 100)", 0 },
                 { "sum(Task.wait) + sum(Call.wait)", 12.25 });
}
END_TEST

START_TEST(a_single_value_is_a_list_of_one_and_gives_a_warning)
{
    check_value("sum(n)", 2);
    ck_assert_uint_eq(mpl_lint_count(lint), 1);
    ck_assert_int_eq(mpl_lint_get(lint, 0)->severity, MPL_LINT_WARNING);
    ck_assert_str_eq(mpl_lint_get(lint, 0)->text,
                     "sum() of a single value, which is not repeated");
    CHECK_VALUES({ "max(n)", 2 }, { "count(undefined)", 0 }, { "stddev(n)", 0 },
                 { "median(n + 1)", 3 }, { "sum(undefined)", 0 });
}
END_TEST

START_TEST(numbers_are_read_exactly_and_in_any_locale)
{
    /* Any locale with a decimal comma; where none is installed the test says less. */
    (void) (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8"));
    CHECK_VALUES({ "0.1", 0.1 }, { "12.5e-3", 0.0125 }, { ".5", 0.5 }, { "5.", 5 },
                 { "1e22", 1e22 }, { "0.000001", 1e-6 },
                 { "123456789012345678901", 1.23456789012345678901e20 },
                 { "0.1234567890123456789", 0.1234567890123456789 }, { "1E3", 1000 });
    ck_assert_double_eq(value_of("0.1"), 0.1);
    ck_assert_double_eq(value_of("5 ms"), 0.005);
    ck_assert_double_eq(value_of("0.3"), 0.3);
    ck_assert_double_eq(value_of("179.769e306"), 179.769e306);
    (void) setlocale(LC_ALL, "C");
}
END_TEST

START_TEST(units_of_numbers_scale_to_seconds_and_bytes)
{
    CHECK_VALUES({ "5 ms", 0.005 }, { "2us", 2e-6 }, { "7 ns", 7e-9 }, { "3 s", 3 },
                 { "64 B", 64 }, { "2 kB", 2000 }, { "1.5 MB", 1.5e6 }, { "1 GB", 1e9 },
                 { "2 KiB", 2048 }, { "1 MiB", 1048576 }, { "1 GiB", 1073741824 },
                 { "1e3 us", 1e-3 }, { "2 or 0", 1 }, { "2 and 1", 1 });
}
END_TEST

/* ---- units ---------------------------------------------------------------------------- */

static const char *unit_of(const char *text)
{
    static char unit[32];

    return mpl_unit_text(mpl_formula_unit(compiled(text)), unit);
}

START_TEST(units_follow_the_operations)
{
    static const struct {
        const char *text, *unit;
    } expected[] = {
        { "1", "1" },
        { "5 ms", "s" },
        { "run.bytes / run.duration", "B/s" },
        { "run.duration / run.bytes", "s/B" },
        { "1 / run.duration", "1/s" },
        { "run.duration * run.duration", "s^2" },
        { "sqrt(run.duration * run.duration)", "s" },
        { "run.bytes * run.duration", "s*B" },
        { "1 / (run.bytes * run.duration)", "1/(s*B)" },
        { "run.duration > 1 s", "1" },
        { "run.duration % 1 s", "s" },
        { "-run.bytes", "B" },
        { "max(0, run.duration)", "s" },
        { "default(0, run.duration)", "s" },
        { "n ? 0 : run.duration", "s" },
        { "0 + run.duration", "s" },
        { "-0 + 1 s", "s" },
        { "defined(run.duration)", "1" },
        { "sum(Task.wait)", "s" },
        { "count(Task.wait)", "1" },
        { "cv(Task.wait)", "1" },
        { "stddev(Task.bytes)", "B" },
        { "median(Task.wait)", "s" },
        { "percentile(Task.wait, 50)", "s" },
        { "first(Task.bytes)", "B" },
        { "any(Task.wait > 0)", "1" },
        { "floor(run.bytes)", "B" },
        { "abs(-1 s)", "s" },
        { "run.duration / run.setup", "1" },
    };

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        ck_assert_msg(strcmp(unit_of(expected[i].text), expected[i].unit) == 0,
                      "%s is in %s", expected[i].text, unit_of(expected[i].text));
    }
}
END_TEST

START_TEST(printed_units_read_back_as_the_same)
{
    for (int seconds = -99; seconds <= 99; seconds++) {
        for (int bytes = -99; bytes <= 99; bytes++) {
            const struct mpl_unit unit = { (int8_t) seconds, (int8_t) bytes };
            struct mpl_unit back = { 0, 0 };
            double factor = 0;
            char text[32];

            ck_assert_int_eq(mpl_unit_parse(mpl_unit_text(unit, text), &back, &factor),
                             MPL_OK);
            ck_assert_msg(back.seconds == seconds && back.bytes == bytes, "%s", text);
            ck_assert_double_eq(factor, 1.0);
        }
    }
}
END_TEST

START_TEST(prefixes_of_units_become_factors)
{
    static const struct {
        const char *text;
        double factor;
    } expected[] = { { "ms", 1e-3 },
                     { "us", 1e-6 },
                     { "ns", 1e-9 },
                     { "KiB", 1024 },
                     { "MB/s", 1e6 },
                     { "1/ms", 1000 },
                     { "us/KiB", 1e-6 / 1024 },
                     { "ms^2", 1e-6 },
                     { "B/(ms*us)", 1e9 } };

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct mpl_unit unit;
        double factor;

        ck_assert_int_eq(mpl_unit_parse(expected[i].text, &unit, &factor), MPL_OK);
        ck_assert_msg(fabs(factor / expected[i].factor - 1) < 1e-15, "%s",
                      expected[i].text);
    }
}
END_TEST

START_TEST(what_is_no_unit_is_refused)
{
    static const char *const wrong[] = { "",     "x",    "S",      "m s",       " s",
                                         "s ",   "2",    "1/1",    "s/",        "/s",
                                         "s^",   "s^0",  "s^100",  "1*s",       "s*",
                                         "s//B", "B/(s", "1/(s*B", "s^50*s^50", "%" };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct mpl_unit unit = { 42, 42 };
        double factor = 42;

        ck_assert_msg(mpl_unit_parse(wrong[i], &unit, &factor) == MPL_E_SYNTAX, "'%s'",
                      wrong[i]);
        ck_assert_msg(unit.seconds == 42 && factor == 42, "'%s' was written", wrong[i]);
    }
}
END_TEST

/* ---- limits ------------------------------------------------------------------------------- */

/* "(((1)))" and the like: \p open and \p close \p n times around \p middle. */
static char *nested(size_t n, const char *open, const char *middle, const char *close)
{
    const size_t n_open = strlen(open);
    const size_t n_close = strlen(close);
    char *text = malloc(n * (n_open + n_close) + strlen(middle) + 1);
    char *at = text;

    for (size_t i = 0; i < n; i++, at += n_open) {
        memcpy(at, open, n_open);
    }
    memcpy(at, middle, strlen(middle));
    at += strlen(middle);
    for (size_t i = 0; i < n; i++, at += n_close) {
        memcpy(at, close, n_close);
    }
    *at = '\0';
    return text;
}

START_TEST(nesting_has_a_limit_and_nothing_overflows_below_it)
{
    /* What leaves as many values waiting as possible on each level. */
    static const char *const shapes[][2] = {
        { "(", ")" },
        { "-", "" },
        { "not ", "" },
        { "0 or 1 and 1 < 1 + 1 * (", ")" },
        { "max(1, ", ")" },
        { "1 ? 1 : ", "" },
        { "1 ? 0 or 1 and 1 < 1 + 1 * abs(", ") : 1" },
        { "abs(1, 0 or n and n < n + n * max(n + 0, 2, n ? n + 0 : (", ")))" },
    };

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct mpl_formula *formula = NULL;

        for (size_t n = 1; n < 300; n++) {
            char *text = nested(n, shapes[i][0], "1", shapes[i][1]);

            if (compile(text, &formula) == MPL_OK) {
                ck_assert_msg(n <= 100, "%s %zu times", shapes[i][0], n);
                (void) mpl_formula_eval(formula, test_scalars, test_lists);
            } else if (n > 100) {
                ck_assert_str_eq(mpl_lint_get(lint, mpl_lint_count(lint) - 1)->text,
                                 "nested deeper than 100 levels");
            }
            free(text);
        }
    }
}
END_TEST

START_TEST(a_hundred_levels_are_the_limit)
{
    const struct mpl_formula *formula = NULL;
    char *deep = nested(100, "(", "1", ")");
    char *deeper = nested(101, "(", "1", ")");

    ck_assert_int_eq(compile(deep, &formula), MPL_OK);
    ck_assert_int_eq(compile(deeper, &formula), MPL_E_SYNTAX);
    free(deep);
    free(deeper);
}
END_TEST

START_TEST(a_chain_of_a_million_operators_needs_no_stack)
{
    char *text = nested(1000000, "1+", "1", "");

    check_value(text, 1000001);
    free(text);
    text = nested(100000, "Task.late*", "1", "");

    char *aggregate = nested(1, "sum(", text, ")");

    check_value(aggregate, 4);
    free(aggregate);
    free(text);
}
END_TEST

START_TEST(running_out_of_memory_is_told_at_every_allocation)
{
    static const char text[] =
        "max(run.duration, 2 s) / (n > 1 ? sum(Task.wait - 1 ms) : "
        "percentile(Task.leave * 2, n + 3)) + -median(Call.wait) / 1 s";
    const struct mpl_place place = { "p.yaml", 1, 1 };
    const struct mpl_formula *formula = NULL;
    long n = 0;

    for (;; n++) {
        struct mpl_err err = { 0 };

        mpl_alloc_fail_after(n);
        const enum mpl_status st = mpl_formula_compile(text, place, true, look_up_test_name,
                                                       NULL, arena, lint, &formula, &err);
        mpl_alloc_fail_after(-1);
        if (st == MPL_OK) {
            break;
        }
        ck_assert_int_eq(st, MPL_E_NOMEM);
        ck_assert_int_eq(err.code, MPL_E_NOMEM);
        ck_assert_ptr_null(formula);
    }
    ck_assert_int_gt(n, 5);
}
END_TEST

START_TEST(a_lookup_without_memory_ends_the_compilation)
{
    const struct mpl_formula *formula = NULL;

    ck_assert_int_eq(compile("1 + no_memory + foo", &formula), MPL_E_NOMEM);
    ck_assert_ptr_null(formula);
}
END_TEST

/* ---- what a formula reads -------------------------------------------------------------------- */

START_TEST(slots_are_told_once_and_ascending)
{
    const struct mpl_formula *formula = compiled(
        "n * (ten + n) > none ? sum(Task.leave - Task.enter) + sum(Task.leave) : 0 s");
    size_t n;
    const uint32_t *scalars = mpl_formula_scalars(formula, &n);

    ck_assert_uint_eq(n, 3);
    ck_assert_double_eq(scalars[0], 4);
    ck_assert_double_eq(scalars[1], 5);
    ck_assert_double_eq(scalars[2], 8);

    const uint32_t *lists = mpl_formula_lists(formula, &n);

    ck_assert_uint_eq(n, 2);
    ck_assert_double_eq(lists[0], 0);
    ck_assert_double_eq(lists[1], 1);
    (void) mpl_formula_scalars(compiled("1"), &n);
    ck_assert_uint_eq(n, 0);
}
END_TEST

/* "own" differs from place to place, "all" and "run" do not. */
static enum mpl_status look_up_fixed(void *context, const char *name,
                                     struct mpl_formula_name *out, const char **suggestion,
                                     const char **reason)
{
    (void) context;
    (void) suggestion;
    (void) reason;
    *out = (struct mpl_formula_name){ .is_list = strcmp(name, "all") == 0,
                                      .slot = strcmp(name, "run") == 0,
                                      .is_fixed = strcmp(name, "own") != 0 };
    return MPL_OK;
}

START_TEST(aggregates_of_fixed_names_are_evaluated_once)
{
    static const struct {
        const char *text;
        size_t kept;
        double second; /* with another list: kept aggregates do not see it */
    } expected[] = {
        { "own - median(all)", 1, 5 - 2 },
        { "own - median(all * run)", 1, 5 - 20 },
        { "own - sum(all * own)", 0, 5 - 300 * 5 },
        { "sum(all) + max(all - own) + percentile(all, run)", 2, 6 + 95 + 1.2 },
        { "own", 0, 5 },
        { "own > 3 and sum(all) == 6", 1,
          1 }, /* although the first need not look at the sum */
        { "own < 3 or sum(all) == 6", 1, 1 },
        { "own > 3 and sum(all * own) == 1500 and sum(all) == 6", 1, 1 },
    };
    const double values[] = { 1, 2, 3 };
    const double others[] = { 100, 100, 100 };
    const struct mpl_list first = { values, 3 };
    const struct mpl_list second = { others, 3 };
    const struct mpl_place place = { "p.yaml", 1, 1 };

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct mpl_formula *formula = NULL;
        double kept[4] = { 0 };

        ck_assert_int_eq(mpl_formula_compile(expected[i].text, place, true, look_up_fixed,
                                             NULL, arena, lint, &formula, NULL),
                         MPL_OK);
        ck_assert_uint_eq(mpl_formula_kept_count(formula), expected[i].kept);

        const double once =
            mpl_formula_eval_first(formula, (double[]){ 1, 10 }, &first, kept);
        const double next =
            mpl_formula_eval_next(formula, (double[]){ 5, 10 }, &second, kept);

        ck_assert_double_eq(once, mpl_formula_eval(formula, (double[]){ 1, 10 }, &first));
        ck_assert_msg(fabs(next - expected[i].second) < 1e-12, "%s gives %g",
                      expected[i].text, next);
    }
}
END_TEST

/* Whoever looked at a list would look at NULL. */
START_TEST(nothing_is_aggregated_where_the_left_side_decides)
{
    static const struct {
        const char *text;
        double value;
    } expected[] = {
        { "own > 3 and sum(all * own) > 1", 0 },
        { "own < 3 or sum(all * own) > 1", 1 },
        { "own > 3 and own > 0 and sum(all) > 1 and own > 0", 0 },
        { "own > 3 and (own > 0 or sum(all) > 1) or own == 1", 1 },
        { "(own < 3 or max(all) > 1) and (own > 3 and percentile(all, 5) > 1) ? 7 : 8", 8 },
        { "2 * (own > 3 and sum(all * own) > 1) + (own < 3 or cv(all) > 1)", 1 },
    };
    const struct mpl_place place = { "p.yaml", 1, 1 };

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct mpl_formula *formula = NULL;

        ck_assert_int_eq(mpl_formula_compile(expected[i].text, place, true, look_up_fixed,
                                             NULL, arena, lint, &formula, NULL),
                         MPL_OK);
        ck_assert_msg(mpl_formula_eval(formula, (double[]){ 1, 10 }, NULL) ==
                          expected[i].value,
                      "%s", expected[i].text);
    }
}
END_TEST

struct asked {
    double *values;
    char slots[64];
};

static void note_slot(void *context, uint32_t slot, bool is_list, const uint64_t *rows)
{
    struct asked *asked = context;

    ck_assert(!is_list);
    ck_assert_uint_eq(rows[0], 1);
    asked->values[slot] = (double[]){ 1, 0, NAN }[slot];
    strcat(asked->slots, (const char *[]){ "y", "n", "u" }[slot]);
}

static enum mpl_status look_up_truth(void *context, const char *name,
                                     struct mpl_formula_name *out, const char **suggestion,
                                     const char **reason)
{
    (void) context;
    (void) suggestion;
    (void) reason;
    *out = (struct mpl_formula_name){ .slot = name[0] == 'y' ? 0 : name[0] == 'n' ? 1 : 2 };
    return MPL_OK;
}

/* The value of a formula, or of what is asked of it as a condition, and what is read for it. */
static double ask(const char *text, bool is_condition, struct asked *asked)
{
    const struct mpl_place place = { "p.yaml", 1, 1 };
    double values[] = { 17, 18, 19 };
    double *const scalars[] = { &values[0], &values[1], &values[2] };
    uint64_t known[3][MPL_FORMULA_ROW_WORDS] = { 0 };
    const uint64_t wanted[MPL_FORMULA_ROW_WORDS] = { 1 };
    struct mpl_formula_rows rows = {
        .n = 1, .scalars = scalars, .known = known, .read = note_slot, .context = asked
    };
    const struct mpl_formula *formula = NULL;
    double value;

    asked->values = values;
    ck_assert_int_eq(mpl_formula_compile(text, place, true, look_up_truth, NULL, arena,
                                         lint, &formula, NULL),
                     MPL_OK);
    formula = is_condition ? mpl_formula_condition(formula, arena) : formula;
    rows.temps = MPL_NEW_ARRAY(arena, mpl_formula_temps(formula), double);
    mpl_formula_eval_rows(formula, &rows, wanted, &value);
    asked->values = NULL;
    return value;
}

START_TEST(what_decides_nothing_is_not_read)
{
    /* y is true, n is not, u is undefined. */
    static const struct {
        const char *text;
        const char *read;
        double value;
    } expected[] = {
        { "y", "y", 1 },
        { "y or n", "y", 1 },
        { "y and n", "yn", 0 },
        { "n and y", "n", 0 },
        { "n and y or u", "nu", NAN },
        { "n and (y or u)", "n", 0 },
        { "u and n", "un", 0 },
        { "u or y", "uy", 1 },
        { "y ? n : u", "yn", 0 },
        { "n ? u + 1 : y + 2", "ny", 3 },
        { "u ? n + 1 : y + 2", "u", NAN },
        { "y ? (n ? u - 1 : y * 5) : u * n", "yn", 5 },
        { "default(y, n)", "y", 1 },
        { "default(u, n)", "un", 0 },
        { "y + y * n", "yn", 1 },
        { "default(u and n, 0)", "u", 0 },
        { "default(u and y or y, 0)", "uy", 1 },
        { "default((y and u and n) or (u and n and y), 0)", "yu", 0 },
        { "default(y and (u and n or n), 0)", "yun", 0 },
        { "default(not (u and n), 0)", "un", 1 },
        { "default(u and n, 1)", "un", 0 },
        { "default(u and y, 1)", "uy", 1 },
        { "default((y or n) + u and n, 0) + (u and n)", "yun", 0 },
        { "default(n, y) and default(u and y, 0)", "n", 0 },
        { "1", "", 1 },
    };

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct asked asked = { .slots = "" };
        const double value = ask(expected[i].text, false, &asked);

        ck_assert_msg(value == expected[i].value ||
                          (isnan(value) && isnan(expected[i].value)),
                      "%s is %g", expected[i].text, value);
        ck_assert_msg(strcmp(asked.slots, expected[i].read) == 0, "%s reads %s",
                      expected[i].text, asked.slots);
    }
}
END_TEST

START_TEST(who_asks_whether_it_holds_reads_less)
{
    static const struct {
        const char *text;
        const char *read;
        bool holds;
    } expected[] = {
        { "u and n", "u", false },
        { "u and y or y and y", "uy", true },
        { "(u and n) or (u and y) or n", "un", false },
        { "y and not u", "yu", false },
        { "y ? u and n : n", "yun", false },
        { "u", "u", false },
        { "1", "", true },
    };

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct asked asked = { .slots = "" };
        const double value = ask(expected[i].text, true, &asked);

        ck_assert_msg((value > 0) == expected[i].holds, "%s is %g", expected[i].text,
                      value);
        ck_assert_msg(strcmp(asked.slots, expected[i].read) == 0, "%s reads %s",
                      expected[i].text, asked.slots);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formula");
    TCase *values = add_case(suite, "values", open_formulas, destroy_arena);
    TCase *units = add_case(suite, "units", open_formulas, destroy_arena);
    TCase *limits = add_case(suite, "limits", open_formulas, destroy_arena);

    tcase_add_test(values, operators_bind_as_stated);
    tcase_add_test(values, nothing_is_aggregated_where_the_left_side_decides);
    tcase_add_test(values, what_decides_nothing_is_not_read);
    tcase_add_test(values, who_asks_whether_it_holds_reads_less);
    tcase_add_test(values, scalar_functions_do_what_they_say);
    tcase_add_test(values, undefined_passes_through_operators_and_functions);
    tcase_add_test(values, operations_without_result_are_undefined);
    tcase_add_test(values, undefined_can_be_asked_for_and_replaced);
    tcase_add_test(values, logic_has_three_values);
    tcase_add_test(values, aggregates_skip_undefined_elements);
    tcase_add_test(values, of_nothing_only_sum_and_count_are_defined);
    tcase_add_test(values, expressions_are_aggregated_element_by_element);
    tcase_add_test(values, a_single_value_is_a_list_of_one_and_gives_a_warning);
    tcase_add_test(values, numbers_are_read_exactly_and_in_any_locale);
    tcase_add_test(values, units_of_numbers_scale_to_seconds_and_bytes);
    tcase_add_test(values, slots_are_told_once_and_ascending);
    tcase_add_test(values, aggregates_of_fixed_names_are_evaluated_once);

    tcase_add_test(units, units_follow_the_operations);
    tcase_add_test(units, printed_units_read_back_as_the_same);
    tcase_add_test(units, prefixes_of_units_become_factors);
    tcase_add_test(units, what_is_no_unit_is_refused);

    tcase_set_timeout(limits, 60);
    tcase_add_test(limits, nesting_has_a_limit_and_nothing_overflows_below_it);
    tcase_add_test(limits, a_hundred_levels_are_the_limit);
    tcase_add_test(limits, a_chain_of_a_million_operators_needs_no_stack);
    tcase_add_test(limits, running_out_of_memory_is_told_at_every_allocation);
    tcase_add_test(limits, a_lookup_without_memory_ends_the_compilation);
    return run_suite(suite);
}
