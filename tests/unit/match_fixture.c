#include "config.h"

#include "match_fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/traces.h"

struct place {
    struct mpl_buf time;       /* int64_t */
    struct mpl_buf kind;       /* uint8_t */
    struct mpl_buf ref;        /* uint32_t */
    struct mpl_buf message;    /* struct mpl_message */
    struct mpl_buf envelope;   /* struct mpl_envelope */
    struct mpl_buf collective; /* struct mpl_collective */
    struct mpl_buf thread;     /* struct mpl_thread_record */
    struct mpl_buf offset;     /* struct mpl_clock_offset */
};

struct trace {
    struct mpl_arena *arena;
    struct mpl_model *model;
    struct place *place;   /* Per location. */
    struct mpl_buf region; /* struct mpl_region */
    struct mpl_buf comm;   /* struct mpl_comm */
};

static void *must(void *made)
{
    if (made == NULL) {
        ck_abort_msg("out of memory");
    }
    return made;
}

struct trace *trace_create(struct mpl_arena *arena, uint32_t n_processes,
                           uint32_t n_threads)
{
    struct trace *t = must(MPL_NEW(arena, struct trace));
    struct mpl_model *m = must(MPL_NEW(arena, struct mpl_model));
    struct mpl_process *process =
        must(MPL_NEW_ARRAY(arena, n_processes, struct mpl_process));
    const uint32_t n = n_processes * n_threads;
    uint32_t *number = must(MPL_NEW_ARRAY(arena, n + 1, uint32_t));

    *t = (struct trace){ .arena = arena, .model = m };
    t->place = must(MPL_NEW_ARRAY(arena, n, struct place));
    t->region = mpl_buf_make(sizeof(struct mpl_region));
    t->comm = mpl_buf_make(sizeof(struct mpl_comm));
    m->locations = must(MPL_NEW_ARRAY(arena, n, struct mpl_location));
    for (uint32_t l = 0; l < n; l++) {
        number[l] = l;
        m->locations[l].process = l / n_threads;
        m->locations[l].thread = l % n_threads;
        m->locations[l].label =
            must(mpl_arena_printf(arena, "%u.%u", l / n_threads, l % n_threads));
        m->locations[l].name = m->locations[l].label;
        t->place[l] = (struct place){
            mpl_buf_make(sizeof(int64_t)),
            mpl_buf_make(sizeof(uint8_t)),
            mpl_buf_make(sizeof(uint32_t)),
            mpl_buf_make(sizeof(struct mpl_message)),
            mpl_buf_make(sizeof(struct mpl_envelope)),
            mpl_buf_make(sizeof(struct mpl_collective)),
            mpl_buf_make(sizeof(struct mpl_thread_record)),
            mpl_buf_make(sizeof(struct mpl_clock_offset)),
        };
    }
    for (uint32_t p = 0; p < n_processes; p++) {
        process[p] = (struct mpl_process){
            .rank = p,
            .name = "process",
            .n_locations = n_threads,
            .locations = number + p * n_threads,
        };
    }
    m->path = "made by hand";
    m->tracer = MPL_TRACER_SCOREP;
    m->ticks_per_s = 1000000000;
    m->n_processes = n_processes;
    m->processes = process;
    m->n_locations = n;
    m->can.has_receive_completions = true;
    m->can.has_immediate_collectives_complete = true;
    m->quality = must(mpl_quality_create(arena));
    (void) trace_comm(t, number, n_processes);
    ((struct mpl_comm *) must(mpl_buf_add(&t->comm)))->is_self = true;
    return t;
}

void trace_destroy(struct trace *t)
{
    for (uint32_t l = 0; l < t->model->n_locations; l++) {
        struct place *p = &t->place[l];

        mpl_buf_free(&p->time);
        mpl_buf_free(&p->kind);
        mpl_buf_free(&p->ref);
        mpl_buf_free(&p->message);
        mpl_buf_free(&p->envelope);
        mpl_buf_free(&p->collective);
        mpl_buf_free(&p->thread);
        mpl_buf_free(&p->offset);
    }
    mpl_buf_free(&t->region);
    mpl_buf_free(&t->comm);
}

uint32_t trace_comm(struct trace *t, const uint32_t *members, uint32_t n)
{
    struct mpl_comm *comm = must(mpl_buf_add(&t->comm));
    uint32_t *copy = must(MPL_NEW_ARRAY(t->arena, n, uint32_t));

    memcpy(copy, members, n * sizeof *copy);
    comm->name = "communicator";
    comm->n_members = n;
    comm->members = copy;
    return (uint32_t) t->comm.n - 1;
}

