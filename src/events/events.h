/*
 * Takes:        a model on one time line, pairs and instances.
 * Makes:        spans (what each location does, without gaps), what each waits for and for whom,
 *               totals per location, the communication topology.
 * Leaves alone: patterns; this is what a pattern may name.
 */
#ifndef MPL_EVENTS_EVENTS_H
#define MPL_EVENTS_EVENTS_H

#include "causality/causality.h"
#include "clock/clock.h"

/** Each moment of a location is in exactly one span, each span in exactly one class. */
enum mpl_span_class {
    MPL_SPAN_COMPUTE,
    MPL_SPAN_P2P, /**< Sends, receives, waits, tests, probes. */
    MPL_SPAN_COLLECTIVE,
    /** Other MPI calls, thread synchronisation, worker threads between two parallel regions, buffer
        flushes, off times. */
    MPL_SPAN_OTHER,
    /** Everything until MPI_Init is left; where that is not recorded, until the last process has begun
        (in text traces nothing). */
    MPL_SPAN_STARTUP,
    MPL_SPAN_SHUTDOWN, /**< Everything from entering MPI_Finalize, or EZTrace's end of a process. */
    MPL_SPAN_CLASSES
};

/** Scalasca's wait states. */
enum mpl_wait_kind {
    MPL_WAIT_NONE,
    MPL_WAIT_LATE_SENDER, /**< Receive or wait entered before the matching send. */
    /** Synchronous or rendezvous send held until the receive is posted. */
    MPL_WAIT_LATE_RECEIVER,
    MPL_WAIT_BARRIER, /**< From own enter to the last enter. */
    MPL_WAIT_N_TO_N,
    MPL_WAIT_LATE_BROADCAST, /**< 1-to-N: until the root enters. */
    MPL_WAIT_EARLY_REDUCE,   /**< N-to-1: the root until the last sender enters. */
    MPL_WAIT_EARLY_SCAN,
    MPL_WAIT_KINDS
};
/** "late-sender", "wait-at-barrier", … */
const char *mpl_wait_kind_name(enum mpl_wait_kind kind);

/**
 * One stretch of a location's time. Spans of a location are numbered 0 … n-1 in order of time;
 * even numbers are what lies between calls (compute), odd ones are calls (MPI and others), so
 * spans 2k and 2k+1 touch. A compute span may be empty. Start-up and shut-down are one call each,
 * and the empty spans before and behind them are of the same class. Calls that are over when the last
 * process begins (see MPL_SPAN_STARTUP) are empty spans at that moment, others begin not before it.
 * A location without events has no spans.
 */
struct mpl_span {
    enum mpl_span_class class;
    enum mpl_wait_kind wait_kind;
    bool is_wait_known; /**< False where the trace lacks the partner: wait is then 0. */
    int64_t enter_ticks;
    int64_t leave_ticks;
    int64_t wait_ticks; /**< 0 <= wait <= leave - enter. */
    uint32_t culprit;   /**< Location waited for; MPL_NONE when nobody. */
    /** The call's region; for compute the user region with most exclusive time in it. MPL_NONE when
        none is recorded. */
    uint32_t region;
    /** First message end that is posted (sends, blocking receives) or completed (waits) here;
        MPL_NONE when there is none. A send is in the call that posts it, not in the one that waits
        for its completion. */
    uint32_t first_message;
    uint32_t n_messages; /**< Message ends in this call: see mpl_events_message(). */
    uint32_t collective; /**< Index into the location's collectives, or MPL_NONE. */
};

/** Seconds of one location by class and wait kind. They add up to its time in the run. */
struct mpl_totals {
    double class_s[MPL_SPAN_CLASSES];
    double wait_s[MPL_WAIT_KINDS];    /**< Own waiting time, part of p2p or collective. */
    uint64_t n_waits[MPL_WAIT_KINDS]; /**< Instances with a wait above 0. */
    double caused_s[MPL_WAIT_KINDS];  /**< Waiting of others for this location. */
    double wrong_order_s; /**< Part of late sender: another message was ready. */
    double
        ready_s; /**< Of that, with the other there, beyond message time and clock error. */
    uint64_t n_wrong_order; /**< Waits with that. */
    double unknown_s;       /**< In calls with is_wait_known false, whole durations. */
    double total_s;         /**< First to last event of the location. */
    uint64_t n_calls;       /**< MPI calls without start-up and shut-down. */
    uint64_t
        n_unseen; /**< Of these MPI_Sendrecv and its like without a record of a message. */
    /** Time by which calls outlast the moment from which on nothing holds them up, where that is a
        millisecond or more: somebody who has to go on has no core. See stalls.c. */
    double stalled_s;
    double
        asking_s; /**< Between calls that ask one after the other, and get no answer: part of computation. */
    double device_wait_s;         /**< In calls that wait for an accelerator, */
    double thread_wait_s;         /**< and for other threads: barriers, locks, joins. */
    uint64_t n_asks;              /**< Such calls. */
    uint64_t n_stalled;           /**< Calls that are stalled, */
    uint64_t n_prompt;            /**< of those for which that moment is known. */
    uint64_t n_sends, n_receives; /**< Message ends, matched or not, without PROC_NULL. */
    uint64_t sent_bytes, received_bytes;
    uint64_t n_collectives;
};

