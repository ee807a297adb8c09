#include "config.h"

#include "base/base_priv.h"

#include <string.h>

/*
 * Each item is looked for in two places only, so no table has to grow, and where nothing repeats, little is lost: where the
 * item is that last came after the one just added, as a loop is mostly in a round like those before; and where the last one
 * with its hash is. A place may name an item of an earlier round, since what it names is compared all the same.
 */
enum { PLACES = 4096 };

struct mpl_distinct mpl_distinct_make(size_t item_size)
{
    mpl_assert(item_size % sizeof(uint64_t) == 0);
    return (struct mpl_distinct){ .items = mpl_buf_make(item_size),
                                  .places = mpl_buf_make(sizeof(uint32_t)) };
}

void mpl_distinct_free(struct mpl_distinct *distinct)
{
    mpl_buf_free(&distinct->items);
    mpl_buf_free(&distinct->places);
}

static uint64_t word_at(const char *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Four sums side by side, as a multiplication takes several cycles. */
static uint64_t hash_of(const char *item, size_t size)
{
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    const char *end = item + size;
    uint64_t a = 0;
    uint64_t b = 0;
    uint64_t c = 0;
    uint64_t d = 0;

    for (; end - item >= 4 * (ptrdiff_t) sizeof(uint64_t); item += 4 * sizeof(uint64_t)) {
        a = (a ^ word_at(item)) * odd;
        b = (b ^ word_at(item + sizeof(uint64_t))) * odd;
        c = (c ^ word_at(item + 2 * sizeof(uint64_t))) * odd;
        d = (d ^ word_at(item + 3 * sizeof(uint64_t))) * odd;
    }
    for (; item < end; item += sizeof(uint64_t)) {
        a = (a ^ word_at(item)) * odd;
    }
    b ^= d >> 16 | d << 48;
    a ^= c >> 16 | c << 48;
    return mpl_hash_mix(a ^ (b >> 32 | b << 32));
}

static bool is_at(const struct mpl_buf *items, uint32_t place, const void *item)
{
    return place < items->n && memcmp(mpl_buf_get(items, place), item, items->size) == 0;
}

uint32_t mpl_distinct_add(struct mpl_distinct *distinct, const void *item)
{
    struct mpl_buf *items = &distinct->items;
    struct mpl_buf *places = &distinct->places;

    if (places->n == 0 && mpl_buf_add_many(places, 2 * PLACES) == NULL) {
        return MPL_NONE;
    }
    uint32_t *behind = (uint32_t *) places->data + distinct->last % PLACES;

    if (!is_at(items, *behind, item)) {
        uint32_t *place =
            (uint32_t *) places->data + PLACES + hash_of(item, items->size) % PLACES;

        if (!is_at(items, *place, item)) {
            if (items->n >= MPL_NONE || !mpl_buf_put(items, item)) {
                return MPL_NONE;
            }
            *place = (uint32_t) items->n - 1;
        }
        *behind = *place;
    }
    distinct->last = *behind;
    return *behind;
}

void *mpl_distinct_take(struct mpl_distinct *distinct, struct mpl_arena *arena)
{
    return mpl_buf_take(&distinct->items, arena);
}
