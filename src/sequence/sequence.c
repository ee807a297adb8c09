/* From calls to symbols. */
#include "config.h"

#include "sequence/sequence.h"

#include <string.h>
#include <strings.h>

/* What a symbol is made of; of most calls. */
struct gist {
    uint32_t region;
    uint32_t envelope;   /* Of the only message, if it begins there; else MPL_NONE. */
    uint32_t collective; /* 1 + its operation; 0: none that ends there. */
    uint32_t comm;
    uint32_t root;
    uint32_t path;       /* As in struct mpl_symbol. */
    uint64_t sent_bytes; /* Of messages those of either way. */
    uint64_t received_bytes;
};

/* What is known of calls of a location with such a gist. */
struct known {
    struct gist gist;
    uint32_t location; /* 1 + it; 0: nothing is known. */
    uint32_t symbol;
    uint32_t function;
    enum mpl_looseness level;
    bool is_idle; /* See is_idle(). */
    bool is_send;
    bool has_peer;
};
enum { MOST_KNOWN = 256 };

struct maker {
    const struct mpl_events *events;
    const struct mpl_model *model;
    const struct mpl_match *match;
    const struct mpl_sequence_options *options;
    struct mpl_symbols *symbols;
    uint32_t *functions; /* Per region: number of its name; MPL_NONE: is left out. */
    uint32_t *comms;     /* Per communicator, likewise. */
    uint8_t *manners;    /* Per region: bits of enum manner. */
    struct mpl_call_paths *paths; /* NULL: not asked for. */
    struct known
        *known; /* MOST_KNOWN, by a hash of the gist; a later one takes the place. */
    bool *is_addressed; /* See find_addressed(); NULL: nothing is left to chance. */
    bool adds_returns;
    uint32_t location;
};

/* ---- which calls ------------------------------------------------------------------------------ */

static bool is_called(const struct mpl_region *region, const char *c, const char *fortran)
{
    return strcasecmp(region->name, c) == 0 || strcasecmp(region->name, fortran) == 0;
}

/* What a call has to do with what comes first. */
enum manner {
    /* Asks what has come. Waitsome returns as often as something is there, like tests. */
    ASKS = 1,
    /* Tells of several at a time what has come, so that several answers may follow. */
    ASKS_FOR_SOME = 2,
    WAITS_FOR_ANY = 4, /* Tells what has come first. */
    STARTS = 8,
};

static uint8_t manners_of(const struct mpl_region *region)
{
    const bool asks_for_some = is_called(region, "MPI_Waitsome", "mpi_waitsome_") ||
                               is_called(region, "MPI_Testsome", "mpi_testsome_");
    const bool asks = region->mode == MPL_CALL_TEST || asks_for_some;
    const bool waits_for_any = is_called(region, "MPI_Waitany", "mpi_waitany_");
    const bool starts = is_called(region, "MPI_Start", "mpi_start_");

    return (uint8_t) ((asks ? ASKS : 0) | (asks_for_some ? ASKS_FOR_SOME : 0) |
                      (waits_for_any ? WAITS_FOR_ANY : 0) | (starts ? STARTS : 0));
}

