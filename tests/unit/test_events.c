#include "config.h"

#include <check.h>
#include <math.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "events/events_priv.h"
#include "events_fixture.h"
#include "replay_ideal.h"

/* ---- spans ------------------------------------------------------------------------------- */

START_TEST(startup_and_shutdown_hold_everything_around_them)
{
    struct fixture *f = fixture_create(arena, 1, 1);
    const struct mpl_events *events;

    fixture_enter(f, 0, 0, "main");
    fixture_call(f, 0, 2, 3, "MPI_Initialized");
    fixture_call(f, 0, 5, 20, "MPI_Init");
    fixture_call(f, 0, 30, 31, "MPI_Comm_rank");
    fixture_enter(f, 0, 60, "MPI_Finalize");
    fixture_leave(f, 0, 70, "MPI_Finalize");
    fixture_call(f, 0, 72, 73, "MPI_Finalized");
    fixture_leave(f, 0, 80, "main");
    events = fixture_events(f);
    ck_assert_uint_eq(mpl_events_span_count(events, 0), 7);
    fixture_assert_span(events, 0, 0, MPL_SPAN_STARTUP, 0, 0);
    fixture_assert_span(events, 0, 1, MPL_SPAN_STARTUP, 0, 20);
    fixture_assert_span(events, 0, 2, MPL_SPAN_COMPUTE, 20, 30);
    fixture_assert_span(events, 0, 3, MPL_SPAN_OTHER, 30, 31);
    fixture_assert_span(events, 0, 4, MPL_SPAN_COMPUTE, 31, 60);
    fixture_assert_span(events, 0, 5, MPL_SPAN_SHUTDOWN, 60, 80);
    fixture_assert_span(events, 0, 6, MPL_SPAN_SHUTDOWN, 80, 80);
    ck_assert_str_eq(
        mpl_events_model(events)->regions[mpl_events_span(events, 0, 1).region].name,
        "MPI_Init");
    ck_assert_uint_eq(mpl_events_totals(events, 0)->n_calls, 1);
    ASSERT_US(mpl_events_measured_s(events), 40);
}
END_TEST

/* Rank 1 begins at 40. The barrier is over by then, the receive lasts until 60. */
START_TEST(startup_lasts_until_the_last_process_has_begun)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_set_tracer(f, MPL_TRACER_EZTRACE);
    fixture_enter(f, 0, 0, "main");
    fixture_call(f, 0, 10, 15, "MPI_Comm_rank");
    fixture_call_recv(f, 0, 20, 60, 1, 7);
    fixture_leave(f, 0, 80, "main");
    fixture_record(f, 1, 40, MPL_EV_MARK);
    fixture_call_send(f, 1, 50, 52, "MPI_Send", 0, 7);
    fixture_record(f, 1, 70, MPL_EV_MARK);
    events = fixture_events(f);
    ck_assert_uint_eq(mpl_events_span_count(events, 0), 7);
    fixture_assert_span(events, 0, 0, MPL_SPAN_STARTUP, 0, 0);
    fixture_assert_span(events, 0, 1, MPL_SPAN_STARTUP, 0, 40);
    fixture_assert_span(events, 0, 2, MPL_SPAN_COMPUTE, 40, 40);
    fixture_assert_span(events, 0, 3, MPL_SPAN_OTHER, 40, 40);
    fixture_assert_span(events, 0, 5, MPL_SPAN_P2P, 40, 60);
    fixture_assert_wait(events, 0, 5, MPL_WAIT_LATE_SENDER, 10, 1);
    ASSERT_US(mpl_events_totals(events, 0)->class_s[MPL_SPAN_STARTUP], 40);
    ASSERT_US(mpl_events_totals(events, 0)->class_s[MPL_SPAN_COMPUTE], 20);
    fixture_assert_span(events, 1, 0, MPL_SPAN_COMPUTE, 40, 50);
    ASSERT_US(mpl_events_measured_s(events), 40);
    ASSERT_US(replay_ideal_s(events), 30);
}
END_TEST

