/*
 * Event files written byte by byte, in both byte orders: record types that the real traces do not
 * have, and what EZTrace does to requests.
 */
#include "config.h"

#include "../lib/arena.h"
#include "../lib/draw.h"
#include "../lib/suite.h"
#include "read_fixture.h"

#include <check.h>
#include <string.h>

#include "read/tables_priv.h"

static const char *archive;

/* ---- bytes ---------------------------------------------------------------------------- */

struct writer {
    unsigned char bytes[4096];
    size_t n;
    bool is_big_endian;
    uint64_t n_events;
};

static void put_u8(struct writer *w, unsigned value)
{
    w->bytes[w->n++] = (unsigned char) value;
}

static void put_fixed(struct writer *w, uint64_t value, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        put_u8(w, (unsigned) (value >> 8 * (w->is_big_endian ? n - 1 - i : i)) & 0xff);
    }
}

/** Compressed: the length, then no more bytes than needed; all ones is "undefined". */
static void put_integer(struct writer *w, uint64_t value, uint64_t undefined)
{
    unsigned n = 0;

    if (value == undefined) {
        put_u8(w, 0xff);
        return;
    }
    while (n < 8 && value >> 8 * n != 0) {
        n++;
    }
    put_u8(w, n);
    put_fixed(w, value, n);
}

static void put_time(struct writer *w, uint64_t time)
{
    put_u8(w, 5);
    put_fixed(w, time, 8);
}

/** A record without length: type and one integer. */
static void put_single(struct writer *w, unsigned type, uint64_t value)
{
    put_u8(w, type);
    put_integer(w, value, UINT64_MAX);
    w->n_events++;
}

/** A record with its length; one letter per field: '1' a byte, '4', '8' integers, 'T' a time. */
static void put_record(struct writer *w, unsigned type, const char *fields,
                       const uint64_t *values)
{
    struct writer inner = { .is_big_endian = w->is_big_endian };

    for (size_t i = 0; fields[i] != '\0'; i++) {
        if (fields[i] == '1') {
            put_u8(&inner, (unsigned) values[i]);
        } else if (fields[i] == 'T') {
            put_fixed(&inner, values[i], 8);
        } else {
            put_integer(&inner, values[i], fields[i] == '4' ? UINT32_MAX : UINT64_MAX);
        }
    }
    put_u8(w, type);
    put_u8(w, (unsigned) inner.n);
    memcpy(w->bytes + w->n, inner.bytes, inner.n);
    w->n += inner.n;
    w->n_events++;
}

#define RECORD(w, type, fields, ...) \
    put_record((w), (type), (fields), (uint64_t[]){ __VA_ARGS__ })

static void start(struct writer *w, bool is_big_endian)
{
    *w = (struct writer){ .n = 18, .is_big_endian = is_big_endian };
}

/** Ends the file and reads the archive with it as the events of location 0. */
static struct mpl_model *finish(struct writer *w)
{
    struct mpl_model *model = NULL;
    const size_t n = w->n;

    w->n = 0;
    put_u8(w, 0x03);
    put_u8(w, w->is_big_endian ? 0x23 : 0x42);
    put_fixed(w, 1, 8);
    put_fixed(w, w->n_events, 8);
    w->n = n;
    put_u8(w, 2);
    put_u8(w, 1);
    fixture_store(mpl_arena_printf(arena, "%s/trace/0.evt", archive), w->bytes, w->n);
    ck_assert_int_eq(mpl_read(archive, arena, NULL, &model, NULL), MPL_OK);
    mpl_model_check(model);
    return model;
}

/** "kind@time ..." of location 0. */
static const char *events(const struct mpl_model *model)
{
    static const char *const names[MPL_EV_KINDS] = {
        "enter",      "leave",    "SEND",       "ISEND",    "ISEND_DONE",  "RECV",
        "IRECV_POST", "IRECV",    "COLL_BEGIN", "COLL_END", "FORK",        "JOIN",
        "TEAM_BEGIN", "TEAM_END", "LOCK",       "UNLOCK",   "FLUSH_BEGIN", "FLUSH_END",
        "OFF",        "ON",       "MARK",
    };
    const struct mpl_location *loc = &model->locations[0];
    const char *all = "";

    for (uint32_t i = 0; i < loc->n_events; i++) {
        all = mpl_arena_printf(
            arena, "%s%s%s@%llu", all, i > 0 ? " " : "", names[mpl_kind_of(loc, i)],
            (unsigned long long) (loc->base_ticks + (uint64_t) mpl_ticks_of(loc, i)));
    }
    return all;
}

