/*
 * The instances on all locations: one after the other, or as many at a time as there are threads.
 * What comes out is the same.
 */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <stdlib.h>

enum {
    SPANS_MIN = 1 << 17,         /* so few are searched sooner than one thinks about it */
    SPANS_OF_A_THREAD = 1 << 14, /* of a location, on average: some milliseconds */
};

/* The locations of a recognition, of which several are searched at a time, by threads. */
struct team {
    struct mpl_recognition *r;
    struct mpl_search **searches;
    struct mpl_arena **arenas; /* per search: its scratch */
    struct mpl_recognition
        *copies; /* per search, with memory of its own; NULL: one works on r itself */
    struct mpl_buf *marks; /* per search, of struct mpl_mark: what it explains elsewhere */
    uint32_t n;
    uint32_t first, end;   /* levels */
    const uint32_t *order; /* all locations */
    const uint32_t *at;    /* in there: the first of the search at hand */
    uint64_t n_spans;      /* searched so far */
    uint64_t
        look_at; /* when so many are, to see whether the pattern still may explain what it must */
};

static enum mpl_status search_one(void *context, size_t i, unsigned worker,
                                  struct mpl_err *err)
{
    struct team *team = context;
    enum mpl_status st = MPL_OK;

    (void) worker;
    for (uint32_t level = team->first; level < team->end && st == MPL_OK; level++) {
        st = mpl_search_location(team->searches[i], team->at[i], level, err);
    }
    return st;
}

/* What a search knows beside instances goes to where everybody looks for it. */
static void hand_over(struct team *team, uint32_t i)
{
    struct mpl_recognition *r = team->r;
    struct mpl_recognition *from = &team->copies[i];
    const struct mpl_mark *marks = team->marks[i].data;

    mpl_finders_hand_over(from, r, team->at[i]);
    r->n_fitting += from->n_fitting;
    from->n_fitting = 0;
    for (size_t m = 0; m < team->marks[i].n; m++) {
        mpl_end_set_explained(r, marks[m].location, marks[m].end);
    }
    team->marks[i].n = 0;
}

/* Looks each time a quarter more is searched, so that all looks together cost little. */
static bool is_hopeless(struct team *team)
{
    if (team->r->needed_coverage <= 0 || team->n_spans < team->look_at) {
        return false;
    }
    team->look_at = team->n_spans + team->n_spans / 4;
    return mpl_coverage_falls_short(team->r);
}

/* Kinds of calls are found once for all patterns, and before several threads ask for them: each also asks about locations that others search. */
static enum mpl_status prepare_kinds(const struct mpl_recognition *r,
                                     struct mpl_arena *arena, struct mpl_err *err)
{
    uint32_t *locations = MPL_NEW_ARRAY(arena, r->model->n_locations, uint32_t);
    uint32_t n = 0;

    for (uint32_t l = 0; l < r->model->n_locations && locations != NULL; l++) {
        if (r->roles_of_location[l] != 0) {
            locations[n++] = l;
        }
    }
    return locations == NULL ? mpl_nomem(err)
                             : mpl_kinds_prepare(r->topology, locations, n, err);
}

static uint32_t count_spans(const struct mpl_recognition *r, uint32_t location)
{
    return r->ranges[location].end - r->ranges[location].first;
}

static void number_instances(struct mpl_recognition *r)
{
    for (uint32_t e = 0; e < r->pattern->n_events; e++) {
        struct mpl_instances *instances = &r->instances[e];

        instances->n = 0;
        for (uint32_t i = 0; i < instances->n_segments; i++) {
            struct mpl_segment *segment = &instances->segments[i];

            segment->n =
                r->has_stopped && !r->is_searched[segment->location] ? 0 : segment->n;
            segment->first = instances->n;
            instances->n += segment->n;
        }
    }
}

/*
 * The events of some levels, on as many locations at a time as there are searches. Whether to go on is decided location by
 * location: what was found behind the one that decides is left.
 */
static enum mpl_status search_levels(struct team *team, uint32_t first, uint32_t end,
                                     bool is_last, struct mpl_err *err)
{
    const uint32_t n_locations = team->r->model->n_locations;
    uint32_t n;

    team->first = first;
    team->end = end;
    for (uint32_t k = 0; k < n_locations && !team->r->has_stopped; k += n) {
        n = n_locations - k < team->n ? n_locations - k : team->n;
        team->at = team->order + k;

        const struct mpl_parallel job = {
            .n_tasks = n, .max_threads = n, .run = search_one, .context = team
        };
        const enum mpl_status st = mpl_parallel_run(&job, err);

        if (st != MPL_OK) {
            return st;
        }
        for (uint32_t i = 0; i < n && !team->r->has_stopped; i++) {
            if (team->copies != NULL) {
                hand_over(team, i);
            }
            team->n_spans += count_spans(team->r, team->at[i]);
            team->r->is_searched[team->at[i]] = is_last;
            team->r->has_stopped = is_last && k + i + 1 < n_locations && is_hopeless(team);
        }
    }
    number_instances(team->r);
    return MPL_OK;
}

