/*
 * First pass over an event file: structure, lengths and time are checked and everything is
 * counted, so that the second pass can fill exactly sized arrays without looking back. The file
 * ends where the first damage begins.
 */
#include "config.h"

#include "archive/archive.h"

#include <string.h>

const struct mpl_record_kind mpl_record_kinds[256] = {
    [MPL_REC_BUFFER_FLUSH] = { MPL_SHAPE_SIZED, 2, 0, 0, 8, 0, 0 }, /* a whole time */
    [MPL_REC_ON_OFF] = { MPL_SHAPE_SIZED, 1, 0, 0, 1, 0, 0 },
    [MPL_REC_ENTER] = { MPL_SHAPE_SINGLE32, 1, 0, 0, 0, 0, 0 },
    [MPL_REC_LEAVE] = { MPL_SHAPE_SINGLE32, 1, 0, 0, 0, 0, 0 },
    [MPL_REC_SEND] = { MPL_SHAPE_SIZED, 1, 1, 0, 0, 3, 1 },
    [MPL_REC_ISEND] = { MPL_SHAPE_SIZED, 1, 1, 0, 0, 3, 2 },
    [MPL_REC_ISEND_COMPLETE] = { MPL_SHAPE_SINGLE64, 1, 0, 0, 0, 0, 0 },
    [MPL_REC_IRECV_REQUEST] = { MPL_SHAPE_SINGLE64, 1, 1, 0, 0, 0, 0 },
    [MPL_REC_RECV] = { MPL_SHAPE_SIZED, 1, 1, 0, 0, 3, 1 },
    [MPL_REC_IRECV] = { MPL_SHAPE_SIZED, 1, 1, 0, 0, 3, 2 },
    [MPL_REC_REQUEST_TEST] = { MPL_SHAPE_SINGLE64, 0, 0, 0, 0, 0, 0 },
    [MPL_REC_REQUEST_CANCELLED] = { MPL_SHAPE_SINGLE64, 1, 0, 0, 0, 0, 0 },
    [MPL_REC_COLL_BEGIN] = { MPL_SHAPE_SIZED, 1, 0, 1, 0, 0, 0 },
    [MPL_REC_COLL_END] = { MPL_SHAPE_SIZED, 1, 0, 1, 1, 2, 2 },
    [MPL_REC_OMP_FORK] = { MPL_SHAPE_SINGLE32, 1, 0, 0, 0, 0, 0 },
    [MPL_REC_OMP_JOIN] = { MPL_SHAPE_SIZED, 1, 0, 0, 0, 0, 0 },
    [MPL_REC_OMP_ACQUIRE_LOCK] = { MPL_SHAPE_SIZED, 1, 0, 0, 0, 2, 0 },
    [MPL_REC_OMP_RELEASE_LOCK] = { MPL_SHAPE_SIZED, 1, 0, 0, 0, 2, 0 },
    [MPL_REC_OMP_TASK_CREATE] = { MPL_SHAPE_SINGLE64, 0, 0, 0, 0, 0, 0 },
    [MPL_REC_OMP_TASK_SWITCH] = { MPL_SHAPE_SINGLE64, 0, 0, 0, 0, 0, 0 },
    [MPL_REC_OMP_TASK_COMPLETE] = { MPL_SHAPE_SINGLE64, 0, 0, 0, 0, 0, 0 },
    [MPL_REC_THREAD_FORK] = { MPL_SHAPE_SIZED, 1, 0, 0, 1, 1, 0 },
    [MPL_REC_THREAD_JOIN] = { MPL_SHAPE_SIZED, 1, 0, 0, 1, 0, 0 },
    [MPL_REC_TEAM_BEGIN] = { MPL_SHAPE_SIZED, 1, 0, 0, 0, 1, 0 },
    [MPL_REC_TEAM_END] = { MPL_SHAPE_SIZED, 1, 0, 0, 0, 1, 0 },
    [MPL_REC_ACQUIRE_LOCK] = { MPL_SHAPE_SIZED, 1, 0, 0, 1, 2, 0 },
    [MPL_REC_RELEASE_LOCK] = { MPL_SHAPE_SIZED, 1, 0, 0, 1, 2, 0 },
    [MPL_REC_THREAD_CREATE] = { MPL_SHAPE_SIZED, 1, 0, 0, 0, 1, 1 },
    [MPL_REC_THREAD_BEGIN] = { MPL_SHAPE_SIZED, 1, 0, 0, 0, 1, 1 },
    [MPL_REC_THREAD_WAIT] = { MPL_SHAPE_SIZED, 1, 0, 0, 0, 1, 1 },
    [MPL_REC_THREAD_END] = { MPL_SHAPE_SIZED, 1, 0, 0, 0, 1, 1 },
    [MPL_REC_CONTEXT_ENTER] = { MPL_SHAPE_SIZED, 1, 0, 0, 0, 2, 0 },
    [MPL_REC_CONTEXT_LEAVE] = { MPL_SHAPE_SIZED, 1, 0, 0, 0, 1, 0 },
    [MPL_REC_PROGRAM_BEGIN] = { MPL_SHAPE_SIZED, 1, 0, 0, 0, 0, 0 },
    [MPL_REC_PROGRAM_END] = { MPL_SHAPE_SIZED, 1, 0, 0, 0, 0, 0 },
    [MPL_REC_ICOLL_REQUEST] = { MPL_SHAPE_SIZED, 1, 0, 1, 0, 0, 1 },
    [MPL_REC_ICOLL_COMPLETE] = { MPL_SHAPE_SIZED, 1, 0, 1, 1, 2, 3 },
    [MPL_REC_COMM_CREATE] = { MPL_SHAPE_SIZED, 1, 0, 0, 0, 0, 0 },
    [MPL_REC_COMM_DESTROY] = { MPL_SHAPE_SIZED, 1, 0, 0, 0, 0, 0 },
};

