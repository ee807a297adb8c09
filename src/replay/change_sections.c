/*
 * Changes of computation section by section. What somebody computes longer than others may lie in one
 * section (reading input alone) or in all (a slow core), and only there it can be taken out: thinning all
 * of its computation instead would make it early in most sections and leave it late in the one that matters.
 */
#include "config.h"

#include "replay/replay_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool mpl_change_is_by_section(const struct mpl_change *change)
{
    return change->kind == MPL_CHANGE_COMPUTE &&
           (isnan(change->factor) || change->less_s > 0);
}

/* ---- who takes part ------------------------------------------------------------------------- */

/* Tasks of a farm are compared with one another, not by when they are taken. */
static bool has_sections(const struct question *q, uint32_t location)
{
    const struct mpl_location *loc = &mpl_events_model(q->events)->locations[location];
    const struct mpl_sections *sections = q->scale.sections;

    const bool is_in_farm =
        q->farms != NULL && (q->farms->of_worker[location] != MPL_NONE ||
                             q->farms->of_master[location] != MPL_NONE);

    return loc->n_events > 0 && !is_in_farm &&
           (sections->n == 1 ? loc->thread == 0 : sections->calls[location] != NULL);
}

enum mpl_status mpl_targets_make(const struct question *q, const struct spent *spent,
                                 struct targets *out, struct mpl_err *err)
{
    const uint32_t n_locations = mpl_events_model(q->events)->n_locations;

    out->of = MPL_NEW_ARRAY(q->arena, n_locations, double *);
    if (out->of == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < n_locations && q->scale.sections != NULL; l++) {
        if (!has_sections(q, l)) {
            continue;
        }
        out->of[l] = MPL_NEW_ARRAY(q->arena, q->scale.sections->n, double);
        if (out->of[l] == NULL) {
            return mpl_nomem(err);
        }
        memcpy(out->of[l], spent[l].sections_s, q->scale.sections->n * sizeof(double));
    }
    return MPL_OK;
}

/* ---- those who are compared with one another ---------------------------------------------------- */

/* The locations of a role, or all, as far as they have targets: named ones and others. */
struct team {
    uint32_t *named;
    uint32_t *others;
    uint32_t n_named;
    uint32_t n_others;
    double *values; /* scratch for as many as there are locations */
};

static void join(const struct question *q, size_t i, const struct targets *targets,
                 uint32_t location, bool is_named, struct team *team)
{
    if (targets->of[location] == NULL || q->is_named[i][location] != is_named) {
        return;
    }
    if (is_named) {
        team->named[team->n_named++] = location;
    } else {
        team->others[team->n_others++] = location;
    }
}

/* Without others of the role all others count; \p role n_roles: those who play none. */
static void gather(const struct question *q, size_t i, const struct targets *targets,
                   size_t role, struct team *team)
{
    const uint32_t n_in_role = role < q->n_roles ? q->roles[role].n : 0;
    const uint32_t n_locations = mpl_events_model(q->events)->n_locations;

    team->n_named = 0;
    team->n_others = 0;
    for (uint32_t l = 0; l < n_locations; l++) {
        if (q->is_named[i][l] && q->role_of[l] == role) {
            join(q, i, targets, l, true, team);
        }
    }
    for (uint32_t k = 0; k < n_in_role; k++) {
        join(q, i, targets, q->roles[role].locations[k], false, team);
    }
    if (team->n_named == 0 || team->n_others > 0) {
        return;
    }
    for (uint32_t l = 0; l < n_locations; l++) {
        join(q, i, targets, l, false, team);
    }
}

/* Locations that are named together share among themselves and with all others of their roles; one that is alone
 * in its role shares with all. False if out of memory. */
static bool gather_all(const struct question *q, size_t i, const struct targets *targets,
                       struct team *team)
{
    const uint32_t n_locations = mpl_events_model(q->events)->n_locations;
    bool *is_named = MPL_NEW_ARRAY(q->arena, q->n_roles + 1, bool); /* per role */

    if (is_named == NULL) {
        return false;
    }
    for (uint32_t l = 0; l < n_locations; l++) {
        is_named[q->role_of[l]] = is_named[q->role_of[l]] || q->is_named[i][l];
    }
    team->n_named = 0;
    team->n_others = 0;
    for (uint32_t l = 0; l < n_locations; l++) {
        join(q, i, targets, l, true, team);
        if (is_named[q->role_of[l]]) {
            join(q, i, targets, l, false, team);
        }
    }
    if (team->n_named != 1 || team->n_others > 0) {
        return true;
    }
    for (uint32_t l = 0; l < n_locations; l++) {
        join(q, i, targets, l, false, team);
    }
    return true;
}

