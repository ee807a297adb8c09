/*
 * Why a finding is missing: conditions are read and matched again as CLIPS does, and the first one
 * that fails is shown with what comes nearest.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "infer_fixture.h"

/* A rule that fires when its conditions are met, and never asserts its finding. */
#define RULE(conditions) \
    "(deffunction MAIN::half (?x) (/ ?x 2))\n" \
    "(deffacts MAIN::given (role (run \"r1\") (pattern \"p\") (name \"worker\") " \
    "(location " \
    "\"1\"))" \
    " (finding (kind observation) (name seen) (run \"r1\") (locations \"1\" \"2\") (text " \
    "\"a \\\"b\")))\n" \
    "(defglobal MAIN\n  ;; What counts. 1.\n  ?*limit* = 0.5)\n" \
    "(defrule CAUSES::x \"Claim.\" (declare (salience 3)) ; x\n" conditions "\n =>\n" \
    " (if FALSE then (assert (finding (kind cause) (name x) (run \"r1\") (text " \
    "\"\")))))\n"

static void open_lab(const char *rule)
{
    lab_open(rule, NULL);
    lab_give_pattern("p");
    lab_give_metric("low", "1", 0.2);
    lab_give_metric("low", "2", 0.4);
    lab_give_metric("high", "", 3.0);
    ck_assert_int_eq(mpl_infer_run(lab_get()->infer, &lab_get()->err), MPL_OK);
}

static struct mpl_why *ask(const char *name)
{
    struct mpl_why *why = NULL;

    ck_assert_int_eq(
        mpl_why_not(lab_get()->infer, name, lab_get()->arena, &why, &lab_get()->err),
        MPL_OK);
    return why;
}

/** The first node of that kind, from top to bottom. */
static const struct mpl_why *find(const struct mpl_why *why, enum mpl_why_kind kind)
{
    for (; why != NULL; why = why->next) {
        const struct mpl_why *below = why->kind == kind ? why : find(why->first, kind);

        if (below != NULL) {
            return below;
        }
    }
    return NULL;
}

static const char *text_of(const struct mpl_why *why, enum mpl_why_kind kind)
{
    const struct mpl_why *node = find(why, kind);

    return node == NULL ? "(nothing)" : node->text;
}

/* ---- conditions that CLIPS finds met ------------------------------------------------------ */

static const char *const met[] = {
    "(pattern (run ?r) (name \"p\"))",
    "?f <- (pattern (name ?n&\"p\"|\"q\")) (test (eq (fact-slot-value ?f name) ?n))",
    "(metric (name \"low\") (value ?v&:(< ?v ?*limit*)) (location ?l&~\"1\"))",
    "(metric (name \"high\") (value ?v)) (test (and (> ?v ?*limit*) (= (half ?v) 1.5)))",
    "(metric (name \"low\") (location ?l)) (role (name \"worker\") (location ?l))",
    "(not (metric (name \"low\") (value ?v&:(> ?v 1.0))))",
    "(pattern (run ?r)) (not (metric (run ?r) (name ~\"low\"&~\"high\")))",
    "(or (finding (name unseen)) (finding (name seen) (kind observation)))",
    "(exists (metric (name \"low\")) (metric (name \"high\")))",
    "(forall (metric (name \"low\") (value ?v)) (test (< ?v 0.5)))",
    "(logical (pattern (run ?r)) (metric (run ?r) (name \"high\")))",
    "(not (and (metric (name \"low\") (location ?l)) (role (location ?l) (name "
    "\"boss\"))))",
    "(finding (name seen) (locations $?all)) (test (= (length$ ?all) 2))",
    "(finding (name seen) (locations $? ?l)) (metric (name \"low\") (location ?l))",
    "(finding (name seen) (locations ?l $?)) (test (eq ?l \"1\"))",
    "(metric (name \"low\") (value ?a)) (metric (name \"low\") (value =(* 2 ?a)))",
    "(finding (text \"a \\\"b\"))",
    "(finding (name seen) (text ?t)) (test (eq ?t \"a \\\"b\"))",
    "(metric (name \"high\")) (test (any-factp ((?f metric)) (eq ?f:name \"high\")))",
};

