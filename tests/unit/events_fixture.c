#include "config.h"

#include "events_fixture.h"

#include <string.h>

enum { FEW = 64 };

/* One location; columns grow by doubling in the arena. */
struct line {
    uint32_t room;
    struct mpl_location *loc;
    int64_t *time;
    uint8_t *kind;
    uint32_t *ref;
    struct mpl_message *messages;
    struct mpl_envelope *envelopes;
    struct mpl_collective *collectives;
};

struct fixture {
    struct mpl_arena *arena;
    struct mpl_model *model;
    struct mpl_region *regions;
    struct line *lines;
    bool is_completing; /* posted receives are completed */
};

static void *array(struct fixture *f, size_t n, size_t size)
{
    void *items = mpl_arena_array(f->arena, n, size);

    ck_assert_ptr_nonnull(items);
    return items;
}

/* ---- definitions ------------------------------------------------------------- */

static void make_processes(struct fixture *f, uint32_t n_ranks, uint32_t n_threads)
{
    struct mpl_process *processes =
        (struct mpl_process *) array(f, n_ranks, sizeof *processes);
    uint32_t *members = (uint32_t *) array(f, n_ranks, sizeof *members);
    struct mpl_comm *comm = (struct mpl_comm *) array(f, 1, sizeof *comm);

    for (uint32_t p = 0; p < n_ranks; p++) {
        uint32_t *locations = (uint32_t *) array(f, n_threads, sizeof *locations);

        for (uint32_t t = 0; t < n_threads; t++) {
            struct mpl_location *loc = &f->model->locations[p * n_threads + t];

            locations[t] = p * n_threads + t;
            loc->label = mpl_arena_printf(f->arena, t == 0 ? "%u" : "%u.%u", p, t);
            loc->name = loc->label;
            loc->process = p;
            loc->thread = t;
        }
        members[p] = p;
        processes[p] = (struct mpl_process){
            .rank = p, .name = "process", .n_locations = n_threads, .locations = locations
        };
    }
    *comm = (struct mpl_comm){ .name = "MPI_COMM_WORLD",
                               .n_members = n_ranks,
                               .members = members };
    f->model->processes = processes;
    f->model->n_processes = n_ranks;
    f->model->comms = comm;
    f->model->n_comms = 1;
}

struct fixture *fixture_create(struct mpl_arena *arena, uint32_t n_ranks,
                               uint32_t n_threads)
{
    const uint32_t n = n_ranks * n_threads;
    struct fixture *f = MPL_NEW(arena, struct fixture);

    ck_assert_ptr_nonnull(f);
    f->arena = arena;
    f->is_completing = true;
    f->model = (struct mpl_model *) array(f, 1, sizeof *f->model);
    f->model->path = "fixture";
    f->model->tracer = MPL_TRACER_TEXT;
    f->model->ticks_per_s = 1000000;
    f->model->quality = mpl_quality_create(arena);
    f->model->n_locations = n;
    f->model->locations = (struct mpl_location *) array(f, n, sizeof *f->model->locations);
    f->model->offsets =
        (const struct mpl_clock_offset **) array(f, n, sizeof *f->model->offsets);
    f->model->n_offsets = (const uint32_t *) array(f, n, sizeof *f->model->n_offsets);
    f->regions = (struct mpl_region *) array(f, FEW, sizeof *f->regions);
    f->model->regions = f->regions;
    f->lines = (struct line *) array(f, n, sizeof *f->lines);
    make_processes(f, n_ranks, n_threads);
    for (uint32_t l = 0; l < n; l++) {
        f->lines[l].loc = &f->model->locations[l];
    }
    return f;
}

void fixture_set_tracer(struct fixture *f, enum mpl_tracer tracer)
{
    f->model->tracer = tracer;
}

void fixture_set_receive_completions(struct fixture *f, bool has_them)
{
    f->is_completing = has_them;
}

