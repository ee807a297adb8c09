/*
 * A loop that is too long to be recorded whole: in each step a message around a ring, and a sum of all. Rank 1 works
 * twice as long as the others.
 *
 *   long STEPS US
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void work(long us)
{
    const struct timespec time = { 0, us * 1000 };

    nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
    const long n_steps = strtol(argv[1], NULL, 10);
    const long us = strtol(argv[2], NULL, 10);
    int rank;
    int size;
    int in = 0;
    int sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (long step = 0; step < n_steps; step++) {
        if (us > 0) {
            work(rank == 1 ? 2 * us : us);
        }
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        printf("long: %d\n", sum);
    }
    MPI_Finalize();
    return 0;
}
