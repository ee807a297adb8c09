#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clips/clips.h>

#include "../lib/suite.h"
#include "infer_fixture.h"

/* ---- outer form ------------------------------------------------------------------ */

struct fault {
    const char *text;
    const char *message;
};

static const struct fault faults[] = {
    { "(defrule SYMPTOMS::a\n (pattern)\n =>\n",
      "t.clp:1: the defrule a that begins here is "
      "never closed" },
    { "\n(defrule SYMPTOMS::a (pattern) =>\n(defrule SYMPTOMS::b (pattern) => )",
      "t.clp:2: the defrule a that begins here is not closed before the next construct in "
      "line "
      "3" },
    { "(defrule SYMPTOMS::a (pattern) =>\n (bind ?x \"abc) )\n",
      "t.clp:2: this string is never closed (in the defrule a of line 1)" },
    { "\n)", "t.clp:2: this parenthesis closes nothing" },
    { "; comment ) \"\nhello world",
      "t.clp:2: text outside of constructs; comments begin with "
      "';'" },
    { "(defrul SYMPTOMS::a =>)",
      "t.clp:1: unknown construct 'defrul'; did you mean 'defrule'?" },
    { "(frobnicate)", "t.clp:1: unknown construct 'frobnicate'" },
    { "()", "t.clp:1: a construct such as defrule is expected after the parenthesis" },
    { "(defrule)", "t.clp:1: this defrule has no name" },
    { "(defclass A (is-a USER))",
      "t.clp:1: 'defclass' is not allowed in rules: objects can run code on their own" },
    { "(defmethod f ((?x STRING)) 1)",
      "t.clp:1: 'defmethod' is not allowed in rules: objects can run code on their own" },
    { "(deffunction f (?x)\n (f ?x))",
      "t.clp:2: function 'f' calls itself; recursion is not allowed" },
    { "(deffunction f (?x) (g ?x))\n(deffunction g (?x) (f ?x))",
      "t.clp:1: function 'g' is defined only at t.clp:2; define it before its use" },
    { "(defrule SYMPTOMS::a =>)\n\n(defrule SYMPTOMS::a =>)",
      "t.clp:3: defrule 'SYMPTOMS::a' is already defined at t.clp:1" },
    { "(defglobal ?*a* = 1\n ?*b* = 2)\n(defglobal MAIN\n ?*b* = 3)",
      "t.clp:4: defglobal '?*b*' is already defined at t.clp:2" },
    { "(defrule SYMPTOM::a =>)",
      "t.clp:1: unknown module 'SYMPTOM'; did you mean 'SYMPTOMS'?" },
    { "(defrule SYMPTOMS::a (pattern)\n => \001)",
      "t.clp:2: control character 0x01 in the text" },
    { "(defrule a (run) =>\n (bind ?x (:: 1)))", "t.clp:2: a name is missing beside '::'" },
    { "(defrule a (run) =>\n (::b 1))", "t.clp:2: a name is missing beside '::'" },
    { "(defrule a\n (b:: (x 1)) =>)", "t.clp:2: a name is missing beside '::'" },
};

START_TEST(outer_fault_is_reported_with_its_line)
{
    ck_assert_int_eq(lab_parse(faults[_i].text), MPL_E_SYNTAX);
    lab_expect_message(faults[_i].message);
    ck_assert_ptr_null(lab_get()->rules);
}
END_TEST

START_TEST(duplicate_of_another_file_names_both_places)
{
    ck_assert_int_eq(lab_parse("\n(deftemplate finding (slot x))"), MPL_E_SYNTAX);
    ck_assert_ptr_nonnull(strstr(lab_message(0),
                                 "t.clp:2: deftemplate 'finding' is already "
                                 "defined at vocabulary.clp:"));
}
END_TEST

