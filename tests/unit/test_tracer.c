/* Descriptions of tracers: what is read, what is refused, and what becomes of a recording. */
#include "config.h"

#include "../lib/suite.h"
#include "tracer_fixture.h"

#include <string.h>

/* ---- what is refused ------------------------------------------------------------------- */

START_TEST(unknown_keys_are_told_with_a_suggestion)
{
    refused(PLAIN("enviroment: {A: b}\n"),
            "unknown key 'enviroment' in a tracer; did you mean 'environment'?", 7, 1);
}
END_TEST

START_TEST(unknown_capabilities_are_told_with_a_suggestion)
{
    refused(PLAIN("never: {user-region: no}\n"),
            "there is no capability 'user-region'; did you mean 'user-regions'?", 7, 9);
}
END_TEST

START_TEST(unknown_placeholders_are_told_at_their_place)
{
    refused(PLAIN("environment: {A: \"b{trase}\"}\n"),
            "nothing is known to put in place of '{trase}'; did you mean 'trace'?", 7, 20);
}
END_TEST

START_TEST(a_brace_that_stays_open_is_refused)
{
    refused(PLAIN("launch: [\"a{trace\"]\n"), "'{' without '}'", 7, 12);
}
END_TEST

START_TEST(a_file_that_is_not_there_is_refused)
{
    refused(PLAIN("environment: {A: \"{file:f.filter}\"}\n"),
            "there is no file 'f.filter' in 'files'", 7, 19);
}
END_TEST

START_TEST(files_stay_beside_the_trace)
{
    refused(PLAIN("files: {../f: x}\n"),
            "'../f' cannot name a file: it is written beside the trace, so use letters, "
            "digits, . _ and -",
            7, 9);
}
END_TEST

START_TEST(variables_are_names)
{
    refused(PLAIN("environment: {\"A B\": x}\n"),
            "'A B' cannot name a variable of the environment: use letters, digits and _", 7,
            16);
}
END_TEST

START_TEST(words_that_nobody_declared_are_refused)
{
    refused("tracer: x\nsays: y\nprogram: z\nwords:\n  modules: {start: [a]}\nrecords:\n"
            "  messages: {add: {module: [b]}}\n"
            "cost: {bytes_per_event: 10, overhead_s_per_event: 1e-6, source: q}\n",
            "there are no 'words' called 'module'; did you mean 'modules'?", 7, 20);
}
END_TEST

START_TEST(what_is_recorded_is_not_never_recorded)
{
    refused(PLAIN("never: {messages: no}\n"),
            "'messages' stands in 'records' and in 'never'", 7, 9);
}
END_TEST

START_TEST(cost_needs_figures_and_their_source)
{
    refused("tracer: x\nsays: y\nprogram: z\nrecords: {messages: }\n"
            "cost: {bytes_per_event: -1, overhead_s_per_event: 1e-6, source: q}\n",
            "bytes_per_event must be a number above 0", 5, 25);
}
END_TEST

START_TEST(cost_without_a_source_is_refused)
{
    refused("tracer: x\nsays: y\nprogram: z\nrecords: {messages: }\n"
            "cost: {bytes_per_event: 1, overhead_s_per_event: 1e-6}\n",
            "'source' is missing: where these figures come from", 5, 7);
}
END_TEST

START_TEST(a_name_is_needed)
{
    refused("says: y\n", "'tracer' is missing: its name", 1, 1);
}
END_TEST

START_TEST(an_empty_file_is_refused)
{
    refused("", "a tracer file is a map with the key 'tracer' and others", 1, 1);
}
END_TEST

START_TEST(auto_is_no_name)
{
    refused("tracer: auto\n",
            "the name of a tracer is made of letters, digits, - and _, and is not auto", 1,
            9);
}
END_TEST

/* ---- sets -------------------------------------------------------------------------------- */

