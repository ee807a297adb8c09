#include "config.h"

#include "causality/causality_priv.h"

#include <string.h>

/*
 * Figs. 2, 3 and 5. The walk keeps a full vector per location and per message under way; those
 * that are the same are one, which several hold. What is kept of it for good is its part over
 * the smallest cluster that holds all senders.
 *
 * A vector has no number for the location's own events: those of the moment at hand are known.
 */

enum { VECTOR_PART = 8 };

struct vector {
    struct vector *next_free;
    uint32_t n_holders;
    uint32_t number[]; /* Per location. */
};

/* A pair under way: the vector of its source, which is added by itself. */
struct passing {
    struct vector *vector;
    struct mpl_moment source;
    uint32_t next_free; /* 1 + its number; 0: none. */
};

/* A group under way. Its sources are of one cluster from \p level on, that of the first. */
struct meeting {
    struct vector *vector;
    uint32_t shared[MPL_ENTRY_WORDS]; /* The entry of the stamp that its members share, */
    bool is_shared;                   /* once there is one. */
    uint32_t n_sinks;                 /* Still to come. */
    uint32_t first_source;
    uint32_t level;
    bool is_known; /* One of its sinks has been passed. */
};

/* What a location did last: entered a group with that vector, and has learned nothing since. */
struct entered {
    uint32_t group;
    uint32_t event;
};

struct stamping {
    struct mpl_causality *c;
    struct mpl_clusters *clusters;
    enum mpl_clustering clustering;
    uint32_t n;        /* Locations. */
    uint32_t n_padded; /* Numbers of a vector: whole parts. */
    struct mpl_arena *scratch;
    struct mpl_numbers numbers;
    struct mpl_buf shapes; /* struct mpl_shape. */
    struct vector **now;   /* Per location. */
    struct entered *entered;
    uint32_t *
        n_counted; /* Per location: events whose entries are counted, or are those of stamps. */
    uint32_t *pair;         /* The number of what passes. */
    struct mpl_buf passing; /* struct passing: those under way are few. */
    uint32_t free_passing;  /* 1 + its number; 0: none. */
    struct meeting *group;
    struct vector *free;
    bool is_short;
};

/* ---- vectors ----------------------------------------------------------------------------------- */

/* One that was used before keeps its numbers. */
static struct vector *new_vector(struct stamping *s)
{
    struct vector *v = s->free;

    if (v != NULL) {
        s->free = v->next_free;
    } else {
        v = mpl_arena_alloc(s->scratch, sizeof *v + s->n_padded * sizeof v->number[0]);
    }
    if (v == NULL) {
        s->is_short = true;
        return NULL;
    }
    v->n_holders = 1;
    return v;
}

static struct vector *hold(struct vector *v)
{
    v->n_holders++;
    return v;
}

static void drop(struct stamping *s, struct vector *v)
{
    if (v != NULL && --v->n_holders == 0) {
        v->next_free = s->free;
        s->free = v;
    }
}

/* In parts of fixed length, for which compilers use operations on whole vectors. */
static void raise_part(uint32_t *restrict a, const uint32_t *restrict b)
{
    for (uint32_t i = 0; i < VECTOR_PART; i++) {
        a[i] = a[i] < b[i] ? b[i] : a[i];
    }
}

static void raise_to(struct stamping *s, struct vector *v, const struct vector *other)
{
    s->c->cost.creation += s->n;
    for (uint32_t i = 0; i < s->n; i += VECTOR_PART) {
        raise_part(v->number + i, other->number + i);
    }
}

/* The location's vector, which learns what another one knows; NULL: no memory. */
static struct vector *learn(struct stamping *s, uint32_t location,
                            const struct vector *other)
{
    struct vector *v = s->now[location];

    if (v->n_holders == 1) {
        raise_to(s, v, other);
        return v;
    }

    struct vector *raised = new_vector(s);

    if (raised == NULL) {
        return NULL;
    }
    s->c->cost.creation += 2 * s->n;
    for (uint32_t i = 0; i < s->n; i += VECTOR_PART) {
        memcpy(raised->number + i, v->number + i, VECTOR_PART * sizeof v->number[0]);
        raise_part(raised->number + i, other->number + i);
    }
    v->n_holders--;
    s->now[location] = raised;
    return raised;
}

