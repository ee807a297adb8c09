/*
 * Attributes of very many instances. A block of instances at a time: first what the names stand
 * for that formulas read, then each field of them as an array, in one tight loop, then the
 * formulas. What one instance costs alone (view.c) is mostly finding the way from name to number.
 */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256 };

/* Some attributes of an event, on their way into arrays of one value per instance. */
struct wanted {
    uint32_t n;
    const uint32_t *attributes;
    double *const *values; /* parallel; their first item is that of the first instance */
};

/* An instance of the block. */
struct row {
    uint32_t location;
    uint32_t number; /* on its location */
    const uint32_t *words;
    const uint32_t *lists;
    bool has_spans; /* spans is filled */
    struct mpl_range spans;
};

struct work {
    struct mpl_recognition *r;
    uint32_t event;
    const struct mpl_event_definition *definition;
    const struct mpl_instances *instances;
    struct mpl_view *view;
    struct mpl_arena *arena; /* scratch */
    struct row rows[BLOCK];
    uint32_t n;                /* rows in use */
    struct mpl_bound **bounds; /* per name: BLOCK; NULL where no formula reads it */
    double **fields;           /* per slot, likewise; lists and own attributes have none */
    double **values; /* per attribute, likewise: those wanted, and what they read */
    double *singles; /* per slot: the item of a list that has one */
    bool has_no_memory;
};

/* ---- what is needed -------------------------------------------------------------------- */

static void *block_of(struct work *w, size_t size)
{
    void *block = mpl_arena_array(w->arena, BLOCK, size);

    w->has_no_memory = w->has_no_memory || block == NULL;
    return block;
}

static void need_attribute(struct work *w, uint32_t attribute);

static void need_slot(struct work *w, uint32_t number)
{
    const struct mpl_slot *slot = &w->definition->slots[number];

    if (slot->name == MPL_NONE) {
        need_attribute(w, slot->field);
        return;
    }
    if (w->fields[number] == NULL) {
        w->fields[number] = block_of(w, sizeof(double));
    }
    if (slot->relation != MPL_SLOT_FIELD) {
        return;
    }
    if (w->bounds[slot->name] == NULL) {
        w->bounds[slot->name] = block_of(w, sizeof(struct mpl_bound));
    }
}

/* An attribute reads only own attributes before it, so this ends. */
static void need_attribute(struct work *w, uint32_t attribute)
{
    const struct mpl_formula *formula = w->definition->attributes[attribute].formula;
    size_t n = 0;
    const uint32_t *slots = formula == NULL ? NULL : mpl_formula_scalars(formula, &n);

    if (w->values[attribute] != NULL) {
        return;
    }
    w->values[attribute] = block_of(w, sizeof(double));
    for (size_t i = 0; i < n; i++) {
        need_slot(w, slots[i]);
    }
}

/* ---- names and fields -------------------------------------------------------------------- */

static void set_row(struct work *w, uint32_t i)
{
    const struct row *row = &w->rows[i];

    mpl_view_set(w->view, row->location, row->number, row->words, row->lists, NULL);
}

/* A member is a word of the instance; links have to be followed from instance to instance. */
static void bind_member(struct work *w, uint32_t member)
{
    const uint32_t number = w->instances->word_of[member];
    const bool is_span = w->definition->members[member].filter.event == MPL_NONE;
    struct mpl_bound *bounds = w->bounds[member];

    for (uint32_t i = 0; i < w->n; i++) {
        const uint32_t word = number == MPL_NONE ? MPL_NONE : w->rows[i].words[number];

        bounds[i].kind = word == MPL_NONE ? MPL_BOUND_ABSENT
                         : is_span        ? MPL_BOUND_SPAN
                                          : MPL_BOUND_INSTANCE;
        bounds[i].location = w->rows[i].location;
        bounds[i].at = word == MPL_NONE ? 0 : mpl_word_item(word, w->rows[i].lists, 0);
        bounds[i].message = MPL_NONE;
    }
}