/** Traffic from one process to another: an edge of the communication topology. */
struct mpl_edge {
    uint32_t from, to; /**< Process indices. */
    uint64_t messages;
    uint64_t bytes;
    double wait_s; /**< Late-sender waiting of `to` for `from`. */
};

/** Exclusive time of a user region on a location, in compute spans only. */
struct mpl_region_time {
    uint32_t region;
    double exclusive_s;
    uint64_t visits;
};

/* ---- calls as they are stored ---------------------------------------------------- */

enum {
    MPL_CALL_REGION_FAR =
        UINT16_MAX - 1, /**< Its number does not fit: the record has it. */
    MPL_CALL_NO_REGION = UINT16_MAX,
    MPL_CALL_NOBODY = (1 << 28) - 1, /**< As a culprit. Locations are fewer. */
    MPL_CALL_NO_GAP = (1 << 23) - 1, /**< As a region of a gap: there is none. */
    MPL_CALL_RUN_MOST = 16,          /**< Consecutive messages. */
};
/** What `first` of a call is. */
enum mpl_call_parts {
    MPL_PARTS_NONE,
    MPL_PARTS_MESSAGES,   /**< The first of its message ends, which are consecutive. */
    MPL_PARTS_COLLECTIVE, /**< The only collective part. */
    /** Place in the lane's list: n messages, collective or MPL_NONE, messages. */
    MPL_PARTS_LIST,
    MPL_PARTS_KINDS
};

/** A call as it is made, and as mpl_call_get() puts it together again. */
struct mpl_call {
    uint32_t
        enter; /**< Record that opens it: ENTER, FLUSH_BEGIN, OFF, or the first event. */
    uint32_t leave; /**< The one that closes it, or the last event. */
    uint32_t culprit;
    uint32_t first;      /**< See enum mpl_call_parts; MPL_NONE without any. */
    uint32_t gap_region; /**< Of the gap before it; MPL_CALL_NO_GAP: none. */
    uint16_t region;     /**< Of the record that opens it. */
    uint8_t class;       /**< enum mpl_span_class */
    uint8_t wait_kind;   /**< enum mpl_wait_kind */
    uint8_t parts;       /**< enum mpl_call_parts */
    uint8_t n_more;      /**< Messages behind the first one, of MPL_PARTS_MESSAGES. */
    bool is_wait_known;
};

/**
 * Calls are stored in three parts. Two differ from call to call: struct mpl_call_times, and this: how much of its time a call waits,
 * and for whom. Ticks that do not fit in 32 bits stand elsewhere, see the functions below.
 */
struct mpl_call_wait {
    uint32_t ticks; /**< MPL_CALL_FAR: it is a long call. */
    unsigned culprit : 28;
    unsigned kind : 3;
    unsigned is_known : 1;
};

/**
 * The third part: what it does. Loops do the same again and again, so of blocks of calls that do the same it is kept once.
 * Hence nothing here may grow from block to block: places are counted from those in struct mpl_call_block, without sign.
 */
struct mpl_call_form {
    uint32_t enter;
    uint32_t first;
    uint16_t region;
    uint16_t n_records; /**< From enter to leave; UINT16_MAX: it is a long call. */
    unsigned gap_region : 23;
    unsigned class : 3;
    unsigned parts : 2;
    unsigned n_more : 4; /**< Messages behind the first one. */
};

/** MPL_CALLS_PER_BLOCK calls, of the last block perhaps fewer. */
struct mpl_call_block {
    uint32_t enter;                  /**< Of its first call. */
    uint32_t form;                   /**< Of the lane's forms, that of its first call. */
    uint32_t first[MPL_PARTS_KINDS]; /**< By parts: of its first call with such. */
};

/** A call of 4,294,967,295 ticks or more, or of more than 65,535 records. */
struct mpl_long_call {
    uint32_t call;
    uint32_t leave; /**< Record that closes it. */
    int64_t duration_ticks;
    int64_t wait_ticks;
};

/** The calls of one location. */
struct mpl_lane {
    struct mpl_call_times *times; /**< The model's, where they are shared with records. */
    int64_t *base;                /**< Per block: when its first call begins. Likewise. */
    struct mpl_call_wait *waits;
    struct mpl_call_block *blocks; /**< One per MPL_CALLS_PER_BLOCK calls. */
    struct mpl_call_form *forms;   /**< n_forms blocks. */
    uint32_t n_forms;
    uint32_t n_calls;
    uint32_t n_longs;
    struct mpl_long_call *longs; /**< Ascending by call. */
    uint32_t rest_region;        /**< Of the gap behind the last call. */
    uint32_t
        *call_of_message; /**< MPL_NONE: recorded outside any call, or never completed. */
    uint32_t
        *post_of_message; /**< The call that sends it or posts its receive; MPL_NONE: not
                                   recorded. The same array where no receive is posted ahead. */
    uint32_t *call_of_collective; /**< The call with its end, else with its begin. */
    const uint32_t *list;         /**< See MPL_PARTS_LIST. */
    uint32_t first_init; /**< Record that enters MPI_Init; MPL_NONE if there is none. */
    const struct mpl_region_time *regions;
    uint32_t n_regions;
};

