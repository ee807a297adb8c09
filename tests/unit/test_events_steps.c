/*
 * Steps of made runs: what was computed in each is known, so the summary can be compared with one
 * that is written from the definitions only.
 */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "events/events.h"
#include "read/read.h"

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "events_of.h"

enum { PROCESSES = 6, STEPS = 24, TEXT = 400000, SEEDS = 40 };

static const struct mpl_steps *steps_of(const char *text)
{
    const struct mpl_steps *steps = NULL;

    ck_assert_int_eq(mpl_events_steps(events_of_text(text, arena), arena, &steps, NULL),
                     MPL_OK);
    ck_assert_ptr_nonnull(steps);
    return steps;
}

/* ---- made runs ------------------------------------------------------------------------------ */

/* What each process computes in each step, us. */
typedef int load_matrix[STEPS][PROCESSES];

struct text {
    char *begin;
    size_t n;
};

static void put(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    text->n += (size_t) vsnprintf(text->begin + text->n, TEXT - text->n, format, arguments);
    va_end(arguments);
    ck_assert_uint_lt(text->n, TEXT - 1000);
}

static int most_of(const int *row, int n)
{
    int most = 0;

    for (int p = 0; p < n; p++) {
        most = row[p] > most ? row[p] : most;
    }
    return most;
}

/* A message around the ring, and one to the next but one. */
static void put_two(struct text *text, int p, int n, int from, int until)
{
    put(text, "rank %d: send %d..%d to %d tag 9\n", p, from, from + 1, (p + 1) % n);
    put(text, "rank %d: send %d..%d to %d tag 8\n", p, from + 1, from + 2, (p + 2) % n);
    put(text, "rank %d: recv %d..%d from %d tag 9\n", p, from + 2, until - 1,
        (p + n - 1) % n);
    put(text, "rank %d: recv %d..%d from %d tag 8\n", p, until - 1, until, (p + n - 2) % n);
}

/* A barrier, or a message around the ring. */
static void put_end(struct text *text, int p, int n, int from, int until,
                    bool is_collective)
{
    if (is_collective) {
        put(text, "rank %d: barrier %d..%d\n", p, from, until);
    } else {
        put(text, "rank %d: send %d..%d to %d tag 9\n", p, from, from + 1, (p + 1) % n);
        put(text, "rank %d: recv %d..%d from %d tag 9\n", p, from + 1, until,
            (p + n - 1) % n);
    }
}

/* Each step: computation and an end; now and then a broadcast behind it, which bounds no steps. */
static const char *make_with(load_matrix loads, int n, bool is_collective, int bcast_each)
{
    struct text text = { mpl_arena_alloc(arena, TEXT), 0 };
    int begin = 10;

    ck_assert_ptr_nonnull(text.begin);
    put(&text, "# us\n");
    for (int p = 0; p < n; p++) {
        put_end(&text, p, n, 0, 10, is_collective);
    }
    for (int k = 0; k < STEPS; k++) {
        const int end = begin + most_of(loads[k], n) + 30;

        for (int p = 0; p < n; p++) {
            const int sent = begin + loads[k][p];

            put(&text, "rank %d: compute %d..%d\n", p, begin, sent);
            put_end(&text, p, n, sent, end, is_collective);
            if (bcast_each > 0 && k % bcast_each == bcast_each - 1) {
                put(&text, "rank %d: bcast %d..%d root 0\n", p, end, end + 5);
            }
        }
        begin = end + (bcast_each > 0 && k % bcast_each == bcast_each - 1 ? 5 : 0);
    }
    return text.begin;
}

static const char *make(load_matrix loads, int n, bool is_collective)
{
    return make_with(loads, n, is_collective, is_collective ? 5 : 0);
}

/* ---- the same, from the definitions ------------------------------------------------------------ */

static double sum_of(const int *row, int n)
{
    double sum = 0;

    for (int p = 0; p < n; p++) {
        sum += row[p];
    }
    return sum;
}

static int by_number(const void *x, const void *y)
{
    return *(const int *) x - *(const int *) y;
}

/* Equal are those that differ from the first of them by no more than a twentieth of what the longest is
 * above the mean. */
