/*
 * Writes a large halo exchange in the manner of Score-P, for `make bench`:
 *
 *     halo DIRECTORY EVENTS FUNCTIONS LOCATIONS
 *
 * Each rank computes, posts receives from both neighbours, sends to both, and waits for all of that; the ranks
 * form a line. The work changes a little from step to step, and rank 1 has half as much again. FUNCTIONS is
 * the number of functions that a step calls, each of which calls another one; then every 16 steps end with an
 * MPI_Allreduce. With 36, 5 % of all records are about messages and a quarter begin calls that others are not
 * part of; with 0 there is nothing but messages, 44 % of all records, the most that MPI can have.
 *
 * Times are found first for all ranks, step by step, and written rank by rank: a writer of OTF2 takes 1 MiB.
 */
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEP, KERNEL, INNER, IRECV, ISEND, WAITALL, ALLREDUCE, REGIONS };
enum { CALL_NS = 200, LATENCY_NS = 700, STEPS_PER_SUM = 16, BYTES = 4096 };

static const struct trace_region regions[REGIONS] = {
    [STEP] = { "step", OTF2_REGION_ROLE_FUNCTION },
    [KERNEL] = { "kernel", OTF2_REGION_ROLE_FUNCTION },
    [INNER] = { "inner", OTF2_REGION_ROLE_FUNCTION },
    [IRECV] = { "MPI_Irecv", OTF2_REGION_ROLE_POINT2POINT },
    [ISEND] = { "MPI_Isend", OTF2_REGION_ROLE_POINT2POINT },
    [WAITALL] = { "MPI_Waitall", OTF2_REGION_ROLE_POINT2POINT },
    [ALLREDUCE] = { "MPI_Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL },
};

struct run {
    uint32_t n_locations;
    uint32_t n_steps;
    uint32_t n_functions;
    uint64_t *begin; /* Of each rank's step, step by step; and of one more. */
};

struct writer {
    OTF2_EvtWriter *w;
    uint64_t now;
    uint64_t events;
    uint64_t request;
};

static uint64_t *begin_of(const struct run *run, uint32_t step, uint32_t rank)
{
    return &run->begin[(size_t) step * run->n_locations + rank];
}

static uint32_t neighbours(const struct run *run, uint32_t rank, uint32_t *who)
{
    uint32_t n = 0;

    if (rank > 0) {
        who[n++] = rank - 1;
    }
    if (rank + 1 < run->n_locations) {
        who[n++] = rank + 1;
    }
    return n;
}

static bool has_sum(const struct run *run, uint32_t step)
{
    return run->n_functions > 0 && step % STEPS_PER_SUM == STEPS_PER_SUM - 1;
}

static uint64_t work_ns(const struct run *run, uint32_t step, uint32_t rank)
{
    const uint64_t work = 4000 + 500 * (uint64_t) run->n_functions +
                          trace_jitter((uint64_t) step * 31 + rank, 500);

    return rank == 1 ? work + work / 2 : work;
}

/* When all that a step sends is on its way. */
static uint64_t sent_at(const struct run *run, uint32_t step, uint32_t rank)
{
    uint32_t who[2];

    return *begin_of(run, step, rank) + work_ns(run, step, rank) +
           2 * CALL_NS * (uint64_t) neighbours(run, rank, who);
}

/* When it has what its neighbours send. */
static uint64_t arrived_at(const struct run *run, uint32_t step, uint32_t rank)
{
    uint32_t who[2];
    const uint32_t n = neighbours(run, rank, who);
    uint64_t at = sent_at(run, step, rank) + CALL_NS;

    for (uint32_t i = 0; i < n; i++) {
        const uint64_t there = sent_at(run, step, who[i]) + LATENCY_NS;

        at = there > at ? there : at;
    }
    return at;
}

static void find_times(const struct run *run)
{
    for (uint32_t r = 0; r < run->n_locations; r++) {
        *begin_of(run, 0, r) = 1000 + trace_jitter(r, 1000);
    }
    for (uint32_t s = 0; s < run->n_steps; s++) {
        uint64_t last = 0;

        for (uint32_t r = 0; r < run->n_locations; r++) {
            const uint64_t end = arrived_at(run, s, r) + CALL_NS;

            *begin_of(run, s + 1, r) = end;
            last = end > last ? end : last;
        }
        for (uint32_t r = 0; r < run->n_locations && has_sum(run, s); r++) {
            *begin_of(run, s + 1, r) = last + LATENCY_NS + CALL_NS;
        }
    }
}

static void enter(struct writer *w, uint32_t region, uint64_t ns)
{
    w->now += ns;
    w->events++;
    OTF2_EvtWriter_Enter(w->w, NULL, w->now, region);
}

static void leave(struct writer *w, uint32_t region, uint64_t ns)
{
    w->now += ns;
    w->events++;
    OTF2_EvtWriter_Leave(w->w, NULL, w->now, region);
}

static void compute(const struct run *run, struct writer *w, uint64_t until)
{
    const uint32_t n = run->n_functions;
    const uint64_t each = n == 0 ? 0 : (until - w->now) / n;

    for (uint32_t i = 0; i < n; i++) {
        enter(w, KERNEL, each / 8);
        enter(w, INNER, each / 8);
        leave(w, INNER, each / 2);
        leave(w, KERNEL, each / 8);
    }
    w->now = until;
}

static void post(struct writer *w, const uint32_t *who, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        enter(w, IRECV, 10);
        OTF2_EvtWriter_MpiIrecvRequest(w->w, NULL, w->now + 50, w->request + i);
        leave(w, IRECV, CALL_NS - 10);
    }
    for (uint32_t i = 0; i < n; i++) {
        enter(w, ISEND, 10);
        OTF2_EvtWriter_MpiIsend(w->w, NULL, w->now + 50, who[i], 0, 1, BYTES,
                                w->request + n + i);
        leave(w, ISEND, CALL_NS - 10);
    }
    w->events += 2 * n;
}