static void raise_one(struct vector *v, uint32_t location, uint32_t number)
{
    v->number[location] = v->number[location] < number ? number : v->number[location];
}

/* ---- levels ----------------------------------------------------------------------------------------- */

/* The innermost level, from \p least on, from which outwards both are of one cluster: what an outer
 * cluster does not hold must not hide in an inner one. */
static uint32_t common_level(const struct mpl_clusters *k, uint32_t least, uint32_t a,
                             uint32_t b)
{
    uint32_t level = k->n_levels;

    while (level > least &&
           mpl_clusters_home(k, level - 1, a) == mpl_clusters_home(k, level - 1, b)) {
        level--;
    }
    return level;
}

/* Fig. 2, lines 3 to 9, on all levels: the first message between two clusters makes them one. */
static uint32_t level_of_pair(struct stamping *s, uint32_t location, uint32_t source)
{
    struct mpl_clusters *k = s->clusters;
    uint32_t level = k->n_levels;

    if (s->clustering != MPL_CLUSTER_SELF) {
        return common_level(k, 0, location, source);
    }
    while (level > 0 && mpl_clusters_merge(k, level - 1, location, source)) {
        level--;
    }
    return level;
}

/* ---- stamps --------------------------------------------------------------------------------------- */

static uint32_t add_shape(struct stamping *s, struct mpl_shape added)
{
    if (!mpl_buf_put(&s->shapes, &added)) {
        s->is_short = true;
        return 0;
    }
    return (uint32_t) s->shapes.n - 1;
}

/* Of a location's timestamp now over its cluster. */
static uint32_t shape_of(struct stamping *s, uint32_t location, uint32_t level)
{
    const uint32_t home = mpl_clusters_home(s->clusters, level, location);
    struct mpl_cluster *cluster = mpl_clusters_get(s->clusters, level, home);

    if (cluster->shape == 0 ||
        ((const struct mpl_shape *) mpl_buf_get(&s->shapes, cluster->shape - 1))->n !=
            cluster->n) {
        cluster->shape = 1 + add_shape(s, (struct mpl_shape){ home, cluster->n, level,
                                                              MPL_WIDTH_WHOLE });
    }
    return cluster->shape - 1;
}

static const struct mpl_shape *shape_at(const struct stamping *s, uint32_t shape)
{
    return mpl_buf_get(&s->shapes, shape);
}

/* The last stamp before one that is of a higher level. */
static uint32_t find_up(const struct stamping *s, const struct mpl_stamps *stamps,
                        uint32_t stamp, uint32_t level)
{
    uint32_t up = stamp;

    while (up > 0 &&
           shape_at(s, mpl_entry(s->c, stamps, up - 1)[MPL_ENTRY_SHAPE])->level <= level) {
        up = mpl_entry(s->c, stamps, up - 1)[MPL_ENTRY_UP];
    }
    return up;
}

/* An event's later sink knows what its earlier ones know. */
static bool is_stamped(const struct mpl_stamps *stamps, uint32_t event)
{
    return (stamps->sinks[event / 64].is_sink >> event % 64 & 1) != 0;
}

/* Opens the stamp of an event. Its level is \p *level, or a higher one that it has from an earlier sink. */
static uint32_t *open_stamp(struct stamping *s, uint32_t location, uint32_t event,
                            uint32_t *level)
{
    struct mpl_stamps *stamps = &s->c->stamps[location];
    const bool is_open = is_stamped(stamps, event);
    const uint32_t stamp = is_open ? stamps->n - 1 : stamps->n;
    uint32_t *entry = mpl_entry(s->c, stamps, stamp);

    stamps->sinks[event / 64].is_sink |= UINT64_C(1) << event % 64;
    stamps->n = stamp + 1;
    if (is_open && s->c->n_levels > 0) {
        const uint32_t before = shape_at(s, entry[MPL_ENTRY_SHAPE])->level;

        *level = before > *level ? before : *level;
    }
    stamps->highest = *level > stamps->highest ? *level : stamps->highest;
    if (*level < s->c->n_levels) {
        entry[MPL_ENTRY_UP] = find_up(s, stamps, stamp, *level);
    }
    return entry;
}

