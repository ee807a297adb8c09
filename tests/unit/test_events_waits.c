#include "config.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "events_fixture.h"
#include "replay_ideal.h"

/* ---- late sender ------------------------------------------------------------------ */

START_TEST(receive_waits_until_the_send_is_entered)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_enter(f, 0, 0, "main");
    fixture_call_send(f, 0, 50, 52, "MPI_Send", 1, 7);
    fixture_enter(f, 1, 0, "main");
    fixture_call_recv(f, 1, 10, 53, 0, 7);
    events = fixture_events(f);

    ck_assert_uint_eq(mpl_events_span_count(events, 1), 3);
    fixture_assert_span(events, 1, 0, MPL_SPAN_COMPUTE, 0, 10);
    fixture_assert_span(events, 1, 1, MPL_SPAN_P2P, 10, 53);
    fixture_assert_span(events, 1, 2, MPL_SPAN_COMPUTE, 53, 53);
    fixture_assert_wait(events, 1, 1, MPL_WAIT_LATE_SENDER, 40, 0);
    fixture_assert_wait(events, 0, 1, MPL_WAIT_NONE, 0, MPL_NONE);

    const struct mpl_totals *t = mpl_events_totals(events, 1);
    ASSERT_US(t->wait_s[MPL_WAIT_LATE_SENDER], 40);
    ck_assert_uint_eq(t->n_waits[MPL_WAIT_LATE_SENDER], 1);
    ASSERT_US(t->class_s[MPL_SPAN_P2P], 43);
    ASSERT_US(t->class_s[MPL_SPAN_COMPUTE], 10);
    ASSERT_US(t->total_s, 53);
    ASSERT_US(mpl_events_totals(events, 0)->caused_s[MPL_WAIT_LATE_SENDER], 40);
}
END_TEST

START_TEST(receive_entered_after_the_send_does_not_wait)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_call_send(f, 0, 50, 52, "MPI_Send", 1, 7);
    fixture_call_recv(f, 1, 50, 60, 0, 7);
    events = fixture_events(f);
    fixture_assert_wait(events, 1, 1, MPL_WAIT_NONE, 0, MPL_NONE);
}
END_TEST

START_TEST(clock_error_cannot_make_a_receive_wait_longer_than_it_takes)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_call_send(f, 0, 50, 52, "MPI_Send", 1, 7);
    fixture_call_recv(f, 1, 10, 30, 0, 7);
    events = fixture_events(f);
    fixture_assert_wait(events, 1, 1, MPL_WAIT_LATE_SENDER, 20, 0);
}
END_TEST

/* Rank 2 receives from 0 and 1 in one Waitall; 1 is the later one: 30 - 5 = 25. */
START_TEST(latest_sender_counts_in_a_wait_for_several)
{
    struct fixture *f = fixture_create(arena, 3, 1);
    const struct mpl_events *events;
    struct mpl_span span;
    uint32_t a, b, s;

    fixture_call_send(f, 0, 20, 22, "MPI_Send", 2, 1);
    fixture_call_send(f, 1, 30, 33, "MPI_Send", 2, 1);
    fixture_enter(f, 0, 40, "MPI_Recv");
    (void) fixture_recv(f, 0, 41, 2, 9);
    fixture_leave(f, 0, 41, "MPI_Recv");
    fixture_enter(f, 2, 0, "MPI_Irecv");
    a = fixture_post(f, 2, 0);
    fixture_leave(f, 2, 1, "MPI_Irecv");
    fixture_enter(f, 2, 2, "MPI_Irecv");
    b = fixture_post(f, 2, 2);
    fixture_leave(f, 2, 3, "MPI_Irecv");
    fixture_enter(f, 2, 3, "MPI_Isend");
    s = fixture_isend(f, 2, 3, 0, 9);
    fixture_leave(f, 2, 4, "MPI_Isend");
    fixture_enter(f, 2, 5, "MPI_Waitall");
    fixture_irecv(f, 2, 34, b, 1, 1);
    fixture_irecv(f, 2, 34, a, 0, 1);
    fixture_isend_done(f, 2, 34, s);
    fixture_leave(f, 2, 35, "MPI_Waitall");
    events = fixture_events(f);

    fixture_assert_wait(events, 2, 7, MPL_WAIT_LATE_SENDER, 25, 1);
    span = mpl_events_span(events, 2, 7);
    ck_assert_uint_eq(span.n_messages, 2);
    ck_assert_uint_eq(span.first_message, b);
    ck_assert_uint_eq(mpl_events_message(events, 2, &span, 0), b);
    ck_assert_uint_eq(mpl_events_message(events, 2, &span, 1), a);
    ck_assert_uint_eq(mpl_events_span_of_message(events, 2, a), 7);
    ck_assert_uint_eq(mpl_events_span_of_message(events, 2, s), 5);
}
END_TEST

