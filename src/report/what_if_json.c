#include "config.h"

#include "report/report_priv.h"

void mpl_report_gain_json(struct mpl_json *finding, const struct mpl_diagnosed *d)
{
    mpl_json_number(finding, "gain_s", d->gain_s);
    mpl_json_number(finding, "gain_low_s", d->gain_low_s);
    mpl_json_number(finding, "gain_high_s", d->gain_high_s);
    mpl_json_string(finding, "gain_kind", d->finding->gain_kind);
    mpl_json_string(finding, "gain_reason", d->gain_reason);
    mpl_json_number(finding, "gain_model_s", d->gain_model_s);
    mpl_json_number(finding, "gain_replay_s", d->gain_replay_s);
    mpl_json_string(finding, "gain_doubt", d->gain_doubt);
    mpl_json_string(finding, "what_if", d->what_if);
}

static void put_range(struct mpl_json *json, const char *key,
                      const struct mpl_what_if_range *range)
{
    mpl_json_object(json, key);
    mpl_json_number(json, "median_s", range->median_s);
    mpl_json_number(json, "low_s", range->low_s);
    mpl_json_number(json, "high_s", range->high_s);
    mpl_json_end(json);
}

static void put_groups(struct mpl_json *json, const struct mpl_diagnosis *d)
{
    mpl_json_array(json, "what_if_groups");
    for (size_t i = 0; i < d->n_what_if_groups; i++) {
        const struct mpl_what_if_group *g = &d->what_if_groups[i];

        mpl_json_object(json, NULL);
        mpl_json_string(json, "group", d->sets.groups[g->group].id);
        mpl_json_string(json, "change", g->text);
        mpl_json_number(json, "n_runs", (double) g->n);
        mpl_json_number(json, "n_asked", (double) g->n_asked);
        put_range(json, "recorded", &g->recorded);
        put_range(json, "baseline", &g->baseline);
        put_range(json, "changed", &g->changed);
        put_range(json, "gain", &g->gain);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

void mpl_report_what_ifs_json(struct mpl_json *json, const struct mpl_diagnosis *d)
{
    mpl_json_array(json, "what_if");
    for (size_t i = 0; i < d->n_what_ifs; i++) {
        const struct mpl_what_if_answer *answer = &d->what_ifs[i];
        const struct mpl_replayed *r = &answer->replayed;
        const struct mpl_run *run = &d->runs[answer->run];

        mpl_json_object(json, NULL);
        mpl_json_string(json, "run", run->id);
        mpl_json_string(json, "change", answer->text);
        mpl_json_number(json, "recorded_s", r->recorded_s);
        mpl_json_number(json, "baseline_s", r->baseline_s);
        mpl_json_number(json, "changed_s", r->changed_s);
        mpl_json_number(json, "gain_s", r->gain_s);
        mpl_json_string(json, "doubt", r->doubt);
        mpl_json_array(json, "locations");
        for (uint32_t l = 0; l < r->n_locations; l++) {
            mpl_json_object(json, NULL);
            mpl_json_string(json, "location", run->model->locations[l].label);
            mpl_json_number(json, "end_s", r->end_s[l]);
            mpl_json_end(json);
        }
        mpl_json_end(json);
        mpl_json_end(json);
    }
    mpl_json_end(json);
    put_groups(json, d);
}
