/*
 * Values on demand: what a formula reads is evaluated first, each metric and location once.
 */
#include "config.h"

#include "metrics/metrics_priv.h"

#include <math.h>
#include <string.h>

/* The values of one metric; memory is taken when the first of them is asked for. */
struct column {
    double *values;   /* per location of its role; one for the run. NULL: none yet */
    const char **why; /* of undefined values */
    bool *is_known;
    uint32_t n;
    uint32_t n_known;
    double *kept; /* aggregates that are the same for all locations */
    bool has_kept;
    bool is_expected;
    const struct mpl_capability *lacks; /* a needed capability that the run has not */
    const char
        *doubt; /* why it is not known what came first, on which values rest; or NULL */
};

struct mpl_metrics {
    const struct mpl_metric_set *set;
    struct mpl_recognition *recognition;
    struct mpl_arena *arena;
    struct mpl_variables *variables;
    struct column *columns;    /* per metric */
    double **variable_columns; /* per role and variable: over the role's locations */
    uint32_t n_variables;
    uint32_t **first_instance; /* per event: of each location of its role, and the end */
    double *scalars;           /* of the formula that is being evaluated */
    struct mpl_list *lists;
    bool is_short; /* a value found no memory, wherever that was to come from */
};

/* What a value is asked for: a metric, and a place in the list of its role's locations. */
struct question {
    uint32_t metric;
    uint32_t at;
};

static const char out_of_memory[] = "out of memory";
static const char no_data[] = "division by zero or no instances";

static const struct mpl_role *role_of(const struct mpl_metrics *metrics, uint32_t role)
{
    return mpl_recognition_role(metrics->recognition, role);
}

static uint32_t places_of(const struct mpl_metrics *metrics, uint32_t role)
{
    return role == MPL_NONE ? 1 : role_of(metrics, role)->n;
}

/* ---- what formulas read ----------------------------------------------------------------- */

/* The variable at all locations of the role; NULL when out of memory. */
static const double *variable_column(struct mpl_metrics *metrics,
                                     const struct source *source)
{
    const struct mpl_role *role = role_of(metrics, source->role);
    double **column =
        &metrics->variable_columns[(size_t) source->role * metrics->n_variables +
                                   source->what];

    if (*column != NULL) {
        return *column;
    }

    double *values = MPL_NEW_ARRAY(metrics->arena, role->n, double);

    for (uint32_t i = 0; values != NULL && i < role->n; i++) {
        values[i] = mpl_variable_get(metrics->variables, source->what, role->locations[i]);
    }
    *column = values;
    return values;
}

/*
 * Where the instances of each location begin. Both the instances and the role's locations
 * ascend by location.
 */
static const uint32_t *first_instances(struct mpl_metrics *metrics, uint32_t event)
{
    const uint32_t role_index = mpl_pattern_event_role(metrics->set->pattern, event);
    const struct mpl_role *role = role_of(metrics, role_index);
    const uint32_t *locations = mpl_recognition_locations(metrics->recognition, event);
    const size_t n = mpl_recognition_count(metrics->recognition, event);
    uint32_t *first = metrics->first_instance[event];
    uint32_t k = 0;

    if (first != NULL || (n > 0 && locations == NULL)) {
        return first; /* NULL: no memory, there as here */
    }
    first = MPL_NEW_ARRAY(metrics->arena, (size_t) role->n + 1, uint32_t);
    if (first == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < role->n; i++) {
        for (; k < n && locations[k] < role->locations[i]; k++) {
        }
        first[i] = k;
    }
    first[role->n] = (uint32_t) n;
    metrics->first_instance[event] = first;
    return first;
}

static bool read_events(struct mpl_metrics *metrics, const struct source *source,
                        uint32_t at, struct mpl_list *list)
{
    const size_t n = mpl_recognition_count(metrics->recognition, source->event);
    const double *column =
        n == 0 ? NULL
               : mpl_recognition_column(metrics->recognition, source->event, source->what);

    *list = (struct mpl_list){ column, n };
    if (n == 0 || column == NULL || source->kind == SOURCE_ALL_EVENTS) {
        return n == 0 || column != NULL;
    }

    const uint32_t *first = first_instances(metrics, source->event);

    if (first == NULL) {
        return false;
    }
    *list = (struct mpl_list){ column + first[at], first[at + 1] - first[at] };
    return true;
}

/* False when out of memory. The metrics that it may be have their values already. */
static bool read_list(struct mpl_metrics *metrics, const struct source *source, uint32_t at,
                      struct mpl_list *list)
{
    if (source->kind == SOURCE_OWN_EVENTS || source->kind == SOURCE_ALL_EVENTS) {
        return read_events(metrics, source, at, list);
    }
    list->n = places_of(metrics, source->role);
    list->values = source->kind == SOURCE_ROLE_METRIC
                       ? metrics->columns[source->what].values
                       : variable_column(metrics, source);
    return list->values != NULL;
}

