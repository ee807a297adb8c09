/*
 * CLIPS knows in which line it stopped, but often not why in terms of the author: a misspelt
 * deftemplate is "check the syntax", a forbidden function is "missing". Here its messages become
 * ours.
 */
#include "config.h"

#include "infer/clips_priv.h"

#include <string.h>

struct mpl_place mpl_load_place(const struct load *load)
{
    return (struct mpl_place){ .file = load->source->file,
                               .line = load->construct->first_line };
}

/* ---- what CLIPS says, in our words ---------------------------------------------------- */

/** The length of "[EXPRNPSR3] " at \p text, or 0. */
static size_t code_bytes(const char *text)
{
    if (text[0] != '[') {
        return 0;
    }

    const size_t n = strspn(text + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

    return n > 0 && text[n + 1] == ']' ? n + 2 + (text[n + 2] == ' ') : 0;
}

static bool begins_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/** Lines that say in other words where the error is, or quote the construct so far. */
static bool is_noise(const char *line)
{
    static const char *const noise[] = { "Execution halted during the actions",
                                         "This error occurred in the",
                                         "Problem resides in associated join",
                                         "Currently active fact:" };

    for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++) {
        if (begins_with(line, noise[i])) {
            return true;
        }
    }
    return false;
}

static size_t without_end(const char *text, size_t n)
{
    while (n > 0 && (text[n - 1] == '.' || text[n - 1] == ' ')) {
        n--;
    }
    return n;
}

/** CLIPS breaks long sentences into lines; a new sentence begins with a capital. */
static const char *join_of(const char *line)
{
    return *line >= 'a' && *line <= 'z' ? " " : "; ";
}

char *mpl_clips_tidy(struct mpl_arena *arena, const char *said)
{
    char *tidy = mpl_arena_alloc(arena, 2 * strlen(said) + 1);
    size_t n = 0;

    if (tidy == NULL) {
        return NULL;
    }
    while (*said != '\0') {
        said += strspn(said, " \n\t");
        said += code_bytes(said);

        const size_t line = strcspn(said, "\n");
        const size_t kept = without_end(said, line);

        if (begins_with(said, "ERROR:")) {
            break;
        }
        if (kept > 0 && !is_noise(said)) {
            n += (size_t) sprintf(tidy + n, "%s", n > 0 ? join_of(said) : "");
            memcpy(tidy + n, said, kept);
            n += kept;
        }
        said += line;
    }
    tidy[n] = '\0';
    return tidy;
}

/** The word behind \p intro in \p text, up to \p stop; NULL when it is not there. */
static char *word_behind(struct mpl_arena *arena, const char *text, const char *intro,
                         const char *stop)
{
    const char *at = strstr(text, intro);

    if (at == NULL) {
        return NULL;
    }
    at += strlen(intro);
    return mpl_arena_strndup(arena, at, strcspn(at, stop));
}

static const struct mpl_construct *find_later(const struct load *load, const char *function,
                                              const char **file)
{
    for (size_t i = 0; i < load->rules->n_sources; i++) {
        const struct mpl_source *source = load->rules->sources[i];

        for (size_t j = 0; j < source->n; j++) {
            const struct mpl_construct *c = &source->constructs[j];

            if (c->kind == MPL_CONSTRUCT_FUNCTION && strcmp(c->name, function) == 0) {
                *file = source->file;
                return c;
            }
        }
    }
    return NULL;
}