static uint32_t region_index(struct fixture *f, const char *name)
{
    struct mpl_region *region;

    for (uint32_t r = 0; r < f->model->n_regions; r++) {
        if (strcmp(f->regions[r].name, name) == 0) {
            return r;
        }
    }
    ck_assert_uint_lt(f->model->n_regions, FEW);
    region = &f->regions[f->model->n_regions];
    region->name = mpl_arena_strdup(f->arena, name);
    region->kind = mpl_region_kind_of_name(name, &region->mode);
    if (strcmp(name, "Working") == 0 || strcmp(name, "compute") == 0 ||
        strcmp(name, "EZTrace finalize") == 0 || strcmp(name, "TRACE BUFFER FLUSH") == 0) {
        region->kind = MPL_REGION_TRACER;
    }
    return f->model->n_regions++;
}

/* ---- records ---------------------------------------------------------------------- */

static void grow(struct fixture *f, struct line *line)
{
    struct mpl_location *loc = line->loc;
    const uint32_t room = line->room == 0 ? 64 : 2 * line->room;
    int64_t *time = (int64_t *) array(f, room, sizeof *time);
    uint8_t *kind = (uint8_t *) array(f, room, sizeof *kind);
    uint32_t *ref = (uint32_t *) array(f, room, sizeof *ref);
    struct mpl_message *messages = (struct mpl_message *) array(f, room, sizeof *messages);
    struct mpl_envelope *envelopes =
        (struct mpl_envelope *) array(f, room, sizeof *envelopes);
    struct mpl_collective *parts = (struct mpl_collective *) array(f, room, sizeof *parts);

    if (line->room > 0) {
        memcpy(time, line->time, loc->n_events * sizeof *time);
        memcpy(kind, line->kind, loc->n_events * sizeof *kind);
        memcpy(ref, line->ref, loc->n_events * sizeof *ref);
        memcpy(messages, line->messages, loc->n_messages * sizeof *messages);
        memcpy(envelopes, line->envelopes, loc->n_envelopes * sizeof *envelopes);
        memcpy(parts, line->collectives, loc->n_collectives * sizeof *parts);
    }
    line->room = room;
    line->time = time;
    line->kind = kind;
    line->ref = ref;
    line->messages = messages;
    loc->envelopes = line->envelopes = envelopes;
    loc->collectives = line->collectives = parts;
}

static uint32_t add(struct fixture *f, uint32_t location, int64_t us,
                    enum mpl_event_kind kind, uint32_t ref)
{
    struct line *line = &f->lines[location];
    struct mpl_location *loc = line->loc;

    if (loc->n_events == line->room) {
        grow(f, line);
    }
    line->time[loc->n_events] = us;
    line->kind[loc->n_events] = (uint8_t) kind;
    line->ref[loc->n_events] = ref;
    f->model->n_events++;
    return loc->n_events++;
}

void fixture_enter(struct fixture *f, uint32_t location, int64_t us, const char *region)
{
    (void) add(f, location, us, MPL_EV_ENTER, region_index(f, region));
}

void fixture_leave(struct fixture *f, uint32_t location, int64_t us, const char *region)
{
    (void) add(f, location, us, MPL_EV_LEAVE, region_index(f, region));
}

void fixture_record(struct fixture *f, uint32_t location, int64_t us,
                    enum mpl_event_kind kind)
{
    (void) add(f, location, us, kind, 0);
}

static uint32_t envelope_index(struct line *line, uint32_t peer, uint32_t tag, bool is_send)
{
    struct mpl_location *loc = line->loc;
    struct mpl_envelope *e;

    for (uint32_t i = 0; i < loc->n_envelopes; i++) {
        e = &line->envelopes[i];
        if (e->peer == peer && e->tag == tag && e->is_send == is_send) {
            return i;
        }
    }
    e = &line->envelopes[loc->n_envelopes];
    e->peer = e->peer_rank = peer;
    e->tag = tag;
    e->is_send = is_send;
    e->is_null = peer == MPL_NONE;
    return loc->n_envelopes++;
}

