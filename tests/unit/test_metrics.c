#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "metrics_fixture.h"

/*
 * The window goes from 10 (rank 0 leaves MPI_Init first) to 100 (it enters MPI_Finalize
 * last), so it is 90 us long. Rank 0 waits from 20 to 30 for the request of rank 1; rank 1
 * from 31 to 51 and rank 2 from 41 to 73 for their tasks.
 */
static const char trace[] =
    "# us\n"
    "rank 0: init 0..10  compute 10..20  recv 20..31 from 1 tag 1 bytes 8  compute 31..51\n"
    "rank 0: send 51..52 to 1 tag 2 bytes 100  recv 52..53 from 2 tag 1 bytes 8  compute "
    "53..73\n"
    "rank 0: send 73..74 to 2 tag 2 bytes 200  compute 74..100  finalize 100..110\n"
    "rank 1: init 0..12  compute 12..30  send 30..31 to 0 tag 1 bytes 8\n"
    "rank 1: recv 31..53 from 0 tag 2 bytes 100  compute 53..93  finalize 93..105\n"
    "rank 2: init 0..11  compute 11..40  send 40..41 to 0 tag 1 bytes 8\n"
    "rank 2: recv 41..75 from 0 tag 2 bytes 200  compute 75..95  finalize 95..105\n";

#define PATTERN \
    "pattern: test\n" \
    "says: A boss and his hands.\n" \
    "roles:\n" \
    "  boss: {count: 1, where: 'peers >= 2'}\n" \
    "  hand: {count: many, where: 'not is.boss'}\n" \
    "events:\n" \
    "  Task:\n" \
    "    on: hand\n" \
    "    expression: get work\n" \
    "    members:\n" \
    "      get: {event: recv, from: boss}\n" \
    "      work: {event: compute}\n" \
    "    attributes:\n" \
    "      wait: {value: get.wait, unit: s}\n" \
    "      work: {value: work.duration, unit: s}\n" \
    "      size: {value: get.bytes, unit: B}\n" \
    "  Never:\n" \
    "    on: hand\n" \
    "    expression: odd\n" \
    "    members:\n" \
    "      odd: {event: barrier}\n" \
    "    attributes:\n" \
    "      time: {value: odd.duration, unit: s}\n" \
    "metrics:\n"

/* ---- variables --------------------------------------------------------------------------- */

struct expected_variable {
    const char *name;
    double at[3];
};

START_TEST(variables_have_the_values_of_the_drawing)
{
    static const struct expected_variable expected[] = {
        /* us, for ranks 0, 1, 2 */
        { "v_compute", { 76, 58, 49 } },  { "v_p2p", { 14, 23, 35 } },
        { "v_collective", { 0, 0, 0 } },  { "v_other", { 0, 0, 0 } },
        { "v_startup", { 10, 12, 11 } },  { "v_shutdown", { 10, 12, 10 } },
        { "v_late_start", { 0, 2, 1 } },  { "v_early_end", { 0, 7, 5 } },
        { "v_active", { 90, 81, 84 } },   { "v_duration", { 110, 105, 105 } },
        { "v_wait", { 10, 20, 32 } },     { "v_late_sender", { 10, 20, 32 } },
        { "v_wait_p2p", { 10, 20, 32 } }, { "v_wait_collective", { 0, 0, 0 } },
        { "v_transfer", { 4, 3, 3 } },    { "v_unknown", { 0, 0, 0 } },
        { "v_caused", { 52, 10, 0 } },    { "v_caused_late_sender", { 52, 10, 0 } },
    };
    static const struct expected_variable counts[] = {
        { "v_rank", { 0, 1, 2 } },
        { "v_sends", { 2, 1, 1 } },
        { "v_receives", { 2, 1, 1 } },
        { "v_sent_bytes", { 300, 8, 8 } },
        { "v_received_bytes", { 16, 100, 200 } },
        { "v_n_wait", { 1, 1, 1 } },
        { "v_n_late_sender", { 1, 1, 1 } },
        { "v_collectives", { 0, 0, 0 } },
        { "v_n_wrong_order", { 0, 0, 0 } },
    };
    const struct mpl_events *events = events_of_text(trace, arena);
    const struct mpl_pattern *pattern = pattern_of_variables(arena);
    const struct mpl_metric_set *set = set_of_pattern(pattern, arena);
    struct mpl_metrics *metrics = find_metrics(set, pattern, events, arena, NULL);
    const size_t n_times = sizeof expected / sizeof *expected;
    const size_t n_counts = sizeof counts / sizeof *counts;

    for (size_t i = 0; i < n_times + n_counts; i++) {
        const struct expected_variable *e =
            i < n_times ? &expected[i] : &counts[i - n_times];
        const double factor = i < n_times ? 1e6 : 1;

        for (uint32_t l = 0; l < 3; l++) {
            const char *name = mpl_arena_printf(arena, "everybody.%s", e->name);
            const double found = factor * value_by_name(metrics, set, name, l, NULL);

            ck_assert_msg(fabs(found - e->at[l]) < 1e-9, "%s of rank %u is %.12g", e->name,
                          l, found);
        }
    }
    ck_assert_double_eq_tol(value_by_name(metrics, set, "run.r_duration", MPL_NONE, NULL),
                            90e-6, 1e-15);
    ck_assert_double_eq(value_by_name(metrics, set, "run.r_messages", MPL_NONE, NULL), 4);
    ck_assert_double_eq(value_by_name(metrics, set, "run.r_processes", MPL_NONE, NULL), 3);
    ck_assert_double_eq(value_by_name(metrics, set, "run.r_collectives", MPL_NONE, NULL),
                        0);
}
END_TEST

