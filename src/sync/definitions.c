/*
 * Copying definition files. All records stay as they are but two: clock offsets of a location
 * become 0, because the new times are those of one clock, and the clock properties of the run
 * say where the new times lie.
 */
#include "config.h"

#include "sync/sync_priv.h"

#include <string.h>

/* Record types of local and of global definition files. */
enum { LOCAL_CLOCK_OFFSET = 6 };
enum { GLOBAL_CLOCK_PROPERTIES = 5, GLOBAL_LOCATION_GROUP = 13, GLOBAL_LOCATION = 14 };

/** A record of our own: type, length, fields; small enough for a length of one byte. */
struct record {
    uint8_t bytes[256];
    uint8_t *at;
};

static void record_begin(struct record *record, uint8_t type)
{
    record->bytes[0] = type;
    record->at = record->bytes + 2;
}

/** What follows the fields that are understood; newer versions of the format append some. */
static bool record_append(struct record *record, const struct mpl_cursor *rest)
{
    const size_t n = (size_t) (rest->end - rest->at);

    /* A length of 255 announces a longer length. */
    if (n + (size_t) (record->at - record->bytes) >= sizeof record->bytes) {
        return false;
    }
    memcpy(record->at, rest->at, n);
    record->at += n;
    return true;
}

static enum mpl_status record_put(struct record *record, struct mpl_chunk_writer *writer,
                                  struct mpl_err *err)
{
    record->bytes[1] = (uint8_t) (record->at - record->bytes - 2);
    return mpl_chunk_writer_put(writer, record->bytes,
                                (size_t) (record->at - record->bytes), err);
}

/** The record that the walk has just read, byte for byte. */
static enum mpl_status put_unchanged(const struct mpl_def_walk *walk,
                                     struct mpl_chunk_writer *writer, struct mpl_err *err)
{
    return mpl_chunk_writer_put(writer, walk->file.data + walk->start,
                                walk->at - walk->start, err);
}

/* All chunks of a file are of one byte order, that of the computer that wrote it. */
static enum mpl_status check_order(const struct mpl_def_walk *walk,
                                   const struct mpl_chunk_writer *writer,
                                   struct mpl_err *err)
{
    return walk->chunk.is_big_endian == writer->is_big_endian
               ? MPL_OK
               : mpl_fail(err, MPL_E_UNSUPPORTED, "its byte order changes");
}

/* ---- local definitions ------------------------------------------------------------------- */

struct locals {
    const struct mpl_retime *retime;
    struct mpl_chunk_writer *writer;
    uint64_t last_time;  /**< New time of the last offset. */
    int64_t error_ticks; /**< To be stated with each offset; 0: as recorded. */
    unsigned n_offsets;
};

/* The first field of what follows an offset is its standard deviation. */
static void state_error(const struct locals *l, struct record *record,
                        const struct mpl_cursor *rest)
{
    const double error = (double) l->error_ticks;
    uint64_t bits;

    memcpy(&bits, &error, sizeof bits);
    if (l->error_ticks > 0 && (size_t) (rest->end - rest->at) >= sizeof bits) {
        mpl_store_u64(record->at - (rest->end - rest->at), bits, l->writer->is_big_endian);
    }
}

static enum mpl_status put_offset(struct locals *l, uint64_t time,
                                  const struct mpl_cursor *rest, struct mpl_err *err)
{
    struct record record;
    const bool big = l->writer->is_big_endian;

    /* Readers refuse two offsets at one moment; and at which moment it is 0 is all the same. */
    if (l->n_offsets > 0 && time <= l->last_time) {
        time = l->last_time + 1;
    }
    l->last_time = time;
    l->n_offsets++;
    record_begin(&record, LOCAL_CLOCK_OFFSET);
    mpl_store_u64(record.at, time, big);
    record.at = mpl_store_compressed(record.at + 8, 0, big);
    if (!record_append(&record, rest)) {
        return mpl_fail(err, MPL_E_UNSUPPORTED, "a clock offset is too long");
    }
    state_error(l, &record, rest);
    return record_put(&record, l->writer, err);
}

static enum mpl_status copy_offset(struct locals *l, struct mpl_cursor fields,
                                   struct mpl_err *err)
{
    const uint64_t time = mpl_cursor_u64_fixed(&fields);

    (void) mpl_cursor_u64(&fields);
    if (fields.is_bad) {
        return mpl_fail(err, MPL_E_UNSUPPORTED, "a clock offset has broken fields");
    }
    return put_offset(l, mpl_retime_at(l->retime, time), &fields, err);
}

