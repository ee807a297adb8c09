#include "config.h"

#include "base/base_priv.h"

size_t mpl_utf8_length(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *) text;

    if (n == 0) {
        return 0;
    }
    if (s[0] < 0x80) {
        return 1;
    }
    /* C0 and C1 could only begin overlong forms, F5 and above lie beyond U+10FFFF. */
    const size_t length = s[0] >= 0xC2 && s[0] <= 0xDF   ? 2
                          : s[0] >= 0xE0 && s[0] <= 0xEF ? 3
                          : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4
                                                         : 0;

    if (length == 0 || length > n) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    const bool is_overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    const bool is_surrogate = s[0] == 0xED && s[1] >= 0xA0;
    const bool is_beyond = s[0] == 0xF4 && s[1] >= 0x90;

    return is_overlong || is_surrogate || is_beyond ? 0 : length;
}

size_t mpl_utf8_count(const char *text, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; count++) {
        const size_t length = mpl_utf8_length(text + i, n - i);

        i += length == 0 ? 1 : length;
    }
    return count;
}

bool mpl_utf8_is_control(const char *text, size_t length)
{
    const unsigned char *s = (const unsigned char *) text;

    switch (length) {
    case 1:
        return s[0] < 0x20 || s[0] == 0x7F;
    case 2:
        return s[0] == 0xC2 && s[1] < 0xA0;
    case 3:
        return s[0] == 0xE2 && ((s[1] == 0x80 && s[2] >= 0xA8 && s[2] <= 0xAE) ||
                                (s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9));
    default:
        return false;
    }
}

void mpl_text_print_clean(FILE *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        const size_t length = mpl_utf8_length(text + i, n - i);

        if (text[i] == '\n') {
            fputc(' ', out);
        } else if (text[i] != '\t' &&
                   (length == 0 || mpl_utf8_is_control(text + i, length))) {
            fputc('?', out);
        } else {
            fwrite(text + i, 1, length, out);
        }
        i += length == 0 ? 1 : length;
    }
}
