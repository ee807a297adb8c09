#include "config.h"

#include "analysis/analysis_priv.h"

#include <string.h>

/* The most processes that share a host; 0 where the trace names no hosts. */
static uint32_t most_per_host(struct mpl_analysis *a, const struct mpl_model *model)
{
    struct mpl_names *hosts = mpl_names_create();
    uint32_t *counts = MPL_NEW_ARRAY(a->arena, model->n_processes, uint32_t);
    uint32_t most = 0;

    for (uint32_t p = 0; p < model->n_processes && hosts != NULL && counts != NULL; p++) {
        const char *host = model->processes[p].host;
        const uint32_t i = host == NULL ? MPL_NONE : mpl_names_put(hosts, host);

        if (i != MPL_NONE && ++counts[i] > most) {
            most = counts[i];
        }
    }
    mpl_names_destroy(hosts);
    return most;
}

static enum mpl_status assert_run(struct mpl_analysis *a, const struct mpl_run *run,
                                  struct mpl_err *err)
{
    const struct mpl_slot slots[] = {
        mpl_slot_text("id", run->id),
        mpl_slot_integer("processes", run->model->n_processes),
        mpl_slot_integer("locations", run->model->n_locations),
        mpl_slot_float("duration", run->window_s),
        mpl_slot_symbol("clock", mpl_clock_source_name(run->clock->source)),
        mpl_slot_integer("per-host", most_per_host(a, run->model)),
        mpl_slot_integer("cores", run->machine.cores > 0 ? run->machine.cores
                                                         : mpl_model_cores(run->model)),
        mpl_slot_float("ranks-per-core", run->machine.ranks_per_core),
        mpl_slot_float("foreign-cores",
                       run->machine.cores > 0 && run->machine.foreign_cores >= 0
                           ? run->machine.foreign_cores
                           : -1.0),
    };

    return mpl_infer_assert(a->infer, "run", slots, sizeof slots / sizeof slots[0], err);
}

static enum mpl_status assert_locations(struct mpl_analysis *a, const struct mpl_run *run,
                                        struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (uint32_t i = 0; i < run->model->n_locations && st == MPL_OK; i++) {
        const struct mpl_slot slots[] = { mpl_slot_text("run", run->id),
                                          mpl_slot_text("label",
                                                        run->model->locations[i].label) };

        st = mpl_infer_assert(a->infer, "location", slots, 2, err);
    }
    return st;
}

static enum mpl_status assert_capabilities(struct mpl_analysis *a,
                                           const struct mpl_run *run, struct mpl_err *err)
{
    size_t n = 0;
    const struct mpl_capability *table = mpl_capability_table(&n);
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        const struct mpl_slot slots[] = { mpl_slot_text("run", run->id),
                                          mpl_slot_text("name", table[i].name) };

        if (mpl_capability_get(&run->model->can, &table[i])) {
            st = mpl_infer_assert(a->infer, "capability", slots, 2, err);
        }
    }
    return st;
}

static enum mpl_status assert_quality(struct mpl_analysis *a, const struct mpl_run *run,
                                      struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < mpl_quality_count(run->model->quality) && st == MPL_OK; i++) {
        const struct mpl_quality_note *note = mpl_quality_get(run->model->quality, i);
        const struct mpl_slot slots[] = { mpl_slot_text("run", run->id),
                                          mpl_slot_text("note", note->note),
                                          mpl_slot_integer("count", note->count) };

        st = mpl_infer_assert(a->infer, "quality", slots, 3, err);
    }
    return st;
}

static enum mpl_status assert_roles(struct mpl_analysis *a, const struct trial *t,
                                    struct mpl_err *err)
{
    const struct mpl_run *run = &a->runs[t->shown.run];
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < mpl_pattern_role_count(t->shown.pattern) && st == MPL_OK; i++) {
        const struct mpl_role *role = mpl_recognition_role(t->recognition, i);

        for (uint32_t l = 0; l < role->n && st == MPL_OK; l++) {
            const struct mpl_slot slots[] = {
                mpl_slot_text("run", run->id),
                mpl_slot_text("pattern", t->shown.id),
                mpl_slot_text("name", role->name),
                mpl_slot_text("location", run->model->locations[role->locations[l]].label),
            };

            st = mpl_infer_assert(a->infer, "role", slots, 4, err);
        }
    }
    return st;
}

