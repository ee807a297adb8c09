#include "config.h"

#include "closure.h"

#include "causality/causality_priv.h"

#include <check.h>

struct arc {
    uint32_t to;
    uint32_t next; /* 1 + the number of another arc of the same event. */
};

/* Events are numbered through. */
struct closure {
    const struct mpl_model *model;
    struct mpl_arena *arena;
    uint32_t n;
    uint32_t *first;    /* Per location: number of its first event. */
    uint32_t *location; /* Per event. */
    uint32_t *arcs;     /* Per event: 1 + the number of its first arc. */
    struct mpl_buf arc;
    uint32_t *distance; /* From the event at hand, in arcs between locations; MPL_NONE. */
    uint32_t *queue;    /* Who has been reached, the nearest first. */
    uint32_t *past;     /* Per location, of the event at hand. */
    uint32_t *future;
};

static void *must(void *made)
{
    if (made == NULL) {
        ck_abort_msg("out of memory");
    }
    return made;
}

/* As ck_assert(), which writes to a file each time, and here it would be for each pair of records. */
#define hold_msg(cond, ...) ((cond) ? (void) 0 : ck_abort_msg(__VA_ARGS__))
#define hold(cond)          hold_msg(cond, "%s", #cond)

/* ---- the graph -------------------------------------------------------------------------------- */

struct closure *closure_create(const struct mpl_model *model, struct mpl_arena *arena)
{
    struct closure *g = must(MPL_NEW(arena, struct closure));

    *g = (struct closure){ .model = model, .arena = arena };
    g->arc = mpl_buf_make(sizeof(struct arc));
    g->first = must(MPL_NEW_ARRAY(arena, model->n_locations, uint32_t));
    g->past = must(MPL_NEW_ARRAY(arena, model->n_locations, uint32_t));
    g->future = must(MPL_NEW_ARRAY(arena, model->n_locations, uint32_t));
    for (uint32_t l = 0; l < model->n_locations; l++) {
        g->first[l] = g->n;
        g->n += model->locations[l].n_events;
    }
    g->arcs = must(MPL_NEW_ARRAY(arena, g->n, uint32_t));
    g->location = must(MPL_NEW_ARRAY(arena, g->n, uint32_t));
    g->distance = must(MPL_NEW_ARRAY(arena, g->n, uint32_t));
    g->queue = must(MPL_NEW_ARRAY(arena, g->n, uint32_t));
    for (uint32_t l = 0; l < model->n_locations; l++) {
        for (uint32_t e = 0; e < model->locations[l].n_events; e++) {
            g->location[g->first[l] + e] = l;
        }
    }
    return g;
}

void closure_free(struct closure *g)
{
    mpl_buf_free(&g->arc);
}

uint32_t closure_events(const struct closure *g)
{
    return g->n;
}

static uint32_t number_of(const struct closure *g, struct mpl_moment m)
{
    return g->first[m.location] + m.event;
}

static struct mpl_moment moment_of(const struct closure *g, uint32_t number)
{
    const uint32_t l = g->location[number];

    return (struct mpl_moment){ l, number - g->first[l] };
}

void closure_add(struct closure *g, struct mpl_moment from, struct mpl_moment to)
{
    struct arc *arc = must(mpl_buf_add(&g->arc));
    const uint32_t number = number_of(g, from);

    *arc = (struct arc){ number_of(g, to), g->arcs[number] };
    g->arcs[number] = (uint32_t) g->arc.n;
}

static void see_pair(void *context, const struct mpl_order_pair *pair)
{
    closure_add(context, (struct mpl_moment){ pair->from_location, pair->from_event },
                (struct mpl_moment){ pair->to_location, pair->to_event });
}

static void see_instance(void *context, const struct mpl_order_instance *in)
{
    for (uint32_t to = 0; to < in->n; to++) {
        for (uint32_t from = 0; from < (in->is_prefix ? to : in->n); from++) {
            if (from != to && in->leave_ticks[to] != MPL_ORDER_NEVER &&
                in->enter_ticks[from] != MPL_ORDER_NEVER) {
                closure_add(
                    context,
                    (struct mpl_moment){ in->location[from], in->enter_event[from] },
                    (struct mpl_moment){ in->location[to], in->leave_event[to] });
            }
        }
    }
}

