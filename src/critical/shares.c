/*
 * Whose the path is. A location is gone through once from its first record to its last, with the
 * functions that are open; what lies between two changes of the innermost one is its time, and what
 * of it is on the path, its share.
 */
#include "config.h"

#include "critical/critical_priv.h"

#include <stdlib.h>

/* Time of a function, or of none: the last. */
struct activity {
    int64_t path_ticks; /* of the location at hand */
    int64_t all_path_ticks;
    int64_t busy_ticks; /* of all locations, without waiting */
    bool is_touched;    /* on the path of the location at hand */
};

/* Of the locations that a thread goes through. */
struct sum {
    const struct mpl_critical *path;
    const struct mpl_model *model;
    int64_t begin_ticks;
    int64_t end_ticks;
    struct mpl_path_tracks tracks;
    bool *is_users;              /* per region: a function of the program */
    struct activity *activities; /* n_regions + 1 */
    struct mpl_buf stack;        /* uint32_t: open functions */
    struct mpl_buf touched; /* uint32_t: activities on the path of the location at hand */
    struct mpl_buf shares;  /* struct mpl_critical_share */
    double *location_s;
    /* The location at hand. */
    uint32_t location;
    size_t at; /* segments before it are over */
};

static int64_t clip(const struct sum *s, int64_t ticks)
{
    if (ticks < s->begin_ticks) {
        return s->begin_ticks;
    }
    return ticks > s->end_ticks ? s->end_ticks : ticks;
}

/* What of a stretch is on the path. Most of what a location does is not, and lies before its next segment. */
static int64_t on_path(struct sum *s, int64_t from_ticks, int64_t to_ticks)
{
    if (s->at == s->tracks.first[s->location + 1] ||
        s->path->segments[s->tracks.order[s->at]].begin_ticks >= to_ticks) {
        return 0;
    }
    return mpl_path_between(s->path, &s->tracks, s->location, &s->at, from_ticks, to_ticks);
}

/* \p waiting: of that time, at its beginning. */
static bool credit(struct sum *s, uint32_t region, int64_t from_ticks, int64_t to_ticks,
                   int64_t waiting_ticks)
{
    const uint32_t index = region == MPL_NONE ? s->model->n_regions : region;
    struct activity *a = &s->activities[index];
    const int64_t from = clip(s, from_ticks);
    const int64_t to = clip(s, to_ticks);
    const int64_t busy_from = clip(s, from_ticks + waiting_ticks);

    if (to <= from) {
        return true;
    }
    a->busy_ticks += to > busy_from ? to - busy_from : 0;

    const int64_t path_ticks = on_path(s, from, to);

    if (path_ticks > 0 && !a->is_touched) {
        if (!mpl_buf_put(&s->touched, &index)) {
            return false;
        }
        a->is_touched = true;
    }
    a->path_ticks += path_ticks;
    return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

static uint32_t innermost(const struct sum *s)
{
    return s->stack.n == 0 ? MPL_NONE : ((const uint32_t *) s->stack.data)[s->stack.n - 1];
}

/* A leave without an enter is of no function; one of an outer function leaves those within, too. */
static void pop(struct sum *s, uint32_t region)
{
    for (size_t depth = s->stack.n; depth > 0; depth--) {
        if (((const uint32_t *) s->stack.data)[depth - 1] == region) {
            s->stack.n = depth - 1;
            return;
        }
    }
}

/* What lies between two calls: the records behind \p first up to \p last. */
static bool credit_gap(struct sum *s, const struct mpl_location *loc, uint32_t first,
                       uint32_t last, int64_t from_ticks, int64_t to_ticks)
{
    int64_t since = from_ticks;

    for (uint32_t e = first; e < last; e++) {
        const enum mpl_event_kind kind = (enum mpl_event_kind) mpl_kind_of(loc, e);

        if (kind != MPL_EV_ENTER && kind != MPL_EV_LEAVE) {
            continue;
        }
        const uint32_t region = mpl_region_of(loc, e);
        if (!s->is_users[region]) {
            continue;
        }
        const int64_t now = mpl_ticks_of(loc, e);
        if (now > since) {
            if (!credit(s, innermost(s), since, now, 0)) {
                return false;
            }
            since = now;
        }
        if (kind == MPL_EV_LEAVE) {
            pop(s, region);
        } else if (!mpl_buf_put(&s->stack, &region)) {
            return false;
        }
    }
    return credit(s, innermost(s), since, to_ticks, 0);
}

/* Threads wait for each other for as long as such a call lasts. */
static int64_t waiting_in(const struct mpl_call_view *view, int64_t ticks)
{
    return view->class == MPL_SPAN_OTHER && !view->is_mpi ? ticks : view->wait_ticks;
}

static bool credit_location(struct sum *s)
{
    const struct mpl_events *events = s->path->events;
    const struct mpl_location *loc = &s->model->locations[s->location];
    const uint32_t n = mpl_events_call_count(events, s->location);
    int64_t since = mpl_events_enter_ticks(events, s->location, 0);
    uint32_t next = 0;

    s->stack.n = 0;
    s->at = s->tracks.first[s->location];
    /* Before its first event. */
    if (s->at < s->tracks.first[s->location + 1] &&
        !credit(s, MPL_NONE, s->path->begin_ticks, since, since - s->path->begin_ticks)) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        const int64_t enter = mpl_events_enter_ticks(events, s->location, 2 * k + 1);
        const int64_t leave = mpl_events_leave_ticks(events, s->location, 2 * k + 1);
        struct mpl_call_view view;

        mpl_events_call(events, s->location, k, &view);
        if (!credit_gap(s, loc, next, view.first_event, since, enter) ||
            !credit(s, view.region, enter, leave, waiting_in(&view, leave - enter))) {
            return false;
        }
        since = leave;
        /* Start-up may hold functions that go on behind it. */
        next = view.class == MPL_SPAN_STARTUP ? view.first_event : view.last_event + 1;
        if (view.class == MPL_SPAN_STARTUP &&
            !credit_gap(s, loc, next, view.last_event + 1, since, since)) {
            return false;
        }
        next = view.last_event + 1;
    }
    return credit_gap(s, loc, next, loc->n_events, since,
                      mpl_events_leave_ticks(events, s->location, 2 * n));
}

