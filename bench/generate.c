/*
 * Writes a large master-worker trace in the manner of Score-P, for `make bench`:
 *
 *     generate DIRECTORY EVENTS KERNELS [LOCATIONS [SWING [SLOW]]]
 *
 * Rank 0 serves requests one after the other in `handle`, the others compute in `work`. A task is
 * 16 events: on the worker Recv, work, Send; on the master Recv, handle, Send. KERNELS is the
 * number of functions that `work` calls, two events each: 0 gives the densest trace of messages
 * that this pattern can have, 12 (40 events a task) that of a program whose functions are
 * instrumented, too. The times come from a simulation, so that waits, matches and the master's
 * queue are those of a real run.
 *
 * With SWING, microseconds, each location's clock swings by so much around the true time, ten times
 * a second and each with another phase, while the recorded offsets say that all clocks are exact: so
 * there is something to estimate and to repair. With SLOW, location 1 computes longer by so many percent.
 */
#include <errno.h>
#include <math.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_EVENTS = 1 << 20, CHUNK_DEFINITIONS = 1 << 18, MAX_LOCATIONS = 4096 };
enum { REGION_RECV, REGION_SEND, REGION_WORK, REGION_HANDLE, REGION_KERNEL, REGIONS };
enum { EVENTS_PER_TASK = 16, TICKS_PER_S = 1000000000 };

struct location {
    OTF2_EvtWriter *writer;
    uint64_t now;     /* end of its last event */
    uint64_t request; /* when its request reaches the master */
    uint64_t events;
    double swing_ns;
    double phase;
};

static OTF2_FlushType pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                void *caller, bool final)
{
    (void) data, (void) type, (void) location, (void) caller, (void) final;
    return OTF2_FLUSH;
}

static void die(const char *what)
{
    fprintf(stderr, "generate: %s\n", what);
    exit(1);
}

/* What the location's clock shows. It swings by far less than it advances, so it never stands. */
static uint64_t shown(const struct location *l)
{
    static const double swings_per_ns = 2 * 3.14159265358979 * 10 / TICKS_PER_S;

    return (uint64_t) ((double) l->now + l->swing_ns +
                       l->swing_ns * sin((double) l->now * swings_per_ns + l->phase));
}

static uint64_t step(struct location *l, uint64_t ns)
{
    l->now += ns;
    l->events++;
    return l->swing_ns > 0 ? shown(l) : l->now;
}

/* Small changes from task to task, the same in every run. */
static uint64_t jitter(uint64_t task, uint64_t range)
{
    return (task * 2654435761u >> 7) % range;
}

static void receive(struct location *l, uint32_t from, uint64_t arrives)
{
    OTF2_EvtWriter_Enter(l->writer, NULL, step(l, 100), REGION_RECV);
    if (arrives > l->now) {
        l->now = arrives;
    }
    OTF2_EvtWriter_MpiRecv(l->writer, NULL, step(l, 300), from, 0, 1, 64);
    OTF2_EvtWriter_Leave(l->writer, NULL, step(l, 50), REGION_RECV);
}

static void send(struct location *l, uint32_t to)
{
    OTF2_EvtWriter_Enter(l->writer, NULL, step(l, 100), REGION_SEND);
    OTF2_EvtWriter_MpiSend(l->writer, NULL, step(l, 50), to, 0, 1, 64);
    OTF2_EvtWriter_Leave(l->writer, NULL, step(l, 400), REGION_SEND);
}

static void compute(struct location *l, uint32_t region, uint64_t ns)
{
    OTF2_EvtWriter_Enter(l->writer, NULL, step(l, 20), region);
    OTF2_EvtWriter_Leave(l->writer, NULL, step(l, ns), region);
}

static void work(struct location *l, uint64_t ns, uint32_t kernels)
{
    OTF2_EvtWriter_Enter(l->writer, NULL, step(l, 20), REGION_WORK);
    for (uint32_t i = 0; i < kernels; i++) {
        compute(l, REGION_KERNEL, ns / (kernels + 1));
    }
    OTF2_EvtWriter_Leave(l->writer, NULL, step(l, ns / (kernels + 1)), REGION_WORK);
}

static uint32_t first_to_ask(const struct location *l, uint32_t n)
{
    uint32_t first = 1;

    for (uint32_t i = 2; i < n; i++) {
        if (l[i].request < l[first].request) {
            first = i;
        }
    }
    return first;
}

static uint64_t simulate(struct location *l, uint32_t n, uint64_t tasks, uint32_t kernels,
                         uint64_t slow_percent)
{
    enum { LATENCY_NS = 700 };
    const uint64_t work_ns = 20000;
    const uint64_t handle_ns = 1000;

    for (uint32_t i = 1; i < n; i++) {
        l[i].now = 1000 + 40 * i;
        send(&l[i], 0);
        l[i].request = l[i].now + LATENCY_NS;
    }
    l[0].now = 1000;
    for (uint64_t t = 0; t < tasks; t++) {
        const uint32_t w = first_to_ask(l, n);

        receive(&l[0], w, l[w].request);
        compute(&l[0], REGION_HANDLE, handle_ns + jitter(t, 200));
        send(&l[0], w);
        receive(&l[w], 0, l[0].now + LATENCY_NS);
        work(&l[w],
             (work_ns + jitter(t + w, 4000)) * (100 + (w == 1 ? slow_percent : 0)) / 100,
             kernels);
        send(&l[w], 0);
        l[w].request = l[w].now + LATENCY_NS;
    }
    for (uint32_t left = n - 1; left > 0; left--) {
        const uint32_t w = first_to_ask(l, n);

        receive(&l[0], w, l[w].request);
        send(&l[0], w);
        receive(&l[w], 0, l[0].now + LATENCY_NS);
        l[w].request = UINT64_MAX;
    }

    uint64_t last = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint64_t end = shown(&l[i]);

        last = end > last ? end : last;
    }
    return last;
}

