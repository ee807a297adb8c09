/*
 * Takes:        the net of dependences of a trace.
 * Makes:        answers to "must this have come before that?", for any two events: what comes
 *               before an event, what after it, and through which messages.
 * Leaves alone: times; no answer depends on a clock.
 *
 * Numbers. Events of a location are counted from 1 in the order of its records; 0 means none. A
 * timestamp holds, for a location, how many of its first events have come before: the number of
 * the greatest predecessor, the textbook's convention and not the paper's, where it is one more
 * for other processes. So event e of location p comes before event f of another one if
 * timestamp(f)[p] >= number of e.
 *
 * Only sinks have timestamps: between two of them a location learns nothing. A timestamp is short
 * where all that a sink needs comes from its own cluster of locations.
 *
 * Source: Ward, Taylor: Self-Organizing Hierarchical Cluster Timestamps.
 */
#ifndef MPL_CAUSALITY_CAUSALITY_H
#define MPL_CAUSALITY_CAUSALITY_H

#include "order/order.h"

/** How locations are put into clusters. */
enum mpl_clustering {
    MPL_CLUSTER_STATIC, /**< Neighbours by number. */
    MPL_CLUSTER_SELF, /**< On their first message, while the trace is walked: section 3. */
    MPL_CLUSTER_INFORMED /**< By all messages of the trace, before it is walked. */
};

/** More than are ever of use: clusters of a level that do not hold two of the next smaller ones save nothing, so that
    these reach 2^16 locations. */
enum { MPL_CLUSTER_LEVELS = 16 };

struct mpl_causality_options {
    enum mpl_clustering clustering;
    uint32_t
        n_levels; /**< 0: plain vectors, Fidge and Mattern. 1: two levels, and so on. */
    uint32_t
        most[MPL_CLUSTER_LEVELS]; /**< Largest clusters, ascending; the innermost first. */
};

struct mpl_causality;

/**
 * Walks \p net once and stamps its sinks; it is not needed then.
 *
 * Errors: MPL_E_NOMEM; MPL_E_LIMIT beyond 2^32 numbers. \p *out is written on MPL_OK only. Cost: sinks
 * times locations.
 */
enum mpl_status mpl_causality_create(struct mpl_net *net,
                                     const struct mpl_causality_options *options,
                                     struct mpl_causality **out, struct mpl_err *err);
void mpl_causality_destroy(struct mpl_causality *causality); /* NULL is allowed */

/** Up to so many locations questions are answered by vectors: each is 64 bytes at most, and answers at
    once. Beyond that, where a vector grows with every location, by informed clusters, if they take
    less. */
enum { MPL_MOST_FOR_VECTORS = 16, MPL_USUAL_CLUSTER = 8 };

/** Timestamps of a run that are made when somebody asks for the first time. */
struct mpl_precedences;
/** Lives in \p arena and borrows the others. NULL: no memory. */
struct mpl_precedences *mpl_precedences_create(const struct mpl_model *model,
                                               const struct mpl_match *match,
                                               struct mpl_arena *arena);
/** Errors: MPL_E_NOMEM. */
enum mpl_status mpl_precedences_get(struct mpl_precedences *precedences,
                                    struct mpl_causality **out, struct mpl_err *err);
/**
 * The net that they were made of, made again unless it has circles: witnesses are asked for seldom, and
 * it would take more memory than the timestamps. Errors: MPL_E_NOMEM.
 */
enum mpl_status mpl_precedences_net(const struct mpl_precedences *precedences,
                                    struct mpl_arena *arena, const struct mpl_net **out,
                                    struct mpl_err *err);
bool mpl_precedences_are_made(const struct mpl_precedences *precedences);
enum { MPL_MOMENTS_MOST = 64 };
/**
 * Which of \p n moments, at most MPL_MOMENTS_MOST and of different locations, come before which: with bit k, moment k comes
 * before moment i, for \p before[i]. Makes no timestamps, and costs half as much. Errors: MPL_E_NOMEM.
 */
enum mpl_status mpl_precedences_among(struct mpl_precedences *precedences,
                                      const struct mpl_moment *moments, uint32_t n,
                                      uint64_t *before, struct mpl_err *err);
/**
 * Whether \p a comes before \p b. The first one that asks gets along without timestamps, and whoever asks again has them
 * made. Errors: MPL_E_NOMEM.
 */
enum mpl_status mpl_precedences_is_before(struct mpl_precedences *precedences,
                                          struct mpl_moment a, struct mpl_moment b,
                                          bool *is, struct mpl_err *err);
/** Which timestamps they are, once they are made, and a clause why these. */
const struct mpl_causality_options *
mpl_precedences_options(const struct mpl_precedences *precedences);
const char *mpl_precedences_why(const struct mpl_precedences *precedences);

