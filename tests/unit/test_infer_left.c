/*
 * Matches that CLIPS would not end by itself, and what takes much memory at once. Nothing may be
 * left of them; a leak checker sees to that.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../lib/suite.h"
#include "infer_fixture.h"

/* A sound rule that fires before the bad one. */
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

static void expect_sound(void)
{
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 1);
    ck_assert_str_eq(mpl_infer_finding(lab_get()->infer, 0)->name, "sound");
}

#define MANY \
    "(deftemplate MAIN::m (slot v) (slot w (default same)) (multislot l))\n" \
    "(deftemplate MAIN::go)\n" \
    "(deffunction MAIN::many (?n) (loop-for-count (?i 1 ?n) (assert (m (v ?i)))) (assert " \
    "(go)))" \
    "(defrule SYMPTOMS::start (pattern) => (many 5000))\n"

static const char *const matches[] = {
    "(defrule SYMPTOMS::bad (pattern) (test (progn (while TRUE do 1) TRUE)) =>)",
    MANY "(defrule SYMPTOMS::bad (go) (m (v ?a)) (m (v ?b)) (test (< ?b ?a)) (m (v ?b)) "
         "(test (= "
         "?a -1)) =>)",
    MANY "(defrule SYMPTOMS::bad (go) (m (v ?a)) (m (v ?b&~?a)) (m (v ?c&~?b)) =>)",
    MANY "(defrule SYMPTOMS::bad (go) (m (w ?a)) (m (w ?a)) (m (w ?a)) =>)",
    MANY "(defrule SYMPTOMS::bad (go) (m) (m) (m) =>)",
    MANY "(defrule SYMPTOMS::bad (go) (m) (m) (m (v -1)) =>)",
    MANY
    "(defrule SYMPTOMS::bad (go) (m (v ?a)) (not (and (m (v ~?a)) (m (v ?b)) (m (v ?b)) (m "
    "(v ?c&:(< ?c ?b ?a -1))))) =>)",
    MANY
    "(defrule SYMPTOMS::bad (go) (m (v ?a)) (exists (m (v ?b)) (m (v ?c&:(< (+ ?b ?c) ?a "
    "0)))) =>)",
    "(deftemplate MAIN::l (multislot v))"
    "(deffunction MAIN::make () (bind ?l (create$))"
    " (loop-for-count (?i 1 3000) (bind ?l (create$ ?l ?i))) ?l)"
    "(defrule SYMPTOMS::start (pattern) => (assert (l (v (make)))))"
    "(defrule SYMPTOMS::bad (l (v $? ?a $? ?b $? ?c&~?a $? ?d&?a $?)) =>)",
};

START_TEST(match_that_would_not_end_is_left)
{
    const struct mpl_slot slots[] = {
        { .name = "run", .kind = MPL_SLOT_STRING, .text = "r1" },
        { .name = "name", .kind = MPL_SLOT_STRING, .text = "p" },
    };

    lab_open(matches[_i], &tight);
    (void) mpl_infer_assert(lab_get()->infer, "pattern", slots, 2, &lab_get()->err);
    ck_assert_int_eq(run(), MPL_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(lab_get()->err.cause[0].text, "the rules took more than"));
    if (strstr(matches[_i], "(go)") != NULL) {
        ck_assert_str_eq(
            lab_get()->err.cause[1].text,
            "the conditions of rule 'SYMPTOMS::bad' (t.clp:4) do not end: a loop, "
            "or too many combinations of facts");
    }
    ck_assert_int_eq(mpl_infer_assert(lab_get()->infer, "pattern", slots, 2, NULL),
                     MPL_E_LIMIT);
}
END_TEST

