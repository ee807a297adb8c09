/* From what is written to factors: who is meant, and how much that is of what they spend. */
#include "config.h"

#include "replay/replay_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------- */

static enum mpl_status fail_at(const struct question *q, size_t i, const char *what,
                               const char *word, const char *nearest, struct mpl_err *err)
{
    const unsigned column = q->what->changes[i].place.column;

    if (nearest != NULL) {
        return mpl_fail(err, MPL_E_USAGE, "'%s', column %u: no %s '%s'; did you mean '%s'?",
                        q->what->text, column, what, word, nearest);
    }
    return mpl_fail(err, MPL_E_USAGE, "'%s', column %u: no %s '%s'", q->what->text, column,
                    what, word);
}

static enum mpl_status no_such_who(const struct question *q, size_t i, const char *who,
                                   struct mpl_err *err)
{
    const struct mpl_model *model = mpl_events_model(q->events);
    const char **words =
        MPL_NEW_ARRAY(q->arena, q->n_roles + model->n_locations + 1, const char *);
    size_t n = 0;

    if (words == NULL) {
        return mpl_nomem(err);
    }
    words[n++] = "all";
    for (size_t k = 0; k < q->n_roles; k++) {
        words[n++] = q->roles[k].name;
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        words[n++] = model->locations[l].label;
    }
    return fail_at(q, i, "location or role", who, mpl_suggest(who, words, n), err);
}

static enum mpl_status resolve_who(struct question *q, size_t i, const char *who,
                                   struct mpl_err *err)
{
    const struct mpl_model *model = mpl_events_model(q->events);
    const uint32_t location = mpl_model_find_location(model, who);

    if (strcmp(who, "all") == 0) {
        memset(q->is_named[i], true, model->n_locations * sizeof(bool));
        return MPL_OK;
    }
    if (location != MPL_NONE) {
        q->is_named[i][location] = true;
        return MPL_OK;
    }
    for (size_t k = 0; k < q->n_roles; k++) {
        if (strcmp(q->roles[k].name, who) == 0) {
            for (uint32_t l = 0; l < q->roles[k].n; l++) {
                q->is_named[i][q->roles[k].locations[l]] = true;
            }
            return MPL_OK;
        }
    }
    return no_such_who(q, i, who, err);
}

static enum mpl_status resolve_region(struct question *q, size_t i,
                                      struct region_scale *region, struct mpl_err *err)
{
    const struct mpl_model *model = mpl_events_model(q->events);
    const char *name = q->what->changes[i].region;
    bool *is_region = MPL_NEW_ARRAY(q->arena, model->n_regions, bool);
    const char **words = MPL_NEW_ARRAY(q->arena, model->n_regions, const char *);
    bool is_found = false;

    if (is_region == NULL || words == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t k = 0; k < model->n_regions; k++) {
        words[k] = model->regions[k].name;
        is_region[k] = strcmp(words[k], name) == 0;
        is_found = is_found || is_region[k];
    }
    *region = (struct region_scale){ .is_region = is_region };
    return is_found ? MPL_OK
                    : fail_at(q, i, "region", name,
                              mpl_suggest(name, words, model->n_regions), err);
}

/* The first role of the list counts. False if out of memory. */
static bool find_roles(struct question *q)
{
    const uint32_t n_locations = mpl_events_model(q->events)->n_locations;

    q->role_of = MPL_NEW_ARRAY(q->arena, n_locations, size_t);
    if (q->role_of == NULL) {
        return false;
    }
    for (uint32_t l = 0; l < n_locations; l++) {
        q->role_of[l] = q->n_roles;
    }
    for (size_t k = q->n_roles; k-- > 0;) {
        for (uint32_t i = 0; i < q->roles[k].n; i++) {
            q->role_of[q->roles[k].locations[i]] = k;
        }
    }
    return true;
}

enum mpl_status mpl_question_resolve(struct question *q, struct mpl_err *err)
{
    const uint32_t n_locations = mpl_events_model(q->events)->n_locations;
    struct region_scale *regions = MPL_NEW_ARRAY(q->arena, q->what->n, struct region_scale);
    enum mpl_status st = MPL_OK;

    q->is_named = MPL_NEW_ARRAY(q->arena, q->what->n, bool *);
    q->region_of = MPL_NEW_ARRAY(q->arena, q->what->n, uint32_t);
    if (regions == NULL || q->is_named == NULL || q->region_of == NULL || !find_roles(q)) {
        return mpl_nomem(err);
    }
    q->scale = (struct scale){ .regions = regions };
    for (size_t i = 0; i < q->what->n && st == MPL_OK; i++) {
        const struct mpl_change *change = &q->what->changes[i];

        q->region_of[i] = MPL_NONE;
        q->is_named[i] = MPL_NEW_ARRAY(q->arena, n_locations, bool);
        if (q->is_named[i] == NULL) {
            return mpl_nomem(err);
        }
        for (size_t k = 0; k < change->n_who && st == MPL_OK; k++) {
            st = resolve_who(q, i, change->who[k], err);
        }
        if (change->n_who == 0) {
            memset(q->is_named[i], true, n_locations * sizeof(bool));
        }
        if (change->kind == MPL_CHANGE_REGION && st == MPL_OK) {
            q->region_of[i] = (uint32_t) q->scale.n_regions;
            st = resolve_region(q, i, &regions[q->scale.n_regions++], err);
        }
        if (st == MPL_OK && mpl_change_is_by_section(change) && q->scale.sections == NULL) {
            st = mpl_replay_sections(q->replay, &q->scale.sections, err);
        }
    }
    return st;
}

