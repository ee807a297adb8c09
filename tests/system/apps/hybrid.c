/*
 * Threads of OpenMP beside MPI: in each step the last thread of every process works longer than the others, which wait
 * for it at the end of the parallel region, and one in four regions is smaller.
 *
 *   hybrid STEPS MS
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void work(double ms)
{
    const struct timespec time = { (time_t) (ms / 1000), (long) (ms * 1e6) % 1000000000 };

    nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
    const int n_steps = atoi(argv[1]);
    const double ms = atof(argv[2]);
    int provided;
    int rank;
    double sum = 0;
    double total;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < n_steps; step++) {
#pragma omp parallel num_threads(step % 4 == 3 ? 2 : 3) reduction(+ : sum)
        {
            const int is_last = omp_get_thread_num() == omp_get_num_threads() - 1;

            work(ms);
#pragma omp barrier
            work(is_last ? 3 * ms : ms);
            sum += 1;
        }
        MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        printf("hybrid: %g\n", total);
    }
    MPI_Finalize();
    return 0;
}
