/*
 * Which cause began first. Of two causes of a run one precedes the other if its first wait must have
 * ended before that of the other one could end: through messages, whatever the clocks say. So waits
 * that go on side by side for each other's sake are in order, too.
 *
 * Timestamps are made only for a run with two such causes.
 */
#include "config.h"

#include "analysis/analysis_priv.h"

#include "causality/causality.h"

#include <math.h>

/* A cause of the run at hand. */
struct beginning {
    struct mpl_diagnosed *cause;
    struct mpl_moment end; /* of its first wait */
};

struct comparison {
    struct mpl_analysis *a;
    struct mpl_arena *arena; /* of what stays */
    struct mpl_arena *scratch;
    struct beginning *all; /* those of one run */
    size_t n;
    struct mpl_causality *causality;
};

/* What names nobody is about everybody: that it began with the first wait says nothing. */
static bool has_beginning(const struct mpl_diagnosed *d)
{
    return mpl_diagnosed_is_cause(d) && !d->finding->is_healthy && !d->is_of_set &&
           !d->is_within_spread && d->finding->n_culprits + d->finding->n_locations > 0;
}

static enum mpl_status gather(struct comparison *c, uint32_t run, struct mpl_err *err)
{
    const struct mpl_diagnosis *d = &c->a->diagnosis;
    const struct mpl_model *model = d->runs[run].model;
    enum mpl_status st = MPL_OK;

    c->n = 0;
    for (size_t i = 0; i < d->n_findings && st == MPL_OK; i++) {
        struct mpl_diagnosed *cause = &c->a->findings[i];
        struct mpl_first_wait first;
        bool is_found = false;

        if (cause->run == run && has_beginning(cause)) {
            st = mpl_first_wait_of(d, cause, &is_found, &first, err);
        }
        if (is_found) {
            cause->began_s = mpl_model_seconds(
                model, mpl_ticks_of(&model->locations[first.location], first.first_event));
            c->all[c->n++] =
                (struct beginning){ cause, { first.location, first.last_event } };
        }
    }
    return st;
}

static enum mpl_status compare(struct comparison *c, struct mpl_err *err)
{
    for (size_t i = 0; i < c->n; i++) {
        const char **ids = MPL_NEW_ARRAY(c->arena, c->n, const char *);
        struct mpl_diagnosed *cause = c->all[i].cause;

        if (ids == NULL) {
            return mpl_nomem(err);
        }
        for (size_t k = 0; k < c->n; k++) {
            if (mpl_causality_compare(c->causality, c->all[i].end, c->all[k].end) ==
                MPL_PRECEDENCE_BEFORE) {
                ids[cause->n_precedes++] = c->all[k].cause->id;
            }
        }
        cause->precedes = ids;
    }
    return MPL_OK;
}

static enum mpl_status compare_run(struct comparison *c, uint32_t number,
                                   struct mpl_err *err)
{
    enum mpl_status st = gather(c, number, err);

    if (st == MPL_OK && c->n >= 2) {
        st =
            mpl_precedences_get(mpl_events_precedences(c->a->diagnosis.runs[number].events),
                                &c->causality, err);
        st = st == MPL_OK ? compare(c, err) : st;
    }
    return st;
}

enum mpl_status mpl_precedence_find(struct mpl_analysis *a, struct mpl_arena *arena,
                                    struct mpl_err *err)
{
    struct comparison c = { .a = a, .arena = arena, .scratch = mpl_arena_create() };
    enum mpl_status st = MPL_OK;

    if (c.scratch != NULL) {
        c.all = MPL_NEW_ARRAY(c.scratch, a->diagnosis.n_findings, struct beginning);
    }
    if (c.all == NULL) {
        st = mpl_nomem(err);
    }
    for (uint32_t r = 0; r < a->n_runs && st == MPL_OK; r++) {
        st = mpl_run_is_usable(&a->runs[r]) ? compare_run(&c, r, err) : MPL_OK;
    }
    mpl_arena_destroy(c.scratch);
    return st;
}
