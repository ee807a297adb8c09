/*
 * Fills the columns of a location from the chunks of its event file. It trusts what the scan of a chunk
 * has checked and therefore looks at nothing twice; scanning and taking a chunk in turn lets its bytes stay in the cache.
 */
#include "config.h"

#include "read/decode_priv.h"

#include <string.h>

/* ---- fields ------------------------------------------------------------------------- */

/* A chunk's byte order is known outside its loop; each order gets a loop of its own. */
#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t load_u64(const uint8_t *at, bool is_big_endian)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return is_big_endian ? __builtin_bswap64(value) : value;
}

/* What of eight bytes, the first of which is the lowest, belongs to an integer of so many. */
static const uint64_t kept_bits[] = { 0,
                                      UINT64_MAX >> 56,
                                      UINT64_MAX >> 48,
                                      UINT64_MAX >> 40,
                                      UINT64_MAX >> 32,
                                      UINT64_MAX >> 24,
                                      UINT64_MAX >> 16,
                                      UINT64_MAX >> 8,
                                      UINT64_MAX };

/* Eight bytes are fetched whatever the length: the padding behind the file allows it. Lengths follow no pattern that a
 * processor could guess, so none but the rare one is branched on. */
INLINE uint64_t get_u64(const uint8_t **at, bool is_big_endian)
{
    const unsigned n = *(*at)++;

    if (__builtin_expect(n == UINT8_MAX, false)) {
        return UINT64_MAX;
    }
    const uint64_t value = load_u64(*at, is_big_endian);
    *at += n;
    /* Twice half of it, as no word may be shifted by its length. */
    return is_big_endian ? value >> (32 - 4 * n) >> (32 - 4 * n) : value & kept_bits[n];
}

INLINE uint32_t get_u32(const uint8_t **at, bool is_big_endian)
{
    return (uint32_t) get_u64(at, is_big_endian);
}

/* ---- regions -------------------------------------------------------------------------- */

static uint32_t look_up_region(struct mpl_decode *d, uint32_t local)
{
    const uint32_t global = mpl_mapping_apply(&d->job.locals->region, local);
    const uint32_t region = mpl_map_find(d->job.refs->region, global);

    if (region == MPL_NONE) {
        d->counts.unknown_regions++;
        return d->job.refs->unknown_region;
    }
    d->job.is_region_used[region] = true;
    d->regions[local % REGION_SLOTS] = (struct mpl_region_slot){ local, region };
    return region;
}

INLINE uint32_t find_region(struct mpl_decode *d, uint32_t local)
{
    const struct mpl_region_slot *slot = &d->regions[local % REGION_SLOTS];

    return slot->local == local ? slot->region : look_up_region(d, local);
}

static uint32_t region_of_context(struct mpl_decode *d, uint32_t local)
{
    const uint32_t global = mpl_mapping_apply(&d->job.locals->context, local);
    const uint32_t region = mpl_map_find(d->job.refs->context, global);

    if (region == MPL_NONE) {
        d->counts.unknown_regions++;
        return d->job.refs->unknown_region;
    }
    d->job.is_region_used[region] = true;
    return region;
}

/* ---- time ------------------------------------------------------------------------------- */

/* A buffer flush states its end in advance; the next time proves when it was really over. */
static void bound_flush(struct mpl_decode *d)
{
    struct mpl_event_writer *events = &d->scratch->events;

    if (mpl_times_get(&events->times, d->flush_end) > d->now_ticks) {
        mpl_event_writer_set_ticks(events, d->flush_end, d->now_ticks);
    }
    d->flush_end = MPL_NONE;
}

