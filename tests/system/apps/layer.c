/* A library that stands between a program and MPI, and one that a program loads. */
#include <mpi.h>

void layer_barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    __asm__ volatile("");
}

void loaded(void)
{
    MPI_Barrier(MPI_COMM_WORLD); /* line: loaded */
    __asm__ volatile("");
}
