/*
 * Takes:        the path of a trace, classes of functions, and how clocks and ranks are to be read.
 * Makes:        a run: the stages from its archive to its events, which it owns. Of a run alone: what a damaged trace lacks, and
 *               where threads and devices are waited for; scopes.h: its parts; clock_doubt.h: what its clocks may change.
 * Leaves alone: patterns and rules, and how runs compare.
 */
#ifndef MPL_RUN_RUN_H
#define MPL_RUN_RUN_H

#include "clock/clock.h"
#include "events/events.h"
#include "halt/halt.h"
#include "match/match.h"
#include "metrics/metrics.h"
#include "model/model.h"
#include "read/read.h"

/** The machine while a run was measured, as `marple run` or somebody noted it. */
struct mpl_machine {
    const char *host; /**< That it was started on; NULL: not said. */
    uint32_t cores;   /**< That a run can use on a host; 0: not known. */
    double
        foreign_cores; /**< Of them, kept busy by other programs on average; NaN: not known. */
    double ranks_per_core; /**< Where most ranks share a core; 0: not known. */
};

/** One trace and everything the stages made of it. Pointers are NULL after a failed stage. */
struct mpl_run {
    const char *id; /**< "r1" */
    const char *path;
    const char *label; /**< What the manifest calls it; NULL: nothing. */
    const struct mpl_model *model;
    const struct mpl_match *match;
    const struct mpl_clock *clock;
    const struct mpl_halt *halt; /**< Calls that never return; NULL: there are none. */
    const struct mpl_events *events;
    const char
        *failure; /**< Why the trace cannot be used, causes joined by "; "; else NULL. */
    struct mpl_machine machine; /**< As the manifest says. */
    double window_s;            /**< What is diagnosed: without start-up and shut-down. */
    double
        halted_s; /**< Behind the window, in which a run that hangs stands still; else 0. */
    double startup_s; /**< Mean over the processes. */
    double shutdown_s;
    const char *
        damage; /**< What a damaged trace lacks, "events of location 2"; NULL: it is whole. */
    double
        unknown_s; /**< Location time of which it therefore says nothing; 0 if it is whole. */
    struct mpl_stages *stages; /**< The memory of the above; NULL: not opened. */
};

struct mpl_run_options {
    const struct mpl_region_class *region_classes;
    size_t n_region_classes;
    const struct mpl_clock_options *clock; /**< NULL: the defaults. */
    const struct mpl_rank_pair *ranks;     /**< Other numbers for processes. */
    size_t n_ranks;
    bool has_calls_only;                 /**< See mpl_analysis_calls(). */
    const struct mpl_progress *progress; /**< NULL: silence. */
};

/**
 * Runs the stages. A trace that cannot be used is no error: then \p run says why in `failure`.
 * \p number counts from 1. Ownership: texts in \p arena; mpl_run_close() the run, even after an error.
 */
enum mpl_status mpl_run_open(const struct mpl_run_options *options, struct mpl_arena *arena,
                             const char *path, size_t number, struct mpl_run *run,
                             struct mpl_err *err);
void mpl_run_close(struct mpl_run *run);
bool mpl_run_is_usable(const struct mpl_run *run);
/** The variables of its events, made when first asked for. False without memory. */
bool mpl_run_variables(const struct mpl_run *run, struct mpl_variables **out);
/** Whether a quality note of the reader says that the trace is damaged. */
bool mpl_note_is_damage(const char *note);

/** A place in the program's source. */
struct mpl_where {
    const char *region;
    const char *file; /**< NULL when unknown. */
    uint32_t line;    /**< 0 when unknown. */
    double seconds;
    /** Where the place of an MPI call in that function is meant, its name; else NULL, and what follows is of no use. */
    const char *call;
    bool is_before; /**< What is computed in front of the call, not the call. */
    double share;   /**< Of what the cause costs. */
};

/** Where time passes that is neither computation nor MPI. */
enum mpl_place_kind {
    MPL_PLACE_DEVICE,  /**< "device-wait": calls that wait for an accelerator */
    MPL_PLACE_THREADS, /**< "thread-wait": calls that wait for other threads */
    MPL_PLACE_ALONE,   /**< "one-thread": what a process does with one of its threads */
};
/** The longest places on the location where that is longest, at most *n; *n is set to how many. */
enum mpl_status mpl_places_find(const struct mpl_run *run, enum mpl_place_kind kind,
                                struct mpl_arena *arena, struct mpl_where *out, size_t *n,
                                struct mpl_err *err);

#endif
