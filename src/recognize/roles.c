/*
 * Who plays which role. Formulas look at the topology per location: how many messages it
 * exchanges with how many others, and, once a role is bound, how many with its locations.
 */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <math.h>
#include <string.h>

/* Messages between a location and a process. */
struct traffic {
    uint32_t process;
    uint64_t n_sent;
    uint64_t n_received;
};

/* The locations that take part: those that call MPI. */
struct topology {
    struct mpl_recognition *r;
    struct mpl_arena *arena; /* scratch */
    uint32_t n;
    uint32_t *locations;    /* n, ascending */
    struct mpl_buf traffic; /* struct traffic, grouped by location */
    size_t *first;          /* n + 1: into traffic */
    double **values;        /* per variable: one number per location */
    struct mpl_list *lists; /* the same as lists, for all.<variable> */
    double *scalars;        /* per variable: of the location at hand */
};

/* ---- traffic ----------------------------------------------------------------------- */

/* Reused from location to location. */
struct counting {
    uint32_t
        *stamp; /* per process: number of the location plus 1 for which place is valid */
    uint32_t *place;            /* per process: in the traffic of the location at hand */
    struct mpl_buf of_envelope; /* uint64_t: messages by envelope */
};

static bool add_traffic(struct topology *t, struct counting *c, uint32_t i,
                        uint32_t process, bool is_send, uint64_t n)
{
    struct traffic *traffic;

    if (process == MPL_NONE) {
        return true;
    }
    if (c->stamp[process] != i + 1) {
        c->stamp[process] = i + 1;
        c->place[process] = (uint32_t) (t->traffic.n - t->first[i]);
        traffic = mpl_buf_add(&t->traffic);
        if (traffic == NULL) {
            return false;
        }
        traffic->process = process;
    }
    traffic = mpl_buf_get(&t->traffic, t->first[i] + c->place[process]);
    traffic->n_sent += is_send ? n : 0;
    traffic->n_received += is_send ? 0 : n;
    return true;
}

/* By envelopes, as they are few; where one is unsure of the peer, message by message. */
static bool count_location(struct topology *t, struct counting *c, uint32_t i)
{
    const uint32_t location = t->locations[i];
    const struct mpl_location *loc = &t->r->model->locations[location];

    if (!mpl_grow_to(&c->of_envelope, loc->n_envelopes)) {
        return false;
    }

    uint64_t *n = c->of_envelope.data;

    if (loc->n_envelopes > 0) {
        memset(n, 0, loc->n_envelopes * sizeof *n);
    }
    for (uint32_t m = 0; m < loc->n_messages; m++) {
        const uint32_t e = loc->messages[m].envelope;

        if (e == MPL_NONE) {
            continue;
        }
        n[e]++;
        if (loc->envelopes[e].comm_unsure && mpl_message_is_real(loc, m) &&
            !add_traffic(t, c, i, mpl_message_peer(t->r, location, m),
                         loc->envelopes[e].is_send, 1)) {
            return false;
        }
    }
    for (uint32_t e = 0; e < loc->n_envelopes; e++) {
        const struct mpl_envelope *envelope = &loc->envelopes[e];

        if (envelope->is_null || envelope->is_garbage || n[e] == 0) {
            continue;
        }
        t->r->n_messages[location] += n[e];
        if (!envelope->comm_unsure &&
            !add_traffic(t, c, i, envelope->peer, envelope->is_send, n[e])) {
            return false;
        }
    }
    return true;
}

static enum mpl_status count_traffic(struct topology *t, struct mpl_err *err)
{
    const struct mpl_model *model = t->r->model;
    struct counting counting = { MPL_NEW_ARRAY(t->arena, model->n_processes, uint32_t),
                                 MPL_NEW_ARRAY(t->arena, model->n_processes, uint32_t),
                                 mpl_buf_make(sizeof(uint64_t)) };
    bool is_good = true;

    t->first = MPL_NEW_ARRAY(t->arena, (size_t) t->n + 1, size_t);
    if (counting.stamp == NULL || counting.place == NULL || t->first == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < t->n && is_good; i++) {
        t->first[i] = t->traffic.n;
        is_good = count_location(t, &counting, i);
    }
    t->first[t->n] = t->traffic.n;
    mpl_buf_free(&counting.of_envelope);
    return is_good ? MPL_OK : mpl_nomem(err);
}

/* ---- variables ------------------------------------------------------------------------- */

static uint32_t variable_count(const struct topology *t)
{
    return MPL_VAR_FIXED + t->r->pattern->n_roles * MPL_VAR_PER_ROLE;
}

