/*
 * Where chance may have decided what comes next. It is asked for at one place of a location, the first one where two runs
 * differ; so nothing of it is stored. What a call leaves behind is forgotten at the next one that waits, so the calls since the
 * last such one are gone through again.
 */
#include "config.h"

#include "sequence/maker_priv.h"

#include "order/order.h"

struct mpl_decisions {
    struct mpl_maker maker;
    struct mpl_sequence_options options;
    struct mpl_arena *arena;
    bool *is_addressed; /* Per process, see find_addressed(); NULL: nobody has asked. */
};

struct mpl_decisions *mpl_decisions_create(const struct mpl_events *events,
                                           const struct mpl_sequence_options *options,
                                           struct mpl_symbols *symbols,
                                           struct mpl_arena *arena)
{
    struct mpl_decisions *d = MPL_NEW(arena, struct mpl_decisions);

    if (d == NULL) {
        return NULL;
    }
    d->options = *options;
    d->arena = arena;
    return mpl_maker_open(&d->maker, events, &d->options, symbols, arena) ? d : NULL;
}

/* ---- messages of sends that are left to chance ------------------------------------------------------- */

/* The send of a location as mpl_loose knows it; false: it is none, or is not kept. */
static bool send_of(const struct mpl_maker *m, uint32_t l, uint32_t call,
                    const struct mpl_envelope *e, struct mpl_symbol *out)
{
    struct mpl_call_view view;

    if (call == MPL_NONE || !e->is_send) {
        return false;
    }
    mpl_events_call(m->events, l, call, &view);
    *out = (struct mpl_symbol){
        .to = e->peer == MPL_NONE ? MPL_NONE : m->model->processes[e->peer].rank,
        .from = MPL_NONE,
        .tag = e->tag,
        .comm = e->comm == MPL_NONE ? MPL_NONE : m->comms[e->comm],
        .function = view.region == MPL_NONE ? MPL_NONE : m->functions[view.region],
    };
    return out->function != MPL_NONE;
}

/* Whether a message that is taken comes from a send that chance decides about. */
static bool is_loose(const struct mpl_maker *m, uint32_t message)
{
    const struct mpl_location *loc = &m->model->locations[m->location];
    const uint32_t envelope = mpl_message_get(loc, message).envelope;
    struct mpl_symbol send;
    uint32_t other;
    uint32_t sending;

    if (envelope == MPL_NONE || loc->envelopes[envelope].is_send ||
        !mpl_events_posting_call(m->events, m->location, message, &other, &sending)) {
        return false;
    }
    struct mpl_end end = mpl_match_partner(m->match, m->location, message);

    const struct mpl_location *from = &m->model->locations[other];

    return send_of(m, other, sending,
                   &from->envelopes[mpl_message_get(from, end.message).envelope], &send) &&
           mpl_loose_get(m->options->loose, other, &send) != MPL_FIRM;
}

static bool takes_loose(const struct mpl_maker *m, uint32_t call)
{
    uint32_t only;

    if (mpl_events_only_message(m->events, m->location, 2 * call + 1, &only)) {
        return only != MPL_NONE && is_loose(m, only);
    }
    struct mpl_span span = mpl_events_span(m->events, m->location, 2 * call + 1);
    for (uint32_t i = 0; i < span.n_messages; i++) {
        if (is_loose(m, mpl_events_message(m->events, m->location, &span, i))) {
            return true;
        }
    }
    return false;
}

