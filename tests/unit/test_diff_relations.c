/* What must not change an answer about real runs, or must turn it round. */
#include "config.h"
#include "diff_fixture.h"

#include <check.h>
#include <stdio.h>

#include "../lib/columns.h"
#include "../lib/suite.h"
#include "../lib/traces.h"
#include "read/read.h"
#include "stages.h"

static const char *const traces[] = {
    "oddeven-np16", "npb-cg-W-np8",     "npb-is-W-np8",     "npb-ep-W-np8",
    "lulesh-np8",   "prk-stencil-np16", "lulesh-slow3-np8",
};
enum { N_TRACES = sizeof traces / sizeof *traces };

/* A run whose times \p change has changed has the structure of the run as
 * recorded. */
static void ask_changed(const char *trace,
                        void (*change)(struct mpl_location *, uint32_t l))
{
    struct stages s = { .arena = mpl_arena_create() };
    struct mpl_analysis *analysis = NULL;
    struct mpl_model *model = NULL;
    struct mpl_comparison *comparison = NULL;
    char path[4000];

    snprintf(path, sizeof path, "%s/%s", traces_folder(), trace);
    ck_assert_int_eq(mpl_analysis_check(path, NULL, &analysis, NULL), MPL_OK);
    ck_assert_int_eq(mpl_read(path, s.arena, NULL, &model, NULL), MPL_OK);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        change(&model->locations[l], l);
    }
    run_stages(&s, model);
    ck_assert_int_eq(
        diff_first_runs(mpl_analysis_diagnosis(analysis), &s.diagnosis, &comparison, NULL),
        MPL_OK);
    ck_assert_msg(mpl_diff_get(comparison)->n_changes == 0, "%s", trace);
    mpl_diff_destroy(comparison);
    mpl_analysis_destroy(analysis);
    mpl_arena_destroy(s.arena);
}

static void take_ten_times(struct mpl_location *loc, uint32_t l)
{
    (void) l;
    for (uint32_t e = 0; e < loc->n_events; e++) {
        put_ticks(loc, e, 10 * mpl_ticks_of(loc, e));
    }
}

static void shift(struct mpl_location *loc, uint32_t l)
{
    loc->base_ticks += l * UINT64_C(7000000);
}

START_TEST(times_are_no_structure)
{
    ask_changed(traces[_i], take_ten_times);
}
END_TEST

START_TEST(shifted_clocks_are_no_structure)
{
    ask_changed(traces[_i], shift);
}
END_TEST

START_TEST(the_mirror_image_blames_the_same)
{
    static const char *const names[] = { "oddeven-np16", "oddeven-swapBug-np16" };
    struct mpl_analysis *runs[2] = { NULL, NULL };
    char path[4000];

    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", traces_folder(), names[i]);
        ck_assert_int_eq(mpl_analysis_check(path, NULL, &runs[i], NULL), MPL_OK);
    }
    for (int i = 0; i < 2; i++) {
        struct mpl_comparison *comparison = NULL;

        ck_assert_int_eq(diff_first_runs(mpl_analysis_diagnosis(runs[i]),
                                         mpl_analysis_diagnosis(runs[1 - i]), &comparison,
                                         NULL),
                         MPL_OK);
        ck_assert_uint_eq(mpl_diff_get(comparison)->n_changes, 1);
        ck_assert_uint_eq(mpl_diff_get(comparison)->changes[0].location, 5);
        ck_assert_uint_eq(mpl_diff_get(comparison)->changes[0].iteration, 7);
        mpl_diff_destroy(comparison);
    }
    mpl_analysis_destroy(runs[0]);
    mpl_analysis_destroy(runs[1]);
}
END_TEST

/* ---- records outside of calls
 * ----------------------------------------------------------------------------------
 */

static uint32_t find_function(const struct mpl_model *model)
{
    uint32_t r = 0;

    while (r < model->n_regions && model->regions[r].kind != MPL_REGION_USER) {
        r++;
    }
    return r;
}

/* As if the tracer had left out functions of MPI in the last quarter, but not
 * the messages. */
static void hide_calls(const struct mpl_model *model, struct mpl_location *loc,
                       struct mpl_arena *arena)
{
    const uint32_t function = find_function(model);
    const uint32_t n = loc->n_events;
    int64_t *ticks = MPL_NEW_ARRAY(arena, n, int64_t);
    uint8_t *kinds = MPL_NEW_ARRAY(arena, n, uint8_t);
    uint32_t *refs = MPL_NEW_ARRAY(arena, n, uint32_t);

    for (uint32_t e = 0; e < n; e++) {
        ticks[e] = mpl_ticks_of(loc, e);
        kinds[e] = mpl_kind_of(loc, e);
        refs[e] = mpl_ref_of(loc, e);
        if (e >= n / 4 * 3 && (kinds[e] == MPL_EV_ENTER || kinds[e] == MPL_EV_LEAVE) &&
            model->regions[refs[e]].kind == MPL_REGION_MPI_P2P) {
            refs[e] = function;
        }
    }
    ck_assert(mpl_location_set_events(loc, n, ticks, kinds, refs, arena));
}

/* Of a master, whose receives are asked about. */
START_TEST(receives_outside_of_calls_are_no_reason_to_fail)
{
    struct stages s = { .arena = mpl_arena_create() };
    struct mpl_analysis *analysis = NULL;
    struct mpl_model *model = NULL;
    struct mpl_comparison *comparison = NULL;
    char path[4000];

    snprintf(path, sizeof path, "%s/scorep-mw", traces_folder());
    ck_assert_int_eq(mpl_analysis_check(path, NULL, &analysis, NULL), MPL_OK);
    snprintf(path, sizeof path, "%s/scorep-mw-skew", traces_folder());
    ck_assert_int_eq(mpl_read(path, s.arena, NULL, &model, NULL), MPL_OK);
    ck_assert_uint_lt(find_function(model), model->n_regions);
    hide_calls(model, &model->locations[0], s.arena);
    run_stages(&s, model);
    ck_assert_int_eq(
        diff_first_runs(mpl_analysis_diagnosis(analysis), &s.diagnosis, &comparison, NULL),
        MPL_OK);
    ck_assert_int_ne(mpl_diff_get(comparison)->verdict, MPL_DIFF_NOT_COMPARABLE);
    mpl_diff_destroy(comparison);
    mpl_analysis_destroy(analysis);
    mpl_arena_destroy(s.arena);
}
END_TEST

int main(void)
{
    if (!traces_are_there("relations of real runs")) {
        return 77;
    }

    Suite *s = suite_create("diff_relations");
    TCase *c = add_case(s, "relations", NULL, NULL);

    tcase_add_loop_test(c, times_are_no_structure, 0, N_TRACES);
    tcase_add_loop_test(c, shifted_clocks_are_no_structure, 0, N_TRACES);
    tcase_add_test(c, the_mirror_image_blames_the_same);
    tcase_add_test(c, receives_outside_of_calls_are_no_reason_to_fail);
    tcase_set_timeout(c, 0);
    return run_suite(s);
}
