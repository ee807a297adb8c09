/*
 * Where the copy of a trace may go: neither in the place of what it is made from, nor into it. Names
 * tell little about that (links, bind mounts), so folders are compared by device and number.
 */
#include "config.h"

#include "archive/archive.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_same(const struct stat *x, const struct stat *y)
{
    return x->st_dev == y->st_dev && x->st_ino == y->st_ino;
}

/* Whether \p path, followed to where it leads, is \p folder or lies below it. */
static bool is_within(const char *path, const struct stat *folder)
{
    char name[PATH_MAX];
    struct stat info;

    if (realpath(path, name) == NULL) {
        return false;
    }
    for (;;) {
        if (stat(name, &info) == 0 && is_same(&info, folder)) {
            return true;
        }
        char *slash = strrchr(name, '/');

        if (slash == NULL || strcmp(name, "/") == 0) {
            return false;
        }
        slash[slash == name] = '\0'; /* The root keeps its slash. */
    }
}

/* The folder in which \p path is, or is to be. */
static const char *folder_of(const char *path, struct mpl_arena *scratch)
{
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/') {
        n--;
    }
    while (n > 0 && path[n - 1] != '/') {
        n--;
    }
    return n == 0 ? "." : mpl_arena_strndup(scratch, path, n);
}

/* A link among the event files may lead into the folder though theirs lies elsewhere. */
static bool has_link_into(const char *events, const struct stat *folder)
{
    DIR *dir = opendir(events);
    const struct dirent *entry;
    bool has = false;

    while (!has && dir != NULL && (entry = readdir(dir)) != NULL) {
        char path[PATH_MAX];
        struct stat info;

        has = snprintf(path, sizeof path, "%s/%s", events, entry->d_name) <
                  (int) sizeof path &&
              lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && is_within(path, folder);
    }
    if (dir != NULL) {
        (void) closedir(dir);
    }
    return has;
}

/* Whether anything that the trace consists of lies in \p folder. */
static bool holds_trace(const struct stat *folder, const char *source, const char *anchor,
                        const char *events)
{
    static const char *const beside[] = { "", ".def", ".marker" };

    if (anchor == NULL) {
        return is_within(source, folder);
    }
    if (is_within(anchor, folder)) {
        return true;
    }
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        char path[PATH_MAX];

        if (snprintf(path, sizeof path, "%s%s", events, beside[i]) < (int) sizeof path &&
            is_within(path, folder)) {
            return true;
        }
    }
    return has_link_into(events, folder);
}

enum mpl_status mpl_dir_check_source(const char *source, const char *directory,
                                     struct mpl_arena *scratch, struct mpl_err *err)
{
    const char *parent = folder_of(directory, scratch);
    const char *anchor = NULL;
    const char *events = NULL;
    struct stat info;
    const enum mpl_status st = mpl_anchor_find(source, scratch, &anchor, err);

    if (st < MPL_OK) {
        return st;
    }
    if (anchor != NULL) {
        events = mpl_arena_strndup(scratch, anchor, strlen(anchor) - strlen(".otf2"));
    }
    if (parent == NULL || (anchor != NULL && events == NULL)) {
        return mpl_nomem(err);
    }
    if (stat(directory, &info) == 0 && S_ISDIR(info.st_mode) &&
        holds_trace(&info, source, anchor, events)) {
        return mpl_fail(err, MPL_E_USAGE, "\"%s\" holds the trace that is to be copied",
                        directory);
    }
    if ((events != NULL && stat(events, &info) == 0 && is_within(parent, &info)) ||
        (stat(source, &info) == 0 && is_within(parent, &info))) {
        return mpl_fail(err, MPL_E_USAGE,
                        "\"%s\" would lie inside the trace that is to be copied",
                        directory);
    }
    return MPL_OK;
}
