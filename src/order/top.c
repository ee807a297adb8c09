#include "config.h"

#include "order/order.h"

/*
 * A sink does not need the sources of its own location: their order is given, and half of an
 * interval on one clock is no delay. So the largest time alone is not enough.
 */
void mpl_top_clear(struct mpl_top *top)
{
    *top = (struct mpl_top){ MPL_ORDER_NEVER, MPL_ORDER_NEVER, MPL_NONE, MPL_NONE };
}

void mpl_top_add(struct mpl_top *top, int64_t ticks, uint32_t location)
{
    if (ticks > top->first_ticks) {
        if (location != top->first_location) {
            top->second_ticks = top->first_ticks;
            top->second_location = top->first_location;
        }
        top->first_ticks = ticks;
        top->first_location = location;
    } else if (location != top->first_location && ticks > top->second_ticks) {
        top->second_ticks = ticks;
        top->second_location = location;
    }
}

void mpl_top_merge(struct mpl_top *top, const struct mpl_top *other)
{
    if (other->first_ticks != MPL_ORDER_NEVER) {
        mpl_top_add(top, other->first_ticks, other->first_location);
    }
    if (other->second_ticks != MPL_ORDER_NEVER) {
        mpl_top_add(top, other->second_ticks, other->second_location);
    }
}

int64_t mpl_top_of_others(const struct mpl_top *top, uint32_t location)
{
    return top->first_location == location ? top->second_ticks : top->first_ticks;
}
