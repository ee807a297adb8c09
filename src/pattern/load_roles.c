#include "config.h"

#include "pattern/load_priv.h"

#include <string.h>

static const char *const role_keys[] = { "count", "where", "score", "at_least", "says" };

static void load_count(struct mpl_loader *loader, const struct mpl_yaml *map,
                       struct mpl_role_definition *role)
{
    const struct mpl_yaml *count = mpl_yaml_find(map, "count");
    const struct mpl_yaml *at_least = mpl_yaml_find(map, "at_least");
    const char *text = count != NULL && count->kind == MPL_YAML_SCALAR ? count->text : "";

    role->is_one = strcmp(text, "1") == 0;
    role->at_least = 1;
    if (count == NULL) {
        mpl_load_error(loader, map->key_place, "role '%s' lacks 'count': 1 or many",
                       map->key);
    } else if (!role->is_one && strcmp(text, "many") != 0) {
        mpl_load_error(loader, count->place, "'count' must be 1 or many");
    }
    if (at_least != NULL &&
        mpl_load_number(loader, at_least, "'at_least'", 0, MPL_LOAD_ANY, &role->at_least) &&
        role->is_one && role->at_least > 1) {
        mpl_load_error(loader, at_least->place, "a role of count 1 cannot have at least %u",
                       role->at_least);
    }
}

static void load_role(struct mpl_loader *loader, const struct mpl_yaml *map,
                      uint32_t number)
{
    struct mpl_role_definition *role = &loader->pattern->roles[number];
    const struct mpl_yaml *where = mpl_yaml_find(map, "where");
    const struct mpl_yaml *score = mpl_yaml_find(map, "score");
    const struct mpl_yaml *count = mpl_yaml_find(map, "count");

    mpl_load_keys(loader, map, role_keys, sizeof role_keys / sizeof *role_keys, "a role");

    const bool had_fault = loader->has_fault;

    loader->has_fault = false;
    load_count(loader, map, role);
    role->has_fault = loader->has_fault;
    loader->has_fault = loader->has_fault || had_fault;
    (void) mpl_load_says(loader, map);
    if (where != NULL) {
        role->where_text = where->text;
        role->where = mpl_load_role_formula(loader, where, number);
    }
    if (score != NULL) {
        role->score = mpl_load_role_formula(loader, score, number);
        /* Who extends a pattern cannot take its score away. */
        if (!role->is_one && count != NULL &&
            strcmp(count->key_place.file, score->key_place.file) == 0) {
            mpl_load_warn(loader, score->key_place,
                          "'score' chooses among locations only where count is 1");
        }
    }
}

void mpl_load_roles(struct mpl_loader *loader, const struct mpl_yaml *roles)
{
    struct mpl_pattern *pattern = loader->pattern;

    if (roles->n > MPL_ROLES_MAX || roles->n == 0) {
        mpl_load_error(loader, roles->place, "a pattern has 1 to %d roles", MPL_ROLES_MAX);
        return;
    }
    pattern->roles = mpl_load_array(loader, roles->n, sizeof *pattern->roles);
    if (pattern->roles == NULL) {
        return;
    }
    for (const struct mpl_yaml *map = roles->first; map != NULL; map = map->next) {
        pattern->roles[pattern->n_roles++].name = map->key;
        /* Formulas of metrics give these another meaning. */
        if (mpl_load_is_name(loader, map->key, map->key_place, "a role") &&
            (strcmp(map->key, "run") == 0 || strcmp(map->key, "all") == 0)) {
            mpl_load_error(loader, map->key_place,
                           "'%s' cannot name a role: formulas use it", map->key);
        }
    }

    uint32_t number = 0;

    for (const struct mpl_yaml *map = roles->first; map != NULL; map = map->next) {
        if (mpl_load_is_map(loader, map, "a role")) {
            load_role(loader, map, number);
        } else {
            pattern->roles[number].has_fault = true;
        }
        number++;
    }
}
