#include "config.h"

#include "suite.h"

#include <stdlib.h>

TCase *add_case(Suite *suite, const char *name, SFun set_up, SFun tear_down)
{
    TCase *tcase = tcase_create(name);

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    suite_add_tcase(suite, tcase);
    return tcase;
}

static int run(Suite *suite, enum fork_status fork_status)
{
    SRunner *runner = srunner_create(suite);

    srunner_set_fork_status(runner, fork_status);
    srunner_run_all(runner, CK_ENV);
    const int n_failed = srunner_ntests_failed(runner);

    srunner_free(runner);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int run_suite(Suite *suite)
{
    return run(suite, CK_FORK_GETENV);
}

int run_suite_without_fork(Suite *suite)
{
    return run(suite, CK_NOFORK);
}
