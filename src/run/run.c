#include "config.h"

#include "run/run_priv.h"

#include <string.h>

/* Each stage has an arena: they are dropped from right to left. */
struct mpl_stages {
    struct mpl_arena *read;
    struct mpl_arena *match;
    struct mpl_arena *clock;
    struct mpl_arena *events;
    struct mpl_variables *variables; /* in that of the events; NULL: nobody has asked */
};

static enum mpl_status open_stages(const struct mpl_run_options *o, struct mpl_run *run,
                                   struct mpl_err *err)
{
    const struct mpl_stages *stages = run->stages;
    struct mpl_model *model = NULL;
    enum mpl_status st = mpl_read(run->path, stages->read, o->progress, &model, err);

    st = st == MPL_OK ? mpl_model_classify(model, stages->read, o->region_classes,
                                           o->n_region_classes, err)
                      : st;
    if (st == MPL_OK && o->n_ranks > 0) {
        st = mpl_model_renumber(model, o->ranks, o->n_ranks, stages->read, err);
    }
    if (st != MPL_OK) {
        return st;
    }
    run->model = model;
    mpl_progress_tell(o->progress, "matching messages", 0, 1);
    st = mpl_match_create(model, stages->match, &run->match, err);
    if (st != MPL_OK) {
        return mpl_wrap(err, st, "cannot match the messages of \"%s\"", run->path);
    }
    mpl_progress_tell(o->progress, "correcting clocks", 0, 1);
    st = mpl_clock_correct(model, run->match, o->clock, o->progress, stages->clock,
                           &run->clock, err);
    if (st != MPL_OK) {
        return mpl_wrap(err, st, "cannot correct the clocks of \"%s\"", run->path);
    }
    st = mpl_halt_find(model, run->match, stages->clock, &run->halt, err);
    if (st != MPL_OK) {
        return mpl_wrap(err, st, "cannot see where \"%s\" ends", run->path);
    }
    run->halted_s =
        run->halt != NULL && run->halt->is_standstill ? run->halt->silence_s : 0;
    mpl_progress_tell(o->progress, o->has_calls_only ? "finding calls" : "finding waits", 0,
                      1);
    st = (o->has_calls_only ? mpl_events_create_calls : mpl_events_create)(
        model, run->match, run->clock, stages->events, &run->events, err);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot make spans of \"%s\"", run->path);
}

static void measure_ends(struct mpl_run *run)
{
    const struct mpl_model *model = run->model;
    double startup_s = 0;
    double shutdown_s = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < model->n_processes; i++) {
        if (model->processes[i].n_locations == 0) {
            continue;
        }
        const struct mpl_totals *totals =
            mpl_events_totals(run->events, model->processes[i].locations[0]);

        startup_s += totals->class_s[MPL_SPAN_STARTUP];
        shutdown_s += totals->class_s[MPL_SPAN_SHUTDOWN];
        n++;
    }
    run->startup_s = n > 0 ? startup_s / n : 0;
    run->shutdown_s = n > 0 ? shutdown_s / n : 0;
}

static void measure_window(struct mpl_run *run)
{
    const struct mpl_model *model = run->model;
    const struct mpl_window window = mpl_window_of(run->events);

    run->window_s = mpl_model_seconds(model, window.end_ticks - window.begin_ticks);
    if (model->n_events == 0) {
        run->failure = "the trace holds no events";
    } else if (run->window_s <= 0) {
        run->failure = "the trace has no duration: all of its events have the same time";
    }
}

enum mpl_status mpl_run_open(const struct mpl_run_options *options, struct mpl_arena *arena,
                             const char *path, size_t number, struct mpl_run *run,
                             struct mpl_err *err)
{
    struct mpl_stages *stages = MPL_NEW(arena, struct mpl_stages);
    struct mpl_err why = { 0 };

    run->stages = stages;
    run->id = mpl_arena_printf(arena, "r%zu", number);
    run->path = mpl_arena_strdup(arena, path);
    if (stages == NULL || run->id == NULL || run->path == NULL) {
        return mpl_nomem(err);
    }
    stages->read = mpl_arena_create();
    stages->match = mpl_arena_create();
    stages->clock = mpl_arena_create();
    stages->events = mpl_arena_create();
    if (stages->read == NULL || stages->match == NULL || stages->clock == NULL ||
        stages->events == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = open_stages(options, run, &why);

    if (st == MPL_E_NOMEM || st == MPL_E_BUG ||
        (st == MPL_E_USAGE && options->n_ranks > 0)) {
        *(err != NULL ? err : &why) = why;
        return st;
    }
    if (st != MPL_OK) {
        run->failure = mpl_err_sentence(arena, &why);
        return run->failure == NULL ? mpl_nomem(err) : MPL_OK;
    }
    if (options->has_calls_only) {
        measure_window(run);
        return mpl_damage_name(arena, run, err);
    }
    measure_ends(run);
    measure_window(run);
    return mpl_damage_find(arena, run, err);
}

bool mpl_run_is_usable(const struct mpl_run *run)
{
    return run->failure == NULL;
}

bool mpl_run_variables(const struct mpl_run *run, struct mpl_variables **out)
{
    struct mpl_stages *stages = run->stages;

    if (stages->variables == NULL) {
        stages->variables = mpl_variables_create(run->events, stages->events);
    }
    *out = stages->variables;
    return stages->variables != NULL;
}

void mpl_run_close(struct mpl_run *run)
{
    if (run->stages != NULL) {
        mpl_arena_destroy(run->stages->events);
        mpl_arena_destroy(run->stages->clock);
        mpl_arena_destroy(run->stages->match);
        mpl_arena_destroy(run->stages->read);
    }
}
