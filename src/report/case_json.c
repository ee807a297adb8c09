/* What `marple run` did, for a program: key "case" beside the diagnosis. */
#include "config.h"

#include "report/report_priv.h"

#include <math.h>

static void put_run(struct mpl_json *json, const struct mpl_case_run *r)
{
    mpl_json_object(json, NULL);
    mpl_json_string(json, "id", r->id);
    mpl_json_string(json, "experiment", r->experiment);
    mpl_json_integer(json, "level", r->level);
    mpl_json_integer_if(json, "processes", r->processes > 0, r->processes);
    mpl_json_integer(json, "repetition", r->repetition);
    mpl_json_string(json, "tracer", r->tracer);
    mpl_json_strings(json, "command", r->words, r->n_words);
    mpl_json_object(json, "environment");
    for (size_t i = 0; i < r->n_environment; i++) {
        mpl_json_string(json, r->environment[i].name, r->environment[i].value);
    }
    mpl_json_end(json);
    mpl_json_string(json, "outcome", mpl_outcome_name(r->outcome));
    mpl_json_integer_if(json, "exit_status", r->exit_status >= 0, r->exit_status);
    mpl_json_integer_if(json, "signal", r->signal > 0, r->signal);
    mpl_json_number(json, "duration_s", r->duration_s);
    mpl_json_integer(json, "trace_bytes", (int64_t) r->trace_bytes);
    mpl_json_string(json, "trace", r->trace);
    mpl_json_string(json, "partial", r->partial);
    mpl_json_string(json, "host", r->host);
    mpl_json_integer(json, "cores", r->cores);
    mpl_json_number(json, "load", r->load);
    mpl_json_number(json, "foreign_cores", r->foreign_cores);
    mpl_json_number(json, "ranks_per_core",
                    r->ranks_per_core > 0 ? r->ranks_per_core : NAN);
    mpl_json_strings(json, "placement", r->placement, r->n_placement);
    mpl_json_string(json, "date", r->date);
    mpl_json_string(json, "version", r->version);
    mpl_json_string(json, "problem", r->problem);
    mpl_json_end(json);
}

static bool is_of_first(const struct mpl_case *c, size_t first, size_t i)
{
    return i == first ||
           mpl_case_run_is_alike(mpl_case_run_get(c, first), mpl_case_run_get(c, i));
}

/* One experiment may have several runs; it is answered if one of them is good. */
static void put_carried_out(struct mpl_json *json, const struct mpl_case *c, size_t first)
{
    const struct mpl_case_run *e = mpl_case_run_get(c, first);
    const char *status = "failed";

    for (size_t i = first; i < mpl_case_run_count(c); i++) {
        if (is_of_first(c, first, i) && mpl_case_run_get(c, i)->outcome == MPL_OUTCOME_OK) {
            status = "answered";
        }
    }
    mpl_json_object(json, NULL);
    mpl_json_integer(json, "level", e->level);
    mpl_json_string(json, "purpose", e->experiment);
    mpl_json_string(json, "status", status);
    mpl_json_array(json, "runs");
    for (size_t i = first; i < mpl_case_run_count(c); i++) {
        if (is_of_first(c, first, i)) {
            mpl_json_string(json, NULL, mpl_case_run_get(c, i)->id);
        }
    }
    mpl_json_end(json);
    mpl_json_end(json);
}

static void put_experiments(struct mpl_json *json, const struct mpl_case_report *report)
{
    const struct mpl_case *c = report->c;

    mpl_json_array(json, "experiments");
    for (size_t i = 0; i < mpl_case_run_count(c); i++) {
        bool is_first = true;

        for (size_t k = 0; k < i && is_first; k++) {
            is_first =
                !mpl_case_run_is_alike(mpl_case_run_get(c, k), mpl_case_run_get(c, i));
        }
        if (is_first) {
            put_carried_out(json, c, i);
        }
    }
    for (size_t i = 0; i < report->n_asked; i++) {
        mpl_json_object(json, NULL);
        mpl_json_integer(json, "level", report->asked[i].level);
        mpl_json_string(json, "purpose", report->asked[i].text);
        mpl_json_string(json, "status", "skipped");
        mpl_json_strings(json, "runs", NULL, 0);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

enum mpl_status mpl_report_case_json(const struct mpl_diagnosis *diagnosis,
                                     const struct mpl_case_report *report, FILE *out,
                                     struct mpl_err *err)
{
    const struct mpl_command *command = mpl_case_command(report->c);
    struct mpl_json json = mpl_json_begin();

    if (diagnosis != NULL) {
        mpl_report_diagnosis_json(&json, diagnosis, report->plan);
    } else {
        mpl_json_string(&json, "schema", "marple-case/1");
    }
    mpl_json_object(&json, "case");
    mpl_json_string(&json, "directory", mpl_case_directory(report->c));
    mpl_json_strings(&json, "command", command->words, command->n);
    mpl_json_string(&json, "args", command->args);
    mpl_json_string(&json, "ended", report->ended);
    put_experiments(&json, report);
    mpl_json_array(&json, "runs");
    for (size_t i = 0; i < mpl_case_run_count(report->c); i++) {
        put_run(&json, mpl_case_run_get(report->c, i));
    }
    mpl_json_end(&json);
    mpl_json_end(&json);
    const enum mpl_status st = mpl_json_write(&json, out, err);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot write the report");
}
