/*
 * The worlds that other tests are built on are sound: what is simulated in true time keeps every
 * rule of MPI, and clocks show what was asked for.
 */
#include "config.h"

#include "../lib/arena.h"
#include "../lib/columns.h"
#include "../lib/effort.h"
#include "../lib/suite.h"
#include "violations.h"
#include "world.h"

#include "match_fixture.h"
#include "read_fixture.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { N_SEEDS = 140 };

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
    ck_assert_int_eq(violations_count(view, &found, &err), MPL_OK);
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

    check_match(world_model(world), world_match(world));
    ck_assert_msg(counts->unmatched_sends == 0 && counts->unmatched_receives == 0 &&
                      counts->incomplete_collectives == 0,
                  "%s", world_describe(world));
}
END_TEST

/* Asserting something costs Check a system call, so events are counted instead. */
static uint32_t count_wrong_stamps(const struct world *world)
{
    uint32_t n_wrong = 0;

    for (uint32_t l = 0; l < world_model(world)->n_locations; l++) {
        for (uint32_t i = 0; i < world_model(world)->locations[l].n_events; i++) {
            n_wrong += world_recorded_ticks(world, l, i) !=
                       world_clock_ticks(world, l, world_true_ns(world, l, i));
        }
    }
    return n_wrong;
}

START_TEST(times_on_a_clock_never_run_backwards_and_show_what_it_showed)
{
    const struct world_options options = world_draw((uint64_t) _i);
    const struct world *world = make(&options);

    mpl_model_check(world_model(world));
    ck_assert_uint_eq(count_wrong_stamps(world), 0);
}
END_TEST

static void check_equal(const struct mpl_model *a, const struct mpl_model *b)
{
    ck_assert_uint_eq(a->n_locations, b->n_locations);
    for (uint32_t l = 0; l < a->n_locations; l++) {
        const struct mpl_location *x = &a->locations[l];
        const struct mpl_location *y = &b->locations[l];

        ck_assert_uint_eq(x->n_events, y->n_events);
        ck_assert_uint_eq(x->base_ticks, y->base_ticks);
        ck_assert_mem_eq(all_ticks(x, arena), all_ticks(y, arena),
                         x->n_events * sizeof(int64_t));
        for (uint32_t i = 0; i < x->n_events; i++) {
            ck_assert_uint_eq(mpl_kind_of(x, i), mpl_kind_of(y, i));
        }
    }
}

START_TEST(same_seed_gives_the_same_world)
{
    const struct world_options options = world_draw((uint64_t) _i);

    check_equal(world_model(make(&options)), world_model(make(&options)));
}
END_TEST

START_TEST(other_clocks_leave_the_run_as_it_is)
{
    const struct world_options options = world_draw((uint64_t) _i);
    const struct world_options twin = perfect((uint64_t) _i);
    const struct world *a = make(&options);
    const struct world *b = make(&twin);
    uint32_t n_different = 0;

    for (uint32_t l = 0; l < world_model(a)->n_locations; l++) {
        ck_assert_uint_eq(world_model(a)->locations[l].n_events,
                          world_model(b)->locations[l].n_events);
        for (uint32_t i = 0; i < world_model(a)->locations[l].n_events; i++) {
            n_different += world_true_ns(a, l, i) != world_true_ns(b, l, i);
        }
    }
    ck_assert_uint_eq(n_different, 0);
}
END_TEST

/* ---- clocks ------------------------------------------------------------------------------- */

static struct world_options dense_halo(void)
{
    struct world_options options = world_defaults();

    options.kind = WORLD_HALO;
    options.offset_ns = 0;
    options.n_steps = 300;
    return options;
}

START_TEST(drift_reverses_messages_of_dense_traffic)
{
    struct world_options options = dense_halo();

    ck_assert_uint_eq(count(make(&options)).p2p, 0);
    options.drift_ppm = 80;
    ck_assert_uint_gt(count(make(&options)).p2p, 100);
}
END_TEST

