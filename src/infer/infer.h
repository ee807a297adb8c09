/*
 * Takes:        facts about runs (locations, roles, metrics, quality), and rules (CLIPS).
 * Makes:        findings with their reasons; names the metrics that conditions are about whose turn has come.
 * Leaves alone: how metrics are computed and how findings are printed.
 */
#ifndef MPL_INFER_INFER_H
#define MPL_INFER_INFER_H

#include "rulebook/demand.h"

/*
 * CLIPS is caged (doc/rules.md): rule files cannot run programs, touch files, read input or run
 * for ever. Rules run in the modules SYMPTOMS, REFINE, CAUSES, ADVISE and then MAIN (focus order of
 * every round).
 */

struct mpl_infer_limits {
    double seconds;        /**< Processor time of all runs together; 0: 10 s. */
    uint64_t firings;      /**< 0: 1,000,000. */
    uint64_t memory_bytes; /**< Of CLIPS and of what is noted; 0: 512 MiB. */
    unsigned errors; /**< Run-time errors after which no rule fires any more; 0: 20. */
    const struct mpl_given *
        given; /**< The only facts that the host asserts: rules that need others are left out, unchecked, and
                                      functions that nothing calls. NULL: all are loaded. */
    size_t n_given;
};

/** A slot of a fact that the host asserts. Exactly one of the values counts, by kind. */
enum mpl_slot_kind { MPL_SLOT_STRING, MPL_SLOT_SYMBOL, MPL_SLOT_FLOAT, MPL_SLOT_INTEGER };
struct mpl_slot {
    const char *name;
    enum mpl_slot_kind kind;
    const char *text;
    double number; /**< Rounded to 6 significant digits when asserted. */
    int64_t integer;
};

struct mpl_infer;

/**
 * One environment per analysis. CLIPS sees the texts of the rules here; the faults that it finds (syntax, unknown
 * names, forbidden functions) go to the lint that they were read with, by file and line. Ownership: heap; destroy it.
 * Errors: MPL_E_SYNTAX when there was a fault; MPL_E_LIMIT.
 */
enum mpl_status mpl_infer_create(const struct mpl_rules *rules,
                                 const struct mpl_infer_limits *limits,
                                 struct mpl_infer **out, struct mpl_err *err);
/**
 * As mpl_infer_create(), behind one that found no fault in the same rules: for \p *infer to begin anew with the
 * same limits, which costs little beside loading rules. NULL and one that reached a limit are allowed. What was
 * borrowed from it is gone, also on failure; then \p *infer is NULL.
 */
enum mpl_status mpl_infer_renew(const struct mpl_rules *rules,
                                const struct mpl_infer_limits *limits,
                                struct mpl_infer **infer, struct mpl_err *err);
void mpl_infer_destroy(struct mpl_infer *infer); /* NULL is allowed */

/**
 * Asserts a fact of deftemplate \p template. Slots and types are checked against the template
 * before CLIPS sees them. A duplicate is not an error. NaN is refused: undefined is absence.
 * A multislot takes its values from all slots of its name, in order.
 *
 * Errors: MPL_E_MEANING for a fact that does not fit; MPL_E_LIMIT while it is matched, or after
 *         a limit was reached before.
 */
enum mpl_status mpl_infer_assert(struct mpl_infer *infer, const char *template,
                                 const struct mpl_slot *slots, size_t n,
                                 struct mpl_err *err);

/** Whether the host may assert such a fact, see struct mpl_infer_limits. */
bool mpl_infer_may_be_given(const struct mpl_infer *infer, const char *template,
                            const char *name);
/** What the rules compare with: "heavy" is ?*heavy*. NaN where no file says. */
double mpl_infer_threshold(const struct mpl_infer *infer, const char *name);

/**
 * Fires rules until none is left. Run-time errors in rules are kept (mpl_infer_errors) and do not
 * end the run. Returns MPL_E_LIMIT when a limit stopped it; findings made so far stay readable,
 * and nothing fires any more.
 */
enum mpl_status mpl_infer_run(struct mpl_infer *infer, struct mpl_err *err);

/** What a condition asks for: a metric of a pattern in a run. The texts live as long as the inference. */
typedef void mpl_infer_asked(void *context, const char *run, const char *pattern,
                             const char *metric);
/**
 * Calls \p asked for each metric that a condition of a rule is about whose turn has come, as the conditions before it are met
 * (doc/rules.md); also where it has been answered since, and where several conditions ask, several times. False without memory.
 */
bool mpl_infer_ask(struct mpl_infer *infer, mpl_infer_asked *asked, void *context);

