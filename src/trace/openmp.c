/*
 * Threads of OpenMP, as reported by a runtime that has the interface for tools (OMPT, chapter 4 of OpenMP 5.0; LLVM's
 * libomp has it, GCC's libgomp has not). What is needed of it is declared here, so that the library is built without it.
 *
 * Recorded are parallel regions and barriers; regions inside of others are part of these.
 */
#include "config.h"

#include "trace/record_priv.h"

#include <stdlib.h>

/* ---- the interface --------------------------------------------------------------------------- */

union data {
    uint64_t value;
    void *pointer;
};

enum endpoint { SCOPE_BEGIN = 1, SCOPE_END = 2 };
enum { TASK_INITIAL = 1 }; /* The program before any parallel region. */
enum sync {
    BARRIER = 1,
    BARRIER_IMPLICIT = 2,
    BARRIER_EXPLICIT = 3,
    BARRIER_IMPLEMENTATION = 4,
    BARRIER_WORKSHARE = 8,
    BARRIER_PARALLEL = 9,
    BARRIER_TEAMS = 10
};
enum callback { PARALLEL_BEGIN = 3, PARALLEL_END = 4, IMPLICIT_TASK = 7, SYNC_REGION = 23 };

typedef void (*function)(void);
typedef function (*lookup)(const char *name);
typedef int (*set_callback)(int callback, function f);

struct start_tool_result {
    int (*initialize)(lookup find, int device, union data *tool);
    void (*finalize)(union data *tool);
    union data tool;
};

/* ---- parallel regions ------------------------------------------------------------------------------ */

enum { REGIONS = 256 }; /* That are remembered. */

/*
 * Threads other than the first one hear of the end of a region when the next one begins for them. Until then they
 * have waited for nobody, so the region ended for them when it ended for the first one.
 */
struct region {
    uint64_t number;
    uint64_t ended; /* 0: not yet */
    uint32_t site;
};

static struct region regions[REGIONS];
static uint64_t last_region;

static struct region *slot_of(uint64_t number)
{
    return &regions[number % REGIONS];
}

static uint32_t site_of(uint64_t number)
{
    const struct region *slot = slot_of(number);

    return __atomic_load_n(&slot->number, __ATOMIC_ACQUIRE) == number ? slot->site : 0;
}

/* When the thread was done with the region that it is in. */
static uint64_t end_of(const struct mpl_track *track)
{
    const struct region *slot = slot_of(track->region);
    const uint64_t ended = __atomic_load_n(&slot->ended, __ATOMIC_ACQUIRE);

    if (__atomic_load_n(&slot->number, __ATOMIC_ACQUIRE) != track->region) {
        return track->arrived; /* Long ago. */
    }
    return ended != 0 ? ended : mpl_now();
}

/* NULL: nothing is recorded now. */
static struct mpl_track *own_track(void)
{
    struct mpl_track *track = mpl_own_track;

    if (!mpl_is_recording || !mpl_is_switched_on) {
        return NULL;
    }
    track = track != NULL ? track : mpl_track_open();
    return track == NULL || track->is_full || track->is_inside ? NULL : track;
}

static void begin_region(union data *task, const void *frame, union data *parallel,
                         unsigned requested, int flags, const void *return_address)
{
    struct mpl_track *track = own_track();

    (void) task;
    (void) frame;
    (void) flags;
    parallel->value = 0;
    if (track == NULL || track->region != 0) {
        return;
    }
    parallel->value = __atomic_add_fetch(&last_region, 1, __ATOMIC_RELAXED);
    struct region *slot = slot_of(parallel->value);
    slot->site = mpl_site(track, return_address);
    __atomic_store_n(&slot->ended, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->number, parallel->value, __ATOMIC_RELEASE);
    mpl_put(track, mpl_now(), MPL_SPOOL_WORD(MPL_SPOOL_FORK, 2, 0, requested), 0, 0, 0, 0);
}

static void end_region(union data *parallel, union data *task, int flags,
                       const void *return_address)
{
    struct mpl_track *track = mpl_own_track;
    const uint64_t now = mpl_now();

    (void) task;
    (void) flags;
    (void) return_address;
    if (parallel->value == 0 || track == NULL) {
        return;
    }
    __atomic_store_n(&slot_of(parallel->value)->ended, now, __ATOMIC_RELEASE);
    mpl_put(track, now, MPL_SPOOL_WORD(MPL_SPOOL_JOIN, 2, 0, 0), 0, 0, 0, 0);
}

