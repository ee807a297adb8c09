/* What a violation moves, worked out by hand. */
#include "config.h"

#include "../lib/suite.h"
#include "clc_hand.h"

#include <check.h>
#include <inttypes.h>

/* ---- forward ---------------------------------------------------------------------------------- */

START_TEST(reversed_message_moves_its_receive_and_the_shift_falls_back)
{
    struct clc_case c;

    t = trace_create(arena, 2, 1);
    hand_send(0, 1, 1000000);
    hand_mark(1, 0);
    hand_recv(1, 0, 999000, 999900);
    hand_mark(1, 1049900);
    hand_mark(1, 1200000);
    c = hand_repair(NULL);
    ck_assert_uint_eq(c.before.p2p, 1);
    ck_assert_uint_eq(c.clc->n_passes, 1);
    ck_assert_uint_eq(c.clc->n_jumps, 1);
    /* 100 too early, and one tick later than the send. */
    ck_assert_int_eq(hand_shift(&c, 1, 999900), 101);
    /* gamma takes a thousandth of the 50,000 that have passed. */
    ck_assert_int_eq(hand_shift(&c, 1, 1049900), 51);
    ck_assert_int_eq(hand_shift(&c, 1, 1200000), 0);
    /* The ramp before it rises by a fiftieth of 900. */
    ck_assert_int_eq(hand_shift(&c, 1, 999000), 101 - 18);
    ck_assert_int_eq(hand_shift(&c, 1, 0), 0);
    ck_assert_int_eq(c.clc->location_max_ticks[0], 0);
    ck_assert_int_eq(c.clc->max_shift_ticks, 101);
    ck_assert_uint_eq(c.clc->max_shift_location, 1);
    ck_assert_int_eq(c.clc->growth_ticks, 0);
}
END_TEST

START_TEST(short_intervals_keep_delta_while_a_shift_falls_back)
{
    struct mpl_clc_options o = mpl_clc_defaults();
    struct clc_case c;

    t = trace_create(arena, 2, 1);
    hand_send(0, 1, 2000);
    hand_recv(1, 0, 900, 1000);
    hand_mark(1, 1003);
    hand_mark(1, 1013);
    hand_mark(1, 1513);
    o.gamma = 0;
    o.delta_s = 5e-9;
    o.amortization = 0;
    c = hand_repair(&o);
    ck_assert_int_eq(hand_shift(&c, 1, 1000), 1001);
    ck_assert_int_eq(hand_shift(&c, 1, 1003), 1001);
    ck_assert_int_eq(hand_shift(&c, 1, 1013), 1001 - 5);
    ck_assert_int_eq(hand_shift(&c, 1, 1513), 1001 - 5 - 495);
}
END_TEST

START_TEST(shift_travels_with_messages_as_far_as_they_need_it)
{
    struct clc_case c;

    t = trace_create(arena, 4, 1);
    hand_send(0, 1, 5000);
    hand_recv(1, 0, 3900, 4000);
    hand_send(1, 2, 4100);
    hand_recv(2, 1, 4000, 4150);
    hand_send(1, 3, 4200);
    hand_recv(3, 1, 4000, 9000);
    c = hand_repair(NULL);
    /* The smallest delay that is seen is 50. */
    ck_assert_int_eq(c.clc->mu_ticks[MPL_CLC_P2P_BETWEEN], 50);
    ck_assert_int_eq(hand_shift(&c, 1, 4000), 1050);
    ck_assert_int_eq(hand_shift(&c, 1, 4100), 1050);
    ck_assert_int_eq(hand_shift(&c, 2, 4150), 1050);
    ck_assert_int_eq(hand_shift(&c, 3, 9000), 0);
}
END_TEST

START_TEST(delay_is_no_longer_than_half_a_round_trip)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    hand_send(0, 1, 1000);
    hand_recv(1, 0, 900, 2000);
    hand_send(1, 0, 3000);
    hand_recv(0, 1, 2000, 2100);
    c = hand_repair(NULL);
    /* 1000 one way and 900 the other way back in time. */
    ck_assert_int_eq(c.clc->mu_ticks[MPL_CLC_P2P_BETWEEN], 50);
    ck_assert_int_eq(hand_shift(&c, 0, 2100), 950);
}
END_TEST

