/*
 * Patterns in parts of a run: in communicators, in what remains without them, in groups that do not
 * talk, in phases. Programs are written message by message, one after the other, so that
 * all times can be counted.
 */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/suite.h"
#include "analysis_fixture.h"
#include "folder_fixture.h"
#include "read_fixture.h"

enum { RANKS_MAX = 8 };

static const char *lines[RANKS_MAX];
static int now_us;

static void begin(void)
{
    create_folder();
    now_us = 0;
    for (int i = 0; i < RANKS_MAX; i++) {
        lines[i] = "";
    }
}

static void act(int rank, const char *what, int peer, const char *comm)
{
    lines[rank] =
        mpl_arena_printf(arena, "%srank %d: %s %d..%d %s %d%s%s\n", lines[rank], rank, what,
                         now_us, now_us + 1, what[0] == 's' ? "to" : "from", peer,
                         comm[0] != '\0' ? " comm " : "", comm);
    ck_assert_ptr_nonnull(lines[rank]);
    now_us++;
}

/* A message of two microseconds among ranks of the world. */
static void message(int from, int to)
{
    act(from, "send", to, "");
    act(to, "recv", from, "");
}

/* The same in a communicator whose rank 0 is \p leader of the world, and so on. */
static void inner(int leader, int from, int to, const char *comm)
{
    act(leader + from, "send", to, comm);
    act(leader + to, "recv", from, comm);
}

/* The only pattern, so that no other one fits the same programs better. */
static const char crew[] =
    "pattern: crew\n"
    "says: A chief and his hands.\n"
    "roles:\n"
    "  chief: {count: 1, where: \"degree >= 2 and degree >= 0.75 * "
    "(size - 1)\", score: messages}\n"
    "  hand: {count: many, at_least: 2, where: share_with.chief >= 0.8}\n"
    "events:\n"
    "  Job:\n"
    "    on: hand\n"
    "    expression: get work+ give\n"
    "    members:\n"
    "      get:  {event: recv, from: chief}\n"
    "      work: {event: compute}\n"
    "      give: {event: send, to: chief}\n"
    "    associated:\n"
    "      gave: {match: get}\n"
    "      got:  {match: give}\n"
    "    attributes:\n"
    "      work: {value: sum(work.duration), unit: s}\n";

static struct mpl_analysis *analyse(const char *head)
{
    const char *text = mpl_arena_printf(arena, "# us\n%s", head);
    struct mpl_analysis *a = NULL;
    struct mpl_err err = { 0 };
    size_t n_bytes = 0;

    for (int i = 0; i < RANKS_MAX; i++) {
        text = mpl_arena_printf(arena, "%s%s", text, lines[i]);
        ck_assert_ptr_nonnull(text);
    }
    (void) put_file(
        "rules/vocabulary.clp",
        (const char *) fixture_load(in_tree("rules/vocabulary.clp"), &n_bytes, arena));
    (void) put_file("patterns/crew.yaml", crew);

    const char *trace = put_file("crew.trace", text);
    const struct mpl_analysis_options options = { .knowledge = (const char *[]){ folder },
                                                  .n_knowledge = 1 };
    const enum mpl_status st = mpl_analysis_run(&trace, 1, &options, &a, &err);

    ck_assert_msg(st == MPL_OK, "%s", err.cause[0].text);
    return a;
}

/* The chosen trial of that id, or NULL. */
static const struct mpl_trial *find(const struct mpl_analysis *a, const char *id)
{
    const struct mpl_diagnosis *d = mpl_analysis_diagnosis(a);

    for (size_t i = 0; i < d->n_trials; i++) {
        if (d->trials[i].is_chosen && strcmp(d->trials[i].id, id) == 0) {
            return &d->trials[i];
        }
    }
    return NULL;
}

static size_t count_specific(const struct mpl_analysis *a)
{
    const struct mpl_diagnosis *d = mpl_analysis_diagnosis(a);
    size_t n = 0;

    for (size_t i = 0; i < d->n_trials; i++) {
        n += d->trials[i].is_chosen && mpl_pattern_event_count(d->trials[i].pattern) > 0;
    }
    return n;
}

static const char *labels(const struct mpl_trial *t, uint32_t role)
{
    const struct mpl_role *r = mpl_recognition_role(t->recognition, role);
    const struct mpl_model *model =
        mpl_events_model(mpl_recognition_events(t->recognition));
    const char *text = "";

    for (uint32_t i = 0; i < r->n; i++) {
        text = mpl_arena_printf(arena, "%s%s%s", text, i > 0 ? " " : "",
                                model->locations[r->locations[i]].label);
    }
    return text;
}

/* ---- nesting ------------------------------------------------------------------------------ */

