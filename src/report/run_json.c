#include "config.h"

#include "report/report_priv.h"

static struct mpl_json *quality_json(const struct mpl_run *run)
{
    const struct mpl_quality *quality = run->model->quality;
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < mpl_quality_count(quality); i++) {
        const struct mpl_quality_note *note = mpl_quality_get(quality, i);
        struct mpl_json *one = mpl_json_object();
        struct mpl_json *locations = mpl_json_array();

        for (uint32_t l = 0; l < note->n_locations; l++) {
            mpl_json_add(locations,
                         mpl_json_string(run->model->locations[note->locations[l]].label));
        }
        mpl_json_set(one, "note", mpl_json_string(note->note));
        mpl_json_set(one, "count", mpl_json_integer((int64_t) note->count));
        mpl_json_set(one, "locations", locations);
        mpl_json_set(one, "text", mpl_json_string(note->text));
        mpl_json_add(all, one);
    }
    return all;
}

static struct mpl_json *capabilities_json(const struct mpl_model *model)
{
    size_t n = 0;
    const struct mpl_capability *table = mpl_capability_table(&n);
    struct mpl_json *json = mpl_json_object();

    for (size_t i = 0; i < n; i++) {
        mpl_json_set(json, table[i].name,
                     mpl_json_boolean(mpl_capability_get(&model->can, &table[i])));
    }
    return json;
}

static struct mpl_json *matching_json(const struct mpl_match_counts *c)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "messages", mpl_json_integer((int64_t) c->pairs));
    mpl_json_set(json, "unmatched_sends", mpl_json_integer((int64_t) c->unmatched_sends));
    mpl_json_set(json, "unmatched_receives",
                 mpl_json_integer((int64_t) c->unmatched_receives));
    mpl_json_set(json, "open_receives", mpl_json_integer((int64_t) c->open_receives));
    mpl_json_set(json, "null_ends", mpl_json_integer((int64_t) c->null_ends));
    mpl_json_set(json, "garbage_ends", mpl_json_integer((int64_t) c->garbage_ends));
    mpl_json_set(json, "guessed_communicators",
                 mpl_json_integer((int64_t) c->guessed_comms));
    mpl_json_set(json, "collectives", mpl_json_integer((int64_t) c->collectives));
    mpl_json_set(json, "incomplete_collectives",
                 mpl_json_integer((int64_t) c->incomplete_collectives));
    return json;
}

struct mpl_json *mpl_report_run_json(const struct mpl_run *run)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "id", mpl_json_string(run->id));
    mpl_json_set(json, "path", mpl_json_string(run->path));
    if (run->label != NULL) {
        mpl_json_set(json, "label", mpl_json_string(run->label));
    }
    mpl_json_set(json, "failure", mpl_json_string(run->failure));
    if (run->events == NULL) {
        return json;
    }
    mpl_json_set(json, "processes", mpl_json_integer(run->model->n_processes));
    mpl_json_set(json, "locations", mpl_json_integer(run->model->n_locations));
    mpl_json_set(json, "events", mpl_json_integer((int64_t) run->model->n_recorded));
    mpl_json_set(json, "duration_s", mpl_json_number(run->window_s));
    mpl_json_set(json, "startup_s", mpl_json_number(run->startup_s));
    mpl_json_set(json, "shutdown_s", mpl_json_number(run->shutdown_s));
    mpl_json_set(json, "damage", mpl_json_string(run->damage));
    mpl_json_set(json, "unknown_s", mpl_json_number(run->unknown_s));
    mpl_json_set(json, "records", capabilities_json(run->model));
    mpl_json_set(json, "matching", matching_json(&run->match->counts));
    mpl_json_set(json, "clock", mpl_report_clock_json(run));
    mpl_json_set(json, "quality", quality_json(run));
    return json;
}