/** The nearest function of CLIPS, of ours or of the rules. */
static const char *suggest_function(const struct load *load, const char *function)
{
    struct mpl_buf words = mpl_buf_make(sizeof(const char *));
    void *env = load->cage->env;

    for (const struct FunctionDefinition *f = GetFunctionList(env); f != NULL;
         f = f->next) {
        if (f->callFunctionName->contents[0] != '(') {
            (void) mpl_buf_put(&words, &f->callFunctionName->contents);
        }
    }
    for (size_t i = 0; i < load->rules->n_sources; i++) {
        for (size_t j = 0; j < load->rules->sources[i]->n; j++) {
            const struct mpl_construct *c = &load->rules->sources[i]->constructs[j];

            if (c->kind == MPL_CONSTRUCT_FUNCTION) {
                (void) mpl_buf_put(&words, &c->name);
            }
        }
    }

    const char *near = mpl_suggest(function, words.data, words.n);

    mpl_buf_free(&words);
    return near;
}

static void report_function(struct load *load, struct mpl_place place, const char *function)
{
    const char *why = mpl_cage_why_denied(function);
    const char *file = NULL;
    const struct mpl_construct *later = find_later(load, function, &file);

    if (why != NULL) {
        mpl_lint_add(load->lint, MPL_LINT_ERROR, place,
                     "function '%s' is not allowed in rules: %s", function, why);
    } else if (later != NULL) {
        mpl_lint_add(load->lint, MPL_LINT_ERROR, place,
                     "function '%s' is defined only at %s:%u; define it before its use",
                     function, file, later->first_line);
    } else {
        const char *near = suggest_function(load, function);

        mpl_lint_add(load->lint, MPL_LINT_ERROR, place, "unknown function '%s'%s%s%s",
                     function, near == NULL ? "" : "; did you mean '",
                     near == NULL ? "" : near, near == NULL ? "" : "'?");
    }
}

const char *mpl_suggest_slot(void *env, const char *template, const char *slot)
{
    struct mpl_buf words = mpl_buf_make(sizeof(const char *));
    struct deftemplate *t = EnvFindDeftemplate(env, template);

    for (struct templateSlot *s = t == NULL ? NULL : t->slotList; s != NULL; s = s->next) {
        (void) mpl_buf_put(&words, &s->slotName->contents);
    }

    const char *near = mpl_suggest(slot, words.data, words.n);

    mpl_buf_free(&words);
    return near;
}

static void report_slot(struct load *load, struct mpl_place place, const char *slot,
                        const char *template)
{
    const char *near = mpl_suggest_slot(load->cage->env, template, slot);

    mpl_lint_add(load->lint, MPL_LINT_ERROR, place,
                 "deftemplate '%s' has no slot '%s'%s%s%s", template, slot,
                 near == NULL ? "" : "; did you mean '", near == NULL ? "" : near,
                 near == NULL ? "" : "'?");
}

/* ---- facts of unknown deftemplates --------------------------------------------------------- */

const char *mpl_suggest_template(void *env, const char *word)
{
    struct mpl_buf words = mpl_buf_make(sizeof(const char *));

    (void) EnvSetCurrentModule(env, EnvFindDefmodule(env, "MAIN"));
    for (void *t = EnvGetNextDeftemplate(env, NULL); t != NULL;
         t = EnvGetNextDeftemplate(env, t)) {
        const char *name = EnvGetDeftemplateName(env, t);

        (void) mpl_buf_put(&words, &name);
    }

    const char *near = mpl_suggest(word, words.data, words.n);

    mpl_buf_free(&words);
    return near;
}

/** CLIPS makes "implied" deftemplates of words it does not know; only declared ones count. */
static bool is_declared(struct load *load, const char *word)
{
    void *env = load->cage->env;

    (void) EnvSetCurrentModule(env, EnvFindDefmodule(env, load->construct->module));

    const struct deftemplate *t = EnvFindDeftemplate(env, word);

    return (t != NULL && !t->implied) || strcmp(word, "initial-fact") == 0;
}

