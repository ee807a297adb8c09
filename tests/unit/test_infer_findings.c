/* What is concluded, why, and what becomes of it. */
#include "config.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "../lib/suite.h"
#include "infer_fixture.h"

static void run(void)
{
    ck_assert_msg(mpl_infer_run(lab_get()->infer, &lab_get()->err) == MPL_OK, "%s",
                  lab_get()->err.cause[0].text);
    ck_assert_msg(mpl_infer_error_count(lab_get()->infer) == 0, "%s",
                  mpl_infer_error_count(lab_get()->infer) == 0
                      ? ""
                      : mpl_infer_error(lab_get()->infer, 0)->text);
}

static const struct mpl_finding *finding(size_t i)
{
    ck_assert_uint_lt(i, mpl_infer_finding_count(lab_get()->infer));
    return mpl_infer_finding(lab_get()->infer, i);
}

static const struct mpl_finding *finding_named(const char *name)
{
    for (size_t i = 0; i < mpl_infer_finding_count(lab_get()->infer); i++) {
        if (strcmp(finding(i)->name, name) == 0) {
            return finding(i);
        }
    }
    return NULL;
}

/* ---- asserting ------------------------------------------------------------------------ */

struct refused {
    const char *template;
    struct mpl_slot slot;
    const char *why;
};

static const struct refused refused[] = {
    { "metrik",
      { .name = "run", .kind = MPL_SLOT_STRING, .text = "r" },
      "there is no deftemplate 'metrik'; did you mean 'metric'?" },
    { "metric",
      { .name = "runn", .kind = MPL_SLOT_STRING, .text = "r" },
      "deftemplate 'metric' has no slot 'runn'; did you mean 'run'?" },
    { "metric",
      { .name = "run", .kind = MPL_SLOT_SYMBOL, .text = "r" },
      "slot 'run' of 'metric': the symbol r is not of type STRING" },
    { "metric",
      { .name = "value", .kind = MPL_SLOT_INTEGER, .integer = 3 },
      "slot 'value' of 'metric': an integer is not of type FLOAT; write it with a point, "
      "as "
      "8.0" },
    { "metric",
      { .name = "rank", .kind = MPL_SLOT_FLOAT, .number = 3 },
      "slot 'rank' of 'metric': the float 3 is not of type INTEGER" },
    { "metric",
      { .name = "value", .kind = MPL_SLOT_FLOAT, .number = NAN },
      "slot 'value' of 'metric': a number is not finite; assert nothing where a value is "
      "undefined" },
    { "metric",
      { .name = "value", .kind = MPL_SLOT_FLOAT, .number = INFINITY },
      "slot 'value' of 'metric': a number is not finite; assert nothing where a value is "
      "undefined" },
    { "metric",
      { .name = "run", .kind = MPL_SLOT_STRING, .text = NULL },
      "slot 'run' of 'metric' has no value" },
    { "finding",
      { .name = "kind", .kind = MPL_SLOT_SYMBOL, .text = "bogus" },
      "slot 'kind' of 'finding': the symbol bogus is none of symptom, observation, cause" },
    { "finding",
      { .name = "confidence", .kind = MPL_SLOT_FLOAT, .number = 1.5 },
      "slot 'confidence' of 'finding': the float 1.5 is outside of 0 to 1" },
    { "measure",
      { .name = "level", .kind = MPL_SLOT_INTEGER, .integer = 0 },
      "slot 'level' of 'measure': the integer 0 is outside of 1 to 9" },
};

START_TEST(fact_that_does_not_fit_is_refused_before_it_exists)
{
    struct mpl_err err = { 0 };

    lab_open(
        "(defrule CAUSES::any (or (metric) (measure)) => (assert (finding (kind cause))))",
        NULL);
    ck_assert_int_eq(mpl_infer_assert(lab_get()->infer, refused[_i].template,
                                      &refused[_i].slot, 1, &err),
                     MPL_E_MEANING);
    ck_assert_str_eq(err.cause[0].text, refused[_i].why);
    run();
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 0);
}
END_TEST

