/* Moments at which a thread may have waited for others of its process. */
#include "config.h"

#include "critical/critical_priv.h"

#include <stdlib.h>

static int by_event(const void *a, const void *b)
{
    const struct mpl_thread_sink *x = a;
    const struct mpl_thread_sink *y = b;

    return x->event < y->event ? -1 : x->event > y->event;
}

static struct mpl_top last_source(const struct mpl_model *model,
                                  const struct mpl_moment *sources, uint32_t n)
{
    struct mpl_top top;

    mpl_top_clear(&top);
    for (uint32_t i = 0; i < n; i++) {
        mpl_top_add(&top,
                    mpl_ticks_of(&model->locations[sources[i].location], sources[i].event),
                    sources[i].location);
    }
    return top;
}

/*
 * Since when a thread had nothing to do before such a moment, if it is in no call. A worker does
 * nothing before a fork, and a master nothing between its own part in a team and the join.
 */
static int64_t idle_since(const struct mpl_location *loc, enum mpl_relation_kind kind,
                          uint32_t event)
{
    if (kind == MPL_RELATION_FORK || kind == MPL_RELATION_CREATE) {
        return INT64_MIN;
    }
    return kind == MPL_RELATION_JOIN && event > 0 &&
                   mpl_kind_of(loc, event - 1) == MPL_EV_TEAM_END
               ? mpl_ticks_of(loc, event - 1)
               : INT64_MAX;
}

static void add_relation(const struct mpl_match *match, const struct mpl_model *model,
                         const struct mpl_relation *r, struct mpl_thread_sink *all,
                         size_t *next)
{
    const struct mpl_moment *sources = match->moments + r->first;
    const struct mpl_moment *sinks = sources + r->n_sources;
    const struct mpl_top top = last_source(model, sources, r->n_sources);

    for (uint32_t i = 0; i < r->n_sinks; i++) {
        const uint32_t l = sinks[i].location;
        const bool is_own = top.first_location == l;

        all[next[l]++] = (struct mpl_thread_sink){
            .event = sinks[i].event,
            .source = is_own ? top.second_location : top.first_location,
            .source_ticks = mpl_top_of_others(&top, l),
            .since_ticks = idle_since(&model->locations[l], r->kind, sinks[i].event),
        };
    }
}

bool mpl_thread_sinks_find(const struct mpl_events *events, struct mpl_arena *arena,
                           struct mpl_thread_sinks *out)
{
    const struct mpl_model *model = mpl_events_model(events);
    const struct mpl_match *match = mpl_events_match(events);
    const uint32_t n = model->n_locations;

    *out = (struct mpl_thread_sinks){ 0 };
    if (match->n_relations == 0) {
        return true;
    }
    size_t *first = MPL_NEW_ARRAY(arena, (size_t) n + 1, size_t);
    size_t *next = MPL_NEW_ARRAY(arena, n, size_t);
    if (first == NULL || next == NULL) {
        return false;
    }
    for (size_t i = 0; i < match->n_relations; i++) {
        const struct mpl_relation *r = &match->relations[i];

        for (uint32_t k = 0; k < r->n_sinks; k++) {
            first[match->moments[r->first + r->n_sources + k].location + 1]++;
        }
    }
    for (uint32_t l = 0; l < n; l++) {
        first[l + 1] += first[l];
        next[l] = first[l];
    }
    struct mpl_thread_sink *all = MPL_NEW_ARRAY(arena, first[n], struct mpl_thread_sink);
    if (all == NULL) {
        return false;
    }
    for (size_t i = 0; i < match->n_relations; i++) {
        add_relation(match, model, &match->relations[i], all, next);
    }
    for (uint32_t l = 0; l < n; l++) {
        qsort(all + first[l], first[l + 1] - first[l], sizeof *all, by_event);
    }
    *out = (struct mpl_thread_sinks){ all, first };
    return true;
}