/* ---- results --------------------------------------------------------------------------------- */

/* Turns what the location at hand has of the path into shares. */
static bool take_shares(struct sum *s)
{
    const uint32_t *touched = s->touched.data;
    int64_t ticks = 0;

    for (size_t i = 0; i < s->touched.n; i++) {
        struct activity *a = &s->activities[touched[i]];
        const struct mpl_critical_share share = {
            .location = s->location,
            .region = touched[i] == s->model->n_regions ? MPL_NONE : touched[i],
            .path_s = mpl_model_seconds(s->model, a->path_ticks),
        };

        if (!mpl_buf_put(&s->shares, &share)) {
            return false;
        }
        ticks += a->path_ticks;
        a->all_path_ticks += a->path_ticks;
        a->path_ticks = 0;
        a->is_touched = false;
    }
    s->touched.n = 0;
    s->location_s[s->location] = mpl_model_seconds(s->model, ticks);
    return true;
}

static int by_share(const void *a, const void *b)
{
    const struct mpl_critical_share *x = a;
    const struct mpl_critical_share *y = b;

    if (x->path_s != y->path_s) {
        return x->path_s > y->path_s ? -1 : 1;
    }
    if (x->location != y->location) {
        return x->location < y->location ? -1 : 1;
    }
    return x->region < y->region ? -1 : x->region > y->region;
}

static int by_region(const void *a, const void *b)
{
    const struct mpl_critical_region *x = a;
    const struct mpl_critical_region *y = b;

    if (x->path_s != y->path_s) {
        return x->path_s > y->path_s ? -1 : 1;
    }
    return x->region < y->region ? -1 : x->region > y->region;
}

static bool take_regions(struct sum *s, struct mpl_arena *arena,
                         struct mpl_critical_shares *out)
{
    struct mpl_buf regions = mpl_buf_make(sizeof(struct mpl_critical_region));
    uint32_t n_busy = 0;
    bool is_enough = true;

    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        n_busy += s->model->locations[l].n_events > 0;
    }
    for (uint32_t i = 0; i <= s->model->n_regions && is_enough; i++) {
        const struct activity *a = &s->activities[i];

        if (a->all_path_ticks == 0) {
            continue;
        }

        const double path_s = mpl_model_seconds(s->model, a->all_path_ticks);
        const double mean_s = mpl_model_seconds(s->model, a->busy_ticks) / n_busy;
        const double imbalance_s = path_s > mean_s ? path_s - mean_s : 0;
        const struct mpl_critical_region region = { i == s->model->n_regions ? MPL_NONE : i,
                                                    path_s, mean_s, imbalance_s };

        is_enough = mpl_buf_put(&regions, &region);
        out->imbalance_s += imbalance_s;
    }
    out->n_regions = regions.n;
    if (is_enough) {
        struct mpl_critical_region *taken = mpl_buf_take(&regions, arena);

        is_enough = taken != NULL;
        if (is_enough) {
            qsort(taken, out->n_regions, sizeof *taken, by_region);
        }
        out->regions = taken;
    }
    mpl_buf_free(&regions);
    return is_enough;
}

