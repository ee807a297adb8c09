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

struct vector {
    struct vector *next_free;
    uint32_t n_holders;
    uint32_t number[]; /* Per location. */
};

/* A pair under way: the vector of its source, which is added by itself. */
struct passing {
    struct vector *vector;
    struct mpl_moment source;
};

/* A group under way. Its sources are of one cluster from \p level on, that of the first. */
struct meeting {
    struct vector *vector;
    size_t first;     /* Of the values that its members share; SIZE_MAX: none yet. */
    uint32_t n_sinks; /* Still to come. */
    uint32_t first_source;
    uint32_t level;
};

/* What a location did last: entered a group with that vector, and has learned nothing since. */
struct entered {
    uint32_t group;
    uint32_t event;
};

struct stamping {
    struct mpl_causality *c;
    enum mpl_clustering clustering;
    uint32_t n; /* Locations. */
    struct mpl_arena *scratch;
    struct vector **now; /* Per location. */
    struct entered *entered;
    uint32_t *
        n_counted; /* Per location: events whose entries are counted, or are those of stamps. */
    struct passing *pair;
    struct meeting *group;
    struct vector *free;
    bool is_short;
};

/* ---- vectors ----------------------------------------------------------------------------------- */

static struct vector *new_vector(struct stamping *s)
{
    struct vector *v = s->free;

