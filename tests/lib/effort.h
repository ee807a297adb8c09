/* How much a test tries: everything in `./bootstrap check full`, a sixth of it otherwise. */
#ifndef MPL_TESTS_LIB_EFFORT_H
#define MPL_TESTS_LIB_EFFORT_H

/** Of \p all seeds those to try: all of them if MARPLE_TESTS is "full", else a sixth, rounded up. */
int seeds_of(int all);

#endif