/* 17 are more than a call keeps as consecutive ones; with the calls that post them they are in several blocks. */
START_TEST(consecutive_messages_are_those_of_their_call)
{
    static const uint32_t many[] = { 1, 2, 16, 17 };
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;
    uint32_t posts[17];
    int64_t now = 0;
    uint32_t call = 0;
    uint32_t first = 0;

    for (size_t i = 0; i < sizeof many / sizeof many[0]; i++) {
        for (uint32_t m = 0; m < many[i]; m++, now += 2) {
            fixture_call_send(f, 0, now, now + 1, "MPI_Send", 1, 7);
            fixture_enter(f, 1, now, "MPI_Irecv");
            posts[m] = fixture_post(f, 1, now);
            fixture_leave(f, 1, now + 1, "MPI_Irecv");
        }
        fixture_enter(f, 1, now, "MPI_Waitall");
        for (uint32_t m = 0; m < many[i]; m++) {
            fixture_irecv(f, 1, now + 1, posts[m], 0, 7);
        }
        fixture_leave(f, 1, now + 2, "MPI_Waitall");
        now += 3;
    }
    events = fixture_events(f);

    for (size_t i = 0; i < sizeof many / sizeof many[0]; i++, call++) {
        call += many[i];

        const struct mpl_span span = mpl_events_span(events, 1, 2 * call + 1);
        const struct mpl_messages messages = mpl_events_messages(events, 1, call);

        ck_assert_uint_eq(span.n_messages, many[i]);
        ck_assert_uint_eq(messages.n, many[i]);
        for (uint32_t m = 0; m < many[i]; m++) {
            ck_assert_uint_eq(mpl_events_message(events, 1, &span, m), first + m);
            ck_assert_uint_eq(mpl_messages_get(&messages, m), first + m);
            ck_assert_uint_eq(mpl_events_span_of_message(events, 1, first + m),
                              2 * call + 1);
        }
        first += many[i];
    }
    ck_assert_uint_eq(mpl_events_call_count(events, 1), call);
}
END_TEST

START_TEST(test_asks_and_does_not_wait)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;
    uint32_t m;

    fixture_call_send(f, 0, 50, 52, "MPI_Send", 1, 7);
    fixture_enter(f, 1, 0, "MPI_Irecv");
    m = fixture_post(f, 1, 0);
    fixture_leave(f, 1, 1, "MPI_Irecv");
    fixture_enter(f, 1, 48, "MPI_Test");
    fixture_irecv(f, 1, 54, m, 0, 7);
    fixture_leave(f, 1, 55, "MPI_Test");
    events = fixture_events(f);
    fixture_assert_wait(events, 1, 3, MPL_WAIT_NONE, 0, MPL_NONE);
    ck_assert_uint_eq(mpl_events_span_of_message(events, 1, m), 3);
}
END_TEST

START_TEST(probe_waits_for_the_message_received_next)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_call_send(f, 0, 50, 52, "MPI_Send", 1, 7);
    fixture_call(f, 1, 10, 53, "MPI_Probe");
    fixture_call(f, 1, 53, 54, "MPI_Get_count");
    fixture_call_recv(f, 1, 55, 56, 0, 7);
    fixture_call(f, 1, 60, 70, "MPI_Probe");
    events = fixture_events(f);
    fixture_assert_wait(events, 1, 1, MPL_WAIT_LATE_SENDER, 40, 0);
    fixture_assert_wait(events, 1, 5, MPL_WAIT_NONE, 0, MPL_NONE);
    /* What the last probe waits for never comes. */
    ck_assert(!mpl_events_span(events, 1, 7).is_wait_known);
    ck_assert_uint_eq(mpl_events_totals(events, 1)->n_wrong_order, 0);
}
END_TEST

START_TEST(null_process_is_never_waited_for)
{
    struct fixture *f = fixture_create(arena, 1, 1);
    const struct mpl_events *events;

    fixture_call_recv(f, 0, 10, 11, MPL_NONE, 0);
    fixture_call_send(f, 0, 12, 13, "MPI_Send", MPL_NONE, 0);
    events = fixture_events(f);
    fixture_assert_wait(events, 0, 1, MPL_WAIT_NONE, 0, MPL_NONE);
    ck_assert_uint_eq(mpl_events_totals(events, 0)->n_receives, 0);
    ck_assert_uint_eq(mpl_events_totals(events, 0)->n_sends, 0);
    ASSERT_US(mpl_events_totals(events, 0)->unknown_s, 0);
}
END_TEST

/* The message of tag 2 is there from 12 on, but tag 1 (sent at 40) is received first. */
START_TEST(waiting_for_the_later_of_two_messages_is_wrong_order)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_call_send(f, 0, 12, 13, "MPI_Send", 1, 2);
    fixture_call_send(f, 0, 40, 41, "MPI_Send", 1, 1);
    fixture_call_recv(f, 1, 10, 42, 0, 1);
    fixture_call_recv(f, 1, 43, 44, 0, 2);
    events = fixture_events(f);
    ASSERT_US(mpl_events_totals(events, 1)->wrong_order_s, 30);
    /* Sent at 12; on its way as long as the one that came, from 40 to 42. */
    ASSERT_US(mpl_events_totals(events, 1)->ready_s, 26);
    ck_assert_uint_eq(mpl_events_totals(events, 1)->n_wrong_order, 1);
}
END_TEST

/* Who takes what comes first may take the message of 2, sent at 40, before that of 0, sent at 37. */
START_TEST(messages_that_overtake_each_other_on_their_way_are_in_no_order)
{
    struct fixture *f = fixture_create(arena, 3, 1);
    const struct mpl_events *events;

    fixture_call_send(f, 0, 37, 38, "MPI_Send", 1, 1);
    fixture_call_send(f, 2, 40, 41, "MPI_Send", 1, 1);
    fixture_call_recv(f, 1, 10, 44, 2, 1);
    fixture_call_recv(f, 1, 45, 46, 0, 1);
    events = fixture_events(f);
    ASSERT_US(mpl_events_totals(events, 1)->wrong_order_s, 30);
    ASSERT_US(mpl_events_totals(events, 1)->ready_s, 0);
    ck_assert_uint_eq(mpl_events_totals(events, 1)->n_wrong_order, 0);
}
END_TEST

