/* Classes of functions by their names: rules/regions.yaml, of which several add up. */
#include "config.h"

#include "knowledge/knowledge.h"

#include <string.h>
#include <sys/stat.h>

enum { BYTES_MAX = 1 << 20 };

static const struct {
    const char *name;
    enum mpl_region_kind kind;
} classes[] = { { "device-wait", MPL_REGION_DEVICE_SYNC },
                { "thread-wait", MPL_REGION_THREAD_SYNC } };
enum { N_CLASSES = sizeof classes / sizeof classes[0] };

/* The kind of a class; false after a complaint. */
static bool find_class(const struct mpl_yaml *list, struct mpl_arena *arena,
                       struct mpl_lint *lint, enum mpl_region_kind *out)
{
    const char *names[N_CLASSES];

    for (size_t i = 0; i < N_CLASSES; i++) {
        names[i] = classes[i].name;
        if (strcmp(list->key, names[i]) == 0) {
            *out = classes[i].kind;
            return true;
        }
    }
    const char *hint = mpl_suggest_hint(arena, list->key, names, N_CLASSES);

    mpl_lint_add(lint, MPL_LINT_ERROR, list->key_place, "unknown class of functions '%s'%s",
                 list->key, hint != NULL ? hint : "");
    return false;
}

static enum mpl_status add_names(const struct mpl_yaml *list, struct mpl_arena *arena,
                                 struct mpl_lint *lint, struct mpl_buf *out,
                                 struct mpl_err *err)
{
    enum mpl_region_kind kind;

    if (!find_class(list, arena, lint, &kind)) {
        return MPL_OK;
    }
    if (list->kind != MPL_YAML_SEQ) {
        mpl_lint_add(lint, MPL_LINT_ERROR, list->place, "'%s' takes a list of names",
                     list->key);
        return MPL_OK;
    }
    for (const struct mpl_yaml *name = list->first; name != NULL; name = name->next) {
        if (name->kind != MPL_YAML_SCALAR || name->text[0] == '\0') {
            mpl_lint_add(lint, MPL_LINT_ERROR, name->place,
                         "a name of a function is expected");
            continue;
        }
        if (!mpl_buf_put(out, &(struct mpl_region_class){ name->text, kind })) {
            return mpl_nomem(err);
        }
    }
    return MPL_OK;
}

static enum mpl_status read_file(const char *file, struct mpl_arena *arena,
                                 struct mpl_lint *lint, struct mpl_buf *out,
                                 struct mpl_err *err)
{
    const struct mpl_yaml *root = NULL;
    char *text = NULL;
    size_t bytes = 0;
    enum mpl_status st = mpl_file_read(file, BYTES_MAX, arena, &text, &bytes, err);

    if (st != MPL_OK) {
        return st;
    }
    mpl_lint_source(lint, file, text, bytes);
    st = mpl_yaml_parse(file, text, bytes, arena, lint, &root, err);
    if (st != MPL_OK) {
        return st;
    }
    if (root == NULL || root->kind != MPL_YAML_MAP) {
        mpl_lint_add(
            lint, MPL_LINT_ERROR,
            root != NULL ? root->place : (struct mpl_place){ .file = file, .line = 1 },
            "classes of functions are expected, such as 'device-wait', each with a list");
        return mpl_lint_fail(lint, err);
    }
    for (const struct mpl_yaml *list = root->first; list != NULL && st == MPL_OK;
         list = list->next) {
        st = add_names(list, arena, lint, out, err);
    }
    return st == MPL_OK && mpl_lint_errors(lint) > 0 ? mpl_lint_fail(lint, err) : st;
}

enum mpl_status mpl_knowledge_regions(const char *const *directories, size_t n,
                                      struct mpl_arena *arena, struct mpl_lint *lint,
                                      struct mpl_knowledge *out, struct mpl_err *err)
{
    struct mpl_buf all = mpl_buf_make(sizeof(struct mpl_region_class));
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        const char *file = mpl_arena_printf(arena, "%s/rules/regions.yaml", directories[i]);
        struct stat found;

        if (file == NULL) {
            st = mpl_nomem(err);
        } else if (stat(file, &found) == 0) {
            st = read_file(file, arena, lint, &all, err);
        }
    }
    if (st == MPL_OK && all.n > 0) {
        out->n_region_classes = all.n;
        out->region_classes = mpl_buf_take(&all, arena);
        st = out->region_classes == NULL ? mpl_nomem(err) : MPL_OK;
    }
    mpl_buf_free(&all);
    return st;
}
