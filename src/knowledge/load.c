#include "config.h"

#include "knowledge/knowledge.h"

#include <dirent.h>

/* Patterns that people write have some 10 KiB. */
enum { PATTERN_BYTES_MAX = 1 << 20 };

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

/* The patterns of those files on top of \p patterns. */
static enum mpl_status add_patterns(const char *const *files, size_t n,
                                    struct mpl_arena *arena, struct mpl_lint *lint,
                                    const struct mpl_patterns **patterns,
                                    struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        const struct mpl_patterns *base = *patterns;
        char *text = NULL;
        size_t bytes = 0;

        if (!mpl_ends_with(files[i], ".yaml")) {
            continue;
        }
        st = mpl_file_read(files[i], PATTERN_BYTES_MAX, arena, &text, &bytes, err);
        st = st == MPL_OK ? mpl_patterns_parse(files[i], text, bytes, base, arena, lint,
                                               patterns, err)
                          : st;
    }
    return st;
}

static enum mpl_status load_patterns(const char *const *directories, size_t n,
                                     const char *const *files, size_t n_files,
                                     struct mpl_arena *arena, struct mpl_lint *lint,
                                     struct mpl_knowledge *out, struct mpl_err *err)
{
    const char **patterns = folders(directories, n, arena, "patterns");

    if (patterns == NULL) {
        return mpl_nomem(err);
    }
    enum mpl_status st = mpl_patterns_load(patterns, n, arena, lint, &out->patterns, err);

    st = st == MPL_OK ? add_patterns(files, n_files, arena, lint, &out->patterns, err) : st;
    if (st == MPL_E_SYNTAX && out->patterns != NULL) {
        /* Their metrics are checked in the same round; what else is wrong is reported already. */
        const enum mpl_status checked = load_metrics(arena, lint, out, NULL);

        *out = (struct mpl_knowledge){ 0 };
        return checked == MPL_E_NOMEM ? mpl_nomem(err) : st;
    }
    return st == MPL_OK ? load_metrics(arena, lint, out, err) : st;
}

enum mpl_status mpl_knowledge_load_patterns(const char *const *directories, size_t n,
                                            struct mpl_arena *arena, struct mpl_lint *lint,
                                            struct mpl_knowledge *out, struct mpl_err *err)
{
    return load_patterns(directories, n, NULL, 0, arena, lint, out, err);
}

enum mpl_status mpl_knowledge_load_files(const char *const *directories, size_t n,
                                         const char *const *files, size_t n_files,
                                         struct mpl_arena *arena, struct mpl_lint *lint,
                                         struct mpl_knowledge *out, struct mpl_err *err)
{
    const char **rules = MPL_NEW_ARRAY(arena, n_files, const char *);
    struct mpl_rule_places places = { .directories =
                                          folders(directories, n, arena, "rules"),
                                      .n_directories = n,
                                      .files = rules };

    if (rules == NULL || places.directories == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n_files; i++) {
        if (mpl_ends_with(files[i], ".clp")) {
            rules[places.n_files++] = files[i];
        }
    }
    enum mpl_status st =
        load_patterns(directories, n, files, n_files, arena, lint, out, err);
    return st == MPL_OK ? mpl_rules_read(&places, arena, lint, &out->rules, err) : st;
}

enum mpl_status mpl_knowledge_load(const char *const *directories, size_t n,
                                   struct mpl_arena *arena, struct mpl_lint *lint,
                                   struct mpl_knowledge *out, struct mpl_err *err)
{
    return mpl_knowledge_load_files(directories, n, NULL, 0, arena, lint, out, err);
}
