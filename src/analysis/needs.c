/*
 * The loop of the expert system (Li & Malony, section 3; DESIGN section 7): fire the rules,
 * evaluate the metrics that they need, assert the values, fire again, until nothing new is asked.
 */
#include "config.h"

#include "analysis/analysis_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A value of a metric at one location, on its way into a fact. */
struct value {
    uint32_t location; /* MPL_NONE for the run */
    double value;
    const char *why; /* of an undefined one */
    uint32_t rank;   /* 1 for the largest; 0 for the run */
};

struct question {
    int level;            /* of the experiment */
    const char *purpose;  /* likewise */
    const char *location; /* label, or "all" */
    struct trial *trial;
    const struct mpl_run *run;
    struct mpl_metric_definition metric;
    uint32_t metric_index;
};

static int by_value_descending(const void *a, const void *b)
{
    const struct value *x = a;
    const struct value *y = b;

    if (isnan(x->value) != isnan(y->value)) {
        return isnan(x->value) ? 1 : -1;
    }
    if (x->value != y->value && !isnan(x->value)) {
        return x->value < y->value ? 1 : -1;
    }
    return x->location < y->location ? -1 : x->location > y->location;
}

static const char *label_of(const struct question *q, uint32_t location)
{
    return location == MPL_NONE ? "" : q->run->model->locations[location].label;
}

/* Evaluates for all locations of the metric's role, so that ranks are those among all. */
static struct value *evaluate(struct mpl_analysis *a, const struct question *q, uint32_t *n)
{
    const bool is_of_run = q->metric.role == MPL_NONE;
    const struct mpl_role *role =
        is_of_run ? NULL : mpl_recognition_role(q->trial->recognition, q->metric.role);
    const uint32_t count = is_of_run ? 1 : role->n;
    struct value *values = MPL_NEW_ARRAY(a->arena, count, struct value);

    if (values == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        values[i].location = is_of_run ? MPL_NONE : role->locations[i];
        values[i].value = mpl_metrics_value(q->trial->metrics, q->metric_index,
                                            values[i].location, &values[i].why);
    }
    qsort(values, count, sizeof *values, by_value_descending);
    for (uint32_t i = 0; i < count && !is_of_run; i++) {
        values[i].rank = i + 1;
    }
    *n = count;
    return values;
}

static enum mpl_status assert_value(struct mpl_analysis *a, const struct question *q,
                                    const struct value *v, uint32_t of, struct mpl_err *err)
{
    const bool is_defined = !isnan(v->value);
    const struct mpl_slot slots[] = {
        { .name = "run", .kind = MPL_SLOT_STRING, .text = q->run->id },
        { .name = "pattern", .kind = MPL_SLOT_STRING, .text = q->trial->shown.id },
        { .name = "name", .kind = MPL_SLOT_STRING, .text = q->metric.name },
        { .name = "location", .kind = MPL_SLOT_STRING, .text = label_of(q, v->location) },
        { .name = "value", .kind = MPL_SLOT_FLOAT, .number = v->value },
        { .name = "unit", .kind = MPL_SLOT_STRING, .text = q->metric.unit_text },
        { .name = "rank", .kind = MPL_SLOT_INTEGER, .integer = v->rank },
        { .name = "of", .kind = MPL_SLOT_INTEGER, .integer = v->rank > 0 ? of : 0 },
    };
    const struct mpl_slot unknown[] = {
        slots[0],
        slots[1],
        slots[2],
        slots[3],
        { .name = "why",
          .kind = MPL_SLOT_STRING,
          .text = v->why != NULL ? v->why : "undefined" },
    };

    return is_defined ? mpl_infer_assert(a->infer, "metric", slots, 8, err)
                      : mpl_infer_assert(a->infer, "unknown", unknown, 5, err);
}

