/*
 * Real traces: the figures of Scalasca where it was run on the same trace, known culprits, and
 * what must hold on every trace, however damaged.
 */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/columns.h"
#include "../lib/suite.h"
#include "all_traces.h"
#include "events/events.h"
#include "events_of.h"
#include "one_by_one.h"
#include "read/read.h"
#include "replay_ideal.h"

/* NULL when the trace cannot be read, as for some of the damaged ones. */
static const struct mpl_events *find_events(const char *name)
{
    return find_events_of_path(mpl_arena_printf(arena, "%s/%s", traces_folder(), name),
                               arena);
}

static const struct mpl_events *get_events(const char *name)
{
    const struct mpl_events *events = find_events(name);

    ck_assert_msg(events != NULL, "cannot read %s", name);
    return events;
}

/* ---- Scalasca ------------------------------------------------------------------------ */

struct figure {
    const char *trace;
    enum mpl_wait_kind kind; /* MPL_WAIT_NONE: late sender, wrong order */
    double seconds;
    uint64_t n;      /* instances; 0: not given */
    double within_s; /* digits that Scalasca prints */
};

static const struct figure figures[] = {
    { "scorep-mw", MPL_WAIT_LATE_SENDER, 0.301163, 113, 5e-7 },
    { "scorep-mw", MPL_WAIT_BARRIER, 0.0140369, 0, 5e-8 },
    { "scorep-mw8", MPL_WAIT_LATE_SENDER, 2.18825, 207, 5e-6 },
    { "scorep-mw8", MPL_WAIT_BARRIER, 0.0535715, 0, 1e-7 },
    { "scorep-halo", MPL_WAIT_LATE_SENDER, 0.0245671, 600, 5e-8 },
    { "scorep-halo", MPL_WAIT_NONE, 0.0103679, 0, 5e-8 },
    { "scorep-halo", MPL_WAIT_N_TO_N, 0.0016015, 0, 5e-8 },
    { "scorep-halo-imb", MPL_WAIT_LATE_SENDER, 1.1692, 0, 5e-5 },
    { "scorep-halo-imb", MPL_WAIT_NONE, 0.312404, 0, 5e-7 },
    { "scorep-halo-imb", MPL_WAIT_N_TO_N, 0.186009, 0, 5e-7 },
    { "scorep-colls", MPL_WAIT_N_TO_N, 0.167901, 0, 5e-7 },
    { "scorep-colls", MPL_WAIT_LATE_BROADCAST, 0.0342829, 0, 5e-8 },
    { "scorep-colls", MPL_WAIT_EARLY_REDUCE, 0.0346464, 0, 5e-8 },
    { "scorep-colls", MPL_WAIT_EARLY_SCAN, 0.0330731, 0, 5e-8 },
    { "scorep-colls", MPL_WAIT_BARRIER, 0.0419144, 0, 5e-8 },
    { "public-casita-10_scorep_mpi_tags", MPL_WAIT_LATE_SENDER, 0.231347608, 2, 5e-10 },
};

START_TEST(waits_are_those_of_scalasca)
{
    const struct figure *figure = &figures[_i];
    const struct mpl_events *events = get_events(figure->trace);
    double seconds = 0;
    uint64_t n = 0;

    for (uint32_t l = 0; l < mpl_events_model(events)->n_locations; l++) {
        const struct mpl_totals *totals = mpl_events_totals(events, l);

        seconds += figure->kind == MPL_WAIT_NONE ? totals->wrong_order_s
                                                 : totals->wait_s[figure->kind];
        n += totals->n_waits[figure->kind];
    }
    ck_assert_msg(fabs(seconds - figure->seconds) <= figure->within_s,
                  "%s, %s: %.9f s, Scalasca says %.9f s", figure->trace,
                  mpl_wait_kind_name(figure->kind), seconds, figure->seconds);
    if (figure->n > 0) {
        ck_assert_uint_eq(n, figure->n);
    }
}
END_TEST

/* ---- known culprits -------------------------------------------------------------------- */

struct blame {
    const char *trace;
    enum mpl_wait_kind kind;
    const char *culprit;
    double at_least_share; /* of all waiting of that kind */
};