/* The place of the location that a single value is of; MPL_NONE if the role is empty. */
static uint32_t place_of_scalar(const struct mpl_metrics *metrics,
                                const struct source *source, uint32_t at)
{
    switch (source->kind) {
    case SOURCE_OWN_VARIABLE:
    case SOURCE_OWN_METRIC:
        return at;
    case SOURCE_ONE_VARIABLE:
    case SOURCE_ONE_METRIC:
        return role_of(metrics, source->role)->n == 0 ? MPL_NONE : 0;
    default:
        return 0;
    }
}

static double read_scalar(const struct mpl_metrics *metrics, const struct source *source,
                          uint32_t at)
{
    const uint32_t place = place_of_scalar(metrics, source, at);

    if (place == MPL_NONE) {
        return NAN;
    }
    if (mpl_source_is_metric(source)) {
        return metrics->columns[source->what].values[place];
    }
    return mpl_variable_get(metrics->variables, source->what,
                            source->role == MPL_NONE
                                ? MPL_NONE
                                : role_of(metrics, source->role)->locations[place]);
}

/* ---- why a value is undefined --------------------------------------------------------------- */

static const char *say(struct mpl_metrics *metrics, const char *fmt, ...) MPL_PRINTF(2, 3);

static const char *say(struct mpl_metrics *metrics, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *text = mpl_arena_vprintf(metrics->arena, fmt, args);
    va_end(args);
    return text == NULL ? out_of_memory : text;
}

/*
 * The reason of a metric that this one reads. It is passed on as it is if it names a metric
 * already: the first cause matters, not the way from it.
 */
static const char *pass_on(struct mpl_metrics *metrics, uint32_t metric, const char *why)
{
    return why[0] == '\'' ? why
                          : say(metrics, "'%s' is undefined: %s",
                                metrics->set->metrics[metric].definition.name, why);
}

/* NULL if the scalar is defined. */
static const char *why_scalar(struct mpl_metrics *metrics, const struct source *source,
                              uint32_t at, double value)
{
    const uint32_t place = place_of_scalar(metrics, source, at);
    const struct mpl_pattern *pattern = metrics->set->pattern;
    size_t n;

    if (!isnan(value)) {
        return NULL;
    }
    if (place == MPL_NONE) {
        return say(metrics, "there is no %s", mpl_pattern_role(pattern, source->role));
    }
    if (mpl_source_is_metric(source)) {
        return pass_on(metrics, source->what, metrics->columns[source->what].why[place]);
    }
    return say(metrics, "'%s.%s' is not known for this trace",
               source->role == MPL_NONE ? "run" : mpl_pattern_role(pattern, source->role),
               mpl_metric_variables(&n)[source->what].name);
}

static const char *why_list(struct mpl_metrics *metrics, const struct source *source,
                            const struct mpl_list *list)
{
    const struct mpl_pattern *pattern = metrics->set->pattern;

    if (list->n > 0) {
        return NULL;
    }
    return source->event == MPL_NONE
               ? say(metrics, "there is no %s", mpl_pattern_role(pattern, source->role))
               : say(metrics, "there are no instances of %s",
                     mpl_pattern_event(pattern, source->event));
}

/* The first thing that is missing; else the formula itself has no result. */
static const char *why_undefined(struct mpl_metrics *metrics, const struct metric *metric,
                                 uint32_t at)
{
    const char *why = NULL;

    for (uint32_t i = 0; i < metric->scalars.n && why == NULL; i++) {
        why = why_scalar(metrics, &metric->scalars.items[i], at, metrics->scalars[i]);
    }
    for (uint32_t i = 0; i < metric->lists.n && why == NULL; i++) {
        why = why_list(metrics, &metric->lists.items[i], &metrics->lists[i]);
    }
    return why == NULL ? no_data : why;
}

/* ---- evaluation ----------------------------------------------------------------------------- */

/* Takes the memory of a metric's values; false when there is none. */
static bool open_column(struct mpl_metrics *metrics, uint32_t metric)
{
    const struct metric *m = &metrics->set->metrics[metric];
    struct column *column = &metrics->columns[metric];
    const uint32_t n = places_of(metrics, m->definition.role);

    if (column->values != NULL) {
        return true;
    }
    column->why = MPL_NEW_ARRAY(metrics->arena, n, const char *);
    column->is_known = MPL_NEW_ARRAY(metrics->arena, n, bool);
    column->kept =
        MPL_NEW_ARRAY(metrics->arena, mpl_formula_kept_count(m->formula), double);
    column->values = MPL_NEW_ARRAY(metrics->arena, n, double);
    column->n = n;
    if (column->why == NULL || column->is_known == NULL || column->kept == NULL) {
        column->values = NULL;
    }
    return column->values != NULL;
}

