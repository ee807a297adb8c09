/* Running a program with the tracer in it. */
#ifndef MPL_CLI_TRACE_PRIV_H
#define MPL_CLI_TRACE_PRIV_H

#include "cli/cli_priv.h"
#include "experiment/experiment.h"

/** How a program ended that was waited for. */
struct mpl_ended {
    int exit_status; /**< -1: a signal ended it. */
    int signal;      /**< That signal; 0: none. */
};

/** What a program is, as far as its file tells. */
struct mpl_trace_program {
    const char *
        mpi; /**< "openmpi" or "mpich"; NULL: neither, as a script that starts another one. */
    const char *
        obstacle; /**< Why it cannot be recorded, as a clause; NULL: nothing speaks against it. */
};

/** Of the program that \p word starts. */
struct mpl_trace_program mpl_trace_look(const char *word, struct mpl_arena *arena);

/** How processes record. */
struct mpl_trace_how {
    const char *spools; /**< Directory to write to. */
    const char
        *call_stack; /**< Functions per place of a call; NULL: as the library has it. */
    const char
        *cpu_interval_us; /**< Between samples of CPU time; NULL: as the library has it. */
};

/**
 * Runs the words with our standard streams and waits. Signals that ask us to end are passed on. Errors:
 * MPL_E_IO if it cannot be started.
 */
enum mpl_status mpl_trace_run(const char *const *words, size_t n, struct mpl_ended *ended,
                              struct mpl_err *err);
/**
 * Becomes the program, with the library for its MPI preloaded that records as \p how says. Returns only if
 * that is not possible. Errors: MPL_E_IO, MPL_E_UNSUPPORTED: no library for it was built.
 */
enum mpl_status mpl_trace_become(const char *const *words, size_t n,
                                 const struct mpl_trace_how *how, struct mpl_arena *arena,
                                 struct mpl_err *err);

#endif
