/* What all parts of a pattern file are read with: texts, names, numbers, and complaints about them. */
#include "config.h"

#include "pattern/load_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this many messages a file is not a pattern, and printing them takes longer than reading. */
enum { MESSAGES_MAX = 100 };

/* ---- messages --------------------------------------------------------------------- */

static void add(struct mpl_loader *loader, enum mpl_severity severity,
                struct mpl_place place, const char *fmt, va_list args)
{
    if (mpl_lint_count(loader->lint) - loader->first_message >= MESSAGES_MAX) {
        return;
    }

    const char *text = mpl_arena_vprintf(loader->arena, fmt, args);

    if (text == NULL) {
        loader->has_no_memory = true;
        return;
    }
    mpl_lint_add(loader->lint, severity, place, "%s", text);
}

void mpl_load_error(struct mpl_loader *loader, struct mpl_place place, const char *fmt, ...)
{
    va_list args;

    loader->has_fault = true;
    va_start(args, fmt);
    add(loader, MPL_LINT_ERROR, place, fmt, args);
    va_end(args);
}

void mpl_load_warn(struct mpl_loader *loader, struct mpl_place place, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add(loader, MPL_LINT_WARNING, place, fmt, args);
    va_end(args);
}

const char *mpl_load_hint(struct mpl_loader *loader, const char *word,
                          const char *const *words, size_t n)
{
    const char *hint =
        words == NULL ? NULL : mpl_suggest_hint(loader->arena, word, words, n);

    if (hint == NULL) {
        loader->has_no_memory = true;
        return "";
    }
    return hint;
}

const char **mpl_load_names(struct mpl_loader *loader, const void *things, size_t n,
                            size_t size)
{
    const char **names = mpl_load_array(loader, n, sizeof *names);

    for (size_t i = 0; i < n && names != NULL; i++) {
        names[i] = *(const char *const *) ((const char *) things + i * size);
    }
    return names;
}

void *mpl_load_array(struct mpl_loader *loader, size_t n, size_t size)
{
    void *items = mpl_arena_array(loader->arena, n, size);

    loader->has_no_memory = loader->has_no_memory || items == NULL;
    return items;
}

/* ---- values ------------------------------------------------------------------------ */

void mpl_load_keys(struct mpl_loader *loader, const struct mpl_yaml *map,
                   const char *const *keys, size_t n, const char *what)
{
    const struct mpl_yaml *child = map->first;

    while ((child = mpl_yaml_find_unknown(child, keys, n)) != NULL) {
        mpl_load_error(loader, child->key_place, "unknown key '%s' in %s%s", child->key,
                       what, mpl_load_hint(loader, child->key, keys, n));
        child = child->next;
    }
}

const char *mpl_load_text(struct mpl_loader *loader, const struct mpl_yaml *node,
                          const char *what)
{
    if (node->kind != MPL_YAML_SCALAR || *node->text == '\0') {
        mpl_load_error(loader, node->place, "%s must be a text", what);
        return NULL;
    }
    return node->text;
}

const char *mpl_load_says(struct mpl_loader *loader, const struct mpl_yaml *map)
{
    const struct mpl_yaml *says = mpl_yaml_find(map, "says");

    return says == NULL ? NULL : mpl_load_text(loader, says, "'says'");
}

bool mpl_load_is_map(struct mpl_loader *loader, const struct mpl_yaml *node,
                     const char *what)
{
    if (node->kind != MPL_YAML_MAP) {
        mpl_load_error(loader, node->place, "%s must be a map of names", what);
    }
    return node->kind == MPL_YAML_MAP;
}

bool mpl_load_number(struct mpl_loader *loader, const struct mpl_yaml *node,
                     const char *what, uint32_t lowest, uint32_t highest, uint32_t *out)
{
    uint64_t value = 0;
    const char *text = node->kind == MPL_YAML_SCALAR ? node->text : "";
    const char *at = text;

    while (isdigit((unsigned char) *at) && at - text < 12) {
        value = 10 * value + (uint64_t) (*at++ - '0');
    }
    if (at == text || *at != '\0' || value < lowest || value > highest) {
        if (highest == MPL_LOAD_ANY) {
            mpl_load_error(loader, node->place, "%s must be a whole number", what);
        } else {
            mpl_load_error(loader, node->place, "%s must be a whole number from %u to %u",
                           what, lowest, highest);
        }
        return false;
    }
    *out = (uint32_t) value;
    return true;
}

bool mpl_load_share(struct mpl_loader *loader, const struct mpl_yaml *node,
                    const char *what, double *out)
{
    char *end = NULL;
    const char *text = node->kind == MPL_YAML_SCALAR ? node->text : "";
    const double value = isdigit((unsigned char) *text) ? strtod(text, &end) : -1;

    if (!(value >= 0 && value <= 1) || *end != '\0') {
        mpl_load_error(loader, node->place, "%s must be a number from 0 to 1", what);
        return false;
    }
    *out = value;
    return true;
}

bool mpl_load_is_name(struct mpl_loader *loader, const char *name, struct mpl_place place,
                      const char *what)
{
    const char *at = name;

    while (isalnum((unsigned char) *at) || *at == '_') {
        at++;
    }
    if (*at != '\0' || at == name || isdigit((unsigned char) *name)) {
        mpl_load_error(loader, place, "'%s' cannot name %s: use letters, digits and _",
                       name, what);
        return false;
    }
    return true;
}

uint32_t mpl_load_role(struct mpl_loader *loader, const struct mpl_yaml *node)
{
    const struct mpl_pattern *pattern = loader->pattern;
    const char *name = mpl_load_text(loader, node, "a role");
    const uint32_t role = name == NULL ? MPL_NONE : mpl_pattern_find_role(pattern, name);

    if (name != NULL && role == MPL_NONE) {
        const char **names = mpl_load_names(loader, pattern->roles, pattern->n_roles,
                                            sizeof *pattern->roles);

        mpl_load_error(loader, node->place, "there is no role '%s'%s", name,
                       mpl_load_hint(loader, name, names, pattern->n_roles));
    }
    return role;
}
