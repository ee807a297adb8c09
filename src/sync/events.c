/*
 * Copying an event file. Type and fields of every record are copied as they are; between them
 * new time records are written wherever the new time changes, which need not be where the old
 * one did: a receive may have been moved away from the enter that had the same time. So records
 * move within the file, and chunks are filled anew.
 */
#include "config.h"

#include "sync/sync_priv.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { TIME_RECORD = 9 };

/** No record has this time: it stands for "undefined". */
static const uint64_t no_time = UINT64_MAX;

struct copy {
    const struct mpl_retime *retime;
    struct mpl_chunk_writer *writer;
    struct mpl_sync_span *span;
    struct mpl_err *err;
    enum mpl_status status;
    uint64_t now;      /**< Recorded time of the records that follow. */
    uint64_t written;  /**< New time in force in the copy; no_time at a chunk's begin. */
    uint32_t k;        /**< Kept events so far, or up to now in files of others. */
    int64_t mismatch;  /**< Not 0: the file is not the one that the model was read from. */
    bool is_ended;     /**< The end mark has been seen. */
    uint64_t n_unkept; /**< Records that the model does not keep. */
    const uint8_t *lists; /**< Attribute lists that wait for their record. */
    size_t lists_bytes;
};

INLINE uint64_t load_u64(const uint8_t *at, bool is_big_endian)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return is_big_endian ? __builtin_bswap64(value) : value;
}

/** Bytes of the record at \p at, by its length alone. */
INLINE uint64_t length_of(const uint8_t *at, bool is_big_endian)
{
    if (at[1] != UINT8_MAX) {
        return 2 + (uint64_t) at[1];
    }
    if (mpl_record_kinds[*at].shape != MPL_SHAPE_SIZED) {
        return 2; /* undefined, no bytes follow */
    }
    return 10 + load_u64(at + 2, is_big_endian);
}

/* ---- the new time of a record --------------------------------------------------------------- */

/** In the file that the kept events come from, they are counted. */
INLINE uint64_t time_of_own(struct copy *c, uint8_t type)
{
    const struct mpl_retime *r = c->retime;
    const int64_t ticks = (int64_t) (c->now - r->from_base);
    const unsigned n = mpl_record_kinds[type].events;
    int64_t to;

    if (n == 0) {
        c->n_unkept++;
        to = mpl_retime_between(r, c->k, ticks);
    } else if (c->k + n <= r->n) {
        to = mpl_times_get(r->to, c->k);
        c->mismatch |= mpl_times_get(r->from, c->k) ^ ticks;
        c->k += n;
    } else {
        c->mismatch = 1;
        to = 0;
    }
    return r->to_base + (uint64_t) to;
}

static uint64_t time_of_other(struct copy *c)
{
    const struct mpl_retime *r = c->retime;
    const int64_t ticks = mpl_retime_ticks(r, c->now);

    while (c->k < r->n && mpl_retime_from(r, c->k) <= ticks) {
        c->k++;
    }
    return r->to_base + (uint64_t) mpl_retime_between(r, c->k, ticks);
}

/**
 * A buffer flush states the time of its end. Where the model believes it, it is an event of its
 * own, the last one counted.
 */
static void retime_flush(struct copy *c, uint8_t *stop_at, bool is_big_endian)
{
    const struct mpl_retime *r = c->retime;
    const uint64_t stop = load_u64(stop_at, is_big_endian);
    uint64_t to;

    if (stop == no_time) {
        return;
    }
    if (r->is_own && (int64_t) (stop - r->from_base) == mpl_times_get(r->from, c->k - 1)) {
        to = r->to_base + (uint64_t) mpl_times_get(r->to, c->k - 1);
    } else {
        to = mpl_retime_at(r, stop);
    }
    mpl_store_u64(stop_at, to, is_big_endian);
}

/* ---- writing ----------------------------------------------------------------------------------- */

static void begin_chunk(struct copy *c, bool is_big_endian)
{
    c->status = mpl_chunk_writer_begin(c->writer, is_big_endian, c->err);
    c->written = no_time;
}

