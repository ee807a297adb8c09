/*
 * Threads of programs that are made up here, so that their true order is known, and those of the
 * shared traces, whose threads have one clock.
 */
#include "config.h"

#include "../lib/suite.h"
#include "all_traces.h"
#include "hand_trace.h"
#include "order/order.h"
#include "read/read.h"
#include "violations.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 6, N_STEPS = 40 };

/** How the tracer names teams. */
enum naming {
    BY_FORK,    /**< Each its own number, as EZTrace does. */
    BY_MEMBERS, /**< As Score-P does. */
    BY_MAKER,   /**< Members differ under the same number: order is often not certain. */
    BY_NOTHING,
    NAMINGS
};

/* ---- the program --------------------------------------------------------------------------- */

struct moment {
    uint32_t thread;
    int64_t ticks;
};

/** What truly came before what. */
struct truth {
    uint32_t n_sources;
    uint32_t n_sinks;
    struct moment source[MOST_THREADS];
    struct moment sink[MOST_THREADS];
};

struct program {
    uint32_t n_threads;
    enum naming naming;
    bool is_eztrace;
    uint32_t first; /* Location of its process's thread 0. */
    int64_t now;    /* Each record has a time of its own, in the true order. */
    uint32_t n_forks;
    uint32_t n_acquired;
    bool is_busy[MOST_THREADS];
    bool has_open_end[MOST_THREADS];
    uint32_t open_team[MOST_THREADS];
    struct moment released; /* Of the lock, last time. */
    struct mpl_buf truth;
};

static uint32_t below(uint32_t n)
{
    return (uint32_t) rand() % n;
}

static struct truth *new_truth(struct program *p)
{
    struct truth *truth = (struct truth *) mpl_buf_add(&p->truth);

    ck_assert_ptr_nonnull(truth);
    return truth;
}

static void add_source(struct truth *truth, struct moment m)
{
    truth->source[truth->n_sources++] = m;
}

static void add_sink(struct truth *truth, struct moment m)
{
    truth->sink[truth->n_sinks++] = m;
}

static struct moment tick(struct program *p, uint32_t thread)
{
    return (struct moment){ thread, ++p->now };
}

static struct moment record(struct program *p, uint32_t thread, enum mpl_event_kind kind,
                            uint32_t team)
{
    const struct moment m = tick(p, thread);

    trace_team(t, p->first + thread, m.ticks, kind, team);
    return m;
}

static void end_late(struct program *p, uint32_t thread)
{
    if (p->has_open_end[thread]) {
        (void) record(p, thread, MPL_EV_TEAM_END, p->open_team[thread]);
        p->has_open_end[thread] = false;
    }
}

static uint32_t name_team(struct program *p, uint32_t maker, uint32_t members)
{
    switch (p->naming) {
    case BY_FORK:
        return 100 + p->n_forks;
    case BY_MEMBERS:
        return 1000 + maker * (1U << MOST_THREADS) + members;
    case BY_MAKER:
        return 5 + maker;
    default:
        return MPL_NONE;
    }
}

/* ---- what a team does ------------------------------------------------------------------------ */

/** The members of a team, its maker first. */
struct crew {
    uint32_t n;
    uint32_t thread[MOST_THREADS];
};

static void shuffle(struct crew *crew)
{
    for (uint32_t i = crew->n; i > 1; i--) {
        const uint32_t other = below(i);
        const uint32_t thread = crew->thread[other];

        crew->thread[other] = crew->thread[i - 1];
        crew->thread[i - 1] = thread;
    }
}

static void do_barrier(struct program *p, struct crew crew)
{
    static const char *const names[] = { "!$omp barrier @a.c:1",
                                         "!$omp implicit barrier @a.c:2" };
    const char *name = names[below(2)];
    struct truth truth = { 0 };

    shuffle(&crew);
    for (uint32_t i = 0; i < crew.n; i++) {
        const struct moment m = tick(p, crew.thread[i]);

        trace_enter(t, p->first + m.thread, m.ticks, name);
        add_source(&truth, m);
    }
    shuffle(&crew);
    for (uint32_t i = 0; i < crew.n; i++) {
        const struct moment m = tick(p, crew.thread[i]);

        trace_leave(t, p->first + m.thread, m.ticks, name);
        add_sink(&truth, m);
    }
    if (crew.n > 1) {
        *new_truth(p) = truth;
    }
}

