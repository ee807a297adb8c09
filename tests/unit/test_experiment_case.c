/* A case on disk: what was written comes back, and damage is reported and changes nothing. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/arena.h"
#include "../lib/suite.h"

static struct mpl_err err;
static char folder[] = "case-XXXXXX";
static struct mpl_case *c;

static const char *const words[] = { "mpirun", "-np", "{processes}", "./a \"b\"\n\\" };
static const struct mpl_command command = { .words = words, .n = 4, .args = "x y" };

static void begin(void)
{
    err = (struct mpl_err){ 0 };
    c = NULL;
    create_arena();
    strcpy(folder, "case-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static const char *path_of(const char *name)
{
    return mpl_arena_printf(arena, "%s/%s", folder, name);
}

static void end(void)
{
    mpl_case_close(c);
    (void) unlink(path_of("case.yaml"));
    (void) unlink(path_of("case.lock"));
    (void) rmdir(folder);
    destroy_arena();
}

/* Temporary files, too, begin with the name of what they are to become. */
static bool holds_nothing_but(const char *one, const char *other)
{
    DIR *dir = opendir(folder);
    bool is_so = dir != NULL;

    for (const struct dirent *e = NULL; dir != NULL && (e = readdir(dir)) != NULL;) {
        is_so = is_so && (e->d_name[0] == '.' || strcmp(e->d_name, one) == 0 ||
                          strcmp(e->d_name, other) == 0);
    }
    if (dir != NULL) {
        (void) closedir(dir);
    }
    return is_so;
}

static enum mpl_status open_again(void)
{
    mpl_case_close(c);
    c = NULL;
    return mpl_case_open(folder, &command, false, &c, &err);
}

static void write_case(const char *text)
{
    (void) unlink(path_of("case.yaml"));
    ck_assert_int_eq(mpl_folder_write(path_of("case.yaml"), text, strlen(text), &err),
                     MPL_OK);
}

static const char *case_text(void)
{
    char *text = NULL;
    size_t bytes = 0;

    ck_assert_int_eq(
        mpl_file_read(path_of("case.yaml"), 1 << 20, arena, &text, &bytes, &err), MPL_OK);
    return text;
}

static const struct mpl_setting_pair environment[] = { { "EZTRACE_X", "a=b" },
                                                       { "E", "" } };
static const struct mpl_case_run sample = {
    .id = "run-01",
    .experiment = "see who talks to \"whom\": # not a comment",
    .level = 2,
    .processes = 8,
    .repetition = 3,
    .n_sizes = 2,
    .sizes = (const uint32_t[]){ 4, 8 },
    .repetitions = 3,
    .recording = { .capabilities = words,
                   .n_capabilities = 2,
                   .regions = words + 3,
                   .n_regions = 1 },
    .tracer = "eztrace",
    .settings = "-t openmpi",
    .words = words,
    .n_words = 4,
    .environment = environment,
    .n_environment = 2,
    .outcome = MPL_OUTCOME_TIMED_OUT,
    .exit_status = -1,
    .signal = SIGTERM,
    .duration_s = 12.25,
    .trace_bytes = 5000000000,
    .partial = "run-01/trace/x.otf2",
    .host = "node",
    .cores = 2,
    .load = 1.25,
    .foreign_cores = 0,
    .ranks_per_core = 4,
    .n_placement = 2,
    .placement = (const char *const[]){ "0-3 on 0", "4-7 on 1" },
    .date = "2025-01-01T00:00:00Z",
    .problem = "ended after\t12 s: \xc3\xbc",
};

