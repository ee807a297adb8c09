/*
 * Which single calls the path goes through. A location is gone through from record to record; what lies
 * between two of them is the time of the innermost function that is open, this once.
 */
#include "config.h"

#include "critical/critical_priv.h"

#include <stdlib.h>
#include <string.h>

/* A function that is open. */
struct open_call {
    uint32_t region;
    uint32_t enter;
    int64_t path_ticks; /* exclusive of what is called in it */
};

struct walk {
    const struct mpl_critical *path;
    const struct mpl_model *model;
    const struct mpl_location *loc;
    uint32_t location;
    struct mpl_path_tracks tracks;
    size_t at;
    struct mpl_buf stack; /* struct open_call */
    struct mpl_buf calls; /* struct mpl_critical_call */
};

static bool put(struct walk *w, uint32_t region, uint32_t event, int64_t path_ticks)
{
    const struct mpl_critical_call call = { .location = w->location,
                                            .region = region,
                                            .event = event,
                                            .path_s =
                                                mpl_model_seconds(w->model, path_ticks) };

    return path_ticks == 0 || mpl_buf_put(&w->calls, &call);
}

static struct open_call *innermost(const struct walk *w)
{
    return w->stack.n == 0 ? NULL : mpl_buf_get(&w->stack, w->stack.n - 1);
}

static bool close_call(struct walk *w)
{
    const struct open_call *call = innermost(w);

    w->stack.n--;
    return put(w, call->region, call->enter, call->path_ticks);
}

/* A leave without an enter is of no function; one of an outer function leaves those within, too. */
static bool close_calls(struct walk *w, uint32_t region)
{
    size_t depth = w->stack.n;

    while (depth > 0 &&
           ((const struct open_call *) w->stack.data)[depth - 1].region != region) {
        depth--;
    }
    while (depth > 0 && w->stack.n >= depth) {
        if (!close_call(w)) {
            return false;
        }
    }
    return true;
}

/* What lies between an event and the one before it. */
static bool credit(struct walk *w, uint32_t event)
{
    const int64_t ticks =
        mpl_path_between(w->path, &w->tracks, w->location, &w->at,
                         mpl_ticks_of(w->loc, event - 1), mpl_ticks_of(w->loc, event));
    struct open_call *call = innermost(w);

    if (call == NULL) {
        return put(w, MPL_NONE, event - 1, ticks);
    }
    call->path_ticks += ticks;
    return true;
}

static bool walk_location(struct walk *w)
{
    w->stack.n = 0;
    w->at = w->tracks.first[w->location];
    for (uint32_t e = 0; e < w->loc->n_events; e++) {
        const enum mpl_event_kind kind = (enum mpl_event_kind) mpl_kind_of(w->loc, e);
        bool is_enough = e == 0 || credit(w, e);

        /* The region that is the whole program is no call of it. */
        if ((kind == MPL_EV_ENTER || kind == MPL_EV_LEAVE) &&
            w->model->regions[mpl_ref_of(w->loc, e)].kind != MPL_REGION_TRACER) {
            const struct open_call call = { mpl_ref_of(w->loc, e), e, 0 };

            is_enough = is_enough && (kind == MPL_EV_ENTER ? mpl_buf_put(&w->stack, &call)
                                                           : close_calls(w, call.region));
        }
        if (!is_enough) {
            return false;
        }
    }
    while (w->stack.n > 0) {
        if (!close_call(w)) {
            return false;
        }
    }
    return true;
}

static int by_path(const void *a, const void *b)
{
    const struct mpl_critical_call *x = a;
    const struct mpl_critical_call *y = b;

    if (x->path_s != y->path_s) {
        return x->path_s > y->path_s ? -1 : 1;
    }
    if (x->location != y->location) {
        return x->location < y->location ? -1 : 1;
    }
    return x->event < y->event ? -1 : x->event > y->event;
}

/* Functions are called by name: several definitions may share one. */
static uint32_t number_of(const struct mpl_model *model,
                          const struct mpl_critical_call *call)
{
    const struct mpl_location *loc = &model->locations[call->location];
    const char *name = model->regions[call->region].name;
    uint32_t n = 0;

    for (uint32_t e = 0; e <= call->event; e++) {
        n += mpl_kind_of(loc, e) == MPL_EV_ENTER &&
             strcmp(model->regions[mpl_ref_of(loc, e)].name, name) == 0;
    }
    return n;
}

static bool take(struct walk *w, size_t most, struct mpl_arena *arena,
                 struct mpl_critical_calls *out)
{
    const size_t n = w->calls.n;
    struct mpl_critical_call *calls = mpl_buf_take(&w->calls, arena);

    if (calls == NULL) {
        return false;
    }
    qsort(calls, n, sizeof *calls, by_path);
    out->n_all = n;
    out->n = n < most ? n : most;
    for (size_t i = 0; i < out->n; i++) {
        calls[i].number = calls[i].region == MPL_NONE ? 0 : number_of(w->model, &calls[i]);
    }
    out->all = calls;
    return true;
}

enum mpl_status mpl_critical_calls_create(const struct mpl_critical *path, size_t most,
                                          struct mpl_arena *arena,
                                          const struct mpl_critical_calls **out,
                                          struct mpl_err *err)
{
    struct mpl_critical_calls *made = MPL_NEW(arena, struct mpl_critical_calls);
    struct mpl_arena *scratch = mpl_arena_create();
    struct walk w = { .path = path,
                      .model = mpl_events_model(path->events),
                      .stack = mpl_buf_make(sizeof(struct open_call)),
                      .calls = mpl_buf_make(sizeof(struct mpl_critical_call)) };
    bool is_enough =
        made != NULL && scratch != NULL && mpl_path_tracks_sort(path, scratch, &w.tracks);

    for (w.location = 0; is_enough && w.location < w.model->n_locations; w.location++) {
        w.loc = &w.model->locations[w.location];
        is_enough = walk_location(&w);
    }
    is_enough = is_enough && take(&w, most, arena, made);
    if (is_enough) {
        *out = made;
    }
    mpl_buf_free(&w.stack);
    mpl_buf_free(&w.calls);
    mpl_arena_destroy(scratch);
    return is_enough ? MPL_OK : mpl_nomem(err);
}