void trace_set_tracer(struct trace *t, enum mpl_tracer tracer)
{
    t->model->tracer = tracer;
}

void trace_set_receive_completions(struct trace *t, bool has_them)
{
    t->model->can.has_receive_completions = has_them;
}

void trace_set_base(struct trace *t, uint32_t location, uint64_t base_ticks)
{
    t->model->locations[location].base_ticks = base_ticks;
}

void trace_set_damaged(struct trace *t, uint32_t location)
{
    t->model->locations[location].is_damaged = true;
}

void trace_add_offset(struct trace *t, uint32_t location, uint64_t time_ticks,
                      int64_t offset_ticks)
{
    struct mpl_clock_offset *offset = must(mpl_buf_add(&t->place[location].offset));

    *offset =
        (struct mpl_clock_offset){ .time_ticks = time_ticks, .offset_ticks = offset_ticks };
}

/* ---- records ------------------------------------------------------------------------- */

static uint32_t add_event(struct trace *t, uint32_t location, int64_t ticks,
                          enum mpl_event_kind kind, uint32_t ref)
{
    struct place *p = &t->place[location];

    *(int64_t *) must(mpl_buf_add(&p->time)) = ticks;
    *(uint8_t *) must(mpl_buf_add(&p->kind)) = (uint8_t) kind;
    *(uint32_t *) must(mpl_buf_add(&p->ref)) = ref;
    return (uint32_t) p->time.n - 1;
}

static uint32_t find_region(struct trace *t, const char *name)
{
    struct mpl_region *region;

    for (uint32_t r = 0; r < t->region.n; r++) {
        region = mpl_buf_get(&t->region, r);
        if (strcmp(region->name, name) == 0) {
            return r;
        }
    }
    region = must(mpl_buf_add(&t->region));
    region->name = name;
    region->kind = mpl_region_kind_of_name(name, &region->mode);
    return (uint32_t) t->region.n - 1;
}

void trace_record(struct trace *t, uint32_t location, int64_t ticks,
                  enum mpl_event_kind kind)
{
    (void) add_event(t, location, ticks, kind, 0);
}

void trace_team(struct trace *t, uint32_t location, int64_t ticks, enum mpl_event_kind kind,
                uint32_t team)
{
    (void) add_event(t, location, ticks, kind, team);
}

void trace_numbered(struct trace *t, uint32_t location, int64_t ticks,
                    enum mpl_thread_act act, uint32_t object, uint32_t number)
{
    const uint8_t kind = act == MPL_ACT_LOCK     ? MPL_EV_LOCK
                         : act == MPL_ACT_UNLOCK ? MPL_EV_UNLOCK
                                                 : MPL_EV_MARK;
    const uint32_t event =
        add_event(t, location, ticks, kind, kind == MPL_EV_MARK ? 0 : object);

    *(struct mpl_thread_record *) must(mpl_buf_add(&t->place[location].thread)) =
        (struct mpl_thread_record){ event, act, object, number };
}

void trace_cut_at(struct trace *t, uint32_t location, int64_t ticks)
{
    struct place *p = &t->place[location];
    size_t left = p->time.n;

    while (left > 0 && *(const int64_t *) mpl_buf_get(&p->time, left - 1) > ticks) {
        left--;
    }
    p->time.n = left;
    p->kind.n = left;
    p->ref.n = left;
    while (p->thread.n > 0 &&
           ((struct mpl_thread_record *) mpl_buf_get(&p->thread, p->thread.n - 1))->event >=
               left) {
        p->thread.n--;
    }
}

void trace_enter(struct trace *t, uint32_t location, int64_t ticks, const char *region)
{
    (void) add_event(t, location, ticks, MPL_EV_ENTER, find_region(t, region));
}

void trace_leave(struct trace *t, uint32_t location, int64_t ticks, const char *region)
{
    (void) add_event(t, location, ticks, MPL_EV_LEAVE, find_region(t, region));
}

/* ---- messages ---------------------------------------------------------------------------- */

static uint32_t peer_of(const struct trace *t, uint32_t location, struct address a)
{
    const struct mpl_comm *comm;

    if (a.comm == MPL_NONE || a.rank == MPL_NONE) {
        return MPL_NONE;
    }
    comm = mpl_buf_get(&t->comm, a.comm);
    if (comm->is_self) {
        return t->model->locations[location].process;
    }
    return a.rank < comm->n_members ? comm->members[a.rank] : MPL_NONE;
}

