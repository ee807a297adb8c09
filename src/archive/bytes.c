/*
 * The container that all OTF2 files share. A file is a row of chunks of equal size, the last one
 * shorter; a chunk is a header (0x03, byte order, first and last record number) and records; a
 * record is a type byte, mostly a length, and fields. Integers are stored as a length byte and so
 * many bytes.
 */
#include "config.h"

#include "archive/archive.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void *mpl_room_ensure(struct mpl_room *room, size_t bytes)
{
    if (room->bytes >= bytes && room->data != NULL) {
        return room->data;
    }
    mpl_room_free(room);
    room->arena = mpl_arena_create();
    if (room->arena == NULL) {
        return NULL;
    }
    room->data = mpl_arena_alloc(room->arena, bytes);
    room->bytes = room->data != NULL ? bytes : 0;
    return room->data;
}

void mpl_room_free(struct mpl_room *room)
{
    mpl_arena_destroy(room->arena);
    *room = (struct mpl_room){ 0 };
}

/* ---- loading ---------------------------------------------------------------------- */

static enum mpl_status read_fully(int fd, const char *path, uint8_t *data, size_t *n,
                                  struct mpl_err *err)
{
    size_t done = 0;

    while (done < *n) {
        const ssize_t got = read(fd, data + done, *n - done);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return mpl_fail(err, MPL_E_IO, "\"%s\": %s", path, strerror(errno));
        }
        if (got == 0) {
            break;
        }
        done += (size_t) got;
    }
    *n = done;
    return MPL_OK;
}

static enum mpl_status open_file(const char *path, int *out, size_t *n, struct mpl_err *err)
{
    const enum mpl_status st = mpl_file_open(path, out, n, err);

    return st >= MPL_OK ? st : mpl_wrap(err, st, "cannot open \"%s\"", path);
}

static enum mpl_status read_piece(int fd, const char *path, size_t n, struct mpl_room *room,
                                  struct mpl_bytes *out, struct mpl_err *err)
{
    uint8_t *data = mpl_room_ensure(room, n + MPL_FILE_PAD);

    if (data == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = read_fully(fd, path, data, &n, err);
    if (st != MPL_OK) {
        return st;
    }
    memset(data + n, 0, MPL_FILE_PAD);
    *out = (struct mpl_bytes){ data, n };
    return MPL_OK;
}

enum mpl_status mpl_bytes_load(const char *path, struct mpl_room *room,
                               struct mpl_bytes *out, struct mpl_err *err)
{
    size_t n = 0;
    int fd = -1;
    enum mpl_status st = open_file(path, &fd, &n, err);

    if (st == MPL_OK) {
        st = read_piece(fd, path, n, room, out, err);
        (void) close(fd);
    }
    return st;
}

enum mpl_status mpl_pieces_open(const char *path, struct mpl_pieces *pieces,
                                struct mpl_err *err)
{
    *pieces = (struct mpl_pieces){ .path = path, .fd = -1 };
    return open_file(path, &pieces->fd, &pieces->n, err);
}

enum mpl_status mpl_pieces_next(struct mpl_pieces *pieces, size_t most,
                                struct mpl_room *room, struct mpl_bytes *out,
                                struct mpl_err *err)
{
    return read_piece(pieces->fd, pieces->path, most, room, out, err);
}

enum mpl_status mpl_pieces_rewind(struct mpl_pieces *pieces, struct mpl_err *err)
{
    return lseek(pieces->fd, 0, SEEK_SET) < 0
               ? mpl_fail(err, MPL_E_IO, "\"%s\": %s", pieces->path, strerror(errno))
               : MPL_OK;
}

void mpl_pieces_close(struct mpl_pieces *pieces)
{
    if (pieces->fd >= 0) {
        (void) close(pieces->fd);
        pieces->fd = -1;
    }
}

/* ---- chunks ---------------------------------------------------------------------------- */

static uint64_t fixed(const uint8_t *at, unsigned n, bool is_big_endian)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < n; i++) {
        const unsigned shift = 8 * (is_big_endian ? n - 1 - i : i);

        value |= (uint64_t) at[i] << shift;
    }
    return value;
}

bool mpl_chunk_open(struct mpl_bytes file, size_t start, size_t chunk_bytes,
                    struct mpl_chunk *chunk)
{
    const uint8_t *at = file.data + start;

    if (start > file.n || file.n - start < MPL_CHUNK_HEADER || at[0] != MPL_CHUNK_MARK ||
        (at[1] != MPL_LITTLE_ENDIAN_MARK && at[1] != MPL_BIG_ENDIAN_MARK)) {
        return false;
    }
    chunk->start = start;
    chunk->end = file.n - start < chunk_bytes ? file.n : start + chunk_bytes;
    chunk->is_big_endian = at[1] == MPL_BIG_ENDIAN_MARK;
    chunk->first = fixed(at + 2, 8, chunk->is_big_endian);
    chunk->last = fixed(at + 10, 8, chunk->is_big_endian);
    return true;
}