/* Of another version, say. */
START_TEST(vocabulary_without_a_slot_that_is_read_is_refused)
{
    struct lab *lab = lab_get();
    char *text = NULL;
    size_t bytes = 0;

    ck_assert_int_eq(mpl_file_read(lab_path("rules/vocabulary.clp"), 1 << 20, lab->arena,
                                   &text, &bytes, &lab->err),
                     MPL_OK);
    memcpy(strstr(text, "functions-of"), "functions-at", strlen("functions-at"));
    ck_assert_int_eq(lab_parse_on(NULL, "vocabulary.clp", text, bytes, lab->arena,
                                  lab->lint, &lab->rules, &lab->err),
                     MPL_E_SYNTAX);
    ck_assert_ptr_nonnull(
        strstr(lab_message(0),
               "deftemplate 'finding' has no slot 'functions-of', which the engine needs"));
}
END_TEST

START_TEST(same_name_in_two_modules_is_no_duplicate)
{
    ck_assert_int_eq(lab_parse("(defrule SYMPTOMS::a =>) (defrule CAUSES::a =>)"), MPL_OK);
}
END_TEST

static char *repeated(const char *before, const char *part, size_t n, const char *after)
{
    const size_t bytes = strlen(before) + n * strlen(part) + strlen(after) + 1;
    char *text = mpl_arena_alloc(lab_get()->arena, bytes);
    char *at = text + sprintf(text, "%s", before);

    for (size_t i = 0; i < n; i++) {
        at += sprintf(at, "%s", part);
    }
    (void) sprintf(at, "%s", after);
    return text;
}

static char *nested(const char *before, unsigned depth, const char *after)
{
    char *text = mpl_arena_alloc(lab_get()->arena, 20 * depth + 400);
    char *at = text + sprintf(text, "%s", before);

    for (unsigned i = 0; i < depth; i++) {
        at += sprintf(at, "(abs ");
    }
    at += sprintf(at, "1");
    for (unsigned i = 0; i < depth; i++) {
        at += sprintf(at, ")");
    }
    (void) sprintf(at, "%s", after);
    return text;
}

START_TEST(nesting_up_to_one_hundred_is_accepted)
{
    ck_assert_int_eq(lab_parse(nested("(defrule SYMPTOMS::a => ", 99, ")")), MPL_OK);
    ck_assert_int_eq(lab_parse(nested("(defrule SYMPTOMS::a => ", 100, ")")), MPL_E_SYNTAX);
    lab_expect_message("t.clp:1: parentheses are nested more than 100 deep");
}
END_TEST

START_TEST(nesting_two_hundred_thousand_deep_is_refused_without_harm)
{
    ck_assert_int_eq(lab_parse(nested("(defrule SYMPTOMS::a => ", 200000, ")")),
                     MPL_E_SYNTAX);
}
END_TEST

/** \p n functions that call one another, each nested \p depth deep. */
static const char *chain(int n, unsigned depth)
{
    struct mpl_arena *arena = lab_get()->arena;
    char *text = mpl_arena_strdup(arena, "(deffunction f0 (?x) ?x)\n");

    for (int i = 1; i < n; i++) {
        char call[64];

        (void) sprintf(call, "(deffunction f%d (?x) (f%d ", i, i - 1);
        text = mpl_arena_printf(arena, "%s%s\n", text, nested(call, depth, "))"));
    }
    return text;
}

START_TEST(chain_of_functions_may_not_nest_too_deep_together)
{
    ck_assert_int_eq(lab_parse(chain(11, 95)), MPL_OK);
    ck_assert_int_eq(lab_parse(chain(12, 95)), MPL_E_SYNTAX);
    lab_expect_message(
        "t.clp:12: function 'f11' and those it calls are nested more than 1000 "
        "deep");
}
END_TEST

START_TEST(deepest_chain_of_functions_that_is_accepted_runs)
{
    lab_open(mpl_arena_printf(lab_get()->arena, "%s(defrule SYMPTOMS::a => (f10 1))",
                              chain(11, 95)),
             NULL);
    ck_assert_int_eq(mpl_infer_run(lab_get()->infer, &lab_get()->err), MPL_OK);
    ck_assert_uint_eq(mpl_infer_error_count(lab_get()->infer), 0);
    ck_assert_uint_eq(mpl_infer_firing_count(lab_get()->infer), 1);
}
END_TEST