    if (v != NULL) {
        s->free = v->next_free;
    } else {
        v = mpl_arena_alloc(s->scratch, sizeof *v + s->n * sizeof v->number[0]);
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

/* The location's vector, to be written. */
static struct vector *own(struct stamping *s, uint32_t location)
{
    struct vector *v = s->now[location];

    if (v->n_holders > 1) {
        struct vector *copy = new_vector(s);

        if (copy == NULL) {
            return NULL;
        }
        memcpy(copy->number, v->number, s->n * sizeof v->number[0]);
        v->n_holders--;
        s->now[location] = copy;
    }
    return s->now[location];
}

static void raise_to(struct vector *v, const struct vector *other, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        v->number[i] = v->number[i] < other->number[i] ? other->number[i] : v->number[i];
    }
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
    struct mpl_clusters *k = &s->c->clusters;
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

static bool add_value(struct stamping *s, uint32_t value)
{
    uint32_t *at = mpl_buf_add(&s->c->values);

    if (at != NULL) {
        *at = value;
    }
    s->is_short = s->is_short || at == NULL;
    return at != NULL;
}

/* An event's later sink knows what its earlier ones know. */
static struct mpl_stamp *stamp_at(struct stamping *s, uint32_t location, uint32_t event)
{
    struct mpl_buf *stamps = &s->c->stamps[location];
    struct mpl_stamp *last = stamps->n == 0 ? NULL : mpl_buf_get(stamps, stamps->n - 1);

    if (last != NULL && last->event == event) {
        return last;
    }
    last = mpl_buf_add(stamps);
    s->is_short = s->is_short || last == NULL;
    return last;
}

static uint32_t find_up(const struct mpl_causality *c, uint32_t location, uint32_t level)
{
    const struct mpl_buf *stamps = &c->stamps[location];
    uint32_t up = (uint32_t) stamps->n - 1;

    while (up > 0) {
        const struct mpl_stamp *before = mpl_buf_get(stamps, up - 1);

        if (before->level > level) {
            return up;
        }
        up = before->up;
    }
    return 0;
}

static struct mpl_stamp *open_stamp(struct stamping *s, uint32_t location, uint32_t event,
                                    uint32_t level)
{
    struct mpl_causality *c = s->c;
    struct mpl_stamp *stamp = stamp_at(s, location, event);

    if (stamp == NULL) {
        return NULL;
    }
    /* Fresh ones are zero. */
    stamp->level = stamp->level > level ? stamp->level : level;
    stamp->event = event;
    stamp->first = c->values.n;
    stamp->up = find_up(c, location, stamp->level);
    if (stamp->level == c->clusters.n_levels) {
        stamp->n = s->n;
    } else {
        stamp->cluster = mpl_clusters_home(&c->clusters, stamp->level, location);
        stamp->n = mpl_clusters_get(&c->clusters, stamp->level, stamp->cluster)->n;
    }
    return stamp;
}

static void put_stamp(struct stamping *s, uint32_t location, uint32_t event, uint32_t level)
{
    const struct mpl_stamp *stamp = open_stamp(s, location, event, level);

    for (uint32_t i = 0; stamp != NULL && i < stamp->n; i++) {
        if (!add_value(s, s->now[location]->number[mpl_stamp_member(s->c, stamp, i)])) {
            return;
        }
    }
}

/* Events before \p event that are no sinks: what their timestamps would hold, if they had any. */
static void count_others(struct stamping *s, uint32_t location, uint32_t event)
{
    const struct mpl_clusters *k = &s->c->clusters;
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
    struct passing *pair = &s->pair[link];
    struct vector *v = own(s, location);

    if (v == NULL) {
        return;
    }
    raise_to(v, pair->vector, s->n);
    raise_one(v, pair->source.location, pair->source.event + 1);
    drop(s, pair->vector);
    pair->vector = NULL;
    put_stamp(s, location, event, level_of_pair(s, location, pair->source.location));
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
        raise_to(group->vector, v, s->n);
        group->level =
            common_level(&s->c->clusters, group->level, group->first_source, location);
    }
    raise_one(group->vector, location, event + 1);
    s->entered[location] = (struct entered){ link, event };
}

/* What all members of a collective know when they leave it is the same: it is kept once. */
static bool share_stamp(struct stamping *s, uint32_t location, uint32_t link,
                        uint32_t event, uint32_t level)
{
    struct meeting *group = &s->group[link];

    if (s->entered[location].group != link || level < s->c->clusters.n_levels) {
        return false;
    }
    drop(s, s->now[location]);
    s->now[location] = hold(group->vector);
    if (group->first == SIZE_MAX) {
        group->first = s->c->values.n;
        put_stamp(s, location, event, level);
    } else {
        struct mpl_stamp *stamp = open_stamp(s, location, event, level);

        if (stamp != NULL) {
            stamp->first = group->first;
        }
    }
    return true;
}

static void learn_from_group(struct stamping *s, uint32_t location, uint32_t link,
                             uint32_t event)
{
    const struct meeting *group = &s->group[link];
    const uint32_t level =
        common_level(&s->c->clusters, group->level, group->first_source, location);

    /* Nobody else is in it. */
    if (group->vector == NULL || share_stamp(s, location, link, event, level)) {
        return;
    }

    struct vector *v = own(s, location);

    if (v != NULL) {
        raise_to(v, group->vector, s->n);
        put_stamp(s, location, event, level);
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
        s->pair[point->link] =
            (struct passing){ hold(s->now[location]), { location, point->event } };
    }
}

static bool pass_sink(void *context, uint32_t location, uint32_t i)
{
    struct stamping *s = context;
    const struct mpl_net_point *point = point_at(s, location, i);

    if ((point->flags & MPL_POINT_IGNORED) != 0) {
        s->c->has_circles = true;
        return !s->is_short;
    }
    count_others(s, location, point->event);
    s->n_counted[location] = point->event + 1;
    if ((point->flags & MPL_POINT_GROUP) != 0) {
        leave_group(s, location, point->link, point->event);
    } else {
        leave_pair(s, location, point->link, point->event);
    }
    s->entered[location].group = MPL_NONE;
    return !s->is_short && !s->c->clusters.is_short;
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
    raise_to(to->vector, from->vector, s->n);
    to->level = from->level > to->level ? from->level : to->level;
    to->level =
        common_level(&s->c->clusters, to->level, to->first_source, from->first_source);
}

static int64_t blocked_ticks(void *context, uint32_t location, uint32_t i)
{
    const struct stamping *s = context;

    return s->c->net->model->locations[location]
        .time_ticks[point_at(s, location, i)->event];
}

static void count_sinks(struct stamping *s)
{
    for (uint32_t l = 0; l < s->n; l++) {
        for (uint32_t i = 0; i < s->c->net->track[l].n_points; i++) {
            const struct mpl_net_point *point = point_at(s, l, i);

            if ((point->flags & (MPL_POINT_GROUP | MPL_POINT_SOURCE)) == MPL_POINT_GROUP) {
                s->group[point->link].n_sinks++;
            }
        }
    }
}

static bool make_room(struct stamping *s)
{
    const struct mpl_net *net = s->c->net;

    s->now = MPL_NEW_ARRAY(s->scratch, s->n, struct vector *);
    s->entered = MPL_NEW_ARRAY(s->scratch, s->n, struct entered);
    s->n_counted = MPL_NEW_ARRAY(s->scratch, s->n, uint32_t);
    s->pair = MPL_NEW_ARRAY(s->scratch, net->n_pairs, struct passing);
    s->group = MPL_NEW_ARRAY(s->scratch, net->n_groups, struct meeting);
    if (s->now == NULL || s->entered == NULL || s->n_counted == NULL || s->pair == NULL ||
        s->group == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < net->n_groups; i++) {
        s->group[i].first = SIZE_MAX;
    }
    count_sinks(s);
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

enum mpl_status mpl_causality_stamp(struct mpl_causality *c,
                                    const struct mpl_causality_options *options,
                                    struct mpl_err *err)
{
    struct stamping s = { .c = c,
                          .clustering = options->clustering,
                          .n = c->net->n_tracks,
                          .scratch = mpl_arena_create() };
    const struct mpl_net_walker walker = { .context = &s,
                                           .source = pass_source,
                                           .sink = pass_sink,
                                           .chain = pass_on,
                                           .blocked_ticks = blocked_ticks,
                                           .is_in_rounds = true };
    uint64_t n_ignored = 0;
    enum mpl_status st = s.scratch == NULL || !make_room(&s)
                             ? mpl_nomem(err)
                             : mpl_net_walk(c->net, &walker, &n_ignored, err);

    if (st == MPL_OK && (s.is_short || c->clusters.is_short)) {
        st = mpl_nomem(err);
    }
    for (uint32_t l = 0; l < s.n && st == MPL_OK; l++) {
        count_others(&s, l, c->net->model->locations[l].n_events);
    }
    mpl_arena_destroy(s.scratch);
    return st;
}
