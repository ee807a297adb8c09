/*
 * Where time passes that is neither computation nor MPI: in which calls locations wait for a device or for
 * threads and which functions make them, and what a process does with one thread while its others idle. The
 * location is named where that is longest.
 */
#include "config.h"

#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* Share of the time in question below which a function would only distract. */
static const double least_share = 0.1;

/* Of each region. */
struct waits_in {
    double seconds;
    uint32_t region;
};

static int by_seconds(const void *x, const void *y)
{
    const struct waits_in *a = x;
    const struct waits_in *b = y;

    return a->seconds != b->seconds ? (a->seconds < b->seconds ? 1 : -1)
                                    : (a->region < b->region ? -1 : a->region > b->region);
}

static void add_calls(const struct mpl_run *run, uint32_t location,
                      enum mpl_region_kind kind, struct waits_in *sums)
{
    const struct mpl_location *loc = &run->model->locations[location];

    for (uint32_t k = 0; k < mpl_events_call_count(run->events, location); k++) {
        struct mpl_call_view view;

        mpl_events_call(run->events, location, k, &view);
        if (view.region != MPL_NONE && view.class == MPL_SPAN_OTHER &&
            run->model->regions[view.region].kind == kind) {
            sums[view.region].region = view.region;
            sums[view.region].seconds +=
                mpl_model_seconds(run->model, mpl_ticks_of(loc, view.last_event) -
                                                  mpl_ticks_of(loc, view.first_event));
        }
    }
}

/* ---- alone ------------------------------------------------------------------------------------ */

/* The innermost open regions of a thread, by a walk over its records. */
struct alone_walk {
    uint32_t *stack;
    size_t depth;
    unsigned n_forks; /* open: its process has several threads at work */
    int64_t since_ticks;
};

static void add_alone(const struct mpl_run *run, const struct mpl_location *loc,
                      uint32_t event, struct alone_walk *w, struct waits_in *sums)
{
    const struct mpl_window window = mpl_window_of(run->events);
    const int64_t now = mpl_ticks_of(loc, event);
    const bool is_inside = w->since_ticks >= window.begin_ticks && now <= window.end_ticks;

    if (w->depth > 0 && w->n_forks == 0 && is_inside) {
        struct waits_in *sum = &sums[w->stack[w->depth - 1]];

        sum->region = w->stack[w->depth - 1];
        sum->seconds += mpl_model_seconds(run->model, now - w->since_ticks);
    }
    w->since_ticks = now;
}

static void walk_alone(const struct mpl_run *run, uint32_t location, uint32_t *stack,
                       struct waits_in *sums)
{
    const struct mpl_location *loc = &run->model->locations[location];
    struct alone_walk w = { .stack = stack };

    for (uint32_t i = 0; i < loc->n_events; i++) {
        add_alone(run, loc, i, &w, sums);
        if (mpl_kind_of(loc, i) == MPL_EV_ENTER) {
            w.stack[w.depth++] = mpl_ref_of(loc, i);
        } else if (mpl_kind_of(loc, i) == MPL_EV_LEAVE) {
            w.depth -= w.depth > 0;
        } else if (mpl_kind_of(loc, i) == MPL_EV_FORK) {
            w.n_forks++;
        } else if (mpl_kind_of(loc, i) == MPL_EV_JOIN) {
            w.n_forks -= w.n_forks > 0;
        }
    }
}

/* ---- together ----------------------------------------------------------------------------------- */

static double wait_of(const struct mpl_run *run, uint32_t location,
                      enum mpl_place_kind kind)
{
    const struct mpl_totals *totals = mpl_events_totals(run->events, location);
    const struct mpl_process *process =
        &run->model->processes[run->model->locations[location].process];

    switch (kind) {
    case MPL_PLACE_DEVICE:
        return totals->device_wait_s;
    case MPL_PLACE_THREADS:
        return totals->thread_wait_s;
    default:
        /* Of processes with other threads, the first one that does most else than to compute. */
        return process->n_locations > 1 && process->locations[0] == location
                   ? totals->total_s - totals->class_s[MPL_SPAN_STARTUP] -
                         totals->class_s[MPL_SPAN_SHUTDOWN]
                   : 0;
    }
}

static uint32_t longest_of(const struct mpl_run *run, enum mpl_place_kind kind)
{
    double most_s = 0;
    uint32_t longest = MPL_NONE;

    for (uint32_t l = 0; l < run->model->n_locations; l++) {
        const double own_s = wait_of(run, l, kind);

        if (own_s > most_s) {
            most_s = own_s;
            longest = l;
        }
    }
    return longest;
}

