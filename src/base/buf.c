#include "config.h"

#include "base/base_priv.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16, LARGE_BYTES = 1 << 20, MOST_LENT_BYTES = 1 << 25 };

struct mpl_buf mpl_buf_make(size_t item_size)
{
    mpl_assert(item_size > 0);
    return (struct mpl_buf){ .size = item_size };
}

/* The block belongs to an arena: what goes on gets another one, larger, so that few are needed. */
static bool begin_block(struct mpl_buf *buf, size_t room)
{
    const size_t most = MOST_LENT_BYTES / buf->size;
    const size_t more = 4 * (buf->lent + buf->room);
    const size_t wanted = more < most ? more : most;
    struct mpl_buf next = mpl_buf_make(buf->size);

    if (!mpl_buf_reserve(&next, room > wanted ? room : wanted)) {
        return false;
    }
    memcpy(next.data, buf->data, buf->n * buf->size);
    next.n = buf->n;
    *buf = next;
    return true;
}

bool mpl_buf_reserve(struct mpl_buf *buf, size_t room)
{
    if (room <= buf->room) {
        return true;
    }
    if (buf->lent > 0) {
        return begin_block(buf, room);
    }
    void *data = mpl_heap_resize(buf->data, room, buf->size);
    if (data == NULL) {
        return false;
    }
    buf->data = data;
    buf->room = room;
    return true;
}

static bool make_room(struct mpl_buf *buf, size_t n)
{
    while (n > buf->room - buf->n) {
        const size_t room = buf->room == 0 ? FIRST_ROOM : buf->room * 2;

        if (room < buf->room || !mpl_buf_reserve(buf, room)) {
            return false;
        }
    }
    return true;
}

/* New items, of which nothing is set; NULL: no memory. */
static inline void *add_unset(struct mpl_buf *buf, size_t n)
{
    void *items;

    if (n > buf->room - buf->n && !make_room(buf, n)) {
        return NULL;
    }
    items = (char *) buf->data + buf->n * buf->size;
    buf->n += n;
    return items;
}

void *mpl_buf_add(struct mpl_buf *buf)
{
    void *item = add_unset(buf, 1);

    return item == NULL ? NULL : memset(item, 0, buf->size);
}

void *mpl_buf_add_many(struct mpl_buf *buf, size_t n)
{
    void *items = add_unset(buf, n);

    return items == NULL ? NULL : memset(items, 0, n * buf->size);
}

bool mpl_buf_put(struct mpl_buf *buf, const void *item)
{
    void *place = add_unset(buf, 1);

    if (place != NULL) {
        memcpy(place, item, buf->size);
    }
    return place != NULL;
}

void *mpl_buf_get(const struct mpl_buf *buf, size_t i)
{
    mpl_assert(i < buf->n);
    return (char *) buf->data + i * buf->size;
}

/* A large block takes longer to copy than to give away. */
void *mpl_buf_take(struct mpl_buf *buf, struct mpl_arena *arena)
{
    const bool is_given = buf->lent > 0 || buf->n * buf->size > LARGE_BYTES;

    if (is_given && buf->lent == 0) {
        void *fitting = mpl_heap_resize(buf->data, buf->n, buf->size);

        if (fitting == NULL) {
            return NULL;
        }
        buf->data = fitting;
        buf->room = buf->n;
    }
    void *items = is_given ? mpl_buf_drain(buf, buf->n, arena)
                           : mpl_arena_unset(arena, buf->n, buf->size);

    if (items == NULL) {
        return NULL;
    }
    if (!is_given && buf->n > 0) {
        memcpy(items, buf->data, buf->n * buf->size);
    }
    mpl_buf_free(buf);
    return items;
}

/*
 * The arena gets the block, and the buffer goes on behind what it has given away: nothing is copied, and what
 * many short arrays are made of is a few large blocks.
 */
void *mpl_buf_drain(struct mpl_buf *buf, size_t n, struct mpl_arena *arena)
{
    void *items = buf->data;

    if (n == 0) {
        return mpl_arena_alloc(arena, 0);
    }
    if (buf->lent == 0 && !mpl_arena_adopt(arena, items, buf->room * buf->size)) {
        return NULL;
    }
    buf->data = (char *) items + n * buf->size;
    buf->lent += n;
    buf->room -= n;
    buf->n = 0;
    return items;
}

void mpl_buf_free(struct mpl_buf *buf)
{
    if (buf->lent == 0) {
        free(buf->data);
    }
    *buf = (struct mpl_buf){ .size = buf->size };
}
