/*
 * What the files of clock share. While clocks are compared, times are those of a process: ticks
 * since the base of its master location, as recorded. Differences of absolute times do not
 * appear, so nothing depends on how large a clock's count is.
 */
#ifndef MPL_CLOCK_CLOCK_PRIV_H
#define MPL_CLOCK_CLOCK_PRIV_H

#include "clock/clock.h"

/* ---- what messages and collectives say about clocks ------------------------------------- */

/** x[from] - x[to] <= least, if x[p] is what must be added to the clock of p. */
struct mpl_link {
    uint32_t from;
    uint32_t to;
    uint32_t back;       /**< The link from `to` to `from`, or MPL_NONE. */
    int64_t least_ticks; /**< Smallest (end at `to` - begin at `from`), in process times. */
    int64_t limit_ticks; /**< That, or less: see waiting.c. What graphs are made of. */
    uint32_t n_waited; /**< Messages that surely found `to` waiting, see waiting.c; counted
                              up to the number that is enough. */
};

struct mpl_links {
    uint32_t n_processes;
    struct mpl_buf link; /**< struct mpl_link, each (from, to) once. */
    struct mpl_map *at;  /**< from * n_processes + to -> index. */
    bool is_short;       /**< Memory ran out: links are missing. */
};

/** Must be closed, also after a failure. */
enum mpl_status mpl_links_open(struct mpl_links *links, const struct mpl_order_view *view,
                               struct mpl_err *err);
void mpl_links_close(struct mpl_links *links);
void mpl_links_add(struct mpl_links *links, uint32_t from, uint32_t to,
                   int64_t least_ticks);
/** The \p i-th; valid until the next one is added. */
struct mpl_link *mpl_links_get(const struct mpl_links *links, size_t i);
/** The link the other way, or NULL. */
const struct mpl_link *mpl_links_back(const struct mpl_links *links,
                                      const struct mpl_link *link);
/** NULL when there is none. */
const struct mpl_link *mpl_links_find(const struct mpl_links *links, uint32_t from,
                                      uint32_t to);

/** Takes the least differences while the trace is walked; lives in \p scratch. */
struct mpl_gather;
/** NULL when out of memory. */
struct mpl_gather *mpl_gather_create(struct mpl_links *links,
                                     const struct mpl_order_view *view,
                                     struct mpl_arena *scratch);
void mpl_gather_pair(struct mpl_gather *gather, const struct mpl_order_pair *pair);
void mpl_gather_instance(struct mpl_gather *gather, const struct mpl_order_instance *in);
void mpl_gather_finish(struct mpl_gather *gather);
/**
 * Adds what collectives say beyond the neighbours that gathering looks at: where somebody, with
 * \p add_ticks added per process, leaves before the last one has entered. \p n counts them.
 */
enum mpl_status mpl_links_refine(struct mpl_links *links, const struct mpl_order_view *view,
                                 const int64_t *add_ticks, uint64_t *n,
                                 struct mpl_err *err);

/** Counts messages whose receivers were waiting for them. */
enum mpl_status mpl_waiting_find(const struct mpl_order_view *view, struct mpl_links *links,
                                 struct mpl_arena *scratch, struct mpl_err *err);
/** The time of travel to begin with. */
int64_t mpl_waiting_travel(const struct mpl_links *links, uint64_t ticks_per_s);
/** Sets limits as if the fastest message to waiting receivers travelled at most so long. */
void mpl_waiting_assume(struct mpl_links *links, int64_t travel_ticks);

/* ---- estimates ------------------------------------------------------------------------- */

/** What is known about clocks against that of the reference; columns are per process. */
struct mpl_estimate {
    uint32_t reference;    /**< Process. */
    int64_t *add_ticks;    /**< To be added to a process time to reach the reference's. */
    int64_t *low_ticks;    /**< What messages allow at least; INT64_MIN: no limit. */
    int64_t *high_ticks;   /**< What they allow at most; INT64_MAX: no limit. */
    int64_t *bound_ticks;  /**< Of add_ticks; INT64_MAX: none. */
    int64_t *tree_ticks;   /**< Along the spanning tree; INT64_MAX: not in it. */
    bool is_contradictory; /**< No constant fits: the clocks drift, or records are wrong. */
    bool *is_one_sided;    /**< Limited from one side only. */
    bool *is_alone;        /**< Nothing connects it to the reference. */
};

/**
 * Finds what to add per process so that all links hold, or most nearly.
 *
 * \p raw_ticks, per process: what makes process times comparable if all clocks are alike.
 */