static uint32_t find_envelope(struct trace *t, uint32_t location, struct address a,
                              bool is_send, bool is_unsure)
{
    struct mpl_buf *all = &t->place[location].envelope;
    struct mpl_envelope wanted = { .comm = is_unsure ? 0 : a.comm,
                                   .peer_rank = a.rank,
                                   .tag = a.tag,
                                   .is_send = is_send,
                                   .is_null = a.rank == MPL_NONE,
                                   .comm_unsure = is_unsure };

    wanted.peer = peer_of(t, location, (struct address){ wanted.comm, a.rank, a.tag });
    for (uint32_t i = 0; i < all->n; i++) {
        const struct mpl_envelope *e = mpl_buf_get(all, i);

        if (e->comm == wanted.comm && e->peer_rank == wanted.peer_rank &&
            e->tag == wanted.tag && e->is_send == wanted.is_send &&
            e->comm_unsure == wanted.comm_unsure) {
            return i;
        }
    }
    *(struct mpl_envelope *) must(mpl_buf_add(all)) = wanted;
    return (uint32_t) all->n - 1;
}

static uint32_t add_message(struct trace *t, uint32_t location, struct mpl_message message)
{
    struct mpl_buf *all = &t->place[location].message;

    *(struct mpl_message *) must(mpl_buf_add(all)) = message;
    return (uint32_t) all->n - 1;
}

uint32_t trace_send(struct trace *t, uint32_t location, int64_t from, int64_t to,
                    const char *region, struct address address, uint64_t bytes)
{
    const uint32_t envelope = find_envelope(t, location, address, true, false);
    const uint32_t number = (uint32_t) t->place[location].message.n;
    uint32_t event;

    trace_enter(t, location, from, region);
    event =
        add_event(t, location, from,
                  strcmp(region, "MPI_Isend") == 0 ? MPL_EV_ISEND : MPL_EV_SEND, number);
    trace_leave(t, location, to, region);
    return add_message(t, location,
                       (struct mpl_message){ envelope, event, MPL_NONE, bytes });
}

uint32_t trace_recv(struct trace *t, uint32_t location, int64_t from, int64_t to,
                    struct address address, uint64_t bytes)
{
    const uint32_t envelope = find_envelope(t, location, address, false, false);
    const uint32_t number = (uint32_t) t->place[location].message.n;
    uint32_t event;

    trace_enter(t, location, from, "MPI_Recv");
    event = add_event(t, location, to, MPL_EV_RECV, number);
    trace_leave(t, location, to, "MPI_Recv");
    return add_message(t, location,
                       (struct mpl_message){ envelope, event, MPL_NONE, bytes });
}

uint32_t trace_post(struct trace *t, uint32_t location, int64_t ticks)
{
    const uint32_t number = (uint32_t) t->place[location].message.n;
    uint32_t event;

    trace_enter(t, location, ticks, "MPI_Irecv");
    event = add_event(t, location, ticks, MPL_EV_IRECV_POST, number);
    trace_leave(t, location, ticks, "MPI_Irecv");
    return add_message(t, location, (struct mpl_message){ MPL_NONE, MPL_NONE, event, 0 });
}

static void complete(struct trace *t, uint32_t location, int64_t from, int64_t to,
                     uint32_t message, uint32_t envelope, uint64_t bytes)
{
    struct mpl_message *m = mpl_buf_get(&t->place[location].message, message);

    trace_enter(t, location, from, "MPI_Wait");
    m->event = add_event(t, location, to, MPL_EV_IRECV, message);
    m->envelope = envelope;
    m->bytes = bytes;
    trace_leave(t, location, to, "MPI_Wait");
}

void trace_complete(struct trace *t, uint32_t location, int64_t from, int64_t to,
                    uint32_t message, struct address address, uint64_t bytes)
{
    complete(t, location, from, to, message,
             find_envelope(t, location, address, false, false), bytes);
}

void trace_complete_unsure(struct trace *t, uint32_t location, int64_t from, int64_t to,
                           uint32_t message, struct address address, uint64_t bytes)
{
    complete(t, location, from, to, message,
             find_envelope(t, location, address, false, true), bytes);
}

/* ---- collectives ---------------------------------------------------------------------------- */

