/*
 * Where in the program a cause costs its time, by the places of MPI calls. Of a process that is to blame that is what it
 * computes in front of a call; where nobody is, the calls in which processes wait, or which take long if nobody waits.
 * The place with the largest part is named.
 */
#include "config.h"

#include "analysis/analysis_priv.h"

#include <stdlib.h>

struct spent {
    double seconds;
    uint32_t region; /* of the call that took most of it */
    double most_s;
};

struct tally {
    const struct mpl_run *run;
    struct spent *at; /* by site */
    double all_s;
};

static void add(struct tally *t, uint32_t location, uint32_t event, uint32_t region,
                double seconds)
{
    const uint32_t site = mpl_location_site(&t->run->model->locations[location], event);

    t->all_s += seconds;
    if (site == MPL_NONE || region == MPL_NONE) {
        return;
    }
    t->at[site].seconds += seconds;
    if (seconds > t->at[site].most_s) {
        t->at[site].most_s = seconds;
        t->at[site].region = region;
    }
}

/* What a location computes in front of each call. */
static void add_computation(struct tally *t, uint32_t location)
{
    const struct mpl_location *loc = &t->run->model->locations[location];
    const uint32_t n = mpl_events_call_count(t->run->events, location);
    struct mpl_call_view call;
    int64_t left_ticks = 0;

    for (uint32_t k = 0; k < n; k++) {
        mpl_events_call(t->run->events, location, k, &call);
        if (k > 0) {
            add(t, location, call.first_event, call.region,
                mpl_model_seconds(t->run->model,
                                  mpl_ticks_of(loc, call.first_event) - left_ticks));
        }
        left_ticks = mpl_ticks_of(loc, call.last_event);
    }
}

static void add_wait(void *context, uint32_t location, uint32_t k)
{
    struct tally *t = context;
    struct mpl_call_view call;

    mpl_events_call(t->run->events, location, k, &call);
    add(t, location, call.first_event, call.region,
        mpl_model_seconds(t->run->model, call.wait_ticks));
}

static void add_calls_of(struct tally *t, uint32_t location)
{
    const struct mpl_location *loc = &t->run->model->locations[location];
    struct mpl_call_view call;

    for (uint32_t k = 0; k < mpl_events_call_count(t->run->events, location); k++) {
        mpl_events_call(t->run->events, location, k, &call);
        if (call.class != MPL_SPAN_STARTUP && call.class != MPL_SPAN_SHUTDOWN) {
            add(t, location, call.first_event, call.region,
                mpl_model_seconds(t->run->model, mpl_ticks_of(loc, call.last_event) -
                                                     mpl_ticks_of(loc, call.first_event)));
        }
    }
}

/* Where a rule says that processes spend it in their calls. */
static bool add_calls_of_finding(struct tally *t, const struct mpl_finding *f)
{
    bool is_any = false;

    for (size_t i = 0; i < f->n_calls_of; i++) {
        const uint32_t location = mpl_model_find_location(t->run->model, f->calls_of[i]);

        if (location != MPL_NONE) {
            add_calls_of(t, location);
            is_any = true;
        }
    }
    return is_any;
}

static bool is_culprit(const struct tally *t, const struct mpl_finding *f,
                       uint32_t location)
{
    for (size_t i = 0; i < f->n_culprits; i++) {
        if (mpl_model_find_location(t->run->model, f->culprits[i]) == location) {
            return true;
        }
    }
    return f->n_culprits == 0;
}

/* A run that does not end stands in calls; those of a circle hold up the others. */
static void add_standing(struct tally *t, const struct mpl_finding *f)
{
    static const double moment_s =
        1e-9; /* Where the trace ends when the standstill begins. */
    const struct mpl_halt *halt = t->run->halt;

    for (uint32_t p = 0; halt != NULL && p < t->run->model->n_processes; p++) {
        const struct mpl_halt_place *place = &halt->places[p];

        if (place->state == MPL_HALT_IN_CALL && is_culprit(t, f, place->location)) {
            add(t, place->location, place->event, place->region, place->for_s + moment_s);
        }
    }
}

static enum mpl_status keep_largest(struct mpl_analysis *a, struct mpl_diagnosed *d,
                                    const struct tally *t, bool is_before,
                                    struct mpl_err *err)
{
    const struct mpl_model *model = t->run->model;
    struct mpl_where *source = MPL_NEW(a->arena, struct mpl_where);
    uint32_t best = 0;

    if (source == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 1; i < model->n_sites; i++) {
        best = t->at[i].seconds > t->at[best].seconds ? i : best;
    }
    if (t->at[best].seconds <= 0) {
        return MPL_OK;
    }
    *source = (struct mpl_where){ .region = model->sites[best].function,
                                  .file = model->sites[best].file,
                                  .line = model->sites[best].line,
                                  .seconds = t->at[best].seconds,
                                  .call = model->regions[t->at[best].region].name,
                                  .is_before = is_before,
                                  .share = t->at[best].seconds / t->all_s };
    d->where = source;
    d->n_where = 1;
    return MPL_OK;
}

static enum mpl_status find(struct mpl_analysis *a, struct mpl_diagnosed *d,
                            struct tally *t, struct mpl_err *err)
{
    const struct mpl_finding *f = d->finding;
    enum mpl_status st = MPL_OK;

