/*
 * Sends, receives and probes as they begin. Nothing goes to or comes from MPI_PROC_NULL, so nothing is recorded
 * of that but the call.
 */
#include "config.h"

#include "trace/record_priv.h"

static uint64_t peer_word(int peer, int tag)
{
    return (uint64_t) (uint32_t) peer | (uint64_t) (uint32_t) tag << 32;
}

/* MPIs have different numbers for any. */
static uint64_t asked_word(int source, int tag)
{
    return peer_word(source == MPI_ANY_SOURCE ? MPL_SPOOL_ANY : source,
                     tag == MPI_ANY_TAG ? MPL_SPOOL_ANY : tag);
}

static uint16_t open_ends(int source, int tag)
{
    return (uint16_t) ((source == MPI_ANY_SOURCE ? MPL_SPOOL_ANY_SOURCE : 0) |
                       (tag == MPI_ANY_TAG ? MPL_SPOOL_ANY_TAG : 0));
}

/* ---- blocking ones -------------------------------------------------------------------------- */

void mpl_sends(struct mpl_call_now *c, uint64_t bytes, int dest, int tag, MPI_Comm comm)
{
    if (dest != MPI_PROC_NULL && !c->is_quiet) {
        mpl_put(c->track, c->begin_time,
                MPL_SPOOL_WORD(MPL_SPOOL_SEND, 4, 0, mpl_comm_number(c, comm)),
                peer_word(dest, tag), bytes, 0, 0);
    }
}

void mpl_asks(struct mpl_call_now *c, int source, int tag, MPI_Comm comm)
{
    c->comm = mpl_comm_number(c, comm);
    c->peer = source;
    c->tag = tag;
    if (source != MPI_PROC_NULL && !c->is_quiet) {
        mpl_put(c->track, c->begin_time, MPL_SPOOL_WORD(MPL_SPOOL_ASKED, 3, 0, c->comm),
                asked_word(source, tag), 0, 0, 0);
    }
}

void mpl_receives(struct mpl_call_now *c, const MPI_Status *status)
{
    if (c->peer != MPI_PROC_NULL && !c->is_quiet) {
        mpl_put(c->track, c->end_time,
                MPL_SPOOL_WORD(MPL_SPOOL_RECV, 4, open_ends(c->peer, c->tag), c->comm),
                peer_word(status->MPI_SOURCE, status->MPI_TAG), mpl_received(status), 0, 0);
    }
}

/* ---- those that are begun here ----------------------------------------------------------------- */

/* Writes down that it has begun. The lock is held. */
static void begin(struct mpl_call_now *c, struct mpl_request *r)
{
    const bool is_send = r->kind == MPL_REQUEST_SEND || r->kind == MPL_REQUEST_BOTH;
    const bool is_recv = r->kind == MPL_REQUEST_RECV || r->kind == MPL_REQUEST_BOTH;

    r->is_active = true;
    r->is_cancelled = false;
    r->number = 0;
    if (c->is_quiet) {
        return;
    }
    r->number = mpl_request_number();
    if (is_send && r->peer != MPI_PROC_NULL) {
        mpl_put(c->track, c->begin_time, MPL_SPOOL_WORD(MPL_SPOOL_ISEND, 5, 0, r->comm),
                peer_word(r->peer, r->tag), r->sent, r->number, 0);
    }
    if (r->kind == MPL_REQUEST_BOTH) {
        (void) mpl_request_number();
    }
    if (is_recv && r->source != MPI_PROC_NULL) {
        mpl_put(c->track, c->begin_time, MPL_SPOOL_WORD(MPL_SPOOL_POST, 4, 0, r->comm),
                asked_word(r->source, r->source_tag),
                r->number + (r->kind == MPL_REQUEST_BOTH), 0, 0);
    }
    if (r->kind == MPL_REQUEST_COLL) {
        mpl_put(c->track, c->begin_time, MPL_SPOOL_WORD(MPL_SPOOL_IBEGIN, 3, 0, r->comm),
                r->number, 0, 0, 0);
    }
}

/* What MPI has just given a handle. Persistent ones begin with each start, others at once. */
static void know(struct mpl_call_now *c, const MPI_Request *request, MPI_Comm comm,
                 struct mpl_request what)
{
    what.comm = mpl_comm_number(c, comm);
    mpl_lock();
    struct mpl_request *r = mpl_request_add(mpl_handle(*request));
    if (r != NULL) {
        *r = what;
        if (!r->is_persistent) {
            begin(c, r);
        }
    }
    mpl_unlock();
}

void mpl_isends(struct mpl_call_now *c, MPI_Request *request, uint64_t bytes, int dest,
                int tag, MPI_Comm comm)
{
    know(c, request, comm,
         (struct mpl_request){
             .kind = MPL_REQUEST_SEND, .sent = bytes, .peer = dest, .tag = tag });
}

