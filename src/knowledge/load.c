#include "config.h"

#include "knowledge/knowledge.h"

#include <dirent.h>

const char *mpl_knowledge_folder(struct mpl_arena *arena, const char *directory,
                                 const char *name)
{
    char *path = mpl_arena_printf(arena, "%s/%s", directory, name);
    DIR *dir = path == NULL ? NULL : opendir(path);

    if (dir == NULL) {
        return path == NULL ? NULL : directory;
    }
    (void) closedir(dir);
    return path;
}

static enum mpl_status load_metrics(struct mpl_arena *arena, struct mpl_lint *lint,
                                    struct mpl_knowledge *k, struct mpl_err *err)
{
    const size_t n = mpl_patterns_count(k->patterns);
    enum mpl_status first = MPL_OK;

    k->metric_sets = MPL_NEW_ARRAY(arena, n, const struct mpl_metric_set *);
    if (k->metric_sets == NULL) {
        return mpl_nomem(err);
    }
    /* All patterns, so that the author sees all messages at once. */
    for (size_t i = 0; i < n; i++) {
        const enum mpl_status st =
            mpl_metric_set_create(mpl_patterns_get(k->patterns, i), arena, lint,
                                  &k->metric_sets[i], first == MPL_OK ? err : NULL);

        first = first == MPL_OK ? st : first;
    }
    return first;
}

/* The folders of that name in all directories; NULL without memory. */
static const char **folders(const char *const *directories, size_t n,
                            struct mpl_arena *arena, const char *name)
{
    const char **found = MPL_NEW_ARRAY(arena, n, const char *);

    for (size_t i = 0; found != NULL && i < n; i++) {
        found[i] = mpl_knowledge_folder(arena, directories[i], name);
        if (found[i] == NULL) {
            return NULL;
        }
    }
    return found;
}

enum mpl_status mpl_knowledge_load_patterns(const char *const *directories, size_t n,
                                            struct mpl_arena *arena, struct mpl_lint *lint,
                                            struct mpl_knowledge *out, struct mpl_err *err)
{
    const char **patterns = folders(directories, n, arena, "patterns");

    if (patterns == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st =
        mpl_patterns_load(patterns, n, arena, lint, &out->patterns, err);
    return st == MPL_OK ? load_metrics(arena, lint, out, err) : st;
}

enum mpl_status mpl_knowledge_load(const char *const *directories, size_t n,
                                   struct mpl_arena *arena, struct mpl_lint *lint,
                                   struct mpl_knowledge *out, struct mpl_err *err)
{
    const char **rules = folders(directories, n, arena, "rules");

    if (rules == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st =
        mpl_knowledge_load_patterns(directories, n, arena, lint, out, err);
    return st == MPL_OK ? mpl_rules_read(rules, n, arena, lint, &out->rules, err) : st;
}
