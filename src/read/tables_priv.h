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
/** Opens a request; an open one of the same number is given up. False when out of memory. */
bool mpl_requests_put(struct mpl_requests *requests, enum mpl_request_kind kind,
                      uint64_t number, uint32_t item);
/** Completes a request: its item, or MPL_NONE when it is not open. */
uint32_t mpl_requests_take(struct mpl_requests *requests, enum mpl_request_kind kind,
                           uint64_t number);
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
 * because it is written and compared for every message: fields of a byte each would be read
 * together before they have reached the cache, which costs more than the whole comparison.
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
    uint32_t last;        /**< Found last time: repetition is the rule. */
};

void mpl_envelopes_start(struct mpl_envelopes *envelopes);
/** Number of the envelope; \p is_new tells the caller to fill it in. MPL_NONE: no memory. */
uint32_t mpl_envelopes_put(struct mpl_envelopes *envelopes,
                           const struct mpl_envelope_key *key, bool *is_new);
void mpl_envelopes_free(struct mpl_envelopes *envelopes);

#endif