START_TEST(sine_walk_and_step_each_reverse_messages)
{
    struct world_options options = dense_halo();

    options.n_steps = 1000;
    options.sine_ns = 3e5;
    ck_assert_uint_gt(count(make(&options)).p2p, 100);
    options = dense_halo();
    options.n_steps = 1000;
    options.walk_ppm = 50;
    ck_assert_uint_gt(count(make(&options)).p2p, 100);
    options = dense_halo();
    options.step_ns = 2e6;
    ck_assert_uint_gt(count(make(&options)).p2p, 50);
}
END_TEST

START_TEST(garbage_stamps_change_only_themselves)
{
    struct world_options options = dense_halo();
    const struct world *world;

    options.n_outliers = 5;
    world = make(&options);
    mpl_model_check(world_model(world));
    ck_assert_uint_gt(count_wrong_stamps(world), 0);
    ck_assert_uint_le(count_wrong_stamps(world), 5 * options.n_processes);
}
END_TEST

/* ---- the truth ------------------------------------------------------------------------------ */

static const struct mpl_clock *correct(struct world *world, enum mpl_clock_choice choice)
{
    const struct mpl_clock_options options = world_without_repair(choice);

    return world_correct(world, &options);
}

/* Times set to the truth by hand: no error, and one event moved by 70 ticks is all of it. */
START_TEST(error_of_the_truth_is_nothing)
{
    const struct world_options options = world_draw((uint64_t) _i);
    struct world *world = make(&options);
    struct mpl_model *model = world_model(world);
    const uint64_t base = world_wanted_ticks(world, 1, 0, 0);
    struct world_error error;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        model->locations[l].base_ticks = base;
        for (uint32_t i = 0; i < model->locations[l].n_events; i++) {
            put_ticks(&model->locations[l], i,
                      (int64_t) (world_wanted_ticks(world, 1, l, i) - base));
        }
    }
    error = world_error(world, 1);
    ck_assert_int_eq(error.max_ticks, 0);
    ck_assert_double_eq(error.rms_ticks, 0);
    put_ticks(&model->locations[1], 2, mpl_ticks_of(&model->locations[1], 2) - 70);
    error = world_error(world, 1);
    ck_assert_int_eq(error.max_ticks, 70);
    ck_assert_uint_eq(error.location, 1);
    ck_assert_uint_eq(error.event, 2);
    ck_assert_double_eq_tol(error.rms_ticks * error.rms_ticks * (double) model->n_events,
                            4900, 1e-6);
    ck_assert_int_eq(world_location_error(world, 1, 1).max_ticks, 70);
    ck_assert_int_eq(world_location_error(world, 1, 0).max_ticks, 0);
}
END_TEST

/* Rounded at both ends and in between: a few ticks. */
START_TEST(recorded_offsets_undo_a_drift)
{
    struct world_options options = world_draw((uint64_t) _i);
    struct world *world;
    const struct mpl_clock *clock;

    options.drift_ppm = 100;
    options.sine_ns = 0;
    options.walk_ppm = 0;
    options.n_offsets = 2;
    world = make(&options);
    clock = correct(world, MPL_CLOCK_ONLY_OFFSETS);
    ck_assert_int_eq(clock->source, MPL_CLOCK_OFFSETS);
    ck_assert_msg(world_error(world, clock->reference).max_ticks <= 4, "%s",
                  world_describe(world));
}
END_TEST

START_TEST(errors_of_the_tracer_show_in_the_offsets)
{
    struct world_options options = dense_halo();
    struct world *world;
    const struct mpl_clock *clock;
    struct world_error error;

    options.n_offsets = 2;
    options.offset_error_ns = 5000;
    world = make(&options);
    clock = correct(world, MPL_CLOCK_ONLY_OFFSETS);
    error = world_error(world, clock->reference);
    ck_assert_int_ge(error.max_ticks, 1000);
    ck_assert_int_le(error.max_ticks, 5000);
}
END_TEST

START_TEST(reset_brings_back_what_was_recorded)
{
    const struct world_options options = world_draw((uint64_t) _i);
    struct world *world = make(&options);

    (void) correct(world, MPL_CLOCK_ONLY_MESSAGES);
    world_reset(world);
    check_equal(world_model(world), world_model(make(&options)));
    ck_assert_uint_eq(mpl_quality_count(world_model(world)->quality), 0);
}
END_TEST

/* ---- files ---------------------------------------------------------------------------------- */

