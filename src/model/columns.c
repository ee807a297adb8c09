#include "config.h"

#include "model/model.h"

#include <string.h>

static uint32_t blocks_of(uint32_t n)
{
    return n / MPL_BLOCK_EVENTS + (n % MPL_BLOCK_EVENTS != 0);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- times ---------------------------------------------------------------------------- */

/* Offsets are about to change: a copy that shares them gets its own. */
static void part(struct mpl_times *times)
{
    struct mpl_times *copy = times->copy;

    mpl_assert(times->shared == NULL);
    if (copy != NULL) {
        memcpy(copy->own, copy->offset, copy->n_own * sizeof *copy->own);
        copy->offset = copy->own;
        times->copy = NULL;
    }
}

static int64_t *wide_of(const struct mpl_times *times, uint32_t first)
{
    return (int64_t *) times->wide->data + times->offset[first];
}

/* Gives the block that begins with \p first a place for times of any size. */
static bool widen(struct mpl_times *times, uint32_t first, uint32_t n)
{
    const size_t place = times->wide->n;

    if (mpl_buf_add_many(times->wide, MPL_BLOCK_EVENTS) == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        times->offset[first + i] = (uint32_t) (place + i);
    }
    times->base[first / MPL_BLOCK_EVENTS] = MPL_TICKS_WIDE;
    return true;
}

/* Whether 32 bits tell how much later than \p base_ticks all of them are. */
static bool do_fit(const int64_t *ticks, uint32_t n, int64_t base_ticks)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < n; i++) {
        all |= (uint64_t) ticks[i] - (uint64_t) base_ticks;
    }
    return base_ticks > MPL_TICKS_SHARED && all <= UINT32_MAX;
}

static int64_t earliest(const int64_t *ticks, uint32_t n)
{
    int64_t least = ticks[0];

    for (uint32_t i = 1; i < n; i++) {
        least = ticks[i] < least ? ticks[i] : least;
    }
    return least;
}

/* Nearly always the first time of a block is its earliest. */
static bool write_block(struct mpl_times *times, uint32_t first, uint32_t n,
                        const int64_t *ticks)
{
    int64_t *base = &times->base[first / MPL_BLOCK_EVENTS];

    if (*base != MPL_TICKS_WIDE) {
        const bool is_first = do_fit(ticks, n, ticks[0]);
        const int64_t least = is_first ? ticks[0] : earliest(ticks, n);

        if (is_first || do_fit(ticks, n, least)) {
            *base = least;
            for (uint32_t i = 0; i < n; i++) {
                times->offset[first + i] =
                    (uint32_t) ((uint64_t) ticks[i] - (uint64_t) least);
            }
            return true;
        }
        if (!widen(times, first, n)) {
            return false;
        }
    }
    memcpy(wide_of(times, first), ticks, n * sizeof *ticks);
    return true;
}

bool mpl_times_write(struct mpl_times *times, uint32_t first, uint32_t n,
                     const int64_t *ticks)
{
    bool is_enough = true;

    part(times);
    for (uint32_t i = 0; i < n && is_enough; i += smaller(n - i, MPL_BLOCK_EVENTS)) {
        is_enough =
            write_block(times, first + i, smaller(n - i, MPL_BLOCK_EVENTS), ticks + i);
    }
    return is_enough;
}

static void read_block(const struct mpl_times *times, uint32_t first, uint32_t n,
                       int64_t *ticks)
{
    const int64_t base = times->base[first / MPL_BLOCK_EVENTS];

    if (base == MPL_TICKS_WIDE) {
        memcpy(ticks, wide_of(times, first), n * sizeof *ticks);
        return;
    }
    if (base == MPL_TICKS_SHARED) {
        for (uint32_t i = 0; i < n; i++) {
            ticks[i] = mpl_times_get(times, first + i);
        }
        return;
    }

    const uint32_t *offset = &times->offset[first];

    for (uint32_t i = 0; i < n; i++) {
        ticks[i] = base + offset[i];
    }
}

void mpl_times_read(const struct mpl_times *times, uint32_t first, uint32_t n,
                    int64_t *ticks)
{
    for (uint32_t i = 0; i < n; i += smaller(n - i, MPL_BLOCK_EVENTS)) {
        read_block(times, first + i, smaller(n - i, MPL_BLOCK_EVENTS), ticks + i);
    }
}

