#include "config.h"

#include "base/base_priv.h"

uint64_t mpl_hash_mix(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* FNV-1a; its low bits alone are weak on short texts, so it is mixed at the end. */
uint64_t mpl_hash_bytes(const char *bytes, size_t n, uint64_t seed)
{
    uint64_t hash = 0xCBF29CE484222325u ^ mpl_hash_mix(seed);

    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ (unsigned char) bytes[i]) * 0x100000001B3u;
    }
    return mpl_hash_mix(hash);
}
