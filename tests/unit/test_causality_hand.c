/*
 * Precedence where something is wrong with a trace: circles, senders that are a guess; what timestamps cost at
 * most; many locations; no memory.
 */
#include "config.h"

#include "../lib/suite.h"
#include "../tools/programs.h"
#include "causality/causality_priv.h"
#include "hand_trace.h"

#include <check.h>

static struct mpl_net *net_of(const struct mpl_model *model)
{
    struct mpl_order_view *view = NULL;
    struct mpl_net *net = NULL;

    ck_assert_int_eq(
        mpl_order_view_create(model, trace_match(model, arena), arena, &view, NULL),
        MPL_OK);
    ck_assert_int_eq(mpl_net_create(view, NULL, arena, &net, NULL), MPL_OK);
    return net;
}

static struct mpl_causality *stamp(struct mpl_net *net,
                                   const struct mpl_causality_options *options)
{
    struct mpl_causality *c = NULL;

    ck_assert_int_eq(mpl_causality_create(net, options, &c, NULL), MPL_OK);
    return c;
}

static const struct mpl_causality_options vectors = { MPL_CLUSTER_STATIC, 0, { 0 } };

/* ---- circles ------------------------------------------------------------------------------------- */

/*
 * Ranks 0 and 1 receive what the other one sends later. Rank 2 sends to 0 when both are through that.
 * Each call has three events.
 */
static const struct mpl_model *circle(int64_t shift)
{
    t = trace_create(arena, 3, 1);
    (void) trace_send(t, 0, 10, 20, "MPI_Send", to(2), 8);
    (void) trace_recv(t, 0, 50, 100, to(1), 8);
    (void) trace_send(t, 0, 2000, 2010, "MPI_Send", to(1), 8);
    (void) trace_recv(t, 0, 2100, 2200, to(2), 8);
    (void) trace_recv(t, 1, 50 + shift, 150 + shift, to(0), 8);
    (void) trace_send(t, 1, 300 + shift, 310 + shift, "MPI_Send", to(0), 8);
    (void) trace_recv(t, 2, 12, 30, to(0), 8);
    (void) trace_send(t, 2, 900, 910, "MPI_Send", to(0), 8);
    return trace_model(t);
}

static enum mpl_precedence compare(struct mpl_causality *c, uint32_t a, uint32_t a_event,
                                   uint32_t b, uint32_t b_event)
{
    return mpl_causality_compare(c, (struct mpl_moment){ a, a_event },
                                 (struct mpl_moment){ b, b_event });
}

START_TEST(what_rests_on_a_circle_is_not_known_whatever_the_clocks_say)
{
    const struct mpl_model *model = circle(_i * 5000);
    struct mpl_causality *c = stamp(net_of(model), &vectors);

    ck_assert(mpl_causality_has_circles(c));
    ck_assert_uint_eq(note_count(model, "order-circle"), 2);
    ck_assert_uint_eq(note_count(model, "clock-contradiction"), 0);
    ck_assert_int_eq(compare(c, 0, 1, 2, 2), MPL_PRECEDENCE_BEFORE);
    ck_assert_int_eq(compare(c, 2, 4, 0, 10), MPL_PRECEDENCE_BEFORE);
    ck_assert_int_eq(compare(c, 0, 0, 1, 0), MPL_PRECEDENCE_CONCURRENT);
    ck_assert_int_eq(compare(c, 0, 0, 1, 1), MPL_PRECEDENCE_NOT_KNOWN);
    ck_assert_int_eq(compare(c, 2, 2, 1, 3), MPL_PRECEDENCE_NOT_KNOWN);
    ck_assert_int_eq(compare(c, 0, 5, 2, 0), MPL_PRECEDENCE_NOT_KNOWN);
    ck_assert_int_eq(compare(c, 0, 2, 2, 0), MPL_PRECEDENCE_CONCURRENT);
    mpl_causality_destroy(c);
}
END_TEST

