#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "formula_tree.h"
#include "metrics_fixture.h"

/* Twelve lines; the metrics begin in line 13. */
#define HEAD \
    "pattern: test\n" \
    "says: S.\n" \
    "roles:\n" \
    "  boss: {count: 1, where: 'rank == 0'}\n" \
    "  hand: {count: many}\n" \
    "events:\n" \
    "  Task:\n" \
    "    on: hand\n" \
    "    expression: work\n" \
    "    members: {work: {event: compute}}\n" \
    "    attributes: {time: {value: work.duration, unit: s}}\n" \
    "metrics:\n"

/* All messages, "line:column: text" each. */
static const char *faults_of(const struct mpl_pattern *pattern)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_metric_set *set = NULL;
    struct mpl_err err = { 0 };
    const enum mpl_status st = mpl_metric_set_create(pattern, arena, lint, &set, &err);
    const char *all = "";

    ck_assert_int_eq(st, mpl_lint_errors(lint) > 0 ? MPL_E_SYNTAX : MPL_OK);
    ck_assert_int_eq(err.code, st);
    ck_assert_int_eq((set != NULL), (st == MPL_OK));
    for (size_t i = 0; i < mpl_lint_count(lint); i++) {
        const struct mpl_lint_message *m = mpl_lint_get(lint, i);

        ck_assert_str_eq(m->place.file, "p.yaml");
        all = mpl_arena_printf(arena, "%s%u:%u: %s\n", all, m->place.line, m->place.column,
                               m->text);
    }
    return all;
}

static void check_messages(const char *metrics, const char *expected)
{
    const char *text = mpl_arena_printf(arena, "%s%s", HEAD, metrics);
    const char *found = faults_of(pattern_of_text(text, arena));

    ck_assert_str_eq(found, expected);
}

START_TEST(keys_are_checked)
{
    check_messages("  a: {per: run, valu: 1, unit: 1}\n",
                   "13:17: unknown key 'valu' in a metric; did you mean 'value'?\n"
                   "13:3: metric 'a' has no 'value'\n");
    check_messages("  a: {value: 1}\n", "13:3: metric 'a' has no 'per'\n"
                                        "13:3: metric 'a' has no 'unit'\n");
    check_messages("  a: {per: [run], value: {b: c}, unit: 1}\n",
                   "13:12: 'per' of a metric must be one text\n"
                   "13:26: 'value' of a metric must be one text\n");
    check_messages("  a: run.duration\n",
                   "13:6: metric 'a' must be a map with per, value and unit\n");
    check_messages(
        "  a.b: {per: run, value: 1, unit: 1}\n",
        "13:3: 'a.b' cannot name a metric: letters, digits and _, a letter first\n");
}
END_TEST

START_TEST(experiments_are_checked)
{
    static const char metric[] = "  a: {per: run, value: 1, unit: 1}\nexperiments:";

    check_messages(mpl_arena_printf(arena, "%s {level: 1}\n", metric),
                   "14:14: 'experiments' must be a list\n");
    check_messages(
        mpl_arena_printf(arena, "%s [x, {level: 1, purpose: P, metric: []}]\n", metric),
        "14:15: an experiment needs a 'level' from 1 to 9, a 'purpose' and a list "
        "of 'metrics'\n"
        "14:41: unknown key 'metric' in an experiment; did you mean 'metrics'?\n"
        "14:18: an experiment needs a 'level' from 1 to 9, a 'purpose' and a list "
        "of 'metrics'\n");
    check_messages(
        mpl_arena_printf(arena, "%s [{level: 0, purpose: P, metrics: [run.a]}]\n", metric),
        "14:15: an experiment needs a 'level' from 1 to 9, a 'purpose' and a list of "
        "'metrics'\n");
    check_messages(
        mpl_arena_printf(
            arena, "%s [{level: 1, purpose: P, metrics: [run.a, run.aa, [b]]}]\n", metric),
        "14:55: the pattern has no metric 'run.aa'; did you mean 'run.a'?\n"
        "14:63: the pattern has no metric ''\n");
}
END_TEST

START_TEST(roles_units_and_capabilities_are_checked)
{
    check_messages("  a: {per: hend, value: 1, unit: 1}\n",
                   "13:12: 'hend' is neither 'run' nor a role of the pattern; did you mean "
                   "'hand'?\n");
    check_messages("  a: {per: run, value: 1, unit: seconds}\n",
                   "13:33: 'seconds' is no unit; there are s, B, 1, 1/s, B/s, s/B\n");
    check_messages("  a: {per: run, value: run.duration, unit: ms}\n",
                   "13:44: metrics are in base units: 's', not 'ms'\n");
    check_messages(
        "  a: {per: run, value: 1, unit: 1, needs: [receive-completion, messages]}\n",
        "13:44: unknown capability 'receive-completion'; did you mean "
        "'receive-completions'?\n");
    check_messages("  a: {per: run, value: 1, unit: 1, needs: messages}\n",
                   "13:43: 'needs' of a metric is a list of capabilities\n");
    check_messages("  a: {per: run, value: 1, unit: 1, needs: [[messages]]}\n",
                   "13:44: 'needs' of a metric is a list of capabilities\n");
}
END_TEST

