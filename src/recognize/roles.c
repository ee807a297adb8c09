/*
 * Who plays which role. Formulas look at the topology per location: how many messages it
 * exchanges with how many others, and, once a role is bound, how many with its locations.
 */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <math.h>
#include <string.h>

/* What a binding works with: fixed variables of the topology, and those of roles bound so far. */
struct binding {
    struct mpl_recognition *r;
    struct mpl_arena *arena; /* scratch */
    struct mpl_topology *t;
    uint32_t n;                /* locations that take part */
    const uint32_t *locations; /* ascending */
    double **values;           /* per variable: one number per location */
    struct mpl_list *lists;    /* the same as lists, for all.<variable> */
    double *scalars;           /* per variable: of the location at hand */
};

/* ---- variables ------------------------------------------------------------------------- */

static void set_of_role(struct binding *b, uint32_t role)
{
    const struct mpl_recognition *r = b->r;
    double **values = b->values + MPL_VAR_FIXED + role * MPL_VAR_PER_ROLE;

    for (uint32_t i = 0; i < b->n; i++) {
        uint64_t n_sent = 0;
        uint64_t n_received = 0;

        for (size_t k = b->t->first[i]; k < b->t->first[i + 1]; k++) {
            const struct mpl_traffic *traffic = &b->t->traffic[k];

            if ((r->roles_of_process[traffic->process] >> role & 1) != 0) {
                n_sent += traffic->n_sent;
                n_received += traffic->n_received;
            }
        }

        const double n = (double) (n_sent + n_received);
        const double n_all = b->values[MPL_VAR_MESSAGES][i];

        values[MPL_VAR_SENT_TO][i] = (double) n_sent;
        values[MPL_VAR_RECEIVED_FROM][i] = (double) n_received;
        values[MPL_VAR_TRAFFIC_WITH][i] = n;
        values[MPL_VAR_SHARE_WITH][i] = n_all == 0 ? NAN : n / n_all;
        values[MPL_VAR_IS][i] = r->roles_of_location[b->locations[i]] >> role & 1;
    }
}

static bool reads(const struct mpl_formula *formula, uint32_t variable)
{
    uint32_t slot = MPL_NONE;

    for (size_t i = 0; slot != variable && mpl_formula_slot(formula, i, &slot);) {
        i++;
    }
    return slot == variable;
}

static enum mpl_status make_values(struct binding *b, struct mpl_err *err)
{
    const uint32_t n = MPL_VAR_FIXED + b->r->pattern->n_roles * MPL_VAR_PER_ROLE;

    b->n = b->t->n;
    b->locations = b->t->locations;
    b->values = MPL_NEW_ARRAY(b->arena, n, double *);
    b->lists = MPL_NEW_ARRAY(b->arena, n, struct mpl_list);
    b->scalars = MPL_NEW_ARRAY(b->arena, n, double);
    if (b->values == NULL || b->lists == NULL || b->scalars == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t v = 0; v < n; v++) {
        b->values[v] =
            v < MPL_VAR_FIXED ? b->t->values[v] : MPL_NEW_ARRAY(b->arena, b->n, double);
        if (b->values[v] == NULL) {
            return mpl_nomem(err);
        }
        b->lists[v] = (struct mpl_list){ b->values[v], b->n };
    }
    /* Eccentricities cost more than all the others together, so only who reads them pays. */
    const struct mpl_pattern *pattern = b->r->pattern;

    for (uint32_t i = 0; i < pattern->n_roles; i++) {
        if (reads(pattern->roles[i].where, MPL_VAR_ECCENTRICITY) ||
            reads(pattern->roles[i].score, MPL_VAR_ECCENTRICITY)) {
            return mpl_topology_want_eccentricity(b->t, err);
        }
    }
    return MPL_OK;
}

/* ---- formulas ---------------------------------------------------------------------------- */

