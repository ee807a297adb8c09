#include "config.h"

#include "base/base_priv.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A jansson value and what jansson has no room for: that some part of it could not be
 * made. A report without one of its numbers must not look complete, so a failure
 * climbs to the root, where mpl_json_write() finds it.
 */
struct mpl_json {
    json_t *value;           /* One reference; the parent's value holds another. */
    struct mpl_json *parent; /* NULL at the root. */
    struct mpl_json *first;  /* Children, youngest first; owned. */
    struct mpl_json *next;
    bool has_failed;
};

/*
 * A value given to a parent that found no memory has no owner, yet its maker may go on
 * filling it. Such values wait here until the last document of the thread is destroyed.
 * The alternatives are a leak, or a use after free, in every caller that runs out of
 * memory; handing a document through all the calls would burden those that do not.
 */
static _Thread_local struct {
    struct mpl_json *first;
    size_t n_roots; /* Values that have neither a parent nor a place in this list. */
} orphans;

/* Takes \p value, which is NULL when jansson had no memory. */
static struct mpl_json *take_value(json_t *value)
{
    struct mpl_json *json = value == NULL ? NULL : mpl_heap_zeroed(1, sizeof *json);

    if (json == NULL) {
        json_decref(value);
        return NULL;
    }
    json->value = value;
    orphans.n_roots++;
    return json;
}

/*
 * A copy of \p text in which each byte that is not UTF-8 became U+FFFD. Names in traces
 * come from compilers and file systems; none is worth losing a diagnosis.
 */
static char *valid_copy(const char *text, size_t *n)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    const size_t length = strlen(text);
    char *copy = mpl_heap_resize(NULL, length + 1, 3);

    *n = 0;
    for (size_t i = 0; copy != NULL && i < length;) {
        const size_t step = mpl_utf8_length(text + i, length - i);

        memcpy(copy + *n, step == 0 ? replacement : text + i, step == 0 ? 3 : step);
        *n += step == 0 ? 3 : step;
        i += step == 0 ? 1 : step;
    }
    if (copy != NULL) {
        copy[*n] = '\0';
    }
    return copy;
}

struct mpl_json *mpl_json_object(void)
{
    return take_value(json_object());
}

struct mpl_json *mpl_json_array(void)
{
    return take_value(json_array());
}

struct mpl_json *mpl_json_string(const char *text)
{
    if (text == NULL) {
        return mpl_json_null();
    }

    size_t n = 0;
    char *copy = valid_copy(text, &n);
    struct mpl_json *json = copy == NULL ? NULL : take_value(json_stringn(copy, n));

    free(copy);
    return json;
}

struct mpl_json *mpl_json_number(double value)
{
    /* With the 15 digits written, anything above would be read back as infinite. */
    static const double largest = 1.79769313486231e308;

    if (!isfinite(value)) {
        return mpl_json_null();
    }
    return take_value(json_real(fmax(-largest, fmin(largest, value))));
}

struct mpl_json *mpl_json_integer(int64_t value)
{
    return take_value(json_integer(value));
}

struct mpl_json *mpl_json_boolean(bool value)
{
    return take_value(json_boolean(value));
}

struct mpl_json *mpl_json_null(void)
{
    return take_value(json_null());
}

static void mark_failed(struct mpl_json *json)
{
    for (; json != NULL; json = json->parent) {
        json->has_failed = true;
    }
}

/* Makes \p value a child of \p parent, when both exist. */
static bool adopt(struct mpl_json *parent, struct mpl_json *value)
{
    if (value == NULL) {
        mark_failed(parent);
        return false;
    }
    mpl_assert(value->parent == NULL);
    orphans.n_roots--;
    if (parent == NULL) {
        value->next = orphans.first;
        orphans.first = value;
        return false;
    }
    for (const struct mpl_json *above = parent; above != NULL; above = above->parent) {
        mpl_assert(above != value);
    }
    value->parent = parent;
    value->next = parent->first;
    parent->first = value;
    if (value->has_failed) {
        mark_failed(parent);
    }
    return true;
}

void mpl_json_set(struct mpl_json *object, const char *key, struct mpl_json *value)
{
    mpl_assert(object == NULL || json_is_object(object->value));
    if (!adopt(object, value)) {
        return;
    }

    size_t n = 0;
    char *copy = valid_copy(key, &n);

    if (copy == NULL || json_object_set(object->value, copy, value->value) != 0) {
        mark_failed(object);
    }
    free(copy);
}

void mpl_json_add(struct mpl_json *array, struct mpl_json *value)
{
    mpl_assert(array == NULL || json_is_array(array->value));
    if (adopt(array, value) && json_array_append(array->value, value->value) != 0) {
        mark_failed(array);
    }
}

/* Frees \p json, its siblings from there on, and all below them. */
static void free_values(struct mpl_json *json)
{
    while (json != NULL) {
        struct mpl_json *next = json->next;

        free_values(json->first);
        json_decref(json->value);
        free(json);
        json = next;
    }
}

void mpl_json_destroy(struct mpl_json *root)
{
    if (root != NULL) {
        mpl_assert(root->parent == NULL);
        free_values(root);
        orphans.n_roots--;
    }
    if (orphans.n_roots == 0) {
        free_values(orphans.first);
        orphans.first = NULL;
    }
}

/*
 * 15 digits come back as the same decimal number from every double; 17 would write
 * 0.1 as 0.10000000000000001, and no measurement has more than 15 to say.
 */
static enum mpl_status dump(const struct mpl_json *root, size_t flags, FILE *out,
                            struct mpl_err *err)
{
    flags |= JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY;
    if (root == NULL || root->has_failed) {
        return mpl_nomem(err);
    }
    errno = 0;
    if (json_dumpf(root->value, out, flags) != 0) {
        /* jansson stops at the first write that fails, so errno still tells why. */
        return !ferror(out) ? mpl_nomem(err)
                            : mpl_fail(err, MPL_E_IO, "%s",
                                       errno != 0 ? strerror(errno) : "the write failed");
    }
    return MPL_OK;
}

enum mpl_status mpl_json_write(const struct mpl_json *root, FILE *out, struct mpl_err *err)
{
    const enum mpl_status st = dump(root, JSON_INDENT(2), out, err);

    if (st != MPL_OK) {
        return st;
    }
    (void) fputc('\n', out);
    return mpl_file_flush(out, err);
}

enum mpl_status mpl_json_write_part(const struct mpl_json *part, FILE *out,
                                    struct mpl_err *err)
{
    return dump(part, 0, out, err);
}

const struct mpl_json_value *mpl_json_borrow(const struct mpl_json *json)
{
    return json == NULL || json->has_failed ? NULL
                                            : (const struct mpl_json_value *) json->value;
}