START_TEST(slot_may_be_named_twice_only_where_it_takes_a_list)
{
    const struct mpl_slot list[] = {
        { .name = "locations", .kind = MPL_SLOT_STRING, .text = "1" },
        { .name = "kind", .kind = MPL_SLOT_SYMBOL, .text = "cause" },
        { .name = "locations", .kind = MPL_SLOT_STRING, .text = "2" },
    };
    const struct mpl_slot twice[] = { list[1], list[1] };
    struct mpl_err err = { 0 };

    lab_open(
        "(defrule ADVISE::a (finding (kind cause) (locations ?a ?b)) => (assert (finding "
        "(kind observation) (locations ?b ?a))))",
        NULL);
    ck_assert_int_eq(mpl_infer_assert(lab_get()->infer, "finding", list, 3, &err), MPL_OK);
    ck_assert_int_eq(mpl_infer_assert(lab_get()->infer, "finding", twice, 2, &err),
                     MPL_E_MEANING);
    ck_assert_str_eq(err.cause[0].text, "slot 'kind' of 'finding' takes one value");
    run();
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 1);
    ck_assert_str_eq(finding(0)->locations[0], "2");
    ck_assert_str_eq(finding(0)->locations[1], "1");
}
END_TEST

START_TEST(numbers_are_rounded_to_six_digits_and_duplicates_are_no_error)
{
    lab_open(
        "(defrule CAUSES::a (metric (value ?v)) => (assert (finding (kind cause) (lost "
        "?v))))",
        NULL);
    lab_give_metric("m", "", 0.12345678);
    lab_give_metric("m", "", 0.12345681);
    lab_give_metric("m", "", -0.0);
    lab_give_metric("m", "", 0.0);
    run();
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 2);
    ck_assert_double_eq(finding(0)->lost_s + finding(1)->lost_s, 0.123457);
}
END_TEST

/* ---- findings ---------------------------------------------------------------------------- */

START_TEST(thresholds_of_rules_can_be_asked_for)
{
    lab_open("(defglobal MAIN ?*heavy* = 1.25)", NULL);
    ck_assert_double_eq(mpl_infer_threshold(lab_get()->infer, "heavy"), 1.25);
    ck_assert(isnan(mpl_infer_threshold(lab_get()->infer, "no-such-thing")));
}
END_TEST

START_TEST(finding_carries_all_that_its_rule_says)
{
    lab_open(
        "\n(defrule CAUSES::a \"The claim.\" (pattern (run ?r)) =>"
        " (assert (finding (kind cause) (name x) (run ?r) (pattern \"p\") (locations \"1\" "
        "\"2\") (culprits \"0\") (lost 1.5) (share 0.5) (gain 0.25) (confidence 0.75) "
        "(level "
        "3) (text \"words\") (remedy \"do\") (where \"Life.work\") (functions-of \"0\")"
        " (calls-of \"1\" \"2\") (all-clear yes))))",
        NULL);
    lab_give_pattern("p");
    run();

    const struct mpl_finding *f = finding(0);

    ck_assert_str_eq(f->kind, "cause");
    ck_assert_str_eq(f->name, "x");
    ck_assert_str_eq(f->run, "r1");
    ck_assert_str_eq(f->pattern, "p");
    ck_assert_uint_eq(f->n_locations, 2);
    ck_assert_str_eq(f->locations[1], "2");
    ck_assert_uint_eq(f->n_culprits, 1);
    ck_assert_str_eq(f->culprits[0], "0");
    ck_assert_double_eq(f->lost_s, 1.5);
    ck_assert_double_eq(f->share_of_lost, 0.5);
    ck_assert_double_eq(f->gain_s, 0.25);
    ck_assert_double_eq(f->confidence, 0.75);
    ck_assert_int_eq(f->level, 3);
    ck_assert_str_eq(f->text, "words");
    ck_assert_str_eq(f->remedy, "do");
    ck_assert_uint_eq(f->n_where, 1);
    ck_assert_str_eq(f->where[0], "Life.work");
    ck_assert_str_eq(f->functions_of[0], "0");
    ck_assert_uint_eq(f->n_calls_of, 2);
    ck_assert_str_eq(f->calls_of[1], "2");
    ck_assert(f->is_all_clear);
    ck_assert(!f->is_healthy);
    ck_assert_str_eq(f->rule, "CAUSES::a");
    ck_assert_str_eq(f->rule_says, "The claim.");
}
END_TEST

START_TEST(what_a_rule_does_not_say_is_absent_and_not_zero)
{
    lab_open("(defrule CAUSES::a (pattern) => (assert (finding (kind observation) (healthy "
             "yes))))",
             NULL);
    lab_give_pattern("p");
    run();
    ck_assert(isnan(finding(0)->lost_s));
    ck_assert(isnan(finding(0)->share_of_lost));
    ck_assert(isnan(finding(0)->gain_s));
    ck_assert_ptr_null(finding(0)->remedy);
    ck_assert_uint_eq(finding(0)->n_locations, 0);
    ck_assert(finding(0)->is_healthy);
}
END_TEST

