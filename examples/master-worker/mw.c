/*
 * A master-worker program with knobs, to see what each illness looks like to marple.
 *
 * Rank 0 hands out tasks; the others compute them. A task is a sleep, so that the program behaves
 * the same on two cores as on two hundred. A worker sends a request; a request carries the
 * results of the tasks before it. The master answers with a batch of task numbers, or with an
 * empty message to stop. With --static every worker gets all of its tasks at the beginning.
 */
#include <errno.h>
#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG_TASKS = 1, TAG_RESULTS = 2, TAG_STOP = 3, MAX_BATCH = 1024 };

struct knobs {
    int tasks;
    double task_ms;    /* mean computing time of a task */
    double spread;     /* 0: all alike; 1: from 0 to twice the mean */
    double master_ms;  /* the master's time per request */
    int batch;         /* tasks per request */
    int is_static;     /* assign all tasks at the beginning */
    int slow_worker;   /* rank; 0: none */
    double slow_times; /* how many times longer its tasks take */
};

static void sleep_ms(double ms)
{
    struct timespec left = { (time_t) (ms / 1e3),
                             (long) ((ms - 1e3 * (long) (ms / 1e3)) * 1e6) };

    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

/* The same task takes the same time in every run: a hash of its number, 0 to 1. */
static double chance(unsigned task)
{
    unsigned x = task * 2654435761u + 12345u;

    x ^= x >> 16;
    x *= 2246822519u;
    x ^= x >> 13;
    return (x & 0xffffff) / (double) 0xffffff;
}

static void compute(const struct knobs *k, int rank, int task)
{
    double ms = k->task_ms * (1 + k->spread * (2 * chance((unsigned) task) - 1));

    if (rank == k->slow_worker) {
        ms *= k->slow_times;
    }
    sleep_ms(ms);
}

static void master_dynamic(const struct knobs *k, int workers)
{
    int next = 0;
    int running = workers;

    while (running > 0) {
        int message[MAX_BATCH];
        int n = 0;
        MPI_Status status;

        MPI_Recv(message, MAX_BATCH, MPI_INT, MPI_ANY_SOURCE, TAG_RESULTS, MPI_COMM_WORLD,
                 &status);
        sleep_ms(k->master_ms);
        while (n < k->batch && next < k->tasks) {
            message[n++] = next++;
        }
        MPI_Send(message, n, MPI_INT, status.MPI_SOURCE, n > 0 ? TAG_TASKS : TAG_STOP,
                 MPI_COMM_WORLD);
        running -= n == 0;
    }
}

static void worker_dynamic(const struct knobs *k, int rank)
{
    int message[MAX_BATCH];
    int n = 0;
    MPI_Status status;

    for (;;) {
        MPI_Send(message, n, MPI_INT, 0, TAG_RESULTS, MPI_COMM_WORLD);
        MPI_Recv(message, MAX_BATCH, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_STOP) {
            return;
        }
        MPI_Get_count(&status, MPI_INT, &n);
        for (int i = 0; i < n; i++) {
            compute(k, rank, message[i]);
        }
    }
}

/* Everybody gets every workers-th task, whatever it costs; results come back in rank order. */
static void master_static(const struct knobs *k, int workers)
{
    int first[2] = { 0, k->tasks };

    for (int w = 1; w <= workers; w++) {
        sleep_ms(k->master_ms);
        first[0] = w - 1;
        MPI_Send(first, 2, MPI_INT, w, TAG_TASKS, MPI_COMM_WORLD);
    }
    for (int w = 1; w <= workers; w++) {
        MPI_Recv(first, 2, MPI_INT, w, TAG_RESULTS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void worker_static(const struct knobs *k, int rank, int workers)
{
    int share[2];

    MPI_Recv(share, 2, MPI_INT, 0, TAG_TASKS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int task = share[0]; task < share[1]; task += workers) {
        compute(k, rank, task);
    }
    MPI_Send(share, 2, MPI_INT, 0, TAG_RESULTS, MPI_COMM_WORLD);
}

static void usage(FILE *out)
{
    fputs("usage: mpirun -np N mw [OPTION]...\n"
          "  --tasks N         number of tasks (120)\n"
          "  --task-ms T       mean time of a task in ms (10)\n"
          "  --spread S        spread of task times, 0 to 1 (0)\n"
          "  --master-ms T     the master's time per request in ms (0)\n"
          "  --batch B         tasks per request, at most 1024 (1)\n"
          "  --static          assign all tasks at the beginning\n"
          "  --slow-worker R   rank whose tasks take longer (none)\n"
          "  --slow-times F    how many times longer (3)\n",
          out);
}

static int parse(int argc, char **argv, struct knobs *k)
{
    static const struct option options[] = {
        { "tasks", required_argument, NULL, 't' },
        { "task-ms", required_argument, NULL, 'c' },
        { "spread", required_argument, NULL, 's' },
        { "master-ms", required_argument, NULL, 'm' },
        { "batch", required_argument, NULL, 'b' },
        { "static", no_argument, NULL, 'S' },
        { "slow-worker", required_argument, NULL, 'w' },
        { "slow-times", required_argument, NULL, 'f' },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    int c;

    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (c) {
        case 't':
            k->tasks = atoi(optarg);
            break;
        case 'c':
            k->task_ms = atof(optarg);
            break;
        case 's':
            k->spread = atof(optarg);
            break;
        case 'm':
            k->master_ms = atof(optarg);
            break;
        case 'b':
            k->batch = atoi(optarg);
            break;
        case 'S':
            k->is_static = 1;
            break;
        case 'w':
            k->slow_worker = atoi(optarg);
            break;
        case 'f':
            k->slow_times = atof(optarg);
            break;
        default:
            return -1;
        }
    }
    return optind == argc && k->tasks > 0 && k->task_ms >= 0 && k->spread >= 0 &&
                   k->spread <= 1 && k->master_ms >= 0 && k->batch > 0 &&
                   k->batch <= MAX_BATCH
               ? 0
               : -1;
}

int main(int argc, char **argv)
{
    struct knobs k = { .tasks = 120, .task_ms = 10, .batch = 1, .slow_times = 3 };
    int rank;
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (parse(argc, argv, &k) != 0 || size < 2) {
        if (rank == 0) {
            usage(stderr);
        }
        MPI_Finalize();
        return 2;
    }
    /* So that the run begins at one moment, and the tracer sees the clocks together. */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        (k.is_static ? master_static : master_dynamic)(&k, size - 1);
    } else if (k.is_static) {
        worker_static(&k, rank, size - 1);
    } else {
        worker_dynamic(&k, rank);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
