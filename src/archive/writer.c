/*
 * Writing a file of chunks. A chunk is built in memory and written when it is full; what it does
 * not need is zero, which is the mark of its end. The last one is as short as its records.
 */
#include "config.h"

#include "archive/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Behind the records of the last chunk: end of file, end of buffer. Other chunks end with at
 * least one zero, for which that is room enough. */
static const uint8_t end_marks[] = { MPL_REC_END_OF_FILE, 1 };

void mpl_store_u64(uint8_t *at, uint64_t value, bool is_big_endian)
{
    for (unsigned i = 0; i < 8; i++) {
        at[i] = (uint8_t) (value >> 8 * (is_big_endian ? 7 - i : i));
    }
}

uint8_t *mpl_store_compressed(uint8_t *at, uint64_t value, bool is_big_endian)
{
    unsigned n = 0;

    if (value == UINT64_MAX) {
        *at = UINT8_MAX;
        return at + 1;
    }
    while (n < 8 && value >> 8 * n != 0) {
        n++;
    }
    *at++ = (uint8_t) n;
    for (unsigned i = 0; i < n; i++) {
        at[i] = (uint8_t) (value >> 8 * (is_big_endian ? n - 1 - i : i));
    }
    return at + n;
}

static enum mpl_status fail(const struct mpl_chunk_writer *writer, struct mpl_err *err)
{
    return mpl_fail(err, MPL_E_IO, "\"%s\": %s", writer->path, strerror(errno));
}

static enum mpl_status write_fully(const struct mpl_chunk_writer *writer, size_t n,
                                   struct mpl_err *err)
{
    return mpl_file_put(writer->fd, writer->chunk, n) ? MPL_OK : fail(writer, err);
}

enum mpl_status mpl_chunk_writer_open(struct mpl_chunk_writer *writer, const char *path,
                                      size_t chunk_bytes, struct mpl_room *room,
                                      struct mpl_err *err)
{
    *writer = (struct mpl_chunk_writer){ .path = path,
                                         .fd = -1,
                                         .chunk = mpl_room_ensure(room, chunk_bytes),
                                         .chunk_bytes = chunk_bytes };
    if (writer->chunk == NULL) {
        return mpl_nomem(err);
    }
    writer->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return writer->fd < 0 ? fail(writer, err) : MPL_OK;
}

enum mpl_status mpl_chunk_writer_begin(struct mpl_chunk_writer *writer, bool is_big_endian,
                                       struct mpl_err *err)
{
    if (writer->is_begun) {
        mpl_store_u64(writer->chunk + 10, writer->n_records, writer->is_big_endian);
        memset(writer->at, MPL_REC_END_OF_CHUNK,
               (size_t) (writer->chunk + writer->chunk_bytes - writer->at));
        const enum mpl_status st = write_fully(writer, writer->chunk_bytes, err);
        if (st != MPL_OK) {
            return st;
        }
    }
    writer->is_begun = true;
    writer->is_big_endian = is_big_endian;
    writer->chunk[0] = MPL_CHUNK_MARK;
    writer->chunk[1] = is_big_endian ? MPL_BIG_ENDIAN_MARK : MPL_LITTLE_ENDIAN_MARK;
    mpl_store_u64(writer->chunk + 2, writer->n_records + 1, is_big_endian);
    mpl_store_u64(writer->chunk + 10, 0, is_big_endian);
    writer->at = writer->chunk + MPL_CHUNK_HEADER;
    writer->end = writer->chunk + writer->chunk_bytes - sizeof end_marks;
    return MPL_OK;
}

enum mpl_status mpl_chunk_writer_put(struct mpl_chunk_writer *writer, const uint8_t *record,
                                     size_t n, struct mpl_err *err)
{
    if (n > (size_t) (writer->end - writer->at)) {
        const enum mpl_status st =
            mpl_chunk_writer_begin(writer, writer->is_big_endian, err);

        if (st != MPL_OK) {
            return st;
        }
        if (n > (size_t) (writer->end - writer->at)) {
            return mpl_fail(err, MPL_E_UNSUPPORTED,
                            "\"%s\": a record is too long for a chunk", writer->path);
        }
    }
    memcpy(writer->at, record, n);
    writer->at += n;
    return MPL_OK;
}

enum mpl_status mpl_chunk_writer_close(struct mpl_chunk_writer *writer,
                                       enum mpl_status status, struct mpl_err *err)
{
    if (writer->fd < 0) {
        return status;
    }
    if (status == MPL_OK && writer->is_begun) {
        mpl_store_u64(writer->chunk + 10, writer->n_records, writer->is_big_endian);
        memcpy(writer->at, end_marks, sizeof end_marks);
        status = write_fully(writer,
                             (size_t) (writer->at - writer->chunk) + sizeof end_marks, err);
    }
    if (close(writer->fd) != 0 && status == MPL_OK) {
        status = fail(writer, err);
    }
    writer->fd = -1;
    return status;
}
