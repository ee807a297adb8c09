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

/* A message under construction; a name and all arguments fit into it, each with a text of its own. */
struct message {
    size_t n;
    unsigned char bytes[4096];
};

enum { VARINT_BYTES = 10 };

/* Inline: a third of the writing is spent here, on numbers of one byte. There must be room. */
static inline void put_varint(struct message *m, uint64_t value)
{
    while (value > 127) {
        m->bytes[m->n++] = (unsigned char) (value | 128);
        value >>= 7;
    }
    m->bytes[m->n++] = (unsigned char) value;
}

static void make_room(const struct message *m, size_t n)
{
    mpl_assert(m->n + n + 2 * VARINT_BYTES <= sizeof m->bytes);
}

static void put_number(struct message *m, enum field field, uint64_t value)
{
    make_room(m, 0);
    put_varint(m, (uint64_t) field << 3);
    put_varint(m, value);
}

static void put_fixed(struct message *m, enum field field, uint64_t value)
{
    make_room(m, sizeof value);
    put_varint(m, (uint64_t) field << 3 | 1);
    for (int i = 0; i < 8; i++) {
        m->bytes[m->n++] = (unsigned char) (value >> 8 * i);
    }
}

static void put_bytes(struct message *m, enum field field, const void *bytes, size_t n)
{
    make_room(m, n);
    put_varint(m, (uint64_t) field << 3 | 2);
    put_varint(m, n);
    memcpy(m->bytes + m->n, bytes, n);
    m->n += n;
}

static void put_text(struct message *m, enum field field, const char *text)
{
    put_bytes(m, field, text, strlen(text));
}

static void put_entry(struct message *m, enum field field, uint64_t number,
                      const char *text)
{
    struct message entry;

    entry.n = 0;
    put_number(&entry, ENTRY_NUMBER, number);
    put_text(&entry, ENTRY_TEXT, text);
    put_bytes(m, field, entry.bytes, entry.n);
}

/* ---- packets ------------------------------------------------------------------------------------- */

struct perfetto {
    struct mpl_export_writer w;
    bool has_begun;
    struct message packet;
    struct message body;
    struct message interned; /* texts that the packet is the first to need */
};

static void write_packet(struct perfetto *p, enum field field)
{
    struct message head;

    if (p->interned.n > 0) {
        put_bytes(&p->packet, PACKET_INTERNED, p->interned.bytes, p->interned.n);
    }
    put_number(&p->packet, PACKET_SEQUENCE, SEQUENCE);
    put_number(&p->packet, PACKET_FLAGS, p->has_begun ? NEEDS_STATE : STATE_CLEARED);
    make_room(&p->packet, 0);
    put_varint(&p->packet, (uint64_t) field << 3 | 2);
    put_varint(&p->packet, p->body.n);
    head.n = 0;
    put_varint(&head, TRACE_PACKET << 3 | 2);
    put_varint(&head, p->packet.n + p->body.n);
    mpl_export_put(&p->w, head.bytes, head.n);
    mpl_export_put(&p->w, p->packet.bytes, p->packet.n);
    mpl_export_put(&p->w, p->body.bytes, p->body.n);
    p->packet.n = 0;
    p->body.n = 0;
    p->interned.n = 0;
    p->has_begun = true;
}

static void begin_file(struct perfetto *p)
{
    for (int i = 0; i < MPL_EXPORT_CATEGORIES; i++) {
        put_entry(&p->interned, INTERNED_CATEGORY, (uint64_t) i + 1,
                  mpl_export_categories[i]);
    }
    for (int i = 0; i < MPL_EXPORT_KEYS; i++) {
        put_entry(&p->interned, INTERNED_KEY, (uint64_t) i + 1, mpl_export_keys[i]);
    }
    put_number(&p->body, TRACK_UUID, ROOT);
    put_text(&p->body, TRACK_NAME, "marple");
    put_number(&p->body, TRACK_CHILD_ORDERING, EXPLICIT);
    write_packet(p, PACKET_TRACK);
}

