/*
 * Perfetto's format: a protobuf message with one field, packets, of which src/draw/perfetto.proto has the fields that
 * are written here. All tracks lie below one root that orders them by rank, since the viewer ignores the ranks of
 * tracks of processes. Texts that come again are written once and then named by a number.
 *
 * The viewer sorts packets by time, and those of one time by their place in the file.
 */
#include "config.h"

#include "draw/export_priv.h"

#include <string.h>

enum field {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60,
    INTERNED_CATEGORY = 1,
    INTERNED_NAME = 2,
    INTERNED_KEY = 3,
    INTERNED_TEXT = 29,
    ENTRY_NUMBER = 1,
    ENTRY_TEXT = 2,
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_CHILD_ORDERING = 11,
    TRACK_RANK = 12,
    COUNTER_UNIT = 3,
    EVENT_CATEGORY = 3,
    EVENT_ARGUMENT = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_NUMBER = 10,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_VALUE = 30,
    EVENT_FLOW = 47,
    ARGUMENT_KEY = 1,
    ARGUMENT_NUMBER = 3,
    ARGUMENT_TEXT = 6,
    ARGUMENT_TEXT_NUMBER = 17
};
enum event_type { SLICE_BEGIN = 1, SLICE_END, INSTANT, COUNTER };
enum {
    ROOT = 1, /* uuid; track N has the uuid ROOT + N */
    SEQUENCE = 1,
    EXPLICIT = 3,
    UNIT_COUNT = 2,
    UNIT_BYTES = 3,
    STATE_CLEARED = 1,
    NEEDS_STATE = 2
};

/* ---- protobuf ----------------------------------------------------------------------------------- */

/* Bytes are put at a place, and what puts them returns the place behind. Inline: most numbers have one byte, and 8 M
 * packets are nothing else. */
static inline unsigned char *put_varint(unsigned char *at, uint64_t value)
{
    while (value > 127) {
        *at++ = (unsigned char) (value | 128);
        value >>= 7;
    }
    *at++ = (unsigned char) value;
    return at;
}

static inline unsigned char *put_number(unsigned char *at, enum field field, uint64_t value)
{
    return put_varint(put_varint(at, (uint64_t) field << 3), value);
}

static inline unsigned char *put_fixed(unsigned char *at, enum field field, uint64_t value)
{
    at = put_varint(at, (uint64_t) field << 3 | 1);
    for (int i = 0; i < 8; i++) {
        *at++ = (unsigned char) (value >> 8 * i);
    }
    return at;
}

static unsigned char *put_bytes(unsigned char *at, enum field field, const void *bytes,
                                size_t n)
{
    at = put_varint(put_varint(at, (uint64_t) field << 3 | 2), n);
    memcpy(at, bytes, n);
    return at + n;
}

static unsigned char *put_text(unsigned char *at, enum field field, const char *text)
{
    return put_bytes(at, field, text, strlen(text));
}

/* A message in a message: one byte is left for its length, since hardly any needs two. Returns where it begins. */
static inline unsigned char *open_message(unsigned char *at, enum field field)
{
    return put_varint(at, (uint64_t) field << 3 | 2) + 1;
}

static unsigned char *end_long_message(unsigned char *begin, unsigned char *end)
{
    const size_t n = (size_t) (end - begin);

    mpl_assert(n < 1 << 14);
    memmove(begin + 1, begin, n);
    (void) put_varint(begin - 1, n);
    return end + 1;
}

static inline unsigned char *end_message(unsigned char *begin, unsigned char *end)
{
    if (end - begin > 127) {
        return end_long_message(begin, end);
    }
    begin[-1] = (unsigned char) (end - begin);
    return end;
}

/* ---- packets ------------------------------------------------------------------------------------- */

struct perfetto {
    struct mpl_export_writer w;
    bool has_begun;
    unsigned char *packet; /* where it begins */
    unsigned char *body;   /* likewise the message in it */
    size_t n_interned;
    unsigned char interned[MPL_EXPORT_EVENT_BYTES / 2]; /* texts it is the first to need */
};

static void intern(struct perfetto *p, enum field field, uint64_t number, const char *text)
{
    unsigned char *begin = open_message(p->interned + p->n_interned, field);
    unsigned char *end =
        put_text(put_number(begin, ENTRY_NUMBER, number), ENTRY_TEXT, text);

    p->n_interned = (size_t) (end_message(begin, end) - p->interned);
    mpl_assert(p->n_interned <= sizeof p->interned);
}

/* Up to the body, of which the type and the time are known. */
static inline unsigned char *open_packet(struct perfetto *p, enum field field,
                                         const int64_t *time_ns)
{
    unsigned char *at = open_message(mpl_export_room(&p->w), (enum field) TRACE_PACKET);

    p->packet = at;
    if (time_ns != NULL) {
        at = put_number(at, PACKET_TIMESTAMP, (uint64_t) *time_ns);
    }
    at = put_number(at, PACKET_SEQUENCE, SEQUENCE);
    at = put_number(at, PACKET_FLAGS, p->has_begun ? NEEDS_STATE : STATE_CLEARED);
    p->body = open_message(at, field);
    return p->body;
}

static inline void end_packet(struct perfetto *p, unsigned char *at)
{
    at = end_message(p->body, at);
    if (p->n_interned > 0) {
        at = put_bytes(at, PACKET_INTERNED, p->interned, p->n_interned);
        p->n_interned = 0;
    }
    mpl_export_took(&p->w, end_message(p->packet, at));
}

