#include "config.h"

#include "base/base_priv.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/*
 * Small items are cut from blocks one after the other; a large one gets a block of its
 * own, so that the column of a million events wastes nothing and its pages stay
 * untouched until they are written. Blocks come from calloc() and are never used twice:
 * that is why items are zero without being cleared here. The first block is small and the next
 * ones grow: many arenas live for one fact or one message only, and clearing 64 KiB for each was
 * a quarter of a short diagnosis.
 */
enum { FIRST_BLOCK_BYTES = 1024, BLOCK_BYTES = 64 * 1024, OWN_BLOCK_BYTES = 16 * 1024 };

struct block {
    struct block *next;
    alignas(max_align_t) char data[];
};

/* Something in the arena that owns what is not. */
struct kept {
    struct kept *next;
    void *object;
    void (*destroy)(void *object);
};

struct mpl_arena {
    struct kept *kept;    /* Youngest first. */
    struct block *blocks; /* Owned; all of them, youngest first. */
    char *at;             /* First free byte of the block that small items come from. */
    size_t left;          /* Free bytes there. */
    size_t next_bytes;    /* Size of the next block; 0 before the first. */
    size_t n_bytes;       /* Handed out so far. */
    bool is_short;        /* Something was refused. */
};

struct mpl_arena *mpl_arena_create(void)
{
    return mpl_heap_zeroed(1, sizeof(struct mpl_arena));
}

void mpl_arena_destroy(struct mpl_arena *arena)
{
    if (arena == NULL) {
        return;
    }
    for (struct kept *kept = arena->kept; kept != NULL; kept = kept->next) {
        kept->destroy(kept->object);
    }
    for (struct block *block = arena->blocks; block != NULL;) {
        struct block *next = block->next;

        free(block);
        block = next;
    }
    free(arena);
}

/* Of memory that has been freed before calloc() does not know what it holds, and clears it. */
static char *add_block(struct mpl_arena *arena, size_t bytes, bool is_unset)
{
    if (bytes > PTRDIFF_MAX - sizeof(struct block)) {
        return NULL;
    }

    struct block *block =
        is_unset ? malloc(sizeof *block + bytes) : calloc(1, sizeof *block + bytes);

    if (block == NULL) {
        return NULL;
    }
    block->next = arena->blocks;
    arena->blocks = block;
    return block->data;
}

static void *cut_item(struct mpl_arena *arena, size_t bytes)
{
    const size_t step = alignof(max_align_t);

    bytes = (bytes + step - 1) / step * step;
    if (bytes > arena->left) {
        size_t room = arena->next_bytes > 0 ? arena->next_bytes : FIRST_BLOCK_BYTES;

        while (room < bytes) {
            room *= 2;
        }

        char *data = add_block(arena, room, false);

        if (data == NULL) {
            return NULL;
        }
        arena->at = data;
        arena->left = room;
        arena->next_bytes = room < BLOCK_BYTES ? 2 * room : BLOCK_BYTES;
    }

    void *item = arena->at;

    arena->at += bytes;
    arena->left -= bytes;
    return item;
}

#ifdef MPL_DEBUG_ARENA
static const bool is_each_item_alone = true;
#else
static const bool is_each_item_alone = false;
#endif

void mpl_arena_set_short(struct mpl_arena *arena)
{
    if (arena != NULL) {
        arena->is_short = true;
    }
}

bool mpl_arena_is_short(const struct mpl_arena *arena)
{
    return arena == NULL || arena->is_short;
}

static void *allocate(struct mpl_arena *arena, size_t bytes, bool is_unset)
{
    if (arena == NULL || mpl_alloc_is_refused()) {
        mpl_arena_set_short(arena);
        return NULL;
    }

    /* Even nothing has an address of its own, so NULL always means out of memory. */
    const size_t wanted = bytes == 0 ? 1 : bytes;
    void *item = is_each_item_alone || wanted > OWN_BLOCK_BYTES
                     ? add_block(arena, wanted, is_unset)
                     : cut_item(arena, wanted);

    if (item != NULL) {
        arena->n_bytes += bytes;
    }
    arena->is_short = arena->is_short || item == NULL;
    return item;
}

static void *allocate_array(struct mpl_arena *arena, size_t n, size_t size, bool is_unset)
{
    size_t bytes = 0;

    if (__builtin_mul_overflow(n, size, &bytes)) {
        mpl_arena_set_short(arena);
        return NULL;
    }
    return allocate(arena, bytes, is_unset);
}

void *mpl_arena_alloc(struct mpl_arena *arena, size_t bytes)
{
    return allocate(arena, bytes, false);
}

void *mpl_arena_array(struct mpl_arena *arena, size_t n, size_t size)
{
    return allocate_array(arena, n, size, false);
}

void *mpl_arena_unset(struct mpl_arena *arena, size_t n, size_t size)
{
    return allocate_array(arena, n, size, true);
}

char *mpl_arena_strndup(struct mpl_arena *arena, const char *text, size_t n)
{
    const size_t length = strnlen(text, n);
    char *copy = mpl_arena_alloc(arena, length + 1);

    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy;
}

char *mpl_arena_strdup(struct mpl_arena *arena, const char *text)
{
    return mpl_arena_strndup(arena, text, strlen(text));
}

char *mpl_arena_vprintf(struct mpl_arena *arena, const char *fmt, va_list args)
{
    va_list again;

    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, fmt, args);
    char *text = length < 0 ? NULL : mpl_arena_alloc(arena, (size_t) length + 1);

    if (text != NULL) {
        (void) vsnprintf(text, (size_t) length + 1, fmt, again);
    }
    va_end(again);
    return text;
}

char *mpl_arena_printf(struct mpl_arena *arena, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    char *text = mpl_arena_vprintf(arena, fmt, args);
    va_end(args);
    return text;
}

bool mpl_arena_keep(struct mpl_arena *arena, void *object, void (*destroy)(void *object))
{
    struct kept *kept = MPL_NEW(arena, struct kept);

    if (kept != NULL) {
        *kept = (struct kept){ arena->kept, object, destroy };
        arena->kept = kept;
    }
    return kept != NULL;
}

bool mpl_arena_adopt(struct mpl_arena *arena, void *block, size_t bytes)
{
    const bool is_kept = mpl_arena_keep(arena, block, free);

    arena->n_bytes += is_kept ? bytes : 0;
    return is_kept;
}

void mpl_arena_absorb(struct mpl_arena *into, struct mpl_arena *from)
{
    if (from == NULL) {
        return;
    }

    struct kept **last_kept = &from->kept;
    struct block **last_block = &from->blocks;

    while (*last_kept != NULL) {
        last_kept = &(*last_kept)->next;
    }
    while (*last_block != NULL) {
        last_block = &(*last_block)->next;
    }
    *last_kept = into->kept;
    into->kept = from->kept;
    *last_block = into->blocks;
    into->blocks = from->blocks;
    into->n_bytes += from->n_bytes;
    into->is_short = into->is_short || from->is_short;
    free(from);
}

size_t mpl_arena_bytes(const struct mpl_arena *arena)
{
    return arena->n_bytes;
}