enum mpl_precedence {
    MPL_PRECEDENCE_BEFORE,
    MPL_PRECEDENCE_AFTER,
    MPL_PRECEDENCE_SAME,
    MPL_PRECEDENCE_CONCURRENT,
    MPL_PRECEDENCE_NOT_KNOWN /**< No chain is recorded, but not all that could be one is. */
};
const char *mpl_precedence_name(enum mpl_precedence precedence); /* "before", … */

/** Whether some dependences are in a circle and therefore left out, so that chains may be missing. */
bool mpl_causality_has_circles(const struct mpl_causality *causality);
/** Whether such a one comes before \p event, or a message whose sender is a guess, which is left out,
    too: more may come before it than is known. */
bool mpl_causality_misses(struct mpl_causality *causality, struct mpl_moment event);

/** What \p a is to \p b. */
enum mpl_precedence mpl_causality_compare(struct mpl_causality *causality,
                                          struct mpl_moment a, struct mpl_moment b);

/** Why the absence of a chain proves nothing, a clause; NULL: it proves that there is no order. */
const char *mpl_causality_doubt(const struct mpl_causality *causality);
/** The same about chains to \p event only. */
const char *mpl_causality_doubt_at(struct mpl_causality *causality,
                                   struct mpl_moment event);

/** Why more may come before \p event than is known, or after it: a clause; NULL: all is known. */
const char *mpl_causality_doubt_past(struct mpl_causality *causality,
                                     struct mpl_moment event);
const char *mpl_causality_doubt_future(struct mpl_causality *causality,
                                       struct mpl_moment event);

/** Why there may be more chains than a net has that nobody has walked, a clause; NULL: none, but for circles and what
    net->silent says, for which there is a clause, too. */
const char *mpl_causality_doubt_of_net(const struct mpl_net *net);
extern const char mpl_causality_silence[];

/**
 * Records of a location: a call from its first to its last one. What lies between two records has
 * the one behind it as \p begin and the one before it as \p end: what comes after it comes after
 * the one behind.
 */
struct mpl_stretch {
    uint32_t location;
    uint32_t begin;
    uint32_t end;
};
/**
 * What one stretch is to another one. It is before it if a part of it must have come before a part
 * of the other one, and not the other way round too. Concurrent are two of which neither is so, or
 * each, such as two calls of the same barrier.
 */
struct mpl_standing {
    enum mpl_precedence is;
    bool is_whole;     /**< Before or after: all of the one before anything of the other. */
    bool does_overlap; /**< Concurrent: each begins before the other ends. */
    const char *why;   /**< Not known: a clause; else NULL. */
};
struct mpl_standing mpl_causality_relate(struct mpl_causality *causality,
                                         struct mpl_stretch a, struct mpl_stretch b);
/** Whether a part of \p a must have come before a part of \p b. */
bool mpl_causality_reaches(struct mpl_causality *causality, struct mpl_stretch a,
                           struct mpl_stretch b);

/** Number of the last event of \p location that comes before \p event; 0: none. */
uint32_t mpl_causality_past(struct mpl_causality *causality, struct mpl_moment event,
                            uint32_t location);
/** Number of the first event of \p location that comes after \p event; 0: none. */
uint32_t mpl_causality_future(struct mpl_causality *causality, struct mpl_moment event,
                              uint32_t location);

/** A dependence between two locations. */
struct mpl_causality_edge {
    struct mpl_moment from;
    struct mpl_moment to;
};
/**
 * A shortest chain of dependences of a net that was walked from \p a to \p b, in its order; none where both are
 * on one location. Of several it leaves \p a's location early and comes to that of \p b late. \p *n_edges is 0 also where there is no chain.
 *
 * Errors: MPL_E_NOMEM. Cost: linear in the points of the net.
 */
enum mpl_status mpl_causality_witness(const struct mpl_net *net, struct mpl_moment a,
                                      struct mpl_moment b, struct mpl_arena *arena,
                                      const struct mpl_causality_edge **edges,
                                      size_t *n_edges, struct mpl_err *err);

struct mpl_causality_size {
    uint64_t n_stamps;
    uint64_t n_entries; /**< Numbers in timestamps; those that share one count once. */
    size_t bytes;       /**< Everything that answers need. */
    /** Numbers of an average timestamp over the number of locations if every event had one of its
        own: what the paper's Fig. 7 shows. NaN without events. */
    double ratio;
    size_t vector_bytes; /**< What plain vectors of this trace would take. */
};
struct mpl_causality_size mpl_causality_size(const struct mpl_causality *causality);

/** How often a number of a timestamp was looked at, or written; one that is kept by what it is more than
    another one is one number. */
struct mpl_causality_cost {
    uint64_t creation; /**< At most 4 times the locations per source and sink. */
    /** Of all questions so far. One about the past of an event takes 1 inside of its innermost cluster,
        and with two levels at most 2 times the cluster's size beyond it. */
    uint64_t questions;
};
struct mpl_causality_cost mpl_causality_cost(const struct mpl_causality *causality);

#endif
