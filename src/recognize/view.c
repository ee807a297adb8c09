/*
 * One instance at a time: what its members and associated events are, and what its formulas give.
 * Names are resolved when a formula reads them and kept until the next instance.
 */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <math.h>
#include <string.h>

/* ---- words ------------------------------------------------------------------------ */

uint32_t mpl_word_count(uint32_t word, const uint32_t *lists)
{
    if (word == MPL_NONE) {
        return 0;
    }
    return (word & MPL_WORD_LIST) == 0 ? 1 : lists[word & ~MPL_WORD_LIST];
}

uint32_t mpl_word_item(uint32_t word, const uint32_t *lists, uint32_t i)
{
    return (word & MPL_WORD_LIST) == 0 ? word : lists[(word & ~MPL_WORD_LIST) + 1 + i];
}

const struct mpl_segment *mpl_instances_find(const struct mpl_instances *instances,
                                             uint32_t location)
{
    uint32_t low = 0;
    uint32_t high = instances->n_segments;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (instances->segments[middle].location < location) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < instances->n_segments && instances->segments[low].location == location
               ? &instances->segments[low]
               : NULL;
}

static struct mpl_range spans_of_item(const struct mpl_recognition *r, uint32_t inner,
                                      uint32_t location, uint32_t item)
{
    if (inner == MPL_NONE) {
        return (struct mpl_range){ item, item };
    }

    const struct mpl_instances *instances = &r->instances[inner];
    const struct mpl_segment *segment = mpl_instances_find(instances, location);

    return mpl_instance_spans(r, inner, location,
                              segment->words + (size_t) item * instances->stride,
                              segment->lists);
}

struct mpl_range mpl_instance_spans(const struct mpl_recognition *r, uint32_t event,
                                    uint32_t location, const uint32_t *words,
                                    const uint32_t *lists)
{
    const struct mpl_event_definition *definition = &r->pattern->events[event];
    const struct mpl_instances *instances = &r->instances[event];
    struct mpl_range range = { MPL_NONE, 0 };

    for (uint32_t m = 0; m < definition->n_members; m++) {
        if (instances->word_of[m] == MPL_NONE) {
            continue;
        }

        const uint32_t inner = definition->members[m].filter.event;
        const uint32_t word = words[instances->word_of[m]];
        const uint32_t n = mpl_word_count(word, lists);

        if (n == 0) {
            continue;
        }

        /* What a member stands for ascends, so the first and the last are enough. */
        const struct mpl_range first =
            spans_of_item(r, inner, location, mpl_word_item(word, lists, 0));
        const struct mpl_range last =
            n == 1 ? first
                   : spans_of_item(r, inner, location, mpl_word_item(word, lists, n - 1));

        range.first = first.first < range.first ? first.first : range.first;
        range.end = last.end > range.end ? last.end : range.end;
    }
    return range;
}

/* ---- views --------------------------------------------------------------------------- */

struct mpl_view *mpl_view_open(struct mpl_recognition *r, uint32_t event,
                               struct mpl_arena *arena)
{
    const struct mpl_event_definition *definition = &r->pattern->events[event];
    struct mpl_view *view = MPL_NEW(arena, struct mpl_view);
    const size_t n_names = definition->n_members + definition->n_associated;

    if (view == NULL) {
        return NULL;
    }
    view->r = r;
    view->event = event;
    view->definition = definition;
    view->instances = &r->instances[event];
    view->bounds = MPL_NEW_ARRAY(arena, n_names, struct mpl_bound);
    view->scalars = MPL_NEW_ARRAY(arena, definition->n_slots, double);
    view->values = MPL_NEW_ARRAY(arena, definition->n_slots, struct mpl_list);
    view->items = MPL_NEW_ARRAY(arena, definition->n_slots, struct mpl_buf);
    if (view->bounds == NULL || view->scalars == NULL || view->values == NULL ||
        view->items == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < definition->n_slots; i++) {
        view->items[i] = mpl_buf_make(sizeof(double));
    }
    return view;
}

void mpl_view_close(struct mpl_view *view)
{
    for (uint32_t i = 0; view != NULL && i < view->definition->n_slots; i++) {
        mpl_buf_free(&view->items[i]);
    }
}

struct mpl_view *mpl_view_borrow(struct mpl_recognition *r, uint32_t event)
{
    struct mpl_instances *instances = &r->instances[event];
    struct mpl_view *view = instances->view;

