/* Metrics that are evaluated together, for one purpose: the section `experiments` of a pattern. */
#include "config.h"

#include "metrics/metrics_priv.h"

#include <stdlib.h>
#include <string.h>

static const char *const keys[] = { "level", "metrics", "purpose" };

struct draft {
    struct mpl_metric_experiment experiment;
    uint32_t *metrics; /* Of the experiment. */
};

static const char *const *all_names(struct set_loader *loader)
{
    const struct mpl_metric_set *set = loader->set;
    const char **names = MPL_NEW_ARRAY(loader->arena, set->n, const char *);

    for (uint32_t i = 0; names != NULL && i < set->n; i++) {
        names[i] = set->metrics[i].definition.name;
    }
    loader->has_no_memory = loader->has_no_memory || names == NULL;
    return names;
}

/* A metric is asked for with the first experiment that names it. */
static void add_metric(struct set_loader *loader, const struct mpl_yaml *node,
                       struct draft *draft)
{
    struct mpl_metric_set *set = loader->set;
    const uint32_t metric =
        node->kind == MPL_YAML_SCALAR ? mpl_metric_set_find(set, node->text) : MPL_NONE;

    if (node->kind != MPL_YAML_SCALAR) {
        mpl_metric_fault(loader, node->place,
                         "an experiment lists names of metrics, as run.efficiency");
    } else if (metric == MPL_NONE) {
        const char *const *names = all_names(loader);

        mpl_metric_fault(
            loader, node->place, "the pattern has no metric '%s'%s", node->text,
            names == NULL ? "" : mpl_metric_hint(loader, node->text, names, set->n));
    } else {
        if (set->metrics[metric].experiment == NULL) {
            set->metrics[metric].experiment = &draft->experiment;
        }
        draft->metrics[draft->experiment.n++] = metric;
    }
}

static const struct mpl_yaml *find(struct set_loader *loader, const struct mpl_yaml *node,
                                   const char *key, enum mpl_yaml_kind kind)
{
    const struct mpl_yaml *value = mpl_yaml_find(node, key);

    if (value == NULL || value->kind != kind) {
        mpl_metric_fault(
            loader, value == NULL ? node->place : value->place,
            "an experiment needs 'level', a 'purpose' and a list of 'metrics'");
        return NULL;
    }
    return value;
}

static void load_experiment(struct set_loader *loader, const struct mpl_yaml *node)
{
    struct draft *draft = MPL_NEW(loader->arena, struct draft);
    struct mpl_metric_experiment *e = &draft->experiment;

    if (draft == NULL) {
        loader->has_no_memory = true;
        return;
    }
    if (node->kind != MPL_YAML_MAP) {
        mpl_metric_fault(
            loader, node->place,
            "an experiment needs 'level', a 'purpose' and a list of 'metrics'");
        return;
    }
    mpl_metric_check_keys(loader, node, "an experiment", keys, sizeof keys / sizeof *keys);

    const struct mpl_yaml *level = find(loader, node, "level", MPL_YAML_SCALAR);
    const struct mpl_yaml *purpose = find(loader, node, "purpose", MPL_YAML_SCALAR);
    const struct mpl_yaml *metrics = find(loader, node, "metrics", MPL_YAML_SEQ);

    if (level != NULL) {
        e->level = level->text[0] - '0';
        if (e->level < 1 || e->level > 9 || level->text[1] != '\0') {
            mpl_metric_fault(loader, level->place, "a level is a number from 1 to 9");
        }
    }
    e->purpose = purpose == NULL ? "" : purpose->text;
    draft->metrics =
        metrics == NULL ? NULL : MPL_NEW_ARRAY(loader->arena, metrics->n, uint32_t);
    e->metrics = draft->metrics;
    loader->has_no_memory =
        loader->has_no_memory || (metrics != NULL && e->metrics == NULL);
    for (const struct mpl_yaml *m = e->metrics == NULL ? NULL : metrics->first; m != NULL;
         m = m->next) {
        add_metric(loader, m, draft);
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
