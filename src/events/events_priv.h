/*
 * The shape of mpl_events inside its folder: per location the calls, in 32 bytes each; what lies
 * between two calls is never stored but made when somebody asks for that span.
 */
#ifndef MPL_EVENTS_EVENTS_PRIV_H
#define MPL_EVENTS_EVENTS_PRIV_H

#include "events/events.h"

/* ---- what a region means for the spans ---------------------------------------- */

enum mpl_region_role {
    ROLE_USER,        /* its exclusive time is shown */
    ROLE_TRANSPARENT, /* the tracer's name for the program's own time, hence nothing */
    ROLE_CALL,
    ROLE_INIT,
    ROLE_FINALIZE,
};

/* How a call without any message record can still have waited for somebody. */
enum mpl_region_block {
    BLOCK_NEVER,
    BLOCK_MESSAGE,  /* MPI_Recv, MPI_Send: must move a message */
    BLOCK_EXCHANGE, /* MPI_Sendrecv: must move two */
    BLOCK_REQUESTS, /* MPI_Wait…: as long as there are requests */
    BLOCK_PROBE,    /* MPI_Probe: a message it does not take */
};

struct mpl_region_use {
    uint8_t role;  /* enum mpl_region_role */
    uint8_t class; /* enum mpl_span_class of a call of this region */
    uint8_t block; /* enum mpl_region_block */
    uint8_t mode;  /* enum mpl_call_mode */
    bool is_mpi;
};

/* ---- calls ------------------------------------------------------------------------- */

/* What `first` of a call is. */
enum mpl_call_parts {
    PARTS_NONE,
    PARTS_MESSAGE,    /* the only message end */
    PARTS_COLLECTIVE, /* the only collective part */
    PARTS_LIST, /* place in the lane's list: n messages, collective or MPL_NONE, messages */
};

enum { CALL_REGION_NONE = (1 << 23) - 1 };

/* What a location lost to messages received in the wrong order, in ticks. */
struct mpl_wrong_order {
    int64_t ticks;
    int64_t ready_ticks; /* of it, with the other message sent */
    uint64_t n;
};

/*
 * These are asked for every message, several times. A profile of npb-lu-W-np4 showed a fifth
 * of the stage in calling them, hence inline.
 */

/* `region` of a call that enters a region. */
static inline uint16_t mpl_call_region_in(uint32_t region)
{
    return region < MPL_CALL_REGION_FAR ? (uint16_t) region : MPL_CALL_REGION_FAR;
}

/* `region` of a call that a record opens. */
static inline uint16_t mpl_call_region_of(const struct mpl_location *loc, uint32_t event)
{
    return mpl_kind_of(loc, event) == MPL_EV_ENTER
               ? mpl_call_region_in(mpl_region_of(loc, event))
               : MPL_CALL_NO_REGION;
}

/* The region whose record opens a call; MPL_NONE where no region does. */
static inline uint32_t mpl_call_opener(const struct mpl_location *loc,
                                       const struct mpl_call *call)
{
    if (call->region < MPL_CALL_REGION_FAR) {
        return call->region;
    }
    return call->region == MPL_CALL_REGION_FAR ? mpl_region_of(loc, call->enter) : MPL_NONE;
}

/* What it means; a call without a region never waits. */
static inline const struct mpl_region_use *mpl_opener_use(const struct mpl_events *events,
                                                          uint32_t opener)
{
    static const struct mpl_region_use none = { .role = ROLE_CALL,
                                                .class = MPL_SPAN_OTHER };

    return opener == MPL_NONE ? &none : &events->use[opener];
}

static inline struct mpl_region_use mpl_call_use(const struct mpl_events *events,
                                                 const struct mpl_location *loc,
                                                 const struct mpl_call *call)
{
    return *mpl_opener_use(events, mpl_call_opener(loc, call));
}

/* What the time before call \p call is, or behind the last one. */
static inline enum mpl_span_class mpl_gap_class(const struct mpl_lane *lane, uint32_t call)
{
    if (call < lane->n_calls) {
        return lane->calls[call].class == MPL_SPAN_STARTUP ? MPL_SPAN_STARTUP
                                                           : MPL_SPAN_COMPUTE;
    }
    return call > 0 && lane->calls[call - 1].class == MPL_SPAN_SHUTDOWN ? MPL_SPAN_SHUTDOWN
                                                                        : MPL_SPAN_COMPUTE;
}

/* What a location computes between calls \p first and \p last: all time between their begins that is in no call. */
static inline int64_t mpl_ticks_between_calls(const struct mpl_events *events,
                                              uint32_t location, uint32_t first,
                                              uint32_t last)
{
    const struct mpl_lane *lane = &events->lanes[location];
    int64_t ticks = mpl_call_enter_ticks(events, location, last) -
                    mpl_call_enter_ticks(events, location, first);

    for (uint32_t k = first; k < last; k++) {
        ticks -= mpl_call_duration_ticks(lane, &lane->calls[k]);
    }
    return ticks;
}

/* The region of a call that a record of \p opener opens: of start-up that of MPI_Init. */
static inline uint32_t mpl_opened_region(const struct mpl_location *loc,
                                         const struct mpl_lane *lane,
                                         const struct mpl_call *call, uint32_t opener)
{
    if (call->class != MPL_SPAN_STARTUP) {
        return opener;
    }
    return lane->first_init == MPL_NONE ? MPL_NONE : mpl_region_of(loc, lane->first_init);
}

/* The region of a call; MPL_NONE for buffer flushes and off times. */
static inline uint32_t mpl_call_region(const struct mpl_events *events, uint32_t location,
                                       const struct mpl_call *call)
{
    const struct mpl_location *loc = &events->model->locations[location];

    return mpl_opened_region(loc, &events->lanes[location], call,
                             mpl_call_opener(loc, call));
}

