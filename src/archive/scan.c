/*
 * Structure, lengths and time of event records are checked and everything is counted, chunk by chunk, so
 * that who takes the events of a chunk has room for all of them and need not look at anything twice. The
 * file ends where the first damage begins.
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

static const uint8_t *damaged(struct mpl_event_scan *p, const char *note, const char *what)
{
    p->is_damaged = true;
    p->scan->note = note;
    p->scan->damage = what;
    return NULL;
}

static const uint8_t *broken(struct mpl_event_scan *p, const char *what)
{
    return damaged(p, "damaged-events", what);
}

/** A record that leaves its chunk: the file is cut there, unless the chunk is followed by more. */
static const uint8_t *leaves_chunk(struct mpl_event_scan *p)
{
    return p->start + p->chunk.end == p->file_bytes
               ? damaged(p, "truncated-events", "the file ends inside a record")
               : broken(p, "a record leaves its chunk");
}

/**
 * \p at + \p n, behind a comparison of n with what is read there: where the next record begins depends on a length that has
 * to come from memory, and a processor that guesses how a branch goes need not wait for it. The empty statement of
 * assembly keeps gcc from making one addition of both ways.
 */
static inline __attribute__((always_inline)) const uint8_t *pass(const uint8_t *at,
                                                                 size_t n)
{
    at += n;
    __asm__("" : "+r"(at));
    return at;
}

/** Behind \p n compressed integers of at most \p most bytes; NULL if they are none. They may end behind the record, where
 *  the padding of a file begins at the latest, which has room for all of a record; that is for the caller to see, once
 *  for all of them. */
static inline const uint8_t *skip_integers(const uint8_t *at, unsigned n, unsigned most)
{
    for (; n > 0; n--) {
        if (*at == 1) {
            at = pass(at, 1 + 1);
        } else if (*at <= most) {
            at += 1 + *at;
        } else if (*at == UINT8_MAX) {
            at++;
        } else {
            return NULL;
        }
    }
    return at;
}

static inline bool fields_fit(const struct mpl_record_kind *kind, const uint8_t *at,
                              const uint8_t *end)
{
    at = skip_integers(at + kind->n_u8, kind->n_u32, 4);
    at = at != NULL ? skip_integers(at, kind->n_u64, 8) : NULL;
    return at != NULL && at <= end;
}

/** Behind a record with a length in front; \p at is the length. */
static inline const uint8_t *skip_sized(struct mpl_event_scan *p, const uint8_t *at,
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
    return fields_fit(kind, at, at + n) ? at + n : broken(p, "a record has broken fields");
}

/*
 * When time runs backwards, either this time is wrong or the one before it was. If this one
 * fits behind the last but one, the last is the culprit, and its events go too; otherwise a
 * single flipped bit would stretch the run by years.
 */
static const uint8_t *backwards(struct mpl_event_scan *p, uint64_t time)
{
    if (p->time_before <= time) {
        p->limit = p->time_at;
    }
    return broken(p, "time runs backwards");
}

static const uint8_t *take_time(struct mpl_event_scan *p, const uint8_t *at,
                                const uint8_t *end)
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
        p->scan->first_time = time;
        p->time = time;
        p->time_before = time;
        p->has_time = true;
    }
    if (time < p->time) {
        return backwards(p, time);
    }
    if (time - p->scan->first_time > MPL_LONGEST_RUN) {
        return broken(p, "a time is impossible");
    }
    p->time_before = p->time;
    p->time = time;
    p->time_at = p->start + (size_t) (at - 1 - p->piece.data);
    return at + 8;
}

/** An event other than enter and leave, or what is none. Returns the place behind it, NULL at
 *  damage. */
