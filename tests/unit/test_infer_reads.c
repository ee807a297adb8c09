/* What the text of rules says about metrics and findings, and what it leaves open. */
#include "config.h"

#include <check.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "infer_fixture.h"

#define HEAD "(defrule SYMPTOMS::x \"X.\" (pattern (run ?r) (name \"ring\") (id ?p)) "

static const char *const kinds[] = { "asks",      "reads",   "word", "concludes",
                                     "builds-on", "pattern", "role", "line" };

static bool is_name(const struct mpl_mention *m)
{
    return m->kind == MPL_MENTION_PATTERN || m->kind == MPL_MENTION_ROLE;
}

/* "asks ring run.a; concludes late cause": all mentions of a text; or the names of patterns and
   roles only. */
static const char *mentions_of(const char *text, bool is_of_names)
{
    struct lab *lab = lab_get();
    const struct mpl_mention *list = NULL;
    const char *told = "";
    size_t n = 0;

    ck_assert_msg(lab_parse(text) == MPL_OK, "%s", lab_message(0));
    ck_assert_int_eq(mpl_rules_mentions(lab->rules, lab->arena, &list, &n, &lab->err),
                     MPL_OK);
    for (size_t i = 0; i < n; i++) {
        const struct mpl_mention *m = &list[i];

        if (is_name(m) != is_of_names) {
            continue;
        }
        told = mpl_arena_printf(
            lab->arena, "%s%s%s %s%s%s%s%s%s", told, *told != '\0' ? "; " : "",
            kinds[m->kind], m->pattern != NULL ? m->pattern : "",
            m->pattern != NULL ? " " : "", m->name != NULL ? m->name : "?",
            m->finding_kind != NULL ? " " : "",
            m->finding_kind != NULL ? m->finding_kind : "",
            m->line != NULL ? mpl_arena_printf(lab->arena, " '%s'", m->line)
            : m->has_remedy ? " with remedy"
                            : "");
    }
    return told;
}

static const char *mentions(const char *text)
{
    return mentions_of(text, false);
}

START_TEST(patterns_and_roles_are_found_where_they_are_named)
{
    ck_assert_str_eq(
        mentions_of(HEAD "(role (run ?r) (pattern ?p) (name \"station\") (location ?l)) => "
                         "(assert (finding (run ?r) (pattern \"farm\"))) (role-locations "
                         "?r ?p \"master\") (role-locations ?r "
                         "?l \"slave\"))",
                    true),
        "pattern ring; role ring station; pattern farm; role ring master; role slave");
    ck_assert_str_eq(
        mentions_of("(defrule SYMPTOMS::x \"X.\" (pattern (run ?r) (name "
                    "\"ring\"|\"star\") (id ?p)) => (bind ?l (role-locations ?r "
                    "?p \"hub\")))",
                    true),
        "pattern ring; pattern star; role hub");
}
END_TEST

START_TEST(what_a_function_is_given_is_only_a_word)
{
    ck_assert_str_eq(mentions(HEAD "=> (join-words \"run.a\" \"no metric\"))"),
                     "word run.a");
}
END_TEST

START_TEST(conditions_on_metrics_are_found_unless_they_exclude)
{
    ck_assert_str_eq(mentions(HEAD "(metric (run ?r) (pattern ?p) (name \"run.a\") (value "
                                   "?v)) (metric (run ?r) (name ?n&\"run.b\"|\"run.c\")) "
                                   "(metric (run ?r) (name ~\"run.d\")) =>)"),
                     "reads ring run.a; reads run.b; reads run.c; asks run.a");
}
END_TEST

START_TEST(findings_are_found_with_kind_and_remedy)
{
    ck_assert_str_eq(
        mentions(HEAD "(finding (name early) (run ?r)) => (assert (finding (kind cause) "
                      "(name late) (run ?r) (pattern ?p) (level 1) (text \"t\") (remedy "
                      "\"do\"))) (assert (finding (kind symptom) (name (sym-cat a b)) (run "
                      "?r) (pattern ?p) (level 1) (text \"t\"))))"),
        "builds-on early; concludes late cause with remedy; concludes ? symptom");
}
END_TEST

START_TEST(headlines_and_fixes_are_found_with_every_text_they_may_show)
{
    ck_assert_str_eq(
        mentions(HEAD
                 "(finding (name early) (headline \"no\")) => (assert (finding (kind "
                 "cause) (name late) (headline (text \"{s} late\" 0.5)) (fix (if (> 2 1) "
                 "then \"hurry\" else (str-cat \"wait\" (text \"{n}\" 2)))) (text "
                 "\"t\"))))"),
        "builds-on early; concludes late cause; line headline '{s} late'; line fix "
        "'hurry'; "
        "line fix 'wait'; line fix '{n}'");
}
END_TEST

START_TEST(a_variable_of_one_rule_is_not_known_in_the_next)
{
    ck_assert_str_eq(mentions(HEAD
                              "=>) (defrule SYMPTOMS::y \"Y.\" (role (run ?r) (pattern "
                              "?p)) (metric (pattern ?p) (name \"run.a\")) =>)"),
                     "reads run.a");
}
END_TEST

START_TEST(places_are_those_of_the_words)
{
    struct lab *lab = lab_get();
    const struct mpl_mention *list = NULL;
    size_t n = 0;

    (void) mentions(HEAD "\n  (metric (run ?r) (pattern ?p)\n    (name \"run.a\")) =>)");
    ck_assert_int_eq(mpl_rules_mentions(lab->rules, lab->arena, &list, &n, &lab->err),
                     MPL_OK);
    ck_assert_uint_eq(n, 3);
    ck_assert_uint_eq(list[0].place.line, 1);
    ck_assert_uint_eq(list[0].place.column, 51);
    ck_assert_uint_eq(list[1].place.line, 3);
    ck_assert_uint_eq(list[1].place.column, 11);
    ck_assert_uint_eq(list[2].place.line, 2);
    ck_assert_str_eq(list[2].rule, "SYMPTOMS::x");
}
END_TEST

START_TEST(without_memory_it_fails_and_leaks_nothing)
{
    struct lab *lab = lab_get();
    const struct mpl_mention *list = NULL;
    enum mpl_status st = MPL_E_NOMEM;
    size_t n = 0;

    (void) mentions(HEAD "(metric (run ?r) (pattern ?p) (name \"run.a\")) =>)");
    for (long i = 0; fails_without_memory(i, st); i++) {
        struct mpl_arena *own = mpl_arena_create();

        mpl_alloc_fail_after(i);
        st = mpl_rules_mentions(lab->rules, own, &list, &n, NULL);
        mpl_alloc_fail_after(-1);
        mpl_arena_destroy(own);
    }
    ck_assert_uint_eq(n, 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("infer: what rules name");
    TCase *tcase = add_case(suite, "mentions", lab_create, lab_destroy);

    tcase_add_test(tcase, patterns_and_roles_are_found_where_they_are_named);
    tcase_add_test(tcase, what_a_function_is_given_is_only_a_word);
    tcase_add_test(tcase, conditions_on_metrics_are_found_unless_they_exclude);
    tcase_add_test(tcase, findings_are_found_with_kind_and_remedy);
    tcase_add_test(tcase, headlines_and_fixes_are_found_with_every_text_they_may_show);
    tcase_add_test(tcase, a_variable_of_one_rule_is_not_known_in_the_next);
    tcase_add_test(tcase, places_are_those_of_the_words);
    tcase_add_test(tcase, without_memory_it_fails_and_leaks_nothing);
    return run_suite(suite);
}
