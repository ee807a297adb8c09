#include "config.h"

#include "causality/causality_priv.h"

const char *mpl_precedence_name(enum mpl_precedence precedence)
{
    static const char *const names[] = {
        [MPL_PRECEDENCE_BEFORE] = "before",
        [MPL_PRECEDENCE_AFTER] = "after",
        [MPL_PRECEDENCE_SAME] = "same",
        [MPL_PRECEDENCE_CONCURRENT] = "concurrent",
        [MPL_PRECEDENCE_NOT_KNOWN] = "not-known",
    };

    return names[precedence];
}

/* ---- one timestamp --------------------------------------------------------------------------- */

/* A timestamp as it is kept. */
struct stamp {
    const uint32_t *values; /* NULL: there is none. */
    struct mpl_shape shape;
    uint32_t up;
};

static struct stamp stamp_at(const struct mpl_causality *c, uint32_t location, uint32_t i)
{
    const struct mpl_stamps *s = &c->stamps[location];

    return (struct stamp){ c->values + s->first[i],
                           c->shapes[s->shape == NULL ? 0 : s->shape[i]],
                           s->up == NULL ? 0 : s->up[i] };
}

/* The last one of a location within its first \p n events. */
static struct stamp last_stamp(const struct mpl_causality *c, uint32_t location, uint32_t n)
{
    const struct mpl_stamps *s = &c->stamps[location];

    if (s->is_sink == NULL) {
        return (struct stamp){ .values = NULL };
    }

    const uint64_t word = s->is_sink[n / 64] & ((UINT64_C(1) << n % 64) - 1);
    const uint32_t before = s->before[n / 64] + (uint32_t) __builtin_popcountll(word);

    return before == 0 ? (struct stamp){ .values = NULL }
                       : stamp_at(c, location, before - 1);
}

/* The same, of a level above \p level only: the greatest cluster receive. */
static struct stamp last_above(const struct mpl_causality *c, uint32_t location, uint32_t n,
                               uint32_t level)
{
    struct stamp stamp = last_stamp(c, location, n);

    while (stamp.values != NULL && stamp.shape.level <= level) {
        stamp = stamp.up == 0 ? (struct stamp){ .values = NULL }
                              : stamp_at(c, location, stamp.up - 1);
    }
    return stamp;
}

/* Where a location is in a timestamp; not below its number of members: it is of another cluster. */
static uint32_t place_in(const struct mpl_causality *c, const struct mpl_shape *shape,
                         uint32_t location)
{
    if (shape->level == c->n_levels) {
        return location;
    }

    const uint32_t *place = c->place + (size_t) shape->level * c->net->n_tracks;

    return place[location] - place[shape->cluster];
}

static uint32_t member_of(const struct mpl_causality *c, const struct mpl_shape *shape,
                          uint32_t i)
{
    if (shape->level == c->n_levels) {
        return i;
    }

    const size_t level = (size_t) shape->level * c->net->n_tracks;

    return c->row[level + c->place[level + shape->cluster] + i];
}

/* ---- from cluster to cluster ------------------------------------------------------------------- */

/* A set of locations with how many of their events are known to come before. */
struct frontier {
    uint32_t *known;
    uint32_t *touched;
    uint32_t n;
};

static void learn(struct frontier *f, uint32_t location, uint32_t n)
{
    if (n > 0 && f->known[location] == 0) {
        f->touched[f->n++] = location;
    }
    f->known[location] = n > f->known[location] ? n : f->known[location];
}

/* What a stamp of \p location knows of the members of its cluster, \p n of its own events included. */
static void learn_cluster(struct mpl_causality *c, struct frontier *f, uint32_t location,
                          uint32_t n, const struct stamp *stamp)
{
    c->cost.questions += stamp->shape.n;
    for (uint32_t i = 0; i < stamp->shape.n; i++) {
        const uint32_t member = member_of(c, &stamp->shape, i);

        learn(f, member, member == location ? n : stamp->values[i]);
    }
}

/* What it knows of those who are of one cluster of \p level with it, which is an inner one. */
static void learn_part(struct mpl_causality *c, struct frontier *f, uint32_t location,
                       uint32_t n, const struct stamp *stamp, uint32_t level)
{
    const uint32_t n_tracks = c->net->n_tracks;
    const uint32_t *row = c->row + (size_t) level * n_tracks;
    const uint32_t *home = c->home + (size_t) level * n_tracks;
    uint32_t at = c->place[(size_t) level * n_tracks + home[location]];

    for (; at < n_tracks && home[row[at]] == home[location]; at++) {
        const uint32_t place = place_in(c, &stamp->shape, row[at]);

        c->cost.questions++;
        if (row[at] == location) {
            learn(f, location, n);
        } else if (place < stamp->shape.n) {
            learn(f, row[at], stamp->values[place]);
        }
    }
}

