/*
 * The first moment of what a finding rests on: metrics sum up waits, so it is the first wait of the
 * locations that the finding names, or for them.
 */
#include "config.h"

#include "query/query_priv.h"

#include <string.h>

static const struct mpl_diagnosed *find(const struct mpl_query *q, const char *id)
{
    for (size_t i = 0; i < q->diagnosis->n_findings; i++) {
        if (strcmp(q->diagnosis->findings[i].id, id) == 0) {
            return &q->diagnosis->findings[i];
        }
    }
    return NULL;
}

static enum mpl_status no_finding(const struct mpl_query *q, const char *id,
                                  struct mpl_err *err)
{
    const size_t n = q->diagnosis->n_findings;

    return n == 0
               ? mpl_fail(err, MPL_E_USAGE,
                          "\"%s\": the diagnosis of this trace has no findings", id)
               : mpl_fail(err, MPL_E_USAGE, "\"%s\": there are the findings %s to %s", id,
                          q->diagnosis->findings[0].id, q->diagnosis->findings[n - 1].id);
}

/* Per location, whether the labels name it; NULL: no memory. */
static bool *named(const struct mpl_query *q, const char *const *labels, size_t n)
{
    const struct mpl_model *model = q->run->model;
    bool *is_named = MPL_NEW_ARRAY(q->arena, model->n_locations, bool);

    for (size_t i = 0; i < n && is_named != NULL; i++) {
        const uint32_t location = mpl_model_find_location(model, labels[i]);

        if (location != MPL_NONE) {
            is_named[location] = true;
        }
    }
    return is_named;
}

/* The earliest call that waits and is in question. */
static bool first_wait(const struct mpl_query *q, const bool *waits,
                       const bool *is_waited_for, struct mpl_moment *out,
                       uint32_t *last_event)
{
    const struct mpl_events *events = q->run->events;
    int64_t earliest = INT64_MAX;

    for (uint32_t l = 0; l < q->run->model->n_locations; l++) {
        for (uint32_t k = 0; k < mpl_events_call_count(events, l); k++) {
            struct mpl_call_view call;

            mpl_events_call(events, l, k, &call);
            const bool is_asked =
                call.culprit != MPL_NONE && is_waited_for[call.culprit] ? true : waits[l];
            const int64_t begin = q->run->model->locations[l].time_ticks[call.first_event];

            if (call.wait_ticks > 0 && is_asked && begin < earliest) {
                earliest = begin;
                *out = (struct mpl_moment){ l, call.first_event };
                *last_event = call.last_event;
            }
        }
    }
    return earliest != INT64_MAX;
}

enum mpl_status mpl_query_finding(struct mpl_query *q, const char *address,
                                  struct mpl_spot *out, struct mpl_err *err)
{
    const struct mpl_diagnosed *d = find(q, address);

    if (d == NULL) {
        return no_finding(q, address, err);
    }

    const struct mpl_finding *f = d->finding;
    const bool *locations = named(q, f->locations, f->n_locations);
    const bool *culprits = named(q, f->culprits, f->n_culprits);
    struct mpl_moment first = { 0, 0 };
    uint32_t last = 0;

    if (locations == NULL || culprits == NULL) {
        return mpl_nomem(err);
    }
    /* Who is to blame is waited for; where nobody is, the locations named may be either. */
    if (!first_wait(q, f->n_culprits > 0 ? culprits : locations,
                    f->n_culprits > 0 ? culprits : locations, &first, &last)) {
        return mpl_fail(err, MPL_E_USAGE,
                        "\"%s\": nobody waits in what %s (%s) rests on, so it has no first "
                        "moment",
                        address, address, f->name);
    }

    const enum mpl_status st =
        mpl_query_spot(q, address, first.location, first.event, last, out, err);

    if (st == MPL_OK) {
        out->note = mpl_arena_printf(q->arena, "the first wait that %s is about", f->name);
    }
    return st == MPL_OK && out->note == NULL ? mpl_nomem(err) : st;
}