START_TEST(conditions_that_are_met_are_met_here_too)
{
    open_lab(mpl_arena_printf(lab_get()->arena, RULE("%s"), met[_i]));
    ck_assert_uint_eq(mpl_infer_firing_count(lab_get()->infer) > 0, true);

    const struct mpl_why *why = ask("x");
    const char *text = text_of(why, MPL_WHY_FAILED);

    ck_assert_msg(strncmp(text, "all conditions are met and the rule fired", 41) == 0,
                  "%s: %s", met[_i], text);
    ck_assert_ptr_null(find(why, MPL_WHY_NOTE));
}
END_TEST

/* ---- conditions that fail ------------------------------------------------------------------- */

static const struct {
    const char *conditions;
    const char *text;
} unmet[] = {
    { "(metric (name \"low\") (value ?v&:(> ?v ?*limit*)))",
      "low(2) is 0.400 s, the nearest; the rule needs low > 0.5 (?*limit*)" },
    { "(metric (name \"low\") (value ?v)) (test (> (* 2 ?v) 1.0))",
      "low(2) is 0.400 s, the nearest; the rule needs (2 * low) > 1.0" },
    { "(metric (name \"high\") (value ?v) (location \"3\"))",
      "high = 3.00 s has location (none); the rule needs 3" },
    { "(metric (name \"low\") (location ?l)) (role (name \"worker\") (location ?l) "
      "(run \"r2\"))",
      "role worker of p has run r1; the rule needs r2" },
    { "(pattern (run ?r)) (not (metric (run ?r) (name \"high\")))",
      "the rule keeps quiet because there is this: high = 3.00 s" },
    { "(pattern (name \"q\"))", "pattern q was not recognised in this run" },
    { "(metric (name \"other\"))",
      "other was not evaluated, because no rule has come to ask for it" },
    { "(finding (name unseen))", "there is no finding unseen" },
    { "(finding (kind cause) (name seen))",
      "finding seen has kind observation; the rule needs cause" },
    { "(capability (name \"init-finalize\"))", "there is no capability init-finalize" },
    { "(or (finding (name a)) (metric (name \"b\")))", "none of these is met:" },
    { "(exists (metric (name \"low\")) (metric (name \"none\")))",
      "not met together: (exists (metric (name \"low\")) (metric (name \"none\")))" },
    { "(forall (metric (name \"low\") (value ?v)) (test (< ?v 0.3)))",
      "the rule needs (forall (metric (name \"low\") (value ?v)) (test (< ?v 0.3)))" },
};

/* CLIPS is given a rule to find that out, and it alone goes again. */
START_TEST(rules_of_all_modules_are_still_there_behind_a_question)
{
    const struct mpl_slot unseen[] = {
        { .name = "kind", .kind = MPL_SLOT_SYMBOL, .text = "observation" },
        { .name = "name", .kind = MPL_SLOT_SYMBOL, .text = "unseen" },
        { .name = "run", .kind = MPL_SLOT_STRING, .text = "r1" },
        { .name = "text", .kind = MPL_SLOT_STRING, .text = "" },
    };

    open_lab(RULE("(pattern (run ?r)) (finding (name unseen))") "(defrule MAIN::y (finding "
                                                                "(name unseen)) => )");
    (void) ask("x");
    ck_assert_int_eq(mpl_infer_assert(lab_get()->infer, "finding", unseen, 4, NULL),
                     MPL_OK);
    ck_assert_int_eq(mpl_infer_run(lab_get()->infer, &lab_get()->err), MPL_OK);
    ck_assert_uint_eq(mpl_infer_firing_count(lab_get()->infer), 2);
}
END_TEST

START_TEST(what_exists_is_said_in_words)
{
    open_lab(RULE("(exists (metric (name \"high\") (value ?v)) (test (> ?v 1.0)))"
                  " (finding (name unseen))"));

    const char *text = text_of(ask("x"), MPL_WHY_MET);

    ck_assert_msg(strstr(text, "high = 3.00 s") != NULL && strstr(text, "exists") == NULL,
                  "%s", text);
}
END_TEST

/* Rules that need it are not even loaded. */
START_TEST(metric_that_no_pattern_has_is_named)
{
    static const struct mpl_given given[] = { { "pattern", "p" }, { "metric", "low" } };
    const struct mpl_infer_limits limits = { .given = given, .n_given = 2 };

    lab_open(RULE("(pattern (run ?r)) (metric (run ?r) (name \"other\"))"), &limits);
    lab_give_pattern("p");
    ck_assert_int_eq(mpl_infer_run(lab_get()->infer, &lab_get()->err), MPL_OK);
    ck_assert_str_eq(text_of(ask("x"), MPL_WHY_FAILED),
                     "no pattern of this run has a metric other");
}
END_TEST