/* What is recognised at once where its records stand in one block is the same where they stand in two. */
START_TEST(where_blocks_of_records_begin_does_not_matter)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_region_time *regions;
    const struct mpl_events *events;
    uint32_t n;

    fixture_record(f, 0, 0, MPL_EV_MARK);
    fixture_call_send(f, 0, 50, 51, "MPI_Send", 1, 7);
    fixture_record(f, 0, 80, MPL_EV_MARK);
    for (int i = 0; i <= _i; i++) {
        fixture_record(f, 1, 0, MPL_EV_MARK);
    }
    fixture_call(f, 1, 10, 20, "helper");
    fixture_call_recv(f, 1, 30, 52, 0, 7);
    fixture_call(f, 1, 60, 65, "helper");
    fixture_call(f, 1, 70, 75, "MPI_Comm_rank");
    events = fixture_events(f);
    ck_assert_uint_eq(mpl_events_span_count(events, 1), 5);
    fixture_assert_span(events, 1, 1, MPL_SPAN_P2P, 30, 52);
    fixture_assert_wait(events, 1, 1, MPL_WAIT_LATE_SENDER, 20, 0);
    fixture_assert_span(events, 1, 2, MPL_SPAN_COMPUTE, 52, 70);
    fixture_assert_span(events, 1, 3, MPL_SPAN_OTHER, 70, 75);
    regions = mpl_events_regions(events, 1, &n);
    ck_assert_uint_eq(n, 1);
    ck_assert_uint_eq(regions[0].visits, 2);
    ASSERT_US(regions[0].exclusive_s, 15);
}
END_TEST

/* Rank 0 is gone before rank 1 comes, so it cannot have waited for that. */
START_TEST(processes_that_never_meet_have_no_startup)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_set_tracer(f, MPL_TRACER_EZTRACE);
    fixture_record(f, 0, 0, MPL_EV_MARK);
    fixture_record(f, 0, 30, MPL_EV_MARK);
    fixture_record(f, 1, 40, MPL_EV_MARK);
    fixture_record(f, 1, 70, MPL_EV_MARK);
    events = fixture_events(f);
    fixture_assert_span(events, 0, 0, MPL_SPAN_COMPUTE, 0, 30);
    ASSERT_US(mpl_events_measured_s(events), 70);
}
END_TEST

START_TEST(regions_of_the_tracer_are_its_own_work_unless_they_hold_the_program)
{
    struct fixture *f = fixture_create(arena, 1, 1);
    const struct mpl_events *events;
    uint32_t n;

    fixture_enter(f, 0, 0, "Working");
    fixture_call(f, 0, 10, 20, "compute");
    fixture_leave(f, 0, 30, "Working");
    fixture_call(f, 0, 40, 50, "TRACE BUFFER FLUSH");
    fixture_call(f, 0, 60, 70, "EZTrace finalize");
    events = fixture_events(f);
    ck_assert_uint_eq(mpl_events_span_count(events, 0), 5);
    fixture_assert_span(events, 0, 1, MPL_SPAN_OTHER, 40, 50);
    fixture_assert_span(events, 0, 3, MPL_SPAN_SHUTDOWN, 60, 70);
    (void) mpl_events_regions(events, 0, &n);
    ck_assert_uint_eq(n, 0);
}
END_TEST

START_TEST(outermost_call_decides_the_class)
{
    struct fixture *f = fixture_create(arena, 1, 1);
    const struct mpl_events *events;

    fixture_enter(f, 0, 0, "mpi_barrier_");
    fixture_call(f, 0, 1, 5, "MPI_Send");
    fixture_call(f, 0, 6, 7, "helper");
    fixture_leave(f, 0, 9, "mpi_barrier_");
    events = fixture_events(f);
    ck_assert_uint_eq(mpl_events_span_count(events, 0), 3);
    fixture_assert_span(events, 0, 1, MPL_SPAN_COLLECTIVE, 0, 9);
}
END_TEST