/** Another run of the program that a rule asks for (fact `measure`). Texts and numbers as in the fact. */
struct mpl_measure {
    const char *run;
    const char *pattern;
    int level;
    const char *reason;
    const char *const *record;
    size_t n_record;
    const char *const *regions;
    size_t n_regions;
    const char *const *counters;
    size_t n_counters;
    const char *const *locations;
    size_t n_locations;
    const uint32_t *processes;
    size_t n_processes;
    uint32_t repetitions;
    const char *knob; /**< NULL when there is none. */
    const char *const *separates;
    size_t n_separates;
    const char *expects; /**< May be NULL. */
    const char *rule;    /**< Who asked. */
    const char *rule_says;
};
/** In order of assertion; withdrawn ones are gone. Valid until the next run or destroy. */
size_t mpl_infer_measure_count(const struct mpl_infer *infer);
const struct mpl_measure *mpl_infer_measure(const struct mpl_infer *infer, size_t i);

/** What a model expects and what was measured (fact `expectation`). */
struct mpl_expectation {
    const char *from; /**< Ids of runs. */
    const char *to;
    const char *pattern;
    const char *quantity;
    const char *unit;
    double expected;
    double measured;
    const char *model;
    const char *rule;
};
size_t mpl_infer_expectation_count(const struct mpl_infer *infer);
const struct mpl_expectation *mpl_infer_expectation(const struct mpl_infer *infer,
                                                    size_t i);

/** What a finding or need rests on. */
enum mpl_reason_kind { MPL_REASON_METRIC, MPL_REASON_FINDING, MPL_REASON_OTHER };
struct mpl_reason {
    enum mpl_reason_kind kind;
    size_t finding;       /**< Index, for findings. */
    const char *template; /**< "metric", "quality", "role", … */
    const char *text;     /**< The fact as text; NULL for metrics. */
    const char
        *metric; /**< For metrics: name, location label ("" for the run), value, unit. */
    const char *location;
    double value;
    const char *unit;
};

struct mpl_finding {
    const char *kind; /**< "symptom", "observation", "cause" */
    const char *name; /**< "master-bottleneck" */
    const char *pattern;
    const char *run;
    const char *const *locations;
    size_t n_locations;
    const char *const *culprits; /**< Labels of who is to blame; may be none. */
    size_t n_culprits;
    double lost_s;        /**< Seconds of location time attributed; NaN when not said. */
    double computing_s;   /**< Of these, what is computation. */
    double share_of_lost; /**< 0-1; NaN when not said. */
    double
        gain_s; /**< Gain of the remedy by the pattern's model, seconds of run time; NaN when
                     unknown. */
    const char *
        gain_kind; /**< "remove", "even-out", or NULL: what the remedy does with the work. */
    const char *what_if;  /**< The remedy as a change to replay; NULL when there is none. */
    double confidence;    /**< 0-1 */
    int level;            /**< Experiment level at which it was found. */
    const char *headline; /**< What is wrong, in two lines at most; NULL: not said. */
    const char *fix;      /**< What to do, likewise. */
    const char *text;
    const char *remedy; /**< NULL when there is none. */
    const char *const
        *where; /**< What holds the code: "TaskLifeCycle.setup" or "device-wait". */
    size_t n_where;
    const char *const *functions_of; /**< Locations whose functions it is. */
    size_t n_functions_of;
    const char *const *calls_of; /**< Locations in whose calls of MPI it is. */
    size_t n_calls_of;
    bool is_fatal;       /**< The run does not end because of it. */
    bool has_own_clocks; /**< It compares no clocks, only what each process measures. */
    const char *
        doubt; /**< Why other causes of the run are doubtful because of this one; or NULL. */
    bool is_healthy;   /**< An observation that says "this is fine": never a problem. */
    bool is_all_clear; /**< Of such: where no problem is found, it says why. */
    const char *rule;  /**< "CAUSES::master-bottleneck" */
    const char *rule_says;
    const struct mpl_reason
        *because; /**< From the facts that the rule matched; never empty. */
    size_t n_because;
};
/** In order of assertion; withdrawn findings are gone. Valid until the next run or destroy. */
size_t mpl_infer_finding_count(const struct mpl_infer *infer);
const struct mpl_finding *mpl_infer_finding(const struct mpl_infer *infer, size_t i);

/** Rules that fired, in order, for `-v`. */
struct mpl_firing {
    const char *rule;
    size_t n_facts; /**< Facts that it asserted. */
};
size_t mpl_infer_firing_count(const struct mpl_infer *infer);
struct mpl_firing mpl_infer_firing(const struct mpl_infer *infer, size_t i);

/** Run-time errors: file and lines of the rule, and CLIPS' reason. */
size_t mpl_infer_error_count(const struct mpl_infer *infer);
const struct mpl_lint_message *mpl_infer_error(const struct mpl_infer *infer, size_t i);

/** MPL_OK, or MPL_E_LIMIT or MPL_E_NOMEM with the reason why no rule fires any more. */
enum mpl_status mpl_infer_status(const struct mpl_infer *infer, struct mpl_err *err);
/** Those that it was created with. */
const struct mpl_rules *mpl_infer_rules(const struct mpl_infer *infer);

#endif
