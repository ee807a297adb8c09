/*
 * The critical path: small runs where it can be read off the drawing, and random ones against a search
 * for the longest path in the graph of all calls.
 */
#include "config.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/columns.h"
#include "../lib/effort.h"
#include "../lib/suite.h"
#include "critical/critical.h"
#include "events_of.h"
#include "read/read.h"
#include "world.h"

enum { N_SEEDS = 240, SEEDS_AT_ONCE = 10, N_SHORT_STEPS = 12 };

static const struct mpl_critical *path_of(const struct mpl_events *events)
{
    const struct mpl_critical *path = NULL;

    ck_assert_int_eq(mpl_critical_create(events, arena, &path, NULL), MPL_OK);
    return path;
}

static const struct mpl_critical *critical_of_text(const char *text)
{
    return path_of(events_of_text(text, arena));
}

static double us_of(const struct mpl_critical *path, int64_t ticks)
{
    return mpl_model_seconds(mpl_events_model(path->events), ticks) * 1e6;
}

/* "0:0-50 1:50-60", in microseconds; "~" behind what is tied. */
static const char *drawing(const struct mpl_critical *path)
{
    const char *text = "";

    for (uint32_t i = 0; i < path->n; i++) {
        const struct mpl_critical_segment *s = &path->segments[i];

        text = mpl_arena_printf(arena, "%s%s%u:%.0f-%.0f%s", text, i == 0 ? "" : " ",
                                s->location, us_of(path, s->begin_ticks),
                                us_of(path, s->end_ticks), s->is_tied ? "~" : "");
        ck_assert_ptr_nonnull(text);
    }
    return text;
}

static void assert_path(const char *text, const char *expected)
{
    ck_assert_str_eq(drawing(critical_of_text(text)), expected);
}

/* ---- drawings ------------------------------------------------------------------------------- */

START_TEST(the_path_goes_to_the_late_sender)
{
    assert_path("# us\n"
                "rank 0: compute 0..50  send 50..52 to 1\n"
                "rank 1: compute 0..10  recv 10..52 from 0  compute 52..60\n",
                "0:0-50 1:50-60");
}
END_TEST

START_TEST(the_path_goes_to_the_late_receiver)
{
    assert_path("# us\n"
                "rank 0: compute 0..10  ssend 10..52 to 1  compute 52..60\n"
                "rank 1: compute 0..50  recv 50..53 from 0\n",
                "1:0-50 0:50-60");
}
END_TEST

START_TEST(the_path_goes_to_who_comes_last_to_a_barrier)
{
    assert_path("# us\n"
                "rank 0: compute 0..10  barrier 10..41  compute 41..50\n"
                "rank 1: compute 0..20  barrier 20..41  compute 41..70\n"
                "rank 2: compute 0..40  barrier 40..41  compute 41..60\n",
                "2:0-40 1:40-70");
}
END_TEST

START_TEST(the_path_of_a_broadcast_begins_at_its_root)
{
    assert_path("# us\n"
                "rank 0: compute 0..30  bcast 30..32 root 0\n"
                "rank 1: compute 0..40  bcast 40..42 root 0\n"
                "rank 2: compute 0..10  bcast 10..33 root 0  compute 33..60\n",
                "0:0-30 2:30-60");
}
END_TEST

START_TEST(of_several_senders_the_last_counts)
{
    assert_path("# us\n"
                "rank 0: irecv 0..1 from 1 as a  irecv 1..2 from 2 as b  "
                "waitall 2..41 for a b  compute 41..50\n"
                "rank 1: compute 0..40  send 40..41 to 0\n"
                "rank 2: compute 0..30  send 30..31 to 0\n",
                "1:0-40 0:40-50");
}
END_TEST

START_TEST(a_chain_of_waits_is_followed_to_its_begin)
{
    assert_path("# us\n"
                "rank 0: compute 0..10  recv 10..40 from 1\n"
                "rank 1: compute 0..10  recv 10..40 from 2  send 40..40 to 0\n"
                "rank 2: compute 0..40  send 40..40 to 1\n",
                "2:0-40 0:40-40~");
}
END_TEST

