/* What a rule can do wrong while it runs, and what that may cost the others: nothing. */
#include "config.h"

#include <check.h>
#include <string.h>
#include <unistd.h>

#include "../lib/suite.h"
#include "infer_fixture.h"

/* A sound rule beside the bad one. */
#define SOUND \
    "(defrule ADVISE::sound \"All is well.\" (pattern (run ?r)) => (assert (finding " \
    "(kind " \
    "observation) (name sound) (run ?r) (text \"ok\"))))\n"
#define SOUND_BEFORE \
    "(defrule SYMPTOMS::a-sound (declare (salience 10)) (pattern (run ?r)) => (assert " \
    "(finding " \
    "(kind observation) (name sound) (run ?r) (text \"ok\"))))\n"

static const struct mpl_infer_limits tight = { .seconds = 0.2, .memory_bytes = 64 << 20 };

static enum mpl_status run(void)
{
    lab_get()->err = (struct mpl_err){ 0 };
    return mpl_infer_run(lab_get()->infer, &lab_get()->err);
}

static const char *error_text(size_t i)
{
    ck_assert_uint_lt(i, mpl_infer_error_count(lab_get()->infer));
    return mpl_infer_error(lab_get()->infer, i)->text;
}

static void expect_sound(void)
{
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 1);
    ck_assert_str_eq(mpl_infer_finding(lab_get()->infer, 0)->name, "sound");
}

/* ---- limits that CLIPS heeds -------------------------------------------------------- */

static const char *const endless[] = {
    "(defrule CAUSES::bad (pattern) => (while TRUE do (bind ?x 1)))",
    "(defrule CAUSES::bad (pattern) => (loop-for-count (?i 1 1000000000000) (bind ?x 1)))",
    "(deffunction MAIN::f (?n) (loop-for-count (?i 1 ?n) (bind ?x 1)))"
    "(deffunction MAIN::g (?n) (loop-for-count (?i 1 ?n) (f ?n)))"
    "(defrule CAUSES::bad (pattern) => (g 1000000))",
    "(deftemplate MAIN::m (slot v))"
    "(defrule CAUSES::bad (pattern) => (loop-for-count (?i 1 3000) (assert (m (v ?i))))"
    " (do-for-all-facts ((?a m) (?b m) (?c m)) (eq ?a:v ?b:v (+ 1 ?c:v)) (bind ?x 1)))",
};

START_TEST(endless_action_is_stopped_and_its_rule_named)
{
    const char *text =
        mpl_arena_printf(lab_get()->arena, "%s\n%s", SOUND_BEFORE, endless[_i]);

    lab_open(text, &tight);
    lab_give_pattern("p");
    ck_assert_int_eq(run(), MPL_E_LIMIT);
    ck_assert_str_eq(lab_get()->err.cause[0].text,
                     "the rules took more than 0.2 s of processor time");
    ck_assert_str_eq(lab_get()->err.cause[1].text,
                     "rule 'CAUSES::bad' (t.clp:3) could not end");
    expect_sound();
    ck_assert_int_eq(run(), MPL_E_LIMIT); /* And it stays stopped. */
}
END_TEST

START_TEST(rules_that_fire_for_ever_are_stopped_by_number)
{
    const struct mpl_infer_limits limits = { .firings = 5000 };

    lab_open("(deftemplate MAIN::n (slot x)) (deffacts MAIN::d (n (x 1)))\n"
             "(defrule SYMPTOMS::bad ?f <- (n (x ?x)) => (retract ?f) (assert (n (x (+ ?x "
             "1)))))",
             &limits);
    ck_assert_int_eq(run(), MPL_E_LIMIT);
    ck_assert_str_eq(lab_get()->err.cause[0].text, "rules fired more than 5000 times");
    ck_assert_str_eq(lab_get()->err.cause[1].text,
                     "the last was 'SYMPTOMS::bad' (t.clp:2)");
    ck_assert_uint_le(mpl_infer_firing_count(lab_get()->infer), 5001);
}
END_TEST

