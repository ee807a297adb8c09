/* A run as a trace for other viewers: what is shown there, whatever the format. */
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

/* ---- bytes -------------------------------------------------------------------------------------- */

void mpl_export_flush(struct mpl_export_writer *w)
{
    if (w->failed == 0 && !mpl_file_append(w->out, w->held, w->n_held)) {
        w->failed = errno;
    }
    w->n_bytes += w->n_held;
    w->n_held = 0;
}

/* ---- texts and times ---------------------------------------------------------------------------- */

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

/* ---- the whole ------------------------------------------------------------------------------------ */

static const char *rank_words(const struct mpl_exporting *x, uint32_t location)
{
    const struct mpl_location *l = &x->run->model->locations[location];
    const uint32_t rank = x->run->model->processes[l->process].rank;

    return l->thread == 0 ? clean(x->arena, "rank %u", rank)
                          : clean(x->arena, "rank %u thread %u", rank, l->thread);
}

static enum mpl_status name_all(struct mpl_exporting *x, struct mpl_err *err)
{
    const struct mpl_model *model = x->run->model;

    x->writer->n_names = model->n_regions + MPL_EXPORT_WORDS;
    x->writer->n_texts =
        model->n_comms + model->n_locations + MPL_WAIT_KINDS + MPL_SPAN_CLASSES;
    x->writer->has_name = MPL_NEW_ARRAY(x->arena, x->writer->n_names + 1, bool);
    x->writer->has_text = MPL_NEW_ARRAY(x->arena, x->writer->n_texts + 1, bool);
    x->regions = MPL_NEW_ARRAY(x->arena, model->n_regions, const char *);
    x->comms = MPL_NEW_ARRAY(x->arena, model->n_comms, const char *);
    x->rank_of = MPL_NEW_ARRAY(x->arena, model->n_locations, const char *);
    x->track_of = MPL_NEW_ARRAY(x->arena, model->n_locations, uint32_t);
    if (x->regions == NULL || x->comms == NULL || x->rank_of == NULL ||
        x->track_of == NULL || x->writer->has_name == NULL || x->writer->has_text == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t r = 0; r < model->n_regions; r++) {
        x->regions[r] = mpl_export_clean(x->arena, model->regions[r].name);
    }
    for (uint32_t c = 0; c < model->n_comms; c++) {
        x->comms[c] = mpl_export_clean(x->arena, x->s->comm_names[c]);
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        x->rank_of[l] = rank_words(x, l);
    }
    return MPL_OK;
}

enum mpl_status mpl_draw_export(struct mpl_selection *selection,
                                const struct mpl_export_options *options,
                                struct mpl_arena *arena, FILE *out,
                                struct mpl_export_counts *counts, struct mpl_err *err)
{
    struct mpl_exporting x = {
        .writer = options->format == MPL_EXPORT_PERFETTO ? mpl_perfetto_writer(arena, out)
                                                         : mpl_chrome_writer(arena, out),
        .s = selection,
        .d = selection->diagnosis,
        .run = selection->run,
        .arena = arena,
    };
    enum mpl_status st = x.writer == NULL ? mpl_nomem(err) : name_all(&x, err);

    st = st == MPL_OK ? mpl_export_counters(&x, err) : st;
    st = st == MPL_OK ? mpl_export_analysis(&x, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    mpl_export_locations(&x, options->progress);
    x.writer->close(x.writer);
    mpl_export_flush(x.writer);
    x.counted.bytes = x.writer->n_bytes;
    *counts = x.counted;
    if (mpl_arena_is_short(arena)) {
        return mpl_nomem(err);
    }
    st = x.writer->failed != 0 ? mpl_fail(err, MPL_E_IO, "%s", strerror(x.writer->failed))
                               : mpl_file_flush(out, err);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot write the export");
}