static void do_lock(struct program *p, uint32_t thread)
{
    const uint32_t number = ++p->n_acquired;
    const struct moment from = tick(p, thread);
    const struct moment to = tick(p, thread);

    trace_numbered(t, p->first + thread, from.ticks, MPL_ACT_LOCK, 3, number);
    trace_numbered(t, p->first + thread, to.ticks, MPL_ACT_UNLOCK, 3, number);
    if (!p->is_eztrace && number > 1 && p->released.thread != thread) {
        struct truth *truth = new_truth(p);

        add_source(truth, p->released);
        add_sink(truth, from);
    }
    p->released = to;
}

static struct crew hire(struct program *p, uint32_t maker)
{
    struct crew crew = { 1, { maker } };

    for (uint32_t thread = 0; thread < p->n_threads; thread++) {
        if (thread != maker && !p->is_busy[thread] && below(3) > 0) {
            crew.thread[crew.n++] = thread;
            p->is_busy[thread] = true;
        }
    }
    return crew;
}

static void do_team(struct program *p, uint32_t maker, uint32_t depth);

static void do_work(struct program *p, const struct crew *crew, uint32_t depth)
{
    for (uint32_t n = below(4); n > 0; n--) {
        const uint32_t thread = crew->thread[below(crew->n)];
        const uint32_t what = below(4);

        if (what == 0 && depth < 3) {
            do_team(p, thread, depth + 1);
        } else if (what == 1) {
            do_lock(p, thread);
        } else {
            do_barrier(p, *crew);
        }
    }
}

/* Ends of idle threads are written when EZTrace learns of them. */
static void end_turns(struct program *p, struct crew crew, uint32_t maker, uint32_t team,
                      struct truth *join)
{
    shuffle(&crew);
    for (uint32_t i = 0; i < crew.n; i++) {
        const uint32_t thread = crew.thread[i];

        if (p->is_eztrace && thread != maker) {
            p->has_open_end[thread] = true;
            p->open_team[thread] = team;
            continue;
        }

        const struct moment end = record(p, thread, MPL_EV_TEAM_END, team);

        if (thread != maker) {
            add_source(join, end);
        }
    }
}

static void do_team(struct program *p, uint32_t maker, uint32_t depth)
{
    struct crew crew = hire(p, maker);
    struct truth fork = { 0 };
    struct truth join = { 0 };
    uint32_t members = 0;

    p->n_forks++;
    for (uint32_t i = 0; i < crew.n; i++) {
        members |= 1U << crew.thread[i];
        end_late(p, crew.thread[i]);
    }

    const uint32_t team = name_team(p, maker, members);

    add_source(&fork, record(p, maker, MPL_EV_FORK, crew.n));
    shuffle(&crew);
    for (uint32_t i = 0; i < crew.n; i++) {
        const struct moment begin = record(p, crew.thread[i], MPL_EV_TEAM_BEGIN, team);

        if (crew.thread[i] != maker) {
            add_sink(&fork, begin);
        }
    }
    do_work(p, &crew, depth);
    end_turns(p, crew, maker, team, &join);
    add_sink(&join, record(p, maker, MPL_EV_JOIN, 0));
    for (uint32_t i = 0; i < fork.n_sinks && p->is_eztrace; i++) {
        add_source(&join, fork.sink[i]);
    }
    if (crew.n > 1) {
        *new_truth(p) = fork;
        *new_truth(p) = join;
    }
    for (uint32_t i = 0; i < crew.n; i++) {
        p->is_busy[crew.thread[i]] = crew.thread[i] == maker;
    }
}

static struct program run_program(uint32_t n_threads, uint32_t process, enum naming naming,
                                  bool is_eztrace)
{
    struct program p = { .n_threads = n_threads,
                         .naming = naming,
                         .is_eztrace = is_eztrace,
                         .first = process * n_threads,
                         .truth = mpl_buf_make(sizeof(struct truth)) };

    p.is_busy[0] = true;
    for (uint32_t i = below(N_STEPS); i > 0; i--) {
        do_team(&p, 0, 0);
    }
    for (uint32_t thread = 0; thread < n_threads; thread++) {
        end_late(&p, thread);
    }
    return p;
}

