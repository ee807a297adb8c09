/*
 * CLIPS skips text outside constructs without a word, reports an open string at the end of the
 * file, replaces a rule by another one of the same name in silence, and overflows its stack on
 * deep nesting. So a scanner of our own looks at the outer form first, and hands CLIPS one
 * balanced construct at a time. Its tokens are those of CLIPS as far as strings, comments and
 * parentheses go; a difference elsewhere does no harm, since CLIPS parses the construct anyway.
 */
#include "config.h"

#include "rulebook/rulebook_priv.h"

#include <string.h>

/* ---- tokens ------------------------------------------------------------------ */

struct mpl_scanner mpl_scanner_make(const char *text, size_t bytes)
{
    return (struct mpl_scanner){ .text = text, .bytes = bytes, .line = 1 };
}

static void step(struct mpl_scanner *s)
{
    if (s->text[s->at++] == '\n') {
        s->line++;
        s->line_begin = s->at;
    }
}

/* A table, since all rules are read at each start. */
enum { IS_BLANK = 1, ENDS_WORD = 2 };
static const unsigned char kinds[256] = {
    [' '] = IS_BLANK | ENDS_WORD,
    ['\t'] = IS_BLANK | ENDS_WORD,
    ['\n'] = IS_BLANK | ENDS_WORD,
    ['\r'] = IS_BLANK | ENDS_WORD,
    ['\f'] = IS_BLANK | ENDS_WORD,
    ['('] = ENDS_WORD,
    [')'] = ENDS_WORD,
    ['"'] = ENDS_WORD,
    [';'] = ENDS_WORD,
    ['&'] = ENDS_WORD,
    ['|'] = ENDS_WORD,
    ['~'] = ENDS_WORD,
};

static bool is_blank(char c)
{
    return (kinds[(unsigned char) c] & IS_BLANK) != 0;
}

static bool ends_word(char c)
{
    return (kinds[(unsigned char) c] & ENDS_WORD) != 0;
}

/** Up to the end of the line, or of the text. */
static void skip_comment(struct mpl_scanner *s)
{
    const char *end = memchr(s->text + s->at, '\n', s->bytes - s->at);

    s->at = end == NULL ? s->bytes : (size_t) (end - s->text);
}

static void skip_blanks(struct mpl_scanner *s)
{
    while (s->at < s->bytes) {
        const char c = s->text[s->at];

        if (c == ';') {
            skip_comment(s);
        } else if (is_blank(c)) {
            step(s);
        } else {
            return;
        }
    }
}

static void read_string(struct mpl_scanner *s, struct mpl_form_token *token)
{
    token->kind = MPL_FORM_STRING;
    s->at++;
    while (s->at < s->bytes) {
        const char c = s->text[s->at];

        step(s);
        if (c == '"') {
            token->is_closed = true;
            return;
        }
        if (c == '\\' && s->at < s->bytes) {
            step(s);
        }
    }
}

struct mpl_form_token mpl_scanner_next(struct mpl_scanner *s)
{
    skip_blanks(s);

    struct mpl_form_token token = { .kind = MPL_FORM_END,
                                    .begin = s->at,
                                    .line = s->line,
                                    .column = (unsigned) (s->at - s->line_begin) + 1 };

    if (s->at >= s->bytes) {
        token.end = s->at;
        return token;
    }

    const char c = s->text[s->at];

    if (c == '"') {
        read_string(s, &token);
    } else if (ends_word(c)) {
        token.kind = c == '(' ? MPL_FORM_OPEN : c == ')' ? MPL_FORM_CLOSE : MPL_FORM_OTHER;
        step(s);
    } else {
        token.kind = MPL_FORM_WORD;
        while (s->at < s->bytes && !ends_word(s->text[s->at])) {
            s->at++;
        }
    }
    token.end = s->at;
    return token;
}

char *mpl_token_text(const struct mpl_scanner *s, struct mpl_form_token token,
                     struct mpl_arena *arena)
{
    if (token.kind != MPL_FORM_STRING) {
        return mpl_arena_strndup(arena, s->text + token.begin, token.end - token.begin);
    }

