/* From a member of an instance to what is associated with it. */
#include "config.h"

#include "recognize/recognition_priv.h"

/* ---- along a location ------------------------------------------------------------- */

/* Spans looked at one by one before a list of all that fit is made. */
enum { LOOK_AROUND = 64 };

static bool takes(const struct mpl_recognition *r, const struct mpl_filter *filter,
                  uint32_t location, uint32_t at)
{
    const enum mpl_primitive_test test = mpl_primitive_row(filter->primitive)->test;

    /* Even spans are computation; all others but regions are calls. */
    if (test != MPL_TEST_REGION && (at % 2 == 0) != (test == MPL_TEST_COMPUTE)) {
        return false;
    }

    const struct mpl_span span = mpl_events_span(r->events, location, at);

    return mpl_filter_takes(r, filter, location, &span) &&
           mpl_filter_holds(r, filter, location, &span);
}

/* Likewise on the location of the pass, where letters tell nearly everything. */
static bool takes_near(const struct mpl_view *view, uint32_t number, uint32_t at)
{
    const struct mpl_filter *filter = &view->definition->associated[number].filter;
    const struct mpl_near *near = view->near;

    if ((near->links[near->letters[at]] >> number & 1) == 0) {
        return false;
    }
    if (filter->where == NULL) {
        return true;
    }

    const struct mpl_span span = mpl_events_span(view->r->events, view->location, at);

    return mpl_filter_holds(view->r, filter, view->location, &span);
}

static const struct mpl_finder *fill_finder(struct mpl_view *view, uint32_t number,
                                            uint32_t location, struct mpl_buf *spans)
{
    struct mpl_recognition *r = view->r;
    const struct mpl_range range = mpl_recognition_spans(r, location);
    struct mpl_finder *finder = MPL_NEW(r->arena, struct mpl_finder);

    for (uint32_t at = range.first; at < range.end; at++) {
        if (takes(r, &view->definition->associated[number].filter, location, at)) {
            uint32_t *item = mpl_buf_add(spans);

            if (item == NULL) {
                return NULL;
            }
            *item = at;
        }
    }
    if (finder == NULL) {
        return NULL;
    }
    finder->n = (uint32_t) spans->n;
    finder->spans = mpl_buf_take(spans, r->arena);
    return finder->spans == NULL ? NULL : finder;
}

