/* Variables, globals and values that a rule may not use there, and where it does so. */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "../lib/suite.h"
#include "infer_fixture.h"

static const struct {
    const char *text;
    const char *message;
} faults[] = {
    { "(deffacts f (metric (value nil)))",
      "t.clp:1: slot 'value' does not take nil; it takes a number with a point, as 8.0" },
    { "(defrule SYMPTOMS::a (metric (value 8)) =>)",
      "t.clp:1: slot 'value' does not take 8; it takes a number with a point, as 8.0" },
    { "(defrule SYMPTOMS::a\n (metric (run ?r))\n =>\n (assert (metric (location 3))))",
      "t.clp:4: slot 'location' does not take 3; it takes a text in quotes" },
    { "(defrule SYMPTOMS::a (metric (run ?r) (value ?v))\n =>\n (assert\n (finding (lost "
      "?l))\n))",
      "t.clp:4: variable '?l' has no value here: no condition and no (bind …) before sets "
      "it; those with a value are ?r, ?v" },
    { "(defrule SYMPTOMS::a (metric (value ?share))\n =>\n (bind ?x $?shae)\n)",
      "t.clp:3: variable '?shae' has no value here: no condition and no (bind …) before "
      "sets it; did you mean '?share'?" },
    { "(defrule SYMPTOMS::a (not (metric (run ?r)))\n =>\n (bind ?x ?r)\n)",
      "t.clp:3: variable '?r' has no value here: what a condition under 'not' or 'exists' "
      "sets, only that condition sees" },
    { "(defrule SYMPTOMS::a (metric (value ?v))\n (metric (value ?w&:(> ?w ?z)))\n =>\n)",
      "t.clp:2: variable '?z' has no value here: no condition before this one sets it; "
      "those with a value are ?v, ?w" },
    { "(deffunction f (?a)\n (+ ?a\n ?b)\n)",
      "t.clp:3: variable '?b' has no value here: it is no parameter, and no (bind …) "
      "before sets it; those with a value are ?a" },
    { "(defglobal ?*limit* = 1)\n(defrule SYMPTOMS::a\n (metric (value ?v&:(> ?v "
      "?*limt*)))\n =>\n)",
      "t.clp:3: global '?*limt*' is not defined; did you mean '?*limit*'?" },
    { "(deffunction f ()\n ?*later*)\n(defglobal ?*later* = 1)",
      "t.clp:2: global '?*later*' is defined only at t.clp:3; define it before its use" },
    { "(defglobal\n ?*a* = (+ 1\n ?*nowhere*))",
      "t.clp:3: global '?*nowhere*' is not defined; thresholds are, as (defglobal MAIN "
      "?*nowhere* = 1.0)" },
};

START_TEST(fault_is_told_at_the_use)
{
    ck_assert_int_eq(lab_parse(faults[_i].text), MPL_E_SYNTAX);
    lab_expect_message(faults[_i].message);
    ck_assert_uint_eq(mpl_lint_errors(lab_get()->lint), 1);
}
END_TEST

START_TEST(all_undefined_globals_of_a_rule_are_told_with_their_columns)
{
    ck_assert_int_eq(lab_parse("(deftemplate t (slot a)) (defrule SYMPTOMS::a (t (a ?v&:(> "
                               "?v ?*one*))) =>\n  (bind ?x ?*two*))"),
                     MPL_E_SYNTAX);
    ck_assert_uint_eq(mpl_lint_errors(lab_get()->lint), 2);
    ck_assert_uint_eq(mpl_lint_get(lab_get()->lint, 0)->place.line, 1);
    ck_assert_uint_eq(mpl_lint_get(lab_get()->lint, 0)->place.column, 63);
    ck_assert_uint_eq(mpl_lint_get(lab_get()->lint, 1)->place.line, 2);
    ck_assert_uint_eq(mpl_lint_get(lab_get()->lint, 1)->place.column, 12);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("infer names");
    TCase *tc = add_case(s, "names", lab_create, lab_destroy);

    tcase_add_loop_test(tc, fault_is_told_at_the_use, 0,
                        (int) (sizeof faults / sizeof faults[0]));
    tcase_add_test(tc, all_undefined_globals_of_a_rule_are_told_with_their_columns);
    return run_suite(s);
}