/* ---- judging ------------------------------------------------------------------------------------ */

static struct mpl_violations count(const struct mpl_model *model)
{
    struct mpl_order_view *view = NULL;
    struct mpl_violations found;

    ck_assert_int_eq(
        mpl_order_view_create(model, trace_match(model, arena), arena, &view, NULL),
        MPL_OK);
    ck_assert_int_eq(violations_count(view, &found, NULL), MPL_OK);
    return found;
}

/* Sinks, and those of them that come before a source, with clocks that are wrong by so much. */
static void count_truth(const struct program *p, const int64_t *wrong_ticks, uint64_t *n,
                        uint64_t *n_reversed)
{
    for (size_t i = 0; i < p->truth.n; i++) {
        const struct truth *truth = (const struct truth *) mpl_buf_get(&p->truth, i);

        *n += truth->n_sinks;
        for (uint32_t s = 0; s < truth->n_sinks; s++) {
            const struct moment *sink = &truth->sink[s];
            bool is_reversed = false;

            for (uint32_t from = 0; from < truth->n_sources; from++) {
                const struct moment *source = &truth->source[from];

                is_reversed |= source->ticks + wrong_ticks[p->first + source->thread] >
                               sink->ticks + wrong_ticks[p->first + sink->thread];
            }
            *n_reversed += is_reversed;
        }
    }
}

/* _i is the seed. */
START_TEST(all_order_of_threads_is_found_and_no_other)
{
    const uint32_t n_threads = 2 + (uint32_t) _i % (MOST_THREADS - 1);
    const enum naming naming = _i % 2 == 0 ? BY_FORK : BY_MEMBERS;
    int64_t wrong_ticks[2 * MOST_THREADS];
    uint64_t n = 0;
    uint64_t n_reversed = 0;
    struct mpl_violations found;

    srand((unsigned) _i);
    t = trace_create(arena, 2, n_threads);
    trace_set_tracer(t, _i % 4 == 0 ? MPL_TRACER_EZTRACE : MPL_TRACER_SCOREP);
    for (uint32_t l = 0; l < 2 * n_threads; l++) {
        wrong_ticks[l] = _i < 50 ? 0 : (int64_t) below(20);
        trace_set_base(t, l, 1000 + (uint64_t) wrong_ticks[l]);
    }
    for (uint32_t process = 0; process < 2; process++) {
        struct program p = run_program(n_threads, process, naming, _i % 4 == 0);

        count_truth(&p, wrong_ticks, &n, &n_reversed);
        mpl_buf_free(&p.truth);
    }
    found = count(trace_model(t));
    ck_assert_msg(found.n_thread == n, "seed %d: %" PRIu64 " moments, not %" PRIu64, _i,
                  found.n_thread, n);
    ck_assert_msg(found.thread == n_reversed,
                  "seed %d: %" PRIu64 " violations, not %" PRIu64, _i, found.thread,
                  n_reversed);
}
END_TEST

/* Ambiguous names, and files that end anywhere: what is concluded must hold all the same. */
START_TEST(nothing_is_concluded_that_is_not_true)
{
    const uint32_t n_threads = 2 + (uint32_t) _i % (MOST_THREADS - 1);
    struct mpl_violations found;
    struct program p;

    srand((unsigned) _i);
    t = trace_create(arena, 1, n_threads);
    trace_set_tracer(t, _i % 3 == 0 ? MPL_TRACER_EZTRACE : MPL_TRACER_SCOREP);
    p = run_program(n_threads, 0, (enum naming) below(NAMINGS), _i % 3 == 0);
    mpl_buf_free(&p.truth);
    for (uint32_t l = 0; l < n_threads; l++) {
        if (below(4) == 0) {
            trace_cut_at(t, l, (int64_t) below((uint32_t) p.now + 1));
            trace_set_damaged(t, l);
        }
    }
    found = count(trace_model(t));
    ck_assert_msg(found.thread == 0, "seed %d: %" PRIu64 " false violations", _i,
                  found.thread);
}
END_TEST

/* ---- shared traces --------------------------------------------------------------------------------- */

