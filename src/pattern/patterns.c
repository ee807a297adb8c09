/* Sets of patterns: finding the files, and laying each over the pattern it extends. */
#include "config.h"

#include "pattern/load_priv.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Patterns that people write have some 10 KiB. */
enum { FILE_BYTES_MAX = 1 << 20 };

struct mpl_patterns {
    size_t n;
    const struct mpl_pattern **items;
};

enum stage { WAITING, OPEN, DONE };

/* A file, or a pattern that is given. */
struct entry {
    const char *name;
    const struct mpl_yaml *root;       /* NULL for given patterns */
    const struct mpl_pattern *pattern; /* NULL while waiting, and when it has faults */
    const struct mpl_pattern *faulty;  /* what could be read when it has */
    enum stage stage;
};

struct set {
    struct mpl_arena *arena;
    struct mpl_lint *lint;
    struct mpl_buf entries; /* struct entry */
    bool has_fault;
};

/* ---- one file ------------------------------------------------------------------------ */

static bool is_pattern_name(const char *name)
{
    const char *at = name;

    while (isalnum((unsigned char) *at) || *at == '_' || *at == '-') {
        at++;
    }
    return *at == '\0' && at > name;
}

static const char *name_of(struct set *set, const char *file, const struct mpl_yaml *root)
{
    const struct mpl_yaml *name = NULL;

    if (root == NULL || root->kind != MPL_YAML_MAP) {
        const struct mpl_place top = { file, 1, 1 };

        mpl_lint_add(set->lint, MPL_LINT_ERROR, root == NULL ? top : root->place,
                     "a pattern file is a map with the key 'pattern' and others");
        return NULL;
    }
    name = mpl_yaml_find(root, "pattern");
    if (name == NULL) {
        mpl_lint_add(set->lint, MPL_LINT_ERROR, root->place,
                     "'pattern' is missing: its name");
        return NULL;
    }
    if (name->kind != MPL_YAML_SCALAR || !is_pattern_name(name->text)) {
        mpl_lint_add(set->lint, MPL_LINT_ERROR, name->place,
                     "the name of a pattern is made of letters, digits, - and _");
        return NULL;
    }
    return name->text;
}

static enum mpl_status add_text(struct set *set, const char *file, const char *text,
                                size_t bytes, struct mpl_err *err)
{
    const struct mpl_yaml *root = NULL;
    const char *kept = mpl_arena_strdup(set->arena, file);
    enum mpl_status st;

    if (kept == NULL) {
        return mpl_nomem(err);
    }
    st = mpl_yaml_parse(kept, text, bytes, set->arena, set->lint, &root, NULL);
    if (st == MPL_E_NOMEM) {
        return mpl_nomem(err);
    }

    const struct entry entry = { .name = st == MPL_OK ? name_of(set, kept, root) : NULL,
                                 .root = root,
                                 .stage = WAITING };

    set->has_fault = set->has_fault || entry.name == NULL;
    return entry.name == NULL || mpl_buf_put(&set->entries, &entry) ? MPL_OK
                                                                    : mpl_nomem(err);
}

/* ---- extends --------------------------------------------------------------------------- */

static struct entry *entry_at(const struct set *set, size_t i)
{
    return mpl_buf_get(&set->entries, i);
}

/*
 * The entry that `extends: name` in entry \p from means: the last of that name, as it replaces
 * the others; for a file that refines its own name the one that it replaces.
 */
static struct entry *find_base(const struct set *set, const char *name, size_t from)
{
    const bool is_own = strcmp(name, entry_at(set, from)->name) == 0;

    for (size_t i = is_own ? from : set->entries.n; i > 0; i--) {
        if (strcmp(entry_at(set, i - 1)->name, name) == 0) {
            return entry_at(set, i - 1);
        }
    }
    return NULL;
}

static enum mpl_status resolve(struct set *set, size_t number, struct mpl_err *err);

static enum mpl_status fail_base(struct set *set, const struct mpl_yaml *extends,
                                 const char *own, struct mpl_err *err)
{
    const char *name = extends->kind == MPL_YAML_SCALAR ? extends->text : "";
    const char **names = MPL_NEW_ARRAY(set->arena, set->entries.n, const char *);

    if (names == NULL) {
        return mpl_nomem(err);
    }
    if (strcmp(name, own) == 0) {
        mpl_lint_add(set->lint, MPL_LINT_ERROR, extends->place,
                     "'%s' extends itself, and no earlier file has that name", own);
        return MPL_OK;
    }
    for (size_t i = 0; i < set->entries.n; i++) {
        names[i] = entry_at(set, i)->name;
    }

    const char *hint = mpl_suggest_hint(set->arena, name, names, set->entries.n);

    mpl_lint_add(set->lint, MPL_LINT_ERROR, extends->place,
                 "there is no pattern '%s' to extend%s", name, hint != NULL ? hint : "");
    return hint != NULL ? MPL_OK : mpl_nomem(err);
}

