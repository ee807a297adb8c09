/*
 * Parts of the estimate of drift, each on its own, and the choices of a user.
 */
#include "config.h"

#include "../lib/suite.h"
#include "hand_trace.h"

#include "clock/clock_priv.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct mpl_clock *correct_as(struct mpl_model *model,
                                          enum mpl_clock_choice choice, bool is_repaired)
{
    const struct mpl_match *match = trace_match(model, arena);
    struct mpl_clock_options options = mpl_clock_defaults();
    const struct mpl_clock *clock = NULL;
    struct mpl_err err = { 0 };

    options.choice = choice;
    options.repair.is_off = !is_repaired;
    ck_assert_int_eq(mpl_clock_correct(model, match, &options, NULL, arena, &clock, &err),
                     MPL_OK);
    mpl_model_check(model);
    return clock;
}

/* ---- curves --------------------------------------------------------------------------------- */

enum { WINDOWS = 100 };

struct tunnel {
    int64_t at[WINDOWS];
    double low[WINDOWS];
    double high[WINDOWS];
    double fit[WINDOWS];
    double slope;
};

static void fit(struct tunnel *tunnel)
{
    struct mpl_tunnel borrowed = { tunnel->low, tunnel->high };
    struct mpl_curve *curve = mpl_curve_create(WINDOWS, tunnel->at, arena);

    ck_assert_ptr_nonnull(curve);
    tunnel->slope = mpl_curve_fit(curve, &borrowed, INFINITY, tunnel->fit);
}

static double largest_bend(const struct tunnel *tunnel)
{
    double most = 0;

    for (int k = 1; k + 1 < WINDOWS; k++) {
        most =
            fmax(most, fabs(tunnel->fit[k + 1] - 2 * tunnel->fit[k] + tunnel->fit[k - 1]));
    }
    return most;
}

/* Middles jump to and fro, but a line fits all intervals. */
START_TEST(line_that_fits_all_intervals_is_kept_straight)
{
    struct tunnel tunnel;

    for (int k = 0; k < WINDOWS; k++) {
        const double middle = 50 + 3.0 * k + (k % 2 == 0 ? 4 : -4);

        tunnel.at[k] = 1000 * k;
        tunnel.low[k] = middle - 10;
        tunnel.high[k] = middle + 10;
    }
    fit(&tunnel);
    ck_assert_double_eq_tol(tunnel.slope, 0.003, 1e-4);
    ck_assert_double_le(largest_bend(&tunnel), 1e-9);
}
END_TEST

START_TEST(curve_bends_to_stay_inside_and_is_smooth)
{
    struct tunnel tunnel;

    for (int k = 0; k < WINDOWS; k++) {
        const double middle = 1000 * sin(k * 0.1) + (k % 2 == 0 ? 4 : -4);

        tunnel.at[k] = 1000 * k;
        tunnel.low[k] = middle - 10;
        tunnel.high[k] = middle + 10;
    }
    fit(&tunnel);
    for (int k = 0; k < WINDOWS; k++) {
        ck_assert_double_ge(tunnel.fit[k], tunnel.low[k] - 0.1);
        ck_assert_double_le(tunnel.fit[k], tunnel.high[k] + 0.1);
    }
    /* The sinusoid itself bends by 10 per window. */
    ck_assert_double_le(largest_bend(&tunnel), 13);
}
END_TEST

START_TEST(windows_without_limits_are_bridged)
{
    struct tunnel tunnel;

    for (int k = 0; k < WINDOWS; k++) {
        const bool is_known = k < 20 || k > 80;

        tunnel.at[k] = 1000 * k;
        tunnel.low[k] = is_known ? 2.0 * k - 5 : -INFINITY;
        tunnel.high[k] = is_known ? 2.0 * k + 5 : INFINITY;
    }
    fit(&tunnel);
    for (int k = 0; k < WINDOWS; k++) {
        ck_assert_double_eq_tol(tunnel.fit[k], 2.0 * k, 1e-6);
    }
}
END_TEST

/* ---- maps ------------------------------------------------------------------------------------- */

static struct mpl_course make_course(uint32_t n, double (*add)(double), bool is_alone)
{
    struct mpl_course course = { .n_processes = 1, .n = n };
    int64_t *at = MPL_NEW_ARRAY(arena, n, int64_t);

