/*
 * The columns of a location's events: times, kinds and references in 4.4 to 7.4 bytes per event instead of 13.
 *
 * Events stand in blocks of 64. A block has the earliest of its times, and each event how much later it is, in
 * 32 bits; so the messages and collectives that a block names are counted from where those of the block before
 * ended, in 16 bits. What does not fit (a block of more than 4.3 s where a tick is a nanosecond, the number of a
 * lock) stands in full in a column beside, which only such blocks have. Once there are calls, the records that open
 * and close them may have their times from there.
 *
 * Kinds and references of a block, so counted, are its shape. Programs repeat themselves, so many blocks have the same
 * shape, which is kept once.
 */
#ifndef MPL_MODEL_COLUMNS_H
#define MPL_MODEL_COLUMNS_H

#include "base/base.h"

enum { MPL_BLOCK_EVENTS = 64, MPL_CALLS_PER_BLOCK = 16 };

/* ---- times ---------------------------------------------------------------------- */

/** The base of a block whose offsets are places in the wide column, */
#define MPL_TICKS_WIDE INT64_MIN
/** and of one that shares times with calls. */
#define MPL_TICKS_SHARED (INT64_MIN + 1)

/** When a call is. */
struct mpl_call_times {
    uint32_t begin_ticks;    /**< Since the block's; MPL_CALL_FAR: ask the record. */
    uint32_t duration_ticks; /**< MPL_CALL_FAR: it is a long call. */
};
#define MPL_CALL_FAR UINT32_MAX

/** A block of records, of which those that open and close calls have the times of these, and none of their own. */
struct mpl_shared_block {
    int64_t base_ticks; /**< For the others, as without. */
    uint64_t ends;      /**< Which records open or close a call, from the lowest bit on. */
    uint32_t first;     /**< Where the offsets of the others begin. */
    uint32_t
        first_end; /**< The first of `ends`: twice the call, and 1 more if it closes it. */
};

/** Times of any order and size, though what a reader makes never decreases. Zeroed where there are no events. */
struct mpl_times {
    int64_t *base; /**< Per block: its earliest time, MPL_TICKS_WIDE or MPL_TICKS_SHARED. */
    uint32_t *offset; /**< Per event that has a time of its own. */
    size_t room;      /**< Words from `offset` on, */
    struct mpl_shared_block
        *shared; /**< which hold the blocks, too; NULL: nothing is shared. */
    struct mpl_call_times *calls; /**< Likewise: per call, */
    int64_t *call_base;           /**< and per MPL_CALLS_PER_BLOCK calls. */
    struct mpl_buf
        *wide; /**< int64_t; a block that once needed it keeps its place there. */
    struct mpl_times *copy; /**< That shares the offsets; NULL: none does. */
    uint32_t *
        own; /**< Of a copy: room for \p n_own offsets, used when they are shared no more. */
    uint32_t n_own;
};

/** For mpl_times_get() only: of a block whose times are wide or shared. */
__attribute__((pure)) int64_t mpl_times_get_seldom(const struct mpl_times *times,
                                                   uint32_t event);

static inline int64_t mpl_times_get(const struct mpl_times *times, uint32_t event)
{
    const int64_t base = times->base[event / MPL_BLOCK_EVENTS];

    return __builtin_expect(base > MPL_TICKS_SHARED, true)
               ? base + times->offset[event]
               : mpl_times_get_seldom(times, event);
}

/** \p n times from \p first on, which must begin a block. */
void mpl_times_read(const struct mpl_times *times, uint32_t first, uint32_t n,
                    int64_t *ticks);
/**
 * Gives \p n events from \p first on other times. \p first must begin a block; the last one must end a block or
 * be the last of all.
 * Errors: false when out of memory; only a block that becomes wide needs any. Times of some blocks are new then.
 */
bool mpl_times_write(struct mpl_times *times, uint32_t first, uint32_t n,
                     const int64_t *ticks);
/** A single time; \p n_events are all that the location has. False as with mpl_times_write(). */
bool mpl_times_set(struct mpl_times *times, uint32_t n_events, uint32_t event,
                   int64_t ticks);
/**
 * Moves the \p n events from \p first on, bounds of blocks as with mpl_times_write(). No time may come to the bounds of 64 bits.
 * Cost: one addition per block, where it is not wide.
 */
void mpl_times_shift(struct mpl_times *times, uint32_t first, uint32_t n,
                     int64_t add_ticks);
/**
 * A copy of all \p n times in \p arena. False: out of memory. Offsets are shared until one of them changes, which
 * a shift does not do; so \p out must stay where it is, as long as \p times changes, and not outlive it.
 */
bool mpl_times_copy(struct mpl_times *times, uint32_t n, struct mpl_arena *arena,
                    struct mpl_times *out);

/* ---- times of calls ---------------------------------------------------------------- */

