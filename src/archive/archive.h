/*
 * Takes:        the files of an OTF2 archive.
 * Makes:        chunks, records and fields out of their bytes; new archives that appear complete
 *               or not at all.
 * Leaves alone: what the records mean for the program (read) and when they happened (clock).
 *
 * Only a location's files and the anchor are understood here. libotf2 does not read them, because
 * it loops for ever on a truncated event file and costs four times as much per event.
 */
#ifndef MPL_ARCHIVE_ARCHIVE_H
#define MPL_ARCHIVE_ARCHIVE_H

#include "model/model.h"

/* ---- bytes of a file -------------------------------------------------------- */

/** Readable bytes behind the end of a loaded file, so that eight may be fetched at once, and the fields of a record gone over
    that begins before the end: eight of a byte, three compressed integers of up to 32 bits, and three of up to 64. */
enum { MPL_FILE_PAD = 64 };

/** Memory that is reused from one location to the next and only grows. */
struct mpl_room {
    struct mpl_arena *arena;
    void *data;
    size_t bytes;
};

/** At least \p bytes at room->data, contents undefined; NULL when out of memory. */
void *mpl_room_ensure(struct mpl_room *room, size_t bytes);
void mpl_room_free(struct mpl_room *room);

/** A chunk of an archive file: its byte order and the position of its records are found only in itself. */
struct mpl_chunk {
    size_t start;
    size_t end; /**< Of the chunk's bytes in the file. */
    bool is_big_endian;
    uint64_t first; /**< Number of its first record; event files count from 1. */
    uint64_t last;
};

enum {
    MPL_CHUNK_HEADER = 18, /**< Bytes. */
    MPL_CHUNK_MARK = 0x03,
    MPL_LITTLE_ENDIAN_MARK = 0x42,
    MPL_BIG_ENDIAN_MARK = 0x23
};

struct mpl_bytes {
    const uint8_t *data; /**< Followed by MPL_FILE_PAD readable bytes. */
    size_t n;
};

/** Loads a regular file into \p room. MPL_END when it does not exist. */
enum mpl_status mpl_bytes_load(const char *path, struct mpl_room *room,
                               struct mpl_bytes *out, struct mpl_err *err);
/** A regular file that is read piece by piece, because it may be larger than the memory. */
struct mpl_pieces {
    const char *path; /**< Borrowed. */
    int fd;           /**< -1: not open. */
    size_t n;         /**< Bytes of the file when it was opened. */
};
/** MPL_END when the file does not exist. */
enum mpl_status mpl_pieces_open(const char *path, struct mpl_pieces *pieces,
                                struct mpl_err *err);
/** The next \p most bytes; fewer at the end of the file, none behind it. */
enum mpl_status mpl_pieces_next(struct mpl_pieces *pieces, size_t most,
                                struct mpl_room *room, struct mpl_bytes *out,
                                struct mpl_err *err);
/** What comes next is the first piece again. */
enum mpl_status mpl_pieces_rewind(struct mpl_pieces *pieces, struct mpl_err *err);
void mpl_pieces_close(struct mpl_pieces *pieces);
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
/** A text with its NUL inside the record; "" when it has none. */
const char *mpl_cursor_text(struct mpl_cursor *cursor);

/** Walks the records of a definition file, all chunks. */
struct mpl_def_walk {
    struct mpl_bytes file;
    size_t chunk_bytes;
    struct mpl_chunk chunk;
    size_t start;       /**< Of the record read last, its type. */
    size_t at;          /**< Behind it. */
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
    enum mpl_tracer tracer; /**< As the anchor names it; UNKNOWN where it does not. */
    bool has_common_clock;
    const char
        *thinned; /**< What of the run was recorded, "5 of 9 stretches"; NULL: all of it. */
    /** Where the file has the numbers of snapshots and thumbnails; 0: before version 1.2 it
     *  does not. */
    size_t overviews_at;
    uint64_t n_overviews; /**< Of both. */
};

/** Bytes of the two numbers. */
enum { MPL_OVERVIEW_COUNTS = 8 };

/** The anchor behind a path the user gave: the file, the only *.otf2 of a directory, or if that has none
 *  the only one somewhere below it. */
enum mpl_status mpl_anchor_find(const char *path, struct mpl_arena *arena,
                                const char **anchor, struct mpl_err *err);
/** Checks every field before libotf2 sees the file. */
enum mpl_status mpl_anchor_read(const char *path, struct mpl_arena *arena,
                                struct mpl_anchor *out, struct mpl_err *err);

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

/** The value of all but the first: so many bytes are behind the type at most. */
enum mpl_record_shape {
    MPL_SHAPE_SIZED = 0, /**< A length, then fields. Also of types that nobody knows yet. */
    MPL_SHAPE_SINGLE32 = 5, /**< One compressed 32-bit integer and no length. */
    MPL_SHAPE_SINGLE64 = 9,
};

