#include "config.h"

#include "../lib/suite.h"
#include "events_of.h"
#include "hand_trace.h"
#include "order/order.h"
#include "violations.h"

#include <check.h>
#include <string.h>

static const struct mpl_order_view *look_at(const struct mpl_model *model)
{
    struct mpl_order_view *view = NULL;

    ck_assert_int_eq(
        mpl_order_view_create(model, trace_match(model, arena), arena, &view, NULL),
        MPL_OK);
    return view;
}

static struct mpl_violations count(const struct mpl_model *model)
{
    struct mpl_violations found;

    ck_assert_int_eq(violations_count(look_at(model), &found, NULL), MPL_OK);
    return found;
}

/* ---- Alltoallv -------------------------------------------------------------------------- */

/* A part of the operation with its bytes. */
static void exchange(uint32_t process, int64_t from, int64_t until, uint64_t sent_bytes,
                     uint64_t received_bytes)
{
    const uint32_t part =
        trace_coll(t, process, from, until, 0, MPL_COLL_ALLTOALLV, MPL_NONE);

    trace_set_coll_bytes(t, process, part, sent_bytes, received_bytes);
}

/* Ranks 0 and 1 give, 2 takes: it cannot leave before the first of them has entered. */
START_TEST(alltoallv_needs_the_earliest_possible_sender)
{
    struct mpl_violations found;

    t = trace_create(arena, 3, 1);
    exchange(0, 20, 40, 8, 0);
    exchange(1, 10 + 2 * _i, 40, 8, 0);
    exchange(2, 5, 15, 0, 8);
    found = count(trace_model(t));
    ck_assert_uint_eq(found.n_collective, 1);
    ck_assert_uint_eq(found.collective, _i > 2 ? 1 : 0); /* 16 is after 15 */
    ck_assert_int_eq(found.worst_ticks, _i > 2 ? 2 * _i - 5 : 0);
    ck_assert_int_eq(found.worst_certain_ticks, found.worst_ticks);
}
END_TEST

/* What it received may be its own. */
START_TEST(alltoallv_with_as_much_sent_as_received_needs_nobody)
{
    t = trace_create(arena, 2, 1);
    exchange(0, 20, 40, 8, 8);
    exchange(1, 5, 15, 8, 8);
    ck_assert_uint_eq(count(trace_model(t)).n_collective, 0);
}
END_TEST

START_TEST(alltoallv_of_eztrace_says_nothing)
{
    t = trace_create(arena, 2, 1);
    trace_set_tracer(t, MPL_TRACER_EZTRACE);
    exchange(0, 20, 40, 8, 0);
    exchange(1, 5, 15, 0, 8);
    ck_assert_uint_eq(count(trace_model(t)).n_collective, 0);
}
END_TEST

/* Rank 2, which is not recorded, may have been the sender. */
START_TEST(alltoallv_without_a_member_says_nothing)
{
    t = trace_create(arena, 3, 1);
    exchange(0, 20, 40, 8, 0);
    exchange(1, 5, 15, 0, 8);
    ck_assert_uint_eq(count(trace_model(t)).n_collective, 0);
}
END_TEST

struct seen {
    uint32_t n;
    bool is_any;
    bool is_presumed;
};

static void see(void *context, const struct mpl_order_instance *in)
{
    struct seen *seen = (struct seen *) context;

    seen->n++;
    seen->is_any |= in->is_any;
    seen->is_presumed |= in->is_presumed;
}

START_TEST(weak_instances_are_walked_apart)
{
    const struct mpl_order_view *view;
    struct seen strong = { 0 };
    struct seen weak = { 0 };
    struct mpl_model *model;

    t = trace_create(arena, 2, 1);
    for (uint32_t p = 0; p < 2; p++) {
        trace_enter(t, p, 1, "MPI_Init");
        trace_leave(t, p, 2, "MPI_Init");
        exchange(p, 20, 40, 8, 8);
        (void) trace_coll(t, p, 50, 60, 0, MPL_COLL_BARRIER, MPL_NONE);
        trace_enter(t, p, 70, "MPI_Finalize");
        trace_leave(t, p, 80, "MPI_Finalize");
    }
    model = trace_model(t);
    model->can.has_init_finalize = true;
    view = look_at(model);
    ck_assert_int_eq(mpl_order_walk_instances(view, see, &strong, NULL), MPL_OK);
    ck_assert_int_eq(mpl_order_walk_weak(view, see, &weak, NULL), MPL_OK);
    ck_assert_uint_eq(strong.n, 1);
    ck_assert(!strong.is_any && !strong.is_presumed);
    ck_assert_uint_eq(weak.n, 3);
    ck_assert(weak.is_any && weak.is_presumed);
}
END_TEST