/* Each is nested to the limit, which overflows a buffer of CLIPS where it copies the text. */
START_TEST(deep_nesting_of_every_kind_harms_nothing)
{
    static const char *const kinds[] = { "(not ",
                                         "(exists (metric) ",
                                         "(and (metric) ",
                                         "=> (if TRUE then ",
                                         "=> (foreach ?x (create$ 1) ",
                                         "=> (loop-for-count (?i 1 1) do " };
    const bool is_action = strncmp(kinds[_i], "=> ", 3) == 0;
    const char *part = kinds[_i] + (is_action ? 3 : 0);
    const char *inside =
        mpl_arena_printf(lab_get()->arena, "%s", is_action ? "(abs 1)" : "(metric)");
    const char *head = repeated(
        is_action ? "(defrule SYMPTOMS::a => " : "(defrule SYMPTOMS::a ", part, 96, inside);

    lab_open(repeated(head, ")", 96, is_action ? ")" : " =>)"), NULL);
    ck_assert_int_eq(mpl_infer_run(lab_get()->infer, &lab_get()->err), MPL_OK);
}
END_TEST

START_TEST(constructs_have_a_greatest_size)
{
    ck_assert_int_eq(
        lab_parse(repeated("(defrule SYMPTOMS::a => (max 1", " 1", 2500, "))")),
        MPL_E_SYNTAX);
    lab_expect_message("t.clp:1: this defrule has more than 2000 parts in one list");
    ck_assert_int_eq(
        lab_parse(repeated("(defrule SYMPTOMS::a (run (processes 0", "|1", 300, ")) =>)")),
        MPL_E_SYNTAX);
    lab_expect_message("t.clp:1: this defrule has more than 256 alternatives with '|'");
    ck_assert_int_eq(lab_parse(repeated("(defrule SYMPTOMS::a =>",
                                        " (max 1 2 3 4 5 6 7 8 9)", 1900, ")")),
                     MPL_E_SYNTAX);
    lab_expect_message("t.clp:1: this defrule has more than 20000 words");
}
END_TEST

/** (or (metric …) (metric …)) \p n times: CLIPS makes 2^n rules of it. */
static const char *alternatives(int n)
{
    char *text = mpl_arena_strdup(lab_get()->arena, "(defrule SYMPTOMS::a");

    for (int i = 0; i < n; i++) {
        text = mpl_arena_printf(lab_get()->arena,
                                "%s\n (or (metric (name \"a%d\")) (metric (name \"b%d\")))",
                                text, i, i);
    }
    return mpl_arena_printf(lab_get()->arena, "%s =>)", text);
}

START_TEST(deftemplate_computes_few_defaults)
{
    ck_assert_int_eq(
        lab_parse("(defglobal MAIN ?*g* = 1)\n"
                  "(deftemplate MAIN::a (multislot v (default ?*g* ?*g* (+ 1 2)))\n"
                  " (slot w (default ?NONE)) (slot x (default-dynamic (+ (+ 1 2) ?*g*))))"),
        MPL_OK);
    ck_assert_int_eq(
        lab_parse("(defglobal MAIN ?*g* = 1)\n"
                  "(deftemplate MAIN::a (multislot v (default ?*g* ?*g* (+ 1 2)))\n"
                  " (slot w (default ?*g*))\n (slot x (default-dynamic (+ 1 2))))"),
        MPL_E_SYNTAX);
    lab_expect_message(
        "t.clp:4: this deftemplate computes more than 4 values of defaults; let "
        "rules compute them");
}
END_TEST

START_TEST(alternatives_that_multiply_are_refused)
{
    ck_assert_int_eq(lab_parse(alternatives(8)), MPL_OK);
    ck_assert_int_eq(lab_parse(alternatives(16)), MPL_E_SYNTAX);
    lab_expect_message(
        "t.clp:1: the 'or' conditions make more than 256 combinations; split the "
        "rule");
}
END_TEST

