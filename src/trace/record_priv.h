/*
 * What the files of the preloaded library share. It lives in somebody else's program: it never ends it, calls nothing
 * but the system and PMPI_… (while a call is recorded, so that these are not), allocates nothing while calls are
 * recorded but pages for tables that grow, and takes locks only where several threads may call MPI.
 */
#ifndef MPL_TRACE_RECORD_PRIV_H
#define MPL_TRACE_RECORD_PRIV_H

#include "trace/trace.h"

#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/** Behind MPL_ROOM_WORDS no record of an ordinary call needs a new chunk. */
enum { MPL_FEW = 64, MPL_ROOM_WORDS = 64 };

/** An address from which MPI was called. */
struct mpl_site_seen {
    uintptr_t address;
    int64_t number; /**< Of the place; -1: the stack shows which one it is. */
};

/** What a thread writes to, its part of the spool. */
struct mpl_track {
    uint64_t *at;                   /**< Where the next record goes, */
    uint64_t *end;                  /**< and where the window ends. */
    struct mpl_spool_chunk *window; /**< NULL: none yet. */
    bool is_inside; /**< Of a call that is recorded: calls that MPI makes itself are not. */
    bool is_full;   /**< There was no room for a record; none follows. */
    uint64_t sampled_time; /**< When CPU time was last asked for; 0: not yet. */
    uint64_t region;       /**< Of OpenMP that it takes part in; 0: none. */
    uint64_t arrived;      /**< When it came to its last barrier there. */
    uint64_t number;
    uint64_t *handles;    /**< Requests as they were before the call. */
    MPI_Status *statuses; /**< Where the program ignores them. */
    size_t n_handles;     /**< Room. */
    size_t n_statuses;
    struct mpl_site_seen sites[MPL_FEW]; /**< By address. */
    uint64_t few_handles[MPL_FEW];
    MPI_Status few_statuses[MPL_FEW];
};

/** A communicator of this process. */
struct mpl_comm {
    struct mpl_comm *next; /**< Of those with the same hash. */
    MPI_Comm handle;
    uint32_t number;
    int rank;
    int size;
    int members; /**< Of the group that operations reach: the remote one of an inter-communicator. */
    bool is_inter;
    uint32_t n_calls; /**< So far, that made others of it. */
};

/** A call while it is recorded. */
struct mpl_call_now {
    struct mpl_track *track;
    uint64_t begin_time;
    uint64_t end_time;
    uint16_t call; /**< enum mpl_call */
    bool is_quiet; /**< The program has switched recording off, or there is no room. */
    bool is_met;   /**< No process came out of it before all were in it. */
    /* What is known before the call and needed after it. */
    size_t n_held;
    MPI_Status status;
    uint32_t comm; /**< Number of the communicator. */
    int peer;
    int tag;
    struct mpl_comm *group; /**< That it is about; NULL: not looked up. */
    uint32_t nth;           /**< It is the n-th call on that which makes communicators. */
    enum mpl_op op;         /**< Of a collective operation, as what follows. */
    int root;
    uint64_t sent;
    uint64_t received;
};

/* ---- taking the place of functions (setup.c) -------------------------------------------- */

/** A function that this library has instead of another one. */
struct mpl_replaced {
    const char *name;
    void *
        *next; /**< Where the address of the other one goes, when the library is loaded. */
};

/**
 * Begins the definition of a function of MPI, which calls the one that the program would have called by
 * MPL_NEXT(). Both of its names, MPI_… and PMPI_…, are replaced: layers of MPI itself (Open MPI's for Fortran)
 * and other tools call the second one. Only the outermost call is recorded.
 */