/* Absolute times of one event; the reader may have chosen another base. */
static void check_same_times(const struct mpl_model *a, const struct mpl_model *b)
{
    uint32_t n_different = 0;

    ck_assert_uint_eq(a->n_locations, b->n_locations);
    ck_assert_uint_eq(a->ticks_per_s, b->ticks_per_s);
    for (uint32_t l = 0; l < a->n_locations; l++) {
        const struct mpl_location *x = &a->locations[l];
        const struct mpl_location *y = &b->locations[l];

        ck_assert_uint_eq(x->n_events, y->n_events);
        for (uint32_t i = 0; i < x->n_events; i++) {
            n_different += x->base_ticks + (uint64_t) mpl_ticks_of(x, i) !=
                           y->base_ticks + (uint64_t) mpl_ticks_of(y, i);
        }
    }
    ck_assert_uint_eq(n_different, 0);
}

static void check_truth(const struct world *world, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];
    uint32_t n = 0;

    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file) != NULL) {
        uint32_t rank;
        uint64_t ticks;
        int64_t offset;
        uint32_t l;

        if (line[0] == '#') {
            continue;
        }
        ck_assert_int_eq(
            sscanf(line, "%" SCNu32 " %" SCNu64 " %" SCNd64, &rank, &ticks, &offset), 3);
        l = world_model(world)->processes[rank].locations[0];
        if (n % 257 == 0) {
            ck_assert_uint_eq(ticks, world_recorded_ticks(world, l, 0));
            ck_assert_uint_eq(ticks + (uint64_t) offset,
                              world_wanted_ticks(world, 0, l, 0));
        }
        n++;
    }
    (void) fclose(file);
    ck_assert_uint_eq(n, 257 * world_model(world)->n_processes);
}

START_TEST(archive_and_truth_tell_of_the_same_run)
{
    struct world_options options = world_draw((uint64_t) _i);
    const char *path = mpl_arena_printf(arena, "%s/world-%d", fixture_scratch(), _i);
    struct mpl_model *model = NULL;
    struct mpl_err err = { 0 };
    struct world *world;

    options.n_offsets = 3;
    world = make(&options);
    ck_assert_msg(world_write(world, path, true, &err) == MPL_OK, "%s", err.cause[0].text);
    ck_assert_msg(mpl_read(path, arena, NULL, &model, &err) == MPL_OK, "%s",
                  err.cause[0].text);
    check_same_times(world_model(world), model);
    ck_assert_uint_eq(model->n_offsets[1], 3);
    ck_assert_int_eq(model->offsets[1][2].offset_ticks,
                     world_model(world)->offsets[1][2].offset_ticks);
    check_truth(world, mpl_arena_printf(arena, "%s/truth.tsv", path));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("world");
    TCase *c = add_case(suite, "world", create_arena, destroy_arena);
    const int n_seeds = seeds_of(N_SEEDS);

    (void) fixture_scratch();
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, perfect_clocks_see_no_violation, 0, n_seeds);
    tcase_add_loop_test(c, everything_finds_its_partner, 0, n_seeds);
    tcase_add_loop_test(c, times_on_a_clock_never_run_backwards_and_show_what_it_showed, 0,
                        n_seeds);
    tcase_add_loop_test(c, same_seed_gives_the_same_world, 0, n_seeds / 4);
    tcase_add_loop_test(c, other_clocks_leave_the_run_as_it_is, 0, n_seeds / 4);
    tcase_add_test(c, drift_reverses_messages_of_dense_traffic);
    tcase_add_test(c, sine_walk_and_step_each_reverse_messages);
    tcase_add_test(c, garbage_stamps_change_only_themselves);
    tcase_add_loop_test(c, error_of_the_truth_is_nothing, 0, n_seeds / 4);
    tcase_add_loop_test(c, recorded_offsets_undo_a_drift, 0, n_seeds / 4);
    tcase_add_test(c, errors_of_the_tracer_show_in_the_offsets);
    tcase_add_loop_test(c, reset_brings_back_what_was_recorded, 0, n_seeds / 4);
    tcase_add_loop_test(c, archive_and_truth_tell_of_the_same_run, 0, n_seeds / 4);
    return run_suite(suite);
}
