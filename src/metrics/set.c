#include "config.h"

#include "metrics/metrics_priv.h"

#include <stdlib.h>
#include <string.h>

static const char *const keys[] = { "needs", "per", "says", "unit", "value" };

/* ---- messages ----------------------------------------------------------------------- */

/* "; did you mean 'x'?" or "". */
const char *mpl_metric_hint(struct set_loader *loader, const char *word,
                            const char *const *words, size_t n)
{
    const char *nearest = mpl_suggest(word, words, n);
    const char *hint =
        nearest == NULL ? ""
                        : mpl_arena_printf(loader->arena, "; did you mean '%s'?", nearest);

    loader->has_no_memory = loader->has_no_memory || hint == NULL;
    return hint == NULL ? "" : hint;
}

void mpl_metric_fault(struct set_loader *loader, struct mpl_place place, const char *fmt,
                      ...)
{
    va_list args;

    va_start(args, fmt);
    char *text = mpl_arena_vprintf(loader->arena, fmt, args);
    va_end(args);
    loader->has_no_memory = loader->has_no_memory || text == NULL;
    if (text != NULL) {
        mpl_lint_add(loader->lint, MPL_LINT_ERROR, place, "%s", text);
    }
}

/* ---- the list of metrics --------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* A name that formulas can read. */
static bool is_name(const char *text)
{
    if (!is_letter(text[0])) {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (!is_letter(*text) && !(*text >= '0' && *text <= '9')) {
            return false;
        }
    }
    return true;
}

void mpl_metric_check_keys(struct set_loader *loader, const struct mpl_yaml *node,
                           const char *of, const char *const *known, size_t n)
{
    for (const struct mpl_yaml *member = node->first; member != NULL;
         member = member->next) {
        bool is_known = false;

        for (size_t i = 0; i < n; i++) {
            is_known = is_known || strcmp(known[i], member->key) == 0;
        }
        if (!is_known) {
            mpl_metric_fault(loader, member->key_place, "unknown key '%s' in %s%s",
                             member->key, of,
                             mpl_metric_hint(loader, member->key, known, n));
        }
    }
}

/* The scalar \p key of a metric; NULL, with a message, when it is missing or no text. */
static const struct mpl_yaml *find_text(struct set_loader *loader,
                                        const struct metric *metric, const char *key,
                                        bool is_optional)
{
    const struct mpl_yaml *node = mpl_yaml_find(metric->node, key);

    if (node == NULL && !is_optional) {
        mpl_metric_fault(loader, metric->node->key_place, "metric '%s' has no '%s'",
                         metric->key, key);
    } else if (node != NULL && node->kind != MPL_YAML_SCALAR) {
        mpl_metric_fault(loader, node->place, "'%s' of a metric must be one text", key);
        node = NULL;
    }
    return node;
}

/* Roles of the pattern and "run". */
static const char *suggest_role(struct set_loader *loader, const char *word)
{
    const size_t n = mpl_pattern_role_count(loader->pattern);
    const char **words = MPL_NEW_ARRAY(loader->arena, n + 1, const char *);

    if (words == NULL) {
        loader->has_no_memory = true;
        return "";
    }
    for (size_t i = 0; i < n; i++) {
        words[i] = mpl_pattern_role(loader->pattern, i);
    }
    words[n] = "run";
    return mpl_metric_hint(loader, word, words, n + 1);
}

/* Role and full name. */
static bool load_per(struct set_loader *loader, struct metric *metric)
{
    const struct mpl_yaml *node = find_text(loader, metric, "per", false);

    metric->definition.role = MPL_NONE;
    if (node == NULL) {
        return false;
    }

    const bool is_of_run = strcmp(node->text, "run") == 0;

    if (!is_of_run) {
        metric->definition.role = mpl_pattern_find_role(loader->pattern, node->text);
    }
    if (!is_of_run && metric->definition.role == MPL_NONE) {
        mpl_metric_fault(loader, node->place,
                         "'%s' is neither 'run' nor a role of the pattern%s", node->text,
                         suggest_role(loader, node->text));
        return false;
    }
    if (mpl_variable_find(metric->key, !is_of_run) != MPL_NONE) {
        mpl_metric_fault(loader, metric->node->key_place,
                         "'%s.%s' is a variable already; give the metric another name",
                         node->text, metric->key);
        return false;
    }
    metric->definition.name =
        mpl_arena_printf(loader->arena, "%s.%s", node->text, metric->key);
    loader->has_no_memory = loader->has_no_memory || metric->definition.name == NULL;
    return metric->definition.name != NULL;
}

