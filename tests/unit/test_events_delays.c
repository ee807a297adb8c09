/*
 * Delay costs: small runs whose root causes can be read off the drawing, the figures of Scalasca,
 * and conservation on every trace.
 */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/suite.h"
#include "all_traces.h"
#include "events/events.h"
#include "events_of.h"
#include "read/read.h"

static const struct mpl_delay *delays_of(const struct mpl_events *events)
{
    const struct mpl_delay *delays = NULL;

    ck_assert_int_eq(mpl_events_delays(events, arena, &delays, NULL), MPL_OK);
    return delays;
}

static double sum_of(const double *seconds)
{
    double sum = 0;

    for (int k = 0; k < MPL_WAIT_KINDS; k++) {
        sum += seconds[k];
    }
    return sum;
}

#define ASSERT_US(seconds, us) \
    ck_assert_msg(fabs((seconds) -1e-6 * (us)) < 1e-12, "%g s, not %g us", seconds, \
                  (double) (us))

/* ---- small runs --------------------------------------------------------------------------- */

START_TEST(a_wait_is_the_fault_of_who_computed_longer)
{
    const struct mpl_delay *d =
        delays_of(events_of_text("# us\n"
                                 "rank 0: compute 0..50  send 50..51 to 1\n"
                                 "rank 1: compute 0..20  recv 20..52 from 0\n",
                                 arena));

    ASSERT_US(d[0].direct_s[MPL_WAIT_LATE_SENDER], 30);
    ASSERT_US(sum_of(d[0].indirect_s), 0);
    ASSERT_US(sum_of(d[1].direct_s), 0);
    ASSERT_US(sum_of(d[1].passed_s), 0);
}
END_TEST

START_TEST(a_delay_that_is_passed_on_goes_back_to_its_source)
{
    /* 2 sends at 40, so 1 waits 30 and sends at 40; 0 waits 30 for 1, which was never busier. */
    const struct mpl_delay *d = delays_of(
        events_of_text("# us\n"
                       "rank 0: compute 0..10  recv 10..40 from 1\n"
                       "rank 1: compute 0..10  recv 10..40 from 2  send 40..40 to 0\n"
                       "rank 2: compute 0..40  send 40..40 to 1\n",
                       arena));

    ASSERT_US(d[2].direct_s[MPL_WAIT_LATE_SENDER], 30);
    ASSERT_US(d[2].indirect_s[MPL_WAIT_LATE_SENDER], 30);
    ASSERT_US(sum_of(d[1].direct_s), 0);
    ASSERT_US(sum_of(d[1].indirect_s), 0);
    ASSERT_US(d[0].passed_s[MPL_WAIT_LATE_SENDER], 30);
}
END_TEST

START_TEST(a_turn_is_computed_behind_a_wait_while_the_next_does_nothing)
{
    /* 1 has waited 10 and computes 10, for which 2 waits, and 0 after all. The last one has met 1 before. */
    const struct mpl_delay *d = delays_of(events_of_text(
        "# us\n"
        "rank 0: compute 0..10  send 10..10 to 1  barrier 10..30\n"
        "rank 1: recv 0..10 from 0  compute 10..20  send 20..20 to 2  barrier 20..30\n"
        "rank 2: recv 0..20 from 1  compute 20..30  barrier 30..30\n",
        arena));

    ASSERT_US(d[0].in_turn_s, 0);
    ASSERT_US(d[1].in_turn_s, 20);
    ASSERT_US(d[2].in_turn_s, 0);
    ck_assert_uint_eq(d[1].turn_after, 0);
    ck_assert_uint_eq(d[2].turn_after, MPL_NONE);
    ASSERT_US(d[0].computed_s + d[1].computed_s + d[2].computed_s, 60);
}
END_TEST

START_TEST(nobody_is_in_turn_where_a_delay_is_passed_on_and_all_compute)
{
    /* 0 is late by 20, and so is 1 for 2 after it has computed, as 2 has, for 5. */
    const struct mpl_delay *d = delays_of(events_of_text(
        "# us\n"
        "rank 0: compute 0..30  send 30..30 to 1\n"
        "rank 1: compute 0..10  recv 10..30 from 0  compute 30..36  send 36..36 to 2\n"
        "rank 2: compute 0..15  recv 15..36 from 1\n",
        arena));

    for (uint32_t l = 0; l < 3; l++) {
        ASSERT_US(d[l].in_turn_s, 0);
    }
}
END_TEST

