/* Several runs in the JSON of a diagnosis: groups, what is remarked about them, scaling. */
#include "config.h"

#include "report/report_priv.h"

#include <math.h>

void mpl_report_groups_json(struct mpl_json *json, const struct mpl_diagnosis *d)
{
    mpl_json_array(json, "groups");
    for (size_t i = 0; i < d->sets.n_groups; i++) {
        const struct mpl_group *g = &d->sets.groups[i];

        mpl_json_object(json, NULL);
        mpl_json_string(json, "id", g->id);
        mpl_json_integer(json, "processes", g->processes);
        mpl_json_integer(json, "computing", g->computing);
        mpl_json_string(json, "settings", g->settings);
        mpl_json_integer(json, "program", g->program);
        mpl_json_array(json, "runs");
        for (size_t r = 0; r < g->n_runs; r++) {
            mpl_json_string(json, NULL, d->runs[g->runs[r]].id);
        }
        mpl_json_end(json);
        mpl_json_string(json, "speaker", d->runs[g->speaker].id);
        mpl_json_number(json, "duration_s", g->median_s);
        mpl_json_number(json, "duration_low_s", g->low_s);
        mpl_json_number(json, "duration_high_s", g->high_s);
        mpl_json_number(json, "compute_s", g->compute_s);
        mpl_json_string(json, "verdict", mpl_verdict_name(d->group_verdicts[i].verdict));
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

void mpl_report_programs_json(struct mpl_json *json, const struct mpl_diagnosis *d)
{
    mpl_json_array(json, "programs");
    for (uint32_t i = 0; i < d->n_programs; i++) {
        mpl_json_object(json, NULL);
        mpl_json_integer(json, "program", i);
        mpl_json_array(json, "groups");
        for (size_t g = 0; g < d->sets.n_groups; g++) {
            if (d->sets.groups[g].program == i) {
                mpl_json_string(json, NULL, d->sets.groups[g].id);
            }
        }
        mpl_json_end(json);
        mpl_json_string(json, "verdict", mpl_verdict_name(d->programs[i].verdict));
        mpl_json_string(json, "summary", d->programs[i].summary);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

void mpl_report_scaling_json(struct mpl_json *json, const struct mpl_diagnosis *d)
{
    mpl_json_array(json, "scaling");
    for (size_t i = 0; i < d->n_scaling; i++) {
        const struct mpl_scaling_row *row = &d->scaling[i];

        mpl_json_object(json, NULL);
        mpl_json_string(json, "from", d->runs[row->from].id);
        mpl_json_string(json, "to", d->runs[row->to].id);
        mpl_json_string(json, "pattern", row->pattern);
        mpl_json_string(json, "quantity", row->quantity);
        mpl_json_string(json, "unit", row->unit);
        mpl_json_string(json, "model", row->model);
        mpl_json_number(json, "expected", row->expected);
        mpl_json_number(json, "measured", row->measured);
        mpl_json_number(json, "residual",
                        row->expected != 0 ? row->measured / row->expected - 1 : NAN);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

void mpl_report_repeats_json(struct mpl_json *finding, const struct mpl_diagnosed *d)
{
    mpl_json_integer(finding, "n_seen", d->n_seen);
    mpl_json_integer(finding, "n_alike", d->n_alike);
    mpl_json_number(finding, "lost_low_s", d->lost_low_s);
    mpl_json_number(finding, "lost_high_s", d->lost_high_s);
    mpl_json_boolean(finding, "within_spread", d->is_within_spread);
    mpl_json_boolean(finding, "of_set", d->is_of_set);
}
