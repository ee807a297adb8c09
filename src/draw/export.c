/* What exports of all formats have in common: words, bytes, times, tracks. */
#include "config.h"

#include "draw/export_priv.h"

#include <errno.h>
#include <string.h>

enum { MOST_BYTES = 500 };

const char *const mpl_export_categories[MPL_EXPORT_CATEGORIES] = {
    [MPL_EXPORT_CALL] = "call", [MPL_EXPORT_COMPUTE] = "compute",
    [MPL_EXPORT_WAIT] = "wait", [MPL_EXPORT_MESSAGE] = "message",
    [MPL_EXPORT_PATH] = "path", [MPL_EXPORT_STEP] = "step",
    [MPL_EXPORT_ROLE] = "role", [MPL_EXPORT_FINDING] = "finding",
};
const char *const mpl_export_keys[MPL_EXPORT_KEYS] = {
    [MPL_EXPORT_RECORD] = "record",
    [MPL_EXPORT_CLASS] = "class",
    [MPL_EXPORT_COMM] = "communicator",
    [MPL_EXPORT_ROOT] = "root",
    [MPL_EXPORT_WAITING] = "waiting",
    [MPL_EXPORT_WAITS_FOR] = "waits_for",
    [MPL_EXPORT_KIND] = "kind",
    [MPL_EXPORT_PEER] = "peer",
    [MPL_EXPORT_TAG] = "tag",
    [MPL_EXPORT_SIZE] = "bytes",
    [MPL_EXPORT_LOCATION] = "location",
    [MPL_EXPORT_LAST_BEGIN] = "last_begin_ns",
    [MPL_EXPORT_PATTERN] = "pattern",
    [MPL_EXPORT_LOST] = "lost_ns",
    [MPL_EXPORT_CERTAINTY] = "certainty",
    [MPL_EXPORT_FIX] = "fix",
};

void mpl_export_flush(struct mpl_export_writer *w)
{
    if (w->failed == 0 && !mpl_file_append(w->out, w->held, w->n_held)) {
        w->failed = errno;
    }
    w->n_bytes += w->n_held;
    w->n_held = 0;
}

static const char *clean(struct mpl_arena *arena, const char *fmt, ...) MPL_PRINTF(2, 3);
static const char *clean(struct mpl_arena *arena, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *text = mpl_text_vformat(arena, fmt, args);

    va_end(args);
    return text != NULL ? text : "?";
}

const char *mpl_export_clean(struct mpl_arena *arena, const char *text)
{
    const char *given = text == NULL ? "" : text;
    const bool is_long = strnlen(given, MOST_BYTES + 1) > MOST_BYTES;
    size_t n = MOST_BYTES;

    while (is_long && n > 0 && (given[n] & 0xC0) == 0x80) {
        n--; /* Not in the middle of a character. */
    }
    return clean(arena, "%.*s%s", (int) n, given, is_long ? "…" : "");
}

int64_t mpl_export_ns(const struct mpl_exporting *x, int64_t ticks)
{
    enum { NS_PER_S = 1000000000 };
    const uint64_t per_s = x->run->model->ticks_per_s;

    return per_s == NS_PER_S ? ticks
                             : (int64_t) ((__int128) ticks * NS_PER_S / (__int128) per_s);
}

bool mpl_export_has_span(const struct mpl_exporting *x, uint32_t location, uint32_t span)
{
    return x->s->is_whole || mpl_selection_has_span(x->s, location, span);
}

struct mpl_export_track mpl_export_open_track(struct mpl_exporting *x, const char *name,
                                              enum mpl_export_unit unit)
{
    const uint32_t number = ++x->n_tracks;
    const struct mpl_export_track track = {
        .number = number, .rank = number, .unit = unit, .name = name
    };

    x->writer->track(x->writer, &track);
    return track;
}