    char *text = mpl_arena_alloc(arena, token.end - token.begin + 1);
    const size_t last = token.end - (token.is_closed ? 1 : 0);
    size_t n = 0;

    if (text == NULL) {
        return NULL;
    }
    for (size_t i = token.begin + 1; i < last; i++) {
        if (s->text[i] == '\\' && i + 1 < last) {
            i++;
        }
        text[n++] = s->text[i];
    }
    return text;
}

bool mpl_token_is(const struct mpl_scanner *s, struct mpl_form_token token,
                  const char *word)
{
    const size_t n = strlen(word);

    return token.kind == MPL_FORM_WORD && token.end - token.begin == n &&
           memcmp(s->text + token.begin, word, n) == 0;
}

/* ---- constructs ---------------------------------------------------------------- */

struct keyword {
    const char *word;
    enum mpl_construct_kind kind;
};

static const struct keyword keywords[] = {
    { "defrule", MPL_CONSTRUCT_RULE },         { "deftemplate", MPL_CONSTRUCT_TEMPLATE },
    { "deffacts", MPL_CONSTRUCT_FACTS },       { "defglobal", MPL_CONSTRUCT_GLOBAL },
    { "deffunction", MPL_CONSTRUCT_FUNCTION }, { "defmodule", MPL_CONSTRUCT_MODULE },
};
enum { N_KEYWORDS = sizeof keywords / sizeof keywords[0] };

static const char *const forbidden[] = { "defclass", "definstances", "defmessage-handler",
                                         "defgeneric", "defmethod" };
enum { N_FORBIDDEN = sizeof forbidden / sizeof forbidden[0] };

struct word {
    const char *text;
    unsigned line;
};

/** State of one pass over a text. */
struct pass {
    struct mpl_scanner scanner;
    const char *file;
    struct mpl_arena *arena;
    struct mpl_lint *lint;
    struct mpl_buf constructs;
    struct mpl_buf words; /**< struct word; of the construct being read */
    struct mpl_construct current;
    bool is_nomem;
};

static struct mpl_place place_of(const struct pass *p, struct mpl_form_token token)
{
    return (
        struct mpl_place){ .file = p->file, .line = token.line, .column = token.column };
}

static const struct keyword *find_keyword(const struct pass *p, struct mpl_form_token token)
{
    for (size_t i = 0; i < N_KEYWORDS; i++) {
        if (mpl_token_is(&p->scanner, token, keywords[i].word)) {
            return &keywords[i];
        }
    }
    return NULL;
}

static const char *text_of(struct pass *p, struct mpl_form_token token)
{
    const char *text = mpl_token_text(&p->scanner, token, p->arena);

    if (text == NULL) {
        p->is_nomem = true;
        return "";
    }
    return text;
}

/** Says what is wrong with the keyword of a construct. */
static void refuse_keyword(struct pass *p, struct mpl_form_token token)
{
    const struct mpl_place place = place_of(p, token);
    const char *words[N_KEYWORDS];

    if (token.kind != MPL_FORM_WORD) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, place,
                     "a construct such as defrule is expected after the parenthesis");
        return;
    }

    const char *text = text_of(p, token);

    for (size_t i = 0; i < N_FORBIDDEN; i++) {
        if (strcmp(text, forbidden[i]) == 0) {
            mpl_lint_add(p->lint, MPL_LINT_ERROR, place,
                         "'%s' is not allowed in rules: objects can run code on their own",
                         text);
            return;
        }
    }
    for (size_t i = 0; i < N_KEYWORDS; i++) {
        words[i] = keywords[i].word;
    }

    const char *near = mpl_suggest(text, words, N_KEYWORDS);

    if (near != NULL) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, place,
                     "unknown construct '%s'; did you mean '%s'?", text, near);
    } else {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, place, "unknown construct '%s'", text);
    }
}

