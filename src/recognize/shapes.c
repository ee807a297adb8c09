/*
 * What the shape of an instance says of its attributes. Most instances have the shape of another one, later: how many calls
 * give in an exchange is the same for all of these. Such a value is found for one of them.
 */
#include "config.h"

#include "recognize/recognition_priv.h"

/* When the value of an attribute is that of all instances of a shape. */
struct mpl_shape_rule {
    bool is_known;
    bool is_some;    /* It may be: if the shape has */
    uint64_t absent; /* none of these members. */
};

bool mpl_shapes_prepare(struct mpl_instance_view *view)
{
    view->shape_rules =
        MPL_NEW_ARRAY(view->arena, view->definition->n_attributes, struct mpl_shape_rule);
    return view->shape_rules != NULL;
}

static const struct mpl_shape_rule *find_rule(const struct mpl_instance_view *view,
                                              uint32_t attribute);

/* Takes a slot into the rule of what reads it. False: from it two instances of a shape may read different values. */
static bool add_slot(const struct mpl_instance_view *view,
                     const struct mpl_formula *formula, uint32_t number,
                     struct mpl_shape_rule *rule)
{
    const struct mpl_event_definition *event = view->definition;
    const struct mpl_formula_slot *slot = &event->slots[number];
    uint32_t name = slot->name;

    if (name == MPL_NONE) {
        const struct mpl_shape_rule *own = find_rule(view, slot->field);

        rule->absent |= own->absent;
        return own->is_some;
    }
    /* A span that is there has all times, so nothing counts but how many spans there are. */
    if (mpl_slot_is_plain(event, slot) && mpl_formula_is_coarse(formula, number, NULL)) {
        return true;
    }
    /* What is found from a member is absent where the member is. */
    while (name >= event->n_members) {
        name = event->associated[name - event->n_members].base;
    }
    rule->absent |= UINT64_C(1) << name;
    return event->members[name].beside == 0 && event->members[name].occurs.is_optional;
}

/* Attributes read only those before them, so this ends. */
static const struct mpl_shape_rule *find_rule(const struct mpl_instance_view *view,
                                              uint32_t attribute)
{
    const struct mpl_formula *formula = view->definition->attributes[attribute].formula;
    struct mpl_shape_rule *rule = &view->shape_rules[attribute];
    uint32_t slot;

    if (rule->is_known) {
        return rule;
    }
    rule->is_known = true;
    /* Whoever asks what came first notes where that is not known, instance by instance. */
    rule->is_some = formula == NULL ? attribute == MPL_OWN_LOCATION : !view->has_relations;
    for (size_t i = 0; rule->is_some && mpl_formula_slot(formula, i, &slot); i++) {
        rule->is_some = add_slot(view, formula, slot, rule);
    }
    return rule;
}

static bool holds(const struct mpl_instance_view *view, const struct mpl_shape_rule *rule,
                  const struct mpl_row *row)
{
    for (uint64_t left = rule->absent; left != 0; left &= left - 1) {
        const uint32_t word = view->instances->word_of[__builtin_ctzll(left)];

        if (word != MPL_NONE && mpl_row_count(row, word) > 0) {
            return false;
        }
    }
    return true;
}

bool mpl_shapes_thin(const struct mpl_instance_view *view, uint32_t attribute,
                     uint64_t *rows, uint8_t *like)
{
    const struct mpl_shape_rule *rule = find_rule(view, attribute);
    const uint32_t *words = NULL; /* Of the row before: mostly the next one has the same. */
    bool is_same = false;
    uint8_t first = 0;
    struct mpl_rows list;

    if (!rule->is_some) {
        return false;
    }
    mpl_rows_list(rows, &list);
    for (uint32_t k = 0; k < list.n; k++) {
        const uint8_t i = list.at[k];
        const struct mpl_row *row = &view->rows[i];

        if (row->words != words) {
            words = row->words;
            is_same = holds(view, rule, row);
            first = i;
        } else if (is_same) {
            mpl_row_leave_out(rows, i);
        }
        like[i] = is_same ? first : i;
    }
    return true;
}
