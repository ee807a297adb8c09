#include "config.h"

#include "recognize/recognition_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the window ---------------------------------------------------------------------- */

struct mpl_window mpl_window_of(const struct mpl_events *events)
{
    struct mpl_window window;

    mpl_events_window(events, &window.begin_ticks, &window.end_ticks);
    return window;
}

/* ---- recognising ---------------------------------------------------------------------- */

static enum mpl_status check_needs(const struct mpl_recognition *r, const char **reason,
                                   struct mpl_err *err)
{
    for (uint32_t i = 0; i < r->pattern->n_needs; i++) {
        const struct mpl_capability *need = r->pattern->needs[i];

        if (!mpl_capability_get(&r->model->can, need)) {
            *reason =
                mpl_arena_printf(r->arena, "the trace does not record %s", need->says);
            return *reason == NULL ? mpl_nomem(err) : MPL_END;
        }
    }
    return MPL_OK;
}

enum mpl_status mpl_recognize_in(const struct mpl_pattern *pattern,
                                 struct mpl_topology *topology,
                                 const struct mpl_role_binding *bindings, size_t n_bindings,
                                 double needed_coverage, struct mpl_arena *arena,
                                 struct mpl_recognition **out, const char **reason,
                                 struct mpl_err *err)
{
    const struct mpl_events *events = topology->events;
    struct mpl_recognition *r = MPL_NEW(arena, struct mpl_recognition);
    enum mpl_status st;

    *reason = NULL;
    if (r == NULL) {
        return mpl_nomem(err);
    }
    r->pattern = pattern;
    r->events = events;
    r->topology = topology;
    r->model = mpl_events_model(events);
    r->arena = arena;
    r->needed_coverage = needed_coverage;
    r->window = mpl_window_of(events);
    r->is_part = mpl_events_is_part(events);
    r->ranges = MPL_NEW_ARRAY(arena, r->model->n_locations, struct mpl_range);
    if (r->ranges == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < r->model->n_locations; l++) {
        r->ranges[l] = mpl_range_of(events, l);
    }
    st = check_needs(r, reason, err);
    if (st == MPL_OK) {
        st = mpl_roles_bind(r, topology, bindings, n_bindings, reason, err);
    }
    if (st == MPL_OK) {
        st = mpl_requests_copy(&topology->graph, r, err);
    }
    if (st == MPL_OK) {
        st = mpl_instances_find_all(r, err);
    }
    r->topology = NULL;
    if (st == MPL_OK) {
        mpl_coverage_measure(r);
        *out = r;
    }
    return st;
}

enum mpl_status mpl_recognize(const struct mpl_pattern *pattern,
                              const struct mpl_events *events,
                              const struct mpl_role_binding *bindings, size_t n_bindings,
                              struct mpl_arena *arena, struct mpl_recognition **out,
                              const char **reason, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_topology *topology = NULL;
    enum mpl_status st = scratch == NULL
                             ? mpl_nomem(err)
                             : mpl_topology_create(events, scratch, &topology, err);

    *reason = NULL;
    if (st == MPL_OK) {
        st = mpl_recognize_in(pattern, topology, bindings, n_bindings, 0, arena, out,
                              reason, err);
    }
    mpl_arena_destroy(scratch);
    return st;
}

/* ---- questions -------------------------------------------------------------------------- */

const struct mpl_pattern *mpl_recognition_pattern(const struct mpl_recognition *r)
{
    return r->pattern;
}

const struct mpl_events *mpl_recognition_events(const struct mpl_recognition *r)
{
    return r->events;
}

const struct mpl_role *mpl_recognition_role(const struct mpl_recognition *r, size_t i)
{
    mpl_assert(i < r->pattern->n_roles);
    return &r->roles[i];
}

double mpl_recognition_message_coverage(const struct mpl_recognition *r)
{
    return r->message_coverage;
}

double mpl_recognition_likely_coverage(const struct mpl_recognition *r)
{
    return r->likely_coverage;
}

bool mpl_recognition_has_stopped(const struct mpl_recognition *r)
{
    return r->has_stopped;
}

double mpl_recognition_time_coverage(const struct mpl_recognition *r)
{
    return r->time_coverage;
}

/* Without events nothing contradicts a pattern; with events but no match nothing supports it, unless
 * it supposes nothing. */
double mpl_recognition_fit(const struct mpl_recognition *r)
{
    const uint64_t n = r->n_fitting + r->n_failing;

    if (r->has_stopped) {
        return 1;
    }
    return n > 0 ? (double) r->n_fitting / (double) n
                 : r->pattern->n_events == 0 || !mpl_pattern_is_structural(r->pattern);
}

const char *mpl_recognition_worst_constraint(const struct mpl_recognition *r)
{
    const char *text = NULL;
    uint64_t most = 0;

    for (uint32_t e = 0; e < r->pattern->n_events; e++) {
        for (uint32_t c = 0; c < r->pattern->events[e].n_constraints; c++) {
            if (r->n_failed[e][c] > most) {
                most = r->n_failed[e][c];
                text = r->pattern->events[e].constraints[c].text;
            }
        }
    }
    return text;
}

bool mpl_recognition_failed(const struct mpl_recognition *r, uint32_t event, size_t i,
                            const char **text, uint64_t *n)
{
    mpl_assert(event < r->pattern->n_events);
    if (i >= r->pattern->events[event].n_constraints) {
        return false;
    }
    *text = r->pattern->events[event].constraints[i].text;
    *n = r->n_failed[event][i];
    return true;
}

size_t mpl_recognition_count(const struct mpl_recognition *r, uint32_t event)
{
    mpl_assert(event < r->pattern->n_events);
    return r->instances[event].n;
}

size_t mpl_recognition_range(const struct mpl_recognition *r, uint32_t event,
                             uint32_t location, size_t *first)
{
    const struct mpl_segment *segment;

    mpl_assert(event < r->pattern->n_events);
    segment = mpl_instances_find(&r->instances[event], location);
    *first = segment == NULL ? 0 : segment->first;
    return segment == NULL ? 0 : segment->n;
}

const uint32_t *mpl_recognition_locations(const struct mpl_recognition *r, uint32_t event)
{
    struct mpl_instances *instances = &r->instances[event];

    mpl_assert(event < r->pattern->n_events);
    if (instances->locations == NULL) {
        uint32_t *locations = MPL_NEW_ARRAY(r->arena, instances->n, uint32_t);

        for (uint32_t s = 0; locations != NULL && s < instances->n_segments; s++) {
            for (uint32_t i = 0; i < instances->segments[s].n; i++) {
                locations[instances->segments[s].first + i] =
                    instances->segments[s].location;
            }
        }
        instances->locations = locations;
    }
    return instances->locations;
}