/** \p next is the record behind: if it brings no time of its own, the flush took none. */
static void take_flush(struct mpl_decode *d, uint64_t stop_ticks, const uint8_t *next)
{
    const int64_t begin = d->now_ticks;
    const uint64_t end = stop_ticks - d->job.scan->first_time;
    const bool has_end = *next == MPL_REC_TIME || *next == MPL_REC_END_OF_CHUNK ||
                         *next == MPL_REC_END_OF_FILE;

    mpl_decode_store(d, MPL_EV_FLUSH_BEGIN, 0);
    d->flush_end = mpl_decode_count(d);
    if (has_end && end > (uint64_t) begin && end <= MPL_LONGEST_RUN) {
        d->now_ticks = (int64_t) end;
    }
    mpl_decode_store(d, MPL_EV_FLUSH_END, 0);
    d->now_ticks = begin;
    d->counts.flushes++;
}

/* ---- messages ---------------------------------------------------------------------------- */

/*
 * Requests tie the posting of a receive to its completion; EZTrace forgets and repeats
 * completions and reuses request numbers, so nothing here relies on a request being completed
 * exactly once. A third of the work per message would be calls, so there are none.
 */

INLINE void open_request(struct mpl_decode *d, enum mpl_request_kind kind, uint64_t request,
                         uint32_t item)
{
    if (!mpl_requests_put(&d->scratch->requests, kind, request, item)) {
        d->is_out_of_memory = true;
    }
}

/** A message record of the given kind: SEND, ISEND, RECV or IRECV. */
INLINE void store_message(struct mpl_decode *d, enum mpl_event_kind kind, uint32_t envelope,
                          uint64_t bytes, uint64_t request)
{
    uint32_t number = MPL_NONE;
    uint32_t post = MPL_NONE;

    if (d->is_out_of_memory) {
        return;
    }
    if (kind == MPL_EV_IRECV) {
        number = mpl_requests_take(&d->scratch->requests, MPL_REQUEST_RECV, request);
    }
    if (number != MPL_NONE) {
        post = d->messages[number].post;
        d->counts.open_receives--;
    } else {
        number = d->n_messages++;
    }
    d->messages[number] = (struct mpl_message){
        .envelope = envelope, .event = mpl_decode_count(d), .post = post, .bytes = bytes
    };
    mpl_decode_store(d, kind, number);
    if (kind == MPL_EV_ISEND) {
        open_request(d, MPL_REQUEST_SEND, request, number);
    }
}

INLINE void store_isend_done(struct mpl_decode *d, uint64_t request)
{
    const uint32_t number =
        mpl_requests_take(&d->scratch->requests, MPL_REQUEST_SEND, request);

    if (number != MPL_NONE) {
        d->messages[number].post = mpl_decode_count(d);
    }
    mpl_decode_store(d, MPL_EV_ISEND_DONE, number);
}

INLINE void store_irecv_post(struct mpl_decode *d, uint64_t request)
{
    const uint32_t number = d->n_messages++;

    d->messages[number] = (struct mpl_message){ .envelope = MPL_NONE,
                                                .event = MPL_NONE,
                                                .post = mpl_decode_count(d) };
    d->counts.open_receives++;
    mpl_decode_store(d, MPL_EV_IRECV_POST, number);
    open_request(d, MPL_REQUEST_RECV, request, number);
}

static void store_cancelled(struct mpl_decode *d, uint64_t request)
{
    /* A cancelled send may still have been received; only match can tell. */
    const uint32_t number =
        mpl_requests_take(&d->scratch->requests, MPL_REQUEST_RECV, request);

    if (number != MPL_NONE) {
        d->messages[number].event = mpl_decode_count(d);
        d->counts.open_receives--;
        d->counts.cancelled++;
    }
    mpl_decode_store(d, MPL_EV_MARK, 0);
}

/* ---- records ------------------------------------------------------------------------------ */

/* 256 TiB: longer than any memory that a message could come from. */
static const uint64_t most_bytes = UINT64_C(1) << 48;

