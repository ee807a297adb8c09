/* Reading JSON. Values are jansson's own; nobody else needs to know. */
#include "config.h"

#include "base/base.h"

#include <jansson.h>

static const json_t *jansson_of(const struct mpl_json_value *value)
{
    return (const json_t *) value;
}

static const struct mpl_json_value *value_of(const json_t *json)
{
    return (const struct mpl_json_value *) json;
}

enum mpl_status mpl_json_read(const char *text, size_t n, struct mpl_json_value **out,
                              struct mpl_err *err)
{
    json_error_t error;
    json_t *json = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);

    if (json == NULL) {
        return json_error_code(&error) == json_error_out_of_memory
                   ? mpl_nomem(err)
                   : mpl_fail(err, MPL_E_SYNTAX, "line %d, column %d: %s", error.line,
                              error.column, error.text);
    }
    *out = (struct mpl_json_value *) json;
    return MPL_OK;
}

void mpl_json_free(struct mpl_json_value *root)
{
    json_decref((json_t *) root);
}

const struct mpl_json_value *mpl_json_member(const struct mpl_json_value *object,
                                             const char *key)
{
    return value_of(json_object_get(jansson_of(object), key));
}

size_t mpl_json_count(const struct mpl_json_value *array)
{
    return json_array_size(jansson_of(array));
}

const struct mpl_json_value *mpl_json_item(const struct mpl_json_value *array, size_t i)
{
    return value_of(json_array_get(jansson_of(array), i));
}

const char *mpl_json_text(const struct mpl_json_value *value)
{
    return json_string_value(jansson_of(value));
}

bool mpl_json_whole(const struct mpl_json_value *value, int64_t low, int64_t high,
                    int64_t *out)
{
    *out = json_integer_value(jansson_of(value));
    return json_is_integer(jansson_of(value)) && *out >= low && *out <= high;
}

bool mpl_json_is_true(const struct mpl_json_value *value)
{
    return json_is_true(jansson_of(value));
}

/* ---- checksums ------------------------------------------------------------------------------ */

/* FNV-1a, 64 bits. */
static int add_to_hash(const char *bytes, size_t n, void *context)
{
    uint64_t *hash = context;

    for (size_t i = 0; i < n; i++) {
        *hash = (*hash ^ (unsigned char) bytes[i]) * UINT64_C(0x100000001B3);
    }
    return 0;
}

bool mpl_json_hash(const struct mpl_json_value *object, const char *without, uint64_t *out)
{
    json_t *copy = json_copy((json_t *) object);
    bool is_done = copy != NULL;

    *out = UINT64_C(0xCBF29CE484222325);
    if (is_done) {
        (void) json_object_del(copy, without); /* It may not be there yet. */
        is_done =
            json_dump_callback(copy, add_to_hash, out, JSON_COMPACT | JSON_SORT_KEYS) == 0;
    }
    json_decref(copy);
    return is_done;
}
