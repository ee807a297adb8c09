/*
 * What must be known before what: an event is recognised after those that its expression, its
 * links and its 'where' need, and an attribute is computed after those that it reads. Neither may
 * go round in circles.
 */
#include "config.h"

#include "pattern/load_priv.h"

#include <string.h>

enum colour { UNSEEN, OPEN, DONE };

struct order {
    struct mpl_loader *loader;
    uint8_t **attributes; /* enum colour, per event and attribute */
    uint8_t *events;      /* enum colour */
    uint32_t **read_by; /* per event and attribute: the last event, plus 1, that needs it */
};

/* ---- attributes ---------------------------------------------------------------------- */

/* The event whose attribute a slot is, or MPL_NONE for a field of a span. */
static uint32_t slot_event(const struct mpl_pattern *pattern, uint32_t event,
                           const struct mpl_formula_slot *slot)
{
    return slot->name == MPL_NONE
               ? event
               : mpl_event_name_instance(&pattern->events[event], slot->name);
}

/* Whether a name starts from a member on another location, which is found by order. */
static bool is_beside(const struct mpl_event_definition *event, uint32_t name)
{
    while (name != MPL_NONE && name >= event->n_members) {
        name = event->associated[name - event->n_members].base;
    }
    return name != MPL_NONE && event->members[name].beside != 0;
}

static bool visit_attribute(struct order *order, uint32_t event, uint32_t attribute)
{
    const struct mpl_pattern *pattern = order->loader->pattern;
    const struct mpl_event_definition *definition = &pattern->events[event];
    uint8_t *colour = &order->attributes[event][attribute];
    bool asks_order = false;
    uint32_t number;

    if (*colour != UNSEEN || definition->attributes[attribute].formula == NULL) {
        return *colour != OPEN;
    }
    *colour = OPEN;
    for (size_t i = 0;
         mpl_formula_slot(definition->attributes[attribute].formula, i, &number); i++) {
        const struct mpl_formula_slot *slot = &definition->slots[number];
        const uint32_t other = slot_event(pattern, event, slot);

        asks_order = asks_order || slot->relation != MPL_SLOT_FIELD ||
                     is_beside(definition, slot->name);
        if (slot->relation != MPL_SLOT_FIELD || other == MPL_NONE) {
            continue;
        }
        if (!visit_attribute(order, other, slot->field)) {
            return false;
        }
        asks_order =
            asks_order || pattern->events[other].attributes[slot->field].asks_order;
    }
    definition->attributes[attribute].asks_order = asks_order;
    *colour = DONE;
    return true;
}

static void check_attributes(struct order *order)
{
    const struct mpl_pattern *pattern = order->loader->pattern;

    for (uint32_t e = 0; e < pattern->n_events; e++) {
        for (uint32_t a = 0; a < pattern->events[e].n_attributes; a++) {
            const struct mpl_attribute *attribute = &pattern->events[e].attributes[a];

            if (!visit_attribute(order, e, a)) {
                mpl_load_error(order->loader, attribute->place,
                               "attribute '%s' reads itself through other attributes",
                               attribute->name);
                return;
            }
        }
    }
}

/* ---- events ----------------------------------------------------------------------------- */

static bool visit_event(struct order *order, uint32_t event);

/* The event must come after \p other, of whose instances those that are members are on its own location. */
static bool need_members(struct order *order, uint32_t event, uint32_t other)
{
    struct mpl_event_definition *events = order->loader->pattern->events;

    if (other == MPL_NONE) {
        return true;
    }
    if (!visit_event(order, other)) {
        return false;
    }
    if (events[event].level <= events[other].level) {
        events[event].level = events[other].level + 1;
    }
    events[event].is_wide = events[event].is_wide || events[other].is_wide;
    return true;
}

/* The event must come after \p other on all locations. */
static bool need(struct order *order, uint32_t event, uint32_t other)
{
    struct mpl_event_definition *events = order->loader->pattern->events;

    events[event].is_wide = events[event].is_wide || other != MPL_NONE;
    return need_members(order, event, other);
}

static bool need_formula(struct order *order, uint32_t event, uint32_t owner,
                         const struct mpl_formula *formula);

