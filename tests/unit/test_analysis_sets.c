/* Several runs: which are repetitions, what they say together, and manifests. */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/suite.h"
#include "analysis_fixture.h"
#include "folder_fixture.h"

/* Steps of a ring in which \p late computes \p more_us longer than the others' 1000 us. */
static const char *ring(const char *name, uint32_t n_ranks, int steps, uint32_t late,
                        int64_t more_us)
{
    struct program p = { .n_ranks = n_ranks };
    int64_t now = 0;

    for (int s = 0; s < steps; s++) {
        for (uint32_t r = 0; r < n_ranks; r++) {
            const int64_t work = 1000 + (r == late ? more_us : 0);

            program_add(&p, arena, r, "compute", now, now + work, "");
            program_add(&p, arena, r, "barrier", now + work, now + 1000 + more_us + 2, "");
        }
        now += 1000 + more_us + 2;
    }
    return put_file(name, program_text(&p, NULL, arena));
}

static struct mpl_analysis *diagnose(const char *const *paths, size_t n,
                                     const struct mpl_manifest *manifest)
{
    const char *knowledge[] = { in_tree("") };
    const struct mpl_analysis_options options = { .knowledge = knowledge,
                                                  .n_knowledge = 1,
                                                  .manifest = manifest };
    struct mpl_analysis *a = NULL;
    struct mpl_err err = { 0 };
    const enum mpl_status st = mpl_analysis_run(paths, n, &options, &a, &err);

    ck_assert_msg(st == MPL_OK, "%s", err.cause[0].text);
    return a;
}

/* ---- groups ---------------------------------------------------------------------------------- */

