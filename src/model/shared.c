/*
 * Times that records share with calls. When a call is, it knows itself, so from the moment at which there are calls the records that
 * open and close them need no times of their own. They leave as many words as the times of calls take. So the room that the
 * offsets of all records had then holds
 *
 *     offsets of other records, times of calls, ..., bases of blocks of calls, blocks of records
 */
#include "config.h"

#include "model/model.h"

#include <string.h>

static uint32_t blocks_of(uint32_t n, uint32_t per_block)
{
    return n / per_block + (n % per_block != 0);
}

static uint32_t count_bits(uint64_t bits)
{
    return (uint32_t) __builtin_popcountll(bits);
}

static int64_t own_time(const struct mpl_times *times, int64_t base, uint32_t at)
{
    const uint32_t offset = times->offset[at];

    return base == MPL_TICKS_WIDE ? ((const int64_t *) times->wide->data)[offset]
                                  : base + offset;
}

static int64_t end_of_call(const struct mpl_times *times, uint32_t end)
{
    const uint32_t call = end / 2;
    const struct mpl_call_times *ticks = &times->calls[call];

    return times->call_base[call / MPL_CALLS_PER_BLOCK] + ticks->begin_ticks +
           (end % 2 == 0 ? 0 : ticks->duration_ticks);
}

int64_t mpl_times_get_seldom(const struct mpl_times *times, uint32_t event)
{
    if (times->shared == NULL) {
        return own_time(times, MPL_TICKS_WIDE, event);
    }

    const struct mpl_shared_block *block = &times->shared[event / MPL_BLOCK_EVENTS];
    const uint32_t at = event % MPL_BLOCK_EVENTS;
    const uint32_t n_before = count_bits(block->ends & ((UINT64_C(1) << at) - 1));

    return (block->ends >> at & 1) != 0
               ? end_of_call(times, block->first_end + n_before)
               : own_time(times, block->base_ticks, block->first + at - n_before);
}

/* ---- from times of their own to shared ones ------------------------------------------------- */

enum { WORD = sizeof(uint32_t) };

static size_t words_of_blocks(uint32_t n_events)
{
    return blocks_of(n_events, MPL_BLOCK_EVENTS) * sizeof(struct mpl_shared_block) / WORD;
}

/* And one by which what has 64 bits may have to move to begin where it can. */
static size_t words_beside(uint32_t n_events, uint32_t n_calls)
{
    return words_of_blocks(n_events) +
           blocks_of(n_calls, MPL_CALLS_PER_BLOCK) * sizeof(int64_t) / WORD + 1;
}

static size_t words_of_calls(uint32_t n)
{
    return n * sizeof(struct mpl_call_times) / WORD;
}

/* At the end of the room, as far as the place is one for numbers of 64 bits. */
static struct mpl_shared_block *place_of_blocks(const struct mpl_times *times,
                                                uint32_t n_events)
{
    char *place = (char *) (times->offset + times->room - words_of_blocks(n_events));

    return (struct mpl_shared_block *) (void *) (place -
                                                 (uintptr_t) place % sizeof(uint64_t));
}

bool mpl_sharing_begin(struct mpl_sharing *sharing, struct mpl_times *times,
                       uint32_t n_events, uint32_t n_calls)
{
    const size_t beside = words_beside(n_events, n_calls);

    if (times->shared != NULL || times->copy != NULL || n_calls > UINT32_MAX / 2 ||
        words_of_calls(n_calls) < beside || times->room < n_events + beside) {
        return false;
    }
    *sharing = (struct mpl_sharing){ .times = times,
                                     .n_events = n_events,
                                     .blocks = place_of_blocks(times, n_events) };
    return true;
}

static uint32_t size_of_block(const struct mpl_sharing *s, uint32_t block)
{
    const uint32_t left = s->n_events - block * MPL_BLOCK_EVENTS;

    return left < MPL_BLOCK_EVENTS ? left : MPL_BLOCK_EVENTS;
}

/* Where something is not as it mostly is, all records of a block keep their times. */
void mpl_sharing_end_blocks(struct mpl_sharing *s, struct mpl_shared_ends at,
                            uint32_t block, uint32_t first_end)
{
    mpl_assert(block > at.block);
    while (s->n_blocks < block) {
        const uint32_t b = s->n_blocks++;
        const int64_t base = s->times->base[b];
        const uint64_t ends = b == at.block && at.is_plain ? at.ends : 0;

        s->blocks[b] = (struct mpl_shared_block){ base, ends, s->n_apart, s->first_end };
        s->n_apart += size_of_block(s, b) - count_bits(ends);
    }
    s->first_end = first_end;
}

/* The offsets that stay move to the front. */
static void close_up(const struct mpl_sharing *s, uint32_t b)
{
    const uint32_t n = size_of_block(s, b);
    const uint32_t *from = s->times->offset + b * MPL_BLOCK_EVENTS;
    uint32_t *to = s->times->offset + s->blocks[b].first;
    const uint64_t all = n < MPL_BLOCK_EVENTS ? (UINT64_C(1) << n) - 1 : UINT64_MAX;

    for (uint64_t left = all & ~s->blocks[b].ends; left != 0; left &= left - 1) {
        *to++ = from[__builtin_ctzll(left)];
    }
}

bool mpl_sharing_end(struct mpl_sharing *s, struct mpl_shared_ends at, uint32_t n,
                     const struct mpl_call_times *calls, const int64_t *base)
{
    struct mpl_times *times = s->times;
    const uint32_t n_bases = blocks_of(n, MPL_CALLS_PER_BLOCK);

    mpl_sharing_end_blocks(s, at, blocks_of(s->n_events, MPL_BLOCK_EVENTS), 2 * n);
    if (times->room < s->n_apart + words_of_calls(n) + words_beside(s->n_events, n)) {
        return false;
    }
    for (uint32_t b = 0; b < s->n_blocks; b++) {
        close_up(s, b);
        times->base[b] = MPL_TICKS_SHARED;
    }
    times->shared = s->blocks;
    times->calls = (struct mpl_call_times *) (void *) (times->offset + s->n_apart);
    times->call_base = (int64_t *) (void *) s->blocks - n_bases;
    memcpy(times->calls, calls, n * sizeof *calls);
    memcpy(times->call_base, base, n_bases * sizeof *base);
    return true;
}
