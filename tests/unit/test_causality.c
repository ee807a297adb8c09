/*
 * Precedence on simulated runs against reachability in the graph of their records, with every kind
 * of timestamps.
 */
#include "config.h"

#include "../lib/effort.h"
#include "causality/causality.h"
#include "world.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { N_SEEDS = 120, SEEDS_AT_ONCE = 10, N_SHORT_STEPS = 8, N_FROM = 150 };

static struct mpl_arena *arena;

static void set_up(void)
{
    arena = mpl_arena_create();
    ck_assert_ptr_nonnull(arena);
}

static void tear_down(void)
{
    mpl_arena_destroy(arena);
}

/* ---- the graph -------------------------------------------------------------------------------- */

struct arc {
    uint32_t to;
    uint32_t next; /* 1 + the number of another arc of the same event. */
};

/* Events are numbered through. */
struct graph {
    const struct mpl_model *model;
    uint32_t n;
    uint32_t *first;    /* Per location: number of its first event. */
    uint32_t *location; /* Per event. */
    uint32_t *arcs;     /* Per event: 1 + the number of its first arc. */
    struct mpl_buf arc;
    uint32_t *distance; /* From the event at hand, in arcs between locations; MPL_NONE. */
    uint32_t *queue;    /* Of 2 n + 1 ends. */
};

static uint32_t number_of(const struct graph *g, struct mpl_moment m)
{
    return g->first[m.location] + m.event;
}

static void add_arc(struct graph *g, uint32_t from_location, uint32_t from_event,
                    uint32_t to_location, uint32_t to_event)
{
    struct arc *arc = mpl_buf_add(&g->arc);
    const uint32_t from = g->first[from_location] + from_event;

    ck_assert_ptr_nonnull(arc);
    *arc = (struct arc){ g->first[to_location] + to_event, g->arcs[from] };
    g->arcs[from] = (uint32_t) g->arc.n;
}

static void see_pair(void *context, const struct mpl_order_pair *pair)
{
    add_arc(context, pair->from_location, pair->from_event, pair->to_location,
            pair->to_event);
}

static void see_instance(void *context, const struct mpl_order_instance *in)
{
    for (uint32_t to = 0; to < in->n; to++) {
        for (uint32_t from = 0; from < (in->is_prefix ? to : in->n); from++) {
            if (from != to && in->leave_ticks[to] != MPL_ORDER_NEVER &&
                in->enter_ticks[from] != MPL_ORDER_NEVER) {
                add_arc(context, in->location[from], in->enter_event[from],
                        in->location[to], in->leave_event[to]);
            }
        }
    }
}

static void see_group(void *context, const struct mpl_order_group *group)
{
    for (uint32_t i = 0; i < group->n_sources; i++) {
        for (uint32_t k = 0; k < group->n_sinks; k++) {
            const struct mpl_moment from = group->sources[i];
            const struct mpl_moment to = group->sinks[k];

            if (from.location != to.location) {
                add_arc(context, from.location, from.event, to.location, to.event);
            }
        }
    }
}

static struct graph draw_graph(const struct mpl_order_view *view)
{
    const struct mpl_model *model = view->model;
    struct graph g = { .model = model };

    g.arc = mpl_buf_make(sizeof(struct arc));
    g.first = MPL_NEW_ARRAY(arena, model->n_locations, uint32_t);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        g.first[l] = g.n;
        g.n += model->locations[l].n_events;
    }
    g.arcs = MPL_NEW_ARRAY(arena, g.n, uint32_t);
    g.location = MPL_NEW_ARRAY(arena, g.n, uint32_t);
    g.distance = MPL_NEW_ARRAY(arena, g.n, uint32_t);
    g.queue = MPL_NEW_ARRAY(arena, g.n, uint32_t);
    ck_assert(g.arcs != NULL && g.location != NULL && g.distance != NULL &&
              g.queue != NULL);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        for (uint32_t e = 0; e < model->locations[l].n_events; e++) {
            g.location[g.first[l] + e] = l;
        }
    }
    mpl_order_walk_pairs(view, see_pair, &g);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        mpl_order_walk_answers(view, l, see_pair, &g);
    }
    ck_assert_int_eq(mpl_order_walk_instances(view, see_instance, &g, NULL), MPL_OK);
    mpl_order_walk_groups(view, see_group, &g);
    return g;
}

/* An arc along a location costs nothing: all events behind are as far. */
static uint32_t reach_rest(struct graph *g, uint32_t event, uint32_t distance,
                           uint32_t *end)
{
    uint32_t n = 0;

    for (uint32_t e = event;
         e < g->n && g->location[e] == g->location[event] && g->distance[e] == MPL_NONE;
         e++, n++) {
        g->distance[e] = distance;
        g->queue[(*end)++] = e;
    }
    return n;
}

/* By rounds: who is reached with so many arcs between locations. */
static void reach_from(struct graph *g, uint32_t event)
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

/* ---- the same by timestamps ------------------------------------------------------------------- */

static bool is_arc(const struct graph *g, const struct mpl_causality_edge *edge)
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

static void check_witness(struct graph *g, struct mpl_causality *c, struct mpl_moment a,
                          struct mpl_moment b)
{
    const uint32_t distance = g->distance[number_of(g, b)];
    const struct mpl_causality_edge *edges;
    struct mpl_moment at = a;
    size_t n;

