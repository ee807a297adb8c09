/*
 * plot_clock_error TRACE TRUTH OUT.svg
 *
 * How far the times of a trace are off, where the truth is known (see truth.h): as recorded,
 * estimated, and repaired. Errors are against the clock of the process that the estimate takes
 * for its reference. Prints RMS and maximum of the three.
 */
#include "config.h"

#include "chart.h"
#include "truth.h"

#include "clock/clock.h"
#include "read/read.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_POINTS = 1600, MOST_BINS = 240, N_STAGES = 3 };

enum stage { STAGE_RECORDED, STAGE_ESTIMATED, STAGE_REPAIRED };

/* What one stage leaves. Curves are per process. */
struct result {
    struct chart_curve *curves;
    double rms_s;
    double most_s;
    double bound_s; /* Largest finite one; 0 for the recorded times. */
    uint32_t n_unbounded;
    uint64_t n_moved; /* Events that the repair put elsewhere. */
};

struct job {
    const char *trace;
    const char *truth;
    struct mpl_arena *arena;
    uint32_t reference; /* Process. */
};

/* ---- errors ----------------------------------------------------------------------------- */

/* The model whose times are looked at, and for every event what they should be. */
struct look {
    const struct mpl_model *model;
    uint64_t **wanted; /* Per location and event: absolute, on the reference's clock. */
    uint64_t first;    /* Smallest of them. */
    uint64_t last;
};

static enum mpl_status find_wanted(const struct job *job, const struct truth *truth,
                                   const struct mpl_model *model, struct look *look,
                                   struct mpl_err *err)
{
    *look = (struct look){ .model = model, .first = UINT64_MAX };
    look->wanted = MPL_NEW_ARRAY(job->arena, model->n_locations, uint64_t *);
    for (uint32_t l = 0; look->wanted != NULL && l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];
        uint64_t *wanted = MPL_NEW_ARRAY(job->arena, loc->n_events, uint64_t);

        if (wanted == NULL) {
            return mpl_nomem(err);
        }
        look->wanted[l] = wanted;
        for (uint32_t i = 0; i < loc->n_events; i++) {
            wanted[i] =
                truth_on_clock_of(truth, job->reference, loc->process,
                                  loc->base_ticks + (uint64_t) mpl_ticks_of(loc, i));
            look->first = wanted[i] < look->first ? wanted[i] : look->first;
            look->last = wanted[i] > look->last ? wanted[i] : look->last;
        }
    }
    return look->wanted == NULL ? mpl_nomem(err) : MPL_OK;
}

static int64_t error_ticks(const struct look *look, uint32_t l, uint32_t event)
{
    const struct mpl_location *loc = &look->model->locations[l];

    return (int64_t) (loc->base_ticks + (uint64_t) mpl_ticks_of(loc, event) -
                      look->wanted[l][event]);
}

/* Half way between the smallest and the largest error: the constant that suits a clock best. */
static int64_t middle_ticks(const struct look *look, uint32_t process)
{
    const struct mpl_process *p = &look->model->processes[process];
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;

    for (uint32_t t = 0; t < p->n_locations; t++) {
        const uint32_t l = p->locations[t];

        for (uint32_t i = 0; i < look->model->locations[l].n_events; i++) {
            const int64_t e = error_ticks(look, l, i);

            low = e < low ? e : low;
            high = e > high ? e : high;
        }
    }
    return low > high ? 0 : low + (high - low) / 2;
}

/* ---- curves ------------------------------------------------------------------------------- */

/* Per stretch of time the event that is off most, so that no peak is lost. */
static void sort_into_bins(const struct look *look, uint32_t l, int64_t middle,
                           struct chart_point *bin, uint32_t n_bins, double *squares)
{
    const struct mpl_model *model = look->model;
    const double length = (double) (look->last - look->first) + 1;

    for (uint32_t i = 0; i < model->locations[l].n_events; i++) {
        const uint64_t since = look->wanted[l][i] - look->first;
        const double y_s = mpl_model_seconds(model, error_ticks(look, l, i) - middle);
        struct chart_point *at = &bin[(uint32_t) ((double) since / length * n_bins)];

        *squares += y_s * y_s;
        if (isnan(at->y_s) || fabs(y_s) > fabs(at->y_s)) {
            at->x_s = (double) since / (double) model->ticks_per_s;
            at->y_s = y_s;
        }
    }
}

