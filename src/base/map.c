#include "config.h"

#include "base/base_priv.h"

#include <stdlib.h>

/*
 * Open addressing with linear probing. A slot is 12 bytes (the key in two halves, or
 * the compiler would pad it to 16); growing by a half at four fifths full keeps a map
 * between 15 and 23 bytes per entry.
 */
struct slot {
    uint32_t key_low;
    uint32_t key_high;
    uint32_t value; /* MPL_NONE: the slot is free. */
};

struct mpl_map {
    struct slot *slots;
    size_t n_slots; /* Below 2^32, as place_of() multiplies by it. */
    size_t n;
};

enum { FIRST_SLOTS = 16 };

struct mpl_map *mpl_map_create(void)
{
    return mpl_heap_zeroed(1, sizeof(struct mpl_map));
}

void mpl_map_destroy(struct mpl_map *map)
{
    if (map == NULL) {
        return;
    }
    free(map->slots);
    free(map);
}

/* Scaling the hash to the table needs no power of two, so growth can be by a half. */
static size_t place_of(uint64_t key, size_t n_slots)
{
    return (size_t) (((mpl_hash_mix(key) >> 32) * (uint64_t) n_slots) >> 32);
}

/* The slot that holds \p key, or the free one where it belongs; one is always free. */
static struct slot *slot_of(struct slot *slots, size_t n_slots, uint64_t key)
{
    const uint32_t low = (uint32_t) key;
    const uint32_t high = (uint32_t) (key >> 32);
    size_t i = place_of(key, n_slots);

    while (slots[i].value != MPL_NONE &&
           (slots[i].key_low != low || slots[i].key_high != high)) {
        i = i + 1 == n_slots ? 0 : i + 1;
    }
    return &slots[i];
}

static bool grow(struct mpl_map *map)
{
    const size_t n_slots =
        map->n_slots == 0 ? FIRST_SLOTS : map->n_slots + map->n_slots / 2;

    if (n_slots > UINT32_MAX) {
        return false;
    }

    struct slot *slots = mpl_heap_resize(NULL, n_slots, sizeof *slots);

    if (slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < n_slots; i++) {
        slots[i] = (struct slot){ 0, 0, MPL_NONE };
    }
    for (size_t i = 0; i < map->n_slots; i++) {
        const struct slot *old = &map->slots[i];

        if (old->value != MPL_NONE) {
            const uint64_t key = (uint64_t) old->key_high << 32 | old->key_low;

            *slot_of(slots, n_slots, key) = *old;
        }
    }
    free(map->slots);
    map->slots = slots;
    map->n_slots = n_slots;
    return true;
}

uint32_t mpl_map_find(const struct mpl_map *map, uint64_t key)
{
    return map->n == 0 ? MPL_NONE : slot_of(map->slots, map->n_slots, key)->value;
}

bool mpl_map_put(struct mpl_map *map, uint64_t key, uint32_t value)
{
    mpl_assert(value != MPL_NONE);
    if (map->n_slots > 0) {
        struct slot *slot = slot_of(map->slots, map->n_slots, key);

        if (slot->value != MPL_NONE) {
            slot->value = value;
            return true;
        }
    }
    if ((map->n + 1) * 5 > map->n_slots * 4 && !grow(map)) {
        return false;
    }
    *slot_of(map->slots, map->n_slots, key) =
        (struct slot){ (uint32_t) key, (uint32_t) (key >> 32), value };
    map->n++;
    return true;
}

void *mpl_map_item(struct mpl_map *map, uint64_t key, struct mpl_buf *items)
{
    const uint32_t known = mpl_map_find(map, key);

    if (known != MPL_NONE) {
        return mpl_buf_get(items, known);
    }
    return mpl_map_put(map, key, (uint32_t) items->n) ? mpl_buf_add(items) : NULL;
}

size_t mpl_map_count(const struct mpl_map *map)
{
    return map->n;
}
