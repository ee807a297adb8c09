/* What names mean in the formulas of a pattern. */
#include "config.h"

#include "pattern/load_priv.h"

#include <string.h>

static const struct mpl_formula *compile(struct mpl_loader *loader,
                                         const struct mpl_yaml *node,
                                         mpl_formula_lookup *lookup, void *context)
{
    const struct mpl_formula *formula = NULL;

    if (mpl_load_text(loader, node, "a formula") == NULL) {
        return NULL;
    }

    const enum mpl_status st =
        mpl_formula_compile(node->text, node->place, node->is_inline, lookup, context,
                            loader->arena, loader->lint, &formula, NULL);

    if (st == MPL_OK) {
        return formula;
    }
    loader->has_fault = true;
    loader->has_no_memory = loader->has_no_memory || st == MPL_E_NOMEM;
    return NULL;
}

/* A condition has no unit; a formula in seconds was meant to be compared with something. */
static void check_condition(struct mpl_loader *loader, const struct mpl_yaml *node,
                            const struct mpl_formula *formula)
{
    char text[32];

    if (formula == NULL) {
        return;
    }

    const struct mpl_unit unit = mpl_formula_unit(formula);

    if (unit.seconds != 0 || unit.bytes != 0) {
        mpl_load_error(loader, node->place,
                       "'where' is a condition; this is a number in %s",
                       mpl_unit_text(unit, text));
    }
}

const char mpl_relation_misplaced[] = "precedes() and concurrent() compare members and "
                                      "associated events of one instance: ask in "
                                      "the 'where' or an attribute of an event";

/* ---- roles -------------------------------------------------------------------------- */

struct role_names {
    struct mpl_loader *loader;
    uint32_t role; /* whose formula it is: earlier ones are bound */
};

static struct mpl_unit variable_unit(uint32_t number)
{
    size_t n;
    const struct mpl_word *words = mpl_role_variables(&n);

    return number < MPL_VAR_FIXED
               ? words[number].unit
               : words[MPL_VAR_FIXED + (number - MPL_VAR_FIXED) % MPL_VAR_PER_ROLE].unit;
}

static enum mpl_status lookup_variable(void *context, const char *name,
                                       struct mpl_formula_name *out,
                                       const char **suggestion, const char **reason)
{
    const struct role_names *names = context;

    if (out->of[0] != NULL) {
        *reason = mpl_relation_misplaced;
        return MPL_E_MEANING;
    }

    const bool is_list = strncmp(name, "all.", 4) == 0;
    const char *bare = is_list ? name + 4 : name;
    const uint32_t n = MPL_VAR_FIXED + names->loader->pattern->n_roles * MPL_VAR_PER_ROLE;
    const char **known = mpl_load_array(names->loader, n, sizeof *known);

    for (uint32_t i = 0; known != NULL && i < n; i++) {
        known[i] = mpl_role_variable_name(names->loader->pattern, i, names->loader->arena);
        if (known[i] == NULL) {
            break;
        }
        if (strcmp(known[i], bare) != 0) {
            continue;
        }
        if (i >= MPL_VAR_FIXED + names->role * MPL_VAR_PER_ROLE) {
            *reason = mpl_arena_printf(
                names->loader->arena,
                "'%s': roles are bound in the order written; only roles above can be read",
                name);
            return *reason == NULL ? MPL_E_NOMEM : MPL_E_MEANING;
        }
        *out = (struct mpl_formula_name){
            .is_list = is_list, .slot = i, .unit = variable_unit(i), .is_fixed = is_list
        };
        return MPL_OK;
    }
    if (known == NULL || known[n - 1] == NULL) {
        return MPL_E_NOMEM;
    }
    *suggestion = mpl_suggest(bare, known, MPL_VAR_FIXED + names->role * MPL_VAR_PER_ROLE);
    return MPL_E_MEANING;
}

const struct mpl_formula *mpl_load_role_formula(struct mpl_loader *loader,
                                                const struct mpl_yaml *node, uint32_t role)
{
    struct role_names names = { loader, role };
    const struct mpl_formula *formula = compile(loader, node, lookup_variable, &names);

    if (node->key != NULL && strcmp(node->key, "where") == 0) {
        check_condition(loader, node, formula);
    }
    return formula;
}

/* ---- fields of a span -------------------------------------------------------------------- */

static const char *suggest_field(struct mpl_loader *loader, const char *name)
{
    size_t n;
    const struct mpl_word *fields = mpl_span_fields(&n);
    const char **known = mpl_load_names(loader, fields, n, sizeof *fields);

    return known == NULL ? NULL : mpl_suggest(name, known, n);
}

