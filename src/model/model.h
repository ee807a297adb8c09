/*
 * Takes:        what the reader finds in a trace.
 * Makes:        the trace in memory: regions, communicators, processes, and per location the
 *               event columns with tables of message ends and collective parts.
 * Leaves alone: who talked to whom (match) and whether the clocks agree (clock).
 */
#ifndef MPL_MODEL_MODEL_H
#define MPL_MODEL_MODEL_H

#include "base/base.h"
#include "model/columns.h"

/* ---- definitions ------------------------------------------------------------ */

/** What a region is, from its paradigm and role where recorded, else from its name. */
enum mpl_region_kind {
    MPL_REGION_USER,     /**< A function, loop or phase of the program. */
    MPL_REGION_MPI_INIT, /**< MPI_Init, MPI_Init_thread. */
    MPL_REGION_MPI_FINALIZE,
    MPL_REGION_MPI_P2P,     /**< Sends, receives, waits, tests, probes. */
    MPL_REGION_MPI_COLL,    /**< Collectives, also those that make communicators. */
    MPL_REGION_MPI_OTHER,   /**< Any other MPI_ call. */
    MPL_REGION_THREAD_SYNC, /**< Barriers, locks, joins of OpenMP or pthreads. */
    MPL_REGION_DEVICE_SYNC, /**< A host waits for its accelerator, see mpl_model_classify(). */
    MPL_REGION_TRACER,      /**< The tracer's own: "Working" of EZTrace, buffer flushes. */
};

/** Finer than the kind, for the rules of waiting. */
enum mpl_call_mode {
    MPL_CALL_PLAIN,
    MPL_CALL_SYNC_SEND,     /**< MPI_Ssend: returns only after the receive has started. */
    MPL_CALL_BUFFERED_SEND, /**< MPI_Bsend: never waits for the receiver. */
    MPL_CALL_IMMEDIATE,     /**< MPI_Isend, MPI_Irecv, …: returns at once. */
    MPL_CALL_TEST,          /**< MPI_Test…, MPI_Iprobe: asks, does not wait. */
};

struct mpl_region {
    const char *name; /**< As the trace writes it: "MPI_Recv", "mpi_recv_", "handle". */
    const char *file; /**< Source file; NULL when the trace does not say. */
    uint32_t line;    /**< First line; 0 when unknown. */
    enum mpl_region_kind kind;
    enum mpl_call_mode mode;
    bool
        is_undefined; /**< Stands for all that events name and the trace does not define. */
};

/** Sets kind and mode from the name alone ("MPI_Recv", "mpi_recv_", "pmpi_recv"). */
enum mpl_region_kind mpl_region_kind_of_name(const char *name, enum mpl_call_mode *mode);

/** What functions of these names are. */
struct mpl_region_class {
    const char *name; /**< As in the trace; with `*`, which stands for any letters. */
    enum mpl_region_kind kind;
};

struct mpl_comm {
    const char *name;
    uint32_t n_members;
    const uint32_t *members; /**< Process indices by rank. NULL for the "self" kind. */
    uint32_t n_remote;       /**< > 0 for an inter-communicator: the other group. */
    const uint32_t *remote;
    bool is_self; /**< MPI_COMM_SELF: each process has its own. */
};

struct mpl_process {
    uint32_t rank;    /**< In MPI_COMM_WORLD. */
    const char *name; /**< Location group's name. */
    const char *host; /**< System tree node; NULL when the trace does not tell. */
    uint32_t n_locations;
    const uint32_t *locations; /**< Ascending; the first is the master thread. */
    const char *cores;         /**< That it may use: "0-3,8"; NULL: not known. */
};

/* ---- events ------------------------------------------------------------------- */

