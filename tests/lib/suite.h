/* What every Check program does with its suite. */
#ifndef MPL_TESTS_LIB_SUITE_H
#define MPL_TESTS_LIB_SUITE_H

#include <check.h>

/** A new case of \p suite, with fixtures that run around each test; NULL where there is nothing to do. */
TCase *add_case(Suite *suite, const char *name, SFun set_up, SFun tear_down);

/** Runs all tests and frees the suite; what main() returns. */
int run_suite(Suite *suite);
/** The same in one process, for tests that count together. */
int run_suite_without_fork(Suite *suite);

#endif
