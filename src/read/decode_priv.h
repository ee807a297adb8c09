/*
 * Taking the events of a file, while it goes on.
 */
#ifndef MPL_READ_DECODE_PRIV_H
#define MPL_READ_DECODE_PRIV_H

#include "read/tables_priv.h"

enum { REGION_SLOTS = 256 };

/** Local region reference to region; direct mapped, because few regions make most events. */
struct mpl_region_slot {
    uint32_t local;
    uint32_t region;
};

/** What is being made of a file. */
struct mpl_decode {
    struct mpl_decode_job job;
    struct mpl_decoder *scratch;
    struct mpl_decode_counts counts;
    uint32_t process;
    bool is_out_of_memory;

    int64_t *time_ticks;
    uint8_t *kind;
    uint32_t *ref;
    uint32_t n;         /**< Events so far. */
    int64_t now_ticks;  /**< Time of the records that follow. */
    uint32_t flush_end; /**< FLUSH_END record of this moment; MPL_NONE if none. */

    uint32_t last_region; /**< Of the last ENTER: the call that a record belongs to. */
    struct mpl_region_slot regions[REGION_SLOTS];

    struct mpl_message *messages;
    uint32_t n_messages;
    struct mpl_collective *collectives;
    uint32_t n_collectives;
    uint32_t
        open_collective; /**< Begun by a blocking call and not ended; MPL_NONE if none. */
};

struct mpl_decoder {
    struct mpl_buf
        time_ticks; /**< int64_t; room for this and the next four is made for a chunk. */
    struct mpl_buf kind;        /**< uint8_t */
    struct mpl_buf ref;         /**< uint32_t */
    struct mpl_buf messages;    /**< struct mpl_message */
    struct mpl_buf collectives; /**< struct mpl_collective */
    struct mpl_requests requests;
    struct mpl_envelopes envelopes;
    struct mpl_buf thread_records; /**< struct mpl_thread_record */
    struct mpl_decode decode;
};

static inline void mpl_decode_store(struct mpl_decode *d, enum mpl_event_kind kind,
                                    uint32_t ref)
{
    d->time_ticks[d->n] = d->now_ticks;
    d->kind[d->n] = (uint8_t) kind;
    d->ref[d->n] = ref;
    d->n++;
}

/** Fields of a collective's end, as recorded. */
struct mpl_coll_record {
    uint8_t op;
    uint32_t comm;
    uint32_t root;
    uint64_t sent_bytes;
    uint64_t received_bytes;
    uint64_t request;
};

/** A message record of the given kind: SEND, ISEND, RECV or IRECV. */
void mpl_decode_message(struct mpl_decode *d, enum mpl_event_kind kind,
                        const struct mpl_envelope_key *key, uint64_t bytes,
                        uint64_t request);
void mpl_decode_isend_done(struct mpl_decode *d, uint64_t request);
void mpl_decode_irecv_post(struct mpl_decode *d, uint64_t request);
void mpl_decode_cancelled(struct mpl_decode *d, uint64_t request);

void mpl_decode_coll_begin(struct mpl_decode *d);
void mpl_decode_coll_end(struct mpl_decode *d, const struct mpl_coll_record *record);
void mpl_decode_icoll_request(struct mpl_decode *d, uint64_t request);
void mpl_decode_icoll_complete(struct mpl_decode *d, const struct mpl_coll_record *record);

#endif
