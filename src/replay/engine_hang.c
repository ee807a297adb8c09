/* Locations that wait for a call, and what wakes them. */
#include "config.h"

#include "replay/replay_priv.h"

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
    r->runners[location].next = (uint32_t) -r->slots[slot];
    r->slots[slot] = -(int64_t) location - 1;
}
