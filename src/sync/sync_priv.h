/* The parts of the copier: new times for old ones, and the files of an archive one by one. */
#ifndef MPL_SYNC_SYNC_PRIV_H
#define MPL_SYNC_SYNC_PRIV_H

#include "archive/archive.h"
#include "sync/sync.h"

#include <time.h>

/* ---- new times for old ones -------------------------------------------------------------- */

/** Recorded clock offsets, ascending in time. */
struct mpl_sync_offsets {
    const struct mpl_clock_offset *list;
    size_t n;
};
/** What they add to \p time: linear between two, and beyond them. */
int64_t mpl_sync_offset_at(const struct mpl_sync_offsets *offsets, uint64_t time);

/**
 * The times of one clock before and after the correction, at the events that the model keeps.
 * Between two of them it runs evenly; outside it is as far off as at the nearest one.
 */
struct mpl_retime {
    const struct mpl_times *from; /**< As recorded, ascending, relative to from_base. */
    const struct mpl_times *to;   /**< Corrected, ascending, relative to to_base. */
    uint32_t n;                   /**< 0: times are shifted from from_base to to_base. */
    uint64_t from_base;
    uint64_t to_base;
    bool
        is_own; /**< The events are those of the file itself: they are found by position, not
                      by time, because two of the same time may have become different. */
    /**
     * For records of another clock than from: recorded offsets that bring each to the clock
     * on which both can be compared. Empty where they are of the same.
     */
    struct mpl_sync_offsets record_offsets;
    struct mpl_sync_offsets from_offsets;
};

/** Time of a record at \p ticks (relative to from_base) with \p n_before kept events before it. */
int64_t mpl_retime_between(const struct mpl_retime *retime, uint32_t n_before,
                           int64_t ticks);
/** Whether no time changes. */
bool mpl_retime_is_identity(const struct mpl_retime *retime);
/** Recorded time of kept event \p i, where it is compared with those of mpl_retime_ticks(). */
static inline int64_t mpl_retime_from(const struct mpl_retime *retime, uint32_t i)
{
    const int64_t ticks = mpl_times_get(retime->from, i);

    return retime->from_offsets.n == 0
               ? ticks
               : (int64_t) ((uint64_t) ticks + (uint64_t) mpl_sync_offset_at(
                                                   &retime->from_offsets,
                                                   retime->from_base + (uint64_t) ticks));
}
/** \p time of a record relative to from_base, where it is compared. */
int64_t mpl_retime_ticks(const struct mpl_retime *retime, uint64_t time);
/** The new time of any recorded one. */
uint64_t mpl_retime_at(const struct mpl_retime *retime, uint64_t time);
/** How far mpl_retime_at() is behind to_base, without overflow. */
__int128 mpl_retime_wide(const struct mpl_retime *retime, uint64_t time);

struct mpl_sync_times {
    uint32_t n_locations;
    const struct mpl_times *times; /**< Per location of the model. */
    const uint64_t *base;
    struct timespec kept_at; /**< When the trace had been read. */
};

/* ---- files ---------------------------------------------------------------------------------- */

/** First and last new time of records. */
struct mpl_sync_span {
    bool is_empty;
    uint64_t first;
    uint64_t last;
};
void mpl_sync_span_add(struct mpl_sync_span *span, uint64_t time);

/** An event file, and what is known of it from having been read before. */
struct mpl_sync_source {
    size_t chunk_bytes;
    struct mpl_pieces *pieces; /**< Where it comes from; NULL: it is in memory. */
    struct mpl_room *room;     /**< For its pieces. */
    struct mpl_bytes file;     /**< In memory, up to where it is sound. */
    bool has_end;              /**< The end mark is there, or the file has changed. */
    bool has_records;          /**< Then their times lie between these: */
    uint64_t first_time;
    uint64_t last_time;
    uint64_t n_unkept; /**< Records that the model does not keep; of its own locations. */
    bool is_unchanged; /**< The copy is the file itself. */
};

struct mpl_sync_part;
/** Copies the settled event file of \p part, read by pieces, as it is. */
enum mpl_status mpl_sync_copy_verbatim(const struct mpl_sync_source *source,
                                       struct mpl_sync_part *part,
                                       const struct mpl_chunk_writer *writer,
                                       struct mpl_err *err);

/** Copies the sound part of an event file. */
enum mpl_status mpl_sync_events(const struct mpl_sync_source *source,
                                const struct mpl_retime *retime,
                                struct mpl_chunk_writer *writer, struct mpl_sync_span *span,
                                struct mpl_err *err);

/**
 * Copies local definitions. Clock offsets become 0; where there are none, two are added, at the
 * ends of \p span. Where \p error_ticks is above 0 it is stated as their standard deviation.
 * \p *damage says why the copy is shorter than the file; NULL when it is not.
 */
