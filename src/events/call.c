/* One call in 32 bytes, and those that do not fit. */
#include "config.h"

#include "events/events_priv.h"

uint32_t mpl_call_find(const struct mpl_events *events, uint32_t location, uint32_t event)
{
    const struct mpl_lane *lane = &events->lanes[location];
    uint32_t low = 0;
    uint32_t high = lane->n_calls;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (lane->calls[middle].enter <= event) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && event <= mpl_call_leave(lane, &lane->calls[low - 1]) ? low - 1
                                                                           : MPL_NONE;
}

/* ---- calls that fit no 32 bits ------------------------------------------------------ */

const struct mpl_long_call *mpl_call_long(const struct mpl_lane *lane,
                                          const struct mpl_call *call)
{
    const uint32_t number = (uint32_t) (call - lane->calls);
    uint32_t low = 0;
    uint32_t high = lane->n_longs - 1;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (lane->longs[middle].call < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return &lane->longs[low];
}

bool mpl_call_add_long(struct mpl_lane *lane, uint32_t call, struct mpl_buf *longs,
                       uint32_t leave, int64_t duration_ticks)
{
    struct mpl_long_call *entry = mpl_buf_add(longs);

    if (entry == NULL) {
        return false;
    }
    lane->calls[call].duration_ticks = MPL_CALL_FAR;
    lane->calls[call].n_records = UINT16_MAX;
    *entry = (struct mpl_long_call){ call, leave, duration_ticks, 0 };
    lane->longs = longs->data;
    lane->n_longs = (uint32_t) longs->n;
    return true;
}

void mpl_call_set_wait(struct mpl_lane *lane, struct mpl_call *call, int64_t ticks)
{
    if (call->duration_ticks != MPL_CALL_FAR) {
        call->wait_ticks = (uint32_t) ticks;
    } else {
        lane->longs[mpl_call_long(lane, call) - lane->longs].wait_ticks = ticks;
    }
}
