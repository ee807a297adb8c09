/* Slots of calls: where they are, who waits for them, and what wakes them. */
#include "config.h"

#include "replay/replay_priv.h"

#include <string.h>

void mpl_engine_wake(struct engine *r, uint32_t first)
{
    while (first != 0) {
        const uint32_t location = first - 1;

        first = r->runners[location].next;
        r->runners[location].next = 0;
        r->ready[r->n_ready++] = location;
    }
}

void mpl_engine_hang(struct engine *r, uint32_t location, uint32_t slot)
{
    struct slot_block *block = &r->blocks[slot / SLOTS_PER_BLOCK];

    if (block->slots == r->unreached && !mpl_engine_open_block(r, block)) {
        /* Nobody wakes it any more, so that the run comes to its end. */
        return;
    }

    int64_t *at = &block->slots[slot % SLOTS_PER_BLOCK];

    r->runners[location].next = (uint32_t) - *at;
    *at = -(int64_t) location - 1;
}

bool mpl_engine_open_block(struct engine *r, struct slot_block *block)
{
    int64_t *slots = r->spare;

    if (block->n_left == 0) {
        return false;
    }
    if (slots == NULL) {
        slots = MPL_NEW_ARRAY(r->scratch, SLOTS_PER_BLOCK, int64_t);
    } else {
        memcpy(&r->spare, slots, sizeof r->spare);
        memset(slots, 0, SLOTS_PER_BLOCK * sizeof *slots);
    }
    if (slots == NULL) {
        return false;
    }
    block->slots = slots;
    return true;
}

void mpl_engine_close_block(struct engine *r, struct slot_block *block)
{
    if (block->slots != r->unreached) {
        memcpy(block->slots, &r->spare, sizeof r->spare);
        r->spare = block->slots;
        block->slots = r->unreached;
    }
}