START_TEST(findings_made_before_stay_readable)
{
    const char *text = mpl_arena_printf(lab_get()->arena, "%s%s", SOUND_BEFORE, matches[4]);

    lab_open(text, &tight);
    lab_give_pattern("p");
    ck_assert_int_eq(run(), MPL_E_LIMIT);
    expect_sound();
    ck_assert_uint_eq(mpl_infer_finding(lab_get()->infer, 0)->n_because, 1);
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------ */

#define LIST_OF(n, list) \
    "(deffunction MAIN::make () (bind ?l (create$)) (loop-for-count (?i 1 " #n \
    ") (bind ?l " \
    "(create$ ?l " list "))) ?l)"

#define TEN(x)      x x x x x x x x x x
#define THOUSAND(x) TEN(TEN(TEN(x)))
/* 65,536 items, which take a megabyte. */
#define LONG \
    "(deffunction MAIN::long () (bind ?l (create$ 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 " \
    "16)) " \
    "(loop-for-count (?i 1 12) (bind ?l (create$ ?l ?l))) ?l)\n"
#define L           "(deftemplate MAIN::l (slot z) (multislot v))"
#define GIVEN(call) "(defrule SYMPTOMS::bad (pattern) => (bind ?l (long)) " call ")"

#if !defined(__SANITIZE_ADDRESS__)
/* Each takes far more than the limit where it is not looked at. */
static const char *const hogs[] = {
    MANY "(defrule SYMPTOMS::bad (go) (m) (m) (m) =>)",
    /* Only a pattern, without a variable. */
    "(deftemplate MAIN::l (multislot v))" LIST_OF(
        288, "?i") "(defrule SYMPTOMS::start (pattern) => (assert (l (v (make)))))"
                   "(defrule SYMPTOMS::bad (l (v $? $? $? $? $? $? $? $?)) =>)",
    /* A selector among the wildcards. */
    "(deftemplate MAIN::l (multislot v))" LIST_OF(
        288, "a") "(defrule SYMPTOMS::start (pattern) => (assert (l (v (make)))))"
                  "(defrule SYMPTOMS::bad (l (v $? a $? a $? a $? a $?)) =>)"
                  "(defrule SYMPTOMS::bad-too (l (v $? a $? b $? a $? a $?)) =>)",
    /* The list of all that was found is as long again. */
    "(deftemplate MAIN::m (slot v))"
    "(defrule SYMPTOMS::bad (pattern) => (loop-for-count (?i 1 100) (assert (m (v ?i))))"
    " (bind ?l (find-all-facts ((?a m) (?b m) (?c m) (?d m)) TRUE)))",
    /* What was blocked is matched again, without a look at any condition. */
    "(deftemplate MAIN::m (slot v)) (deftemplate MAIN::go) (deftemplate MAIN::stop)"
    "(defrule SYMPTOMS::start (pattern) => (assert (go))"
    " (loop-for-count (?i 1 600) (assert (m (v ?i)))) (assert (stop)))"
    "(defrule SYMPTOMS::bad (m (v ?a)) (m (v ?b)) (not (go)) =>)"
    "(defrule SYMPTOMS::off ?g <- (go) (stop) => (retract ?g))",
    /* Copies that nobody keeps stay until the call that needs their lengths has ended. */
    LONG GIVEN("(max" TEN(TEN(TEN(" (length$ (delete$ ?l 1 2))"))) ")"),
    LONG L GIVEN("(loop-for-count (?i 1 1000) (assert (l (z ?i) (v ?l))))"),
    /* Findings that are taken back are still noted. */
    "(deffunction MAIN::make () (bind ?s \"abcdefgh\")"
    " (loop-for-count (?i 1 14) (bind ?s (str-cat ?s ?s))) ?s)"
    "(deftemplate MAIN::n (slot x)) (deffacts MAIN::d (n (x 1)))"
    "(defrule SYMPTOMS::bad ?f <- (n (x ?x)) (pattern (run ?r)) => (retract ?f)"
    " (bind ?g (assert (finding (kind cause) (name a) (run ?r) (text (str-cat (make) "
    "?x)))))"
    " (retract ?g) (assert (n (x (+ ?x 1)))))",
};

/* Each names long lists so often that all of them in one would take far more than the limit. */
static const struct {
    const char *text;
    const char *says;
} hungry_calls[] = {
    { LONG GIVEN("(create$" THOUSAND(" ?l") ")"), "lists of more than 100,000 items" },
    { LONG GIVEN("(create$" TEN(TEN(TEN(" (progn ?l)"))) ")"), "more than 100,000 items" },
    { LONG GIVEN("(insert$ ?l 1" THOUSAND(" ?l") ")"), "more than 100,000 items" },
    { LONG GIVEN("(replace$ ?l 1 1" THOUSAND(" ?l") ")"), "more than 100,000 items" },
    { LONG GIVEN("(replace-member$ ?l ?l 1 2 3)"), "longer than 100,000 items" },
    { LONG GIVEN("(bind ?k" THOUSAND(" ?l") ")"), "more than 100,000 items" },
    { LONG "(defglobal MAIN ?*k* = 1)" GIVEN("(bind ?*k*" THOUSAND(" ?l") ")"),
      "more than 100,000 items" },
    { LONG
      "(deffunction MAIN::f () (bind ?l (long)) (bind ?k" THOUSAND(" ?l") "))" GIVEN("(f)"),
      "more than 100,000 items" },
    { LONG
      "(deffunction MAIN::f (?a $?rest) (length$ ?rest))" GIVEN("(f 1" THOUSAND(" ?l") ")"),
      "more than 100,000 items" },
    { LONG GIVEN("(create$" THOUSAND(" (expand$ ?l)") ")"), "more than 10,000 arguments" },
    { LONG GIVEN("(bind ?k (subseq$ ?l 1 9000)) (max" THOUSAND(" (expand$ ?k)") ")"),
      "more than 10,000 arguments" },
    { LONG L GIVEN("(assert (l (v" THOUSAND(" ?l") ")))"), "more than 100,000 items" },
    { LONG L GIVEN("(bind ?f (assert (l))) (modify ?f (v" THOUSAND(" ?l") "))"),
      "more than 100,000 items" },
    { LONG L GIVEN("(bind ?f (assert (l))) (duplicate ?f (z 1) (v" THOUSAND(" ?l") "))"),
      "more than 100,000 items" },
    { LONG GIVEN("(join-words" THOUSAND(" ?l") ")"), "more than 100,000 words" },
    { LONG GIVEN("(location-list" THOUSAND(" ?l") ")"), "more than 100,000 words" },
    /* One text of 128 KiB, 65,536 times. */
    { LONG L
      "(deffunction MAIN::text-of () (bind ?s \"abcdefgh\") (loop-for-count 14 (bind ?s "
      "(str-cat ?s ?s))) ?s)" GIVEN(
          "(bind ?k (create$ (text-of))) (loop-for-count 16 (bind ?k (create$ ?k ?k)))"
          " (assert (l (v ?k)))"),
      "the lists and texts of a fact take more than 4 MiB" },
};

/** Of the address space of this process. */
static uint64_t used_bytes(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "%lu", &pages), 1);
    (void) fclose(f);
    return (uint64_t) pages * (uint64_t) sysconf(_SC_PAGESIZE);
}

