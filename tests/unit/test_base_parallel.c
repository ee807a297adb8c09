#include "config.h"

#include "base/base.h"

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "../lib/suite.h"

enum { N_TASKS = 1000 };

struct work {
    atomic_int done[N_TASKS];
    atomic_int n_done;
    atomic_int of_worker[MPL_PARALLEL_MOST];
    int n_ticks;
    size_t fails_at;
    size_t also_fails_at;
};

static struct work *work;

static void set_up(void)
{
    static struct work zero;

    work = &zero;
    memset(work, 0, sizeof *work);
    work->fails_at = SIZE_MAX;
    work->also_fails_at = SIZE_MAX;
}

static enum mpl_status run(void *context, size_t task, unsigned worker, struct mpl_err *err)
{
    struct work *w = context;

    ck_assert_uint_lt(worker, MPL_PARALLEL_MOST);
    /* No two tasks are ever in the hands of the same worker. */
    ck_assert_int_eq(atomic_fetch_add(&w->of_worker[worker], 1), 0);
    atomic_fetch_add(&w->done[task], 1);
    atomic_fetch_add(&w->n_done, 1);
    if (task % 100 == 0) {
        const struct timespec while_others_run = { .tv_nsec = 1000000 };

        (void) nanosleep(&while_others_run, NULL);
    }
    atomic_fetch_sub(&w->of_worker[worker], 1);
    return task == w->fails_at || task == w->also_fails_at
               ? mpl_fail(err, MPL_E_LIMIT, "task %zu", task)
               : MPL_OK;
}

static void tick(void *context)
{
    ((struct work *) context)->n_ticks++; /* in one thread only: no lock */
}

static enum mpl_status do_all(size_t n_tasks, unsigned max_threads, struct mpl_err *err)
{
    const struct mpl_parallel job = { .n_tasks = n_tasks,
                                      .max_threads = max_threads,
                                      .run = run,
                                      .tick = tick,
                                      .context = work };

    return mpl_parallel_run(&job, err);
}

/* _i is the number of threads in these. */
START_TEST(every_task_is_done_once)
{
    ck_assert_int_eq(do_all(N_TASKS, (unsigned) _i, NULL), MPL_OK);
    for (size_t i = 0; i < N_TASKS; i++) {
        ck_assert_int_eq(atomic_load(&work->done[i]), 1);
    }
    ck_assert_int_gt(work->n_ticks, 0);
}
END_TEST

/* Whether they come out even among the threads or not. */
START_TEST(every_spread_task_is_done_once)
{
    struct mpl_parallel job = {
        .max_threads = (unsigned) _i, .run = run, .context = work, .is_spread = true
    };

    for (job.n_tasks = 0; job.n_tasks <= 20; job.n_tasks++) {
        set_up();
        ck_assert_int_eq(mpl_parallel_run(&job, NULL), MPL_OK);
        for (size_t i = 0; i < N_TASKS; i++) {
            ck_assert_int_eq(atomic_load(&work->done[i]), i < job.n_tasks);
        }
    }
}
END_TEST

/* Two workers, each of which waits for the other in every task. */
struct meeting {
    pthread_barrier_t both_are_there;
    size_t task[2];
};

static enum mpl_status meet(void *context, size_t task, unsigned worker,
                            struct mpl_err *err)
{
    struct meeting *m = context;

    (void) err;
    m->task[worker] = task;
    (void) pthread_barrier_wait(&m->both_are_there);
    const size_t other = m->task[1 - worker];
    (void) pthread_barrier_wait(&m->both_are_there);
    return (task > other ? task - other : other - task) == 10 ? MPL_OK : MPL_E_LIMIT;
}

START_TEST(spread_tasks_at_the_same_time_are_half_of_all_apart)
{
    struct meeting m;
    const struct mpl_parallel job = {
        .n_tasks = 20, .max_threads = 2, .run = meet, .context = &m, .is_spread = true
    };

    ck_assert_int_eq(pthread_barrier_init(&m.both_are_there, NULL, 2), 0);
    ck_assert_int_eq(mpl_parallel_run(&job, NULL), MPL_OK);
    (void) pthread_barrier_destroy(&m.both_are_there);
}
END_TEST

START_TEST(first_failure_is_told_and_ends_the_work)
{
    struct mpl_err err = { 0 };

    work->fails_at = 120;
    work->also_fails_at = 121;
    ck_assert_int_eq(do_all(N_TASKS, (unsigned) _i, &err), MPL_E_LIMIT);
    ck_assert_str_eq(err.cause[0].text, "task 120");
    ck_assert_int_lt(atomic_load(&work->n_done), N_TASKS);
    for (size_t i = 0; i <= 120; i++) {
        ck_assert_int_eq(atomic_load(&work->done[i]), 1);
    }
}
END_TEST

