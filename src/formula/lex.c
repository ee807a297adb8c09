#include "config.h"

#include "formula/formula_priv.h"

#include <math.h>
#include <string.h>

/* The C library's classes and strtod() follow the locale; a formula means the same anywhere. */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* ---- numbers -------------------------------------------------------------------- */

/* The first 19 digits, which always fit 64 bits, and where the point belongs. */
struct decimal {
    uint64_t digits;
    unsigned n;
    int exponent10;
    bool has_digits;
};

enum { DIGITS_KEPT = 19, EXPONENT_LIMIT = 9999 };

static void add_digit(struct decimal *d, char c, bool is_fraction)
{
    d->has_digits = true;
    if (d->n < DIGITS_KEPT) {
        d->digits = d->digits * 10 + (uint64_t) (c - '0');
        d->n += d->digits > 0;
        d->exponent10 -= is_fraction && d->exponent10 > -EXPONENT_LIMIT;
    } else {
        d->exponent10 += !is_fraction && d->exponent10 < EXPONENT_LIMIT;
    }
}

/* Reads "12.5"; returns the first byte behind it. */
static size_t read_digits(const char *text, size_t at, struct decimal *d)
{
    for (; is_digit(text[at]); at++) {
        add_digit(d, text[at], false);
    }
    if (text[at] == '.') {
        for (at++; is_digit(text[at]); at++) {
            add_digit(d, text[at], true);
        }
    }
    return at;
}

/* Reads "e-6" where it is one; "5 e" is a five and a bad unit. */
static size_t read_exponent(const char *text, size_t at, struct decimal *d)
{
    size_t end = at + 1;
    int exponent = 0;
    int sign = 1;

    if (text[at] != 'e' && text[at] != 'E') {
        return at;
    }
    if (text[end] == '+' || text[end] == '-') {
        sign = text[end] == '-' ? -1 : 1;
        end++;
    }
    if (!is_digit(text[end])) {
        return at;
    }
    for (; is_digit(text[end]); end++) {
        exponent = exponent < EXPONENT_LIMIT ? exponent * 10 + (text[end] - '0') : exponent;
    }
    d->exponent10 += sign * exponent;
    return end;
}

/*
 * Up to 15 digits and a power of ten up to 22 are both exact in a double, so one division
 * or product rounds correctly (Clinger, 1990): these are the numbers that people write.
 * Beyond, long double keeps the error at about one unit in the last place.
 */
static double value_of(const struct decimal *d)
{
    static const double tens[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    const int e = d->exponent10;

    if (d->digits == 0) {
        return 0.0;
    }
    if (d->n <= 15 && e >= -22 && e <= 22) {
        return e < 0 ? (double) d->digits / tens[-e] : (double) d->digits * tens[e];
    }
    return (double) ((long double) d->digits * powl(10.0L, (long double) e));
}

/* ---- tokens --------------------------------------------------------------------- */

static struct token bad_token(struct lexer *lexer, size_t at, size_t n, const char *why)
{
    (void) snprintf(lexer->fault, sizeof lexer->fault, "%s", why);
    return (struct token){ .kind = TOKEN_BAD, .at = at, .n = n };
}

static size_t name_end(const char *text, size_t at)
{
    while (is_name_start(text[at]) || is_digit(text[at]) || text[at] == '.') {
        at++;
    }
    return at;
}

/* The operators that are words; TOKEN_NAME for all other words. */
static enum token_kind kind_of_word(const char *text, size_t n)
{
    static const struct {
        const char *word;
        enum token_kind kind;
    } words[] = { { "and", TOKEN_AND }, { "or", TOKEN_OR }, { "not", TOKEN_NOT } };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].word) == n && memcmp(text, words[i].word, n) == 0) {
            return words[i].kind;
        }
    }
    return TOKEN_NAME;
}

/* The unit behind a number, if a word other than an operator follows. False: unknown unit. */
static bool read_unit(struct lexer *lexer, struct token *token, struct decimal *d,
                      double *factor)
{
    size_t at = lexer->at;
    int exponent10 = 0;

    while (is_blank(lexer->text[at])) {
        at++;
    }

    const size_t end = name_end(lexer->text, at);

    if (!is_name_start(lexer->text[at]) ||
        kind_of_word(lexer->text + at, end - at) != TOKEN_NAME) {
        return true;
    }
    if (!mpl_unit_of_name(lexer->text + at, end - at, &token->unit, factor, &exponent10)) {
        (void) snprintf(lexer->fault, sizeof lexer->fault,
                        "unknown unit '%.*s'; a number may carry s, ms, us, ns, B, kB, MB, "
                        "GB, KiB, MiB, GiB",
                        (int) (end - at > 40 ? 40 : end - at), lexer->text + at);
        token->kind = TOKEN_BAD;
        token->at = at;
        return false;
    }
    token->has_unit = true;
    d->exponent10 += exponent10;
    lexer->at = end;
    return true;
}