static uint32_t count_processes(const struct topology *t)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->n; i++) {
        const uint32_t process = t->r->model->locations[t->locations[i]].process;

        /* Locations are ordered by process. */
        n += i == 0 || t->r->model->locations[t->locations[i - 1]].process != process;
    }
    return n;
}

static void set_fixed(struct topology *t, uint32_t i, uint32_t size)
{
    const struct mpl_model *model = t->r->model;
    const uint32_t process = model->locations[t->locations[i]].process;
    const struct mpl_totals *totals = mpl_events_totals(t->r->events, t->locations[i]);
    uint32_t n_peers = 0;

    for (size_t k = t->first[i]; k < t->first[i + 1]; k++) {
        n_peers += ((const struct traffic *) t->traffic.data)[k].process != process;
    }
    t->values[MPL_VAR_RANK][i] = model->processes[process].rank;
    t->values[MPL_VAR_SIZE][i] = size;
    t->values[MPL_VAR_PEERS][i] = n_peers;
    t->values[MPL_VAR_MESSAGES][i] = (double) (totals->n_sends + totals->n_receives);
    t->values[MPL_VAR_SENDS][i] = (double) totals->n_sends;
    t->values[MPL_VAR_RECEIVES][i] = (double) totals->n_receives;
    t->values[MPL_VAR_SENT_BYTES][i] = (double) totals->sent_bytes;
    t->values[MPL_VAR_RECEIVED_BYTES][i] = (double) totals->received_bytes;
    t->values[MPL_VAR_COLLECTIVES][i] = (double) totals->n_collectives;
    t->values[MPL_VAR_CALLS][i] = (double) totals->n_calls;
    t->values[MPL_VAR_COMPUTE][i] = totals->class_s[MPL_SPAN_COMPUTE];
}

static void set_of_role(struct topology *t, uint32_t role)
{
    const struct mpl_recognition *r = t->r;
    double **values = t->values + MPL_VAR_FIXED + role * MPL_VAR_PER_ROLE;

    for (uint32_t i = 0; i < t->n; i++) {
        uint64_t n_sent = 0;
        uint64_t n_received = 0;

        for (size_t k = t->first[i]; k < t->first[i + 1]; k++) {
            const struct traffic *traffic = mpl_buf_get(&t->traffic, k);

            if ((r->roles_of_process[traffic->process] >> role & 1) != 0) {
                n_sent += traffic->n_sent;
                n_received += traffic->n_received;
            }
        }

        const double n = (double) (n_sent + n_received);
        const double n_all = t->values[MPL_VAR_MESSAGES][i];

        values[MPL_VAR_SENT_TO][i] = (double) n_sent;
        values[MPL_VAR_RECEIVED_FROM][i] = (double) n_received;
        values[MPL_VAR_TRAFFIC_WITH][i] = n;
        values[MPL_VAR_SHARE_WITH][i] = n_all == 0 ? NAN : n / n_all;
        values[MPL_VAR_IS][i] = r->roles_of_location[t->locations[i]] >> role & 1;
    }
}

static enum mpl_status make_values(struct topology *t, struct mpl_err *err)
{
    const uint32_t n = variable_count(t);
    const uint32_t size = count_processes(t);

    t->values = MPL_NEW_ARRAY(t->arena, n, double *);
    t->lists = MPL_NEW_ARRAY(t->arena, n, struct mpl_list);
    t->scalars = MPL_NEW_ARRAY(t->arena, n, double);
    if (t->values == NULL || t->lists == NULL || t->scalars == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t v = 0; v < n; v++) {
        t->values[v] = MPL_NEW_ARRAY(t->arena, t->n, double);
        if (t->values[v] == NULL) {
            return mpl_nomem(err);
        }
        t->lists[v] = (struct mpl_list){ t->values[v], t->n };
    }
    for (uint32_t i = 0; i < t->n; i++) {
        set_fixed(t, i, size);
    }
    return MPL_OK;
}

static enum mpl_status measure(struct topology *t, struct mpl_err *err)
{
    const struct mpl_model *model = t->r->model;
    enum mpl_status st;

    t->locations = MPL_NEW_ARRAY(t->arena, model->n_locations, uint32_t);
    if (t->locations == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        if (mpl_events_totals(t->r->events, l)->n_calls > 0) {
            t->locations[t->n++] = l;
        }
    }
    st = count_traffic(t, err);
    return st == MPL_OK ? make_values(t, err) : st;
}

/* ---- formulas ---------------------------------------------------------------------------- */

