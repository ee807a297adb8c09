/*
 * In which functions and calls a run is slower: against programs whose fault is known. Each step of four ranks computes in
 * two functions, passes a message around a ring, and ends in an Allreduce; what takes how long is drawn, but for the fault.
 */
#include "config.h"
#include "diff_fixture.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "../lib/suite.h"
#include "analysis_fixture.h"
#include "diff/diff.h"

enum { N_RANKS = 4, N_STEPS = 60 };

/* What is made slower, us. */
struct fault {
    int64_t boundary[N_RANKS]; /* In the function boundary, called from solve, */
    int64_t link[N_RANKS];     /* in the message to this rank, */
    int64_t reduction;         /* and in the Allreduce; */
    uint64_t bytes;            /* of the message, beside 1000; */
    int first;                 /* from this step on. */
};

static uint64_t state;

static int64_t draw(int64_t most)
{
    return (int64_t) (mpl_hash_mix(state++) % (uint64_t) (most + 1));
}

static void compute(struct program *p, struct mpl_arena *arena, uint32_t rank,
                    const char *open, int64_t *now, int64_t us)
{
    program_add(p, arena, rank, "compute", *now, *now + us, open);
    *now += us;
}

/* Of one step. */
static void step(struct program *p, struct mpl_arena *arena, const struct fault *fault,
                 bool is_slow, int64_t *now)
{
    const unsigned long long bytes =
        (unsigned long long) (1000 + (is_slow ? fault->bytes : 0));
    char sent[64];
    char from[64];
    int64_t enter[N_RANKS];
    int64_t last = 0;

    for (uint32_t r = 0; r < N_RANKS; r++) {
        compute(p, arena, r, "in stencil", &now[r], 900 + draw(20));
        compute(p, arena, r, "in boundary", &now[r],
                90 + draw(10) + (is_slow ? fault->boundary[r] : 0));
        enter[r] = now[r];
    }
    for (uint32_t r = 0; r < N_RANKS; r++) {
        const uint32_t left = (r + N_RANKS - 1) % N_RANKS;
        const int64_t begin = now[r] + 10;
        const int64_t end = (begin > enter[left] ? begin : enter[left]) + 20 + draw(4) +
                            (is_slow ? fault->link[r] : 0);

        (void) snprintf(sent, sizeof sent, "to %u bytes %llu", (r + 1) % N_RANKS, bytes);
        (void) snprintf(from, sizeof from, "from %u bytes %llu", left, bytes);
        program_add(p, arena, r, "send", now[r], begin, sent);
        program_add(p, arena, r, "recv", begin, end, from);
        now[r] = end;
        last = end > last ? end : last;
    }
    for (uint32_t r = 0; r < N_RANKS; r++) {
        const int64_t end = last + 30 + draw(4) + (is_slow ? fault->reduction : 0);

        program_add(p, arena, r, "allreduce", now[r], end, "bytes 8");
        now[r] = end;
    }
}

static struct mpl_analysis *run(const struct fault *fault, struct mpl_arena *arena)
{
    struct program p = { .n_ranks = N_RANKS };
    int64_t now[N_RANKS] = { 0 };

    for (int i = 0; i < N_STEPS; i++) {
        step(&p, arena, fault, i >= fault->first, now);
    }
    return analyse_text(program_text(&p, NULL, arena));
}

struct lab {
    struct mpl_arena *arena;
    struct mpl_analysis *base;
    struct mpl_analysis *new;
    struct mpl_comparison *comparison;
    const struct mpl_diff *diff;
};

static struct lab compare(struct fault fault)
{
    const struct fault none = { .bytes = 0 };
    struct lab lab = { .arena = mpl_arena_create() };

    state = 1;
    lab.base = run(&none, lab.arena);
    lab.new = run(&fault, lab.arena);
    ck_assert_int_eq(diff_first_runs(mpl_analysis_diagnosis(lab.base),
                                     mpl_analysis_diagnosis(lab.new), &lab.comparison,
                                     NULL),
                     MPL_OK);
    lab.diff = mpl_diff_get(lab.comparison);
    return lab;
}