START_TEST(rules_that_fire_for_ever_are_stopped_by_time)
{
    lab_open("(deftemplate MAIN::n (slot x)) (deffacts MAIN::d (n (x 1)))\n"
             "(defrule SYMPTOMS::bad ?f <- (n (x ?x)) => (retract ?f) (assert (n (x (+ ?x "
             "1)))))",
             &tight);
    ck_assert_int_eq(run(), MPL_E_LIMIT);
}
END_TEST

START_TEST(rules_that_keep_asserting_are_stopped_by_memory)
{
    const struct mpl_infer_limits limits = { .seconds = 60, .memory_bytes = 16 << 20 };

    lab_open("(deftemplate MAIN::n (slot x)) (deffacts MAIN::d (n (x 1)))\n"
             "(defrule SYMPTOMS::bad (n (x ?x)) => (assert (n (x (+ ?x 1)))))",
             &limits);
    ck_assert_int_eq(run(), MPL_E_LIMIT);
    ck_assert_str_eq(lab_get()->err.cause[0].text,
                     "the rules took more than 16 MiB of memory");
}
END_TEST

static char *doubling(const char *function)
{
    struct mpl_arena *arena = lab_get()->arena;
    const bool is_list = strcmp(function, "create$") == 0;
    char *text =
        mpl_arena_printf(arena, "(defrule CAUSES::bad (pattern) => (bind ?s %s)\n",
                         is_list ? "(create$ abcdefgh ijklmnop)" : "abcdefghijklmnop");

    for (int i = 0; i < 40; i++) {
        text = mpl_arena_printf(arena, "%s(bind ?s (%s ?s ?s))\n", text, function);
    }
    return mpl_arena_printf(arena, "%s)\n%s", text, SOUND);
}

START_TEST(value_that_doubles_forty_times_without_a_loop_is_refused)
{
    static const char *const functions[] = { "str-cat", "sym-cat", "create$" };

    lab_open(doubling(functions[_i]), NULL);
    lab_give_pattern("p");
    ck_assert_int_eq(run(), MPL_OK);
    ck_assert_ptr_nonnull(strstr(error_text(0), _i < 2 ? "is longer than 256 KiB"
                                                       : "lists of more than 100,000"));
    expect_sound();
}
END_TEST

/* ---- errors of rules ------------------------------------------------------------------------ */

START_TEST(division_by_zero_is_reported_with_its_place_and_others_still_fire)
{
    lab_open("\n(defrule SYMPTOMS::bad\n (pattern)\n => (bind ?x (/ 1 0)))\n"
             "(defrule SYMPTOMS::bad-too (metric (value ?v)) => (bind ?x (/ 1 (- ?v "
             "?v))))\n" SOUND,
             NULL);
    lab_give_metric("m", "", 1.0);
    lab_give_metric("m", "1", 1.0);
    lab_give_pattern("p");
    ck_assert_int_eq(run(), MPL_OK);
    ck_assert_uint_eq(mpl_infer_error_count(lab_get()->infer), 3);
    for (size_t i = 0; i < 3; i++) {
        const struct mpl_lint_message *m = mpl_infer_error(lab_get()->infer, i);

        ck_assert_str_eq(m->place.file, "t.clp");
        if (m->place.line == 2) {
            ck_assert_str_eq(m->text,
                             "rule 'SYMPTOMS::bad' (lines 2 to 4) failed: Attempt to "
                             "divide by zero in / function");
        } else {
            ck_assert_uint_eq(m->place.line, 5);
        }
    }
    expect_sound();
}
END_TEST

START_TEST(error_in_a_condition_names_the_rule_that_has_it)
{
    lab_open(
        "(deftemplate MAIN::thing (slot run) (slot level (default 1)) (slot reason "
        "(default \"\"))) "
        "(defrule SYMPTOMS::innocent (pattern (run ?r)) => (assert (thing (run ?r))))\n"
        "(defrule CAUSES::bad (thing (level ?n)) (test (> (/ 1 (- ?n 1)) 1)) =>)\n" SOUND,
        NULL);
    lab_give_pattern("p");
    ck_assert_int_eq(run(), MPL_OK);
    ck_assert_uint_eq(mpl_infer_error_count(lab_get()->infer), 1);
    ck_assert_uint_eq(mpl_infer_error(lab_get()->infer, 0)->place.line, 2);
    ck_assert_msg(strncmp(error_text(0), "rule 'CAUSES::bad'", 18) == 0, "%s",
                  error_text(0));
    expect_sound();
}
END_TEST

