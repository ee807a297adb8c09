/* Programs that end well, badly, late, or not at all; and what they leave behind. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/arena.h"
#include "../lib/suite.h"

static struct mpl_err err;
static char folder[] = "experiment-XXXXXX";
static const char *out_path, *err_path;

static void begin(void)
{
    err = (struct mpl_err){ 0 };
    create_arena();
    strcpy(folder, "experiment-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    out_path = mpl_arena_printf(arena, "%s/stdout", folder);
    err_path = mpl_arena_printf(arena, "%s/stderr", folder);
}

static void end(void)
{
    (void) unlink(out_path);
    (void) unlink(err_path);
    (void) rmdir(folder);
    destroy_arena();
}

/* Runs the words; \p change may be NULL. */
static struct program_end run(const char *const *words, size_t n,
                              void (*change)(struct program *))
{
    struct program program = { .words = words,
                               .n_words = n,
                               .out_path = out_path,
                               .err_path = err_path,
                               .grace_s = 0.5 };
    struct program_end ended;

    if (change != NULL) {
        change(&program);
    }
    ck_assert_int_eq(mpl_program_run(&program, arena, &ended, &err), MPL_OK);
    return ended;
}

static struct program_end run_script(const char *script, void (*change)(struct program *))
{
    return run((const char *const[]){ "sh", "-c", script }, 3, change);
}

static const char *text_of(const char *path)
{
    char *text = NULL;
    size_t bytes = 0;

    ck_assert_int_eq(mpl_file_read(path, 1 << 30, arena, &text, &bytes, &err), MPL_OK);
    return text;
}

START_TEST(exit_status_and_output_are_kept)
{
    const struct program_end ended = run_script("echo out; echo err >&2; exit 3", NULL);

    ck_assert_int_eq(ended.start_errno, 0);
    ck_assert_int_eq(ended.exit_status, 3);
    ck_assert_int_eq(ended.signal, 0);
    ck_assert_uint_eq(ended.n_killed, 0);
    ck_assert_str_eq(text_of(out_path), "out\n");
    ck_assert_str_eq(text_of(err_path), "err\n");
}
END_TEST

START_TEST(words_stay_words)
{
    const char *const words[] = { "printf", "%s|", "a b", "$HOME", "`id`", "", "x;y" };

    ck_assert_int_eq(run(words, 7, NULL).exit_status, 0);
    ck_assert_str_eq(text_of(out_path), "a b|$HOME|`id`||x;y|");
}
END_TEST

static void add_environment(struct program *program)
{
    static const struct mpl_setting_pair pairs[] = { { "MPL_TEST_B", "two words" },
                                                     { "MPL_TEST_A", "new" } };
    program->environment = pairs;
    program->n_environment = 2;
}

START_TEST(environment_is_added_and_replaced)
{
    (void) setenv("MPL_TEST_A", "old", 1);
    (void) setenv("MPL_TEST_C", "kept", 1);
    (void) run_script("echo $MPL_TEST_A $MPL_TEST_B $MPL_TEST_C", add_environment);
    ck_assert_str_eq(text_of(out_path), "new two words kept\n");
    ck_assert_str_eq(getenv("MPL_TEST_A"), "old");
}
END_TEST

START_TEST(nothing_can_be_read)
{
    ck_assert_int_eq(run_script("read x && exit 1; exit 0", NULL).exit_status, 0);
}
END_TEST

START_TEST(a_signal_is_told)
{
    const struct program_end ended = run_script("kill -SEGV $$", NULL);

    ck_assert_int_eq(ended.exit_status, -1);
    ck_assert_int_eq(ended.signal, SIGSEGV);
    ck_assert(!ended.has_timed_out && !ended.is_interrupted);
}
END_TEST

