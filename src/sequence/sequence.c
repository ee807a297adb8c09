/* From calls to symbols. */
#include "config.h"

#include "sequence/maker_priv.h"

#include <string.h>
#include <strings.h>

/* ---- which calls ------------------------------------------------------------------------------ */

static bool is_called(const struct mpl_region *region, const char *c, const char *fortran)
{
    return strcasecmp(region->name, c) == 0 || strcasecmp(region->name, fortran) == 0;
}

static uint8_t manners_of(const struct mpl_region *region)
{
    const bool asks_for_some = is_called(region, "MPI_Waitsome", "mpi_waitsome_") ||
                               is_called(region, "MPI_Testsome", "mpi_testsome_");
    const bool asks = region->mode == MPL_CALL_TEST || asks_for_some;
    const bool waits_for_any = is_called(region, "MPI_Waitany", "mpi_waitany_");
    const bool starts = is_called(region, "MPI_Start", "mpi_start_");

    return (uint8_t) ((asks ? MPL_ASKS : 0) | (asks_for_some ? MPL_ASKS_FOR_SOME : 0) |
                      (waits_for_any ? MPL_WAITS_FOR_ANY : 0) | (starts ? MPL_STARTS : 0));
}

static bool is_kept(const struct mpl_maker *m, const struct mpl_region *region,
                    uint8_t manners)
{
    if (m->options->without_polls && (manners & MPL_ASKS) != 0) {
        return false;
    }
    if (m->options->filter != NULL) {
        return mpl_filter_keeps(m->options->filter, region->name);
    }
    return region->kind >= MPL_REGION_MPI_INIT && region->kind <= MPL_REGION_MPI_OTHER;
}

