/*
 * What a location does as a sequence of letters, so that every event type of a pattern is
 * searched in small arrays: a letter stands for one combination of members, over all these types,
 * that a span can be. There are few: a span of MPI_Recv from the master is like the next one.
 *
 * Letters are found once per kind of call, see kinds.c, and per region of computation.
 */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <string.h>

enum {
    LETTERS_MAX = UINT16_MAX - MPL_MEMBERS_MAX,
    LETTER_UNKNOWN = UINT16_MAX,
    GAPS = 64, /* a power of two */
};

/* Computation in one region, at the place of its number. */
struct gap {
    uint32_t region;
    uint16_t letter; /* LETTER_UNKNOWN: there is none here */
};

struct mpl_letter_stream {
    const struct mpl_recognition *r;
    uint32_t location;
    const uint32_t *events; /* borrowed */
    uint32_t n_events;
    struct mpl_range range;
    bool is_compute_plain; /* all computation is the same letter */
    const struct mpl_kinds *kinds;
    struct mpl_buf letter_of; /* uint16_t per kind of call, or LETTER_UNKNOWN */
    struct gap gaps[GAPS];
    struct mpl_buf letters;  /* uint16_t per span */
    struct mpl_buf sets;     /* uint64_t, SETS * n_events per letter */
    struct mpl_map *numbers; /* of letters, by a hash of their sets */
    uint64_t *combined;      /* SETS * n_events: the sets of the span at hand */
    /* For the event asked for last. */
    uint32_t event;
    struct mpl_buf masks; /* uint64_t per letter: its members */
    struct mpl_buf links; /* uint64_t per letter: its associated events */
    struct mpl_near near;
    struct mpl_buf item_letters; /* uint16_t; only with instances among the spans */
    struct mpl_buf items;        /* uint32_t: span or number of an instance */
    struct mpl_buf hidden;       /* uint8_t per span: belongs to an inner instance */
    bool has_items;
};

/* Per event and letter two sets: the members it may be, and the ends of links along a location. */
enum { SETS = 2 };

struct mpl_letter_stream *mpl_stream_open(const struct mpl_recognition *r,
                                          struct mpl_arena *arena)
{
    struct mpl_letter_stream *stream = MPL_NEW(arena, struct mpl_letter_stream);

    if (stream == NULL) {
        return NULL;
    }
    stream->r = r;
    stream->letters = mpl_buf_make(sizeof(uint16_t));
    stream->letter_of = mpl_buf_make(sizeof(uint16_t));
    stream->sets = mpl_buf_make(sizeof(uint64_t));
    stream->masks = mpl_buf_make(sizeof(uint64_t));
    stream->links = mpl_buf_make(sizeof(uint64_t));
    stream->item_letters = mpl_buf_make(sizeof(uint16_t));
    stream->items = mpl_buf_make(sizeof(uint32_t));
    stream->hidden = mpl_buf_make(sizeof(uint8_t));
    stream->combined = MPL_NEW_ARRAY(arena, SETS * (size_t) r->pattern->n_events, uint64_t);
    return stream->combined == NULL ? NULL : stream;
}

void mpl_stream_close(struct mpl_letter_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    mpl_map_destroy(stream->numbers);
    mpl_buf_free(&stream->letters);
    mpl_buf_free(&stream->letter_of);
    mpl_buf_free(&stream->sets);
    mpl_buf_free(&stream->masks);
    mpl_buf_free(&stream->links);
    mpl_buf_free(&stream->item_letters);
    mpl_buf_free(&stream->items);
    mpl_buf_free(&stream->hidden);
}

static const struct mpl_event_definition *event_of(const struct mpl_letter_stream *stream,
                                                   uint32_t i)
{
    return &stream->r->pattern->events[stream->events[i]];
}

/* ---- letters --------------------------------------------------------------------------- */

/* The sets of a span with one of its messages, or none, into stream->combined. */
static void fill_sets(struct mpl_letter_stream *stream, const struct mpl_span *span)
{
    const struct mpl_recognition *r = stream->r;

    for (uint32_t i = 0; i < stream->n_events; i++) {
        const struct mpl_event_definition *event = event_of(stream, i);
        uint64_t *sets = &stream->combined[SETS * i];

        sets[0] = sets[1] = 0;
        for (uint32_t m = 0; m < event->n_members; m++) {
            if (event->members[m].occurs.is_used &&
                mpl_filter_takes(r, &event->members[m].filter, stream->location, span)) {
                sets[0] |= UINT64_C(1) << m;
            }
        }
        for (uint32_t a = 0; a < event->n_associated && a < 64; a++) {
            if (mpl_filter_takes(r, &event->associated[a].filter, stream->location, span)) {
                sets[1] |= UINT64_C(1) << a;
            }
        }
    }
}

