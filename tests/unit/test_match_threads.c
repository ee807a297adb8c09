#include "config.h"

#include "../lib/suite.h"
#include "hand_trace.h"
#include "read/read.h"
#include "read_fixture.h"

#include <check.h>
#include <string.h>

/* ---- what is said ----------------------------------------------------------------------- */

static const char *const kind_names[] = { "fork", "join",   "barrier",
                                          "lock", "create", "wait" };

/* "fork 0:10 > 1:12 2:14", a relation per line; moments as location:ticks. */
static const char *said(const struct mpl_model *model)
{
    const struct mpl_match *match = trace_match(model, arena);
    char *text = mpl_arena_strdup(arena, "");

    for (size_t i = 0; i < match->n_relations; i++) {
        const struct mpl_relation *r = &match->relations[i];

        text =
            mpl_arena_printf(arena, "%s%s%s", text, i > 0 ? "\n" : "", kind_names[r->kind]);
        for (uint32_t m = 0; m < r->n_sources + r->n_sinks; m++) {
            const struct mpl_moment *moment = &match->moments[r->first + m];
            const struct mpl_location *loc = &model->locations[moment->location];

            text = mpl_arena_printf(
                arena, "%s%s %u:%d", text, m == r->n_sources ? " >" : "", moment->location,
                (int) loc->base_ticks + (int) mpl_ticks_of(loc, moment->event));
        }
    }
    return text;
}

static void fork_at(uint32_t location, int64_t ticks)
{
    trace_record(t, location, ticks, MPL_EV_FORK);
}

static void join_at(uint32_t location, int64_t ticks)
{
    trace_record(t, location, ticks, MPL_EV_JOIN);
}

static void turn(uint32_t location, int64_t from, int64_t to, uint32_t team)
{
    trace_team(t, location, from, MPL_EV_TEAM_BEGIN, team);
    trace_team(t, location, to, MPL_EV_TEAM_END, team);
}

/* A fork at \p from, the maker's turn and the join at \p to. */
static void make_team(uint32_t location, int64_t from, int64_t to, uint32_t team)
{
    fork_at(location, from);
    turn(location, from + 1, to - 1, team);
    join_at(location, to);
}

static void barrier(uint32_t location, int64_t from, int64_t to, const char *name)
{
    trace_enter(t, location, from, name);
    trace_leave(t, location, to, name);
}

/* ---- teams -------------------------------------------------------------------------------- */

START_TEST(forks_and_joins_belong_to_the_team_they_name)
{
    t = trace_create(arena, 1, 3);
    make_team(0, 10, 20, 4);
    make_team(0, 30, 40, 4);
    turn(1, 12, 18, 4);
    turn(1, 32, 37, 4);
    turn(2, 13, 17, 4);
    turn(2, 33, 38, 4);
    ck_assert_str_eq(said(trace_model(t)), "fork 0:10 > 1:12 2:13\n"
                                           "join 1:18 2:17 > 0:20\n"
                                           "fork 0:30 > 1:32 2:33\n"
                                           "join 1:37 2:38 > 0:40");
}
END_TEST

START_TEST(teams_of_other_processes_may_have_the_same_number)
{
    t = trace_create(arena, 2, 2);
    make_team(0, 10, 20, 4);
    turn(1, 12, 18, 4);
    make_team(2, 50, 60, 4);
    turn(3, 52, 58, 4);
    ck_assert_str_eq(said(trace_model(t)), "fork 0:10 > 1:12\n"
                                           "join 1:18 > 0:20\n"
                                           "fork 2:50 > 3:52\n"
                                           "join 3:58 > 2:60");
}
END_TEST

