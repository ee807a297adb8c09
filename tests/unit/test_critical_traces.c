/* Critical paths of real runs: what Scalasca says of them, and what always holds. */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/suite.h"
#include "all_traces.h"
#include "critical/critical.h"
#include "events_of.h"
#include "read/read.h"

static const struct mpl_critical *path_of(const char *path)
{
    const struct mpl_events *events = find_events_of_path(path, arena);
    const struct mpl_critical *critical = NULL;

    if (events != NULL) {
        ck_assert_int_eq(mpl_critical_create(events, arena, &critical, NULL), MPL_OK);
    }
    return critical;
}

static const struct mpl_critical *path_of_trace(const char *name)
{
    char path[4096];
    const struct mpl_critical *critical;

    snprintf(path, sizeof path, "%s/%s", traces_folder(), name);
    critical = path_of(path);
    ck_assert_ptr_nonnull(critical);
    return critical;
}

static const struct mpl_critical_shares *shares_of(const struct mpl_critical *path,
                                                   int64_t begin_ticks, int64_t end_ticks)
{
    const struct mpl_critical_shares *shares = NULL;

    ck_assert_int_eq(
        mpl_critical_shares_create(path, begin_ticks, end_ticks, arena, &shares, NULL),
        MPL_OK);
    return shares;
}

static const struct mpl_critical_shares *all_shares(const struct mpl_critical *path)
{
    return shares_of(path, path->begin_ticks, path->end_ticks);
}

/* ---- Scalasca ------------------------------------------------------------------------------- */

static double of_region(const struct mpl_critical *path,
                        const struct mpl_critical_shares *shares, const char *name)
{
    const struct mpl_model *model = mpl_events_model(path->events);

    for (size_t i = 0; i < shares->n_regions; i++) {
        const uint32_t region = shares->regions[i].region;

        if (region != MPL_NONE && strcmp(model->regions[region].name, name) == 0) {
            return shares->regions[i].path_s;
        }
    }
    return 0;
}

static void assert_near(double value, double expected)
{
    ck_assert_msg(fabs(value - expected) <= 0.02 * expected, "%g, not %g", value, expected);
}

START_TEST(paths_are_as_long_as_those_of_scalasca)
{
    const struct mpl_critical *path = path_of_trace("scorep-mw");
    const struct mpl_critical_shares *shares = all_shares(path);

    assert_near(shares->length_s, 0.836859);
    assert_near(of_region(path, shares, "worker_task"), 0.201);
    assert_near(of_region(path, shares, "handle"), 0.077);
    assert_near(all_shares(path_of_trace("scorep-mw8"))->length_s, 1.59749);
    assert_near(all_shares(path_of_trace("scorep-halo-imb"))->length_s, 1.20303);
}
END_TEST

/* ---- known truth ------------------------------------------------------------------------------ */

START_TEST(the_path_of_a_tree_goes_through_its_slow_leaf)
{
    static const uint32_t expected[] = { 0, 2, 5, 2, 0 };
    const struct mpl_critical *path = path_of_trace("dcsort-slowleaf-np7");

    ck_assert_uint_eq(path->n, 5);
    for (uint32_t i = 0; i < path->n; i++) {
        ck_assert_uint_eq(path->segments[i].location, expected[i]);
    }
}
END_TEST

START_TEST(a_slow_process_has_most_of_the_path)
{
    const struct mpl_critical *path = path_of_trace("oddeven-slow5-np16");
    const struct mpl_critical_shares *shares = all_shares(path);

    ck_assert_double_gt(shares->location_s[5], 0.8 * 3.0865);
}
END_TEST

/* ---- what always holds ------------------------------------------------------------------------- */

static double longest_computation_s(const struct mpl_events *events)
{
    const struct mpl_model *model = mpl_events_model(events);
    double longest_s = 0;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const double s = mpl_events_totals(events, l)->class_s[MPL_SPAN_COMPUTE];

        longest_s = s > longest_s ? s : longest_s;
    }
    return longest_s;
}

