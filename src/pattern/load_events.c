/*
 * Events refer to each other, so they are loaded in turns: the names of all, then members,
 * expressions and associated events, then the formulas, then the order of recognition.
 */
#include "config.h"

#include "pattern/load_priv.h"

#include <string.h>

static const char *const event_keys[] = { "on",     "says",      "expression",
                                          "strict", "members",   "associated",
                                          "where",  "attributes" };

/* ---- names and units of attributes ---------------------------------------------------- */

static const struct mpl_attribute own_attributes[MPL_OWN_ATTRIBUTES] = {
    { .name = "enter", .unit = { 1, 0 } },    /* When its first member begins. */
    { .name = "leave", .unit = { 1, 0 } },    /* When its last member ends. */
    { .name = "duration", .unit = { 1, 0 } }, /* From enter to leave. */
    { .name = "location" },                   /* Rank on which it lies. */
    { .name = "index", .reads_index = true }, /* Its number on the location, from 0. */
};

static const char *const attribute_keys[] = { "value", "unit", "says" };

static void load_unit(struct mpl_loader *loader, const struct mpl_yaml *map,
                      struct mpl_attribute *attribute)
{
    const struct mpl_yaml *unit = mpl_yaml_find(map, "unit");
    const char *text = unit == NULL ? NULL : mpl_load_text(loader, unit, "'unit'");
    char name[32];
    double factor;

    if (unit == NULL) {
        mpl_load_error(loader, map->key_place, "attribute '%s' lacks 'unit': s, B, 1, …",
                       map->key);
        return;
    }
    if (text == NULL) {
        return;
    }
    if (mpl_unit_parse(text, &attribute->unit, &factor) != MPL_OK) {
        mpl_load_error(loader, unit->place, "there is no unit '%s'", text);
    } else if (factor != 1) {
        mpl_load_error(loader, unit->place, "attributes are kept in '%s', not in '%s'",
                       mpl_unit_text(attribute->unit, name), text);
    } else {
        attribute->is_unit_known = true;
    }
}

static void load_attribute(struct mpl_loader *loader, const struct mpl_yaml *map,
                           struct mpl_event_definition *event)
{
    if (!mpl_load_is_map(loader, map, "an attribute")) {
        return;
    }
    if (mpl_load_is_name(loader, map->key, map->key_place, "an attribute") &&
        mpl_event_attribute_find(event, map->key) < MPL_OWN_ATTRIBUTES) {
        mpl_load_error(loader, map->key_place, "every event has an attribute '%s' already",
                       map->key);
    }
    mpl_load_keys(loader, map, attribute_keys,
                  sizeof attribute_keys / sizeof *attribute_keys, "an attribute");
    if (mpl_yaml_find(map, "value") == NULL) {
        mpl_load_error(loader, map->key_place, "attribute '%s' lacks 'value': a formula",
                       map->key);
    }

    struct mpl_attribute *attribute = &event->attributes[event->n_attributes++];

    attribute->name = map->key;
    attribute->place = map->key_place;
    load_unit(loader, map, attribute);
    (void) mpl_load_says(loader, map);
}

static void load_names(struct mpl_loader *loader, const struct mpl_yaml *map,
                       struct mpl_event_definition *event)
{
    const struct mpl_yaml *attributes = mpl_yaml_find(map, "attributes");
    const bool has_attributes =
        attributes != NULL && mpl_load_is_map(loader, attributes, "'attributes'");
    const size_t n = MPL_OWN_ATTRIBUTES + (has_attributes ? attributes->n : 0);

    if (n > MPL_ATTRIBUTES_MAX) {
        mpl_load_error(loader, attributes->place, "more than %d attributes",
                       MPL_ATTRIBUTES_MAX - MPL_OWN_ATTRIBUTES);
    }
    event->attributes = mpl_load_array(loader, n, sizeof *event->attributes);
    if (event->attributes == NULL) {
        return;
    }
    memcpy(event->attributes, own_attributes, sizeof own_attributes);
    event->n_attributes = MPL_OWN_ATTRIBUTES;
    for (const struct mpl_yaml *node = has_attributes ? attributes->first : NULL;
         node != NULL; node = node->next) {
        load_attribute(loader, node, event);
    }
}

/* ---- members ------------------------------------------------------------------------------ */

