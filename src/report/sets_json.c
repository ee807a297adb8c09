/* Several runs in the JSON of a diagnosis: groups, what is remarked about them, scaling. */
#include "config.h"

#include "report/report_priv.h"

static struct mpl_json *group_json(const struct mpl_diagnosis *d, const struct mpl_group *g)
{
    struct mpl_json *json = mpl_json_object();
    struct mpl_json *runs = mpl_json_array();

    for (size_t i = 0; i < g->n_runs; i++) {
        mpl_json_add(runs, mpl_json_string(d->runs[g->runs[i]].id));
    }
    mpl_json_set(json, "id", mpl_json_string(g->id));
    mpl_json_set(json, "processes", mpl_json_integer(g->processes));
    mpl_json_set(json, "computing", mpl_json_integer(g->computing));
    mpl_json_set(json, "settings", mpl_json_string(g->settings));
    mpl_json_set(json, "program", mpl_json_integer(g->program));
    mpl_json_set(json, "runs", runs);
    mpl_json_set(json, "speaker", mpl_json_string(d->runs[g->speaker].id));
    mpl_json_set(json, "duration_s", mpl_json_number(g->median_s));
    mpl_json_set(json, "duration_low_s", mpl_json_number(g->low_s));
    mpl_json_set(json, "duration_high_s", mpl_json_number(g->high_s));
    mpl_json_set(json, "compute_s", mpl_json_number(g->compute_s));
    mpl_json_set(json, "verdict", mpl_json_string(mpl_verdict_name(g->verdict)));
    return json;
}

struct mpl_json *mpl_report_groups_json(const struct mpl_diagnosis *d)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < d->n_groups; i++) {
        mpl_json_add(all, group_json(d, &d->groups[i]));
    }
    return all;
}

struct mpl_json *mpl_report_programs_json(const struct mpl_diagnosis *d)
{
    struct mpl_json *all = mpl_json_array();

    for (uint32_t i = 0; i < d->n_programs; i++) {
        struct mpl_json *json = mpl_json_object();
        struct mpl_json *groups = mpl_json_array();

        for (size_t g = 0; g < d->n_groups; g++) {
            if (d->groups[g].program == i) {
                mpl_json_add(groups, mpl_json_string(d->groups[g].id));
            }
        }
        mpl_json_set(json, "program", mpl_json_integer(i));
        mpl_json_set(json, "groups", groups);
        mpl_json_set(json, "verdict",
                     mpl_json_string(mpl_verdict_name(d->programs[i].verdict)));
        mpl_json_set(json, "summary", mpl_json_string(d->programs[i].summary));
        mpl_json_add(all, json);
    }
    return all;
}

struct mpl_json *mpl_report_scaling_json(const struct mpl_diagnosis *d)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < d->n_scaling; i++) {
        const struct mpl_scaling_row *row = &d->scaling[i];
        struct mpl_json *json = mpl_json_object();

        mpl_json_set(json, "from", mpl_json_string(d->runs[row->from].id));
        mpl_json_set(json, "to", mpl_json_string(d->runs[row->to].id));
        mpl_json_set(json, "pattern", mpl_json_string(row->pattern));
        mpl_json_set(json, "quantity", mpl_json_string(row->quantity));
        mpl_json_set(json, "unit", mpl_json_string(row->unit));
        mpl_json_set(json, "model", mpl_json_string(row->model));
        mpl_json_set(json, "expected", mpl_json_number(row->expected));
        mpl_json_set(json, "measured", mpl_json_number(row->measured));
        mpl_json_set(json, "residual",
                     row->expected != 0 ? mpl_json_number(row->measured / row->expected - 1)
                                        : mpl_json_null());
        mpl_json_add(all, json);
    }
    return all;
}

void mpl_report_repeats_json(struct mpl_json *finding, const struct mpl_diagnosed *d)
{
    mpl_json_set(finding, "n_seen", mpl_json_integer(d->n_seen));
    mpl_json_set(finding, "n_alike", mpl_json_integer(d->n_alike));
    mpl_json_set(finding, "lost_low_s", mpl_json_number(d->lost_low_s));
    mpl_json_set(finding, "lost_high_s", mpl_json_number(d->lost_high_s));
    mpl_json_set(finding, "within_spread", mpl_json_boolean(d->is_within_spread));
    mpl_json_set(finding, "of_set", mpl_json_boolean(d->is_of_set));
}