static void allow_more(uint64_t bytes)
{
    const struct rlimit some = { used_bytes() + bytes, RLIM_INFINITY };

    ck_assert_int_eq(setrlimit(RLIMIT_AS, &some), 0);
}

START_TEST(limit_of_memory_holds_to_within_a_tenth)
{
    const struct mpl_infer_limits limits = { .seconds = 60, .memory_bytes = 64 << 20 };

    if (getenv("MARPLE_UNDER_VALGRIND") != NULL) {
        return; /* Valgrind itself needs more. */
    }
    lab_open(hogs[_i], &limits);
    allow_more((64 << 20) / 10 * 11);
    lab_give_pattern("p");
    ck_assert_int_eq(run(), MPL_E_LIMIT);
    ck_assert_str_eq(lab_get()->err.cause[0].text,
                     "the rules took more than 64 MiB of memory");
}
END_TEST

START_TEST(call_that_would_make_too_long_lists_ends_before_it_makes_them)
{
    const struct mpl_infer_limits limits = { .seconds = 60, .memory_bytes = 64 << 20 };

    if (getenv("MARPLE_UNDER_VALGRIND") != NULL) {
        return; /* Valgrind itself needs more. */
    }
    lab_open(
        mpl_arena_printf(lab_get()->arena, "%s%s", SOUND_BEFORE, hungry_calls[_i].text),
        &limits);
    allow_more((64 << 20) / 10 * 11);
    lab_give_pattern("p");
    ck_assert_int_eq(run(), MPL_OK);
    ck_assert_uint_eq(mpl_infer_error_count(lab_get()->infer), 1);
    ck_assert_ptr_nonnull(
        strstr(mpl_infer_error(lab_get()->infer, 0)->text, hungry_calls[_i].says));
    expect_sound();
}
END_TEST

