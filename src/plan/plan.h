/*
 * Takes:        a diagnosis: what rules needed and no trace could answer, and what they want measured.
 * Makes:        experiments: what to record and vary, for which tracer, at what cost, to what end.
 * Leaves alone: carrying them out (experiment).
 */
#ifndef MPL_PLAN_PLAN_H
#define MPL_PLAN_PLAN_H

#include "analysis/analysis.h"
#include "tracer/tracer.h"

/** An experiment that the traces at hand do not replace. */
struct mpl_planned {
    const char *id;      /**< "e1", by rank. */
    uint32_t run;        /**< Index of the run that asks for it, one of them. */
    const char *pattern; /**< Id of the pattern whose rules ask, one of them. */
    int level;           /**< 1-9, as the need that asks for it. */
    size_t n_purposes;   /**< What for: "split the lost time into imbalance and waiting". */
    const char *const *purposes;
    const char *purpose; /**< All of them in one: "a; and b". */
    size_t n_reasons; /**< Why it is asked, one sentence per need, with the rule's name. */
    const char *const *reasons;
    size_t n_metrics;
    const char *const
        *metrics; /**< "subdomain.delay_cost", as far as metrics ask for it. */
    size_t n_events;
    const char *const *events; /**< Abstract events from which they derive: "Exchange". */
    struct mpl_recording recording;
    size_t n_adds;
    /** Capabilities that nobody asks for, that the run at hand lacks, and that the tracer records anyhow. */
    const char *const *adds;
    size_t n_locations;
    const char *const *locations; /**< Labels of special interest; none: all. */
    size_t n_processes;
    const uint32_t *processes; /**< Numbers of processes to run with; one per run. */
    uint32_t repetitions;      /**< Runs of each, at least 1. */
    const char *knob; /**< What only the user can vary: "tasks per batch: 4"; or NULL. */
    size_t
        n_separates; /**< Names of the findings that it would confirm or refute, and how. */
    const char *const *separates;
    const char
        *expects;      /**< What it shows if the leading explanation holds; may be NULL. */
    double bytes;      /**< Expected size of the traces. */
    double run_s;      /**< Expected run time of all runs together. */
    double overhead_s; /**< Of that, by the tracer; per process. */
    bool
        lacks_functions; /**< Functions of the program, which the run at hand does not have, come on
                               top of these three. */
    double
        information; /**< Seconds of process time that its findings are about, per run second. */
    const struct mpl_settings
        *settings; /**< For the tracer chosen; NULL when none records it. */
    bool is_built; /**< The run at hand shows that the program is built for the tracer. */
    const char *
        problem; /**< A clause: why no known tracer or not the one asked for can; or NULL. */
    bool
        is_executable; /**< `marple run` can carry it out: tracer here, no rebuild, no knob. */
};

struct mpl_plan {
    const struct mpl_diagnosis *diagnosis;
    size_t n;
    const struct mpl_planned *experiments; /**< By information for cost. */
    size_t n_unanswerable;                 /**< What no tracer known here records. */
    const char *const *unanswerable;       /**< "x: reason". */
};

struct mpl_plan_options {
    const struct mpl_tracers *tracers;
    const char *tracer; /**< Name, or NULL: choose (auto). */
    uint64_t
        max_bytes; /**< 0: no limit; larger experiments stay in the plan with a problem. */
};

/** Ownership: \p out lives in \p arena and borrows the analysis'. */
enum mpl_status mpl_plan_make(const struct mpl_analysis *analysis,
                              const struct mpl_plan_options *options,
                              struct mpl_arena *arena, const struct mpl_plan **out,
                              struct mpl_err *err);

/** The first experiment, before there is any trace: the least that shows the pattern. */
enum mpl_status mpl_plan_first(const struct mpl_plan_options *options, uint32_t processes,
                               struct mpl_arena *arena, const struct mpl_planned **out,
                               struct mpl_err *err);

#endif
