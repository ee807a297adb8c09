/*
 * Metrics that depend on each other. A metric of a location that reads others of the same
 * location, or lists of them, or of the run: in each case a circle of metrics is a circle of
 * values, so that it is found here, once, and the evaluation need not look for it.
 */
#include "config.h"

#include "metrics/metrics_priv.h"

#include <string.h>

enum mark { MARK_NEW, MARK_OPEN, MARK_CYCLE, MARK_DONE }; /* cycle: open, and reported */

/* A walk along the dependencies, the current path on a stack of metrics. */
struct walk {
    struct set_loader *loader;
    const struct metric *metrics;
    uint8_t *marks;   /* enum mark, per metric */
    uint32_t *levels; /* per metric that is done: 1 + the highest of those it reads */
    uint32_t *path;   /* room for DEPENDENCY_LIMIT */
    uint32_t depth;
    bool is_too_deep; /* reported once; then the walk ends */
};

static void print_metric(char **text, struct walk *walk, uint32_t metric)
{
    if (*text != NULL) {
        *text = mpl_arena_printf(walk->loader->arena, "%s%s%s", *text,
                                 **text == '\0' ? "" : " -> ",
                                 walk->metrics[metric].definition.name);
    }
}

/* The path from the first place of \p metric in it, which closes the circle. */
static void report_cycle(struct walk *walk, uint32_t metric)
{
    enum { SHOWN = 20 };
    const struct metric *first = &walk->metrics[metric];
    char *text = mpl_arena_strdup(walk->loader->arena, "");
    uint32_t start = walk->depth;
    uint32_t shown = 0;

    while (walk->path[start - 1] != metric) {
        start--;
    }
    for (uint32_t i = start - 1; i < walk->depth && shown < SHOWN; i++, shown++) {
        print_metric(&text, walk, walk->path[i]);
    }
    print_metric(&text, walk, metric);
    if (text == NULL) {
        walk->loader->has_no_memory = true;
        return;
    }
    mpl_lint_add(walk->loader->lint, MPL_LINT_ERROR, first->value->place,
                 "metric '%s' depends on itself: %s%s", first->key, text,
                 walk->depth - start + 1 > SHOWN ? " (shortened)" : "");
}

static void report_depth(struct walk *walk, const struct metric *metric)
{
    if (!walk->is_too_deep) {
        mpl_lint_add(walk->loader->lint, MPL_LINT_ERROR, metric->node->key_place,
                     "metrics build on each other over more than %d levels",
                     DEPENDENCY_LIMIT);
    }
    walk->is_too_deep = true;
}

static uint32_t visit(struct walk *walk, uint32_t metric);

/* The highest level among the metrics of \p sources. */
static uint32_t visit_sources(struct walk *walk, const struct sources *sources)
{
    uint32_t highest = 0;

    for (uint32_t i = 0; i < sources->n && !walk->is_too_deep; i++) {
        if (mpl_source_is_metric(&sources->items[i])) {
            const uint32_t level = visit(walk, sources->items[i].what);

            highest = level > highest ? level : highest;
        }
    }
    return highest;
}

/* The level of \p metric. */
static uint32_t visit(struct walk *walk, uint32_t metric)
{
    const struct metric *m = &walk->metrics[metric];

    if (walk->marks[metric] == MARK_OPEN) {
        report_cycle(walk, metric);
        walk->marks[metric] = MARK_CYCLE;
    }
    if (walk->marks[metric] != MARK_NEW) {
        return walk->levels[metric];
    }
    if (walk->depth == DEPENDENCY_LIMIT) {
        report_depth(walk, m);
        return 0;
    }
    walk->marks[metric] = MARK_OPEN;
    walk->path[walk->depth++] = metric;

    const uint32_t below = visit_sources(walk, &m->scalars);
    const uint32_t below_lists = visit_sources(walk, &m->lists);

    walk->depth--;
    walk->marks[metric] = MARK_DONE;
    walk->levels[metric] = 1 + (below > below_lists ? below : below_lists);
    if (walk->levels[metric] > DEPENDENCY_LIMIT) {
        report_depth(walk, m);
    }
    return walk->levels[metric];
}

void mpl_metric_check_order(struct set_loader *loader)
{
    const uint32_t n = loader->set->n;
    struct walk walk = { .loader = loader,
                         .metrics = loader->set->metrics,
                         .marks = MPL_NEW_ARRAY(loader->arena, n, uint8_t),
                         .levels = MPL_NEW_ARRAY(loader->arena, n, uint32_t),
                         .path = MPL_NEW_ARRAY(loader->arena, DEPENDENCY_LIMIT, uint32_t) };

    if (walk.marks == NULL || walk.levels == NULL || walk.path == NULL) {
        loader->has_no_memory = true;
        return;
    }
    for (uint32_t i = 0; i < n && !walk.is_too_deep; i++) {
        (void) visit(&walk, i);
    }
}
