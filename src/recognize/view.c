/*
 * One instance at a time: what its members and associated events are, and what its formulas give.
 * Names are resolved when a formula reads them and kept until the next instance.
 */
#include "config.h"

#include "recognize/recognition_priv.h"
#include "recognize/topology_priv.h"

#include <math.h>
#include <string.h>

/* ---- segments -------------------------------------------------------------------------- */

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

struct mpl_range mpl_item_spans(const struct mpl_recognition *r, uint32_t inner,
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

/* Without instances inside, an instance's spans are its words. */
static struct mpl_range flat_spans(const struct mpl_instances *instances,
                                   const uint32_t *words, const uint32_t *lists)
{
    struct mpl_range range = { MPL_NONE, 0 };

    for (uint32_t i = 0; i < instances->stride; i++) {
        const uint32_t word = words[i];

        if (word == MPL_NONE) {
            continue;
        }

        /* What a member stands for ascends, so the first and the last are enough. */
        const uint32_t first = mpl_word_item(word, lists, 0);
        const uint32_t last =
            (word & MPL_WORD_LIST) == 0
                ? word
                : mpl_word_item(word, lists, mpl_word_count(word, lists) - 1);

        range.first = first < range.first ? first : range.first;
        range.end = last > range.end ? last : range.end;
    }
    return range;
}

struct mpl_range mpl_instance_spans(const struct mpl_recognition *r, uint32_t event,
                                    uint32_t location, const uint32_t *words,
                                    const uint32_t *lists)
{
    const struct mpl_event_definition *definition = &r->pattern->events[event];
    const struct mpl_instances *instances = &r->instances[event];
    struct mpl_range range = { MPL_NONE, 0 };

    if (instances->is_flat) {
        return flat_spans(instances, words, lists);
    }
    for (uint32_t m = 0; m < definition->n_members; m++) {
        const uint32_t number = instances->word_of[m];
        const uint32_t n = number == MPL_NONE ? 0 : mpl_word_count(words[number], lists);

        if (n == 0) {
            continue;
        }

        const uint32_t inner = definition->members[m].filter.event;
        const uint32_t word = words[number];
        const struct mpl_range first =
            mpl_item_spans(r, inner, location, mpl_word_item(word, lists, 0));
        const struct mpl_range last =
            mpl_item_spans(r, inner, location, mpl_word_item(word, lists, n - 1));

        range.first = first.first < range.first ? first.first : range.first;
        range.end = last.end > range.end ? last.end : range.end;
    }
    return range;
}

/* ---- views --------------------------------------------------------------------------- */

static bool can_be_end(const struct mpl_filter *filter)
{
    return mpl_filter_has_messages(filter) || mpl_filter_has_collectives(filter);
}

/* Whether what the name stands for can have messages or be a collective, and they count. */
static bool can_talk(const struct mpl_event_definition *definition, uint32_t name)
{
    if (name < definition->n_members) {
        return definition->members[name].occurs.is_used &&
               definition->members[name].beside == 0 &&
               can_be_end(&definition->members[name].filter);
    }

    return definition->associated[name - definition->n_members].is_explained;
}

static bool asks_what_came_first(const struct mpl_pattern *pattern)
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

static size_t words_of_slots(const struct mpl_event_definition *definition)
{
    return ((size_t) definition->n_slots + 63) / 64;
}

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
    view->talking = MPL_NEW_ARRAY(arena, n_names, uint32_t);
    view->attributes = MPL_NEW_ARRAY(arena, definition->n_attributes, double);
    view->scalars = MPL_NEW_ARRAY(arena, definition->n_slots, double);
    view->values = MPL_NEW_ARRAY(arena, definition->n_slots, struct mpl_list);
    view->items = MPL_NEW_ARRAY(arena, definition->n_slots, struct mpl_buf);
    view->is_read = MPL_NEW_ARRAY(arena, words_of_slots(definition), uint64_t);
    view->has_relations = asks_what_came_first(r->pattern);
    if (view->talking == NULL || view->bounds == NULL || view->attributes == NULL ||
        view->scalars == NULL || view->values == NULL || view->items == NULL ||
        view->is_read == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < definition->n_slots; i++) {
        view->items[i] = mpl_buf_make(sizeof(double));
    }
    for (uint32_t name = 0; name < n_names; name++) {
        if (can_talk(definition, name)) {
            view->talking[view->n_talking++] = name;
            view->n_talking_members += name < definition->n_members;
        }
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
                  const uint32_t *words, const uint32_t *lists, const struct mpl_near *near)
{
    view->location = location;
    view->number = number;
    view->words = words;
    view->lists = lists;
    view->near = near;
    memset(view->is_bound, 0, sizeof view->is_bound);
    memset(view->is_valued, 0, sizeof view->is_valued);
    memset(view->is_read, 0, words_of_slots(view->definition) * sizeof *view->is_read);
}

/* ---- names ------------------------------------------------------------------------------- */

const struct mpl_filter *mpl_event_name_filter(const struct mpl_event_definition *event,
                                               uint32_t name)
{
    return name < event->n_members ? &event->members[name].filter
                                   : &event->associated[name - event->n_members].filter;
}

void mpl_view_bind_span(const struct mpl_view *view, uint32_t location, uint32_t at,
                        struct mpl_bound *bound)
{
    bound->kind = MPL_BOUND_SPAN;
    bound->has_no_message = false;
    bound->has_no_end = false;
    bound->location = location;
    bound->at = at;
    bound->message = MPL_NONE;
    if (view->near != NULL && location == view->location) {
        const uint32_t end = at % 2 == 0 ? MPL_NONE : view->near->ends[at / 2];
        const bool is_message = end < view->r->model->locations[location].n_messages;

        bound->has_no_end = end == MPL_NONE;
        bound->has_no_message = !is_message && end != MPL_MANY_ENDS;
        bound->message = is_message ? end : MPL_NONE;
    }
}

void mpl_view_bind_member(const struct mpl_view *view, uint32_t member, uint32_t i,
                          struct mpl_bound *bound)
{
    const uint32_t number = view->instances->word_of[member];
    const uint32_t word = number == MPL_NONE ? MPL_NONE : view->words[number];

    if (i >= mpl_word_count(word, view->lists)) {
        bound->kind = MPL_BOUND_ABSENT;
        return;
    }
    mpl_view_bind_span(view, view->location, mpl_word_item(word, view->lists, i), bound);
    if (view->definition->members[member].filter.event != MPL_NONE) {
        bound->kind = MPL_BOUND_INSTANCE;
    }
}

uint32_t mpl_bound_message(const struct mpl_recognition *r, const struct mpl_bound *bound,
                           const struct mpl_filter *filter)
{
    if (bound->message != MPL_NONE || bound->has_no_message) {
        return bound->message;
    }

    return mpl_filter_message_at(r, filter, bound->location, bound->at);
}

void mpl_view_bind(struct mpl_view *view, uint32_t name)
{
    view->is_bound[name / 64] |= UINT64_C(1) << name % 64;
    if (name < view->definition->n_members && view->definition->members[name].beside != 0) {
        mpl_view_bind_beside(view, name, &view->bounds[name]);
    } else if (name < view->definition->n_members) {
        mpl_view_bind_member(view, name, 0, &view->bounds[name]);
    } else {
        mpl_link_follow(view, name - view->definition->n_members, &view->bounds[name]);
    }
}

bool mpl_view_has(struct mpl_view *view, uint32_t name)
{
    return mpl_view_bound(view, name)->kind != MPL_BOUND_ABSENT;
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

double mpl_view_field(struct mpl_view *view, const struct mpl_slot *slot,
                      const struct mpl_bound *bound)
{
    if (bound->kind == MPL_BOUND_INSTANCE) {
        return instance_attribute(view,
                                  mpl_event_name_instance(view->definition, slot->name),
                                  bound, slot->field);
    }
    if (bound->kind != MPL_BOUND_SPAN) {
        return NAN;
    }
    return mpl_span_field(view->r, mpl_event_name_filter(view->definition, slot->name),
                          bound->location, bound->at, bound->message,
                          (enum mpl_field) slot->field);
}

static double scalar_value(struct mpl_view *view, uint32_t number)
{
    const struct mpl_slot *slot = &view->definition->slots[number];

    if (slot->relation != MPL_SLOT_FIELD) {
        return mpl_view_relation(view, slot);
    }
    if (slot->name == MPL_NONE) {
        return mpl_view_attribute(view, slot->field);
    }
    return mpl_view_field(view, slot, mpl_view_bound(view, slot->name));
}

/* The i-th thing that a list name stands for: of a repeated member, or the match of one. */
static void bind_item(struct mpl_view *view, uint32_t name, uint32_t i,
                      struct mpl_bound *bound)
{
    const struct mpl_event_definition *definition = view->definition;

    if (name < definition->n_members) {
        mpl_view_bind_member(view, name, i, bound);
        return;
    }

    const uint32_t base_name = definition->associated[name - definition->n_members].base;
    struct mpl_bound base;

    bind_item(view, base_name, i, &base);
    bound->kind = MPL_BOUND_ABSENT;
    if (base.kind == MPL_BOUND_SPAN) {
        mpl_link_match(view, &base, mpl_event_name_filter(definition, base_name), bound);
    }
}

void mpl_view_fill_list(struct mpl_view *view, uint32_t number)
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
        *item = mpl_view_field(view, slot, &bound);
    }
    view->values[number] = (struct mpl_list){ items->data, n };
}

