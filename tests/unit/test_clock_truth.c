/*
 * Corrected clocks against the truth: the machine that made these traces had one clock for all
 * processes, so what must be added to each is known to the nanosecond.
 */
#include "config.h"

#include "../lib/suite.h"
#include "all_traces.h"
#include "match_fixture.h"

#include "read/read.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 64 };

static struct mpl_model *read_trace(const char *name)
{
    struct mpl_model *model = NULL;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_read(trace_path(arena, name, NULL), arena, NULL, &model, &err),
                     MPL_OK);
    return model;
}

static const struct mpl_clock *correct_as(struct mpl_model *model,
                                          enum mpl_clock_choice choice, bool is_repaired)
{
    const struct mpl_match *match = trace_match(model, arena);
    struct mpl_clock_options options = mpl_clock_defaults();
    const struct mpl_clock *clock = NULL;
    struct mpl_err err = { 0 };

    options.choice = choice;
    options.repair.is_off = !is_repaired;
    ck_assert_int_eq(mpl_clock_correct(model, match, &options, NULL, arena, &clock, &err),
                     MPL_OK);
    mpl_model_check(model);
    return clock;
}

static const struct mpl_clock *correct(struct mpl_model *model)
{
    return correct_as(model, MPL_CLOCK_AUTO, true);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- constant offsets ----------------------------------------------------------------- */

static uint32_t read_truth(FILE *file, int64_t *truth)
{
    char line[256];
    uint32_t rank;
    uint32_t n = 0;
    int64_t offset;

    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#') {
            continue;
        }
        ck_assert_int_eq(sscanf(line, "%" SCNu32 " %" SCNd64, &rank, &offset), 2);
        ck_assert_uint_lt(rank, MOST_RANKS);
        truth[rank] = offset;
        n++;
    }
    return n;
}

/* Errors of several clocks or events. */
struct errors {
    double squares;
    double most;
    uint64_t n;
};

static void add_error(struct errors *errors, double error)
{
    errors->squares += error * error;
    errors->most = fmax(errors->most, fabs(error));
    errors->n++;
}

static double rms_us(const struct errors *errors)
{
    return errors->n == 0 ? 0 : sqrt(errors->squares / (double) errors->n) / 1000;
}

static void print_errors(const char *name, const char *what, const struct errors *before,
                         const struct errors *after, int64_t bound)
{
    (void) printf("%-28s RMS / maximum in us: %9.1f / %9.1f %s, %9.2f / %9.2f estimated, "
                  "bound %9.2f\n",
                  name, rms_us(before), before->most / 1000, what, rms_us(after),
                  after->most / 1000, (double) bound / 1000);
}

static void compare_with_truth(const char *name, const int64_t *truth, uint32_t n)
{
    struct mpl_model *model = read_trace(name);
    const struct mpl_clock *clock = correct(model);
    struct errors before = { 0 };
    struct errors after = { 0 };
    int64_t bound = 0;

    ck_assert_uint_eq(n, model->n_processes);
    ck_assert_int_eq(clock->source, MPL_CLOCK_MESSAGES);
    ck_assert_uint_eq(clock->reference, 0);
    ck_assert_uint_eq(note_count(model, "clock-drift-suspected"), 0);
    for (uint32_t p = 0; p < n; p++) {
        const uint32_t l = model->processes[p].locations[0];
        const int64_t off = clock->offset_ticks[l] - truth[p];

        ck_assert_msg(llabs(off) <= clock->bound_ticks[l],
                      "%s: rank %u is off by %" PRId64 " ns, bound %" PRId64, name, p, off,
                      clock->bound_ticks[l]);
        ck_assert_msg(clock->bound_ticks[l] <= clock->tree_bound_ticks[l],
                      "%s: bound of rank %u exceeds the tree's", name, p);
        add_error(&before, (double) truth[p]);
        add_error(&after, (double) off);
        bound = larger(bound, clock->bound_ticks[l]);
    }
    ck_assert_uint_eq(clock->after.p2p, 0);
    ck_assert_uint_eq(clock->after.collective, 0);
    print_errors(name, "recorded", &before, &after, bound);
}

/* False where no truth is known. */
static bool compare_with_its_truth(const char *name, const char *path)
{
    int64_t truth[MOST_RANKS] = { 0 };
    FILE *file = fopen(mpl_arena_printf(arena, "%s/clock-truth.tsv", path), "r");

    if (file != NULL) {
        compare_with_truth(name, truth, read_truth(file, truth));
        (void) fclose(file);
    }
    return file != NULL;
}