static void put_vector(struct stamping *s, uint32_t location, uint32_t *entry)
{
    const uint32_t *number = s->now[location]->number;

    if (s->c->n_levels > 0) {
        s->c->cost.creation += 2 * s->n;
        entry[MPL_ENTRY_SHAPE] = mpl_numbers_add_full(
            &s->numbers, location, number, &entry[MPL_ENTRY_FIRST], &entry[MPL_ENTRY_BASE]);
        return;
    }

    uint32_t *values = mpl_numbers_add(&s->numbers, s->n, &entry[MPL_ENTRY_FIRST]);

    if (values != NULL) {
        s->c->cost.creation += s->n;
        memcpy(values, number, s->n * sizeof *values);
    }
}

/* The numbers of its cluster only. */
static void put_part(struct stamping *s, uint32_t location, uint32_t level, uint32_t *entry)
{
    const uint32_t *number = s->now[location]->number;
    const uint32_t shape = shape_of(s, location, level);
    const struct mpl_shape *part = shape_at(s, shape);
    uint32_t *values =
        s->is_short ? NULL : mpl_numbers_add(&s->numbers, part->n, &entry[MPL_ENTRY_FIRST]);

    if (values == NULL) {
        return;
    }
    entry[MPL_ENTRY_SHAPE] = shape;
    s->c->cost.creation += part->n;
    for (uint32_t i = 0; i < part->n; i++) {
        values[i] = number[mpl_clusters_member(s->clusters, level, part->cluster, i)];
    }
}

static uint32_t *put_stamp(struct stamping *s, uint32_t location, uint32_t event,
                           uint32_t level)
{
    uint32_t *entry = open_stamp(s, location, event, &level);

    if (level == s->c->n_levels) {
        put_vector(s, location, entry);
    } else {
        put_part(s, location, level, entry);
    }
    return entry;
}

/* Events before \p event that are no sinks: what their timestamps would hold, if they had any. */
static void count_others(struct stamping *s, uint32_t location, uint32_t event)
{
    const struct mpl_clusters *k = s->clusters;
    const uint32_t before = s->n_counted[location];

    if (event > before) {
        s->c->n_other_entries +=
            (uint64_t) (event - before) *
            (k->n_levels == 0
                 ? s->n
                 : mpl_clusters_get(k, 0, mpl_clusters_home(k, 0, location))->n);
        s->n_counted[location] = event;
    }
}

/* ---- pairs and groups ------------------------------------------------------------------------------- */

static void leave_pair(struct stamping *s, uint32_t location, uint32_t link, uint32_t event)
{
    struct passing *pair = mpl_buf_get(&s->passing, s->pair[link]);
    struct vector *v = learn(s, location, pair->vector);

    if (v == NULL) {
        return;
    }
    raise_one(v, pair->source.location, pair->source.event + 1);
    drop(s, pair->vector);
    pair->next_free = s->free_passing;
    s->free_passing = s->pair[link] + 1;
    s->c->n_vector_entries += s->n;
    (void) put_stamp(s, location, event, level_of_pair(s, location, pair->source.location));
}

static void enter_pair(struct stamping *s, uint32_t location, uint32_t link, uint32_t event)
{
    const uint32_t number =
        s->free_passing > 0 ? s->free_passing - 1 : (uint32_t) s->passing.n;
    struct passing *pair =
        s->free_passing > 0 ? mpl_buf_get(&s->passing, number) : mpl_buf_add(&s->passing);

    if (pair == NULL) {
        s->is_short = true;
        return;
    }
    s->free_passing = s->free_passing > 0 ? pair->next_free : 0;
    *pair = (struct passing){ hold(s->now[location]), { location, event }, 0 };
    s->pair[link] = number;
}