/* The faults were put in by hand; TRACES says which rank was slowed. */
static const struct blame blames[] = {
    { "lulesh-slow3-np8", MPL_WAIT_N_TO_N, "3", 0.9 },
    { "oddeven-slow5-np16", MPL_WAIT_BARRIER, "5", 0.4 },
    { "mandel-mw-masterslow-np8", MPL_WAIT_LATE_SENDER, "0", 0.9 },
    { "scorep-mw8", MPL_WAIT_LATE_SENDER, "0", 0.9 },
    { "scorep-halo-imb", MPL_WAIT_N_TO_N, "3", 0.8 },
};

START_TEST(slowed_location_causes_most_of_the_waiting)
{
    const struct blame *blame = &blames[_i];
    const struct mpl_events *events = get_events(blame->trace);
    const struct mpl_model *model = mpl_events_model(events);
    const uint32_t culprit = mpl_model_find_location(model, blame->culprit);
    double all = 0;
    double caused;

    ck_assert_uint_ne(culprit, MPL_NONE);
    caused = mpl_events_totals(events, culprit)->caused_s[blame->kind];
    for (uint32_t l = 0; l < model->n_locations; l++) {
        ck_assert_msg(
            l == culprit || mpl_events_totals(events, l)->caused_s[blame->kind] < caused,
            "%s: location %s causes more", blame->trace, model->locations[l].label);
        all += mpl_events_totals(events, l)->wait_s[blame->kind];
    }
    ck_assert_msg(caused >= blame->at_least_share * all, "%s: only %.3f of %.3f s",
                  blame->trace, caused, all);
}
END_TEST

/* ---- every trace -------------------------------------------------------------------------- */

static void check_location(const struct mpl_events *events, uint32_t l, const char *name)
{
    const struct mpl_location *loc = &mpl_events_model(events)->locations[l];
    const struct mpl_totals *totals = mpl_events_totals(events, l);
    const uint32_t n = mpl_events_span_count(events, l);
    int64_t sums[MPL_SPAN_CLASSES] = { 0 };
    int64_t waits = 0;
    double waited_s = 0;
    int64_t at = loc->n_events > 0 ? mpl_ticks_of(loc, 0) : 0;

    for (uint32_t s = 0; s < n; s++) {
        const struct mpl_span span = mpl_events_span(events, l, s);
        const int64_t ticks = span.leave_ticks - span.enter_ticks;

        ck_assert_msg(span.enter_ticks == at && ticks >= 0, "%s: hole before span %u of %s",
                      name, s, loc->label);
        ck_assert_int_ge(span.wait_ticks, 0);
        ck_assert_int_le(span.wait_ticks, ticks);
        ck_assert_int_eq((span.wait_ticks > 0), (span.wait_kind != MPL_WAIT_NONE));
        ck_assert_int_eq((span.wait_ticks > 0), (span.culprit != MPL_NONE));
        sums[span.class] += ticks;
        waits += span.wait_ticks;
        at = span.leave_ticks;
    }
    if (n > 0) {
        ck_assert_int_eq(at, mpl_ticks_of(loc, loc->n_events - 1));
    }
    for (int i = 0; i < MPL_SPAN_CLASSES; i++) {
        ck_assert_double_eq(totals->class_s[i],
                            mpl_model_seconds(mpl_events_model(events), sums[i]));
    }
    for (int i = 0; i < MPL_WAIT_KINDS; i++) {
        waited_s += totals->wait_s[i];
    }
    ck_assert_msg(fabs(waited_s - mpl_model_seconds(mpl_events_model(events), waits)) <
                      1e-9,
                  "%s: waits of %s do not add up", name, loc->label);
}

static void check_messages(const struct mpl_events *events, uint32_t l)
{
    const struct mpl_location *loc = &mpl_events_model(events)->locations[l];

    for (uint32_t m = 0; m < loc->n_messages; m++) {
        const uint32_t s = mpl_events_span_of_message(events, l, m);
        bool is_found = false;
        struct mpl_span span;

        if (s == MPL_NONE) {
            continue;
        }
        span = mpl_events_span(events, l, s);
        for (uint32_t i = 0; i < span.n_messages; i++) {
            is_found = is_found || mpl_events_message(events, l, &span, i) == m;
        }
        ck_assert(is_found);
    }
}