/** Of a location whose times come to be shared with calls: what is known of the blocks so far. */
struct mpl_sharing {
    struct mpl_times *times;
    uint32_t n_events;
    struct mpl_shared_block *blocks;
    uint32_t n_blocks;
    uint32_t n_apart;   /**< Records in them that keep times of their own. */
    uint32_t first_end; /**< Of the next one. */
};

/** The block at hand. */
struct mpl_shared_ends {
    uint32_t block;
    uint64_t ends;
    bool
        is_plain; /**< So far no record opens or closes several calls, and all calls begin and end just then. */
};

/**
 * Times that may be written no more, of which there are some, begin to be shared with \p n_calls calls. False: there is no room,
 * it would need more than it saves, or they are shared already, be it with a copy.
 */
bool mpl_sharing_begin(struct mpl_sharing *sharing, struct mpl_times *times,
                       uint32_t n_events, uint32_t n_calls);
/** For mpl_sharing_add() only: all is known of the blocks before \p block, whose first end \p first_end is. */
void mpl_sharing_end_blocks(struct mpl_sharing *sharing, struct mpl_shared_ends at,
                            uint32_t block, uint32_t first_end);

/**
 * Adds the record that opens a call, then the one that closes it, in the order of calls. \p end: its number, as in struct
 * mpl_shared_block; \p ticks: when the call begins or ends. \p at is zeroed at first but for is_plain.
 */
static inline void mpl_sharing_add(struct mpl_sharing *sharing, struct mpl_shared_ends *at,
                                   uint32_t end, uint32_t event, int64_t ticks)
{
    const uint32_t block = event / MPL_BLOCK_EVENTS;
    const uint64_t bit = UINT64_C(1) << event % MPL_BLOCK_EVENTS;

    if (block != at->block) {
        mpl_sharing_end_blocks(sharing, *at, block, end);
        *at = (struct mpl_shared_ends){ .block = block, .is_plain = true };
    }
    /* Where the block is wide, no time is this sum. */
    at->is_plain = at->is_plain && bit > at->ends &&
                   sharing->times->base[block] + sharing->times->offset[event] == ticks;
    at->ends |= bit;
}

/**
 * All ends of \p n calls have been added, and times are shared from here on: \p calls and \p base are copied. False: there is no
 * room, and nothing has changed.
 */
bool mpl_sharing_end(struct mpl_sharing *sharing, struct mpl_shared_ends at, uint32_t n,
                     const struct mpl_call_times *calls, const int64_t *base);

/* ---- references ------------------------------------------------------------------ */

/** What events of a block count their references from. */
enum mpl_ref_class {
    MPL_REF_PLAIN, /**< 0: regions, teams, locks, numbers. */
    MPL_REF_MESSAGE,
    MPL_REF_COLLECTIVE,
    MPL_REF_CLASSES
};

/** Of each enum mpl_event_kind, two bits: a table that needs no memory. */
#define MPL_REF_CLASS_BITS UINT64_C(0xa5550)

static inline enum mpl_ref_class mpl_ref_class_of(uint8_t kind)
{
    return (enum mpl_ref_class)(MPL_REF_CLASS_BITS >> 2 * kind & 3);
}

/** In `low`: the reference is MPL_NONE, or stands in full where the block has a place for it. */
#define MPL_REF_ESCAPE UINT16_MAX

/** Behind the last event of all everything is 0. */
struct mpl_event_shape {
    uint16_t low[MPL_BLOCK_EVENTS];
    uint8_t kind[MPL_BLOCK_EVENTS]; /**< enum mpl_event_kind */
};

struct mpl_event_block {
    const struct mpl_event_shape *shape;
    /** What references are counted from, round the end of 32 bits: of MESSAGE and COLLECTIVE. */
    uint32_t first[MPL_REF_CLASSES - 1];
    uint32_t wide; /**< Where its references stand in full; MPL_NONE: all fit. */
};

/** Kinds and references. */
struct mpl_event_column {
    const struct mpl_event_block *blocks;
    const uint32_t *wide;
};

/** An event in its block, and those behind it there: who asks for several in a row finds their block once. */
struct mpl_event_place {
    const struct mpl_event_column *column;
    const struct mpl_event_block *block;
    uint32_t at;
};

static inline struct mpl_event_place
mpl_event_place_of(const struct mpl_event_column *column, uint32_t event)
{
    return (struct mpl_event_place){ column, &column->blocks[event / MPL_BLOCK_EVENTS],
                                     event % MPL_BLOCK_EVENTS };
}

/** Whether the event and the \p n behind it stand in one block; only such ones may be asked for. */
static inline bool mpl_event_place_has(const struct mpl_event_place *place, uint32_t n)
{
    return place->at + n < MPL_BLOCK_EVENTS;
}

/** Of the \p i-th event behind it; 0 is itself. */
static inline uint8_t mpl_event_place_kind(const struct mpl_event_place *place, uint32_t i)
{
    return place->block->shape->kind[place->at + i];
}