START_TEST(names_and_strings_have_a_greatest_length)
{
    ck_assert_int_eq(lab_parse(repeated("(defrule SYMPTOMS::", "a", 300, " =>)")),
                     MPL_E_SYNTAX);
    lab_expect_message("t.clp:1: a name is longer than 200 characters");
    ck_assert_int_eq(lab_parse(repeated("(defrule a =>\n \"", "a", 300000, "\")")),
                     MPL_E_SYNTAX);
    lab_expect_message("t.clp:2: a string is longer than 256 KiB");
}
END_TEST

START_TEST(hundred_thousand_faults_are_cut_short)
{
    static const char *const parts[] = { "() ", "(x) ", "(defrule a => (f))\n", ") ( " };

    ck_assert_int_eq(lab_parse(repeated("", parts[_i], 100000, "")), MPL_E_SYNTAX);
    ck_assert_uint_ge(mpl_lint_errors(lab_get()->lint), 1);
    ck_assert_uint_le(mpl_lint_errors(lab_get()->lint), 200);
}
END_TEST

START_TEST(windows_line_ends_count_once)
{
    ck_assert_int_eq(lab_parse("(defrule SYMPTOMS::a\r\n (pattern)\r\n =>\r\n (nowhere))"),
                     MPL_E_SYNTAX);
    lab_expect_message("t.clp:4: unknown function 'nowhere'");
}
END_TEST

START_TEST(text_larger_than_four_mebibytes_is_refused)
{
    const size_t bytes = (4 << 20) + 1;
    char *text = mpl_arena_alloc(lab_get()->arena, bytes + 1);

    memset(text, ' ', bytes);
    ck_assert_int_eq(lab_parse_on(lab_get()->vocabulary, "t.clp", text, bytes,
                                  lab_get()->arena, lab_get()->lint, &lab_get()->rules,
                                  &lab_get()->err),
                     MPL_E_LIMIT);
}
END_TEST

/* ---- inner form -------------------------------------------------------------------- */

static const struct fault inner_faults[] = {
    { "(defrule SYMPTOMS::a\n (pattern)\n =>\n (system \"rm x\"))",
      "t.clp:4: function 'system' is not allowed in rules: rules run no programs" },
    { "(defrule SYMPTOMS::a (metric (nme \"x\")) =>)",
      "t.clp:1: deftemplate 'metric' has no slot 'nme'; did you mean 'name'?" },
    { "(defrule SYMPTOMS::a =>\n (prntout t \"x\"))",
      "t.clp:2: unknown function 'prntout'; did you mean 'printout'?" },
    { "(defrule SYMPTOMS::a (patern (run ?r)) =>)",
      "t.clp:1: deftemplate 'patern' is not defined; did you mean 'pattern'?" },
    { "(defrule SYMPTOMS::a (not (and (metric)\n (xyzzy ?r))) =>)",
      "t.clp:2: deftemplate 'xyzzy' is not defined; define facts of your own as "
      "MAIN::xyzzy" },
    { "(defrule SYMPTOMS::a => (if TRUE then\n (assert (fnding (kind cause)))))",
      "t.clp:2: deftemplate 'fnding' is not defined; did you mean 'finding'?" },
    { "(defrule SYMPTOMS::a (pattern)\n (assert (finding (kind cause))))",
      "t.clp:1: the rule has no '=>' between its conditions and its actions" },
    { "(defrule SYMPTOMS::a =>\n (assert (finding\n (kind reason))))",
      "t.clp:3: slot 'kind' does not take reason; marple vocab facts shows what it takes" },
    { "(defrule SYMPTOMS::a => (assert (finding (kind cause) (text\n (text \"{} {x}\" "
      "1)))))",
      "t.clp:2: placeholder '{x}' is none of {} {s} {%} {n} {.0} to {.9}" },
    { "(defrule SYMPTOMS::a => (assert (finding (kind cause) (text\n (text \"{} {}\" "
      "1)))))",
      "t.clp:2: the text has 2 placeholders and 1 value" },
    { "\n(defglobal ?*a* = (while TRUE do 1))",
      "t.clp:2: loading this defglobal reached a limit: it runs without end or makes too "
      "much" },
    { "(defrule SYMPTOMS::a\n (object (is-a USER)) =>)",
      "t.clp:2: 'object' is not allowed in rules: rules work on facts, there are no "
      "objects" },
    { "(defglobal ?*a* =\n (make-instance a of USER))",
      "t.clp:2: 'make-instance' is not allowed in rules: rules work on facts, there are no "
      "objects" },
};

