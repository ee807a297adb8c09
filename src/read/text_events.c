/* What each item of a text trace records: the same events that a tracer writes for the call. */
#include "config.h"

#include "read/text_build_priv.h"

#include <string.h>

/* ---- whom an item names ------------------------------------------------------------- */

static bool is_member(const struct mpl_comm *comm, uint32_t process)
{
    for (uint32_t i = 0; i < comm->n_members; i++) {
        if (comm->members[i] == process) {
            return true;
        }
    }
    for (uint32_t i = 0; i < comm->n_remote; i++) {
        if (comm->remote[i] == process) {
            return true;
        }
    }
    return comm->is_self;
}

static void unknown_comm(struct mpl_build *b, const struct mpl_text_word *word)
{
    const char **names = MPL_NEW_ARRAY(b->scratch, mpl_names_count(b->comms), const char *);
    const char *near = NULL;

    for (uint32_t i = 0; names != NULL && i < mpl_names_count(b->comms); i++) {
        names[i] = mpl_names_text(b->comms, i);
    }
    if (names != NULL) {
        near = mpl_suggest(word->text, names, mpl_names_count(b->comms));
    }
    mpl_build_complain(b, word->place, "there is no communicator %s%s%s%s", word->text,
                       near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                       near != NULL ? "'?" : "");
}

/** The communicator of an item; MPL_NONE after a complaint. */
static uint32_t comm_of(struct mpl_build *b, const struct mpl_builder *at,
                        const struct mpl_text_item *item)
{
    if (item->comm.text == NULL) {
        return b->model->world;
    }
    uint32_t comm = mpl_names_find(b->comms, item->comm.text);
    if (comm == MPL_NONE) {
        unknown_comm(b, &item->comm);
    } else if (!is_member(&b->model->comms[comm], at->location->process)) {
        mpl_build_complain(b, item->comm.place, "rank %u is no member of communicator %s",
                           at->location->process, item->comm.text);
        comm = MPL_NONE;
    }
    return comm;
}

/** The process that an item names; MPL_NONE after a complaint. */
static uint32_t peer_of(struct mpl_build *b, const struct mpl_builder *at, uint32_t comm,
                        const struct mpl_text_rank *rank, const struct mpl_text_item *item)
{
    const uint32_t peer =
        mpl_comm_peer(b->model, comm, at->location->process, (uint32_t) rank->rank);

    if (peer != MPL_NONE) {
        return peer;
    }
    if (item->comm.text == NULL) {
        mpl_build_complain(b, rank->place, "there is no rank %lld", (long long) rank->rank);
    } else {
        mpl_build_complain(b, rank->place, "communicator %s has no rank %lld",
                           item->comm.text, (long long) rank->rank);
    }
    return MPL_NONE;
}

/* ---- events ------------------------------------------------------------------------------------ */

static uint32_t store(struct mpl_build *b, struct mpl_builder *at, int64_t ns,
                      enum mpl_event_kind kind, uint32_t ref)
{
    const uint8_t narrow = (uint8_t) kind;

    b->is_out_of_memory |= !mpl_buf_put(&at->times, &ns) ||
                           !mpl_buf_put(&at->kinds, &narrow) ||
                           !mpl_buf_put(&at->refs, &ref);
    return (uint32_t) at->times.n - 1;
}

static struct mpl_message *message_at(struct mpl_builder *at, uint32_t number)
{
    return mpl_buf_get(&at->messages, number);
}

static uint32_t add_message(struct mpl_build *b, struct mpl_builder *at)
{
    static const struct mpl_message none = { .envelope = MPL_NONE,
                                             .event = MPL_NONE,
                                             .post = MPL_NONE };

    b->is_out_of_memory |= !mpl_buf_put(&at->messages, &none);
    return (uint32_t) at->messages.n - 1;
}

static uint32_t add_envelope(struct mpl_build *b, struct mpl_builder *at,
                             const struct mpl_text_item *item, bool is_send)
{
    static const uint32_t null_rank = UINT32_MAX - 1;
    const struct mpl_text_rank *rank = is_send ? &item->to : &item->from;
    const bool is_null = rank->rank == MPL_TEXT_NULL_RANK;
    const uint32_t comm = comm_of(b, at, item);
    const struct mpl_envelope_key key = { .comm = comm,
                                          .rank =
                                              is_null ? null_rank : (uint32_t) rank->rank,
                                          .tag = item->tag,
                                          .flags = is_send ? MPL_ENVELOPE_SEND : 0 };
    uint32_t number = mpl_envelopes_find(&at->envelopes, key);
    uint32_t peer = MPL_NONE;

    if (comm != MPL_NONE && !is_null) {
        peer = peer_of(b, at, comm, rank, item);
    }
    if (number != MPL_NONE) {
        return number;
    }
    number = mpl_envelopes_add(&at->envelopes, key);
    if (number == MPL_NONE) {
        b->is_out_of_memory = true;
    } else {
        *(struct mpl_envelope *) mpl_buf_get(&at->envelopes.items, number) =
            (struct mpl_envelope){ .comm = comm,
                                   .peer = peer,
                                   .peer_rank = key.rank,
                                   .tag = key.tag,
                                   .is_send = is_send,
                                   .is_null = is_null };
    }
    return number;
}

