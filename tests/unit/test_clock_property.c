/*
 * Runs made up with clocks that are known: whatever the topology and the delays, every offset
 * must lie within its bound, the bound within that of the spanning tree, and nothing may end
 * before it begins on the corrected time line.
 */
#include "config.h"

#include "../lib/arena.h"
#include "../lib/columns.h"
#include "../lib/suite.h"
#include "match_fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { N_SEEDS = 300, MOST_PROCESSES = 20 };

/* A generator of our own, so that a seed means the same everywhere. */
static uint64_t state;

static int64_t draw(int64_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t) ((state >> 33) % (uint64_t) n);
}

/* What connects the processes. */
enum traffic {
    BOTH_WAYS,   /* Random pairs, random directions. */
    COLLECTIVES, /* Nothing else. */
    ONE_WAY,     /* Upwards in rank, and now and then a barrier. */
    SYNCHRONOUS, /* MPI_Ssend from a rank to the next. */
    GROUPS,      /* Barriers of overlapping halves, in which ranks run backwards. */
    TRAFFICS
};

/* A run in true time; every process has a clock of its own. */
struct run {
    struct trace *trace;
    uint32_t n;
    int64_t now[MOST_PROCESSES];   /* True time up to which a process is recorded. */
    int64_t ahead[MOST_PROCESSES]; /* Its clock minus the true time, beyond its base. */
    uint64_t base[MOST_PROCESSES];
    uint32_t half[2]; /* Communicators of the two halves. */
};

static int64_t local(const struct run *run, uint32_t process, int64_t now)
{
    return now + run->ahead[process];
}

/* Delays are asymmetric: towards lower ranks they are three times as long. */
static int64_t draw_delay(uint32_t from, uint32_t to)
{
    return (300 + draw(2000)) * (from > to ? 3 : 1) + (draw(10) == 0 ? draw(40000) : 0);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void message(struct run *run, uint32_t from, uint32_t to, bool is_synchronous)
{
    const int64_t sent = run->now[from] + 100 + draw(3000);
    const int64_t enter = run->now[to] + 100 + draw(3000);
    const int64_t received = later(sent + draw_delay(from, to), enter + 50);
    const int64_t returned =
        is_synchronous ? later(sent, enter) + draw_delay(to, from) : sent + 80;

    (void) trace_send(run->trace, from, local(run, from, sent), local(run, from, returned),
                      is_synchronous ? "MPI_Ssend" : "MPI_Send",
                      (struct address){ 0, to, 1 }, 8);
    (void) trace_recv(run->trace, to, local(run, to, enter), local(run, to, received),
                      (struct address){ 0, from, 1 }, 8);
    run->now[from] = returned;
    run->now[to] = received;
}

/* Of processes begin to end - 1, on their communicator. */
static void barrier_of(struct run *run, uint32_t comm, uint32_t begin, uint32_t end)
{
    int64_t enter[MOST_PROCESSES];
    int64_t last = 0;

    for (uint32_t p = begin; p < end; p++) {
        enter[p] = run->now[p] + 100 + draw(20000);
        last = later(last, enter[p]);
    }
    for (uint32_t p = begin; p < end; p++) {
        run->now[p] = last + 500 + draw(5000);
        (void) trace_coll(run->trace, p, local(run, p, enter[p]),
                          local(run, p, run->now[p]), comm, MPL_COLL_BARRIER, MPL_NONE);
    }
}

static void barrier(struct run *run)
{
    barrier_of(run, 0, 0, run->n);
}

/* The lower or the upper half; they share the process in the middle. */
static void barrier_of_half(struct run *run, uint32_t half)
{
    const uint32_t middle = run->n / 2;

    barrier_of(run, run->half[half], half == 0 ? 0 : middle,
               half == 0 ? middle + 1 : run->n);
}

static void make_halves(struct run *run)
{
    uint32_t member[MOST_PROCESSES];
    const uint32_t middle = run->n / 2;

    for (uint32_t i = 0; i <= middle; i++) {
        member[i] = middle - i;
    }
    run->half[0] = trace_comm(run->trace, member, middle + 1);
    for (uint32_t i = 0; i < run->n - middle; i++) {
        member[i] = run->n - 1 - i;
    }
    run->half[1] = trace_comm(run->trace, member, run->n - middle);
}

static void broadcast(struct run *run, uint32_t root)
{
    const int64_t begin = run->now[root] + 100;

    for (uint32_t p = 0; p < run->n; p++) {
        const int64_t enter = p == root ? begin : run->now[p] + 100;

        run->now[p] = later(enter, p == root ? enter : begin) + 200 + draw(3000);
        (void) trace_coll(run->trace, p, local(run, p, enter), local(run, p, run->now[p]),
                          0, MPL_COLL_BCAST, root);
    }
}

static void step(struct run *run, enum traffic traffic)
{
    const uint32_t a = (uint32_t) draw(run->n);
    const uint32_t b = (a + 1 + (uint32_t) draw(run->n - 1)) % run->n;

    switch (traffic) {
    case BOTH_WAYS:
        message(run, a, b, false);
        break;
    case COLLECTIVES:
        if (draw(2) == 0) {
            barrier(run);
        } else {
            broadcast(run, a);
        }
        break;
    case ONE_WAY:
        if (draw(8) == 0) {
            barrier(run);
        } else {
            message(run, a < b ? a : b, a < b ? b : a, false);
        }
        break;
    case GROUPS:
        barrier_of_half(run, (uint32_t) draw(2));
        break;
    default:
        if (a + 1 < run->n) {
            message(run, a, a + 1, true);
        }
    }
}

/* \p skew is added to the base of the last process: it must not matter. */
static struct mpl_model *make_run(uint64_t seed, uint64_t skew, struct run *run)
{
    const enum traffic traffic = (enum traffic)(seed % TRAFFICS);
    struct mpl_model *model;

    state = seed;
    run->n = 2 + (uint32_t) draw(MOST_PROCESSES - 1);
    run->trace = trace_create(arena, run->n, 1);
    for (uint32_t p = 0; p < run->n; p++) {
        run->now[p] = 0;
        run->ahead[p] = draw(1000);
        run->base[p] = ((uint64_t) draw(1 << 20) << 40) + (p + 1 == run->n ? skew : 0);
        trace_set_base(run->trace, p, run->base[p]);
    }
    make_halves(run);
    for (int64_t i = 20 + draw(400); i > 0; i--) {
        step(run, traffic);
    }
    model = trace_model(run->trace);
    trace_destroy(run->trace);
    return model;
}

static const struct mpl_clock *correct(struct mpl_model *model)
{
    const struct mpl_match *match = trace_match(model, arena);
    const struct mpl_clock *clock = NULL;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_clock_correct(model, match, NULL, NULL, arena, &clock, &err),
                     MPL_OK);
    mpl_model_check(model);
    return clock;
}