/* The letter of the combination in stream->combined. */
static enum mpl_status letter_of(struct mpl_letter_stream *stream, uint16_t *out,
                                 struct mpl_err *err)
{
    const size_t n_sets = SETS * (size_t) stream->n_events;
    const size_t bytes = n_sets * sizeof(uint64_t);
    uint64_t key = n_sets;

    for (size_t i = 0; i < n_sets; i++) {
        key = (key ^ stream->combined[i]) * UINT64_C(0x9E3779B97F4A7C15);
        key ^= key >> 29;
    }
    for (;; key++) {
        const uint32_t letter = mpl_map_find(stream->numbers, key);

        if (letter == MPL_NONE) {
            break;
        }
        if (memcmp((uint64_t *) stream->sets.data + letter * n_sets, stream->combined,
                   bytes) == 0) {
            *out = (uint16_t) letter;
            return MPL_OK;
        }
    }

    const size_t n = stream->sets.n / n_sets;

    if (n >= LETTERS_MAX) {
        return mpl_fail(err, MPL_E_LIMIT, "more than %d kinds of events", LETTERS_MAX);
    }

    uint64_t *sets = mpl_buf_add_many(&stream->sets, n_sets);

    if (sets == NULL || !mpl_map_put(stream->numbers, key, (uint32_t) n)) {
        return mpl_nomem(err);
    }
    memcpy(sets, stream->combined, bytes);
    *out = (uint16_t) n;
    return MPL_OK;
}

static enum mpl_status find_letter(struct mpl_letter_stream *stream, uint32_t kind,
                                   uint16_t *out, struct mpl_err *err);

/* What each of its messages makes it. */
static enum mpl_status unite_parts(struct mpl_letter_stream *stream,
                                   const struct mpl_kind *kind, struct mpl_err *err)
{
    const size_t n_sets = SETS * (size_t) stream->n_events;
    const uint32_t *parts = stream->kinds->parts + kind->first_part;
    uint16_t letter;

    for (uint32_t p = 0; p < kind->n_parts; p++) {
        const enum mpl_status st = find_letter(stream, parts[p], &letter, err);

        if (st != MPL_OK) {
            return st;
        }
    }
    memset(stream->combined, 0, n_sets * sizeof *stream->combined);
    for (uint32_t p = 0; p < kind->n_parts; p++) {
        const uint64_t *sets =
            (const uint64_t *) stream->sets.data +
            ((const uint16_t *) stream->letter_of.data)[parts[p]] * n_sets;

        for (size_t i = 0; i < n_sets; i++) {
            stream->combined[i] |= sets[i];
        }
    }
    return MPL_OK;
}

/* The letter of a kind of calls, found once. Parts have no parts. */
static enum mpl_status find_letter(struct mpl_letter_stream *stream, uint32_t kind,
                                   uint16_t *out, struct mpl_err *err)
{
    const struct mpl_kind *of = &stream->kinds->kinds[kind];
    uint16_t *letter = (uint16_t *) stream->letter_of.data + kind;
    enum mpl_status st = MPL_OK;

    if (*letter == LETTER_UNKNOWN) {
        const struct mpl_span span = mpl_kind_span(stream->r->events, stream->location, of);

        if (of->n_parts > 0) {
            st = unite_parts(stream, of, err);
        } else {
            fill_sets(stream, &span);
        }
        st = st == MPL_OK ? letter_of(stream, letter, err) : st;
    }
    *out = *letter;
    return st;
}

static enum mpl_status read_compute(struct mpl_letter_stream *stream, uint32_t at,
                                    uint16_t *letter, struct mpl_err *err)
{
    const uint32_t region =
        mpl_events_gap_region(stream->r->events, stream->location, at / 2);
    struct gap *gap = &stream->gaps[stream->is_compute_plain ? 0 : region % GAPS];
    enum mpl_status st = MPL_OK;

    if (gap->letter == LETTER_UNKNOWN ||
        (gap->region != region && !stream->is_compute_plain)) {
        const struct mpl_span span =
            mpl_events_span(stream->r->events, stream->location, at);

        gap->region = region;
        fill_sets(stream, &span);
        st = letter_of(stream, &gap->letter, err);
    }
    *letter = gap->letter;
    return st;
}

