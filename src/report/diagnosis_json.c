/* The diagnosis for a program, as DESIGN section 9 and doc/diagnosis.schema.json state it. */
#include "config.h"

#include "report/report_priv.h"

#include <math.h>

static struct mpl_json *roles_json(const struct mpl_diagnosis *d, const struct mpl_trial *t)
{
    struct mpl_json *json = mpl_json_object();
    const struct mpl_model *model = d->runs[t->run].model;

    for (size_t i = 0; i < mpl_pattern_role_count(t->pattern); i++) {
        const struct mpl_role *role = mpl_recognition_role(t->recognition, i);
        struct mpl_json *labels = mpl_json_array();

        for (uint32_t l = 0; l < role->n; l++) {
            mpl_json_add(labels,
                         mpl_json_string(model->locations[role->locations[l]].label));
        }
        mpl_json_set(json, role->name, labels);
    }
    return json;
}

static struct mpl_json *trial_json(const struct mpl_diagnosis *d, const struct mpl_trial *t)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "name", mpl_json_string(mpl_pattern_name(t->pattern)));
    mpl_json_set(json, "run", mpl_json_string(d->runs[t->run].id));
    mpl_json_set(json, "scope", mpl_json_string(t->scope));
    if (!t->is_chosen) {
        mpl_json_set(json, "reason", mpl_json_string(t->reason));
        return json;
    }
    mpl_json_set(json, "id", mpl_json_string(t->id));
    mpl_json_set(json, "begin_s", mpl_json_number(t->begin_s));
    mpl_json_set(json, "end_s", mpl_json_number(t->end_s));
    mpl_json_set(json, "coverage", mpl_json_number(t->coverage));
    mpl_json_set(json, "time_coverage", mpl_json_number(t->time_coverage));
    mpl_json_set(json, "fit", mpl_json_number(t->fit));
    mpl_json_set(json, "roles", roles_json(d, t));
    return json;
}

static struct mpl_json *trials_json(const struct mpl_diagnosis *d, bool is_chosen)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < d->n_trials; i++) {
        if (d->trials[i].is_chosen == is_chosen) {
            mpl_json_add(all, trial_json(d, &d->trials[i]));
        }
    }
    return all;
}

static struct mpl_json *experiments_json(const struct mpl_diagnosis *d,
                                         const struct mpl_plan *plan)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < d->n_experiments; i++) {
        const struct mpl_experiment *e = &d->experiments[i];

        /* What the plan asks for, it says itself. */
        if (plan != NULL && !e->is_answered) {
            continue;
        }
        struct mpl_json *json = mpl_json_object();

        mpl_json_set(json, "level", mpl_json_integer(e->level));
        mpl_json_set(json, "run", mpl_json_string(d->runs[e->run].id));
        mpl_json_set(json, "pattern", mpl_json_string(e->pattern));
        mpl_json_set(json, "purpose", mpl_json_string(e->purpose));
        mpl_json_set(json, "metrics", mpl_json_strings(e->metrics, e->n_metrics));
        mpl_json_set(json, "status",
                     mpl_json_string(e->is_answered ? "answered" : "needed"));
        mpl_json_set(json, "missing", mpl_json_string(e->why_needed));
        mpl_json_add(all, json);
    }
    for (size_t i = 0; plan != NULL && i < plan->n; i++) {
        mpl_json_add(all, mpl_report_planned_json(plan, &plan->experiments[i]));
    }
    return all;
}

static struct mpl_json *metrics_json(const struct mpl_diagnosis *d)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < d->n_metrics; i++) {
        const struct mpl_metric_result *m = &d->metrics[i];
        struct mpl_json *json = mpl_json_object();

        mpl_json_set(json, "run", mpl_json_string(d->runs[m->run].id));
        mpl_json_set(json, "pattern", mpl_json_string(m->pattern));
        mpl_json_set(json, "name", mpl_json_string(m->name));
        mpl_json_set(json, "location",
                     m->location[0] != '\0' ? mpl_json_string(m->location)
                                            : mpl_json_null());
        mpl_json_set(json, "value", mpl_json_number(m->value));
        mpl_json_set(json, "unit", mpl_json_string(m->unit));
        mpl_json_add(all, json);
    }
    return all;
}

static struct mpl_json *evidence_json(const struct mpl_diagnosed *d)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < d->n_evidence; i++) {
        const struct mpl_evidence *e = &d->evidence[i];
        struct mpl_json *json = mpl_json_object();

