/*
 * Takes:        the metrics and experiments sections of patterns, and recognitions.
 * Makes:        named numbers with units, evaluated only when somebody asks.
 * Leaves alone: what the numbers mean for the user (infer).
 */
#ifndef MPL_METRICS_METRICS_H
#define MPL_METRICS_METRICS_H

#include "replay/replay.h"

#include "recognize/recognize.h"

/*
 * In a pattern file:
 *
 *   metrics:
 *     t_comp:     {per: worker, value: "sum(TaskLifeCycle.work)", unit: s, says: "…"}
 *     efficiency: {per: worker, value: "worker.t_comp / run.duration", unit: 1}
 *     setup_mean: {per: run, value: "mean(TaskLifeCycle.setup)", unit: s}
 *     spread:     {per: run, value: "max(worker.efficiency) - min(worker.efficiency)", unit: 1}
 *     needs: …                               # optional list of capabilities per metric
 *
 * `per: <role>` gives one value for each location of the role, named <role>.<metric>;
 * `per: run` one value, named run.<metric>. Names a formula may read:
 *
 *   run.<metric>, run.<variable>       scalars anywhere
 *   <role>.<metric>, <role>.<variable> in a metric per that role: this location's value, a scalar;
 *                                      elsewhere: a list over the role's locations; when the role
 *                                      has count: 1, a scalar anywhere
 *   all.<role>.<metric>                a list over the role's locations, also per that role
 *   <Event>.<attribute>                a list; per the role it runs on: this location's instances,
 *                                      elsewhere all instances
 *
 * Variables come from events; variables.def holds them all, with a sentence each. For every
 * location compute + p2p + collective + other + late_start + early_end = run.duration, and
 * p2p + collective = wait + unknown + transfer.
 *
 * Metrics that answer one question are evaluated together, as soon as a rule has use for one of them; of several such
 * lists with the first that names it:
 *
 *   experiments:
 *     - {level: 1, purpose: "see how busy the workers are", metrics: [run.efficiency, worker.tasks]}
 *
 * Metrics may stand in any order and refer to each other across roles; dependency cycles are
 * load errors. Each metric needs `per`, `value` and `unit`: one of s, B, 1, 1/s, B/s, s/B or
 * another without a prefix, equal to what the formula gives. `needs` names capabilities
 * (mpl_capability_table) without which the metric is undefined. A metric must not have the name
 * of a variable.
 */

struct mpl_metric_variable {
    const char *name; /**< Without prefix. */
    bool per_location;
    struct mpl_unit unit;
    const char *says;
};
/** The table behind `marple vocab metrics`, sorted by name; a name may be there twice, for a
 *  location and for the run. */
const struct mpl_metric_variable *mpl_metric_variables(size_t *n);

struct mpl_metric_definition {
    const char *name;      /**< "worker.efficiency", "run.setup_mean". */
    const char *unit_text; /**< "s", "1", "B", … */
    const char *says;      /**< One sentence, or NULL. */
    uint32_t role;         /**< Role index, or MPL_NONE for per run. */
};

/** The compiled metrics of one pattern. */
struct mpl_metric_set;

/**
 * Of a pattern that has faults itself, see mpl_pattern_has_fault(), what is wrong with the metrics is reported
 * as far as these faults leave no doubt; the set is good for nothing else.
 *
 * Errors: MPL_E_SYNTAX, all messages with file:line:column in \p lint.
 */
enum mpl_status mpl_metric_set_create(const struct mpl_pattern *pattern,
                                      struct mpl_arena *arena, struct mpl_lint *lint,
                                      const struct mpl_metric_set **out,
                                      struct mpl_err *err);
size_t mpl_metric_set_count(const struct mpl_metric_set *set);
struct mpl_metric_definition mpl_metric_set_get(const struct mpl_metric_set *set, size_t i);
/** Index of "worker.efficiency", or MPL_NONE. */
uint32_t mpl_metric_set_find(const struct mpl_metric_set *set, const char *name);

/** Metrics that are evaluated together. */
struct mpl_metric_experiment {
    int level; /**< 1 to 9: coarse to fine. */
    const char *purpose;
    size_t n;
    const uint32_t *metrics; /**< In the order of the file. */
};
/** The first experiment that lists a metric, of a base before those of the pattern itself; NULL: it is evaluated alone. */
const struct mpl_metric_experiment *
mpl_metric_set_experiment(const struct mpl_metric_set *set, uint32_t metric);

/** What a metric derives from, also by way of other metrics; in order of first mention. */
struct mpl_metric_basis {
    size_t n_needs;
    const struct mpl_capability *const *needs;
    size_t n_events;
    const uint32_t *events; /**< Abstract events of the pattern. */
};
enum mpl_status mpl_metric_set_basis(const struct mpl_metric_set *set, size_t i,
                                     struct mpl_arena *arena, struct mpl_metric_basis *out,
                                     struct mpl_err *err);

/** What is known of events without any pattern: delays, steps, what an ideal network would bring. Found out when it is
 *  needed, once for all recognitions on the same events. NULL without memory. */
struct mpl_variables;
struct mpl_variables *mpl_variables_create(const struct mpl_events *events,
                                           struct mpl_arena *arena);
/** The steps of the events, as mpl_events_steps() finds them; they live as long as \p variables. Errors: MPL_E_NOMEM. */
enum mpl_status mpl_variables_steps(struct mpl_variables *variables,
                                    const struct mpl_steps **out, struct mpl_err *err);
/** Finds out what is asked of nearly every run, while another thread has other questions to the events: delays, the ideal
 *  network, steps, and with more than one thread who computes alone. Where memory is short, this is left to who asks. */
void mpl_variables_make_usual(struct mpl_variables *variables);
/** For questions to the events of whole runs; lives as long as \p variables. */
struct mpl_replay *mpl_variables_replay(struct mpl_variables *variables);

/** Values of a set on one recognition; evaluated on demand, each once. \p variables, of the same events, must
 *  live as long; NULL: its own. */
struct mpl_metrics;
enum mpl_status mpl_metrics_create(const struct mpl_metric_set *set,
                                   struct mpl_recognition *r,
                                   struct mpl_variables *variables, struct mpl_arena *arena,
                                   struct mpl_metrics **out, struct mpl_err *err);

/** Somebody will ask for the metric. What several such metrics need to know of the events is found out beside each other,
 *  in threads, as soon as the first is asked for. */
void mpl_metrics_expect(struct mpl_metrics *metrics, uint32_t metric);
/**
 * The value of metric \p metric for \p location (a location of its role; MPL_NONE for per run).
 * NaN when undefined; \p *why (may be NULL as argument) then is a clause in the metrics' arena:
 * "the trace records no receive completions", "division by zero or no instances".
 */
double mpl_metrics_value(struct mpl_metrics *metrics, uint32_t metric, uint32_t location,
                         const char **why);
/** Whether memory ran out while a value or its reason was found: then it is undefined for that only. */
bool mpl_metrics_is_short(const struct mpl_metrics *metrics);

#endif
