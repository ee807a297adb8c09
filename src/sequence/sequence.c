/* From calls to symbols. */
#include "config.h"

#include "sequence/sequence.h"

#include <string.h>
#include <strings.h>

struct maker {
    const struct mpl_events *events;
    const struct mpl_model *model;
    const struct mpl_sequence_options *options;
    struct mpl_symbols *symbols;
    uint32_t *functions; /* Per region: number of its name; MPL_NONE: is left out. */
    uint32_t *comms;     /* Per communicator, likewise. */
    uint32_t location;
};

/* ---- which calls ------------------------------------------------------------------------------ */

/* Waitsome returns as often as something is there, like tests. */
static bool is_poll(const struct mpl_region *region)
{
    return region->mode == MPL_CALL_TEST || strcasecmp(region->name, "MPI_Waitsome") == 0 ||
           strcasecmp(region->name, "mpi_waitsome_") == 0;
}

static bool is_kept(const struct maker *m, const struct mpl_region *region)
{
    if (m->options->without_polls && is_poll(region)) {
        return false;
    }
    if (m->options->filter != NULL) {
        return mpl_filter_keeps(m->options->filter, region->name);
    }
    return region->kind >= MPL_REGION_MPI_INIT && region->kind <= MPL_REGION_MPI_OTHER;
}

static bool name_all(struct maker *m, struct mpl_arena *scratch)
{
    const struct mpl_model *model = m->model;

    m->functions = MPL_NEW_ARRAY(scratch, model->n_regions, uint32_t);
    m->comms = MPL_NEW_ARRAY(scratch, model->n_comms, uint32_t);
    if (m->functions == NULL || m->comms == NULL) {
        return false;
    }
    for (uint32_t r = 0; r < model->n_regions; r++) {
        m->functions[r] = MPL_NONE;
        if (is_kept(m, &model->regions[r])) {
            m->functions[r] = mpl_symbols_name(m->symbols, model->regions[r].name);
            if (m->functions[r] == MPL_NONE) {
                return false;
            }
        }
    }
    /* Of the world nobody needs to be told. */
    for (uint32_t c = 0; c < model->n_comms; c++) {
        const char *name = model->comms[c].name;
        const bool has_name = c != model->world && name != NULL && name[0] != '\0';

        m->comms[c] = has_name ? mpl_symbols_name(m->symbols, name) : MPL_NONE;
        if (has_name && m->comms[c] == MPL_NONE) {
            return false;
        }
    }
    return true;
}

/* ---- one call ------------------------------------------------------------------------------------ */

static bool has(const struct maker *m, enum mpl_symbol_part part)
{
    return (m->options->parts & part) != 0;
}

static bool takes_any(const struct maker *m, uint32_t process)
{
    return process != MPL_NONE && m->options->takes_any != NULL &&
           m->options->takes_any[process];
}

static uint32_t peer_of(const struct maker *m, const struct mpl_envelope *e)
{
    if (!has(m, MPL_SYMBOL_PEER | MPL_SYMBOL_RELATIVE) || e->peer == MPL_NONE) {
        return MPL_NONE;
    }

    const uint32_t own = m->model->processes[m->model->locations[m->location].process].rank;
    const uint32_t rank = m->model->processes[e->peer].rank;

    return has(m, MPL_SYMBOL_RELATIVE) ? rank - own + MPL_LOOP : rank;
}

/* Only what begins here: what is completed here may come in any order, or not be recorded. */
static bool begins_here(uint8_t kind)
{
    return kind == MPL_EV_SEND || kind == MPL_EV_ISEND || kind == MPL_EV_RECV;
}

/* Of the messages of a call the first each way, and a number that stands for all others. */
static bool take_message(const struct maker *m, uint32_t message, struct mpl_symbol *s)
{
    const struct mpl_location *loc = &m->model->locations[m->location];
    const struct mpl_message *x = &loc->messages[message];

    if (x->envelope == MPL_NONE || x->event == MPL_NONE ||
        !begins_here(loc->kind[x->event])) {
        return true;
    }

    const struct mpl_envelope *e = &loc->envelopes[x->envelope];
    uint32_t *peer = e->is_send ? &s->to : &s->from;
    uint64_t *bytes = e->is_send ? &s->sent_bytes : &s->received_bytes;

    if (takes_any(m, loc->process) || takes_any(m, e->peer)) {
        return false;
    }
    if (*peer != MPL_NONE || *bytes != UINT64_MAX) {
        s->more = (s->more ^ peer_of(m, e) ^
                   (has(m, MPL_SYMBOL_TAG) ? (uint64_t) e->tag << 32 : 0)) *
                  UINT64_C(0x9E3779B97F4A7C15);
        return true;
    }
    *peer = peer_of(m, e);
    *bytes = has(m, MPL_SYMBOL_BYTES) ? x->bytes : UINT64_MAX;
    s->tag = has(m, MPL_SYMBOL_TAG) ? e->tag : MPL_NONE;
    s->comm = has(m, MPL_SYMBOL_COMM) && e->comm != MPL_NONE ? m->comms[e->comm] : s->comm;
    return true;
}

