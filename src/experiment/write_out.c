/*
 * A run whose time is over is to leave a trace that shows where it stands. A tracer that writes when it is told to
 * end does so in collective operations of all ranks. One that is in MPI_Finalize is at that already, waits for the
 * others, and would leave the operation if it were disturbed (EZTrace 2.0 does: nothing can be read
 * then). So only those get the signal whose events are not written yet.
 */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MOST = 4 };

/* Numbers of the locations that have files: "1288490187.evt". */
struct written {
    struct mpl_buf definitions; /* uint64_t */
    struct mpl_buf events;
};

static void take_file(struct written *w, const char *name)
{
    char *end = NULL;

    errno = 0;
    const uint64_t number = strtoull(name, &end, 10);

    if (!isdigit((unsigned char) name[0]) || errno != 0) {
        return;
    }
    if (strcmp(end, ".def") == 0) {
        (void) mpl_buf_put(&w->definitions, &number);
    } else if (strcmp(end, ".evt") == 0) {
        (void) mpl_buf_put(&w->events, &number);
    }
}

static void look_into(struct written *w, const char *folder, unsigned depth)
{
    DIR *all = opendir(folder);
    char path[4096];
    struct stat st;

    for (const struct dirent *e = NULL; all != NULL && (e = readdir(all)) != NULL;) {
        take_file(w, e->d_name);
        if (e->d_name[0] != '.' && depth < DEPTH_MOST &&
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name) < (int) sizeof path &&
            lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
            look_into(w, path, depth + 1);
        }
    }
    if (all != NULL) {
        (void) closedir(all);
    }
}

static int by_number(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *) x;
    const uint64_t b = *(const uint64_t *) y;

    return (a > b) - (a < b);
}

/* Tracers number locations in the order of ranks, if not from 0 on. */
static bool has_written(const struct written *w, uint32_t rank)
{
    const uint64_t *location = mpl_buf_get(&w->definitions, rank);

    for (size_t i = 0; i < w->events.n; i++) {
        if (*(const uint64_t *) mpl_buf_get(&w->events, i) == *location) {
            return true;
        }
    }
    return false;
}

bool mpl_ranks_write_out(const struct offspring *offspring, const char *folder,
                         uint32_t n_processes)
{
    struct mpl_buf ranks = mpl_buf_make(sizeof(struct rank_seen));
    struct written w = { .definitions = mpl_buf_make(sizeof(uint64_t)),
                         .events = mpl_buf_make(sizeof(uint64_t)) };
    bool is_any = false;

    mpl_ranks_look(offspring, &ranks);
    /* Ranks on other machines can only be told by the launcher, and those here would wait for them. */
    const struct rank_seen *first = ranks.n > 0 ? mpl_buf_get(&ranks, 0) : NULL;
    if (first == NULL || ranks.n != (n_processes > 0 ? n_processes : first->n_ranks)) {
        mpl_buf_free(&ranks);
        return false;
    }
    look_into(&w, folder, 0);
    mpl_sort(w.definitions.data, w.definitions.n, sizeof(uint64_t), by_number);
    /* With threads nobody knows whose file it is; where all have written, the recording was long. */
    const bool can_tell = w.definitions.n == ranks.n && w.events.n < ranks.n;
    for (size_t i = 0; i < ranks.n; i++) {
        const struct rank_seen *r = mpl_buf_get(&ranks, i);
        const bool is_spared = can_tell && r->rank < ranks.n && has_written(&w, r->rank);

        if (!is_spared) {
            is_any |= kill(r->pid, SIGTERM) == 0;
        }
    }
    mpl_buf_free(&ranks);
    mpl_buf_free(&w.definitions);
    mpl_buf_free(&w.events);
    return is_any;
}