START_TEST(a_third_tracer_needs_a_file_only)
{
    const struct mpl_tracers *all = NULL;
    const char *why = NULL;

    describe(PLAIN("launch: [z, --to, \"{trace}\"]\n"));
    ck_assert_msg(load(true, &all) == MPL_OK, "%s", err.cause[0].text);
    ck_assert_uint_eq(mpl_tracers_count(all), 4);

    const struct mpl_tracer_file *x = mpl_tracers_find(all, "x");
    const struct mpl_recording messages = { 0 };
    const struct mpl_settings s = settle(x, &messages, 0);

    ck_assert(mpl_tracer_records(x, "messages", &why));
    ck_assert_ptr_null(why);
    ck_assert(!mpl_tracer_records(x, "counters", &why));
    ck_assert_str_eq(why, "its description does not name it");
    ck_assert(!mpl_tracer_is_installed(x));
    ck_assert_uint_eq(s.n_launch, 3);
    ck_assert_str_eq(s.launch[2], "{trace}");
}
END_TEST

START_TEST(a_later_file_replaces_one_of_its_name)
{
    const struct mpl_tracers *all = NULL;

    describe("tracer: eztrace\nsays: mine\nprogram: sh\nrecords:\n  messages:\n"
             "cost: {bytes_per_event: 10, overhead_s_per_event: 1e-6, source: q}\n");
    ck_assert_int_eq(load(true, &all), MPL_OK);
    ck_assert_uint_eq(mpl_tracers_count(all), 3);
    ck_assert_str_eq(mpl_tracer_file_says(mpl_tracers_find(all, "eztrace")), "mine");
    ck_assert(mpl_tracer_is_installed(mpl_tracers_find(all, "eztrace")));
}
END_TEST

START_TEST(unknown_tracers_are_told_with_a_suggestion)
{
    const struct mpl_tracers *all = NULL;

    ck_assert_int_eq(load(true, &all), MPL_OK);
    ck_assert_int_eq(mpl_tracers_fail(all, "scorp", arena, &err), MPL_E_USAGE);
    ck_assert_str_eq(err.cause[0].text,
                     "there is no tracer \"scorp\"; did you mean \"scorep\"?");
}
END_TEST

START_TEST(a_directory_without_tracers_is_no_error)
{
    const struct mpl_tracers *all = NULL;

    ck_assert_int_eq(load(false, &all), MPL_OK);
    ck_assert_uint_eq(mpl_tracers_count(all), 0);
}
END_TEST

START_TEST(a_library_that_is_not_there_is_not_installed)
{
    const struct mpl_tracers *all = NULL;

    describe("tracer: x\nsays: y\nprogram: sh\nlibraries: [libno-such-thing.so]\nrecords:\n"
             "  messages:\n"
             "cost: {bytes_per_event: 10, overhead_s_per_event: 1e-6, source: q}\n");
    ck_assert_msg(load(false, &all) == MPL_OK, "%s", err.cause[0].text);
    ck_assert(!mpl_tracer_is_installed(mpl_tracers_find(all, "x")));
}
END_TEST

START_TEST(commands_may_name_the_running_program)
{
    const struct mpl_tracers *all = NULL;
    const struct mpl_recording plain = { 0 };

    describe(PLAIN("finish: [\"{marple}\", \"{trace}\"]\nby_hand: [a, \"{trace}\"]\n"));
    ck_assert_msg(load(false, &all) == MPL_OK, "%s", err.cause[0].text);

    const struct mpl_settings s = settle(mpl_tracers_find(all, "x"), &plain, 0);

    ck_assert_uint_eq(s.n_finish, 2);
    ck_assert_str_eq(s.finish[0], "{marple}"); /* whoever executes it knows */
    ck_assert_uint_eq(s.n_by_hand, 2);
    ck_assert_str_eq(s.by_hand[1], "{trace}");
}
END_TEST

START_TEST(a_tracer_needs_a_place_unless_it_may_stand_in_front_of_all)
{
    static const struct {
        const char *lines;
        bool needs_place;
    } all[] = { { PLAIN("launch: [a]\n"), true },
                { PLAIN("launch: [a]\nin_front_of: program\n"), true },
                { PLAIN("launch: [a]\nin_front_of: launcher\n"), false },
                { PLAIN(""), false } };
    const struct mpl_tracers *tracers = NULL;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        describe(all[i].lines);
        ck_assert_msg(load(false, &tracers) == MPL_OK, "%s", err.cause[0].text);
        ck_assert_int_eq(mpl_tracer_needs_place(mpl_tracers_find(tracers, "x")),
                         all[i].needs_place);
    }
    refused(PLAIN("in_front_of: lancher\n"),
            "'in_front_of' is program or launcher; did you mean 'launcher'?", 7, 14);
}
END_TEST

