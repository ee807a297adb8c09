/*
 * Matches that repeat earlier ones. A program does the same again and again, so most matches have the shape of one that was
 * tested before: as many spans at the same distances, and between and around them spans of the same letters. Names then
 * stand for the same spans, shifted. Where what a test has read of them is the same, too (sizes, tags and partners), its
 * answer is the same.
 *
 * Some matches are kept as models, each with what its test looked at. It is no model if that goes beyond its location, or
 * to the end of it, or if the answer depends on times.
 */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <string.h>

/*
 * A program's steps are of few kinds, and near a sum or an output they are others. Of so many matches that were tested some
 * become models; and so many show whether at least three of four repeat another one.
 */
enum { MODELS = 8, LOOKED_AT = 4 * MODELS, TRIED = 1024 };

/* What a test has read. */
struct reading {
    uint32_t slot;
    uint32_t later; /* its span, so many behind the first of the match; modulo 2^32 */
    double value;
};

struct model {
    uint32_t first;          /* The first span of the match, */
    struct mpl_range window; /* and the spans that its test looked at. */
    struct mpl_buf shape;    /* uint32_t, see take_shape() */
    struct mpl_buf readings; /* struct reading */
    uint32_t failing;        /* The answer. */
};

struct mpl_repeats {
    struct mpl_instance_view *view;
    bool *is_near;  /* per name: letters around a match decide what it stands for */
    bool *is_place; /* per slot: where a span stands that is near */
    bool *
        is_coarse; /* per slot: shifting all spans changes nothing of it that constraints ask for */
    struct model models[MODELS];
    uint32_t n_models;
    uint32_t next; /* the place of the next one */
    struct model candidate;
    uint64_t n_asked, n_answered; /* Matches, on the location. */
    /* Of each row: */
    uint32_t first[MPL_FORMULA_ROWS];
    struct mpl_bound bounds[MPL_FORMULA_ROWS];
    double values[MPL_FORMULA_ROWS];
};

/* ---- what can be repeated ---------------------------------------------------------------------- */

/* Whether the letters between what it starts from and what it leads to decide about a link. */
static bool is_link_near(const struct mpl_repeats *repeats, uint32_t number)
{
    const struct mpl_associated *link = &repeats->view->definition->associated[number];

    return mpl_link_is_along(link->link) && number < 64 && link->where == NULL &&
           link->filter.where == NULL && link->filter.event == MPL_NONE &&
           repeats->is_near[link->base] &&
           (link->stop == MPL_NONE || repeats->is_near[link->stop]);
}

static bool is_coarse(const struct mpl_repeats *repeats, uint32_t slot)
{
    const struct mpl_event_definition *event = repeats->view->definition;

    for (uint32_t c = 0; c < event->n_constraints; c++) {
        if (event->constraints[c].formula != NULL &&
            !mpl_formula_is_coarse(event->constraints[c].formula, slot,
                                   repeats->is_place)) {
            return false;
        }
    }
    return true;
}

/* Instances of others as members are no spans; of relations it has to be noted where they are not known. */
static bool can_repeat(const struct mpl_instance_view *view)
{
    const struct mpl_event_definition *event = view->definition;

    for (uint32_t m = 0; m < event->n_members; m++) {
        if (event->members[m].beside != 0) {
            return false;
        }
    }
    return event->n_constraints > 0 && view->instances->is_flat && !view->has_relations;
}

static struct model make_model(void)
{
    return (struct model){ .shape = mpl_buf_make(sizeof(uint32_t)),
                           .readings = mpl_buf_make(sizeof(struct reading)) };
}

static void free_model(struct model *model)
{
    mpl_buf_free(&model->shape);
    mpl_buf_free(&model->readings);
}

static void find_near(struct mpl_repeats *repeats)
{
    const struct mpl_event_definition *event = repeats->view->definition;

    for (uint32_t m = 0; m < event->n_members; m++) {
        repeats->is_near[m] = true;
    }
    for (uint32_t a = 0; a < event->n_associated; a++) {
        repeats->is_near[event->n_members + a] = is_link_near(repeats, a);
    }
    for (uint32_t s = 0; s < event->n_slots; s++) {
        const struct mpl_formula_slot *slot = &event->slots[s];

        repeats->is_place[s] = slot->relation == MPL_SLOT_FIELD && slot->name != MPL_NONE &&
                               repeats->is_near[slot->name] &&
                               slot->field == MPL_FIELD_PLACE;
    }
    for (uint32_t s = 0; s < event->n_slots; s++) {
        repeats->is_coarse[s] = is_coarse(repeats, s);
    }
}