/* ---- a thread in it ------------------------------------------------------------------------------------ */

static void put_call(struct mpl_track *track, enum mpl_spool_kind kind, uint64_t time,
                     enum mpl_call call, uint32_t site)
{
    mpl_put(track, time, MPL_SPOOL_WORD(kind, 2, call, site), 0, 0, 0, 0);
}

static void come(struct mpl_track *track, uint64_t region)
{
    const uint64_t now = mpl_now();

    track->region = region;
    mpl_put(track, now, MPL_SPOOL_WORD(MPL_SPOOL_TEAM_BEGIN, 2, 0, 0), 0, 0, 0, 0);
    put_call(track, MPL_SPOOL_ENTER, now, MPL_CALL_IS_OMP_PARALLEL, site_of(region));
}

static void go(struct mpl_track *track)
{
    const uint64_t end = end_of(track);

    put_call(track, MPL_SPOOL_LEAVE, end, MPL_CALL_IS_OMP_PARALLEL, 0);
    mpl_put(track, end, MPL_SPOOL_WORD(MPL_SPOOL_TEAM_END, 2, 0, 0), 0, 0, 0, 0);
    track->region = 0;
}

static void take_part(int endpoint, union data *parallel, union data *task, unsigned n,
                      unsigned index, int flags)
{
    (void) n;
    (void) index;
    if ((flags & TASK_INITIAL) != 0) {
        return;
    }
    if (endpoint == SCOPE_BEGIN) {
        struct mpl_track *track =
            parallel != NULL && parallel->value != 0 ? own_track() : NULL;
        task->value = track != NULL ? parallel->value : 0;
        if (track != NULL) {
            come(track, parallel->value);
        }
    } else if (endpoint == SCOPE_END && task->value != 0) {
        go(mpl_own_track);
    }
}

static bool is_implicit(int kind)
{
    return kind == BARRIER_IMPLICIT || kind == BARRIER_IMPLEMENTATION ||
           kind == BARRIER_WORKSHARE || kind == BARRIER_PARALLEL || kind == BARRIER_TEAMS;
}

static void synchronise(int kind, int endpoint, union data *parallel, union data *task,
                        const void *return_address)
{
    struct mpl_track *track = mpl_own_track;
    const enum mpl_call call =
        is_implicit(kind) ? MPL_CALL_IS_OMP_IMPLICIT_BARRIER : MPL_CALL_IS_OMP_BARRIER;

    (void) parallel;
    if (track == NULL || track->region == 0 || task == NULL ||
        task->value != track->region ||
        (!is_implicit(kind) && kind != BARRIER && kind != BARRIER_EXPLICIT)) {
        return;
    }
    if (endpoint == SCOPE_BEGIN) {
        track->arrived = mpl_now();
        put_call(track, MPL_SPOOL_ENTER, track->arrived, call,
                 mpl_site(track, return_address));
    } else if (endpoint == SCOPE_END) {
        put_call(track, MPL_SPOOL_LEAVE, end_of(track), call, 0);
    }
}

/* ---- being started ---------------------------------------------------------------------------------------- */

static int initialize(lookup find, int device, union data *tool)
{
    const set_callback set = (set_callback) find("ompt_set_callback");

    (void) device;
    (void) tool;
    if (set == NULL) {
        return 0;
    }
    /* Several threads may look for places, whatever MPI promises to threads. */
    mpl_share_tables();
    (void) set(PARALLEL_BEGIN, (function) begin_region);
    (void) set(PARALLEL_END, (function) end_region);
    (void) set(IMPLICIT_TASK, (function) take_part);
    (void) set(SYNC_REGION, (function) synchronise);
    return 1;
}

static void finalize(union data *tool)
{
    (void) tool;
}

struct start_tool_result *ompt_start_tool(unsigned version, const char *runtime);

/* The runtime looks for a function of this name. NULL: nothing will be recorded, and it need not report anything. */
__attribute__((visibility("default"))) struct start_tool_result *
ompt_start_tool(unsigned version, const char *runtime)
{
    static struct start_tool_result result = { initialize, finalize, { 0 } };

    (void) version;
    (void) runtime;
    return getenv("MARPLE_TRACE_SPOOLS") != NULL ? &result : NULL;
}