START_TEST(variables_are_sorted_and_each_has_a_sentence)
{
    size_t n;
    const struct mpl_metric_variable *table = mpl_metric_variables(&n);

    ck_assert_uint_gt(n, 40);
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(table[i].says[strlen(table[i].says) - 1] == '.', "%s", table[i].name);
        if (i > 0) {
            const int order = strcmp(table[i - 1].name, table[i].name);

            ck_assert_msg(order < 0 || (order == 0 && !table[i - 1].per_location &&
                                        table[i].per_location),
                          "%s", table[i].name);
        }
    }
}
END_TEST

/* ---- what names mean ----------------------------------------------------------------------- */

static const char metrics_text[] = PATTERN
    "  busy: {per: hand, value: hand.compute / run.duration, unit: 1, says: Busy.}\n"
    "  boss_wait: {per: run, value: boss.wait, unit: s}\n"
    "  spread: {per: run, value: max(hand.busy) - min(hand.busy), unit: 1}\n"
    "  relative: {per: hand, value: hand.compute / mean(all.hand.compute), unit: 1}\n"
    "  mine: {per: hand, value: sum(Task.work), unit: s}\n"
    "  all_work: {per: run, value: sum(Task.work), unit: s}\n"
    "  share: {per: boss, value: boss.wait / sum(Task.wait), unit: 1}\n"
    "  gap: {per: hand, value: boss.compute - hand.compute, unit: s}\n"
    "  boss_list: {per: run, value: sum(all.boss.compute), unit: s}\n"
    "  rate: {per: hand, value: sum(Task.size) / (hand.mine + run.boss_wait), unit: B/s}\n"
    "  rank_of_share: {per: hand, value: boss.share * hand.rank, unit: 1}\n"
    "  widest: {per: run, value: max(all.hand.gap / all.hand.mine), unit: 1}\n";

struct expected_metric {
    const char *name;
    uint32_t location;
    double value;
};

static const struct expected_metric worked[] = {
    { "hand.busy", 1, 58.0 / 90 },
    { "hand.busy", 2, 49.0 / 90 },
    { "run.boss_wait", MPL_NONE, 10e-6 },
    { "run.spread", MPL_NONE, 0.1 },
    { "hand.relative", 1, 58 / 53.5 },
    { "hand.relative", 2, 49 / 53.5 },
    { "hand.mine", 1, 40e-6 },
    { "hand.mine", 2, 20e-6 },
    { "run.all_work", MPL_NONE, 60e-6 },
    { "boss.share", 0, 10.0 / 52 },
    { "hand.gap", 1, 18e-6 },
    { "hand.gap", 2, 27e-6 },
    { "run.boss_list", MPL_NONE, 76e-6 },
    { "hand.rate", 1, 100 / 50e-6 },
    { "hand.rate", 2, 200 / 30e-6 },
    { "hand.rank_of_share", 2, 20.0 / 52 },
    { "run.widest", MPL_NONE, 27.0 / 20 },
};

enum { N_WORKED = sizeof worked / sizeof *worked };

