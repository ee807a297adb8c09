/*
 * To be preloaded: a clock for each rank that is ahead by a quarter of a second per rank, and faster by 20
 * millionths.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int own_rank(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    rank = rank != NULL ? rank : getenv("PMI_RANK");
    return rank != NULL ? atoi(rank) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const long result = syscall(SYS_clock_gettime, clock, now);

    if (clock == CLOCK_MONOTONIC) {
        const long rank = own_rank();
        const long ns = (long) now->tv_sec * 1000000000 + now->tv_nsec;
        const long shifted = ns + rank * 250000000 + rank * (ns / 50000);

        now->tv_sec = shifted / 1000000000;
        now->tv_nsec = shifted % 1000000000;
    }
    return (int) result;
}