static void see_group(void *context, const struct mpl_order_group *group)
{
    for (uint32_t i = 0; i < group->n_sources; i++) {
        for (uint32_t k = 0; k < group->n_sinks; k++) {
            if (group->sources[i].location != group->sinks[k].location) {
                closure_add(context, group->sources[i], group->sinks[k]);
            }
        }
    }
}

void closure_add_order(struct closure *g, const struct mpl_order_view *view)
{
    mpl_order_walk_pairs(view, see_pair, g);
    for (uint32_t l = 0; l < g->model->n_locations; l++) {
        mpl_order_walk_answers(view, l, see_pair, g);
    }
    ck_assert_int_eq(mpl_order_walk_instances(view, see_instance, g, NULL), MPL_OK);
    mpl_order_walk_groups(view, see_group, g);
}

/* ---- the search ------------------------------------------------------------------------------- */

/* An arc along a location costs nothing: all events behind are as far. */
static void reach_rest(struct closure *g, uint32_t event, uint32_t distance, uint32_t *end)
{
    for (uint32_t e = event;
         e < g->n && g->location[e] == g->location[event] && g->distance[e] == MPL_NONE;
         e++) {
        g->distance[e] = distance;
        g->queue[(*end)++] = e;
    }
}

/* By rounds: who is reached with so many arcs between locations. */
static void reach_from(struct closure *g, uint32_t event)
{
    uint32_t end = 0;

    for (uint32_t e = 0; e < g->n; e++) {
        g->distance[e] = MPL_NONE;
    }
    reach_rest(g, event, 0, &end);
    for (uint32_t at = 0; at < end; at++) {
        const uint32_t e = g->queue[at];

        for (uint32_t a = g->arcs[e]; a != 0;) {
            const struct arc *arc = mpl_buf_get(&g->arc, a - 1);

            reach_rest(g, arc->to, g->distance[e] + 1, &end);
            a = arc->next;
        }
    }
}

/* ---- timestamps of every kind ------------------------------------------------------------------- */

static const struct mpl_causality_options kinds[] = {
    { MPL_CLUSTER_STATIC, 0, { 0 } },
    { MPL_CLUSTER_STATIC, 1, { 1 } },
    { MPL_CLUSTER_STATIC, 1, { 3 } },
    { MPL_CLUSTER_SELF, 1, { 2 } },
    { MPL_CLUSTER_SELF, 1, { 4 } },
    { MPL_CLUSTER_INFORMED, 1, { 3 } },
    { MPL_CLUSTER_STATIC, 3, { 1, 2, 4 } },
    { MPL_CLUSTER_STATIC, 2, { 4, 8 } },
    { MPL_CLUSTER_SELF, 2, { 2, 5 } },
    { MPL_CLUSTER_SELF, 3, { 2, 3, 7 } },
    { MPL_CLUSTER_INFORMED, 2, { 2, 6 } },
    { MPL_CLUSTER_INFORMED, 3, { 4, 16, 64 } },
    { MPL_CLUSTER_INFORMED, 4, { 2, 3, 4, 9 } },
    { MPL_CLUSTER_STATIC, 6, { 1, 2, 3, 4, 6, 8 } },
    { MPL_CLUSTER_SELF, 5, { 2, 3, 4, 5, 7 } },
    { MPL_CLUSTER_INFORMED, 7, { 2, 3, 4, 5, 6, 9, 12 } },
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0], AMONG_TURNS = 5 };

unsigned closure_kinds(void)
{
    return N_KINDS;
}

struct stamps {
    unsigned n;
    unsigned kind[N_KINDS];
    struct mpl_causality *causality[N_KINDS];
};

static void stamp(struct stamps *s, struct mpl_net *net, unsigned kind)
{
    *s = (struct stamps){ .n = 0 };
    for (unsigned k = 0; k < N_KINDS; k++) {
        if (kind == CLOSURE_ALL_KINDS || k == 0 || k == kind) {
            s->kind[s->n] = k;
            ck_assert_int_eq(
                mpl_causality_create(net, &kinds[k], &s->causality[s->n++], NULL), MPL_OK);
        }
    }
}

static void unstamp(struct stamps *s)
{
    for (unsigned k = 0; k < s->n; k++) {
        mpl_causality_destroy(s->causality[k]);
    }
}

