/*
 * The error bounds of the estimate against exact truth, in worlds of every kind: no event of no
 * process may be farther off than the bound of its location says.
 */
#include "config.h"

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "world.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>

enum { N_SEEDS = 12 * WORLD_KINDS };

/* Rounding to whole ticks, once per clock, is no error of the estimate. */
static bool is_within_bounds(const struct world *world, const struct mpl_clock *clock)
{
    for (uint32_t l = 0; l < world_model(world)->n_locations; l++) {
        const struct world_error error = world_location_error(world, clock->reference, l);

        if (clock->bound_ticks[l] != INT64_MAX &&
            error.max_ticks > clock->bound_ticks[l] + 2) {
            printf("location %u is off by %" PRId64 " ticks %" PRId64
                   " ns after the start, bound %" PRId64 ": %s\n",
                   l, error.max_ticks, world_true_ns(world, l, error.event),
                   clock->bound_ticks[l], world_describe(world));
            return false;
        }
    }
    return true;
}

/*
 * A drift that is less than a round trip in the whole run, and that a few dozen messages hardly
 * show, is taken for none; nothing in the trace contradicts that. Hence not all.
 */
START_TEST(estimates_are_within_their_bounds_in_nineteen_of_twenty_worlds)
{
    const struct mpl_clock_options only = world_without_repair(MPL_CLOCK_AUTO);
    int n_beyond = 0;

    for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
        const struct world_options options = world_draw(seed);
        struct world *world = world_create(&options, arena);

        n_beyond += !is_within_bounds(world, world_correct(world, &only));
        destroy_arena();
        create_arena();
    }
    ck_assert_int_le(n_beyond, N_SEEDS / 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("world_bounds");
    TCase *c = add_case(suite, "world_bounds", create_arena, destroy_arena);

    tcase_set_timeout(c, 120);
    tcase_add_test(c, estimates_are_within_their_bounds_in_nineteen_of_twenty_worlds);
    return run_suite(suite);
}