struct mpl_kept_sections;
struct mpl_region_use;
struct mpl_totals;

/** Shown for the functions that are asked for millions of calls; nobody else looks inside. */
struct mpl_events {
    struct mpl_events *self; /**< Itself, for mpl_events_complete(). */
    const struct mpl_model *model;
    const struct mpl_match *match;
    const struct mpl_clock *clock;
    struct mpl_arena *arena;
    struct mpl_precedences *precedences; /**< A part has those of the whole run. */
    struct mpl_kept_sections *sections;  /**< For mpl_events_sections(). */
    const struct mpl_region_use *use;    /**< Per region. */
    struct mpl_lane *lanes;
    bool *is_called;           /**< Per region: there is a call of MPI of it. */
    struct mpl_totals *totals; /**< NULL: there are calls, and nothing else yet. */
    struct mpl_edge *edges;
    uint32_t n_edges;
    struct mpl_coll_wait *coll_waits;
    int64_t startup_end_ticks; /**< Where MPI_Init is not recorded; else INT64_MIN. */
    int64_t window_begin_ticks;
    int64_t window_end_ticks;
    const bool *processes; /**< Of a part: which belong to it; NULL for a whole run. */
};

/** The time of a record. Calls begin and end not before the end of start-up, so that what lies before
 *  takes no time and waits for nobody. */
static inline int64_t mpl_time_of(const struct mpl_events *events,
                                  const struct mpl_location *loc, uint32_t event)
{
    const int64_t ticks = mpl_ticks_of(loc, event);

    return ticks > events->startup_end_ticks ? ticks : events->startup_end_ticks;
}

/** The entry of a long call, which must exist. Cost: logarithmic. */
__attribute__((pure)) const struct mpl_long_call *mpl_call_long(const struct mpl_lane *lane,
                                                                uint32_t call);

static inline const struct mpl_call_block *mpl_call_block_of(const struct mpl_lane *lane,
                                                             uint32_t call)
{
    return &lane->blocks[call / MPL_CALLS_PER_BLOCK];
}

static inline const struct mpl_call_form *mpl_call_form_of(const struct mpl_lane *lane,
                                                           uint32_t call)
{
    return &lane->forms[mpl_call_block_of(lane, call)->form + call % MPL_CALLS_PER_BLOCK];
}

/** The record that opens a call. */
static inline uint32_t mpl_call_enter(const struct mpl_lane *lane, uint32_t call)
{
    return mpl_call_block_of(lane, call)->enter + mpl_call_form_of(lane, call)->enter;
}

/** The record that closes a call. */
static inline uint32_t mpl_call_leave(const struct mpl_lane *lane, uint32_t call)
{
    const uint16_t n_records = mpl_call_form_of(lane, call)->n_records;

    return n_records < UINT16_MAX ? mpl_call_enter(lane, call) + n_records
                                  : mpl_call_long(lane, call)->leave;
}

static inline enum mpl_span_class mpl_call_class(const struct mpl_lane *lane, uint32_t call)
{
    return (enum mpl_span_class) mpl_call_form_of(lane, call)->class;
}

/** Whom it waits for; MPL_NONE: nobody. */
static inline uint32_t mpl_call_culprit(const struct mpl_lane *lane, uint32_t call)
{
    const uint32_t culprit = lane->waits[call].culprit;

    return culprit == MPL_CALL_NOBODY ? MPL_NONE : culprit;
}

/** All of a call but its times. What of it nobody looks at costs nothing, hence inline. */
static inline __attribute__((always_inline)) struct mpl_call
mpl_call_get(const struct mpl_lane *lane, uint32_t call)
{
    const struct mpl_call_wait *wait = &lane->waits[call];
    const struct mpl_call_block *block = mpl_call_block_of(lane, call);
    const struct mpl_call_form *form = mpl_call_form_of(lane, call);
    const uint32_t enter = block->enter + form->enter;

    return (struct mpl_call){
        .enter = enter,
        .leave = form->n_records < UINT16_MAX ? enter + form->n_records
                                              : mpl_call_long(lane, call)->leave,
        .culprit = mpl_call_culprit(lane, call),
        .first = block->first[form->parts] + form->first,
        .gap_region = form->gap_region,
        .region = form->region,
        .class = form->class,
        .wait_kind = wait->kind,
        .parts = form->parts,
        .n_more = form->n_more,
        .is_wait_known = wait->is_known,
    };
}

/** When the record is that opens a call. */
int64_t mpl_call_far_ticks(const struct mpl_events *events, uint32_t location,
                           uint32_t call);