/* Who sends what to whom; returns what is behind, the request of a message that has one. */
INLINE const uint8_t *read_message(struct mpl_decode *d, enum mpl_event_kind kind,
                                   const uint8_t *record, const uint8_t *at, bool big,
                                   uint32_t *envelope, uint64_t *bytes)
{
    struct mpl_envelope_key key;

    key.rank = get_u32(&at, big);
    key.comm = get_u32(&at, big);
    key.tag = get_u32(&at, big);
    key.flags = (kind == MPL_EV_SEND || kind == MPL_EV_ISEND ? MPL_ENVELOPE_SEND : 0) |
                (kind == MPL_EV_IRECV ? MPL_ENVELOPE_IRECV : 0);
    if (d->has_extras) {
        key.flags |= mpl_extras_flags(d, record);
    }
    *bytes = get_u64(&at, big);
    if (*bytes > most_bytes) {
        key.flags |= MPL_ENVELOPE_GARBAGE_LENGTH;
        *bytes = 0;
    }
    *envelope = mpl_decode_envelope(d, key);
    return at;
}

/* Notes what the \p length bytes at \p at were found to say, if they fit. */
static void keep_message(struct mpl_message_slot *slot, const uint8_t *at, size_t length,
                         uint16_t type, uint32_t envelope, uint64_t bytes)
{
    const size_t behind = length > 8 ? length - 8 : 0;

    if (length > sizeof slot->written || envelope == MPL_NONE) {
        return;
    }
    *slot = (struct mpl_message_slot){
        .written = { load_u64(at, false), load_u64(at + 8, false) },
        .kept = { kept_bits[length - behind], kept_bits[behind] },
        .bytes = bytes,
        .envelope = envelope,
        .type = type,
        .length = (uint16_t) length,
    };
}

/* Whether what is at \p at is written like what \p slot holds. */
INLINE bool is_kept(const struct mpl_message_slot *slot, const uint8_t *at, uint16_t type)
{
    return slot->type == type &&
           (((load_u64(at, false) ^ slot->written[0]) & slot->kept[0]) |
            ((load_u64(at + 8, false) ^ slot->written[1]) & slot->kept[1])) == 0;
}

INLINE void take_message(struct mpl_decode *d, enum mpl_event_kind kind,
                         const uint8_t *record, const uint8_t *at, bool big)
{
    const bool has_request = kind == MPL_EV_ISEND || kind == MPL_EV_IRECV;
    const uint16_t type = (uint16_t) (kind + 1) << 1 | big;
    /* Four integers are four bytes at least. Multiplied by the golden ratio, these are spread evenly (Knuth). */
    const uint32_t written = (uint32_t) load_u64(at, false) + ((uint32_t) type << 3);
    const uint32_t place = written * UINT32_C(0x9e3779b9) >> (32 - MESSAGE_SLOTS_LOG2);
    struct mpl_message_slot *slot = &d->message_slots[place];
    const uint8_t *next;
    uint32_t envelope;
    uint64_t bytes;

    if (is_kept(slot, at, type)) {
        envelope = slot->envelope;
        bytes = slot->bytes;
        next = at + slot->length;
    } else {
        next = read_message(d, kind, record, at, big, &envelope, &bytes);
        /* With attributes of its own it says more. */
        if (!d->has_extras) {
            keep_message(slot, at, (size_t) (next - at), type, envelope, bytes);
        }
    }
    store_message(d, kind, envelope, bytes, has_request ? get_u64(&next, big) : 0);
}

INLINE struct mpl_coll_record get_collective(const uint8_t *at, bool has_request, bool big)
{
    struct mpl_coll_record record = { 0 };

    record.op = *at++;
    record.comm = get_u32(&at, big);
    record.root = get_u32(&at, big);
    record.sent_bytes = get_u64(&at, big);
    record.received_bytes = get_u64(&at, big);
    if (has_request) {
        record.request = get_u64(&at, big);
    }
    return record;
}

