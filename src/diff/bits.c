/* Sets of small numbers as bits. */
#include "config.h"

#include "diff/diff_priv.h"

size_t mpl_bits_words(uint32_t n)
{
    return ((size_t) n + 63) / 64;
}

void mpl_bits_put(uint64_t *set, uint32_t i)
{
    set[i / 64] |= UINT64_C(1) << i % 64;
}

bool mpl_bits_has(const uint64_t *set, uint32_t i)
{
    return (set[i / 64] >> i % 64 & 1) != 0;
}

bool mpl_bits_is_within(const uint64_t *part, const uint64_t *whole, size_t n_words)
{
    for (size_t i = 0; i < n_words; i++) {
        if ((part[i] & ~whole[i]) != 0) {
            return false;
        }
    }
    return true;
}

/* Bits that are set, added up in pairs, fours, bytes. */
static uint32_t ones(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t) ((x * UINT64_C(0x0101010101010101)) >> 56);
}

uint32_t mpl_bits_common(const uint64_t *a, const uint64_t *b, size_t n_words)
{
    uint32_t n = 0;

    for (size_t i = 0; i < n_words; i++) {
        n += ones(a[i] & b[i]);
    }
    return n;
}
