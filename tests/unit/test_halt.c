/* Where runs stand that do not end. Times are microseconds. */
#include "config.h"

#include "halt/halt.h"
#include "read/read.h"

#include <check.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "events_of.h"

static struct mpl_model *model;

static const struct mpl_match *read_text(const char *text)
{
    const struct mpl_match *match = NULL;

    model = model_of_text(text, arena);
    ck_assert_int_eq(mpl_match_create(model, arena, &match, NULL), MPL_OK);
    return match;
}

static const struct mpl_halt *find(const char *text)
{
    const struct mpl_match *match = read_text(text);
    const struct mpl_halt *halt = NULL;

    ck_assert_int_eq(mpl_halt_find(model, match, arena, &halt, NULL), MPL_OK);
    mpl_model_check(model);
    return halt;
}

static const char *name_of(uint32_t region)
{
    return region == MPL_NONE ? "" : model->regions[region].name;
}

/* Three steps, in the fourth of which rank 1 receives what nobody sends. */
static const char *const stuck =
    "# us\n"
    "rank 0: compute 0..5 barrier 5..7 compute 7..12 barrier 12..14 compute 14..19\n"
    "        barrier 19..21 compute 21..26 barrier 26..900 unfinished\n"
    "rank 1: compute 0..6 barrier 6..7 compute 7..13 barrier 13..14 compute 14..20\n"
    "        barrier 20..21 compute 21..27 recv 27..900 from 0 unfinished\n";

START_TEST(a_run_that_ends_has_no_halt)
{
    ck_assert_ptr_null(find("rank 0: compute 0..5 barrier 5..7\n"
                            "rank 1: compute 0..6 barrier 6..7\n"));
}
END_TEST

START_TEST(who_waits_for_whom_is_taken_from_the_trace)
{
    const struct mpl_halt *halt = find(stuck);

    ck_assert_ptr_nonnull(halt);
    ck_assert(halt->is_standstill);
    ck_assert_uint_eq(halt->n_in[MPL_HALT_IN_CALL], 2);
    ck_assert_str_eq(name_of(halt->places[0].region), "MPI_Barrier");
    ck_assert_str_eq(name_of(halt->places[1].region), "MPI_Recv");
    ck_assert_uint_eq(halt->places[0].n_waits_for, 1);
    ck_assert_uint_eq(halt->places[0].waits_for[0], 1);
    ck_assert_uint_eq(halt->places[1].waits_for[0], 0);
    ck_assert(halt->is_cycle_known);
    ck_assert_uint_eq(halt->n_cycle, 2);
    ck_assert_double_eq_tol(halt->silence_s, 873e-6, 1e-9);
}
END_TEST

START_TEST(the_standstill_is_taken_off_the_time_line)
{
    (void) find(stuck);
    for (uint32_t l = 0; l < 2; l++) {
        const struct mpl_location *loc = &model->locations[l];

        ck_assert_int_le(mpl_ticks_of(loc, loc->n_events - 1), 27001);
    }
}
END_TEST

START_TEST(killed_at_work_the_times_stay)
{
    const struct mpl_halt *halt =
        find("# us\n"
             "rank 0: compute 0..5 barrier 5..7 compute 7..12 barrier 12..14 unfinished\n"
             "rank 1: compute 0..6 barrier 6..7 compute 7..14\n");
    const struct mpl_location *loc = &model->locations[0];

    ck_assert_ptr_nonnull(halt);
    ck_assert(!halt->is_standstill);
    ck_assert_int_eq(halt->places[1].state, MPL_HALT_OUTSIDE);
    ck_assert_int_eq(mpl_ticks_of(loc, loc->n_events - 1), 14000);
}
END_TEST

/* Who has hardly called anything before may take long for a reason. */
START_TEST(who_is_long_at_work_from_the_beginning_does_not_hang)
{
    const struct mpl_halt *halt =
        find("# us\n"
             "rank 0: bcast 0..1 root 0 compute 1..900\n"
             "rank 1: bcast 0..1 root 0 bcast 1..900 root 0 unfinished\n");

    ck_assert(!halt->is_standstill);
}
END_TEST

/* What has followed three times is what should follow, and whom it was exchanged with is waited for. */
START_TEST(what_came_before_says_what_should_come)
{
    const struct mpl_halt *halt = find(
        "# us\n"
        "rank 0: send 0..1 to 1 barrier 1..2 send 2..3 to 1 barrier 3..4 send 4..5 to 1\n"
        "        barrier 5..6 send 6..7 to 1 barrier 7..8 region MPI_Wait 8..500 "
        "unfinished\n"
        "rank 1: recv 0..1 from 0 barrier 1..2 recv 2..3 from 0 barrier 3..4 recv 4..5 "
        "from 0\n"
        "        barrier 5..6 recv 6..7 from 0 barrier 7..8 region MPI_Recv 8..500 "
        "unfinished\n");

    ck_assert_str_eq(name_of(halt->places[0].expected_region), "MPI_Send");
    ck_assert_uint_eq(halt->places[0].n_expected, 3);
    ck_assert_str_eq(name_of(halt->places[1].expected_region), "");
    ck_assert(!halt->places[1].is_known);
    ck_assert_uint_eq(halt->places[1].n_waits_for, 1);
    ck_assert_uint_eq(halt->places[1].waits_for[0], 0);
}
END_TEST

