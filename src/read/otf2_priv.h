/*
 * The parts of the archive reader. libotf2 reads the anchor and the global definitions; the
 * files of the locations are decoded here, because libotf2 loops for ever on a truncated event
 * file and costs four times as much per event.
 */
#ifndef MPL_READ_OTF2_PRIV_H
#define MPL_READ_OTF2_PRIV_H

#include "read/read.h"

/* ---- bytes of a file -------------------------------------------------------- */

/** Readable bytes behind the end of a loaded file, so that eight may be fetched at once. */
enum { MPL_FILE_PAD = 16 };

/** Memory that is reused from one location to the next and only grows. */
struct mpl_room {
    struct mpl_arena *arena;
    void *data;
    size_t bytes;
};

/** At least \p bytes at room->data, contents undefined; NULL when out of memory. */
void *mpl_room_ensure(struct mpl_room *room, size_t bytes);
void mpl_room_free(struct mpl_room *room);

/** A chunk of an archive file: it alone tells its byte order and where its records lie. */
struct mpl_chunk {
    size_t start;
    size_t end; /**< Of the chunk's bytes in the file. */
    bool is_big_endian;
    uint64_t first; /**< Number of its first record; event files count from 1. */
    uint64_t last;
};

enum { MPL_CHUNK_HEADER = 18 };

struct mpl_bytes {
    const uint8_t *data; /**< Followed by MPL_FILE_PAD readable bytes. */
    size_t n;
};

/** Loads a regular file into \p room. MPL_END when it does not exist. */
enum mpl_status mpl_bytes_load(const char *path, struct mpl_room *room,
                               struct mpl_bytes *out, struct mpl_err *err);
/** Reads the header of the chunk at \p start; false when there is none. */
bool mpl_chunk_open(struct mpl_bytes file, size_t start, size_t chunk_bytes,
                    struct mpl_chunk *chunk);

/** A bounds-checked position inside one record. Reading past the end sets is_bad and gives 0. */
struct mpl_cursor {
    const uint8_t *at;
    const uint8_t *end;
    bool is_big_endian;
    bool is_bad;
};

uint8_t mpl_cursor_u8(struct mpl_cursor *cursor);
uint32_t mpl_cursor_u32_fixed(struct mpl_cursor *cursor);
uint64_t mpl_cursor_u64_fixed(struct mpl_cursor *cursor);
/** A compressed integer: a length byte, then so many bytes; 0xff stands for "undefined". */
uint64_t mpl_cursor_u64(struct mpl_cursor *cursor);
uint32_t mpl_cursor_u32(struct mpl_cursor *cursor);
/** The length in front of a record's fields: one byte, or 0xff and eight bytes. */
uint64_t mpl_cursor_length(struct mpl_cursor *cursor);
/** A text with its NUL inside the record; "" when it has none. */
const char *mpl_cursor_text(struct mpl_cursor *cursor);

/** Walks the records of a definition file, all chunks. */
struct mpl_def_walk {
    struct mpl_bytes file;
    size_t chunk_bytes;
    struct mpl_chunk chunk;
    size_t at;
    uint64_t n_records; /**< Read so far. */
    const char *damage; /**< Why the walk ended early; NULL when all is well. */
};

void mpl_def_walk_start(struct mpl_def_walk *walk, struct mpl_bytes file,
                        size_t chunk_bytes);
/** The next record; false at the end or at damage. */
bool mpl_def_walk_next(struct mpl_def_walk *walk, uint8_t *type, struct mpl_cursor *fields);

/* ---- anchor -------------------------------------------------------------------- */

struct mpl_anchor {
    const char *path; /**< The file itself. */
    const char
        *stem; /**< Without ".otf2": global definitions and directory derive from it. */
    uint64_t event_chunk_bytes;
    uint64_t def_chunk_bytes;
    const char *creator;
    enum mpl_tracer tracer; /**< As the anchor tells it; UNKNOWN where it does not. */
    bool has_common_clock;
};

/** The anchor behind a path the user gave: the file, or the only *.otf2 of a directory. */
enum mpl_status mpl_anchor_find(const char *path, struct mpl_arena *arena,
                                const char **anchor, struct mpl_err *err);
/** Checks every field before libotf2 sees the file. */
enum mpl_status mpl_anchor_read(const char *path, struct mpl_arena *arena,
                                struct mpl_anchor *out, struct mpl_err *err);

/* ---- global definitions, as recorded ----------------------------------------------- */

struct mpl_raw_node {
    uint32_t ref, name, class_name, parent;
};

struct mpl_raw_location_group {
    uint32_t ref, name, node;
};

struct mpl_raw_location {
    uint64_t ref;
    uint32_t name, group;
    uint8_t type;
};