        mpl_json_set(json, "metric", mpl_json_string(e->metric));
        mpl_json_set(json, "location",
                     e->location[0] != '\0' ? mpl_json_string(e->location)
                                            : mpl_json_null());
        mpl_json_set(json, "value", mpl_json_number(e->value));
        mpl_json_set(json, "unit", mpl_json_string(e->unit));
        mpl_json_add(all, json);
    }
    return all;
}

static struct mpl_json *where_json(const struct mpl_diagnosed *d)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < d->n_where; i++) {
        const struct mpl_where *s = &d->where[i];
        struct mpl_json *json = mpl_json_object();

        mpl_json_set(json, "region", mpl_json_string(s->region));
        mpl_json_set(json, "file", mpl_json_string(s->file));
        mpl_json_set(json, "line",
                     s->line > 0 ? mpl_json_integer(s->line) : mpl_json_null());
        mpl_json_set(json, "seconds", mpl_json_number(s->seconds));
        if (s->call != NULL) {
            mpl_json_set(json, "call", mpl_json_string(s->call));
            mpl_json_set(json, "before", mpl_json_boolean(s->is_before));
            mpl_json_set(json, "share", mpl_json_number(s->share));
        }
        mpl_json_add(all, json);
    }
    return all;
}

static struct mpl_json *finding_json(const struct mpl_diagnosis *all,
                                     const struct mpl_plan *plan,
                                     const struct mpl_diagnosed *d)
{
    const struct mpl_finding *f = d->finding;
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "id", mpl_json_string(d->id));
    mpl_json_set(json, "kind", mpl_json_string(f->kind));
    mpl_json_set(json, "name", mpl_json_string(f->name));
    mpl_json_set(json, "pattern", mpl_json_string(f->pattern));
    mpl_json_set(json, "run", mpl_json_string(all->runs[d->run].id));
    mpl_json_set(json, "level", mpl_json_integer(f->level));
    mpl_json_set(json, "healthy", mpl_json_boolean(f->is_healthy));
    mpl_json_set(json, "locations", mpl_json_strings(f->locations, f->n_locations));
    mpl_json_set(json, "culprits", mpl_json_strings(f->culprits, f->n_culprits));
    mpl_json_set(json, "severity", mpl_json_number(d->severity));
    mpl_json_set(json, "share_of_lost", mpl_json_number(d->share_of_lost));
    mpl_json_set(json, "lost_s", mpl_json_number(d->lost_s));
    mpl_json_set(json, "worth_s", mpl_json_number(d->worth_s < 0 ? NAN : d->worth_s));
    mpl_report_gain_json(d, json);
    mpl_report_repeats_json(json, d);
    mpl_json_set(json, "confidence", mpl_json_number(f->confidence));
    mpl_json_set(json, "certainty", mpl_json_string(mpl_certainty_name(d->certainty)));
    mpl_json_set(json, "certainty_reason", mpl_json_string(d->certainty_reason));
    mpl_json_set(json, "headline", mpl_json_string(d->headline));
    mpl_json_set(json, "fix", mpl_json_string(d->fix));
    mpl_json_set(json, "clock_sensitive", mpl_json_boolean(d->is_clock_sensitive));
    mpl_json_set(json, "clock_reason", mpl_json_string(d->clock_reason));
    mpl_json_set(json, "clock_low_s", mpl_json_number(d->clock_low_s));
    mpl_json_set(json, "clock_high_s", mpl_json_number(d->clock_high_s));
    mpl_json_set(json, "text", mpl_json_string(f->text));
    mpl_json_set(json, "remedy", mpl_json_string(f->remedy));
    mpl_json_set(json, "explained_by",
                 mpl_json_strings(d->explained_by, d->n_explained_by));
    mpl_json_set(json, "computing_s", mpl_json_number(f->computing_s));
    mpl_json_set(json, "outer_s", mpl_json_number(d->outer_s));
    mpl_json_set(json, "because", mpl_json_strings(d->because, d->n_because));
    mpl_json_set(json, "evidence", evidence_json(d));
    mpl_json_set(json, "facts", mpl_json_strings(d->reasons, d->n_reasons));
    mpl_json_set(json, "rule", mpl_json_string(f->rule));
    mpl_json_set(json, "where", where_json(d));
    mpl_json_set(json, "tested_by", mpl_report_experiments_of_json(plan, d));
    if (d->precedes != NULL) {
        mpl_json_set(json, "began_s", mpl_json_number(d->began_s));
        mpl_json_set(json, "precedes", mpl_json_strings(d->precedes, d->n_precedes));
    }
    return json;
}