START_TEST(whoever_ends_with_a_send_has_handed_over)
{
    assert_path("# us\n"
                "rank 0: compute 0..10  recv 10..52 from 1  compute 52..55\n"
                "rank 1: compute 0..50  send 50..90 to 0\n",
                "1:0-50 0:50-55");
}
END_TEST

START_TEST(all_wait_for_the_last_in_finalize)
{
    assert_path("# us\n"
                "rank 0: init 0..1  compute 1..10  finalize 10..45\n"
                "rank 1: init 0..1  compute 1..40  finalize 40..44\n",
                "1:0-40 0:40-45");
}
END_TEST

START_TEST(who_is_launched_late_has_the_time_before)
{
    assert_path("# us\n"
                "rank 0: compute 0..50\n"
                "rank 1: compute 60..70\n",
                "1:0-70");
}
END_TEST

START_TEST(ties_are_told)
{
    const struct mpl_critical *path =
        critical_of_text("# us\n"
                         "rank 0: compute 0..10  barrier 10..31  compute 31..50\n"
                         "rank 1: compute 0..30  barrier 30..31  compute 31..40\n"
                         "rank 2: compute 0..30  barrier 30..31  compute 31..40\n");

    ck_assert_str_eq(drawing(path), "1:0-30~ 0:30-50");
    ck_assert_uint_eq(path->n_ties, 1);
    ck_assert_uint_eq(path->segments[0].awaited_in, 0);
    ck_assert_uint_eq(path->segments[1].awaited_in, MPL_NONE);
}
END_TEST

START_TEST(a_tie_where_the_path_stays_is_counted)
{
    const struct mpl_critical *path =
        critical_of_text("# us\n"
                         "rank 0: compute 0..30  barrier 30..31  compute 31..50\n"
                         "rank 1: compute 0..30  barrier 30..31  compute 31..50\n");

    ck_assert_str_eq(drawing(path), "0:0-50~");
    ck_assert_uint_eq(path->n_ties, 2);
}
END_TEST

START_TEST(what_nobody_can_tell_is_counted)
{
    const struct mpl_critical *path =
        critical_of_text("# us\n"
                         "rank 0: compute 0..10 recv 10..30 from 1\n"
                         "rank 1: compute 0..20\n");

    ck_assert_str_eq(drawing(path), "0:0-30");
    ck_assert_int_eq(llround(us_of(path, path->unknown_ticks)), 20);
}
END_TEST

/* ---- shares --------------------------------------------------------------------------------- */

START_TEST(calls_have_what_of_the_path_lies_in_them)
{
    const struct mpl_critical *path = critical_of_text(
        "# us\n"
        "rank 0: region main 0..60 { compute 0..10 in f  compute 15..45 in f  "
        "send 45..52 to 1 }\n"
        "rank 1: compute 0..10 in f  recv 10..53 from 0  compute 53..56\n"
        "    compute 56..63 in f\n");
    const struct mpl_model *model = mpl_events_model(path->events);
    const struct mpl_critical_calls *calls = NULL;
    const char *text = "";

    ck_assert_str_eq(drawing(path), "0:0-45 1:45-63");
    ck_assert_int_eq(mpl_critical_calls_create(path, 5, arena, &calls, NULL), MPL_OK);
    for (size_t i = 0; i < calls->n; i++) {
        const struct mpl_critical_call *call = &calls->all[i];

        text = mpl_arena_printf(
            arena, "%s %u:%s[%u] %.0f", text, call->location,
            call->region == MPL_NONE ? "" : model->regions[call->region].name, call->number,
            call->path_s * 1e6);
    }
    ck_assert_str_eq(text, " 0:f[2] 30 0:f[1] 10 1:MPI_Recv[1] 8 1:f[2] 7 0:main[1] 5");
    ck_assert_uint_eq(calls->n_all, 6);
}
END_TEST