/* More records than the 16 bits count that a call has for them. */
START_TEST(call_of_very_many_records_ends_with_its_last)
{
    enum { PARTS = 40000 };
    struct fixture *f = fixture_create(arena, 1, 1);
    struct mpl_call_view view;
    const struct mpl_events *events;

    fixture_enter(f, 0, 0, "MPI_Barrier");
    for (int i = 0; i < PARTS; i++) {
        fixture_call(f, 0, 1 + i, 1 + i, "helper");
    }
    fixture_leave(f, 0, 1 + PARTS, "MPI_Barrier");
    fixture_call(f, 0, 2 + PARTS, 3 + PARTS, "MPI_Comm_rank");
    events = fixture_events(f);
    fixture_assert_span(events, 0, 1, MPL_SPAN_COLLECTIVE, 0, 1 + PARTS);
    mpl_events_call(events, 0, 0, &view);
    ck_assert_uint_eq(view.first_event, 0);
    ck_assert_uint_eq(view.last_event, 2 * PARTS + 1);
    ck_assert_uint_eq(mpl_events_call_of_event(events, 0, 2 * PARTS), 0);
    ck_assert_uint_eq(mpl_events_call_of_event(events, 0, 2 * PARTS + 2), 1);
}
END_TEST

START_TEST(flushes_and_off_times_are_other)
{
    struct fixture *f = fixture_create(arena, 1, 1);
    const struct mpl_events *events;

    fixture_enter(f, 0, 0, "main");
    fixture_record(f, 0, 10, MPL_EV_FLUSH_BEGIN);
    fixture_record(f, 0, 15, MPL_EV_FLUSH_END);
    fixture_record(f, 0, 20, MPL_EV_OFF);
    fixture_record(f, 0, 30, MPL_EV_ON);
    fixture_record(f, 0, 31, MPL_EV_ON);
    fixture_leave(f, 0, 40, "main");
    events = fixture_events(f);
    ck_assert_uint_eq(mpl_events_span_count(events, 0), 5);
    fixture_assert_span(events, 0, 1, MPL_SPAN_OTHER, 10, 15);
    fixture_assert_span(events, 0, 3, MPL_SPAN_OTHER, 20, 30);
    ck_assert_uint_eq(mpl_events_span(events, 0, 3).region, MPL_NONE);
    ASSERT_US(mpl_events_totals(events, 0)->class_s[MPL_SPAN_OTHER], 15);
    ASSERT_US(mpl_events_totals(events, 0)->class_s[MPL_SPAN_COMPUTE], 25);
}
END_TEST

START_TEST(flush_inside_a_call_is_part_of_it)
{
    struct fixture *f = fixture_create(arena, 1, 1);
    const struct mpl_events *events;

    fixture_enter(f, 0, 10, "MPI_Barrier");
    fixture_record(f, 0, 15, MPL_EV_FLUSH_BEGIN);
    fixture_record(f, 0, 20, MPL_EV_FLUSH_END);
    fixture_leave(f, 0, 30, "MPI_Barrier");
    fixture_enter(f, 0, 40, "MPI_Barrier");
    fixture_record(f, 0, 45, MPL_EV_OFF);
    fixture_leave(f, 0, 50, "MPI_Barrier");
    fixture_record(f, 0, 55, MPL_EV_ON);
    events = fixture_events(f);
    ck_assert_uint_eq(mpl_events_span_count(events, 0), 5);
    fixture_assert_span(events, 0, 1, MPL_SPAN_COLLECTIVE, 10, 30);
    fixture_assert_span(events, 0, 3, MPL_SPAN_COLLECTIVE, 40, 55);
}
END_TEST