static double rank_in(const int *row, int n, int p)
{
    int sorted[PROCESSES];
    const double mean = sum_of(row, n) / n;
    int first = 0;

    memcpy(sorted, row, (size_t) n * sizeof *row);
    qsort(sorted, (size_t) n, sizeof *sorted, by_number);
    for (int q = 0; q < n; q++) {
        int last = q;

        if (20 * (sorted[q] - sorted[first]) > sorted[n - 1] - mean) {
            first = q;
        }
        while (last + 1 < n &&
               20 * (sorted[last + 1] - sorted[first]) <= sorted[n - 1] - mean) {
            last++;
        }
        if (sorted[q] == row[p]) {
            return (first + last) / 2.0;
        }
    }
    return NAN;
}

static double spearman(const int *a, const int *b, int n)
{
    const double mean = (n - 1) / 2.0;
    double ab = 0;
    double aa = 0;
    double bb = 0;

    for (int p = 0; p < n; p++) {
        ab += (rank_in(a, n, p) - mean) * (rank_in(b, n, p) - mean);
        aa += pow(rank_in(a, n, p) - mean, 2);
        bb += pow(rank_in(b, n, p) - mean, 2);
    }
    return aa == 0 || bb == 0 ? NAN : ab / sqrt(aa * bb);
}

static double mean_of(const int *row, int n)
{
    return sum_of(row, n) / n;
}

#define ASSERT_NEAR(a, b) \
    ck_assert_msg(fabs((a) - (b)) < 1e-9 || (isnan(a) && isnan(b)), "%s: %g, not %g", #a, \
                  a, b)

static void check_sums(const struct mpl_steps *s, load_matrix loads, int n)
{
    double cost = 0;
    double unevenness = 0;
    double most = 0;
    double all = 0;
    int n_uneven = 0;

    for (int k = 0; k < STEPS; k++) {
        const double mean = mean_of(loads[k], n);

        cost += n * (most_of(loads[k], n) - mean);
        unevenness += mean > 0 ? most_of(loads[k], n) / mean - 1 : 0;
        n_uneven += mean > 0;
    }
    for (int p = 0; p < n; p++) {
        double sum = 0;
        double excess = 0;

        for (int k = 0; k < STEPS; k++) {
            ck_assert_int_eq(s->compute_ticks[k * n + p], 1000 * loads[k][p]);
            sum += loads[k][p];
            excess += fmax(0, loads[k][p] - mean_of(loads[k], n));
        }
        ASSERT_NEAR(s->loads[p].excess_s, excess * 1e-6);
        most = fmax(most, sum);
        all += sum;
    }
    ASSERT_NEAR(s->phases[MPL_PHASE_STEPS].longest_s, most * 1e-6);
    ASSERT_NEAR(s->phases[MPL_PHASE_STEPS].compute_s, all / n * 1e-6);
    ASSERT_NEAR(s->cost_s, cost * 1e-6);
    ASSERT_NEAR(s->kept_s, (n * most - all) * 1e-6);
    ASSERT_NEAR(s->imbalance, n_uneven == 0 ? NAN : unevenness / n_uneven);
}

/* Messages go around the ring: each waits for the one before it, or for two of them, or for all. */
static void check_peers(const struct mpl_steps *s, load_matrix loads, int n, int n_before)
{
    double begun[PROCESSES] = { 0 };
    double last = 0;
    double all = 0;

    for (int k = 0; k < STEPS; k++) {
        double done[PROCESSES];

        for (int p = 0; p < n; p++) {
            done[p] = begun[p] + loads[k][p];
            last = fmax(last, done[p]);
            all += loads[k][p];
        }
        for (int p = 0; p < n; p++) {
            begun[p] = s->is_collective ? last : done[p];
            for (int i = 1; i <= n_before; i++) {
                begun[p] = fmax(begun[p], done[(p + n - i) % n]);
            }
        }
    }
    ASSERT_NEAR(s->peers_cost_s, (n * last - all) * 1e-6);
}

static double longest_of(const int *loads, int n)
{
    double most = 0;

    for (int p = 0; p < n; p++) {
        most = fmax(most, loads[p]);
    }
    return most;
}