static void set_name(struct pass *p, struct mpl_form_token token)
{
    struct mpl_construct *c = &p->current;
    const char *text = text_of(p, token);
    const char *colons = strstr(text, "::");

    c->name_place = place_of(p, token);
    if (token.end - token.begin > MPL_NAME_BYTES) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, c->name_place,
                     "a name is longer than %d characters", MPL_NAME_BYTES);
    }
    c->name = text;
    if (colons != NULL) {
        c->module = mpl_arena_strndup(p->arena, text, (size_t) (colons - text));
        c->name = colons + 2;
        p->is_nomem = p->is_nomem || c->module == NULL;
    }
}

static void add_word(struct pass *p, struct mpl_form_token token)
{
    const struct word word = { .text = text_of(p, token), .line = token.line };

    p->is_nomem = !mpl_buf_put(&p->words, &word) || p->is_nomem;
}

static bool is_global_name(const struct pass *p, struct mpl_form_token token)
{
    return token.end - token.begin > 3 &&
           strncmp(p->scanner.text + token.begin, "?*", 2) == 0;
}

/** Takes what the index needs from the \p nth token (from 0) of a construct at \p depth. */
static void note_token(struct pass *p, struct mpl_form_token token, size_t nth,
                       unsigned depth)
{
    struct mpl_construct *c = &p->current;

    if (c->kind == MPL_CONSTRUCT_GLOBAL) {
        if (depth == 1 && nth == 0 && token.kind == MPL_FORM_WORD &&
            !is_global_name(p, token)) {
            c->module = text_of(p, token);
            c->name_place = place_of(p, token);
        } else if (depth == 1 && token.kind == MPL_FORM_WORD && is_global_name(p, token)) {
            add_word(p, token);
        }
        return;
    }
    if (nth == 0 && token.kind == MPL_FORM_WORD) {
        set_name(p, token);
    } else if (nth == 1 && token.kind == MPL_FORM_STRING && depth == 1) {
        c->says = text_of(p, token);
    } else if (c->kind == MPL_CONSTRUCT_FUNCTION && token.kind == MPL_FORM_WORD) {
        add_word(p, token);
    }
}

/** A short text may become long, but one that is long from the start is not meant for people. */
static void check_string(struct pass *p, struct mpl_form_token token)
{
    if (token.kind == MPL_FORM_STRING && token.end - token.begin > MPL_TEXT_BYTES) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, place_of(p, token),
                     "a string is longer than %d KiB", MPL_TEXT_BYTES >> 10);
    }
}

/** CLIPS looks up the module of "::x" without a look whether there is a name. */
static void check_word(struct pass *p, struct mpl_form_token token)
{
    const char *begin = p->scanner.text + token.begin;
    const char *end = p->scanner.text + token.end;

    if (token.kind == MPL_FORM_WORD && end - begin >= 2 &&
        (memcmp(begin, "::", 2) == 0 || memcmp(end - 2, "::", 2) == 0)) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, place_of(p, token),
                     "a name is missing beside '::'");
    }
}

static void keep_words(struct pass *p)
{
    const size_t n = p->words.n;
    const char **texts = MPL_NEW_ARRAY(p->arena, n, const char *);
    unsigned *lines = MPL_NEW_ARRAY(p->arena, n, unsigned);

    if (texts == NULL || lines == NULL) {
        p->is_nomem = true;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const struct word *word = mpl_buf_get(&p->words, i);

        texts[i] = word->text;
        lines[i] = word->line;
    }
    p->current.n_words = n;
    p->current.words = texts;
    p->current.word_lines = lines;
    p->words.n = 0;
}

static void keep_construct(struct pass *p, struct mpl_form_token close)
{
    struct mpl_construct *c = &p->current;

    c->end = close.end;
    c->last_line = close.line;
    if (c->name == NULL && c->kind != MPL_CONSTRUCT_GLOBAL) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR,
                     (struct mpl_place){ .file = p->file, .line = c->first_line },
                     "this %s has no name", c->keyword);
        p->words.n = 0;
        return;
    }
    keep_words(p);

    struct mpl_construct kept = *c;

    kept.name = c->name == NULL ? "" : c->name;
    p->is_nomem = !mpl_buf_put(&p->constructs, &kept) || p->is_nomem;
}