START_TEST(what_was_written_comes_back)
{
    ck_assert_int_eq(open_again(), MPL_OK);
    ck_assert_uint_eq(mpl_case_run_count(c), 0);
    *mpl_case_add(c) = sample;
    ck_assert_int_eq(mpl_case_write(c, &err), MPL_OK);
    ck_assert_msg(open_again() == MPL_OK, "%s", err.cause[0].text);
    ck_assert_uint_eq(mpl_case_run_count(c), 1);

    const struct mpl_case_run *run = mpl_case_run_get(c, 0);
    ck_assert_str_eq(run->id, sample.id);
    ck_assert_str_eq(run->experiment, sample.experiment);
    ck_assert_int_eq(run->level, 2);
    ck_assert_uint_eq(run->processes, 8);
    ck_assert_uint_eq(run->repetition, 3);
    ck_assert_uint_eq(run->n_sizes, 2);
    ck_assert_uint_eq(run->sizes[0], 4);
    ck_assert_uint_eq(run->sizes[1], 8);
    ck_assert_uint_eq(run->repetitions, 3);
    ck_assert_uint_eq(run->recording.n_capabilities, 2);
    ck_assert_str_eq(run->recording.capabilities[1], words[1]);
    ck_assert_uint_eq(run->recording.n_regions, 1);
    ck_assert_str_eq(run->recording.regions[0], words[3]);
    ck_assert_uint_eq(run->recording.n_counters, 0);
    ck_assert_str_eq(run->settings, sample.settings);
    ck_assert_uint_eq(run->n_words, 4);
    ck_assert_str_eq(run->words[3], words[3]);
    ck_assert_uint_eq(run->n_environment, 2);
    ck_assert_str_eq(run->environment[0].name, "EZTRACE_X");
    ck_assert_str_eq(run->environment[0].value, "a=b");
    ck_assert_str_eq(run->environment[1].value, "");
    ck_assert_int_eq(run->outcome, MPL_OUTCOME_TIMED_OUT);
    ck_assert_int_eq(run->exit_status, -1);
    ck_assert_int_eq(run->signal, SIGTERM);
    ck_assert_double_eq(run->duration_s, 12.25);
    ck_assert_uint_eq(run->trace_bytes, 5000000000);
    ck_assert_ptr_null(run->trace);
    ck_assert_str_eq(run->partial, sample.partial);
    ck_assert_str_eq(run->problem, sample.problem);
    ck_assert_uint_eq(run->cores, 2);
    ck_assert_double_eq(run->load, 1.25);
    ck_assert_double_eq(run->foreign_cores, 0);
    ck_assert_double_eq(run->ranks_per_core, 4);
    ck_assert_uint_eq(run->n_placement, 2);
    ck_assert_str_eq(run->placement[1], "4-7 on 1");
}
END_TEST

START_TEST(what_is_not_known_of_the_machine_is_not_written)
{
    struct mpl_case_run run = sample;

    run.cores = 0;
    run.load = run.foreign_cores = NAN;
    run.ranks_per_core = 0;
    run.n_placement = 0;
    ck_assert_int_eq(open_again(), MPL_OK);
    *mpl_case_add(c) = run;
    ck_assert_int_eq(mpl_case_write(c, &err), MPL_OK);
    ck_assert_ptr_null(strstr(case_text(), "load:"));
    ck_assert_msg(open_again() == MPL_OK, "%s", err.cause[0].text);
    const struct mpl_case_run *back = mpl_case_run_get(c, 0);
    ck_assert(isnan(back->load) && isnan(back->foreign_cores));
    ck_assert_double_eq(back->ranks_per_core, 0);
    ck_assert_uint_eq(back->n_placement, 0);
}
END_TEST

START_TEST(a_run_that_was_stopped_is_diagnosed_where_none_came_to_its_end)
{
    struct mpl_case_run run = sample;

    ck_assert_int_eq(open_again(), MPL_OK);
    ck_assert_ptr_null(mpl_case_stopped_run(c));
    *mpl_case_add(c) = run;
    run.id = "run-02";
    *mpl_case_add(c) = run;
    run.partial = NULL;
    *mpl_case_add(c) = run;
    ck_assert_str_eq(mpl_case_stopped_run(c)->id, "run-02");
    run.id = "run-04";
    run.partial = sample.partial;
    run.outcome = MPL_OUTCOME_INTERRUPTED;
    *mpl_case_add(c) = run;
    ck_assert_str_eq(mpl_case_stopped_run(c)->id, "run-04");
    run.exit_status = 0; /* Only paused. */
    *mpl_case_add(c) = run;
    ck_assert_str_eq(mpl_case_stopped_run(c)->id, "run-04");
    run.outcome = MPL_OUTCOME_OK;
    run.trace = "run-04/x.otf2";
    *mpl_case_add(c) = run;
    ck_assert_ptr_null(mpl_case_stopped_run(c));
}
END_TEST