/** Times of calls, those of their records; of start-up, see mpl_events_enter_ticks(). */
static inline int64_t mpl_call_enter_ticks(const struct mpl_events *events,
                                           uint32_t location, uint32_t call)
{
    const struct mpl_lane *lane = &events->lanes[location];
    const uint32_t begin_ticks = lane->times[call].begin_ticks;

    return begin_ticks != MPL_CALL_FAR
               ? lane->base[call / MPL_CALLS_PER_BLOCK] + begin_ticks
               : mpl_call_far_ticks(events, location, call);
}

static inline int64_t mpl_call_duration_ticks(const struct mpl_lane *lane, uint32_t call)
{
    const uint32_t ticks = lane->times[call].duration_ticks;

    return ticks != MPL_CALL_FAR ? ticks : mpl_call_long(lane, call)->duration_ticks;
}

static inline int64_t mpl_call_leave_ticks(const struct mpl_events *events,
                                           uint32_t location, uint32_t call)
{
    return mpl_call_enter_ticks(events, location, call) +
           mpl_call_duration_ticks(&events->lanes[location], call);
}

static inline int64_t mpl_call_wait_ticks(const struct mpl_lane *lane, uint32_t call)
{
    const uint32_t ticks = lane->waits[call].ticks;

    return ticks != MPL_CALL_FAR ? ticks : mpl_call_long(lane, call)->wait_ticks;
}

/* ---- making them ------------------------------------------------------------------- */

/**
 * Builds spans, waits, totals and topology.
 *
 * Ownership: lives in \p arena and points into model, match and clock. Calls and the records that open and close them share their
 *            times, which stay the model's and may be written no more.
 * Errors:    MPL_E_NOMEM only.
 * Cost:      linear in events; per call 10 bytes, 8 more where times cannot be shared, and up to 16 more where few calls repeat
 *            others; 4 to 8 per message end and
 *            collective part.
 */
enum mpl_status mpl_events_create(struct mpl_model *model, const struct mpl_match *match,
                                  const struct mpl_clock *clock, struct mpl_arena *arena,
                                  const struct mpl_events **out, struct mpl_err *err);

/**
 * Only the calls, and how to ask for them and their messages: no waits, no totals, no topology, and no regions of
 * what lies between calls. For who compares what runs call; the rest may be added later, and must be before
 * anything else is asked.
 *
 * Ownership, errors: as mpl_events_create(). Cost: linear in events, a third of it.
 */
enum mpl_status mpl_events_create_calls(struct mpl_model *model,
                                        const struct mpl_match *match,
                                        const struct mpl_clock *clock,
                                        struct mpl_arena *arena,
                                        const struct mpl_events **out, struct mpl_err *err);
/**
 * Adds what mpl_events_create() makes and mpl_events_create_calls() does not; nothing is left to add if it is there.
 * Errors: MPL_E_NOMEM; nothing may be asked then but for completing again.
 */
enum mpl_status mpl_events_complete(const struct mpl_events *events, struct mpl_err *err);

/** What of a run is to be looked at. */
struct mpl_part {
    const bool *processes; /**< Per process; NULL: all. */
    const bool
        *comms; /**< Per communicator, whose messages and collectives count; NULL: all. */
    /** A message belongs to the time in which it is sent, a collective to that in which it ends.
        Beyond the window of the run: no limit. */
    int64_t begin_ticks;
    int64_t end_ticks;
    /** Where locations come to the part, and leave it, at different times: per location the first
        record that belongs to it, and the first behind it. NULL: by the times above, which are the
        window all the same. */
    const uint32_t *first_record;
    const uint32_t *end_record;
};
/**
 * The part of \p events as a run of its own. Calls of what is left out become part of the
 * computation around them; locations that are left out have no calls and no messages. Waits are
 * those of the whole. Totals, edges and delays are the part's; of messages received in the wrong
 * order an upper bound is known.
 *
 * Ownership: lives in \p arena, borrows \p events, copies \p part.
 * Errors:    MPL_E_NOMEM only.
 * Cost:      as mpl_events_create() without its walk over the records.
 */
enum mpl_status mpl_events_part(const struct mpl_events *events,
                                const struct mpl_part *part, struct mpl_arena *arena,
                                const struct mpl_events **out, struct mpl_err *err);
/** Whether these are a part; of a whole run everything belongs to it. */
bool mpl_events_is_part(const struct mpl_events *events);
bool mpl_events_has_process(const struct mpl_events *events, uint32_t process);
static inline bool mpl_events_has_message(const struct mpl_events *events,
                                          uint32_t location, uint32_t message)
{
    return events->processes == NULL ||
           events->lanes[location].call_of_message[message] != MPL_NONE;
}
bool mpl_events_has_collective(const struct mpl_events *events, uint32_t location,
                               uint32_t collective);

const struct mpl_model *mpl_events_model(const struct mpl_events *events);
const struct mpl_match *mpl_events_match(const struct mpl_events *events);
const struct mpl_clock *mpl_events_clock(const struct mpl_events *events);
/** Who was first in the run that these are, or are a part of; made when somebody asks. */
struct mpl_precedences *mpl_events_precedences(const struct mpl_events *events);
/** The records of spans \p first to \p last, to ask what came before them. A computation is what
 *  lies between two calls, without the records that enter and leave them. */
