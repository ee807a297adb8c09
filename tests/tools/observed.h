/*
 * Timestamps of Jard and Jourdan: some events only are of interest to whoever watches a program, and
 * each of these keeps those of interest that come right before it, with none between.
 */
#ifndef MPL_TESTS_OBSERVED_H
#define MPL_TESTS_OBSERVED_H

#include "order/order.h"

struct observed_cost {
    double
        ratio; /**< Numbers in the timestamp of such an event, over the number of processes. */
    double
        looked_at; /**< Numbers that a question whether one comes before another looked at, mean. */
};
/** Each \p every-th event of a process is of interest. False: no memory. */
bool observed_measure(struct mpl_net *net, uint32_t every, struct mpl_arena *arena,
                      struct observed_cost *out);

#endif