START_TEST(runs_that_failed_are_told_in_a_line_each)
{
    struct mpl_case_run run = sample;
    const char *const *lines = NULL;
    size_t n = 0;

    ck_assert_int_eq(open_again(), MPL_OK);
    *mpl_case_add(c) = run;
    run.id = "run-02";
    run.outcome = MPL_OUTCOME_OK;
    run.trace = "run-02/trace/x.otf2";
    *mpl_case_add(c) = run;
    run.id = "run-03";
    run.outcome = MPL_OUTCOME_FAILED;
    run.processes = 1;
    run.problem = "no";
    *mpl_case_add(c) = run;
    ck_assert_int_eq(mpl_case_write(c, &err), MPL_OK);
    mpl_case_failures_in(folder, arena, &lines, &n);
    ck_assert_uint_eq(n, 2);
    ck_assert_str_eq(
        lines[0],
        mpl_arena_printf(arena,
                         "run-01 with 8 processes: timed-out, after 12.3 s: ended "
                         "after\t12 s: \xc3\xbc; marple diagnose "
                         "%s/run-01/trace/x.otf2 shows where it stood; "
                         "done later by run-02",
                         folder));
    ck_assert_str_eq(lines[1], "run-03 with 1 process: failed, after 12.3 s: no");
    mpl_case_failures_in("no-such-folder", arena, &lines, &n);
    ck_assert_uint_eq(n, 0);
}
END_TEST

START_TEST(another_command_is_refused)
{
    const struct mpl_command other = { .words = words, .n = 3 };

    ck_assert_int_eq(open_again(), MPL_OK);
    *mpl_case_add(c) = sample;
    ck_assert_int_eq(mpl_case_write(c, &err), MPL_OK);
    mpl_case_close(c);
    c = NULL;
    ck_assert_int_eq(mpl_case_open(folder, &other, false, &c, &err), MPL_E_USAGE);
    ck_assert_ptr_null(c);
    ck_assert_ptr_nonnull(strstr(err.cause[0].text, "is of another command: mpirun -np"));
    ck_assert(!mpl_case_fits(folder, &other));
    ck_assert(mpl_case_fits(folder, &command));
    ck_assert(mpl_case_fits("no-such-folder", &other));
}
END_TEST

START_TEST(two_cannot_work_in_it)
{
    struct mpl_case *second = NULL;

    ck_assert_int_eq(open_again(), MPL_OK);
    ck_assert_int_eq(mpl_case_open(folder, &command, false, &second, &err), MPL_E_IO);
    ck_assert_str_eq(
        err.cause[0].text,
        mpl_arena_printf(arena,
                         "another marple (process %ld) is at work in \"%s\"; wait "
                         "for it, or name another directory",
                         (long) getpid(), folder));
    /* Looking does no harm. */
    ck_assert_int_eq(mpl_case_open(folder, &command, true, &second, &err), MPL_OK);
    mpl_case_close(second);
}
END_TEST

START_TEST(a_dry_case_makes_nothing)
{
    ck_assert_int_eq(mpl_case_open("no-such-folder", &command, true, &c, &err), MPL_OK);
    ck_assert_uint_eq(mpl_case_run_count(c), 0);
    ck_assert_int_ne(access("no-such-folder", F_OK), 0);
}
END_TEST

START_TEST(a_file_is_no_case)
{
    write_case("x");
    ck_assert_int_eq(mpl_case_open(path_of("case.yaml"), &command, false, &c, &err),
                     MPL_E_IO);
    ck_assert_str_eq(err.cause[0].text, mpl_arena_printf(arena, "\"%s\" is no directory",
                                                         path_of("case.yaml")));
    ck_assert_int_eq(mpl_case_open(path_of("case.yaml/deeper"), &command, false, &c, &err),
                     MPL_E_IO);
}
END_TEST

