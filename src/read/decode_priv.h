/* Taking the events of a file, while it goes on. */
#ifndef MPL_READ_DECODE_PRIV_H
#define MPL_READ_DECODE_PRIV_H

#include "read/tables_priv.h"

enum { REGION_SLOTS = 256 };

/** Local region reference to region; direct mapped, because few regions make most events. */
struct mpl_region_slot {
    uint32_t local;
    uint32_t region;
};

/**
 * What a message record says before its request, and how it is written: programs send the same again and again. Integers say
 * how long they are, so where the first bytes are the same, so is all that they say.
 */
struct mpl_message_slot {
    uint64_t written[2];
    uint64_t kept[2]; /**< Bits of these that belong to it. */
    uint64_t bytes;
    uint32_t envelope;
    uint16_t type; /**< Of the record, in the byte order of the chunk; 0: none yet. */
    uint16_t length;
};

enum { MESSAGE_SLOTS_LOG2 = 6, MESSAGE_SLOTS = 1 << MESSAGE_SLOTS_LOG2 };

/** Attributes of the record that stands at a place of the file. */
struct mpl_attributes {
    const uint8_t *of;
    uint32_t flags; /**< enum mpl_envelope_flag */
    uint32_t site;
    bool has_asked;
    uint32_t asked_source, asked_tag, asked_comm; /**< As recorded. */
};

/** Since the thread began. */
struct mpl_sample {
    uint64_t cpu_ns;
    uint64_t given_up; /**< So often it gave up its core. */
};

/** What is being made of a file. */
struct mpl_decode {
    struct mpl_decode_job job;
    struct mpl_decoder *scratch;
    struct mpl_decode_counts counts;
    uint32_t process;
    bool has_extras; /**< As job.refs says: asked for nearly each record. */
    bool is_out_of_memory;

    int64_t now_ticks;  /**< Time of the records that follow. */
    uint32_t flush_end; /**< FLUSH_END record of this moment; MPL_NONE if none. */

    uint32_t last_region; /**< Of the last ENTER: the call that a record belongs to. */
    struct mpl_region_slot regions[REGION_SLOTS];
    struct mpl_message_slot message_slots[MESSAGE_SLOTS];

    struct mpl_message *messages;
    uint32_t n_messages;
    struct mpl_collective *collectives;
    uint32_t n_collectives;
    uint32_t
        open_collective; /**< Begun by a blocking call and not ended; MPL_NONE if none. */

    struct mpl_attributes attributes; /**< The last ones. */
    uint32_t depth;                   /**< Of calls, where there are extras. */
    bool has_left;                    /**< The last record of a call left one, at: */
    int64_t left_ticks;
    int64_t gap_ticks; /**< Between calls, since the last sample. */
    struct mpl_sample sample;
    struct mpl_cpu cpu;
};

struct mpl_decoder {
    struct mpl_event_writer
        events;                 /**< Room for this and the next two is made for a chunk. */
    struct mpl_buf messages;    /**< struct mpl_message */
    struct mpl_buf collectives; /**< struct mpl_collective */
    struct mpl_distinct message_shapes; /**< For mpl_location_pack_messages(). */
    struct mpl_requests requests;
    struct mpl_envelopes envelopes;
    struct mpl_buf thread_records; /**< struct mpl_thread_record */
    struct mpl_buf wanted;         /**< uint32_t: envelopes */
    struct mpl_buf sites;          /**< uint32_t, by ENTER */
    struct mpl_decode decode;
};

/** Events so far. */
static inline uint32_t mpl_decode_count(const struct mpl_decode *d)
{
    return d->scratch->events.n;
}

static inline void mpl_decode_store(struct mpl_decode *d, enum mpl_event_kind kind,
                                    uint32_t ref)
{
    mpl_event_writer_add(&d->scratch->events, d->now_ticks, (uint8_t) kind, ref);
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

/** Number of an envelope that has not been seen before; MPL_NONE without memory. */
uint32_t mpl_decode_new_envelope(struct mpl_decode *d, struct mpl_envelope_key key);

/** Number of an envelope; MPL_NONE without memory. */
static inline uint32_t mpl_decode_envelope(struct mpl_decode *d,
                                           struct mpl_envelope_key key)
{
    const uint32_t number = mpl_envelopes_find(&d->scratch->envelopes, key);

    return number != MPL_NONE ? number : mpl_decode_new_envelope(d, key);
}

/* ---- extras.c; \p record is where a record begins -------------------------------------- */

/** Attributes of the record at \p next; their fields begin at \p at. */
void mpl_attributes_take(struct mpl_decode *d, const uint8_t *at, const uint8_t *next,
                         bool is_big_endian);
/** What they say of the envelope of a message. */
uint32_t mpl_extras_flags(const struct mpl_decode *d, const uint8_t *record);
void mpl_extras_enter(struct mpl_decode *d, const uint8_t *record);
void mpl_extras_leave(struct mpl_decode *d);
/** A receive is posted: what it asks for. */
void mpl_extras_post(struct mpl_decode *d, const uint8_t *record);
/** A metric record, which may be none of ours. */
void mpl_extras_sample(struct mpl_decode *d, const uint8_t *at, const uint8_t *next,
                       bool is_big_endian);
/** Into \p loc, whose columns are there. False: no memory. */
bool mpl_extras_end(struct mpl_decode *d, struct mpl_arena *arena,
                    struct mpl_location *loc);

void mpl_decode_coll_begin(struct mpl_decode *d);
void mpl_decode_coll_end(struct mpl_decode *d, const struct mpl_coll_record *record);
void mpl_decode_icoll_request(struct mpl_decode *d, uint64_t request);
void mpl_decode_icoll_complete(struct mpl_decode *d, const struct mpl_coll_record *record);

#endif
