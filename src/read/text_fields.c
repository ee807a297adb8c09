/*
 * Fields of an item: numbers, names and options. Which options an item may and must have depends
 * on its verb alone, so that is checked here, with the place.
 */
#include "config.h"

#include "read/text_parse_priv.h"

#include <string.h>

enum {
    MOST_WORDS = 80,
    MOST_TAG = INT32_MAX,
};

/* 36 years: sums of two such times are far from the end of 64 bits. */
static const int64_t latest_ns = INT64_C(1) << 60;

/* ---- options ------------------------------------------------------------------------- */

enum option {
    OPTION_TO = 1 << 0,
    OPTION_FROM = 1 << 1,
    OPTION_TAG = 1 << 2,
    OPTION_BYTES = 1 << 3,
    OPTION_SENT = 1 << 4,
    OPTION_RECEIVED = 1 << 5,
    OPTION_ROOT = 1 << 6,
    OPTION_COMM = 1 << 7,
    OPTION_AS = 1 << 8,
    OPTION_FOR = 1 << 9,
    OPTION_IN = 1 << 10,
    OPTION_UNFINISHED = 1 << 11,
};

static const struct {
    const char *word;
    enum option option;
} options[] = {
    { "to", OPTION_TO },       { "from", OPTION_FROM }, { "tag", OPTION_TAG },
    { "bytes", OPTION_BYTES }, { "sent", OPTION_SENT }, { "received", OPTION_RECEIVED },
    { "root", OPTION_ROOT },   { "comm", OPTION_COMM }, { "as", OPTION_AS },
    { "for", OPTION_FOR },     { "in", OPTION_IN },     { "unfinished", OPTION_UNFINISHED },
};

enum { N_OPTIONS = sizeof options / sizeof options[0] };

static unsigned options_of_token(const struct mpl_text_token *token)
{
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (mpl_text_token_is(token, options[i].word)) {
            return (unsigned) options[i].option;
        }
    }
    return 0;
}

static const char *word_of_option(unsigned option)
{
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if ((unsigned) options[i].option == option) {
            return options[i].word;
        }
    }
    return "?";
}

struct rule {
    unsigned allowed;
    unsigned required;
};

static bool has_root(enum mpl_coll_op op)
{
    const enum mpl_coll_class class = mpl_coll_class_of(op);

    return class == MPL_CLASS_1_TO_N || class == MPL_CLASS_N_TO_1;
}

static struct rule rule_of(const struct mpl_text_verb *verb)
{
    const unsigned posted = OPTION_TAG | OPTION_BYTES | OPTION_COMM;
    const unsigned message = posted | OPTION_UNFINISHED;
    const unsigned volume = OPTION_BYTES | OPTION_SENT | OPTION_RECEIVED | OPTION_COMM;
    const unsigned root = has_root(verb->op) ? OPTION_ROOT : 0;

    switch (verb->shape) {
    case MPL_TEXT_COMPUTE:
        return (struct rule){ OPTION_IN, 0 };
    case MPL_TEXT_SEND:
        return (struct rule){ message | OPTION_TO, OPTION_TO };
    case MPL_TEXT_RECV:
        return (struct rule){ message | OPTION_FROM, OPTION_FROM };
    case MPL_TEXT_SENDRECV:
        return (struct rule){ message | OPTION_TO | OPTION_FROM, OPTION_TO | OPTION_FROM };
    case MPL_TEXT_ISEND:
        return (struct rule){ posted | OPTION_TO | OPTION_AS, OPTION_TO };
    case MPL_TEXT_IRECV:
        return (struct rule){ posted | OPTION_FROM | OPTION_AS, OPTION_FROM };
    case MPL_TEXT_WAIT:
        return (struct rule){ OPTION_FOR | OPTION_UNFINISHED,
                              strcmp(verb->word, "test") == 0 ? 0 : OPTION_FOR };
    case MPL_TEXT_COLL:
        return (struct rule){ volume | root | OPTION_UNFINISHED, root };
    case MPL_TEXT_ICOLL:
        return (struct rule){ volume | root | OPTION_AS, root };
    case MPL_TEXT_PLAIN:
    case MPL_TEXT_REGION:
        return (struct rule){ OPTION_UNFINISHED, 0 };
    default:
        return (struct rule){ 0, 0 };
    }
}

/* ---- complaints -------------------------------------------------------------------------- */

struct mpl_place mpl_parser_place(const struct mpl_parser *p)
{
    return mpl_token_place(&p->lexer, &p->lexer.token);
}

bool mpl_parser_expected(struct mpl_parser *p, const char *what)
{
    const struct mpl_text_token *t = &p->lexer.token;

    if (t->kind == MPL_TOKEN_END) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, mpl_parser_place(p),
                     "expected %s, found the end of the text", what);
    } else {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, mpl_parser_place(p),
                     "expected %s, found '%.*s'", what, t->n > 40 ? 40 : (int) t->n, t->at);
    }
    return false;
}

