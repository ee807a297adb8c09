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
    if (test == MPL_TEST_COMPUTE && filter->region == NULL) {
        return mpl_filter_holds(r, filter, location, at);
    }

    const struct mpl_span span = mpl_events_span(r->events, location, at);

    return mpl_filter_takes(r, filter, location, &span) &&
           mpl_filter_holds(r, filter, location, at);
}

/* Likewise on the location of the pass, where letters tell nearly everything. */
static bool takes_near(const struct mpl_view *view, uint32_t number, uint32_t at)
{
    const struct mpl_filter *filter = &view->definition->associated[number].filter;
    const struct mpl_near *near = view->near;

    return (near->links[near->letters[at]] >> number & 1) != 0 &&
           (filter->where == NULL || mpl_filter_holds(view->r, filter, view->location, at));
}

static const struct mpl_finder *fill_finder(struct mpl_view *view, uint32_t number,
                                            uint32_t location, struct mpl_buf *spans)
{
    struct mpl_recognition *r = view->r;
    const struct mpl_range range = r->ranges[location];
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
    const struct mpl_range range = view->r->ranges[location];
    const uint32_t room = is_next ? range.end - from - 1 : from - range.first;
    const uint32_t n = room < LOOK_AROUND ? room : LOOK_AROUND;

    for (uint32_t i = 1; i <= n; i++) {
        const uint32_t at = is_next ? from + i : from - i;

        if (is_near ? takes_near(view, number, at) : takes(view->r, filter, location, at)) {
            return at;
        }
    }
    return n < room ? find_far(view, number, location, from, is_next) : MPL_NONE;
}

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

    if (name >= view->definition->n_members) {
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

static void follow_along(struct mpl_view *view, uint32_t number, struct mpl_bound *bound)
{
    const struct mpl_associated *associated = &view->definition->associated[number];
    const bool is_next = associated->link == MPL_LINK_NEXT;
    uint32_t location = 0;
    const uint32_t start = start_of(view, associated->base, is_next, &location);
    const uint32_t at =
        start == MPL_NONE ? MPL_NONE : find_along(view, number, location, start, is_next);

    if (at != MPL_NONE) {
        mpl_view_bind_span(view, location, at, bound);
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
