/*
 * The shape of a metric set: what the loader makes and the evaluation reads.
 */
#ifndef MPL_METRICS_METRICS_PRIV_H
#define MPL_METRICS_METRICS_PRIV_H

#include "metrics/variables_priv.h"

/* What a name in a formula stands for. "Own" is of the location that is asked for. */
enum source_kind {
    SOURCE_RUN_VARIABLE,
    SOURCE_OWN_VARIABLE,
    SOURCE_ONE_VARIABLE, /* of the only location of role `role` */
    SOURCE_RUN_METRIC,
    SOURCE_OWN_METRIC,
    SOURCE_ONE_METRIC,
    SOURCE_FIRST_LIST,
    SOURCE_ROLE_VARIABLE = SOURCE_FIRST_LIST, /* of all locations of role `role` */
    SOURCE_ROLE_METRIC,
    SOURCE_OWN_EVENTS, /* attribute `what` of the instances of event `event` there */
    SOURCE_ALL_EVENTS,
};

struct source {
    enum source_kind kind;
    uint32_t what;  /* variable, metric or attribute */
    uint32_t role;  /* MPL_NONE for the run and for events */
    uint32_t event; /* MPL_NONE for others */
};

/** Whether `what` is a metric. */
bool mpl_source_is_metric(const struct source *source);
bool mpl_source_is_variable(const struct source *source);

struct sources {
    const struct source *items; /* by slot of the formula */
    uint32_t n;
};

struct metric {
    struct mpl_metric_definition definition;
    const char *key;              /* the name without its role */
    const struct mpl_yaml *node;  /* its map */
    const struct mpl_yaml *value; /* the formula; NULL when missing */
    const struct mpl_yaml *unit_node;
    struct mpl_unit unit;
    bool is_sound; /* role and unit are known: others may build on it */
    const struct mpl_formula *formula;
    struct sources scalars;
    struct sources lists;
    const struct mpl_capability **needs;
    size_t n_needs;
    const struct mpl_metric_experiment *experiment; /* NULL: none */
};

struct mpl_metric_set {
    const struct mpl_pattern *pattern;
    struct metric *metrics; /* in order of their first appearance */
    uint32_t n;
    const uint32_t *by_name;
    uint32_t most_scalars; /* of any formula */
    uint32_t most_lists;
};

/*
 * Metrics that build on each other over more levels are refused: values and cycles are found
 * by recursion, which must end before the stack does.
 */
enum { DEPENDENCY_LIMIT = 1000 };

/* What the files of the loader share. */
struct set_loader {
    struct mpl_metric_set *set;
    const struct mpl_pattern *pattern;
    struct mpl_arena *arena;
    struct mpl_lint *lint;
    bool has_no_memory;
};

/** "; did you mean 'x'?" or "". */
const char *mpl_metric_hint(struct set_loader *loader, const char *word,
                            const char *const *words, size_t n);
/** Adds an error. */
void mpl_metric_fault(struct set_loader *loader, struct mpl_place place, const char *fmt,
                      ...) MPL_PRINTF(3, 4);
/** Keys of a map that are none of \p n known ones are errors; it is one \p of those. */
void mpl_metric_check_keys(struct set_loader *loader, const struct mpl_yaml *node,
                           const char *of, const char *const *known, size_t n);
/** Metrics have their names. */
void mpl_metric_load_experiments(struct set_loader *loader);

/** Fills \p metric->formula and its sources. Messages go to lint. */
void mpl_metric_compile(struct set_loader *loader, struct metric *metric);
/** Messages for metrics that depend on themselves or on too many levels. */
void mpl_metric_check_order(struct set_loader *loader);

#endif