/* Per process: whether sends that chance decides about go to it which no receive is recorded of. */
static bool find_addressed(struct mpl_decisions *d)
{
    const struct mpl_maker *m = &d->maker;
    struct mpl_symbol send;

    d->is_addressed = MPL_NEW_ARRAY(d->arena, m->model->n_processes, bool);
    for (uint32_t l = 0; l < m->model->n_locations && d->is_addressed != NULL; l++) {
        const struct mpl_location *loc = &m->model->locations[l];

        for (uint32_t i = 0; i < loc->n_messages; i++) {
            const struct mpl_message x = mpl_message_get(loc, i);
            const struct mpl_envelope *e =
                x.envelope == MPL_NONE ? NULL : &loc->envelopes[x.envelope];

            if (e != NULL && e->is_send && x.event != MPL_NONE && e->peer != MPL_NONE &&
                mpl_match_partner(m->match, l, i).message == MPL_NONE &&
                send_of(m, l, mpl_events_call_of_event(m->events, l, x.event), e, &send) &&
                mpl_loose_get(m->options->loose, l, &send) != MPL_FIRM) {
                d->is_addressed[e->peer] = true;
            }
        }
    }
    return d->is_addressed != NULL;
}

/* Asked for where something is left to chance only. False: no memory. */
static bool is_addressed(struct mpl_decisions *d, bool *is)
{
    if (d->is_addressed == NULL && !find_addressed(d)) {
        return false;
    }
    *is = d->is_addressed[d->maker.model->locations[d->maker.location].process];
    return true;
}

/* ---- collectives that are left to chance --------------------------------------------------------------- */

/* Whether chance decides about the call that makes a part of a collective, and not only about its root. */
static bool is_loose_part(const struct mpl_maker *m, const struct mpl_coll_part *part)
{
    const struct mpl_collective *c =
        &m->model->locations[part->location].collectives[part->collective];
    const uint32_t span =
        mpl_events_span_of_collective(m->events, part->location, part->collective);
    struct mpl_call_view view;

    if (span == MPL_NONE) {
        return false;
    }
    mpl_events_call(m->events, part->location, span / 2, &view);
    struct mpl_symbol s =
        mpl_symbol_of(view.region == MPL_NONE ? MPL_NONE : m->functions[view.region]);

    s.comm = c->comm == MPL_NONE ? MPL_NONE : m->comms[c->comm];
    return s.function != MPL_NONE &&
           mpl_loose_get(m->options->loose, part->location, &s) >= MPL_LOOSE_PEER;
}

/* Whether data of a collective come from a call that chance decides about: from any that gives some, of scans from lower
   ranks. */
static bool joins_loose(const struct mpl_maker *m, uint32_t collective)
{
    const uint32_t instance = m->match->instance[m->location][collective];
    uint32_t own = 0;
    bool is_loose = false;

    if (instance == MPL_NONE) {
        return false;
    }
    const struct mpl_coll_instance *in = &m->match->instances[instance];

    const struct mpl_coll_part *parts = &m->match->parts[in->first_part];

    while (parts[own].location != m->location || parts[own].collective != collective) {
        own++;
    }
    if (mpl_order_data_of(m->model, in, &parts[own]).takes == MPL_DATA_NONE) {
        return false;
    }
    for (uint32_t i = 0; i < in->n_parts && !is_loose; i++) {
        is_loose = i != own && (i < own || !mpl_order_is_prefix(in->op)) &&
                   mpl_order_data_of(m->model, in, &parts[i]).gives != MPL_DATA_NONE &&
                   is_loose_part(m, &parts[i]);
    }
    return is_loose;
}

/* ---- what a call brings ---------------------------------------------------------------------------------- */

/* Whether what comes with a call is left to chance. False: no memory. */
static bool brings_chance(struct mpl_decisions *d, uint32_t call,
                          const struct mpl_call_about *about, const struct mpl_known *known,
                          bool *does)
{
    const struct mpl_maker *m = &d->maker;

    *does = false;
    if (mpl_loose_changes(m->options->loose) == 0) {
        return true;
    }
    *does = about->collective != MPL_NONE && joins_loose(m, about->collective);
    if (*does || m->model->regions[about->region].kind != MPL_REGION_MPI_P2P) {
        return true;
    }
    *does = takes_loose(m, call);
    /* MPI_Sendrecv has no record of its message in some traces, nor has MPI_Wait. */
    return *does || known->has_peer || is_addressed(d, does);
}

/* ---- what follows from what --------------------------------------------------------------------------- */

