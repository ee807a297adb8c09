/*
 * What formulas read of some instances, and what they give: a slot at a time for all instances in whose case it counts, in
 * one tight loop. What one instance costs alone is mostly finding the way from name to number.
 */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <math.h>
#include <string.h>

/* ---- fields of what names stand for ---------------------------------------------------------- */

/* Attributes of instances of another event, or of this one. */
static void read_instances(struct mpl_instance_view *view, uint32_t event,
                           uint32_t attribute, const struct mpl_bound *bounds,
                           const struct mpl_rows *rows, double *values)
{
    const struct mpl_instances *instances = &view->r->instances[event];
    const struct mpl_segment *segment = NULL;
    const double *column = mpl_recognition_column(view->r, event, attribute);

    view->has_no_memory = view->has_no_memory || column == NULL;
    for (uint32_t k = 0; k < rows->n && column != NULL; k++) {
        const uint32_t i = rows->at[k];

        values[i] = NAN;
        if (bounds[i].kind != MPL_BOUND_INSTANCE) {
            continue;
        }
        if (segment == NULL || segment->location != bounds[i].location) {
            segment = mpl_instances_find(instances, bounds[i].location);
        }
        values[i] = column[segment->first + bounds[i].at];
    }
}

static void read_bounds(struct mpl_instance_view *view, const struct mpl_formula_slot *slot,
                        const struct mpl_bound *bounds, const struct mpl_rows *rows,
                        double *values)
{
    const uint32_t event = mpl_event_name_instance(view->definition, slot->name);

    if (event != MPL_NONE) {
        read_instances(view, event, slot->field, bounds, rows, values);
    } else {
        mpl_span_read(view->r, mpl_event_name_filter(view->definition, slot->name), bounds,
                      rows, (enum mpl_field) slot->field, values);
    }
}

static void read_relations(struct mpl_instance_view *view,
                           const struct mpl_formula_slot *slot, const struct mpl_rows *rows,
                           double *values)
{
    const uint32_t at = view->at;

    for (uint32_t k = 0; k < rows->n; k++) {
        mpl_view_go(view, rows->at[k]);
        values[rows->at[k]] = mpl_view_relation(view, slot);
    }
    mpl_view_go(view, at);
}

/* A time of the first span that a member stands for. */
static void read_members(struct mpl_instance_view *view,
                         const struct mpl_formula_slot *slot, const struct mpl_rows *rows,
                         double *values)
{
    const enum mpl_field field = (enum mpl_field) slot->field;
    const uint32_t word = view->instances->word_of[slot->name];
    const struct mpl_row *all = view->rows;
    double read[MPL_FORMULA_ROWS];
    uint32_t spans[MPL_FORMULA_ROWS];
    uint8_t at[MPL_FORMULA_ROWS];
    uint32_t n = 0;

    for (uint32_t k = 0; k < rows->n; k++) {
        const uint32_t i = rows->at[k];

        values[i] = NAN;
        if (word != MPL_NONE && mpl_row_count(&all[i], word) > 0) {
            at[n] = (uint8_t) i;
            spans[n++] = mpl_row_item(&all[i], word, 0);
        }
    }
    for (uint32_t first = 0, end; first < n; first = end) {
        const uint32_t location = all[at[first]].location;

        end = first + 1;
        while (end < n && all[at[end]].location == location) {
            end++;
        }
        mpl_spans_read(view->r, location, spans + first, end - first, field, read + first);
    }
    for (uint32_t k = 0; k < n; k++) {
        values[at[k]] = read[k];
    }
}

static void read_scalars(struct mpl_instance_view *view, uint32_t number,
                         const uint64_t *wanted)
{
    const struct mpl_formula_slot *slot = &view->definition->slots[number];
    double *values = view->scalars[number];
    struct mpl_rows rows;

    mpl_rows_list(wanted, &rows);
    if (slot->relation != MPL_SLOT_FIELD) {
        read_relations(view, slot, &rows, values);
    } else if (slot->name == MPL_NONE) {
        const double *own = mpl_view_attribute(view, slot->field, wanted);

        for (uint32_t k = 0; k < rows.n && own != NULL; k++) {
            values[rows.at[k]] = own[rows.at[k]];
        }
    } else if (mpl_slot_is_plain(view->definition, slot)) {
        read_members(view, slot, &rows, values);
    } else {
        mpl_view_bind(view, slot->name, wanted);
        if (!view->has_no_memory) {
            read_bounds(view, slot, view->bounds[slot->name], &rows, values);
        }
    }
}

/* ---- lists --------------------------------------------------------------------------------- */

/* Things that names stand for, of which a field each is read into a list of numbers. */
struct batch {
    struct mpl_instance_view *view;
    const struct mpl_formula_slot *slot;
    double *values;
    struct mpl_rows rows; /* 0, 1, 2, … */
    struct mpl_bound bounds[MPL_FORMULA_ROWS];
};

