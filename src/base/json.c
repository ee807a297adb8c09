#include "config.h"

#include "base/base_priv.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A jansson value and what jansson has no room for: that some part of it could not be
 * made. A report without one of its numbers must not look complete, so a failure goes on
 * to whoever is given the value, up to the root, where mpl_json_write() finds it.
 */
struct mpl_json {
    json_t *value;
    bool has_failed;
};

/* Takes \p value, which is NULL when jansson had no memory. */
static struct mpl_json *take_value(json_t *value)
{
    struct mpl_json *json = value == NULL ? NULL : mpl_heap_zeroed(1, sizeof *json);

    if (json == NULL) {
        json_decref(value);
        return NULL;
    }
    json->value = value;
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

/* What jansson has of \p value, for whom \p value is given to; NULL when one of them does not exist. */
static json_t *release(struct mpl_json *parent, struct mpl_json *value)
{
    json_t *released = value != NULL ? value->value : NULL;

    if (parent == NULL) {
        json_decref(released);
        released = NULL;
    } else if (value == NULL || value->has_failed) {
        parent->has_failed = true;
    }
    free(value);
    return released;
}

void mpl_json_set(struct mpl_json *object, const char *key, struct mpl_json *value)
{
    json_t *given = release(object, value);
    size_t n = 0;
    char *copy = given != NULL ? valid_copy(key, &n) : NULL;

    mpl_assert(object == NULL || json_is_object(object->value));
    if (given != NULL && copy == NULL) {
        json_decref(given);
        object->has_failed = true;
    } else if (given != NULL && json_object_set_new(object->value, copy, given) != 0) {
        object->has_failed = true;
    }
    free(copy);
}

void mpl_json_add(struct mpl_json *array, struct mpl_json *value)
{
    json_t *given = release(array, value);

    mpl_assert(array == NULL || json_is_array(array->value));
    if (given != NULL && json_array_append_new(array->value, given) != 0) {
        array->has_failed = true;
    }
}

struct mpl_json *mpl_json_strings(const char *const *texts, size_t n)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < n; i++) {
        mpl_json_add(all, mpl_json_string(texts[i]));
    }
    return all;
}

void mpl_json_destroy(struct mpl_json *root)
{
    if (root != NULL) {
        json_decref(root->value);
        free(root);
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
        /* jansson stops at the first write that fails, so errno still says why. */
        return !ferror(out) ? mpl_nomem(err)
                            : mpl_fail(err, MPL_E_IO, "%s",
                                       errno != 0 ? strerror(errno) : "the write failed");
    }
    return MPL_OK;
}

enum mpl_status mpl_json_write(struct mpl_json *root, FILE *out, struct mpl_err *err)
{
    const enum mpl_status st = dump(root, JSON_INDENT(2), out, err);

    mpl_json_destroy(root);
    if (st != MPL_OK) {
        return st;
    }
    (void) fputc('\n', out);
    return mpl_file_flush(out, err);
}

enum mpl_status mpl_json_write_part(struct mpl_json *part, FILE *out, struct mpl_err *err)
{
    const enum mpl_status st = dump(part, 0, out, err);

    mpl_json_destroy(part);
    return st;
}

const struct mpl_json_value *mpl_json_borrow(const struct mpl_json *json)
{
    return json == NULL || json->has_failed ? NULL
                                            : (const struct mpl_json_value *) json->value;
}
