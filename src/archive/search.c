/*
 * Archives somewhere below a directory, for who names the directory of a run instead of the trace in it. Links are
 * not followed, so there are no loops, and what a large file system holds is not looked through to
 * its end.
 */
#include "config.h"

#include "archive/archive_priv.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_LEVELS = 8, MOST_ENTRIES = 20000 };

struct search {
    struct mpl_arena *arena;
    struct mpl_archives_below *out;
    unsigned n_entries;
    bool is_out_of_memory;
};

/* Keeps those that come first, in order. */
static void add(struct search *s, const char *path)
{
    const char *next = mpl_arena_strdup(s->arena, path);

    s->out->n++;
    s->is_out_of_memory |= next == NULL;
    for (unsigned i = 0; i < MPL_ARCHIVES_NAMED && next != NULL; i++) {
        const char *here = s->out->paths[i];

        if (here == NULL || strcmp(next, here) < 0) {
            s->out->paths[i] = next;
            next = here;
        }
    }
}

/* The folder of events beside an anchor is a part of the archive that has been found. */
static bool is_events_folder(const char *path)
{
    char anchor[PATH_MAX];
    struct stat info;

    return snprintf(anchor, sizeof anchor, "%s.otf2", path) < (int) sizeof anchor &&
           lstat(anchor, &info) == 0 && S_ISREG(info.st_mode);
}

static void look_below(struct search *s, const char *folder, int level)
{
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    while (dir != NULL && !s->out->is_cut && (entry = readdir(dir)) != NULL) {
        char path[PATH_MAX];
        struct stat info;

        s->out->is_cut = s->n_entries++ >= MOST_ENTRIES;
        if (entry->d_name[0] == '.' ||
            snprintf(path, sizeof path, "%s%s%s", folder, slash, entry->d_name) >=
                (int) sizeof path ||
            lstat(path, &info) != 0) {
            continue;
        }
        if (S_ISREG(info.st_mode) && mpl_ends_with(path, ".otf2")) {
            add(s, path);
        } else if (S_ISREG(info.st_mode) && level > 0) {
            s->out->has_local_definitions |= mpl_ends_with(path, ".def");
            s->out->has_events |= mpl_ends_with(path, ".evt");
        } else if (S_ISDIR(info.st_mode) && !is_events_folder(path)) {
            if (level == MOST_LEVELS) {
                s->out->is_cut = true;
            } else {
                look_below(s, path, level + 1);
            }
        }
    }
    if (dir != NULL) {
        (void) closedir(dir);
    }
}

enum mpl_status mpl_archives_below(const char *directory, struct mpl_arena *arena,
                                   struct mpl_archives_below *out, struct mpl_err *err)
{
    struct search s = { .arena = arena, .out = out };

    *out = (struct mpl_archives_below){ 0 };
    look_below(&s, directory, 0);
    return s.is_out_of_memory ? mpl_nomem(err) : MPL_OK;
}
