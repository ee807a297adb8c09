/*
 * Where waiting begins, and how it spreads. Almost everything in a run comes after its first moments,
 * so a wait counts as a consequence of another one only if that one explains it: see
 * mpl_events_wait_origins(). What is left are delays of locations by their own fault. Waits that one
 * delay causes are a wave: it reaches who waits for its origin, then who waits for these, and so on.
 */
#include "config.h"

#include "query/query_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A part of the process time that could be a cause: ?*significant* of rules/thresholds.clp. */
static const double significant = 0.05;

/* A location is reached if it waits in so many of the waves, in times of who waits in most. */
static const double often = 0.5;

/* A wait that the location at hand causes. */
struct member {
    const struct mpl_wait_origin *wait;
    int64_t ticks;
};

/* One location in one wave. */
struct arrival {
    uint32_t location;
    uint32_t hops;
    int64_t after_ticks; /* the end of its wait, since the origin was there */
};

struct search {
    struct mpl_query *q;
    const struct mpl_events *events;
    const struct mpl_wait_origin *waits;
    size_t n_waits;
    bool *is_asked;   /* per wait */
    double *waited_s; /* per location: what it causes of the waiting that is asked about */
    const struct mpl_steps *steps;
    struct mpl_buf members;  /* struct member: of the location at hand, by origin_call */
    struct mpl_buf arrivals; /* struct arrival: likewise */
    struct mpl_buf ticks;    /* int64_t: of which half of the usual is asked */
    struct arrival *latest;  /* per location: in the wave at hand; hops 0: not reached */
};

/* ---- what is asked ------------------------------------------------------------------------------ */

static void ask(void *context, uint32_t location, uint32_t call)
{
    struct search *s = context;
    size_t low = 0;
    size_t high = s->n_waits;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct mpl_wait_origin *w = &s->waits[middle];

        if (w->location < location || (w->location == location && w->call < call)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < s->n_waits && s->waits[low].location == location &&
        s->waits[low].call == call) {
        s->is_asked[low] = true;
    }
}

static enum mpl_status ask_all(struct search *s, const char *finding, struct mpl_err *err)
{
    const struct mpl_diagnosed *d = NULL;
    enum mpl_status st = MPL_OK;

    if (finding == NULL) {
        memset(s->is_asked, 1, s->n_waits * sizeof *s->is_asked);
    } else {
        st = mpl_diagnosed_find(s->q->diagnosis, finding, &d, err);
        st = st == MPL_OK ? mpl_waits_of(s->q->diagnosis, d, ask, s, err) : st;
    }
    for (size_t i = 0; i < s->n_waits && st == MPL_OK; i++) {
        if (s->is_asked[i]) {
            s->waited_s[s->waits[i].origin] +=
                mpl_model_seconds(s->q->run->model, s->waits[i].ticks);
        }
    }
    return st;
}

/* ---- waves of one location ------------------------------------------------------------------------ */

static int by_origin_call(const void *x, const void *y)
{
    const struct mpl_wait_origin *a = ((const struct member *) x)->wait;
    const struct mpl_wait_origin *b = ((const struct member *) y)->wait;

    if (a->origin_call != b->origin_call) {
        return a->origin_call < b->origin_call ? -1 : 1;
    }
    return (a > b) - (a < b);
}

/* Half of mpl_usual(), at least 1; 1 where there are none. */
static int64_t half_of_usual(struct mpl_buf *ticks)
{
    return ticks->n == 0 ? 1 : (mpl_usual(ticks->data, ticks->n) + 1) / 2;
}

/* Half of the usual wait for the origin itself. */
static bool find_least(struct search *s, int64_t *out)
{
    s->ticks.n = 0;
    for (size_t i = 0; i < s->members.n; i++) {
        const struct member *m = mpl_buf_get(&s->members, i);

        if (m->wait->hops == 1 && !mpl_buf_put(&s->ticks, &m->ticks)) {
            return false;
        }
    }
    *out = half_of_usual(&s->ticks);
    return true;
}

/* From the end of one call of the origin that was waited for to the next one; 0 in the same call. */
static int64_t ticks_between(const struct search *s, size_t i)
{
    const struct mpl_wait_origin *before =
        ((const struct member *) mpl_buf_get(&s->members, i - 1))->wait;
    const struct mpl_wait_origin *w =
        ((const struct member *) mpl_buf_get(&s->members, i))->wait;

    return before->origin_call == w->origin_call
               ? 0
               : mpl_events_enter_ticks(s->events, w->origin, 2 * w->origin_call + 1) -
                     mpl_events_leave_ticks(s->events, w->origin,
                                            2 * before->origin_call + 1);
}

