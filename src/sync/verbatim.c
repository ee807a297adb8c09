/* Event files of which no time changes: they are copied as they are, by the kernel where it can. */
#include "config.h"

#include "sync/sync_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Between two looks at whether the user wants an end. */
enum { PIECE_BYTES = 1 << 24 };

static enum mpl_status fail(const char *path, struct mpl_err *err)
{
    return mpl_fail(err, MPL_E_IO, "\"%s\": %s", path, strerror(errno));
}

/* One piece through memory: for file systems between which the kernel does not copy. */
static ssize_t copy_piece(int from, int to, struct mpl_room *room)
{
    uint8_t *data = mpl_room_ensure(room, PIECE_BYTES);

    if (data == NULL) {
        errno = ENOMEM;
        return -1;
    }
    const ssize_t n = read(from, data, PIECE_BYTES);
    return n <= 0 || mpl_file_put(to, data, (size_t) n) ? n : -1;
}

static bool is_beyond_kernel(int error)
{
    return error == EXDEV || error == ENOSYS || error == EINVAL || error == EOPNOTSUPP ||
           error == EPERM;
}

static enum mpl_status copy_all(int from, int to, const char *path, struct mpl_room *room,
                                uint64_t *n, struct mpl_err *err)
{
    bool is_by_kernel = true;

    *n = 0;
    for (;;) {
        if (mpl_ends_are_asked_for()) {
            return mpl_fail(err, MPL_E_IO, "interrupted");
        }
        const ssize_t got = is_by_kernel
                                ? copy_file_range(from, NULL, to, NULL, PIECE_BYTES, 0)
                                : copy_piece(from, to, room);
        if (got < 0 && is_by_kernel && is_beyond_kernel(errno)) {
            is_by_kernel = false; /* goes on where the kernel stopped */
        } else if (got < 0 && errno != EINTR) {
            return fail(path, err);
        } else if (got == 0) {
            return MPL_OK;
        } else {
            *n += got > 0 ? (uint64_t) got : 0;
        }
    }
}

/* File systems stamp changes with a clock of a few milliseconds, some of seconds. */
enum { SETTLED_S = 4 };

bool mpl_sync_is_settled(const struct mpl_sync_part *part,
                         const struct mpl_sync_times *recorded)
{
    return part->changed_at.tv_sec + SETTLED_S < recorded->kept_at.tv_sec;
}

/** Whether \p fd is still the file that \p part was found to be. */
static bool is_same(int fd, const struct mpl_sync_part *part, uint64_t n)
{
    struct stat info;

    return fstat(fd, &info) == 0 && n == part->bytes &&
           info.st_ctim.tv_sec == part->changed_at.tv_sec &&
           info.st_ctim.tv_nsec == part->changed_at.tv_nsec;
}

enum mpl_status mpl_sync_copy_verbatim(const char *from, const char *to,
                                       const struct mpl_sync_part *part,
                                       struct mpl_room *room, struct mpl_err *err)
{
    size_t bytes = 0;
    uint64_t n = 0;
    int in = -1;
    enum mpl_status st = mpl_file_open(from, &in, &bytes, err);

    if (st != MPL_OK) {
        return st;
    }
    const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    st = out < 0 ? fail(to, err) : copy_all(in, out, to, room, &n, err);
    if (out >= 0 && close(out) != 0 && st == MPL_OK) {
        st = fail(to, err);
    }
    if (st == MPL_OK && !is_same(in, part, n)) {
        st = mpl_fail(err, MPL_E_IO, "the file has changed while it was read");
    }
    (void) close(in);
    return st;
}