struct mpl_repeats *mpl_repeats_open(struct mpl_instance_view *view)
{
    const struct mpl_event_definition *event = view->definition;
    struct mpl_repeats *repeats = MPL_NEW(view->arena, struct mpl_repeats);

    if (repeats == NULL) {
        return NULL;
    }
    repeats->view = view;
    repeats->candidate = make_model();
    for (uint32_t m = 0; m < MODELS; m++) {
        repeats->models[m] = make_model();
    }
    if (!can_repeat(view)) {
        return repeats;
    }
    repeats->is_near =
        MPL_NEW_ARRAY(view->arena, event->n_members + event->n_associated, bool);
    repeats->is_place = MPL_NEW_ARRAY(view->arena, event->n_slots, bool);
    repeats->is_coarse = MPL_NEW_ARRAY(view->arena, event->n_slots, bool);
    if (repeats->is_near == NULL || repeats->is_place == NULL ||
        repeats->is_coarse == NULL) {
        return NULL;
    }
    find_near(repeats);
    return repeats;
}

void mpl_repeats_close(struct mpl_repeats *repeats)
{
    if (repeats == NULL) {
        return;
    }
    free_model(&repeats->candidate);
    for (uint32_t m = 0; m < MODELS; m++) {
        free_model(&repeats->models[m]);
    }
}

void mpl_repeats_forget(struct mpl_repeats *repeats)
{
    repeats->n_models = 0;
    repeats->next = 0;
    repeats->n_asked = repeats->n_answered = 0;
}

