/* Where and in which iterations a location computes longer: against data whose change is known, and faults in real runs whose
 * programs say where they are. */
#include "config.h"
#include "diff_fixture.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "../lib/suite.h"
#include "../lib/traces.h"
#include "diff/diff.h"
#include "diff/when_priv.h"

enum { MOST_STEPS = 400, N_WORLDS = 1000 };

static uint64_t state;

static double uniform(void)
{
    return ((double) (mpl_hash_mix(state++) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller. */
static double normal(void)
{
    const double radius = sqrt(-2 * log(uniform()));

    return radius * cos(6.283185307179586 * uniform());
}

static struct mpl_when find(const double *values, uint32_t n)
{
    struct mpl_when when;

    ck_assert_int_eq(mpl_when_find(values, n, &when, NULL), MPL_OK);
    return when;
}

/* ---- which steps --------------------------------------------------------------------------------- */

START_TEST(a_change_is_found_at_its_step)
{
    double values[160];

    for (int first = 3; first <= 157; first++) {
        for (int i = 0; i < 160; i++) {
            values[i] = 0.01 * (i % 7 - 3) + (i >= first ? 20 : 0);
        }

        const struct mpl_when when = find(values, 160);

        ck_assert_int_eq(when.kind, MPL_WHEN_FROM);
        ck_assert_uint_eq(when.first, first);
        ck_assert_uint_eq(when.low, first);
        ck_assert_uint_eq(when.high, first);
        ck_assert_uint_eq(when.n, 160 - first);
        ck_assert_double_eq_tol(when.each_s, 20, 0.03);
    }
}
END_TEST

START_TEST(what_ends_and_is_less_is_found_likewise)
{
    double values[50];

    for (int i = 0; i < 50; i++) {
        values[i] = 0.01 * (i % 7 - 3) - (i < 30 ? 5 : 0);
    }

    const struct mpl_when when = find(values, 50);

    ck_assert_int_eq(when.kind, MPL_WHEN_UNTIL);
    ck_assert_uint_eq(when.first, 30);
    ck_assert_uint_eq(when.n, 30);
    ck_assert_double_eq_tol(when.each_s, -5, 0.03);
}
END_TEST

START_TEST(single_steps_are_no_change)
{
    double values[100];

    for (int at = 0; at < 100; at++) {
        for (int i = 0; i < 100; i++) {
            values[i] = 0.001 * (i % 7 - 3) + (i == at ? 9 : 0);
        }

        const struct mpl_when when = find(values, 100);

        ck_assert_int_eq(when.kind, MPL_WHEN_SOME);
        ck_assert_uint_eq(when.first, at);
        ck_assert_uint_eq(when.n, 1);
    }
    /* Each tenth step from 4 on. */
    for (int i = 0; i < 100; i++) {
        values[i] = i % 10 == 4 ? 1 : 0;
    }

    const struct mpl_when when = find(values, 100);

    ck_assert_int_eq(when.kind, MPL_WHEN_SOME);
    ck_assert_uint_eq(when.first, 4);
    ck_assert_uint_eq(when.n, 9); /* nine tenths of it */
}
END_TEST

START_TEST(equal_steps_are_all_and_few_are_not_judged)
{
    double values[40];

    for (int i = 0; i < 40; i++) {
        values[i] = 2 + 0.1 * (i % 5);
    }
    ck_assert_int_eq(find(values, 40).kind, MPL_WHEN_ALL);
    ck_assert_uint_eq(find(values, 40).n, 40);
    ck_assert_int_eq(find(values, 7).kind, MPL_WHEN_UNEVEN);
    ck_assert_int_eq(find(values, 0).kind, MPL_WHEN_UNEVEN);
    /* Half as much before: not from a step on. */
    for (int i = 0; i < 40; i++) {
        values[i] = i < 20 ? 1 : 2;
    }
    ck_assert_int_eq(find(values, 40).kind, MPL_WHEN_ALL);
}
END_TEST

START_TEST(a_burst_at_the_beginning_is_not_until_when_the_rest_is_more)
{
    double values[400];

    for (int i = 0; i < 400; i++) {
        values[i] = i < 4 ? 20 : 1 + 0.01 * (i % 7 - 3);
    }
    ck_assert_int_eq(find(values, 400).kind, MPL_WHEN_ALL);
}
END_TEST

/* Noise of one, a change of \p shift at a random step. */
static struct mpl_when world(double shift, uint32_t *first, double *values, uint32_t *n)
{
    *n = 40 + (uint32_t) (uniform() * (MOST_STEPS - 40));
    *first = (uint32_t) ((0.1 + 0.8 * uniform()) * *n);
    for (uint32_t i = 0; i < *n; i++) {
        values[i] = normal() + (i >= *first ? shift : 0);
    }
    return find(values, *n);
}

START_TEST(the_interval_holds_the_step_in_95_of_100_worlds)
{
    static const double shifts[] = { 1.5, 3, 8 };
    double values[MOST_STEPS];
    uint32_t n_within = 0;
    uint32_t n_found = 0;
    uint32_t first;
    uint32_t n;

    state = (uint64_t) _i << 40;
    for (int k = 0; k < N_WORLDS; k++) {
        const struct mpl_when when = world(shifts[_i], &first, values, &n);

        n_found += when.kind == MPL_WHEN_FROM;
        n_within += when.kind == MPL_WHEN_FROM && first >= when.low && first <= when.high;
    }
    ck_assert_uint_ge(n_found, N_WORLDS * 9 / 10);
    ck_assert_uint_ge(n_within, n_found * 95 / 100);
}
END_TEST

START_TEST(without_a_change_none_is_found)
{
    double values[MOST_STEPS];
    uint32_t n_found = 0;
    uint32_t first;
    uint32_t n;

    state = UINT64_C(7) << 40;
    for (int k = 0; k < N_WORLDS; k++) {
        const struct mpl_when when = world(0, &first, values, &n);

        n_found += when.kind == MPL_WHEN_FROM || when.kind == MPL_WHEN_UNTIL;
    }
    ck_assert_uint_le(n_found, 2 * N_WORLDS / 100);
}
END_TEST

/* ---- real runs ------------------------------------------------------------------------------------- */

static struct mpl_analysis *read_run(const char *name, struct mpl_arena *arena)
{
    const char *path = mpl_arena_printf(arena, "%s/%s", traces_folder(), name);
    struct mpl_analysis *analysis = NULL;

    ck_assert_int_eq(mpl_analysis_check(path, NULL, &analysis, NULL), MPL_OK);
    return analysis;
}

struct truth {
    const char *base;
    const char *new;
    uint32_t location;
    const char *
        before; /* The call of the program before which its fault is; NULL: there are several. */
    enum mpl_when_kind kind;
    uint32_t first;
    uint32_t n;
    double each_s;
};
static const struct truth truths[] = {
    /* 10 ms in each of two phases, from iteration 7 on. */
    { "oddeven-np16", "oddeven-slow5-np16", 5, NULL, MPL_WHEN_FROM, 7, 153, 0.0202 },
    { "oddeven-slow5-np16", "oddeven-np16", 5, NULL, MPL_WHEN_FROM, 7, 153, -0.0202 },
    { "prk-stencil-np16", "prk-stencil-slow6-np16", 6, "MPI_Isend(10)", MPL_WHEN_ALL, 0,
      100, 0.00508 },
    { "lulesh-np8", "lulesh-slow3-np8", 3, "MPI_Allreduce", MPL_WHEN_ALL, 0, 59, 0.0201 },
    { "pipeline-np4", "pipeline-slowM1-np4", 1, "MPI_Ssend(2)", MPL_WHEN_ALL, 0, 41,
      0.215 },
    { "mandel-mw-np8", "mandel-mw-masterslow-np8", 0, "MPI_Send", MPL_WHEN_ALL, 0, 401,
      0.00308 },
};

START_TEST(faults_of_real_runs_are_where_their_programs_have_them)
{
    const struct truth *truth = &truths[_i];
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_analysis *base = read_run(truth->base, arena);
    struct mpl_analysis *new = read_run(truth->new, arena);
    struct mpl_comparison *x = NULL;
    const struct mpl_place_load *loop;
    const struct mpl_place_load *call;

    ck_assert_int_eq(diff_first_runs(mpl_analysis_diagnosis(base),
                                     mpl_analysis_diagnosis(new), &x, NULL),
                     MPL_OK);

    const struct mpl_diff *diff = mpl_diff_get(x);

    ck_assert_uint_ge(diff->n_places, 2);
    loop = &diff->places[0];
    call = &diff->places[1];
    ck_assert_uint_eq(diff->loads[loop->load].location, truth->location);
    ck_assert_int_eq(loop->what, MPL_PLACE_LOOP);
    ck_assert_int_eq(loop->when.kind, truth->kind);
    ck_assert_uint_eq(loop->when.first, truth->first);
    ck_assert_uint_eq(loop->when.n, truth->n);
    ck_assert_double_eq_tol(loop->when.each_s / truth->each_s, 1, 0.01);
    ck_assert(loop->is_significant);
    ck_assert_double_le(loop->low_s, loop->beyond_s);
    ck_assert_double_ge(loop->high_s, loop->beyond_s);
    ck_assert_int_eq(call->what, MPL_PLACE_CALL);
    ck_assert(call->is_significant);
    if (truth->before != NULL) {
        ck_assert_str_eq(mpl_symbol_text(diff->symbols, call->symbol, false, arena),
                         truth->before);
        ck_assert_double_ge(call->beyond_s, 0.95 * loop->beyond_s);
    }
    mpl_diff_destroy(x);
    mpl_analysis_destroy(base);
    mpl_analysis_destroy(new);
    mpl_arena_destroy(arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("diff_where");
    TCase *c = add_case(suite, "diff_where", NULL, NULL);

    tcase_set_timeout(c, 120);
    tcase_add_test(c, a_change_is_found_at_its_step);
    tcase_add_test(c, what_ends_and_is_less_is_found_likewise);
    tcase_add_test(c, single_steps_are_no_change);
    tcase_add_test(c, equal_steps_are_all_and_few_are_not_judged);
    tcase_add_test(c, a_burst_at_the_beginning_is_not_until_when_the_rest_is_more);
    tcase_add_loop_test(c, the_interval_holds_the_step_in_95_of_100_worlds, 0, 3);
    tcase_add_test(c, without_a_change_none_is_found);
    if (traces_are_there("faults of real runs")) {
        tcase_add_loop_test(c, faults_of_real_runs_are_where_their_programs_have_them, 0,
                            sizeof truths / sizeof *truths);
    }
    return run_suite(suite);
}