START_TEST(shares_are_exclusive_and_imbalance_is_what_is_above_the_mean)
{
    const struct mpl_critical *path = critical_of_text(
        "# us\n"
        "rank 0: region main 0..60 { compute 5..45 in f  send 45..52 to 1 }\n"
        "rank 1: compute 0..10 in f  recv 10..53 from 0  compute 53..63 in g\n");
    const struct mpl_critical_shares *s = NULL;
    const struct mpl_model *model = mpl_events_model(path->events);

    ck_assert_str_eq(drawing(path), "0:0-45 1:45-63");
    ck_assert_int_eq(mpl_critical_shares_create(path, path->begin_ticks, path->end_ticks,
                                                arena, &s, NULL),
                     MPL_OK);
    ck_assert_uint_eq(s->n_regions, 4);
    ck_assert_str_eq(model->regions[s->regions[0].region].name, "f");
    ck_assert_double_eq_tol(s->regions[0].path_s, 40e-6, 1e-12);
    ck_assert_double_eq_tol(s->regions[0].mean_s, 25e-6, 1e-12);
    ck_assert_double_eq_tol(s->regions[0].imbalance_s, 15e-6, 1e-12);
    ck_assert_str_eq(model->regions[s->regions[1].region].name, "g");
    ck_assert_double_eq_tol(s->regions[1].imbalance_s, 5e-6, 1e-12);
    ck_assert_str_eq(model->regions[s->regions[2].region].name, "MPI_Recv");
    ck_assert_double_eq_tol(s->regions[2].path_s, 8e-6, 1e-12);
    ck_assert_double_eq_tol(s->regions[2].imbalance_s, 4e-6, 1e-12);
    ck_assert_str_eq(model->regions[s->regions[3].region].name, "main");
    ck_assert_double_eq_tol(s->regions[3].path_s, 5e-6, 1e-12);
    ck_assert_double_eq_tol(s->imbalance_s, 24e-6, 1e-12);
    ck_assert_double_eq_tol(s->location_s[0], 45e-6, 1e-12);
    ck_assert_double_eq_tol(s->length_s, 63e-6, 1e-12);
}
END_TEST

START_TEST(a_window_has_what_lies_in_it)
{
    const struct mpl_critical *path = critical_of_text(
        "# us\n"
        "rank 0: compute 0..50 in f  send 50..52 to 1\n"
        "rank 1: compute 0..10 in f  recv 10..52 from 0  compute 52..60 in f\n");
    const int64_t us = (int64_t) mpl_events_model(path->events)->ticks_per_s / 1000000;
    const struct mpl_critical_shares *s = NULL;

    ck_assert_int_eq(mpl_critical_shares_create(path, path->begin_ticks + 40 * us,
                                                path->begin_ticks + 56 * us, arena, &s,
                                                NULL),
                     MPL_OK);
    ck_assert_double_eq_tol(s->length_s, 16e-6, 1e-12);
    ck_assert_double_eq_tol(s->location_s[0], 10e-6, 1e-12);
    ck_assert_double_eq_tol(s->regions[0].path_s, 14e-6, 1e-12);
    ck_assert_double_eq_tol(s->regions[0].mean_s, 7e-6, 1e-12);
}
END_TEST

/* Nothing bounds the clock of rank 1 from above: it may be seconds early, but computes for 900. */
START_TEST(no_path_is_shorter_than_what_a_location_computes)
{
    const struct mpl_critical *path = critical_of_text(
        "clock 1 +1ms\n"
        "rank 0: compute 0..10 send 10..12 to 1 compute 12..100 send 100..102 to 1\n"
        "rank 1: recv 0..13 from 0 compute 13..900 recv 900..901 from 0\n");
    const int64_t ticks = path->end_ticks - path->begin_ticks;

    ck_assert_int_eq(path->segments[path->n - 1].location, 1);
    ck_assert_double_ge(us_of(path, ticks), 887);
}
END_TEST

/* "0..0 -:0; 1..1 0:20; …": steps, who has most of the path, and what all have. */
static const char *steps_drawing(const struct mpl_critical *path, uint32_t most)
{
    const struct mpl_steps *steps = NULL;
    const struct mpl_critical_steps *found = NULL;
    const char *text = "";

    ck_assert_int_eq(mpl_events_steps(path->events, arena, &steps, NULL), MPL_OK);
    ck_assert_uint_gt(steps->n, 0);
    ck_assert_int_eq(mpl_critical_steps_create(path, steps, path->begin_ticks,
                                               path->end_ticks, most, arena, &found, NULL),
                     MPL_OK);
    for (size_t i = 0; i < found->n; i++) {
        const struct mpl_critical_step *s = &found->all[i];

        text = mpl_arena_printf(arena, "%s%s%u-%u %d:%.0f of %.0f", text,
                                i == 0 ? "" : "; ", s->first, s->last, (int) s->location,
                                s->most_s * 1e6, s->path_s * 1e6);
        ck_assert_ptr_nonnull(text);
    }
    return text;
}