/** Records that are not taken where they are recognised. \p at is the first field. */
INLINE void take_sized(struct mpl_decode *d, uint8_t type, const uint8_t *at,
                       const uint8_t *next, bool big)
{
    struct mpl_coll_record collective;

    switch (type) {
    case MPL_REC_COLL_BEGIN:
        mpl_decode_coll_begin(d);
        break;
    case MPL_REC_COLL_END:
        collective = get_collective(at, false, big);
        mpl_decode_coll_end(d, &collective);
        break;
    case MPL_REC_ICOLL_REQUEST:
        mpl_decode_icoll_request(d, get_u64(&at, big));
        break;
    case MPL_REC_ICOLL_COMPLETE:
        collective = get_collective(at, true, big);
        mpl_decode_icoll_complete(d, &collective);
        break;
    case MPL_REC_BUFFER_FLUSH:
        take_flush(d, load_u64(at, big), next);
        break;
    case MPL_REC_ON_OFF: /* OTF2_MEASUREMENT_ON is 1, _OFF is 2 */
        mpl_decode_store(d, *at == 1 ? MPL_EV_ON : MPL_EV_OFF, 0);
        break;
    case MPL_REC_CONTEXT_ENTER:
        d->last_region = region_of_context(d, get_u32(&at, big));
        mpl_decode_store(d, MPL_EV_ENTER, d->last_region);
        if (d->has_extras) {
            mpl_extras_enter(d, NULL);
        }
        break;
    case MPL_REC_CONTEXT_LEAVE:
        mpl_decode_store(d, MPL_EV_LEAVE, region_of_context(d, get_u32(&at, big)));
        if (d->has_extras) {
            mpl_extras_leave(d);
        }
        break;
    default:
        break;
    }
}

/* Keeps what the record that has just been stored says beyond its kind. */
static void keep_thread_record(struct mpl_decode *d, enum mpl_thread_act act,
                               uint32_t object, uint32_t number)
{
    const struct mpl_thread_record record = { mpl_decode_count(d) - 1, act, object,
                                              number };

    d->is_out_of_memory |= !mpl_buf_put(&d->scratch->thread_records, &record);
}

/* EZTrace marks begin and end of every thread and does not say which; nor does anybody of a
 * thread for whose end nobody waits. */
static void take_life(struct mpl_decode *d, enum mpl_thread_act act, uint32_t group,
                      uint64_t number)
{
    group = mpl_mapping_apply(&d->job.locals->comm, group);
    mpl_decode_store(d, MPL_EV_MARK, 0);
    if (group != MPL_NONE && number < MPL_NONE) {
        keep_thread_record(d, act, group, (uint32_t) number);
    }
}

static enum mpl_thread_act act_of(uint8_t type)
{
    switch (type) {
    case MPL_REC_THREAD_CREATE:
        return MPL_ACT_CREATE;
    case MPL_REC_THREAD_BEGIN:
        return MPL_ACT_BEGIN;
    case MPL_REC_THREAD_WAIT:
        return MPL_ACT_WAIT;
    case MPL_REC_THREAD_END:
        return MPL_ACT_END;
    case MPL_REC_ACQUIRE_LOCK:
    case MPL_REC_OMP_ACQUIRE_LOCK:
        return MPL_ACT_LOCK;
    default:
        return MPL_ACT_UNLOCK;
    }
}

static void take_team(struct mpl_decode *d, enum mpl_event_kind kind, uint32_t team)
{
    mpl_decode_store(d, kind, mpl_mapping_apply(&d->job.locals->comm, team));
}