    course.add_ticks = MPL_NEW_ARRAY(arena, n, double);
    course.slope = MPL_NEW_ARRAY(arena, 1, double);
    for (uint32_t k = 0; k < n; k++) {
        at[k] = 1000 + 100 * (int64_t) k;
        course.add_ticks[k] = add((double) at[k]);
    }
    course.at_ticks = at;
    course.slope[0] = is_alone ? 0 : 0.01;
    return course;
}

static double straight(double at)
{
    return 5 + at * 0.01;
}

static double swinging(double at)
{
    return 300 * sin(at / 5000);
}

static double falling(double at)
{
    return at < 3000 ? 0 : -1.5 * (at - 3000);
}

START_TEST(straight_course_is_one_piece)
{
    const struct mpl_course course = make_course(200, straight, false);
    struct mpl_clock_map map = { 0, NULL };
    bool is_sound = false;

    ck_assert_int_eq(
        mpl_clock_map_course(&course, 0, 40000, 1, arena, &map, &is_sound, NULL), MPL_OK);
    ck_assert(is_sound);
    ck_assert_uint_eq(map.n, 2);
    for (int64_t ticks = 0; ticks <= 40000; ticks += 7) {
        ck_assert_double_eq_tol((double) (mpl_clock_map_apply(&map, ticks) - ticks),
                                straight((double) ticks), 1.01);
    }
}
END_TEST

START_TEST(bent_course_is_followed_and_never_runs_backwards)
{
    const struct mpl_course course = make_course(400, swinging, true);
    struct mpl_clock_map map = { 0, NULL };
    bool is_sound = false;
    int64_t before = INT64_MIN;

    ck_assert_int_eq(
        mpl_clock_map_course(&course, 0, 45000, 2, arena, &map, &is_sound, NULL), MPL_OK);
    ck_assert(is_sound);
    ck_assert_uint_gt(map.n, 8);
    ck_assert_uint_lt(map.n, 100);
    for (int64_t ticks = 0; ticks <= 45000; ticks++) {
        const int64_t now = mpl_clock_map_apply(&map, ticks);
        const double wanted = ticks < 1000    ? swinging(1000)
                              : ticks > 40900 ? swinging(40900)
                                              : swinging((double) ticks);

        ck_assert_int_ge(now, before);
        ck_assert_double_eq_tol((double) (now - ticks), wanted, 3.1);
        before = now;
    }
}
END_TEST

START_TEST(course_that_would_turn_a_clock_back_is_unsound)
{
    const struct mpl_course course = make_course(100, falling, true);
    struct mpl_clock_map map = { 0, NULL };
    bool is_sound = true;

    ck_assert_int_eq(
        mpl_clock_map_course(&course, 0, 20000, 1, arena, &map, &is_sound, NULL), MPL_OK);
    ck_assert(!is_sound);
}
END_TEST

/* ---- choices ------------------------------------------------------------------------------------ */

/* Offsets say that all is well, but process 1 is 500 ahead in the middle of the run. */
static struct mpl_model *make_swinging(bool has_offsets)
{
    t = trace_create(arena, 2, 1);
    for (uint32_t l = 0; l < 2 && has_offsets; l++) {
        trace_add_offset(t, l, 0, 0);
        trace_add_offset(t, l, 1000000, 0);
    }
    for (int64_t now = 1000; now < 1000000; now += 2000) {
        const int64_t ahead = llround(500 * sin((double) now * acos(-1) / 1e6));

        (void) trace_send(t, 0, now, now + 1, "MPI_Send", to(1), 8);
        (void) trace_recv(t, 1, now + ahead - 5, now + ahead + 20, to(0), 8);
        (void) trace_send(t, 1, now + ahead + 40, now + ahead + 41, "MPI_Send", to(0), 8);
        (void) trace_recv(t, 0, now + 41, now + 60, to(1), 8);
    }
    return trace_model(t);
}

START_TEST(recorded_offsets_that_reverse_messages_are_refined)
{
    struct mpl_model *model = make_swinging(true);
    const struct mpl_clock *clock = correct_as(model, MPL_CLOCK_AUTO, false);

    ck_assert_str_eq(mpl_clock_source_name(clock->source), "refined");
    ck_assert_uint_gt(clock->n_pieces, 2);
    ck_assert_uint_eq(clock->mapped.p2p, 0);
    ck_assert_uint_eq(clock->accuracy.n, 1000);
    ck_assert_uint_eq(clock->accuracy.n_correct, 1000);
    for (uint32_t i = 1; i < model->locations[1].n_events; i += 6) {
        /* The receive is 20 after the send, on any clock that is right. */
        const int64_t took =
            mpl_ticks_of(&model->locations[1], i) - mpl_ticks_of(&model->locations[0], i);

        ck_assert_int_ge(took, 20 - clock->bound_ticks[1]);
        ck_assert_int_le(took, 20 + clock->bound_ticks[1]);
    }
    ck_assert_int_le(clock->bound_ticks[1], 60);
}
END_TEST