static bool evaluate(struct mpl_metrics *metrics, struct question question);

/* All values of a metric; false when out of memory. */
static bool evaluate_all(struct mpl_metrics *metrics, uint32_t metric)
{
    const uint32_t n = places_of(metrics, metrics->set->metrics[metric].definition.role);

    if (!open_column(metrics, metric)) {
        return false;
    }
    for (uint32_t at = 0; metrics->columns[metric].n_known < n && at < n; at++) {
        if (!evaluate(metrics, (struct question){ metric, at })) {
            return false;
        }
    }
    return true;
}

/* Values of the metrics among \p sources. */
static bool evaluate_sources(struct mpl_metrics *metrics, const struct sources *sources,
                             uint32_t at)
{
    for (uint32_t i = 0; i < sources->n; i++) {
        const struct source *source = &sources->items[i];
        bool is_good = true;

        if (source->kind == SOURCE_ROLE_METRIC) {
            is_good = evaluate_all(metrics, source->what);
        } else if (mpl_source_is_metric(source)) {
            const uint32_t place = place_of_scalar(metrics, source, at);

            is_good = place == MPL_NONE ||
                      evaluate(metrics, (struct question){ source->what, place });
        } else if (mpl_source_is_variable(source)) {
            is_good = mpl_variable_prepare(metrics->variables, source->what);
        }
        if (!is_good) {
            return false;
        }
    }
    return true;
}

/* Scalars and lists of the formula into the scratch arrays: nothing is evaluated meanwhile. */
static bool read_sources(struct mpl_metrics *metrics, const struct metric *metric,
                         uint32_t at)
{
    for (uint32_t i = 0; i < metric->scalars.n; i++) {
        metrics->scalars[i] = read_scalar(metrics, &metric->scalars.items[i], at);
    }
    for (uint32_t i = 0; i < metric->lists.n; i++) {
        if (!read_list(metrics, &metric->lists.items[i], at, &metrics->lists[i])) {
            return false;
        }
    }
    return true;
}

/* An aggregate would leave out what is undefined, and a sum of that be 0. */
static const char *doubt_of(const struct mpl_metrics *metrics, const struct metric *metric)
{
    const char *doubt = NULL;

    for (uint32_t i = 0; i < metric->lists.n && doubt == NULL; i++) {
        const struct source *source = &metric->lists.items[i];

        if (source->event != MPL_NONE) {
            doubt =
                mpl_recognition_doubt(metrics->recognition, source->event, source->what);
        } else if (source->kind == SOURCE_ROLE_METRIC) {
            doubt = metrics->columns[source->what].doubt;
        }
    }
    return doubt;
}

static double apply(struct mpl_metrics *metrics, const struct metric *metric,
                    struct column *column)
{
    const double value = column->has_kept
                             ? mpl_formula_eval_next(metric->formula, metrics->scalars,
                                                     metrics->lists, column->kept)
                             : mpl_formula_eval_first(metric->formula, metrics->scalars,
                                                      metrics->lists, column->kept);

    column->has_kept = true;
    return value;
}

/*
 * Recursive along the dependencies, which have no circles and at most DEPENDENCY_LIMIT levels
 * (order.c). False when out of memory; then nothing is remembered.
 */
static bool evaluate(struct mpl_metrics *metrics, struct question question)
{
    const struct metric *metric = &metrics->set->metrics[question.metric];
    struct column *column = &metrics->columns[question.metric];
    const uint32_t at = question.at;

    if (!open_column(metrics, question.metric)) {
        return false;
    }
    if (column->is_known[at]) {
        return true;
    }
    if (column->lacks != NULL) {
        column->values[at] = NAN;
        column->why[at] = say(metrics, "the trace does not record %s", column->lacks->says);
    } else {
        if (!evaluate_sources(metrics, &metric->scalars, at) ||
            !evaluate_sources(metrics, &metric->lists, at) ||
            !read_sources(metrics, metric, at)) {
            return false;
        }
        column->doubt = doubt_of(metrics, metric);
        column->values[at] = column->doubt != NULL ? NAN : apply(metrics, metric, column);
        column->why[at] = column->doubt != NULL       ? column->doubt
                          : isnan(column->values[at]) ? why_undefined(metrics, metric, at)
                                                      : NULL;
    }
    column->is_known[at] = true;
    column->n_known++;
    return true;
}

/* ---- interface -------------------------------------------------------------------------------- */

