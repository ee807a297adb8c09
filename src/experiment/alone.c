/*
 * An MPI program that was started without a launcher runs as a single process, and mostly nobody meant that.
 * What MPI recorded decides: MPI_Init, or the communicators that it makes, of one process; a program without
 * MPI has none of it.
 */
#include "config.h"

#include "experiment/experiment_priv.h"

#include "read/read.h"

bool mpl_is_alone(const struct mpl_command *command, const struct mpl_model *model,
                  struct mpl_arena *arena)
{
    return model->n_processes == 1 &&
           (model->can.has_init_finalize || model->n_comms > 0) &&
           mpl_command_program(command, arena) == 0;
}

const char *mpl_alone_hint(const struct mpl_command *command, struct mpl_arena *arena)
{
    const char *words = mpl_words_print(command->words, command->n, arena);
    const char *name = mpl_command_name(command, arena);

    return words == NULL || name == NULL
               ? NULL
               : mpl_arena_printf(arena,
                                  "\"%s\" is an MPI program and ran as a single process; "
                                  "did you forget mpirun? As in: mpirun -np 4 %s",
                                  name, words);
}

const char *mpl_alone_in(const struct mpl_command *command, const char *trace,
                         struct mpl_arena *arena)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_model *model = NULL;
    const char *hint = NULL;

    if (scratch != NULL && mpl_command_program(command, scratch) == 0 &&
        mpl_read(trace, scratch, NULL, &model, NULL) == MPL_OK &&
        mpl_is_alone(command, model, scratch)) {
        hint = mpl_alone_hint(command, arena);
    }
    mpl_arena_destroy(scratch);
    return hint;
}
