/* The tracers of all directories, and what can be asked about one. */
#include "config.h"

#include "tracer/tracer_priv.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Descriptions that people write have some KiB. */
enum { FILE_BYTES_MAX = 1 << 20 };

struct set {
    struct mpl_arena *arena;
    struct mpl_lint *lint;
    struct mpl_buf items; /* const struct mpl_tracer_file * */
    bool has_fault;
};

/* NULL after a message. */
static const char *name_of(struct set *set, const char *file, const struct mpl_yaml *root)
{
    const struct mpl_place top = { file, 1, 1 };

    if (root == NULL || root->kind != MPL_YAML_MAP) {
        mpl_lint_add(set->lint, MPL_LINT_ERROR, root == NULL ? top : root->place,
                     "a tracer file is a map with the key 'tracer' and others");
        return NULL;
    }
    const struct mpl_yaml *name = mpl_yaml_find(root, "tracer");
    if (name == NULL) {
        mpl_lint_add(set->lint, MPL_LINT_ERROR, root->place,
                     "'tracer' is missing: its name");
        return NULL;
    }
    if (name->kind != MPL_YAML_SCALAR || !mpl_tracer_is_word(name->text, "_-") ||
        strcmp(name->text, "auto") == 0) {
        mpl_lint_add(set->lint, MPL_LINT_ERROR, name->place,
                     "the name of a tracer is made of letters, digits, - and _, and is not "
                     "auto");
        return NULL;
    }
    return name->text;
}

/* Any of its libraries, where it has some, and its program. */
static bool is_here(const struct mpl_tracer_file *tracer, struct mpl_arena *arena)
{
    bool is_there = tracer->n_libraries == 0;

    for (size_t i = 0; i < tracer->n_libraries && !is_there; i++) {
        is_there = mpl_own_library(tracer->libraries[i], arena) != NULL;
    }
    return is_there && (strcmp(tracer->program, "{marple}") == 0 ||
                        mpl_program_file(tracer->program, arena) != NULL);
}

static enum mpl_status keep(struct set *set, const struct mpl_tracer_file *tracer,
                            struct mpl_err *err)
{
    for (size_t i = 0; i < set->items.n; i++) {
        const struct mpl_tracer_file **slot = mpl_buf_get(&set->items, i);

        if (strcmp((*slot)->name, tracer->name) == 0) {
            *slot = tracer;
            return MPL_OK;
        }
    }
    return mpl_buf_put(&set->items, &tracer) ? MPL_OK : mpl_nomem(err);
}

static enum mpl_status add_file(struct set *set, const char *path, struct mpl_err *err)
{
    char *text = NULL;
    size_t bytes = 0;
    const struct mpl_yaml *root = NULL;
    enum mpl_status st =
        mpl_file_read(path, FILE_BYTES_MAX, set->arena, &text, &bytes, err);

    if (st != MPL_OK) {
        return st;
    }
    st = mpl_yaml_parse(path, text, bytes, set->arena, set->lint, &root, NULL);
    if (st == MPL_E_NOMEM) {
        return mpl_nomem(err);
    }
    const char *name = st == MPL_OK ? name_of(set, path, root) : NULL;
    struct mpl_tracer_file *tracer =
        name == NULL ? NULL : MPL_NEW(set->arena, struct mpl_tracer_file);

    if (name == NULL) {
        set->has_fault = true;
        return MPL_OK;
    }
    if (tracer == NULL) {
        return mpl_nomem(err);
    }
    struct tracer_loader loader = { set->arena, set->lint, tracer, false };

    tracer->name = name;
    mpl_tracer_load(&loader, root);
    set->has_fault = set->has_fault || loader.has_fault;
    if (!loader.has_fault && !mpl_arena_is_short(set->arena)) {
        tracer->is_installed = is_here(tracer, set->arena);
    }
    return mpl_arena_is_short(set->arena) ? mpl_nomem(err) : keep(set, tracer, err);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

/* The paths of the files of a folder, sorted. */
static enum mpl_status list_folder(struct set *set, const char *folder,
                                   struct mpl_buf *paths, struct mpl_err *err)
{
    DIR *dir = opendir(folder);
    const struct dirent *item = NULL;
    enum mpl_status st = MPL_OK;

    if (dir == NULL) {
        return errno == ENOENT || errno == ENOTDIR
                   ? MPL_OK
                   : mpl_fail(err, MPL_E_IO, "cannot read the tracers in \"%s\": %s",
                              folder, strerror(errno));
    }
    while (st == MPL_OK && (item = readdir(dir)) != NULL) {
        if (item->d_name[0] != '.' && mpl_ends_with(item->d_name, ".yaml") &&
            strcmp(item->d_name, "TEMPLATE.yaml") != 0) {
            char *path = mpl_arena_printf(set->arena, "%s/%s", folder, item->d_name);

            st = path != NULL && mpl_buf_put(paths, &path) ? MPL_OK : mpl_nomem(err);
        }
    }
    (void) closedir(dir);
    if (paths->n > 1) {
        qsort(paths->data, paths->n, sizeof(char *), by_bytes);
    }
    return st;
}

static enum mpl_status add_directory(struct set *set, const char *directory,
                                     struct mpl_err *err)
{
    struct mpl_buf paths = mpl_buf_make(sizeof(char *));
    const char *folder = mpl_arena_printf(set->arena, "%s/tracers", directory);
    enum mpl_status st =
        folder == NULL ? mpl_nomem(err) : list_folder(set, folder, &paths, err);