/* The formula's value for every location, into \p out. */
static enum mpl_status evaluate(struct topology *t, const struct mpl_formula *formula,
                                double *out, struct mpl_err *err)
{
    size_t n_slots;
    const uint32_t *slots = mpl_formula_scalars(formula, &n_slots);
    double *kept = MPL_NEW_ARRAY(t->arena, mpl_formula_kept_count(formula), double);

    if (kept == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < t->n; i++) {
        for (size_t k = 0; k < n_slots; k++) {
            t->scalars[slots[k]] = t->values[slots[k]][i];
        }
        out[i] = i == 0 ? mpl_formula_eval_first(formula, t->scalars, t->lists, kept)
                        : mpl_formula_eval_next(formula, t->scalars, t->lists, kept);
    }
    return MPL_OK;
}

static bool is_true(double value)
{
    return !isnan(value) && value != 0;
}

/* Larger wins; undefined loses; among equals the first stays. */
static bool is_better(double a, double b)
{
    return !isnan(a) && (isnan(b) || a > b);
}

/* ---- reasons ---------------------------------------------------------------------------------- */

/* "peers 1, size 8" */
static const char *describe(struct topology *t, const struct mpl_formula *formula,
                            uint32_t i)
{
    size_t n;
    const uint32_t *slots = mpl_formula_scalars(formula, &n);
    const char *text = "";

    for (size_t k = 0; k < n && text != NULL; k++) {
        const char *name = mpl_role_variable_name(t->r->pattern, slots[k], t->arena);

        text = name == NULL ? NULL
                            : mpl_arena_printf(t->arena, "%s%s%s %.4g", text,
                                               *text == '\0' ? "" : ", ", name,
                                               t->values[slots[k]][i]);
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
static const char *nearest(struct topology *t, const struct mpl_formula *where,
                           const bool *is_taken)
{
    const double *values = t->values[main_variable(where)];
    uint32_t best = MPL_NONE;

    for (uint32_t i = 0; i < t->n; i++) {
        if (!is_taken[t->locations[i]] &&
            (best == MPL_NONE || is_better(values[i], values[best]))) {
            best = i;
        }
    }

    const char *text = best == MPL_NONE ? "" : describe(t, where, best);

    return text == NULL || *text == '\0'
               ? text
               : mpl_arena_printf(t->arena, "location %s has %s",
                                  t->r->model->locations[t->locations[best]].label, text);
}

static enum mpl_status explain(struct topology *t, const struct mpl_role_definition *role,
                               uint32_t n, const bool *is_taken, const char **reason,
                               struct mpl_err *err)
{
    struct mpl_arena *arena = t->r->arena;
    const char *where = role->where == NULL ? "" : role->where_text;
    const char *near = role->where == NULL ? "" : nearest(t, role->where, is_taken);
    const char *who =
        n == 0 ? mpl_arena_printf(arena, "no location can be '%s'", role->name)
               : mpl_arena_printf(arena, "%u of at least %u locations can be '%s'", n,
                                  role->at_least, role->name);

    if (who == NULL || near == NULL) {
        return mpl_nomem(err);
    }
    if (t->n == 0) {
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

static enum mpl_status take_locations(struct topology *t, uint32_t number,
                                      const bool *is_taken, struct mpl_err *err)
{
    struct mpl_recognition *r = t->r;
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
    set_of_role(t, number);
    return MPL_OK;
}

/* Only the best-scoring candidate stays. */
static void keep_best(const struct topology *t, const double *scores, bool *is_taken)
{
    uint32_t best = MPL_NONE;

    for (uint32_t i = 0; i < t->n; i++) {
        if (is_taken[t->locations[i]] &&
            (best == MPL_NONE || (scores != NULL && is_better(scores[i], scores[best])))) {
            best = i;
        }
    }
    for (uint32_t i = 0; i < t->n; i++) {
        is_taken[t->locations[i]] = i == best;
    }
}

static enum mpl_status bind_by_formula(struct topology *t, uint32_t number,
                                       const char **reason, struct mpl_err *err)
{
    const struct mpl_role_definition *role = &t->r->pattern->roles[number];
    double *values = MPL_NEW_ARRAY(t->arena, t->n, double);
    double *scores = role->score == NULL ? NULL : MPL_NEW_ARRAY(t->arena, t->n, double);
    bool *is_taken = MPL_NEW_ARRAY(t->arena, t->r->model->n_locations, bool);
    enum mpl_status st = MPL_OK;
    uint32_t n = 0;

    if (values == NULL || is_taken == NULL || (role->score != NULL && scores == NULL)) {
        return mpl_nomem(err);
    }
    if (role->where != NULL) {
        st = evaluate(t, role->where, values, err);
    }
    if (st == MPL_OK && scores != NULL) {
        st = evaluate(t, role->score, scores, err);
    }
    for (uint32_t i = 0; i < t->n && st == MPL_OK; i++) {
        is_taken[t->locations[i]] = role->where == NULL || is_true(values[i]);
        n += is_taken[t->locations[i]];
    }
    if (st == MPL_OK && n < role->at_least) {
        return explain(t, role, n, is_taken, reason, err);
    }
    if (st == MPL_OK && role->is_one) {
        keep_best(t, scores, is_taken);
    }
    return st == MPL_OK ? take_locations(t, number, is_taken, err) : st;
}

static enum mpl_status bind_by_user(struct topology *t, uint32_t number,
                                    const struct mpl_role_binding *binding,
                                    struct mpl_err *err)
{
    const struct mpl_model *model = t->r->model;
    bool *is_taken = MPL_NEW_ARRAY(t->arena, model->n_locations, bool);

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
    if (binding->n == 0 || (t->r->pattern->roles[number].is_one && binding->n > 1)) {
        return mpl_fail(err, MPL_E_USAGE, "role '%s' is played by %s location",
                        binding->role, binding->n == 0 ? "at least one" : "exactly one");
    }
    return take_locations(t, number, is_taken, err);
}

static enum mpl_status bind_all(struct topology *t, const struct mpl_role_binding *bindings,
                                size_t n_bindings, const char **reason, struct mpl_err *err)
{
    const struct mpl_pattern *pattern = t->r->pattern;
    enum mpl_status st = measure(t, err);

    for (uint32_t number = 0; number < pattern->n_roles && st == MPL_OK; number++) {
        const struct mpl_role_binding *binding = NULL;

        for (size_t i = 0; i < n_bindings; i++) {
            if (strcmp(bindings[i].role, pattern->roles[number].name) == 0) {
                binding = &bindings[i];
            }
        }
        st = binding != NULL ? bind_by_user(t, number, binding, err)
                             : bind_by_formula(t, number, reason, err);
    }
    return st;
}

static enum mpl_status check_bindings(const struct mpl_pattern *pattern,
                                      const struct mpl_role_binding *bindings, size_t n,
                                      struct mpl_err *err)
{
    const char *names[MPL_ROLES_MAX];

    for (uint32_t i = 0; i < pattern->n_roles; i++) {
        names[i] = pattern->roles[i].name;
    }
    for (size_t i = 0; i < n; i++) {
        if (mpl_pattern_find_role(pattern, bindings[i].role) == MPL_NONE) {
            const char *near = mpl_suggest(bindings[i].role, names, pattern->n_roles);

            return mpl_fail(err, MPL_E_USAGE, "pattern '%s' has no role '%s'%s%s%s",
                            pattern->name, bindings[i].role,
                            near != NULL ? "; did you mean '" : "",
                            near != NULL ? near : "", near != NULL ? "'?" : "");
        }
    }
    return MPL_OK;
}

enum mpl_status mpl_roles_bind(struct mpl_recognition *r,
                               const struct mpl_role_binding *bindings, size_t n_bindings,
                               const char **reason, struct mpl_err *err)
{
    struct topology t = { .r = r, .traffic = mpl_buf_make(sizeof(struct traffic)) };
    enum mpl_status st = check_bindings(r->pattern, bindings, n_bindings, err);

    if (st != MPL_OK) {
        return st;
    }
    t.arena = mpl_arena_create();
    r->roles = MPL_NEW_ARRAY(r->arena, r->pattern->n_roles, struct mpl_role);
    r->roles_of_location = MPL_NEW_ARRAY(r->arena, r->model->n_locations, uint32_t);
    r->roles_of_process = MPL_NEW_ARRAY(r->arena, r->model->n_processes, uint32_t);
    r->n_messages = MPL_NEW_ARRAY(r->arena, r->model->n_locations, uint64_t);
    if (t.arena == NULL || r->n_messages == NULL || r->roles == NULL ||
        r->roles_of_location == NULL || r->roles_of_process == NULL) {
        st = mpl_nomem(err);
    } else {
        for (uint32_t i = 0; i < r->pattern->n_roles; i++) {
            r->roles[i].name = r->pattern->roles[i].name;
        }
        st = bind_all(&t, bindings, n_bindings, reason, err);
    }
    mpl_buf_free(&t.traffic);
    mpl_arena_destroy(t.arena);
    return st;
}
