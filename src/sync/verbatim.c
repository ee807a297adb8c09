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

/* What is read stays in the cache until it is written. */
enum { PIECE_BYTES = 1 << 19 };

/* Through memory: the kernel does the same page by page, which takes longer. */
static enum mpl_status copy_pieces(const struct mpl_sync_source *source,
                                   const struct mpl_chunk_writer *writer,
                                   struct mpl_err *err)
{
    struct mpl_bytes piece;

    for (;;) {
        if (mpl_ends_are_asked_for()) {
            return mpl_fail(err, MPL_E_IO, "interrupted");
        }
        const enum mpl_status st =
            mpl_pieces_next(source->pieces, PIECE_BYTES, source->room, &piece, err);
        if (st != MPL_OK || piece.n == 0) {
            return st;
        }
        if (!mpl_file_put(writer->fd, piece.data, piece.n)) {
            return mpl_fail(err, MPL_E_IO, "\"%s\": %s", writer->path, strerror(errno));
        }
    }
}

/** Whether \p fd is still the file that \p part was found to be. */
static bool is_same(int fd, const struct mpl_sync_part *part)
{
    struct stat info;

    return fstat(fd, &info) == 0 && (uint64_t) info.st_size == part->bytes &&
           info.st_ctim.tv_sec == part->changed_at.tv_sec &&
           info.st_ctim.tv_nsec == part->changed_at.tv_nsec;
}

enum mpl_status mpl_sync_copy_verbatim(const struct mpl_sync_source *source,
                                       struct mpl_sync_part *part,
                                       const struct mpl_chunk_writer *writer,
                                       struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    mpl_sync_span_add(&part->span, source->first_time);
    mpl_sync_span_add(&part->span, source->last_time);
    if (ioctl(writer->fd, FICLONE, source->pieces->fd) != 0) {
        /* Saves a quarter of the time where the file system can do it. */
        (void) fallocate(writer->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t) part->bytes);
        st = copy_pieces(source, writer, err);
    }
    return st != MPL_OK || is_same(source->pieces->fd, part)
               ? st
               : mpl_fail(err, MPL_E_IO, "the file has changed while it was read");
}
