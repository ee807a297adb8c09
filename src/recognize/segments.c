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
    return mpl_instance_spans(r, event, segment->location,
                              segment->words + (size_t) number * r->instances[event].stride,
                              segment->lists);
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
static inline void widen(const struct mpl_recognition *r, uint32_t inner, uint32_t location,
                         uint32_t word, const uint32_t *lists, struct mpl_range *range)
{
    const bool is_list = (word & MPL_WORD_LIST) != 0;
    const uint32_t first = mpl_word_item(word, lists, 0);
    const uint32_t last =
        is_list ? mpl_word_item(word, lists, mpl_word_count(word, lists) - 1) : word;
    struct mpl_range spans = { first, last };

    if (inner != MPL_NONE) {
        spans.first = mpl_item_spans(r, inner, location, first).first;
        spans.end = mpl_item_spans(r, inner, location, last).end;
    }
    range->first = spans.first < range->first ? spans.first : range->first;
    range->end = spans.end > range->end ? spans.end : range->end;
}

bool mpl_member_widen(const struct mpl_recognition *r, uint32_t event, uint32_t member,
                      const struct mpl_row *row, struct mpl_range *range)
{
    const struct mpl_instances *instances = &r->instances[event];
    const uint32_t number = instances->word_of[member];
    const uint32_t word = number == MPL_NONE ? MPL_NONE : row->words[number];

    if (word == MPL_NONE) {
        return false;
    }
    widen(r, instances->inner_of[number], row->location, word, row->lists, range);
    return true;
}

struct mpl_range mpl_instance_spans(const struct mpl_recognition *r, uint32_t event,
                                    uint32_t location, const uint32_t *words,
                                    const uint32_t *lists)
{
    const struct mpl_instances *instances = &r->instances[event];
    struct mpl_range range = { MPL_NONE, 0 };

    for (uint32_t i = 0; i < instances->stride; i++) {
        if (words[i] != MPL_NONE) {
            widen(r, instances->inner_of[i], location, words[i], lists, &range);
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