/* Sets the envelope and the record of a message end; every message is 8 bytes long. */
static void complete(struct line *line, uint32_t message, uint32_t event, uint32_t envelope)
{
    line->messages[message].envelope = envelope;
    line->messages[message].event = event;
    line->messages[message].bytes = 8;
}

static uint32_t new_message(struct line *line)
{
    const uint32_t message = line->loc->n_messages++;

    line->messages[message].envelope = MPL_NONE;
    line->messages[message].event = MPL_NONE;
    line->messages[message].post = MPL_NONE;
    return message;
}

static uint32_t whole_message(struct fixture *f, uint32_t location, int64_t us,
                              enum mpl_event_kind kind, uint32_t peer, uint32_t tag)
{
    struct line *line = &f->lines[location];
    const uint32_t event = add(f, location, us, kind, line->loc->n_messages);
    const uint32_t message = new_message(line);

    complete(line, message, event, envelope_index(line, peer, tag, kind != MPL_EV_RECV));
    return message;
}

uint32_t fixture_send(struct fixture *f, uint32_t location, int64_t us, uint32_t peer,
                      uint32_t tag)
{
    return whole_message(f, location, us, MPL_EV_SEND, peer, tag);
}

uint32_t fixture_isend(struct fixture *f, uint32_t location, int64_t us, uint32_t peer,
                       uint32_t tag)
{
    return whole_message(f, location, us, MPL_EV_ISEND, peer, tag);
}

void fixture_isend_done(struct fixture *f, uint32_t location, int64_t us, uint32_t message)
{
    const uint32_t event = add(f, location, us, MPL_EV_ISEND_DONE, message);

    f->lines[location].messages[message].post = event;
}

uint32_t fixture_recv(struct fixture *f, uint32_t location, int64_t us, uint32_t peer,
                      uint32_t tag)
{
    return whole_message(f, location, us, MPL_EV_RECV, peer, tag);
}

uint32_t fixture_post(struct fixture *f, uint32_t location, int64_t us)
{
    struct line *line = &f->lines[location];
    const uint32_t event = add(f, location, us, MPL_EV_IRECV_POST, line->loc->n_messages);
    const uint32_t message = new_message(line);

    line->messages[message].post = event;
    return message;
}

void fixture_irecv(struct fixture *f, uint32_t location, int64_t us, uint32_t message,
                   uint32_t peer, uint32_t tag)
{
    struct line *line = &f->lines[location];
    const uint32_t event = add(f, location, us, MPL_EV_IRECV, message);

    complete(line, message, event, envelope_index(line, peer, tag, false));
}

uint32_t fixture_coll_begin(struct fixture *f, uint32_t location, int64_t us)
{
    struct line *line = &f->lines[location];
    const uint32_t event =
        add(f, location, us, MPL_EV_COLL_BEGIN, line->loc->n_collectives);
    const uint32_t part = line->loc->n_collectives++;

    line->collectives[part] = (struct mpl_collective){
        .begin = event, .end = MPL_NONE, .comm = MPL_NONE, .root = MPL_NONE
    };
    return part;
}

void fixture_coll_end(struct fixture *f, uint32_t location, int64_t us, uint32_t part,
                      enum mpl_coll_op op, uint32_t root, uint64_t sent_bytes,
                      uint64_t received_bytes)
{
    struct line *line = &f->lines[location];
    const uint32_t event = add(f, location, us, MPL_EV_COLL_END, part);
    struct mpl_collective *record = &line->collectives[part];

    record->end = event;
    record->comm = 0;
    record->root = root;
    record->op = op;
    record->sent_bytes = sent_bytes;
    record->received_bytes = received_bytes;
}