static bool is_wide(const struct mpl_pattern *pattern)
{
    for (uint32_t e = 0; e < pattern->n_events; e++) {
        if (pattern->events[e].is_wide) {
            return true;
        }
    }
    return false;
}

static enum mpl_status search_all(struct team *team, struct mpl_err *err)
{
    const struct mpl_pattern *pattern = team->r->pattern;
    const bool is_by_level = is_wide(pattern);
    uint32_t n_levels = 0;
    enum mpl_status st = MPL_OK;

    for (uint32_t e = 0; e < pattern->n_events; e++) {
        n_levels =
            pattern->events[e].level >= n_levels ? pattern->events[e].level + 1 : n_levels;
    }
    team->look_at = SPANS_MIN;
    if (!is_by_level) {
        st = search_levels(team, 0, n_levels, true, err);
    }
    for (uint32_t level = 0; is_by_level && level < n_levels && st == MPL_OK; level++) {
        team->n_spans = 0;
        st = search_levels(team, level, level + 1, level + 1 == n_levels, err);
    }
    for (uint32_t i = 0; i < team->n && st == MPL_OK && !team->r->has_stopped; i++) {
        mpl_search_count_failed(team->searches[i], team->r);
    }
    return st;
}

/* ---- room ------------------------------------------------------------------------------------------ */

/* Where little is to be searched comes first: it says as soon as any other that a pattern is hopeless. */
static int by_spans(const void *x, const void *y, void *context)
{
    const uint32_t a = *(const uint32_t *) x;
    const uint32_t b = *(const uint32_t *) y;
    const int64_t more = (int64_t) count_spans(context, a) - count_spans(context, b);

    return more != 0 ? (more > 0) - (more < 0) : (a > b) - (a < b);
}

static const uint32_t *order_locations(struct mpl_recognition *r, struct mpl_arena *arena)
{
    uint32_t *order = MPL_NEW_ARRAY(arena, r->model->n_locations, uint32_t);

    for (uint32_t l = 0; l < r->model->n_locations && order != NULL; l++) {
        order[l] = l;
    }
    if (order != NULL) {
        qsort_r(order, r->model->n_locations, sizeof *order, by_spans, r);
    }
    return order;
}

static bool prepare_event(struct mpl_recognition *r, uint32_t e)
{
    const struct mpl_event_definition *event = &r->pattern->events[e];
    struct mpl_instances *instances = &r->instances[e];
    uint32_t *word_of = MPL_NEW_ARRAY(r->arena, event->n_members, uint32_t);
    uint32_t *inner_of = MPL_NEW_ARRAY(r->arena, event->n_members, uint32_t);

    instances->is_flat = true;
    for (uint32_t m = 0; m < event->n_members && word_of != NULL && inner_of != NULL; m++) {
        const uint32_t inner = event->members[m].filter.event;

        word_of[m] = MPL_NONE;
        if (event->members[m].occurs.is_used && event->members[m].beside == 0) {
            instances->is_flat = instances->is_flat && inner == MPL_NONE;
            inner_of[instances->stride] = inner;
            word_of[m] = instances->stride++;
        }
    }
    instances->word_of = word_of;
    instances->inner_of = inner_of;
    instances->n_segments = r->roles[event->role].n;
    instances->segments =
        MPL_NEW_ARRAY(r->arena, instances->n_segments, struct mpl_segment);
    for (uint32_t i = 0; i < instances->n_segments && instances->segments != NULL; i++) {
        instances->segments[i].location = r->roles[event->role].locations[i];
    }
    instances->columns = MPL_NEW_ARRAY(r->arena, event->n_attributes, double *);
    instances->is_wanted = MPL_NEW_ARRAY(r->arena, event->n_attributes, bool);
    r->n_failed[e] = MPL_NEW_ARRAY(r->arena, event->n_constraints, uint64_t);
    return word_of != NULL && inner_of != NULL && instances->segments != NULL &&
           instances->columns != NULL && instances->is_wanted != NULL &&
           r->n_failed[e] != NULL;
}