START_TEST(equal_findings_are_one_and_different_slots_make_two)
{
    lab_open(
        "(defrule CAUSES::a (pattern) => (assert (finding (kind cause) (name x))))"
        "(defrule CAUSES::b (pattern) => (assert (finding (kind cause) (name x))))"
        "(defrule CAUSES::c (pattern) => (assert (finding (kind cause) (name x) (via c))))",
        NULL);
    lab_give_pattern("p");
    run();
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 2);
    ck_assert_uint_eq(mpl_infer_firing_count(lab_get()->infer), 3);
}
END_TEST

START_TEST(phases_fire_in_their_order_whatever_the_order_of_facts)
{
    static const char *const order[] = { "SYMPTOMS::e", "REFINE::d", "CAUSES::c",
                                         "ADVISE::b", "MAIN::a" };

    lab_open(
        "(defrule a (pattern) =>) (defrule ADVISE::b (pattern) =>) (defrule CAUSES::c "
        "(pattern) =>) (defrule REFINE::d (pattern) =>) (defrule SYMPTOMS::e (pattern) =>)",
        NULL);
    lab_give_pattern("p");
    run();
    ck_assert_uint_eq(mpl_infer_firing_count(lab_get()->infer), 5);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_str_eq(mpl_infer_firing(lab_get()->infer, i).rule, order[i]);
    }
}
END_TEST

START_TEST(fact_for_an_earlier_phase_is_matched_in_the_same_run)
{
    lab_open(
        "(defrule SYMPTOMS::late (finding (name x)) => (assert (finding (kind symptom) "
        "(name "
        "y))))"
        "(defrule ADVISE::early (pattern) => (assert (finding (kind cause) (name x))))",
        NULL);
    lab_give_pattern("p");
    run();
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 2);
    ck_assert_uint_eq(mpl_infer_firing(lab_get()->infer, 0).n_facts, 1);
}
END_TEST

/* ---- reasons -------------------------------------------------------------------------------- */

static const char tree[] =
    "(defrule SYMPTOMS::low \"Low.\"\n"
    " (logical (metric (run ?r) (name \"efficiency\") (value ?v&:(< ?v 0.8)))) =>\n"
    " (assert (finding (kind symptom) (name low) (run ?r))))\n"
    "(defrule CAUSES::why (logical (finding (name low) (run ?r))\n"
    "   (metric (run ?r) (name \"wait\") (location ?l) (value ?w))) (role (location ?l)) "
    "=>\n"
    " (assert (finding (kind cause) (name waits) (run ?r) (locations ?l) (lost ?w))))\n";

static void give_role(void)
{
    const struct mpl_slot slots[] = {
        { .name = "name", .kind = MPL_SLOT_STRING, .text = "worker" },
        { .name = "location", .kind = MPL_SLOT_STRING, .text = "3" },
    };

    ck_assert_int_eq(mpl_infer_assert(lab_get()->infer, "role", slots, 2, NULL), MPL_OK);
}

START_TEST(cause_rests_on_all_three_kinds_of_facts)
{
    lab_open(tree, NULL);
    give_role();
    lab_give_metric("efficiency", "", 0.5);
    run();
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 1);
    lab_give_metric("wait", "3", 1.25);
    run();
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 2);

    const struct mpl_reason *because = finding(1)->because;

    ck_assert_uint_eq(finding(1)->n_because, 3);
    ck_assert_int_eq(because[0].kind, MPL_REASON_FINDING);
    ck_assert_uint_eq(because[0].finding, 0);
    ck_assert_int_eq(because[1].kind, MPL_REASON_METRIC);
    ck_assert_str_eq(because[1].metric, "wait");
    ck_assert_str_eq(because[1].location, "3");
    ck_assert_double_eq(because[1].value, 1.25);
    ck_assert_str_eq(because[1].unit, "s");
    ck_assert_int_eq(because[2].kind, MPL_REASON_OTHER);
    ck_assert_str_eq(because[2].template, "role");
    ck_assert_str_eq(because[2].text,
                     "(role (run \"\") (pattern \"\") (name \"worker\") (location \"3\"))");
}
END_TEST