START_TEST(the_unit_must_be_that_of_the_formula)
{
    check_messages("  a: {per: run, value: run.duration, unit: 1}\n",
                   "13:44: metric 'a' is declared in 1, but its formula gives s\n");
    check_messages("  a: {per: hand, value: hand.sent_bytes / run.duration, unit: s}\n",
                   "13:63: metric 'a' is declared in s, but its formula gives B/s\n");
    check_messages("  a: {per: hand, value: hand.b + 1 s, unit: s}\n"
                   "  b: {per: hand, value: hand.sent_bytes, unit: B}\n",
                   "13:32: '+' needs equal units, not B and s\n");
}
END_TEST

START_TEST(a_number_that_is_the_same_for_all_of_a_role_gives_a_warning)
{
    static const char other[] =
        "pattern: test\nsays: S.\nroles:\n  hand: {count: many}\n  eye: {count: many}\n"
        "events:\n  Task:\n    on: hand\n    expression: work\n"
        "    members: {work: {event: compute}}\n"
        "    attributes:\n      who: {value: work.peer, unit: 1}\n"
        "metrics:\n"
        "  a: {per: eye, value: sum(Task.duration), unit: s}\n"
        "  b: {per: hand, value: sum(Task.duration), unit: s}\n"
        "  c: {per: eye, value: sum(Task.duration * (Task.who == eye.rank)), unit: s}\n"
        "  d: {per: run, value: sum(Task.duration), unit: s}\n"
        "  e: {per: eye, value: run.duration, unit: s}\n";

    ck_assert_str_eq(
        faults_of(pattern_of_text(other, arena)),
        "14:24: every 'eye' gets the same number, since 'Task' is on 'hand'; to split it, "
        "give 'Task' an attribute such as who: {value: take.peer, unit: 1} and write "
        "sum(Task.x * (Task.who == eye.rank))\n");
    check_messages("  a: {per: boss, value: sum(Task.time), unit: s}\n", "");
}
END_TEST

START_TEST(names_of_variables_are_taken)
{
    check_messages(
        "  wait: {per: hand, value: 1, unit: 1}\n",
        "13:3: 'hand.wait' is a variable already; give the metric another name\n");
    check_messages("  duration: {per: run, value: 1, unit: 1}\n",
                   "13:3: 'run.duration' is a variable already; give the metric another "
                   "name\n");
    /* The other way round there is no such variable. */
    check_messages("  wait: {per: run, value: 1, unit: 1}\n"
                   "  processes: {per: hand, value: 1, unit: 1}\n",
                   "");
}
END_TEST

START_TEST(unknown_names_come_with_a_suggestion)
{
    check_messages("  a: {per: run, value: run.durration, unit: s}\n",
                   "13:24: unknown name 'run.durration'; did you mean 'run.duration'?\n");
    check_messages("  a: {per: run, value: sum(hand.compte), unit: s}\n",
                   "13:28: unknown name 'hand.compte'; did you mean 'hand.compute'?\n");
    check_messages("  a: {per: run, value: sum(Task.tim), unit: s}\n",
                   "13:28: unknown name 'Task.tim'; did you mean 'Task.time'?\n");
    check_messages(
        "  a: {per: hand, value: hand.compute - mean(all.hand.conpute), unit: s}\n",
        "13:45: unknown name 'all.hand.conpute'; did you mean 'all.hand.compute'?\n");
    check_messages("  lost: {per: hand, value: 1, unit: 1}\n"
                   "  a: {per: run, value: run.lost + lost, unit: 1}\n",
                   "14:24: unknown name 'run.lost'; did you mean 'hand.lost'?\n"
                   "14:35: unknown name 'lost'; did you mean 'hand.lost'?\n");
    check_messages("  a: {per: run, value: 'all.run.duration + all.Task.time', unit: s}\n",
                   "13:25: unknown name 'all.run.duration'; did you mean 'run.duration'?\n"
                   "13:44: unknown name 'all.Task.time'; did you mean 'Task.time'?\n");
    check_messages("  a: {per: run, value: qwertz.uiop, unit: s}\n",
                   "13:24: unknown name 'qwertz.uiop'\n");
}
END_TEST

