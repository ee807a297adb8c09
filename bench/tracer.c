/*
 * A program for `bench/tracer`, that calls MPI again and again and says what a step takes:
 *
 *     tracer probe|pingpong|halo|work STEPS
 *
 * probe: MPI_Iprobe in vain, on each rank; pingpong: 8 bytes there and back between ranks 0 and 1; halo: Irecv, Isend and
 * Waitall of 4 KiB with both neighbours of a ring; work: a millisecond of CPU time between halos. Prints ns per
 * step, the best of ten parts of the run, since whatever else a machine does only makes it longer.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 4096, PARTS = 10, TAG = 1 };

static char out[2][BYTES];
static char in[2][BYTES];
static int rank;
static int size;

static void probe(void)
{
    int flag = 0;

    MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void pingpong(void)
{
    if (rank == 0) {
        MPI_Send(out[0], 8, MPI_CHAR, 1, TAG, MPI_COMM_WORLD);
        MPI_Recv(in[0], 8, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(in[0], 8, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out[0], 8, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
    }
}

static void halo(void)
{
    const int left = (rank + size - 1) % size;
    const int right = (rank + 1) % size;
    MPI_Request requests[4];

    MPI_Irecv(in[0], BYTES, MPI_CHAR, left, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in[1], BYTES, MPI_CHAR, right, TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out[0], BYTES, MPI_CHAR, left, TAG, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out[1], BYTES, MPI_CHAR, right, TAG, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static double cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

static void work(void)
{
    const double begin = cpu_ns();

    while (cpu_ns() - begin < 1e6) {
    }
    halo();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    const char *what = argc > 2 ? argv[1] : "probe";
    const int steps = (argc > 2 ? atoi(argv[2]) : 1000) / PARTS;
    void (*step)(void) = strcmp(what, "pingpong") == 0 ? pingpong
                         : strcmp(what, "halo") == 0   ? halo
                         : strcmp(what, "work") == 0   ? work
                                                       : probe;
    double best = 1e18;

    for (int part = 0; part < PARTS; part++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        for (int i = 0; i < steps; i++) {
            step();
        }
        const double ns = (MPI_Wtime() - begin) * 1e9 / steps;
        best = ns < best ? ns : best;
    }
    if (rank == 0) {
        printf("%.1f\n", best);
    }
    MPI_Finalize();
    return 0;
}
