/* Event files of which no time changes: they are copied as they are, or not even copied where the file system
 * lets two files share what they hold. */
#include "config.h"

#include "sync/sync_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is read stays in the cache until it is written. */
enum { PIECE_BYTES = 1 << 19 };

static enum mpl_status fail(const char *path, struct mpl_err *err)
{
    return mpl_fail(err, MPL_E_IO, "\"%s\": %s", path, strerror(errno));
}

/* Through memory: the kernel does the same page by page, which takes longer. */
static enum mpl_status copy_pieces(int from, int to, const char *path, uint8_t *piece,
                                   struct mpl_err *err)
{
    for (;;) {
        if (mpl_ends_are_asked_for()) {
            return mpl_fail(err, MPL_E_IO, "interrupted");
        }
        const ssize_t n = read(from, piece, PIECE_BYTES);
        if (n == 0) {
            return MPL_OK;
        }
        if ((n < 0 && errno != EINTR) || (n > 0 && !mpl_file_put(to, piece, (size_t) n))) {
            return fail(path, err);
        }
    }
}

static enum mpl_status copy_all(int from, int to, const char *path, uint64_t bytes,
                                struct mpl_room *room, struct mpl_err *err)
{
    if (ioctl(to, FICLONE, from) == 0) {
        return MPL_OK;
    }
    uint8_t *piece = mpl_room_ensure(room, PIECE_BYTES);
    if (piece == NULL) {
        return mpl_nomem(err);
    }
    /* Saves a quarter of the time where the file system can do it. */
    (void) fallocate(to, FALLOC_FL_KEEP_SIZE, 0, (off_t) bytes);
    return copy_pieces(from, to, path, piece, err);
}

/* File systems stamp changes with a clock of a few milliseconds, some of seconds. */
enum { SETTLED_S = 4 };

bool mpl_sync_is_settled(const struct mpl_sync_part *part,
                         const struct mpl_sync_times *recorded)
{
    return part->changed_at.tv_sec + SETTLED_S < recorded->kept_at.tv_sec;
}

/** Whether \p fd is still the file that \p part was found to be. */
static bool is_same(int fd, const struct mpl_sync_part *part)
{
    struct stat info;

    return fstat(fd, &info) == 0 && (uint64_t) info.st_size == part->bytes &&
           info.st_ctim.tv_sec == part->changed_at.tv_sec &&
           info.st_ctim.tv_nsec == part->changed_at.tv_nsec;
}

enum mpl_status mpl_sync_copy_verbatim(const char *from, const char *to,
                                       const struct mpl_sync_part *part,
                                       struct mpl_room *room, struct mpl_err *err)
{
    size_t bytes = 0;
    int in = -1;
    enum mpl_status st = mpl_file_open(from, &in, &bytes, err);

    if (st != MPL_OK) {
        return st;
    }
    const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    st = out < 0 ? fail(to, err) : copy_all(in, out, to, part->bytes, room, err);
    if (out >= 0 && close(out) != 0 && st == MPL_OK) {
        st = fail(to, err);
    }
    if (st == MPL_OK && !is_same(in, part)) {
        st = mpl_fail(err, MPL_E_IO, "the file has changed while it was read");
    }
    (void) close(in);
    return st;
}
