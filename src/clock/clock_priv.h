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
struct mpl_clock_link {
    uint32_t from;
    uint32_t to;
    uint32_t back;       /**< The link from `to` to `from`, or MPL_NONE. */
    int64_t least_ticks; /**< Smallest (end at `to` - begin at `from`), in process times. */
    int64_t limit_ticks; /**< That, or less: see waiting.c. What graphs are made of. */
    uint32_t n_waited; /**< Messages that surely found `to` waiting, see waiting.c; counted
                              up to the number that is enough. */
    bool is_prompt;    /**< There is none back, and no receive at `to` took so long that it
                              could have waited: the fastest message may have lain there. */
};

/** One comparison: what begins at a process comes before what ends at another. */
struct mpl_point {
    uint32_t link;
    uint32_t begin_at; /**< For whoever works with points, see windows.c. */
    uint32_t end_at;
    int64_t begin_ticks; /**< Process times. */
    int64_t end_ticks;
};

enum { MPL_LINKS_RECENT = 64 };

struct mpl_links {
    uint32_t n_processes;
    struct mpl_buf link; /**< struct mpl_clock_link, each (from, to) once. */
    struct mpl_map *at;  /**< from * n_processes + to -> index. */
    /** Where the link that was found last for a `from` stands, by that modulo their number. */
    uint32_t recent[MPL_LINKS_RECENT];
    struct mpl_buf point; /**< struct mpl_point. */
    uint32_t n_per_point; /**< Of so many comparisons of a link that follow each other, the
                               tightest becomes a point; 0: no points. */
    bool is_short;        /**< Memory ran out: links or points are missing. */
};

/** Must be closed, also after a failure. */
enum mpl_status mpl_links_open(struct mpl_links *links, const struct mpl_order_view *view,
                               struct mpl_err *err);
void mpl_links_close(struct mpl_links *links);
/** Its index; MPL_NONE within a process, and when memory ran out. */
uint32_t mpl_links_add(struct mpl_links *links, uint32_t from, uint32_t to,
                       int64_t least_ticks);
/** The same with a point, where points are kept. */
void mpl_links_add_point(struct mpl_links *links, uint32_t from, uint32_t to,
                         int64_t begin_ticks, int64_t end_ticks);
/** The \p i-th; valid until the next one is added. */
struct mpl_clock_link *mpl_links_get(const struct mpl_links *links, size_t i);
/** The link the other way, or NULL. */
const struct mpl_clock_link *mpl_links_back(const struct mpl_links *links,
                                            const struct mpl_clock_link *link);
/** NULL when there is none. */
const struct mpl_clock_link *mpl_links_find(const struct mpl_links *links, uint32_t from,
                                            uint32_t to);

/** The tightest of some messages that follow each other between two processes. */
struct mpl_tight {
    uint32_t from;
    uint32_t to;
    int64_t begin_ticks;
    int64_t end_ticks;
};
/** Takes the least differences of messages, one receiving process after the other; lives in \p scratch. */
struct mpl_gather_pairs;
/** NULL when out of memory. \p links are only asked how many messages make a point. */
struct mpl_gather_pairs *mpl_gather_pairs_create(const struct mpl_links *links,
                                                 struct mpl_arena *scratch);
/** What comes next goes to \p tight, of struct mpl_tight. */
void mpl_gather_pairs_begin(struct mpl_gather_pairs *gather, struct mpl_buf *tight);
/** \p n messages. */
void mpl_gather_pairs(struct mpl_gather_pairs *gather, const struct mpl_order_pair *pairs,
                      uint32_t n);
/** False: memory ran out. */
bool mpl_gather_pairs_end(struct mpl_gather_pairs *gather);
void mpl_gather_add(struct mpl_links *links, const struct mpl_buf *tight);

/** The same of collectives, which goes to the links at once. */
struct mpl_gather_colls;
/** NULL when out of memory. */
struct mpl_gather_colls *mpl_gather_colls_create(struct mpl_links *links,
                                                 const struct mpl_model *model,
                                                 struct mpl_arena *scratch);