static const char *copy_token(struct mpl_parser *p)
{
    const char *copy =
        mpl_arena_strndup(p->text->arena, p->lexer.token.at, p->lexer.token.n);

    if (copy == NULL) {
        p->text->is_out_of_memory = true;
        return "";
    }
    return copy;
}

bool mpl_parser_is_mark(const struct mpl_parser *p, char mark)
{
    return p->lexer.token.kind == MPL_TOKEN_MARK && p->lexer.token.at[0] == mark;
}

void mpl_parser_unknown_word(struct mpl_parser *p)
{
    const char *words[MOST_WORDS];
    size_t n = mpl_text_verb_words(words, MOST_WORDS - N_OPTIONS);
    const char *word = copy_token(p);

    for (size_t i = 0; i < N_OPTIONS; i++) {
        words[n++] = options[i].word;
    }
    const char *near = mpl_suggest(word, words, n);
    if (near != NULL) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, mpl_parser_place(p),
                     "unknown word '%s'; did you mean '%s'?", word, near);
    } else {
        mpl_lint_add(
            p->lint, MPL_LINT_ERROR, mpl_parser_place(p),
            "unknown word '%s'; an item begins with compute, send, recv, barrier, ...",
            word);
    }
}

/* ---- numbers ----------------------------------------------------------------------------- */

static size_t count_digits(const struct mpl_text_token *t)
{
    size_t n = 0;

    while (n < t->n && t->at[n] >= '0' && t->at[n] <= '9') {
        n++;
    }
    return n;
}

/* A whole number of at most \p most. */
static bool take_whole(struct mpl_parser *p, const char *what, uint64_t most, uint64_t *out)
{
    const struct mpl_text_token *t = &p->lexer.token;
    uint64_t value = 0;

    if (t->kind != MPL_TOKEN_NUMBER || count_digits(t) != t->n) {
        return mpl_parser_expected(p, what);
    }
    for (size_t i = 0; i < t->n; i++) {
        const uint64_t digit = (uint64_t) (t->at[i] - '0');

        if (value > (most - digit) / 10) {
            mpl_lint_add(p->lint, MPL_LINT_ERROR, mpl_parser_place(p),
                         "'%.*s' is too large", t->n > 40 ? 40 : (int) t->n, t->at);
            return false;
        }
        value = value * 10 + digit;
    }
    *out = value;
    (void) mpl_text_lexer_next(&p->lexer);
    return true;
}

/** Nanoseconds of the digits in \p t, which counts in units of \p unit_ns; -1: too large, -2:
 *  finer than a nanosecond. */
static int64_t value_of(const struct mpl_text_token *t, size_t n, int64_t unit_ns)
{
    int64_t whole = 0;
    int64_t rest = 0;
    int64_t scale = unit_ns;
    size_t i = 0;

    for (; i < n && t->at[i] != '.'; i++) {
        if (whole > latest_ns / unit_ns / 10) {
            return -1;
        }
        whole = whole * 10 + (t->at[i] - '0');
    }
    for (i++; i < n; i++) {
        if (scale % 10 != 0) {
            if (t->at[i] != '0') {
                return -2;
            }
            continue;
        }
        scale /= 10;
        rest += scale * (t->at[i] - '0');
    }
    return whole > (latest_ns - rest) / unit_ns ? -1 : whole * unit_ns + rest;
}

bool mpl_parser_take_time(struct mpl_parser *p, bool may_have_unit, int64_t *out)
{
    const struct mpl_text_token *t = &p->lexer.token;
    int64_t unit_ns = p->unit_ns;
    size_t n = 0;

    if (t->kind != MPL_TOKEN_NUMBER) {
        return mpl_parser_expected(p, "a time");
    }
    while (n < t->n && (t->at[n] == '.' || (t->at[n] >= '0' && t->at[n] <= '9'))) {
        n++;
    }
    if (n < t->n) {
        unit_ns = may_have_unit ? mpl_text_unit_ns(t->at + n, t->n - n) : 0;
    }
    if (unit_ns == 0) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, mpl_parser_place(p), "%s",
                     may_have_unit
                         ? "a unit is s, ms, us or ns"
                         : "times take the unit of the file, they have none of their "
                           "own");
        return false;
    }
    const int64_t value = value_of(t, n, unit_ns);
    if (value < 0) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, mpl_parser_place(p), "this time is %s",
                     value == -1 ? "too large" : "finer than a nanosecond");
        return false;
    }
    *out = value;
    (void) mpl_text_lexer_next(&p->lexer);
    return true;
}

/* ---- values of options -------------------------------------------------------------------------- */

