/*
 * Precedence against a search in the graph of a trace's records, with every kind of timestamps:
 * on simulated runs and on real ones.
 */
#include "config.h"

#include "../lib/effort.h"
#include "../lib/suite.h"
#include "all_traces.h"
#include "closure.h"
#include "read/read.h"
#include "world.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N_SEEDS = 120,
    SEEDS_AT_ONCE = 10,
    N_SHORT_STEPS = 8,
    MOST_EVENTS = 5200, /* All pairs up to here, above a million. */
    N_FROM = 1000,
    N_TO = 1000,
    N_CHAINS = 60,
    TIME_LIMIT_S = 600
};

static struct mpl_net *draw_net(const struct mpl_model *model,
                                const struct mpl_match *match, struct closure **closure)
{
    struct mpl_order_view *view = NULL;
    struct mpl_net *net = NULL;

    ck_assert_int_eq(mpl_order_view_create(model, match, arena, &view, NULL), MPL_OK);
    ck_assert_int_eq(mpl_net_create(view, NULL, arena, &net, NULL), MPL_OK);
    *closure = closure_create(model, arena);
    closure_add_order(*closure, view);
    return net;
}

/* ---- simulated runs ---------------------------------------------------------------------------- */

static void check_seed(int seed)
{
    struct world_options o = world_draw((uint64_t) seed);
    struct closure *closure;
    struct mpl_net *net;
    struct world *world;

    o.n_steps = o.n_steps < N_SHORT_STEPS ? o.n_steps : N_SHORT_STEPS;
    o.n_processes = o.n_processes < 12 ? o.n_processes : 12;
    o.n_threads = seed % 5 == 0 ? 2 + (uint32_t) seed % 3 : 1;
    o.coll_every = 4;
    world = world_create(&o, arena);
    net = draw_net(world_model(world), world_match(world), &closure);
    closure_check_all(closure, net, 1 + (unsigned) seed % (closure_kinds() - 1), N_CHAINS,
                      world_describe(world));
    closure_free(closure);
}

START_TEST(precedence_is_reachability)
{
    for (int i = 0; i < SEEDS_AT_ONCE; i++) {
        check_seed(_i * SEEDS_AT_ONCE + i);
        destroy_arena();
        create_arena();
    }
}
END_TEST

/* ---- real runs ----------------------------------------------------------------------------------- */

static bool check_trace(const char *name, const char *path)
{
    struct mpl_model *model = NULL;
    const struct mpl_match *match = NULL;
    struct closure *closure;
    struct mpl_net *net;

    if (mpl_read(path, arena, NULL, &model, NULL) != MPL_OK) {
        return false;
    }
    ck_assert_int_eq(mpl_match_create(model, arena, &match, NULL), MPL_OK);
    net = draw_net(model, match, &closure);
    if (closure_events(closure) <= MOST_EVENTS) {
        closure_check_all(closure, net, CLOSURE_ALL_KINDS, (uint32_t) seeds_of(600), name);
    } else {
        closure_check_some(closure, net, (uint32_t) seeds_of(N_FROM), N_TO,
                           (uint32_t) seeds_of(N_CHAINS), 2001, name);
    }
    closure_free(closure);
    return true;
}

START_TEST(precedence_is_reachability_in_real_runs)
{
    look_at_all_traces(check_trace, 40);
}
END_TEST

/* ---- the first question ------------------------------------------------------------------------- */

enum { N_QUESTIONS = 40 };

/* Without timestamps; whoever asks again has them made. */
static void check_first_questions(struct world *world)
{
    const struct mpl_model *model = world_model(world);

    for (int i = 0; i < N_QUESTIONS; i++) {
        struct mpl_precedences *p =
            mpl_precedences_create(model, world_match(world), arena);
        struct mpl_moment m[2];
        bool first = false;
        bool again = true;

        for (int k = 0; k < 2; k++) {
            m[k].location = (uint32_t) rand() % model->n_locations;
            m[k].event = (uint32_t) rand() % model->locations[m[k].location].n_events;
        }
        ck_assert_int_eq(mpl_precedences_is_before(p, m[0], m[1], &first, NULL), MPL_OK);
        ck_assert(!mpl_precedences_are_made(p));
        ck_assert_int_eq(mpl_precedences_is_before(p, m[0], m[1], &again, NULL), MPL_OK);
        ck_assert_msg(first == again, "%s", world_describe(world));
        ck_assert_int_eq(mpl_precedences_are_made(p), (m[0].location != m[1].location));
    }
}

START_TEST(the_first_question_needs_no_timestamps)
{
    struct world_options o = world_draw((uint64_t) _i);

    srand((unsigned) _i);
    o.n_steps = o.n_steps < N_SHORT_STEPS ? o.n_steps : N_SHORT_STEPS;
    o.n_processes = o.n_processes < 12 ? o.n_processes : 12;
    check_first_questions(world_create(&o, arena));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("causality");
    TCase *c = add_case(suite, "causality", create_arena, destroy_arena);

    tcase_set_timeout(c, TIME_LIMIT_S);
    tcase_add_loop_test(c, precedence_is_reachability, 0,
                        seeds_of(N_SEEDS) / SEEDS_AT_ONCE);
    tcase_add_loop_test(c, the_first_question_needs_no_timestamps, 0, SEEDS_AT_ONCE);
    if (traces_are_there("precedence in real runs")) {
        tcase_add_test(c, precedence_is_reachability_in_real_runs);
    }
    return run_suite(suite);
}