static void bind_names(struct work *w)
{
    const uint32_t n_members = w->definition->n_members;
    uint32_t names[MPL_ASSOCIATED_MAX];
    uint32_t n = 0;

    for (uint32_t name = 0; name < n_members + w->definition->n_associated; name++) {
        if (w->bounds[name] != NULL && name < n_members &&
            w->definition->members[name].beside == 0) {
            bind_member(w, name);
        } else if (w->bounds[name] != NULL) {
            names[n++] = name;
        }
    }
    for (uint32_t i = 0; i < w->n && n > 0; i++) {
        set_row(w, i);
        for (uint32_t k = 0; k < n; k++) {
            w->bounds[names[k]][i] = *mpl_view_bound(w->view, names[k]);
        }
    }
    w->has_no_memory = w->has_no_memory || w->view->has_no_memory;
}

static void read_spans(struct work *w, const struct mpl_slot *slot, double *values)
{
    const struct mpl_bound *bounds = w->bounds[slot->name];
    const struct mpl_filter *filter = mpl_event_name_filter(w->definition, slot->name);
    const enum mpl_field field = (enum mpl_field) slot->field;

    for (uint32_t i = 0; i < w->n; i++) {
        values[i] = bounds[i].kind != MPL_BOUND_SPAN
                        ? NAN
                        : mpl_span_field(w->r, filter, bounds[i].location, bounds[i].at,
                                         bounds[i].message, field);
    }
}

static void read_instances(struct work *w, const struct mpl_slot *slot, uint32_t event,
                           double *values)
{
    const struct mpl_bound *bounds = w->bounds[slot->name];
    const struct mpl_instances *instances = &w->r->instances[event];
    const double *column = mpl_recognition_column(w->r, event, slot->field);

    w->has_no_memory = w->has_no_memory || column == NULL;
    for (uint32_t i = 0; i < w->n && column != NULL; i++) {
        values[i] = bounds[i].kind != MPL_BOUND_INSTANCE
                        ? NAN
                        : column[mpl_instances_find(instances, bounds[i].location)->first +
                                 bounds[i].at];
    }
}

static void read_relations(struct work *w, const struct mpl_slot *slot, double *values)
{
    for (uint32_t i = 0; i < w->n; i++) {
        set_row(w, i);
        values[i] = mpl_view_relation(w->view, slot);
    }
    w->has_no_memory = w->has_no_memory || w->view->has_no_memory;
}

static void read_fields(struct work *w)
{
    for (uint32_t s = 0; s < w->definition->n_slots; s++) {
        const struct mpl_slot *slot = &w->definition->slots[s];

        if (w->fields[s] == NULL) {
            continue;
        }
        if (slot->relation != MPL_SLOT_FIELD) {
            read_relations(w, slot, w->fields[s]);
            continue;
        }

        const uint32_t event = mpl_event_name_instance(w->definition, slot->name);

        if (event == MPL_NONE) {
            read_spans(w, slot, w->fields[s]);
        } else {
            read_instances(w, slot, event, w->fields[s]);
        }
    }
}

/* ---- attributes ------------------------------------------------------------------------------ */

static void compute_own(struct work *w, uint32_t attribute, double *values)
{
    for (uint32_t i = 0; i < w->n; i++) {
        struct row *row = &w->rows[i];

        if (attribute <= MPL_OWN_DURATION && !row->has_spans) {
            row->spans =
                mpl_instance_spans(w->r, w->event, row->location, row->words, row->lists);
            row->has_spans = true;
        }
        values[i] =
            mpl_instance_attribute(w->r, row->location, row->number, row->spans, attribute);
    }
}

static const double *values_of_slot(const struct work *w, uint32_t number)
{
    const struct mpl_slot *slot = &w->definition->slots[number];

    return slot->name == MPL_NONE ? w->values[slot->field] : w->fields[number];
}