/* Location 2 was there only once, and nobody knows when. */
START_TEST(thread_that_missed_a_fork_lies_between_the_first_and_the_last)
{
    t = trace_create(arena, 1, 3);
    make_team(0, 10, 20, 4);
    make_team(0, 30, 40, 4);
    turn(1, 12, 18, 4);
    turn(1, 32, 37, 4);
    turn(2, 33, 38, 4);
    ck_assert_str_eq(said(trace_model(t)), "fork 0:10 > 1:12\n"
                                           "join 1:18 > 0:20\n"
                                           "fork 0:30 > 1:32\n"
                                           "join 1:37 > 0:40\n"
                                           "fork 0:10 > 2:33\n"
                                           "join 2:33 > 0:40");
}
END_TEST

/* EZTrace numbers every fork and lets idle workers end with the process. */
START_TEST(late_end_of_an_idle_thread_proves_nothing)
{
    t = trace_create(arena, 1, 2);
    trace_set_tracer(t, MPL_TRACER_EZTRACE);
    make_team(0, 10, 20, 1);
    make_team(0, 30, 40, 2);
    turn(1, 12, 18, 1);
    turn(1, 32, 99, 2);
    ck_assert_str_eq(said(trace_model(t)), "fork 0:10 > 1:12\n"
                                           "join 1:12 > 0:20\n"
                                           "fork 0:30 > 1:32\n"
                                           "join 1:32 > 0:40");
}
END_TEST

START_TEST(nested_teams_belong_to_who_makes_them)
{
    t = trace_create(arena, 1, 4);
    make_team(0, 10, 50, 4);
    trace_team(t, 1, 12, MPL_EV_TEAM_BEGIN, 4);
    make_team(1, 20, 30, 5);
    trace_team(t, 1, 40, MPL_EV_TEAM_END, 4);
    turn(2, 22, 27, 5);
    turn(3, 23, 28, 5);
    ck_assert_str_eq(said(trace_model(t)), "fork 0:10 > 1:12\n"
                                           "join 1:40 > 0:50\n"
                                           "fork 1:20 > 2:22 3:23\n"
                                           "join 2:27 3:28 > 1:30");
}
END_TEST

/* Each might be the maker of the other's; and two threads make teams on their own. */
START_TEST(team_of_two_makers_orders_nobody)
{
    t = trace_create(arena, 1, 3);
    make_team(0, 10, 20, 4);
    make_team(1, 30, 40, 4);
    turn(2, 12, 18, 4);
    ck_assert_str_eq(said(trace_model(t)), "");
}
END_TEST

START_TEST(teams_without_forks_order_nobody)
{
    t = trace_create(arena, 1, 2);
    turn(0, 10, 20, MPL_NONE);
    turn(1, 5, 18, MPL_NONE);
    ck_assert_str_eq(said(trace_model(t)), "");
}
END_TEST

START_TEST(teams_without_a_name_are_one)
{
    t = trace_create(arena, 1, 2);
    make_team(0, 10, 20, MPL_NONE);
    turn(1, 12, 18, MPL_NONE);
    ck_assert_str_eq(said(trace_model(t)), "fork 0:10 > 1:12\njoin 1:18 > 0:20");
}
END_TEST

/* The fork inside the first turn is lost: the join at 15 is not that of the fork at 10. */
START_TEST(join_without_a_fork_of_its_own_is_nobodys)
{
    t = trace_create(arena, 1, 2);
    fork_at(0, 10);
    trace_team(t, 0, 11, MPL_EV_TEAM_BEGIN, 4);
    join_at(0, 15);
    trace_team(t, 0, 30, MPL_EV_TEAM_END, 4);
    join_at(0, 31);
    turn(1, 12, 29, 4);
    ck_assert_str_eq(said(trace_model(t)), "fork 0:10 > 1:12");
}
END_TEST

START_TEST(location_that_is_cut_off_counts_no_turns)
{
    t = trace_create(arena, 1, 3);
    make_team(0, 10, 20, 4);
    turn(1, 12, 18, 4);
    turn(2, 13, 17, 4);
    trace_set_damaged(t, 2);
    ck_assert_str_eq(said(trace_model(t)), "fork 0:10 > 1:12\n"
                                           "join 1:18 > 0:20\n"
                                           "fork 0:10 > 2:13\n"
                                           "join 2:13 > 0:20");
}
END_TEST

