/*
 * Takes:        the MPI calls of a program, into which the library of this folder is preloaded.
 * Makes:        a spool file per process; its format is described here, for the module that reads it.
 * Leaves alone: OTF2, and everything that can wait until the run is over (spool).
 *
 * A spool is a file that is mapped while it is written, so that what was recorded is in the kernel's
 * hands at once and survives whatever ends the process. It begins with a head of one page; chunks follow,
 * each of them records of one thread, in any order. Records are words of 64 bits in the byte order of the machine,
 * and end at the first word that is 0.
 */
#ifndef MPL_TRACE_TRACE_H
#define MPL_TRACE_TRACE_H

#include <stdint.h>

/** Spools are called so in the directory that MARPLE_TRACE_SPOOLS names. */
#define MPL_SPOOL_SUFFIX ".spool"
#define MPL_SPOOL_MAGIC  UINT64_C(0x324c4f4f5053504d) /* "MPSPOOL2" */

enum {
    MPL_SPOOL_HEAD = 4096,
    MPL_SPOOL_CHUNK = 64 * 1024, /**< Bytes, all of them. */
    MPL_SPOOL_HOST = 256,
    MPL_SPOOL_MOST_WORDS = 255, /**< Of a record. */
    MPL_SPOOL_OBJECT_WORDS = 5, /**< Of MPL_SPOOL_OBJECT, in front of its bytes. */
    MPL_SPOOL_TIES = 128,
    MPL_MOST_FRAMES = 16 /**< Of a place in the program. */
};

/** How a process ended. */
enum mpl_spool_end {
    MPL_SPOOL_CUT,      /**< It did not come to MPI_Finalize. */
    MPL_SPOOL_FINISHED, /**< It left MPI_Finalize. */
    MPL_SPOOL_ABORTED,  /**< It called MPI_Abort. */
    MPL_SPOOL_LEFT      /**< It ended by itself, without MPI_Finalize. */
};

/** A moment on two clocks. */
struct mpl_spool_tie {
    uint64_t ticks; /**< Of the counter that stamps records. */
    uint64_t ns;    /**< Of CLOCK_MONOTONIC. */
};

struct mpl_spool_head {
    uint64_t magic; /**< Written last. */
    uint32_t chunk_bytes;
    uint32_t rank; /**< In MPI_COMM_WORLD. */
    uint32_t size;
    uint32_t process; /**< The system's number of it. */
    uint32_t end;     /**< enum mpl_spool_end */
    uint32_t n_calls; /**< Of calls.def, when the library was built. */
    uint64_t
        lost; /**< Records for which there was no room; nothing is recorded behind the first. */
    uint64_t began_ns;     /**< Time of CLOCK_MONOTONIC, and */
    uint64_t began_utc_ns; /**< of the calendar, at the same moment. */
    uint64_t
        n_stretches; /**< Between operations of all processes, while there is a limit of size, */
    uint64_t n_recorded; /**< and those of them that were recorded. */
    char host[MPL_SPOOL_HOST];
    char clock
        [MPL_SPOOL_HOST]; /**< Processes with the same text here read the same clock. */
    uint32_t is_counted;  /**< 1: times of records are those of a counter, 0: ns. */
    uint32_t n_ties;
    struct mpl_spool_tie ties[MPL_SPOOL_TIES]; /**< Ascending. */
};

struct mpl_spool_chunk {
    uint64_t
        thread; /**< Number of the thread in its process from 0, plus 1; 0: not in use. */
    uint64_t
        number; /**< From 0 in each thread; of two with one number, the first one holds all records. */
};

/**
 * Of a record's first word: kind, its words, a call or an operation, and a communicator or a flag. The
 * second word is its time: a count where the head says so, otherwise ns.
 */
#define MPL_SPOOL_WORD(kind, words, small, large) \
    ((uint64_t) (kind) | (uint64_t) (words) << 8 | (uint64_t) (uint16_t) (small) << 16 | \
     (uint64_t) (uint32_t) (large) << 32)

/**
 * Kinds of records: what the small and the large field are, then the words from the third on. "Peer"
 * is a rank in the communicator in the lower half of a word, and a tag in the upper one. Requests are numbered
 * from 1 in each process.
 */
