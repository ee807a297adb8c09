/*
 * Iterations of a loop are the same records: what came before is named by how far before and how long (Lempel and
 * Ziv 1977). A stretch may reach into itself, so a thousand iterations take two numbers.
 */
#include "config.h"

#include "read/baseline_priv.h"

/* Shorter stretches are not worth two numbers. */
enum { LEAST = 4 };

static uint64_t hash_of(const uint32_t *numbers)
{
    uint64_t hash = 0;

    for (int i = 0; i < LEAST; i++) {
        hash = (hash ^ numbers[i]) * UINT64_C(0x9E3779B97F4A7C15);
    }
    return hash;
}

static size_t length_of(const uint32_t *numbers, size_t from, size_t at, size_t n)
{
    size_t length = 0;

    while (at + length < n && numbers[from + length] == numbers[at + length]) {
        length++;
    }
    return length;
}

static void write_number(struct mpl_coder *c, uint64_t number)
{
    mpl_code(c, &number, UINT64_MAX);
}

bool mpl_repeats_write(const uint32_t *numbers, size_t n, struct mpl_coder *c)
{
    struct mpl_map *places = mpl_map_create();
    bool is_done = places != NULL;

    for (size_t at = 0; at < n && is_done;) {
        const uint32_t from =
            at + LEAST > n ? MPL_NONE : mpl_map_find(places, hash_of(numbers + at));
        const size_t length = from == MPL_NONE ? 0 : length_of(numbers, from, at, n);
        const size_t step = length < LEAST ? 1 : length;

        if (length < LEAST) {
            write_number(c, (uint64_t) numbers[at] << 1);
        } else {
            write_number(c, (uint64_t) (length - LEAST) << 1 | 1);
            write_number(c, at - from);
        }
        for (size_t i = at; i < at + step && is_done; i++) {
            is_done =
                i + LEAST > n || mpl_map_put(places, hash_of(numbers + i), (uint32_t) i);
        }
        at += step;
    }
    mpl_map_destroy(places);
    c->is_bad |= !is_done;
    return !c->is_bad;
}

bool mpl_repeats_read(struct mpl_coder *c, uint32_t *numbers, size_t n, uint32_t limit)
{
    size_t at = 0;

    while (at < n && !c->is_bad) {
        uint64_t number = 0;
        uint64_t distance = 0;

        mpl_code(c, &number, UINT64_MAX);
        if ((number & 1) == 0) {
            c->is_bad |= number >> 1 >= limit;
            numbers[at++] = (uint32_t) (number >> 1);
            continue;
        }
        number = (number >> 1) + LEAST;
        mpl_code(c, &distance, at);
        c->is_bad |= distance == 0 || number > n - at;
        for (uint64_t i = 0; i < number && !c->is_bad; i++, at++) {
            numbers[at] = numbers[at - distance];
        }
    }
    return mpl_coder_is_done(c);
}
