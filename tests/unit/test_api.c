#include <marple/marple.h>

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/suite.h"

static struct mpl_err *err;
static struct mpl_traces *traces;
static struct mpl_options *options;

static const char *in_source(const char *path)
{
    static char text[4096];
    const char *top = getenv("top_srcdir");

    snprintf(text, sizeof text, "%s/%s", top != NULL ? top : ".", path);
    return text;
}

static void begin(void)
{
    err = mpl_err_create();
    traces = mpl_traces_create();
    options = mpl_options_create();
    ck_assert_ptr_nonnull(err);
    ck_assert_ptr_nonnull(traces);
    ck_assert_ptr_nonnull(options);
    ck_assert_int_eq(mpl_options_set_stock(options, in_source("."), err), MPL_OK);
}

static void end(void)
{
    mpl_options_destroy(options);
    mpl_traces_destroy(traces);
    mpl_err_destroy(err);
}

/* What mpl_err_print() writes. Valid until the next call. */
static const char *told(void)
{
    static char text[4096];
    FILE *file = tmpfile();

    mpl_err_print(err, file);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static struct mpl_analysis *diagnose(const char *trace)
{
    struct mpl_analysis *analysis = NULL;

    ck_assert_int_eq(mpl_traces_add(traces, in_source(trace), err), MPL_OK);
    ck_assert_msg(mpl_diagnose(traces, options, &analysis, err) == MPL_OK, "%s", told());
    return analysis;
}

START_TEST(a_slow_master_is_found_and_can_be_walked)
{
    struct mpl_analysis *a = diagnose("examples/traces/mw-slow-master");
    bool is_found = false;

    ck_assert_str_eq(mpl_analysis_verdict(a), "problems");
    ck_assert_uint_gt(strlen(mpl_analysis_summary(a)), 10);
    ck_assert_double_gt(mpl_analysis_lost_s(a), 0);
    ck_assert_double_le(mpl_analysis_explained_s(a), mpl_analysis_lost_s(a) * 1.001);
    for (size_t i = 0; i < mpl_finding_count(a); i++) {
        ck_assert_int_eq(mpl_finding_id(a, i)[0], 'f');
        ck_assert_uint_gt(strlen(mpl_finding_text(a, i)), 0);
        ck_assert_double_ge(mpl_finding_confidence(a, i), 0);
        ck_assert_double_le(mpl_finding_confidence(a, i), 1);
        for (size_t k = 0; k < mpl_finding_location_count(a, i); k++) {
            ck_assert_uint_gt(strlen(mpl_finding_location(a, i, k)), 0);
        }
        for (size_t k = 0; k < mpl_finding_evidence_count(a, i); k++) {
            double value = NAN;
            ck_assert_ptr_nonnull(mpl_finding_evidence(a, i, k, NULL, &value, NULL));
        }
        is_found = is_found || (strcmp(mpl_finding_name(a, i), "master-bottleneck") == 0 &&
                                strcmp(mpl_finding_kind(a, i), "cause") == 0);
    }
    ck_assert(is_found);
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(a_diagnosis_is_printed_as_a_page_and_a_plan_is_not)
{
    struct mpl_analysis *a = diagnose("examples/traces/mw-slow-master");
    FILE *file = tmpfile();
    char text[64] = "";

    ck_assert_int_eq(mpl_analysis_print(a, MPL_PRINT_HTML, NULL, file, err), MPL_OK);
    rewind(file);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
    ck_assert_str_eq(text, "<!DOCTYPE html>\n");
    ck_assert_int_eq(mpl_plan_print(a, NULL, NULL, MPL_PRINT_HTML, NULL, file, err),
                     MPL_E_USAGE);
    ck_assert_int_eq(fclose(file), 0);
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(both_forms_are_printed)
{
    struct mpl_analysis *a = diagnose("examples/traces/mw-slow-master");
    struct mpl_looks *looks = mpl_looks_create();
    FILE *file = tmpfile();
    char text[64] = "";

    mpl_looks_set_width(looks, 60);
    ck_assert_int_eq(mpl_analysis_print(a, MPL_PRINT_TEXT, looks, file, err), MPL_OK);
    ck_assert_int_gt(ftell(file), 200);
    rewind(file);
    ck_assert_int_eq(mpl_analysis_print(a, MPL_PRINT_JSON, NULL, file, err), MPL_OK);
    rewind(file);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
    ck_assert_str_eq(text, "{\n");
    ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
    ck_assert_str_eq(text, "  \"schema\": \"marple-diagnosis/1\",\n");
    fclose(file);
    mpl_looks_destroy(looks);
    mpl_analysis_destroy(a);
}
END_TEST

/* What a plan says; valid until the next call. */
static const char *planned(const struct mpl_analysis *a, const char *tracer,
                           enum mpl_print format)
{
    static char text[1 << 14];
    struct mpl_looks *looks = mpl_looks_create();
    FILE *file = tmpfile();

    mpl_looks_set_width(looks, 1000);
    ck_assert_msg(mpl_plan_print(a, options, tracer, format, looks, file, err) == MPL_OK,
                  "%s", told());
    mpl_looks_destroy(looks);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

START_TEST(a_plan_is_printed_in_both_forms)
{
    struct mpl_analysis *a = diagnose("examples/traces/mw-slow-master");

    ck_assert_ptr_nonnull(
        strstr(planned(a, NULL, MPL_PRINT_TEXT),
               "The leading cause, master-bottleneck (f1), is put to the test by e1"));
    ck_assert_ptr_eq(
        planned(a, NULL, MPL_PRINT_JSON),
        strstr(planned(a, NULL, MPL_PRINT_JSON), "{\n  \"schema\": \"marple-plan/1\",\n"));
    ck_assert_ptr_nonnull(strstr(planned(a, "scorep", MPL_PRINT_JSON),
                                 "\"SCOREP_ENABLE_TRACING\": \"true\""));
    ck_assert_ptr_null(strstr(planned(a, "scorep", MPL_PRINT_JSON), "EZTRACE_TRACE_DIR"));
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(a_tracer_that_nobody_knows_is_an_error_of_usage)
{
    struct mpl_analysis *a = diagnose("examples/traces/mw-slow-master");

    ck_assert_int_eq(mpl_plan_print(a, options, "scorp", MPL_PRINT_JSON, NULL, stdout, err),
                     MPL_E_USAGE);
    ck_assert_ptr_nonnull(strstr(told(), "did you mean \"scorep\"?"));
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(of_what_cannot_be_used_nothing_is_planned)
{
    struct mpl_analysis *a = diagnose("LICENSE");

    ck_assert_int_eq(mpl_plan_print(a, options, NULL, MPL_PRINT_JSON, NULL, stdout, err),
                     MPL_E_MEANING);
    ck_assert_ptr_nonnull(strstr(told(), "nothing can be planned"));
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(a_trace_that_is_not_there_is_refused_at_once)
{
    ck_assert_int_eq(mpl_traces_add(traces, "no/such/trace.otf2", err), MPL_E_IO);
    ck_assert_str_eq(
        told(), "marple: cannot read \"no/such/trace.otf2\": No such file or directory\n");
}
END_TEST

START_TEST(a_file_that_is_no_trace_makes_the_answer_unusable)
{
    struct mpl_analysis *a = diagnose("LICENSE");

    ck_assert_str_eq(mpl_analysis_verdict(a), "unusable");
    ck_assert_uint_eq(mpl_finding_count(a), 0);
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(what_does_not_exist_is_an_error_of_usage)
{
    struct mpl_analysis *a = NULL;

    ck_assert_int_eq(
        mpl_traces_add(traces, in_source("examples/traces/mw-slow-master"), err), MPL_OK);
    ck_assert_int_eq(mpl_options_set_pattern(options, "master-wroker", err), MPL_OK);
    ck_assert_int_eq(mpl_diagnose(traces, options, &a, err), MPL_E_USAGE);
    ck_assert_ptr_null(a);
    ck_assert_ptr_nonnull(strstr(told(), "master-worker"));
}
END_TEST

START_TEST(knowledge_that_is_not_there_is_an_error)
{
    struct mpl_analysis *a = NULL;

    ck_assert_int_eq(
        mpl_traces_add(traces, in_source("examples/traces/mw-slow-master"), err), MPL_OK);
    ck_assert_int_eq(mpl_options_set_stock(options, "/nonexistent", err), MPL_OK);
    ck_assert_int_lt(mpl_diagnose(traces, options, &a, err), 0);
    ck_assert_ptr_null(a);
    ck_assert_ptr_nonnull(strstr(told(), "/nonexistent"));
}
END_TEST

START_TEST(objects_that_were_not_created_are_short_of_memory)
{
    struct mpl_analysis *a = NULL;

    ck_assert_int_eq(mpl_traces_add(NULL, ".", err), MPL_E_NOMEM);
    ck_assert_int_eq(mpl_options_set_pattern(NULL, "x", NULL), MPL_E_NOMEM);
    ck_assert_int_eq(mpl_options_set_clock(NULL, "none", NULL), MPL_E_NOMEM);
    ck_assert_int_eq(mpl_diagnose(NULL, NULL, &a, NULL), MPL_E_NOMEM);
    mpl_traces_destroy(NULL);
    mpl_options_destroy(NULL);
    mpl_looks_destroy(NULL);
    mpl_analysis_destroy(NULL);
    mpl_err_destroy(NULL);
}
END_TEST

static void count_call(void *context, const char *what, uint64_t done, uint64_t total)
{
    (void) done;
    (void) total;
    ck_assert_uint_gt(strlen(what), 0);
    ++*(unsigned *) context;
}

/* What mpl_precedes() answers, or why not. */
static const char *precedes(struct mpl_order *order, const char *a, const char *b)
{
    const char *answer = NULL;
    const char *why = "";

    if (mpl_precedes(order, a, b, &answer, &why, err) != MPL_OK) {
        return told();
    }
    ck_assert_ptr_null(why);
    return answer;
}

START_TEST(who_was_first_can_be_asked)
{
    struct mpl_order *order = NULL;

    ck_assert_int_eq(
        mpl_order_open(in_source("examples/traces/mw-slow-master"), NULL, &order, err),
        MPL_OK);
    ck_assert_str_eq(precedes(order, "1:MPI_Send[1]", "0:MPI_Recv[3]"), "before");
    ck_assert_str_eq(precedes(order, "0:MPI_Recv[3]", "1:MPI_Send[1]"), "after");
    ck_assert_str_eq(precedes(order, "1#5", "1#5"), "same");
    ck_assert_str_eq(precedes(order, "1:MPI_Send[1]", "2:MPI_Send[1]"), "concurrent");
    ck_assert_ptr_nonnull(strstr(precedes(order, "9#1", "1#1"), "no location \"9\""));
    ck_assert_ptr_nonnull(
        strstr(precedes(order, "1#1", "1:MPI_Sned[1]"), "did you mean 1:MPI_Send[1]?"));
    ck_assert_ptr_nonnull(strstr(precedes(order, "f1", "1#1"), "is a finding"));
    ck_assert_ptr_nonnull(strstr(precedes(order, "", "1#1"), "is no address"));
    ck_assert_int_eq(mpl_precedes(NULL, "1#1", "1#1", NULL, NULL, err), MPL_E_NOMEM);
    mpl_order_close(order);
    mpl_order_close(NULL);
}
END_TEST

START_TEST(what_is_no_trace_cannot_be_asked)
{
    struct mpl_order *order = NULL;

    ck_assert_int_eq(
        mpl_order_open(in_source("tests/traces/typo.trace"), options, &order, err),
        MPL_E_MEANING);
    ck_assert_int_eq(mpl_order_open(in_source("no/such"), NULL, &order, err),
                     MPL_E_MEANING);
    ck_assert_ptr_null(order);
}
END_TEST

/* ---- differences ------------------------------------------------------------------------- */

static struct mpl_traces *one_trace(const char *path)
{
    struct mpl_traces *one = mpl_traces_create();
    const bool is_source = strchr(path, '/') != NULL;

    ck_assert_int_eq(mpl_traces_add(one, is_source ? in_source(path) : path, err), MPL_OK);
    return one;
}

static struct mpl_differences *differences(const char *base, const char *new_run)
{
    struct mpl_traces *sides[] = { one_trace(base), one_trace(new_run) };
    struct mpl_differences *out = NULL;

    ck_assert_int_eq(mpl_diff(sides[0], sides[1], NULL, &out, err), MPL_OK);
    mpl_traces_destroy(sides[0]);
    mpl_traces_destroy(sides[1]);
    return out;
}

static void is_swapped(const struct mpl_differences *d)
{
    uint32_t iteration = 0;

    ck_assert_str_eq(mpl_differences_verdict(d), "DIFFERENT");
    ck_assert_ptr_null(mpl_differences_reason(d));
    ck_assert_uint_eq(mpl_suspect_count(d), 1);
    ck_assert_str_eq(mpl_suspect_location(d, 0), "5");
    ck_assert(mpl_suspect_iteration(d, 0, &iteration));
    ck_assert_uint_eq(iteration, 7);
}

START_TEST(two_runs_can_be_compared_also_with_a_baseline)
{
    static const char baseline[] = "test_api.baseline";
    FILE *out = fopen(baseline, "w");
    struct mpl_differences *d =
        differences("examples/traces/oddeven.trace", "examples/traces/oddeven-swap.trace");

    is_swapped(d);
    ck_assert_int_eq(
        mpl_baseline_write(in_source("examples/traces/oddeven.trace"), NULL, out, err),
        MPL_OK);
    ck_assert_int_eq(fclose(out), 0);
    mpl_differences_destroy(d);
    d = differences(baseline, "examples/traces/oddeven-swap.trace");
    (void) remove(baseline);
    is_swapped(d);
    mpl_differences_destroy(d);
    mpl_differences_destroy(NULL);
}
END_TEST

START_TEST(differences_are_printed)
{
    struct mpl_differences *d =
        differences("examples/traces/oddeven.trace", "examples/traces/oddeven.trace");
    char text[4096] = "";
    FILE *out = tmpfile();

    ck_assert_int_eq(mpl_differences_print(d, MPL_PRINT_TEXT, NULL, out, err), MPL_OK);
    ck_assert_int_eq(mpl_differences_print(d, MPL_PRINT_JSON, NULL, out, err), MPL_OK);
    ck_assert_int_eq(mpl_differences_print(d, MPL_PRINT_HTML, NULL, out, err), MPL_OK);
    rewind(out);
    ck_assert_uint_gt(fread(text, 1, sizeof text - 1, out), 0);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_int_eq(strncmp(text, "SAME ", 5), 0);
    ck_assert_ptr_nonnull(strstr(text, "\"schema\": \"marple-diff/1\""));
    mpl_differences_destroy(d);
}
END_TEST

START_TEST(what_cannot_be_compared_is_a_verdict)
{
    struct mpl_differences *d =
        differences("examples/traces/oddeven.trace", "tests/traces/typo.trace");
    struct mpl_traces *none = mpl_traces_create();
    struct mpl_differences *no_answer = NULL;

    ck_assert_str_eq(mpl_differences_verdict(d), "NOT COMPARABLE");
    ck_assert_ptr_nonnull(strstr(mpl_differences_reason(d), "the new run"));
    mpl_differences_destroy(d);
    ck_assert_int_eq(mpl_diff(none, none, NULL, &no_answer, err), MPL_E_USAGE);
    ck_assert_int_eq(mpl_diff(NULL, none, NULL, &no_answer, err), MPL_E_NOMEM);
    ck_assert_int_eq(
        mpl_baseline_write(in_source("tests/traces/typo.trace"), NULL, stdout, err),
        MPL_E_MEANING);
    mpl_traces_destroy(none);
}
END_TEST

START_TEST(progress_is_told)
{
    unsigned calls = 0;

    mpl_options_set_progress(options, count_call, &calls);
    mpl_analysis_destroy(diagnose("examples/traces/mw-slow-master"));
    ck_assert_uint_gt(calls, 0);
}
END_TEST

START_TEST(a_role_can_be_bound_by_hand)
{
    static const char *const master[] = { "0" };

    ck_assert_int_eq(mpl_options_bind_role(options, "master", master, 1, err), MPL_OK);
    struct mpl_analysis *a = diagnose("examples/traces/mw-slow-master");
    ck_assert_str_eq(mpl_analysis_verdict(a), "problems");
    mpl_analysis_destroy(a);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("api");
    TCase *c = add_case(s, "api", begin, end);

    tcase_add_test(c, a_slow_master_is_found_and_can_be_walked);
    tcase_add_test(c, both_forms_are_printed);
    tcase_add_test(c, a_diagnosis_is_printed_as_a_page_and_a_plan_is_not);
    tcase_add_test(c, a_plan_is_printed_in_both_forms);
    tcase_add_test(c, a_tracer_that_nobody_knows_is_an_error_of_usage);
    tcase_add_test(c, of_what_cannot_be_used_nothing_is_planned);
    tcase_add_test(c, a_trace_that_is_not_there_is_refused_at_once);
    tcase_add_test(c, a_file_that_is_no_trace_makes_the_answer_unusable);
    tcase_add_test(c, what_does_not_exist_is_an_error_of_usage);
    tcase_add_test(c, knowledge_that_is_not_there_is_an_error);
    tcase_add_test(c, objects_that_were_not_created_are_short_of_memory);
    tcase_add_test(c, who_was_first_can_be_asked);
    tcase_add_test(c, what_is_no_trace_cannot_be_asked);
    tcase_add_test(c, two_runs_can_be_compared_also_with_a_baseline);
    tcase_add_test(c, differences_are_printed);
    tcase_add_test(c, what_cannot_be_compared_is_a_verdict);
    tcase_add_test(c, progress_is_told);
    tcase_add_test(c, a_role_can_be_bound_by_hand);
    tcase_set_timeout(c, 60);
    return run_suite(s);
}