static enum mpl_status prepare(struct mpl_recognition *r, struct mpl_err *err)
{
    const struct mpl_model *model = r->model;

    r->instances = MPL_NEW_ARRAY(r->arena, r->pattern->n_events, struct mpl_instances);
    r->n_failed = MPL_NEW_ARRAY(r->arena, r->pattern->n_events, uint64_t *);
    r->explained = MPL_NEW_ARRAY(r->arena, model->n_locations, uint64_t *);
    r->is_searched = MPL_NEW_ARRAY(r->arena, model->n_locations, bool);
    if (r->instances == NULL || r->n_failed == NULL || r->explained == NULL ||
        r->is_searched == NULL || !mpl_finders_prepare(r)) {
        return mpl_nomem(err);
    }
    for (uint32_t e = 0; e < r->pattern->n_events; e++) {
        if (!prepare_event(r, e)) {
            return mpl_nomem(err);
        }
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        if (r->roles_of_location[l] == 0) {
            continue;
        }
        if (mpl_events_span_count(r->events, l) >= MPL_WORD_LIST) {
            return mpl_fail(err, MPL_E_LIMIT, "location %s has more than %u spans",
                            model->locations[l].label, MPL_WORD_LIST - 1);
        }
        r->explained[l] = MPL_NEW_ARRAY(r->arena, mpl_explained_words(model, l), uint64_t);
        if (r->explained[l] == NULL) {
            return mpl_nomem(err);
        }
    }
    return MPL_OK;
}

/*
 * So many locations are searched at a time. One alone where a pattern needs instances of others or what came first, and
 * where locations are so short that to begin threads costs more than it gains.
 */
static uint32_t count_searches(const struct mpl_recognition *r)
{
    const uint32_t n_locations = r->model->n_locations;
    const uint32_t n = mpl_threads() < n_locations ? mpl_threads() : n_locations;
    uint64_t n_spans = 0;

    for (uint32_t l = 0; l < n_locations; l++) {
        n_spans += count_spans(r, l);
    }
    return n_spans / SPANS_OF_A_THREAD < n_locations || is_wide(r->pattern) ||
                   mpl_view_asks_what_came_first(r->pattern)
               ? 1
               : n;
}

/* One more, of several or alone. False: out of memory. */
static bool open_search(struct team *team, uint32_t i)
{
    struct mpl_recognition *r = team->copies == NULL ? team->r : &team->copies[i];
    struct mpl_buf *marks = team->copies == NULL ? NULL : &team->marks[i];

    team->marks[i] = mpl_buf_make(sizeof(struct mpl_mark));
    team->arenas[i] = mpl_arena_create();
    if (team->arenas[i] == NULL || (r != team->r && !mpl_recognition_copy(team->r, r))) {
        return false;
    }
    team->searches[i] = mpl_search_open(r, marks, team->arenas[i]);
    return team->searches[i] != NULL;
}

static bool open_team(struct team *team, struct mpl_arena *arena)
{
    const uint32_t n = count_searches(team->r);
    bool is_open = true;

    team->order = order_locations(team->r, arena);
    team->searches = MPL_NEW_ARRAY(arena, n, struct mpl_search *);
    team->arenas = MPL_NEW_ARRAY(arena, n, struct mpl_arena *);
    team->marks = MPL_NEW_ARRAY(arena, n, struct mpl_buf);
    team->copies = n == 1 ? NULL : MPL_NEW_ARRAY(arena, n, struct mpl_recognition);
    for (; team->n < n && is_open && !mpl_arena_is_short(arena); team->n++) {
        is_open = open_search(team, team->n);
    }
    return is_open && team->n == n;
}

static void close_team(struct team *team)
{
    for (uint32_t i = 0; i < team->n; i++) {
        mpl_search_close(team->searches[i]);
        mpl_arena_destroy(team->arenas[i]);
        mpl_buf_free(&team->marks[i]);
        if (team->copies != NULL) { /* the instances are in there */
            mpl_arena_absorb(team->r->arena, team->copies[i].arena);
        }
    }
}

enum mpl_status mpl_instances_find_all(struct mpl_recognition *r, struct mpl_err *err)
{
    struct team team = { .r = r };
    struct mpl_arena *arena = mpl_arena_create();
    enum mpl_status st = arena == NULL ? mpl_nomem(err) : prepare(r, err);

    st = st == MPL_OK ? prepare_kinds(r, arena, err) : st;
    if (st == MPL_OK) {
        st = open_team(&team, arena) ? search_all(&team, err) : mpl_nomem(err);
        close_team(&team);
    }
    mpl_arena_destroy(arena);
    return st;
}