/* What the clock of a location may be off by; INT64_MAX: nobody knows. */
static inline int64_t mpl_clock_error_of(const struct mpl_events *events, uint32_t location)
{
    return events->clock == NULL ? 0 : events->clock->bound_ticks[location];
}

/* INT64_MAX is for ever, and stays that. Clocks may say that something took less than no time. */
static inline int64_t mpl_ticks_later(int64_t ticks, int64_t by)
{
    return ticks == INT64_MAX || (by > 0 && ticks > INT64_MAX - by) ? INT64_MAX
                                                                    : ticks + by;
}

/* Whether a call that a record of \p opener opens is a probe. */
static inline bool mpl_opened_is_probe(const struct mpl_events *events,
                                       const struct mpl_call *call, uint32_t opener)
{
    return call->class == MPL_SPAN_P2P && call->parts == PARTS_NONE &&
           mpl_opener_use(events, opener)->block == BLOCK_PROBE;
}

static inline bool mpl_call_is_probe(const struct mpl_events *events,
                                     const struct mpl_location *loc,
                                     const struct mpl_call *call)
{
    return mpl_opened_is_probe(events, call, mpl_call_opener(loc, call));
}

/* The call that holds record \p event, or MPL_NONE. Cost: logarithmic. */
uint32_t mpl_call_find(const struct mpl_events *events, uint32_t location, uint32_t event);
/* The call that posts a message end: sends it, or posts its receive; MPL_NONE where that is not recorded. */
static inline uint32_t mpl_call_posting(const struct mpl_events *events, struct mpl_end end)
{
    return events->lanes[end.location].post_of_message[end.message];
}
/* The entry of a call that fits no 32 bits, which is the last one: for mpl_call_set_end(). False: no memory. */
bool mpl_call_add_long(struct mpl_lane *lane, uint32_t call, struct mpl_buf *longs,
                       uint32_t leave, int64_t duration_ticks);
/*
 * Sets when a call begins and which record closes it, and when; `enter` and its region must be set. A call that fits no
 * 32 bits gets an entry in \p longs (struct mpl_long_call). False when out of memory.
 */
static inline void mpl_call_set_begin(struct mpl_lane *lane, uint32_t call,
                                      int64_t enter_ticks)
{
    int64_t *base = &lane->bases[call / MPL_CALLS_PER_BASE];

    if (call % MPL_CALLS_PER_BASE == 0) {
        *base = enter_ticks;
    }

    const uint64_t ticks = (uint64_t) enter_ticks - (uint64_t) *base;

    lane->calls[call].begin_ticks = ticks < MPL_CALL_FAR ? (uint32_t) ticks : MPL_CALL_FAR;
}
static inline bool mpl_call_set_end(struct mpl_lane *lane, uint32_t call,
                                    struct mpl_buf *longs, uint32_t leave,
                                    int64_t duration_ticks)
{
    struct mpl_call *of = &lane->calls[call];
    const uint32_t n_records = leave - of->enter;

    if ((uint64_t) duration_ticks >= MPL_CALL_FAR || n_records >= UINT16_MAX) {
        return mpl_call_add_long(lane, call, longs, leave, duration_ticks);
    }
    of->duration_ticks = (uint32_t) duration_ticks;
    of->n_records = (uint16_t) n_records;
    return true;
}
/* Sets the waiting time, which is at most the duration. */
void mpl_call_set_wait(struct mpl_lane *lane, struct mpl_call *call, int64_t ticks);
/* What a call has, as far as it matters for knowing its wait. */
struct mpl_call_records {
    uint32_t n;          /* message ends posted or completed, collectives completed */
    bool is_lacking;     /* one of them without a partner */
    uint32_t collective; /* MPL_NONE if none */
};
/* Whether the tracer writes a record for every message and request. */
bool mpl_is_thorough(const struct mpl_model *model);
/* False where the trace lacks somebody whom the call may have waited for. */
bool mpl_call_is_known(const struct mpl_events *events, uint32_t location,
                       const struct mpl_call *call, const struct mpl_call_records *records);

/* Empty; lives in \p arena. NULL when out of memory. */
struct mpl_kept_sections *mpl_kept_sections_create(struct mpl_arena *arena);

/* The stages, in order. */
enum mpl_status mpl_regions_classify(struct mpl_events *events, struct mpl_err *err);
/* With gaps also what lies between calls; that can be added later by asking again. */
enum mpl_status mpl_calls_create(struct mpl_events *events, bool with_gaps,
                                 struct mpl_err *err);
/*
 * Per message end, by its global number: when the call was entered that posts the other end; INT64_MAX: that call is
 * not recorded, or there is no other end. NULL when out of memory.
 */
int64_t *mpl_posts_find(const struct mpl_events *events, struct mpl_arena *arena);
void mpl_waits_p2p(struct mpl_events *events, const int64_t *posted_ticks,
                   struct mpl_wrong_order *wrong);
void mpl_waits_coll(struct mpl_events *events);
/* Per collective instance: when nothing holds it up any more; INT64_MAX: nobody can say. NULL without
 * memory. */
int64_t *mpl_stalls_prepare(const struct mpl_events *events, struct mpl_arena *arena);
/* Adds the stalls in calls \p first to \p end - 1 of a location to its totals. */
void mpl_stalls_sum(const struct mpl_events *events, const int64_t *instance_due,
                    const int64_t *posted_ticks, uint32_t location, uint32_t first,
                    uint32_t end);
/* \p posted_ticks: as mpl_posts_find() says; NULL: not known yet. */
enum mpl_status mpl_totals_create(struct mpl_events *events,
                                  const struct mpl_wrong_order *wrong,
                                  const int64_t *posted_ticks, struct mpl_err *err);

#endif
