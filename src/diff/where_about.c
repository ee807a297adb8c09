/* What is said of a place beside its time: in which function it is; of calls, for whom they wait, and what they move. */
#include "config.h"

#include "diff/functions_priv.h"
#include "diff/where_priv.h"

#include <math.h>

/* Who is to blame causes so much of it. */
static const double least_blamed = 0.5;
/* A call that moves so many times as much as in the base moves more. */
static const double more_bytes = 1.1;

/* Paths are numbered from 1, as those of functions around a call are; 0 is none. NULL: none, or no memory. */
static const char *path_text(const struct where *w, uint32_t path)
{
    return path == 0 ? NULL
                     : mpl_arena_printf(w->e->arena, "%s",
                                        mpl_symbols_name_text(w->e->symbols, path - 1));
}

/* Of a place or a loop, in which at least half of it is in the new run. */
static enum mpl_status find_path(const struct where *w, const struct stretch *s,
                                 struct mpl_place_load *out, struct mpl_err *err)
{
    const struct view *v = w->speakers[1];
    double *sums = MPL_NEW_ARRAY(w->arena, w->paths.n, double);
    uint32_t path = s->path;

    for (size_t i = 0; i < v->n_parts && sums != NULL; i++) {
        if (mpl_stretch_is_at(s, v->placed.place[v->parts[i].call])) {
            sums[v->parts[i].path] += v->parts[i].computed_s;
        }
    }
    for (uint32_t i = 0; i < w->paths.n && sums != NULL && path == MPL_NONE; i++) {
        path = sums[i] > 0 && sums[i] >= out->new_s / 2 ? i : MPL_NONE;
    }
    if (path != MPL_NONE) {
        out->path = path_text(w, ((struct path *) mpl_buf_get(&w->paths, path))->path);
    }
    return sums == NULL || (path != MPL_NONE && out->path == NULL) ? mpl_nomem(err)
                                                                   : MPL_OK;
}

/* The path of a call, of the first one in the new run. */
static enum mpl_status find_call_path(const struct where *w, const struct stretch *s,
                                      struct mpl_place_load *out, struct mpl_err *err)
{
    const struct view *v = w->speakers[1];
    uint32_t path = 0;
    uint32_t i = 0;
    enum mpl_status st = MPL_OK;

    while (i < v->calls->n && !mpl_stretch_is_at(s, v->placed.place[i])) {
        i++;
    }
    if (w->has_functions && i < v->calls->n) {
        st = mpl_functions_around(v->run->events, out->location, v->calls->calls[i],
                                  w->e->symbols, &path, err);
        out->path = st == MPL_OK ? path_text(w, path) : NULL;
    }
    return path != 0 && out->path == NULL ? mpl_nomem(err) : st;
}

/* What messages and the collective of a call move. */
static uint64_t bytes_of(const struct mpl_run *run, uint32_t l, uint32_t call)
{
    const struct mpl_location *location = &run->model->locations[l];
    const struct mpl_span span = mpl_events_span(run->events, l, 2 * call + 1);
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < span.n_messages; i++) {
        const struct mpl_message x =
            mpl_message_get(location, mpl_events_message(run->events, l, &span, i));

        if (x.envelope != MPL_NONE && !location->envelopes[x.envelope].is_garbage) {
            bytes += x.bytes;
        }
    }
    if (span.collective != MPL_NONE) {
        bytes += location->collectives[span.collective].sent_bytes +
                 location->collectives[span.collective].received_bytes;
    }
    return bytes;
}

