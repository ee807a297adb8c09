/* The first moment of what a finding rests on. */
#include "config.h"

#include "analysis/analysis_priv.h"

#include <string.h>

struct search {
    const struct mpl_events *events; /* of the finding's pattern */
    bool *is_named;                  /* per location: a culprit, or one that it names */
    bool *may_wait;                  /* per location: waits for those who are named count */
    bool is_of;                      /* waits of these count, beside those for them */
    struct mpl_buf lengths;          /* int64_t: of all waits that count */
};

static int64_t wait_of(const struct search *s, uint32_t location, uint32_t call)
{
    return mpl_events_wait_ticks(s->events, location, 2 * call + 1);
}

/* Whether the wait in a call counts. Most calls do not wait, which is to be asked first: it costs less. */
static bool does_count(const struct search *s, uint32_t location, uint32_t call)
{
    const uint32_t culprit = mpl_events_culprit(s->events, location, call);

    return (culprit != MPL_NONE && s->is_named[culprit] && s->may_wait[location]) ||
           (s->is_of && s->is_named[location]);
}

/* The calls of a location, or none where no wait of it can count. */
static uint32_t count_calls(const struct search *s, uint32_t location)
{
    return s->may_wait[location] || (s->is_of && s->is_named[location])
               ? mpl_events_call_count(s->events, location)
               : 0;
}

struct gathering {
    const struct search *search;
    struct mpl_buf *lengths; /* per thread */
};

static enum mpl_status gather_one(void *context, size_t location, unsigned worker,
                                  struct mpl_err *err)
{
    const struct gathering *gathering = context;
    const struct search *s = gathering->search;
    const uint32_t l = (uint32_t) location;
    const uint32_t n_calls = count_calls(s, l);

    for (uint32_t k = 0; k < n_calls; k++) {
        const int64_t wait_ticks = wait_of(s, l, k);

        if (wait_ticks > 0 && does_count(s, l, k) &&
            !mpl_buf_put(&gathering->lengths[worker], &wait_ticks)) {
            return mpl_nomem(err);
        }
    }
    return MPL_OK;
}

static bool append(struct mpl_buf *lengths, const struct mpl_buf *more)
{
    int64_t *copy = more->n == 0 ? NULL : mpl_buf_add_many(lengths, more->n);

    if (copy != NULL) {
        memcpy(copy, more->data, more->n * sizeof *copy);
    }
    return more->n == 0 || copy != NULL;
}

/* In no order, which does not matter to mpl_usual(). */
static bool gather(struct search *s)
{
    struct mpl_buf lengths[MPL_PARALLEL_MOST];
    const unsigned n_threads = mpl_threads();
    struct gathering gathering = { s, lengths };
    const struct mpl_parallel job = { .n_tasks = mpl_events_model(s->events)->n_locations,
                                      .max_threads = n_threads,
                                      .run = gather_one,
                                      .context = &gathering };
    bool is_enough;

    s->lengths.n = 0;
    lengths[0] = s->lengths;
    for (unsigned t = 1; t < n_threads; t++) {
        lengths[t] = mpl_buf_make(sizeof(int64_t));
    }
    is_enough = mpl_parallel_run(&job, NULL) == MPL_OK;
    for (unsigned t = 1; t < n_threads; t++) {
        is_enough = is_enough && append(&lengths[0], &lengths[t]);
        mpl_buf_free(&lengths[t]);
    }
    s->lengths = lengths[0];
    return is_enough;
}

