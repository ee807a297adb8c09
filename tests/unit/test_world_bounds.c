/*
 * The error bounds of the estimate against exact truth, in worlds of every kind: no event of no
 * process may be farther off than the bound of its location says.
 */
#include "config.h"

#include "world.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>

enum { N_SEEDS = 12 * WORLD_KINDS };

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

/* Rounding to whole ticks, once per clock, is no error of the estimate. */
static void check_bounds(const struct world *world, const struct mpl_clock *clock)
{
    for (uint32_t l = 0; l < world_model(world)->n_locations; l++) {
        const struct world_error error = world_location_error(world, clock->reference, l);

        if (clock->bound_ticks[l] != INT64_MAX) {
            ck_assert_msg(error.max_ticks <= clock->bound_ticks[l] + 2,
                          "location %u is off by %" PRId64 " ticks %" PRId64
                          " ns after the start, bound %" PRId64 ": %s",
                          l, error.max_ticks, world_true_ns(world, l, error.event),
                          clock->bound_ticks[l], world_describe(world));
        }
    }
}

/* _i is the seed. */
START_TEST(estimate_is_within_its_bound_everywhere)
{
    const struct world_options options = world_draw((uint64_t) _i);
    const struct mpl_clock_options only = world_without_repair(MPL_CLOCK_AUTO);
    struct world *world = world_create(&options, arena);

    check_bounds(world, world_correct(world, &only));
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("world_bounds");
    TCase *c = tcase_create("world_bounds");

    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, estimate_is_within_its_bound_everywhere, 0, N_SEEDS);
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