START_TEST(nothing_to_do_is_done)
{
    ck_assert_int_eq(do_all(0, (unsigned) _i, NULL), MPL_OK);
    ck_assert_int_eq(atomic_load(&work->n_done), 0);
}
END_TEST

START_TEST(without_threads_the_caller_does_it_all)
{
    const struct rlimit none = { 0, 0 };

    /* Not for root, whom the limit does not bind; then this is the same as above. */
    (void) setrlimit(RLIMIT_NPROC, &none);
    ck_assert_int_eq(do_all(N_TASKS, 4, NULL), MPL_OK);
    ck_assert_int_eq(atomic_load(&work->n_done), N_TASKS);
}
END_TEST

START_TEST(failures_without_a_place_to_tell_them_are_failures)
{
    work->fails_at = 0;
    ck_assert_int_eq(do_all(2, 2, NULL), MPL_E_LIMIT);
}
END_TEST

START_TEST(threads_are_those_that_the_environment_asks_for)
{
    const unsigned usual = (unsetenv("MARPLE_THREADS"), mpl_threads());

    ck_assert_uint_ge(usual, 1);
    setenv("MARPLE_THREADS", "3", 1);
    ck_assert_uint_eq(mpl_threads(), 3);
    setenv("MARPLE_THREADS", "100000", 1);
    ck_assert_uint_eq(mpl_threads(), MPL_PARALLEL_MOST);
    setenv("MARPLE_THREADS", "0", 1);
    ck_assert_uint_eq(mpl_threads(), usual);
    setenv("MARPLE_THREADS", "two", 1);
    ck_assert_uint_eq(mpl_threads(), usual);
    setenv("MARPLE_THREADS", "", 1);
    ck_assert_uint_eq(mpl_threads(), usual);
}
END_TEST

/* ---- jobs inside of jobs ------------------------------------------------------------------- */

enum { N_OUTER = 6, N_INNER = 20, DEADLINE_S = 20 };

struct nest {
    unsigned max_threads;  /* of the inner jobs */
    atomic_uint n_running; /* innermost tasks */
    atomic_uint most_running;
    atomic_uint n_done;
    size_t fails_at;
    pthread_mutex_t lock; /* of the stage */
    pthread_cond_t is_reached;
    unsigned stage;
    pthread_mutex_t held; /* refuses a thread that has it already */
};

static struct nest *nest;

static void set_up_nest(void)
{
    static struct nest zero;
    pthread_mutexattr_t attributes;

    nest = &zero;
    memset(nest, 0, sizeof *nest);
    ck_assert_int_eq(pthread_mutexattr_init(&attributes), 0);
    ck_assert_int_eq(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK), 0);
    ck_assert_int_eq(pthread_mutex_init(&nest->held, &attributes), 0);
    ck_assert_int_eq(pthread_mutex_init(&nest->lock, NULL), 0);
    ck_assert_int_eq(pthread_cond_init(&nest->is_reached, NULL), 0);
    nest->fails_at = SIZE_MAX;
}

static void reach(struct nest *n, unsigned stage)
{
    ck_assert_int_eq(pthread_mutex_lock(&n->lock), 0);
    n->stage = stage > n->stage ? stage : n->stage;
    (void) pthread_cond_broadcast(&n->is_reached);
    ck_assert_int_eq(pthread_mutex_unlock(&n->lock), 0);
}

static void wait_for(struct nest *n, unsigned stage)
{
    struct timespec until;
    int rc = 0;

    ck_assert_int_eq(clock_gettime(CLOCK_REALTIME, &until), 0);
    until.tv_sec += DEADLINE_S;
    ck_assert_int_eq(pthread_mutex_lock(&n->lock), 0);
    while (n->stage < stage && rc == 0) {
        rc = pthread_cond_timedwait(&n->is_reached, &n->lock, &until);
    }
    ck_assert_int_eq(pthread_mutex_unlock(&n->lock), 0);
    ck_assert_int_eq(rc, 0);
}

static unsigned stage_of(struct nest *n)
{
    ck_assert_int_eq(pthread_mutex_lock(&n->lock), 0);
    const unsigned stage = n->stage;

    ck_assert_int_eq(pthread_mutex_unlock(&n->lock), 0);
    return stage;
}