/** Kinds kept in memory. `ref` is the index named behind each. */
enum mpl_event_kind {
    MPL_EV_ENTER,       /**< region */
    MPL_EV_LEAVE,       /**< region */
    MPL_EV_SEND,        /**< message end of this location */
    MPL_EV_ISEND,       /**< message end */
    MPL_EV_ISEND_DONE,  /**< message end; MPL_NONE if its request is unknown */
    MPL_EV_RECV,        /**< message end */
    MPL_EV_IRECV_POST,  /**< message end */
    MPL_EV_IRECV,       /**< message end */
    MPL_EV_COLL_BEGIN,  /**< collective part, also if it has no end */
    MPL_EV_COLL_END,    /**< collective part */
    MPL_EV_FORK,        /**< number of threads asked for */
    MPL_EV_JOIN,        /**< 0 */
    MPL_EV_TEAM_BEGIN,  /**< team; MPL_NONE if the trace does not name it */
    MPL_EV_TEAM_END,    /**< team */
    MPL_EV_LOCK,        /**< lock */
    MPL_EV_UNLOCK,      /**< lock */
    MPL_EV_FLUSH_BEGIN, /**< 0: the tracer writes out its buffer … */
    MPL_EV_FLUSH_END,   /**< 0: … until here */
    MPL_EV_OFF,         /**< 0: measurement switched off … */
    MPL_EV_ON,          /**< 0: … and on again */
    MPL_EV_MARK, /**< 0: anything else that shows the location alive (thread begin, end, …) */
    MPL_EV_KINDS
};

/** Whom a message end names. Few per location, so message ends share them. */
struct mpl_envelope {
    uint32_t comm; /**< Communicator index; MPL_NONE when the trace names an unknown one. */
    uint32_t
        peer; /**< Process index of the other end; MPL_NONE for PROC_NULL and garbage. */
    uint32_t peer_rank; /**< As recorded, relative to comm. */
    uint32_t tag;
    bool is_send;
    bool is_null; /**< MPI_PROC_NULL: completes at once, has no partner. */
    bool
        is_garbage; /**< Values no MPI program can produce (TRACES D5); ignored by match. */
    bool comm_unsure; /**< EZTrace writes communicator 0 on every MPI_IRECV (TRACES D3). */
    /** The receive took whatever came, where the run records that (has_wildcards). Of a message that is
        waited for in vain: peer and tag tell nothing. */
    bool any_source;
    bool any_tag;
};

/** One end of a point-to-point message. Receives stand in the order in which they were posted. */
struct mpl_message {
    uint32_t
        envelope; /**< Index into the location's envelopes; MPL_NONE: never completed. */
    uint32_t
        event; /**< SEND, ISEND, RECV or IRECV record; of a receive that was cancelled the
                            record of that; MPL_NONE: never completed. */
    uint32_t post; /**< ISEND: the ISEND_DONE record. IRECV: the IRECV_POST record.
                            MPL_NONE where not recorded and for blocking calls. */
    /** Aligned like the others: 20 bytes instead of 24, of which a trace may have one in four events. */
    uint64_t bytes __attribute__((packed, aligned(4)));
};

enum { MPL_BLOCK_MESSAGES = 16 };

/** As kinds and references of records, so messages that repeat those of another block are kept once. */
struct mpl_message_block {
    uint32_t shape; /**< Where they stand among the shapes, with records counted */
    uint32_t event; /**< from here. */
};

enum mpl_coll_op {
    MPL_COLL_BARRIER,
    MPL_COLL_BCAST,
    MPL_COLL_GATHER,
    MPL_COLL_GATHERV,
    MPL_COLL_SCATTER,
    MPL_COLL_SCATTERV,
    MPL_COLL_ALLGATHER,
    MPL_COLL_ALLGATHERV,
    MPL_COLL_ALLTOALL,
    MPL_COLL_ALLTOALLV,
    MPL_COLL_ALLTOALLW,
    MPL_COLL_ALLREDUCE,
    MPL_COLL_REDUCE,
    MPL_COLL_REDUCE_SCATTER,
    MPL_COLL_SCAN,
    MPL_COLL_EXSCAN,
    MPL_COLL_REDUCE_SCATTER_BLOCK,
    MPL_COLL_CREATE,
    MPL_COLL_DESTROY,
    MPL_COLL_OTHER,
    MPL_COLL_OPS
};