/** The pass over one file. \p limit is where it stops at the latest. */
struct pass {
    struct mpl_bytes file;
    size_t chunk_bytes;
    size_t limit;
    struct mpl_chunk chunk;
    struct mpl_scan *scan;
    uint64_t time;        /**< Of the records that follow. */
    uint64_t time_before; /**< The one before that. */
    size_t time_at;       /**< Where the current time stands in the file. */
    bool has_time;
    uint64_t n_before;       /**< Records before this chunk. */
    uint64_t n_of_type[256]; /**< Event records, folded into the counts at the end. */
};

static const uint8_t *damaged(struct pass *p, const char *note, const char *what)
{
    p->scan->note = note;
    p->scan->damage = what;
    return NULL;
}

static const uint8_t *broken(struct pass *p, const char *what)
{
    return damaged(p, "damaged-events", what);
}

/** A record that leaves its chunk: the file is cut there, unless the chunk is followed by more. */
static const uint8_t *leaves_chunk(struct pass *p)
{
    return p->chunk.end == p->file.n
               ? damaged(p, "truncated-events", "the file ends inside a record")
               : broken(p, "a record leaves its chunk");
}

/** Skips \p n compressed integers of at most \p most bytes; NULL if they do not fit. */
static inline const uint8_t *skip_integers(const uint8_t *at, const uint8_t *end,
                                           unsigned n, unsigned most)
{
    for (; n > 0; n--) {
        unsigned length;

        if (at >= end) {
            return NULL;
        }
        length = *at == UINT8_MAX ? 0 : *at;
        if (length > most || length >= (size_t) (end - at)) {
            return NULL;
        }
        at += 1 + length;
    }
    return at;
}

static inline bool fields_fit(const struct mpl_record_kind *kind, const uint8_t *at,
                              const uint8_t *end)
{
    if (kind->n_u8 > end - at) {
        return false;
    }
    at = skip_integers(at + kind->n_u8, end, kind->n_u32, 4);
    return at != NULL && skip_integers(at, end, kind->n_u64, 8) != NULL;
}

/** Behind a record with a length in front; \p at is the length. */
static inline const uint8_t *skip_sized(struct pass *p, const uint8_t *at,
                                        const uint8_t *end,
                                        const struct mpl_record_kind *kind)
{
    uint64_t n = at < end ? *at++ : 0;

    if (n == UINT8_MAX) {
        struct mpl_cursor cursor = { at, end, p->chunk.is_big_endian, false };

        n = mpl_cursor_u64_fixed(&cursor);
        at = cursor.at;
        if (cursor.is_bad) {
            return leaves_chunk(p);
        }
    }
    if (n > (uint64_t) (end - at)) {
        return leaves_chunk(p);
    }
    if (!fields_fit(kind, at, at + n)) {
        return broken(p, "a record has broken fields");
    }
    return at + n;
}

/*
 * When time runs backwards, either this time is wrong or the one before it was. If this one
 * fits behind the last but one, the last is the culprit, and its events go too; otherwise a
 * single flipped bit would stretch the run by years.
 */
