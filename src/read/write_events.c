#include "config.h"

#include "read/write_priv.h"

/** The events of one location while they are written. */
struct writing {
    struct mpl_record_writer *writer;
    const struct mpl_model *model;
    const struct mpl_write_teams *teams;
    const struct mpl_location *loc;
    uint32_t next_record; /**< Thread record that belongs to this event or a later one. */
    uint32_t comm;        /**< Of the root that was looked up last. */
    uint32_t root;
    uint32_t root_rank;
};

/* Requests are numbered by message and by collective; 0 stands for requests that nobody knows,
 * and the two kinds must not meet. */
static uint64_t request_of_message(uint32_t message)
{
    return message == MPL_NONE ? 0 : (uint64_t) message + 1;
}

static uint64_t request_of_collective(uint32_t collective)
{
    return (UINT64_C(1) << 33) + collective;
}

/* Writes a record of the given fields. */
#define PUT(w, time, type, ...) \
    mpl_record_put((w)->writer, time, type, (const uint64_t[]){ __VA_ARGS__ })

static void write_message(const struct writing *w, enum mpl_record type, uint64_t time,
                          uint32_t number)
{
    const struct mpl_message message = mpl_message_get(w->loc, number);
    const struct mpl_envelope *e = &w->loc->envelopes[message.envelope];
    /* What makes an end garbage may be its length, which the model does not keep. */
    const uint64_t bytes = e->is_garbage ? UINT64_MAX - 1 : message.bytes;

    /* A record of a blocking call has no request: the last one is left out. */
    PUT(w, time, type, e->peer_rank, e->comm, e->tag, bytes, request_of_message(number));
}

/* ---- collectives ------------------------------------------------------------------------ */

static uint8_t op_of(enum mpl_coll_op op)
{
    switch (op) {
    case MPL_COLL_CREATE:
        return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
    case MPL_COLL_DESTROY:
        return OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
    case MPL_COLL_OTHER:
        return OTF2_COLLECTIVE_OP_ALLOCATE;
    default:
        return (uint8_t) op; /* the others have the same numbers */
    }
}

static uint32_t rank_in(const uint32_t *members, uint32_t n, uint32_t process)
{
    for (uint32_t i = 0; i < n; i++) {
        if (members[i] == process) {
            return i;
        }
    }
    return OTF2_UNDEFINED_UINT32;
}

static uint32_t find_root(struct writing *w, const struct mpl_collective *part)
{
    if (part->root == MPL_NONE || part->comm == MPL_NONE) {
        return OTF2_COLLECTIVE_ROOT_NONE;
    }
    const struct mpl_comm *comm = &w->model->comms[part->comm];
    if (comm->is_self) {
        return 0;
    }
    if (comm->n_remote > 0 && part->root == w->loc->process) {
        return OTF2_COLLECTIVE_ROOT_SELF;
    }
    if (w->comm != part->comm || w->root != part->root) {
        w->comm = part->comm;
        w->root = part->root;
        w->root_rank = rank_in(comm->members, comm->n_members, part->root);
        if (comm->n_remote > 0 && rank_in(comm->members, comm->n_members,
                                          w->loc->process) != OTF2_UNDEFINED_UINT32) {
            w->root_rank = rank_in(comm->remote, comm->n_remote, part->root);
        }
    }
    return w->root_rank;
}

static void write_coll_begin(const struct writing *w, uint64_t time, uint32_t number)
{
    const bool is_immediate =
        number != MPL_NONE && w->loc->collectives[number].is_immediate;

    PUT(w, time, is_immediate ? MPL_REC_ICOLL_REQUEST : MPL_REC_COLL_BEGIN,
        request_of_collective(number));
}

static void write_coll_end(struct writing *w, uint64_t time, uint32_t number)
{
    const struct mpl_collective *part = &w->loc->collectives[number];

    PUT(w, time, part->is_immediate ? MPL_REC_ICOLL_COMPLETE : MPL_REC_COLL_END,
        op_of(part->op), part->comm, find_root(w, part), part->sent_bytes,
        part->received_bytes, request_of_collective(number));
}

/* ---- the rest ------------------------------------------------------------------------------- */

/* The thread record of event \p i; NULL if it has none. Events come in order. */
static const struct mpl_thread_record *thread_record(struct writing *w, uint32_t i)
{
    if (w->next_record == w->loc->n_thread_records ||
        w->loc->thread_records[w->next_record].event != i) {
        return NULL;
    }
    return &w->loc->thread_records[w->next_record++];
}

static uint32_t team_ref(const struct writing *w, uint32_t number)
{
    return mpl_write_teams_ref(w->teams, w->model, w->loc->process, number);
}

