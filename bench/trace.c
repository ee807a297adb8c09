#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_EVENTS = 1 << 20, CHUNK_DEFINITIONS = 1 << 18 };
enum { NO_NAME, FILE_NAME, MPI, WORLD, MACHINE, NODE, THREAD, PROCESS, FIRST_REGION_NAME };

static OTF2_FlushType pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                void *caller, bool final)
{
    (void) data, (void) type, (void) location, (void) caller, (void) final;
    return OTF2_FLUSH;
}

OTF2_Archive *trace_create(const char *directory)
{
    static OTF2_FlushCallbacks flush = { .otf2_pre_flush = pre_flush };
    OTF2_Archive *archive =
        OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, CHUNK_EVENTS,
                          CHUNK_DEFINITIONS, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);

    if (archive == NULL) {
        fprintf(stderr, "cannot write the archive %s\n", directory);
        exit(1);
    }
    OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    return archive;
}

static void define_names(OTF2_GlobalDefWriter *w, const struct trace *trace)
{
    static const char *const names[] = {
        [NO_NAME] = "",          [FILE_NAME] = "bench.c",     [MPI] = "MPI",
        [WORLD] = "MPI_COMM_WORLD", [MACHINE] = "machine",    [NODE] = "node",
        [THREAD] = "Master thread", [PROCESS] = "process",
    };

    for (uint32_t i = 0; i < FIRST_REGION_NAME; i++) {
        OTF2_GlobalDefWriter_WriteString(w, i, names[i]);
    }
    for (uint32_t i = 0; i < trace->n_regions; i++) {
        OTF2_GlobalDefWriter_WriteString(w, FIRST_REGION_NAME + i, trace->regions[i].name);
    }
}

static void define_regions(OTF2_GlobalDefWriter *w, const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->n_regions; i++) {
        const bool is_mpi = trace->regions[i].role != OTF2_REGION_ROLE_FUNCTION;
        const uint32_t name = FIRST_REGION_NAME + i;

        OTF2_GlobalDefWriter_WriteRegion(
            w, i, name, name, NO_NAME, trace->regions[i].role,
            is_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_COMPILER, OTF2_REGION_FLAG_NONE,
            is_mpi ? MPI : FILE_NAME, is_mpi ? 0 : 10 * i, is_mpi ? 0 : 10 * i + 5);
    }
}

static bool define_locations(OTF2_GlobalDefWriter *w, const struct trace *trace)
{
    const uint32_t n = trace->n_locations;
    uint64_t *members = calloc(n, sizeof *members);

    if (members == NULL) {
        return false;
    }
    OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, MACHINE, NODE,
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t i = 0; i < n; i++) {
        members[i] = i;
        OTF2_GlobalDefWriter_WriteLocationGroup(w, i, PROCESS,
                                                OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(w, i, THREAD, OTF2_LOCATION_TYPE_CPU_THREAD,
                                           trace->events[i], i);
    }
    OTF2_GlobalDefWriter_WriteGroup(w, 0, MPI, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, members);
    OTF2_GlobalDefWriter_WriteGroup(w, 1, WORLD, OTF2_GROUP_TYPE_COMM_GROUP,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, members);
    OTF2_GlobalDefWriter_WriteComm(w, 0, WORLD, 1, OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_NONE);
    free(members);
    return true;
}

/* As at initialisation and finalisation. */
static void define_locally(OTF2_Archive *archive, const struct trace *trace)
{
    OTF2_Archive_OpenDefFiles(archive);
    for (uint32_t i = 0; i < trace->n_locations; i++) {
        OTF2_DefWriter *w = OTF2_Archive_GetDefWriter(archive, i);

        OTF2_DefWriter_WriteClockOffset(w, 0, 0, 0.0);
        OTF2_DefWriter_WriteClockOffset(w, trace->last, 0, 0.0);
        OTF2_Archive_CloseDefWriter(archive, w);
    }
    OTF2_Archive_CloseDefFiles(archive);
}

bool trace_finish(OTF2_Archive *archive, const struct trace *trace)
{
    OTF2_Archive_CloseEvtFiles(archive);
    define_locally(archive, trace);

    OTF2_GlobalDefWriter *w = OTF2_Archive_GetGlobalDefWriter(archive);

    if (w == NULL) {
        return false;
    }
    OTF2_GlobalDefWriter_WriteClockProperties(w, TICKS_PER_S, 0, trace->last + 1,
                                              OTF2_UNDEFINED_TIMESTAMP);
    define_names(w, trace);
    define_regions(w, trace);
    return define_locations(w, trace) && OTF2_Archive_Close(archive) == OTF2_SUCCESS;
}

uint64_t trace_jitter(uint64_t number, uint64_t range)
{
    return (number * 2654435761u >> 7) % range;
}