static enum mpl_status keep_result(struct mpl_analysis *a, const struct question *q,
                                   const struct value *v, struct mpl_err *err)
{
    struct mpl_metric_result *r = mpl_buf_add(&a->results);

    if (r == NULL) {
        return mpl_nomem(err);
    }
    *r = (struct mpl_metric_result){
        .run = q->trial->shown.run,
        .pattern = q->trial->shown.id,
        .name = q->metric.name,
        .location = label_of(q, v->location),
        .value = v->value,
        .unit = q->metric.unit_text,
        .says = q->metric.says,
    };
    return MPL_OK;
}

/* Of which locations a metric has been kept; the run stands behind the last one. NULL without memory. */
static bool *kept_of(struct mpl_analysis *a, const struct question *q)
{
    struct trial *t = q->trial;

    if (t->is_kept == NULL) {
        t->is_kept =
            MPL_NEW_ARRAY(a->arena, mpl_metric_set_count(t->shown.metrics), bool *);
    }
    if (t->is_kept != NULL && t->is_kept[q->metric_index] == NULL) {
        t->is_kept[q->metric_index] =
            MPL_NEW_ARRAY(a->arena, q->run->model->n_locations + 1, bool);
    }
    return t->is_kept == NULL ? NULL : t->is_kept[q->metric_index];
}

static bool is_wanted(const struct question *q, uint32_t location)
{
    return location == MPL_NONE || strcmp(q->location, "all") == 0 ||
           strcmp(q->location, label_of(q, location)) == 0;
}

/* Keeps a value and gives it to the rules, each once, whoever asks again. */
static enum mpl_status give_value(struct mpl_analysis *a, const struct question *q,
                                  const struct value *v, uint32_t of, bool *kept,
                                  struct mpl_err *err)
{
    bool *is_kept =
        &kept[v->location == MPL_NONE ? q->run->model->n_locations : v->location];

    if (*is_kept || !is_wanted(q, v->location)) {
        return MPL_OK;
    }
    *is_kept = true;

    const enum mpl_status st = keep_result(a, q, v, err);

    return st == MPL_OK ? assert_value(a, q, v, of, err) : st;
}

/* The experiment that this need belongs to: those of the same purpose are one. */
static struct mpl_experiment *experiment_of(struct mpl_analysis *a,
                                            const struct question *q)
{
    for (size_t i = 0; i < a->experiments.n; i++) {
        struct mpl_experiment *e = mpl_buf_get(&a->experiments, i);

        if (e->run == q->trial->shown.run && e->level == q->level &&
            strcmp(e->purpose, q->purpose) == 0 &&
            strcmp(e->pattern, q->trial->shown.id) == 0) {
            return e;
        }
    }
    struct mpl_experiment *e = mpl_buf_add(&a->experiments);

    if (e == NULL) {
        return NULL;
    }
    e->run = q->trial->shown.run;
    e->level = q->level;
    e->pattern = q->trial->shown.id;
    e->purpose = mpl_arena_strdup(a->arena, q->purpose);
    e->is_answered = true;
    return e->purpose == NULL ? NULL : e;
}

static enum mpl_status note_experiment(struct mpl_analysis *a, const struct question *q,
                                       const struct value *values, uint32_t n,
                                       struct mpl_err *err)
{
    struct mpl_experiment *e = experiment_of(a, q);
    const char **metrics =
        e == NULL ? NULL : MPL_NEW_ARRAY(a->arena, e->n_metrics + 1, const char *);

    if (metrics == NULL) {
        return mpl_nomem(err);
    }
    if (e->n_metrics > 0) {
        memcpy(metrics, e->metrics, e->n_metrics * sizeof *metrics);
    }
    metrics[e->n_metrics++] = q->metric.name;
    e->metrics = metrics;
    /* Sorted: when the first value is undefined, all are. */
    if (n > 0 && isnan(values[0].value)) {
        e->is_answered = false;
        e->why_needed =
            mpl_arena_printf(a->arena, "%s: %s", q->metric.name,
                             values[0].why != NULL ? values[0].why : "undefined");
    }
    return MPL_OK;
}

