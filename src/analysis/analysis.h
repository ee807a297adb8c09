/*
 * Takes:        paths of traces, and the knowledge: directories of patterns and rules.
 * Makes:        a diagnosis; it runs the stages in order and owns their arenas.
 * Leaves alone: how a diagnosis looks (report) and how it was asked for (cli).
 */
#ifndef MPL_ANALYSIS_ANALYSIS_H
#define MPL_ANALYSIS_ANALYSIS_H

#include "critical/critical.h"
#include "infer/infer.h"
#include "knowledge/knowledge.h"
#include "replay/replay.h"
#include "sets/sets.h"
#include "whynot/whynot.h"

/* ---- asking -------------------------------------------------------------------- */

struct mpl_analysis_options {
    const char *const
        *knowledge; /**< Directories that hold patterns/ and rules/, in order. */
    size_t n_knowledge;
    bool
        is_tested; /**< All of it, as what comes with marple: a fault in it is said when it is needed. */
    const struct mpl_role_binding *roles; /**< --role */
    size_t n_roles;
    const char *pattern;                   /**< Only this one; NULL: all that fit. */
    const struct mpl_clock_options *clock; /**< NULL: the defaults. */
    const char *const *what_if;            /**< The user's own questions, see replay.h. */
    size_t n_what_if;
    const struct mpl_manifest
        *manifest; /**< What is known of the runs; NULL: only the traces. */
    const struct mpl_progress *progress; /**< NULL: silence. */
    bool is_without_path;           /**< Nobody reads diagnosis.path, and it stays NULL. */
    struct mpl_infer_limits limits; /**< Of the rules; zeros are defaults. */
};

/* ---- the answer ------------------------------------------------------------------ */

enum mpl_verdict {
    MPL_VERDICT_PROBLEMS,
    MPL_VERDICT_NO_PROBLEM,
    MPL_VERDICT_INCONCLUSIVE,
    MPL_VERDICT_UNUSABLE
};
const char *mpl_verdict_name(enum mpl_verdict verdict); /* "problems", … as in the JSON */
/* "problems", "no significant problem" or "inconclusive" */
const char *mpl_verdict_words(enum mpl_verdict verdict);

/** A pattern tried on a run. */
struct mpl_trial {
    uint32_t run; /**< Index into runs. */
    const struct mpl_pattern *pattern;
    const char *id;    /**< "pipeline"; in a part of the run "pipeline@comm3". */
    const char *scope; /**< "world", "communicator rows, ranks 0 to 3", "main phase, …". */
    bool is_runner_up; /**< Of those not chosen the nearest; see reason. */
    const struct mpl_recognition *recognition; /**< NULL when the roles were not found. */
    const struct mpl_metric_set *metrics;      /**< Definitions; NULL when not chosen. */
    double coverage;                           /**< Of messages, 0-1. */
    double time_coverage;
    double fit;
    double
        share; /**< Of the run's time in message-passing calls, what lies in its scope, 0-1. */
    double
        begin_s; /**< Of its scope, since the begin of the window: 0 and window_s, but for phases. */
    double end_s;
    bool is_phase;          /**< The scope is a stretch of the run; then also: */
    struct mpl_phase phase; /**< What its processes do there. */
    bool is_chosen;
    const char *reason; /**< Why it was not chosen; NULL when it was. */
};

/** A step of the level-by-level search. */
struct mpl_experiment {
    uint32_t run;
    const char *pattern; /**< Its id, see struct mpl_trial. */
    int level;
    const char *purpose;
    size_t n_metrics;
    const char *const *metrics;
    bool is_answered;
    const char *why_needed; /**< What the trace lacks; NULL when answered. */
};

struct mpl_metric_result {
    uint32_t run;
    const char *pattern; /**< Its id. */
    const char *name;
    const char *location; /**< Label; "" for the run as a whole. */
    double value;         /**< NaN when undefined. */
    const char *unit;
    const char *says; /**< May be NULL. */
};

struct mpl_evidence {
    const char *metric;
    const char *location;
    double value;
    const char *unit;
};

