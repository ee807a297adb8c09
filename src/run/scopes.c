/*
 * Parts of a run in which patterns are looked for when none fits the whole: communicators, what
 * remains without them, groups of processes that nothing connects, and phases. The
 * inner pattern is the work of the outer one (Li & Malony, section 6): in what remains, the calls
 * of communicators whose pattern is known are computation.
 */
#include "config.h"

#include "run/run_priv.h"
#include "run/scopes.h"

#include <stdlib.h>
#include <string.h>

/* ---- whom a message belongs to ------------------------------------------------------------- */

/* An end that is unsure of its communicator asks the other one; MPL_NONE: nobody knows. */
static uint32_t comm_of(const struct mpl_events *events, uint32_t location,
                        uint32_t message)
{
    const struct mpl_model *model = mpl_events_model(events);
    const struct mpl_location *loc = &model->locations[location];
    const struct mpl_envelope *envelope;

    if (mpl_message_get(loc, message).envelope == MPL_NONE) {
        return MPL_NONE;
    }
    envelope = &loc->envelopes[mpl_message_get(loc, message).envelope];
    if (envelope->is_null || envelope->is_garbage) {
        return MPL_NONE;
    }
    if (envelope->comm_unsure) {
        const struct mpl_end end =
            mpl_match_partner(mpl_events_match(events), location, message);

        if (end.message == MPL_NONE) {
            return MPL_NONE;
        }
        loc = &model->locations[end.location];
        envelope = &loc->envelopes[mpl_message_get(loc, end.message).envelope];
    }
    return envelope->comm;
}

/* More than one process and fewer than all, who say something there. */
static bool is_candidate(const struct mpl_model *model, uint32_t comm)
{
    const struct mpl_comm *c = &model->comms[comm];

    return comm != model->world && !c->is_self && c->n_remote == 0 && c->n_members >= 2 &&
           c->n_members < model->n_processes;
}

static enum mpl_status count_ends(struct mpl_scopes *s, struct mpl_err *err)
{
    const struct mpl_model *model = mpl_events_model(s->events);

    s->n_ends = MPL_NEW_ARRAY(s->arena, model->n_comms, uint64_t);
    if (s->n_ends == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        for (uint32_t m = 0; m < loc->n_messages; m++) {
            const uint32_t comm = comm_of(s->events, l, m);

            if (comm != MPL_NONE) {
                s->n_ends[comm]++;
            }
            s->n_all++;
        }
        for (uint32_t c = 0; c < loc->n_collectives; c++) {
            if (loc->collectives[c].comm != MPL_NONE &&
                loc->collectives[c].op != MPL_COLL_CREATE &&
                loc->collectives[c].op != MPL_COLL_DESTROY) {
                s->n_ends[loc->collectives[c].comm]++;
                s->n_all++;
            }
        }
    }
    return MPL_OK;
}

/* ---- words ------------------------------------------------------------------------------------ */

/* "ranks 0 to 3", "ranks 0, 4 and 8", "12 ranks from 0 to 44" */
static const char *ranks_text(struct mpl_arena *arena, const struct mpl_model *model,
                              const bool *processes)
{
    uint32_t n = 0;
    uint32_t first = 0;
    uint32_t last = 0;
    const char *text = "";

    for (uint32_t p = 0; p < model->n_processes; p++) {
        const uint32_t rank = model->processes[p].rank;

        if (processes[p]) {
            first = n == 0 || rank < first ? rank : first;
            last = n == 0 || rank > last ? rank : last;
            text = n++ < 5 && text != NULL
                       ? mpl_arena_printf(arena, "%s%s%u", text, n > 1 ? ", " : "", rank)
                       : text;
        }
    }
    if (n > 1 && last - first + 1 == n) {
        return mpl_arena_printf(arena, "ranks %u to %u", first, last);
    }
    return n <= 5 && text != NULL
               ? mpl_arena_printf(arena, "%s %s", n == 1 ? "rank" : "ranks", text)
               : mpl_arena_printf(arena, "%u ranks from %u to %u", n, first, last);
}

/* ---- making scopes ------------------------------------------------------------------------------ */

static struct mpl_scope *new_scope(struct mpl_scopes *s)
{
    const struct mpl_model *model = mpl_events_model(s->events);
    struct mpl_scope *scope = mpl_buf_add(&s->items);

