/*
 * An archive appears complete or not at all: it is written into a directory beside its place and
 * put there at the end.
 */
#include "config.h"

#include "archive/archive_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS = 1000 };

/** Whether an archive has files of that name: beside the anchor, and in the folder there. */
static bool is_of_archive(const char *name, int depth)
{
    static const char *const beside[] = { ".otf2", ".def", ".marker", ".thumb" };
    static const char *const inside[] = { ".evt", ".def", ".snap" };
    const char *const *ends = depth == 0 ? beside : inside;
    const size_t n =
        depth == 0 ? sizeof beside / sizeof *beside : sizeof inside / sizeof *inside;

    for (size_t i = 0; i < n; i++) {
        if (mpl_ends_with(name, ends[i])) {
            return true;
        }
    }
    return false;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/** \p directory without the slashes at its end, under which a sibling can be named. */
static const char *trim(const char *directory, struct mpl_arena *scratch)
{
    size_t n = strlen(directory);

    while (n > 1 && directory[n - 1] == '/') {
        n--;
    }
    return mpl_arena_strndup(scratch, directory, n);
}

static enum mpl_status make_new(const char *directory, const char *end,
                                struct mpl_arena *scratch, const char **path,
                                struct mpl_err *err)
{
    const char *stem = trim(directory, scratch);

    for (int i = 0; stem != NULL && i < ATTEMPTS; i++) {
        const char *name =
            mpl_arena_printf(scratch, "%s.%s-%ld-%d", stem, end, (long) getpid(), i);

        if (name == NULL) {
            return mpl_nomem(err);
        }
        if (mkdir(name, 0777) == 0) {
            *path = name;
            return MPL_OK;
        }
        if (errno != EEXIST) {
            return mpl_fail(err, MPL_E_IO, "\"%s\": %s", name, strerror(errno));
        }
    }
    return stem == NULL
               ? mpl_nomem(err)
               : mpl_fail(err, MPL_E_IO, "\"%s\": no free name beside it", directory);
}

/* ---- what is there already ---------------------------------------------------------------- */

/** NULL when all entries are such as an archive has; else the name of one that is not. */
static const char *find_stranger(const char *directory, struct mpl_arena *scratch,
                                 int depth)
{
    DIR *dir = opendir(directory);
    const struct dirent *entry;
    const char *stranger = NULL;

    if (dir == NULL) {
        return depth == 0 ? directory : "?";
    }
    while (stranger == NULL && (entry = readdir(dir)) != NULL) {
        const char *name = entry->d_name;
        const char *path = mpl_arena_printf(scratch, "%s/%s", directory, name);
        struct stat info;

        if (is_dots(name)) {
            continue;
        }
        if (path == NULL || lstat(path, &info) != 0) {
            stranger = "?";
        } else if (S_ISDIR(info.st_mode)) {
            stranger = depth == 0 ? find_stranger(path, scratch, 1) : path;
        } else if (!is_of_archive(name, depth)) {
            stranger = path;
        }
    }
    (void) closedir(dir);
    return stranger;
}

enum mpl_status mpl_dir_check_target(const char *directory, bool force,
                                     struct mpl_arena *scratch, struct mpl_err *err)
{
    struct stat info;

    if (lstat(directory, &info) != 0) {
        return errno == ENOENT
                   ? MPL_OK
                   : mpl_fail(err, MPL_E_IO, "\"%s\": %s", directory, strerror(errno));
    }
    if (!force) {
        return mpl_fail(err, MPL_E_USAGE, "\"%s\" exists already", directory);
    }
    if (!S_ISDIR(info.st_mode)) {
        return mpl_fail(err, MPL_E_USAGE, "\"%s\" exists and is no directory", directory);
    }
    const char *stranger = find_stranger(directory, scratch, 0);
    if (stranger != NULL) {
        return mpl_fail(
            err, MPL_E_USAGE,
            "\"%s\" is not replaced: it holds \"%s\", which is no part of an archive",
            directory, stranger);
    }
    return MPL_OK;
}

/* ---- storing ----------------------------------------------------------------------------- */

static bool is_left_unstored;

void mpl_dir_leave_unstored(void)
{
    is_left_unstored = true;
}

/**
 * Makes sure that files and names are on the disk before the names mean anything. All at once:
 * an archive may have thousands of files, and waiting for each alone takes a hundred times as
 * long. It is a precaution; writing and closing have failed already if the disk is full.
 */
static enum mpl_status store(const char *directory, struct mpl_err *err)
{
    const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum mpl_status st = MPL_OK;

    if (fd < 0 || (!is_left_unstored && syncfs(fd) != 0)) {
        st = mpl_fail(err, MPL_E_IO, "\"%s\": %s", directory, strerror(errno));
    }
    if (fd >= 0) {
        (void) close(fd);
    }
    return st;
}

/* ---- removing and replacing ------------------------------------------------------------------ */

static void remove_level(const char *directory, struct mpl_arena *scratch, int depth)
{
    DIR *dir = opendir(directory);
    const struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        const char *path = mpl_arena_printf(scratch, "%s/%s", directory, entry->d_name);

        if (path == NULL || is_dots(entry->d_name) || unlink(path) == 0) {
            continue;
        }
        if (depth == 0) {
            remove_level(path, scratch, 1);
        }
    }
    if (dir != NULL) {
        (void) closedir(dir);
    }
    (void) rmdir(directory);
}

static enum mpl_status replace(const char *from, const char *directory,
                               struct mpl_arena *scratch, struct mpl_err *err)
{
    const char *target = trim(directory, scratch);
    const char *old = NULL;
    struct stat info;

    if (target == NULL) {
        return mpl_nomem(err);
    }
    enum mpl_status st = store(from, err);
    if (st != MPL_OK) {
        return st;
    }
    if (lstat(target, &info) == 0) {
        /* rename() replaces an empty directory only, so the old archive moves aside first. */
        st = make_new(directory, "old", scratch, &old, err);
        if (st != MPL_OK) {
            return st;
        }
        if (rename(target, old) != 0) {
            (void) rmdir(old);
            return mpl_fail(err, MPL_E_IO, "\"%s\": %s", target, strerror(errno));
        }
    }
    if (rename(from, target) != 0) {
        st = mpl_fail(err, MPL_E_IO, "\"%s\": %s", target, strerror(errno));
        if (old != NULL) {
            (void) rename(old, target);
        }
        return st;
    }
    if (old != NULL) {
        remove_level(old, scratch, 0);
    }
    return MPL_OK;
}

enum mpl_status mpl_dir_write(const char *directory, mpl_dir_fill *fill, void *context,
                              struct mpl_arena *scratch, struct mpl_err *err)
{
    const char *part = NULL;
    enum mpl_status st = make_new(directory, "part", scratch, &part, err);

    if (st != MPL_OK) {
        return st;
    }
    st = fill(context, part, err);
    st = st == MPL_OK ? replace(part, directory, scratch, err) : st;
    if (st != MPL_OK) {
        remove_level(part, scratch, 0);
    }
    return st;
}
