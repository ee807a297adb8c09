/*
 * Steps of computation and an exchange with both neighbours on a ring.
 *
 *   stencil waitall|sendrecv compute|sleep STEPS MS [RANK FACTOR]: this rank works FACTOR times as long
 *
 * Rank 0 prints how long the steps took.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CELLS = 500 };

static double in[2][CELLS];
static double out[2][CELLS];

static double cpu_ms(void)
{
    struct timespec t = { 0 };

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double) t.tv_sec + 1e-6 * (double) t.tv_nsec;
}

static void work(int does_sleep, double ms)
{
    const double end = cpu_ms() + ms;

    if (does_sleep) {
        usleep((useconds_t) (1e3 * ms));
    } else {
        while (cpu_ms() < end) {
        }
    }
}

static void exchange(int does_waitall, int left, int right)
{
    MPI_Request all[4];

    if (!does_waitall) {
        MPI_Sendrecv(out[0], CELLS, MPI_DOUBLE, right, 1, in[0], CELLS, MPI_DOUBLE, left, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(out[1], CELLS, MPI_DOUBLE, left, 2, in[1], CELLS, MPI_DOUBLE, right, 2,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Irecv(in[0], CELLS, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &all[0]);
    MPI_Irecv(in[1], CELLS, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &all[1]);
    MPI_Isend(out[0], CELLS, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &all[2]);
    MPI_Isend(out[1], CELLS, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &all[3]);
    MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int rank;
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int does_waitall = strcmp(argv[1], "waitall") == 0;
    const int does_sleep = strcmp(argv[2], "sleep") == 0;
    const int steps = atoi(argv[3]);
    const double ms =
        atof(argv[4]) * (argc > 6 && atoi(argv[5]) == rank ? atof(argv[6]) : 1);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < steps; i++) {
        work(does_sleep, ms);
        exchange(does_waitall, (rank + size - 1) % size, (rank + 1) % size);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%.4f\n", MPI_Wtime() - begin);
    }
    MPI_Finalize();
    return 0;
}