static void review_fact(struct load *load, const char *word, struct mpl_place place)
{
    if (is_declared(load, word)) {
        return;
    }

    const char *near = mpl_suggest_template(load->cage->env, word);

    load->n_faults++;
    if (near != NULL) {
        mpl_lint_add(load->lint, MPL_LINT_ERROR, place,
                     "deftemplate '%s' is not defined; did you mean '%s'?", word, near);
    } else {
        mpl_lint_add(
            load->lint, MPL_LINT_ERROR, place,
            "deftemplate '%s' is not defined; define facts of your own as MAIN::%s", word,
            word);
    }
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcmp(*words, word) != 0) {
        words++;
    }
    return *words != NULL;
}

/* ---- formats of (text …) -------------------------------------------------------------------- */

/** The number of placeholders; what is wrong with one is said. */
static unsigned count_placeholders(struct load *load, struct mpl_place place,
                                   const char *format)
{
    unsigned n = 0;

    while (*format != '\0') {
        const struct text_piece piece = mpl_text_piece(format);

        format = piece.rest;
        n += piece.spec != NULL;
        if (piece.spec != NULL && !piece.is_known) {
            load->n_faults++;
            mpl_lint_add(load->lint, MPL_LINT_ERROR, place,
                         "placeholder '{%.*s}' is none of {} {s} {%%} {n} {.0} to {.9}",
                         (int) piece.spec_bytes, piece.spec);
        }
    }
    return n;
}

/** Values up to the parenthesis that closes the call. False when their number is not fixed. */
static bool count_values(struct mpl_scanner scanner, unsigned *n)
{
    unsigned depth = 0;

    *n = 0;
    for (;;) {
        const struct mpl_form_token t = mpl_scanner_next(&scanner);

        if (t.kind == MPL_FORM_END || (t.kind == MPL_FORM_CLOSE && depth == 0)) {
            return true;
        }
        if (mpl_token_is(&scanner, t, "expand$") ||
            (t.kind == MPL_FORM_WORD && scanner.text[t.begin] == '$')) {
            return false;
        }
        *n += depth == 0;
        depth += t.kind == MPL_FORM_OPEN;
        depth -= t.kind == MPL_FORM_CLOSE;
    }
}

/** \p scanner stands behind the word text. A format that is computed is checked when used. */
static void review_format(struct load *load, struct mpl_scanner scanner)
{
    const struct mpl_form_token t = mpl_scanner_next(&scanner);
    const struct mpl_place place = mpl_load_place_of(load, t);
    const char *format =
        t.kind == MPL_FORM_STRING ? mpl_token_text(&scanner, t, load->scratch) : NULL;
    unsigned values = 0;

    if (format == NULL) {
        return;
    }

    const unsigned placeholders = count_placeholders(load, place, format);

    if (count_values(scanner, &values) && values != placeholders) {
        load->n_faults++;
        mpl_lint_add(load->lint, MPL_LINT_ERROR, place,
                     "the text has %u placeholder%s and %u value%s", placeholders,
                     placeholders == 1 ? "" : "s", values, values == 1 ? "" : "s");
    }
}

/* ---- the lists of a construct ----------------------------------------------------------------- */

/** What the lists inside of a list are. */
enum inside { INSIDE_OTHER, INSIDE_CONDITIONS, INSIDE_FACTS, INSIDE_SLOTS };

/** What is inside of a list that begins with \p word, in a list of kind \p around. */
static enum inside inside_list(enum inside around, const char *word)
{
    static const char *const groups[] = { "and",    "or",      "not", "exists",
                                          "forall", "logical", NULL };
    static const char *const others[] = { "test", "declare", "object", "assert", NULL };
    static const char *const changers[] = { "modify", "duplicate", NULL };

    if (around == INSIDE_CONDITIONS && is_one_of(word, groups)) {
        return INSIDE_CONDITIONS;
    }
    if (around == INSIDE_FACTS ||
        (around == INSIDE_CONDITIONS && !is_one_of(word, others))) {
        return INSIDE_SLOTS;
    }
    if (around == INSIDE_OTHER && is_one_of(word, changers)) {
        return INSIDE_SLOTS;
    }
    return around == INSIDE_OTHER && strcmp(word, "assert") == 0 ? INSIDE_FACTS
                                                                 : INSIDE_OTHER;
}