START_TEST(messages_taken_as_they_were_sent_are_in_order)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_call_send(f, 0, 12, 13, "MPI_Send", 1, 1);
    fixture_call_send(f, 0, 40, 41, "MPI_Send", 1, 2);
    fixture_call_recv(f, 1, 10, 14, 0, 1);
    fixture_call_recv(f, 1, 15, 44, 0, 2);
    events = fixture_events(f);
    ASSERT_US(mpl_events_totals(events, 1)->wait_s[MPL_WAIT_LATE_SENDER], 2 + 25);
    ck_assert_uint_eq(mpl_events_totals(events, 1)->n_wrong_order, 0);
}
END_TEST

/* ---- late receiver -------------------------------------------------------------------- */

START_TEST(synchronous_send_waits_until_the_receive_is_posted)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_call_send(f, 0, 10, 45, "MPI_Ssend", 1, 7);
    fixture_call_recv(f, 1, 40, 46, 0, 7);
    events = fixture_events(f);
    fixture_assert_wait(events, 0, 1, MPL_WAIT_LATE_RECEIVER, 30, 1);
    ASSERT_US(mpl_events_totals(events, 1)->caused_s[MPL_WAIT_LATE_RECEIVER], 30);
}
END_TEST

START_TEST(send_finished_before_the_receive_did_not_wait_for_it)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_call_send(f, 0, 10, 12, "MPI_Send", 1, 7);
    fixture_call_recv(f, 1, 40, 46, 0, 7);
    events = fixture_events(f);
    fixture_assert_wait(events, 0, 1, MPL_WAIT_NONE, 0, MPL_NONE);
}
END_TEST

START_TEST(buffered_send_never_waits)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_call_send(f, 0, 10, 45, "MPI_Bsend", 1, 7);
    fixture_call_recv(f, 1, 40, 46, 0, 7);
    events = fixture_events(f);
    fixture_assert_wait(events, 0, 1, MPL_WAIT_NONE, 0, MPL_NONE);
}
END_TEST

/* The receive is posted by the Irecv at 30, not by the wait at 60. */
START_TEST(wait_for_a_send_waits_until_the_receive_is_posted)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;
    uint32_t s, r;

    fixture_enter(f, 0, 10, "MPI_Isend");
    s = fixture_isend(f, 0, 10, 1, 7);
    fixture_leave(f, 0, 11, "MPI_Isend");
    fixture_enter(f, 0, 12, "MPI_Wait");
    fixture_isend_done(f, 0, 35, s);
    fixture_leave(f, 0, 36, "MPI_Wait");
    fixture_enter(f, 1, 30, "MPI_Irecv");
    r = fixture_post(f, 1, 31);
    fixture_leave(f, 1, 32, "MPI_Irecv");
    fixture_enter(f, 1, 60, "MPI_Wait");
    fixture_irecv(f, 1, 61, r, 0, 7);
    fixture_leave(f, 1, 61, "MPI_Wait");
    events = fixture_events(f);
    fixture_assert_wait(events, 0, 1, MPL_WAIT_NONE, 0, MPL_NONE);
    fixture_assert_wait(events, 0, 3, MPL_WAIT_LATE_RECEIVER, 18, 1);
    fixture_assert_wait(events, 1, 3, MPL_WAIT_NONE, 0, MPL_NONE);
}
END_TEST

/* The post at 30 lies behind the barrier and in no call: nothing shows when it was entered. */
START_TEST(receive_posted_outside_of_all_calls_is_not_blamed)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;
    uint32_t r;

    fixture_call(f, 0, 1, 2, "MPI_Comm_rank");
    fixture_call_send(f, 0, 5, 45, "MPI_Ssend", 1, 7);
    fixture_call(f, 1, 10, 20, "MPI_Comm_rank");
    r = fixture_post(f, 1, 30);
    fixture_enter(f, 1, 40, "MPI_Wait");
    fixture_irecv(f, 1, 46, r, 0, 7);
    fixture_leave(f, 1, 46, "MPI_Wait");
    events = fixture_events(f);
    fixture_assert_wait(events, 0, 3, MPL_WAIT_NONE, 0, MPL_NONE);
}
END_TEST

/* Receiving waits 20 (sender at 30), sending 5 (receiver at 15): the larger one is kept. */
START_TEST(call_that_sends_and_receives_has_the_larger_wait)
{
    struct fixture *f = fixture_create(arena, 3, 1);
    const struct mpl_events *events;

    fixture_call_send(f, 0, 30, 31, "MPI_Send", 1, 1);
    fixture_enter(f, 1, 10, "MPI_Sendrecv");
    (void) fixture_send(f, 1, 10, 2, 1);
    (void) fixture_recv(f, 1, 32, 0, 1);
    fixture_leave(f, 1, 33, "MPI_Sendrecv");
    fixture_call_recv(f, 2, 15, 17, 1, 1);
    events = fixture_events(f);
    fixture_assert_wait(events, 1, 1, MPL_WAIT_LATE_SENDER, 20, 0);
}
END_TEST

/* ---- collectives ------------------------------------------------------------------------- */

static const struct mpl_events *collective_of_three(enum mpl_coll_op op, uint32_t root)
{
    struct fixture *f = fixture_create(arena, 3, 1);

    fixture_call_coll(f, 0, 10, 52, op, root);
    fixture_call_coll(f, 1, 50, 54, op, root);
    fixture_call_coll(f, 2, 20, 53, op, root);
    return fixture_events(f);
}