/** How the participants of an operation depend on each other. */
enum mpl_coll_class {
    MPL_CLASS_BARRIER,
    MPL_CLASS_N_TO_N, /**< Allreduce, Alltoall, Allgather, Reduce_scatter, … */
    MPL_CLASS_1_TO_N, /**< Bcast, Scatter(v) */
    MPL_CLASS_N_TO_1, /**< Reduce, Gather(v) */
    MPL_CLASS_SCAN,   /**< rank i needs ranks up to i */
    MPL_CLASS_EXSCAN, /**< rank i needs ranks below i */
    MPL_CLASS_NONE,   /**< no order implied (destroying a handle) */
};
enum mpl_coll_class mpl_coll_class_of(enum mpl_coll_op op);
const char *mpl_coll_op_name(enum mpl_coll_op op); /* "MPI_Allreduce" */

/** One location's part in a collective operation. */
struct mpl_collective {
    uint32_t begin; /**< COLL_BEGIN record; MPL_NONE if missing. */
    uint32_t end;   /**< COLL_END record; MPL_NONE: not completed. */
    uint32_t comm;  /**< MPL_NONE when not completed or unknown. */
    uint32_t root;  /**< Process index; MPL_NONE for operations without a root. */
    enum mpl_coll_op op;
    bool is_immediate; /**< MPI_Ibarrier, …: begin and end lie in different calls. */
    uint64_t sent_bytes;
    uint64_t received_bytes;
};

/** What a record of threads says beyond its kind and reference. */
enum mpl_thread_act {
    MPL_ACT_LOCK,
    MPL_ACT_UNLOCK,
    MPL_ACT_CREATE, /**< Asks for a thread. */
    MPL_ACT_BEGIN,  /**< The location's thread begins … */
    MPL_ACT_END,    /**< … and ends. */
    MPL_ACT_WAIT,   /**< Waits for a thread to end. */
};

/**
 * Only for records that name what they belong to, so traces of MPI alone have none. Teams, locks
 * and groups of threads are the trace's numbers, which hold within a process.
 */
struct mpl_thread_record {
    uint32_t event; /**< LOCK, UNLOCK, or MARK for the others. */
    enum mpl_thread_act act;
    uint32_t object; /**< Lock or group of threads. */
    uint32_t number; /**< Of the acquisition, the same at its release; of the thread. */
};

/** Where the program makes a call. */
struct mpl_site {
    const char *function;
    const char *file; /**< NULL: not known. */
    uint32_t line;
};

/** What a thread did in its own code between MPI calls, by samples of its CPU time. Seconds. */
struct mpl_cpu {
    uint32_t n_samples; /**< Below 2 nothing is known. */
    double own_s;       /**< In its own code, */
    double
        descheduled_s; /**< of it without a core, which others had; rather too little than too much. */
    double on_core_s; /**< On a core, also in MPI. */
};

struct mpl_location {
    const char *label;  /**< "3" (rank 3) or "3.2" (its thread 2): what people see. */
    const char *name;   /**< As in the trace. */
    uint64_t reference; /**< OTF2 location reference, or the rank of a text trace. */
    uint32_t process;
    uint32_t thread; /**< 0 for the master thread. */

    /**
     * Times of events are relative to this. Real traces exceed 2^53 ticks, so a time never
     * passes through a double. After clock has run every location has the same base and
     * the time of the first event of all is 0.
     */
    uint64_t base_ticks;
    uint32_t n_events;
    struct mpl_times times; /**< Read by mpl_ticks_of(). Never decreasing. Written by read,
                                     rewritten in place by clock, shared with calls by events. */
    struct mpl_event_column column; /**< Read by mpl_kind_of() and mpl_ref_of(). */

    uint32_t n_messages;
    const struct mpl_message_block *message_blocks;
    const struct mpl_message *message_shapes; /**< Read by mpl_message_get(). */
    uint32_t n_envelopes;
    const struct mpl_envelope *envelopes;
    uint32_t n_collectives;
    const struct mpl_collective *collectives; /**< In order of their begin. */
    /** Whom the call waits for in which the location's trace ends, where the trace says so (text traces and
        marple's own do): envelopes. Others record a receive only when it is over. */
    uint32_t n_wanted;
    const uint32_t *wanted;
    uint32_t n_thread_records;
    const struct mpl_thread_record *thread_records; /**< In order of their events. */