START_TEST(many_circles_end)
{
    const struct mpl_model *model;
    struct mpl_causality *c;

    t = trace_create(arena, 7, 1);
    for (int64_t i = 0; i < 100; i++) {
        for (uint32_t p = 0; p < 7; p++) {
            (void) trace_recv(t, p, 1000 * i + 10 * p, 1000 * i + 10 * p + 5,
                              to((p + 6) % 7), 8);
        }
        for (uint32_t p = 0; p < 7; p++) {
            (void) trace_send(t, p, 1000 * i + 500 + 3 * p, 1000 * i + 501 + 3 * p,
                              "MPI_Send", to((p + 1) % 7), 8);
        }
    }
    model = trace_model(t);
    c = stamp(net_of(model), &vectors);
    ck_assert_uint_eq(note_count(model, "order-circle"), 700);
    mpl_causality_destroy(c);
}
END_TEST

/* A barrier that one enters only when it has what another one sends behind it. */
START_TEST(circles_go_through_collectives)
{
    const struct mpl_model *model;
    struct mpl_causality *c;

    t = trace_create(arena, 3, 1);
    for (uint32_t p = 0; p < 3; p++) {
        if (p == 1) {
            (void) trace_recv(t, 1, 5, 8, to(0), 8);
        }
        (void) trace_coll(t, p, 10, 20, 0, MPL_COLL_BARRIER, MPL_NONE);
    }
    (void) trace_send(t, 0, 30, 31, "MPI_Send", to(1), 8);
    model = trace_model(t);
    c = stamp(net_of(model), &vectors);
    /* Of those in the barrier only rank 0 is on the circle. */
    ck_assert_uint_eq(note_count(model, "order-circle"), 2);
    ck_assert_int_eq(compare(c, 1, 3, 2, 2), MPL_PRECEDENCE_BEFORE);
    ck_assert_int_eq(compare(c, 2, 1, 0, 2), MPL_PRECEDENCE_NOT_KNOWN);
    mpl_causality_destroy(c);
}
END_TEST

/* ---- guesses -------------------------------------------------------------------------------------- */

/* Ranks 1 and 2 are both rank 0 of a communicator that has sends for rank 0 of the world. */
START_TEST(a_guessed_sender_is_no_dependence)
{
    const uint32_t one[] = { 1, 0 };
    const uint32_t two[] = { 2, 0 };
    const struct mpl_model *model;
    struct mpl_causality *c;
    uint32_t first;
    uint32_t second;

    t = trace_create(arena, 3, 1);
    trace_set_tracer(t, MPL_TRACER_EZTRACE);

    const uint32_t a = trace_comm(t, one, 2);
    const uint32_t b = trace_comm(t, two, 2);

    (void) trace_send(t, 1, 10, 11, "MPI_Send", (struct address){ a, 1, 7 }, 8);
    (void) trace_send(t, 2, 10, 11, "MPI_Send", (struct address){ b, 1, 7 }, 8);
    first = trace_post(t, 0, 20);
    second = trace_post(t, 0, 30);
    trace_complete_unsure(t, 0, 40, 50, first, (struct address){ 0, 0, 7 }, 8);
    trace_complete_unsure(t, 0, 60, 70, second, (struct address){ 0, 0, 7 }, 8);
    model = trace_model(t);
    c = stamp(net_of(model), &vectors);
    ck_assert_uint_eq(note_count(model, "ambiguous-communicator"), 2);
    ck_assert_ptr_nonnull(mpl_causality_doubt(c));
    ck_assert(!mpl_causality_has_circles(c));
    ck_assert_int_eq(compare(c, 1, 1, 0, 11), MPL_PRECEDENCE_NOT_KNOWN);
    ck_assert_int_eq(compare(c, 1, 1, 0, 0), MPL_PRECEDENCE_CONCURRENT);
    mpl_causality_destroy(c);
}
END_TEST

/* ---- calls without records --------------------------------------------------------------------------- */