/* Rank 1 computes longer from step 3 on. */
static const char *const growing =
    "rank 0: compute 0..10 barrier 10..12 compute 12..20 barrier 20..22\n"
    "        compute 22..30 barrier 30..32 compute 32..40 barrier 40..62\n"
    "        compute 62..70 barrier 70..92 compute 92..100\n"
    "rank 1: compute 0..5 barrier 5..12 compute 12..18 barrier 18..22\n"
    "        compute 22..28 barrier 28..32 compute 32..60 barrier 60..62\n"
    "        compute 62..90 barrier 90..92 compute 92..95\n";

START_TEST(steps_have_what_lies_between_their_calls)
{
    ck_assert_str_eq(steps_drawing(critical_of_text(growing), 100),
                     "0-0 0:12 of 12; 1-1 0:10 of 10; 2-2 0:8 of 10; 3-3 1:30 of 30; "
                     "4-4 1:28 of 30; 5-5 0:8 of 8");
}
END_TEST

START_TEST(many_steps_are_taken_together)
{
    ck_assert_str_eq(steps_drawing(critical_of_text(growing), 2),
                     "0-0 0:12 of 12; 1-2 0:18 of 20; 3-4 1:58 of 60; 5-5 0:8 of 8");
}
END_TEST

START_TEST(every_failing_allocation_is_an_error)
{
    const struct mpl_critical *found =
        critical_of_text("# us\n"
                         "rank 0: compute 0..50 in f  send 50..52 to 1\n"
                         "rank 1: compute 0..10  recv 10..52 from 0  compute 52..60\n");
    enum mpl_status st = MPL_E_NOMEM;
    long n = 0;

    for (; fails_without_memory(n, st); n++) {
        const struct mpl_critical *path = NULL;
        const struct mpl_critical_shares *shares = NULL;
        const struct mpl_critical_calls *calls = NULL;
        struct mpl_arena *own = mpl_arena_create();

        mpl_alloc_fail_after(n);
        st = mpl_critical_create(found->events, own, &path, NULL);
        st = st == MPL_OK ? mpl_critical_shares_create(path, path->begin_ticks,
                                                       path->end_ticks, own, &shares, NULL)
                          : st;
        st = st == MPL_OK ? mpl_critical_calls_create(path, 3, own, &calls, NULL) : st;
        mpl_alloc_fail_after(-1);
        ck_assert_int_eq((st == MPL_OK), (calls != NULL));
        mpl_arena_destroy(own);
    }
    ck_assert_int_gt(failures_without_memory(), 2);
}
END_TEST

/* ---- the longest path by brute force ---------------------------------------------------------- */

/* A call with everybody who must have come before it can end. */
struct node {
    uint32_t location;
    uint32_t call;
    int64_t enter_ticks;
    int64_t leave_ticks;
    int64_t ready_ticks; /* when the last of them had come */
    bool is_found;       /* the two below */
    double longest;      /* longest path without waiting up to its end, in ticks */
    uint32_t from; /* node whose entry is on that path to the end of this; MPL_NONE: own */
    struct mpl_buf needed; /* uint32_t: nodes whose entry it needs */
};

struct graph {
    const struct mpl_events *events;
    const struct mpl_model *model;
    const struct mpl_match *match;
    uint32_t *first; /* per location: its first node */
    uint32_t n;
    struct node *nodes;
};

static uint32_t node_of_event(const struct graph *g, uint32_t location, uint32_t event)
{
    const uint32_t call =
        event == MPL_NONE ? MPL_NONE : mpl_events_call_of_event(g->events, location, event);

    return call == MPL_NONE ? MPL_NONE : g->first[location] + call;
}

static void need(struct graph *g, uint32_t node, uint32_t needed)
{
    if (node != MPL_NONE && needed != MPL_NONE &&
        g->nodes[needed].location != g->nodes[node].location) {
        uint32_t *slot = mpl_buf_add(&g->nodes[node].needed);

        ck_assert_ptr_nonnull(slot);
        *slot = needed;
    }
}

