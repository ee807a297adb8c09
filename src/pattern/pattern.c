#include "config.h"

#include "pattern/load_priv.h"

#include <string.h>

const char *mpl_pattern_name(const struct mpl_pattern *pattern)
{
    return pattern->name;
}

bool mpl_pattern_extends(const struct mpl_pattern *pattern, const struct mpl_pattern *base)
{
    for (const struct mpl_pattern *p = pattern->base; p != NULL; p = p->base) {
        if (strcmp(p->name, base->name) == 0) {
            return true;
        }
    }
    return false;
}

const char *mpl_pattern_says(const struct mpl_pattern *pattern)
{
    return pattern->says;
}

const char *mpl_pattern_file(const struct mpl_pattern *pattern)
{
    return pattern->file;
}

const char *mpl_pattern_replaces(const struct mpl_pattern *pattern)
{
    return pattern->replaces;
}

const struct mpl_yaml *mpl_pattern_tree(const struct mpl_pattern *pattern)
{
    return pattern->merged;
}

bool mpl_pattern_is_structural(const struct mpl_pattern *pattern)
{
    return pattern->minimum_coverage > 0;
}

double mpl_pattern_minimum_coverage(const struct mpl_pattern *pattern)
{
    return pattern->minimum_coverage;
}

double mpl_pattern_minimum_fit(const struct mpl_pattern *pattern)
{
    return pattern->minimum_fit;
}

/* ---- roles -------------------------------------------------------------------------- */

size_t mpl_pattern_role_count(const struct mpl_pattern *pattern)
{
    return pattern->n_roles;
}

const char *mpl_pattern_role(const struct mpl_pattern *pattern, size_t i)
{
    mpl_assert(i < pattern->n_roles);
    return pattern->roles[i].name;
}

bool mpl_pattern_role_is_one(const struct mpl_pattern *pattern, size_t i)
{
    mpl_assert(i < pattern->n_roles);
    return pattern->roles[i].is_one;
}

uint32_t mpl_pattern_find_role(const struct mpl_pattern *pattern, const char *role)
{
    for (uint32_t i = 0; i < pattern->n_roles; i++) {
        if (strcmp(pattern->roles[i].name, role) == 0) {
            return i;
        }
    }
    return MPL_NONE;
}

/* ---- events ------------------------------------------------------------------------- */

size_t mpl_pattern_event_count(const struct mpl_pattern *pattern)
{
    return pattern->n_events;
}

static const struct mpl_event_definition *event_at(const struct mpl_pattern *pattern,
                                                   size_t i)
{
    mpl_assert(i < pattern->n_events);
    return &pattern->events[i];
}

const char *mpl_pattern_event(const struct mpl_pattern *pattern, size_t i)
{
    return event_at(pattern, i)->name;
}

uint32_t mpl_pattern_find_event(const struct mpl_pattern *pattern, const char *event)
{
    for (uint32_t i = 0; i < pattern->n_events; i++) {
        if (strcmp(pattern->events[i].name, event) == 0) {
            return i;
        }
    }
    return MPL_NONE;
}

bool mpl_pattern_has_fault(const struct mpl_pattern *pattern)
{
    return pattern->has_fault;
}

bool mpl_pattern_role_has_fault(const struct mpl_pattern *pattern, uint32_t role)
{
    return pattern->roles[role].has_fault;
}

bool mpl_pattern_event_has_fault(const struct mpl_pattern *pattern, uint32_t event)
{
    return event_at(pattern, event)->has_fault;
}

uint32_t mpl_pattern_event_role(const struct mpl_pattern *pattern, uint32_t event)
{
    return event_at(pattern, event)->role;
}

/* ---- attributes ----------------------------------------------------------------------- */

size_t mpl_pattern_attribute_count(const struct mpl_pattern *pattern, uint32_t event)
{
    return event_at(pattern, event)->n_attributes;
}

static const struct mpl_attribute *attribute_at(const struct mpl_pattern *pattern,
                                                uint32_t event, size_t i)
{
    mpl_assert(i < event_at(pattern, event)->n_attributes);
    return &pattern->events[event].attributes[i];
}

const char *mpl_pattern_attribute(const struct mpl_pattern *pattern, uint32_t event,
                                  size_t i)
{
    return attribute_at(pattern, event, i)->name;
}

struct mpl_unit mpl_pattern_attribute_unit(const struct mpl_pattern *pattern,
                                           uint32_t event, size_t i)
{
    return attribute_at(pattern, event, i)->unit;
}

uint32_t mpl_pattern_find_attribute(const struct mpl_pattern *pattern, uint32_t event,
                                    const char *name)
{
    return mpl_event_attribute_find(event_at(pattern, event), name);
}

/* ---- for other modules ------------------------------------------------------------------ */

size_t mpl_pattern_metric_sections(const struct mpl_pattern *pattern,
                                   const struct mpl_yaml *const **sections)
{
    *sections = pattern->metrics.items;
    return pattern->metrics.n;
}

size_t mpl_pattern_experiment_sections(const struct mpl_pattern *pattern,
                                       const struct mpl_yaml *const **sections)
{
    *sections = pattern->experiments.items;
    return pattern->experiments.n;
}

size_t mpl_pattern_example_count(const struct mpl_pattern *pattern)
{
    return pattern->n_examples;
}

const struct mpl_pattern_example *mpl_pattern_example(const struct mpl_pattern *pattern,
                                                      size_t i)
{
    mpl_assert(i < pattern->n_examples);
    return &pattern->examples[i];
}

uint32_t mpl_event_name_find(const struct mpl_event_definition *event, const char *name,
                             size_t bytes)
{
    for (uint32_t i = 0; i < event->n_members + event->n_associated; i++) {
        const char *known = mpl_event_name(event, i);

        if (strncmp(known, name, bytes) == 0 && known[bytes] == '\0') {
            return i;
        }
    }
    return MPL_NONE;
}

uint32_t mpl_event_attribute_find(const struct mpl_event_definition *event,
                                  const char *name)
{
    for (uint32_t i = 0; i < event->n_attributes; i++) {
        if (strcmp(event->attributes[i].name, name) == 0) {
            return i;
        }
    }
    return MPL_NONE;
}