static void enter_group(struct stamping *s, uint32_t location, uint32_t link,
                        uint32_t event)
{
    struct meeting *group = &s->group[link];
    struct vector *v = s->now[location];

    if (group->vector == NULL) {
        group->vector = new_vector(s);
        if (group->vector == NULL) {
            return;
        }
        memcpy(group->vector->number, v->number, s->n * sizeof v->number[0]);
        group->first_source = location;
    } else {
        raise_to(s, group->vector, v);
        group->level =
            common_level(s->clusters, group->level, group->first_source, location);
    }
    raise_one(group->vector, location, event + 1);
    s->entered[location] = (struct entered){ link, event };
}

/* Whether the stamp that members of a group share is of the numbers that one of this location would be of. */
static bool is_alike(struct stamping *s, const uint32_t *shared, uint32_t location,
                     uint32_t level)
{
    const uint32_t shape = s->c->n_levels == 0 ? 0 : shared[MPL_ENTRY_SHAPE];

    return level == s->c->n_levels ? shape < MPL_WIDTHS
                                   : shape == shape_of(s, location, level);
}

/* The entry of a stamp of the same numbers. */
static void put_shared(struct stamping *s, uint32_t location, uint32_t event,
                       uint32_t level, const uint32_t *shared)
{
    uint32_t *entry = open_stamp(s, location, event, &level);

    entry[MPL_ENTRY_FIRST] = shared[MPL_ENTRY_FIRST];
    if (s->c->n_levels > 0) {
        entry[MPL_ENTRY_SHAPE] = shared[MPL_ENTRY_SHAPE];
    }
    if (s->c->n_levels > 0 && level == s->c->n_levels) {
        entry[MPL_ENTRY_BASE] = shared[MPL_ENTRY_BASE];
        mpl_numbers_follow(&s->numbers, location, shared[MPL_ENTRY_BASE]);
    }
}

/*
 * What all members of a collective know when they leave it is the same: it is kept once, if they are of one
 * cluster. Somebody who has learned something since it entered knows more.
 */
static bool share_stamp(struct stamping *s, uint32_t location, uint32_t link,
                        uint32_t event, uint32_t level)
{
    struct meeting *group = &s->group[link];

    if (s->entered[location].group != link) {
        s->c->n_vector_entries += s->n;
        return false;
    }
    s->c->n_vector_entries += group->is_known ? 0 : s->n;
    group->is_known = true;
    if (is_stamped(&s->c->stamps[location], event) ||
        (group->is_shared && !is_alike(s, group->shared, location, level))) {
        return false;
    }
    drop(s, s->now[location]);
    s->now[location] = hold(group->vector);
    if (group->is_shared) {
        put_shared(s, location, event, level, group->shared);
    } else {
        memcpy(group->shared, put_stamp(s, location, event, level),
               s->c->n_words * sizeof group->shared[0]);
        group->is_shared = true;
    }
    return true;
}

static void learn_from_group(struct stamping *s, uint32_t location, uint32_t link,
                             uint32_t event)
{
    const struct meeting *group = &s->group[link];
    const uint32_t level =
        common_level(s->clusters, group->level, group->first_source, location);

    /* Nobody else is in it. */
    if (group->vector == NULL || share_stamp(s, location, link, event, level)) {
        return;
    }

    if (learn(s, location, group->vector) != NULL) {
        (void) put_stamp(s, location, event, level);
    }
}

static void leave_group(struct stamping *s, uint32_t location, uint32_t link,
                        uint32_t event)
{
    learn_from_group(s, location, link, event);
    if (--s->group[link].n_sinks == 0) {
        drop(s, s->group[link].vector);
    }
}

/* ---- the walk ----------------------------------------------------------------------------------------- */

static const struct mpl_net_point *point_at(const struct stamping *s, uint32_t location,
                                            uint32_t i)
{
    return &s->c->net->track[location].points[i];
}