START_TEST(misspelt_placeholders_of_commands_are_told)
{
    refused(PLAIN("finish: [\"{marpel}\"]\n"),
            "nothing is known to put in place of '{marpel}'; did you mean 'marple'?", 7,
            11);
}
END_TEST

/* ---- the stock ------------------------------------------------------------------------------ */

START_TEST(eztrace_takes_modules_by_what_is_recorded)
{
    const struct mpl_tracer_file *eztrace = tracer_of_stock("eztrace");
    static const char *const threads[] = { "threads" };
    const struct mpl_recording plain = { 0 };
    const struct mpl_recording with = { .capabilities = threads, .n_capabilities = 1 };

    ck_assert_str_eq(settle(eztrace, &plain, 0).launch[2], "openmpi");
    ck_assert_str_eq(settle(eztrace, &with, 0).launch[2], "openmpi pthread");

    const struct mpl_settings s = settle(eztrace, &plain, 0);

    ck_assert_str_eq(variable(&s, "EZTRACE_TRACE_DIR"), "{trace}");
    ck_assert_ptr_null(s.needs_build);
}
END_TEST

START_TEST(the_own_tracer_records_more_than_eztrace)
{
    ck_assert_uint_gt(mpl_tracer_breadth(tracer_of_stock("marple")),
                      mpl_tracer_breadth(tracer_of_stock("eztrace")));
}
END_TEST

START_TEST(eztrace_records_receive_completions_under_a_condition)
{
    const struct mpl_tracer_file *eztrace = tracer_of_stock("eztrace");
    static const char *const wanted[] = { "messages", "receive-completions", "counters" };
    const struct mpl_recording recording = { .capabilities = wanted, .n_capabilities = 3 };
    const char *why = NULL;
    const struct mpl_settings s = settle(eztrace, &recording, 0);

    ck_assert(mpl_tracer_records(eztrace, "receive-completions", &why));
    ck_assert_ptr_nonnull(strstr(why, "in Fortran programs"));
    ck_assert_uint_eq(s.n_lacks, 3);
    ck_assert_str_eq(s.lacks[0], "messages"); /* not those of MPI_Sendrecv */
    ck_assert_str_eq(s.lacks[1], "receive-completions");
    ck_assert_str_eq(s.lacks[2], "counters");
}
END_TEST

START_TEST(scorep_filters_the_functions_that_are_named)
{
    static const char *const wanted[] = { "user-regions" };
    static const char *const regions[] = { "handle", "void f(int, double)", "a#b\\c\nd" };
    const struct mpl_recording recording = {
        .capabilities = wanted, .n_capabilities = 1, .regions = regions, .n_regions = 3
    };
    const struct mpl_settings s = settle(tracer_of_stock("scorep"), &recording, 0);

    ck_assert_uint_eq(s.n_files, 1);
    ck_assert_str_eq(s.files[0].name, "scorep.filter");
    ck_assert_str_eq(s.files[0].text, "SCOREP_REGION_NAMES_BEGIN\n"
                                      "  EXCLUDE *\n"
                                      "  INCLUDE main\n"
                                      "  INCLUDE handle\n"
                                      "  INCLUDE void?f(int,?double)\n"
                                      "  INCLUDE a?b?c?d\n"
                                      "SCOREP_REGION_NAMES_END\n");
    ck_assert_str_eq(variable(&s, "SCOREP_FILTERING_FILE"), "{file:scorep.filter}");
    ck_assert_ptr_nonnull(
        strstr(s.build[1], "scorep --mpp=mpi --thread=none --compiler mpicc"));
}
END_TEST

