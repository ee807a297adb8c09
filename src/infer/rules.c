/* Reads rule files and compares their constructs with one another. */
#include "config.h"

#include "infer/infer_priv.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------- */

static struct mpl_place first_place(const struct mpl_source *source,
                                    const struct mpl_construct *c)
{
    return (struct mpl_place){ .file = source->file, .line = c->first_line };
}

/** Constructs of different kinds may share a name; CLIPS keeps them apart. */
static char *key_of(struct mpl_arena *arena, const struct mpl_construct *c,
                    const char *name)
{
    return mpl_arena_printf(arena, "%s %s::%s", c->keyword, c->module, name);
}

/** All names so far, and where: names->number is the index into places. */
struct index {
    struct mpl_names *names;
    struct mpl_buf places; /**< struct mpl_place */
    struct mpl_arena *scratch;
    struct mpl_lint *lint;
};

static bool note_name(struct index *index, const struct mpl_source *source,
                      const struct mpl_construct *c, const char *name, unsigned line)
{
    const struct mpl_place place = { .file = source->file, .line = line };
    const char *key = key_of(index->scratch, c, name);
    const uint32_t known = key == NULL ? MPL_NONE : mpl_names_find(index->names, key);

    if (key == NULL) {
        return false;
    }
    if (known != MPL_NONE) {
        const struct mpl_place *before = mpl_buf_get(&index->places, known);

        const bool is_in_main = strcmp(c->module, "MAIN") == 0;

        mpl_lint_add(index->lint, MPL_LINT_ERROR, place,
                     "%s '%s%s%s' is already defined at %s:%u", c->keyword,
                     is_in_main ? "" : c->module, is_in_main ? "" : "::", name,
                     before->file, before->line);
        return true;
    }

    struct mpl_place *kept = mpl_buf_add(&index->places);

    if (kept == NULL || mpl_names_put(index->names, key) == MPL_NONE) {
        return false;
    }
    *kept = place;
    return true;
}

static bool note_construct(struct index *index, const struct mpl_source *source,
                           const struct mpl_construct *c)
{
    if (c->kind != CONSTRUCT_GLOBAL) {
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
    } else if (c->kind == CONSTRUCT_RULE && mpl_lint_count(lint) < MPL_FAULTS &&
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
    bool is_done = false;
    const char **word = mpl_buf_add(&modules);

    if (word == NULL) {
        goto free;
    }
    *word = "MAIN";
    for (size_t i = 0; i < rules->n_sources; i++) {
        for (size_t j = 0; j < rules->sources[i]->n; j++) {
            if (rules->sources[i]->constructs[j].kind != CONSTRUCT_MODULE) {
                continue;
            }
            word = mpl_buf_add(&modules);
            if (word == NULL) {
                goto free;
            }
            *word = rules->sources[i]->constructs[j].name;
        }
    }
    for (size_t i = 0; i < rules->n_sources; i++) {
        for (size_t j = 0; j < rules->sources[i]->n; j++) {
            check_module(lint, &rules->sources[i]->constructs[j], modules.data, modules.n);
        }
    }
    is_done = true;
free:
    mpl_buf_free(&modules);
    return is_done;
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
        mpl_lint_add(f->lint, MPL_LINT_ERROR, first_place(source, c),
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
            if (source->constructs[j].kind == CONSTRUCT_FUNCTION) {
                is_done = check_function(&functions, source, &source->constructs[j]);
            }
        }
    }
    mpl_buf_free(&functions.list);
    mpl_names_destroy(functions.names);
    return is_done;
}

/* ---- all constructs together --------------------------------------------------------- */

static bool check_together(const struct mpl_rules *rules, struct mpl_lint *lint)
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

static bool index_rules(struct mpl_rules *rules, struct mpl_arena *arena)
{
    size_t n = 0;

    for (size_t i = 0; i < rules->n_sources; i++) {
        n += rules->sources[i]->n;
    }

    struct mpl_rule *list = MPL_NEW_ARRAY(arena, n, struct mpl_rule);

    if (list == NULL) {
        return false;
    }
    rules->rules = list;
    for (size_t i = 0; i < rules->n_sources; i++) {
        for (size_t j = 0; j < rules->sources[i]->n; j++) {
            const struct mpl_construct *c = &rules->sources[i]->constructs[j];

            if (c->kind != CONSTRUCT_RULE) {
                continue;
            }
            list[rules->n_rules++] = (struct mpl_rule){
                .name = mpl_arena_printf(arena, "%s::%s", c->module, c->name),
                .says = c->says,
                .file = rules->sources[i]->file,
                .first_line = c->first_line,
                .last_line = c->last_line,
            };
            if (list[rules->n_rules - 1].name == NULL) {
                return false;
            }
        }
    }
    return true;
}

