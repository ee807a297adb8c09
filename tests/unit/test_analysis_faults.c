/*
 * Memory that runs out while the clocks are weighed: an error is told, and the times of the model,
 * which are shifted meanwhile, are what they were.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "analysis_fixture.h"

/* Each allocation of the preparation fails, of the many of a diagnosis every 53rd. */
enum { EACH = 120, STRIDE = 53, MOST = 100000 };

START_TEST(weighing_survives_failing_allocations_and_restores_all_times)
{
    struct mpl_arena *arena = mpl_arena_create();
    const struct program program = late_sender(50, arena);
    const int64_t bound_us[] = { 0, 50 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    int64_t *times = copy_times(a->runs[0].model, arena);
    long failures = 0;
    long n = 0;
    enum mpl_status st = MPL_E_NOMEM;

    (void) set_bounds(a, bound_us, NULL);
    while (st != MPL_OK) {
        struct mpl_err err = { 0 };

        ck_assert_int_lt(n, MOST);
        mpl_alloc_fail_after(n);
        st = mpl_clocks_weigh(a, &err);
        mpl_alloc_fail_after(-1);
        ck_assert_msg(st == MPL_OK || st == MPL_E_NOMEM, "allocation %ld: %s", n,
                      err.cause[0].text);
        ck_assert_msg(are_times(a->runs[0].model, times), "allocation %ld", n);
        failures += st == MPL_E_NOMEM;
        n += n < EACH ? 1 : STRIDE;
    }
    ck_assert_int_gt(failures, EACH);
    ck_assert(find_finding(a, "waiting")->is_clock_sensitive);
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
    tcase_add_test(tcase, weighing_survives_failing_allocations_and_restores_all_times);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