struct state {
    bool is_chance;       /* Chance may decide what comes next, */
    bool is_some;         /* and what comes after that, up to a call that waits. */
    bool ends_with_probe; /* The last call asks for the message that the next one takes. */
    bool is_kept;         /* The call is in the sequence, */
    bool is_after_chance; /* and chance may have decided that it is made. */
};

/* How a call that is kept changes what may follow. */
static void pass(struct state *s, const struct mpl_known *known, uint8_t manners,
                 bool is_probe, bool brings)
{
    const bool is_passing = is_probe || known->is_idle || known->is_telling;

    s->is_kept = true;
    s->is_after_chance = s->is_chance || brings;
    s->ends_with_probe = is_probe;
    s->is_some = s->is_some && (is_passing || known->is_send);
    s->is_chance = (is_passing && s->is_chance) || s->is_some ||
                   known->level >= MPL_LOOSE_PEER || brings ||
                   (manners & MPL_WAITS_FOR_ANY) != 0;
}

/* False: no memory. */
static bool step(struct mpl_decisions *d, uint32_t call, struct state *s)
{
    struct mpl_maker *m = &d->maker;
    struct mpl_call_about about;
    bool brings;

    s->is_kept = false;
    mpl_events_call_about(m->events, m->location, call, &about);
    if (about.region == MPL_NONE) {
        return true;
    }
    s->is_chance = s->is_chance || (m->manners[about.region] & MPL_ASKS) != 0;
    s->is_some = s->is_some || (m->manners[about.region] & MPL_ASKS_FOR_SOME) != 0;
    if (m->functions[about.region] == MPL_NONE) {
        return true;
    }
    const struct mpl_known *known = mpl_maker_know(m, call, &about);
    if (known == NULL) {
        return false;
    }
    if (known->level == MPL_LOOSE_CALL) {
        s->is_chance = true;
        s->ends_with_probe = false;
        return true;
    }
    if (!brings_chance(d, call, &about, known, &brings)) {
        return false;
    }
    pass(s, known, m->manners[about.region], about.is_probe, brings);
    return true;
}

/* Whether what was before a call has no influence on what comes behind it. */
static bool is_fresh(struct mpl_maker *m, uint32_t call, bool *is)
{
    struct mpl_call_about about;

    *is = false;
    mpl_events_call_about(m->events, m->location, call, &about);
    if (about.region == MPL_NONE || m->functions[about.region] == MPL_NONE) {
        return true;
    }
    const struct mpl_known *known = mpl_maker_know(m, call, &about);
    *is = known != NULL && known->level != MPL_LOOSE_CALL && !about.is_probe &&
          !known->is_idle && !known->is_send && !known->is_telling;
    return known != NULL;
}

/* The last call before that one which is fresh, or the first call of all. */
static bool find_fresh(struct mpl_maker *m, uint32_t before, uint32_t *out)
{
    bool is = false;

    for (*out = before; *out > 0 && !is; --*out) {
        if (!is_fresh(m, *out - 1, &is)) {
            return false;
        }
    }
    return true;
}

bool mpl_decisions_look(struct mpl_decisions *d, uint32_t location,
                        const struct mpl_sequence *sequence, uint32_t i, bool *is)
{
    const uint32_t n = mpl_events_call_count(d->maker.events, location);
    const uint32_t asked = i < sequence->n ? sequence->calls[i] : n;
    struct state s = { .is_chance = false };
    bool is_probe = false; /* What is asked about asks itself for the next one. */
    uint32_t call;

    *is = false;
    d->maker.location = location;
    if (!find_fresh(&d->maker, asked, &call)) {
        return false;
    }
    for (; call < n; call++) {
        const bool is_asked = call == asked;

        if (!step(d, call, &s)) {
            return false;
        }
        if (is_asked || (is_probe && s.is_kept)) {
            *is = s.is_after_chance;
            if (*is || is_probe || !s.ends_with_probe) {
                return true;
            }
            is_probe = true;
        }
    }
    *is = asked == n ? s.is_chance : *is;
    return true;
}