START_TEST(lists_and_single_values_depend_on_who_reads)
{
    check_messages(
        "  a: {per: run, value: hand.compute, unit: s}\n"
        "  b: {per: boss, value: hand.compute, unit: s}\n"
        "  c: {per: hand, value: hand.compute + boss.compute, unit: s}\n"
        "  d: {per: run, value: boss.compute, unit: s}\n"
        "  e: {per: boss, value: all.boss.compute, unit: s}\n"
        "  f: {per: hand, value: Task.time, unit: s}\n"
        "  g: {per: run, value: sum(hand.compute + Task.time), unit: s}\n",
        "13:24: 'hand.compute' is repeated; use it inside sum(), mean(), ...\n"
        "14:25: 'hand.compute' is repeated; use it inside sum(), mean(), ...\n"
        "17:25: 'all.boss.compute' is repeated; use it inside sum(), mean(), ...\n"
        "18:25: 'Task.time' is repeated; use it inside sum(), mean(), ...\n"
        "19:41: 'hand.compute' and 'Task.time' are lists of different things; "
        "aggregate each alone\n");
}
END_TEST

START_TEST(what_builds_on_a_faulty_metric_says_so_once)
{
    check_messages("  a: {per: hand, value: hand.compute, unit: sec}\n"
                   "  b: {per: hand, value: hand.a * 2, unit: s}\n"
                   "  c: {per: hand, value: hand.b, unit: s}\n",
                   "13:45: 'sec' is no unit; there are s, B, 1, 1/s, B/s, s/B\n"
                   "14:25: 'hand.a' cannot be used: its definition in line 13 is faulty\n");
}
END_TEST

START_TEST(circles_are_told_with_their_path)
{
    check_messages("  a: {per: run, value: run.a + 1, unit: 1}\n",
                   "13:24: metric 'a' depends on itself: run.a -> run.a\n");
    check_messages(
        "  a: {per: hand, value: hand.b, unit: s}\n"
        "  b: {per: hand, value: run.c + run.c, unit: s}\n"
        "  c: {per: run, value: sum(hand.a) + run.duration, unit: s}\n",
        "13:25: metric 'a' depends on itself: hand.a -> hand.b -> run.c -> hand.a\n");
    check_messages("  start: {per: run, value: run.x, unit: 1}\n"
                   "  x: {per: run, value: boss.y, unit: 1}\n"
                   "  y: {per: boss, value: sum(all.boss.y) + run.x, unit: 1}\n",
                   "14:24: metric 'x' depends on itself: run.x -> boss.y -> run.x\n"
                   "15:25: metric 'y' depends on itself: boss.y -> boss.y\n");
}
END_TEST

/* m0 <- m1 <- … in the order written or in the other one. */
static const struct mpl_pattern *chain(unsigned n, bool is_downward)
{
    char *text = malloc(80 * (size_t) n + 1000);
    size_t at = (size_t) sprintf(text, "%s", HEAD);

    for (unsigned i = 0; i < n; i++) {
        const unsigned k = is_downward ? n - 1 - i : i;

        at += (size_t) (k == 0 ? sprintf(text + at, "  m0: {per: run, value: 1, unit: 1}\n")
                               : sprintf(text + at,
                                         "  m%u: {per: run, value: run.m%u + 1, unit: 1}\n",
                                         k, k - 1));
    }

    const struct mpl_pattern *pattern = pattern_of_text(text, arena);

    free(text);
    return pattern;
}

START_TEST(chains_have_a_limit_in_either_order)
{
    const struct mpl_events *events =
        events_of_text("rank 0: send 0..1 to 1\nrank 1: recv 0..1 from 0\n", arena);

    for (int is_downward = 0; is_downward < 2; is_downward++) {
        const struct mpl_pattern *pattern = chain(1000, is_downward);
        const struct mpl_metric_set *set = set_of_pattern(pattern, arena);
        struct mpl_metrics *metrics = find_metrics(set, pattern, events, arena, NULL);

        ck_assert_double_eq(value_by_name(metrics, set, "run.m999", MPL_NONE, NULL), 1000);
        ck_assert_ptr_nonnull(
            strstr(faults_of(chain(1001, is_downward)),
                   "metrics build on each other over more than 1000 levels"));
        ck_assert_ptr_nonnull(
            strstr(faults_of(chain(20000, is_downward)),
                   "metrics build on each other over more than 1000 levels"));
    }
}
END_TEST

/* ---- random dependencies ---------------------------------------------------------------------- */

enum { MOST_METRICS = 9 };

struct graph {
    unsigned n;
    bool reads[MOST_METRICS][MOST_METRICS];
    bool reaches[MOST_METRICS][MOST_METRICS];
};

