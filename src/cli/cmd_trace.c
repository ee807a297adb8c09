#include "config.h"

#include "cli/trace_priv.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive.h"
#include "spool/spool.h"

enum { MOST_FRAMES = 16, MOST_INTERVAL_US = 1000 * 1000 * 1000 };

struct trace_opts {
    struct mpl_words words;
    struct mpl_command command; /* the same */
    const char *output;
    const char *recover;
    const char *preload;
    bool has_just_ended;
    struct mpl_trace_how how;
    bool force;
};

/* Numbers go on to the processes as texts. */
static enum mpl_status take_digits(struct mpl_args *args, void *target, struct mpl_err *err)
{
    long number = 0;

    *(const char **) target = args->value;
    return mpl_take_number(args, &number, err);
}

#define INTO(take, field) MPL_INTO(take, struct trace_opts, field)

static const struct mpl_option options[] = {
    { 'o', "output", "DIR", "write the trace to DIR; marple-trace",
      INTO(mpl_take_word, output) },
    { 'f', "force", NULL, "replace DIR if it is a trace", INTO(mpl_take_flag, force) },
    { 0, "call-stack", "N", "record N functions of the program per call; 1, 0: none",
      INTO(take_digits, how.call_stack), MPL_WITHIN(0, MOST_FRAMES) },
    { 0, "cpu-interval", "US", "ask for CPU time every US microseconds; 100, 0: never",
      INTO(take_digits, how.cpu_interval_us), MPL_WITHIN(0, MOST_INTERVAL_US) },
    { 0, "recover", "DIR", "run nothing: make a trace of what a run left in DIR",
      INTO(mpl_take_word, recover) },
    { 0, "just-ended", NULL, "with --recover: the run has ended just now, on this machine",
      INTO(mpl_take_flag, has_just_ended) },
    { 0, "preload", "DIR", "become COMMAND, one process, that records into DIR",
      INTO(mpl_take_word, preload) },
    { 0 },
};

static enum mpl_status check(struct trace_opts *opts, struct mpl_err *err)
{
    opts->command = (struct mpl_command){ .words = opts->words.items, .n = opts->words.n };
    if (opts->recover != NULL && opts->preload != NULL) {
        return mpl_fail(err, MPL_E_USAGE, "--recover and --preload exclude each other");
    }
    if (opts->recover != NULL && opts->command.n > 0) {
        return mpl_fail(err, MPL_E_USAGE, "--recover runs no command");
    }
    if (opts->recover == NULL && opts->command.n == 0) {
        return mpl_fail(err, MPL_E_USAGE, "trace needs a command: -- mpirun -np 8 ./app");
    }
    return MPL_OK;
}

/* ---- what is said ------------------------------------------------------------------------------ */

static void tell_end(const struct mpl_ended *ended)
{
    if (ended->signal != 0) {
        mpl_text_print(stderr, "marple: the program was ended by signal %d (%s)\n",
                       ended->signal, strsignal(ended->signal));
    } else if (ended->exit_status != 0) {
        mpl_text_print(stderr, "marple: the program ended with exit status %d\n",
                       ended->exit_status);
    }
}

static void tell(const char *directory, const struct mpl_spool_summary *s,
                 struct mpl_arena *arena)
{
    const char *events = mpl_text_count(arena, s->n_events);

    mpl_text_print(stderr, "marple: %s events of %u processes are in \"%s\"\n",
                   events != NULL ? events : "?", s->n_processes, directory);
    if (s->n_found < s->n_processes) {
        mpl_text_print(stderr, "marple: %u of %u processes left nothing\n",
                       s->n_processes - s->n_found, s->n_processes);
    }
    if (s->n_cut > 0) {
        mpl_text_print(stderr,
                       "marple: %u of %u processes did not come to MPI_Finalize; the trace "
                       "shows what they did until then\n",
                       s->n_cut, s->n_found);
    }
    if (s->n_full > 0) {
        mpl_text_print(stderr,
                       "marple: %u processes had no room for all of their records, and "
                       "stopped recording there\n",
                       s->n_full);
    }
    if (s->n_recorded < s->n_stretches) {
        mpl_text_print(stderr,
                       "marple: to keep to the size, %llu of %llu stretches between "
                       "operations of all processes were recorded\n",
                       (unsigned long long) s->n_recorded,
                       (unsigned long long) s->n_stretches);
    }
    if (s->n_foreign > 0) {
        mpl_text_print(stderr,
                       "marple: messages to processes that the program started or joined "
                       "are left out: %llu records\n",
                       (unsigned long long) s->n_foreign);
    }
}

/* ---- the directory -------------------------------------------------------------------------------- */

static const char *spools_of(const char *directory, struct mpl_arena *arena)
{
    return mpl_arena_printf(arena, "%s/spools", directory);
}

/* \p has_just_run: this command has run the program. */
static enum mpl_status write_trace(const char *directory, bool has_just_run,
                                   bool has_just_ended, struct mpl_arena *arena,
                                   struct mpl_err *err)
{
    const char *spools = spools_of(directory, arena);
    struct mpl_spool_summary summary;

    if (spools == NULL) {
        return mpl_nomem(err);
    }
    const unsigned held = mpl_ends_hold();
    const enum mpl_status st =
        mpl_spools_write(spools, directory, has_just_ended, &summary, err);
    mpl_ends_let_go(held);
    if (st == MPL_OK) {
        tell(directory, &summary, arena);
        return st;
    }
    /* With --recover that has been said already, and what is in the way stays there. */
    return has_just_run && mpl_spools_exist(spools)
               ? mpl_wrap(err, st,
                          "cannot write the trace; what was recorded is kept, and "
                          "marple trace --recover %s makes a trace of it",
                          directory)
               : st;
}