static enum mpl_status lookup_field(void *context, const char *name,
                                    struct mpl_formula_name *out, const char **suggestion,
                                    const char **reason)
{
    const uint32_t field = mpl_field_find(name);
    size_t n;

    if (out->of[0] != NULL) {
        *reason = mpl_relation_misplaced;
        return MPL_E_MEANING;
    }
    if (field == MPL_NONE) {
        *suggestion = suggest_field(context, name);
        return MPL_E_MEANING;
    }
    *out =
        (struct mpl_formula_name){ .slot = field, .unit = mpl_span_fields(&n)[field].unit };
    return MPL_OK;
}

const struct mpl_formula *mpl_load_span_formula(struct mpl_loader *loader,
                                                const struct mpl_yaml *node)
{
    const struct mpl_formula *formula = compile(loader, node, lookup_field, loader);

    check_condition(loader, node, formula);
    return formula;
}

/* ---- events ------------------------------------------------------------------------------- */

struct event_names {
    struct mpl_loader *loader;
    const struct mpl_event_definition *event;
    struct mpl_buf slots;  /* struct mpl_formula_slot */
    uint32_t n_attributes; /* that may be read: those above */
    bool has_index;        /* instances are counted already */
    uint32_t link; /* associated event whose condition it is; MPL_NONE for no link */
};

static enum mpl_status explain(struct event_names *names, const char **reason,
                               const char *fmt, const char *a, const char *b)
{
    char text[300];

    (void) snprintf(text, sizeof text, fmt, a, b);
    *reason = mpl_arena_strdup(names->loader->arena, text);
    return *reason == NULL ? MPL_E_NOMEM : MPL_E_MEANING;
}

static enum mpl_status use_slot(struct event_names *names, struct mpl_formula_slot slot,
                                bool is_list, uint32_t group, struct mpl_unit unit,
                                struct mpl_formula_name *out)
{
    uint32_t number = 0;

    for (; number < names->slots.n; number++) {
        const struct mpl_formula_slot *known = mpl_buf_get(&names->slots, number);

        if (known->name == slot.name && known->field == slot.field &&
            known->relation == slot.relation && known->other == slot.other) {
            break;
        }
    }
    if (number == names->slots.n && !mpl_buf_put(&names->slots, &slot)) {
        return MPL_E_NOMEM;
    }
    *out = (struct mpl_formula_name){
        .is_list = is_list, .group = group, .slot = number, .unit = unit
    };
    return MPL_OK;
}

/* A name without a dot: an attribute of the instance itself. */
static enum mpl_status lookup_own(struct event_names *names, const char *name,
                                  struct mpl_formula_name *out, const char **suggestion,
                                  const char **reason)
{
    const struct mpl_event_definition *event = names->event;
    const uint32_t attribute = mpl_event_attribute_find(event, name);
    const char **known;

    if (attribute < names->n_attributes &&
        (names->has_index || !event->attributes[attribute].reads_index)) {
        return use_slot(names,
                        (struct mpl_formula_slot){ .name = MPL_NONE, .field = attribute },
                        false, 0, event->attributes[attribute].unit, out);
    }
    if (attribute == MPL_OWN_INDEX) {
        return explain(names, reason, "'%s': instances are counted after 'where'%s", name,
                       "");
    }
    if (attribute < names->n_attributes) {
        return explain(
            names, reason,
            "attribute '%s' reads 'index': instances are counted after 'where'%s", name,
            "");
    }
    if (attribute != MPL_NONE) {
        return explain(names, reason, "attribute '%s' is not known yet: it stands below%s",
                       name, "");
    }
    if (mpl_event_name_find(event, name, strlen(name)) != MPL_NONE) {
        return explain(names, reason,
                       "'%s' is an event; say which of its fields: %s.enter, for instance",
                       name, name);
    }
    known = mpl_load_names(names->loader, event->attributes, names->n_attributes,
                           sizeof *event->attributes);
    *suggestion = known == NULL ? NULL : mpl_suggest(name, known, names->n_attributes);
    return known == NULL ? MPL_E_NOMEM : MPL_E_MEANING;
}