static bool report(struct sum *s, struct mpl_arena *arena, struct mpl_critical_shares *out)
{
    out->location_s = s->location_s;
    out->n_shares = s->shares.n;
    out->length_s = s->path->n == 0
                        ? 0
                        : mpl_model_seconds(s->model, clip(s, s->path->end_ticks) -
                                                          clip(s, s->path->begin_ticks));

    struct mpl_critical_share *shares = mpl_buf_take(&s->shares, arena);

    if (shares == NULL || !take_regions(s, arena, out)) {
        return false;
    }
    qsort(shares, out->n_shares, sizeof *shares, by_share);
    out->shares = shares;
    return true;
}

/* ---- threads --------------------------------------------------------------------------------- */

static bool prepare(struct sum *s, struct mpl_arena *scratch, struct mpl_arena *arena)
{
    s->location_s = MPL_NEW_ARRAY(arena, s->model->n_locations, double);
    s->is_users = MPL_NEW_ARRAY(scratch, s->model->n_regions, bool);
    for (uint32_t i = 0; i < s->model->n_regions && s->is_users != NULL; i++) {
        s->is_users[i] = s->model->regions[i].kind == MPL_REGION_USER;
    }
    return s->location_s != NULL && s->is_users != NULL &&
           mpl_path_tracks_sort(s->path, scratch, &s->tracks);
}

/* One of its own for each thread. */
static bool open_sum(struct sum *s, const struct sum *common, struct mpl_arena *scratch)
{
    *s = *common;
    s->activities =
        MPL_NEW_ARRAY(scratch, (size_t) s->model->n_regions + 1, struct activity);
    s->stack = mpl_buf_make(sizeof(uint32_t));
    s->touched = mpl_buf_make(sizeof(uint32_t));
    s->shares = mpl_buf_make(sizeof(struct mpl_critical_share));
    return s->activities != NULL;
}

static enum mpl_status sum_location(void *context, size_t location, unsigned worker,
                                    struct mpl_err *err)
{
    struct sum *s = (struct sum *) context + worker;

    s->location = (uint32_t) location;
    return s->model->locations[location].n_events == 0 ||
                   (credit_location(s) && take_shares(s))
               ? MPL_OK
               : mpl_nomem(err);
}

static bool add_sum(struct sum *s, const struct sum *other)
{
    const struct mpl_critical_share *shares = other->shares.data;

    for (uint32_t i = 0; i <= s->model->n_regions; i++) {
        s->activities[i].all_path_ticks += other->activities[i].all_path_ticks;
        s->activities[i].busy_ticks += other->activities[i].busy_ticks;
    }
    for (size_t i = 0; i < other->shares.n; i++) {
        if (!mpl_buf_put(&s->shares, &shares[i])) {
            return false;
        }
    }
    return true;
}

enum mpl_status mpl_critical_shares_create(const struct mpl_critical *path,
                                           int64_t begin_ticks, int64_t end_ticks,
                                           struct mpl_arena *arena,
                                           const struct mpl_critical_shares **out,
                                           struct mpl_err *err)
{
    struct mpl_critical_shares *made = MPL_NEW(arena, struct mpl_critical_shares);
    struct mpl_arena *scratch = mpl_arena_create();
    struct sum *sums = MPL_NEW_ARRAY(scratch, mpl_threads(), struct sum);
    struct sum common = { .path = path,
                          .model = mpl_events_model(path->events),
                          .begin_ticks = begin_ticks,
                          .end_ticks = end_ticks };
    bool is_enough = made != NULL && sums != NULL && prepare(&common, scratch, arena);
    unsigned n = 0;

    while (n < mpl_threads() && is_enough) {
        is_enough = open_sum(&sums[n++], &common, scratch);
    }

    const struct mpl_parallel job = { .n_tasks = common.model->n_locations,
                                      .max_threads = n,
                                      .run = sum_location,
                                      .context = sums };
    enum mpl_status st = is_enough ? mpl_parallel_run(&job, err) : mpl_nomem(err);

    for (unsigned i = 1; i < n && st == MPL_OK; i++) {
        st = add_sum(&sums[0], &sums[i]) ? MPL_OK : mpl_nomem(err);
    }
    st = st == MPL_OK && !report(&sums[0], arena, made) ? mpl_nomem(err) : st;
    for (unsigned i = 0; i < n; i++) {
        mpl_buf_free(&sums[i].stack);
        mpl_buf_free(&sums[i].touched);
        mpl_buf_free(&sums[i].shares);
    }
    mpl_arena_destroy(scratch);
    if (st == MPL_OK) {
        *out = made;
    }
    return st;
}