static const uint8_t *take_record(struct mpl_event_scan *p, const uint8_t *at,
                                  const uint8_t *end)
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
    if (kind->shape != MPL_SHAPE_SIZED) {
        next = skip_integers(at, 1, kind->shape - 1u);
        if (next == NULL || next > end) {
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

/** Behind a record: most are as short as can be, or as long as the last one, \p *usual, that was not. */
static inline __attribute__((always_inline)) const uint8_t *
pass_record(const uint8_t *at, size_t length, size_t *usual)
{
    if (length == 1) {
        return pass(at, 2 + 1);
    }
    if (length == *usual) {
        return pass(at, 2 + *usual);
    }
    *usual = length;
    return at + 2 + length;
}

/*
 * Sound records, which are almost all. Whatever needs a second look ends the loop and is left to
 * take_record(). The times are kept in local variables, which the compiler cannot do behind a
 * pointer; that halves the cost of the pass.
 */
static inline __attribute__((always_inline)) const uint8_t *
take_sound(struct mpl_event_scan *p, const uint8_t *at, const uint8_t *end,
           bool is_big_endian)
{
    const uint64_t first = p->scan->first_time;
    const uint64_t latest =
        first < UINT64_MAX - MPL_LONGEST_RUN ? first + MPL_LONGEST_RUN : UINT64_MAX;
    uint64_t time = p->time;
    uint64_t time_before = p->time_before;
    const uint8_t *time_at = NULL;
    size_t usual = 0;
    /* What begins before it lies in the chunk, if it is a time or an integer without a length in front. */
    const uint8_t *const last =
        end - at > MPL_SHAPE_SINGLE64 ? end - MPL_SHAPE_SINGLE64 : at;

    while (at < last) {
        /* Before nearly every event stands a time. */
        if (*at == MPL_REC_TIME) {
            uint64_t next;

            memcpy(&next, at + 1, sizeof next);
            next = is_big_endian ? __builtin_bswap64(next) : next;
            if (next < time || next > latest) {
                break;
            }
            time_before = time;
            time = next;
            time_at = at;
            at += 9;
            if (at >= last) {
                break;
            }
        }

        const uint8_t type = *at;
        const struct mpl_record_kind *kind = &mpl_record_kinds[type];
        const uint8_t length = at[1];

        if (length >= kind->shape &&
            (type < MPL_REC_BUFFER_FLUSH || type >= MPL_REC_KNOWN ||
             kind->shape != MPL_SHAPE_SIZED || length == UINT8_MAX ||
             length > end - at - 2 || !fields_fit(kind, at + 2, at + 2 + length))) {
            break;
        }
        p->n_of_type[type]++;
        at = pass_record(at, length, &usual);
    }
    p->time = time;
    p->time_before = time_before;
    if (time_at != NULL) {
        p->time_at = p->start + (size_t) (time_at - p->piece.data);
    }
    return at;
}

/** Records of the chunk at hand; true if the next chunk is to be read. */
static bool take_chunk(struct mpl_event_scan *p, struct mpl_records_of_chunk *out)
{
    const uint8_t *const data = p->piece.data;
    const size_t limit = p->limit - p->start;
    const uint8_t *const end = data + (p->chunk.end < limit ? p->chunk.end : limit);
    const uint8_t *at = data + MPL_CHUNK_HEADER;

    out->at = at;
    out->is_big_endian = p->chunk.is_big_endian;
    for (;;) {
        if (p->has_time) {
            at = p->chunk.is_big_endian ? take_sound(p, at, end, true)
                                        : take_sound(p, at, end, false);
        }
        if (at >= end || *at == MPL_REC_END_OF_CHUNK || *at == MPL_REC_END_OF_FILE) {
            break;
        }
        const uint8_t *next =
            *at == MPL_REC_TIME ? take_time(p, at + 1, end) : take_record(p, at, end);
        if (next == NULL) {
            break;
        }
        at = next;
    }
    out->end = at;
    p->scan->end = p->start + (size_t) (at - data);
    return !p->is_damaged && (at >= end || *at == MPL_REC_END_OF_CHUNK);
}

static void fold(struct mpl_event_scan *p)
{
    struct mpl_scan sum = { .end = p->scan->end,
                            .first_time = p->scan->first_time,
                            .last_time = p->time,
                            .note = p->scan->note,
                            .damage = p->scan->damage };

    for (size_t type = MPL_REC_BUFFER_FLUSH; type < 256; type++) {
        const uint64_t n = p->n_of_type[type];
        const struct mpl_record_kind *kind = &mpl_record_kinds[type];

        sum.n_records += n;
        sum.n_unknown += type >= MPL_REC_KNOWN ? n : 0;
        sum.n_dropped += kind->events == 0 ? n : 0;
        sum.n_events += n * kind->events;
        sum.n_messages += n * kind->messages;
        sum.n_collectives += n * kind->collectives;
    }
    sum.n_metrics = p->n_of_type[MPL_REC_METRIC];
    *p->scan = sum;
}

static uint64_t count_records(const struct mpl_event_scan *p)
{
    uint64_t n = 0;

    for (size_t type = MPL_REC_BUFFER_FLUSH; type < 256; type++) {
        n += p->n_of_type[type];
    }
    return n;
}

static bool open_chunk(struct mpl_event_scan *p)
{
    if (!mpl_chunk_open(p->piece, 0, p->chunk_bytes, &p->chunk)) {
        if (p->piece.n < MPL_CHUNK_HEADER) {
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

/** Goes over one chunk; true if there may be another. */
static bool walk_chunk(struct mpl_event_scan *p, struct mpl_records_of_chunk *out)
{
    if (!open_chunk(p)) {
        return false;
    }

    const bool goes_on = take_chunk(p, out);
    const uint64_t n = count_records(p) - p->n_before;

    if (p->is_damaged) {
        return false;
    }
    if (n != p->chunk.last - p->chunk.first + 1 && !p->is_again && n > 0) {
        (void) broken(p, "a chunk does not hold as many events as its header says");
        return false;
    }
    p->n_before += n;
    p->start += p->chunk.end;
    return goes_on;
}

bool mpl_event_scan_next(struct mpl_event_scan *p, struct mpl_bytes piece,
                         struct mpl_records_of_chunk *out)
{
    *out = (struct mpl_records_of_chunk){ piece.data, piece.data, false };
    p->piece = piece;
    if (p->start + piece.n < p->file_bytes && piece.n < p->chunk_bytes) {
        /* It has become shorter meanwhile. */
        p->file_bytes = p->start + piece.n;
        p->limit = p->limit < p->file_bytes ? p->limit : p->file_bytes;
    }
    const bool goes_on = p->start < p->limit && walk_chunk(p, out);
    if (goes_on && p->start >= p->limit && !p->is_again) {
        (void) damaged(p, "truncated-events", "the file ends before its end mark");
    }
    fold(p);
    return goes_on && p->start < p->limit;
}

void mpl_event_scan_start(struct mpl_event_scan *p, size_t file_bytes, size_t chunk_bytes,
                          struct mpl_scan *scan)
{
    *p = (struct mpl_event_scan){ .scan = scan,
                                  .file_bytes = file_bytes,
                                  .chunk_bytes = chunk_bytes,
                                  .limit = file_bytes };
    *scan = (struct mpl_scan){ 0 };
    if (file_bytes == 0) {
        (void) damaged(p, "empty-events-file", "the file is empty");
    }
}

bool mpl_event_scan_is_cut(const struct mpl_event_scan *p)
{
    return p->limit < p->file_bytes && !p->is_again;
}

void mpl_event_scan_restart(struct mpl_event_scan *p)
{
    struct mpl_scan *scan = p->scan;

    *p = (struct mpl_event_scan){ .scan = scan,
                                  .file_bytes = p->file_bytes,
                                  .chunk_bytes = p->chunk_bytes,
                                  .limit = p->limit,
                                  .is_again = true };
    *scan = (struct mpl_scan){ .note = scan->note, .damage = scan->damage };
}

static void scan_all(struct mpl_event_scan *p, struct mpl_bytes file)
{
    struct mpl_records_of_chunk records;
    struct mpl_bytes piece;

    do {
        const size_t left = file.n - p->start;

        piece.data = file.data + p->start;
        piece.n = left < p->chunk_bytes ? left : p->chunk_bytes;
    } while (mpl_event_scan_next(p, piece, &records));
}

void mpl_scan_events(struct mpl_bytes file, size_t chunk_bytes, struct mpl_scan *scan)
{
    struct mpl_event_scan scanner;

    mpl_event_scan_start(&scanner, file.n, chunk_bytes, scan);
    if (file.n == 0) {
        return;
    }
    scan_all(&scanner, file);
    if (mpl_event_scan_is_cut(&scanner)) {
        mpl_event_scan_restart(&scanner);
        scan_all(&scanner, file);
    }
}