START_TEST(withdrawn_metric_takes_findings_with_it)
{
    const char *text = mpl_arena_printf(lab_get()->arena,
                                        "%s(defrule MAIN::undo ?m <- (metric (name "
                                        "\"efficiency\")) (pattern (name \"undo\"))"
                                        " => (retract ?m))"
                                        "(defrule SYMPTOMS::stays (pattern (name \"p\")) "
                                        "=> (assert (finding (kind observation)"
                                        " (name stays))))",
                                        tree);

    lab_open(text, NULL);
    give_role();
    lab_give_metric("efficiency", "", 0.5);
    lab_give_metric("wait", "3", 1.25);
    lab_give_pattern("p");
    run();
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 3);
    lab_give_pattern("undo");
    run();
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 1);
    ck_assert_str_eq(finding(0)->name, "stays");
}
END_TEST

START_TEST(reason_that_is_withdrawn_is_cited_as_text)
{
    lab_open(
        "(defrule SYMPTOMS::a (logical (pattern (name \"p\"))) => (assert (finding (kind "
        "symptom) (name a))))"
        "(defrule REFINE::b (finding (name a)) => (assert (finding (kind cause) (name b))))"
        "(defrule MAIN::undo ?p <- (pattern (name \"p\")) (finding (name b)) => (retract "
        "?p))",
        NULL);
    lab_give_pattern("p");
    run();
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 1);
    ck_assert_str_eq(finding(0)->name, "b");
    ck_assert_uint_eq(finding(0)->n_because, 1);
    ck_assert_int_eq(finding(0)->because[0].kind, MPL_REASON_OTHER);
    ck_assert_ptr_nonnull(
        strstr(finding(0)->because[0].text, "(finding (kind symptom) (name a)"));
}
END_TEST

START_TEST(indices_of_reasons_follow_when_findings_before_them_go)
{
    lab_open(
        "(defrule SYMPTOMS::a (logical (pattern (name \"p\"))) => (assert (finding (kind "
        "symptom) (name a))))"
        "(defrule REFINE::b (metric) => (assert (finding (kind cause) (name b))))"
        "(defrule CAUSES::c (finding (name b)) => (assert (finding (kind cause) (name c))))"
        "(defrule MAIN::undo ?p <- (pattern (name \"p\")) (pattern (name \"undo\")) => "
        "(retract ?p))",
        NULL);
    lab_give_pattern("p");
    lab_give_metric("m", "", 1.0);
    run();
    ck_assert_str_eq(finding(finding_named("c")->because[0].finding)->name, "b");
    ck_assert_uint_eq(finding_named("c")->because[0].finding, 1);
    lab_give_pattern("undo");
    run();
    ck_assert_ptr_null(finding_named("a"));
    ck_assert_str_eq(finding(finding_named("c")->because[0].finding)->name, "b");
    ck_assert_uint_eq(finding_named("c")->because[0].finding, 0);
}
END_TEST

START_TEST(rule_that_retracts_what_it_matched_can_still_be_explained)
{
    lab_open(
        "(defrule CAUSES::a ?m <- (metric (name \"x\")) => (retract ?m) (assert (finding "
        "(kind cause) (name a))))",
        NULL);
    lab_give_metric("x", "7", 0.5);
    run();
    ck_assert_uint_eq(finding(0)->n_because, 1);
    ck_assert_str_eq(finding(0)->because[0].metric, "x");
    ck_assert_str_eq(finding(0)->because[0].location, "7");
}
END_TEST

START_TEST(modified_finding_replaces_the_old_one_and_rests_on_it)
{
    lab_open("(defrule CAUSES::a (pattern) => (assert (finding (kind cause) (name a) "
             "(confidence "
             "0.5))))"
             "(defrule ADVISE::b ?f <- (finding (name a) (confidence 0.5)) (quality) => "
             "(modify ?f "
             "(confidence 0.25)))",
             NULL);
    lab_give_pattern("p");
    ck_assert_int_eq(mpl_infer_assert(lab_get()->infer, "quality", NULL, 0, NULL), MPL_OK);
    run();
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 1);
    ck_assert_double_eq(finding(0)->confidence, 0.25);
    ck_assert_str_eq(finding(0)->rule, "ADVISE::b");
    ck_assert_uint_eq(finding(0)->n_because, 2);
    ck_assert_str_eq(finding(0)->because[1].template, "quality");
}
END_TEST