/** The record that names the partner: SEND, ISEND, RECV or IRECV. */
static void put_message(struct mpl_build *b, struct mpl_builder *at,
                        const struct mpl_text_item *item, uint32_t number, int64_t ns,
                        enum mpl_event_kind kind)
{
    const bool is_send = kind == MPL_EV_SEND || kind == MPL_EV_ISEND;
    const uint32_t envelope = add_envelope(b, at, item, is_send);
    const uint32_t event = store(b, at, ns, kind, number);

    if (b->is_out_of_memory) {
        return;
    }
    message_at(at, number)->envelope = envelope;
    message_at(at, number)->event = event;
    message_at(at, number)->bytes = is_send ? item->sent_bytes : item->received_bytes;
}

/* ---- requests ------------------------------------------------------------------------------------- */

static void open_request(struct mpl_build *b, struct mpl_builder *at,
                         const struct mpl_text_item *item, enum mpl_request_kind kind,
                         uint32_t number)
{
    const uint32_t index = (uint32_t) at->pending.n;

    if (item->label.text == NULL) {
        return;
    }
    const uint32_t label = mpl_names_put(b->labels, item->label.text);
    if (label == MPL_NONE ||
        !mpl_buf_put(&at->pending, &(struct mpl_pending){ item, number })) {
        b->is_out_of_memory = true;
        return;
    }
    for (int k = MPL_REQUEST_SEND; k <= MPL_REQUEST_COLL; k++) {
        if (mpl_requests_take(&at->requests, (enum mpl_request_kind) k, label) !=
            MPL_NONE) {
            mpl_build_complain(b, item->label.place, "request %s is still open",
                               item->label.text);
        }
    }
    b->is_out_of_memory |= !mpl_requests_put(&at->requests, kind, label, index);
}

/** The request that a wait names, which is no longer open then; NULL after a complaint. */
static const struct mpl_pending *take_request(struct mpl_build *b, struct mpl_builder *at,
                                              const struct mpl_text_word *word,
                                              enum mpl_request_kind *kind)
{
    const uint32_t label = mpl_names_find(b->labels, word->text);
    uint32_t index = MPL_NONE;

    for (int k = MPL_REQUEST_SEND; label != MPL_NONE && k <= MPL_REQUEST_COLL; k++) {
        *kind = (enum mpl_request_kind) k;
        index = mpl_requests_take(&at->requests, *kind, label);
        if (index != MPL_NONE) {
            break;
        }
    }
    if (index == MPL_NONE) {
        mpl_build_complain(b, word->place, "no request %s is open at rank %s", word->text,
                           at->location->label);
        return NULL;
    }
    /* Its posting may be what is wrong; once is enough to say so. */
    return mpl_lint_errors(b->text->lint) > b->errors_before
               ? NULL
               : mpl_buf_get(&at->pending, index);
}

/** The call in which the trace ends waits for this message. */
static void want(struct mpl_build *b, struct mpl_builder *at,
                 const struct mpl_text_item *item, bool is_send)
{
    const uint32_t envelope = add_envelope(b, at, item, is_send);

    b->is_out_of_memory |= !mpl_buf_put(&at->wanted, &envelope);
}

static void complete(struct mpl_build *b, struct mpl_builder *at,
                     const struct mpl_text_word *word, const struct mpl_text_item *wait)
{
    const int64_t ns = wait->end_ns;
    enum mpl_request_kind kind = MPL_REQUEST_SEND;
    const struct mpl_pending *done = take_request(b, at, word, &kind);
    struct mpl_collective *part;

    if (done == NULL) {
        return;
    }
    if (wait->is_unfinished) {
        if (kind != MPL_REQUEST_COLL) {
            want(b, at, done->item, kind == MPL_REQUEST_SEND);
        }
        return;
    }
    switch (kind) {
    case MPL_REQUEST_SEND:
        message_at(at, done->number)->post =
            store(b, at, ns, MPL_EV_ISEND_DONE, done->number);
        break;
    case MPL_REQUEST_RECV:
        put_message(b, at, done->item, done->number, ns, MPL_EV_IRECV);
        break;
    default:
        part = mpl_buf_get(&at->collectives, done->number);
        part->end = store(b, at, ns, MPL_EV_COLL_END, done->number);
        break;
    }
}

/* ---- items ---------------------------------------------------------------------------------------------- */

