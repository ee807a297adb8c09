/*
 * Takes:        a command with placeholders, a plan, and a budget.
 * Makes:        new traces: runs of the program, each kept with all that is known about it.
 * Leaves alone: what is worth measuring (plan) and how it is shown (report).
 */
#ifndef MPL_EXPERIMENT_EXPERIMENT_H
#define MPL_EXPERIMENT_EXPERIMENT_H

#include "plan/plan.h"

/*
 * A case is a directory:
 *
 *   DIR/case.yaml            the command and every run with its metadata; read by diagnose, too
 *   DIR/run-01/command.txt   what was executed, a word per line, environment first
 *   DIR/run-01/{stdout,stderr}
 *   DIR/run-01/trace/…       what the tracer wrote
 *   DIR/run-01/<files of the settings>
 *
 * case.yaml is replaced as a whole after every change, so that a crash of marple, of the machine or
 * Ctrl-C leaves a case that the next `marple run -o DIR` continues.
 */

enum mpl_outcome {
    MPL_OUTCOME_OK,
    MPL_OUTCOME_FAILED, /**< Exit status other than 0. */
    MPL_OUTCOME_KILLED, /**< By a signal that was not ours. */
    MPL_OUTCOME_TIMED_OUT,
    MPL_OUTCOME_INTERRUPTED, /**< By the user. */
    MPL_OUTCOME_NO_TRACE,    /**< It ran, but the tracer left nothing that can be read. */
    MPL_OUTCOME_NOT_STARTED  /**< The program could not be executed. */
};
const char *mpl_outcome_name(enum mpl_outcome outcome); /* "ok", "failed", "timed-out" */

/**
 * The command as the user gave it; never through a shell. {processes} may stand anywhere in it; {args} and
 * {tracer} are words of their own, the latter where the tracer's words belong: else they go in front of
 * the whole command, where mpl_tracer_needs_place() does not say otherwise.
 */
struct mpl_command {
    const char *const *words;
    size_t n;
    const char *args; /**< Words for {args}, separated by blanks; NULL: none. */
};
/** Whether it can be filled, and has a place for \p tracer (NULL: none is named) if that needs one. Errors: MPL_E_USAGE. */
enum mpl_status mpl_command_check(const struct mpl_command *command,
                                  const struct mpl_tracer_file *tracer,
                                  struct mpl_err *err);
bool mpl_command_has(const struct mpl_command *command, const char *placeholder);
/** Whether no word holds a misspelt placeholder. Errors: MPL_E_USAGE with the one that is meant. */
enum mpl_status mpl_command_check_placeholders(const struct mpl_command *command,
                                               struct mpl_err *err);
/** The words to execute, with those of \p launch where the tracer's belong. Errors: MPL_E_USAGE as above. */
enum mpl_status mpl_command_with(const struct mpl_command *command,
                                 const char *const *launch, size_t n_launch,
                                 struct mpl_arena *arena, const char *const **words,
                                 size_t *n, struct mpl_err *err);
/** The program's name without directory; "program" where a placeholder has its place. */
const char *mpl_command_name(const struct mpl_command *command, struct mpl_arena *arena);
/** Words as they can be pasted into a shell. NULL without memory. */
const char *mpl_words_print(const char *const *words, size_t n, struct mpl_arena *arena);

/** One run of the program. */
struct mpl_case_run {
    const char *id;         /**< "run-01" */
    const char *experiment; /**< What for, in the words of the plan. */
    int level;
    uint32_t processes;
    uint32_t repetition; /**< From 1. */
    size_t n_sizes;      /**< Of the whole experiment: numbers of processes, */
    const uint32_t *sizes;
    uint32_t repetitions; /**< and runs of each; 0: not known. */
    const char *tracer;
    struct mpl_recording recording; /**< What it was to record. */
    const char *
        settings; /**< Of the tracer, in short: runs that differ in it record other things. */
    const char *const *words; /**< As executed. */
    size_t n_words;
    const struct mpl_setting_pair *environment; /**< Added to ours. */
    size_t n_environment;
    enum mpl_outcome outcome;
    int exit_status; /**< Of the launcher; -1 when there is none. */
    int signal;      /**< That ended it; 0: none. */
    double duration_s;
    uint64_t trace_bytes;
    const char
        *trace; /**< Path of the anchor below the case; NULL when there is none to use. */
    const char
        *partial; /**< The same, of what a run left that did not end well; or NULL. */
    const char *host;
    uint32_t
        cores; /**< That the program could use on this host: by affinity and control groups. */
    double load; /**< Average of the host's last minute before the start; NaN: not known. */
    double
        foreign_cores; /**< Of them, kept busy by others while it ran, on average; NaN: not known. */
    double
        ranks_per_core; /**< Where most ranks share a core; 0: none were seen on this host. */
    size_t n_placement;
    const char *const
        *placement;      /**< "0-3 on 0-1": ranks, and the cores that they may use. */
    const char *date;    /**< ISO 8601, UTC. */
    const char *version; /**< Of the tracer, as it says itself; may be NULL. */
    const char *problem; /**< A clause for people; NULL when ok. */
};

