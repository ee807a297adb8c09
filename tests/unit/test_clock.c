#include "config.h"

#include "../lib/suite.h"
#include "hand_trace.h"

#include "clock/clock_priv.h"

#include <check.h>
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
    for (uint32_t l = 1; l < model->n_locations; l++) {
        ck_assert_uint_eq(model->locations[l].base_ticks, model->locations[0].base_ticks);
    }
    return clock;
}

static const struct mpl_clock *correct(struct mpl_model *model)
{
    return correct_as(model, MPL_CLOCK_AUTO, true);
}

/* Offsets as they are recorded, and what they leave. */
static const struct mpl_clock *correct_by_offsets(struct mpl_model *model)
{
    return correct_as(model, MPL_CLOCK_ONLY_OFFSETS, false);
}

/* ---- maps -------------------------------------------------------------------------------- */

static struct mpl_clock_map recorded(const struct mpl_clock_offset *points, uint32_t n,
                                     uint64_t base, uint64_t origin, bool *is_sound)
{
    struct mpl_clock_map map = { 0, NULL };

    ck_assert_int_eq(
        mpl_clock_map_recorded(points, n, base, origin, arena, &map, is_sound, NULL),
        MPL_OK);
    return map;
}

/* The figures that the OTF2 library gives for the same records. */
START_TEST(offsets_are_interpolated_and_extrapolated_as_otf2_does)
{
    const struct mpl_clock_offset points[] = { { 1000, 100, 0 }, { 2000, 200, 0 } };
    bool is_sound = false;
    const struct mpl_clock_map map = recorded(points, 2, 0, 0, &is_sound);

    ck_assert(is_sound);
    ck_assert_int_eq(mpl_clock_map_apply(&map, 1000), 1100);
    ck_assert_int_eq(mpl_clock_map_apply(&map, 1500), 1650);
    ck_assert_int_eq(mpl_clock_map_apply(&map, 2000), 2200);
    ck_assert_int_eq(mpl_clock_map_apply(&map, 500), 550);
    ck_assert_int_eq(mpl_clock_map_apply(&map, 5000), 5500);
}
END_TEST

START_TEST(each_interval_between_points_has_its_own_slope)
{
    const struct mpl_clock_offset points[] = { { 0, 0, 0 }, { 100, 90, 0 }, { 200, 0, 0 } };
    const int64_t expected[] = { -95, 0, 95, 188, 190, 190, 195, 200, 210 };
    const int64_t ticks[] = { -50, 0, 50, 99, 100, 103, 150, 200, 300 };
    const uint8_t kinds[9] = { MPL_EV_MARK };
    const uint32_t refs[9] = { 0 };
    struct mpl_location loc = { 0 };
    bool is_sound = false;
    const struct mpl_clock_map map = recorded(points, 3, 0, 0, &is_sound);

    for (int i = 0; i < 9; i++) {
        ck_assert_int_eq(mpl_clock_map_apply(&map, ticks[i]), expected[i]);
    }
    ck_assert(mpl_location_set_events(&loc, 9, ticks, kinds, refs, arena));
    ck_assert(mpl_clock_map_apply_all(&map, &loc.times, 9));
    for (uint32_t i = 0; i < 9; i++) {
        ck_assert_int_eq(mpl_ticks_of(&loc, i), expected[i]);
    }
}
END_TEST

/* Neighbouring doubles near 2^62 are 1024 apart; the map must tell ticks apart there. */
START_TEST(times_beyond_doubles_keep_every_tick)
{
    const uint64_t base = (UINT64_C(1) << 62) + 12345;
    const struct mpl_clock_offset points[] = { { base, -7, 0 },
                                               { base + 1000000, 999, 0 } };
    bool is_sound = false;
    const struct mpl_clock_map map = recorded(points, 2, base, base - 7, &is_sound);

    ck_assert(is_sound);
    ck_assert_int_eq(mpl_clock_map_apply(&map, 0), 0);
    ck_assert_int_eq(mpl_clock_map_apply(&map, 500000), 500503);
    ck_assert_int_eq(mpl_clock_map_apply(&map, 500001), 500504);
    ck_assert_int_eq(mpl_clock_map_apply(&map, 1000000), 1001006);
}
END_TEST

START_TEST(clock_that_would_run_backwards_keeps_its_first_offset)
{
    const struct mpl_clock_offset points[] = { { 1000, 50, 0 }, { 1010, 30, 0 } };
    bool is_sound = true;
    const struct mpl_clock_map map = recorded(points, 2, 0, 0, &is_sound);

    ck_assert(!is_sound);
    ck_assert_int_eq(mpl_clock_map_apply(&map, 1000), 1050);
    ck_assert_int_eq(mpl_clock_map_apply(&map, 1010), 1060);
}
END_TEST

/* ---- recorded offsets ------------------------------------------------------------------------ */

/* Two nodes whose clocks are 2^60 ticks apart, and the second drifts by 10 ticks in 1000. */
static struct mpl_model *make_nodes(void)
{
    const uint64_t there = UINT64_C(1) << 60;

