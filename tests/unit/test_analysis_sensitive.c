/*
 * What is said of the clocks: a diagnosis at the bounds is that of a trace whose ranks were
 * shifted by hand, and what is marked is what such traces show to change.
 */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/effort.h"
#include "analysis_fixture.h"

static struct mpl_arena *arena;

static void begin(void)
{
    arena = mpl_arena_create();
    ck_assert_ptr_nonnull(arena);
}

static void end(void)
{
    mpl_arena_destroy(arena);
}

/* The loss of a finding when the ranks are shifted by hand; NaN where it is not found. */
static double lost_by_hand(const struct program *program, const int64_t *shift_us,
                           const char *name)
{
    struct mpl_analysis *a = analyse_text(program_text(program, shift_us, arena));
    const struct mpl_diagnosed *d = find_finding(a, name);
    const double lost_s = d != NULL ? d->lost_s : NAN;

    mpl_analysis_destroy(a);
    return lost_s;
}

static void weigh(struct mpl_analysis *a)
{
    struct mpl_err err = { 0 };
    int64_t *times = copy_times(a->runs[0].model, arena);

    ck_assert_msg(mpl_clocks_weigh(a, &err) == MPL_OK, "%s", err.cause[0].text);
    ck_assert(are_times(a->runs[0].model, times));
}

#define ck_assert_near(x, y) ck_assert_double_eq_tol(x, y, 1e-9)

/* ---- a loss against a bound -------------------------------------------------------------------- */

