/*
 * The left side of a rule as a tree. CLIPS keeps no text of its conditions that could be quoted,
 * so the text is read again. The rule was accepted by CLIPS before: what is not understood here is
 * taken as it comes.
 */
#include "config.h"

#include "rulebook/conditions.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct mpl_scanner scanner;
    struct mpl_arena *arena;
    unsigned first_line;
};

static struct reader make_reader(const struct mpl_source *source,
                                 const struct mpl_construct *c, struct mpl_arena *arena)
{
    return (struct reader){
        .scanner = mpl_scanner_make(source->text + c->begin, c->end - c->begin),
        .arena = arena,
        .first_line = c->first_line,
    };
}

static struct mpl_form_token peek(const struct reader *r)
{
    struct mpl_scanner ahead = r->scanner;

    return mpl_scanner_next(&ahead);
}

static struct mpl_form_token next(struct reader *r)
{
    return mpl_scanner_next(&r->scanner);
}

static const char *text_of(struct reader *r, struct mpl_form_token token)
{
    const char *text = mpl_token_text(&r->scanner, token, r->arena);

    return text == NULL ? "" : text;
}

static bool ends_list(const struct reader *r)
{
    const struct mpl_form_token token = peek(r);

    return mpl_arena_is_short(r->arena) || token.kind == MPL_FORM_CLOSE ||
           token.kind == MPL_FORM_END;
}

static const struct mpl_form *read_form(struct reader *r)
{
    return mpl_form_read(&r->scanner, "", r->arena);
}

/* ---- slots ------------------------------------------------------------------------------------ */

static struct mpl_rule_value literal_of(const char *text, bool is_string)
{
    char *end = NULL;
    const double number = strtod(text, &end);
    const bool is_number = !is_string && end != text && *end == '\0' &&
                           strspn(text, "+-.0123456789eE") == strlen(text);
    const enum mpl_rule_value_kind kind = is_string                      ? MPL_RULE_STRING
                                          : !is_number                   ? MPL_RULE_SYMBOL
                                          : strpbrk(text, ".eE") != NULL ? MPL_RULE_FLOAT
                                                                         : MPL_RULE_INTEGER;

    return (struct mpl_rule_value){ .kind = kind, .text = text, .number = number };
}

/** The word of a term: "?x", "$?x", "?", ":" before a parenthesis, or a literal. */
static void read_word(struct reader *r, struct mpl_form_token token,
                      struct mpl_rule_term *term, bool *is_multi)
{
    const char *text = text_of(r, token);
    const bool is_string = token.kind == MPL_FORM_STRING;

    if (!is_string && text[0] == '$' && text[1] == '?') {
        *is_multi = true;
        text++;
    }
    if (is_string || (text[0] != '?' && strcmp(text, ":") != 0 && strcmp(text, "=") != 0)) {
        term->kind = MPL_TERM_LITERAL;
        term->literal = literal_of(text, is_string);
    } else if (text[0] != '?') {
        term->kind = text[0] == ':' ? MPL_TERM_PREDICATE : MPL_TERM_EQUALS;
        term->expr = read_form(r);
    } else {
        term->kind = text[1] == '\0' ? MPL_TERM_ANY : MPL_TERM_VARIABLE;
        term->name = text + 1;
    }
}

static struct mpl_rule_term *read_term(struct reader *r, bool *is_multi)
{
    struct mpl_rule_term *term = MPL_NEW(r->arena, struct mpl_rule_term);
    struct mpl_form_token token = next(r);

    if (term == NULL) {
        return NULL;
    }
    while (token.kind == MPL_FORM_OTHER) {
        const char c = r->scanner.text[token.begin];

        term->is_negated = term->is_negated != (c == '~');
        term->is_alternative = term->is_alternative || c == '|';
        token = next(r);
    }
    read_word(r, token, term, is_multi);
    return term;
}

/** Terms that '&' and '|' connect. */
static struct mpl_rule_item *read_item(struct reader *r)
{
    struct mpl_rule_item *item = MPL_NEW(r->arena, struct mpl_rule_item);