    t = trace_create(arena, 2, 1);
    trace_set_base(t, 0, 5000);
    trace_set_base(t, 1, 5000 + there);
    trace_add_offset(t, 0, 5000, 0);
    trace_add_offset(t, 0, 6000, 0);
    trace_add_offset(t, 1, 5000 + there, -(int64_t) there);
    trace_add_offset(t, 1, 6000 + there, -(int64_t) there + 10);
    (void) trace_send(t, 0, 100, 110, "MPI_Send", to(1), 8);
    (void) trace_recv(t, 1, 90, 160, to(0), 8);
    (void) trace_send(t, 1, 500, 510, "MPI_Send", to(0), 8);
    (void) trace_recv(t, 0, 400, 560, to(1), 8);
    return trace_model(t);
}

START_TEST(recorded_offsets_bring_nodes_together)
{
    struct mpl_model *model = make_nodes();
    const struct mpl_clock *clock = correct(model);

    ck_assert_str_eq(mpl_clock_source_name(clock->source), "offsets");
    ck_assert_uint_eq(clock->before.p2p, 1);
    ck_assert_uint_eq(clock->after.p2p, 0);
    /* The first event of the run is process 1's enter of MPI_Recv, at 90 + 1. */
    ck_assert_int_eq(mpl_ticks_of(&model->locations[1], 0), 0);
    ck_assert_int_eq(mpl_ticks_of(&model->locations[0], 0), 100 - 91);
    ck_assert_int_eq(mpl_ticks_of(&model->locations[1], 1), 160 + 2 - 91);
    ck_assert_uint_eq(model->locations[0].base_ticks, 5091);
    ck_assert_int_eq(clock->duration_ticks, 560 - 91);
    ck_assert_int_eq(clock->offset_ticks[0], 0);
    /* Mean of 90 + there -> +1 and of 510 + there -> +5. */
    ck_assert_int_eq(clock->offset_ticks[1], -(INT64_C(1) << 60) + 3);
    /* Process 1 may be 62 early or 55 late without a reversed message: 162 - 100, 560 - 505. */
    ck_assert_int_eq(clock->bound_ticks[1], 62);
    ck_assert_int_eq(clock->bound_ticks[0], 0);
}
END_TEST

/* Offsets of 300 for all, of clocks that begin to count at different times: one message comes 30 before it is sent. _i
 * is by how much the second offset of process 1 differs, so that its clock is moved by more than the other, or not. */
START_TEST(what_is_counted_before_are_the_clocks_as_recorded)
{
    struct mpl_model *model;
    struct mpl_order_view *view = NULL;
    const struct mpl_match *match = NULL;
    struct mpl_violations recorded = { 0 };

    t = trace_create(arena, 2, 1);
    trace_set_base(t, 0, 5000);
    trace_set_base(t, 1, 4000);
    for (uint32_t l = 0; l < 2; l++) {
        trace_add_offset(t, l, 5000, 300);
        trace_add_offset(t, l, 6000, l == 0 ? 300 : 300 + _i);
    }
    (void) trace_send(t, 0, 100, 110, "MPI_Send", to(1), 8);
    (void) trace_recv(t, 1, 1050, 1070, to(0), 8);
    (void) trace_send(t, 1, 1200, 1210, "MPI_Send", to(0), 8);
    (void) trace_recv(t, 0, 400, 560, to(1), 8);
    model = trace_model(t);
    ck_assert_int_eq(mpl_match_create(model, arena, &match, NULL), MPL_OK);
    ck_assert_int_eq(mpl_order_view_create(model, match, arena, &view, NULL), MPL_OK);
    /* Process times as the clocks are: those of process 1 begin 1000 earlier. */
    const int64_t apart[2] = { 0, -1000 };
    struct mpl_tally tally = { apart, NULL, &recorded };

    for (uint32_t l = 0; l < 2; l++) {
        struct mpl_order_pairs walk = { .view = view, .location = l };
        struct mpl_order_pair pair[MPL_ORDER_BATCH];

        ck_assert_uint_eq(mpl_order_pairs_next(&walk, pair), 1);
        mpl_tally_pair(&tally, &pair[0]);
    }

    const struct mpl_clock *clock = correct(model);

    ck_assert_uint_eq(recorded.p2p, 1);
    ck_assert_int_eq(recorded.worst_ticks, 30);
    ck_assert_uint_eq(clock->before.n_p2p, 2);
    ck_assert_uint_eq(clock->before.p2p, recorded.p2p);
    ck_assert_int_eq(clock->before.worst_ticks, recorded.worst_ticks);
}
END_TEST

START_TEST(thread_without_offsets_uses_those_of_its_process)
{
    struct mpl_model *model;

    t = trace_create(arena, 2, 2);
    for (uint32_t l = 0; l < 4; l++) {
        trace_record(t, l, 10, MPL_EV_MARK);
    }
    trace_add_offset(t, 0, 0, 0);
    trace_add_offset(t, 0, 1000, 0);
    trace_add_offset(t, 2, 0, 500);
    trace_add_offset(t, 2, 1000, 500);
    model = trace_model(t);

    const struct mpl_clock *clock = correct(model);

    ck_assert_int_eq(clock->source, MPL_CLOCK_OFFSETS);
    ck_assert_int_eq(mpl_ticks_of(&model->locations[1], 0), 0);
    ck_assert_int_eq(mpl_ticks_of(&model->locations[2], 0), 500);
    ck_assert_int_eq(mpl_ticks_of(&model->locations[3], 0), 500);
    /* Nothing confirms the offsets. */
    ck_assert_int_eq(clock->bound_ticks[2], INT64_MAX);
}
END_TEST