static struct token read_number(struct lexer *lexer)
{
    struct token token = { .kind = TOKEN_NUMBER, .at = lexer->at };
    struct decimal d = { 0 };
    double factor = 1.0;
    const size_t digits_end = read_digits(lexer->text, lexer->at, &d);

    if (!d.has_digits) {
        return bad_token(lexer, lexer->at, 1, "a '.' without digits or name");
    }
    lexer->at = read_exponent(lexer->text, digits_end, &d);
    if (lexer->text[lexer->at] == '.') {
        return bad_token(lexer, token.at, lexer->at - token.at, "a number with two points");
    }
    if (!read_unit(lexer, &token, &d, &factor)) {
        return token;
    }
    token.number = value_of(&d) * factor;
    token.n = lexer->at - token.at;
    if (isinf(token.number)) {
        return bad_token(lexer, token.at, token.n, "the number is too large");
    }
    return token;
}

static struct token read_word(struct lexer *lexer)
{
    const char *text = lexer->text;
    const size_t at = lexer->at;
    const size_t n = name_end(text, at) - at;

    lexer->at += n;
    for (size_t i = at; i < at + n; i++) {
        if (text[i] == '.' && (i + 1 == at + n || text[i + 1] == '.')) {
            return bad_token(lexer, i, 1, "a '.' without a name behind it");
        }
    }
    return (struct token){ .kind = kind_of_word(text + at, n), .at = at, .n = n };
}

/* Longest first, so that "<=" is not "<". Those of other languages get an answer. */
static const struct {
    const char *text;
    enum token_kind kind;
    const char *why;
} symbols[] = {
    { "==", TOKEN_EQ, NULL },
    { "!=", TOKEN_NE, NULL },
    { "<>", TOKEN_BAD, "unknown operator '<>'; write '!='" },
    { "<=", TOKEN_LE, NULL },
    { ">=", TOKEN_GE, NULL },
    { "&&", TOKEN_BAD, "unknown operator '&&'; write 'and'" },
    { "||", TOKEN_BAD, "unknown operator '||'; write 'or'" },
    { "**", TOKEN_BAD, "there is no power operator; write the product" },
    { "<", TOKEN_LT, NULL },
    { ">", TOKEN_GT, NULL },
    { "(", TOKEN_LEFT, NULL },
    { ")", TOKEN_RIGHT, NULL },
    { ",", TOKEN_COMMA, NULL },
    { "?", TOKEN_QUESTION, NULL },
    { ":", TOKEN_COLON, NULL },
    { "+", TOKEN_PLUS, NULL },
    { "-", TOKEN_MINUS, NULL },
    { "*", TOKEN_TIMES, NULL },
    { "/", TOKEN_DIVIDE, NULL },
    { "%", TOKEN_MODULO, NULL },
    { "=", TOKEN_BAD, "nothing can be assigned here; write '==' to compare" },
    { "!", TOKEN_BAD, "unknown operator '!'; write 'not'" },
    { "&", TOKEN_BAD, "unknown operator '&'; write 'and'" },
    { "|", TOKEN_BAD, "unknown operator '|'; write 'or'" },
    { "^", TOKEN_BAD, "there is no power operator; write the product" },
};

static size_t character_bytes(const char *text)
{
    size_t n = 1;

    /* The bytes of one UTF-8 character, so that none is quoted in halves. */
    while (((unsigned char) text[0] & 0xC0U) == 0xC0U && n < 4 &&
           ((unsigned char) text[n] & 0xC0U) == 0x80U) {
        n++;
    }
    return n;
}

static struct token read_symbol(struct lexer *lexer)
{
    const char *text = lexer->text + lexer->at;
    const size_t at = lexer->at;
    char why[48];

    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        const size_t n = strlen(symbols[i].text);

        if (strncmp(text, symbols[i].text, n) == 0) {
            lexer->at += n;
            return symbols[i].kind == TOKEN_BAD
                       ? bad_token(lexer, at, n, symbols[i].why)
                       : (struct token){ .kind = symbols[i].kind, .at = at, .n = n };
        }
    }

    const size_t n = character_bytes(text);

    lexer->at += n;
    if ((unsigned char) *text < ' ' || *text == '\x7f') {
        (void) snprintf(why, sizeof why, "unexpected control character %d", *text);
    } else {
        (void) snprintf(why, sizeof why, "unexpected character '%.*s'", (int) n, text);
    }
    return bad_token(lexer, at, n, why);
}

struct token mpl_lexer_next(struct lexer *lexer)
{
    const char *text = lexer->text;

    while (is_blank(text[lexer->at])) {
        lexer->at++;
    }

    const char c = text[lexer->at];

    if (c == '\0') {
        return (struct token){ .kind = TOKEN_END, .at = lexer->at };
    }
    if (is_digit(c) || c == '.') {
        return read_number(lexer);
    }
    return is_name_start(c) ? read_word(lexer) : read_symbol(lexer);
}