START_TEST(a_loss_within_the_clocks_bound_is_sensitive_and_its_range_is_told)
{
    const struct program program = late_sender(50, arena);
    const int64_t bound_us[] = { 0, 50 };
    const int64_t later[] = { 0, 50 };
    const int64_t earlier[] = { 0, -50 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    const struct mpl_diagnosed *d = find_finding(a, "waiting");
    const double low_s = lost_by_hand(&program, later, "waiting");
    const double high_s = lost_by_hand(&program, earlier, "waiting");

    /* 20 waits of 30 us; of 25 us on the other side if rank 1 is later, of 80 us if earlier. */
    ck_assert_near(d->lost_s, 600e-6);
    ck_assert_near(low_s, 500e-6);
    ck_assert_near(high_s, 1600e-6);
    ck_assert(!d->is_clock_sensitive && isnan(d->clock_low_s) && d->clock_reason == NULL);
    (void) set_bounds(a, bound_us, NULL);
    weigh(a);
    ck_assert(d->is_clock_sensitive);
    ck_assert_near(d->clock_low_s, low_s);
    ck_assert_near(d->clock_high_s, high_s);
    ck_assert_str_eq(d->clock_reason,
                     "at the clocks' bounds the loss is between 500 us and 1.60 ms");
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(the_same_loss_beyond_the_clocks_bound_is_not)
{
    const struct program program = late_sender(6, arena);
    const int64_t bound_us[] = { 0, 1 };
    const int64_t later[] = { 0, 1 };
    const int64_t earlier[] = { 0, -1 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    const struct mpl_diagnosed *d = find_finding(a, "waiting");

    ck_assert_near(d->lost_s, 600e-6);
    (void) set_bounds(a, bound_us, NULL);
    weigh(a);
    ck_assert(!d->is_clock_sensitive && d->clock_reason == NULL);
    /* It was tried: 84 calls and ends by 1 us are more than a tenth of a quarter of 600 us. */
    ck_assert_near(d->clock_low_s, lost_by_hand(&program, later, "waiting"));
    ck_assert_near(d->clock_high_s, lost_by_hand(&program, earlier, "waiting"));
    ck_assert(!a->diagnosis.is_verdict_clock_sensitive);
    mpl_analysis_destroy(a);
}
END_TEST

static void count_weighing(void *context, const char *what, uint64_t done, uint64_t total)
{
    unsigned *n = context;

    ck_assert_uint_lt(done, total);
    *n += strcmp(what, "weighing clock errors") == 0;
}

START_TEST(what_is_tried_is_told_as_progress_and_what_is_certain_is_not_tried)
{
    const struct program program = late_sender(6, arena);
    const int64_t bounds_us[][2] = { { 0, 0 }, { 0, 1 } };

    for (int i = 0; i < 2; i++) {
        unsigned n = 0;
        const struct mpl_progress progress = { count_weighing, &n };
        struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));

        a->progress = &progress;
        (void) set_bounds(a, bounds_us[i], NULL);
        weigh(a);
        ck_assert_uint_eq(n, i == 0 ? 0 : 2);
        ck_assert(isnan(find_finding(a, "waiting")->clock_low_s) == (i == 0));
        mpl_analysis_destroy(a);
    }
}
END_TEST

START_TEST(tiny_bounds_are_certain_without_trying)
{
    const struct program program = late_sender(50, arena);
    const int64_t none[] = { 0, 0 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    int64_t *high = MPL_NEW_ARRAY(arena, 2, int64_t);
    int64_t *low = MPL_NEW_ARRAY(arena, 2, int64_t);
    struct mpl_clock *clock = set_bounds(a, none, NULL);

    /* 42 calls and ends of each rank by 1 ns reach 84 ns, far below 2.5 % of anything here. */
    high[1] = 1;
    low[1] = -1;
    clock->low_ticks = low;
    clock->high_ticks = high;
    weigh(a);
    for (size_t i = 0; i < a->diagnosis.n_findings; i++) {
        ck_assert(!a->diagnosis.findings[i].is_clock_sensitive);
        ck_assert(isnan(a->diagnosis.findings[i].clock_low_s));
    }
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(one_clock_is_never_sensitive_whatever_its_columns_say)
{
    const struct program program = late_sender(50, arena);
    const int64_t bound_us[] = { 0, 50 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));

    set_bounds(a, bound_us, NULL)->source = MPL_CLOCK_SINGLE;
    weigh(a);
    for (size_t i = 0; i < a->diagnosis.n_findings; i++) {
        ck_assert(!a->diagnosis.findings[i].is_clock_sensitive);
    }
    mpl_analysis_destroy(a);
}
END_TEST

/* ---- who is blamed ------------------------------------------------------------------------------- */

/* Rank 0 takes what the others send, and answers in time: that keeps the clocks of all together. */
static void add_answers(struct program *p, int64_t t, bool is_last)
{
    for (uint32_t r = 1; r < 4; r++) {
        char who[32];

        (void) snprintf(who, sizeof who, "from %u", (unsigned) r);
        program_add(p, arena, r, "send", t + 112, t + 113, "to 0");
        program_add(p, arena, 0, "recv", t + 152 + 10 * r, t + 157 + 10 * r, who);
    }
    for (uint32_t r = 1; r < 4 && !is_last; r++) {
        char who[32];

        (void) snprintf(who, sizeof who, "to %u", (unsigned) r);
        program_add(p, arena, 0, "send", t + 186 + r, t + 187 + r, who);
    }
}

/* Ranks 1 and 2 wait 30 us for rank 3 in every round. */
static struct program star(void)
{
    struct program p = { .n_ranks = 4 };
    const int n_rounds = 20;

    for (int round = 0; round < n_rounds; round++) {
        const int64_t t = round * 190;

        for (uint32_t r = 0; r < 4; r++) {
            const int64_t done = t + (r == 3 ? 60 : 30);

            program_add(&p, arena, r, "compute", t, done, "");
            if (round > 0 && r > 0) {
                program_add(&p, arena, r, "recv", done, done + 1, "from 0");
            }
        }
        program_add(&p, arena, 3, "send", t + 61, t + 62, "to 1");
        program_add(&p, arena, 3, "send", t + 62, t + 63, "to 2");
        program_add(&p, arena, 1, "recv", t + 31, t + 111, "from 3");
        program_add(&p, arena, 2, "recv", t + 31, t + 111, "from 3");
        add_answers(&p, t, round == n_rounds - 1);
    }
    return p;
}

START_TEST(a_culprit_is_tried_alone_because_common_shifts_do_not_move_it)
{
    const struct program program = star();
    const int64_t bound_us[] = { 0, 40, 40, 40 };
    const int64_t all[] = { 0, 40, 40, 40 };
    const int64_t alone[] = { 0, 0, 0, -40 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    const struct mpl_diagnosed *d = find_finding(a, "late-process");

    ck_assert_ptr_nonnull(d);
    ck_assert_str_eq(d->finding->culprits[0], "3");
    /* All together: what they wait for each other is the same. */
    ck_assert_near(lost_by_hand(&program, all, "late-process"), d->lost_s);
    ck_assert(!(lost_by_hand(&program, alone, "late-process") > 0.5 * d->lost_s));
    (void) set_bounds(a, bound_us, NULL);
    weigh(a);
    ck_assert(d->is_clock_sensitive);
    mpl_analysis_destroy(a);
}
END_TEST

/* ---- clocks that nothing limits -------------------------------------------------------------------- */

START_TEST(what_involves_an_unlimited_clock_is_sensitive_by_definition)
{
    const struct program program = late_sender(50, arena);
    const int64_t bound_us[] = { 0, INT64_MAX };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));

    (void) set_bounds(a, bound_us, NULL);
    weigh(a);
    for (size_t i = 0; i < a->diagnosis.n_findings; i++) {
        const struct mpl_diagnosed *d = &a->diagnosis.findings[i];

        if (d->finding->n_locations == 0) {
            ck_assert(d->is_clock_sensitive);
            ck_assert_str_eq(d->clock_reason,
                             "no message limits the clock error of process 1");
            ck_assert(isnan(d->clock_low_s));
        }
    }
    ck_assert(find_finding(a, "waiting")->is_clock_sensitive);
    mpl_analysis_destroy(a);
}
END_TEST

/* ---- scenarios ------------------------------------------------------------------------------------- */

static void assert_same_findings(const struct mpl_diagnosis *x,
                                 const struct mpl_diagnosis *y)
{
    ck_assert_int_eq(x->verdict, y->verdict);
    ck_assert_uint_eq(x->n_findings, y->n_findings);
    for (size_t i = 0; i < x->n_findings; i++) {
        const struct mpl_diagnosed *d = &x->findings[i];
        const struct mpl_diagnosed *e = &y->findings[i];

        ck_assert_str_eq(d->finding->name, e->finding->name);
        ck_assert_str_eq(d->finding->text, e->finding->text);
        ck_assert_uint_eq(d->finding->n_locations, e->finding->n_locations);
        ck_assert(d->lost_s == e->lost_s || (isnan(d->lost_s) && isnan(e->lost_s)));
        /* Scenarios replay nothing, so it is the models' gains that are compared. */
        ck_assert(d->gain_model_s == e->gain_model_s ||
                  (isnan(d->gain_model_s) && isnan(e->gain_model_s)));
    }
}

/* Where a run is cut into phases is kept in a scenario, and found anew in another trace. */
static bool is_cut(const struct mpl_analysis *a)
{
    for (size_t i = 0; i < a->n_trials; i++) {
        if (a->trials[i].part != NULL && a->trials[i].part->first_record != NULL) {
            return true;
        }
    }
    return false;
}

/* _i is the seed. */
START_TEST(a_scenario_is_the_diagnosis_of_the_trace_shifted_by_hand)
{
    const struct program program = program_draw((unsigned) _i, arena);
    int64_t shift_us[LAB_RANKS] = { 0 };
    int64_t ticks[LAB_RANKS] = { 0 };
    const int64_t *of_runs[] = { ticks };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    struct mpl_analysis *by_hand;
    struct mpl_analysis *scenario = NULL;
    int64_t *times = copy_times(a->runs[0].model, arena);

    srand((unsigned) _i);
    for (uint32_t r = 0; r < program.n_ranks; r++) {
        shift_us[r] = rand() % 81 - 40;
        ticks[r] = shift_us[r] * 1000;
    }
    by_hand = analyse_text(program_text(&program, shift_us, arena));
    ck_assert_int_eq(mpl_scenario_run(a, of_runs, &scenario, NULL), MPL_OK);
    if (!is_cut(a) && !is_cut(by_hand)) {
        assert_same_findings(&scenario->diagnosis, &by_hand->diagnosis);
    }
    ck_assert(are_times(a->runs[0].model, times));
    mpl_scenario_end(scenario, a);
    mpl_analysis_destroy(by_hand);
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(shifting_all_clocks_by_the_same_changes_nothing)
{
    const struct program program = program_draw((unsigned) _i, arena);
    const int64_t amounts[] = { 1, -1, 1234567, -98765432 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));

    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        int64_t ticks[LAB_RANKS];
        const int64_t *of_runs[] = { ticks };
        struct mpl_analysis *scenario = NULL;

        for (uint32_t r = 0; r < LAB_RANKS; r++) {
            ticks[r] = amounts[i];
        }
        ck_assert_int_eq(mpl_scenario_run(a, of_runs, &scenario, NULL), MPL_OK);
        assert_same_findings(&scenario->diagnosis, &a->diagnosis);
        mpl_scenario_end(scenario, a);
    }
    mpl_analysis_destroy(a);
}
END_TEST

