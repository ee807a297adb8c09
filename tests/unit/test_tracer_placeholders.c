/* Placeholders of a description: which there are, and where they can stand. */
#include "config.h"

#include "../lib/suite.h"
#include "tracer_fixture.h"

#include <string.h>

/* What a text is for decides, not what its key is called. */
START_TEST(a_brace_that_stays_open_is_refused_under_any_name)
{
    refused(PLAIN("environment: {why: \"a{trace\"}\n"), "'{' without '}'", 7, 22);
}
END_TEST

START_TEST(a_name_that_nobody_knows_is_refused_under_any_name)
{
    refused(PLAIN("files: {only: \"a{region}{regoin}\"}\n"),
            "nothing is known to put in place of '{regoin}'; did you mean 'region'?", 7,
            25);
}
END_TEST

START_TEST(prose_may_hold_braces)
{
    const struct mpl_tracers *all = NULL;

    describe("tracer: x\nsays: \"a {brace\"\nprogram: z\n"
             "records: {messages: {only: \"if {\"}}\nnever: {counters: \"{no}\"}\n"
             "regions: {unsafe: \"{}\", any: \"?\"}\nbuild: {why: \"{w\", lines: [a]}\n"
             "cost: {bytes_per_event: 10, overhead_s_per_event: 1e-6, source: \"{\"}\n");
    ck_assert_msg(load(false, &all) == MPL_OK, "%s", err.cause[0].text);
}
END_TEST

START_TEST(a_file_cannot_name_the_trace)
{
    refused(
        PLAIN("files: {f: \"dir={trace}\"}\n"),
        "'{trace}' cannot stand in a file: where it will be is not known when the file is "
        "written",
        7, 17);
}
END_TEST

START_TEST(a_file_cannot_name_a_file)
{
    refused(
        PLAIN("files: {f: \"dir={file:f}\"}\n"),
        "'{file:f}' cannot stand in a file: where it will be is not known when the file "
        "is written",
        7, 17);
}
END_TEST

START_TEST(functions_stand_in_files_only)
{
    refused(PLAIN("environment: {A: \"{region}\"}\n"),
            "'{region}' can stand in a file only", 7, 19);
}
END_TEST

START_TEST(a_line_is_for_functions_or_for_counters)
{
    refused(PLAIN("files: {f: \"{region} {counter}\"}\n"),
            "'{region}' and '{counter}' cannot stand in one line: it stands there once for "
            "each",
            7, 13);
}
END_TEST

START_TEST(memory_needs_figures)
{
    refused(PLAIN("environment: {A: \"{memory}\"}\n"), "'{memory}' needs the key 'memory'",
            7, 19);
}
END_TEST

START_TEST(words_are_not_looked_into_again)
{
    refused(
        PLAIN("words: {a: {start: [\"{memory}\"]}}\n"),
        "'{memory}' cannot stand in a word for a placeholder: only {trace}, {marple} and "
        "{file:NAME} can",
        7, 22);
}
END_TEST

START_TEST(words_have_plain_names)
{
    refused(PLAIN("words: {\"a}b\": {start: [x]}}\n"),
            "'a}b' cannot name 'words': use letters, digits, _ and -", 7, 10);
}
END_TEST

START_TEST(what_joins_words_is_a_text)
{
    refused(PLAIN("words: {a: {join: [x]}}\n"), "'join' must be a text", 7, 19);
}
END_TEST

/* Where no functions are named, the file of that part is not written. */
START_TEST(a_file_stands_beside_what_names_it)
{
    refused(PLAIN("counters:\n  environment: {A: \"{file:f}\"}\n"
                  "regions:\n  files: {f: x}\n"),
            "there is no file 'f' in the 'files' beside it or in those of the tracer", 8,
            21);
}
END_TEST

START_TEST(a_file_of_the_tracer_is_always_there)
{
    const struct mpl_tracers *all = NULL;

    describe(PLAIN("files: {f: x}\ncounters:\n  environment: {A: \"{file:f}\"}\n"));
    ck_assert_msg(load(false, &all) == MPL_OK, "%s", err.cause[0].text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tracer: placeholders");
    TCase *tcase = add_case(suite, "placeholders", create_tracers, remove_folder);

    tcase_add_test(tcase, a_brace_that_stays_open_is_refused_under_any_name);
    tcase_add_test(tcase, a_name_that_nobody_knows_is_refused_under_any_name);
    tcase_add_test(tcase, prose_may_hold_braces);
    tcase_add_test(tcase, a_file_cannot_name_the_trace);
    tcase_add_test(tcase, a_file_cannot_name_a_file);
    tcase_add_test(tcase, functions_stand_in_files_only);
    tcase_add_test(tcase, a_line_is_for_functions_or_for_counters);
    tcase_add_test(tcase, memory_needs_figures);
    tcase_add_test(tcase, words_are_not_looked_into_again);
    tcase_add_test(tcase, words_have_plain_names);
    tcase_add_test(tcase, what_joins_words_is_a_text);
    tcase_add_test(tcase, a_file_stands_beside_what_names_it);
    tcase_add_test(tcase, a_file_of_the_tracer_is_always_there);
    return run_suite(suite);
}