/** Names of functions cannot be computed, so the word behind a parenthesis names them all. */
static void review_function(struct load *load, const char *word, struct mpl_place place)
{
    const char *why = strcmp(word, "object") == 0
                          ? "rules work on facts, there are no objects"
                          : mpl_cage_why_hidden(word);

    if (why != NULL) {
        load->n_faults++;
        mpl_lint_add(load->lint, MPL_LINT_ERROR, place, "'%s' is not allowed in rules: %s",
                     word, why);
    }
}

/**
 * CLIPS evaluates the defaults of a deftemplate in one go, without a look at the limits, and keeps an
 * expression for each item. \p scanner stands behind the word `default`.
 */
static void review_default(struct load *load, struct mpl_scanner scanner)
{
    const unsigned before = load->n_computed;
    unsigned depth = 1;

    while (depth > 0) {
        const struct mpl_form_token t = mpl_scanner_next(&scanner);
        const bool is_global = t.kind == MPL_FORM_WORD && t.end - t.begin > 2 &&
                               memcmp(scanner.text + t.begin, "?*", 2) == 0;

        if (t.kind == MPL_FORM_END) {
            return;
        }
        load->n_computed += depth == 1 && (t.kind == MPL_FORM_OPEN || is_global);
        if (before <= MPL_DEFAULTS && load->n_computed > MPL_DEFAULTS) {
            load->n_faults++;
            mpl_lint_add(load->lint, MPL_LINT_ERROR, mpl_load_place_of(load, t),
                         "this deftemplate computes more than %d values of defaults; let "
                         "rules compute them",
                         MPL_DEFAULTS);
            return;
        }
        depth += t.kind == MPL_FORM_OPEN;
        depth -= t.kind == MPL_FORM_CLOSE;
    }
}

/** \p scanner stands behind the parenthesis of a list. */
static enum inside review_list(struct load *load, struct mpl_scanner scanner,
                               enum inside around)
{
    const struct mpl_form_token head = mpl_scanner_next(&scanner);
    const char *word =
        head.kind == MPL_FORM_WORD ? mpl_token_text(&scanner, head, load->scratch) : NULL;

    if (word == NULL) {
        return INSIDE_OTHER;
    }

    const enum inside inside = inside_list(around, word);

    if (inside == INSIDE_SLOTS && around != INSIDE_OTHER) {
        review_fact(load, word, mpl_load_place_of(load, head));
    } else if (around == INSIDE_OTHER || around == INSIDE_CONDITIONS) {
        review_function(load, word, mpl_load_place_of(load, head));
    }
    if (around == INSIDE_OTHER && strcmp(word, "text") == 0) {
        review_format(load, scanner);
    }
    if (load->construct->kind == MPL_CONSTRUCT_TEMPLATE &&
        (strcmp(word, "default") == 0 || strcmp(word, "default-dynamic") == 0)) {
        review_default(load, scanner);
    }
    return inside;
}

/** A list while its end has not come. */
struct open_list {
    enum inside inside;
    bool is_or;
    unsigned n_lists; /**< Inside of it. */
};

/**
 * CLIPS makes a rule of its own for each combination of the alternatives in `or` conditions: of
 * sixteen pairs it makes 65,536, and is not seen again.
 */
static void count_alternatives(const struct open_list *list, unsigned long *n)
{
    if (list->is_or && list->n_lists > 1 && *n <= MPL_ALTERNATIVES) {
        *n *= list->n_lists;
    }
}

static void report_alternatives(struct load *load)
{
    load->n_faults++;
    mpl_lint_add(load->lint, MPL_LINT_ERROR, mpl_load_place(load),
                 "the 'or' conditions make more than %d combinations; split the rule",
                 MPL_ALTERNATIVES);
}

