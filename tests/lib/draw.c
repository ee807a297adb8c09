#include "draw.h"

static uint64_t state;

void draw_from(int seed)
{
    state = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t) (seed + 1);
}

/* xorshift */
uint32_t draw(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t) (state >> 33) % n;
}
