/*
 * Where a trace begins and ends. The program must not see a difference: whatever fails here, the process goes on
 * and is not recorded.
 */
#include "config.h"

#include "trace/record_priv.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool mpl_is_recording;

static bool is_started;

/* ---- the functions that are replaced ------------------------------------------------------- */

/* The linker has these for every section with such a name. */
extern struct mpl_replaced __start_mpl_replaced[] __attribute__((visibility("hidden")));
extern struct mpl_replaced __stop_mpl_replaced[] __attribute__((visibility("hidden")));

__attribute__((constructor)) static void find_replaced(void)
{
    for (struct mpl_replaced *r = __start_mpl_replaced; r < __stop_mpl_replaced; r++) {
        *r->next = dlsym(RTLD_NEXT, r->name);
    }
    mpl_time_load();
}

/* ---- start ------------------------------------------------------------------------------------ */

/* A function that only the MPI of this library has. Data would not do: the linker copies them to the program. */
#ifdef OPEN_MPI
#define OWN_FUNCTION "ompi_mpi_abort"
#else
#define OWN_FUNCTION "MPIR_Err_return_comm"
#endif

/* A program of another MPI, into which this library was preloaded by mistake, must run as if it were not there. */
static bool is_own_mpi(void)
{
    const void *own = dlsym(RTLD_DEFAULT, OWN_FUNCTION);
    const void *used = dlsym(RTLD_NEXT, "PMPI_Init");
    Dl_info here;
    Dl_info there;

    return own != NULL && used != NULL && dladdr(own, &here) != 0 &&
           dladdr(used, &there) != 0 && here.dli_fbase == there.dli_fbase;
}

/* A child has the pages of the spool in common with its parent, and nothing to write there. */
static void leave_to_parent(void)
{
    mpl_is_recording = false;
}

/* Behind MPI_Init, which was called at \p begin_time. */
static void start(uint16_t call, const void *return_address, uint64_t begin_time)
{
    const char *directory = getenv("MARPLE_TRACE_SPOOLS");
    struct mpl_track *track = NULL;
    int provided = MPI_THREAD_SINGLE;
    int rank = 0;
    int size = 0;

    if (is_started || directory == NULL || directory[0] == '\0' || !is_own_mpi()) {
        return;
    }
    is_started = true;
    (void) PMPI_Query_thread(&provided);
    (void) PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void) PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided == MPI_THREAD_MULTIPLE) {
        mpl_share_tables();
    }
    if (mpl_spool_open(directory, (uint32_t) rank, (uint32_t) size) && mpl_comms_open() &&
        mpl_requests_open()) {
        track = mpl_track_open();
    }
    if (track != NULL) {
        mpl_samples_open();
        mpl_sites_open(track);
        const uint32_t site = mpl_site(track, return_address);
        mpl_put(track, begin_time, MPL_SPOOL_WORD(MPL_SPOOL_ENTER, 2, call, site), 0, 0, 0,
                0);
        mpl_comms_world(track);
        mpl_properties(track, provided);
    }
    /* Processes that are not recorded take part: the others would wait for them. */
    mpl_clocks_open(provided == MPI_THREAD_MULTIPLE);
    mpl_clocks_compare(track);
    mpl_thin_open(track != NULL, provided == MPI_THREAD_MULTIPLE);
    if (track != NULL) {
        const uint64_t end = mpl_now();
        mpl_put(track, end, MPL_SPOOL_WORD(MPL_SPOOL_LEAVE, 2, call, 0), 0, 0, 0, 0);
        if (mpl_is_sample_due(track, end)) {
            (void) mpl_sample(track, end);
        }
        (void) pthread_atfork(NULL, NULL, leave_to_parent);
        mpl_is_recording = true;
    }
}