/** Attribute lists without a record: at the end of a file, or in front of a time. */
static void put_lists(struct copy *c)
{
    if (c->lists != NULL && c->status == MPL_OK) {
        c->status = mpl_chunk_writer_put(c->writer, c->lists, c->lists_bytes, c->err);
        c->lists = NULL;
    }
}

static void take_list(struct copy *c, const uint8_t *at, size_t n)
{
    if (c->lists != NULL && c->lists + c->lists_bytes == at) {
        c->lists_bytes += n;
        return;
    }
    put_lists(c);
    c->lists = at;
    c->lists_bytes = n;
}

/** Room for a record of \p n bytes with a time in front; false when there is none. */
static bool make_room(struct copy *c, size_t n)
{
    struct mpl_chunk_writer *w = c->writer;

    begin_chunk(c, w->is_big_endian);
    if (c->status == MPL_OK && n + TIME_RECORD > (size_t) (w->end - w->at)) {
        c->status = mpl_fail(c->err, MPL_E_UNSUPPORTED,
                             "\"%s\": a record is too long for a chunk", w->path);
    }
    return c->status == MPL_OK;
}

INLINE void put(struct copy *c, const uint8_t *at, size_t n, uint64_t time,
                bool is_big_endian)
{
    struct mpl_chunk_writer *w = c->writer;
    const size_t all = c->lists == NULL ? n : n + c->lists_bytes;

    if (all + TIME_RECORD > (size_t) (w->end - w->at) && !make_room(c, all)) {
        return;
    }
    uint8_t *to = w->at;
    if (time != c->written) {
        const uint64_t stored = is_big_endian ? __builtin_bswap64(time) : time;

        if (c->written == no_time) {
            mpl_sync_span_add(c->span, time);
        }
        *to = MPL_REC_TIME;
        memcpy(to + 1, &stored, sizeof stored);
        to += TIME_RECORD;
        c->written = time;
    }
    if (c->lists != NULL) {
        memcpy(to, c->lists, c->lists_bytes);
        to += c->lists_bytes;
        c->lists = NULL;
    }
    /* Most records are short; a copy of fixed length is one instruction. The bytes behind are
     * written again by the next record. */
    if (n <= 16 && w->chunk + w->chunk_bytes - to >= 16) {
        memcpy(to, at, 16);
    } else {
        memcpy(to, at, n);
    }
    w->at = to + n;
    w->n_records++;
}

/* ---- the records of a chunk ---------------------------------------------------------------------- */

/** A buffer flush, as it stands at the end of what has been written. */
static void take_flush(struct copy *c, const uint8_t *record, size_t n, bool is_big_endian)
{
    const unsigned head = record[1] == UINT8_MAX ? 10 : 2;

    if (n < head + 8u) {
        c->mismatch = 1;
    } else if (c->mismatch == 0) {
        retime_flush(c, c->writer->at - n + head, is_big_endian);
    }
}

/*
 * Of the record's form only the length is looked at: whoever reads it for its fields has checked
 * them before, and unless the file has changed since then, what was sound still is.
 */
INLINE void take_chunk(struct copy *c, const uint8_t *at, const uint8_t *end, bool is_own,
                       bool is_big_endian)
{
    while (at < end && *at != MPL_REC_END_OF_CHUNK && *at != MPL_REC_END_OF_FILE) {
        const uint8_t type = *at;
        const uint64_t n =
            type == MPL_REC_TIME ? TIME_RECORD : length_of(at, is_big_endian);

        if (n > (uint64_t) (end - at)) {
            c->mismatch = 1;
            return;
        }
        if (type == MPL_REC_TIME) {
            c->now = load_u64(at + 1, is_big_endian);
        } else if (type == MPL_REC_ATTRIBUTES) {
            take_list(c, at, n);
        } else {
            put(c, at, n, is_own ? time_of_own(c, type) : time_of_other(c), is_big_endian);
            if (c->status != MPL_OK) {
                return;
            }
            if (type == MPL_REC_BUFFER_FLUSH) {
                take_flush(c, at, n, is_big_endian);
            }
        }
        at += n;
    }
    c->is_ended = at < end && *at == MPL_REC_END_OF_FILE;
}

