#include "config.h"

#include "formula/formula_priv.h"

#include <stdlib.h>
#include <string.h>

/* Kibi and kilo both, because programs print both and users copy what they see. */
static const struct {
    const char *name;
    struct mpl_unit unit;
    double factor;
    int exponent10;
} names[] = {
    { "s", { 1, 0 }, 1.0, 0 },
    { "ms", { 1, 0 }, 1.0, -3 },
    { "us", { 1, 0 }, 1.0, -6 },
    { "ns", { 1, 0 }, 1.0, -9 },
    { "B", { 0, 1 }, 1.0, 0 },
    { "kB", { 0, 1 }, 1.0, 3 },
    { "MB", { 0, 1 }, 1.0, 6 },
    { "GB", { 0, 1 }, 1.0, 9 },
    { "KiB", { 0, 1 }, 1024.0, 0 },
    { "MiB", { 0, 1 }, 1024.0 * 1024.0, 0 },
    { "GiB", { 0, 1 }, 1024.0 * 1024.0 * 1024.0, 0 },
};

bool mpl_unit_of_name(const char *text, size_t n, struct mpl_unit *unit, double *factor,
                      int *exponent10)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i].name) == n && memcmp(names[i].name, text, n) == 0) {
            *unit = names[i].unit;
            *factor = names[i].factor;
            *exponent10 = names[i].exponent10;
            return true;
        }
    }
    return false;
}

bool mpl_unit_equal(struct mpl_unit a, struct mpl_unit b)
{
    return a.seconds == b.seconds && a.bytes == b.bytes;
}

bool mpl_unit_combine(struct mpl_unit a, struct mpl_unit b, int sign, struct mpl_unit *out)
{
    const int seconds = a.seconds + sign * b.seconds;
    const int bytes = a.bytes + sign * b.bytes;

    if (abs(seconds) > UNIT_POWER_LIMIT || abs(bytes) > UNIT_POWER_LIMIT) {
        return false;
    }
    *out = (struct mpl_unit){ (int8_t) seconds, (int8_t) bytes };
    return true;
}

/* ---- reading -------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What has been read of a unit: the product of the factors before \p at. */
struct unit_reader {
    const char *at;
    struct mpl_unit unit;
    double factor;
};

/* "^2"; 1 when there is none, 0 when there is no number behind the hat. */
static int read_power(struct unit_reader *r)
{
    int power = 0;

    if (*r->at != '^') {
        return 1;
    }
    r->at++;
    while (*r->at >= '0' && *r->at <= '9' && power <= UNIT_POWER_LIMIT) {
        power = power * 10 + (*r->at - '0');
        r->at++;
    }
    return power;
}

static const double exact_tens[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };

static void scale(struct unit_reader *r, double factor, int exponent10, int sign)
{
    const double ten = exact_tens[exponent10 < 0 ? -exponent10 : exponent10];
    const bool is_times = (exponent10 < 0) == (sign < 0);

    r->factor = sign < 0 ? r->factor / factor : r->factor * factor;
    r->factor = is_times ? r->factor * ten : r->factor / ten;
}

/* "ms", "s^2"; \p sign is -1 below the stroke. */
static bool read_factor(struct unit_reader *r, int sign)
{
    const char *start = r->at;
    struct mpl_unit unit;
    double factor;
    int exponent10;

    while (is_letter(*r->at)) {
        r->at++;
    }
    if (!mpl_unit_of_name(start, (size_t) (r->at - start), &unit, &factor, &exponent10)) {
        return false;
    }

    const int power = read_power(r);

    for (int i = 0; i < power; i++) {
        if (!mpl_unit_combine(r->unit, unit, sign, &r->unit)) {
            return false;
        }
        scale(r, factor, exponent10, sign);
    }
    return power > 0;
}

static bool read_product(struct unit_reader *r, int sign)
{
    bool is_good = read_factor(r, sign);

    while (is_good && *r->at == '*') {
        r->at++;
        is_good = read_factor(r, sign);
    }
    return is_good;
}

static bool read_unit(struct unit_reader *r)
{
    if (*r->at == '1') {
        r->at++;
    } else if (!read_product(r, 1)) {
        return false;
    }
    if (*r->at != '/') {
        return true;
    }
    r->at++;
    if (*r->at != '(') {
        return read_factor(r, -1);
    }
    r->at++;
    if (!read_product(r, -1) || *r->at != ')') {
        return false;
    }
    r->at++;
    return true;
}

enum mpl_status mpl_unit_parse(const char *text, struct mpl_unit *unit, double *factor)
{
    struct unit_reader r = { .at = text, .factor = 1.0 };

    if (!read_unit(&r) || *r.at != '\0') {
        return MPL_E_SYNTAX;
    }
    *unit = r.unit;
    *factor = r.factor;
    return MPL_OK;
}

/* ---- writing -------------------------------------------------------------------- */

enum { UNIT_SIDE_BYTES = 14 };

/* The factors with a power of that sign: "s", "s^2*B". Returns their number. */
static int print_side(struct mpl_unit unit, int sign, char *text, size_t room)
{
    const int powers[] = { sign * unit.seconds, sign * unit.bytes };
    const char *const symbols[] = { "s", "B" };
    size_t n = 0;
    int factors = 0;

    text[0] = '\0';
    for (int i = 0; i < 2; i++) {
        const char *times = factors > 0 ? "*" : "";

        if (powers[i] == 1) {
            n += (size_t) snprintf(text + n, room - n, "%s%s", times, symbols[i]);
        } else if (powers[i] > 1) {
            n += (size_t) snprintf(text + n, room - n, "%s%s^%d", times, symbols[i],
                                   powers[i]);
        }
        factors += powers[i] > 0;
    }
    return factors;
}

const char *mpl_unit_text(struct mpl_unit unit, char *text)
{
    char above[UNIT_SIDE_BYTES];
    char below[UNIT_SIDE_BYTES];
    const int n_above = print_side(unit, 1, above, sizeof above);
    const int n_below = print_side(unit, -1, below, sizeof below);

    /* Only one side can have both: the widest is "1/(s^128*B^128)". */
    (void) snprintf(text, UNIT_TEXT_BYTES, "%s%s%s%s%s", n_above == 0 ? "1" : above,
                    n_below == 0 ? "" : "/", n_below > 1 ? "(" : "", below,
                    n_below > 1 ? ")" : "");
    return text;
}