/** How far a statement can be relied on: the one word for it (certainty.c has the rule). */
enum mpl_certainty { MPL_CERTAINTY_SURE, MPL_CERTAINTY_LIKELY, MPL_CERTAINTY_DOUBTFUL };
const char *
mpl_certainty_name(enum mpl_certainty certainty); /* "sure", "likely", "doubtful" */

struct mpl_diagnosed {
    const char *id; /**< "f7", in order of rank. */
    const struct mpl_finding *finding;
    size_t number; /**< In the order in which the rules asserted them. */
    uint32_t run;
    double lost_s; /**< NaN when unknown. */
    double
        worth_s; /**< What acting on it is worth: run time to be gained, times the certainty of
                          its rule; causes stand in this order. -1 when unknown. */
    double severity; /**< lost_s over (locations x window); NaN when unknown. */
    double share_of_lost;
    const char
        *headline;   /**< What is wrong, two lines at most; its first sentence where no rule
                               says it. */
    const char *fix; /**< What to do, likewise; NULL when there is no remedy. */
    enum mpl_certainty certainty;
    const char *certainty_reason; /**< Half a sentence; NULL when sure. */
    double gain_s;                /**< Of run time, see gain_reason; NaN unknown. */
    double
        gain_low_s; /**< What the data leave open: gain_low_s <= gain_s <= gain_high_s. */
    double gain_high_s;
    const char
        *gain_reason;    /**< Which figure is taken where there are two; NULL: only one. */
    double gain_model_s; /**< By the pattern's closed formula; NaN when there is none. */
    double
        gain_replay_s;   /**< By replay of the finding's what-if; NaN when there is none. */
    const char *what_if; /**< What was replayed; NULL when nothing. */
    const char *gain_doubt; /**< A clause about the replay; NULL when there is none. */
    uint32_t n_seen;        /**< Runs of its group that have it; with a single run 1. */
    uint32_t n_alike;       /**< Runs of its group. */
    double lost_low_s;      /**< Over the runs of its group; lost_s is the median then. */
    double lost_high_s;
    const char *
        doubt; /**< Another cause of the run spoils what it rests on: its clause; or NULL. */
    bool is_within_spread; /**< No fact: few repetitions have it, or one has far less. */
    bool is_of_set;        /**< It compares runs: it holds for its group as a whole. */
    /**
     * A quarter of what it costs could be no loss, or due to somebody else, if the clocks were wrong
     * by as much as they may be; or nothing limits a clock that it is about.
     */
    bool is_clock_sensitive;
    double clock_low_s; /**< Bounds of lost_s, whatever the clocks are within their own; NaN
                          without a figure, with an unlimited clock, and where all are right. */
    double clock_high_s;
    const char *clock_reason; /**< A clause that says why it is sensitive; else NULL. */
    size_t n_explained_by;
    const char *const *explained_by; /**< Ids of causes in patterns inside of this one. */
    double
        outer_s; /**< Seconds of location time outside, of the findings that it explains. */
    size_t n_because;
    const char *const *because; /**< Ids of findings. */
    /** Where its run has several causes: those whose first wait must come after that of this one,
        whatever the clocks say. */
    size_t n_precedes;
    const char *const
        *precedes; /**< Ids; NULL where it cannot be compared with another one. */
    double
        began_s; /**< Where it can: when its first wait begins, see mpl_first_wait_of(). */
    size_t n_evidence;
    const struct mpl_evidence *evidence;
    size_t n_reasons; /**< Other facts, as text. */
    const char *const *reasons;
    size_t n_where;
    const struct mpl_where *where;
};

/** Whether it is a cause, as opposed to a symptom or an observation. */
bool mpl_diagnosed_is_cause(const struct mpl_diagnosed *d);

struct mpl_diagnosis;
/** A call in which somebody waits. */
struct mpl_first_wait {
    uint32_t location;
    uint32_t first_event;
    uint32_t last_event;
    double least_s; /**< Shorter waits before it do not count. */
};
/**
 * The first wait that a finding is about, in the part of the run that its pattern describes: metrics
 * sum up waits, so it is one for the locations that are to blame; where nobody is, of or for those
 * that it names; where it names nobody, of anybody. There is always somebody who waits a little, so
 * of these waits half as long a one counts as the one that splits their time in two halves.
 *
 * \p *is_found is false where nobody waits. Errors: MPL_E_NOMEM only. Cost: linear in calls, and
 * waits times the logarithm of them.
 */