static void forget(struct frontier *f)
{
    for (uint32_t i = 0; i < f->n; i++) {
        f->known[f->touched[i]] = 0;
    }
    f->n = 0;
}

/*
 * Fig. 6: what comes from outside of a cluster comes through a receive of one of its members from
 * outside. Each round asks the last of these of all members, whose clusters are of a higher
 * level; the last level holds everybody. What it learns is about the members of the next cluster
 * only: what comes to that one from outside comes through these.
 */
static uint32_t ask_above(struct mpl_causality *c, struct mpl_moment event,
                          const struct stamp *stamp, uint32_t wanted)
{
    struct frontier now = { c->known, c->touched, 0 };
    struct frontier next = { c->next_known, c->next_touched, 0 };
    uint32_t best = 0;

    learn_cluster(c, &now, event.location, event.event + 1, stamp);
    for (uint32_t level = stamp->shape.level; now.n > 0; level++) {
        for (uint32_t i = 0; i < now.n; i++) {
            const uint32_t member = now.touched[i];
            const uint32_t n = now.known[member];
            const struct stamp above = last_above(c, member, n, level);
            const uint32_t place = place_in(c, &above.shape, wanted);

            if (above.values != NULL && place < above.shape.n) {
                c->cost.questions++;
                best = above.values[place] > best ? above.values[place] : best;
            } else if (above.values != NULL && above.shape.level == level + 1) {
                learn_cluster(c, &next, member, n, &above);
            } else if (above.values != NULL) {
                learn_part(c, &next, member, n, &above, level + 1);
            }
        }
        forget(&now);

        const struct frontier swap = now;

        now = next;
        next = swap;
    }
    return best;
}

uint32_t mpl_causality_past(struct mpl_causality *c, struct mpl_moment event,
                            uint32_t location)
{
    if (location == event.location) {
        return event.event;
    }

    const struct stamp stamp = last_stamp(c, event.location, event.event + 1);

    if (stamp.values == NULL) {
        return 0;
    }

    const uint32_t place = place_in(c, &stamp.shape, location);

    if (place >= stamp.shape.n) {
        return ask_above(c, event, &stamp, location);
    }
    c->cost.questions++;
    return stamp.values[place];
}

bool mpl_causality_has_circles(const struct mpl_causality *c)
{
    return c->has_circles;
}

bool mpl_causality_misses(struct mpl_causality *c, struct mpl_moment event)
{
    bool misses = false;

    for (uint32_t l = 0; l < c->net->n_tracks && c->first_left_out != NULL && !misses;
         l++) {
        const uint32_t n =
            l == event.location ? event.event + 1 : mpl_causality_past(c, event, l);

        misses = n > c->first_left_out[l];
    }
    return misses;
}

static bool precedes(struct mpl_causality *c, struct mpl_moment a, struct mpl_moment b)
{
    return mpl_causality_past(c, b, a.location) > a.event;
}

enum mpl_precedence mpl_causality_compare(struct mpl_causality *c, struct mpl_moment a,
                                          struct mpl_moment b)
{
    if (a.location == b.location && a.event == b.event) {
        return MPL_PRECEDENCE_SAME;
    }
    if (precedes(c, a, b)) {
        return MPL_PRECEDENCE_BEFORE;
    }
    if (precedes(c, b, a)) {
        return MPL_PRECEDENCE_AFTER;
    }
    return mpl_causality_doubt_at(c, a) != NULL || mpl_causality_doubt_at(c, b) != NULL
               ? MPL_PRECEDENCE_NOT_KNOWN
               : MPL_PRECEDENCE_CONCURRENT;
}

uint32_t mpl_causality_future(struct mpl_causality *c, struct mpl_moment event,
                              uint32_t location)
{
    const uint32_t n_events = c->net->model->locations[location].n_events;
    uint32_t low = 0;
    uint32_t high = n_events;

    if (location == event.location) {
        return event.event + 1 < n_events ? event.event + 2 : 0;
    }
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (precedes(c, event, (struct mpl_moment){ location, middle })) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low == n_events ? 0 : low + 1;
}
