#include "config.h"

#include "report/report_priv.h"

static struct mpl_json *violations_json(const struct mpl_violations *v)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "p2p", mpl_json_integer((int64_t) v->p2p));
    mpl_json_set(json, "collective", mpl_json_integer((int64_t) v->collective));
    mpl_json_set(json, "thread", mpl_json_integer((int64_t) v->thread));
    return json;
}

static struct mpl_json *seconds_json(const struct mpl_run *run, int64_t ticks)
{
    return mpl_json_number(mpl_model_seconds(run->model, ticks));
}

/* Offsets differ by up to days between nodes; what is corrected is given per location. */
static struct mpl_json *locations_json(const struct mpl_run *run)
{
    const struct mpl_clock *clock = run->clock;
    struct mpl_json *all = mpl_json_array();

    for (uint32_t i = 0; i < run->model->n_locations; i++) {
        const struct mpl_clc *repair = clock->repair;
        struct mpl_json *one = mpl_json_object();

        mpl_json_set(one, "location", mpl_json_string(run->model->locations[i].label));
        mpl_json_set(one, "offset_s", seconds_json(run, clock->offset_ticks[i]));
        mpl_json_set(one, "drift_s", seconds_json(run, clock->drift_ticks[i]));
        mpl_json_set(one, "error_bound_s",
                     clock->bound_ticks[i] == INT64_MAX
                         ? mpl_json_null()
                         : seconds_json(run, clock->bound_ticks[i]));
        mpl_json_set(one, "max_shift_s",
                     seconds_json(run, repair == NULL ? 0 : repair->location_max_ticks[i]));
        mpl_json_set(one, "end_shift_s",
                     seconds_json(run, repair == NULL ? 0 : repair->location_end_ticks[i]));
        mpl_json_add(all, one);
    }
    return all;
}

static struct mpl_json *accuracy_json(const struct mpl_run *run)
{
    const struct mpl_clock_accuracy *a = &run->clock->accuracy;
    const double ticks_per_s = (double) run->model->ticks_per_s;
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "messages", mpl_json_integer((int64_t) a->n));
    mpl_json_set(json, "in_order", mpl_json_integer((int64_t) a->n_correct));
    mpl_json_set(json, "mean_s", mpl_json_number(a->mean_ticks / ticks_per_s));
    mpl_json_set(json, "median_s", mpl_json_number(a->median_ticks / ticks_per_s));
    mpl_json_set(json, "stddev_s", mpl_json_number(a->stddev_ticks / ticks_per_s));
    mpl_json_set(json, "worst_s", seconds_json(run, a->worst_ticks));
    return json;
}

static struct mpl_json *distortion_json(const struct mpl_run *run)
{
    static const char *const names[] = { "below_0.1_percent", "below_1_percent",
                                         "below_10_percent", "below_100_percent" };
    const struct mpl_clc_distortion *d = &run->clock->repair->distortion;
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "unchanged", mpl_json_integer((int64_t) d->unchanged));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mpl_json_set(json, names[i], mpl_json_integer((int64_t) d->below[i]));
    }
    mpl_json_set(json, "beyond", mpl_json_integer((int64_t) d->beyond));
    mpl_json_set(json, "longest_s", seconds_json(run, d->longest_ticks));
    mpl_json_set(json, "shortest_s", seconds_json(run, d->shortest_ticks));
    return json;
}

static struct mpl_json *delays_json(const struct mpl_run *run)
{
    static const char *const names[MPL_CLC_CLASSES] = {
        [MPL_CLC_P2P_INSIDE] = "p2p_inside_hosts",
        [MPL_CLC_P2P_BETWEEN] = "p2p_between_hosts",
        [MPL_CLC_COLLECTIVE] = "collective",
        [MPL_CLC_THREAD] = "thread",
    };
    struct mpl_json *json = mpl_json_object();

    for (int c = 0; c < MPL_CLC_CLASSES; c++) {
        mpl_json_set(json, names[c], seconds_json(run, run->clock->repair->mu_ticks[c]));
    }
    return json;
}

static struct mpl_json *repair_json(const struct mpl_run *run)
{
    const struct mpl_clc *repair = run->clock->repair;
    struct mpl_json *json;

    if (repair == NULL) {
        return mpl_json_null();
    }
    json = mpl_json_object();
    mpl_json_set(json, "passes", mpl_json_integer(repair->n_passes));
    mpl_json_set(json, "gamma", mpl_json_number(repair->gamma));
    mpl_json_set(json, "accepted_shift_s", seconds_json(run, repair->error_ticks));
    mpl_json_set(json, "within_accepted", mpl_json_boolean(repair->is_within_error));
    mpl_json_set(json, "smallest_delay_s", delays_json(run));
    mpl_json_set(json, "jumps", mpl_json_integer((int64_t) repair->n_jumps));
    mpl_json_set(json, "moved_events", mpl_json_integer((int64_t) repair->n_moved));
    mpl_json_set(json, "ignored_pairs", mpl_json_integer((int64_t) repair->n_ignored));
    mpl_json_set(
        json, "max_shift_location",
        repair->max_shift_location == MPL_NONE
            ? mpl_json_null()
            : mpl_json_string(run->model->locations[repair->max_shift_location].label));
    mpl_json_set(json, "growth_s", seconds_json(run, repair->growth_ticks));
    mpl_json_set(json, "intervals", distortion_json(run));
    return json;
}

struct mpl_json *mpl_report_clock_json(const struct mpl_run *run)
{
    const struct mpl_clock *clock = run->clock;
    const bool is_mapped =
        clock->source != MPL_CLOCK_SINGLE && clock->source != MPL_CLOCK_RAW;
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "source", mpl_json_string(mpl_clock_source_name(clock->source)));
    mpl_json_set(json, "corrected", mpl_json_boolean(is_mapped || clock->repair != NULL));
    mpl_json_set(json, "pieces", mpl_json_integer(clock->n_pieces));
    mpl_json_set(json, "violations_before", violations_json(&clock->before));
    mpl_json_set(json, "violations_mapped", violations_json(&clock->mapped));
    mpl_json_set(json, "violations_after", violations_json(&clock->after));
    mpl_json_set(json, "worst_reversal_before_s",
                 seconds_json(run, clock->before.worst_ticks));
    mpl_json_set(json, "worst_reversal_mapped_s",
                 seconds_json(run, clock->mapped.worst_ticks));
    mpl_json_set(json, "worst_reversal_s", seconds_json(run, clock->after.worst_ticks));
    mpl_json_set(
        json, "max_shift_s",
        seconds_json(run, clock->repair == NULL ? 0 : clock->repair->max_shift_ticks));
    mpl_json_set(json, "accuracy", accuracy_json(run));
    mpl_json_set(json, "repair", repair_json(run));
    mpl_json_set(json, "locations", locations_json(run));
    return json;
}