START_TEST(worker_threads_are_idle_between_parallel_regions)
{
    struct fixture *f = fixture_create(arena, 1, 2);
    const struct mpl_events *events;

    for (uint32_t l = 0; l < 2; l++) {
        fixture_record(f, l, 10, MPL_EV_TEAM_BEGIN);
        fixture_call(f, l, 15, 20, "!$omp implicit barrier");
        fixture_record(f, l, 20, MPL_EV_TEAM_END);
        fixture_record(f, l, 50, MPL_EV_TEAM_BEGIN);
        fixture_record(f, l, 60, MPL_EV_TEAM_END);
        fixture_record(f, l, 90, MPL_EV_MARK);
    }
    events = fixture_events(f);
    ASSERT_US(mpl_events_totals(events, 0)->class_s[MPL_SPAN_OTHER], 5);
    ASSERT_US(mpl_events_totals(events, 0)->class_s[MPL_SPAN_COMPUTE], 75);
    ck_assert_uint_eq(mpl_events_span_count(events, 1), 7);
    fixture_assert_span(events, 1, 3, MPL_SPAN_OTHER, 20, 50);
    fixture_assert_span(events, 1, 5, MPL_SPAN_OTHER, 60, 90);
    ASSERT_US(mpl_events_totals(events, 1)->class_s[MPL_SPAN_COMPUTE], 15);
    ck_assert_uint_eq(mpl_events_totals(events, 1)->n_calls, 0);
}
END_TEST

START_TEST(leaves_that_match_no_enter_are_ignored)
{
    struct fixture *f = fixture_create(arena, 1, 1);
    const struct mpl_events *events;

    fixture_leave(f, 0, 0, "MPI_Recv");
    fixture_enter(f, 0, 1, "MPI_Barrier");
    fixture_leave(f, 0, 2, "solve");
    fixture_leave(f, 0, 3, "MPI_Barrier");
    fixture_leave(f, 0, 4, "MPI_Barrier");
    events = fixture_events(f);
    ck_assert_uint_eq(mpl_events_span_count(events, 0), 3);
    fixture_assert_span(events, 0, 1, MPL_SPAN_COLLECTIVE, 1, 3);
}
END_TEST

START_TEST(leave_closes_what_was_opened_inside)
{
    struct fixture *f = fixture_create(arena, 1, 1);
    const struct mpl_events *events;

    fixture_enter(f, 0, 0, "solve");
    fixture_enter(f, 0, 10, "MPI_Barrier");
    fixture_leave(f, 0, 20, "solve");
    fixture_leave(f, 0, 30, "MPI_Barrier");
    fixture_call(f, 0, 40, 50, "MPI_Barrier");
    events = fixture_events(f);
    ck_assert_uint_eq(mpl_events_span_count(events, 0), 5);
    fixture_assert_span(events, 0, 1, MPL_SPAN_COLLECTIVE, 10, 20);
    fixture_assert_span(events, 0, 2, MPL_SPAN_COMPUTE, 20, 40);
}
END_TEST

START_TEST(finalize_ends_whatever_was_not_left)
{
    struct fixture *f = fixture_create(arena, 1, 1);
    const struct mpl_events *events;

    fixture_enter(f, 0, 0, "MPI_Recv");
    fixture_call(f, 0, 10, 30, "MPI_Finalize");
    events = fixture_events(f);
    ck_assert_uint_eq(mpl_events_span_count(events, 0), 5);
    fixture_assert_span(events, 0, 1, MPL_SPAN_P2P, 0, 10);
    fixture_assert_span(events, 0, 3, MPL_SPAN_SHUTDOWN, 10, 30);
}
END_TEST

START_TEST(location_without_events_has_no_spans)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_call(f, 0, 0, 10, "MPI_Comm_rank");
    events = fixture_events(f);
    ck_assert_uint_eq(mpl_events_span_count(events, 1), 0);
    ASSERT_US(mpl_events_totals(events, 1)->total_s, 0);
}
END_TEST

/* ---- regions ------------------------------------------------------------------------------- */