    if (item == NULL) {
        return NULL;
    }

    const struct mpl_rule_term **end = &item->terms;

    for (bool goes_on = true; goes_on && !mpl_arena_is_short(r->arena);) {
        struct mpl_rule_term *term = read_term(r, &item->is_multi);

        if (term == NULL) {
            return NULL;
        }
        *end = term;
        end = &term->next;

        const struct mpl_form_token token = peek(r);

        goes_on = token.kind == MPL_FORM_OTHER && r->scanner.text[token.begin] != '~';
    }
    return item;
}

static struct mpl_rule_constraint *read_constraint(struct reader *r)
{
    struct mpl_rule_constraint *constraint = MPL_NEW(r->arena, struct mpl_rule_constraint);

    if (constraint == NULL) {
        return NULL;
    }
    const struct mpl_form_token open = next(r);

    constraint->slot = text_of(r, next(r));
    constraint->source = r->scanner.text + open.begin;

    const struct mpl_rule_item **end = &constraint->items;

    while (!ends_list(r)) {
        struct mpl_rule_item *item = read_item(r);

        if (item == NULL) {
            return NULL;
        }
        *end = item;
        end = &item->next;
    }
    constraint->bytes = next(r).end - open.begin;
    return constraint;
}

/* ---- conditions ---------------------------------------------------------------------------------- */

struct group {
    const char *word;
    enum mpl_rule_condition_kind kind;
};

static const struct group groups[] = {
    { "and", MPL_CONDITION_AND },       { "logical", MPL_CONDITION_AND },
    { "or", MPL_CONDITION_OR },         { "not", MPL_CONDITION_NOT },
    { "exists", MPL_CONDITION_EXISTS }, { "forall", MPL_CONDITION_FORALL },
};
enum { N_GROUPS = sizeof groups / sizeof groups[0] };

/** The text from \p begin to \p end with each run of blanks and comments as one blank. */
static const char *quote(struct reader *r, size_t begin, size_t end)
{
    struct mpl_scanner s = mpl_scanner_make(r->scanner.text + begin, end - begin);
    char *text = mpl_arena_alloc(r->arena, end - begin + 1);
    size_t n = 0;
    size_t last = 0;

    if (text == NULL) {
        return "";
    }
    for (struct mpl_form_token t = mpl_scanner_next(&s); t.kind != MPL_FORM_END;
         t = mpl_scanner_next(&s)) {
        if (n > 0 && t.begin > last && t.kind != MPL_FORM_CLOSE) {
            text[n++] = ' ';
        }
        memcpy(text + n, s.text + t.begin, t.end - t.begin);
        n += t.end - t.begin;
        last = t.end;
    }
    text[n] = '\0';
    return text;
}

static struct mpl_rule_condition *read_condition(struct reader *r);

static void read_parts(struct reader *r, const struct mpl_rule_condition **end)
{
    while (!ends_list(r)) {
        struct mpl_rule_condition *part = read_condition(r);

        if (part == NULL) {
            return;
        }
        *end = part;
        end = &part->next;
    }
}

static void read_slots(struct reader *r, struct mpl_rule_condition *c)
{
    const struct mpl_rule_constraint **end = &c->constraints;

    while (!ends_list(r)) {
        if (peek(r).kind != MPL_FORM_OPEN) {
            (void) next(r); /* An ordered fact; the vocabulary has none. */
            continue;
        }

        struct mpl_rule_constraint *constraint = read_constraint(r);

        if (constraint == NULL) {
            return;
        }
        *end = constraint;
        end = &constraint->next;
    }
}

static void read_inside(struct reader *r, struct mpl_rule_condition *c,
                        struct mpl_form_token head)
{
    for (size_t i = 0; i < N_GROUPS; i++) {
        if (mpl_token_is(&r->scanner, head, groups[i].word)) {
            c->kind = groups[i].kind;
            read_parts(r, &c->first);
            return;
        }
    }
    if (mpl_token_is(&r->scanner, head, "test")) {
        c->kind = MPL_CONDITION_TEST;
        c->test = read_form(r);
        return;
    }
    c->kind = MPL_CONDITION_PATTERN;
    c->template = text_of(r, head);