/* A receive needs its send; a send that was still going on when its receive was posted needs that. */
static void add_message(struct graph *g, uint32_t location, uint32_t message)
{
    const struct mpl_message m = mpl_message_get(&g->model->locations[location], message);
    const struct mpl_end other = mpl_match_partner(g->match, location, message);
    struct mpl_message o;
    uint32_t posted;
    uint32_t completed;

    if (m.envelope == MPL_NONE || other.message == MPL_NONE ||
        !g->model->locations[location].envelopes[m.envelope].is_send) {
        return;
    }
    o = mpl_message_get(&g->model->locations[other.location], other.message);
    need(g, node_of_event(g, other.location, o.event), node_of_event(g, location, m.event));
    posted = node_of_event(g, other.location, o.post != MPL_NONE ? o.post : o.event);
    completed = node_of_event(g, location, m.post != MPL_NONE ? m.post : m.event);
    if (posted != MPL_NONE && completed != MPL_NONE) {
        struct mpl_call_view view;

        mpl_events_call(g->events, location, g->nodes[completed].call, &view);
        if (view.mode != MPL_CALL_TEST && view.mode != MPL_CALL_IMMEDIATE &&
            view.mode != MPL_CALL_BUFFERED_SEND &&
            g->nodes[posted].enter_ticks <= g->nodes[completed].leave_ticks) {
            need(g, completed, posted);
        }
    }
}

static void add_instance(struct graph *g, uint32_t instance)
{
    const struct mpl_coll_instance *in = &g->match->instances[instance];
    const struct mpl_coll_part *parts = &g->match->parts[in->first_part];
    const enum mpl_coll_class class = mpl_coll_class_of(in->op);
    const bool is_prefix = class == MPL_CLASS_SCAN || class == MPL_CLASS_EXSCAN;
    struct mpl_coll_need *needs = MPL_NEW_ARRAY(arena, in->n_parts, struct mpl_coll_need);

    mpl_events_coll_needs(g->events, instance, needs);
    for (uint32_t to = 0; to < in->n_parts; to++) {
        const struct mpl_location *loc = &g->model->locations[parts[to].location];

        for (uint32_t from = 0;
             needs[to].does_wait && from < (is_prefix ? to : in->n_parts); from++) {
            const struct mpl_location *other = &g->model->locations[parts[from].location];

            if (needs[from].is_needed) {
                need(g,
                     node_of_event(g, parts[to].location,
                                   loc->collectives[parts[to].collective].end),
                     node_of_event(g, parts[from].location,
                                   other->collectives[parts[from].collective].begin));
            }
        }
    }
}

static void draw(struct graph *g)
{
    g->first = MPL_NEW_ARRAY(arena, g->model->n_locations + 1, uint32_t);
    for (uint32_t l = 0; l < g->model->n_locations; l++) {
        g->first[l] = g->n;
        g->n += mpl_events_call_count(g->events, l);
    }
    g->first[g->model->n_locations] = g->n;
    g->nodes = MPL_NEW_ARRAY(arena, g->n, struct node);
    ck_assert_ptr_nonnull(g->nodes);
    for (uint32_t l = 0; l < g->model->n_locations; l++) {
        for (uint32_t k = g->first[l]; k < g->first[l + 1]; k++) {
            const uint32_t span = 2 * (k - g->first[l]) + 1;

            g->nodes[k] = (struct node){
                .location = l,
                .call = k - g->first[l],
                .enter_ticks = mpl_events_enter_ticks(g->events, l, span),
                .leave_ticks = mpl_events_leave_ticks(g->events, l, span),
                .needed = mpl_buf_make(sizeof(uint32_t)),
            };
        }
    }
    for (uint32_t l = 0; l < g->model->n_locations; l++) {
        for (uint32_t m = 0; m < g->model->locations[l].n_messages; m++) {
            add_message(g, l, m);
        }
    }
    for (uint32_t i = 0; i < g->match->n_instances; i++) {
        add_instance(g, i);
    }
}

static void find_longest(struct graph *g, uint32_t k);