START_TEST(barrier_waits_for_the_last)
{
    const struct mpl_events *events = collective_of_three(MPL_COLL_BARRIER, MPL_NONE);

    fixture_assert_wait(events, 0, 1, MPL_WAIT_BARRIER, 40, 1);
    fixture_assert_wait(events, 1, 1, MPL_WAIT_NONE, 0, MPL_NONE);
    fixture_assert_wait(events, 2, 1, MPL_WAIT_BARRIER, 30, 1);
    ck_assert_uint_eq(mpl_events_coll_waits(events)[0].last, 1);
    ASSERT_US(mpl_events_coll_waits(events)[0].wait_s, 70);
    ASSERT_US(mpl_events_totals(events, 1)->caused_s[MPL_WAIT_BARRIER], 70);
    ck_assert_uint_eq(mpl_events_span_of_collective(events, 1, 0), 1);
    ck_assert_uint_eq(mpl_events_span(events, 1, 1).collective, 0);
    ck_assert_int_eq(mpl_events_span(events, 1, 1).class, MPL_SPAN_COLLECTIVE);
}
END_TEST

START_TEST(all_to_all_waits_for_the_last)
{
    const struct mpl_events *events = collective_of_three(MPL_COLL_ALLREDUCE, MPL_NONE);

    fixture_assert_wait(events, 0, 1, MPL_WAIT_N_TO_N, 40, 1);
    fixture_assert_wait(events, 2, 1, MPL_WAIT_N_TO_N, 30, 1);
}
END_TEST

START_TEST(broadcast_waits_for_the_root_only)
{
    const struct mpl_events *events = collective_of_three(MPL_COLL_BCAST, 2);

    fixture_assert_wait(events, 0, 1, MPL_WAIT_LATE_BROADCAST, 10, 2);
    fixture_assert_wait(events, 1, 1, MPL_WAIT_NONE, 0, MPL_NONE);
    fixture_assert_wait(events, 2, 1, MPL_WAIT_NONE, 0, MPL_NONE);
}
END_TEST

START_TEST(root_of_a_reduction_waits_for_the_last)
{
    const struct mpl_events *events = collective_of_three(MPL_COLL_REDUCE, 2);

    fixture_assert_wait(events, 0, 1, MPL_WAIT_NONE, 0, MPL_NONE);
    fixture_assert_wait(events, 1, 1, MPL_WAIT_NONE, 0, MPL_NONE);
    fixture_assert_wait(events, 2, 1, MPL_WAIT_EARLY_REDUCE, 30, 1);
}
END_TEST

START_TEST(scan_waits_for_lower_ranks_only)
{
    const struct mpl_events *events = collective_of_three(MPL_COLL_SCAN, MPL_NONE);

    fixture_assert_wait(events, 0, 1, MPL_WAIT_NONE, 0, MPL_NONE);
    fixture_assert_wait(events, 1, 1, MPL_WAIT_NONE, 0, MPL_NONE);
    fixture_assert_wait(events, 2, 1, MPL_WAIT_EARLY_SCAN, 30, 1);
}
END_TEST

static void part_with_counts(struct fixture *f, uint32_t location, int64_t from_us,
                             int64_t to_us, enum mpl_coll_op op, uint32_t root,
                             uint64_t sent_bytes, uint64_t received_bytes)
{
    uint32_t part;

    /* All have begun before: the last beginning ends start-up. */
    fixture_record(f, location, 0, MPL_EV_MARK);
    fixture_enter(f, location, from_us, mpl_coll_op_name(op));
    part = fixture_coll_begin(f, location, from_us);
    fixture_coll_end(f, location, to_us, part, op, root, sent_bytes, received_bytes);
    fixture_leave(f, location, to_us, mpl_coll_op_name(op));
}

/* Rank 1 comes at 50 but sends nothing; the last that the root needs is rank 2 at 20. */
static const struct mpl_events *gatherv_of_three(enum mpl_tracer tracer)
{
    struct fixture *f = fixture_create(arena, 3, 1);

    fixture_set_tracer(f, tracer);
    part_with_counts(f, 0, 10, 60, MPL_COLL_GATHERV, 0, 4, 8);
    part_with_counts(f, 1, 50, 51, MPL_COLL_GATHERV, 0, 0, 0);
    part_with_counts(f, 2, 20, 21, MPL_COLL_GATHERV, 0, 4, 0);
    return fixture_events(f);
}

START_TEST(who_gives_nothing_keeps_nobody_waiting)
{
    const struct mpl_events *events = gatherv_of_three(MPL_TRACER_SCOREP);

    fixture_assert_wait(events, 0, 1, MPL_WAIT_EARLY_REDUCE, 10, 2);
}
END_TEST

START_TEST(byte_counts_of_eztrace_do_not_tell_who_gives)
{
    const struct mpl_events *events = gatherv_of_three(MPL_TRACER_EZTRACE);

    fixture_assert_wait(events, 0, 1, MPL_WAIT_EARLY_REDUCE, 40, 1);
}
END_TEST

START_TEST(who_takes_nothing_does_not_wait)
{
    struct fixture *f = fixture_create(arena, 3, 1);
    const struct mpl_events *events;

    fixture_set_tracer(f, MPL_TRACER_SCOREP);
    part_with_counts(f, 0, 50, 60, MPL_COLL_SCATTERV, 0, 8, 0);
    part_with_counts(f, 1, 10, 61, MPL_COLL_SCATTERV, 0, 0, 0);
    part_with_counts(f, 2, 20, 61, MPL_COLL_SCATTERV, 0, 0, 8);
    events = fixture_events(f);
    fixture_assert_wait(events, 1, 1, MPL_WAIT_NONE, 0, MPL_NONE);
    fixture_assert_wait(events, 2, 1, MPL_WAIT_LATE_BROADCAST, 30, 0);
}
END_TEST