/* All spans of the location that the link may lead to, made at the first question. */
static const struct mpl_finder *get_finder(struct mpl_view *view, uint32_t number,
                                           uint32_t location)
{
    struct mpl_recognition *r = view->r;
    const struct mpl_finder ***known = &r->finders[view->event][number].of_location;
    struct mpl_buf spans = mpl_buf_make(sizeof(uint32_t));

    if (*known == NULL) {
        *known = MPL_NEW_ARRAY(r->arena, r->model->n_locations, const struct mpl_finder *);
    }
    if (*known != NULL && (*known)[location] == NULL) {
        (*known)[location] = fill_finder(view, number, location, &spans);
        mpl_buf_free(&spans);
    }
    if (*known == NULL || (*known)[location] == NULL) {
        view->has_no_memory = true;
        return NULL;
    }
    return (*known)[location];
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

static uint32_t find_far(struct mpl_view *view, uint32_t number, uint32_t location,
                         uint32_t from, bool is_next)
{
    const struct mpl_finder *finder = get_finder(view, number, location);

    if (finder == NULL) {
        return MPL_NONE;
    }

    const uint32_t position = position_in(finder, is_next ? from + 1 : from);

    if (is_next) {
        return position < finder->n ? finder->spans[position] : MPL_NONE;
    }
    return position > 0 ? finder->spans[position - 1] : MPL_NONE;
}

/*
 * The nearest fitting span beyond span \p from, or MPL_NONE. Nearly always it is a few spans
 * away; where it is not, a list of all that fit keeps the cost logarithmic.
 */
static uint32_t find_along(struct mpl_view *view, uint32_t number, uint32_t location,
                           uint32_t from, bool is_next)
{
    const struct mpl_filter *filter = &view->definition->associated[number].filter;
    const bool is_near = view->near != NULL && location == view->location && number < 64;
    const struct mpl_range range =
        is_near ? view->near->range : mpl_recognition_spans(view->r, location);
    uint32_t at = from;

    for (int looked = 0; looked < LOOK_AROUND; looked++) {
        if (is_next ? at + 1 >= range.end : at <= range.first) {
            return MPL_NONE;
        }
        at = is_next ? at + 1 : at - 1;
        if (is_near ? takes_near(view, number, at) : takes(view->r, filter, location, at)) {
            return at;
        }
    }
    return find_far(view, number, location, from, is_next);
}

/* ---- links -------------------------------------------------------------------------- */

static void bind_span(const struct mpl_view *view, uint32_t location, uint32_t at,
                      struct mpl_bound *bound)
{
    bound->kind = at == MPL_NONE ? MPL_BOUND_ABSENT : MPL_BOUND_SPAN;
    bound->has_span = false;
    bound->has_no_message = false;
    bound->location = location;
    bound->at = at;
    bound->message = MPL_NONE;
    if (at != MPL_NONE) {
        mpl_view_note_message(view, bound);
    }
}

/* Spans that what \p base stands for begins and ends with. */
static struct mpl_range spans_of(const struct mpl_view *view, uint32_t name,
                                 const struct mpl_bound *base)
{
    const uint32_t inner = base->kind == MPL_BOUND_INSTANCE
                               ? mpl_event_name_instance(view->definition, name)
                               : MPL_NONE;

    return mpl_item_spans(view->r, inner, base->location, base->at);
}

void mpl_link_match(struct mpl_view *view, struct mpl_bound *base,
                    const struct mpl_filter *filter, struct mpl_bound *bound)
{
    const struct mpl_recognition *r = view->r;
    uint32_t message = base->message;

    bound->kind = MPL_BOUND_ABSENT;
    if (message == MPL_NONE && !base->has_no_message) {
        message = mpl_filter_message(r, filter, base->location, mpl_bound_span(r, base));
    }
    if (message == MPL_NONE) {
        return;
    }

    const struct mpl_end partner =
        mpl_match_partner(r->model, mpl_events_match(r->events), base->location, message);

    if (partner.message == MPL_NONE) {
        return;
    }
    bind_span(view, partner.location,
              mpl_events_span_of_message(r->events, partner.location, partner.message),
              bound);
    bound->message = partner.message;
    bound->has_no_message = false;
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

/* Links to what comes next start behind the last of a repeated member. */
static struct mpl_range last_spans(const struct mpl_view *view, uint32_t name,
                                   const struct mpl_bound *base)
{
    struct mpl_bound last = *base;

    if (name < view->definition->n_members) {
        const uint32_t word = view->words[view->instances->word_of[name]];

        last.at = mpl_word_item(word, view->lists, mpl_word_count(word, view->lists) - 1);
    }
    return spans_of(view, name, &last);
}

void mpl_link_follow(struct mpl_view *view, uint32_t number, struct mpl_bound *bound)
{
    const struct mpl_associated *associated = &view->definition->associated[number];
    const uint32_t name = associated->base;
    struct mpl_bound *base = mpl_view_bound(view, name);

    bound->kind = MPL_BOUND_ABSENT;
    if (base->kind == MPL_BOUND_ABSENT) {
        return;
    }
    switch (associated->link) {
    case MPL_LINK_MATCH:
        mpl_link_match(view, base, mpl_event_name_filter(view->definition, name), bound);
        break;
    case MPL_LINK_PREVIOUS:
        bind_span(view, base->location,
                  find_along(view, number, base->location, spans_of(view, name, base).first,
                             false),
                  bound);
        break;
    case MPL_LINK_NEXT:
        bind_span(view, base->location,
                  find_along(view, number, base->location, last_spans(view, name, base).end,
                             true),
                  bound);
        break;
    case MPL_LINK_CONTAINING:
        find_containing(view, associated->filter.event, spans_of(view, name, base),
                        base->location, bound);
        break;
    }
}