/* ---- chains -------------------------------------------------------------------------------------- */

static bool is_arc(const struct closure *g, const struct mpl_causality_edge *edge)
{
    for (uint32_t a = g->arcs[number_of(g, edge->from)]; a != 0;) {
        const struct arc *arc = mpl_buf_get(&g->arc, a - 1);

        if (arc->to == number_of(g, edge->to)) {
            return true;
        }
        a = arc->next;
    }
    return false;
}

/* From the event that was searched from: of real arcs, and as short as any. */
static void check_chain(const struct closure *g, const struct mpl_net *net,
                        struct mpl_moment a, struct mpl_moment b)
{
    const uint32_t distance = g->distance[number_of(g, b)];
    const struct mpl_causality_edge *edges;
    struct mpl_moment at = a;
    size_t n;

    ck_assert_int_eq(mpl_causality_witness(net, a, b, g->arena, &edges, &n, NULL), MPL_OK);
    ck_assert_uint_eq(n, distance == MPL_NONE || a.location == b.location ? 0 : distance);
    for (size_t i = 0; i < n; i++) {
        hold(is_arc(g, &edges[i]));
        ck_assert_uint_eq(edges[i].from.location, at.location);
        ck_assert_uint_ge(edges[i].from.event, at.event);
        at = edges[i].to;
    }
    if (n > 0) {
        ck_assert_uint_eq(at.location, b.location);
        ck_assert_uint_le(at.event, b.event);
    }
}

/* ---- cuts ---------------------------------------------------------------------------------------- */

/* What comes before what is in the past is in the past, and likewise the future. */
static void check_cuts(const struct closure *g, struct mpl_causality *c,
                       struct mpl_moment at)
{
    uint32_t *const past = g->past;
    uint32_t *const future = g->future;

    for (uint32_t l = 0; l < g->model->n_locations; l++) {
        past[l] = mpl_causality_past(c, at, l);
        future[l] = mpl_causality_future(c, at, l);
        future[l] = future[l] == 0 ? UINT32_MAX : future[l];
        hold(past[l] <= future[l]);
    }
    for (uint32_t e = 0; e < g->n; e++) {
        const struct mpl_moment from = moment_of(g, e);

        for (uint32_t a = g->arcs[e]; a != 0;) {
            const struct arc *arc = mpl_buf_get(&g->arc, a - 1);
            const struct mpl_moment to = moment_of(g, arc->to);

            hold(to.event >= past[to.location] || from.event < past[from.location]);
            hold(from.event + 1 < future[from.location] ||
                 to.event + 1 >= future[to.location]);
            a = arc->next;
        }
    }
}

/* ---- what is reached ------------------------------------------------------------------------------- */

static void check_pair(const struct closure *g, bool is_before, struct mpl_moment a,
                       struct mpl_moment b, unsigned kind, const char *what)
{
    const bool is_behind =
        g->distance[number_of(g, b)] != MPL_NONE && number_of(g, a) != number_of(g, b);

    hold_msg(is_before == is_behind, "%s, kind %u: %u#%u and %u#%u", what, kind, a.location,
             a.event + 1, b.location, b.event + 1);
}

static void check_future(const struct closure *g, const struct stamps *s,
                         struct mpl_moment a, const char *what)
{
    for (uint32_t l = 0; l < g->model->n_locations; l++) {
        uint32_t e = 0;

        while (e < g->model->locations[l].n_events &&
               (g->distance[g->first[l] + e] == MPL_NONE ||
                (l == a.location && e == a.event))) {
            e++;
        }
        for (unsigned k = 0; k < s->n; k++) {
            hold_msg(mpl_causality_future(s->causality[k], a, l) ==
                         (e == g->model->locations[l].n_events ? 0 : e + 1),
                     "%s, kind %u: %u#%u and %u", what, s->kind[k], a.location, a.event + 1,
                     l);
        }
    }
}

/* Per event and location the number of the greatest predecessor. */
static uint32_t *all_pasts(const struct closure *g, struct mpl_causality *c)
{
    const uint32_t n_locations = g->model->n_locations;
    uint32_t *past = must(MPL_NEW_ARRAY(g->arena, (size_t) g->n * n_locations, uint32_t));

    for (uint32_t e = 0; e < g->n; e++) {
        for (uint32_t l = 0; l < n_locations; l++) {
            past[(size_t) e * n_locations + l] = mpl_causality_past(c, moment_of(g, e), l);
        }
    }
    return past;
}

