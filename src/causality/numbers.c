/*
 * The numbers of timestamps. From one full vector of a location to the next they grow little: some
 * vectors are kept whole, and of those that follow one only how much greater their numbers are.
 */
#include "config.h"

#include "causality/causality_priv.h"

#include <string.h>

struct mpl_whole {
    uint32_t first;    /* Where it begins. */
    uint32_t n_bytes;  /* Vectors after it of one byte per number, */
    uint32_t n_shorts; /* and of two. */
    bool is_there;
};

/* A whole vector takes four bytes per number. The next one is due when a byte no longer does, unless that is so
 * soon that two bytes are less; with many of these it is due, too, as bytes may do again. */
enum { FEW_BYTES = 3, MANY_SHORTS = 16, PART = 8 };

bool mpl_numbers_open(struct mpl_numbers *numbers, uint32_t n_locations,
                      struct mpl_arena *scratch)
{
    *numbers = (struct mpl_numbers){
        .words = mpl_buf_make(sizeof(uint32_t)),
        .n_locations = n_locations,
        .whole = MPL_NEW_ARRAY(scratch, n_locations, struct mpl_whole),
    };
    return numbers->whole != NULL;
}

static void *add_words(struct mpl_numbers *numbers, size_t n, uint32_t *first)
{
    if (numbers->words.n + n > UINT32_MAX) {
        numbers->is_beyond = true;
        return NULL;
    }
    *first = (uint32_t) numbers->words.n;
    void *at = mpl_buf_add_many(&numbers->words, n);
    numbers->is_short = numbers->is_short || at == NULL;
    return at;
}

uint32_t *mpl_numbers_add(struct mpl_numbers *numbers, uint32_t n, uint32_t *first)
{
    numbers->n += n;
    return add_words(numbers, n, first);
}

/* ---- differences --------------------------------------------------------------------------------- */

/* All bits that are in any. Parts are of fixed length, for which compilers use operations on whole vectors. */
static uint32_t bits_between(const uint32_t *from, const uint32_t *to, uint32_t n)
{
    uint32_t bits[PART] = { 0 };
    const uint32_t n_whole = n - n % PART;

    for (uint32_t i = 0; i < n_whole; i += PART) {
        for (uint32_t k = 0; k < PART; k++) {
            bits[k] |= to[i + k] - from[i + k];
        }
    }
    for (uint32_t i = n_whole; i < n; i++) {
        bits[0] |= to[i] - from[i];
    }
    for (uint32_t k = 1; k < PART; k++) {
        bits[0] |= bits[k];
    }
    return bits[0];
}

static void put_bytes(uint8_t *restrict at, const uint32_t *restrict from,
                      const uint32_t *restrict to, uint32_t n)
{
    const uint32_t n_whole = n - n % PART;

    for (uint32_t i = 0; i < n_whole; i += PART) {
        for (uint32_t k = 0; k < PART; k++) {
            at[i + k] = (uint8_t) (to[i + k] - from[i + k]);
        }
    }
    for (uint32_t i = n_whole; i < n; i++) {
        at[i] = (uint8_t) (to[i] - from[i]);
    }
}

static void put_shorts(uint16_t *restrict at, const uint32_t *restrict from,
                       const uint32_t *restrict to, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        at[i] = (uint16_t) (to[i] - from[i]);
    }
}

static enum mpl_width choose(const struct mpl_numbers *numbers,
                             const struct mpl_whole *whole, const uint32_t *vector)
{
    if (!whole->is_there) {
        return MPL_WIDTH_WHOLE;
    }
    const uint32_t bits = bits_between(mpl_buf_get(&numbers->words, whole->first), vector,
                                       numbers->n_locations);
    if (bits <= UINT8_MAX) {
        return MPL_WIDTH_BYTE;
    }
    return bits <= UINT16_MAX && whole->n_bytes < FEW_BYTES && whole->n_shorts < MANY_SHORTS
               ? MPL_WIDTH_SHORT
               : MPL_WIDTH_WHOLE;
}

enum mpl_width mpl_numbers_add_full(struct mpl_numbers *numbers, uint32_t location,
                                    const uint32_t *vector, uint32_t *first, uint32_t *base)
{
    const uint32_t n = numbers->n_locations;
    struct mpl_whole *whole = &numbers->whole[location];
    const enum mpl_width width = choose(numbers, whole, vector);
    void *at = add_words(numbers, ((size_t) n * mpl_width_bytes(width) + 3) / 4, first);

    numbers->n += n;
    if (at == NULL) {
        return width;
    }
    if (width == MPL_WIDTH_WHOLE) {
        memcpy(at, vector, n * sizeof *vector);
        mpl_numbers_follow(numbers, location, *first);
    } else if (width == MPL_WIDTH_BYTE) {
        put_bytes(at, mpl_buf_get(&numbers->words, whole->first), vector, n);
        whole->n_bytes++;
    } else {
        put_shorts(at, mpl_buf_get(&numbers->words, whole->first), vector, n);
        whole->n_shorts++;
    }
    *base = whole->first;
    return width;
}

void mpl_numbers_follow(struct mpl_numbers *numbers, uint32_t location, uint32_t first)
{
    numbers->whole[location] = (struct mpl_whole){ .first = first, .is_there = true };
}
