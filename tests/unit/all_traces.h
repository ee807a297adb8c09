/* Tests that look at every real trace. */
#ifndef MPL_TESTS_ALL_TRACES_H
#define MPL_TESTS_ALL_TRACES_H

#include "../lib/arena.h"
#include "../lib/traces.h"

#include <stdbool.h>

/** Calls \p look with the name and the path of each trace of traces_folder(), sorted, and an empty arena.
 *  It returns whether the trace is one that can be judged; the test fails if fewer than \p at_least are. */
void look_at_all_traces(bool (*look)(const char *name, const char *path),
                        unsigned at_least);

#endif
