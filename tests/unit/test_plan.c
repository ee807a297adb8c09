/* Plans: what becomes one experiment, who records it, in which order, and how it is written. */
#include "config.h"

#include "report/report.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/suite.h"
#include "folder_fixture.h"

static struct mpl_lint *lint;
static struct mpl_err err;
static struct mpl_analysis *analysis;

static void set_up(void)
{
    create_folder();
    lint = mpl_lint_create(arena);
    err = (struct mpl_err){ 0 };
    analysis = NULL;
}

static void tear_down(void)
{
    mpl_analysis_destroy(analysis);
    remove_folder();
}

/* Rules in place of those of the stock that ask for measurements. */
static void ask(const char *facts)
{
    (void) put_file("rules/measure.clp",
                    mpl_arena_printf(arena,
                                     "(defrule ADVISE::asks \"For this test.\"\n"
                                     "  (last-call (run ?r))\n  =>\n%s)\n",
                                     facts));
}

static const struct mpl_plan *plan_with(const char *tracer, uint64_t max_bytes)
{
    const char *directories[] = { in_tree(""), folder };
    const char *path = in_tree("tests/traces/slow-master.trace");
    const struct mpl_analysis_options asked = { .knowledge = directories,
                                                .n_knowledge = 2 };
    struct mpl_plan_options options = { .tracer = tracer, .max_bytes = max_bytes };
    const struct mpl_plan *plan = NULL;

    ck_assert_int_eq(mpl_analysis_run(&path, 1, &asked, &analysis, &err), MPL_OK);
    ck_assert_int_eq(mpl_tracers_load(directories, 2, arena, lint, &options.tracers, &err),
                     MPL_OK);
    ck_assert_msg(mpl_plan_make(analysis, &options, arena, &plan, &err) == MPL_OK, "%s",
                  err.cause[0].text);
    return plan;
}

#define MEASURE(rest) \
    "  (assert (measure (run ?r) (pattern \"message-passing\") " rest "))\n"

START_TEST(what_one_run_can_serve_is_one_experiment)
{
    ask(MEASURE(
        "(level 3) (reason \"a\") (record \"user-regions\") (regions \"f\") (separates x)")
            MEASURE(
                "(level 2) (reason \"b\") (record \"receive-completions\") (separates y)")
                MEASURE("(reason \"c\") (repetitions 3) (record \"counters\") "
                        "(counters \"PAPI_TOT_INS\")"));
    const struct mpl_plan *plan = plan_with("scorep", 0);

    ck_assert_uint_eq(plan->n, 1);
    const struct mpl_planned *e = &plan->experiments[0];

    ck_assert_str_eq(e->id, "e1");
    ck_assert_int_eq(e->level, 1);
    ck_assert_str_eq(e->purpose, "a; b; and c");
    ck_assert_uint_eq(e->n_purposes, 3);
    ck_assert_str_eq(e->purposes[2], "c");
    ck_assert_uint_eq(e->n_reasons, 1); /* one rule, one comment */
    ck_assert_uint_eq(e->repetitions, 3);
    ck_assert_uint_eq(e->recording.n_capabilities, 3);
    ck_assert_uint_eq(e->recording.n_regions, 1);
    ck_assert_uint_eq(e->recording.n_counters, 1);
    ck_assert_uint_eq(e->n_separates, 2);
    ck_assert_uint_eq(e->n_processes, 1);
    ck_assert_ptr_null(e->problem);
}
END_TEST

static const struct mpl_planned *planned_for(const struct mpl_plan *plan,
                                             const char *purpose)
{
    for (size_t i = 0; i < plan->n; i++) {
        if (strcmp(plan->experiments[i].purpose, purpose) == 0) {
            return &plan->experiments[i];
        }
    }
    ck_abort_msg("no experiment for %s", purpose);
}

