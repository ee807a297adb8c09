#include "config.h"

#include <check.h>
#include <math.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "events_fixture.h"
#include "replay_ideal.h"

#define ASSERT_US(seconds, us) ck_assert_int_eq(llround((seconds) *1e6), (us))

static void live(struct fixture *f, uint32_t location, int64_t from_us, int64_t to_us)
{
    fixture_record(f, location, from_us, MPL_EV_MARK);
    fixture_record(f, location, to_us, MPL_EV_MARK);
}

START_TEST(without_communication_the_longest_computation_remains)
{
    struct fixture *f = fixture_create(arena, 3, 1);
    const struct mpl_events *events;

    live(f, 0, 0, 70);
    live(f, 1, 0, 100);
    live(f, 2, 0, 30);
    events = fixture_events(f);
    ASSERT_US(replay_ideal_s(events), 100);
    ASSERT_US(mpl_events_measured_s(events), 100);
}
END_TEST

/*
 * Two items through three stages of 10, 20 and 5; each call takes 3 longer than it must.
 * Stage 0 sends at 10 and 20. Stage 1 starts the first item at 10, the second at 30, and sends
 * at 30 and 50. Stage 2 ends at 55.
 */
START_TEST(pipeline_of_three_takes_what_its_slowest_stage_dictates)
{
    struct fixture *f = fixture_create(arena, 3, 1);
    const struct mpl_events *events;

    fixture_record(f, 0, 0, MPL_EV_MARK);
    fixture_call_send(f, 0, 10, 13, "MPI_Send", 1, 0);
    fixture_call_send(f, 0, 23, 26, "MPI_Send", 1, 0);

    fixture_call_recv(f, 1, 0, 16, 0, 0);
    fixture_call_send(f, 1, 36, 39, "MPI_Send", 2, 0);
    fixture_call_recv(f, 1, 39, 42, 0, 0);
    fixture_call_send(f, 1, 62, 65, "MPI_Send", 2, 0);

    fixture_call_recv(f, 2, 0, 42, 1, 0);
    fixture_call_recv(f, 2, 47, 68, 1, 0);
    fixture_record(f, 2, 73, MPL_EV_MARK);
    events = fixture_events(f);
    ASSERT_US(replay_ideal_s(events), 55);
    ASSERT_US(mpl_events_measured_s(events), 73);
}
END_TEST

/* Rank 1 cannot go on before 50, when rank 0 receives; then it computes for 10. */
START_TEST(synchronous_send_still_waits_for_its_receiver)
{
    for (int is_sync = 0; is_sync < 2; is_sync++) {
        struct fixture *f = fixture_create(arena, 2, 1);
        const struct mpl_events *events;

        fixture_record(f, 0, 0, MPL_EV_MARK);
        fixture_call_recv(f, 0, 50, 55, 1, 0);
        fixture_record(f, 1, 0, MPL_EV_MARK);
        fixture_call_send(f, 1, 5, 54, is_sync ? "MPI_Ssend" : "MPI_Send", 0, 0);
        fixture_record(f, 1, 64, MPL_EV_MARK);
        events = fixture_events(f);
        ASSERT_US(replay_ideal_s(events), is_sync ? 60 : 50);
    }
}
END_TEST

/* All of them wait for the same call of rank 0, at 40. */
START_TEST(call_that_starts_several_messages_wakes_all_receivers)
{
    struct fixture *f = fixture_create(arena, 4, 1);

    fixture_record(f, 0, 0, MPL_EV_MARK);
    fixture_enter(f, 0, 40, "MPI_Startall");
    for (uint32_t l = 1; l < 4; l++) {
        (void) fixture_isend(f, 0, 41, l, 0);
    }
    fixture_leave(f, 0, 42, "MPI_Startall");
    for (uint32_t l = 1; l < 4; l++) {
        fixture_record(f, l, 0, MPL_EV_MARK);
        fixture_call_recv(f, l, 10, 50, 0, 0);
        fixture_record(f, l, 50 + 10 * l, MPL_EV_MARK);
    }
    ASSERT_US(replay_ideal_s(fixture_events(f)), 40 + 30);
}
END_TEST

/* Before: 10, 30, 20. Behind: 5, 5, 100. */
static double replay_collective(enum mpl_coll_op op, uint32_t root)
{
    struct fixture *f = fixture_create(arena, 3, 1);
    static const int64_t before[] = { 10, 30, 20 };
    static const int64_t behind[] = { 5, 5, 100 };

    for (uint32_t l = 0; l < 3; l++) {
        fixture_record(f, l, 0, MPL_EV_MARK);
        fixture_call_coll(f, l, before[l], 40, op, root);
        fixture_record(f, l, 40 + behind[l], MPL_EV_MARK);
    }
    return replay_ideal_s(fixture_events(f));
}