/* Steps that take less than a tenth of the mean one are left out. */
static void check_neighbours(const struct mpl_steps *s, load_matrix loads, int n)
{
    double mean = 0;
    double sum = 0;
    int n_pairs = 0;
    int before = -1;

    for (int k = 0; k < STEPS; k++) {
        mean += longest_of(loads[k], n) / STEPS;
    }
    for (int k = 0; k < STEPS; k++) {
        if (longest_of(loads[k], n) < 0.1 * mean) {
            continue;
        }

        const double r = before < 0 ? NAN : spearman(loads[before], loads[k], n);

        sum += isnan(r) ? 0 : r;
        n_pairs += !isnan(r);
        before = k;
    }
    ASSERT_NEAR(s->persistence, n_pairs == 0 ? NAN : sum / n_pairs);
}

static const struct mpl_steps *check_run(load_matrix loads, int n, bool is_collective)
{
    const struct mpl_steps *s = steps_of(make(loads, n, is_collective));

    ck_assert_uint_eq(s->n, STEPS);
    ck_assert_uint_eq(s->n_processes, (unsigned) n);
    ck_assert_int_eq(s->is_collective, is_collective);
    check_sums(s, loads, n);
    check_neighbours(s, loads, n);
    check_peers(s, loads, n, 1);
    return s;
}

/* A generator of its own: that of the library may differ between machines. */
static int next_random(uint64_t *state, int below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int) (*state >> 33) % below;
}

START_TEST(random_runs_have_the_summary_of_the_definitions)
{
    uint64_t state = 7;

    for (int seed = 0; seed < SEEDS; seed++) {
        const int n = 2 + next_random(&state, PROCESSES - 1);
        const int range = 1 + next_random(&state, seed % 2 == 0 ? 4 : 200);
        load_matrix loads = { 0 };

        for (int k = 0; k < STEPS; k++) {
            for (int p = 0; p < n; p++) {
                loads[k][p] = next_random(&state, range);
            }
        }
        (void) check_run(loads, n, _i != 0);
        mpl_arena_destroy(arena);
        create_arena();
    }
}
END_TEST

/* ---- three illnesses ----------------------------------------------------------------------------- */

START_TEST(one_slow_process_is_kept_in_all_steps)
{
    load_matrix loads;
    uint64_t state = 3;

    for (int k = 0; k < STEPS; k++) {
        for (int p = 0; p < PROCESSES; p++) {
            loads[k][p] = 100 + next_random(&state, 10) + (p == 4 ? 80 : 0);
        }
    }

    const struct mpl_steps *s = check_run(loads, PROCESSES, _i != 0);

    ck_assert_uint_eq(s->loads[4].heaviest_steps, STEPS);
    ASSERT_NEAR(s->heaviest_kept, 1.0);
    ck_assert_double_gt(s->kept_s, 0.95 * s->cost_s);
    ck_assert_double_lt(fabs(s->trend), 0.1);
}
END_TEST

/* An iteration that checks now and then whether it is done: what is between two checks are several steps. */
START_TEST(messages_bound_steps_where_collectives_are_rare)
{
    load_matrix loads;
    uint64_t state = 5;

    for (int k = 0; k < STEPS; k++) {
        for (int p = 0; p < PROCESSES; p++) {
            loads[k][p] = 100 + next_random(&state, 50);
        }
    }
    ck_assert_uint_eq(steps_of(make_with(loads, PROCESSES, false, 5))->n, STEPS);
    ck_assert_uint_lt(steps_of(make_with(loads, PROCESSES, false, 2))->n, STEPS);
}
END_TEST