/* Place of \p location in the role's list, or MPL_NONE. */
static uint32_t find_place(const struct mpl_role *role, uint32_t location)
{
    uint32_t low = 0;
    uint32_t high = role->n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (role->locations[middle] < location) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < role->n && role->locations[low] == location ? low : MPL_NONE;
}

static const struct mpl_capability *first_lacking(const struct metric *metric,
                                                  const struct mpl_capabilities *can)
{
    for (size_t i = 0; i < metric->n_needs; i++) {
        if (!mpl_capability_get(can, metric->needs[i])) {
            return metric->needs[i];
        }
    }
    return NULL;
}

/* Any metric may be asked for: what one column of an event costs, all of them cost. */
static void want_columns(const struct mpl_metric_set *set, struct mpl_recognition *r)
{
    for (uint32_t i = 0; i < set->n; i++) {
        const struct sources *lists = &set->metrics[i].lists;

        for (size_t k = 0; k < lists->n; k++) {
            const struct source *source = &lists->items[k];

            if (source->kind == SOURCE_OWN_EVENTS || source->kind == SOURCE_ALL_EVENTS) {
                mpl_recognition_want(r, source->event, source->what);
            }
        }
    }
}

enum mpl_status mpl_metrics_create(const struct mpl_metric_set *set,
                                   struct mpl_recognition *r,
                                   struct mpl_variables *variables, struct mpl_arena *arena,
                                   struct mpl_metrics **out, struct mpl_err *err)
{
    const struct mpl_events *events = mpl_recognition_events(r);
    const size_t n_roles = mpl_pattern_role_count(set->pattern);
    const size_t n_events = mpl_pattern_event_count(set->pattern);
    struct mpl_metrics *metrics = MPL_NEW(arena, struct mpl_metrics);
    size_t n_variables;

    (void) mpl_metric_variables(&n_variables);
    if (metrics == NULL) {
        return mpl_nomem(err);
    }
    *metrics = (struct mpl_metrics){
        .set = set,
        .recognition = r,
        .arena = arena,
        .variables = variables != NULL ? variables : mpl_variables_create(events, arena),
        .columns = MPL_NEW_ARRAY(arena, set->n, struct column),
        .variable_columns = MPL_NEW_ARRAY(arena, n_roles * n_variables, double *),
        .n_variables = (uint32_t) n_variables,
        .first_instance = MPL_NEW_ARRAY(arena, n_events, uint32_t *),
        .scalars = MPL_NEW_ARRAY(arena, set->most_scalars, double),
        .lists = MPL_NEW_ARRAY(arena, set->most_lists, struct mpl_list),
    };
    if (metrics->variables == NULL || metrics->columns == NULL ||
        metrics->variable_columns == NULL || metrics->first_instance == NULL ||
        metrics->scalars == NULL || metrics->lists == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < set->n; i++) {
        metrics->columns[i].lacks =
            first_lacking(&set->metrics[i], &mpl_events_model(events)->can);
    }
    want_columns(set, r);
    *out = metrics;
    return MPL_OK;
}

static void expect_sources(struct mpl_metrics *metrics, const struct sources *sources)
{
    for (uint32_t i = 0; i < sources->n; i++) {
        const struct source *source = &sources->items[i];

        if (mpl_source_is_metric(source)) {
            mpl_metrics_expect(metrics, source->what);
        } else if (mpl_source_is_variable(source)) {
            mpl_variable_expect(metrics->variables, source->what);
        }
    }
}

void mpl_metrics_expect(struct mpl_metrics *metrics, uint32_t metric)
{
    struct column *column = &metrics->columns[metric];

    if (!column->is_expected && column->lacks == NULL) {
        column->is_expected = true;
        expect_sources(metrics, &metrics->set->metrics[metric].scalars);
        expect_sources(metrics, &metrics->set->metrics[metric].lists);
    }
}

double mpl_metrics_value(struct mpl_metrics *metrics, uint32_t metric, uint32_t location,
                         const char **why)
{
    const struct metric *m = &metrics->set->metrics[metric];
    const uint32_t role = m->definition.role;
    const uint32_t at = role == MPL_NONE ? 0 : find_place(role_of(metrics, role), location);
    const char *unused;

    mpl_assert(metric < metrics->set->n);
    why = why == NULL ? &unused : why;
    if (at == MPL_NONE) {
        *why = say(metrics, "the location is no %s",
                   mpl_pattern_role(metrics->set->pattern, role));
        return NAN;
    }
    if (!evaluate(metrics, (struct question){ metric, at })) {
        metrics->is_short = true;
        *why = out_of_memory;
        return NAN;
    }
    *why = metrics->columns[metric].why[at];
    return metrics->columns[metric].values[at];
}

bool mpl_metrics_is_short(const struct mpl_metrics *metrics)
{
    return metrics->is_short || mpl_arena_is_short(metrics->arena);
}