static uint64_t note_count(const struct mpl_model *model, const char *note)
{
    const struct mpl_quality_note *found = mpl_quality_find(model->quality, note);

    return found == NULL ? 0 : found->count;
}

/* ---- record types ------------------------------------------------------------------------ */

static const uint64_t t0 = UINT64_C(0x1122334455667788); /* beyond 2^53 */

/* _i is the byte order in all of these. */
START_TEST(records_of_all_kinds_are_kept_or_counted)
{
    struct writer w;
    const struct mpl_model *model;

    start(&w, _i == 1);
    put_time(&w, t0);
    RECORD(&w, 83, "4444", 1, 0, 0, 0); /* ProgramBegin */
    RECORD(&w, 6, "1", 7);              /* attribute list, no event */
    w.n_events--;
    put_single(&w, 12, 0);               /* Enter */
    RECORD(&w, 31, "4118", 0, 1, 4, 99); /* Metric */
    RECORD(&w, 32, "44", 0, 0);          /* ParameterString */
    RECORD(&w, 46, "4488", 0, 0, 8, 1);  /* RmaPut */
    put_time(&w, t0 + 0x123456789);
    RECORD(&w, 11, "1", 2);          /* MeasurementOnOff: off */
    RECORD(&w, 11, "1", 1);          /* on */
    RECORD(&w, 53, "14", 3, 4);      /* ThreadFork */
    RECORD(&w, 55, "4", UINT32_MAX); /* ThreadTeamBegin, team undefined */
    RECORD(&w, 57, "144", 3, 77, 1); /* ThreadAcquireLock */
    RECORD(&w, 58, "144", 3, 77, 1); /* ThreadReleaseLock */
    RECORD(&w, 60, "444", 0, 0, 1);  /* ThreadTaskSwitch */
    RECORD(&w, 56, "4", 0);          /* ThreadTeamEnd */
    RECORD(&w, 54, "1", 3);          /* ThreadJoin */
    put_single(&w, 24, 4);           /* OmpFork */
    RECORD(&w, 26, "44", 78, 1);     /* OmpAcquireLock */
    RECORD(&w, 27, "44", 78, 1);     /* OmpReleaseLock */
    put_single(&w, 28, 5);           /* OmpTaskCreate */
    RECORD(&w, 25, "", 0);           /* OmpJoin */
    RECORD(&w, 65, "48", 0, 0);      /* ThreadEnd */
    RECORD(&w, 200, "4", 0);         /* not yet invented */
    put_single(&w, 13, 0);           /* Leave */
    model = finish(&w);
    ck_assert_str_eq(
        events(model),
        "MARK@1234605616436508552 enter@1234605616436508552 OFF@1234605621323226897 "
        "ON@1234605621323226897 FORK@1234605621323226897 TEAM_BEGIN@1234605621323226897 "
        "LOCK@1234605621323226897 UNLOCK@1234605621323226897 TEAM_END@1234605621323226897 "
        "JOIN@1234605621323226897 FORK@1234605621323226897 LOCK@1234605621323226897 "
        "UNLOCK@1234605621323226897 JOIN@1234605621323226897 MARK@1234605621323226897 "
        "leave@1234605621323226897");
    ck_assert_uint_eq(mpl_ref_of(&model->locations[0], 4), 4);
    ck_assert_uint_eq(mpl_ref_of(&model->locations[0], 6), 77);
    ck_assert_uint_eq(model->locations[0].dropped, 6);
    ck_assert_uint_eq(note_count(model, "unknown-records"), 1);
    ck_assert(model->can.has_counters);
    ck_assert(!model->locations[0].is_damaged);
}
END_TEST

/* Record numbers of all events, "1 2 5"; and that they lead back to them. */
static const char *numbers(const struct mpl_model *model)
{
    struct mpl_records records;
    const char *text = "";

    ck_assert_int_eq(mpl_records_read(model, 0, arena, &records, NULL), MPL_OK);
    for (uint32_t i = 0; i < model->locations[0].n_events; i++) {
        const uint32_t number = mpl_records_number(&records, i);
        uint32_t event = MPL_NONE;

        ck_assert(mpl_records_find(&records, &model->locations[0], number, &event));
        ck_assert_uint_eq(mpl_records_number(&records, event), number);
        ck_assert_uint_le(event, i);
        ck_assert_uint_le(number, records.n);
        text = mpl_arena_printf(arena, "%s%s%u", text, i == 0 ? "" : " ", number);
    }
    return text;
}

