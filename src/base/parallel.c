/*
 * Independent tasks on a few threads. Tasks are handed out in order or spread, one at a time, so that a
 * long one keeps only its own thread busy; the caller's thread is one of the workers.
 *
 * A task may have a job of its own. The threads of all jobs inside of one another are one pool, as large as the one
 * with most threads wants: two tasks with two threads each would be four threads on two processors, of which one holds
 * a lock while it does not run. Who finds no task any more helps another job. Who waits for the end of its own job helps
 * only those inside of it: another one might ask for a lock that the waiting thread has.
 */
#include "config.h"

#include "base/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { TICK_NS = 100000000 };

/* Of a job and all that are inside of it. */
struct pool {
    pthread_mutex_t lock; /* Of all that is in here, and of crews what is said there. */
    pthread_cond_t changed;
    struct crew
        *open; /* Those that others may join, oldest first, those for the idle last. */
    pthread_t helpers[MPL_PARALLEL_MOST]; /* Threads beside that of the outermost caller. */
    unsigned n_helpers;
    unsigned n_idle;
    unsigned max_threads; /* The most that a job wanted so far. */
    bool is_over;
};

struct crew {
    const struct mpl_parallel *job;
    unsigned n_threads;
    atomic_size_t next; /* So many tasks are handed out. */
    atomic_bool is_over;
    struct pool *pool;
    const struct crew *outer; /* This job belongs to one of its tasks; NULL. */
    /* Of what follows the pool has the lock. */
    struct crew *next_open;
    unsigned n_joined; /* Threads that have or had a part in it, with the caller's. */
    unsigned n_busy;   /* Of them, without the caller's, those that have not ended. */
    size_t failed; /* The first task, as handed out, that failed; n_tasks while none has. */
    enum mpl_status status;
    struct mpl_err err;
};

/* Whose task this thread does; NULL: none. */
static _Thread_local struct crew *current;

/* Which failure is reported does not depend on which thread was faster: of several, that of the task that
 * was handed out first. */
static void keep_failure(struct crew *crew, size_t turn, enum mpl_status st,
                         const struct mpl_err *err)
{
    (void) pthread_mutex_lock(&crew->pool->lock);
    if (turn < crew->failed) {
        crew->failed = turn;
        crew->status = st;
        crew->err = *err;
    }
    (void) pthread_mutex_unlock(&crew->pool->lock);
    atomic_store(&crew->is_over, true);
}

/* The task that is handed out in that turn. Spread ones are divided into as many parts as there are threads, whose tasks take
 * turns; the first parts have one more where it does not come out even. */
static size_t task_of(const struct crew *crew, size_t turn)
{
    const size_t n_tasks = crew->job->n_tasks;
    const size_t part = turn % crew->n_threads;
    const size_t n_larger = n_tasks % crew->n_threads;

    if (!crew->job->is_spread) {
        return turn;
    }
    return part * (n_tasks / crew->n_threads) + (part < n_larger ? part : n_larger) +
           turn / crew->n_threads;
}

static void work(struct crew *crew, unsigned number)
{
    const struct mpl_parallel *job = crew->job;

    while (!atomic_load(&crew->is_over)) {
        const size_t turn = atomic_fetch_add(&crew->next, 1);
        struct mpl_err err = { 0 };

        if (turn >= job->n_tasks) {
            return;
        }
        const enum mpl_status st =
            job->run(job->context, task_of(crew, turn), number, &err);
        if (st < 0) {
            keep_failure(crew, turn, st, &err);
        }
        if (number == 0 && job->tick != NULL) {
            job->tick(job->context);
        }
    }
}

/* ---- several jobs ------------------------------------------------------------------------ */

static bool is_inside(const struct crew *crew, const struct crew *outer)
{
    while (crew != NULL && crew != outer) {
        crew = crew->outer;
    }
    return crew == outer;
}

/* The first job with tasks for one more thread, of those inside of \p outer; NULL: there is none. The pool is locked. */
static struct crew *find_open(const struct pool *pool, const struct crew *outer)
{
    struct crew *crew = pool->open;

    while (crew != NULL &&
           (crew->n_joined == crew->n_threads || atomic_load(&crew->is_over) ||
            atomic_load(&crew->next) >= crew->job->n_tasks || !is_inside(crew, outer))) {
        crew = crew->next_open;
    }
    return crew;
}

/* The pool is locked, but not meanwhile. */
static void join(struct pool *pool, struct crew *crew)
{
    struct crew *before = current;
    const unsigned number = crew->n_joined++;

    crew->n_busy++;
    (void) pthread_mutex_unlock(&pool->lock);
    current = crew;
    work(crew, number);
    current = before;
    (void) pthread_mutex_lock(&pool->lock);
    crew->n_busy--;
    (void) pthread_cond_broadcast(&pool->changed);
}