static void flush(struct batch *batch)
{
    if (batch->rows.n > 0) {
        read_bounds(batch->view, batch->slot, batch->bounds, &batch->rows, batch->values);
        batch->values += batch->rows.n;
        batch->rows.n = 0;
    }
}

/* Mostly rows that follow each other have the same words, which are those of one location. */
static void find_alike(struct mpl_instance_view *view)
{
    const struct mpl_row *rows = view->rows;

    if (view->n_alike > 0) {
        return;
    }
    for (uint32_t i = 1; i <= view->n; i++) {
        if (i == view->n || rows[i].words != rows[i - 1].words) {
            view->alike[view->n_alike++] = (uint16_t) i;
        }
    }
}

/* Room for the lists of all rows is made at once, as they must not move. */
static bool make_lists(struct mpl_instance_view *view, uint32_t number)
{
    const uint32_t word = mpl_view_list_word(view, view->definition->slots[number].name);
    const struct mpl_row *rows = view->rows;
    struct mpl_buf *items = &view->items[number];
    size_t n = 0;

    if (items->n > 0) {
        return true;
    }
    find_alike(view);
    for (uint32_t k = 0, first = 0; k < view->n_alike; first = view->alike[k++]) {
        n += (size_t) (view->alike[k] - first) * mpl_row_count(&rows[first], word);
    }
    if (!mpl_buf_grow_to(items, n + 1) || !mpl_buf_grow_to(&view->spans, n)) {
        view->has_no_memory = true;
        return false;
    }
    /* The first number is none, so that it shows that there is room. */
    items->n = 1;
    return true;
}

/* Of what a row stands for in a list, into the batch. */
static void read_items(struct batch *batch, const struct mpl_row *row, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (batch->rows.n == MPL_FORMULA_ROWS) {
            flush(batch);
        }
        batch->rows.at[batch->rows.n] = (uint8_t) batch->rows.n;
        mpl_view_bind_item(batch->view, row, batch->slot->name, i,
                           &batch->bounds[batch->rows.n++]);
    }
}

/* Rows \p first to before \p end, which have the same words: each gets a list of \p n values, which are of spans to be read. */
static void list_alike(const struct mpl_row *rows, const uint8_t *first, const uint8_t *end,
                       const uint32_t *items, uint32_t n, double *values,
                       struct mpl_list *lists, uint32_t *spans)
{
    for (const uint8_t *at = first; at < end; at++) {
        lists[*at] = (struct mpl_list){ values, n };
        values += n;
    }
    if (n == 0) {
        return;
    }
    for (const uint8_t *at = first; at < end; at++) {
        const uint32_t base = rows[*at].base;

        for (uint32_t i = 0; i < n; i++) {
            *spans++ = base + items[i];
        }
    }
}

/* Makes lists of \p values, and returns how many these are: spans of many rows are read at once. */
static size_t read_spans(struct mpl_instance_view *view,
                         const struct mpl_formula_slot *slot, const struct mpl_rows *rows,
                         double *values, struct mpl_list *lists)
{
    const enum mpl_field field = (enum mpl_field) slot->field;
    const uint32_t number = view->instances->word_of[slot->name];
    const struct mpl_row *all = view->rows;
    const uint8_t *at = rows->at;
    const uint8_t *end = at + rows->n;
    uint32_t *spans = view->spans.data;
    const uint16_t *alike = view->alike;
    uint32_t location = all[*at].location;
    size_t n = 0;
    size_t n_read = 0;

    while (at < end) {
        const struct mpl_row *row = &all[*at];
        const uint32_t n_items = mpl_row_count(row, number);
        const uint32_t *items =
            n_items == 0 ? NULL : mpl_word_items(&row->words[number], row->lists);

        if (row->location != location) {
            mpl_spans_read(view->r, location, spans + n_read, n - n_read, field,
                           values + n_read);
            location = row->location;
            n_read = n;
        }
        const uint8_t *first = at;

        while (*alike <= *at) {
            alike++;
        }
        at = rows->n == view->n ? rows->at + *alike : at + 1;
        while (at < end && *at < *alike) {
            at++;
        }
        list_alike(all, first, at, items, n_items, values + n, lists, spans + n);
        n += (size_t) (at - first) * n_items;
    }
    mpl_spans_read(view->r, location, spans + n_read, n - n_read, field, values + n_read);
    return n;
}