struct mpl_stretch mpl_events_stretch(const struct mpl_events *events, uint32_t location,
                                      uint32_t first, uint32_t last);

uint32_t mpl_events_span_count(const struct mpl_events *events, uint32_t location);
struct mpl_span mpl_events_span(const struct mpl_events *events, uint32_t location,
                                uint32_t span);
/** The region of the computation before call \p call, or behind the last one: that of its span. */
static inline uint32_t mpl_events_gap_region(const struct mpl_events *events,
                                             uint32_t location, uint32_t call)
{
    const struct mpl_lane *lane = &events->lanes[location];
    const uint32_t region = call == lane->n_calls
                                ? lane->rest_region
                                : mpl_call_form_of(lane, call)->gap_region;

    return region == MPL_CALL_NO_GAP ? MPL_NONE : region;
}
/** The begin of span 0, and the end of the last one. */
int64_t mpl_events_first_ticks(const struct mpl_events *events, uint32_t location);
int64_t mpl_events_last_ticks(const struct mpl_events *events, uint32_t location);
/** The field of mpl_events_span() of that name, at a fraction of the cost; the span must exist. */
static inline int64_t mpl_events_enter_ticks(const struct mpl_events *events,
                                             uint32_t location, uint32_t span)
{
    /* Start-up, the first call if it is recorded, begins with the first event. */
    if (span == 0 ||
        (span == 1 && mpl_call_class(&events->lanes[location], 0) == MPL_SPAN_STARTUP)) {
        return mpl_events_first_ticks(events, location);
    }
    return span % 2 != 0 ? mpl_call_enter_ticks(events, location, span / 2)
                         : mpl_call_leave_ticks(events, location, span / 2 - 1);
}
static inline int64_t mpl_events_leave_ticks(const struct mpl_events *events,
                                             uint32_t location, uint32_t span)
{
    if (span % 2 != 0) {
        return mpl_call_leave_ticks(events, location, span / 2);
    }
    return span / 2 == events->lanes[location].n_calls
               ? mpl_events_last_ticks(events, location)
               : mpl_events_enter_ticks(events, location, span + 1);
}
/** How long a span is: leave_ticks - enter_ticks. */
static inline int64_t mpl_events_duration_ticks(const struct mpl_events *events,
                                                uint32_t location, uint32_t span)
{
    const struct mpl_lane *lane = &events->lanes[location];

    return span % 2 != 0 && span > 1 ? mpl_call_duration_ticks(lane, span / 2)
                                     : mpl_events_leave_ticks(events, location, span) -
                                           mpl_events_enter_ticks(events, location, span);
}
static inline int64_t mpl_events_wait_ticks(const struct mpl_events *events,
                                            uint32_t location, uint32_t span)
{
    const struct mpl_lane *lane = &events->lanes[location];

    return span % 2 == 0 ? 0 : mpl_call_wait_ticks(lane, span / 2);
}
/** Whom a call waits for: culprit of its span. */
static inline uint32_t mpl_events_culprit(const struct mpl_events *events,
                                          uint32_t location, uint32_t call)
{
    return mpl_call_culprit(&events->lanes[location], call);
}
/** The message of a call that has no other record but those that enter and leave it; MPL_NONE for other calls. */
uint32_t mpl_events_sole_message(const struct mpl_events *events, uint32_t location,
                                 uint32_t call);
/** What a location computes: the time between its calls. Of calls alone, too. Cost: linear in its calls. */
double mpl_events_computed_s(const struct mpl_events *events, uint32_t location);
/** What a replay needs to know of a call, at a fraction of the cost of mpl_events_span(). */
struct mpl_call_view {
    uint32_t first_event; /**< Its records. */
    uint32_t last_event;
    uint32_t region; /**< MPL_NONE for buffer flushes and off times. */
    uint32_t culprit;
    int64_t wait_ticks;
    enum mpl_span_class class;
    enum mpl_call_mode mode;
    enum mpl_wait_kind wait_kind;
    bool is_mpi;   /**< A call of MPI; start-up and shut-down are. */
    bool is_probe; /**< Waits for the message that the next blocking receive takes. */
    bool is_wait_known;
    /** MPI_Isend, MPI_Irecv and their like, with no other record within than the one that posts the message; only
        mpl_events_calls() says so. */
    bool is_post;
};
/** Whether somebody calls it, and it is a call of MPI as above. A part says what the whole run calls. */
bool mpl_events_calls_region(const struct mpl_events *events, uint32_t region);
/** What a call is about, at a fraction of the cost of mpl_events_span(). */
struct mpl_call_about {
    uint32_t first_event;
    uint32_t region;        /**< As above, and so are first_event and is_probe. */
    uint32_t first_message; /**< As in struct mpl_span, and so are the two below. */
    uint32_t n_messages;
    uint32_t collective;
    bool is_probe;
};
void mpl_events_call_about(const struct mpl_events *events, uint32_t location,
                           uint32_t call, struct mpl_call_about *out);