/** Likewise. Cheapest where \p class is a constant. */
static inline uint32_t mpl_event_place_ref(const struct mpl_event_place *place,
                                           enum mpl_ref_class class, uint32_t i)
{
    const struct mpl_event_block *block = place->block;
    const uint16_t low = block->shape->low[place->at + i];

    if (__builtin_expect(low != MPL_REF_ESCAPE, true)) {
        return class == MPL_REF_PLAIN ? low : block->first[class - 1] + low;
    }
    return block->wide == MPL_NONE ? MPL_NONE
                                   : place->column->wide[block->wide + place->at + i];
}

static inline uint8_t mpl_event_column_kind(const struct mpl_event_column *column,
                                            uint32_t event)
{
    const struct mpl_event_place place = mpl_event_place_of(column, event);

    return mpl_event_place_kind(&place, 0);
}

static inline uint32_t mpl_event_column_ref(const struct mpl_event_column *column,
                                            enum mpl_ref_class class, uint32_t event)
{
    const struct mpl_event_place place = mpl_event_place_of(column, event);

    return mpl_event_place_ref(&place, class, 0);
}

/* ---- writing ------------------------------------------------------------------------ */

/** Takes the events of one location after the other, each in order. */
struct mpl_event_writer {
    struct mpl_times times; /**< What has been added. */
    struct mpl_event_block *block;
    uint32_t n;
    uint64_t room; /**< For so many events in all there is room. */
    bool is_short; /**< Memory ran out; nothing else holds. */
    /* Of the block at hand: */
    int64_t base_ticks;
    uint64_t reach; /**< So much later a time must not be to fit; 0 if the block is wide. */
    struct mpl_event_shape shape;
    uint32_t first[MPL_REF_CLASSES - 1];
    uint32_t
        last[MPL_REF_CLASSES - 1]; /**< The last reference of each class, but MPL_NONE. */
    /* Owned: */
    struct mpl_buf base, offset, blocks; /**< Room for mpl_event_writer_reserve(). */
    struct mpl_buf wide_ticks, wide_refs;
    struct mpl_distinct shapes; /**< struct mpl_event_shape */
    struct mpl_buf numbers;     /**< uint32_t, of each complete block: that of its shape. */
};

struct mpl_event_writer mpl_event_writer_make(void);
void mpl_event_writer_free(struct mpl_event_writer *writer);
/** What has been added does not count. */
void mpl_event_writer_restart(struct mpl_event_writer *writer);
/** Makes room for \p n events in all. False: out of memory. */
bool mpl_event_writer_reserve(struct mpl_event_writer *writer, uint64_t n);
/** For mpl_event_writer_add() only: what the usual event does not need. */
void mpl_event_writer_open_block(struct mpl_event_writer *writer, int64_t ticks);
void mpl_event_writer_add_ticks(struct mpl_event_writer *writer, int64_t ticks);
void mpl_event_writer_add_ref(struct mpl_event_writer *writer, enum mpl_ref_class class,
                              uint32_t ref);

/** There must be room for it. \p class: of the kind; cheapest where it is a constant. */
static inline void mpl_event_writer_add_of(struct mpl_event_writer *writer, int64_t ticks,
                                           uint8_t kind, enum mpl_ref_class class,
                                           uint32_t ref)
{
    const uint32_t n = writer->n;

    if (n % MPL_BLOCK_EVENTS == 0) {
        mpl_event_writer_open_block(writer, ticks);
    }

    const uint64_t later = (uint64_t) ticks - (uint64_t) writer->base_ticks;
    const uint32_t above = class == MPL_REF_PLAIN ? ref : ref - writer->first[class - 1];

    if (__builtin_expect(later < writer->reach, true)) {
        writer->times.offset[n] = (uint32_t) later;
    } else {
        mpl_event_writer_add_ticks(writer, ticks);
    }
    if (__builtin_expect(
            above < MPL_REF_ESCAPE && (class == MPL_REF_PLAIN || ref != MPL_NONE), true)) {
        writer->shape.low[n % MPL_BLOCK_EVENTS] = (uint16_t) above;
        if (class != MPL_REF_PLAIN) {
            writer->last[class - 1] = ref;
        }
    } else {
        mpl_event_writer_add_ref(writer, class, ref);
    }
    writer->shape.kind[n % MPL_BLOCK_EVENTS] = kind;
    writer->n = n + 1;
}

static inline void mpl_event_writer_add(struct mpl_event_writer *writer, int64_t ticks,
                                        uint8_t kind, uint32_t ref)
{
    mpl_event_writer_add_of(writer, ticks, kind, mpl_ref_class_of(kind), ref);
}

/** Another time for an event that has been added. */
void mpl_event_writer_set_ticks(struct mpl_event_writer *writer, uint32_t event,
                                int64_t ticks);

#endif