/**
 * CLIPS counts \r and \n as a line each, which would put every message into the wrong line.
 * The length stays the same, so offsets and columns do, too.
 */
static void normalise_line_ends(char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\r') {
            text[i] = i + 1 < bytes && text[i + 1] == '\n' ? ' ' : '\n';
        }
    }
}

/** Scans a text that the caller has copied into \p arena. */
static struct mpl_source *add_source(const char *file, char *text, size_t bytes,
                                     struct mpl_arena *arena, struct mpl_lint *lint,
                                     struct mpl_err *err)
{
    struct mpl_source *source = MPL_NEW(arena, struct mpl_source);

    if (source == NULL) {
        (void) mpl_nomem(err);
        return NULL;
    }
    normalise_line_ends(text, bytes);
    *source = (struct mpl_source){ .file = file, .text = text, .bytes = bytes };
    mpl_lint_source(lint, file, text, bytes);
    return mpl_scan(source, arena, lint, err) == MPL_OK ? source : NULL;
}

/** The checks that need all sources. */
static enum mpl_status finish(const struct mpl_source *const *sources, size_t n,
                              bool is_deferred, size_t errors_before,
                              struct mpl_arena *arena, struct mpl_lint *lint,
                              const struct mpl_rules **out, struct mpl_err *err)
{
    struct mpl_rules *rules = MPL_NEW(arena, struct mpl_rules);

    if (rules == NULL) {
        return mpl_nomem(err);
    }
    rules->sources = sources;
    rules->n_sources = n;
    if (!check_together(rules, lint) || !index_rules(rules, arena)) {
        return mpl_nomem(err);
    }
    /*
     * CLIPS sees only texts of sound outer form: a missing parenthesis would make it complain
     * about everything that follows.
     */
    rules->unchecked = is_deferred ? lint : NULL;
    if (mpl_lint_errors(lint) == errors_before && !is_deferred) {
        const enum mpl_status st = mpl_rules_check(rules, lint, err);

        if (st != MPL_OK) {
            return st;
        }
    }
    if (mpl_lint_errors(lint) > errors_before) {
        return mpl_lint_fail(lint, err);
    }
    *out = rules;
    return MPL_OK;
}

/* ---- files ------------------------------------------------------------------------------ */

static bool has_ending(const char *name, const char *ending)
{
    const size_t n = strlen(name);
    const size_t m = strlen(ending);

    return n > m && strcmp(name + n - m, ending) == 0;
}

static bool is_rule_file(const char *name)
{
    return name[0] != '.' && has_ending(name, ".clp") && !has_ending(name, ".test.clp");
}

/** 0 for the vocabulary, 1 for the thresholds, 2 for the others. */
static int order_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;

    return strcmp(name, "vocabulary.clp") == 0   ? 0
           : strcmp(name, "thresholds.clp") == 0 ? 1
                                                 : 2;
}

struct rule_file {
    const char *path;
    size_t directory;
};

static int compare_files(const void *a, const void *b)
{
    const struct rule_file *x = a;
    const struct rule_file *y = b;
    const int by_order = order_of(x->path) - order_of(y->path);

    if (by_order != 0) {
        return by_order;
    }
    if (x->directory != y->directory) {
        return x->directory < y->directory ? -1 : 1;
    }
    return strcmp(x->path, y->path);
}

static enum mpl_status list_directory(const char *path, size_t number,
                                      struct mpl_arena *arena, struct mpl_buf *files,
                                      struct mpl_err *err)
{
    DIR *directory = opendir(path);
    enum mpl_status st = MPL_OK;

    if (directory == NULL) {
        return mpl_fail(err, MPL_E_IO, "cannot read the rules in \"%s\": %s", path,
                        strerror(errno));
    }
    for (const struct dirent *entry;
         st == MPL_OK && (entry = readdir(directory)) != NULL;) {
        if (!is_rule_file(entry->d_name)) {
            continue;
        }

        struct rule_file *file = mpl_buf_add(files);

        if (file == NULL) {
            st = mpl_nomem(err);
            break;
        }
        file->directory = number;
        file->path = mpl_arena_printf(arena, "%s/%s", path, entry->d_name);
        if (file->path == NULL) {
            st = mpl_nomem(err);
        }
    }
    (void) closedir(directory);
    return st;
}

