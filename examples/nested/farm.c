/*
 * A farm of groups: master-worker outside, geometric decomposition inside.
 *
 * Rank 0 hands out tasks; the others form groups of neighbouring ranks, each with a communicator of
 * its own. The first of a group, its leader, asks rank 0 for a task and tells the group. The group
 * computes the task in steps: everybody computes its part of the domain, then exchanges borders with
 * the neighbours to the left and right; at the end the group adds up the result, and the leader sends
 * it to rank 0 together with the next request. Computing is sleeping, so that the program behaves
 * the same on two cores as on two hundred.
 *
 * With --slow-member one process of one group needs more time per step. Its neighbours wait for it,
 * its leader delivers late, and seen from rank 0 a worker is slow.
 */
#include <errno.h>
#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TAG_TASK = 1, TAG_RESULT = 2, TAG_STOP = 3, TAG_BORDER = 4 };

struct knobs {
    int groups;
    int tasks;
    int steps;         /* per task */
    double step_ms;    /* computing time of a process per step */
    int slow_group;    /* from 1; 0: none */
    int slow_member;   /* its rank in the group */
    double slow_times; /* how many times longer it computes */
};

static void sleep_ms(double ms)
{
    struct timespec left = { (time_t) (ms / 1e3),
                             (long) ((ms - 1e3 * (long) (ms / 1e3)) * 1e6) };

    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

/* ---- outside: the farm -------------------------------------------------------------------- */

static void master(const struct knobs *k)
{
    int next = 0;

    for (int running = k->groups; running > 0;) {
        double result;
        MPI_Status status;

        MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD,
                 &status);
        MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE,
                 next < k->tasks ? TAG_TASK : TAG_STOP, MPI_COMM_WORLD);
        running -= next == k->tasks;
        next += next < k->tasks;
    }
}

/* Delivers a result and returns the next task, or -1. */
static int ask(double result)
{
    int task = -1;
    MPI_Status status;

    MPI_Send(&result, 1, MPI_DOUBLE, 0, TAG_RESULT, MPI_COMM_WORLD);
    MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    return status.MPI_TAG == TAG_STOP ? -1 : task;
}

/* ---- inside: a group ------------------------------------------------------------------------ */

/*
 * Even ranks send first and odd ones receive first. Blocking calls, since EZTrace records no
 * completions of non-blocking receives in C programs.
 */
static void exchange(double *border, int peer, int is_first, MPI_Comm group)
{
    double theirs;

    if (is_first) {
        MPI_Send(border, 1, MPI_DOUBLE, peer, TAG_BORDER, group);
    }
    MPI_Recv(&theirs, 1, MPI_DOUBLE, peer, TAG_BORDER, group, MPI_STATUS_IGNORE);
    if (!is_first) {
        MPI_Send(border, 1, MPI_DOUBLE, peer, TAG_BORDER, group);
    }
    *border = (*border + theirs) / 2;
}

static double compute_task(const struct knobs *k, int task, double step_ms, MPI_Comm group)
{
    double value = task;
    double sum = 0;
    int rank;
    int size;

    MPI_Comm_rank(group, &rank);
    MPI_Comm_size(group, &size);
    for (int step = 0; step < k->steps; step++) {
        sleep_ms(step_ms);
        for (int half = 0; half < 2; half++) {
            const int peer = rank % 2 == half ? rank + 1 : rank - 1;

            if (peer >= 0 && peer < size) {
                exchange(&value, peer, rank % 2 == 0, group);
            }
        }
    }
    MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, group);
    return sum;
}

static void member(const struct knobs *k, int number, MPI_Comm group)
{
    double result = 0;
    double step_ms = k->step_ms;
    int rank;

    MPI_Comm_rank(group, &rank);
    if (number == k->slow_group && rank == k->slow_member) {
        step_ms *= k->slow_times;
    }
    for (;;) {
        int task = rank == 0 ? ask(result) : 0;

        MPI_Bcast(&task, 1, MPI_INT, 0, group);
        if (task < 0) {
            return;
        }
        result = compute_task(k, task, step_ms, group);
    }
}

/* ---- what is asked for ------------------------------------------------------------------------ */

static void usage(FILE *out)
{
    fputs("usage: mpirun -np N farm [OPTION]...\n"
          "  --groups G        number of groups that the N - 1 others form (3)\n"
          "  --tasks N         number of tasks (12)\n"
          "  --steps S         steps per task (4)\n"
          "  --step-ms T       computing time per process and step in ms (4)\n"
          "  --slow-group G    group with a slow member, from 1 (none)\n"
          "  --slow-member R   its rank in the group (2)\n"
          "  --slow-times F    how many times longer it computes (3)\n",
          out);
}

static int parse(int argc, char **argv, struct knobs *k)
{
    static const struct option options[] = {
        { "groups", required_argument, NULL, 'g' },
        { "tasks", required_argument, NULL, 't' },
        { "steps", required_argument, NULL, 's' },
        { "step-ms", required_argument, NULL, 'c' },
        { "slow-group", required_argument, NULL, 'G' },
        { "slow-member", required_argument, NULL, 'm' },
        { "slow-times", required_argument, NULL, 'f' },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    int c;

    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (c) {
        case 'g':
            k->groups = atoi(optarg);
            break;
        case 't':
            k->tasks = atoi(optarg);
            break;
        case 's':
            k->steps = atoi(optarg);
            break;
        case 'c':
            k->step_ms = atof(optarg);
            break;
        case 'G':
            k->slow_group = atoi(optarg);
            break;
        case 'm':
            k->slow_member = atoi(optarg);
            break;
        case 'f':
            k->slow_times = atof(optarg);
            break;
        default:
            return -1;
        }
    }
    return optind == argc && k->groups > 0 && k->tasks > 0 && k->steps > 0 &&
                   k->step_ms >= 0 && k->slow_times >= 0
               ? 0
               : -1;
}

int main(int argc, char **argv)
{
    struct knobs k = { .groups = 3,
                       .tasks = 12,
                       .steps = 4,
                       .step_ms = 4,
                       .slow_member = 2,
                       .slow_times = 3 };
    MPI_Comm group;
    int number;
    int rank;
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (parse(argc, argv, &k) != 0 || size < 1 + 2 * k.groups) {
        if (rank == 0) {
            usage(stderr);
        }
        MPI_Finalize();
        return 2;
    }
    /* Ranks 1 to size - 1 in groups of sizes that differ by one at most; rank 0 stays outside. */
    number = rank == 0 ? 0 : 1 + (rank - 1) * k.groups / (size - 1);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : number, rank, &group);
    /* So that the run begins at one moment, and the tracer sees the clocks together. */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        master(&k);
    } else {
        member(&k, number, group);
        MPI_Comm_free(&group);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