/* Whether all computation is in one function, or no filter asks for it. */
static bool is_compute_plain(const struct mpl_letter_stream *stream)
{
    if (stream->kinds->is_compute_alike) {
        return true;
    }
    for (uint32_t i = 0; i < stream->n_events; i++) {
        const struct mpl_event_definition *event = event_of(stream, i);

        for (uint32_t name = 0; name < event->n_members + event->n_associated; name++) {
            if (mpl_event_name_filter(event, name)->region != NULL) {
                return false;
            }
        }
    }
    return true;
}

static enum mpl_status begin(struct mpl_letter_stream *stream, uint32_t location,
                             const uint32_t *events, uint32_t n_events, struct mpl_err *err)
{
    mpl_map_destroy(stream->numbers);
    stream->numbers = mpl_map_create();
    stream->location = location;
    stream->events = events;
    stream->n_events = n_events;
    stream->range = stream->r->ranges[location];
    stream->letters.n = 0;
    stream->sets.n = 0;
    stream->kinds = mpl_kinds_get(stream->r->topology, location);
    if (stream->numbers == NULL || stream->kinds == NULL ||
        !mpl_buf_grow_to(&stream->letters, stream->range.end) ||
        !mpl_buf_grow_to(&stream->letter_of, stream->kinds->n)) {
        return mpl_nomem(err);
    }
    stream->is_compute_plain = is_compute_plain(stream);
    for (uint32_t k = 0; k < stream->kinds->n; k++) {
        ((uint16_t *) stream->letter_of.data)[k] = LETTER_UNKNOWN;
    }
    for (uint32_t i = 0; i < GAPS; i++) {
        stream->gaps[i].letter = LETTER_UNKNOWN;
    }
    return MPL_OK;
}

static enum mpl_status find_letters(struct mpl_letter_stream *stream, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;
    uint16_t letter;

    for (uint32_t kind = 0; kind < stream->kinds->n && st == MPL_OK; kind++) {
        st = find_letter(stream, kind, &letter, err);
    }
    return st;
}

/* Whether an instance or a computation may be the member; calls have letters that say so. */
static bool is_no_call(const struct mpl_span_filter *filter)
{
    const enum mpl_primitive_test test = filter->primitive == MPL_NONE
                                             ? MPL_TEST_REGION
                                             : mpl_primitive_row(filter->primitive)->test;

    return test == MPL_TEST_COMPUTE || test == MPL_TEST_REGION;
}

/* Whether a match of the \p i-th event may begin with some span of the location. */
static bool can_begin(const struct mpl_letter_stream *stream, uint32_t i)
{
    const struct mpl_event_definition *event = event_of(stream, i);
    const uint64_t first = event->automaton->wanted[0];
    const uint64_t *sets = stream->sets.data;
    const size_t n_sets = SETS * (size_t) stream->n_events;

    for (uint32_t m = 0; m < event->n_members; m++) {
        if ((first >> m & 1) != 0 && is_no_call(&event->members[m].filter)) {
            return true;
        }
    }
    for (size_t at = SETS * i; at < stream->sets.n; at += n_sets) {
        if ((sets[at] & first) != 0) {
            return true;
        }
    }
    return false;
}

static bool can_any_begin(const struct mpl_letter_stream *stream)
{
    for (uint32_t i = 0; i < stream->n_events; i++) {
        if (can_begin(stream, i)) {
            return true;
        }
    }
    return false;
}

static void read_calls(struct mpl_letter_stream *stream)
{
    uint16_t *letters = stream->letters.data;
    const uint16_t *letter_of_kind = stream->letter_of.data;
    const uint32_t *kind_of_call = stream->kinds->of_call;

    for (uint32_t at = stream->range.first | 1; at < stream->range.end; at += 2) {
        letters[at] = letter_of_kind[kind_of_call[at / 2]];
    }
}

/* Where it is plain, nobody asks for its region again once its letter is known. */
static enum mpl_status read_computation(struct mpl_letter_stream *stream,
                                        struct mpl_err *err)
{
    uint16_t *letters = stream->letters.data;
    const uint32_t end = stream->range.end;
    uint32_t at = stream->range.first + stream->range.first % 2;
    enum mpl_status st = MPL_OK;

    if (stream->is_compute_plain && at < end) {
        uint16_t plain;

        st = read_compute(stream, at, &plain, err);
        for (; at < end; at += 2) {
            letters[at] = plain;
        }
    }
    for (; at < end && st == MPL_OK; at += 2) {
        st = read_compute(stream, at, &letters[at], err);
    }
    return st;
}