/* ---- factors ------------------------------------------------------------------------------- */

static double spent_on(const struct question *q, size_t i, const struct spent *spent)
{
    switch (q->what->changes[i].kind) {
    case MPL_CHANGE_COMPUTE:
        return spent->compute_s;
    case MPL_CHANGE_TRANSFER:
        return spent->transfer_s;
    case MPL_CHANGE_REGION:
        return spent->regions_s[q->region_of[i]];
    }
    return 0;
}

/*
 * What compares a location with another one. Who takes tasks takes as many as it has time for, so that
 * all spend the same, however slow they are: there it is the mean of a task. NaN for somebody who does
 * not take them.
 */
static double compared(const struct question *q, size_t i, const struct spent *spent,
                       uint32_t as, uint32_t location)
{
    const struct farms *farms = q->farms;

    if (q->what->changes[i].kind != MPL_CHANGE_COMPUTE || farms == NULL ||
        farms->of_worker[as] == MPL_NONE || !(farms->task_s[as] > 0)) {
        return spent_on(q, i, &spent[location]);
    }
    return farms->of_worker[location] == farms->of_worker[as] && farms->task_s[location] > 0
               ? farms->task_s[location]
               : NAN;
}

/* The median of what the others of its role spend, or where there are none, of all others. */
static double of_others(const struct question *q, size_t i, uint32_t location,
                        const struct spent *spent, double *values)
{
    const struct mpl_model *model = mpl_events_model(q->events);
    const size_t k_role = q->role_of[location];
    const struct mpl_replay_role *role = k_role < q->n_roles ? &q->roles[k_role] : NULL;
    uint32_t n = 0;

    for (uint32_t k = 0; role != NULL && k < role->n; k++) {
        const double value = compared(q, i, spent, location, role->locations[k]);

        if (!q->is_named[i][role->locations[k]] && !isnan(value)) {
            values[n++] = value;
        }
    }
    const bool is_alone = n == 0;

    for (uint32_t l = 0; is_alone && l < model->n_locations; l++) {
        const double value = compared(q, i, spent, location, l);

        if (!q->is_named[i][l] && model->locations[l].n_events > 0 &&
            model->locations[l].thread == 0 && !isnan(value)) {
            values[n++] = value;
        }
    }
    return mpl_median(values, n);
}

/* NaN where there are no others. */
static double factor_of(const struct question *q, size_t i, uint32_t location,
                        const struct spent *spent, double *values)
{
    const struct mpl_change *change = &q->what->changes[i];
    double own = spent_on(q, i, &spent[location]);

    if (change->less_s > 0) {
        return own > change->less_s ? 1 - change->less_s / own : 0;
    }
    if (isnan(change->factor)) {
        const double others = of_others(q, i, location, spent, values);

        own = compared(q, i, spent, location, location);
        return isnan(others) || own > 0 ? others / own : 1;
    }
    return change->factor;
}

/* Of locations as a whole. */
static enum mpl_status settle_change(struct question *q, size_t i,
                                     const struct spent *spent, double *factors,
                                     double *values, struct targets *targets,
                                     struct mpl_err *err)
{
    const bool is_compute = q->what->changes[i].kind == MPL_CHANGE_COMPUTE;

    for (uint32_t l = 0; l < mpl_events_model(q->events)->n_locations; l++) {
        if (!q->is_named[i][l] || (is_compute && targets->of[l] != NULL)) {
            continue;
        }
        factors[l] *= factor_of(q, i, l, spent, values);
        if (isnan(factors[l])) {
            return mpl_question_fail_others(q, i, err);
        }
    }
    return is_compute ? mpl_targets_change(q, i, targets, err) : MPL_OK;
}

enum mpl_status mpl_question_settle(struct question *q, const struct spent *spent,
                                    struct mpl_err *err)
{
    const uint32_t n = mpl_events_model(q->events)->n_locations;
    struct region_scale *regions =
        MPL_NEW_ARRAY(q->arena, q->scale.n_regions, struct region_scale);
    double *factors[2] = { MPL_NEW_ARRAY(q->arena, n, double),
                           MPL_NEW_ARRAY(q->arena, n, double) };
    double *values = MPL_NEW_ARRAY(q->arena, n, double);
    struct targets targets = { 0 };
    enum mpl_status st;

    if (regions == NULL || factors[0] == NULL || factors[1] == NULL || values == NULL) {
        return mpl_nomem(err);
    }
    st = mpl_targets_make(q, spent, &targets, err);
    for (uint32_t l = 0; l < n; l++) {
        factors[0][l] = factors[1][l] = 1;
    }
    for (size_t i = 0; i < q->what->n && st == MPL_OK; i++) {
        double *of = factors[q->what->changes[i].kind == MPL_CHANGE_TRANSFER];

        if (q->region_of[i] != MPL_NONE) {
            of = MPL_NEW_ARRAY(q->arena, n, double);
            if (of == NULL) {
                return mpl_nomem(err);
            }
            for (uint32_t l = 0; l < n; l++) {
                of[l] = 1;
            }
            regions[q->region_of[i]] =
                (struct region_scale){ q->scale.regions[q->region_of[i]].is_region, of };
        }
        st = settle_change(q, i, spent, of, values, &targets, err);
    }
    q->scale.compute = factors[0];
    q->scale.transfer = factors[1];
    q->scale.regions = regions;
    if (st == MPL_OK) {
        mpl_targets_settle(q, spent, &targets);
    }
    return st;
}