/* On which locations: those of the event's role, other ones than the one at hand. */
static void load_on(struct mpl_loader *loader, const struct mpl_yaml *map,
                    const struct mpl_yaml *on, struct mpl_member *member)
{
    const struct mpl_pattern *pattern = loader->pattern;
    const uint32_t role = mpl_load_role(loader, on);
    const struct mpl_event_definition *inner =
        member->filter.event == MPL_NONE ? NULL : &pattern->events[member->filter.event];

    if (member->filter.primitive != MPL_NONE) {
        mpl_load_error(
            loader, on->key_place,
            "'on' is for events of the pattern; '%s' is a primitive one: define an "
            "event of which it is the member",
            mpl_yaml_find(map, "event")->text);
    } else if (inner != NULL && role != MPL_NONE && inner->role != MPL_NONE &&
               inner->role != role) {
        mpl_load_error(loader, on->place, "'%s' runs on '%s', not on '%s'", inner->name,
                       pattern->roles[inner->role].name, pattern->roles[role].name);
    } else {
        member->on = role;
    }
}

static void load_member(struct mpl_loader *loader, const struct mpl_yaml *map,
                        struct mpl_event_definition *event)
{
    struct mpl_member *member = &event->members[event->n_members++];
    const char *keys[MPL_FILTER_KEYS + 1];

    memcpy(keys, mpl_filter_keys, sizeof mpl_filter_keys);
    keys[MPL_FILTER_KEYS] = "on";
    member->name = map->key;
    member->place = map->key_place;
    member->filter = mpl_filter_any();
    member->on = MPL_NONE;
    (void) mpl_load_is_name(loader, map->key, map->key_place, "a member");
    if (mpl_load_is_map(loader, map, "a member")) {
        const struct mpl_yaml *on = mpl_yaml_find(map, "on");

        mpl_load_keys(loader, map, keys, MPL_FILTER_KEYS + 1, "a member");
        mpl_load_filter(loader, map, &member->filter, false);
        if (on != NULL) {
            load_on(loader, map, on, member);
        }
    }
}

static void load_members(struct mpl_loader *loader, const struct mpl_yaml *map,
                         struct mpl_event_definition *event)
{
    const struct mpl_yaml *members = mpl_yaml_find(map, "members");

    if (members == NULL || !mpl_load_is_map(loader, members, "'members'")) {
        if (members == NULL) {
            mpl_load_error(loader, map->key_place, "event '%s' lacks 'members'", map->key);
        }
        return;
    }
    if (members->n > MPL_MEMBERS_MAX) {
        mpl_load_error(loader, members->place, "more than %d members", MPL_MEMBERS_MAX);
        return;
    }
    event->members = mpl_load_array(loader, members->n, sizeof *event->members);
    if (event->members == NULL) {
        return;
    }
    for (const struct mpl_yaml *node = members->first; node != NULL; node = node->next) {
        load_member(loader, node, event);
    }
}

/* ---- expression ----------------------------------------------------------------------------- */

/* The role on whose locations a member is looked for, if not on the event's; else MPL_NONE. */
static uint32_t role_elsewhere(const struct mpl_loader *loader,
                               const struct mpl_event_definition *event,
                               const struct mpl_member *member)
{
    const struct mpl_pattern *pattern = loader->pattern;
    const uint32_t role = member->filter.event == MPL_NONE
                              ? MPL_NONE
                              : pattern->events[member->filter.event].role;

    if (member->on != MPL_NONE) {
        return member->on;
    }
    return role == MPL_NONE || event->role == MPL_NONE || role == event->role ? MPL_NONE
                                                                              : role;
}

static uint64_t members_elsewhere(const struct mpl_loader *loader,
                                  const struct mpl_event_definition *event)
{
    uint64_t elsewhere = 0;

    for (uint32_t i = 0; i < event->n_members; i++) {
        if (role_elsewhere(loader, event, &event->members[i]) != MPL_NONE) {
            elsewhere |= UINT64_C(1) << i;
        }
    }
    return elsewhere;
}

/* One that is elsewhere, but not alone beside &: no automaton sees more than one location. */
static void check_locations(struct mpl_loader *loader, const struct mpl_yaml *map,
                            struct mpl_event_definition *event)
{
    const struct mpl_pattern *pattern = loader->pattern;

