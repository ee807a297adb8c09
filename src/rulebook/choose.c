/*
 * Which rules can fire at all, as far as their text shows. CLIPS takes 1 ms to read 2 rules, and the traces of small
 * programs are read faster; of all rules a run needs a third, since most speak of patterns and findings
 * that it does not have.
 *
 * A rule can fire where each of its conditions can be met: by a fact that the host may assert, or by one that
 * a rule which can fire asserts. Of a fact with a name, the name must have been said: it is a word of the actions of a
 * rule that can fire, or of a function that they call, since nothing is asserted under a name that was put
 * together from parts. One goes through the rules until none is added.
 */
#include "config.h"

#include "rulebook/demand.h"
#include "rulebook/forms.h"

#include <string.h>

/* ---- conditions --------------------------------------------------------------------------- */

/** A fact that must be there. */
struct wish {
    const char *template;
    const char *name; /**< NULL: any. */
    bool is_given;    /**< The host may assert it. */
};

struct candidate {
    const struct mpl_source *source;
    const struct mpl_construct *construct;
    bool *is_chosen;
    const struct wish *wishes;
    size_t n_wishes;
};

struct chooser {
    struct mpl_arena *arena; /**< Scratch. */
    struct mpl_names *given; /**< Facts that the host may assert: see fact_of(). */
    struct candidate *rules;
    size_t n_rules;
    struct candidate *functions;
    size_t n_functions;
    struct mpl_names *function_names;
    struct mpl_names
        *said; /**< Words of actions; with a parenthesis before it, what begins a list. */
    struct mpl_buf wishes; /**< struct wish, of the rule being read. */
    bool is_nomem;
};

static bool is_one_of(const struct mpl_scanner *s, struct mpl_form_token token,
                      const char *const *words)
{
    while (*words != NULL && !mpl_token_is(s, token, *words)) {
        words++;
    }
    return *words != NULL;
}

static const char *text_of(struct chooser *c, const struct mpl_scanner *s,
                           struct mpl_form_token token)
{
    const char *text = mpl_token_text(s, token, c->arena);

    c->is_nomem = c->is_nomem || text == NULL;
    return text == NULL ? "" : text;
}

/** A word or text that stands alone in its slot, so that no fact with another one is meant. */
static bool is_only_value(struct mpl_scanner after, struct mpl_form_token value)
{
    const char first = after.text[value.begin];
    const bool is_literal =
        value.kind == MPL_FORM_STRING || (value.kind == MPL_FORM_WORD && first != '?' &&
                                          first != '$' && first != ':' && first != '=');

    return is_literal &&
           memchr(after.text + value.begin, '\\', value.end - value.begin) == NULL &&
           mpl_scanner_next(&after).kind == MPL_FORM_CLOSE;
}

/** Behind "(template" up to its end: the name that it asks for, or NULL. */
static const char *read_name(struct chooser *c, struct mpl_scanner *s)
{
    static const char *const names[] = { "name", "note", "loss", NULL };
    const char *name = NULL;

    for (unsigned depth = 1; depth > 0;) {
        const struct mpl_form_token token = mpl_scanner_next(s);
        struct mpl_scanner slot = *s;

        if (token.kind == MPL_FORM_END) {
            return NULL;
        }
        if (token.kind == MPL_FORM_OPEN && depth == 1 &&
            is_one_of(s, mpl_scanner_next(&slot), names)) {
            const struct mpl_form_token value = mpl_scanner_next(&slot);

            name = is_only_value(slot, value) ? text_of(c, s, value) : name;
        }
        depth += token.kind == MPL_FORM_OPEN;
        depth -= token.kind == MPL_FORM_CLOSE;
    }
    return name;
}

/* ---- what is given ---------------------------------------------------------------------------- */

/** A fact with a name, in one word; with "" as its name any other. */
static const char *fact_of(struct chooser *c, const char *template, const char *name)
{
    const char *fact = mpl_arena_printf(c->arena, "%s %s", template, name);

    c->is_nomem = c->is_nomem || fact == NULL;
    return fact == NULL ? "" : fact;
}

static void add_given(struct chooser *c, const char *fact)
{
    c->is_nomem = c->is_nomem || mpl_names_put(c->given, fact) == MPL_NONE;
}

/** That there is some such fact is noted by the template alone. */
static void take_given(struct chooser *c, const struct mpl_given *given, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        add_given(c, given[i].template);
        add_given(
            c, fact_of(c, given[i].template, given[i].name == NULL ? "" : given[i].name));
    }
}

static bool is_noted(const struct chooser *c, const char *fact)
{
    return mpl_names_find(c->given, fact) != MPL_NONE;
}

