/*
 * Real traces: what must hold of the variables on every one, and the metrics of all patterns
 * that the project has.
 */
#include "config.h"

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "../lib/traces.h"
#include "metrics_fixture.h"

/* The arena of a test has the patterns; each trace has its own. */

/* ---- relations of variables ------------------------------------------------------------- */

struct run {
    const char *trace;
    struct mpl_metrics *metrics;
    const struct mpl_metric_set *set;
    const struct mpl_role *everybody;
};

static double run_variable(const struct run *run, const char *name)
{
    char full[96];

    (void) snprintf(full, sizeof full, "run.r_%s", name);
    return value_by_name(run->metrics, run->set, full, MPL_NONE, NULL);
}

static double variable(const struct run *run, const char *name, uint32_t i)
{
    char full[96];

    (void) snprintf(full, sizeof full, "everybody.v_%s", name);
    return value_by_name(run->metrics, run->set, full, run->everybody->locations[i], NULL);
}

/* The words of \p names, each with its sign: "a+b-c". */
static double sum_of(const struct run *run, const char *names, uint32_t i)
{
    double sum = 0;
    double sign = 1;
    char name[64];

    while (*names != '\0') {
        const size_t n = strcspn(names, "+-");

        (void) snprintf(name, sizeof name, "%.*s", (int) n, names);
        sum += sign * variable(run, name, i);
        sign = names[n] == '-' ? -1 : 1;
        names += n + (names[n] != '\0');
    }
    return sum;
}

static void check_equal(const struct run *run, uint32_t i, const char *names,
                        double expected)
{
    const double found = sum_of(run, names, i);

    /* Seconds from some ten ticks each: a nanosecond, and the digits of a double. */
    ck_assert_msg(fabs(found - expected) <= 1e-9 + 1e-12 * fabs(expected),
                  "%s, location %u: %s is %.12g and not %.12g", run->trace,
                  run->everybody->locations[i], names, found, expected);
}

static void check_location(const struct run *run, uint32_t i)
{
    static const char *const positive[] = { "late_start", "early_end",  "active",
                                            "transfer",   "compute",    "p2p",
                                            "other",      "collective", "startup",
                                            "shutdown" };

    check_equal(run, i, "compute+p2p+collective+other+late_start+early_end",
                run_variable(run, "duration"));
    check_equal(run, i, "compute+p2p+collective+other", variable(run, "active", i));
    check_equal(run, i, "wait+unknown+transfer", sum_of(run, "p2p+collective", i));
    check_equal(run, i, "wait_p2p+wait_collective", variable(run, "wait", i));
    check_equal(run, i, "late_sender+late_receiver", variable(run, "wait_p2p", i));
    check_equal(run, i, "wait_barrier+wait_n_to_n+late_broadcast+early_reduce+early_scan",
                variable(run, "wait_collective", i));
    check_equal(run, i,
                "caused_late_sender+caused_late_receiver+caused_wait_barrier+"
                "caused_wait_n_to_n+caused_late_broadcast+caused_early_reduce+"
                "caused_early_scan",
                variable(run, "caused", i));
    check_equal(run, i,
                "n_late_sender+n_late_receiver+n_wait_barrier+n_wait_n_to_n+"
                "n_late_broadcast+n_early_reduce+n_early_scan",
                variable(run, "n_wait", i));
    check_equal(run, i, "delay_direct+delay_indirect", variable(run, "delay", i));
    check_equal(run, i, "startup+active+shutdown", variable(run, "duration", i));
    for (size_t k = 0; k < sizeof positive / sizeof *positive; k++) {
        ck_assert_msg(variable(run, positive[k], i) >= 0, "%s, location %u: %s is negative",
                      run->trace, run->everybody->locations[i], positive[k]);
    }
    ck_assert_double_le(variable(run, "passed_wait", i), variable(run, "wait", i) + 1e-9);
    ck_assert_double_le(variable(run, "wrong_order", i),
                        variable(run, "late_sender", i) + 1e-12);
}

static void check_sums(const struct run *run)
{
    const uint32_t n = run->everybody->n;
    double waited = 0;
    double caused = 0;
    double delays = 0;
    double sent = 0;

    for (uint32_t i = 0; i < n; i++) {
        waited += variable(run, "wait", i);
        caused += variable(run, "caused", i);
        delays += variable(run, "delay", i);
        sent += variable(run, "sends", i);
    }
    ck_assert_msg(fabs(waited - caused) <= 1e-9 * (1 + waited), "%s: %.9g s and %.9g s",
                  run->trace, waited, caused);
    ck_assert_msg(fabs(waited - delays) <= 1e-9 * (1 + waited), "%s: %.9g s and %.9g s",
                  run->trace, waited, delays);
    ck_assert_double_eq(sent, run_variable(run, "messages"));
    ck_assert_double_le(n, run_variable(run, "locations"));
    ck_assert_double_le(run_variable(run, "processes"), run_variable(run, "locations"));
}

/* ---- all traces ------------------------------------------------------------------------------- */