START_TEST(delay_of_the_user_moves_messages_that_are_faster)
{
    struct mpl_clc_options o = mpl_clc_defaults();
    struct clc_case c;

    t = trace_create(arena, 2, 1);
    hand_send(0, 1, 1000);
    hand_recv(1, 0, 900, 1005);
    o.mu_s = 20e-9;
    c = hand_repair(&o);
    ck_assert(clc_case_is_clean(&c.before));
    ck_assert_int_eq(hand_shift(&c, 1, 1005), 15);
}
END_TEST

START_TEST(messages_that_take_no_time_stay_as_they_are)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    hand_send(0, 1, 1000);
    hand_recv(1, 0, 900, 1000);
    hand_send(0, 2, 5000);
    hand_recv(2, 0, 4000, 4990);
    c = hand_repair(NULL);
    ck_assert_int_eq(hand_shift(&c, 1, 1000), 0);
    ck_assert_int_eq(hand_shift(&c, 2, 4990), 11);
}
END_TEST

START_TEST(switched_off_repair_leaves_violations)
{
    struct mpl_clc_options o = mpl_clc_defaults();
    struct clc_case c;
    struct mpl_err err = { 0 };

    t = trace_create(arena, 2, 1);
    hand_send(0, 1, 1000);
    hand_recv(1, 0, 900, 990);
    o.is_off = true;
    c = hand_case();
    ck_assert_int_eq(mpl_clc_repair(c.view, c.model, &o, NULL, arena, &c.clc, &err),
                     MPL_OK);
    ck_assert_uint_eq(c.clc->n_passes, 0);
    ck_assert_int_eq(hand_shift(&c, 1, 990), 0);
}
END_TEST

/* ---- collectives and threads ---------------------------------------------------------------------- */

START_TEST(nobody_leaves_a_barrier_before_the_last_has_entered)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    hand_coll(0, 100, 190, MPL_COLL_BARRIER, MPL_NONE);
    hand_coll(1, 1000, 1100, MPL_COLL_BARRIER, MPL_NONE);
    hand_coll(2, 500, 1200, MPL_COLL_BARRIER, MPL_NONE);
    c = hand_repair_forward();
    ck_assert_uint_eq(c.before.collective, 1);
    /* The shortest two stays, 90 and 100, are a round trip. */
    ck_assert_int_eq(c.clc->mu_ticks[MPL_CLC_COLLECTIVE], 95);
    ck_assert_int_eq(hand_shift(&c, 0, 190), 1095 - 190);
    ck_assert_int_eq(hand_shift(&c, 1, 1100), 0);
    ck_assert_int_eq(hand_shift(&c, 2, 1200), 0);
}
END_TEST

START_TEST(scan_needs_lower_ranks_only)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    hand_coll(0, 100, 200, MPL_COLL_SCAN, MPL_NONE);
    hand_coll(1, 500, 510, MPL_COLL_SCAN, MPL_NONE);
    hand_coll(2, 300, 400, MPL_COLL_SCAN, MPL_NONE);
    hand_coll(0, 1009000, 1009100, MPL_COLL_EXSCAN, MPL_NONE);
    hand_coll(1, 1008000, 1008010, MPL_COLL_EXSCAN, MPL_NONE);
    hand_coll(2, 1009900, 1009990, MPL_COLL_EXSCAN, MPL_NONE);
    c = hand_repair_forward();
    ck_assert_int_eq(hand_shift(&c, 0, 200), 0);
    ck_assert_int_eq(hand_shift(&c, 1, 510), 0);
    ck_assert_int_gt(hand_shift(&c, 2, 400), 100);
    ck_assert_int_eq(hand_shift(&c, 0, 1009100), 0);
    ck_assert_int_gt(hand_shift(&c, 1, 1008010), 990);
    ck_assert_int_eq(hand_shift(&c, 2, 1009990), 0);
}
END_TEST

START_TEST(root_decides_who_waits_for_whom)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    hand_coll(0, 100, 200, MPL_COLL_BCAST, 1);
    hand_coll(1, 500, 510, MPL_COLL_BCAST, 1);
    hand_coll(2, 900, 1000, MPL_COLL_BCAST, 1);
    hand_coll(0, 5000, 5050, MPL_COLL_REDUCE, 2);
    hand_coll(1, 7000, 7100, MPL_COLL_REDUCE, 2);
    hand_coll(2, 4000, 4100, MPL_COLL_REDUCE, 2);
    c = hand_repair_forward();
    ck_assert_int_gt(hand_shift(&c, 0, 200), 300);
    ck_assert_int_eq(hand_shift(&c, 1, 510), 0);
    ck_assert_int_eq(hand_shift(&c, 2, 1000), 0);
    ck_assert_int_eq(hand_shift(&c, 1, 7100), 0);
    ck_assert_int_gt(hand_shift(&c, 2, 4100), 2900);
}
END_TEST