START_TEST(negated_conditions_alone_give_a_reason_all_the_same)
{
    lab_open(
        "(defrule CAUSES::a (not (pattern)) => (assert (finding (kind cause) (name a))))"
        "(defrule CAUSES::b (exists (metric)) => (assert (finding (kind cause) (name b))))",
        NULL);
    lab_give_metric("x", "7", 0.5);
    run();
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 2);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(finding(i)->n_because, 1);
        ck_assert_str_eq(finding(i)->because[0].text,
                         "the rule's conditions name no single fact");
    }
}
END_TEST

START_TEST(facts_between_patterns_that_are_negated_are_all_cited)
{
    lab_open(
        "(defrule CAUSES::a (metric (name \"x\")) (not (finding (name nothing))) (pattern) "
        "=> (assert (finding (kind cause) (name a))))",
        NULL);
    lab_give_metric("x", "7", 0.5);
    lab_give_pattern("p");
    run();
    ck_assert_uint_eq(finding(0)->n_because, 2);
    ck_assert_str_eq(finding(0)->because[1].template, "pattern");
}
END_TEST

static TCase *facts_and_findings(void)
{
    TCase *tc = tcase_create("findings");

    tcase_add_checked_fixture(tc, lab_create, lab_destroy);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, fact_that_does_not_fit_is_refused_before_it_exists, 0,
                        sizeof refused / sizeof refused[0]);
    tcase_add_test(tc, slot_may_be_named_twice_only_where_it_takes_a_list);
    tcase_add_test(tc, numbers_are_rounded_to_six_digits_and_duplicates_are_no_error);
    tcase_add_test(tc, thresholds_of_rules_can_be_asked_for);
    tcase_add_test(tc, finding_carries_all_that_its_rule_says);
    tcase_add_test(tc, what_a_rule_does_not_say_is_absent_and_not_zero);
    tcase_add_test(tc, equal_findings_are_one_and_different_slots_make_two);
    tcase_add_test(tc, phases_fire_in_their_order_whatever_the_order_of_facts);
    tcase_add_test(tc, fact_for_an_earlier_phase_is_matched_in_the_same_run);
    return tc;
}

/* ---- rules that cannot fire --------------------------------------------------------------------------- */

static const struct {
    const char *conditions;
    bool is_loaded;
} choices[] = {
    { "(pattern (run ?r) (name \"a\"))", true },
    { "(pattern (name \"b\") (run ?r))", false },
    { "?f <- (pattern (run ?r) (name \"b\") (id ?p))", false },
    { "(pattern (run ?r) (name \"a\")) (pattern (run ?r) (name \"b\"))", false },
    { "(pattern (run ?r) (name \"ab\" | \"b\"))", true },
    { "(pattern (run ?r) (name ~\"a\"))", true },
    { "(pattern (run ?r) (name \"b\" & ~\"a\"))", true },
    { "(pattern (run ?r) (name ?n&:(eq ?n \"b\")))", true },
    { "(pattern (run ?r) (name \"\\b\"))", true },
    { "(pattern (run ?r) (name \"a\")) (exists (pattern (name \"b\")))", true },
    { "(or (pattern (run ?r) (name \"b\")) (pattern (run ?r) (name \"c\")))", true },
    { "(pattern (run ?r)) (not (nested))", true },
    { "(pattern (run ?r)) (scaling)", false },
    { "(pattern (run ?r)) (refined (name said))", true },
    { "(pattern (run ?r)) (refined (name called))", true },
    { "(pattern (run ?r)) (refined (name unsaid))", false },
    { "(pattern (run ?r)) (refined (name ?n))", true },
    { "(pattern (run ?r)) (settled (loss waiting))", false },
    { "(pattern (run ?r)) (metric (name \"a.said\"))", true },
    { "(pattern (run ?r)) (unknown (name \"a.said\"))", true },
    { "(pattern (run ?r)) (metric (name \"a.unsaid\"))", false },
    { "(pattern (run ?r)) (metric (name ?n))", true },
    { "(pattern (run ?r)) (role (name \"any\"))", true },
    { "(pattern (run ?r)) (not (metric (name \"a.b\")))", true },
    { "(pattern (run ?r)) (metric (value ?v&:(refines ?v)))", true },
};