/** Records of thread libraries and marks; all have a length. */
INLINE void take_thread(struct mpl_decode *d, uint8_t type, const uint8_t *at, bool big)
{
    uint32_t object;

    switch (type) {
    case MPL_REC_OMP_JOIN:
    case MPL_REC_THREAD_JOIN:
        mpl_decode_store(d, MPL_EV_JOIN, 0);
        break;
    case MPL_REC_THREAD_FORK:
        at++; /* paradigm */
        mpl_decode_store(d, MPL_EV_FORK, get_u32(&at, big));
        break;
    case MPL_REC_TEAM_BEGIN:
        take_team(d, MPL_EV_TEAM_BEGIN, get_u32(&at, big));
        break;
    case MPL_REC_TEAM_END:
        take_team(d, MPL_EV_TEAM_END, get_u32(&at, big));
        break;
    case MPL_REC_ACQUIRE_LOCK:
    case MPL_REC_RELEASE_LOCK:
        at++; /* paradigm */
        /* fall through */
    case MPL_REC_OMP_ACQUIRE_LOCK:
    case MPL_REC_OMP_RELEASE_LOCK:
        object = get_u32(&at, big);
        mpl_decode_store(d, act_of(type) == MPL_ACT_LOCK ? MPL_EV_LOCK : MPL_EV_UNLOCK,
                         object);
        keep_thread_record(d, act_of(type), object, get_u32(&at, big));
        break;
    case MPL_REC_THREAD_CREATE:
    case MPL_REC_THREAD_BEGIN:
    case MPL_REC_THREAD_WAIT:
    case MPL_REC_THREAD_END:
        object = get_u32(&at, big);
        take_life(d, act_of(type), object, get_u64(&at, big));
        break;
    case MPL_REC_PROGRAM_BEGIN:
    case MPL_REC_PROGRAM_END:
    case MPL_REC_COMM_CREATE:
    case MPL_REC_COMM_DESTROY:
        mpl_decode_store(d, MPL_EV_MARK, 0);
        break;
    default:
        break;
    }
}

/** A record with a length in front; returns the place behind it. */
INLINE const uint8_t *take_long(struct mpl_decode *d, uint8_t type, const uint8_t *at,
                                bool big)
{
    const uint8_t *record = at - 1;
    uint64_t n = *at++;

    if (n == UINT8_MAX) {
        n = load_u64(at, big);
        at += 8;
    }
    switch (type) {
    case MPL_REC_SEND:
        take_message(d, MPL_EV_SEND, record, at, big);
        break;
    case MPL_REC_ISEND:
        take_message(d, MPL_EV_ISEND, record, at, big);
        break;
    case MPL_REC_RECV:
        take_message(d, MPL_EV_RECV, record, at, big);
        break;
    case MPL_REC_IRECV:
        take_message(d, MPL_EV_IRECV, record, at, big);
        break;
    case MPL_REC_ATTRIBUTES:
        if (d->has_extras) {
            mpl_attributes_take(d, at, at + n, big);
        }
        break;
    case MPL_REC_METRIC:
        if (d->job.refs->extras.samples != MPL_NONE) {
            mpl_extras_sample(d, at, at + n, big);
        }
        break;
    default:
        take_sized(d, type, at, at + n, big);
        take_thread(d, type, at, big);
        break;
    }
    return at + n;
}

/** Enters and leaves alternate as they like, too: both go one way. */
INLINE const uint8_t *take_region(struct mpl_decode *d, const uint8_t *at, bool big)
{
    const uint8_t *record = at;
    const bool is_enter = *at++ == MPL_REC_ENTER;
    const uint32_t region = find_region(d, get_u32(&at, big));

    d->last_region = is_enter ? region : d->last_region;
    mpl_event_writer_add_of(&d->scratch->events, d->now_ticks,
                            is_enter ? MPL_EV_ENTER : MPL_EV_LEAVE, MPL_REF_PLAIN, region);
    if (d->has_extras) {
        if (is_enter) {
            mpl_extras_enter(d, record);
        } else {
            mpl_extras_leave(d);
        }
    }
    return at;
}