START_TEST(single_run_is_a_group_and_its_findings_are_seen_in_all_of_it)
{
    const char *path = ring("a.trace", 4, 20, 2, 800);
    struct mpl_analysis *a = diagnose(&path, 1, NULL);
    const struct mpl_diagnosis *d = mpl_analysis_diagnosis(a);

    ck_assert_uint_eq(d->sets.n_groups, 1);
    ck_assert_uint_eq(d->sets.groups[0].n_runs, 1);
    ck_assert_uint_eq(d->sets.n_remarks, 0);
    ck_assert_uint_eq(d->n_scaling, 0);
    ck_assert_uint_gt(d->n_findings, 0);
    for (size_t i = 0; i < d->n_findings; i++) {
        const struct mpl_diagnosed *f = &d->findings[i];

        ck_assert_uint_eq(f->n_seen, 1);
        ck_assert_uint_eq(f->n_alike, 1);
        ck_assert(!f->is_within_spread && !f->is_of_set);
        if (isnan(f->lost_s)) {
            ck_assert_double_nan(f->lost_low_s);
        } else {
            ck_assert_double_eq(f->lost_low_s, f->lost_s);
            ck_assert_double_eq(f->lost_high_s, f->lost_s);
        }
    }
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(runs_alike_are_one_group_that_the_median_run_speaks_for)
{
    const char *paths[] = { ring("a.trace", 4, 20, 2, 800), ring("b.trace", 4, 20, 2, 1000),
                            ring("c.trace", 4, 20, 2, 900) };
    struct mpl_analysis *a = diagnose(paths, 3, NULL);
    const struct mpl_diagnosis *d = mpl_analysis_diagnosis(a);
    const struct mpl_diagnosed *f = find_finding(a, "late-member");

    ck_assert_uint_eq(d->sets.n_groups, 1);
    ck_assert_uint_eq(d->sets.groups[0].n_runs, 3);
    ck_assert_uint_eq(d->sets.groups[0].speaker, 2);
    ck_assert_uint_eq(d->sets.groups[0].runs[0], 0);
    ck_assert_uint_eq(d->sets.groups[0].runs[2], 1);
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(f->run, 2);
    ck_assert_uint_eq(f->n_seen, 3);
    ck_assert_uint_eq(f->n_alike, 3);
    /* 20 steps in which three wait. */
    ck_assert_double_eq_tol(f->lost_low_s, 20 * 3 * 800e-6, 1e-4);
    ck_assert_double_eq_tol(f->lost_s, 20 * 3 * 900e-6, 1e-4);
    ck_assert_double_eq_tol(f->lost_high_s, 20 * 3 * 1000e-6, 1e-4);
    ck_assert(!f->is_within_spread);
    ck_assert_int_eq(d->verdict, MPL_VERDICT_PROBLEMS);
    for (size_t i = 0; i < d->n_findings; i++) {
        if (&d->findings[i] != f) {
            ck_assert_str_ne(d->findings[i].finding->name, "late-member");
        }
    }
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(cause_that_names_another_process_in_each_run_is_no_fact)
{
    const char *paths[] = { ring("a.trace", 4, 20, 1, 900), ring("b.trace", 4, 20, 2, 900),
                            ring("c.trace", 4, 20, 3, 900) };
    struct mpl_analysis *a = diagnose(paths, 3, NULL);
    const struct mpl_diagnosis *d = mpl_analysis_diagnosis(a);
    size_t n = 0;

    ck_assert_uint_eq(d->sets.n_groups, 1);
    for (size_t i = 0; i < d->n_findings; i++) {
        const struct mpl_diagnosed *f = &d->findings[i];

        if (strcmp(f->finding->name, "late-member") == 0) {
            ck_assert_uint_eq(f->n_seen, 1);
            ck_assert(f->is_within_spread);
            n++;
        }
    }
    ck_assert_uint_eq(n, 3);
    ck_assert_int_ne(d->verdict, MPL_VERDICT_PROBLEMS);
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(finding_of_half_of_the_runs_is_no_fact_and_of_most_of_them_is_one)
{
    const char *paths[] = { ring("a.trace", 4, 20, 1, 900), ring("b.trace", 4, 20, 2, 900),
                            ring("c.trace", 4, 20, 2, 900) };
    struct mpl_analysis *a = diagnose(paths, 3, NULL);
    const struct mpl_diagnosed *f = find_finding(a, "late-member");

    /* Facts stand first. */
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(f->n_seen, 2);
    ck_assert(!f->is_within_spread);
    ck_assert_str_eq(f->finding->culprits[0], "2");
    mpl_analysis_destroy(a);

    a = diagnose(paths, 2, NULL);
    f = find_finding(a, "late-member");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(f->n_seen, 1);
    ck_assert(f->is_within_spread);
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(runs_that_compute_or_communicate_otherwise_are_told_apart)
{
    const char *paths[] = { ring("a.trace", 4, 20, 2, 100), ring("b.trace", 4, 20, 2, 4000),
                            ring("c.trace", 4, 40, 2, 100) };
    struct mpl_analysis *a = diagnose(paths, 3, NULL);
    const struct mpl_diagnosis *d = mpl_analysis_diagnosis(a);

    ck_assert_uint_eq(d->sets.n_groups, 3);
    ck_assert_uint_eq(d->sets.n_remarks, 2);
    ck_assert_ptr_nonnull(strstr(d->sets.remarks[0], "computes"));
    ck_assert_ptr_nonnull(strstr(d->sets.remarks[1], "messages"));
    ck_assert_uint_eq(d->n_scaling, 0);
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(run_that_cannot_be_read_is_in_no_group)
{
    const char *paths[] = { ring("a.trace", 4, 20, 2, 900),
                            put_file("b.trace", "nonsense\n"),
                            ring("c.trace", 4, 20, 2, 900) };
    struct mpl_analysis *a = diagnose(paths, 3, NULL);
    const struct mpl_diagnosis *d = mpl_analysis_diagnosis(a);

    ck_assert_ptr_nonnull(d->runs[1].failure);
    ck_assert_uint_eq(d->sets.n_groups, 1);
    ck_assert_uint_eq(d->sets.groups[0].n_runs, 2);
    ck_assert_uint_eq(find_finding(a, "late-member")->n_alike, 2);
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(larger_runs_are_compared_with_the_next_smaller_and_the_smallest)
{
    const char *paths[] = { ring("c.trace", 8, 20, 2, 0), ring("a.trace", 2, 20, 0, 0),
                            ring("b.trace", 4, 20, 2, 0) };
    struct mpl_analysis *a = diagnose(paths, 3, NULL);
    const struct mpl_diagnosis *d = mpl_analysis_diagnosis(a);

    ck_assert_uint_eq(d->sets.n_groups, 3);
    ck_assert_uint_eq(d->sets.groups[0].processes, 2);
    ck_assert_uint_eq(d->sets.groups[2].processes, 8);
    ck_assert_uint_eq(d->n_scaling, 3);
    /* 2 to 4, 2 to 8, 4 to 8: each process computes as long, so that the run should, too. */
    ck_assert_uint_eq(d->scaling[0].from, 1);
    ck_assert_uint_eq(d->scaling[0].to, 2);
    ck_assert_uint_eq(d->scaling[1].from, 1);
    ck_assert_uint_eq(d->scaling[1].to, 0);
    ck_assert_uint_eq(d->scaling[2].from, 2);
    ck_assert_uint_eq(d->scaling[2].to, 0);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_str_eq(d->scaling[i].quantity, "run time");
        ck_assert_double_eq_tol(d->scaling[i].expected, d->scaling[i].measured, 1e-4);
    }
    ck_assert_ptr_nonnull(find_finding(a, "weak-scaling"));
    ck_assert(find_finding(a, "weak-scaling")->is_of_set);
    ck_assert_ptr_null(find_finding(a, "strong-scaling"));
    mpl_analysis_destroy(a);
}
END_TEST

/* Each sets up for 20 ms, rank 0 reads for 30 ms while the others wait, and 480 ms of work are divided in 40
 * steps; a collective ends 2 us behind the last to come. */
static const char *reading(const char *name, uint32_t n_ranks)
{
    const int64_t step = 480000 / 40 / n_ranks;
    struct program p = { .n_ranks = n_ranks };

    for (uint32_t r = 0; r < n_ranks; r++) {
        const int64_t read = r == 0 ? 30000 : 0;
        int64_t now = 50002;

        program_add(&p, arena, r, "compute", 0, 20000 + read, "");
        program_add(&p, arena, r, "bcast", 20000 + read, now, " root 0");
        for (int s = 0; s < 40; s++) {
            program_add(&p, arena, r, "compute", now, now + step, "");
            program_add(&p, arena, r, "barrier", now + step, now + step + 2, "");
            now += step + 2;
        }
    }
    return put_file(name, program_text(&p, NULL, arena));
}

/* Amdahl, and what each process repeats: what a run is expected to last is what it lasts. */
START_TEST(what_the_root_does_alone_stays_in_a_larger_run)
{
    const char *paths[] = { reading("a.trace", 3), reading("b.trace", 6) };
    struct mpl_analysis *a = diagnose(paths, 2, NULL);
    const struct mpl_diagnosis *d = mpl_analysis_diagnosis(a);

    ck_assert_uint_eq(d->n_scaling, 1);
    ck_assert_ptr_nonnull(strstr(d->scaling[0].model, "rank 0 works alone for 30.0 ms"));
    ck_assert_double_eq_tol(d->scaling[0].measured, 0.1301, 2e-4);
    ck_assert_double_eq_tol(d->scaling[0].expected, d->scaling[0].measured, 5e-4);
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(settings_of_a_manifest_tell_runs_apart)
{
    const char *paths[] = { ring("a.trace", 4, 20, 2, 900),
                            ring("b.trace", 4, 20, 2, 900) };
    struct mpl_manifest_run runs[] = { { .trace = paths[0], .settings = "grid=1" },
                                       { .trace = paths[1], .settings = "grid=2" } };
    const struct mpl_manifest manifest = { .n = 2, .runs = runs };
    struct mpl_analysis *a = diagnose(paths, 2, &manifest);

    ck_assert_uint_eq(mpl_analysis_diagnosis(a)->sets.n_groups, 2);
    ck_assert_ptr_nonnull(
        strstr(mpl_analysis_diagnosis(a)->sets.remarks[0], "settings differ"));
    mpl_analysis_destroy(a);

    runs[1].settings = "grid=1";
    runs[1].processes = 8;
    a = diagnose(paths, 2, &manifest);
    ck_assert_uint_eq(mpl_analysis_diagnosis(a)->sets.n_groups, 1);
    ck_assert_uint_eq(mpl_analysis_diagnosis(a)->sets.n_remarks, 1);
    ck_assert_str_eq(mpl_analysis_diagnosis(a)->sets.remarks[0],
                     "The manifest says that r2 has 8 processes; its trace has 4.");
    mpl_analysis_destroy(a);
}
END_TEST

static const struct mpl_machine quiet = { .host = "a", .cores = 4, .ranks_per_core = 1 };

/* The only remark about two runs alike, the second of which was measured on another machine; "": none. */
static const char *remark_of(struct mpl_machine second)
{
    const char *paths[] = { ring("a.trace", 4, 20, 2, 900),
                            ring("b.trace", 4, 20, 2, 900) };
    const struct mpl_manifest_run runs[] = { { .trace = paths[0], .machine = quiet },
                                             { .trace = paths[1], .machine = second } };
    const struct mpl_manifest manifest = { .n = 2, .runs = runs };
    struct mpl_analysis *a = diagnose(paths, 2, &manifest);
    const struct mpl_diagnosis *d = mpl_analysis_diagnosis(a);
    const char *remark =
        d->sets.n_remarks > 0 ? mpl_arena_strdup(arena, d->sets.remarks[0]) : "";

    ck_assert_uint_le(d->sets.n_remarks, 1);
    ck_assert_int_eq((d->sets.machine_remark != NULL), (d->sets.n_remarks == 1));
    mpl_analysis_destroy(a);
    return remark;
}

START_TEST(runs_on_machines_that_were_not_alike_are_told)
{
    struct mpl_machine other = quiet;

    ck_assert_str_eq(remark_of(quiet), "");
    other.ranks_per_core = 0.5; /* Nobody waits for a core there, either. */
    ck_assert_str_eq(remark_of(other), "");
    other.ranks_per_core = 4;
    ck_assert_str_eq(remark_of(other),
                     "4 ranks share a core in r2, 1 in r1: times may differ for that.");
    other = quiet;
    other.foreign_cores = 1.5;
    ck_assert_str_eq(remark_of(other),
                     "Other programs kept 1.50 cores busy during r2, and 0.00 during r1: "
                     "times may differ for that.");
    other.foreign_cores = NAN;
    ck_assert_str_eq(remark_of(other), "");
    ck_assert_str_eq(remark_of((struct mpl_machine){ 0 }), "");
    other.host = "b";
    ck_assert_str_eq(remark_of(other), "r2 ran on b, r1 on a: times may differ for that.");
}
END_TEST

/* ---- manifests ------------------------------------------------------------------------------- */

static enum mpl_status read_manifest(const char *text, const struct mpl_manifest **out,
                                     struct mpl_lint **lint)
{
    struct mpl_err err = { 0 };

    *lint = mpl_lint_create(arena);
    *out = NULL;
    return mpl_manifest_read(put_file("runs.yaml", text), arena, *lint, out, &err);
}

START_TEST(manifest_gives_traces_beside_it_and_joins_settings_in_one_order)
{
    const struct mpl_manifest *m = NULL;
    struct mpl_lint *lint = NULL;

    (void) put_file("a.trace", "x");
    (void) put_file("b.trace", "x");
    (void) put_file("c.trace", "x");
    ck_assert_int_eq(read_manifest("runs:\n"
                                   "  - {trace: a.trace, processes: 4, label: first,\n"
                                   "     settings: {tasks: 40, grid: 3}}\n"
                                   "  - {trace: b.trace, settings: {grid: 3, tasks: 40}}\n"
                                   "  - {trace: c.trace, outcome: failed}\n"
                                   "  - {outcome: timed-out}\n",
                                   &m, &lint),
                     MPL_OK);
    ck_assert_uint_eq(mpl_lint_count(lint), 0);
    ck_assert_uint_eq(m->n, 2);
    ck_assert_str_eq(m->runs[0].trace, in_folder("a.trace"));
    ck_assert_uint_eq(m->runs[0].processes, 4);
    ck_assert_str_eq(m->runs[0].label, "first");
    ck_assert_str_eq(m->runs[0].settings, "grid=3, tasks=40");
    ck_assert_str_eq(m->runs[1].settings, m->runs[0].settings);
    ck_assert_uint_eq(m->runs[1].processes, 0);
}
END_TEST

START_TEST(directory_stands_for_its_case_whose_own_keys_are_not_questioned)
{
    const struct mpl_manifest *m = NULL;
    struct mpl_lint *lint = mpl_lint_create(arena);
    struct mpl_err err = { 0 };

    (void) put_file("a.trace", "x");
    (void) put_file("case.yaml",
                    "case: 1\ncommand: [\"./mw\"]\nruns:\n"
                    "  - id: run-01\n    level: 1\n    outcome: ok\n    cores: 2\n"
                    "    environment: []\n    trace: a.trace\n");
    ck_assert_int_eq(mpl_manifest_read(folder, arena, lint, &m, &err), MPL_OK);
    ck_assert_uint_eq(mpl_lint_count(lint), 0);
    ck_assert_uint_eq(m->n, 1);
    ck_assert_uint_eq(m->runs[0].machine.cores, 2);
    ck_assert(isnan(m->runs[0].machine.foreign_cores));
}
END_TEST

START_TEST(machine_of_a_case_comes_with_its_runs)
{
    const struct mpl_manifest *m = NULL;
    struct mpl_lint *lint = NULL;

    (void) put_file("a.trace", "x");
    ck_assert_int_eq(
        read_manifest(
            "runs:\n  - {trace: a.trace, host: node7, cores: 4, load: 0.5,\n"
            "     foreign_cores: 1.25, ranks_per_core: 2, placement: [\"0 on 1\"]}\n",
            &m, &lint),
        MPL_OK);
    ck_assert_uint_eq(mpl_lint_count(lint), 0);
    const struct mpl_machine *machine = &m->runs[0].machine;
    ck_assert_str_eq(machine->host, "node7");
    ck_assert_uint_eq(machine->cores, 4);
    ck_assert_double_eq(machine->foreign_cores, 1.25);
    ck_assert_double_eq(machine->ranks_per_core, 2);
}
END_TEST

START_TEST(run_that_was_stopped_speaks_only_where_none_came_to_its_end)
{
    static const char stopped[] =
        "case: 1\nruns:\n"
        "  - {outcome: timed-out, partial: a.trace}\n"
        "  - {outcome: interrupted, partial: b.trace}\n"
        "  - {outcome: interrupted, exit_status: 0, partial: c.trace}\n"
        "  - {outcome: timed-out}\n";
    const struct mpl_manifest *m = NULL;
    struct mpl_lint *lint = NULL;

    (void) put_file("a.trace", "x");
    (void) put_file("b.trace", "x");
    (void) put_file("c.trace", "x");
    ck_assert_int_eq(read_manifest(stopped, &m, &lint), MPL_OK);
    ck_assert_uint_eq(m->n, 1);
    ck_assert_str_eq(m->runs[0].trace, in_folder("b.trace"));
    ck_assert_int_eq(
        read_manifest(
            mpl_arena_printf(arena, "%s  - {outcome: ok, trace: c.trace}\n", stopped), &m,
            &lint),
        MPL_OK);
    ck_assert_uint_eq(m->n, 1);
    ck_assert_str_eq(m->runs[0].trace, in_folder("c.trace"));
}
END_TEST

/* Each is refused with a message that names the place. */
static const struct {
    const char *text;
    unsigned line;
    const char *says;
} wrong[] = {
    { "", 1, "a manifest needs a list 'runs'" },
    { "runs: a.trace\n", 1, "a manifest needs a list 'runs'" },
    { "runs:\n  - a.trace\n", 2, "a run is a map" },
    { "runs:\n  - {processes: 4}\n", 2, "a run needs its 'trace'" },
    { "runs:\n  - {trace: nowhere.trace}\n", 2, "there is no trace" },
    { "runs:\n  - {trace: a.trace}\n  - {trace: ./a.trace}\n", 3, "is named twice" },
    { "runs:\n  - {trace: a.trace, processes: many}\n", 2,
      "a number from 1 on, not 'many'" },
    { "runs:\n  - {trace: a.trace, processes: 0}\n", 2, "a number from 1 on, not '0'" },
    { "runs:\n  - {trace: a.trace, processes: -4}\n", 2, "a number from 1 on, not '-4'" },
    { "runs:\n  - {trace: a.trace, foreign_cores: -1}\n", 2,
      "'foreign_cores' takes a number from 0 on, not '-1'" },
    { "runs:\n  - {trace: a.trace, ranks_per_core: nan}\n", 2,
      "a number from 0 on, not 'nan'" },
    { "runs:\n  - {outcome: timed-out, partial: nowhere.trace}\n", 2, "there is no trace" },
    { "runs:\n  - {trace: [a.trace]}\n", 2, "'trace' takes one value" },
    { "runs:\n  - {trace: a.trace, settings: {grid: [1]}}\n", 2,
      "setting 'grid' takes one" },
    { "runs:\n  - {trace: a.trace, settings: [1]}\n", 2, "'settings' takes one value" },
    { "runs:\n  - {outcome: failed}\n", 2, "none of its runs has a trace" },
};

START_TEST(wrong_manifest_is_refused_at_its_place)
{
    const struct mpl_manifest *m = NULL;
    struct mpl_lint *lint = NULL;

    (void) put_file("a.trace", "x");
    ck_assert_int_eq(read_manifest(wrong[_i].text, &m, &lint), MPL_E_SYNTAX);
    ck_assert_ptr_null(m);
    ck_assert_uint_eq(mpl_lint_errors(lint), 1);
    ck_assert_uint_eq(mpl_lint_get(lint, 0)->place.line, wrong[_i].line);
    ck_assert_msg(strstr(mpl_lint_get(lint, 0)->text, wrong[_i].says) != NULL, "%s",
                  mpl_lint_get(lint, 0)->text);
}
END_TEST

START_TEST(unknown_key_is_a_warning_with_a_suggestion)
{
    const struct mpl_manifest *m = NULL;
    struct mpl_lint *lint = NULL;

    (void) put_file("a.trace", "x");
    ck_assert_int_eq(
        read_manifest("runs:\n  - {trace: a.trace, setings: {grid: 1}}\n", &m, &lint),
        MPL_OK);
    ck_assert_uint_eq(mpl_lint_count(lint), 1);
    ck_assert_int_eq(mpl_lint_get(lint, 0)->severity, MPL_LINT_WARNING);
    ck_assert_str_eq(mpl_lint_get(lint, 0)->text,
                     "unknown key 'setings' of a run; did you mean 'settings'?");
}
END_TEST

START_TEST(missing_manifest_is_an_error_with_its_name)
{
    const struct mpl_manifest *m = NULL;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(
        mpl_manifest_read(in_folder("none.yaml"), arena, mpl_lint_create(arena), &m, &err),
        MPL_E_IO);
    ck_assert_ptr_nonnull(strstr(err.cause[err.n - 1].text, "none.yaml"));
    ck_assert_ptr_null(m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sets");
    TCase *groups = add_case(suite, "groups", create_folder, remove_folder);
    TCase *manifests = add_case(suite, "manifests", create_folder, remove_folder);

    tcase_set_timeout(groups, 60);
    tcase_add_test(groups, single_run_is_a_group_and_its_findings_are_seen_in_all_of_it);
    tcase_add_test(groups, runs_alike_are_one_group_that_the_median_run_speaks_for);
    tcase_add_test(groups, cause_that_names_another_process_in_each_run_is_no_fact);
    tcase_add_test(groups,
                   finding_of_half_of_the_runs_is_no_fact_and_of_most_of_them_is_one);
    tcase_add_test(groups, runs_that_compute_or_communicate_otherwise_are_told_apart);
    tcase_add_test(groups, run_that_cannot_be_read_is_in_no_group);
    tcase_add_test(groups, larger_runs_are_compared_with_the_next_smaller_and_the_smallest);
    tcase_add_test(groups, what_the_root_does_alone_stays_in_a_larger_run);
    tcase_add_test(groups, settings_of_a_manifest_tell_runs_apart);
    tcase_add_test(groups, runs_on_machines_that_were_not_alike_are_told);
    tcase_add_test(manifests,
                   manifest_gives_traces_beside_it_and_joins_settings_in_one_order);
    tcase_add_test(manifests,
                   directory_stands_for_its_case_whose_own_keys_are_not_questioned);
    tcase_add_test(manifests, machine_of_a_case_comes_with_its_runs);
    tcase_add_test(manifests, run_that_was_stopped_speaks_only_where_none_came_to_its_end);
    tcase_add_loop_test(manifests, wrong_manifest_is_refused_at_its_place, 0,
                        (int) (sizeof wrong / sizeof wrong[0]));
    tcase_add_test(manifests, unknown_key_is_a_warning_with_a_suggestion);
    tcase_add_test(manifests, missing_manifest_is_an_error_with_its_name);
    return run_suite(suite);
}
