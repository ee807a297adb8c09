/* Hands constructs to CLIPS one by one, and says in our words what it finds wrong. */
#include "config.h"

#include "infer/clips_priv.h"

#include <string.h>

static const char *const source_name = "marple-rules";

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

    mpl_load_report(
        load,
        (struct mpl_place){ .file = load->source->file, .line = at > last ? last : at },
        error);
}

/**
 * CLIPS copies each construct, indented, and writes the blanks into 120 bytes without a check: some
 * 36 levels of nesting overflow its stack frame. Without the copy it is safe, but then an error
 * prints a buffer that is not there; so there is one, with a blank in it, and it is not written.
 */
void mpl_cage_stop_copying(void *env)
{
    (void) SetPPBufferEnabled(env, TRUE);
    SetPPBufferStatus(env, ON);
    FlushPPBuffer(env);
    SavePPBuffer(env, " ");
    (void) SetPPBufferEnabled(env, FALSE);
}

/*
 * Lets CLIPS take the characters of the source from a text rather than ask all of its routers by
 * name for each of them, which is a quarter of the loading; EnvBuild() does the same. Without
 * memory for the text it asks the routers. NULL ends it.
 */
static void read_straight(struct load *load, const char *text, size_t bytes)
{
    struct routerData *routers = RouterData(load->cage->env);
    char *copy = text == NULL ? NULL : mpl_arena_strndup(load->scratch, text, bytes);

    routers->FastCharGetRouter = copy == NULL ? NULL : source_name;
    routers->FastCharGetString = copy;
    routers->FastCharGetIndex = 0;
}

static void load_construct(struct load *load)
{
    void *env = load->cage->env;
    const struct mpl_construct *c = load->construct;
    const size_t before = load->n_faults;

    if (!load->is_seen && !mpl_load_review(load)) {
        return;
    }
    mpl_cage_forget(load->cage);
    /* A name without module belongs to MAIN, wherever in the file it stands. */
    (void) EnvSetCurrentModule(env, EnvFindDefmodule(env, "MAIN"));
    EnvSetParsingFileName(env, load->source->file);
    if (!OpenTextSource(env, source_name, load->source->text + c->begin, 0,
                        c->end - c->begin)) {
        mpl_cage_stop(load->cage, CAGE_GAVE_UP);
        return;
    }
    mpl_cage_stop_copying(env);
    read_straight(load, load->source->text + c->begin, c->end - c->begin);
    (void) LoadConstructsFromLogicalName(env, source_name);
    read_straight(load, NULL, 0);
    (void) CloseStringSource(env, source_name);
    EnvSetParsingFileName(env, NULL);
    if (load->n_faults == before && *mpl_cage_said(load->cage) != '\0') {
        mpl_load_report(
            load, (struct mpl_place){ .file = load->source->file, .line = c->first_line },
            mpl_cage_said(load->cage));
    }
    SetHaltExecution(env, load->cage->stop == CAGE_FREE ? FALSE : TRUE);
    SetEvaluationError(env, FALSE);
}

static void load_all(void *context)
{
    struct load *load = context;
    const bool *is_chosen = load->chosen;

    for (size_t i = 0; i < load->rules->n_sources; i++) {
        load->source = load->rules->sources[i];
        for (size_t j = 0; j < load->source->n && load->cage->stop == CAGE_FREE &&
                           load->n_faults < MPL_FAULTS;
             j++, is_chosen++) {
            load->construct = &load->source->constructs[j];
            if (*is_chosen) {
                load_construct(load);
            }
            (void) mpl_cage_check(load->cage);
        }
    }
}

static void reset(void *context)
{
    struct load *load = context;
    void *env = load->cage->env;

    mpl_cage_watch_matching(load->cage);
    mpl_cage_forget(load->cage);
    (void) EnvSetCurrentModule(env, EnvFindDefmodule(env, "MAIN"));
    EnvReset(env);
    for (struct fact *fact = EnvGetNextFact(env, NULL); fact != NULL;
         fact = EnvGetNextFact(env, fact)) {
        if (mpl_fact_is_too_large(fact)) {
            mpl_cage_fail(env, mpl_too_large_fact);
            break;
        }
    }
    if (*mpl_cage_said(load->cage) != '\0') {
        mpl_load_report(load, (struct mpl_place){ .file = load->source->file },
                        mpl_cage_said(load->cage));
    }
}