/* Prints the errors of each trace before and after. */
START_TEST(every_offset_is_within_its_bound)
{
    look_at_all_traces(compare_with_its_truth, 20);
}
END_TEST

/* The queue at the master is some 8 ms long; the messages to waiting workers take microseconds. */
START_TEST(busy_master_does_not_bend_the_clocks_of_its_workers)
{
    struct mpl_model *model = read_trace("mandel-mw-masterslow-np8");
    const struct mpl_clock *clock = correct(model);
    FILE *file =
        fopen(trace_path(arena, "mandel-mw-masterslow-np8", "clock-truth.tsv"), "r");
    int64_t truth[MOST_RANKS] = { 0 };

    ck_assert_ptr_nonnull(file);
    (void) read_truth(file, truth);
    (void) fclose(file);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        ck_assert_int_le(llabs(clock->offset_ticks[l] - truth[l]), 100000);
    }
}
END_TEST

/* ---- drift ------------------------------------------------------------------------------ */

/* "w = t + off + t * ppm * 1e-6 + amp * sin(2 pi t / per)", times from the first stamp. */
struct drift {
    double first_ns, epoch_s, off_s, ppm, amp_s, per_s;
};

static double local_clock(const struct drift *d, double t)
{
    return t + d->off_s + t * d->ppm * 1e-6 + d->amp_s * sin(2 * acos(-1) * t / d->per_s);
}

/* The clock gains some 1e-4, so the fixed point is reached to a nanosecond in a few steps. */
static double true_time(const struct drift *d, int64_t ticks)
{
    const double w = ((double) ticks + d->first_ns) * 1e-9;
    double t = w - d->off_s;

    for (int i = 0; i < 6; i++) {
        t += w - local_clock(d, t);
    }
    return t;
}

static uint32_t read_drift(FILE *file, struct drift *drift)
{
    char line[256];
    uint32_t rank;
    uint32_t n = 0;
    struct drift d;

    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#') {
            continue;
        }
        ck_assert_int_eq(sscanf(line, "%" SCNu32 " %lf %lf %lf %lf %lf %lf", &rank,
                                &d.first_ns, &d.epoch_s, &d.off_s, &d.ppm, &d.amp_s,
                                &d.per_s),
                         7);
        ck_assert_uint_lt(rank, MOST_RANKS);
        drift[rank] = d;
        n++;
    }
    return n;
}

/* By how much the events of a location are off, and what is left if all move by a constant. */
static void compare_drift(const struct drift *drift, const struct mpl_location *raw,
                          const struct mpl_location *now, uint32_t l, struct errors *off,
                          struct errors *constant)
{
    double low = INFINITY;
    double high = -INFINITY;

    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < raw->n_events; i++) {
            const int64_t ticks = (int64_t) raw->base_ticks + mpl_ticks_of(raw, i);
            const double wanted =
                local_clock(&drift[0], true_time(&drift[l], ticks)) * 1e9 -
                drift[0].first_ns;
            const double add = wanted - (double) ticks;

            low = fmin(low, add);
            high = fmax(high, add);
            if (pass == 1) {
                add_error(constant, add - (low + high) / 2);
                add_error(off, (double) ((int64_t) now->base_ticks + mpl_ticks_of(now, i)) -
                                   wanted);
            }
        }
    }
}

/* At every moment, not only on average: that is what the bound must cover. */
START_TEST(drift_is_followed_within_its_bound_all_the_time)
{
    const char *name = "npb-lu-W-drift-np4";
    struct drift drift[MOST_RANKS] = { { 0 } };
    FILE *file = fopen(trace_path(arena, name, "clock-truth-drift.txt"), "r");
    const struct mpl_model *raw = read_trace(name);
    struct mpl_model *model = read_trace(name);
    const struct mpl_clock *clock = correct(model);
    struct errors constant = { 0 };
    struct errors all = { 0 };
    int64_t bound = 0;

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(read_drift(file, drift), 4);
    (void) fclose(file);
    ck_assert_uint_eq(note_count(model, "clock-drift-suspected"), 1);
    ck_assert_uint_eq(note_count(model, "clock-outlier"), 0);
    for (uint32_t l = 0; l < 4; l++) {
        struct errors own = { 0 };

        compare_drift(drift, &raw->locations[l], &model->locations[l], l, &own, &constant);
        ck_assert_msg(own.most <= (double) clock->bound_ticks[l] + 1,
                      "rank %u: %.0f, bound %" PRId64, l, own.most, clock->bound_ticks[l]);
        all.squares += own.squares;
        all.n += own.n;
        all.most = fmax(all.most, own.most);
        bound = larger(bound, clock->bound_ticks[l]);
    }
    print_errors(name, "constants", &constant, &all, bound);
    ck_assert_double_le(rms_us(&all), 5);
    ck_assert_int_le(bound, 20000);
    ck_assert_uint_eq(clock->after.p2p, 0);
    ck_assert_uint_eq(clock->after.collective, 0);
}
END_TEST