void fixture_set_immediate(struct fixture *f, uint32_t location, uint32_t part)
{
    f->lines[location].collectives[part].is_immediate = true;
}

/* ---- calls -------------------------------------------------------------------------- */

void fixture_call(struct fixture *f, uint32_t location, int64_t from_us, int64_t to_us,
                  const char *region)
{
    fixture_enter(f, location, from_us, region);
    fixture_leave(f, location, to_us, region);
}

void fixture_call_send(struct fixture *f, uint32_t location, int64_t from_us, int64_t to_us,
                       const char *region, uint32_t peer, uint32_t tag)
{
    fixture_enter(f, location, from_us, region);
    (void) fixture_send(f, location, from_us, peer, tag);
    fixture_leave(f, location, to_us, region);
}

void fixture_call_recv(struct fixture *f, uint32_t location, int64_t from_us, int64_t to_us,
                       uint32_t peer, uint32_t tag)
{
    fixture_enter(f, location, from_us, "MPI_Recv");
    (void) fixture_recv(f, location, to_us, peer, tag);
    fixture_leave(f, location, to_us, "MPI_Recv");
}

void fixture_call_coll(struct fixture *f, uint32_t location, int64_t from_us, int64_t to_us,
                       enum mpl_coll_op op, uint32_t root)
{
    const char *region = op == MPL_COLL_DESTROY ? "MPI_Comm_free" : mpl_coll_op_name(op);
    uint32_t part;

    fixture_enter(f, location, from_us, region);
    part = fixture_coll_begin(f, location, from_us);
    fixture_coll_end(f, location, to_us, part, op, root, 8, 8);
    fixture_leave(f, location, to_us, region);
}

/* ---- end ------------------------------------------------------------------------------- */

const struct mpl_events *fixture_events(struct fixture *f)
{
    struct mpl_capabilities *can = &f->model->can;
    const struct mpl_match *match = NULL;
    const struct mpl_events *events = NULL;
    struct mpl_err err = { 0 };

    can->has_messages = true;
    can->has_receive_completions = f->is_completing;
    can->has_collectives = true;
    can->has_immediate_collectives_complete = true;
    for (uint32_t l = 0; l < f->model->n_locations; l++) {
        const struct line *line = &f->lines[l];

        ck_assert(mpl_location_set_events(line->loc, line->loc->n_events, line->time,
                                          line->kind, line->ref, f->arena));
        ck_assert(mpl_location_set_messages(line->loc, line->loc->n_messages,
                                            line->messages, f->arena));
    }
    mpl_model_check(f->model);
    ck_assert_int_eq(mpl_match_create(f->model, f->arena, &match, &err), MPL_OK);
    ck_assert_int_eq(mpl_events_create(f->model, match, NULL, f->arena, &events, &err),
                     MPL_OK);
    return events;
}

struct mpl_model *fixture_model(const struct fixture *f)
{
    return f->model;
}

/* ---- assertions ------------------------------------------------------------------------ */

void fixture_assert_wait(const struct mpl_events *events, uint32_t location, uint32_t span,
                         enum mpl_wait_kind kind, int64_t us, uint32_t culprit)
{
    const struct mpl_span s = mpl_events_span(events, location, span);

    ck_assert_str_eq(mpl_wait_kind_name(s.wait_kind), mpl_wait_kind_name(kind));
    ck_assert_int_eq(s.wait_ticks, us);
    ck_assert_uint_eq(s.culprit, culprit);
    ck_assert(s.is_wait_known);
}

void fixture_assert_span(const struct mpl_events *events, uint32_t location, uint32_t span,
                         enum mpl_span_class class, int64_t enter_us, int64_t leave_us)
{
    const struct mpl_span s = mpl_events_span(events, location, span);

    ck_assert_int_eq(s.class, class);
    ck_assert_int_eq(s.enter_ticks, enter_us);
    ck_assert_int_eq(s.leave_ticks, leave_us);
}
