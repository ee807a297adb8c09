/*
 * Envelopes of messages and collective parts of one location. A request may be completed never or
 * twice, as decode.c says of those of messages.
 */
#include "config.h"

#include "read/decode_priv.h"

/* MPI_PROC_NULL of Open MPI as OTF2 stores it, and -1: MPI_PROC_NULL of MPICH, but the source of
 * an empty status in Open MPI. */
static const uint32_t rank_null = UINT32_MAX - 1;
static const uint32_t rank_minus_one = UINT32_MAX;

/* OTF2_COLLECTIVE_ROOT_SELF: the root of an inter-communicator is this process. */
static const uint32_t root_self = UINT32_MAX - 1;

/* ---- communicators and envelopes ----------------------------------------------------------- */

static uint32_t find_comm(struct mpl_decode *d, uint32_t local)
{
    const uint32_t global = mpl_mapping_apply(&d->job.locals->comm, local);
    const uint32_t comm = mpl_map_find(d->job.refs->comm, global);

    d->counts.unknown_comms += comm == MPL_NONE;
    return comm;
}

static void fill_envelope(struct mpl_decode *d, const struct mpl_envelope_key *key,
                          struct mpl_envelope *envelope)
{
    const struct mpl_model *model = d->job.model;
    const bool is_send = (key->flags & MPL_ENVELOPE_SEND) != 0;
    const bool is_irecv = (key->flags & MPL_ENVELOPE_IRECV) != 0;
    const bool is_null = key->rank == rank_null || (key->rank == rank_minus_one && is_send);

    envelope->comm = find_comm(d, key->comm);
    envelope->any_source = (key->flags & MPL_ENVELOPE_ANY_SOURCE) != 0;
    envelope->any_tag = (key->flags & MPL_ENVELOPE_ANY_TAG) != 0;
    envelope->peer_rank = key->rank;
    envelope->tag = key->tag;
    envelope->is_send = is_send;
    envelope->is_null = is_null;
    envelope->comm_unsure = is_irecv && model->tracer == MPL_TRACER_EZTRACE;
    envelope->peer = MPL_NONE;
    if (is_null || ((key->flags & MPL_ENVELOPE_WANTED) != 0 && envelope->any_source)) {
        return;
    }
    envelope->is_garbage =
        (key->flags & MPL_ENVELOPE_GARBAGE_LENGTH) != 0 ||
        (key->tag > INT32_MAX && (key->flags & MPL_ENVELOPE_WANTED) == 0);
    if (envelope->comm == MPL_NONE || envelope->is_garbage) {
        return;
    }
    envelope->peer = mpl_comm_peer(model, envelope->comm, d->process, key->rank);
    envelope->is_garbage = envelope->peer == MPL_NONE;
}

uint32_t mpl_decode_new_envelope(struct mpl_decode *d, struct mpl_envelope_key key)
{
    struct mpl_envelopes *all = &d->scratch->envelopes;
    const uint32_t number = mpl_envelopes_add(all, key);

    if (number == MPL_NONE) {
        d->is_out_of_memory = true;
    } else {
        fill_envelope(d, &key, mpl_buf_get(&all->items, number));
    }
    return number;
}

/* ---- collectives ------------------------------------------------------------------------------------ */

static uint32_t add_collective(struct mpl_decode *d)
{
    d->collectives[d->n_collectives] = (struct mpl_collective){ .begin = MPL_NONE,
                                                                .end = MPL_NONE,
                                                                .comm = MPL_NONE,
                                                                .root = MPL_NONE,
                                                                .op = MPL_COLL_OTHER };
    return d->n_collectives++;
}

static enum mpl_coll_op op_of_record(uint8_t op)
{
    enum {
        CREATE_HANDLE = 17,
        DESTROY_HANDLE = 18,
        CREATE_AND_ALLOCATE = 21,
        DESTROY_AND_DEALLOCATE = 22
    };

    if (op <= MPL_COLL_REDUCE_SCATTER_BLOCK) {
        return (enum mpl_coll_op) op;
    }
    return op == CREATE_HANDLE || op == CREATE_AND_ALLOCATE       ? MPL_COLL_CREATE
           : op == DESTROY_HANDLE || op == DESTROY_AND_DEALLOCATE ? MPL_COLL_DESTROY
                                                                  : MPL_COLL_OTHER;
}

/* EZTrace writes a root for operations that have none, so the operation decides. */
static uint32_t find_root(const struct mpl_decode *d, const struct mpl_collective *part,
                          uint32_t root)
{
    const enum mpl_coll_class class = mpl_coll_class_of(part->op);

    if (class != MPL_CLASS_1_TO_N && class != MPL_CLASS_N_TO_1) {
        return MPL_NONE;
    }
    if (root == root_self) {
        return d->process;
    }
    return mpl_comm_peer(d->job.model, part->comm, d->process, root);
}

static void end_collective(struct mpl_decode *d, uint32_t number,
                           const struct mpl_coll_record *record)
{
    struct mpl_collective *part = &d->collectives[number];

    part->end = mpl_decode_count(d);
    part->op = op_of_record(record->op);
    part->comm = find_comm(d, record->comm);
    part->root = find_root(d, part, record->root);
    part->sent_bytes = record->sent_bytes;
    part->received_bytes = record->received_bytes;
    mpl_decode_store(d, MPL_EV_COLL_END, number);
}

void mpl_decode_coll_begin(struct mpl_decode *d)
{
    const struct mpl_region *region = &d->job.model->regions[d->last_region];
    const uint32_t number = add_collective(d);

    d->collectives[number].begin = mpl_decode_count(d);
    /* EZTrace begins MPI_Ibarrier and its like without ever ending them; the end of the next
     * blocking collective must not be taken for theirs. */
    d->collectives[number].is_immediate = region->mode == MPL_CALL_IMMEDIATE;
    d->open_collective = d->collectives[number].is_immediate ? MPL_NONE : number;
    mpl_decode_store(d, MPL_EV_COLL_BEGIN, number);
}

void mpl_decode_coll_end(struct mpl_decode *d, const struct mpl_coll_record *record)
{
    const uint32_t number =
        d->open_collective != MPL_NONE ? d->open_collective : add_collective(d);

    d->open_collective = MPL_NONE;
    end_collective(d, number, record);
}

void mpl_decode_icoll_request(struct mpl_decode *d, uint64_t request)
{
    const uint32_t number = add_collective(d);

    d->collectives[number].begin = mpl_decode_count(d);
    d->collectives[number].is_immediate = true;
    d->is_out_of_memory |=
        !mpl_requests_put(&d->scratch->requests, MPL_REQUEST_COLL, request, number);
    mpl_decode_store(d, MPL_EV_COLL_BEGIN, number);
}

void mpl_decode_icoll_complete(struct mpl_decode *d, const struct mpl_coll_record *record)
{
    uint32_t number =
        mpl_requests_take(&d->scratch->requests, MPL_REQUEST_COLL, record->request);

    if (number == MPL_NONE) {
        number = add_collective(d);
        d->collectives[number].is_immediate = true;
    }
    end_collective(d, number, record);
}