enum mpl_status mpl_first_wait_of(const struct mpl_diagnosis *diagnosis,
                                  const struct mpl_diagnosed *finding, bool *is_found,
                                  struct mpl_first_wait *out, struct mpl_err *err);
/** The finding of an id; MPL_E_USAGE says which there are. */
enum mpl_status mpl_diagnosed_find(const struct mpl_diagnosis *diagnosis, const char *id,
                                   const struct mpl_diagnosed **out, struct mpl_err *err);
/** Visits all of these waits, however short, with a call of the events of the whole run. */
enum mpl_status mpl_waits_of(const struct mpl_diagnosis *diagnosis,
                             const struct mpl_diagnosed *finding,
                             void (*visit)(void *context, uint32_t location, uint32_t call),
                             void *context, struct mpl_err *err);

/** What is diagnosed of runs alike. */
struct mpl_group_verdict {
    const struct mpl_group *group;
    enum mpl_verdict verdict;
    double location_s, lost_s, explained_s, nested_s, normal_s; /**< As in the diagnosis. */
};
/** What is said of the runs that look like one program. */
struct mpl_program {
    enum mpl_verdict verdict;
    const char *summary;
};
/** What a model expects of a larger run; see fact template `expectation`. */
struct mpl_scaling_row {
    uint32_t from, to; /**< Indexes of runs. */
    const char *pattern;
    const char *quantity;
    const char *unit;
    const char *model;
    double expected;
    double measured;
};
/** An answer to a question of the user. */
struct mpl_what_if_answer {
    uint32_t run;
    const char *text;
    struct mpl_replayed replayed;
};
struct mpl_what_if_range {
    double median_s, low_s, high_s;
};
/** What repetitions answer together, where two of them have a figure that is no guess. */
struct mpl_what_if_group {
    uint32_t group;   /**< Index into groups. */
    const char *text; /**< That of their answers. */
    size_t n;         /**< Runs with a figure: the others do not count below. */
    size_t n_asked;   /**< Runs with an answer of any kind. */
    struct mpl_what_if_range recorded, baseline, changed;
    struct mpl_what_if_range
        gain; /**< Of each run, so not the difference of the medians. */
};

/** The critical path of what is diagnosed of a run: its window. */
struct mpl_run_path {
    const struct mpl_critical *path; /**< Of the whole run. */
    const struct mpl_critical_shares *shares;
    const struct mpl_critical_steps *steps; /**< NULL: the run has no common steps. */
};

struct mpl_diagnosis {
    enum mpl_verdict verdict; /**< The worst of the programs. */
    const char *summary;      /**< Of all programs. */
    const char *claim; /**< Of the summary what the verdict says, without what was run. */
    uint32_t speaker; /**< Index of the run that the verdict rests on; of several groups the
                           speaker of the one that decides. Undefined without usable runs. */
    const struct mpl_diagnosed
        *leading; /**< Cause that the verdict rests on, where it is problems; else NULL. */
    enum mpl_certainty certainty;     /**< In the verdict. */
    const char *certainty_reason;     /**< Half a sentence; NULL when sure. */
    bool is_verdict_clock_sensitive;  /**< It could be another one if the clocks were wrong
                                          by as much as they may be. */
    const char *verdict_clock_reason; /**< A clause that says why; else NULL. */
    size_t n_runs;
    const struct mpl_run *runs;
    size_t n_trials;
    const struct mpl_trial *trials;
    struct mpl_sets sets;
    const struct mpl_group_verdict *group_verdicts; /**< Per group. */
    size_t n_programs;                              /**< 0 where no run can be used. */
    const struct mpl_program *programs; /**< By the number of a group's program. */
    const struct mpl_steps
        *steps; /**< Of the run that the summary speaks of; NULL: it has none. */
    const struct mpl_run_path *path; /**< Likewise. */
    size_t n_scaling;
    const struct mpl_scaling_row *scaling;
    size_t n_what_ifs;
    const struct mpl_what_if_answer *what_ifs;
    size_t n_what_if_groups;
    const struct mpl_what_if_group *what_if_groups;
    size_t n_experiments;
    const struct mpl_experiment *experiments;
    size_t n_metrics;
    const struct mpl_metric_result *metrics;
    size_t n_findings;
    const struct mpl_diagnosed
        *findings; /**< Causes by what they are worth first, then the others by level. */
    double
        lost_s; /**< Location time in the window that is not computation: of all groups, each
                        by its speaker. */
    double explained_s; /**< Of that, attributed to causes; each second once. */
    double nested_s;    /**< Of that, at an outer level and explained by causes inside. */
    double
        normal_s; /**< Of that, normal for the pattern, e.g. a master without requests. */
    double location_s; /**< Locations x window: what severities are relative to. */
    const char *
        why_stopped; /**< Why the rules came to no end, and causes may be missing; else NULL. */
    size_t n_rule_errors; /**< Among them that the rules were stopped. */
    const struct mpl_lint_message *const *rule_errors;
    size_t n_firings;
    const struct mpl_firing *firings;
};

