#include "config.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "../lib/suite.h"
#include "infer_fixture.h"

/* Which metrics conditions ask for, and when. */

static void give(const char *template, const char *const *names, const char *const *texts,
                 size_t n)
{
    struct mpl_slot slots[6];

    for (size_t i = 0; i < n; i++) {
        slots[i] = (struct mpl_slot){ .name = names[i],
                                      .kind = MPL_SLOT_STRING,
                                      .text = texts[i] };
    }
    ck_assert_int_eq(mpl_infer_assert(lab_get()->infer, template, slots, n, NULL), MPL_OK);
}

static void give_pattern(const char *run, const char *name, const char *id)
{
    static const char *const names[] = { "run", "name", "id" };
    const char *const texts[] = { run, name, id };

    give("pattern", names, texts, 3);
}

static void give_metric(const char *run, const char *pattern, const char *name,
                        double value)
{
    const struct mpl_slot slots[] = {
        { .name = "run", .kind = MPL_SLOT_STRING, .text = run },
        { .name = "pattern", .kind = MPL_SLOT_STRING, .text = pattern },
        { .name = "name", .kind = MPL_SLOT_STRING, .text = name },
        { .name = "value", .kind = MPL_SLOT_FLOAT, .number = value },
    };

    ck_assert_int_eq(mpl_infer_assert(lab_get()->infer, "metric", slots, 4, NULL), MPL_OK);
}

static void note_asked(void *context, const char *run, const char *pattern,
                       const char *metric)
{
    const char **all = context;
    const char *one = mpl_arena_printf(lab_get()->arena, "%s %s %s", run, pattern, metric);

    if (strstr(*all, one) == NULL) {
        *all = mpl_arena_printf(lab_get()->arena, "%s%s%s", *all, **all != '\0' ? "; " : "",
                                one);
    }
}

/* "r1 ring@a run.x; …": what is asked for after one more run. */
static const char *asked(void)
{
    const char *all = "";

    ck_assert_int_eq(mpl_infer_run(lab_get()->infer, NULL), MPL_OK);
    ck_assert(mpl_infer_ask(lab_get()->infer, note_asked, &all));
    return all;
}

static void open_rule(const char *conditions)
{
    lab_open(mpl_arena_printf(lab_get()->arena,
                              "(deftemplate MAIN::mark (slot run))"
                              "(deftemplate MAIN::tagged (slot run) (slot pattern))"
                              "(deftemplate MAIN::listed (slot run) (multislot patterns))"
                              "(deffacts MAIN::odd (tagged (run \"r1\") (pattern 7))"
                              " (listed (run \"r1\") (patterns \"ring\")))"
                              "(defrule CAUSES::x %s => (assert (mark (run 1))))",
                              conditions),
             NULL);
}

#define RING          "(pattern (run ?r) (name \"ring\") (id ?p)) "
#define ABOUT(metric) "(metric (run ?r) (pattern ?p) (name \"" metric "\") (value ?v)) "