static enum mpl_status complain(struct mpl_analysis *a, const struct mpl_need *need,
                                const char *text, struct mpl_err *err)
{
    const struct mpl_lint_message **slot = mpl_buf_add(&a->complaints);
    struct mpl_lint_message *message = MPL_NEW(a->arena, struct mpl_lint_message);

    if (slot == NULL || message == NULL || text == NULL) {
        return mpl_nomem(err);
    }
    message->severity = MPL_LINT_WARNING;
    message->text = text;
    for (size_t i = 0; i < mpl_rules_count(a->rules); i++) {
        const struct mpl_rule *rule = mpl_rules_get(a->rules, i);

        if (need->rule != NULL && strcmp(rule->name, need->rule) == 0) {
            message->place = (struct mpl_place){ rule->file, rule->first_line, 0 };
        }
    }
    *slot = message;
    return MPL_OK;
}

/* What a need asks about that nothing knows. */
static enum mpl_status complain_of(struct mpl_analysis *a, const struct mpl_need *need,
                                   const struct trial *trial, struct mpl_err *err)
{
    const char *fault =
        trial == NULL
            ? mpl_arena_printf(a->arena,
                               "rule %s needs metric '%s' of pattern '%s', which was not "
                               "recognised in run %s",
                               need->rule, need->metric, need->pattern, need->run)
            : mpl_arena_printf(a->arena,
                               "rule %s needs metric '%s', which pattern '%s' does not "
                               "define",
                               need->rule, need->metric, need->pattern);

    return complain(a, need, fault, err);
}

static enum mpl_status answer(struct mpl_analysis *a, struct question *q,
                              struct mpl_err *err)
{
    uint32_t n = 0;
    uint32_t defined = 0;

    q->run = &a->runs[q->trial->shown.run];
    q->metric = mpl_metric_set_get(q->trial->shown.metrics, q->metric_index);

    const struct value *values = evaluate(a, q, &n);
    bool *kept = kept_of(a, q);

    if (values == NULL || kept == NULL) {
        return mpl_nomem(err);
    }
    while (defined < n && !isnan(values[defined].value)) {
        defined++;
    }

    enum mpl_status st = note_experiment(a, q, values, n, err);

    for (uint32_t i = 0; i < n && st == MPL_OK; i++) {
        st = give_value(a, q, &values[i], defined, kept, err);
    }
    return st;
}

/* ---- what conditions ask for -------------------------------------------------------------- */

/* What has become of a metric that conditions ask for. */
enum { UNASKED, ASKED, ANSWERED };

/* Tells metrics that somebody will ask for it, and for those of its experiment. */
static void expect(struct trial *t, uint32_t metric)
{
    const struct mpl_metric_experiment *e =
        mpl_metric_set_experiment(t->shown.metrics, metric);

    mpl_metrics_expect(t->metrics, metric);
    for (size_t i = 0; e != NULL && i < e->n; i++) {
        mpl_metrics_expect(t->metrics, e->metrics[i]);
    }
}

static enum mpl_status note_condition(struct mpl_analysis *a, struct trial *t,
                                      uint32_t metric, struct mpl_err *err)
{
    if (t->asked == NULL) {
        t->asked = MPL_NEW_ARRAY(a->arena, mpl_metric_set_count(t->shown.metrics), uint8_t);
    }
    if (t->asked == NULL) {
        return mpl_nomem(err);
    }
    if (t->asked[metric] == UNASKED) {
        t->asked[metric] = ASKED;
        expect(t, metric);
    }
    return MPL_OK;
}

/* With those of the same experiment. */
static enum mpl_status answer_condition(struct mpl_analysis *a, struct trial *t,
                                        uint32_t metric, struct mpl_err *err)
{
    const struct mpl_metric_set *set = t->shown.metrics;
    const struct mpl_metric_experiment *e = mpl_metric_set_experiment(set, metric);
    const size_t n = e == NULL ? 1 : e->n;
    struct question q = { .level = e == NULL ? 1 : e->level,
                          .purpose = e == NULL ? mpl_arena_printf(
                                                     a->arena, "know %s",
                                                     mpl_metric_set_get(set, metric).name)
                                               : e->purpose,
                          .location = "all",
                          .trial = t };
    enum mpl_status st = q.purpose == NULL ? mpl_nomem(err) : MPL_OK;

    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        q.metric_index = e == NULL ? metric : e->metrics[i];
        t->asked[q.metric_index] = ANSWERED;
        st = answer(a, &q, err);
    }
    return st;
}

