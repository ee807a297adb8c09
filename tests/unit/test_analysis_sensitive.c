/*
 * What is said of the clocks: no trace whose ranks were shifted by hand, by no more than the clocks
 * may be wrong, loses less or more than what was said to be possible.
 */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/effort.h"
#include "../lib/suite.h"
#include "analysis_fixture.h"
#include "run/run_priv.h"

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

    ck_assert_msg(weigh_clocks(a, &err) == MPL_OK, "%s", err.cause[0].text);
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

    ck_assert_near(d->lost_s, 600e-6);
    ck_assert(!d->is_clock_sensitive);
    ck_assert(isnan(d->clock_low_s));
    ck_assert_ptr_null(d->clock_reason);
    (void) set_bounds(a, bound_us);
    weigh(a);
    ck_assert(d->is_clock_sensitive);
    /*
     * Nothing may be left of 20 waits of 30 us, the two ends aside; and each of those 20 calls may have
     * waited for 50 us of the 80 us that are left of it, the 20 others for 25 and 1 us that they take.
     */
    ck_assert_near(d->clock_low_s, 0);
    ck_assert_near(d->clock_high_s,
                   600e-6 + 20 * (50e-6 + 50e-6 / 2 + 2 * 1e-6) + 4 * 50e-6);
    ck_assert_str_eq(d->clock_reason,
                     "the clocks' bounds allow a loss between 0 s and 2.34 ms");
    /* 20 waits of 25 us on the other side if rank 1 is later, of 80 us if it is earlier. */
    ck_assert_near(lost_by_hand(&program, later, "waiting"), 500e-6);
    ck_assert_near(lost_by_hand(&program, earlier, "waiting"), 1600e-6);
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(the_same_loss_beyond_the_clocks_bound_is_not)
{
    const struct program program = late_sender(6, arena);
    const int64_t bound_us[] = { 0, 1 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    const struct mpl_diagnosed *d = find_finding(a, "waiting");

    (void) set_bounds(a, bound_us);
    weigh(a);
    ck_assert(!d->is_clock_sensitive);
    ck_assert_ptr_null(d->clock_reason);
    /* 20 waits and four ends may be 1 us less, all 80 calls and these ends 1 us more. */
    ck_assert_near(d->lost_s, 600e-6);
    ck_assert_near(d->clock_low_s, 576e-6);
    ck_assert_near(d->clock_high_s, 684e-6);
    ck_assert(!a->diagnosis.is_verdict_clock_sensitive);
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(a_verdict_that_waits_within_the_bounds_decide_is_sensitive)
{
    const struct program program = late_sender(50, arena);
    const int64_t bounds_us[][2] = { { 0, 1 }, { 0, 50 } };

    for (int i = 0; i < 2; i++) {
        struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));

        (void) set_bounds(a, bounds_us[i]);
        weigh(a);
        ck_assert_int_eq(a->diagnosis.is_verdict_clock_sensitive, (i == 1));
        ck_assert_int_eq((a->diagnosis.verdict_clock_reason != NULL), (i == 1));
        mpl_analysis_destroy(a);
    }
}
END_TEST

