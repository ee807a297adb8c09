#include "config.h"

#include "base/base_priv.h"

#include <string.h>

/* Whether YAML takes the character as it is between double quotes. */
static bool is_plain(const char *c, size_t length)
{
    return length > 0 && *c != '"' && *c != '\\' && !mpl_utf8_is_control(c, length);
}

/* At most four bytes per byte of the text, and the end of the string. */
static size_t escape(char *out, const char *c, size_t length)
{
    const unsigned char *s = (const unsigned char *) c;

    if (*c == '"' || *c == '\\') {
        return (size_t) sprintf(out, "\\%c", *c);
    }
    if (*c == '\n' || *c == '\t') {
        return (size_t) sprintf(out, "\\%c", *c == '\n' ? 'n' : 't');
    }
    if (length == 3) {
        return (size_t) sprintf(out, "\\u%04x",
                                (s[0] & 0xFU) << 12 | (s[1] & 0x3FU) << 6 | (s[2] & 0x3FU));
    }
    return (size_t) sprintf(out, "\\x%02x", s[length == 2 ? 1 : 0]);
}

const char *mpl_yaml_quote(struct mpl_arena *arena, const char *text)
{
    const size_t n = strlen(text);
    char *out = MPL_NEW_ARRAY(arena, 4 * n + 3, char);
    size_t at = 0;

    if (out == NULL) {
        return NULL;
    }
    out[at++] = '"';
    for (size_t i = 0; i < n;) {
        const size_t length = mpl_utf8_length(text + i, n - i);

        if (is_plain(text + i, length)) {
            memcpy(out + at, text + i, length);
            at += length;
        } else {
            at += escape(out + at, text + i, length);
        }
        i += length == 0 ? 1 : length;
    }
    out[at++] = '"';
    out[at] = '\0';
    return out;
}
