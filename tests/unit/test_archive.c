/* Records of events as libotf2 writes them, byte for byte. */
#include "config.h"

#include <check.h>
#include <string.h>

#include "archive/archive.h"
#include "read/libotf2.h"

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "read_fixture.h"

enum { N_MANY = 200000 };

/* ---- the same records by both --------------------------------------------------------------- */

struct pens {
    struct mpl_record_writer *w;
    OTF2_EvtWriter *o;
    OTF2_AttributeList *list;
};

/* A record whose name and fields are those of libotf2. */
#define BOTH(p, time, record, type, ...) \
    do { \
        mpl_record_put((p)->w, time, record, (const uint64_t[]){ __VA_ARGS__ }); \
        ck_assert_int_eq(OTF2_EvtWriter_##type((p)->o, (p)->list, time, __VA_ARGS__), 0); \
    } while (0)
#define BOTH_BARE(p, time, record, type) \
    do { \
        mpl_record_put((p)->w, time, record, NULL); \
        ck_assert_int_eq(OTF2_EvtWriter_##type((p)->o, (p)->list, time), 0); \
    } while (0)

static void put_messages(const struct pens *p)
{
    const uint64_t lengths[] = { 0, 1, 255, 256, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX };

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const uint64_t n = lengths[i];

        BOTH(p, 10 + i, MPL_REC_SEND, MpiSend, 1, 2, 3, n);
        BOTH(p, 10 + i, MPL_REC_ISEND, MpiIsend, 1, 2, 3, n, n);
        BOTH(p, 10 + i, MPL_REC_RECV, MpiRecv, 70000, UINT32_MAX, 3, n);
        BOTH(p, 10 + i, MPL_REC_IRECV, MpiIrecv, 1, 2, 300, n, n);
        BOTH(p, 10 + i, MPL_REC_ISEND_COMPLETE, MpiIsendComplete, n);
        BOTH(p, 10 + i, MPL_REC_IRECV_REQUEST, MpiIrecvRequest, n);
        BOTH(p, 10 + i, MPL_REC_REQUEST_CANCELLED, MpiRequestCancelled, n);
    }
}

static void put_collectives(const struct pens *p)
{
    BOTH_BARE(p, 20, MPL_REC_COLL_BEGIN, MpiCollectiveBegin);
    BOTH(p, 21, MPL_REC_COLL_END, MpiCollectiveEnd, OTF2_COLLECTIVE_OP_BCAST, 1,
         OTF2_COLLECTIVE_ROOT_NONE, 4, 300);
    BOTH(p, 21, MPL_REC_COLL_END, MpiCollectiveEnd, OTF2_COLLECTIVE_OP_BARRIER, 1,
         OTF2_COLLECTIVE_ROOT_SELF, 0, 0);
    BOTH(p, 22, MPL_REC_ICOLL_REQUEST, NonBlockingCollectiveRequest, 7);
    BOTH(p, 23, MPL_REC_ICOLL_COMPLETE, NonBlockingCollectiveComplete,
         OTF2_COLLECTIVE_OP_REDUCE, 1, 3, 8, 8, 7);
}

static void put_threads(const struct pens *p)
{
    BOTH(p, 30, MPL_REC_THREAD_FORK, ThreadFork, OTF2_PARADIGM_OPENMP, 4);
    BOTH(p, 31, MPL_REC_THREAD_JOIN, ThreadJoin, OTF2_PARADIGM_OPENMP);
    BOTH(p, 32, MPL_REC_TEAM_BEGIN, ThreadTeamBegin, 5);
    BOTH(p, 33, MPL_REC_TEAM_END, ThreadTeamEnd, UINT32_MAX);
    BOTH(p, 34, MPL_REC_ACQUIRE_LOCK, ThreadAcquireLock, OTF2_PARADIGM_OPENMP, 9, 1000);
    BOTH(p, 35, MPL_REC_RELEASE_LOCK, ThreadReleaseLock, OTF2_PARADIGM_OPENMP, 9, 1000);
    BOTH(p, 36, MPL_REC_THREAD_CREATE, ThreadCreate, 5, 1);
    BOTH(p, 37, MPL_REC_THREAD_BEGIN, ThreadBegin, UINT32_MAX, 0);
    BOTH(p, 38, MPL_REC_THREAD_WAIT, ThreadWait, 5, UINT64_MAX);
    BOTH(p, 39, MPL_REC_THREAD_END, ThreadEnd, 5, 1);
}

static void put_others(const struct pens *p)
{
    static const OTF2_Type types[] = { OTF2_TYPE_UINT64, OTF2_TYPE_UINT64 };
    static const uint64_t values[] = { 300, UINT64_MAX };
    const OTF2_MetricValue metric[] = { { .unsigned_int = values[0] },
                                        { .unsigned_int = values[1] } };

    mpl_record_put_sample(p->w, 40, 3, values, 2);
    ck_assert_int_eq(OTF2_EvtWriter_Metric(p->o, p->list, 40, 3, 2, types, metric), 0);
    mpl_record_put_flush(p->w, 41, 45);
    ck_assert_int_eq(OTF2_EvtWriter_BufferFlush(p->o, p->list, 41, 45), 0);
    BOTH(p, 46, MPL_REC_ON_OFF, MeasurementOnOff, OTF2_MEASUREMENT_OFF);
    BOTH(p, 47, MPL_REC_ON_OFF, MeasurementOnOff, OTF2_MEASUREMENT_ON);
    mpl_record_put_program_end(p->w, UINT64_MAX - 1);
    ck_assert_int_eq(
        OTF2_EvtWriter_ProgramEnd(p->o, p->list, UINT64_MAX - 1, OTF2_UNDEFINED_INT64), 0);
}

static void put_attributes(const struct pens *p)
{
    mpl_record_attribute(p->w, 0, MPL_VALUE_UINT8, 1);
    mpl_record_attribute(p->w, 300, MPL_VALUE_INT32, UINT32_MAX);
    mpl_record_attribute(p->w, 2, MPL_VALUE_INT32, 7);
    mpl_record_attribute(p->w, 3, OTF2_TYPE_COMM, UINT32_MAX);
    mpl_record_attribute(p->w, 4, OTF2_TYPE_CALLING_CONTEXT, 70000);
    OTF2_AttributeList_AddUint8(p->list, 0, 1);
    OTF2_AttributeList_AddInt32(p->list, 300, -1);
    OTF2_AttributeList_AddInt32(p->list, 2, 7);
    OTF2_AttributeList_AddCommRef(p->list, 3, UINT32_MAX);
    OTF2_AttributeList_AddCallingContextRef(p->list, 4, 70000);
    BOTH(p, 5, MPL_REC_ENTER, Enter, 3);
    BOTH(p, 6, MPL_REC_LEAVE, Leave, UINT32_MAX);
}

static void put_all(const struct pens *p)
{
    put_attributes(p);
    put_messages(p);
    put_collectives(p);
    put_threads(p);
    put_others(p);
}

static const char *in_scratch(const char *name)
{
    return mpl_arena_printf(arena, "%s/%s", fixture_scratch(), name);
}

static OTF2_ErrorCode write_events(void *context, OTF2_Archive *archive)
{
    struct mpl_record_writer w;
    struct mpl_room room = { 0 };
    struct mpl_err err = { 0 };

    ck_assert_int_eq(OTF2_Archive_OpenEvtFiles(archive), OTF2_SUCCESS);
    const struct pens pens = { &w, OTF2_Archive_GetEvtWriter(archive, 0),
                               OTF2_AttributeList_New() };
    mpl_record_writer_open(&w, context, MPL_OTF2_EVENT_CHUNK, &room, &err);
    put_all(&pens);
    ck_assert_int_eq(mpl_record_writer_close(&w), MPL_OK);
    OTF2_AttributeList_Delete(pens.list);
    OTF2_Archive_CloseEvtWriter(archive, pens.o);
    mpl_room_free(&room);
    return OTF2_Archive_CloseEvtFiles(archive);
}

static OTF2_ErrorCode define_nothing(void *context, OTF2_GlobalDefWriter *writer)
{
    (void) context;
    (void) writer;
    return OTF2_SUCCESS;
}

static void write_by_both(const char *ours, const char *directory)
{
    const struct mpl_otf2_parts parts = { .context = (void *) (uintptr_t) ours,
                                          .properties = write_events,
                                          .definitions = define_nothing };
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_otf2_write(directory, &parts, arena, &err), MPL_OK);
}