/** Any other record; returns the place behind it. Of a time, which is left to the caller, it returns the place itself. */
INLINE const uint8_t *take_record(struct mpl_decode *d, const uint8_t *at, bool big)
{
    const uint8_t *record = at;
    const uint8_t type = *at++;

    switch (type) {
    case MPL_REC_TIME:
        return record;
    case MPL_REC_ISEND_COMPLETE:
        store_isend_done(d, get_u64(&at, big));
        return at;
    case MPL_REC_IRECV_REQUEST:
        store_irecv_post(d, get_u64(&at, big));
        if (d->has_extras) {
            mpl_extras_post(d, record);
        }
        return at;
    case MPL_REC_REQUEST_CANCELLED:
        store_cancelled(d, get_u64(&at, big));
        return at;
    case MPL_REC_OMP_FORK:
        mpl_decode_store(d, MPL_EV_FORK, get_u32(&at, big));
        return at;
    case MPL_REC_REQUEST_TEST:
    case MPL_REC_OMP_TASK_CREATE:
    case MPL_REC_OMP_TASK_SWITCH:
    case MPL_REC_OMP_TASK_COMPLETE:
        (void) get_u64(&at, big);
        return at;
    default:
        return take_long(d, type, at, big);
    }
}

INLINE void take_chunk(struct mpl_decode *d, const uint8_t *at, const uint8_t *end,
                       bool big)
{
    const uint64_t base = d->job.scan->first_time;

    while (at < end) {
        /* Before nearly every event stands a time. */
        if (*at == MPL_REC_TIME) {
            d->now_ticks = (int64_t) (load_u64(at + 1, big) - base);
            at += 9;
            if (d->flush_end != MPL_NONE) {
                bound_flush(d);
            }
            if (at >= end) {
                break;
            }
        }
        at = *at == MPL_REC_ENTER || *at == MPL_REC_LEAVE ? take_region(d, at, big)
                                                          : take_record(d, at, big);
    }
}

/* ---- the whole ---------------------------------------------------------------------------- */

struct mpl_decoder *mpl_decoder_create(struct mpl_arena *arena)
{
    struct mpl_decoder *decoder = MPL_NEW(arena, struct mpl_decoder);

    if (decoder != NULL) {
        decoder->events = mpl_event_writer_make();
        decoder->messages = mpl_buf_make(sizeof(struct mpl_message));
        decoder->message_shapes = mpl_message_shapes_make();
        decoder->collectives = mpl_buf_make(sizeof(struct mpl_collective));
        decoder->thread_records = mpl_buf_make(sizeof(struct mpl_thread_record));
        decoder->wanted = mpl_buf_make(sizeof(uint32_t));
        decoder->sites = mpl_buf_make(sizeof(uint32_t));
    }
    return decoder;
}

void mpl_decoder_close(struct mpl_decoder *decoder)
{
    mpl_event_writer_free(&decoder->events);
    mpl_buf_free(&decoder->messages);
    mpl_distinct_free(&decoder->message_shapes);
    mpl_buf_free(&decoder->collectives);
    mpl_requests_free(&decoder->requests);
    mpl_envelopes_free(&decoder->envelopes);
    mpl_buf_free(&decoder->thread_records);
    mpl_buf_free(&decoder->wanted);
    mpl_buf_free(&decoder->sites);
}

void mpl_decode_start(struct mpl_decoder *decoder, const struct mpl_decode_job *job,
                      const struct mpl_location *loc)
{
    struct mpl_decode *d = &decoder->decode;

    *d = (struct mpl_decode){ .job = *job,
                              .scratch = decoder,
                              .process = loc->process,
                              .has_extras = job->refs->extras.has_any,
                              .flush_end = MPL_NONE,
                              .last_region = job->refs->unknown_region,
                              .open_collective = MPL_NONE };
    mpl_event_writer_restart(&decoder->events);
    mpl_requests_clear(&decoder->requests);
    mpl_envelopes_start(&decoder->envelopes);
    decoder->thread_records.n = 0;
    decoder->wanted.n = 0;
    decoder->sites.n = 0;
    for (size_t i = 0; i < REGION_SLOTS; i++) {
        /* A slot never holds a reference that belongs to another slot, so this one is free. */
        d->regions[i].local = (uint32_t) i + 1;
    }
}