static void close_lab(struct lab *lab)
{
    mpl_diff_destroy(lab->comparison);
    mpl_analysis_destroy(lab->base);
    mpl_analysis_destroy(lab->new);
    mpl_arena_destroy(lab->arena);
}

/* A place of a location, or NULL. */
static const struct mpl_place_load *find(const struct mpl_diff *diff, enum mpl_time time,
                                         uint32_t location, const char *call)
{
    for (size_t i = 0; i < diff->n_calls; i++) {
        const struct mpl_place_load *x = &diff->calls[i];

        if (x->time == time && x->location == location &&
            strcmp(mpl_symbol_function(diff->symbols, x->symbol), call) == 0) {
            return x;
        }
    }
    return NULL;
}

START_TEST(a_slow_function_leads_by_its_path_and_its_first_step)
{
    struct lab lab = compare((struct fault){ .boundary = { 0, 0, 2000 }, .first = 25 });
    const struct mpl_place_load *x = &lab.diff->places[0];

    ck_assert_uint_eq(lab.diff->n_named, 1);
    ck_assert_int_eq(x->what, MPL_PLACE_FUNCTION);
    ck_assert_uint_eq(x->location, 2);
    ck_assert_str_eq(x->path, "boundary");
    ck_assert_double_eq_tol(x->beyond_s, 35 * 2e-3, 1e-3);
    ck_assert(x->is_significant);
    ck_assert_int_eq(x->when.kind, MPL_WHEN_FROM);
    ck_assert_uint_eq(x->when.first, 25);
    ck_assert_double_eq_tol(x->when.each_s, 2e-3, 1e-5);
    /* Nothing in the other function. */
    for (size_t i = 1; i < lab.diff->n_places; i++) {
        ck_assert_str_ne(lab.diff->places[i].path, "stencil");
    }
    close_lab(&lab);
}
END_TEST

START_TEST(waits_name_the_call_and_who_is_late)
{
    struct lab lab = compare((struct fault){ .boundary = { 0, 0, 2000 } });
    const struct mpl_place_load *x = find(lab.diff, MPL_TIME_WAITED, 3, "MPI_Recv");

    ck_assert_ptr_nonnull(x);
    ck_assert_double_eq_tol(x->beyond_s, 60 * 2e-3, 3e-3);
    ck_assert_uint_eq(x->culprit, 2);
    ck_assert_double_eq_tol(x->culprit_s, x->beyond_s, 3e-3);
    ck_assert_int_eq(x->when.kind, MPL_WHEN_ALL);
    for (uint32_t l = 0; l < 2; l++) {
        x = find(lab.diff, MPL_TIME_WAITED, l, "MPI_Allreduce");
        ck_assert_ptr_nonnull(x);
        ck_assert_uint_eq(x->culprit, 2);
        ck_assert(x->is_significant);
    }
    /* Who is late waits for nobody, and no call takes longer beside its waits. */
    ck_assert_ptr_null(find(lab.diff, MPL_TIME_WAITED, 2, "MPI_Recv"));
    for (size_t i = 0; i < lab.diff->n_calls; i++) {
        ck_assert_int_eq(lab.diff->calls[i].time, MPL_TIME_WAITED);
    }
    close_lab(&lab);
}
END_TEST