static bool need_slot(struct order *order, uint32_t event, uint32_t owner,
                      const struct mpl_formula_slot *slot)
{
    const struct mpl_pattern *pattern = order->loader->pattern;
    const uint32_t other = slot_event(pattern, owner, slot);

    if (slot->relation != MPL_SLOT_FIELD) {
        return need(order, event, other) &&
               need(order, event,
                    mpl_event_name_instance(&pattern->events[owner], slot->other));
    }
    if (other == MPL_NONE) {
        return true;
    }
    if (slot->name != MPL_NONE && !need(order, event, other)) {
        return false;
    }
    if (order->read_by[other][slot->field] == event + 1) {
        return true;
    }
    order->read_by[other][slot->field] = event + 1;
    return need_formula(order, event, other,
                        pattern->events[other].attributes[slot->field].formula);
}

static bool need_formula(struct order *order, uint32_t event, uint32_t owner,
                         const struct mpl_formula *formula)
{
    const struct mpl_event_definition *definition = &order->loader->pattern->events[owner];
    uint32_t slot;

    for (size_t i = 0; mpl_formula_slot(formula, i, &slot); i++) {
        if (!need_slot(order, event, owner, &definition->slots[slot])) {
            return false;
        }
    }
    return true;
}

/* Whether the condition of a link reads attributes of instances. */
static bool reads_instances(const struct mpl_event_definition *definition,
                            const struct mpl_formula *where)
{
    size_t n = 0;
    const uint32_t *slots = where == NULL ? NULL : mpl_formula_scalars(where, &n);

    for (size_t i = 0; i < n; i++) {
        const uint32_t name = definition->slots[slots[i]].name;

        if (mpl_event_name_instance(definition, name) != MPL_NONE) {
            return true;
        }
    }
    return false;
}

/* What a link goes on from, or ends at; an instance is looked up during recognition. */
static bool need_end(struct order *order, uint32_t event, uint32_t name)
{
    const struct mpl_event_definition *definition = &order->loader->pattern->events[event];

    return name == MPL_NONE || name < definition->n_members ||
           need(order, event, mpl_event_name_instance(definition, name));
}

static bool visit_needs(struct order *order, uint32_t event)
{
    struct mpl_event_definition *definition = &order->loader->pattern->events[event];

    for (uint32_t i = 0; i < definition->n_members; i++) {
        const struct mpl_member *member = &definition->members[i];

        definition->is_wide = definition->is_wide || member->beside != 0;
        if (member->occurs.is_used && !need_members(order, event, member->filter.event)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < definition->n_associated; i++) {
        const struct mpl_associated *link = &definition->associated[i];

        definition->is_wide =
            definition->is_wide || reads_instances(definition, link->where);
        if (!need_end(order, event, link->base) || !need_end(order, event, link->stop)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < definition->n_constraints; i++) {
        if (!need_formula(order, event, event, definition->constraints[i].formula)) {
            return false;
        }
    }
    return true;
}

static bool visit_event(struct order *order, uint32_t event)
{
    const struct mpl_event_definition *definition = &order->loader->pattern->events[event];

    if (order->events[event] == OPEN) {
        mpl_load_error(order->loader, definition->place,
                       "recognising '%s' needs instances of itself", definition->name);
        return false;
    }
    if (order->events[event] == UNSEEN) {
        order->events[event] = OPEN;
        if (!visit_needs(order, event)) {
            return false;
        }
        order->events[event] = DONE;
    }
    return true;
}

static bool make_room(struct order *order)
{
    struct mpl_loader *loader = order->loader;
    const uint32_t n = loader->pattern->n_events;

    order->attributes = mpl_load_array(loader, n, sizeof *order->attributes);
    order->events = mpl_load_array(loader, n, sizeof *order->events);
    order->read_by = mpl_load_array(loader, n, sizeof *order->read_by);
    for (uint32_t e = 0; e < n && !loader->has_no_memory; e++) {
        const uint32_t n_attributes = loader->pattern->events[e].n_attributes;

        order->attributes[e] = mpl_load_array(loader, n_attributes, 1);
        order->read_by[e] = mpl_load_array(loader, n_attributes, sizeof **order->read_by);
    }
    return !loader->has_no_memory;
}

void mpl_load_order(struct mpl_loader *loader)
{
    struct order order = { .loader = loader };

    if (!make_room(&order)) {
        return;
    }
    check_attributes(&order);
    for (uint32_t e = 0; e < loader->pattern->n_events && !loader->has_fault; e++) {
        (void) visit_event(&order, e);
    }
}