/* ---- barriers ------------------------------------------------------------------------------- */

START_TEST(barriers_of_a_turn_pair_up_by_their_place)
{
    t = trace_create(arena, 1, 2);
    fork_at(0, 10);
    trace_team(t, 0, 11, MPL_EV_TEAM_BEGIN, 4);
    barrier(0, 12, 15, "!$omp barrier @a.c:7");
    barrier(0, 16, 19, "!$omp implicit barrier @a.c:9");
    trace_team(t, 0, 20, MPL_EV_TEAM_END, 4);
    join_at(0, 22);
    trace_team(t, 1, 12, MPL_EV_TEAM_BEGIN, 4);
    barrier(1, 13, 14, "!$omp barrier @a.c:7");
    barrier(1, 17, 18, "!$omp implicit barrier @a.c:9");
    trace_team(t, 1, 21, MPL_EV_TEAM_END, 4);
    ck_assert_str_eq(said(trace_model(t)), "fork 0:10 > 1:12\n"
                                           "join 1:21 > 0:22\n"
                                           "barrier 0:12 1:13 > 0:15 1:14\n"
                                           "barrier 0:16 1:17 > 0:19 1:18");
}
END_TEST

/* The whole turn is left out: which barrier is missing is not known. */
START_TEST(turns_with_different_barriers_have_none)
{
    static const char *const seconds[] = { NULL, "!$omp barrier @a.c:8" };

    t = trace_create(arena, 1, 2);
    fork_at(0, 10);
    trace_team(t, 0, 11, MPL_EV_TEAM_BEGIN, 4);
    barrier(0, 12, 15, "!$omp barrier @a.c:7");
    barrier(0, 16, 17, "!$omp barrier @a.c:9");
    trace_team(t, 0, 20, MPL_EV_TEAM_END, 4);
    join_at(0, 22);
    trace_team(t, 1, 12, MPL_EV_TEAM_BEGIN, 4);
    barrier(1, 13, 14, "!$omp barrier @a.c:7");
    if (seconds[_i] != NULL) {
        barrier(1, 16, 17, seconds[_i]);
    }
    trace_team(t, 1, 21, MPL_EV_TEAM_END, 4);
    ck_assert_str_eq(said(trace_model(t)), "fork 0:10 > 1:12\njoin 1:21 > 0:22");
}
END_TEST

START_TEST(barrier_outside_of_a_team_is_for_nobody)
{
    t = trace_create(arena, 1, 2);
    barrier(0, 5, 6, "!$omp barrier @a.c:7");
    make_team(0, 10, 20, 4);
    barrier(1, 3, 4, "!$omp barrier @a.c:7");
    turn(1, 12, 18, 4);
    ck_assert_str_eq(said(trace_model(t)), "fork 0:10 > 1:12\njoin 1:18 > 0:20");
}
END_TEST

/* ---- numbers ---------------------------------------------------------------------------------- */

static void hold(uint32_t location, int64_t from, int64_t to, uint32_t lock, uint32_t order)
{
    trace_numbered(t, location, from, MPL_ACT_LOCK, lock, order);
    trace_numbered(t, location, to, MPL_ACT_UNLOCK, lock, order);
}

START_TEST(locks_pass_on_in_the_order_of_their_numbers)
{
    t = trace_create(arena, 1, 3);
    hold(0, 10, 11, 7, 1);
    hold(0, 20, 21, 7, 4);
    hold(1, 14, 15, 7, 3);
    hold(2, 12, 13, 7, 2);
    hold(2, 30, 31, 8, 1);
    ck_assert_str_eq(said(trace_model(t)), "lock 0:11 > 2:12\n"
                                           "lock 2:13 > 1:14\n"
                                           "lock 1:15 > 0:20");
}
END_TEST

