/*
 * What tests of chance say, against tables and against data whose distribution is known: how often they see a difference
 * where there is none, and how often one that is there.
 */
#include "config.h"

#include <check.h>
#include <math.h>

#include "diff/chance_priv.h"

#include "../lib/suite.h"

/* ---- random numbers -------------------------------------------------------------------------- */

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

/* ---- Student ----------------------------------------------------------------------------------- */

/* The tables of every textbook: t, whose p is 5 % and 1 %. */
START_TEST(student_is_as_in_tables)
{
    static const struct {
        double freedom;
        double five;
        double one;
    } rows[] = { { 1, 12.706, 63.657 }, { 2, 4.303, 9.925 },  { 3, 3.182, 5.841 },
                 { 5, 2.571, 4.032 },   { 10, 2.228, 3.169 }, { 30, 2.042, 2.750 },
                 { 120, 1.980, 2.617 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_double_eq_tol(mpl_student_p(rows[i].five, rows[i].freedom), 0.05, 1e-4);
        ck_assert_double_eq_tol(mpl_student_p(-rows[i].one, rows[i].freedom), 0.01, 1e-4);
    }
    ck_assert_double_eq(mpl_student_p(0, 4), 1);
    ck_assert_double_eq(mpl_student_p(INFINITY, 4), 0);
    /* Of one degree of freedom it is Cauchy's distribution: 1 - 2/pi atan(t). */
    ck_assert_double_eq_tol(mpl_student_p(1e6, 1), 2 / M_PI * 1e-6, 1e-12);
}
END_TEST

/* ---- repetitions --------------------------------------------------------------------------------- */

START_TEST(welch_is_as_by_hand)
{
    /* Means 6 and 3, variances 1 and 4 of 3 each: t = 3 / sqrt(5/3), (5/3)^2 / ((1/9 + 16/9) / 2) = 2.941 degrees. */
    static const double x[] = { 5, 6, 7 };
    static const double y[] = { 1, 3, 5 };
    struct mpl_chance chance;

    mpl_chance_of_runs((struct mpl_chance_sample){ 3, x },
                       (struct mpl_chance_sample){ 3, y }, &chance);
    ck_assert_double_eq_tol(chance.mean, 3, 1e-12);
    ck_assert_double_eq_tol(chance.p, mpl_student_p(3 / sqrt(5.0 / 3), 50.0 / 17), 1e-12);
    ck_assert_double_lt(chance.low, 0);
    ck_assert_double_eq_tol(chance.high + chance.low, 6, 1e-9);
}
END_TEST

START_TEST(a_single_run_is_beside_the_spread_of_the_others)
{
    /* Standard deviation 1 of five: t = 10 / sqrt(1 + 1/5), 4 degrees. */
    static const double x[] = { 10 };
    static const double y[] = { -1.2, -0.6, 0, 0.6, 1.2 };
    struct mpl_chance chance;

    mpl_chance_of_runs((struct mpl_chance_sample){ 1, x },
                       (struct mpl_chance_sample){ 5, y }, &chance);
    ck_assert_double_eq_tol(chance.p, mpl_student_p(10 / sqrt(0.9 * 1.2), 4), 1e-12);
}
END_TEST

START_TEST(one_run_each_tells_nothing_about_chance)
{
    static const double x[] = { 10 };
    static const double y[] = { 1 };
    struct mpl_chance chance;

    mpl_chance_of_runs((struct mpl_chance_sample){ 1, x },
                       (struct mpl_chance_sample){ 1, y }, &chance);
    ck_assert_double_eq(chance.mean, 9);
    ck_assert(isnan(chance.p) && isnan(chance.low) && isnan(chance.high));
}
END_TEST

START_TEST(what_never_varies_differs_or_does_not)
{
    static const double x[] = { 2, 2 };
    static const double y[] = { 1, 1, 1 };
    struct mpl_chance chance;

    mpl_chance_of_runs((struct mpl_chance_sample){ 2, x },
                       (struct mpl_chance_sample){ 3, y }, &chance);
    ck_assert_double_eq(chance.p, 0);
    mpl_chance_of_runs((struct mpl_chance_sample){ 2, x },
                       (struct mpl_chance_sample){ 2, x }, &chance);
    ck_assert_double_eq(chance.p, 1);
}
END_TEST

/* ---- blocks ---------------------------------------------------------------------------------------- */

enum { MOST = 32, N_WORLDS = 2000 };

/* Noise as run times have it: seldom long, and blocks of unequal size. */
static double noise(size_t i)
{
    return (1 + (double) (i % 3)) * (exp(normal()) - exp(normal()));
}

/* A difference of \p shift standard deviations or so in each of \p n blocks; how often p is below 5 %. */
static double share_seen(size_t n, size_t n_y, double shift, double *covered)
{
    double x[MOST];
    double y[MOST];
    size_t n_seen = 0;
    size_t n_covered = 0;

    for (int world = 0; world < N_WORLDS; world++) {
        struct mpl_chance chance;

        for (size_t i = 0; i < n; i++) {
            x[i] = shift + noise(n_y == 0 ? i : 0);
        }
        for (size_t i = 0; i < n_y; i++) {
            y[i] = noise(0);
        }
        ck_assert_int_eq(mpl_chance_of_blocks((struct mpl_chance_sample){ n, x },
                                              (struct mpl_chance_sample){ n_y, y }, 199,
                                              (uint64_t) world, &chance, NULL),
                         MPL_OK);
        n_seen += chance.p <= 0.05;
        n_covered += chance.low <= shift && shift <= chance.high;
    }
    *covered = (double) n_covered / N_WORLDS;
    return (double) n_seen / N_WORLDS;
}

/* Binomial: 5 % of 2000 is 100 with a standard deviation of 10. */
static const double most_false = 0.065;
static const double least_false = 0.025;

START_TEST(chance_is_taken_for_a_difference_once_in_twenty)
{
    static const struct {
        size_t n;
        size_t n_y;
    } sizes[] = { { 8, 0 }, { 12, 0 }, { 32, 0 }, { 8, 8 }, { 9, 30 }, { 32, 32 } };
    double covered;

    state = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const double share = share_seen(sizes[i].n, sizes[i].n_y, 0, &covered);

        ck_assert_msg(share < most_false && share > least_false, "%zu and %zu blocks: %g",
                      sizes[i].n, sizes[i].n_y, share);
        /* An interval of 95 % is too short for few blocks. */
        ck_assert_msg(covered > (sizes[i].n < 12 ? 0.83 : 0.88), "%zu and %zu blocks: %g",
                      sizes[i].n, sizes[i].n_y, covered);
    }
}
END_TEST

