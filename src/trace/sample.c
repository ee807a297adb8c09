/*
 * What the processor did for a thread: CPU time, context switches, core. Asking costs two system calls, some 600 ns, so
 * it is done at calls of MPI that are far enough from the last time.
 */
#include "config.h"

#include "trace/record_priv.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { DEFAULT_US = 100 };

uint64_t mpl_sample_interval = UINT64_MAX;

void mpl_samples_open(void)
{
    const char *asked = getenv("MARPLE_TRACE_CPU_INTERVAL");
    const uint64_t us = asked != NULL && asked[0] != '\0' ? strtoull(asked, NULL, 10)
                                                          : (uint64_t) DEFAULT_US;

    mpl_sample_interval = us == 0 ? UINT64_MAX : mpl_time_of_ns(us * 1000);
}

uint64_t mpl_sample(struct mpl_track *track, uint64_t time)
{
    struct timespec cpu = { 0 };
    struct rusage usage = { 0 };

    /* The CPU time of getrusage is as old as the last tick. */
    (void) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    (void) getrusage(RUSAGE_THREAD, &usage);
    mpl_time_tie(false);
    track->sampled_time = time != 0 ? time : mpl_now();
    mpl_put(track, track->sampled_time, MPL_SPOOL_WORD(MPL_SPOOL_CPU, 4, 0, sched_getcpu()),
            (uint64_t) cpu.tv_sec * UINT64_C(1000000000) + (uint64_t) cpu.tv_nsec,
            (uint64_t) (uint32_t) usage.ru_nvcsw | (uint64_t) usage.ru_nivcsw << 32, 0, 0);
    return track->sampled_time;
}
