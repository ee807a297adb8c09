/*
 * What the members and associated events of some instances are. Names are resolved when somebody reads them, for all
 * instances for which he does so, and kept until the next instances.
 */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <string.h>

/* ---- views --------------------------------------------------------------------------- */

/* Whether what the name stands for can have messages or be a collective, and they count. */
static bool can_talk(const struct mpl_event_definition *definition, uint32_t name)
{
    if (name < definition->n_members) {
        const struct mpl_member *member = &definition->members[name];

        return member->occurs.is_used && member->beside == 0 &&
               (mpl_filter_has_messages(&member->filter) ||
                mpl_filter_has_collectives(&member->filter));
    }
    return definition->associated[name - definition->n_members].is_explained;
}

bool mpl_view_asks_what_came_first(const struct mpl_pattern *pattern)
{
    for (uint32_t e = 0; e < pattern->n_events; e++) {
        for (uint32_t i = 0; i < pattern->events[e].n_slots; i++) {
            if (pattern->events[e].slots[i].relation != MPL_SLOT_FIELD) {
                return true;
            }
        }
    }
    return false;
}

static bool make_room(struct mpl_instance_view *view, struct mpl_arena *arena)
{
    const struct mpl_event_definition *definition = view->definition;
    const size_t n_names = definition->n_members + definition->n_associated;

    view->is_bound = MPL_NEW_ARRAY(arena, n_names, mpl_row_set);
    view->is_read = MPL_NEW_ARRAY(arena, definition->n_slots, mpl_row_set);
    view->is_valued = MPL_NEW_ARRAY(arena, definition->n_attributes, mpl_row_set);
    view->bounds = MPL_NEW_ARRAY(arena, n_names, struct mpl_bound *);
    view->scalars = MPL_NEW_ARRAY(arena, definition->n_slots, double *);
    view->lists = MPL_NEW_ARRAY(arena, definition->n_slots, struct mpl_list *);
    view->attributes = MPL_NEW_ARRAY(arena, definition->n_attributes, double *);
    view->items = MPL_NEW_ARRAY(arena, definition->n_slots, struct mpl_buf);
    view->temps = MPL_NEW_ARRAY(arena,
                                (size_t) definition->n_attributes +
                                    definition->n_associated + definition->n_constraints,
                                double *);
    view->near_instance = MPL_NEW_ARRAY(arena, definition->n_associated, uint32_t *);
    view->talking = MPL_NEW_ARRAY(arena, n_names, uint32_t);
    return view->is_bound != NULL && view->is_read != NULL && view->is_valued != NULL &&
           view->bounds != NULL && view->scalars != NULL && view->lists != NULL &&
           view->attributes != NULL && view->items != NULL && view->temps != NULL &&
           view->near_instance != NULL && view->talking != NULL && mpl_shapes_prepare(view);
}

struct mpl_instance_view *mpl_view_open(struct mpl_recognition *r, uint32_t event,
                                        size_t n_most, struct mpl_arena *arena)
{
    const struct mpl_event_definition *definition = &r->pattern->events[event];
    struct mpl_instance_view *view = MPL_NEW(arena, struct mpl_instance_view);

    if (view == NULL) {
        return NULL;
    }
    view->r = r;
    view->event = event;
    view->definition = definition;
    view->instances = &r->instances[event];
    view->arena = arena;
    view->n_most = n_most < MPL_FORMULA_ROWS ? (uint32_t) n_most : MPL_FORMULA_ROWS;
    view->rows = MPL_NEW_ARRAY(arena, view->n_most, struct mpl_row);
    view->alike = MPL_NEW_ARRAY(arena, view->n_most, uint16_t);
    view->has_relations = mpl_view_asks_what_came_first(r->pattern);
    if (view->rows == NULL || view->alike == NULL || !make_room(view, arena)) {
        return NULL;
    }
    for (uint32_t i = 0; i < definition->n_slots; i++) {
        view->items[i] = mpl_buf_make(sizeof(double));
    }
    view->spans = mpl_buf_make(sizeof(uint32_t));
    for (uint32_t name = 0; name < definition->n_members + definition->n_associated;
         name++) {
        if (can_talk(definition, name)) {
            view->talking[view->n_talking++] = name;
            view->n_talking_members += name < definition->n_members;
        }
    }
    return view;
}

void mpl_view_close(struct mpl_instance_view *view)
{
    if (view == NULL) {
        return;
    }
    for (uint32_t i = 0; i < view->definition->n_slots; i++) {
        mpl_buf_free(&view->items[i]);
    }
    mpl_buf_free(&view->spans);
}

