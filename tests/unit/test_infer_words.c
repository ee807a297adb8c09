/* The functions that word findings, and rule tests as data. */
#include "config.h"

#include <check.h>
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

/* ---- words ------------------------------------------------------------------------------------ */

struct wording {
    const char *call;
    const char *text;
};

static const struct wording wordings[] = {
    { "(text \"nothing\")", "nothing" },
    { "(text \"{} {} {}\" 1 2.5 abc)", "1 2.5 abc" },
    { "(text \"{}\" 0.30000000000000004)", "0.3" },
    { "(text \"{s}\" 0.00312)", "3.12 ms" },
    { "(text \"{s}\" 0)", "0 s" },
    { "(text \"{%}\" 0.3426)", "34.3 %" },
    { "(text \"{n} {n}\" 1234567 -1234.4)", "1,234,567 -1,234" },
    { "(text \"{.2} {.0} {.9}\" 3.14159 2.5 1)", "3.14 2 1.000000000" },
    { "(text \"{{}\")", "{}" },
    { "(text \"a } {{ b {}\" \"x\")", "a } { b x" },
    { "(text \"ranks {}\" (create$ \"1\" \"2\" \"5\"))", "ranks 1, 2 and 5" },
    { "(text (str-cat \"{\" \"}!\") 5)", "5!" },
    { "(seconds 1.5e-6)", "1.50 us" },
    { "(percent 1)", "100.0 %" },
    { "(count 40000)", "40,000" },
    { "(plural 1 \"message\")", "1 message" },
    { "(plural 2000 \"message\")", "2,000 messages" },
    { "(plural 0 \"process\" \"processes\")", "0 processes" },
    { "(join-words)", "" },
    { "(join-words \"a\")", "a" },
    { "(join-words (create$ \"a\" b) 3)", "a, b and 3" },
    { "(location-list (create$ \"1\" \"2\" \"3\" \"4\" \"5\" \"6\" \"7\"))", "1 to 7" },
    { "(location-list \"7\" \"10\" \"9\" \"3\" \"8\" \"7\")", "3 and 7 to 10" },
    { "(location-list \"1\" \"2\")", "1 and 2" },
    { "(location-list 1 3 5 7 9 11 13 15 17)", "1, 3, 5 and 6 others" },
    { "(location-list 1 3 5 7 9 11 13 15 17 18 19)", "1, 3, 5 and 8 others" },
    { "(location-list 1 3 5 7 9 11 13 15)", "1, 3, 5, 7, 9, 11, 13 and 15" },
    { "(location-list \"0.1\" \"0\" \"0.2\" \"0.3\" \"1.4\")", "0, 0.1 to 0.3 and 1.4" },
    { "(location-list \"GPU\" \"2\")", "2 and GPU" },
    { "(location-list \"99999999999\" \"999999999\")", "999999999 and 99999999999" },
    { "(str-cat a \"b\" 1 2.0)", "ab12.0" },
    { "(sym-cat (sym-cat x 1) y)", "x1y" },
    { "(implode$ (create$ a \"b c\" 1))", "a \"b c\" 1" },
    { "(nth$ 3 (create$ a (create$ b c)))", "c" },
    { "(div 17 2 3)", "2" },
    { "(mod -7 3)", "-1" },
    { "(mod 7.5 2)", "1.5" },
};

START_TEST(function_words_its_values)
{
    const char *text = mpl_arena_printf(lab_get()->arena,
                                        "(defrule ADVISE::a (pattern) => (assert (finding "
                                        "(kind cause) (text (str-cat %s)))))",
                                        wordings[_i].call);

    lab_open(text, NULL);
    lab_give_pattern("p");
    run();
    ck_assert_str_eq(finding(0)->text, wordings[_i].text);
}
END_TEST

/* ---- metrics by what they are of --------------------------------------------------------------- */

