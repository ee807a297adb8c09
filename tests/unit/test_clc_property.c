/*
 * Repairs of simulated runs: every guarantee on every run, and the forward pass against the
 * equations of the paper, solved in the slowest possible way.
 */
#include "config.h"

#include "../lib/arena.h"
#include "../lib/columns.h"
#include "../lib/effort.h"
#include "../lib/suite.h"
#include "clc_fixture.h"
#include "world.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { N_SEEDS = 160, SEEDS_AT_ONCE = 20, N_SHORT_STEPS = 25 };

static void *must(void *made)
{
    ck_assert_ptr_nonnull(made);
    return made;
}

/* Starting a process per seed would take most of the time. */
static void try_seeds(int block, void (*check)(int seed))
{
    for (int i = 0; i < SEEDS_AT_ONCE; i++) {
        check(block * SEEDS_AT_ONCE + i);
        destroy_arena();
        create_arena();
    }
}

/* Clocks from hopeless to nearly right, so that violations are the rule and then rare. */
static struct world_options draw_options(int seed)
{
    struct world_options o = world_draw((uint64_t) seed);

    o.n_steps = o.n_steps < N_SHORT_STEPS ? o.n_steps : N_SHORT_STEPS;
    o.has_large_bases = false;
    if (seed % 4 != 0) {
        o.offset_ns = seed % 4 == 1 ? 3000 : 100000;
        o.sine_ns = seed % 4 == 3 ? 300000 : 0;
    }
    if (seed % 5 == 0) {
        o.n_threads = 2 + (uint32_t) seed % 3;
    }
    return o;
}

/* Counts beyond 2^53, and differences between clocks as well: a double would lose ticks. */
static void set_clocks_far_apart(struct mpl_model *model, int seed)
{
    for (uint32_t l = 0; l < model->n_locations; l++) {
        struct mpl_location *loc = &model->locations[l];

        loc->base_ticks += (UINT64_C(1) << 63) + 12345;
        for (uint32_t e = 0; e < loc->n_events; e++) {
            put_ticks(loc, e,
                      mpl_ticks_of(loc, e) + (INT64_C(1) << 55) +
                          (int64_t) ((loc->process + (uint32_t) seed) % 3) *
                              ((INT64_C(1) << 56) + 1));
        }
    }
}

static struct clc_case draw_case(int seed, struct world **world)
{
    const struct world_options options = draw_options(seed);

    *world = world_create(&options, arena);
    clc_take_one_base(world_model(*world));
    if (seed % 7 == 0) {
        set_clocks_far_apart(world_model(*world), seed);
    }
    return clc_case_make(world_model(*world), world_match(*world), arena,
                         world_describe(*world));
}

/* ---- every guarantee ------------------------------------------------------------------------- */

static void check_guarantees(int seed)
{
    struct world *world;
    struct clc_case c = draw_case(seed, &world);

    clc_case_repair(&c, NULL, arena);
    ck_assert_msg(c.clc->n_ignored == 0, "%s: a run has no circles", c.what);
    ck_assert_msg(c.clc->is_within_error ||
                      c.clc->n_passes == mpl_clc_defaults().max_passes,
                  "%s: shift %" PRId64 ", error %" PRId64, c.what, c.clc->max_shift_ticks,
                  c.clc->error_ticks);
}

START_TEST(no_violation_is_left_and_order_is_kept)
{
    try_seeds(_i, check_guarantees);
}
END_TEST

static void check_options(int seed)
{
    struct world *world;
    struct clc_case c = draw_case(seed, &world);
    struct mpl_clc_options o = mpl_clc_defaults();

    o.gamma = seed % 2 == 0 ? 1 : 0.5;
    o.delta_s = seed % 3 == 0 ? 0 : 1e-7 * (seed % 3);
    o.mu_s = seed % 4 == 0 ? -1 : 1e-6 * (seed % 4 - 1);
    o.amortization = seed % 5 * seed % 5 * 40;
    o.max_passes = 1 + (uint32_t) seed % 3;
    clc_case_repair(&c, &o, arena);
}