/* main 0..10 and 70..80, solve 10..60 with a call in 30..40, in it inner 60..70. */
START_TEST(exclusive_time_counts_between_calls_only)
{
    struct fixture *f = fixture_create(arena, 1, 1);
    const struct mpl_events *events;
    const struct mpl_region_time *times;
    const struct mpl_region *regions;
    uint32_t n;

    fixture_enter(f, 0, 0, "main");
    fixture_enter(f, 0, 10, "solve");
    fixture_call(f, 0, 30, 40, "MPI_Barrier");
    fixture_call(f, 0, 60, 70, "inner");
    fixture_leave(f, 0, 70, "solve");
    fixture_leave(f, 0, 80, "main");
    events = fixture_events(f);
    regions = mpl_events_model(events)->regions;
    times = mpl_events_regions(events, 0, &n);
    ck_assert_uint_eq(n, 3);
    ck_assert_str_eq(regions[times[0].region].name, "solve");
    ASSERT_US(times[0].exclusive_s, 40);
    ck_assert_str_eq(regions[times[1].region].name, "main");
    ASSERT_US(times[1].exclusive_s, 20);
    ck_assert_str_eq(regions[times[2].region].name, "inner");
    ASSERT_US(times[2].exclusive_s, 10);
    ck_assert_uint_eq(times[2].visits, 1);
    /* The first gap is main 10, solve 20; the second solve 20, inner 10, main 10. */
    ck_assert_str_eq(regions[mpl_events_span(events, 0, 0).region].name, "solve");
    ck_assert_str_eq(regions[mpl_events_span(events, 0, 2).region].name, "solve");
}
END_TEST

START_TEST(region_of_a_gap_is_the_one_with_most_time_in_that_gap)
{
    struct fixture *f = fixture_create(arena, 1, 1);
    const struct mpl_events *events;
    const struct mpl_region *regions;

    fixture_enter(f, 0, 0, "Working");
    fixture_call(f, 0, 0, 100, "long");
    fixture_call(f, 0, 100, 101, "MPI_Barrier");
    fixture_call(f, 0, 101, 104, "short");
    fixture_call(f, 0, 104, 106, "long");
    fixture_call(f, 0, 106, 107, "MPI_Barrier");
    fixture_leave(f, 0, 120, "Working");
    events = fixture_events(f);
    regions = mpl_events_model(events)->regions;
    ck_assert_str_eq(regions[mpl_events_span(events, 0, 0).region].name, "long");
    ck_assert_str_eq(regions[mpl_events_span(events, 0, 2).region].name, "short");
    ck_assert_uint_eq(mpl_events_span(events, 0, 4).region, MPL_NONE);
}
END_TEST

/* ---- topology ---------------------------------------------------------------------------------- */

START_TEST(edges_count_messages_bytes_and_waits)
{
    struct fixture *f = fixture_create(arena, 3, 1);
    const struct mpl_events *events;
    const struct mpl_edge *edges;
    uint32_t n;

    fixture_call_send(f, 0, 20, 21, "MPI_Send", 2, 1);
    fixture_call_send(f, 0, 30, 31, "MPI_Send", 2, 2);
    fixture_call_send(f, 0, 32, 33, "MPI_Send", 1, 1);
    fixture_call_recv(f, 1, 40, 41, 0, 1);
    fixture_call_recv(f, 2, 5, 22, 0, 1);
    fixture_call_recv(f, 2, 25, 33, 0, 2);
    fixture_call_recv(f, 2, 35, 36, 1, 9);
    events = fixture_events(f);
    edges = mpl_events_edges(events, &n);
    ck_assert_uint_eq(n, 3);
    ck_assert_uint_eq(edges[0].from, 0);
    ck_assert_uint_eq(edges[0].to, 1);
    ck_assert_uint_eq(edges[0].messages, 1);
    ck_assert_uint_eq(edges[1].from, 0);
    ck_assert_uint_eq(edges[1].to, 2);
    ck_assert_uint_eq(edges[1].messages, 2);
    ck_assert_uint_eq(edges[1].bytes, 16);
    ASSERT_US(edges[1].wait_s, 15 + 5);
    /* Its send is not recorded. */
    ck_assert_uint_eq(edges[2].from, 1);
    ck_assert_uint_eq(edges[2].to, 2);
    ck_assert_uint_eq(edges[2].messages, 1);
}
END_TEST