/** The same but for first_event and is_probe, which are not set: most calls have the rest in their form, hence inline. */
static inline void mpl_events_call_gist(const struct mpl_events *events, uint32_t location,
                                        uint32_t call, struct mpl_call_about *out)
{
    const struct mpl_call of = mpl_call_get(&events->lanes[location], call);

    if (of.parts == MPL_PARTS_LIST || of.region >= MPL_CALL_REGION_FAR ||
        of.class == MPL_SPAN_STARTUP) {
        mpl_events_call_about(events, location, call, out);
        return;
    }
    out->region = of.region;
    out->n_messages = of.parts == MPL_PARTS_MESSAGES ? of.n_more + UINT32_C(1) : 0;
    out->first_message = of.parts == MPL_PARTS_MESSAGES ? of.first : MPL_NONE;
    out->collective = of.parts == MPL_PARTS_COLLECTIVE ? of.first : MPL_NONE;
}
/** Call \p call of a location is its span 2 * call + 1; there are mpl_events_call_count(). */
uint32_t mpl_events_call_count(const struct mpl_events *events, uint32_t location);
void mpl_events_call(const struct mpl_events *events, uint32_t location, uint32_t call,
                     struct mpl_call_view *out);
/** The same of call \p call and those behind it, as far as they are stored together: at least of one, of MPL_CALLS_PER_BLOCK
 *  at most. Of those that only post, nothing else is set than their records. Returns of how many. */
uint32_t mpl_events_calls(const struct mpl_events *events, uint32_t location, uint32_t call,
                          struct mpl_call_view *out);
/** The call that holds record \p event; MPL_NONE if none does. Cost: logarithmic. */
uint32_t mpl_events_call_of_event(const struct mpl_events *events, uint32_t location,
                                  uint32_t event);
/** The call in which a message of \p location is sent, or its receive is over; MPL_NONE if none is recorded around that. */
uint32_t mpl_events_call_of_message(const struct mpl_events *events, uint32_t location,
                                    uint32_t message);
/** Begins to bring what mpl_events_posting_call() looks up or, once that \p is_there, the call it finds. */
void mpl_events_fetch_posting(const struct mpl_events *events, uint32_t location,
                              uint32_t message, bool is_there);
/** The call that posts (sends, blocking receives, MPI_Irecv) the other end of a message of
 *  \p location, and whose; false where the message has no partner or that is not recorded. */
bool mpl_events_posting_call(const struct mpl_events *events, uint32_t location,
                             uint32_t message, uint32_t *other, uint32_t *call);

/** The \p i-th message end of a span (i < n_messages): its index in the location's messages. */
uint32_t mpl_events_message(const struct mpl_events *events, uint32_t location,
                            const struct mpl_span *span, uint32_t i);
/** The message ends of a call. */
struct mpl_messages {
    const uint32_t *list; /**< NULL: they are consecutive. */
    uint32_t first;
    uint32_t n;
};
static inline uint32_t mpl_messages_get(const struct mpl_messages *messages, uint32_t i)
{
    return messages->list == NULL ? messages->first + i : messages->list[i];
}
/** All of a call, in the order of mpl_events_message(). They live as long as \p events. */
struct mpl_messages mpl_events_messages(const struct mpl_events *events, uint32_t location,
                                        uint32_t call);
/**
 * The only message end of a span, MPL_NONE if it has none; false if it has several. For those who
 * ask for nothing else: mpl_events_span() makes much more.
 */
bool mpl_events_only_message(const struct mpl_events *events, uint32_t location,
                             uint32_t span, uint32_t *message);
/** What mpl_events_fetch() brings; each needs the one before. */
enum mpl_fetched { MPL_FETCHED_CALL, MPL_FETCHED_MESSAGE_BLOCK, MPL_FETCHED_MESSAGE };
/** Begins to bring the call of a span or its first message from memory; it does not wait for it. */
void mpl_events_fetch(const struct mpl_events *events, uint32_t location, uint32_t span,
                      enum mpl_fetched what);
/** The span in which message end \p message of \p location is posted (send) or completed
 *  (receive); MPL_NONE if in none. */
uint32_t mpl_events_span_of_message(const struct mpl_events *events, uint32_t location,
                                    uint32_t message);
/** Likewise for a collective part: the span in which it ends, or where its end is missing, begins. */
uint32_t mpl_events_span_of_collective(const struct mpl_events *events, uint32_t location,
                                       uint32_t collective);

const struct mpl_totals *mpl_events_totals(const struct mpl_events *events,
                                           uint32_t location);
/** Sorted by exclusive time, largest first. */
const struct mpl_region_time *mpl_events_regions(const struct mpl_events *events,
                                                 uint32_t location, uint32_t *n);
/** Sorted by (from, to). */
const struct mpl_edge *mpl_events_edges(const struct mpl_events *events, uint32_t *n);

/** Per collective instance: who entered last and how long the others waited for it. */
struct mpl_coll_wait {
    /** Location that entered last; where only the root is waited for, its location. */
    uint32_t last;
    double wait_s; /**< Sum over the participants. */
};
const struct mpl_coll_wait *mpl_events_coll_waits(const struct mpl_events *events);

