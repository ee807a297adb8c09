/* Scratch tables of the event decoder: open requests and shared envelopes of one location. */
#ifndef MPL_READ_TABLES_PRIV_H
#define MPL_READ_TABLES_PRIV_H

#include "read/otf2_priv.h"

/* ---- open requests -------------------------------------------------------------------- */

/** Requests of different kinds never complete each other, even with the same number. */
enum mpl_request_kind { MPL_REQUEST_SEND, MPL_REQUEST_RECV, MPL_REQUEST_COLL };

struct mpl_request {
    uint64_t number;
    uint32_t item; /**< Message or collective. */
    uint8_t kind;
    bool is_used;
};

/** Requests that were started and are not yet completed. Their numbers are reused at will. */
struct mpl_requests {
    struct mpl_room room; /**< struct mpl_request, n_slots of them. */
    size_t n_slots;       /**< A power of two; 0 before the first use. */
    size_t n;
};

/** Forgets all requests. */
void mpl_requests_clear(struct mpl_requests *requests);
/** Makes room for twice as many. False when out of memory. */
bool mpl_requests_grow(struct mpl_requests *requests);
/** Forgets the request in \p slot, behind which others stand, which may move. */
void mpl_requests_close_gap(struct mpl_requests *requests, struct mpl_request *slot);

static inline size_t mpl_requests_home(const struct mpl_requests *requests, uint8_t kind,
                                       uint64_t number)
{
    /* The numbers are addresses and counters; what is counted on is spread evenly by the golden ratio (Knuth). */
    const uint64_t x = number + ((uint64_t) kind << 32);

    return (size_t) (x * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (requests->n_slots - 1);
}

/** The slot of the request, or the free one where it would stand. There must be slots. */
static inline struct mpl_request *mpl_requests_slot(const struct mpl_requests *requests,
                                                    uint8_t kind, uint64_t number)
{
    struct mpl_request *slots = requests->room.data;
    size_t at = mpl_requests_home(requests, kind, number);

    while (slots[at].is_used && (slots[at].number != number || slots[at].kind != kind)) {
        at = (at + 1) & (requests->n_slots - 1);
    }
    return &slots[at];
}

/** Opens a request; an open one of the same number is given up. False when out of memory. */
static inline bool mpl_requests_put(struct mpl_requests *requests,
                                    enum mpl_request_kind kind, uint64_t number,
                                    uint32_t item)
{
    if (requests->n * 2 >= requests->n_slots && !mpl_requests_grow(requests)) {
        return false;
    }
    struct mpl_request *slot = mpl_requests_slot(requests, (uint8_t) kind, number);
    requests->n += slot->is_used ? 0 : 1;
    *slot = (struct mpl_request){ number, item, (uint8_t) kind, true };
    return true;
}

/** Forgets the request in \p slot; others may move. Inline because most slots have none behind them. */
static inline void mpl_requests_drop(struct mpl_requests *requests,
                                     struct mpl_request *slot)
{
    struct mpl_request *slots = requests->room.data;
    const size_t next = (size_t) (slot - slots + 1) & (requests->n_slots - 1);

    if (slots[next].is_used) {
        mpl_requests_close_gap(requests, slot);
    } else {
        slot->is_used = false;
    }
    requests->n--;
}

/** Completes a request: its item, or MPL_NONE when it is not open. */
static inline uint32_t mpl_requests_take(struct mpl_requests *requests,
                                         enum mpl_request_kind kind, uint64_t number)
{
    if (requests->n == 0) {
        return MPL_NONE;
    }
    struct mpl_request *slot = mpl_requests_slot(requests, (uint8_t) kind, number);
    if (!slot->is_used) {
        return MPL_NONE;
    }
    const uint32_t item = slot->item;
    mpl_requests_drop(requests, slot);
    return item;
}

void mpl_requests_free(struct mpl_requests *requests);

/* ---- envelopes -------------------------------------------------------------------------- */

/** How an envelope was recorded; bits of mpl_envelope_key.flags. */
enum mpl_envelope_flag {
    MPL_ENVELOPE_SEND = 1,
    MPL_ENVELOPE_IRECV = 2,
    MPL_ENVELOPE_GARBAGE_LENGTH = 4,
    MPL_ENVELOPE_ANY_SOURCE = 8,
    MPL_ENVELOPE_ANY_TAG = 16,
    MPL_ENVELOPE_WANTED = 32, /**< Of no record: it is waited for when the trace ends. */
};

/**
 * An envelope as recorded: what makes two message ends share one. Four fields of the same width,
 * because it is made and compared for every message: so it can be, and stays in registers.
 */
struct mpl_envelope_key {
    uint32_t comm; /**< Local reference. */
    uint32_t rank;
    uint32_t tag;
    uint32_t flags; /**< enum mpl_envelope_flag */
};

struct mpl_envelopes {
    struct mpl_room room; /**< uint32_t, n_slots of them: envelope + 1, or 0. */
    size_t n_slots;
    struct mpl_buf keys;  /**< struct mpl_envelope_key */
    struct mpl_buf items; /**< struct mpl_envelope, filled in by the caller. */
};

/* Ranks, tags and communicators are small numbers, so one multiplication (Knuth's, by the golden
 * ratio) spreads them; this runs for every message. */
static inline size_t mpl_envelopes_home(const struct mpl_envelopes *envelopes,
                                        struct mpl_envelope_key key)
{
    const uint64_t x = ((uint64_t) key.tag << 24) + ((uint64_t) key.comm << 13) +
                       ((uint64_t) key.rank << 3) + key.flags;

    return (size_t) (x * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (envelopes->n_slots - 1);
}

/** Number of the envelope, or MPL_NONE. */
static inline uint32_t mpl_envelopes_find(const struct mpl_envelopes *envelopes,
                                          struct mpl_envelope_key key)
{
    const struct mpl_envelope_key *keys = envelopes->keys.data;
    const uint32_t *slots = envelopes->room.data;

    if (envelopes->keys.n == 0) {
        return MPL_NONE;
    }
    for (size_t at = mpl_envelopes_home(envelopes, key); slots[at] != 0;
         at = (at + 1) & (envelopes->n_slots - 1)) {
        const struct mpl_envelope_key *there = &keys[slots[at] - 1];

        if (there->rank == key.rank && there->tag == key.tag && there->comm == key.comm &&
            there->flags == key.flags) {
            return slots[at] - 1;
        }
    }
    return MPL_NONE;
}

void mpl_envelopes_start(struct mpl_envelopes *envelopes);
/** Number of an envelope that is not there, which the caller fills in. MPL_NONE: no memory. */
uint32_t mpl_envelopes_add(struct mpl_envelopes *envelopes, struct mpl_envelope_key key);
void mpl_envelopes_free(struct mpl_envelopes *envelopes);

#endif
