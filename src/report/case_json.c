/* What `marple run` did, for a program: key "case" beside the diagnosis. */
#include "config.h"

#include "report/report_priv.h"

#include <string.h>

static struct mpl_json *number_or_null(int64_t value, bool is_known)
{
    return is_known ? mpl_json_integer(value) : mpl_json_null();
}

static struct mpl_json *case_run_json(const struct mpl_case_run *r)
{
    struct mpl_json *json = mpl_json_object();
    struct mpl_json *environment = mpl_json_object();

    for (size_t i = 0; i < r->n_environment; i++) {
        mpl_json_set(environment, r->environment[i].name,
                     mpl_json_string(r->environment[i].value));
    }
    mpl_json_set(json, "id", mpl_json_string(r->id));
    mpl_json_set(json, "experiment", mpl_json_string(r->experiment));
    mpl_json_set(json, "level", mpl_json_integer(r->level));
    mpl_json_set(json, "processes", number_or_null(r->processes, r->processes > 0));
    mpl_json_set(json, "repetition", mpl_json_integer(r->repetition));
    mpl_json_set(json, "tracer", mpl_json_string(r->tracer));
    mpl_json_set(json, "command", mpl_json_strings(r->words, r->n_words));
    mpl_json_set(json, "environment", environment);
    mpl_json_set(json, "outcome", mpl_json_string(mpl_outcome_name(r->outcome)));
    mpl_json_set(json, "exit_status", number_or_null(r->exit_status, r->exit_status >= 0));
    mpl_json_set(json, "signal", number_or_null(r->signal, r->signal > 0));
    mpl_json_set(json, "duration_s", mpl_json_number(r->duration_s));
    mpl_json_set(json, "trace_bytes", mpl_json_integer((int64_t) r->trace_bytes));
    mpl_json_set(json, "trace", mpl_json_string(r->trace));
    mpl_json_set(json, "partial", mpl_json_string(r->partial));
    mpl_json_set(json, "host", mpl_json_string(r->host));
    mpl_json_set(json, "cores", mpl_json_integer(r->cores));
    mpl_json_set(json, "load", mpl_json_number(r->load));
    mpl_json_set(json, "foreign_cores", mpl_json_number(r->foreign_cores));
    mpl_json_set(json, "ranks_per_core",
                 r->ranks_per_core > 0 ? mpl_json_number(r->ranks_per_core)
                                       : mpl_json_null());
    mpl_json_set(json, "placement", mpl_json_strings(r->placement, r->n_placement));
    mpl_json_set(json, "date", mpl_json_string(r->date));
    mpl_json_set(json, "version", mpl_json_string(r->version));
    mpl_json_set(json, "problem", mpl_json_string(r->problem));
    return json;
}

static bool is_same_experiment(const struct mpl_case_run *x, const struct mpl_case_run *y)
{
    return x->level == y->level && x->experiment != NULL && y->experiment != NULL &&
           strcmp(x->experiment, y->experiment) == 0;
}

/* One experiment may have several runs; it is answered if one of them is good. */
static struct mpl_json *carried_out_json(const struct mpl_case *c, size_t first)
{
    const struct mpl_case_run *e = mpl_case_run_get(c, first);
    struct mpl_json *json = mpl_json_object();
    struct mpl_json *runs = mpl_json_array();
    const char *status = "failed";

    for (size_t i = first; i < mpl_case_run_count(c); i++) {
        const struct mpl_case_run *r = mpl_case_run_get(c, i);

        if (i == first || is_same_experiment(e, r)) {
            mpl_json_add(runs, mpl_json_string(r->id));
            status = r->outcome == MPL_OUTCOME_OK ? "answered" : status;
        }
    }
    mpl_json_set(json, "level", mpl_json_integer(e->level));
    mpl_json_set(json, "purpose", mpl_json_string(e->experiment));
    mpl_json_set(json, "status", mpl_json_string(status));
    mpl_json_set(json, "runs", runs);
    return json;
}

static struct mpl_json *experiments_json(const struct mpl_case_report *report)
{
    struct mpl_json *all = mpl_json_array();
    const struct mpl_case *c = report->c;

    for (size_t i = 0; i < mpl_case_run_count(c); i++) {
        bool is_first = true;

        for (size_t k = 0; k < i && is_first; k++) {
            is_first = !is_same_experiment(mpl_case_run_get(c, k), mpl_case_run_get(c, i));
        }
        if (is_first) {
            mpl_json_add(all, carried_out_json(c, i));
        }
    }
    for (size_t i = 0; i < report->n_asked; i++) {
        struct mpl_json *json = mpl_json_object();

        mpl_json_set(json, "level", mpl_json_integer(report->asked[i].level));
        mpl_json_set(json, "purpose", mpl_json_string(report->asked[i].text));
        mpl_json_set(json, "status", mpl_json_string("skipped"));
        mpl_json_set(json, "runs", mpl_json_array());
        mpl_json_add(all, json);
    }
    return all;
}

static struct mpl_json *case_json(const struct mpl_case_report *report)
{
    const struct mpl_command *command = mpl_case_command(report->c);
    struct mpl_json *json = mpl_json_object();
    struct mpl_json *runs = mpl_json_array();

    for (size_t i = 0; i < mpl_case_run_count(report->c); i++) {
        mpl_json_add(runs, case_run_json(mpl_case_run_get(report->c, i)));
    }
    mpl_json_set(json, "directory", mpl_json_string(mpl_case_directory(report->c)));
    mpl_json_set(json, "command", mpl_json_strings(command->words, command->n));
    mpl_json_set(json, "args", mpl_json_string(command->args));
    mpl_json_set(json, "ended", mpl_json_string(report->ended));
    mpl_json_set(json, "experiments", experiments_json(report));
    mpl_json_set(json, "runs", runs);
    return json;
}

enum mpl_status mpl_report_case_json(const struct mpl_diagnosis *diagnosis,
                                     const struct mpl_case_report *report, FILE *out,
                                     struct mpl_err *err)
{
    struct mpl_json *json = diagnosis != NULL
                                ? mpl_report_diagnosis_json(diagnosis, report->plan)
                                : mpl_json_object();

    if (diagnosis == NULL) {
        mpl_json_set(json, "schema", mpl_json_string("marple-case/1"));
    }
    mpl_json_set(json, "case", case_json(report));
    const enum mpl_status st = mpl_json_write(json, out, err);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot write the report");
}