/* The least distance of calls that end different delays. */
static bool find_apart(struct search *s, int64_t least, int64_t *out)
{
    s->ticks.n = 0;
    for (size_t i = 1; i < s->members.n; i++) {
        const int64_t between = ticks_between(s, i);

        if (between > 0 && !mpl_buf_put(&s->ticks, &between)) {
            return false;
        }
    }
    *out = half_of_usual(&s->ticks);
    *out = *out < least ? *out : least;
    return true;
}

static bool gather(struct search *s, uint32_t origin)
{
    s->members.n = 0;
    s->arrivals.n = 0;
    for (size_t i = 0; i < s->n_waits; i++) {
        const struct mpl_wait_origin *w = &s->waits[i];

        if (w->origin == origin && w->origin_call != MPL_NONE &&
            !mpl_buf_put(&s->members, &(struct member){ w, w->ticks })) {
            return false;
        }
    }
    return true;
}

/* Behind the members from \p i on that are of one wave. */
static size_t end_of_wave(const struct search *s, size_t i, int64_t apart)
{
    size_t end = i + 1;

    while (end < s->members.n && ticks_between(s, end) < apart) {
        end++;
    }
    return end;
}

static bool does_count(const struct search *s, size_t begin, size_t end, int64_t least)
{
    const struct member *all = s->members.data;

    for (size_t i = begin; i < end; i++) {
        if (all[i].wait->hops == 1 && all[i].ticks >= least) {
            return true;
        }
    }
    return false;
}

/* Where a location waits several times in a wave, the first counts. */
static bool add_wave(struct search *s, uint32_t origin, size_t begin, size_t end,
                     int64_t least)
{
    const uint32_t n = s->q->run->model->n_locations;
    const struct member *all = s->members.data;
    const int64_t from =
        mpl_events_enter_ticks(s->events, origin, 2 * all[begin].wait->origin_call + 1);

    memset(s->latest, 0, n * sizeof *s->latest);
    for (size_t i = begin; i < end; i++) {
        const struct mpl_wait_origin *w = all[i].wait;
        struct arrival *arrival = &s->latest[w->location];
        const int64_t after = w->end_ticks - from;

        if (w->ticks >= least && w->location != origin &&
            (arrival->hops == 0 || after < arrival->after_ticks)) {
            *arrival = (struct arrival){ w->location, w->hops, after };
        }
    }
    for (uint32_t l = 0; l < n; l++) {
        if (s->latest[l].hops > 0 && !mpl_buf_put(&s->arrivals, &s->latest[l])) {
            return false;
        }
    }
    return true;
}

/* ---- what they have in common ------------------------------------------------------------------------ */

static int by_location(const void *x, const void *y)
{
    const struct arrival *a = x;
    const struct arrival *b = y;

    if (a->location != b->location) {
        return a->location < b->location ? -1 : 1;
    }
    return (a->after_ticks > b->after_ticks) - (a->after_ticks < b->after_ticks);
}

static int by_hops(const void *x, const void *y)
{
    const struct mpl_reach *a = x;
    const struct mpl_reach *b = y;

    if (a->hops != b->hops) {
        return a->hops < b->hops ? -1 : 1;
    }
    if (a->after_s != b->after_s) {
        return a->after_s < b->after_s ? -1 : 1;
    }
    return (a->location > b->location) - (a->location < b->location);
}

/* Median of whole numbers: the smaller of two in the middle. */
static uint32_t median_hops(const struct arrival *all, size_t n)
{
    uint32_t hops = 0;
    size_t n_up_to = 0;

    while (2 * n_up_to < n) {
        hops++;
        n_up_to = 0;
        for (size_t i = 0; i < n; i++) {
            n_up_to += all[i].hops <= hops;
        }
    }
    return hops;
}