static void pass_source(void *context, uint32_t location, uint32_t i)
{
    struct stamping *s = context;
    const struct mpl_net_point *point = point_at(s, location, i);

    if (s->is_short) {
        return;
    }
    count_others(s, location, point->event);
    if ((point->flags & MPL_POINT_GROUP) != 0) {
        enter_group(s, location, point->link, point->event);
    } else {
        enter_pair(s, location, point->link, point->event);
    }
}

/* Something that its event may depend on is left out. */
static bool leave_out(struct stamping *s, uint32_t location, uint32_t event)
{
    struct mpl_causality *c = s->c;

    if (c->first_left_out == NULL) {
        c->first_left_out = MPL_NEW_ARRAY(c->arena, s->n, uint32_t);
        for (uint32_t l = 0; l < s->n && c->first_left_out != NULL; l++) {
            c->first_left_out[l] = MPL_NONE;
        }
    }
    if (c->first_left_out == NULL) {
        s->is_short = true;
    } else if (c->first_left_out[location] > event) {
        c->first_left_out[location] = event;
    }
    return !s->is_short;
}

static bool pass_sink(void *context, uint32_t location, uint32_t i)
{
    struct stamping *s = context;
    const struct mpl_net_point *point = point_at(s, location, i);

    if (s->is_short) {
        return false;
    }
    if ((point->flags & MPL_POINT_IGNORED) != 0) {
        s->c->has_circles = true;
        return leave_out(s, location, point->event);
    }
    count_others(s, location, point->event);
    s->n_counted[location] = point->event + 1;
    if ((point->flags & MPL_POINT_GROUP) != 0) {
        leave_group(s, location, point->link, point->event);
    } else {
        leave_pair(s, location, point->link, point->event);
    }
    s->entered[location].group = MPL_NONE;
    return !s->is_short && !s->numbers.is_short && !s->numbers.is_beyond &&
           !s->clusters->is_short;
}

static void pass_on(void *context, uint32_t group, uint32_t next)
{
    struct stamping *s = context;
    const struct meeting *from = &s->group[group];
    struct meeting *to = &s->group[next];

    if (s->is_short || from->vector == NULL) {
        return;
    }
    if (to->vector == NULL) {
        to->vector = new_vector(s);
        if (to->vector == NULL) {
            return;
        }
        memcpy(to->vector->number, from->vector->number,
               s->n * sizeof from->vector->number[0]);
        to->first_source = from->first_source;
        to->level = from->level;
        return;
    }
    raise_to(s, to->vector, from->vector);
    to->level = from->level > to->level ? from->level : to->level;
    to->level = common_level(s->clusters, to->level, to->first_source, from->first_source);
}

/* Of groups, and returns those of pairs. */
static size_t count_sinks(struct stamping *s)
{
    size_t n = 0;

    for (uint32_t l = 0; l < s->n; l++) {
        for (uint32_t i = 0; i < s->c->net->track[l].n_points; i++) {
            const struct mpl_net_point *point = point_at(s, l, i);

            if ((point->flags & MPL_POINT_SOURCE) != 0) {
                continue;
            }
            if ((point->flags & MPL_POINT_GROUP) != 0) {
                s->group[point->link].n_sinks++;
            } else {
                n++;
            }
        }
    }
    return n;
}

static bool make_room(struct stamping *s)
{
    const struct mpl_net *net = s->c->net;

    s->now = MPL_NEW_ARRAY(s->scratch, s->n, struct vector *);
    s->entered = MPL_NEW_ARRAY(s->scratch, s->n, struct entered);
    s->n_counted = MPL_NEW_ARRAY(s->scratch, s->n, uint32_t);
    s->pair = MPL_NEW_ARRAY(s->scratch, net->n_pairs, uint32_t);
    s->group = MPL_NEW_ARRAY(s->scratch, net->n_groups, struct meeting);
    if (mpl_arena_is_short(s->scratch) ||
        !mpl_numbers_open(&s->numbers, s->n, s->scratch)) {
        return false;
    }

    const uint64_t n_values = (uint64_t) count_sinks(s) * s->n;

    /* What plain vectors take at least; clusters take far less. */
    if (s->c->n_levels == 0) {
        s->numbers.is_beyond = n_values > UINT32_MAX;
        if (!s->numbers.is_beyond && !mpl_buf_reserve(&s->numbers.words, n_values)) {
            return false;
        }
    }
    for (uint32_t l = 0; l < s->n; l++) {
        s->entered[l].group = MPL_NONE;
        /* Nobody knows anything yet. */
        s->now[l] = l == 0 ? new_vector(s) : hold(s->now[0]);
        if (s->now[l] == NULL) {
            return false;
        }
    }
    return true;
}