static void make_graph(struct graph *graph, uint64_t *state)
{
    graph->n = 2 + tree_random(state, MOST_METRICS - 1);
    for (unsigned i = 0; i < graph->n; i++) {
        for (unsigned k = 0; k < graph->n; k++) {
            /* Mostly downward, so that about half of the graphs have no circle. */
            graph->reads[i][k] =
                k < i ? tree_random(state, 3) == 0 : tree_random(state, 6 * graph->n) == 0;
            graph->reaches[i][k] = graph->reads[i][k];
        }
    }
    for (unsigned via = 0; via < graph->n; via++) {
        for (unsigned i = 0; i < graph->n; i++) {
            for (unsigned k = 0; k < graph->n; k++) {
                graph->reaches[i][k] |= graph->reaches[i][via] && graph->reaches[via][k];
            }
        }
    }
}

static bool has_circle(const struct graph *graph)
{
    for (unsigned i = 0; i < graph->n; i++) {
        if (graph->reaches[i][i]) {
            return true;
        }
    }
    return false;
}

/* One thing that metric \p i reads. Even metrics are of the run, odd ones of the two hands. */
static const char *print_term(unsigned i, unsigned k)
{
    if (k % 2 == 0) {
        return mpl_arena_printf(arena, " + run.m%u", k);
    }
    return i % 2 == 0 ? mpl_arena_printf(arena, " + sum(hand.m%u)", k)
                      : mpl_arena_printf(arena, " + hand.m%u", k);
}

/* Each metric is 1 + what it reads. */
static const char *print_graph(const struct graph *graph)
{
    const char *text = HEAD;

    for (unsigned i = 0; i < graph->n; i++) {
        text = mpl_arena_printf(arena, "%s  m%u: {per: %s, unit: 1, value: 1", text, i,
                                i % 2 == 0 ? "run" : "hand");
        for (unsigned k = 0; k < graph->n; k++) {
            text = graph->reads[i][k]
                       ? mpl_arena_printf(arena, "%s%s", text, print_term(i, k))
                       : text;
        }
        text = mpl_arena_printf(arena, "%s}\n", text);
    }
    return text;
}

static double value_in_graph(const struct graph *graph, unsigned metric)
{
    double value = 1;

    for (unsigned k = 0; k < graph->n; k++) {
        if (graph->reads[metric][k]) {
            const bool is_sum = metric % 2 == 0 && k % 2 == 1;

            value += (is_sum ? 2 : 1) * value_in_graph(graph, k);
        }
    }
    return value;
}

START_TEST(circles_are_found_exactly_where_there_are_some)
{
    uint64_t state = (uint64_t) _i;
    struct graph graph;

    make_graph(&graph, &state);

    const struct mpl_pattern *pattern = pattern_of_text(print_graph(&graph), arena);

    if (has_circle(&graph)) {
        ck_assert_msg(strstr(faults_of(pattern), "depends on itself") != NULL, "seed %d",
                      _i);
        return;
    }

    /* Both ranks are hands, and the first one is the boss as well. */
    const struct mpl_events *events =
        events_of_text("rank 0: send 0..1 to 1\nrank 1: recv 0..1 from 0\n", arena);
    const struct mpl_metric_set *set = set_of_pattern(pattern, arena);
    struct mpl_metrics *metrics = find_metrics(set, pattern, events, arena, NULL);

    for (unsigned i = graph.n; i > 0; i--) {
        const bool is_of_run = (i - 1) % 2 == 0;
        const char *name =
            mpl_arena_printf(arena, "%s.m%u", is_of_run ? "run" : "hand", i - 1);
        const double found =
            value_by_name(metrics, set, name, is_of_run ? MPL_NONE : i / 2 % 2, NULL);

        ck_assert_msg(found == value_in_graph(&graph, i - 1), "seed %d: %s is %g", _i, name,
                      found);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("metrics faults");
    TCase *faults = add_case(suite, "faults", create_arena, destroy_arena);

    tcase_set_timeout(faults, 60);
    tcase_add_test(faults, keys_are_checked);
    tcase_add_test(faults, experiments_are_checked);
    tcase_add_test(faults, roles_units_and_capabilities_are_checked);
    tcase_add_test(faults, the_unit_must_be_that_of_the_formula);
    tcase_add_test(faults, a_number_that_is_the_same_for_all_of_a_role_gives_a_warning);
    tcase_add_test(faults, names_of_variables_are_taken);
    tcase_add_test(faults, unknown_names_come_with_a_suggestion);
    tcase_add_test(faults, lists_and_single_values_depend_on_who_reads);
    tcase_add_test(faults, what_builds_on_a_faulty_metric_says_so_once);
    tcase_add_test(faults, circles_are_told_with_their_path);
    tcase_add_test(faults, chains_have_a_limit_in_either_order);
    tcase_add_loop_test(faults, circles_are_found_exactly_where_there_are_some, 0, 300);
    return run_suite(suite);
}
