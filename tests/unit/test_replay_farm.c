/*
 * Farms whose tasks are dealt anew, against list scheduling: a farm is scheduled here, recorded, and
 * asked what if; the same schedule with other times must be the answer.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "events_fixture.h"
#include "replay/replay.h"

enum { MOST_WORKERS = 7, MOST_SLOTS = 300 };

/* Rank 0 is the master, rank 1 + w worker w. Times in us. */
struct plan {
    int n_workers;
    int n_slots;     /* turns of the master, of which the last n_workers give no task */
    int n_each;      /* messages from a worker in a turn */
    bool asks_first; /* else the master begins with a task for each */
    bool tells_end;  /* the last turns are answered, too */
    bool posts;      /* answers are MPI_Isend, for which nobody waits */
    long service;    /* of the master, between message and answer */
    long work[MOST_WORKERS + MOST_SLOTS]; /* of the first tasks, and of that of each slot */
    long rest[MOST_WORKERS];              /* behind the last task */
    double slowness[MOST_WORKERS];
    int order[MOST_SLOTS]; /* whose turn it is if not that of the first to come; -1 */
};

/* A schedule, and what it is to be like. */
struct schedule {
    const struct plan *plan;
    double
        factor[MOST_WORKERS]; /* beside the slowness, which tasks know that were recorded */
    double master_factor;
    const struct schedule *as; /* its order is taken where nobody waits for it; NULL */
    struct fixture *f;         /* to be recorded; NULL */
    int slot_of[MOST_WORKERS + MOST_SLOTS]; /* in which the result of an item is taken */
    long begin;
    long end;
    long ends[MOST_WORKERS + 1]; /* per rank */
};

/* What a worker has: an item, ready at some time. */
struct holding {
    int item;
    long ready;
    bool is_there;
};

static long times(long us, double factor)
{
    return (long) llround((double) us * factor);
}

/* Of what comes at the same time that which was taken now or, failing that, earlier. */
static bool is_better(const struct schedule *s, int slot, const struct holding *a,
                      const struct holding *b)
{
    if (a->ready != b->ready || s->as == NULL) {
        return a->ready < b->ready;
    }
    return s->as->slot_of[b->item] != slot &&
           (s->as->slot_of[a->item] == slot ||
            s->as->slot_of[a->item] < s->as->slot_of[b->item]);
}

static int choose(const struct schedule *s, const struct holding *held, int slot, long now)
{
    int best = -1;

    if (s->plan->order[slot] >= 0) {
        return s->plan->order[slot];
    }
    for (int w = 0; w < s->plan->n_workers; w++) {
        if (!held[w].is_there) {
            continue;
        }
        if (s->as != NULL && s->as->slot_of[held[w].item] == slot && held[w].ready <= now) {
            return w;
        }
        if (best < 0 || is_better(s, slot, &held[w], &held[best])) {
            best = w;
        }
    }
    return best;
}

static void record_answer(const struct schedule *s, long us, uint32_t rank)
{
    if (!s->plan->posts) {
        fixture_call_send(s->f, 0, us, us, "MPI_Send", rank, 1);
        return;
    }
    fixture_enter(s->f, 0, us, "MPI_Isend");
    (void) fixture_isend(s->f, 0, us, rank, 1);
    fixture_leave(s->f, 0, us, "MPI_Isend");
}

static void record_turn(const struct schedule *s, int w, long ready, long since, long taken,
                        long answered, bool is_answered)
{
    const uint32_t rank = (uint32_t) w + 1;

    for (int i = 0; i < s->plan->n_each; i++) {
        fixture_call_send(s->f, rank, ready, ready, "MPI_Send", 0, 0);
        fixture_call_recv(s->f, 0, i == 0 ? since : taken, taken, rank, 0);
    }
    if (is_answered) {
        record_answer(s, answered, rank);
        fixture_call_recv(s->f, rank, ready, answered, 0, 1);
    }
}

static void record_begin(const struct schedule *s)
{
    for (int w = -1; w < s->plan->n_workers && s->f != NULL; w++) {
        fixture_record(s->f, (uint32_t) w + 1, s->begin, MPL_EV_MARK);
    }
    for (int w = 0; w < s->plan->n_workers && s->f != NULL && !s->plan->asks_first; w++) {
        record_answer(s, s->begin, (uint32_t) w + 1);
        fixture_call_recv(s->f, (uint32_t) w + 1, s->begin, s->begin, 0, 1);
    }
}