enum mpl_spool_kind {
    MPL_SPOOL_NONE,
    MPL_SPOOL_ENTER, /**< call, place in the program (0: unknown) */
    MPL_SPOOL_LEAVE, /**< call */
    MPL_SPOOL_ASKED, /**< -, communicator; peer: of the call entered last, before it blocks */
    MPL_SPOOL_SEND,      /**< -, communicator; peer, bytes */
    MPL_SPOOL_ISEND,     /**< -, communicator; peer, bytes, request */
    MPL_SPOOL_ISEND_END, /**< -; request */
    MPL_SPOOL_POST,      /**< -, communicator; peer as asked for, request */
    MPL_SPOOL_RECV,      /**< any, communicator; peer, bytes */
    MPL_SPOOL_IRECV,     /**< any, communicator; peer, bytes, request */
    MPL_SPOOL_CANCELLED, /**< -; request */
    MPL_SPOOL_BEGIN,     /**< -, communicator: a collective operation begins */
    MPL_SPOOL_END,       /**< operation, communicator; root, bytes sent, bytes received */
    MPL_SPOOL_IBEGIN,    /**< -, communicator; request: a non-blocking one */
    MPL_SPOOL_IEND, /**< operation, communicator; root, bytes sent, received, request */
    MPL_SPOOL_COMM, /**< enum mpl_spool_made, communicator; parent and number of the call on it, own rank and
                              size, world rank of rank 0 and of the remote rank 0, tag */
    MPL_SPOOL_NAME, /**< -, communicator; text */
    MPL_SPOOL_CLOCK, /**< -; a time of this process, what to add to it for that of rank 0, its error */
    MPL_SPOOL_FLUSH,    /**< -; when the tracer was done making room */
    MPL_SPOOL_SWITCH,   /**< 1: recording goes on, 0: it stops */
    MPL_SPOOL_PROPERTY, /**< -; text "key=value" */
    MPL_SPOOL_SITE, /**< -, its number from 1; addresses that are returned to, nearest first */
    MPL_SPOOL_OBJECT, /**< bytes of the build id, 1: of MPI itself; load bias, begin and end of its addresses, then
                               the build id and behind it the path as text */
    MPL_SPOOL_FORK,   /**< -, number of threads asked for: a parallel region begins */
    MPL_SPOOL_JOIN,   /**< -: it ends */
    MPL_SPOOL_TEAM_BEGIN, /**< -: this thread takes part in it from here */
    MPL_SPOOL_TEAM_END,   /**< -: to here */
    MPL_SPOOL_CPU /**< -, core; CPU time of the thread in ns, its voluntary context switches in the lower half of a
                       word and involuntary ones in the upper one */
};

/** Of a receive: what it left open. */
enum { MPL_SPOOL_ANY_SOURCE = 1, MPL_SPOOL_ANY_TAG = 2 };
/** The source and the tag that stand for any, whatever they are in an MPI. */
enum { MPL_SPOOL_ANY = -1 };
/** Instead of the rank of a root: there is none; in operations between two groups, it is this process itself, or
 *  another one of its group. */
enum { MPL_SPOOL_NO_ROOT = -1, MPL_SPOOL_ROOT_SELF = -2, MPL_SPOOL_ROOT_HERE = -3 };

/** How a communicator came about: who calls the same on the same parent for the n-th time made the same one. */
enum mpl_spool_made {
    MPL_MADE_WORLD, /**< Number 0 in every process. */
    MPL_MADE_SELF,  /**< Number 1. */
    MPL_MADE_CHILD, /**< Of a call that all of the parent make. */
    MPL_MADE_GROUP, /**< Of MPI_Comm_create_group: n counts calls of these members with this tag. */
    MPL_MADE_INTER, /**< Of MPI_Intercomm_create; own rank and size are those of the local group. */
    MPL_MADE_FOREIGN /**< Of whose making nothing is known. */
};

/** Collective operations, as OTF2 numbers them. */
enum mpl_op {
    MPL_OP_BARRIER,
    MPL_OP_BCAST,
    MPL_OP_GATHER,
    MPL_OP_GATHERV,
    MPL_OP_SCATTER,
    MPL_OP_SCATTERV,
    MPL_OP_ALLGATHER,
    MPL_OP_ALLGATHERV,
    MPL_OP_ALLTOALL,
    MPL_OP_ALLTOALLV,
    MPL_OP_ALLTOALLW,
    MPL_OP_ALLREDUCE,
    MPL_OP_REDUCE,
    MPL_OP_REDUCE_SCATTER,
    MPL_OP_SCAN,
    MPL_OP_EXSCAN,
    MPL_OP_REDUCE_SCATTER_BLOCK,
    MPL_OP_CREATE_HANDLE
};

/** What kind of call it is. */
enum mpl_call_class {
    MPL_CALL_SETUP,
    MPL_CALL_P2P,
    MPL_CALL_COLL,
    MPL_CALL_COMM,
    MPL_CALL_RMA,
    MPL_CALL_IO,
    MPL_CALL_OTHER,
    /* Of OpenMP: */
    MPL_CALL_PARALLEL,
    MPL_CALL_BARRIER,
    MPL_CALL_IMPLICIT_BARRIER
};

/** Every call that is intercepted, in the order of calls.def: MPL_CALL_IS_Send, …; and regions of OpenMP. */
enum mpl_call {
#define OWN(name, class)                                       MPL_CALL_IS_##name,
#define CALL(since, name, class, params, args, before, after)  MPL_CALL_IS_##name,
#define SIZED(since, name, class, params, args, before, after) MPL_CALL_IS_##name,
#include "trace/calls.def"
#undef OWN
#undef CALL
#undef SIZED
    MPL_CALL_IS_OMP_PARALLEL,
    MPL_CALL_IS_OMP_BARRIER,
    MPL_CALL_IS_OMP_IMPLICIT_BARRIER,
    MPL_CALLS
};

#endif