START_TEST(options_do_not_weaken_the_guarantees)
{
    try_seeds(_i, check_options);
}
END_TEST

/* The same run with correct clocks, but all of them far from zero. */
static void check_right_clocks(int seed)
{
    struct world_options o = draw_options(seed);
    struct world *world;
    struct clc_case c;

    o.has_large_bases = false;
    o.offset_ns = o.sine_ns = o.drift_ppm = o.walk_ppm = 0;
    world = world_create(&o, arena);
    c = clc_case_make(world_model(world), world_match(world), arena, world_describe(world));
    ck_assert_msg(clc_case_is_clean(&c.before), "%s", c.what);
    clc_case_repair(&c, NULL, arena);
    ck_assert_uint_eq(c.clc->n_passes, 0);
}

START_TEST(right_clocks_are_left_alone)
{
    try_seeds(_i, check_right_clocks);
}
END_TEST

/* ---- equations 3, 3' and 4, solved by repetition ----------------------------------------------- */

/* One source of one sink. Edges of a sink and a link follow each other. */
struct edge {
    uint32_t link;
    struct mpl_moment from;
    struct mpl_moment to;
    enum mpl_clc_class class;
};

struct oracle {
    const struct clc_case *c;
    struct mpl_buf edge;
    uint32_t n_links;
    uint32_t **first; /* Per location and event: 1 + its first edge in by_sink; 0: none. */
    struct edge *by_sink;
    int64_t **ticks; /* The solution. */
    int64_t delta;
    uint64_t share; /* 1 - gamma, times 2^32. */
};

static void add_edge(struct oracle *o, struct mpl_moment from, struct mpl_moment to,
                     enum mpl_clc_class class)
{
    if (from.location != to.location || from.event > to.event) {
        *(struct edge *) must(mpl_buf_add(&o->edge)) =
            (struct edge){ o->n_links, from, to, class };
    }
}

static void see_pair(void *context, const struct mpl_order_pair *pair)
{
    struct oracle *o = context;
    const struct mpl_process *p = o->c->model->processes;
    const char *from = p[pair->from].host;
    const char *to = p[pair->to].host;

    o->n_links++;
    add_edge(o, (struct mpl_moment){ pair->from_location, pair->from_event },
             (struct mpl_moment){ pair->to_location, pair->to_event },
             from != NULL && to != NULL && strcmp(from, to) == 0 ? MPL_CLC_P2P_INSIDE
                                                                 : MPL_CLC_P2P_BETWEEN);
}

/* Answers are never given a delay of their own: marked by a class that has none. */
static void see_answer(void *context, const struct mpl_order_pair *pair)
{
    struct oracle *o = context;

    o->n_links++;
    add_edge(o, (struct mpl_moment){ pair->from_location, pair->from_event },
             (struct mpl_moment){ pair->to_location, pair->to_event }, MPL_CLC_CLASSES);
}

/* Whether `to` needs `from`. */
static bool is_needed(const struct mpl_order_instance *in, uint32_t from, uint32_t to)
{
    if (from == to || in->enter_ticks[from] == MPL_ORDER_NEVER) {
        return false;
    }
    if (!in->is_any) {
        return !in->is_prefix || from < to;
    }
    for (uint32_t r = 0; r < in->n; r++) {
        if (r != to && in->enter_ticks[r] != MPL_ORDER_NEVER &&
            (in->enter_ticks[r] < in->enter_ticks[from] ||
             (in->enter_ticks[r] == in->enter_ticks[from] && r < from))) {
            return false;
        }
    }
    return true;
}

static void see_instance(void *context, const struct mpl_order_instance *in)
{
    struct oracle *o = context;

    for (uint32_t to = 0; to < in->n; to++) {
        o->n_links++;
        for (uint32_t from = 0; from < in->n; from++) {
            if (in->leave_ticks[to] != MPL_ORDER_NEVER && is_needed(in, from, to)) {
                add_edge(o,
                         (struct mpl_moment){ in->location[from], in->enter_event[from] },
                         (struct mpl_moment){ in->location[to], in->leave_event[to] },
                         MPL_CLC_COLLECTIVE);
            }
        }
    }
}

