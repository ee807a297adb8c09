/*
 * Runs written down by hand, a few calls each, and their repairs. Ticks are nanoseconds.
 */
#ifndef MPL_TESTS_CLC_HAND_H
#define MPL_TESTS_CLC_HAND_H

#include "clc_fixture.h"
#include "hand_trace.h"

void hand_mark(uint32_t location, int64_t ticks);
/** A message's two calls; the receive is recorded at \p ticks. */
void hand_send(uint32_t from, uint32_t receiver, int64_t ticks);
void hand_recv(uint32_t receiver, uint32_t from, int64_t enter, int64_t ticks);
/** On the world. */
void hand_coll(uint32_t location, int64_t enter, int64_t leave, enum mpl_coll_op op,
               uint32_t root);

struct clc_case hand_case(void);
/** Repairs, all guarantees asserted. */
struct clc_case hand_repair(const struct mpl_clc_options *options);
/** Without ramps, so that only what is needed moves. */
struct clc_case hand_repair_forward(void);
/** The shift of the event that was at \p ticks, of several the last. */
int64_t hand_shift(const struct clc_case *c, uint32_t location, int64_t ticks);

/** Two processes whose clocks run against each other for ever, up and down by 300 us in 100 ms;
 *  they exchange a message both ways every 200 us. */
void hand_swinging_clocks(int64_t n_steps);

/** A number below \p n, of a sequence that hand_seed() begins. */
int64_t hand_draw(int64_t n);
void hand_seed(uint64_t seed);

#endif
