/*
 * Calls MPI every now and then, and writes down what the kernel's clock says before and after each call.
 *
 *   ticks LOG CALLS MICROSECONDS
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Past whatever takes the place of the C library's function. */
static long kernel_ns(void)
{
    struct timespec now;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (long) now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int argc, char **argv)
{
    char path[4096];
    int rank;
    int flag;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 4) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    snprintf(path, sizeof path, "%s.%d", argv[1], rank);
    FILE *out = fopen(path, "w");
    for (int i = atoi(argv[2]); out != NULL && i > 0; i--) {
        const long before = kernel_ns();

        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        fprintf(out, "%ld %ld\n", before, kernel_ns());
        usleep((useconds_t) atoi(argv[3]));
    }
    if (out != NULL) {
        fclose(out);
    }
    MPI_Finalize();
    return 0;
}
