/*
 * Takes:        the events of a run, or of a part of it.
 * Makes:        who exchanges messages with whom, as formulas of roles see it: per location with which processes, and among
 *               processes the graph of what is significant.
 * Leaves alone: who plays which role (recognize).
 */
#ifndef MPL_TOPOLOGY_TOPOLOGY_H
#define MPL_TOPOLOGY_TOPOLOGY_H

#include "events/events.h"
#include "pattern/pattern.h"

/** Messages between a location and a process. */
struct mpl_traffic {
    uint32_t process;
    uint64_t n_sent;
    uint64_t n_received;
};

enum {
    /** Peers with less than one in so many of the messages of the busiest one are strays: a last
        report to rank 0, a first scatter. */
    MPL_STRAY_ONE_IN = 10,
    /** Up to so many processes eccentricities are exact; above they are lower bounds. */
    MPL_ECCENTRICITY_EXACT = 2048,
};

/** Significant messages from one process to another. */
struct mpl_topology_arc {
    uint32_t from, to;
    uint64_t n;
};

/** The processes that take part, and the significant arcs among them. */
struct mpl_peer_graph {
    uint32_t n_processes; /**< Of the model: what arrays are indexed by. */
    uint32_t n_nodes;     /**< That take part. */
    const bool *is_node;
    uint64_t *n_messages; /**< Per process: with others, as the end says that saw more. */
    uint64_t *n_mutual;   /**< Of these, twice the smaller way of each pair. */
    uint32_t n_arcs;
    const struct mpl_topology_arc *arcs; /**< Sorted by (from, to). */
    bool *is_request;           /**< Per arc: its messages ask for those of the arc back. */
    uint32_t n_edges;           /**< Without direction. */
    const uint32_t *first;      /**< n_processes + 1: into neighbours. */
    const uint32_t *neighbours; /**< Ascending per process. */
    uint32_t n_components;
    const uint32_t *component; /**< Numbered by their lowest process; MPL_NONE: no node. */
};

/** How a location begins to exchange messages that count, by the order of its records. */
struct mpl_first_messages {
    bool are_none; /**< It exchanges no messages. */
    uint32_t
        received; /**< The first one, if it comes before the location sends one; else MPL_NONE. */
};

/** Classes of calls, which recognize keeps here for all patterns. */
struct mpl_kinds_table;

struct mpl_topology {
    const struct mpl_events *events;
    const struct mpl_model *model;
    struct mpl_arena *arena;
    uint32_t n; /**< Locations that take part: those that call MPI. */
    uint32_t *locations;
    struct mpl_traffic *traffic;       /**< Grouped by location. */
    size_t *first;                     /**< n + 1: into traffic. */
    struct mpl_first_messages *firsts; /**< n */
    uint64_t
        *n_ends; /**< Per location of the model: message ends and collectives that count. */
    struct mpl_peer_graph graph;
    double *values[MPL_VAR_FIXED]; /**< Per variable: n numbers. */
    bool has_eccentricity;
    struct mpl_kinds_table *kinds; /**< NULL until asked for. */
};

/**
 * Made once for all patterns that are tried on \p events.
 *
 * Ownership: lives in \p arena, borrows \p events.
 * Errors:    MPL_E_NOMEM only.
 * Cost:      linear in message ends; n log n in pairs of processes that exchange messages.
 */
enum mpl_status mpl_topology_create(const struct mpl_events *events,
                                    struct mpl_arena *arena, struct mpl_topology **out,
                                    struct mpl_err *err);
/**
 * Groups of processes that significant messages connect: per process the number of its group,
 * below \p *n; MPL_NONE for processes that do not call MPI. Both live in \p arena.
 */
enum mpl_status mpl_topology_components(const struct mpl_events *events,
                                        struct mpl_arena *arena, const uint32_t **component,
                                        uint32_t *n, struct mpl_err *err);

/** Fills in the eccentricities, which cost processes times edges. Again: nothing happens. */
enum mpl_status mpl_topology_want_eccentricity(struct mpl_topology *t, struct mpl_err *err);

/** What a message end names that counts: recorded, not to or from MPI_PROC_NULL, not garbage; NULL: it does not count. */
static inline const struct mpl_envelope *
mpl_topology_envelope(const struct mpl_events *events, uint32_t location, uint32_t message)
{
    const struct mpl_envelope *envelope =
        mpl_envelope_of(&events->model->locations[location], message);

    return envelope != NULL && !envelope->is_null && !envelope->is_garbage &&
                   mpl_events_has_message(events, location, message)
               ? envelope
               : NULL;
}
/** A message end that counts. */
static inline bool mpl_topology_counts(const struct mpl_events *events, uint32_t location,
                                       uint32_t message)
{
    return mpl_topology_envelope(events, location, message) != NULL;
}
/** A collective part that counts: it moves data or synchronises, and has somebody to do so with. */
bool mpl_topology_counts_collective(const struct mpl_events *events, uint32_t location,
                                    uint32_t collective);
/** Likewise, where the envelope is unsure of it: the process that has the other end, if it was found. */
uint32_t mpl_topology_matched_peer(const struct mpl_events *events, uint32_t location,
                                   uint32_t message);
/** Process at the other end of a message end, which names \p envelope; MPL_NONE when nobody is. */
static inline uint32_t mpl_topology_peer_by(const struct mpl_events *events,
                                            uint32_t location, uint32_t message,
                                            const struct mpl_envelope *envelope)
{
    return envelope->comm_unsure ? mpl_topology_matched_peer(events, location, message)
                                 : envelope->peer;
}
/** The same, looking up what it names: it was completed. */
static inline uint32_t mpl_topology_peer(const struct mpl_events *events, uint32_t location,
                                         uint32_t message)
{
    return mpl_topology_peer_by(
        events, location, message,
        mpl_envelope_of(&events->model->locations[location], message));
}

/* graph.c */
/** From t->traffic. */
enum mpl_status mpl_peer_graph_create(struct mpl_topology *t, struct mpl_err *err);
/** The arc between two processes among \p n sorted ones, or MPL_NONE. */
uint32_t mpl_arc_find(const struct mpl_topology_arc *arcs, uint32_t n, uint32_t from,
                      uint32_t to);
/** Per process: the longest path of arcs other than requests that leads to it; MPL_NONE on and
    behind circles. */
enum mpl_status mpl_peer_graph_stages(const struct mpl_peer_graph *graph,
                                      struct mpl_arena *arena, uint32_t **out,
                                      struct mpl_err *err);
/** Per process: edges to the farthest one; MPL_NONE where the graph is not connected. */
enum mpl_status mpl_peer_graph_eccentricities(const struct mpl_peer_graph *graph,
                                              struct mpl_arena *arena, uint32_t **out,
                                              struct mpl_err *err);

/* requests.c */
/** Fills in which arcs are requests. Linear in arcs, but for the search of each. */
enum mpl_status mpl_peer_graph_find_requests(struct mpl_peer_graph *graph,
                                             struct mpl_arena *arena, struct mpl_err *err);

/* forest.c */
/** Who started whom: per process, MPL_NONE where it cannot be known. */
struct mpl_forest {
    uint32_t *level;
    uint32_t *children;
    uint32_t *height;
};
enum mpl_status mpl_forest_create(const struct mpl_topology *t, struct mpl_forest *out,
                                  struct mpl_err *err);

#endif
