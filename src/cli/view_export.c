/* `marple view export`: a run for other viewers. */
#include "config.h"

#include "cli/cli_priv.h"

#include <unistd.h>

#include "draw/draw.h"

/* Viewers read JSON into one string, and give up. */
enum { MOST_JSON_BYTES = 200000000 };

static enum mpl_status tell_notes(struct mpl_selection *selection, struct mpl_arena *arena,
                                  struct mpl_err *err)
{
    const struct mpl_view *timeline = NULL;
    const char *const *notes = NULL;
    size_t n = 0;
    enum mpl_status st = mpl_view_find("timeline", &timeline, err);

    st = st == MPL_OK ? mpl_view_notes(timeline, selection, arena, &notes, &n, err) : st;
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        mpl_text_print(stderr, "marple: note: %s\n", notes[i]);
    }
    return st;
}

enum mpl_status mpl_view_export(struct mpl_selection *selection,
                                enum mpl_export_format format, struct mpl_arena *arena,
                                FILE *out, struct mpl_err *err)
{
    struct mpl_export_counts counts = { 0 };
    struct mpl_progress_line line;

    if (format == MPL_EXPORT_PERFETTO && isatty(fileno(out))) {
        return mpl_fail(err, MPL_E_USAGE,
                        "a file for Perfetto is no text; -o FILE says where to write it");
    }
    enum mpl_status st = tell_notes(selection, arena, err);

    if (st != MPL_OK) {
        return st;
    }
    mpl_progress_line_open(&line, stderr);
    const struct mpl_export_options options = { format, &line.progress };

    st = mpl_draw_export(selection, &options, arena, out, &counts, err);
    mpl_progress_line_close(&line);
    if (st == MPL_OK && format == MPL_EXPORT_CHROME && counts.bytes > MOST_JSON_BYTES) {
        mpl_text_print(
            stderr,
            "marple: note: the file has %llu MB, and viewers fail on JSON of more "
            "than %d MB: --format perfetto needs a fraction of it, and --from, "
            "--to, --step or --locations leave something out\n",
            (unsigned long long) counts.bytes / 1000000, MOST_JSON_BYTES / 1000000);
    }
    return st;
}