    if (scope == NULL) {
        return NULL;
    }
    scope->processes = MPL_NEW_ARRAY(s->arena, model->n_processes, bool);
    scope->comms = MPL_NEW_ARRAY(s->arena, model->n_comms, bool);
    scope->comm = MPL_NONE;
    if (scope->processes == NULL || scope->comms == NULL) {
        return NULL;
    }
    scope->part = (struct mpl_part){ .processes = scope->processes,
                                     .comms = scope->comms,
                                     .begin_ticks = INT64_MIN,
                                     .end_ticks = INT64_MAX };
    return scope;
}

static enum mpl_status add_comm(struct mpl_scopes *s, uint32_t comm, struct mpl_err *err)
{
    const struct mpl_model *model = mpl_events_model(s->events);
    const struct mpl_comm *c = &model->comms[comm];
    struct mpl_scope *scope = new_scope(s);
    const char *ranks;

    if (scope == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < c->n_members; i++) {
        scope->processes[c->members[i]] = true;
    }
    scope->comms[comm] = true;
    scope->comm = comm;
    scope->share = (double) s->n_ends[comm] / (double) s->n_all;
    scope->id = mpl_arena_printf(s->arena, "comm%u", comm);
    ranks = ranks_text(s->arena, model, scope->processes);
    scope->says = ranks == NULL
                      ? NULL
                      : mpl_arena_printf(
                            s->arena, "communicator %s%s%s", c->name != NULL ? c->name : "",
                            c->name != NULL && c->name[0] != '\0' ? ", " : "of ", ranks);
    return scope->id == NULL || scope->says == NULL ? mpl_nomem(err) : MPL_OK;
}

/* The one with most to say that has not been taken; MPL_NONE. */
static uint32_t busiest(const struct mpl_scopes *s, const bool *is_taken)
{
    const struct mpl_model *model = mpl_events_model(s->events);
    uint32_t best = MPL_NONE;

    for (uint32_t comm = 0; comm < model->n_comms; comm++) {
        if (!is_taken[comm] && is_candidate(model, comm) && s->n_ends[comm] > 0 &&
            (best == MPL_NONE || s->n_ends[comm] > s->n_ends[best])) {
            best = comm;
        }
    }
    return best;
}

/* Most runs have none, and need not be looked at. */
static bool has_candidates(const struct mpl_model *model)
{
    for (uint32_t comm = 0; comm < model->n_comms; comm++) {
        if (is_candidate(model, comm)) {
            return true;
        }
    }
    return false;
}

enum mpl_status mpl_scopes_comms(struct mpl_scopes *s, struct mpl_err *err)
{
    const struct mpl_model *model = mpl_events_model(s->events);
    bool *is_taken = MPL_NEW_ARRAY(s->arena, model->n_comms, bool);
    enum mpl_status st = is_taken == NULL ? mpl_nomem(err) : MPL_OK;

    if (st != MPL_OK || !has_candidates(model)) {
        return st;
    }
    st = count_ends(s, err);

    while (st == MPL_OK) {
        const uint32_t comm = busiest(s, is_taken);

        if (comm == MPL_NONE) {
            break;
        }
        is_taken[comm] = true;
        s->inner_share += (double) s->n_ends[comm] / (double) s->n_all;
        if (s->items.n == MPL_SCOPES_MAX) {
            s->n_left_out++;
        } else {
            st = add_comm(s, comm, err);
        }
    }
    return st;
}

enum mpl_status mpl_scopes_rest(struct mpl_scopes *s, const bool *is_taken,
                                struct mpl_err *err)
{
    const struct mpl_model *model = mpl_events_model(s->events);
    struct mpl_scope *scope = new_scope(s);
    bool is_somebody = false;

    if (scope == NULL) {
        return mpl_nomem(err);
    }
    scope->id = "rest";
    scope->says = "the run without the communicators above";
    for (uint32_t comm = 0; comm < model->n_comms; comm++) {
        scope->comms[comm] = !is_taken[comm];
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        /* Who has nothing to say outside has no part in what remains. */
        for (uint32_t m = 0; m < loc->n_messages; m++) {
            const uint32_t comm = comm_of(s->events, l, m);

            if (comm != MPL_NONE && !is_taken[comm]) {
                scope->processes[loc->process] = true;
                scope->share += 1 / (double) s->n_all;
                is_somebody = true;
            }
        }
    }
    s->items.n -= is_somebody ? 0 : 1;
    return MPL_OK;
}

enum mpl_status mpl_scopes_groups(struct mpl_scopes *s, struct mpl_err *err)
{
    const struct mpl_model *model = mpl_events_model(s->events);
    const uint32_t *component = NULL;
    uint32_t n = 0;
    enum mpl_status st = mpl_topology_components(s->events, s->arena, &component, &n, err);