bool mpl_parser_take_name(struct mpl_parser *p, const char *what, struct mpl_text_word *out)
{
    if (p->lexer.token.kind != MPL_TOKEN_WORD) {
        return mpl_parser_expected(p, what);
    }
    *out = (struct mpl_text_word){ copy_token(p), mpl_parser_place(p) };
    (void) mpl_text_lexer_next(&p->lexer);
    return true;
}

bool mpl_parser_take_rank(struct mpl_parser *p, bool may_be_null, struct mpl_text_rank *out)
{
    uint64_t rank;

    out->place = mpl_parser_place(p);
    if (may_be_null && mpl_text_token_is(&p->lexer.token, "null")) {
        out->rank = MPL_TEXT_NULL_RANK;
        (void) mpl_text_lexer_next(&p->lexer);
        return true;
    }
    if (!take_whole(p, may_be_null ? "a rank or 'null'" : "a rank", MPL_TEXT_MOST_RANKS - 1,
                    &rank)) {
        return false;
    }
    out->rank = (int64_t) rank;
    return true;
}

static bool is_label(const struct mpl_parser *p)
{
    const struct mpl_text_token *t = &p->lexer.token;

    return t->kind == MPL_TOKEN_WORD && !t->is_first && options_of_token(t) == 0 &&
           mpl_text_verb_find(t->at, t->n) == NULL;
}

static bool take_labels(struct mpl_parser *p, struct mpl_text_item *item)
{
    item->first_label = p->text->labels.n;
    while (is_label(p)) {
        struct mpl_text_word *label = mpl_buf_add(&p->text->labels);

        if (label == NULL) {
            p->text->is_out_of_memory = true;
            return false;
        }
        (void) mpl_parser_take_name(p, "a request", label);
        item->n_labels++;
    }
    return item->n_labels > 0 || mpl_parser_expected(p, "the name of a request");
}

static bool take_bytes(struct mpl_parser *p, uint64_t *out)
{
    return take_whole(p, "a number of bytes", INT64_MAX / 2, out);
}

static bool take_value(struct mpl_parser *p, unsigned option, struct mpl_text_item *item)
{
    uint64_t number = 0;
    bool ok;

    switch (option) {
    case OPTION_TO:
        return mpl_parser_take_rank(p, true, &item->to);
    case OPTION_FROM:
        return mpl_parser_take_rank(p, true, &item->from);
    case OPTION_ROOT:
        return mpl_parser_take_rank(p, false, &item->root);
    case OPTION_TAG:
        ok = take_whole(p, "a tag", MOST_TAG, &number);
        item->tag = (uint32_t) number;
        return ok;
    case OPTION_BYTES:
        ok = take_bytes(p, &number);
        item->sent_bytes = number;
        item->received_bytes = number;
        return ok;
    case OPTION_SENT:
        return take_bytes(p, &item->sent_bytes);
    case OPTION_RECEIVED:
        return take_bytes(p, &item->received_bytes);
    case OPTION_COMM:
        return mpl_parser_take_name(p, "the name of a communicator", &item->comm);
    case OPTION_AS:
        return is_label(p) ? mpl_parser_take_name(p, "a name", &item->label)
                           : mpl_parser_expected(p, "a name for the request");
    case OPTION_FOR:
        return take_labels(p, item);
    case OPTION_UNFINISHED:
        item->is_unfinished = true;
        return true;
    default:
        return mpl_parser_take_name(p, "the name of a function", &item->name);
    }
}

/** A misspelt option, most likely, which explains better than the option that it left out. */
static bool is_stray_word(const struct mpl_parser *p)
{
    const struct mpl_text_token *t = &p->lexer.token;

    return t->kind == MPL_TOKEN_WORD && !t->is_first &&
           mpl_text_verb_find(t->at, t->n) == NULL;
}

bool mpl_parser_take_options(struct mpl_parser *p, struct mpl_text_item *item)
{
    const struct rule rule = rule_of(item->verb);
    unsigned seen = 0;
    unsigned option;

    while (!p->lexer.token.is_first && (option = options_of_token(&p->lexer.token)) != 0) {
        if ((rule.allowed & option) == 0 || (seen & option) != 0) {
            mpl_lint_add(p->lint, MPL_LINT_ERROR, mpl_parser_place(p),
                         (seen & option) != 0 ? "%s has two '%s'" : "%s takes no '%s'",
                         item->verb->word, word_of_option(option));
            return false;
        }
        seen |= option;
        (void) mpl_text_lexer_next(&p->lexer);
        if (!take_value(p, option, item)) {
            return false;
        }
    }
    if (is_stray_word(p)) {
        mpl_parser_unknown_word(p);
        return false;
    }
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if ((rule.required & ~seen & (unsigned) options[i].option) != 0) {
            mpl_lint_add(p->lint, MPL_LINT_ERROR, item->place, "%s needs '%s'",
                         item->verb->word, options[i].word);
            return false;
        }
    }
    return true;
}