START_TEST(engine_without_memory_gives_up_and_the_process_goes_on)
{
    const struct mpl_infer_limits limits = { .seconds = 60,
                                             .memory_bytes = UINT64_C(1) << 40 };

    if (getenv("MARPLE_UNDER_VALGRIND") != NULL) {
        return; /* Valgrind itself needs more. */
    }
    lab_open(SOUND_BEFORE MANY "(defrule SYMPTOMS::bad (go) (m) (m) (m) =>)", &limits);
    lab_give_pattern("p");
    allow_more(200 << 20);
    ck_assert_int_eq(run(), MPL_E_LIMIT);
    ck_assert_str_eq(lab_get()->err.cause[0].text,
                     "the rule engine gave up, probably without memory");
    expect_sound();
}
END_TEST
#endif

START_TEST(members_of_a_long_list_are_found_without_a_copy_for_each)
{
    const struct mpl_infer_limits limits = { .memory_bytes = 32 << 20 };

    lab_open(
        LONG GIVEN("(assert (finding (kind observation) (name x) (run \"r1\") (text "
                   "(text \"{}, {}; {}; {}\" (length$ (delete-member$ ?l 1 2 3 4))"
                   " (length$ (replace-member$ ?l z 1 2 3 4))"
                   " (replace-member$ (create$ a b a c d c) (create$ x y) a (create$ c d))"
                   " (delete-member$ (create$ a b c d) b (create$ d e))))))"),
        &limits);
    lab_give_pattern("p");
    ck_assert_int_eq(run(), MPL_OK);
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 1);
    ck_assert_str_eq(mpl_infer_finding(lab_get()->infer, 0)->text,
                     "49152, 65536; x, y, b, x, y, x, y and c; a, c and d");
}
END_TEST

START_TEST(fact_whose_slot_failed_is_taken_back_from_modify_too)
{
    lab_open(
        "(deftemplate MAIN::l (slot z) (slot y))"
        "(deffacts MAIN::d (l (z 0)))"
        "(defrule SYMPTOMS::bad (pattern) ?f <- (l (z 0)) => (modify ?f (z 1) (y (/ 1 "
        "0))))"
        "(defrule REFINE::seen (l (z 1)) => (assert (finding (kind cause) (name a) (run "
        "\"r1\") (text \"t\"))))",
        NULL);
    lab_give_pattern("p");
    ck_assert_int_eq(run(), MPL_OK);
    ck_assert_uint_eq(mpl_infer_error_count(lab_get()->infer), 1);
    ck_assert_uint_eq(mpl_infer_finding_count(lab_get()->infer), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("infer_left");
    TCase *tc = add_case(s, "left", lab_create, lab_destroy);

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, match_that_would_not_end_is_left, 0,
                        sizeof matches / sizeof matches[0]);
    tcase_add_test(tc, findings_made_before_stay_readable);
    tcase_add_test(tc, members_of_a_long_list_are_found_without_a_copy_for_each);
    tcase_add_test(tc, fact_whose_slot_failed_is_taken_back_from_modify_too);
#if !defined(__SANITIZE_ADDRESS__)
    tcase_add_loop_test(tc, limit_of_memory_holds_to_within_a_tenth, 0,
                        sizeof hogs / sizeof hogs[0]);
    tcase_add_loop_test(tc, call_that_would_make_too_long_lists_ends_before_it_makes_them,
                        0, sizeof hungry_calls / sizeof hungry_calls[0]);
    tcase_add_test(tc, engine_without_memory_gives_up_and_the_process_goes_on);
#endif
    return run_suite(s);
}
