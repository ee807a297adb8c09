/*
 * The example with ways to fail, chosen by the environment, each as "N" for runs of N processes or "all":
 *
 *   SHAKY_CRASH   rank 1 ends with a segmentation fault
 *   SHAKY_HANG    nobody ends, and nobody listens to SIGTERM
 *   SHAKY_STUCK   rank 1 ends after some steps, the others wait for it in MPI_Barrier
 *   SHAKY_LEAVE   rank 0 leaves a process behind that is in nobody's group or session
 */
#define main example_main
#include "../../../examples/master-worker/mw.c"
#undef main

#include <signal.h>
#include <unistd.h>

static int is_meant(const char *name)
{
    const char *asked = getenv(name);
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");

    return asked != NULL && size != NULL &&
           (strcmp(asked, "all") == 0 || strcmp(asked, size) == 0);
}

static int get_stuck(int argc, char **argv)
{
    int rank = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 20; step++) {
        int sum = rank;

        sleep_ms(5);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank != 1) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}

int main(int argc, char **argv)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    if (is_meant("SHAKY_CRASH") && rank != NULL && strcmp(rank, "1") == 0) {
        fprintf(stderr, "shaky: the input has no end\n");
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    if (is_meant("SHAKY_HANG")) {
        signal(SIGTERM, SIG_IGN);
        for (;;) {
            sleep_ms(50);
        }
    }
    if (is_meant("SHAKY_STUCK")) {
        return get_stuck(argc, argv);
    }
    if (is_meant("SHAKY_LEAVE") && rank != NULL && strcmp(rank, "0") == 0 && fork() == 0) {
        unsetenv("LD_PRELOAD");
        (void) setsid();
        (void) freopen("/dev/null", "w", stdout);
        (void) freopen("/dev/null", "w", stderr);
        (void) execlp("sleep", "shaky-left", "300", (char *) NULL);
        _exit(127);
    }
    return example_main(argc, argv);
}
