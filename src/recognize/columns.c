/* Attributes of very many instances, which values.c finds for some at a time. */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <string.h>

/* Some attributes of an event, on their way into arrays of one value per instance. */
struct wanted {
    uint32_t n;
    uint32_t attributes[MPL_ATTRIBUTES_MAX];
    double *values[MPL_ATTRIBUTES_MAX];
};

/* False: out of memory. */
static bool evaluate(struct mpl_recognition *r, uint32_t event, const struct wanted *wanted)
{
    const size_t n = r->instances[event].n;
    struct mpl_arena *arena = n == 0 ? NULL : mpl_arena_create();
    struct mpl_instance_view *view =
        arena == NULL ? NULL : mpl_view_open(r, event, n, arena);
    bool is_good = view != NULL || n == 0;

    for (size_t at = 0; at < n && is_good; at += view->n) {
        mpl_row_set all;

        mpl_view_fill(view, at, n - at);
        mpl_rows_first(view->n, all);
        for (uint32_t k = 0; k < wanted->n && is_good; k++) {
            const double *values = mpl_view_attribute(view, wanted->attributes[k], all);

            is_good = values != NULL;
            if (is_good) {
                memcpy(wanted->values[k] + at, values, view->n * sizeof *values);
            }
        }
    }
    mpl_view_close(view);
    mpl_arena_destroy(arena);
    return is_good;
}

/* ---- questions ----------------------------------------------------------------------------------- */

void mpl_recognition_want(struct mpl_recognition *r, uint32_t event, uint32_t attribute)
{
    mpl_assert(event < r->pattern->n_events);
    mpl_assert(attribute < r->pattern->events[event].n_attributes);
    r->instances[event].is_wanted[attribute] = true;
}

/* Whether an attribute reads those of other instances, which have to be found for that. */
static bool reads_others(const struct mpl_event_definition *event, uint32_t attribute)
{
    const struct mpl_formula *formula = event->attributes[attribute].formula;
    size_t n = 0;
    const uint32_t *slots = formula == NULL ? NULL : mpl_formula_scalars(formula, &n);

    for (size_t i = 0; i < n; i++) {
        const uint32_t name = event->slots[slots[i]].name;

        if (name != MPL_NONE && name >= event->n_members &&
            mpl_event_name_instance(event, name) != MPL_NONE) {
            return true;
        }
    }
    return false;
}

/*
 * The column of an attribute, and with it all others of the event that are wanted and for which as much must be known;
 * those that read other instances are rarely asked for. Attributes of
 * other events that they read may read columns of this event in turn: those are made alone then,
 * or the two events would ask each other for ever.
 */
static bool make_columns(struct mpl_recognition *r, uint32_t event, uint32_t attribute)
{
    struct mpl_instances *instances = &r->instances[event];
    const struct mpl_event_definition *definition = &r->pattern->events[event];
    const bool is_nested = instances->is_making;
    const bool for_others = reads_others(definition, attribute);
    struct wanted wanted = { .n = 0 };
    bool is_good = true;

    for (uint32_t a = 0; a < definition->n_attributes && is_good; a++) {
        const bool is_wanted =
            a == attribute || (instances->is_wanted[a] && !is_nested &&
                               reads_others(definition, a) == for_others);

        if (is_wanted && instances->columns[a] == NULL) {
            wanted.attributes[wanted.n] = a;
            wanted.values[wanted.n] = MPL_NEW_ARRAY(r->arena, instances->n, double);
            is_good = wanted.values[wanted.n++] != NULL;
        }
    }
    instances->is_making = true;
    is_good = is_good && evaluate(r, event, &wanted);
    instances->is_making = is_nested;
    for (uint32_t k = 0; k < wanted.n && is_good; k++) {
        if (instances->columns[wanted.attributes[k]] == NULL) {
            instances->columns[wanted.attributes[k]] = wanted.values[k];
        }
    }
    return is_good;
}

const double *mpl_recognition_column(struct mpl_recognition *r, uint32_t event,
                                     uint32_t attribute)
{
    double **column = &r->instances[event].columns[attribute];

    mpl_recognition_want(r, event, attribute);
    return *column != NULL || make_columns(r, event, attribute) ? *column : NULL;
}