static enum mpl_status walk(struct stamping *s, struct mpl_err *err)
{
    const struct mpl_net_walker walker = { .context = s,
                                           .source = pass_source,
                                           .sink = pass_sink,
                                           .chain = pass_on,
                                           .is_in_rounds = true };
    uint64_t n_ignored = 0;
    const enum mpl_status st =
        s->numbers.is_beyond ? MPL_OK : mpl_net_walk(s->c->net, &walker, &n_ignored, err);

    if (st == MPL_OK && s->numbers.is_beyond) {
        return mpl_fail(err, MPL_E_LIMIT,
                        "timestamps of more than 2^32 numbers would be needed");
    }
    return st == MPL_OK && (s->is_short || s->numbers.is_short || s->clusters->is_short)
               ? mpl_nomem(err)
               : st;
}

static void count_sinks_before(struct mpl_stamps *stamps, uint32_t n_events)
{
    uint32_t n = 0;

    for (uint32_t word = 0; stamps->sinks != NULL && word <= n_events / 64; word++) {
        stamps->sinks[word].before = n;
        n += (uint32_t) __builtin_popcountll(stamps->sinks[word].is_sink);
    }
}

/* False: no memory. */
static bool finish(struct stamping *s)
{
    struct mpl_causality *c = s->c;

    for (uint32_t l = 0; l < s->n; l++) {
        const uint32_t n_events = c->net->model->locations[l].n_events;

        if (c->net->first_left_out != NULL && c->net->first_left_out[l] != MPL_NONE) {
            (void) leave_out(s, l, c->net->first_left_out[l]);
        }
        count_others(s, l, n_events);
        count_sinks_before(&c->stamps[l], n_events);
    }
    c->n_entries = s->numbers.n;
    c->n_values = s->numbers.words.n;
    c->values = mpl_buf_take(&s->numbers.words, c->arena);
    c->n_shapes = s->shapes.n;
    c->shapes = mpl_buf_take(&s->shapes, c->arena);
    return c->values != NULL && c->shapes != NULL && !s->is_short;
}

enum mpl_status mpl_causality_stamp(struct mpl_causality *c, struct mpl_clusters *clusters,
                                    const struct mpl_causality_options *options,
                                    struct mpl_arena *scratch, struct mpl_err *err)
{
    struct stamping s = { .c = c,
                          .clusters = clusters,
                          .clustering = options->clustering,
                          .n = c->net->n_tracks,
                          .n_padded = (c->net->n_tracks + VECTOR_PART - 1) / VECTOR_PART *
                                      VECTOR_PART,
                          .scratch = scratch,
                          .shapes = mpl_buf_make(sizeof(struct mpl_shape)),
                          .passing = mpl_buf_make(sizeof(struct passing)) };

    /* Full vectors are the same on all levels, so their shapes are the first ones. */
    for (enum mpl_width width = MPL_WIDTH_WHOLE; width < MPL_WIDTHS; width++) {
        (void) add_shape(&s, (struct mpl_shape){ 0, s.n, c->n_levels, width });
    }
    enum mpl_status st = s.is_short || !make_room(&s) ? mpl_nomem(err) : walk(&s, err);
    if (st == MPL_OK && !finish(&s)) {
        st = mpl_nomem(err);
    }
    mpl_buf_free(&s.numbers.words);
    mpl_buf_free(&s.shapes);
    mpl_buf_free(&s.passing);
    return st;
}
