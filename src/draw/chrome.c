/*
 * The JSON of Chrome's own viewer, which others read, too: complete events ("X"), flows ("s", "f"), counters ("C").
 * Times are microseconds there, so three digits behind the point are nanoseconds. A mark is an event without
 * duration, since flows bind to an event that encloses them.
 */
#include "config.h"

#include "draw/export_priv.h"

#include <string.h>

struct chrome {
    struct mpl_export_writer w;
    bool has_begun;
    unsigned char *at; /* where the event under construction goes on */
};

static inline void put(struct chrome *c, const char *text, size_t n)
{
    memcpy(c->at, text, n);
    c->at += n;
}
/* Of literals the length is known when this is compiled. */
#define PUT(c, text) put(c, text, sizeof(text) - 1)

static void put_plain(struct chrome *c, const char *text)
{
    put(c, text, strlen(text));
}

/* Control characters are gone already, but for tabs. */
static void put_text(struct chrome *c, const char *text)
{
    *c->at++ = '"';
    for (; *text != '\0'; text++) {
        if (*text == '\t' || *text == '"' || *text == '\\') {
            *c->at++ = '\\';
        }
        *c->at++ = (unsigned char) (*text == '\t' ? 't' : *text);
    }
    *c->at++ = '"';
}

static void put_whole(struct chrome *c, uint64_t number)
{
    unsigned char digits[20];
    size_t at = sizeof digits;

    do {
        digits[--at] = (unsigned char) ('0' + number % 10);
        number /= 10;
    } while (number > 0);
    memcpy(c->at, digits + at, sizeof digits - at);
    c->at += sizeof digits - at;
}

/* Without zeros at the end, behind the point. */
static void put_us(struct chrome *c, int64_t ns)
{
    const unsigned rest = (unsigned) ((uint64_t) ns % 1000);

    put_whole(c, (uint64_t) ns / 1000);
    if (rest > 0) {
        const unsigned char digits[4] = { '.', (unsigned char) ('0' + rest / 100),
                                          (unsigned char) ('0' + rest / 10 % 10),
                                          (unsigned char) ('0' + rest % 10) };

        memcpy(c->at, digits, sizeof digits);
        c->at += rest % 10 > 0 ? 4 : rest % 100 > 0 ? 3 : 2;
    }
}

/* One event a line; its members up to the time. */
static void open_event(struct chrome *c, char phase, uint32_t track)
{
    c->at = mpl_export_room(&c->w);
    if (c->has_begun) {
        PUT(c, ",\n{\"ph\":\"");
    } else {
        PUT(c, "{\"traceEvents\":[\n{\"ph\":\"");
    }
    c->has_begun = true;
    *c->at++ = (unsigned char) phase;
    PUT(c, "\",\"pid\":1,\"tid\":");
    put_whole(c, track);
}

static void end_event(struct chrome *c)
{
    *c->at++ = '}';
    mpl_export_took(&c->w, c->at);
}

static void put_time(struct chrome *c, int64_t ns)
{
    PUT(c, ",\"ts\":");
    put_us(c, ns);
}

static void open_meta(struct chrome *c, uint32_t track, const char *name, const char *key)
{
    open_event(c, 'M', track);
    PUT(c, ",\"name\":\"");
    put_plain(c, name);
    PUT(c, "\",\"args\":{\"");
    put_plain(c, key);
    PUT(c, "\":");
}

static void end_meta(struct chrome *c)
{
    *c->at++ = '}';
    end_event(c);
}

static void write_track(struct mpl_export_writer *w, const struct mpl_export_track *track)
{
    struct chrome *c = (struct chrome *) w;

    if (!c->has_begun) {
        open_meta(c, 0, "process_name", "name");
        put_text(c, "marple");
        end_meta(c);
    }
    if (track->unit == MPL_EXPORT_SLICES) {
        open_meta(c, track->number, "thread_name", "name");
        put_text(c, track->name);
        end_meta(c);
        open_meta(c, track->number, "thread_sort_index", "sort_index");
        put_whole(c, track->rank);
        end_meta(c);
    }
}

static void put_arguments(struct chrome *c, const struct mpl_export_slice *slice)
{
    for (size_t i = 0; i < slice->n_arguments; i++) {
        const struct mpl_export_argument *argument = &slice->arguments[i];

        if (i == 0) {
            PUT(c, ",\"args\":{\"");
        } else {
            PUT(c, ",\"");
        }
        put_plain(c, mpl_export_keys[argument->key]);
        PUT(c, "\":");
        if (argument->text.text != NULL) {
            put_text(c, argument->text.text);
        } else {
            put_whole(c, argument->number);
        }
    }
    if (slice->n_arguments > 0) {
        *c->at++ = '}';
    }
}

static void begin_slice(struct mpl_export_writer *w, const struct mpl_export_slice *slice)
{
    struct chrome *c = (struct chrome *) w;

    open_event(c, 'X', slice->track);
    put_time(c, slice->begin_ns);
    PUT(c, ",\"dur\":");
    put_us(c, slice->end_ns - slice->begin_ns);
    PUT(c, ",\"cat\":\"");
    put_plain(c, mpl_export_categories[slice->category]);
    PUT(c, "\",\"name\":");
    put_text(c, slice->name.text);
    put_arguments(c, slice);
    end_event(c);
}

static void end_slice(struct mpl_export_writer *w, const struct mpl_export_slice *slice)
{
    (void) w;
    (void) slice; /* Its duration has been written. */
}

static void write_mark(struct mpl_export_writer *w, const struct mpl_export_slice *mark)
{
    struct chrome *c = (struct chrome *) w;

    begin_slice(w, mark);
    if (mark->flow != 0) {
        open_event(c, mark->is_flow_begin ? 's' : 'f', mark->track);
        put_time(c, mark->begin_ns);
        PUT(c, ",\"cat\":\"message\",\"name\":\"message\",\"bp\":\"e\",\"id\":");
        put_whole(c, mark->flow);
        end_event(c);
    }
}

static void write_count(struct mpl_export_writer *w, const struct mpl_export_track *track,
                        int64_t time_ns, int64_t value)
{
    struct chrome *c = (struct chrome *) w;

    open_event(c, 'C', track->number);
    put_time(c, time_ns);
    PUT(c, ",\"name\":");
    put_text(c, track->name);
    PUT(c, ",\"args\":{\"value\":");
    if (value < 0) {
        *c->at++ = '-';
    }
    put_whole(c, value < 0 ? 0 - (uint64_t) value : (uint64_t) value);
    *c->at++ = '}';
    end_event(c);
}

/* The first track has begun the file; who opened it closes it. */
static void write_end(struct mpl_export_writer *w)
{
    struct chrome *c = (struct chrome *) w;

    c->at = mpl_export_room(w);
    PUT(c, "\n],\"displayTimeUnit\":\"ns\"}\n");
    mpl_export_took(w, c->at);
}

struct mpl_export_writer *mpl_chrome_writer(struct mpl_arena *arena, FILE *out)
{
    struct chrome *c = MPL_NEW(arena, struct chrome);

    if (c == NULL) {
        return NULL;
    }
    c->w.track = write_track;
    c->w.begin = begin_slice;
    c->w.end = end_slice;
    c->w.mark = write_mark;
    c->w.count = write_count;
    c->w.close = write_end;
    c->w.out = out;
    return &c->w;
}
