/* Memory that runs out while clocks are weighed or a question is answered: an error is returned. */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "analysis_fixture.h"

enum { MOST = 100000 };

START_TEST(weighing_survives_failing_allocations)
{
    struct mpl_arena *arena = mpl_arena_create();
    const struct program program = late_sender(50, arena);
    const int64_t bound_us[] = { 0, 50 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    enum mpl_status st = MPL_E_NOMEM;
    long n = 0;

    (void) set_bounds(a, bound_us);
    for (; st == MPL_E_NOMEM; n++) {
        ck_assert_int_lt(n, MOST);
        mpl_alloc_fail_after(n);
        st = mpl_clocks_weigh(a, NULL);
        mpl_alloc_fail_after(-1);
    }
    ck_assert_int_eq(st, MPL_OK);
    ck_assert_int_gt(n, 2);
    ck_assert(find_finding(a, "waiting")->is_clock_sensitive);
    mpl_analysis_destroy(a);
    mpl_arena_destroy(arena);
}
END_TEST

/* Who does not want the story may leave it out, whatever goes wrong. */
START_TEST(a_what_if_that_fails_needs_nobody_to_tell)
{
    struct mpl_arena *arena = mpl_arena_create();
    const struct program program = late_sender(50, arena);
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    const struct mpl_what_if *questions[1] = { NULL };
    enum mpl_status st = MPL_E_NOMEM;

    ck_assert_int_eq(mpl_what_if_parse("compute(9)*2", arena, &questions[0], NULL), MPL_OK);
    a->questions = questions;
    a->n_questions = 1;
    for (long n = 0; st == MPL_E_NOMEM; n++) {
        ck_assert_int_lt(n, MOST);
        mpl_alloc_fail_after(n);
        st = mpl_what_if_answer(a, NULL);
        mpl_alloc_fail_after(-1);
    }
    ck_assert_int_eq(st, MPL_E_USAGE);
    mpl_analysis_destroy(a);
    mpl_arena_destroy(arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analysis-faults");
    TCase *tcase = tcase_create("faults");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, weighing_survives_failing_allocations);
    tcase_add_test(tcase, a_what_if_that_fails_needs_nobody_to_tell);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