static void finish(struct schedule *s, int w, long ends)
{
    s->end = ends > s->end ? ends : s->end;
    s->ends[w + 1] = ends;
    if (s->f != NULL) {
        fixture_record(s->f, (uint32_t) w + 1, ends, MPL_EV_MARK);
    }
}

/* Who has worked longest goes on first, in the order of turns. */
static void run_schedule(struct schedule *s)
{
    const struct plan *p = s->plan;
    struct holding held[MOST_WORKERS] = { { 0 } };
    long now = s->begin;

    record_begin(s);
    for (int w = 0; w < p->n_workers; w++) {
        held[w] = (struct holding){
            w, now + (p->asks_first ? 0 : times(p->work[w], p->slowness[w] * s->factor[w])),
            true
        };
    }
    for (int slot = 0; slot < p->n_slots; slot++) {
        const int w = choose(s, held, slot, now);
        const bool is_last = slot >= p->n_slots - p->n_workers;
        const long taken = held[w].ready > now ? held[w].ready : now;
        const long answered = taken + times(p->service, s->master_factor);
        const long ready = held[w].ready;

        s->slot_of[held[w].item] = slot;
        if (s->f != NULL) {
            record_turn(s, w, ready, now, taken, answered, !is_last || p->tells_end);
        }
        now = answered;
        held[w].item = p->n_workers + slot;
        held[w].ready = now + times(p->work[held[w].item], p->slowness[w] * s->factor[w]);
        held[w].is_there = !is_last;
        if (is_last) {
            finish(s, w, (p->tells_end ? now : ready) + times(p->rest[w], s->factor[w]));
        }
    }
    finish(s, -1, now);
}

static struct schedule scheduled(const struct plan *plan, const struct schedule *as)
{
    struct schedule s = { .plan = plan, .master_factor = 1, .as = as };

    for (int w = 0; w < MOST_WORKERS; w++) {
        s.factor[w] = 1;
    }
    return s;
}

static const struct mpl_events *record(struct schedule *s)
{
    s->f = fixture_create(arena, (uint32_t) s->plan->n_workers + 1, 1);
    run_schedule(s);
    return fixture_events(s->f);
}

static struct mpl_replayed ask(const struct mpl_events *events, const char *text)
{
    const struct mpl_what_if *what = NULL;
    struct mpl_replayed answer = { 0 };
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_what_if_parse(text, arena, &what, &err), MPL_OK);
    ck_assert_msg(mpl_replay_run(events, what, NULL, 0, arena, &answer, &err) == MPL_OK,
                  "%s: %s", text, err.cause[0].text);
    return answer;
}

static long draw(long from, long to)
{
    return from + rand() % (to - from + 1);
}

/* Another farm behind a barrier: its tasks are dealt apart. */
static void go_on(struct schedule *s, const struct plan *plan, const struct schedule *as)
{
    for (int rank = 0; rank <= plan->n_workers && s->f != NULL; rank++) {
        fixture_call_coll(s->f, (uint32_t) rank, s->ends[rank], s->end, MPL_COLL_BARRIER,
                          MPL_NONE);
    }
    s->plan = plan;
    s->as = as;
    s->begin = s->end;
    run_schedule(s);
}

/* Even times, so that their halves are whole. */
static struct plan draw_plan(unsigned seed)
{
    struct plan p = { .n_workers = 0 };

    srand(seed);
    p.n_workers = (int) draw(3, MOST_WORKERS);
    p.n_slots = (int) draw(60, MOST_SLOTS);
    p.n_each = (int) draw(1, 2);
    p.asks_first = draw(0, 1) == 1;
    p.tells_end = draw(0, 1) == 1;
    p.posts = seed % 3 == 0;
    p.service = 2 * draw(0, 40);
    for (int i = 0; i < MOST_WORKERS + MOST_SLOTS; i++) {
        p.work[i] = 2 * draw(20, 180);
    }
    for (int w = 0; w < MOST_WORKERS; w++) {
        p.rest[w] = 2 * draw(0, 50);
        p.slowness[w] = 1;
    }
    for (int i = 0; i < MOST_SLOTS; i++) {
        p.order[i] = -1;
    }
    return p;
}

/* Of workers that are alike some have, by chance, tasks that are not. */
static bool is_of_chance(const char *doubt)
{
    return strstr(doubt, "differ from those of others by chance is not known") != NULL;
}