static enum mpl_status load_status(const struct load *load, struct mpl_err *err)
{
    const enum mpl_status st = mpl_cage_status(load->cage, err);

    if (st == MPL_E_NOMEM || st == MPL_OK) {
        return st;
    }
    mpl_lint_add(load->lint, MPL_LINT_ERROR, mpl_load_place(load),
                 "loading this %s reached a limit: it runs without end or makes too much",
                 load->construct->keyword);
    return mpl_wrap(err, st, "cannot load the %s of %s:%u", load->construct->keyword,
                    load->source->file, load->construct->first_line);
}

static enum mpl_status load_rules(struct cage *cage, const struct mpl_rules *rules,
                                  bool is_seen, struct mpl_lint *lint, struct mpl_err *err)
{
    struct load load = { .cage = cage,
                         .rules = rules,
                         .is_seen = is_seen,
                         .lint = lint,
                         .scratch = mpl_arena_create() };

    load.chosen = load.scratch == NULL
                      ? NULL
                      : mpl_rules_choose(rules, cage->limits.given, cage->limits.n_given,
                                         cage->watches);
    cage->chosen = load.chosen;
    if (load.chosen == NULL) {
        mpl_arena_destroy(load.scratch);
        return mpl_nomem(err);
    }
    cage->load = &load;
    EnvSetParserErrorCallback(cage->env, take_fault);
    (void) EnvSetStaticConstraintChecking(cage->env, is_seen ? FALSE : TRUE);
    if (mpl_cage_enter(cage, load_all, &load) && load.n_faults == 0) {
        (void) mpl_cage_enter(cage, reset, &load);
    }
    cage->load = NULL;
    mpl_cage_forget(cage);

    const bool is_short = mpl_arena_is_short(load.scratch);
    const enum mpl_status st = load_status(&load, err);

    mpl_arena_destroy(load.scratch);
    if (st == MPL_OK && is_short) {
        /* Some word was not looked at, whatever is wrong with it. */
        return mpl_nomem(err);
    }
    return st != MPL_OK ? st : load.n_faults > 0 ? mpl_lint_fail(lint, err) : MPL_OK;
}

enum mpl_status mpl_cage_load(struct cage *cage, const struct mpl_rules *rules,
                              struct mpl_lint *lint, struct mpl_err *err)
{
    return load_rules(cage, rules, true, lint, err);
}

/* ---- checking ------------------------------------------------------------------------------ */

struct wanted {
    const char *template;
    const char *const *slots; /**< Ended by NULL. */
};

static const char *const run_slots[] = { "id", "processes", "locations", "duration", NULL };
static const char *const metric_slots[] = { "run",   "pattern", "name", "location",
                                            "value", "unit",    NULL };
static const char *const finding_slots[] = {
    "kind",   "name",  "run",        "pattern",      "locations", "culprits",
    "lost",   "share", "gain",       "level",        "healthy",   "text",
    "remedy", "where", "confidence", "functions-of", "calls-of",  NULL
};
static const struct wanted vocabulary[] = { { "run", run_slots },
                                            { "metric", metric_slots },
                                            { "finding", finding_slots } };

/** Where the vocabulary defines a deftemplate, for messages; else its file. */
static struct mpl_place place_of(const struct mpl_rules *rules, const char *template)
{
    for (size_t i = 0; i < rules->n_sources; i++) {
        for (size_t j = 0; j < rules->sources[i]->n; j++) {
            const struct mpl_construct *c = &rules->sources[i]->constructs[j];

            if (c->kind == MPL_CONSTRUCT_TEMPLATE && strcmp(c->name, template) == 0) {
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

enum mpl_status mpl_cage_load_checked(struct cage *cage, const struct mpl_rules *rules,
                                      struct mpl_lint *lint, struct mpl_err *err)
{
    struct load load = { .cage = cage, .rules = rules, .lint = lint };
    const size_t before = mpl_lint_errors(lint);
    const enum mpl_status st = load_rules(cage, rules, false, lint, err);

    if (st != MPL_OK) {
        return st;
    }
    if (!mpl_cage_enter(cage, check_vocabulary, &load)) {
        return mpl_cage_status(cage, err);
    }
    return mpl_lint_errors(lint) > before ? mpl_lint_fail(lint, err) : MPL_OK;
}
