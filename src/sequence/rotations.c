/* Loops whose bodies are rotations of each other: the same loop, begun at another call. */
#include "config.h"

#include "sequence/sequence.h"

/* A body without what the loops in it begin with. */
struct ring {
    uint32_t n;
    struct mpl_item *items;
};

static bool is_equal(struct mpl_item a, struct mpl_item b)
{
    return a.what == b.what && a.count == b.count;
}

static struct mpl_item at(const struct ring *r, uint32_t i)
{
    return r->items[i % r->n];
}

/*
 * Where the least of all rotations begins (Shiloach, Fast canonization of circular strings, 1981, without its refinements):
 * two candidates are compared, and the greater one moves behind the place at which they differ, past all in
 * between, each of which is greater than its counterpart.
 */
static uint32_t least_start(const struct ring *r)
{
    uint32_t a = 0;
    uint32_t b = 1;
    uint32_t same = 0;

    while (a < r->n && b < r->n && same < r->n) {
        const struct mpl_item x = at(r, a + same);
        const struct mpl_item y = at(r, b + same);

        if (is_equal(x, y)) {
            same++;
            continue;
        }
        if (y.what != x.what ? y.what < x.what : y.count < x.count) {
            a += same + 1;
        } else {
            b += same + 1;
        }
        b += a == b;
        same = 0;
    }
    return a < b ? a : b;
}

/* The items of a loop from its least start on; loops in it stand for all their rotations. */
static bool canonize(const struct mpl_loop *loop, const uint32_t *of,
                     struct mpl_arena *arena, struct ring *out)
{
    struct ring ring = { loop->n, MPL_NEW_ARRAY(arena, loop->n, struct mpl_item) };
    struct mpl_item *items = MPL_NEW_ARRAY(arena, loop->n, struct mpl_item);

    if (ring.items == NULL || items == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < loop->n; i++) {
        ring.items[i] = mpl_item_unrotated(loop->items[i], of);
    }

    const uint32_t start = least_start(&ring);

    for (uint32_t i = 0; i < loop->n; i++) {
        items[i] = at(&ring, start + i);
    }
    *out = (struct ring){ loop->n, items };
    return true;
}

static bool is_same(const struct ring *a, const struct ring *b)
{
    for (uint32_t i = 0; i < a->n && a->n == b->n; i++) {
        if (!is_equal(a->items[i], b->items[i])) {
            return false;
        }
    }
    return a->n == b->n;
}

static uint64_t hash_of(const struct ring *r)
{
    uint64_t hash = r->n;

    for (uint32_t i = 0; i < r->n; i++) {
        hash = mpl_hash_mix(hash ^ ((uint64_t) r->items[i].what << 32 | r->items[i].count));
    }
    return hash;
}

struct mpl_item mpl_item_unrotated(struct mpl_item item, const uint32_t *of)
{
    if ((item.what & MPL_LOOP) != 0) {
        item.what = MPL_LOOP | of[item.what & ~MPL_LOOP];
    }
    return item;
}

/* A body names only loops that were found before it. */
bool mpl_loops_find_rotations(const struct mpl_loops *loops, struct mpl_arena *arena,
                              const uint32_t **out)
{
    const uint32_t n = mpl_loops_count(loops);
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_map *seen = mpl_map_create();
    struct ring *rings = scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, n, struct ring);
    uint32_t *of = MPL_NEW_ARRAY(arena, n, uint32_t);
    bool is_done = seen != NULL && rings != NULL && of != NULL;

    for (uint32_t i = 0; i < n && is_done; i++) {
        const struct mpl_loop loop = mpl_loops_get(loops, i);

        is_done = canonize(&loop, of, scratch, &rings[i]);
        for (uint64_t key = is_done ? hash_of(&rings[i]) : 0; is_done; key++) {
            const uint32_t first = mpl_map_find(seen, key);

            if (first == MPL_NONE || is_same(&rings[first], &rings[i])) {
                of[i] = first == MPL_NONE ? i : first;
                is_done = first != MPL_NONE || mpl_map_put(seen, key, i);
                break;
            }
        }
    }
    mpl_map_destroy(seen);
    mpl_arena_destroy(scratch);
    *out = of;
    return is_done;
}