static const struct {
    const char *text;
    const char *message;
} damages[] = {
    { "", "this is no case: it lacks \"case: 1\"" },
    { "- x\n", "this is no case: it lacks \"case: 1\"" },
    { "runs: []\n", "it lacks \"case: 1\"" },
    { "case: 2\ncommand: [x]\nruns: []\n", "another version of marple" },
    { "case: 1\nruns: []\n", "a case has a command" },
    { "case: 1\ncommand: [x]\n", "a case has a list of runs" },
    { "case: 1\ncommand: [x]\nruns: [3]\n",
      ":3:8: a run has at least an id and an outcome" },
    { "case: 1\ncommand: [x]\nruns:\n  - {id: a, outcome: fine}\n",
      "there is no such outcome" },
    { "case: 1\ncommand: [x]\nruns:\n  - {id: a, outcome: ok, level: x}\n",
      ":4:33: this is not a number" },
    { "case: 1\ncommand: [x]\nruns:\n  - {id: a, outcome: ok, processes: -3}\n",
      "this is not a number that can stand here" },
    { "case: 1\ncommand: [x]\nruns:\n  - {id: a, outcome: ok, sizes: [4, 0]}\n",
      "this has to be a list of numbers of processes" },
    { "case: 1\ncommand: [x]\nruns:\n  - {id: ../x, outcome: ok}\n",
      ":4:10: the id of a run is the name of its folder in the case, not a path" },
    { "case: 1\ncommand: [x]\nruns:\n  - {id: /x, outcome: ok}\n", "not a path" },
    { "case: 1\ncommand: [x]\nruns:\n  - {id: a/b, outcome: ok}\n", "not a path" },
    { "case: 1\ncommand: [x]\nruns:\n  - {id: \"\", outcome: ok}\n", "not a path" },
    { "case: 1\ncommand: [x]\nruns:\n  - {id: ., outcome: ok}\n", "not a path" },
    { "case: 1\ncommand: [x]\nruns:\n  - {id: .., outcome: ok}\n", "not a path" },
    { "case: 1\ncommand: {x: 3}\nruns: []\n", "this has to be a list of words" },
    { "case: 1\ncommand: [x]\nruns:\n  - {id: \"a", "" },
};
enum { N_DAMAGES = sizeof damages / sizeof *damages };

START_TEST(damage_is_told_and_left_as_it_is)
{
    const struct mpl_command x = { .words = (const char *const[]){ "x" }, .n = 1 };

    write_case(damages[_i].text);
    const enum mpl_status st = mpl_case_open(folder, &x, false, &c, &err);
    ck_assert_int_eq(st, MPL_E_SYNTAX);
    ck_assert_ptr_null(c);
    ck_assert_msg(strstr(err.cause[0].text, damages[_i].message) != NULL, "%s",
                  err.cause[0].text);
    ck_assert_str_eq(case_text(), damages[_i].text);
}
END_TEST

static const char letter[] = "Dear diary\n";

static void expect_letter_behind(const char *path)
{
    char *text = NULL;
    size_t bytes = 0;

    ck_assert_int_eq(mpl_case_open(folder, &command, false, &c, &err), MPL_E_IO);
    ck_assert_str_eq(err.cause[0].text,
                     mpl_arena_printf(arena,
                                      "\"%s\" is not a lock of marple's and is left as it "
                                      "is; name another directory",
                                      path_of("case.lock")));
    ck_assert_int_eq(mpl_file_read(path, 1 << 20, arena, &text, &bytes, &err), MPL_OK);
    ck_assert_str_eq(text, letter);
    ck_assert_int_eq(unlink(path_of("case.lock")), 0);
    err = (struct mpl_err){ 0 };
}

START_TEST(a_lock_that_is_somebody_elses_file_is_left_as_it_is)
{
    /* A name that a case without runs may have, so that the folder is no stranger's. */
    const char *diary = path_of("case.yaml.diary");
    char here[4096];

    ck_assert_int_eq(mpl_folder_write(path_of("case.lock"), letter, strlen(letter), &err),
                     MPL_OK);
    expect_letter_behind(path_of("case.lock"));
    ck_assert_int_eq(mpl_folder_write(diary, letter, strlen(letter), &err), MPL_OK);
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    ck_assert_int_eq(
        symlink(mpl_arena_printf(arena, "%s/%s", here, diary), path_of("case.lock")), 0);
    expect_letter_behind(diary);
    ck_assert_int_eq(link(diary, path_of("case.lock")), 0);
    expect_letter_behind(diary);
    ck_assert_int_eq(mkfifo(path_of("case.lock"), 0600), 0);
    expect_letter_behind(diary);
    (void) unlink(diary);
}
END_TEST

START_TEST(a_dangling_link_makes_no_file_elsewhere)
{
    ck_assert_int_eq(symlink("elsewhere", path_of("case.lock")), 0);
    ck_assert_int_eq(mpl_case_open(folder, &command, false, &c, &err), MPL_E_IO);
    ck_assert_int_ne(access(path_of("elsewhere"), F_OK), 0);
}
END_TEST