enum mpl_status mpl_stream_read(struct mpl_letter_stream *stream, uint32_t location,
                                const uint32_t *events, uint32_t n_events,
                                struct mpl_err *err)
{
    enum mpl_status st = begin(stream, location, events, n_events, err);

    st = st == MPL_OK ? find_letters(stream, err) : st;
    if (st == MPL_OK && !can_any_begin(stream)) {
        stream->range.end = stream->range.first;
    }
    if (st == MPL_OK) {
        read_calls(stream);
        st = read_computation(stream, err);
    }
    return st;
}

/* ---- instances among the spans --------------------------------------------------------------- */

static void hide_instance(struct mpl_letter_stream *stream, uint32_t event,
                          uint32_t number);

static void hide_word(struct mpl_letter_stream *stream, uint32_t inner,
                      const struct mpl_row *row, uint32_t word)
{
    const uint32_t n = mpl_row_count(row, word);

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t item = mpl_row_item(row, word, i);

        if (inner == MPL_NONE) {
            ((uint8_t *) stream->hidden.data)[item] = 1;
        } else {
            hide_instance(stream, inner, item);
        }
    }
}

static void hide_instance(struct mpl_letter_stream *stream, uint32_t event, uint32_t number)
{
    const struct mpl_instances *instances = &stream->r->instances[event];
    const struct mpl_segment *segment = mpl_instances_find(instances, stream->location);
    const struct mpl_row row = mpl_segment_row(instances, segment, number);

    for (uint32_t i = 0; i < instances->stride; i++) {
        hide_word(stream, instances->inner_of[i], &row, i);
    }
}

/* The events whose instances are members, each with its next instance on the location. */
struct inner {
    uint32_t event;
    uint64_t members;
    const struct mpl_segment *segment;
    uint32_t next;
    uint32_t end; /* its last span; MPL_NONE: there is no next */
};

static uint32_t find_inner(const struct mpl_letter_stream *stream,
                           const struct mpl_event_definition *event, struct inner *inner)
{
    uint32_t n = 0;

    for (uint32_t m = 0; m < event->n_members; m++) {
        const uint32_t other = event->members[m].filter.event;
        uint32_t i = 0;

        if (other == MPL_NONE || !event->members[m].occurs.is_used ||
            event->members[m].beside != 0) {
            continue;
        }
        while (i < n && inner[i].event != other) {
            i++;
        }
        if (i == n) {
            inner[n++] = (struct inner){ other, 0,
                                         mpl_instances_find(&stream->r->instances[other],
                                                            stream->location),
                                         0, MPL_NONE };
        }
        inner[i].members |= UINT64_C(1) << m;
    }
    return n;
}

/* For all spans and all instances. False: no memory. */
static bool make_room_for_items(struct mpl_letter_stream *stream, const struct inner *inner,
                                uint32_t n)
{
    size_t n_items = stream->range.end;

    for (uint32_t i = 0; i < n; i++) {
        n_items += inner[i].segment != NULL ? inner[i].segment->n : 0;
    }
    stream->items.n = 0;
    stream->item_letters.n = 0;
    return mpl_buf_reserve(&stream->items, n_items) &&
           mpl_buf_reserve(&stream->item_letters, n_items) &&
           mpl_buf_grow_to(&stream->hidden, stream->range.end);
}

/* There must be room for it. */
static void add_item(struct mpl_letter_stream *stream, uint16_t letter, uint32_t at)
{
    ((uint16_t *) stream->item_letters.data)[stream->item_letters.n++] = letter;
    ((uint32_t *) stream->items.data)[stream->items.n++] = at;
}

/* The next instance stands at its last span; MPL_NONE behind the last. */
static uint32_t end_of_next(const struct mpl_letter_stream *stream,
                            const struct inner *inner)
{
    return inner->segment == NULL || inner->next >= inner->segment->n
               ? MPL_NONE
               : mpl_segment_spans(stream->r, inner->event, inner->segment, inner->next)
                     .end;
}

static void add_ending(struct mpl_letter_stream *stream, struct inner *inner, uint32_t n,
                       uint32_t at, uint16_t first_letter)
{
    for (uint32_t i = 0; i < n; i++) {
        while (inner[i].end <= at) {
            add_item(stream, (uint16_t) (first_letter + i), inner[i].next++);
            inner[i].end = end_of_next(stream, &inner[i]);
        }
    }
}