static double longest_to_enter(struct graph *g, uint32_t k)
{
    const struct node *node = &g->nodes[k];

    if (node->call == 0) {
        /* A process that begins late has the time before. */
        return (double) node->enter_ticks;
    }
    find_longest(g, k - 1);
    return g->nodes[k - 1].longest +
           (double) (node->enter_ticks - g->nodes[k - 1].leave_ticks);
}

/* Waiting has no length, so a call counts from the moment on when the last one had come. */
static void find_longest(struct graph *g, uint32_t k)
{
    struct node *node = &g->nodes[k];
    double longest;

    if (node->is_found) {
        return;
    }
    longest = longest_to_enter(g, k);
    node->is_found = true;
    node->ready_ticks = node->enter_ticks;
    node->from = MPL_NONE;
    for (size_t n = 0; n < node->needed.n; n++) {
        const uint32_t other = *(const uint32_t *) mpl_buf_get(&node->needed, n);
        const double to_other = longest_to_enter(g, other);

        if (g->nodes[other].enter_ticks > node->ready_ticks) {
            node->ready_ticks = g->nodes[other].enter_ticks;
        }
        if (to_other > longest) {
            longest = to_other;
            node->from = other;
        }
    }
    node->longest = longest + (double) (node->leave_ticks - node->ready_ticks);
}

/* Length of the path to the end of a location. */
static double length_to_end(struct graph *g, uint32_t location)
{
    const struct mpl_location *loc = &g->model->locations[location];
    const int64_t end_ticks = mpl_ticks_of(loc, loc->n_events - 1);
    const uint32_t last = g->first[location + 1];

    if (last == g->first[location]) {
        return (double) end_ticks;
    }
    find_longest(g, last - 1);
    return g->nodes[last - 1].longest +
           (double) (end_ticks - g->nodes[last - 1].leave_ticks);
}

/* How much of it lies on each location. */
static void split_longest(const struct graph *g, uint32_t location, double *ticks)
{
    const struct mpl_location *loc = &g->model->locations[location];
    int64_t at = mpl_ticks_of(loc, loc->n_events - 1);
    uint32_t k = g->first[location + 1];

    while (k > g->first[location]) {
        const struct node *node = &g->nodes[--k];

        if (node->from != MPL_NONE) {
            const struct node *from = &g->nodes[node->from];

            ticks[location] += (double) (at - node->ready_ticks);
            at = from->enter_ticks;
            location = from->location;
            k = node->from;
        }
    }
    ticks[location] += (double) at;
}

/* Clocks that are right to the last tick. */
static struct mpl_model *in_true_time(struct world *world)
{
    struct mpl_model *model = world_model(world);

    for (uint32_t l = 0; l < model->n_locations; l++) {
        struct mpl_location *loc = &model->locations[l];

        for (uint32_t e = 0; e < loc->n_events; e++) {
            put_ticks(loc, e, world_true_ns(world, l, e));
        }
        loc->base_ticks = 0;
    }
    return model;
}

/* Whether there was but one path to compare. */
static bool check_seed(int seed)
{
    struct world_options o = world_draw((uint64_t) seed);
    const struct mpl_events *events = NULL;
    const struct mpl_critical_shares *shares = NULL;
    const struct mpl_critical *path;
    struct world *world;
    struct mpl_model *model;
    struct graph g;
    double *ticks;
    uint32_t last;

    o.n_steps = o.n_steps < N_SHORT_STEPS ? o.n_steps : N_SHORT_STEPS;
    o.n_threads = 1;
    o.coll_every = 4;
    o.ticks_per_s = 1000000000;
    world = world_create(&o, arena);
    model = in_true_time(world);
    ck_assert_int_eq(
        mpl_events_create(model, world_match(world), NULL, arena, &events, NULL), MPL_OK);
    path = path_of(events);
    ck_assert_int_eq(mpl_critical_shares_create(path, path->begin_ticks, path->end_ticks,
                                                arena, &shares, NULL),
                     MPL_OK);
    g = (struct graph){ .events = events, .model = model, .match = world_match(world) };
    draw(&g);
    last = path->segments[path->n - 1].location;
    ck_assert_msg(fabs(length_to_end(&g, last) - (double) path->end_ticks) < 0.5,
                  "%s: %.0f, not %.0f", world_describe(world), (double) path->end_ticks,
                  length_to_end(&g, last));
    ticks = MPL_NEW_ARRAY(arena, g.model->n_locations, double);
    split_longest(&g, last, ticks);
    for (uint32_t l = 0; l < g.model->n_locations && path->n_ties == 0; l++) {
        ck_assert_msg(fabs(ticks[l] / 1e9 - shares->location_s[l]) <
                          2e-9 + path->begin_ticks,
                      "%s: %u has %.9f s, not %.9f", world_describe(world), l,
                      shares->location_s[l], ticks[l] / 1e9);
    }
    for (uint32_t i = 0; i < g.n; i++) {
        mpl_buf_free(&g.nodes[i].needed);
    }
    return path->n_ties == 0;
}

