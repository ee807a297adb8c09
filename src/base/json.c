#include "config.h"

#include "base/base_priv.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void append(struct mpl_json *json, const char *text, size_t n)
{
    char *to = mpl_buf_add_many(&json->text, n);

    if (to == NULL) {
        json->has_failed = true;
    } else if (n > 0) {
        memcpy(to, text, n);
    }
}

static int append_dumped(const char *text, size_t n, void *context)
{
    append(context, text, n);
    return 0;
}

/*
 * Takes \p value, which is NULL when jansson had no memory. 15 digits come back as the
 * same decimal number from every double; 17 would write 0.1 as 0.10000000000000001, and
 * no measurement has more than 15 to say.
 */
static void put_value(struct mpl_json *json, json_t *value)
{
    const size_t flags = JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY;

    json->has_failed |=
        value == NULL || json_dump_callback(value, append_dumped, json, flags) != 0;
    json_decref(value);
}

/*
 * Each byte that is not UTF-8 becomes U+FFFD. Names in traces come from compilers and file
 * systems; none is worth losing a diagnosis.
 */
static void put_text(struct mpl_json *json, const char *text)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    const size_t length = strlen(text);
    char *copy = mpl_heap_resize(NULL, length + 1, 3);
    size_t n = 0;

    for (size_t i = 0; copy != NULL && i < length;) {
        const size_t step = mpl_utf8_length(text + i, length - i);

        memcpy(copy + n, step == 0 ? replacement : text + i, step == 0 ? 3 : step);
        n += step == 0 ? 3 : step;
        i += step == 0 ? 1 : step;
    }
    put_value(json, copy == NULL ? NULL : json_stringn(copy, n));
    free(copy);
}

static void begin_line(struct mpl_json *json)
{
    append(json, "\n", 1);
    for (size_t i = 0; i < json->depth; i++) {
        append(json, "  ", 2);
    }
}

/* What stands before a value: a comma, a line of its own, its key. */
static void begin_value(struct mpl_json *json, const char *key)
{
    struct mpl_json_level *level = &json->levels[json->depth - 1];

    mpl_assert((key != NULL) == (level->end == '}'));
    if (level->has_values) {
        append(json, ", ", level->is_flat ? 2 : 1);
    }
    if (!level->is_flat) {
        begin_line(json);
    }
    level->has_values = true;
    if (key != NULL) {
        put_text(json, key);
        append(json, ": ", 2);
    }
}

static void begin_level(struct mpl_json *json, const char *brackets)
{
    const bool is_flat =
        json->is_flat || (json->depth > 0 && json->levels[json->depth - 1].is_flat);

    mpl_assert(json->depth < MPL_JSON_DEPTH);
    append(json, brackets, 1);
    json->levels[json->depth++] =
        (struct mpl_json_level){ .end = brackets[1], .is_flat = is_flat };
}

struct mpl_json mpl_json_begin(void)
{
    struct mpl_json json = { .text = mpl_buf_make(1) };

    begin_level(&json, "{}");
    return json;
}

void mpl_json_object(struct mpl_json *json, const char *key)
{
    begin_value(json, key);
    begin_level(json, "{}");
}

void mpl_json_array(struct mpl_json *json, const char *key)
{
    begin_value(json, key);
    begin_level(json, "[]");
}

void mpl_json_end(struct mpl_json *json)
{
    const struct mpl_json_level *level = &json->levels[--json->depth];

    /* Where all before was written already, the bracket that began it ends a line. */
    if (!level->is_flat && (level->has_values || json->text.n == 0)) {
        begin_line(json);
    }
    append(json, &level->end, 1);
}

void mpl_json_flat(struct mpl_json *json, bool is_flat)
{
    json->is_flat = is_flat;
}

void mpl_json_string(struct mpl_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text == NULL) {
        append(json, "null", 4);
    } else {
        put_text(json, text);
    }
}

void mpl_json_strings(struct mpl_json *json, const char *key, const char *const *texts,
                      size_t n)
{
    mpl_json_array(json, key);
    for (size_t i = 0; i < n; i++) {
        mpl_json_string(json, NULL, texts[i]);
    }
    mpl_json_end(json);
}

void mpl_json_number(struct mpl_json *json, const char *key, double value)
{
    /* With the 15 digits written, anything above would be read back as infinite. */
    static const double largest = 1.79769313486231e308;

    begin_value(json, key);
    put_value(json, !isfinite(value) ? json_null()
                                     : json_real(fmax(-largest, fmin(largest, value))));
}

void mpl_json_integer(struct mpl_json *json, const char *key, int64_t value)
{
    mpl_json_integer_if(json, key, true, value);
}

void mpl_json_integer_if(struct mpl_json *json, const char *key, bool is_known,
                         int64_t value)
{
    begin_value(json, key);
    put_value(json, is_known ? json_integer(value) : json_null());
}

void mpl_json_boolean(struct mpl_json *json, const char *key, bool value)
{
    mpl_json_boolean_if(json, key, true, value);
}

void mpl_json_boolean_if(struct mpl_json *json, const char *key, bool is_known, bool value)
{
    begin_value(json, key);
    put_value(json, is_known ? json_boolean(value) : json_null());
}

void mpl_json_destroy(struct mpl_json *json)
{
    mpl_buf_free(&json->text);
}

enum mpl_status mpl_json_write_part(struct mpl_json *json, FILE *out, struct mpl_err *err)
{
    const size_t n = json->text.n;

    if (json->has_failed) {
        return mpl_nomem(err);
    }
    errno = 0;
    if (fwrite(json->text.data, 1, n, out) != n) {
        return mpl_fail(err, MPL_E_IO, "%s",
                        errno != 0 ? strerror(errno) : "the write failed");
    }
    json->text.n = 0;
    return MPL_OK;
}

enum mpl_status mpl_json_write(struct mpl_json *json, FILE *out, struct mpl_err *err)
{
    mpl_json_end(json);
    mpl_assert(json->depth == 0);
    append(json, "\n", 1);
    const enum mpl_status st = mpl_json_write_part(json, out, err);
    mpl_json_destroy(json);
    return st == MPL_OK ? mpl_file_flush(out, err) : st;
}

enum mpl_status mpl_json_read_back(struct mpl_json *json, struct mpl_json_value **out,
                                   struct mpl_err *err)
{
    const size_t n = json->text.n;

    mpl_assert(json->depth == 1);
    append(json, "}", 1);
    const enum mpl_status st = json->has_failed
                                   ? mpl_nomem(err)
                                   : mpl_json_read(json->text.data, json->text.n, out, err);
    json->text.n = n;
    return st;
}
