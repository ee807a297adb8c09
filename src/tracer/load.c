/* Sections of a tracer's description (doc/tracers.md). */
#include "config.h"

#include "tracer/tracer_priv.h"

#include <ctype.h>
#include <string.h>

/* ---- parts ------------------------------------------------------------------------- */

static void load_environment(struct tracer_loader *loader, const struct mpl_yaml *map,
                             struct part *part)
{
    struct mpl_setting_pair *pairs = mpl_arena_array(loader->arena, map->n, sizeof *pairs);

    for (const struct mpl_yaml *c = map->first; pairs != NULL && c != NULL; c = c->next) {
        /* POSIX, 8.1. */
        if (!mpl_tracer_is_word(c->key, "_") || isdigit((unsigned char) c->key[0])) {
            mpl_tracer_fault(loader, c->key_place,
                             "'%s' cannot name a variable of the environment: use "
                             "letters, digits and _",
                             c->key);
        } else if (c->kind != MPL_YAML_SCALAR) {
            mpl_tracer_fault(loader, c->place, "the value of '%s' must be a text", c->key);
        } else {
            pairs[part->n_environment++] = (struct mpl_setting_pair){ c->key, c->text };
        }
    }
    part->environment = pairs;
}

static void load_files(struct tracer_loader *loader, const struct mpl_yaml *map,
                       struct part *part)
{
    struct mpl_setting_file *files = mpl_arena_array(loader->arena, map->n, sizeof *files);

    for (const struct mpl_yaml *c = map->first; files != NULL && c != NULL; c = c->next) {
        if (!mpl_tracer_is_word(c->key, "._-") || c->key[0] == '.') {
            mpl_tracer_fault(loader, c->key_place,
                             "'%s' cannot name a file: it is written beside the trace, so "
                             "use letters, digits, . _ and -",
                             c->key);
        } else if (mpl_tracer_text(loader, c, "the contents of a file") != NULL) {
            files[part->n_files++] = (struct mpl_setting_file){ c->key, c->text };
        }
    }
    part->files = files;
}

static size_t find_list(struct tracer_loader *loader, const struct mpl_yaml *node)
{
    const struct mpl_tracer_file *t = loader->tracer;
    const char **names = mpl_arena_array(loader->arena, t->n_lists, sizeof *names);

    for (size_t i = 0; names != NULL && i < t->n_lists; i++) {
        names[i] = t->lists[i].name;
        if (strcmp(names[i], node->key) == 0) {
            return i;
        }
    }
    if (names != NULL) {
        mpl_tracer_fault(loader, node->key_place, "there are no 'words' called '%s'%s",
                         node->key, mpl_tracer_hint(loader, node->key, names, t->n_lists));
    }
    return SIZE_MAX;
}

static void load_additions(struct tracer_loader *loader, const struct mpl_yaml *map,
                           bool replaces, struct addition *additions, size_t *n)
{
    for (const struct mpl_yaml *c = map->first; c != NULL; c = c->next) {
        struct addition *a = &additions[*n];

        a->list = find_list(loader, c);
        a->replaces = replaces;
        a->words = mpl_tracer_texts(loader, c, "the words", &a->n);
        *n += a->list != SIZE_MAX && a->words != NULL;
    }
}

/* Sets first: what is added then stays. */
static void load_words_of(struct tracer_loader *loader, const struct mpl_yaml *set,
                          const struct mpl_yaml *add, struct part *part)
{
    const size_t most = (set != NULL ? set->n : 0) + (add != NULL ? add->n : 0);
    struct addition *all = mpl_arena_array(loader->arena, most, sizeof *all);

    if (all != NULL && set != NULL && mpl_tracer_is_map(loader, set, "'set'")) {
        load_additions(loader, set, true, all, &part->n_additions);
    }
    if (all != NULL && add != NULL && mpl_tracer_is_map(loader, add, "'add'")) {
        load_additions(loader, add, false, all, &part->n_additions);
    }
    part->additions = all;
}

static void load_part(struct tracer_loader *loader, const struct mpl_yaml *map,
                      struct part *part)
{
    const struct mpl_yaml *environment = mpl_yaml_find(map, "environment");
    const struct mpl_yaml *files = mpl_yaml_find(map, "files");