/* Sums of waits and of blame are those of the same spans, so they agree to rounding. */
static void check_run(const struct mpl_events *events, const char *name)
{
    const struct mpl_model *model = mpl_events_model(events);
    const struct mpl_match_counts *counts = &mpl_events_match(events)->counts;
    const struct mpl_edge *edges;
    double suffered[MPL_WAIT_KINDS] = { 0 };
    double caused[MPL_WAIT_KINDS] = { 0 };
    double edge_wait_s = 0;
    uint64_t messages = 0;
    uint32_t n;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        check_location(events, l, name);
        check_messages(events, l);
        for (int i = 0; i < MPL_WAIT_KINDS; i++) {
            suffered[i] += mpl_events_totals(events, l)->wait_s[i];
            caused[i] += mpl_events_totals(events, l)->caused_s[i];
        }
    }
    for (int i = 0; i < MPL_WAIT_KINDS; i++) {
        ck_assert_msg(fabs(suffered[i] - caused[i]) < 1e-6, "%s: somebody waits for nobody",
                      name);
    }
    edges = mpl_events_edges(events, &n);
    for (uint32_t i = 0; i < n; i++) {
        ck_assert(i == 0 || edges[i - 1].from < edges[i].from ||
                  (edges[i - 1].from == edges[i].from && edges[i - 1].to < edges[i].to));
        messages += edges[i].messages;
        edge_wait_s += edges[i].wait_s;
    }
    ck_assert_uint_ge(messages, counts->pairs);
    ck_assert_double_eq_tol(edge_wait_s, suffered[MPL_WAIT_LATE_SENDER], 1e-6);
}

static double replayed_s(const struct mpl_events *events, const char *text,
                         double *baseline_s)
{
    const struct mpl_what_if *what = NULL;
    struct mpl_replayed answer = { 0 };

    ck_assert_int_eq(mpl_what_if_parse(text, arena, &what, NULL), MPL_OK);
    ck_assert_int_eq(mpl_replay_run(events, what, NULL, 0, arena, &answer, NULL), MPL_OK);
    *baseline_s = answer.baseline_s;
    return answer.changed_s;
}

/* Nothing changed is the run as recorded to the tick, no transfers the ideal network, and nobody
 * loses by computing less. */
static void check_what_if(const struct mpl_events *events, const char *name, double ideal_s)
{
    double baseline_s;
    double less_s;

    ck_assert_msg(replayed_s(events, "network*0", &baseline_s) == ideal_s,
                  "%s: network*0 is not the ideal network", name);
    ck_assert_msg(fabs(baseline_s - mpl_events_measured_s(events)) < 1e-8,
                  "%s: %.9f replayed, %.9f recorded", name, baseline_s,
                  mpl_events_measured_s(events));
    for (int percent = 75; percent > 0; percent -= 25) {
        less_s = replayed_s(events, mpl_arena_printf(arena, "compute*%de-2", percent),
                            &baseline_s);
        ck_assert_msg(less_s < baseline_s && less_s > baseline_s * percent * 0.00999,
                      "%s: %.9f with %d %% of the computation", name, less_s, percent);
        baseline_s = less_s;
    }
}

static unsigned n_replayed;

/* Nobody can finish earlier than its own computation, and waiting for less than was waited for
 * cannot take longer; unless clocks contradict the order of messages. */
static void check_replay(const struct mpl_events *events, const char *name)
{
    const struct mpl_model *model = mpl_events_model(events);
    const struct mpl_violations *left = &mpl_events_clock(events)->after;
    const double ideal_s = replay_ideal_s(events);
    int64_t begin, end;

    if (isnan(ideal_s)) {
        return;
    }
    n_replayed++;
    if (left->p2p + left->collective + left->thread == 0) {
        ck_assert_msg(ideal_s <= mpl_events_measured_s(events), "%s: %.9f > %.9f", name,
                      ideal_s, mpl_events_measured_s(events));
    }
    if (left->p2p + left->collective + left->thread == 0) {
        check_what_if(events, name, ideal_s);
    }
    mpl_events_window(events, &begin, &end);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        if (loc->thread == 0 && loc->n_events > 0 && mpl_ticks_of(loc, 0) >= begin &&
            mpl_ticks_of(loc, loc->n_events - 1) <= end) {
            ck_assert_msg(
                ideal_s >= mpl_events_totals(events, l)->class_s[MPL_SPAN_COMPUTE],
                "%s: %s computes for longer than the ideal run", name, loc->label);
        }
    }
}