/* _i turns the order of the questions: values must not depend on it. */
START_TEST(metrics_have_the_values_of_the_drawing_in_any_order)
{
    const struct mpl_events *events = events_of_text(trace, arena);
    const struct mpl_pattern *pattern = pattern_of_text(metrics_text, arena);
    const struct mpl_metric_set *set = set_of_pattern(pattern, arena);
    struct mpl_metrics *metrics = find_metrics(set, pattern, events, arena, NULL);

    for (int k = 0; k < 2 * N_WORKED; k++) {
        const int step = _i % 2 == 0 ? 1 : N_WORKED - 1;
        const struct expected_metric *e = &worked[(_i + k * step) % N_WORKED];
        const char *why = "not written";
        const double found = value_by_name(metrics, set, e->name, e->location, &why);

        ck_assert_ptr_null(why);
        ck_assert_msg(fabs(found - e->value) < 1e-12 * fabs(e->value),
                      "%s at %u is %.15g and not %.15g", e->name, e->location, found,
                      e->value);
    }
}
END_TEST

START_TEST(definitions_can_be_listed_and_found)
{
    const struct mpl_pattern *pattern = pattern_of_text(metrics_text, arena);
    const struct mpl_metric_set *set = set_of_pattern(pattern, arena);
    const struct mpl_metric_definition busy = mpl_metric_set_get(set, 0);
    const struct mpl_metric_definition wait = mpl_metric_set_get(set, 1);

    ck_assert_uint_eq(mpl_metric_set_count(set), 12);
    ck_assert_str_eq(busy.name, "hand.busy");
    ck_assert_str_eq(busy.unit_text, "1");
    ck_assert_str_eq(busy.says, "Busy.");
    ck_assert_uint_eq(busy.role, 1);
    ck_assert_str_eq(wait.name, "run.boss_wait");
    ck_assert_ptr_null(wait.says);
    ck_assert_uint_eq(wait.role, MPL_NONE);
    for (uint32_t i = 0; i < mpl_metric_set_count(set); i++) {
        ck_assert_uint_eq(mpl_metric_set_find(set, mpl_metric_set_get(set, i).name), i);
    }
    ck_assert_uint_eq(mpl_metric_set_find(set, "busy"), MPL_NONE);
    ck_assert_uint_eq(mpl_metric_set_find(set, "run.busy"), MPL_NONE);
    ck_assert_uint_eq(mpl_metric_set_find(set, ""), MPL_NONE);
}
END_TEST

START_TEST(a_metric_is_asked_for_with_the_first_experiment_that_lists_it)
{
    static const char text[] =
        "pattern: p\nsays: S.\nroles:\n  a: {count: many}\nmetrics:\n"
        "  x: {per: run, value: 1, unit: 1}\n  y: {per: run, value: 2, unit: 1}\n"
        "  z: {per: run, value: 3, unit: 1}\n"
        "experiments:\n"
        "  - {level: 2, purpose: First., metrics: [run.y, run.x]}\n"
        "  - {level: 3, purpose: Second., metrics: [run.x]}\n";
    const struct mpl_metric_set *set = set_of_pattern(pattern_of_text(text, arena), arena);
    const struct mpl_metric_experiment *e = mpl_metric_set_experiment(set, 0);

    ck_assert_ptr_nonnull(e);
    ck_assert_str_eq(e->purpose, "First.");
    ck_assert_int_eq(e->level, 2);
    ck_assert_uint_eq(e->n, 2);
    ck_assert_uint_eq(e->metrics[0], 1);
    ck_assert_uint_eq(e->metrics[1], 0);
    ck_assert_ptr_eq(mpl_metric_set_experiment(set, 1), e);
    ck_assert_ptr_null(mpl_metric_set_experiment(set, 2));
}
END_TEST

START_TEST(a_pattern_without_metrics_has_none)
{
    const struct mpl_pattern *pattern =
        pattern_of_text("pattern: p\nsays: S.\nroles:\n  a: {count: many}\n", arena);

    ck_assert_uint_eq(mpl_metric_set_count(set_of_pattern(pattern, arena)), 0);
}
END_TEST

/* ---- undefined values ----------------------------------------------------------------------- */