/* The formula's value for every location, into \p out. */
static enum mpl_status evaluate(struct binding *b, const struct mpl_formula *formula,
                                double *out, struct mpl_err *err)
{
    size_t n_slots;
    const uint32_t *slots = mpl_formula_scalars(formula, &n_slots);
    double *kept = MPL_NEW_ARRAY(b->arena, mpl_formula_kept_count(formula), double);

    if (kept == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < b->n; i++) {
        for (size_t k = 0; k < n_slots; k++) {
            b->scalars[slots[k]] = b->values[slots[k]][i];
        }
        out[i] = i == 0 ? mpl_formula_eval_first(formula, b->scalars, b->lists, kept)
                        : mpl_formula_eval_next(formula, b->scalars, b->lists, kept);
    }
    return MPL_OK;
}

/* Larger wins; undefined loses; among equals the first stays. */
static bool is_better(double a, double b)
{
    return !isnan(a) && (isnan(b) || a > b);
}

/* ---- reasons ---------------------------------------------------------------------------------- */

/* "peers 1, size 8" */
static const char *describe(struct binding *b, const struct mpl_formula *formula,
                            uint32_t i)
{
    size_t n;
    const uint32_t *slots = mpl_formula_scalars(formula, &n);
    const char *text = "";

    for (size_t k = 0; k < n && text != NULL; k++) {
        const char *name = mpl_role_variable_name(b->r->pattern, slots[k], b->arena);

        text = name == NULL ? NULL
                            : mpl_arena_printf(b->arena, "%s%s%s %.4g", text,
                                               *text == '\0' ? "" : ", ", name,
                                               b->values[slots[k]][i]);
    }
    return text;
}

/* The variable that a formula compares first: not its bounds, which go by rank or size. */
static uint32_t main_variable(const struct mpl_formula *formula)
{
    size_t n;
    const uint32_t *slots = mpl_formula_scalars(formula, &n);

    for (size_t k = 0; k < n; k++) {
        if (slots[k] != MPL_VAR_RANK && slots[k] != MPL_VAR_SIZE) {
            return slots[k];
        }
    }
    return MPL_VAR_MESSAGES;
}

/*
 * What the variables of the nearest location are that was not taken, so that the user sees why
 * the pattern does not fit: "location 3 has peers 1, size 8".
 */
static const char *nearest(struct binding *b, const struct mpl_formula *where,
                           const bool *is_taken)
{
    const double *values = b->values[main_variable(where)];
    uint32_t best = MPL_NONE;

    for (uint32_t i = 0; i < b->n; i++) {
        if (!is_taken[b->locations[i]] &&
            (best == MPL_NONE || is_better(values[i], values[best]))) {
            best = i;
        }
    }

    const char *text = best == MPL_NONE ? "" : describe(b, where, best);

    return text == NULL || *text == '\0'
               ? text
               : mpl_arena_printf(b->arena, "location %s has %s",
                                  b->r->model->locations[b->locations[best]].label, text);
}

static enum mpl_status explain(struct binding *b, const struct mpl_role_definition *role,
                               uint32_t n, const bool *is_taken, const char **reason,
                               struct mpl_err *err)
{
    struct mpl_arena *arena = b->r->arena;
    const char *where = role->where == NULL ? "" : role->where_text;
    const char *near = role->where == NULL ? "" : nearest(b, role->where, is_taken);
    const char *who =
        n == 0 ? mpl_arena_printf(arena, "no location can be '%s'", role->name)
               : mpl_arena_printf(arena, "%u of at least %u locations can be '%s'", n,
                                  role->at_least, role->name);

    if (who == NULL || near == NULL) {
        return mpl_nomem(err);
    }
    if (b->n == 0) {
        *reason = mpl_arena_printf(arena, "%s: none calls MPI", who);
    } else if (role->where == NULL) {
        *reason = who;
    } else {
        *reason = mpl_arena_printf(arena, "%s (\"%s\")%s%s%s", who, where,
                                   *near == '\0' ? "" : ": ",
                                   n > 0 && *near != '\0' ? "of the others " : "", near);
    }
    return *reason == NULL ? mpl_nomem(err) : MPL_END;
}

/* ---- binding --------------------------------------------------------------------------------- */

