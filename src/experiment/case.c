/* A case: what was run, where it is kept, and who is at work in it. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

size_t mpl_case_run_count(const struct mpl_case *c)
{
    return c->runs.n;
}

const struct mpl_case_run *mpl_case_run_get(const struct mpl_case *c, size_t i)
{
    return mpl_case_run_at(c, i);
}

const char *mpl_case_directory(const struct mpl_case *c)
{
    return c->directory;
}

const struct mpl_command *mpl_case_command(const struct mpl_case *c)
{
    return &c->command;
}

/* What we write into the lock, the number of a process, or nothing yet. */
static bool is_lock_text(const char *text, size_t n)
{
    const size_t digits = strspn(text, "0123456789");

    return n == 0 || (digits > 0 && digits + 1 == n && text[digits] == '\n');
}

static enum mpl_status fail_foreign(const char *path, struct mpl_err *err)
{
    return mpl_fail(err, MPL_E_IO,
                    "\"%s\" is not a lock of marple's and is left as it is; name another "
                    "directory",
                    path);
}

/* Never through a link, and a file that is not ours is not touched: its lock neither. */
static enum mpl_status open_lock(const char *path, int *out, char owner[32],
                                 struct mpl_err *err)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    struct stat info;
    ssize_t n = -1;

    if (fd < 0) {
        return errno == ELOOP || errno == EISDIR || errno == ENXIO
                   ? fail_foreign(path, err)
                   : mpl_fail(err, MPL_E_IO, "cannot create \"%s\": %s", path,
                              strerror(errno));
    }
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1 &&
        info.st_size < 32) {
        n = pread(fd, owner, 31, 0);
    }
    owner[n > 0 ? n : 0] = '\0';
    if (n < 0 || !is_lock_text(owner, (size_t) n)) {
        (void) close(fd);
        return fail_foreign(path, err);
    }
    owner[strcspn(owner, "\n")] = '\0';
    *out = fd;
    return MPL_OK;
}

/* The lock goes with the process, however that ends; the file stays. */
static enum mpl_status lock(struct mpl_case *c, struct mpl_err *err)
{
    const char *path = mpl_arena_printf(c->arena, "%s/case.lock", c->directory);
    char owner[32];

    if (path == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = open_lock(path, &c->lock, owner, err);
    if (st != MPL_OK) {
        return st;
    }
    if (flock(c->lock, LOCK_EX | LOCK_NB) == 0) {
        char pid[32];
        const int n = snprintf(pid, sizeof pid, "%ld\n", (long) getpid());

        if (ftruncate(c->lock, 0) != 0 || pwrite(c->lock, pid, (size_t) n, 0) != n) {
            mpl_log(MPL_LOG_INFO, "experiment", "cannot write who holds \"%s\"", path);
        }
        return MPL_OK;
    }
    if (errno != EWOULDBLOCK) {
        return mpl_fail(err, MPL_E_IO, "cannot lock \"%s\": %s", path, strerror(errno));
    }
    return mpl_fail(
        err, MPL_E_IO,
        "another marple (process %s) is at work in \"%s\"; wait for it, or name "
        "another directory",
        owner[0] != '\0' ? owner : "unknown", c->directory);
}

static enum mpl_status copy_command(const struct mpl_command *command,
                                    struct mpl_arena *arena, struct mpl_command *out,
                                    struct mpl_err *err)
{
    const char **words = MPL_NEW_ARRAY(arena, command->n, const char *);
    bool is_good = words != NULL;

    for (size_t i = 0; i < command->n && is_good; i++) {
        words[i] = mpl_arena_strdup(arena, command->words[i]);
        is_good = words[i] != NULL;
    }
    *out = (struct mpl_command){ .words = words, .n = command->n };
    if (is_good && command->args != NULL) {
        out->args = mpl_arena_strdup(arena, command->args);
        is_good = out->args != NULL;
    }
    return is_good ? MPL_OK : mpl_nomem(err);
}

static enum mpl_status compare(const struct mpl_case *c, const struct mpl_command *command,
                               struct mpl_err *err)
{
    if (c->command.n == 0 || mpl_command_is_same(&c->command, command)) {
        return MPL_OK;
    }
    const char *words = mpl_words_print(c->command.words, c->command.n, c->arena);
    return mpl_fail(err, MPL_E_USAGE,
                    "the case in \"%s\" is of another command: %s%s%s; name another "
                    "directory, or give that command",
                    c->directory, words != NULL ? words : "?",
                    c->command.args != NULL ? ", with {args} = " : "",
                    c->command.args != NULL ? c->command.args : "");
}

/* A directory with other things in it is somebody's: runs among them would be hard to tell apart. */
static enum mpl_status check_is_ours(const struct mpl_case *c, struct mpl_err *err)
{
    const char *path = mpl_arena_printf(c->arena, "%s/case.yaml", c->directory);
    const char *stranger = mpl_folder_stranger(c->directory, c->arena);
    struct stat info;