START_TEST(a_slow_link_is_communication_of_who_receives)
{
    struct lab lab = compare((struct fault){ .link = { 0, 1000 }, .first = 40 });
    const struct mpl_place_load *x = find(lab.diff, MPL_TIME_CALLS, 1, "MPI_Recv");

    ck_assert_ptr_nonnull(x);
    ck_assert_uint_eq(lab.diff->n_named, 0);
    ck_assert_double_eq_tol(x->beyond_s, 20 * 1e-3, 1e-3);
    ck_assert_str_eq(mpl_symbol_text(lab.diff->symbols, x->symbol, false, lab.arena),
                     "MPI_Recv(0)");
    ck_assert_int_eq(x->when.kind, MPL_WHEN_FROM);
    ck_assert_uint_eq(x->when.first, 40);
    ck_assert_uint_eq(x->base_bytes, 60 * 1000);
    ck_assert_uint_eq(x->new_bytes, 60 * 1000);
    ck_assert_double_eq(x->more_bytes_s, 0);
    ck_assert(x->is_significant);
    for (uint32_t l = 0; l < N_RANKS; l++) {
        ck_assert_ptr_null(find(lab.diff, MPL_TIME_CALLS, l, "MPI_Allreduce"));
        if (l != 1) {
            ck_assert_ptr_null(find(lab.diff, MPL_TIME_CALLS, l, "MPI_Recv"));
            x = find(lab.diff, MPL_TIME_WAITED, l, "MPI_Allreduce");
            ck_assert_ptr_nonnull(x);
            ck_assert_uint_eq(x->culprit, 1);
        }
    }
    close_lab(&lab);
}
END_TEST

START_TEST(larger_messages_are_said)
{
    struct lab lab =
        compare((struct fault){ .link = { 500, 500, 500, 500 }, .bytes = 9000 });

    ck_assert_int_eq(lab.diff->verdict, MPL_DIFF_DIFFERENT);
    for (uint32_t l = 0; l < N_RANKS; l++) {
        const struct mpl_place_load *x = find(lab.diff, MPL_TIME_CALLS, l, "MPI_Recv");

        ck_assert_ptr_nonnull(x);
        ck_assert_double_eq_tol(x->when.each_s, 500e-6, 5e-6);
        ck_assert_uint_eq(x->base_bytes, 60 * 1000);
        ck_assert_uint_eq(x->new_bytes, 60 * 10000);
        ck_assert_double_eq_tol(x->more_bytes_s, x->new_s - x->base_s, 1e-9);
        ck_assert_uint_eq(x->culprit, MPL_NONE);
    }
    close_lab(&lab);
}
END_TEST

START_TEST(a_slow_network_is_in_the_collective_of_all)
{
    struct lab lab = compare((struct fault){ .reduction = 400 });

    ck_assert_uint_eq(lab.diff->n_calls, N_RANKS);
    for (uint32_t l = 0; l < N_RANKS; l++) {
        const struct mpl_place_load *x = find(lab.diff, MPL_TIME_CALLS, l, "MPI_Allreduce");

        ck_assert_ptr_nonnull(x);
        ck_assert_double_eq_tol(x->when.each_s, 400e-6, 2e-6);
        ck_assert_int_eq(x->when.kind, MPL_WHEN_ALL);
        ck_assert(x->is_significant);
        ck_assert(x->is_wait_known);
    }
    close_lab(&lab);
}
END_TEST

START_TEST(without_a_fault_there_is_nothing)
{
    struct lab lab = compare((struct fault){ .bytes = 0 });

    ck_assert_int_eq(lab.diff->verdict, MPL_DIFF_SAME);
    ck_assert_uint_eq(lab.diff->n_places, 0);
    ck_assert_uint_eq(lab.diff->n_calls, 0);
    close_lab(&lab);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("diff_calls");
    TCase *c = add_case(suite, "diff_calls", NULL, NULL);

    tcase_set_timeout(c, 60);
    tcase_add_test(c, a_slow_function_leads_by_its_path_and_its_first_step);
    tcase_add_test(c, waits_name_the_call_and_who_is_late);
    tcase_add_test(c, a_slow_link_is_communication_of_who_receives);
    tcase_add_test(c, larger_messages_are_said);
    tcase_add_test(c, a_slow_network_is_in_the_collective_of_all);
    tcase_add_test(c, without_a_fault_there_is_nothing);
    return run_suite(suite);
}