static void put_numbered(struct writer *w, bool is_big_endian)
{
    start(w, is_big_endian);
    put_time(w, t0);
    RECORD(w, 31, "4118", 0, 1, 4, 99); /* 1: Metric */
    put_single(w, 12, 0);               /* 2: Enter */
    RECORD(w, 6, "1", 7);               /* attribute list, no event */
    w->n_events--;
    put_single(w, 13, 0);                /* 3: Leave */
    RECORD(w, 31, "4118", 0, 1, 4, 100); /* 4 */
    RECORD(w, 200, "4", 0);              /* 5: not yet invented */
    put_time(w, t0 + 10);
    RECORD(w, 10, "T", t0 + 20); /* 6: BufferFlush, two events */
    put_time(w, t0 + 30);
    put_single(w, 12, 0);        /* 7 */
    put_single(w, 28, 5);        /* 8: OmpTaskCreate */
    RECORD(w, 10, "T", t0 + 40); /* 9 */
    put_time(w, t0 + 50);
    put_single(w, 13, 0); /* 10 */
}

START_TEST(records_are_numbered_as_in_the_file)
{
    struct mpl_records records;
    const struct mpl_model *model;
    struct writer w;
    uint32_t event = 0;

    put_numbered(&w, _i == 1);
    model = finish(&w);
    ck_assert_str_eq(numbers(model), "2 3 6 6 7 9 9 10");
    ck_assert_int_eq(mpl_records_read(model, 0, arena, &records, NULL), MPL_OK);
    ck_assert_uint_eq(records.n, 10);
    ck_assert(!mpl_records_find(&records, &model->locations[0], 4, &event));
    ck_assert_uint_eq(event, 2);
}
END_TEST

START_TEST(records_without_gaps_are_numbered_without_the_file)
{
    const struct mpl_model *model;
    struct writer w;

    start(&w, _i == 1);
    put_time(&w, t0);
    put_single(&w, 12, 0);
    RECORD(&w, 10, "T", t0 + 20);
    put_time(&w, t0 + 30);
    put_single(&w, 13, 0);
    model = finish(&w);
    ck_assert_int_eq(remove(mpl_arena_printf(arena, "%s/trace/0.evt", archive)), 0);
    ck_assert_str_eq(numbers(model), "1 2 2 3");
}
END_TEST

START_TEST(another_file_gives_no_numbers)
{
    struct mpl_records records;
    struct mpl_err err = { 0 };
    struct mpl_model *model;
    struct writer w;

    put_numbered(&w, _i == 1);
    model = finish(&w);
    start(&w, _i == 1);
    put_time(&w, t0);
    put_single(&w, 12, 0);
    (void) finish(&w);
    ck_assert_int_eq(mpl_records_read(model, 0, arena, &records, &err), MPL_E_IO);
    ck_assert_str_eq(err.cause[0].text,
                     "the events of location 0 are not those that were read before");
}
END_TEST

START_TEST(numbers_without_memory)
{
    struct mpl_records records;
    const struct mpl_model *model;
    struct writer w;
    enum mpl_status st = MPL_E_NOMEM;

    put_numbered(&w, false);
    model = finish(&w);
    for (long n = 0; fails_without_memory(n, st); n++) {
        mpl_alloc_fail_after(n);
        st = mpl_records_read(model, 0, arena, &records, NULL);
        mpl_alloc_fail_after(-1);
    }
}
END_TEST

