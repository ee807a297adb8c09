/* The answer as lines: printed so wide that no sentence is wrapped, so each is a line, and its indentation its depth. */
#include "config.h"

#include "report/report_priv.h"

#include <limits.h>
#include <string.h>

enum { CALLS_FROM = 7 };

static enum mpl_status split(const char *text, struct mpl_arena *arena,
                             struct mpl_buf *lines, struct mpl_err *err)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        const size_t blanks = strspn(text, " ");

        if (blanks < CALLS_FROM && blanks < length) {
            const struct mpl_report_line line = {
                (int) blanks, mpl_arena_strndup(arena, text + blanks, length - blanks)
            };

            if (line.text == NULL || !mpl_buf_put(lines, &line)) {
                return mpl_nomem(err);
            }
        }
        text += length + (text[length] == '\n');
    }
    return MPL_OK;
}

static enum mpl_status take(const struct mpl_buf *lines, struct mpl_arena *arena,
                            const struct mpl_report_line **out, size_t *n,
                            struct mpl_err *err)
{
    struct mpl_report_line *copy =
        MPL_NEW_ARRAY(arena, lines->n + 1, struct mpl_report_line);

    if (copy == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < lines->n; i++) {
        copy[i] = *(const struct mpl_report_line *) mpl_buf_get(lines, i);
    }
    *out = copy;
    *n = lines->n;
    return MPL_OK;
}

enum mpl_status mpl_report_diff_lines(const struct mpl_diff *diff,
                                      const struct mpl_gates *gates, size_t top,
                                      struct mpl_arena *arena,
                                      const struct mpl_report_line **out, size_t *n,
                                      struct mpl_err *err)
{
    static const struct mpl_report_options looks = { .width = INT_MAX / 2 };
    const size_t label = strlen(mpl_diff_verdict_name(diff->verdict));
    struct mpl_buf lines = mpl_buf_make(sizeof(struct mpl_report_line));
    struct mpl_draft draft;

    mpl_draft_open(&draft);
    enum mpl_status st =
        draft.out == NULL ? mpl_nomem(err)
                          : mpl_report_diff_text(diff, gates, top, &looks, draft.out, err);
    st = st == MPL_OK ? mpl_file_flush(draft.out, err) : st;
    st = st == MPL_OK ? split(draft.text + label, arena, &lines, err) : st;
    st = st == MPL_OK ? take(&lines, arena, out, n, err) : st;
    (void) mpl_draft_close(&draft);
    mpl_buf_free(&lines);
    return st;
}
