/* Shared by the files of analysis only: the analysis under construction. */
#ifndef MPL_ANALYSIS_ANALYSIS_PRIV_H
#define MPL_ANALYSIS_ANALYSIS_PRIV_H

#include "analysis/analysis.h"

struct trial {
    struct mpl_trial shown;
    struct mpl_recognition *recognition;
    struct mpl_metrics *metrics; /* NULL when not chosen */
    struct mpl_arena *arena;     /* of the recognition */
};

/* The stages of one run, each with the arena that it lives in: dropped from right to left. */
struct run {
    struct mpl_run shown;
    struct mpl_model *model;
    struct mpl_arena *read_arena;
    struct mpl_arena *match_arena;
    struct mpl_arena *clock_arena;
    struct mpl_arena *events_arena;
};

struct mpl_analysis {
    struct mpl_arena *arena; /* knowledge and the diagnosis */
    struct mpl_lint *lint;
    const struct mpl_patterns *patterns;
    const struct mpl_metric_set **metric_sets; /* parallel to patterns */
    const struct mpl_rules *rules;
    struct mpl_infer *infer;

    struct run *runs;
    size_t n_runs;
    struct trial *trials;
    size_t n_trials;

    struct mpl_buf
        experiments; /* struct mpl_experiment, with metrics in a buffer of the arena */
    struct mpl_buf results; /* struct mpl_metric_result */
    struct mpl_buf
        complaints; /* const struct mpl_lint_message *: rules that ask for nonsense */

    struct mpl_diagnosis diagnosis;
    const struct mpl_clock_options *clock; /* NULL: the defaults. */
    const struct mpl_progress *progress;
};

/* run.c */
enum mpl_status mpl_run_open(struct mpl_analysis *a, struct run *run, const char *path,
                             size_t number, struct mpl_err *err);
void mpl_run_close(struct run *run);
bool mpl_run_is_usable(const struct run *run);

/* trials.c */
enum mpl_status mpl_trials_make(struct mpl_analysis *a,
                                const struct mpl_analysis_options *options,
                                struct mpl_err *err);
struct trial *mpl_trials_find(struct mpl_analysis *a, const char *run, const char *pattern);

/* facts.c */
enum mpl_status mpl_facts_assert(struct mpl_analysis *a, struct mpl_err *err);

/* needs.c */
enum mpl_status mpl_needs_answer(struct mpl_analysis *a, struct mpl_err *err);

/* findings.c */
enum mpl_status mpl_findings_rank(struct mpl_analysis *a, struct mpl_err *err);

/* verdict.c */
enum mpl_status mpl_verdict_reach(struct mpl_analysis *a, struct mpl_err *err);

#endif
