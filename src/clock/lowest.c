#include "config.h"

#include "clock/clock_priv.h"

void mpl_lowest_add(struct mpl_lowest *lowest, uint32_t number)
{
    size_t at = lowest->n++;

    for (; at > 0 && lowest->number[(at - 1) / 2] > number; at = (at - 1) / 2) {
        lowest->number[at] = lowest->number[(at - 1) / 2];
    }
    lowest->number[at] = number;
}

uint32_t mpl_lowest_take(struct mpl_lowest *lowest)
{
    uint32_t *number = lowest->number;
    size_t at = 0;

    if (lowest->n == 0) {
        return MPL_NONE;
    }
    const uint32_t first = number[0];
    const uint32_t last = number[--lowest->n];
    for (size_t child = 1; child < lowest->n; child = 2 * at + 1) {
        child += child + 1 < lowest->n && number[child + 1] < number[child];
        if (number[child] >= last) {
            break;
        }
        number[at] = number[child];
        at = child;
    }
    number[at] = last;
    return first;
}
