/*
 * Takes:        a run with its stages, and the words in which somebody names moments of it.
 * Makes:        answers to who was first: which of two moments must have come before the other,
 *               and through which messages; what comes before a moment and after it.
 * Leaves alone: how answers look (report), and what is slow (analysis).
 *
 * Answers rest on records alone. Clocks are asked too, and reported beside the answer, so that
 * somebody can see whether they agree.
 */
#ifndef MPL_QUERY_QUERY_H
#define MPL_QUERY_QUERY_H

#include "analysis/analysis.h"
#include "causality/causality.h"

struct mpl_query;

/**
 * \p diagnosis must have a usable run, the first one, and is borrowed. Timestamps are made when
 * the first question needs them.
 *
 * Errors: MPL_E_NOMEM. *out must be destroyed.
 */
enum mpl_status mpl_query_create(const struct mpl_diagnosis *diagnosis,
                                 struct mpl_query **out, struct mpl_err *err);
void mpl_query_destroy(struct mpl_query *query); /* NULL is allowed */

/* ---- moments ------------------------------------------------------------------------------ */

/** A record, in words that a person can look up. */
struct mpl_instant {
    uint32_t location;
    uint32_t event;
    uint32_t record;    /**< In the location's event file, from 1. */
    const char *region; /**< The innermost that is open; NULL: none. */
    const char *does;   /**< "sends 8 bytes to 2 with tag 7", "enters"; never NULL. */
    double time_s;      /**< On the common time line, since the first event of the run. */
};
/** Ownership: texts live as long as the query. Errors: those of mpl_records_read(). */
enum mpl_status mpl_query_look(struct mpl_query *query, struct mpl_moment moment,
                               struct mpl_instant *out, struct mpl_err *err);

/**
 * What an address names: a record, or a stretch of a location between two records, a call. Where
 * it lies between two records, because nothing is recorded at its second, \p begin is the record
 * behind and \p end the one before it.
 */
struct mpl_spot {
    const char *address;
    const char *note; /**< What was chosen, where the address leaves that open; or NULL. */
    struct mpl_instant begin; /**< What comes after this comes after a part of it. */
    struct mpl_instant end;   /**< What comes before this comes before a part of it. */
};
/**
 * Finds what is at an address:
 *
 *     5#123            record 123 of location 5, counted from 1 in its event file
 *     5@0.42           the call in which location 5 is at that second of the run
 *     5:MPI_Recv[42]   the 42nd call of MPI_Recv of location 5, counted from 1
 *     f3               the first wait that finding f3 rests on; needs a diagnosis
 *
 * Errors: MPL_E_USAGE with what is near where there is none; those of mpl_records_read().
 */
enum mpl_status mpl_query_find(struct mpl_query *query, const char *address,
                               struct mpl_spot *out, struct mpl_err *err);
/** Whether \p address can only be understood with a diagnosis: "f3". */
bool mpl_query_is_finding(const char *address);

/* ---- which of two ----------------------------------------------------------------------------- */

/** What makes something of one location come before something of another one. */
enum mpl_link_kind {
    MPL_LINK_MESSAGE,    /**< Sent here, received there. */
    MPL_LINK_ANSWER,     /**< A synchronous send returns when its receive has begun. */
    MPL_LINK_COLLECTIVE, /**< Entered here, needed to leave it there. */
    MPL_LINK_THREAD      /**< Threads of a process: fork, join, barrier, lock. */
};
const char *mpl_link_kind_name(enum mpl_link_kind kind); /* "message", … */

struct mpl_link {
    enum mpl_link_kind kind;
    struct mpl_instant from;
    struct mpl_instant to;
};

struct mpl_between {
    struct mpl_spot a;
    struct mpl_spot b;
    enum mpl_precedence answer; /**< What a is to b. */
    /** Of calls: the whole of one comes before the other begins. Otherwise it only begins before the
        other ends. Of records: always. */
    bool is_whole;
    bool does_overlap; /**< Each begins before the other ends, so neither is first. */
    size_t n_links;
    const struct mpl_link
        *links; /**< A shortest chain from what comes first, or a, to the other. */
    /** By the corrected clocks, from the begin of what comes first to the end of the other; below 0
        they contradict the records. Where neither comes first from the begin of a to that of b. */
    double margin_s;
    double error_s;  /**< How wrong that may be; NaN: unknown. */
    const char *why; /**< A clause: why it is not known; else NULL. */
};
/** The answer alone, without proof; \p *why is NULL where it is known. Errors: as above. */
enum mpl_status mpl_query_compare(struct mpl_query *query, const struct mpl_spot *a,
                                  const struct mpl_spot *b, enum mpl_precedence *answer,
                                  const char **why, struct mpl_err *err);
/** Ownership: lives as long as the query. Errors: as above. */
enum mpl_status mpl_query_between(struct mpl_query *query, const struct mpl_spot *a,
                                  const struct mpl_spot *b, struct mpl_between *out,
                                  struct mpl_err *err);