/**
 * What is known of a record type: its shape; how many events, message ends and collective parts
 * it gives at most, exactly so many events; and the fields that are decoded, which stand in the
 * order of OTF2's callbacks: in all records that are kept, bytes come first, then 32-bit, then
 * 64-bit integers.
 */
struct mpl_record_kind {
    /** enum mpl_record_shape. Aligned, as a table of eight bytes per type is looked up in with one step less. */
    _Alignas(8) uint8_t shape;
    uint8_t events;
    uint8_t messages;
    uint8_t collectives;
    uint8_t n_u8;
    uint8_t n_u32;
    uint8_t n_u64;
};
/** By type; zero for those that give no event. */
extern const struct mpl_record_kind mpl_record_kinds[256];

/** What is found when an event file is scanned; who takes its events relies on all of it. */
struct mpl_scan {
    size_t end;         /**< Bytes up to here are sound. */
    uint64_t n_records; /**< Event records, kept or not. */
    uint64_t n_unknown; /**< Of types newer than this program. */
    uint64_t n_metrics;
    uint64_t n_dropped;     /**< Records that give no event. */
    uint64_t n_events;      /**< Events to keep; a buffer flush gives two. */
    uint64_t n_messages;    /**< At most; a completion may belong to a posting. */
    uint64_t n_collectives; /**< At most. */
    uint64_t first_time;    /**< As recorded; 0 when there is none. */
    uint64_t last_time;
    const char *note;   /**< Quality note of the damage; NULL for a sound file. */
    const char *damage; /**< What is wrong, as a clause. */
};

/** Furthest that a location's clock may run, in ticks; differences of times then never overflow. */
#define MPL_LONGEST_RUN (UINT64_C(1) << 61)

/** A scan that goes from chunk to chunk, so that a file need not be in memory as a whole. */
struct mpl_event_scan {
    struct mpl_scan *scan; /**< Borrowed. Counts what has been scanned so far. */
    size_t file_bytes;
    size_t chunk_bytes;
    size_t start; /**< Of the next chunk in the file. */
    /** Where the scan stops at the latest. It lies before the end of the file when it is over, where the last time before
        the damage cannot be right either: its events do not count, and only a new scan up to there says what does. */
    size_t limit;
    bool is_again; /**< It is that new scan. */
    bool is_damaged;
    struct mpl_bytes piece; /**< The chunk at hand … */
    struct mpl_chunk chunk; /**< … whose places are those in the piece. */
    uint64_t time;          /**< Of the records that follow. */
    uint64_t time_before;   /**< The one before that. */
    size_t time_at;         /**< Where the current time stands in the file. */
    bool has_time;
    uint64_t n_before;       /**< Records before this chunk. */
    uint64_t n_of_type[256]; /**< Event records. */
};

/** Records of a chunk that are sound; what ends it is not among them. */
struct mpl_records_of_chunk {
    const uint8_t *at;
    const uint8_t *end;
    bool is_big_endian;
};

void mpl_event_scan_start(struct mpl_event_scan *scanner, size_t file_bytes,
                          size_t chunk_bytes, struct mpl_scan *scan);
/** Starts anew, up to the limit that the scan before has come to; scanner->scan keeps the damage that it has found. */
void mpl_event_scan_restart(struct mpl_event_scan *scanner);
/**
 * Scans the chunk at scanner->start, at which \p piece begins; it holds the chunk, or what is left of the file, and
 * MPL_FILE_PAD more. False if that was the last one.
 */
bool mpl_event_scan_next(struct mpl_event_scan *scanner, struct mpl_bytes piece,
                         struct mpl_records_of_chunk *out);
/** Whether all of it has to be scanned again, see limit. */
bool mpl_event_scan_is_cut(const struct mpl_event_scan *scanner);

/** Scans a file that is in memory. */
void mpl_scan_events(struct mpl_bytes file, size_t chunk_bytes, struct mpl_scan *scan);

/* ---- writing ------------------------------------------------------------------------- */

/** A file of chunks while it is written. */
struct mpl_chunk_writer {
    const char *path; /**< Borrowed. */
    int fd;           /**< -1: not open. */
    uint8_t *chunk;   /**< The chunk being filled, chunk_bytes of it. Owner: the room. */
    size_t chunk_bytes;
    uint8_t *at;   /**< Where the next record goes. */
    uint8_t *end;  /**< Where records must end: the end marks fit behind. */
    bool is_begun; /**< There is a chunk. */
    bool is_big_endian;
    /**
     * Event records so far, all chunks; to be counted by who writes them. Other files leave it
     * at 0, as libotf2 does.
     */
    uint64_t n_records;
};

/** Creates the file \p path; chunks are built in \p room, at least until the writer is closed. */
enum mpl_status mpl_chunk_writer_open(struct mpl_chunk_writer *writer, const char *path,
                                      size_t chunk_bytes, struct mpl_room *room,
                                      struct mpl_err *err);