static void check_shares(const struct mpl_critical *path,
                         const struct mpl_critical_shares *shares, const char *name)
{
    const uint32_t n = mpl_events_model(path->events)->n_locations;
    double by_location = 0;
    double by_share = 0;
    double by_region = 0;
    double imbalance_s = 0;

    for (uint32_t l = 0; l < n; l++) {
        by_location += shares->location_s[l];
    }
    for (size_t i = 0; i < shares->n_shares; i++) {
        by_share += shares->shares[i].path_s;
        ck_assert_double_gt(shares->shares[i].path_s, 0);
        if (i > 0) {
            ck_assert_double_le(shares->shares[i].path_s, shares->shares[i - 1].path_s);
        }
    }
    for (size_t i = 0; i < shares->n_regions; i++) {
        by_region += shares->regions[i].path_s;
        imbalance_s += shares->regions[i].imbalance_s;
    }
    ck_assert_msg(fabs(by_location - shares->length_s) < 1e-9 &&
                      fabs(by_share - shares->length_s) < 1e-9 &&
                      fabs(by_region - shares->length_s) < 1e-9,
                  "%s: %.9f by location, %.9f by share, %.9f by region, not %.9f", name,
                  by_location, by_share, by_region, shares->length_s);
    ck_assert_double_eq_tol(imbalance_s, shares->imbalance_s, 1e-9);
    ck_assert_double_le(imbalance_s, shares->length_s + 1e-9);
}

/* Each moment of the path is in one call at most. */
static void check_calls(const struct mpl_critical *path, double length_s)
{
    enum { MOST = 50 };
    const struct mpl_critical_calls *calls = NULL;
    double sum_s = 0;

    ck_assert_int_eq(mpl_critical_calls_create(path, MOST, arena, &calls, NULL), MPL_OK);
    ck_assert_uint_eq(calls->n, calls->n_all < MOST ? calls->n_all : MOST);
    for (size_t i = 0; i < calls->n; i++) {
        ck_assert_double_gt(calls->all[i].path_s, 0);
        if (i > 0) {
            ck_assert_double_le(calls->all[i].path_s, calls->all[i - 1].path_s);
        }
        sum_s += calls->all[i].path_s;
    }
    ck_assert_double_le(sum_s, length_s + 1e-9);
    if (calls->n_all <= MOST) {
        ck_assert_double_gt(sum_s, 0.9 * length_s);
    }
}

static void check_trace(const struct mpl_critical *path, const char *name)
{
    const struct mpl_model *model = mpl_events_model(path->events);
    const struct mpl_critical_shares *shares;
    int64_t begin_ticks;
    int64_t end_ticks;

    if (path->n == 0) {
        ck_assert_uint_eq(model->n_events, 0);
        return;
    }
    ck_assert_int_eq(path->segments[0].begin_ticks, path->begin_ticks);
    ck_assert_int_eq(path->segments[path->n - 1].end_ticks, path->end_ticks);
    for (uint32_t i = 0; i < path->n; i++) {
        const struct mpl_critical_segment *s = &path->segments[i];

        ck_assert_msg(s->begin_ticks <= s->end_ticks, "%s: segment %u", name, i);
        if (i > 0) {
            ck_assert_int_eq(s->begin_ticks, s[-1].end_ticks);
            ck_assert_uint_ne(s->location, s[-1].location);
        }
    }
    shares = all_shares(path);
    check_shares(path, shares, name);
    check_calls(path, shares->length_s);
    ck_assert_double_ge(shares->length_s, longest_computation_s(path->events) - 1e-9);
    mpl_events_window(path->events, &begin_ticks, &end_ticks);
    if (begin_ticks <= end_ticks) {
        shares = shares_of(path, begin_ticks, end_ticks);
        check_shares(path, shares, name);
        ck_assert_double_le(shares->length_s, mpl_events_measured_s(path->events) + 1e-9);
    }
}

/* False where the trace cannot be read, or is a file. */
static bool check_if_read(const char *name, const char *path)
{
    const struct mpl_critical *critical = strchr(name, '.') == NULL ? path_of(path) : NULL;

    if (critical != NULL) {
        check_trace(critical, name);
    }
    return critical != NULL;
}

START_TEST(segments_follow_one_another_and_shares_add_up_on_every_trace)
{
    look_at_all_traces(check_if_read, 21);
}
END_TEST

int main(void)
{
    if (!traces_are_there("critical paths of real traces")) {
        return 77;
    }

    Suite *suite = suite_create("critical_traces");
    TCase *c = add_case(suite, "traces", create_arena, destroy_arena);

    tcase_set_timeout(c, 120);
    tcase_add_test(c, paths_are_as_long_as_those_of_scalasca);
    tcase_add_test(c, the_path_of_a_tree_goes_through_its_slow_leaf);
    tcase_add_test(c, a_slow_process_has_most_of_the_path);
    tcase_add_test(c, segments_follow_one_another_and_shares_add_up_on_every_trace);
    return run_suite(suite);
}