static void *help(void *context)
{
    struct pool *pool = context;

    (void) pthread_mutex_lock(&pool->lock);
    while (!pool->is_over) {
        struct crew *crew = find_open(pool, NULL);

        if (crew != NULL) {
            join(pool, crew);
        } else {
            pool->n_idle++;
            (void) pthread_cond_wait(&pool->changed, &pool->lock);
            pool->n_idle--;
        }
    }
    (void) pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Without a thread the work takes longer, that is all. */
static void open_to_others(struct pool *pool, struct crew *crew)
{
    struct crew **last = &pool->open;
    unsigned n_missing = crew->job->is_for_idle ? 0 : crew->n_threads - 1;

    (void) pthread_mutex_lock(&pool->lock);
    while (*last != NULL && !(*last)->job->is_for_idle) {
        last = &(*last)->next_open;
    }
    crew->next_open = *last;
    *last = crew;
    n_missing = n_missing > pool->n_idle ? n_missing - pool->n_idle : 0;
    if (pool->max_threads < crew->job->max_threads) {
        pool->max_threads = crew->job->max_threads;
    }
    while (n_missing > 0 && pool->n_helpers + 1 < pool->max_threads &&
           pool->n_helpers + 1 < MPL_PARALLEL_MOST &&
           pthread_create(&pool->helpers[pool->n_helpers], NULL, help, pool) == 0) {
        pool->n_helpers++;
        n_missing--;
    }
    (void) pthread_cond_broadcast(&pool->changed);
    (void) pthread_mutex_unlock(&pool->lock);
}

/* Nothing is left to hand out: until the others have ended, jobs inside are helped, or the caller's tick is called. */
static void wait_for_others(struct pool *pool, struct crew *crew)
{
    struct crew **link = &pool->open;

    (void) pthread_mutex_lock(&pool->lock);
    while (crew->n_busy > 0) {
        struct crew *inside = find_open(pool, crew);
        struct timespec until;

        if (inside != NULL) {
            join(pool, inside);
            continue;
        }
        (void) clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TICK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void) pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
        if (crew->job->tick != NULL) {
            (void) pthread_mutex_unlock(&pool->lock);
            crew->job->tick(crew->job->context);
            (void) pthread_mutex_lock(&pool->lock);
        }
    }
    while (*link != crew) {
        link = &(*link)->next_open;
    }
    *link = crew->next_open;
    (void) pthread_mutex_unlock(&pool->lock);
}

static void close_pool(struct pool *pool)
{
    (void) pthread_mutex_lock(&pool->lock);
    pool->is_over = true;
    (void) pthread_cond_broadcast(&pool->changed);
    (void) pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->n_helpers; i++) {
        (void) pthread_join(pool->helpers[i], NULL);
    }
    (void) pthread_cond_destroy(&pool->changed);
    (void) pthread_mutex_destroy(&pool->lock);
}

unsigned mpl_threads(void)
{
    const char *asked = getenv("MARPLE_THREADS");
    char *end = NULL;
    const unsigned long n = asked == NULL ? 0 : strtoul(asked, &end, 10);
    unsigned n_threads = 1;
    cpu_set_t cpus;

    if (n > 0 && *end == '\0') {
        n_threads = n < MPL_PARALLEL_MOST ? (unsigned) n : MPL_PARALLEL_MOST;
    } else if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
        /* What this process may use, not what the machine has: batch systems give less. */
        n_threads = (unsigned) CPU_COUNT(&cpus);
    }
    return n_threads < MPL_PARALLEL_MOST ? n_threads : MPL_PARALLEL_MOST;
}

static unsigned choose_threads(const struct mpl_parallel *job)
{
    unsigned n =
        job->max_threads < MPL_PARALLEL_MOST ? job->max_threads : MPL_PARALLEL_MOST;

    if (n > job->n_tasks) {
        n = (unsigned) job->n_tasks;
    }
    return n > 0 ? n : 1;
}

enum mpl_status mpl_parallel_run(const struct mpl_parallel *job, struct mpl_err *err)
{
    struct crew *outer = current;
    struct pool own = { .lock = PTHREAD_MUTEX_INITIALIZER,
                        .changed = PTHREAD_COND_INITIALIZER };
    struct pool *pool = outer == NULL ? &own : outer->pool;
    struct crew crew = { .job = job,
                         .n_threads = choose_threads(job),
                         .pool = pool,
                         .outer = outer,
                         .n_joined = 1,
                         .failed = job->n_tasks,
                         .status = MPL_OK };

    if (crew.n_threads > 1) {
        open_to_others(pool, &crew);
    }
    current = &crew;
    work(&crew, 0);
    current = outer;
    if (crew.n_threads > 1) {
        wait_for_others(pool, &crew);
    }
    if (outer == NULL) {
        close_pool(pool);
    }
    if (crew.failed < job->n_tasks && err != NULL) {
        *err = crew.err;
    }
    return crew.status;
}
