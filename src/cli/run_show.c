#include "config.h"

#include "cli/run_priv.h"

#include <string.h>

void mpl_run_show_open(struct run_show *show, struct mpl_arena *arena)
{
    show->arena = arena;
    show->asked = mpl_buf_make(sizeof(struct mpl_asked));
    mpl_progress_line_open(&show->line, stderr);
}

void mpl_run_show_close(struct run_show *show)
{
    mpl_progress_line_close(&show->line);
    mpl_buf_free(&show->asked);
}

/* What the file has got since the last look. */
static void pass_on(const struct run_show *show, const char *name, const char *run,
                    long *at)
{
    char path[4096];
    char bytes[8192];
    FILE *in = NULL;
    size_t n = 0;

    (void) snprintf(path, sizeof path, "%s/%s/%s", show->directory, run, name);
    if (mpl_file_stream(path, &in, NULL) != MPL_OK) {
        return;
    }
    if (fseek(in, *at, SEEK_SET) == 0) {
        while ((n = fread(bytes, 1, sizeof bytes, in)) > 0) {
            *at += (long) n;
            (void) fwrite(bytes, 1, n, stderr);
        }
    }
    (void) fclose(in);
}

static void follow(struct run_show *show, const struct mpl_case_run *run)
{
    if (!show->is_verbose) {
        return;
    }
    if (strcmp(show->follow.run, run->id) != 0) {
        show->follow = (struct follow){ 0 };
        (void) snprintf(show->follow.run, sizeof show->follow.run, "%s", run->id);
    }
    pass_on(show, "stdout", run->id, &show->follow.at[0]);
    pass_on(show, "stderr", run->id, &show->follow.at[1]);
}

/* Whole seconds, once each. */
static void draw(struct run_show *show, const struct mpl_case_run *run)
{
    const double now = run->duration_s;

    if (show->line.progress.tell == NULL ||
        (now >= show->drawn_s && now < show->drawn_s + 1)) {
        return;
    }
    show->drawn_s = now;
    show->line.is_visible = true;
    mpl_text_print(stderr, "\r\033[Kmarple: %s runs, %.0f s", run->id, now);
    (void) fflush(stderr);
}

void mpl_run_show_step(void *context, enum mpl_news what, int level, const char *text,
                       const struct mpl_case_run *run)
{
    struct run_show *show = context;

    if (what == MPL_NEWS_RUNNING) {
        follow(show, run);
        draw(show, run);
        return;
    }
    mpl_progress_line_close(&show->line);
    if (what == MPL_NEWS_RAN) {
        follow(show, run);
        show->drawn_s = 0;
    }
    if (what == MPL_NEWS_ASKED) {
        const char *copy = mpl_arena_strdup(show->arena, text);

        if (copy != NULL) {
            (void) mpl_buf_put(&show->asked,
                               &(struct mpl_asked){ .level = level, .text = copy });
        }
    }
    if (!show->is_silent) {
        mpl_report_step(&show->narrative, what, level, text, run);
    }
}
