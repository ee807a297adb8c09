/*
 * From texts to metrics: a trace, a pattern, and what the metrics of the one say about the
 * other.
 */
#ifndef TESTS_UNIT_METRICS_FIXTURE_H
#define TESTS_UNIT_METRICS_FIXTURE_H

#include "metrics/metrics.h"
#include "recognize_fixture.h"

/** A pattern with the role "everybody" and, for it and the run, each variable as a metric
 *  named v_<variable> at locations, r_<variable> of the run. */
const struct mpl_pattern *pattern_of_variables(struct mpl_arena *arena);
/** The set of a pattern without fault. */
const struct mpl_metric_set *set_of_pattern(const struct mpl_pattern *pattern,
                                            struct mpl_arena *arena);

/** Metrics of \p set; NULL when the pattern cannot be tried on \p events. */
struct mpl_metrics *find_metrics(const struct mpl_metric_set *set,
                                 const struct mpl_pattern *pattern,
                                 const struct mpl_events *events, struct mpl_arena *arena,
                                 const struct mpl_recognition **recognition);

/** The value of "worker.t_comp" at location \p location, MPL_NONE for metrics of the run. */
double value_by_name(struct mpl_metrics *metrics, const struct mpl_metric_set *set,
                     const char *name, uint32_t location, const char **why);

#endif