/* A hundred locations, whose values come in no order; of some the fact is withdrawn again. */
static const char many[] =
    "(defrule SYMPTOMS::give (pattern (run ?r) (id ?p)) =>"
    " (loop-for-count (?i 1 100)"
    "  (assert (metric (run ?r) (pattern ?p) (name \"a.x\") (location (str-cat ?i))"
    "                  (value (float (mod (* ?i 37) 50))) (rank ?i) (of 100)))"
    "  (assert (metric (run ?r) (pattern ?p) (name \"a.y\") (location (str-cat ?i))"
    "                  (value (float ?i)))))"
    " (assert (metric (run ?r) (pattern ?p) (name \"a.x\") (location \"\") (value 7.0))))"
    "(defrule REFINE::take (pattern) ?m <- (metric (name \"a.x\") (location ?l)"
    "  (value ?v&:(= 0 (mod (integer ?v) 7)))) (test (neq ?l \"\")) => (retract ?m))"
    "(deffunction MAIN::looked-up (?r ?p ?name ?location)"
    " (bind ?value -1.0)"
    " (do-for-all-facts ((?m metric)) (and (eq ?m:run ?r) (eq ?m:pattern ?p) (eq ?m:name "
    "?name)"
    "   (eq ?m:location ?location)) (bind ?value ?m:value)) ?value)"
    "(deffunction MAIN::wrong-values (?r ?p ?name)"
    " (bind ?n 0)"
    " (loop-for-count (?i 0 101)"
    "  (bind ?l (if (= ?i 0) then \"\" else (str-cat ?i)))"
    "  (if (neq (metric-value ?r ?p ?name ?l -1) (looked-up ?r ?p ?name ?l)) then"
    "   (bind ?n (+ ?n 1)))) ?n)"
    "(deffunction MAIN::wrong-order (?r ?p ?name)"
    " (bind ?labels (metric-locations ?r ?p ?name)) (bind ?values (metric-values ?r ?p "
    "?name))"
    " (bind ?n 0)"
    " (loop-for-count (?i 1 (length$ ?labels))"
    "  (if (or (neq (nth$ ?i ?values) (looked-up ?r ?p ?name (nth$ ?i ?labels)))"
    "          (and (> ?i 1) (< (nth$ (- ?i 1) ?values) (nth$ ?i ?values)))) then"
    "   (bind ?n (+ ?n 1)))) ?n)"
    "(defrule ADVISE::a (pattern (run ?r) (id ?p)) => (assert (finding (kind cause) (text "
    "(str-cat %s)))))";

static const struct wording of_metrics[] = {
    { "(wrong-values ?r ?p \"a.x\")", "0" },
    { "(wrong-order ?r ?p \"a.x\")", "0" },
    { "(wrong-order ?r ?p \"a.y\")", "0" },
    { "(length$ (metric-values ?r ?p \"a.x\"))", "84" }, /* 2 of each value, 8 by 7 */
    { "(nth$ 1 (metric-locations ?r ?p \"a.y\"))", "100" },
    { "(metric-value ?r ?p \"a.x\" \"\" -1)", "7.0" },
    { "(metric-value ?r ?p \"a.z\" \"1\" -1)", "-1.0" },
    { "(metric-value \"other\" ?p \"a.y\" \"1\" 3.5)", "3.5" },
    { "(length$ (metric-locations ?r ?p \"a.z\"))", "0" },
    { "(median-of ?r ?p \"a.z\")", "0.0" },
    { "(how-many-from (create$ 9 7 7 3) 7)", "3" },
    { "(how-many-from (create$ 9 7 7 3) 10)", "0" },
    { "(how-many-from (create$ 9 7 7 3) 1)", "4" },
    { "(how-many-from (create$) 1)", "0" },
    { "(join-words (locations-from ?r ?p \"a.y\" 98.5))", "100 and 99" },
    { "(sum-of ?r ?p \"a.y\" (create$ \"3\" \"4\" \"none\"))", "7.0" },
};

START_TEST(metrics_are_found_by_what_they_are_of)
{
    lab_open(mpl_arena_printf(lab_get()->arena, many, of_metrics[_i].call), NULL);
    for (int i = 0; i < 2; i++) { /* and again in an environment that was used */
        lab_give_pattern("p");
        run();
        ck_assert_str_eq(finding(0)->text, of_metrics[_i].text);
        ck_assert_int_eq(
            mpl_infer_renew(lab_get()->rules, NULL, &lab_get()->infer, &lab_get()->err),
            MPL_OK);
    }
}
END_TEST

START_TEST(median_is_that_of_the_ranks)
{
    for (int n = 1; n <= 4; n++) {
        const double medians[] = { 1.0, 1.5, 2.0, 2.5 };

        lab_open(mpl_arena_printf(
                     lab_get()->arena,
                     "(defrule ADVISE::a (pattern (run ?r) (id ?p)) =>"
                     " (loop-for-count (?i 1 %d) (assert (metric (run ?r) (pattern ?p)"
                     "  (name \"a.x\") (location (str-cat ?i)) (value (float ?i)) (rank "
                     "?i) (of %d))))"
                     " (assert (finding (kind cause) (lost (median-of ?r ?p \"a.x\")))))",
                     n, n),
                 NULL);
        lab_give_pattern("p");
        run();
        ck_assert_double_eq(finding(0)->lost_s, medians[n - 1]);
        mpl_infer_destroy(lab_get()->infer);
        lab_get()->infer = NULL;
    }
}
END_TEST