/* A repeated member that occurs once in this instance needs no list to be made. */
static bool set_single(struct work *w, uint32_t number, const struct row *row,
                       double *value)
{
    const struct mpl_slot *slot = &w->definition->slots[number];
    const struct mpl_member *member = &w->definition->members[slot->name];

    if (slot->name >= w->definition->n_members || member->filter.event != MPL_NONE) {
        return false;
    }

    const uint32_t word = row->words[w->instances->word_of[slot->name]];

    if ((word & MPL_WORD_LIST) != 0) {
        return false;
    }
    *value = mpl_span_field(w->r, &member->filter, row->location, word, MPL_NONE,
                            (enum mpl_field) slot->field);
    w->view->values[number] = (struct mpl_list){ value, 1 };
    return true;
}

static void set_lists(struct work *w, uint32_t i, const uint32_t *lists, size_t n,
                      double *singles)
{
    bool is_set = false;

    for (size_t k = 0; k < n; k++) {
        if (set_single(w, lists[k], &w->rows[i], &singles[lists[k]])) {
            continue;
        }
        if (!is_set) {
            set_row(w, i);
            is_set = true;
        }
        mpl_view_fill_list(w->view, lists[k]);
    }
}

static void compute_formula(struct work *w, const struct mpl_formula *formula,
                            double *values)
{
    size_t n_scalars;
    size_t n_lists;
    const uint32_t *scalars = mpl_formula_scalars(formula, &n_scalars);
    const uint32_t *lists = mpl_formula_lists(formula, &n_lists);

    for (uint32_t i = 0; i < w->n; i++) {
        for (size_t k = 0; k < n_scalars; k++) {
            w->view->scalars[scalars[k]] = values_of_slot(w, scalars[k])[i];
        }
        set_lists(w, i, lists, n_lists, w->singles);
        values[i] = mpl_formula_eval(formula, w->view->scalars, w->view->values);
    }
    w->has_no_memory = w->has_no_memory || w->view->has_no_memory;
}