static void see_weak(void *context, const struct mpl_order_instance *in)
{
    struct oracle *o = context;
    int64_t *zero = must(MPL_NEW_ARRAY(arena, o->c->model->n_processes, int64_t));

    if (!in->is_presumed || mpl_order_is_trusted(mpl_order_reversal(in, zero),
                                                 o->c->before.worst_certain_ticks)) {
        see_instance(o, in);
    }
}

static void see_group(void *context, const struct mpl_order_group *group)
{
    struct oracle *o = context;

    for (uint32_t to = 0; to < group->n_sinks; to++) {
        o->n_links++;
        for (uint32_t from = 0; from < group->n_sources; from++) {
            if (group->sources[from].location != group->sinks[to].location) {
                add_edge(o, group->sources[from], group->sinks[to], MPL_CLC_THREAD);
            }
        }
    }
}

static int compare_edges(const void *left, const void *right)
{
    const struct edge *a = left;
    const struct edge *b = right;

    if (a->to.location != b->to.location) {
        return a->to.location < b->to.location ? -1 : 1;
    }
    if (a->to.event != b->to.event) {
        return a->to.event < b->to.event ? -1 : 1;
    }
    return a->link < b->link ? -1 : a->link > b->link;
}

static void sort_edges(struct oracle *o)
{
    const struct mpl_model *model = o->c->model;
    const size_t n = o->edge.n;

    o->by_sink = must(mpl_buf_take(&o->edge, arena));
    qsort(o->by_sink, n, sizeof *o->by_sink, compare_edges);
    o->edge.n = n;
    o->first = must(MPL_NEW_ARRAY(arena, model->n_locations, uint32_t *));
    o->ticks = must(MPL_NEW_ARRAY(arena, model->n_locations, int64_t *));
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const size_t n_events = model->locations[l].n_events;

        o->first[l] = must(MPL_NEW_ARRAY(arena, n_events, uint32_t));
        o->ticks[l] = must(MPL_NEW_ARRAY(arena, n_events, int64_t));
        memcpy(o->ticks[l], o->c->before_ticks[l], n_events * sizeof(int64_t));
    }
    for (size_t i = n; i > 0; i--) {
        o->first[o->by_sink[i - 1].to.location][o->by_sink[i - 1].to.event] = (uint32_t) i;
    }
}

static void make_oracle(struct oracle *o)
{
    struct mpl_err err = { 0 };

    o->edge = mpl_buf_make(sizeof(struct edge));
    mpl_order_walk_pairs(o->c->view, see_pair, o);
    for (uint32_t l = 0; l < o->c->model->n_locations; l++) {
        mpl_order_walk_answers(o->c->view, l, see_answer, o);
    }
    ck_assert_int_eq(mpl_order_walk_instances(o->c->view, see_instance, o, &err), MPL_OK);
    ck_assert_int_eq(mpl_order_walk_weak(o->c->view, see_weak, o, &err), MPL_OK);
    mpl_order_walk_groups(o->c->view, see_group, o);
    sort_edges(o);
}

/* The term of one link: the largest source, and what the sink must be later. */
static int64_t after_link(const struct oracle *o, size_t begin, size_t end, int64_t ticks)
{
    const struct edge *e = &o->by_sink[begin];
    const int64_t now = o->c->before_ticks[e->to.location][e->to.event];
    int64_t was = INT64_MIN;
    int64_t is = INT64_MIN;

    for (size_t i = begin; i < end; i++) {
        const struct mpl_moment from = o->by_sink[i].from;
        const int64_t source = o->ticks[from.location][from.event];

        was = o->c->before_ticks[from.location][from.event] > was
                  ? o->c->before_ticks[from.location][from.event]
                  : was;
        is = source > is ? source : is;
    }

    const int64_t mu =
        e->class == MPL_CLC_CLASSES || was == now ? 0 : o->c->clc->mu_ticks[e->class];

    return is + mu > ticks ? is + (mu > 0 ? mu : 1) : ticks;
}