/* Both make a communicator and send to a third one; later only one of them does. */
START_TEST(calls_without_partners_may_hide_an_order)
{
    struct mpl_causality *c;

    t = trace_create(arena, 3, 1);
    for (uint32_t p = 0; p < 2; p++) {
        (void) trace_send(t, p, 10, 11, "MPI_Send", to(2), 8);
        trace_enter(t, p, 20, "MPI_Comm_split");
        trace_leave(t, p, 21, "MPI_Comm_split");
        (void) trace_send(t, p, 30, 31, "MPI_Send", to(2), 8);
    }
    for (uint32_t i = 0; i < 4; i++) {
        (void) trace_recv(t, 2, 100 + 10 * i, 105 + 10 * i, to(i / 2), 8);
    }
    c = stamp(net_of(trace_model(t)), &vectors);
    ck_assert_int_eq(compare(c, 0, 1, 1, 6), MPL_PRECEDENCE_NOT_KNOWN);
    ck_assert_int_eq(compare(c, 1, 6, 0, 1), MPL_PRECEDENCE_NOT_KNOWN);
    /* Behind both, or before both, there is nothing that could make an order. */
    ck_assert_int_eq(compare(c, 0, 6, 1, 6), MPL_PRECEDENCE_CONCURRENT);
    ck_assert_int_eq(compare(c, 0, 1, 1, 1), MPL_PRECEDENCE_CONCURRENT);
    ck_assert_ptr_null(mpl_causality_doubt_past(c, (struct mpl_moment){ 0, 1 }));
    ck_assert_ptr_nonnull(mpl_causality_doubt_past(c, (struct mpl_moment){ 2, 11 }));
    ck_assert_ptr_nonnull(mpl_causality_doubt_future(c, (struct mpl_moment){ 0, 1 }));
    ck_assert_ptr_null(mpl_causality_doubt_future(c, (struct mpl_moment){ 0, 6 }));
    mpl_causality_destroy(c);
}
END_TEST

/* Nothing says when a process starts its second thread, unless there is a team. */
START_TEST(threads_without_relations_are_ordered_by_what_is_not_recorded)
{
    const uint32_t n_threads = _i == 0 ? 1 : 2;
    struct mpl_causality *c;

    t = trace_create(arena, 2, n_threads);
    for (uint32_t l = 0; l < 2 * n_threads; l++) {
        trace_enter(t, l, 10, "work");
        trace_leave(t, l, 20, "work");
    }
    c = stamp(net_of(trace_model(t)), &vectors);
    ck_assert_int_eq(compare(c, 0, 0, n_threads, 1),
                     _i == 0 ? MPL_PRECEDENCE_CONCURRENT : MPL_PRECEDENCE_NOT_KNOWN);
    mpl_causality_destroy(c);
}
END_TEST

/* ---- costs ------------------------------------------------------------------------------------------ */

static uint64_t n_transfers(const struct mpl_net *net)
{
    return net->n_points;
}

static uint64_t cost_of_past(struct mpl_causality *c, struct mpl_moment event,
                             uint32_t location)
{
    const uint64_t before = mpl_causality_cost(c).questions;

    (void) mpl_causality_past(c, event, location);
    return mpl_causality_cost(c).questions - before;
}

/*
 * Per level of the smallest cluster that holds both: Sum of size(i) size(i + 1) below it, and size 0. Whom a
 * cluster that grows holds at the time is not asked: a question that takes more than one number may be any.
 */
static uint64_t bound_of(const struct mpl_causality_options *o, uint32_t a, uint32_t b)
{
    uint64_t bound = 1;
    uint32_t level = 0;

    while (level < o->n_levels && (o->clustering != MPL_CLUSTER_STATIC ||
                                   a / o->most[level] != b / o->most[level])) {
        const uint64_t size = o->most[level];
        const uint64_t below = level == 0 ? 1 : o->most[level - 1];

        bound = 2 * size * below + (level == 0 ? 0 : bound);
        level++;
    }
    return bound;
}