static enum mpl_status add_offsets(struct locals *l, const struct mpl_sync_span *span,
                                   struct mpl_err *err)
{
    static const uint8_t no_deviation[8] = { 0 };
    const struct mpl_cursor rest = { .at = no_deviation,
                                     .end = no_deviation + sizeof no_deviation };
    enum mpl_status st = put_offset(l, span->first, &rest, err);

    return st == MPL_OK ? put_offset(l, span->last, &rest, err) : st;
}

enum mpl_status mpl_sync_locals(struct mpl_bytes file, size_t chunk_bytes,
                                const struct mpl_retime *retime, int64_t error_ticks,
                                const struct mpl_sync_span *span,
                                struct mpl_chunk_writer *writer, const char **damage,
                                struct mpl_err *err)
{
    struct locals l = { .retime = retime, .writer = writer, .error_ticks = error_ticks };
    struct mpl_def_walk walk;
    struct mpl_cursor fields;
    uint8_t type;

    mpl_def_walk_start(&walk, file, chunk_bytes);
    enum mpl_status st = mpl_chunk_writer_begin(writer, walk.chunk.is_big_endian, err);
    while (st == MPL_OK && mpl_def_walk_next(&walk, &type, &fields)) {
        st = check_order(&walk, writer, err);
        if (st == MPL_OK) {
            st = type == LOCAL_CLOCK_OFFSET ? copy_offset(&l, fields, err)
                                            : put_unchanged(&walk, writer, err);
        }
    }
    if (st == MPL_OK && l.n_offsets == 0) {
        st = add_offsets(&l, span, err);
    }
    *damage = walk.damage;
    return st;
}

enum mpl_status mpl_sync_read_offsets(struct mpl_bytes file, size_t chunk_bytes,
                                      struct mpl_buf *offsets, struct mpl_err *err)
{
    struct mpl_def_walk walk;
    struct mpl_cursor fields;
    uint64_t last = 0;
    uint8_t type;

    mpl_def_walk_start(&walk, file, chunk_bytes);
    while (mpl_def_walk_next(&walk, &type, &fields)) {
        struct mpl_clock_offset offset;

        if (type != LOCAL_CLOCK_OFFSET) {
            continue;
        }
        offset.time_ticks = mpl_cursor_u64_fixed(&fields);
        offset.offset_ticks = (int64_t) mpl_cursor_u64(&fields);
        offset.error_ticks = 0;
        if (fields.is_bad || (offsets->n > 0 && offset.time_ticks <= last)) {
            continue;
        }
        if (!mpl_buf_put(offsets, &offset)) {
            return mpl_nomem(err);
        }
        last = offset.time_ticks;
    }
    return MPL_OK;
}

/* ---- global definitions --------------------------------------------------------------------- */

static enum mpl_status keep_location(struct mpl_cursor fields, struct mpl_buf *locations,
                                     struct mpl_err *err)
{
    struct mpl_sync_location *location = mpl_buf_add(locations);

    if (location == NULL) {
        return mpl_nomem(err);
    }
    location->reference = mpl_cursor_u64(&fields);
    (void) mpl_cursor_u32(&fields); /* name */
    (void) mpl_cursor_u8(&fields);  /* type */
    (void) mpl_cursor_u64(&fields); /* number of events */
    location->group = mpl_cursor_u32(&fields);
    return fields.is_bad ? mpl_fail(err, MPL_E_UNSUPPORTED, "a location has broken fields")
                         : MPL_OK;
}

static enum mpl_status keep_group(struct mpl_cursor fields, struct mpl_buf *groups,
                                  struct mpl_err *err)
{
    struct mpl_sync_group *group = mpl_buf_add(groups);

    if (group == NULL) {
        return mpl_nomem(err);
    }
    group->reference = mpl_cursor_u32(&fields);
    (void) mpl_cursor_u32(&fields); /* name */
    (void) mpl_cursor_u8(&fields);  /* type */
    group->node = mpl_cursor_u32(&fields);
    group->creator = MPL_NONE;
    if (fields.is_bad) {
        return mpl_fail(err, MPL_E_UNSUPPORTED, "a location group has broken fields");
    }
    /* Since version 3 of the format a group of a GPU names its process. */
    if (fields.at < fields.end) {
        group->creator = mpl_cursor_u32(&fields);
    }
    return MPL_OK;
}