static bool make_tables(struct mpl_maker *m, struct mpl_arena *scratch)
{
    const struct mpl_model *model = m->model;

    m->functions = MPL_NEW_ARRAY(scratch, model->n_regions, uint32_t);
    m->manners = MPL_NEW_ARRAY(scratch, model->n_regions, uint8_t);
    m->comms = MPL_NEW_ARRAY(scratch, model->n_comms, uint32_t);
    m->known = MPL_NEW_ARRAY(scratch, MPL_MOST_KNOWN, struct mpl_known);
    m->last = MPL_NEW_ARRAY(scratch, MPL_MOST_KNOWN, struct mpl_known *);
    if (mpl_arena_is_short(scratch)) {
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
    /* The world needs no description. */
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

static void close_paths(void *paths)
{
    mpl_call_paths_close(paths);
}

bool mpl_maker_open(struct mpl_maker *m, const struct mpl_events *events,
                    const struct mpl_sequence_options *options, struct mpl_symbols *symbols,
                    struct mpl_arena *scratch)
{
    *m = (struct mpl_maker){
        .events = events,
        .model = mpl_events_model(events),
        .match = mpl_events_match(events),
        .options = options,
        .symbols = symbols,
        .adds_returns =
            options->filter != NULL && mpl_filter_keeps_returns(options->filter),
    };
    if (!make_tables(m, scratch)) {
        return false;
    }
    if ((options->parts & MPL_SYMBOL_PATH) == 0) {
        return true;
    }
    m->paths = mpl_call_paths_create(m->model, symbols, scratch);
    if (m->paths != NULL && !mpl_arena_keep(scratch, m->paths, close_paths)) {
        close_paths(m->paths);
        return false;
    }
    return m->paths != NULL;
}

/* ---- one call ------------------------------------------------------------------------------------ */

static bool has(const struct mpl_maker *m, enum mpl_symbol_part part)
{
    return (m->options->parts & part) != 0;
}

static uint32_t rank_of(const struct mpl_maker *m, uint32_t process)
{
    return process == MPL_NONE ? MPL_NONE : m->model->processes[process].rank;
}

static uint32_t shown_peer(const struct mpl_maker *m, uint32_t rank)
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
static void take_message(const struct mpl_maker *m, uint32_t message, struct mpl_symbol *s)
{
    const struct mpl_location *loc = &m->model->locations[m->location];
    const struct mpl_message x = mpl_message_get(loc, message);

    if (x.envelope == MPL_NONE || x.event == MPL_NONE ||
        !begins_here(mpl_kind_of(loc, x.event))) {
        return;
    }

    const struct mpl_envelope *e = &loc->envelopes[x.envelope];
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
    *bytes = x.bytes;
    s->tag = e->tag;
    s->comm = e->comm != MPL_NONE ? m->comms[e->comm] : s->comm;
}

static void take_collective(const struct mpl_maker *m, uint32_t collective,
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
static struct mpl_symbol symbol_of(const struct mpl_maker *m, uint32_t call,
                                   const struct mpl_call_about *about)
{
    struct mpl_symbol s = mpl_symbol_of(m->functions[about->region]);

    s.is_relative = has(m, MPL_SYMBOL_RELATIVE);
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
static void strip(const struct mpl_maker *m, enum mpl_looseness level, struct mpl_symbol *s)
{
    mpl_symbol_loosen(s, level);
    s->to = shown_peer(m, s->to);
    s->from = shown_peer(m, s->from);
    s->root = has(m, MPL_SYMBOL_ROOT) ? s->root : MPL_NONE;
    s->tag = has(m, MPL_SYMBOL_TAG) ? s->tag : MPL_NONE;
    s->comm = has(m, MPL_SYMBOL_COMM) ? s->comm : MPL_NONE;
    if (!has(m, MPL_SYMBOL_BYTES)) {
        s->sent_bytes = UINT64_MAX;
        s->received_bytes = UINT64_MAX;
    }
}

/* ---- what is known of a call ------------------------------------------------------------------------ */

/* Changes nothing of what its process knows: it asks about itself, or only prepares to take a message. */
static bool is_idle(const struct mpl_region *region, uint8_t manners,
                    const struct mpl_symbol *s)
{
    return region->kind == MPL_REGION_MPI_OTHER || (manners & MPL_STARTS) != 0 ||
           (region->mode == MPL_CALL_IMMEDIATE && s->to == MPL_NONE);
}

/* The root of a broadcast, or of a scatter. */
static bool is_telling(const struct mpl_maker *m, uint32_t collective)
{
    const struct mpl_location *loc = &m->model->locations[m->location];

    return collective != MPL_NONE &&
           mpl_coll_class_of(loc->collectives[collective].op) == MPL_CLASS_1_TO_N &&
           loc->collectives[collective].root == loc->process;
}

/* False: it has several messages, or one and a collective, and so no gist. */
static bool gist_of(const struct mpl_maker *m, const struct mpl_call_about *about,
                    struct mpl_gist *out)
{
    const struct mpl_location *loc = &m->model->locations[m->location];

    *out = (struct mpl_gist){ .region = about->region, .envelope = MPL_NONE };
    if (about->n_messages > 0) {
        const struct mpl_message x = mpl_message_get(loc, about->first_message);

        if (x.event != MPL_NONE && begins_here(mpl_kind_of(loc, x.event))) {
            out->envelope = x.envelope;
            out->sent_bytes = x.bytes;
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

static bool is_same_gist(const struct mpl_gist *a, const struct mpl_gist *b)
{
    return a->region == b->region && a->envelope == b->envelope &&
           a->sent_bytes == b->sent_bytes && a->collective == b->collective &&
           a->comm == b->comm && a->root == b->root && a->path == b->path &&
           a->received_bytes == b->received_bytes;
}

static struct mpl_known *slot_of(const struct mpl_maker *m, const struct mpl_gist *g)
{
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t hash = ((uint64_t) g->region << 32 | g->envelope) * odd;

    hash = (hash ^ hash >> 29 ^ g->sent_bytes ^ (uint64_t) g->path << 32) * odd;
    hash = (hash ^ g->received_bytes ^ (uint64_t) g->root << 32 ^ g->comm) * odd;
    return &m->known[(hash >> 40) % MPL_MOST_KNOWN];
}

/* False: no memory. */
static bool find_out(struct mpl_maker *m, uint32_t call, const struct mpl_call_about *about,
                     struct mpl_known *out)
{
    const struct mpl_loose *loose = m->options->loose;
    const struct mpl_region *region = &m->model->regions[about->region];
    struct mpl_symbol s = symbol_of(m, call, about);

    out->function = s.function;
    out->level = loose == NULL ? MPL_FIRM : mpl_loose_get(loose, m->location, &s);
    out->is_idle = is_idle(region, m->manners[about->region], &s);
    out->is_send = s.to != MPL_NONE && s.from == MPL_NONE;
    out->has_peer = s.to != MPL_NONE || s.from != MPL_NONE;
    out->is_telling = about->n_messages == 0 && is_telling(m, about->collective);
    out->symbol = MPL_NONE;
    if (out->level == MPL_LOOSE_CALL) {
        return true;
    }
    strip(m, out->level, &s);
    s.path = out->gist.path;
    out->symbol = mpl_symbols_put(m->symbols, &s);
    return out->symbol != MPL_NONE;
}

static struct mpl_known **last_of(const struct mpl_maker *m, uint32_t envelope)
{
    return &m->last[envelope % MPL_MOST_KNOWN];
}

static const struct mpl_known *look_up(struct mpl_maker *m, uint32_t call,
                                       const struct mpl_call_about *about)
{
    struct mpl_gist gist;
    const bool has_gist = gist_of(m, about, &gist);

    if (m->paths != NULL &&
        !mpl_call_paths_at(m->paths, m->location, about->first_event, &gist.path)) {
        return NULL;
    }
    struct mpl_known *known = slot_of(m, &gist);
    if (has_gist && gist.envelope != MPL_NONE) {
        *last_of(m, gist.envelope) = known;
    }
    if (has_gist && known->location == m->location + 1 &&
        is_same_gist(&known->gist, &gist)) {
        return known;
    }
    known->gist = gist;
    known->location = has_gist ? m->location + 1 : 0;
    return find_out(m, call, about, known) ? known : NULL;
}

/*
 * The usual call of all sends or receives one message, and is as the last one with that envelope: nothing has to be gathered
 * to know that. NULL: it is another one.
 */
static inline const struct mpl_known *find_like_last(const struct mpl_maker *m,
                                                     const struct mpl_call_about *about)
{
    const struct mpl_location *loc = &m->model->locations[m->location];

    if (about->n_messages != 1 || about->collective != MPL_NONE || m->paths != NULL) {
        return NULL;
    }
    const struct mpl_message x = mpl_message_get(loc, about->first_message);
    const struct mpl_known *last = *last_of(m, x.envelope);
    return last != NULL && last->gist.envelope == x.envelope &&
                   last->gist.region == about->region && last->gist.sent_bytes == x.bytes &&
                   last->location == m->location + 1 && x.event != MPL_NONE &&
                   begins_here(mpl_kind_of(loc, x.event))
               ? last
               : NULL;
}

const struct mpl_known *mpl_maker_know(struct mpl_maker *m, uint32_t call,
                                       const struct mpl_call_about *about)
{
    const struct mpl_known *last = find_like_last(m, about);

    return last == NULL ? look_up(m, call, about) : last;
}

/* ---- a location --------------------------------------------------------------------------------- */

struct list {
    uint32_t n;
    uint32_t *symbols;
    uint32_t *calls;
    bool ends_with_probe; /* The last call asks for the message that the next one takes. */
};

static void add(struct list *p, uint32_t symbol, uint32_t call)
{
    p->symbols[p->n] = symbol;
    p->calls[p->n++] = call;
}

static bool add_return(struct mpl_maker *m, struct list *p, uint32_t function,
                       uint32_t call)
{
    struct mpl_symbol s = mpl_symbol_of(function);

    s.is_return = true;
    const uint32_t symbol = mpl_symbols_put(m->symbols, &s);
    add(p, symbol, call);
    return symbol != MPL_NONE;
}

/* False: no memory. */
static bool take_call(struct mpl_maker *m, uint32_t call, struct list *p)
{
    struct mpl_call_about about;

    mpl_events_call_about(m->events, m->location, call, &about);
    if (about.region == MPL_NONE || m->functions[about.region] == MPL_NONE) {
        return true;
    }
    const struct mpl_known *known = mpl_maker_know(m, call, &about);
    if (known == NULL) {
        return false;
    }
    if (known->level == MPL_LOOSE_CALL) {
        /* What asked for a call that is left out belongs to it. */
        p->n -= p->ends_with_probe;
        p->ends_with_probe = false;
        return true;
    }
    add(p, known->symbol, call);
    p->ends_with_probe = about.is_probe;
    return !m->adds_returns || add_return(m, p, known->function, call);
}

static bool take_location(struct mpl_maker *m, struct mpl_arena *arena,
                          struct mpl_sequence *out)
{
    const uint32_t n = mpl_events_call_count(m->events, m->location);
    const size_t most = (m->adds_returns ? 2 : 1) * (size_t) n;
    struct list p = { .symbols = MPL_NEW_ARRAY(arena, most, uint32_t),
                      .calls = MPL_NEW_ARRAY(arena, most, uint32_t) };

    bool is_done = p.symbols != NULL && p.calls != NULL;

    for (uint32_t c = 0; c < n && is_done; c++) {
        is_done = take_call(m, c, &p);
    }
    *out = (struct mpl_sequence){ p.n, p.symbols, p.calls };
    return is_done;
}

enum mpl_status mpl_sequences_create(const struct mpl_events *events,
                                     const struct mpl_sequence_options *options,
                                     struct mpl_symbols *symbols, struct mpl_arena *arena,
                                     const struct mpl_sequence **out, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_maker m;
    bool is_done = scratch != NULL && mpl_maker_open(&m, events, options, symbols, scratch);
    struct mpl_sequence *all =
        is_done ? MPL_NEW_ARRAY(arena, m.model->n_locations, struct mpl_sequence) : NULL;

    is_done = is_done && all != NULL;
    for (; is_done && m.location < m.model->n_locations; m.location++) {
        is_done = take_location(&m, arena, &all[m.location]);
    }
    mpl_arena_destroy(scratch);
    if (!is_done) {
        return mpl_nomem(err);
    }
    *out = all;
    return MPL_OK;
}
