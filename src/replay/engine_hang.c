/* Locations that wait for a number, and what wakes them. */
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

enum progress mpl_engine_need(struct engine *r, uint32_t location, uint32_t number)
{
    int64_t *slot = &r->slots[number];
    struct runner *runner = &r->runners[location];

    if (*slot > 0) {
        const int64_t reached = (*slot & ~RESOLVED_BIT) - 1;

        runner->ticks = reached > runner->ticks ? reached : runner->ticks;
        return GOES_ON;
    }
    runner->next = (uint32_t) - *slot;
    *slot = -(int64_t) location - 1;
    return HANGS;
}