/* "assig.enter": the member is misspelt; "assign.entr": the field is. */
static enum mpl_status suggest_dotted(struct event_names *names, const char *name, size_t n,
                                      uint32_t known_name, const char **suggestion)
{
    const struct mpl_event_definition *event = names->event;
    const uint32_t n_names = event->n_members + event->n_associated;
    const uint32_t inner =
        known_name == MPL_NONE ? MPL_NONE : mpl_event_name_instance(event, known_name);
    const struct mpl_event_definition *other =
        inner == MPL_NONE ? NULL : &names->loader->pattern->events[inner];
    const uint32_t n_words = known_name == MPL_NONE ? n_names
                             : other != NULL        ? other->n_attributes
                                                    : (uint32_t) MPL_FIELDS;
    const char **words = mpl_load_array(names->loader, n_words, sizeof *words);
    char *wrong = known_name == MPL_NONE
                      ? mpl_arena_strndup(names->loader->arena, name, n)
                      : mpl_arena_strdup(names->loader->arena, name + n + 1);
    size_t n_fields;

    if (words == NULL || wrong == NULL) {
        return MPL_E_NOMEM;
    }
    for (uint32_t i = 0; i < n_words; i++) {
        words[i] = known_name == MPL_NONE ? mpl_event_name(event, i)
                   : other != NULL        ? other->attributes[i].name
                                          : mpl_span_fields(&n_fields)[i].name;
    }

    const char *near = mpl_suggest(wrong, words, n_words);

    if (near != NULL) {
        *suggestion =
            known_name == MPL_NONE
                ? mpl_arena_printf(names->loader->arena, "%s%s", near, name + n)
                : mpl_arena_printf(names->loader->arena, "%.*s.%s", (int) n, name, near);
    }
    return MPL_E_MEANING;
}

/* Lists of one repeated member, and of the matches of its spans, have the same length. */
static uint32_t group_of(const struct mpl_event_definition *event, uint32_t name)
{
    while (name >= event->n_members) {
        name = event->associated[name - event->n_members].base;
    }
    return name;
}

/* What a link's condition may read of others: single spans that are bound before it. */
static enum mpl_status check_linked(struct event_names *names, const char *name,
                                    uint32_t found, const char **reason)
{
    const struct mpl_event_definition *event = names->event;
    const char *own = event->associated[names->link].name;

    if (found == event->n_members + names->link) {
        return explain(names, reason,
                       "'%s': fields of the span that is looked for stand alone, "
                       "without '%s.'",
                       name, own);
    }
    if (found > event->n_members + names->link) {
        return explain(names, reason, "'%s': only names above '%s' are known here", name,
                       own);
    }
    if (mpl_event_name_instance(event, found) != MPL_NONE) {
        return explain(names, reason, "'%s': the condition of link '%s' reads spans only",
                       name, own);
    }
    if (mpl_event_name_is_list(event, found)) {
        return explain(names, reason, "'%s' may occur several times; link '%s' needs one",
                       name, own);
    }
    return MPL_OK;
}

/* A name without a dot in the condition of a link: a field of the span that is looked for. */
static enum mpl_status lookup_candidate(struct event_names *names, const char *name,
                                        struct mpl_formula_name *out,
                                        const char **suggestion)
{
    const uint32_t field = mpl_field_find(name);
    size_t n;

    if (field == MPL_NONE) {
        *suggestion = suggest_field(names->loader, name);
        return MPL_E_MEANING;
    }
    return use_slot(names,
                    (struct mpl_formula_slot){
                        .name = names->event->n_members + names->link, .field = field },
                    false, 0, mpl_span_fields(&n)[field].unit, out);
}

/* One of the two names of a relation. */
static enum mpl_status find_related(struct event_names *names, const char *name,
                                    uint32_t *found, const char **suggestion,
                                    const char **reason)
{
    const struct mpl_event_definition *event = names->event;
    const size_t n = strcspn(name, ".");

    *found = mpl_event_name_find(event, name, n);
    if (name[n] != '\0' && *found != MPL_NONE) {
        return explain(names, reason, "'%s' is a number; this takes the name alone: '%s'",
                       name, mpl_event_name(event, *found));
    }
    if (*found == MPL_NONE) {
        return suggest_dotted(names, name, n, MPL_NONE, suggestion);
    }
    if (*found < event->n_members && !event->members[*found].occurs.is_used) {
        return explain(names, reason, "member '%s' is not in the expression%s", name, "");
    }
    if (*found >= event->n_members && mpl_event_name_is_list(event, *found)) {
        return explain(names, reason,
                       "'%s' may occur several times, on several locations%s", name, "");
    }
    return MPL_OK;
}