START_TEST(records_of_threads_keep_what_they_name)
{
    static const struct mpl_thread_record expected[] = {
        { 2, MPL_ACT_LOCK, 77, 5 },    { 3, MPL_ACT_UNLOCK, 77, 5 },
        { 5, MPL_ACT_CREATE, 9, 3 },   { 6, MPL_ACT_BEGIN, 9, 2 },
        { 8, MPL_ACT_WAIT, 9, 3 },     { 9, MPL_ACT_END, 9, 2 },
        { 11, MPL_ACT_LOCK, 4000, 1 },
    };
    struct writer w;
    const struct mpl_location *loc;

    start(&w, _i == 1);
    put_time(&w, t0);
    RECORD(&w, 55, "4", 6);              /* ThreadTeamBegin */
    RECORD(&w, 55, "4", UINT32_MAX);     /* in a team without a name */
    RECORD(&w, 57, "144", 3, 77, 5);     /* ThreadAcquireLock */
    RECORD(&w, 58, "144", 3, 77, 5);     /* ThreadReleaseLock */
    RECORD(&w, 56, "4", 6);              /* ThreadTeamEnd */
    RECORD(&w, 62, "48", 9, 3);          /* ThreadCreate */
    RECORD(&w, 63, "48", 9, 2);          /* ThreadBegin */
    RECORD(&w, 63, "48", UINT32_MAX, 1); /* in a group without a name */
    RECORD(&w, 64, "48", 9, 3);          /* ThreadWait */
    RECORD(&w, 65, "48", 9, 2);          /* ThreadEnd */
    RECORD(&w, 65, "48", 9, UINT64_MAX); /* nobody waits */
    RECORD(&w, 26, "44", 4000, 1);       /* OmpAcquireLock */
    loc = &finish(&w)->locations[0];
    ck_assert_uint_eq(loc->n_events, 12);
    ck_assert_uint_eq(mpl_ref_of(loc, 0), 6);
    ck_assert_uint_eq(mpl_ref_of(loc, 1), MPL_NONE);
    ck_assert_uint_eq(mpl_ref_of(loc, 4), 6);
    ck_assert_uint_eq(loc->n_thread_records, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct mpl_thread_record *r = &loc->thread_records[i];

        ck_assert_uint_eq(r->event, expected[i].event);
        ck_assert_int_eq((int) r->act, (int) expected[i].act);
        ck_assert_uint_eq(r->object, expected[i].object);
        ck_assert_uint_eq(r->number, expected[i].number);
    }
}
END_TEST

START_TEST(long_records_have_a_long_length)
{
    struct writer w;
    const struct mpl_model *model;

    start(&w, _i == 1);
    put_time(&w, 5);
    put_u8(&w, 33); /* ParameterInt, of 300 bytes */
    put_u8(&w, 0xff);
    put_fixed(&w, 300, 8);
    w.n += 300;
    w.n_events++;
    put_single(&w, 12, 0);
    model = finish(&w);
    ck_assert_str_eq(events(model), "enter@5");
    ck_assert_uint_eq(model->locations[0].dropped, 1);
}
END_TEST

START_TEST(buffer_flush_ends_before_the_next_event)
{
    struct writer w;
    const struct mpl_model *model;

    start(&w, _i == 1);
    put_time(&w, 100);
    RECORD(&w, 10, "T", 180); /* BufferFlush until 180, and the next event at 150 */
    put_time(&w, 150);
    put_single(&w, 12, 0);
    RECORD(&w, 10, "T", 190); /* until 190, and the next event at the same time */
    put_single(&w, 13, 0);
    put_time(&w, 200);
    RECORD(&w, 10, "T", 230); /* until 230, followed by 300 */
    put_time(&w, 300);
    put_single(&w, 12, 0);
    RECORD(&w, 10, "T", 20); /* ends before it begins */
    model = finish(&w);
    ck_assert_str_eq(
        events(model),
        "FLUSH_BEGIN@100 FLUSH_END@150 enter@150 FLUSH_BEGIN@150 FLUSH_END@150 "
        "leave@150 FLUSH_BEGIN@200 FLUSH_END@230 enter@300 FLUSH_BEGIN@300 "
        "FLUSH_END@300");
    ck_assert_uint_eq(note_count(model, "buffer-flush"), 4);
}
END_TEST

START_TEST(requests_are_reused_repeated_and_cancelled)
{
    struct writer w;
    const struct mpl_model *model;
    const struct mpl_location *loc;

    start(&w, _i == 1);
    put_time(&w, 1);
    put_single(&w, 17, 0x7ffc00112233);                   /* 0: post */
    put_single(&w, 17, 0x7ffc00112233);                   /* 1: post again */
    RECORD(&w, 19, "44488", 1, 0, 9, 64, 0x7ffc00112233); /* 2: completes 1 */
    RECORD(&w, 19, "44488", UINT32_MAX, 0, UINT32_MAX, 0, 0x7ffc00112233); /* 3: repeated */
    RECORD(&w, 15, "44488", 1, 0, 9, 64, 0x7ffc00112233); /* 4: a send, same number */
    put_single(&w, 16, 0x7ffc00112233);                   /* 5: completes 4 */
    put_single(&w, 16, 0x7ffc00112233);                   /* 6: repeated */
    put_single(&w, 17, 0);                                /* 7: post */
    put_single(&w, 20, 0);                                /* request test */
    put_single(&w, 21, 0);                                /* 8: cancelled */
    RECORD(&w, 19, "44488", 1883211520, 0, 2510179072, UINT64_MAX - 99, 5); /* 9: garbage */
    model = finish(&w);
    loc = &model->locations[0];
    ck_assert_str_eq(events(model),
                     "IRECV_POST@1 IRECV_POST@1 IRECV@1 IRECV@1 ISEND@1 "
                     "ISEND_DONE@1 ISEND_DONE@1 IRECV_POST@1 MARK@1 IRECV@1");
    ck_assert_uint_eq(loc->n_messages, 6);
    ck_assert_uint_eq(mpl_message_get(loc, 0).event, MPL_NONE);
    ck_assert_uint_eq(mpl_message_get(loc, 1).event, 2);
    ck_assert_uint_eq(mpl_message_get(loc, 1).post, 1);
    ck_assert_uint_eq(mpl_message_get(loc, 2).post, MPL_NONE);
    ck_assert(loc->envelopes[mpl_message_get(loc, 2).envelope].is_garbage);
    ck_assert_uint_eq(mpl_message_get(loc, 3).post, 5);
    ck_assert_uint_eq(mpl_ref_of(loc, 6), MPL_NONE);
    ck_assert_uint_eq(mpl_message_get(loc, 4).event, 8);
    ck_assert_uint_eq(mpl_message_get(loc, 4).envelope, MPL_NONE);
    ck_assert(loc->envelopes[mpl_message_get(loc, 5).envelope].is_garbage);
    ck_assert_uint_eq(mpl_message_get(loc, 5).bytes, 0);
    ck_assert_uint_eq(note_count(model, "cancelled-receives"), 1);
    ck_assert(!model->can.has_receive_completions); /* the first post */
}
END_TEST

