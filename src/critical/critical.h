/*
 * Takes:        spans, what each of them waited for, and for whom (events).
 * Makes:        the critical path of a run: who was busy at each moment while somebody waited in
 *               the end for that; what share of it locations and functions have.
 * Leaves alone: what that means to the user; times are those of the corrected clocks.
 *
 * Source: Böhme, Wolf, de Supinski, Schulz, Geimer: Scalable Critical-Path Based Performance
 * Analysis, IPDPS 2012.
 */
#ifndef MPL_CRITICAL_CRITICAL_H
#define MPL_CRITICAL_CRITICAL_H

#include "events/events.h"

/** A stretch of the path on one location. */
struct mpl_critical_segment {
    uint32_t location;
    /** The call in which the location of the next segment waited for this one: it ended that wait
        at end_ticks. MPL_NONE for the last segment, and where threads or the end of the run tell
        who was last. */
    uint32_t awaited_in;
    int64_t begin_ticks;
    int64_t end_ticks;
    bool is_tied; /**< Another location would have done as well, see n_ties. */
};

struct mpl_critical {
    const struct mpl_events *events;
    uint32_t n; /**< At least 1 where the run has events. */
    /** In order of time, without gaps: each begins where the one before it ends. */
    const struct mpl_critical_segment *segments;
    int64_t begin_ticks; /**< Of the first segment … */
    int64_t end_ticks;   /**< … and of the last one. */
    /** On the path in calls of which nobody can tell for whom they wait: the path may leave its
        location there. */
    int64_t unknown_ticks;
    /** So often two came last together, as far as the clocks can tell: with the other one, another
        path is as long. */
    uint64_t n_ties;
};

/**
 * Walks from the last event backwards: through a location as long as it was busy, from the end of
 * a wait to whoever was waited for, at that moment. So no waiting is on the path, and it is as long
 * as the run, from the launch of the process on which it begins; of one that is launched when
 * others work already, from the end of their start-up. In MPI_Finalize all wait for the last.
 *
 * Example: 0 computes 0..50 and sends; 1 computes 0..10, receives 10..52, computes 52..60. The path
 * is 0 from 0 to 50 and 1 from 50 to 60: that 1 computes 10 in the beginning does not matter.
 *
 * For a part of a run, locations that are left out are not gone to.
 *
 * Ownership: \p out lives in \p arena and borrows \p events.
 * Errors:    MPL_E_NOMEM only.
 * Cost:      linear in the calls of the path and the moments of threads.
 */
enum mpl_status mpl_critical_create(const struct mpl_events *events,
                                    struct mpl_arena *arena,
                                    const struct mpl_critical **out, struct mpl_err *err);

/** A clause: why the path may be another one; NULL: there is no reason. */
const char *mpl_critical_doubt(const struct mpl_critical *path);

/** What a function has of the path on a location. */
struct mpl_critical_share {
    uint32_t location;
    uint32_t region; /**< User function or call; MPL_NONE: what is in none. */
    double path_s;
};
/** What a function has of the path, and otherwise. */
struct mpl_critical_region {
    uint32_t region; /**< MPL_NONE likewise. */
    double path_s;
    double mean_s; /**< Without waiting, mean over the locations that have events. */
    /** path_s - mean_s, or 0: what the path would lose if all had the same of it. */
    double imbalance_s;
};
struct mpl_critical_shares {
    double length_s;
    const double *location_s; /**< Of the path, per location; they add up to length_s. */
    size_t n_regions;         /**< On the path; the largest share first. */
    const struct mpl_critical_region *regions;
    size_t n_shares; /**< Locations and functions on the path; the largest share first. */
    const struct mpl_critical_share *shares;
    double imbalance_s; /**< Sum over regions. */
};
/**
 * The path between two moments. A function's time is exclusive of the functions and calls in it.
 *
 * Ownership: \p out lives in \p arena. Errors: MPL_E_NOMEM only.
 * Cost: linear in records; the logarithm of what is on the path on top.
 */
enum mpl_status mpl_critical_shares_create(const struct mpl_critical *path,
                                           int64_t begin_ticks, int64_t end_ticks,
                                           struct mpl_arena *arena,
                                           const struct mpl_critical_shares **out,
                                           struct mpl_err *err);

/** A call that the path goes through, or a stretch between two records outside of all functions. */
struct mpl_critical_call {
    uint32_t location;
    uint32_t region; /**< MPL_NONE: a stretch. */
    uint32_t event;  /**< That enters the call; before the stretch. */
    uint32_t
        number; /**< Which of its location's calls of a function of that name, from 1; or 0. */
    double path_s; /**< Exclusive of the functions and calls in it. */
};
struct mpl_critical_calls {
    size_t n;
    size_t n_all;                        /**< On the path. */
    const struct mpl_critical_call *all; /**< The n longest of them, the longest first. */
};
/**
 * At most so many calls. What of the path lies before a location's first record is in none.
 *
 * Ownership: \p out lives in \p arena. Errors: MPL_E_NOMEM only.
 * Cost: linear in records, and for each of the \p most once more.
 */
enum mpl_status mpl_critical_calls_create(const struct mpl_critical *path, size_t most,
                                          struct mpl_arena *arena,
                                          const struct mpl_critical_calls **out,
                                          struct mpl_err *err);

/** What consecutive steps of the run have of the path. */
struct mpl_critical_step {
    uint32_t first; /**< Step, from 1. What comes before the first step is 0, … */
    uint32_t last;  /**< … what comes behind the last one has the number after it. */
    double path_s;
    uint32_t location; /**< With most of it; MPL_NONE: they have none. */
    double most_s;     /**< What that location has of it. */
};
struct mpl_critical_steps {
    size_t
        n; /**< Ascending without gaps, from what is before the steps to what is behind them. */
    const struct mpl_critical_step *all;
};
/**
 * Divides the path among the steps of the run. Each location is in the step between the calls that
 * bound it in its process; so a path may leave a step and come back to it. \p most: if there are more
 * steps, as few as necessary are taken together.
 *
 * Ownership: \p out lives in \p arena. Errors: MPL_E_NOMEM only.
 * Cost: segments and the steps that they cross, times the logarithm of them.
 */
enum mpl_status mpl_critical_steps_create(const struct mpl_critical *path,
                                          const struct mpl_steps *steps,
                                          int64_t begin_ticks, int64_t end_ticks,
                                          uint32_t most, struct mpl_arena *arena,
                                          const struct mpl_critical_steps **out,
                                          struct mpl_err *err);

#endif