    if (view == NULL || view->is_busy) {
        view = mpl_view_open(r, event, r->arena);
        if (instances->view == NULL) {
            instances->view = view;
        }
    }
    if (view != NULL) {
        view->is_busy = true;
        view->has_no_memory = false;
    }
    return view;
}

void mpl_view_return(struct mpl_view *view)
{
    mpl_view_close(view);
    view->is_busy = false;
}

void mpl_view_set(struct mpl_view *view, uint32_t location, uint32_t number,
                  const uint32_t *words, const uint32_t *lists)
{
    const uint32_t n_names = view->definition->n_members + view->definition->n_associated;

    view->location = location;
    view->number = number;
    view->words = words;
    view->lists = lists;
    for (uint32_t i = 0; i < n_names; i++) {
        view->bounds[i].kind = MPL_BOUND_UNKNOWN;
    }
}

const struct mpl_span *mpl_bound_span(const struct mpl_recognition *r,
                                      struct mpl_bound *bound)
{
    if (!bound->has_span) {
        bound->span = mpl_events_span(r->events, bound->location, bound->at);
        bound->has_span = true;
    }
    return &bound->span;
}

/* ---- links ------------------------------------------------------------------------------ */

enum { LOOK_AROUND = 64 };

static bool takes(const struct mpl_recognition *r, const struct mpl_filter *filter,
                  uint32_t location, uint32_t at, struct mpl_span *span)
{
    const enum mpl_primitive_test test = mpl_primitive_row(filter->primitive)->test;

    /* Even spans are computation; all others but regions are calls. */
    if (test != MPL_TEST_REGION && (at % 2 == 0) != (test == MPL_TEST_COMPUTE)) {
        return false;
    }
    *span = mpl_events_span(r->events, location, at);
    return mpl_filter_takes(r, filter, location, span) &&
           mpl_filter_holds(r, filter, location, span);
}

/* All spans of the location that the link may lead to. */
static const struct mpl_finder *make_finder(struct mpl_view *view, uint32_t number,
                                            uint32_t location)
{
    struct mpl_recognition *r = view->r;
    struct mpl_finder ***slot = &r->finders[view->event][number].of_location;
    const struct mpl_range range = mpl_recognition_spans(r, location);
    struct mpl_buf spans = mpl_buf_make(sizeof(uint32_t));
    struct mpl_finder *finder = MPL_NEW(r->arena, struct mpl_finder);
    struct mpl_span span;

    if (*slot == NULL) {
        *slot = MPL_NEW_ARRAY(r->arena, r->model->n_locations, struct mpl_finder *);
    }
    for (uint32_t at = range.first; at < range.end && !view->has_no_memory; at++) {
        if (takes(r, &view->definition->associated[number].filter, location, at, &span)) {
            uint32_t *item = mpl_buf_add(&spans);

            if (item == NULL) {
                view->has_no_memory = true;
            } else {
                *item = at;
            }
        }
    }
    if (!view->has_no_memory && finder != NULL && *slot != NULL) {
        finder->n = (uint32_t) spans.n;
        finder->spans = mpl_buf_take(&spans, r->arena);
        (*slot)[location] = finder;
    }
    mpl_buf_free(&spans);
    view->has_no_memory = view->has_no_memory || finder == NULL || finder->spans == NULL;
    return view->has_no_memory ? NULL : finder;
}

