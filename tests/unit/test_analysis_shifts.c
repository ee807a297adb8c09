/*
 * Time lines that are as possible as the one chosen: no message and no collective runs backwards
 * on them, and they reach as far as Floyd and Warshall find on all pairs at once.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/columns.h"
#include "../lib/effort.h"
#include "analysis_fixture.h"

static const int64_t far_ticks = INT64_C(1) << 50;

static struct mpl_arena *arena;

static void begin(void)
{
    arena = mpl_arena_create();
    ck_assert_ptr_nonnull(arena);
}

static void end(void)
{
    mpl_arena_destroy(arena);
}

/* ---- the oracle -------------------------------------------------------------------------------- */

/* d[p][q]: x[p] - x[q] is at most this. */
struct matrix {
    uint32_t n;
    int64_t d[LAB_RANKS][LAB_RANKS];
};

static void tighten(struct matrix *m, uint32_t from, uint32_t to, int64_t ticks)
{
    if (ticks < m->d[from][to]) {
        m->d[from][to] = ticks;
    }
}

static void take_pair(void *context, const struct mpl_order_pair *pair)
{
    tighten(context, pair->from, pair->to, pair->received_ticks - pair->sent_ticks);
}

static void take_instance(void *context, const struct mpl_order_instance *in)
{
    for (uint32_t i = 0; i < in->n; i++) {
        for (uint32_t k = 0; k < in->n; k++) {
            if (in->enter_ticks[i] != MPL_ORDER_NEVER &&
                in->leave_ticks[k] != MPL_ORDER_NEVER && !(in->is_prefix && i > k)) {
                tighten(context, in->process[i], in->process[k],
                        in->leave_ticks[k] - in->enter_ticks[i]);
            }
        }
    }
}

static struct matrix all_distances(const struct mpl_run *run)
{
    struct matrix m = { .n = run->model->n_processes };
    struct mpl_order_view *view = NULL;

    for (uint32_t p = 0; p < m.n; p++) {
        for (uint32_t q = 0; q < m.n; q++) {
            m.d[p][q] = p == q ? 0 : far_ticks;
        }
    }
    ck_assert_int_eq(mpl_order_view_create(run->model, run->match, arena, &view, NULL),
                     MPL_OK);
    mpl_order_walk_pairs(view, take_pair, &m);
    ck_assert_int_eq(mpl_order_walk_instances(view, take_instance, &m, NULL), MPL_OK);
    for (uint32_t k = 0; k < m.n; k++) {
        for (uint32_t p = 0; p < m.n; p++) {
            for (uint32_t q = 0; q < m.n; q++) {
                tighten(&m, p, q, m.d[p][k] + m.d[k][q]);
            }
        }
    }
    return m;
}

/* ---- against it ---------------------------------------------------------------------------------- */

static struct mpl_violations violations_of(const struct mpl_run *run, const int64_t *ticks)
{
    struct mpl_violations found = { 0 };
    struct mpl_order_view *view = NULL;

    for (uint32_t l = 0; l < run->model->n_locations; l++) {
        struct mpl_location *loc = &run->model->locations[l];

        for (uint32_t i = 0; i < loc->n_events; i++) {
            put_ticks(loc, i, mpl_ticks_of(loc, i) + ticks[loc->process]);
        }
    }
    ck_assert_int_eq(mpl_order_view_create(run->model, run->match, arena, &view, NULL),
                     MPL_OK);
    ck_assert_int_eq(mpl_order_count(view, NULL, &found, NULL), MPL_OK);
    for (uint32_t l = 0; l < run->model->n_locations; l++) {
        struct mpl_location *loc = &run->model->locations[l];

        for (uint32_t i = 0; i < loc->n_events; i++) {
            put_ticks(loc, i, mpl_ticks_of(loc, i) - ticks[loc->process]);
        }
    }
    return found;
}

/* Whether one of the shifts is, but for a constant, the wanted one. */
static bool has_shift(const struct shifts *shifts, uint32_t n, const int64_t *wanted)
{
    for (size_t i = 0; i < shifts->n; i++) {
        bool is_same = true;

        for (uint32_t p = 1; p < n; p++) {
            is_same &= shifts->ticks[i][p] - shifts->ticks[i][0] == wanted[p] - wanted[0];
        }
        if (is_same) {
            return true;
        }
    }
    return false;
}

static struct shifts shifts_of(const struct mpl_run *run, const uint32_t *suspects,
                               size_t n)
{
    struct clock_doubt doubt;
    struct shifts shifts;

    ck_assert_int_eq(mpl_doubt_create(run, arena, &doubt, NULL), MPL_OK);
    ck_assert_int_eq(mpl_shifts_create(run, &doubt, suspects, n, arena, &shifts, NULL),
                     MPL_OK);
    return shifts;
}