/* As EZTrace's OMPT plugin writes them; lock 8 shows that only lock 7 is given up. */
START_TEST(lock_with_contradicting_numbers_orders_nobody)
{
    t = trace_create(arena, 1, 2);
    trace_numbered(t, 0, 10, MPL_ACT_LOCK, 7, 1);
    trace_numbered(t, 0, 13, MPL_ACT_UNLOCK, 7, 2);
    hold(0, 20, 21, 8, 1);
    trace_numbered(t, 1, 11, MPL_ACT_LOCK, 7, 2);
    trace_numbered(t, 1, 14, MPL_ACT_UNLOCK, 7, 2);
    hold(1, 22, 23, 8, 2);
    ck_assert_str_eq(said(trace_model(t)), "lock 0:21 > 1:22");
}
END_TEST

START_TEST(locks_of_eztrace_order_nobody)
{
    t = trace_create(arena, 1, 2);
    trace_set_tracer(t, MPL_TRACER_EZTRACE);
    hold(0, 20, 21, 8, 1);
    hold(1, 22, 23, 8, 2);
    ck_assert_str_eq(said(trace_model(t)), "");
}
END_TEST

/* Inside of what call the records stand is all that is sure. */
START_TEST(created_threads_run_between_the_calls_of_their_creator)
{
    t = trace_create(arena, 1, 3);
    trace_enter(t, 0, 10, "pthread_create");
    trace_numbered(t, 0, 12, MPL_ACT_CREATE, 3, 0);
    trace_leave(t, 0, 14, "pthread_create");
    trace_enter(t, 0, 15, "pthread_create");
    trace_numbered(t, 0, 16, MPL_ACT_CREATE, 3, 1);
    trace_leave(t, 0, 17, "pthread_create");
    trace_enter(t, 0, 20, "pthread_join");
    trace_numbered(t, 0, 21, MPL_ACT_WAIT, 3, 1);
    trace_leave(t, 0, 40, "pthread_join");
    trace_numbered(t, 1, 18, MPL_ACT_BEGIN, 3, 1);
    trace_numbered(t, 1, 30, MPL_ACT_END, 3, 1);
    trace_numbered(t, 2, 11, MPL_ACT_BEGIN, 3, 0);
    ck_assert_str_eq(said(trace_model(t)), "create 0:10 > 2:11\n"
                                           "create 0:15 > 1:18\n"
                                           "wait 1:30 > 0:40");
}
END_TEST

START_TEST(number_that_two_threads_bear_orders_nobody)
{
    t = trace_create(arena, 1, 3);
    trace_enter(t, 0, 10, "pthread_create");
    trace_numbered(t, 0, 12, MPL_ACT_CREATE, 3, 0);
    trace_leave(t, 0, 14, "pthread_create");
    trace_numbered(t, 1, 18, MPL_ACT_BEGIN, 3, 0);
    trace_numbered(t, 2, 19, MPL_ACT_BEGIN, 3, 0);
    ck_assert_str_eq(said(trace_model(t)), "");
}
END_TEST

/* ---- archives ---------------------------------------------------------------------------------- */

