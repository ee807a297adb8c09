#include "config.h"

#include "causality/causality_priv.h"

/*
 * Backwards from b, one dependence further in each round: how much of each location is reached.
 * A location that is reached further is looked at from where it was reached before, so every
 * point of the net is looked at once.
 */

/* That so much of a location is reached, and from where. */
struct reached {
    struct mpl_moment from; /* The source, */
    struct mpl_moment to;   /* its sink, */
    size_t
        behind; /* and how that one was reached: 1 + its number; 0: it is b's location. */
};

struct search {
    const struct mpl_net *net;
    struct mpl_moment *pair;    /* Per pair: its source. */
    size_t *first_source;       /* Per group, n_groups + 1: into sources. */
    struct mpl_moment *sources; /* Of groups. */
    uint32_t *before;           /* Per group: the one before it in its chain; MPL_NONE. */
    bool *is_seen;              /* Per group. */
    uint32_t *n_reached;        /* Per location: its first events. */
    uint32_t *n_looked_at;
    size_t *how; /* Per location: 1 + the number of what reached it last. */
    size_t *how_next;
    uint32_t *n_next;
    struct mpl_buf reached;
    bool is_short;
};

/* ---- sources by dependence ------------------------------------------------------------------------ */

static void count_sources(struct search *s)
{
    for (uint32_t l = 0; l < s->net->n_tracks; l++) {
        for (uint32_t i = 0; i < s->net->track[l].n_points; i++) {
            const struct mpl_net_point *p = &s->net->track[l].points[i];

            if ((p->flags & MPL_POINT_SOURCE) == 0) {
                continue;
            }
            if ((p->flags & MPL_POINT_GROUP) == 0) {
                s->pair[p->link] = (struct mpl_moment){ l, p->event };
            } else {
                s->first_source[p->link + 1]++;
            }
        }
    }
    for (uint32_t g = 0; g < s->net->n_groups; g++) {
        s->first_source[g + 1] += s->first_source[g];
    }
}

static bool put_sources(struct search *s, struct mpl_arena *scratch)
{
    size_t *at = MPL_NEW_ARRAY(scratch, s->net->n_groups, size_t);

    s->sources =
        MPL_NEW_ARRAY(scratch, s->first_source[s->net->n_groups], struct mpl_moment);
    if (at == NULL || s->sources == NULL) {
        return false;
    }
    for (uint32_t l = 0; l < s->net->n_tracks; l++) {
        for (uint32_t i = 0; i < s->net->track[l].n_points; i++) {
            const struct mpl_net_point *p = &s->net->track[l].points[i];

            if ((p->flags & MPL_POINT_SOURCE) != 0 && (p->flags & MPL_POINT_GROUP) != 0) {
                s->sources[s->first_source[p->link] + at[p->link]++] =
                    (struct mpl_moment){ l, p->event };
            }
        }
    }
    return true;
}

static bool open_search(struct search *s, struct mpl_arena *scratch)
{
    const struct mpl_net *net = s->net;

    s->pair = MPL_NEW_ARRAY(scratch, net->n_pairs, struct mpl_moment);
    s->first_source = MPL_NEW_ARRAY(scratch, (size_t) net->n_groups + 1, size_t);
    s->before = MPL_NEW_ARRAY(scratch, net->n_groups, uint32_t);
    s->is_seen = MPL_NEW_ARRAY(scratch, net->n_groups, bool);
    s->n_reached = MPL_NEW_ARRAY(scratch, net->n_tracks, uint32_t);
    s->n_looked_at = MPL_NEW_ARRAY(scratch, net->n_tracks, uint32_t);
    s->n_next = MPL_NEW_ARRAY(scratch, net->n_tracks, uint32_t);
    s->how = MPL_NEW_ARRAY(scratch, net->n_tracks, size_t);
    s->how_next = MPL_NEW_ARRAY(scratch, net->n_tracks, size_t);
    if (mpl_arena_is_short(scratch)) {
        return false;
    }
    for (uint32_t g = 0; g < net->n_groups; g++) {
        s->before[g] = MPL_NONE;
    }
    for (uint32_t g = 0; g < net->n_groups; g++) {
        if (net->group[g].next != MPL_NONE) {
            s->before[net->group[g].next] = g;
        }
    }
    count_sources(s);
    return put_sources(s, scratch);
}

/* ---- rounds ------------------------------------------------------------------------------------------- */

static void reach(struct search *s, struct mpl_moment from, struct mpl_moment to)
{
    if (from.location == to.location || from.event < s->n_next[from.location]) {
        return;
    }
    if (!mpl_buf_put(&s->reached, &(struct reached){ from, to, s->how[to.location] })) {
        s->is_short = true;
        return;
    }
    s->n_next[from.location] = from.event + 1;
    s->how_next[from.location] = s->reached.n;
}

static void reach_group(struct search *s, uint32_t group, struct mpl_moment to)
{
    for (; group != MPL_NONE && !s->is_seen[group]; group = s->before[group]) {
        for (size_t i = s->first_source[group]; i < s->first_source[group + 1]; i++) {
            reach(s, s->sources[i], to);
        }
        s->is_seen[group] = true;
    }
}

