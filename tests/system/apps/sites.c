/*
 * Calls from a function, from one that is inlined into another one, from a library that stands between the program and MPI
 * (LAYER), and from one that the program loads.
 *
 *   sites [LIBRARY]
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

void layer_barrier(void);

static inline __attribute__((always_inline)) void inlined(void)
{
    MPI_Barrier(MPI_COMM_WORLD); /* line: inlined */
}

__attribute__((noinline)) static void outer(void)
{
    inlined(); /* line: outer */
    MPI_Barrier(MPI_COMM_WORLD);
}

__attribute__((noinline)) static void through_layer(void)
{
    layer_barrier(); /* line: layer */
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv); /* line: init */
    for (int i = 0; i < 3; i++) {
        outer(); /* line: main */
    }
    through_layer();
    if (argc > 1) {
        void *library = dlopen(argv[1], RTLD_NOW);
        void (*loaded)(void) = (void (*)(void)) dlsym(library, "loaded");

        loaded();
    }
    MPI_Finalize();
    return 0;
}