/* ---- memory --------------------------------------------------------------------------------------- */

START_TEST(running_out_of_memory_is_told_at_every_step)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;
    const struct mpl_events *again = NULL;
    long n = 0;

    fixture_enter(f, 0, 0, "main");
    fixture_call_send(f, 0, 50, 52, "MPI_Send", 1, 7);
    fixture_enter(f, 1, 0, "main");
    fixture_enter(f, 1, 10, "MPI_Sendrecv");
    (void) fixture_send(f, 1, 10, 0, 1);
    (void) fixture_recv(f, 1, 53, 0, 7);
    fixture_leave(f, 1, 54, "MPI_Sendrecv");
    fixture_call_recv(f, 0, 60, 61, 1, 1);
    fixture_call_coll(f, 0, 70, 80, MPL_COLL_SCAN, MPL_NONE);
    fixture_call_coll(f, 1, 70, 80, MPL_COLL_SCAN, MPL_NONE);
    events = fixture_events(f);
    for (;; n++) {
        struct mpl_arena *other = mpl_arena_create();
        struct mpl_err err = { 0 };
        enum mpl_status st;

        ck_assert_ptr_nonnull(other);
        mpl_alloc_fail_after(n);
        st = mpl_events_create(fixture_model(f), mpl_events_match(events), NULL, other,
                               &again, &err);
        mpl_alloc_fail_after(-1);
        mpl_arena_destroy(other);
        if (st == MPL_OK) {
            break;
        }
        ck_assert_int_eq(st, MPL_E_NOMEM);
        ck_assert_int_eq(err.code, MPL_E_NOMEM);
        ck_assert_ptr_null(again);
    }
    ck_assert_int_gt(n, 5);
}
END_TEST

/* \p n calls of a record each, \p n_regions taking turns. */
static void add_calls(struct mpl_call_maker *maker, uint32_t most, uint32_t n,
                      uint32_t n_regions)
{
    mpl_calls_begin(maker, most);
    for (uint32_t k = 0; k < n; k++) {
        const struct mpl_call call = { .enter = 2 * k,
                                       .leave = 2 * k + 1,
                                       .culprit = MPL_NONE,
                                       .first = MPL_NONE,
                                       .region = (uint16_t) (k / 16 % n_regions) };

        ck_assert(mpl_call_add(maker, &call, &(struct mpl_call_ticks){ k, 1, 0 }));
    }
}

static void assert_calls(const struct mpl_lane *lane, uint32_t n, uint32_t n_regions)
{
    ck_assert_uint_eq(lane->n_calls, n);
    for (uint32_t k = 0; k < n; k++) {
        const struct mpl_call call = mpl_call_get(lane, k);

        ck_assert_uint_eq(call.enter, 2 * k);
        ck_assert_uint_eq(call.leave, 2 * k + 1);
        ck_assert_uint_eq(call.region, k / 16 % n_regions);
    }
}

/* _i: more than expected. */
START_TEST(more_calls_than_expected_are_kept)
{
    struct mpl_call_maker maker = mpl_call_maker_make();
    struct mpl_lane lane = { 0 };

    add_calls(&maker, 1, 1 + (uint32_t) _i, 2);
    ck_assert(mpl_calls_keep(&maker, &lane, NULL, arena));
    assert_calls(&lane, 1 + (uint32_t) _i, 2);
    mpl_call_maker_free(&maker);
}
END_TEST