/* \p least_ticks must be above 0. */
static void choose(const struct search *s, int64_t least_ticks, struct mpl_first_wait *out)
{
    const struct mpl_model *model = mpl_events_model(s->events);
    int64_t earliest = INT64_MAX;
    struct mpl_call_view call;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const uint32_t n_calls = count_calls(s, l);

        for (uint32_t k = 0; k < n_calls; k++) {
            if (wait_of(s, l, k) >= least_ticks && does_count(s, l, k)) {
                mpl_events_call(s->events, l, k, &call);

                const int64_t begin = mpl_ticks_of(&model->locations[l], call.first_event);

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

/* Without labels all locations are meant. */
static void name(const struct search *s, bool *is_named, const char *const *labels,
                 size_t n)
{
    const struct mpl_model *model = mpl_events_model(s->events);

    for (uint32_t l = 0; l < model->n_locations; l++) {
        is_named[l] = n == 0;
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t location = mpl_model_find_location(model, labels[i]);

        if (location != MPL_NONE) {
            is_named[location] = true;
        }
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

/* Waits of the finding's locations for its culprits; or, where there are none, of anybody for these; or else
 * waits of those that it names. */
static bool find(struct search *s, const struct mpl_finding *f)
{
    name(s, s->is_named, f->culprits, f->n_culprits);
    name(s, s->may_wait, f->locations, f->n_locations);
    if (f->n_culprits > 0 && !gather(s)) {
        return false;
    }
    if (f->n_culprits > 0 && s->lengths.n == 0) {
        name(s, s->may_wait, NULL, 0);
        if (!gather(s)) {
            return false;
        }
    }
    if (s->lengths.n == 0) {
        s->is_of = true;
        name(s, s->may_wait, NULL, 0);
        name(s, s->is_named, f->n_locations > 0 ? f->locations : f->culprits,
             f->n_locations > 0 ? f->n_locations : f->n_culprits);
        return gather(s);
    }
    return true;
}

static bool begin(const struct mpl_diagnosis *d, const struct mpl_diagnosed *f,
                  struct mpl_arena *scratch, struct search *s)
{
    s->events = events_of(d, f);
    s->lengths = mpl_buf_make(sizeof(int64_t));
    if (scratch != NULL) {
        s->is_named = MPL_NEW_ARRAY(scratch, d->runs[f->run].model->n_locations, bool);
        s->may_wait = MPL_NEW_ARRAY(scratch, d->runs[f->run].model->n_locations, bool);
    }
    return s->is_named != NULL && s->may_wait != NULL && find(s, f->finding);
}

enum mpl_status mpl_first_wait_of(const struct mpl_diagnosis *d,
                                  const struct mpl_diagnosed *f, bool *is_found,
                                  struct mpl_first_wait *out, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct search s = { .is_of = false };
    const bool is_enough = begin(d, f, scratch, &s);

    if (is_enough) {
        *is_found = s.lengths.n > 0;
        if (*is_found) {
            choose(&s, (mpl_usual(s.lengths.data, s.lengths.n) + 1) / 2, out);
        }
    }
    mpl_buf_free(&s.lengths);
    mpl_arena_destroy(scratch);
    return is_enough ? MPL_OK : mpl_nomem(err);
}

enum mpl_status mpl_diagnosed_find(const struct mpl_diagnosis *d, const char *id,
                                   const struct mpl_diagnosed **out, struct mpl_err *err)
{
    const size_t n = d->n_findings;

    for (size_t i = 0; i < n; i++) {
        if (strcmp(d->findings[i].id, id) == 0) {
            *out = &d->findings[i];
            return MPL_OK;
        }
    }
    return n == 0 ? mpl_fail(err, MPL_E_USAGE,
                             "\"%s\": the diagnosis of this trace has no findings", id)
                  : mpl_fail(err, MPL_E_USAGE, "\"%s\": there are the findings %s to %s",
                             id, d->findings[0].id, d->findings[n - 1].id);
}

enum mpl_status mpl_waits_of(const struct mpl_diagnosis *d, const struct mpl_diagnosed *f,
                             void (*visit)(void *context, uint32_t location, uint32_t call),
                             void *context, struct mpl_err *err)
{
    const struct mpl_run *run = &d->runs[f->run];
    struct mpl_arena *scratch = mpl_arena_create();
    struct search s = { .is_of = false };
    const bool is_enough = begin(d, f, scratch, &s);
    struct mpl_call_view call;

    for (uint32_t l = 0; l < run->model->n_locations && is_enough; l++) {
        const uint32_t n_calls = count_calls(&s, l);

        for (uint32_t k = 0; k < n_calls; k++) {
            if (wait_of(&s, l, k) > 0 && does_count(&s, l, k)) {
                mpl_events_call(s.events, l, k, &call);
                /* A part of a run has fewer calls, with numbers of their own. */
                visit(context, l,
                      mpl_events_call_of_event(run->events, l, call.first_event));
            }
        }
    }
    mpl_buf_free(&s.lengths);
    mpl_arena_destroy(scratch);
    return is_enough ? MPL_OK : mpl_nomem(err);
}