static bool load_unit(struct set_loader *loader, struct metric *metric)
{
    const struct mpl_yaml *node = find_text(loader, metric, "unit", false);
    char base[32];
    double factor;

    if (node == NULL) {
        return false;
    }
    if (mpl_unit_parse(node->text, &metric->unit, &factor) != MPL_OK) {
        mpl_metric_fault(loader, node->place,
                         "'%s' is no unit; there are s, B, 1, 1/s, B/s, s/B", node->text);
        return false;
    }
    if (factor != 1.0) {
        mpl_metric_fault(loader, node->place, "metrics are in base units: '%s', not '%s'",
                         mpl_unit_text(metric->unit, base), node->text);
        return false;
    }
    metric->unit_node = node;
    metric->definition.unit_text = node->text;
    return true;
}

static void load_need(struct set_loader *loader, struct metric *metric,
                      const struct mpl_yaml *node)
{
    const struct mpl_capability *need =
        node->kind == MPL_YAML_SCALAR ? mpl_capability_find(node->text) : NULL;
    size_t n;
    const struct mpl_capability *table = mpl_capability_table(&n);
    const char **words = MPL_NEW_ARRAY(loader->arena, n, const char *);

    if (need != NULL) {
        metric->needs[metric->n_needs++] = need;
    } else if (node->kind != MPL_YAML_SCALAR) {
        mpl_metric_fault(loader, node->place,
                         "'needs' of a metric is a list of capabilities");
    } else if (words == NULL) {
        loader->has_no_memory = true;
    } else {
        for (size_t i = 0; i < n; i++) {
            words[i] = table[i].name;
        }
        mpl_metric_fault(loader, node->place, "unknown capability '%s'%s", node->text,
                         mpl_metric_hint(loader, node->text, words, n));
    }
}

static void load_needs(struct set_loader *loader, struct metric *metric)
{
    const struct mpl_yaml *node = mpl_yaml_find(metric->node, "needs");

    if (node == NULL) {
        return;
    }
    if (node->kind != MPL_YAML_SEQ) {
        mpl_metric_fault(loader, node->place,
                         "'needs' of a metric is a list of capabilities");
        return;
    }
    metric->needs = MPL_NEW_ARRAY(loader->arena, node->n, const struct mpl_capability *);
    if (metric->needs == NULL) {
        loader->has_no_memory = true;
        return;
    }
    for (const struct mpl_yaml *item = node->first; item != NULL; item = item->next) {
        load_need(loader, metric, item);
    }
}

static void load_metric(struct set_loader *loader, struct metric *metric)
{
    if (!is_name(metric->key)) {
        mpl_metric_fault(loader, metric->node->key_place,
                         "'%s' cannot name a metric: letters, digits and _, a letter first",
                         metric->key);
        return;
    }
    if (metric->node->kind != MPL_YAML_MAP) {
        mpl_metric_fault(loader, metric->node->place,
                         "metric '%s' must be a map with per, value and unit", metric->key);
        return;
    }
    mpl_metric_check_keys(loader, metric->node, "a metric", keys,
                          sizeof keys / sizeof *keys);

    const bool has_per = load_per(loader, metric);
    const bool has_unit = load_unit(loader, metric);
    const struct mpl_yaml *says = find_text(loader, metric, "says", true);

    metric->is_sound = has_per && has_unit;
    metric->value = find_text(loader, metric, "value", false);
    metric->definition.says = says == NULL ? NULL : says->text;
    load_needs(loader, metric);
}

/* ---- sections ------------------------------------------------------------------------------ */

/* Where \p key has a place already, the later section refines it there. */
static bool add_section(struct set_loader *loader, const struct mpl_yaml *section,
                        struct mpl_names *names)
{
    for (const struct mpl_yaml *node = section->first; node != NULL; node = node->next) {
        const uint32_t i = mpl_names_put(names, node->key);

        if (i == MPL_NONE) {
            return false;
        }
        loader->set->metrics[i] = (struct metric){ .key = node->key, .node = node };
    }
    return true;
}