/* The same of whatever else a name may stand for. */
static size_t read_things(struct mpl_instance_view *view,
                          const struct mpl_formula_slot *slot, const struct mpl_rows *rows,
                          double *values, struct mpl_list *lists)
{
    const uint32_t word = mpl_view_list_word(view, slot->name);
    struct batch batch;
    size_t n = 0;

    batch.view = view;
    batch.slot = slot;
    batch.values = values;
    batch.rows.n = 0;
    for (uint32_t k = 0; k < rows->n; k++) {
        const struct mpl_row *row = &view->rows[rows->at[k]];
        const uint32_t n_items = mpl_row_count(row, word);

        lists[rows->at[k]] = (struct mpl_list){ values + n, n_items };
        read_items(&batch, row, n_items);
        n += n_items;
    }
    flush(&batch);
    return n;
}

static void read_lists(struct mpl_instance_view *view, uint32_t number,
                       const uint64_t *wanted)
{
    const struct mpl_formula_slot *slot = &view->definition->slots[number];
    struct mpl_buf *items = &view->items[number];
    struct mpl_rows rows;
    double *values;

    if (!make_lists(view, number)) {
        return;
    }
    values = (double *) items->data + items->n;
    mpl_rows_list(wanted, &rows);
    if (rows.n == 0) {
        return;
    }
    items->n += mpl_slot_is_plain(view->definition, slot)
                    ? read_spans(view, slot, &rows, values, view->lists[number])
                    : read_things(view, slot, &rows, values, view->lists[number]);
}

/* Formulas look at lists without memory, too: those of rows before may have moved. */
static void empty_lists(struct mpl_instance_view *view, uint32_t number,
                        const uint64_t *wanted)
{
    struct mpl_rows rows;

    mpl_rows_list(wanted, &rows);
    for (uint32_t k = 0; k < rows.n; k++) {
        view->lists[number][rows.at[k]] = (struct mpl_list){ NULL, 0 };
    }
}

/* Puts a slot's values of some rows where formulas read them. */
static void read_rows(void *context, uint32_t slot, bool is_list, const uint64_t *rows)
{
    struct mpl_instance_view *view = context;

    if (!is_list && !view->has_no_memory) {
        read_scalars(view, slot, rows);
    }
    if (is_list && !view->has_no_memory) {
        read_lists(view, slot, rows);
    }
    if (is_list && view->has_no_memory) {
        empty_lists(view, slot, rows);
    }
}

/* ---- formulas ------------------------------------------------------------------------------ */

/* Room for a value per row, \p n times, if there is none yet. */
static void *room_for(struct mpl_instance_view *view, void *place, size_t n, size_t size)
{
    void *room =
        place != NULL ? place : mpl_arena_array(view->arena, n * view->n_most, size);

    view->has_no_memory = view->has_no_memory || room == NULL;
    return room;
}

/* Room for what the formula reads and for what it computes on the way. */
static bool prepare(struct mpl_instance_view *view, const struct mpl_formula *formula,
                    double **temps)
{
    size_t n;
    const uint32_t *slots = mpl_formula_scalars(formula, &n);

    for (size_t i = 0; i < n; i++) {
        view->scalars[slots[i]] =
            room_for(view, view->scalars[slots[i]], 1, sizeof(double));
    }
    slots = mpl_formula_lists(formula, &n);
    for (size_t i = 0; i < n; i++) {
        view->lists[slots[i]] =
            room_for(view, view->lists[slots[i]], 1, sizeof(struct mpl_list));
    }
    *temps = room_for(view, *temps, mpl_formula_temps(formula), sizeof(double));
    return !view->has_no_memory;
}

static void read_all(struct mpl_instance_view *view, const struct mpl_formula *formula,
                     const uint64_t *rows)
{
    for (int lists = 0; lists < 2; lists++) {
        size_t n;
        const uint32_t *slots =
            lists ? mpl_formula_lists(formula, &n) : mpl_formula_scalars(formula, &n);

        for (size_t i = 0; i < n; i++) {
            mpl_row_set missing;

            if (mpl_rows_add(view->is_read[slots[i]], rows, missing)) {
                read_rows(view, slots[i], lists, missing);
            }
        }
    }
}

/*
 * Most of what a constraint names has to be looked for, and most matches fail by the first part of it. Whoever asks what
 * came first notes where that is not known: then all is read, so that no doubt depends on the order of a formula.
 */
static bool evaluate(struct mpl_instance_view *view, const struct mpl_formula *formula,
                     double **temps, const uint64_t *rows, double *values)
{
    if (!prepare(view, formula, temps)) {
        return false;
    }

    const struct mpl_formula_rows sheet = {
        .n = view->n,
        .scalars = view->scalars,
        .lists = view->lists,
        .temps = *temps,
        .known = view->is_read,
        .read = read_rows,
        .context = view,
    };

    if (view->has_relations) {
        read_all(view, formula, rows);
    }
    mpl_formula_eval_rows(formula, &sheet, rows, values);
    return !view->has_no_memory;
}

/* ---- attributes ---------------------------------------------------------------------------- */