START_TEST(single_offset_is_a_constant_and_noted)
{
    struct mpl_model *model;

    t = trace_create(arena, 2, 1);
    trace_record(t, 0, 10, MPL_EV_MARK);
    trace_record(t, 1, 10, MPL_EV_MARK);
    trace_record(t, 1, 5010, MPL_EV_MARK);
    trace_add_offset(t, 0, 0, 0);
    trace_add_offset(t, 1, 0, 300);
    model = trace_model(t);
    (void) correct(model);
    ck_assert_int_eq(mpl_ticks_of(&model->locations[1], 0), 300);
    ck_assert_int_eq(mpl_ticks_of(&model->locations[1], 1), 5300);
    ck_assert_uint_eq(note_count(model, "clock-offset-constant"), 2);
}
END_TEST

/* Recorded offsets of nothing, and a message that is there so long before it was sent. */
static void receive_early(int64_t early)
{
    t = trace_create(arena, 2, 1);
    for (uint32_t l = 0; l < 2; l++) {
        trace_add_offset(t, l, 0, 0);
        trace_add_offset(t, l, 1000, 0);
    }
    (void) trace_send(t, 0, 100, 110, "MPI_Send", to(1), 8);
    (void) trace_recv(t, 1, 10, 100 - early, to(0), 8);
}

START_TEST(reversals_that_recorded_offsets_leave_are_counted_and_located)
{
    struct mpl_model *model;

    receive_early(7);
    model = trace_model(t);

    const struct mpl_clock *clock = correct_by_offsets(model);

    ck_assert_uint_eq(clock->before.p2p, 1);
    ck_assert_uint_eq(clock->after.p2p, 1);
    ck_assert_int_eq(clock->after.worst_ticks, 7);
    ck_assert_uint_eq(note_count(model, "clock-violation"), 1);
}
END_TEST

/* ---- estimates --------------------------------------------------------------------------------- */

/* Process 1's clock is 1000 behind; a message there and one back take their times. */
static void ping_pong(int64_t there, int64_t back)
{
    (void) trace_send(t, 0, 5000, 5001, "MPI_Send", to(1), 8);
    (void) trace_recv(t, 1, 3990, 4000 + there, to(0), 8);
    (void) trace_send(t, 1, 4200, 4201, "MPI_Send", to(0), 8);
    (void) trace_recv(t, 0, 5190, 5200 + back, to(1), 8);
}

START_TEST(round_trip_gives_the_offset_and_half_of_it_the_bound)
{
    struct mpl_model *model;

    t = trace_create(arena, 2, 1);
    ping_pong(30, 10);
    model = trace_model(t);

    const struct mpl_clock *clock = correct(model);

    ck_assert_str_eq(mpl_clock_source_name(clock->source), "messages");
    ck_assert_uint_eq(clock->reference, 0);
    ck_assert_int_eq(clock->offset_ticks[0], 0);
    /* The truth is 1000, anything from 970 to 1010 is possible. */
    ck_assert_int_eq(clock->offset_ticks[1], 990);
    ck_assert_int_eq(clock->bound_ticks[1], 20);
    ck_assert_int_eq(clock->tree_bound_ticks[1], 20);
    ck_assert_uint_eq(clock->before.p2p, 1);
    ck_assert_int_eq(clock->before.worst_ticks, 970);
    ck_assert_uint_eq(clock->after.p2p, 0);
}
END_TEST

/* 0 - 1 - 2 is the tree (20 + 20); the slow messages between 0 and 2 still cut its bound. */
START_TEST(all_messages_together_beat_the_tree)
{
    struct mpl_model *model;

    t = trace_create(arena, 3, 1);
    (void) trace_send(t, 0, 100, 101, "MPI_Send", to(1), 8);
    (void) trace_recv(t, 1, 90, 120, to(0), 8);
    (void) trace_send(t, 1, 200, 201, "MPI_Send", to(0), 8);
    (void) trace_recv(t, 0, 190, 220, to(1), 8);
    (void) trace_send(t, 1, 300, 301, "MPI_Send", to(2), 8);
    (void) trace_recv(t, 2, 290, 320, to(1), 8);
    (void) trace_send(t, 2, 400, 401, "MPI_Send", to(1), 8);
    (void) trace_recv(t, 1, 390, 420, to(2), 8);
    (void) trace_send(t, 0, 500, 501, "MPI_Send", to(2), 8);
    (void) trace_recv(t, 2, 490, 510, to(0), 8);
    (void) trace_send(t, 2, 600, 601, "MPI_Send", to(0), 8);
    (void) trace_recv(t, 0, 590, 690, to(2), 8);
    model = trace_model(t);

    const struct mpl_clock *clock = correct(model);

    ck_assert_int_eq(clock->tree_bound_ticks[2], 40);
    /* x2 >= -10 by the direct message, x2 <= 40 by 1. */
    ck_assert_int_eq(clock->bound_ticks[2], 25);
    ck_assert_int_eq(clock->offset_ticks[2], 15);
}
END_TEST

