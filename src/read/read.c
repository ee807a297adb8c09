#include "config.h"

#include "read/otf2_priv.h"

enum mpl_status mpl_read(const char *path, struct mpl_arena *arena,
                         const struct mpl_progress *progress, struct mpl_model **out,
                         struct mpl_err *err)
{
    struct mpl_model *model = NULL;
    const char *anchor = NULL;
    enum mpl_status st = mpl_anchor_find(path, arena, &anchor, err);

    if (st == MPL_OK) {
        st = mpl_read_otf2(anchor, arena, progress, &model, err);
    } else if (st == MPL_END) {
        st = mpl_fail(err, MPL_E_UNSUPPORTED, "its name does not end in .otf2");
    }
    if (st != MPL_OK) {
        return mpl_wrap(err, st, "cannot read trace \"%s\"", path);
    }
    model->path = mpl_arena_strdup(arena, path);
    if (model->path == NULL) {
        return mpl_nomem(err);
    }
    *out = model;
    return MPL_OK;
}