static void forget(mpl_row_set *known, size_t n)
{
    if (n > 0) {
        memset(known, 0, n * sizeof *known);
    }
}

void mpl_view_begin(struct mpl_instance_view *view, uint32_t n, const struct mpl_near *near)
{
    const struct mpl_event_definition *definition = view->definition;

    mpl_assert(n > 0 && n <= view->n_most);
    view->n = n;
    view->near = near;
    view->n_alike = 0;
    forget(view->is_bound, definition->n_members + definition->n_associated);
    forget(view->is_read, definition->n_slots);
    forget(view->is_valued, definition->n_attributes);
    for (uint32_t i = 0; i < definition->n_slots; i++) {
        view->items[i].n = 0;
    }
    mpl_view_go(view, 0);
}

void mpl_view_fill(struct mpl_instance_view *view, size_t first, size_t n)
{
    const struct mpl_segment *segment = mpl_instances_segment(view->instances, first);
    const uint32_t n_rows = n < view->n_most ? (uint32_t) n : view->n_most;

    for (uint32_t i = 0; i < n_rows; i++) {
        while (first + i >= segment->first + segment->n) {
            segment++;
        }

        view->rows[i] = mpl_segment_row(view->instances, segment,
                                        (uint32_t) (first + i - segment->first));
    }
    mpl_view_begin(view, n_rows, NULL);
}

void mpl_view_go(struct mpl_instance_view *view, uint32_t at)
{
    view->at = at;
    view->row = view->rows[at];
}

/* ---- names ------------------------------------------------------------------------------- */

const struct mpl_span_filter *
mpl_event_name_filter(const struct mpl_event_definition *event, uint32_t name)
{
    return name < event->n_members ? &event->members[name].filter
                                   : &event->associated[name - event->n_members].filter;
}

void mpl_view_bind_span(const struct mpl_instance_view *view, uint32_t location,
                        uint32_t at, struct mpl_bound *bound)
{
    bound->kind = MPL_BOUND_SPAN;
    bound->has_no_message = false;
    bound->has_no_end = false;
    bound->location = location;
    bound->at = at;
    bound->message = MPL_NONE;
    if (view->near != NULL && location == view->near->location) {
        const uint32_t end = at % 2 == 0 ? MPL_NONE : view->near->ends[at / 2];
        const bool is_message = end < view->r->model->locations[location].n_messages;

        bound->has_no_end = end == MPL_NONE;
        bound->has_no_message = !is_message && end != MPL_MANY_ENDS;
        bound->message = is_message ? end : MPL_NONE;
    }
}

static void bind_item_of(const struct mpl_instance_view *view, const struct mpl_row *row,
                         uint32_t member, uint32_t i, struct mpl_bound *bound)
{
    const uint32_t word = view->instances->word_of[member];

    if (word == MPL_NONE || i >= mpl_row_count(row, word)) {
        bound->kind = MPL_BOUND_ABSENT;
        return;
    }
    mpl_view_bind_span(view, row->location, mpl_row_item(row, word, i), bound);
    if (view->definition->members[member].filter.event != MPL_NONE) {
        bound->kind = MPL_BOUND_INSTANCE;
    }
}

static void bind_members(struct mpl_instance_view *view, uint32_t member,
                         const uint64_t *wanted)
{
    struct mpl_bound *bounds = view->bounds[member];
    struct mpl_rows rows;

    mpl_rows_list(wanted, &rows);
    if (view->definition->members[member].beside != 0) {
        /* Members on other locations are found for one row after the other. */
        const uint32_t at = view->at;

        for (uint32_t k = 0; k < rows.n; k++) {
            mpl_view_go(view, rows.at[k]);
            mpl_view_bind_beside(view, member, &view->bounds[member][rows.at[k]]);
        }
        mpl_view_go(view, at);
        return;
    }
    for (uint32_t k = 0; k < rows.n; k++) {
        const uint32_t i = rows.at[k];

        bind_item_of(view, &view->rows[i], member, 0, &bounds[i]);
    }
}

void mpl_view_bind(struct mpl_instance_view *view, uint32_t name, const uint64_t *rows)
{
    mpl_row_set missing;

    if (!mpl_rows_add(view->is_bound[name], rows, missing)) {
        return;
    }
    if (view->bounds[name] == NULL) {
        view->bounds[name] = MPL_NEW_ARRAY(view->arena, view->n_most, struct mpl_bound);
        view->has_no_memory = view->has_no_memory || view->bounds[name] == NULL;
    }
    if (view->has_no_memory) {
        return;
    }
    if (name < view->definition->n_members) {
        bind_members(view, name, missing);
    } else {
        mpl_link_follow(view, name - view->definition->n_members, missing);
    }
}