static const struct mpl_causality_options measured[] = {
    { MPL_CLUSTER_STATIC, 0, { 0 } },           { MPL_CLUSTER_STATIC, 1, { 4 } },
    { MPL_CLUSTER_STATIC, 1, { 16 } },          { MPL_CLUSTER_STATIC, 2, { 4, 16 } },
    { MPL_CLUSTER_STATIC, 3, { 4, 16, 64 } },   { MPL_CLUSTER_SELF, 1, { 8 } },
    { MPL_CLUSTER_SELF, 2, { 4, 16 } },         { MPL_CLUSTER_SELF, 3, { 4, 16, 64 } },
    { MPL_CLUSTER_INFORMED, 1, { 8 } },         { MPL_CLUSTER_INFORMED, 2, { 4, 16 } },
    { MPL_CLUSTER_INFORMED, 3, { 4, 16, 64 } },
};
enum { N_MEASURED = sizeof measured / sizeof measured[0], N_QUESTIONS = 20000 };

START_TEST(costs_are_bounded)
{
    struct mpl_net *net = program_make((enum program)(_i % N_PROGRAMS), arena);
    const struct mpl_causality_options *o = &measured[_i / N_PROGRAMS];
    struct mpl_causality *c;

    ck_assert_ptr_nonnull(net);
    c = stamp(net, o);
    ck_assert_uint_le(mpl_causality_cost(c).creation, 4 * n_transfers(net) * net->n_tracks);
    for (uint32_t i = 0; i < N_QUESTIONS; i++) {
        const uint32_t b = i * 7919 % net->n_tracks;
        const uint32_t a = i * 104729 / 7 % net->n_tracks;
        const uint32_t n_events = net->model->locations[b].n_events;
        const uint64_t cost =
            cost_of_past(c, (struct mpl_moment){ b, i * 31 % n_events }, a);

        if (cost > bound_of(o, a, b)) {
            ck_abort_msg("%u and %u: %u", a, b, (unsigned) cost);
        }
    }
    mpl_causality_destroy(c);
}
END_TEST

/* ---- many locations ---------------------------------------------------------------------------------- */

/* In a ring, who is k places behind is known k steps later. */
START_TEST(there_may_be_thousands_of_locations)
{
    static const struct mpl_causality_options options = { MPL_CLUSTER_INFORMED,
                                                          3,
                                                          { 4, 16, 64 } };
    enum { N = 4096, STEPS = 4, EVENTS = 6 };
    struct mpl_net *net = program_ring(N, STEPS, arena);
    struct mpl_causality *c;

    ck_assert_ptr_nonnull(net);
    c = stamp(net, &options);
    for (uint32_t l = 0; l < N; l += 97) {
        const struct mpl_moment last = { l, STEPS * EVENTS - 1 };

        for (uint32_t k = 1; k < 2 * STEPS; k++) {
            const uint32_t expected = k > STEPS ? 0 : (STEPS - k) * EVENTS + EVENTS - 1;

            ck_assert_uint_eq(mpl_causality_past(c, last, (l + N - k) % N), expected);
        }
    }
    mpl_causality_destroy(c);
}
END_TEST

/* ---- numbers that grow fast ---------------------------------------------------------------------------- */

/* Full vectors are kept by what they differ in, in one byte, two or four. */
START_TEST(leaps_of_any_size_are_known)
{
    static const struct mpl_causality_options kinds[] = {
        { MPL_CLUSTER_STATIC, 1, { 1 } },
        { MPL_CLUSTER_SELF, 1, { 3 } },
        { MPL_CLUSTER_INFORMED, 2, { 2, 4 } },
    };
    enum { N = 11, MESSAGES = 3000 };
    struct mpl_net *net = program_leaps(N, MESSAGES, arena);
    struct mpl_causality *plain;
    struct mpl_causality *c;

    ck_assert_ptr_nonnull(net);
    plain = stamp(net, &vectors);
    c = stamp(net, &kinds[_i]);
    for (uint32_t l = 0; l < N; l++) {
        const struct mpl_net_track *track = &net->track[l];

        for (uint32_t i = 0; i < track->n_points; i++) {
            const struct mpl_moment event = { l, track->points[i].event };

            for (uint32_t k = 0; k < N; k++) {
                ck_assert_uint_eq(mpl_causality_past(c, event, k),
                                  mpl_causality_past(plain, event, k));
            }
        }
    }
    ck_assert_uint_lt(mpl_causality_size(c).bytes, mpl_causality_size(plain).bytes);
    mpl_causality_destroy(c);
    mpl_causality_destroy(plain);
}
END_TEST