START_TEST(error_over_a_long_fact_names_the_rule_that_has_it)
{
    lab_open("(deftemplate MAIN::thing (slot run) (slot level (default 1)) (slot reason "
             "(default \"\"))) "
             "(deffunction MAIN::make () (bind ?s \"abcdefgh\")"
             " (loop-for-count (?i 1 14) (bind ?s (str-cat ?s ?s))) ?s)\n"
             "(defrule SYMPTOMS::innocent (pattern (run ?r)) =>"
             " (assert (thing (run ?r) (reason (make)))))\n"
             "(defrule CAUSES::bad (thing (reason ?t&:(str-cat ?t ?t ?t))) =>)\n"
             "(defrule CAUSES::innocent (thing) =>)\n" SOUND,
             NULL);
    lab_give_pattern("p");
    ck_assert_int_eq(run(), MPL_OK);
    ck_assert_uint_eq(mpl_infer_error_count(lab_get()->infer), 1);
    ck_assert_uint_eq(mpl_infer_error(lab_get()->infer, 0)->place.line, 3);
    expect_sound();
}
END_TEST

START_TEST(error_names_the_rule_of_the_right_module)
{
    lab_open(
        "(deftemplate MAIN::thing (slot run) (slot level (default 1)) (slot reason "
        "(default \"\"))) "
        "(defrule SYMPTOMS::twin (pattern (run ?r)) => (assert (thing (run ?r))))\n"
        "(defrule CAUSES::twin (thing (level ?n)) (test (> (/ 1 (- ?n 1)) 1)) =>)\n" SOUND,
        NULL);
    lab_give_pattern("p");
    ck_assert_int_eq(run(), MPL_OK);
    ck_assert_uint_eq(mpl_infer_error_count(lab_get()->infer), 1);
    ck_assert_uint_eq(mpl_infer_error(lab_get()->infer, 0)->place.line, 2);
}
END_TEST

START_TEST(limit_reached_while_others_fire_names_the_rule_that_holds_the_memory)
{
    const struct mpl_infer_limits limits = { .seconds = 60, .memory_bytes = 32 << 20 };

    lab_open("(deftemplate MAIN::n (slot x)) (deffacts MAIN::d (n (x 1)))\n"
             "(defrule SYMPTOMS::innocent (n (x ?x&:(< ?x 2000))) => (assert (n (x (+ ?x "
             "1)))))\n"
             "(defrule CAUSES::bad (n (x ?a)) (n (x ?b)) =>)\n",
             &limits);
    ck_assert_int_eq(run(), MPL_E_LIMIT);
    ck_assert_str_eq(lab_get()->err.cause[0].text,
                     "the rules took more than 32 MiB of memory");
    ck_assert_str_eq(
        lab_get()->err.cause[1].text,
        "the conditions of rule 'CAUSES::bad' (t.clp:3) do not end: a loop, or too "
        "many combinations of facts");
}
END_TEST

START_TEST(error_while_the_host_asserts_is_kept_and_other_rules_still_match)
{
    lab_open(
        "(defrule CAUSES::bad (pattern (coverage ?c)) (test (> (/ 1 ?c) 1)) =>)\n" SOUND,
        NULL);
    lab_give_pattern("p");
    ck_assert_uint_eq(mpl_infer_error_count(lab_get()->infer), 1);
    ck_assert_int_eq(run(), MPL_OK);
    expect_sound();
}
END_TEST