    if (environment != NULL && mpl_tracer_is_map(loader, environment, "'environment'")) {
        load_environment(loader, environment, part);
    }
    if (files != NULL && mpl_tracer_is_map(loader, files, "'files'")) {
        load_files(loader, files, part);
    }
    load_words_of(loader, mpl_yaml_find(map, "set"), mpl_yaml_find(map, "add"), part);
}

/* ---- sections ---------------------------------------------------------------------- */

static bool check_list_name(struct tracer_loader *loader, const struct mpl_yaml *node)
{
    if (!mpl_tracer_is_word(node->key, "_-")) {
        mpl_tracer_fault(loader, node->key_place,
                         "'%s' cannot name 'words': use letters, digits, _ and -",
                         node->key);
        return false;
    }
    if (mpl_tracer_is_placeholder(node->key)) {
        mpl_tracer_fault(loader, node->key_place,
                         "'%s' is a placeholder already; choose another name", node->key);
        return false;
    }
    return true;
}

static void load_list(struct tracer_loader *loader, const struct mpl_yaml *node,
                      struct word_list *list)
{
    static const char *const keys[] = { "join", "start" };
    const struct mpl_yaml *join = mpl_yaml_find(node, "join");
    const struct mpl_yaml *start = mpl_yaml_find(node, "start");

    *list = (struct word_list){ .name = node->key, .join = " " };
    if (!mpl_tracer_is_map(loader, node, "a list of 'words'")) {
        return; /* "modules:" with nothing behind it begins without words. */
    }
    mpl_tracer_keys(loader, node, keys, 2, "'words'");
    if (join != NULL && join->kind != MPL_YAML_SCALAR) {
        mpl_tracer_fault(loader, join->place, "'join' must be a text");
    } else if (join != NULL) {
        list->join = join->text;
    }
    if (start != NULL) {
        list->words = mpl_tracer_texts(loader, start, "'start'", &list->n);
    }
}

static void load_words(struct tracer_loader *loader, const struct mpl_yaml *map)
{
    struct word_list *lists = mpl_arena_array(loader->arena, map->n, sizeof *lists);

    for (const struct mpl_yaml *c = map->first; lists != NULL && c != NULL; c = c->next) {
        if (check_list_name(loader, c)) {
            load_list(loader, c, &lists[loader->tracer->n_lists++]);
        }
    }
    loader->tracer->lists = lists;
}

static void load_records(struct tracer_loader *loader, const struct mpl_yaml *map)
{
    static const char *const keys[] = { "only", "set", "add", "environment", "files" };
    struct mpl_tracer_file *t = loader->tracer;
    struct recorded *all = mpl_arena_array(loader->arena, map->n, sizeof *all);

    for (const struct mpl_yaml *c = map->first; all != NULL && c != NULL; c = c->next) {
        const char *name = mpl_tracer_capability(loader, c->key, c->key_place);

        if (name == NULL) {
            continue;
        }
        struct recorded *r = &all[t->n_recorded++];

        r->capability = name;
        if (!mpl_tracer_is_map(loader, c, "what a capability needs")) {
            continue;
        }
        mpl_tracer_keys(loader, c, keys, sizeof keys / sizeof *keys, "'records'");
        const struct mpl_yaml *only = mpl_yaml_find(c, "only");
        r->only = only == NULL ? NULL : mpl_tracer_text(loader, only, "'only'");
        load_part(loader, c, &r->part);
    }
    t->recorded = all;
}

static bool is_recorded(const struct mpl_tracer_file *t, const char *name)
{
    for (size_t i = 0; i < t->n_recorded; i++) {
        if (strcmp(t->recorded[i].capability, name) == 0) {
            return true;
        }
    }
    return false;
}

static void load_never(struct tracer_loader *loader, const struct mpl_yaml *map)
{
    struct mpl_tracer_file *t = loader->tracer;
    struct mpl_setting_pair *all = mpl_arena_array(loader->arena, map->n, sizeof *all);

    for (const struct mpl_yaml *c = map->first; all != NULL && c != NULL; c = c->next) {
        const char *name = mpl_tracer_capability(loader, c->key, c->key_place);
        const char *why = mpl_tracer_text(loader, c, "the reason in 'never'");

        if (name != NULL && is_recorded(t, name)) {
            mpl_tracer_fault(loader, c->key_place,
                             "'%s' stands in 'records' and in 'never'", name);
        } else if (name != NULL && why != NULL) {
            all[t->n_never++] = (struct mpl_setting_pair){ name, why };
        }
    }
    t->never = all;
}