START_TEST(first_condition_that_fails_is_told)
{
    open_lab(mpl_arena_printf(lab_get()->arena, RULE("%s"), unmet[_i].conditions));
    ck_assert_uint_eq(mpl_infer_firing_count(lab_get()->infer), 0);

    const struct mpl_why *failed = find(ask("x"), MPL_WHY_FAILED);

    ck_assert_ptr_nonnull(failed);
    ck_assert_str_eq(failed->text, unmet[_i].text);
    ck_assert_uint_eq(failed->place.line, 7);
}
END_TEST

START_TEST(missing_metric_leads_to_the_rule_that_asks_for_it)
{
    open_lab("(defrule SYMPTOMS::asks (pattern (run ?r) (name \"q\"))\n"
             "  (metric (run ?r) (pattern \"q\") (name \"deep\")) =>)\n"
             "(defrule CAUSES::x (metric (name \"deep\")) (pattern) =>\n"
             "  (assert (finding (kind cause) (name x) (run \"r1\") (text \"\"))))\n");

    const struct mpl_why *failed = find(ask("x"), MPL_WHY_FAILED);

    ck_assert_str_eq(text_of(failed->first, MPL_WHY_NOTE),
                     "SYMPTOMS::asks asks for it once its conditions before are met");
    ck_assert_uint_eq(failed->first->place.line, 1);
    ck_assert_str_eq(failed->next->text, "1 further condition not looked at");
}
END_TEST

START_TEST(rules_that_need_each_other_end)
{
    open_lab("(defrule CAUSES::x (finding (name y)) =>\n"
             "  (assert (finding (kind cause) (name x) (run \"r1\") (text \"\"))))\n"
             "(defrule CAUSES::y (finding (name x)) =>\n"
             "  (assert (finding (kind cause) (name y) (run \"r1\") (text \"\"))))\n");

    const struct mpl_why *y = find(ask("x"), MPL_WHY_FAILED)->first;

    ck_assert_str_eq(y->text, "CAUSES::y");
    ck_assert_str_eq(find(y, MPL_WHY_FAILED)->text, "there is no finding x");
}
END_TEST

/** The last node of that kind, from top to bottom. */
static const struct mpl_why *find_last(const struct mpl_why *why, enum mpl_why_kind kind)
{
    const struct mpl_why *last = NULL;

    for (; why != NULL; why = why->next) {
        const struct mpl_why *below = find_last(why->first, kind);

        last = below != NULL ? below : why->kind == kind ? why : last;
    }
    return last;
}

#define HELPER \
    "(deftemplate MAIN::late (slot location) (slot why (default a)))\n" \
    "(defglobal MAIN\n  ;; Less is low. 1.\n  ?*floor* = 0.125)\n" \
    "(deffunction MAIN::is-low (?v) (< ?v ?*floor*))\n" \
    "(defrule CAUSES::x \"Claim.\" (late (location ?l) (why b)) =>\n" \
    " (assert (finding (kind cause) (name x) (run \"r1\"))))\n" \
    "(defrule REFINE::other (late (location \"7\")) => (assert (late (location \"1\") " \
    "(why " \
    "c))))\n"

START_TEST(missing_helper_fact_leads_down_to_a_metric_and_its_threshold)
{
    open_lab(
        HELPER
        "(defrule REFINE::helps \"Helps.\" (metric (name \"low\") (location ?l) (value "
        "?v)) (test (is-low ?v)) => (assert (late (location ?l) (why b))))\n");

    const struct mpl_why *why = ask("x");
    const struct mpl_why *missing = find(why, MPL_WHY_FAILED);
    const struct mpl_why *rule = missing->first;

    ck_assert_str_eq(missing->text, "there is no late why b");
    ck_assert_str_eq(rule->text, "REFINE::helps");
    ck_assert_ptr_null(rule->next); /* The other one asserts (why c). */
    ck_assert_str_eq(text_of(rule->first, MPL_WHY_FAILED),
                     "low(1) is 0.200 s; the rule needs is-low(low)");
    ck_assert_str_eq(find_last(why, MPL_WHY_NOTE)->text,
                     "0.125 (?*floor*): Less is low. 1.");
}
END_TEST