START_TEST(undefined_values_say_why)
{
    static const char text[] = PATTERN
        "  counted: {per: run, value: run.locations, unit: 1, needs: [messages, "
        "counters]}\n"
        "  through: {per: run, value: 2 * run.counted, unit: 1}\n"
        "  further: {per: hand, value: run.through + 1, unit: 1}\n"
        "  never: {per: run, value: mean(Never.time), unit: s}\n"
        "  zero: {per: hand, value: 1 / hand.collectives, unit: 1}\n"
        "  after: {per: run, value: run.never / run.duration, unit: 1}\n"
        "  mean_of_zero: {per: run, value: mean(hand.zero), unit: 1}\n"
        "  bound: {per: run, value: run.ideal_duration * (0 / run.collectives), unit: s}\n"
        "  fine: {per: run, value: count(hand.zero), unit: 1}\n";
    static const struct {
        const char *name, *why;
        uint32_t location;
    } expected[] = {
        { "run.counted", "the trace does not record hardware or software counters",
          MPL_NONE },
        { "run.through",
          "'run.counted' is undefined: the trace does not record hardware or software "
          "counters",
          MPL_NONE },
        { "hand.further",
          "'run.counted' is undefined: the trace does not record hardware or software "
          "counters",
          2 },
        { "run.never", "there are no instances of Never", MPL_NONE },
        { "hand.zero", "division by zero or no instances", 1 },
        { "run.after", "'run.never' is undefined: there are no instances of Never",
          MPL_NONE },
        { "run.mean_of_zero", "division by zero or no instances", MPL_NONE },
        { "run.bound", "division by zero or no instances", MPL_NONE },
        { "hand.zero", "the location is no hand", 0 },
        { "hand.zero", "the location is no hand", 17 },
    };
    const struct mpl_events *events = events_of_text(trace, arena);
    const struct mpl_pattern *pattern = pattern_of_text(text, arena);
    const struct mpl_metric_set *set = set_of_pattern(pattern, arena);
    struct mpl_metrics *metrics = find_metrics(set, pattern, events, arena, NULL);

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const char *why = NULL;

        ck_assert(isnan(
            value_by_name(metrics, set, expected[i].name, expected[i].location, &why)));
        ck_assert_ptr_nonnull(why);
        ck_assert_str_eq(why, expected[i].why);
    }
    ck_assert_double_eq(value_by_name(metrics, set, "run.fine", MPL_NONE, NULL), 0);
}
END_TEST

START_TEST(variables_that_a_trace_does_not_tell_are_undefined_with_their_name)
{
    /* A receive whose message was never recorded: the ideal run would be a guess. */
    static const char text[] = "# us\n"
                               "rank 0: compute 0..10  recv 10..20 from 1 tag 1\n"
                               "rank 1: compute 0..20\n";
    const struct mpl_events *events = events_of_text(text, arena);
    const struct mpl_pattern *pattern = pattern_of_variables(arena);
    const struct mpl_metric_set *set = set_of_pattern(pattern, arena);
    struct mpl_metrics *metrics = find_metrics(set, pattern, events, arena, NULL);
    const char *why = NULL;

    ck_assert(isnan(value_by_name(metrics, set, "run.r_ideal_duration", MPL_NONE, &why)));
    ck_assert_str_eq(why, "'run.ideal_duration' is not known for this trace");
}
END_TEST

/* ---- memory ----------------------------------------------------------------------------------- */

START_TEST(running_out_of_memory_is_told_at_every_allocation_of_a_set)
{
    const struct mpl_pattern *pattern = pattern_of_text(metrics_text, arena);
    const struct mpl_metric_set *set = NULL;
    long n = 0;

    for (;; n++) {
        struct mpl_lint *lint = mpl_lint_create(arena);
        struct mpl_err err = { 0 };

        mpl_alloc_fail_after(n);
        const enum mpl_status st = mpl_metric_set_create(pattern, arena, lint, &set, &err);
        mpl_alloc_fail_after(-1);
        if (st == MPL_OK) {
            break;
        }
        ck_assert_int_eq(st, MPL_E_NOMEM);
        ck_assert_int_eq(err.code, MPL_E_NOMEM);
        ck_assert_ptr_null(set);
    }
    ck_assert_int_gt(n, 50);
}
END_TEST

