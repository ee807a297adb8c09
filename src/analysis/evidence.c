/* The first moment of what a finding rests on. */
#include "config.h"

#include "analysis/analysis_priv.h"

#include <stdlib.h>
#include <string.h>

struct search {
    const struct mpl_events *events; /* of the finding's pattern */
    bool *is_named;                  /* per location: a culprit, or one that it names */
    bool is_of;                      /* waits of these count, beside those for them */
    struct mpl_buf lengths;          /* int64_t: of all waits that count */
};

static bool does_count(const struct search *s, uint32_t location,
                       const struct mpl_call_view *call)
{
    return call->wait_ticks > 0 &&
           ((call->culprit != MPL_NONE && s->is_named[call->culprit]) ||
            (s->is_of && s->is_named[location]));
}

static bool gather(struct search *s)
{
    const uint32_t n = mpl_events_model(s->events)->n_locations;
    struct mpl_call_view call;

    s->lengths.n = 0;
    for (uint32_t l = 0; l < n; l++) {
        for (uint32_t k = 0; k < mpl_events_call_count(s->events, l); k++) {
            mpl_events_call(s->events, l, k, &call);
            if (does_count(s, l, &call)) {
                int64_t *length = mpl_buf_add(&s->lengths);

                if (length == NULL) {
                    return false;
                }
                *length = call.wait_ticks;
            }
        }
    }
    return true;
}

static int by_length(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *) x;
    const int64_t b = *(const int64_t *) y;

    return (a > b) - (a < b);
}

/* Waits at least as long as this have half of the time of all. */
static int64_t usual_length(struct search *s)
{
    int64_t *lengths = s->lengths.data;
    double all = 0;
    double sum = 0;
    size_t i = s->lengths.n;

    qsort(lengths, s->lengths.n, sizeof *lengths, by_length);
    for (size_t k = 0; k < s->lengths.n; k++) {
        all += (double) lengths[k];
    }
    while (i > 1 && 2 * sum < all) {
        sum += (double) lengths[--i];
    }
    return lengths[i < s->lengths.n ? i : i - 1];
}

static void choose(const struct search *s, int64_t least_ticks, struct mpl_first_wait *out)
{
    const struct mpl_model *model = mpl_events_model(s->events);
    int64_t earliest = INT64_MAX;
    struct mpl_call_view call;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        for (uint32_t k = 0; k < mpl_events_call_count(s->events, l); k++) {
            mpl_events_call(s->events, l, k, &call);
            const int64_t begin = model->locations[l].time_ticks[call.first_event];

            if (call.wait_ticks >= least_ticks && does_count(s, l, &call)) {
                if (begin < earliest) {
                    earliest = begin;
                    *out = (struct mpl_first_wait){ l, call.first_event, call.last_event,
                                                    mpl_model_seconds(model, least_ticks) };
                }
                break; /* Calls are in order of time. */
            }
        }
    }
}

static void name(struct search *s, const char *const *labels, size_t n)
{
    const struct mpl_model *model = mpl_events_model(s->events);

    memset(s->is_named, 0, model->n_locations * sizeof *s->is_named);
    for (size_t i = 0; i < n; i++) {
        const uint32_t location = mpl_model_find_location(model, labels[i]);

        if (location != MPL_NONE) {
            s->is_named[location] = true;
        }
    }
    for (uint32_t l = 0; l < model->n_locations && n == 0; l++) {
        s->is_named[l] = true;
    }
}

/* The part of the run in which its pattern is; the whole where rules invented one. */
static const struct mpl_events *events_of(const struct mpl_diagnosis *d,
                                          const struct mpl_diagnosed *f)
{
    for (size_t i = 0; i < d->n_trials; i++) {
        const struct mpl_trial *t = &d->trials[i];

        if (t->is_chosen && t->run == f->run && strcmp(t->id, f->finding->pattern) == 0) {
            return mpl_recognition_events(t->recognition);
        }
    }
    return d->runs[f->run].events;
}

static bool find(struct search *s, const struct mpl_finding *f)
{
    name(s, f->culprits, f->n_culprits);
    if (f->n_culprits > 0 && !gather(s)) {
        return false;
    }
    if (s->lengths.n == 0) {
        s->is_of = true;
        name(s, f->n_locations > 0 ? f->locations : f->culprits,
             f->n_locations > 0 ? f->n_locations : f->n_culprits);
        return gather(s);
    }
    return true;
}

enum mpl_status mpl_first_wait_of(const struct mpl_diagnosis *d,
                                  const struct mpl_diagnosed *f, bool *is_found,
                                  struct mpl_first_wait *out, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct search s = { .events = events_of(d, f),
                        .lengths = mpl_buf_make(sizeof(int64_t)) };
    bool is_enough = scratch != NULL;

    if (is_enough) {
        s.is_named = MPL_NEW_ARRAY(scratch, d->runs[f->run].model->n_locations, bool);
        is_enough = s.is_named != NULL && find(&s, f->finding);
    }
    if (is_enough) {
        *is_found = s.lengths.n > 0;
        if (*is_found) {
            choose(&s, (usual_length(&s) + 1) / 2, out);
        }
    }
    mpl_buf_free(&s.lengths);
    mpl_arena_destroy(scratch);
    return is_enough ? MPL_OK : mpl_nomem(err);
}