/* ---- what is wrong ------------------------------------------------------------------------- */

static const struct wording failures[] = {
    { "(str-cat (metric-value \"r\" \"p\" \"a.x\" (any 1) 0))",
      "Function metric-value expected argument #4 to be of type string" },
    { "(str-cat (nth$ 1 (metric-values \"r\" \"p\" (any a.x))))",
      "Function metric-values expected argument #3 to be of type string" },
    { "(text (str-cat \"{}\") 1 2)", "text: more values than placeholders" },
    { "(text (str-cat \"{}{}\") 1)", "text: fewer values than placeholders" },
    { "(text (str-cat \"{q}\") 1)",
      "text: a placeholder is none of {} {s} {%} {n} {.0} to {.9}" },
    { "(text (str-cat \"{s\") 1)",
      "text: a placeholder is none of {} {s} {%} {n} {.0} to {.9}" },
    { "(text \"{s}\" abc)", "text: {s} needs a number" },
    { "(text \"{n}\" (create$ 1 2))", "text: {n} needs a number" },
    { "(text \"{}\" (/ 1 0))", "Attempt to divide by zero in / function" },
    { "(str-cat (div -9223372036854775808 -1))",
      "the result of a division does not fit into an integer" },
    { "(str-cat (mod (- 0 9223372036854775807 1) -1))",
      "the result of a division does not fit into an integer" },
    { "(str-cat (div 1 (- 1 1)))", "Attempt to divide by zero" },
    { "(str-cat (mod 1 0.0))", "Attempt to divide by zero" },
    { "(str-cat (div (* 10 1e308) -1))",
      "a float is too large for a division of integers" },
    { "(str-cat a (create$ 1 2))", "str-cat takes texts and numbers, no lists" },
    { "(seconds (any abc))",
      "Function seconds expected argument #1 to be of type integer or "
      "float" },
};

START_TEST(function_that_cannot_word_its_values_ends_the_rule_with_a_reason)
{
    const char *text = mpl_arena_printf(
        lab_get()->arena,
        "(deffunction MAIN::any (?x) ?x)"
        "(defrule ADVISE::a (pattern) => (assert (finding (kind cause) (text %s))))",
        failures[_i].call);

    lab_open(text, NULL);
    lab_give_pattern("p");
    ck_assert_int_eq(mpl_infer_run(lab_get()->infer, &lab_get()->err), MPL_OK);
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 0);
    ck_assert_uint_eq(mpl_infer_error_count(lab_get()->infer), 1);
    ck_assert_str_eq(mpl_infer_error(lab_get()->infer, 0)->text,
                     mpl_arena_printf(lab_get()->arena,
                                      "rule 'ADVISE::a' (lines 1 to 1) failed: %s",
                                      failures[_i].text));
}
END_TEST

/* ---- rule tests ------------------------------------------------------------------------------ */

static const char tree[] =
    "(defrule SYMPTOMS::low \"Low.\"\n"
    " (logical (metric (run ?r) (name \"efficiency\") (value ?v&:(< ?v 0.8)))) =>\n"
    " (assert (finding (kind symptom) (name low) (run ?r))))\n"
    "(defrule CAUSES::why (logical (finding (name low) (run ?r))\n"
    "   (metric (run ?r) (pattern \"p\") (name \"wait\") (location ?l) (value ?w))) (role "
    "(location ?l)) "
    "=>\n"
    " (assert (finding (kind cause) (name waits) (run ?r) (locations ?l) (lost ?w))))\n";

static enum mpl_status test_rules(const char *cases, size_t *n)
{
    lab_get()->err = (struct mpl_err){ 0 };
    return mpl_rules_test(lab_get()->rules, "t.test.clp", cases, strlen(cases),
                          lab_get()->arena, lab_get()->lint, n, &lab_get()->err);
}