static bool is_kept(const struct maker *m, const struct mpl_region *region, uint8_t manners)
{
    if (m->options->without_polls && (manners & ASKS) != 0) {
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
    m->manners = MPL_NEW_ARRAY(scratch, model->n_regions, uint8_t);
    m->comms = MPL_NEW_ARRAY(scratch, model->n_comms, uint32_t);
    m->known = MPL_NEW_ARRAY(scratch, MOST_KNOWN, struct known);
    if (m->functions == NULL || m->manners == NULL || m->comms == NULL ||
        m->known == NULL) {
        return false;
    }
    for (uint32_t r = 0; r < model->n_regions; r++) {
        m->functions[r] = MPL_NONE;
        m->manners[r] = manners_of(&model->regions[r]);
        if (is_kept(m, &model->regions[r], m->manners[r])) {
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

static uint32_t rank_of(const struct maker *m, uint32_t process)
{
    return process == MPL_NONE ? MPL_NONE : m->model->processes[process].rank;
}

static uint32_t shown_peer(const struct maker *m, uint32_t rank)
{
    if (rank == MPL_NONE || !has(m, MPL_SYMBOL_PEER | MPL_SYMBOL_RELATIVE)) {
        return MPL_NONE;
    }
    return has(m, MPL_SYMBOL_RELATIVE)
               ? rank - rank_of(m, m->model->locations[m->location].process) + MPL_LOOP
               : rank;
}

/* Only what begins here: what is completed here may come in any order, or not be recorded. */
static bool begins_here(uint8_t kind)
{
    return kind == MPL_EV_SEND || kind == MPL_EV_ISEND || kind == MPL_EV_RECV;
}

/* Of the messages of a call the first each way, and a number that stands for all others. */
static void take_message(const struct maker *m, uint32_t message, struct mpl_symbol *s)
{
    const struct mpl_location *loc = &m->model->locations[m->location];
    const struct mpl_message *x = &loc->messages[message];

    if (x->envelope == MPL_NONE || x->event == MPL_NONE ||
        !begins_here(loc->kind[x->event])) {
        return;
    }

    const struct mpl_envelope *e = &loc->envelopes[x->envelope];
    uint32_t *peer = e->is_send ? &s->to : &s->from;
    uint64_t *bytes = e->is_send ? &s->sent_bytes : &s->received_bytes;

    if (*peer != MPL_NONE || *bytes != UINT64_MAX) {
        const uint32_t other = shown_peer(m, rank_of(m, e->peer));

        s->more =
            (s->more ^ other ^ (has(m, MPL_SYMBOL_TAG) ? (uint64_t) e->tag << 32 : 0)) *
            UINT64_C(0x9E3779B97F4A7C15);
        return;
    }
    *peer = rank_of(m, e->peer);
    *bytes = x->bytes;
    s->tag = e->tag;
    s->comm = e->comm != MPL_NONE ? m->comms[e->comm] : s->comm;
}

static void take_collective(const struct maker *m, uint32_t collective,
                            struct mpl_symbol *s)
{
    const struct mpl_collective *c =
        &m->model->locations[m->location].collectives[collective];

    if (c->end == MPL_NONE) {
        return;
    }
    if (c->root != MPL_NONE) {
        s->root = m->model->processes[c->root].rank;
    }
    if (c->op != MPL_COLL_BARRIER) {
        s->sent_bytes = c->sent_bytes;
        s->received_bytes = c->received_bytes;
    }
    if (c->comm != MPL_NONE) {
        s->comm = m->comms[c->comm];
    }
}

/* A call with all that is recorded of it. */
static struct mpl_symbol symbol_of(const struct maker *m, uint32_t call,
                                   const struct mpl_call_about *about)
{
    struct mpl_symbol s = { .function = m->functions[about->region],
                            .to = MPL_NONE,
                            .from = MPL_NONE,
                            .root = MPL_NONE,
                            .tag = MPL_NONE,
                            .comm = MPL_NONE,
                            .sent_bytes = UINT64_MAX,
                            .received_bytes = UINT64_MAX,
                            .is_relative = has(m, MPL_SYMBOL_RELATIVE) };

    if (m->options->parts == 0 && m->options->loose == NULL) {
        return s;
    }

    if (about->n_messages == 1) {
        take_message(m, about->first_message, &s);
    } else if (about->n_messages > 1) {
        const struct mpl_span span = mpl_events_span(m->events, m->location, 2 * call + 1);

        for (uint32_t i = 0; i < span.n_messages; i++) {
            take_message(m, mpl_events_message(m->events, m->location, &span, i), &s);
        }
    }
    if (about->collective != MPL_NONE) {
        take_collective(m, about->collective, &s);
    }
    return s;
}

/* Only the parts that are asked for, and that chance does not decide about. */
static void strip(const struct maker *m, enum mpl_looseness level, struct mpl_symbol *s)
{
    const bool is_firm = level < MPL_LOOSE_PEER;

    s->to = is_firm ? shown_peer(m, s->to) : MPL_NONE;
    s->from = is_firm ? shown_peer(m, s->from) : MPL_NONE;
    s->root = has(m, MPL_SYMBOL_ROOT) && level != MPL_LOOSE_ROOT ? s->root : MPL_NONE;
    s->tag = has(m, MPL_SYMBOL_TAG) ? s->tag : MPL_NONE;
    s->comm = has(m, MPL_SYMBOL_COMM) ? s->comm : MPL_NONE;
    s->more = is_firm ? s->more : 0;
    if (!is_firm || !has(m, MPL_SYMBOL_BYTES)) {
        s->sent_bytes = UINT64_MAX;
        s->received_bytes = UINT64_MAX;
    }
}

/* ---- what chance decides about ---------------------------------------------------------------------- */

/* The send of a location as mpl_loose knows it; false: it is none, or is not kept. */
static bool send_of(const struct maker *m, uint32_t l, uint32_t call,
                    const struct mpl_envelope *e, struct mpl_symbol *out)
{
    struct mpl_call_view view;

    if (call == MPL_NONE || !e->is_send) {
        return false;
    }
    mpl_events_call(m->events, l, call, &view);
    *out = (struct mpl_symbol){
        .to = rank_of(m, e->peer),
        .from = MPL_NONE,
        .tag = e->tag,
        .comm = e->comm == MPL_NONE ? MPL_NONE : m->comms[e->comm],
        .function = view.region == MPL_NONE ? MPL_NONE : m->functions[view.region],
    };
    return out->function != MPL_NONE;
}

/* Whether a message that is taken comes from a send that chance decides about. */
static bool is_loose(const struct maker *m, uint32_t message)
{
    const struct mpl_location *loc = &m->model->locations[m->location];
    const uint32_t envelope = loc->messages[message].envelope;
    struct mpl_symbol send;
    struct mpl_end end;
    uint32_t other;
    uint32_t sending;

    if (envelope == MPL_NONE || loc->envelopes[envelope].is_send ||
        !mpl_events_posting_call(m->events, m->location, message, &other, &sending)) {
        return false;
    }
    end = mpl_match_partner(m->model, m->match, m->location, message);

    const struct mpl_location *from = &m->model->locations[other];

    return send_of(m, other, sending,
                   &from->envelopes[from->messages[end.message].envelope], &send) &&
           mpl_loose_get(m->options->loose, other, &send) != MPL_FIRM;
}

static bool takes_loose(const struct maker *m, uint32_t call)
{
    struct mpl_span span;
    uint32_t only;

    if (mpl_events_only_message(m->events, m->location, 2 * call + 1, &only)) {
        return only != MPL_NONE && is_loose(m, only);
    }
    span = mpl_events_span(m->events, m->location, 2 * call + 1);
    for (uint32_t i = 0; i < span.n_messages; i++) {
        if (is_loose(m, mpl_events_message(m->events, m->location, &span, i))) {
            return true;
        }
    }
    return false;
}

/* Per process: whether sends that chance decides about go to it which no receive is recorded of. */
static bool find_addressed(struct maker *m, struct mpl_arena *scratch)
{
    struct mpl_symbol send;

    m->is_addressed = MPL_NEW_ARRAY(scratch, m->model->n_processes, bool);
    for (uint32_t l = 0; l < m->model->n_locations && m->is_addressed != NULL; l++) {
        const struct mpl_location *loc = &m->model->locations[l];

        for (uint32_t i = 0; i < loc->n_messages; i++) {
            const struct mpl_message *x = &loc->messages[i];
            const struct mpl_envelope *e =
                x->envelope == MPL_NONE ? NULL : &loc->envelopes[x->envelope];

            if (e != NULL && e->is_send && x->event != MPL_NONE && e->peer != MPL_NONE &&
                mpl_match_partner(m->model, m->match, l, i).message == MPL_NONE &&
                send_of(m, l, mpl_events_call_of_event(m->events, l, x->event), e, &send) &&
                mpl_loose_get(m->options->loose, l, &send) != MPL_FIRM) {
                m->is_addressed[e->peer] = true;
            }
        }
    }
    return m->is_addressed != NULL;
}

/* Changes nothing of what its process knows: it asks about itself, or only prepares to take a message. */
static bool is_idle(const struct mpl_region *region, uint8_t manners,
                    const struct mpl_symbol *s)
{
    return region->kind == MPL_REGION_MPI_OTHER || (manners & STARTS) != 0 ||
           (region->mode == MPL_CALL_IMMEDIATE && s->to == MPL_NONE);
}

/* Whether what comes with a call is left to chance. */
static bool brings_chance(const struct maker *m, uint32_t call,
                          const struct mpl_region *region, const struct known *known)
{
    if (m->is_addressed == NULL || region->kind != MPL_REGION_MPI_P2P) {
        return false;
    }
    /* MPI_Sendrecv has no record of its message in some traces, nor has MPI_Wait. */
    return takes_loose(m, call) ||
           (!known->has_peer && m->is_addressed[m->model->locations[m->location].process]);
}

/* ---- what is known of a call ------------------------------------------------------------------------ */

/* False: it has several messages, or one and a collective, and so no gist. */
static bool gist_of(const struct maker *m, const struct mpl_call_about *about,
                    struct gist *out)
{
    const struct mpl_location *loc = &m->model->locations[m->location];

    *out = (struct gist){ .region = about->region, .envelope = MPL_NONE };
    if (about->n_messages > 0) {
        const struct mpl_message *x = &loc->messages[about->first_message];

        if (x->event != MPL_NONE && begins_here(loc->kind[x->event])) {
            out->envelope = x->envelope;
            out->sent_bytes = x->bytes;
        }
        return about->n_messages == 1 && about->collective == MPL_NONE;
    }
    if (about->collective != MPL_NONE) {
        const struct mpl_collective *c = &loc->collectives[about->collective];

        if (c->end != MPL_NONE) {
            out->collective = 1 + (uint32_t) c->op;
            out->comm = c->comm;
            out->root = c->root;
            out->sent_bytes = c->sent_bytes;
            out->received_bytes = c->received_bytes;
        }
    }
    return true;
}

static bool is_same_gist(const struct gist *a, const struct gist *b)
{
    return a->region == b->region && a->envelope == b->envelope &&
           a->sent_bytes == b->sent_bytes && a->collective == b->collective &&
           a->comm == b->comm && a->root == b->root && a->path == b->path &&
           a->received_bytes == b->received_bytes;
}

static struct known *slot_of(const struct maker *m, const struct gist *g)
{
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t hash = ((uint64_t) g->region << 32 | g->envelope) * odd;

    hash = (hash ^ hash >> 29 ^ g->sent_bytes ^ (uint64_t) g->path << 32) * odd;
    hash = (hash ^ g->received_bytes ^ (uint64_t) g->root << 32 ^ g->comm) * odd;
    return &m->known[(hash >> 40) % MOST_KNOWN];
}

/* False: no memory. */
static bool find_out(struct maker *m, uint32_t call, const struct mpl_call_about *about,
                     struct known *out)
{
    const struct mpl_loose *loose = m->options->loose;
    const struct mpl_region *region = &m->model->regions[about->region];
    struct mpl_symbol s = symbol_of(m, call, about);

    out->function = s.function;
    out->level = loose == NULL ? MPL_FIRM : mpl_loose_get(loose, m->location, &s);
    out->is_idle = is_idle(region, m->manners[about->region], &s);
    out->is_send = s.to != MPL_NONE && s.from == MPL_NONE;
    out->has_peer = s.to != MPL_NONE || s.from != MPL_NONE;
    out->symbol = MPL_NONE;
    if (out->level == MPL_LOOSE_CALL) {
        return true;
    }
    strip(m, out->level, &s);
    s.path = out->gist.path;
    out->symbol = mpl_symbols_put(m->symbols, &s);
    return out->symbol != MPL_NONE;
}

/* Most calls are like one before. Borrowed until the next call; NULL: no memory. */
static const struct known *know(struct maker *m, uint32_t call,
                                const struct mpl_call_about *about)
{
    struct gist gist;
    const bool has_gist = gist_of(m, about, &gist);
    struct known *known;

    if (m->paths != NULL &&
        !mpl_call_paths_at(m->paths, m->location, about->first_event, &gist.path)) {
        return NULL;
    }
    known = slot_of(m, &gist);
    if (has_gist && known->location == m->location + 1 &&
        is_same_gist(&known->gist, &gist)) {
        return known;
    }
    known->gist = gist;
    known->location = has_gist ? m->location + 1 : 0;
    return find_out(m, call, about, known) ? known : NULL;
}

/* ---- a location --------------------------------------------------------------------------------- */

struct list {
    uint32_t n;
    uint32_t *symbols;
    uint32_t *calls;
    bool *is_after_chance;
    bool is_chance;       /* Chance may decide what comes next, */
    bool is_some;         /* and what comes after that, up to a call that waits. */
    bool ends_with_probe; /* The last call asks for the message that the next one takes. */
};

static void add(struct list *p, uint32_t symbol, uint32_t call, bool is_chance)
{
    p->symbols[p->n] = symbol;
    p->calls[p->n] = call;
    if (p->is_after_chance != NULL) {
        p->is_after_chance[p->n] = is_chance;
        /* Asking for a message belongs to taking it. */
        if (p->ends_with_probe && is_chance) {
            p->is_after_chance[p->n - 1] = true;
        }
    }
    p->n++;
}

static bool add_return(struct maker *m, struct list *p, uint32_t function, uint32_t call)
{
    const struct mpl_symbol s = { .function = function,
                                  .to = MPL_NONE,
                                  .from = MPL_NONE,
                                  .root = MPL_NONE,
                                  .tag = MPL_NONE,
                                  .comm = MPL_NONE,
                                  .sent_bytes = UINT64_MAX,
                                  .received_bytes = UINT64_MAX,
                                  .is_return = true };
    const uint32_t symbol = mpl_symbols_put(m->symbols, &s);

    add(p, symbol, call, false);
    return symbol != MPL_NONE;
}

/* What asked for a call that is left out belongs to it. */
static void leave_out(struct list *p)
{
    p->n -= p->ends_with_probe;
    p->ends_with_probe = false;
    p->is_chance = true;
}

/* False: no memory. */
static bool take_call(struct maker *m, uint32_t call, struct list *p)
{
    struct mpl_call_about about;

    mpl_events_call_about(m->events, m->location, call, &about);
    if (about.region == MPL_NONE) {
        return true;
    }

    const uint8_t manners = m->manners[about.region];

    p->is_chance = p->is_chance || (manners & ASKS) != 0;
    p->is_some = p->is_some || (manners & ASKS_FOR_SOME) != 0;
    if (m->functions[about.region] == MPL_NONE) {
        return true;
    }

    const struct known *known = know(m, call, &about);

    if (known == NULL) {
        return false;
    }
    if (known->level == MPL_LOOSE_CALL) {
        leave_out(p);
        return true;
    }

    const bool brings = brings_chance(m, call, &m->model->regions[about.region], known);
    const bool is_passing = about.is_probe || known->is_idle;

    add(p, known->symbol, call, p->is_chance || brings);
    p->ends_with_probe = about.is_probe;
    p->is_some = p->is_some && (is_passing || known->is_send);
    p->is_chance = (is_passing && p->is_chance) || p->is_some ||
                   known->level >= MPL_LOOSE_PEER || brings ||
                   (manners & WAITS_FOR_ANY) != 0;
    return !m->adds_returns || add_return(m, p, known->function, call);
}

static bool take_location(struct maker *m, struct mpl_arena *arena,
                          struct mpl_sequence *out)
{
    const uint32_t n = mpl_events_call_count(m->events, m->location);
    const size_t most = (m->adds_returns ? 2 : 1) * (size_t) n;
    const bool needs_chance = m->options->loose != NULL;
    struct list p = {
        .symbols = MPL_NEW_ARRAY(arena, most, uint32_t),
        .calls = MPL_NEW_ARRAY(arena, most, uint32_t),
        .is_after_chance = needs_chance ? MPL_NEW_ARRAY(arena, most + 1, bool) : NULL,
    };

    if (p.symbols == NULL || p.calls == NULL ||
        (needs_chance && p.is_after_chance == NULL)) {
        return false;
    }
    for (uint32_t c = 0; c < n; c++) {
        if (!take_call(m, c, &p)) {
            return false;
        }
    }
    if (needs_chance) {
        p.is_after_chance[p.n] = p.is_chance;
    }
    *out = (struct mpl_sequence){ p.n, p.symbols, p.calls, p.is_after_chance };
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
        .events = events,
        .model = model,
        .match = mpl_events_match(events),
        .options = options,
        .symbols = symbols,
        .adds_returns =
            options->filter != NULL && mpl_filter_keeps_returns(options->filter),
    };
    bool is_done = scratch != NULL && all != NULL && name_all(&m, scratch);

    if (is_done && options->loose != NULL && mpl_loose_changes(options->loose) > 0) {
        is_done = find_addressed(&m, scratch);
    }
    if (is_done && has(&m, MPL_SYMBOL_PATH)) {
        m.paths = mpl_call_paths_create(model, symbols, scratch);
        is_done = m.paths != NULL;
    }

    for (m.location = 0; m.location < model->n_locations && is_done; m.location++) {
        is_done = take_location(&m, arena, &all[m.location]);
    }
    mpl_call_paths_close(m.paths);
    mpl_arena_destroy(scratch);
    if (!is_done) {
        return mpl_nomem(err);
    }
    *out = all;
    return MPL_OK;
}
