/*
 * Writes a large master-worker trace in the manner of Score-P, for `make bench`:
 *
 *     generate DIRECTORY EVENTS KERNELS [LOCATIONS [SWING [SLOW]]]
 *
 * Rank 0 serves requests one after the other in `handle`, the others compute in `work`. A task is
 * 16 events: on the worker Recv, work, Send; on the master Recv, handle, Send. KERNELS is the
 * number of functions that `work` calls, two events each: 0 gives the densest trace of messages
 * that this pattern can have, 12 (40 events a task) that of a program whose functions are
 * instrumented, too, and 0-24 an irregular farm: the number changes from task to task without any order, and
 * what a task computes by up to 100 times. The times come from a simulation, so that waits, matches and the master's
 * queue are those of a real run.
 *
 * With SWING, microseconds, each location's clock swings by so much around the true time, ten times
 * a second and each with another phase, while the recorded offsets say that all clocks are exact: so
 * there is something to estimate and to repair. With SLOW, location 1 computes longer by so many percent.
 */
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LOCATIONS = 4096 };
enum { REGION_RECV, REGION_SEND, REGION_WORK, REGION_HANDLE, REGION_KERNEL, REGIONS };
enum { EVENTS_PER_TASK = 16 };

static const struct trace_region regions[REGIONS] = {
    [REGION_RECV] = { "MPI_Recv", OTF2_REGION_ROLE_POINT2POINT },
    [REGION_SEND] = { "MPI_Send", OTF2_REGION_ROLE_POINT2POINT },
    [REGION_WORK] = { "work", OTF2_REGION_ROLE_FUNCTION },
    [REGION_HANDLE] = { "handle", OTF2_REGION_ROLE_FUNCTION },
    [REGION_KERNEL] = { "kernel", OTF2_REGION_ROLE_FUNCTION },
};

/* Functions that a task calls: least to most. */
struct kernels {
    uint32_t least;
    uint32_t most;
};

struct location {
    OTF2_EvtWriter *writer;
    uint64_t now;     /* end of its last event */
    uint64_t request; /* when its request reaches the master */
    uint64_t events;
    double swing_ns;
    double phase;
};

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

/* Mixed well, so that tasks next to each other have nothing in common. */
static uint64_t chance(uint64_t task, uint64_t range)
{
    uint64_t x = task * UINT64_C(0x9E3779B97F4A7C15);

    x = (x ^ (x >> 31)) * UINT64_C(0xBF58476D1CE4E5B9);
    return (x ^ (x >> 29)) % range;
}

static uint64_t work_ns_of(const struct kernels *kernels, uint64_t task, uint32_t worker)
{
    const uint64_t work_ns = 20000;

    /* From a tenth of the usual to ten times that, small ones as often as large ones. */
    return kernels->least == kernels->most
               ? work_ns + trace_jitter(task + worker, 4000)
               : work_ns / 10 << chance(task, 7);
}

static uint64_t simulate(struct location *l, uint32_t n, uint64_t tasks,
                         const struct kernels *kernels, uint64_t slow_percent)
{
    enum { LATENCY_NS = 700 };
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
        compute(&l[0], REGION_HANDLE, handle_ns + trace_jitter(t, 200));
        send(&l[0], w);
        receive(&l[w], 0, l[0].now + LATENCY_NS);
        work(&l[w],
             work_ns_of(kernels, t, w) * (100 + (w == 1 ? slow_percent : 0)) / 100,
             kernels->least +
                 (uint32_t) chance(t + 1, kernels->most - kernels->least + 1));
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

static struct kernels read_kernels(const char *text)
{
    char *end = NULL;
    struct kernels kernels = { .least = (uint32_t) strtoul(text, &end, 10) };

    kernels.most = *end == '-' ? (uint32_t) strtoul(end + 1, NULL, 10) : kernels.least;
    kernels.most = kernels.most < kernels.least ? kernels.least : kernels.most;
    return kernels;
}

int main(int argc, char **argv)
{
    static struct location l[MAX_LOCATIONS];
    static uint64_t written[MAX_LOCATIONS];
    const uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    const struct kernels kernels = read_kernels(argc > 3 ? argv[3] : "0");
    const uint32_t n = argc > 4 ? (uint32_t) strtoul(argv[4], NULL, 10) : 16;
    const double swing_us = argc > 5 ? strtod(argv[5], NULL) : 0;
    const uint64_t slow_percent = argc > 6 ? strtoull(argv[6], NULL, 10) : 0;

    if (argc < 4 || events < EVENTS_PER_TASK || n < 3 || n > MAX_LOCATIONS) {
        fprintf(stderr, "usage: generate DIRECTORY EVENTS KERNELS|LEAST-MOST [LOCATIONS [SWING "
                        "[SLOW]]]\n");
        return 2;
    }
    OTF2_Archive *archive = trace_create(argv[1]);

    for (uint32_t i = 0; i < n; i++) {
        l[i].writer = OTF2_Archive_GetEvtWriter(archive, i);
        l[i].swing_ns = 1000 * swing_us;
        l[i].phase = i;
    }
    const uint64_t tasks = events / (EVENTS_PER_TASK + kernels.least + kernels.most);
    struct trace trace = { .regions = regions,
                           .n_regions = REGIONS,
                           .n_locations = n,
                           .events = written,
                           .last = simulate(l, n, tasks, &kernels, slow_percent) };

    for (uint32_t i = 0; i < n; i++) {
        written[i] = l[i].events;
        OTF2_Archive_CloseEvtWriter(archive, l[i].writer);
    }
    return trace_finish(archive, &trace) ? 0 : 1;
}
