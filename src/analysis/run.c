#include "config.h"

#include "analysis/analysis_priv.h"

#include <stdlib.h>
#include <string.h>

/* The error's clauses, outermost last, as one sentence for the report. Behind "did you mean "x"?" the
 * sentence is over. */
static const char *failure_text(struct mpl_arena *arena, const struct mpl_err *err)
{
    const char *text = err->n > 0 ? err->cause[0].text : "unknown reason";

    for (unsigned i = 1; i < err->n && text != NULL; i++) {
        const size_t n = strlen(text);
        const bool is_over = n > 0 && text[n - 1] == '?';

        text = mpl_arena_printf(arena, "%s%s%s%s", text, is_over ? " (" : "; ",
                                err->cause[i].text, is_over ? ")" : "");
    }
    return text;
}

static enum mpl_status open_stages(const struct mpl_analysis *a, struct run *run,
                                   const char *path, struct mpl_err *err)
{
    const struct mpl_clock_options *clock = a->clock;
    const struct mpl_progress *progress = a->progress;
    enum mpl_status st = mpl_read(path, run->read_arena, progress, &run->model, err);

    st = st == MPL_OK ? mpl_model_classify(run->model, run->read_arena, a->region_classes,
                                           a->n_region_classes, err)
                      : st;
    if (st == MPL_OK && a->n_ranks > 0) {
        st = mpl_model_renumber(run->model, a->ranks, a->n_ranks, run->read_arena, err);
    }
    if (st != MPL_OK) {
        return st;
    }
    run->shown.model = run->model;
    mpl_progress_tell(progress, "matching messages", 0, 1);
    st = mpl_match_create(run->model, run->match_arena, &run->shown.match, err);
    if (st != MPL_OK) {
        return mpl_wrap(err, st, "cannot match the messages of \"%s\"", path);
    }
    mpl_progress_tell(progress, "correcting clocks", 0, 1);
    st = mpl_clock_correct(run->model, run->shown.match, clock, progress, run->clock_arena,
                           &run->shown.clock, err);
    if (st != MPL_OK) {
        return mpl_wrap(err, st, "cannot correct the clocks of \"%s\"", path);
    }
    st = mpl_halt_find(run->model, run->shown.match, run->clock_arena, &run->shown.halt,
                       err);
    if (st != MPL_OK) {
        return mpl_wrap(err, st, "cannot see where \"%s\" ends", path);
    }
    run->shown.halted_s = run->shown.halt != NULL && run->shown.halt->is_standstill
                              ? run->shown.halt->silence_s
                              : 0;
    mpl_progress_tell(progress, a->has_calls_only ? "finding calls" : "finding waits", 0,
                      1);
    st = (a->has_calls_only ? mpl_events_create_calls : mpl_events_create)(
        run->model, run->shown.match, run->shown.clock, run->events_arena,
        &run->shown.events, err);
    if (st != MPL_OK) {
        return mpl_wrap(err, st, "cannot make spans of \"%s\"", path);
    }
    return MPL_OK;
}

static void measure_ends(struct run *run)
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
            mpl_events_totals(run->shown.events, model->processes[i].locations[0]);

        startup_s += totals->class_s[MPL_SPAN_STARTUP];
        shutdown_s += totals->class_s[MPL_SPAN_SHUTDOWN];
        n++;
    }
    run->shown.startup_s = n > 0 ? startup_s / n : 0;
    run->shown.shutdown_s = n > 0 ? shutdown_s / n : 0;
}

static void measure_window(struct run *run)
{
    const struct mpl_model *model = run->model;
    const struct mpl_window window = mpl_window_of(run->shown.events);

    run->shown.window_s = mpl_model_seconds(model, window.end_ticks - window.begin_ticks);
    if (model->n_events == 0) {
        run->shown.failure = "the trace holds no events";
    } else if (run->shown.window_s <= 0) {
        run->shown.failure =
            "the trace has no duration: all of its events have the same time";
    }
}

enum mpl_status mpl_run_open(struct mpl_analysis *a, struct run *run, const char *path,
                             size_t number, struct mpl_err *err)
{
    struct mpl_err why = { 0 };

    run->shown.id = mpl_arena_printf(a->arena, "r%zu", number);
    run->shown.path = mpl_arena_strdup(a->arena, path);
    run->read_arena = mpl_arena_create();
    run->match_arena = mpl_arena_create();
    run->clock_arena = mpl_arena_create();
    run->events_arena = mpl_arena_create();
    if (run->shown.id == NULL || run->shown.path == NULL || run->read_arena == NULL ||
        run->match_arena == NULL || run->clock_arena == NULL || run->events_arena == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = open_stages(a, run, path, &why);

    if (st == MPL_E_NOMEM || st == MPL_E_BUG || (st == MPL_E_USAGE && a->n_ranks > 0)) {
        *(err != NULL ? err : &why) = why;
        return st;
    }
    if (st != MPL_OK) {
        run->shown.failure = failure_text(a->arena, &why);
        return run->shown.failure == NULL ? mpl_nomem(err) : MPL_OK;
    }
    if (a->has_calls_only) {
        measure_window(run);
        return mpl_damage_name(a->arena, &run->shown, err);
    }
    measure_ends(run);
    measure_window(run);
    return mpl_damage_find(a->arena, &run->shown, err);
}

/* Ids are "r1", "r2", … in the order of the runs. */
uint32_t mpl_runs_find(const struct mpl_analysis *a, const char *id)
{
    char *end = NULL;
    const unsigned long number = id[0] == 'r' ? strtoul(id + 1, &end, 10) : 0;

    return number == 0 || *end != '\0' || number > a->n_runs ? MPL_NONE
                                                             : (uint32_t) number - 1;
}

bool mpl_run_is_usable(const struct run *run)
{
    return run->shown.failure == NULL;
}

bool mpl_run_variables(struct run *run, struct mpl_variables **out)
{
    if (run->variables == NULL) {
        run->variables = mpl_variables_create(run->shown.events, run->events_arena);
    }
    *out = run->variables;
    return run->variables != NULL;
}

void mpl_run_close(struct run *run)
{
    mpl_arena_destroy(run->events_arena);
    mpl_arena_destroy(run->clock_arena);
    mpl_arena_destroy(run->match_arena);
    mpl_arena_destroy(run->read_arena);
}