START_TEST(helper_facts_that_need_each_other_end)
{
    open_lab(HELPER
             "(deftemplate MAIN::early (slot location))\n"
             "(defrule REFINE::a (early (location ?l)) => (assert (late (location ?l) (why "
             "b))))\n"
             "(defrule REFINE::b (late (location ?l) (why b)) => (assert (early (location "
             "?l))))\n");

    const struct mpl_why *last = find_last(ask("x"), MPL_WHY_RULE);

    ck_assert_str_eq(last->text, "REFINE::a");
    ck_assert_str_eq(last->says, "shown above");
}
END_TEST

START_TEST(helper_fact_that_no_rule_asserts_is_said)
{
    open_lab("(deftemplate MAIN::late (slot location))\n"
             "(defrule CAUSES::x (late) => (assert (finding (kind cause) (name x))))\n");
    ck_assert_str_eq(text_of(ask("x"), MPL_WHY_FAILED), "there is no late");
    ck_assert_str_eq(text_of(ask("x"), MPL_WHY_NOTE), "no rule asserts it");
}
END_TEST

START_TEST(unknown_name_has_a_suggestion)
{
    struct mpl_why *why = NULL;
    struct mpl_err *err = &lab_get()->err;

    open_lab("(defrule CAUSES::a (pattern) => (assert (finding (kind cause) (name "
             "slow-master) (run \"r1\") (text \"\"))))\n");
    ck_assert_int_eq(
        mpl_why_not(lab_get()->infer, "slow-mastr", lab_get()->arena, &why, err),
        MPL_E_USAGE);
    ck_assert_ptr_null(why);
}
END_TEST

START_TEST(rule_is_told_with_its_thresholds)
{
    struct mpl_why *rule = NULL;

    open_lab(RULE("(metric (name \"high\") (value ?v)) (test (>= ?v ?*limit*))"));
    ck_assert_int_eq(mpl_why_rule(lab_get()->infer, "CAUSES::x", lab_get()->arena, &rule,
                                  &lab_get()->err),
                     MPL_OK);
    ck_assert_str_eq(rule->text, "rule CAUSES::x");
    ck_assert_str_eq(rule->says, "Claim.");
    ck_assert_str_eq(rule->first->text, "needs high >= 0.5 (?*limit*)");
    ck_assert_str_eq(rule->first->first->text, "?*limit*: What counts. 1.");
}
END_TEST

START_TEST(answer_without_memory_is_an_error)
{
    struct mpl_why *why = NULL;
    enum mpl_status st = MPL_E_NOMEM;

    open_lab(RULE("(metric (name \"low\") (value ?v&:(> ?v ?*limit*)))"));
    for (long n = 0; fails_without_memory(n, st); n++) {
        struct mpl_arena *own = mpl_arena_create();

        mpl_alloc_fail_after(n);
        st = mpl_why_not(lab_get()->infer, "x", own, &why, &lab_get()->err);
        mpl_alloc_fail_after(-1);
        mpl_arena_destroy(own);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("infer: why not");
    TCase *tc = add_case(s, "why not", lab_create, lab_destroy);

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, conditions_that_are_met_are_met_here_too, 0,
                        sizeof met / sizeof met[0]);
    tcase_add_test(tc, rules_of_all_modules_are_still_there_behind_a_question);
    tcase_add_test(tc, what_exists_is_said_in_words);
    tcase_add_test(tc, metric_that_no_pattern_has_is_named);
    tcase_add_loop_test(tc, first_condition_that_fails_is_told, 0,
                        sizeof unmet / sizeof unmet[0]);
    tcase_add_test(tc, missing_metric_leads_to_the_rule_that_asks_for_it);
    tcase_add_test(tc, rules_that_need_each_other_end);
    tcase_add_test(tc, missing_helper_fact_leads_down_to_a_metric_and_its_threshold);
    tcase_add_test(tc, helper_facts_that_need_each_other_end);
    tcase_add_test(tc, helper_fact_that_no_rule_asserts_is_said);
    tcase_add_test(tc, unknown_name_has_a_suggestion);
    tcase_add_test(tc, rule_is_told_with_its_thresholds);
    tcase_add_test(tc, answer_without_memory_is_an_error);
    return run_suite(s);
}
