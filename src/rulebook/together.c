/* Compares the constructs of all rule files with one another. */
#include "config.h"

#include "rulebook/rulebook_priv.h"

#include <string.h>

/* ---- names ----------------------------------------------------------------------- */

/** All names so far, and where: names->number is the index into places. */
struct index {
    struct mpl_names *names;
    struct mpl_buf places; /**< struct mpl_place */
    struct mpl_arena *scratch;
    struct mpl_lint *lint;
};

/* A directory may change thresholds of those before it: rules are loaded behind all of them. */
static bool is_other_threshold(const char *file, const char *before)
{
    return strcmp(file, before) != 0 && mpl_rule_file_order(file) == 1 &&
           mpl_rule_file_order(before) == 1;
}

static bool note_name(struct index *index, const struct mpl_source *source,
                      const struct mpl_construct *c, const char *name, unsigned line)
{
    const struct mpl_place place = { .file = source->file, .line = line };
    /* Constructs of different kinds may share a name; CLIPS keeps them apart. */
    const char *key =
        mpl_arena_printf(index->scratch, "%s %s::%s", c->keyword, c->module, name);
    const uint32_t known = key == NULL ? MPL_NONE : mpl_names_find(index->names, key);

    if (key == NULL) {
        return false;
    }
    if (known != MPL_NONE) {
        struct mpl_place *before = mpl_buf_get(&index->places, known);

        if (c->kind == MPL_CONSTRUCT_GLOBAL &&
            is_other_threshold(source->file, before->file)) {
            *before = place;
            return true;
        }

        const bool is_in_main = strcmp(c->module, "MAIN") == 0;

        mpl_lint_add(index->lint, MPL_LINT_ERROR, place,
                     "%s '%s%s%s' is already defined at %s:%u", c->keyword,
                     is_in_main ? "" : c->module, is_in_main ? "" : "::", name,
                     before->file, before->line);
        return true;
    }

    return mpl_buf_put(&index->places, &place) &&
           mpl_names_put(index->names, key) != MPL_NONE;
}

static bool note_construct(struct index *index, const struct mpl_source *source,
                           const struct mpl_construct *c)
{
    if (c->kind != MPL_CONSTRUCT_GLOBAL) {
        return note_name(index, source, c, c->name, c->first_line);
    }
    for (size_t i = 0; i < c->n_words; i++) {
        if (!note_name(index, source, c, c->words[i], c->word_lines[i])) {
            return false;
        }
    }
    return true;
}

/** Reports names that are defined twice. False without memory. */
static bool check_names(struct index *index, const struct mpl_rules *rules)
{
    const size_t enough = mpl_lint_count(index->lint) + MPL_FAULTS;

    for (size_t i = 0; i < rules->n_sources; i++) {
        for (size_t j = 0; j < rules->sources[i]->n; j++) {
            if (mpl_lint_count(index->lint) >= enough) {
                return true;
            }
            if (!note_construct(index, rules->sources[i],
                                &rules->sources[i]->constructs[j])) {
                return false;
            }
        }
    }
    return true;
}

/* ---- modules ------------------------------------------------------------------------ */

static const char *const phases[] = { "SYMPTOMS", "REFINE", "CAUSES", "ADVISE", "MAIN" };
enum { N_PHASES = sizeof phases / sizeof phases[0] };