/* In every other step, or in fewer. */
START_TEST(who_sends_now_and_then_is_not_waited_for_in_each_step)
{
    const int each = _i == 0 ? 2 : 4;
    struct text text = { mpl_arena_alloc(arena, TEXT), 0 };
    load_matrix loads;
    uint64_t state = 9;
    int begin = 10;

    put(&text, "# us\n");
    for (int p = 0; p < PROCESSES; p++) {
        put_end(&text, p, PROCESSES, 0, 10, false);
    }
    for (int k = 0; k < STEPS; k++) {
        for (int p = 0; p < PROCESSES; p++) {
            loads[k][p] = 100 + next_random(&state, 200);
        }
        const int end = begin + most_of(loads[k], PROCESSES) + 30;

        for (int p = 0; p < PROCESSES; p++) {
            const int sent = begin + loads[k][p];

            put(&text, "rank %d: compute %d..%d\n", p, begin, sent);
            if (k % each == 0) {
                put_two(&text, p, PROCESSES, sent, end);
            } else {
                put_end(&text, p, PROCESSES, sent, end, false);
            }
        }
        begin = end;
    }
    const struct mpl_steps *s = steps_of(text.begin);

    ck_assert_uint_eq(s->n, STEPS);
    check_peers(s, loads, PROCESSES, each == 2 ? 2 : 1);
}
END_TEST

/* A server computes nothing: beside it all others would be heavy. */
START_TEST(who_computes_nothing_is_no_yardstick)
{
    load_matrix loads;

    for (int k = 0; k < STEPS; k++) {
        for (int p = 0; p < PROCESSES; p++) {
            loads[k][p] = p < 2 ? 1 : 100 + (p == 4 ? 40 : 0);
        }
    }

    const struct mpl_steps *s = steps_of(make(loads, PROCESSES, _i != 0));

    /* The mean of the four others is 110. */
    ASSERT_NEAR(s->imbalance, 140.0 / 110 - 1);
    ASSERT_NEAR(s->cost_s, STEPS * 4 * 30e-6);
    ASSERT_NEAR(s->loads[4].excess_s, STEPS * 30e-6);
    ASSERT_NEAR(s->loads[0].excess_s, 0.0);
}
END_TEST

static const struct mpl_serial *serial_of(load_matrix loads, bool is_collective)
{
    const struct mpl_serial *serial = NULL;

    ck_assert_int_eq(
        mpl_events_serial(events_of_text(make(loads, PROCESSES, is_collective), arena),
                          arena, &serial, NULL),
        MPL_OK);
    ck_assert_ptr_nonnull(serial);
    return serial;
}

/* Everybody computes 100 us in each step, one of them more in some; who is alone in `n` of them. */
static void check_alone(int every, int more_us, bool is_collective, double alone_us,
                        double n)
{
    load_matrix loads;

    for (int k = 0; k < STEPS; k++) {
        for (int p = 0; p < PROCESSES; p++) {
            loads[k][p] = 100 + (p == 4 && k % every == every - 1 ? more_us : 0);
        }
    }

    const struct mpl_serial *s = serial_of(loads, is_collective);

    ck_assert_double_eq_tol(s[4].all_s, alone_us * 1e-6, 1e-9);
    ck_assert_double_eq_tol(s[4].n_sections, n, 1e-6);
    ck_assert_double_lt(s[3].all_s, 1e-9);
}

START_TEST(what_a_process_does_now_and_then_is_serial)
{
    check_alone(8, 800, _i != 0, 3 * 800, 3);
    check_alone(8, 51, _i != 0, 3 * 51, 3);
    check_alone(8, 49, _i != 0, 0, 0); /* scatter of equal work */
    check_alone(5, 800, _i != 0, 4 * 800, 4);
    check_alone(3, 800, _i != 0, 0, 0); /* too often: uneven work */
    check_alone(1, 800, _i != 0, 0, 0);
}
END_TEST

/* Pieces of any length are now and then the longest: 160 of 20 to 160 us is nothing that is done alone. */
START_TEST(the_longest_of_uneven_pieces_are_not_serial)
{
    static const int pieces[8] = { 20, 60, 80, 100, 120, 140, 160, 100 };
    load_matrix loads;

    for (int k = 0; k < STEPS; k++) {
        for (int p = 0; p < PROCESSES; p++) {
            loads[k][p] = p == 4 ? pieces[k % 8] : 100;
        }
    }
    ck_assert_double_lt(serial_of(loads, _i != 0)[4].all_s, 1e-9);
}
END_TEST

