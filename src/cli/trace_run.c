#include "config.h"

#include "cli/trace_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the library for a program ------------------------------------------------------------------ */

static const char *find_library(const char *mpi, struct mpl_arena *arena)
{
    const char *file = mpl_arena_printf(arena, "libmarple-trace-%s.so", mpi);

    return file != NULL ? mpl_own_library(file, arena) : NULL;
}

/* Launchers tell what they are by what they leave in the environment: a program, which may be a script, does not. */
static const char *mpi_of_launcher(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") != NULL ? "openmpi"
           : getenv("PMI_SIZE") != NULL           ? "mpich"
                                                  : NULL;
}

static const char *name_of(const char *mpi)
{
    return strcmp(mpi, "mpich") == 0 ? "MPICH" : "Open MPI";
}

/* One of the processes stands for all. */
static bool is_speaker(void)
{
    const char *ompi = getenv("OMPI_COMM_WORLD_RANK");
    const char *pmi = getenv("PMI_RANK");
    const char *rank = ompi != NULL ? ompi : pmi;

    return rank == NULL || strcmp(rank, "0") == 0;
}

/* The program goes on whatever is reported; what one MPI calls a pointer is a number in the other, so a tracer of another one
 * would not be survived. */
static enum mpl_status choose_mpi(const char *const *words, size_t n,
                                  struct mpl_arena *arena, const char **out,
                                  struct mpl_err *err)
{
    const struct mpl_trace_program program = mpl_trace_look(words, n, arena);
    const char *launcher = program.launcher != NULL ? program.launcher : mpi_of_launcher();
    const char *asked = getenv("MARPLE_TRACE_MPI");
    const char *found = program.mpi != NULL ? program.mpi : launcher;

    asked = asked != NULL && asked[0] != '\0' ? asked : NULL;
    if (asked != NULL && found != NULL && strcmp(asked, found) != 0) {
        return mpl_fail(err, MPL_E_USAGE, "MARPLE_TRACE_MPI is \"%s\", but the %s is %s",
                        asked, program.mpi != NULL ? "MPI of the program" : "launcher's",
                        found);
    }
    if (program.obstacle != NULL && is_speaker()) {
        mpl_text_print(stderr, "marple: \"%s\" is not recorded: %s\n", program.word,
                       program.obstacle);
    }
    if (program.mpi != NULL && launcher != NULL && strcmp(program.mpi, launcher) != 0 &&
        is_speaker()) {
        mpl_text_print(
            stderr,
            "marple: \"%s\" is linked with %s, and started by the launcher of %s: "
            "its processes will not find each other\n",
            program.word, name_of(program.mpi), name_of(launcher));
    }
    *out = found != NULL ? found : asked;
    return MPL_OK;
}

static enum mpl_status choose_library(const char *const *words, size_t n,
                                      struct mpl_arena *arena, const char **out,
                                      struct mpl_err *err)
{
    const char *mpi = NULL;
    const enum mpl_status st = choose_mpi(words, n, arena, &mpi, err);

    if (st != MPL_OK) {
        return st;
    }
    if (mpi != NULL) {
        *out = find_library(mpi, arena);
        return *out != NULL ? MPL_OK
                            : mpl_fail(err, MPL_E_UNSUPPORTED,
                                       "marple was built without a tracer for \"%s\"", mpi);
    }
    *out = find_library("openmpi", arena);
    *out = *out != NULL ? *out : find_library("mpich", arena);
    return *out != NULL
               ? MPL_OK
               : mpl_fail(err, MPL_E_UNSUPPORTED,
                          "marple was built without a tracer, as configure found no MPI");
}

static bool set_variable(const char *name, const char *value)
{
    return value == NULL || setenv(name, value, 1) == 0;
}

/* In front of what is preloaded already. */
static bool set_environment(const char *library, const struct mpl_trace_how *how,
                            struct mpl_arena *arena)
{
    const char *before = getenv("LD_PRELOAD");
    const char *all = before != NULL && before[0] != '\0'
                          ? mpl_arena_printf(arena, "%s:%s", library, before)
                          : library;

    return all != NULL && set_variable("LD_PRELOAD", all) &&
           set_variable("MARPLE_TRACE_SPOOLS", how->spools) &&
           set_variable("MARPLE_TRACE_CALL_STACK", how->call_stack) &&
           set_variable("MARPLE_TRACE_CPU_INTERVAL", how->cpu_interval_us);
}

/* Of ours, which those whom we start inherit, and their children. */
static enum mpl_status set_up(const char *const *words, size_t n,
                              const struct mpl_trace_how *how, struct mpl_arena *arena,
                              struct mpl_err *err)
{
    const char *library = NULL;
    const enum mpl_status st = choose_library(words, n, arena, &library, err);

