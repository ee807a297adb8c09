#include "config.h"

#include "clc/clc_priv.h"

/*
 * The shortest way between floors and ceilings that are points: where a ceiling is in the way
 * it bends around it from below, where a floor is, from above, and is straight elsewhere. With
 * ceilings only, it is the greatest convex function below them: the reduced interpolation of
 * Fig. 1.
 *
 * From the last corner that is certain, two ways are kept: `upper`, convex, to the last
 * ceiling, and `lower`, concave, to the last floor. A new point takes corners off the end of
 * the way of its kind, and where that brings it beyond the other way, corners of that one
 * become certain. Each point is put in and taken off once.
 */

/* Whether the line from a to c passes below b, or through it. */
static bool is_under(struct mpl_clc_corner a, struct mpl_clc_corner b,
                     struct mpl_clc_corner c)
{
    return (__int128) (c.y_ticks - a.y_ticks) * (b.x_ticks - a.x_ticks) <=
           (__int128) (b.y_ticks - a.y_ticks) * (c.x_ticks - a.x_ticks);
}

static bool is_over(struct mpl_clc_corner a, struct mpl_clc_corner b,
                    struct mpl_clc_corner c)
{
    return (__int128) (c.y_ticks - a.y_ticks) * (b.x_ticks - a.x_ticks) >=
           (__int128) (b.y_ticks - a.y_ticks) * (c.x_ticks - a.x_ticks);
}

/* A way: corners begin..end - 1, of which the first is the last certain corner. */
struct way {
    struct mpl_clc_corner *corner;
    uint32_t begin;
    uint32_t end;
    /* Whether a corner b is no corner on the way from a to c. */
    bool (*is_idle)(struct mpl_clc_corner a, struct mpl_clc_corner b,
                    struct mpl_clc_corner c);
};

/* Adds a point to its way; `other` is the way of the other kind. */
static void add(struct mpl_clc_string *string, struct way *way, struct way *other,
                struct mpl_clc_corner point)
{
    while (way->end - way->begin > 1 &&
           way->is_idle(way->corner[way->end - 2], way->corner[way->end - 1], point)) {
        way->end--;
    }
    /* The ways touch in their first corner only, so nothing else can be in the way of a point
     * that leaves a corner on its own one. */
    while (way->end - way->begin == 1 && other->end - other->begin > 1 &&
           !other->is_idle(other->corner[other->begin], other->corner[other->begin + 1],
                           point)) {
        other->begin++;
        way->corner[way->begin] = other->corner[other->begin];
        string->corner[string->n++] = other->corner[other->begin];
    }
    way->corner[way->end++] = point;
}

void mpl_clc_string_pull(struct mpl_clc_string *string, struct mpl_clc_corner begin,
                         const struct mpl_clc_gate *gate, uint32_t n,
                         struct mpl_clc_corner end)
{
    struct way upper = { string->upper, 0, 1, is_under };
    struct way lower = { string->lower, 0, 1, is_over };

    string->n = 0;
    string->corner[string->n++] = begin;
    upper.corner[0] = begin;
    lower.corner[0] = begin;
    for (uint32_t i = 0; i < n; i++) {
        const struct mpl_clc_gate *g = &gate[i];

        if (g->floor_ticks != MPL_ORDER_NEVER) {
            add(string, &lower, &upper,
                (struct mpl_clc_corner){ g->x_ticks, g->floor_ticks });
        }
        if (g->ceiling_ticks != INT64_MAX) {
            add(string, &upper, &lower,
                (struct mpl_clc_corner){ g->x_ticks, g->ceiling_ticks });
        }
    }
    add(string, &upper, &lower, end);
    for (uint32_t i = upper.begin + 1; i < upper.end; i++) {
        string->corner[string->n++] = upper.corner[i];
    }
}

int64_t mpl_clc_string_height(const struct mpl_clc_string *string, uint32_t i,
                              int64_t x_ticks)
{
    const struct mpl_clc_corner a = string->corner[i];
    const struct mpl_clc_corner b = string->corner[i + 1];
    const int64_t run = b.x_ticks - a.x_ticks;
    int64_t rise;

    /* Both quotients are rounded down. */
    if (!__builtin_mul_overflow(b.y_ticks - a.y_ticks, x_ticks - a.x_ticks, &rise)) {
        return a.y_ticks + rise / run - (rise % run < 0 ? 1 : 0);
    }

    const __int128 product = (__int128) (b.y_ticks - a.y_ticks) * (x_ticks - a.x_ticks);

    return a.y_ticks + (int64_t) (product / run) - (product % run < 0 ? 1 : 0);
}