    /** Sites of the model by ENTER records, MPL_NONE where not known; NULL: none is. See
        mpl_location_site(). */
    const uint32_t *sites;
    const uint32_t *enters; /**< ENTER records before each block of records. */
    struct mpl_cpu cpu;

    bool is_damaged; /**< Its events end early or have holes (see the quality notes). */
    uint64_t
        dropped; /**< Records understood but not kept: metrics, parameters, RMA, I/O. */
};

/** enum mpl_event_kind */
static inline uint8_t mpl_kind_of(const struct mpl_location *loc, uint32_t event)
{
    return mpl_event_column_kind(&loc->column, event);
}

static inline struct mpl_message mpl_message_get(const struct mpl_location *loc,
                                                 uint32_t message)
{
    const struct mpl_message_block *block =
        &loc->message_blocks[message / MPL_BLOCK_MESSAGES];
    struct mpl_message found =
        loc->message_shapes[block->shape + message % MPL_BLOCK_MESSAGES];

    found.event += found.event != MPL_NONE ? block->event : 0;
    found.post += found.post != MPL_NONE ? block->event : 0;
    return found;
}

/**
 * The messages from \p message to the last of its block, of which there are \p n, for who goes over all of a location: as
 * mpl_message_get() has them, but for the numbers of records, which nobody may read here.
 */
static inline const struct mpl_message *mpl_messages_from(const struct mpl_location *loc,
                                                          uint32_t message, uint32_t *n)
{
    const uint32_t at = message % MPL_BLOCK_MESSAGES;
    const uint32_t left = loc->n_messages - message;

    *n = left < MPL_BLOCK_MESSAGES - at ? left : MPL_BLOCK_MESSAGES - at;
    return &loc->message_shapes[loc->message_blocks[message / MPL_BLOCK_MESSAGES].shape +
                                at];
}

/** Asks the processor to have the block of a message at hand soon or, once that \p is_there, the message. */
static inline void mpl_message_prefetch(const struct mpl_location *loc, uint32_t message,
                                        bool is_there)
{
    const struct mpl_message_block *block =
        &loc->message_blocks[message / MPL_BLOCK_MESSAGES];

    if (!is_there) {
        mpl_prefetch(block);
    } else {
        mpl_prefetch(&loc->message_shapes[block->shape + message % MPL_BLOCK_MESSAGES]);
    }
}

/** What a message end names; NULL: it was never completed. */
static inline const struct mpl_envelope *mpl_envelope_of(const struct mpl_location *loc,
                                                         uint32_t message)
{
    const uint32_t number = mpl_message_get(loc, message).envelope;

    return number == MPL_NONE ? NULL : &loc->envelopes[number];
}

/** The time of an event, in ticks relative to the location's base. */
static inline int64_t mpl_ticks_of(const struct mpl_location *loc, uint32_t event)
{
    return mpl_times_get(&loc->times, event);
}

/** What enum mpl_event_kind says of the event's kind. */
static inline uint32_t mpl_ref_of(const struct mpl_location *loc, uint32_t event)
{
    return mpl_event_column_ref(&loc->column, mpl_ref_class_of(mpl_kind_of(loc, event)),
                                event);
}

/** The same of an enter or leave, for less. */
static inline uint32_t mpl_region_of(const struct mpl_location *loc, uint32_t event)
{
    return mpl_event_column_ref(&loc->column, MPL_REF_PLAIN, event);
}

/** Likewise of an end of a message. */
static inline uint32_t mpl_message_of(const struct mpl_location *loc, uint32_t event)
{
    return mpl_event_column_ref(&loc->column, MPL_REF_MESSAGE, event);
}

/** The send that is over with an event: a SEND, or the ISEND_DONE that counts for it. MPL_NONE: none is. */
static inline uint32_t mpl_send_done_at(const struct mpl_location *loc, uint32_t event)
{
    const uint8_t kind = mpl_kind_of(loc, event);

    if (kind != MPL_EV_SEND && kind != MPL_EV_ISEND_DONE) {
        return MPL_NONE;
    }
    const uint32_t message = mpl_message_of(loc, event);

    return kind == MPL_EV_SEND ||
                   (message != MPL_NONE && mpl_message_get(loc, message).post == event)
               ? message
               : MPL_NONE;
}