static bool has_word(const char *const *words, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(words[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static void check_module(struct mpl_lint *lint, const struct mpl_construct *c,
                         const char *const *modules, size_t n_modules)
{
    if (mpl_lint_errors(lint) >= MPL_FAULTS) {
        return; /* Refused anyway. */
    }
    if (!has_word(modules, n_modules, c->module)) {
        const char *near = mpl_suggest(c->module, modules, n_modules);

        mpl_lint_add(lint, MPL_LINT_ERROR, c->name_place, "unknown module '%s'%s%s%s",
                     c->module, near == NULL ? "" : "; did you mean '",
                     near == NULL ? "" : near, near == NULL ? "" : "'?");
    } else if (c->kind == MPL_CONSTRUCT_RULE && mpl_lint_count(lint) < MPL_FAULTS &&
               !has_word(phases, N_PHASES, c->module)) {
        mpl_lint_add(
            lint, MPL_LINT_WARNING, c->name_place,
            "module '%s' is not a phase; its rules fire only when a rule focuses it",
            c->module);
    }
}

/** Every construct names a module that some source defines. False without memory. */
static bool check_modules(const struct mpl_rules *rules, struct mpl_lint *lint)
{
    struct mpl_buf modules = mpl_buf_make(sizeof(const char *));
    bool is_whole = mpl_buf_put(&modules, &(const char *){ "MAIN" });

    for (size_t i = 0; i < rules->n_sources; i++) {
        for (size_t j = 0; j < rules->sources[i]->n; j++) {
            const struct mpl_construct *c = &rules->sources[i]->constructs[j];

            is_whole = is_whole &&
                       (c->kind != MPL_CONSTRUCT_MODULE || mpl_buf_put(&modules, &c->name));
        }
    }
    for (size_t i = 0; i < rules->n_sources && is_whole; i++) {
        for (size_t j = 0; j < rules->sources[i]->n; j++) {
            check_module(lint, &rules->sources[i]->constructs[j], modules.data, modules.n);
        }
    }
    mpl_buf_free(&modules);
    return is_whole;
}

/* ---- recursion ------------------------------------------------------------------------ */

/** A deffunction that has been passed. */
struct function {
    unsigned depth; /**< Of nested expressions, its callees included. */
};

struct functions {
    struct mpl_names *names;
    struct mpl_buf list; /**< struct function, by number of the name. */
    struct mpl_lint *lint;
};

/** A word that names a function counts as a call, so that no call goes unseen. */
static unsigned depth_of_word(const struct functions *f, const char *word)
{
    const char *colons = strstr(word, "::");
    const uint32_t number = mpl_names_find(f->names, colons == NULL ? word : colons + 2);

    return number == MPL_NONE ? 0
                              : ((struct function *) mpl_buf_get(&f->list, number))->depth;
}

static bool check_function(struct functions *f, const struct mpl_source *source,
                           const struct mpl_construct *c)
{
    unsigned deepest = 0;

    for (size_t i = 0; i < c->n_words; i++) {
        const unsigned depth = depth_of_word(f, c->words[i]);
        const char *colons = strstr(c->words[i], "::");

        deepest = depth > deepest ? depth : deepest;
        if (mpl_lint_errors(f->lint) < MPL_FAULTS &&
            strcmp(colons == NULL ? c->words[i] : colons + 2, c->name) == 0) {
            mpl_lint_add(
                f->lint, MPL_LINT_ERROR,
                (struct mpl_place){ .file = source->file, .line = c->word_lines[i] },
                "function '%s' calls itself; recursion is not allowed", c->name);
        }
    }
    deepest += c->depth;
    if (deepest > MPL_CALL_DEPTH) {
        mpl_lint_add(f->lint, MPL_LINT_ERROR,
                     (struct mpl_place){ .file = source->file, .line = c->first_line },
                     "function '%s' and those it calls are nested more than %d deep",
                     c->name, MPL_CALL_DEPTH);
        deepest = 0; /* Said once; its callers need not repeat it. */
    }

    /* Modules may have functions of the same name; the deepest stands for all. */
    const uint32_t known = mpl_names_find(f->names, c->name);
    struct function *kept =
        known != MPL_NONE ? mpl_buf_get(&f->list, known) : mpl_buf_add(&f->list);

    if (kept == NULL || mpl_names_put(f->names, c->name) == MPL_NONE) {
        return false;
    }
    kept->depth = deepest > kept->depth ? deepest : kept->depth;
    return true;
}

/**
 * CLIPS overflows its stack on recursion. It accepts calls only to functions that are defined
 * already, and no name may be defined twice; so the call graph points backwards, and the only
 * cycle left is a function that calls itself. False without memory.
 */
static bool check_recursion(const struct mpl_rules *rules, struct mpl_lint *lint)
{
    struct functions functions = { .names = mpl_names_create(),
                                   .list = mpl_buf_make(sizeof(struct function)),
                                   .lint = lint };
    bool is_done = functions.names != NULL;

    for (size_t i = 0; is_done && i < rules->n_sources; i++) {
        const struct mpl_source *source = rules->sources[i];

        for (size_t j = 0; is_done && j < source->n; j++) {
            if (source->constructs[j].kind == MPL_CONSTRUCT_FUNCTION) {
                is_done = check_function(&functions, source, &source->constructs[j]);
            }
        }
    }
    mpl_buf_free(&functions.list);
    mpl_names_destroy(functions.names);
    return is_done;
}

/* ---- all together --------------------------------------------------------- */

bool mpl_rules_check_together(const struct mpl_rules *rules, struct mpl_lint *lint)
{
    struct index index = { .names = mpl_names_create(),
                           .places = mpl_buf_make(sizeof(struct mpl_place)),
                           .scratch = mpl_arena_create(),
                           .lint = lint };
    const bool is_done = index.names != NULL && index.scratch != NULL &&
                         check_names(&index, rules) && check_modules(rules, lint) &&
                         check_recursion(rules, lint);

    mpl_arena_destroy(index.scratch);
    mpl_buf_free(&index.places);
    mpl_names_destroy(index.names);
    return is_done;
}