START_TEST(fault_is_shared_by_delay_and_waiting)
{
    /* 1 waits 30 for 2, then computes 10 more than 0: of the 40 that 0 waits, 10 are its fault. */
    const struct mpl_delay *d = delays_of(events_of_text(
        "# us\n"
        "rank 0: compute 0..10  recv 10..50 from 1\n"
        "rank 1: compute 0..10  recv 10..40 from 2  compute 40..50  send 50..50 to 0\n"
        "rank 2: compute 0..40  send 40..40 to 1\n",
        arena));

    ASSERT_US(sum_of(d[1].direct_s), 10);
    ASSERT_US(sum_of(d[2].direct_s), 30);
    ASSERT_US(sum_of(d[2].indirect_s), 30);
}
END_TEST

START_TEST(only_what_happened_since_they_met_counts)
{
    /* At the barrier they are even; that 0 was slow before it explains nothing behind it. */
    const struct mpl_delay *d = delays_of(events_of_text(
        "# us\n"
        "rank 0: compute 0..90  barrier 90..91  compute 91..101  recv 101..121 from 1\n"
        "rank 1: compute 0..10  barrier 10..91  compute 91..121  send 121..121 to 0\n",
        arena));

    ASSERT_US(d[0].direct_s[MPL_WAIT_BARRIER], 80);
    ASSERT_US(d[1].direct_s[MPL_WAIT_LATE_SENDER], 20);
    ASSERT_US(sum_of(d[1].indirect_s), 0);
}
END_TEST

START_TEST(any_number_of_calls_may_lie_before_a_wait)
{
    /* 0 waits 10 for 3, sends _i times, computes 40; 1, who has computed 20, waits for it. */
    char sends[1024] = "";
    char receives[1024] = "";
    char drawing[4096];

    for (int k = 0; k < _i; k++) {
        const size_t n_sends = strlen(sends);
        const size_t n_receives = strlen(receives);

        snprintf(sends + n_sends, sizeof sends - n_sends, "  send %d..%d to 2", 10 + k,
                 11 + k);
        snprintf(receives + n_receives, sizeof receives - n_receives,
                 "  recv %d..%d from 0", 100 + k, 101 + k);
    }
    snprintf(drawing, sizeof drawing,
             "# us\n"
             "rank 0: recv 0..10 from 3%s  compute %d..%d  send %d..%d to 1\n"
             "rank 1: compute 0..20  recv 20..%d from 0\n"
             "rank 2: compute 0..100%s\n"
             "rank 3: compute 0..10  send 10..10 to 0\n",
             sends, 10 + _i, 50 + _i, 50 + _i, 51 + _i, 52 + _i, receives);

    const struct mpl_delay *d = delays_of(events_of_text(drawing, arena));

    ASSERT_US(d[0].direct_s[MPL_WAIT_LATE_SENDER], 20 + _i);
    ASSERT_US(d[0].computed_s, 20);
    ASSERT_US(d[3].direct_s[MPL_WAIT_LATE_SENDER], 10);
    ASSERT_US(d[3].indirect_s[MPL_WAIT_LATE_SENDER], 10);
}
END_TEST

START_TEST(a_message_that_lay_ready_is_no_meeting)
{
    /* 0 sends to 1 at 10; 1 waits for 2 until 40, takes it, answers at once. 2 is to blame. */
    const struct mpl_delay *d = delays_of(events_of_text(
        "# us\n"
        "rank 0: compute 0..10  send 10..10 to 1 tag 1  recv 10..40 from 1 tag 2\n"
        "rank 1: compute 0..10  recv 10..40 from 2  recv 40..40 from 0 tag 1  send 40..40 "
        "to "
        "0 tag 2\n"
        "rank 2: compute 0..40  send 40..40 to 1\n",
        arena));

    ASSERT_US(sum_of(d[1].direct_s), 0);
    ASSERT_US(sum_of(d[2].direct_s), 30);
    ASSERT_US(sum_of(d[2].indirect_s), 30);
    ASSERT_US(d[2].computed_s, 60);
}
END_TEST

/* ---- Scalasca ------------------------------------------------------------------------------- */

struct figure {
    const char *trace;
    enum mpl_wait_kind kind;
    double direct_s;
    double passed_s;
    double within; /* of the kind's waiting */
};

/*
 * Scalasca compares call paths, where this compares computation and communication. Hence up to 1 %.
 * On scorep-mw the two differ by 7 %: a worker whose request lay ready has not met the master since
 * the answer before, so what the master waited for others in between explains 34 of 301 ms; Scalasca
 * puts 12 down to it.
 */