static void write_mark(struct writing *w, uint64_t time, uint32_t i)
{
    static const enum mpl_record records[] = { [MPL_ACT_CREATE] = MPL_REC_THREAD_CREATE,
                                               [MPL_ACT_BEGIN] = MPL_REC_THREAD_BEGIN,
                                               [MPL_ACT_WAIT] = MPL_REC_THREAD_WAIT,
                                               [MPL_ACT_END] = MPL_REC_THREAD_END };
    const struct mpl_thread_record *r = thread_record(w, i);

    if (r == NULL) {
        PUT(w, time, MPL_REC_THREAD_BEGIN, OTF2_UNDEFINED_COMM, 0);
    } else {
        PUT(w, time, records[r->act], team_ref(w, r->object), r->number);
    }
}

/* Of each kind of event; of some the record depends on more. */
static const uint8_t record_of[] = {
    [MPL_EV_ENTER] = MPL_REC_ENTER,
    [MPL_EV_LEAVE] = MPL_REC_LEAVE,
    [MPL_EV_SEND] = MPL_REC_SEND,
    [MPL_EV_ISEND] = MPL_REC_ISEND,
    [MPL_EV_ISEND_DONE] = MPL_REC_ISEND_COMPLETE,
    [MPL_EV_RECV] = MPL_REC_RECV,
    [MPL_EV_IRECV_POST] = MPL_REC_IRECV_REQUEST,
    [MPL_EV_IRECV] = MPL_REC_IRECV,
    [MPL_EV_FORK] = MPL_REC_THREAD_FORK,
    [MPL_EV_JOIN] = MPL_REC_THREAD_JOIN,
    [MPL_EV_TEAM_BEGIN] = MPL_REC_TEAM_BEGIN,
    [MPL_EV_TEAM_END] = MPL_REC_TEAM_END,
    [MPL_EV_LOCK] = MPL_REC_ACQUIRE_LOCK,
    [MPL_EV_UNLOCK] = MPL_REC_RELEASE_LOCK,
    [MPL_EV_OFF] = MPL_REC_ON_OFF,
    [MPL_EV_ON] = MPL_REC_ON_OFF,
    [MPL_EV_MARK] = MPL_REC_THREAD_BEGIN,
};

static void write_event(struct writing *w, uint32_t i)
{
    const struct mpl_location *loc = w->loc;
    const enum mpl_event_kind kind = (enum mpl_event_kind) mpl_kind_of(loc, i);
    const enum mpl_record type = (enum mpl_record) record_of[kind];
    const uint64_t time = loc->base_ticks + (uint64_t) mpl_ticks_of(loc, i);
    const uint32_t ref = mpl_ref_of(loc, i);
    const struct mpl_thread_record *lock;

    switch (kind) {
    case MPL_EV_SEND:
    case MPL_EV_ISEND:
    case MPL_EV_RECV:
    case MPL_EV_IRECV:
        write_message(w, type, time, ref);
        break;
    case MPL_EV_ISEND_DONE:
    case MPL_EV_IRECV_POST:
        PUT(w, time, type, request_of_message(ref));
        break;
    case MPL_EV_COLL_BEGIN:
        write_coll_begin(w, time, ref);
        break;
    case MPL_EV_COLL_END:
        write_coll_end(w, time, ref);
        break;
    case MPL_EV_FORK:
    case MPL_EV_JOIN: /* has no number */
        PUT(w, time, type, OTF2_PARADIGM_OPENMP, ref);
        break;
    case MPL_EV_TEAM_BEGIN:
    case MPL_EV_TEAM_END:
        PUT(w, time, type, team_ref(w, ref));
        break;
    case MPL_EV_LOCK:
    case MPL_EV_UNLOCK:
        lock = thread_record(w, i);
        PUT(w, time, type, OTF2_PARADIGM_OPENMP, ref, lock != NULL ? lock->number : 0);
        break;
    case MPL_EV_FLUSH_BEGIN: /* its end follows it and is written with it */
        mpl_record_put_flush(w->writer, time,
                             loc->base_ticks + (uint64_t) mpl_ticks_of(loc, i + 1));
        break;
    case MPL_EV_FLUSH_END:
        break;
    case MPL_EV_OFF:
    case MPL_EV_ON:
        PUT(w, time, type, kind == MPL_EV_ON ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
        break;
    case MPL_EV_MARK:
        write_mark(w, time, i);
        break;
    default: /* ENTER and LEAVE */
        PUT(w, time, type, ref);
    }
}

uint64_t mpl_write_count(const struct mpl_location *loc)
{
    uint64_t n = loc->n_events;

    for (uint32_t i = 0; i < loc->n_events; i++) {
        n -= mpl_kind_of(loc, i) == MPL_EV_FLUSH_END;
    }
    return n;
}

void mpl_write_events(struct mpl_record_writer *writer, const struct mpl_model *model,
                      const struct mpl_write_teams *teams,
                      const struct mpl_location *location)
{
    struct writing w = { .writer = writer,
                         .model = model,
                         .teams = teams,
                         .loc = location,
                         .comm = MPL_NONE,
                         .root = MPL_NONE };

    for (uint32_t i = 0; i < location->n_events && writer->status == MPL_OK; i++) {
        write_event(&w, i);
    }
}