#define INIT(function) \
    MPL_REPLACES(function, (int *argc, char ***argv)) \
    { \
        const uint64_t begin = mpl_now(); \
        const int code = MPL_NEXT(function)(argc, argv); \
\
        if (code == MPI_SUCCESS) { \
            start(MPL_CALL_IS_Init, __builtin_return_address(0), begin); \
        } \
        return code; \
    }
INIT(MPI_Init)
INIT(PMPI_Init)

#define INIT_THREAD(function) \
    MPL_REPLACES(function, (int *argc, char ***argv, int required, int *provided)) \
    { \
        const uint64_t begin = mpl_now(); \
        const int code = MPL_NEXT(function)(argc, argv, required, provided); \
\
        if (code == MPI_SUCCESS) { \
            start(MPL_CALL_IS_Init_thread, __builtin_return_address(0), begin); \
        } \
        return code; \
    }
INIT_THREAD(MPI_Init_thread)
INIT_THREAD(PMPI_Init_thread)

/* ---- end ------------------------------------------------------------------------------------------ */

/* Processes that are not recorded take part here, too. */
static void compare_clocks(struct mpl_track *track)
{
    if (is_started) {
        is_started = false;
        mpl_clocks_compare(track);
        mpl_clocks_close();
    }
}

static void end_thinning(void)
{
    struct mpl_track *track = mpl_own_track;

    if (mpl_is_recording && mpl_is_thinning() && track != NULL && !track->is_inside) {
        mpl_thin_end(track);
    }
}

static void finish(struct mpl_call_now *c)
{
    c->end_time = mpl_now();
    mpl_time_tie(true);
    mpl_properties_end(c->track);
    c->track->sampled_time = 0; /* The last sample covers the whole run. */
    mpl_call_end(c);
    mpl_is_recording = false;
    mpl_spool_end_as(MPL_SPOOL_FINISHED);
    mpl_spool_close();
}

/* Only a process that ends by itself comes here, none that a signal ends. */
__attribute__((destructor)) static void leave(void)
{
    if (mpl_is_recording && mpl_spool_borrow() != NULL &&
        mpl_spool_borrow()->end == MPL_SPOOL_CUT) {
        mpl_spool_end_as(MPL_SPOOL_LEFT);
    }
}

#define FINALIZE(function) \
    MPL_REPLACES(function, (void) ) \
    { \
        struct mpl_call_now c; \
        end_thinning(); \
        const bool is_recorded = mpl_call_begin(&c, MPL_CALL_IS_Finalize); \
\
        compare_clocks(is_recorded ? c.track : NULL); \
        const int code = MPL_NEXT(function)(); \
        if (is_recorded) { \
            finish(&c); \
        } \
        return code; \
    }
FINALIZE(MPI_Finalize)
FINALIZE(PMPI_Finalize)

#define ABORT(function) \
    MPL_REPLACES(function, (MPI_Comm comm, int errorcode)) \
    { \
        struct mpl_call_now c; \
\
        if (mpl_call_begin(&c, MPL_CALL_IS_Abort)) { \
            mpl_spool_end_as(MPL_SPOOL_ABORTED); \
        } \
        return MPL_NEXT(function)(comm, errorcode); \
    }
ABORT(MPI_Abort)
ABORT(PMPI_Abort)

/* Level 0 stops recording, any other one goes on with it. */
static int switch_recording(bool is_on)
{
    struct mpl_track *track = mpl_own_track;

    track = mpl_is_recording && track == NULL ? mpl_track_open() : track;
    if (mpl_is_recording && track != NULL) {
        mpl_switch(track, MPL_BY_PROGRAM, is_on);
    }
    return MPI_SUCCESS;
}

/* MPI's own does nothing. */
#define PCONTROL(function) \
    MPL_REPLACES(function, (const int level, ...)) \
    { \
        (void) MPL_NEXT(function); \
        return switch_recording(level != 0); \
    }
PCONTROL(MPI_Pcontrol)
PCONTROL(PMPI_Pcontrol)