START_TEST(what_a_process_does_while_others_do_nothing_is_serial)
{
    load_matrix loads;

    for (int k = 0; k < STEPS; k++) {
        for (int p = 0; p < PROCESSES; p++) {
            loads[k][p] = k % 2 == 0 ? 100 : p == 2 ? 50 : 5;
        }
    }
    loads[0][2] = 600;

    const struct mpl_serial *s = serial_of(loads, _i != 0);

    ck_assert_double_eq_tol(s[2].all_s, (500 + STEPS / 2 * 45) * 1e-6, 1e-9);
    ck_assert_double_gt(s[2].n_sections, 3.9);
    ck_assert_double_lt(s[2].n_sections, 4); /* 1040^2 / (500^2 + 12 * 45^2) */
    ck_assert_double_lt(s[0].all_s, 1e-9);
}
END_TEST

START_TEST(a_wandering_place_is_persistent_and_nobodys)
{
    load_matrix loads;

    for (int k = 0; k < STEPS; k++) {
        for (int p = 0; p < PROCESSES; p++) {
            const int distance = abs(p - k / 4);

            loads[k][p] = 100 + 60 / (1 + distance);
        }
    }

    const struct mpl_steps *s = check_run(loads, PROCESSES, _i != 0);

    ck_assert_double_gt(s->persistence, 0.8);
    ck_assert_double_gt(s->heaviest_kept, 0.7);
    ck_assert_double_lt(s->kept_s, 0.3 * s->cost_s);
    for (int p = 0; p < PROCESSES; p++) {
        ck_assert_uint_eq(s->loads[p].heaviest_steps, 4);
    }
}
END_TEST

/* Each step is doubled at the next process: no two neighbours are alike, and yet it is no chance. */
START_TEST(strict_turns_say_who_is_next)
{
    load_matrix loads;

    for (int k = 0; k < STEPS; k++) {
        for (int p = 0; p < PROCESSES; p++) {
            loads[k][p] = p == k % 3 ? 200 : 100;
        }
    }

    const struct mpl_steps *s = check_run(loads, PROCESSES, _i != 0);
    const double right =
        (double) (STEPS - 4) / (STEPS - 1); /* the first round says nothing yet */

    ASSERT_NEAR(s->heaviest_kept, 0.0);
    ASSERT_NEAR(s->heaviest_order, (right - 1.0 / PROCESSES) / (1 - 1.0 / PROCESSES));
}
END_TEST

/* Work stays two steps at a process; between any two steps is one in which nobody computes. */
START_TEST(empty_steps_hide_no_order)
{
    load_matrix loads;

    for (int k = 0; k < STEPS; k++) {
        for (int p = 0; p < PROCESSES; p++) {
            loads[k][p] = k % 2 ? 1 + (k + p) % 2 : p == k / 4 % PROCESSES ? 200 : 100;
        }
    }

    const struct mpl_steps *s = steps_of(make(loads, PROCESSES, _i != 0));

    ck_assert_double_gt(s->persistence, 0.2);
    ck_assert_double_gt(s->heaviest_kept, 0.4);
}
END_TEST

START_TEST(noise_is_not_persistent)
{
    load_matrix loads;
    uint64_t state = 11;

    for (int k = 0; k < STEPS; k++) {
        for (int p = 0; p < PROCESSES; p++) {
            loads[k][p] = 100 + next_random(&state, 40);
        }
    }

    const struct mpl_steps *s = check_run(loads, PROCESSES, _i != 0);

    ck_assert_double_lt(fabs(s->persistence), 0.2);
    ck_assert_double_lt(s->heaviest_order, 0.25);
    ck_assert_double_lt(s->kept_s, 0.4 * s->cost_s);
}
END_TEST

START_TEST(growth_has_a_trend_and_a_slope)
{
    load_matrix loads;

    /* Rank 0 computes 2 us more in each step: max - mean grows by 2 * 5/6 us. */
    for (int k = 0; k < STEPS; k++) {
        for (int p = 0; p < PROCESSES; p++) {
            loads[k][p] = 100 + (p == 0 ? 2 * k : 0);
        }
    }

    const struct mpl_steps *s = check_run(loads, PROCESSES, _i != 0);

    ASSERT_NEAR(s->slope_s, 2e-6 * 5 / 6);
    ck_assert_double_gt(s->trend, 0.2);
}
END_TEST

