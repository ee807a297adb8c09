/*
 * Ends in the way that its first argument says, while there is something to lose.
 *
 *   ends well|abort|exit|segv|kill|deadlock|pair|fork|much|threads
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank;
static int size;

static void exchange(int times)
{
    int out = rank;
    int in;

    for (int i = 0; i < times; i++) {
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT,
                     (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void probe(int times)
{
    int flag;

    for (int i = 0; i < times; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
}

/* Each waits for the other one to send first. */
static void deadlock(void)
{
    int in;

    MPI_Recv(&in, 1, MPI_INT, (rank + 1) % size, 7 + rank, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

static void *talk(void *own)
{
    const int tag = 100 + *(int *) own;
    int in;

    for (int i = 0; i < 50; i++) {
        MPI_Sendrecv(&tag, 1, MPI_INT, (rank + 1) % size, tag, &in, 1, MPI_INT,
                     (rank + size - 1) % size, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void threads(void)
{
    static int numbers[3] = { 0, 1, 2 };
    pthread_t others[3];

    for (int i = 0; i < 3; i++) {
        pthread_create(&others[i], NULL, talk, &numbers[i]);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(others[i], NULL);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int provided;

    if (strcmp(how, "threads") == 0) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    } else {
        MPI_Init(&argc, &argv);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    exchange(20);
    /* What was sent has arrived then. */
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(how, "much") == 0) {
        probe(40000);
    } else if (strcmp(how, "deadlock") == 0) {
        deadlock();
    } else if (strcmp(how, "pair") == 0) {
        /* Those who wait for the two are not in the circle. */
        if (rank < 2) {
            MPI_Recv(&rank, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(how, "threads") == 0) {
        threads();
    } else if (strcmp(how, "exit") == 0) {
        exit(0);
    } else if (strcmp(how, "fork") == 0) {
        const pid_t child = fork();

        if (child == 0) {
            exit(0);
        }
        waitpid(child, NULL, 0);
        exchange(20);
    } else if (rank == size - 1 && strcmp(how, "abort") == 0) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    } else if (rank == size - 1 && strcmp(how, "segv") == 0) {
        raise(SIGSEGV);
    } else if (rank == size - 1 && strcmp(how, "kill") == 0) {
        raise(SIGKILL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
