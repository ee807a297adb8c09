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

uint32_t mpl_stamp_member(const struct mpl_causality *c, const struct mpl_stamp *stamp,
                          uint32_t i)
{
    return stamp->level == c->clusters.n_levels
               ? i
               : mpl_clusters_member(&c->clusters, stamp->level, stamp->cluster, i);
}

uint32_t mpl_stamp_value(const struct mpl_causality *c, const struct mpl_stamp *stamp,
                         uint32_t i)
{
    return *(const uint32_t *) mpl_buf_get(&c->values, stamp->first + i);
}

/* ---- one timestamp --------------------------------------------------------------------------- */

/* The last stamp of a location within its first \p n events. */
static const struct mpl_stamp *last_stamp(const struct mpl_causality *c, uint32_t location,
                                          uint32_t n)
{
    const struct mpl_buf *stamps = &c->stamps[location];
    size_t low = 0;
    size_t high = stamps->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct mpl_stamp *stamp = mpl_buf_get(stamps, middle);

        if (stamp->event < n) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? NULL : mpl_buf_get(stamps, low - 1);
}

/* The same, of a level above \p level only: the greatest cluster receive. */
static const struct mpl_stamp *last_above(const struct mpl_causality *c, uint32_t location,
                                          uint32_t n, uint32_t level)
{
    const struct mpl_stamp *stamp = last_stamp(c, location, n);

    while (stamp != NULL && stamp->level <= level) {
        stamp = stamp->up == 0 ? NULL : mpl_buf_get(&c->stamps[location], stamp->up - 1);
    }
    return stamp;
}

/* Where a location is in a timestamp; MPL_NONE: it is of another cluster. */
static uint32_t place_in(const struct mpl_causality *c, const struct mpl_stamp *stamp,
                         uint32_t location)
{
    if (stamp->level == c->clusters.n_levels) {
        return location;
    }

    const uint32_t place =
        mpl_clusters_place(&c->clusters, stamp->level, stamp->cluster, location);

    return place < stamp->n ? place : MPL_NONE;
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

/* All that a stamp of \p location knows, itself included. */
static void learn_stamp(const struct mpl_causality *c, struct frontier *f,
                        uint32_t location, const struct mpl_stamp *stamp)
{
    for (uint32_t i = 0; i < stamp->n; i++) {
        const uint32_t member = mpl_stamp_member(c, stamp, i);

        learn(f, member,
              member == location ? stamp->event + 1 : mpl_stamp_value(c, stamp, i));
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
 * level; the last level holds everybody.
 */
static uint32_t ask_above(struct mpl_causality *c, uint32_t location,
                          const struct mpl_stamp *stamp, uint32_t wanted)
{
    struct frontier now = { c->known, c->touched, 0 };
    struct frontier next = { c->next_known, c->next_touched, 0 };
    uint32_t best = 0;

    learn_stamp(c, &now, location, stamp);
    for (uint32_t level = stamp->level; now.n > 0; level++) {
        for (uint32_t i = 0; i < now.n; i++) {
            const uint32_t member = now.touched[i];
            const struct mpl_stamp *above = last_above(c, member, now.known[member], level);
            const uint32_t place = above == NULL ? MPL_NONE : place_in(c, above, wanted);

            if (place != MPL_NONE) {
                const uint32_t value = mpl_stamp_value(c, above, place);

                best = value > best ? value : best;
            } else if (above != NULL) {
                learn_stamp(c, &next, member, above);
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

    const struct mpl_stamp *stamp = last_stamp(c, event.location, event.event + 1);

    if (stamp == NULL) {
        return 0;
    }

    const uint32_t place = place_in(c, stamp, location);

    return place != MPL_NONE ? mpl_stamp_value(c, stamp, place)
                             : ask_above(c, event.location, stamp, location);
}

bool mpl_causality_has_circles(const struct mpl_causality *c)
{
    return c->has_circles;
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
    return mpl_causality_doubt(c) != NULL ? MPL_PRECEDENCE_NOT_KNOWN
                                          : MPL_PRECEDENCE_CONCURRENT;
}

uint32_t mpl_causality_future(struct mpl_causality *c, struct mpl_moment event,
                              uint32_t location)
{
    const struct mpl_buf *stamps = &c->stamps[location];
    size_t low = 0;
    size_t high = stamps->n;

    if (location == event.location) {
        return event.event + 1 < c->net->model->locations[location].n_events
                   ? event.event + 2
                   : 0;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct mpl_stamp *stamp = mpl_buf_get(stamps, middle);

        if (precedes(c, event, (struct mpl_moment){ location, stamp->event })) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low == stamps->n
               ? 0
               : ((const struct mpl_stamp *) mpl_buf_get(stamps, low))->event + 1;
}
