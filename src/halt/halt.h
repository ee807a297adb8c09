/*
 * Takes:        a model on one time line, and its message pairs.
 * Makes:        where each process is when the trace ends in calls that do not return, and who
 *               waits there for whom; the time line without the standstill.
 * Leaves alone: whose fault it is, and what to do; rules say so.
 */
#ifndef MPL_HALT_HALT_H
#define MPL_HALT_HALT_H

#include "match/match.h"

/** What a process does when the trace ends. */
enum mpl_halt_state {
    MPL_HALT_UNKNOWN, /**< Its events are damaged, or it makes no MPI calls. */
    MPL_HALT_OVER,    /**< Its trace ends before the run does: it has left the program. */
    MPL_HALT_OUTSIDE, /**< Its own code. */
    MPL_HALT_POLLS,   /**< Asks again and again (MPI_Test, MPI_Iprobe). */
    MPL_HALT_IN_CALL, /**< Is in an MPI call that has not returned. */
    MPL_HALT_STATES
};
/** "in-call", "polling", "outside", "over", "unknown". */
const char *mpl_halt_state_name(enum mpl_halt_state state);

struct mpl_halt_place {
    enum mpl_halt_state state;
    uint32_t
        location;    /**< Its thread of which this is said; MPL_NONE if none has events. */
    uint32_t region; /**< Of the call that it is in or polls; MPL_NONE outside. */
    uint32_t function;    /**< Innermost function of the program around it; MPL_NONE. */
    uint32_t event;       /**< That enters the call; outside the end of its last one. */
    double for_s;         /**< How long it has been there at the end of its trace. */
    uint32_t last_region; /**< Its last call that has returned; MPL_NONE. */
    /** What has followed this and the calls before it every time so far, where that is something else
        than what follows now; MPL_NONE. Outside of calls: what would come next. */
    uint32_t expected_region;
    uint32_t n_expected; /**< How often. */
    bool
        is_known; /**< Whom it waits for is recorded; else what it did before suggests it. */
    uint32_t n_waits_for;
    const uint32_t *waits_for; /**< Processes, ascending. */
    uint32_t
        comm; /**< Of a collective, by what it did before where not recorded; MPL_NONE. */
};

/** A message to a process that waits for one and does not take it. */
struct mpl_halt_leftover {
    uint32_t from; /**< Process. */
    uint32_t to;
    uint32_t tag;
    uint32_t usual_tag; /**< Of the message before it, which was received; MPL_NONE. */
};

struct mpl_halt {
    bool
        is_standstill; /**< Nothing moves for longer than ever before, or never can; else the run was
                               killed at work, and the times stay as they are. */
    double silence_s; /**< From the last thing that happened to the end. */
    double pause_s;   /**< The longest before in which as little happened. */
    double usual_s;   /**< The longest that a process was in its own code before. */
    uint32_t n_in[MPL_HALT_STATES];      /**< Processes by their state. */
    const struct mpl_halt_place *places; /**< Per process. */
    uint32_t n_cycle;                    /**< 0: no process waits for itself in the end. */
    const uint32_t
        *cycle; /**< Processes, each of which waits for the next, the last for the first. */
    bool is_cycle_known; /**< By what is recorded, not by what suggests it. */
    bool
        is_cycle_certain; /**< And by messages that nobody has sent: it cannot end, however long it has lasted. */
    uint32_t n_leftovers;
    const struct mpl_halt_leftover *leftovers;
};

/**
 * Looks for calls that the end of the trace cuts off. *out is NULL where there are none, as in nearly
 * all traces: a damaged location is none, nor is a call of MPI_Init or MPI_Finalize alone. Where the run
 * is at a standstill, all times behind its last event become the time of that event, so that nobody takes
 * the standstill for work or waiting; what lies between is in *out.
 *
 * Ownership: *out lives in \p arena.
 * Errors:    MPL_E_NOMEM only.
 * Cost:      a look at the last records of each location; where a call is cut off, n log n in calls.
 */
enum mpl_status mpl_halt_find(struct mpl_model *model, const struct mpl_match *match,
                              struct mpl_arena *arena, const struct mpl_halt **out,
                              struct mpl_err *err);

#endif
