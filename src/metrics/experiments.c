/* Metrics that are evaluated together, for one purpose: the section `experiments` of a pattern. */
#include "config.h"

#include "metrics/metrics_priv.h"

#include <string.h>

static const char *const keys[] = { "level", "metrics", "purpose" };

/* A metric is asked for with the first experiment that names it. */
static void add_metric(struct set_loader *loader, const struct mpl_yaml *node,
                       const struct mpl_metric_experiment *experiment, uint32_t *out)
{
    struct mpl_metric_set *set = loader->set;
    const char *text = node->text == NULL ? "" : node->text;

    *out = mpl_metric_set_find(set, text);
    if (*out == MPL_NONE) {
        const char **names = MPL_NEW_ARRAY(loader->arena, set->n, const char *);

        for (uint32_t i = 0; i < set->n && names != NULL; i++) {
            names[i] = set->metrics[i].definition.name;
        }
        mpl_metric_fault(loader, node->place, "the pattern has no metric '%s'%s", text,
                         mpl_metric_hint(loader, text, names, names == NULL ? 0 : set->n));
    } else if (set->metrics[*out].experiment == NULL) {
        set->metrics[*out].experiment = experiment;
    }
}

/* Of a map; else it has none of its parts. */
static void load_experiment(struct set_loader *loader, const struct mpl_yaml *node)
{
    const struct mpl_yaml *level = mpl_yaml_find(node, "level");
    const struct mpl_yaml *purpose = mpl_yaml_find(node, "purpose");
    const struct mpl_yaml *list = mpl_yaml_find(node, "metrics");
    struct mpl_metric_experiment *e = MPL_NEW(loader->arena, struct mpl_metric_experiment);
    uint32_t *metrics = MPL_NEW_ARRAY(loader->arena, list == NULL ? 0 : list->n, uint32_t);

    if (e == NULL || metrics == NULL) {
        loader->has_no_memory = true;
        return;
    }
    mpl_metric_check_keys(loader, node, "an experiment", keys, sizeof keys / sizeof *keys);
    if (level == NULL || level->text == NULL || level->text[0] < '1' ||
        level->text[0] > '9' || level->text[1] != '\0' || purpose == NULL ||
        purpose->text == NULL || list == NULL || list->kind != MPL_YAML_SEQ) {
        mpl_metric_fault(
            loader, node->place,
            "an experiment needs a 'level' from 1 to 9, a 'purpose' and a list "
            "of 'metrics'");
        return;
    }
    *e = (struct mpl_metric_experiment){ level->text[0] - '0', purpose->text, list->n,
                                         metrics };
    for (const struct mpl_yaml *m = list->first; m != NULL; m = m->next) {
        add_metric(loader, m, e, metrics++);
    }
}

void mpl_metric_load_experiments(struct set_loader *loader)
{
    const struct mpl_yaml *const *sections;
    const size_t n = mpl_pattern_experiment_sections(loader->pattern, &sections);

    for (size_t i = 0; i < n && !loader->has_no_memory; i++) {
        if (sections[i]->kind != MPL_YAML_SEQ) {
            mpl_metric_fault(loader, sections[i]->place, "'experiments' must be a list");
            continue;
        }
        for (const struct mpl_yaml *node = sections[i]->first; node != NULL;
             node = node->next) {
            load_experiment(loader, node);
        }
    }
}

const struct mpl_metric_experiment *
mpl_metric_set_experiment(const struct mpl_metric_set *set, uint32_t metric)
{
    return set->metrics[metric].experiment;
}