struct mpl_raw_region {
    uint32_t ref, name, file, line;
    uint8_t role, paradigm;
};

struct mpl_raw_group {
    uint32_t ref;
    uint8_t type, paradigm;
    bool has_global_members;
    uint32_t n_members;
    const uint64_t *members; /**< NULL for paradigms other than MPI. */
};

struct mpl_raw_comm {
    uint32_t ref, name, group, remote_group;
    bool is_inter;
};

struct mpl_raw_context {
    uint32_t ref, region;
};

/** What the global definition file says, nothing resolved. Strings are numbered by reference. */
struct mpl_raw {
    struct mpl_arena *arena; /**< Texts and group members; outlives this. */
    bool is_out_of_memory;
    uint64_t ticks_per_s;
    struct mpl_map *string_of_ref; /**< Into texts. */
    struct mpl_buf texts;          /**< const char * */
    struct mpl_buf nodes;
    struct mpl_buf location_groups;
    struct mpl_buf locations;
    struct mpl_buf regions;
    struct mpl_buf groups;
    struct mpl_buf comms;
    struct mpl_buf contexts;
    uint64_t n_lost;    /**< Definitions the anchor announces and the file does not hold. */
    const char *damage; /**< Why; NULL when the file is whole. */
};

enum mpl_status mpl_raw_read(const struct mpl_anchor *anchor, struct mpl_arena *arena,
                             struct mpl_raw *raw, struct mpl_err *err);
void mpl_raw_free(struct mpl_raw *raw);
/** "" for a reference without a text. */
const char *mpl_raw_text(const struct mpl_raw *raw, uint32_t string);

/* ---- definitions of the model ------------------------------------------------------ */

/** References of the archive to indices of the model. */
struct mpl_refs {
    struct mpl_map *region; /**< Of global region reference. */
    struct mpl_map *comm;
    struct mpl_map *context;  /**< Calling context to region index. */
    struct mpl_map *location; /**< Of location reference to process index. */
    uint32_t unknown_region;  /**< Stands for references without a definition. */
};

bool mpl_refs_create(struct mpl_refs *refs);
void mpl_refs_free(struct mpl_refs *refs);

/** Regions, then processes and locations, then communicators; in this order. */
enum mpl_status mpl_define_regions(const struct mpl_raw *raw, struct mpl_model *model,
                                   struct mpl_arena *arena, struct mpl_refs *refs,
                                   struct mpl_err *err);
enum mpl_status mpl_define_processes(const struct mpl_raw *raw, struct mpl_model *model,
                                     struct mpl_arena *arena, struct mpl_refs *refs,
                                     struct mpl_err *err);
enum mpl_status mpl_define_comms(const struct mpl_raw *raw, struct mpl_model *model,
                                 struct mpl_arena *arena, struct mpl_refs *refs,
                                 struct mpl_err *err);
/** The MPI group whose members are the locations by rank; NULL without MPI. */
const struct mpl_raw_group *mpl_raw_ranks(const struct mpl_raw *raw);

/* ---- local definitions --------------------------------------------------------------- */

/** Local references of one kind to global ones; references without an entry are global. */
struct mpl_mapping {
    struct mpl_map *map; /**< NULL when there is no table. */
};

enum { MPL_MAPPING_REGION = 3, MPL_MAPPING_COMM = 6, MPL_MAPPING_CONTEXT = 10 };

struct mpl_locals {
    struct mpl_mapping region;
    struct mpl_mapping comm;
    struct mpl_mapping context;
    struct mpl_buf offsets; /**< struct mpl_clock_offset, ascending. */
    const char *damage;     /**< NULL when the file is whole. */
};

bool mpl_locals_read(struct mpl_bytes file, size_t chunk_bytes, struct mpl_locals *locals);
void mpl_locals_free(struct mpl_locals *locals);
uint32_t mpl_mapping_apply(const struct mpl_mapping *mapping, uint32_t local);

/* ---- events --------------------------------------------------------------------------- */