/** How a part of a collective instance depends on the others; the waits follow from that. */
struct mpl_coll_need {
    bool is_needed; /**< Others wait for it; not for one that gives them nothing. */
    /** Waits for all others that are needed, of a scan for the lower ranks. False where it waits for
        nobody, and where parts that it needs are not recorded. */
    bool does_wait;
};
/** \p needs: per part of \p instance. Cost: linear in its parts. */
void mpl_events_coll_needs(const struct mpl_events *events, uint32_t instance,
                           struct mpl_coll_need *needs);

/** What a location costs the others in the end, by the kind of wait. Seconds. */
struct mpl_delay {
    double direct_s[MPL_WAIT_KINDS];   /**< Waits for it that are its own fault. */
    double indirect_s[MPL_WAIT_KINDS]; /**< Waits for others that had waited for it. */
    double passed_s[MPL_WAIT_KINDS]; /**< Of its own waits: the fault of others than whom it
                                            waited for (Scalasca's indirect waits). */
    double
        computed_s; /**< Of direct_s and indirect_s, of all kinds: because it computed longer;
                            the rest, because its communication took longer or it began late. */
    double
        in_turn_s; /**< Of computed_s: behind a wait of its own that is as long, while those who
                           wait for it compute nothing: they work one after the other. */
    uint32_t
        turn_after; /**< For whom it waited then, for most of in_turn_s; MPL_NONE: for nobody. */
};
/**
 * Root causes of waiting: delay costs (Böhme, Geimer, Wolf, Arnold: Identifying the Root Causes of
 * Wait States in Large-Scale Parallel Applications, ICPP 2010), one entry per location. Over all
 * locations direct_s + indirect_s is the waiting that has a culprit, of each kind nearly (a wait
 * inherits from waits of any kind), of all kinds together exactly.
 *
 * Ownership: the entries live in \p arena.
 * Errors:    MPL_E_NOMEM only.
 * Cost:      linear in events, and waits in the order of their end.
 */
enum mpl_status mpl_events_delays(const struct mpl_events *events, struct mpl_arena *arena,
                                  const struct mpl_delay **out, struct mpl_err *err);

/** Where a wait comes from. */
struct mpl_wait_origin {
    uint32_t location;
    uint32_t call;        /**< It waits in. */
    uint32_t origin;      /**< Location that was late by its own fault. */
    uint32_t origin_call; /**< Its call that was waited for; MPL_NONE: not recorded. */
    uint32_t hops; /**< Waits from there to this one; 1: it waits for the origin itself. */
    int64_t ticks; /**< That it waits. */
    int64_t end_ticks; /**< When that ends. */
};
/**
 * All waits with a culprit, location after location, ascending by call; and sends, or waits for their
 * completion, that are held while their receiver computes, although its receive is posted: without a
 * call to MPI the message makes no progress. A wait that is mostly its
 * culprit's own fault, as delay costs have it, begins there; any other goes back to the longest wait
 * of its culprit since the two last met. That one ended before, and its culprit went on to end this
 * one: so each wait comes after all that caused it, in the order of messages.
 *
 * Ownership: \p out lives in \p arena. Errors: MPL_E_NOMEM only.
 * Cost: waits times the logarithm of them, and for each the waits of its culprit since they met.
 */
enum mpl_status mpl_events_wait_origins(const struct mpl_events *events,
                                        struct mpl_arena *arena,
                                        const struct mpl_wait_origin **out, size_t *n,
                                        struct mpl_err *err);

/**
 * Per location, seconds of sends, or waits for their completion, that last while the receiver computes though
 * no wait is known: see mpl_events_wait_origins(). Small messages are held, too, where a library keeps no copy.
 *
 * Ownership: \p out_s lives in \p arena. Errors: MPL_E_NOMEM only. Cost: calls and records, and sends times the logarithm of calls.
 */
enum mpl_status mpl_events_held(const struct mpl_events *events, struct mpl_arena *arena,
                                const double **out_s, struct mpl_err *err);

/** How many processes compute at the same time, in the window. */
struct mpl_crowd {
    uint32_t most; /**< Never more, but for a fiftieth of the time. */
    double share;  /**< Of the time, in which so many do. */
    double alone;  /**< Of the time, in which exactly one does. */
    double pairs;  /**< Share of all pairs of processes that do so together. */
};
/**
 * \p *is_known is false of a single process, with threads, and of more than 256 processes or 2 million calls.
 * Errors: MPL_E_NOMEM. Cost: calls times the logarithm of processes, and times those that compute meanwhile.
 */
enum mpl_status mpl_events_crowd(const struct mpl_events *events, bool *is_known,
                                 struct mpl_crowd *out, struct mpl_err *err);

/** What a process does in the steps of a run. */
struct mpl_step_load {
    uint32_t location; /**< Its thread with most communication, whose computation counts. */
    double excess_s;   /**< Sum over steps of its computation above the step's mean. */
    uint32_t
        heaviest_steps; /**< Steps in which it computes longest; of several the first process. */
};