static uint64_t roll(uint64_t *dice)
{
    uint64_t z = *dice += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (z ^ (z >> 27)) >> 16;
}

/* One moment of each location, as many as there may be. */
static void check_among(struct closure *g, struct mpl_net *net, uint64_t *dice)
{
    struct mpl_moment moments[MPL_MOMENTS_MOST];
    uint64_t before[MPL_MOMENTS_MOST];
    uint32_t n = 0;

    for (uint32_t l = 0; l < g->model->n_locations && n < MPL_MOMENTS_MOST; l++) {
        const uint32_t n_events = g->model->locations[l].n_events;

        if (n_events > 0) {
            moments[n++] = (struct mpl_moment){ l, (uint32_t) (roll(dice) % n_events) };
        }
    }
    hold(mpl_moments_order(net, moments, n, before, NULL) == MPL_OK);
    for (uint32_t k = 0; k < n; k++) {
        reach_from(g, number_of(g, moments[k]));
        for (uint32_t i = 0; i < n; i++) {
            hold((before[i] >> k & 1) ==
                 (i != k && g->distance[number_of(g, moments[i])] != MPL_NONE));
        }
    }
}

void closure_check_all(struct closure *g, struct mpl_net *net, unsigned kind,
                       uint32_t n_chains, const char *what)
{
    const uint32_t n_locations = g->model->n_locations;
    uint32_t *past[N_KINDS];
    uint64_t dice = g->n;
    struct stamps s;

    stamp(&s, net, kind);
    for (unsigned k = 0; k < s.n; k++) {
        past[k] = all_pasts(g, s.causality[k]);
    }
    for (int i = 0; i < AMONG_TURNS; i++) {
        check_among(g, net, &dice);
    }
    for (uint32_t a = 0; a < g->n; a++) {
        const struct mpl_moment from = moment_of(g, a);

        reach_from(g, a);
        for (uint32_t b = 0; b < g->n; b++) {
            for (unsigned k = 0; k < s.n; k++) {
                const uint32_t n = past[k][(size_t) b * n_locations + from.location];

                if ((n > from.event) != (a != b && g->distance[b] != MPL_NONE)) {
                    check_pair(g, n > from.event, from, moment_of(g, b), s.kind[k], what);
                }
            }
        }
        check_future(g, &s, from, what);
        check_cuts(g, s.causality[s.n - 1], from);
        for (uint32_t i = a * (uint64_t) n_chains / g->n;
             i < (a + 1) * (uint64_t) n_chains / g->n; i++) {
            check_chain(g, net, from, moment_of(g, (uint32_t) (roll(&dice) % g->n)));
        }
    }
    unstamp(&s);
}

void closure_check_some(struct closure *g, struct mpl_net *net, uint32_t n_from,
                        uint32_t n_to, uint32_t n_chains, uint64_t seed, const char *what)
{
    uint64_t dice = seed;
    struct stamps s;

    stamp(&s, net, CLOSURE_ALL_KINDS);
    for (uint32_t i = 0; i < n_from && g->n > 0; i++) {
        const uint32_t a = (uint32_t) (roll(&dice) % g->n);
        const struct mpl_moment from = moment_of(g, a);

        reach_from(g, a);
        for (uint32_t j = 0; j < n_to; j++) {
            const struct mpl_moment to = moment_of(g, (uint32_t) (roll(&dice) % g->n));

            for (unsigned k = 0; k < s.n; k++) {
                check_pair(
                    g, mpl_causality_past(s.causality[k], to, from.location) > from.event,
                    from, to, s.kind[k], what);
            }
        }
        if (i < n_chains) {
            const struct mpl_moment to = moment_of(g, (uint32_t) (roll(&dice) % g->n));
            const bool is_before = g->distance[number_of(g, to)] != MPL_NONE;

            check_chain(g, net, from, to);
            check_future(g, &s, from, what);
            check_cuts(g, s.causality[i % s.n], from);
            hold(from.location == to.location ||
                 is_before == (mpl_causality_compare(s.causality[i % s.n], from, to) ==
                               MPL_PRECEDENCE_BEFORE));
        }
    }
    unstamp(&s);
}