static enum mpl_status run_inner(void *context, size_t task, unsigned worker,
                                 struct mpl_err *err)
{
    const struct timespec a_while = { .tv_nsec = 200000 };
    struct nest *n = context;
    const unsigned running = atomic_fetch_add(&n->n_running, 1) + 1;
    unsigned most = atomic_load(&n->most_running);

    ck_assert_uint_lt(worker, n->max_threads);
    while (most < running &&
           !atomic_compare_exchange_weak(&n->most_running, &most, running)) {
        /* Another task has just set it. */
    }
    (void) nanosleep(&a_while, NULL);
    atomic_fetch_sub(&n->n_running, 1);
    atomic_fetch_add(&n->n_done, 1);
    return task == n->fails_at ? mpl_fail(err, MPL_E_LIMIT, "inner task %zu", task)
                               : MPL_OK;
}

static enum mpl_status run_outer(void *context, size_t task, unsigned worker,
                                 struct mpl_err *err)
{
    struct nest *n = context;
    const struct mpl_parallel job = {
        .n_tasks = N_INNER, .max_threads = n->max_threads, .run = run_inner, .context = n
    };

    (void) task;
    (void) worker;
    return mpl_parallel_run(&job, err);
}

static enum mpl_status do_nested(unsigned max_threads, unsigned inner_threads,
                                 struct mpl_err *err)
{
    const struct mpl_parallel job = {
        .n_tasks = N_OUTER, .max_threads = max_threads, .run = run_outer, .context = nest
    };

    nest->max_threads = inner_threads;
    return mpl_parallel_run(&job, err);
}

START_TEST(jobs_inside_share_the_threads_of_the_outer_one)
{
    ck_assert_int_eq(do_nested((unsigned) _i, (unsigned) _i, NULL), MPL_OK);
    ck_assert_uint_eq(atomic_load(&nest->n_done), N_OUTER * N_INNER);
    ck_assert_uint_le(atomic_load(&nest->most_running), _i);
}
END_TEST

START_TEST(jobs_inside_have_no_more_threads_than_they_want)
{
    ck_assert_int_eq(do_nested(5, (unsigned) _i, NULL), MPL_OK);
    ck_assert_uint_eq(atomic_load(&nest->n_done), N_OUTER * N_INNER);
}
END_TEST

START_TEST(failure_of_a_job_inside_is_that_of_the_task)
{
    struct mpl_err err = { 0 };

    nest->fails_at = 3;
    ck_assert_int_eq(do_nested((unsigned) _i, (unsigned) _i, &err), MPL_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.cause[0].text, "inner task 3"));
}
END_TEST

/* Each of the two tasks keeps a thread until the other is begun. */
static enum mpl_status help_inside(void *context, size_t task, unsigned worker,
                                   struct mpl_err *err)
{
    (void) worker;
    (void) err;
    reach(context, task == 0 ? 2 : 3);
    wait_for(context, 3);
    return MPL_OK;
}

static enum mpl_status need_help(void *context, size_t task, unsigned worker,
                                 struct mpl_err *err)
{
    const struct mpl_parallel job = {
        .n_tasks = 2, .max_threads = 2, .run = help_inside, .context = context
    };

    (void) worker;
    if (task == 0) {
        wait_for(context, 1);
        return MPL_OK;
    }
    reach(context, 1);
    return mpl_parallel_run(&job, err);
}

START_TEST(who_has_no_task_any_more_helps_a_job_inside)
{
    const struct mpl_parallel job = {
        .n_tasks = 2, .max_threads = 2, .run = need_help, .context = nest
    };

    ck_assert_int_eq(mpl_parallel_run(&job, NULL), MPL_OK);
}
END_TEST

/* One thread has the lock and is the first to be through, while a job beside its own is open, whose tasks want the lock. */
static enum mpl_status be_through_first(void *context, size_t task, unsigned worker,
                                        struct mpl_err *err)
{
    const struct timespec a_while = { .tv_nsec = 50000000 };

    (void) task;
    (void) err;
    if (worker == 0) {
        wait_for(context, 1);
    } else {
        reach(context, 1);
        wait_for(context, 2);
        (void) nanosleep(&a_while, NULL);
    }
    return MPL_OK;
}

static enum mpl_status want_lock(void *context, size_t task, unsigned worker,
                                 struct mpl_err *err)
{
    struct nest *n = context;

    (void) task;
    (void) worker;
    (void) err;
    reach(n, 2);
    ck_assert_int_eq(pthread_mutex_lock(&n->held), 0);
    ck_assert_int_eq(pthread_mutex_unlock(&n->held), 0);
    return MPL_OK;
}

