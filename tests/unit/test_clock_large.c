/*
 * Clocks of very many processes. Nothing is measured: a cost that grows with the square of the number
 * of processes takes hours here, so that the generous limit of time ends it.
 */
#include "config.h"

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "match_fixture.h"

#include <check.h>

#include "clock/clock_priv.h"

enum { LIMIT_S = 60, MANY = 100000, LEAVES = 256, FEW = 9, SEEDS = 400 };

/* ---- runs ------------------------------------------------------------------------------- */

static struct trace *trace;

/* Sent at the time of the one clock, received at that of the other. */
static void message(uint32_t from, int64_t sent, uint32_t to, int64_t received)
{
    (void) trace_send(trace, from, sent, sent + 1, "MPI_Send", (struct address){ 0, to, 0 },
                      8);
    (void) trace_recv(trace, to, received - 1, received, (struct address){ 0, from, 0 }, 8);
}

/* The clock of each process is 1 us behind the last one's, so that messages upwards seem to come before
 * they are sent. */
static void make_chain(bool is_downwards)
{
    for (uint32_t p = 0; p + 1 < MANY; p++) {
        const uint32_t q = is_downwards ? MANY - 1 - p : p;

        message(q, p == 0 ? 10 : 1020, is_downwards ? q - 1 : q + 1, 20);
    }
}

static void make_ring(void)
{
    make_chain(false);
    message(MANY - 1, 1020, 0, (int64_t) MANY * 1010);
}

/* Leaves around hubs, and these around process 0. */
static void make_stars(void)
{
    for (uint32_t p = 1; p < MANY; p++) {
        const uint32_t hub = p % LEAVES == 0 ? 0 : p - p % LEAVES;

        message(p, 10, hub, 1000 * (int64_t) (p - hub));
        message(hub, 1000 * (int64_t) (p - hub) + 10, p, 30);
    }
}

/* Two processes whose clocks no constant explains, and a chain behind them. */
static void make_contradiction(void)
{
    message(1, 10, 0, 5);
    message(0, 20, 1, 15);
    for (uint32_t p = 1; p + 1 < MANY; p++) {
        message(p, 1020, p + 1, 20);
    }
}

enum shape { SILENCE, UPWARDS, DOWNWARDS, RING, STARS, CONTRADICTION, SHAPES };

static const struct mpl_clock *correct(enum shape shape)
{
    const struct mpl_clock *clock = NULL;
    struct mpl_model *model;

    trace = trace_create(arena, MANY, 1);
    for (uint32_t p = 0; p < MANY; p++) {
        trace_record(trace, p, 0, MPL_EV_MARK);
    }
    switch (shape) {
    case UPWARDS:
    case DOWNWARDS:
        make_chain(shape == DOWNWARDS);
        break;
    case RING:
        make_ring();
        break;
    case STARS:
        make_stars();
        break;
    case CONTRADICTION:
        make_contradiction();
        break;
    default:
        break;
    }
    model = trace_model(trace);
    ck_assert_int_eq(mpl_clock_correct(model, trace_match(model, arena), NULL, NULL, arena,
                                       &clock, NULL),
                     MPL_OK);
    trace_destroy(trace);
    return clock;
}

START_TEST(many_processes_are_no_problem)
{
    const struct mpl_clock *clock = correct((enum shape) _i);

    ck_assert_uint_eq(clock->after.p2p, 0);
    ck_assert_uint_eq(clock->reference, 0);
    if (_i == STARS || _i == RING) {
        ck_assert_int_ne(clock->bound_ticks[MANY - 1], INT64_MAX);
    } else {
        ck_assert_int_eq(clock->bound_ticks[MANY - 1], INT64_MAX);
    }
}
END_TEST

/* ---- graphs ------------------------------------------------------------------------------- */

static size_t draw(uint64_t *state, size_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t) ((*state >> 33) % n);
}

struct small {
    struct mpl_graph graph;
    int64_t length[FEW][FEW]; /* Of shortest paths; MPL_TICKS_FAR: none. */
};