/* A farm's requests come in another order each time: to compare them with others costs as much as to test them. */
static bool is_in_vain(const struct mpl_repeats *repeats)
{
    return repeats->n_asked >= TRIED && 4 * repeats->n_answered < 3 * repeats->n_asked;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static void widen(struct mpl_range *window, uint32_t at)
{
    window->first = at < window->first ? at : window->first;
    window->end = at > window->end ? at : window->end;
}

/* Per word of a row how many spans it stands for, then how far these are behind the first of all. False: no memory. */
static bool take_shape(const struct mpl_instance_view *view, uint32_t i,
                       struct model *model)
{
    const struct mpl_row *row = &view->rows[i];
    const uint32_t stride = view->instances->stride;
    struct mpl_buf *shape = &model->shape;

    model->window = mpl_row_spans(view->r, view->event, row);
    model->first = model->window.first;
    shape->n = 0;
    for (uint32_t w = 0; w < stride; w++) {
        const uint32_t n = mpl_row_count(row, w);

        if (!mpl_buf_grow_to(shape, shape->n + 1 + n)) {
            return false;
        }

        uint32_t *at = (uint32_t *) shape->data + (shape->n - 1 - n);

        *at++ = n;
        for (uint32_t k = 0; k < n; k++) {
            at[k] = mpl_row_item(row, w, k) - model->first;
        }
    }
    return true;
}

/* Whether a match has the shape of the model. */
static bool has_shape(const struct mpl_instance_view *view, const struct mpl_row *row,
                      const struct model *model)
{
    const uint32_t first = row->base + row->words[view->instances->stride];
    const uint32_t *at = model->shape.data;

    for (uint32_t w = 0; w < view->instances->stride; w++) {
        const uint32_t n = *at++;

        if (mpl_row_count(row, w) != n) {
            return false;
        }
        for (uint32_t k = 0; k < n; k++) {
            if (mpl_row_item(row, w, k) - first != *at++) {
                return false;
            }
        }
    }
    return true;
}

/* Whether around a match, which has the shape of the model, everything looks like there. */
static bool has_surroundings(const struct mpl_repeats *repeats, const struct model *model,
                             uint32_t first)
{
    const struct mpl_near *near = repeats->view->near;
    const uint32_t before = model->first - model->window.first;
    const uint32_t n = model->window.end - model->window.first + 1;

    return first - near->range.first >= before && near->range.end - (first - before) >= n &&
           memcmp(near->letters + model->window.first, near->letters + (first - before),
                  n * sizeof *near->letters) == 0;
}

/* ---- answers ------------------------------------------------------------------------------------ */

/*
 * Takes from \p rows those whose only message at that place has another size. A row without one is to be read: \p unread.
 * Integers are compared, as to make doubles of them costs more than all else here. Sizes of which several are the same double
 * are taken for others: then the match is tested.
 */
static void compare_sizes(const struct mpl_repeats *repeats, const struct reading *reading,
                          uint64_t *rows, uint64_t *unread)
{
    const bool is_exact = reading->value >= 0 && reading->value < 0x1p53;
    const uint64_t bytes = is_exact ? (uint64_t) reading->value : 0;
    const struct mpl_near *near = repeats->view->near;
    const struct mpl_location *loc = &repeats->view->r->model->locations[near->location];
    struct mpl_rows list;

    mpl_rows_list(rows, &list);
    for (uint32_t k = 0; k < list.n; k++) {
        const uint32_t i = list.at[k];
        const uint32_t at = repeats->first[i] + reading->later;
        const uint32_t end = at % 2 == 0 ? MPL_NONE : near->ends[at / 2];

        if (end >= loc->n_messages) {
            unread[i / 64] |= UINT64_C(1) << i % 64;
        } else if (!is_exact || mpl_message_get(loc, end).bytes != bytes) {
            mpl_row_leave_out(rows, i);
        }
    }
}

/* Takes from \p rows those of \p unread of which a test would read something else than it did of the model. */
static void compare_reading(struct mpl_repeats *repeats, const struct reading *reading,
                            uint64_t *rows, const uint64_t *unread)
{
    struct mpl_instance_view *view = repeats->view;
    const struct mpl_formula_slot *slot = &view->definition->slots[reading->slot];
    struct mpl_rows list;

    mpl_rows_list(unread, &list);
    for (uint32_t k = 0; k < list.n; k++) {
        const uint32_t i = list.at[k];

        mpl_view_bind_span(view, view->rows[i].location, repeats->first[i] + reading->later,
                           &repeats->bounds[i]);
    }
    mpl_span_read(view->r, mpl_event_name_filter(view->definition, slot->name),
                  repeats->bounds, &list, (enum mpl_field) slot->field, repeats->values);
    for (uint32_t k = 0; k < list.n; k++) {
        const uint32_t i = list.at[k];

        if (memcmp(&repeats->values[i], &reading->value, sizeof(double)) != 0) {
            mpl_row_leave_out(rows, i);
        }
    }
}

static void compare_readings(struct mpl_repeats *repeats, const struct model *model,
                             uint64_t *rows)
{
    const struct reading *readings = model->readings.data;
    mpl_row_set unread;

    for (size_t k = 0; k < model->readings.n; k++) {
        const uint32_t slot = readings[k].slot;

        if (repeats->view->definition->slots[slot].field == MPL_FIELD_BYTES) {
            memset(unread, 0, sizeof unread);
            compare_sizes(repeats, &readings[k], rows, unread);
        } else {
            memcpy(unread, rows, sizeof unread);
        }
        compare_reading(repeats, &readings[k], rows, unread);
    }
}

/* Leaves in \p rows those that repeat the model. */
static void keep_alike(struct mpl_repeats *repeats, const struct model *model,
                       uint64_t *rows)
{
    const struct mpl_instance_view *view = repeats->view;
    const uint32_t *words = NULL; /* Of the last row: mostly the next one has the same. */
    bool is_alike = false;
    struct mpl_rows list;

    mpl_rows_list(rows, &list);

    for (uint32_t k = 0; k < list.n; k++) {
        const uint32_t i = list.at[k];
        const struct mpl_row *row = &view->rows[i];

        if (row->words != words) {
            words = row->words;
            is_alike = has_shape(view, row, model);
        }
        repeats->first[i] = row->base + words[view->instances->stride];
        if (!is_alike || !has_surroundings(repeats, model, repeats->first[i])) {
            mpl_row_leave_out(rows, i);
        }
    }
    compare_readings(repeats, model, rows);
}

void mpl_repeats_answer(struct mpl_repeats *repeats, uint64_t *rows, uint32_t *failing)
{
    struct mpl_rows all;

    if (repeats->n_models == 0 || is_in_vain(repeats)) {
        return;
    }
    mpl_rows_list(rows, &all);
    repeats->n_asked += all.n;
    for (uint32_t m = 0; m < repeats->n_models; m++) {
        const struct model *model = &repeats->models[m];
        mpl_row_set alike;
        struct mpl_rows list;

        memcpy(alike, rows, sizeof alike);
        keep_alike(repeats, model, alike);
        mpl_rows_list(alike, &list);
        repeats->n_answered += list.n;
        for (uint32_t k = 0; k < list.n; k++) {
            failing[list.at[k]] = model->failing;
            mpl_row_leave_out(rows, list.at[k]);
        }
    }
}

/* ---- models ------------------------------------------------------------------------------------- */

/* Widens the window by what names stand for in a row. False: they do not stay around it. */
static bool find_window(const struct mpl_repeats *repeats, uint32_t i,
                        struct mpl_range *window)
{
    const struct mpl_instance_view *view = repeats->view;
    const struct mpl_event_definition *event = view->definition;

    for (uint32_t name = 0; name < event->n_members + event->n_associated; name++) {
        if (!mpl_row_is_in(view->is_bound[name], i)) {
            continue;
        }

        const bool is_there = view->bounds[name][i].kind == MPL_BOUND_SPAN;

        if (!repeats->is_near[name] || (!is_there && name >= event->n_members)) {
            return false;
        }
        if (is_there) {
            widen(window, view->bounds[name][i].at);
        }
    }
    return true;
}

static bool lasts(enum mpl_field field)
{
    return field == MPL_FIELD_BYTES || field == MPL_FIELD_TAG || field == MPL_FIELD_PEER ||
           field == MPL_FIELD_RANK || field == MPL_FIELD_ASKS;
}

/* False: no memory. */
static bool put_reading(struct mpl_repeats *repeats, struct reading reading)
{
    const bool is_put = mpl_buf_put(&repeats->candidate.readings, &reading);

    repeats->view->has_no_memory = repeats->view->has_no_memory || !is_put;
    return is_put;
}

/* What has been read in a slot of a row. False: something that is another time another one, or no memory. */
static bool take_readings(struct mpl_repeats *repeats, uint32_t i, uint32_t number)
{
    const struct mpl_instance_view *view = repeats->view;
    const uint32_t first = repeats->candidate.first;
    const struct mpl_formula_slot *slot = &view->definition->slots[number];
    const bool is_list = view->lists[number] != NULL;

    /* The matches of a repeated member are lists, which are read without being bound. */
    if (slot->name == MPL_NONE || !repeats->is_near[slot->name]) {
        return false;
    }
    if (!lasts((enum mpl_field) slot->field)) {
        return repeats->is_coarse[number];
    }
    if (!is_list) {
        const struct mpl_bound *bound = &view->bounds[slot->name][i];

        return bound->kind == MPL_BOUND_ABSENT ||
               put_reading(repeats, (struct reading){ number, bound->at - first,
                                                      view->scalars[number][i] });
    }
    for (uint32_t k = 0; k < view->lists[number][i].n; k++) {
        struct mpl_bound bound;

        mpl_view_bind_item(repeats->view, &view->rows[i], slot->name, k, &bound);
        if (!put_reading(repeats, (struct reading){ number, bound.at - first,
                                                    view->lists[number][i].values[k] })) {
            return false;
        }
    }
    return true;
}

/* Whether a row can be a model; then the candidate is it. */
static bool take_model(struct mpl_repeats *repeats, uint32_t i, uint32_t failing)
{
    const struct mpl_instance_view *view = repeats->view;
    struct model *model = &repeats->candidate;

    model->readings.n = 0;
    model->failing = failing;
    if (!take_shape(view, i, model)) {
        repeats->view->has_no_memory = true;
        return false;
    }
    if (!find_window(repeats, i, &model->window)) {
        return false;
    }
    for (uint32_t slot = 0; slot < view->definition->n_slots; slot++) {
        if (mpl_row_is_in(view->is_read[slot], i) && !take_readings(repeats, i, slot)) {
            return false;
        }
    }
    return true;
}

/* Whether the candidate, a row, is a model already. */
static bool is_known(const struct mpl_repeats *repeats, uint32_t i)
{
    const struct model *candidate = &repeats->candidate;

    for (uint32_t m = 0; m < repeats->n_models; m++) {
        const struct model *model = &repeats->models[m];

        if (has_shape(repeats->view, &repeats->view->rows[i], model) &&
            has_surroundings(repeats, model, candidate->first) &&
            mpl_is_same_array(model->readings.data, model->readings.n,
                              candidate->readings.data, candidate->readings.n,
                              sizeof(struct reading))) {
            return true;
        }
    }
    return false;
}

/* The candidate becomes a model, and the oldest one makes room for it. */
static void keep_model(struct mpl_repeats *repeats)
{
    const uint32_t place = repeats->next;
    const struct model oldest = repeats->models[place];

    repeats->models[place] = repeats->candidate;
    repeats->candidate = oldest;
    repeats->next = (place + 1) % MODELS;
    repeats->n_models += repeats->n_models < MODELS;
}

void mpl_repeats_learn(struct mpl_repeats *repeats, const uint64_t *rows,
                       const uint32_t *failing)
{
    struct mpl_rows list;
    uint32_t n_kept = 0;

    if (repeats->is_near == NULL || is_in_vain(repeats)) {
        return;
    }
    mpl_rows_list(rows, &list);
    for (uint32_t k = 0; k < list.n && k < LOOKED_AT && n_kept < MODELS; k++) {
        /* Then names may be bound to nothing. */
        if (repeats->view->has_no_memory) {
            return;
        }

        const uint32_t i = list.at[list.n - 1 - k];

        if (take_model(repeats, i, failing[i]) && !is_known(repeats, i)) {
            keep_model(repeats);
            n_kept++;
        }
    }
}