bool mpl_times_set(struct mpl_times *times, uint32_t n_events, uint32_t event,
                   int64_t ticks)
{
    const int64_t base = times->base[event / MPL_BLOCK_EVENTS];
    const uint32_t first = event - event % MPL_BLOCK_EVENTS;
    const uint32_t n = smaller(n_events - first, MPL_BLOCK_EVENTS);
    int64_t block[MPL_BLOCK_EVENTS];

    part(times);
    if (base == MPL_TICKS_WIDE) {
        wide_of(times, first)[event - first] = ticks;
        return true;
    }
    if (ticks >= base && (uint64_t) ticks - (uint64_t) base <= UINT32_MAX) {
        times->offset[event] = (uint32_t) ((uint64_t) ticks - (uint64_t) base);
        return true;
    }
    read_block(times, first, n, block);
    block[event - first] = ticks;
    return write_block(times, first, n, block);
}

void mpl_times_shift(struct mpl_times *times, uint32_t first, uint32_t n, int64_t add_ticks)
{
    mpl_assert(times->shared == NULL);
    for (uint32_t i = first; i < first + n; i += smaller(first + n - i, MPL_BLOCK_EVENTS)) {
        const uint32_t n_here = smaller(first + n - i, MPL_BLOCK_EVENTS);
        int64_t *base = &times->base[i / MPL_BLOCK_EVENTS];

        if (*base != MPL_TICKS_WIDE) {
            *base += add_ticks;
            continue;
        }
        for (uint32_t k = 0; k < n_here; k++) {
            wide_of(times, i)[k] += add_ticks;
        }
    }
}

/* The wide column grows when times are rewritten, so it is no part of the arena, but freed with it. */
static void free_wide(void *wide)
{
    mpl_buf_free(wide);
}

static struct mpl_buf *keep_wide(struct mpl_arena *arena)
{
    struct mpl_buf *wide = MPL_NEW(arena, struct mpl_buf);

    if (wide == NULL || !mpl_arena_keep(arena, wide, free_wide)) {
        return NULL;
    }
    *wide = mpl_buf_make(sizeof(int64_t));
    return wide;
}

bool mpl_times_copy(struct mpl_times *times, uint32_t n, struct mpl_arena *arena,
                    struct mpl_times *out)
{
    *out = (struct mpl_times){ 0 };
    if (n == 0) {
        return true;
    }
    mpl_assert(times->shared == NULL);
    *out = (struct mpl_times){ .base = MPL_NEW_ARRAY(arena, blocks_of(n), int64_t),
                               .offset = times->offset,
                               .wide = keep_wide(arena),
                               .own = MPL_NEW_ARRAY(arena, n, uint32_t),
                               .n_own = n };
    if (out->base == NULL || out->own == NULL || out->wide == NULL) {
        return false;
    }
    memcpy(out->base, times->base, blocks_of(n) * sizeof *out->base);
    if (times->wide->n > 0) {
        int64_t *wide = mpl_buf_add_many(out->wide, times->wide->n);

        if (wide == NULL) {
            return false;
        }
        memcpy(wide, times->wide->data, times->wide->n * sizeof *wide);
    }
    part(times);
    times->copy = out;
    return true;
}

/* ---- writing ------------------------------------------------------------------------------ */

struct mpl_event_writer mpl_event_writer_make(void)
{
    return (struct mpl_event_writer){ .base = mpl_buf_make(sizeof(int64_t)),
                                      .offset = mpl_buf_make(sizeof(uint32_t)),
                                      .blocks =
                                          mpl_buf_make(sizeof(struct mpl_event_block)),
                                      .wide_ticks = mpl_buf_make(sizeof(int64_t)),
                                      .wide_refs = mpl_buf_make(sizeof(uint32_t)),
                                      .shapes =
                                          mpl_distinct_make(sizeof(struct mpl_event_shape)),
                                      .numbers = mpl_buf_make(sizeof(uint32_t)) };
}

