#include "config.h"

#include "sync_archive.h"

#include <otf2/otf2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The smallest chunks that libotf2 allows. */
enum { CHUNK_BYTES = 256 * 1024 };
enum { N_LOCATIONS = 5, N_TEXTS = 20000 };
enum { RANK_0, RANK_1, THREAD_OF_0, GPU_OF_0, METRICS_OF_1 };

static const uint64_t first_time = UINT64_C(1) << 60; /* where a double sees steps of 256 */

/** What a location adds to its times to reach the reference clock: line through these. */
struct offset {
    uint64_t time;
    int64_t ticks;
};
static const struct offset offsets[N_LOCATIONS][3] = {
    [RANK_0] = { { 0, 0 }, { 100000, 0 } },
    [RANK_1] = { { 0, 400 }, { 50000, 410 }, { 100000, 440 } },
    [GPU_OF_0] = { { 0, 0 }, { 100000, 0 } },
    [METRICS_OF_1] = { { 0, -7000 }, { 100000, -7050 } },
};

static OTF2_FlushType flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
                            void *caller, bool is_final)
{
    (void) user, (void) type, (void) location, (void) caller, (void) is_final;
    return OTF2_FLUSH;
}

/* ---- events ---------------------------------------------------------------------------- */

/** One location while it is written. */
struct pen {
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *list;
    uint64_t time;
    unsigned n; /* records so far */
    uint32_t peer;
    OTF2_ErrorCode code;
};

/* Three records each have the same time; every seventh has attributes. */
static OTF2_AttributeList *next(struct pen *pen)
{
    pen->n++;
    pen->time += pen->n % 3 == 0 ? 5 + pen->n % 11 : 0;
    if (pen->n % 7 == 0) {
        OTF2_AttributeList_AddUint64(pen->list, 0, pen->n);
        OTF2_AttributeList_AddDouble(pen->list, 1, 0.5 * pen->n);
        OTF2_AttributeList_AddStringRef(pen->list, 2, pen->n % 5);
    }
    return pen->list;
}

/* The list must be made, and time advance, before the arguments are looked at. */
#define PUT(name, ...) \
    do { \
        OTF2_AttributeList *list = next(pen); \
        const OTF2_ErrorCode put_code = \
            OTF2_EvtWriter_##name(pen->writer, list, pen->time, __VA_ARGS__); \
        pen->code = pen->code != OTF2_SUCCESS ? pen->code : put_code; \
    } while (0)
#define PUT_BARE(name) \
    do { \
        OTF2_AttributeList *list = next(pen); \
        const OTF2_ErrorCode put_code = \
            OTF2_EvtWriter_##name(pen->writer, list, pen->time); \
        pen->code = pen->code != OTF2_SUCCESS ? pen->code : put_code; \
    } while (0)

