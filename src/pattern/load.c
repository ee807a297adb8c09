/* The top level of a pattern file. */
#include "config.h"

#include "pattern/load_priv.h"

#include <string.h>

static const char *const root_keys[] = {
    "pattern",     "says",     "version", "extends", "minimum_coverage",
    "minimum_fit", "needs",    "roles",   "events",  "metrics",
    "experiments", "examples", "rules",   "views"
};

static void load_need(struct mpl_loader *loader, const struct mpl_yaml *node)
{
    struct mpl_pattern *pattern = loader->pattern;
    const char *name = mpl_load_text(loader, node, "a need");
    const struct mpl_capability *need = name == NULL ? NULL : mpl_capability_find(name);

    if (need != NULL) {
        pattern->needs[pattern->n_needs++] = need;
    } else if (name != NULL) {
        size_t n;
        const struct mpl_capability *table = mpl_capability_table(&n);

        mpl_load_error(loader, node->place, "there is no capability '%s'%s", name,
                       mpl_load_hint(loader, name,
                                     mpl_load_names(loader, table, n, sizeof *table), n));
    }
}

static void load_needs(struct mpl_loader *loader, const struct mpl_yaml *needs)
{
    if (needs->kind != MPL_YAML_SEQ) {
        mpl_load_error(loader, needs->place,
                       "'needs' must be a list of capabilities, as [receive-completions]");
        return;
    }
    loader->pattern->needs =
        mpl_load_array(loader, needs->n, sizeof *loader->pattern->needs);
    if (loader->pattern->needs == NULL) {
        return;
    }
    for (const struct mpl_yaml *node = needs->first; node != NULL; node = node->next) {
        load_need(loader, node);
    }
}

/* Names of rule files and views are only looked at: rules are found by directory, and views are above this module. */
static void load_names(struct mpl_loader *loader, const struct mpl_yaml *list,
                       const char *key, const char *what)
{
    if (list == NULL) {
        return;
    }
    if (list->kind != MPL_YAML_SEQ) {
        mpl_load_error(loader, list->place, "'%s' must be a list of names", key);
        return;
    }
    for (const struct mpl_yaml *node = list->first; node != NULL; node = node->next) {
        (void) mpl_load_text(loader, node, what);
    }
}

static void load_numbers(struct mpl_loader *loader, const struct mpl_yaml *root)
{
    struct mpl_pattern *pattern = loader->pattern;
    const struct mpl_yaml *coverage = mpl_yaml_find(root, "minimum_coverage");
    const struct mpl_yaml *fit = mpl_yaml_find(root, "minimum_fit");
    const struct mpl_yaml *version = mpl_yaml_find(root, "version");

    pattern->minimum_coverage = 0.8;
    pattern->minimum_fit = 0.8;
    if (coverage != NULL) {
        (void) mpl_load_share(loader, coverage, "'minimum_coverage'",
                              &pattern->minimum_coverage);
    }
    if (fit != NULL) {
        (void) mpl_load_share(loader, fit, "'minimum_fit'", &pattern->minimum_fit);
    }
    if (version != NULL &&
        (version->kind != MPL_YAML_SCALAR || strcmp(version->text, "1") != 0)) {
        mpl_load_error(loader, version->place,
                       "'version' must be 1: that of the pattern language");
    }
}

static void load_sections(struct mpl_loader *loader, const struct mpl_yaml *root)
{
    const struct mpl_yaml *roles = mpl_yaml_find(root, "roles");
    const struct mpl_yaml *events = mpl_yaml_find(root, "events");
    const struct mpl_yaml *examples = mpl_yaml_find(root, "examples");

    if (roles == NULL) {
        mpl_load_error(loader, root->place, "the pattern has no 'roles'");
    } else if (mpl_load_is_map(loader, roles, "'roles'")) {
        mpl_load_roles(loader, roles);
    }
    if (events != NULL && mpl_load_is_map(loader, events, "'events'")) {
        mpl_load_events(loader, events);
    }
    if (examples != NULL && mpl_load_is_map(loader, examples, "'examples'")) {
        mpl_load_examples(loader, examples);
    }
}

void mpl_load_pattern(struct mpl_loader *loader, const struct mpl_yaml *root)
{
    const struct mpl_yaml *says = mpl_yaml_find(root, "says");
    const struct mpl_yaml *needs = mpl_yaml_find(root, "needs");
    const struct mpl_yaml *metrics = mpl_yaml_find(root, "metrics");

    mpl_load_keys(loader, root, root_keys, sizeof root_keys / sizeof *root_keys,
                  "a pattern");
    load_numbers(loader, root);
    if (says == NULL) {
        mpl_load_error(loader, root->place,
                       "the pattern has no 'says': one sentence for its users");
    } else {
        loader->pattern->says = mpl_load_text(loader, says, "'says'");
    }
    if (needs != NULL) {
        load_needs(loader, needs);
    }
    load_names(loader, mpl_yaml_find(root, "rules"), "rules", "the name of a rule file");
    load_names(loader, mpl_yaml_find(root, "views"), "views", "the name of a view");
    if (metrics != NULL) {
        (void) mpl_load_is_map(loader, metrics, "'metrics'");
    }
    load_sections(loader, root);
}