/* "precedes" or "concurrent" of two names. */
static enum mpl_status lookup_relation(struct event_names *names, const char *relation,
                                       struct mpl_formula_name *out,
                                       const char **suggestion, const char **reason)
{
    uint32_t found[2];

    if (names->link != MPL_NONE) {
        *reason = mpl_relation_misplaced;
        return MPL_E_MEANING;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const enum mpl_status st =
            find_related(names, out->of[i], &found[i], suggestion, reason);

        if (st != MPL_OK) {
            out->wrong = i + 1;
            return st;
        }
    }
    return use_slot(names,
                    (struct mpl_formula_slot){ .name = found[0],
                                               .relation = strcmp(relation, "precedes") == 0
                                                               ? MPL_SLOT_PRECEDES
                                                               : MPL_SLOT_CONCURRENT,
                                               .other = found[1] },
                    false, 0, (struct mpl_unit){ 0, 0 }, out);
}

static enum mpl_status lookup_name(void *context, const char *name,
                                   struct mpl_formula_name *out, const char **suggestion,
                                   const char **reason)
{
    struct event_names *names = context;
    const struct mpl_event_definition *event = names->event;
    const size_t n = strcspn(name, ".");

    if (out->of[0] != NULL) {
        return lookup_relation(names, name, out, suggestion, reason);
    }

    if (name[n] == '\0') {
        return names->link != MPL_NONE ? lookup_candidate(names, name, out, suggestion)
                                       : lookup_own(names, name, out, suggestion, reason);
    }

    const uint32_t found = mpl_event_name_find(event, name, n);

    if (found == MPL_NONE) {
        return suggest_dotted(names, name, n, MPL_NONE, suggestion);
    }
    if (found < event->n_members && !event->members[found].occurs.is_used) {
        return explain(names, reason, "member '%s' is not in the expression%s",
                       event->members[found].name, "");
    }
    if (names->link != MPL_NONE) {
        const enum mpl_status st = check_linked(names, name, found, reason);

        if (st != MPL_OK) {
            return st;
        }
    }

    const uint32_t inner = mpl_event_name_instance(event, found);
    const struct mpl_event_definition *other =
        inner == MPL_NONE ? NULL : &names->loader->pattern->events[inner];
    const uint32_t field = other != NULL ? mpl_event_attribute_find(other, name + n + 1)
                                         : mpl_field_find(name + n + 1);
    size_t n_fields;

    if (field == MPL_NONE) {
        return suggest_dotted(names, name, n, found, suggestion);
    }

    const bool is_list = mpl_event_name_is_list(event, found);

    return use_slot(names, (struct mpl_formula_slot){ .name = found, .field = field },
                    is_list, is_list ? group_of(event, found) : 0,
                    other != NULL ? other->attributes[field].unit
                                  : mpl_span_fields(&n_fields)[field].unit,
                    out);
}

/* Fields that every span has, and attributes that every instance has. */
static bool is_always_there(const struct mpl_event_definition *event, uint32_t name,
                            uint32_t field)
{
    if (mpl_event_name_is_list(event, name)) {
        return false;
    }
    if (mpl_event_name_instance(event, name) != MPL_NONE) {
        return field < MPL_OWN_ATTRIBUTES;
    }
    return field != MPL_FIELD_BYTES && field != MPL_FIELD_TAG && field != MPL_FIELD_PEER;
}

/* Sets what a constraint of the form [not] defined(name.field) asks for. */
static void find_presence(const struct event_names *names,
                          struct mpl_constraint *constraint)
{
    const uint32_t number =
        mpl_formula_presence(constraint->formula, &constraint->is_absent);
    const struct mpl_formula_slot *slot =
        number == MPL_NONE ? NULL : mpl_buf_get(&names->slots, number);

    constraint->present = slot != NULL && slot->relation == MPL_SLOT_FIELD &&
                                  slot->name != MPL_NONE &&
                                  is_always_there(names->event, slot->name, slot->field)
                              ? slot->name
                              : MPL_NONE;
}

static void load_constraint(struct event_names *names, const struct mpl_yaml *node,
                            struct mpl_event_definition *event)
{
    struct mpl_constraint *constraint = &event->constraints[event->n_constraints];

    constraint->formula = compile(names->loader, node, lookup_name, names);
    if (constraint->formula != NULL) {
        check_condition(names->loader, node, constraint->formula);
        constraint->text = node->text;
        find_presence(names, constraint);
        constraint->formula =
            mpl_formula_condition(constraint->formula, names->loader->arena);
        names->loader->has_no_memory =
            names->loader->has_no_memory || constraint->formula == NULL;
        event->n_constraints++;
    }
}

static void load_constraints(struct event_names *names, const struct mpl_yaml *map,
                             struct mpl_event_definition *event)
{
    const struct mpl_yaml *where = mpl_yaml_find(map, "where");
    const bool is_list = where != NULL && where->kind == MPL_YAML_SEQ;