static void begin_file(struct perfetto *p)
{
    for (int i = 0; i < MPL_EXPORT_CATEGORIES; i++) {
        intern(p, INTERNED_CATEGORY, (uint64_t) i + 1, mpl_export_categories[i]);
    }
    for (int i = 0; i < MPL_EXPORT_KEYS; i++) {
        intern(p, INTERNED_KEY, (uint64_t) i + 1, mpl_export_keys[i]);
    }
    unsigned char *at = open_packet(p, PACKET_TRACK, NULL);

    at = put_number(at, TRACK_UUID, ROOT);
    at = put_text(at, TRACK_NAME, "marple");
    end_packet(p, put_number(at, TRACK_CHILD_ORDERING, EXPLICIT));
    p->has_begun = true;
}

static void write_track(struct mpl_export_writer *w, const struct mpl_export_track *track)
{
    struct perfetto *p = (struct perfetto *) w;

    if (!p->has_begun) {
        begin_file(p);
    }
    unsigned char *at = open_packet(p, PACKET_TRACK, NULL);

    at = put_number(at, TRACK_UUID, ROOT + (uint64_t) track->number);
    at = put_text(at, TRACK_NAME, track->name);
    at = put_number(at, TRACK_PARENT, ROOT);
    if (track->unit != MPL_EXPORT_SLICES) {
        unsigned char *counter = open_message(at, TRACK_COUNTER);

        at = end_message(
            counter, put_number(counter, COUNTER_UNIT,
                                track->unit == MPL_EXPORT_BYTES ? UNIT_BYTES : UNIT_COUNT));
    }
    end_packet(p, put_number(at, TRACK_RANK, track->rank));
}

/* ---- events -------------------------------------------------------------------------------------- */

static inline unsigned char *open_event(struct perfetto *p, int64_t time_ns,
                                        enum event_type type, uint32_t track)
{
    unsigned char *at = open_packet(p, PACKET_EVENT, &time_ns);

    at = put_number(at, EVENT_TYPE, type);
    return put_number(at, EVENT_TRACK, ROOT + (uint64_t) track);
}

static inline unsigned char *put_name(struct perfetto *p, unsigned char *at,
                                      const struct mpl_export_text *name)
{
    if (name->number == 0) {
        return put_text(at, EVENT_NAME, name->text);
    }
    if (!p->w.has_name[name->number]) {
        intern(p, INTERNED_NAME, name->number, name->text);
        p->w.has_name[name->number] = true;
    }
    return put_number(at, EVENT_NAME_NUMBER, name->number);
}

static inline unsigned char *put_argument(struct perfetto *p, unsigned char *at,
                                          const struct mpl_export_argument *argument)
{
    const struct mpl_export_text *text = &argument->text;
    unsigned char *begin = open_message(at, EVENT_ARGUMENT);

    at = put_number(begin, ARGUMENT_KEY, (uint64_t) argument->key + 1);
    if (text->text == NULL) {
        at = put_number(at, ARGUMENT_NUMBER, argument->number);
    } else if (text->number == 0) {
        at = put_text(at, ARGUMENT_TEXT, text->text);
    } else {
        if (!p->w.has_text[text->number]) {
            intern(p, INTERNED_TEXT, text->number, text->text);
            p->w.has_text[text->number] = true;
        }
        at = put_number(at, ARGUMENT_TEXT_NUMBER, text->number);
    }
    return end_message(begin, at);
}

static void write_slice(struct perfetto *p, const struct mpl_export_slice *slice,
                        enum event_type type)
{
    unsigned char *at = open_event(p, slice->begin_ns, type, slice->track);

    at = put_number(at, EVENT_CATEGORY, (uint64_t) slice->category + 1);
    at = put_name(p, at, &slice->name);
    for (size_t i = 0; i < slice->n_arguments; i++) {
        at = put_argument(p, at, &slice->arguments[i]);
    }
    end_packet(p, slice->flow != 0 ? put_fixed(at, EVENT_FLOW, slice->flow) : at);
}

static void begin_slice(struct mpl_export_writer *w, const struct mpl_export_slice *slice)
{
    write_slice((struct perfetto *) w, slice, SLICE_BEGIN);
}

static void end_slice(struct mpl_export_writer *w, const struct mpl_export_slice *slice)
{
    struct perfetto *p = (struct perfetto *) w;

    end_packet(p, open_event(p, slice->end_ns, SLICE_END, slice->track));
}

static void write_mark(struct mpl_export_writer *w, const struct mpl_export_slice *mark)
{
    write_slice((struct perfetto *) w, mark, INSTANT);
}

static void write_count(struct mpl_export_writer *w, const struct mpl_export_track *track,
                        int64_t time_ns, int64_t value)
{
    struct perfetto *p = (struct perfetto *) w;
    unsigned char *at = open_event(p, time_ns, COUNTER, track->number);

    end_packet(p, put_number(at, EVENT_VALUE, (uint64_t) value));
}

static void close_file(struct mpl_export_writer *w)
{
    (void) w; /* Nothing comes behind the packets. */
}

struct mpl_export_writer *mpl_perfetto_writer(struct mpl_arena *arena, FILE *out)
{
    struct perfetto *p = MPL_NEW(arena, struct perfetto);

    if (p == NULL) {
        return NULL;
    }
    p->w.track = write_track;
    p->w.begin = begin_slice;
    p->w.end = end_slice;
    p->w.mark = write_mark;
    p->w.count = write_count;
    p->w.close = close_file;
    p->w.out = out;
    return &p->w;
}
