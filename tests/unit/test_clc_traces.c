/* Repairs of recorded clocks in real runs. */
#include "config.h"

#include "../lib/suite.h"
#include "all_traces.h"
#include "clc_fixture.h"
#include "match_fixture.h"

#include "read/read.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* NULL: it cannot be read, which some are there for. */
static struct mpl_model *read_trace(const char *name)
{
    struct mpl_model *model = NULL;
    struct mpl_err err = { 0 };

    return mpl_read(trace_path(arena, name, NULL), arena, NULL, &model, &err) == MPL_OK
               ? model
               : NULL;
}

static void print(const struct clc_case *c)
{
    const struct mpl_clc *clc = c->clc;
    const double us_per_tick = 1e6 * mpl_model_seconds(c->model, 1);
    int64_t end = 0;

    for (uint32_t l = 0; l < c->model->n_locations; l++) {
        end = clc->location_end_ticks[l] > end ? clc->location_end_ticks[l] : end;
    }
    (void) printf("%-40s %6" PRIu64 " -> %" PRIu64
                  " violations, worst %9.1f us, %u passes, "
                  "gamma %.4f, shift %9.1f us, at the end %9.1f us, growth %9.1f us\n",
                  c->what, clc_case_sum(&c->before), clc_case_sum(&c->after),
                  us_per_tick * (double) c->before.worst_ticks, clc->n_passes, clc->gamma,
                  us_per_tick * (double) clc->max_shift_ticks, us_per_tick * (double) end,
                  us_per_tick * (double) clc->growth_ticks);
}

static bool repair_raw(const char *name, const char *path)
{
    struct mpl_model *model = NULL;
    struct clc_case c;

    if (mpl_read(path, arena, NULL, &model, NULL) != MPL_OK || model->n_locations == 0) {
        return false;
    }
    clc_take_one_base(model);
    c = clc_case_make(model, trace_match(model, arena), arena, name);
    clc_case_repair(&c, NULL, arena);
    print(&c);
    return true;
}

/* Clocks as recorded are off by up to 100 ms: far worse than anything that should come here. */
START_TEST(raw_clocks_of_every_trace_can_be_repaired)
{
    look_at_all_traces(repair_raw, 40);
}
END_TEST

/* With the recorded offsets, as linear interpolation leaves the clocks. */
static struct clc_case make_interpolated(const char *name)
{
    struct mpl_model *model = read_trace(name);
    struct mpl_clock_options options = mpl_clock_defaults();
    const struct mpl_match *match;
    const struct mpl_clock *clock = NULL;
    struct mpl_err err = { 0 };

    ck_assert_ptr_nonnull(model);
    match = trace_match(model, arena);
    options.choice = MPL_CLOCK_ONLY_OFFSETS;
    options.repair.is_off = true;
    ck_assert_int_eq(mpl_clock_correct(model, match, &options, NULL, arena, &clock, &err),
                     MPL_OK);
    return clc_case_make(model, match, arena, name);
}

START_TEST(interpolated_clocks_that_swing_are_repaired_without_a_ratchet)
{
    static const char *const names[] = { "scorep-halo-skew", "scorep-mw-skew",
                                         "scorep-colls-skew", "scorep-halo-omp-skew" };

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct clc_case c = make_interpolated(names[i]);

        ck_assert(!clc_case_is_clean(&c.before));
        clc_case_repair(&c, NULL, arena);
        print(&c);
        ck_assert_uint_eq(c.clc->n_ignored, 0);
        ck_assert(c.clc->is_within_error);
        ck_assert_double_le(mpl_model_seconds(c.model, c.clc->max_shift_ticks), 1.3e-3);
    }
}
END_TEST

/* Scalasca's repair of the same clocks shifts by 3.39 ms and makes the run 0.453 % longer. */
START_TEST(halo_run_ends_when_it_did)
{
    struct clc_case c = make_interpolated("scorep-halo-skew");

    clc_case_repair(&c, NULL, arena);
    for (uint32_t l = 0; l < c.model->n_locations; l++) {
        const struct mpl_location *loc = &c.model->locations[l];
        const int64_t run = mpl_ticks_of(loc, loc->n_events - 1);

        ck_assert_int_le(c.clc->location_end_ticks[l], run / 1000);
    }
    ck_assert_int_eq(c.clc->growth_ticks, 0);
}
END_TEST

/* Recorded offsets reverse nothing here, and threads, collectives and messages are all there. */
START_TEST(traces_without_violations_are_left_alone)
{
    static const char *const names[] = { "scorep-halo", "scorep-mw", "scorep-colls",
                                         "scorep-halo-omp",
                                         "public-casita-2_jacobi_blame_cpu_015" };

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct clc_case c = make_interpolated(names[i]);

        ck_assert_msg(clc_case_is_clean(&c.before), "%s", c.what);
        clc_case_repair(&c, NULL, arena);
    }
}
END_TEST

int main(void)
{
    if (!traces_are_there("repair of real traces")) {
        return 77;
    }

    Suite *suite = suite_create("clc_traces");
    TCase *c = add_case(suite, "clc_traces", create_arena, destroy_arena);

    tcase_set_timeout(c, 240);
    tcase_add_test(c, raw_clocks_of_every_trace_can_be_repaired);
    tcase_add_test(c, interpolated_clocks_that_swing_are_repaired_without_a_ratchet);
    tcase_add_test(c, halo_run_ends_when_it_did);
    tcase_add_test(c, traces_without_violations_are_left_alone);
    return run_suite(suite);
}