/* A non-blocking barrier is entered by Ibarrier at 10, 20; waited for from 15 to 40. */
START_TEST(non_blocking_collective_waits_in_its_completion)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    for (uint32_t l = 0; l < 2; l++) {
        const int64_t start = l == 0 ? 10 : 30;
        uint32_t part;

        fixture_enter(f, l, start, "MPI_Ibarrier");
        part = fixture_coll_begin(f, l, start);
        fixture_leave(f, l, start + 1, "MPI_Ibarrier");
        fixture_enter(f, l, start + 5, "MPI_Wait");
        fixture_coll_end(f, l, 40, part, MPL_COLL_BARRIER, MPL_NONE, 0, 0);
        fixture_set_immediate(f, l, part);
        fixture_leave(f, l, 40, "MPI_Wait");
    }
    events = fixture_events(f);
    fixture_assert_wait(events, 0, 1, MPL_WAIT_NONE, 0, MPL_NONE);
    fixture_assert_wait(events, 0, 3, MPL_WAIT_BARRIER, 15, 1);
    fixture_assert_wait(events, 1, 3, MPL_WAIT_NONE, 0, MPL_NONE);
    ck_assert_uint_eq(mpl_events_span_of_collective(events, 0, 0), 3);
}
END_TEST

/* ---- what is not recorded -------------------------------------------------------------- */

START_TEST(receive_without_a_recorded_sender_has_an_unknown_wait)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;
    struct mpl_span span;

    fixture_record(f, 0, 0, MPL_EV_MARK);
    fixture_call_recv(f, 1, 10, 53, 0, 7);
    events = fixture_events(f);
    span = mpl_events_span(events, 1, 1);
    ck_assert(!span.is_wait_known);
    ck_assert_int_eq(span.wait_ticks, 0);
    ASSERT_US(mpl_events_totals(events, 1)->unknown_s, 43);
    ck_assert(isnan(replay_ideal_s(events)));
}
END_TEST

START_TEST(wait_without_a_completion_is_unknown_where_completions_are_lost)
{
    for (int has_completions = 0; has_completions < 2; has_completions++) {
        struct fixture *f = fixture_create(arena, 1, 1);
        const struct mpl_events *events;

        fixture_set_tracer(f, MPL_TRACER_EZTRACE);
        fixture_set_receive_completions(f, has_completions != 0);
        fixture_call(f, 0, 10, 53, "MPI_Waitall");
        events = fixture_events(f);
        ck_assert_int_eq(mpl_events_span(events, 0, 1).is_wait_known, has_completions);
        ASSERT_US(mpl_events_totals(events, 0)->unknown_s, has_completions ? 0 : 43);
    }
}
END_TEST

START_TEST(wait_is_unknown_where_one_of_two_completions_is_lost)
{
    for (int has_post = 0; has_post < 2; has_post++) {
        struct fixture *f = fixture_create(arena, 2, 1);
        const struct mpl_events *events;
        uint32_t kept;

        fixture_set_tracer(f, MPL_TRACER_EZTRACE);
        fixture_set_receive_completions(f, false);
        fixture_call_send(f, 0, 0, 2, "MPI_Send", 1, 1);
        fixture_call_send(f, 0, 50, 52, "MPI_Send", 1, 1);
        fixture_enter(f, 1, 0, "MPI_Startall");
        kept = fixture_post(f, 1, 0);
        if (has_post) {
            (void) fixture_post(f, 1, 1);
        }
        fixture_leave(f, 1, 2, "MPI_Startall");
        for (int i = 0; i < 2; i++) {
            fixture_enter(f, 1, 10 + 30 * i, "MPI_Waitall");
            fixture_irecv(f, 1, 23 + 30 * i, kept, 0, 1);
            fixture_leave(f, 1, 24 + 30 * i, "MPI_Waitall");
            if (i == 0) {
                fixture_enter(f, 1, 25, "MPI_Startall");
                kept = fixture_post(f, 1, 25);
                fixture_leave(f, 1, 26, "MPI_Startall");
            }
        }
        events = fixture_events(f);
        ck_assert_int_eq(mpl_events_span(events, 1, 3).is_wait_known, !has_post);
        ck_assert_int_eq(mpl_events_span(events, 1, 7).is_wait_known, 1);
        fixture_assert_wait(events, 1, 7, MPL_WAIT_LATE_SENDER, 10, 0);
    }
}
END_TEST

START_TEST(barrier_that_not_all_have_reached_has_an_unknown_wait)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_call_coll(f, 0, 10, 52, MPL_COLL_BARRIER, MPL_NONE);
    fixture_record(f, 1, 60, MPL_EV_MARK);
    events = fixture_events(f);
    ck_assert(!mpl_events_span(events, 0, 1).is_wait_known);
    ASSERT_US(mpl_events_totals(events, 0)->unknown_s, 42);
}
END_TEST

/* The root's part is not recorded: of who gets something nobody knows how long it waited for it. */
START_TEST(who_takes_nothing_waits_for_nobody_who_is_missing)
{
    struct fixture *f = fixture_create(arena, 3, 1);
    const struct mpl_events *events;

    fixture_set_tracer(f, MPL_TRACER_SCOREP);
    part_with_counts(f, 0, 10, 52, MPL_COLL_SCATTERV, 2, 0, 0);
    part_with_counts(f, 1, 10, 52, MPL_COLL_SCATTERV, 2, 0, 8);
    fixture_record(f, 2, 60, MPL_EV_MARK);
    events = fixture_events(f);
    ck_assert(mpl_events_span(events, 0, 1).is_wait_known);
    ck_assert(!mpl_events_span(events, 1, 1).is_wait_known);
}
END_TEST