static void read_slot(void *context, uint32_t slot, bool is_list)
{
    struct mpl_view *view = context;

    if (is_list) {
        mpl_view_fill_list(view, slot);
    } else {
        view->scalars[slot] = scalar_value(view, slot);
    }
}

static void read_all(struct mpl_view *view, const struct mpl_formula *formula)
{
    size_t n;
    const uint32_t *slots = mpl_formula_scalars(formula, &n);

    for (size_t i = 0; i < n; i++) {
        read_slot(view, slots[i], false);
    }
    slots = mpl_formula_lists(formula, &n);
    for (size_t i = 0; i < n; i++) {
        read_slot(view, slots[i], true);
    }
}

/*
 * Most of what a constraint names has to be looked for, and most matches fail by the first part of it. Whoever asks what
 * came first notes where that is not known: then all is read, so that no doubt depends on the order of a formula.
 */
double mpl_view_formula(struct mpl_view *view, const struct mpl_formula *formula)
{
    const struct mpl_formula_source from = { view->is_read, read_slot, view };
    double value;

    if (view->has_relations) {
        read_all(view, formula);
        value = view->has_no_memory
                    ? NAN
                    : mpl_formula_eval(formula, view->scalars, view->values);
    } else {
        value = mpl_formula_eval_as_needed(formula, view->scalars, view->values, &from);
    }
    return view->has_no_memory ? NAN : value;
}

