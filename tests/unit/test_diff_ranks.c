/* Other ranks renumber the answers about real runs, and change nothing else. */
#include "config.h"
#include "diff_fixture.h"

#include <check.h>
#include <stdio.h>

#include "../lib/suite.h"
#include "../lib/traces.h"
#include "read/read.h"
#include "stages.h"

enum { MOST_PROCESSES = 64 };

/* Rank r becomes 3 r + 2: a permutation where the number of ranks is no multiple of 3. */
static uint32_t renumbered(uint32_t rank, uint32_t n)
{
    return (3 * rank + 2) % n;
}

static struct mpl_model *read_other(const char *trace, struct mpl_arena *arena)
{
    struct mpl_rank_pair pairs[MOST_PROCESSES];
    struct mpl_model *model = NULL;
    char path[4000];

    snprintf(path, sizeof path, "%s/%s", traces_folder(), trace);
    ck_assert_int_eq(mpl_read(path, arena, NULL, &model, NULL), MPL_OK);
    ck_assert_uint_ne(model->n_processes % 3, 0);
    for (uint32_t r = 0; r < model->n_processes; r++) {
        pairs[r] = (struct mpl_rank_pair){ r, renumbered(r, model->n_processes) };
    }
    ck_assert_int_eq(mpl_model_renumber(model, pairs, model->n_processes, arena, NULL),
                     MPL_OK);
    return model;
}

struct answer {
    struct stages stages[2];
    struct mpl_comparison *comparison;
};

/* Of two runs, as they are or with other ranks. */
static const struct mpl_diff *ask(const char *const names[2], bool is_other,
                                  struct answer *out)
{
    char path[4000];

    *out = (struct answer){ .comparison = NULL };
    for (int i = 0; i < 2; i++) {
        struct mpl_model *model = NULL;

        out->stages[i].arena = mpl_arena_create();
        snprintf(path, sizeof path, "%s/%s", traces_folder(), names[i]);
        if (is_other) {
            model = read_other(names[i], out->stages[i].arena);
        } else {
            ck_assert_int_eq(mpl_read(path, out->stages[i].arena, NULL, &model, NULL),
                             MPL_OK);
        }
        run_stages(&out->stages[i], model);
    }
    ck_assert_int_eq(diff_first_runs(&out->stages[0].diagnosis, &out->stages[1].diagnosis,
                                     &out->comparison, NULL),
                     MPL_OK);
    return mpl_diff_get(out->comparison);
}

static void close_answer(struct answer *x)
{
    mpl_diff_destroy(x->comparison);
    mpl_arena_destroy(x->stages[0].arena);
    mpl_arena_destroy(x->stages[1].arena);
}

static uint32_t rank_of(const struct mpl_diff *diff, uint32_t location)
{
    const struct mpl_model *model = diff->new->model;

    return model->processes[model->locations[location].process].rank;
}

static const struct mpl_divergence *find_change(const struct mpl_diff *diff, uint32_t rank)
{
    for (size_t i = 0; i < diff->n_changes; i++) {
        if (rank_of(diff, diff->changes[i].location) == rank) {
            return &diff->changes[i];
        }
    }
    return NULL;
}

static const struct mpl_load *find_load(const struct mpl_diff *diff, uint32_t rank)
{
    for (uint32_t i = 0; i < diff->n_loads; i++) {
        if (rank_of(diff, diff->loads[i].location) == rank) {
            return &diff->loads[i];
        }
    }
    return NULL;
}

static void compare_answers(const struct mpl_diff *a, const struct mpl_diff *b)
{
    const uint32_t n = a->new->model->n_processes;

    ck_assert_int_eq(a->verdict, b->verdict);
    ck_assert_uint_eq(a->n_changes, b->n_changes);
    ck_assert_uint_eq(a->n_telling, b->n_telling);
    ck_assert_uint_eq(a->n_first, b->n_first);
    ck_assert_uint_eq(a->n_named, b->n_named);
    ck_assert_double_eq_tol(a->factor, b->factor, 1e-9);
    for (uint32_t r = 0; r < n; r++) {
        const struct mpl_divergence *x = find_change(a, r);
        const struct mpl_divergence *y = find_change(b, renumbered(r, n));
        const struct mpl_load *load = find_load(a, r);
        const struct mpl_load *other = find_load(b, renumbered(r, n));

        ck_assert_int_eq((x == NULL), (y == NULL));
        ck_assert_int_eq((load == NULL), (other == NULL));
        if (x != NULL) {
            ck_assert_uint_eq(x->position, y->position);
            ck_assert_uint_eq(x->iteration, y->iteration);
            ck_assert_uint_eq(x->n_votes, y->n_votes);
        }
        if (load != NULL) {
            ck_assert_double_eq_tol(load->base_s, other->base_s, 1e-9);
            ck_assert_double_eq_tol(load->new_s, other->new_s, 1e-9);
        }
    }
    if (a->n_first == 1) {
        ck_assert_uint_eq(rank_of(b, b->changes[0].location),
                          renumbered(rank_of(a, a->changes[0].location), n));
    }
    if (a->n_named > 0) {
        ck_assert_uint_eq(rank_of(b, b->loads[0].location),
                          renumbered(rank_of(a, a->loads[0].location), n));
    }
}

START_TEST(other_ranks_renumber_the_answer_and_change_nothing_else)
{
    static const char *const pairs[][2] = {
        { "oddeven-np16", "oddeven-swapBug-np16" },
        { "oddeven-np16", "oddeven-slow5-np16" },
        { "prk-stencil-np16", "prk-stencil-slow6-np16" },
        { "lulesh-np8", "lulesh-slow3-np8" },
        { "mandel-mw-np8", "mandel-mw-slowworker-np8" },
        { "pipeline-np4", "pipeline-slowM1-np4" },
        { "scorep-halo", "scorep-halo-skew" },
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct answer a;
        struct answer b;

        compare_answers(ask(pairs[i], false, &a), ask(pairs[i], true, &b));
        close_answer(&a);
        close_answer(&b);
    }
}
END_TEST

int main(void)
{
    if (!traces_are_there("other ranks in real traces")) {
        return 77;
    }

    Suite *s = suite_create("diff_ranks");
    TCase *c = add_case(s, "ranks", NULL, NULL);

    tcase_add_test(c, other_ranks_renumber_the_answer_and_change_nothing_else);
    tcase_set_timeout(c, 0);
    return run_suite(s);
}