    (void) map;
    for (uint32_t i = 0; i < event->n_members; i++) {
        const struct mpl_member *member = &event->members[i];
        const uint32_t role = role_elsewhere(loader, event, member);

        if (role == MPL_NONE || !member->occurs.is_used || member->beside != 0) {
            continue;
        }
        mpl_load_error(loader, member->place,
                       "'%s' runs on '%s', not on the location of '%s': it can stand alone "
                       "beside &, or be reached as associated event, with 'match' and "
                       "'containing'",
                       pattern->events[member->filter.event].name,
                       pattern->roles[role].name, event->name);
        event->automaton = NULL;
    }
}

static void build_automaton(struct mpl_loader *loader, const struct mpl_yaml *node,
                            struct mpl_event_definition *event,
                            struct mpl_expression *expression)
{
    struct mpl_occurrence occurs[MPL_MEMBERS_MAX];
    enum mpl_status st =
        mpl_expression_occurrences(expression, occurs, event->n_members, NULL);

    if (st == MPL_OK) {
        st = mpl_automaton_create(expression, loader->arena, &event->automaton, NULL);
    }
    if (st == MPL_E_LIMIT) {
        mpl_load_error(loader, node->place,
                       "expression: it needs more than %d states; use fewer members with &",
                       MPL_STATES_MAX);
        return;
    }
    if (st != MPL_OK) {
        loader->has_no_memory = true;
        return;
    }
    for (uint32_t i = 0; i < event->n_members; i++) {
        struct mpl_member *member = &event->members[i];

        member->occurs = occurs[i];
        if (expression->beside[i] != 0 && !member->occurs.is_used) {
            member->beside = expression->beside[i];
            member->occurs = (struct mpl_occurrence){
                .is_used = true,
                .is_optional = (expression->optional >> i & 1) != 0,
                .is_concurrent = true,
            };
        }
        /* Whoever refines an event may leave members of its base unused. */
        if (!member->occurs.is_used && strcmp(member->place.file, loader->own_file) == 0) {
            mpl_load_warn(loader, member->place, "member '%s' is not in the expression",
                          member->name);
        }
    }
}

static void load_expression(struct mpl_loader *loader, const struct mpl_yaml *map,
                            struct mpl_event_definition *event)
{
    const struct mpl_yaml *node = mpl_yaml_find(map, "expression");
    const char *text = node == NULL ? NULL : mpl_load_text(loader, node, "'expression'");
    const char **names =
        mpl_load_names(loader, event->members, event->n_members, sizeof *event->members);
    struct mpl_expression expression = { 0 };

    if (node == NULL) {
        mpl_load_error(loader, map->key_place, "event '%s' lacks 'expression'", map->key);
    }
    if (text == NULL || names == NULL || event->members == NULL) {
        return;
    }

    const struct mpl_expression_text source = {
        text,  node->place,      node->is_inline,
        names, event->n_members, members_elsewhere(loader, event),
    };
    const enum mpl_status st =
        mpl_expression_parse(&source, loader->lint, &expression, NULL);

    if (st == MPL_OK) {
        build_automaton(loader, node, event, &expression);
        mpl_load_gaps(loader, node, event);
    }
    loader->has_fault = loader->has_fault || st == MPL_E_SYNTAX;
    loader->has_no_memory = loader->has_no_memory || st == MPL_E_NOMEM;
    mpl_expression_free(&expression);
}

/* ---- associated events ------------------------------------------------------------------------ */

static const char *const links[] = { "match", "previous", "next", "containing" };
enum { N_LINKS = sizeof links / sizeof *links };

/* The name that a link starts from. */
static uint32_t load_base(struct mpl_loader *loader, const struct mpl_yaml *node,
                          const struct mpl_event_definition *event)
{
    const uint32_t n = event->n_members + event->n_associated;
    const char *name = mpl_load_text(loader, node, "the start of a link");
    const char **names = mpl_load_array(loader, n, sizeof *names);

    if (name == NULL || names == NULL) {
        return MPL_NONE;
    }

    const uint32_t base = mpl_event_name_find(event, name, strlen(name));

    for (uint32_t i = 0; i < n; i++) {
        names[i] = mpl_event_name(event, i);
    }
    if (base == MPL_NONE) {
        mpl_load_error(loader, node->place,
                       "'%s' is neither a member nor an associated event above this one%s",
                       name, mpl_load_hint(loader, name, names, n));
    } else if (base < event->n_members && !event->members[base].occurs.is_used) {
        mpl_load_error(loader, node->place, "'%s' is not in the expression", name);
    }
    return base;
}