static void wait_for_all(struct writer *w, const uint32_t *who, uint32_t n, uint64_t until)
{
    enter(w, WAITALL, 10);
    w->now = until;
    for (uint32_t i = 0; i < n; i++) {
        OTF2_EvtWriter_MpiIrecv(w->w, NULL, w->now, who[i], 0, 1, BYTES, w->request + i);
        OTF2_EvtWriter_MpiIsendComplete(w->w, NULL, w->now, w->request + n + i);
    }
    leave(w, WAITALL, CALL_NS / 2);
    w->events += 2 * n;
    w->request += 2 * n;
}

static void sum(struct writer *w, uint64_t until)
{
    enter(w, ALLREDUCE, 10);
    OTF2_EvtWriter_MpiCollectiveBegin(w->w, NULL, w->now);
    w->now = until - CALL_NS;
    OTF2_EvtWriter_MpiCollectiveEnd(w->w, NULL, w->now, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                    OTF2_UNDEFINED_UINT32, 8, 8);
    leave(w, ALLREDUCE, CALL_NS / 2);
    w->events += 2;
}

static uint64_t write_location(const struct run *run, OTF2_Archive *archive, uint32_t rank)
{
    struct writer w = { .w = OTF2_Archive_GetEvtWriter(archive, rank) };
    uint32_t who[2];
    const uint32_t n = neighbours(run, rank, who);

    for (uint32_t s = 0; s < run->n_steps; s++) {
        w.now = *begin_of(run, s, rank);
        if (run->n_functions > 0) {
            enter(&w, STEP, 0);
        }
        compute(run, &w, *begin_of(run, s, rank) + work_ns(run, s, rank));
        post(&w, who, n);
        wait_for_all(&w, who, n, arrived_at(run, s, rank));
        if (has_sum(run, s)) {
            sum(&w, *begin_of(run, s + 1, rank));
        }
        if (run->n_functions > 0) {
            leave(&w, STEP, 10);
        }
    }
    OTF2_Archive_CloseEvtWriter(archive, w.w);
    return w.events;
}

int main(int argc, char **argv)
{
    const uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    struct run run = { .n_functions = argc > 3 ? (uint32_t) strtoul(argv[3], NULL, 10) : 0,
                       .n_locations = argc > 4 ? (uint32_t) strtoul(argv[4], NULL, 10) : 0 };
    const uint64_t per_step = 18 + (run.n_functions > 0 ? 2 + 4 * run.n_functions : 0);

    if (argc < 5 || run.n_locations < 3 || events / run.n_locations < per_step) {
        fprintf(stderr, "usage: halo DIRECTORY EVENTS FUNCTIONS LOCATIONS\n");
        return 2;
    }
    run.n_steps = (uint32_t) (events / run.n_locations / per_step);
    run.begin = calloc((size_t) (run.n_steps + 1) * run.n_locations, sizeof *run.begin);

    uint64_t *written = calloc(run.n_locations, sizeof *written);
    struct trace trace = { .regions = regions,
                           .n_regions = REGIONS,
                           .n_locations = run.n_locations,
                           .events = written };

    if (run.begin == NULL || written == NULL) {
        fprintf(stderr, "halo: out of memory\n");
        return 1;
    }
    find_times(&run);
    OTF2_Archive *archive = trace_create(argv[1]);

    for (uint32_t r = 0; r < run.n_locations; r++) {
        const uint64_t end = *begin_of(&run, run.n_steps, r);

        written[r] = write_location(&run, archive, r);
        trace.last = end > trace.last ? end : trace.last;
    }
    const bool is_done = trace_finish(archive, &trace);

    free(written);
    free(run.begin);
    return is_done ? 0 : 1;
}