static const struct figure figures[] = {
    { "scorep-halo-imb", MPL_WAIT_LATE_SENDER, 0.928632, 0.240563, 0.01 },
    { "scorep-halo-imb", MPL_WAIT_N_TO_N, 0.170104, 0.015906, 0.01 },
    { "scorep-colls", MPL_WAIT_N_TO_N, 0.167596, 0.000305, 0.01 },
    { "scorep-colls", MPL_WAIT_EARLY_REDUCE, 0.0346464, 0, 0.01 },
    { "scorep-colls", MPL_WAIT_BARRIER, 0.0419144, 0, 0.01 },
    { "scorep-mw", MPL_WAIT_LATE_SENDER, 0.289107, 0.0120562, 0.08 },
};

START_TEST(delay_costs_are_those_of_scalasca)
{
    const struct figure *f = &figures[_i];
    const char *path = mpl_arena_printf(arena, "%s/%s", traces_folder(), f->trace);
    struct mpl_model *model = NULL;
    double direct_s = 0;
    double passed_s = 0;

    ck_assert_ptr_nonnull(path);
    ck_assert_int_eq(mpl_read(path, arena, NULL, &model, NULL), MPL_OK);

    const struct mpl_events *events = events_of_model(model, arena);
    const struct mpl_delay *d = delays_of(events);
    double all_s = 0;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        direct_s += d[l].direct_s[f->kind];
        passed_s += d[l].passed_s[f->kind];
        all_s += mpl_events_totals(events, l)->wait_s[f->kind];
    }
    ck_assert_msg(fabs(direct_s - f->direct_s) <= f->within * all_s,
                  "%s, %s: direct %.6f s, Scalasca %.6f s", f->trace,
                  mpl_wait_kind_name(f->kind), direct_s, f->direct_s);
    ck_assert_msg(fabs(passed_s - f->passed_s) <= f->within * all_s,
                  "%s, %s: indirect %.6f s, Scalasca %.6f s", f->trace,
                  mpl_wait_kind_name(f->kind), passed_s, f->passed_s);
}
END_TEST

/* ---- every trace ------------------------------------------------------------------------------- */

static void check_conservation(const struct mpl_events *events, const char *name)
{
    const struct mpl_delay *d = delays_of(events);
    double costs_s = 0;
    double waits_s = 0;

    for (uint32_t l = 0; l < mpl_events_model(events)->n_locations; l++) {
        for (int k = 0; k < MPL_WAIT_KINDS; k++) {
            ck_assert_msg(d[l].direct_s[k] >= 0 && d[l].indirect_s[k] >= -1e-9 &&
                              d[l].passed_s[k] >= 0,
                          "%s: negative costs", name);
            costs_s += d[l].direct_s[k] + d[l].indirect_s[k];
            waits_s += mpl_events_totals(events, l)->wait_s[k];
        }
    }
    ck_assert_msg(fabs(costs_s - waits_s) <= 1e-9 + 1e-9 * waits_s,
                  "%s: %.9f s of costs for %.9f s of waiting", name, costs_s, waits_s);
}

static bool check_if_read(const char *name, const char *path)
{
    const struct mpl_events *events = find_events_of_path(path, arena);

    if (events != NULL) {
        check_conservation(events, name);
    }
    return events != NULL;
}

START_TEST(costs_are_all_waiting_on_every_trace)
{
    look_at_all_traces(check_if_read, 40);
}
END_TEST

/* ---- out of memory -------------------------------------------------------------------------- */

/* "1:3 <- 2:1 1, …": location and call that wait, the call that caused the wait, hops. */
static const char *origins_of(const struct mpl_events *events)
{
    const struct mpl_wait_origin *all = NULL;
    const char *text = "";
    size_t n = 0;

    ck_assert_int_eq(mpl_events_wait_origins(events, arena, &all, &n, NULL), MPL_OK);
    for (size_t i = 0; i < n; i++) {
        text = mpl_arena_printf(arena, "%s%s%u:%u <- %u:%u %u", text, i == 0 ? "" : ", ",
                                all[i].location, all[i].call, all[i].origin,
                                all[i].origin_call, all[i].hops);
        ck_assert_ptr_nonnull(text);
    }
    return text;
}

