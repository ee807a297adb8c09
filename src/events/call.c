/* Calls in three parts, those that do not fit, and how they are made. */
#include "config.h"

#include "events/events_priv.h"

#include <string.h>

/* The number of blocks that begin at or before record \p event. */
static uint32_t blocks_until(const struct mpl_lane *lane, uint32_t event)
{
    uint32_t low = 0;
    uint32_t high = (lane->n_calls + MPL_CALLS_PER_BLOCK - 1) / MPL_CALLS_PER_BLOCK;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (lane->blocks[middle].enter <= event) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t mpl_call_find(const struct mpl_events *events, uint32_t location, uint32_t event)
{
    const struct mpl_lane *lane = &events->lanes[location];
    const uint32_t n_blocks = blocks_until(lane, event);

    if (n_blocks == 0) {
        return MPL_NONE;
    }

    /* The last call that begins there or before is in the last of these blocks. */
    const uint32_t first = (n_blocks - 1) * MPL_CALLS_PER_BLOCK;
    const uint32_t left = lane->n_calls - first;
    uint32_t low = first;
    uint32_t high = first + (left < MPL_CALLS_PER_BLOCK ? left : MPL_CALLS_PER_BLOCK);

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (mpl_call_enter(lane, middle) <= event) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return event <= mpl_call_leave(lane, low) ? low : MPL_NONE;
}

/* ---- calls that fit no 32 bits ------------------------------------------------------ */

const struct mpl_long_call *mpl_call_long(const struct mpl_lane *lane, uint32_t call)
{
    uint32_t low = 0;
    uint32_t high = lane->n_longs - 1;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (lane->longs[middle].call < call) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return &lane->longs[low];
}

int64_t mpl_call_far_ticks(const struct mpl_events *events, uint32_t location,
                           uint32_t call)
{
    return mpl_time_of(events, &events->model->locations[location],
                       mpl_call_enter(&events->lanes[location], call));
}

void mpl_call_set_wait(struct mpl_lane *lane, uint32_t call, int64_t ticks,
                       enum mpl_wait_kind kind, uint32_t culprit)
{
    struct mpl_call_wait *wait = &lane->waits[call];

    wait->kind = kind;
    wait->culprit = culprit & MPL_CALL_NOBODY;
    if (wait->ticks != MPL_CALL_FAR) {
        wait->ticks = (uint32_t) ticks;
    } else {
        lane->longs[mpl_call_long(lane, call) - lane->longs].wait_ticks = ticks;
    }
}

/* ---- making them -------------------------------------------------------------------- */

struct mpl_call_maker mpl_call_maker_make(void)
{
    return (struct mpl_call_maker){
        .times = mpl_buf_make(sizeof(struct mpl_call_times)),
        .base = mpl_buf_make(sizeof(int64_t)),
        .waits = mpl_buf_make(sizeof(struct mpl_call_wait)),
        .blocks = mpl_buf_make(sizeof(struct mpl_call_block)),
        .longs = mpl_buf_make(sizeof(struct mpl_long_call)),
        .forms = mpl_distinct_make(MPL_CALLS_PER_BLOCK * sizeof(struct mpl_call_form)),
    };
}

void mpl_call_maker_free(struct mpl_call_maker *maker)
{
    mpl_distinct_free(&maker->forms);
    mpl_buf_free(&maker->longs);
    mpl_buf_free(&maker->blocks);
    mpl_buf_free(&maker->waits);
    mpl_buf_free(&maker->base);
    mpl_buf_free(&maker->times);
}

void mpl_calls_begin(struct mpl_call_maker *maker, uint32_t most)
{
    maker->longs.n = 0;
    maker->forms.items.n = 0;
    maker->is_open = false;
    maker->n_calls = 0;
    maker->most = most;
}

static uint32_t n_blocks_of(uint32_t n_calls)
{
    return (uint32_t) (((uint64_t) n_calls + MPL_CALLS_PER_BLOCK - 1) /
                       MPL_CALLS_PER_BLOCK);
}

/* Room for more calls than there should be, of which memory is taken only as far as they go. */
static bool make_room(struct mpl_call_maker *maker)
{
    const uint32_t n = maker->n_calls;
    const size_t most = (size_t) maker->most + MPL_CALLS_PER_BLOCK;
    const size_t least = (size_t) n + MPL_CALLS_PER_BLOCK;
    const size_t room = least <= most ? most : 2 * least;

    maker->times.n = n;
    maker->waits.n = n;
    maker->blocks.n = n_blocks_of(n);
    maker->base.n = n_blocks_of(n);
    return mpl_buf_reserve(&maker->times, room) && mpl_buf_reserve(&maker->waits, room) &&
           mpl_buf_reserve(&maker->base, room / MPL_CALLS_PER_BLOCK + 1) &&
           mpl_buf_reserve(&maker->blocks, room / MPL_CALLS_PER_BLOCK + 1);
}

bool mpl_calls_end_block(struct mpl_call_maker *maker)
{
    struct mpl_call_block *blocks = maker->blocks.data;
    uint32_t form;

    if (!maker->is_open) {
        return true;
    }
    form = mpl_distinct_add(&maker->forms, maker->block);
    if (form == MPL_NONE) {
        return false;
    }
    blocks[n_blocks_of(maker->n_calls) - 1].form = form * MPL_CALLS_PER_BLOCK;
    maker->is_open = false;
    return true;
}

static bool has_room(const struct mpl_call_maker *maker)
{
    const size_t n = (size_t) maker->n_calls + MPL_CALLS_PER_BLOCK;
    const size_t n_blocks = n / MPL_CALLS_PER_BLOCK;

    return n <= maker->times.room && n <= maker->waits.room &&
           n_blocks <= maker->base.room && n_blocks <= maker->blocks.room;
}

/* A new block behind complete ones; NULL: no memory. */
static struct mpl_call_block *add_block(struct mpl_call_maker *maker, uint32_t enter,
                                        int64_t enter_ticks)
{
    const uint32_t at = maker->n_calls / MPL_CALLS_PER_BLOCK;
    struct mpl_call_block *block;

    if (!has_room(maker) && !make_room(maker)) {
        return NULL;
    }
    block = (struct mpl_call_block *) maker->blocks.data + at;
    *block = (struct mpl_call_block){ .enter = enter };
    ((int64_t *) maker->base.data)[at] = enter_ticks;
    memset(block->first, 0xff, sizeof block->first);
    return block;
}

struct mpl_call_block *mpl_calls_add_block(struct mpl_call_maker *maker, uint32_t form,
                                           uint32_t enter, int64_t enter_ticks)
{
    struct mpl_call_block *block =
        mpl_calls_end_block(maker) ? add_block(maker, enter, enter_ticks) : NULL;

    if (block != NULL) {
        block->form = form;
        maker->n_calls += MPL_CALLS_PER_BLOCK;
    }
    return block;
}

static bool begin_block(struct mpl_call_maker *maker, uint32_t enter, int64_t enter_ticks)
{
    if (!mpl_calls_end_block(maker) || add_block(maker, enter, enter_ticks) == NULL) {
        return false;
    }
    memset(maker->block, 0, sizeof maker->block);
    maker->is_open = true;
    return true;
}

/* Where a call fits no 32 bits, its times and its form say so. */
static bool add_long(struct mpl_call_maker *maker, const struct mpl_call *call,
                     const struct mpl_call_ticks *ticks)
{
    const struct mpl_long_call entry = { maker->n_calls, call->leave, ticks->duration,
                                         ticks->wait };

    return mpl_buf_put(&maker->longs, &entry);
}

static bool is_long_call(const struct mpl_call *call, const struct mpl_call_ticks *ticks)
{
    return (uint64_t) ticks->duration >= MPL_CALL_FAR ||
           call->leave - call->enter >= UINT16_MAX;
}

/* Into the block that is not whole yet. */
static inline void put_call(struct mpl_call_maker *maker, const struct mpl_call *call,
                            const struct mpl_call_ticks *ticks, bool is_long)
{
    const uint32_t k = maker->n_calls;
    struct mpl_call_block *block =
        (struct mpl_call_block *) maker->blocks.data + k / MPL_CALLS_PER_BLOCK;
    uint32_t *first = &block->first[call->parts];
    const uint64_t begin_ticks =
        (uint64_t) ticks->enter -
        (uint64_t) ((int64_t *) maker->base.data)[k / MPL_CALLS_PER_BLOCK];

    *first = *first == MPL_NONE ? call->first : *first;
    ((struct mpl_call_times *) maker->times.data)[k] = (struct mpl_call_times){
        .begin_ticks = begin_ticks < MPL_CALL_FAR ? (uint32_t) begin_ticks : MPL_CALL_FAR,
        .duration_ticks = is_long ? MPL_CALL_FAR : (uint32_t) ticks->duration,
    };
    ((struct mpl_call_wait *) maker->waits.data)[k] = (struct mpl_call_wait){
        .ticks = is_long ? MPL_CALL_FAR : (uint32_t) ticks->wait,
        .culprit = call->culprit & MPL_CALL_NOBODY,
        .kind = call->wait_kind & 7,
        .is_known = call->is_wait_known,
    };
    maker->block[k % MPL_CALLS_PER_BLOCK] = (struct mpl_call_form){
        .enter = call->enter - block->enter,
        .first = call->first - *first,
        .region = call->region,
        .n_records = is_long ? UINT16_MAX : (uint16_t) (call->leave - call->enter),
        .gap_region = call->gap_region & MPL_CALL_NO_GAP,
        .class = call->class & 7,
        .parts = call->parts & 3,
        .n_more = call->n_more & 15,
    };
    maker->n_calls++;
}

/* The first of a block, or a long one. Not inline: all others would save its registers. */
static __attribute__((noinline)) bool add_seldom(struct mpl_call_maker *maker,
                                                 const struct mpl_call *call,
                                                 const struct mpl_call_ticks *ticks)
{
    const bool is_long = is_long_call(call, ticks);

    if ((maker->n_calls % MPL_CALLS_PER_BLOCK == 0 &&
         !begin_block(maker, call->enter, ticks->enter)) ||
        (is_long && !add_long(maker, call, ticks))) {
        return false;
    }
    put_call(maker, call, ticks, is_long);
    return true;
}

bool mpl_call_add(struct mpl_call_maker *maker, const struct mpl_call *call,
                  const struct mpl_call_ticks *ticks)
{
    if (maker->n_calls % MPL_CALLS_PER_BLOCK == 0 || is_long_call(call, ticks)) {
        return add_seldom(maker, call, ticks);
    }
    put_call(maker, call, ticks, false);
    return true;
}

/* Takes the place of what there is. */
static void put_over(struct mpl_call_maker *maker, const struct mpl_lane *lane)
{
    const uint32_t n_calls = maker->n_calls;

    if (n_calls > 0) {
        memcpy(lane->times, maker->times.data, n_calls * sizeof *lane->times);
        memcpy(lane->waits, maker->waits.data, n_calls * sizeof *lane->waits);
        memcpy(lane->base, maker->base.data, n_blocks_of(n_calls) * sizeof *lane->base);
        memcpy(lane->blocks, maker->blocks.data,
               n_blocks_of(n_calls) * sizeof *lane->blocks);
    }
    if (lane->n_longs > 0) {
        memcpy(lane->longs, maker->longs.data, lane->n_longs * sizeof *lane->longs);
    }
}

/* Into the place of the forms that there are, as far as it goes. */
static bool keep_forms(struct mpl_call_maker *maker, struct mpl_lane *lane,
                       struct mpl_arena *arena)
{
    const uint32_t n = (uint32_t) maker->forms.items.n;

    if (n <= lane->n_forms) {
        if (n > 0) {
            memcpy(lane->forms, maker->forms.items.data,
                   n * MPL_CALLS_PER_BLOCK * sizeof *lane->forms);
        }
        return true;
    }

    struct mpl_call_form *forms = mpl_distinct_take(&maker->forms, arena);

    if (forms == NULL) {
        return false;
    }
    lane->n_forms = n;
    lane->forms = forms;
    return true;
}

/* All but the times is kept already. False: they are not to be shared, or cannot be. */
static bool share_times(const struct mpl_call_maker *maker, struct mpl_lane *lane,
                        struct mpl_location *loc)
{
    const struct mpl_call_times *times = maker->times.data;
    const int64_t *base = maker->base.data;
    const uint32_t n = lane->n_calls;
    struct mpl_shared_ends at = { .is_plain = true };
    struct mpl_sharing sharing;

    if (loc == NULL || n == 0 ||
        !mpl_sharing_begin(&sharing, &loc->times, loc->n_events, n)) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t ticks =
            (uint64_t) base[k / MPL_CALLS_PER_BLOCK] + times[k].begin_ticks;

        mpl_sharing_add(&sharing, &at, 2 * k, mpl_call_enter(lane, k), (int64_t) ticks);
        mpl_sharing_add(&sharing, &at, 2 * k + 1, mpl_call_leave(lane, k),
                        (int64_t) (ticks + times[k].duration_ticks));
    }
    if (!mpl_sharing_end(&sharing, at, n, times, base)) {
        return false;
    }
    lane->times = loc->times.calls;
    lane->base = loc->times.call_base;
    return true;
}