START_TEST(a_folder_with_other_things_is_no_case)
{
    ck_assert_int_eq(mpl_folder_write(path_of("diary"), letter, strlen(letter), &err),
                     MPL_OK);
    for (int is_dry = 0; is_dry < 2; is_dry++) {
        err = (struct mpl_err){ 0 };
        ck_assert_int_eq(mpl_case_open(folder, &command, is_dry != 0, &c, &err),
                         MPL_E_USAGE);
        ck_assert_str_eq(err.cause[0].text,
                         mpl_arena_printf(arena,
                                          "\"%s\" holds \"diary\" and no case; name a "
                                          "directory that is new or empty",
                                          folder));
        ck_assert(holds_nothing_but("diary", "diary"));
    }
    (void) unlink(path_of("diary"));
    ck_assert_msg(open_again() == MPL_OK, "an empty one can become a case");
}
END_TEST

/* A full disk: what was there before stays. */
START_TEST(a_case_that_cannot_be_written_stays_as_it_was)
{
    ck_assert_int_eq(open_again(), MPL_OK);
    const char *before = case_text();
    const struct rlimit limit = { 64, 64 };
    *mpl_case_add(c) = sample;

    (void) signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_int_eq(mpl_case_write(c, &err), MPL_E_IO);
    ck_assert_ptr_nonnull(strstr(err.cause[0].text, "\": File too large"));
    ck_assert_str_eq(case_text(), before);
    ck_assert(holds_nothing_but("case.yaml", "case.lock"));
}
END_TEST

START_TEST(running_out_of_memory_is_told)
{
    long n_failed = 0;

    /* What fails is sometimes done without: until it succeeds 200 times in a row. */
    for (long n = 0, n_good = 0; n_good < 200; n++) {
        mpl_case_close(c);
        c = NULL;
        mpl_alloc_fail_after(n);
        enum mpl_status st = mpl_case_open(folder, &command, false, &c, &err);
        st = st == MPL_OK ? mpl_case_write(c, &err) : st;
        mpl_alloc_fail_after(-1);
        n_good = st == MPL_OK ? n_good + 1 : 0;
        if (st != MPL_OK) {
            ck_assert_int_eq(st, MPL_E_NOMEM);
            n_failed++;
        }
        ck_assert(holds_nothing_but("case.yaml", "case.lock"));
    }
    ck_assert_int_gt(n_failed, 10);
}
END_TEST

START_TEST(the_nearest_anchor_is_found)
{
    const char *deep = path_of("b/c");
    ck_assert_int_eq(mpl_folder_make(deep, &err), MPL_OK);
    ck_assert_ptr_null(mpl_folder_anchor(folder, arena));
    ck_assert_int_eq(mpl_folder_write(path_of("b/c/y.otf2"), "12", 2, &err), MPL_OK);
    ck_assert_str_eq(mpl_folder_anchor(folder, arena), "b/c/y.otf2");
    ck_assert_int_eq(mpl_folder_write(path_of("b/z.otf2"), "123", 3, &err), MPL_OK);
    ck_assert_str_eq(mpl_folder_anchor(folder, arena), "b/z.otf2");
    ck_assert_uint_eq(mpl_folder_bytes(folder), 5);
    (void) unlink(path_of("b/c/y.otf2"));
    (void) unlink(path_of("b/z.otf2"));
    (void) rmdir(path_of("b/c"));
    (void) rmdir(path_of("b"));
    ck_assert_ptr_null(mpl_folder_anchor("no-such-folder", arena));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("experiment: cases");
    TCase *tcase = add_case(suite, "cases", begin, end);

    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, what_was_written_comes_back);
    tcase_add_test(tcase, what_is_not_known_of_the_machine_is_not_written);
    tcase_add_test(tcase, a_run_that_was_stopped_is_diagnosed_where_none_came_to_its_end);
    tcase_add_test(tcase, runs_that_failed_are_told_in_a_line_each);
    tcase_add_test(tcase, another_command_is_refused);
    tcase_add_test(tcase, two_cannot_work_in_it);
    tcase_add_test(tcase, a_dry_case_makes_nothing);
    tcase_add_test(tcase, a_file_is_no_case);
    tcase_add_loop_test(tcase, damage_is_told_and_left_as_it_is, 0, N_DAMAGES);
    tcase_add_test(tcase, a_lock_that_is_somebody_elses_file_is_left_as_it_is);
    tcase_add_test(tcase, a_dangling_link_makes_no_file_elsewhere);
    tcase_add_test(tcase, a_folder_with_other_things_is_no_case);
    tcase_add_test(tcase, a_case_that_cannot_be_written_stays_as_it_was);
    tcase_add_test(tcase, running_out_of_memory_is_told);
    tcase_add_test(tcase, the_nearest_anchor_is_found);
    return run_suite(suite);
}