static enum mpl_status assert_as(struct mpl_analysis *a, const struct trial *t,
                                 const char *name, struct mpl_err *err)
{
    const struct mpl_slot slots[] = {
        mpl_slot_text("run", a->runs[t->shown.run].id),
        mpl_slot_text("name", name),
        mpl_slot_text("id", t->shown.id),
        mpl_slot_text("scope", t->shown.scope),
        mpl_slot_float("share", t->shown.share),
        mpl_slot_float("coverage", t->shown.coverage),
        mpl_slot_float("fit", t->shown.fit),
    };

    return mpl_infer_assert(a->infer, "pattern", slots, sizeof slots / sizeof slots[0],
                            err);
}

/*
 * Also under the names of the patterns that it extends: their rules hold for it, too. A file that
 * extends its own name stands in for what it extends.
 */
static enum mpl_status assert_pattern(struct mpl_analysis *a, const struct trial *t,
                                      struct mpl_err *err)
{
    const char *own = mpl_pattern_name(t->shown.pattern);
    enum mpl_status st = assert_as(a, t, own, err);

    for (size_t i = 0; i < mpl_patterns_count(a->patterns) && st == MPL_OK; i++) {
        const struct mpl_pattern *base = mpl_patterns_get(a->patterns, i);

        if (mpl_pattern_extends(t->shown.pattern, base) &&
            strcmp(mpl_pattern_name(base), own) != 0) {
            st = assert_as(a, t, mpl_pattern_name(base), err);
        }
    }
    return st == MPL_OK ? assert_roles(a, t, err) : st;
}

/* Of what remains without the communicators, each place where one of them does the work. */
static enum mpl_status assert_nested(struct mpl_analysis *a, const struct trial *outer,
                                     const struct trial *inner, struct mpl_err *err)
{
    const struct mpl_run *run = &a->runs[outer->shown.run];
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < mpl_pattern_role_count(outer->shown.pattern); i++) {
        const struct mpl_role *role = mpl_recognition_role(outer->recognition, i);

        for (uint32_t l = 0; l < role->n && st == MPL_OK; l++) {
            const struct mpl_location *loc = &run->model->locations[role->locations[l]];
            const struct mpl_slot slots[] = { mpl_slot_text("run", run->id),
                                              mpl_slot_text("outer", outer->shown.id),
                                              mpl_slot_text("inner", inner->shown.id),
                                              mpl_slot_text("location", loc->label) };

            if (inner->part->processes[loc->process]) {
                st = mpl_infer_assert(a->infer, "nested", slots, 4, err);
            }
        }
    }
    return st;
}

static enum mpl_status assert_nestings(struct mpl_analysis *a, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    size_t first = 0;

    /* Those of a run stand together. */
    for (size_t o = 0; o < a->n_trials && st == MPL_OK; o++) {
        const uint32_t run = a->trials[o].shown.run;

        first = a->trials[first].shown.run != run ? o : first;
        for (size_t i = first;
             i < a->n_trials && a->trials[i].shown.run == run && st == MPL_OK; i++) {
            if (mpl_trial_is_inside(&a->trials[i], &a->trials[o])) {
                st = assert_nested(a, &a->trials[o], &a->trials[i], err);
            }
        }
    }
    return st;
}

enum mpl_status mpl_facts_assert(struct mpl_analysis *a, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < a->n_runs && st == MPL_OK; i++) {
        const struct mpl_run *run = &a->runs[i];

        if (!mpl_run_is_usable(&a->runs[i])) {
            continue;
        }
        st = assert_run(a, run, err);
        st = st == MPL_OK ? assert_locations(a, run, err) : st;
        st = st == MPL_OK ? assert_capabilities(a, run, err) : st;
        st = st == MPL_OK ? assert_quality(a, run, err) : st;
        st = st == MPL_OK ? mpl_sites_assert(a, run, err) : st;
        st = st == MPL_OK ? mpl_halt_assert(a, run, err) : st;
    }
    for (size_t i = 0; i < a->n_trials && st == MPL_OK; i++) {
        if (a->trials[i].shown.is_chosen) {
            st = assert_pattern(a, &a->trials[i], err);
        }
    }
    return st == MPL_OK ? assert_nestings(a, err) : st;
}