/** Makes what was added the columns of \p loc, in \p arena, and is ready for the next one. False: out of memory. */
bool mpl_event_writer_end(struct mpl_event_writer *writer, struct mpl_arena *arena,
                          struct mpl_location *loc);
/** Columns of \p n events, in \p arena. False: out of memory. */
bool mpl_location_set_events(struct mpl_location *loc, uint32_t n, const int64_t *ticks,
                             const uint8_t *kind, const uint32_t *ref,
                             struct mpl_arena *arena);

/** For mpl_location_pack_messages(); to be freed by mpl_distinct_free(). */
struct mpl_distinct mpl_message_shapes_make(void);
/**
 * Gives a location its messages, whose records and envelopes it need not have yet. \p shapes is scratch, and empty before and
 * after. False: out of memory.
 */
bool mpl_location_pack_messages(struct mpl_location *loc, uint32_t n,
                                const struct mpl_message *messages,
                                struct mpl_distinct *shapes, struct mpl_arena *arena);
/** The same for a single location. */
bool mpl_location_set_messages(struct mpl_location *loc, uint32_t n,
                               const struct mpl_message *messages, struct mpl_arena *arena);

/** A moment at which the tracer compared a location's clock with the reference clock. */
struct mpl_clock_offset {
    uint64_t time_ticks;  /**< The location's own clock, absolute. */
    int64_t offset_ticks; /**< To be added to reach the reference clock. */
    double error_ticks; /**< Standard deviation as the tracer states it, or the error bound
                                 that a corrected copy was written with; 0: not stated. */
};

/** What a run records. A metric that needs what is missing is undefined, not wrong. */
struct mpl_capabilities {
    bool has_messages; /**< Any point-to-point record. */
    bool
        has_receive_completions; /**< Every non-blocking receive that was posted has an end. */
    bool has_collectives; /**< Any completed collective with operation and communicator. */
    bool
        has_immediate_collectives_complete; /**< No non-blocking collective lacks its end. */
    bool has_user_regions;  /**< Functions of the program, beside the tracer's own. */
    bool has_source_lines;  /**< Some user region knows file and line. */
    bool has_init_finalize; /**< MPI_Init or MPI_Finalize was recorded. */
    bool has_threads;       /**< More than one location per process. */
    bool has_clock_offsets; /**< Two or more per process, recorded by the tracer. */
    bool has_counters;      /**< Metric records. */
    bool has_wildcards;     /**< Receives tell whether they asked for any source or tag. */
    bool has_call_sites;    /**< MPI calls tell where the program makes them. */
    bool has_cpu_time;      /**< Samples of the CPU time of threads. */
};

/** A capability by the name that patterns, rules and `marple vocab capabilities` use. */
struct mpl_capability {
    const char *name; /**< "receive-completions" */
    const char *says; /**< One clause: what the run records. */
    size_t offset;    /**< Of its member in struct mpl_capabilities. */
};
/** In the order of struct mpl_capabilities. */
const struct mpl_capability *mpl_capability_table(size_t *n);
/** NULL if there is none of that name. */
const struct mpl_capability *mpl_capability_find(const char *name);
bool mpl_capability_get(const struct mpl_capabilities *can,
                        const struct mpl_capability *capability);

enum mpl_tracer {
    MPL_TRACER_UNKNOWN,
    MPL_TRACER_EZTRACE,
    MPL_TRACER_SCOREP,
    MPL_TRACER_TEXT,
    MPL_TRACER_MARPLE
};

/** What is known of times that are corrected already, per location where not said otherwise. */
struct mpl_timeline {
    unsigned source;            /**< enum mpl_clock_source: where they come from. */
    const int64_t *bound_ticks; /**< As in struct mpl_clock. */
    const int64_t *low_ticks;
    const int64_t *high_ticks;
};