START_TEST(offsets_only_means_as_recorded)
{
    struct mpl_model *model = make_swinging(true);
    const struct mpl_clock *clock = correct_as(model, MPL_CLOCK_ONLY_OFFSETS, false);

    ck_assert_str_eq(mpl_clock_source_name(clock->source), "offsets");
    ck_assert_uint_eq(clock->n_pieces, 1);
    ck_assert_uint_gt(clock->mapped.p2p, 400);
    ck_assert_uint_eq(clock->accuracy.n_correct, 1000 - clock->mapped.p2p);
    ck_assert_int_eq(clock->accuracy.worst_ticks, clock->mapped.worst_ticks);
    /* What they are wrong by is reported all the same. */
    ck_assert_int_ge(clock->bound_ticks[1], 490);
    ck_assert_ptr_null(clock->repair);
}
END_TEST

START_TEST(offsets_only_without_offsets_falls_back_and_says_so)
{
    struct mpl_model *model = make_swinging(false);
    const struct mpl_clock *clock = correct_as(model, MPL_CLOCK_ONLY_OFFSETS, false);

    ck_assert_str_eq(mpl_clock_source_name(clock->source), "messages");
    ck_assert_uint_eq(note_count(model, "clock-no-offsets"), 1);
}
END_TEST

START_TEST(messages_only_leaves_recorded_offsets_aside)
{
    struct mpl_model *model = make_swinging(true);
    const struct mpl_clock *clock = correct_as(model, MPL_CLOCK_ONLY_MESSAGES, false);

    ck_assert_str_eq(mpl_clock_source_name(clock->source), "messages");
    ck_assert_uint_eq(clock->mapped.p2p, 0);
    ck_assert_uint_eq(note_count(model, "clock-drift-suspected"), 1);
}
END_TEST

START_TEST(none_means_neither_offsets_nor_repair)
{
    struct mpl_model *model = make_swinging(true);
    const struct mpl_clock *clock = correct_as(model, MPL_CLOCK_NONE, true);

    ck_assert_str_eq(mpl_clock_source_name(clock->source), "raw");
    ck_assert_uint_eq(clock->after.p2p, clock->before.p2p);
    ck_assert_ptr_null(clock->repair);
    ck_assert_int_eq(clock->bound_ticks[1], INT64_MAX);
}
END_TEST

START_TEST(what_is_left_is_repaired_and_widens_the_bound)
{
    struct mpl_model *model = make_swinging(true);
    const struct mpl_clock *clock = correct_as(model, MPL_CLOCK_ONLY_OFFSETS, true);

    ck_assert_uint_gt(clock->mapped.p2p, 0);
    ck_assert_uint_eq(clock->after.p2p, 0);
    ck_assert_ptr_nonnull(clock->repair);
    ck_assert_int_ge(clock->bound_ticks[1], clock->repair->location_max_ticks[1]);
    ck_assert_int_le(clock->low_ticks[1], -clock->repair->location_max_ticks[1]);
}
END_TEST

/* ---- outliers ------------------------------------------------------------------------------- */

/* Constant clocks, and one receive that is recorded a millisecond too early. */
START_TEST(single_wrong_record_does_not_bend_clocks)
{
    struct mpl_model *model;
    const struct mpl_clock *clock;

    t = trace_create(arena, 2, 1);
    for (int64_t now = 10000; now < 10000000; now += 20000) {
        const int64_t wrong = now == 4010000 ? 5000 : 0;

        (void) trace_send(t, 0, now, now + 1, "MPI_Send", to(1), 8);
        (void) trace_recv(t, 1, now - 9000, now + 20 - wrong, to(0), 8);
        (void) trace_send(t, 1, now + 40, now + 41, "MPI_Send", to(0), 8);
        (void) trace_recv(t, 0, now + 41, now + 60, to(1), 8);
    }
    model = trace_model(t);
    clock = correct_as(model, MPL_CLOCK_AUTO, false);
    ck_assert_uint_eq(note_count(model, "clock-outlier"), 1);
    ck_assert_uint_eq(note_count(model, "clock-drift-suspected"), 0);
    ck_assert_uint_eq(clock->n_pieces, 1);
    ck_assert_int_eq(clock->drift_ticks[1], 0);
    ck_assert_int_le(llabs(clock->offset_ticks[1]), 1);
    ck_assert_uint_eq(clock->mapped.p2p, 1);
}
END_TEST

