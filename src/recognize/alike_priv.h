/* Blocks of calls that are like an earlier block of their location: what is known of that one holds for them, too. */
#ifndef MPL_RECOGNIZE_ALIKE_PRIV_H
#define MPL_RECOGNIZE_ALIKE_PRIV_H

#include "events/events.h"

/** What is known of blocks of calls that do the same. */
struct mpl_known_block {
    uint32_t call;    /**< The first call of one of them; MPL_NONE: none was looked at. */
    uint32_t message; /**< The first of its messages, */
    uint32_t n;       /**< so many follow each other, */
    uint32_t
        envelopes; /**< whose envelopes begin there in the list; MPL_NONE: they do not say all. */
};

/** Blocks of one location after the other. */
struct mpl_alike {
    const struct mpl_events *events;
    uint32_t location;
    struct mpl_buf known; /**< struct mpl_known_block, per block of forms */
    struct mpl_buf list;  /**< uint32_t: envelopes */
    uint32_t n_asked;
    uint32_t n_found;
};

struct mpl_alike mpl_alike_make(void);
/** Begins with a location. False: out of memory. */
bool mpl_alike_begin(struct mpl_alike *alike, const struct mpl_events *events,
                     uint32_t location);
/**
 * An earlier block whose calls are in the same regions as those of the block at \p call, and whose messages name the same
 * envelopes in the same order: its first call. \p call is the first of a block of MPL_CALLS_PER_BLOCK calls. \p shift: from
 * a message of the other block to the one here. MPL_NONE: there is none; then the caller finds out about all calls of this
 * block before it asks again, since the block may be the next answer. \p has_no_memory is set when out of memory.
 */
uint32_t mpl_alike_find(struct mpl_alike *alike, uint32_t call, uint32_t *shift,
                        bool *has_no_memory);
void mpl_alike_free(struct mpl_alike *alike);

#endif
