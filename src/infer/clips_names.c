/*
 * Variables, globals and values that CLIPS refuses: it reports them with the line in which the construct
 * or the list ends. Here the place of the use is looked up in the text, and what may have been meant.
 */
#include "config.h"

#include "infer/clips_priv.h"

#include <string.h>

enum { LISTED = 6 };

/* ---- places ----------------------------------------------------------------------------- */

struct mpl_scanner mpl_load_scanner(const struct load *load)
{
    const struct mpl_construct *c = load->construct;

    return mpl_scanner_make(load->source->text + c->begin, c->end - c->begin);
}

struct mpl_place mpl_load_place_of(const struct load *load, struct mpl_form_token token)
{
    const struct mpl_construct *c = load->construct;
    size_t before = 0; /* characters of the first line before the construct */

    while (token.line == 1 && before < c->begin &&
           load->source->text[c->begin - before - 1] != '\n') {
        before++;
    }
    return (struct mpl_place){ .file = load->source->file,
                               .line = c->first_line + token.line - 1,
                               .column = token.column + (unsigned) before };
}

struct mpl_place mpl_load_place_of_word(const struct load *load, struct mpl_place line,
                                        const char *word)
{
    struct mpl_scanner scanner = mpl_load_scanner(load);
    bool is_head = false;

    for (struct mpl_form_token t = mpl_scanner_next(&scanner); t.kind != MPL_FORM_END;
         t = mpl_scanner_next(&scanner)) {
        const struct mpl_place place = mpl_load_place_of(load, t);

        if (is_head && place.line == line.line && mpl_token_is(&scanner, t, word)) {
            return place;
        }
        is_head = t.kind == MPL_FORM_OPEN;
    }
    return line;
}

/* "$?x" and "?x" are one variable. */
static const char *without_dollar(const char *word)
{
    return word[0] == '$' && word[1] == '?' ? word + 1 : word;
}

static bool is_global(const char *word)
{
    const size_t n = strlen(word);

    return n > 3 && strncmp(word, "?*", 2) == 0 && word[n - 1] == '*';
}

static bool is_local(const char *word)
{
    return word[0] == '?' && word[1] != '\0' && !is_global(word);
}

/* ---- variables --------------------------------------------------------------------------- */

/* What the text of a construct says about one variable, "?x". */
struct use {
    struct mpl_form_token token; /* the first, behind the arrow if it is used there only */
    bool is_before_arrow;        /* it stands in the conditions, too */
    struct mpl_buf others; /* const char *: other variables of conditions or parameters */
};

static bool is_among(const struct mpl_buf *words, const char *word)
{
    for (size_t i = 0; i < words->n; i++) {
        if (strcmp(*(const char **) mpl_buf_get(words, i), word) == 0) {
            return true;
        }
    }
    return false;
}

static void note_other(struct mpl_buf *words, const char *word)
{
    if (!is_among(words, word)) {
        (void) mpl_buf_put(words, &word);
    }
}

/*
 * Reads the construct up to the use. The list behind a function's name is its parameters, which
 * have values as conditions have.
 */
static bool find_use(const struct load *load, const char *variable, bool is_in_actions,
                     struct use *use)
{
    const bool is_rule = load->construct->kind == MPL_CONSTRUCT_RULE;
    struct mpl_scanner scanner = mpl_load_scanner(load);
    unsigned n_closed = 0;
    bool is_behind = false;

    for (struct mpl_form_token t = mpl_scanner_next(&scanner); t.kind != MPL_FORM_END;
         t = mpl_scanner_next(&scanner)) {
        const char *word =
            t.kind == MPL_FORM_WORD ? mpl_token_text(&scanner, t, load->scratch) : NULL;

        n_closed += t.kind == MPL_FORM_CLOSE;
        is_behind = is_rule ? is_behind || mpl_token_is(&scanner, t, "=>") : n_closed > 0;
        if (word == NULL || !is_local(without_dollar(word))) {
            continue;
        }
        word = without_dollar(word);
        if (strcmp(word, variable) != 0 && !is_behind) {
            note_other(&use->others, word);
        } else if (strcmp(word, variable) == 0) {
            use->is_before_arrow = use->is_before_arrow || !is_behind;
            if (is_behind || !is_in_actions) {
                use->token = t;
                return true;
            }
        }
    }
    return false;
}