/* A task for a leader, who has his two people work on it. They talk, so that it is no tree. */
static void task(int leader, const char *comm)
{
    message(0, leader);
    for (int round = 0; round < 3; round++) {
        for (int i = 1; i <= 2; i++) {
            inner(leader, 0, i, comm);
            now_us += 5;
            inner(leader, i, 0, comm);
        }
    }
    inner(leader, 1, 2, comm);
    message(leader, 0);
}

static struct mpl_analysis *farm_of_farms(void)
{
    for (int i = 0; i < 4; i++) {
        task(1, "left");
        task(4, "right");
    }
    return analyse("comm left: 1 2 3\ncomm right: 4 5 6\n");
}

START_TEST(groups_of_a_farm_are_recognised_and_are_its_work)
{
    struct mpl_analysis *a = farm_of_farms();
    const struct mpl_diagnosis *d = mpl_analysis_diagnosis(a);
    const struct mpl_trial *outer = find(a, "crew@rest");
    unsigned n_inner = 0;

    ck_assert_ptr_nonnull(outer);
    ck_assert_str_eq(labels(outer, 0), "0");
    ck_assert_str_eq(labels(outer, 1), "1 4");
    ck_assert_double_eq_tol(outer->coverage, 1, 1e-9);
    ck_assert_uint_eq(count_specific(a), 3);
    for (size_t i = 0; i < d->n_trials; i++) {
        const struct mpl_trial *t = &d->trials[i];

        if (t->is_chosen && strncmp(t->scope, "communicator left", 17) == 0) {
            ck_assert_str_eq(t->scope, "communicator left, ranks 1 to 3");
            ck_assert_str_eq(labels(t, 0), "1");
            ck_assert_str_eq(labels(t, 1), "2 3");
            /* Of 26 message ends per task 2 are of people who talk. */
            ck_assert_double_eq_tol(t->coverage, 24.0 / 26, 1e-9);
            n_inner++;
        }
    }
    ck_assert_uint_eq(n_inner, 1);
    mpl_analysis_destroy(a);
}
END_TEST

/* Of a task the leader's six inner exchanges are work, and the time in which his people talk: 6 * (4 + 5) + 2 us. */
START_TEST(calls_of_the_inner_pattern_are_computation_of_the_outer)
{
    struct mpl_analysis *a = farm_of_farms();
    const struct mpl_trial *outer = find(a, "crew@rest");
    const uint32_t event = mpl_pattern_find_event(outer->pattern, "Job");
    const uint32_t work = mpl_pattern_find_attribute(outer->pattern, event, "work");
    struct trial *own = mpl_trials_find(a, "r1", "crew@rest");

    ck_assert_ptr_nonnull(own);
    ck_assert_uint_eq(mpl_recognition_count(own->recognition, event), 8);

    const double *column = mpl_recognition_column(own->recognition, event, work);

    ck_assert_ptr_nonnull(column);
    for (int i = 0; i < 8; i++) {
        ck_assert_double_eq_tol(1e6 * column[i], 56, 1e-6);
    }
    mpl_analysis_destroy(a);
}
END_TEST

/* ---- groups, phases, worlds ------------------------------------------------------------------ */

static void farm(int master, int n_rounds)
{
    for (int round = 0; round < n_rounds; round++) {
        for (int i = 1; i <= 3; i++) {
            message(master, master + i);
            now_us += 5;
            message(master + i, master);
        }
    }
}

START_TEST(farms_that_do_not_talk_are_two)
{
    farm(0, 4);
    farm(4, 4);

    struct mpl_analysis *a = analyse("");

    ck_assert_uint_eq(count_specific(a), 2);
    ck_assert_ptr_nonnull(find(a, "crew@group1"));
    ck_assert_str_eq(find(a, "crew@group2")->scope, "group of ranks 4 to 7");
    ck_assert_str_eq(labels(find(a, "crew@group2"), 0), "4");
    mpl_analysis_destroy(a);
}
END_TEST

