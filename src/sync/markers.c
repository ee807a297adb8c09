/*
 * Copying markers. A marker stands on the time line that readers see, so it is on the clock of
 * the events after their recorded offsets; it names a location, or something larger.
 */
#include "config.h"

#include "sync/sync_priv.h"

#include <string.h>

enum { RECORD_MARKER = 6 };

/** OTF2_MARKER_SCOPE_… */
enum { SCOPE_LOCATION = 1, SCOPE_LOCATION_GROUP = 2 };

/** A length that needs the long form, a type, and two integers at their longest. */
enum { HEAD_BYTES = 1 + 9 + 9 + 9 };

/** The location that a marker stays with; markers of the whole run stay with the first. */
static uint32_t find_location(const struct mpl_sync_job *job, uint8_t scope, uint64_t ref)
{
    uint32_t part = MPL_NONE;

    if (scope == SCOPE_LOCATION) {
        part = mpl_map_find(job->part_of, ref);
    } else if (scope == SCOPE_LOCATION_GROUP) {
        part = mpl_map_find(job->part_of_group, ref);
    }
    if (part != MPL_NONE && job->parts[part].location != MPL_NONE) {
        return job->parts[part].location;
    }
    for (uint32_t l = 0; l < job->model->n_locations; l++) {
        if (job->model->locations[l].n_events > 0) {
            return l;
        }
    }
    return MPL_NONE;
}

static uint64_t retime(const struct mpl_sync_job *job, uint32_t l, uint64_t time)
{
    if (l == MPL_NONE) {
        return time; /* without events there is no other time line */
    }
    const struct mpl_location *loc = &job->model->locations[l];
    struct mpl_retime r = { .from = &job->recorded->times[l],
                            .to = &loc->times,
                            .n = loc->n_events,
                            .from_base = job->recorded->base[l],
                            .to_base = loc->base_ticks + job->shift };
    if (job->model->n_offsets != NULL) {
        r.from_offsets =
            (struct mpl_sync_offsets){ job->model->offsets[l], job->model->n_offsets[l] };
    }
    const __int128 to = r.to_base + mpl_retime_wide(&r, time);
    return to < 0 ? 0 : to >= UINT64_MAX ? UINT64_MAX - 1 : (uint64_t) to;
}

static enum mpl_status put_marker(uint64_t begin, uint64_t duration,
                                  const struct mpl_cursor *rest,
                                  struct mpl_chunk_writer *writer,
                                  struct mpl_arena *scratch, struct mpl_err *err)
{
    const bool big = writer->is_big_endian;
    const size_t n_rest = (size_t) (rest->end - rest->at);
    uint8_t fields[2 * 9];
    uint8_t *end = mpl_store_compressed(fields, begin, big);
    const size_t n_fields = (size_t) (mpl_store_compressed(end, duration, big) - fields);
    const uint64_t n = n_fields + n_rest;
    uint8_t *record = mpl_arena_alloc(scratch, HEAD_BYTES + n_rest);
    uint8_t *at = record;

    if (record == NULL) {
        return mpl_nomem(err);
    }
    *at++ = RECORD_MARKER;
    *at++ = (uint8_t) (n < UINT8_MAX ? n : UINT8_MAX);
    if (n >= UINT8_MAX) {
        mpl_store_u64(at, n, big);
        at += 8;
    }
    memcpy(at, fields, n_fields);
    memcpy(at + n_fields, rest->at, n_rest);
    return mpl_chunk_writer_put(writer, record, (size_t) (at - record) + (size_t) n, err);
}

static enum mpl_status copy_marker(const struct mpl_sync_job *job, struct mpl_cursor fields,
                                   struct mpl_chunk_writer *writer,
                                   struct mpl_sync_span *span, struct mpl_err *err)
{
    const uint64_t time = mpl_cursor_u64(&fields);
    const uint64_t duration = mpl_cursor_u64(&fields);
    struct mpl_cursor rest = fields;

    (void) mpl_cursor_u32(&fields); /* definition */
    const uint8_t scope = mpl_cursor_u8(&fields);
    const uint32_t l = find_location(job, scope, mpl_cursor_u64(&fields));
    if (fields.is_bad) {
        return mpl_fail(err, MPL_E_UNSUPPORTED, "a marker has broken fields");
    }
    const uint64_t begin = retime(job, l, time);
    mpl_sync_span_add(span, begin);
    if (duration > UINT64_MAX - 1 - time) {
        return put_marker(begin, duration, &rest, writer, job->scratch, err);
    }
    const uint64_t end = retime(job, l, time + duration);
    mpl_sync_span_add(span, end);
    return put_marker(begin, end - begin, &rest, writer, job->scratch, err);
}

enum mpl_status mpl_sync_markers(const struct mpl_sync_job *job, struct mpl_bytes file,
                                 struct mpl_chunk_writer *writer,
                                 struct mpl_sync_span *span, const char **damage,
                                 struct mpl_err *err)
{
    struct mpl_def_walk walk;
    struct mpl_cursor fields;
    uint8_t type;

    mpl_def_walk_start(&walk, file, job->anchor.def_chunk_bytes);
    enum mpl_status st = mpl_chunk_writer_begin(writer, walk.chunk.is_big_endian, err);
    while (st == MPL_OK && mpl_def_walk_next(&walk, &type, &fields)) {
        if (walk.chunk.is_big_endian != writer->is_big_endian) {
            st = mpl_fail(err, MPL_E_UNSUPPORTED, "its byte order changes");
        } else if (type == RECORD_MARKER) {
            st = copy_marker(job, fields, writer, span, err);
        } else {
            st = mpl_chunk_writer_put(writer, file.data + walk.start, walk.at - walk.start,
                                      err);
        }
    }
    *damage = walk.damage;
    return st;
}
