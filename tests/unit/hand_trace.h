/* The one trace that a test makes by hand, in the arena of the test. */
#ifndef MPL_TESTS_HAND_TRACE_H
#define MPL_TESTS_HAND_TRACE_H

#include "../lib/arena.h"
#include "match_fixture.h"

/** The trace of the test that runs: NULL until it makes one, dropped by tear_down(). */
extern struct trace *t;

void set_up(void);
void tear_down(void);

/** That rank of the world, tag 7. */
struct address to(uint32_t rank);

#endif