START_TEST(killed_receive_lasts_until_the_end_and_its_wait_is_unknown)
{
    struct fixture *f = fixture_create(arena, 1, 1);
    const struct mpl_events *events;

    fixture_set_tracer(f, MPL_TRACER_SCOREP);
    fixture_enter(f, 0, 0, "Working");
    fixture_enter(f, 0, 10, "MPI_Recv");
    fixture_leave(f, 0, 90, "Working");
    fixture_record(f, 0, 95, MPL_EV_MARK);
    events = fixture_events(f);
    ck_assert_uint_eq(mpl_events_span_count(events, 0), 3);
    fixture_assert_span(events, 0, 1, MPL_SPAN_P2P, 10, 90);
    ck_assert(!mpl_events_span(events, 0, 1).is_wait_known);

    f = fixture_create(arena, 1, 1);
    fixture_enter(f, 0, 10, "MPI_Barrier");
    (void) fixture_coll_begin(f, 0, 10);
    fixture_record(f, 0, 95, MPL_EV_MARK);
    events = fixture_events(f);
    fixture_assert_span(events, 0, 1, MPL_SPAN_COLLECTIVE, 10, 95);
    ck_assert(!mpl_events_span(events, 0, 1).is_wait_known);
}
END_TEST

/* Who calls MPI_Recv and has no message received from MPI_PROC_NULL; MPI_Neighbor_alltoall waits, but OTF2 has
 * no operation for it. */
START_TEST(marples_tracer_leaves_out_neighbourhoods_and_no_messages)
{
    struct fixture *f = fixture_create(arena, 1, 1);
    const struct mpl_events *events;

    fixture_set_tracer(f, MPL_TRACER_MARPLE);
    fixture_enter(f, 0, 0, "Working");
    fixture_enter(f, 0, 10, "MPI_Recv");
    fixture_leave(f, 0, 20, "MPI_Recv");
    fixture_enter(f, 0, 30, "MPI_Neighbor_alltoall");
    fixture_leave(f, 0, 50, "MPI_Neighbor_alltoall");
    fixture_leave(f, 0, 60, "Working");
    events = fixture_events(f);
    fixture_assert_span(events, 0, 1, MPL_SPAN_P2P, 10, 20);
    ck_assert(mpl_events_span(events, 0, 1).is_wait_known);
    fixture_assert_span(events, 0, 3, MPL_SPAN_COLLECTIVE, 30, 50);
    ck_assert(!mpl_events_span(events, 0, 3).is_wait_known);
}
END_TEST

/* ---- stalls --------------------------------------------------------------------------- */

static void assert_stalls(const struct mpl_events *events, uint32_t location, uint64_t n,
                          int64_t us, uint64_t n_prompt)
{
    const struct mpl_totals *t = mpl_events_totals(events, location);

    ck_assert_uint_eq(t->n_stalled, n);
    ASSERT_US(t->stalled_s, us);
    ck_assert_uint_eq(t->n_prompt, n_prompt);
}

START_TEST(receive_stalls_from_the_send_on_not_before)
{
    struct fixture *f = fixture_create(arena, 2, 1);

    fixture_call_send(f, 0, 9000, 9001, "MPI_Send", 1, 7);
    fixture_call_send(f, 0, 20000, 20001, "MPI_Send", 1, 7);
    fixture_call_recv(f, 1, 10, 12000, 0, 7);
    fixture_call_recv(f, 1, 13000, 20999, 0, 7); /* less than a millisecond */
    assert_stalls(fixture_events(f), 1, 1, 3000, 2);
}
END_TEST

START_TEST(send_stalls_only_once_the_receive_is_posted)
{
    struct fixture *f = fixture_create(arena, 2, 1);

    fixture_call_send(f, 0, 0, 5000, "MPI_Send", 1, 7); /* may be held by flow control */
    fixture_call_send(f, 0, 6000, 20000, "MPI_Send", 1,
                      7); /* nothing holds it from 18000 on */
    fixture_call_recv(f, 1, 17000, 17001, 0, 7);
    fixture_call_recv(f, 1, 18000, 20001, 0, 7);
    assert_stalls(fixture_events(f), 0, 1, 2000, 1);
}
END_TEST

START_TEST(call_that_returns_at_once_stalls_by_itself)
{
    struct fixture *f = fixture_create(arena, 2, 1);

    fixture_enter(f, 0, 0, "MPI_Isend");
    (void) fixture_isend(f, 0, 1, 1, 7);
    fixture_leave(f, 0, 4000, "MPI_Isend");
    fixture_call(f, 0, 4000, 4010, "MPI_Test");
    fixture_call(f, 0, 4010, 9000, "MPI_Comm_rank"); /* nobody says what it does */
    fixture_call_recv(f, 1, 8000, 8001, 0, 7);
    assert_stalls(fixture_events(f), 0, 1, 4000, 2);
}
END_TEST

START_TEST(short_times_between_questions_in_vain_are_asking)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_totals *totals;

    fixture_call(f, 0, 0, 1, "MPI_Test");
    fixture_call(f, 0, 501, 502, "MPI_Test");
    fixture_call(f, 0, 2502, 2503, "MPI_Test");
    fixture_call(f, 0, 9000, 9001, "MPI_Test"); /* it has worked */
    fixture_call_recv(f, 0, 9100, 9101, 1, 7);
    fixture_call(f, 0, 9200, 9201, "MPI_Test"); /* there has been an answer */
    fixture_call_send(f, 1, 9000, 9001, "MPI_Send", 0, 7);
    totals = mpl_events_totals(fixture_events(f), 0);
    ASSERT_US(totals->asking_s, 500 + 2000);
    ck_assert_uint_eq(totals->n_asks, 2);
}
END_TEST

