#include "config.h"

#include "report/report_priv.h"

static void put_quality(struct mpl_json *json, const struct mpl_run *run)
{
    const struct mpl_quality *quality = run->model->quality;

    mpl_json_array(json, "quality");
    for (size_t i = 0; i < mpl_quality_count(quality); i++) {
        const struct mpl_quality_note *note = mpl_quality_get(quality, i);

        mpl_json_object(json, NULL);
        mpl_json_string(json, "note", note->note);
        mpl_json_integer(json, "count", (int64_t) note->count);
        mpl_json_array(json, "locations");
        for (uint32_t l = 0; l < note->n_locations; l++) {
            mpl_json_string(json, NULL, run->model->locations[note->locations[l]].label);
        }
        mpl_json_end(json);
        mpl_json_string(json, "text", note->text);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

void mpl_report_run_json(struct mpl_json *json, const struct mpl_run *run)
{
    mpl_json_object(json, NULL);
    mpl_json_string(json, "id", run->id);
    mpl_json_string(json, "path", run->path);
    if (run->label != NULL) {
        mpl_json_string(json, "label", run->label);
    }
    mpl_json_string(json, "failure", run->failure);
    if (run->events != NULL) {
        mpl_json_integer(json, "processes", run->model->n_processes);
        mpl_json_integer(json, "locations", run->model->n_locations);
        mpl_json_integer(json, "events", (int64_t) run->model->n_recorded);
        mpl_json_number(json, "duration_s", run->window_s);
        mpl_json_number(json, "startup_s", run->startup_s);
        mpl_json_number(json, "shutdown_s", run->shutdown_s);
        mpl_json_string(json, "damage", run->damage);
        mpl_json_number(json, "unknown_s", run->unknown_s);
        size_t n = 0;
        const struct mpl_capability *table = mpl_capability_table(&n);

        mpl_json_object(json, "records");
        for (size_t i = 0; i < n; i++) {
            mpl_json_boolean(json, table[i].name,
                             mpl_capability_get(&run->model->can, &table[i]));
        }
        mpl_json_end(json);
        const struct mpl_match_counts *c = &run->match->counts;

        mpl_json_object(json, "matching");
        mpl_json_integer(json, "messages", (int64_t) c->pairs);
        mpl_json_integer(json, "unmatched_sends", (int64_t) c->unmatched_sends);
        mpl_json_integer(json, "unmatched_receives", (int64_t) c->unmatched_receives);
        mpl_json_integer(json, "open_receives", (int64_t) c->open_receives);
        mpl_json_integer(json, "null_ends", (int64_t) c->null_ends);
        mpl_json_integer(json, "garbage_ends", (int64_t) c->garbage_ends);
        mpl_json_integer(json, "guessed_communicators", (int64_t) c->guessed_comms);
        mpl_json_integer(json, "collectives", (int64_t) c->collectives);
        mpl_json_integer(json, "incomplete_collectives",
                         (int64_t) c->incomplete_collectives);
        mpl_json_end(json);
        mpl_report_clock_json(json, run);
        put_quality(json, run);
    }
    mpl_json_end(json);
}