START_TEST(a_difference_in_all_blocks_is_seen)
{
    double covered;

    state = 2;
    ck_assert_double_gt(share_seen(32, 0, 4, &covered), 0.75);
    ck_assert_double_gt(share_seen(32, 32, 4, &covered), 0.9);
    ck_assert_double_gt(share_seen(8, 0, 20, &covered), 0.9);
}
END_TEST

START_TEST(what_one_block_makes_is_never_more_than_chance)
{
    double x[MOST];
    struct mpl_chance chance;

    state = 3;
    for (size_t i = 0; i < MOST; i++) {
        x[i] = 0.01 * normal();
    }
    x[7] = 1000;
    ck_assert_int_eq(mpl_chance_of_blocks((struct mpl_chance_sample){ MOST, x },
                                          (struct mpl_chance_sample){ 0 }, MPL_RESAMPLES, 0,
                                          &chance, NULL),
                     MPL_OK);
    ck_assert_double_gt(chance.p, 0.3);
}
END_TEST

START_TEST(the_same_seed_gives_the_same_answer)
{
    static const double x[] = { 1, -2, 3, 4, -1, 2, 5, 6, 1 };
    struct mpl_chance chances[3];

    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(mpl_chance_of_blocks((struct mpl_chance_sample){ 9, x },
                                              (struct mpl_chance_sample){ 0 },
                                              MPL_RESAMPLES, i == 2, &chances[i], NULL),
                         MPL_OK);
    }
    ck_assert_double_eq(chances[0].p, chances[1].p);
    ck_assert_double_eq(chances[0].low, chances[1].low);
    ck_assert_double_ne(chances[0].low + chances[0].p, chances[2].low + chances[2].p);
}
END_TEST