START_TEST(barrier_answers_messages_in_one_direction)
{
    struct mpl_model *model;

    t = trace_create(arena, 2, 1);
    (void) trace_send(t, 0, 5000, 5001, "MPI_Send", to(1), 8);
    (void) trace_recv(t, 1, 3990, 4005, to(0), 8);
    (void) trace_coll(t, 0, 5100, 5140, 0, MPL_COLL_BARRIER, MPL_NONE);
    (void) trace_coll(t, 1, 4120, 4150, 0, MPL_COLL_BARRIER, MPL_NONE);
    model = trace_model(t);

    const struct mpl_clock *clock = correct(model);

    /* x1 >= 5000 - 4005, and x1 <= 5140 - 4120. */
    ck_assert_int_eq(clock->offset_ticks[1], (995 + 1020) / 2);
    ck_assert_int_eq(clock->bound_ticks[1], 13);
    ck_assert_uint_eq(clock->after.collective, 0);
}
END_TEST

/* With 5 ranks only neighbours in the cube are gathered; 0 and 3 are none. */
START_TEST(last_to_enter_a_barrier_limits_everybody)
{
    const int64_t enter[] = { 1000, 1010, 1020, 1900, 1030 };
    const int64_t leave[] = { 1950, 1905, 1907, 1903, 1960 };
    struct mpl_model *model;

    t = trace_create(arena, 5, 1);
    for (uint32_t l = 0; l < 5; l++) {
        trace_set_base(t, l, 100000 * (uint64_t) l);
        (void) trace_coll(t, l, enter[l], leave[l], 0, MPL_COLL_BARRIER, MPL_NONE);
        (void) trace_coll(t, l, 3000 + enter[4 - l], 3000 + leave[4 - l], 0,
                          MPL_COLL_BARRIER, MPL_NONE);
    }
    model = trace_model(t);

    const struct mpl_clock *clock = correct(model);

    ck_assert_int_eq(clock->source, MPL_CLOCK_MESSAGES);
    ck_assert_uint_eq(clock->after.collective, 0);
    for (uint32_t l = 1; l < 5; l++) {
        const int64_t error = clock->offset_ticks[l] + 100000 * (int64_t) l;

        ck_assert_int_le(llabs(error), clock->bound_ticks[l]);
        ck_assert_int_le(clock->bound_ticks[l], clock->tree_bound_ticks[l]);
    }
}
END_TEST

START_TEST(synchronous_send_is_answered_by_its_return)
{
    struct mpl_model *model;

    t = trace_create(arena, 2, 1);
    (void) trace_send(t, 0, 5000, 5105, "MPI_Ssend", to(1), 8);
    (void) trace_recv(t, 1, 4100, 4103, to(0), 8);
    model = trace_model(t);

    const struct mpl_clock *clock = correct(model);

    /* x1 >= 5000 - 4103 by the message, and x1 <= 5105 - 4100 by the return. */
    ck_assert_int_eq(clock->offset_ticks[1], (897 + 1005) / 2);
    ck_assert_int_eq(clock->bound_ticks[1], 54);
    ck_assert_uint_eq(note_count(model, "clock-one-sided"), 0);
}
END_TEST

START_TEST(one_direction_only_has_no_bound_but_keeps_the_order)
{
    struct mpl_model *model;

    t = trace_create(arena, 2, 1);
    (void) trace_send(t, 0, 5000, 5001, "MPI_Send", to(1), 8);
    (void) trace_recv(t, 1, 3990, 4005, to(0), 8);
    model = trace_model(t);

    const struct mpl_clock *clock = correct(model);

    ck_assert_int_eq(clock->offset_ticks[1], 995);
    ck_assert_int_eq(clock->bound_ticks[1], INT64_MAX);
    ck_assert_int_eq(clock->tree_bound_ticks[1], INT64_MAX);
    ck_assert_uint_eq(clock->after.p2p, 0);
    ck_assert_uint_eq(note_count(model, "clock-one-sided"), 1);
}
END_TEST

/* Sends at 5 ms and receives at 9 ms. \p call_ns is how long the receive takes. */
static int64_t offset_behind_late_receive(int64_t call_ns, uint64_t base)
{
    t = trace_create(arena, 2, 1);
    trace_set_base(t, 1, base);
    (void) trace_send(t, 0, 5000000, 5000100, "MPI_Send", to(1), 8);
    (void) trace_recv(t, 1, 9000000 - call_ns, 9000000, to(0), 8);
    return correct(trace_model(t))->offset_ticks[1];
}

static const struct {
    const char *why;
    int64_t call_ns;
    uint64_t base;
    int64_t offset_most;
    int64_t offset_least;
} late_receives[] = {
    { "the message lay there: the clock is kept as recorded", 20000, 0, 0, 0 },
    { "a receive of 3 ms waited: its message came at the end", 3000000, 0, -3990000,
      -4000000 },
    { "nobody receives for an hour: this clock counts from somewhere else", 20000,
      3600000000000, -3600003990000, -3600004000000 },
};

START_TEST(message_that_lay_there_leaves_the_clock_as_recorded)
{
    const int64_t offset =
        offset_behind_late_receive(late_receives[_i].call_ns, late_receives[_i].base);

    ck_assert_int_le(offset, late_receives[_i].offset_most);
    ck_assert_int_ge(offset, late_receives[_i].offset_least);
}
END_TEST