START_TEST(too_many_errors_end_the_run)
{
    const struct mpl_infer_limits limits = { .errors = 3 };

    lab_open("(defrule SYMPTOMS::bad (metric (value ?v)) => (bind ?x (/ 1 0)))\n" SOUND,
             &limits);
    for (int i = 0; i < 10; i++) {
        lab_give_metric("m", "", i);
    }
    lab_give_pattern("p");
    ck_assert_int_eq(run(), MPL_E_LIMIT);
    ck_assert_str_eq(
        lab_get()->err.cause[0].text,
        "t.clp:1: rule 'SYMPTOMS::bad' (lines 1 to 1) failed: Attempt to divide "
        "by zero in / function");
    ck_assert_str_eq(lab_get()->err.cause[1].text, "rules failed 3 times");
    ck_assert_uint_eq(mpl_infer_error_count(lab_get()->infer), 3);
}
END_TEST

struct refused {
    const char *slots; /**< Of a finding. */
    const char *fault;
};

static const struct refused refused[] = {
    { "(lost (* 10 1e308 ?v))",
      "slot 'lost' of 'finding': a number is not finite; assert nothing "
      "where a value is undefined" },
    { "(confidence (+ ?v 1.5))",
      "slot 'confidence' of 'finding': the float 2.5 is outside of 0 "
      "to 1" },
    { "(level (integer (+ ?v 20)))",
      "slot 'level' of 'finding': the integer 21 is outside of 0 "
      "to 9" },
    { "(lost (word a ?v))",
      "slot 'lost' of 'finding': the symbol a1.0 is not of type FLOAT" },
    { "(healthy (word may be))", "slot 'healthy' of 'finding': the symbol maybe is none of "
                                 "yes, no" },
    { "(locations \"1\" (integer ?v))",
      "slot 'locations' of 'finding': the integer 1 is not of "
      "type STRING" },
};

START_TEST(computed_value_that_does_not_fit_is_an_error_and_no_finding)
{
    /* What a function of the rules returns, CLIPS cannot check when it loads. */
    const char *text = mpl_arena_printf(
        lab_get()->arena,
        "(deffunction MAIN::word (?a ?b) (sym-cat ?a ?b)) (defrule CAUSES::bad (metric "
        "(value ?v)) => (assert (finding (kind cause) %s)))\n"
        "(defrule CAUSES::misled (finding (kind cause)) => (assert (finding (kind "
        "symptom))))\n%s",
        refused[_i].slots, SOUND);

    lab_open(text, NULL);
    lab_give_metric("m", "", 1.0);
    lab_give_pattern("p");
    ck_assert_int_eq(run(), MPL_OK);
    ck_assert_uint_eq(mpl_infer_error_count(lab_get()->infer), 1);
    ck_assert_str_eq(error_text(0),
                     mpl_arena_printf(lab_get()->arena,
                                      "rule 'CAUSES::bad' (lines 1 to 1) failed: %s",
                                      refused[_i].fault));
    expect_sound();
}
END_TEST

START_TEST(integer_stands_for_the_float_of_the_same_value)
{
    lab_open(
        "(defrule CAUSES::a (pattern) => (assert (finding (kind cause) (lost (* 2 3)))))",
        NULL);
    lab_give_pattern("p");
    ck_assert_int_eq(run(), MPL_OK);
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 1);
    ck_assert_double_eq(mpl_infer_finding(lab_get()->infer, 0)->lost_s, 6.0);
}
END_TEST

START_TEST(printing_rule_writes_nothing)
{
    lab_open("(defrule SYMPTOMS::loud (pattern) => (printout t \"hello\" crlf)"
             " (printout werror \"\"))\n" SOUND,
             NULL);
    lab_give_pattern("p");
    ck_assert_int_eq(run(), MPL_OK);
    ck_assert_uint_eq(mpl_infer_error_count(lab_get()->infer), 0);
    expect_sound();
}
END_TEST

/** Runs, and fails when anything reached standard output. */
static void run_in_silence(void)
{
    FILE *heard = tmpfile();
    const int kept = dup(STDOUT_FILENO);
    char text[100] = "";

    ck_assert_ptr_nonnull(heard);
    (void) fflush(stdout);
    ck_assert_int_ge(dup2(fileno(heard), STDOUT_FILENO), 0);

    const enum mpl_status st = run();

    (void) fflush(stdout);
    ck_assert_int_ge(dup2(kept, STDOUT_FILENO), 0);
    (void) close(kept);
    rewind(heard);
    text[fread(text, 1, sizeof text - 1, heard)] = '\0';
    (void) fclose(heard);
    ck_assert_str_eq(text, "");
    ck_assert_int_eq(st, MPL_OK);
}

