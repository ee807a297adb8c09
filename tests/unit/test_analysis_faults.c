/* Memory that runs out while clocks are weighed or a question is answered: an error is returned. */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "analysis_fixture.h"
#include "report/report.h"

enum { MOST = 100000 };

START_TEST(weighing_survives_failing_allocations)
{
    const struct program program = late_sender(50, arena);
    const int64_t bound_us[] = { 0, 50 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    enum mpl_status st = MPL_E_NOMEM;
    long n = 0;

    (void) set_bounds(a, bound_us);
    for (; fails_without_memory(n, st); n++) {
        mpl_alloc_fail_after(n);
        st = weigh_clocks(a, NULL);
        mpl_alloc_fail_after(-1);
    }
    ck_assert_int_gt(failures_without_memory(), 2);
    ck_assert(find_finding(a, "waiting")->is_clock_sensitive);
    mpl_analysis_destroy(a);
}
END_TEST

/* Who does not want the story may leave it out, whatever goes wrong. */
START_TEST(a_what_if_that_fails_needs_nobody_to_tell)
{
    const struct program program = late_sender(50, arena);
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    const struct mpl_what_if *questions[1] = { NULL };
    enum mpl_status st = MPL_E_NOMEM;

    ck_assert_int_eq(mpl_what_if_parse("compute(9)*2", arena, &questions[0], NULL), MPL_OK);
    a->questions = questions;
    a->n_questions = 1;
    long n = 0;

    for (; st == MPL_E_NOMEM; n++) {
        ck_assert_int_lt(n, MOST);
        mpl_alloc_fail_after(n);
        st = mpl_what_if_answer(a, NULL);
        mpl_alloc_fail_after(-1);
    }
    ck_assert_int_eq(st, MPL_E_USAGE);
    ck_assert_int_gt(n, 1);
    mpl_analysis_destroy(a);
}
END_TEST

/* One by one, so that the allocation that is refused is the same each time. */
START_TEST(short_memory_while_remedies_are_tried_is_an_error_with_a_reason)
{
    const struct program program = late_sender(50, arena);
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    enum mpl_status st = MPL_E_NOMEM;
    long n = 0;

    ck_assert_int_eq(setenv("MARPLE_THREADS", "1", 1), 0);
    for (; fails_without_memory(n, st); n++) {
        struct mpl_err err = { 0 };

        mpl_alloc_fail_after(n);
        st = mpl_what_if_answer(a, &err);
        mpl_alloc_fail_after(-1);
        ck_assert(st == MPL_OK || err.n > 0);
    }
    ck_assert_int_gt(failures_without_memory(), 10);
    mpl_analysis_destroy(a);
}
END_TEST

/* A diagnosis, as JSON if that is wanted, with allocation n failing; the bytes are freed by the caller. */
struct short_run {
    enum mpl_status status;
    struct mpl_err err;
    char *bytes;
    size_t n;
    long n_left; /* As mpl_alloc_fail_after() has it. */
};

static struct short_run run_short(long n, bool is_written)
{
    const char *top = getenv("top_srcdir");
    const char *knowledge[] = { top != NULL ? top : "." };
    const struct mpl_analysis_options options = { .knowledge = knowledge,
                                                  .n_knowledge = 1 };
    const char *path =
        mpl_arena_printf(arena, "%s/examples/traces/oddeven.trace", knowledge[0]);
    struct mpl_analysis *a = NULL;
    struct short_run run = { .status = MPL_OK };
    FILE *out = open_memstream(&run.bytes, &run.n);

    ck_assert_ptr_nonnull(path);
    ck_assert_ptr_nonnull(out);
    mpl_alloc_fail_after(n);
    run.status = mpl_analysis_run(&path, 1, &options, &a, &run.err);
    if (run.status == MPL_OK && is_written) {
        run.status = mpl_report_json(mpl_analysis_diagnosis(a), NULL, out, &run.err);
    }
    run.n_left = mpl_alloc_fail_after(-1);
    mpl_analysis_destroy(a);
    ck_assert_int_eq(fclose(out), 0);
    return run;
}

static const long enough = 1L << 30;

/* Most allocations are those of knowledge, which is loaded by tests of its own. One by one, as above. */
START_TEST(diagnosis_with_short_memory_is_whole_or_an_error)
{
    enum { SHARE = 20, STRIDE = 83 };

    ck_assert_int_eq(setenv("MARPLE_THREADS", "1", 1), 0);

    const struct short_run whole = run_short(enough, true);
    const long n_all = enough - whole.n_left;
    long failures = 0;

    ck_assert_int_eq(whole.status, MPL_OK);
    for (long n = n_all - n_all / SHARE; n < n_all; n += STRIDE) {
        const struct short_run run = run_short(n, true);

        if (run.status == MPL_OK) {
            ck_assert_msg(run.n == whole.n && memcmp(run.bytes, whole.bytes, run.n) == 0,
                          "allocation %ld of %ld: it lacks something, and nothing says so",
                          n, n_all);
        } else {
            ck_assert_int_eq(run.status, MPL_E_NOMEM);
            failures++;
        }
        free(run.bytes);
    }
    ck_assert_int_gt(failures, n_all / SHARE / STRIDE / 2);
    free(whole.bytes);
}
END_TEST

/* The last allocations that must not fail are behind reading. */
START_TEST(short_memory_behind_reading_says_what_was_to_be_diagnosed)
{
    struct short_run run = run_short(enough, false);

    for (long n = enough - run.n_left; run.status == MPL_OK; n -= n / 8) {
        free(run.bytes);
        run = run_short(n, false);
    }
    ck_assert_int_eq(run.err.code, MPL_E_NOMEM);
    ck_assert_ptr_nonnull(strstr(run.err.cause[run.err.n - 1].text, "cannot diagnose \""));
    ck_assert_ptr_nonnull(strstr(run.err.cause[run.err.n - 1].text, "oddeven.trace"));
    free(run.bytes);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analysis-faults");
    TCase *tcase = add_case(suite, "faults", create_arena, destroy_arena);

    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, weighing_survives_failing_allocations);
    tcase_add_test(tcase, a_what_if_that_fails_needs_nobody_to_tell);
    tcase_add_test(tcase, short_memory_while_remedies_are_tried_is_an_error_with_a_reason);
    tcase_add_test(tcase, diagnosis_with_short_memory_is_whole_or_an_error);
    tcase_add_test(tcase, short_memory_behind_reading_says_what_was_to_be_diagnosed);
    return run_suite(suite);
}