/* Says where a search along a location ends. */
static const char *stop_key(enum mpl_associated_link link)
{
    return link == MPL_LINK_PREVIOUS ? "since" : "until";
}

static void load_link_filter(struct mpl_loader *loader, const struct mpl_yaml *map,
                             struct mpl_associated *associated)
{
    static const char *const containing_keys[] = { "containing", "instance" };
    static const char *const match_keys[] = { "match" };
    const struct mpl_yaml *instance = mpl_yaml_find(map, "instance");

    if (associated->link == MPL_LINK_MATCH) {
        mpl_load_keys(loader, map, match_keys, 1, "a match");
        return;
    }
    if (associated->link == MPL_LINK_CONTAINING) {
        mpl_load_keys(loader, map, containing_keys, 2, "a containing instance");
        if (instance == NULL) {
            mpl_load_error(loader, map->key_place, "'%s' lacks 'instance': of which event",
                           map->key);
        } else if (mpl_load_text(loader, instance, "'instance'") != NULL) {
            associated->filter.event = mpl_load_event(loader, instance);
        }
        return;
    }

    const char *keys[MPL_FILTER_KEYS + 2];

    memcpy(keys, mpl_filter_keys, sizeof mpl_filter_keys);
    keys[MPL_FILTER_KEYS] = links[associated->link];
    keys[MPL_FILTER_KEYS + 1] = stop_key(associated->link);
    mpl_load_keys(loader, map, keys, MPL_FILTER_KEYS + 2, "an associated event");
    mpl_load_filter(loader, map, &associated->filter, true);
    if (associated->filter.event != MPL_NONE) {
        mpl_load_error(
            loader, map->key_place,
            "'%s' must be a primitive event; instances are reached with 'containing'",
            map->key);
        associated->filter.event = MPL_NONE;
    }
}

static void load_link(struct mpl_loader *loader, const struct mpl_yaml *map,
                      struct mpl_event_definition *event, struct mpl_associated *associated)
{
    const struct mpl_yaml *start = NULL;
    const struct mpl_yaml *stop;

    for (int i = 0; i < N_LINKS; i++) {
        const struct mpl_yaml *node = mpl_yaml_find(map, links[i]);

        if (node != NULL && start != NULL) {
            mpl_load_error(loader, node->key_place,
                           "'%s' beside '%s': an associated event has one", node->key,
                           start->key);
        } else if (node != NULL) {
            start = node;
            associated->link = (enum mpl_associated_link) i;
        }
    }
    if (start == NULL) {
        mpl_load_error(loader, map->key_place,
                       "'%s' lacks one of 'match', 'previous', 'next' or 'containing'",
                       map->key);
        return;
    }
    associated->base = load_base(loader, start, event);
    load_link_filter(loader, map, associated);
    stop = mpl_yaml_find(map, stop_key(associated->link));
    if (stop != NULL && mpl_link_is_along(associated->link)) {
        associated->stop = load_base(loader, stop, event);
    }
    if (associated->base == MPL_NONE) {
        return;
    }
    if (associated->link == MPL_LINK_MATCH) {
        associated->is_list = mpl_event_name_is_list(event, associated->base);
        /* A span that a link along a location finds is context: whose it is nobody has said. */
        associated->is_explained =
            associated->base < event->n_members ||
            event->associated[associated->base - event->n_members].is_explained;
        if (mpl_event_name_instance(event, associated->base) != MPL_NONE) {
            mpl_load_error(
                loader, start->place,
                "'%s' is an instance; only single sends and receives have a match",
                start->text);
        }
    }
}

static void load_associated(struct mpl_loader *loader, const struct mpl_yaml *map,
                            struct mpl_event_definition *event)
{
    const struct mpl_yaml *all = mpl_yaml_find(map, "associated");

    if (all == NULL || event->automaton == NULL ||
        !mpl_load_is_map(loader, all, "'associated'")) {
        return;
    }
    if (all->n > MPL_ASSOCIATED_MAX) {
        mpl_load_error(loader, all->place, "more than %d associated events",
                       MPL_ASSOCIATED_MAX);
        return;
    }
    event->associated = mpl_load_array(loader, all->n, sizeof *event->associated);
    if (event->associated == NULL) {
        return;
    }
    for (const struct mpl_yaml *node = all->first; node != NULL; node = node->next) {
        struct mpl_associated *associated = &event->associated[event->n_associated];

        *associated = (struct mpl_associated){ .name = node->key,
                                               .place = node->key_place,
                                               .base = MPL_NONE,
                                               .stop = MPL_NONE,
                                               .filter = mpl_filter_any() };
        (void) mpl_load_is_name(loader, node->key, node->key_place, "an associated event");
        if (mpl_event_name_find(event, node->key, strlen(node->key)) != MPL_NONE) {
            mpl_load_error(loader, node->key_place, "'%s' is a member already", node->key);
        }
        if (mpl_load_is_map(loader, node, "an associated event")) {
            load_link(loader, node, event, associated);
        }
        event->n_associated++;
    }
}

