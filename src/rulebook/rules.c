/* Reads rule files. */
#include "config.h"

#include "rulebook/rulebook_priv.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- all constructs together ----------------------------------------------------------- */

static bool index_rules(struct mpl_rules *rules, struct mpl_arena *arena)
{
    size_t n = 0;

    for (size_t i = 0; i < rules->n_sources; i++) {
        n += rules->sources[i]->n;
    }

    struct mpl_rule *list = MPL_NEW_ARRAY(arena, n, struct mpl_rule);

    if (list == NULL) {
        return false;
    }
    rules->rules = list;
    for (size_t i = 0; i < rules->n_sources; i++) {
        for (size_t j = 0; j < rules->sources[i]->n; j++) {
            const struct mpl_construct *c = &rules->sources[i]->constructs[j];

            if (c->kind != MPL_CONSTRUCT_RULE) {
                continue;
            }
            list[rules->n_rules++] = (struct mpl_rule){
                .name = mpl_arena_printf(arena, "%s::%s", c->module, c->name),
                .says = c->says,
                .file = rules->sources[i]->file,
                .first_line = c->first_line,
                .last_line = c->last_line,
            };
            if (list[rules->n_rules - 1].name == NULL) {
                return false;
            }
        }
    }
    return true;
}

/**
 * CLIPS counts \r and \n as a line each, which would put every message into the wrong line.
 * The length stays the same, so offsets and columns do, too.
 */
static void normalise_line_ends(char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\r') {
            text[i] = i + 1 < bytes && text[i + 1] == '\n' ? ' ' : '\n';
        }
    }
}

/** Scans a text that the caller has copied into \p arena. */
static struct mpl_source *add_source(const char *file, char *text, size_t bytes,
                                     struct mpl_arena *arena, struct mpl_lint *lint,
                                     struct mpl_err *err)
{
    struct mpl_source *source = MPL_NEW(arena, struct mpl_source);

    if (source == NULL) {
        (void) mpl_nomem(err);
        return NULL;
    }
    normalise_line_ends(text, bytes);
    *source = (struct mpl_source){ .file = file, .text = text, .bytes = bytes };
    mpl_lint_source(lint, file, text, bytes);
    return mpl_scan(source, arena, lint, err) == MPL_OK ? source : NULL;
}

/** The checks that need all sources. CLIPS sees only texts of sound outer form: a missing parenthesis would make it
 *  complain about everything that follows. */
static enum mpl_status finish(const struct mpl_source *const *sources, size_t n,
                              size_t errors_before, struct mpl_arena *arena,
                              struct mpl_lint *lint, const struct mpl_rules **out,
                              struct mpl_err *err)
{
    struct mpl_rules *rules = MPL_NEW(arena, struct mpl_rules);

    if (rules == NULL) {
        return mpl_nomem(err);
    }
    rules->sources = sources;
    rules->n_sources = n;
    rules->lint = lint;
    if (!mpl_rules_check_together(rules, lint) || !index_rules(rules, arena)) {
        return mpl_nomem(err);
    }
    if (mpl_lint_errors(lint) > errors_before) {
        return mpl_lint_fail(lint, err);
    }
    *out = rules;
    return MPL_OK;
}

/* ---- files ------------------------------------------------------------------------------ */

static bool is_rule_file(const char *name)
{
    return name[0] != '.' && mpl_ends_with(name, ".clp") &&
           !mpl_ends_with(name, ".test.clp") && strcmp(name, "TEMPLATE.clp") != 0;
}

struct rule_file {
    const char *path;
    const char *replaces; /* File of the same name in an earlier directory, or NULL. */
    size_t directory;
};

static int compare_files(const void *a, const void *b)
{
    const struct rule_file *x = a;
    const struct rule_file *y = b;
    const int by_order = mpl_rule_file_order(x->path) - mpl_rule_file_order(y->path);

    if (by_order != 0) {
        return by_order;
    }
    if (x->directory != y->directory) {
        return x->directory < y->directory ? -1 : 1;
    }
    return strcmp(x->path, y->path);
}

static enum mpl_status list_directory(const char *path, size_t number,
                                      struct mpl_arena *arena, struct mpl_buf *files,
                                      struct mpl_err *err)
{
    DIR *directory = opendir(path);
    enum mpl_status st = MPL_OK;

    if (directory == NULL) {
        return mpl_fail(err, MPL_E_IO, "cannot read the rules in \"%s\": %s", path,
                        strerror(errno));
    }
    for (const struct dirent *entry;
         st == MPL_OK && (entry = readdir(directory)) != NULL;) {
        if (!is_rule_file(entry->d_name)) {
            continue;
        }

        const struct rule_file file = { .path = mpl_arena_printf(arena, "%s/%s", path,
                                                                 entry->d_name),
                                        .directory = number };

        if (file.path == NULL || !mpl_buf_put(files, &file)) {
            st = mpl_nomem(err);
        }
    }
    (void) closedir(directory);
    return st;
}

/*
 * A file replaces those of the same name in earlier directories. Words and thresholds of earlier
 * ones are kept, since the rules there need them.
 */