/* All that CLIPS 6.30 knows, what its manual knows, and `nil`, which it drops itself. */
static const char *const logical_names[] = { "t",       "stdout",   "wclips",
                                             "wprompt", "wdialog",  "wdisplay",
                                             "wtrace",  "wwarning", "nil" };

START_TEST(logical_name_of_clips_does_not_reach_standard_output)
{
    lab_open(mpl_arena_printf(lab_get()->arena,
                              "(defrule SYMPTOMS::loud (pattern) => (printout %s "
                              "\"heard\" crlf) (printout %s 1.5 (create$ a b)))\n" SOUND,
                              logical_names[_i], logical_names[_i]),
             NULL);
    lab_give_pattern("p");
    run_in_silence();
    ck_assert_uint_eq(mpl_infer_error_count(lab_get()->infer), 0);
    expect_sound();
}
END_TEST

static const char *const unknown_names[] = { "stdin", "stderr", "marple-rules", "7" };

START_TEST(logical_name_that_nobody_knows_is_an_error_of_the_rule)
{
    lab_open(mpl_arena_printf(lab_get()->arena,
                              "(defrule SYMPTOMS::loud (pattern) => (printout %s "
                              "\"heard\" crlf))\n" SOUND,
                              unknown_names[_i]),
             NULL);
    lab_give_pattern("p");
    run_in_silence();
    ck_assert_str_eq(
        error_text(0),
        mpl_arena_printf(lab_get()->arena,
                         "rule 'SYMPTOMS::loud' (lines 1 to 1) failed: Logical "
                         "name %s was not recognized by any routers",
                         unknown_names[_i]));
    expect_sound();
}
END_TEST

static TCase *stopped_by_flag(void)
{
    TCase *tc = tcase_create("stopped");

    tcase_add_checked_fixture(tc, lab_create, lab_destroy);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, endless_action_is_stopped_and_its_rule_named, 0,
                        sizeof endless / sizeof endless[0]);
    tcase_add_test(tc, rules_that_fire_for_ever_are_stopped_by_number);
    tcase_add_test(tc, rules_that_fire_for_ever_are_stopped_by_time);
    tcase_add_test(tc, rules_that_keep_asserting_are_stopped_by_memory);
    tcase_add_loop_test(tc, value_that_doubles_forty_times_without_a_loop_is_refused, 0, 3);
    return tc;
}

static TCase *errors(void)
{
    TCase *tc = tcase_create("errors");

    tcase_add_checked_fixture(tc, lab_create, lab_destroy);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, division_by_zero_is_reported_with_its_place_and_others_still_fire);
    tcase_add_test(tc, error_in_a_condition_names_the_rule_that_has_it);
    tcase_add_test(tc, error_over_a_long_fact_names_the_rule_that_has_it);
    tcase_add_test(tc, error_names_the_rule_of_the_right_module);
    tcase_add_test(tc,
                   limit_reached_while_others_fire_names_the_rule_that_holds_the_memory);
    tcase_add_test(tc, error_while_the_host_asserts_is_kept_and_other_rules_still_match);
    tcase_add_test(tc, too_many_errors_end_the_run);
    tcase_add_loop_test(tc, computed_value_that_does_not_fit_is_an_error_and_no_finding, 0,
                        sizeof refused / sizeof refused[0]);
    tcase_add_test(tc, integer_stands_for_the_float_of_the_same_value);
    tcase_add_test(tc, printing_rule_writes_nothing);
    tcase_add_loop_test(tc, logical_name_of_clips_does_not_reach_standard_output, 0,
                        sizeof logical_names / sizeof logical_names[0]);
    tcase_add_loop_test(tc, logical_name_that_nobody_knows_is_an_error_of_the_rule, 0,
                        sizeof unknown_names / sizeof unknown_names[0]);
    return tc;
}

int main(void)
{
    Suite *s = suite_create("infer_cage");

    suite_add_tcase(s, stopped_by_flag());
    suite_add_tcase(s, errors());
    return run_suite(s);
}