/* Whose number is written by the program itself; 0: not yet. */
static pid_t number_in(const char *path)
{
    FILE *in = fopen(path, "r");
    long pid = 0;

    if (in != NULL) {
        pid = fscanf(in, "%ld", &pid) == 1 ? pid : 0;
        (void) fclose(in);
    }
    return (pid_t) pid;
}

START_TEST(a_program_ends_with_who_runs_it_even_by_sigkill)
{
    int status = 0;
    pid_t program = 0;

    /* What is left comes to us, so that its end can be seen. */
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L), 0);
    const pid_t runner = fork();
    if (runner == 0) {
        (void) run_script("echo $$; exec sleep 600", NULL);
        _exit(0);
    }
    for (unsigned n = 0; n < 3000 && program == 0; n++) {
        (void) usleep(10000);
        program = number_in(out_path);
    }
    ck_assert_int_gt(program, 0);
    ck_assert_int_eq(kill(runner, SIGKILL), 0);
    ck_assert_int_eq(waitpid(runner, &status, 0), runner);
    ck_assert_int_eq(waitpid(program, &status, 0), program);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGTERM);
}
END_TEST

START_TEST(a_program_that_is_not_there_is_told)
{
    const char *const words[] = { "./no-such-program" };

    ck_assert_int_eq(run(words, 1, NULL).start_errno, ENOENT);
}
END_TEST

START_TEST(a_file_that_cannot_be_made_is_an_error)
{
    const char *const words[] = { "true" };
    const struct program program = {
        .words = words, .n_words = 1, .out_path = "no-such-folder/out", .err_path = err_path
    };
    struct program_end ended;

    ck_assert_int_eq(mpl_program_run(&program, arena, &ended, &err), MPL_E_IO);
    ck_assert_str_eq(err.cause[0].text,
                     "cannot create \"no-such-folder/out\": No such file or directory");
}
END_TEST

START_TEST(huge_output_blocks_nobody)
{
    struct stat st;

    ck_assert_int_eq(run_script("head -c 50000000 /dev/zero", NULL).exit_status, 0);
    ck_assert_int_eq(stat(out_path, &st), 0);
    ck_assert_int_eq(st.st_size, 50000000);
}
END_TEST

static void short_time(struct program *program)
{
    program->timeout_s = 1;
}

START_TEST(a_program_that_hangs_is_told_to_end)
{
    const struct program_end ended = run_script(
        "trap 'echo bye; exit 7' TERM; while :; do sleep 0.05; done", short_time);

    ck_assert(ended.has_timed_out);
    ck_assert_int_eq(ended.exit_status, 7);
    ck_assert_double_ge(ended.duration_s, 1);
    ck_assert_double_lt(ended.duration_s, 30);
    ck_assert_str_eq(text_of(out_path), "bye\n");
}
END_TEST

START_TEST(a_program_that_will_not_end_is_killed)
{
    const struct program_end ended =
        run_script("trap '' TERM; while :; do sleep 0.05; done", short_time);

    ck_assert(ended.has_timed_out);
    ck_assert_int_eq(ended.signal, SIGKILL);
}
END_TEST

/* The number that the program wrote. */
static pid_t written_pid(void)
{
    return (pid_t) strtol(text_of(out_path), NULL, 10);
}

START_TEST(what_a_killed_launcher_leaves_is_killed_too)
{
    const struct program_end ended =
        run_script("setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.05; done' & "
                   "sleep 1; kill -KILL $$",
                   NULL);

    ck_assert_int_eq(ended.signal, SIGKILL);
    ck_assert_uint_ge(ended.n_killed, 1);
    ck_assert_int_gt(written_pid(), 1);
    ck_assert_int_eq(kill(written_pid(), 0), -1);
    ck_assert_int_eq(errno, ESRCH);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* no zombie */
}
END_TEST