START_TEST(leaf_of_a_broadcast_stalls_from_the_last_enter_on)
{
    struct fixture *f = fixture_create(arena, 3, 1);

    /* Rank 2 may get the data from rank 1, which comes at 20000; 3 members may take 150 us. */
    fixture_call_coll(f, 0, 0, 100, MPL_COLL_BCAST, 0);
    fixture_call_coll(f, 1, 20000, 20100, MPL_COLL_BCAST, 0);
    fixture_call_coll(f, 2, 10, 25150, MPL_COLL_BCAST, 0);
    const struct mpl_events *events = fixture_events(f);

    assert_stalls(events, 0, 0, 0, 0);
    assert_stalls(events, 1, 0, 0, 0);
    assert_stalls(events, 2, 1, 5000, 1);
}
END_TEST

/* ---- who computes at the same time --------------------------------------------------------- */

static bool knows_crowd(struct fixture *f, struct mpl_crowd *out)
{
    bool is_known = false;

    ck_assert_int_eq(mpl_events_crowd(fixture_events(f), &is_known, out, NULL), MPL_OK);
    return is_known;
}

START_TEST(two_of_four_compute_at_a_time_any_two)
{
    /* All pairs in turn; the others are in a call. */
    static const char computing[6][5] = { "1100", "0011", "1010", "0101", "1001", "0110" };
    struct fixture *f = fixture_create(arena, 4, 1);
    struct mpl_crowd crowd;

    for (uint32_t p = 0; p < 4; p++) {
        fixture_enter(f, p, 0, "main");
        for (int64_t i = 0; i < 6; i++) {
            if (computing[i][p] == '0') {
                fixture_call(f, p, 100 * i, 100 * i + 100, "MPI_Test");
            }
        }
        fixture_call(f, p, 600, 601, "MPI_Test");
    }
    ck_assert(knows_crowd(f, &crowd));
    ck_assert_uint_eq(crowd.most, 2);
    ck_assert_double_ge(crowd.share, 0.98);
    ck_assert_double_eq(crowd.pairs, 1);
    ck_assert_double_le(crowd.alone, 0.02);
}
END_TEST

START_TEST(every_other_process_computes_always_the_same_ones)
{
    struct fixture *f = fixture_create(arena, 4, 1);
    struct mpl_crowd crowd;

    for (uint32_t p = 0; p < 4; p++) {
        for (int64_t i = 0; i < 10; i++) {
            fixture_call(f, p, 200 * i + 100 * (p % 2), 200 * i + 100 * (p % 2) + 100,
                         "MPI_Test");
        }
    }
    ck_assert(knows_crowd(f, &crowd));
    ck_assert_uint_eq(crowd.most, 2);
    ck_assert_double_eq_tol(crowd.pairs, 2.0 / 6, 1e-9);
}
END_TEST

START_TEST(crowd_is_what_counting_at_each_moment_gives)
{
    enum { PROCESSES = 7, MOMENTS = 4000 };
    static bool is_computing[PROCESSES][MOMENTS];
    struct fixture *f = fixture_create(arena, PROCESSES, 1);
    struct mpl_crowd crowd;
    uint32_t random = 1;
    double times[PROCESSES + 1] = { 0 };
    char n_threads[8];

    snprintf(n_threads, sizeof n_threads, "%d", _i);
    setenv("MARPLE_THREADS", n_threads, 1);
    /* Calls begin and end at the same moments as others, touch, and take no time. */
    for (uint32_t p = 0; p < PROCESSES; p++) {
        int64_t now = 0;

        fixture_enter(f, p, 0, "main");
        while (now < MOMENTS) {
            random = random * 1103515245 + 12345;
            const int64_t from = now + (int64_t) (random >> 16) % 4 * 5;
            const int64_t to = from + (int64_t) (random >> 20) % 4 * (5 + p % 2 * 10);

            for (int64_t t = now; t < from && t < MOMENTS; t++) {
                is_computing[p][t] = true;
            }
            now = from < MOMENTS && to < MOMENTS ? to : MOMENTS;
            fixture_call(f, p, from < MOMENTS ? from : MOMENTS, now, "MPI_Test");
        }
    }
    for (uint32_t t = 0; t < MOMENTS; t++) {
        uint32_t n = 0;

        for (uint32_t p = 0; p < PROCESSES; p++) {
            n += is_computing[p][t];
        }
        times[n]++;
    }
    ck_assert(knows_crowd(f, &crowd));

    double rest = 0;
    uint32_t most = PROCESSES;

    for (; rest + times[most] <= 0.02 * MOMENTS; most--) {
        rest += times[most];
    }

    double pairs[PROCESSES][PROCESSES] = { { 0 } };
    double sum = 0;
    uint32_t n_together = 0;

    for (uint32_t t = 0; t < MOMENTS; t++) {
        uint32_t n = 0;

        for (uint32_t p = 0; p < PROCESSES; p++) {
            n += is_computing[p][t];
        }
        for (uint32_t p = 0; p < PROCESSES && n <= most; p++) {
            for (uint32_t q = 0; q < p; q++) {
                pairs[p][q] += is_computing[p][t] && is_computing[q][t];
                sum += is_computing[p][t] && is_computing[q][t];
            }
        }
    }
    for (uint32_t p = 0; p < PROCESSES; p++) {
        for (uint32_t q = 0; q < p; q++) {
            n_together += pairs[p][q] > 0.25 * sum / (PROCESSES * (PROCESSES - 1) / 2);
        }
    }
    ck_assert_uint_eq(crowd.most, most);
    ck_assert_double_eq(crowd.share, times[most] / MOMENTS);
    ck_assert_double_eq(crowd.alone, times[1] / MOMENTS);
    ck_assert_double_eq(crowd.pairs, n_together / (PROCESSES * (PROCESSES - 1) / 2.0));
    unsetenv("MARPLE_THREADS");
}
END_TEST