/* ---- too many numbers --------------------------------------------------------------------------------- */

/* Here each of 70,000 receives would have 70,000 numbers. */
START_TEST(more_numbers_than_can_be_counted_are_refused)
{
    enum { N = 70000 };
    struct mpl_net *net = program_ring(N, 1, arena);
    struct mpl_causality *c = NULL;
    struct mpl_err err = { 0 };

    ck_assert_ptr_nonnull(net);
    ck_assert_int_eq(mpl_causality_create(net, &vectors, &c, &err), MPL_E_LIMIT);
    ck_assert_ptr_null(c);
    ck_assert_str_eq(err.cause[0].text,
                     "timestamps of more than 2^32 numbers would be needed");
}
END_TEST

/* With clusters how many there are turns out while they are made. */
START_TEST(numbers_end_where_they_cannot_be_addressed)
{
    struct mpl_numbers numbers;
    uint32_t first = 0;

    ck_assert(mpl_numbers_open(&numbers, 1, arena));
    ck_assert_ptr_nonnull(mpl_numbers_add(&numbers, 4, &first));
    numbers.words.n = UINT32_MAX - 4;
    ck_assert_ptr_null(mpl_numbers_add(&numbers, 5, &first));
    ck_assert(numbers.is_beyond && !numbers.is_short);
    mpl_buf_free(&numbers.words);
}
END_TEST

/* ---- no memory ---------------------------------------------------------------------------------------- */

START_TEST(timestamps_without_memory_fail_cleanly)
{
    struct mpl_causality_options options = { (enum mpl_clustering)(_i % 3),
                                             1 + (uint32_t) _i / 3,
                                             { 2, 4 } };
    struct mpl_net *net = net_of(circle(0));
    enum mpl_status st = MPL_E_NOMEM;

    for (long n = 0; fails_without_memory(n, st); n++) {
        struct mpl_causality *c = NULL;

        for (uint32_t l = 0; l < net->n_tracks; l++) {
            for (uint32_t i = 0; i < net->track[l].n_points; i++) {
                net->track[l].points[i].flags &= (uint8_t) ~MPL_POINT_IGNORED;
            }
        }
        mpl_alloc_fail_after(n);
        st = mpl_causality_create(net, &options, &c, NULL);
        mpl_alloc_fail_after(-1);
        ck_assert_int_eq(c != NULL, st == MPL_OK);
        mpl_causality_destroy(c);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("causality by hand");
    TCase *c = add_case(suite, "by hand", set_up, tear_down);

    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, what_rests_on_a_circle_is_not_known_whatever_the_clocks_say, 0,
                        3);
    tcase_add_test(c, many_circles_end);
    tcase_add_test(c, circles_go_through_collectives);
    tcase_add_test(c, a_guessed_sender_is_no_dependence);
    tcase_add_test(c, calls_without_partners_may_hide_an_order);
    tcase_add_loop_test(c, threads_without_relations_are_ordered_by_what_is_not_recorded, 0,
                        2);
    tcase_add_loop_test(c, costs_are_bounded, 0, N_MEASURED * N_PROGRAMS);
    tcase_add_test(c, there_may_be_thousands_of_locations);
    tcase_add_loop_test(c, leaps_of_any_size_are_known, 0, 3);
    tcase_add_test(c, more_numbers_than_can_be_counted_are_refused);
    tcase_add_test(c, numbers_end_where_they_cannot_be_addressed);
    tcase_add_loop_test(c, timestamps_without_memory_fail_cleanly, 0, 6);
    return run_suite(suite);
}