START_TEST(collectives_wait_for_those_they_depend_on)
{
    ASSERT_US(replay_collective(MPL_COLL_BARRIER, MPL_NONE), 30 + 100);
    ASSERT_US(replay_collective(MPL_COLL_ALLREDUCE, MPL_NONE), 30 + 100);
    ASSERT_US(replay_collective(MPL_COLL_BCAST, 0), 20 + 100);
    ASSERT_US(replay_collective(MPL_COLL_BCAST, 1), 30 + 100);
    ASSERT_US(replay_collective(MPL_COLL_REDUCE, 0), 20 + 100);
    ASSERT_US(replay_collective(MPL_COLL_REDUCE, 2), 30 + 100);
    ASSERT_US(replay_collective(MPL_COLL_SCAN, MPL_NONE), 30 + 100);
    ASSERT_US(replay_collective(MPL_COLL_EXSCAN, MPL_NONE), 30 + 100);
    ASSERT_US(replay_collective(MPL_COLL_DESTROY, MPL_NONE), 20 + 100);
}
END_TEST

/* Upper ranks come first; rank 0, the last, holds up all of them, but rank 3 nobody. */
START_TEST(scan_is_resolved_from_the_lowest_rank_up)
{
    struct fixture *f = fixture_create(arena, 4, 1);
    static const int64_t before[] = { 40, 10, 5, 60 };
    static const int64_t behind[] = { 1, 30, 30, 1 };

    for (uint32_t l = 0; l < 4; l++) {
        fixture_record(f, l, 0, MPL_EV_MARK);
        fixture_call_coll(f, l, before[l], 65, MPL_COLL_SCAN, MPL_NONE);
        fixture_record(f, l, 65 + behind[l], MPL_EV_MARK);
    }
    ASSERT_US(replay_ideal_s(fixture_events(f)), 40 + 30);
}
END_TEST

START_TEST(window_is_from_the_first_init_to_the_last_finalize)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_call(f, 0, 0, 100, "MPI_Init");
    fixture_call_send(f, 0, 140, 145, "MPI_Send", 1, 0);
    fixture_call(f, 0, 200, 230, "MPI_Finalize");
    fixture_call(f, 1, 0, 110, "MPI_Init");
    fixture_call_recv(f, 1, 120, 150, 0, 0);
    fixture_call(f, 1, 210, 230, "MPI_Finalize");
    events = fixture_events(f);
    ASSERT_US(mpl_events_measured_s(events), 110);
    /* Rank 1 starts 10 late, computes 10, has its message at 40, then computes 60. */
    ASSERT_US(replay_ideal_s(events), 100);
}
END_TEST

/* Two receives that each precede the send of the other: no program can do that. */
START_TEST(impossible_order_ends_without_a_number)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    for (uint32_t l = 0; l < 2; l++) {
        fixture_call_recv(f, l, 10, 20, 1 - l, 0);
        fixture_call_send(f, l, 30, 40, "MPI_Send", 1 - l, 0);
    }
    events = fixture_events(f);
    ck_assert_uint_eq(mpl_events_match(events)->counts.pairs, 2);
    ck_assert(isnan(replay_ideal_s(events)));
}
END_TEST

START_TEST(lost_completions_leave_no_number)
{
    struct fixture *f = fixture_create(arena, 2, 1);

    fixture_set_receive_completions(f, false);
    live(f, 0, 0, 10);
    ck_assert(isnan(replay_ideal_s(fixture_events(f))));
}
END_TEST

START_TEST(waiting_for_threads_is_computation_to_the_network)
{
    struct fixture *f = fixture_create(arena, 1, 1);

    fixture_record(f, 0, 0, MPL_EV_MARK);
    fixture_call(f, 0, 10, 30, "!$omp barrier");
    fixture_call(f, 0, 40, 90, "MPI_Comm_rank");
    fixture_record(f, 0, 100, MPL_EV_MARK);
    ASSERT_US(replay_ideal_s(fixture_events(f)), 50);
}
END_TEST

START_TEST(threads_without_messages_take_no_part)
{
    struct fixture *f = fixture_create(arena, 1, 2);
    const struct mpl_events *events;

    live(f, 0, 0, 50);
    live(f, 1, 5, 40);
    events = fixture_events(f);
    ASSERT_US(replay_ideal_s(events), 50);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("replay_ideal");
    TCase *t = add_case(suite, "replay", create_arena, destroy_arena);

    tcase_add_test(t, without_communication_the_longest_computation_remains);
    tcase_add_test(t, pipeline_of_three_takes_what_its_slowest_stage_dictates);
    tcase_add_test(t, synchronous_send_still_waits_for_its_receiver);
    tcase_add_test(t, call_that_starts_several_messages_wakes_all_receivers);
    tcase_add_test(t, collectives_wait_for_those_they_depend_on);
    tcase_add_test(t, scan_is_resolved_from_the_lowest_rank_up);
    tcase_add_test(t, window_is_from_the_first_init_to_the_last_finalize);
    tcase_add_test(t, impossible_order_ends_without_a_number);
    tcase_add_test(t, lost_completions_leave_no_number);
    tcase_add_test(t, waiting_for_threads_is_computation_to_the_network);
    tcase_add_test(t, threads_without_messages_take_no_part);
    return run_suite(suite);
}