static struct mpl_json *runs_json(const struct mpl_diagnosis *d)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < d->n_runs; i++) {
        mpl_json_add(all, mpl_report_run_json(&d->runs[i]));
    }
    return all;
}

static struct mpl_json *findings_json(const struct mpl_diagnosis *d,
                                      const struct mpl_plan *plan)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < d->n_findings; i++) {
        mpl_json_add(all, finding_json(d, plan, &d->findings[i]));
    }
    return all;
}

static struct mpl_json *time_json(const struct mpl_diagnosis *d)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "location_s", mpl_json_number(d->location_s));
    mpl_json_set(json, "lost_s", mpl_json_number(d->lost_s));
    mpl_json_set(json, "explained_s", mpl_json_number(d->explained_s));
    mpl_json_set(json, "nested_s", mpl_json_number(d->nested_s));
    mpl_json_set(json, "normal_s", mpl_json_number(d->normal_s));
    mpl_json_set(json, "unexplained_s",
                 mpl_json_number(d->lost_s - d->explained_s - d->nested_s - d->normal_s));
    return json;
}

static struct mpl_json *rule_errors_json(const struct mpl_diagnosis *d)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < d->n_rule_errors; i++) {
        const struct mpl_lint_message *m = d->rule_errors[i];
        struct mpl_json *json = mpl_json_object();

        mpl_json_set(json, "file", mpl_json_string(m->place.file));
        mpl_json_set(json, "line", mpl_json_integer(m->place.line));
        mpl_json_set(json, "text", mpl_json_string(m->text));
        mpl_json_add(all, json);
    }
    return all;
}

static struct mpl_json *firings_json(const struct mpl_diagnosis *d)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < d->n_firings; i++) {
        mpl_json_add(all, mpl_json_string(d->firings[i].rule));
    }
    return all;
}

struct mpl_json *mpl_report_diagnosis_json(const struct mpl_diagnosis *d,
                                           const struct mpl_plan *plan)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "schema", mpl_json_string("marple-diagnosis/1"));
    mpl_json_set(json, "verdict", mpl_json_string(mpl_verdict_name(d->verdict)));
    mpl_json_set(json, "certainty", mpl_json_string(mpl_certainty_name(d->certainty)));
    mpl_json_set(json, "certainty_reason", mpl_json_string(d->certainty_reason));
    mpl_json_set(json, "clock_sensitive", mpl_json_boolean(d->is_verdict_clock_sensitive));
    mpl_json_set(json, "clock_reason", mpl_json_string(d->verdict_clock_reason));
    mpl_json_set(json, "summary", mpl_json_string(d->summary));
    mpl_json_set(json, "runs", runs_json(d));
    mpl_json_set(json, "groups", mpl_report_groups_json(d));
    mpl_json_set(json, "programs", mpl_report_programs_json(d));
    mpl_json_set(json, "remarks", mpl_json_strings(d->remarks, d->n_remarks));
    mpl_json_set(json, "scaling", mpl_report_scaling_json(d));
    mpl_json_set(json, "patterns", trials_json(d, true));
    mpl_json_set(json, "rejected_patterns", trials_json(d, false));
    mpl_json_set(json, "experiments", experiments_json(d, plan));
    mpl_json_set(json, "metrics", metrics_json(d));
    mpl_json_set(json, "findings", findings_json(d, plan));
    mpl_json_set(json, "what_if", mpl_report_what_ifs_json(d));
    mpl_json_set(json, "what_if_groups", mpl_report_what_if_groups_json(d));
    mpl_json_set(json, "time", time_json(d));
    mpl_json_set(json, "critical_path", mpl_report_path_of_json(d));
    mpl_json_set(json, "rule_errors", rule_errors_json(d));
    mpl_json_set(json, "rules_fired", firings_json(d));
    return json;
}

enum mpl_status mpl_report_json(const struct mpl_diagnosis *d, const struct mpl_plan *plan,
                                FILE *out, struct mpl_err *err)
{
    struct mpl_json *json = mpl_report_diagnosis_json(d, plan);
    const enum mpl_status st = mpl_json_write(json, out, err);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot write the report");
}

enum mpl_status mpl_report_check_json(const struct mpl_diagnosis *d, FILE *out,
                                      struct mpl_err *err)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "schema", mpl_json_string("marple-check/1"));
    mpl_json_set(json, "usable", mpl_json_boolean(d->verdict != MPL_VERDICT_UNUSABLE));
    mpl_json_set(json, "runs", runs_json(d));

    const enum mpl_status st = mpl_json_write(json, out, err);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot write the report");
}
