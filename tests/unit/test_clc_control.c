/* How many passes there are, and input that no run can have written. */
#include "config.h"

#include "../lib/suite.h"
#include "clc_hand.h"

#include <check.h>
#include <inttypes.h>

/* ---- the control of gamma ------------------------------------------------------------------------------- */

START_TEST(swinging_clocks_need_a_smaller_gamma)
{
    struct mpl_clc_options one = mpl_clc_defaults();
    struct clc_case c;
    int64_t worst;

    hand_swinging_clocks(5000);
    c = hand_case();
    worst = c.before.worst_ticks;
    ck_assert_int_gt(worst, 590000);
    one.max_passes = 1;
    clc_case_repair(&c, &one, arena);
    /* Each swing drives both clocks on: ten of them in this second. */
    ck_assert(!c.clc->is_within_error);
    ck_assert_int_gt(c.clc->max_shift_ticks, 5 * worst);
    clc_case_reset(&c);
    clc_case_repair(&c, NULL, arena);
    ck_assert(c.clc->is_within_error);
    ck_assert_uint_gt(c.clc->n_passes, 1);
    ck_assert_double_lt(c.clc->gamma, 0.99);
    ck_assert_int_le(c.clc->max_shift_ticks, worst + worst / 10 + 10);
}
END_TEST

START_TEST(violations_that_add_up_are_no_reason_to_shrink_intervals)
{
    struct clc_case c;

    t = trace_create(arena, 4, 1);
    for (uint32_t p = 0; p < 3; p++) {
        const int64_t now = 100000 - (int64_t) p * 8900;

        hand_send(p, p + 1, now);
        hand_recv(p + 1, p, now - 9500, now - 9000);
    }
    c = hand_repair(NULL);
    /* Each is reversed by 9000, and answered 100 later: the last receive is 27,000 early. */
    ck_assert_int_eq(c.before.worst_ticks, 9000);
    ck_assert_int_gt(c.clc->max_shift_ticks, 26000);
    ck_assert(c.clc->is_within_error);
    ck_assert_double_ge(c.clc->gamma, 0.998);
}
END_TEST

START_TEST(error_of_the_user_is_reported_when_it_cannot_be_kept)
{
    struct mpl_clc_options o = mpl_clc_defaults();
    struct clc_case c;

    t = trace_create(arena, 2, 1);
    hand_send(0, 1, 100000);
    hand_recv(1, 0, 100, 50000);
    o.error_s = 1e-6;
    c = hand_repair(&o);
    ck_assert(!c.clc->is_within_error);
    ck_assert_int_eq(c.clc->error_ticks, 1000);
    ck_assert_int_eq(c.clc->max_shift_ticks, 50001);
}
END_TEST

/* ---- bad input ------------------------------------------------------------------------------------------ */

START_TEST(circle_is_broken_at_its_earliest_receive)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    hand_recv(0, 1, 50, 100);
    hand_send(0, 1, 2000);
    hand_recv(1, 0, 50, 150);
    hand_send(1, 0, 300);
    hand_send(2, 0, 900);
    hand_recv(0, 2, 2100, 2200);
    c = hand_repair(NULL);
    ck_assert_uint_eq(c.clc->n_ignored, 1);
    ck_assert_int_eq(hand_shift(&c, 0, 100), 0);
    ck_assert_int_gt(hand_shift(&c, 1, 150), 1850);
    ck_assert_uint_eq(note_count(c.model, "clock-contradiction"), 1);
}
END_TEST

START_TEST(many_circles_are_broken_one_by_one)
{
    struct clc_case c;

    t = trace_create(arena, 7, 1);
    for (int64_t i = 0; i < 100; i++) {
        for (uint32_t p = 0; p < 7; p++) {
            hand_recv(p, (p + 6) % 7, 1000 * i + 10 * p, 1000 * i + 10 * p + 5);
        }
        for (uint32_t p = 0; p < 7; p++) {
            hand_send(p, (p + 1) % 7, 1000 * i + 500 + 3 * p);
        }
    }
    c = hand_repair(NULL);
    ck_assert_uint_ge(c.clc->n_ignored, 100);
    ck_assert_uint_lt(c.clc->n_ignored, 700);
}
END_TEST

START_TEST(receive_before_its_own_send_is_ignored)
{
    struct clc_case c;

    t = trace_create(arena, 1, 1);
    hand_recv(0, 0, 50, 100);
    hand_send(0, 0, 2000);
    c = hand_repair(NULL);
    ck_assert_uint_eq(c.clc->n_ignored, 1);
    ck_assert_uint_eq(c.clc->n_moved, 0);
}
END_TEST

START_TEST(times_beyond_all_sense_are_left_alone)
{
    struct clc_case c;
    struct mpl_err err = { 0 };

    t = trace_create(arena, 2, 1);
    hand_send(0, 1, INT64_MAX - 10);
    hand_recv(1, 0, 50, 100);
    c = hand_case();
    ck_assert_int_eq(mpl_clc_repair(c.view, c.model, NULL, NULL, arena, &c.clc, &err),
                     MPL_OK);
    ck_assert_uint_eq(c.clc->n_moved, 0);
}
END_TEST

