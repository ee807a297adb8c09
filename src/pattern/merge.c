/*
 * `extends`: the tree of a file laid over the tree of its base. Maps of roles, events and what
 * is in an event are merged by name, the base's names first; a member, an associated event, an
 * attribute or any plain value is replaced as a whole. Every node keeps the place where it was
 * written, so that messages name the right file.
 */
#include "config.h"

#include "pattern/load_priv.h"

#include <string.h>

/* What becomes of a key that both have. */
struct rule {
    const char *key;          /* NULL: any key of this map */
    const struct rule *below; /* NULL: the file's value replaces the base's */
};

static const struct rule replaced[] = { { NULL, NULL } };
static const struct rule event_rules[] = { { "members", replaced },
                                           { "associated", replaced },
                                           { "attributes", replaced },
                                           { NULL, NULL } };
static const struct rule events_rules[] = { { NULL, event_rules } };
static const struct rule roles_rules[] = { { NULL, replaced } };
static const struct rule root_rules[] = { { "roles", roles_rules },
                                          { "events", events_rules },
                                          { NULL, NULL } };

static const struct rule *rule_of(const struct rule *rules, const char *key)
{
    while (rules->key != NULL && strcmp(rules->key, key) != 0) {
        rules++;
    }
    return rules->below;
}

/* Own metrics, experiments and examples are handled by the loader: they are lists of sections. */
static bool is_own(const struct rule *rules, const char *key)
{
    return rules == root_rules &&
           (strcmp(key, "metrics") == 0 || strcmp(key, "experiments") == 0 ||
            strcmp(key, "examples") == 0 || strcmp(key, "extends") == 0);
}

static struct mpl_yaml *append(struct mpl_arena *arena, struct mpl_yaml *map,
                               struct mpl_yaml **last, const struct mpl_yaml *child)
{
    struct mpl_yaml *copy = MPL_NEW(arena, struct mpl_yaml);

    if (copy == NULL) {
        return NULL;
    }
    *copy = *child;
    copy->next = NULL;
    if (*last == NULL) {
        map->first = copy;
    } else {
        (*last)->next = copy;
    }
    *last = copy;
    map->n++;
    return copy;
}

static const struct mpl_yaml *merge(struct mpl_arena *arena, const struct mpl_yaml *base,
                                    const struct mpl_yaml *own, const struct rule *rules)
{
    struct mpl_yaml *map = MPL_NEW(arena, struct mpl_yaml);
    struct mpl_yaml *last = NULL;

    if (map == NULL) {
        return NULL;
    }
    *map = *own;
    map->first = NULL;
    map->n = 0;
    for (const struct mpl_yaml *child = base->first; child != NULL; child = child->next) {
        const struct mpl_yaml *refined = mpl_yaml_find(own, child->key);
        const struct rule *below = rule_of(rules, child->key);

        if (is_own(rules, child->key)) {
            continue;
        }
        if (refined != NULL && below != NULL && refined->kind == MPL_YAML_MAP &&
            child->kind == MPL_YAML_MAP) {
            refined = merge(arena, child, refined, below);
            if (refined == NULL) {
                return NULL;
            }
        }
        if (append(arena, map, &last, refined != NULL ? refined : child) == NULL) {
            return NULL;
        }
    }
    for (const struct mpl_yaml *child = own->first; child != NULL; child = child->next) {
        const bool is_merged =
            mpl_yaml_find(base, child->key) != NULL && !is_own(rules, child->key);

        if (!is_merged && append(arena, map, &last, child) == NULL) {
            return NULL;
        }
    }
    return map;
}

const struct mpl_yaml *mpl_pattern_merge(struct mpl_arena *arena,
                                         const struct mpl_yaml *base,
                                         const struct mpl_yaml *own)
{
    return merge(arena, base, own, root_rules);
}