static void drop_replaced(struct mpl_buf *files)
{
    struct rule_file *list = files->data;
    size_t n = 0;

    for (size_t i = 0; i < files->n; i++) {
        struct rule_file *later = NULL;

        for (size_t j = i + 1; j < files->n && mpl_rule_file_order(list[i].path) == 2;
             j++) {
            if (strcmp(mpl_file_name(list[i].path), mpl_file_name(list[j].path)) == 0) {
                later = &list[j];
                break;
            }
        }
        if (later != NULL) {
            later->replaces = list[i].path;
        } else {
            list[n++] = list[i];
        }
    }
    files->n = n;
}

static enum mpl_status read_sources(const struct rule_file *files, size_t n,
                                    struct mpl_arena *arena, struct mpl_lint *lint,
                                    const struct mpl_source **sources, struct mpl_err *err)
{
    for (size_t i = 0; i < n; i++) {
        char *text = NULL;
        size_t bytes = 0;
        const enum mpl_status st =
            mpl_file_read(files[i].path, MPL_RULE_FILE_BYTES, arena, &text, &bytes, err);

        if (st != MPL_OK) {
            return mpl_wrap(err, st, "cannot read the rules in \"%s\"", files[i].path);
        }

        struct mpl_err mine = { 0 };

        struct mpl_source *source =
            add_source(files[i].path, text, bytes, arena, lint, &mine);
        if (source == NULL) {
            return mpl_nomem(err);
        }
        source->replaces = files[i].replaces;
        sources[i] = source;
    }
    return MPL_OK;
}

static enum mpl_status load_files(const struct rule_file *files, size_t n,
                                  struct mpl_arena *arena, struct mpl_lint *lint,
                                  const struct mpl_rules **out, struct mpl_err *err)
{
    const struct mpl_source **sources = MPL_NEW_ARRAY(arena, n, const struct mpl_source *);
    const size_t errors_before = mpl_lint_errors(lint);

    if (sources == NULL) {
        return mpl_nomem(err);
    }
    if (n == 0 || mpl_rule_file_order(files[0].path) != 0) {
        return mpl_fail(err, MPL_E_USAGE, "no vocabulary.clp in the directories of rules");
    }

    const enum mpl_status st = read_sources(files, n, arena, lint, sources, err);

    return st != MPL_OK ? st : finish(sources, n, errors_before, arena, lint, out, err);
}

/* Files as if they were in a directory behind all others. */
static enum mpl_status add_files(const char *const *paths, size_t n, size_t number,
                                 struct mpl_buf *files, struct mpl_err *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!mpl_buf_put(files,
                         &(struct rule_file){ .path = paths[i], .directory = number })) {
            return mpl_nomem(err);
        }
    }
    return MPL_OK;
}

enum mpl_status mpl_rules_read(const struct mpl_rule_places *places,
                               struct mpl_arena *arena, struct mpl_lint *lint,
                               const struct mpl_rules **out, struct mpl_err *err)
{
    struct mpl_buf files = mpl_buf_make(sizeof(struct rule_file));
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; st == MPL_OK && i < places->n_directories; i++) {
        st = list_directory(places->directories[i], i, arena, &files, err);
    }
    st = st == MPL_OK
             ? add_files(places->files, places->n_files, places->n_directories, &files, err)
             : st;
    if (st == MPL_OK && files.n > 0) {
        qsort(files.data, files.n, sizeof(struct rule_file), compare_files);
        drop_replaced(&files);
    }
    if (st == MPL_OK) {
        st = load_files(files.data, files.n, arena, lint, out, err);
    }
    mpl_buf_free(&files);
    return st;
}

enum mpl_status mpl_rules_parse(const char *file, const char *text, size_t bytes,
                                const struct mpl_rules *base, struct mpl_arena *arena,
                                struct mpl_lint *lint, const struct mpl_rules **out,
                                struct mpl_err *err)
{
    const size_t n = base == NULL ? 0 : base->n_sources;
    const struct mpl_source **sources =
        MPL_NEW_ARRAY(arena, n + 1, const struct mpl_source *);
    char *copy = mpl_arena_alloc(arena, bytes + 1);
    char *name = mpl_arena_strdup(arena, file);
    const size_t errors_before = mpl_lint_errors(lint);

    if (sources == NULL || copy == NULL || name == NULL) {
        return mpl_nomem(err);
    }
    if (bytes > MPL_RULE_FILE_BYTES) {
        return mpl_fail(err, MPL_E_LIMIT, "%s is larger than %d MiB", file,
                        MPL_RULE_FILE_BYTES >> 20);
    }
    if (bytes > 0) {
        memcpy(copy, text, bytes);
    }
    for (size_t i = 0; i < n; i++) {
        sources[i] = base->sources[i];
    }
    sources[n] = add_source(name, copy, bytes, arena, lint, err);
    if (sources[n] == NULL) {
        return mpl_nomem(err);
    }
    return finish(sources, n + 1, errors_before, arena, lint, out, err);
}