START_TEST(other_numbers_of_processes_and_knobs_stay_apart)
{
    ask(MEASURE("(reason \"a\")") MEASURE("(reason \"b\") (processes 2 3)") MEASURE(
        "(reason \"c\") (processes 2 3)") MEASURE("(reason \"d\") (knob \"k: 1\")"));
    const struct mpl_plan *plan = plan_with("eztrace", 0);

    ck_assert_uint_eq(plan->n, 3);
    ck_assert_uint_eq(planned_for(plan, "b; and c")->n_processes, 2);
    ck_assert_str_eq(planned_for(plan, "d")->knob, "k: 1");
    ck_assert(!planned_for(plan, "d")->is_executable);
    ck_assert_ptr_null(planned_for(plan, "a")->knob);
}
END_TEST

START_TEST(functions_that_nobody_names_are_all_of_them)
{
    ask(MEASURE("(reason \"a\") (record \"user-regions\") (regions \"f\")")
            MEASURE("(reason \"b\") (record \"user-regions\")"));
    const struct mpl_plan *plan = plan_with("scorep", 0);

    ck_assert_uint_eq(plan->n, 1);
    ck_assert_uint_eq(plan->experiments[0].recording.n_regions, 0);
}
END_TEST

START_TEST(a_tracer_that_does_not_record_it_says_why)
{
    ask(MEASURE("(reason \"a\") (record \"counters\")"));
    const struct mpl_plan *plan = plan_with("eztrace", 0);

    ck_assert_uint_eq(plan->n, 1);
    ck_assert_str_eq(
        plan->experiments[0].problem,
        "eztrace does not record counters: its modules read no hardware counters");
    ck_assert(!plan->experiments[0].is_executable);
    ck_assert_uint_eq(plan->n_unanswerable, 0); /* another one does */
}
END_TEST

START_TEST(the_tracer_that_records_it_is_chosen)
{
    ask(MEASURE("(reason \"a\") (record \"receive-completions\")")
            MEASURE("(reason \"b\") (record \"user-regions\")"));
    const struct mpl_plan *plan = plan_with(NULL, 0);

    ck_assert_uint_eq(plan->n, 2);
    for (size_t i = 0; i < plan->n; i++) {
        const struct mpl_planned *e = &plan->experiments[i];

        ck_assert_str_eq(mpl_tracer_file_name(e->settings->tracer),
                         strcmp(e->purpose, "a") == 0 ? "marple" : "scorep");
    }
}
END_TEST

START_TEST(what_is_no_capability_is_told)
{
    ask(MEASURE("(reason \"a\") (record \"moods\")"));
    const struct mpl_plan *plan = plan_with(NULL, 0);

    ck_assert_uint_eq(plan->n_unanswerable, 1);
    ck_assert_str_eq(
        plan->unanswerable[0],
        "moods: rule ADVISE::asks asks to record it, but there is no such capability");
}
END_TEST

START_TEST(what_tells_more_for_its_cost_comes_first)
{
    ask(MEASURE("(reason \"dear\") (repetitions 50) (separates master-bottleneck)")
            MEASURE("(reason \"cheap\") (processes 5) (separates master-bottleneck)"));
    const struct mpl_plan *plan = plan_with("eztrace", 0);

    ck_assert_uint_eq(plan->n, 2);
    ck_assert_str_eq(plan->experiments[0].purpose, "cheap");
    ck_assert_double_gt(plan->experiments[0].information, plan->experiments[1].information);
    ck_assert_double_eq_tol(plan->experiments[1].run_s / plan->experiments[0].run_s, 50, 1);
}
END_TEST

/* All three tell as much for the same cost; the order in which rules ask is not the reader's matter. */
START_TEST(ties_are_broken_by_what_it_is_for)
{
    ask(MEASURE("(reason \"c\") (knob \"k: 1\")") MEASURE("(reason \"a\") (knob \"k: 2\")")
            MEASURE("(reason \"b\") (knob \"k: 3\")"));
    const struct mpl_plan *plan = plan_with("eztrace", 0);

    ck_assert_uint_eq(plan->n, 3);
    ck_assert_str_eq(plan->experiments[0].purpose, "a");
    ck_assert_str_eq(plan->experiments[1].purpose, "b");
    ck_assert_str_eq(plan->experiments[2].purpose, "c");
}
END_TEST

