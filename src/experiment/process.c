/*
 * A program and all that it starts. It gets a session of its own, so that Ctrl-C reaches us alone and
 * we decide how it ends; and whatever it leaves behind becomes our child (left.c), since mpirun
 * gives each rank a process group of its own and may die before them.
 */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long a rank may take to go after its launcher has ended. */
#define LINGER_S 2.0
#define TICK_S   0.1

extern char **environ;

double mpl_now_s(void)
{
    struct timespec t = { 0 };

    (void) clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* ---- signals to us ------------------------------------------------------------------ */

static const int heard[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };
enum { N_HEARD = sizeof heard / sizeof *heard };

/* Held back during the run and asked for, so that no handler is needed. */
struct held {
    sigset_t before;
    sigset_t waited;
    struct sigaction child_before;
    struct sigaction pipe_before;
    int was_subreaper;
};

static void hold(struct held *held)
{
    struct sigaction now;
    const struct sigaction usual = { .sa_handler = SIG_DFL };
    const struct sigaction ignored = { .sa_handler = SIG_IGN };

    (void) sigemptyset(&held->waited);
    (void) sigaddset(&held->waited, SIGCHLD);
    for (size_t i = 0; i < N_HEARD; i++) {
        /* Who starts us in the background or with nohup has said that it means nothing. */
        if (sigaction(heard[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) {
            (void) sigaddset(&held->waited, heard[i]);
        }
    }
    (void) sigprocmask(SIG_BLOCK, &held->waited, &held->before);
    /* Where it is ignored, wait() does not tell how a child ended. */
    (void) sigaction(SIGCHLD, &usual, &held->child_before);
    /* Whoever reads what we tell may leave; the program must not be left alone for that. */
    (void) sigaction(SIGPIPE, &ignored, &held->pipe_before);
    held->was_subreaper = 0;
    (void) prctl(PR_GET_CHILD_SUBREAPER, &held->was_subreaper);
    (void) prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
}

static void let_go(const struct held *held)
{
    (void) prctl(PR_SET_CHILD_SUBREAPER, (long) held->was_subreaper, 0L, 0L, 0L);
    (void) sigaction(SIGPIPE, &held->pipe_before, NULL);
    (void) sigaction(SIGCHLD, &held->child_before, NULL);
    (void) sigprocmask(SIG_SETMASK, &held->before, NULL);
}

/* Waits for a signal, at most so long; the one that asks something of us, or 0. */
static int rest(const struct held *held, double seconds)
{
    const struct timespec most = { (time_t) seconds,
                                   (long) ((seconds - (double) (time_t) seconds) * 1e9) };
    const int signal = sigtimedwait(&held->waited, NULL, &most);

    return signal > 0 && signal != SIGCHLD ? signal : 0;
}

/* ---- starting ------------------------------------------------------------------------- */

static const char *const *environment_of(const struct program *program,
                                         struct mpl_arena *arena)
{
    size_t n = 0;

    while (environ[n] != NULL) {
        n++;
    }
    const char **all = MPL_NEW_ARRAY(arena, n + program->n_environment + 1, const char *);
    size_t kept = 0;
    for (size_t i = 0; all != NULL && i < n; i++) {
        const size_t length = strcspn(environ[i], "=");
        bool is_replaced = false;

        for (size_t k = 0; k < program->n_environment; k++) {
            const char *name = program->environment[k].name;
            is_replaced |= strlen(name) == length && strncmp(name, environ[i], length) == 0;
        }
        if (!is_replaced) {
            all[kept++] = environ[i];
        }
    }
    for (size_t k = 0; all != NULL && k < program->n_environment; k++) {
        all[kept] = mpl_arena_printf(arena, "%s=%s", program->environment[k].name,
                                     program->environment[k].value);
        if (all[kept++] == NULL) {
            return NULL;
        }
    }
    return all;
}

static bool open_as(int fd, const char *path, int mode)
{
    const int opened = open(path, mode, 0666);

    if (opened < 0 || (opened != fd && (dup2(opened, fd) < 0 || close(opened) != 0))) {
        return false;
    }
    return true;
}

/*
 * The child between its start and its program; only an error brings it back, its errno. It shares its
 * memory with the parent, so it may call the system and change nothing.
 */
static int become(const struct program *program, char *const *words,
                  char *const *environment, const struct held *held, pid_t parent)
{
    const int mode = O_WRONLY | O_CREAT | O_APPEND;
    const struct sigaction usual = { .sa_handler = SIG_DFL };

    for (int number = 1; number < NSIG; number++) {
        (void) sigaction(number, &usual,
                         NULL); /* Some cannot be changed and need not be. */
    }
    /* Whoever kills us cannot be caught, and nobody else would end the program then. */
    if (prctl(PR_SET_PDEATHSIG, (long) SIGTERM, 0L, 0L, 0L) != 0 || setsid() < 0 ||
        !open_as(0, "/dev/null", O_RDONLY) || !open_as(1, program->out_path, mode) ||
        !open_as(2, program->err_path, mode) ||
        sigprocmask(SIG_SETMASK, &held->before, NULL) != 0) {
        return errno;
    }
    if (getppid() != parent) {
        return ECANCELED; /* It has been killed before it could be told. */
    }
    (void) execvpe(words[0], words, environment);
    return errno;
}

/* vfork() copies nothing of what the analyses hold, and returns when the program has begun. */
static int spawn(const struct program *program, char *const *words,
                 char *const *environment, const struct held *held, pid_t *pid)
{
    const pid_t parent = getpid();
    volatile int bad = 0;
    const pid_t child = vfork();

    if (child < 0) {
        return errno;
    }
    if (child == 0) {
        bad = become(program, words, environment, held, parent);
        _exit(127);
    }
    if (bad != 0) {
        (void) waitpid(child, NULL, 0);
        return bad;
    }
    *pid = child;
    return 0;
}

/* So that a file that cannot be made is not taken for a program that cannot be executed. */
static enum mpl_status make_file(const char *path, struct mpl_err *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0) {
        return mpl_fail(err, MPL_E_IO, "cannot create \"%s\": %s", path, strerror(errno));
    }
    (void) close(fd);
    return MPL_OK;
}

/* ---- waiting ------------------------------------------------------------------------------ */

enum stage { STAGE_RUNS, STAGE_WRITES, STAGE_TOLD_TO_END, STAGE_KILLED };

struct watch {
    const struct program *program;
    const struct held *held;
    struct offspring offspring;
    struct program_end *end;
    double started_s;
    double stage_s;  /* When the stage began. */
    double paused_s; /* Until now. */
    enum stage stage;
};

static void enter(struct watch *w, enum stage stage)
{
    w->stage = stage;
    w->stage_s = mpl_now_s();
    if (stage == STAGE_TOLD_TO_END) {
        /* The launcher tells its ranks, who then still write what they have recorded. */
        (void) kill(-w->offspring.leader, SIGTERM);
    } else {
        (void) mpl_offspring_signal(&w->offspring, SIGKILL);
    }
}

/* Ctrl-Z: all of it stops and we with it, as if it had been one job; then all goes on. */
static void pause_all(struct watch *w)
{
    const double since = mpl_now_s();
    sigset_t stop;

    /* Twice: what was started meanwhile has not been seen. */
    (void) mpl_offspring_signal(&w->offspring, SIGSTOP);
    (void) mpl_offspring_signal(&w->offspring, SIGSTOP);
    (void) sigemptyset(&stop);
    (void) sigaddset(&stop, SIGTSTP);
    (void) raise(SIGTSTP);
    /* Here we stand still, unless nobody is there who could continue us. */
    (void) sigprocmask(SIG_UNBLOCK, &stop, NULL);
    (void) sigprocmask(SIG_BLOCK, &stop, NULL);
    (void) mpl_offspring_signal(&w->offspring, SIGCONT);
    const double paused_s = mpl_now_s() - since;
    w->paused_s += paused_s;
    w->started_s += paused_s;
    w->stage_s += paused_s;
}

/* It is to end: first its ranks write what they have recorded, if they can be asked to. */
static void stop(struct watch *w)
{
    const struct program *program = w->program;

    if (program->write_out != NULL && program->write_out(program->context, &w->offspring)) {
        w->stage = STAGE_WRITES;
        w->stage_s = mpl_now_s();
    } else {
        enter(w, STAGE_TOLD_TO_END);
    }
}

/* One look at what should end it, of what has not been told to end yet. */
static void judge(struct watch *w, int signal)
{
    if (signal == SIGTSTP) {
        pause_all(w);
        return;
    }
    const double now = mpl_now_s();
    const double elapsed = now - w->started_s;
    struct program_end *end = w->end;

    if (signal != 0) {
        end->is_interrupted = true;
        enter(w, w->stage == STAGE_RUNS && signal != SIGQUIT ? STAGE_TOLD_TO_END
                                                             : STAGE_KILLED);
        return;
    }
    if (w->stage == STAGE_RUNS && w->program->timeout_s > 0 &&
        elapsed >= w->program->timeout_s) {
        end->has_timed_out = true;
        stop(w);
    } else if (w->stage == STAGE_RUNS && w->program->tick != NULL &&
               w->program->tick(w->program->context, &w->offspring, elapsed)) {
        end->is_stopped = true;
        enter(w, STAGE_TOLD_TO_END);
    } else if (w->stage == STAGE_WRITES) {
        if (w->program->has_written(w->program->context) ||
            now - w->stage_s >= w->program->write_s) {
            enter(w, STAGE_TOLD_TO_END);
        }
    } else if (w->stage != STAGE_RUNS && now - w->stage_s >= w->program->grace_s) {
        enter(w, STAGE_KILLED);
    }
}

static void await_leader(struct watch *w)
{
    int status = 0;

    for (;;) {
        const pid_t pid = waitpid(w->offspring.leader, &status, WNOHANG);

        if (pid == w->offspring.leader || (pid < 0 && errno != EINTR)) {
            break;
        }
        judge(w, rest(w->held, TICK_S));
    }
    struct program_end *end = w->end;

    end->duration_s = mpl_now_s() - w->started_s;
    end->paused_s = w->paused_s;
    end->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* What it left behind may end by itself, gets SIGTERM after a while, and then SIGKILL. */
static void await_others(struct watch *w)
{
    const double since = mpl_now_s();
    const double paused_before_s = w->paused_s;
    bool is_signalled = false;
    unsigned left = 0;

    while ((left = mpl_offspring_signal(&w->offspring, 0)) > 0) {
        const double waited = mpl_now_s() - since - (w->paused_s - paused_before_s);

        if (waited >= LINGER_S + w->program->grace_s || w->stage == STAGE_KILLED) {
            w->end->n_killed = left;
            (void) mpl_offspring_signal(&w->offspring, SIGKILL);
        } else if (!is_signalled && (waited >= LINGER_S || w->stage != STAGE_RUNS)) {
            is_signalled = true;
            w->end->n_killed = left;
            (void) mpl_offspring_signal(&w->offspring, SIGTERM);
        }
        const int signal = rest(w->held, TICK_S / 2);
        if (signal == SIGTSTP) {
            pause_all(w);
        } else if (signal != 0) {
            w->end->is_interrupted = true;
            w->stage = w->stage == STAGE_RUNS && signal != SIGQUIT ? STAGE_TOLD_TO_END
                                                                   : STAGE_KILLED;
        }
        /* A process that cannot be killed hangs in the kernel; nobody can wait for that. */
        if (waited >= 2 * LINGER_S + 2 * w->program->grace_s) {
            break;
        }
    }
}

enum mpl_status mpl_program_run(const struct program *program, struct mpl_arena *arena,
                                struct program_end *end, struct mpl_err *err)
{
    struct held held;
    pid_t pid = -1;
    const char **words = MPL_NEW_ARRAY(arena, program->n_words + 1, const char *);
    const char *const *environment = environment_of(program, arena);

    *end = (struct program_end){ .exit_status = -1 };
    if (words == NULL || environment == NULL) {
        return mpl_nomem(err);
    }
    memcpy(words, program->words, program->n_words * sizeof *words);
    enum mpl_status st = make_file(program->out_path, err);
    st = st == MPL_OK ? make_file(program->err_path, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    hold(&held);
    struct watch w = {
        .program = program, .held = &held, .end = end, .started_s = mpl_now_s()
    };
    end->start_errno =
        spawn(program, (char *const *) words, (char *const *) environment, &held, &pid);
    if (end->start_errno == 0) {
        w.offspring = mpl_offspring_of(pid);
        await_leader(&w);
        await_others(&w);
    }
    let_go(&held);
    return MPL_OK;
}