    for (size_t i = 0; i < paths.n && st == MPL_OK; i++) {
        st = add_file(set, *(char **) mpl_buf_get(&paths, i), err);
    }
    mpl_buf_free(&paths);
    return st;
}

enum mpl_status mpl_tracers_load(const char *const *directories, size_t n,
                                 struct mpl_arena *arena, struct mpl_lint *lint,
                                 const struct mpl_tracers **out, struct mpl_err *err)
{
    struct set set = { .arena = arena,
                       .lint = lint,
                       .items = mpl_buf_make(sizeof(const struct mpl_tracer_file *)) };
    struct mpl_tracers *tracers = MPL_NEW(arena, struct mpl_tracers);
    enum mpl_status st = tracers == NULL ? mpl_nomem(err) : MPL_OK;

    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        st = add_directory(&set, directories[i], err);
    }
    if (st == MPL_OK && set.has_fault) {
        st = mpl_lint_fail(lint, err);
    }
    if (st == MPL_OK) {
        tracers->n = set.items.n;
        tracers->items = mpl_buf_take(&set.items, arena);
        st = tracers->items == NULL ? mpl_nomem(err) : MPL_OK;
    }
    mpl_buf_free(&set.items);
    if (st == MPL_OK) {
        *out = tracers;
    }
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot load the tracers");
}

size_t mpl_tracers_count(const struct mpl_tracers *tracers)
{
    return tracers->n;
}

const struct mpl_tracer_file *mpl_tracers_get(const struct mpl_tracers *tracers, size_t i)
{
    mpl_assert(i < tracers->n);
    return tracers->items[i];
}

const struct mpl_tracer_file *mpl_tracers_find(const struct mpl_tracers *tracers,
                                               const char *name)
{
    for (size_t i = 0; i < tracers->n; i++) {
        if (strcmp(tracers->items[i]->name, name) == 0) {
            return tracers->items[i];
        }
    }
    return NULL;
}

enum mpl_status mpl_tracers_fail(const struct mpl_tracers *tracers, const char *name,
                                 struct mpl_arena *arena, struct mpl_err *err)
{
    const char **names = MPL_NEW_ARRAY(arena, tracers->n, const char *);
    const char *all = "";

    if (names == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < tracers->n && all != NULL; i++) {
        names[i] = tracers->items[i]->name;
        all = mpl_arena_printf(arena, "%s%s%s", all, i > 0 ? ", " : "", names[i]);
    }
    const char *near = mpl_suggest(name, names, tracers->n);

    if (near != NULL) {
        return mpl_fail(err, MPL_E_USAGE, "there is no tracer \"%s\"; did you mean \"%s\"?",
                        name, near);
    }
    return mpl_fail(err, MPL_E_USAGE, "there is no tracer \"%s\"; known are: %s", name,
                    all == NULL ? "?" : all);
}

/* ---- one of them ---------------------------------------------------------------------- */

const char *mpl_tracer_file_name(const struct mpl_tracer_file *tracer)
{
    return tracer->name;
}

const char *mpl_tracer_file_says(const struct mpl_tracer_file *tracer)
{
    return tracer->says;
}

const char *const *mpl_tracer_version_command(const struct mpl_tracer_file *tracer,
                                              size_t *n)
{
    *n = tracer->n_version_command;
    return tracer->version_command;
}

bool mpl_tracer_needs_place(const struct mpl_tracer_file *tracer)
{
    return tracer->n_launch > 0 && !tracer->leads;
}

bool mpl_tracer_needs_build(const struct mpl_tracer_file *tracer)
{
    return tracer->build_why != NULL;
}

bool mpl_tracer_is_installed(const struct mpl_tracer_file *tracer)
{
    return tracer->is_installed;
}

size_t mpl_tracer_breadth(const struct mpl_tracer_file *tracer)
{
    size_t n = 0;

    for (size_t i = 0; i < tracer->n_recorded; i++) {
        n += tracer->recorded[i].only == NULL;
    }
    return n;
}

bool mpl_tracer_is_asked(const struct mpl_tracer_file *tracer, const char *capability)
{
    for (size_t i = 0; i < tracer->n_recorded; i++) {
        const struct part *part = &tracer->recorded[i].part;

        if (strcmp(tracer->recorded[i].capability, capability) == 0) {
            return part->n_additions > 0 || part->n_environment > 0 || part->n_files > 0 ||
                   (strcmp(capability, "counters") == 0 &&
                    tracer->counters.n_environment > 0);
        }
    }
    return false;
}

bool mpl_tracer_records(const struct mpl_tracer_file *tracer, const char *capability,
                        const char **why)
{
    for (size_t i = 0; i < tracer->n_recorded; i++) {
        if (strcmp(tracer->recorded[i].capability, capability) == 0) {
            *why = tracer->recorded[i].only;
            return true;
        }
    }
    *why = "its description does not name it";
    for (size_t i = 0; i < tracer->n_never; i++) {
        if (strcmp(tracer->never[i].name, capability) == 0) {
            *why = tracer->never[i].value;
        }
    }
    return false;
}
