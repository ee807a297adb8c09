/*
 * The shape of mpl_events inside its folder: per location the calls, see events.h; what lies
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
        return mpl_call_class(lane, call) == MPL_SPAN_STARTUP ? MPL_SPAN_STARTUP
                                                              : MPL_SPAN_COMPUTE;
    }
    return call > 0 && mpl_call_class(lane, call - 1) == MPL_SPAN_SHUTDOWN
               ? MPL_SPAN_SHUTDOWN
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
        ticks -= mpl_call_duration_ticks(lane, k);
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
    return call->class == MPL_SPAN_P2P && call->parts == MPL_PARTS_NONE &&
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
/* Begins to bring the times of a call and its block from memory. */
static inline void mpl_call_prefetch(const struct mpl_lane *lane, uint32_t call)
{
    mpl_prefetch(&lane->times[call]);
    mpl_prefetch(mpl_call_block_of(lane, call));
}
/* Sets what a call waits for; \p ticks are at most its duration, \p culprit may be MPL_NONE. */
void mpl_call_set_wait(struct mpl_lane *lane, uint32_t call, int64_t ticks,
                       enum mpl_wait_kind kind, uint32_t culprit);

/* The message ends of a call of \p lane. */
static inline struct mpl_messages mpl_call_messages(const struct mpl_lane *lane,
                                                    const struct mpl_call *call)
{
    if (call->parts == MPL_PARTS_LIST) {
        const uint32_t *list = &lane->list[call->first];

        return (struct mpl_messages){ list + 2, list[2], list[0] };
    }
    return (struct mpl_messages){ NULL, call->first,
                                  call->parts == MPL_PARTS_MESSAGES
                                      ? call->n_more + UINT32_C(1)
                                      : 0 };
}

/* Its collective part; MPL_NONE if it has none. */
static inline uint32_t mpl_call_collective(const struct mpl_lane *lane,
                                           const struct mpl_call *call)
{
    return call->parts == MPL_PARTS_COLLECTIVE ? call->first
           : call->parts == MPL_PARTS_LIST     ? lane->list[call->first + 1]
                                               : MPL_NONE;
}

/* Makes the calls of one location after the other. */
struct mpl_call_maker {
    struct mpl_buf times;                            /* struct mpl_call_times */
    struct mpl_buf base;                             /* int64_t, see struct mpl_lane */
    struct mpl_buf waits;                            /* struct mpl_call_wait */
    struct mpl_buf blocks;                           /* struct mpl_call_block */
    struct mpl_buf longs;                            /* struct mpl_long_call */
    struct mpl_distinct forms;                       /* of whole blocks */
    struct mpl_call_form block[MPL_CALLS_PER_BLOCK]; /* of the last one, not whole yet */
    bool is_open;                                    /* there is such a one */
    uint32_t n_calls;
    uint32_t most; /* calls there can hardly be more than */
};

struct mpl_call_maker mpl_call_maker_make(void);
void mpl_call_maker_free(struct mpl_call_maker *maker);
/* Begins with a location that hardly has more calls than \p most. */
void mpl_calls_begin(struct mpl_call_maker *maker, uint32_t most);
/* When a call begins, how long it takes, and how much of that it waits. */
struct mpl_call_ticks {
    int64_t enter;
    int64_t duration;
    int64_t wait;
};
/* Adds a call. False when out of memory. */
bool mpl_call_add(struct mpl_call_maker *maker, const struct mpl_call *call,
                  const struct mpl_call_ticks *ticks);
/* Completes the last block, if it is not. False when out of memory. */
bool mpl_calls_end_block(struct mpl_call_maker *maker);
/* Adds a whole block behind complete ones; it lacks times, waits and what parts are counted from. NULL when out of memory. */
struct mpl_call_block *mpl_calls_add_block(struct mpl_call_maker *maker, uint32_t form,
                                           uint32_t enter, int64_t enter_ticks);
/*
 * Moves the calls into \p lane, always in the same arena. Where it has calls already, they must be the same but for their
 * forms, and what is made takes their place. From here on they may share their times with the records of \p loc, unless that
 * is NULL. False when out of memory.
 */
bool mpl_calls_keep(struct mpl_call_maker *maker, struct mpl_lane *lane,
                    struct mpl_location *loc, struct mpl_arena *arena);
/*
 * Sets what a call has: the messages at \p list + 2, of which there are \p n, and a collective or MPL_NONE. Returns
 * whether it needs the list, which stands at \p place and whose first two words are filled then.
 */
bool mpl_call_set_parts(struct mpl_call *call, uint32_t *list, uint32_t place, uint32_t n,
                        uint32_t collective);
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
/* \p model: of the events, to share times with; NULL where that has been done. */
enum mpl_status mpl_calls_create(struct mpl_events *events, struct mpl_model *model,
                                 bool with_gaps, struct mpl_err *err);
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
/* Looks for stalls in the calls of a location. */
struct mpl_stall_walk {
    const struct mpl_events *events;
    const int64_t *instance_due; /* per instance, see mpl_stalls_prepare() */
    const int64_t *posted_ticks; /* per message, see mpl_posts_find() */
    uint32_t location;
    const struct mpl_location *loc;
    const struct mpl_lane *lane;
    struct mpl_totals *totals;
    int64_t
        short_ticks; /* a little less than a stall takes: so short ones need no division */
};
struct mpl_stall_walk mpl_stalls_begin(const struct mpl_events *events,
                                       const int64_t *instance_due,
                                       const int64_t *posted_ticks, uint32_t location);
/* Adds a call to the location's totals. */
void mpl_stalls_add(const struct mpl_stall_walk *w, const struct mpl_call *call,
                    int64_t enter, int64_t leave);
/* \p posted_ticks: as mpl_posts_find() says; NULL: not known yet. */
enum mpl_status mpl_totals_create(struct mpl_events *events,
                                  const struct mpl_wrong_order *wrong,
                                  const int64_t *posted_ticks, struct mpl_err *err);

#endif
