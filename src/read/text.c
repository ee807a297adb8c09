#include "config.h"

#include "read/text_priv.h"

#include <string.h>

enum mpl_status mpl_read_text(const char *name, const char *text, size_t bytes,
                              struct mpl_arena *arena, struct mpl_lint *lint,
                              struct mpl_model **out, struct mpl_err *err)
{
    const size_t errors = mpl_lint_errors(lint);
    struct mpl_model *model = NULL;
    struct mpl_text parsed;
    const char *file = mpl_arena_strdup(arena, name);
    enum mpl_status st = MPL_OK;

    if (file == NULL) {
        return mpl_nomem(err);
    }
    mpl_lint_source(lint, file, text, bytes);
    mpl_text_start(&parsed, arena, lint);
    if (!parsed.is_out_of_memory) {
        mpl_text_parse(&parsed, file, text, bytes);
    }
    if (parsed.is_out_of_memory) {
        st = mpl_nomem(err);
    } else if (mpl_lint_errors(lint) == errors && parsed.locations.n == 0) {
        mpl_lint_add(lint, MPL_LINT_ERROR, (struct mpl_place){ file, 1, 1 },
                     "the text has no line \"rank 0: ...\"");
    }
    if (st == MPL_OK) {
        st = mpl_lint_errors(lint) > errors ? mpl_lint_fail(lint, err)
                                            : mpl_text_build(&parsed, arena, &model, err);
    }
    mpl_text_free(&parsed);
    if (st == MPL_OK) {
        model->path = file;
        *out = model;
    }
    return st;
}