struct mpl_bound *mpl_view_bound(struct mpl_instance_view *view, uint32_t name)
{
    static struct mpl_bound absent;
    mpl_row_set alone = { 0 };

    if (!mpl_row_is_in(view->is_bound[name], view->at)) {
        alone[view->at / 64] = UINT64_C(1) << view->at % 64;
        mpl_view_bind(view, name, alone);
    }
    return view->bounds[name] == NULL ? &absent : &view->bounds[name][view->at];
}

/* The i-th thing that a list name stands for: of a repeated member, or the match of one. */
void mpl_view_bind_item(struct mpl_instance_view *view, const struct mpl_row *row,
                        uint32_t name, uint32_t i, struct mpl_bound *bound)
{
    const struct mpl_event_definition *definition = view->definition;

    if (name < definition->n_members) {
        bind_item_of(view, row, name, i, bound);
        return;
    }

    const uint32_t base_name = definition->associated[name - definition->n_members].base;
    struct mpl_bound base;

    mpl_view_bind_item(view, row, base_name, i, &base);
    bound->kind = MPL_BOUND_ABSENT;
    if (base.kind == MPL_BOUND_SPAN) {
        mpl_link_match(view, &base, mpl_event_name_filter(definition, base_name), bound);
    }
}

uint32_t mpl_view_list_word(const struct mpl_instance_view *view, uint32_t name)
{
    while (name >= view->definition->n_members) {
        name = view->definition->associated[name - view->definition->n_members].base;
    }
    return view->instances->word_of[name];
}

/* ---- all that a name stands for -------------------------------------------------------------- */

bool mpl_view_each(struct mpl_instance_view *view, uint32_t name, mpl_bound_visit *visit,
                   void *context)
{
    if (!mpl_event_name_is_list(view->definition, name)) {
        return mpl_view_bound(view, name)->kind != MPL_BOUND_SPAN ||
               visit(context, name, mpl_view_bound(view, name));
    }

    const uint32_t n = mpl_row_count(&view->row, mpl_view_list_word(view, name));

    for (uint32_t i = 0; i < n; i++) {
        struct mpl_bound bound;

        mpl_view_bind_item(view, &view->row, name, i, &bound);
        if (bound.kind == MPL_BOUND_SPAN && !visit(context, name, &bound)) {
            return false;
        }
    }
    return true;
}

struct visitor {
    const struct mpl_instance_view *view;
    mpl_end_visit *visit;
    void *context;
};

/* An end is a message of the location or, numbered behind them, a collective. False: the visitor wants no more. */
bool mpl_view_span_ends(const struct mpl_instance_view *view, uint32_t name,
                        uint32_t location, uint32_t at, mpl_end_visit *visit, void *context)
{
    const struct mpl_recognition *r = view->r;
    const struct mpl_span_filter *filter = mpl_event_name_filter(view->definition, name);
    struct mpl_messages messages;

    if (at % 2 == 0) {
        return true;
    }
    if (mpl_filter_has_collectives(filter)) {
        struct mpl_call_about about;

        mpl_events_call_about(r->events, location, at / 2, &about);
        if (about.collective != MPL_NONE &&
            mpl_topology_counts_collective(r->events, location, about.collective) &&
            !visit(context, location,
                   r->model->locations[location].n_messages + about.collective)) {
            return false;
        }
    }
    messages = mpl_events_messages(r->events, location, at / 2);
    for (uint32_t i = 0; i < messages.n; i++) {
        const uint32_t message = mpl_messages_get(&messages, i);

        if (mpl_filter_wants_message(r, filter, location, message) &&
            !visit(context, location, message)) {
            return false;
        }
    }
    return true;
}

static bool visit_ends(void *context, uint32_t name, struct mpl_bound *bound)
{
    const struct visitor *visitor = context;

    if (bound->message != MPL_NONE) {
        return visitor->visit(visitor->context, bound->location, bound->message);
    }
    return bound->has_no_end ||
           mpl_view_span_ends(visitor->view, name, bound->location, bound->at,
                              visitor->visit, visitor->context);
}

bool mpl_view_ends(struct mpl_instance_view *view, uint32_t name, mpl_end_visit *visit,
                   void *context)
{
    struct visitor visitor = { view, visit, context };

    return mpl_view_each(view, name, visit_ends, &visitor);
}
