/*
 * Shared by the files of analysis only: the analysis under construction. Files named group…, and manifest.c, look at sets of runs,
 * files named clock… at what the errors of clocks could change; all others at one run.
 */
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
    bool **is_kept; /* per metric, then per location; NULL while nothing was needed */
};

/* The stages of one run, each with the arena that it lives in: dropped from right to left. */
struct run {
    struct mpl_run shown;
    struct mpl_model *model;
    struct mpl_arena *read_arena;
    struct mpl_arena *match_arena;
    struct mpl_arena *clock_arena;
    struct mpl_arena *events_arena;
    struct mpl_variables *variables; /* likewise; NULL: nobody has asked */
};

struct mpl_analysis {
    struct mpl_arena *arena; /* knowledge and the diagnosis */
    struct mpl_lint *lint;
    const struct mpl_patterns *patterns;
    const struct mpl_metric_set **metric_sets; /* parallel to patterns */
    const struct mpl_rules *rules;
    const struct mpl_region_class *region_classes;
    size_t n_region_classes;
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

    const struct mpl_manifest *manifest; /* may be NULL */
    uint32_t *group_of;                  /* per run; MPL_NONE where it cannot be used */
    struct mpl_group *groups;            /* those of the diagnosis */
    struct mpl_diagnosis diagnosis;
    struct mpl_diagnosed *findings;        /* those of the diagnosis */
    const struct mpl_clock_options *clock; /* NULL: the defaults. */
    const struct mpl_rank_pair *ranks;     /* Other numbers for processes; borrowed. */
    size_t n_ranks;
    bool has_calls_only; /* See mpl_analysis_calls(). */
    const struct mpl_progress *progress;
    struct mpl_infer_limits limits;
    const struct mpl_what_if **questions; /* of the user */
    size_t n_questions;
};

/* run.c */
enum mpl_status mpl_run_open(struct mpl_analysis *a, struct run *run, const char *path,
                             size_t number, struct mpl_err *err);
void mpl_run_close(struct run *run);
/* The variables of its events. False without memory. */
bool mpl_run_variables(struct run *run, struct mpl_variables **out);
bool mpl_run_is_usable(const struct run *run);

/* damage.c: sets damage, and by totals unknown_s; texts in arena. */
enum mpl_status mpl_damage_name(struct mpl_arena *arena, struct mpl_run *run,
                                struct mpl_err *err);
enum mpl_status mpl_damage_find(struct mpl_arena *arena, struct mpl_run *run,
                                struct mpl_err *err);

/* trials.c */
enum mpl_status mpl_trials_make(struct mpl_analysis *a,
                                const struct mpl_analysis_options *options,
                                struct mpl_err *err);
/* By the id of a chosen pattern. */
struct trial *mpl_trials_find(struct mpl_analysis *a, const char *run, const char *pattern);

/* Whether a chosen pattern is part of the work of another one, which sees it as computation. */
bool mpl_trial_is_inside(const struct trial *inner, const struct trial *outer);

/* Index of the run with that id, or MPL_NONE. */
uint32_t mpl_runs_find(const struct mpl_analysis *a, const char *id);

/* groups.c: which runs are alike, in the diagnosis; remarks about those that are not */
enum mpl_status mpl_groups_make(struct mpl_analysis *a, struct mpl_err *err);
/* NULL for a run that cannot be used. */
const struct mpl_group *mpl_group_of(const struct mpl_analysis *a, uint32_t run);

/* group_facts.c: facts `repeats` and `scaling`, and what rules expect from one run of another */
enum mpl_status mpl_groups_assert(struct mpl_analysis *a, struct mpl_err *err);
enum mpl_status mpl_scaling_show(struct mpl_analysis *a, struct mpl_err *err);

/*
 * group_spread.c: of each finding in how many runs of its group it is, and what it costs over them.
 * all[i].number == i; stands_for[i] is i, or the finding that is reported in its place; then n_seen is 0.
 */
