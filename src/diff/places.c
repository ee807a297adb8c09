#include "config.h"

#include "diff/places_priv.h"

struct mpl_places {
    struct mpl_arena *arena;
    const struct mpl_loops *loops;
    struct mpl_map *numbers; /* Of what a group is, as in struct mpl_item. */
    struct mpl_buf groups;   /* struct mpl_place_group */
    struct mpl_buf places;   /* struct mpl_place_spot */
};

struct mpl_places *mpl_places_open(const struct mpl_loops *loops, struct mpl_arena *arena)
{
    struct mpl_places *x = MPL_NEW(arena, struct mpl_places);

    if (x == NULL) {
        return NULL;
    }
    x->arena = arena;
    x->loops = loops;
    x->numbers = mpl_map_create();
    x->groups = mpl_buf_make(sizeof(struct mpl_place_group));
    x->places = mpl_buf_make(sizeof(struct mpl_place_spot));
    return x->numbers == NULL ? NULL : x;
}

void mpl_places_close(struct mpl_places *places)
{
    if (places != NULL) {
        mpl_map_destroy(places->numbers);
        mpl_buf_free(&places->groups);
        mpl_buf_free(&places->places);
    }
}

uint32_t mpl_places_count(const struct mpl_places *places)
{
    return (uint32_t) places->places.n;
}

const struct mpl_place_spot *mpl_places_get(const struct mpl_places *places, uint32_t place)
{
    return mpl_buf_get(&places->places, place);
}

uint32_t mpl_places_groups(const struct mpl_places *places)
{
    return (uint32_t) places->groups.n;
}

const struct mpl_place_group *mpl_places_group(const struct mpl_places *places,
                                               uint32_t group)
{
    return mpl_buf_get(&places->groups, group);
}

/* Each call in the body of a loop, inner loops once. */
static bool add_places(struct mpl_places *x, uint32_t group, const struct mpl_item *items,
                       uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if ((items[i].what & MPL_LOOP) != 0 && items[i].what != MPL_NONE) {
            const struct mpl_loop body = mpl_loops_get(x->loops, items[i].what & ~MPL_LOOP);

            if (!add_places(x, group, body.items, body.n)) {
                return false;
            }
            continue;
        }

        struct mpl_place_group *own = mpl_buf_get(&x->groups, group);
        const struct mpl_place_spot place = { group, items[i].what, own->n_places++ };

        if (!mpl_buf_put(&x->places, &place)) {
            return false;
        }
    }
    return true;
}

/* MPL_NONE: no memory. */
static uint32_t group_of(struct mpl_places *x, uint32_t what)
{
    const bool is_loop = (what & MPL_LOOP) != 0 && what != MPL_NONE;
    uint32_t group = mpl_map_find(x->numbers, what);

    if (group != MPL_NONE) {
        return group;
    }
    group = (uint32_t) x->groups.n;
    const struct mpl_place_group own = { is_loop ? what & ~MPL_LOOP : MPL_NONE,
                                         (uint32_t) x->places.n, 0 };

    return mpl_buf_put(&x->groups, &own) && mpl_map_put(x->numbers, what, group) &&
                   add_places(x, group, &(struct mpl_item){ what, 1 }, 1)
               ? group
               : MPL_NONE;
}

struct walk {
    const struct mpl_places *places;
    uint32_t *place;
    uint32_t *step;
    uint32_t n;   /* Calls so far, */
    uint32_t end; /* and so many there are. */
};

/* One iteration of a body; what is returned is the place behind it. */
static uint32_t walk_body(struct walk *w, const struct mpl_item *items, uint32_t n,
                          uint32_t place, uint32_t step)
{
    for (uint32_t i = 0; i < n; i++) {
        const bool is_loop = (items[i].what & MPL_LOOP) != 0 && items[i].what != MPL_NONE;
        uint32_t behind = place + 1;

        for (uint32_t k = 0; k < items[i].count; k++) {
            if (is_loop) {
                const struct mpl_loop body =
                    mpl_loops_get(w->places->loops, items[i].what & ~MPL_LOOP);

                behind = walk_body(w, body.items, body.n, place, step);
            } else if (w->n < w->end) {
                w->place[w->n] = place;
                w->step[w->n++] = step;
            }
        }
        place = behind;
    }
    return place;
}

static bool walk_item(struct walk *w, struct mpl_places *x, struct mpl_item item,
                      struct mpl_buf *n_steps)
{
    const uint32_t group = group_of(x, item.what);

    if (group == MPL_NONE) {
        return false;
    }
    while (n_steps->n < x->groups.n) {
        if (mpl_buf_add(n_steps) == NULL) {
            return false;
        }
        *(uint32_t *) mpl_buf_get(n_steps, n_steps->n - 1) = 0;
    }
    uint32_t *steps = mpl_buf_get(n_steps, group);
    for (uint32_t k = 0; k < item.count; k++) {
        (void) walk_body(w, &(struct mpl_item){ item.what, 1 }, 1,
                         mpl_places_group(x, group)->first_place, (*steps)++);
    }
    return true;
}

enum mpl_status mpl_places_add(struct mpl_places *places, const struct mpl_folded *folded,
                               uint32_t n_calls, struct mpl_placed *out,
                               struct mpl_err *err)
{
    struct walk w = { .places = places,
                      .place = MPL_NEW_ARRAY(places->arena, (size_t) n_calls + 1, uint32_t),
                      .step = MPL_NEW_ARRAY(places->arena, (size_t) n_calls + 1, uint32_t),
                      .end = n_calls + 1 };
    struct mpl_buf n_steps = mpl_buf_make(sizeof(uint32_t));
    bool has_memory = w.place != NULL && w.step != NULL;

    for (uint32_t i = 0; i < folded->n && has_memory; i++) {
        has_memory = walk_item(&w, places, folded->items[i], &n_steps);
    }
    has_memory =
        has_memory && walk_item(&w, places, (struct mpl_item){ MPL_NONE, 1 }, &n_steps);
    *out = (struct mpl_placed){
        .n = w.n, .place = w.place, .step = w.step, .n_groups = (uint32_t) n_steps.n
    };
    out->n_steps = has_memory ? mpl_buf_take(&n_steps, places->arena) : NULL;
    mpl_buf_free(&n_steps);
    return out->n_steps == NULL ? mpl_nomem(err) : MPL_OK;
}