START_TEST(options_without_sense_do_no_harm)
{
    const double odd[] = { 0, -1, 1e300, -1e300, 0.0 / 0.0, 1e-300 };
    enum { N_ODD = sizeof odd / sizeof odd[0] };
    struct mpl_clc_options o = mpl_clc_defaults();
    struct clc_case c;
    struct mpl_err err = { 0 };

    hand_swinging_clocks(20);
    c = hand_case();
    hand_seed(1);
    for (int i = 0; i < 300; i++) {
        o.gamma = odd[hand_draw(N_ODD)];
        o.delta_s = odd[hand_draw(N_ODD)];
        o.mu_s = odd[hand_draw(N_ODD)];
        o.amortization = odd[hand_draw(N_ODD)];
        o.error_s = odd[hand_draw(N_ODD)];
        o.max_passes = (uint32_t) hand_draw(3);
        ck_assert_int_eq(mpl_clc_repair(c.view, c.model, &o, NULL, arena, &c.clc, &err),
                         MPL_OK);
        mpl_model_check(c.model);
        clc_case_reset(&c);
    }
}
END_TEST

START_TEST(events_without_any_partner_stay)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    hand_mark(0, 100);
    hand_send(0, 1, 1000);
    hand_recv(1, 0, 100, 900);
    c = hand_repair(NULL);
    ck_assert_int_eq(hand_shift(&c, 0, 100), 0);
    ck_assert_int_eq(c.clc->location_end_ticks[2], 0);
    ck_assert_int_eq(c.clc->location_end_ticks[1], 101);
}
END_TEST

struct news {
    uint64_t n;
    uint64_t done;
    uint64_t total;
};

static void take_news(void *context, const char *what, uint64_t done, uint64_t total)
{
    struct news *news = context;

    ck_assert_str_eq(what, "repairing clocks");
    ck_assert_uint_le(done, total);
    news->n++;
    news->done = done;
    news->total = total;
}

START_TEST(progress_is_told_up_to_the_end)
{
    struct news news = { 0 };
    const struct mpl_progress progress = { take_news, &news };
    struct clc_case c;
    struct mpl_err err = { 0 };

    hand_swinging_clocks(100);
    c = hand_case();
    ck_assert_int_eq(mpl_clc_repair(c.view, c.model, NULL, &progress, arena, &c.clc, &err),
                     MPL_OK);
    ck_assert_uint_gt(news.n, 0);
    ck_assert_uint_eq(news.done, news.total);
}
END_TEST

static void make_some_of_everything(void)
{
    t = trace_create(arena, 4, 1);
    for (uint32_t p = 0; p < 4; p++) {
        const int64_t now = 1000 * (int64_t) p;

        hand_coll(p, now + 100, now + 150, MPL_COLL_BARRIER, MPL_NONE);
        hand_coll(p, now + 200, now + 300, MPL_COLL_SCAN, MPL_NONE);
        hand_coll(p, now + 310, now + 400, MPL_COLL_ALLTOALLV, MPL_NONE);
        hand_send(p, (p + 1) % 4, now + 500);
        hand_recv(p, (p + 3) % 4, now + 510, now + 550);
        (void) trace_send(t, p, now + 600, now + 700, "MPI_Ssend", to((p + 1) % 4), 8);
        hand_recv(p, (p + 3) % 4, now + 710, now + 750);
    }
}

START_TEST(running_out_of_memory_is_told_at_every_step)
{
    struct clc_case c;
    long n = 0;

    make_some_of_everything();
    c = hand_case();
    ck_assert(!clc_case_is_clean(&c.before));
    for (;; n++) {
        struct mpl_arena *result = mpl_arena_create();
        const struct mpl_clc *clc = NULL;
        struct mpl_err err = { 0 };

        mpl_alloc_fail_after(n);

        const enum mpl_status st =
            mpl_clc_repair(c.view, c.model, NULL, NULL, result, &clc, &err);

        mpl_alloc_fail_after(-1);
        mpl_arena_destroy(result);
        if (st == MPL_OK) {
            break;
        }
        for (uint32_t l = 0; l < c.model->n_locations; l++) {
            ck_assert_int_eq(clc_case_shift(&c, l, c.model->locations[l].n_events - 1), 0);
        }
        ck_assert_int_eq(st, MPL_E_NOMEM);
        ck_assert_int_eq(err.code, MPL_E_NOMEM);
        ck_assert_ptr_null(clc);
    }
    ck_assert_int_gt(n, 25);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clc_control");
    TCase *c = add_case(suite, "clc_control", set_up, tear_down);

    tcase_set_timeout(c, 60);
    tcase_add_test(c, swinging_clocks_need_a_smaller_gamma);
    tcase_add_test(c, violations_that_add_up_are_no_reason_to_shrink_intervals);
    tcase_add_test(c, error_of_the_user_is_reported_when_it_cannot_be_kept);
    tcase_add_test(c, circle_is_broken_at_its_earliest_receive);
    tcase_add_test(c, many_circles_are_broken_one_by_one);
    tcase_add_test(c, receive_before_its_own_send_is_ignored);
    tcase_add_test(c, times_beyond_all_sense_are_left_alone);
    tcase_add_test(c, options_without_sense_do_no_harm);
    tcase_add_test(c, events_without_any_partner_stay);
    tcase_add_test(c, progress_is_told_up_to_the_end);
    tcase_add_test(c, running_out_of_memory_is_told_at_every_step);
    return run_suite(suite);
}
