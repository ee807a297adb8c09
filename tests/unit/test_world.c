/*
 * The worlds that other tests are built on are sound: what is simulated in true time keeps every
 * rule of MPI, and clocks show what was asked for.
 */
#include "config.h"

#include "world.h"

#include "match_fixture.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { N_SEEDS = 140 };

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

static struct world *make(const struct world_options *options)
{
    struct world *world = world_create(options, arena);

    ck_assert_ptr_nonnull(world);
    return world;
}

static struct mpl_violations count(struct world *world)
{
    struct mpl_order_view *view = NULL;
    struct mpl_violations found;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(
        mpl_order_view_create(world_model(world), world_match(world), arena, &view, &err),
        MPL_OK);
    ck_assert_int_eq(mpl_order_count(view, NULL, &found, &err), MPL_OK);
    return found;
}

static struct world_options perfect(uint64_t seed)
{
    struct world_options options = world_draw(seed);

    options.offset_ns = 0;
    options.drift_ppm = 0;
    options.sine_ns = 0;
    options.walk_ppm = 0;
    options.has_large_bases = false;
    return options;
}

/* _i is the seed. */
START_TEST(perfect_clocks_see_no_violation)
{
    const struct world_options options = perfect((uint64_t) _i);
    struct world *world = make(&options);
    const struct mpl_violations found = count(world);

    ck_assert_msg(found.p2p == 0 && found.collective == 0 && found.thread == 0,
                  "%" PRIu64 " p2p, %" PRIu64 " collective, %" PRIu64 " thread: %s",
                  found.p2p, found.collective, found.thread, world_describe(world));
}
END_TEST

START_TEST(everything_finds_its_partner)
{
    const struct world_options options = world_draw((uint64_t) _i);
    struct world *world = make(&options);
    const struct mpl_match_counts *counts = &world_match(world)->counts;

    ck_assert_msg(counts->unmatched_sends == 0 && counts->unmatched_receives == 0 &&
                      counts->incomplete_collectives == 0,
                  "%s", world_describe(world));
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("world");
    TCase *c = tcase_create("world");

    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, perfect_clocks_see_no_violation, 0, N_SEEDS);
    tcase_add_loop_test(c, everything_finds_its_partner, 0, N_SEEDS);
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