START_TEST(a_child_of_ours_from_before_is_left_alone)
{
    const pid_t child = fork();

    if (child == 0) {
        (void) execlp("sleep", "sleep", "60", (char *) NULL);
        _exit(127);
    }
    /* Ages are counted in hundredths of a second. */
    (void) usleep(50000);
    ck_assert_uint_eq(run_script("exit 0", NULL).n_killed, 0);
    ck_assert_int_eq(kill(child, 0), 0);
    (void) kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
}
END_TEST

static bool interrupt_once(void *context, const struct offspring *offspring,
                           double elapsed_s)
{
    bool *is_done = context;

    (void) offspring;
    if (!*is_done && elapsed_s > 1) {
        *is_done = true;
        (void) kill(getpid(), SIGINT);
    }
    return false;
}

static void be_interrupted(struct program *program)
{
    static bool is_done;

    is_done = false;
    program->tick = interrupt_once;
    program->context = &is_done;
}

START_TEST(an_interrupt_ends_the_program_and_not_us)
{
    const struct program_end ended =
        run_script("trap 'exit 5' TERM; while :; do sleep 0.05; done", be_interrupted);
    sigset_t now;

    ck_assert(ended.is_interrupted);
    ck_assert(!ended.has_timed_out);
    ck_assert_int_eq(ended.exit_status, 5);
    ck_assert_int_eq(sigprocmask(SIG_BLOCK, NULL, &now), 0);
    ck_assert(!sigismember(&now, SIGINT));
}
END_TEST

/* The number of a program that has long ended may be given to another one. */
START_TEST(a_number_that_was_given_again_is_somebody_elses)
{
    const pid_t pid = fork();

    if (pid == 0) {
        (void) setsid();
        for (;;) {
            (void) pause();
        }
    }
    while (getsid(pid) != pid) {
        (void) usleep(1000);
    }
    const struct offspring its = mpl_offspring_of(pid);
    const struct offspring anothers = { .leader = pid, .started = its.started + 1000 };
    const unsigned n_its = mpl_offspring_signal(&its, 0);
    const unsigned n_anothers = mpl_offspring_signal(&anothers, 0);
    (void) kill(pid, SIGKILL);
    (void) waitpid(pid, NULL, 0);
    ck_assert_uint_eq(n_its, 1);
    ck_assert_uint_eq(n_anothers, 0);
}
END_TEST

static bool quit_once(void *context, const struct offspring *offspring, double elapsed_s)
{
    bool *is_done = context;

    (void) offspring;
    if (!*is_done && elapsed_s >= 0.3) {
        *is_done = true;
        (void) kill(getpid(), SIGQUIT);
    }
    return false;
}

static bool has_quit;

static void be_quit(struct program *program)
{
    has_quit = false;
    program->tick = quit_once;
    program->context = &has_quit;
    program->grace_s = 60;
}

START_TEST(a_quit_kills_at_once_what_does_not_listen)
{
    const double since = mpl_now_s();
    const struct program_end ended =
        run_script("trap '' TERM QUIT; while :; do sleep 0.1; done", be_quit);

    ck_assert(ended.is_interrupted);
    ck_assert_int_eq(ended.signal, SIGKILL);
    ck_assert_double_lt(mpl_now_s() - since, 30);
}
END_TEST

static bool pause_once(void *context, const struct offspring *offspring, double elapsed_s)
{
    bool *is_done = context;

    (void) offspring;
    if (!*is_done && elapsed_s >= 0.3) {
        *is_done = true;
        (void) kill(getpid(), SIGTSTP);
    }
    return false;
}

static bool has_paused;

static void be_paused(struct program *program)
{
    has_paused = false;
    program->tick = pause_once;
    program->context = &has_paused;
    program->timeout_s = 10;
}

/* As a shell would: continues us when we have stopped. */
static pid_t start_shell(void)
{
    const pid_t us = getpid();
    const pid_t pid = fork();

    for (unsigned i = 0; pid == 0 && i < 30; i++) {
        (void) usleep(500000);
        (void) kill(us, i < 2 ? 0 : SIGCONT);
    }
    if (pid == 0) {
        _exit(0);
    }
    (void) usleep(
        100000); /* What starts in the same tick as the program is taken for its child. */
    return pid;
}