START_TEST(tiny_bounds_make_nothing_sensitive)
{
    const struct program program = late_sender(50, arena);
    const int64_t none[] = { 0, 0 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    int64_t *high = MPL_NEW_ARRAY(arena, 2, int64_t);
    int64_t *low = MPL_NEW_ARRAY(arena, 2, int64_t);
    struct mpl_clock *clock = set_bounds(a, none);

    /* 42 calls and ends of each rank by 1 ns reach 84 ns, far below 2.5 % of anything here. */
    high[1] = 1;
    low[1] = -1;
    clock->low_ticks = low;
    clock->high_ticks = high;
    weigh(a);
    for (size_t i = 0; i < a->diagnosis.n_findings; i++) {
        ck_assert(!a->diagnosis.findings[i].is_clock_sensitive);
    }
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(one_clock_is_never_sensitive_whatever_its_columns_say)
{
    const struct program program = late_sender(50, arena);
    const int64_t bound_us[] = { 0, 50 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));

    set_bounds(a, bound_us)->source = MPL_CLOCK_SINGLE;
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

START_TEST(a_culprit_that_its_clock_alone_could_clear_is_sensitive)
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
    (void) set_bounds(a, bound_us);
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
    unsigned n_of_all = 0;

    (void) set_bounds(a, bound_us);
    weigh(a);
    for (size_t i = 0; i < a->diagnosis.n_findings; i++) {
        const struct mpl_diagnosed *d = &a->diagnosis.findings[i];

        if (d->finding->n_locations == 0) {
            n_of_all++;
            ck_assert(d->is_clock_sensitive);
            ck_assert_str_eq(d->clock_reason,
                             "no message limits the clock error of process 1");
            ck_assert(isnan(d->clock_low_s));
        }
    }
    ck_assert_uint_gt(n_of_all, 0);
    ck_assert(find_finding(a, "waiting")->is_clock_sensitive);
    mpl_analysis_destroy(a);
}
END_TEST

/* ---- the bound --------------------------------------------------------------------------------------- */

/* _i is the seed. */
START_TEST(no_clocks_within_their_bounds_move_waiting_out_of_its_range)
{
    const struct program program = program_draw((unsigned) _i, arena);
    int64_t bound_us[LAB_RANKS] = { 0 };
    int64_t shift_us[LAB_RANKS] = { 0 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    const struct mpl_diagnosed *d = find_finding(a, "waiting");

    srand((unsigned) _i);
    for (uint32_t r = 1; r < program.n_ranks; r++) {
        bound_us[r] = rand() % 30;
    }
    (void) set_bounds(a, bound_us);
    weigh(a);
    for (int k = 0; k < 4 && d != NULL; k++) {
        for (uint32_t r = 1; r < program.n_ranks; r++) {
            shift_us[r] = rand() % (2 * (int) bound_us[r] + 1) - bound_us[r];
        }
        const double lost_s = lost_by_hand(&program, shift_us, "waiting");

        /* Facts have six digits. */
        ck_assert_msg(isnan(lost_s) || (lost_s >= d->clock_low_s - 1e-5 * d->lost_s &&
                                        lost_s <= d->clock_high_s + 1e-5 * d->lost_s),
                      "seed %d: %g is not in %g..%g", _i, lost_s, d->clock_low_s,
                      d->clock_high_s);
    }
    mpl_analysis_destroy(a);
}
END_TEST

/* Rank 1 waits 40 us for a receive from rank 0 and, in the same call if \p is_both, for a send to rank 2. */
static double added_to_a_wait(bool is_both)
{
    static const char *const texts[] = {
        "unit us\n"
        "rank 0: compute 0..50 send 50..51 to 1\n"
        "rank 1: isend 0..1 to 2 as b wait 1..2 for b irecv 2..3 from 0 as a compute 3..10 "
        "wait 10..90 for a\n"
        "rank 2: compute 0..40 recv 40..90 from 1\n",
        "unit us\n"
        "rank 0: compute 0..50 send 50..51 to 1\n"
        "rank 1: isend 0..1 to 2 as b irecv 2..3 from 0 as a compute 3..10 waitall 10..90 "
        "for a b\n"
        "rank 2: compute 0..40 recv 40..90 from 1\n",
    };
    const int64_t bound_us[] = { 0, 0, 25 };
    struct mpl_analysis *a = analyse_text(texts[is_both]);
    struct mpl_clock_doubt doubt;
    double more_s;

    (void) set_bounds(a, bound_us);
    ck_assert_int_eq(mpl_doubt_create(&a->runs[0], arena, &doubt, NULL), MPL_OK);
    more_s = doubt.more_s;
    mpl_analysis_destroy(a);
    return more_s;
}

START_TEST(a_call_for_one_message_depends_on_the_clock_at_its_other_end_only)
{
    ck_assert_double_ge(added_to_a_wait(true) - added_to_a_wait(false), 20e-6);
}
END_TEST

/* What may jump of the sends of rank 0, in us. Ends the analysis. */
static int64_t jumps_of_sends(struct mpl_analysis *a, int64_t bound_us)
{
    const int64_t bounds_us[] = { 0, bound_us };
    const struct mpl_run *run = &a->runs[0];
    struct mpl_clock_doubt doubt;
    int64_t ticks = 0;

    (void) set_bounds(a, bounds_us);
    ck_assert_int_eq(mpl_doubt_create(run, arena, &doubt, NULL), MPL_OK);
    for (uint32_t k = 0; k < mpl_events_call_count(run->events, 0); k++) {
        ticks += mpl_doubt_late_receivers(run, &doubt, 0, k);
    }
    ticks = ticks * 1000000 / (int64_t) run->model->ticks_per_s;
    mpl_analysis_destroy(a);
    return ticks;
}

/* Rank 0 sends for 100 us to rank 1, which posts the receive so long before the send is left. */
static int64_t jumps_of(int64_t before_us, int64_t bound_us)
{
    struct program p = { .n_ranks = 2 };

    for (int round = 0; round < 5; round++) {
        const int64_t t = round * 400;

        program_add(&p, arena, 0, "ssend", t, t + 100, "to 1");
        program_add(&p, arena, 1, "recv", t + 100 - before_us, t + 105, "from 0");
    }
    return jumps_of_sends(analyse_text(program_text(&p, NULL, arena)), bound_us);
}

START_TEST(a_send_that_may_have_ended_before_the_receive_is_contested)
{
    ck_assert_int_eq(jumps_of(3, 10), 500);
    ck_assert_int_eq(jumps_of(-3, 10), 500);
    ck_assert_int_eq(jumps_of(30, 10), 0);
    ck_assert_int_eq(jumps_of(3, 2), 0);
}
END_TEST

/* The receives are posted shortly before the second wait is left, long after the first one was. */
START_TEST(of_sends_that_are_waited_for_the_wait_is_contested)
{
    static const char *const text =
        "# us\n"
        "rank 0: isend 0..1 to 1 as a isend 1..2 to 1 as b wait 2..10 for a wait 10..110 "
        "for b\n"
        "rank 1: compute 0..105 irecv 105..106 from 0 as c irecv 106..107 from 0 as d "
        "waitall 107..111 for c d\n";

    ck_assert_int_eq(jumps_of_sends(analyse_text(text), 10), 100);
}
END_TEST

/* As above, but MPI_Test takes so long, which never waits for anybody. */
START_TEST(of_sends_that_are_asked_for_nothing_is_contested)
{
    static const char *const text =
        "# us\n"
        "rank 0: isend 0..1 to 1 as b test 10..110 for b\n"
        "rank 1: compute 0..106 irecv 106..107 from 0 as d wait 107..111 for d\n";

    ck_assert_int_eq(jumps_of_sends(analyse_text(text), 10), 0);
}
END_TEST

/* What ranks 1 and 2 share where clocks of both may be off by \p bound_us. Ends the analysis. */
static double shared_blame(struct mpl_analysis *a, int64_t bound_us)
{
    const int64_t bounds_us[] = { 0, bound_us, bound_us };
    struct mpl_clock_doubt doubt;
    double blame_s;

    (void) set_bounds(a, bounds_us);
    ck_assert_int_eq(mpl_doubt_create(&a->runs[0], arena, &doubt, NULL), MPL_OK);
    ck_assert_double_eq(doubt.blame_s[0], 0);
    ck_assert_double_eq(doubt.blame_s[1], doubt.blame_s[2]);
    blame_s = doubt.blame_s[2];
    mpl_analysis_destroy(a);
    return blame_s;
}

/* Ranks 1 and 2 enter a barrier last, rank 2 so much later; rank 0 waits 100 us for it. */
static double blame_of(int64_t later_us, int64_t bound_us)
{
    struct program p = { .n_ranks = 3 };

    for (uint32_t r = 0; r < 3; r++) {
        const int64_t work = r == 0 ? 100 : r == 1 ? 200 - later_us : 200;

        program_add(&p, arena, r, "compute", 0, work, "");
        program_add(&p, arena, r, "barrier", work, 210, "");
    }
    return shared_blame(analyse_text(program_text(&p, NULL, arena)), bound_us);
}

START_TEST(a_wait_for_one_of_two_that_come_together_is_contested)
{
    ck_assert_near(blame_of(5, 3), 105e-6);
    ck_assert_near(blame_of(5, 2), 0);
    ck_assert_near(blame_of(50, 3), 0);
}
END_TEST

/* Rank 0 waits 190 us for two messages, of which rank 2 sends the later one. */
static double blame_of_call(const char *rank_1, int64_t bound_us)
{
    struct mpl_analysis *a = analyse_text(
        mpl_arena_printf(arena,
                         "unit us\n"
                         "rank 0: irecv 0..1 from 1 as a irecv 1..2 from 2 as b "
                         "waitall 10..210 for a b\n"
                         "rank 1: %s\n"
                         "rank 2: compute 0..200 send 200..205 to 0\n",
                         rank_1));
    return shared_blame(a, bound_us);
}

START_TEST(a_call_that_waits_for_two_who_come_together_is_contested)
{
    ck_assert_near(blame_of_call("compute 0..195 send 195..200 to 0", 3), 190e-6);
    ck_assert_near(blame_of_call("compute 0..195 send 195..200 to 0", 2), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analysis-sensitive");
    TCase *tcase = add_case(suite, "sensitive", create_arena, destroy_arena);

    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase,
                   a_loss_within_the_clocks_bound_is_sensitive_and_its_range_is_told);
    tcase_add_test(tcase, the_same_loss_beyond_the_clocks_bound_is_not);
    tcase_add_test(tcase, a_verdict_that_waits_within_the_bounds_decide_is_sensitive);
    tcase_add_test(tcase, tiny_bounds_make_nothing_sensitive);
    tcase_add_test(tcase, one_clock_is_never_sensitive_whatever_its_columns_say);
    tcase_add_test(tcase, a_culprit_that_its_clock_alone_could_clear_is_sensitive);
    tcase_add_test(tcase, what_involves_an_unlimited_clock_is_sensitive_by_definition);
    tcase_add_loop_test(tcase, no_clocks_within_their_bounds_move_waiting_out_of_its_range,
                        1, 1 + seeds_of(30));
    tcase_add_test(tcase,
                   a_call_for_one_message_depends_on_the_clock_at_its_other_end_only);
    tcase_add_test(tcase, a_send_that_may_have_ended_before_the_receive_is_contested);
    tcase_add_test(tcase, of_sends_that_are_waited_for_the_wait_is_contested);
    tcase_add_test(tcase, of_sends_that_are_asked_for_nothing_is_contested);
    tcase_add_test(tcase, a_wait_for_one_of_two_that_come_together_is_contested);
    tcase_add_test(tcase, a_call_that_waits_for_two_who_come_together_is_contested);
    return run_suite(suite);
}