START_TEST(scorep_without_functions_needs_no_filter)
{
    static const char *const counters[] = { "PAPI_TOT_INS", "PAPI_L3_TCM" };
    const struct mpl_recording recording = { .counters = counters, .n_counters = 2 };
    const struct mpl_settings s = settle(tracer_of_stock("scorep"), &recording, 0);

    ck_assert_uint_eq(s.n_files, 0);
    ck_assert_ptr_null(variable(&s, "SCOREP_FILTERING_FILE"));
    ck_assert_str_eq(variable(&s, "SCOREP_METRIC_PAPI"), "PAPI_TOT_INS,PAPI_L3_TCM");
    ck_assert_ptr_nonnull(strstr(s.build[1], "--nocompiler"));
}
END_TEST

START_TEST(memory_follows_the_expected_size_within_bounds)
{
    const struct mpl_tracer_file *scorep = tracer_of_stock("scorep");
    const struct mpl_recording plain = { 0 };
    const struct {
        uint64_t bytes;
        const char *memory;
    } cases[] = { { 0, "16M" }, { 100 << 20, "150M" }, { (uint64_t) 100 << 30, "4000M" } };

    for (size_t i = 0; i < 3; i++) {
        const struct mpl_settings s = settle(scorep, &plain, cases[i].bytes);

        ck_assert_str_eq(variable(&s, "SCOREP_TOTAL_MEMORY"), cases[i].memory);
    }
}
END_TEST

START_TEST(a_list_of_words_may_begin_empty)
{
    const struct mpl_tracers *all = NULL;
    const struct mpl_recording plain = { 0 };

    describe(PLAIN("words: {mods: }\nlaunch: [z, \"a{mods}b\"]\n"));
    ck_assert_msg(load(false, &all) == MPL_OK, "%s", err.cause[0].text);
    ck_assert_str_eq(settle(mpl_tracers_get(all, 0), &plain, 0).launch[1], "ab");
}
END_TEST

/* Of a tracer that says nothing of its filter. */
START_TEST(names_of_functions_hold_no_line_ends_anywhere)
{
    static const char *const regions[] = { "f\nEXCLUDE *\t\x7f" };
    const struct mpl_recording recording = { .regions = regions, .n_regions = 1 };
    const struct mpl_tracers *all = NULL;

    describe(PLAIN("regions: {files: {f: \"r {region}\\n\"}}\n"));
    ck_assert_msg(load(false, &all) == MPL_OK, "%s", err.cause[0].text);
    ck_assert_str_eq(settle(mpl_tracers_get(all, 0), &recording, 0).files[0].text,
                     "r f?EXCLUDE *??\n");
}
END_TEST