uint32_t trace_coll_begin(struct trace *t, uint32_t location, int64_t ticks)
{
    struct mpl_buf *all = &t->place[location].collective;
    const uint32_t part = (uint32_t) all->n;
    const uint32_t begin = add_event(t, location, ticks, MPL_EV_COLL_BEGIN, part);

    *(struct mpl_collective *) must(mpl_buf_add(all)) =
        (struct mpl_collective){ .begin = begin,
                                 .end = MPL_NONE,
                                 .comm = MPL_NONE,
                                 .root = MPL_NONE,
                                 .op = MPL_COLL_OTHER };
    return part;
}

void trace_coll_end(struct trace *t, uint32_t location, int64_t ticks, uint32_t part,
                    uint32_t comm, enum mpl_coll_op op, uint32_t root)
{
    const uint32_t end = add_event(t, location, ticks, MPL_EV_COLL_END, part);
    struct mpl_collective *c = mpl_buf_get(&t->place[location].collective, part);

    c->end = end;
    c->comm = comm;
    c->op = op;
    c->root = root;
    c->sent_bytes = 8;
    c->received_bytes = 8;
}

uint32_t trace_coll(struct trace *t, uint32_t location, int64_t from, int64_t to,
                    uint32_t comm, enum mpl_coll_op op, uint32_t root)
{
    const uint32_t part = trace_coll_begin(t, location, from);

    trace_coll_end(t, location, to, part, comm, op, root);
    return part;
}

void trace_set_coll_immediate(struct trace *t, uint32_t location, uint32_t part)
{
    struct mpl_collective *c = mpl_buf_get(&t->place[location].collective, part);

    c->is_immediate = true;
}

void trace_set_coll_bytes(struct trace *t, uint32_t location, uint32_t part,
                          uint64_t sent_bytes, uint64_t received_bytes)
{
    struct mpl_collective *c = mpl_buf_get(&t->place[location].collective, part);

    c->sent_bytes = sent_bytes;
    c->received_bytes = received_bytes;
}

/* ---- the model -------------------------------------------------------------------------------- */

struct mpl_model *trace_model(struct trace *t)
{
    struct mpl_model *m = t->model;
    const uint32_t n = m->n_locations;
    const struct mpl_clock_offset **offsets =
        must(MPL_NEW_ARRAY(t->arena, n, const struct mpl_clock_offset *));
    uint32_t *n_offsets = must(MPL_NEW_ARRAY(t->arena, n, uint32_t));

    for (uint32_t l = 0; l < n; l++) {
        struct mpl_location *loc = &m->locations[l];
        struct place *p = &t->place[l];

        loc->n_envelopes = (uint32_t) p->envelope.n;
        loc->n_collectives = (uint32_t) p->collective.n;
        loc->n_thread_records = (uint32_t) p->thread.n;
        n_offsets[l] = (uint32_t) p->offset.n;
        ck_assert(mpl_location_set_events(loc, (uint32_t) p->time.n, p->time.data,
                                          p->kind.data, p->ref.data, t->arena));
        m->n_events += loc->n_events;
        ck_assert(mpl_location_set_messages(loc, (uint32_t) p->message.n, p->message.data,
                                            t->arena));
        loc->envelopes = must(mpl_buf_take(&p->envelope, t->arena));
        loc->collectives = must(mpl_buf_take(&p->collective, t->arena));
        loc->thread_records = must(mpl_buf_take(&p->thread, t->arena));
        offsets[l] = must(mpl_buf_take(&p->offset, t->arena));
    }
    m->offsets = offsets;
    m->n_offsets = n_offsets;
    for (size_t c = 0; c < t->comm.n; c++) {
        struct mpl_comm *comm = mpl_buf_get(&t->comm, c);

        comm->name = comm->name == NULL ? "self" : comm->name;
    }
    m->n_comms = (uint32_t) t->comm.n;
    m->comms = must(mpl_buf_take(&t->comm, t->arena));
    m->n_regions = (uint32_t) t->region.n;
    m->regions = must(mpl_buf_take(&t->region, t->arena));
    mpl_model_check(m);
    return m;
}

/* ---- results ------------------------------------------------------------------------------------ */

const struct mpl_match *trace_match(const struct mpl_model *model, struct mpl_arena *arena)
{
    const struct mpl_match *match = NULL;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_match_create(model, arena, &match, &err), MPL_OK);
    check_match(model, match);
    return match;
}