static enum mpl_status build_items(struct mpl_letter_stream *stream, struct inner *inner,
                                   uint32_t n, struct mpl_err *err)
{
    const uint16_t *letters = stream->letters.data;
    const uint16_t first_letter = (uint16_t) stream->masks.n;
    const uint8_t *hidden;

    if (!make_room_for_items(stream, inner, n)) {
        return mpl_nomem(err);
    }
    if (stream->range.end > 0) {
        memset(stream->hidden.data, 0, stream->range.end);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!mpl_buf_put(&stream->masks, &inner[i].members)) {
            return mpl_nomem(err);
        }
        for (uint32_t k = 0; inner[i].segment != NULL && k < inner[i].segment->n; k++) {
            hide_instance(stream, inner[i].event, k);
        }
        inner[i].end = end_of_next(stream, &inner[i]);
    }
    hidden = stream->hidden.data;
    for (uint32_t at = stream->range.first; at < stream->range.end; at++) {
        if (hidden[at] == 0) {
            add_item(stream, letters[at], at);
        }
        add_ending(stream, inner, n, at, first_letter);
    }
    return MPL_OK;
}

/* ---- for one event -------------------------------------------------------------------------------- */

static uint64_t refine(void *context, uint32_t position, uint64_t mask)
{
    const struct mpl_letter_stream *stream = context;
    const struct mpl_event_definition *event = event_of(stream, stream->event);
    const uint32_t at = mpl_stream_at(stream, position);

    for (uint32_t m = 0; m < event->n_members; m++) {
        if ((mask >> m & 1) != 0 && event->members[m].filter.where != NULL &&
            !mpl_filter_holds(stream->r, &event->members[m].filter, stream->location, at)) {
            mask &= ~(UINT64_C(1) << m);
        }
    }
    return mask;
}

bool mpl_stream_has_items(const struct mpl_letter_stream *stream)
{
    return stream->has_items;
}

uint32_t mpl_stream_at(const struct mpl_letter_stream *stream, uint32_t position)
{
    return stream->has_items ? ((const uint32_t *) stream->items.data)[position] : position;
}

/* The sets of one event, apart: what the search reads should lie together. */
static bool extract_sets(struct mpl_letter_stream *stream, uint32_t i)
{
    const uint64_t *sets = stream->sets.data;
    const size_t n_sets = SETS * (size_t) stream->n_events;
    const size_t n = stream->sets.n / n_sets;

    if (!mpl_buf_grow_to(&stream->masks, n) || !mpl_buf_grow_to(&stream->links, n)) {
        return false;
    }
    for (size_t letter = 0; letter < n; letter++) {
        ((uint64_t *) stream->masks.data)[letter] = sets[letter * n_sets + SETS * i];
        ((uint64_t *) stream->links.data)[letter] = sets[letter * n_sets + SETS * i + 1];
    }
    return true;
}

const struct mpl_near *mpl_stream_near(const struct mpl_letter_stream *stream)
{
    return &stream->near;
}

enum mpl_status mpl_stream_letters(struct mpl_letter_stream *stream, uint32_t i,
                                   struct mpl_letters *out, struct mpl_err *err)
{
    const struct mpl_event_definition *event = event_of(stream, i);
    struct inner inner[MPL_MEMBERS_MAX];
    const uint32_t n_inner = find_inner(stream, event, inner);
    enum mpl_status st = MPL_OK;

    stream->event = i;
    if (!extract_sets(stream, i)) {
        return mpl_nomem(err);
    }
    stream->near =
        (struct mpl_near){ stream->location, stream->letters.data, stream->links.data,
                           stream->kinds->ends, stream->range };
    stream->has_items = n_inner > 0;
    if (stream->has_items) {
        st = build_items(stream, inner, n_inner, err);
    }
    *out = (struct mpl_letters){
        .letters = stream->has_items ? stream->item_letters.data : stream->letters.data,
        .n_letters = (uint32_t) stream->masks.n,
        .first = stream->has_items ? 0 : stream->range.first,
        .n = stream->has_items ? (uint32_t) stream->items.n : stream->range.end,
        .masks = stream->masks.data,
        .is_strict = event->is_strict,
        .refine = refine,
        .context = stream,
    };
    for (uint32_t m = 0; m < event->n_members; m++) {
        out->unsure |= event->members[m].filter.where != NULL ? UINT64_C(1) << m : 0;
    }
    return st;
}