/* "; did you mean '?p'?", or which variables there are: most have too few letters to guess. */
static const char *advise(const struct load *load, const char *variable,
                          const struct mpl_buf *others)
{
    const char *const *words = others->data;
    const char *near = mpl_suggest(variable, words, others->n);
    const char *text = "";

    if (near != NULL && strlen(variable) > 3) {
        near = mpl_arena_printf(load->scratch, "; did you mean '%s'?", near);
        return near == NULL ? "" : near;
    }
    for (size_t i = 0; i < others->n && i < LISTED && text != NULL; i++) {
        text = mpl_arena_printf(load->scratch, "%s%s%s", text,
                                i == 0 ? "; those with a value are " : ", ", words[i]);
    }
    return text == NULL ? "" : text;
}

/* False where the construct has no variable of that name. */
static bool report_variable(struct load *load, const char *name, bool is_in_actions)
{
    const bool is_rule = load->construct->kind == MPL_CONSTRUCT_RULE;
    const char *variable = mpl_arena_printf(load->scratch, "?%s", name);
    struct use use = { .others = mpl_buf_make(sizeof(const char *)) };
    const bool is_found = variable != NULL && find_use(load, variable, is_in_actions, &use);
    const bool is_hidden = is_in_actions && use.is_before_arrow;
    const char *why = !is_rule ? "it is no parameter, and no (bind …) before sets it"
                      : !is_in_actions ? "no condition before this one sets it"
                      : is_hidden
                          ? "what a condition under 'not' or 'exists' sets, only that "
                            "condition sees"
                          : "no condition and no (bind …) before sets it";

    if (is_found) {
        mpl_lint_add(load->lint, MPL_LINT_ERROR, mpl_load_place_of(load, use.token),
                     "variable '%s' has no value here: %s%s", variable, why,
                     is_hidden ? "" : advise(load, variable, &use.others));
    }
    mpl_buf_free(&use.others);
    return is_found;
}

/* ---- globals ----------------------------------------------------------------------------- */

/* All globals of the rules; where \p name is defined, if it is. */
static const struct mpl_source *find_global(const struct load *load, const char *name,
                                            struct mpl_buf *all, unsigned *line)
{
    const struct mpl_source *found = NULL;

    for (size_t i = 0; i < load->rules->n_sources; i++) {
        const struct mpl_source *source = load->rules->sources[i];

        for (size_t j = 0; j < source->n; j++) {
            const struct mpl_construct *c = &source->constructs[j];

            for (size_t k = 0; c->kind == MPL_CONSTRUCT_GLOBAL && k < c->n_words; k++) {
                (void) mpl_buf_put(all, &c->words[k]);
                if (strcmp(c->words[k], name) == 0) {
                    found = source;
                    *line = c->word_lines[k];
                }
            }
        }
    }
    return found;
}

static bool is_known_global(void *env, const char *word)
{
    char name[MPL_NAME_BYTES + 1];
    const size_t n = strlen(word) - 3;

    if (n > MPL_NAME_BYTES) {
        return false;
    }
    memcpy(name, word + 2, n);
    name[n] = '\0';
    (void) EnvSetCurrentModule(env, EnvFindDefmodule(env, "MAIN"));
    return EnvFindDefglobal(env, name) != NULL;
}

static void report_global(struct load *load, struct mpl_place place, const char *word)
{
    struct mpl_buf all = mpl_buf_make(sizeof(const char *));
    unsigned line = 0;
    const struct mpl_source *source = find_global(load, word, &all, &line);
    const char *near = mpl_suggest(word, all.data, all.n);

    if (source != NULL) {
        mpl_lint_add(load->lint, MPL_LINT_ERROR, place,
                     "global '%s' is defined only at %s:%u; define it before its use", word,
                     source->file, line);
    } else if (near != NULL) {
        mpl_lint_add(load->lint, MPL_LINT_ERROR, place,
                     "global '%s' is not defined; did you mean '%s'?", word, near);
    } else {
        mpl_lint_add(
            load->lint, MPL_LINT_ERROR, place,
            "global '%s' is not defined; thresholds are, as (defglobal MAIN %s = 1.0)",
            word, word);
    }
    mpl_buf_free(&all);
}

/* CLIPS reports the first one only. */
static void report_globals(struct load *load, struct mpl_place place, const char *first)
{
    struct mpl_scanner scanner = mpl_load_scanner(load);
    struct mpl_buf others = mpl_buf_make(sizeof(const char *));
    unsigned depth = 0;

    for (struct mpl_form_token t = mpl_scanner_next(&scanner); t.kind != MPL_FORM_END;
         t = mpl_scanner_next(&scanner)) {
        const char *word =
            t.kind == MPL_FORM_WORD ? mpl_token_text(&scanner, t, load->scratch) : NULL;

        depth += t.kind == MPL_FORM_OPEN;
        depth -= t.kind == MPL_FORM_CLOSE;
        if (word == NULL || !is_global(word) || is_among(&others, word) ||
            (load->construct->kind == MPL_CONSTRUCT_GLOBAL && depth == 1) ||
            is_known_global(load->cage->env, word)) {
            continue;
        }
        note_other(&others, word);
        report_global(load, mpl_load_place_of(load, t), word);
    }
    if (others.n == 0) {
        report_global(load, place, first);
    }
    mpl_buf_free(&others);
}