START_TEST(whoever_has_nothing_to_send_holds_nobody_up)
{
    struct clc_case c;
    uint32_t part;

    t = trace_create(arena, 3, 1);
    hand_coll(0, 100, 200, MPL_COLL_ALLGATHERV, MPL_NONE);
    part = trace_coll(t, 1, 5000, 5100, 0, MPL_COLL_ALLGATHERV, MPL_NONE);
    trace_set_coll_bytes(t, 1, part, 0, 16);
    hand_coll(2, 300, 400, MPL_COLL_ALLGATHERV, MPL_NONE);
    c = hand_repair_forward();
    ck_assert_int_gt(hand_shift(&c, 0, 200), 100);
    ck_assert_int_lt(hand_shift(&c, 0, 200), 1000);
    ck_assert_int_eq(hand_shift(&c, 2, 400), 0);
}
END_TEST

/* What an own enter is shifted by is no reason to stretch the time to the leave. */
START_TEST(own_enter_does_not_delay_a_leave)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    hand_send(0, 1, 10000);
    hand_recv(1, 0, 4000, 5000);
    hand_coll(0, 10100, 10900, MPL_COLL_BARRIER, MPL_NONE);
    hand_coll(1, 5100, 5101, MPL_COLL_BARRIER, MPL_NONE);
    hand_coll(2, 5000, 5090, MPL_COLL_BARRIER, MPL_NONE);
    c = hand_repair(NULL);
    ck_assert(clc_case_is_clean(&c.after));
    ck_assert_int_le(hand_shift(&c, 1, 5101), 10100 - 5101 + c.clc->mu_ticks[2]);
}
END_TEST

/* Locations 2 and 3 are the threads of process 1. */
START_TEST(threads_follow_the_shift_of_their_fork_and_joins_that_of_their_threads)
{
    struct clc_case c;

    t = trace_create(arena, 2, 2);
    (void) trace_send(t, 0, 2000, 2001, "MPI_Send", to(1), 8);
    (void) trace_recv(t, 2, 900, 1000, to(0), 8);
    trace_record(t, 2, 1100, MPL_EV_FORK);
    trace_record(t, 2, 1110, MPL_EV_TEAM_BEGIN);
    trace_record(t, 3, 1120, MPL_EV_TEAM_BEGIN);
    trace_record(t, 3, 1500, MPL_EV_TEAM_END);
    trace_record(t, 2, 1510, MPL_EV_TEAM_END);
    trace_record(t, 2, 1530, MPL_EV_JOIN);
    c = hand_repair_forward();
    ck_assert_uint_gt(c.after.n_thread, 0);
    ck_assert_int_eq(hand_shift(&c, 2, 1100), 1001);
    /* The smallest delay between them is 20, and that much is left. */
    ck_assert_int_eq(hand_shift(&c, 3, 1120), 1001);
    ck_assert_int_eq(hand_shift(&c, 2, 1530), 1001);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clc");
    TCase *c = add_case(suite, "clc", set_up, tear_down);

    tcase_add_test(c, reversed_message_moves_its_receive_and_the_shift_falls_back);
    tcase_add_test(c, short_intervals_keep_delta_while_a_shift_falls_back);
    tcase_add_test(c, shift_travels_with_messages_as_far_as_they_need_it);
    tcase_add_test(c, delay_is_no_longer_than_half_a_round_trip);
    tcase_add_test(c, delay_of_the_user_moves_messages_that_are_faster);
    tcase_add_test(c, messages_that_take_no_time_stay_as_they_are);
    tcase_add_test(c, switched_off_repair_leaves_violations);
    tcase_add_test(c, nobody_leaves_a_barrier_before_the_last_has_entered);
    tcase_add_test(c, scan_needs_lower_ranks_only);
    tcase_add_test(c, root_decides_who_waits_for_whom);
    tcase_add_test(c, whoever_has_nothing_to_send_holds_nobody_up);
    tcase_add_test(c, own_enter_does_not_delay_a_leave);
    tcase_add_test(c,
                   threads_follow_the_shift_of_their_fork_and_joins_that_of_their_threads);
    return run_suite(suite);
}