/* ---- what becomes of them ----------------------------------------------------------------------- */

static uint32_t member(const struct team *team, uint32_t i)
{
    return i < team->n_named ? team->named[i] : team->others[i - team->n_named];
}

static double or_0(double x)
{
    return isnan(x) ? 0 : x;
}

/*
 * Who takes which share of what is taken off: whoever has least in all first, until all have as much, as
 * somebody would who cuts the work anew by what it took. Not section by section: nobody cuts anew each
 * time, so what differs by chance from one to the next stays.
 */
static void pour(const struct team *team, double *sums_s, double *sorted_s, double all_s,
                 double *shares)
{
    const uint32_t n = team->n_named + team->n_others;
    double level_s = 0;
    double below_s = 0;

    memcpy(sorted_s, sums_s, n * sizeof *sorted_s);
    (void) mpl_median(sorted_s, n);
    for (uint32_t k = 0; k < n && (k == 0 || level_s > sorted_s[k]); k++) {
        below_s += sorted_s[k];
        level_s = (below_s + all_s) / (k + 1);
    }
    for (uint32_t k = 0; k < n; k++) {
        shares[k] = all_s > 0 ? fmax(0, level_s - sums_s[k]) / all_s : 1.0 / n;
    }
}

/* What those named compute beyond the others. */
static double excess_in(const struct team *team, const struct targets *targets,
                        const double *medians_s, uint32_t section)
{
    double sum_s = 0;

    for (uint32_t k = 0; k < team->n_named; k++) {
        sum_s += targets->of[team->named[k]][section] - or_0(medians_s[section]);
    }
    return sum_s;
}

/* Sections count by the excess in them: who has less in another phase of the run has no time here. */
static bool find_shares(const struct question *q, const struct team *team,
                        const struct targets *targets, const double *medians_s,
                        double *shares)
{
    const uint32_t n = team->n_named + team->n_others;
    double *sums_s = MPL_NEW_ARRAY(q->arena, 2 * (size_t) n, double);
    double most_s = 0;
    double all_s = 0;

    if (sums_s == NULL) {
        return false;
    }
    for (uint32_t s = 0; s < q->scale.sections->n; s++) {
        most_s = fmax(most_s, excess_in(team, targets, medians_s, s));
    }
    for (uint32_t s = 0; s < q->scale.sections->n && most_s > 0; s++) {
        const double excess_s = excess_in(team, targets, medians_s, s);
        const double weight = fmax(0, excess_s) / most_s;

        all_s += weight * excess_s;
        for (uint32_t k = 0; k < n; k++) {
            sums_s[k] += weight * (k < team->n_named ? or_0(medians_s[s])
                                                     : targets->of[member(team, k)][s]);
        }
    }
    pour(team, sums_s, sums_s + n, all_s, shares);
    return true;
}

/* Those named get what the others have, and all of them share what that leaves. */
static bool even_out(const struct question *q, const struct team *team,
                     struct targets *targets, const double *medians_s)
{
    const uint32_t n = team->n_named + team->n_others;
    double *shares = MPL_NEW_ARRAY(q->arena, n, double);

    if (shares == NULL || !find_shares(q, team, targets, medians_s, shares)) {
        return false;
    }
    for (uint32_t s = 0; s < q->scale.sections->n; s++) {
        const double excess_s = excess_in(team, targets, medians_s, s);

        for (uint32_t k = 0; k < team->n_named; k++) {
            targets->of[team->named[k]][s] = or_0(medians_s[s]);
        }
        for (uint32_t k = 0; k < n; k++) {
            double *own_s = &targets->of[member(team, k)][s];

            *own_s = fmax(0, *own_s + shares[k] * excess_s);
        }
    }
    return true;
}

static enum mpl_status compare_team(const struct question *q, size_t i,
                                    const struct team *team, struct targets *targets,
                                    const double *medians_s, struct mpl_err *err)
{
    if (q->what->changes[i].is_even) {
        return even_out(q, team, targets, medians_s) ? MPL_OK : mpl_nomem(err);
    }
    if (team->n_others == 0) {
        return mpl_question_fail_others(q, i, err);
    }
    for (uint32_t k = 0; k < team->n_named; k++) {
        memcpy(targets->of[team->named[k]], medians_s,
               q->scale.sections->n * sizeof *medians_s);
    }
    return MPL_OK;
}