START_TEST(rule_test_passes_where_all_comes_as_expected)
{
    size_t n = 0;

    ck_assert_int_eq(lab_parse(tree), MPL_OK);
    ck_assert_msg(
        test_rules("; first a symptom, then its cause\n"
                   "(case \"a low efficiency is asked about\"\n"
                   " (given (metric (run \"r1\") (name \"efficiency\") (value 0.5)))\n"
                   " (expect (finding (name low) (kind symptom) (because \"efficiency\"))\n"
                   "         (need (metric \"wait\") (pattern \"p\") (run \"r1\")))\n"
                   " (given (metric (run \"r1\") (pattern \"p\") (name \"wait\") (location "
                   "\"3\") (value 0.25))\n"
                   "        (role (location \"3\")))\n"
                   " (expect (finding (name low))\n"
                   "         (finding (name waits) (locations \"3\") (lost 0.25) (rule "
                   "CAUSES::why) (because low \"wait\" role))))\n"
                   "(case \"a high one is not\"\n"
                   " (given (metric (run \"r1\") (name \"efficiency\") (value 0.9)))\n"
                   " (expect))",
                   &n) == MPL_OK,
        "%s", lab_message(0));
    ck_assert_uint_eq(n, 2);
}
END_TEST

START_TEST(rule_test_takes_short_forms_of_what_is_given)
{
    static const char rule[] =
        "(defrule SYMPTOMS::all \"All.\"\n"
        " (logical (metric (run ?r) (pattern ?p) (name ?n) (location ?l) (value ?v)\n"
        "                  (rank ?k) (of ?of))) =>\n"
        " (assert (finding (kind observation) (name seen) (run ?r) (pattern ?p)\n"
        "   (text (str-cat ?n \" \" ?l \" \" ?v \" \" ?k \" of \" ?of)))))\n";
    size_t n = 0;

    ck_assert_int_eq(lab_parse(rule), MPL_OK);
    ck_assert_msg(
        test_rules(
            "(case \"values and ranks\"\n"
            " (given (metrics (pattern \"p\") a 1.5 b (\"x\" 1.0 \"y\" 2.0 \"z\" 1.0)))\n"
            " (expect (finding (text \"a  1.5 0 of 0\") (run \"r1\") (pattern \"p\"))\n"
            "         (finding (text \"b x 1.0 2 of 3\")) (finding (text \"b y 2.0 1 of "
            "3\"))\n"
            "         (finding (text \"b z 1.0 3 of 3\"))))\n"
            "(case \"others in their place, and one less\"\n"
            " (given (like \"values and ranks\") (without (metric (location \"x\")))\n"
            "        (metrics (pattern \"p\") a 2.5) (metrics (run \"r2\") (pattern \"p\") "
            "a 3.5))\n"
            " (expect (finding (text \"a  2.5 0 of 0\")) (finding (text \"a  3.5 0 of 0\") "
            "(run \"r2\"))\n"
            "         (finding (text \"b y 2.0 1 of 3\")) (finding (text \"b z 1.0 3 of "
            "3\"))))\n"
            "(case \"like one that is like another one\"\n"
            " (given (like \"others in their place, and one less\") (without (metric (name "
            "\"b\"))))\n"
            " (expect (finding (text \"a  2.5 0 of 0\")) (finding (text \"a  3.5 0 of "
            "0\"))))",
            &n) == MPL_OK,
        "%s", lab_message(0));
    ck_assert_uint_eq(n, 3);
}
END_TEST

#define LOW "(case \"c\" (given (metric (name \"efficiency\") (value 0.5)))\n "