static enum mpl_status keep_definition(uint8_t type, struct mpl_cursor fields,
                                       struct mpl_sync_globals *out, struct mpl_err *err)
{
    switch (type) {
    case GLOBAL_LOCATION_GROUP:
        return keep_group(fields, &out->groups, err);
    case GLOBAL_LOCATION:
        return keep_location(fields, &out->locations, err);
    default:
        return MPL_OK;
    }
}

enum mpl_status mpl_sync_read_globals(struct mpl_bytes file, size_t chunk_bytes,
                                      struct mpl_sync_globals *out, struct mpl_err *err)
{
    struct mpl_def_walk walk;
    struct mpl_cursor fields;
    enum mpl_status st = MPL_OK;
    uint8_t type;

    *out =
        (struct mpl_sync_globals){ .locations =
                                       mpl_buf_make(sizeof(struct mpl_sync_location)),
                                   .groups = mpl_buf_make(sizeof(struct mpl_sync_group)) };
    mpl_def_walk_start(&walk, file, chunk_bytes);
    while (st == MPL_OK && mpl_def_walk_next(&walk, &type, &fields)) {
        st = keep_definition(type, fields, out, err);
    }
    if (st == MPL_OK && walk.damage != NULL) {
        st = mpl_fail(err, MPL_E_UNSUPPORTED,
                      "the global definitions are damaged (%s): names would be lost",
                      walk.damage);
    }
    return st;
}

void mpl_sync_globals_free(struct mpl_sync_globals *globals)
{
    mpl_buf_free(&globals->locations);
    mpl_buf_free(&globals->groups);
}

/**
 * The date, in ns since 1970, belongs to the begin of the run; it moves along with that. 0 and
 * "undefined" are no dates.
 */
static uint64_t move_date(uint64_t date_ns, int64_t by_ticks, uint64_t ticks_per_s)
{
    const __int128 by_ns =
        ticks_per_s == 0 ? 0 : (__int128) by_ticks * 1000000000 / (__int128) ticks_per_s;

    if (date_ns == 0 || date_ns == UINT64_MAX) {
        return date_ns;
    }
    return by_ns + date_ns > 0 && by_ns + date_ns < UINT64_MAX
               ? (uint64_t) (by_ns + date_ns)
               : UINT64_MAX;
}

static enum mpl_status copy_properties(struct mpl_cursor fields,
                                       const struct mpl_sync_span *span, uint64_t shift,
                                       struct mpl_chunk_writer *writer, struct mpl_err *err)
{
    const bool big = writer->is_big_endian;
    const uint64_t ticks_per_s = mpl_cursor_u64(&fields);
    const uint64_t begin = mpl_cursor_u64(&fields);
    struct record record;

    (void) mpl_cursor_u64(&fields); /* length */
    record_begin(&record, GLOBAL_CLOCK_PROPERTIES);
    record.at = mpl_store_compressed(record.at, ticks_per_s, big);
    record.at = mpl_store_compressed(record.at, span->first, big);
    record.at = mpl_store_compressed(record.at, span->last - span->first, big);
    /* Since version 3 of the format. */
    if (!fields.is_bad && fields.at < fields.end) {
        const int64_t by_ticks = (int64_t) (span->first - shift - begin);

        record.at = mpl_store_compressed(
            record.at, move_date(mpl_cursor_u64(&fields), by_ticks, ticks_per_s), big);
    }
    if (fields.is_bad || !record_append(&record, &fields)) {
        return mpl_fail(err, MPL_E_UNSUPPORTED, "the clock properties have broken fields");
    }
    return record_put(&record, writer, err);
}

enum mpl_status mpl_sync_copy_globals(struct mpl_bytes file, size_t chunk_bytes,
                                      const struct mpl_sync_span *span, uint64_t shift,
                                      struct mpl_chunk_writer *writer, struct mpl_err *err)
{
    struct mpl_def_walk walk;
    struct mpl_cursor fields;
    uint8_t type;

    mpl_def_walk_start(&walk, file, chunk_bytes);
    enum mpl_status st = mpl_chunk_writer_begin(writer, walk.chunk.is_big_endian, err);
    while (st == MPL_OK && mpl_def_walk_next(&walk, &type, &fields)) {
        st = check_order(&walk, writer, err);
        if (st != MPL_OK) {
            break;
        }
        st = type == GLOBAL_CLOCK_PROPERTIES && !span->is_empty
                 ? copy_properties(fields, span, shift, writer, err)
                 : put_unchanged(&walk, writer, err);
    }
    return st;
}
