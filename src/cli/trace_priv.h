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

/** What a command starts, as far as the files tell that its words name. */
struct mpl_trace_program {
    const char *
        word; /**< The first that is linked with an MPI, else the one with the obstacle, or the first. */
    const char *
        mpi; /**< Its MPI, "openmpi" or "mpich"; NULL: none is, as where a script starts it. */
    const char *
        launcher; /**< The MPI of the launcher in front of it; NULL: there is none, or it does not tell. */
    const char *
        obstacle; /**< Why it cannot be recorded, as a clause; NULL: nothing speaks against it. */
};

struct mpl_trace_program mpl_trace_look(const char *const *words, size_t n,
                                        struct mpl_arena *arena);

/** How processes record. */
struct mpl_trace_how {
    const char *spools; /**< Directory to write to. */
    const char
        *call_stack; /**< Functions per place of a call; NULL: as the library has it. */
    const char
        *cpu_interval_us; /**< Between samples of CPU time; NULL: as the library has it. */
};

/**
 * Runs the words with our standard streams and waits. Where \p how is not NULL, the library for their MPI is preloaded
 * into them and whatever they start. Signals that ask us to end are passed on. Errors: MPL_E_IO if they cannot be
 * started, MPL_E_UNSUPPORTED: no library for it was built.
 */
enum mpl_status mpl_trace_run(const char *const *words, size_t n,
                              const struct mpl_trace_how *how, struct mpl_arena *arena,
                              struct mpl_ended *ended, struct mpl_err *err);
/** Becomes the words, which are recorded as by mpl_trace_run(). Returns only if that is not possible. */
enum mpl_status mpl_trace_become(const char *const *words, size_t n,
                                 const struct mpl_trace_how *how, struct mpl_arena *arena,
                                 struct mpl_err *err);

#endif
