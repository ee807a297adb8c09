#include "config.h"

#include "base/base_priv.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16, LARGE_BYTES = 1 << 20 };

struct mpl_buf mpl_buf_make(size_t item_size)
{
    mpl_assert(item_size > 0);
    return (struct mpl_buf){ .size = item_size };
}

void *mpl_buf_add(struct mpl_buf *buf)
{
    return mpl_buf_add_many(buf, 1);
}

bool mpl_buf_put(struct mpl_buf *buf, const void *item)
{
    void *place = mpl_buf_add(buf);

    if (place != NULL) {
        memcpy(place, item, buf->size);
    }
    return place != NULL;
}

bool mpl_buf_reserve(struct mpl_buf *buf, size_t room)
{
    if (room <= buf->room) {
        return true;
    }
    void *data = mpl_heap_resize(buf->data, room, buf->size);
    if (data == NULL) {
        return false;
    }
    mpl_prefer_large_pages(data, room * buf->size);
    buf->data = data;
    buf->room = room;
    return true;
}

void *mpl_buf_add_many(struct mpl_buf *buf, size_t n)
{
    while (n > buf->room - buf->n) {
        const size_t room = buf->room == 0 ? FIRST_ROOM : buf->room * 2;

        if (room < buf->room || !mpl_buf_reserve(buf, room)) {
            return NULL;
        }
    }

    void *items = (char *) buf->data + buf->n * buf->size;

    memset(items, 0, n * buf->size);
    buf->n += n;
    return items;
}

void *mpl_buf_get(const struct mpl_buf *buf, size_t i)
{
    mpl_assert(i < buf->n);
    return (char *) buf->data + i * buf->size;
}

/* A large block takes longer to copy than to shrink. */
static void *hand_over(struct mpl_buf *buf, struct mpl_arena *arena)
{
    void *items = mpl_heap_resize(buf->data, buf->n, buf->size);

    if (items == NULL) {
        return NULL;
    }
    buf->data = items;
    buf->room = buf->n;
    if (!mpl_arena_adopt(arena, items, buf->n * buf->size)) {
        return NULL;
    }
    buf->data = NULL;
    mpl_buf_free(buf);
    return items;
}

void *mpl_buf_take(struct mpl_buf *buf, struct mpl_arena *arena)
{
    if (buf->n * buf->size > LARGE_BYTES) {
        return hand_over(buf, arena);
    }

    void *items = mpl_arena_array(arena, buf->n, buf->size);

    if (items == NULL) {
        return NULL;
    }
    if (buf->n > 0) {
        memcpy(items, buf->data, buf->n * buf->size);
    }
    mpl_buf_free(buf);
    return items;
}

void *mpl_buf_drain(struct mpl_buf *buf, struct mpl_arena *arena)
{
    if (buf->n * buf->size > LARGE_BYTES) {
        return mpl_buf_take(buf, arena);
    }
    void *items = mpl_arena_array(arena, buf->n, buf->size);
    if (items != NULL && buf->n > 0) {
        memcpy(items, buf->data, buf->n * buf->size);
    }
    buf->n = 0;
    return items;
}

void mpl_buf_free(struct mpl_buf *buf)
{
    free(buf->data);
    buf->data = NULL;
    buf->n = 0;
    buf->room = 0;
}