static void look_at(struct search *s, uint32_t location)
{
    const struct mpl_net_track *track = &s->net->track[location];
    uint32_t i = s->n_looked_at[location];

    for (; i < track->n_points && track->points[i].event < s->n_reached[location]; i++) {
        const struct mpl_net_point *p = &track->points[i];
        const struct mpl_moment to = { location, p->event };

        if ((p->flags & (MPL_POINT_SOURCE | MPL_POINT_IGNORED)) != 0) {
            continue;
        }
        if ((p->flags & MPL_POINT_GROUP) != 0) {
            reach_group(s, p->link, to);
        } else {
            reach(s, s->pair[p->link], to);
        }
    }
    s->n_looked_at[location] = i;
}

/* False: nothing more is reached. */
static bool go_on(struct search *s)
{
    const size_t before = s->reached.n;

    for (uint32_t l = 0; l < s->net->n_tracks; l++) {
        s->n_next[l] = s->n_reached[l];
        s->how_next[l] = s->how[l];
    }
    for (uint32_t l = 0; l < s->net->n_tracks; l++) {
        look_at(s, l);
    }
    for (uint32_t l = 0; l < s->net->n_tracks; l++) {
        s->n_reached[l] = s->n_next[l];
        s->how[l] = s->how_next[l];
    }
    return s->reached.n > before && !s->is_short;
}

/* A source of a sink that is on a location, from an event on; MPL_NONE: it has none there. */
static uint32_t source_on(const struct search *s, const struct mpl_net_point *sink,
                          struct mpl_moment from)
{
    const bool is_group = (sink->flags & MPL_POINT_GROUP) != 0;
    const struct mpl_moment *sources =
        is_group ? &s->sources[s->first_source[sink->link]] : &s->pair[sink->link];
    const size_t n =
        is_group ? s->first_source[sink->link + 1] - s->first_source[sink->link] : 1;

    for (size_t i = 0; i < n; i++) {
        if (sources[i].location == from.location && sources[i].event >= from.event) {
            return sources[i].event;
        }
    }
    return MPL_NONE;
}

/*
 * The search comes from behind, so the chain leaves a's location as late as it can. Somebody who
 * asks about a send expects that very message: the first one that leads to the same next
 * location, in time for the rest of the chain.
 */
static void leave_early(const struct search *s, struct mpl_moment a, uint32_t until,
                        struct mpl_causality_edge *first)
{
    const uint32_t next = first->to.location;
    const struct mpl_net_track *track = &s->net->track[next];

    for (uint32_t i = 0; i < track->n_points && track->points[i].event <= until; i++) {
        const struct mpl_net_point *p = &track->points[i];
        const uint32_t from = (p->flags & (MPL_POINT_SOURCE | MPL_POINT_IGNORED)) != 0
                                  ? MPL_NONE
                                  : source_on(s, p, a);

        if (from < first->from.event) {
            *first =
                (struct mpl_causality_edge){ { a.location, from }, { next, p->event } };
        }
    }
}

static enum mpl_status trace_back(const struct search *s, struct mpl_moment a,
                                  struct mpl_moment b, struct mpl_arena *arena,
                                  const struct mpl_causality_edge **edges, size_t *n_edges,
                                  struct mpl_err *err)
{
    size_t how = s->how[a.location];
    size_t n = 0;

    for (size_t h = how; h > 0;
         h = ((const struct reached *) mpl_buf_get(&s->reached, h - 1))->behind) {
        n++;
    }
    struct mpl_causality_edge *all = MPL_NEW_ARRAY(arena, n, struct mpl_causality_edge);
    if (all == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        const struct reached *r = mpl_buf_get(&s->reached, how - 1);

        all[i] = (struct mpl_causality_edge){ r->from, r->to };
        how = r->behind;
    }
    if (n > 0) {
        leave_early(s, a, n > 1 ? all[1].from.event : b.event, &all[0]);
    }
    *edges = all;
    *n_edges = n;
    return MPL_OK;
}

enum mpl_status mpl_causality_witness(const struct mpl_net *net, struct mpl_moment a,
                                      struct mpl_moment b, struct mpl_arena *arena,
                                      const struct mpl_causality_edge **edges,
                                      size_t *n_edges, struct mpl_err *err)
{
    struct search s = { .net = net, .reached = mpl_buf_make(sizeof(struct reached)) };
    struct mpl_arena *scratch = mpl_arena_create();
    enum mpl_status st = MPL_OK;

    *edges = NULL;
    *n_edges = 0;
    if (scratch == NULL || !open_search(&s, scratch)) {
        mpl_arena_destroy(scratch);
        return mpl_nomem(err);
    }
    if (a.location != b.location) {
        s.n_reached[b.location] = b.event + 1;
        while (s.n_reached[a.location] <= a.event && go_on(&s)) {
        }
        st = s.is_short ? mpl_nomem(err) : MPL_OK;
    }
    if (st == MPL_OK && s.n_reached[a.location] > a.event) {
        st = trace_back(&s, a, b, arena, edges, n_edges, err);
    }
    mpl_buf_free(&s.reached);
    mpl_arena_destroy(scratch);
    return st;
}