/* ---- the certificate --------------------------------------------------------------------------------- */

/* Whatever is called certain does not move when it is tried all the same. */
START_TEST(no_scenario_moves_waiting_by_more_than_reach_and_jumps)
{
    const struct program program = program_draw((unsigned) _i, arena);
    int64_t bound_us[LAB_RANKS] = { 0 };
    int64_t ticks[LAB_RANKS] = { 0 };
    const int64_t *of_runs[] = { ticks };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    const struct mpl_diagnosed *d = find_finding(a, "waiting");
    struct clock_doubt doubt;
    double most_s;

    srand((unsigned) _i);
    for (uint32_t r = 1; r < program.n_ranks; r++) {
        bound_us[r] = rand() % 30;
    }
    (void) set_bounds(a, bound_us, NULL);
    ck_assert_int_eq(mpl_doubt_create(&a->runs[0].shown, arena, &doubt, NULL), MPL_OK);
    most_s = doubt.reach_s + mpl_doubt_jumps_s(&a->runs[0].shown, &doubt);
    for (int k = 0; k < 4 && d != NULL; k++) {
        struct mpl_analysis *scenario = NULL;
        const struct mpl_diagnosed *same;

        for (uint32_t r = 1; r < program.n_ranks; r++) {
            ticks[r] = 1000 * (rand() % (2 * (int) bound_us[r] + 1) - bound_us[r]);
        }
        ck_assert_int_eq(mpl_scenario_run(a, of_runs, &scenario, NULL), MPL_OK);
        same = find_finding(scenario, "waiting");
        /* Facts have six digits. */
        ck_assert(same == NULL ||
                  fabs(same->lost_s - d->lost_s) <= most_s + 1e-5 * d->lost_s);
        mpl_scenario_end(scenario, a);
    }
    mpl_analysis_destroy(a);
}
END_TEST