/** A part of a run in which each process is for about as long. Seconds. */
struct mpl_phase {
    double duration_s; /**< Mean over the processes. */
    double compute_s;  /**< Likewise, of their computation. */
    double longest_s;  /**< The longest computation of a process. */
};
/** Before the first step, in the steps, and behind the last one. */
enum mpl_phase_kind { MPL_PHASE_BEFORE, MPL_PHASE_STEPS, MPL_PHASE_AFTER, MPL_PHASES };

/**
 * The steps that all processes of a run take together: its iterations. Computation is taken per step
 * and process; what lies before the first and behind the last step is in none.
 */
struct mpl_steps {
    uint32_t n; /**< At least 4; 0: no common steps, and nothing below is of use. */
    struct mpl_phase
        phases[MPL_PHASES]; /**< Of the window, by the threads that communicate. */
    bool
        is_collective; /**< Between collectives of all; else between the messages of each. */
    uint32_t n_processes;
    /** Per process: the n + 1 calls of loads[process].location that bound its steps, ascending. Each
        is part of the step that it ends. */
    const uint32_t *const *calls;
    const int64_t *compute_ticks;      /**< [step * n_processes + process] */
    const struct mpl_step_load *loads; /**< Per process. */
    /** Mean over steps of max/mean - 1; NaN if nobody computes. Here and below without processes that
        compute next to nothing beside the median. */
    double imbalance;
    double cost_s;       /**< Sum over steps of processes * (max - mean). */
    double peers_cost_s; /**< What is waited if each process goes on when those that send it
                              messages are done with the step; cost_s where all meet. */
    double
        kept_s; /**< Of it, what is left when the steps of each process are added up first. */
    /** Mean rank correlation (Spearman) of neighbouring steps, -1 to 1; NaN where all are equal, or
        with a single process. Here and in the next two, steps in which nobody computes are left out. */
    double persistence;
    double
        heaviest_kept; /**< Share of steps whose heaviest process is that of the step before. */
    /** How well the heaviest process of a step says that of the next one, by what came behind it last
        time: Cohen's kappa, 0 by chance or worse, 1 in strict turns. NaN of a single process or step. */
    double heaviest_order;
    double
        trend; /**< Imbalance in the last quarter of the steps minus that in the first. */
    double
        slope_s; /**< By how much max - mean grows per step, from the first to the last quarter. */
};
/**
 * Finds the steps from the records alone. Where all processes take part in collectives, steps lie
 * between consecutive ones of the kind (communicator, operation, root) that recurs most often, if
 * it recurs regularly, counted in calls, not in time; else between the messages on each process's
 * busiest edge, the k-th of each. Steps must make up half of the run.
 *
 * Ownership: \p out points into \p arena.
 * Errors:    MPL_E_NOMEM only.
 * Cost:      linear in calls and in steps * processes (times log processes for the ranks).
 */
enum mpl_status mpl_events_steps(const struct mpl_events *events, struct mpl_arena *arena,
                                 const struct mpl_steps **out, struct mpl_err *err);

/**
 * The same stretches of the program on all processes, so that what they compute there can be
 * compared: from one collective of all processes to the next, and where much lies between two of them
 * and has steps between messages, those steps; the first begins with the run, the last ends with it.
 */
struct mpl_sections {
    uint32_t n; /**< At least 1. */
    /** Per location: the n - 1 calls that bound its sections, ascending; what lies before such a call
        is in the section that it ends. NULL: another thread of its process communicates more. */
    const uint32_t *const *calls;
};
/**
 * Ownership: \p out lives in \p arena and borrows from \p events.
 * Errors:    MPL_E_NOMEM only.
 * Cost:      linear in calls once, and nothing for who asks again.
 */
enum mpl_status mpl_events_sections(const struct mpl_events *events,
                                    struct mpl_arena *arena,
                                    const struct mpl_sections **out, struct mpl_err *err);

/** What a location computes while the others of its section have nothing to compute. Seconds. */
struct mpl_serial {
    double all_s;   /**< In all sections, beyond the mean of the others. */
    double begin_s; /**< Of it, in the first section, */
    double end_s;   /**< and in the last one. */
    double squares; /**< Sum of squares over the sections. */
    double
        longest_s; /**< What it computes in the sections in which nobody computes longer. */
    double
        n_sections; /**< So many equal ones would have as much, and these squares: tiny ones hardly
                            count. */
};
/**
 * One entry per location, by mpl_events_sections(); 0 for threads that are in none, and without sections.
 *
 * Ownership: \p out points into \p arena.
 * Errors:    MPL_E_NOMEM only.
 * Cost:      linear in calls, and in sections * locations.
 */
enum mpl_status mpl_events_serial(const struct mpl_events *events, struct mpl_arena *arena,
                                  const struct mpl_serial **out, struct mpl_err *err);

/**
 * The part of the run that a replay looks at: from the end of the first start-up to the
 * beginning of the last shut-down; where these are not recorded, from the first to the last event.
 * All computation lies within.
 */
void mpl_events_window(const struct mpl_events *events, int64_t *begin_ticks,
                       int64_t *end_ticks);

/** The length of the window, seconds. */
double mpl_events_measured_s(const struct mpl_events *events);

#endif