/* From the request to the completion, wherever these are: rank 1 is through before rank 0 comes. */
START_TEST(immediate_collectives_count_from_request_to_completion)
{
    static const char text[] =
        "# us\n"
        "rank 0: compute 0..8 ibarrier 8..9 as q compute 9..10 wait 10..12 for q\n"
        "rank 1: ibarrier 0..1 as q compute 1..3 wait 3..5 for q\n";
    const struct mpl_violations found = count(model_of_text(text, arena));

    ck_assert_uint_eq(found.n_collective, 2);
    ck_assert_uint_eq(found.collective, 1);
    ck_assert_int_eq(found.worst_ticks, 3000);
}
END_TEST

/* ---- start and end of the run -------------------------------------------------------------- */

/* Rank 1 leaves MPI_Init 10 ticks before rank 0 enters it, and a message comes back by so many
 * ticks before it was sent. */
static struct mpl_violations start_up(int64_t message_reversed)
{
    struct mpl_model *model;

    t = trace_create(arena, 2, 1);
    trace_enter(t, 0, 30, "MPI_Init");
    trace_leave(t, 0, 40, "MPI_Init");
    trace_enter(t, 1, 10, "MPI_Init_thread");
    trace_leave(t, 1, 20, "MPI_Init_thread");
    (void) trace_send(t, 0, 100, 101, "MPI_Send", to(1), 8);
    (void) trace_recv(t, 1, 50, 100 - message_reversed, to(0), 8);
    model = trace_model(t);
    model->can.has_init_finalize = true;
    return count(model);
}

START_TEST(start_counts_as_long_as_its_reversal_can_be_the_clocks)
{
    const struct mpl_violations found = start_up(10);

    ck_assert_uint_eq(found.collective, 1);
    ck_assert_uint_eq(found.n_collective, 2);
    ck_assert_uint_eq(found.p2p, 1);
    ck_assert_int_eq(found.worst_ticks, 10);
    ck_assert_int_eq(found.worst_certain_ticks, 10);
}
END_TEST

START_TEST(start_that_no_clock_explains_does_not_synchronise)
{
    const struct mpl_violations found = start_up(9);

    ck_assert_uint_eq(found.collective, 0);
    ck_assert_uint_eq(found.n_collective, 0);
    ck_assert_int_eq(found.worst_ticks, 9);
}
END_TEST

START_TEST(start_that_not_all_have_recorded_says_nothing)
{
    struct mpl_model *model;

    t = trace_create(arena, 3, 1);
    for (uint32_t p = 0; p < 2; p++) {
        trace_enter(t, p, 1, "MPI_Init");
        trace_leave(t, p, 2, "MPI_Init");
    }
    model = trace_model(t);
    model->can.has_init_finalize = true;
    ck_assert_uint_eq(count(model).n_collective, 0);
}
END_TEST

START_TEST(end_of_the_run_counts_like_its_start)
{
    struct mpl_model *model;

    t = trace_create(arena, 2, 1);
    for (uint32_t p = 0; p < 2; p++) {
        trace_enter(t, p, 1, "main");
        trace_enter(t, p, 70 + p, "mpi_finalize_");
        trace_leave(t, p, 80 + p, "mpi_finalize_");
        trace_leave(t, p, 90, "main");
    }
    model = trace_model(t);
    model->can.has_init_finalize = true;
    ck_assert_uint_eq(count(model).n_collective, 2);
}
END_TEST

/* ---- counts --------------------------------------------------------------------------------- */

START_TEST(counts_say_of_how_many)
{
    struct mpl_violations found;

    t = trace_create(arena, 2, 2);
    (void) trace_send(t, 0, 100, 101, "MPI_Send", to(1), 8);
    (void) trace_recv(t, 2, 50, 120, to(0), 8);
    (void) trace_coll(t, 0, 130, 140, 0, MPL_COLL_REDUCE, 0);
    (void) trace_coll(t, 2, 135, 136, 0, MPL_COLL_REDUCE, 0);
    trace_record(t, 0, 200, MPL_EV_FORK);
    trace_team(t, 0, 201, MPL_EV_TEAM_BEGIN, 4);
    trace_team(t, 0, 210, MPL_EV_TEAM_END, 4);
    trace_record(t, 0, 211, MPL_EV_JOIN);
    trace_team(t, 1, 199, MPL_EV_TEAM_BEGIN, 4);
    trace_team(t, 1, 214, MPL_EV_TEAM_END, 4);
    found = count(trace_model(t));
    ck_assert_uint_eq(found.p2p, 0);
    ck_assert_uint_eq(found.n_p2p, 1);
    ck_assert_uint_eq(found.collective, 0);
    ck_assert_uint_eq(found.n_collective, 1); /* only the root needs somebody */
    ck_assert_uint_eq(found.thread, 2); /* begun before the fork, ended after the join */
    ck_assert_uint_eq(found.n_thread, 2);
    ck_assert_int_eq(found.worst_ticks, 3);
    ck_assert_int_eq(found.worst_certain_ticks,
                     0); /* threads say nothing of other processes */
}
END_TEST

