/* Whether the placeholders of a description stand for something, where they stand. */
#include "config.h"

#include "tracer/tracer_priv.h"

#include <string.h>

/* What a text becomes decides what can stand in it. */
enum use {
    USE_VALUE, /* of a variable, a word in front of the program, a line to paste */
    USE_WORD,  /* for a placeholder; it is not looked into again */
    USE_FILE   /* written as it is */
};

struct checker {
    struct tracer_loader *loader;
    const char **names; /* of placeholders */
    size_t n;
    const struct mpl_yaml *root;
    const struct mpl_yaml *part; /* the part of the description at hand; root: always */
};

static const char *const in_files[] = { "region", "counter" };
static const char *const own[] = { "trace",    "marple", "memory",
                                   "counters", "region", "counter" };
enum { N_OWN = sizeof own / sizeof *own };

bool mpl_tracer_is_placeholder(const char *name)
{
    for (size_t i = 0; i < N_OWN; i++) {
        if (strcmp(own[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_file(const struct mpl_yaml *part, const char *name)
{
    const struct mpl_yaml *files = part != NULL ? mpl_yaml_find(part, "files") : NULL;

    return files != NULL && mpl_yaml_find(files, name) != NULL;
}

/* A file must be written whenever its path is asked for. */
static void check_file(const struct checker *c, const char *name, struct mpl_place place)
{
    if (!has_file(c->part, name) && !has_file(c->root, name)) {
        mpl_tracer_fault(c->loader, place,
                         c->part == c->root ? "there is no file '%s' in 'files'"
                                            : "there is no file '%s' in the 'files' beside "
                                              "it or in those of the tracer",
                         name);
    }
}

static bool is_in_files_only(const char *name)
{
    return strcmp(name, in_files[0]) == 0 || strcmp(name, in_files[1]) == 0;
}

static void check_known(const struct checker *c, const char *name, struct mpl_place place)
{
    bool is_known = false;

    for (size_t i = 0; i < c->n && !is_known; i++) {
        is_known = strcmp(c->names[i], name) == 0;
    }
    if (!is_known) {
        mpl_tracer_fault(c->loader, place, "nothing is known to put in place of '{%s}'%s",
                         name, mpl_tracer_hint(c->loader, name, c->names, c->n));
    } else if (strcmp(name, "memory") == 0 && c->loader->tracer->memory_factor <= 0) {
        mpl_tracer_fault(c->loader, place, "'{memory}' needs the key 'memory'");
    }
}

static void check_name(const struct checker *c, const char *name, enum use use,
                       struct mpl_place place)
{
    const bool is_file = strncmp(name, "file:", 5) == 0;
    const bool is_path =
        is_file || strcmp(name, "trace") == 0 || strcmp(name, "marple") == 0;

    if (use == USE_FILE && is_path) {
        mpl_tracer_fault(c->loader, place,
                         "'{%s}' cannot stand in a file: where it will be is not known "
                         "when the file is written",
                         name);
    } else if (use == USE_WORD && !is_path) {
        mpl_tracer_fault(c->loader, place,
                         "'{%s}' cannot stand in a word for a placeholder: only {trace}, "
                         "{marple} and {file:NAME} can",
                         name);
    } else if (use != USE_FILE && is_in_files_only(name)) {
        mpl_tracer_fault(c->loader, place, "'{%s}' can stand in a file only", name);
    } else if (is_file) {
        check_file(c, name + 5, place);
    } else {
        check_known(c, name, place);
    }
}

/* A line stands there once for each function or for each counter. */
static void check_lines(const struct checker *c, const struct mpl_yaml *node)
{
    for (const char *line = node->text; *line != '\0';) {
        const size_t n = strcspn(line, "\n");
        const char *region = strstr(line, "{region}");
        const char *counter = strstr(line, "{counter}");

        if (region != NULL && counter != NULL && region < line + n && counter < line + n) {
            mpl_tracer_fault(c->loader, node->place,
                             "'{region}' and '{counter}' cannot stand in one line: it "
                             "stands there once for each");
        }
        line += n + (line[n] == '\n');
    }
}

static void check_text(const struct checker *c, const struct mpl_yaml *node, enum use use)
{
    const char *at = node->text;

    while ((at = strchr(at, '{')) != NULL) {
        const size_t n = strcspn(at + 1, "{}\n");
        struct mpl_place place = node->place;
        char *name = mpl_arena_strndup(c->loader->arena, at + 1, n);

        if (node->is_inline) {
            place.column += (unsigned) (at - node->text);
        }
        if (name == NULL) {
            return;
        }
        if (at[1 + n] != '}') {
            mpl_tracer_fault(c->loader, place, "'{' without '}'");
            return;
        }
        check_name(c, name, use, place);
        at += n + 2;
    }
    if (use == USE_FILE) {
        check_lines(c, node);
    }
}

/* A text, or those of a map or list; what is something else was reported by the loader. */
static void check_texts(const struct checker *c, const struct mpl_yaml *node, enum use use)
{
    if (node != NULL && node->kind == MPL_YAML_SCALAR) {
        check_text(c, node, use);
        return;
    }
    for (const struct mpl_yaml *child = node != NULL ? node->first : NULL; child != NULL;
         child = child->next) {
        if (child->kind == MPL_YAML_SCALAR) {
            check_text(c, child, use);
        }
    }
}

static void check_part(struct checker *c, const struct mpl_yaml *part)
{
    static const char *const lists[] = { "set", "add" };

    c->part = part;
    check_texts(c, mpl_yaml_find(part, "environment"), USE_VALUE);
    check_texts(c, mpl_yaml_find(part, "files"), USE_FILE);
    for (size_t i = 0; i < 2; i++) {
        const struct mpl_yaml *list = mpl_yaml_find(part, lists[i]);

        for (const struct mpl_yaml *words = list != NULL ? list->first : NULL;
             words != NULL; words = words->next) {
            check_texts(c, words, USE_WORD);
        }
    }
}

static void check_words(const struct checker *c, const struct mpl_yaml *words)
{
    for (const struct mpl_yaml *list = words != NULL ? words->first : NULL; list != NULL;
         list = list->next) {
        check_texts(c, mpl_yaml_find(list, "start"), USE_WORD);
        check_texts(c, mpl_yaml_find(list, "join"), USE_WORD);
    }
}

static void check_all(struct checker *c)
{
    static const char *const commands[] = { "launch", "finish", "by_hand" };
    const struct mpl_yaml *records = mpl_yaml_find(c->root, "records");
    const struct mpl_yaml *regions = mpl_yaml_find(c->root, "regions");
    const struct mpl_yaml *counters = mpl_yaml_find(c->root, "counters");
    const struct mpl_yaml *build = mpl_yaml_find(c->root, "build");

    check_part(c, c->root);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        check_texts(c, mpl_yaml_find(c->root, commands[i]), USE_VALUE);
    }
    check_texts(c, build != NULL ? mpl_yaml_find(build, "lines") : NULL, USE_VALUE);
    check_words(c, mpl_yaml_find(c->root, "words"));
    for (const struct mpl_yaml *r = records != NULL ? records->first : NULL; r != NULL;
         r = r->next) {
        check_part(c, r);
    }
    if (regions != NULL) {
        check_part(c, regions);
    }
    if (counters != NULL) {
        check_part(c, counters);
    }
}

void mpl_tracer_check(struct tracer_loader *loader, const struct mpl_yaml *root)
{
    const struct mpl_tracer_file *t = loader->tracer;
    struct checker c = {
        .loader = loader,
        .names = mpl_arena_array(loader->arena, t->n_lists + N_OWN, sizeof *c.names),
        .root = root,
    };

    if (c.names == NULL) {
        return;
    }
    for (size_t i = 0; i < N_OWN; i++) {
        c.names[c.n++] = own[i];
    }
    for (size_t i = 0; i < t->n_lists; i++) {
        c.names[c.n++] = t->lists[i].name;
    }
    check_all(&c);
}