/* Teams, groups and locks get other numbers in an archive, and mean the same. */
START_TEST(relations_survive_being_written)
{
    const char *folder = fixture_scratch();
    struct mpl_model *copy = NULL;
    struct mpl_model *model;
    const char *path;
    const char *before;

    t = trace_create(arena, 2, 2);
    for (uint32_t l = 0; l < 4; l += 2) {
        make_team(l, 10, 20, 4);
        trace_enter(t, l, 21, "pthread_create");
        trace_numbered(t, l, 22, MPL_ACT_CREATE, 9, 1);
        trace_leave(t, l, 23, "pthread_create");
        hold(l, 40, 41, 7, 1);
        trace_enter(t, l, 50, "pthread_join");
        trace_numbered(t, l, 51, MPL_ACT_WAIT, 9, 1);
        trace_leave(t, l, 60, "pthread_join");
        turn(l + 1, 12, 18, 4);
        trace_numbered(t, l + 1, 24, MPL_ACT_BEGIN, 9, 1);
        hold(l + 1, 42, 43, 7, 2);
        trace_numbered(t, l + 1, 52, MPL_ACT_END, 9, 1);
    }
    model = trace_model(t);
    for (uint32_t l = 0; l < 4; l++) {
        model->locations[l].reference = l;
    }
    before = said(model);
    path = mpl_arena_printf(arena, "%s/copy", folder);
    ck_assert_int_eq(mpl_write_otf2(model, path, false, NULL), MPL_OK);
    ck_assert_int_eq(mpl_read(path, arena, NULL, &copy, NULL), MPL_OK);
    fixture_remove_tree(path);
    ck_assert_str_eq(said(copy), before);
    ck_assert_ptr_nonnull(strstr(before, "wait"));
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------------- */

START_TEST(running_out_of_memory_is_told_at_every_step)
{
    t = trace_create(arena, 1, 2);
    make_team(0, 10, 20, 4);
    hold(0, 30, 31, 7, 1);
    trace_team(t, 1, 12, MPL_EV_TEAM_BEGIN, 4);
    barrier(1, 13, 14, "!$omp barrier @a.c:7");
    trace_team(t, 1, 18, MPL_EV_TEAM_END, 4);
    hold(1, 32, 33, 7, 2);

    const struct mpl_model *model = trace_model(t);
    long n = 0;

    for (;; n++) {
        struct mpl_arena *result = mpl_arena_create();
        const struct mpl_match *match = NULL;
        struct mpl_err err = { 0 };

        mpl_alloc_fail_after(n);

        const enum mpl_status st = mpl_match_create(model, result, &match, &err);
        const size_t n_relations = st == MPL_OK ? match->n_relations : 0;

        mpl_alloc_fail_after(-1);
        mpl_arena_destroy(result);
        if (st == MPL_OK) {
            ck_assert_uint_eq(n_relations, 3);
            break;
        }
        ck_assert_int_eq(st, MPL_E_NOMEM);
        ck_assert_int_eq(err.code, MPL_E_NOMEM);
        ck_assert_ptr_null(match);
    }
    ck_assert_int_gt(n, 30);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("match_threads");
    TCase *c = add_case(suite, "match_threads", set_up, tear_down);

    tcase_add_test(c, forks_and_joins_belong_to_the_team_they_name);
    tcase_add_test(c, teams_of_other_processes_may_have_the_same_number);
    tcase_add_test(c, thread_that_missed_a_fork_lies_between_the_first_and_the_last);
    tcase_add_test(c, late_end_of_an_idle_thread_proves_nothing);
    tcase_add_test(c, nested_teams_belong_to_who_makes_them);
    tcase_add_test(c, team_of_two_makers_orders_nobody);
    tcase_add_test(c, teams_without_forks_order_nobody);
    tcase_add_test(c, teams_without_a_name_are_one);
    tcase_add_test(c, join_without_a_fork_of_its_own_is_nobodys);
    tcase_add_test(c, location_that_is_cut_off_counts_no_turns);
    tcase_add_test(c, barriers_of_a_turn_pair_up_by_their_place);
    tcase_add_loop_test(c, turns_with_different_barriers_have_none, 0, 2);
    tcase_add_test(c, barrier_outside_of_a_team_is_for_nobody);
    tcase_add_test(c, locks_pass_on_in_the_order_of_their_numbers);
    tcase_add_test(c, lock_with_contradicting_numbers_orders_nobody);
    tcase_add_test(c, locks_of_eztrace_order_nobody);
    tcase_add_test(c, created_threads_run_between_the_calls_of_their_creator);
    tcase_add_test(c, number_that_two_threads_bear_orders_nobody);
    tcase_add_test(c, relations_survive_being_written);
    tcase_add_test(c, running_out_of_memory_is_told_at_every_step);
    return run_suite(suite);
}