/* Directories that nothing was written to go again; what holds something stays. */
static void drop_directory(const struct trace_opts *opts, const char *spools,
                           struct mpl_arena *arena)
{
    const char *command = mpl_arena_printf(arena, "%s/" MPL_SPOOLS_COMMAND, spools);

    if (command != NULL && !mpl_spools_exist(spools)) {
        (void) unlink(command);
    }
    if (rmdir(spools) == 0) {
        (void) rmdir(opts->output);
    }
}

/* Processes may run in other directories, so its path is made absolute. */
static enum mpl_status make_directory(const struct trace_opts *opts,
                                      struct mpl_arena *arena, const char **spools,
                                      struct mpl_err *err)
{
    char whole[PATH_MAX];
    const char *path = spools_of(opts->output, arena);

    if (path == NULL) {
        return mpl_nomem(err);
    }
    if (mpl_spools_exist(path)) {
        return mpl_fail(err, MPL_E_USAGE,
                        "\"%s\" holds a run that was not made a trace of; marple trace "
                        "--recover %s does",
                        opts->output, opts->output);
    }
    /* Of a run that was ended before any process recorded. */
    drop_directory(opts, path, arena);
    const enum mpl_status st = mpl_dir_check_target(opts->output, opts->force, arena, err);
    if (st != MPL_OK) {
        return st;
    }
    if ((mkdir(opts->output, 0777) != 0 && errno != EEXIST) ||
        (mkdir(path, 0777) != 0 && errno != EEXIST) || realpath(path, whole) == NULL) {
        return mpl_fail(err, MPL_E_IO, "cannot make \"%s\": %s", path, strerror(errno));
    }
    *spools = mpl_arena_strdup(arena, whole);
    return *spools != NULL ? MPL_OK : mpl_nomem(err);
}

/* The trace records how the run was started. A run whose spools are there and this is not, is as good. */
static void note_command(const struct mpl_command *command, const char *spools,
                         struct mpl_arena *arena)
{
    const char *path = mpl_arena_printf(arena, "%s/" MPL_SPOOLS_COMMAND, spools);
    FILE *out = path != NULL ? fopen(path, "we") : NULL;

    for (size_t i = 0; out != NULL && i < command->n; i++) {
        const char *word = mpl_shell_quote(arena, command->words[i]);

        mpl_text_print(out, "%s%s", i > 0 ? " " : "", word != NULL ? word : "?");
    }
    if (out != NULL) {
        (void) fclose(out);
    }
}

static enum mpl_status trace(const struct trace_opts *opts, struct mpl_arena *arena,
                             struct mpl_err *err)
{
    const char *self = mpl_own_program(arena);
    const char *const *words = NULL;
    const char *spools = NULL;
    struct mpl_ended ended = { 0 };
    size_t n = 0;
    const bool has_place = mpl_command_has(&opts->command, "{tracer}");
    enum mpl_status st = make_directory(opts, arena, &spools, err);

    if (st != MPL_OK) {
        return st;
    }
    const char *const launch[] = {
        self != NULL ? self : "marple",
        "trace",
        "--preload",
        spools,
        "--call-stack",
        opts->how.call_stack != NULL ? opts->how.call_stack : "1",
        "--cpu-interval",
        opts->how.cpu_interval_us != NULL ? opts->how.cpu_interval_us : "100",
        "--",
    };
    struct mpl_trace_how how = opts->how;

    how.spools = spools;
    st = mpl_command_with(&opts->command, launch,
                          has_place ? sizeof launch / sizeof *launch : 0, arena, &words, &n,
                          err);
    note_command(&opts->command, spools, arena);
    st = st == MPL_OK ? mpl_trace_run(words, n, has_place ? NULL : &how, arena, &ended, err)
                      : st;
    if (st == MPL_OK) {
        tell_end(&ended);
        st = mpl_spools_exist(spools) ? write_trace(opts->output, true, true, arena, err)
                                      : mpl_fail(err, MPL_E_MEANING,
                                                 "no process recorded anything: the tracer "
                                                 "sees programs that are linked "
                                                 "with a shared MPI, call MPI_Init, and "
                                                 "may be preloaded into (not setuid)");
    }
    if (st != MPL_OK) {
        drop_directory(opts, spools, arena);
    }
    return st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct trace_opts opts = { .output = "marple-trace" };
    enum mpl_status st = mpl_args_parse(args, &opts, mpl_take_command, &opts.words, err);

    (void) out; /* belongs to the program; the answer is the directory */
    st = st == MPL_OK ? check(&opts, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    if (opts.preload != NULL) {
        opts.how.spools = opts.preload;
        return mpl_trace_become(opts.command.words, opts.command.n, &opts.how, args->arena,
                                err);
    }
    return opts.recover != NULL
               ? write_trace(opts.recover, false, opts.has_just_ended, args->arena, err)
               : trace(&opts, args->arena, err);
}

const struct mpl_cmd mpl_cmd_trace = {
    .name = "trace",
    .operands = "[--] COMMAND...",
    .summary = "run a program and write an OTF2 trace of its MPI calls",
    .options = options,
    .run = run,
};