/* ---- where there are none --------------------------------------------------------------------------- */

START_TEST(too_few_steps_are_none)
{
    /* Five barriers bound four steps; four bound three. */
    static const char four[] =
        "# us\n"
        "rank 0: barrier 0..1 compute 1..9 barrier 9..10 compute 10..19 barrier 19..20 "
        "compute 20..29 barrier 29..30\n"
        "rank 1: barrier 0..1 compute 1..9 barrier 9..10 compute 10..19 barrier 19..20 "
        "compute 20..29 barrier 29..30\n";
    static const char five[] =
        "# us\n"
        "rank 0: barrier 0..1 compute 1..9 barrier 9..10 compute 10..19 barrier 19..20 "
        "compute 20..29 barrier 29..30 compute 30..39 barrier 39..40\n"
        "rank 1: barrier 0..1 compute 1..9 barrier 9..10 compute 10..19 barrier 19..20 "
        "compute 20..29 barrier 29..30 compute 30..39 barrier 39..40\n";

    ck_assert_uint_eq(steps_of(four)->n, 0);
    ck_assert_uint_eq(steps_of(five)->n, 4);
}
END_TEST

START_TEST(a_process_that_takes_no_part_leaves_no_common_steps)
{
    ck_assert_uint_eq(
        steps_of(
            "# us\n"
            "rank 0: send 1..2 to 1 send 3..4 to 1 send 5..6 to 1 send 7..8 to 1 "
            "send 9..10 to 1\n"
            "rank 1: recv 1..2 from 0 recv 3..4 from 0 recv 5..6 from 0 recv 7..8 from 0 "
            "recv 9..10 from 0\n"
            "rank 2: compute 0..10\n")
            ->n,
        0);
}
END_TEST

START_TEST(steps_of_the_set_up_are_not_those_of_the_run)
{
    ck_assert_uint_eq(
        steps_of("# us\n"
                 "rank 0: barrier 0..1 barrier 2..3 barrier 4..5 barrier 6..7 barrier 8..9 "
                 "compute 9..100\n"
                 "rank 1: barrier 0..1 barrier 2..3 barrier 4..5 barrier 6..7 barrier 8..9 "
                 "compute 9..100\n")
            ->n,
        0);
}
END_TEST

/* ---- out of memory -------------------------------------------------------------------------- */

START_TEST(out_of_memory_is_told)
{
    load_matrix loads = { 0 };
    const struct mpl_events *events = events_of_text(make(loads, 3, _i != 0), arena);
    long n = 0;

    for (;; n++) {
        const struct mpl_steps *steps = NULL;
        struct mpl_err err = { 0 };

        mpl_alloc_fail_after(n);
        const enum mpl_status st = mpl_events_steps(events, arena, &steps, &err);
        mpl_alloc_fail_after(-1);
        if (st == MPL_OK) {
            break;
        }
        ck_assert_int_eq(st, MPL_E_NOMEM);
        ck_assert_ptr_null(steps);
    }
    ck_assert_int_ge(n, 2);
}
END_TEST

START_TEST(out_of_memory_is_told_for_serial_work)
{
    load_matrix loads = { 0 };
    const struct mpl_events *events = events_of_text(make(loads, 3, _i != 0), arena);
    long n = 0;

    for (;; n++) {
        const struct mpl_serial *serial = NULL;
        struct mpl_err err = { 0 };

        mpl_alloc_fail_after(n);
        const enum mpl_status st = mpl_events_serial(events, arena, &serial, &err);
        mpl_alloc_fail_after(-1);
        if (st == MPL_OK) {
            break;
        }
        ck_assert_int_eq(st, MPL_E_NOMEM);
        ck_assert_ptr_null(serial);
    }
    ck_assert_int_ge(n, 2);
}
END_TEST