/* The pattern that the file extends: NULL when there is none or it has faults. */
static enum mpl_status resolve_base(struct set *set, size_t number,
                                    const struct mpl_pattern **out, bool *is_good,
                                    struct mpl_err *err)
{
    const struct mpl_yaml *extends = mpl_yaml_find(entry_at(set, number)->root, "extends");
    const char *name =
        extends != NULL && extends->kind == MPL_YAML_SCALAR ? extends->text : "";
    struct entry *base = extends == NULL ? NULL : find_base(set, name, number);
    enum mpl_status st = MPL_OK;

    *out = NULL;
    *is_good = extends == NULL;
    if (extends == NULL) {
        return MPL_OK;
    }
    if (base == NULL) {
        return fail_base(set, extends, entry_at(set, number)->name, err);
    }
    if (base->stage == OPEN) {
        mpl_lint_add(set->lint, MPL_LINT_ERROR, extends->place,
                     "'%s' extends itself through '%s'", entry_at(set, number)->name, name);
        return MPL_OK;
    }
    st = resolve(set, (size_t) (base - entry_at(set, 0)), err);
    *out = base->pattern;
    *is_good = base->pattern != NULL;
    return st;
}

/* The base's sections, then the file's own. */
static bool add_sections(struct set *set, const struct mpl_yaml *own, const char *key,
                         const struct mpl_yaml_sections *base,
                         struct mpl_yaml_sections *out)
{
    const size_t n_base = base == NULL ? 0 : base->n;
    const struct mpl_yaml **sections =
        MPL_NEW_ARRAY(set->arena, n_base + 1, const struct mpl_yaml *);
    const struct mpl_yaml *section = mpl_yaml_find(own, key);

    if (sections == NULL) {
        return false;
    }
    for (size_t i = 0; i < n_base; i++) {
        sections[i] = base->items[i];
    }
    if (section != NULL) {
        sections[n_base] = section;
    }
    *out = (struct mpl_yaml_sections){ sections, n_base + (section != NULL) };
    return true;
}

/* The file of the last entry of the same name before this one, or NULL. */
static const char *replaced_by(const struct set *set, const struct entry *entry)
{
    const char *file = NULL;

    for (size_t i = 0; entry_at(set, i) != entry; i++) {
        const struct entry *e = entry_at(set, i);

        if (strcmp(e->name, entry->name) == 0) {
            file = e->root != NULL ? e->root->place.file : e->pattern->file;
        }
    }
    return file;
}

static enum mpl_status load_entry(struct set *set, const struct entry *entry,
                                  const struct mpl_pattern *base, struct mpl_pattern **out,
                                  struct mpl_err *err)
{
    struct mpl_pattern *pattern = MPL_NEW(set->arena, struct mpl_pattern);
    const struct mpl_yaml *root =
        base == NULL ? entry->root
                     : mpl_pattern_merge(set->arena, base->merged, entry->root);
    struct mpl_loader loader = { .arena = set->arena,
                                 .lint = set->lint,
                                 .pattern = pattern,
                                 .own_file = entry->root->place.file,
                                 .first_message = mpl_lint_count(set->lint) };

    if (pattern == NULL || root == NULL) {
        return mpl_nomem(err);
    }
    pattern->name = entry->name;
    pattern->file = entry->root->place.file;
    pattern->replaces = replaced_by(set, entry);
    pattern->base = base;
    pattern->merged = root;
    if (!add_sections(set, entry->root, "metrics", base == NULL ? NULL : &base->metrics,
                      &pattern->metrics) ||
        !add_sections(set, entry->root, "experiments",
                      base == NULL ? NULL : &base->experiments, &pattern->experiments)) {
        return mpl_nomem(err);
    }
    mpl_load_pattern(&loader, root);
    if (loader.has_no_memory) {
        return mpl_nomem(err);
    }
    pattern->has_fault = loader.has_fault;
    *out = pattern;
    return MPL_OK;
}

static enum mpl_status resolve(struct set *set, size_t number, struct mpl_err *err)
{
    const struct mpl_pattern *base;
    struct mpl_pattern *pattern = NULL;
    bool is_good;
    enum mpl_status st;

    if (entry_at(set, number)->stage != WAITING) {
        return MPL_OK;
    }
    entry_at(set, number)->stage = OPEN;
    st = resolve_base(set, number, &base, &is_good, err);
    if (st == MPL_OK && is_good) {
        st = load_entry(set, entry_at(set, number), base, &pattern, err);
    }
    entry_at(set, number)->stage = DONE;
    const bool has_fault = pattern == NULL || pattern->has_fault;
    entry_at(set, number)->pattern = has_fault ? NULL : pattern;
    entry_at(set, number)->faulty = has_fault ? pattern : NULL;
    set->has_fault = set->has_fault || has_fault;
    return st;
}

/* ---- sets --------------------------------------------------------------------------------- */

static bool is_replaced(const struct set *set, size_t number)
{
    for (size_t i = number + 1; i < set->entries.n; i++) {
        if (strcmp(entry_at(set, i)->name, entry_at(set, number)->name) == 0) {
            return true;
        }
    }
    return false;
}