/* ---- before and after --------------------------------------------------------------------------- */

/** Of each location, the last record that must have come before, or the first that must come after. */
struct mpl_cut {
    struct mpl_spot spot;
    bool is_future;
    bool is_complete; /**< False: there may be more than these, see why. */
    const char *why;
    uint32_t n; /**< Locations with such a record. */
    const struct mpl_instant
        *instants; /**< Ascending by location; without the spot's own. */
};
enum mpl_status mpl_query_cut(struct mpl_query *query, const struct mpl_spot *spot,
                              bool is_future, struct mpl_cut *out, struct mpl_err *err);

/* ---- what could have come in another order ------------------------------------------------------- */

/** Receives of a location that other messages could have met. */
struct mpl_race {
    uint32_t location;
    uint32_t comm;
    uint32_t tag;
    uint64_t n_receives; /**< With that communicator and tag. */
    uint64_t count;      /**< Of them, that could have met a message of another sender. */
    bool
        is_likely; /**< The location asks for any source, or takes its messages in changing turns; else it may
                         ask for each sender by name, which is not recorded. */
};
struct mpl_races {
    size_t n;
    const struct mpl_race *races; /**< Likely ones first, then by count. */
    const char *why; /**< Why there may be fewer: an order that is not recorded; or NULL. */
};
/** Cost: a question of causality per message. */
enum mpl_status mpl_query_races(struct mpl_query *query, struct mpl_races *out,
                                struct mpl_err *err);

/* ---- where waiting begins ------------------------------------------------------------------------- */

/** A location that waves of waiting reach. */
struct mpl_reach {
    uint32_t location;
    uint32_t hops; /**< Waits from the origin to here; median over the waves. */
    uint32_t
        distance; /**< Messages to here from the origin, at least; MPL_NONE: none lead here. */
    uint64_t n_waves; /**< In which it waits. */
    double after_s;   /**< Its wait ends so long after the origin was there; median. */
};
/** A location that makes others wait by its own fault. */
struct mpl_origin {
    uint32_t location;
    double waited_s; /**< Waiting of all locations that it causes. */
    double share;    /**< Of the process time: locations times window. */
    /** The first of its delays that counts: when it was there at last. */
    struct mpl_instant first;
    uint32_t
        step; /**< Of the run, from 1; 0: before them. MPL_NONE: it has no common steps. */
    uint64_t n_waves; /**< Delays that count. */
    double least_s;   /**< Shorter waits do not count: half of the usual one for it. */
    size_t n_reached;
    const struct mpl_reach
        *reached; /**< By hops, then by time: in at least half of the waves. */
    double
        hops_per_s; /**< From the first of these to the last; NaN: all are one hop away. */
};
struct mpl_origins {
    const char *finding; /**< The waits that it is about; NULL: all. */
    const char *why;     /**< A clause: why it is not known; then there is nothing below. */
    uint32_t n_steps;
    double
        waited_s; /**< All that was asked about, as far as there is somebody to wait for. */
    size_t n;     /**< Origins of a twentieth of the process time or more: largest first. */
    const struct mpl_origin *origins;
    uint32_t n_small; /**< Others, */
    double small_s;   /**< and the waiting that they cause. */
};
/**
 * The waits that no other wait explains, and what they led to. A wait that another one causes
 * comes after it in the order of messages, see mpl_events_wait_origins().
 *
 * Errors: MPL_E_USAGE where there is no such finding.
 */
enum mpl_status mpl_query_origins(struct mpl_query *query, const char *finding,
                                  struct mpl_origins *out, struct mpl_err *err);

/* ---- what timestamps take -------------------------------------------------------------------------- */

enum mpl_stamp_kind {
    MPL_STAMP_VECTORS,      /**< A number of every location: Fidge and Mattern. */
    MPL_STAMP_STATIC,       /**< Clusters of neighbours by number. */
    MPL_STAMP_SELF,         /**< Clusters by first message. */
    MPL_STAMP_INFORMED,     /**< Clusters by all messages. */
    MPL_STAMP_HIERARCHICAL, /**< Likewise, with clusters of 4 and 16 of these. */
    MPL_STAMP_KINDS
};
const char *mpl_stamp_kind_name(enum mpl_stamp_kind kind); /* "vectors", … */

struct mpl_stamp_size {
    enum mpl_stamp_kind kind;
    uint32_t max_cluster; /**< 0: vectors have no clusters. */
    double ratio;    /**< As in Fig. 7 of the paper, see causality.h; NaN without events. */
    uint64_t bytes;  /**< All that answers need. */
    bool is_used;    /**< What questions about this trace are answered with. */
    const char *why; /**< A clause: why it is used; NULL: it is not. */
};
enum mpl_status mpl_query_size(struct mpl_query *query, enum mpl_stamp_kind kind,
                               uint32_t most, struct mpl_stamp_size *out,
                               struct mpl_err *err);

#endif
