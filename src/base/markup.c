/* A page for a browser holds names of a trace, which may be anything: here they become text and nothing
 * else. */
#include "config.h"

#include "base/base_priv.h"

#include <string.h>

enum { MOST_BYTES = 2000 };

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* U+FFFE and U+FFFF, which XML does not allow. */
static bool is_no_character(const char *text, size_t length)
{
    return length == 3 && memcmp(text, "\xEF\xBF", 2) == 0 &&
           (unsigned char) text[2] >= 0xBE;
}

static void show(FILE *out, const char *text, size_t n)
{
    size_t i = 0;

    while (i < n && i < MOST_BYTES) {
        const size_t length = mpl_utf8_length(text + i, n - i);
        const size_t step = length == 0 ? 1 : length;
        const char *entity = entity_of(text[i]);

        if (entity != NULL) {
            fputs(entity, out);
        } else if (is_no_character(text + i, length)) {
            fputc('?', out);
        } else {
            mpl_text_print_clean(out, text + i, step);
        }
        i += step;
    }
    if (i < n) {
        fputs("…", out);
    }
}

void mpl_markup_print(FILE *out, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    mpl_text_vprint_as(out, fmt, args, show);
    va_end(args);
}

void mpl_markup_put(FILE *out, const char *text)
{
    fputs(text, out);
}

void mpl_markup_base64(FILE *out, const void *bytes, size_t n)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = bytes;

    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const unsigned long all = (unsigned long) from[i] << 16 |
                                  (left > 1 ? (unsigned long) from[i + 1] << 8 : 0) |
                                  (left > 2 ? from[i + 2] : 0);

        fputc(letters[all >> 18 & 63], out);
        fputc(letters[all >> 12 & 63], out);
        fputc(left > 1 ? letters[all >> 6 & 63] : '=', out);
        fputc(left > 2 ? letters[all & 63] : '=', out);
    }
}