START_TEST(what_no_counter_is_called_is_told)
{
    ask(MEASURE(
        "(reason \"a\") (record \"counters\") (counters \"PAPI_TOT_INS\" \"TOT CYC\")"));
    const struct mpl_plan *plan = plan_with("scorep", 0);

    ck_assert_uint_eq(plan->experiments[0].recording.n_counters, 1);
    ck_assert_uint_eq(plan->n_unanswerable, 1);
    ck_assert_str_eq(
        plan->unanswerable[0],
        "TOT CYC: rule ADVISE::asks asks to count it, but no counter can be called so");
}
END_TEST

START_TEST(functions_come_on_top_of_the_cost)
{
    ask(MEASURE("(reason \"a\") (record \"user-regions\")")
            MEASURE("(reason \"b\") (processes 2)"));
    const struct mpl_plan *plan = plan_with("scorep", 0);

    ck_assert_uint_eq(plan->n, 2);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(plan->experiments[i].lacks_functions,
                         (plan->experiments[i].recording.n_capabilities > 0));
        ck_assert(
            !plan->experiments[i].is_built); /* text says nothing of how it was made */
    }
}
END_TEST

START_TEST(more_than_the_limit_stays_with_a_problem)
{
    ask(MEASURE("(reason \"a\")"));
    const struct mpl_plan *plan = plan_with("eztrace", 10);

    ck_assert_uint_eq(plan->n, 1);
    ck_assert_ptr_nonnull(plan->experiments[0].problem);
    ck_assert_ptr_nonnull(strstr(plan->experiments[0].problem, "more than the limit"));
    ck_assert(!plan->experiments[0].is_executable);
}
END_TEST

START_TEST(the_first_run_records_least)
{
    const char *directories[] = { in_tree("") };
    struct mpl_plan_options options = { .tracer = "eztrace" };
    const struct mpl_planned *e = NULL;

    ck_assert_int_eq(mpl_tracers_load(directories, 1, arena, lint, &options.tracers, &err),
                     MPL_OK);
    ck_assert_int_eq(mpl_plan_first(&options, 6, arena, &e, &err), MPL_OK);
    ck_assert_int_eq(e->level, 1);
    ck_assert_uint_eq(e->processes[0], 6);
    ck_assert_uint_eq(e->recording.n_capabilities, 2);
    ck_assert_str_eq(e->purpose, e->purposes[0]);
    ck_assert_str_eq(e->settings->launch[0], "eztrace");
    options.tracer = "eztrase";
    ck_assert_int_eq(mpl_plan_first(&options, 6, arena, &e, &err), MPL_E_USAGE);
}
END_TEST

/* ---- the file ----------------------------------------------------------------------------- */

static const struct mpl_yaml *written(const struct mpl_plan *plan)
{
    const char *path = in_folder("plan.yaml");
    FILE *file = fopen(path, "w");
    const struct mpl_yaml *root = NULL;
    char *text = NULL;
    size_t bytes = 0;

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(mpl_report_plan_yaml(plan, file, &err), MPL_OK);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(mpl_file_read(path, 1 << 20, arena, &text, &bytes, &err), MPL_OK);
    (void) unlink(path);
    ck_assert_msg(mpl_yaml_parse("plan.yaml", text, bytes, arena, lint, &root, &err) ==
                      MPL_OK,
                  "%s\n%s", err.cause[0].text, text);
    return root;
}

static const char *text_at(const struct mpl_yaml *map, const char *key)
{
    const struct mpl_yaml *node = mpl_yaml_find(map, key);

    ck_assert_msg(node != NULL && node->kind == MPL_YAML_SCALAR, "no text '%s'", key);
    return node->text;
}