static enum mpl_status make_curve(const struct job *job, const struct look *look,
                                  uint32_t process, enum stage stage, struct result *result,
                                  struct mpl_err *err)
{
    const struct mpl_process *p = &look->model->processes[process];
    const uint32_t share = MOST_POINTS / look->model->n_processes + 1;
    const uint32_t n_bins = share < MOST_BINS ? share : MOST_BINS;
    const int64_t middle = stage == STAGE_RECORDED ? middle_ticks(look, process) : 0;
    struct chart_point *bin = MPL_NEW_ARRAY(job->arena, n_bins, struct chart_point);
    uint32_t n = 0;

    if (bin == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < n_bins; i++) {
        bin[i].y_s = NAN;
    }
    for (uint32_t t = 0; t < p->n_locations; t++) {
        sort_into_bins(look, p->locations[t], middle, bin, n_bins, &result->rms_s);
    }
    for (uint32_t i = 0; i < n_bins; i++) {
        if (!isnan(bin[i].y_s)) {
            result->most_s = fmax(result->most_s, fabs(bin[i].y_s));
            bin[n++] = bin[i];
        }
    }
    result->curves[process] = (struct chart_curve){ n, bin };
    return MPL_OK;
}

/* ---- stages ---------------------------------------------------------------------------------- */

static void find_bound(const struct mpl_model *model, const struct mpl_clock *clock,
                       struct result *result)
{
    for (uint32_t l = 0; l < model->n_locations; l++) {
        if (clock->bound_ticks[l] == INT64_MAX) {
            result->n_unbounded++;
        } else {
            result->bound_s =
                fmax(result->bound_s, mpl_model_seconds(model, clock->bound_ticks[l]));
        }
    }
}

static enum mpl_status correct(struct job *job, struct mpl_model *model, enum stage stage,
                               struct result *result, struct mpl_err *err)
{
    struct mpl_clock_options options = mpl_clock_defaults();
    const struct mpl_match *match = NULL;
    const struct mpl_clock *clock = NULL;
    enum mpl_status st = mpl_match_create(model, job->arena, &match, err);

    options.repair.is_off = stage != STAGE_REPAIRED;
    if (st == MPL_OK) {
        st = mpl_clock_correct(model, match, &options, NULL, job->arena, &clock, err);
    }
    if (st == MPL_OK) {
        find_bound(model, clock, result);
        result->n_moved = clock->repair == NULL ? 0 : clock->repair->n_moved;
        job->reference = model->locations[clock->reference].process;
    }
    return st;
}

/* The truth is asked before the correction, of times as they were recorded; but which clock is
 * the reference is known only after a first one. */
static enum mpl_status run_stage(struct job *job, enum stage stage, struct result *result,
                                 struct mpl_err *err)
{
    struct mpl_model *model = NULL;
    const struct truth *truth = NULL;
    struct look look;
    enum mpl_status st = mpl_read(job->trace, job->arena, NULL, &model, err);

    if (st == MPL_OK) {
        st = truth_read(job->truth, model->n_processes, job->arena, &truth, err);
    }
    if (st == MPL_OK) {
        st = find_wanted(job, truth, model, &look, err);
    }
    if (st == MPL_OK && stage != STAGE_RECORDED) {
        st = correct(job, model, stage, result, err);
    }
    if (st != MPL_OK) {
        return st;
    }
    result->curves = MPL_NEW_ARRAY(job->arena, model->n_processes, struct chart_curve);
    if (result->curves == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t p = 0; p < model->n_processes && st == MPL_OK; p++) {
        st = make_curve(job, &look, p, stage, result, err);
    }
    result->rms_s = sqrt(result->rms_s / (double) model->n_events);
    return st;
}

static enum mpl_status find_reference(struct job *job, uint32_t *n_processes,
                                      struct mpl_err *err)
{
    struct mpl_model *model = NULL;
    struct result unused = { 0 };
    enum mpl_status st = mpl_read(job->trace, job->arena, NULL, &model, err);

    if (st == MPL_OK) {
        *n_processes = model->n_processes;
        st = correct(job, model, STAGE_ESTIMATED, &unused, err);
    }
    return st;
}

/* ---- the picture ------------------------------------------------------------------------------- */

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL || slash[1] == '\0' ? path : slash + 1;
}

/* "12.3 µs": three digits. */
static const char *duration(struct mpl_arena *arena, double seconds)
{
    return seconds < 1e-3 ? mpl_arena_printf(arena, "%.3g µs", 1e6 * seconds)
                          : mpl_arena_printf(arena, "%.3g ms", 1e3 * seconds);
}

