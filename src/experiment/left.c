/*
 * What a program leaves behind. mpirun gives every rank a process group of its own, ranks may fork, and
 * a launcher that is killed takes nobody along. A process counts as started by the program if it is in its
 * session, if an ancestor counts so, or if it became our child after the start (process.c makes us the
 * one who inherits orphans). A child that we had before does not.
 */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct seen {
    pid_t pid;
    pid_t parent;
    pid_t session;
    uint64_t started; /* Ticks since boot. */
    char state;
    bool is_ours;
};

/* Behind the name, which may hold blanks and brackets, the fields are numbers. */
static bool look_at(const char *pid, struct seen *out)
{
    char path[64];
    char line[1024];
    int parent = 0;
    int session = 0;
    uint64_t started = 0;
    char state = 0;

    (void) snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *in = fopen(path, "r");
    if (in == NULL) {
        return false;
    }
    const size_t n = fread(line, 1, sizeof line - 1, in);
    (void) fclose(in);
    line[n] = '\0';
    const char *fields = strrchr(line, ')');
    if (fields == NULL ||
        sscanf(fields + 1,
               " %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
               "%" SCNu64,
               &state, &parent, &session, &started) != 4) {
        return false;
    }
    *out = (struct seen){ .pid = (pid_t) strtol(pid, NULL, 10),
                          .parent = (pid_t) parent,
                          .session = (pid_t) session,
                          .started = started,
                          .state = state };
    return true;
}

static void look_around(struct mpl_buf *all)
{
    DIR *folder = opendir("/proc");

    for (const struct dirent *e = NULL; folder != NULL && (e = readdir(folder)) != NULL;) {
        struct seen seen;

        if (isdigit((unsigned char) e->d_name[0]) && look_at(e->d_name, &seen)) {
            (void) mpl_buf_put(all, &seen);
        }
    }
    if (folder != NULL) {
        (void) closedir(folder);
    }
}

/* Long after the leader's end its number may be given to somebody else; not while anybody is left in
 * its session. */
static bool is_number_reused(const struct offspring *o, const struct mpl_buf *all)
{
    for (size_t i = 0; i < all->n && o->started != 0; i++) {
        const struct seen *one = mpl_buf_get(all, i);

        if (one->pid == o->leader && one->started != o->started) {
            return true;
        }
    }
    return false;
}

static bool has_mark(const struct offspring *o, const struct mpl_buf *all,
                     const struct seen *one, bool is_reused)
{
    if (one->session == o->leader || one->pid == o->leader) {
        return !is_reused;
    }
    if (one->parent == getpid()) {
        return o->started != 0 && one->started >= o->started;
    }
    for (size_t i = 0; i < all->n; i++) {
        const struct seen *parent = mpl_buf_get(all, i);
        if (parent->pid == one->parent) {
            return parent->is_ours;
        }
    }
    return false;
}

/* Until nothing changes, since a child may be listed before its parent. */
static void mark(const struct offspring *o, struct mpl_buf *all)
{
    const bool is_reused = is_number_reused(o, all);

    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (size_t i = 0; i < all->n; i++) {
            struct seen *one = mpl_buf_get(all, i);
            if (!one->is_ours && one->pid != getpid() && has_mark(o, all, one, is_reused)) {
                one->is_ours = true;
                has_changed = true;
            }
        }
    }
}

struct offspring mpl_offspring_of(pid_t leader)
{
    char pid[32];
    /* Not seen: started is 0, and orphans that became our children do not count. */
    struct seen seen = { 0 };

    (void) snprintf(pid, sizeof pid, "%ld", (long) leader);
    return (struct offspring){ .leader = leader,
                               .started = look_at(pid, &seen) ? seen.started : 0 };
}

static bool has_ended(const struct seen *one)
{
    return one->state == 'Z' || one->state == 'X';
}

void mpl_offspring_visit(const struct offspring *offspring,
                         void (*visit)(void *context, pid_t pid), void *context)
{
    struct mpl_buf all = mpl_buf_make(sizeof(struct seen));

    look_around(&all);
    mark(offspring, &all);
    for (size_t i = 0; i < all.n; i++) {
        const struct seen *one = mpl_buf_get(&all, i);

        if (one->is_ours && !has_ended(one)) {
            visit(context, one->pid);
        }
    }
    mpl_buf_free(&all);
}

unsigned mpl_offspring_signal(const struct offspring *offspring, int signal)
{
    struct mpl_buf all = mpl_buf_make(sizeof(struct seen));
    unsigned n = 0;

    look_around(&all);
    mark(offspring, &all);
    for (size_t i = 0; i < all.n; i++) {
        const struct seen *one = mpl_buf_get(&all, i);

        if (!one->is_ours) {
            continue;
        }
        if (has_ended(one)) {
            /* The leader's end is waited for elsewhere. */
            if (one->parent == getpid() && one->pid != offspring->leader) {
                (void) waitpid(one->pid, NULL, WNOHANG);
            }
            continue;
        }
        n++;
        if (signal != 0) {
            (void) kill(one->pid, signal);
        }
    }
    mpl_buf_free(&all);
    return n;
}
