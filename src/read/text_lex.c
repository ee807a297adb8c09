#include "config.h"

#include "read/text_priv.h"

#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

int64_t mpl_text_unit_ns(const char *word, size_t n)
{
    static const struct {
        const char *word;
        int64_t ns;
    } units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 } };

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i].word) == n && memcmp(units[i].word, word, n) == 0) {
            return units[i].ns;
        }
    }
    return 0;
}

/* ---- comments ----------------------------------------------------------------------------- */

/* "# us. Rank 1 waits" and "# late-sender.trace, in us.": the first word, or the one after
 * "in", is the unit of times if it is a unit. */
static void look_for_unit(struct mpl_lexer *x, const char *at, const char *end)
{
    bool may_be_unit = true;

    while (at < end && x->unit == NULL) {
        while (at < end && (is_blank(*at) || *at == '#')) {
            at++;
        }
        const char *word = at;
        while (at < end && !is_blank(*at)) {
            at++;
        }
        size_t n = (size_t) (at - word);
        while (n > 0 && memchr(".,:;", word[n - 1], 4) != NULL) {
            n--;
        }
        if (may_be_unit && mpl_text_unit_ns(word, n) > 0) {
            x->unit = n == 1 ? "s" : word[0] == 'm' ? "ms" : word[0] == 'u' ? "us" : "ns";
        }
        may_be_unit = n == 2 && memcmp(word, "in", 2) == 0;
    }
}

static void skip_comment(struct mpl_lexer *x)
{
    const char *start = x->at;
    const char *stop = memchr(start, '\n', (size_t) (x->end - start));

    x->at = stop != NULL ? stop : x->end;
    if (!x->has_token) {
        look_for_unit(x, start, x->at);
    }
}

/* ---- tokens ----------------------------------------------------------------------------------- */

static void skip_blanks(struct mpl_lexer *x)
{
    while (x->at < x->end) {
        if (*x->at == '#') {
            skip_comment(x);
        } else if (*x->at == '\n') {
            x->at++;
            x->line++;
            x->line_start = x->at;
            x->is_line_empty = true;
        } else if (is_blank(*x->at)) {
            x->at++;
        } else {
            return;
        }
    }
}

static void take_number(struct mpl_lexer *x)
{
    while (x->at < x->end && is_digit(*x->at)) {
        x->at++;
    }
    /* "0..50" is a range of two numbers, "0.5" is one. */
    if (x->end - x->at >= 2 && x->at[0] == '.' && is_digit(x->at[1])) {
        x->at++;
        while (x->at < x->end && is_digit(*x->at)) {
            x->at++;
        }
    }
    while (x->at < x->end && is_letter(*x->at)) {
        x->at++;
    }
}

static void take_word(struct mpl_lexer *x)
{
    while (x->at < x->end && (is_letter(*x->at) || is_digit(*x->at) || *x->at == '-' ||
                              *x->at == '$' || (unsigned char) *x->at >= 0x80)) {
        x->at++;
    }
}

/** A text in quotes, which ends on its line. The token is what stands between the quotes. */
static bool take_quoted(struct mpl_lexer *x)
{
    const char *start = x->at + 1;
    const char *at = start;

    while (at < x->end && *at != '"' && *at != '\n') {
        at++;
    }
    if (at >= x->end || *at != '"') {
        x->at = at;
        return false;
    }
    x->token.at = start;
    x->token.n = (size_t) (at - start);
    x->at = at + 1;
    return true;
}

struct mpl_place mpl_token_place(const struct mpl_lexer *x,
                                 const struct mpl_text_token *token)
{
    return (struct mpl_place){ x->file, token->line, token->column };
}

static void refuse_character(struct mpl_lexer *x)
{
    const unsigned char c = (unsigned char) *x->at;
    const struct mpl_place place = mpl_token_place(x, &x->token);

    if (c >= 0x20 && c < 0x7f) {
        mpl_lint_add(x->lint, MPL_LINT_ERROR, place, "unexpected character '%c'", c);
    } else {
        mpl_lint_add(x->lint, MPL_LINT_ERROR, place, "unexpected byte 0x%02x", c);
    }
    x->at++;
}

/** The token at x->at; false for a character that starts none. */
static bool take_token(struct mpl_lexer *x)
{
    struct mpl_text_token *t = &x->token;
    const char c = *x->at;

    if (c == '"') {
        t->kind = MPL_TOKEN_WORD;
        if (!take_quoted(x)) {
            mpl_lint_add(x->lint, MPL_LINT_ERROR, mpl_token_place(x, t),
                         "a text in quotes must end on its line");
            return false;
        }
        return true;
    }
    if (is_digit(c)) {
        t->kind = MPL_TOKEN_NUMBER;
        take_number(x);
    } else if (is_letter(c) || (unsigned char) c >= 0x80) {
        t->kind = MPL_TOKEN_WORD;
        take_word(x);
    } else if (c == '.' && x->end - x->at >= 2 && x->at[1] == '.') {
        t->kind = MPL_TOKEN_RANGE;
        x->at += 2;
    } else if (c != '\0' && strchr(":{}/+-", c) != NULL) {
        t->kind = MPL_TOKEN_MARK;
        x->at++;
    } else {
        refuse_character(x);
        return false;
    }
    t->n = (size_t) (x->at - t->at);
    return true;
}

bool mpl_text_lexer_next(struct mpl_lexer *x)
{
    for (;;) {
        skip_blanks(x);
        x->token =
            (struct mpl_text_token){ .kind = MPL_TOKEN_END,
                                     .at = x->at,
                                     .line = x->line,
                                     .column = (unsigned) (x->at - x->line_start) + 1,
                                     .is_first = x->is_line_empty };
        if (x->at >= x->end) {
            return false;
        }
        x->is_line_empty = false;
        x->has_token = true;
        if (take_token(x)) {
            return true;
        }
    }
}

void mpl_lexer_start(struct mpl_lexer *x, const char *file, const char *text, size_t bytes,
                     struct mpl_lint *lint)
{
    *x = (struct mpl_lexer){ .file = file,
                             .at = text,
                             .end = text + bytes,
                             .line_start = text,
                             .line = 1,
                             .is_line_empty = true,
                             .lint = lint };
    (void) mpl_text_lexer_next(x);
}

bool mpl_text_token_is(const struct mpl_text_token *token, const char *word)
{
    return token->n == strlen(word) && token->kind != MPL_TOKEN_END &&
           memcmp(token->at, word, token->n) == 0;
}
