#include "config.h"

#include "experiment/experiment_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH = 8 };

enum mpl_status mpl_folder_make(const char *path, struct mpl_err *err)
{
    char part[PATH_MAX];

    if (path[0] == '\0' || strlen(path) >= sizeof part) {
        return mpl_fail(err, MPL_E_IO, "\"%s\" is no path", path);
    }
    (void) snprintf(part, sizeof part, "%s", path);
    for (char *p = part + 1;; p++) {
        if (*p != '/' && *p != '\0') {
            continue;
        }
        const char was = *p;
        *p = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            return mpl_fail(err, MPL_E_IO, "cannot make the directory \"%s\": %s", part,
                            strerror(errno));
        }
        *p = was;
        if (was == '\0') {
            break;
        }
    }
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        return mpl_fail(err, MPL_E_IO, "\"%s\" is no directory", path);
    }
    return MPL_OK;
}

const char *mpl_folder_stranger(const char *path, struct mpl_arena *arena)
{
    DIR *folder = opendir(path);
    const char *stranger = NULL;

    for (const struct dirent *e = NULL;
         folder != NULL && stranger == NULL && (e = readdir(folder)) != NULL;) {
        const char *name = e->d_name;
        const bool is_ours = strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
                             strcmp(name, "case.lock") == 0 ||
                             strncmp(name, "case.yaml", strlen("case.yaml")) == 0;

        stranger = is_ours ? NULL : mpl_arena_strdup(arena, name);
    }
    if (folder != NULL) {
        (void) closedir(folder);
    }
    return stranger;
}

static uint64_t bytes_below(const char *path, int depth)
{
    DIR *folder = depth < DEPTH ? opendir(path) : NULL;
    uint64_t bytes = 0;

    for (const struct dirent *e = NULL; folder != NULL && (e = readdir(folder)) != NULL;) {
        char name[PATH_MAX];
        struct stat st;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            snprintf(name, sizeof name, "%s/%s", path, e->d_name) >= (int) sizeof name ||
            lstat(name, &st) != 0) {
            continue;
        }
        bytes += S_ISREG(st.st_mode) ? (uint64_t) st.st_size : 0;
        bytes += S_ISDIR(st.st_mode) ? bytes_below(name, depth + 1) : 0;
    }
    if (folder != NULL) {
        (void) closedir(folder);
    }
    return bytes;
}

uint64_t mpl_folder_bytes(const char *path)
{
    return bytes_below(path, 0);
}

static int by_name(const void *x, const void *y)
{
    return strcmp(*(const char *const *) x, *(const char *const *) y);
}

/* Names of the folder's entries by name; an empty list where it cannot be read. */
static struct mpl_buf names_in(const char *path, struct mpl_arena *arena)
{
    struct mpl_buf names = mpl_buf_make(sizeof(const char *));
    DIR *folder = opendir(path);

    for (const struct dirent *e = NULL; folder != NULL && (e = readdir(folder)) != NULL;) {
        const char *copy = e->d_name[0] != '.' ? mpl_arena_strdup(arena, e->d_name) : NULL;

        if (copy != NULL) {
            (void) mpl_buf_put(&names, &copy);
        }
    }
    if (folder != NULL) {
        (void) closedir(folder);
    }
    mpl_sort(names.data, names.n, sizeof(const char *), by_name);
    return names;
}

/* Files before folders, so that the nearest anchor is taken. */
static const char *anchor_below(const char *path, const char *prefix, int depth,
                                struct mpl_arena *arena)
{
    struct mpl_buf names =
        depth < DEPTH ? names_in(path, arena) : mpl_buf_make(sizeof(const char *));
    const char *found = NULL;

    for (size_t i = 0; i < 2 * names.n && found == NULL; i++) {
        const bool is_for_files = i < names.n;
        const char *name = *(const char **) mpl_buf_get(&names, i % names.n);
        const char *own = mpl_arena_printf(arena, "%s%s", prefix, name);
        const char *whole = mpl_arena_printf(arena, "%s/%s", path, name);
        struct stat st;

        if (own == NULL || whole == NULL || lstat(whole, &st) != 0) {
            continue;
        }
        if (is_for_files && S_ISREG(st.st_mode) && mpl_ends_with(name, ".otf2")) {
            found = own;
        } else if (!is_for_files && S_ISDIR(st.st_mode)) {
            const char *deeper = mpl_arena_printf(arena, "%s/", own);
            found = deeper != NULL ? anchor_below(whole, deeper, depth + 1, arena) : NULL;
        }
    }
    mpl_buf_free(&names);
    return found;
}

const char *mpl_folder_anchor(const char *path, struct mpl_arena *arena)
{
    return anchor_below(path, "", 0, arena);
}

/* Whether or not the disk is full shows only when the bytes are really there. */
static enum mpl_status fill(int fd, const char *path, const char *text, size_t bytes,
                            struct mpl_err *err)
{
    int reason = mpl_file_put(fd, text, bytes) ? 0 : errno;

    reason = reason == 0 && fsync(fd) != 0 && errno != EINVAL ? errno : reason;
    reason = close(fd) != 0 && reason == 0 ? errno : reason;
    if (reason == 0) {
        return MPL_OK;
    }
    (void) unlink(path);
    return mpl_fail(err, MPL_E_IO, "cannot write \"%s\": %s", path, strerror(reason));
}

enum mpl_status mpl_folder_write(const char *path, const char *text, size_t bytes,
                                 struct mpl_err *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    return fd >= 0
               ? fill(fd, path, text, bytes, err)
               : mpl_fail(err, MPL_E_IO, "cannot create \"%s\": %s", path, strerror(errno));
}

/* A name is on the disk when its folder is. A file system that cannot do that is asked for too much. */
static enum mpl_status keep_names(const char *folder, struct mpl_err *err)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is_bad = fd < 0 || (fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP);
    const int reason = errno;

    if (fd >= 0) {
        (void) close(fd);
    }
    return !is_bad ? MPL_OK
                   : mpl_fail(err, MPL_E_IO, "cannot write the directory \"%s\": %s",
                              folder, strerror(reason));
}

static enum mpl_status replace(const char *path, const char *text, size_t bytes,
                               struct mpl_err *err)
{
    char fresh[PATH_MAX];

    /* Never over a file that stands there: whatever has such a name may be somebody's. */
    if (snprintf(fresh, sizeof fresh, "%s.XXXXXX", path) >= (int) sizeof fresh) {
        return mpl_fail(err, MPL_E_IO, "\"%s\" is no path", path);
    }
    const int fd = mpl_file_make_temporary(fresh);
    if (fd < 0) {
        return mpl_fail(err, MPL_E_IO, "cannot create \"%s\": %s", fresh, strerror(errno));
    }
    const enum mpl_status st = fill(fd, fresh, text, bytes, err);
    if (st == MPL_OK && rename(fresh, path) != 0) {
        const int reason = errno;

        (void) unlink(fresh);
        return mpl_fail(err, MPL_E_IO, "cannot replace \"%s\": %s", path, strerror(reason));
    }
    return st;
}

enum mpl_status mpl_folder_replace(const char *folder, const char *name, const char *text,
                                   size_t bytes, struct mpl_err *err)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int) sizeof path) {
        return mpl_fail(err, MPL_E_IO, "\"%s\" is no path", folder);
    }
    const unsigned held = mpl_ends_hold();
    const enum mpl_status st = replace(path, text, bytes, err);
    mpl_ends_let_go(held);
    return st == MPL_OK ? keep_names(folder, err) : st;
}