void mpl_irecv(struct mpl_call_now *c, MPI_Request *request, int source, int tag,
               MPI_Comm comm)
{
    know(c, request, comm,
         (struct mpl_request){
             .kind = MPL_REQUEST_RECV, .source = source, .source_tag = tag });
}

void mpl_isendrecv(struct mpl_call_now *c, MPI_Request *request, uint64_t bytes, int dest,
                   int tag, int source, int source_tag, MPI_Comm comm)
{
    know(c, request, comm,
         (struct mpl_request){ .kind = MPL_REQUEST_BOTH,
                               .sent = bytes,
                               .peer = dest,
                               .tag = tag,
                               .source = source,
                               .source_tag = source_tag });
}

static struct mpl_request collective(enum mpl_op op, int root, uint64_t sent,
                                     uint64_t received)
{
    return (struct mpl_request){ .kind = MPL_REQUEST_COLL,
                                 .op = (uint8_t) op,
                                 .root = mpl_root_of(root),
                                 .sent = sent,
                                 .received = received };
}

void mpl_icoll(struct mpl_call_now *c, MPI_Request *request, MPI_Comm comm, enum mpl_op op,
               int root, uint64_t sent, uint64_t received)
{
    know(c, request, comm, collective(op, root, sent, received));
}

/* Whose end says nothing; but it may share its handle with others. */
void mpl_other(struct mpl_call_now *c, MPI_Request *request)
{
    (void) c;
    mpl_lock();
    (void) mpl_request_add(mpl_handle(*request));
    mpl_unlock();
}

/* ---- persistent ones --------------------------------------------------------------------------- */

void mpl_send_init(struct mpl_call_now *c, MPI_Request *request, uint64_t bytes, int dest,
                   int tag, MPI_Comm comm)
{
    know(c, request, comm,
         (struct mpl_request){ .kind = MPL_REQUEST_SEND,
                               .is_persistent = true,
                               .sent = bytes,
                               .peer = dest,
                               .tag = tag });
}

void mpl_recv_init(struct mpl_call_now *c, MPI_Request *request, int source, int tag,
                   MPI_Comm comm)
{
    know(c, request, comm,
         (struct mpl_request){ .kind = MPL_REQUEST_RECV,
                               .is_persistent = true,
                               .source = source,
                               .source_tag = tag });
}

void mpl_coll_init(struct mpl_call_now *c, MPI_Request *request, MPI_Comm comm,
                   enum mpl_op op, int root, uint64_t sent, uint64_t received)
{
    struct mpl_request what = collective(op, root, sent, received);

    what.is_persistent = true;
    know(c, request, comm, what);
}

void mpl_starts(struct mpl_call_now *c, int n, MPI_Request *requests)
{
    mpl_lock();
    for (int i = 0; i < n; i++) {
        struct mpl_request *r = mpl_request_find(mpl_handle(requests[i]));

        if (r != NULL && r->is_persistent) {
            begin(c, r);
        }
    }
    mpl_unlock();
}

/* ---- matched probes: the message keeps what the probe asked for ----------------------------------- */

/* Apart from requests, whose handles may be the same numbers. */
static uint64_t message_handle(MPI_Message message)
{
    return (uint64_t) (uintptr_t) message ^ UINT64_C(1) << 63;
}

void mpl_probed(struct mpl_call_now *c, MPI_Message *message, int source, int tag,
                MPI_Comm comm)
{
    const uint32_t number = mpl_comm_number(c, comm);

    mpl_lock();
    struct mpl_request *r = mpl_request_add(message_handle(*message));
    if (r != NULL) {
        r->comm = number;
        r->source = *message == MPI_MESSAGE_NO_PROC ? MPI_PROC_NULL : source;
        r->source_tag = tag;
    }
    mpl_unlock();
}

void mpl_takes(struct mpl_call_now *c, MPI_Message *message)
{
    c->peer = MPI_PROC_NULL;
    mpl_lock();
    const struct mpl_request *r = mpl_request_find(message_handle(*message));
    if (r != NULL) {
        c->comm = r->comm;
        c->peer = r->source;
        c->tag = r->source_tag;
        mpl_request_remove(message_handle(*message));
    }
    mpl_unlock();
}

void mpl_imrecv(struct mpl_call_now *c, MPI_Request *request)
{
    mpl_lock();
    struct mpl_request *r = mpl_request_add(mpl_handle(*request));
    if (r != NULL) {
        r->kind = MPL_REQUEST_RECV;
        r->comm = c->comm;
        r->source = c->peer;
        r->source_tag = c->tag;
        begin(c, r);
    }
    mpl_unlock();
}