START_TEST(ring_encloses_clocks_without_a_single_round_trip)
{
    struct mpl_model *model;

    t = trace_create(arena, 3, 1);
    for (uint32_t l = 0; l < 3; l++) {
        trace_set_base(t, l, 777 * (uint64_t) l);
        (void) trace_send(t, l, 100, 101, "MPI_Send", to((l + 1) % 3), 8);
        (void) trace_recv(t, l, 102, 140, to((l + 2) % 3), 8);
    }
    model = trace_model(t);

    const struct mpl_clock *clock = correct(model);

    for (uint32_t l = 1; l < 3; l++) {
        ck_assert_int_eq(clock->bound_ticks[l], 60);
        ck_assert_int_le(llabs(clock->offset_ticks[l] + 777 * (int64_t) l), 60);
        ck_assert_int_eq(clock->tree_bound_ticks[l], INT64_MAX);
    }
    ck_assert_uint_eq(clock->after.p2p, 0);
}
END_TEST

START_TEST(processes_that_nothing_connects_keep_their_clocks)
{
    struct mpl_model *model;

    t = trace_create(arena, 4, 1);
    trace_set_base(t, 2, 50);
    ping_pong(10, 10);
    (void) trace_send(t, 2, 100, 101, "MPI_Send", to(3), 8);
    (void) trace_recv(t, 3, 10, 20, to(2), 8);
    model = trace_model(t);

    const struct mpl_clock *clock = correct(model);

    ck_assert_int_eq(clock->source, MPL_CLOCK_MESSAGES);
    ck_assert_int_eq(clock->bound_ticks[2], INT64_MAX);
    ck_assert_int_eq(clock->offset_ticks[2], 0);
    /* Among themselves their order is kept. */
    ck_assert_int_eq(clock->offset_ticks[3], 130);
    ck_assert_uint_eq(note_count(model, "clock-unconnected"), 2);
    ck_assert_uint_eq(clock->after.p2p, 0);
}
END_TEST

START_TEST(clocks_that_nothing_connects_at_all_stay_raw)
{
    struct mpl_model *model;

    t = trace_create(arena, 2, 1);
    trace_set_base(t, 0, 40);
    trace_record(t, 0, 10, MPL_EV_MARK);
    trace_record(t, 1, 10, MPL_EV_MARK);
    trace_record(t, 1, 20, MPL_EV_MARK);
    model = trace_model(t);

    const struct mpl_clock *clock = correct(model);

    ck_assert_str_eq(mpl_clock_source_name(clock->source), "raw");
    ck_assert_int_eq(clock->bound_ticks[0], 0);
    ck_assert_int_eq(clock->bound_ticks[1], INT64_MAX);
    ck_assert_uint_eq(note_count(model, "clock-unconnected"), 1);
    ck_assert_int_eq(mpl_ticks_of(&model->locations[1], 0), 0);
    ck_assert_int_eq(mpl_ticks_of(&model->locations[0], 0), 40);
    ck_assert_uint_eq(model->locations[0].base_ticks, 10);
}
END_TEST

/* The master takes each request 5 ms late, the worker waits for its answers. */
START_TEST(receivers_that_wait_tell_the_offset_of_a_busy_master)
{
    const int64_t travel = 4000;
    const int64_t queue = 5000000;
    int64_t now = 1000000;
    struct mpl_model *model;

    t = trace_create(arena, 2, 1);
    for (int i = 0; i < 20; i++) {
        const int64_t taken = now + travel + queue;
        const int64_t answered = taken + 20000000;

        (void) trace_send(t, 1, now, now + 10, "MPI_Send", to(0), 8);
        (void) trace_recv(t, 0, taken - 10, taken, to(1), 8);
        (void) trace_send(t, 0, answered, answered + 10, "MPI_Send", to(1), 8);
        (void) trace_recv(t, 1, now + 20, answered + travel + 7 * i, to(0), 8);
        now = answered + travel + 1000000;
    }
    model = trace_model(t);

    const struct mpl_clock *clock = correct(model);

    ck_assert_int_eq(clock->bound_ticks[1], (2 * travel + queue) / 2);
    /* Not half of the queue, but within the time that a message may travel. */
    ck_assert_int_le(llabs(clock->offset_ticks[1]), 100000);
}
END_TEST

/* Process 2 is 20 ms late in every step, and a barrier is over 30 us after it has come: without
 * knowing who kept whom waiting, its clock may be wrong by as much as the others wait. */
START_TEST(members_that_wait_tell_the_offset_of_a_late_one)
{
    const int64_t late = 20000000;
    struct mpl_model *model;

    t = trace_create(arena, 6, 1);
    for (uint32_t l = 0; l < 6; l++) {
        trace_set_base(t, l, 1000000 * (uint64_t) l);
        for (int64_t i = 0; i < 40; i++) {
            const int64_t begin = 100000000 * (i + 1);
            const int64_t mine =
                begin + (l == 2 ? late : 0) + 17000 * ((i * 7 + l * 3) % 11);
            const int64_t over = begin + late + 200000 + 1000 * l + 100 * i;

            (void) trace_coll(t, l, mine, over, 0, MPL_COLL_BARRIER, MPL_NONE);
        }
    }
    model = trace_model(t);

    const struct mpl_clock *clock = correct(model);

    for (uint32_t l = 1; l < 6; l++) {
        const int64_t error = clock->offset_ticks[l] + 1000000 * (int64_t) l;

        ck_assert_int_le(llabs(error), 400000);
        ck_assert_int_le(llabs(error), clock->bound_ticks[l]);
    }
    ck_assert_int_gt(clock->bound_ticks[1], late / 4);
    ck_assert_uint_eq(clock->after.collective, 0);
}
END_TEST