    if (f->is_fatal) {
        add_standing(t, f);
        return keep_largest(a, d, t, false, err);
    }
    if (add_calls_of_finding(t, f)) {
        return keep_largest(a, d, t, false, err);
    }
    for (size_t i = 0; i < f->n_culprits; i++) {
        const uint32_t location = mpl_model_find_location(t->run->model, f->culprits[i]);

        if (location != MPL_NONE) {
            add_computation(t, location);
        }
    }
    if (f->n_culprits == 0) {
        st = mpl_waits_of(&a->diagnosis, d, add_wait, t, err);
    }
    if (st == MPL_OK && f->n_culprits == 0 && t->all_s <= 0) {
        for (uint32_t l = 0; l < t->run->model->n_locations; l++) {
            add_calls_of(t, l);
        }
    }
    return st == MPL_OK ? keep_largest(a, d, t, f->n_culprits > 0, err) : st;
}

static enum mpl_status find_for(struct mpl_analysis *a, struct mpl_diagnosed *d,
                                struct mpl_err *err)
{
    struct mpl_arena *scratch = NULL;
    struct tally t = { .run = &a->runs[d->run] };
    enum mpl_status st;

    /* Too few cores are at no place of the program. */
    if (!mpl_diagnosed_is_cause(d) || d->n_where > 0 || d->finding->doubt != NULL ||
        t.run->model->n_sites == 0) {
        return MPL_OK;
    }
    scratch = mpl_arena_create();
    t.at = scratch != NULL ? MPL_NEW_ARRAY(scratch, t.run->model->n_sites, struct spent)
                           : NULL;
    st = t.at != NULL ? find(a, d, &t, err) : mpl_nomem(err);
    mpl_arena_destroy(scratch);
    return st;
}

enum mpl_status mpl_sites_find(struct mpl_analysis *a, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < a->diagnosis.n_findings && st == MPL_OK; i++) {
        st = find_for(a, &a->findings[i], err);
    }
    return st;
}

/* ---- facts ------------------------------------------------------------------------------------ */

enum { PLACES_MOST = 100 };

struct place {
    uint32_t site;
    uint32_t region;
    uint64_t n;
    double inside_s;
    double waited_s;
    double before_s;
};

static int by_time(const void *x, const void *y)
{
    const struct place *a = x;
    const struct place *b = y;
    const double a_s = a->inside_s + a->before_s;
    const double b_s = b->inside_s + b->before_s;

    return a_s != b_s ? (a_s < b_s ? 1 : -1) : (a->site > b->site) - (a->site < b->site);
}

static void add_places_of(const struct mpl_run *run, uint32_t location,
                          struct place *places)
{
    const struct mpl_location *loc = &run->model->locations[location];
    const uint32_t n = mpl_events_call_count(run->events, location);
    struct mpl_call_view call;
    int64_t left_ticks = 0;

    for (uint32_t k = 0; k < n; k++) {
        mpl_events_call(run->events, location, k, &call);
        const uint32_t site = mpl_location_site(loc, call.first_event);
        const int64_t enter_ticks = mpl_ticks_of(loc, call.first_event);

        if (site != MPL_NONE && call.region != MPL_NONE) {
            struct place *place = &places[site];

            place->region = call.region;
            place->n++;
            place->inside_s += mpl_model_seconds(
                run->model, mpl_ticks_of(loc, call.last_event) - enter_ticks);
            place->waited_s += mpl_model_seconds(run->model, call.wait_ticks);
            place->before_s +=
                k > 0 ? mpl_model_seconds(run->model, enter_ticks - left_ticks) : 0;
        }
        left_ticks = mpl_ticks_of(loc, call.last_event);
    }
}

static enum mpl_status assert_place(struct mpl_analysis *a, const struct mpl_run *run,
                                    const struct place *place, struct mpl_err *err)
{
    const struct mpl_site *site = &run->model->sites[place->site];
    const struct mpl_slot slots[] = {
        mpl_slot_text("run", run->id),
        mpl_slot_text("function", site->function),
        mpl_slot_text("file", site->file != NULL ? site->file : ""),
        mpl_slot_integer("line", site->line),
        mpl_slot_text("call", run->model->regions[place->region].name),
        mpl_slot_integer("calls", place->n),
        mpl_slot_float("inside", place->inside_s),
        mpl_slot_float("waited", place->waited_s),
        mpl_slot_float("before", place->before_s),
    };

    return mpl_infer_assert(a->infer, "place", slots, sizeof slots / sizeof slots[0], err);
}

enum mpl_status mpl_sites_assert(struct mpl_analysis *a, const struct mpl_run *run,
                                 struct mpl_err *err)
{
    const uint32_t n = run->model->n_sites;
    struct mpl_arena *scratch = n > 0 ? mpl_arena_create() : NULL;
    struct place *places = scratch != NULL ? MPL_NEW_ARRAY(scratch, n, struct place) : NULL;
    enum mpl_status st = n > 0 && places == NULL ? mpl_nomem(err) : MPL_OK;

    for (uint32_t i = 0; places != NULL && i < n; i++) {
        places[i].site = i;
    }
    for (uint32_t l = 0; places != NULL && l < run->model->n_locations; l++) {
        add_places_of(run, l, places);
    }
    if (places != NULL) {
        qsort(places, n, sizeof *places, by_time);
    }
    for (uint32_t i = 0; places != NULL && i < n && i < PLACES_MOST && st == MPL_OK; i++) {
        st = places[i].n > 0 ? assert_place(a, run, &places[i], err) : MPL_OK;
    }
    mpl_arena_destroy(scratch);
    return st;
}