/* What is not written, but follows. */
static const char choosing[] =
    "(deffunction MAIN::refine (?n) (assert (refined (name ?n))) (assert (refined (name "
    "called))))"
    "(deffunction MAIN::refines (?n) (> ?n 0))"
    "(deffunction MAIN::not-called () (assert (settled (loss waiting)) (refined (name "
    "unsaid))))"
    "(defrule SYMPTOMS::says (pattern (name \"a\")) => (refine said))"
    "(defrule SYMPTOMS::silent (pattern (name \"b\")) => (assert (settled (loss waiting))"
    " (refined (name unsaid))))";

/* Facts that let it fire are there all the same, so that what fires was loaded. */
static void give_everything(void)
{
    static const char *const metrics[] = { "a.said", "a.unsaid" };

    lab_give_pattern("a");
    lab_give_pattern("b");
    for (size_t i = 0; i < 2; i++) {
        const struct mpl_slot metric[] = {
            { .name = "name", .kind = MPL_SLOT_STRING, .text = metrics[i] },
            { .name = "value", .kind = MPL_SLOT_FLOAT, .number = 1 }
        };

        ck_assert_int_eq(mpl_infer_assert(lab_get()->infer, "metric", metric, 2, NULL),
                         MPL_OK);
        ck_assert_int_eq(mpl_infer_assert(lab_get()->infer, "unknown", metric, 1, NULL),
                         MPL_OK);
    }
    for (size_t i = 0; i < 3; i++) {
        static const char *const names[] = { "said", "called", "unsaid" };
        const struct mpl_slot refined = { .name = "name",
                                          .kind = MPL_SLOT_SYMBOL,
                                          .text = names[i] };

        ck_assert_int_eq(mpl_infer_assert(lab_get()->infer, "refined", &refined, 1, NULL),
                         MPL_OK);
    }
    const struct mpl_slot role = { .name = "name", .kind = MPL_SLOT_STRING, .text = "any" };

    ck_assert_int_eq(mpl_infer_assert(lab_get()->infer, "role", &role, 1, NULL), MPL_OK);

    const struct mpl_slot loss = { .name = "loss",
                                   .kind = MPL_SLOT_SYMBOL,
                                   .text = "waiting" };

    ck_assert_int_eq(mpl_infer_assert(lab_get()->infer, "settled", &loss, 1, NULL), MPL_OK);
    ck_assert_int_eq(mpl_infer_assert(lab_get()->infer, "scaling", NULL, 0, NULL), MPL_OK);
}

START_TEST(rules_that_cannot_fire_are_left_out)
{
    static const struct mpl_given given[] = { { "pattern", "a" },
                                              { "metric", "a.said" },
                                              { "unknown", "a.said" },
                                              { "role", NULL } };
    const struct mpl_infer_limits limits = { .given = given, .n_given = 4 };

    lab_open(mpl_arena_printf(lab_get()->arena,
                              "%s (defrule CAUSES::a %s =>"
                              " (assert (finding (kind cause) (name x) (run ?r))))",
                              choosing, choices[_i].conditions),
             &limits);
    for (int i = 0; i < 2; i++) { /* and when it is loaded without a check */
        give_everything();
        run();
        ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer) > 0,
                          choices[_i].is_loaded);
        mpl_infer_destroy(lab_get()->infer);
        lab_get()->infer = NULL;
        ck_assert_int_eq(
            mpl_infer_renew(lab_get()->rules, &limits, &lab_get()->infer, &lab_get()->err),
            MPL_OK);
    }
}
END_TEST

static TCase *reasons(void)
{
    TCase *tc = tcase_create("reasons");

    tcase_add_checked_fixture(tc, lab_create, lab_destroy);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, cause_rests_on_all_three_kinds_of_facts);
    tcase_add_test(tc, withdrawn_metric_takes_findings_with_it);
    tcase_add_test(tc, reason_that_is_withdrawn_is_cited_as_text);
    tcase_add_test(tc, indices_of_reasons_follow_when_findings_before_them_go);
    tcase_add_test(tc, rule_that_retracts_what_it_matched_can_still_be_explained);
    tcase_add_test(tc, modified_finding_replaces_the_old_one_and_rests_on_it);
    tcase_add_test(tc, negated_conditions_alone_give_a_reason_all_the_same);
    tcase_add_test(tc, facts_between_patterns_that_are_negated_are_all_cited);
    tcase_add_loop_test(tc, rules_that_cannot_fire_are_left_out, 0,
                        sizeof choices / sizeof choices[0]);
    return tc;
}

int main(void)
{
    Suite *s = suite_create("infer_findings");

    suite_add_tcase(s, facts_and_findings());
    suite_add_tcase(s, reasons());
    return run_suite(s);
}
