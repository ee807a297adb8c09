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
};

static void put(struct chrome *c, const char *text)
{
    mpl_export_put(&c->w, text, strlen(text));
}

/* Control characters are gone already, but for tabs. */
static void put_text(struct chrome *c, const char *text)
{
    put(c, "\"");
    for (size_t n; *text != '\0'; text += n) {
        n = strcspn(text, "\"\\\t");
        mpl_export_put(&c->w, text, n);
        if (text[n] != '\0') {
            put(c, text[n] == '\t' ? "\\t" : text[n] == '"' ? "\\\"" : "\\\\");
            n++;
        }
    }
    put(c, "\"");
}

static void put_whole(struct chrome *c, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char) ('0' + number % 10);
        number /= 10;
    } while (number > 0);
    mpl_export_put(&c->w, digits + at, sizeof digits - at);
}

static void put_us(struct chrome *c, int64_t ns)
{
    const uint64_t whole = (uint64_t) ns / 1000;
    const uint64_t rest = (uint64_t) ns % 1000;
    const char digits[4] = { '.', (char) ('0' + rest / 100), (char) ('0' + rest / 10 % 10),
                             (char) ('0' + rest % 10) };

    put_whole(c, whole);
    mpl_export_put(&c->w, digits, sizeof digits);
}

/* One event a line; its members up to the time. */
static void open_event(struct chrome *c, const char *phase, uint32_t track)
{
    put(c, c->has_begun ? ",\n{\"ph\":\"" : "{\"traceEvents\":[\n{\"ph\":\"");
    c->has_begun = true;
    put(c, phase);
    put(c, "\",\"pid\":1,\"tid\":");
    put_whole(c, track);
}

static void put_time(struct chrome *c, int64_t ns)
{
    put(c, ",\"ts\":");
    put_us(c, ns);
}

static void write_meta(struct chrome *c, uint32_t track, const char *name, const char *key)
{
    open_event(c, "M", track);
    put(c, ",\"name\":\"");
    put(c, name);
    put(c, "\",\"args\":{\"");
    put(c, key);
    put(c, "\":");
}

static void write_track(struct mpl_export_writer *w, const struct mpl_export_track *track)
{
    struct chrome *c = (struct chrome *) w;

    if (!c->has_begun) {
        write_meta(c, 0, "process_name", "name");
        put(c, "\"marple\"}}");
    }
    if (track->unit == MPL_EXPORT_SLICES) {
        write_meta(c, track->number, "thread_name", "name");
        put_text(c, track->name);
        put(c, "}}");
        write_meta(c, track->number, "thread_sort_index", "sort_index");
        put_whole(c, track->rank);
        put(c, "}}");
    }
}

static void put_arguments(struct chrome *c, const struct mpl_export_slice *slice)
{
    for (size_t i = 0; i < slice->n_arguments; i++) {
        const struct mpl_export_argument *argument = &slice->arguments[i];

        put(c, i == 0 ? ",\"args\":{\"" : ",\"");
        put(c, mpl_export_keys[argument->key]);
        put(c, "\":");
        if (argument->text.text != NULL) {
            put_text(c, argument->text.text);
        } else {
            put_whole(c, argument->number);
        }
    }
    put(c, slice->n_arguments > 0 ? "}}" : "}");
}

static void begin_slice(struct mpl_export_writer *w, const struct mpl_export_slice *slice)
{
    struct chrome *c = (struct chrome *) w;

    open_event(c, "X", slice->track);
    put_time(c, slice->begin_ns);
    put(c, ",\"dur\":");
    put_us(c, slice->end_ns - slice->begin_ns);
    put(c, ",\"cat\":\"");
    put(c, mpl_export_categories[slice->category]);
    put(c, "\",\"name\":");
    put_text(c, slice->name.text);
    put_arguments(c, slice);
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
        open_event(c, mark->is_flow_begin ? "s" : "f", mark->track);
        put_time(c, mark->begin_ns);
        put(c, ",\"cat\":\"message\",\"name\":\"message\",\"bp\":\"e\",\"id\":");
        put_whole(c, mark->flow);
        put(c, "}");
    }
}

static void write_count(struct mpl_export_writer *w, const struct mpl_export_track *track,
                        int64_t time_ns, int64_t value)
{
    struct chrome *c = (struct chrome *) w;

    open_event(c, "C", track->number);
    put_time(c, time_ns);
    put(c, ",\"name\":");
    put_text(c, track->name);
    put(c, value < 0 ? ",\"args\":{\"value\":-" : ",\"args\":{\"value\":");
    put_whole(c, value < 0 ? 0 - (uint64_t) value : (uint64_t) value);
    put(c, "}}");
}

static void close_file(struct mpl_export_writer *w)
{
    put((struct chrome *) w, "\n],\"displayTimeUnit\":\"ns\"}\n");
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
    c->w.close = close_file;
    c->w.out = out;
    return &c->w;
}