static const struct wording wrong_cases[] = {
    { LOW "(expect))",
      "t.test.clp:2: rule SYMPTOMS::low also finds symptom 'low':  (case \"c\")" },
    { LOW "(expect\n (finding (name high))))",
      "t.test.clp:3: there is no such finding (case \"c\")" },
    { LOW "(expect (finding (name low))\n (finding (name low))))",
      "t.test.clp:3: there is no such finding (case \"c\")" },
    { LOW "(expect (finding (name low) (because \"x\"))))",
      "t.test.clp:2: there is no such finding, but low rests on other reasons (case "
      "\"c\")" },
    { LOW "(expect (finding (name low) (lost 1.0))))",
      "t.test.clp:2: there is no such finding, but low has no lost (case \"c\")" },
    { LOW "(expect (finding (name low) (confidence 0.9x))))",
      "t.test.clp:2: there is no such finding, but low has confidence 0.9 (case \"c\")" },
    { LOW "(expect (finding (name low) (confidence \"\"))))",
      "t.test.clp:2: there is no such finding, but low has confidence 0.9 (case \"c\")" },
    { "(case \"c\"\n (given (role (location \"\001\"))) (expect))",
      "t.test.clp:2: control character 0x01 in the text" },
    { LOW "(expect (finding (name low)) (need (metric \"x\"))))",
      "t.test.clp:2: there is no such need (case \"c\")" },
    { LOW "(expect (finding (nam low))))",
      "t.test.clp:2: unknown slot 'nam'; did you mean 'name'?" },
    { LOW ")",
      "t.test.clp:1: a case ends with (expect …), or it tests nothing (case \"c\")" },
    { "(case \"c\" (given (metric (value 1))) (expect))",
      "t.test.clp:1: slot 'value' of 'metric': an integer is not of type FLOAT; write it "
      "with a point, as 8.0 (case \"c\")" },
    { "(case \"c\" (given (metric (value 1)))\n (expect (finding (name low))))",
      "t.test.clp:1: slot 'value' of 'metric': an integer is not of type FLOAT; write it "
      "with a point, as 8.0 (case \"c\")" },
    { "(case \"c\" (given (metrc (value 1.0))) (expect))",
      "t.test.clp:1: there is no deftemplate 'metrc'; did you mean 'metric'? (case "
      "\"c\")" },
    { "(case \"c\" (given (like \"c\")) (expect))",
      "t.test.clp:1: there is no such case before" },
    { "(case \"c\" (given (like c)) (expect))",
      "t.test.clp:1: (like \"title of an earlier case\") is expected" },
    { LOW "(expect (finding (name low))))\n"
          "(case \"d\" (given (like \"c\") (without (role))) (expect))",
      "t.test.clp:3: no case that this one is like has such a fact" },
    { "(case \"c\" (given (metrics a 1.0)) (expect))",
      "t.test.clp:1: metrics name their (pattern \"…\")" },
    { "(case \"c\" (given (metrics (pattern) a 1.0)) (expect))",
      "t.test.clp:1: a slot such as (pattern \"p\") is expected" },
    { "(case \"c\" (given (metrics (pattern \"p\") a (\"1\"))) (expect))",
      "t.test.clp:1: a metric has a value, run.lost 4.0, or one per location, "
      "worker.tasks (\"1\" 12.0 \"2\" 7.0)" },
    { "(case \"c\" (given (metrics (pattern \"p\") a)) (expect))",
      "t.test.clp:1: a metric has a value, run.lost 4.0, or one per location, "
      "worker.tasks (\"1\" 12.0 \"2\" 7.0)" },
    { "(case \"c\" (given (metrics (pattern \"p\") a 1)) (expect))",
      "t.test.clp:1: slot 'value' of 'metric': an integer is not of type FLOAT; write it "
      "with a point, as 8.0 (case \"c\")" },
    { "(case \"c\" (gven) (expect))",
      "t.test.clp:1: (given …) or (expect …) is expected (case \"c\")" },
    { "(case (expect))",
      "t.test.clp:1: a case such as (case \"why\" (given …) (expect …)) is "
      "expected" },
    { "(case \"c\" (expect)\n", "t.test.clp:1: the form that begins here is never closed" },
    { "(case \"c", "t.test.clp:1: only lists, words and closed strings are expected here" },
    { ")", "t.test.clp:1: this parenthesis closes nothing" },
};

START_TEST(rule_test_says_what_came_otherwise)
{
    size_t n = 0;

    ck_assert_int_eq(lab_parse(tree), MPL_OK);
    ck_assert_int_eq(test_rules(wrong_cases[_i].call, &n), MPL_E_SYNTAX);
    if (strstr(wrong_cases[_i].text, "point, as 8.0") != NULL) {
        /* What is not found for want of the fact is no mistake of its own. */
        ck_assert_uint_eq(mpl_lint_errors(lab_get()->lint), 1);
    }
    lab_expect_message(wrong_cases[_i].text);
}
END_TEST

static TCase *words_and_tests(void)
{
    TCase *tc = tcase_create("words");

    tcase_add_checked_fixture(tc, lab_create, lab_destroy);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, function_words_its_values, 0,
                        sizeof wordings / sizeof wordings[0]);
    tcase_add_loop_test(tc, metrics_are_found_by_what_they_are_of, 0,
                        sizeof of_metrics / sizeof of_metrics[0]);
    tcase_add_test(tc, median_is_that_of_the_ranks);
    tcase_add_loop_test(tc,
                        function_that_cannot_word_its_values_ends_the_rule_with_a_reason, 0,
                        sizeof failures / sizeof failures[0]);
    tcase_add_test(tc, rule_test_passes_where_all_comes_as_expected);
    tcase_add_test(tc, rule_test_takes_short_forms_of_what_is_given);
    tcase_add_loop_test(tc, rule_test_says_what_came_otherwise, 0,
                        sizeof wrong_cases / sizeof wrong_cases[0]);
    return tc;
}

int main(void)
{
    Suite *s = suite_create("infer_words");

    suite_add_tcase(s, words_and_tests());
    return run_suite(s);
}