double mpl_instance_attribute(const struct mpl_recognition *r, uint32_t location,
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

static double compute_attribute(struct mpl_view *view, uint32_t attribute)
{
    const struct mpl_attribute *definition = &view->definition->attributes[attribute];

    return definition->formula != NULL
               ? mpl_view_formula(view, definition->formula)
               : mpl_instance_attribute(view->r, view->location, view->number,
                                        mpl_instance_spans(view->r, view->event,
                                                           view->location, view->words,
                                                           view->lists),
                                        attribute);
}

/* Several formulas of an instance may read it. */
double mpl_view_attribute(struct mpl_view *view, uint32_t attribute)
{
    if ((view->is_valued[attribute / 64] >> attribute % 64 & 1) == 0) {
        view->attributes[attribute] = compute_attribute(view, attribute);
        view->is_valued[attribute / 64] |= UINT64_C(1) << attribute % 64;
    }
    return view->attributes[attribute];
}

/* ---- all that a name stands for -------------------------------------------------------------- */

bool mpl_view_each(struct mpl_view *view, uint32_t name, mpl_bound_told *told,
                   void *context)
{
    uint32_t member = name;
    uint32_t n;

    if (!mpl_event_name_is_list(view->definition, name)) {
        return mpl_view_bound(view, name)->kind != MPL_BOUND_SPAN ||
               told(context, name, mpl_view_bound(view, name));
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

static bool tell_ends(void *context, uint32_t name, struct mpl_bound *bound)
{
    const struct teller *teller = context;
    const struct mpl_recognition *r = teller->view->r;
    const struct mpl_filter *filter = mpl_event_name_filter(teller->view->definition, name);

    if (bound->message != MPL_NONE) {
        return teller->told(teller->context, bound->location, bound->message);
    }
    if (bound->has_no_end) {
        return true;
    }

    const struct mpl_span span = mpl_events_span(r->events, bound->location, bound->at);
    const struct mpl_location *loc = &r->model->locations[bound->location];

    if (span.collective != MPL_NONE && mpl_filter_has_collectives(filter) &&
        mpl_topology_counts_collective(r->events, bound->location, span.collective) &&
        !teller->told(teller->context, bound->location,
                      loc->n_messages + span.collective)) {
        return false;
    }
    for (uint32_t i = 0; i < span.n_messages; i++) {
        const uint32_t message = mpl_events_message(r->events, bound->location, &span, i);

        if (mpl_filter_wants_message(r, filter, bound->location, message) &&
            !teller->told(teller->context, bound->location, message)) {
            return false;
        }
    }
    return true;
}

bool mpl_view_ends(struct mpl_view *view, uint32_t name, mpl_end_told *told, void *context)
{
    struct teller teller = { view, told, context };

    if (!mpl_event_name_is_list(view->definition, name)) {
        const struct mpl_bound *bound = mpl_view_bound(view, name);

        /* The usual case, without detours. */
        if (bound->kind != MPL_BOUND_SPAN || bound->has_no_end) {
            return true;
        }
        if (bound->message != MPL_NONE) {
            return told(context, bound->location, bound->message);
        }
    }
    return mpl_view_each(view, name, tell_ends, &teller);
}