START_TEST(a_wait_goes_back_to_who_was_late)
{
    ck_assert_str_eq(origins_of(events_of_text(
                         "rank 0: compute 0..10 recv 10..52 from 1\n"
                         "rank 1: compute 0..10 recv 10..46 from 2 send 46..48 to 0\n"
                         "rank 2: compute 0..40 send 40..42 to 1\n",
                         arena)),
                     "0:0 <- 2:0 2, 1:0 <- 2:0 1");
}
END_TEST

START_TEST(a_wait_begins_where_its_culprit_was_late_by_itself)
{
    ck_assert_str_eq(
        origins_of(events_of_text("rank 0: compute 0..10 recv 10..92 from 1\n"
                                  "rank 1: compute 0..10 recv 10..22 from 2 compute 22..80 "
                                  "send 80..82 to 0\n"
                                  "rank 2: compute 0..15 send 15..17 to 1\n",
                                  arena)),
        "0:0 <- 1:1 1, 1:0 <- 2:0 1");
}
END_TEST

/* Rank 1 has posted its receive, and computes until 60: the message of rank 0 moves only then. */
START_TEST(a_send_is_held_while_its_receiver_computes)
{
    ck_assert_str_eq(origins_of(events_of_text(
                         "rank 0: compute 0..5 isend 5..6 to 1 as a wait 6..63 for a "
                         "send 63..64 to 2\n"
                         "rank 1: irecv 0..1 from 0 as a compute 1..60 wait 60..63 for a\n"
                         "rank 2: compute 0..5 recv 5..66 from 0\n",
                         arena)),
                     "0:1 <- 1:1 1, 2:0 <- 1:1 2");
}
END_TEST

/* Seconds for which sends of a location are held. */
static double held_of(const struct mpl_events *events, uint32_t location)
{
    const double *held_s = NULL;

    ck_assert_int_eq(mpl_events_held(events, arena, &held_s, NULL), MPL_OK);
    return held_s[location];
}

/* Both receives are posted when rank 0 sends; rank 1 computes until 60 then, rank 2 until 40. */
START_TEST(of_several_sends_in_a_call_the_longest_held_counts)
{
    const struct mpl_events *events = events_of_text(
        "# us\n"
        "rank 0: compute 0..5 isend 5..6 to 2 as a isend 6..7 to 1 as b isend 7..8 to 2 as "
        "c "
        "waitall 8..63 for a b c\n"
        "rank 1: irecv 0..1 from 0 as b compute 1..60 wait 60..64 for b\n"
        "rank 2: irecv 0..1 from 0 as a irecv 1..2 from 0 as c compute 2..40 "
        "waitall 40..64 for a c\n",
        arena);

    ck_assert_double_eq_tol(held_of(events, 0), 52e-6, 1e-12);
}
END_TEST

/*
 * Rank 0 is held for 4 us in its first send and for 7 in the second. The part ends between them, where rank 1 is about to stop
 * computing: what stands for the rest of rank 0 begins before that, but is no call that could be held.
 */
START_TEST(a_part_of_a_run_has_its_own_held_sends)
{
    const struct mpl_events *whole =
        events_of_text("# us\n"
                       "rank 0: send 5..10 to 1 compute 10..52 send 52..60 to 1\n"
                       "rank 1: irecv 0..1 from 0 as a irecv 1..2 from 0 as b compute 2..9 "
                       "wait 9..10 for a "
                       "compute 10..48 isend 48..49 to 0 as c compute 49..59 wait 59..60 "
                       "for b wait 60..61 for c\n",
                       arena);
    const uint64_t ticks_per_s = mpl_events_model(whole)->ticks_per_s;
    const struct mpl_part begin = { .end_ticks = (int64_t) (ticks_per_s * 50 / 1000000) };
    const struct mpl_events *part = NULL;

    ck_assert_int_eq(mpl_events_part(whole, &begin, arena, &part, NULL), MPL_OK);
    ck_assert_double_eq_tol(held_of(whole, 0), 11e-6, 1e-12);
    ck_assert_double_eq_tol(held_of(part, 0), 4e-6, 1e-12);
}
END_TEST