    if (path == NULL) {
        return mpl_nomem(err);
    }
    if (stranger == NULL || lstat(path, &info) == 0) {
        return MPL_OK;
    }
    return mpl_fail(
        err, MPL_E_USAGE,
        "\"%s\" holds \"%s\" and no case; name a directory that is new or empty",
        c->directory, stranger);
}

static enum mpl_status open_in(struct mpl_case *c, const struct mpl_command *command,
                               bool is_dry, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    if (!is_dry) {
        st = mpl_folder_make(c->directory, err);
    }
    st = st == MPL_OK ? check_is_ours(c, err) : st;
    st = st == MPL_OK && !is_dry ? lock(c, err) : st;
    st = st == MPL_OK ? mpl_case_read(c, err) : st;
    st = st == MPL_OK ? compare(c, command, err) : st;
    if (st == MPL_OK && c->command.n == 0) {
        st = copy_command(command, c->arena, &c->command, err);
        /* At once, so that a directory that cannot be written is reported before anything runs. */
        st = st == MPL_OK && !is_dry ? mpl_case_write(c, err) : st;
    }
    return st;
}

enum mpl_status mpl_case_open(const char *directory, const struct mpl_command *command,
                              bool is_dry, struct mpl_case **out, struct mpl_err *err)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_case *c = arena != NULL ? MPL_NEW(arena, struct mpl_case) : NULL;
    const char *path = c != NULL ? mpl_arena_strdup(arena, directory) : NULL;

    if (path == NULL) {
        mpl_arena_destroy(arena);
        return mpl_nomem(err);
    }
    *c = (struct mpl_case){ .arena = arena,
                            .directory = path,
                            .lock = -1,
                            .runs = mpl_buf_make(sizeof(struct mpl_case_run)) };
    const enum mpl_status st = open_in(c, command, is_dry, err);
    if (st != MPL_OK) {
        mpl_case_close(c);
        return mpl_wrap(err, st, "cannot use the case \"%s\"", directory);
    }
    *out = c;
    return MPL_OK;
}

void mpl_case_close(struct mpl_case *c)
{
    if (c == NULL) {
        return;
    }
    if (c->lock >= 0) {
        (void) close(c->lock);
    }
    mpl_buf_free(&c->runs);
    mpl_arena_destroy(c->arena);
}

bool mpl_case_fits(const char *directory, const struct mpl_command *command)
{
    char path[PATH_MAX];
    struct mpl_case *c = NULL;
    struct stat st;

    if (stat(directory, &st) != 0) {
        return true;
    }
    if (snprintf(path, sizeof path, "%s/case.yaml", directory) >= (int) sizeof path ||
        stat(path, &st) != 0) {
        return false; /* Somebody else's. */
    }
    const enum mpl_status opened = mpl_case_open(directory, command, true, &c, NULL);
    mpl_case_close(c);
    /* A damaged case is to be reported when it is opened, not to be passed by. */
    return opened != MPL_E_USAGE;
}

/* ---- runs that failed ---------------------------------------------------------------------- */

/* A good run for the same purpose, with as many processes, behind run \p at; NULL: none. */
static const struct mpl_case_run *done_later(const struct mpl_case *c, size_t at)
{
    const struct mpl_case_run *failed = mpl_case_run_at(c, at);

    for (size_t i = at + 1; i < c->runs.n; i++) {
        const struct mpl_case_run *r = mpl_case_run_at(c, i);

        if (r->outcome == MPL_OUTCOME_OK && r->processes == failed->processes &&
            r->experiment != NULL && failed->experiment != NULL &&
            strcmp(r->experiment, failed->experiment) == 0) {
            return r;
        }
    }
    return NULL;
}

static const char *failure_of(const struct mpl_case *c, size_t at, struct mpl_arena *arena)
{
    const struct mpl_case_run *r = mpl_case_run_at(c, at);
    const struct mpl_case_run *later = done_later(c, at);
    const char *with = r->processes > 0
                           ? mpl_arena_printf(arena, " with %u process%s", r->processes,
                                              r->processes == 1 ? "" : "es")
                           : "";

    const char *where =
        mpl_is_cut_off(r)
            ? mpl_arena_printf(arena, "; marple diagnose %s/%s shows where it stood",
                               c->directory, r->partial)
            : "";

    return mpl_arena_printf(
        arena, "%s%s: %s, after %s: %s%s%s%s", r->id, with != NULL ? with : "",
        mpl_outcome_name(r->outcome), mpl_text_seconds(arena, r->duration_s),
        r->problem != NULL ? r->problem : "nobody knows why", where != NULL ? where : "",
        later != NULL ? "; done later by " : "", later != NULL ? later->id : "");
}

const struct mpl_case_run *mpl_case_stopped_run(const struct mpl_case *c)
{
    const struct mpl_case_run *stopped = NULL;

    for (size_t i = 0; i < c->runs.n; i++) {
        const struct mpl_case_run *r = mpl_case_run_at(c, i);

        if (mpl_is_usable(r)) {
            return NULL;
        }
        stopped = mpl_is_cut_off(r) ? r : stopped;
    }
    return stopped;
}

void mpl_case_failures(const struct mpl_case *c, struct mpl_arena *arena,
                       const char *const **lines, size_t *n)
{
    const char **all = MPL_NEW_ARRAY(arena, c->runs.n, const char *);

    *n = 0;
    *lines = all;
    for (size_t i = 0; i < c->runs.n && all != NULL; i++) {
        const struct mpl_case_run *r = mpl_case_run_at(c, i);

        if (r->outcome != MPL_OUTCOME_OK && r != mpl_case_stopped_run(c)) {
            all[*n] = failure_of(c, i, arena);
            *n += all[*n] != NULL;
        }
    }
}

void mpl_case_failures_in(const char *directory, struct mpl_arena *arena,
                          const char *const **lines, size_t *n)
{
    struct mpl_case c = { .arena = mpl_arena_create(),
                          .directory = directory,
                          .lock = -1,
                          .runs = mpl_buf_make(sizeof(struct mpl_case_run)) };

    *lines = NULL;
    *n = 0;
    if (c.arena != NULL && mpl_case_read(&c, NULL) == MPL_OK) {
        mpl_case_failures(&c, arena, lines, n);
    }
    mpl_buf_free(&c.runs);
    mpl_arena_destroy(c.arena);
}