START_TEST(forms_stay_where_there_is_no_memory_for_others)
{
    struct mpl_call_maker maker = mpl_call_maker_make();
    struct mpl_arena *full = mpl_arena_create();
    struct mpl_lane lane = { 0 };

    add_calls(&maker, 64, 64, 1);
    ck_assert(mpl_calls_keep(&maker, &lane, NULL, full));
    do { /* until nothing is left of the arena's block */
        mpl_alloc_fail_after(0);
    } while (mpl_arena_alloc(full, 64) != NULL);
    add_calls(&maker, 64, 64, 4);
    mpl_alloc_fail_after(0);
    ck_assert(!mpl_calls_keep(&maker, &lane, NULL, full));
    mpl_alloc_fail_after(-1);
    assert_calls(&lane, 64, 1);
    add_calls(&maker, 64, 64, 4);
    ck_assert(mpl_calls_keep(&maker, &lane, NULL, full));
    assert_calls(&lane, 64, 4);
    mpl_call_maker_free(&maker);
    mpl_arena_destroy(full);
}
END_TEST

START_TEST(calls_are_completed_once_there_is_memory)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *whole;
    const struct mpl_events *calls = NULL;
    enum mpl_status st = MPL_E_NOMEM;
    long n = 0;

    fixture_enter(f, 0, 0, "main");
    fixture_call_send(f, 0, 50, 52, "MPI_Send", 1, 7);
    fixture_enter(f, 1, 0, "main");
    fixture_call_recv(f, 1, 10, 53, 0, 7);
    whole = fixture_events(f);
    ck_assert_int_eq(mpl_events_create_calls(fixture_model(f), mpl_events_match(whole),
                                             NULL, arena, &calls, NULL),
                     MPL_OK);
    for (; st != MPL_OK; n++) {
        mpl_alloc_fail_after(n);
        st = mpl_events_complete(calls, NULL);
        mpl_alloc_fail_after(-1);
    }
    ck_assert_int_gt(n, 5);
    ck_assert_int_eq(mpl_events_span(calls, 1, 1).wait_ticks,
                     mpl_events_span(whole, 1, 1).wait_ticks);
    ck_assert_double_gt(mpl_events_totals(calls, 1)->wait_s[MPL_WAIT_LATE_SENDER], 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("events");
    TCase *t = add_case(suite, "events", create_arena, destroy_arena);

    tcase_add_test(t, startup_and_shutdown_hold_everything_around_them);
    tcase_add_loop_test(t, where_blocks_of_records_begin_does_not_matter, 0, 64);
    tcase_add_test(t, startup_lasts_until_the_last_process_has_begun);
    tcase_add_test(t, processes_that_never_meet_have_no_startup);
    tcase_add_test(t, regions_of_the_tracer_are_its_own_work_unless_they_hold_the_program);
    tcase_add_test(t, outermost_call_decides_the_class);
    tcase_add_test(t, call_of_very_many_records_ends_with_its_last);
    tcase_add_test(t, flushes_and_off_times_are_other);
    tcase_add_test(t, flush_inside_a_call_is_part_of_it);
    tcase_add_test(t, worker_threads_are_idle_between_parallel_regions);
    tcase_add_test(t, leaves_that_match_no_enter_are_ignored);
    tcase_add_test(t, leave_closes_what_was_opened_inside);
    tcase_add_test(t, finalize_ends_whatever_was_not_left);
    tcase_add_test(t, location_without_events_has_no_spans);
    tcase_add_test(t, exclusive_time_counts_between_calls_only);
    tcase_add_test(t, region_of_a_gap_is_the_one_with_most_time_in_that_gap);
    tcase_add_test(t, edges_count_messages_bytes_and_waits);
    tcase_add_test(t, running_out_of_memory_is_told_at_every_step);
    tcase_add_test(t, calls_are_completed_once_there_is_memory);
    tcase_add_loop_test(t, more_calls_than_expected_are_kept, 0, 80);
    tcase_add_test(t, forms_stay_where_there_is_no_memory_for_others);
    return run_suite(suite);
}