/* Where \p n items are a \p share of all: a few more than there seem to be, and at least one more. */
static uint64_t expect(uint64_t n, double share)
{
    const uint64_t expected =
        share < 1 ? (uint64_t) ((double) n / share * (1 + 1.0 / 32)) : n;

    return expected > n ? expected : n + 1;
}

/* For \p n items, of which \p n_used are there. */
static bool make_room(struct mpl_buf *column, uint32_t n_used, uint64_t n, double share)
{
    column->n = n_used;
    return n <= column->room || mpl_buf_reserve(column, expect(n, share));
}

static bool make_columns(struct mpl_decode *d, double share)
{
    const struct mpl_scan *scan = d->job.scan;
    struct mpl_decoder *columns = d->scratch;
    const uint64_t n = scan->n_events;
    const bool is_enough =
        (n <= columns->events.room ||
         mpl_event_writer_reserve(&columns->events, expect(n, share))) &&
        make_room(&columns->messages, d->n_messages, scan->n_messages, share) &&
        make_room(&columns->collectives, d->n_collectives, scan->n_collectives, share);

    d->messages = columns->messages.data;
    d->collectives = columns->collectives.data;
    return is_enough;
}

enum mpl_status mpl_decode_chunk(struct mpl_decoder *decoder,
                                 struct mpl_records_of_chunk records, double share,
                                 struct mpl_err *err)
{
    struct mpl_decode *d = &decoder->decode;
    const struct mpl_scan *scan = d->job.scan;

    if (scan->n_events >= MPL_NONE || scan->n_records >= MPL_NONE) {
        return mpl_fail(err, MPL_E_LIMIT, "more than 4,294,967,294 events at one location");
    }
    if (!make_columns(d, share)) {
        return mpl_nomem(err);
    }
    if (records.is_big_endian) {
        take_chunk(d, records.at, records.end, true);
    } else {
        take_chunk(d, records.at, records.end, false);
    }
    return d->is_out_of_memory || decoder->events.is_short ? mpl_nomem(err) : MPL_OK;
}

enum mpl_status mpl_decode_end(struct mpl_decoder *decoder, struct mpl_arena *arena,
                               struct mpl_location *loc, struct mpl_decode_counts *counts,
                               struct mpl_err *err)
{
    struct mpl_decode *d = &decoder->decode;
    const struct mpl_scan *scan = d->job.scan;

    mpl_assert(mpl_decode_count(d) == scan->n_events && d->n_messages <= scan->n_messages &&
               d->n_collectives <= scan->n_collectives);
    for (uint32_t i = 0; i < d->n_collectives; i++) {
        d->counts.open_collectives +=
            d->collectives[i].end == MPL_NONE && d->collectives[i].is_immediate;
    }
    *counts = d->counts;
    loc->base_ticks = scan->first_time;
    loc->n_collectives = d->n_collectives;
    loc->collectives = mpl_buf_drain(&decoder->collectives, d->n_collectives, arena);
    loc->n_envelopes = (uint32_t) decoder->envelopes.items.n;
    loc->envelopes = mpl_buf_take(&decoder->envelopes.items, arena);
    loc->n_thread_records = (uint32_t) decoder->thread_records.n;
    loc->thread_records = mpl_buf_take(&decoder->thread_records, arena);
    /* Places of calls are counted in the columns of events. */
    return !mpl_location_pack_messages(loc, d->n_messages, d->messages,
                                       &decoder->message_shapes, arena) ||
                   !mpl_event_writer_end(&decoder->events, arena, loc) ||
                   !mpl_extras_end(d, arena, loc) || loc->collectives == NULL ||
                   loc->envelopes == NULL || loc->thread_records == NULL
               ? mpl_nomem(err)
               : MPL_OK;
}