static void assert_like(const struct mpl_events *events, struct schedule *s,
                        const char *text)
{
    const struct mpl_replayed answer = ask(events, text);

    run_schedule(s);
    ck_assert_msg(answer.doubt == NULL || is_of_chance(answer.doubt), "seed %d, %s: %s",
                  (int) s->plan->n_slots, text, answer.doubt);
    ck_assert_msg(llround(answer.changed_s * 1e6) == s->end, "%s: %.1f us, not %ld (of %d)",
                  text, answer.changed_s * 1e6, s->end, s->plan->n_slots);
}

START_TEST(tasks_are_dealt_as_a_list_is_scheduled)
{
    const struct plan plan = draw_plan((unsigned) _i);
    struct schedule recorded = scheduled(&plan, NULL);
    const struct mpl_events *events = record(&recorded);
    struct schedule fast = scheduled(&plan, &recorded);
    struct schedule slow = scheduled(&plan, &recorded);
    struct schedule quick = scheduled(&plan, &recorded);
    struct schedule busy = scheduled(&plan, &recorded);

    ASSERT_US(ask(events, "compute*1").changed_s, recorded.end);
    fast.factor[0] = 0.5;
    assert_like(events, &fast, "compute(1)/2");
    slow.factor[1] = 4;
    assert_like(events, &slow, "compute(2)*4");
    quick.master_factor = 0.5;
    assert_like(events, &quick, "compute(0)/2");
    busy.master_factor = 3;
    busy.factor[0] = 2;
    assert_like(events, &busy, "compute(0)*3, compute(1)*2");
}
END_TEST

/* Tasks of worker 2 take five times as long as they would elsewhere, up to the lengths of the few that it
 * had, which are chance. */
START_TEST(a_slow_worker_that_becomes_like_the_others_gets_as_many_tasks)
{
    struct plan plan = draw_plan((unsigned) _i);
    struct schedule recorded = scheduled(&plan, NULL);
    struct schedule alike = scheduled(&plan, &recorded);
    const struct mpl_events *events;

    plan.n_workers = 5;
    plan.n_slots = MOST_SLOTS;
    plan.service = 10;
    plan.slowness[2] = 5;
    events = record(&recorded);
    plan.slowness[2] = 1;
    run_schedule(&alike);
    ck_assert_int_gt(recorded.end, alike.end + alike.end / 10);
    ck_assert_double_eq_tol(ask(events, "compute(3)=others").changed_s * 1e6,
                            (double) alike.end, 0.04 * (double) alike.end);
    ck_assert_double_eq_tol(ask(events, "compute(3)/5").changed_s * 1e6, (double) alike.end,
                            0.04 * (double) alike.end);
}
END_TEST

/* Worker 2 has so few tasks that it may have been given long ones, and be as fast as the others. */
START_TEST(tasks_that_may_be_long_by_chance_are_a_doubt)
{
    struct plan plan = draw_plan((unsigned) _i);
    struct schedule recorded = scheduled(&plan, NULL);
    struct schedule alike = scheduled(&plan, &recorded);
    const struct mpl_events *events;
    struct mpl_replayed answer;

    plan.n_workers = 5;
    plan.n_slots = 60;
    plan.service = 10;
    plan.slowness[2] = 5;
    events = record(&recorded);
    plan.slowness[2] = 1;
    run_schedule(&alike);
    answer = ask(events, "compute(3)/5");
    ck_assert(fabs(answer.changed_s * 1e6 - (double) alike.end) <
                  0.1 * (double) alike.end ||
              answer.doubt != NULL);
    ck_assert_msg(answer.doubt == NULL || is_of_chance(answer.doubt), "%s", answer.doubt);
}
END_TEST

/* A master with an order of its own, however wild, keeps it: it waits while others are there. */
START_TEST(an_order_that_is_the_programs_own_is_kept)
{
    struct plan plan = draw_plan((unsigned) _i);
    struct schedule recorded = scheduled(&plan, NULL);
    struct schedule fast = scheduled(&plan, NULL);
    const struct mpl_events *events;

    for (int i = 0; i < plan.n_slots; i += plan.n_workers) {
        const int first = (int) draw(0, plan.n_workers - 1);

        /* Rounds in which each has a turn, from another one on each time. */
        for (int k = 0; k < plan.n_workers && i + k < plan.n_slots; k++) {
            plan.order[i + k] = (first + k) % plan.n_workers;
        }
    }
    plan.n_slots -= plan.n_slots % plan.n_workers;
    events = record(&recorded);
    fast.factor[0] = 0.5;
    run_schedule(&fast);
    ck_assert_int_eq(llround(ask(events, "compute(1)/2").changed_s * 1e6), fast.end);
}
END_TEST