static bool add_sections(struct set_loader *loader, struct mpl_names *names)
{
    const struct mpl_yaml *const *sections;
    const size_t n = mpl_pattern_metric_sections(loader->pattern, &sections);
    size_t most = 0;

    for (size_t i = 0; i < n; i++) {
        most += sections[i]->n;
    }
    loader->set->metrics = MPL_NEW_ARRAY(loader->arena, most, struct metric);
    if (loader->set->metrics == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (sections[i]->kind != MPL_YAML_MAP) {
            /* "metrics:" with nothing behind it is a scalar without text. */
            if (!mpl_pattern_has_fault(loader->pattern) &&
                (sections[i]->kind != MPL_YAML_SCALAR || sections[i]->text[0] != '\0')) {
                mpl_metric_fault(loader, sections[i]->place,
                                 "'metrics' must be a map by name");
            }
        } else if (!add_section(loader, sections[i], names)) {
            return false;
        }
    }
    loader->set->n = (uint32_t) mpl_names_count(names);
    return true;
}

/* ---- names --------------------------------------------------------------------------------- */

static int compare_metrics(const void *a, const void *b, void *context)
{
    const struct metric *metrics = context;
    const struct metric *x = &metrics[*(const uint32_t *) a];
    const struct metric *y = &metrics[*(const uint32_t *) b];

    return strcmp(x->definition.name, y->definition.name);
}

static void sort_names(struct set_loader *loader)
{
    struct mpl_metric_set *set = loader->set;
    uint32_t *by_name = MPL_NEW_ARRAY(loader->arena, set->n, uint32_t);

    if (by_name == NULL) {
        loader->has_no_memory = true;
        return;
    }
    for (uint32_t i = 0; i < set->n; i++) {
        /* Without role it has no full name; its key keeps it in the table for suggestions. */
        if (set->metrics[i].definition.name == NULL) {
            set->metrics[i].definition.name = set->metrics[i].key;
        }
        by_name[i] = i;
    }
    if (set->n > 1) {
        qsort_r(by_name, set->n, sizeof *by_name, compare_metrics, set->metrics);
    }
    set->by_name = by_name;
}

size_t mpl_metric_set_count(const struct mpl_metric_set *set)
{
    return set->n;
}

struct mpl_metric_definition mpl_metric_set_get(const struct mpl_metric_set *set, size_t i)
{
    mpl_assert(i < set->n);
    return set->metrics[i].definition;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void load_all(struct set_loader *loader)
{
    struct mpl_metric_set *set = loader->set;

    for (uint32_t i = 0; i < set->n; i++) {
        load_metric(loader, &set->metrics[i]);
    }
    sort_names(loader);
    if (loader->has_no_memory) {
        return;
    }
    mpl_metric_load_experiments(loader);
    for (uint32_t i = 0; i < set->n && !loader->has_no_memory; i++) {
        struct metric *metric = &set->metrics[i];

        if (metric->value == NULL) {
            continue;
        }
        mpl_metric_compile(loader, metric);
        set->most_scalars =
            metric->scalars.n > set->most_scalars ? metric->scalars.n : set->most_scalars;
        set->most_lists =
            metric->lists.n > set->most_lists ? metric->lists.n : set->most_lists;
    }
    if (!loader->has_no_memory) {
        mpl_metric_check_order(loader);
    }
}

enum mpl_status mpl_metric_set_create(const struct mpl_pattern *pattern,
                                      struct mpl_arena *arena, struct mpl_lint *lint,
                                      const struct mpl_metric_set **out,
                                      struct mpl_err *err)
{
    const size_t n_before = mpl_lint_errors(lint);
    struct mpl_metric_set *set = MPL_NEW(arena, struct mpl_metric_set);
    struct mpl_names *names = mpl_names_create();
    struct set_loader loader = {
        .set = set, .pattern = pattern, .arena = arena, .lint = lint
    };

    if (set == NULL || names == NULL || !add_sections(&loader, names)) {
        mpl_names_destroy(names);
        return mpl_nomem(err);
    }
    mpl_names_destroy(names);
    set->pattern = pattern;
    /* Without any role nothing is known about whom metrics are. */
    if (!mpl_pattern_has_fault(pattern) || mpl_pattern_role_count(pattern) > 0) {
        load_all(&loader);
    }
    if (loader.has_no_memory) {
        return mpl_nomem(err);
    }
    if (mpl_lint_errors(lint) > n_before) {
        const size_t n = mpl_lint_errors(lint) - n_before;

        return mpl_fail(err, MPL_E_SYNTAX, "the metrics of pattern '%s' have %zu error%s",
                        mpl_pattern_name(pattern), n, n == 1 ? "" : "s");
    }
    *out = set;
    return MPL_OK;
}
