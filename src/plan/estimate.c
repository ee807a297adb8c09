/* What an experiment costs, by the run at hand, and what it shows. */
#include "config.h"

#include "plan/plan_priv.h"

#include <math.h>
#include <string.h>

/* A trace that no machine has room for: above it estimates need no more figures. */
static const double bytes_most = 1e18;

static double events_per_process(const struct mpl_run *run)
{
    return run->model == NULL || run->model->n_processes == 0
               ? NAN
               : (double) run->model->n_recorded / run->model->n_processes;
}

static double time_of(const struct mpl_run *run)
{
    const double ends = run->startup_s + run->shutdown_s;

    return run->window_s + (isnan(ends) ? 0 : ends);
}

/*
 * Fewer processes share the same work and take longer in proportion; more of them are not
 * trusted to be faster. What each process records does not depend on their number.
 */
static void estimate_cost(struct planner *p, struct want *w)
{
    const struct mpl_run *run = &p->diagnosis->runs[w->run];
    struct mpl_planned *e = &w->planned;
    const double each = events_per_process(run);
    const double now = run->model != NULL ? run->model->n_processes : NAN;
    double events = 0;
    double seconds = 0;

    for (size_t i = 0; i < e->n_processes; i++) {
        events += each * e->processes[i];
        seconds += time_of(run) * fmax(1, now / e->processes[i]);
    }
    e->run_s = seconds * e->repetitions;
    e->bytes =
        e->settings == NULL ? NAN : events * e->repetitions * e->settings->bytes_per_event;
    e->overhead_s = e->settings == NULL ? NAN
                                        : each * (double) e->n_processes * e->repetitions *
                                              e->settings->overhead_s_per_event;
}

/* Process time of the findings that it separates; where none of them is there yet, what nobody
 * explains. */
static double seconds_at_stake(const struct planner *p, const struct want *w)
{
    const struct mpl_diagnosis *d = p->diagnosis;
    double sum = 0;

    for (size_t i = 0; i < d->n_findings; i++) {
        const struct mpl_diagnosed *f = &d->findings[i];

        if (f->run == w->run && !isnan(f->lost_s) &&
            mpl_texts_has(&w->separates, f->finding->name)) {
            sum += f->lost_s;
        }
    }
    const double rest = d->lost_s - d->explained_s - d->nested_s - d->normal_s;

    return sum > 0 ? sum : fmax(rest, 0);
}

/* Share of the run time that recording functions may add: with more it would be another run. */
static const double functions_most = 0.1;

static enum mpl_status settle(struct planner *p, struct want *w, struct mpl_err *err)
{
    struct mpl_planned *e = &w->planned;
    struct mpl_settings *settings = MPL_NEW(p->arena, struct mpl_settings);
    const struct mpl_run *run = &p->diagnosis->runs[w->run];

    if (settings == NULL) {
        return mpl_nomem(err);
    }
    /* Twice: the figures per event come with the settings. */
    enum mpl_status st =
        mpl_tracer_settle(w->tracer, &e->recording, 0, p->arena, settings, err);

    e->settings = settings;
    if (st == MPL_OK && run->model != NULL && run->model->n_processes > 0) {
        double events = events_per_process(run);

        /* Where the run at hand does not have the functions that are asked for, as many of them as can be borne. */
        if (e->lacks_functions && settings->overhead_s_per_event > 0) {
            events += functions_most * time_of(run) / settings->overhead_s_per_event;
        }
        const double bytes = fmin(events * settings->bytes_per_event, bytes_most);

        st = mpl_tracer_settle(w->tracer, &e->recording, (uint64_t) bytes, p->arena,
                               settings, err);
    }
    return st;
}

/* Where there is none of these the program does not use it, rather than that the tracer did not see it. */
static bool is_of_the_program(const char *capability)
{
    return strcmp(capability, "messages") == 0 || strcmp(capability, "collectives") == 0;
}

