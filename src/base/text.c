#include "config.h"

#include "base/base_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The numbers below go through printf() and strtod(), which follow LC_NUMERIC. No
 * function of this program calls setlocale(), but a host of the library may have; so
 * the decimal sign is put right afterwards.
 */
static void use_decimal_point(char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == ',') {
            *text = '.';
        }
    }
}

/* \p value rounded to three significant digits, so that 999.7 us can become 1.00 ms. */
static double round_to_three_digits(double value)
{
    char text[40];

    (void) snprintf(text, sizeof text, "%.2e", value);
    return strtod(text, NULL);
}

static int decimals_of(double value)
{
    return value >= 100 ? 0 : value >= 10 ? 1 : 2;
}

char *mpl_text_seconds(struct mpl_arena *arena, double seconds)
{
    if (!isfinite(seconds)) {
        return mpl_arena_strdup(arena, "unknown");
    }
    if (seconds == 0) {
        return mpl_arena_strdup(arena, "0 s");
    }

    const char *sign = seconds < 0 ? "-" : "";
    const double rounded = round_to_three_digits(fabs(seconds));
    char text[40];

    if (rounded >= 1e9) {
        (void) snprintf(text, sizeof text, "%.2e s", rounded);
    } else if (rounded >= 1000) {
        (void) snprintf(text, sizeof text, "%.0f s", fabs(seconds));
    } else if (rounded >= 0.1) {
        (void) snprintf(text, sizeof text, "%.*f s", rounded < 1 ? 3 : decimals_of(rounded),
                        rounded);
    } else if (rounded >= 1e-3) {
        (void) snprintf(text, sizeof text, "%.*f ms", decimals_of(rounded * 1e3),
                        rounded * 1e3);
    } else if (rounded >= 1e-6) {
        (void) snprintf(text, sizeof text, "%.*f us", decimals_of(rounded * 1e6),
                        rounded * 1e6);
    } else {
        /* Clocks tick in whole nanoseconds: no zeros after the point here. */
        (void) snprintf(text, sizeof text, "%.3g ns", rounded * 1e9);
    }
    use_decimal_point(text);
    return mpl_arena_printf(arena, "%s%s", sign, text);
}

char *mpl_text_share(struct mpl_arena *arena, double share)
{
    if (!isfinite(share)) {
        return mpl_arena_strdup(arena, "unknown");
    }

    char text[340];

    (void) snprintf(text, sizeof text, "%.1f %%", share * 100);
    use_decimal_point(text);
    return mpl_arena_strdup(arena, strcmp(text, "-0.0 %") == 0 ? "0.0 %" : text);
}

char *mpl_text_count(struct mpl_arena *arena, uint64_t n)
{
    char text[32];
    char *at = text + sizeof text - 1;

    *at = '\0';
    for (int digits = 0; digits == 0 || n > 0; digits++, n /= 10) {
        if (digits > 0 && digits % 3 == 0) {
            *--at = ',';
        }
        *--at = (char) ('0' + n % 10);
    }
    return mpl_arena_strdup(arena, at);
}

/* Prints one paragraph, which holds no line end. */
static void wrap_paragraph(FILE *out, const char *text, size_t n, int indent, int width)
{
    const size_t room = width > indent ? (size_t) (width - indent) : 1;
    size_t used = 0; /* Characters on the line so far. */

    for (size_t i = 0; i < n;) {
        size_t end = i;

        while (end < n && text[end] != ' ') {
            end++;
        }

        const size_t word = mpl_utf8_count(text + i, end - i);

        if (word > 0) {
            const bool is_first = used == 0;
            const bool is_full = !is_first && used + 1 + word > room;

            if (is_full) {
                fputc('\n', out);
                used = 0;
            }
            fprintf(out, "%*s", is_first || is_full ? indent : 1, "");
            fwrite(text + i, 1, end - i, out);
            used += word + (is_first || is_full ? 0 : 1);
        }
        i = end + 1;
    }
    fputc('\n', out);
}

void mpl_text_wrap(FILE *out, const char *text, int indent, int width)
{
    while (*text != '\0') {
        const size_t n = strcspn(text, "\n");

        wrap_paragraph(out, text, n, indent < 0 ? 0 : indent, width);
        text += n + (text[n] == '\n' ? 1 : 0);
    }
}
