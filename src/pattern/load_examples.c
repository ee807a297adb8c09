#include "config.h"

#include "pattern/load_priv.h"

#include <string.h>

static const char *const example_keys[] = { "trace", "file", "says", "instances" };

static void load_expected(struct mpl_loader *loader, const struct mpl_yaml *map,
                          struct mpl_pattern_example *example)
{
    struct mpl_expected_count *expected;

    if (!mpl_load_is_map(loader, map, "'instances'")) {
        return;
    }
    expected = mpl_load_array(loader, map->n, sizeof *expected);
    if (expected == NULL) {
        return;
    }
    for (const struct mpl_yaml *node = map->first; node != NULL; node = node->next) {
        struct mpl_expected_count *item = &expected[example->n_expected];

        item->event = mpl_pattern_find_event(loader->pattern, node->key);
        if (item->event == MPL_NONE) {
            mpl_load_error(loader, node->key_place, "the pattern has no event '%s'",
                           node->key);
        } else if (mpl_load_number(loader, node, "the number of instances", 0, MPL_LOAD_ANY,
                                   &item->instances)) {
            example->n_expected++;
        }
    }
    example->expected = expected;
}

/* A path is relative to the pattern file. */
static const char *path_beside(struct mpl_loader *loader, const char *name)
{
    const char *slash = strrchr(loader->own_file, '/');
    char *path;

    if (*name == '/' || slash == NULL) {
        return name;
    }
    path = mpl_arena_printf(loader->arena, "%.*s/%s", (int) (slash - loader->own_file),
                            loader->own_file, name);
    loader->has_no_memory = loader->has_no_memory || path == NULL;
    return path;
}

/* A block of lines is a trace; one line is the name of a file. */
static void load_scalar(struct mpl_loader *loader, const struct mpl_yaml *node,
                        struct mpl_pattern_example *example)
{
    const char *text = mpl_load_text(loader, node, "an example");

    if (text != NULL && strchr(text, '\n') != NULL) {
        example->text = text;
    } else if (text != NULL) {
        example->file = path_beside(loader, text);
    }
}

static void load_example(struct mpl_loader *loader, const struct mpl_yaml *node,
                         struct mpl_pattern_example *example)
{
    const struct mpl_yaml *trace = mpl_yaml_find(node, "trace");
    const struct mpl_yaml *file = mpl_yaml_find(node, "file");
    const struct mpl_yaml *instances = mpl_yaml_find(node, "instances");

    example->place = node->place;
    if (node->kind != MPL_YAML_MAP) {
        load_scalar(loader, node, example);
        return;
    }
    mpl_load_keys(loader, node, example_keys, sizeof example_keys / sizeof *example_keys,
                  "an example");
    if ((trace == NULL) == (file == NULL)) {
        mpl_load_error(loader, node->place, "an example has either a 'trace' or a 'file'");
    }
    if (trace != NULL) {
        example->text = mpl_load_text(loader, trace, "'trace'");
    }
    if (file != NULL && mpl_load_text(loader, file, "'file'") != NULL) {
        example->file = path_beside(loader, file->text);
    }
    example->says = mpl_load_says(loader, node);
    if (instances != NULL) {
        load_expected(loader, instances, example);
    }
}

static size_t load_list(struct mpl_loader *loader, const struct mpl_yaml *list,
                        bool is_quiet, struct mpl_pattern_example *examples)
{
    size_t n = 0;

    if (list == NULL) {
        return 0;
    }
    if (list->kind != MPL_YAML_SEQ) {
        mpl_load_error(loader, list->place, "'%s' must be a list of examples", list->key);
        return 0;
    }
    for (const struct mpl_yaml *node = list->first; node != NULL; node = node->next) {
        examples[n].is_quiet = is_quiet;
        load_example(loader, node, &examples[n]);
        n++;
    }
    return n;
}

void mpl_load_examples(struct mpl_loader *loader, const struct mpl_yaml *map)
{
    static const char *const keys[] = { "fires", "quiet" };
    const struct mpl_yaml *fires = mpl_yaml_find(map, "fires");
    const struct mpl_yaml *quiet = mpl_yaml_find(map, "quiet");
    const size_t room = (fires == NULL ? 0 : fires->n) + (quiet == NULL ? 0 : quiet->n);
    struct mpl_pattern_example *examples = mpl_load_array(loader, room, sizeof *examples);

    mpl_load_keys(loader, map, keys, 2, "the examples");
    if (examples == NULL) {
        return;
    }

    size_t n = load_list(loader, fires, false, examples);

    n += load_list(loader, quiet, true, examples + n);
    loader->pattern->examples = examples;
    loader->pattern->n_examples = n;
}
