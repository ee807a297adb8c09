#include "config.h"

#include "causality/causality_priv.h"

#include <string.h>

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

static struct mpl_stamp stamp_at(const struct mpl_causality *c, uint32_t location,
                                 uint32_t i)
{
    const uint32_t *entry = mpl_entry(c, &c->stamps[location], i);
    const uint32_t *values = c->values + entry[MPL_ENTRY_FIRST];

    return c->n_levels == 0 ? (struct mpl_stamp){ values, c->shapes[MPL_WIDTH_WHOLE], 0 }
                            : (struct mpl_stamp){ values, c->shapes[entry[MPL_ENTRY_SHAPE]],
                                                  entry[MPL_ENTRY_UP] };
}

static uint32_t number_at(const struct mpl_causality *c, const struct mpl_stamp *stamp,
                          uint32_t place)
{
    switch (stamp->shape.width) {
    case MPL_WIDTH_BYTE:
        return c->values[stamp->up + place] + ((const uint8_t *) stamp->values)[place];
    case MPL_WIDTH_SHORT:
        return c->values[stamp->up + place] + ((const uint16_t *) stamp->values)[place];
    default:
        return ((const uint32_t *) stamp->values)[place];
    }
}

/* So that it is there when it is looked at. */
static void fetch_number(const struct mpl_causality *c, const struct mpl_stamp *stamp,
                         uint32_t place)
{
    const enum mpl_width width = stamp->shape.width;

    mpl_prefetch((const char *) stamp->values + place * mpl_width_bytes(width));
    if (width != MPL_WIDTH_WHOLE) {
        mpl_prefetch(&c->values[stamp->up + place]);
    }
}

/* The timestamps of a location within its first \p n events. */
static uint32_t count_stamps(const struct mpl_stamps *s, uint32_t n)
{
    const struct mpl_sinks *sinks = &s->sinks[n / 64];
    const uint64_t word = sinks->is_sink & ((UINT64_C(1) << n % 64) - 1);

    return sinks->before + (uint32_t) __builtin_popcountll(word);
}

/* The last one of them. */
static struct mpl_stamp last_stamp(const struct mpl_causality *c, uint32_t location,
                                   uint32_t n)
{
    const struct mpl_stamps *s = &c->stamps[location];
    const uint32_t before = s->sinks == NULL ? 0 : count_stamps(s, n);

    return before == 0 ? (struct mpl_stamp){ .values = NULL }
                       : stamp_at(c, location, before - 1);
}

/* The last of the first \p n timestamps of a location that is of a level above \p level: the greatest
 * cluster receive. */