START_TEST(a_value_that_found_no_memory_is_right_when_asked_again)
{
    const struct mpl_events *events = events_of_text(trace, arena);
    const struct mpl_pattern *pattern = pattern_of_text(metrics_text, arena);
    const struct mpl_metric_set *set = set_of_pattern(pattern, arena);
    long n = 0;
    double value = NAN;

    for (; isnan(value); n++) {
        struct mpl_metrics *metrics = find_metrics(set, pattern, events, arena, NULL);
        const uint32_t metric = mpl_metric_set_find(set, "run.widest");
        const char *why = NULL;

        mpl_alloc_fail_after(n);
        value = mpl_metrics_value(metrics, metric, MPL_NONE, &why);
        mpl_alloc_fail_after(-1);
        if (isnan(value)) {
            ck_assert_str_eq(why, "out of memory");
            ck_assert(mpl_metrics_is_short(metrics));
        }
        ck_assert_double_eq_tol(mpl_metrics_value(metrics, metric, MPL_NONE, NULL), 1.35,
                                1e-12);
    }
    ck_assert_int_gt(n, 5);
}
END_TEST

/* Recognitions on the same events find out together what is not theirs alone. */
static void check_shared(const struct mpl_events *events, struct mpl_variables *variables)
{
    const struct mpl_pattern *pattern = pattern_of_variables(arena);
    const struct mpl_metric_set *set = set_of_pattern(pattern, arena);
    struct mpl_metrics *own = find_metrics(set, pattern, events, arena, NULL);
    struct mpl_metrics *shared[2] = { NULL };
    const char *reason = NULL;

    for (size_t k = 0; k < 2; k++) {
        struct mpl_recognition *found = NULL;

        ck_assert_int_eq(
            mpl_recognize(pattern, events, NULL, 0, arena, &found, &reason, NULL), MPL_OK);
        ck_assert_int_eq(mpl_metrics_create(set, found, variables, arena, &shared[k], NULL),
                         MPL_OK);
    }
    for (uint32_t i = 0; i < mpl_metric_set_count(set); i++) {
        mpl_metrics_expect(shared[0], i);
    }
    for (uint32_t i = 0; i < mpl_metric_set_count(set); i++) {
        const struct mpl_metric_definition definition = mpl_metric_set_get(set, i);

        for (uint32_t k = 0; k < 6; k++) {
            const uint32_t location = definition.role == MPL_NONE ? MPL_NONE : k % 3;
            const double expected = mpl_metrics_value(own, i, location, NULL);
            const double value = mpl_metrics_value(shared[k % 2], i, location, NULL);

            ck_assert_msg(value == expected || (isnan(value) && isnan(expected)), "%s",
                          definition.name);
        }
    }
}

START_TEST(variables_that_are_shared_have_the_same_values)
{
    const struct mpl_events *events = events_of_text(trace, arena);

    /* What all of them need, in threads. */
    ck_assert_int_eq(setenv("MARPLE_THREADS", "4", 1), 0);
    check_shared(events, mpl_variables_create(events, arena));
}
END_TEST

START_TEST(what_is_usual_has_the_same_values_when_it_was_made_before_without_memory_too)
{
    const struct mpl_events *events = events_of_text(trace, arena);
    struct mpl_variables *variables = mpl_variables_create(events, arena);

    mpl_alloc_fail_after(_i - 1);
    mpl_variables_make_usual(variables);
    mpl_alloc_fail_after(-1);
    check_shared(events, variables);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("metrics");
    TCase *metrics = add_case(suite, "metrics", create_arena, destroy_arena);

    tcase_set_timeout(metrics, 60);
    tcase_add_test(metrics, variables_have_the_values_of_the_drawing);
    tcase_add_test(metrics, variables_that_are_shared_have_the_same_values);
    tcase_add_loop_test(
        metrics,
        what_is_usual_has_the_same_values_when_it_was_made_before_without_memory_too, 0,
        60);
    tcase_add_test(metrics, variables_are_sorted_and_each_has_a_sentence);
    tcase_add_loop_test(metrics, metrics_have_the_values_of_the_drawing_in_any_order, 0,
                        2 * N_WORKED);
    tcase_add_test(metrics, definitions_can_be_listed_and_found);
    tcase_add_test(metrics, a_metric_is_asked_for_with_the_first_experiment_that_lists_it);
    tcase_add_test(metrics, a_pattern_without_metrics_has_none);
    tcase_add_test(metrics, undefined_values_say_why);
    tcase_add_test(metrics,
                   variables_that_a_trace_does_not_tell_are_undefined_with_their_name);
    tcase_add_test(metrics, running_out_of_memory_is_told_at_every_allocation_of_a_set);
    tcase_add_test(metrics, a_value_that_found_no_memory_is_right_when_asked_again);
    return run_suite(suite);
}