static enum mpl_status have_job(void *context, size_t task, unsigned worker,
                                struct mpl_err *err)
{
    struct nest *n = context;
    struct mpl_parallel job = {
        .n_tasks = 2, .max_threads = 3, .run = want_lock, .context = n
    };

    (void) worker;
    if (task == 0) {
        wait_for(n, 1);
        return mpl_parallel_run(&job, err);
    }
    job.run = be_through_first;
    ck_assert_int_eq(pthread_mutex_lock(&n->held), 0);
    const enum mpl_status st = mpl_parallel_run(&job, err);

    ck_assert_int_eq(pthread_mutex_unlock(&n->held), 0);
    return st;
}

START_TEST(who_waits_for_a_job_helps_none_beside_it)
{
    const struct mpl_parallel job = {
        .n_tasks = 2, .max_threads = 2, .run = have_job, .context = nest
    };

    ck_assert_int_eq(mpl_parallel_run(&job, NULL), MPL_OK);
}
END_TEST

/* The first task has a job for two threads, and waits until an idle one has done the second. */
static enum mpl_status need_help_first(void *context, size_t task, unsigned worker,
                                       struct mpl_err *err)
{
    const struct mpl_parallel job = {
        .n_tasks = 2, .max_threads = 2, .run = help_inside, .context = context
    };

    (void) worker;
    if (task == 0) {
        ck_assert_int_eq(mpl_parallel_run(&job, err), MPL_OK);
        wait_for(context, 4);
    } else {
        ck_assert_uint_eq(stage_of(context), 3);
        reach(context, 4);
    }
    return MPL_OK;
}

START_TEST(what_is_for_the_idle_begins_behind_a_job_inside)
{
    const struct mpl_parallel job = { .n_tasks = 2,
                                      .max_threads = 2,
                                      .run = need_help_first,
                                      .context = nest,
                                      .is_for_idle = true };

    ck_assert_int_eq(mpl_parallel_run(&job, NULL), MPL_OK);
}
END_TEST

static enum mpl_status be_alone(void *context, size_t task, unsigned worker,
                                struct mpl_err *err)
{
    const struct timespec while_others_begin = { .tv_nsec = 1000000 };
    struct nest *n = context;

    (void) task;
    (void) err;
    ck_assert_uint_eq(worker, 0);
    atomic_fetch_add(&n->n_done, 1);
    (void) nanosleep(&while_others_begin, NULL);
    return MPL_OK;
}

START_TEST(what_is_for_the_idle_starts_no_thread)
{
    const struct mpl_parallel job = { .n_tasks = N_OUTER,
                                      .max_threads = 2,
                                      .run = be_alone,
                                      .context = nest,
                                      .is_for_idle = true };

    ck_assert_int_eq(mpl_parallel_run(&job, NULL), MPL_OK);
    ck_assert_uint_eq(atomic_load(&nest->n_done), N_OUTER);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base_parallel");
    TCase *tcase = add_case(suite, "parallel", set_up, NULL);
    TCase *nested = add_case(suite, "nested", set_up_nest, NULL);

    tcase_add_loop_test(tcase, every_task_is_done_once, 0, 6);
    tcase_add_loop_test(tcase, every_spread_task_is_done_once, 0, 6);
    tcase_add_test(tcase, spread_tasks_at_the_same_time_are_half_of_all_apart);
    tcase_add_loop_test(tcase, first_failure_is_told_and_ends_the_work, 0, 6);
    tcase_add_loop_test(tcase, nothing_to_do_is_done, 0, 3);
    tcase_add_test(tcase, without_threads_the_caller_does_it_all);
    tcase_add_test(tcase, failures_without_a_place_to_tell_them_are_failures);
    tcase_add_test(tcase, threads_are_those_that_the_environment_asks_for);
    tcase_add_loop_test(nested, jobs_inside_share_the_threads_of_the_outer_one, 1, 6);
    tcase_add_loop_test(nested, jobs_inside_have_no_more_threads_than_they_want, 1, 6);
    tcase_add_loop_test(nested, failure_of_a_job_inside_is_that_of_the_task, 1, 6);
    tcase_add_test(nested, who_has_no_task_any_more_helps_a_job_inside);
    tcase_add_test(nested, who_waits_for_a_job_helps_none_beside_it);
    tcase_add_test(nested, what_is_for_the_idle_begins_behind_a_job_inside);
    tcase_add_test(nested, what_is_for_the_idle_starts_no_thread);
    return run_suite(suite);
}
