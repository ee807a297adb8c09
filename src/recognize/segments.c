/* Where instances are, and which spans they cover. */
#include "config.h"

#include "recognize/recognition_priv.h"

struct mpl_segment *mpl_instances_find(const struct mpl_instances *instances,
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

const struct mpl_segment *mpl_instances_segment(const struct mpl_instances *instances,
                                                size_t index)
{
    uint32_t low = 0;
    uint32_t high = instances->n_segments;

    /* The last one that does not begin behind it: empty ones before it are passed over. */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (instances->segments[middle].first <= index) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &instances->segments[low];
}

struct mpl_range mpl_item_spans(const struct mpl_recognition *r, uint32_t inner,
                                uint32_t location, uint32_t item)
{
    if (inner == MPL_NONE) {
        return (struct mpl_range){ item, item };
    }

    return mpl_segment_spans(r, inner, mpl_instances_find(&r->instances[inner], location),
                             item);
}

struct mpl_range mpl_segment_spans(const struct mpl_recognition *r, uint32_t event,
                                   const struct mpl_segment *segment, uint32_t number)
{
    const struct mpl_row row = mpl_segment_row(&r->instances[event], segment, number);

    return mpl_row_spans(r, event, &row);
}

struct mpl_range mpl_bound_spans(const struct mpl_instance_view *view, uint32_t name,
                                 const struct mpl_bound *bound)
{
    const uint32_t inner = bound->kind == MPL_BOUND_INSTANCE
                               ? mpl_event_name_instance(view->definition, name)
                               : MPL_NONE;

    return mpl_item_spans(view->r, inner, bound->location, bound->at);
}

/* Widens it by what a word stands for, of which there is some. That ascends, so the first and the last are enough. */
static inline void widen(const struct mpl_recognition *r, uint32_t inner,
                         const struct mpl_row *row, uint32_t word, struct mpl_range *range)
{
    const uint32_t first = mpl_row_item(row, word, 0);
    const uint32_t last = mpl_row_item(row, word, mpl_row_count(row, word) - 1);
    struct mpl_range spans = { first, last };

    if (inner != MPL_NONE) {
        spans.first = mpl_item_spans(r, inner, row->location, first).first;
        spans.end = mpl_item_spans(r, inner, row->location, last).end;
    }
    range->first = spans.first < range->first ? spans.first : range->first;
    range->end = spans.end > range->end ? spans.end : range->end;
}

bool mpl_member_widen(const struct mpl_recognition *r, uint32_t event, uint32_t member,
                      const struct mpl_row *row, struct mpl_range *range)
{
    const struct mpl_instances *instances = &r->instances[event];
    const uint32_t word = instances->word_of[member];

    if (word == MPL_NONE || mpl_row_count(row, word) == 0) {
        return false;
    }
    widen(r, instances->inner_of[word], row, word, range);
    return true;
}

struct mpl_range mpl_row_spans(const struct mpl_recognition *r, uint32_t event,
                               const struct mpl_row *row)
{
    const struct mpl_instances *instances = &r->instances[event];
    const uint32_t n = instances->stride;
    struct mpl_range range = { MPL_NONE, 0 };

    if (instances->is_flat) {
        return (struct mpl_range){ row->base + row->words[n],
                                   row->base + row->words[n + 1] };
    }
    for (uint32_t i = 0; i < n; i++) {
        if (mpl_row_count(row, i) > 0) {
            widen(r, instances->inner_of[i], row, i, &range);
        }
    }
    return range;
}

uint32_t mpl_bound_message(const struct mpl_recognition *r, const struct mpl_bound *bound,
                           const struct mpl_span_filter *filter)
{
    if (bound->message != MPL_NONE || bound->has_no_message) {
        return bound->message;
    }

    return mpl_filter_message_at(r, filter, bound->location, bound->at);
}