static void load_regions(struct tracer_loader *loader, const struct mpl_yaml *map)
{
    static const char *const keys[] = { "set",   "add",    "environment",
                                        "files", "unsafe", "any" };
    const struct mpl_yaml *unsafe = mpl_yaml_find(map, "unsafe");
    const struct mpl_yaml *any = mpl_yaml_find(map, "any");

    mpl_tracer_keys(loader, map, keys, sizeof keys / sizeof *keys, "'regions'");
    load_part(loader, map, &loader->tracer->regions);
    if (unsafe != NULL) {
        loader->tracer->unsafe = mpl_tracer_text(loader, unsafe, "'unsafe'");
    }
    if (any != NULL && (any->kind != MPL_YAML_SCALAR || strlen(any->text) != 1)) {
        mpl_tracer_fault(loader, any->place,
                         "'any' must be the one character that stands for any other");
    } else if (any != NULL) {
        loader->tracer->any = any->text[0];
    }
    if ((unsafe == NULL) != (any == NULL)) {
        mpl_tracer_fault(loader, map->place, "'unsafe' and 'any' go together");
    }
}

static void load_build(struct tracer_loader *loader, const struct mpl_yaml *map)
{
    static const char *const keys[] = { "why", "lines" };
    struct mpl_tracer_file *t = loader->tracer;
    const struct mpl_yaml *why = mpl_yaml_find(map, "why");
    const struct mpl_yaml *lines = mpl_yaml_find(map, "lines");

    mpl_tracer_keys(loader, map, keys, 2, "'build'");
    if (why == NULL || lines == NULL) {
        mpl_tracer_fault(loader, map->place, "'build' needs 'why' and 'lines'");
        return;
    }
    t->build_why = mpl_tracer_text(loader, why, "'why'");
    t->build = mpl_tracer_texts(loader, lines, "'lines'", &t->n_build);
}

static void load_number(struct tracer_loader *loader, const struct mpl_yaml *map,
                        const char *key, double *out)
{
    const struct mpl_yaml *node = mpl_yaml_find(map, key);

    if (node == NULL) {
        mpl_tracer_fault(loader, map->place, "'%s' is missing", key);
    } else {
        (void) mpl_tracer_number(loader, node, key, out);
    }
}

static void load_memory(struct tracer_loader *loader, const struct mpl_yaml *map)
{
    static const char *const keys[] = { "factor", "least_mib", "most_mib" };
    struct mpl_tracer_file *t = loader->tracer;

    mpl_tracer_keys(loader, map, keys, 3, "'memory'");
    load_number(loader, map, "factor", &t->memory_factor);
    load_number(loader, map, "least_mib", &t->memory_least_mib);
    load_number(loader, map, "most_mib", &t->memory_most_mib);
}

static void load_cost(struct tracer_loader *loader, const struct mpl_yaml *map)
{
    static const char *const keys[] = { "bytes_per_event", "overhead_s_per_event",
                                        "source" };
    struct mpl_tracer_file *t = loader->tracer;

    mpl_tracer_keys(loader, map, keys, 3, "'cost'");
    load_number(loader, map, "bytes_per_event", &t->bytes_per_event);
    load_number(loader, map, "overhead_s_per_event", &t->overhead_s_per_event);
    if (mpl_yaml_find(map, "source") == NULL) {
        mpl_tracer_fault(loader, map->place,
                         "'source' is missing: where these figures come from");
    }
}

static void load_counters(struct tracer_loader *loader, const struct mpl_yaml *map)
{
    static const char *const keys[] = { "set", "add", "environment", "files" };

    mpl_tracer_keys(loader, map, keys, 4, "'counters'");
    load_part(loader, map, &loader->tracer->counters);
}