/* ---- recorded offsets ---------------------------------------------------------------------- */

START_TEST(recorded_offsets_of_two_nodes_reverse_no_message)
{
    struct mpl_model *model = read_trace("public-casita-2_jacobi_blame_cpu_015");
    const struct mpl_clock *clock = correct(model);

    ck_assert_int_eq(clock->source, MPL_CLOCK_OFFSETS);
    ck_assert_uint_eq(clock->before.p2p, 1000);
    ck_assert_uint_eq(clock->after.p2p, 0);
    ck_assert_uint_eq(clock->after.collective, 0);
}
END_TEST

/* Recorded were 21,214,646 to 21,216,053. */
START_TEST(messages_find_what_the_tracer_measured)
{
    struct mpl_model *model = read_trace("public-casita-2_jacobi_blame_cpu_015");
    const uint32_t l = model->processes[1].locations[0];
    const struct mpl_clock *clock = correct_as(model, MPL_CLOCK_ONLY_MESSAGES, true);
    const int64_t first = clock->offset_ticks[l] - clock->drift_ticks[l] / 2;
    const int64_t last = clock->offset_ticks[l] + clock->drift_ticks[l] / 2;

    ck_assert_int_eq(clock->source, MPL_CLOCK_MESSAGES);
    ck_assert_uint_eq(clock->before.p2p, 1000);
    ck_assert_uint_eq(clock->after.p2p, 0);
    ck_assert_int_le(clock->bound_ticks[l], 20000);
    ck_assert_int_ge(first, 21214646 - clock->bound_ticks[l]);
    ck_assert_int_le(first, 21216053 + clock->bound_ticks[l]);
    ck_assert_int_ge(last, 21214646 - clock->bound_ticks[l]);
    ck_assert_int_le(last, 21216053 + clock->bound_ticks[l]);
    (void) printf("casita-2, rank 1: %" PRId64 " to %" PRId64 " ns, bound %" PRId64 "\n",
                  first, last, clock->bound_ticks[l]);
}
END_TEST

/* The figures of TRACES for a run whose clocks swing between their two recorded offsets. */
START_TEST(reversals_after_linear_interpolation_are_counted_by_kind)
{
    struct mpl_model *model = read_trace("scorep-halo-skew");
    const struct mpl_clock *clock = correct_as(model, MPL_CLOCK_ONLY_OFFSETS, false);

    ck_assert_uint_eq(clock->after.p2p, 6736);
    /* 268 in collectives, 2 in MPI_Finalize. */
    ck_assert_uint_eq(clock->after.collective, 270);
    ck_assert_int_eq(llround(mpl_model_seconds(model, clock->after.worst_ticks) * 1e5),
                     113);
    ck_assert_uint_eq(note_count(model, "clock-violation"), 7006);
}
END_TEST

/* ---- clocks that swing ------------------------------------------------------------------- */

static const char *const swinging[] = { "scorep-halo-skew", "scorep-mw-skew",
                                        "scorep-colls-skew", "scorep-halo-omp-skew" };

/* What the corrections as a whole move, against the recorded interpolation. */
static int64_t largest_move(const struct mpl_model *one, const struct mpl_model *other,
                            int64_t *last)
{
    int64_t most = 0;

    *last = 0;
    for (uint32_t l = 0; l < one->n_locations; l++) {
        const struct mpl_location *a = &one->locations[l];
        const struct mpl_location *b = &other->locations[l];
        const int64_t base = (int64_t) (a->base_ticks - b->base_ticks);

        for (uint32_t i = 0; i < a->n_events; i++) {
            const int64_t move = llabs(base + mpl_ticks_of(a, i) - mpl_ticks_of(b, i));

            most = larger(most, move);
            *last = i + 1 == a->n_events ? larger(*last, move) : *last;
        }
    }
    return most;
}