struct kinds {
    uint64_t n_groups[MPL_RELATION_KINDS];
    uint64_t n_sinks[MPL_RELATION_KINDS];
};

static void see_group(void *context, const struct mpl_order_group *group)
{
    struct kinds *kinds = (struct kinds *) context;

    kinds->n_groups[group->kind]++;
    kinds->n_sinks[group->kind] += group->n_sinks;
}

/* False where the trace cannot be read. */
static bool look_at_trace(const char *path, struct kinds *kinds,
                          struct mpl_violations *found)
{
    struct mpl_order_view *view = NULL;
    struct mpl_model *model = NULL;

    *kinds = (struct kinds){ { 0 }, { 0 } };
    if (mpl_read(path, arena, NULL, &model, NULL) != MPL_OK) {
        return false;
    }
    ck_assert_int_eq(
        mpl_order_view_create(model, trace_match(model, arena), arena, &view, NULL),
        MPL_OK);
    mpl_order_walk_groups(view, see_group, kinds);
    ck_assert_int_eq(violations_count(view, found, NULL), MPL_OK);
    return true;
}

/* The threads of a process read one clock, also where processes do not. */
static bool violates_nothing(const char *name, const char *path)
{
    struct mpl_violations found;
    struct kinds kinds;
    const bool is_read = look_at_trace(path, &kinds, &found);

    ck_assert_msg(!is_read || found.thread == 0, "%s: %" PRIu64 " violations", name,
                  found.thread);
    return is_read;
}

START_TEST(threads_of_shared_traces_violate_nothing)
{
    look_at_all_traces(violates_nothing, 20);
}
END_TEST

/*
 * Figures of otf2-print: THREAD_FORK records; the same number of teams, each of 2 (halo-omp) or
 * 4 threads (jacobi) that begin; each ends with one implicit barrier. Of the 8,000 turns in
 * jacobi's critical section 37 follow one of the same thread or are the first of their process.
 */
static const struct expected {
    const char *name;
    uint64_t n_forks;
    uint64_t n_workers;
    uint64_t n_locks;
} expectations[] = {
    { "scorep-halo-omp", 600, 1, 0 },
    { "scorep-halo-omp-skew", 1800, 1, 0 },
    { "public-casita-2_jacobi_blame_cpu_015", 4009, 3, 8000 - 37 },
    { "probe-thread-np4", 0, 0, 0 },
    { "probe-omp-ompt-t3", 0, 0, 0 },
};

START_TEST(shared_traces_have_the_expected_relations)
{
    const struct expected *e = &expectations[_i];
    struct mpl_violations found;
    struct kinds kinds;

    ck_assert(look_at_trace(trace_path(arena, e->name, NULL), &kinds, &found));
    ck_assert_uint_eq(kinds.n_groups[MPL_RELATION_FORK], e->n_forks);
    ck_assert_uint_eq(kinds.n_sinks[MPL_RELATION_FORK], e->n_forks * e->n_workers);
    ck_assert_uint_eq(kinds.n_groups[MPL_RELATION_JOIN], e->n_forks);
    ck_assert_uint_eq(kinds.n_sinks[MPL_RELATION_JOIN], e->n_forks);
    ck_assert_uint_eq(kinds.n_groups[MPL_RELATION_BARRIER], e->n_forks);
    ck_assert_uint_eq(kinds.n_sinks[MPL_RELATION_BARRIER], e->n_forks * (e->n_workers + 1));
    ck_assert_uint_eq(kinds.n_groups[MPL_RELATION_LOCK], e->n_locks);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("order_threads");
    TCase *c = add_case(suite, "order_threads", set_up, tear_down);

    tcase_set_timeout(c, 240);
    tcase_add_loop_test(c, all_order_of_threads_is_found_and_no_other, 0, 200);
    tcase_add_loop_test(c, nothing_is_concluded_that_is_not_true, 0, 300);
    if (traces_are_there("threads of real traces")) {
        tcase_add_test(c, threads_of_shared_traces_violate_nothing);
        tcase_add_loop_test(c, shared_traces_have_the_expected_relations, 0,
                            (int) (sizeof expectations / sizeof expectations[0]));
    }
    return run_suite(suite);
}