/**
 * A "(defrule" in the first column inside a construct is a parenthesis forgotten before it,
 * not a nested construct: CLIPS has none. Saying so names the right construct and goes on.
 */
static bool begins_next(const struct pass *p, struct mpl_form_token token)
{
    struct mpl_scanner ahead = p->scanner;

    return token.kind == MPL_FORM_OPEN && token.column == 1 &&
           find_keyword(p, mpl_scanner_next(&ahead)) != NULL;
}

static void report_open(struct pass *p, struct mpl_form_token open,
                        struct mpl_form_token at)
{
    const struct mpl_construct *c = &p->current;
    const char *blank = c->name == NULL ? "" : " ";
    const char *name = c->name == NULL ? "" : c->name;

    if (at.kind == MPL_FORM_STRING) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, place_of(p, at),
                     "this string is never closed (in the %s%s%s of line %u)", c->keyword,
                     blank, name, open.line);
    } else if (at.kind == MPL_FORM_END) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, place_of(p, open),
                     "the %s%s%s that begins here is never closed", c->keyword, blank,
                     name);
    } else {
        mpl_lint_add(
            p->lint, MPL_LINT_ERROR, place_of(p, open),
            "the %s%s%s that begins here is not closed before the next construct in "
            "line %u",
            c->keyword, blank, name, at.line);
    }
    p->words.n = 0;
}

/** Sizes of the construct being read, which CLIPS' parser takes to a power. */
struct sizes {
    size_t n_words;
    size_t n_bars;
    size_t n_parts[MPL_SCAN_DEPTH + 2]; /**< Of the open lists, by depth. */
    bool is_too_large;
};

/** Counts a token that stands in a list at \p depth; one message per construct is enough. */
static void measure(struct pass *p, struct sizes *sizes, struct mpl_form_token token,
                    unsigned depth)
{
    const char *what = NULL;
    int most = 0;

    sizes->n_words++;
    sizes->n_bars += token.kind == MPL_FORM_OTHER && p->scanner.text[token.begin] == '|';
    if (sizes->n_words > MPL_WORDS) {
        what = "words";
        most = MPL_WORDS;
    } else if (sizes->n_bars > MPL_ALTERNATIVES) {
        what = "alternatives with '|'";
        most = MPL_ALTERNATIVES;
    } else if (depth <= MPL_SCAN_DEPTH && ++sizes->n_parts[depth] > MPL_LIST_PARTS) {
        what = "parts in one list";
        most = MPL_LIST_PARTS;
    }
    if (what != NULL && !sizes->is_too_large) {
        sizes->is_too_large = true;
        mpl_lint_add(p->lint, MPL_LINT_ERROR, place_of(p, token),
                     "this %s has more than %d %s", p->current.keyword, most, what);
    }
}

/** Reads what follows "(defrule". The next token afterwards is the next construct's. */
static void read_construct(struct pass *p, struct mpl_form_token open)
{
    struct sizes sizes = { 0 };
    unsigned depth = 1;

    for (size_t nth = 0;; nth++) {
        const struct mpl_scanner before = p->scanner;
        const struct mpl_form_token token = mpl_scanner_next(&p->scanner);

        if (token.kind == MPL_FORM_END ||
            (token.kind == MPL_FORM_STRING && !token.is_closed)) {
            report_open(p, open, token);
            return;
        }
        if (begins_next(p, token)) {
            report_open(p, open, token);
            p->scanner = before;
            return;
        }
        measure(p, &sizes, token, depth);
        if (token.kind == MPL_FORM_OPEN && depth < MPL_SCAN_DEPTH) {
            sizes.n_parts[depth + 1] = 0;
        }
        if (token.kind == MPL_FORM_OPEN && ++depth > p->current.depth) {
            p->current.depth = depth;
            if (depth == MPL_SCAN_DEPTH + 1) {
                mpl_lint_add(p->lint, MPL_LINT_ERROR, place_of(p, token),
                             "parentheses are nested more than %d deep", MPL_SCAN_DEPTH);
            }
        }
        if (token.kind == MPL_FORM_CLOSE && --depth == 0) {
            keep_construct(p, token);
            return;
        }
        check_string(p, token);
        check_word(p, token);
        note_token(p, token, nth, depth);
    }
}