/* Rank 0 sends for 100 us to rank 1, which posts the receive so long before the send is left. */
static double jumps_of(int64_t before_us, int64_t bound_us)
{
    struct program p = { .n_ranks = 2 };
    const int64_t bounds_us[] = { 0, bound_us };
    struct mpl_analysis *a;
    struct clock_doubt doubt;
    double jumps_s;

    for (int round = 0; round < 5; round++) {
        const int64_t t = round * 400;

        program_add(&p, arena, 0, "ssend", t, t + 100, "to 1");
        program_add(&p, arena, 1, "recv", t + 100 - before_us, t + 105, "from 0");
    }
    a = analyse_text(program_text(&p, NULL, arena));
    (void) set_bounds(a, bounds_us, NULL);
    ck_assert_int_eq(mpl_doubt_create(&a->runs[0].shown, arena, &doubt, NULL), MPL_OK);
    jumps_s = mpl_doubt_jumps_s(&a->runs[0].shown, &doubt);
    mpl_analysis_destroy(a);
    return jumps_s;
}

START_TEST(a_send_that_may_have_ended_before_the_receive_is_contested)
{
    ck_assert_near(jumps_of(3, 10), 500e-6);
    ck_assert_near(jumps_of(-3, 10), 500e-6);
    ck_assert_near(jumps_of(30, 10), 0);
    ck_assert_near(jumps_of(3, 2), 0);
}
END_TEST

