/*
 * The shape of mpl_events inside its folder: per location the calls, in 28 bytes each; what lies
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

/*
 * 28 bytes: a trace of enter, send, leave has a call in every third event. The ticks are split
 * in two words because a 64-bit member would round the size up to 32.
 */
struct mpl_call {
    uint32_t enter; /* record that opens it: ENTER, FLUSH_BEGIN, OFF, or the first event */
    uint32_t leave; /* record that closes it, or the last event */
    uint32_t ticks[2]; /* waiting time */
    uint32_t culprit;
    uint32_t first;           /* see enum mpl_call_parts */
    unsigned gap_region : 23; /* of the gap before it; CALL_REGION_NONE for none */
    unsigned class : 3;
    unsigned wait_kind : 3;
    unsigned is_wait_known : 1;
    unsigned parts : 2;
};

static inline int64_t mpl_call_ticks(const struct mpl_call *call)
{
    return (int64_t) ((uint64_t) call->ticks[1] << 32 | call->ticks[0]);
}

static inline void mpl_call_set_ticks(struct mpl_call *call, int64_t ticks)
{
    call->ticks[0] = (uint32_t) ((uint64_t) ticks & UINT32_MAX);
    call->ticks[1] = (uint32_t) ((uint64_t) ticks >> 32);
}

/* One location. */
struct mpl_lane {
    struct mpl_call *calls;
    uint32_t n_calls;
    uint32_t rest_region;      /* of the gap behind the last call */
    uint32_t *call_of_message; /* MPL_NONE: recorded outside any call, or never completed */
    uint32_t *call_of_collective; /* the call with its end, else with its begin */
    const uint32_t *list;         /* see PARTS_LIST */
    uint32_t first_init; /* record that enters MPI_Init; MPL_NONE if there is none */
    const struct mpl_region_time *regions;
    uint32_t n_regions;
};

struct mpl_events {
    struct mpl_events *self; /* itself, for mpl_events_complete() */
    const struct mpl_model *model;
    const struct mpl_match *match;
    const struct mpl_clock *clock;
    struct mpl_arena *arena;
    struct mpl_precedences *precedences; /* a part has those of the whole run */
    const struct mpl_region_use *use;    /* per region */
    uint32_t *locate;      /* global message number >> locate_shift to a location … */
    unsigned locate_shift; /* … at or before that of the message */
    struct mpl_lane *lanes;
    bool *is_called;           /* per region: there is a call of MPI of it */
    struct mpl_totals *totals; /* NULL: there are calls, and nothing else yet */
    struct mpl_edge *edges;
    uint32_t n_edges;
    struct mpl_coll_wait *coll_waits;
    int64_t startup_end_ticks; /* where MPI_Init is not recorded; else INT64_MIN */
    int64_t window_begin_ticks;
    int64_t window_end_ticks;
    const bool *processes; /* of a part: which belong to it; NULL for a whole run */
};

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

/* The time of a record. Calls begin and end not before the end of start-up, so that what lies before
 * takes no time and waits for nobody. */
static inline int64_t mpl_time_of(const struct mpl_events *events,
                                  const struct mpl_location *loc, uint32_t event)
{
    const int64_t ticks = loc->time_ticks[event];

    return ticks > events->startup_end_ticks ? ticks : events->startup_end_ticks;
}

/* What the region of a call means; one without a region never waits. */
static inline struct mpl_region_use mpl_call_use(const struct mpl_events *events,
                                                 const struct mpl_location *loc,
                                                 const struct mpl_call *call)
{
    if (loc->kind[call->enter] != MPL_EV_ENTER) {
        return (struct mpl_region_use){ .role = ROLE_CALL, .class = MPL_SPAN_OTHER };
    }
    return events->use[loc->ref[call->enter]];
}

/* The region of a call; MPL_NONE for buffer flushes and off times. */
static inline uint32_t mpl_call_region(const struct mpl_events *events, uint32_t location,
                                       const struct mpl_call *call)
{
    const struct mpl_location *loc = &events->model->locations[location];

    if (call->class == MPL_SPAN_STARTUP) {
        const uint32_t init = events->lanes[location].first_init;

        return init == MPL_NONE ? MPL_NONE : loc->ref[init];
    }
    return loc->kind[call->enter] == MPL_EV_ENTER ? loc->ref[call->enter] : MPL_NONE;
}

/* Who goes through calls in their order asks for records that are far from each other: those of a later call are on their way
   meanwhile. MPL_NONE: there is none. */
enum { MPL_CALLS_AHEAD = 16 };
static inline uint32_t mpl_call_ahead(const struct mpl_lane *lane, uint32_t call)
{
    return call + MPL_CALLS_AHEAD < lane->n_calls
               ? lane->calls[call + MPL_CALLS_AHEAD].enter
               : MPL_NONE;
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

static inline bool mpl_call_is_probe(const struct mpl_events *events,
                                     const struct mpl_location *loc,
                                     const struct mpl_call *call)
{
    return call->class == MPL_SPAN_P2P && call->parts == PARTS_NONE &&
           mpl_call_use(events, loc, call).block == BLOCK_PROBE;
}

/* The other end of the message with that global number, not MPL_NONE. */
static inline struct mpl_end mpl_other_end(const struct mpl_events *events, uint32_t number)
{
    const uint32_t *first = events->match->first_number;
    uint32_t l = events->locate[number >> events->locate_shift];

    while (number >= first[l + 1]) {
        l++;
    }
    return (struct mpl_end){ l, number - first[l] };
}

/* The call that holds record \p event, or MPL_NONE. Cost: logarithmic. */
uint32_t mpl_call_find(const struct mpl_events *events, uint32_t location, uint32_t event);
/* The call that posts the receive of a message end; MPL_NONE where that is not recorded. */
uint32_t mpl_receive_post_call(const struct mpl_events *events, struct mpl_end end);
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

/* The stages, in order. */
enum mpl_status mpl_regions_classify(struct mpl_events *events, struct mpl_err *err);
enum mpl_status mpl_locate_create(struct mpl_events *events, struct mpl_err *err);
/* With gaps also what lies between calls; that can be added later by asking again. */
enum mpl_status mpl_calls_create(struct mpl_events *events, bool with_gaps,
                                 struct mpl_err *err);
void mpl_waits_p2p(struct mpl_events *events, struct mpl_wrong_order *wrong);
void mpl_waits_coll(struct mpl_events *events);
/* Per collective instance: when nothing holds it up any more; INT64_MAX: nobody can say. NULL without
 * memory. */
int64_t *mpl_stalls_prepare(const struct mpl_events *events, struct mpl_arena *arena);
/* Adds the stalls of a location to its totals. */
void mpl_stalls_sum(const struct mpl_events *events, const int64_t *instance_due,
                    uint32_t location, struct mpl_totals *totals);
enum mpl_status mpl_totals_create(struct mpl_events *events,
                                  const struct mpl_wrong_order *wrong, struct mpl_err *err);

#endif
