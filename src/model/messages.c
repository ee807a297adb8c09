#include "config.h"

#include "model/model.h"

#include <string.h>

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Copies \p n messages into \p shape, with their records counted from the first one, which is returned. */
static uint32_t count_from_first(const struct mpl_message *messages, uint32_t n,
                                 struct mpl_message *shape)
{
    uint32_t first = MPL_NONE;

    for (uint32_t i = 0; i < n; i++) {
        first = least(first, least(messages[i].event, messages[i].post));
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct mpl_message *m = &messages[i];

        shape[i] = *m;
        shape[i].event = m->event == MPL_NONE ? MPL_NONE : m->event - first;
        shape[i].post = m->post == MPL_NONE ? MPL_NONE : m->post - first;
    }
    return first;
}

struct mpl_distinct mpl_message_shapes_make(void)
{
    return mpl_distinct_make(MPL_BLOCK_MESSAGES * sizeof(struct mpl_message));
}

bool mpl_location_pack_messages(struct mpl_location *loc, uint32_t n,
                                const struct mpl_message *messages,
                                struct mpl_distinct *shapes, struct mpl_arena *arena)
{
    const uint32_t n_blocks = n / MPL_BLOCK_MESSAGES + (n % MPL_BLOCK_MESSAGES != 0);
    struct mpl_message_block *blocks =
        MPL_NEW_ARRAY(arena, n_blocks, struct mpl_message_block);
    bool is_enough = blocks != NULL;

    for (uint32_t b = 0; b < n_blocks && is_enough; b++) {
        const uint32_t first = b * MPL_BLOCK_MESSAGES;
        struct mpl_message shape[MPL_BLOCK_MESSAGES] = { 0 };
        uint32_t number;

        blocks[b].event =
            count_from_first(messages + first, least(n - first, MPL_BLOCK_MESSAGES), shape);
        number = mpl_distinct_add(shapes, shape);
        blocks[b].shape = number * MPL_BLOCK_MESSAGES;
        is_enough = number != MPL_NONE;
    }
    loc->n_messages = n;
    loc->message_blocks = blocks;
    loc->message_shapes = mpl_distinct_take(shapes, arena);
    return is_enough && loc->message_shapes != NULL;
}

bool mpl_location_set_messages(struct mpl_location *loc, uint32_t n,
                               const struct mpl_message *messages, struct mpl_arena *arena)
{
    struct mpl_distinct shapes = mpl_message_shapes_make();
    const bool is_enough = mpl_location_pack_messages(loc, n, messages, &shapes, arena);

    mpl_distinct_free(&shapes);
    return is_enough;
}
