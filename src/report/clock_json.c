#include "config.h"

#include "report/report_priv.h"

static void put_violations(struct mpl_json *json, const char *key,
                           const struct mpl_violations *v)
{
    mpl_json_object(json, key);
    mpl_json_integer(json, "p2p", (int64_t) v->p2p);
    mpl_json_integer(json, "collective", (int64_t) v->collective);
    mpl_json_integer(json, "thread", (int64_t) v->thread);
    mpl_json_end(json);
}

static void put_seconds(struct mpl_json *json, const char *key, const struct mpl_run *run,
                        int64_t ticks)
{
    mpl_json_number(json, key, mpl_model_seconds(run->model, ticks));
}

/* Offsets differ by up to days between nodes; what is corrected is given per location. */
static void put_locations(struct mpl_json *json, const struct mpl_run *run)
{
    const struct mpl_clock *clock = run->clock;
    const struct mpl_clc *repair = clock->repair;

    mpl_json_array(json, "locations");
    for (uint32_t i = 0; i < run->model->n_locations; i++) {
        mpl_json_object(json, NULL);
        mpl_json_string(json, "location", run->model->locations[i].label);
        put_seconds(json, "offset_s", run, clock->offset_ticks[i]);
        put_seconds(json, "drift_s", run, clock->drift_ticks[i]);
        if (clock->bound_ticks[i] == INT64_MAX) {
            mpl_json_string(json, "error_bound_s", NULL);
        } else {
            put_seconds(json, "error_bound_s", run, clock->bound_ticks[i]);
        }
        put_seconds(json, "max_shift_s", run,
                    repair == NULL ? 0 : repair->location_max_ticks[i]);
        put_seconds(json, "end_shift_s", run,
                    repair == NULL ? 0 : repair->location_end_ticks[i]);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

static void put_intervals(struct mpl_json *json, const struct mpl_run *run)
{
    static const char *const names[] = { "below_0.1_percent", "below_1_percent",
                                         "below_10_percent", "below_100_percent" };
    const struct mpl_clc_distortion *d = &run->clock->repair->distortion;

    mpl_json_object(json, "intervals");
    mpl_json_integer(json, "unchanged", (int64_t) d->unchanged);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mpl_json_integer(json, names[i], (int64_t) d->below[i]);
    }
    mpl_json_integer(json, "beyond", (int64_t) d->beyond);
    put_seconds(json, "longest_s", run, d->longest_ticks);
    put_seconds(json, "shortest_s", run, d->shortest_ticks);
    mpl_json_end(json);
}

static void put_repair(struct mpl_json *json, const struct mpl_run *run)
{
    static const char *const names[MPL_CLC_CLASSES] = {
        [MPL_CLC_P2P_INSIDE] = "p2p_inside_hosts",
        [MPL_CLC_P2P_BETWEEN] = "p2p_between_hosts",
        [MPL_CLC_COLLECTIVE] = "collective",
        [MPL_CLC_THREAD] = "thread",
    };
    const struct mpl_clc *repair = run->clock->repair;

    if (repair == NULL) {
        mpl_json_string(json, "repair", NULL);
        return;
    }
    mpl_json_object(json, "repair");
    mpl_json_integer(json, "passes", repair->n_passes);
    mpl_json_number(json, "gamma", repair->gamma);
    put_seconds(json, "accepted_shift_s", run, repair->error_ticks);
    mpl_json_boolean(json, "within_accepted", repair->is_within_error);
    mpl_json_object(json, "smallest_delay_s");
    for (int c = 0; c < MPL_CLC_CLASSES; c++) {
        put_seconds(json, names[c], run, repair->mu_ticks[c]);
    }
    mpl_json_end(json);
    mpl_json_integer(json, "jumps", (int64_t) repair->n_jumps);
    mpl_json_integer(json, "moved_events", (int64_t) repair->n_moved);
    mpl_json_integer(json, "ignored_pairs", (int64_t) repair->n_ignored);
    mpl_report_label_json(json, "max_shift_location", run, repair->max_shift_location);
    put_seconds(json, "growth_s", run, repair->growth_ticks);
    put_intervals(json, run);
    mpl_json_end(json);
}

void mpl_report_clock_json(struct mpl_json *json, const struct mpl_run *run)
{
    const struct mpl_clock *clock = run->clock;
    const bool is_mapped =
        clock->source != MPL_CLOCK_SINGLE && clock->source != MPL_CLOCK_RAW;

    mpl_json_object(json, "clock");
    mpl_json_string(json, "source", mpl_clock_source_name(clock->source));
    mpl_json_boolean(json, "corrected", is_mapped || clock->repair != NULL);
    mpl_json_integer(json, "pieces", clock->n_pieces);
    put_violations(json, "violations_before", &clock->before);
    put_violations(json, "violations_mapped", &clock->mapped);
    put_violations(json, "violations_after", &clock->after);
    put_seconds(json, "worst_reversal_before_s", run, clock->before.worst_ticks);
    put_seconds(json, "worst_reversal_mapped_s", run, clock->mapped.worst_ticks);
    put_seconds(json, "worst_reversal_s", run, clock->after.worst_ticks);
    put_seconds(json, "max_shift_s", run,
                clock->repair == NULL ? 0 : clock->repair->max_shift_ticks);
    const struct mpl_clock_accuracy *a = &run->clock->accuracy;
    const double ticks_per_s = (double) run->model->ticks_per_s;

    mpl_json_object(json, "accuracy");
    mpl_json_integer(json, "messages", (int64_t) a->n);
    mpl_json_integer(json, "in_order", (int64_t) a->n_correct);
    mpl_json_number(json, "mean_s", a->mean_ticks / ticks_per_s);
    mpl_json_number(json, "median_s", a->median_ticks / ticks_per_s);
    mpl_json_number(json, "stddev_s", a->stddev_ticks / ticks_per_s);
    put_seconds(json, "worst_s", run, a->worst_ticks);
    mpl_json_end(json);
    put_repair(json, run);
    put_locations(json, run);
    mpl_json_end(json);
}