void mpl_event_writer_free(struct mpl_event_writer *w)
{
    mpl_buf_free(&w->base);
    mpl_buf_free(&w->offset);
    mpl_buf_free(&w->blocks);
    mpl_buf_free(&w->wide_ticks);
    mpl_buf_free(&w->wide_refs);
    mpl_distinct_free(&w->shapes);
    mpl_buf_free(&w->numbers);
}

void mpl_event_writer_restart(struct mpl_event_writer *w)
{
    w->n = 0;
    w->wide_ticks.n = 0;
    w->wide_refs.n = 0;
    w->shapes.items.n = 0;
    w->numbers.n = 0;
}

/* For \p n items, of which \p n_used are there. */
static bool make_room(struct mpl_buf *column, uint32_t n_used, uint64_t n)
{
    column->n = n_used;
    return mpl_buf_reserve(column, n);
}

/* Words for the offsets of \p n events, and for what will find them when they are shared with calls. */
static size_t room_for(uint64_t n)
{
    return n + n / 4 + 32;
}

bool mpl_event_writer_reserve(struct mpl_event_writer *w, uint64_t n)
{
    const uint64_t n_blocks = n / MPL_BLOCK_EVENTS + 1;
    const uint32_t n_used = blocks_of(w->n);

    if (!make_room(&w->base, n_used, n_blocks) ||
        !make_room(&w->blocks, n_used, n_blocks) ||
        !make_room(&w->offset, w->n, room_for(n))) {
        return false;
    }
    w->room = n;
    w->times = (struct mpl_times){ .base = w->base.data,
                                   .offset = w->offset.data,
                                   .wide = &w->wide_ticks };
    w->block = w->blocks.data;
    return true;
}

/* Keeps the shape of the block at hand, which is complete. */
static void close_block(struct mpl_event_writer *w)
{
    const uint32_t number = mpl_distinct_add(&w->shapes, &w->shape);

    w->is_short |= number == MPL_NONE || !mpl_buf_put(&w->numbers, &number);
}

/* What 32 bits can tell. */
static const uint64_t narrow_reach = UINT64_C(1) << 32;

void mpl_event_writer_open_block(struct mpl_event_writer *w, int64_t ticks)
{
    const uint32_t at = w->n / MPL_BLOCK_EVENTS;

    if (w->n == 0) {
        memset(w->last, 0, sizeof w->last);
    } else {
        close_block(w);
    }
    w->base_ticks = ticks;
    w->times.base[at] = ticks;
    w->reach = narrow_reach;
    for (int i = 0; i < MPL_REF_CLASSES - 1; i++) {
        /* Where references went on in the block before is the middle of what 16 bits can tell. */
        w->first[i] = w->last[i] - MPL_REF_ESCAPE / 2;
    }
    w->block[at].wide = MPL_NONE;
    memcpy(w->block[at].first, w->first, sizeof w->first);
    if (ticks <= MPL_TICKS_SHARED) {
        w->times.base[at] = 0; /* Not wide before the event is added. */
        w->reach = 0;
    }
}

/* The base of the block that has \p event may be another one now. */
static void take_base(struct mpl_event_writer *w, uint32_t event)
{
    w->base_ticks = w->times.base[event / MPL_BLOCK_EVENTS];
    w->reach = w->base_ticks == MPL_TICKS_WIDE ? 0 : narrow_reach;
}

/* A time before the first one of its block, or too far behind it. */
void mpl_event_writer_add_ticks(struct mpl_event_writer *w, int64_t ticks)
{
    const uint32_t first = w->n - w->n % MPL_BLOCK_EVENTS;
    const uint32_t n = w->n - first;
    int64_t block[MPL_BLOCK_EVENTS];

    if (w->is_short) {
        return;
    }
    if (w->times.base[first / MPL_BLOCK_EVENTS] == MPL_TICKS_WIDE) {
        w->times.offset[w->n] = w->times.offset[first] + n;
        wide_of(&w->times, first)[n] = ticks;
        return;
    }
    read_block(&w->times, first, n, block);
    block[n] = ticks;
    w->is_short = !write_block(&w->times, first, n + 1, block);
    take_base(w, w->n);
}

