/* Which directories of knowledge a command loads, and in which order. */
#include "config.h"

#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "knowledge/knowledge.h"

static bool is_directory(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0) {
        return false;
    }
    errno = ENOTDIR; /* the reason, if it is something else */
    return S_ISDIR(st.st_mode);
}

static void add(struct mpl_directories *out, const char *path, const char *origin)
{
    out->paths[out->n] = path;
    out->origins[out->n++] = origin;
}

static enum mpl_status add_user_folder(struct mpl_arena *arena, struct mpl_directories *out,
                                       struct mpl_err *err)
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    const char *path = NULL;

    /* The specification of these folders says that a relative path is to be ignored. */
    if (config != NULL && config[0] == '/') {
        path = mpl_arena_printf(arena, "%s/marple", config);
    } else if (home != NULL && home[0] == '/') {
        path = mpl_arena_printf(arena, "%s/.config/marple", home);
    } else {
        return MPL_OK;
    }
    if (path == NULL) {
        return mpl_nomem(err);
    }
    if (is_directory(path)) {
        add(out, path, "user");
    }
    return MPL_OK;
}

/* Files of the folder of that name, or where there is none of the directory itself. */
static size_t count_files(const char *directory, const char *folder, const char *ending,
                          struct mpl_arena *arena)
{
    const char *path = mpl_knowledge_folder(arena, directory, folder);
    DIR *dir = path != NULL ? opendir(path) : NULL;
    size_t n = 0;

    for (const struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
        const size_t length = strlen(e->d_name);
        const size_t end = strlen(ending);

        n += length > end && strcmp(e->d_name + length - end, ending) == 0;
    }
    if (dir != NULL) {
        (void) closedir(dir);
    }
    return n;
}

static bool is_named(const char *directory, const char *name)
{
    size_t n = strlen(directory);
    const size_t m = strlen(name);

    while (n > 1 && directory[n - 1] == '/') {
        n--;
    }
    return n >= m && strncmp(directory + n - m, name, m) == 0 &&
           (n == m || directory[n - m - 1] == '/');
}

/* Rules may be missing because the folder of the patterns was named instead of the one that has both. */
static void tell_what_is_missing(const char *directory, struct mpl_arena *arena)
{
    const size_t patterns = count_files(directory, "patterns", ".yaml", arena);
    const size_t rules = count_files(directory, "rules", ".clp", arena);

    if (patterns > 0 && rules == 0) {
        mpl_text_print(stderr, "marple: note: \"%s\" holds patterns and no rules\n",
                       directory);
    } else if (patterns == 0 && rules > 0 && is_named(directory, "rules")) {
        mpl_text_print(stderr, "marple: note: \"%s\" holds rules and no patterns\n",
                       directory);
    } else if (patterns == 0 && rules == 0 &&
               count_files(directory, "rules", "regions.yaml", arena) == 0 &&
               count_files(directory, "tracers", ".yaml", arena) == 0) {
        mpl_text_print(
            stderr,
            "marple: warning: \"%s\" holds no patterns (*.yaml), rules (*.clp) or "
            "tracers\n",
            directory);
    }
}

void mpl_knowledge_tell(const struct mpl_knowledge_asked *asked, struct mpl_arena *arena)
{
    for (size_t i = 0; i < asked->given.n; i++) {
        tell_what_is_missing(asked->given.items[i], arena);
    }
}

static enum mpl_status add_given(const struct mpl_knowledge_asked *asked,
                                 struct mpl_directories *out, struct mpl_err *err)
{
    for (size_t i = 0; i < asked->given.n; i++) {
        if (!is_directory(asked->given.items[i])) {
            return mpl_fail(err, MPL_E_IO, "cannot read the knowledge in \"%s\": %s",
                            asked->given.items[i], strerror(errno));
        }
        add(out, asked->given.items[i], "--knowledge");
    }
    return MPL_OK;
}

enum mpl_status mpl_directories_find(const struct mpl_knowledge_asked *asked,
                                     struct mpl_arena *arena, struct mpl_directories *out,
                                     struct mpl_err *err)
{
    const char *path = getenv("MARPLE_PATH");
    char *entries = mpl_arena_strdup(arena, path == NULL ? "" : path);
    size_t most = asked->given.n + 3;

    for (const char *p = entries; p != NULL && *p != '\0'; p++) {
        most += *p == ':';
    }
    *out = (struct mpl_directories){ .paths = MPL_NEW_ARRAY(arena, most, const char *),
                                     .origins = MPL_NEW_ARRAY(arena, most, const char *) };
    if (entries == NULL || out->paths == NULL || out->origins == NULL) {
        return mpl_nomem(err);
    }
    const char *stock = NULL;
    enum mpl_status st = mpl_knowledge_find(arena, &stock, err);
    if (st == MPL_OK) {
        add(out, stock, "stock");
    }
    if (st == MPL_OK && !asked->is_stock_only) {
        st = add_user_folder(arena, out, err);
        for (const char *entry; (entry = strsep(&entries, ":")) != NULL;) {
            if (entry[0] == '\0') {
                continue;
            }
            if (is_directory(entry)) {
                add(out, entry, "MARPLE_PATH");
            } else {
                mpl_text_print(stderr,
                               "marple: warning: \"%s\" in MARPLE_PATH is left out: %s\n",
                               entry, strerror(errno));
            }
        }
    }
    return st == MPL_OK ? add_given(asked, out, err) : st;
}

bool mpl_directories_are_stock(const struct mpl_directories *directories)
{
    return directories->n == 1 && getenv("MARPLE_DATA") == NULL;
}

const char *mpl_directories_origin(const struct mpl_directories *directories,
                                   const char *file)
{
    /* From behind: one directory may lie in another. */
    for (size_t i = directories->n; i > 0; i--) {
        const size_t n = strlen(directories->paths[i - 1]);

        if (strncmp(file, directories->paths[i - 1], n) == 0 && file[n] == '/') {
            return directories->origins[i - 1];
        }
    }
    return "file";
}
