/* Loops up to rotation: against all rotations of all bodies, tried one by one. */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "sequence/sequence.h"

#include "../lib/suite.h"

enum { N_SEQUENCES = 8, LENGTH = 120, K = 12 };

static uint64_t random_state;

static uint32_t draw(uint32_t n)
{
    return (uint32_t) (mpl_hash_mix(random_state++) % n);
}

enum { N_BODIES = 4, BODY = 6, TIMES = 7 };

/* Of a few bodies each time another rotation, repeated. */
static void make(uint32_t bodies[N_BODIES][BODY], struct mpl_sequence *out,
                 uint32_t *symbols)
{
    *out = (struct mpl_sequence){ .symbols = symbols };
    while (out->n + BODY * TIMES <= LENGTH) {
        const uint32_t *body = bodies[draw(N_BODIES)];
        const uint32_t n = 1 + draw(BODY);
        const uint32_t start = draw(n);
        const uint32_t times = 1 + draw(TIMES);

        for (uint32_t i = 0; i < n * times; i++) {
            symbols[out->n++] = body[(start + i) % n];
        }
    }
}

/* Whether \p b begins in \p a, \p start items on, and goes round; loops in both by what the oracle found. */
static bool is_turned(struct mpl_loop a, struct mpl_loop b, uint32_t start,
                      const uint32_t *of)
{
    for (uint32_t i = 0; i < a.n; i++) {
        const struct mpl_item x = a.items[(start + i) % a.n];
        const struct mpl_item y = b.items[i];
        const bool are_loops = (x.what & y.what & MPL_LOOP) != 0;

        if (x.count != y.count ||
            (are_loops ? of[x.what & ~MPL_LOOP] != of[y.what & ~MPL_LOOP]
                       : x.what != y.what)) {
            return false;
        }
    }
    return true;
}

static uint32_t search(const struct mpl_loops *loops, uint32_t loop, const uint32_t *of)
{
    const struct mpl_loop b = mpl_loops_get(loops, loop);

    for (uint32_t i = 0; i < loop; i++) {
        const struct mpl_loop a = mpl_loops_get(loops, i);

        for (uint32_t start = 0; start < a.n && a.n == b.n; start++) {
            if (is_turned(a, b, start, of)) {
                return of[i];
            }
        }
    }
    return loop;
}

static size_t n_found;

START_TEST(rotations_are_those_that_a_search_finds)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_loops *loops = mpl_loops_create(K, arena);
    struct mpl_sequence sequences[N_SEQUENCES];
    struct mpl_folded folded[N_SEQUENCES];
    static uint32_t symbols[N_SEQUENCES][LENGTH];
    uint32_t bodies[N_BODIES][BODY];
    const uint32_t *of = NULL;
    uint32_t *expected;

    random_state = (uint64_t) _i << 32;
    for (int i = 0; i < N_BODIES * BODY; i++) {
        bodies[i / BODY][i % BODY] = draw(3);
    }
    for (int i = 0; i < N_SEQUENCES; i++) {
        make(bodies, &sequences[i], symbols[i]);
    }
    ck_assert_int_eq(mpl_loops_fold(loops, sequences, N_SEQUENCES, folded, NULL), MPL_OK);
    ck_assert(mpl_loops_find_rotations(loops, arena, &of));

    const uint32_t n = mpl_loops_count(loops);

    expected = calloc(n + 1, sizeof *expected);
    for (uint32_t i = 0; i < n; i++) {
        expected[i] = search(loops, i, expected);
        ck_assert_msg(of[i] == expected[i], "seed %d: loop %u is %u, not %u", _i, i, of[i],
                      expected[i]);
        n_found += of[i] != i;
    }
    free(expected);
    mpl_loops_destroy(loops);
    mpl_arena_destroy(arena);
}
END_TEST

START_TEST(there_were_rotations_to_find)
{
    ck_assert_uint_gt(n_found, 100);
}
END_TEST

START_TEST(send_recv_and_recv_send_are_one_loop_and_so_is_what_contains_them)
{
    /* (1 2)^3 5 (1 2)^3 5 (1 2)^3 5, and the same begun at 2, and at 5. */
    static const uint32_t a[] = { 1, 2, 1, 2, 1, 2, 5, 1, 2, 1, 2, 1, 2, 5, 1,
                                  2, 1, 2, 1, 2, 5, 9, 5, 2, 1, 2, 1, 2, 1, 5,
                                  2, 1, 2, 1, 2, 1, 5, 2, 1, 2, 1, 2, 1 };
    const struct mpl_sequence s = { .n = sizeof a / sizeof *a, .symbols = a };
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_loops *loops = mpl_loops_create(K, arena);
    struct mpl_folded out;
    const uint32_t *of = NULL;

    ck_assert_int_eq(mpl_loops_fold(loops, &s, 1, &out, NULL), MPL_OK);
    ck_assert(mpl_loops_find_rotations(loops, arena, &of));
    ck_assert_uint_eq(out.n, 3);
    ck_assert_uint_ne(out.items[0].what, out.items[2].what);
    ck_assert_uint_eq(mpl_item_unrotated(out.items[0], of).what,
                      mpl_item_unrotated(out.items[2], of).what);
    ck_assert_uint_eq(mpl_item_unrotated(out.items[1], of).what, 9);
    mpl_loops_destroy(loops);
    mpl_arena_destroy(arena);
}
END_TEST

START_TEST(without_memory_it_fails_cleanly)
{
    static const uint32_t a[] = { 1, 2, 1, 2, 1, 2, 7, 2, 1, 2, 1, 2, 1 };
    const struct mpl_sequence s = { .n = sizeof a / sizeof *a, .symbols = a };
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_loops *loops = mpl_loops_create(K, arena);
    struct mpl_folded out;
    const uint32_t *of = NULL;
    bool is_done = false;

    ck_assert_int_eq(mpl_loops_fold(loops, &s, 1, &out, NULL), MPL_OK);
    for (long n = 0; !is_done; n++) {
        ck_assert_int_lt(n, 1000);
        mpl_alloc_fail_after(n);
        is_done = mpl_loops_find_rotations(loops, arena, &of);
        mpl_alloc_fail_after(-1);
    }
    mpl_loops_destroy(loops);
    mpl_arena_destroy(arena);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rotations");
    TCase *c = add_case(s, "rotations", NULL, NULL);

    tcase_add_loop_test(c, rotations_are_those_that_a_search_finds, 0, 500);
    tcase_add_test(c, there_were_rotations_to_find);
    tcase_add_test(c, send_recv_and_recv_send_are_one_loop_and_so_is_what_contains_them);
    tcase_add_test(c, without_memory_it_fails_cleanly);
    return run_suite_without_fork(s);
}