START_TEST(inner_fault_is_reported_with_its_line)
{
    ck_assert_int_ne(lab_parse(inner_faults[_i].text), MPL_OK);
    lab_expect_message(inner_faults[_i].message);
    ck_assert_ptr_null(lab_get()->rules);
}
END_TEST

START_TEST(one_load_reports_the_faults_of_all_rules)
{
    ck_assert_int_eq(lab_parse("(defrule SYMPTOMS::a => (qqqq))\n(defrule SYMPTOMS::b =>)\n"
                               "(defrule SYMPTOMS::c => (jjjj))"),
                     MPL_E_SYNTAX);
    lab_expect_message("t.clp:1: unknown function 'qqqq'");
    lab_expect_message("t.clp:3: unknown function 'jjjj'");
    ck_assert_uint_eq(mpl_lint_errors(lab_get()->lint), 2);
}
END_TEST

START_TEST(slot_named_text_is_not_taken_for_a_format)
{
    ck_assert_int_eq(lab_parse("(defrule SYMPTOMS::a ?f <- (finding (text \"{x}\")) =>"
                               " (modify ?f (text \"{y}\"))"
                               " (assert (finding (kind cause) (text \"{z}\"))))"),
                     MPL_OK);
}
END_TEST

START_TEST(name_without_module_belongs_to_main)
{
    ck_assert_int_eq(lab_parse("(defrule CAUSES::a =>)\n(deffunction twice (?x) (* 2 ?x))\n"
                               "(defrule SYMPTOMS::b => (twice 3))\n(defrule c =>)"),
                     MPL_OK);
    ck_assert_str_eq(mpl_rules_get(lab_get()->rules, 2)->name, "MAIN::c");
}
END_TEST

START_TEST(index_gives_name_claim_file_and_lines)
{
    ck_assert_int_eq(
        lab_parse("; nothing\n(defrule CAUSES::a\n \"Why \\\"so\\\".\"\n (pattern)\n"
                  " =>)\n(defrule REFINE::b =>)"),
        MPL_OK);
    ck_assert_uint_eq(mpl_rules_count(lab_get()->rules), 2);

    const struct mpl_rule *a = mpl_rules_get(lab_get()->rules, 0);

    ck_assert_str_eq(a->name, "CAUSES::a");
    ck_assert_str_eq(a->says, "Why \"so\".");
    ck_assert_str_eq(a->file, "t.clp");
    ck_assert_uint_eq(a->first_line, 2);
    ck_assert_uint_eq(a->last_line, 5);
    ck_assert_str_eq(mpl_rules_get(lab_get()->rules, 1)->says, "");
}
END_TEST

START_TEST(rule_outside_the_phases_is_warned_about)
{
    ck_assert_int_eq(lab_parse("(defmodule MINE (import MAIN ?ALL))\n(defrule MINE::a =>)"),
                     MPL_OK);
    lab_expect_message(
        "t.clp:2: module 'MINE' is not a phase; its rules fire only when a rule "
        "focuses it");
}
END_TEST