enum mpl_status mpl_sync_locals(struct mpl_bytes file, size_t chunk_bytes,
                                const struct mpl_retime *retime, int64_t error_ticks,
                                const struct mpl_sync_span *span,
                                struct mpl_chunk_writer *writer, const char **damage,
                                struct mpl_err *err);
/** The recorded clock offsets of a definition file, as far as they advance. */
enum mpl_status mpl_sync_read_offsets(struct mpl_bytes file, size_t chunk_bytes,
                                      struct mpl_buf *offsets, struct mpl_err *err);

/**
 * Copies a marker file. Markers stand on the clock that readers see, recorded offsets applied.
 * Their times are added to \p span.
 */
struct mpl_sync_job;
enum mpl_status mpl_sync_markers(const struct mpl_sync_job *job, struct mpl_bytes file,
                                 struct mpl_chunk_writer *writer,
                                 struct mpl_sync_span *span, const char **damage,
                                 struct mpl_err *err);

/** Who belongs to whom, by the global definitions. */
struct mpl_sync_location {
    uint64_t reference;
    uint32_t group;
};

struct mpl_sync_group {
    uint32_t reference;
    uint32_t node;
    uint32_t creator; /**< MPL_NONE: none. */
};

struct mpl_sync_globals {
    struct mpl_buf locations; /**< struct mpl_sync_location, as defined. */
    struct mpl_buf groups;    /**< struct mpl_sync_group */
};
/** MPL_E_UNSUPPORTED when the file is damaged: names would be lost without a trace. */
enum mpl_status mpl_sync_read_globals(struct mpl_bytes file, size_t chunk_bytes,
                                      struct mpl_sync_globals *out, struct mpl_err *err);
void mpl_sync_globals_free(struct mpl_sync_globals *globals);
/** Copies global definitions; the run is from now on where \p span is. \p shift is what was
 *  added to all times of the reference clock. */
enum mpl_status mpl_sync_copy_globals(struct mpl_bytes file, size_t chunk_bytes,
                                      const struct mpl_sync_span *span, uint64_t shift,
                                      struct mpl_chunk_writer *writer, struct mpl_err *err);

/* ---- the archive ------------------------------------------------------------------------- */

/** The files of one location. */
struct mpl_sync_part {
    uint64_t reference;
    uint32_t group; /**< Location group, by reference. */
    bool has_events;
    bool has_definitions;
    uint64_t bytes;             /**< Of its event file. */
    struct timespec changed_at; /**< When that file was last written, as far as is known. */
    bool has_records;           /**< Its event file begins with a time. */
    uint64_t first;             /**< That time, as recorded. */
    uint32_t
        location;    /**< Of the model, whose clock it follows; MPL_NONE: has no records. */
    bool is_by_host; /**< That location is only of the same computer. */
    struct mpl_retime retime;

    /* What copying it has found. */
    struct mpl_sync_span span;
    const char *damage; /**< Why the copy of the events ends early; NULL: it does not. */
    const char *def_damage; /**< Of the definitions. */
};

struct mpl_sync_job {
    const struct mpl_model *model;
    const struct mpl_sync_times *recorded;
    const int64_t *error_ticks; /**< Per location of the model; NULL: as recorded. */
    const struct mpl_progress *progress;
    struct mpl_arena *scratch;
    struct mpl_anchor anchor;
    const char *name;         /**< Of the archive: the anchor's without ".otf2". */
    struct mpl_bytes globals; /**< The global definition file. */
    struct mpl_sync_part *parts;
    size_t n_parts;
    struct mpl_map *part_of;       /**< Location reference to part. */
    struct mpl_map *part_of_group; /**< Location group to one part of it. */
    size_t n_strangers;   /**< Files that belong to no defined location; not copied. */
    const char *stranger; /**< One of them. */
    uint64_t shift;       /**< Added to all new times, so that none is before 0. */
    const char *target;   /**< The directory that is filled. */
    struct mpl_sync_span markers; /**< Found while they are copied. */
    const char *marker_damage;    /**< Why their copy ends early; NULL: it does not. */
};

/** Fills parts, strangers and shift; \p globals is the content of job->globals. */
enum mpl_status mpl_sync_find_parts(struct mpl_sync_job *job,
                                    const struct mpl_sync_globals *globals,
                                    struct mpl_err *err);
/** Says which part follows which clock. */
enum mpl_status mpl_sync_find_clocks(struct mpl_sync_job *job,
                                     const struct mpl_sync_globals *globals,
                                     struct mpl_err *err);
/** Writes all files into job->target. */
enum mpl_status mpl_sync_write_parts(struct mpl_sync_job *job, struct mpl_err *err);

#endif
