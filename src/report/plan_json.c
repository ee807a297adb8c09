/* A plan for a program: doc/plan.schema.json, and "experiments" of a diagnosis. */
#include "config.h"

#include "report/report_priv.h"

static struct mpl_json *settings_json(const struct mpl_settings *s)
{
    struct mpl_json *json = mpl_json_object();
    struct mpl_json *environment = mpl_json_object();
    struct mpl_json *files = mpl_json_object();

    for (size_t i = 0; i < s->n_environment; i++) {
        mpl_json_set(environment, s->environment[i].name,
                     mpl_json_string(s->environment[i].value));
    }
    for (size_t i = 0; i < s->n_files; i++) {
        mpl_json_set(files, s->files[i].name, mpl_json_string(s->files[i].text));
    }
    mpl_json_set(json, "tracer", mpl_json_string(mpl_tracer_file_name(s->tracer)));
    mpl_json_set(json, "installed", mpl_json_boolean(mpl_tracer_is_installed(s->tracer)));
    mpl_json_set(json, "launch", mpl_json_strings(s->launch, s->n_launch));
    mpl_json_set(json, "finish", mpl_json_strings(s->finish, s->n_finish));
    mpl_json_set(json, "environment", environment);
    mpl_json_set(json, "files", files);
    mpl_json_set(json, "needs_build", mpl_json_string(s->needs_build));
    mpl_json_set(json, "build", mpl_json_strings(s->build, s->n_build));
    return json;
}

static struct mpl_json *findings_json(const struct mpl_plan *plan,
                                      const struct mpl_planned *e)
{
    struct mpl_json *ids = mpl_json_array();

    for (size_t i = 0; i < plan->diagnosis->n_findings; i++) {
        if (mpl_planned_separates(e, &plan->diagnosis->findings[i])) {
            mpl_json_add(ids, mpl_json_string(plan->diagnosis->findings[i].id));
        }
    }
    return ids;
}

static struct mpl_json *recording_json(const struct mpl_recording *r)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "capabilities",
                 mpl_json_strings(r->capabilities, r->n_capabilities));
    mpl_json_set(json, "regions", mpl_json_strings(r->regions, r->n_regions));
    mpl_json_set(json, "counters", mpl_json_strings(r->counters, r->n_counters));
    return json;
}

static struct mpl_json *cost_json(const struct mpl_planned *e)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "trace_bytes", mpl_json_number(e->bytes));
    mpl_json_set(json, "run_s", mpl_json_number(e->run_s));
    mpl_json_set(json, "overhead_s", mpl_json_number(e->overhead_s));
    return json;
}

struct mpl_json *mpl_report_planned_json(const struct mpl_plan *plan,
                                         const struct mpl_planned *e)
{
    struct mpl_json *json = mpl_json_object();
    struct mpl_json *processes = mpl_json_array();

    for (size_t i = 0; i < e->n_processes; i++) {
        mpl_json_add(processes, mpl_json_integer(e->processes[i]));
    }
    mpl_json_set(json, "id", mpl_json_string(e->id));
    mpl_json_set(json, "status", mpl_json_string("needed"));
    mpl_json_set(json, "run", mpl_json_string(plan->diagnosis->runs[e->run].id));
    mpl_json_set(json, "pattern", mpl_json_string(e->pattern));
    mpl_json_set(json, "level", mpl_json_integer(e->level));
    mpl_json_set(json, "purpose", mpl_json_string(e->purpose));
    mpl_json_set(json, "reasons", mpl_json_strings(e->reasons, e->n_reasons));
    mpl_json_set(json, "separates", mpl_json_strings(e->separates, e->n_separates));
    mpl_json_set(json, "findings", findings_json(plan, e));
    mpl_json_set(json, "expects", mpl_json_string(e->expects));
    mpl_json_set(json, "metrics", mpl_json_strings(e->metrics, e->n_metrics));
    mpl_json_set(json, "events", mpl_json_strings(e->events, e->n_events));
    mpl_json_set(json, "record", recording_json(&e->recording));
    mpl_json_set(json, "adds", mpl_json_strings(e->adds, e->n_adds));
    mpl_json_set(json, "locations", mpl_json_strings(e->locations, e->n_locations));
    mpl_json_set(json, "processes", processes);
    mpl_json_set(json, "repetitions", mpl_json_integer(e->repetitions));
    mpl_json_set(json, "knob", mpl_json_string(e->knob));
    mpl_json_set(json, "cost", cost_json(e));
    mpl_json_set(json, "problem", mpl_json_string(e->problem));
    mpl_json_set(json, "executable", mpl_json_boolean(e->is_executable));
    mpl_json_set(json, "settings",
                 e->settings != NULL ? settings_json(e->settings) : mpl_json_null());
    return json;
}

struct mpl_json *mpl_report_experiments_of_json(const struct mpl_plan *plan,
                                                const struct mpl_diagnosed *finding)
{
    struct mpl_json *ids = mpl_json_array();

    for (size_t i = 0; plan != NULL && i < plan->n; i++) {
        if (mpl_planned_separates(&plan->experiments[i], finding)) {
            mpl_json_add(ids, mpl_json_string(plan->experiments[i].id));
        }
    }
    return ids;
}

enum mpl_status mpl_report_plan_json(const struct mpl_plan *plan, FILE *out,
                                     struct mpl_err *err)
{
    struct mpl_json *json = mpl_json_object();
    struct mpl_json *runs = mpl_json_array();
    struct mpl_json *experiments = mpl_json_array();

    for (size_t i = 0; i < plan->diagnosis->n_runs; i++) {
        const struct mpl_run *run = &plan->diagnosis->runs[i];
        struct mpl_json *one = mpl_json_object();

        mpl_json_set(one, "id", mpl_json_string(run->id));
        mpl_json_set(one, "path", mpl_json_string(run->path));
        mpl_json_set(one, "processes",
                     run->model == NULL ? mpl_json_null()
                                        : mpl_json_integer(run->model->n_processes));
        mpl_json_add(runs, one);
    }
    for (size_t i = 0; i < plan->n; i++) {
        mpl_json_add(experiments, mpl_report_planned_json(plan, &plan->experiments[i]));
    }
    mpl_json_set(json, "schema", mpl_json_string("marple-plan/1"));
    mpl_json_set(json, "traces", runs);
    mpl_json_set(json, "experiments", experiments);
    mpl_json_set(json, "unanswerable",
                 mpl_json_strings(plan->unanswerable, plan->n_unanswerable));
    const enum mpl_status st = mpl_json_write(json, out, err);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot write the plan");
}
