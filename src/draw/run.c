/* The time line of a whole run, with the windows of the findings in it. */
#include "config.h"

#include <math.h>

#include "draw/rows_priv.h"

enum { MOST_ROWS = 48 };

enum mpl_status mpl_frame_all(const struct sheet *s, const struct mpl_run *run,
                              struct mpl_frame *out, struct mpl_err *err)
{
    const uint32_t n = run->model->n_locations;
    uint32_t *locations = MPL_NEW_ARRAY(s->arena, n, uint32_t);

    *out = (struct mpl_frame){ .run = run, .n = n, .locations = locations };
    if (locations == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < n; l++) {
        locations[l] = l;
    }
    mpl_events_window(run->events, &out->begin_ticks, &out->end_ticks);
    return MPL_OK;
}

static double percent_of(const struct mpl_frame *all, int64_t ticks)
{
    const double length = (double) (all->end_ticks - all->begin_ticks);

    return length > 0 ? (double) (ticks - all->begin_ticks) / length * 100 : 0;
}

/* A frame too narrow to be seen is marked where it begins. */
static void mark_findings(const struct sheet *s, const struct mpl_frame *all,
                          uint32_t n_rows)
{
    for (size_t i = 0; i < s->n_frames; i++) {
        const struct mpl_frame *frame = &s->frames[i];
        const double from = percent_of(all, frame->begin_ticks);
        const double width = fmax(percent_of(all, frame->end_ticks) - from, 0.2);

        if (frame->run == all->run) {
            mpl_markup_print(
                s->out,
                "<a href=\"#%s\"><rect class=\"mark\" x=\"%s%%\" y=\"-1\" "
                "width=\"%s%%\" height=\"%d\"/><text class=\"flag\" x=\"%s%%\" "
                "y=\"-4\">%s</text></a>\n",
                frame->id, mpl_draw_short(s, from), mpl_draw_short(s, width),
                (int) n_rows * ROW_PIXELS, mpl_draw_short(s, from), frame->id);
        }
    }
}

static void say_what_is_shown(const struct sheet *s, const struct mpl_frame *all,
                              uint32_t per_row, const struct mpl_bins *bins)
{
    const char *rows =
        per_row > 1 ? mpl_draw_words(s, " Each row is %u locations.", per_row) : "";

    /* Of a run that is only compared they are not known. */
    const bool has_edges = all->run->startup_s > 0 || all->run->shutdown_s > 0;
    const char *edges =
        has_edges ? mpl_draw_words(s, ", without start-up (%s) and shut-down (%s)",
                                   mpl_draw_seconds(s, all->run->startup_s),
                                   mpl_draw_seconds(s, all->run->shutdown_s))
                  : "";

    mpl_markup_print(
        s->out,
        "<p class=\"note\">%s%s. A pixel is %s: it shows what most of that time "
        "is; the line below it, how much of it is waiting.%s</p>\n",
        mpl_draw_ticks(s, all->run, all->end_ticks - all->begin_ticks), edges,
        mpl_draw_ticks(s, all->run, bins->width_ticks), rows);
    if (!all->run->model->can.has_receive_completions) {
        mpl_markup_put(s->out,
                       "<p class=\"note warn\">Receives are not recorded: where they "
                       "wait is not known and not drawn.</p>\n");
    }
    if (s->d != NULL && s->d->n_runs > 1) {
        mpl_markup_print(s->out,
                         "<p class=\"note\">This is run %s of %zu; the others are not "
                         "drawn.</p>\n",
                         all->run->id, s->d->n_runs);
    }
}

enum mpl_status mpl_draw_find_steps(struct sheet *s, const struct mpl_run *run,
                                    struct mpl_err *err)
{
    enum mpl_status st = mpl_events_complete(run->events, err);

    st = st == MPL_OK ? mpl_events_steps(run->events, s->arena, &s->steps, err) : st;
    st = st == MPL_OK ? mpl_critical_create(run->events, s->arena, &s->path, err) : st;
    s->steps = st == MPL_OK && s->steps->n > 0 ? s->steps : NULL;
    return st;
}

enum mpl_status mpl_draw_run(const struct sheet *s, const struct mpl_run *run,
                             const char *title, struct mpl_err *err)
{
    struct mpl_frame all;
    struct mpl_bins bins;
    enum mpl_status st = mpl_frame_all(s, run, &all, err);

    if (st != MPL_OK) {
        return st;
    }
    const uint32_t per_row = (all.n + MOST_ROWS - 1) / MOST_ROWS;
    const uint32_t n_rows = (all.n + per_row - 1) / per_row;

    st = mpl_bins_create(&all, per_row, PLOT_WIDTH, s->arena, &bins, err);
    if (st != MPL_OK) {
        return st;
    }
    mpl_markup_print(s->out, "<section id=\"timeline%s\"><h2>%s</h2>\n", s->key, title);
    mpl_draw_legend(s);
    mpl_rows_open(s, mpl_draw_words(s, "run%s", s->key),
                  mpl_draw_words(s, "Time line of the run: %u locations, %s", all.n,
                                 mpl_draw_ticks(s, run, all.end_ticks - all.begin_ticks)),
                  &all, per_row);
    mpl_rows_bins(s, &all, per_row, &bins);
    mpl_rows_end_stretched(s);
    mark_findings(s, &all, n_rows);
    mpl_rows_end(s, &all, n_rows);
    say_what_is_shown(s, &all, per_row, &bins);
    st = mpl_draw_data(s, &all, err);
    mpl_markup_put(s->out, "</section>\n");
    return st;
}