/* ---- hidden drift ----------------------------------------------------------------------------- */

/* Within 40 of each other the whole time, but from one side of it to the other. */
START_TEST(drift_below_a_round_trip_is_found_all_the_same)
{
    struct mpl_model *model;
    const struct mpl_clock *clock;

    t = trace_create(arena, 2, 1);
    for (int64_t now = 10000; now < 10000000; now += 20000) {
        const int64_t ahead = now * 36 / 10000000;
        const int64_t noise = now / 20000 * 7 % 5;

        (void) trace_send(t, 0, now, now + 1, "MPI_Send", to(1), 8);
        (void) trace_recv(t, 1, now + ahead - 5, now + ahead + 20 + noise, to(0), 8);
        (void) trace_send(t, 1, now + ahead + 40, now + ahead + 41, "MPI_Send", to(0), 8);
        (void) trace_recv(t, 0, now + 41, now + 60 + noise, to(1), 8);
    }
    model = trace_model(t);
    clock = correct_as(model, MPL_CLOCK_AUTO, false);
    ck_assert_uint_eq(note_count(model, "clock-drift-suspected"), 1);
    ck_assert_int_le(llabs(clock->drift_ticks[1] + 36), 4);
    ck_assert_int_ge(clock->bound_ticks[1], 20);
    ck_assert_uint_eq(clock->mapped.p2p, 0);
}
END_TEST

/* ---- EventSpace -------------------------------------------------------------------------------- */

/* Request 10 there, 100 of work, 30 back: c is 20, so the offset is wrong by 10. */
START_TEST(eventspace_averages_symmetric_round_trips)
{
    struct mpl_model *model;
    const struct mpl_clock *clock;

    t = trace_create(arena, 2, 1);
    for (int64_t now = 10000; now < 20000; now += 1000) {
        const int64_t more = now == 10000 ? 20 : 0;

        (void) trace_send(t, 0, now, now + 1, "MPI_Send", to(1), 8);
        (void) trace_recv(t, 1, now - 5005, now - 5000 + 10, to(0), 8);
        (void) trace_send(t, 1, now - 5000 + 110, now - 5000 + 111, "MPI_Send", to(0), 8);
        (void) trace_recv(t, 0, now + 1, now + 140 + more, to(1), 8);
    }
    model = trace_model(t);
    clock = correct_as(model, MPL_CLOCK_ONLY_EVENTSPACE, false);
    ck_assert_str_eq(mpl_clock_source_name(clock->source), "eventspace");
    ck_assert_uint_eq(clock->reference, 0);
    /* o = -5000 - 10 nine times, - 20 once; to be added is the opposite. */
    ck_assert_int_eq(clock->offset_ticks[1], 5000 + 11);
    ck_assert_uint_eq(clock->mapped.p2p, 0);
}
END_TEST

START_TEST(eventspace_adds_offsets_along_its_tree)
{
    struct mpl_model *model;
    const struct mpl_clock *clock;

    t = trace_create(arena, 4, 1);
    for (uint32_t p = 0; p < 2; p++) {
        const int64_t here = 1000 * (int64_t) (p + 1);
        const int64_t there = here - 300;

        (void) trace_send(t, p, here, here + 1, "MPI_Send", to(p + 1), 8);
        (void) trace_recv(t, p + 1, there, there + 10, to(p), 8);
        (void) trace_send(t, p + 1, there + 20, there + 21, "MPI_Send", to(p), 8);
        (void) trace_recv(t, p, here + 5, here + 30, to(p + 1), 8);
    }
    trace_record(t, 3, 5, MPL_EV_MARK);
    model = trace_model(t);
    clock = correct_as(model, MPL_CLOCK_ONLY_EVENTSPACE, false);
    ck_assert_int_eq(clock->offset_ticks[1], 300);
    ck_assert_int_eq(clock->offset_ticks[2], 600);
    ck_assert_uint_eq(note_count(model, "clock-unconnected"), 1);
}
END_TEST