enum mpl_status mpl_estimate_create(const struct mpl_order_view *view,
                                    struct mpl_links *links, const int64_t *raw_ticks,
                                    struct mpl_arena *arena,
                                    const struct mpl_estimate **out, struct mpl_err *err);

/** Arcs of a graph of processes, grouped by their beginning. */
struct mpl_arc {
    uint32_t to;
    int64_t ticks;
};
struct mpl_graph {
    uint32_t n;
    uint32_t *first; /**< n + 1 entries. */
    struct mpl_arc *arc;
};

enum mpl_graph_kind {
    MPL_GRAPH_UPPER, /**< to -> from: limits of x from above. */
    MPL_GRAPH_LOWER, /**< from -> to: limits of -x from above. */
    MPL_GRAPH_ROUND, /**< Round trips, both ways; negative ones by their size. */
};
/** "No path", and beyond every sum of path lengths. */
#define MPL_PATH_NONE ((__int128) 1 << 100)

/**
 * Shortest paths. 128 bits, because limits must stay additive even along many arcs whose
 * lengths a damaged trace made absurd.
 */
struct mpl_paths {
    __int128 *ticks;  /**< In: where to start; MPL_PATH_NONE elsewhere. Out: length. */
    uint32_t *parent; /**< MPL_NONE at starts. */
    uint32_t *hops;
    uint32_t *queue;
    bool *is_queued;
};
enum mpl_status mpl_graph_create(const struct mpl_links *links, enum mpl_graph_kind kind,
                                 struct mpl_arena *arena, struct mpl_graph *out,
                                 struct mpl_err *err);
enum mpl_status mpl_paths_create(uint32_t n, struct mpl_arena *arena, struct mpl_paths *out,
                                 struct mpl_err *err);
/** Shortest paths from all starts; false where a cycle of negative length exists. */
bool mpl_paths_find(const struct mpl_graph *graph, struct mpl_paths *paths);

/** Clocks that no constant fits: a constant along the tree, and how far the data leave it. */
enum mpl_status mpl_drift_estimate(const struct mpl_order_view *view,
                                   const struct mpl_links *links, const int64_t *raw_ticks,
                                   const struct mpl_paths *tree, struct mpl_arena *scratch,
                                   struct mpl_estimate *estimate, struct mpl_err *err);

/* ---- violations --------------------------------------------------------------------------- */

/**
 * Walks messages and collectives once: counts what ends before it begins when \p add_ticks is
 * added per process, and gathers \p links where these are not NULL. \p per_location, where not
 * NULL, counts messages and collectives at the location that ends too early.
 */
enum mpl_status mpl_clock_scan(const struct mpl_order_view *view, const int64_t *add_ticks,
                               struct mpl_links *links, uint64_t *per_location,
                               struct mpl_violations *out, struct mpl_err *err);
/* ---- maps: the one place where times change --------------------------------------------------- */

/**
 * What to add to a location's times: linear between knots, with the first and last slope
 * beyond them. Slopes are fractions with 62 bits behind the point: with the largest distance
 * that 53 bits hold, a slope's rounding moves a time by less than 2^-9 ticks.
 */
struct mpl_clock_knot {
    int64_t at_ticks;  /**< Location time: ticks since its recorded base. */
    int64_t add_ticks; /**< There. */
    int64_t slope_q62; /**< From here to the next knot; of the last: beyond it. */
};
struct mpl_clock_map {
    uint32_t n; /**< At least 1. */
    struct mpl_clock_knot *knot;
};

/** A constant. */
enum mpl_status mpl_clock_map_constant(int64_t add_ticks, struct mpl_arena *arena,
                                       struct mpl_clock_map *out, struct mpl_err *err);
/**
 * Through recorded offsets. The common time line counts from \p origin_ticks, absolute ticks of
 * the reference clock. Points that would make a clock stand still or run backwards, or run at
 * twice its speed, are wrong: \p is_sound is then false and the first one holds throughout.
 */
enum mpl_status mpl_clock_map_recorded(const struct mpl_clock_offset *points, uint32_t n,
                                       uint64_t base_ticks, uint64_t origin_ticks,
                                       struct mpl_arena *arena, struct mpl_clock_map *out,
                                       bool *is_sound, struct mpl_err *err);
int64_t mpl_clock_map_apply(const struct mpl_clock_map *map, int64_t ticks);
/** Rewrites \p n ascending times. */
void mpl_clock_map_apply_all(const struct mpl_clock_map *map, int64_t *ticks, uint32_t n);

#endif