START_TEST(sections_are_found_once_for_all_who_ask)
{
    static load_matrix loads;
    const struct mpl_sections *first = NULL;
    const struct mpl_sections *second = NULL;
    struct mpl_arena *other = mpl_arena_create();
    const struct mpl_events *events;

    for (int k = 0; k < STEPS; k++) {
        for (int p = 0; p < PROCESSES; p++) {
            loads[k][p] = 10;
        }
    }
    events = events_of_text(make(loads, PROCESSES, true), arena);
    ck_assert_int_eq(mpl_events_sections(events, other, &first, NULL), MPL_OK);
    ck_assert_uint_gt(first->n, STEPS - 1);
    const uint32_t *const *calls = first->calls;
    mpl_arena_destroy(other);
    ck_assert_int_eq(mpl_events_sections(events, arena, &second, NULL), MPL_OK);
    ck_assert_ptr_eq(second->calls, calls);
    ck_assert_uint_lt(second->calls[0][0], second->calls[0][second->n - 2]);
}
END_TEST

/* Six messages, a barrier, six messages: each bounds a section, and those behind the barrier are not those before it. */
START_TEST(sections_between_collectives_are_bounded_by_their_own_messages)
{
    const struct mpl_sections *sections = NULL;
    const struct mpl_events *events = events_of_text(
        "# us\n"
        "rank 0: send 1..2 to 1 send 11..12 to 1 send 21..22 to 1 send 31..32 to 1 "
        "send 41..42 to 1 send 51..52 to 1 barrier 60..61 send 71..72 to 1 send 81..82 to "
        "1 "
        "send 91..92 to 1 send 101..102 to 1 send 111..112 to 1 send 121..122 to 1\n"
        "rank 1: recv 1..2 from 0 recv 11..12 from 0 recv 21..22 from 0 recv 31..32 from 0 "
        "recv 41..42 from 0 recv 51..52 from 0 barrier 60..61 recv 71..72 from 0 "
        "recv 81..82 from 0 recv 91..92 from 0 recv 101..102 from 0 recv 111..112 from 0 "
        "recv 121..122 from 0\n",
        arena);

    ck_assert_int_eq(mpl_events_sections(events, arena, &sections, NULL), MPL_OK);
    ck_assert_uint_eq(sections->n, 14);
    for (uint32_t location = 0; location < 2; location++) {
        for (uint32_t k = 0; k < sections->n - 1; k++) {
            ck_assert_uint_eq(sections->calls[location][k], k);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("events_steps");
    TCase *all = add_case(suite, "all", create_arena, destroy_arena);

    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, random_runs_have_the_summary_of_the_definitions, 0, 2);
    tcase_add_loop_test(all, one_slow_process_is_kept_in_all_steps, 0, 2);
    tcase_add_test(all, messages_bound_steps_where_collectives_are_rare);
    tcase_add_loop_test(all, who_sends_now_and_then_is_not_waited_for_in_each_step, 0, 2);
    tcase_add_loop_test(all, who_computes_nothing_is_no_yardstick, 0, 2);
    tcase_add_loop_test(all, what_a_process_does_now_and_then_is_serial, 0, 2);
    tcase_add_loop_test(all, the_longest_of_uneven_pieces_are_not_serial, 0, 2);
    tcase_add_loop_test(all, what_a_process_does_while_others_do_nothing_is_serial, 0, 2);
    tcase_add_loop_test(all, a_wandering_place_is_persistent_and_nobodys, 0, 2);
    tcase_add_loop_test(all, strict_turns_say_who_is_next, 0, 2);
    tcase_add_loop_test(all, empty_steps_hide_no_order, 0, 2);
    tcase_add_loop_test(all, noise_is_not_persistent, 0, 2);
    tcase_add_loop_test(all, growth_has_a_trend_and_a_slope, 0, 2);
    tcase_add_test(all, too_few_steps_are_none);
    tcase_add_test(all, a_process_that_takes_no_part_leaves_no_common_steps);
    tcase_add_test(all, steps_of_the_set_up_are_not_those_of_the_run);
    tcase_add_test(all, sections_are_found_once_for_all_who_ask);
    tcase_add_test(all, sections_between_collectives_are_bounded_by_their_own_messages);
    tcase_add_loop_test(all, out_of_memory_is_told, 0, 2);
    tcase_add_loop_test(all, out_of_memory_is_told_for_serial_work, 0, 2);
    return run_suite(suite);
}