/* The function of the program that calls \p region most often; MPL_NONE where none is recorded. */
static uint32_t caller_of(const struct mpl_run *run, uint32_t location, uint32_t region,
                          uint32_t *stack, uint32_t *counts)
{
    const struct mpl_location *loc = &run->model->locations[location];
    uint32_t most = MPL_NONE;
    size_t depth = 0;

    memset(counts, 0, run->model->n_regions * sizeof *counts);
    for (uint32_t i = 0; i < loc->n_events; i++) {
        const uint32_t ref = mpl_ref_of(loc, i);

        if (mpl_kind_of(loc, i) == MPL_EV_LEAVE) {
            depth -= depth > 0;
        } else if (mpl_kind_of(loc, i) == MPL_EV_ENTER) {
            const uint32_t around = depth > 0 ? stack[depth - 1] : MPL_NONE;
            const bool is_own = run->model->regions[ref].kind == MPL_REGION_USER;

            if (ref == region && around != MPL_NONE) {
                counts[around]++;
                most = most == MPL_NONE || counts[around] > counts[most] ? around : most;
            }
            stack[depth++] = is_own ? ref : around;
        }
    }
    return most;
}

struct places {
    const struct mpl_run *run;
    uint32_t location;
    struct waits_in *sums; /* per region */
    uint32_t *stack;
    uint32_t *counts; /* per region */
    struct mpl_arena *arena;
};

/* "cuCtxSynchronize in finalize", where the trace names the function. */
static struct mpl_where source_of(const struct places *p, const struct waits_in *sum,
                                  enum mpl_place_kind kind)
{
    const struct mpl_region *regions = p->run->model->regions;
    const struct mpl_region *own = &regions[sum->region];
    const uint32_t caller =
        kind == MPL_PLACE_ALONE
            ? MPL_NONE
            : caller_of(p->run, p->location, sum->region, p->stack, p->counts);
    struct mpl_where source = {
        .region = own->name, .file = own->file, .line = own->line, .seconds = sum->seconds
    };

    if (caller != MPL_NONE) {
        const char *both =
            mpl_arena_printf(p->arena, "%s in %s", own->name, regions[caller].name);

        source.region = both != NULL ? both : own->name;
        source.file = own->file != NULL ? own->file : regions[caller].file;
        source.line = own->file != NULL ? own->line : regions[caller].line;
    }
    return source;
}

/* The largest of them; of what is done alone, where all functions may be, those of a tenth at least. */
static void take_largest(const struct places *p, enum mpl_place_kind kind, size_t most,
                         struct mpl_where *out, size_t *n)
{
    const uint32_t n_regions = p->run->model->n_regions;
    double all_s = 0;

    for (uint32_t r = 0; r < n_regions; r++) {
        all_s += p->sums[r].seconds;
    }
    qsort(p->sums, n_regions, sizeof *p->sums, by_seconds);
    while (*n < most && *n < n_regions && p->sums[*n].seconds > 0 &&
           (kind != MPL_PLACE_ALONE || p->sums[*n].seconds >= least_share * all_s)) {
        out[*n] = source_of(p, &p->sums[*n], kind);
        (*n)++;
    }
}

static bool open_places(struct places *p, struct mpl_arena *scratch)
{
    const struct mpl_model *model = p->run->model;

    p->sums = MPL_NEW_ARRAY(scratch, model->n_regions, struct waits_in);
    p->counts = MPL_NEW_ARRAY(scratch, model->n_regions, uint32_t);
    p->stack = MPL_NEW_ARRAY(scratch, model->locations[p->location].n_events, uint32_t);
    return p->sums != NULL && p->counts != NULL && p->stack != NULL;
}

enum mpl_status mpl_places_find(const struct mpl_run *run, enum mpl_place_kind kind,
                                struct mpl_arena *arena, struct mpl_where *out, size_t *n,
                                struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct places p = { .run = run, .location = longest_of(run, kind), .arena = arena };
    const size_t most = *n;

    *n = 0;
    if (scratch == NULL || (p.location != MPL_NONE && !open_places(&p, scratch))) {
        mpl_arena_destroy(scratch);
        return mpl_nomem(err);
    }
    if (p.location != MPL_NONE) {
        if (kind == MPL_PLACE_ALONE) {
            walk_alone(run, p.location, p.stack, p.sums);
        } else {
            add_calls(run, p.location,
                      kind == MPL_PLACE_DEVICE ? MPL_REGION_DEVICE_SYNC
                                               : MPL_REGION_THREAD_SYNC,
                      p.sums);
        }
        take_largest(&p, kind, most, out, n);
    }
    mpl_arena_destroy(scratch);
    return MPL_OK;
}