static bool add_reached(struct search *s, struct mpl_origin *o)
{
    const struct mpl_model *model = s->q->run->model;
    struct arrival *all = s->arrivals.data;
    struct mpl_reach *reached =
        MPL_NEW_ARRAY(s->q->arena, model->n_locations, struct mpl_reach);
    size_t most = 0;

    if (reached == NULL) {
        return false;
    }
    mpl_sort(all, s->arrivals.n, sizeof *all, by_location);
    for (size_t i = 0, n = 0; i < s->arrivals.n; i++) {
        n = i > 0 && all[i].location == all[i - 1].location ? n + 1 : 1;
        most = n > most ? n : most;
    }
    for (size_t i = 0, end; i < s->arrivals.n; i = end) {
        for (end = i; end < s->arrivals.n && all[end].location == all[i].location;) {
            end++;
        }
        if ((double) (end - i) >= often * (double) most) {
            reached[o->n_reached++] = (struct mpl_reach){
                .location = all[i].location,
                .hops = median_hops(all + i, end - i),
                .n_waves = end - i,
                .after_s = mpl_model_seconds(model, all[i + (end - i) / 2].after_ticks),
            };
        }
    }
    o->reached = reached;
    return true;
}

/* The median time of those that are as many hops away as number \p i, ascending by time. */
static double after(const struct mpl_origin *o, size_t i)
{
    size_t first = i;
    size_t end = i;

    while (first > 0 && o->reached[first - 1].hops == o->reached[i].hops) {
        first--;
    }
    while (end < o->n_reached && o->reached[end].hops == o->reached[i].hops) {
        end++;
    }
    return o->reached[first + (end - first) / 2].after_s;
}

/* From the first hop to the last one; NaN where there is only one. */
static double speed(const struct mpl_origin *o)
{
    if (o->n_reached == 0) {
        return NAN;
    }

    const size_t last = o->n_reached - 1;
    const uint32_t hops = o->reached[last].hops - o->reached[0].hops;
    const double seconds = after(o, last) - after(o, 0);

    return hops == 0 || seconds <= 0 ? NAN : hops / seconds;
}

/* Messages from a process to each other one, at least; MPL_NONE: none lead there. */
static bool find_distances(struct search *s, struct mpl_origin *o)
{
    const struct mpl_model *model = s->q->run->model;
    const uint32_t n = model->n_processes;
    struct mpl_reach *reached = (struct mpl_reach *) o->reached;
    uint32_t *distance = MPL_NEW_ARRAY(s->q->arena, n, uint32_t);
    uint32_t n_edges = 0;
    const struct mpl_edge *edges = mpl_events_edges(s->events, &n_edges);
    bool is_changed = true;

    if (distance == NULL) {
        return false;
    }
    memset(distance, 0xff, n * sizeof *distance);
    distance[model->locations[o->location].process] = 0;
    for (uint32_t d = 0; is_changed; d++) {
        is_changed = false;
        for (uint32_t i = 0; i < n_edges; i++) {
            if (distance[edges[i].from] == d && distance[edges[i].to] == MPL_NONE) {
                distance[edges[i].to] = d + 1;
                is_changed = true;
            }
        }
    }
    for (size_t i = 0; i < o->n_reached; i++) {
        reached[i].distance = distance[model->locations[reached[i].location].process];
    }
    mpl_sort(reached, o->n_reached, sizeof *reached, by_hops);
    return true;
}

/* The step that ends with a call or goes on in it, from 1; 0: before the first, MPL_NONE: none. */
static uint32_t step_of(const struct search *s, uint32_t location, uint32_t call)
{
    const uint32_t process = s->q->run->model->locations[location].process;
    uint32_t step = 0;

    if (s->steps->n == 0 || s->steps->loads[process].location != location) {
        return MPL_NONE;
    }
    while (step <= s->steps->n && s->steps->calls[process][step] < call) {
        step++;
    }
    return step;
}

static enum mpl_status follow(struct search *s, struct mpl_origin *o, struct mpl_err *err)
{
    enum mpl_status st = gather(s, o->location) ? MPL_OK : mpl_nomem(err);
    uint32_t first = MPL_NONE;
    int64_t least = 0;
    int64_t apart = 0;
    struct mpl_call_view view;
    size_t end;

    if (st != MPL_OK || s->members.n == 0) {
        return st;
    }