/*
 * Calls alone, from records that are walked one by one and share no times, are the calls of the whole, and once completed they are
 * the whole.
 */
static void check_calls(struct mpl_model *model, const struct mpl_events *whole)
{
    const struct mpl_events *calls = NULL;
    uint32_t n[2];
    const struct mpl_edge *edges[2];

    hide_repeats(model, arena);
    ck_assert_int_eq(mpl_events_create_calls(model, mpl_events_match(whole),
                                             mpl_events_clock(whole), arena, &calls, NULL),
                     MPL_OK);
    assert_same_calls(whole, calls, false);
    ck_assert_int_eq(mpl_events_complete(calls, NULL), MPL_OK);
    ck_assert_int_eq(mpl_events_complete(calls, NULL), MPL_OK);
    assert_same_calls(whole, calls, true);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_region_time *times[2] = { mpl_events_regions(whole, l, &n[0]),
                                                   mpl_events_regions(calls, l, &n[1]) };

        ck_assert_double_eq(mpl_events_computed_s(calls, l),
                            mpl_events_totals(whole, l)->class_s[MPL_SPAN_COMPUTE]);
        ck_assert_mem_eq(mpl_events_totals(whole, l), mpl_events_totals(calls, l),
                         sizeof(struct mpl_totals));
        ck_assert_uint_eq(n[0], n[1]);
        if (n[0] > 0) {
            ck_assert_mem_eq(times[0], times[1], n[0] * sizeof *times[0]);
        }
    }
    edges[0] = mpl_events_edges(whole, &n[0]);
    edges[1] = mpl_events_edges(calls, &n[1]);
    ck_assert_uint_eq(n[0], n[1]);
    if (n[0] > 0) {
        ck_assert_mem_eq(edges[0], edges[1], n[0] * sizeof *edges[0]);
    }
}

/* That records share their times with calls changes no time. Returns how many locations do. */
static uint32_t check_times(const struct mpl_model *model, int64_t *const *ticks)
{
    uint32_t n = 0;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        for (uint32_t i = 0; i < loc->n_events; i++) {
            ck_assert_int_eq(mpl_ticks_of(loc, i), ticks[l][i]);
        }
        n += loc->times.shared != NULL;
    }
    return n;
}

static uint32_t n_shared;

static bool check_if_read(const char *name, const char *path)
{
    struct mpl_model *model = NULL;
    const struct mpl_match *match = NULL;
    const struct mpl_clock *clock = NULL;
    const struct mpl_events *events = NULL;

    if (mpl_read(path, arena, NULL, &model, NULL) != MPL_OK) {
        return false;
    }
    ck_assert_int_eq(mpl_match_create(model, arena, &match, NULL), MPL_OK);
    ck_assert_int_eq(mpl_clock_correct(model, match, NULL, NULL, arena, &clock, NULL),
                     MPL_OK);

    int64_t **ticks = MPL_NEW_ARRAY(arena, model->n_locations, int64_t *);

    ck_assert_ptr_nonnull(ticks);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        ticks[l] = all_ticks(&model->locations[l], arena);
    }
    ck_assert_int_eq(mpl_events_create(model, match, clock, arena, &events, NULL), MPL_OK);
    n_shared += check_times(model, ticks);
    check_run(events, name);
    check_replay(events, name);
    check_calls(model, events);
    return true;
}

START_TEST(every_second_is_in_one_class_on_every_trace)
{
    look_at_all_traces(check_if_read, 40);
    ck_assert_uint_ge(n_replayed, 20);
    ck_assert_uint_ge(n_shared, 100);
}
END_TEST

int main(void)
{
    if (!traces_are_there("waits of real traces")) {
        return 77;
    }

    Suite *suite = suite_create("events_traces");
    TCase *t = add_case(suite, "traces", create_arena, destroy_arena);

    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, waits_are_those_of_scalasca, 0,
                        (int) (sizeof figures / sizeof figures[0]));
    tcase_add_loop_test(t, slowed_location_causes_most_of_the_waiting, 0,
                        (int) (sizeof blames / sizeof blames[0]));
    tcase_add_test(t, every_second_is_in_one_class_on_every_trace);
    return run_suite(suite);
}