static void take_collective(const struct maker *m, uint32_t collective,
                            struct mpl_symbol *s)
{
    const struct mpl_collective *c =
        &m->model->locations[m->location].collectives[collective];

    if (c->end == MPL_NONE) {
        return;
    }
    if (has(m, MPL_SYMBOL_ROOT) && c->root != MPL_NONE) {
        s->root = m->model->processes[c->root].rank;
    }
    if (has(m, MPL_SYMBOL_BYTES) && c->op != MPL_COLL_BARRIER) {
        s->sent_bytes = c->sent_bytes;
        s->received_bytes = c->received_bytes;
    }
    if (has(m, MPL_SYMBOL_COMM) && c->comm != MPL_NONE) {
        s->comm = m->comms[c->comm];
    }
}

/* False: its messages have no order. */
static bool take_parts(const struct maker *m, uint32_t call, struct mpl_symbol *s)
{
    const struct mpl_span span = mpl_events_span(m->events, m->location, 2 * call + 1);

    for (uint32_t i = 0; i < span.n_messages; i++) {
        if (!take_message(m, mpl_events_message(m->events, m->location, &span, i), s)) {
            return false;
        }
    }
    if (span.collective != MPL_NONE) {
        take_collective(m, span.collective, s);
    }
    return true;
}

/* ---- a location --------------------------------------------------------------------------------- */

struct pairs {
    uint32_t n;
    uint32_t *symbols;
    uint32_t *calls;
};

static bool add(struct maker *m, struct pairs *p, const struct mpl_symbol *s, uint32_t call)
{
    p->symbols[p->n] = mpl_symbols_put(m->symbols, s);
    p->calls[p->n] = call;
    return p->symbols[p->n++] != MPL_NONE;
}

static bool take_call(struct maker *m, uint32_t call, struct pairs *p)
{
    struct mpl_call_view view;

    mpl_events_call(m->events, m->location, call, &view);
    if (view.region == MPL_NONE || m->functions[view.region] == MPL_NONE) {
        return true;
    }

    struct mpl_symbol s = { .function = m->functions[view.region],
                            .to = MPL_NONE,
                            .from = MPL_NONE,
                            .root = MPL_NONE,
                            .tag = MPL_NONE,
                            .comm = MPL_NONE,
                            .sent_bytes = UINT64_MAX,
                            .received_bytes = UINT64_MAX,
                            .is_relative = has(m, MPL_SYMBOL_RELATIVE) };
    const bool needs_parts = m->options->parts != 0 || m->options->takes_any != NULL;

    if (needs_parts && !take_parts(m, call, &s)) {
        return true;
    }
    if (!add(m, p, &s, call)) {
        return false;
    }
    if (m->options->filter != NULL && mpl_filter_keeps_returns(m->options->filter)) {
        s = (struct mpl_symbol){ s.function, MPL_NONE, MPL_NONE,   MPL_NONE,
                                 MPL_NONE,   MPL_NONE, UINT64_MAX, UINT64_MAX,
                                 0,          true,     false };
        return add(m, p, &s, call);
    }
    return true;
}

static bool take_location(struct maker *m, struct mpl_arena *arena,
                          struct mpl_sequence *out)
{
    const uint32_t n_calls = mpl_events_call_count(m->events, m->location);
    struct pairs p = { 0, MPL_NEW_ARRAY(arena, 2 * (size_t) n_calls, uint32_t),
                       MPL_NEW_ARRAY(arena, 2 * (size_t) n_calls, uint32_t) };

    if (p.symbols == NULL || p.calls == NULL) {
        return false;
    }
    for (uint32_t c = 0; c < n_calls; c++) {
        if (!take_call(m, c, &p)) {
            return false;
        }
    }
    *out = (struct mpl_sequence){ p.n, p.symbols, p.calls };
    return true;
}

enum mpl_status mpl_sequences_create(const struct mpl_events *events,
                                     const struct mpl_sequence_options *options,
                                     struct mpl_symbols *symbols, struct mpl_arena *arena,
                                     const struct mpl_sequence **out, struct mpl_err *err)
{
    const struct mpl_model *model = mpl_events_model(events);
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_sequence *all =
        MPL_NEW_ARRAY(arena, model->n_locations, struct mpl_sequence);
    struct maker m = {
        .events = events, .model = model, .options = options, .symbols = symbols
    };
    bool is_done = scratch != NULL && all != NULL && name_all(&m, scratch);

    for (m.location = 0; m.location < model->n_locations && is_done; m.location++) {
        is_done = take_location(&m, arena, &all[m.location]);
    }
    mpl_arena_destroy(scratch);
    if (!is_done) {
        return mpl_nomem(err);
    }
    *out = all;
    return MPL_OK;
}