    if (st != MPL_OK) {
        return st;
    }
    /* Only marple trace has made the directory. All processes may try at once, and where it
     * cannot be made the library says so: the program runs all the same. */
    const char *slash = strrchr(how->spools, '/');
    const char *parent = slash != NULL ? mpl_arena_strndup(arena, how->spools,
                                                           (size_t) (slash - how->spools))
                                       : NULL;

    if (parent != NULL) {
        (void) mkdir(parent, 0777);
    }
    (void) mkdir(how->spools, 0777);
    return set_environment(library, how, arena) ? MPL_OK : mpl_nomem(err);
}

/* ---- becoming the program ---------------------------------------------------------------------- */

static enum mpl_status copy_words(const char *const *words, size_t n,
                                  struct mpl_arena *arena, char ***out, struct mpl_err *err)
{
    char **copy = MPL_NEW_ARRAY(arena, n + 1, char *);

    for (size_t i = 0; copy != NULL && i < n; i++) {
        copy[i] = mpl_arena_strdup(arena, words[i]);
        if (copy[i] == NULL) {
            return mpl_nomem(err);
        }
    }
    *out = copy;
    return copy != NULL ? MPL_OK : mpl_nomem(err);
}

enum mpl_status mpl_trace_become(const char *const *words, size_t n,
                                 const struct mpl_trace_how *how, struct mpl_arena *arena,
                                 struct mpl_err *err)
{
    char **copy = NULL;
    enum mpl_status st = set_up(words, n, how, arena, err);

    st = st == MPL_OK ? copy_words(words, n, arena, &copy, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    (void) execvp(copy[0], copy);
    return mpl_fail(err, MPL_E_IO, "cannot start \"%s\": %s", copy[0], strerror(errno));
}

/* ---- waiting for a program ----------------------------------------------------------------- */

static enum mpl_status wait_for(pid_t child, const sigset_t *asks, struct mpl_ended *ended,
                                struct mpl_err *err)
{
    int status = 0;
    pid_t done;

    while ((done = waitpid(child, &status, WNOHANG)) == 0 || (done < 0 && errno == EINTR)) {
        /* Ctrl-C reaches the program from the terminal, and it decides; a signal that was sent to us is for both. */
        const struct timespec moment = { .tv_nsec = 20 * 1000 * 1000 };
        siginfo_t info;
        const int number = sigtimedwait(asks, &info, &moment);

        if (number > 0 && info.si_code != SI_KERNEL) {
            (void) kill(child, number);
        }
    }
    if (done < 0) {
        return mpl_fail(err, MPL_E_IO, "%s", strerror(errno));
    }
    ended->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ended->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return MPL_OK;
}

/* The child says through the pipe why it could not begin; when it does, the pipe is closed. */
static void begin(char **words, int pipe_end, const sigset_t *before)
{
    (void) sigprocmask(SIG_SETMASK, before, NULL);
    (void) execvp(words[0], words);
    const int reason = errno;
    (void) mpl_file_put(pipe_end, &reason, sizeof reason);
    _exit(127);
}

static enum mpl_status start(char **words, const sigset_t *before, pid_t *child,
                             struct mpl_err *err)
{
    int ends[2];
    int reason = 0;

    if (pipe2(ends, O_CLOEXEC) != 0 || (*child = fork()) < 0) {
        return mpl_fail(err, MPL_E_IO, "%s", strerror(errno));
    }
    if (*child == 0) {
        begin(words, ends[1], before);
    }
    (void) close(ends[1]);
    while (read(ends[0], &reason, sizeof reason) < 0 && errno == EINTR) {
    }
    (void) close(ends[0]);
    if (reason != 0) {
        (void) waitpid(*child, NULL, 0);
        return mpl_fail(err, MPL_E_IO, "%s", strerror(reason));
    }
    return MPL_OK;
}

enum mpl_status mpl_trace_run(const char *const *words, size_t n,
                              const struct mpl_trace_how *how, struct mpl_arena *arena,
                              struct mpl_ended *ended, struct mpl_err *err)
{
    char **copy = NULL;
    sigset_t
        asks; /* Signals that ask us to end: blocked, so that wait_for() can pass them on. */
    sigset_t before;
    pid_t child = -1;
    enum mpl_status st = how != NULL ? set_up(words, n, how, arena, err) : MPL_OK;

    st = st == MPL_OK ? copy_words(words, n, arena, &copy, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    (void) sigemptyset(&asks);
    (void) sigaddset(&asks, SIGINT);
    (void) sigaddset(&asks, SIGTERM);
    (void) sigaddset(&asks, SIGHUP);
    (void) sigprocmask(SIG_BLOCK, &asks, &before);
    st = start(copy, &before, &child, err);
    st = st == MPL_OK ? wait_for(child, &asks, ended, err)
                      : mpl_wrap(err, st, "cannot start \"%s\"", words[0]);
    (void) sigprocmask(SIG_SETMASK, &before, NULL);
    return st;
}
