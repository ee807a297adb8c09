/* What a metric derives from, through all metrics that it is built on. */
#include "config.h"

#include "metrics/metrics_priv.h"

#include <stdlib.h>
#include <string.h>

struct walk {
    const struct mpl_metric_set *set;
    bool *is_seen; /* per metric */
    struct mpl_metric_basis *out;
    const struct mpl_capability **needs;
    uint32_t *events;
};

static void add_need(struct walk *w, const struct mpl_capability *need)
{
    for (size_t i = 0; i < w->out->n_needs; i++) {
        if (w->needs[i] == need) {
            return;
        }
    }
    w->needs[w->out->n_needs++] = need;
}

static void add_event(struct walk *w, uint32_t event)
{
    for (size_t i = 0; i < w->out->n_events; i++) {
        if (w->events[i] == event) {
            return;
        }
    }
    w->events[w->out->n_events++] = event;
}

static void walk_metric(struct walk *w, uint32_t metric);

static void walk_sources(struct walk *w, const struct sources *sources)
{
    for (uint32_t i = 0; i < sources->n; i++) {
        const struct source *s = &sources->items[i];

        if (mpl_source_is_metric(s)) {
            walk_metric(w, s->what);
        } else if (s->kind == SOURCE_OWN_EVENTS || s->kind == SOURCE_ALL_EVENTS) {
            add_event(w, s->event);
        }
    }
}

/* Its depth is bounded by DEPENDENCY_LIMIT. */
static void walk_metric(struct walk *w, uint32_t metric)
{
    const struct metric *m = &w->set->metrics[metric];

    if (w->is_seen[metric]) {
        return;
    }
    w->is_seen[metric] = true;
    for (size_t i = 0; i < m->n_needs; i++) {
        add_need(w, m->needs[i]);
    }
    walk_sources(w, &m->scalars);
    walk_sources(w, &m->lists);
}

enum mpl_status mpl_metric_set_basis(const struct mpl_metric_set *set, size_t i,
                                     struct mpl_arena *arena, struct mpl_metric_basis *out,
                                     struct mpl_err *err)
{
    size_t n_capabilities = 0;

    (void) mpl_capability_table(&n_capabilities);
    *out = (struct mpl_metric_basis){ 0 };

    struct walk w = {
        .set = set,
        .is_seen = MPL_NEW_ARRAY(arena, set->n, bool),
        .out = out,
        .needs = MPL_NEW_ARRAY(arena, n_capabilities, const struct mpl_capability *),
        .events = MPL_NEW_ARRAY(arena, mpl_pattern_event_count(set->pattern), uint32_t),
    };

    mpl_assert(i < set->n);
    if (w.is_seen == NULL || w.needs == NULL || w.events == NULL) {
        return mpl_nomem(err);
    }
    out->needs = w.needs;
    out->events = w.events;
    walk_metric(&w, (uint32_t) i);
    return MPL_OK;
}