/* What comes along with that tracer. */
static bool find_adds(struct planner *p, struct want *w)
{
    const struct mpl_model *model = p->diagnosis->runs[w->run].model;
    struct mpl_planned *e = &w->planned;
    size_t n = 0;
    const struct mpl_capability *table = mpl_capability_table(&n);
    const char **adds = MPL_NEW_ARRAY(p->arena, n, const char *);

    for (size_t i = 0; i < n && adds != NULL && model != NULL && w->tracer != NULL; i++) {
        const char *why = NULL;

        if (!mpl_capability_get(&model->can, &table[i]) &&
            !is_of_the_program(table[i].name) &&
            !mpl_texts_has(&w->capabilities, table[i].name) &&
            mpl_tracer_records(w->tracer, table[i].name, &why) && why == NULL &&
            !mpl_tracer_is_asked(w->tracer, table[i].name)) {
            adds[e->n_adds++] = table[i].name;
        }
    }
    e->adds = adds;
    return adds != NULL;
}

static bool fill(struct planner *p, struct want *w)
{
    struct mpl_planned *e = &w->planned;
    const struct mpl_run *run = &p->diagnosis->runs[w->run];

    *e = (struct mpl_planned){
        .run = w->run,
        .pattern = w->pattern,
        .level = w->level,
        .n_purposes = w->purposes.n,
        .purposes = w->purposes.items,
        .purpose = mpl_texts_join(p, &w->purposes),
        .n_reasons = w->reasons.n,
        .reasons = w->reasons.items,
        .n_metrics = w->metrics.n,
        .metrics = w->metrics.items,
        .n_events = w->events.n,
        .events = w->events.items,
        .recording = { .capabilities = w->capabilities.items,
                       .n_capabilities = w->capabilities.n,
                       .regions = w->regions.items,
                       .n_regions = w->regions.n,
                       .counters = w->counters.items,
                       .n_counters = w->counters.n },
        .n_locations = w->locations.n,
        .locations = w->locations.items,
        .n_processes = w->n_processes,
        .processes = w->processes,
        .repetitions = w->repetitions,
        .knob = w->knob,
        .n_separates = w->separates.n,
        .separates = w->separates.items,
        .expects = w->expects,
        .problem = w->problem,
    };
    if (e->n_processes == 0 && run->model != NULL) {
        uint32_t *same = MPL_NEW(p->arena, uint32_t);

        if (same == NULL) {
            return false;
        }
        *same = run->model->n_processes;
        e->processes = same;
        e->n_processes = 1;
    }
    return e->purpose != NULL && find_adds(p, w);
}

/* Whoever traced the program with it has built it so; for functions perhaps not. */
static bool is_built(const struct want *w, const struct mpl_model *model)
{
    return w->tracer != NULL && model != NULL && mpl_tracer_needs_build(w->tracer) &&
           model->tracer == MPL_TRACER_SCOREP &&
           strcmp(mpl_tracer_file_name(w->tracer), "scorep") == 0 &&
           (model->can.has_user_regions ||
            !mpl_texts_has(&w->capabilities, "user-regions"));
}

static bool tell_limit(struct planner *p, struct mpl_planned *e)
{
    const double most = (double) p->options->max_bytes;

    if (p->options->max_bytes > 0 && e->bytes > most && e->problem == NULL) {
        e->problem = mpl_arena_printf(
            p->arena, "the traces would take about %.3g GB, more than the limit of %.3g GB",
            e->bytes / 1e9, most / 1e9);
        return e->problem != NULL;
    }
    return true;
}

enum mpl_status mpl_want_estimate(struct planner *p, struct want *w, struct mpl_err *err)
{
    struct mpl_planned *e = &w->planned;

    if (!fill(p, w)) {
        return mpl_nomem(err);
    }
    const struct mpl_model *model = p->diagnosis->runs[w->run].model;

    e->lacks_functions = mpl_texts_has(&w->capabilities, "user-regions") &&
                         (model == NULL || !model->can.has_user_regions);
    e->is_built = is_built(w, model);
    const enum mpl_status st = w->tracer == NULL ? MPL_OK : settle(p, w, err);

    if (st != MPL_OK) {
        return st;
    }
    estimate_cost(p, w);
    if (!tell_limit(p, e)) {
        return mpl_nomem(err);
    }
    e->information = e->run_s > 0 ? seconds_at_stake(p, w) / e->run_s : 0;
    e->is_executable = w->tracer != NULL && mpl_tracer_is_installed(w->tracer) &&
                       !mpl_tracer_needs_build(w->tracer) && e->knob == NULL &&
                       e->problem == NULL;
    return MPL_OK;
}