static enum mpl_status take_locations(struct binding *b, uint32_t number,
                                      const bool *is_taken, struct mpl_err *err)
{
    struct mpl_recognition *r = b->r;
    struct mpl_role *role = &r->roles[number];
    const uint32_t bit = UINT32_C(1) << number;
    uint32_t *locations;

    for (uint32_t l = 0; l < r->model->n_locations; l++) {
        role->n += is_taken[l];
    }
    locations = MPL_NEW_ARRAY(r->arena, role->n, uint32_t);
    if (locations == NULL) {
        return mpl_nomem(err);
    }
    role->locations = locations;
    for (uint32_t l = 0; l < r->model->n_locations; l++) {
        if (is_taken[l]) {
            *locations++ = l;
            r->roles_of_location[l] |= bit;
            r->roles_of_process[r->model->locations[l].process] |= bit;
        }
    }
    set_of_role(b, number);
    return MPL_OK;
}

/* Only the best-scoring candidate stays. */
static void keep_best(const struct binding *b, const double *scores, bool *is_taken)
{
    uint32_t best = MPL_NONE;

    for (uint32_t i = 0; i < b->n; i++) {
        if (is_taken[b->locations[i]] &&
            (best == MPL_NONE || (scores != NULL && is_better(scores[i], scores[best])))) {
            best = i;
        }
    }
    for (uint32_t i = 0; i < b->n; i++) {
        is_taken[b->locations[i]] = i == best;
    }
}

static enum mpl_status bind_by_formula(struct binding *b, uint32_t number,
                                       const char **reason, struct mpl_err *err)
{
    const struct mpl_role_definition *role = &b->r->pattern->roles[number];
    double *values = MPL_NEW_ARRAY(b->arena, b->n, double);
    double *scores = role->score == NULL ? NULL : MPL_NEW_ARRAY(b->arena, b->n, double);
    bool *is_taken = MPL_NEW_ARRAY(b->arena, b->r->model->n_locations, bool);
    enum mpl_status st = MPL_OK;
    uint32_t n = 0;

    if (values == NULL || is_taken == NULL || (role->score != NULL && scores == NULL)) {
        return mpl_nomem(err);
    }
    if (role->where != NULL) {
        st = evaluate(b, role->where, values, err);
    }
    if (st == MPL_OK && scores != NULL) {
        st = evaluate(b, role->score, scores, err);
    }
    for (uint32_t i = 0; i < b->n && st == MPL_OK; i++) {
        is_taken[b->locations[i]] =
            role->where == NULL || (!isnan(values[i]) && values[i] != 0);
        n += is_taken[b->locations[i]];
    }
    if (st == MPL_OK && n < role->at_least) {
        return explain(b, role, n, is_taken, reason, err);
    }
    if (st == MPL_OK && role->is_one) {
        keep_best(b, scores, is_taken);
    }
    return st == MPL_OK ? take_locations(b, number, is_taken, err) : st;
}

static enum mpl_status bind_by_user(struct binding *b, uint32_t number,
                                    const struct mpl_role_binding *binding,
                                    struct mpl_err *err)
{
    const struct mpl_model *model = b->r->model;
    bool *is_taken = MPL_NEW_ARRAY(b->arena, model->n_locations, bool);

    if (is_taken == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < binding->n; i++) {
        const uint32_t location = mpl_model_find_location(model, binding->labels[i]);

        if (location == MPL_NONE) {
            return mpl_fail(err, MPL_E_USAGE, "there is no location '%s' to be '%s'",
                            binding->labels[i], binding->role);
        }
        is_taken[location] = true;
    }
    if (binding->n == 0 || (b->r->pattern->roles[number].is_one && binding->n > 1)) {
        return mpl_fail(err, MPL_E_USAGE, "role '%s' is played by %s location",
                        binding->role, binding->n == 0 ? "at least one" : "exactly one");
    }
    return take_locations(b, number, is_taken, err);
}