static struct mpl_stamp last_above(const struct mpl_causality *c, uint32_t location,
                                   uint32_t n, uint32_t level)
{
    struct mpl_stamp stamp =
        n == 0 ? (struct mpl_stamp){ .values = NULL } : stamp_at(c, location, n - 1);

    while (stamp.values != NULL && stamp.shape.level <= level) {
        stamp = stamp.up == 0 ? (struct mpl_stamp){ .values = NULL }
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

    const uint32_t *place = c->place + (size_t) shape->level * c->model->n_locations;

    return place[location] - place[shape->cluster];
}

/* ---- from cluster to cluster ------------------------------------------------------------------- */

/* The cluster of a location in the end, at a level: who was in it before is in it. */
struct part {
    const uint32_t *row; /* Its members. */
    uint32_t first;      /* The place of the first one. */
    uint32_t n;
};

static struct part part_of(const struct mpl_causality *c, uint32_t level, uint32_t location)
{
    const size_t at = (size_t) level * c->model->n_locations;
    const uint32_t home = c->home[at + location];
    const uint32_t first = c->place[at + home];

    return (struct part){ c->row + at + first, first, c->size[at + home] };
}

static void raise_one(uint32_t *known, uint32_t n)
{
    *known = n > *known ? n : *known;
}

/*
 * What a stamp of \p location, its member \p own, knows of the members of a cluster of \p level: how many of
 * their events come before. Those of a stamp of that level stand together.
 */
static void learn(struct mpl_causality *c, uint32_t *known, const struct part *part,
                  uint32_t level, const struct mpl_stamp *stamp)
{
    if (stamp->shape.level == level) {
        const size_t at = (size_t) level * c->model->n_locations;
        uint32_t *const first = known + c->place[at + stamp->shape.cluster] - part->first;
        const uint32_t *values = stamp->values;

        c->cost.questions += stamp->shape.n;
        for (uint32_t i = 0; i < stamp->shape.n; i++) {
            first[i] = values[i] > first[i] ? values[i] : first[i];
        }
        return;
    }
    c->cost.questions += part->n;
    for (uint32_t i = 0; i < part->n; i++) {
        const uint32_t place = place_in(c, &stamp->shape, part->row[i]);

        if (place < stamp->shape.n) {
            raise_one(&known[i], number_at(c, stamp, place));
        }
    }
}

/* How many events of \p event's location come before it, itself included. */
static void learn_own(const struct mpl_causality *c, uint32_t *known,
                      const struct part *part, uint32_t level, uint32_t location,
                      uint32_t n)
{
    raise_one(
        &known[c->place[(size_t) level * c->model->n_locations + location] - part->first],
        n);
}

/*
 * The greatest cluster receives of the members that something is known of. Memory is what each of the three
 * steps to one costs, so all members take a step before anybody takes the next one.
 */
static uint32_t find_above(struct mpl_causality *c, const struct part *part, uint32_t level,
                           const uint32_t *known, uint32_t wanted)
{
    struct mpl_sought *sought = c->sought;
    uint32_t n = 0;
    uint32_t n_found = 0;

    for (uint32_t i = 0; i < part->n; i++) {
        const struct mpl_stamps *s = &c->stamps[part->row[i]];

        if (known[i] > 0 && s->highest > level) {
            mpl_prefetch(&s->sinks[known[i] / 64]);
            sought[n++].member = i;
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        const struct mpl_stamps *s = &c->stamps[part->row[sought[k].member]];

        sought[k].n = count_stamps(s, known[sought[k].member]);
        mpl_prefetch(mpl_entry(c, s, sought[k].n - (sought[k].n > 0 ? 1 : 0)));
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t location = part->row[sought[k].member];
        const struct mpl_stamp above = last_above(c, location, sought[k].n, level);

        if (above.values != NULL) {
            const uint32_t place = place_in(c, &above.shape, wanted);

            fetch_number(c, &above, place < above.shape.n ? place : 0);
            sought[n_found++] = (struct mpl_sought){ sought[k].member, 0, place, above };
        }
    }
    return n_found;
}

/*
 * Fig. 6: what comes from outside of a cluster comes through a receive of one of its members from
 * outside. Each round asks the last of these of all members, whose clusters are of a higher
 * level; the last level holds everybody. What it learns is about the members of the next cluster
 * only: what comes to that one from outside comes through these.
 */
static uint32_t ask_above(struct mpl_causality *c, struct mpl_moment event,
                          const struct mpl_stamp *stamp, uint32_t wanted)
{
    uint32_t *now = c->known;
    uint32_t *next = c->next_known;
    uint32_t level = stamp->shape.level;
    struct part part = part_of(c, level, event.location);
    uint32_t best = 0;
    bool has_learned = true;

    memset(now, 0, part.n * sizeof *now);
    learn(c, now, &part, level, stamp);
    learn_own(c, now, &part, level, event.location, event.event + 1);
    while (has_learned) {
        const bool is_last = level + 1 == c->n_levels;
        const struct part outer =
            is_last ? (struct part){ .n = 0 } : part_of(c, level + 1, event.location);

        const uint32_t n = find_above(c, &part, level, now, wanted);

        has_learned = false;
        if (!is_last) {
            memset(next, 0, outer.n * sizeof *next);
        }
        for (uint32_t k = 0; k < n; k++) {
            const struct mpl_stamp *above = &c->sought[k].stamp;
            const uint32_t i = c->sought[k].member;
            const uint32_t place = c->sought[k].place;

            if (place < above->shape.n) {
                c->cost.questions++;
                raise_one(&best, number_at(c, above, place));
            } else {
                learn(c, next, &outer, level + 1, above);
                learn_own(c, next, &outer, level + 1, part.row[i], now[i]);
                has_learned = true;
            }
        }

        uint32_t *const swap = now;

        now = next;
        next = swap;
        part = outer;
        level++;
    }
    return best;
}

uint32_t mpl_causality_past(struct mpl_causality *c, struct mpl_moment event,
                            uint32_t location)
{
    if (location == event.location) {
        return event.event;
    }

    const struct mpl_stamp stamp = last_stamp(c, event.location, event.event + 1);

    if (stamp.values == NULL) {
        return 0;
    }

    const uint32_t place = place_in(c, &stamp.shape, location);

    if (place >= stamp.shape.n) {
        return ask_above(c, event, &stamp, location);
    }
    c->cost.questions++;
    return number_at(c, &stamp, place);
}

bool mpl_causality_has_circles(const struct mpl_causality *c)
{
    return c->has_circles;
}

bool mpl_causality_misses(struct mpl_causality *c, struct mpl_moment event)
{
    bool misses = false;

    for (uint32_t l = 0; l < c->model->n_locations && c->first_left_out != NULL && !misses;
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

bool mpl_causality_is_behind_silence(struct mpl_causality *c, struct mpl_moment event)
{
    for (uint32_t l = 0; l < c->model->n_locations && c->silent != NULL; l++) {
        const uint32_t n =
            l == event.location ? event.event + 1 : mpl_causality_past(c, event, l);

        if (c->silent[l].first_end < n) {
            return true;
        }
    }
    return false;
}

bool mpl_causality_is_before_silence(struct mpl_causality *c, struct mpl_moment event)
{
    for (uint32_t l = 0; l < c->model->n_locations && c->silent != NULL; l++) {
        const uint32_t first = l == event.location ? event.event + 1
                               : c->silent[l].n_until_last == 0
                                   ? 0
                                   : mpl_causality_future(c, event, l);

        if (first > 0 && c->silent[l].n_until_last >= first) {
            return true;
        }
    }
    return false;
}

bool mpl_causality_may_hide(struct mpl_causality *c, struct mpl_moment a,
                            struct mpl_moment b)
{
    return mpl_causality_is_behind_silence(c, b) && mpl_causality_is_before_silence(c, a);
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
    return mpl_causality_doubt_at(c, a) != NULL || mpl_causality_doubt_at(c, b) != NULL ||
                   mpl_causality_may_hide(c, a, b) || mpl_causality_may_hide(c, b, a)
               ? MPL_PRECEDENCE_NOT_KNOWN
               : MPL_PRECEDENCE_CONCURRENT;
}

uint32_t mpl_causality_future(struct mpl_causality *c, struct mpl_moment event,
                              uint32_t location)
{
    const uint32_t n_events = c->model->locations[location].n_events;
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