static uint32_t add_collective(struct mpl_build *b, struct mpl_builder *at,
                               const struct mpl_text_item *item)
{
    const uint32_t number = (uint32_t) at->collectives.n;
    const uint32_t comm = comm_of(b, at, item);
    const uint32_t root = comm != MPL_NONE && item->root.rank >= 0
                              ? peer_of(b, at, comm, &item->root, item)
                              : MPL_NONE;
    const struct mpl_collective part = { .begin = (uint32_t) at->times.n,
                                         .end = MPL_NONE,
                                         .comm = comm,
                                         .root = root,
                                         .op = item->verb->op,
                                         .is_immediate = item->shape == MPL_TEXT_ICOLL,
                                         .sent_bytes = item->sent_bytes,
                                         .received_bytes = item->received_bytes };

    b->is_out_of_memory |= !mpl_buf_put(&at->collectives, &part);
    (void) store(b, at, item->begin_ns, MPL_EV_COLL_BEGIN, number);
    return number;
}

static void put_collective(struct mpl_build *b, struct mpl_builder *at,
                           const struct mpl_text_item *item)
{
    const uint32_t number = add_collective(b, at, item);

    if (b->is_out_of_memory) {
        return;
    }
    if (item->shape == MPL_TEXT_ICOLL) {
        open_request(b, at, item, MPL_REQUEST_COLL, number);
        return;
    }
    if (item->is_unfinished) {
        return;
    }
    ((struct mpl_collective *) mpl_buf_get(&at->collectives, number))->end =
        store(b, at, item->end_ns, MPL_EV_COLL_END, number);
}

static void put_irecv(struct mpl_build *b, struct mpl_builder *at,
                      const struct mpl_text_item *item)
{
    const uint32_t number = add_message(b, at);
    const uint32_t post = store(b, at, item->begin_ns, MPL_EV_IRECV_POST, number);

    if (b->is_out_of_memory) {
        return;
    }
    message_at(at, number)->post = post;
    /* Checks rank and communicator now: the text may never wait for the request. */
    (void) add_envelope(b, at, item, false);
    open_request(b, at, item, MPL_REQUEST_RECV, number);
}

static void put_receive(struct mpl_build *b, struct mpl_builder *at,
                        const struct mpl_text_item *item)
{
    if (item->is_unfinished) {
        want(b, at, item, false);
    } else {
        put_message(b, at, item, add_message(b, at), item->end_ns, MPL_EV_RECV);
    }
}

/** What an item records between the enter and the leave of its call. */
static void put_records(struct mpl_build *b, struct mpl_builder *at,
                        const struct mpl_text_item *item)
{
    uint32_t number;

    switch (item->shape) {
    case MPL_TEXT_SEND:
        put_message(b, at, item, add_message(b, at), item->begin_ns, MPL_EV_SEND);
        break;
    case MPL_TEXT_RECV:
        put_receive(b, at, item);
        break;
    case MPL_TEXT_SENDRECV:
        put_message(b, at, item, add_message(b, at), item->begin_ns, MPL_EV_SEND);
        put_receive(b, at, item);
        break;
    case MPL_TEXT_ISEND:
        number = add_message(b, at);
        put_message(b, at, item, number, item->begin_ns, MPL_EV_ISEND);
        open_request(b, at, item, MPL_REQUEST_SEND, number);
        break;
    case MPL_TEXT_IRECV:
        put_irecv(b, at, item);
        break;
    case MPL_TEXT_WAIT:
        for (size_t i = 0; i < item->n_labels; i++) {
            complete(b, at, mpl_buf_get(&b->text->labels, item->first_label + i), item);
        }
        break;
    case MPL_TEXT_COLL:
    case MPL_TEXT_ICOLL:
        put_collective(b, at, item);
        break;
    default:
        break;
    }
}

static const char *region_name(const struct mpl_text_item *item)
{
    if (item->name.text != NULL) {
        return item->name.text;
    }
    if (item->shape == MPL_TEXT_WAIT && item->n_labels > 1) {
        return strcmp(item->verb->word, "wait") == 0   ? "MPI_Waitall"
               : strcmp(item->verb->word, "test") == 0 ? "MPI_Testall"
                                                       : item->verb->call;
    }
    return item->verb->call != NULL ? item->verb->call : "compute";
}

void mpl_build_item(struct mpl_build *b, const struct mpl_text_item *item)
{
    struct mpl_builder *at = &b->builders[b->location_of[item->location]];
    const uint32_t region = mpl_names_put(b->regions, region_name(item));

    b->is_out_of_memory |= region == MPL_NONE;
    if (item->shape != MPL_TEXT_CLOSE) {
        (void) store(b, at, item->begin_ns, MPL_EV_ENTER, region);
        put_records(b, at, item);
    }
    if (item->shape != MPL_TEXT_REGION) {
        (void) store(b, at, item->end_ns, item->is_unfinished ? MPL_EV_MARK : MPL_EV_LEAVE,
                     item->is_unfinished ? 0 : region);
    }
}