static void put_mpi(struct pen *pen)
{
    PUT(Enter, 0);
    PUT(MpiSend, pen->peer, 0, 7, 100);
    PUT(MpiRecv, pen->peer, 0, 7, 100);
    PUT(MpiIrecvRequest, 11);
    PUT(MpiIsend, pen->peer, 0, 8, UINT64_C(1) << 40, 12);
    PUT(MpiRequestTest, 11);
    PUT(MpiIrecv, pen->peer, 0, 8, UINT64_C(1) << 40, 11);
    PUT(MpiIsendComplete, 12);
    PUT(MpiIrecvRequest, 13);
    PUT(MpiRequestCancelled, 13);
    PUT_BARE(MpiCollectiveBegin);
    PUT(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, OTF2_UNDEFINED_UINT32, 8, 8);
    PUT(NonBlockingCollectiveRequest, 21);
    PUT(NonBlockingCollectiveComplete, OTF2_COLLECTIVE_OP_BCAST, 0, 0, 8, 8, 21);
    PUT(CommCreate, 0);
    PUT(CommDestroy, 0);
    PUT(Leave, 0);
}

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
static void put_old_threads(struct pen *pen)
{
    PUT(OmpFork, 2);
    PUT(OmpAcquireLock, 5, 1);
    PUT(OmpReleaseLock, 5, 2);
    PUT(OmpTaskCreate, 3);
    PUT(OmpTaskSwitch, 3);
    PUT(OmpTaskComplete, 3);
    PUT_BARE(OmpJoin);
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

static void put_threads(struct pen *pen)
{
    PUT(ThreadFork, OTF2_PARADIGM_OPENMP, 2);
    PUT(ThreadTeamBegin, 1);
    PUT(ThreadAcquireLock, OTF2_PARADIGM_OPENMP, 5, 3);
    PUT(ThreadReleaseLock, OTF2_PARADIGM_OPENMP, 5, 4);
    PUT(ThreadTaskCreate, 1, 0, 9);
    PUT(ThreadTaskSwitch, 1, 0, 9);
    PUT(ThreadTaskComplete, 1, 0, 9);
    PUT(ThreadTeamEnd, 1);
    PUT(ThreadJoin, OTF2_PARADIGM_OPENMP);
    PUT(ThreadCreate, 1, 77);
    PUT(ThreadWait, 1, 77);
    PUT(ThreadBegin, 1, 78);
    PUT(ThreadEnd, 1, 78);
}

static void put_metrics(struct pen *pen)
{
    const OTF2_Type types[] = { OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE };
    const OTF2_MetricValue values[] = { { .unsigned_int = pen->n },
                                        { .floating_point = 2.5 } };

    PUT(Metric, 0, 2, types, values);
    PUT(ParameterString, 0, 3);
    PUT(ParameterInt, 1, -5);
    PUT(ParameterUnsignedInt, 2, 5);
}

static void put_rma(struct pen *pen)
{
    PUT(RmaWinCreate, 0);
    PUT_BARE(RmaCollectiveBegin);
    PUT(RmaCollectiveEnd, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS, 0,
        OTF2_UNDEFINED_UINT32, 0, 0);
    PUT(RmaGroupSync, OTF2_RMA_SYNC_LEVEL_MEMORY, 0, 1);
    PUT(RmaRequestLock, 0, pen->peer, 1, OTF2_LOCK_SHARED);
    PUT(RmaTryLock, 0, pen->peer, 1, OTF2_LOCK_SHARED);
    PUT(RmaAcquireLock, 0, pen->peer, 1, OTF2_LOCK_EXCLUSIVE);
    PUT(RmaPut, 0, pen->peer, 64, 1);
    PUT(RmaGet, 0, pen->peer, 64, 2);
    PUT(RmaAtomic, 0, pen->peer, OTF2_RMA_ATOMIC_TYPE_SWAP, 8, 8, 3);
    PUT(RmaOpTest, 0, 1);
    PUT(RmaOpCompleteNonBlocking, 0, 1);
    PUT(RmaOpCompleteBlocking, 0, 2);
    PUT(RmaOpCompleteRemote, 0, 3);
    PUT(RmaSync, 0, pen->peer, OTF2_RMA_SYNC_TYPE_MEMORY);
    PUT(RmaWaitChange, 0);
    PUT(RmaReleaseLock, 0, pen->peer, 1);
    PUT(RmaWinDestroy, 0);
}

static void put_io(struct pen *pen)
{
    PUT(IoCreateHandle, 0, OTF2_IO_ACCESS_MODE_READ_WRITE, OTF2_IO_CREATION_FLAG_CREATE,
        OTF2_IO_STATUS_FLAG_NONE);
    PUT(IoSeek, 0, -9, OTF2_IO_SEEK_FROM_END, 1000);
    PUT(IoChangeStatusFlags, 0, OTF2_IO_STATUS_FLAG_APPEND);
    PUT(IoAcquireLock, 0, OTF2_LOCK_EXCLUSIVE);
    PUT(IoTryLock, 0, OTF2_LOCK_EXCLUSIVE);
    PUT(IoReleaseLock, 0, OTF2_LOCK_EXCLUSIVE);
    PUT(IoOperationBegin, 0, OTF2_IO_OPERATION_MODE_WRITE,
        OTF2_IO_OPERATION_FLAG_NON_BLOCKING, 4096, 1);
    PUT(IoOperationIssued, 0, 1);
    PUT(IoOperationTest, 0, 1);
    PUT(IoOperationComplete, 0, 4096, 1);
    PUT(IoOperationBegin, 0, OTF2_IO_OPERATION_MODE_READ, OTF2_IO_OPERATION_FLAG_NONE, 1,
        2);
    PUT(IoOperationCancelled, 0, 2);
    PUT(IoDuplicateHandle, 0, 1, OTF2_IO_STATUS_FLAG_NONE);
    PUT(IoDestroyHandle, 0);
    PUT(IoDeleteFile, 0, 0);
}

/* Calling contexts take the place of regions in traces of samples; records stand side by side. */
static void put_rest(struct pen *pen, unsigned round)
{
    const OTF2_StringRef arguments[] = { 1, 2 };

    if (round == 0) {
        PUT(ProgramBegin, 4, 2, arguments);
    }
    PUT(MeasurementOnOff, OTF2_MEASUREMENT_OFF);
    PUT(MeasurementOnOff, OTF2_MEASUREMENT_ON);
    PUT(CallingContextEnter, 0, 1);
    PUT(CallingContextSample, 0, 1, 0);
    PUT(CallingContextLeave, 0);
    if (round % 10 == 0) {
        PUT(BufferFlush, pen->time + 3); /* the next record may come sooner */
    } else if (round % 10 == 5) {
        PUT(BufferFlush, pen->time - 3);
    }
    PUT(Enter, 1);
    PUT(Leave, 1);
}

static void put_round(struct pen *pen, unsigned location, unsigned round)
{
    if (location == RANK_0 || location == RANK_1) {
        put_rest(pen, round);
        put_mpi(pen);
        put_old_threads(pen);
        put_threads(pen);
    }
    if (location != METRICS_OF_1) {
        put_rma(pen);
        put_io(pen);
    }
    put_metrics(pen);
    if (location == GPU_OF_0) {
        PUT(Enter, 1);
        PUT(Leave, 1);
    }
    pen->time += 40;
}

static OTF2_ErrorCode write_location(OTF2_Archive *archive, unsigned location,
                                     unsigned n_rounds, uint64_t *n_events)
{
    struct pen p = { .writer = OTF2_Archive_GetEvtWriter(archive, location),
                     .list = OTF2_AttributeList_New(),
                     .time = first_time - (uint64_t) offsets[location][0].ticks,
                     .peer = location == RANK_1 ? 0 : 1 };
    struct pen *pen = &p;
    OTF2_ErrorCode closed;

    if (p.writer == NULL || p.list == NULL) {
        return OTF2_ERROR_MEM_FAULT;
    }
    for (unsigned round = 0; round < n_rounds; round++) {
        put_round(pen, location, round);
    }
    if (location == RANK_0 || location == RANK_1) {
        PUT(ProgramEnd, -1);
    }
    OTF2_EvtWriter_GetNumberOfEvents(p.writer, n_events);
    closed = OTF2_Archive_CloseEvtWriter(archive, p.writer);
    OTF2_AttributeList_Delete(p.list);
    return p.code != OTF2_SUCCESS ? p.code : closed;
}

/* ---- local definitions --------------------------------------------------------------------- */

static void write_locals(OTF2_Archive *archive, unsigned location)
{
    static const uint64_t mapping[] = { 1, 0 };
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, location);

    if (location == RANK_1) {
        OTF2_IdMap *map = OTF2_IdMap_CreateFromUint64Array(2, mapping, false);

        OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_REGION, map);
        OTF2_IdMap_Free(map);
    }
    for (unsigned i = 0; i < 3; i++) {
        const struct offset *offset = &offsets[location][i];

        if (offset->time > 0 || (i == 0 && offsets[location][1].time > 0)) {
            OTF2_DefWriter_WriteClockOffset(
                writer, first_time - (uint64_t) offset->ticks + offset->time, offset->ticks,
                0.25);
        }
    }
    OTF2_Archive_CloseDefWriter(archive, writer);
}