START_TEST(vocabulary_without_what_the_engine_reads_is_refused)
{
    const char text[] = "(deftemplate run (slot id))";

    ck_assert_int_eq(lab_parse_on(NULL, "v.clp", text, sizeof text - 1, lab_get()->arena,
                                  lab_get()->lint, &lab_get()->rules, &lab_get()->err),
                     MPL_E_SYNTAX);
    lab_expect_message(
        "v.clp:1: deftemplate 'run' has no slot 'processes', which the engine "
        "needs");
    ck_assert_ptr_null(lab_get()->rules);
}
END_TEST

/* ---- functions ------------------------------------------------------------------------ */

static const char *const denied[] = {
#define DENIED(name, why) name,
#define HIDDEN(name, why) name,
#include "infer/deny.def"
#undef DENIED
#undef HIDDEN
};
enum { N_DENIED = sizeof denied / sizeof denied[0] };

static const char *const kept[] = {
#define KEPT(name) name,
#include "infer/kept.def"
#undef KEPT
};
enum { N_KEPT = sizeof kept / sizeof kept[0] };

static bool is_in(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i], name) == 0) {
            return true;
        }
    }
    return false;
}

START_TEST(every_function_of_clips_is_kept_or_denied)
{
    void *env = CreateEnvironment();
    size_t n = 0;

    for (const struct FunctionDefinition *f = GetFunctionList(env); f != NULL;
         f = f->next) {
        const char *name = f->callFunctionName->contents;

        n++;
        ck_assert_msg(is_in(name, kept, N_KEPT) != is_in(name, denied, N_DENIED),
                      "'%s' must be on one of the lists", name);
    }
    ck_assert_uint_eq(n, N_KEPT + N_DENIED);
    ck_assert_int_eq(DestroyEnvironment(env), TRUE);
}
END_TEST

START_TEST(use_of_a_denied_function_is_a_load_error)
{
    const char *text =
        mpl_arena_printf(lab_get()->arena, "(defrule SYMPTOMS::a =>\n (%s))", denied[_i]);
    const char *message =
        mpl_arena_printf(lab_get()->arena, "'%s' is not allowed in rules: ", denied[_i]);

    ck_assert_int_eq(lab_parse(text), MPL_E_SYNTAX);

    const char *first = lab_message(0);

    ck_assert_msg(strncmp(first, "t.clp:2: ", 9) == 0 && strstr(first, message) != NULL,
                  "%s", first);
}
END_TEST

/* ---- directories ------------------------------------------------------------------------- */

static void write_file(const char *directory, const char *name, const char *text)
{
    FILE *file = fopen(mpl_arena_printf(lab_get()->arena, "%s/%s", directory, name), "w");

    ck_assert_ptr_nonnull(file);
    (void) fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static void remove_file(const char *directory, const char *name)
{
    (void) unlink(mpl_arena_printf(lab_get()->arena, "%s/%s", directory, name));
}

START_TEST(vocabulary_and_thresholds_come_first_and_tests_are_left_out)
{
    char directory[] = "marple-infer-XXXXXX";
    static const char *const names[] = { "vocabulary.clp", "thresholds.clp", "a.clp",
                                         "a.test.clp",     "b.clp",          "notes.txt" };
    char *vocabulary = NULL;
    size_t bytes = 0;

    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(mpl_file_read(lab_path("rules/vocabulary.clp"), 1 << 20,
                                   lab_get()->arena, &vocabulary, &bytes, NULL),
                     MPL_OK);
    write_file(directory, "vocabulary.clp", vocabulary);
    write_file(directory, "thresholds.clp", "(defglobal MAIN ?*limit* = 0.5)");
    write_file(directory, "b.clp", "(defrule CAUSES::b (test (> ?*limit* 0.1)) =>)");
    write_file(directory, "a.clp", "(defrule CAUSES::a (test (> ?*limit* 0.1)) =>)");
    write_file(directory, "a.test.clp", "this is not a rule");
    write_file(directory, "notes.txt", "nor is this");

    const char *list[] = { directory };

    ck_assert_int_eq(lab_load(list, 1), MPL_OK);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        remove_file(directory, names[i]);
    }
    ck_assert_int_eq(rmdir(directory), 0);
    ck_assert_uint_eq(mpl_rules_count(lab_get()->rules), 2);
    ck_assert_str_eq(mpl_rules_get(lab_get()->rules, 0)->name, "CAUSES::a");
}
END_TEST

