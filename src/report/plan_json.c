/* A plan for a program: doc/plan.schema.json, and "experiments" of a diagnosis. */
#include "config.h"

#include "report/report_priv.h"

static void put_settings(struct mpl_json *json, const struct mpl_settings *s)
{
    if (s == NULL) {
        mpl_json_string(json, "settings", NULL);
        return;
    }
    mpl_json_object(json, "settings");
    mpl_json_string(json, "tracer", mpl_tracer_file_name(s->tracer));
    mpl_json_boolean(json, "installed", mpl_tracer_is_installed(s->tracer));
    mpl_json_strings(json, "launch", s->launch, s->n_launch);
    mpl_json_strings(json, "finish", s->finish, s->n_finish);
    mpl_json_object(json, "environment");
    for (size_t i = 0; i < s->n_environment; i++) {
        mpl_json_string(json, s->environment[i].name, s->environment[i].value);
    }
    mpl_json_end(json);
    mpl_json_object(json, "files");
    for (size_t i = 0; i < s->n_files; i++) {
        mpl_json_string(json, s->files[i].name, s->files[i].text);
    }
    mpl_json_end(json);
    mpl_json_string(json, "needs_build", s->needs_build);
    mpl_json_strings(json, "build", s->build, s->n_build);
    mpl_json_end(json);
}

void mpl_report_planned_json(struct mpl_json *json, const struct mpl_plan *plan,
                             const struct mpl_planned *e)
{
    const struct mpl_diagnosis *d = plan->diagnosis;
    const struct mpl_recording *r = &e->recording;

    mpl_json_object(json, NULL);
    mpl_json_string(json, "id", e->id);
    mpl_json_string(json, "status", "needed");
    mpl_json_string(json, "run", d->runs[e->run].id);
    mpl_json_string(json, "pattern", e->pattern);
    mpl_json_integer(json, "level", e->level);
    mpl_json_string(json, "purpose", e->purpose);
    mpl_json_strings(json, "reasons", e->reasons, e->n_reasons);
    mpl_json_strings(json, "separates", e->separates, e->n_separates);
    mpl_json_array(json, "findings");
    for (size_t i = 0; i < d->n_findings; i++) {
        if (mpl_planned_separates(e, &d->findings[i])) {
            mpl_json_string(json, NULL, d->findings[i].id);
        }
    }
    mpl_json_end(json);
    mpl_json_string(json, "expects", e->expects);
    mpl_json_strings(json, "metrics", e->metrics, e->n_metrics);
    mpl_json_strings(json, "events", e->events, e->n_events);
    mpl_json_object(json, "record");
    mpl_json_strings(json, "capabilities", r->capabilities, r->n_capabilities);
    mpl_json_strings(json, "regions", r->regions, r->n_regions);
    mpl_json_strings(json, "counters", r->counters, r->n_counters);
    mpl_json_end(json);
    mpl_json_strings(json, "adds", e->adds, e->n_adds);
    mpl_json_strings(json, "locations", e->locations, e->n_locations);
    mpl_json_array(json, "processes");
    for (size_t i = 0; i < e->n_processes; i++) {
        mpl_json_integer(json, NULL, e->processes[i]);
    }
    mpl_json_end(json);
    mpl_json_integer(json, "repetitions", e->repetitions);
    mpl_json_string(json, "knob", e->knob);
    mpl_json_object(json, "cost");
    mpl_json_number(json, "trace_bytes", e->bytes);
    mpl_json_number(json, "run_s", e->run_s);
    mpl_json_number(json, "overhead_s", e->overhead_s);
    mpl_json_end(json);
    mpl_json_string(json, "problem", e->problem);
    mpl_json_boolean(json, "executable", e->is_executable);
    put_settings(json, e->settings);
    mpl_json_end(json);
}

void mpl_report_tested_by_json(struct mpl_json *json, const struct mpl_plan *plan,
                               const struct mpl_diagnosed *finding)
{
    mpl_json_array(json, "tested_by");
    for (size_t i = 0; plan != NULL && i < plan->n; i++) {
        if (mpl_planned_separates(&plan->experiments[i], finding)) {
            mpl_json_string(json, NULL, plan->experiments[i].id);
        }
    }
    mpl_json_end(json);
}

enum mpl_status mpl_report_plan_json(const struct mpl_plan *plan, FILE *out,
                                     struct mpl_err *err)
{
    struct mpl_json json = mpl_json_begin();

    mpl_json_string(&json, "schema", "marple-plan/1");
    mpl_json_array(&json, "traces");
    for (size_t i = 0; i < plan->diagnosis->n_runs; i++) {
        const struct mpl_run *run = &plan->diagnosis->runs[i];
        const bool is_read = run->model != NULL;

        mpl_json_object(&json, NULL);
        mpl_json_string(&json, "id", run->id);
        mpl_json_string(&json, "path", run->path);
        mpl_json_integer_if(&json, "processes", is_read,
                            is_read ? run->model->n_processes : 0);
        mpl_json_end(&json);
    }
    mpl_json_end(&json);
    mpl_json_array(&json, "experiments");
    for (size_t i = 0; i < plan->n; i++) {
        mpl_report_planned_json(&json, plan, &plan->experiments[i]);
    }
    mpl_json_end(&json);
    mpl_json_strings(&json, "unanswerable", plan->unanswerable, plan->n_unanswerable);
    const enum mpl_status st = mpl_json_write(&json, out, err);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot write the plan");
}
