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

bool mpl_member_widen(const struct mpl_recognition *r, uint32_t event, uint32_t member,
                      const struct mpl_row *row, struct mpl_range *range)
{
    const uint32_t number = r->instances[event].word_of[member];
    const uint32_t word = number == MPL_NONE ? MPL_NONE : row->words[number];
    const uint32_t n = mpl_word_count(word, row->lists);
    const uint32_t inner = r->pattern->events[event].members[member].filter.event;

    if (n == 0) {
        return false;
    }

    const struct mpl_range first =
        mpl_item_spans(r, inner, row->location, mpl_word_item(word, row->lists, 0));
    const struct mpl_range last =
        mpl_item_spans(r, inner, row->location, mpl_word_item(word, row->lists, n - 1));

    range->first = first.first < range->first ? first.first : range->first;
    range->end = last.end > range->end ? last.end : range->end;
    return true;
}

struct mpl_range mpl_instance_spans(const struct mpl_recognition *r, uint32_t event,
                                    uint32_t location, const uint32_t *words,
                                    const uint32_t *lists)
{
    const struct mpl_row row = { location, MPL_NONE, words, lists };
    struct mpl_range range = { MPL_NONE, 0 };

    if (r->instances[event].is_flat) {
        return flat_spans(&r->instances[event], words, lists);
    }
    for (uint32_t m = 0; m < r->pattern->events[event].n_members; m++) {
        (void) mpl_member_widen(r, event, m, &row, &range);
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
