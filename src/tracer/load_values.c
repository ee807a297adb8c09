/* What sections of a description are made of: texts, lists, numbers, and what is wrong with them. */
#include "config.h"

#include "tracer/tracer_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void mpl_tracer_fault(struct tracer_loader *loader, struct mpl_place place, const char *fmt,
                      ...)
{
    va_list args;

    loader->has_fault = true;
    va_start(args, fmt);
    const char *text = mpl_arena_vprintf(loader->arena, fmt, args);
    va_end(args);
    if (text != NULL) {
        mpl_lint_add(loader->lint, MPL_LINT_ERROR, place, "%s", text);
    }
}

const char *mpl_tracer_hint(struct tracer_loader *loader, const char *word,
                            const char *const *words, size_t n)
{
    const char *hint = mpl_suggest_hint(loader->arena, word, words, n);

    return hint == NULL ? "" : hint;
}

void mpl_tracer_keys(struct tracer_loader *loader, const struct mpl_yaml *map,
                     const char *const *keys, size_t n, const char *what)
{
    const struct mpl_yaml *child = map->first;

    while ((child = mpl_yaml_find_unknown(child, keys, n)) != NULL) {
        mpl_tracer_fault(loader, child->key_place, "unknown key '%s' in %s%s", child->key,
                         what, mpl_tracer_hint(loader, child->key, keys, n));
        child = child->next;
    }
}

bool mpl_tracer_is_map(struct tracer_loader *loader, const struct mpl_yaml *node,
                       const char *what)
{
    /* "messages:" with nothing behind it is a scalar without text: an empty map. */
    const bool is_empty = node->kind == MPL_YAML_SCALAR && node->text[0] == '\0';

    if (node->kind != MPL_YAML_MAP && !is_empty) {
        mpl_tracer_fault(loader, node->place, "%s must be a map of names", what);
    }
    return node->kind == MPL_YAML_MAP;
}

const char *mpl_tracer_text(struct tracer_loader *loader, const struct mpl_yaml *node,
                            const char *what)
{
    if (node->kind != MPL_YAML_SCALAR || *node->text == '\0') {
        mpl_tracer_fault(loader, node->place, "%s must be a text", what);
        return NULL;
    }
    return node->text;
}

const char *const *mpl_tracer_texts(struct tracer_loader *loader,
                                    const struct mpl_yaml *node, const char *what,
                                    size_t *n)
{
    const char **texts = NULL;

    *n = 0;
    if (node->kind != MPL_YAML_SEQ) {
        mpl_tracer_fault(loader, node->place, "%s must be a list of texts", what);
        return NULL;
    }
    texts = mpl_arena_array(loader->arena, node->n, sizeof *texts);
    for (const struct mpl_yaml *item = node->first; texts != NULL && item != NULL;
         item = item->next) {
        const char *text = mpl_tracer_text(loader, item, what);

        if (text != NULL) {
            texts[(*n)++] = text;
        }
    }
    return texts;
}

bool mpl_tracer_number(struct tracer_loader *loader, const struct mpl_yaml *node,
                       const char *what, double *out)
{
    char *end = NULL;
    const char *text = node->kind == MPL_YAML_SCALAR ? node->text : "";
    const double value = isdigit((unsigned char) *text) ? strtod(text, &end) : -1;

    if (!(value > 0) || *end != '\0' || value > 1e12) {
        mpl_tracer_fault(loader, node->place, "%s must be a number above 0", what);
        return false;
    }
    *out = value;
    return true;
}

bool mpl_tracer_is_word(const char *text, const char *others)
{
    const char *at = text;

    while (isalnum((unsigned char) *at) || (*at != '\0' && strchr(others, *at) != NULL)) {
        at++;
    }
    return *at == '\0' && at > text;
}

const char *mpl_tracer_capability(struct tracer_loader *loader, const char *name,
                                  struct mpl_place place)
{
    size_t n = 0;
    const struct mpl_capability *table = mpl_capability_table(&n);
    const char **names = mpl_arena_array(loader->arena, n, sizeof *names);

    for (size_t i = 0; names != NULL && i < n; i++) {
        names[i] = table[i].name;
        if (strcmp(name, names[i]) == 0) {
            return names[i];
        }
    }
    if (names != NULL) {
        mpl_tracer_fault(loader, place, "there is no capability '%s'%s", name,
                         mpl_tracer_hint(loader, name, names, n));
    }
    return NULL;
}