/* Of two rings in r1 and a farm in r2. */
static const struct {
    const char *conditions;
    const char *asked;
} turns[] = {
    { RING ABOUT("run.x"), "r1 ring run.x; r1 ring@a run.x" },
    { RING ABOUT("run.x") "(metric (run ?r) (pattern ?p) (name \"run.y\"))",
      "r1 ring run.x; r1 ring@a run.x" },
    { "(logical " RING ABOUT("run.x") ")", "r1 ring run.x; r1 ring@a run.x" },
    { RING "(exists " ABOUT("run.x") ")", "r1 ring run.x; r1 ring@a run.x" },
    { RING "(metric (run ?r) (pattern ?p) (name \"run.x\" | \"run.y\"))",
      "r1 ring run.x; r1 ring@a run.x; r1 ring run.y; r1 ring@a run.y" },
    { RING "(metric (run ?r) (pattern ?p) (name ~\"run.x\"))", "" },
    { RING "(metric (run ?r) (pattern \"farm\") (name \"run.x\"))", "r1 farm run.x" },
    { "(metric (run \"r1\") (pattern \"ring\") (name \"run.x\")) " RING, "" },
    { RING "(metric (run \"r2\") (pattern \"farm\") (name \"run.x\"))", "r2 farm run.x" },
    { "(test (> 2 1)) " RING ABOUT("run.x"), "r1 ring run.x; r1 ring@a run.x" },
    { "(not (halt)) " RING ABOUT("run.x"), "r1 ring run.x; r1 ring@a run.x" },
    { "(not (pattern (name \"farm\"))) " RING ABOUT("run.x"), "" },
    { "(exists (pattern (name \"farm\")) (pattern (name \"ring\"))) " RING ABOUT("run.x"),
      "r1 ring run.x; r1 ring@a run.x" },
    { RING "(not (metric (run ?r) (pattern ?p) (name \"run.x\")))", "" },
    { RING "(or " ABOUT("run.x") "(halt))", "" },
    { RING "(or (halt) (test (> 2 1))) " ABOUT("run.x"), "" },
    { RING ABOUT("run.x") "(or (halt) (test (> 2 1)))", "r1 ring run.x; r1 ring@a run.x" },
    { RING "(not (or (halt) (halted))) " ABOUT("run.x"), "" },
    { RING "(not (test (< 2 1))) " ABOUT("run.x"), "" },
    { RING "(not (and (halt) (halted))) " ABOUT("run.x"),
      "r1 ring run.x; r1 ring@a run.x" },
    { "(logical (test (> 2 1)) " RING ") " ABOUT("run.x"),
      "r1 ring run.x; r1 ring@a run.x" },
    { "(tagged (run ?r) (pattern ?p)) " ABOUT("run.x"), "" },
    { "(listed (run ?r) (patterns ?p)) " ABOUT("run.x"), "" },
    { "(metric (run ?r) (pattern ?p) (name \"run.x\")) " RING, "" },
    { "(pattern (name \"ring\") (id ?p)) (metric (run ?r) (pattern ?p) (name \"run.x\"))",
      "" },
    { "(pattern (run ?r) (name \"tree\") (id ?p)) " ABOUT("run.x"), "" },
    { RING "(test (eq ?p \"ring\")) " ABOUT("run.x"), "r1 ring run.x" },
};

static void give_patterns(void)
{
    give_pattern("r1", "ring", "ring");
    give_pattern("r1", "ring", "ring@a");
    give_pattern("r2", "farm", "farm");
}

START_TEST(a_condition_asks_when_those_before_it_are_met)
{
    open_rule(turns[_i].conditions);
    give_patterns();
    ck_assert_str_eq(asked(), turns[_i].asked);
    ck_assert_str_eq(asked(), turns[_i].asked);
}
END_TEST

START_TEST(what_is_behind_a_value_waits_for_it)
{
    open_rule(RING "(metric (run ?r) (pattern ?p) (name \"run.x\") (value ?v&:(> ?v 1.0))) "
                   "(metric (run ?r) (pattern ?p) (name \"run.y\"))");
    give_patterns();
    ck_assert_str_eq(asked(), "r1 ring run.x; r1 ring@a run.x");
    give_metric("r1", "ring", "run.x", 0.5);
    give_metric("r1", "ring@a", "run.x", 1.5);
    ck_assert_str_eq(asked(), "r1 ring run.x; r1 ring@a run.x; r1 ring@a run.y");
}
END_TEST

START_TEST(another_diagnosis_asks_anew)
{
    open_rule(RING ABOUT("run.x"));
    give_patterns();
    (void) asked();
    ck_assert_int_eq(mpl_infer_renew(lab_get()->rules, NULL, &lab_get()->infer, NULL),
                     MPL_OK);
    ck_assert_str_eq(asked(), "");
    give_pattern("r1", "ring", "ring");
    ck_assert_str_eq(asked(), "r1 ring run.x");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("infer: metrics that conditions ask for");
    TCase *tc = tcase_create("needs");

    tcase_add_checked_fixture(tc, lab_create, lab_destroy);
    tcase_add_loop_test(tc, a_condition_asks_when_those_before_it_are_met, 0,
                        sizeof turns / sizeof turns[0]);
    tcase_add_test(tc, what_is_behind_a_value_waits_for_it);
    tcase_add_test(tc, another_diagnosis_asks_anew);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