enum mpl_status mpl_spread_fold(struct mpl_analysis *a, struct mpl_diagnosed *all, size_t n,
                                uint32_t *stands_for, struct mpl_err *err);

/* facts.c */
enum mpl_status mpl_facts_assert(struct mpl_analysis *a, struct mpl_err *err);

/* given.c: sets limits.given, to what facts.c, groups and halts will assert */
enum mpl_status mpl_facts_given(struct mpl_analysis *a, struct mpl_err *err);

/* halt_facts.c: where a run stands that does not end */
enum mpl_status mpl_halt_assert(struct mpl_analysis *a, const struct mpl_run *run,
                                struct mpl_err *err);

/* needs.c */
enum mpl_status mpl_needs_answer(struct mpl_analysis *a, struct mpl_err *err);

/* precedence.c: of causes of one run, which must have begun before which; needs published trials */
enum mpl_status mpl_precedence_find(struct mpl_analysis *a, struct mpl_err *err);

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
double mpl_verdict_margin_s(const struct mpl_analysis *a, const struct mpl_group *group);

/* clock_doubt.c: how far the clocks of a run may still be off */
struct clock_doubt {
    bool is_none;         /* by nothing */
    uint32_t n_unlimited; /* processes with events whose clocks nothing limits */
    uint32_t unlimited;   /* a location of the first of them; MPL_NONE */
    bool *is_unlimited;   /* per process */
    int64_t *low_ticks;   /* per process, what mpl_clock says; 0 where unlimited */
    int64_t *high_ticks;
    int64_t most_ticks; /* by which a location's times may be wrong */
    double less_s;      /* what that can take from all waits together at most … */
    double more_s;      /* … and add to them */
    double *blame_s; /* per location, waits for it, or for others, that could be either */
};
enum mpl_status mpl_doubt_create(const struct mpl_run *run, struct mpl_arena *arena,
                                 struct clock_doubt *out, struct mpl_err *err);
/* How wrong the times of a location can be, one way or the other. */
int64_t mpl_doubt_error_ticks(const struct mpl_run *run, const struct clock_doubt *doubt,
                              uint32_t location);

/* clock_contested.c. Cost of both: a look at each call. */
/* Waits that may as well not be there, or the other way round. */
double mpl_doubt_jumps_s(const struct mpl_run *run, const struct clock_doubt *doubt);
/* Adds up blame_s. */
void mpl_doubt_find_blame(const struct mpl_run *run, struct clock_doubt *doubt);

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
/* places.c: where time passes that is neither computation nor MPI. */
enum mpl_place_kind {
    MPL_PLACE_DEVICE,  /* "device-wait": calls that wait for an accelerator */
    MPL_PLACE_THREADS, /* "thread-wait": calls that wait for other threads */
    MPL_PLACE_ALONE,   /* "one-thread": what a process does with one of its threads */
};
/* The longest places on the location where that is longest, at most *n; *n is set to how many. */
enum mpl_status mpl_places_find(const struct mpl_run *run, enum mpl_place_kind kind,
                                struct mpl_arena *arena, struct mpl_where *out, size_t *n,
                                struct mpl_err *err);

/* Before they are ranked: which of the \p n findings rest on what another one says is spoiled. */
void mpl_certainty_spread_doubt(struct mpl_analysis *a, struct mpl_diagnosed *all,
                                size_t n);

/* clock_sensitivity.c: which findings, and whether the verdict, could change if the clocks were a little different */
enum mpl_status mpl_clocks_weigh(struct mpl_analysis *a, struct mpl_err *err);

/* Slots of facts; texts are borrowed. */
struct mpl_slot mpl_slot_text(const char *name, const char *text);
struct mpl_slot mpl_slot_symbol(const char *name, const char *text);
/* What is too large for a rule is the largest that it can count. */
struct mpl_slot mpl_slot_integer(const char *name, uint64_t value);
struct mpl_slot mpl_slot_float(const char *name, double value);

#endif