/* Ranks 1 and 2 enter a barrier last, rank 2 so much later; rank 0 waits 100 us for it. */
static double blame_of(int64_t later_us, int64_t bound_us)
{
    struct program p = { .n_ranks = 3 };
    const int64_t bounds_us[] = { 0, bound_us, bound_us };
    struct mpl_analysis *a;
    struct clock_doubt doubt;
    double blame_s;

    for (uint32_t r = 0; r < 3; r++) {
        const int64_t work = r == 0 ? 100 : r == 1 ? 200 - later_us : 200;

        program_add(&p, arena, r, "compute", 0, work, "");
        program_add(&p, arena, r, "barrier", work, 210, "");
    }
    a = analyse_text(program_text(&p, NULL, arena));
    (void) set_bounds(a, bounds_us, NULL);
    ck_assert_int_eq(mpl_doubt_create(&a->runs[0].shown, arena, &doubt, NULL), MPL_OK);
    blame_s = mpl_doubt_blame_s(&a->runs[0].shown, &doubt);
    mpl_analysis_destroy(a);
    return blame_s;
}

START_TEST(a_wait_for_one_of_two_that_come_together_is_contested)
{
    ck_assert_near(blame_of(5, 3), 105e-6);
    ck_assert_near(blame_of(5, 2), 0);
    ck_assert_near(blame_of(50, 3), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analysis-sensitive");
    TCase *tcase = tcase_create("sensitive");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, begin, end);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase,
                   a_loss_within_the_clocks_bound_is_sensitive_and_its_range_is_told);
    tcase_add_test(tcase, the_same_loss_beyond_the_clocks_bound_is_not);
    tcase_add_test(tcase,
                   what_is_tried_is_told_as_progress_and_what_is_certain_is_not_tried);
    tcase_add_test(tcase, tiny_bounds_are_certain_without_trying);
    tcase_add_test(tcase, one_clock_is_never_sensitive_whatever_its_columns_say);
    tcase_add_test(tcase, a_culprit_is_tried_alone_because_common_shifts_do_not_move_it);
    tcase_add_test(tcase, what_involves_an_unlimited_clock_is_sensitive_by_definition);
    tcase_add_loop_test(tcase, a_scenario_is_the_diagnosis_of_the_trace_shifted_by_hand, 1,
                        1 + seeds_of(30));
    tcase_add_loop_test(tcase, shifting_all_clocks_by_the_same_changes_nothing, 1,
                        1 + seeds_of(5));
    tcase_add_loop_test(tcase, no_scenario_moves_waiting_by_more_than_reach_and_jumps, 1,
                        1 + seeds_of(30));
    tcase_add_test(tcase, a_send_that_may_have_ended_before_the_receive_is_contested);
    tcase_add_test(tcase, a_wait_for_one_of_two_that_come_together_is_contested);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