/* Rank 3 hands out data first and collects it at the destroy_arena; in between rank 0 runs a farm. */
START_TEST(a_phase_has_a_pattern_that_the_run_has_not)
{
    for (int i = 0; i < 24; i++) {
        message(3, 1 + i % 2);
    }

    const int from_us = now_us;

    farm(0, 10);

    const int to_us = now_us;

    for (int i = 0; i < 24; i++) {
        message(1 + i % 2, 3);
    }

    struct mpl_analysis *a = analyse("");
    const struct mpl_trial *t = find(a, "crew@phase2");
    int64_t begin_ticks;
    int64_t end_ticks;

    ck_assert_ptr_nonnull(t);
    ck_assert_uint_eq(count_specific(a), 1);
    ck_assert_double_eq_tol(t->coverage, 1, 1e-9);
    ck_assert_str_eq(labels(t, 1), "1 2 3");
    mpl_events_window(mpl_recognition_events(t->recognition), &begin_ticks, &end_ticks);
    ck_assert_double_eq_tol(
        1e6 * mpl_model_seconds(mpl_events_model(mpl_recognition_events(t->recognition)),
                                end_ticks - begin_ticks),
        to_us - from_us, 1e-6);
    ck_assert_int_eq(strncmp(t->scope, "phase 2, 4.8e-05 s", 18), 0);
    ck_assert_double_eq_tol(1e6 * t->begin_s, from_us, 1e-6);
    ck_assert_double_eq_tol(1e6 * t->end_s, to_us, 1e-6);
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(two_patterns_in_two_phases_are_both_told)
{
    farm(0, 10);

    const int change_us = now_us;

    farm(2, 10);

    struct mpl_analysis *a = analyse("");
    const struct mpl_trial *first = find(a, "crew@phase1");
    const struct mpl_trial *second = find(a, "crew@phase2");

    ck_assert_uint_eq(count_specific(a), 2);
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_nonnull(second);
    ck_assert_str_eq(labels(first, 0), "0");
    ck_assert_str_eq(labels(second, 0), "2");
    ck_assert_str_eq(labels(second, 1), "3 4 5");
    ck_assert_double_eq_tol(first->begin_s, 0, 1e-12);
    ck_assert_double_eq_tol(1e6 * first->end_s, change_us, 1e-6);
    ck_assert_double_eq_tol(1e6 * second->begin_s, change_us, 1e-6);
    ck_assert_double_eq_tol(1e6 * second->end_s, now_us, 1e-6);
    ck_assert_double_eq_tol(second->coverage, 1, 1e-9);
    mpl_analysis_destroy(a);
}
END_TEST

/* Rank 4 sends to 5 what it sends them in the second phase only, while others are in the first one. */
START_TEST(processes_change_to_the_next_phase_at_their_own_time)
{
    farm(0, 8);
    message(4, 5);
    farm(0, 2);
    for (int i = 0; i < 10; i++) {
        farm(2, 1);
        if (i % 3 == 0) {
            message(4, 5);
        }
    }

    struct mpl_analysis *a = analyse("");
    struct trial *first = mpl_trials_find(a, "r1", "crew@phase1");
    struct trial *second = mpl_trials_find(a, "r1", "crew@phase2");

    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_nonnull(second);
    ck_assert_uint_le(second->part->first_record[4], 1);
    ck_assert_uint_eq(first->part->end_record[4], second->part->first_record[4]);
    ck_assert_uint_gt(second->part->first_record[2], 1);
    ck_assert_double_eq_tol(first->shown.coverage, 1, 1e-9);
    mpl_analysis_destroy(a);
}
END_TEST

/* The chief deals with two hands first, then with two others: one crew, if nothing else was there. */
START_TEST(phases_of_one_pattern_are_one)
{
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < 20; i++) {
            const int hand = 1 + 2 * half + i % 2;

            message(0, hand);
            now_us += 5;
            message(hand, 0);
        }
    }

    const int change_us = now_us;

    farm(4, 14);

    struct mpl_analysis *a = analyse("");
    const struct mpl_trial *first = find(a, "crew@phase1");

    ck_assert_ptr_nonnull(first);
    ck_assert_uint_eq(count_specific(a), 2);
    ck_assert_str_eq(labels(first, 1), "1 2 3 4");
    ck_assert_double_eq_tol(1e6 * first->end_s, change_us, 1e-6);
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(pattern_of_the_world_needs_no_parts)
{
    farm(0, 4);

    struct mpl_analysis *a = analyse("comm some: 0 1 2\n");

    ck_assert_uint_eq(count_specific(a), 1);
    ck_assert_str_eq(find(a, "crew")->scope, "world");
    mpl_analysis_destroy(a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analysis scopes");
    TCase *tcase = add_case(suite, "scopes", begin, remove_folder);

    tcase_add_test(tcase, groups_of_a_farm_are_recognised_and_are_its_work);
    tcase_add_test(tcase, calls_of_the_inner_pattern_are_computation_of_the_outer);
    tcase_add_test(tcase, farms_that_do_not_talk_are_two);
    tcase_add_test(tcase, a_phase_has_a_pattern_that_the_run_has_not);
    tcase_add_test(tcase, two_patterns_in_two_phases_are_both_told);
    tcase_add_test(tcase, phases_of_one_pattern_are_one);
    tcase_add_test(tcase, processes_change_to_the_next_phase_at_their_own_time);
    tcase_add_test(tcase, pattern_of_the_world_needs_no_parts);
    return run_suite(suite);
}