START_TEST(accuracy_is_that_of_the_reversed_messages)
{
    const int64_t miss[] = { 10, 20, 60, -5 };
    struct mpl_clock_accuracy accuracy = { 0 };
    struct mpl_misses misses = { .miss = mpl_buf_make(sizeof(int64_t)) };

    for (int i = 0; i < 4; i++) {
        const struct mpl_order_pair pair = { .sent_ticks = 1000 * (i + 1),
                                             .received_ticks = 1000 * (i + 1) - miss[i] };

        mpl_misses_see(&misses, &pair);
    }
    mpl_misses_describe(&misses, &accuracy);
    mpl_buf_free(&misses.miss);
    ck_assert_uint_eq(accuracy.n, 4);
    ck_assert_uint_eq(accuracy.n_correct, 1);
    ck_assert_double_eq_tol(accuracy.mean_ticks, 30, 1e-9);
    ck_assert_double_eq_tol(accuracy.median_ticks, 20, 1e-9);
    /* sqrt((20^2 + 10^2 + 30^2) / 3) */
    ck_assert_double_eq_tol(accuracy.stddev_ticks, 21.602468994693, 1e-9);
    ck_assert_int_eq(accuracy.worst_ticks, 60);
}
END_TEST

/* ---- memory -------------------------------------------------------------------------------------- */

/* _i is the choice; from some allocation on, all is well. */
START_TEST(running_out_of_memory_is_told_at_every_step)
{
    long n = 0;

    for (;; n++) {
        struct mpl_model *model = make_swinging(_i == MPL_CLOCK_AUTO);
        const struct mpl_match *match = trace_match(model, arena);
        struct mpl_clock_options options = mpl_clock_defaults();
        struct mpl_arena *result = mpl_arena_create();
        const struct mpl_clock *clock = NULL;
        struct mpl_err err = { 0 };

        trace_destroy(t);
        t = NULL;
        options.choice = (enum mpl_clock_choice) _i;
        mpl_alloc_fail_after(n);

        const enum mpl_status st =
            mpl_clock_correct(model, match, &options, NULL, result, &clock, &err);

        mpl_alloc_fail_after(-1);
        mpl_arena_destroy(result);
        if (st == MPL_OK) {
            break;
        }
        ck_assert_int_eq(st, MPL_E_NOMEM);
        ck_assert_ptr_null(clock);
    }
    ck_assert_int_gt(n, 20);
}
END_TEST

static TCase *make_part_cases(void)
{
    TCase *c = tcase_create("parts");

    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_add_test(c, line_that_fits_all_intervals_is_kept_straight);
    tcase_add_test(c, curve_bends_to_stay_inside_and_is_smooth);
    tcase_add_test(c, windows_without_limits_are_bridged);
    tcase_add_test(c, straight_course_is_one_piece);
    tcase_add_test(c, bent_course_is_followed_and_never_runs_backwards);
    tcase_add_test(c, course_that_would_turn_a_clock_back_is_unsound);
    return c;
}

static TCase *make_choice_cases(void)
{
    TCase *c = tcase_create("choices");

    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, recorded_offsets_that_reverse_messages_are_refined);
    tcase_add_test(c, offsets_only_means_as_recorded);
    tcase_add_test(c, offsets_only_without_offsets_falls_back_and_says_so);
    tcase_add_test(c, messages_only_leaves_recorded_offsets_aside);
    tcase_add_test(c, none_means_neither_offsets_nor_repair);
    tcase_add_test(c, what_is_left_is_repaired_and_widens_the_bound);
    tcase_add_test(c, single_wrong_record_does_not_bend_clocks);
    tcase_add_test(c, drift_below_a_round_trip_is_found_all_the_same);
    tcase_add_test(c, eventspace_averages_symmetric_round_trips);
    tcase_add_test(c, eventspace_adds_offsets_along_its_tree);
    tcase_add_test(c, accuracy_is_that_of_the_reversed_messages);
    tcase_add_loop_test(c, running_out_of_memory_is_told_at_every_step, MPL_CLOCK_AUTO,
                        MPL_CLOCK_ONLY_EVENTSPACE + 1);
    return c;
}

int main(void)
{
    Suite *suite = suite_create("clock_drift");

    suite_add_tcase(suite, make_part_cases());
    suite_add_tcase(suite, make_choice_cases());
    return run_suite(suite);
}