/** Record types of an event file; the names follow OTF2's reader callbacks. */
enum mpl_record {
    MPL_REC_END_OF_CHUNK = 0,
    MPL_REC_END_OF_FILE = 2,
    MPL_REC_TIME = 5,
    MPL_REC_ATTRIBUTES = 6,
    MPL_REC_BUFFER_FLUSH = 10,
    MPL_REC_ON_OFF = 11,
    MPL_REC_ENTER = 12,
    MPL_REC_LEAVE = 13,
    MPL_REC_SEND = 14,
    MPL_REC_ISEND = 15,
    MPL_REC_ISEND_COMPLETE = 16,
    MPL_REC_IRECV_REQUEST = 17,
    MPL_REC_RECV = 18,
    MPL_REC_IRECV = 19,
    MPL_REC_REQUEST_TEST = 20,
    MPL_REC_REQUEST_CANCELLED = 21,
    MPL_REC_COLL_BEGIN = 22,
    MPL_REC_COLL_END = 23,
    MPL_REC_OMP_FORK = 24,
    MPL_REC_OMP_JOIN = 25,
    MPL_REC_OMP_ACQUIRE_LOCK = 26,
    MPL_REC_OMP_RELEASE_LOCK = 27,
    MPL_REC_OMP_TASK_CREATE = 28,
    MPL_REC_OMP_TASK_SWITCH = 29,
    MPL_REC_OMP_TASK_COMPLETE = 30,
    MPL_REC_METRIC = 31,
    MPL_REC_THREAD_FORK = 53,
    MPL_REC_THREAD_JOIN = 54,
    MPL_REC_TEAM_BEGIN = 55,
    MPL_REC_TEAM_END = 56,
    MPL_REC_ACQUIRE_LOCK = 57,
    MPL_REC_RELEASE_LOCK = 58,
    MPL_REC_THREAD_CREATE = 62,
    MPL_REC_THREAD_BEGIN = 63,
    MPL_REC_THREAD_WAIT = 64,
    MPL_REC_THREAD_END = 65,
    MPL_REC_CONTEXT_ENTER = 66,
    MPL_REC_CONTEXT_LEAVE = 67,
    MPL_REC_PROGRAM_BEGIN = 83,
    MPL_REC_PROGRAM_END = 84,
    MPL_REC_ICOLL_REQUEST = 85,
    MPL_REC_ICOLL_COMPLETE = 86,
    MPL_REC_COMM_CREATE = 87,
    MPL_REC_COMM_DESTROY = 88,
    MPL_REC_KNOWN
};

/** What the first pass over an event file finds; the second relies on all of it. */
struct mpl_scan {
    size_t end;         /**< Bytes up to here are sound. */
    uint64_t n_records; /**< Event records, kept or not. */
    uint64_t n_unknown; /**< Of types newer than this program. */
    uint64_t n_metrics;
    uint64_t n_dropped;     /**< Records that give no event. */
    uint64_t n_events;      /**< Events to keep; a buffer flush gives two. */
    uint64_t n_messages;    /**< At most; a completion may belong to a posting. */
    uint64_t n_collectives; /**< At most. */
    uint64_t first_time;
    const char *note;   /**< Quality note of the damage; NULL for a sound file. */
    const char *damage; /**< What is wrong, as a clause. */
};

/** Furthest that a location's clock may run, in ticks; differences of times then never overflow. */
#define MPL_LONGEST_RUN (UINT64_C(1) << 61)

void mpl_scan_events(struct mpl_bytes file, size_t chunk_bytes, struct mpl_scan *scan);

/** Scratch of the decoder, reused from location to location. */
struct mpl_decoder;
struct mpl_decoder *mpl_decoder_create(struct mpl_arena *arena);
/** Gives its tables back; the decoder itself lives in its arena. */
void mpl_decoder_close(struct mpl_decoder *decoder);

struct mpl_decode_job {
    struct mpl_bytes file;
    size_t chunk_bytes;
    const struct mpl_scan *scan;
    const struct mpl_locals *locals;
    const struct mpl_refs *refs;
    const struct mpl_model *model;
    bool *is_region_used; /**< Per region of the model; set, never cleared. */
};

/** What deserves a note, and what the capabilities rest on. */
struct mpl_decode_counts {
    uint64_t unknown_regions;
    uint64_t unknown_comms;
    uint64_t open_receives; /**< Posted, neither completed nor cancelled. */
    uint64_t cancelled;
    uint64_t open_collectives; /**< Non-blocking ones without an end. */
    uint64_t flushes;
};

/** Fills \p loc from a scanned file. Columns live in \p arena. */
enum mpl_status mpl_decode_events(struct mpl_decoder *decoder,
                                  const struct mpl_decode_job *job, struct mpl_arena *arena,
                                  struct mpl_location *loc,
                                  struct mpl_decode_counts *counts, struct mpl_err *err);

/* ---- the end of reading ------------------------------------------------------------------ */

/** Sets model->can from the finished tables; \p is_region_used has an entry per region. */
void mpl_capabilities_find(struct mpl_model *model, const bool *is_region_used,
                           const struct mpl_decode_counts *sum, bool has_counters);

enum mpl_status mpl_read_otf2(const char *anchor, struct mpl_arena *arena,
                              const struct mpl_progress *progress, struct mpl_model **out,
                              struct mpl_err *err);

#endif