/* A location's first wait that begins in \p call or later. */
static size_t find_origin(const struct mpl_effect_origins *origins, uint32_t l,
                          uint32_t call)
{
    size_t low = 0;
    size_t high = origins->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct mpl_wait_origin *x = &origins->all[middle];

        if (x->location < l || (x->location == l && x->call < call)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Adds, times \p sign, whose fault it is what a call waits, or as it may be how long it is held. */
static void add_origins(const struct where *w, int side, uint32_t call, double sign,
                        double *by_origin)
{
    const struct mpl_run *run = w->speakers[side]->run;
    const struct mpl_effect_origins *origins = &w->e->origins[side];
    const uint32_t l = w->load->location;
    const bool waits = mpl_events_wait_ticks(run->events, l, 2 * call + 1) > 0;

    if (waits != (w->e->time == MPL_TIME_WAITED)) {
        return;
    }
    for (size_t i = find_origin(origins, l, call); i < origins->n; i++) {
        const struct mpl_wait_origin *x = &origins->all[i];

        if (x->location != l || x->call != call) {
            return;
        }
        by_origin[x->origin] += sign * mpl_model_seconds(run->model, x->ticks);
    }
}

/* The calls of a place in one run. */
struct moves {
    uint32_t n;
    uint64_t *bytes;
    double *values_s;
    uint64_t sum;
};

/* What calls move, and for whom they wait: times \p sign. */
static enum mpl_status look_at_calls(const struct where *w, int side,
                                     const struct stretch *s, double sign,
                                     struct mpl_place_load *out, double *by_origin,
                                     struct moves *moves, struct mpl_err *err)
{
    const struct view *v = w->speakers[side];

    moves->bytes = MPL_NEW_ARRAY(w->arena, v->calls->n, uint64_t);
    moves->values_s = MPL_NEW_ARRAY(w->arena, v->calls->n, double);
    if (moves->bytes == NULL || moves->values_s == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < v->calls->n; i++) {
        struct mpl_call_view call;

        if (!mpl_stretch_is_at(s, v->placed.place[i])) {
            continue;
        }
        mpl_events_call(v->run->events, out->location, v->calls->calls[i], &call);
        out->is_wait_known = out->is_wait_known && call.is_wait_known;
        moves->bytes[moves->n] = bytes_of(v->run, out->location, v->calls->calls[i]);
        moves->sum += moves->bytes[moves->n];
        moves->values_s[moves->n++] = v->values_s[i];
        add_origins(w, side, v->calls->calls[i], sign, by_origin);
    }
    return MPL_OK;
}

static enum mpl_status find_culprit(const struct where *w, const struct stretch *s,
                                    struct mpl_place_load *out, struct mpl_err *err)
{
    const uint32_t process = w->e->diff->new->model->locations[out->location].process;
    double *by_origin = MPL_NEW_ARRAY(w->arena, w->e->n_locations, double);
    const double sign = out->beyond_s < 0 ? -1 : 1;
    struct moves moves[2] = { { .n = 0 }, { .n = 0 } };
    uint32_t most = 0;
    enum mpl_status st = by_origin == NULL ? mpl_nomem(err) : MPL_OK;

    for (int side = 0; side < 2 && st == MPL_OK; side++) {
        st = look_at_calls(w, side, s, side == 0 ? -sign : sign, out, by_origin,
                           &moves[side], err);
    }
    if (st != MPL_OK) {
        return st;
    }
    out->base_bytes = moves[0].sum;
    out->new_bytes = moves[1].sum;
    const struct moves *base = &moves[0];
    const struct moves *new = &moves[1];
    double sum = 0;

    for (uint32_t i = 0; i < new->n && base->n == new->n; i++) {
        if ((double) new->bytes[i] >= more_bytes *(double) base->bytes[i] &&
            new->bytes[i] > base->bytes[i]) {
            sum += new->values_s[i] - base->values_s[i];
        }
    }
    out->more_bytes_s = sum;
    for (uint32_t l = 1; l < w->e->n_locations; l++) {
        most = by_origin[l] > by_origin[most] ? l : most;
    }
    /* Who takes what comes first waits for all of them. */
    if (!w->e->takes_any[process] &&
        by_origin[most] >= least_blamed * fabs(out->beyond_s)) {
        out->culprit = most;
        out->culprit_s = by_origin[most];
    }
    return MPL_OK;
}

enum mpl_status mpl_where_describe(const struct where *w, const struct stretch *s,
                                   struct mpl_place_load *out, struct mpl_err *err)
{
    if (mpl_where_is_computed(w)) {
        return find_path(w, s, out, err);
    }
    const enum mpl_status st = find_call_path(w, s, out, err);
    return st == MPL_OK ? find_culprit(w, s, out, err) : st;
}
