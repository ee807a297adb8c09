/* Similarities as in the paper DiffTrace, alignments, and answers without memory. Real runs: the figures of the two
 * bugs in odd/even sort. */
#include "config.h"
#include "diff_fixture.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "../lib/traces.h"
#include "diff/diff.h"
#include "diff/diff_priv.h"

/* ---- similarity ------------------------------------------------------------------------------- */

static struct mpl_folded items(const char *text)
{
    const size_t n = strlen(text);
    struct mpl_item *all = MPL_NEW_ARRAY(arena, n, struct mpl_item);

    for (size_t i = 0; i < n; i++) {
        all[i] = (struct mpl_item){ (uint32_t) text[i], 1 };
    }
    return (struct mpl_folded){ (uint32_t) n, all };
}

static double alike(const char *a, const char *b, enum mpl_context_of of,
                    enum mpl_context_by by)
{
    const struct mpl_folded both[] = { items(a), items(b) };
    const struct mpl_context_kind kind = { of, by };
    const struct mpl_context *c = NULL;

    ck_assert_int_eq(mpl_context_create(both, 2, kind, arena, &c, NULL), MPL_OK);

    const uint32_t x = c->class_of[0];
    const uint32_t y = c->class_of[1];

    ck_assert_double_eq(c->alike[x * c->n_classes + x], 1);
    ck_assert_double_eq(c->alike[x * c->n_classes + y], c->alike[y * c->n_classes + x]);
    return c->alike[x * c->n_classes + y];
}

