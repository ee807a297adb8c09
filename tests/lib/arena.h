/* The arena of the test that runs; a checked fixture makes and drops it. */
#ifndef MPL_TESTS_LIB_ARENA_H
#define MPL_TESTS_LIB_ARENA_H

#include "base/base.h"

extern struct mpl_arena *arena;

/** Makes the arena, with no allocation chosen to fail. */
void create_arena(void);
void destroy_arena(void);

/** A path of the source tree, in the arena. */
const char *in_tree(const char *path);

/** Whether to try once more, with allocation \p n failing, what has ended with \p st, until it makes no more than \p n.
 *  Who can do without one may succeed; at least two must fail, and none with another error. */
bool fails_without_memory(long n, enum mpl_status st);
/** How many of these tries have failed so far. */
long failures_without_memory(void);

#endif
