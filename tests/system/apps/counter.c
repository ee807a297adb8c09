/* Another tool at the profiling interface: counts two calls, and says so at the end. */
#include <mpi.h>
#include <stdio.h>

static int n_sends;
static int n_barriers;

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
             MPI_Comm comm)
{
    n_sends++;
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Barrier(MPI_Comm comm)
{
    n_barriers++;
    return PMPI_Barrier(comm);
}

int MPI_Finalize(void)
{
    int rank = 0;

    (void) PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void) PMPI_Barrier(MPI_COMM_WORLD);
    printf("counter: rank %d, %d sends, %d barriers\n", rank, n_sends, n_barriers);
    return PMPI_Finalize();
}