/* Takes seconds off one location: of what it has more than others as far as that goes, the rest of all. */
static void take_off(const struct question *q, double less_s, const double *medians_s,
                     double *own_s)
{
    const uint32_t n = q->scale.sections->n;
    double more_s = 0;
    double all_s = 0;

    for (uint32_t s = 0; s < n; s++) {
        more_s += fmax(0, own_s[s] - or_0(medians_s[s]));
    }
    const double share = more_s > 0 ? fmin(1, less_s / more_s) : 0;

    for (uint32_t s = 0; s < n; s++) {
        own_s[s] -= share * fmax(0, own_s[s] - or_0(medians_s[s]));
        all_s += own_s[s];
    }
    const double rest_s = less_s - share * more_s;
    const double factor = rest_s > 0 && all_s > 0 ? fmax(0, 1 - rest_s / all_s) : 1;

    for (uint32_t s = 0; s < n; s++) {
        own_s[s] *= factor;
    }
}

static enum mpl_status change_team(const struct question *q, size_t i,
                                   const struct team *team, struct targets *targets,
                                   struct mpl_err *err)
{
    const struct mpl_change *change = &q->what->changes[i];
    /* Of the others, per section; NaN where there are none. */
    double *medians_s = MPL_NEW_ARRAY(q->arena, q->scale.sections->n, double);

    if (medians_s == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t s = 0; s < q->scale.sections->n; s++) {
        for (uint32_t k = 0; k < team->n_others; k++) {
            team->values[k] = targets->of[team->others[k]][s];
        }
        medians_s[s] = mpl_median(team->values, team->n_others);
    }
    if (!(change->less_s > 0)) {
        return compare_team(q, i, team, targets, medians_s, err);
    }
    for (uint32_t k = 0; k < team->n_named; k++) {
        take_off(q, change->less_s, medians_s, targets->of[team->named[k]]);
    }
    return MPL_OK;
}

enum mpl_status mpl_targets_change(const struct question *q, size_t i,
                                   struct targets *targets, struct mpl_err *err)
{
    const uint32_t n_locations = mpl_events_model(q->events)->n_locations;
    const struct mpl_change *change = &q->what->changes[i];
    struct team team = { .named = MPL_NEW_ARRAY(q->arena, n_locations, uint32_t),
                         .others = MPL_NEW_ARRAY(q->arena, n_locations, uint32_t),
                         .values = MPL_NEW_ARRAY(q->arena, n_locations, double) };
    enum mpl_status st = MPL_OK;

    if (team.named == NULL || team.others == NULL || team.values == NULL) {
        return mpl_nomem(err);
    }
    if (q->scale.sections == NULL) {
        return MPL_OK;
    }
    if (!mpl_change_is_by_section(change)) {
        for (uint32_t l = 0; l < mpl_events_model(q->events)->n_locations; l++) {
            for (uint32_t s = 0;
                 q->is_named[i][l] && targets->of[l] != NULL && s < q->scale.sections->n;
                 s++) {
                targets->of[l][s] *= q->what->changes[i].factor;
            }
        }
        return MPL_OK;
    }
    if (change->is_even) {
        if (!gather_all(q, i, targets, &team)) {
            return mpl_nomem(err);
        }
        return team.n_named > 0 ? change_team(q, i, &team, targets, err) : MPL_OK;
    }
    for (size_t k = 0; k <= q->n_roles && st == MPL_OK; k++) {
        gather(q, i, targets, k, &team);
        st = team.n_named > 0 ? change_team(q, i, &team, targets, err) : MPL_OK;
    }
    return st;
}

/* ---- for the engine ------------------------------------------------------------------------------ */

/* Seconds that are to be computed become what the recorded ones are multiplied by; see struct scale. */
static void take_factors(const double *recorded_s, double *targets, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        if (recorded_s[k] > 0) {
            targets[k] = fmax(0, targets[k]) / recorded_s[k];
        } else {
            targets[k] = targets[k] > 0 ? -targets[k] : 1;
        }
    }
}

void mpl_targets_settle(struct question *q, const struct spent *spent,
                        const struct targets *targets)
{
    const uint32_t n_locations = mpl_events_model(q->events)->n_locations;
    bool is_any = false;

    for (uint32_t l = 0; l < n_locations; l++) {
        if (targets->of[l] != NULL) {
            take_factors(spent[l].sections_s, targets->of[l], q->scale.sections->n);
            is_any = true;
        }
    }
    if (is_any) {
        q->scale.in_sections = (const double *const *) targets->of;
    } else {
        q->scale.sections = NULL;
    }
}

enum mpl_status mpl_question_fail_others(const struct question *q, size_t i,
                                         struct mpl_err *err)
{
    return mpl_fail(err, MPL_E_USAGE,
                    "'%s', column %u: there are no others whose time this could be",
                    q->what->text, q->what->changes[i].place.column);
}