static int64_t after_links(const struct oracle *o, uint32_t location, uint32_t event,
                           int64_t ticks)
{
    size_t i = o->first[location][event];

    if (i == 0) {
        return ticks;
    }
    for (i--; i < o->edge.n && o->by_sink[i].to.location == location &&
              o->by_sink[i].to.event == event;) {
        size_t end = i;

        while (end < o->edge.n && o->by_sink[end].link == o->by_sink[i].link &&
               o->by_sink[end].to.location == location &&
               o->by_sink[end].to.event == event) {
            end++;
        }
        ticks = after_link(o, i, end, ticks);
        i = end;
    }
    return ticks;
}

/* Equation 4 in times, with what is less than a tick carried on. */
static int64_t fall_back(const struct oracle *o, uint32_t location, uint32_t event,
                         uint64_t *rest)
{
    const int64_t *before = o->c->before_ticks[location];
    const int64_t last = o->ticks[location][event - 1];
    const int64_t interval = before[event] - before[event - 1];
    const unsigned __int128 lost = (unsigned __int128) interval * o->share + *rest;
    int64_t slow = last + interval - (int64_t) (lost >> 32);
    const int64_t least = last + (interval < o->delta ? interval : o->delta);

    *rest = (uint64_t) (lost & UINT32_MAX);
    slow = slow > least ? slow : least;
    if (slow <= before[event]) {
        *rest = 0;
        return before[event];
    }
    return slow;
}

/* One round over all events; false: nothing has changed. */
static bool relax(struct oracle *o)
{
    bool has_changed = false;

    for (uint32_t l = 0; l < o->c->model->n_locations; l++) {
        uint64_t rest = 0;

        for (uint32_t e = 0; e < o->c->model->locations[l].n_events; e++) {
            const int64_t before = o->c->before_ticks[l][e];
            const int64_t ticks = e > 0 && o->ticks[l][e - 1] > o->c->before_ticks[l][e - 1]
                                      ? fall_back(o, l, e, &rest)
                                      : before;
            const int64_t now = after_links(o, l, e, ticks);

            rest = now > ticks || now == before ? 0 : rest;
            has_changed = has_changed || now != o->ticks[l][e];
            o->ticks[l][e] = now;
        }
    }
    return has_changed;
}

static void solve(struct oracle *o)
{
    const struct mpl_clc *clc = o->c->clc;
    uint64_t n_rounds = 0;

    if (clc->n_passes == 0) {
        return;
    }
    o->share = (uint64_t) ((1 - clc->gamma) * 4294967296.0 + 0.5);
    o->delta = o->c->model->ticks_per_s / 1e9 > 1
                   ? (int64_t) ((double) o->c->model->ticks_per_s * 1e-9 + 0.999)
                   : 1;
    while (relax(o)) {
        /* Each round settles at least one event. */
        ck_assert_uint_le(++n_rounds, o->c->model->n_events);
    }
}

/* The order must be taken from the times before the repair: some of it depends on them. */
static struct oracle make_oracle_of(const struct clc_case *c)
{
    struct oracle o = { .c = c };

    make_oracle(&o);
    return o;
}

static void check_forward(int seed)
{
    struct world *world;
    struct clc_case c = draw_case(seed, &world);
    struct mpl_clc_options options = mpl_clc_defaults();
    struct oracle o = make_oracle_of(&c);

    options.amortization = 0;
    clc_case_repair(&c, &options, arena);
    solve(&o);
    for (uint32_t l = 0; l < c.model->n_locations; l++) {
        for (uint32_t e = 0; e < c.model->locations[l].n_events; e++) {
            ck_assert_msg(mpl_ticks_of(&c.model->locations[l], e) == o.ticks[l][e],
                          "%s: location %u, event %u: %" PRId64 " instead of %" PRId64
                          ", before %" PRId64,
                          c.what, l, e, mpl_ticks_of(&c.model->locations[l], e),
                          o.ticks[l][e], c.before_ticks[l][e]);
        }
    }
}