/* ---- drift ---------------------------------------------------------------------------------- */

START_TEST(clock_that_drifts_evenly_is_followed_by_one_line)
{
    struct mpl_model *model;

    t = trace_create(arena, 2, 1);
    /* Process 1 gains 1 tick in 1000, 1000 in the course of the run. */
    for (int64_t now = 1000; now < 1000000; now += 10000) {
        const int64_t gain = now / 1000;

        (void) trace_send(t, 0, now, now + 1, "MPI_Send", to(1), 8);
        (void) trace_recv(t, 1, now + gain - 5, now + gain + 20, to(0), 8);
        (void) trace_send(t, 1, now + gain + 40, now + gain + 41, "MPI_Send", to(0), 8);
        (void) trace_recv(t, 0, now + 41, now + 60, to(1), 8);
    }
    model = trace_model(t);

    const struct mpl_clock *clock = correct(model);

    ck_assert_int_eq(clock->source, MPL_CLOCK_MESSAGES);
    ck_assert_uint_eq(note_count(model, "clock-drift-suspected"), 1);
    ck_assert_uint_eq(clock->n_pieces, 1);
    ck_assert_int_le(llabs(clock->offset_ticks[1] + 500), clock->bound_ticks[1]);
    /* From 995 + 0 to 991041 + 991. */
    ck_assert_int_le(llabs(clock->drift_ticks[1] + 990), 10);
    ck_assert_int_le(clock->bound_ticks[1], 40);
    ck_assert_uint_eq(clock->mapped.p2p, 0);
    ck_assert_ptr_null(clock->repair);
}
END_TEST

/* ---- clocks that are left alone ---------------------------------------------------------------- */

START_TEST(text_trace_is_bit_identical_but_for_its_base)
{
    struct mpl_model *model;

    t = trace_create(arena, 2, 1);
    trace_set_tracer(t, MPL_TRACER_TEXT);
    ping_pong(30, 10);
    model = trace_model(t);
    model->has_common_clock = true;

    const struct mpl_clock *clock = correct(model);

    ck_assert_str_eq(mpl_clock_source_name(clock->source), "single");
    ck_assert_int_eq(mpl_ticks_of(&model->locations[1], 0), 0);
    ck_assert_int_eq(mpl_ticks_of(&model->locations[0], 0), 5000 - 3990);
    ck_assert_uint_eq(clock->before.p2p, 1);
    ck_assert_uint_eq(clock->after.p2p, 1);
    ck_assert_int_eq(clock->after.worst_ticks, clock->before.worst_ticks);
    ck_assert_int_eq(clock->bound_ticks[1], 0);
}
END_TEST

START_TEST(single_process_keeps_its_times)
{
    struct mpl_model *model;

    t = trace_create(arena, 1, 2);
    trace_set_base(t, 0, UINT64_C(1) << 61);
    trace_set_base(t, 1, (UINT64_C(1) << 61) + 10);
    trace_record(t, 0, 5, MPL_EV_MARK);
    trace_record(t, 1, 5, MPL_EV_MARK);
    model = trace_model(t);

    const struct mpl_clock *clock = correct(model);

    ck_assert_int_eq(clock->source, MPL_CLOCK_SINGLE);
    ck_assert_int_eq(mpl_ticks_of(&model->locations[0], 0), 0);
    ck_assert_int_eq(mpl_ticks_of(&model->locations[1], 0), 10);
    ck_assert_uint_eq(model->locations[0].base_ticks, (UINT64_C(1) << 61) + 5);
    ck_assert_int_eq(clock->duration_ticks, 10);
}
END_TEST

START_TEST(process_without_events_is_no_reason_to_estimate)
{
    struct mpl_model *model;

    t = trace_create(arena, 2, 1);
    trace_record(t, 1, 5, MPL_EV_MARK);
    model = trace_model(t);

    const struct mpl_clock *clock = correct(model);

    ck_assert_int_eq(clock->source, MPL_CLOCK_SINGLE);
    ck_assert_uint_eq(mpl_quality_count(model->quality), 0);
}
END_TEST

/* ---- violations by kind ----------------------------------------------------------------------- */

struct reversed_case {
    enum mpl_coll_op op;
    uint32_t root;
    uint64_t late_sends, early_takes;
    uint64_t n;
};

static const struct reversed_case reversed_cases[] = {
    { MPL_COLL_BARRIER, MPL_NONE, 0, 0, 1 },
    { MPL_COLL_ALLREDUCE, MPL_NONE, 8, 8, 1 },
    { MPL_COLL_ALLREDUCE, MPL_NONE, 0, 8, 0 },
    { MPL_COLL_ALLGATHERV, MPL_NONE, 8, 0, 0 },
    { MPL_COLL_BCAST, 2, 8, 8, 1 },            /* The root is late, a leaf left. */
    { MPL_COLL_BCAST, 1, 8, 8, 0 },            /* A leaf is late; nobody needs it. */
    { MPL_COLL_SCATTERV, 2, 8, 0, 0 },         /* The leaf that left got nothing. */
    { MPL_COLL_REDUCE, 0, 8, 8, 1 },           /* The root left before a leaf entered. */
    { MPL_COLL_GATHERV, 0, 0, 8, 0 },          /* The late leaf sends nothing. */
    { MPL_COLL_REDUCE, 1, 8, 8, 0 },           /* A leaf left early; the root did not. */
    { MPL_COLL_SCAN, MPL_NONE, 8, 8, 0 },      /* Rank 0 needs nobody above. */
    { MPL_COLL_ALLTOALLV, MPL_NONE, 8, 8, 0 }, /* Who got what is not recorded. */
    { MPL_COLL_DESTROY, MPL_NONE, 0, 0, 0 },
};

