/*
 * Takes:        runs, what somebody noted about them, and the patterns that were found in them.
 * Makes:        groups of runs that are alike, which programs they are runs of, and remarks on runs that one might take
 *               for repetitions and that are none.
 * Leaves alone: what the runs of a group lose, and what is known of several sizes (analysis).
 */
#ifndef MPL_SETS_SETS_H
#define MPL_SETS_SETS_H

#include "recognize/recognize.h"
#include "run/run.h"

/** What somebody noted about a run, in the order of the traces. */
struct mpl_manifest_run {
    const char *trace; /**< Path of the trace, resolved against the manifest's directory. */
    const char *label; /**< May be NULL. */
    uint32_t processes;   /**< 0: not said. */
    const char *settings; /**< Runs that differ in it are not alike; NULL: not said. */
    struct mpl_machine machine;
};
struct mpl_manifest {
    const char *path;
    size_t n;
    const struct mpl_manifest_run *runs; /**< Those that have a trace. */
};
/**
 * Reads a manifest (doc/guide.md, "Several runs"): YAML with a list `runs`, as `marple run` writes it
 * into case.yaml. \p path is the file, or a directory that holds a case.yaml.
 * Errors: MPL_E_IO, MPL_E_SYNTAX with messages in \p lint.
 */
enum mpl_status mpl_manifest_read(const char *path, struct mpl_arena *arena,
                                  struct mpl_lint *lint, const struct mpl_manifest **out,
                                  struct mpl_err *err);

/**
 * Amounts of work are about the same up to this factor. On a machine that others use, too, what is
 * measured as computation of the same work differs by some 10 to 20 % from run to run; knobs that
 * somebody turns on purpose (tasks, grid, iterations) usually change it by half or more.
 */
#define MPL_SAME_WORK 1.25

/** Runs alike; ascending by processes. */
struct mpl_group {
    const char *id; /**< "g1" */
    uint32_t processes;
    const char *settings; /**< May be NULL. */
    size_t n_runs;
    const uint32_t *runs;           /**< Indexes of runs, ascending by duration. */
    uint32_t speaker;               /**< The run with the median duration. */
    double median_s, low_s, high_s; /**< Of window_s. */
    double compute_s;               /**< Computation of all processes of the speaker. */
    uint32_t
        computing;    /**< Processes that compute; a master who only hands out does not. */
    uint32_t program; /**< Runs that look like one program have the same number, from 0. */
};

struct mpl_sets {
    size_t n_groups;
    const struct mpl_group *groups;
    const uint32_t *group_of; /**< Per run; MPL_NONE where it cannot be used. */
    size_t
        n_remarks; /**< Sentences: which runs are no repetitions of one another, and why. */
    const char *const *remarks;
    const char
        *machine_remark; /**< That runs were not measured alike, one of them; or NULL. */
};

/** A pattern with events of its own that was found in a run. */
struct mpl_found_pattern {
    uint32_t run;
    const struct mpl_pattern *pattern;
};

struct mpl_sets_input {
    struct mpl_run *runs; /**< Get their label and machine from the manifest. */
    size_t n_runs;
    const struct mpl_manifest *manifest;      /**< May be NULL. */
    const struct mpl_found_pattern *patterns; /**< In the order of runs. */
    size_t n_patterns;
};
/** Ownership: in \p arena; borrows texts of the input. Errors: MPL_E_NOMEM. */
enum mpl_status mpl_sets_find(const struct mpl_sets_input *in, struct mpl_arena *arena,
                              struct mpl_sets *out, struct mpl_err *err);
/** NULL for a run that cannot be used. */
const struct mpl_group *mpl_group_of(const struct mpl_sets *sets, uint32_t run);

#endif