START_TEST(every_record_has_the_bytes_that_libotf2_writes)
{
    size_t n_ours;
    size_t n_theirs;

    write_by_both(in_scratch("ours.evt"), in_scratch("theirs"));
    const unsigned char *a = fixture_load(in_scratch("ours.evt"), &n_ours, arena);
    const unsigned char *b =
        fixture_load(in_scratch("theirs/trace/0.evt"), &n_theirs, arena);
    ck_assert_uint_eq(n_ours, n_theirs);
    for (size_t i = 0; i < n_ours; i++) {
        ck_assert_msg(a[i] == b[i], "byte %zu is %d, not %d", i, a[i], b[i]);
    }
}
END_TEST

START_TEST(full_chunk_is_followed_by_another_that_stands_alone)
{
    const char *path = in_scratch("many.evt");
    struct mpl_record_writer w;
    struct mpl_bytes file;
    struct mpl_scan scan;
    struct mpl_room room = { 0 };
    struct mpl_err err = { 0 };

    mpl_record_writer_open(&w, path, MPL_OTF2_EVENT_CHUNK, &room, &err);
    for (uint64_t i = 1; i <= N_MANY; i++) {
        mpl_record_attribute(&w, 1, MPL_VALUE_UINT8, 1);
        mpl_record_put(&w, i / 2 + 1, MPL_REC_ENTER, &i);
    }
    ck_assert_int_eq(mpl_record_writer_close(&w), MPL_OK);
    ck_assert_int_eq(mpl_bytes_load(path, &room, &file, &err), MPL_OK);
    ck_assert_uint_gt(file.n, 2 * MPL_OTF2_EVENT_CHUNK);
    mpl_scan_events(file, MPL_OTF2_EVENT_CHUNK, &scan);
    ck_assert_ptr_null(scan.note);
    ck_assert_uint_eq(scan.n_records, N_MANY);
    ck_assert_uint_eq(scan.first_time, 1);
    ck_assert_uint_eq(scan.last_time, N_MANY / 2 + 1);
    mpl_room_free(&room);
}
END_TEST

