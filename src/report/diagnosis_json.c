/* The diagnosis for a program, as DESIGN section 9 and doc/diagnosis.schema.json state it. */
#include "config.h"

#include "report/report_priv.h"

#include <math.h>

static void put_trial(struct mpl_json *json, const struct mpl_diagnosis *d,
                      const struct mpl_trial *t)
{
    const struct mpl_model *model = d->runs[t->run].model;

    mpl_json_string(json, "name", mpl_pattern_name(t->pattern));
    mpl_json_string(json, "run", d->runs[t->run].id);
    mpl_json_string(json, "scope", t->scope);
    if (!t->is_chosen) {
        mpl_json_string(json, "reason", t->reason);
        return;
    }
    mpl_json_string(json, "id", t->id);
    mpl_json_number(json, "begin_s", t->begin_s);
    mpl_json_number(json, "end_s", t->end_s);
    mpl_json_number(json, "coverage", t->coverage);
    mpl_json_number(json, "time_coverage", t->time_coverage);
    mpl_json_number(json, "fit", t->fit);
    mpl_json_object(json, "roles");
    for (size_t i = 0; i < mpl_pattern_role_count(t->pattern); i++) {
        const struct mpl_role *role = mpl_recognition_role(t->recognition, i);

        mpl_json_array(json, role->name);
        for (uint32_t l = 0; l < role->n; l++) {
            mpl_json_string(json, NULL, model->locations[role->locations[l]].label);
        }
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

static void put_trials(struct mpl_json *json, const char *key,
                       const struct mpl_diagnosis *d, bool is_chosen)
{
    mpl_json_array(json, key);
    for (size_t i = 0; i < d->n_trials; i++) {
        if (d->trials[i].is_chosen == is_chosen) {
            mpl_json_object(json, NULL);
            put_trial(json, d, &d->trials[i]);
            mpl_json_end(json);
        }
    }
    mpl_json_end(json);
}

static void put_experiments(struct mpl_json *json, const struct mpl_diagnosis *d,
                            const struct mpl_plan *plan)
{
    mpl_json_array(json, "experiments");
    for (size_t i = 0; i < d->n_experiments; i++) {
        const struct mpl_experiment *e = &d->experiments[i];

        /* What the plan asks for, it says itself. */
        if (plan != NULL && !e->is_answered) {
            continue;
        }
        mpl_json_object(json, NULL);
        mpl_json_integer(json, "level", e->level);
        mpl_json_string(json, "run", d->runs[e->run].id);
        mpl_json_string(json, "pattern", e->pattern);
        mpl_json_string(json, "purpose", e->purpose);
        mpl_json_strings(json, "metrics", e->metrics, e->n_metrics);
        mpl_json_string(json, "status", e->is_answered ? "answered" : "needed");
        mpl_json_string(json, "missing", e->why_needed);
        mpl_json_end(json);
    }
    for (size_t i = 0; plan != NULL && i < plan->n; i++) {
        mpl_report_planned_json(json, plan, &plan->experiments[i]);
    }
    mpl_json_end(json);
}

static void put_metrics(struct mpl_json *json, const struct mpl_diagnosis *d)
{
    mpl_json_array(json, "metrics");
    for (size_t i = 0; i < d->n_metrics; i++) {
        const struct mpl_metric_result *m = &d->metrics[i];

        mpl_json_object(json, NULL);
        mpl_json_string(json, "run", d->runs[m->run].id);
        mpl_json_string(json, "pattern", m->pattern);
        mpl_json_string(json, "name", m->name);
        mpl_json_string(json, "location", m->location[0] != '\0' ? m->location : NULL);
        mpl_json_number(json, "value", m->value);
        mpl_json_string(json, "unit", m->unit);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

static void put_evidence(struct mpl_json *json, const struct mpl_diagnosed *d)
{
    mpl_json_array(json, "evidence");
    for (size_t i = 0; i < d->n_evidence; i++) {
        const struct mpl_evidence *e = &d->evidence[i];

        mpl_json_object(json, NULL);
        mpl_json_string(json, "metric", e->metric);
        mpl_json_string(json, "location", e->location[0] != '\0' ? e->location : NULL);
        mpl_json_number(json, "value", e->value);
        mpl_json_string(json, "unit", e->unit);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

static void put_where(struct mpl_json *json, const struct mpl_diagnosed *d)
{
    mpl_json_array(json, "where");
    for (size_t i = 0; i < d->n_where; i++) {
        const struct mpl_where *s = &d->where[i];

        mpl_json_object(json, NULL);
        mpl_json_string(json, "region", s->region);
        mpl_json_string(json, "file", s->file);
        mpl_json_integer_if(json, "line", s->line > 0, s->line);
        mpl_json_number(json, "seconds", s->seconds);
        if (s->call != NULL) {
            mpl_json_string(json, "call", s->call);
            mpl_json_boolean(json, "before", s->is_before);
            mpl_json_number(json, "share", s->share);
        }
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

static void put_finding(struct mpl_json *json, const struct mpl_diagnosis *all,
                        const struct mpl_plan *plan, const struct mpl_diagnosed *d)
{
    const struct mpl_finding *f = d->finding;

    mpl_json_object(json, NULL);
    mpl_json_string(json, "id", d->id);
    mpl_json_string(json, "kind", f->kind);
    mpl_json_string(json, "name", f->name);
    mpl_json_string(json, "pattern", f->pattern);
    mpl_json_string(json, "run", all->runs[d->run].id);
    mpl_json_integer(json, "level", f->level);
    mpl_json_boolean(json, "healthy", f->is_healthy);
    mpl_json_strings(json, "locations", f->locations, f->n_locations);
    mpl_json_strings(json, "culprits", f->culprits, f->n_culprits);
    mpl_json_number(json, "severity", d->severity);
    mpl_json_number(json, "share_of_lost", d->share_of_lost);
    mpl_json_number(json, "lost_s", d->lost_s);
    mpl_json_number(json, "worth_s", d->worth_s < 0 ? NAN : d->worth_s);
    mpl_report_gain_json(json, d);
    mpl_report_repeats_json(json, d);
    mpl_json_number(json, "confidence", f->confidence);
    mpl_json_string(json, "certainty", mpl_certainty_name(d->certainty));
    mpl_json_string(json, "certainty_reason", d->certainty_reason);
    mpl_json_string(json, "headline", d->headline);
    mpl_json_string(json, "fix", d->fix);
    mpl_json_boolean(json, "clock_sensitive", d->is_clock_sensitive);
    mpl_json_string(json, "clock_reason", d->clock_reason);
    mpl_json_number(json, "clock_low_s", d->clock_low_s);
    mpl_json_number(json, "clock_high_s", d->clock_high_s);
    mpl_json_string(json, "text", f->text);
    mpl_json_string(json, "remedy", f->remedy);
    mpl_json_strings(json, "explained_by", d->explained_by, d->n_explained_by);
    mpl_json_number(json, "computing_s", f->computing_s);
    mpl_json_number(json, "outer_s", d->outer_s);
    mpl_json_strings(json, "because", d->because, d->n_because);
    put_evidence(json, d);
    mpl_json_strings(json, "facts", d->reasons, d->n_reasons);
    mpl_json_string(json, "rule", f->rule);
    put_where(json, d);
    mpl_report_tested_by_json(json, plan, d);
    if (d->precedes != NULL) {
        mpl_json_number(json, "began_s", d->began_s);
        mpl_json_strings(json, "precedes", d->precedes, d->n_precedes);
    }
    mpl_json_end(json);
}

static void put_runs(struct mpl_json *json, const struct mpl_diagnosis *d)
{
    mpl_json_array(json, "runs");
    for (size_t i = 0; i < d->n_runs; i++) {
        mpl_report_run_json(json, &d->runs[i]);
    }
    mpl_json_end(json);
}

static void put_rules(struct mpl_json *json, const struct mpl_diagnosis *d)
{
    mpl_json_array(json, "rule_errors");
    for (size_t i = 0; i < d->n_rule_errors; i++) {
        const struct mpl_lint_message *m = d->rule_errors[i];

        mpl_json_object(json, NULL);
        mpl_json_string(json, "file", m->place.file);
        mpl_json_integer(json, "line", m->place.line);
        mpl_json_string(json, "text", m->text);
        mpl_json_end(json);
    }
    mpl_json_end(json);
    mpl_json_array(json, "rules_fired");
    for (size_t i = 0; i < d->n_firings; i++) {
        mpl_json_string(json, NULL, d->firings[i].rule);
    }
    mpl_json_end(json);
}

void mpl_report_diagnosis_json(struct mpl_json *json, const struct mpl_diagnosis *d,
                               const struct mpl_plan *plan)
{
    mpl_json_string(json, "schema", "marple-diagnosis/1");
    mpl_json_string(json, "verdict", mpl_verdict_name(d->verdict));
    mpl_json_string(json, "certainty", mpl_certainty_name(d->certainty));
    mpl_json_string(json, "certainty_reason", d->certainty_reason);
    mpl_json_boolean(json, "clock_sensitive", d->is_verdict_clock_sensitive);
    mpl_json_string(json, "clock_reason", d->verdict_clock_reason);
    mpl_json_string(json, "summary", d->summary);
    put_runs(json, d);
    mpl_report_groups_json(json, d);
    mpl_report_programs_json(json, d);
    mpl_json_strings(json, "remarks", d->sets.remarks, d->sets.n_remarks);
    mpl_report_scaling_json(json, d);
    put_trials(json, "patterns", d, true);
    put_trials(json, "rejected_patterns", d, false);
    put_experiments(json, d, plan);
    put_metrics(json, d);
    mpl_json_array(json, "findings");
    for (size_t i = 0; i < d->n_findings; i++) {
        put_finding(json, d, plan, &d->findings[i]);
    }
    mpl_json_end(json);
    mpl_report_what_ifs_json(json, d);
    mpl_json_object(json, "time");
    mpl_json_number(json, "location_s", d->location_s);
    mpl_json_number(json, "lost_s", d->lost_s);
    mpl_json_number(json, "explained_s", d->explained_s);
    mpl_json_number(json, "nested_s", d->nested_s);
    mpl_json_number(json, "normal_s", d->normal_s);
    mpl_json_number(json, "unexplained_s",
                    d->lost_s - d->explained_s - d->nested_s - d->normal_s);
    mpl_json_end(json);
    mpl_report_path_of_json(json, d);
    put_rules(json, d);
}

enum mpl_status mpl_report_json(const struct mpl_diagnosis *d, const struct mpl_plan *plan,
                                FILE *out, struct mpl_err *err)
{
    struct mpl_json json = mpl_json_begin();

    mpl_report_diagnosis_json(&json, d, plan);
    const enum mpl_status st = mpl_json_write(&json, out, err);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot write the report");
}

enum mpl_status mpl_report_check_json(const struct mpl_diagnosis *d, FILE *out,
                                      struct mpl_err *err)
{
    struct mpl_json json = mpl_json_begin();

    mpl_json_string(&json, "schema", "marple-check/1");
    mpl_json_boolean(&json, "usable", d->verdict != MPL_VERDICT_UNUSABLE);
    put_runs(&json, d);

    const enum mpl_status st = mpl_json_write(&json, out, err);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot write the report");
}