/** Everything that lives as long as an answer. */
struct mpl_analysis;

/**
 * Reads the traces, runs the stages and the rules.
 *
 * A trace that cannot be used does not end the analysis: its run says why in `failure`, and with
 * none left the verdict is "unusable".
 * Ownership: *out is set even after a failure, so that messages can be read; destroy it.
 * Errors: MPL_E_SYNTAX for faults in patterns or rules (messages through mpl_analysis_lint()),
 *         MPL_E_USAGE for unknown patterns, roles, locations.
 */
enum mpl_status mpl_analysis_run(const char *const *paths, size_t n_paths,
                                 const struct mpl_analysis_options *options,
                                 struct mpl_analysis **out, struct mpl_err *err);
const struct mpl_diagnosis *mpl_analysis_diagnosis(const struct mpl_analysis *analysis);
/** What rules want measured anew; the plan is made of it. */
size_t mpl_analysis_measure_count(const struct mpl_analysis *analysis);
const struct mpl_measure *mpl_analysis_measure(const struct mpl_analysis *analysis,
                                               size_t i);
/** Messages about patterns and rules; never NULL. */
const struct mpl_lint *mpl_analysis_lint(const struct mpl_analysis *analysis);
MPL_API void mpl_analysis_destroy(struct mpl_analysis *analysis); /* NULL is allowed */

/**
 * The findings of that id ("f3") or name, each with the rule that concluded it, the facts that it
 * matched, what it compared them with, and the findings that it rests on, down to the metrics.
 * Ownership: in \p arena; texts that the analysis has are not copied.
 * Errors: MPL_E_USAGE when there is none, with a suggestion; MPL_E_NOMEM, which leaves the analysis as it is.
 */
enum mpl_status mpl_analysis_why(struct mpl_analysis *analysis, const char *finding,
                                 struct mpl_arena *arena, const struct mpl_why **out,
                                 struct mpl_err *err);
/**
 * Why there is no finding of that name; where there is one after all, which it is.
 * Ownership and errors: as above.
 */
enum mpl_status mpl_analysis_why_not(struct mpl_analysis *analysis, const char *name,
                                     struct mpl_arena *arena, const struct mpl_why **out,
                                     struct mpl_err *err);

/** The stages up to events only, for `marple check`: one run in the diagnosis, no findings. Of \p options
 *  count the clocks, the progress, and of the knowledge the classes of functions; NULL: the defaults, and no knowledge.
 *  A trace that cannot be used is reported as above. */
enum mpl_status mpl_analysis_check(const char *path,
                                   const struct mpl_analysis_options *options,
                                   struct mpl_analysis **out, struct mpl_err *err);

/** For who compares runs: of the events only the calls, see mpl_events_create_calls(), and of the run nothing
    that needs more (startup_s, shutdown_s, unknown_s are 0). With other ranks, see mpl_model_renumber(), if
    there are any; \p ranks is borrowed during the call. Errors: also MPL_E_USAGE for ranks that cannot be right. */
enum mpl_status mpl_analysis_calls(const char *path, const struct mpl_rank_pair *ranks,
                                   size_t n_ranks, const struct mpl_clock_options *clock,
                                   const struct mpl_progress *progress,
                                   struct mpl_analysis **out, struct mpl_err *err);

#endif
