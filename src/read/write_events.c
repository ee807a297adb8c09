#include "config.h"

#include "read/write_priv.h"

/** The events of one location while they are written. */
struct writing {
    OTF2_EvtWriter *writer;
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

static OTF2_ErrorCode write_message(const struct writing *w, enum mpl_event_kind kind,
                                    uint64_t time, uint32_t number)
{
    const struct mpl_message *message = &w->loc->messages[number];
    const struct mpl_envelope *e = &w->loc->envelopes[message->envelope];
    const uint64_t request = request_of_message(number);
    const OTF2_CommRef comm = e->comm == MPL_NONE ? OTF2_UNDEFINED_COMM : e->comm;
    /* What makes an end garbage may be its length, which the model does not keep. */
    const uint64_t bytes = e->is_garbage ? UINT64_MAX - 1 : message->bytes;

    switch (kind) {
    case MPL_EV_SEND:
        return OTF2_EvtWriter_MpiSend(w->writer, NULL, time, e->peer_rank, comm, e->tag,
                                      bytes);
    case MPL_EV_ISEND:
        return OTF2_EvtWriter_MpiIsend(w->writer, NULL, time, e->peer_rank, comm, e->tag,
                                       bytes, request);
    case MPL_EV_RECV:
        return OTF2_EvtWriter_MpiRecv(w->writer, NULL, time, e->peer_rank, comm, e->tag,
                                      bytes);
    default:
        return OTF2_EvtWriter_MpiIrecv(w->writer, NULL, time, e->peer_rank, comm, e->tag,
                                       bytes, request);
    }
}

/* ---- collectives ------------------------------------------------------------------------ */

static OTF2_CollectiveOp op_of(enum mpl_coll_op op)
{
    switch (op) {
    case MPL_COLL_CREATE:
        return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
    case MPL_COLL_DESTROY:
        return OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
    case MPL_COLL_OTHER:
        return OTF2_COLLECTIVE_OP_ALLOCATE;
    default:
        return (OTF2_CollectiveOp) op; /* the others have the same numbers */
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

static OTF2_ErrorCode write_coll_begin(const struct writing *w, uint64_t time,
                                       uint32_t number)
{
    if (number != MPL_NONE && w->loc->collectives[number].is_immediate) {
        return OTF2_EvtWriter_NonBlockingCollectiveRequest(w->writer, NULL, time,
                                                           request_of_collective(number));
    }
    return OTF2_EvtWriter_MpiCollectiveBegin(w->writer, NULL, time);
}

static OTF2_ErrorCode write_coll_end(struct writing *w, uint64_t time, uint32_t number)
{
    const struct mpl_collective *part = &w->loc->collectives[number];
    const OTF2_CommRef comm = part->comm == MPL_NONE ? OTF2_UNDEFINED_COMM : part->comm;

    if (part->is_immediate) {
        return OTF2_EvtWriter_NonBlockingCollectiveComplete(
            w->writer, NULL, time, op_of(part->op), comm, find_root(w, part),
            part->sent_bytes, part->received_bytes, request_of_collective(number));
    }
    return OTF2_EvtWriter_MpiCollectiveEnd(w->writer, NULL, time, op_of(part->op), comm,
                                           find_root(w, part), part->sent_bytes,
                                           part->received_bytes);
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

static OTF2_CommRef team_ref(const struct writing *w, uint32_t number)
{
    return mpl_write_teams_ref(w->teams, w->model, w->loc->process, number);
}

static OTF2_ErrorCode write_lock(struct writing *w, uint64_t time, uint32_t i)
{
    const struct mpl_thread_record *r = thread_record(w, i);
    const uint32_t order = r != NULL ? r->number : 0;

    return w->loc->kind[i] == MPL_EV_LOCK
               ? OTF2_EvtWriter_ThreadAcquireLock(w->writer, NULL, time,
                                                  OTF2_PARADIGM_OPENMP,
                                                  mpl_ref_of(w->loc, i), order)
               : OTF2_EvtWriter_ThreadReleaseLock(w->writer, NULL, time,
                                                  OTF2_PARADIGM_OPENMP,
                                                  mpl_ref_of(w->loc, i), order);
}

static OTF2_ErrorCode write_mark(struct writing *w, uint64_t time, uint32_t i)
{
    const struct mpl_thread_record *r = thread_record(w, i);

    if (r == NULL) {
        return OTF2_EvtWriter_ThreadBegin(w->writer, NULL, time, OTF2_UNDEFINED_COMM, 0);
    }
    const OTF2_CommRef group = team_ref(w, r->object);
    switch (r->act) {
    case MPL_ACT_CREATE:
        return OTF2_EvtWriter_ThreadCreate(w->writer, NULL, time, group, r->number);
    case MPL_ACT_WAIT:
        return OTF2_EvtWriter_ThreadWait(w->writer, NULL, time, group, r->number);
    case MPL_ACT_END:
        return OTF2_EvtWriter_ThreadEnd(w->writer, NULL, time, group, r->number);
    default:
        return OTF2_EvtWriter_ThreadBegin(w->writer, NULL, time, group, r->number);
    }
}

static OTF2_ErrorCode write_other(struct writing *w, enum mpl_event_kind kind,
                                  uint64_t time, uint32_t i)
{
    const struct mpl_location *loc = w->loc;
    const uint32_t ref = mpl_ref_of(loc, i);
    OTF2_EvtWriter *writer = w->writer;

    switch (kind) {
    case MPL_EV_FORK:
        return OTF2_EvtWriter_ThreadFork(writer, NULL, time, OTF2_PARADIGM_OPENMP, ref);
    case MPL_EV_JOIN:
        return OTF2_EvtWriter_ThreadJoin(writer, NULL, time, OTF2_PARADIGM_OPENMP);
    case MPL_EV_TEAM_BEGIN:
        return OTF2_EvtWriter_ThreadTeamBegin(writer, NULL, time, team_ref(w, ref));
    case MPL_EV_TEAM_END:
        return OTF2_EvtWriter_ThreadTeamEnd(writer, NULL, time, team_ref(w, ref));
    case MPL_EV_LOCK:
    case MPL_EV_UNLOCK:
        return write_lock(w, time, i);
    case MPL_EV_FLUSH_BEGIN: /* its end follows it and is written with it */
        return OTF2_EvtWriter_BufferFlush(
            writer, NULL, time, loc->base_ticks + (uint64_t) mpl_ticks_of(loc, i + 1));
    case MPL_EV_OFF:
        return OTF2_EvtWriter_MeasurementOnOff(writer, NULL, time, OTF2_MEASUREMENT_OFF);
    case MPL_EV_ON:
        return OTF2_EvtWriter_MeasurementOnOff(writer, NULL, time, OTF2_MEASUREMENT_ON);
    case MPL_EV_MARK:
        return write_mark(w, time, i);
    default:
        return OTF2_SUCCESS;
    }
}

static OTF2_ErrorCode write_event(struct writing *w, uint32_t i)
{
    const struct mpl_location *loc = w->loc;
    const enum mpl_event_kind kind = (enum mpl_event_kind) loc->kind[i];
    const uint64_t time = loc->base_ticks + (uint64_t) mpl_ticks_of(loc, i);
    const uint32_t ref = mpl_ref_of(loc, i);

    switch (kind) {
    case MPL_EV_ENTER:
        return OTF2_EvtWriter_Enter(w->writer, NULL, time, ref);
    case MPL_EV_LEAVE:
        return OTF2_EvtWriter_Leave(w->writer, NULL, time, ref);
    case MPL_EV_SEND:
    case MPL_EV_ISEND:
    case MPL_EV_RECV:
    case MPL_EV_IRECV:
        return write_message(w, kind, time, ref);
    case MPL_EV_ISEND_DONE:
        return OTF2_EvtWriter_MpiIsendComplete(w->writer, NULL, time,
                                               request_of_message(ref));
    case MPL_EV_IRECV_POST:
        return OTF2_EvtWriter_MpiIrecvRequest(w->writer, NULL, time,
                                              request_of_message(ref));
    case MPL_EV_COLL_BEGIN:
        return write_coll_begin(w, time, ref);
    case MPL_EV_COLL_END:
        return write_coll_end(w, time, ref);
    default:
        return write_other(w, kind, time, i);
    }
}

uint64_t mpl_write_count(const struct mpl_location *loc)
{
    uint64_t n = loc->n_events;

    for (uint32_t i = 0; i < loc->n_events; i++) {
        n -= loc->kind[i] == MPL_EV_FLUSH_END;
    }
    return n;
}

OTF2_ErrorCode mpl_write_events(OTF2_EvtWriter *writer, const struct mpl_model *model,
                                const struct mpl_write_teams *teams,
                                const struct mpl_location *location)
{
    struct writing w = { .writer = writer,
                         .model = model,
                         .teams = teams,
                         .loc = location,
                         .comm = MPL_NONE,
                         .root = MPL_NONE };
    OTF2_ErrorCode code = OTF2_SUCCESS;

    for (uint32_t i = 0; i < location->n_events && code == OTF2_SUCCESS; i++) {
        code = write_event(&w, i);
    }
    return code;
}