START_TEST(the_path_is_the_longest_one)
{
    int n_compared = 0;

    for (int i = 0; i < SEEDS_AT_ONCE; i++) {
        n_compared += check_seed(_i * SEEDS_AT_ONCE + i);
        destroy_arena();
        create_arena();
    }
    ck_assert_int_ge(n_compared, SEEDS_AT_ONCE / 2);
}
END_TEST

/* Workers have what they do between a fork and the barrier or join to which they come last. */
START_TEST(the_path_goes_through_threads)
{
    double worker_s = 0;

    for (int seed = 0; seed < SEEDS_AT_ONCE; seed++) {
        struct world_options o = world_draw((uint64_t) seed);
        const struct mpl_events *events = NULL;
        const struct mpl_critical_shares *shares = NULL;
        const struct mpl_critical *path;
        struct mpl_model *model;
        struct world *world;

        o.n_steps = N_SHORT_STEPS;
        o.n_threads = 3;
        o.ticks_per_s = 1000000000;
        world = world_create(&o, arena);
        model = in_true_time(world);
        ck_assert_int_eq(
            mpl_events_create(model, world_match(world), NULL, arena, &events, NULL),
            MPL_OK);
        path = path_of(events);
        ck_assert_int_eq(mpl_critical_shares_create(path, path->begin_ticks,
                                                    path->end_ticks, arena, &shares, NULL),
                         MPL_OK);
        for (uint32_t i = 1; i < path->n; i++) {
            ck_assert_int_eq(path->segments[i].begin_ticks,
                             path->segments[i - 1].end_ticks);
        }
        for (uint32_t l = 0; l < model->n_locations; l++) {
            worker_s += model->locations[l].thread > 0 ? shares->location_s[l] : 0;
        }
    }
    ck_assert_double_gt(worker_s, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("critical");
    TCase *c = add_case(suite, "critical", create_arena, destroy_arena);

    tcase_set_timeout(c, 120);
    tcase_add_test(c, the_path_goes_to_the_late_sender);
    tcase_add_test(c, the_path_goes_to_the_late_receiver);
    tcase_add_test(c, the_path_goes_to_who_comes_last_to_a_barrier);
    tcase_add_test(c, the_path_of_a_broadcast_begins_at_its_root);
    tcase_add_test(c, of_several_senders_the_last_counts);
    tcase_add_test(c, a_chain_of_waits_is_followed_to_its_begin);
    tcase_add_test(c, whoever_ends_with_a_send_has_handed_over);
    tcase_add_test(c, all_wait_for_the_last_in_finalize);
    tcase_add_test(c, who_is_launched_late_has_the_time_before);
    tcase_add_test(c, ties_are_told);
    tcase_add_test(c, a_tie_where_the_path_stays_is_counted);
    tcase_add_test(c, what_nobody_can_tell_is_counted);
    tcase_add_test(c, calls_have_what_of_the_path_lies_in_them);
    tcase_add_test(c, shares_are_exclusive_and_imbalance_is_what_is_above_the_mean);
    tcase_add_test(c, a_window_has_what_lies_in_it);
    tcase_add_test(c, no_path_is_shorter_than_what_a_location_computes);
    tcase_add_test(c, steps_have_what_lies_between_their_calls);
    tcase_add_test(c, many_steps_are_taken_together);
    tcase_add_test(c, every_failing_allocation_is_an_error);
    tcase_add_test(c, the_path_goes_through_threads);
    tcase_add_loop_test(c, the_path_is_the_longest_one, 0,
                        seeds_of(N_SEEDS) / SEEDS_AT_ONCE);
    return run_suite(suite);
}