    ck_assert_int_eq(mpl_causality_witness(c, a, b, arena, &edges, &n, NULL), MPL_OK);
    ck_assert_uint_eq(n, distance == MPL_NONE || a.location == b.location ? 0 : distance);
    for (size_t i = 0; i < n; i++) {
        ck_assert(is_arc(g, &edges[i]));
        ck_assert_uint_eq(edges[i].from.location, at.location);
        ck_assert_uint_ge(edges[i].from.event, at.event);
        at = edges[i].to;
    }
    if (n > 0) {
        ck_assert_uint_eq(at.location, b.location);
        ck_assert_uint_le(at.event, b.event);
    }
}

/* What is reached from \p a: exactly what it precedes. */
static void check_from(struct graph *g, struct mpl_causality *c, struct mpl_moment a,
                       const char *what)
{
    reach_from(g, number_of(g, a));
    for (uint32_t l = 0; l < g->model->n_locations; l++) {
        uint32_t first = 0;

        for (uint32_t e = 0; e < g->model->locations[l].n_events; e++) {
            const struct mpl_moment b = { l, e };
            const bool is_same = number_of(g, a) == number_of(g, b);
            const bool is_behind = !is_same && g->distance[number_of(g, b)] != MPL_NONE;

            ck_assert_msg((mpl_causality_past(c, b, a.location) > a.event) == is_behind,
                          "%s: %u#%u and %u#%u", what, a.location, a.event + 1, l, e + 1);
            first = is_behind && first == 0 ? e + 1 : first;
        }
        ck_assert_uint_eq(mpl_causality_future(c, a, l), first);
    }
}

static const struct mpl_causality_options kinds[] = {
    { MPL_CLUSTER_STATIC, 0, { 0 } },
    { MPL_CLUSTER_STATIC, 1, { 1 } },
    { MPL_CLUSTER_STATIC, 1, { 3 } },
    { MPL_CLUSTER_SELF, 1, { 2 } },
    { MPL_CLUSTER_SELF, 1, { 4 } },
    { MPL_CLUSTER_INFORMED, 1, { 3 } },
    { MPL_CLUSTER_STATIC, 3, { 1, 2, 4 } },
    { MPL_CLUSTER_SELF, 2, { 2, 5 } },
    { MPL_CLUSTER_SELF, 3, { 2, 3, 7 } },
    { MPL_CLUSTER_INFORMED, 2, { 2, 6 } },
    { MPL_CLUSTER_INFORMED, 4, { 2, 3, 4, 9 } },
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static void check_kind(struct graph *g, struct mpl_net *net, unsigned kind,
                       const char *what)
{
    struct mpl_causality *c = NULL;
    const uint32_t n_from = (uint32_t) seeds_of(N_FROM);

    ck_assert_int_eq(mpl_causality_create(net, &kinds[kind], &c, NULL), MPL_OK);
    for (uint32_t e = 0; e < g->n; e += g->n / n_from + 1) {
        const uint32_t l = g->location[e];

        check_from(g, c, (struct mpl_moment){ l, e - g->first[l] }, what);
        if (kind == 0 && e % 4 == 0) {
            const uint32_t b = (e * 7919 + 13) % g->n;

            check_witness(
                g, c, (struct mpl_moment){ l, e - g->first[l] },
                (struct mpl_moment){ g->location[b], b - g->first[g->location[b]] });
        }
    }
    mpl_causality_destroy(c);
}

static void check_seed(int seed)
{
    struct world_options o = world_draw((uint64_t) seed);
    struct mpl_order_view *view = NULL;
    struct mpl_net *net = NULL;
    struct world *world;
    struct graph g;

    o.n_steps = o.n_steps < N_SHORT_STEPS ? o.n_steps : N_SHORT_STEPS;
    o.n_processes = o.n_processes < 12 ? o.n_processes : 12;
    o.n_threads = seed % 5 == 0 ? 2 + (uint32_t) seed % 3 : 1;
    o.coll_every = 4;
    world = world_create(&o, arena);
    ck_assert_int_eq(
        mpl_order_view_create(world_model(world), world_match(world), arena, &view, NULL),
        MPL_OK);
    ck_assert_int_eq(mpl_net_create(view, NULL, arena, &net, NULL), MPL_OK);
    g = draw_graph(view);
    check_kind(&g, net, 0, world_describe(world));
    check_kind(&g, net, 1 + (unsigned) seed % (N_KINDS - 1), world_describe(world));
    mpl_buf_free(&g.arc);
}

START_TEST(precedence_is_reachability)
{
    for (int i = 0; i < SEEDS_AT_ONCE; i++) {
        check_seed(_i * SEEDS_AT_ONCE + i);
        tear_down();
        set_up();
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("causality");
    TCase *c = tcase_create("causality");

    tcase_set_timeout(c, 120);
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_add_loop_test(c, precedence_is_reachability, 0,
                        seeds_of(N_SEEDS) / SEEDS_AT_ONCE);
    suite_add_tcase(suite, c);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(make_suite());
    int n_failed;

    srunner_run_all(runner, CK_ENV);
    n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
