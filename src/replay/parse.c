/* The language of changes, see replay.h: "compute(3)*0.5, network*0". */
#include "config.h"

#include "replay/replay_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 40, MOST_EXPONENT = 1000 };

struct parser {
    const char *text;
    size_t at;
    struct mpl_arena *arena;
    struct mpl_err *err;
};

/* The C library's classes follow the locale; a change means the same anywhere. */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Of a name without quotes: labels ("3.2"), roles, functions ("ns::solve", "!$omp"). */
static bool is_name_part(char c)
{
    return is_letter(c) || is_digit(c) || (c != '\0' && strchr(".:-!$@~<>/", c) != NULL) ||
           (unsigned char) c >= 0x80;
}

static enum mpl_status fail(struct parser *p, size_t at, const char *why)
{
    return mpl_fail(p->err, MPL_E_USAGE, "'%s', column %zu: %s", p->text, at + 1, why);
}

static char peek(struct parser *p)
{
    while (p->text[p->at] == ' ' || p->text[p->at] == '\t') {
        p->at++;
    }
    return p->text[p->at];
}

static bool accept(struct parser *p, char c)
{
    if (peek(p) != c) {
        return false;
    }
    p->at++;
    return true;
}

/* ---- words and numbers -------------------------------------------------------------------- */

static enum mpl_status read_quoted(struct parser *p, const char **out)
{
    const size_t begin = p->at++;
    const char *end = strchr(p->text + p->at, '"');

    if (end == NULL) {
        return fail(p, begin, "this quote is not closed");
    }
    *out = mpl_arena_strndup(p->arena, p->text + p->at, (size_t) (end - p->text) - p->at);
    p->at = (size_t) (end - p->text) + 1;
    return *out == NULL ? mpl_nomem(p->err) : MPL_OK;
}

static enum mpl_status read_name(struct parser *p, const char *what, const char **out)
{
    size_t n = 0;
    char why[64];

    if (peek(p) == '"') {
        return read_quoted(p, out);
    }
    while (is_name_part(p->text[p->at + n])) {
        n++;
    }
    if (n == 0) {
        (void) snprintf(why, sizeof why, "here %s is missing", what);
        return fail(p, p->at, why);
    }
    *out = mpl_arena_strndup(p->arena, p->text + p->at, n);
    p->at += n;
    return *out == NULL ? mpl_nomem(p->err) : MPL_OK;
}

/* Reads "e-05" where it is one; returns the first byte behind it. */
static size_t read_exponent(const char *text, size_t at, int *exponent)
{
    const bool has_sign = text[at] != '\0' && (text[at + 1] == '-' || text[at + 1] == '+');
    size_t end = at + 1 + (has_sign ? 1 : 0);
    int value = 0;

    if ((text[at] != 'e' && text[at] != 'E') || !is_digit(text[end])) {
        return at;
    }
    for (; is_digit(text[end]); end++) {
        value = value < MOST_EXPONENT ? value * 10 + (text[end] - '0') : value;
    }
    *exponent += has_sign && text[at + 1] == '-' ? -value : value;
    return end;
}

/* Put together from whole numbers, since strtod() follows the locale. */
static enum mpl_status read_number(struct parser *p, double *out)
{
    double value = 0;
    int exponent = 0;
    bool has_digits = false;
    size_t at;

    (void) peek(p);
    at = p->at;
    for (; is_digit(p->text[at]); at++, has_digits = true) {
        value = value * 10 + (p->text[at] - '0');
    }
    if (p->text[at] == '.') {
        for (at++; is_digit(p->text[at]); at++, has_digits = true, exponent--) {
            value = value * 10 + (p->text[at] - '0');
        }
    }
    if (!has_digits) {
        return fail(p, p->at, "here a number is missing");
    }
    at = read_exponent(p->text, at, &exponent);
    /* One division rounds correctly where a product with 0.1 would not. */
    value = exponent < 0 ? value / pow(10, -exponent) : value * pow(10, exponent);
    if (!isfinite(value)) {
        return fail(p, p->at, "this number is too large");
    }
    p->at = at;
    *out = value;
    return MPL_OK;
}