/* Calls \p check for each trace that can be read. Returns their number. */
static unsigned for_each_trace(void (*check)(const struct mpl_events *events,
                                             const char *name, void *context,
                                             struct mpl_arena *own),
                               void *context)
{
    DIR *directory = opendir(traces_folder());
    unsigned n = 0;

    ck_assert_ptr_nonnull(directory);
    for (const struct dirent *entry = readdir(directory); entry != NULL;
         entry = readdir(directory)) {
        struct mpl_arena *own = mpl_arena_create();
        const char *path = mpl_arena_printf(own, "%s/%s", traces_folder(), entry->d_name);
        const struct mpl_events *events =
            entry->d_name[0] == '.' ? NULL : find_events_of_path(path, own);

        if (events != NULL) {
            check(events, entry->d_name, context, own);
            n++;
        }
        mpl_arena_destroy(own);
    }
    (void) closedir(directory);
    return n;
}

struct variables {
    const struct mpl_pattern *pattern;
    const struct mpl_metric_set *set;
    unsigned n_checked;
};

static void check_variables(const struct mpl_events *events, const char *name,
                            void *context, struct mpl_arena *own)
{
    struct variables *variables = context;
    const struct mpl_recognition *recognition;
    struct run run = { .trace = name, .set = variables->set };

    run.metrics =
        find_metrics(variables->set, variables->pattern, events, own, &recognition);
    if (run.metrics == NULL) {
        return; /* nobody calls MPI */
    }
    run.everybody = mpl_recognition_role(recognition, 0);
    for (uint32_t i = 0; i < run.everybody->n; i++) {
        check_location(&run, i);
    }
    check_sums(&run);
    variables->n_checked++;
}

START_TEST(parts_add_up_to_the_whole_on_every_trace)
{
    struct variables variables = { .pattern = pattern_of_variables(arena) };

    variables.set = set_of_pattern(variables.pattern, arena);
    ck_assert_uint_ge(for_each_trace(check_variables, &variables), 40);
    ck_assert_uint_ge(variables.n_checked, 40);
}
END_TEST

/* ---- the project's patterns ---------------------------------------------------------------------- */

/* Each value is a number, or it says why not; asked again it is the same. */
static void check_metric(struct mpl_metrics *metrics, const struct mpl_metric_set *set,
                         uint32_t metric, uint32_t location, const char *trace)
{
    const char *why = NULL;
    const char *again = NULL;
    const double value = mpl_metrics_value(metrics, metric, location, &why);
    const double same = mpl_metrics_value(metrics, metric, location, &again);

    ck_assert_msg(isnan(value) == (why != NULL), "%s: %s", trace,
                  mpl_metric_set_get(set, metric).name);
    ck_assert_msg(!isinf(value), "%s: %s", trace, mpl_metric_set_get(set, metric).name);
    ck_assert_mem_eq(&value, &same, sizeof value);
    ck_assert_ptr_eq(why, again);
}

static void check_patterns(const struct mpl_events *events, const char *name, void *context,
                           struct mpl_arena *own)
{
    const struct mpl_patterns *patterns = context;

    for (size_t p = 0; p < mpl_patterns_count(patterns); p++) {
        const struct mpl_pattern *pattern = mpl_patterns_get(patterns, p);
        const struct mpl_metric_set *set = set_of_pattern(pattern, own);
        const struct mpl_recognition *recognition;
        struct mpl_metrics *metrics = find_metrics(set, pattern, events, own, &recognition);
        const uint32_t n = metrics == NULL ? 0 : (uint32_t) mpl_metric_set_count(set);

        for (uint32_t k = n; k > 0; k--) {
            const uint32_t role = mpl_metric_set_get(set, k - 1).role;
            const struct mpl_role *of =
                role == MPL_NONE ? NULL : mpl_recognition_role(recognition, role);

            for (uint32_t i = 0; i < (of == NULL ? 1 : of->n); i++) {
                check_metric(metrics, set, k - 1, of == NULL ? MPL_NONE : of->locations[i],
                             name);
            }
        }
    }
}

START_TEST(metrics_of_all_patterns_are_numbers_or_say_why_not)
{
    const char *directories[] = { in_tree("patterns") };
    const struct mpl_patterns *patterns;
    struct mpl_lint *lint = mpl_lint_create(arena);

    ck_assert_int_eq(mpl_patterns_load(directories, 1, arena, lint, &patterns, NULL),
                     MPL_OK);
    ck_assert_uint_gt(mpl_patterns_count(patterns), 0);
    ck_assert_uint_ge(for_each_trace(check_patterns, (void *) patterns), 40);
}
END_TEST

int main(void)
{
    if (!traces_are_there("metrics of real traces")) {
        return 77;
    }

    Suite *suite = suite_create("metrics traces");
    TCase *t = add_case(suite, "traces", create_arena, destroy_arena);

    tcase_set_timeout(t, 300);
    tcase_add_test(t, parts_add_up_to_the_whole_on_every_trace);
    tcase_add_test(t, metrics_of_all_patterns_are_numbers_or_say_why_not);
    return run_suite(suite);
}