/* Two that enter last at the same time: each needs the other. */
START_TEST(everybody_needs_somebody_else)
{
    struct mpl_violations found;

    t = trace_create(arena, 3, 1);
    (void) trace_coll(t, 0, 10, 50, 0, MPL_COLL_ALLREDUCE, MPL_NONE);
    (void) trace_coll(t, 1, 40, 41, 0, MPL_COLL_ALLREDUCE, MPL_NONE);
    (void) trace_coll(t, 2, 10, 39, 0, MPL_COLL_ALLREDUCE, MPL_NONE);
    found = count(trace_model(t));
    ck_assert_uint_eq(found.n_collective, 3);
    ck_assert_uint_eq(found.collective, 1);
    ck_assert_int_eq(found.worst_ticks, 1);
}
END_TEST

START_TEST(running_out_of_memory_is_told_at_every_step)
{
    struct mpl_order_view *view = NULL;
    struct mpl_violations found = { .p2p = 77 };
    struct mpl_err err = { 0 };
    const struct mpl_match *match;
    struct mpl_model *model;
    long n;

    t = trace_create(arena, 2, 1);
    exchange(0, 20, 40, 8, 0);
    exchange(1, 5, 15, 0, 8);
    model = trace_model(t);
    match = trace_match(model, arena);
    for (n = 0;; n++) {
        enum mpl_status st;

        mpl_alloc_fail_after(n);
        st = mpl_order_view_create(model, match, arena, &view, &err);
        if (st == MPL_OK) {
            st = violations_count(view, &found, &err);
        }
        mpl_alloc_fail_after(-1);
        if (st == MPL_OK) {
            break;
        }
        ck_assert_int_eq(st, MPL_E_NOMEM);
        ck_assert_uint_eq(found.p2p, 77);
    }
    ck_assert_int_gt(n, 10);
    ck_assert_uint_eq(found.collective, 1);
}
END_TEST

/* ---- more than can be numbered ------------------------------------------------------------------- */

static void cannot_be_numbered(const struct mpl_order_view *view)
{
    struct mpl_net *net = NULL;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_net_create(view, NULL, arena, &net, &err), MPL_E_LIMIT);
    ck_assert_ptr_null(net);
    ck_assert_str_eq(err.cause[0].text,
                     "more than 4294967295 dependences between locations");
}

/* Messages have the first numbers: here they have all but one, and the answers need two. */
START_TEST(dependences_end_where_they_cannot_be_numbered)
{
    const struct mpl_order_view *view;
    struct mpl_model *model;
    uint32_t *first;

    t = trace_create(arena, 2, 1);
    for (int64_t at = 0; at < 200; at += 100) {
        (void) trace_send(t, 0, at + 10, at + 40, "MPI_Ssend", to(1), 8);
        (void) trace_recv(t, 1, at + 20, at + 40, to(0), 8);
    }
    model = trace_model(t);
    view = look_at(model);
    first = (uint32_t *) view->match->first_number;
    first[model->n_locations] = UINT32_MAX - 1;
    cannot_be_numbered(view);
}
END_TEST

START_TEST(ends_of_messages_end_where_they_cannot_be_numbered)
{
    const struct mpl_order_view *view;
    struct mpl_model *model;

    t = trace_create(arena, 2, 1);
    model = trace_model(t);
    view = look_at(model);
    model->locations[1].n_messages = UINT32_MAX;
    cannot_be_numbered(view);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("order");
    TCase *c = add_case(suite, "order", set_up, tear_down);

    tcase_add_loop_test(c, alltoallv_needs_the_earliest_possible_sender, 0, 5);
    tcase_add_test(c, alltoallv_with_as_much_sent_as_received_needs_nobody);
    tcase_add_test(c, alltoallv_of_eztrace_says_nothing);
    tcase_add_test(c, alltoallv_without_a_member_says_nothing);
    tcase_add_test(c, weak_instances_are_walked_apart);
    tcase_add_test(c, immediate_collectives_count_from_request_to_completion);
    tcase_add_test(c, start_counts_as_long_as_its_reversal_can_be_the_clocks);
    tcase_add_test(c, start_that_no_clock_explains_does_not_synchronise);
    tcase_add_test(c, start_that_not_all_have_recorded_says_nothing);
    tcase_add_test(c, end_of_the_run_counts_like_its_start);
    tcase_add_test(c, counts_say_of_how_many);
    tcase_add_test(c, everybody_needs_somebody_else);
    tcase_add_test(c, running_out_of_memory_is_told_at_every_step);
    tcase_add_test(c, dependences_end_where_they_cannot_be_numbered);
    tcase_add_test(c, ends_of_messages_end_where_they_cannot_be_numbered);
    return run_suite(suite);
}
