/* The rules that were read: which there are, by number and by name. */
#include "config.h"

#include "rulebook/rulebook_priv.h"

#include <string.h>

int mpl_rule_file_order(const char *path)
{
    const char *name = mpl_file_name(path);

    return strcmp(name, "vocabulary.clp") == 0   ? 0
           : strcmp(name, "thresholds.clp") == 0 ? 1
                                                 : 2;
}

size_t mpl_rules_count(const struct mpl_rules *rules)
{
    return rules->n_rules;
}

const struct mpl_rule *mpl_rules_get(const struct mpl_rules *rules, size_t i)
{
    mpl_assert(i < rules->n_rules);
    return &rules->rules[i];
}

const char *mpl_rules_replaces(const struct mpl_rules *rules, const char *file)
{
    for (size_t i = 0; i < rules->n_sources; i++) {
        if (strcmp(rules->sources[i]->file, file) == 0) {
            return rules->sources[i]->replaces;
        }
    }
    return NULL;
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