static const uint8_t *backwards(struct pass *p, uint64_t time)
{
    if (p->time_before <= time) {
        p->limit = p->time_at;
    }
    return broken(p, "time runs backwards");
}

static void take_first_time(struct pass *p, uint64_t time)
{
    p->scan->first_time = time;
    p->time = time;
    p->time_before = time;
    p->has_time = true;
}

static const uint8_t *take_time(struct pass *p, const uint8_t *at, const uint8_t *end)
{
    uint64_t time;

    if (end - at < 8) {
        return leaves_chunk(p);
    }
    memcpy(&time, at, sizeof time);
    if (p->chunk.is_big_endian) {
        time = __builtin_bswap64(time);
    }
    if (!p->has_time) {
        take_first_time(p, time);
    }
    if (time < p->time) {
        return backwards(p, time);
    }
    if (time - p->scan->first_time > MPL_LONGEST_RUN) {
        return broken(p, "a time is impossible");
    }
    p->time_before = p->time;
    p->time = time;
    p->time_at = (size_t) (at - 1 - p->file.data);
    return at + 8;
}

/** An event other than enter and leave, or what is none. Returns the place behind it, NULL at
 *  damage. */
static const uint8_t *take_record(struct pass *p, const uint8_t *at, const uint8_t *end)
{
    const uint8_t type = *at++;
    const struct mpl_record_kind *kind = &mpl_record_kinds[type];
    const uint8_t *next;

    if (type == MPL_REC_ATTRIBUTES) {
        return skip_sized(p, at, end, &mpl_record_kinds[MPL_REC_ATTRIBUTES]);
    }
    if (type < MPL_REC_BUFFER_FLUSH) {
        return broken(p, "a record has an impossible type");
    }
    if (!p->has_time) {
        return broken(p, "an event stands before the first time");
    }
    if (kind->shape == MPL_SHAPE_SINGLE32 || kind->shape == MPL_SHAPE_SINGLE64) {
        next = skip_integers(at, end, 1, kind->shape == MPL_SHAPE_SINGLE32 ? 4 : 8);
        if (next == NULL) {
            return end - at < 9 ? leaves_chunk(p) : broken(p, "a record has broken fields");
        }
    } else {
        next = skip_sized(p, at, end, kind);
    }
    if (next != NULL) {
        p->n_of_type[type]++;
    }
    return next;
}

/*
 * Sound records, which are almost all. Whatever needs a second look ends the loop and is left to
 * take_record(). The times are kept in local variables, which the compiler cannot do behind a
 * pointer; that halves the cost of the pass.
 */
static inline __attribute__((always_inline)) const uint8_t *
take_sound(struct pass *p, const uint8_t *at, const uint8_t *end, bool is_big_endian)
{
    const uint64_t first = p->scan->first_time;
    uint64_t time = p->time;
    uint64_t time_before = p->time_before;
    const uint8_t *time_at = p->file.data + p->time_at;

    while (end - at >= 9) {
        const uint8_t type = *at;
        const uint8_t length = at[1];

        if (type == MPL_REC_ENTER || type == MPL_REC_LEAVE) {
            if (length > 4) {
                break;
            }
        } else if (type == MPL_REC_TIME) {
            uint64_t next;

            memcpy(&next, at + 1, sizeof next);
            next = is_big_endian ? __builtin_bswap64(next) : next;
            if (next < time || next - first > MPL_LONGEST_RUN) {
                break;
            }
            time_before = time;
            time = next;
            time_at = at;
            at += 9;
            continue;
        } else if (type < MPL_REC_BUFFER_FLUSH || type >= MPL_REC_KNOWN ||
                   length == UINT8_MAX || length > end - at - 2) {
            break;
        } else if (mpl_record_kinds[type].shape == MPL_SHAPE_SINGLE32 ||
                   mpl_record_kinds[type].shape == MPL_SHAPE_SINGLE64) {
            if (length > (mpl_record_kinds[type].shape == MPL_SHAPE_SINGLE32 ? 4 : 8)) {
                break;
            }
        } else if (!fields_fit(&mpl_record_kinds[type], at + 2, at + 2 + length)) {
            break;
        }
        p->n_of_type[type]++;
        at += 2 + length;
    }
    p->time = time;
    p->time_before = time_before;
    p->time_at = (size_t) (time_at - p->file.data);
    return at;
}

