/* A pattern file may name the views that explain what it finds: "views: [waits, timeline]". */
#include "config.h"

#include "view/view.h"

static enum mpl_status complain(const struct mpl_yaml *name, struct mpl_arena *arena,
                                struct mpl_lint *lint, struct mpl_err *err)
{
    size_t n;
    const struct mpl_view *const *all = mpl_views(&n);
    const char **names = MPL_NEW_ARRAY(arena, n, const char *);

    for (size_t i = 0; names != NULL && i < n; i++) {
        names[i] = all[i]->name;
    }
    const char *hint = names == NULL ? NULL : mpl_suggest_hint(arena, name->text, names, n);
    if (hint == NULL) {
        return mpl_nomem(err);
    }
    mpl_lint_add(lint, MPL_LINT_ERROR, name->place, "there is no view '%s'%s", name->text,
                 hint);
    return MPL_OK;
}

enum mpl_status mpl_view_of_pattern(const struct mpl_pattern *pattern,
                                    struct mpl_arena *arena,
                                    const struct mpl_view *const **out, size_t *n,
                                    struct mpl_lint *lint, struct mpl_err *err)
{
    const struct mpl_yaml *list = mpl_yaml_find(mpl_pattern_tree(pattern), "views");
    const struct mpl_view **found =
        MPL_NEW_ARRAY(arena, list == NULL ? 0 : list->n, const struct mpl_view *);

    enum mpl_status st = found == NULL ? mpl_nomem(err) : MPL_OK;

    *n = 0;
    *out = found;
    for (const struct mpl_yaml *name = list == NULL ? NULL : list->first;
         name != NULL && st == MPL_OK; name = name->next) {
        if (name->text == NULL) {
            continue; /* The loader has said so. */
        }
        if (mpl_view_find(name->text, &found[*n], NULL) == MPL_OK) {
            ++*n;
        } else if (lint != NULL) {
            st = complain(name, arena, lint, err);
        }
    }
    return st;
}
