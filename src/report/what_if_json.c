#include "config.h"

#include "report/report_priv.h"

void mpl_report_gain_json(const struct mpl_diagnosed *d, struct mpl_json *finding)
{
    mpl_json_set(finding, "gain_s", mpl_json_number(d->gain_s));
    mpl_json_set(finding, "gain_low_s", mpl_json_number(d->gain_low_s));
    mpl_json_set(finding, "gain_high_s", mpl_json_number(d->gain_high_s));
    mpl_json_set(finding, "gain_kind", mpl_json_string(d->finding->gain_kind));
    mpl_json_set(finding, "gain_reason", mpl_json_string(d->gain_reason));
    mpl_json_set(finding, "gain_model_s", mpl_json_number(d->gain_model_s));
    mpl_json_set(finding, "gain_replay_s", mpl_json_number(d->gain_replay_s));
    mpl_json_set(finding, "gain_doubt", mpl_json_string(d->gain_doubt));
    mpl_json_set(finding, "what_if", mpl_json_string(d->what_if));
}

static struct mpl_json *ends_json(const struct mpl_run *run, const struct mpl_replayed *r)
{
    struct mpl_json *all = mpl_json_array();

    for (uint32_t l = 0; l < r->n_locations; l++) {
        struct mpl_json *json = mpl_json_object();

        mpl_json_set(json, "location", mpl_json_string(run->model->locations[l].label));
        mpl_json_set(json, "end_s", mpl_json_number(r->end_s[l]));
        mpl_json_add(all, json);
    }
    return all;
}

struct mpl_json *mpl_report_what_ifs_json(const struct mpl_diagnosis *d)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < d->n_what_ifs; i++) {
        const struct mpl_what_if_answer *answer = &d->what_ifs[i];
        const struct mpl_replayed *r = &answer->replayed;
        struct mpl_json *json = mpl_json_object();

        mpl_json_set(json, "run", mpl_json_string(d->runs[answer->run].id));
        mpl_json_set(json, "change", mpl_json_string(answer->text));
        mpl_json_set(json, "recorded_s", mpl_json_number(r->recorded_s));
        mpl_json_set(json, "baseline_s", mpl_json_number(r->baseline_s));
        mpl_json_set(json, "changed_s", mpl_json_number(r->changed_s));
        mpl_json_set(json, "gain_s", mpl_json_number(r->gain_s));
        mpl_json_set(json, "doubt", mpl_json_string(r->doubt));
        mpl_json_set(json, "locations", ends_json(&d->runs[answer->run], r));
        mpl_json_add(all, json);
    }
    return all;
}

static struct mpl_json *range_json(const struct mpl_what_if_range *range)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "median_s", mpl_json_number(range->median_s));
    mpl_json_set(json, "low_s", mpl_json_number(range->low_s));
    mpl_json_set(json, "high_s", mpl_json_number(range->high_s));
    return json;
}

struct mpl_json *mpl_report_what_if_groups_json(const struct mpl_diagnosis *d)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < d->n_what_if_groups; i++) {
        const struct mpl_what_if_group *g = &d->what_if_groups[i];
        struct mpl_json *json = mpl_json_object();

        mpl_json_set(json, "group", mpl_json_string(d->groups[g->group].id));
        mpl_json_set(json, "change", mpl_json_string(g->text));
        mpl_json_set(json, "n_runs", mpl_json_number((double) g->n));
        mpl_json_set(json, "n_asked", mpl_json_number((double) g->n_asked));
        mpl_json_set(json, "recorded", range_json(&g->recorded));
        mpl_json_set(json, "baseline", range_json(&g->baseline));
        mpl_json_set(json, "changed", range_json(&g->changed));
        mpl_json_set(json, "gain", range_json(&g->gain));
        mpl_json_add(all, json);
    }
    return all;
}