START_TEST(few_blocks_tell_nothing)
{
    static const double x[] = { 1, 1, 1, 1, 1, 1, 1 };
    struct mpl_chance chance;

    ck_assert_int_eq(mpl_chance_of_blocks((struct mpl_chance_sample){ 7, x },
                                          (struct mpl_chance_sample){ 0 }, MPL_RESAMPLES, 0,
                                          &chance, NULL),
                     MPL_OK);
    ck_assert_double_eq_tol(chance.mean, 1, 1e-12);
    ck_assert(isnan(chance.p));
}
END_TEST

/* ---- many tests --------------------------------------------------------------------------------------- */

START_TEST(discoveries_are_as_in_the_paper)
{
    /* Benjamini and Hochberg 1995, section 3.2: of these 15, at 5 % the first four count. */
    static const double p[] = { 0.0344, 0.0001, 0.0004, 0.0019, 0.0095,
                                0.0201, 0.0278, 0.0298, 0.0459, 0.3240,
                                0.4262, 0.5719, 0.6528, 0.7590, 1.0000 };
    static const double none[] = { 0.04, 0.06, NAN };
    static const double half[] = { 0.04, NAN };
    double scratch[15];

    ck_assert_double_eq(mpl_discovery_limit(p, 15, 0.05, scratch), 0.0095);
    ck_assert_double_eq(mpl_discovery_limit(none, 3, 0.05, scratch), 0);
    /* A test that was not made is none. */
    ck_assert_double_eq(mpl_discovery_limit(half, 2, 0.05, scratch), 0.04);
    ck_assert_double_eq(mpl_discovery_limit(NULL, 0, 0.05, scratch), 0);
}
END_TEST

START_TEST(without_memory_it_says_so)
{
    static const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

    for (long n = 0; n < 2; n++) {
        struct mpl_chance chance;

        mpl_alloc_fail_after(n);
        ck_assert_int_eq(mpl_chance_of_blocks((struct mpl_chance_sample){ 8, x },
                                              (struct mpl_chance_sample){ 0 },
                                              MPL_RESAMPLES, 0, &chance, NULL),
                         MPL_E_NOMEM);
        mpl_alloc_fail_after(-1);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("diff: chance");
    TCase *c = add_case(suite, "chance", NULL, NULL);

    tcase_set_timeout(c, 120);
    tcase_add_test(c, student_is_as_in_tables);
    tcase_add_test(c, welch_is_as_by_hand);
    tcase_add_test(c, a_single_run_is_beside_the_spread_of_the_others);
    tcase_add_test(c, one_run_each_tells_nothing_about_chance);
    tcase_add_test(c, what_never_varies_differs_or_does_not);
    tcase_add_test(c, chance_is_taken_for_a_difference_once_in_twenty);
    tcase_add_test(c, a_difference_in_all_blocks_is_seen);
    tcase_add_test(c, what_one_block_makes_is_never_more_than_chance);
    tcase_add_test(c, the_same_seed_gives_the_same_answer);
    tcase_add_test(c, few_blocks_tell_nothing);
    tcase_add_test(c, discoveries_are_as_in_the_paper);
    tcase_add_test(c, without_memory_it_says_so);
    return run_suite(suite);
}