void assert_partners(const struct mpl_match *match, uint32_t location, uint32_t message,
                     uint32_t other, uint32_t other_message)
{
    const struct mpl_end end = mpl_match_partner(match, location, message);

    ck_assert_uint_eq(end.location, other);
    ck_assert_uint_eq(end.message, other_message);
}

void assert_unmatched(const struct mpl_match *match, uint32_t location, uint32_t message)
{
    ck_assert_uint_eq(match->partner[location][message], MPL_NONE);
}

uint64_t note_count(const struct mpl_model *model, const char *note)
{
    const struct mpl_quality_note *found = mpl_quality_find(model->quality, note);

    return found == NULL ? 0 : found->count;
}

/* Check writes a record for every assertion, so those in long loops only speak when they fail. */
static bool is_pair(const struct mpl_model *model, const struct mpl_match *match,
                    uint32_t location, uint32_t message)
{
    const struct mpl_location *loc = &model->locations[location];
    const struct mpl_end end = mpl_match_partner(match, location, message);
    const struct mpl_location *other = &model->locations[end.location];
    const struct mpl_envelope *e = &loc->envelopes[mpl_message_get(loc, message).envelope];
    const struct mpl_envelope *o =
        &other->envelopes[mpl_message_get(other, end.message).envelope];
    const bool is_sure = !e->comm_unsure && !o->comm_unsure;

    return match->partner[end.location][end.message] ==
               match->first_number[location] + message &&
           e->is_send != o->is_send && e->tag == o->tag &&
           (!is_sure ||
            (e->comm == o->comm && e->peer == other->process && o->peer == loc->process));
}

static bool is_instance(const struct mpl_model *model, const struct mpl_match *match,
                        uint32_t number)
{
    const struct mpl_coll_instance *in = &match->instances[number];
    const struct mpl_comm *comm = &model->comms[in->comm];
    bool is_right = in->n_parts <= (comm->is_self ? 1 : comm->n_members + comm->n_remote) &&
                    (number == 0 || in[-1].comm <= in->comm);

    for (uint32_t i = 0; i < in->n_parts; i++) {
        const struct mpl_coll_part *part = &match->parts[in->first_part + i];

        is_right = is_right && (i == 0 || part[-1].rank < part->rank) &&
                   match->instance[part->location][part->collective] == number;
    }
    return is_right;
}

static bool is_relation(const struct mpl_model *model, const struct mpl_match *match,
                        const struct mpl_relation *r)
{
    bool is_right = r->n_sources > 0 && r->n_sinks > 0 && r->kind < MPL_RELATION_KINDS;

    for (size_t i = r->first; i < r->first + r->n_sources + r->n_sinks; i++) {
        const struct mpl_moment *m = &match->moments[i];

        is_right = is_right && m->location < model->n_locations &&
                   m->event < model->locations[m->location].n_events &&
                   model->locations[m->location].process == r->process;
    }
    return is_right;
}

void check_match(const struct mpl_model *model, const struct mpl_match *match)
{
    uint64_t n_ends = 0;
    uint64_t n_parts = 0;
    uint64_t n_wrong = 0;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        for (uint32_t i = 0; i < loc->n_messages; i++) {
            if (match->partner[l][i] != MPL_NONE) {
                n_wrong += is_pair(model, match, l, i) ? 0 : 1;
                n_ends++;
            }
        }
        for (uint32_t i = 0; i < loc->n_collectives; i++) {
            n_parts += match->instance[l][i] != MPL_NONE ? 1 : 0;
        }
    }
    ck_assert_uint_eq(n_wrong, 0);
    ck_assert_uint_eq(n_ends, 2 * match->counts.pairs);
    for (uint32_t i = 0; i < match->n_instances; i++) {
        n_wrong += is_instance(model, match, i) ? 0 : 1;
        n_parts -= match->instances[i].n_parts;
    }
    for (size_t i = 0; i < match->n_relations; i++) {
        n_wrong += is_relation(model, match, &match->relations[i]) ? 0 : 1;
    }
    ck_assert_uint_eq(n_wrong, 0);
    ck_assert_uint_eq(n_parts, 0);
}

/* ---- shared traces ------------------------------------------------------------------------------- */

const char *trace_path(struct mpl_arena *arena, const char *trace, const char *file)
{
    return must(file == NULL
                    ? mpl_arena_printf(arena, "%s/%s", traces_folder(), trace)
                    : mpl_arena_printf(arena, "%s/%s/%s", traces_folder(), trace, file));
}