/** Records of one chunk; true if the next chunk is to be read. */
static bool take_chunk(struct pass *p)
{
    const uint8_t *const data = p->file.data;
    const uint8_t *const end = data + (p->chunk.end < p->limit ? p->chunk.end : p->limit);
    const uint8_t *at = data + p->chunk.start + MPL_CHUNK_HEADER;

    for (;;) {
        const uint8_t *next;

        if (p->has_time) {
            at = p->chunk.is_big_endian ? take_sound(p, at, end, true)
                                        : take_sound(p, at, end, false);
        }
        if (at >= end || *at == MPL_REC_END_OF_CHUNK || *at == MPL_REC_END_OF_FILE) {
            break;
        }
        next = *at == MPL_REC_TIME ? take_time(p, at + 1, end) : take_record(p, at, end);
        if (next == NULL) {
            break;
        }
        at = next;
    }
    p->scan->end = (size_t) (at - data);
    if (p->scan->damage != NULL) {
        return false;
    }
    return at >= end || *at == MPL_REC_END_OF_CHUNK;
}

static void fold(struct pass *p)
{
    struct mpl_scan *scan = p->scan;

    scan->n_records = 0;
    for (size_t type = MPL_REC_BUFFER_FLUSH; type < 256; type++) {
        const uint64_t n = p->n_of_type[type];
        const struct mpl_record_kind *kind = &mpl_record_kinds[type];

        scan->n_records += n;
        scan->n_unknown += type >= MPL_REC_KNOWN ? n : 0;
        scan->n_dropped += kind->events == 0 ? n : 0;
        scan->n_events += n * kind->events;
        scan->n_messages += n * kind->messages;
        scan->n_collectives += n * kind->collectives;
    }
    scan->n_metrics = p->n_of_type[MPL_REC_METRIC];
}

static uint64_t count_records(const struct pass *p)
{
    uint64_t n = 0;

    for (size_t type = MPL_REC_BUFFER_FLUSH; type < 256; type++) {
        n += p->n_of_type[type];
    }
    return n;
}

static bool open_chunk(struct pass *p, size_t start)
{
    if (!mpl_chunk_open(p->file, start, p->chunk_bytes, &p->chunk)) {
        if (p->file.n - start < MPL_CHUNK_HEADER) {
            (void) damaged(p, "truncated-events", "the file ends before its end mark");
        } else {
            (void) broken(p, "a chunk has no header");
        }
        return false;
    }
    /* Events are numbered from 1. A number that does not follow means a lost chunk. */
    if (p->chunk.first != p->n_before + 1 && p->chunk.last != 0) {
        (void) broken(p, "a chunk does not follow the one before it");
        return false;
    }
    return true;
}

static void walk(struct pass *p)
{
    struct mpl_scan *scan = p->scan;
    size_t start = 0;

    *scan = (struct mpl_scan){ 0 };
    while (start < p->limit && open_chunk(p, start)) {
        const bool goes_on = take_chunk(p);
        const uint64_t n = count_records(p) - p->n_before;

        if (scan->damage != NULL) {
            return;
        }
        if (n != p->chunk.last - p->chunk.first + 1 && p->limit == p->file.n && n > 0) {
            (void) broken(p, "a chunk does not hold as many events as its header says");
            return;
        }
        p->n_before += n;
        if (!goes_on) {
            return;
        }
        start = p->chunk.end;
    }
    if (scan->damage == NULL && p->limit == p->file.n) {
        (void) damaged(p, "truncated-events", "the file ends before its end mark");
    }
}

static void run(struct pass *p)
{
    walk(p);
    fold(p);
    p->scan->last_time = p->time;
}

static struct pass begin(struct mpl_bytes file, size_t chunk_bytes, struct mpl_scan *scan)
{
    return (struct pass){
        .file = file, .chunk_bytes = chunk_bytes, .limit = file.n, .scan = scan
    };
}

void mpl_scan_events(struct mpl_bytes file, size_t chunk_bytes, struct mpl_scan *scan)
{
    struct pass p = begin(file, chunk_bytes, scan);

    if (file.n == 0) {
        *scan =
            (struct mpl_scan){ .note = "empty-events-file", .damage = "the file is empty" };
        return;
    }
    run(&p);
    if (p.limit < file.n) {
        /* The count includes events of a wrong time: count again up to that time. */
        const char *note = scan->note;
        const char *damage = scan->damage;
        const size_t limit = p.limit;

        p = begin(file, chunk_bytes, scan);
        p.limit = limit;
        run(&p);
        scan->note = note;
        scan->damage = damage;
        scan->end = limit;
    }
}
