/*
 * A ring whose processes compute (sleep) and then exchange with both neighbours:
 *
 *   halo STEPS MS SLOW_RANK SLOW_MS
 */
#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static void sleep_ms(double ms)
{
    struct timespec left = { 0, (long) (ms * 1e6) };

    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

int main(int argc, char **argv)
{
    int rank = 0;
    int size = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 5) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const double ms = atof(rank == atoi(argv[3]) ? argv[4] : argv[2]);
    const int sides[] = { (rank + size - 1) % size, (rank + 1) % size };

    for (int i = 0; i < atoi(argv[1]); i++) {
        double rim[2] = { i, i };

        sleep_ms(ms);
        for (int s = 0; s < 2; s++) {
            MPI_Send(&rim[s], 1, MPI_DOUBLE, sides[s], s, MPI_COMM_WORLD);
        }
        for (int s = 0; s < 2; s++) {
            MPI_Recv(&rim[s], 1, MPI_DOUBLE, sides[s], 1 - s, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