static void define(OTF2_Archive *archive, const struct location *l, uint32_t n,
                   uint64_t last)
{
    static const char *const strings[] = { "",     "MPI_Recv",       "MPI_Send",
                                           "work", "handle",         "bench.c",
                                           "MPI",  "MPI_COMM_WORLD", "machine",
                                           "node", "Master thread",  "process" };
    OTF2_GlobalDefWriter *w = OTF2_Archive_GetGlobalDefWriter(archive);
    uint64_t *members = calloc(n, sizeof *members);

    if (w == NULL || members == NULL) {
        die("out of memory");
    }
    OTF2_GlobalDefWriter_WriteClockProperties(w, TICKS_PER_S, 0, last + 1,
                                              OTF2_UNDEFINED_TIMESTAMP);
    for (uint32_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
        OTF2_GlobalDefWriter_WriteString(w, i, strings[i]);
    }
    for (uint32_t i = 0; i < REGIONS; i++) {
        const bool is_mpi = i == REGION_RECV || i == REGION_SEND;

        OTF2_GlobalDefWriter_WriteRegion(
            w, i, i == REGION_KERNEL ? 12 : i + 1, i == REGION_KERNEL ? 12 : i + 1, 0,
            is_mpi ? OTF2_REGION_ROLE_POINT2POINT : OTF2_REGION_ROLE_FUNCTION,
            is_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_COMPILER, OTF2_REGION_FLAG_NONE,
            is_mpi ? 6 : 5, is_mpi ? 0 : 10 * i, is_mpi ? 0 : 10 * i + 5);
    }
    OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, 8, 9, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t i = 0; i < n; i++) {
        members[i] = i;
        OTF2_GlobalDefWriter_WriteLocationGroup(w, i, 11, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                0, OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(w, i, 10, OTF2_LOCATION_TYPE_CPU_THREAD,
                                           l[i].events, i);
    }
    OTF2_GlobalDefWriter_WriteGroup(w, 0, 6, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, members);
    OTF2_GlobalDefWriter_WriteGroup(w, 1, 7, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, n, members);
    OTF2_GlobalDefWriter_WriteComm(w, 0, 7, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    free(members);
}

/* Two offsets of zero per location, as Score-P writes them at initialisation and finalisation. */
static void define_locally(OTF2_Archive *archive, uint32_t n, uint64_t last)
{
    OTF2_Archive_OpenDefFiles(archive);
    for (uint32_t i = 0; i < n; i++) {
        OTF2_DefWriter *w = OTF2_Archive_GetDefWriter(archive, i);

        OTF2_DefWriter_WriteClockOffset(w, 0, 0, 0.0);
        OTF2_DefWriter_WriteClockOffset(w, last, 0, 0.0);
        OTF2_Archive_CloseDefWriter(archive, w);
    }
    OTF2_Archive_CloseDefFiles(archive);
}

int main(int argc, char **argv)
{
    static struct location l[MAX_LOCATIONS];
    static OTF2_FlushCallbacks flush = { .otf2_pre_flush = pre_flush };
    const uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    const uint32_t kernels = argc > 3 ? (uint32_t) strtoul(argv[3], NULL, 10) : 0;
    const uint32_t n = argc > 4 ? (uint32_t) strtoul(argv[4], NULL, 10) : 16;
    const double swing_us = argc > 5 ? strtod(argv[5], NULL) : 0;
    const uint64_t slow_percent = argc > 6 ? strtoull(argv[6], NULL, 10) : 0;

    if (argc < 4 || events < EVENTS_PER_TASK || n < 3 || n > MAX_LOCATIONS) {
        fprintf(stderr, "usage: generate DIRECTORY EVENTS KERNELS [LOCATIONS [SWING [SLOW]]]\n");
        return 2;
    }
    OTF2_Archive *archive =
        OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, CHUNK_EVENTS,
                          CHUNK_DEFINITIONS, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);

    if (archive == NULL) {
        die("cannot write the archive");
    }
    OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    for (uint32_t i = 0; i < n; i++) {
        l[i].writer = OTF2_Archive_GetEvtWriter(archive, i);
        l[i].swing_ns = 1000 * swing_us;
        l[i].phase = i;
    }
    const uint64_t last = simulate(l, n, events / (EVENTS_PER_TASK + 2 * kernels), kernels,
                                   slow_percent);

    for (uint32_t i = 0; i < n; i++) {
        OTF2_Archive_CloseEvtWriter(archive, l[i].writer);
    }
    OTF2_Archive_CloseEvtFiles(archive);
    define_locally(archive, n, last);
    define(archive, l, n, last);
    return OTF2_Archive_Close(archive) == OTF2_SUCCESS ? 0 : 1;
}