START_TEST(what_is_written_is_read_back)
{
    ask(MEASURE(
        "(reason \"say: \\\"#no\\\" - {x}, \\\\ and so on\") (record \"user-regions\") "
        "(regions \"f(int, char)\" \"g\") (separates master-bottleneck)")
            MEASURE("(reason \"b\") (processes 2 3) (repetitions 2)"));
    const struct mpl_plan *plan = plan_with("scorep", 0);
    const struct mpl_yaml *root = written(plan);
    const struct mpl_yaml *list = mpl_yaml_find(root, "experiments");
    const struct mpl_yaml *item = list->first;

    ck_assert_str_eq(text_at(root, "plan"), "1");
    ck_assert_uint_eq(list->n, plan->n);
    for (size_t i = 0; i < plan->n; i++, item = item->next) {
        const struct mpl_planned *e = &plan->experiments[i];
        const struct mpl_settings *s = e->settings;
        const struct mpl_yaml *environment = mpl_yaml_find(item, "environment");
        const struct mpl_yaml *regions = mpl_yaml_find(item, "regions");

        ck_assert_str_eq(text_at(item, "id"), e->id);
        ck_assert_str_eq(text_at(item, "purpose"), e->purpose);
        ck_assert_uint_eq(strtoul(text_at(item, "repetitions"), NULL, 10), e->repetitions);
        ck_assert_uint_eq(mpl_yaml_find(item, "processes")->n, e->n_processes);
        ck_assert_uint_eq(regions->n, e->recording.n_regions);
        for (size_t k = 0; k < s->n_environment; k++) {
            ck_assert_str_eq(text_at(environment, s->environment[k].name),
                             s->environment[k].value);
        }
        for (size_t k = 0; k < s->n_files; k++) {
            ck_assert_str_eq(text_at(mpl_yaml_find(item, "files"), s->files[k].name),
                             s->files[k].text);
        }
    }
}
END_TEST

START_TEST(lines_to_paste_hold_every_run)
{
    ask(MEASURE("(reason \"b\") (processes 2 3) (repetitions 2)"));
    const struct mpl_plan *plan = plan_with("eztrace", 0);
    const char *shell =
        text_at(mpl_yaml_find(written(plan), "experiments")->first, "shell");

    ck_assert_str_eq(shell, "export EZTRACE_SIGNAL_HANDLER=1\n"
                            "for run in 1 2; do\n"
                            "  export EZTRACE_TRACE_DIR=e1-np2-\"$run\"\n"
                            "  mpirun -np 2 eztrace -t openmpi ./app\n"
                            "done\n"
                            "for run in 1 2; do\n"
                            "  export EZTRACE_TRACE_DIR=e1-np3-\"$run\"\n"
                            "  mpirun -np 3 eztrace -t openmpi ./app\n"
                            "done\n");
}
END_TEST

START_TEST(lines_to_paste_are_what_a_person_would_type)
{
    ask(MEASURE("(reason \"b\") (processes 2)"));
    const struct mpl_plan *plan = plan_with("marple", 0);
    const char *shell =
        text_at(mpl_yaml_find(written(plan), "experiments")->first, "shell");

    ck_assert_str_eq(shell, "marple trace -o e1-np2 -- mpirun -np 2 ./app\n");
}
END_TEST

START_TEST(lines_to_paste_say_what_they_do_not_record)
{
    ask(MEASURE("(reason \"b\") (record \"counters\")"));
    const char *shell = text_at(
        mpl_yaml_find(written(plan_with("eztrace", 0)), "experiments")->first, "shell");

    ck_assert_ptr_eq(shell,
                     strstr(shell, "# Not as it is: eztrace does not record counters: "));
}
END_TEST