static const char *const stage_title[N_STAGES] = {
    "As recorded, each clock moved by the one offset that suits it best",
    "Offset and drift estimated from messages",
    "The same after the repair of violations",
};
static const char *const stage_name[N_STAGES] = { "recorded", "estimated", "repaired" };

static enum mpl_status draw(const struct job *job, const struct result *results,
                            uint32_t n_processes, FILE *out, struct mpl_err *err)
{
    struct chart_panel panels[N_STAGES];
    const char **names = MPL_NEW_ARRAY(job->arena, n_processes, const char *);
    struct chart chart = { .x_label = "time since the first event",
                           .y_label = "error",
                           .n_names = n_processes,
                           .names = names,
                           /* A repair that found nothing to do shows nothing new. */
                           .n_panels = results[STAGE_REPAIRED].n_moved > 0 ? N_STAGES
                                                                           : N_STAGES - 1,
                           .panels = panels };

    chart.title = mpl_arena_printf(
        job->arena, "Error of the clocks of %s against the truth", file_name(job->trace));
    chart.made_by = mpl_arena_printf(
        job->arena,
        "Made by: tests/tools/plot_clock_error TRACE TRUTH OUT, with the trace "
        "%s and its truth in %s",
        file_name(job->trace), file_name(job->truth));
    chart.band = mpl_arena_printf(job->arena,
                                  "what the estimate states as its largest "
                                  "possible error: ±%s",
                                  duration(job->arena, results[STAGE_ESTIMATED].bound_s));
    for (uint32_t p = 0; p < n_processes && names != NULL; p++) {
        names[p] = mpl_arena_printf(job->arena, "rank %" PRIu32 "%s", p,
                                    p == job->reference ? " (reference)" : "");
    }
    for (int s = 0; s < N_STAGES; s++) {
        panels[s] = (struct chart_panel){ .title = stage_title[s],
                                          .n_curves = n_processes,
                                          .curves = results[s].curves,
                                          .band_s = results[s].bound_s };
        panels[s].remark = mpl_arena_printf(job->arena, "RMS %s, maximum %s",
                                            duration(job->arena, results[s].rms_s),
                                            duration(job->arena, results[s].most_s));
    }
    if (names == NULL || chart.title == NULL || chart.made_by == NULL ||
        chart.band == NULL || panels[N_STAGES - 1].remark == NULL) {
        return mpl_nomem(err);
    }
    chart_write(&chart, out);
    return mpl_file_flush(out, err);
}

static enum mpl_status run(struct job *job, const char *path, struct mpl_err *err)
{
    struct result results[N_STAGES] = { 0 };
    uint32_t n_processes = 0;
    enum mpl_status st = find_reference(job, &n_processes, err);
    FILE *out;

    for (int s = 0; s < N_STAGES && st == MPL_OK; s++) {
        st = run_stage(job, (enum stage) s, &results[s], err);
        if (st != MPL_OK) {
            return st;
        }
        (void) printf("%-10s RMS %10.3f us  maximum %10.3f us  bound %10.3f us  "
                      "%" PRIu32 " locations without a bound  %" PRIu64 " events moved\n",
                      stage_name[s], 1e6 * results[s].rms_s, 1e6 * results[s].most_s,
                      1e6 * results[s].bound_s, results[s].n_unbounded, results[s].n_moved);
    }
    if (st != MPL_OK) {
        return st;
    }
    out = fopen(path, "w");
    if (out == NULL) {
        return mpl_fail(err, MPL_E_IO, "%s: %s", path, strerror(errno));
    }
    st = draw(job, results, n_processes, out, err);
    if (fclose(out) != 0 && st == MPL_OK) {
        st = mpl_fail(err, MPL_E_IO, "%s: %s", path, strerror(errno));
    }
    return st;
}

int main(int argc, char **argv)
{
    struct mpl_err err = { 0 };
    struct job job = { .arena = mpl_arena_create() };
    enum mpl_status st;

    if (argc != 4) {
        (void) fputs("usage: plot_clock_error TRACE TRUTH OUT.svg\n", stderr);
        mpl_arena_destroy(job.arena);
        return 2;
    }
    job.trace = argv[1];
    job.truth = argv[2];
    st = job.arena == NULL ? mpl_nomem(&err) : run(&job, argv[3], &err);
    if (st != MPL_OK) {
        mpl_err_print(&err, stderr);
    }
    mpl_arena_destroy(job.arena);
    return st == MPL_OK ? 0 : 3;
}