struct mpl_case;

/**
 * Opens the case in \p directory, which is made when it does not exist. With \p is_dry nothing is made
 * or changed, and a directory that does not exist is a case without runs.
 * Ownership: close it; \p command is copied.
 * Errors: MPL_E_IO, also when another marple is at work in it; MPL_E_SYNTAX for a case.yaml that cannot be read, with
 *         its line; MPL_E_USAGE when the case is of another command. Nothing is changed then.
 */
enum mpl_status mpl_case_open(const char *directory, const struct mpl_command *command,
                              bool is_dry, struct mpl_case **out, struct mpl_err *err);
void mpl_case_close(struct mpl_case *c); /* NULL is allowed */
const char *mpl_case_directory(const struct mpl_case *c);
const struct mpl_command *mpl_case_command(const struct mpl_case *c);
/**
 * The runs of a case that left no trace to diagnose, a sentence each: which, how it ended, and the run that did
 * later what it could not. \p *lines is in \p arena; NULL without memory, and \p *n is 0 then.
 */
void mpl_case_failures(const struct mpl_case *c, struct mpl_arena *arena,
                       const char *const **lines, size_t *n);
/** The same of the case in \p directory, which nobody needs to know the command of. No case: none. */
void mpl_case_failures_in(const char *directory, struct mpl_arena *arena,
                          const char *const **lines, size_t *n);
/** Whether \p directory does not exist, or is a case, and not of another command. */
bool mpl_case_fits(const char *directory, const struct mpl_command *command);
size_t mpl_case_run_count(const struct mpl_case *c);
const struct mpl_case_run *mpl_case_run_get(const struct mpl_case *c, size_t i);
/** Whether two runs are of one experiment. */
bool mpl_case_run_is_alike(const struct mpl_case_run *x, const struct mpl_case_run *y);

/** Of this call; what the case holds already counts for max_bytes only. */
struct mpl_budget {
    uint32_t max_experiments; /**< Runs of the program; 0: no limit. */
    double max_s;             /**< Of all runs together; 0: no limit. */
    uint64_t max_bytes;       /**< Of all traces together; 0: no limit. */
    double timeout_s;         /**< Of one run; 0: none. */
};

/** What is being done, for the narrative. Texts are valid during the call. */
enum mpl_news {
    MPL_NEWS_LEVEL, /**< A level or experiment: what is measured. run: the one that answers it at
                           once; NULL: it is carried out now. */
    MPL_NEWS_WHY,     /**< Why it is asked for, and what is expected of it. */
    MPL_NEWS_COMMAND, /**< About to be executed; run is filled as far as known. */
    MPL_NEWS_RUNNING, /**< Some times a second; run->duration_s is the time so far. */
    MPL_NEWS_RAN, /**< It has ended, see outcome. text: the last lines of its standard error. */
    MPL_NEWS_FOUND,  /**< A sentence of a finding of that level. */
    MPL_NEWS_ASKED,  /**< An experiment that is not carried out, and why not. */
    MPL_NEWS_STOPPED /**< Why nothing more is run. */
};
typedef void mpl_tell_step(void *context, enum mpl_news what, int level, const char *text,
                           const struct mpl_case_run *run);

struct mpl_experiment_options {
    const struct mpl_analysis_options *analysis; /**< Its manifest is made from the case. */
    struct mpl_plan_options plan;
    struct mpl_budget budget;
    uint32_t
        processes; /**< For {processes} of the first run; 0: cores, see mpl_default_processes(). */
    bool is_dry; /**< Only tell what would be executed. */
    mpl_tell_step *tell;
    void *context;
};

/** For {processes} when nobody says: the cores that may be used, but at least 8 where the command allows
 *  more processes than cores. */
uint32_t mpl_default_processes(const struct mpl_command *command);

/** Why it ended. */
enum mpl_end_reason {
    MPL_END_NOTHING_ASKED,
    MPL_END_BUDGET,
    MPL_END_NOT_EXECUTABLE, /**< What is asked needs the user: a rebuild, another tracer, a knob. */
    MPL_END_FAILED,         /**< The program could not be measured at all. */
    MPL_END_INTERRUPTED,
    MPL_END_DRY
};

const char *
mpl_end_reason_name(enum mpl_end_reason why); /* "nothing-asked", … as in the JSON */

/**
 * Measures, diagnoses, and measures what the rules ask for, until nothing is asked or the budget is
 * spent. Runs that the case already holds are not repeated; failed ones are tried once more.
 * Ownership: \p *analysis and \p *plan (in \p arena) are the caller's; NULL when nothing was diagnosed.
 */
enum mpl_status mpl_experiment_carry_out(struct mpl_case *c,
                                         const struct mpl_experiment_options *options,
                                         struct mpl_arena *arena,
                                         struct mpl_analysis **analysis,
                                         const struct mpl_plan **plan,
                                         enum mpl_end_reason *why, struct mpl_err *err);

#endif