/* On a common clock: process 0 leaves at 20 although the last one enters at 30. _i is the case. */
START_TEST(collective_is_reversed_where_its_semantics_say_so)
{
    const struct reversed_case *c = &reversed_cases[_i];
    struct mpl_model *model;

    t = trace_create(arena, 3, 1);
    for (uint32_t l = 0; l < 3; l++) {
        trace_add_offset(t, l, 0, 0);
        trace_add_offset(t, l, 1000, 0);
    }
    (void) trace_coll(t, 0, 10, 20, 0, c->op, c->root);
    trace_set_coll_bytes(t, 0, 0, 8, c->early_takes);
    (void) trace_coll(t, 1, 12, 40, 0, c->op, c->root);
    (void) trace_coll(t, 2, 30, 40, 0, c->op, c->root);
    trace_set_coll_bytes(t, 2, 0, c->late_sends, 8);
    model = trace_model(t);

    const struct mpl_clock *clock = correct_by_offsets(model);

    ck_assert_msg(clock->after.collective == c->n, "case %d: %s", _i,
                  mpl_coll_op_name(c->op));
    ck_assert_int_eq(clock->after.worst_ticks, c->n == 0 ? 0 : 10);
}
END_TEST

START_TEST(scan_is_reversed_where_a_lower_rank_enters_later)
{
    struct mpl_model *model;

    t = trace_create(arena, 2, 1);
    trace_set_tracer(t, MPL_TRACER_TEXT);
    (void) trace_coll(t, 0, 30, 40, 0, MPL_COLL_SCAN, MPL_NONE);
    (void) trace_coll(t, 1, 10, 20, 0, MPL_COLL_SCAN, MPL_NONE);
    model = trace_model(t);
    model->has_common_clock = true;
    ck_assert_uint_eq(correct_by_offsets(model)->after.collective, 1);
}
END_TEST

/* MPI_Finalize may let a process go; it is taken for reversed by 5 where a message is by 7, and not where it is by 3. */
START_TEST(finalize_is_reversed_where_a_message_is_by_as_much)
{
    struct mpl_model *model;

    receive_early(_i == 0 ? 7 : 3);
    trace_enter(t, 0, 170, "MPI_Finalize");
    trace_leave(t, 0, 180, "MPI_Finalize");
    trace_enter(t, 1, 160, "MPI_Finalize");
    trace_leave(t, 1, 165, "MPI_Finalize");
    model = trace_model(t);
    model->can.has_init_finalize = true;
    ck_assert_uint_eq(correct_by_offsets(model)->after.collective, _i == 0 ? 1 : 0);
}
END_TEST

START_TEST(worker_outside_of_all_forks_violates_the_order)
{
    struct mpl_model *model;

    t = trace_create(arena, 1, 2);
    trace_record(t, 0, 10, MPL_EV_FORK);
    trace_record(t, 0, 20, MPL_EV_JOIN);
    trace_record(t, 0, 30, MPL_EV_FORK);
    trace_record(t, 0, 40, MPL_EV_JOIN);
    trace_record(t, 1, 8, MPL_EV_TEAM_BEGIN);
    trace_record(t, 1, 15, MPL_EV_TEAM_END);
    trace_record(t, 1, 31, MPL_EV_TEAM_BEGIN);
    trace_record(t, 1, 45, MPL_EV_TEAM_END);
    trace_record(t, 1, 46, MPL_EV_TEAM_BEGIN);
    model = trace_model(t);

    const struct mpl_clock *clock = correct_by_offsets(model);

    ck_assert_uint_eq(clock->after.thread, 2);
    ck_assert_int_eq(clock->after.worst_ticks, 6);
}
END_TEST

/* ---- damage and memory ---------------------------------------------------------------------------- */

START_TEST(absurd_times_do_no_harm)
{
    struct mpl_model *model;

    t = trace_create(arena, 3, 1);
    trace_set_base(t, 0, UINT64_MAX - 5);
    trace_set_base(t, 1, 0);
    trace_set_base(t, 2, UINT64_C(1) << 63);
    (void) trace_send(t, 0, 100, INT64_MAX - 1, "MPI_Send", to(1), 8);
    (void) trace_recv(t, 1, 5, 6, to(0), 8);
    (void) trace_send(t, 1, 7, INT64_MAX, "MPI_Send", to(0), 8);
    (void) trace_recv(t, 0, INT64_MAX, INT64_MAX, to(1), 8);
    (void) trace_send(t, 2, INT64_MAX, INT64_MAX, "MPI_Send", to(1), 8);
    (void) trace_recv(t, 1, INT64_MAX, INT64_MAX, to(2), 8);
    model = trace_model(t);
    (void) correct(model);
    ck_assert_int_ge(mpl_ticks_of(&model->locations[1], 0), 0);
}
END_TEST

/* A small model with something for every path: messages both ways, collectives, an answer. */
static struct mpl_model *make_small(bool has_offsets, bool does_drift)
{
    struct trace *small = trace_create(arena, 3, 1);
    struct mpl_model *model;

