/* From a member of an instance to what is associated with it. */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <string.h>

/* ---- links -------------------------------------------------------------------------- */

void mpl_link_match(struct mpl_instance_view *view, const struct mpl_bound *base,
                    const struct mpl_span_filter *filter, struct mpl_bound *bound)
{
    const struct mpl_recognition *r = view->r;
    const uint32_t message = mpl_bound_message(r, base, filter);

    bound->kind = MPL_BOUND_ABSENT;
    if (message == MPL_NONE) {
        return;
    }

    const struct mpl_end partner =
        mpl_match_partner(mpl_events_match(r->events), base->location, message);

    if (partner.message == MPL_NONE) {
        return;
    }
    bound->kind = MPL_BOUND_SPAN;
    bound->has_no_message = false;
    bound->has_no_end = false;
    bound->location = partner.location;
    bound->at = mpl_events_span_of_message(r->events, partner.location, partner.message);
    bound->message = partner.message;
    if (bound->at == MPL_NONE) {
        bound->kind = MPL_BOUND_ABSENT;
    }
}

/* ---- instances around spans ----------------------------------------------------------------- */

bool mpl_instances_make_spans(struct mpl_recognition *r, uint32_t event)
{
    struct mpl_instances *instances = &r->instances[event];
    struct mpl_range *spans;
    uint32_t *segment_of;

    if (instances->spans != NULL) {
        return true;
    }
    if (r->is_copy) {
        r->lack = (struct mpl_lack){ true, event, MPL_NONE };
        return false;
    }
    spans = MPL_NEW_ARRAY(r->arena, instances->n, struct mpl_range);
    segment_of = MPL_NEW_ARRAY(r->arena, r->model->n_locations, uint32_t);
    if (spans == NULL || segment_of == NULL) {
        return false;
    }
    for (uint32_t l = 0; l < r->model->n_locations; l++) {
        segment_of[l] = MPL_NONE;
    }
    for (uint32_t s = 0; s < instances->n_segments; s++) {
        const struct mpl_segment *segment = &instances->segments[s];

        segment_of[segment->location] = s;
        for (uint32_t i = 0; i < segment->n; i++) {
            spans[segment->first + i] = mpl_segment_spans(r, event, segment, i);
        }
    }
    instances->spans = spans;
    instances->segment_of = segment_of;
    return true;
}