/* In the order of patterns and their metrics, whichever rule has asked first. */
static enum mpl_status answer_conditions(struct mpl_analysis *a, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < a->n_trials; i++) {
        struct trial *t = &a->trials[i];
        const size_t n = t->asked == NULL ? 0 : mpl_metric_set_count(t->shown.metrics);

        mpl_progress_tell(a->run_options.progress, "evaluating metrics", i, a->n_trials);
        for (uint32_t j = 0; j < n && st == MPL_OK; j++) {
            if (t->asked[j] == ASKED) {
                st = answer_condition(a, t, j, err);
            }
        }
    }
    return st;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* A need that a rule has asserted is answered, one in a condition noted. */
static enum mpl_status take_need(struct mpl_analysis *a, const struct mpl_need *need,
                                 struct mpl_err *err)
{
    struct trial *t = mpl_trials_find(a, need->run, need->pattern);
    const uint32_t metric =
        t == NULL ? MPL_NONE : mpl_metric_set_find(t->shown.metrics, need->metric);
    struct question q = { .level = need->level,
                          .purpose = need->reason,
                          .location = need->location,
                          .trial = t,
                          .metric_index = metric };

    if (metric == MPL_NONE) {
        /* A condition on what a pattern does not have is not met. */
        return need->is_condition ? MPL_OK : complain_of(a, need, t, err);
    }
    return need->is_condition ? note_condition(a, t, metric, err) : answer(a, &q, err);
}

/* Runs the rules, answers what they need, and again until nothing is needed any more. \p *is_over
 * when the rules had to be stopped: the limit is reported with the rule errors, findings stand. */
static enum mpl_status answer_all(struct mpl_analysis *a, size_t *answered, bool *is_over,
                                  struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    do {
        struct mpl_err why = { 0 };
        const enum mpl_status run = mpl_infer_run(a->infer, &why);

        if (run != MPL_OK && run != MPL_E_LIMIT) {
            return mpl_wrap(err, run, "the rules failed");
        }
        while (*answered < mpl_infer_need_count(a->infer) && st == MPL_OK) {
            st = take_need(a, mpl_infer_need(a->infer, *answered), err);
            (*answered)++;
        }
        st = st == MPL_OK ? answer_conditions(a, err) : st;
        *is_over = run == MPL_E_LIMIT;
        if (st == MPL_OK && !*is_over) {
            /* New facts may make rules fire that need more. */
            st = mpl_infer_run(a->infer, &why);
            st = st == MPL_E_LIMIT ? MPL_OK : st;
        }
    } while (st == MPL_OK && !*is_over && *answered < mpl_infer_need_count(a->infer));
    return st;
}

/* Rules that judge what others have found can wait for this. */
static enum mpl_status call_last(struct mpl_analysis *a, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < a->n_runs && st == MPL_OK; i++) {
        const struct mpl_slot slot = { .name = "run",
                                       .kind = MPL_SLOT_STRING,
                                       .text = a->runs[i].id };

        st = mpl_infer_assert(a->infer, "last-call", &slot, 1, err);
    }
    return st;
}

enum mpl_status mpl_needs_answer(struct mpl_analysis *a, struct mpl_err *err)
{
    size_t answered = 0;
    bool is_over = false;
    enum mpl_status st = answer_all(a, &answered, &is_over, err);

    if (st != MPL_OK || is_over) {
        return st;
    }
    st = call_last(a, err);
    return st == MPL_OK ? answer_all(a, &answered, &is_over, err) : st;
}