/* ---- literals of the wrong type ---------------------------------------------------------- */

/* What a slot of that name takes, in the first deftemplate that has one; "" where none has. */
static const char *form_of(const struct load *load, const char *slot)
{
    void *env = load->cage->env;

    (void) EnvSetCurrentModule(env, EnvFindDefmodule(env, "MAIN"));
    for (struct deftemplate *t = EnvGetNextDeftemplate(env, NULL); t != NULL;
         t = EnvGetNextDeftemplate(env, t)) {
        for (const struct templateSlot *s = t->slotList; s != NULL; s = s->next) {
            const struct constraintRecord *c = s->constraints;

            if (strcmp(s->slotName->contents, slot) == 0 && c != NULL) {
                return c->stringsAllowed    ? "; it takes a text in quotes"
                       : c->floatsAllowed   ? "; it takes a number with a point, as 8.0"
                       : c->integersAllowed ? "; it takes an integer"
                       : c->symbolsAllowed  ? "; it takes a word without quotes"
                                            : "";
            }
        }
    }
    return "";
}

/* The last (slot literal) up to the line at which CLIPS stopped. */
static void report_literal(struct load *load, struct mpl_place place, const char *slot,
                           bool is_of_type)
{
    struct mpl_scanner scanner = mpl_load_scanner(load);
    struct mpl_form_token before = { .kind = MPL_FORM_END };
    struct mpl_form_token found = { .kind = MPL_FORM_END };
    bool is_slot = false;

    for (struct mpl_form_token t = mpl_scanner_next(&scanner);
         t.kind != MPL_FORM_END && mpl_load_place_of(load, t).line <= place.line;
         t = mpl_scanner_next(&scanner)) {
        const bool is_literal = t.kind == MPL_FORM_STRING ||
                                (t.kind == MPL_FORM_WORD && scanner.text[t.begin] != '?' &&
                                 scanner.text[t.begin] != '$');

        if (is_slot && is_literal) {
            found = t;
        }
        is_slot = before.kind == MPL_FORM_OPEN && mpl_token_is(&scanner, t, slot);
        before = t;
    }
    const char *text = found.kind == MPL_FORM_END
                           ? NULL
                           : mpl_arena_strndup(load->scratch, scanner.text + found.begin,
                                               found.end - found.begin);
    mpl_lint_add(
        load->lint, MPL_LINT_ERROR, text == NULL ? place : mpl_load_place_of(load, found),
        "slot '%s' does not take %s%s", slot, text == NULL ? "this value" : text,
        is_of_type ? "; marple vocab facts shows what it takes" : form_of(load, slot));
}

/* ---- what CLIPS says ---------------------------------------------------------------------- */

/* The name behind \p intro, up to a blank; NULL where CLIPS says something else. */
static char *name_behind(const struct load *load, const char *said, const char *intro)
{
    const char *at = strstr(said, intro);

    return at == NULL ? NULL
                      : mpl_arena_strndup(load->scratch, at + strlen(intro),
                                          strcspn(at + strlen(intro), " \n,."));
}

bool mpl_load_report_name(struct load *load, struct mpl_place place, const char *said)
{
    const bool is_used_early = strstr(said, "before being defined") != NULL;
    const char *in_actions = name_behind(load, said, "Undefined variable ");
    const char *in_conditions =
        is_used_early ? name_behind(load, said, "Variable ?") : NULL;
    const char *slot = name_behind(load, said, "match the allowed types for slot ");
    const char *chosen = name_behind(load, said, "match the allowed values for slot ");
    const char *global =
        strstr(said, "but is not defined") != NULL || strstr(said, "is unbound") != NULL
            ? name_behind(load, said, "Global variable ")
            : NULL;
    const char *variable = in_actions != NULL ? in_actions : in_conditions;

    if (variable != NULL && report_variable(load, variable, in_actions != NULL)) {
        return true;
    }
    /* CLIPS also says so of globals, without their asterisks. */
    if (in_conditions != NULL) {
        global = mpl_arena_printf(load->scratch, "?*%s*", in_conditions);
    }
    if (global != NULL) {
        report_globals(load, place, global);
    } else if (slot != NULL || chosen != NULL) {
        report_literal(load, place, slot != NULL ? slot : chosen, slot == NULL);
    } else {
        return false;
    }
    return true;
}