/* ---- parts of a change --------------------------------------------------------------------- */

static const char *const whats[] = { "compute", "region", "transfer", "network" };
enum { COMPUTE, REGION, TRANSFER, NETWORK, WHATS };

static enum mpl_status read_what(struct parser *p, int *what)
{
    const size_t begin = (peek(p), p->at);
    size_t n = 0;
    char word[SHOWN + 1];
    char why[2 * SHOWN + 80];
    const char *nearest;

    while (is_letter(p->text[begin + n])) {
        n++;
    }
    (void) snprintf(word, sizeof word, "%.*s", (int) (n < SHOWN ? n : SHOWN),
                    p->text + begin);
    for (*what = 0; *what < WHATS; ++*what) {
        if (n == strlen(whats[*what]) && strcmp(word, whats[*what]) == 0) {
            p->at += n;
            return MPL_OK;
        }
    }
    if (n == 0) {
        return fail(p, begin, "what is to change? compute, region, transfer or network");
    }
    nearest = mpl_suggest(word, whats, WHATS);
    if (nearest != NULL) {
        (void) snprintf(why, sizeof why, "unknown word '%s'; did you mean '%s'?", word,
                        nearest);
    } else {
        (void) snprintf(why, sizeof why,
                        "unknown word '%s'; known: compute, region, transfer, network",
                        word);
    }
    return fail(p, begin, why);
}

static enum mpl_status read_region(struct parser *p, struct mpl_change *change)
{
    enum mpl_status st;

    if (!accept(p, '(')) {
        return fail(p, p->at, "which region? write region(name)");
    }
    st = read_name(p, "the name of a region", &change->region);
    if (st == MPL_OK && !accept(p, ')')) {
        return fail(p, p->at,
                    "here ')' is missing; a name with blanks or signs needs quotes");
    }
    return st;
}

static enum mpl_status read_who(struct parser *p, struct mpl_change *change)
{
    struct mpl_buf names = mpl_buf_make(sizeof(const char *));
    enum mpl_status st = MPL_OK;

    p->at++;
    do {
        const char **name = (const char **) mpl_buf_add(&names);

        st = name == NULL ? mpl_nomem(p->err) : read_name(p, "a location or role", name);
    } while (st == MPL_OK && accept(p, ','));
    if (st == MPL_OK && !accept(p, ')')) {
        st = fail(p, p->at, "here ',' or ')' is missing");
    }
    if (st == MPL_OK) {
        change->n_who = names.n;
        change->who = (const char *const *) mpl_buf_take(&names, p->arena);
        st = change->who == NULL ? mpl_nomem(p->err) : MPL_OK;
    }
    mpl_buf_free(&names);
    return st;
}

static enum mpl_status read_seconds(struct parser *p, struct mpl_change *change)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = { { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 }, { "s", 1 } };
    enum mpl_status st = read_number(p, &change->less_s);
    size_t n = 0;

    if (st != MPL_OK) {
        return st;
    }
    change->factor = 1;
    (void) peek(p);
    while (is_letter(p->text[p->at + n])) {
        n++;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units && n > 0; i++) {
        if (strlen(units[i].name) == n && strncmp(p->text + p->at, units[i].name, n) == 0) {
            change->less_s *= units[i].seconds;
            p->at += n;
            return MPL_OK;
        }
    }
    return n == 0 ? MPL_OK : fail(p, p->at, "unknown unit; known: s, ms, us, ns");
}

static bool accept_word(struct parser *p, const char *word)
{
    const size_t n = strlen(word);

    if (strncmp(p->text + p->at, word, n) != 0 || is_letter(p->text[p->at + n])) {
        return false;
    }
    p->at += n;
    return true;
}

static enum mpl_status read_target(struct parser *p, struct mpl_change *change)
{
    const size_t begin = (peek(p), p->at);