static double own_attribute(const struct mpl_recognition *r, uint32_t location,
                            uint32_t number, struct mpl_range spans, uint32_t attribute)
{
    int64_t ticks = -r->window.begin_ticks;

    if (attribute == MPL_OWN_LOCATION) {
        return r->model->processes[r->model->locations[location].process].rank;
    }
    if (attribute == MPL_OWN_INDEX) {
        return number;
    }
    if (attribute == MPL_OWN_ENTER) {
        ticks += mpl_events_enter_ticks(r->events, location, spans.first);
    } else {
        ticks += mpl_events_leave_ticks(r->events, location, spans.end);
    }
    if (attribute == MPL_OWN_DURATION) {
        ticks += r->window.begin_ticks -
                 mpl_events_enter_ticks(r->events, location, spans.first);
    }
    return mpl_model_seconds(r->model, ticks);
}

static void compute_own(const struct mpl_instance_view *view, uint32_t attribute,
                        const struct mpl_rows *rows, double *values)
{
    for (uint32_t k = 0; k < rows->n; k++) {
        const struct mpl_row *row = &view->rows[rows->at[k]];
        struct mpl_range spans = { 0, 0 };

        if (attribute <= MPL_OWN_DURATION) {
            spans = mpl_row_spans(view->r, view->event, row);
        }
        values[rows->at[k]] =
            own_attribute(view->r, row->location, row->number, spans, attribute);
    }
}

static void compute(struct mpl_instance_view *view, uint32_t attribute,
                    const uint64_t *wanted)
{
    const struct mpl_formula *formula = view->definition->attributes[attribute].formula;
    double *values = view->attributes[attribute];
    double found[MPL_FORMULA_ROWS];
    uint8_t like[MPL_FORMULA_ROWS];
    mpl_row_set left;
    struct mpl_rows rows;

    mpl_rows_list(wanted, &rows);
    if (formula == NULL) {
        compute_own(view, attribute, &rows, values);
        return;
    }
    memcpy(left, wanted, sizeof left);

    const bool is_thin = mpl_shapes_thin(view, attribute, left, like);
    const bool is_all = !is_thin && rows.n == view->n;

    if (!evaluate(view, formula, &view->temps[attribute], left, is_all ? values : found) ||
        is_all) {
        return;
    }
    for (uint32_t k = 0; k < rows.n; k++) {
        const uint32_t i = rows.at[k];

        values[i] = found[is_thin ? like[i] : i];
    }
}

const double *mpl_view_attribute(struct mpl_instance_view *view, uint32_t attribute,
                                 const uint64_t *rows)
{
    mpl_row_set missing;
    const bool is_new = mpl_rows_add(view->is_valued[attribute], rows, missing);

    view->attributes[attribute] =
        room_for(view, view->attributes[attribute], 1, sizeof(double));
    if (is_new && !view->has_no_memory) {
        compute(view, attribute, missing);
    }
    return view->has_no_memory ? NULL : view->attributes[attribute];
}

/* ---- conditions ------------------------------------------------------------------------------ */

static void test(struct mpl_instance_view *view, const struct mpl_formula *formula,
                 double **temps, uint64_t *rows)
{
    double values[MPL_FORMULA_ROWS];
    struct mpl_rows list;

    mpl_rows_list(rows, &list);
    if (list.n == 0 || !evaluate(view, formula, temps, rows, values)) {
        return;
    }
    for (uint32_t k = 0; k < list.n; k++) {
        const uint32_t i = list.at[k];

        if (isnan(values[i]) || values[i] == 0) {
            mpl_row_leave_out(rows, i);
        }
    }
}

static void test_presence(struct mpl_instance_view *view,
                          const struct mpl_constraint *constraint, uint64_t *rows)
{
    struct mpl_rows list;

    mpl_view_bind(view, constraint->present, rows);
    mpl_rows_list(rows, &list);
    for (uint32_t k = 0; k < list.n && !view->has_no_memory; k++) {
        const uint32_t i = list.at[k];

        if ((view->bounds[constraint->present][i].kind == MPL_BOUND_ABSENT) !=
            constraint->is_absent) {
            mpl_row_leave_out(rows, i);
        }
    }
}

void mpl_view_test(struct mpl_instance_view *view, uint32_t number, uint64_t *rows)
{
    const struct mpl_event_definition *definition = view->definition;
    const struct mpl_constraint *constraint = &definition->constraints[number];

    if (constraint->present != MPL_NONE) {
        test_presence(view, constraint, rows);
    } else {
        test(view, constraint->formula,
             &view->temps[definition->n_attributes + definition->n_associated + number],
             rows);
    }
}

void mpl_view_test_link(struct mpl_instance_view *view, uint32_t number, uint64_t *rows)
{
    const struct mpl_event_definition *definition = view->definition;

    test(view, definition->associated[number].where,
         &view->temps[definition->n_attributes + number], rows);
}
