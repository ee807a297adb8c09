/*
 * Writing the records of events: each with a time in front where that changes and where a chunk begins,
 * and with its attribute list. The bytes are those that libotf2 writes.
 */
#include "config.h"

#include "archive/archive.h"

#include <string.h>

enum {
    TIME_RECORD = 9, /* bytes */
    HEAD = 2,        /* of a record: type and length */
    INTEGER = 9,     /* a compressed one, at most */
    MOST_FIELDS = 7,
    MOST_ATTRIBUTES = 8
};

/** A compressed integer of 32 bits: its "undefined" is one byte, as that of 64 bits is. */
static uint8_t *store_u32(uint8_t *at, uint64_t value)
{
    return mpl_store_compressed(at, value == UINT32_MAX ? UINT64_MAX : value, false);
}

static uint8_t *store_fields(uint8_t *at, const struct mpl_record_kind *kind,
                             const uint64_t *fields)
{
    for (unsigned i = 0; i < kind->n_u8; i++) {
        *at++ = (uint8_t) *fields++;
    }
    for (unsigned i = 0; i < kind->n_u32; i++) {
        at = store_u32(at, *fields++);
    }
    for (unsigned i = 0; i < kind->n_u64; i++) {
        at = mpl_store_compressed(at, *fields++, false);
    }
    return at;
}

/* The attribute list that waits for its record goes first. */
static uint8_t *store_attributes(const struct mpl_record_writer *w, uint8_t *at)
{
    if (w->n_attributes == 0) {
        return at;
    }
    *at++ = MPL_REC_ATTRIBUTES;
    *at++ = (uint8_t) (1 + 1 + w->attribute_bytes);
    at = store_u32(at, w->n_attributes);
    memcpy(at, w->attributes, w->attribute_bytes);
    return at + w->attribute_bytes;
}

static void begin_chunk(struct mpl_record_writer *w)
{
    w->status = mpl_ends_are_asked_for()
                    ? mpl_fail(w->err, MPL_E_IO, "interrupted")
                    : mpl_chunk_writer_begin(&w->chunks, false, w->err);
    w->has_time = false;
}

static void put(struct mpl_record_writer *w, uint64_t time, const uint8_t *record, size_t n)
{
    struct mpl_chunk_writer *chunks = &w->chunks;
    const size_t most = TIME_RECORD + HEAD + INTEGER + w->attribute_bytes + n;

    if (w->status == MPL_OK && most > (size_t) (chunks->end - chunks->at)) {
        begin_chunk(w);
    }
    if (w->status != MPL_OK) {
        return;
    }
    if (!w->has_time || time != w->time) {
        *chunks->at = MPL_REC_TIME;
        mpl_store_u64(chunks->at + 1, time, false);
        chunks->at += TIME_RECORD;
        w->time = time;
        w->has_time = true;
    }
    chunks->at = store_attributes(w, chunks->at);
    memcpy(chunks->at, record, n);
    chunks->at += n;
    chunks->n_records++;
    w->n_attributes = 0;
    w->attribute_bytes = 0;
}

void mpl_record_writer_open(struct mpl_record_writer *w, const char *path,
                            size_t chunk_bytes, struct mpl_room *room, struct mpl_err *err)
{
    *w = (struct mpl_record_writer){ .err = err };
    w->chunks.fd = -1;
    w->status = path == NULL
                    ? mpl_nomem(err)
                    : mpl_chunk_writer_open(&w->chunks, path, chunk_bytes, room, err);
    if (w->status == MPL_OK) {
        begin_chunk(w);
    }
}

enum mpl_status mpl_record_writer_close(struct mpl_record_writer *w)
{
    return mpl_chunk_writer_close(&w->chunks, w->status, w->err);
}

void mpl_record_attribute(struct mpl_record_writer *w, uint32_t reference, uint8_t type,
                          uint32_t value)
{
    uint8_t *at = w->attributes + w->attribute_bytes;

    mpl_assert(w->n_attributes < MOST_ATTRIBUTES);
    at = store_u32(at, reference);
    *at++ = type;
    if (type == MPL_VALUE_UINT8) {
        *at++ = (uint8_t) value;
    } else if (type == MPL_VALUE_INT32) { /* -1 is a value, no reference to nothing */
        at = mpl_store_compressed(at, value, false);
    } else {
        at = store_u32(at, value);
    }
    w->attribute_bytes = (size_t) (at - w->attributes);
    w->n_attributes++;
}

void mpl_record_put(struct mpl_record_writer *w, uint64_t time, enum mpl_record type,
                    const uint64_t *fields)
{
    const struct mpl_record_kind *kind = &mpl_record_kinds[type];
    uint8_t record[HEAD + MOST_FIELDS * INTEGER];
    uint8_t *end = record + 1;

    record[0] = type;
    if (kind->shape == MPL_SHAPE_SINGLE32) {
        end = store_u32(end, fields[0]);
    } else if (kind->shape == MPL_SHAPE_SINGLE64) {
        end = mpl_store_compressed(end, fields[0], false);
    } else {
        end = store_fields(record + HEAD, kind, fields);
        record[1] = (uint8_t) (end - record - HEAD);
    }
    put(w, time, record, (size_t) (end - record));
}

void mpl_record_put_flush(struct mpl_record_writer *w, uint64_t time, uint64_t stop)
{
    uint8_t record[HEAD + 8] = { MPL_REC_BUFFER_FLUSH, 8 };

    mpl_store_u64(record + HEAD, stop, false);
    put(w, time, record, sizeof record);
}

void mpl_record_put_sample(struct mpl_record_writer *w, uint64_t time, uint32_t metric,
                           const uint64_t *values, uint8_t n)
{
    uint8_t record[HEAD + 5 + 1 + UINT8_MAX] = { MPL_REC_METRIC };
    uint8_t *at = store_u32(record + HEAD, metric);

    *at++ = n;
    for (uint8_t i = 0; i < n; i++) {
        *at++ = MPL_VALUE_UINT64;
        at = mpl_store_compressed(at, values[i], false);
    }
    record[1] = (uint8_t) (at - record - HEAD);
    put(w, time, record, (size_t) (at - record));
}

void mpl_record_put_program_end(struct mpl_record_writer *w, uint64_t time)
{
    uint8_t record[HEAD + INTEGER] = { MPL_REC_PROGRAM_END, INTEGER };

    (void) mpl_store_compressed(record + HEAD, (uint64_t) INT64_MIN, false);
    put(w, time, record, sizeof record);
}
