/*
 * Two runs on one scale of time, the base above. Lines lead from the begin of a step of the base to that of the same step
 * of the new run: where they lean, the new run loses or gains, and where they stay parallel, it does not.
 */
#include "config.h"

#include <math.h>

#include "draw/rows_priv.h"

enum { MOST_ROWS = 16, BETWEEN_PIXELS = 46, MOST_LINES = 40, NUMBERS = 5 };

struct both {
    const struct sheet *s;
    const struct mpl_run *const *runs;
    const struct mpl_steps *const *steps;
    double length_s; /* of the longer one */
};

static enum mpl_status draw_side(const struct both *b, int i, int64_t *begin_ticks,
                                 struct mpl_err *err)
{
    const char *name = i == 0 ? "base" : "new";
    struct mpl_frame all;
    struct mpl_bins bins;
    enum mpl_status st = mpl_frame_all(b->s, b->runs[i], &all, err);

    if (st != MPL_OK) {
        return st;
    }
    /* Behind its end as much as the other one is longer. */
    const double ticks = b->length_s * (double) b->runs[i]->model->ticks_per_s;
    all.end_ticks = all.begin_ticks + (ticks < 1 ? 1 : (int64_t) ticks);
    const uint32_t per_row = (all.n + MOST_ROWS - 1) / MOST_ROWS;
    const uint32_t n_rows = (all.n + per_row - 1) / per_row;

    st = mpl_bins_create(&all, per_row, PLOT_WIDTH, b->s->arena, &bins, err);
    if (st != MPL_OK) {
        return st;
    }
    *begin_ticks = all.begin_ticks;
    mpl_markup_print(b->s->out,
                     "<p class=\"note side\"><b class=\"%s\">%s</b> %s, %s</p>\n", name,
                     name, b->runs[i]->path, mpl_draw_seconds(b->s, b->runs[i]->window_s));
    mpl_rows_open(b->s, mpl_draw_words(b->s, "both-%s", name),
                  mpl_draw_words(b->s, "Time line of the %s run on the common scale", name),
                  &all, per_row);
    mpl_rows_bins(b->s, &all, per_row, &bins);
    mpl_rows_end_stretched(b->s);
    mpl_rows_end(b->s, &all, n_rows);
    return MPL_OK;
}

static double percent_of(const struct both *b, int i, uint32_t step)
{
    int64_t begin;
    int64_t first;
    int64_t unused;

    mpl_events_window(b->runs[i]->events, &begin, &unused);
    mpl_step_ends(b->runs[i], b->steps[i], step, &first, &unused);
    return mpl_model_seconds(b->runs[i]->model, first - begin) / b->length_s * 100;
}

static void draw_line(const struct both *b, uint32_t step, bool has_number)
{
    const char *base = mpl_draw_short(b->s, percent_of(b, 0, step));
    const char *new = mpl_draw_short(b->s, percent_of(b, 1, step));

    mpl_markup_print(b->s->out,
                     "<line x1=\"%s%%\" y1=\"0\" x2=\"%s%%\" y2=\"%d\" data-step=\"%u\"/>",
                     base, new, (int) BETWEEN_PIXELS, step + 1);
    if (has_number) {
        mpl_markup_print(b->s->out,
                         "<text class=\"first\" x=\"%s%%\" y=\"11\" dx=\"3\">%u</text>",
                         base, step + 1);
    }
}

/* Between the two pictures; they have the same columns. */
static void draw_between(const struct both *b)
{
    const uint32_t n = b->steps[0] == NULL || b->steps[1] == NULL ? 0
                       : b->steps[0]->n < b->steps[1]->n          ? b->steps[0]->n
                                                                  : b->steps[1]->n;
    const uint32_t every = n / MOST_LINES + 1;
    const uint32_t number_every = every * (n / every / NUMBERS + 1);

    if (n == 0 || !(b->length_s > 0)) {
        return;
    }
    mpl_markup_print(
        b->s->out,
        "<div class=\"plot between\"><svg role=\"img\" aria-label=\"Lines from steps "
        "of the base to those of the new run\" width=\"100%%\" height=\"%d\"><g "
        "class=\"steps\">\n",
        (int) BETWEEN_PIXELS);
    for (uint32_t step = 0; step < n; step += every) {
        draw_line(b, step, step % number_every == 0);
    }
    mpl_markup_put(b->s->out, "</g></svg></div>\n");
}

static void say(const struct both *b)
{
    const bool has_steps = b->steps[0] != NULL && b->steps[1] != NULL;

    mpl_markup_print(
        b->s->out, "<p class=\"note\">Both begin at the left, on one scale. %s</p>\n",
        !has_steps
            ? "They have no steps that all processes take together, so nothing leads from "
              "one to the other."
        : b->steps[0]->n == b->steps[1]->n
            ? "Lines lead from steps of the base to the same steps of the new run: where "
              "they "
              "lean, it loses or gains time."
            : mpl_draw_words(
                  b->s,
                  "Lines lead from steps of the base to the same steps of the new run, "
                  "counted from the first; the base has %u, the new run %u.",
                  b->steps[0]->n, b->steps[1]->n));
}

enum mpl_status mpl_draw_both(const struct sheet *s, const struct mpl_run *const runs[2],
                              const struct mpl_steps *const steps[2], struct mpl_err *err)
{
    int64_t begins[2];
    struct both b = { s, runs, steps, 0 };

    for (int i = 0; i < 2; i++) {
        mpl_events_window(runs[i]->events, &begins[0], &begins[1]);
        b.length_s =
            fmax(b.length_s, mpl_model_seconds(runs[i]->model, begins[1] - begins[0]));
    }
    mpl_markup_put(s->out, "<section id=\"both\"><h2>Both runs</h2>\n");
    mpl_draw_legend(s);
    enum mpl_status st = draw_side(&b, 0, &begins[0], err);
    if (st == MPL_OK) {
        draw_between(&b);
        st = draw_side(&b, 1, &begins[1], err);
        say(&b);
    }
    mpl_markup_put(s->out, "</section>\n");
    return st;
}
