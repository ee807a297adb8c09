/*
 * Independent tasks on a few threads. Tasks are handed out in order or spread, one at a time, so that a
 * long one keeps only its own thread busy; the caller's thread is one of the workers.
 */
#include "config.h"

#include "base/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { TICK_NS = 100000000 };

struct crew {
    const struct mpl_parallel *job;
    unsigned n_threads;
    atomic_size_t next; /* So many tasks are handed out. */
    atomic_bool is_over;
    pthread_mutex_t lock; /* Of what follows. */
    pthread_cond_t left;
    unsigned n_busy; /* Threads beside the caller's that have not ended. */
    size_t failed; /* The first task, as handed out, that failed; n_tasks while none has. */
    enum mpl_status status;
    struct mpl_err err;
};

struct worker {
    struct crew *crew;
    pthread_t thread;
    unsigned number;
};

/* Which failure is reported does not depend on which thread was faster: of several, that of the task that
 * was handed out first. */
static void keep_failure(struct crew *crew, size_t turn, enum mpl_status st,
                         const struct mpl_err *err)
{
    (void) pthread_mutex_lock(&crew->lock);
    if (turn < crew->failed) {
        crew->failed = turn;
        crew->status = st;
        crew->err = *err;
    }
    (void) pthread_mutex_unlock(&crew->lock);
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

static void *start(void *context)
{
    struct worker *worker = context;
    struct crew *crew = worker->crew;

    work(crew, worker->number);
    (void) pthread_mutex_lock(&crew->lock);
    crew->n_busy--;
    (void) pthread_cond_signal(&crew->left);
    (void) pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Nothing is left to hand out: until the others have ended, the caller's tick is called. */
static void wait_for_others(struct crew *crew)
{
    (void) pthread_mutex_lock(&crew->lock);
    while (crew->n_busy > 0) {
        struct timespec until;

        (void) clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TICK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void) pthread_cond_timedwait(&crew->left, &crew->lock, &until);
        (void) pthread_mutex_unlock(&crew->lock);
        if (crew->job->tick != NULL) {
            crew->job->tick(crew->job->context);
        }
        (void) pthread_mutex_lock(&crew->lock);
    }
    (void) pthread_mutex_unlock(&crew->lock);
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
    struct worker workers[MPL_PARALLEL_MOST];
    const unsigned n = choose_threads(job);
    struct crew crew = { .job = job,
                         .n_threads = n,
                         .lock = PTHREAD_MUTEX_INITIALIZER,
                         .left = PTHREAD_COND_INITIALIZER,
                         .failed = job->n_tasks,
                         .status = MPL_OK };
    unsigned n_started = 0;

    for (unsigned i = 1; i < n; i++) {
        struct worker *worker = &workers[n_started];

        *worker = (struct worker){ .crew = &crew, .number = i };
        (void) pthread_mutex_lock(&crew.lock);
        crew.n_busy++;
        (void) pthread_mutex_unlock(&crew.lock);
        /* Without a thread the work takes longer, that is all. */
        if (pthread_create(&worker->thread, NULL, start, worker) != 0) {
            (void) pthread_mutex_lock(&crew.lock);
            crew.n_busy--;
            (void) pthread_mutex_unlock(&crew.lock);
            break;
        }
        n_started++;
    }
    work(&crew, 0);
    wait_for_others(&crew);
    for (unsigned i = 0; i < n_started; i++) {
        (void) pthread_join(workers[i].thread, NULL);
    }
    (void) pthread_cond_destroy(&crew.left);
    (void) pthread_mutex_destroy(&crew.lock);
    if (crew.failed < job->n_tasks && err != NULL) {
        *err = crew.err;
    }
    return crew.status;
}