#define MPL_REPLACES(function, params) \
    static int(*next_##function) params; \
    static struct mpl_replaced replaced_##function \
        __attribute__((section("mpl_replaced"), used)) = { #function, \
                                                           (void **) &next_##function }; \
    __attribute__((visibility("default"))) int function params
#define MPL_NEXT(function) next_##function

/* ---- start and end (setup.c) ------------------------------------------------------------ */

extern bool
    mpl_is_recording; /**< Between MPI_Init and MPI_Finalize of a process that has a spool. */

/* ---- times (time.c) ------------------------------------------------------------------------ */

extern bool mpl_has_counter; /**< That is read instead of the clock. */

/** ns of CLOCK_MONOTONIC. */
uint64_t mpl_clock_ns(void);
void mpl_time_load(void); /**< When the library is loaded. */
void mpl_time_open(struct mpl_spool_head *head);
/** Writes down what the clock says, if that is due, or \p is_last. */
void mpl_time_tie(bool is_last);
/** How long that is in the unit of mpl_now(). */
uint64_t mpl_time_of_ns(uint64_t ns);

/** The time that stamps records, in ns or in counts. It may be read a little before what stands in front of it is done. */
static inline uint64_t mpl_now(void)
{
#ifdef __x86_64__
    if (mpl_has_counter) {
        return __builtin_ia32_rdtsc();
    }
#endif
    return mpl_clock_ns();
}

/** The same, behind everything that stands in front of it: a message is not received before it was sent. */
static inline uint64_t mpl_now_behind(void)
{
#ifdef __x86_64__
    if (mpl_has_counter) {
        __builtin_ia32_lfence();
        return __builtin_ia32_rdtsc();
    }
#endif
    return mpl_clock_ns();
}
/** What says which clock this process reads; at most MPL_SPOOL_HOST bytes. */
void mpl_clock_name(char *text);

/* ---- memory and the spool (buffer.c) ------------------------------------------------------ */

extern __thread struct mpl_track *mpl_own_track __attribute__((tls_model("initial-exec")));

/** Whole pages, zero, for good; NULL if there are none. */
void *mpl_pages(size_t bytes);
/** Around tables that threads share. */
void mpl_lock(void);
void mpl_unlock(void);
void mpl_share_tables(void); /**< From now on several threads may come. */

bool mpl_spool_open(const char *directory, uint32_t rank, uint32_t size);
void mpl_spool_end_as(enum mpl_spool_end end);
void mpl_spool_close(void);
struct mpl_spool_head *mpl_spool_borrow(void); /**< NULL when there is none. */
uint64_t mpl_spool_bytes(void);                /**< That are in use, */
uint64_t mpl_spool_most_bytes(void);           /**< and may be; UINT64_MAX: any number. */
struct mpl_track *mpl_track_open(void);
/** Makes room for \p words; false when there is none. */
bool mpl_track_grow(struct mpl_track *track, size_t words);

/** The words of a new record, its time filled in; NULL when there is no room. mpl_commit() makes it valid. */
static inline uint64_t *mpl_record(struct mpl_track *track, uint64_t time, unsigned words)
{
    uint64_t *at;

    /* One word stays 0 behind the last record. */
    if (track->end - track->at <= (ptrdiff_t) words && !mpl_track_grow(track, words)) {
        return NULL;
    }
    at = track->at;
    track->at += words;
    at[1] = time;
    return at;
}

/** The first word is what shows that the record is there, whatever happens next. */
static inline void mpl_commit(uint64_t *record, uint64_t first)
{
    __atomic_store_n(record, first, __ATOMIC_RELEASE);
}

/** A record of up to four words behind its time. */
void mpl_put(struct mpl_track *track, uint64_t time, uint64_t first, uint64_t a, uint64_t b,
             uint64_t c, uint64_t d);
/** One with a text, which is cut where it is too long. */
void mpl_put_text(struct mpl_track *track, uint64_t time, enum mpl_spool_kind kind,
                  uint32_t large, const char *text);
/** Another window for records; that this takes time is one of them. */
void mpl_make_room(struct mpl_track *track);

extern bool mpl_is_switched_on; /**< By all that may switch recording off. */
enum mpl_switch { MPL_BY_PROGRAM = 1, MPL_BY_THINNING = 2 };
/** Switches recording, which is off as long as anybody wants that. */
void mpl_switch(struct mpl_track *track, enum mpl_switch by, bool is_on);

/* ---- calls (calls.c) ---------------------------------------------------------------------- */

/** False: the call is not recorded, and what was given to it must not be touched. */
bool mpl_call_begin_at(struct mpl_call_now *c, uint16_t call, const void *return_address);
void mpl_call_end(struct mpl_call_now *c);

/** Of the function that stands for an MPI call, and contains this one. */
static inline __attribute__((always_inline)) bool mpl_call_begin(struct mpl_call_now *c,
                                                                 uint16_t call)
{
    return mpl_call_begin_at(c, call, __builtin_return_address(0));
}

/* ---- places in the program (sites.c) -------------------------------------------------------- */

/** Writes down what is mapped. */
void mpl_sites_open(struct mpl_track *track);
/** The number of the place in the program that made a call which returns to \p return_address; 0: not recorded. */
uint32_t mpl_site(struct mpl_track *track, const void *return_address);

/* ---- what it ran on (properties.c) -------------------------------------------------------------- */

/** Writes down the machine, the MPI, and the command. \p provided is what MPI promises to threads. */
void mpl_properties(struct mpl_track *track, int provided);
/** Written at the end: whether there may have been threads that no runtime reported. */
void mpl_properties_end(struct mpl_track *track);

/* ---- CPU time (sample.c) --------------------------------------------------------------------- */

extern uint64_t mpl_sample_interval; /**< Of mpl_now(); UINT64_MAX: none is taken. */

void mpl_samples_open(void);
/** Takes one now, and writes it down with \p time, or where that is 0 with the time behind it, which it returns. */
uint64_t mpl_sample(struct mpl_track *track, uint64_t time);

static inline bool mpl_is_sample_due(const struct mpl_track *track, uint64_t time)
{
    return time - track->sampled_time >= mpl_sample_interval;
}

/* ---- communicators (comms.c) ---------------------------------------------------------------- */

bool mpl_comms_open(void);
void mpl_comms_world(struct mpl_track *track);
/** Of a handle; those of whose making nothing is known are recorded as such. NULL: no memory. */
struct mpl_comm *mpl_comm_find(struct mpl_call_now *c, MPI_Comm handle);
/** The communicator that a call is about; 0 where there is no memory. */
uint32_t mpl_comm_number(struct mpl_call_now *c, MPI_Comm handle);
/** A call is about to make another of \p parent: the how many-th all of its members know. */
void mpl_comm_count(struct mpl_call_now *c, MPI_Comm parent);
/** The same of a call that waits for all of them. */
void mpl_makes_comm(struct mpl_call_now *c, MPI_Comm parent);
void mpl_comm_made(struct mpl_call_now *c, MPI_Comm made);
void mpl_comm_idup(struct mpl_call_now *c, MPI_Comm *made, MPI_Request *request);
/** What MPI_Comm_idup began is done. */
void mpl_comm_duplicated(struct mpl_call_now *c, MPI_Comm made, uint32_t parent,
                         uint32_t nth);
void mpl_comm_of_group(struct mpl_call_now *c, MPI_Comm parent, int tag, MPI_Comm made);
void mpl_intercomm_made(struct mpl_call_now *c, MPI_Comm made);
void mpl_comm_named(struct mpl_call_now *c, MPI_Comm handle, const char *name);

/* ---- requests (requests.c) ------------------------------------------------------------------- */

enum mpl_request_kind {
    MPL_REQUEST_OTHER, /**< Nothing is recorded of it. */
    MPL_REQUEST_SEND,
    MPL_REQUEST_RECV,
    MPL_REQUEST_BOTH, /**< MPI_Isendrecv: a send, and a receive of the next number. */
    MPL_REQUEST_COLL,
    MPL_REQUEST_COMM
};

struct mpl_request {
    struct mpl_request
        *next;       /**< With the same handle; what is done at once may share one. */
    uint64_t number; /**< 0: its beginning was not recorded. */
    uint64_t sent;
    uint64_t received;
    MPI_Comm *made; /**< Where MPI_Comm_idup puts it, */
    uint32_t nth;   /**< the how many-th call on the parent that was. */
    uint32_t comm;
    int peer;
    int tag;
    int source; /**< The other end of MPL_REQUEST_BOTH. */
    int source_tag;
    int root;
    uint8_t op;
    uint8_t kind; /**< enum mpl_request_kind */
    bool is_persistent;
    bool is_active;
    bool is_cancelled; /**< MPI_Cancel was called; whether in time is in the status. */
};

bool mpl_requests_open(void);
/** A new one at the end of those with that handle; NULL: no memory. Lock around it and what is done with it. */
struct mpl_request *mpl_request_add(uint64_t handle);
struct mpl_request *mpl_request_find(uint64_t handle);
void mpl_request_remove(uint64_t handle);
uint64_t mpl_request_number(void); /**< The next one. */

static inline uint64_t mpl_handle(MPI_Request request)
{
    return (uint64_t) (uintptr_t) request;
}

/* ---- what the table of calls calls: messages (messages.c) ---------------------------------------- */

static inline uint64_t mpl_bytes(MPI_Count count, MPI_Datatype type)
{
    int size = 0;

    return PMPI_Type_size(type, &size) == MPI_SUCCESS && size > 0
               ? (uint64_t) size * (uint64_t) count
               : 0;
}
/** A status that can be read after the call. */
static inline MPI_Status *mpl_own_status(struct mpl_call_now *c, MPI_Status *status)
{
    return status == MPI_STATUS_IGNORE ? &c->status : status;
}
MPI_Status *mpl_own_statuses(struct mpl_call_now *c, int n, MPI_Status *statuses);
static inline uint64_t mpl_received(const MPI_Status *status)
{
    MPI_Count bytes = 0;

    return PMPI_Get_elements_x(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0
               ? (uint64_t) bytes
               : 0;
}

void mpl_sends(struct mpl_call_now *c, uint64_t bytes, int dest, int tag, MPI_Comm comm);
void mpl_asks(struct mpl_call_now *c, int source, int tag, MPI_Comm comm);
void mpl_receives(struct mpl_call_now *c, const MPI_Status *status);
void mpl_isends(struct mpl_call_now *c, MPI_Request *request, uint64_t bytes, int dest,
                int tag, MPI_Comm comm);
void mpl_irecv(struct mpl_call_now *c, MPI_Request *request, int source, int tag,
               MPI_Comm comm);
void mpl_isendrecv(struct mpl_call_now *c, MPI_Request *request, uint64_t bytes, int dest,
                   int tag, int source, int source_tag, MPI_Comm comm);
void mpl_send_init(struct mpl_call_now *c, MPI_Request *request, uint64_t bytes, int dest,
                   int tag, MPI_Comm comm);
void mpl_recv_init(struct mpl_call_now *c, MPI_Request *request, int source, int tag,
                   MPI_Comm comm);
void mpl_starts(struct mpl_call_now *c, int n, MPI_Request *requests);
void mpl_other(struct mpl_call_now *c, MPI_Request *request);
void mpl_probed(struct mpl_call_now *c, MPI_Message *message, int source, int tag,
                MPI_Comm comm);
void mpl_takes(struct mpl_call_now *c, MPI_Message *message);
void mpl_imrecv(struct mpl_call_now *c, MPI_Request *request);

/* ---- completions (waits.c) ------------------------------------------------------------------------ */

void mpl_hold(struct mpl_call_now *c, int n, const MPI_Request *requests);
void mpl_completes(struct mpl_call_now *c, int index, const MPI_Status *status);
void mpl_completes_all(struct mpl_call_now *c, const MPI_Status *statuses);
void mpl_completes_some(struct mpl_call_now *c, int n, const int *indices,
                        const MPI_Status *statuses);
/** It is done, and the program keeps it. */
void mpl_finishes(struct mpl_call_now *c, const MPI_Status *status);
void mpl_frees(struct mpl_call_now *c);
void mpl_cancels(struct mpl_call_now *c, MPI_Request *request);

/* ---- collective operations (collectives.c) ----------------------------------------------------------- */

/** Counts of one call, whichever of the two types they have. */
struct mpl_counts {
    const int *few;
    const MPI_Count *many;
};

/** How a root is written down; those of MPI have other numbers in every MPI, and INT_MIN is none. */
static inline int mpl_root_of(int root)
{
    return root == INT_MIN         ? MPL_SPOOL_NO_ROOT
           : root == MPI_ROOT      ? MPL_SPOOL_ROOT_SELF
           : root == MPI_PROC_NULL ? MPL_SPOOL_ROOT_HERE
                                   : root;
}
/** Of the group that the operation is about: the remote one of an inter-communicator. */
uint64_t mpl_members(struct mpl_call_now *c, MPI_Comm comm);
bool mpl_is_root(struct mpl_call_now *c, MPI_Comm comm, int root);
uint64_t mpl_sum(struct mpl_call_now *c, MPI_Comm comm, struct mpl_counts counts,
                 MPI_Datatype type);
uint64_t mpl_sums(struct mpl_call_now *c, MPI_Comm comm, struct mpl_counts counts,
                  const MPI_Datatype *types);
/** What this member has of it. */
uint64_t mpl_share(struct mpl_call_now *c, MPI_Comm comm, struct mpl_counts counts,
                   MPI_Datatype type);
void mpl_coll_begin(struct mpl_call_now *c, MPI_Comm comm, enum mpl_op op, int root,
                    uint64_t sent, uint64_t received);
void mpl_coll_end(struct mpl_call_now *c);
void mpl_icoll(struct mpl_call_now *c, MPI_Request *request, MPI_Comm comm, enum mpl_op op,
               int root, uint64_t sent, uint64_t received);
void mpl_coll_init(struct mpl_call_now *c, MPI_Request *request, MPI_Comm comm,
                   enum mpl_op op, int root, uint64_t sent, uint64_t received);

/* ---- clocks (clocks.c) ----------------------------------------------------------------------------- */

void mpl_clocks_open(bool are_threads_many);
void mpl_clocks_compare(struct mpl_track *track);
void mpl_clocks_close(void);
/** Behind a call in which all processes have met: now and then compares clocks. */
void mpl_clocks_between(struct mpl_track *track);
bool mpl_clocks_are_continued(void);
/** Of all processes, apart from the program's messages; MPI_COMM_NULL: there is none. */
MPI_Comm mpl_clocks_comm(void);
/** Whether \p comm holds all processes, and what all of them count is the same for all. */
bool mpl_is_of_all(const struct mpl_comm *comm);

/* ---- less of a long run (thin.c) --------------------------------------------------------------------- */

/** All processes call it. Nothing is left out where one has no spool, or no limit, or where threads may meet in any order. */
void mpl_thin_open(bool is_recorded, bool are_threads_many);
bool mpl_is_thinning(void);
/** Behind a call in which all processes have met. */
void mpl_thin_between(struct mpl_track *track);
/** The end of a run is recorded. */
void mpl_thin_end(struct mpl_track *track);

#endif
