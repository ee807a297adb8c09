/* Hands constructs to CLIPS one by one, and says in our words what it finds wrong. */
#include "config.h"

#include "infer/clips_priv.h"

#include <string.h>

static const char *const source_name = "marple-rules";

/** What is being loaded; CLIPS calls back in the middle of it. */
struct load {
    struct cage *cage;
    const struct mpl_rules *rules;
    const struct mpl_source *source;
    const struct mpl_construct *construct;
    struct mpl_lint *lint;
    struct mpl_arena *scratch;
    size_t n_faults;
};

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
            n += (size_t) sprintf(tidy + n, "%s", n > 0 ? "; " : "");
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

            if (c->kind == CONSTRUCT_FUNCTION && strcmp(c->name, function) == 0) {
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
    const char **word = NULL;

    for (const struct FunctionDefinition *f = GetFunctionList(env); f != NULL;
         f = f->next) {
        if (f->callFunctionName->contents[0] != '(' &&
            (word = mpl_buf_add(&words)) != NULL) {
            *word = f->callFunctionName->contents;
        }
    }
    for (size_t i = 0; i < load->rules->n_sources; i++) {
        for (size_t j = 0; j < load->rules->sources[i]->n; j++) {
            const struct mpl_construct *c = &load->rules->sources[i]->constructs[j];

            if (c->kind == CONSTRUCT_FUNCTION && (word = mpl_buf_add(&words)) != NULL) {
                *word = c->name;
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

static const char *suggest_slot(const struct load *load, const char *template,
                                const char *slot)
{
    struct mpl_buf words = mpl_buf_make(sizeof(const char *));
    struct deftemplate *t = EnvFindDeftemplate(load->cage->env, template);

    for (struct templateSlot *s = t == NULL ? NULL : t->slotList; s != NULL; s = s->next) {
        const char **word = mpl_buf_add(&words);

        if (word != NULL) {
            *word = s->slotName->contents;
        }
    }

    const char *near = mpl_suggest(slot, words.data, words.n);

    mpl_buf_free(&words);
    return near;
}

static void report_slot(struct load *load, struct mpl_place place, const char *slot,
                        const char *template)
{
    const char *near = suggest_slot(load, template, slot);

    mpl_lint_add(load->lint, MPL_LINT_ERROR, place,
                 "deftemplate '%s' has no slot '%s'%s%s%s", template, slot,
                 near == NULL ? "" : "; did you mean '", near == NULL ? "" : near,
                 near == NULL ? "" : "'?");
}

static void report(struct load *load, struct mpl_place place, const char *said)
{
    struct mpl_arena *a = load->scratch;
    const char *function = word_behind(a, said, "Missing function declaration for ", "\n");
    const char *slot = word_behind(a, said, "Invalid slot ", " \n");
    const char *template = word_behind(a, said, "in corresponding deftemplate ", ".\n");
    const char *implied = word_behind(a, said, "Cannot define implied deftemplate ", " ");
    char *tidy = mpl_clips_tidy(a, said);

    load->n_faults++;
    if (function != NULL) {
        const size_t n = strlen(function);

        ((char *) function)[n - (n > 0 && function[n - 1] == '.')] = '\0';
        report_function(load, place, function);
    } else if (slot != NULL && template != NULL) {
        report_slot(load, place, slot, template);
    } else if (implied != NULL) {
        mpl_lint_add(
            load->lint, MPL_LINT_ERROR, place,
            "deftemplate '%s' is not defined; define facts of your own as MAIN::%s",
            implied, implied);
    } else if (tidy == NULL || *tidy == '\0') {
        mpl_lint_add(load->lint, MPL_LINT_ERROR, place, "the %s is not right",
                     load->construct->keyword);
    } else {
        mpl_lint_add(load->lint, MPL_LINT_ERROR, place, "%s", tidy);
    }
}

/* ---- loading ----------------------------------------------------------------------------- */

/** CLIPS counts lines from the construct's first. */
static void take_fault(void *env, const char *file, const char *warning, const char *error,
                       long line)
{
    struct cage *cage = GetEnvironmentContext(env);
    struct load *load = cage->load;

    (void) file;
    (void) warning;
    if (error == NULL || load == NULL) {
        return;
    }

    const unsigned last = load->construct->last_line;
    const unsigned at = load->construct->first_line + (line > 0 ? (unsigned) line - 1 : 0);

    report(load,
           (struct mpl_place){ .file = load->source->file, .line = at > last ? last : at },
           error);
}

static struct mpl_place first_place(const struct load *load)
{
    return (struct mpl_place){ .file = load->source->file,
                               .line = load->construct->first_line };
}

static void load_construct(struct load *load)
{
    void *env = load->cage->env;
    const struct mpl_construct *c = load->construct;
    const size_t before = load->n_faults;

    mpl_cage_forget(load->cage);
    /* A name without module belongs to MAIN, wherever in the file it stands. */
    (void) EnvSetCurrentModule(env, EnvFindDefmodule(env, "MAIN"));
    EnvSetParsingFileName(env, load->source->file);
    if (!OpenTextSource(env, source_name, load->source->text + c->begin, 0,
                        c->end - c->begin)) {
        mpl_cage_stop(load->cage, CAGE_GAVE_UP);
        return;
    }
    (void) LoadConstructsFromLogicalName(env, source_name);
    (void) CloseStringSource(env, source_name);
    EnvSetParsingFileName(env, NULL);
    if (load->n_faults == before && *mpl_cage_said(load->cage) != '\0') {
        report(load,
               (struct mpl_place){ .file = load->source->file, .line = c->first_line },
               mpl_cage_said(load->cage));
    }
    SetHaltExecution(env, load->cage->stop == CAGE_FREE ? FALSE : TRUE);
    SetEvaluationError(env, FALSE);
}

static void load_all(void *context)
{
    struct load *load = context;

    for (size_t i = 0; i < load->rules->n_sources; i++) {
        load->source = load->rules->sources[i];
        for (size_t j = 0; j < load->source->n && load->cage->stop == CAGE_FREE; j++) {
            load->construct = &load->source->constructs[j];
            load_construct(load);
        }
    }
}

static void reset(void *context)
{
    struct load *load = context;
    void *env = load->cage->env;

    mpl_cage_watch_joins(load->cage);
    mpl_cage_forget(load->cage);
    (void) EnvSetCurrentModule(env, EnvFindDefmodule(env, "MAIN"));
    EnvReset(env);
    if (*mpl_cage_said(load->cage) != '\0') {
        report(load, (struct mpl_place){ .file = load->source->file },
               mpl_cage_said(load->cage));
    }
}

static enum mpl_status load_status(const struct load *load, struct mpl_err *err)
{
    const enum mpl_status st = mpl_cage_status(load->cage, err);

    if (st == MPL_E_NOMEM || st == MPL_OK) {
        return st;
    }
    mpl_lint_add(load->lint, MPL_LINT_ERROR, first_place(load),
                 "loading this %s reached a limit: it runs without end or makes too much",
                 load->construct->keyword);
    return mpl_wrap(err, st, "cannot load the %s of %s:%u", load->construct->keyword,
                    load->source->file, load->construct->first_line);
}

enum mpl_status mpl_cage_load(struct cage *cage, const struct mpl_rules *rules,
                              struct mpl_lint *lint, struct mpl_err *err)
{
    struct load load = {
        .cage = cage, .rules = rules, .lint = lint, .scratch = mpl_arena_create()
    };

    if (load.scratch == NULL) {
        return mpl_nomem(err);
    }
    cage->load = &load;
    EnvSetParserErrorCallback(cage->env, take_fault);
    if (mpl_cage_enter(cage, load_all, &load) && load.n_faults == 0) {
        (void) mpl_cage_enter(cage, reset, &load);
    }
    cage->load = NULL;
    mpl_cage_forget(cage);
    mpl_arena_destroy(load.scratch);

    const enum mpl_status st = load_status(&load, err);

    return st != MPL_OK ? st : load.n_faults > 0 ? mpl_lint_fail(lint, err) : MPL_OK;
}

/* ---- checking ------------------------------------------------------------------------------ */

struct wanted {
    const char *template;
    const char *const *slots; /**< Ended by NULL. */
};

static const char *const run_slots[] = { "id", "processes", "locations", "duration", NULL };
static const char *const metric_slots[] = { "run",   "pattern", "name", "location",
                                            "value", "unit",    NULL };
static const char *const need_slots[] = { "run",   "pattern", "metric", "location",
                                          "level", "reason",  NULL };
static const char *const finding_slots[] = {
    "kind", "name",  "run",     "pattern", "locations", "culprits", "lost",       "share",
    "gain", "level", "healthy", "text",    "remedy",    "where",    "confidence", NULL
};
static const struct wanted vocabulary[] = { { "run", run_slots },
                                            { "metric", metric_slots },
                                            { "need", need_slots },
                                            { "finding", finding_slots } };

/** Where the vocabulary defines a deftemplate, for messages; else its file. */
static struct mpl_place place_of(const struct mpl_rules *rules, const char *template)
{
    for (size_t i = 0; i < rules->n_sources; i++) {
        for (size_t j = 0; j < rules->sources[i]->n; j++) {
            const struct mpl_construct *c = &rules->sources[i]->constructs[j];

            if (c->kind == CONSTRUCT_TEMPLATE && strcmp(c->name, template) == 0) {
                return (struct mpl_place){ .file = rules->sources[i]->file,
                                           .line = c->first_line };
            }
        }
    }
    return (struct mpl_place){ .file =
                                   rules->n_sources > 0 ? rules->sources[0]->file : NULL };
}

static bool has_slot(const struct deftemplate *template, const char *name)
{
    const struct templateSlot *slot = template->slotList;

    while (slot != NULL && strcmp(slot->slotName->contents, name) != 0) {
        slot = slot->next;
    }
    return slot != NULL;
}

static void check_vocabulary(void *context)
{
    struct load *load = context;
    void *env = load->cage->env;

    for (size_t i = 0; i < sizeof vocabulary / sizeof vocabulary[0]; i++) {
        const char *name = vocabulary[i].template;
        const struct deftemplate *t = EnvFindDeftemplate(env, name);

        if (t == NULL) {
            mpl_lint_add(load->lint, MPL_LINT_ERROR, place_of(load->rules, name),
                         "there is no deftemplate '%s', which the engine needs", name);
            continue;
        }
        for (const char *const *slot = vocabulary[i].slots; *slot != NULL; slot++) {
            if (!has_slot(t, *slot)) {
                mpl_lint_add(load->lint, MPL_LINT_ERROR, place_of(load->rules, name),
                             "deftemplate '%s' has no slot '%s', which the engine needs",
                             name, *slot);
            }
        }
    }
}

static enum mpl_status check_in(struct cage *cage, const struct mpl_rules *rules,
                                struct mpl_lint *lint, struct mpl_err *err)
{
    struct load load = { .cage = cage, .rules = rules, .lint = lint };
    const size_t before = mpl_lint_errors(lint);
    const enum mpl_status st = mpl_cage_load(cage, rules, lint, err);

    if (st != MPL_OK) {
        return st;
    }
    if (!mpl_cage_enter(cage, check_vocabulary, &load)) {
        return mpl_cage_status(cage, err);
    }
    return mpl_lint_errors(lint) > before ? mpl_lint_fail(lint, err) : MPL_OK;
}

enum mpl_status mpl_rules_check(const struct mpl_rules *rules, struct mpl_lint *lint,
                                struct mpl_err *err)
{
    struct cage cage;
    enum mpl_status st = mpl_cage_open(&cage, NULL, err);

    if (st == MPL_OK) {
        st = check_in(&cage, rules, lint, err);
    }
    mpl_cage_close(&cage);
    return st;
}