/* ---- global definitions ---------------------------------------------------------------------- */

static void write_texts(OTF2_GlobalDefWriter *w)
{
    char text[400];

    /* More than a chunk of them, one longer than a length of one byte can tell. */
    for (unsigned i = 0; i < N_TEXTS; i++) {
        snprintf(text, sizeof text, "text %u", i);
        if (i == 3) {
            memset(text, 'x', 300);
            text[300] = '\0';
        }
        OTF2_GlobalDefWriter_WriteString(w, i, text);
    }
    OTF2_GlobalDefWriter_WriteString(w, N_TEXTS, "node");
}

static void write_locations(OTF2_GlobalDefWriter *w, const uint64_t *n_events)
{
    static const OTF2_LocationType types[N_LOCATIONS] = {
        OTF2_LOCATION_TYPE_CPU_THREAD, OTF2_LOCATION_TYPE_CPU_THREAD,
        OTF2_LOCATION_TYPE_CPU_THREAD, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
        OTF2_LOCATION_TYPE_METRIC,
    };
    static const OTF2_LocationGroupRef groups[N_LOCATIONS] = { 0, 1, 0, 2, 1 };

    OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, 4, N_TEXTS,
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteLocationGroup(w, 0, 5, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocationGroup(w, 1, 6, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocationGroup(w, 2, 7, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
                                            0, 0);
    for (unsigned l = 0; l < N_LOCATIONS; l++) {
        OTF2_GlobalDefWriter_WriteLocation(w, l, 8 + l, types[l], n_events[l], groups[l]);
    }
}

static void write_groups(OTF2_GlobalDefWriter *w)
{
    static const uint64_t members[] = { 0, 1 };

    OTF2_GlobalDefWriter_WriteGroup(w, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, members);
    OTF2_GlobalDefWriter_WriteGroup(w, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 2, members);
    OTF2_GlobalDefWriter_WriteGroup(w, 2, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, 2, members);
    OTF2_GlobalDefWriter_WriteComm(w, 0, 1, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(w, 1, 2, 2, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteRmaWin(w, 0, 3, 0, OTF2_RMA_WIN_FLAG_NONE);
}

static void write_metrics(OTF2_GlobalDefWriter *w)
{
    static const OTF2_MetricMemberRef members[] = { 0, 1 };

    OTF2_GlobalDefWriter_WriteMetricMember(w, 0, 1, 1, OTF2_METRIC_TYPE_OTHER,
                                           OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64,
                                           OTF2_BASE_DECIMAL, 0, 1);
    OTF2_GlobalDefWriter_WriteMetricMember(w, 1, 2, 2, OTF2_METRIC_TYPE_OTHER,
                                           OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_DOUBLE,
                                           OTF2_BASE_DECIMAL, 0, 1);
    OTF2_GlobalDefWriter_WriteMetricClass(w, 0, 2, members, OTF2_METRIC_ASYNCHRONOUS,
                                          OTF2_RECORDER_KIND_ABSTRACT);
    OTF2_GlobalDefWriter_WriteParameter(w, 0, 1, OTF2_PARAMETER_TYPE_STRING);
    OTF2_GlobalDefWriter_WriteParameter(w, 1, 2, OTF2_PARAMETER_TYPE_INT64);
    OTF2_GlobalDefWriter_WriteParameter(w, 2, 3, OTF2_PARAMETER_TYPE_UINT64);
    OTF2_GlobalDefWriter_WriteAttribute(w, 0, 1, 1, OTF2_TYPE_UINT64);
    OTF2_GlobalDefWriter_WriteAttribute(w, 1, 2, 2, OTF2_TYPE_DOUBLE);
    OTF2_GlobalDefWriter_WriteAttribute(w, 2, 3, 3, OTF2_TYPE_STRING);
}

static void write_files(OTF2_GlobalDefWriter *w)
{
    OTF2_GlobalDefWriter_WriteIoParadigm(w, 0, 1, 2, OTF2_IO_PARADIGM_CLASS_SERIAL,
                                         OTF2_IO_PARADIGM_FLAG_OS, 0, NULL, NULL, NULL);
    OTF2_GlobalDefWriter_WriteIoRegularFile(w, 0, 4, 0);
    OTF2_GlobalDefWriter_WriteIoHandle(w, 0, 1, 0, 0, OTF2_IO_HANDLE_FLAG_NONE,
                                       OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE);
    OTF2_GlobalDefWriter_WriteIoHandle(w, 1, 2, 0, 0, OTF2_IO_HANDLE_FLAG_NONE,
                                       OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE);
}

static void write_globals(OTF2_Archive *archive, const uint64_t *n_events)
{
    OTF2_GlobalDefWriter *w = OTF2_Archive_GetGlobalDefWriter(archive);

    write_texts(w);
    write_locations(w, n_events);
    for (uint32_t r = 0; r < 2; r++) {
        OTF2_GlobalDefWriter_WriteRegion(w, r, 13 + r, 13 + r, 0, OTF2_REGION_ROLE_FUNCTION,
                                         OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, r,
                                         r);
    }
    write_groups(w);
    write_metrics(w);
    write_files(w);
    OTF2_GlobalDefWriter_WriteSourceCodeLocation(w, 0, 4, 12);
    OTF2_GlobalDefWriter_WriteCallingContext(w, 0, 1, 0, OTF2_UNDEFINED_CALLING_CONTEXT);
    OTF2_GlobalDefWriter_WriteInterruptGenerator(
        w, 0, 1, OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, 0, 10);
    /* Behind the locations, as EZTrace does; a date in 2025. */
    OTF2_GlobalDefWriter_WriteClockProperties(w, 1000000000, first_time, 100000,
                                              UINT64_C(1763694000000000000));
    OTF2_Archive_CloseGlobalDefWriter(archive, w);
}

static void write_markers(OTF2_Archive *archive)
{
    OTF2_MarkerWriter *w = OTF2_Archive_GetMarkerWriter(archive);
    char text[600];

    memset(text, 'm', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    OTF2_MarkerWriter_WriteDefMarker(w, 0, "group", "category", OTF2_SEVERITY_HIGH);
    OTF2_MarkerWriter_WriteMarker(w, first_time + 500, 100, 0, OTF2_MARKER_SCOPE_GLOBAL,
                                  OTF2_UNDEFINED_UINT64, "global");
    OTF2_MarkerWriter_WriteMarker(w, first_time + 500, 100, 0, OTF2_MARKER_SCOPE_LOCATION,
                                  1, "location");
    OTF2_MarkerWriter_WriteMarker(w, first_time + 500, 0, 0,
                                  OTF2_MARKER_SCOPE_LOCATION_GROUP, 1, text);
    OTF2_MarkerWriter_WriteMarker(w, first_time + 500, 7, 0, OTF2_MARKER_SCOPE_COMM, 0,
                                  "communicator");
    OTF2_Archive_CloseMarkerWriter(archive, w);
}

/* ---- the whole -------------------------------------------------------------------------------- */

bool sync_archive_write(const char *directory, unsigned n_rounds)
{
    static const OTF2_FlushCallbacks callbacks = { .otf2_pre_flush = flush };
    uint64_t n_events[N_LOCATIONS] = { 0 };
    OTF2_ErrorCode code = OTF2_SUCCESS;
    OTF2_Archive *archive =
        OTF2_Archive_Open(directory, "all", OTF2_FILEMODE_WRITE, CHUNK_BYTES, CHUNK_BYTES,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);

    if (archive == NULL) {
        return false;
    }
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL);
    OTF2_Archive_OpenEvtFiles(archive);
    for (unsigned l = 0; l < N_LOCATIONS && code == OTF2_SUCCESS; l++) {
        code = write_location(archive, l, n_rounds, &n_events[l]);
    }
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_Archive_OpenDefFiles(archive);
    for (unsigned l = 0; l < N_LOCATIONS; l++) {
        write_locals(archive, l);
    }
    OTF2_Archive_CloseDefFiles(archive);
    write_globals(archive, n_events);
    write_markers(archive);
    return OTF2_Archive_Close(archive) == OTF2_SUCCESS && code == OTF2_SUCCESS;
}