START_TEST(cancelled_receives_are_not_missed)
{
    struct writer w;

    start(&w, _i == 1);
    put_time(&w, 1);
    put_single(&w, 17, 3);
    put_single(&w, 21, 3);
    ck_assert(finish(&w)->can.has_receive_completions);
}
END_TEST

START_TEST(immediate_collectives_end_by_their_request)
{
    struct writer w;
    const struct mpl_model *model;
    const struct mpl_location *loc;

    start(&w, _i == 1);
    put_time(&w, 1);
    RECORD(&w, 85, "8", 7);
    RECORD(&w, 85, "8", 8);
    RECORD(&w, 22, "", 0); /* a blocking one in between */
    RECORD(&w, 23, "14488", 0, 0, UINT32_MAX, 0, 0);
    RECORD(&w, 86, "144888", 1, 0, 1, 10, 20, 8);
    RECORD(&w, 86, "144888", 11, 0, UINT32_MAX, 30, 40, 7);
    model = finish(&w);
    loc = &model->locations[0];
    ck_assert_uint_eq(loc->n_collectives, 3);
    ck_assert_int_eq(loc->collectives[0].op, MPL_COLL_ALLREDUCE);
    ck_assert_uint_eq(loc->collectives[0].end, 5);
    ck_assert(loc->collectives[0].is_immediate && loc->collectives[1].is_immediate);
    ck_assert_int_eq(loc->collectives[1].op, MPL_COLL_BCAST);
    ck_assert_uint_eq(loc->collectives[1].root, 1);
    ck_assert_uint_eq(loc->collectives[1].received_bytes, 20);
    ck_assert_int_eq(loc->collectives[2].op, MPL_COLL_BARRIER);
    ck_assert(!loc->collectives[2].is_immediate);
    ck_assert(model->can.has_immediate_collectives_complete);
}
END_TEST

START_TEST(unknown_references_are_noted_not_fatal)
{
    struct writer w;
    const struct mpl_model *model;
    const struct mpl_location *loc;

    start(&w, _i == 1);
    put_time(&w, 1);
    put_single(&w, 12, 4000);
    RECORD(&w, 14, "4448", 1, 4000, 0, 1);
    RECORD(&w, 18, "4448", 9, 0, 0, 1); /* rank beyond the communicator */
    put_single(&w, 13, 4000);
    model = finish(&w);
    loc = &model->locations[0];
    ck_assert_str_eq(model->regions[mpl_ref_of(loc, 0)].name, "(undefined region)");
    ck_assert_uint_eq(loc->envelopes[mpl_message_get(loc, 0).envelope].comm, MPL_NONE);
    ck_assert(!loc->envelopes[mpl_message_get(loc, 0).envelope].is_garbage);
    ck_assert(loc->envelopes[mpl_message_get(loc, 1).envelope].is_garbage);
    ck_assert_uint_eq(note_count(model, "undefined-regions"), 2);
    ck_assert_uint_eq(note_count(model, "undefined-communicators"), 1);
}
END_TEST

