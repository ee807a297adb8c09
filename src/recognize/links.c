/* From a member of an instance to what is associated with it. */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <math.h>

/* ---- links -------------------------------------------------------------------------- */

/* Spans that what \p base stands for begins and ends with. */
static struct mpl_range spans_of(const struct mpl_view *view, uint32_t name,
                                 const struct mpl_bound *base)
{
    const uint32_t inner = base->kind == MPL_BOUND_INSTANCE
                               ? mpl_event_name_instance(view->definition, name)
                               : MPL_NONE;

    return mpl_item_spans(view->r, inner, base->location, base->at);
}

void mpl_link_match(struct mpl_view *view, const struct mpl_bound *base,
                    const struct mpl_filter *filter, struct mpl_bound *bound)
{
    const struct mpl_recognition *r = view->r;
    const uint32_t message = mpl_bound_message(r, base, filter);

    bound->kind = MPL_BOUND_ABSENT;
    if (message == MPL_NONE) {
        return;
    }

    const struct mpl_end partner =
        mpl_match_partner(r->model, mpl_events_match(r->events), base->location, message);

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

/* The last instance that begins at or before the span, if it ends at or behind it. */
static void find_containing(struct mpl_view *view, uint32_t event, struct mpl_range inside,
                            uint32_t location, struct mpl_bound *bound)
{
    const struct mpl_segment *segment =
        mpl_instances_find(&view->r->instances[event], location);
    uint32_t low = 0;
    uint32_t high = segment == NULL ? 0 : segment->n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (mpl_item_spans(view->r, event, location, middle).first <= inside.first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low > 0 && mpl_item_spans(view->r, event, location, low - 1).end >= inside.end) {
        *bound = (struct mpl_bound){ .kind = MPL_BOUND_INSTANCE,
                                     .location = location,
                                     .at = low - 1,
                                     .message = MPL_NONE };
    }
}

/*
 * Where a link along a location starts: before the first, or behind the last span of its base.
 * MPL_NONE when there is no base.
 */
static uint32_t start_of(struct mpl_view *view, uint32_t name, bool is_next,
                         uint32_t *location)
{
    struct mpl_bound base = { .kind = MPL_BOUND_SPAN, .location = view->location };

    if (name >= view->definition->n_members ||
        view->definition->members[name].beside != 0) {
        base = *mpl_view_bound(view, name);
    } else {
        const uint32_t word = view->words[view->instances->word_of[name]];
        const uint32_t n = mpl_word_count(word, view->lists);

        if (n == 0) {
            return MPL_NONE;
        }
        base.at = mpl_word_item(word, view->lists, is_next ? n - 1 : 0);
        if (view->definition->members[name].filter.event != MPL_NONE) {
            base.kind = MPL_BOUND_INSTANCE;
        }
    }
    *location = base.location;
    if (base.kind == MPL_BOUND_INSTANCE) {
        const struct mpl_range spans = spans_of(view, name, &base);

        return is_next ? spans.end : spans.first;
    }
    return base.kind == MPL_BOUND_SPAN ? base.at : MPL_NONE;
}

/* The condition over other spans, for one that the link might lead to. */
static bool holds(struct mpl_view *view, uint32_t number, const struct mpl_bound *candidate)
{
    const struct mpl_formula *where = view->definition->associated[number].where;
    size_t n;
    const uint32_t *slots = mpl_formula_scalars(where, &n);

    for (size_t i = 0; i < n; i++) {
        const struct mpl_slot *slot = &view->definition->slots[slots[i]];
        const bool is_own = slot->name == view->definition->n_members + number;

        view->scalars[slots[i]] = mpl_view_field(
            view, slot, is_own ? candidate : mpl_view_bound(view, slot->name));
    }

    const double value = mpl_formula_eval(where, view->scalars, NULL);

    return !isnan(value) && value != 0;
}

/* The first and the last span that the search may come to; false when it has no end to go by. */
static bool find_room(struct mpl_view *view, const struct mpl_associated *associated,
                      uint32_t location, struct mpl_range *room)
{
    const bool is_next = associated->link == MPL_LINK_NEXT;
    uint32_t at;
    uint32_t there = 0;

    *room = (struct mpl_range){ 0, MPL_NONE - 1 };
    if (associated->stop == MPL_NONE) {
        return true;
    }
    at = start_of(view, associated->stop, !is_next, &there);
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

static void follow_along(struct mpl_view *view, uint32_t number, struct mpl_bound *bound)
{
    const struct mpl_associated *associated = &view->definition->associated[number];
    const bool is_next = associated->link == MPL_LINK_NEXT;
    uint32_t location = 0;
    uint32_t at = start_of(view, associated->base, is_next, &location);
    struct mpl_range room;

    if (at == MPL_NONE || !find_room(view, associated, location, &room)) {
        return;
    }
    for (int i = 0; i < MPL_LINK_CANDIDATES; i++) {
        struct mpl_bound candidate = { .kind = MPL_BOUND_ABSENT };

        at = mpl_finder_find(view, number, location, at, is_next);
        if (at == MPL_NONE || at < room.first || at > room.end) {
            return;
        }
        mpl_view_bind_span(view, location, at, &candidate);
        if (associated->where == NULL || holds(view, number, &candidate)) {
            *bound = candidate;
            return;
        }
    }
}

void mpl_link_follow(struct mpl_view *view, uint32_t number, struct mpl_bound *bound)
{
    const struct mpl_associated *associated = &view->definition->associated[number];
    const uint32_t name = associated->base;
    const struct mpl_bound *base;

    bound->kind = MPL_BOUND_ABSENT;
    if (associated->link == MPL_LINK_NEXT || associated->link == MPL_LINK_PREVIOUS) {
        follow_along(view, number, bound);
        return;
    }
    base = mpl_view_bound(view, name);
    if (base->kind == MPL_BOUND_ABSENT) {
        return;
    }
    if (associated->link == MPL_LINK_MATCH) {
        mpl_link_match(view, base, mpl_event_name_filter(view->definition, name), bound);
    } else {
        find_containing(view, associated->filter.event, spans_of(view, name, base),
                        base->location, bound);
    }
}