/* Where nothing was recorded of the reference, all are alike in not being known. */
static void check_bounds(const struct run *run, const struct mpl_clock *clock, int seed)
{
    const uint32_t r = clock->reference;

    for (uint32_t p = 0; p < run->n; p++) {
        const int64_t truth =
            (int64_t) (run->base[r] - run->base[p]) + run->ahead[r] - run->ahead[p];

        ck_assert_msg(clock->bound_ticks[p] <= clock->tree_bound_ticks[p],
                      "seed %d: bound of %u", seed, p);
        if (clock->bound_ticks[p] != INT64_MAX) {
            ck_assert_msg(llabs(clock->offset_ticks[p] - truth) <= clock->bound_ticks[p],
                          "seed %d: offset of %u", seed, p);
        }
    }
}

/* _i is the seed. */
START_TEST(offsets_are_within_their_bounds)
{
    struct run run;
    struct mpl_model *model = make_run((uint64_t) _i, 0, &run);
    const struct mpl_clock *clock = correct(model);
    int64_t first = INT64_MAX;

    check_bounds(&run, clock, _i);
    ck_assert_msg(clock->after.p2p == 0 && clock->after.collective == 0, "seed %d", _i);
    ck_assert_uint_eq(note_count(model, "clock-drift-suspected"), 0);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        if (model->locations[l].n_events > 0) {
            ck_assert_uint_eq(model->locations[l].base_ticks,
                              model->locations[0].base_ticks);
            first = mpl_ticks_of(&model->locations[l], 0) < first
                        ? mpl_ticks_of(&model->locations[l], 0)
                        : first;
        }
    }
    ck_assert_int_eq(first, 0);
}
END_TEST

/* What a clock shows when it is started cannot matter once it is corrected. */
START_TEST(zero_of_a_clock_does_not_matter)
{
    struct run run;
    struct mpl_model *one = make_run((uint64_t) _i, 0, &run);
    struct mpl_model *other = make_run((uint64_t) _i, UINT64_C(123456789012), &run);

    if (correct(one)->tree_bound_ticks[run.n - 1] == INT64_MAX) {
        return;
    }
    (void) correct(other);
    for (uint32_t l = 0; l < one->n_locations; l++) {
        ck_assert_msg(memcmp(all_ticks(&one->locations[l], arena),
                             all_ticks(&other->locations[l], arena),
                             one->locations[l].n_events * sizeof(int64_t)) == 0,
                      "seed %d: location %u", _i, l);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clock_property");
    TCase *c = add_case(suite, "clock_property", create_arena, destroy_arena);

    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, offsets_are_within_their_bounds, 0, N_SEEDS);
    tcase_add_loop_test(c, zero_of_a_clock_does_not_matter, 0, N_SEEDS);
    return run_suite(suite);
}