static void make_small(struct small *s, uint64_t state)
{
    const size_t density = 2 + draw(&state, 8);
    uint32_t n = 0;

    s->graph = (struct mpl_graph){ .n = FEW,
                                   .first = MPL_NEW_ARRAY(arena, FEW + 1, uint32_t),
                                   .arc = MPL_NEW_ARRAY(arena, FEW * FEW, struct mpl_arc) };
    for (uint32_t p = 0; p < FEW; p++) {
        s->graph.first[p] = n;
        for (uint32_t q = 0; q < FEW; q++) {
            s->length[p][q] = p == q ? 0 : MPL_TICKS_FAR;
            if (p != q && draw(&state, density) == 0) {
                s->length[p][q] = (int64_t) draw(&state, 20) - 4;
                s->graph.arc[n++] = (struct mpl_arc){ q, s->length[p][q] };
            }
        }
    }
    s->graph.first[FEW] = n;
    /* Floyd and Warshall. */
    for (uint32_t k = 0; k < FEW; k++) {
        for (uint32_t p = 0; p < FEW; p++) {
            for (uint32_t q = 0; q < FEW; q++) {
                const int64_t by_k = s->length[p][k] + s->length[k][q];

                if (s->length[p][k] < MPL_TICKS_FAR && s->length[k][q] < MPL_TICKS_FAR &&
                    by_k < s->length[p][q]) {
                    s->length[p][q] = by_k;
                }
            }
        }
    }
}

static bool has_solution(const struct small *s)
{
    for (uint32_t p = 0; p < FEW; p++) {
        if (s->length[p][p] < 0) {
            return false;
        }
    }
    return true;
}

static void check_components(const struct small *s, const uint32_t *component)
{
    for (uint32_t p = 0; p < FEW; p++) {
        uint32_t lowest = p;

        for (uint32_t q = FEW; q-- > 0;) {
            if (s->length[p][q] < MPL_TICKS_FAR && s->length[q][p] < MPL_TICKS_FAR) {
                lowest = q;
            }
        }
        ck_assert_uint_eq(component[p], lowest);
    }
}

START_TEST(paths_and_components_are_those_of_a_plain_search)
{
    struct mpl_paths paths;
    const uint32_t *component = NULL;
    struct small s;

    make_small(&s, (uint64_t) _i);
    ck_assert_int_eq(mpl_components_find(&s.graph, arena, &component, NULL), MPL_OK);
    check_components(&s, component);
    ck_assert_int_eq(mpl_paths_create(FEW, arena, &paths, NULL), MPL_OK);
    ck_assert_int_eq(mpl_graph_has_solution(&s.graph, component, &paths), has_solution(&s));
    if (!has_solution(&s)) {
        return;
    }
    /* A second start is taken up later, 5 from where it began. */
    mpl_paths_clear(&paths);
    mpl_paths_start(&paths, 0, 0);
    mpl_paths_spread(&s.graph, &paths);
    if (paths.ticks[1] > 5) {
        mpl_paths_start(&paths, 1, 5);
        mpl_paths_spread(&s.graph, &paths);
    }
    for (uint32_t q = 0; q < FEW; q++) {
        const int64_t by_one =
            s.length[1][q] == MPL_TICKS_FAR ? MPL_TICKS_FAR : s.length[1][q] + 5;
        const int64_t wanted = by_one < s.length[0][q] ? by_one : s.length[0][q];

        ck_assert(paths.ticks[q] ==
                  (wanted == MPL_TICKS_FAR ? MPL_PATH_NONE : (__int128) wanted));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clock_large");
    TCase *c = add_case(suite, "clock_large", create_arena, destroy_arena);

    tcase_set_timeout(c, LIMIT_S);
    tcase_add_loop_test(c, many_processes_are_no_problem, 0, SHAPES);
    tcase_add_loop_test(c, paths_and_components_are_those_of_a_plain_search, 0, SEEDS);
    return run_suite(suite);
}