/* With other tasks in each, and a worker that stays slow. */
START_TEST(steps_are_dealt_one_by_one)
{
    enum { N_STEPS = 4 };
    struct plan plans[N_STEPS];
    struct schedule steps[N_STEPS];
    struct schedule recorded;
    struct schedule fast;
    struct mpl_replayed answer;

    for (int i = 0; i < N_STEPS; i++) {
        plans[i] = draw_plan((unsigned) (i == 0 ? _i : 100 * _i + i));
        plans[i].n_workers = plans[0].n_workers;
        plans[i].n_each = plans[0].n_each;
    }
    recorded = scheduled(&plans[0], NULL);
    recorded.f = fixture_create(arena, (uint32_t) plans[0].n_workers + 1, 1);
    run_schedule(&recorded);
    steps[0] = recorded;
    for (int i = 1; i < N_STEPS; i++) {
        go_on(&recorded, &plans[i], NULL);
        steps[i] = recorded;
    }
    fast = scheduled(&plans[0], &steps[0]);
    fast.factor[0] = 0.5;
    run_schedule(&fast);
    for (int i = 1; i < N_STEPS; i++) {
        go_on(&fast, &plans[i], &steps[i]);
    }
    answer = ask(fixture_events(recorded.f), "compute(1)/2");
    ck_assert_msg(answer.doubt == NULL || is_of_chance(answer.doubt), "%s", answer.doubt);
    ASSERT_US(answer.baseline_s, recorded.end);
    ASSERT_US(answer.changed_s, fast.end);
}
END_TEST

/* The same with turns of other messages in the later steps, which so are no farm: their order is a
 * doubt. */
START_TEST(the_order_behind_a_farm_is_looked_at)
{
    struct plan slow = draw_plan((unsigned) _i);
    struct schedule recorded = scheduled(&slow, NULL);
    const struct mpl_events *events;
    struct mpl_replayed answer;

    slow.asks_first = true;
    slow.slowness[2] = 5;
    slow.n_slots = 100;
    recorded.f = fixture_create(arena, (uint32_t) slow.n_workers + 1, 1);
    run_schedule(&recorded);
    slow.n_each = 3 - slow.n_each;
    for (int step = 1; step < 5; step++) {
        go_on(&recorded, &slow, NULL);
    }
    events = fixture_events(recorded.f);
    ASSERT_US(ask(events, "compute*1").changed_s, recorded.end);
    answer = ask(events, "compute(3)/5");
    ck_assert_ptr_nonnull(answer.doubt);
    ck_assert_msg(strstr(answer.doubt, "receives in the recorded order") != NULL, "%s",
                  answer.doubt);
}
END_TEST

/* Worker 1 gets the tasks of others without waiting for its answers, so nobody can say which it would
 * have had: nothing is dealt, which is reported. */
START_TEST(tasks_that_overlap_are_not_dealt)
{
    struct fixture *f = fixture_create(arena, 4, 1);
    struct mpl_replayed answer;
    long now[4] = { 0 };
    int n[4] = { 0 };

    srand(1);
    for (uint32_t l = 0; l < 4; l++) {
        fixture_record(f, l, 0, MPL_EV_MARK);
    }
    /* Each has sent one more than was answered. */
    for (int i = 0; i < 120; i++) {
        uint32_t w = 1;

        for (uint32_t l = 2; l < 4; l++) {
            w = now[l] < now[w] ? l : w;
        }
        now[w] += draw(20, 180);
        now[w] = now[w] > now[0] ? now[w] : now[0];
        fixture_call_send(f, w, now[w], now[w], "MPI_Send", 0, 0);
        if (n[w]++ > 0) {
            fixture_call_recv(f, w, now[w], now[w], 0, 1);
        }
        fixture_call_recv(f, 0, now[0], now[w], w, 0);
        fixture_call_send(f, 0, now[w], now[w], "MPI_Send", w, 1);
        now[0] = now[w];
    }
    answer = ask(fixture_events(f), "compute(1)*4");
    ck_assert_ptr_nonnull(answer.doubt);
    ck_assert_msg(strstr(answer.doubt, "receives in the recorded order") != NULL, "%s",
                  answer.doubt);
}
END_TEST