static enum mpl_status read_sources(const struct rule_file *files, size_t n,
                                    struct mpl_arena *arena, struct mpl_lint *lint,
                                    const struct mpl_source **sources, struct mpl_err *err)
{
    for (size_t i = 0; i < n; i++) {
        char *text = NULL;
        size_t bytes = 0;
        const enum mpl_status st =
            mpl_file_read(files[i].path, MPL_RULE_FILE_BYTES, arena, &text, &bytes, err);

        if (st != MPL_OK) {
            return mpl_wrap(err, st, "cannot read the rules in \"%s\"", files[i].path);
        }

        struct mpl_err mine = { 0 };

        sources[i] = add_source(files[i].path, text, bytes, arena, lint, &mine);
        if (sources[i] == NULL) {
            return mpl_nomem(err);
        }
    }
    return MPL_OK;
}

static enum mpl_status load_files(const struct rule_file *files, size_t n, bool is_deferred,
                                  struct mpl_arena *arena, struct mpl_lint *lint,
                                  const struct mpl_rules **out, struct mpl_err *err)
{
    const struct mpl_source **sources = MPL_NEW_ARRAY(arena, n, const struct mpl_source *);
    const size_t errors_before = mpl_lint_errors(lint);

    if (sources == NULL) {
        return mpl_nomem(err);
    }
    if (n == 0 || order_of(files[0].path) != 0) {
        return mpl_fail(err, MPL_E_USAGE, "no vocabulary.clp in the directories of rules");
    }

    const enum mpl_status st = read_sources(files, n, arena, lint, sources, err);

    return st != MPL_OK
               ? st
               : finish(sources, n, is_deferred, errors_before, arena, lint, out, err);
}

static enum mpl_status load_directories(const char *const *directories, size_t n,
                                        bool is_deferred, struct mpl_arena *arena,
                                        struct mpl_lint *lint, const struct mpl_rules **out,
                                        struct mpl_err *err)
{
    struct mpl_buf files = mpl_buf_make(sizeof(struct rule_file));
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; st == MPL_OK && i < n; i++) {
        st = list_directory(directories[i], i, arena, &files, err);
    }
    if (st == MPL_OK && files.n > 0) {
        qsort(files.data, files.n, sizeof(struct rule_file), compare_files);
    }
    if (st == MPL_OK) {
        st = load_files(files.data, files.n, is_deferred, arena, lint, out, err);
    }
    mpl_buf_free(&files);
    return st;
}

enum mpl_status mpl_rules_load(const char *const *directories, size_t n,
                               struct mpl_arena *arena, struct mpl_lint *lint,
                               const struct mpl_rules **out, struct mpl_err *err)
{
    return load_directories(directories, n, false, arena, lint, out, err);
}

enum mpl_status mpl_rules_read(const char *const *directories, size_t n,
                               struct mpl_arena *arena, struct mpl_lint *lint,
                               const struct mpl_rules **out, struct mpl_err *err)
{
    return load_directories(directories, n, true, arena, lint, out, err);
}

enum mpl_status mpl_rules_parse(const char *file, const char *text, size_t bytes,
                                const struct mpl_rules *base, struct mpl_arena *arena,
                                struct mpl_lint *lint, const struct mpl_rules **out,
                                struct mpl_err *err)
{
    const size_t n = base == NULL ? 0 : base->n_sources;
    const struct mpl_source **sources =
        MPL_NEW_ARRAY(arena, n + 1, const struct mpl_source *);
    char *copy = mpl_arena_alloc(arena, bytes + 1);
    char *name = mpl_arena_strdup(arena, file);
    const size_t errors_before = mpl_lint_errors(lint);

    if (sources == NULL || copy == NULL || name == NULL) {
        return mpl_nomem(err);
    }
    if (bytes > MPL_RULE_FILE_BYTES) {
        return mpl_fail(err, MPL_E_LIMIT, "%s is larger than %d MiB", file,
                        MPL_RULE_FILE_BYTES >> 20);
    }
    if (bytes > 0) {
        memcpy(copy, text, bytes);
    }
    for (size_t i = 0; i < n; i++) {
        sources[i] = base->sources[i];
    }
    sources[n] = add_source(name, copy, bytes, arena, lint, err);
    if (sources[n] == NULL) {
        return mpl_nomem(err);
    }
    return finish(sources, n + 1, false, errors_before, arena, lint, out, err);
}

/* ---- asking ------------------------------------------------------------------------------- */

size_t mpl_rules_count(const struct mpl_rules *rules)
{
    return rules->n_rules;
}

const struct mpl_rule *mpl_rules_get(const struct mpl_rules *rules, size_t i)
{
    mpl_assert(i < rules->n_rules);
    return &rules->rules[i];
}

const struct mpl_rule *mpl_rules_find(const struct mpl_rules *rules, const char *name)
{
    for (size_t i = 0; i < rules->n_rules; i++) {
        const char *colons = strstr(rules->rules[i].name, "::");

        if (strcmp(rules->rules[i].name, name) == 0 || strcmp(colons + 2, name) == 0) {
            return &rules->rules[i];
        }
    }
    return NULL;
}
