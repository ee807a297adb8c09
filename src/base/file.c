#include "config.h"

#include "base/base_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum mpl_status check_is_regular(const struct stat *info, struct mpl_err *err)
{
    const mode_t mode = info->st_mode;

    if (S_ISREG(mode)) {
        return MPL_OK;
    }
    return mpl_fail(err, MPL_E_IO, "it is %s, not a regular file",
                    S_ISDIR(mode)    ? "a directory"
                    : S_ISFIFO(mode) ? "a pipe"
                    : S_ISSOCK(mode) ? "a socket"
                                     : "a device");
}

const char *mpl_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

enum mpl_status mpl_file_open(const char *path, int *fd, size_t *bytes, struct mpl_err *err)
{
    struct stat info;

    /* Asked first, since opening a device may do something to it. */
    if (stat(path, &info) != 0) {
        return errno == ENOENT ? MPL_END : mpl_fail(err, MPL_E_IO, "%s", strerror(errno));
    }
    enum mpl_status st = check_is_regular(&info, err);
    if (st != MPL_OK) {
        return st;
    }
    /* Without O_NONBLOCK a pipe that takes the place of the file in this moment would wait. */
    const int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    st = opened < 0 || fstat(opened, &info) != 0
             ? mpl_fail(err, MPL_E_IO, "%s", strerror(errno))
             : check_is_regular(&info, err);
    if (st == MPL_OK) {
        *fd = opened;
        *bytes = (size_t) info.st_size;
    } else if (opened >= 0) {
        (void) close(opened);
    }
    return st;
}

enum mpl_status mpl_file_stream(const char *path, FILE **out, struct mpl_err *err)
{
    size_t bytes = 0;
    int fd = -1;
    const enum mpl_status st = mpl_file_open(path, &fd, &bytes, err);

    if (st != MPL_OK) {
        return st == MPL_END ? mpl_fail(err, MPL_E_IO, "%s", strerror(ENOENT)) : st;
    }
    FILE *stream = fdopen(fd, "rb");

    if (stream == NULL) {
        (void) close(fd);
        return mpl_nomem(err);
    }
    *out = stream;
    return MPL_OK;
}

/* Grows by what came, not by what stat() promised: files of /proc promise nothing. */
static enum mpl_status read_all(FILE *in, size_t limit, char **bytes, size_t *n,
                                struct mpl_err *err)
{
    size_t room = 0;

    for (;;) {
        if (*n + 1 >= room) {
            room = room == 0 ? 16 * 1024 : room * 2;

            char *grown = mpl_heap_resize(*bytes, room, 1);

            if (grown == NULL) {
                return mpl_nomem(err);
            }
            *bytes = grown;
        }

        const size_t got = fread(*bytes + *n, 1, room - *n - 1, in);

        *n += got;
        if (*n > limit) {
            return mpl_fail(err, MPL_E_LIMIT, "it is larger than %zu bytes", limit);
        }
        if (got == 0) {
            return ferror(in) ? mpl_fail(err, MPL_E_IO, "%s", strerror(errno)) : MPL_OK;
        }
    }
}

enum mpl_status mpl_file_read(const char *path, size_t limit, struct mpl_arena *arena,
                              char **text, size_t *bytes, struct mpl_err *err)
{
    FILE *in = NULL;
    enum mpl_status st = mpl_file_stream(path, &in, err);
    char *all = NULL;
    size_t n = 0;

    if (st != MPL_OK) {
        goto done;
    }
    st = read_all(in, limit, &all, &n, err);
    if (st != MPL_OK) {
        goto close;
    }

    char *copy = mpl_arena_alloc(arena, n + 1);

    if (copy == NULL) {
        st = mpl_nomem(err);
        goto close;
    }
    memcpy(copy, all, n);
    *text = copy;
    *bytes = n;
close:
    free(all);
    (void) fclose(in);
done:
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot read \"%s\"", path);
}

int mpl_file_make_temporary(char *path)
{
    const int fd = mkostemp(path, O_CLOEXEC);

    if (fd >= 0) {
        /* mkostemp() makes files private. */
        const mode_t mask = umask(0);

        (void) umask(mask);
        (void) fchmod(fd, 0666 & ~mask);
    }
    return fd;
}

/* Linux caches what is written at once in one piece of memory as long. Up to 32 KiB are always at hand, and eight pages at
 * once cost less than one by one; longer ones may have to be fetched: for 64 MB in pieces of 512 KiB a virtual machine spent
 * 0.25 to 0.45 s in the kernel, in pieces of 16 KiB 0.1 s. */
enum { MOST_WRITTEN_BYTES = 1 << 15 };

bool mpl_file_put(int fd, const void *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        const size_t left = n - done;
        const ssize_t put = write(fd, (const char *) bytes + done,
                                  left < MOST_WRITTEN_BYTES ? left : MOST_WRITTEN_BYTES);

        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            errno = put == 0 ? ENOSPC : errno;
            return false;
        }
        done += (size_t) put;
    }
    return true;
}

bool mpl_file_append(FILE *out, const void *bytes, size_t n)
{
    return fwrite(bytes, 1, n, out) == n;
}

enum mpl_status mpl_file_flush(FILE *out, struct mpl_err *err)
{
    const bool was_broken = ferror(out) != 0;

    if (fflush(out) != 0) {
        return mpl_fail(err, MPL_E_IO, "%s", strerror(errno));
    }
    return was_broken ? mpl_fail(err, MPL_E_IO, "an earlier write failed") : MPL_OK;
}