/** Passes over a parenthesis that is no construct, up to its end or the next construct. */
static void skip_form(struct pass *p)
{
    unsigned depth = 1;

    while (depth > 0) {
        const struct mpl_scanner before = p->scanner;
        const struct mpl_form_token token = mpl_scanner_next(&p->scanner);

        if (token.kind == MPL_FORM_END) {
            return;
        }
        if (begins_next(p, token)) {
            p->scanner = before;
            return;
        }
        depth += token.kind == MPL_FORM_OPEN;
        depth -= token.kind == MPL_FORM_CLOSE;
    }
}

static void read_form(struct pass *p, struct mpl_form_token open)
{
    const struct mpl_scanner before = p->scanner;
    const struct mpl_form_token word = mpl_scanner_next(&p->scanner);
    const struct keyword *keyword = find_keyword(p, word);

    if (keyword == NULL) {
        refuse_keyword(p, word);
        p->scanner = before;
        skip_form(p);
        return;
    }
    p->current = (struct mpl_construct){
        .kind = keyword->kind,
        .keyword = keyword->word,
        .module = "MAIN",
        .says = "",
        .begin = open.begin,
        .first_line = open.line,
        .depth = 1,
    };
    read_construct(p, open);
}

bool mpl_scan_bytes(const char *file, const char *text, size_t bytes, struct mpl_lint *lint)
{
    unsigned line = 1;
    size_t begin = 0;

    for (size_t i = 0; i < bytes; i++) {
        const unsigned char c = (unsigned char) text[i];

        if (c == '\n') {
            line++;
            begin = i + 1;
        } else if ((c < ' ' && !is_blank((char) c)) || c == 127) {
            mpl_lint_add(lint, MPL_LINT_ERROR,
                         (struct mpl_place){ file, line, (unsigned) (i - begin) + 1 },
                         "control character 0x%02x in the text", c);
            return false;
        }
    }
    return true;
}

static void scan_all(struct pass *p)
{
    const size_t before = mpl_lint_count(p->lint);
    bool in_stray_text = false; /* One message for a run of words is enough. */

    while (mpl_lint_count(p->lint) < before + MPL_FAULTS) {
        const struct mpl_form_token token = mpl_scanner_next(&p->scanner);

        if (token.kind == MPL_FORM_END) {
            return;
        }
        if (token.kind == MPL_FORM_OPEN) {
            in_stray_text = false;
            read_form(p, token);
            continue;
        }
        if (!in_stray_text) {
            mpl_lint_add(p->lint, MPL_LINT_ERROR, place_of(p, token),
                         token.kind == MPL_FORM_CLOSE
                             ? "this parenthesis closes nothing"
                             : "text outside of constructs; comments begin with ';'");
        }
        in_stray_text = true;
    }
}

enum mpl_status mpl_scan(struct mpl_source *source, struct mpl_arena *arena,
                         struct mpl_lint *lint, struct mpl_err *err)
{
    struct pass p = { .scanner = mpl_scanner_make(source->text, source->bytes),
                      .file = source->file,
                      .arena = arena,
                      .lint = lint,
                      .constructs = mpl_buf_make(sizeof(struct mpl_construct)),
                      .words = mpl_buf_make(sizeof(struct word)) };

    if (mpl_scan_bytes(source->file, source->text, source->bytes, lint)) {
        scan_all(&p);
    }
    source->n = p.constructs.n;
    source->constructs = mpl_buf_take(&p.constructs, arena);
    mpl_buf_free(&p.constructs);
    mpl_buf_free(&p.words);
    if (p.is_nomem || (source->n > 0 && source->constructs == NULL)) {
        return mpl_nomem(err);
    }
    return MPL_OK;
}