START_TEST(many_envelopes_and_requests_are_told_apart)
{
    struct writer *w = (struct writer *) mpl_arena_alloc(arena, sizeof *w);
    const struct mpl_model *model;
    const struct mpl_location *loc;

    start(w, _i == 1);
    put_time(w, 1);
    for (uint64_t i = 0; i < 150; i++) {
        RECORD(w, 15, "44488", 1, 0, i * 7, i, i * 64);
    }
    for (uint64_t i = 150; i > 0; i--) {
        put_single(w, 16, (i - 1) * 64);
    }
    model = finish(w);
    loc = &model->locations[0];
    ck_assert_uint_eq(loc->n_envelopes, 150);
    for (uint32_t i = 0; i < 150; i++) {
        ck_assert_uint_eq(loc->envelopes[mpl_message_get(loc, i).envelope].tag, 7 * i);
        ck_assert_uint_eq(mpl_message_get(loc, i).post, 299 - i);
    }
}
END_TEST

/* A message, as written and as it must be read. */
struct sent {
    unsigned type;
    uint64_t rank, tag, bytes;
};

static void put_message(struct writer *w, const struct sent *sent, uint64_t request)
{
    const bool has_request = sent->type == 15 || sent->type == 19;

    RECORD(w, sent->type, has_request ? "44488" : "4448", sent->rank, 0, sent->tag,
           sent->bytes, request);
}

/* Few kinds of them, one after the other by chance: some are written alike but for the last bytes, some are longer than what
 * is compared, and what is behind them differs. */
START_TEST(messages_that_are_written_alike_are_told_apart)
{
    enum { N = 90 };
    static const unsigned types[] = { 14, 15, 18, 19 };
    static const uint64_t ranks[] = { 0, 1, 70000 }; /* the last one is none */
    static const uint64_t tags[] = { 0, 1, 300, INT32_MAX };
    static const uint64_t sizes[] = {
        0, 64, 65, 3000, UINT64_MAX, UINT64_C(1) << 47, 3 * (UINT64_C(1) << 46)
    };
    struct writer *w = (struct writer *) mpl_arena_alloc(arena, sizeof *w);
    struct sent sent[N];
    const struct mpl_location *loc;

    draw_from(_i);
    start(w, _i % 2 == 1);
    put_time(w, 1);
    for (uint32_t i = 0; i < N; i++) {
        const struct sent any = { types[draw(4)], ranks[draw(3)], tags[draw(4)],
                                  sizes[draw(7)] };

        sent[i] = i > 8 && draw(4) > 0 ? sent[i - 1 - draw(8)] : any;
        put_message(w, &sent[i], draw(2) == 0 ? i : i * UINT64_C(0x0101010101));
    }
    loc = &finish(w)->locations[0];
    ck_assert_uint_eq(loc->n_messages, N);
    for (uint32_t i = 0; i < N; i++) {
        const struct mpl_message message = mpl_message_get(loc, i);
        const struct mpl_envelope *envelope = &loc->envelopes[message.envelope];

        ck_assert_uint_eq(message.event, i);
        ck_assert_uint_eq(message.bytes, sent[i].bytes == UINT64_MAX ? 0 : sent[i].bytes);
        ck_assert_uint_eq(envelope->tag, sent[i].tag);
        ck_assert(envelope->is_send == (sent[i].type < 16));
        ck_assert(envelope->is_garbage ==
                  (sent[i].bytes == UINT64_MAX || sent[i].rank == 70000));
        ck_assert_uint_eq(envelope->peer, envelope->is_garbage ? MPL_NONE : sent[i].rank);
    }
}
END_TEST

/* ---- damage that the walk must see ------------------------------------------------------------ */