static void take_any_chunk(struct copy *c, const uint8_t *at, const uint8_t *end,
                           bool is_big_endian)
{
    if (!c->writer->is_begun || c->writer->is_big_endian != is_big_endian) {
        begin_chunk(c, is_big_endian);
    }
    if (c->status == MPL_OK && mpl_ends_are_asked_for()) {
        c->status = mpl_fail(c->err, MPL_E_IO, "interrupted");
    }
    if (c->status != MPL_OK) {
        return;
    }
    /* The common case gets a loop of its own. */
    if (c->retime->is_own && !is_big_endian) {
        take_chunk(c, at, end, true, false);
    } else {
        take_chunk(c, at, end, c->retime->is_own, is_big_endian);
    }
    if (c->written != no_time) {
        mpl_sync_span_add(c->span, c->written);
    }
}

/** Whether this is the file that the model was read from. */
static enum mpl_status check_end(const struct copy *c, const struct mpl_sync_source *source)
{
    const bool is_same =
        c->mismatch == 0 &&
        (!c->retime->is_own || (c->k == c->retime->n && c->n_unkept == source->n_unkept &&
                                (c->is_ended || !source->has_end)));

    return is_same ? MPL_OK
                   : mpl_fail(c->err, MPL_E_IO, "the file has changed while it was read");
}

/**
 * New times must be such as a file can hold: from 0 on and below the number that stands for none.
 * The mapping never turns back, so the ends tell.
 */
static enum mpl_status check_range(const struct mpl_retime *r,
                                   const struct mpl_sync_source *source,
                                   struct mpl_err *err)
{
    const __int128 first = r->to_base + mpl_retime_wide(r, source->first_time);
    const __int128 last = r->to_base + mpl_retime_wide(r, source->last_time);

    if (first < 0 || last >= no_time) {
        return mpl_fail(err, MPL_E_UNSUPPORTED,
                        "its clock cannot be the one of its process: new times would lie "
                        "outside of what an archive can hold");
    }
    return MPL_OK;
}

/** The chunk at \p start, as far as it is sound; empty behind the last. */
static enum mpl_status fetch(const struct mpl_sync_source *source, size_t start,
                             struct mpl_bytes *piece, struct mpl_err *err)
{
    const size_t left = start < source->file.n ? source->file.n - start : 0;

    if (source->pieces != NULL) {
        return mpl_pieces_next(source->pieces, source->chunk_bytes, source->room, piece,
                               err);
    }
    piece->data = source->file.data + start;
    piece->n = left < source->chunk_bytes ? left : source->chunk_bytes;
    return MPL_OK;
}

static void take_file(struct copy *c, const struct mpl_sync_source *source)
{
    struct mpl_bytes piece = { 0 };
    struct mpl_chunk chunk;

    for (size_t start = 0; c->status == MPL_OK && !c->is_ended;
         start += source->chunk_bytes) {
        c->status = fetch(source, start, &piece, c->err);
        if (c->status != MPL_OK || !mpl_chunk_open(piece, 0, source->chunk_bytes, &chunk)) {
            return;
        }
        take_any_chunk(c, piece.data + MPL_CHUNK_HEADER, piece.data + piece.n,
                       chunk.is_big_endian);
        put_lists(c); /* they are in the piece */
    }
}

enum mpl_status mpl_sync_events(const struct mpl_sync_source *source,
                                const struct mpl_retime *retime,
                                struct mpl_chunk_writer *writer, struct mpl_sync_span *span,
                                struct mpl_err *err)
{
    struct copy c = { .retime = retime,
                      .writer = writer,
                      .span = span,
                      .err = err,
                      .status = MPL_OK,
                      .written = no_time };

    if (source->has_records) {
        c.status = check_range(retime, source, err);
    }
    take_file(&c, source);
    if (c.status == MPL_OK && !writer->is_begun) {
        begin_chunk(&c, false); /* of an empty file the byte order is not known */
    }
    return c.status == MPL_OK ? check_end(&c, source) : c.status;
}
