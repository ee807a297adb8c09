#include "config.h"

#include "base/base_priv.h"

#include <string.h>

/* Whether YAML takes the character as it is between double quotes. */
static bool is_plain(const char *c, size_t length)
{
    const unsigned char byte = (unsigned char) c[0];

    if (length == 1) {
        return byte >= 0x20 && byte != 0x7F && byte != '"' && byte != '\\';
    }
    /* Control characters of Latin 1. */
    return length > 1 && !(byte == 0xC2 && (unsigned char) c[1] < 0xA0);
}

/* At most four bytes and the end of the string. */
static size_t escape(char *out, const char *c, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char byte = (unsigned char) c[length == 2 ? 1 : 0];

    out[0] = '\\';
    if (byte == '"' || byte == '\\') {
        out[1] = (char) byte;
        return 2;
    }
    if (byte == '\n' || byte == '\t') {
        out[1] = byte == '\n' ? 'n' : 't';
        return 2;
    }
    out[1] = 'x';
    out[2] = digits[byte >> 4];
    out[3] = digits[byte & 15];
    return 4;
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
