/*
 * What does not depend on clocks: which instances there are where conditions compare ranks, tags,
 * sizes and the order on a location, and the attributes that read nothing else. On other time lines
 * of the same run they need not be found again.
 */
#include "config.h"

#include "recognize/pattern_priv.h"

#include <string.h>

/* Events and attributes do not go round in circles: mpl_load_order() has seen to it. */
struct steadiness {
    const struct mpl_pattern *pattern;
    uint8_t *events;      /* 0: not known, 1: no, 2: yes */
    uint8_t **attributes; /* likewise, per event */
};

static bool is_steady_field(uint32_t field)
{
    return field == MPL_FIELD_BYTES || field == MPL_FIELD_TAG || field == MPL_FIELD_PEER ||
           field == MPL_FIELD_RANK || field == MPL_FIELD_PLACE;
}

static bool is_steady_event(struct steadiness *s, uint32_t event);
static bool is_steady_attribute(struct steadiness *s, uint32_t event, uint32_t attribute);

static bool is_steady_filter(struct steadiness *s, const struct mpl_filter *filter)
{
    size_t n = 0;
    const uint32_t *fields =
        filter->where == NULL ? NULL : mpl_formula_scalars(filter->where, &n);

    for (size_t i = 0; i < n; i++) {
        if (!is_steady_field(fields[i])) {
            return false;
        }
    }
    return filter->event == MPL_NONE || is_steady_event(s, filter->event);
}

/* Names come before those that start from them, so theirs is known. */
static bool is_steady_name(struct steadiness *s, uint32_t event, uint32_t name)
{
    const struct mpl_event_definition *definition = &s->pattern->events[event];

    return name < definition->n_members
               ? is_steady_filter(s, &definition->members[name].filter)
               : definition->associated[name - definition->n_members].is_steady;
}

static bool is_steady_slot(struct steadiness *s, uint32_t event,
                           const struct mpl_slot *slot)
{
    const struct mpl_event_definition *definition = &s->pattern->events[event];
    uint32_t other;

    if (slot->relation != MPL_SLOT_FIELD) {
        return is_steady_name(s, event, slot->name) &&
               is_steady_name(s, event, slot->other);
    }
    if (slot->name == MPL_NONE) {
        return is_steady_attribute(s, event, slot->field);
    }
    other = mpl_event_name_instance(definition, slot->name);
    return is_steady_name(s, event, slot->name) &&
           (other == MPL_NONE
                ? is_steady_field(slot->field)
                : is_steady_event(s, other) && is_steady_attribute(s, other, slot->field));
}

static bool is_steady_formula(struct steadiness *s, uint32_t event,
                              const struct mpl_formula *formula)
{
    const struct mpl_event_definition *definition = &s->pattern->events[event];
    size_t n = 0;

    for (int lists = 0; lists < 2 && formula != NULL; lists++) {
        const uint32_t *slots =
            lists ? mpl_formula_lists(formula, &n) : mpl_formula_scalars(formula, &n);

        for (size_t i = 0; i < n; i++) {
            if (!is_steady_slot(s, event, &definition->slots[slots[i]])) {
                return false;
            }
        }
    }
    return true;
}

static bool is_steady_attribute(struct steadiness *s, uint32_t event, uint32_t attribute)
{
    const struct mpl_formula *formula =
        s->pattern->events[event].attributes[attribute].formula;
    uint8_t *known = &s->attributes[event][attribute];

    if (*known == 0) {
        const bool is_steady =
            formula == NULL ? attribute == MPL_OWN_LOCATION || attribute == MPL_OWN_INDEX
                            : is_steady_formula(s, event, formula);

        *known = is_steady ? 2 : 1;
    }
    return *known == 2;
}

static bool is_steady_link(struct steadiness *s, uint32_t event,
                           const struct mpl_associated *link)
{
    return link->base != MPL_NONE && is_steady_name(s, event, link->base) &&
           (link->stop == MPL_NONE || is_steady_name(s, event, link->stop)) &&
           is_steady_filter(s, &link->filter);
}

/* The condition reads the link's own fields, too, as if it were there. */
static void set_links(struct steadiness *s, uint32_t event)
{
    struct mpl_event_definition *definition = &s->pattern->events[event];

    for (uint32_t i = 0; i < definition->n_associated; i++) {
        struct mpl_associated *link = &definition->associated[i];

        link->is_steady = is_steady_link(s, event, link);
        link->is_steady = link->is_steady && is_steady_formula(s, event, link->where);
    }
}

static bool is_steady_match(struct steadiness *s, uint32_t event)
{
    const struct mpl_event_definition *definition = &s->pattern->events[event];

    for (uint32_t m = 0; m < definition->n_members; m++) {
        if (!is_steady_filter(s, &definition->members[m].filter)) {
            return false;
        }
    }
    for (uint32_t c = 0; c < definition->n_constraints; c++) {
        const struct mpl_constraint *constraint = &definition->constraints[c];

        if (constraint->present != MPL_NONE
                ? !is_steady_name(s, event, constraint->present)
                : !is_steady_formula(s, event, constraint->formula)) {
            return false;
        }
    }
    return true;
}

static bool is_steady_event(struct steadiness *s, uint32_t event)
{
    uint8_t *known = &s->events[event];

    if (*known == 0) {
        /* An instance that a link leads to may ask for this event again: then it is not. */
        *known = 1;
        set_links(s, event);
        *known = is_steady_match(s, event) ? 2 : 1;
    }
    return *known == 2;
}

void mpl_load_steady(struct mpl_loader *loader)
{
    struct mpl_pattern *pattern = loader->pattern;
    struct steadiness s = {
        .pattern = pattern,
        .events = mpl_load_array(loader, pattern->n_events, sizeof *s.events),
        .attributes = mpl_load_array(loader, pattern->n_events, sizeof *s.attributes),
    };

    for (uint32_t e = 0; e < pattern->n_events && !loader->has_no_memory; e++) {
        s.attributes[e] =
            mpl_load_array(loader, pattern->events[e].n_attributes, sizeof **s.attributes);
    }
    for (uint32_t e = 0; e < pattern->n_events && !loader->has_no_memory; e++) {
        pattern->events[e].is_steady = is_steady_event(&s, e);
    }
    for (uint32_t e = 0; e < pattern->n_events && !loader->has_no_memory; e++) {
        for (uint32_t a = 0; a < pattern->events[e].n_attributes; a++) {
            pattern->events[e].attributes[a].is_steady = is_steady_attribute(&s, e, a);
        }
    }
}