/* MPL_NONE, or a reference far from those of its class before. */
void mpl_event_writer_add_ref(struct mpl_event_writer *w, enum mpl_ref_class class,
                              uint32_t ref)
{
    struct mpl_event_block *block = &w->block[w->n / MPL_BLOCK_EVENTS];

    w->shape.low[w->n % MPL_BLOCK_EVENTS] = MPL_REF_ESCAPE;
    if (class != MPL_REF_PLAIN && ref != MPL_NONE) {
        w->last[class - 1] = ref;
    }
    if (block->wide == MPL_NONE && ref != MPL_NONE) {
        const size_t place = w->wide_refs.n;
        uint32_t *wide = mpl_buf_add_many(&w->wide_refs, MPL_BLOCK_EVENTS);

        if (wide == NULL) {
            w->is_short = true;
            return;
        }
        memset(wide, 0xff, MPL_BLOCK_EVENTS * sizeof *wide);
        block->wide = (uint32_t) place;
    }
    if (block->wide != MPL_NONE) {
        ((uint32_t *) w->wide_refs.data)[block->wide + w->n % MPL_BLOCK_EVENTS] = ref;
    }
}

void mpl_event_writer_set_ticks(struct mpl_event_writer *w, uint32_t event, int64_t ticks)
{
    w->is_short |= !mpl_times_set(&w->times, w->n, event, ticks);
    take_base(w, w->n - 1);
}

/* The last block may not be full. */
static void end_blocks(struct mpl_event_writer *w)
{
    const uint32_t n = w->n % MPL_BLOCK_EVENTS;

    if (n > 0) {
        memset(w->shape.low + n, 0, (MPL_BLOCK_EVENTS - n) * sizeof *w->shape.low);
        memset(w->shape.kind + n, 0, (MPL_BLOCK_EVENTS - n) * sizeof *w->shape.kind);
    }
    if (w->n > 0) {
        close_block(w);
    }
}

/* Where the shapes of blocks are is known when all are there. False: no memory. */
static bool find_shapes(struct mpl_event_writer *w, struct mpl_arena *arena)
{
    const uint32_t *numbers = w->numbers.data;
    const struct mpl_event_shape *shapes = mpl_distinct_take(&w->shapes, arena);

    for (size_t i = 0; i < w->numbers.n && shapes != NULL; i++) {
        w->block[i].shape = &shapes[numbers[i]];
    }
    w->numbers.n = 0;
    return shapes != NULL;
}

bool mpl_event_writer_end(struct mpl_event_writer *w, struct mpl_arena *arena,
                          struct mpl_location *loc)
{
    const uint32_t n = w->n;
    const uint32_t n_blocks = blocks_of(n);

    end_blocks(w);
    w->is_short = w->is_short || !find_shapes(w, arena);
    loc->n_events = n;
    loc->times = (struct mpl_times){ .base = mpl_buf_drain(&w->base, n_blocks, arena),
                                     .offset = mpl_buf_drain(
                                         &w->offset, n == 0 ? 0 : room_for(n), arena),
                                     .room = n == 0 ? 0 : room_for(n),
                                     .wide = keep_wide(arena) };
    loc->column =
        (struct mpl_event_column){ .blocks = mpl_buf_drain(&w->blocks, n_blocks, arena),
                                   .wide = mpl_buf_take(&w->wide_refs, arena) };
    w->n = 0;
    w->room = 0;
    if (loc->times.wide == NULL) {
        return false;
    }
    *loc->times.wide = w->wide_ticks;
    w->wide_ticks = mpl_buf_make(sizeof(int64_t));
    return !w->is_short && loc->times.base != NULL && loc->times.offset != NULL &&
           loc->column.blocks != NULL && loc->column.wide != NULL;
}

bool mpl_location_set_events(struct mpl_location *loc, uint32_t n, const int64_t *ticks,
                             const uint8_t *kind, const uint32_t *ref,
                             struct mpl_arena *arena)
{
    struct mpl_event_writer w = mpl_event_writer_make();
    bool is_enough = mpl_event_writer_reserve(&w, n);

    for (uint32_t i = 0; i < n && is_enough; i++) {
        mpl_event_writer_add(&w, ticks[i], kind[i], ref[i]);
    }
    is_enough = is_enough && mpl_event_writer_end(&w, arena, loc);
    mpl_event_writer_free(&w);
    return is_enough;
}
