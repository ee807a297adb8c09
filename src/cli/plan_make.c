/* The plan that belongs to a diagnosis, with the tracers of the same directories. */
#include "config.h"

#include "cli/cli_priv.h"

enum mpl_status mpl_tracers_of(const struct mpl_directories *directories,
                               struct mpl_arena *arena, const struct mpl_tracers **out,
                               struct mpl_err *err)
{
    struct mpl_lint *lint = mpl_lint_create(arena);

    if (lint == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st =
        mpl_tracers_load(directories->paths, directories->n, arena, lint, out, err);

    mpl_lint_print(lint, stderr);
    return st;
}

enum mpl_status mpl_plan_from(const struct mpl_directories *directories, const char *tracer,
                              const struct mpl_analysis *analysis, struct mpl_arena *arena,
                              const struct mpl_plan **out, struct mpl_err *err)
{
    struct mpl_plan_options options = { .tracer = tracer };
    const enum mpl_status st = mpl_tracers_of(directories, arena, &options.tracers, err);

    return st == MPL_OK ? mpl_plan_make(analysis, &options, arena, out, err) : st;
}
