/* What reports are made of, and that none lacks a part where memory runs out. */
#include "config.h"

#include <check.h>
#include <math.h>

#include "report/report.h"

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "analysis_fixture.h"
#include "whole.h"

static struct mpl_analysis *analysis;

static void diagnose(void)
{
    create_arena();
    analysis = analyse_path(in_tree("tests/traces/two-late.trace"), NULL);
}

static void forget(void)
{
    mpl_analysis_destroy(analysis);
    destroy_arena();
}

/* ---- words -------------------------------------------------------------------------------------- */

static const struct {
    double value;
    const char *unit;
    const char *text;
} values[] = {
    { NAN, "s", "unknown" },
    { 0.0031, "s", "3.10 ms" },
    { 0.38461, "1", "0.385" },
    { 12, "1", "12" },
    { -3, "1", "-3" },
    { 62000, "B", "62,000 B" },
    { 1234567, "1", "1,234,567" },
    { 2.5, "B", "2.5 B" },
};

START_TEST(metrics_are_shown_in_their_units)
{
    ck_assert_str_eq(mpl_report_value(arena, values[_i].value, values[_i].unit),
                     values[_i].text);
}
END_TEST

static const struct {
    const char *labels[6];
    size_t n;
    const char *text;
} lists[] = {
    { { "3" }, 1, "3" },
    { { "0", "1" }, 2, "0, 1" },
    { { "0", "2", "5", "6", "7" }, 5, "0, 2, 5 to 7" },
    { { "3.1", "3.2", "4" }, 3, "3.1, 3.2, 4" },
};

START_TEST(labels_in_a_row_become_a_range)
{
    ck_assert_str_eq(mpl_report_labels(arena, lists[_i].labels, lists[_i].n),
                     lists[_i].text);
}
END_TEST

START_TEST(an_efficiency_is_the_product_of_its_factors)
{
    struct mpl_efficiency e[MPL_EFFICIENCIES];

    mpl_report_efficiencies(mpl_analysis_diagnosis(analysis), 0, e);
    for (int i = 0; i < MPL_EFFICIENCIES; i++) {
        ck_assert_msg(e[i].value > 0 && e[i].value <= 1, "%s: %g", e[i].metric, e[i].value);
    }
    ck_assert_str_eq(e[0].metric, "run.parallel_efficiency");
    ck_assert_double_eq_tol(e[0].value, e[1].value * e[2].value, 1e-9);
    ck_assert_double_eq_tol(e[2].value, e[3].value * e[4].value, 1e-9);
}
END_TEST

START_TEST(causes_are_those_of_the_diagnosis_the_verdicts_first)
{
    const struct mpl_diagnosis *d = mpl_analysis_diagnosis(analysis);
    size_t n = 0;
    size_t n_shown = 0;

    for (size_t i = 0; i < d->n_findings; i++) {
        n += mpl_diagnosed_is_cause(&d->findings[i]);
    }
    for (const struct mpl_diagnosed *cause; (cause = mpl_report_cause(d, n_shown)) != NULL;
         n_shown++) {
        struct mpl_cause_words words;

        mpl_report_cause_words(d, cause, arena, &words);
        ck_assert(mpl_diagnosed_is_cause(cause));
        ck_assert_str_ne(words.cost, "");
        ck_assert_str_ne(words.gain, "");
    }
    ck_assert_uint_gt(n_shown, 1);
    ck_assert_uint_le(n_shown, n);
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------------- */

typedef enum mpl_status (*text_report)(const struct mpl_diagnosis *diagnosis,
                                       const struct mpl_report_options *options, FILE *out,
                                       struct mpl_err *err);

static const struct {
    const char *name;
    text_report report;
} texts[] = { { "screen", mpl_report_screen },
              { "brief", mpl_report_brief },
              { "text", mpl_report_text },
              { "check", mpl_report_check_text } };

static enum mpl_status write_text(void *context, FILE *out, struct mpl_err *err)
{
    const struct mpl_report_options options = { .is_verbose = true };
    const text_report *report = context;

    return (*report)(mpl_analysis_diagnosis(analysis), &options, out, err);
}

START_TEST(texts_are_whole_or_an_error)
{
    text_report report = texts[_i].report;

    check_whole_or_error(write_text, &report, texts[_i].name);
}
END_TEST

static enum mpl_status write_json(void *context, FILE *out, struct mpl_err *err)
{
    (void) context;
    return mpl_report_json(mpl_analysis_diagnosis(analysis), NULL, out, err);
}

static enum mpl_status write_check_json(void *context, FILE *out, struct mpl_err *err)
{
    (void) context;
    return mpl_report_check_json(mpl_analysis_diagnosis(analysis), out, err);
}

START_TEST(documents_are_whole_or_an_error)
{
    check_whole_or_error(write_json, NULL, "diagnosis");
    check_whole_or_error(write_check_json, NULL, "check");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report");
    TCase *words = add_case(suite, "words", create_arena, destroy_arena);
    TCase *reports = add_case(suite, "reports", diagnose, forget);

    tcase_add_loop_test(words, metrics_are_shown_in_their_units, 0,
                        sizeof values / sizeof *values);
    tcase_add_loop_test(words, labels_in_a_row_become_a_range, 0,
                        sizeof lists / sizeof *lists);
    tcase_set_timeout(reports, 120);
    tcase_add_test(reports, an_efficiency_is_the_product_of_its_factors);
    tcase_add_test(reports, causes_are_those_of_the_diagnosis_the_verdicts_first);
    tcase_add_loop_test(reports, texts_are_whole_or_an_error, 0,
                        sizeof texts / sizeof *texts);
    tcase_add_test(reports, documents_are_whole_or_an_error);
    return run_suite(suite);
}