static bool keep_times(struct mpl_call_maker *maker, struct mpl_lane *lane,
                       struct mpl_arena *arena)
{
    lane->times = mpl_buf_drain(&maker->times, lane->n_calls, arena);
    lane->base = mpl_buf_drain(&maker->base, n_blocks_of(lane->n_calls), arena);
    return lane->times != NULL && lane->base != NULL;
}

bool mpl_calls_keep(struct mpl_call_maker *maker, struct mpl_lane *lane,
                    struct mpl_location *loc, struct mpl_arena *arena)
{
    const uint32_t n_calls = maker->n_calls;

    if (!mpl_calls_end_block(maker) || !keep_forms(maker, lane, arena)) {
        return false;
    }
    if (lane->times != NULL) {
        put_over(maker, lane);
        return true;
    }
    lane->n_calls = n_calls;
    lane->n_longs = (uint32_t) maker->longs.n;
    lane->waits = mpl_buf_drain(&maker->waits, n_calls, arena);
    lane->blocks = mpl_buf_drain(&maker->blocks, n_blocks_of(n_calls), arena);
    lane->longs =
        lane->n_longs == 0 ? NULL : mpl_buf_drain(&maker->longs, lane->n_longs, arena);
    return lane->waits != NULL && lane->blocks != NULL &&
           (lane->n_longs == 0 || lane->longs != NULL) &&
           (share_times(maker, lane, loc) || keep_times(maker, lane, arena));
}

static bool are_consecutive(const uint32_t *messages, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        if (messages[i] != messages[0] + i) {
            return false;
        }
    }
    return n <= MPL_CALL_RUN_MOST;
}

bool mpl_call_set_parts(struct mpl_call *call, uint32_t *list, uint32_t place, uint32_t n,
                        uint32_t collective)
{
    call->n_more = 0;
    if (n == 0) {
        call->first = collective;
        call->parts = collective == MPL_NONE ? MPL_PARTS_NONE : MPL_PARTS_COLLECTIVE;
        return false;
    }
    if (collective == MPL_NONE && are_consecutive(list + 2, n)) {
        call->first = list[2];
        call->n_more = (uint8_t) (n - 1);
        call->parts = MPL_PARTS_MESSAGES;
        return false;
    }
    list[0] = n;
    list[1] = collective;
    call->first = place;
    call->parts = MPL_PARTS_LIST;
    return true;
}