/* ---- fields ------------------------------------------------------------------------------ */

static uint64_t take_fixed(struct mpl_cursor *cursor, unsigned n)
{
    const uint8_t *at = cursor->at;

    if (cursor->is_bad || n > (uint64_t) (cursor->end - at)) {
        cursor->is_bad = true;
        return 0;
    }
    cursor->at += n;
    return fixed(at, n, cursor->is_big_endian);
}

uint8_t mpl_cursor_u8(struct mpl_cursor *cursor)
{
    return (uint8_t) take_fixed(cursor, 1);
}

uint32_t mpl_cursor_u32_fixed(struct mpl_cursor *cursor)
{
    return (uint32_t) take_fixed(cursor, 4);
}

uint64_t mpl_cursor_u64_fixed(struct mpl_cursor *cursor)
{
    return take_fixed(cursor, 8);
}

static uint64_t compressed(struct mpl_cursor *cursor, unsigned most, uint64_t undefined)
{
    const uint8_t n = mpl_cursor_u8(cursor);

    if (n == UINT8_MAX) {
        return undefined;
    }
    if (n > most) {
        cursor->is_bad = true;
        return 0;
    }
    return take_fixed(cursor, n);
}

uint64_t mpl_cursor_u64(struct mpl_cursor *cursor)
{
    return compressed(cursor, 8, UINT64_MAX);
}

uint32_t mpl_cursor_u32(struct mpl_cursor *cursor)
{
    return (uint32_t) compressed(cursor, 4, UINT32_MAX);
}

/* The length in front of a record's fields: one byte, or 0xff and eight bytes. */
static uint64_t take_length(struct mpl_cursor *cursor)
{
    const uint8_t n = mpl_cursor_u8(cursor);

    return n == UINT8_MAX ? mpl_cursor_u64_fixed(cursor) : n;
}

const char *mpl_cursor_text(struct mpl_cursor *cursor)
{
    const uint8_t *at = cursor->at;
    const uint8_t *nul =
        cursor->is_bad ? NULL : memchr(at, '\0', (size_t) (cursor->end - at));

    if (nul == NULL) {
        cursor->is_bad = true;
        return "";
    }
    cursor->at = nul + 1;
    return (const char *) at;
}

/* ---- definition files --------------------------------------------------------------------- */

static bool stop(struct mpl_def_walk *walk, const char *damage)
{
    walk->damage = damage;
    walk->at = walk->file.n;
    return false;
}

void mpl_def_walk_start(struct mpl_def_walk *walk, struct mpl_bytes file,
                        size_t chunk_bytes)
{
    *walk = (struct mpl_def_walk){ .file = file, .chunk_bytes = chunk_bytes };
    if (!mpl_chunk_open(file, 0, chunk_bytes, &walk->chunk)) {
        (void) stop(walk,
                    file.n == 0 ? "it is empty" : "it does not start with a chunk header");
        return;
    }
    walk->at = MPL_CHUNK_HEADER;
}

static bool next_chunk(struct mpl_def_walk *walk)
{
    if (walk->chunk.end == walk->file.n) {
        return stop(walk, "it ends without an end mark");
    }
    if (!mpl_chunk_open(walk->file, walk->chunk.end, walk->chunk_bytes, &walk->chunk)) {
        return stop(walk, "a chunk has no header");
    }
    walk->at = walk->chunk.start + MPL_CHUNK_HEADER;
    return true;
}

bool mpl_def_walk_next(struct mpl_def_walk *walk, uint8_t *type, struct mpl_cursor *fields)
{
    if (walk->damage != NULL) {
        return false;
    }
    while (walk->at >= walk->chunk.end ||
           walk->file.data[walk->at] == MPL_REC_END_OF_CHUNK) {
        if (!next_chunk(walk)) {
            return false;
        }
    }
    walk->start = walk->at;
    *type = walk->file.data[walk->at];
    if (*type == MPL_REC_END_OF_FILE) {
        return false;
    }
    if (*type < MPL_REC_TIME) {
        return stop(walk, "a record has an impossible type");
    }
    struct mpl_cursor all = { .at = walk->file.data + walk->at + 1,
                              .end = walk->file.data + walk->chunk.end,
                              .is_big_endian = walk->chunk.is_big_endian };
    const uint64_t n = take_length(&all);
    if (all.is_bad || n > (uint64_t) (all.end - all.at)) {
        return stop(walk, "a record leaves its chunk");
    }
    *fields = all;
    fields->end = all.at + n;
    walk->at = (size_t) (fields->end - walk->file.data);
    walk->n_records++;
    return true;
}
