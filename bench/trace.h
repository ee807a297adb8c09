/* What programs that write traces for `make bench` have in common: archives as Score-P writes them. */
#ifndef BENCH_TRACE_H
#define BENCH_TRACE_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

enum { TICKS_PER_S = 1000000000 };

struct trace_region {
    const char *name;
    OTF2_RegionRole role; /**< OTF2_REGION_ROLE_FUNCTION: of the program, else of MPI. */
};

/** All of it has to be the same for all locations; the numbers of events are per location. */
struct trace {
    const struct trace_region *regions;
    uint32_t n_regions;
    uint32_t n_locations;
    const uint64_t *events;
    uint64_t last; /**< The largest time. */
};

/** Ends the program where that fails. */
OTF2_Archive *trace_create(const char *directory);
/** Definitions, with a communicator 0 of all, and two recorded offsets of zero per location. False on failure. */
bool trace_finish(OTF2_Archive *archive, const struct trace *trace);
/** Small changes from one \p number to the next, the same in every run: 0 to \p range - 1. */
uint64_t trace_jitter(uint64_t number, uint64_t range);

#endif