static struct open_list open_list(struct load *load, struct mpl_scanner scanner,
                                  const struct open_list *around)
{
    struct mpl_scanner ahead = scanner;
    const struct mpl_form_token head = mpl_scanner_next(&ahead);

    if (around == NULL) {
        const enum mpl_construct_kind kind = load->construct->kind;
        const enum inside inside = kind == MPL_CONSTRUCT_RULE    ? INSIDE_CONDITIONS
                                   : kind == MPL_CONSTRUCT_FACTS ? INSIDE_FACTS
                                                                 : INSIDE_OTHER;
        return (struct open_list){ .inside = inside };
    }
    return (struct open_list){
        .inside = review_list(load, scanner, around->inside),
        .is_or = around->inside == INSIDE_CONDITIONS && mpl_token_is(&scanner, head, "or"),
    };
}

/** True when the rule has an arrow, or the construct is none. */
static bool review_lists(struct load *load)
{
    const struct mpl_construct *c = load->construct;
    struct mpl_scanner scanner = mpl_load_scanner(load);
    struct open_list lists[MPL_SCAN_DEPTH + 2] = { { INSIDE_OTHER, false, 0 } };
    unsigned long n_alternatives = 1;
    unsigned depth = 0;
    bool has_arrow = c->kind != MPL_CONSTRUCT_RULE;

    for (struct mpl_form_token t = mpl_scanner_next(&scanner); t.kind != MPL_FORM_END;
         t = mpl_scanner_next(&scanner)) {
        if (t.kind == MPL_FORM_CLOSE) {
            count_alternatives(&lists[depth--], &n_alternatives);
        } else if (depth == 1 && mpl_token_is(&scanner, t, "=>")) {
            has_arrow = true;
            lists[1].inside = INSIDE_OTHER;
        } else if (t.kind == MPL_FORM_OPEN) {
            depth++;
            mpl_assert(depth <= MPL_SCAN_DEPTH);
            lists[depth - 1].n_lists++;
            lists[depth] = open_list(load, scanner, depth == 1 ? NULL : &lists[depth - 1]);
        }
    }
    if (n_alternatives > MPL_ALTERNATIVES) {
        report_alternatives(load);
    }
    return has_arrow;
}

bool mpl_load_review(struct load *load)
{
    const size_t before = load->n_faults;

    load->n_computed = 0;
    if (!review_lists(load)) {
        load->n_faults++;
        mpl_lint_add(load->lint, MPL_LINT_ERROR, mpl_load_place(load),
                     "the rule has no '=>' between its conditions and its actions");
    }
    return load->n_faults == before;
}

/* ---- the rest ------------------------------------------------------------------------------- */

void mpl_load_report(struct load *load, struct mpl_place place, const char *said)
{
    struct mpl_arena *a = load->scratch;
    char *function = word_behind(a, said, "Missing function declaration for ", "\n");
    const char *slot = word_behind(a, said, "Invalid slot ", " \n");
    const char *template = word_behind(a, said, "in corresponding deftemplate ", ".\n");
    char *tidy = mpl_clips_tidy(a, said);

    load->n_faults++;
    if (load->reported == load->construct) {
        return;
    }
    load->reported = load->construct;
    if (mpl_load_report_name(load, place, said)) {
        return;
    }
    if (function != NULL) {
        function[without_end(function, strlen(function))] = '\0';
        report_function(load, mpl_load_place_of_word(load, place, function), function);
    } else if (slot != NULL && template != NULL) {
        report_slot(load, mpl_load_place_of_word(load, place, slot), slot, template);
    } else if (tidy == NULL || *tidy == '\0') {
        mpl_lint_add(load->lint, MPL_LINT_ERROR, place, "the %s is not right",
                     load->construct->keyword);
    } else {
        mpl_lint_add(load->lint, MPL_LINT_ERROR, place, "%s", tidy);
    }
}