/* _i is the seed. With the clock's own limits as wide as the messages allow. */
START_TEST(the_latest_and_the_earliest_of_each_are_the_shortest_paths)
{
    const struct program program = program_draw((unsigned) _i, arena);
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    const struct mpl_run *run = &a->runs[0].shown;
    const struct matrix m = all_distances(run);
    int64_t low[LAB_RANKS];
    int64_t high[LAB_RANKS];
    const int64_t none[LAB_RANKS] = { 0 };
    struct mpl_clock *clock = set_bounds(a, none, NULL);

    for (uint32_t p = 0; p < m.n; p++) {
        ck_assert(m.d[p][0] < far_ticks && m.d[0][p] < far_ticks);
        high[p] = m.d[p][0];
        low[p] = -m.d[0][p];
    }
    clock->low_ticks = low;
    clock->high_ticks = high;
    for (uint32_t k = 0; k < m.n; k++) {
        const struct shifts shifts = shifts_of(run, &k, 1);
        int64_t late[LAB_RANKS];
        int64_t early[LAB_RANKS];

        for (uint32_t p = 0; p < m.n; p++) {
            late[p] = -m.d[k][p];
            early[p] = m.d[p][k];
        }
        ck_assert_msg(has_shift(&shifts, m.n, late), "seed %d: late %u", _i, (unsigned) k);
        ck_assert_msg(has_shift(&shifts, m.n, early), "seed %d: early %u", _i,
                      (unsigned) k);
        ck_assert(has_shift(&shifts, m.n, high) && has_shift(&shifts, m.n, low));
        for (size_t i = 0; i < shifts.n; i++) {
            const struct mpl_violations found = violations_of(run, shifts.ticks[i]);

            ck_assert_msg(found.p2p == 0 && found.collective == 0, "seed %d: shift %zu", _i,
                          i);
        }
    }
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(nobody_is_moved_farther_from_another_than_their_clocks_allow)
{
    const struct program program = program_draw((unsigned) _i, arena);
    int64_t bound_us[LAB_RANKS] = { 0 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    const struct mpl_run *run = &a->runs[0].shown;
    uint32_t suspects[LAB_RANKS];
    struct shifts shifts;

    for (uint32_t p = 0; p < program.n_ranks; p++) {
        bound_us[p] = p == 0 ? 0 : 1 + (7 * p + (unsigned) _i) % 9;
        suspects[p] = p;
    }
    (void) set_bounds(a, bound_us, NULL);
    shifts = shifts_of(run, suspects, program.n_ranks);
    ck_assert_uint_gt(shifts.n, 2);
    for (size_t i = 0; i < shifts.n; i++) {
        const int64_t *x = shifts.ticks[i];

        for (uint32_t p = 0; p < program.n_ranks; p++) {
            for (uint32_t q = 0; q < program.n_ranks; q++) {
                ck_assert_int_le(x[p] - x[q], 1000 * (bound_us[p] + bound_us[q]));
            }
        }
    }
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(repaired_clocks_are_moved_one_by_one)
{
    const struct program program = program_draw(3, arena);
    const int64_t bound_us[LAB_RANKS] = { 0, 5, 6, 7, 8, 9, 10, 11 };
    const int64_t alone_us[] = { -6, 6 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));
    const uint32_t suspect = 2;
    struct mpl_clock *clock = set_bounds(a, bound_us, NULL);
    struct shifts shifts;

    clock->mapped.p2p = 1;
    shifts = shifts_of(&a->runs[0].shown, &suspect, 1);
    ck_assert_uint_eq(shifts.n, 4);
    for (int i = 0; i < 2; i++) {
        int64_t wanted[LAB_RANKS] = { 0 };

        wanted[suspect] = 1000 * alone_us[i];
        ck_assert(has_shift(&shifts, program.n_ranks, wanted));
    }
    mpl_analysis_destroy(a);
}
END_TEST

START_TEST(clocks_that_may_only_be_wrong_together_have_no_other_time_line)
{
    const struct program program = program_draw(4, arena);
    const int64_t low_us[LAB_RANKS] = { -5, -5, -5, -5, -5, -5, -5, -5 };
    const int64_t high_us[LAB_RANKS] = { 3, 3, 3, 3, 3, 3, 3, 3 };
    struct mpl_analysis *a = analyse_text(program_text(&program, NULL, arena));

    (void) set_bounds(a, low_us, high_us);
    ck_assert_uint_eq(shifts_of(&a->runs[0].shown, NULL, 0).n, 0);
    mpl_analysis_destroy(a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analysis-shifts");
    TCase *tcase = tcase_create("shifts");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, begin, end);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, the_latest_and_the_earliest_of_each_are_the_shortest_paths,
                        1, 1 + seeds_of(40));
    tcase_add_loop_test(tcase, nobody_is_moved_farther_from_another_than_their_clocks_allow,
                        1, 1 + seeds_of(20));
    tcase_add_test(tcase, repaired_clocks_are_moved_one_by_one);
    tcase_add_test(tcase, clocks_that_may_only_be_wrong_together_have_no_other_time_line);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
