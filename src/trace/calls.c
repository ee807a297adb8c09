/* The wrappers: one for each line of calls.def. */
#include "config.h"

#include "trace/record_priv.h"

/* Finding the place and asking for CPU time is no part of the call. */
static void enter(struct mpl_call_now *c, const void *return_address)
{
    const uint32_t site = mpl_site(c->track, return_address);

    c->begin_time = mpl_now();
    if (mpl_is_sample_due(c->track, c->begin_time)) {
        c->begin_time = mpl_sample(c->track, 0);
    }
    uint64_t *record = mpl_record(c->track, c->begin_time, 2);
    if (record != NULL) {
        mpl_commit(record, MPL_SPOOL_WORD(MPL_SPOOL_ENTER, 2, c->call, site));
    }
}

bool mpl_call_begin_at(struct mpl_call_now *c, uint16_t call, const void *return_address)
{
    struct mpl_track *track = mpl_own_track;

    if (!mpl_is_recording || (track == NULL && (track = mpl_track_open()) == NULL) ||
        track->is_inside) {
        return false;
    }
    track->is_inside = true;
    if (track->end - track->at <= MPL_ROOM_WORDS && !track->is_full) {
        mpl_make_room(track);
    }
    c->track = track;
    c->call = call;
    /* A call that cannot be recorded is looked at all the same: all processes count some of them. */
    c->is_quiet = !mpl_is_switched_on || track->is_full;
    c->is_met = false;
    c->group = NULL;
    c->end_time = 0;
    if (c->is_quiet) {
        c->begin_time = mpl_now();
    } else {
        enter(c, return_address);
    }
    return true;
}

/* All processes come here as often. Who is soon to empty its window does so now, when others do, too. */
static void meet(struct mpl_track *track)
{
    const ptrdiff_t soon = MPL_SPOOL_CHUNK / sizeof(uint64_t) / 4;

    if (track->end != NULL && !track->is_full && track->end - track->at < soon) {
        mpl_make_room(track);
    }
    if (mpl_clocks_are_continued()) {
        mpl_clocks_between(track);
    }
    if (mpl_is_thinning()) {
        mpl_thin_between(track);
    }
}

void mpl_call_end(struct mpl_call_now *c)
{
    uint64_t *record = c->is_quiet ? NULL : mpl_record(c->track, c->end_time, 2);

    if (record != NULL) {
        mpl_commit(record, MPL_SPOOL_WORD(MPL_SPOOL_LEAVE, 2, c->call, 0));
        if (mpl_is_sample_due(c->track, c->end_time)) {
            (void) mpl_sample(c->track, c->end_time);
        }
    }
    if (c->is_met) {
        meet(c->track);
    }
    c->track->is_inside = false;
}

/* ---- words of the table -------------------------------------------------------------------------- */

#define NOTHING (void) 0
#define NO_ROOT INT_MIN

#define bytes(count, type)   mpl_bytes(count, type)
#define own(c, status)       mpl_own_status(c, status)
#define owns(c, n, statuses) mpl_own_statuses(c, n, statuses)
#define members              mpl_members(c, comm)
#define sum(counts, type)    mpl_sum(c, comm, counts, type)
#define sums(counts, types)  mpl_sums(c, comm, counts, types)
#define share(counts, type)  mpl_share(c, comm, counts, type)
#define at_root(bytes)       (mpl_is_root(c, comm, root) ? (bytes) : 0)
#define at_others(bytes)     (mpl_is_root(c, comm, root) ? 0 : (bytes))
/* In place, what a member gives, or takes, is in the buffer of the other direction. */
#define gives(bytes, in_place) (sendbuf == MPI_IN_PLACE ? (in_place) : (bytes))
#define takes(bytes, in_place) (recvbuf == MPI_IN_PLACE ? (in_place) : (bytes))

#define WRAPPER(function, call, params, args, before, after) \
    MPL_REPLACES(function, params) \
    { \
        struct mpl_call_now now; \
        struct mpl_call_now *c = &now; \
\
        if (!mpl_call_begin(c, call)) { \
            return MPL_NEXT(function) args; \
        } \
        before; \
        const int code = MPL_NEXT(function) args; \
        c->end_time = mpl_now_behind(); \
        if (code == MPI_SUCCESS) { \
            after; \
        } \
        mpl_call_end(c); \
        return code; \
    }

#define WRAPPERS(function, call, params, args, before, after) \
    WRAPPER(function, call, params, args, before, after) \
    WRAPPER(P##function, call, params, args, before, after)

#define V3(...) __VA_ARGS__
#if MPI_VERSION >= 4
#define V4(...) __VA_ARGS__
#else
#define V4(...)
#endif

#define OWN(name, class)
#define CALL(since, name, class, params, args, before, after) \
    since(WRAPPERS(MPI_##name, MPL_CALL_IS_##name, params, args, before, after))
#define SIZED(since, name, class, params, args, before, after) \
    CALL(since, name, class, params, args, before, after)
#define COUNT          int
#define DISP           int
#define COUNTS(counts) ((struct mpl_counts){ .few = (counts) })
#include "trace/calls.def"

/* The same once more with large counts, for the calls that have them. */
#if MPI_VERSION >= 4
#undef CALL
#undef SIZED
#undef COUNT
#undef DISP
#undef COUNTS
#define CALL(since, name, class, params, args, before, after)
#define SIZED(since, name, class, params, args, before, after) \
    WRAPPERS(MPI_##name##_c, MPL_CALL_IS_##name, params, args, before, after)
#define COUNT          MPI_Count
#define DISP           MPI_Aint
#define COUNTS(counts) ((struct mpl_counts){ .many = (counts) })
#include "trace/calls.def"
#endif