/** Ends the chunk, if there is one, and begins the next. */
enum mpl_status mpl_chunk_writer_begin(struct mpl_chunk_writer *writer, bool is_big_endian,
                                       struct mpl_err *err);
/**
 * Writes a record, in a new chunk if need be. MPL_E_UNSUPPORTED when it is longer than a chunk.
 * A chunk must have been begun.
 */
enum mpl_status mpl_chunk_writer_put(struct mpl_chunk_writer *writer, const uint8_t *record,
                                     size_t n, struct mpl_err *err);
/** Writes the end of the file and closes it; only closes it when \p status is an error.
 *  Returns \p status, or why the file could not be written. */
enum mpl_status mpl_chunk_writer_close(struct mpl_chunk_writer *writer,
                                       enum mpl_status status, struct mpl_err *err);

void mpl_store_u64(uint8_t *at, uint64_t value, bool is_big_endian);
/** Stores a compressed integer, 1 to 9 bytes, and returns the place behind it. */
uint8_t *mpl_store_compressed(uint8_t *at, uint64_t value, bool is_big_endian);

/** Types of attribute values; above those, references of 32 bits. */
enum {
    MPL_VALUE_UINT8 = 1,
    MPL_VALUE_UINT32 = 3,
    MPL_VALUE_UINT64 = 4,
    MPL_VALUE_INT8 = 5,
    MPL_VALUE_INT32 = 7,
    MPL_VALUE_INT64 = 8,
    MPL_VALUE_FIRST_REFERENCE = 11,
    MPL_VALUE_LAST_REFERENCE = 28
};

/**
 * The events of a location while they are written, in the order of their times. What fails is
 * kept, and nothing is written from then on: who writes asks only in the end.
 */
struct mpl_record_writer {
    struct mpl_chunk_writer chunks; /**< Its n_records is the number of events. */
    enum mpl_status status;         /**< The first failure. */
    struct mpl_err *err;            /**< Borrowed; why. */
    uint64_t time;                  /**< Of the records that follow … */
    bool has_time;                  /**< … unless a chunk has just begun. */
    uint32_t n_attributes;          /**< Of the next record. */
    size_t attribute_bytes;
    uint8_t attributes[96];
};

/** As mpl_chunk_writer_open(), but that \p path NULL says that there is no memory; an empty file has a chunk, too. */
void mpl_record_writer_open(struct mpl_record_writer *writer, const char *path,
                            size_t chunk_bytes, struct mpl_room *room, struct mpl_err *err);
/** Closes the file. Returns the first failure of all. */
enum mpl_status mpl_record_writer_close(struct mpl_record_writer *writer);
/** Gives the next record an attribute, of at most eight: of a type above, a value of up to 32 bits. */
void mpl_record_attribute(struct mpl_record_writer *writer, uint32_t reference,
                          uint8_t type, uint32_t value);
/** Writes a record whose fields mpl_record_kinds has all, in that order. */
void mpl_record_put(struct mpl_record_writer *writer, uint64_t time, enum mpl_record type,
                    const uint64_t *fields);
void mpl_record_put_flush(struct mpl_record_writer *writer, uint64_t time, uint64_t stop);
/** Values of the \p n members of a metric class, at most 24. */
void mpl_record_put_sample(struct mpl_record_writer *writer, uint64_t time, uint32_t metric,
                           const uint64_t *values, uint8_t n);
/** With a status that nobody knows. */
void mpl_record_put_program_end(struct mpl_record_writer *writer, uint64_t time);

/* ---- directories ------------------------------------------------------------------------ */

/** Whether \p directory may be replaced: it does not exist, or \p force and it is an archive. */
enum mpl_status mpl_dir_check_target(const char *directory, bool force,
                                     struct mpl_arena *scratch, struct mpl_err *err);
/**
 * Whether a copy of the trace \p source, an archive or a text trace, may become \p directory: it must
 * neither replace any file of the trace nor lie inside of it, through whatever links.
 * Errors: MPL_E_USAGE if it would; those of mpl_anchor_find().
 */
enum mpl_status mpl_dir_check_source(const char *source, const char *directory,
                                     struct mpl_arena *scratch, struct mpl_err *err);
/** Fills a new directory, whose name is \p path. */
typedef enum mpl_status mpl_dir_fill(void *context, const char *path, struct mpl_err *err);
/**
 * Has \p fill fill a directory beside \p directory, in the same file system, stores that on the disk, and puts it in
 * the place of \p directory, which then holds nothing of what was there. After an error nothing is left of it.
 */
enum mpl_status mpl_dir_write(const char *directory, mpl_dir_fill *fill, void *context,
                              struct mpl_arena *scratch, struct mpl_err *err);
/** For tests, which write thousands of archives: from now on nothing waits for the disk. */
void mpl_dir_leave_unstored(void);

#endif