void mpl_gather_instance(struct mpl_gather_colls *gather,
                         const struct mpl_order_instance *in);
void mpl_gather_colls_end(struct mpl_gather_colls *gather);
/**
 * Adds what collectives say beyond the neighbours that gathering looks at: where somebody, with
 * \p add_ticks added per process, leaves before the last one has entered. \p n counts them.
 */
enum mpl_status mpl_links_refine(struct mpl_links *links, const struct mpl_order_view *view,
                                 const int64_t *add_ticks, uint64_t *n,
                                 struct mpl_err *err);

/** Counts messages whose receivers were waiting for them, and finds links that are prompt. */
enum mpl_status mpl_waiting_find(const struct mpl_order_view *view, struct mpl_links *links,
                                 struct mpl_arena *scratch, struct mpl_err *err);
/**
 * The same for members of collectives whom a late one kept waiting, which get links to it. The
 * links so far hold with \p add_ticks, so the new ones do, too.
 */
enum mpl_status mpl_waiting_find_late(const struct mpl_order_view *view,
                                      struct mpl_links *links, const int64_t *add_ticks,
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
 * \p has_limits_only: what to add is of no interest, only the limits and bounds of it. What to add is then
 * one of the solutions, not the likeliest, and links stay without what is found out for that.
 */
enum mpl_status mpl_estimate_create(const struct mpl_order_view *view,
                                    struct mpl_links *links, const int64_t *raw_ticks,
                                    bool has_limits_only, struct mpl_arena *arena,
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
 * Shortest paths from some processes, more of which may be added later. 128 bits, because limits must
 * stay additive even along many arcs whose lengths a damaged trace made absurd.
 */
struct mpl_paths {
    uint32_t n;
    __int128 *ticks;    /**< Length; MPL_PATH_NONE where no path leads. */
    uint32_t *parent;   /**< MPL_NONE at starts. */
    uint32_t *reached;  /**< Processes in the order in which a path was found first … */
    uint32_t n_reached; /**< … so far. */
    uint32_t *queue;    /**< Of those whose paths became shorter; a ring. */
    uint32_t head;
    uint32_t n_queued;
    uint32_t n_shortened; /**< Since circles were looked for. */
    uint32_t *mark;
    bool *is_queued;
};
enum mpl_status mpl_graph_create(const struct mpl_links *links, enum mpl_graph_kind kind,
                                 struct mpl_arena *arena, struct mpl_graph *out,
                                 struct mpl_err *err);
enum mpl_status mpl_paths_create(uint32_t n, struct mpl_arena *arena, struct mpl_paths *out,
                                 struct mpl_err *err);
/** Forgets all paths. */
void mpl_paths_clear(struct mpl_paths *paths);
/** A start; \p ticks must not be more than what is known already. */
void mpl_paths_start(struct mpl_paths *paths, uint32_t p, __int128 ticks);
/** Shortest paths from all starts; the graph must have a solution. */
void mpl_paths_spread(const struct mpl_graph *graph, struct mpl_paths *paths);
/**
 * For each process the lowest one of its component: of those that limit each other from both
 * sides. Lives in \p arena.
 */
enum mpl_status mpl_components_find(const struct mpl_graph *graph, struct mpl_arena *arena,
                                    const uint32_t **component, struct mpl_err *err);
/** Whether no circle has a negative length. The contents of \p paths are lost. */
bool mpl_graph_has_solution(const struct mpl_graph *graph, const uint32_t *component,
                            struct mpl_paths *paths);

/** Numbers of which the lowest is taken first (a heap). */
struct mpl_lowest {
    uint32_t *number;
    size_t n;
};
/** The array must have room for it. */
void mpl_lowest_add(struct mpl_lowest *lowest, uint32_t number);
/** MPL_NONE: there is none left. */
uint32_t mpl_lowest_take(struct mpl_lowest *lowest);

/** The same graph with the limits as they are now; its memory is used again. */
void mpl_graph_fill(const struct mpl_links *links, enum mpl_graph_kind kind,
                    struct mpl_graph *graph);

/** Clocks that no constant fits: constants all the same, good enough to begin with. */
enum mpl_status mpl_rough_estimate(const struct mpl_order_view *view,
                                   const struct mpl_links *links, const int64_t *raw_ticks,
                                   const struct mpl_paths *tree, struct mpl_arena *scratch,
                                   struct mpl_estimate *estimate, struct mpl_err *err);

/* ---- clocks that drift ------------------------------------------------------------------- */

/**
 * What is added to each process's times on a common time line, in the course of the run: linear
 * between knots, which all processes share.
 */
struct mpl_course {
    uint32_t n_processes;
    uint32_t n;              /**< Knots; at least 1. */
    const int64_t *at_ticks; /**< Ascending. */
    double *add_ticks;       /**< Process times n plus knot. */
    double *slope;           /**< Per process: before the first and after the last knot. */
};
double mpl_course_get(const struct mpl_course *course, uint32_t process, int64_t ticks);

/** Intervals per window, e.g. of what may be added. Infinite where nothing limits it. */
struct mpl_tunnel {
    double *low;
    double *high;
};

/** A smoothing spline with room for its solution; lives in \p arena. NULL: out of memory. */
struct mpl_curve;
struct mpl_curve *mpl_curve_create(uint32_t n, const int64_t *at_ticks,
                                   struct mpl_arena *arena);
/**
 * Writes the smoothest curve inside \p tunnel to \p out, a value per window. How far it is
 * expected from zero is \p prior; INFINITY if nothing is known. Returns the slope of the straight
 * line that fits best, in ticks per tick.
 */
double mpl_curve_fit(struct mpl_curve *curve, const struct mpl_tunnel *tunnel, double prior,
                     double *out);

/** Windows of time, each around a knot, and what points say in each of them. */
struct mpl_windows;
/** The points of \p links must not change any more. */
enum mpl_status mpl_windows_create(struct mpl_links *links, const int64_t *pins,
                                   uint32_t n_pins, struct mpl_arena *arena,
                                   struct mpl_windows **out, struct mpl_err *err);
uint32_t mpl_windows_count(const struct mpl_windows *windows, const int64_t **at_ticks);
/** How often and by how much points are reversed on the time line that \p course makes. */
struct mpl_reversals {
    uint64_t n;
    double sum_ticks;
    double trips_ticks; /**< Shortest round trips of all links that have any, added up. */
};
struct mpl_reversals mpl_windows_measure(struct mpl_windows *windows,
                                         const struct mpl_course *course);
/** Drops points that contradict nearly all their neighbours, adds their number to
 *  \p n_dropped, and measures anew. */
enum mpl_status mpl_windows_drop_outliers(struct mpl_windows *windows,
                                          const struct mpl_course *course,
                                          uint64_t *n_dropped, struct mpl_err *err);
/**
 * Intervals of what may still be added, per process and window (process times windows plus
 * window), as measured last. The rate at which offsets may change is found, but is at least
 * \p rate_least.
 */
void mpl_windows_enclose(struct mpl_windows *windows, uint32_t reference, double rate_least,
                         struct mpl_tunnel *tunnel);
/** By how much offsets may change per tick beside what the course says, as found last. */
double mpl_windows_rate(const struct mpl_windows *windows);

/** How well drifting clocks were corrected. */
struct mpl_drift {
    struct mpl_course course;
    double rate;       /**< By how much offsets may change per tick beside the course. */
    double *low_ticks; /**< Per process: what could still be added, at least; infinite where
                             nothing limits it. */
    double *high_ticks;      /**< At most. Both from the first to the last comparison … */
    double *beyond_ticks;    /**< … and by how much more before and behind these. */
    double *narrowest_ticks; /**< Per process: width of its narrowest interval; 0: none. */
    struct mpl_reversals before; /**< Of points: without the course … */
    struct mpl_reversals after;  /**< … and with it. */
    bool is_better;              /**< The course is worth using. */
    uint64_t n_outliers;         /**< Points dropped. */
};
/**
 * Estimates from the points of \p links, which lie on a common time line from 0 to
 * \p end_ticks that is good but for drift. At \p pins nothing is to be added. With a \p tilt,
 * offsets are known to change so fast, though nothing is reversed: round trips are to become
 * longer instead. The result lives in \p arena, with all that is needed on the way.
 */
enum mpl_status mpl_drift_estimate(struct mpl_links *links, uint32_t reference,
                                   const int64_t *pins, uint32_t n_pins, int64_t end_ticks,
                                   double tilt, struct mpl_arena *arena,
                                   const struct mpl_drift **out, struct mpl_err *err);
/**
 * Whether messages that constants fit are far more likely with a drift: how fast the offset of
 * two processes then changes per tick, at most; 0 if none is. Points are on a common time line.
 */
enum mpl_status mpl_tilt_find(const struct mpl_links *links, int64_t end_ticks,
                              struct mpl_arena *scratch, double *rate, struct mpl_err *err);

/** Offsets as EventSpace has them: what to add per process to reach process 0, or \p raw_ticks
 *  for processes that no responses connect to it. */
enum mpl_status mpl_eventspace_estimate(const struct mpl_order_view *view,
                                        const int64_t *raw_ticks, struct mpl_arena *scratch,
                                        int64_t *add_ticks, bool *is_reached,
                                        struct mpl_err *err);

/* ---- violations --------------------------------------------------------------------------- */

/** How far messages are received before they were sent: what EventSpace calls a miss. */
struct mpl_misses {
    struct mpl_buf miss; /**< int64_t, > 0; to be freed */
    uint64_t n;          /**< Messages seen. */
    bool is_short;       /**< Memory ran out. */
};
void mpl_misses_clear(struct mpl_misses *misses);
/** For mpl_misses_see() only. */
void mpl_misses_put(struct mpl_misses *misses, int64_t ticks);
static inline void mpl_misses_see(struct mpl_misses *misses,
                                  const struct mpl_order_pair *pair)
{
    const int64_t ticks = mpl_ticks_minus(pair->sent_ticks, pair->received_ticks);

    misses->n++;
    if (ticks > 0) {
        mpl_misses_put(misses, ticks);
    }
}
void mpl_misses_add(struct mpl_misses *misses, const struct mpl_misses *more);
/** Sorts the misses. */
void mpl_misses_describe(struct mpl_misses *misses, struct mpl_clock_accuracy *out);

/**
 * Walks messages and collectives once: counts what ends before it begins when \p add_ticks is
 * added per process, and gathers \p links where these are not NULL. \p per_location, where not
 * NULL, counts messages and collectives at the location that ends too early.
 */
enum mpl_status mpl_clock_scan(const struct mpl_order_view *view, const int64_t *add_ticks,
                               struct mpl_links *links, uint64_t *per_location,
                               struct mpl_misses *misses, struct mpl_violations *out,
                               struct mpl_err *err);
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
/**
 * Along the course of a process from 0 to \p end_ticks, with as few knots as leave it by at
 * most \p error_ticks. \p is_sound is false where a clock would stand still or run backwards.
 */
enum mpl_status mpl_clock_map_course(const struct mpl_course *course, uint32_t process,
                                     int64_t end_ticks, double error_ticks,
                                     struct mpl_arena *arena, struct mpl_clock_map *out,
                                     bool *is_sound, struct mpl_err *err);
int64_t mpl_clock_map_apply(const struct mpl_clock_map *map, int64_t ticks);
/** Rewrites \p n ascending times, all that there are. False: out of memory; some may be rewritten then. */
bool mpl_clock_map_apply_all(const struct mpl_clock_map *map, struct mpl_times *times,
                             uint32_t n);

/* ---- the stage while it works ------------------------------------------------------------- */

struct mpl_clock_stage {
    struct mpl_model *model;
    const struct mpl_clock_options *options;
    const struct mpl_progress *progress;
    struct mpl_arena *arena; /**< Of the result; borrowed. */
    struct mpl_arena *scratch;
    struct mpl_clock *clock; /**< The result. */
    struct mpl_order_view *view;
    const struct mpl_estimate *estimate; /**< Of messages; NULL for other sources. */
    int64_t *offset_ticks;               /**< Columns of the result, per location. */
    int64_t *drift_ticks;
    int64_t *column[4];   /**< Of the result: bound, tree bound, low, high. */
    int64_t *bound_ticks; /**< Per process; they become columns of the result. */
    int64_t *tree_ticks;
    int64_t *low_ticks;
    int64_t *high_ticks;
    int64_t *raw_ticks;          /**< Per process: its base minus that of process 0. */
    int64_t *zero_ticks;         /**< Per process. */
    struct mpl_misses misses;    /**< As counted last. */
    uint64_t *n_violations;      /**< Per location, as counted last. */
    uint64_t (*recorded_end)[2]; /**< Per location: first and last time, absolute. */
    struct mpl_clock_map *map;   /**< Per location. */
    uint64_t origin_ticks;       /**< Absolute ticks of the reference clock where the time
                                       line that maps lead to begins. */
    int64_t first_ticks;         /**< By how much the last maps moved that. */
    bool is_rigid;               /**< Recorded offsets that move all clocks by the same. */
};

/** Rewrites all times by the maps; then the first event of the run is at 0. */
enum mpl_status mpl_clock_apply_maps(struct mpl_clock_stage *s, struct mpl_err *err);

/** What the trace offers, and the user wants. */
enum mpl_clock_source mpl_clock_choose_source(const struct mpl_model *model,
                                              enum mpl_clock_choice choice);
/** Maps through recorded offsets. */
enum mpl_status mpl_clock_map_offsets(struct mpl_clock_stage *s, struct mpl_err *err);
/** The first and the last moment at which offsets were recorded, on the time line now. */
void mpl_clock_find_pins(const struct mpl_clock_stage *s, int64_t pins[2]);

/** Constants for all locations. */
enum mpl_status mpl_clock_map_constants(struct mpl_clock_stage *s, const int64_t *add_ticks,
                                        struct mpl_err *err);
/** Bounds and limits as estimated; limits are relative to \p add_ticks, or to 0. */
void mpl_clock_keep_estimate(struct mpl_clock_stage *s, const struct mpl_estimate *e,
                             const int64_t *add_ticks);

/** Of how many comparisons one is kept as a point: few in small traces, always linear. */
uint32_t mpl_clock_points(const struct mpl_match *match);
/**
 * Where no constants fit: follows the drift, from the points in \p links, which hold process
 * times. Notes what is doubtful in any case.
 */
enum mpl_status mpl_clock_refine_messages(struct mpl_clock_stage *s,
                                          struct mpl_links *links, struct mpl_err *err);
/**
 * Corrects recorded offsets that leave reversals, where that leaves fewer and was not
 * forbidden; in any case finds how wrong they are. Points are on the time line now.
 */
enum mpl_status mpl_clock_refine_offsets(struct mpl_clock_stage *s, struct mpl_links *links,
                                         bool *is_refined, struct mpl_err *err);
/** Notes processes that nothing connects, or messages in one direction only. */
void mpl_clock_note_sides(const struct mpl_clock_stage *s, const bool *is_alone,
                          const bool *is_one_sided);

/** The largest error that is stated with the recorded offsets of a process; 0: none is. */
int64_t mpl_clock_stated_error(const struct mpl_model *model, uint32_t process);

#endif