/* How many begin at or before \p first. Rows that follow each other ask for neighbours: \p near is an answer before. */
static uint32_t count_begun(const struct mpl_range *spans, uint32_t n, uint32_t first,
                            uint32_t near)
{
    uint32_t low = near;
    uint32_t high = near;
    uint32_t step = 1;

    if (near > 0 && spans[near - 1].first > first) {
        high--;
        while (high > step && spans[high - step].first > first) {
            high -= step;
            step *= 2;
        }
        low = high > step ? high - step + 1 : 0;
    } else {
        while (n - low >= step && spans[low + step - 1].first <= first) {
            low += step;
            step *= 2;
        }
        high = n - low >= step ? low + step - 1 : n;
    }
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (spans[middle].first <= first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The last instance that begins at or before the span, if it ends at or behind it. */
static void find_containing(const struct mpl_instances *instances, struct mpl_range inside,
                            uint32_t location, uint32_t *near, struct mpl_bound *bound)
{
    const uint32_t number = instances->segment_of[location];
    const struct mpl_segment *segment =
        number == MPL_NONE ? NULL : &instances->segments[number];

    if (segment == NULL || segment->n == 0) {
        return;
    }

    const struct mpl_range *spans = instances->spans + segment->first;
    const uint32_t n = count_begun(spans, segment->n, inside.first, near[number]);

    near[number] = n;
    if (n > 0 && spans[n - 1].end >= inside.end) {
        *bound = (struct mpl_bound){ .kind = MPL_BOUND_INSTANCE,
                                     .location = location,
                                     .at = n - 1,
                                     .message = MPL_NONE };
    }
}

/* ---- spans that links begin with -------------------------------------------------------------- */

/*
 * Where a link along a location starts: before the first, or behind the last span of its base, which is known.
 * MPL_NONE when there is no base.
 */
static uint32_t start_of(const struct mpl_instance_view *view, uint32_t i, uint32_t name,
                         bool is_next, uint32_t *location)
{
    const struct mpl_row *row = &view->rows[i];
    struct mpl_bound base = { .kind = MPL_BOUND_SPAN, .location = row->location };

    if (name >= view->definition->n_members ||
        view->definition->members[name].beside != 0) {
        base = view->bounds[name][i];
    } else {
        const uint32_t word = view->instances->word_of[name];
        const uint32_t n = mpl_row_count(row, word);

        if (n == 0) {
            return MPL_NONE;
        }
        base.at = mpl_row_item(row, word, is_next ? n - 1 : 0);
        if (view->definition->members[name].filter.event != MPL_NONE) {
            base.kind = MPL_BOUND_INSTANCE;
        }
    }
    *location = base.location;
    if (base.kind == MPL_BOUND_INSTANCE) {
        const struct mpl_range spans = mpl_bound_spans(view, name, &base);

        return is_next ? spans.end : spans.first;
    }
    return base.kind == MPL_BOUND_SPAN ? base.at : MPL_NONE;
}

/* The first and the last span that the search may come to; false when it has no end to go by. */
static bool find_room(const struct mpl_instance_view *view, uint32_t i,
                      const struct mpl_associated *associated, uint32_t location,
                      struct mpl_range *room)
{
    const bool is_next = associated->link == MPL_LINK_NEXT;
    uint32_t at;
    uint32_t there = 0;

    *room = (struct mpl_range){ 0, MPL_NONE - 1 };
    if (associated->stop == MPL_NONE) {
        return true;
    }
    at = start_of(view, i, associated->stop, !is_next, &there);
    if (at == MPL_NONE || there != location) {
        return false;
    }
    if (is_next) {
        room->end = at == 0 ? 0 : at - 1;
    } else {
        room->first = at + 1;
    }
    return true;
}

/* ---- along a location -------------------------------------------------------------------- */

/* Rows whose link is being followed, and where each has come to. */
struct walk {
    struct mpl_instance_view *view;
    uint32_t number;
    const struct mpl_associated *associated;
    struct mpl_bound *bounds;
    mpl_row_set rows;
    uint32_t at[MPL_FORMULA_ROWS];
    struct mpl_range room[MPL_FORMULA_ROWS];
};

static void start(struct walk *walk, const uint64_t *wanted)
{
    const bool is_next = walk->associated->link == MPL_LINK_NEXT;
    struct mpl_rows rows;

    mpl_rows_list(wanted, &rows);
    memcpy(walk->rows, wanted, sizeof walk->rows);
    for (uint32_t k = 0; k < rows.n; k++) {
        const uint32_t i = rows.at[k];
        uint32_t location = 0;

        walk->at[i] = start_of(walk->view, i, walk->associated->base, is_next, &location);
        walk->bounds[i].kind = MPL_BOUND_ABSENT;
        walk->bounds[i].location = location;
        if (walk->at[i] == MPL_NONE ||
            !find_room(walk->view, i, walk->associated, location, &walk->room[i])) {
            mpl_row_leave_out(walk->rows, i);
        }
    }
}

/* The next span of each row that the link may lead to. False: no row has one. */
static bool step(struct walk *walk)
{
    const bool is_next = walk->associated->link == MPL_LINK_NEXT;
    struct mpl_rows rows;
    uint64_t any = 0;

    mpl_rows_list(walk->rows, &rows);
    mpl_finder_find(walk->view, walk->number, &rows, walk->bounds, is_next, walk->at);
    for (uint32_t k = 0; k < rows.n; k++) {
        const uint32_t i = rows.at[k];
        struct mpl_bound *bound = &walk->bounds[i];
        const uint32_t at = walk->at[i];

        if (at == MPL_NONE || at < walk->room[i].first || at > walk->room[i].end) {
            bound->kind = MPL_BOUND_ABSENT;
            mpl_row_leave_out(walk->rows, i);
        } else {
            mpl_view_bind_span(walk->view, bound->location, at, bound);
        }
    }
    for (uint32_t w = 0; w < MPL_FORMULA_ROW_WORDS; w++) {
        any |= walk->rows[w];
    }
    return any != 0 && !walk->view->has_no_memory;
}

/* The name stands for something else than a moment ago: what was read of it does not count. */
static void forget_fields(struct walk *walk, const uint64_t *rows)
{
    const struct mpl_instance_view *view = walk->view;
    const uint32_t name = view->definition->n_members + walk->number;
    size_t n;
    const uint32_t *slots = mpl_formula_scalars(walk->associated->where, &n);

    for (size_t i = 0; i < n; i++) {
        for (uint32_t w = 0; w < MPL_FORMULA_ROW_WORDS; w++) {
            if (view->definition->slots[slots[i]].name == name) {
                view->is_read[slots[i]][w] &= ~rows[w];
            }
        }
    }
}

static void follow_along(struct mpl_instance_view *view, uint32_t number,
                         const uint64_t *rows)
{
    const struct mpl_associated *associated = &view->definition->associated[number];
    struct walk walk = { .view = view,
                         .number = number,
                         .associated = associated,
                         .bounds = view->bounds[view->definition->n_members + number] };
    struct mpl_rows left;

    start(&walk, rows);
    if (associated->where == NULL) {
        (void) step(&walk);
        return;
    }
    for (int c = 0; c < MPL_LINK_CANDIDATES && step(&walk); c++) {
        mpl_row_set fitting;

        forget_fields(&walk, walk.rows);
        memcpy(fitting, walk.rows, sizeof fitting);
        mpl_view_test_link(view, number, fitting);
        for (uint32_t w = 0; w < MPL_FORMULA_ROW_WORDS; w++) {
            walk.rows[w] &= ~fitting[w];
        }
        forget_fields(&walk, walk.rows);
    }
    mpl_rows_list(walk.rows, &left);
    for (uint32_t k = 0; k < left.n; k++) {
        walk.bounds[left.at[k]].kind = MPL_BOUND_ABSENT;
    }
}

/* ---- all links ----------------------------------------------------------------------------- */

static void follow_match(struct mpl_instance_view *view,
                         const struct mpl_associated *associated,
                         const struct mpl_rows *rows, struct mpl_bound *bounds)
{
    const struct mpl_span_filter *filter =
        mpl_event_name_filter(view->definition, associated->base);
    const struct mpl_bound *bases = view->bounds[associated->base];

    for (uint32_t k = 0; k < rows->n; k++) {
        const uint32_t i = rows->at[k];

        bounds[i].kind = MPL_BOUND_ABSENT;
        if (bases[i].kind != MPL_BOUND_ABSENT) {
            mpl_link_match(view, &bases[i], filter, &bounds[i]);
        }
    }
}

static void follow_containing(struct mpl_instance_view *view, uint32_t number,
                              const struct mpl_rows *rows, struct mpl_bound *bounds)
{
    const struct mpl_associated *associated = &view->definition->associated[number];
    const struct mpl_instances *instances = &view->r->instances[associated->filter.event];
    const struct mpl_bound *bases = view->bounds[associated->base];
    uint32_t **near = &view->near_instance[number];

    if (*near == NULL) {
        *near = MPL_NEW_ARRAY(view->arena, instances->n_segments, uint32_t);
    }
    if (*near == NULL || !mpl_instances_make_spans(view->r, associated->filter.event)) {
        view->has_no_memory = true;
        return;
    }
    for (uint32_t k = 0; k < rows->n; k++) {
        const uint32_t i = rows->at[k];

        bounds[i].kind = MPL_BOUND_ABSENT;
        if (bases[i].kind != MPL_BOUND_ABSENT) {
            find_containing(instances, mpl_bound_spans(view, associated->base, &bases[i]),
                            bases[i].location, *near, &bounds[i]);
        }
    }
}

/* Names of members are read from the rows themselves, but for those on other locations. */
static bool is_bound_first(const struct mpl_instance_view *view, uint32_t name)
{
    return name != MPL_NONE && (name >= view->definition->n_members ||
                                view->definition->members[name].beside != 0);
}

void mpl_link_follow(struct mpl_instance_view *view, uint32_t number, const uint64_t *rows)
{
    const struct mpl_associated *associated = &view->definition->associated[number];
    const bool is_along = mpl_link_is_along(associated->link);

    if (!is_along || is_bound_first(view, associated->base)) {
        mpl_view_bind(view, associated->base, rows);
    }
    if (is_along && is_bound_first(view, associated->stop)) {
        mpl_view_bind(view, associated->stop, rows);
    }
    if (view->has_no_memory) {
        return;
    }
    if (is_along) {
        follow_along(view, number, rows);
        return;
    }

    struct mpl_bound *bounds = view->bounds[view->definition->n_members + number];
    struct mpl_rows list;

    mpl_rows_list(rows, &list);
    if (associated->link == MPL_LINK_MATCH) {
        follow_match(view, associated, &list, bounds);
    } else {
        follow_containing(view, number, &list, bounds);
    }
}