/* In the order in which they build on each other. */
static const struct section {
    const char *key;
    void (*load)(struct tracer_loader *loader, const struct mpl_yaml *map);
    bool is_needed;
} sections[] = {
    { "words", load_words, false },       { "records", load_records, true },
    { "never", load_never, false },       { "regions", load_regions, false },
    { "counters", load_counters, false }, { "build", load_build, false },
    { "memory", load_memory, false },     { "cost", load_cost, true },
};
enum { N_SECTIONS = sizeof sections / sizeof *sections };

static void load_sections(struct tracer_loader *loader, const struct mpl_yaml *root)
{
    for (size_t i = 0; i < N_SECTIONS; i++) {
        const struct mpl_yaml *map = mpl_yaml_find(root, sections[i].key);
        const char *what = mpl_arena_printf(loader->arena, "'%s'", sections[i].key);

        if (map == NULL && sections[i].is_needed) {
            mpl_tracer_fault(loader, root->place, "the tracer has no '%s'",
                             sections[i].key);
        } else if (map != NULL && what != NULL && mpl_tracer_is_map(loader, map, what)) {
            sections[i].load(loader, map);
        }
    }
}

static void load_head(struct tracer_loader *loader, const struct mpl_yaml *root)
{
    struct mpl_tracer_file *t = loader->tracer;
    const struct mpl_yaml *says = mpl_yaml_find(root, "says");
    const struct mpl_yaml *program = mpl_yaml_find(root, "program");
    const struct mpl_yaml *version = mpl_yaml_find(root, "version");

    if (says == NULL || program == NULL) {
        mpl_tracer_fault(loader, root->place, "the tracer has no '%s'",
                         says == NULL ? "says" : "program");
    } else {
        t->says = mpl_tracer_text(loader, says, "'says'");
        t->program = mpl_tracer_text(loader, program, "'program'");
    }
    if (version != NULL &&
        (version->kind != MPL_YAML_SCALAR || strcmp(version->text, "1") != 0)) {
        mpl_tracer_fault(loader, version->place,
                         "'version' must be 1: that of this kind of file");
    }
}

static const char *const *load_list_of(struct tracer_loader *loader,
                                       const struct mpl_yaml *root, const char *key,
                                       size_t *n)
{
    const struct mpl_yaml *node = mpl_yaml_find(root, key);
    const char *what = mpl_arena_printf(loader->arena, "'%s'", key);

    return node != NULL && what != NULL ? mpl_tracer_texts(loader, node, what, n) : NULL;
}

static void load_in_front_of(struct tracer_loader *loader, const struct mpl_yaml *node)
{
    static const char *const words[] = { "program", "launcher" };
    const char *word = node != NULL ? mpl_tracer_text(loader, node, "'in_front_of'") : NULL;

    loader->tracer->leads = word != NULL && strcmp(word, "launcher") == 0;
    if (word != NULL && !loader->tracer->leads && strcmp(word, "program") != 0) {
        mpl_tracer_fault(loader, node->place, "'in_front_of' is program or launcher%s",
                         mpl_tracer_hint(loader, word, words, 2));
    }
}

static void load_commands(struct tracer_loader *loader, const struct mpl_yaml *root)
{
    struct mpl_tracer_file *t = loader->tracer;

    t->version_command =
        load_list_of(loader, root, "version_command", &t->n_version_command);
    t->libraries = load_list_of(loader, root, "libraries", &t->n_libraries);
    t->launch = load_list_of(loader, root, "launch", &t->n_launch);
    load_in_front_of(loader, mpl_yaml_find(root, "in_front_of"));
    t->finish = load_list_of(loader, root, "finish", &t->n_finish);
    t->by_hand = load_list_of(loader, root, "by_hand", &t->n_by_hand);
}

void mpl_tracer_load(struct tracer_loader *loader, const struct mpl_yaml *root)
{
    static const char *const keys[] = {
        "tracer",      "says",   "version", "program",   "version_command",
        "launch",      "words",  "records", "never",     "regions",
        "counters",    "build",  "memory",  "cost",      "files",
        "environment", "finish", "by_hand", "libraries", "in_front_of"
    };

    mpl_tracer_keys(loader, root, keys, sizeof keys / sizeof *keys, "a tracer");
    load_head(loader, root);
    load_commands(loader, root);
    load_part(loader, root, &loader->tracer->always);
    load_sections(loader, root);
    if (!loader->has_fault) {
        mpl_tracer_check(loader, root);
    }
}
