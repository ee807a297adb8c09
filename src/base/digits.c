/*
 * Columns of numbers as text: five bits a letter, the lowest first; the sixth says that more follow.
 * As source maps of web browsers write them, so small numbers take one letter, and nothing stands
 * between two numbers.
 */
#include "config.h"

#include "base/base.h"

#include <string.h>

static const char letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
enum { BITS = 5, MORE = 1 << BITS };

bool mpl_digits_put(struct mpl_buf *text, uint64_t number)
{
    do {
        char *slot = mpl_buf_add(text);
        const uint64_t rest = number >> BITS;

        if (slot == NULL) {
            return false;
        }
        *slot = letters[(number & (MORE - 1)) | (rest > 0 ? MORE : 0)];
        number = rest;
    } while (number > 0);
    return true;
}

bool mpl_digits_put_signed(struct mpl_buf *text, int64_t number)
{
    return mpl_digits_put(text,
                          number < 0 ? ~((uint64_t) number << 1) : (uint64_t) number << 1);
}

bool mpl_digits_take(const char **text, uint64_t *number)
{
    unsigned shift = 0;

    *number = 0;
    for (;;) {
        const char *letter = **text == '\0' ? NULL : strchr(letters, **text);
        const uint64_t digit = letter == NULL ? 0 : (uint64_t) (letter - letters);

        if (letter == NULL || shift > 63 ||
            (shift == 60 && (digit & (MORE - 1)) > UINT64_MAX >> 60)) {
            return false;
        }
        (*text)++;
        *number |= (digit & (MORE - 1)) << shift;
        if ((digit & MORE) == 0) {
            return true;
        }
        shift += BITS;
    }
}

bool mpl_digits_take_signed(const char **text, int64_t *number)
{
    uint64_t bits;
    const bool is_there = mpl_digits_take(text, &bits);

    *number = (int64_t) (bits >> 1 ^ (0 - (bits & 1)));
    return is_there;
}