    for (uint32_t l = 0; l < 3 && has_offsets; l++) {
        trace_add_offset(small, l, 0, 0);
        trace_add_offset(small, l, 1000, 10);
    }
    (void) trace_send(small, 0, 100, 101, "MPI_Ssend", to(1), 8);
    (void) trace_recv(small, 1, 90, does_drift ? 95 : 120, to(0), 8);
    (void) trace_send(small, 1, 200, 201, "MPI_Send", to(0), 8);
    (void) trace_recv(small, 0, 190, does_drift ? 195 : 220, to(1), 8);
    for (uint32_t l = 0; l < 3; l++) {
        (void) trace_coll(small, l, 300, 310 + l, 0, MPL_COLL_BARRIER, MPL_NONE);
        (void) trace_coll(small, l, 320, 330 + l, 0, MPL_COLL_BCAST, 1);
    }
    model = trace_model(small);
    trace_destroy(small);
    return model;
}

/* _i chooses the source. */
START_TEST(running_out_of_memory_is_told_at_every_step)
{
    long n = 0;

    for (;; n++) {
        struct mpl_model *model = make_small(_i == 1, _i == 2);
        const struct mpl_match *match = trace_match(model, arena);
        struct mpl_arena *result = mpl_arena_create();
        const struct mpl_clock *clock = NULL;
        struct mpl_err err = { 0 };

        mpl_alloc_fail_after(n);

        const enum mpl_status st =
            mpl_clock_correct(model, match, NULL, NULL, result, &clock, &err);

        mpl_alloc_fail_after(-1);
        mpl_arena_destroy(result);
        if (st == MPL_OK) {
            break;
        }
        ck_assert_int_eq(st, MPL_E_NOMEM);
        ck_assert_int_eq(err.code, MPL_E_NOMEM);
        ck_assert_ptr_null(clock);
    }
    ck_assert_int_gt(n, 20);
}
END_TEST

static void add_offset_cases(Suite *suite)
{
    TCase *c = add_case(suite, "offsets", set_up, tear_down);

    tcase_add_test(c, offsets_are_interpolated_and_extrapolated_as_otf2_does);
    tcase_add_test(c, each_interval_between_points_has_its_own_slope);
    tcase_add_test(c, times_beyond_doubles_keep_every_tick);
    tcase_add_test(c, clock_that_would_run_backwards_keeps_its_first_offset);
    tcase_add_test(c, recorded_offsets_bring_nodes_together);
    tcase_add_loop_test(c, what_is_counted_before_are_the_clocks_as_recorded, 0, 2);
    tcase_add_test(c, thread_without_offsets_uses_those_of_its_process);
    tcase_add_test(c, single_offset_is_a_constant_and_noted);
    tcase_add_test(c, reversals_that_recorded_offsets_leave_are_counted_and_located);
}

static void add_estimate_cases(Suite *suite)
{
    TCase *c = add_case(suite, "estimates", set_up, tear_down);

    tcase_add_test(c, round_trip_gives_the_offset_and_half_of_it_the_bound);
    tcase_add_test(c, all_messages_together_beat_the_tree);
    tcase_add_test(c, barrier_answers_messages_in_one_direction);
    tcase_add_test(c, last_to_enter_a_barrier_limits_everybody);
    tcase_add_test(c, synchronous_send_is_answered_by_its_return);
    tcase_add_test(c, one_direction_only_has_no_bound_but_keeps_the_order);
    tcase_add_loop_test(c, message_that_lay_there_leaves_the_clock_as_recorded, 0,
                        sizeof late_receives / sizeof *late_receives);
    tcase_add_test(c, ring_encloses_clocks_without_a_single_round_trip);
    tcase_add_test(c, processes_that_nothing_connects_keep_their_clocks);
    tcase_add_test(c, clocks_that_nothing_connects_at_all_stay_raw);
    tcase_add_test(c, members_that_wait_tell_the_offset_of_a_late_one);
    tcase_add_test(c, receivers_that_wait_tell_the_offset_of_a_busy_master);
    tcase_add_test(c, clock_that_drifts_evenly_is_followed_by_one_line);
}

static void add_other_cases(Suite *suite)
{
    const int n_cases = (int) (sizeof reversed_cases / sizeof *reversed_cases);
    TCase *c = add_case(suite, "others", set_up, tear_down);

    tcase_set_timeout(c, 60);
    tcase_add_test(c, text_trace_is_bit_identical_but_for_its_base);
    tcase_add_test(c, single_process_keeps_its_times);
    tcase_add_test(c, process_without_events_is_no_reason_to_estimate);
    tcase_add_loop_test(c, collective_is_reversed_where_its_semantics_say_so, 0, n_cases);
    tcase_add_test(c, scan_is_reversed_where_a_lower_rank_enters_later);
    tcase_add_loop_test(c, finalize_is_reversed_where_a_message_is_by_as_much, 0, 2);
    tcase_add_test(c, worker_outside_of_all_forks_violates_the_order);
    tcase_add_test(c, absurd_times_do_no_harm);
    tcase_add_loop_test(c, running_out_of_memory_is_told_at_every_step, 0, 3);
}

int main(void)
{
    Suite *suite = suite_create("clock");

    add_offset_cases(suite);
    add_estimate_cases(suite);
    add_other_cases(suite);
    return run_suite(suite);
}