START_TEST(impossible_fields_end_the_location)
{
    static const struct {
        unsigned char bytes[12];
        size_t n;
    } records[] = {
        { { 12, 5, 1, 2, 3, 4, 5 }, 7 },              /* reference of five bytes */
        { { 16, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, 11 }, /* request of nine bytes */
        { { 14, 3, 1, 1, 0 }, 5 },                    /* a send that lacks fields */
        { { 14, 4, 200, 1, 0, 0 }, 6 },               /* an integer of 200 bytes */
        { { 14, 200, 0 }, 3 },                        /* leaves the file */
        { { 62, 2, 1, 9 }, 4 },                       /* a thread without a number */
        { { 65, 3, 1, 9, 200 }, 5 },                  /* an integer of 200 bytes */
        { { 10, 4, 1, 2, 3, 4 }, 6 },                 /* flush without a whole time */
        { { 3, 0 }, 2 },
        { { 9, 0 }, 2 },
        { { 14, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 10 },
    };

    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        struct writer w;
        const struct mpl_model *model;

        start(&w, _i == 1);
        put_time(&w, 1);
        put_single(&w, 12, 0);
        memcpy(w.bytes + w.n, records[i].bytes, records[i].n);
        w.n += records[i].n;
        model = finish(&w);
        ck_assert_msg(model->locations[0].is_damaged, "record %zu", i);
        ck_assert_str_eq(events(model), "enter@1");
    }
}
END_TEST

START_TEST(event_before_the_first_time_is_damage)
{
    struct writer w;
    const struct mpl_model *model;

    start(&w, _i == 1);
    put_single(&w, 12, 0);
    put_time(&w, 1);
    model = finish(&w);
    ck_assert_uint_eq(model->locations[0].n_events, 0);
    ck_assert_uint_eq(note_count(model, "damaged-events"), 1);
}
END_TEST

START_TEST(location_without_events_is_sound)
{
    struct writer w;
    struct mpl_model *model = NULL;

    start(&w, _i == 1);
    w.n = 0;
    put_u8(&w, 0x03);
    put_u8(&w, w.is_big_endian ? 0x23 : 0x42);
    put_fixed(&w, 0, 8);
    put_fixed(&w, 0, 8);
    put_u8(&w, 2);
    put_u8(&w, 1);
    fixture_store(mpl_arena_printf(arena, "%s/trace/0.evt", archive), w.bytes, w.n);
    ck_assert_int_eq(mpl_read(archive, arena, NULL, &model, NULL), MPL_OK);
    ck_assert(!model->locations[0].is_damaged);
    ck_assert_uint_eq(mpl_quality_count(model->quality), 0);
}
END_TEST

/* ---- frame --------------------------------------------------------------------------------------- */

static void set_up(void)
{
    static const char text[] = "rank 0: compute 0..1\nrank 1: compute 0..1\n";
    struct mpl_model *model = NULL;

    arena = mpl_arena_create();
    archive = mpl_arena_printf(arena, "%s/records", fixture_scratch());
    ck_assert_int_eq(mpl_read_text("t", text, sizeof text - 1, arena,
                                   mpl_lint_create(arena), &model, NULL),
                     MPL_OK);
    ck_assert_int_eq(mpl_write_otf2(model, archive, true, NULL), MPL_OK);
}

static void tear_down(void)
{
    fixture_remove_tree(archive);
    destroy_arena();
}

/* ---- tables that are used again ------------------------------------------------------------- */

/* A location with many requests and envelopes must not make all those behind it clear as much. */
START_TEST(tables_shrink_for_locations_that_need_little)
{
    enum { MANY = 10000, FEW = 10 };
    struct mpl_requests requests = { 0 };
    struct mpl_envelopes envelopes = { 0 };

    mpl_envelopes_start(&envelopes);
    for (uint32_t i = 0; i < MANY; i++) {
        const struct mpl_envelope_key key = { .rank = i };

        ck_assert(mpl_requests_put(&requests, MPL_REQUEST_RECV, i, i));
        ck_assert_uint_eq(mpl_envelopes_find(&envelopes, key), MPL_NONE);
        ck_assert_uint_eq(mpl_envelopes_add(&envelopes, key), i);
        ck_assert_uint_eq(mpl_envelopes_find(&envelopes, key), i);
    }
    for (uint32_t i = FEW; i < MANY; i++) {
        ck_assert_uint_eq(mpl_requests_take(&requests, MPL_REQUEST_RECV, i), i);
    }
    mpl_requests_clear(&requests);
    mpl_envelopes_start(&envelopes);
    mpl_envelopes_start(&envelopes);
    ck_assert_uint_lt(requests.n_slots, MANY);
    ck_assert_uint_lt(envelopes.n_slots, MANY);
    ck_assert_uint_eq(mpl_requests_take(&requests, MPL_REQUEST_RECV, 0), MPL_NONE);
    mpl_requests_free(&requests);
    mpl_envelopes_free(&envelopes);
}
END_TEST

/* Begins a chunk of \p n events, one tick apart; returns the place behind them. */
static uint8_t *put_chunk(uint8_t *at, uint64_t first, uint64_t n, uint64_t time)
{
    at[0] = MPL_CHUNK_MARK;
    at[1] = MPL_LITTLE_ENDIAN_MARK;
    mpl_store_u64(at + 2, first, false);
    mpl_store_u64(at + 10, first + n - 1, false);
    at += MPL_CHUNK_HEADER;
    for (uint64_t i = 0; i < n; i++, at += 12) {
        at[0] = MPL_REC_TIME;
        mpl_store_u64(at + 1, time + i, false);
        at[9] = MPL_REC_ENTER;
        at[10] = 1;
        at[11] = 7;
    }
    return at;
}

/* The last time of the first chunk is wrong, which only the second one shows: the chunk is scanned again up to there. */
START_TEST(wrong_time_at_the_end_of_a_chunk_ends_the_file_before_it)
{
    enum { CHUNK_BYTES = 256 * 1024, EVENTS = 100 };
    static uint8_t file[CHUNK_BYTES + 4096];
    uint8_t *end = put_chunk(file, 1, EVENTS, 1000);
    struct mpl_scan scan;

    mpl_store_u64(end - 12 + 1, 1000000, false);
    end = put_chunk(file + CHUNK_BYTES, EVENTS + 1, EVENTS, 1000 + EVENTS);
    *end = MPL_REC_END_OF_FILE;
    mpl_scan_events((struct mpl_bytes){ file, (size_t) (end + 1 - file) }, CHUNK_BYTES,
                    &scan);
    ck_assert_str_eq(scan.note, "damaged-events");
    ck_assert_str_eq(scan.damage, "time runs backwards");
    ck_assert_uint_eq(scan.end, MPL_CHUNK_HEADER + (EVENTS - 1) * 12);
    ck_assert_uint_eq(scan.n_events, EVENTS - 1);
    ck_assert_uint_eq(scan.n_records, EVENTS - 1);
    ck_assert_uint_eq(scan.first_time, 1000);
    ck_assert_uint_eq(scan.last_time, 1000 + EVENTS - 2);
}
END_TEST

/* The scan has counted them; who takes them needs room for each. */
START_TEST(more_records_than_can_be_numbered_are_refused)
{
    struct mpl_decoder *decoder = mpl_decoder_create(arena);
    struct mpl_scan scan = { 0 };
    const struct mpl_refs refs = { .unknown_region = 0 };
    const struct mpl_decode_job job = { .scan = &scan, .refs = &refs };
    const struct mpl_location location = { 0 };
    struct mpl_err err = { 0 };

    *(_i == 0 ? &scan.n_events : &scan.n_records) = MPL_NONE;
    mpl_decode_start(decoder, &job, &location);
    ck_assert_int_eq(mpl_decode_chunk(decoder,
                                      (struct mpl_records_of_chunk){ NULL, NULL, false }, 1,
                                      &err),
                     MPL_E_LIMIT);
    ck_assert_str_eq(err.cause[0].text, "more than 4,294,967,294 events at one location");
    mpl_decoder_close(decoder);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("read_records");
    TCase *tcase = add_case(suite, "records", set_up, tear_down);

    (void) fixture_scratch();
    tcase_add_test(tcase, wrong_time_at_the_end_of_a_chunk_ends_the_file_before_it);
    tcase_add_test(tcase, tables_shrink_for_locations_that_need_little);
    tcase_add_loop_test(tcase, records_of_all_kinds_are_kept_or_counted, 0, 2);
    tcase_add_loop_test(tcase, records_are_numbered_as_in_the_file, 0, 2);
    tcase_add_loop_test(tcase, records_without_gaps_are_numbered_without_the_file, 0, 2);
    tcase_add_loop_test(tcase, another_file_gives_no_numbers, 0, 2);
    tcase_add_test(tcase, numbers_without_memory);
    tcase_add_loop_test(tcase, records_of_threads_keep_what_they_name, 0, 2);
    tcase_add_loop_test(tcase, long_records_have_a_long_length, 0, 2);
    tcase_add_loop_test(tcase, buffer_flush_ends_before_the_next_event, 0, 2);
    tcase_add_loop_test(tcase, requests_are_reused_repeated_and_cancelled, 0, 2);
    tcase_add_loop_test(tcase, cancelled_receives_are_not_missed, 0, 2);
    tcase_add_loop_test(tcase, immediate_collectives_end_by_their_request, 0, 2);
    tcase_add_loop_test(tcase, unknown_references_are_noted_not_fatal, 0, 2);
    tcase_add_loop_test(tcase, many_envelopes_and_requests_are_told_apart, 0, 2);
    tcase_add_loop_test(tcase, messages_that_are_written_alike_are_told_apart, 0, 40);
    tcase_add_loop_test(tcase, impossible_fields_end_the_location, 0, 2);
    tcase_add_loop_test(tcase, event_before_the_first_time_is_damage, 0, 2);
    tcase_add_loop_test(tcase, location_without_events_is_sound, 0, 2);
    tcase_add_loop_test(tcase, more_records_than_can_be_numbered_are_refused, 0, 2);
    return run_suite(suite);
}