/* ---- all events -------------------------------------------------------------------------------- */

static void load_head(struct mpl_loader *loader, const struct mpl_yaml *map,
                      struct mpl_event_definition *event)
{
    const struct mpl_yaml *on = mpl_yaml_find(map, "on");
    const struct mpl_yaml *strict = mpl_yaml_find(map, "strict");

    mpl_load_keys(loader, map, event_keys, sizeof event_keys / sizeof *event_keys,
                  "an event");
    if (on == NULL) {
        mpl_load_error(
            loader, map->key_place,
            "event '%s' lacks 'on': the role on whose locations it is looked for",
            map->key);
    } else {
        event->role = mpl_load_role(loader, on);
    }
    (void) mpl_load_says(loader, map);
    if (strict != NULL) {
        const char *text = strict->kind == MPL_YAML_SCALAR ? strict->text : "";

        event->is_strict = strcmp(text, "true") == 0;
        if (!event->is_strict && strcmp(text, "false") != 0) {
            mpl_load_error(loader, strict->place, "'strict' must be true or false");
        }
    }
}

static void name_events(struct mpl_loader *loader, const struct mpl_yaml *events)
{
    struct mpl_pattern *pattern = loader->pattern;

    for (const struct mpl_yaml *map = events->first; map != NULL; map = map->next) {
        struct mpl_event_definition *event = &pattern->events[pattern->n_events++];
        const bool had_fault = loader->has_fault;

        loader->has_fault = false;
        *event = (struct mpl_event_definition){ .name = map->key,
                                                .place = map->key_place,
                                                .role = MPL_NONE };
        (void) mpl_load_is_name(loader, map->key, map->key_place, "an event");
        if (mpl_primitive_find(map->key) != MPL_NONE) {
            mpl_load_error(loader, map->key_place, "'%s' is the name of a primitive event",
                           map->key);
        }
        if (mpl_pattern_find_role(pattern, map->key) != MPL_NONE ||
            strcmp(map->key, "run") == 0 || strcmp(map->key, "all") == 0) {
            mpl_load_error(loader, map->key_place,
                           "'%s' cannot name an event: formulas use it", map->key);
        }
        if (mpl_load_is_map(loader, map, "an event")) {
            load_head(loader, map, event);
        }
        load_names(loader, map, event);
        event->has_fault = loader->has_fault;
        loader->has_fault = loader->has_fault || had_fault;
    }
}

typedef void turn(struct mpl_loader *loader, const struct mpl_yaml *map,
                  struct mpl_event_definition *event);

static void take_turn(struct mpl_loader *loader, const struct mpl_yaml *events,
                      turn *of_event)
{
    uint32_t number = 0;

    for (const struct mpl_yaml *map = events->first; map != NULL; map = map->next) {
        if (map->kind == MPL_YAML_MAP && !loader->has_no_memory) {
            of_event(loader, map, &loader->pattern->events[number]);
        }
        number++;
    }
}

void mpl_load_events(struct mpl_loader *loader, const struct mpl_yaml *events)
{
    struct mpl_pattern *pattern = loader->pattern;

    if (events->n > MPL_EVENTS_MAX) {
        mpl_load_error(loader, events->place, "more than %d events", MPL_EVENTS_MAX);
        return;
    }
    pattern->events = mpl_load_array(loader, events->n, sizeof *pattern->events);
    if (pattern->events == NULL) {
        return;
    }
    name_events(loader, events);
    take_turn(loader, events, load_members);
    take_turn(loader, events, load_expression);
    take_turn(loader, events, check_locations);
    /* What names stand for is not known after a fault in the expression: more faults would be noise. */
    take_turn(loader, events, load_associated);
    take_turn(loader, events, mpl_load_event_formulas);
    if (!loader->has_fault && !loader->has_no_memory) {
        mpl_load_order(loader);
    }
}