struct mpl_model {
    const char *path; /**< As the user gave it. */
    enum mpl_tracer tracer;
    uint64_t ticks_per_s;
    bool
        has_common_clock; /**< The trace states that all its locations share one clock (text
                                     traces without a "clock" line): nothing is to be corrected. */
    /** Where the trace is what an earlier analysis made of one (a baseline): nothing is to be corrected
        either. Else NULL. */
    const struct mpl_timeline *timeline;
    uint32_t n_regions;
    const struct mpl_region
        *regions; /**< Regions of the same name, file and line are one. */
    uint32_t n_sites;
    const struct mpl_site *sites;
    uint32_t n_comms;
    const struct mpl_comm *comms;
    uint32_t world; /**< Index of MPI_COMM_WORLD; MPL_NONE if there is none. */
    uint32_t n_processes;
    const struct mpl_process *processes; /**< Ascending by rank. */
    uint32_t n_locations;
    struct mpl_location *locations; /**< CPU threads only, ordered by (rank, thread). */
    const struct mpl_clock_offset **offsets; /**< Per location: ascending in time. */
    const uint32_t *n_offsets;
    uint64_t n_events;            /**< Kept, over all locations. */
    uint64_t n_recorded;          /**< All event records read. */
    bool has_unseen_threads;      /**< The tracer knows that it could not record some. */
    uint32_t n_skipped_locations; /**< GPU streams, metrics, I/O: noted, not analysed. */
    struct mpl_capabilities can;
    struct mpl_quality *quality;
};

/**
 * Gives functions of the program the kind of the first class that has their name.
 * Errors: MPL_E_NOMEM; the model is as before then.
 */
enum mpl_status mpl_model_classify(struct mpl_model *model, struct mpl_arena *arena,
                                   const struct mpl_region_class *classes, size_t n,
                                   struct mpl_err *err);

/** Rank \p from of one run is rank \p to of another one. */
struct mpl_rank_pair {
    uint32_t from;
    uint32_t to;
};
/**
 * Gives processes other ranks, before anything is matched. Those of which nothing is said keep theirs; where that is
 * taken, they get what became free, so that 3 = 5 alone swaps the two.
 *
 * Ownership: what is new lives in \p arena.
 * Errors:    MPL_E_USAGE for ranks that do not exist or are taken twice; MPL_E_NOMEM: the model may then be
 *            anything.
 * Cost:      linear in locations, envelopes and collectives.
 */
enum mpl_status mpl_model_renumber(struct mpl_model *model,
                                   const struct mpl_rank_pair *pairs, size_t n_pairs,
                                   struct mpl_arena *arena, struct mpl_err *err);

/** The location a message end's call is made by, labels, and other small questions. */
uint32_t mpl_model_find_location(const struct mpl_model *model, const char *label);
/** The first record of \p kind that is not before record \p from; n_events: there is none. */
uint32_t mpl_location_find(const struct mpl_location *loc, enum mpl_event_kind kind,
                           uint32_t from);
/** The site of the call that record \p event of \p loc, an ENTER, begins; MPL_NONE: not known. */
uint32_t mpl_location_site(const struct mpl_location *loc, uint32_t event);
/** For the loader of a location with sites: its enters, in \p arena. NULL without memory. */
const uint32_t *mpl_location_count_enters(const struct mpl_location *loc,
                                          struct mpl_arena *arena);
/** Cores that the processes of a host may use together, of the host with fewest; 0: the trace does not tell. */
uint32_t mpl_model_cores(const struct mpl_model *model);
/** Seconds of a duration in ticks. */
double mpl_model_seconds(const struct mpl_model *model, int64_t ticks);
/**
 * Bytes in the buffers of a location's part in a collective operation, the larger of what it gives
 * and what it gets; tracers count them in different ways. An MPI_Alltoall of 3 processes with 8
 * bytes for each has 24: EZTrace writes 8, Score-P 24. An MPI_Allreduce of 8 bytes has 8: EZTrace
 * writes 8, Score-P 24.
 */
double mpl_coll_bytes(const struct mpl_model *model, const struct mpl_collective *part);
/** Process index behind \p rank of \p comm as seen from \p process: the other group of an
 *  inter-communicator. MPL_NONE when out of range. */
uint32_t mpl_comm_peer(const struct mpl_model *model, uint32_t comm, uint32_t process,
                       uint32_t rank);
/** Asserts every invariant stated above; for tests and after reading damaged input. */
void mpl_model_check(const struct mpl_model *model);

#endif
