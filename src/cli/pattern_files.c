/*
 * Operands that are directories or files of knowledge anywhere: directories are loaded as those of
 * --knowledge are, files together with those that belong to them.
 */
#include "config.h"

#include "cli/pattern_priv.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool mpl_word_is_file(const char *word)
{
    return strchr(word, '/') != NULL || mpl_ends_with(word, ".yaml") ||
           mpl_ends_with(word, ".clp");
}

bool mpl_is_same_file(const char *a, const char *b)
{
    struct stat x;
    struct stat y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

static bool exists(const char *path)
{
    return path != NULL && mpl_is_same_file(path, path);
}

/* A word such as "pipeline" means the pattern, unless a directory of that name holds knowledge. */
bool mpl_word_is_directory(const char *word)
{
    DIR *dir = opendir(word);
    bool holds = dir != NULL && strchr(word, '/') != NULL;

    for (const struct dirent *entry;
         dir != NULL && !holds && (entry = readdir(dir)) != NULL;) {
        holds =
            strcmp(entry->d_name, "patterns") == 0 || strcmp(entry->d_name, "rules") == 0 ||
            mpl_ends_with(entry->d_name, ".yaml") || mpl_ends_with(entry->d_name, ".clp");
    }
    if (dir != NULL) {
        (void) closedir(dir);
    }
    return holds;
}

/* The directory of a file; "." where it has none. NULL without memory. */
static const char *folder_of(struct mpl_arena *arena, const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash == NULL ? "."
                         : mpl_arena_strndup(arena, file,
                                             slash == file ? 1 : (size_t) (slash - file));
}

bool mpl_operand_covers(struct mpl_arena *arena, const char *operand, const char *file)
{
    const char *folder = folder_of(arena, file);

    if (mpl_is_same_file(operand, file)) {
        return true;
    }
    for (int i = 0; i < 2 && folder != NULL; i++) {
        const char *own =
            mpl_knowledge_folder(arena, operand, i == 0 ? "patterns" : "rules");

        if (own != NULL && mpl_word_is_directory(operand) &&
            mpl_is_same_file(own, folder)) {
            return true;
        }
    }
    return false;
}

/* ---- directories ---------------------------------------------------------------------- */

static bool is_same_knowledge(struct mpl_arena *arena, const char *a, const char *b)
{
    for (int i = 0; i < 2; i++) {
        const char *kind = i == 0 ? "patterns" : "rules";
        const char *x = mpl_knowledge_folder(arena, a, kind);
        const char *y = mpl_knowledge_folder(arena, b, kind);

        if (x != NULL && y != NULL && mpl_is_same_file(x, y)) {
            return true;
        }
    }
    return false;
}

/* Loaded twice, a directory would define everything twice. */
static void drop_known(struct mpl_pattern_opts *opts, size_t n_operands,
                       struct mpl_arena *arena)
{
    struct mpl_directories *d = &opts->directories;
    size_t kept = d->n - n_operands;

    for (size_t i = kept; i < d->n; i++) {
        bool is_known = false;

        for (size_t j = 0; j < kept && !is_known; j++) {
            is_known = is_same_knowledge(arena, d->paths[j], d->paths[i]);
        }
        if (!is_known) {
            d->paths[kept] = d->paths[i];
            d->origins[kept++] = d->origins[i];
        }
    }
    d->n = kept;
}

/* ---- files ---------------------------------------------------------------------------- */

static bool is_template(const char *file)
{
    return mpl_ends_with(file, "TEMPLATE.yaml") || mpl_ends_with(file, "TEMPLATE.clp");
}

static bool is_loaded(const struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                      const char *file)
{
    bool is_known = false;

    for (size_t i = 0; i < opts->n_files && !is_known; i++) {
        is_known = mpl_is_same_file(opts->files[i], file);
    }
    for (size_t i = 0; i < opts->directories.n && !is_known && !is_template(file); i++) {
        is_known = mpl_operand_covers(arena, opts->directories.paths[i], file);
    }
    return is_known;
}

static void add_file(struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                     const char *file)
{
    if (exists(file) && !is_loaded(opts, arena, file)) {
        opts->files[opts->n_files++] = file;
    }
}

/* DIR/x where that is, else DIR/../rules/x; NULL without memory. */
static const char *beside(struct mpl_arena *arena, const char *file, const char *name,
                          const char *kind)
{
    const char *folder = folder_of(arena, file);
    const char *near =
        folder == NULL ? NULL : mpl_arena_printf(arena, "%s/%s", folder, name);

    if (strcmp(folder == NULL ? "" : folder, ".") == 0) {
        near = name;
    }
    return near == NULL || exists(near)
               ? near
               : mpl_arena_printf(arena, "%s/../%s/%s", folder, kind, name);
}

/* A pattern without its rules, or rules without their pattern, are only half of what is meant. */
static void add_with_partners(struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                              const char *file)
{
    const char *name = mpl_file_name(file);
    const bool is_test = mpl_ends_with(name, ".test.clp");
    const size_t stem = strlen(name) - (is_test                        ? strlen(".test.clp")
                                        : mpl_ends_with(name, ".yaml") ? strlen(".yaml")
                                        : mpl_ends_with(name, ".clp")  ? strlen(".clp")
                                                                       : 0);
    const char *yaml = mpl_arena_printf(arena, "%.*s.yaml", (int) stem, name);
    const char *clp = mpl_arena_printf(arena, "%.*s.clp", (int) stem, name);

    if (yaml == NULL || clp == NULL || name[stem] == '\0') {
        return;
    }
    add_file(opts, arena,
             mpl_ends_with(name, ".yaml") ? file : beside(arena, file, yaml, "patterns"));
    const char *rules =
        mpl_ends_with(name, ".clp") && !is_test ? file : beside(arena, file, clp, "rules");
    if (rules != NULL && exists(rules)) {
        const char *thresholds = beside(arena, rules, "thresholds.clp", "rules");

        if (!is_template(rules)) {
            add_file(opts, arena, thresholds);
        }
        add_file(opts, arena, rules);
    }
}

/* Of the folder DIR/patterns the rules are wanted, too: DIR. NULL without memory. */
static const char *whole(struct mpl_arena *arena, const char *directory)
{
    static const char *const kinds[] = { "patterns", "rules" };
    size_t n = strlen(directory);

    while (n > 1 && directory[n - 1] == '/') {
        n--;
    }
    for (int i = 0; i < 2; i++) {
        const size_t m = strlen(kinds[i]);

        if (n >= m && strncmp(directory + n - m, kinds[i], m) == 0 &&
            (n == m || directory[n - m - 1] == '/')) {
            return n == m       ? "."
                   : n == m + 1 ? "/"
                                : mpl_arena_strndup(arena, directory, n - m - 1);
        }
    }
    return mpl_arena_strndup(arena, directory, n);
}

enum { PARTNERS = 3 };

enum mpl_status mpl_operands_find(struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                                  struct mpl_err *err)
{
    size_t n_directories = 0;

    opts->files = MPL_NEW_ARRAY(arena, PARTNERS * opts->operands.n, const char *);
    if (opts->files == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < opts->operands.n; i++) {
        const char *operand = opts->operands.items[i];

        if (mpl_word_is_directory(operand)) {
            operand = whole(arena, operand);
            if (operand == NULL) {
                return mpl_nomem(err);
            }
            opts->knowledge.given.items[opts->knowledge.given.n++] = operand;
            n_directories++;
        } else if (mpl_word_is_file(operand) && !exists(operand)) {
            (void) mpl_fail(err, MPL_E_IO, "%s", strerror(ENOENT));
            return mpl_wrap(err, MPL_E_IO, "cannot read \"%s\"", operand);
        }
    }
    const enum mpl_status st =
        mpl_directories_find(&opts->knowledge, arena, &opts->directories, err);
    if (st != MPL_OK) {
        return st;
    }
    drop_known(opts, n_directories, arena);
    for (size_t i = 0; i < opts->operands.n; i++) {
        if (mpl_word_is_file(opts->operands.items[i]) &&
            !mpl_word_is_directory(opts->operands.items[i])) {
            add_with_partners(opts, arena, opts->operands.items[i]);
        }
    }
    return MPL_OK;
}