    if (accept_word(p, "others")) {
        change->factor = NAN;
        return MPL_OK;
    }
    if (accept_word(p, "even")) {
        change->factor = NAN;
        change->is_even = true;
        return change->kind == MPL_CHANGE_COMPUTE
                   ? MPL_OK
                   : fail(p, begin, "only computation can be made even");
    }
    if (!is_digit(peek(p)) || read_number(p, &change->factor) != MPL_OK ||
        change->factor != 0) {
        return fail(p, begin, "'=' takes 'others', 'even' or 0; for a factor write '*'");
    }
    return MPL_OK;
}

/* More than this says nothing, and time lines must stay within 64 bits. */
static const double most_factor = 1000;

static enum mpl_status check_factor(struct parser *p, size_t begin, double factor)
{
    return factor <= most_factor
               ? MPL_OK
               : fail(p, begin, "times can be made at most 1,000 times as long");
}

static enum mpl_status read_how(struct parser *p, struct mpl_change *change)
{
    enum mpl_status st;
    size_t begin;

    if (accept(p, '*')) {
        begin = (peek(p), p->at);
        st = read_number(p, &change->factor);
        return st == MPL_OK ? check_factor(p, begin, change->factor) : st;
    }
    if (accept(p, '/')) {
        begin = (peek(p), p->at);
        st = read_number(p, &change->factor);
        if (st == MPL_OK && !(change->factor > 0)) {
            return fail(p, begin, "cannot divide by 0");
        }
        change->factor = 1 / change->factor;
        return st == MPL_OK ? check_factor(p, begin, change->factor) : st;
    }
    if (accept(p, '-')) {
        return read_seconds(p, change);
    }
    if (accept(p, '=')) {
        return read_target(p, change);
    }
    return fail(p, p->at,
                "how? write * or / and a number, - and seconds, = others or = even");
}

static enum mpl_status read_change(struct parser *p, struct mpl_change *change)
{
    enum mpl_status st;
    int what;

    st = read_what(p, &what);
    if (st != MPL_OK) {
        return st;
    }
    change->place =
        (struct mpl_place){ .line = 1,
                            .column = (unsigned) (p->at - strlen(whats[what]) + 1) };
    change->kind = what == COMPUTE  ? MPL_CHANGE_COMPUTE
                   : what == REGION ? MPL_CHANGE_REGION
                                    : MPL_CHANGE_TRANSFER;
    st = what == REGION ? read_region(p, change) : MPL_OK;
    if (st == MPL_OK && peek(p) == '(') {
        if (what == NETWORK) {
            return fail(p, p->at, "the network is that of all; for some write transfer(…)");
        }
        st = read_who(p, change);
    }
    return st == MPL_OK ? read_how(p, change) : st;
}

/* ---- all ------------------------------------------------------------------------------------ */

enum mpl_status mpl_what_if_parse(const char *text, struct mpl_arena *arena,
                                  const struct mpl_what_if **out, struct mpl_err *err)
{
    struct parser p = { .text = text, .arena = arena, .err = err };
    struct mpl_buf changes = mpl_buf_make(sizeof(struct mpl_change));
    struct mpl_what_if *made = MPL_NEW(arena, struct mpl_what_if);
    enum mpl_status st = made == NULL ? mpl_nomem(err) : MPL_OK;

    while (st == MPL_OK) {
        struct mpl_change *change = (struct mpl_change *) mpl_buf_add(&changes);

        st = change == NULL ? mpl_nomem(err) : read_change(&p, change);
        if (st == MPL_OK && !accept(&p, ',')) {
            break;
        }
    }
    if (st == MPL_OK && peek(&p) != '\0') {
        st = fail(&p, p.at, "here ',' or the end was expected");
    }
    if (st == MPL_OK) {
        made->text = mpl_arena_strdup(arena, text);
        made->n = changes.n;
        made->changes = (const struct mpl_change *) mpl_buf_take(&changes, arena);
        st = made->text == NULL || made->changes == NULL ? mpl_nomem(err) : MPL_OK;
    }
    mpl_buf_free(&changes);
    if (st == MPL_OK) {
        *out = made;
    }
    return st;
}