/* Less than a tick for each part. */
START_TEST(crowd_of_a_short_run_is_known_for_any_number_of_threads)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    struct mpl_crowd crowd;
    char n_threads[8];

    snprintf(n_threads, sizeof n_threads, "%d", _i);
    setenv("MARPLE_THREADS", n_threads, 1);
    for (uint32_t p = 0; p < 2; p++) {
        fixture_enter(f, p, 0, "main");
        fixture_call(f, p, 2 + p, 4, "MPI_Test");
    }
    ck_assert(knows_crowd(f, &crowd));
    ck_assert_uint_eq(crowd.most, 2);
    ck_assert_double_eq(crowd.share, 0.5);
    ck_assert_double_eq(crowd.alone, 0.25);
    ck_assert_double_eq(crowd.pairs, 1);
    unsetenv("MARPLE_THREADS");
}
END_TEST

START_TEST(a_process_with_threads_is_not_counted)
{
    struct fixture *f = fixture_create(arena, 2, 2);
    struct mpl_crowd crowd;

    fixture_call(f, 0, 0, 10, "MPI_Test");
    ck_assert(!knows_crowd(f, &crowd));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("events_waits");
    TCase *t = add_case(suite, "events", create_arena, destroy_arena);

    tcase_add_test(t, receive_waits_until_the_send_is_entered);
    tcase_add_test(t, receive_entered_after_the_send_does_not_wait);
    tcase_add_test(t, clock_error_cannot_make_a_receive_wait_longer_than_it_takes);
    tcase_add_test(t, latest_sender_counts_in_a_wait_for_several);
    tcase_add_test(t, consecutive_messages_are_those_of_their_call);
    tcase_add_test(t, test_asks_and_does_not_wait);
    tcase_add_test(t, probe_waits_for_the_message_received_next);
    tcase_add_test(t, null_process_is_never_waited_for);
    tcase_add_test(t, waiting_for_the_later_of_two_messages_is_wrong_order);
    tcase_add_test(t, messages_that_overtake_each_other_on_their_way_are_in_no_order);
    tcase_add_test(t, messages_taken_as_they_were_sent_are_in_order);
    tcase_add_test(t, synchronous_send_waits_until_the_receive_is_posted);
    tcase_add_test(t, send_finished_before_the_receive_did_not_wait_for_it);
    tcase_add_test(t, buffered_send_never_waits);
    tcase_add_test(t, wait_for_a_send_waits_until_the_receive_is_posted);
    tcase_add_test(t, receive_posted_outside_of_all_calls_is_not_blamed);
    tcase_add_test(t, call_that_sends_and_receives_has_the_larger_wait);
    tcase_add_test(t, barrier_waits_for_the_last);
    tcase_add_test(t, all_to_all_waits_for_the_last);
    tcase_add_test(t, broadcast_waits_for_the_root_only);
    tcase_add_test(t, root_of_a_reduction_waits_for_the_last);
    tcase_add_test(t, scan_waits_for_lower_ranks_only);
    tcase_add_test(t, who_gives_nothing_keeps_nobody_waiting);
    tcase_add_test(t, byte_counts_of_eztrace_do_not_tell_who_gives);
    tcase_add_test(t, who_takes_nothing_does_not_wait);
    tcase_add_test(t, non_blocking_collective_waits_in_its_completion);
    tcase_add_test(t, receive_without_a_recorded_sender_has_an_unknown_wait);
    tcase_add_test(t, wait_without_a_completion_is_unknown_where_completions_are_lost);
    tcase_add_test(t, wait_is_unknown_where_one_of_two_completions_is_lost);
    tcase_add_test(t, barrier_that_not_all_have_reached_has_an_unknown_wait);
    tcase_add_test(t, who_takes_nothing_waits_for_nobody_who_is_missing);
    tcase_add_test(t, killed_receive_lasts_until_the_end_and_its_wait_is_unknown);
    tcase_add_test(t, marples_tracer_leaves_out_neighbourhoods_and_no_messages);
    tcase_add_test(t, receive_stalls_from_the_send_on_not_before);
    tcase_add_test(t, send_stalls_only_once_the_receive_is_posted);
    tcase_add_test(t, call_that_returns_at_once_stalls_by_itself);
    tcase_add_test(t, short_times_between_questions_in_vain_are_asking);
    tcase_add_test(t, leaf_of_a_broadcast_stalls_from_the_last_enter_on);
    tcase_add_test(t, two_of_four_compute_at_a_time_any_two);
    tcase_add_test(t, every_other_process_computes_always_the_same_ones);
    tcase_add_loop_test(t, crowd_is_what_counting_at_each_moment_gives, 1, 10);
    tcase_add_loop_test(t, crowd_of_a_short_run_is_known_for_any_number_of_threads, 1, 10);
    tcase_add_test(t, a_process_with_threads_is_not_counted);
    return run_suite(suite);
}