START_TEST(a_pause_stops_the_program_and_us_and_is_no_time_of_the_run)
{
    const pid_t shell = start_shell();
    const double since = mpl_now_s();
    /* While it stands still it cannot count. */
    const struct program_end ended = run_script(
        "for i in 1 2 3 4 5 6 7 8 9 10; do date +%s%N; sleep 0.1; done", be_paused);
    const double wall_s = mpl_now_s() - since;
    unsigned long long before = 0;
    unsigned long long gap = 0;

    (void) kill(shell, SIGKILL);
    (void) waitpid(shell, NULL, 0);
    ck_assert(!ended.is_interrupted);
    ck_assert_int_eq(ended.exit_status, 0);
    ck_assert_double_gt(ended.paused_s, 0.5);
    ck_assert_double_le(ended.duration_s, wall_s - 0.5);
    for (const char *p = text_of(out_path); *p != '\0'; p = strchr(p, '\n') + 1) {
        const unsigned long long at = strtoull(p, NULL, 10);

        gap = before > 0 && at - before > gap ? at - before : gap;
        before = at;
    }
    ck_assert_msg(gap > 500000000ULL, "the longest gap is %llu ns", gap);
}
END_TEST

static bool enough(void *context, const struct offspring *offspring, double elapsed_s)
{
    (void) context;
    (void) offspring;
    return elapsed_s > 0.2;
}

static void stop_soon(struct program *program)
{
    program->tick = enough;
}

START_TEST(a_tick_can_stop_it)
{
    const struct program_end ended = run_script("sleep 60", stop_soon);

    ck_assert(ended.is_stopped);
    ck_assert_int_eq(ended.signal, SIGTERM);
}
END_TEST

/* Each says so when it is told to end; "read" because a child of its own would have its rank, too. */
static const char two_ranks[] =
    "cd %s; mkfifo never; exec 3<>never\n"
    "export OMPI_COMM_WORLD_SIZE=2\n"
    "for r in 0 1; do OMPI_COMM_WORLD_RANK=$r sh -c "
    "'trap \"echo told >rank-$0; exit 0\" TERM; while :; do read x <&3; done' $r & done\n"
    "wait";

static bool write_out(void *context, const struct offspring *offspring)
{
    (void) context;
    return mpl_ranks_write_out(offspring, folder, 0); /* As the launcher told them. */
}

static bool write_out_three(void *context, const struct offspring *offspring)
{
    (void) context;
    return mpl_ranks_write_out(offspring, folder, 3);
}

static bool has_file(const char *name)
{
    return access(mpl_arena_printf(arena, "%s/%s", folder, name), F_OK) == 0;
}

static bool has_first_written(void *context)
{
    (void) context;
    return has_file("rank-0");
}

static void let_write(struct program *program)
{
    program->timeout_s = 1;
    program->write_out = write_out;
    program->has_written = has_first_written;
    program->write_s = 20;
}

/* Asked some times a second, so that the other one had its time, too. */
static bool has_first_alone_written(void *context)
{
    static unsigned n_asked;

    (void) context;
    n_asked++;
    ck_assert(!has_file("rank-1"));
    return n_asked > 3 && has_file("rank-0");
}

static void let_first_write(struct program *program)
{
    let_write(program);
    program->has_written = has_first_alone_written;
}

static void remove_all(const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        (void) unlink(mpl_arena_printf(arena, "%s/%s", folder, names[i]));
    }
}

static void make(const char *name)
{
    ck_assert_int_eq(
        mpl_folder_write(mpl_arena_printf(arena, "%s/%s", folder, name), "", 0, &err),
        MPL_OK);
}