START_TEST(forward_pass_solves_the_equations)
{
    try_seeds(_i, check_forward);
}
END_TEST

/* The highest that ramps to any later event reach: nothing else may lift an event. */
static void check_ramps(const struct clc_case *c, const struct oracle *o, uint32_t location)
{
    const int64_t *before = c->before_ticks[location];
    const uint64_t slope = (uint64_t) (4294967296.0 / 50) + 1;

    for (uint32_t e = 0; e < c->model->locations[location].n_events; e++) {
        const int64_t shift = clc_case_shift(c, location, e);
        int64_t most = 0;

        for (uint32_t y = e; y < c->model->locations[location].n_events; y++) {
            const unsigned __int128 fallen =
                (unsigned __int128) (before[y] - before[e]) * slope >> 32;
            const int64_t height = o->ticks[location][y] - before[y] - (int64_t) fallen;

            most = height > most ? height : most;
        }
        ck_assert_msg(shift >= o->ticks[location][e] - before[e] && shift <= most,
                      "%s: location %u, event %u: %" PRId64 " of %" PRId64 " to %" PRId64,
                      c->what, location, e, shift, o->ticks[location][e] - before[e], most);
    }
}

static void check_backward(int seed)
{
    struct world *world;
    struct clc_case c = draw_case(seed, &world);
    struct oracle o = make_oracle_of(&c);

    clc_case_repair(&c, NULL, arena);
    solve(&o);
    for (uint32_t l = 0; l < c.model->n_locations; l++) {
        check_ramps(&c, &o, l);
    }
}

START_TEST(backward_amortization_stays_between_forward_pass_and_ramps)
{
    try_seeds(_i, check_backward);
}
END_TEST

/* ---- no ratchet ---------------------------------------------------------------------------------- */

/* Clocks swing against each other many times, much faster than the first gamma can follow. */
static void check_swinging(int seed)
{
    struct world_options o = world_defaults();
    struct world *world;
    struct clc_case c;

    o.seed = (uint64_t) seed + 1;
    o.kind = (enum world_kind)(seed % WORLD_KINDS);
    o.n_steps = 300;
    o.compute_ns = 2e5;
    o.offset_ns = 0;
    o.sine_ns = 3e5;
    o.sine_periods = 9;
    world = world_create(&o, arena);
    clc_take_one_base(world_model(world));
    c = clc_case_make(world_model(world), world_match(world), arena, world_describe(world));
    clc_case_repair(&c, NULL, arena);
    ck_assert_msg(c.clc->is_within_error, "%s", c.what);
    /* Amplitudes differ by at most 2 * 0.3 ms; offsets at the start add as much. */
    ck_assert_msg(c.clc->max_shift_ticks <= 1300000, "%s: shift %" PRId64, c.what,
                  c.clc->max_shift_ticks);
}

START_TEST(swinging_clocks_do_not_drive_the_logical_clock)
{
    try_seeds(_i, check_swinging);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clc_property");
    TCase *c = add_case(suite, "clc_property", create_arena, destroy_arena);
    const TTest *const test[] = {
        no_violation_is_left_and_order_is_kept,
        options_do_not_weaken_the_guarantees,
        right_clocks_are_left_alone,
        forward_pass_solves_the_equations,
        backward_amortization_stays_between_forward_pass_and_ramps,
        swinging_clocks_do_not_drive_the_logical_clock,
    };

    tcase_set_timeout(c, 60);
    for (unsigned i = 0; i < sizeof test / sizeof test[0]; i++) {
        tcase_add_loop_test(c, test[i], 0, seeds_of(N_SEEDS / SEEDS_AT_ONCE));
    }
    return run_suite(suite);
}