static void write_track(struct mpl_export_writer *w, const struct mpl_export_track *track)
{
    struct perfetto *p = (struct perfetto *) w;
    struct message counter;

    if (!p->has_begun) {
        begin_file(p);
    }
    put_number(&p->body, TRACK_UUID, ROOT + (uint64_t) track->number);
    put_text(&p->body, TRACK_NAME, track->name);
    put_number(&p->body, TRACK_PARENT, ROOT);
    if (track->unit != MPL_EXPORT_SLICES) {
        counter.n = 0;
        put_number(&counter, COUNTER_UNIT,
                   track->unit == MPL_EXPORT_BYTES ? UNIT_BYTES : UNIT_COUNT);
        put_bytes(&p->body, TRACK_COUNTER, counter.bytes, counter.n);
    }
    put_number(&p->body, TRACK_RANK, track->rank);
    write_packet(p, PACKET_TRACK);
}

/* ---- events -------------------------------------------------------------------------------------- */

static void open_event(struct perfetto *p, int64_t time_ns, enum event_type type,
                       uint32_t track)
{
    put_number(&p->packet, PACKET_TIMESTAMP, (uint64_t) time_ns);
    put_number(&p->body, EVENT_TYPE, type);
    put_number(&p->body, EVENT_TRACK, ROOT + (uint64_t) track);
}

static void put_name(struct perfetto *p, const struct mpl_export_text *name)
{
    if (name->number == 0) {
        put_text(&p->body, EVENT_NAME, name->text);
        return;
    }
    if (!p->w.has_name[name->number]) {
        put_entry(&p->interned, INTERNED_NAME, name->number, name->text);
        p->w.has_name[name->number] = true;
    }
    put_number(&p->body, EVENT_NAME_NUMBER, name->number);
}

static void put_argument(struct perfetto *p, const struct mpl_export_argument *argument)
{
    const struct mpl_export_text *text = &argument->text;
    struct message m;

    m.n = 0;
    put_number(&m, ARGUMENT_KEY, (uint64_t) argument->key + 1);
    if (text->text == NULL) {
        put_number(&m, ARGUMENT_NUMBER, argument->number);
    } else if (text->number == 0) {
        put_text(&m, ARGUMENT_TEXT, text->text);
    } else {
        if (!p->w.has_text[text->number]) {
            put_entry(&p->interned, INTERNED_TEXT, text->number, text->text);
            p->w.has_text[text->number] = true;
        }
        put_number(&m, ARGUMENT_TEXT_NUMBER, text->number);
    }
    put_bytes(&p->body, EVENT_ARGUMENT, m.bytes, m.n);
}

static void write_slice(struct perfetto *p, const struct mpl_export_slice *slice,
                        enum event_type type)
{
    open_event(p, slice->begin_ns, type, slice->track);
    put_number(&p->body, EVENT_CATEGORY, (uint64_t) slice->category + 1);
    put_name(p, &slice->name);
    for (size_t i = 0; i < slice->n_arguments; i++) {
        put_argument(p, &slice->arguments[i]);
    }
    if (slice->flow != 0) {
        put_fixed(&p->body, EVENT_FLOW, slice->flow);
    }
    write_packet(p, PACKET_EVENT);
}

static void begin_slice(struct mpl_export_writer *w, const struct mpl_export_slice *slice)
{
    write_slice((struct perfetto *) w, slice, SLICE_BEGIN);
}

static void end_slice(struct mpl_export_writer *w, const struct mpl_export_slice *slice)
{
    struct perfetto *p = (struct perfetto *) w;

    open_event(p, slice->end_ns, SLICE_END, slice->track);
    write_packet(p, PACKET_EVENT);
}

static void write_mark(struct mpl_export_writer *w, const struct mpl_export_slice *mark)
{
    write_slice((struct perfetto *) w, mark, INSTANT);
}

static void write_count(struct mpl_export_writer *w, const struct mpl_export_track *track,
                        int64_t time_ns, int64_t value)
{
    struct perfetto *p = (struct perfetto *) w;

    open_event(p, time_ns, COUNTER, track->number);
    put_number(&p->body, EVENT_VALUE, (uint64_t) value);
    write_packet(p, PACKET_EVENT);
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
