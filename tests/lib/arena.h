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

/** Whether to try once more, with allocation \p n failing, what has ended with \p st: until there are no so many allocations.
 *  Who can do without one may succeed. The test fails for any other error, and if nothing has failed at all. */
bool fails_without_memory(long n, enum mpl_status st);

#endif
