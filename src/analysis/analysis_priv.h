/* Shared by the files of analysis only: the analysis under construction. */
#ifndef MPL_ANALYSIS_ANALYSIS_PRIV_H
#define MPL_ANALYSIS_ANALYSIS_PRIV_H

#include "analysis/analysis.h"

struct trial {
    struct mpl_trial shown;
    struct mpl_recognition *recognition;
    struct mpl_metrics *metrics;  /* NULL when not chosen */
    struct mpl_arena *arena;      /* of the recognition */
    const struct mpl_part *part;  /* of the run; NULL: the whole */
    struct mpl_arena *part_arena; /* of the events of that part */
    bool is_fit;                  /* reaches its pattern's minima; only on the world */
    uint8_t *asked; /* per metric, flags of needs.c; NULL while no condition has asked */
};

struct mpl_analysis {
    struct mpl_arena *arena;      /* knowledge and the diagnosis */
    struct mpl_arena *runs_arena; /* runs, which are read while knowledge is loaded */
    struct mpl_lint *lint;
    const struct mpl_patterns *patterns;
    const struct mpl_metric_set **metric_sets; /* parallel to patterns */
    const struct mpl_rules *rules;
    struct mpl_infer *infer;

    struct mpl_run_options run_options;
    struct mpl_run *runs; /* those of the diagnosis */
    size_t n_runs;
    struct trial *trials;
    size_t n_trials;

    struct mpl_buf
        experiments; /* struct mpl_experiment, with metrics in a buffer of the arena */
    struct mpl_buf results; /* struct mpl_metric_result */
    struct mpl_buf
        complaints; /* const struct mpl_lint_message *: rules that ask for nonsense */

    struct mpl_clock_doubt *clock_doubts; /* per run */

    struct mpl_diagnosis diagnosis;
    struct mpl_group_verdict *group_verdicts; /* those of the diagnosis */
    struct mpl_diagnosed *findings;           /* likewise */
    struct mpl_infer_limits limits;
    const struct mpl_what_if **questions; /* of the user */
    size_t n_questions;
};

/* trials.c */
enum mpl_status mpl_trials_make(struct mpl_analysis *a,
                                const struct mpl_analysis_options *options,
                                struct mpl_err *err);
/* By the id of a chosen pattern. */
struct trial *mpl_trials_find(const struct mpl_analysis *a, const char *run,
                              const char *pattern);

/* Whether a chosen pattern is part of the work of another one, which sees it as computation. */
bool mpl_trial_is_inside(const struct trial *inner, const struct trial *outer);

/* Index of the run with that id, or MPL_NONE. */
uint32_t mpl_runs_find(const struct mpl_analysis *a, const char *id);

/* scaling.c: facts `repeats` and `scaling`, and what rules expect from one run of another */
enum mpl_status mpl_groups_assert(struct mpl_analysis *a, struct mpl_err *err);
enum mpl_status mpl_scaling_show(struct mpl_analysis *a, struct mpl_err *err);

/*
 * spread.c: of each finding in how many runs of its group it is, and what it costs over them.
 * all[i].number == i; stands_for[i] is i, or the finding that is reported in its place; then n_seen is 0.
 */
enum mpl_status mpl_spread_fold(struct mpl_analysis *a, struct mpl_diagnosed *all, size_t n,
                                uint32_t *stands_for, struct mpl_err *err);

/* facts.c */
enum mpl_status mpl_facts_assert(struct mpl_analysis *a, struct mpl_err *err);

/* given.c: sets limits.given, to what facts.c, scaling.c and halt_facts.c will assert */
enum mpl_status mpl_facts_given(struct mpl_analysis *a, struct mpl_err *err);

/* halt_facts.c: where a run stands that does not end */
enum mpl_status mpl_halt_assert(struct mpl_analysis *a, const struct mpl_run *run,
                                struct mpl_err *err);

/* needs.c */
enum mpl_status mpl_needs_answer(struct mpl_analysis *a, struct mpl_err *err);

/* precedence.c: of causes of one run, which must have begun before which; needs published trials. What findings then point
 * to is in \p arena. */
enum mpl_status mpl_precedence_find(struct mpl_analysis *a, struct mpl_arena *arena,
                                    struct mpl_err *err);

/* path.c: the path of the run that represents all; its steps must be known */
enum mpl_status mpl_path_find(struct mpl_analysis *a, struct mpl_err *err);

/* findings.c */
enum mpl_status mpl_findings_rank(struct mpl_analysis *a, struct mpl_err *err);

/*
 * nesting.c: findings of an outer pattern that causes of an inner one explain. What says so are
 * findings named explained-inside, with both among their reasons.
 */
/* Before ranking, all[i].number == i: how many explain each, and what that costs. */
enum mpl_status mpl_nesting_mark(struct mpl_analysis *a, struct mpl_diagnosed *all,
                                 size_t n, struct mpl_err *err);
/* After ranking: their ids. */
enum mpl_status mpl_nesting_link(struct mpl_analysis *a, struct mpl_diagnosed *all,
                                 size_t n, const char *const *id_of, struct mpl_err *err);
/* Of a cause with what it explains outside. NaN when unknown. */
double mpl_nesting_severity(const struct mpl_diagnosed *d);

/* verdict.c */
enum mpl_status mpl_verdict_reach(struct mpl_analysis *a, struct mpl_err *err);
/* By how many seconds of location time the figures that decide on a group's verdict miss another one. */
double mpl_verdict_margin_s(const struct mpl_analysis *a,
                            const struct mpl_group_verdict *g);

/* what_if.c: the user's questions are read before the traces, in case they are wrong */
enum mpl_status mpl_what_if_read(struct mpl_analysis *a,
                                 const struct mpl_analysis_options *options,
                                 struct mpl_err *err);
/* Answers them, and what the remedies of the causes would bring. */
enum mpl_status mpl_what_if_answer(struct mpl_analysis *a, struct mpl_err *err);

/* sites.c: where each cause costs its time, if the places of calls are recorded and nothing else is known; behind what
 * gathers the diagnosis. */
enum mpl_status mpl_sites_find(struct mpl_analysis *a, struct mpl_err *err);
/* Facts about the places of a run. */
enum mpl_status mpl_sites_assert(struct mpl_analysis *a, const struct mpl_run *run,
                                 struct mpl_err *err);

/* certainty.c: fills in how far findings and verdict can be relied on, when all else is known. */
void mpl_certainty_judge(struct mpl_analysis *a);
/* Before they are ranked: which of the \p n findings rest on what another one says is spoiled. */
void mpl_certainty_spread_doubt(struct mpl_analysis *a, struct mpl_diagnosed *all,
                                size_t n);

struct mpl_clock_doubt;
/* clock_sensitivity.c: which findings, and whether the verdict, could change if the clocks were a little different */
enum mpl_status mpl_clocks_weigh(struct mpl_analysis *a, struct mpl_err *err);
/* How wrong they may be, per run, in \p arena. Asks nothing but the runs. */
enum mpl_status mpl_clocks_doubt(const struct mpl_analysis *a, struct mpl_arena *arena,
                                 struct mpl_clock_doubt **out, struct mpl_err *err);

/* Slots of facts; texts are borrowed. */
struct mpl_slot mpl_slot_text(const char *name, const char *text);
struct mpl_slot mpl_slot_symbol(const char *name, const char *text);
/* What is too large for a rule is the largest that it can count. */
struct mpl_slot mpl_slot_integer(const char *name, uint64_t value);
struct mpl_slot mpl_slot_float(const char *name, double value);

#endif