    const char *colons = strstr(c->template, "::");

    c->template = colons == NULL ? c->template : colons + 2;
    read_slots(r, c);
}

static struct mpl_rule_condition *read_condition(struct reader *r)
{
    struct mpl_rule_condition *c = MPL_NEW(r->arena, struct mpl_rule_condition);
    struct mpl_form_token token = next(r);

    if (c == NULL) {
        return NULL;
    }
    if (token.kind == MPL_FORM_WORD) { /* "?f <- (…)" */
        c->address = text_of(r, token);
        c->address += c->address[0] == '?';
        (void) next(r);
        token = next(r);
    }
    c->line = r->first_line + token.line - 1;
    read_inside(r, c, next(r));
    while (!ends_list(r)) {
        (void) read_form(r);
    }
    c->text = quote(r, token.begin, next(r).end);
    return c;
}

/** Past "(defrule NAME "says" (declare …)". */
static void skip_head(struct reader *r)
{
    for (;;) {
        struct mpl_scanner ahead = r->scanner;
        const struct mpl_form_token token = mpl_scanner_next(&ahead);

        if (token.kind == MPL_FORM_OPEN &&
            mpl_token_is(&ahead, mpl_scanner_next(&ahead), "declare")) {
            (void) read_form(r);
        } else if (token.kind == MPL_FORM_STRING) {
            (void) next(r);
        } else {
            return;
        }
    }
}

bool mpl_rule_conditions(const struct mpl_source *source,
                         const struct mpl_construct *construct, struct mpl_arena *arena,
                         const struct mpl_rule_condition **out)
{
    struct reader r = make_reader(source, construct, arena);
    const struct mpl_rule_condition **end = out;

    *out = NULL;
    for (int i = 0; i < 3; i++) { /* "(", "defrule", the name */
        (void) next(&r);
    }
    skip_head(&r);
    while (!ends_list(&r) && !mpl_token_is(&r.scanner, peek(&r), "=>")) {
        struct mpl_rule_condition *c = read_condition(&r);

        if (c == NULL) {
            return false;
        }
        *end = c;
        end = &c->next;
    }
    return !mpl_arena_is_short(arena);
}

bool mpl_rule_actions(const struct mpl_source *source,
                      const struct mpl_construct *construct, struct mpl_arena *arena,
                      const struct mpl_form **out)
{
    struct reader r = make_reader(source, construct, arena);
    const struct mpl_form *whole = mpl_form_read(&r.scanner, "", arena);

    *out = NULL;
    if (mpl_arena_is_short(arena)) {
        return false;
    }
    *out = whole->first;
    for (const struct mpl_form *e = whole->first; e != NULL; e = e->next) {
        if (e->kind != MPL_FORM_OPEN && e->kind != MPL_FORM_STRING &&
            strcmp(e->text, "=>") == 0) {
            *out = e->next;
        }
    }
    return true;
}

/* ---- what conditions say of slots --------------------------------------------------------- */

const struct mpl_rule_item *mpl_rule_item_of(const struct mpl_rule_condition *c,
                                             const char *slot)
{
    for (const struct mpl_rule_constraint *k = c->constraints; k != NULL; k = k->next) {
        if (strcmp(k->slot, slot) == 0) {
            return k->items;
        }
    }
    return NULL;
}

const struct mpl_rule_term *mpl_rule_plain_term(const struct mpl_rule_condition *c,
                                                const char *slot)
{
    const struct mpl_rule_item *item = mpl_rule_item_of(c, slot);
    const struct mpl_rule_term *term =
        item == NULL || item->is_multi || item->next != NULL ? NULL : item->terms;

    if (term == NULL || term->is_negated) {
        return NULL;
    }
    for (const struct mpl_rule_term *t = term->next; t != NULL; t = t->next) {
        if (t->is_alternative) {
            return NULL;
        }
    }
    return term->kind == MPL_TERM_VARIABLE ||
                   (term->kind == MPL_TERM_LITERAL && term->next == NULL)
               ? term
               : NULL;
}