START_TEST(lines_to_paste_say_once_what_is_the_same_for_every_run)
{
    ask(MEASURE("(reason \"b\") (processes 2 3)"));
    const char *shell = text_at(
        mpl_yaml_find(written(plan_with("scorep", 0)), "experiments")->first, "shell");
    const char *memory = strstr(shell, "export SCOREP_TOTAL_MEMORY=16M\n");

    ck_assert_ptr_nonnull(strstr(shell, "# Once, as Score-P is linked into the program"));
    ck_assert_ptr_nonnull(strstr(shell, "\nmake clean\n"));
    ck_assert_ptr_nonnull(memory);
    ck_assert_ptr_null(strstr(memory + 20, "SCOREP_TOTAL_MEMORY"));
    ck_assert_ptr_nonnull(strstr(memory, "export SCOREP_EXPERIMENT_DIRECTORY=e1-np2\n"
                                         "mpirun -np 2 ./app\n"
                                         "export SCOREP_EXPERIMENT_DIRECTORY=e1-np3\n"
                                         "mpirun -np 3 ./app\n"));
}
END_TEST

START_TEST(a_plan_of_nothing_is_a_plan)
{
    ask("  (bind ?nothing 0)\n");
    const struct mpl_plan *plan = plan_with(NULL, 0);

    ck_assert_uint_eq(plan->n, 0);
    ck_assert_uint_eq(mpl_yaml_find(written(plan), "experiments")->n, 0);
}
END_TEST

START_TEST(running_out_of_memory_is_told)
{
    ask(MEASURE("(reason \"a\") (record \"user-regions\") (regions \"f\") (separates x)")
            MEASURE("(reason \"b\") (processes 2 3)"));
    (void) plan_with("scorep", 0);
    const char *directories[] = { in_tree("") };
    struct mpl_plan_options options = { .tracer = NULL };
    enum mpl_status st = MPL_E_NOMEM;
    long n = 0;

    ck_assert_int_eq(mpl_tracers_load(directories, 1, arena, lint, &options.tracers, &err),
                     MPL_OK);
    for (; fails_without_memory(n, st); n++) {
        struct mpl_arena *own = mpl_arena_create();
        const struct mpl_plan *plan = NULL;

        mpl_alloc_fail_after(n);
        st = mpl_plan_make(analysis, &options, own, &plan, NULL);
        mpl_alloc_fail_after(-1);
        mpl_arena_destroy(own);
    }
    ck_assert_int_gt(failures_without_memory(), 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan");
    TCase *plans = add_case(suite, "plans", set_up, tear_down);

    tcase_set_timeout(plans, 60);
    tcase_add_test(plans, what_one_run_can_serve_is_one_experiment);
    tcase_add_test(plans, other_numbers_of_processes_and_knobs_stay_apart);
    tcase_add_test(plans, functions_that_nobody_names_are_all_of_them);
    tcase_add_test(plans, a_tracer_that_does_not_record_it_says_why);
    tcase_add_test(plans, the_tracer_that_records_it_is_chosen);
    tcase_add_test(plans, what_is_no_capability_is_told);
    tcase_add_test(plans, what_tells_more_for_its_cost_comes_first);
    tcase_add_test(plans, ties_are_broken_by_what_it_is_for);
    tcase_add_test(plans, what_no_counter_is_called_is_told);
    tcase_add_test(plans, functions_come_on_top_of_the_cost);
    tcase_add_test(plans, more_than_the_limit_stays_with_a_problem);
    tcase_add_test(plans, the_first_run_records_least);
    tcase_add_test(plans, what_is_written_is_read_back);
    tcase_add_test(plans, lines_to_paste_hold_every_run);
    tcase_add_test(plans, lines_to_paste_are_what_a_person_would_type);
    tcase_add_test(plans, lines_to_paste_say_what_they_do_not_record);
    tcase_add_test(plans, lines_to_paste_say_once_what_is_the_same_for_every_run);
    tcase_add_test(plans, a_plan_of_nothing_is_a_plan);
    tcase_add_test(plans, running_out_of_memory_is_told);
    return run_suite(suite);
}
