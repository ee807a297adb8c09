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

/* Evaluates for all locations of the metric's role, so that ranks are those among all. NULL: out of memory. */
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
    if (mpl_metrics_is_short(q->trial->metrics)) {
        return NULL;
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
    const struct mpl_metric_result result = {
        .run = q->trial->shown.run,
        .pattern = q->trial->shown.id,
        .name = q->metric.name,
        .location = label_of(q, v->location),
        .value = v->value,
        .unit = q->metric.unit_text,
        .says = q->metric.says,
    };

    return mpl_buf_put(&a->results, &result) ? MPL_OK : mpl_nomem(err);
}

/* What has become of a metric: a condition has asked for it; the rules know it, perhaps from an experiment that
 * lists it, too; its own experiment has been made. */
enum { ASKED = 1, KNOWN = 2, MADE = 4 };

static enum mpl_status answer(struct mpl_analysis *a, struct question *q,
                              struct mpl_experiment *e, struct mpl_err *err)
{
    const bool is_new = (q->trial->asked[q->metric_index] & KNOWN) == 0;
    enum mpl_status st = MPL_OK;
    uint32_t n = 0;
    uint32_t defined = 0;

    q->metric = mpl_metric_set_get(q->trial->shown.metrics, q->metric_index);
    q->trial->asked[q->metric_index] |= KNOWN;

    const struct value *values = evaluate(a, q, &n);

    if (values == NULL) {
        return mpl_nomem(err);
    }
    while (defined < n && !isnan(values[defined].value)) {
        defined++;
    }
    /* Sorted: when the first value is undefined, all are. */
    if (n > 0 && defined == 0) {
        e->is_answered = false;
        e->why_needed =
            mpl_arena_printf(a->arena, "%s: %s", q->metric.name,
                             values[0].why != NULL ? values[0].why : "undefined");
    }
    for (uint32_t i = 0; i < n && st == MPL_OK && is_new; i++) {
        st = keep_result(a, q, &values[i], err);
        st = st == MPL_OK ? assert_value(a, q, &values[i], defined, err) : st;
    }
    return st;
}

/* With those of the same experiment. */
static enum mpl_status answer_all_of(struct mpl_analysis *a, struct trial *t,
                                     uint32_t metric, struct mpl_err *err)
{
    const struct mpl_metric_set *set = t->shown.metrics;
    const struct mpl_metric_experiment *of = mpl_metric_set_experiment(set, metric);
    const size_t n = of == NULL ? 1 : of->n;
    const char **names = MPL_NEW_ARRAY(a->arena, n, const char *);
    struct mpl_experiment *e = mpl_buf_add(&a->experiments);
    struct question q = { .trial = t, .run = &a->runs[t->shown.run] };
    enum mpl_status st = MPL_OK;

    if (names == NULL || e == NULL) {
        return mpl_nomem(err);
    }
    *e = (struct mpl_experiment){
        .run = t->shown.run,
        .pattern = t->shown.id,
        .level = of == NULL ? 1 : of->level,
        .purpose = of != NULL ? of->purpose
                              : mpl_arena_printf(a->arena, "know %s",
                                                 mpl_metric_set_get(set, metric).name),
        .metrics = names,
        .n_metrics = n,
        .is_answered = true,
    };
    if (e->purpose == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        q.metric_index = of == NULL ? metric : of->metrics[i];
        t->asked[q.metric_index] |=
            mpl_metric_set_experiment(set, q.metric_index) == of ? MADE : 0;
        names[i] = mpl_metric_set_get(set, q.metric_index).name;
        st = answer(a, &q, e, err);
    }
    return st;
}

/* In the order of patterns and their metrics, whichever rule has asked first. */
static enum mpl_status answer_asked(struct mpl_analysis *a, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < a->n_trials; i++) {
        struct trial *t = &a->trials[i];
        const size_t n = t->asked == NULL ? 0 : mpl_metric_set_count(t->shown.metrics);

        mpl_progress_tell(a->run_options.progress, "evaluating metrics", i, a->n_trials);
        for (uint32_t j = 0; j < n && st == MPL_OK; j++) {
            if ((t->asked[j] & (ASKED | MADE)) == ASKED) {
                st = answer_all_of(a, t, j, err);
            }
        }
    }
    return st;
}

/* ---- asking ---------------------------------------------------------------------------------- */

struct asking {
    struct mpl_analysis *a;
    bool is_more; /* than before */
    bool is_nomem;
};

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

/* A condition on what a pattern does not have is not met. */
static void note_asked(void *context, const char *run, const char *pattern,
                       const char *metric)
{
    struct asking *asking = context;
    struct mpl_analysis *a = asking->a;
    struct trial *t = mpl_trials_find(a, run, pattern);
    const uint32_t i = t == NULL ? MPL_NONE : mpl_metric_set_find(t->shown.metrics, metric);

    if (i == MPL_NONE) {
        return;
    }
    if (t->asked == NULL) {
        t->asked = MPL_NEW_ARRAY(a->arena, mpl_metric_set_count(t->shown.metrics), uint8_t);
        asking->is_nomem = asking->is_nomem || t->asked == NULL;
    }
    if (t->asked != NULL && (t->asked[i] & (ASKED | MADE)) == 0) {
        t->asked[i] |= ASKED;
        asking->is_more = true;
        expect(t, i);
    }
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* The rules had to be stopped: what they found stands. */
static enum mpl_status report_limit(struct mpl_analysis *a, struct mpl_err *err)
{
    struct mpl_err why = { 0 };
    struct mpl_lint_message *message = MPL_NEW(a->arena, struct mpl_lint_message);

    (void) mpl_infer_status(a->infer, &why);
    a->diagnosis.why_stopped = mpl_err_sentence(a->arena, &why);
    if (message == NULL || a->diagnosis.why_stopped == NULL) {
        return mpl_nomem(err);
    }
    *message = (struct mpl_lint_message){ .severity = MPL_LINT_ERROR,
                                          .text = mpl_arena_printf(
                                              a->arena, "the rules were stopped: %s",
                                              a->diagnosis.why_stopped) };
    return message->text != NULL && mpl_buf_put(&a->complaints, &message) ? MPL_OK
                                                                          : mpl_nomem(err);
}

/* Runs the rules, answers what they ask for, and again until nothing is asked for any more, or they had to be
 * stopped. */
static enum mpl_status run_rules(struct mpl_analysis *a, struct mpl_err *err)
{
    struct asking asking = { .a = a, .is_more = true };
    enum mpl_status st = MPL_OK;

    while (st == MPL_OK && asking.is_more) {
        struct mpl_err why = { 0 };

        st = mpl_infer_run(a->infer, &why);
        if (st != MPL_OK && st != MPL_E_LIMIT) {
            return mpl_wrap(err, st, "the rules failed");
        }
        asking.is_more = false;
        if (!mpl_infer_ask(a->infer, note_asked, &asking) || asking.is_nomem) {
            return mpl_nomem(err);
        }
        st = st == MPL_OK ? answer_asked(a, err) : st;
    }
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
    enum mpl_status st = run_rules(a, err);

    st = st == MPL_OK ? call_last(a, err) : st;
    st = st == MPL_OK ? run_rules(a, err) : st;
    return st == MPL_E_LIMIT ? report_limit(a, err) : st;
}