static void compute_attributes(struct work *w)
{
    for (uint32_t a = 0; a < w->definition->n_attributes && !w->has_no_memory; a++) {
        const struct mpl_attribute *attribute = &w->definition->attributes[a];

        if (w->values[a] == NULL) {
            continue;
        }
        if (attribute->formula == NULL) {
            compute_own(w, a, w->values[a]);
        } else if (attribute->copied != MPL_NONE) {
            memcpy(w->values[a], values_of_slot(w, attribute->copied),
                   w->n * sizeof(double));
        } else {
            compute_formula(w, attribute->formula, w->values[a]);
        }
    }
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static void fill_rows(struct work *w, size_t first, uint32_t n)
{
    const struct mpl_segment *segment = mpl_instances_segment(w->instances, first);

    for (uint32_t i = 0; i < n; i++) {
        while (first + i >= segment->first + segment->n) {
            segment++;
        }

        const uint32_t number = (uint32_t) (first + i - segment->first);

        w->rows[i] =
            (struct row){ .location = segment->location,
                          .number = number,
                          .words = segment->words + (size_t) number * w->instances->stride,
                          .lists = segment->lists };
    }
    w->n = n;
}

static bool prepare(struct work *w, const struct wanted *wanted)
{
    const uint32_t n_names = w->definition->n_members + w->definition->n_associated;

    w->bounds = MPL_NEW_ARRAY(w->arena, n_names, struct mpl_bound *);
    w->fields = MPL_NEW_ARRAY(w->arena, w->definition->n_slots, double *);
    w->values = MPL_NEW_ARRAY(w->arena, w->definition->n_attributes, double *);
    w->singles = MPL_NEW_ARRAY(w->arena, w->definition->n_slots, double);
    if (w->bounds == NULL || w->fields == NULL || w->values == NULL || w->singles == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < wanted->n; k++) {
        need_attribute(w, wanted->attributes[k]);
    }
    return !w->has_no_memory;
}

static void compute_blocks(struct work *w, const struct wanted *wanted, size_t first,
                           size_t n)
{
    for (size_t at = 0; at < n && !w->has_no_memory; at += BLOCK) {
        fill_rows(w, first + at, (uint32_t) (n - at < BLOCK ? n - at : BLOCK));
        bind_names(w);
        if (!w->has_no_memory) {
            read_fields(w);
        }
        compute_attributes(w);
        for (uint32_t k = 0; k < wanted->n; k++) {
            memcpy(wanted->values[k] + at, w->values[wanted->attributes[k]],
                   w->n * sizeof(double));
        }
    }
}

/* False: out of memory. */
static bool evaluate(struct mpl_recognition *r, uint32_t event, const struct wanted *wanted,
                     size_t first, size_t n)
{
    struct mpl_arena *arena = n == 0 ? NULL : mpl_arena_create();
    struct work *w = arena == NULL ? NULL : MPL_NEW(arena, struct work);
    bool is_good = n == 0;

    if (w != NULL) {
        w->r = r;
        w->event = event;
        w->definition = &r->pattern->events[event];
        w->instances = &r->instances[event];
        w->arena = arena;
        w->view = mpl_view_borrow(r, event);
    }
    if (w != NULL && w->view != NULL) {
        if (prepare(w, wanted)) {
            compute_blocks(w, wanted, first, n);
            is_good = !w->has_no_memory;
        }
        mpl_view_return(w->view);
    }
    mpl_arena_destroy(arena);
    return is_good;
}

/* ---- questions ----------------------------------------------------------------------------------- */

bool mpl_recognition_values(struct mpl_recognition *r, uint32_t event, uint32_t attribute,
                            size_t first, size_t n, double *values)
{
    const struct wanted wanted = { 1, &attribute, &values };

    mpl_assert(event < r->pattern->n_events);
    mpl_assert(attribute < r->pattern->events[event].n_attributes);
    mpl_assert(first + n <= r->instances[event].n);
    return evaluate(r, event, &wanted, first, n);
}

void mpl_recognition_want(struct mpl_recognition *r, uint32_t event, uint32_t attribute)
{
    mpl_assert(event < r->pattern->n_events);
    mpl_assert(attribute < r->pattern->events[event].n_attributes);
    r->instances[event].is_wanted[attribute] = true;
}

/*
 * The column of an attribute, and with it all others of the event that are wanted. Attributes of
 * other events that they read may read columns of this event in turn: those are made alone then,
 * or the two events would ask each other for ever.
 */
static bool make_columns(struct mpl_recognition *r, uint32_t event, uint32_t attribute)
{
    struct mpl_instances *instances = &r->instances[event];
    const uint32_t n_attributes = r->pattern->events[event].n_attributes;
    const bool is_nested = instances->is_making;
    uint32_t attributes[MPL_ATTRIBUTES_MAX];
    double *values[MPL_ATTRIBUTES_MAX];
    struct wanted wanted = { 0, attributes, values };
    bool is_good = true;

    for (uint32_t a = 0; a < n_attributes && is_good; a++) {
        const bool is_wanted = a == attribute || (instances->is_wanted[a] && !is_nested);

        if (is_wanted && instances->columns[a] == NULL) {
            attributes[wanted.n] = a;
            values[wanted.n] = MPL_NEW_ARRAY(r->arena, instances->n, double);
            is_good = values[wanted.n++] != NULL;
        }
    }
    instances->is_making = true;
    is_good = is_good && evaluate(r, event, &wanted, 0, instances->n);
    instances->is_making = is_nested;
    for (uint32_t k = 0; k < wanted.n && is_good; k++) {
        if (instances->columns[attributes[k]] == NULL) {
            instances->columns[attributes[k]] = values[k];
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