static enum mpl_status bind_all(struct binding *b, const struct mpl_role_binding *bindings,
                                size_t n_bindings, const char **reason, struct mpl_err *err)
{
    const struct mpl_pattern *pattern = b->r->pattern;
    enum mpl_status st = make_values(b, err);

    for (uint32_t number = 0; number < pattern->n_roles && st == MPL_OK; number++) {
        const struct mpl_role_binding *binding = NULL;

        for (size_t i = 0; i < n_bindings; i++) {
            if (strcmp(bindings[i].role, pattern->roles[number].name) == 0) {
                binding = &bindings[i];
            }
        }
        st = binding != NULL ? bind_by_user(b, number, binding, err)
                             : bind_by_formula(b, number, reason, err);
    }
    return st;
}

static enum mpl_status check_bindings(const struct mpl_pattern *pattern,
                                      const struct mpl_role_binding *bindings, size_t n,
                                      struct mpl_arena *arena, struct mpl_err *err)
{
    const char *names[MPL_ROLES_MAX];

    for (uint32_t i = 0; i < pattern->n_roles; i++) {
        names[i] = pattern->roles[i].name;
    }
    for (size_t i = 0; i < n; i++) {
        if (mpl_pattern_find_role(pattern, bindings[i].role) == MPL_NONE) {
            const char *hint =
                mpl_suggest_hint(arena, bindings[i].role, names, pattern->n_roles);

            return mpl_fail(err, MPL_E_USAGE, "pattern '%s' has no role '%s'%s",
                            pattern->name, bindings[i].role, hint != NULL ? hint : "");
        }
    }
    return MPL_OK;
}

enum mpl_status mpl_roles_bind(struct mpl_recognition *r, struct mpl_topology *topology,
                               const struct mpl_role_binding *bindings, size_t n_bindings,
                               const char **reason, struct mpl_err *err)
{
    struct binding b = { .r = r, .arena = mpl_arena_create(), .t = topology };
    enum mpl_status st = check_bindings(r->pattern, bindings, n_bindings, r->arena, err);

    if (st != MPL_OK) {
        goto out;
    }
    r->roles = MPL_NEW_ARRAY(r->arena, r->pattern->n_roles, struct mpl_role);
    r->roles_of_location = MPL_NEW_ARRAY(r->arena, r->model->n_locations, uint32_t);
    r->roles_of_process = MPL_NEW_ARRAY(r->arena, r->model->n_processes, uint32_t);
    r->n_ends = MPL_NEW_ARRAY(r->arena, r->model->n_locations, uint64_t);
    if (b.arena == NULL || r->n_ends == NULL || r->roles == NULL ||
        r->roles_of_location == NULL || r->roles_of_process == NULL) {
        st = mpl_nomem(err);
        goto out;
    }
    for (uint32_t i = 0; i < r->pattern->n_roles; i++) {
        r->roles[i].name = r->pattern->roles[i].name;
    }
    for (uint32_t l = 0; l < r->model->n_locations; l++) {
        r->n_ends[l] = topology->n_ends[l];
    }
    st = bind_all(&b, bindings, n_bindings, reason, err);
out:
    mpl_arena_destroy(b.arena);
    return st;
}

/* ---- of a recognition ------------------------------------------------------------------------ */

enum mpl_status mpl_requests_copy(const struct mpl_peer_graph *graph,
                                  struct mpl_recognition *r, struct mpl_err *err)
{
    struct mpl_topology_arc *requests;
    uint32_t n = 0;

    for (uint32_t i = 0; i < graph->n_arcs; i++) {
        n += graph->is_request[i];
    }
    requests = MPL_NEW_ARRAY(r->arena, n, struct mpl_topology_arc);
    if (requests == NULL) {
        return mpl_nomem(err);
    }
    r->requests = requests;
    for (uint32_t i = 0; i < graph->n_arcs; i++) {
        if (graph->is_request[i]) {
            requests[r->n_requests++] = graph->arcs[i];
        }
    }
    return MPL_OK;
}

bool mpl_requests_has(const struct mpl_recognition *r, uint32_t own, uint32_t peer,
                      bool is_send)
{
    return mpl_arc_find(r->requests, r->n_requests, is_send ? own : peer,
                        is_send ? peer : own) != MPL_NONE;
}