static bool is_given(struct chooser *c, const char *template, const char *name)
{
    return name == NULL ? is_noted(c, template)
                        : is_noted(c, fact_of(c, template, name)) ||
                              is_noted(c, fact_of(c, template, ""));
}

/* ---- wishes ------------------------------------------------------------------------------------ */

/** Conditions inside of others (`not`, `or`, `exists`) say nothing. */
static bool is_plain(const struct mpl_scanner *s, struct mpl_form_token head)
{
    static const char *const others[] = { "not",    "exists",       "or",      "and",
                                          "forall", "logical",      "declare", "object",
                                          "test",   "initial-fact", NULL };

    return head.kind == MPL_FORM_WORD && !is_one_of(s, head, others);
}

/** What the conditions of a rule ask for. */
static void read_wishes(struct chooser *c, struct candidate *rule)
{
    struct mpl_scanner s = mpl_scanner_make(rule->source->text, rule->construct->end);

    s.at = rule->construct->begin;
    for (unsigned depth = 0;;) {
        const struct mpl_form_token token = mpl_scanner_next(&s);
        struct mpl_scanner behind = s;

        if (token.kind == MPL_FORM_END || (depth == 1 && mpl_token_is(&s, token, "=>"))) {
            break;
        }
        if (token.kind == MPL_FORM_OPEN && depth == 1) {
            const struct mpl_form_token head = mpl_scanner_next(&behind);
            struct wish *wish = is_plain(&s, head) ? mpl_buf_add(&c->wishes) : NULL;

            if (wish != NULL) {
                wish->template = text_of(c, &s, head);
                wish->name = read_name(c, &behind);
                wish->is_given = is_given(c, wish->template, wish->name);
                s = behind;
                continue;
            }
            c->is_nomem = c->is_nomem || is_plain(&s, head);
        }
        depth += token.kind == MPL_FORM_OPEN;
        depth -= token.kind == MPL_FORM_CLOSE;
    }
    rule->n_wishes = c->wishes.n;
    rule->wishes = mpl_buf_take(&c->wishes, c->arena);
    c->is_nomem = c->is_nomem || (rule->n_wishes > 0 && rule->wishes == NULL);
    mpl_buf_free(&c->wishes);
    c->wishes = mpl_buf_make(sizeof(struct wish));
}

/* ---- what is said ------------------------------------------------------------------------------ */

static bool is_said(const struct chooser *c, const char *word)
{
    return mpl_names_find(c->said, word) != MPL_NONE;
}

static bool begins_list(const struct chooser *c, const char *word)
{
    char head[MPL_NAME_BYTES + 2];

    (void) snprintf(head, sizeof head, "(%s", word);
    return is_said(c, head);
}

static bool can_be_met(const struct chooser *c, const struct wish *wish)
{
    return wish->is_given || (begins_list(c, wish->template) &&
                              (wish->name == NULL || is_said(c, wish->name)));
}

static void say(struct chooser *c, const char *word)
{
    c->is_nomem = c->is_nomem || mpl_names_put(c->said, word) == MPL_NONE;
}

/* ---- choosing ------------------------------------------------------------------------------------ */

static void choose(struct chooser *c, struct candidate *candidate);

/** Modules may have functions of the same name: all of them are meant. */
static void choose_function(struct chooser *c, const char *name)
{
    if (mpl_names_find(c->function_names, name) == MPL_NONE) {
        return;
    }
    for (size_t i = 0; i < c->n_functions; i++) {
        if (!*c->functions[i].is_chosen &&
            strcmp(c->functions[i].construct->name, name) == 0) {
            choose(c, &c->functions[i]);
        }
    }
}

/** Behind a parenthesis that begins a list. */
struct word {
    char head[MPL_NAME_BYTES + 2]; /**< "(finding" */
    const char *plain;             /**< "finding", a part of it; without a module */
};

/** False for what is no name: texts with blanks are for people. */
static bool read_word(const struct mpl_scanner *s, struct mpl_form_token token,
                      struct word *word)
{
    const bool is_string = token.kind == MPL_FORM_STRING;
    const char *begin = s->text + token.begin + is_string;
    const size_t n = token.end - token.begin - (is_string ? 2 : 0);

    if ((token.kind != MPL_FORM_WORD && !is_string) || n >= MPL_NAME_BYTES ||
        memchr(begin, ' ', n) != NULL) {
        return false;
    }
    const char *colons = memchr(begin, ':', n);
    const size_t module =
        colons == NULL || n < (size_t) (colons - begin) + 2 || colons[1] != ':'
            ? 0
            : (size_t) (colons - begin) + 2;

    word->head[0] = '(';
    word->plain = word->head + 1;
    memcpy(word->head + 1, begin + module, n - module);
    word->head[n - module + 1] = '\0';
    return true;
}