START_TEST(ranks_whose_time_is_over_are_told_to_write)
{
    const struct program_end ended =
        run_script(mpl_arena_printf(arena, two_ranks, folder), let_write);

    ck_assert(ended.has_timed_out);
    ck_assert(has_file("rank-0") && has_file("rank-1"));
    remove_all((const char *const[]){ "never", "rank-0", "rank-1" }, 3);
}
END_TEST

/* Rank 1 waits in MPI_Finalize for the other, with its events written: it is left alone. */
START_TEST(a_rank_that_has_written_is_not_disturbed)
{
    make("0.def");
    make("5000000000.def");
    make("5000000000.evt");
    const struct program_end ended =
        run_script(mpl_arena_printf(arena, two_ranks, folder), let_first_write);

    ck_assert(ended.has_timed_out);
    ck_assert(has_file("rank-0"));
    ck_assert_double_lt(ended.duration_s, 10);
    remove_all((const char *const[]){ "never", "rank-0", "rank-1", "0.def",
                                      "5000000000.def", "5000000000.evt" },
               6);
}
END_TEST

static void let_three_write(struct program *program)
{
    let_write(program);
    program->write_out = write_out_three;
}

START_TEST(where_ranks_are_elsewhere_the_launcher_is_told)
{
    const struct program_end ended =
        run_script(mpl_arena_printf(arena, two_ranks, folder), let_three_write);

    ck_assert(ended.has_timed_out);
    ck_assert_int_eq(ended.signal, SIGTERM);
    ck_assert_double_lt(ended.duration_s, 10);
    remove_all((const char *const[]){ "never", "rank-0", "rank-1" }, 3);
}
END_TEST

START_TEST(where_nobody_has_a_rank_the_launcher_is_told)
{
    const struct program_end ended = run_script("exec sleep 60", let_write);

    ck_assert(ended.has_timed_out);
    ck_assert_int_eq(ended.signal, SIGTERM);
    ck_assert_double_lt(ended.duration_s, 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("experiment: programs");
    TCase *tcase = add_case(suite, "programs", begin, end);

    /* Who is started in the background of a script ignores these, and what it runs does, too. */
    (void) signal(SIGINT, SIG_DFL);
    (void) signal(SIGQUIT, SIG_DFL);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, exit_status_and_output_are_kept);
    tcase_add_test(tcase, words_stay_words);
    tcase_add_test(tcase, environment_is_added_and_replaced);
    tcase_add_test(tcase, nothing_can_be_read);
    tcase_add_test(tcase, a_signal_is_told);
    tcase_add_test(tcase, a_program_ends_with_who_runs_it_even_by_sigkill);
    tcase_add_test(tcase, a_program_that_is_not_there_is_told);
    tcase_add_test(tcase, a_file_that_cannot_be_made_is_an_error);
    tcase_add_test(tcase, huge_output_blocks_nobody);
    tcase_add_test(tcase, a_program_that_hangs_is_told_to_end);
    tcase_add_test(tcase, a_program_that_will_not_end_is_killed);
    tcase_add_test(tcase, what_a_killed_launcher_leaves_is_killed_too);
    tcase_add_test(tcase, a_child_of_ours_from_before_is_left_alone);
    tcase_add_test(tcase, an_interrupt_ends_the_program_and_not_us);
    tcase_add_test(tcase, a_number_that_was_given_again_is_somebody_elses);
    tcase_add_test(tcase, a_quit_kills_at_once_what_does_not_listen);
    tcase_add_test(tcase, a_pause_stops_the_program_and_us_and_is_no_time_of_the_run);
    tcase_add_test(tcase, a_tick_can_stop_it);
    tcase_add_test(tcase, ranks_whose_time_is_over_are_told_to_write);
    tcase_add_test(tcase, a_rank_that_has_written_is_not_disturbed);
    tcase_add_test(tcase, where_ranks_are_elsewhere_the_launcher_is_told);
    tcase_add_test(tcase, where_nobody_has_a_rank_the_launcher_is_told);
    return run_suite(suite);
}