START_TEST(missing_directory_and_missing_vocabulary_are_said)
{
    const char *nowhere[] = { "no-such-directory" };
    struct lab *lab = lab_get();

    ck_assert_int_eq(lab_load(nowhere, 1), MPL_E_IO);
    ck_assert_ptr_nonnull(strstr(lab->err.cause[0].text, "no-such-directory"));
    lab->err = (struct mpl_err){ 0 };
    ck_assert_int_eq(lab_load(NULL, 0), MPL_E_USAGE);
}
END_TEST

START_TEST(shipped_rules_load_without_a_message)
{
    const char *list[] = { lab_path("rules") };
    struct lab *lab = lab_get();

    ck_assert_msg(lab_load(list, 1) == MPL_OK, "%s", lab_message(0));
    ck_assert_uint_eq(mpl_lint_count(lab->lint), 0);
}
END_TEST

static void add_loops(TCase *tc)
{
    tcase_add_loop_test(tc, outer_fault_is_reported_with_its_line, 0,
                        sizeof faults / sizeof faults[0]);
    tcase_add_loop_test(tc, inner_fault_is_reported_with_its_line, 0,
                        sizeof inner_faults / sizeof inner_faults[0]);
    tcase_add_loop_test(tc, use_of_a_denied_function_is_a_load_error, 0, N_DENIED);
}

int main(void)
{
    Suite *s = suite_create("infer_load");
    TCase *tc = add_case(s, "load", lab_create, lab_destroy);

    tcase_set_timeout(tc, 60);
    add_loops(tc);
    tcase_add_test(tc, duplicate_of_another_file_names_both_places);
    tcase_add_test(tc, vocabulary_without_a_slot_that_is_read_is_refused);
    tcase_add_test(tc, same_name_in_two_modules_is_no_duplicate);
    tcase_add_test(tc, nesting_up_to_one_hundred_is_accepted);
    tcase_add_test(tc, nesting_two_hundred_thousand_deep_is_refused_without_harm);
    tcase_add_test(tc, chain_of_functions_may_not_nest_too_deep_together);
    tcase_add_test(tc, deepest_chain_of_functions_that_is_accepted_runs);
    tcase_add_loop_test(tc, deep_nesting_of_every_kind_harms_nothing, 0, 6);
    tcase_add_test(tc, constructs_have_a_greatest_size);
    tcase_add_test(tc, alternatives_that_multiply_are_refused);
    tcase_add_test(tc, deftemplate_computes_few_defaults);
    tcase_add_test(tc, names_and_strings_have_a_greatest_length);
    tcase_add_loop_test(tc, hundred_thousand_faults_are_cut_short, 0, 4);
    tcase_add_test(tc, windows_line_ends_count_once);
    tcase_add_test(tc, text_larger_than_four_mebibytes_is_refused);
    tcase_add_test(tc, one_load_reports_the_faults_of_all_rules);
    tcase_add_test(tc, slot_named_text_is_not_taken_for_a_format);
    tcase_add_test(tc, name_without_module_belongs_to_main);
    tcase_add_test(tc, index_gives_name_claim_file_and_lines);
    tcase_add_test(tc, rule_outside_the_phases_is_warned_about);
    tcase_add_test(tc, vocabulary_without_what_the_engine_reads_is_refused);
    tcase_add_test(tc, every_function_of_clips_is_kept_or_denied);
    tcase_add_test(tc, vocabulary_and_thresholds_come_first_and_tests_are_left_out);
    tcase_add_test(tc, missing_directory_and_missing_vocabulary_are_said);
    tcase_add_test(tc, shipped_rules_load_without_a_message);
    return run_suite(s);
}