START_TEST(running_out_of_memory_is_told_at_every_allocation)
{
    const struct plan plan = draw_plan(1);
    struct schedule recorded = scheduled(&plan, NULL);
    const struct mpl_events *events = record(&recorded);
    const struct mpl_what_if *what = NULL;
    enum mpl_status st = MPL_E_NOMEM;
    long n = 0;

    ck_assert_int_eq(mpl_what_if_parse("compute(1)/2", arena, &what, NULL), MPL_OK);
    for (; fails_without_memory(n, st); n++) {
        struct mpl_arena *scratch = mpl_arena_create();
        struct mpl_replayed answer = { 0 };

        ck_assert_ptr_nonnull(scratch);
        mpl_alloc_fail_after(n);
        st = mpl_replay_run(events, what, NULL, 0, scratch, &answer, NULL);
        mpl_alloc_fail_after(-1);
        mpl_arena_destroy(scratch);
    }
    ck_assert_int_gt(failures_without_memory(), 10);
}
END_TEST

/* ---- several threads ------------------------------------------------------------------------------ */

static const char *const questions[] = { "compute(1)/2",      "compute(2)*4",
                                         "compute(2)=others", "compute(0)/2",
                                         "network*0",         "region(MPI_Recv)*0.5",
                                         "compute(1)=even" };
enum { N_QUESTIONS = sizeof questions / sizeof *questions, TURNS = 6, THREADS = 4 };

struct asking {
    struct mpl_replay *replay;
    const struct mpl_what_if *what[N_QUESTIONS];
    struct mpl_arena *arenas[N_QUESTIONS * TURNS];
    struct mpl_replayed answers[N_QUESTIONS * TURNS];
};

static enum mpl_status ask_one(void *context, size_t task, unsigned worker,
                               struct mpl_err *err)
{
    struct asking *asking = context;

    (void) worker;
    return mpl_replay_ask(asking->replay, asking->what[task % N_QUESTIONS], NULL, 0,
                          asking->arenas[task], &asking->answers[task], err);
}

START_TEST(threads_that_ask_at_a_time_get_the_answers_of_one)
{
    const struct plan plan = draw_plan((unsigned) _i);
    struct schedule recorded = scheduled(&plan, NULL);
    const struct mpl_events *events = record(&recorded);
    struct asking asking = { .replay = mpl_replay_create(events, arena) };
    const struct mpl_parallel job = { .n_tasks = N_QUESTIONS * TURNS,
                                      .max_threads = THREADS,
                                      .run = ask_one,
                                      .context = &asking };
    struct mpl_err err = { 0 };

    for (int q = 0; q < N_QUESTIONS; q++) {
        ck_assert_int_eq(mpl_what_if_parse(questions[q], arena, &asking.what[q], NULL),
                         MPL_OK);
    }
    for (int task = 0; task < N_QUESTIONS * TURNS; task++) {
        asking.arenas[task] = mpl_arena_create();
        ck_assert_ptr_nonnull(asking.arenas[task]);
    }
    ck_assert_msg(mpl_parallel_run(&job, &err) == MPL_OK, "%s", err.cause[0].text);
    for (int task = 0; task < N_QUESTIONS * TURNS; task++) {
        const struct mpl_replayed alone = ask(events, questions[task % N_QUESTIONS]);

        ck_assert_double_eq(asking.answers[task].baseline_s, alone.baseline_s);
        ck_assert_double_eq(asking.answers[task].changed_s, alone.changed_s);
        ck_assert_pstr_eq(asking.answers[task].doubt, alone.doubt);
        mpl_arena_destroy(asking.arenas[task]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("replay-farm");
    TCase *t = add_case(suite, "farm", create_arena, destroy_arena);

    tcase_add_loop_test(t, tasks_are_dealt_as_a_list_is_scheduled, 1, 41);
    tcase_add_loop_test(t, a_slow_worker_that_becomes_like_the_others_gets_as_many_tasks, 1,
                        11);
    tcase_add_loop_test(t, tasks_that_may_be_long_by_chance_are_a_doubt, 1, 21);
    tcase_add_loop_test(t, an_order_that_is_the_programs_own_is_kept, 1, 11);
    tcase_add_loop_test(t, steps_are_dealt_one_by_one, 1, 21);
    tcase_add_loop_test(t, the_order_behind_a_farm_is_looked_at, 1, 11);
    tcase_add_test(t, tasks_that_overlap_are_not_dealt);
    tcase_add_test(t, running_out_of_memory_is_told_at_every_allocation);
    tcase_add_loop_test(t, threads_that_ask_at_a_time_get_the_answers_of_one, 1, 11);
    return run_suite(suite);
}