START_TEST(first_failure_is_kept)
{
    struct mpl_record_writer w;
    struct mpl_room room = { 0 };
    struct mpl_err err = { 0 };

    mpl_record_writer_open(&w, in_scratch("nowhere/0.evt"), MPL_OTF2_EVENT_CHUNK, &room,
                           &err);
    mpl_record_put(&w, 1, MPL_REC_ENTER, (const uint64_t[]){ 1 });
    mpl_record_put_flush(&w, 2, 3);
    ck_assert_int_eq(mpl_record_writer_close(&w), MPL_E_IO);
    ck_assert_ptr_nonnull(strstr(mpl_err_sentence(arena, &err), "No such file"));
    mpl_record_writer_open(&w, NULL, MPL_OTF2_EVENT_CHUNK, &room, &err);
    ck_assert_int_eq(mpl_record_writer_close(&w), MPL_E_NOMEM);
    mpl_room_free(&room);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("archive");
    TCase *records = add_case(suite, "records", create_arena, destroy_arena);

    (void) fixture_scratch();
    tcase_add_test(records, every_record_has_the_bytes_that_libotf2_writes);
    tcase_add_test(records, full_chunk_is_followed_by_another_that_stands_alone);
    tcase_add_test(records, first_failure_is_kept);
    return run_suite(suite);
}