    for (uint32_t i = 0; i < n && n > 1 && st == MPL_OK; i++) {
        uint32_t n_members = 0;
        struct mpl_scope *scope = NULL;

        for (uint32_t p = 0; p < model->n_processes; p++) {
            n_members += component[p] == i;
        }
        if (n_members < 2) {
            continue;
        }
        if (s->items.n == MPL_SCOPES_MAX) {
            s->n_left_out++;
            continue;
        }
        scope = new_scope(s);
        if (scope == NULL) {
            return mpl_nomem(err);
        }
        for (uint32_t p = 0; p < model->n_processes; p++) {
            scope->processes[p] = component[p] == i;
        }
        scope->part.comms = NULL;
        scope->id = mpl_arena_printf(s->arena, "group%u", i + 1);
        scope->says = ranks_text(s->arena, model, scope->processes);
        scope->says = scope->says == NULL
                          ? NULL
                          : mpl_arena_printf(s->arena, "group of %s", scope->says);
        st = scope->id == NULL || scope->says == NULL ? mpl_nomem(err) : MPL_OK;
    }
    return st;
}

/* ---- phases ------------------------------------------------------------------------------------- */

/* What is shorter and says less is no phase to be shown: a distribution, a collection. */
static const double worth_a_phase = 0.05;

/* Since the begin of the run's window, within it. */
static double second_of(const struct mpl_scopes *s, int64_t ticks)
{
    int64_t begin_ticks;
    int64_t end_ticks;

    mpl_events_window(s->events, &begin_ticks, &end_ticks);
    ticks = ticks > end_ticks ? end_ticks : ticks;
    return ticks <= begin_ticks
               ? 0
               : mpl_model_seconds(mpl_events_model(s->events), ticks - begin_ticks);
}

static bool is_worth_it(const struct mpl_scopes *s, const struct phase *phase)
{
    return phase->share >= worth_a_phase ||
           second_of(s, phase->part.end_ticks) - second_of(s, phase->part.begin_ticks) >=
               worth_a_phase * mpl_events_measured_s(s->events);
}

/* "phase 2, 0.5 s to 1.2 s" */
static const char *interval(const struct mpl_scopes *s, const char *name,
                            const struct mpl_scope *scope)
{
    return name == NULL ? NULL
                        : mpl_arena_printf(s->arena, "%s, %.3g s to %.3g s", name,
                                           scope->begin_s, scope->end_s);
}

/* number: 0 where it is the only one that is worth it. */
static enum mpl_status add_phase(struct mpl_scopes *s, const struct phase *phase,
                                 unsigned number, struct mpl_err *err)
{
    struct mpl_scope *scope = new_scope(s);
    const char *name =
        number == 0 ? "main phase" : mpl_arena_printf(s->arena, "phase %u", number);

    if (scope == NULL || name == NULL) {
        return mpl_nomem(err);
    }
    scope->part = phase->part;
    scope->share = phase->share;
    scope->is_phase = true;
    scope->begin_s = second_of(s, phase->part.begin_ticks);
    scope->end_s = second_of(s, phase->part.end_ticks);
    scope->id = number == 0 ? "main" : mpl_arena_printf(s->arena, "phase%u", number);
    scope->says = interval(s, name, scope);
    return scope->id == NULL || scope->says == NULL ? mpl_nomem(err) : MPL_OK;
}

enum mpl_status mpl_scopes_join(const struct mpl_scopes *s, const struct mpl_scope *first,
                                const struct mpl_scope *last, struct mpl_scope *out,
                                struct mpl_err *err)
{
    *out = *first;
    out->part.end_ticks = last->part.end_ticks;
    out->part.end_record = last->part.end_record;
    out->share += last->share;
    out->end_s = last->end_s;
    out->says = interval(
        s, mpl_arena_printf(s->arena, "%.*s", (int) strcspn(first->says, ","), first->says),
        out);
    return out->says == NULL ? mpl_nomem(err) : MPL_OK;
}

enum mpl_status mpl_scopes_phases(struct mpl_scopes *s, struct mpl_err *err)
{
    const struct phase *phases = NULL;
    size_t n = 0;
    unsigned n_worth = 0;
    unsigned number = 0;
    enum mpl_status st = mpl_phases_find(s->events, s->arena, &phases, &n, err);

    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        n_worth += is_worth_it(s, &phases[i]);
    }
    for (size_t i = 0; i < n && n > 1 && st == MPL_OK; i++) {
        if (is_worth_it(s, &phases[i])) {
            st = add_phase(s, &phases[i], n_worth == 1 ? 0 : ++number, err);
        }
    }
    return st;
}