    qsort(s->members.data, s->members.n, sizeof(struct member), by_origin_call);
    if (!find_least(s, &least) || !find_apart(s, least, &apart)) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < s->members.n && st == MPL_OK; i = end) {
        const struct member *member = mpl_buf_get(&s->members, i);

        end = end_of_wave(s, i, apart);
        if (does_count(s, i, end, least)) {
            first = first == MPL_NONE ? member->wait->origin_call : first;
            o->n_waves++;
            st = add_wave(s, o->location, i, end, least) ? MPL_OK : mpl_nomem(err);
        }
    }
    o->least_s = mpl_model_seconds(s->q->run->model, least);
    if (st == MPL_OK && !(add_reached(s, o) && find_distances(s, o))) {
        st = mpl_nomem(err);
    }
    o->hops_per_s = speed(o);
    if (st != MPL_OK || first == MPL_NONE) {
        return st;
    }
    mpl_events_call(s->events, o->location, first, &view);
    o->step = step_of(s, o->location, first);
    return mpl_query_look(s->q, (struct mpl_moment){ o->location, view.first_event },
                          &o->first, err);
}

static int by_waiting(const void *x, const void *y)
{
    const struct mpl_origin *a = x;
    const struct mpl_origin *b = y;

    if (a->waited_s != b->waited_s) {
        return a->waited_s > b->waited_s ? -1 : 1;
    }
    return (a->location > b->location) - (a->location < b->location);
}

static enum mpl_status list(struct search *s, struct mpl_origins *out, struct mpl_err *err)
{
    const struct mpl_run *run = s->q->run;
    const uint32_t n = run->model->n_locations;
    const double all_s = run->window_s * n;
    struct mpl_origin *origins = MPL_NEW_ARRAY(s->q->arena, n, struct mpl_origin);
    enum mpl_status st = origins == NULL ? mpl_nomem(err) : MPL_OK;

    for (uint32_t l = 0; l < n && st == MPL_OK; l++) {
        const double waited_s = s->waited_s[l];

        out->waited_s += waited_s;
        if (waited_s > 0 && waited_s >= significant * all_s) {
            origins[out->n++] = (struct mpl_origin){ .location = l,
                                                     .waited_s = waited_s,
                                                     .share = waited_s / all_s,
                                                     .hops_per_s = NAN };
        } else if (waited_s > 0) {
            out->n_small++;
            out->small_s += waited_s;
        }
    }
    for (size_t i = 0; i < out->n && st == MPL_OK; i++) {
        st = follow(s, &origins[i], err);
    }
    if (st == MPL_OK && out->n > 0) {
        qsort(origins, out->n, sizeof *origins, by_waiting);
    }
    out->origins = origins;
    return st;
}

static enum mpl_status search(struct search *s, const char *finding,
                              struct mpl_origins *out, struct mpl_err *err)
{
    struct mpl_arena *arena = s->q->arena;
    const uint32_t n = s->q->run->model->n_locations;
    enum mpl_status st =
        mpl_events_wait_origins(s->events, arena, &s->waits, &s->n_waits, err);

    st = st == MPL_OK ? mpl_events_steps(s->events, arena, &s->steps, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    s->is_asked = MPL_NEW_ARRAY(arena, s->n_waits, bool);
    s->waited_s = MPL_NEW_ARRAY(arena, n, double);
    s->latest = MPL_NEW_ARRAY(arena, n, struct arrival);
    if (s->is_asked == NULL || s->waited_s == NULL || s->latest == NULL) {
        return mpl_nomem(err);
    }
    out->n_steps = s->steps->n;
    st = ask_all(s, finding, err);
    return st == MPL_OK ? list(s, out, err) : st;
}

enum mpl_status mpl_query_origins(struct mpl_query *q, const char *finding,
                                  struct mpl_origins *out, struct mpl_err *err)
{
    const struct mpl_model *model = q->run->model;
    struct search s = { .q = q,
                        .events = q->run->events,
                        .members = mpl_buf_make(sizeof(struct member)),
                        .arrivals = mpl_buf_make(sizeof(struct arrival)),
                        .ticks = mpl_buf_make(sizeof(int64_t)) };
    struct mpl_origins found = { .finding = finding };
    const struct mpl_diagnosed *d = NULL;
    enum mpl_status st =
        finding == NULL ? MPL_OK : mpl_diagnosed_find(q->diagnosis, finding, &d, err);

    if (st == MPL_OK && model->can.has_messages && !model->can.has_receive_completions) {
        found.why = "the trace does not record when non-blocking receives are over, so "
                    "nobody can tell who waited for whom";
    } else if (st == MPL_OK) {
        st = search(&s, finding, &found, err);
    }
    if (st == MPL_OK) {
        *out = found;
    }
    mpl_buf_free(&s.members);
    mpl_buf_free(&s.arrivals);
    mpl_buf_free(&s.ticks);
    return st;
}
