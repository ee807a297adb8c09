/*
 * A master that hands out tasks of unequal length, to whoever asks first or in a fixed order.
 *
 *   turns any|named TASKS
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void hand_out(int does_take_any, int n_tasks, int n_workers)
{
    int n_given = 0;
    int next = 0;
    int request;

    for (int left = n_workers; left > 0;) {
        const int from = does_take_any ? MPI_ANY_SOURCE : 1 + next;
        MPI_Status status;

        MPI_Recv(&request, 1, MPI_INT, from, 1, MPI_COMM_WORLD, &status);
        const int task = n_given < n_tasks ? ++n_given : 0;
        left -= task == 0;
        MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
        next = (next + 1) % n_workers;
    }
}

static void work(int rank)
{
    unsigned seed = (unsigned) rank;
    int task = 1;

    while (task != 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(&task, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (task != 0) {
            usleep(1000 + (useconds_t) (rand_r(&seed) % 8) * 2000);
        }
    }
}

int main(int argc, char **argv)
{
    int rank;
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        hand_out(strcmp(argv[1], "any") == 0, atoi(argv[2]), size - 1);
    } else {
        work(rank);
    }
    MPI_Finalize();
    return 0;
}
