/* Questions about who was first without memory: an error, nothing leaked, and the answer once there is
 * enough. What the answers are, tests/cli/order.case and tests/system/order.py say. */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "query/query.h"

#include "../lib/arena.h"
#include "../lib/suite.h"

static enum mpl_status ask(const struct mpl_diagnosis *diagnosis, struct mpl_between *x)
{
    struct mpl_query *q = NULL;
    struct mpl_spot a;
    struct mpl_spot b;
    struct mpl_cut cut;
    struct mpl_races races;
    struct mpl_stamp_size size;
    struct mpl_origins origins;
    enum mpl_status st = mpl_query_create(diagnosis, &q, NULL);

    st = st == MPL_OK ? mpl_query_find(q, "1:MPI_Send[1]", &a, NULL) : st;
    st = st == MPL_OK ? mpl_query_find(q, "2#9", &b, NULL) : st;
    st = st == MPL_OK ? mpl_query_between(q, &a, &b, x, NULL) : st;
    st = st == MPL_OK ? mpl_query_cut(q, &b, false, &cut, NULL) : st;
    st = st == MPL_OK ? mpl_query_races(q, &races, NULL) : st;
    st = st == MPL_OK ? mpl_query_size(q, MPL_STAMP_SELF, 2, &size, NULL) : st;
    st = st == MPL_OK ? mpl_query_origins(q, NULL, &origins, NULL) : st;
    mpl_query_destroy(q);
    return st;
}

START_TEST(questions_without_memory_fail_cleanly)
{
    struct mpl_analysis *analysis = NULL;
    struct mpl_between x = { .answer = MPL_PRECEDENCE_SAME };
    enum mpl_status st = MPL_E_NOMEM;

    ck_assert_int_eq(mpl_analysis_check(in_tree("tests/traces/slow-master.trace"), NULL,
                                        &analysis, NULL),
                     MPL_OK);
    for (long n = 0; fails_without_memory(n, st); n++) {
        mpl_alloc_fail_after(n);
        st = ask(mpl_analysis_diagnosis(analysis), &x);
        mpl_alloc_fail_after(-1);
    }
    ck_assert_int_ne(x.answer, MPL_PRECEDENCE_SAME);
    mpl_analysis_destroy(analysis);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("query");
    TCase *c = add_case(suite, "query", create_arena, destroy_arena);

    tcase_add_test(c, questions_without_memory_fail_cleanly);
    return run_suite(suite);
}