START_TEST(who_ended_before_the_others_has_gone)
{
    const struct mpl_halt *halt =
        find("# us\n"
             "rank 0: send 0..1 to 1 recv 1..500 from 1 unfinished\n"
             "rank 1: recv 0..1 from 0 compute 1..5\n");

    ck_assert_int_eq(halt->places[1].state, MPL_HALT_OVER);
    ck_assert_uint_eq(halt->n_cycle, 0);
}
END_TEST

START_TEST(messages_that_are_not_taken_are_found)
{
    const struct mpl_halt *halt =
        find("# us\n"
             "rank 0: send 0..1 to 1 tag 3 send 2..3 to 1 tag 4 barrier 4..500 unfinished\n"
             "rank 1: recv 0..1 from 0 tag 3 recv 2..500 from 0 tag 3 unfinished\n");

    ck_assert_uint_eq(halt->n_leftovers, 1);
    ck_assert_uint_eq(halt->leftovers[0].from, 0);
    ck_assert_uint_eq(halt->leftovers[0].to, 1);
    ck_assert_uint_eq(halt->leftovers[0].tag, 4);
    ck_assert_uint_eq(halt->leftovers[0].usual_tag, 3);
}
END_TEST

/* A broadcast waits for its root, and a member of another communicator is not waited for. */
START_TEST(collectives_wait_for_their_members)
{
    const struct mpl_halt *halt = find("# us\n"
                                       "rank 0: compute 0..500\n"
                                       "rank 1: bcast 1..500 root 0 unfinished\n"
                                       "rank 2: compute 0..500\n");

    ck_assert_uint_eq(halt->places[1].n_waits_for, 1);
    ck_assert_uint_eq(halt->places[1].waits_for[0], 0);
    halt = find("# us\n"
                "comm row: 0 1\n"
                "rank 0: barrier 0..1 comm row compute 1..500\n"
                "rank 1: barrier 0..1 comm row barrier 2..500 comm row unfinished\n"
                "rank 2: compute 0..500\n");
    ck_assert_uint_eq(halt->places[1].n_waits_for, 1);
    ck_assert_uint_eq(halt->places[1].waits_for[0], 0);
}
END_TEST

/* As where mpirun ends who has not left a barrier when others exit. */
START_TEST(what_others_have_left_is_no_standstill)
{
    ck_assert_ptr_null(find("# us\n"
                            "rank 0: barrier 0..3 barrier 5..900 unfinished\n"
                            "rank 1: barrier 1..3 barrier 4..900 unfinished\n"
                            "rank 2: barrier 2..3 barrier 4..6 compute 6..10\n"));
}
END_TEST

START_TEST(damaged_events_are_not_judged)
{
    const struct mpl_match *match = read_text(stuck);
    const struct mpl_halt *halt = NULL;

    model->locations[1].is_damaged = true;
    ck_assert_int_eq(mpl_halt_find(model, match, arena, &halt, NULL), MPL_OK);
    ck_assert_int_eq(halt->places[1].state, MPL_HALT_UNKNOWN);
    model->locations[0].is_damaged = true;
    ck_assert_int_eq(mpl_halt_find(model, match, arena, &halt, NULL), MPL_OK);
    ck_assert_ptr_null(halt);
}
END_TEST

START_TEST(running_out_of_memory_is_told)
{
    const struct mpl_match *match = read_text(stuck);

    enum mpl_status st = MPL_E_NOMEM;

    for (long n = 0; fails_without_memory(n, st); n++) {
        const struct mpl_halt *halt = NULL;

        mpl_alloc_fail_after(n);
        st = mpl_halt_find(model, match, arena, &halt, NULL);
        mpl_alloc_fail_after(-1);
        ck_assert_int_eq(halt != NULL, st == MPL_OK);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("halt");
    TCase *tcase = add_case(suite, "halt", create_arena, destroy_arena);

    tcase_add_test(tcase, a_run_that_ends_has_no_halt);
    tcase_add_test(tcase, who_waits_for_whom_is_taken_from_the_trace);
    tcase_add_test(tcase, the_standstill_is_taken_off_the_time_line);
    tcase_add_test(tcase, killed_at_work_the_times_stay);
    tcase_add_test(tcase, who_is_long_at_work_from_the_beginning_does_not_hang);
    tcase_add_test(tcase, what_came_before_says_what_should_come);
    tcase_add_test(tcase, who_ended_before_the_others_has_gone);
    tcase_add_test(tcase, messages_that_are_not_taken_are_found);
    tcase_add_test(tcase, collectives_wait_for_their_members);
    tcase_add_test(tcase, what_others_have_left_is_no_standstill);
    tcase_add_test(tcase, damaged_events_are_not_judged);
    tcase_add_test(tcase, running_out_of_memory_is_told);
    return run_suite(suite);
}