static enum mpl_status resolve_all(struct set *set, const struct mpl_patterns **out,
                                   struct mpl_err *err)
{
    struct mpl_patterns *patterns = MPL_NEW(set->arena, struct mpl_patterns);
    const struct mpl_pattern **items =
        MPL_NEW_ARRAY(set->arena, set->entries.n, const struct mpl_pattern *);

    if (patterns == NULL || items == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < set->entries.n; i++) {
        const enum mpl_status st = resolve(set, i, err);

        if (st != MPL_OK) {
            return st;
        }
    }
    patterns->items = items;
    for (size_t i = 0; i < set->entries.n; i++) {
        const struct entry *e = entry_at(set, i);

        if (!is_replaced(set, i) && (e->pattern != NULL || e->faulty != NULL)) {
            items[patterns->n++] = e->pattern != NULL ? e->pattern : e->faulty;
        }
    }
    *out = patterns;
    if (set->has_fault) {
        const enum mpl_status st = mpl_lint_fail(set->lint, err);

        return st != MPL_OK ? st : mpl_nomem(err);
    }
    return MPL_OK;
}

enum mpl_status mpl_patterns_parse(const char *file, const char *text, size_t bytes,
                                   const struct mpl_patterns *base, struct mpl_arena *arena,
                                   struct mpl_lint *lint, const struct mpl_patterns **out,
                                   struct mpl_err *err)
{
    struct set set = { arena, lint, mpl_buf_make(sizeof(struct entry)), false };
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; base != NULL && i < base->n && st == MPL_OK; i++) {
        const struct entry entry = { .name = base->items[i]->name,
                                     .pattern = base->items[i],
                                     .stage = DONE };

        st = mpl_buf_put(&set.entries, &entry) ? MPL_OK : mpl_nomem(err);
    }
    if (st == MPL_OK) {
        st = add_text(&set, file, text, bytes, err);
    }
    if (st == MPL_OK) {
        st = resolve_all(&set, out, err);
    }
    mpl_buf_free(&set.entries);
    return st;
}

/* ---- directories ----------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

static bool is_pattern_file(const char *name)
{
    const size_t n = strlen(name);

    return n > 5 && name[0] != '.' && strcmp(name + n - 5, ".yaml") == 0 &&
           strcmp(name, "TEMPLATE.yaml") != 0;
}

/* The paths of the pattern files of a directory into \p paths, sorted. */
static enum mpl_status list_directory(const char *directory, struct mpl_arena *arena,
                                      struct mpl_buf *paths, struct mpl_err *err)
{
    DIR *dir = opendir(directory);
    const struct dirent *item;
    enum mpl_status st = MPL_OK;

    if (dir == NULL) {
        /* Knowledge may consist of rules only. */
        return errno == ENOENT ? MPL_OK
                               : mpl_fail(err, MPL_E_IO, "cannot list directory \"%s\": %s",
                                          directory, strerror(errno));
    }
    while (st == MPL_OK && (item = readdir(dir)) != NULL) {
        if (is_pattern_file(item->d_name)) {
            char *path = mpl_arena_printf(arena, "%s/%s", directory, item->d_name);

            st = path != NULL && mpl_buf_put(paths, &path) ? MPL_OK : mpl_nomem(err);
        }
    }
    closedir(dir);
    if (paths->n > 1) {
        qsort(paths->data, paths->n, sizeof(char *), compare_names);
    }
    return st;
}

static enum mpl_status add_directory(struct set *set, const char *directory,
                                     struct mpl_err *err)
{
    struct mpl_buf paths = mpl_buf_make(sizeof(char *));
    enum mpl_status st = list_directory(directory, set->arena, &paths, err);

    for (size_t i = 0; i < paths.n && st == MPL_OK; i++) {
        const char *path = *(char **) mpl_buf_get(&paths, i);
        char *text;
        size_t bytes;

        st = mpl_file_read(path, FILE_BYTES_MAX, set->arena, &text, &bytes, err);
        if (st == MPL_OK) {
            st = add_text(set, path, text, bytes, err);
        }
    }
    mpl_buf_free(&paths);
    return st;
}

enum mpl_status mpl_patterns_load(const char *const *directories, size_t n,
                                  struct mpl_arena *arena, struct mpl_lint *lint,
                                  const struct mpl_patterns **out, struct mpl_err *err)
{
    struct set set = { arena, lint, mpl_buf_make(sizeof(struct entry)), false };
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        st = add_directory(&set, directories[i], err);
    }
    if (st == MPL_OK) {
        st = resolve_all(&set, out, err);
    }
    mpl_buf_free(&set.entries);
    return st;
}

size_t mpl_patterns_count(const struct mpl_patterns *patterns)
{
    return patterns->n;
}

const struct mpl_pattern *mpl_patterns_get(const struct mpl_patterns *patterns, size_t i)
{
    mpl_assert(i < patterns->n);
    return patterns->items[i];
}

const struct mpl_pattern *mpl_patterns_find(const struct mpl_patterns *patterns,
                                            const char *name)
{
    for (size_t i = 0; i < patterns->n; i++) {
        if (strcmp(patterns->items[i]->name, name) == 0) {
            return patterns->items[i];
        }
    }
    return NULL;
}