/**
 * What a construct calls, and of its actions what they say. Functions call only those that are defined before
 * them, so this ends.
 */
static void choose(struct chooser *c, struct candidate *candidate)
{
    const struct mpl_construct *construct = candidate->construct;
    struct mpl_scanner s = mpl_scanner_make(candidate->source->text, construct->end);
    bool is_action = construct->kind != MPL_CONSTRUCT_RULE;
    bool is_head = false;
    struct word word;

    s.at = construct->begin;
    *candidate->is_chosen = true;
    for (struct mpl_form_token token = mpl_scanner_next(&s); token.kind != MPL_FORM_END;
         token = mpl_scanner_next(&s)) {
        is_action = is_action || mpl_token_is(&s, token, "=>");
        if ((is_head || is_action) && read_word(&s, token, &word)) {
            if (is_head) {
                choose_function(c, word.plain);
            }
            if (is_action) {
                say(c, is_head ? word.head : word.plain);
            }
        }
        is_head = token.kind == MPL_FORM_OPEN;
    }
}

static bool can_fire(const struct chooser *c, const struct candidate *rule)
{
    for (size_t i = 0; i < rule->n_wishes; i++) {
        if (!can_be_met(c, &rule->wishes[i])) {
            return false;
        }
    }
    return true;
}

static void choose_rules(struct chooser *c)
{
    bool is_more = true;

    for (size_t i = 0; i < c->n_rules; i++) {
        read_wishes(c, &c->rules[i]);
    }
    while (is_more && !c->is_nomem) {
        is_more = false;
        for (size_t i = 0; i < c->n_rules; i++) {
            if (!*c->rules[i].is_chosen && can_fire(c, &c->rules[i])) {
                choose(c, &c->rules[i]);
                is_more = true;
            }
        }
    }
}

/** Rules and functions wait; all else is chosen, and may call functions and say names. */
static void sort_constructs(struct chooser *c, const struct mpl_rules *rules, bool *chosen)
{
    for (size_t i = 0; i < rules->n_sources; i++) {
        const struct mpl_source *source = rules->sources[i];

        for (size_t j = 0; j < source->n; j++, chosen++) {
            const struct candidate candidate = { .source = source,
                                                 .construct = &source->constructs[j],
                                                 .is_chosen = chosen };

            if (candidate.construct->kind == MPL_CONSTRUCT_RULE) {
                c->rules[c->n_rules++] = candidate;
            } else if (candidate.construct->kind == MPL_CONSTRUCT_FUNCTION) {
                c->functions[c->n_functions++] = candidate;
                c->is_nomem =
                    c->is_nomem ||
                    mpl_names_put(c->function_names, candidate.construct->name) == MPL_NONE;
            } else {
                *chosen = true;
            }
        }
    }
}

static void choose_others(struct chooser *c, const struct mpl_rules *rules, bool *chosen)
{
    for (size_t i = 0; i < rules->n_sources; i++) {
        for (size_t j = 0; j < rules->sources[i]->n; j++, chosen++) {
            if (*chosen) {
                struct candidate other = { .source = rules->sources[i],
                                           .construct = &rules->sources[i]->constructs[j],
                                           .is_chosen = chosen };

                choose(c, &other);
            }
        }
    }
}

static size_t count_constructs(const struct mpl_rules *rules)
{
    size_t n = 0;

    for (size_t i = 0; i < rules->n_sources; i++) {
        n += rules->sources[i]->n;
    }
    return n;
}

bool *mpl_rules_choose(const struct mpl_rules *rules, const struct mpl_given *given,
                       size_t n_given, struct mpl_arena *arena)
{
    const size_t n = count_constructs(rules);
    bool *chosen = MPL_NEW_ARRAY(arena, n, bool);
    struct chooser c = { .arena = arena,
                         .given = mpl_names_create(),
                         .rules = MPL_NEW_ARRAY(arena, n, struct candidate),
                         .functions = MPL_NEW_ARRAY(arena, n, struct candidate),
                         .function_names = mpl_names_create(),
                         .said = mpl_names_create(),
                         .wishes = mpl_buf_make(sizeof(struct wish)) };

    if (chosen == NULL || c.rules == NULL || c.functions == NULL || c.given == NULL ||
        c.function_names == NULL || c.said == NULL) {
        c.is_nomem = true;
    } else if (given == NULL) {
        memset(chosen, true, n * sizeof *chosen);
    } else {
        take_given(&c, given, n_given);
        sort_constructs(&c, rules, chosen);
        choose_others(&c, rules, chosen);
        choose_rules(&c);
    }
    mpl_names_destroy(c.given);
    mpl_names_destroy(c.function_names);
    mpl_names_destroy(c.said);
    mpl_buf_free(&c.wishes);
    return c.is_nomem ? NULL : chosen;
}