    if (where == NULL) {
        return;
    }
    event->constraints =
        mpl_load_array(names->loader, is_list ? where->n : 1, sizeof *event->constraints);
    if (event->constraints == NULL) {
        return;
    }
    /* They are computed when the condition asks for them, so all may be read. */
    names->n_attributes = event->n_attributes;
    names->has_index = false;
    if (!is_list) {
        load_constraint(names, where, event);
        return;
    }
    for (const struct mpl_yaml *node = where->first; node != NULL; node = node->next) {
        load_constraint(names, node, event);
    }
}

/* Whether what a formula reads is, or comes from, the number of the instance. */
static bool reads_index(const struct event_names *names, const struct mpl_formula *formula)
{
    size_t n;
    const uint32_t *slots = mpl_formula_scalars(formula, &n);

    for (size_t i = 0; i < n; i++) {
        const struct mpl_formula_slot *slot = mpl_buf_get(&names->slots, slots[i]);

        if (slot->name == MPL_NONE && names->event->attributes[slot->field].reads_index) {
            return true;
        }
    }
    return false;
}

static void load_values(struct event_names *names, const struct mpl_yaml *map,
                        struct mpl_event_definition *event)
{
    const struct mpl_yaml *attributes = mpl_yaml_find(map, "attributes");
    char own[32];
    char stated[32];

    for (uint32_t i = MPL_OWN_ATTRIBUTES; i < event->n_attributes; i++) {
        struct mpl_attribute *attribute = &event->attributes[i];
        const struct mpl_yaml *value =
            mpl_yaml_find(mpl_yaml_find(attributes, attribute->name), "value");

        if (value == NULL) {
            continue;
        }
        names->n_attributes = i;
        names->has_index = true;
        attribute->formula = compile(names->loader, value, lookup_name, names);
        if (attribute->formula == NULL) {
            continue;
        }

        const struct mpl_unit unit = mpl_formula_unit(attribute->formula);

        attribute->reads_index = reads_index(names, attribute->formula);
        if (attribute->is_unit_known && (unit.seconds != attribute->unit.seconds ||
                                         unit.bytes != attribute->unit.bytes)) {
            mpl_load_error(names->loader, value->place,
                           "attribute '%s' is stated in '%s', its formula is in '%s'",
                           attribute->name, mpl_unit_text(attribute->unit, stated),
                           mpl_unit_text(unit, own));
        }
        /* One fault is enough: formulas that read it go by what it is. */
        attribute->unit = unit;
    }
}

/* The conditions of links that compare with other spans. */
static void load_links(struct event_names *names, const struct mpl_yaml *map,
                       struct mpl_event_definition *event)
{
    const struct mpl_yaml *all = mpl_yaml_find(map, "associated");

    for (uint32_t i = 0; i < event->n_associated; i++) {
        struct mpl_associated *associated = &event->associated[i];
        const struct mpl_yaml *link = mpl_yaml_find(all, associated->name);
        const struct mpl_yaml *where = link != NULL && link->kind == MPL_YAML_MAP
                                           ? mpl_yaml_find(link, "where")
                                           : NULL;

        if (where == NULL || !mpl_load_reads_others(where) ||
            !mpl_link_is_along(associated->link)) {
            continue;
        }
        names->link = i;
        associated->where = compile(names->loader, where, lookup_name, names);
        check_condition(names->loader, where, associated->where);
    }
    names->link = MPL_NONE;
}

void mpl_load_event_formulas(struct mpl_loader *loader, const struct mpl_yaml *map,
                             struct mpl_event_definition *event)
{
    struct event_names names = { .loader = loader,
                                 .event = event,
                                 .slots = mpl_buf_make(sizeof(struct mpl_formula_slot)),
                                 .link = MPL_NONE };

    if (event->automaton == NULL) {
        return;
    }
    load_links(&names, map, event);
    load_values(&names, map, event);
    load_constraints(&names, map, event);
    event->n_slots = (uint32_t) names.slots.n;
    event->slots = mpl_buf_take(&names.slots, loader->arena);
    loader->has_no_memory = loader->has_no_memory || event->slots == NULL;
    mpl_buf_free(&names.slots);
}

bool mpl_load_reads_others(const struct mpl_yaml *where)
{
    static const char digits[] = "0123456789";
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const char *at = where->kind == MPL_YAML_SCALAR ? where->text : "";

    while (*at != '\0') {
        const size_t n = strspn(at, letters);

        if (n > 0 && at[n] == '.' && strchr(digits, *at) == NULL) {
            return true;
        }
        /* The fraction of a number is no name. */
        at += n > 0 ? n + (at[n] == '.') : 1;
    }
    return false;
}