/* _i is the trace. */
START_TEST(swing_is_followed_so_that_little_is_left_to_repair)
{
    struct mpl_model *recorded = read_trace(swinging[_i]);
    struct mpl_model *model = read_trace(swinging[_i]);
    const struct mpl_clock *as_recorded =
        correct_as(recorded, MPL_CLOCK_ONLY_OFFSETS, false);
    const struct mpl_clock *clock = correct(model);
    int64_t last = 0;
    const int64_t most = largest_move(model, recorded, &last);
    const uint64_t before = as_recorded->after.p2p + as_recorded->after.collective;
    const uint64_t mapped = clock->mapped.p2p + clock->mapped.collective;

    (void) printf("%-28s reversed %6" PRIu64 " by up to %7.1f us recorded, %4" PRIu64
                  " by up to %5.1f us refined; moved by up to %6.1f us, the end %5.1f us\n",
                  swinging[_i], before, (double) as_recorded->after.worst_ticks / 1000,
                  mapped, (double) clock->mapped.worst_ticks / 1000, (double) most / 1000,
                  (double) last / 1000);
    ck_assert_int_eq(clock->source, MPL_CLOCK_REFINED);
    ck_assert_uint_gt(clock->n_pieces, 1);
    ck_assert_uint_lt(mapped * 3, before);
    ck_assert_int_lt(clock->mapped.worst_ticks * 10, as_recorded->after.worst_ticks);
    ck_assert_uint_eq(clock->after.p2p, 0);
    ck_assert_uint_eq(clock->after.collective, 0);
    ck_assert_uint_eq(clock->after.thread, 0);
    ck_assert_int_le(most, 1300000);
    ck_assert_int_le(last * 1000, clock->duration_ticks);
}
END_TEST

/* ---- accuracy as EventSpace has it --------------------------------------------------------- */

static struct mpl_clock_accuracy print_accuracy(const char *name,
                                                enum mpl_clock_choice choice)
{
    struct mpl_model *model = read_trace(name);
    const struct mpl_clock *clock = correct_as(model, choice, false);
    const struct mpl_clock_accuracy *a = &clock->accuracy;

    (void) printf(
        "%-38s %-10s correct %5.1f %%  mean %9.1f  median %9.1f  stddev %9.1f us\n", name,
        mpl_clock_source_name(clock->source), 100 * (double) a->n_correct / (double) a->n,
        a->mean_ticks / 1000, a->median_ticks / 1000, a->stddev_ticks / 1000);
    ck_assert_uint_eq(a->n - a->n_correct, clock->mapped.p2p);
    return *a;
}

START_TEST(estimate_is_no_less_accurate_than_that_of_eventspace)
{
    static const char *const names[] = { "public-casita-2_jacobi_blame_cpu_015",
                                         "npb-lu-W-drift-np4",
                                         "npb-lu-W-np4",
                                         "mandel-mw-np8",
                                         "mandel-mw-masterslow-np8",
                                         "scorep-halo-skew" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct mpl_clock_accuracy theirs =
            print_accuracy(names[i], MPL_CLOCK_ONLY_EVENTSPACE);
        const struct mpl_clock_accuracy ours =
            print_accuracy(names[i], MPL_CLOCK_ONLY_MESSAGES);

        ck_assert_uint_gt(ours.n, 0);
        ck_assert_uint_eq(theirs.n, ours.n);
        ck_assert_uint_ge(ours.n_correct, theirs.n_correct);
        ck_assert_int_le(ours.worst_ticks, theirs.worst_ticks);
    }
}
END_TEST

int main(void)
{
    if (!traces_are_there("clocks whose truth is known")) {
        return 77;
    }

    Suite *suite = suite_create("clock_truth");
    TCase *c = add_case(suite, "clock_truth", create_arena, destroy_arena);

    tcase_set_timeout(c, 60);
    tcase_add_test(c, every_offset_is_within_its_bound);
    tcase_add_test(c, busy_master_does_not_bend_the_clocks_of_its_workers);
    tcase_add_test(c, drift_is_followed_within_its_bound_all_the_time);
    tcase_add_test(c, recorded_offsets_of_two_nodes_reverse_no_message);
    tcase_add_test(c, messages_find_what_the_tracer_measured);
    tcase_add_test(c, reversals_after_linear_interpolation_are_counted_by_kind);
    tcase_add_loop_test(c, swing_is_followed_so_that_little_is_left_to_repair, 0,
                        sizeof swinging / sizeof *swinging);
    tcase_add_test(c, estimate_is_no_less_accurate_than_that_of_eventspace);
    return run_suite(suite);
}
