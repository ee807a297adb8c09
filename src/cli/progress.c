#include "config.h"

#include "cli/cli.h"

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
    struct timespec t = { 0 };

    (void) clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static void draw(void *context, const char *what, uint64_t done, uint64_t total)
{
    struct mpl_progress_line *line = context;
    const int64_t now = now_ns();

    if (line->drawn_ns != 0 && now - line->drawn_ns < 100000000) {
        return;
    }
    line->drawn_ns = now;
    line->is_visible = true;
    if (total > 0) {
        const double percent = 100.0 * (double) done / (double) total;
        mpl_text_print(line->out, "\r\033[Kmarple: %s, %.0f %%", what, percent);
    } else {
        mpl_text_print(line->out, "\r\033[Kmarple: %s, %" PRIu64, what, done);
    }
    (void) fflush(line->out);
}

void mpl_progress_line_open(struct mpl_progress_line *line, FILE *out)
{
    *line = (struct mpl_progress_line){ .out = out };
    line->progress.context = line;
    if (isatty(fileno(out))) {
        line->progress.tell = draw;
    }
}

void mpl_progress_line_close(struct mpl_progress_line *line)
{
    if (line->is_visible) {
        mpl_text_print(line->out, "\r\033[K");
        (void) fflush(line->out);
        line->is_visible = false;
    }
}