START_TEST(counters_have_names)
{
    static const char *const bad[] = { "", "A B", "A,B", "A\nB", "{trace}", "A\x7f" };
    const struct mpl_tracer_file *scorep = tracer_of_stock("scorep");

    ck_assert(mpl_counter_is_name("perf::L1-DCACHE-LOADS:u=0"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct mpl_recording recording = { .counters = &bad[i], .n_counters = 1 };
        struct mpl_settings s = { 0 };

        ck_assert_int_eq(mpl_tracer_settle(scorep, &recording, 0, arena, &s, &err),
                         MPL_E_MEANING);
    }
}
END_TEST

START_TEST(every_capability_is_spoken_of_by_every_tracer_of_the_stock)
{
    const struct mpl_tracers *all = NULL;
    size_t n = 0;
    const struct mpl_capability *table = mpl_capability_table(&n);

    ck_assert_int_eq(load(true, &all), MPL_OK);
    for (size_t t = 0; t < mpl_tracers_count(all); t++) {
        for (size_t i = 0; i < n; i++) {
            const char *why = NULL;

            (void) mpl_tracer_records(mpl_tracers_get(all, t), table[i].name, &why);
            ck_assert_msg(why == NULL ||
                              strcmp(why, "its description does not name it") != 0,
                          "%s says nothing about %s",
                          mpl_tracer_file_name(mpl_tracers_get(all, t)), table[i].name);
        }
    }
}
END_TEST

START_TEST(running_out_of_memory_is_told_everywhere)
{
    static const char *const wanted[] = { "user-regions" };
    static const char *const regions[] = { "handle" };
    const struct mpl_recording recording = {
        .capabilities = wanted, .n_capabilities = 1, .regions = regions, .n_regions = 1
    };
    const struct mpl_tracers *stock = NULL;
    enum mpl_status st = MPL_E_NOMEM;
    long n = 0;

    ck_assert_int_eq(load(true, &stock), MPL_OK);

    const struct mpl_settings whole =
        settle(mpl_tracers_find(stock, "scorep"), &recording, 0);

    for (; fails_without_memory(n, st); n++) {
        struct mpl_arena *own = mpl_arena_create();
        struct mpl_lint *messages = mpl_lint_create(own);
        const char *directories[] = { in_tree("") };
        const struct mpl_tracers *all = NULL;
        struct mpl_settings s = { 0 };

        mpl_alloc_fail_after(n);
        st = mpl_tracers_load(directories, 1, own, messages, &all, NULL);
        if (st == MPL_OK) {
            st = mpl_tracer_settle(mpl_tracers_find(all, "scorep"), &recording, 0, own, &s,
                                   NULL);
        }
        mpl_alloc_fail_after(-1);
        ck_assert(st != MPL_OK || s.n_environment == whole.n_environment);
        for (size_t i = 0; i < s.n_environment && st == MPL_OK; i++) {
            ck_assert_str_eq(s.environment[i].value, whole.environment[i].value);
        }
        mpl_arena_destroy(own);
    }
    ck_assert_int_gt(failures_without_memory(), 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tracer");
    TCase *refusals = add_case(suite, "what is refused", create_tracers, remove_folder);
    TCase *sets = add_case(suite, "sets and the stock", create_tracers, remove_folder);

    tcase_add_test(refusals, unknown_keys_are_told_with_a_suggestion);
    tcase_add_test(refusals, unknown_capabilities_are_told_with_a_suggestion);
    tcase_add_test(refusals, unknown_placeholders_are_told_at_their_place);
    tcase_add_test(refusals, a_brace_that_stays_open_is_refused);
    tcase_add_test(refusals, a_file_that_is_not_there_is_refused);
    tcase_add_test(refusals, files_stay_beside_the_trace);
    tcase_add_test(refusals, variables_are_names);
    tcase_add_test(refusals, words_that_nobody_declared_are_refused);
    tcase_add_test(refusals, what_is_recorded_is_not_never_recorded);
    tcase_add_test(refusals, cost_needs_figures_and_their_source);
    tcase_add_test(refusals, cost_without_a_source_is_refused);
    tcase_add_test(refusals, a_name_is_needed);
    tcase_add_test(refusals, an_empty_file_is_refused);
    tcase_add_test(refusals, auto_is_no_name);
    tcase_add_test(sets, a_third_tracer_needs_a_file_only);
    tcase_add_test(sets, a_later_file_replaces_one_of_its_name);
    tcase_add_test(sets, unknown_tracers_are_told_with_a_suggestion);
    tcase_add_test(sets, a_directory_without_tracers_is_no_error);
    tcase_add_test(sets, a_library_that_is_not_there_is_not_installed);
    tcase_add_test(sets, commands_may_name_the_running_program);
    tcase_add_test(refusals, misspelt_placeholders_of_commands_are_told);
    tcase_add_test(refusals, a_tracer_needs_a_place_unless_it_may_stand_in_front_of_all);
    tcase_add_test(sets, the_own_tracer_records_more_than_eztrace);
    tcase_add_test(sets, eztrace_takes_modules_by_what_is_recorded);
    tcase_add_test(sets, eztrace_records_receive_completions_under_a_condition);
    tcase_add_test(sets, scorep_filters_the_functions_that_are_named);
    tcase_add_test(sets, scorep_without_functions_needs_no_filter);
    tcase_add_test(sets, memory_follows_the_expected_size_within_bounds);
    tcase_add_test(sets, a_list_of_words_may_begin_empty);
    tcase_add_test(sets, names_of_functions_hold_no_line_ends_anywhere);
    tcase_add_test(sets, counters_have_names);
    tcase_add_test(sets, every_capability_is_spoken_of_by_every_tracer_of_the_stock);
    tcase_add_test(sets, running_out_of_memory_is_told_everywhere);
    return run_suite(suite);
}