/* Position of the first span of the finder that is not before \p at. */
static uint32_t position_in(const struct mpl_finder *finder, uint32_t at)
{
    uint32_t low = 0;
    uint32_t high = finder->n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (finder->spans[middle] < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Too far away for looking around: by search in a list of all that fit. */
static void find_far(struct mpl_view *view, uint32_t number, uint32_t from, bool is_next,
                     struct mpl_bound *bound)
{
    struct mpl_finder *const *known = view->r->finders[view->event][number].of_location;
    const struct mpl_finder *finder = known == NULL ? NULL : known[bound->location];

    if (finder == NULL) {
        finder = make_finder(view, number, bound->location);
    }
    if (finder == NULL) {
        return;
    }

    const uint32_t position = position_in(finder, is_next ? from + 1 : from);

    if (is_next ? position < finder->n : position > 0) {
        bound->kind = MPL_BOUND_SPAN;
        bound->at = finder->spans[is_next ? position : position - 1];
        bound->has_span = false;
    }
}

/* The nearest fitting span beyond span \p from of bound->location. */
static void find_near(struct mpl_view *view, uint32_t number, uint32_t from, bool is_next,
                      struct mpl_bound *bound)
{
    const struct mpl_recognition *r = view->r;
    const struct mpl_filter *filter = &view->definition->associated[number].filter;
    const struct mpl_range range = mpl_recognition_spans(r, bound->location);
    uint32_t at = from;

    for (int looked = 0; looked < LOOK_AROUND; looked++) {
        if (is_next ? at + 1 >= range.end : at <= range.first) {
            return;
        }
        at += is_next ? 1 : UINT32_MAX;
        if (takes(r, filter, bound->location, at, &bound->span)) {
            bound->kind = MPL_BOUND_SPAN;
            bound->at = at;
            bound->has_span = true;
            return;
        }
    }
    find_far(view, number, from, is_next, bound);
}

static void follow_match(struct mpl_view *view, struct mpl_bound *base,
                         const struct mpl_filter *filter, struct mpl_bound *bound)
{
    const struct mpl_recognition *r = view->r;
    const uint32_t message =
        base->message != MPL_NONE
            ? base->message
            : mpl_filter_message(r, filter, base->location, mpl_bound_span(r, base));

    if (message == MPL_NONE) {
        return;
    }

    const struct mpl_end partner =
        mpl_match_partner(r->model, mpl_events_match(r->events), base->location, message);

    if (partner.message == MPL_NONE) {
        return;
    }
    bound->at = mpl_events_span_of_message(r->events, partner.location, partner.message);
    if (bound->at != MPL_NONE) {
        bound->kind = MPL_BOUND_SPAN;
        bound->location = partner.location;
        bound->message = partner.message;
    }
}

/* The last instance that begins at or before the span, if it ends at or behind it. */
static void find_containing(struct mpl_view *view, uint32_t event, struct mpl_range inside,
                            struct mpl_bound *bound)
{
    const struct mpl_instances *instances = &view->r->instances[event];
    const struct mpl_segment *segment = mpl_instances_find(instances, bound->location);
    uint32_t low = 0;
    uint32_t high = segment == NULL ? 0 : segment->n;
    struct mpl_range spans = { 0, 0 };

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        spans = mpl_instance_spans(view->r, event, bound->location,
                                   segment->words + (size_t) middle * instances->stride,
                                   segment->lists);
        if (spans.first <= inside.first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return;
    }
    spans = mpl_instance_spans(view->r, event, bound->location,
                               segment->words + (size_t) (low - 1) * instances->stride,
                               segment->lists);
    if (spans.end >= inside.end) {
        bound->kind = MPL_BOUND_INSTANCE;
        bound->at = low - 1;
    }
}

static struct mpl_range spans_of_bound(const struct mpl_view *view, uint32_t name,
                                       const struct mpl_bound *bound)
{
    return spans_of_item(view->r,
                         bound->kind == MPL_BOUND_INSTANCE
                             ? mpl_event_name_instance(view->definition, name)
                             : MPL_NONE,
                         bound->location, bound->at);
}

static const struct mpl_filter *filter_of(const struct mpl_event_definition *definition,
                                          uint32_t name)
{
    return name < definition->n_members
               ? &definition->members[name].filter
               : &definition->associated[name - definition->n_members].filter;
}

static void bind_member(struct mpl_view *view, uint32_t member, uint32_t i,
                        struct mpl_bound *bound)
{
    const uint32_t number = view->instances->word_of[member];
    const uint32_t word = number == MPL_NONE ? MPL_NONE : view->words[number];

    bound->location = view->location;
    bound->message = MPL_NONE;
    bound->has_span = false;
    if (i < mpl_word_count(word, view->lists)) {
        bound->at = mpl_word_item(word, view->lists, i);
        bound->kind = view->definition->members[member].filter.event == MPL_NONE
                          ? MPL_BOUND_SPAN
                          : MPL_BOUND_INSTANCE;
    }
}

static void follow(struct mpl_view *view, uint32_t number, struct mpl_bound *bound)
{
    const struct mpl_associated *associated = &view->definition->associated[number];
    const uint32_t name = associated->base;
    struct mpl_bound *base = &view->bounds[name];
    struct mpl_bound last;

    (void) mpl_view_bound(view, name);
    if (base->kind == MPL_BOUND_ABSENT) {
        return;
    }
    bound->location = base->location;
    bound->message = MPL_NONE;
    bound->has_span = false;
    switch (associated->link) {
    case MPL_LINK_MATCH:
        follow_match(view, base, filter_of(view->definition, name), bound);
        break;
    case MPL_LINK_PREVIOUS:
        find_near(view, number, spans_of_bound(view, name, base).first, false, bound);
        break;
    case MPL_LINK_NEXT:
        /* Behind the last of a repeated member. */
        last = *base;
        if (name < view->definition->n_members) {
            const uint32_t word = view->words[view->instances->word_of[name]];

            last.at =
                mpl_word_item(word, view->lists, mpl_word_count(word, view->lists) - 1);
        }
        find_near(view, number, spans_of_bound(view, name, &last).end, true, bound);
        break;
    case MPL_LINK_CONTAINING:
        find_containing(view, associated->filter.event, spans_of_bound(view, name, base),
                        bound);
        break;
    }
}

const struct mpl_bound *mpl_view_bound(struct mpl_view *view, uint32_t name)
{
    struct mpl_bound *bound = &view->bounds[name];

    if (bound->kind == MPL_BOUND_UNKNOWN) {
        bound->kind = MPL_BOUND_ABSENT;
        if (name < view->definition->n_members) {
            bind_member(view, name, 0, bound);
        } else {
            follow(view, name - view->definition->n_members, bound);
        }
    }
    return bound;
}

/* ---- values -------------------------------------------------------------------------------- */

static double instance_attribute(struct mpl_view *view, uint32_t event,
                                 const struct mpl_bound *bound, uint32_t attribute)
{
    const double *column = mpl_recognition_column(view->r, event, attribute);
    const struct mpl_segment *segment =
        mpl_instances_find(&view->r->instances[event], bound->location);

    if (column == NULL || segment == NULL) {
        view->has_no_memory = true;
        return NAN;
    }
    return column[segment->first + bound->at];
}

static double value_of(struct mpl_view *view, const struct mpl_slot *slot,
                       struct mpl_bound *bound)
{
    if (bound->kind == MPL_BOUND_INSTANCE) {
        return instance_attribute(view,
                                  mpl_event_name_instance(view->definition, slot->name),
                                  bound, slot->field);
    }
    if (bound->kind != MPL_BOUND_SPAN) {
        return NAN;
    }
    return mpl_span_field(view->r, filter_of(view->definition, slot->name), bound->location,
                          bound->message, mpl_bound_span(view->r, bound),
                          (enum mpl_field) slot->field);
}

static double scalar_value(struct mpl_view *view, uint32_t number)
{
    const struct mpl_slot *slot = &view->definition->slots[number];

    if (slot->name == MPL_NONE) {
        return mpl_view_attribute(view, slot->field);
    }
    (void) mpl_view_bound(view, slot->name);
    return value_of(view, slot, &view->bounds[slot->name]);
}

/* The i-th thing that a list name stands for: of a repeated member, or the match of one. */
static void bind_item(struct mpl_view *view, uint32_t name, uint32_t i,
                      struct mpl_bound *bound)
{
    const struct mpl_event_definition *definition = view->definition;

    bound->kind = MPL_BOUND_ABSENT;
    if (name < definition->n_members) {
        bind_member(view, name, i, bound);
        return;
    }

    const uint32_t base_name = definition->associated[name - definition->n_members].base;
    struct mpl_bound base;

    bind_item(view, base_name, i, &base);
    bound->location = base.location;
    bound->message = MPL_NONE;
    bound->has_span = false;
    if (base.kind == MPL_BOUND_SPAN) {
        follow_match(view, &base, filter_of(definition, base_name), bound);
    }
}

static void fill_list(struct mpl_view *view, uint32_t number)
{
    const struct mpl_slot *slot = &view->definition->slots[number];
    struct mpl_buf *items = &view->items[number];
    uint32_t member = slot->name;

    while (member >= view->definition->n_members) {
        member = view->definition->associated[member - view->definition->n_members].base;
    }

    const uint32_t word = view->words[view->instances->word_of[member]];
    const uint32_t n = mpl_word_count(word, view->lists);

    items->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct mpl_bound bound;
        double *item = mpl_buf_add(items);

        if (item == NULL) {
            view->has_no_memory = true;
            return;
        }
        bind_item(view, slot->name, i, &bound);
        *item = value_of(view, slot, &bound);
    }
    view->values[number] = (struct mpl_list){ items->data, n };
}

double mpl_view_formula(struct mpl_view *view, const struct mpl_formula *formula)
{
    size_t n;
    const uint32_t *slots = mpl_formula_scalars(formula, &n);

    for (size_t i = 0; i < n; i++) {
        view->scalars[slots[i]] = scalar_value(view, slots[i]);
    }
    slots = mpl_formula_lists(formula, &n);
    for (size_t i = 0; i < n; i++) {
        fill_list(view, slots[i]);
    }
    return view->has_no_memory ? NAN
                               : mpl_formula_eval(formula, view->scalars, view->values);
}

static double own_attribute(struct mpl_view *view, uint32_t attribute)
{
    const struct mpl_recognition *r = view->r;
    const struct mpl_range spans =
        mpl_instance_spans(r, view->event, view->location, view->words, view->lists);
    int64_t enter_ticks;
    int64_t leave_ticks;

    if (attribute == MPL_OWN_LOCATION) {
        return r->model->processes[r->model->locations[view->location].process].rank;
    }
    if (attribute == MPL_OWN_INDEX) {
        return view->number;
    }
    enter_ticks = mpl_events_span(r->events, view->location, spans.first).enter_ticks;
    leave_ticks = mpl_events_span(r->events, view->location, spans.end).leave_ticks;
    if (attribute == MPL_OWN_ENTER) {
        leave_ticks = enter_ticks;
    }
    return mpl_model_seconds(r->model, leave_ticks - (attribute == MPL_OWN_DURATION
                                                          ? enter_ticks
                                                          : r->window.begin_ticks));
}

double mpl_view_attribute(struct mpl_view *view, uint32_t attribute)
{
    const struct mpl_attribute *definition = &view->definition->attributes[attribute];

    return definition->formula == NULL ? own_attribute(view, attribute)
                                       : mpl_view_formula(view, definition->formula);
}

/* ---- all that a name stands for -------------------------------------------------------------- */

bool mpl_view_each(struct mpl_view *view, uint32_t name, mpl_bound_told *told,
                   void *context)
{
    uint32_t member = name;
    uint32_t n;

    if (!mpl_event_name_is_list(view->definition, name)) {
        return mpl_view_bound(view, name)->kind != MPL_BOUND_SPAN ||
               told(context, name, &view->bounds[name]);
    }
    while (member >= view->definition->n_members) {
        member = view->definition->associated[member - view->definition->n_members].base;
    }
    n = mpl_word_count(view->words[view->instances->word_of[member]], view->lists);
    for (uint32_t i = 0; i < n; i++) {
        struct mpl_bound bound;

        bind_item(view, name, i, &bound);
        if (bound.kind == MPL_BOUND_SPAN && !told(context, name, &bound)) {
            return false;
        }
    }
    return true;
}

struct teller {
    const struct mpl_view *view;
    mpl_end_told *told;
    void *context;
};

static bool tell_messages(void *context, uint32_t name, struct mpl_bound *bound)
{
    const struct teller *teller = context;
    const struct mpl_recognition *r = teller->view->r;
    const struct mpl_filter *filter = filter_of(teller->view->definition, name);

    if (bound->message != MPL_NONE) {
        return teller->told(teller->context, bound->location, bound->message);
    }

    const struct mpl_span *span = mpl_bound_span(r, bound);

    for (uint32_t i = 0; i < span->n_messages; i++) {
        const uint32_t message = mpl_events_message(r->events, bound->location, span, i);

        if (mpl_filter_wants_message(r, filter, bound->location, message) &&
            !teller->told(teller->context, bound->location, message)) {
            return false;
        }
    }
    return true;
}

bool mpl_view_messages(struct mpl_view *view, uint32_t name, mpl_end_told *told,
                       void *context)
{
    const struct mpl_event_definition *definition = view->definition;
    const bool is_match =
        name >= definition->n_members &&
        definition->associated[name - definition->n_members].link == MPL_LINK_MATCH;
    struct teller teller = { view, told, context };

    return (!is_match && !mpl_filter_has_messages(filter_of(definition, name))) ||
           mpl_view_each(view, name, tell_messages, &teller);
}