#define ASSERT_ALIKE(a, b, of, by, x) \
    ck_assert_double_eq_tol(alike(a, b, MPL_CONTEXT_##of, MPL_CONTEXT_##by), x, 1e-12)

START_TEST(similarity_is_what_sets_share_over_what_either_has)
{
    /* Table IV: four functions in common, and a loop of its own each. */
    ASSERT_ALIKE("icmxf", "icmyf", SINGLE, PRESENCE, 4.0 / 6);
    ASSERT_ALIKE("icmxf", "fmxci", SINGLE, PRESENCE, 1);
    ASSERT_ALIKE("abc", "abd", DOUBLE, PRESENCE, 1.0 / 3);
    ASSERT_ALIKE("aab", "ab", SINGLE, PRESENCE, 1);
    ASSERT_ALIKE("aab", "ab", SINGLE, ACTUAL, 1.0 / 3);
    ASSERT_ALIKE("aab", "ab", SINGLE, LOG10, 1);
    ASSERT_ALIKE("aaaaaaaaaab", "ab", SINGLE, LOG10, 1.0 / 3);
    ASSERT_ALIKE("aab", "ab", SINGLE, WEIGHTED, 2.0 / 3);
    ASSERT_ALIKE("aab", "cab", SINGLE, WEIGHTED, 2.0 / 4);
}
END_TEST

START_TEST(nothing_is_like_nothing)
{
    ASSERT_ALIKE("", "", SINGLE, PRESENCE, 1);
    ASSERT_ALIKE("", "a", SINGLE, PRESENCE, 0);
    ASSERT_ALIKE("a", "b", DOUBLE, PRESENCE, 1);
    ASSERT_ALIKE("", "", SINGLE, WEIGHTED, 1);
}
END_TEST

enum { MOST_LETTERS = 4000 };

/* Repeats what is there, so that loops are in loops; \p n_letters of many or of few kinds. */
static struct mpl_sequence random_letters(uint32_t n_letters, uint32_t n_kinds)
{
    uint32_t *symbols = MPL_NEW_ARRAY(arena, MOST_LETTERS, uint32_t);
    uint32_t n = 0;

    while (n < n_letters) {
        const uint32_t from = n == 0 ? 0 : (uint32_t) rand() % n;
        const uint32_t length = n - from < 12 ? n - from : 12;

        symbols[n++] = (uint32_t) rand() % n_kinds;
        for (uint32_t times = (uint32_t) rand() % 6; times > 0; times--) {
            for (uint32_t i = 0; i < length && n < n_letters; i++) {
                symbols[n++] = symbols[from + i];
            }
        }
    }
    return (struct mpl_sequence){ n, symbols, NULL };
}

/* _i is the seed: short ones, and such that are counted in tables, or in none for there are too many kinds. */
START_TEST(calls_in_loops_are_counted_as_often_as_they_are_made)
{
    const unsigned both = 1U << MPL_CONTEXT_SINGLE | 1U << MPL_CONTEXT_DOUBLE;
    struct mpl_loops *loops = mpl_loops_create(20, arena);
    const struct mpl_frequencies *in_loops[2];
    const struct mpl_frequencies *in_line[2];
    struct mpl_folded folded;
    struct mpl_sequence s;

    srand((unsigned) _i);
    s = random_letters(_i % 3 == 0 ? 100 : MOST_LETTERS, _i % 2 == 0 ? 5 : 3000);

    struct mpl_item *line = MPL_NEW_ARRAY(arena, s.n, struct mpl_item);
    const struct mpl_folded plain = { s.n, line };

    for (uint32_t i = 0; i < s.n; i++) {
        line[i] = (struct mpl_item){ s.symbols[i], 1 };
    }
    ck_assert_int_eq(mpl_loops_fold(loops, &s, 1, &folded, NULL), MPL_OK);
    ck_assert_uint_lt(folded.n, s.n);
    ck_assert(mpl_frequencies_of_all(&folded, 1, loops, both, arena, in_loops));
    ck_assert(mpl_frequencies_of_all(&plain, 1, NULL, both, arena, in_line));
    for (int of = 0; of < 2; of++) {
        ck_assert_uint_eq(in_loops[of]->n, in_line[of]->n);
        ck_assert_mem_eq(in_loops[of]->all, in_line[of]->all,
                         in_line[of]->n * sizeof *in_line[of]->all);
    }
    mpl_loops_destroy(loops);
}
END_TEST

/* ---- Myers -------------------------------------------------------------------------------------- */

enum { MOST_ITEMS = 12 };

static uint32_t longest_common(const struct mpl_folded *a, const struct mpl_folded *b)
{
    uint32_t best[MOST_ITEMS + 1][MOST_ITEMS + 1] = { { 0 } };

    for (uint32_t i = 1; i <= a->n; i++) {
        for (uint32_t j = 1; j <= b->n; j++) {
            const uint32_t x = best[i - 1][j];
            const uint32_t y = best[i][j - 1];

            best[i][j] = a->items[i - 1].what == b->items[j - 1].what
                             ? best[i - 1][j - 1] + 1
                             : (x > y ? x : y);
        }
    }
    return best[a->n][b->n];
}

static struct mpl_folded random_items(void)
{
    char text[MOST_ITEMS + 1] = "";
    const int n = rand() % (MOST_ITEMS + 1);

    for (int i = 0; i < n; i++) {
        text[i] = (char) ('a' + rand() % 3);
    }
    return items(text);
}

/* _i is the seed. */
START_TEST(an_alignment_pairs_as_much_as_can_be)
{
    srand((unsigned) _i);

    const struct mpl_folded a = random_items();
    const struct mpl_folded b = random_items();
    uint32_t partners[MOST_ITEMS];
    uint32_t n = 0;
    uint32_t next = 0;
    bool is_cut = true;

    ck_assert_int_eq(mpl_myers(a.items, a.n, b.items, b.n, 100, partners, &is_cut, NULL),
                     MPL_OK);
    ck_assert(!is_cut);
    for (uint32_t i = 0; i < a.n; i++) {
        if (partners[i] != MPL_NONE) {
            ck_assert_uint_ge(partners[i], next);
            ck_assert_uint_lt(partners[i], b.n);
            ck_assert_uint_eq(a.items[i].what, b.items[partners[i]].what);
            next = partners[i] + 1;
            n++;
        }
    }
    ck_assert_uint_eq(n, longest_common(&a, &b));
}
END_TEST

START_TEST(a_long_alignment_is_cut_and_says_so)
{
    const struct mpl_folded a = items("xabcabcy");
    const struct mpl_folded b = items("xdefdefy");
    uint32_t partners[8];
    bool is_cut = false;

    ck_assert_int_eq(mpl_myers(a.items, a.n, b.items, b.n, 3, partners, &is_cut, NULL),
                     MPL_OK);
    ck_assert(is_cut);
    ck_assert_uint_eq(partners[0], 0);
    ck_assert_uint_eq(partners[1], MPL_NONE);
    ck_assert_uint_eq(partners[7], 7);
}
END_TEST

/* ---- runs ------------------------------------------------------------------------------------------- */

static struct mpl_analysis *read_run(const char *folder, const char *name)
{
    const char *path = mpl_arena_printf(arena, "%s/%s", folder, name);
    struct mpl_analysis *analysis = NULL;

    ck_assert_int_eq(mpl_analysis_check(path, NULL, &analysis, NULL), MPL_OK);
    return analysis;
}

static const struct {
    const char *base;
    const char *new;
    enum mpl_diff_verdict verdict;
} unlike[] = {
    { "oddeven.trace", "oddeven-swap.trace", MPL_DIFF_DIFFERENT },
    { "mw-healthy", "mw-slow-master", MPL_DIFF_SLOWER },
    { "../../tests/traces/farm-no-barrier.trace", "../../tests/traces/quick-master.trace",
      MPL_DIFF_DIFFERENT },
};

START_TEST(a_comparison_without_memory_fails_cleanly)
{
    struct mpl_analysis *base = read_run(in_tree("examples/traces"), unlike[_i].base);
    struct mpl_analysis *new = read_run(in_tree("examples/traces"), unlike[_i].new);
    enum mpl_status st = MPL_E_NOMEM;

    for (long n = 0; fails_without_memory(n, st); n += 1 + n / 50) {
        struct mpl_comparison *x = NULL;

        mpl_alloc_fail_after(n);
        st = diff_first_runs(mpl_analysis_diagnosis(base), mpl_analysis_diagnosis(new), &x,
                             NULL);
        mpl_alloc_fail_after(-1);
        if (st == MPL_OK) {
            ck_assert_int_eq(mpl_diff_get(x)->verdict, unlike[_i].verdict);
        }
        mpl_diff_destroy(x);
    }
    mpl_analysis_destroy(base);
    mpl_analysis_destroy(new);
}
END_TEST

/* Runs of the same structure, and who computes how much longer, where the program was made so. */
struct pair {
    const char *base;
    const char *new;
    enum mpl_diff_verdict verdict;
    uint32_t location;
    double beyond_s;
    double within_s;
    double factor;
    double others_s; /* At most; 0: as they like. */
    /* With the culprit as in the base the run takes as long as that, but for this share of the difference. NaN: a
       replay cannot tell. */
    double left_share;
};
static const struct pair pairs[] = {
    { "oddeven-np16", "oddeven-np16", MPL_DIFF_SAME, MPL_NONE, 0, 0, 1, 1e-9, 0 },
    { "oddeven-np16", "oddeven-slow5-np16", MPL_DIFF_SLOWER, 5, 3.0865, 0.031, 1, 0.03,
      0.05 },
    /* A replay of the base with what rank 5 computes in the other run. */
    { "oddeven-slow5-np16", "oddeven-np16", MPL_DIFF_FASTER, 5, -3.0865, 0.031, 1, 0.03,
      0.05 },
    /* 13 rows of the 57 before, each 40 ms longer. */
    { "mandel-mw-np8", "mandel-mw-slowworker-np8", MPL_DIFF_SLOWER, 3, 0.52, 0.005, 1, 0.03,
      0.1 },
    { "mandel-mw-np8", "mandel-mw-masterslow-np8", MPL_DIFF_SLOWER, 0, 1.237, 0.001, 1,
      0.03, 0.05 },
    { "lulesh-np8", "lulesh-slow3-np8", MPL_DIFF_SLOWER, 3, 1.185082, 0.012, 1, 0.03,
      0.05 },
    /* What calls take beyond waiting is a fifth of the time, and kept. */
    { "prk-stencil-np16", "prk-stencil-slow6-np16", MPL_DIFF_SLOWER, 6, 0.513385, 0.005, 1,
      0.03, NAN },
    { "npb-lu-W-np4", "npb-lu-W-drift-np4", MPL_DIFF_SAME, MPL_NONE, 0, 0, 1, 0.0128, 0 },
    /* The second run was made on a busier machine; built: 0.9 s. */
    { "dcsort-np7", "dcsort-slowleaf-np7", MPL_DIFF_SLOWER, 5, 0.885, 0.035, 1.8, 0, NAN },
    { "pipeline-np4", "pipeline-slowM1-np4", MPL_DIFF_SLOWER, 1, 8.81, 0.01, 1, 0.01,
      0.05 },
    { "scorep-mw", "scorep-mw-skew", MPL_DIFF_SAME, MPL_NONE, 0, 0, 1, 0, 0 },
};

static void check_others(const struct mpl_diff *diff, const struct pair *pair)
{
    for (uint32_t i = 0; i < diff->n_loads && pair->others_s > 0; i++) {
        const struct mpl_load *load = &diff->loads[i];

        if (load->location != pair->location) {
            ck_assert_msg(fabs(load->beyond_s) <= pair->others_s, "%u: %g s",
                          load->location, load->beyond_s);
            ck_assert(!load->is_significant);
        }
    }
}

static void check_closing(const struct mpl_diff *diff, const struct pair *pair)
{
    const double more_s = diff->sides[1].median_s - diff->sides[0].median_s;

    ck_assert_uint_gt(diff->closing.n, 0);
    if (isnan(pair->left_share)) {
        ck_assert_ptr_nonnull(diff->closing.doubt);
        return;
    }
    ck_assert_double_eq_tol(diff->closing.replayed_s, diff->sides[0].median_s,
                            pair->left_share * fabs(more_s));
    ck_assert_double_ge(diff->explained_share, 1 - pair->left_share);
}

START_TEST(slow_runs_have_the_same_structure_and_say_who_computes_longer)
{
    const struct pair *pair = &pairs[_i];
    struct mpl_analysis *base = read_run(traces_folder(), pair->base);
    struct mpl_analysis *new = read_run(traces_folder(), pair->new);
    struct mpl_comparison *x = NULL;

    ck_assert_int_eq(diff_first_runs(mpl_analysis_diagnosis(base),
                                     mpl_analysis_diagnosis(new), &x, NULL),
                     MPL_OK);

    const struct mpl_diff *diff = mpl_diff_get(x);

    ck_assert_uint_eq(diff->n_changes, 0);
    ck_assert_str_eq(mpl_diff_verdict_name(diff->verdict),
                     mpl_diff_verdict_name(pair->verdict));
    ck_assert_uint_eq(diff->n_named, pair->location != MPL_NONE);
    if (pair->location != MPL_NONE) {
        ck_assert_uint_eq(diff->loads[0].location, pair->location);
        ck_assert_double_eq_tol(diff->loads[0].beyond_s, pair->beyond_s, pair->within_s);
        check_closing(diff, pair);
    }
    check_others(diff, pair);
    ck_assert_double_eq_tol(diff->factor, pair->factor, 0.1);
    mpl_diff_destroy(x);
    mpl_analysis_destroy(base);
    mpl_analysis_destroy(new);
}
END_TEST

/* What one configuration says of two runs: a row of JSM_D. */
struct row {
    const char *base;
    const char *new;
    enum mpl_context_of of;
    enum mpl_context_by by;
    bool without_loops;
    uint32_t location;
    double sum;
    double within;
};
static const struct row rows[] = {
    { "oddeven-np16", "oddeven-swapBug-np16", MPL_CONTEXT_SINGLE, MPL_CONTEXT_PRESENCE,
      false, 5, 3.38, 0.005 },
    { "oddeven-np16", "oddeven-swapBug-np16", MPL_CONTEXT_SINGLE, MPL_CONTEXT_PRESENCE,
      false, 6, 0.25, 0.005 },
    { "oddeven-np16", "oddeven-swapBug-np16", MPL_CONTEXT_DOUBLE, MPL_CONTEXT_PRESENCE,
      true, 5, 2.125, 0.005 },
    { "oddeven-np16", "oddeven-swapBug-np16", MPL_CONTEXT_DOUBLE, MPL_CONTEXT_PRESENCE,
      true, 4, 0.143, 0.005 },
    { "oddeven-np16", "oddeven-swapBug-np16", MPL_CONTEXT_SINGLE, MPL_CONTEXT_PRESENCE,
      true, 5, 0, 1e-12 },
    { "oddeven-np16", "oddeven-swapBug-np16", MPL_CONTEXT_SINGLE, MPL_CONTEXT_LOG10, true,
      5, 0, 1e-12 },
    { "oddeven-np16", "oddeven-swapBug-np16", MPL_CONTEXT_SINGLE, MPL_CONTEXT_ACTUAL, true,
      5, 0, 1e-12 },
    /* A fivefold slower worker: numbers as attributes mislead to rank 2, weights show it. */
    { "mandel-mw-np8", "mandel-mw-slowworker-np8", MPL_CONTEXT_SINGLE, MPL_CONTEXT_WEIGHTED,
      false, 3, 4.24, 0.005 },
    { "mandel-mw-np8", "mandel-mw-slowworker-np8", MPL_CONTEXT_SINGLE, MPL_CONTEXT_WEIGHTED,
      false, 2, 0.77, 0.005 },
    { "mandel-mw-np8", "mandel-mw-slowworker-np8", MPL_CONTEXT_SINGLE, MPL_CONTEXT_ACTUAL,
      false, 2, 2, 0.005 },
};

/* Without loops what is folded says the same as what never was. */
static void check_unfolded(const struct mpl_comparison *x, const struct mpl_filter *filter,
                           struct mpl_context_kind kind, const double *sums)
{
    const struct mpl_filtering how = { .filter = filter };
    struct mpl_filtered folded;
    struct mpl_filtered unfolded;
    double again[16] = { 0 };

    ck_assert_int_eq(mpl_filtered_create(x, &how, &folded, NULL), MPL_OK);
    ck_assert(mpl_filtered_unfold(&folded, &unfolded));
    ck_assert_int_eq(mpl_similarity_changes(&unfolded, kind, again, NULL), MPL_OK);
    for (uint32_t l = 0; l < folded.n_locations; l++) {
        ck_assert_double_eq_tol(again[l], sums[l], 1e-12);
    }
    mpl_filtered_destroy(&folded);
}

START_TEST(similarities_of_real_runs_change_as_known)
{
    const struct row *row = &rows[_i];
    struct mpl_analysis *base = read_run(traces_folder(), row->base);
    struct mpl_analysis *new = read_run(traces_folder(), row->new);
    struct mpl_comparison *x = NULL;
    struct mpl_filter *filter = NULL;
    struct mpl_filtered filtered;
    double sums[16] = { 0 };

    ck_assert_int_eq(diff_first_runs(mpl_analysis_diagnosis(base),
                                     mpl_analysis_diagnosis(new), &x, NULL),
                     MPL_OK);
    ck_assert_int_eq(mpl_filter_open("11.mpi.cust.0K10", arena, &filter, NULL), MPL_OK);

    const struct mpl_filtering how = { .filter = filter,
                                       .without_loops = row->without_loops };

    ck_assert_int_eq(mpl_filtered_create(x, &how, &filtered, NULL), MPL_OK);
    ck_assert_int_eq(mpl_similarity_changes(&filtered,
                                            (struct mpl_context_kind){ row->of, row->by },
                                            sums, NULL),
                     MPL_OK);
    ck_assert_double_eq_tol(sums[row->location], row->sum, row->within);
    if (row->without_loops) {
        check_unfolded(x, filter, (struct mpl_context_kind){ row->of, row->by }, sums);
    }
    mpl_filtered_destroy(&filtered);
    mpl_filter_close(filter);
    mpl_diff_destroy(x);
    mpl_analysis_destroy(base);
    mpl_analysis_destroy(new);
}
END_TEST

/* In both directions: rank 5, after 7 iterations. */
START_TEST(the_swap_of_rank_5_is_found)
{
    struct mpl_analysis *runs[] = { read_run(traces_folder(), "oddeven-np16"),
                                    read_run(traces_folder(), "oddeven-swapBug-np16") };
    struct mpl_comparison *x = NULL;

    ck_assert_int_eq(diff_first_runs(mpl_analysis_diagnosis(runs[_i]),
                                     mpl_analysis_diagnosis(runs[1 - _i]), &x, NULL),
                     MPL_OK);

    const struct mpl_diff *diff = mpl_diff_get(x);

    ck_assert_uint_eq(diff->n_changes, 1);
    ck_assert_uint_eq(diff->changes[0].location, 5);
    ck_assert_uint_eq(diff->changes[0].iteration, 7);
    ck_assert_uint_eq(diff->changes[0].n_iterations, 160);
    ck_assert_uint_eq(diff->changes[0].n_votes, diff->n_telling);
    ck_assert_uint_gt(diff->n_telling, 0);
    mpl_diff_destroy(x);
    mpl_analysis_destroy(runs[0]);
    mpl_analysis_destroy(runs[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("diff");
    TCase *c = add_case(suite, "diff", create_arena, destroy_arena);

    tcase_set_timeout(c, 60);
    tcase_add_test(c, similarity_is_what_sets_share_over_what_either_has);
    tcase_add_test(c, nothing_is_like_nothing);
    tcase_add_loop_test(c, calls_in_loops_are_counted_as_often_as_they_are_made, 0, 60);
    tcase_add_loop_test(c, an_alignment_pairs_as_much_as_can_be, 0, 500);
    tcase_add_test(c, a_long_alignment_is_cut_and_says_so);
    tcase_add_loop_test(c, a_comparison_without_memory_fails_cleanly, 0,
                        sizeof unlike / sizeof *unlike);
    if (traces_are_there("comparisons of real runs")) {
        tcase_add_loop_test(c,
                            slow_runs_have_the_same_structure_and_say_who_computes_longer,
                            0, sizeof pairs / sizeof *pairs);
        tcase_add_loop_test(c, similarities_of_real_runs_change_as_known, 0,
                            sizeof rows / sizeof *rows);
        tcase_add_loop_test(c, the_swap_of_rank_5_is_found, 0, 2);
    }
    return run_suite(suite);
}
