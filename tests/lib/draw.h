/* Numbers by chance, the same for the same seed. */
#ifndef MPL_TESTS_LIB_DRAW_H
#define MPL_TESTS_LIB_DRAW_H

#include <stdint.h>

/** \p seed: as it is printed, from 0 on. */
void draw_from(int seed);
/** Below \p n. */
uint32_t draw(uint32_t n);

#endif
