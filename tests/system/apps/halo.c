/*
 * A ring of halo exchanges: each rank computes for a while and exchanges with both neighbours, and one rank
 * computes longer.
 *
 *   halo irecv|sendrecv|persistent STEPS MICROSECONDS SLOW-RANK FACTOR
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 512, TAG = 7 };

static double out[2][N];
static double in[2][N];
static int left;
static int right;

/* By CPU time, so that ranks that share a core do not compute more at once than they could. */
static void compute(double us)
{
    struct timespec begin;
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((double) (now.tv_sec - begin.tv_sec) * 1e6 +
                 (double) (now.tv_nsec - begin.tv_nsec) / 1e3 <
             us);
}

static void exchange_irecv(void)
{
    MPI_Request requests[4];

    MPI_Irecv(in[0], N, MPI_DOUBLE, left, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in[1], N, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out[0], N, MPI_DOUBLE, left, TAG, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out[1], N, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void exchange_sendrecv(void)
{
    MPI_Sendrecv(out[0], N, MPI_DOUBLE, left, TAG, in[1], N, MPI_DOUBLE, right, TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out[1], N, MPI_DOUBLE, right, TAG, in[0], N, MPI_DOUBLE, left, TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static MPI_Request persistent[4];

static void exchange_persistent(void)
{
    MPI_Startall(4, persistent);
    MPI_Waitall(4, persistent, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int rank;
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 6) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;

    const int steps = atoi(argv[2]);
    const double us = atof(argv[3]) * (rank == atoi(argv[4]) ? atof(argv[5]) : 1);
    void (*exchange)(void) = strcmp(argv[1], "irecv") == 0      ? exchange_irecv
                             : strcmp(argv[1], "sendrecv") == 0 ? exchange_sendrecv
                                                                : exchange_persistent;
    MPI_Recv_init(in[0], N, MPI_DOUBLE, left, TAG, MPI_COMM_WORLD, &persistent[0]);
    MPI_Recv_init(in[1], N, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD, &persistent[1]);
    MPI_Send_init(out[0], N, MPI_DOUBLE, left, TAG, MPI_COMM_WORLD, &persistent[2]);
    MPI_Send_init(out[1], N, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD, &persistent[3]);

    const double begin = MPI_Wtime();
    double local = 1;
    double sum = 0;
    for (int step = 0; step < steps; step++) {
        compute(us);
        exchange();
        if (step % 10 == 9) {
            MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
    }
    for (int i = 0; i < 4; i++) {
        MPI_Request_free(&persistent[i]);
    }
    if (rank == 0) {
        printf("%.6f\n", MPI_Wtime() - begin);
    }
    MPI_Finalize();
    return 0;
}