/* Rank 0 is held from 6 to 60, also where rank 1 comes to MPI before it takes the message (the send of rank 2). */
START_TEST(held_sends_last_until_their_receiver_is_in_mpi)
{
    const struct mpl_events *events = events_of_text(
        "# us\n"
        "rank 0: compute 0..5 isend 5..6 to 1 as a wait 6..63 for a\n"
        "rank 1: irecv 0..1 from 0 as a compute 1..60 wait 60..63 for a recv "
        "63..64 from 2\n"
        "rank 2: compute 0..20 send 20..61 to 1\n",
        arena);
    const double *held_s = NULL;

    ck_assert_int_eq(mpl_events_held(events, arena, &held_s, NULL), MPL_OK);
    ck_assert_double_eq_tol(held_s[0], 54e-6, 1e-12);
    ck_assert_double_eq_tol(held_s[1], 0, 1e-12);
    ck_assert_double_eq_tol(held_s[2], 40e-6, 1e-12);

    enum mpl_status st = MPL_E_NOMEM;

    held_s = NULL;
    for (long k = 0; fails_without_memory(k, st); k++) {
        mpl_alloc_fail_after(k);
        st = mpl_events_held(events, arena, &held_s, NULL);
        mpl_alloc_fail_after(-1);
        ck_assert_int_eq(held_s != NULL, st == MPL_OK);
    }
}
END_TEST

START_TEST(out_of_memory_for_origins_is_told)
{
    const struct mpl_events *events =
        events_of_text("rank 0: compute 0..10 recv 10..52 from 1\n"
                       "rank 1: compute 0..10 recv 10..46 from 2 send 46..48 to 0\n"
                       "rank 2: compute 0..40 send 40..42 to 1\n",
                       arena);
    const struct mpl_wait_origin *all = NULL;
    enum mpl_status st = MPL_E_NOMEM;
    size_t n = 0;

    for (long k = 0; fails_without_memory(k, st); k++) {
        mpl_alloc_fail_after(k);
        st = mpl_events_wait_origins(events, arena, &all, &n, NULL);
        mpl_alloc_fail_after(-1);
        ck_assert_int_eq(all != NULL, st == MPL_OK);
    }
}
END_TEST

START_TEST(out_of_memory_is_told)
{
    const struct mpl_events *events = events_of_text(
        "# us\n"
        "rank 0: compute 0..10  recv 10..50 from 1  barrier 50..60\n"
        "rank 1: compute 0..10  recv 10..40 from 2  send 50..50 to 0  barrier 50..60\n"
        "rank 2: compute 0..40  send 40..40 to 1  barrier 60..60\n",
        arena);
    long n = 0;

    for (;; n++) {
        const struct mpl_delay *delays = NULL;
        struct mpl_err err = { 0 };

        mpl_alloc_fail_after(n);
        const enum mpl_status st = mpl_events_delays(events, arena, &delays, &err);
        mpl_alloc_fail_after(-1);
        if (st == MPL_OK) {
            break;
        }
        ck_assert_int_eq(st, MPL_E_NOMEM);
        ck_assert_ptr_null(delays);
    }
    ck_assert_int_ge(n, 5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("events_delays");
    TCase *small = add_case(suite, "small", create_arena, destroy_arena);
    TCase *real = add_case(suite, "traces", create_arena, destroy_arena);

    tcase_add_test(small, a_wait_is_the_fault_of_who_computed_longer);
    tcase_add_test(small, a_delay_that_is_passed_on_goes_back_to_its_source);
    tcase_add_test(small, a_turn_is_computed_behind_a_wait_while_the_next_does_nothing);
    tcase_add_test(small, nobody_is_in_turn_where_a_delay_is_passed_on_and_all_compute);
    tcase_add_test(small, fault_is_shared_by_delay_and_waiting);
    tcase_add_test(small, only_what_happened_since_they_met_counts);
    tcase_add_loop_test(small, any_number_of_calls_may_lie_before_a_wait, 0, 12);
    tcase_add_test(small, a_message_that_lay_ready_is_no_meeting);
    tcase_add_test(small, out_of_memory_is_told);
    tcase_add_test(small, a_wait_goes_back_to_who_was_late);
    tcase_add_test(small, a_wait_begins_where_its_culprit_was_late_by_itself);
    tcase_add_test(small, a_send_is_held_while_its_receiver_computes);
    tcase_add_test(small, held_sends_last_until_their_receiver_is_in_mpi);
    tcase_add_test(small, of_several_sends_in_a_call_the_longest_held_counts);
    tcase_add_test(small, a_part_of_a_run_has_its_own_held_sends);
    tcase_add_test(small, out_of_memory_for_origins_is_told);
    if (traces_are_there("delay costs of real traces")) {
        tcase_set_timeout(real, 120);
        tcase_add_loop_test(real, delay_costs_are_those_of_scalasca, 0,
                            (int) (sizeof figures / sizeof figures[0]));
        tcase_add_test(real, costs_are_all_waiting_on_every_trace);
    }
    return run_suite(suite);
}
