/* A line per location and a stretch of time per row. Where there are too many, a pixel shows what most of its time is. */
#include "config.h"

#include "draw/picture_priv.h"
#include "draw/rows_priv.h"

#include <math.h>
#include <string.h>

enum { MOST_LINES = 64 };

struct stretches {
    struct mpl_labels labels;
    uint32_t per_line; /* locations */
    uint32_t n;        /* lines */
    double from_s;
    double to_s;
    bool is_exact;
    bool has_errors; /* some are wide enough to be seen */
    struct mpl_bins bins;
    double *busy_s; /* per line, sums of what is drawn as bins */
    double *wait_s;
    uint32_t *n_rows;
};

static enum mpl_look look_of(const struct picture *p, size_t row)
{
    const size_t class = p->view->axes.class;
    const struct mpl_cell *cell = mpl_picture_cell(p, row, class);

    if (class == 0) {
        return MPL_LOOK_COLLECTIVE;
    }
    for (int i = MPL_LOOK_NONE; cell->kind == MPL_CELL_TEXT && i < MPL_LOOKS; i++) {
        if (strcmp(cell->text, mpl_looks[i].name) == 0) {
            return (enum mpl_look) i;
        }
    }
    return cell->kind != MPL_CELL_TEXT        ? MPL_LOOK_NONE
           : strcmp(cell->text, "waits") == 0 ? MPL_LOOK_WAIT
                                              : MPL_LOOK_EDGE;
}

/* A list of calls is drawn as far as the selection goes; what is there at one moment, from its begin to its end. */
static void find_range(const struct picture *p, struct stretches *s)
{
    const struct mpl_axes *axes = &p->view->axes;
    const struct mpl_selection *selection = p->report->selection;

    s->from_s = mpl_model_seconds(selection->run->model, selection->begin_ticks);
    s->to_s = mpl_model_seconds(selection->run->model, selection->end_ticks);
    if (axes->wait != 0) {
        return;
    }
    const double most_s = s->to_s;
    s->to_s = s->from_s;
    for (size_t r = 0; r < p->table->n_rows; r++) {
        if (mpl_picture_cell(p, r, axes->x)->kind != MPL_CELL_NONE) {
            s->from_s = fmin(s->from_s, mpl_picture_value(p, r, axes->x));
            s->to_s = fmax(s->to_s, mpl_picture_value(p, r, axes->x_end));
        }
    }
    s->to_s = fmin(s->to_s, most_s);
}

/* Begin, end of the wait, end: as far as the selection goes, a stretch lies in it. */
static bool find_times(const struct picture *p, const struct stretches *s, size_t row,
                       double *times)
{
    const struct mpl_axes *axes = &p->view->axes;
    const double begin_s = mpl_picture_value(p, row, axes->x);
    const double wait_s = axes->wait == 0 ? 0 : mpl_picture_value(p, row, axes->wait);

    times[0] = fmax(begin_s, s->from_s);
    times[1] = fmin(fmax(begin_s + wait_s, s->from_s), s->to_s);
    times[2] = fmin(mpl_picture_value(p, row, axes->x_end), s->to_s);
    return mpl_picture_cell(p, row, axes->x)->kind != MPL_CELL_NONE;
}

/* ---- how wrong ends may be --------------------------------------------------------------------------- */

/* A line that is shorter than it is thick says nothing. */
static bool is_error_seen(const struct picture *p, const struct stretches *s, size_t row)
{
    enum { LEAST_PIXELS = 2 };
    const size_t error = p->view->axes.error;
    const double all_s = s->to_s - s->from_s;

    return error != 0 && all_s > 0 &&
           2 * mpl_picture_value(p, row, error) / all_s * p->width >= LEAST_PIXELS;
}

/* From so much before the time in a column to so much behind it, with a stop at both. */
static void draw_error(const struct picture *p, const struct stretches *s, size_t row,
                       size_t column)
{
    const double at_s = mpl_picture_value(p, row, column);
    const double error_s = mpl_picture_value(p, row, p->view->axes.error);
    const char *from = mpl_picture_x(p, at_s - error_s, s->from_s, s->to_s);
    const char *to = mpl_picture_x(p, at_s + error_s, s->from_s, s->to_s);
    const int y =
        (int) s->labels.of_row[row] * ROW_PIXELS + (BAR_PIXELS + STRIP_PIXELS) / 2;

    if (at_s >= s->from_s && at_s <= s->to_s) {
        mpl_markup_print(p->sheet.out,
                         "<path class=\"mark\" d=\"M%s %dH%sM%s %dv6M%s %dv6\"/>", from, y,
                         to, from, y - 3, to, y - 3);
    }
}

/* ---- too many ----------------------------------------------------------------------------------- */

static void add_to_line(struct picture *p, struct stretches *s, uint32_t line,
                        mpl_bin_times *times)
{
    const double ticks_per_s = (double) p->report->selection->run->model->ticks_per_s;

    for (size_t r = 0; r < p->table->n_rows; r++) {
        double at_s[3];
        int64_t at[3];

        if (s->labels.of_row[r] / s->per_line != line || !find_times(p, s, r, at_s)) {
            continue;
        }
        for (int i = 0; i < 3; i++) {
            at[i] = llround(at_s[i] * ticks_per_s);
        }
        mpl_bins_add(&s->bins, times, MPL_LOOK_WAIT, at[0], at[1]);
        mpl_bins_add(&s->bins, times, look_of(p, r), at[1], at[2]);
        s->busy_s[line] += fmax(at_s[2] - at_s[1], 0);
        s->wait_s[line] += fmax(at_s[1] - at_s[0], 0);
        s->n_rows[line]++;
    }
}

static enum mpl_status bin(struct picture *p, struct stretches *s, struct mpl_err *err)
{
    const struct mpl_selection *selection = p->report->selection;
    mpl_bin_times *times;
    enum mpl_status st =
        mpl_bins_open(selection->begin_ticks, selection->end_ticks, PLOT_PIXELS, s->n,
                      p->sheet.arena, &s->bins, &times, err);

    s->busy_s = MPL_NEW_ARRAY(p->sheet.arena, s->n, double);
    s->wait_s = MPL_NEW_ARRAY(p->sheet.arena, s->n, double);
    s->n_rows = MPL_NEW_ARRAY(p->sheet.arena, s->n, uint32_t);
    if (s->busy_s == NULL || s->wait_s == NULL || s->n_rows == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t line = 0; line < s->n && st == MPL_OK; line++) {
        add_to_line(p, s, line, times);
        mpl_bins_judge(&s->bins, line, times);
    }
    return st;
}

static enum mpl_status lay_out(struct picture *p, struct mpl_err *err)
{
    struct stretches *s = MPL_NEW(p->sheet.arena, struct stretches);

    if (s == NULL) {
        return mpl_nomem(err);
    }
    find_range(p, s);
    const enum mpl_status st = mpl_labels_create(p, p->view->axes.of, 1, &s->labels, err);
    if (st != MPL_OK) {
        return st;
    }
    s->per_line = (s->labels.n + MOST_LINES - 1) / MOST_LINES;
    s->n = (s->labels.n + s->per_line - 1) / s->per_line;
    s->is_exact = s->per_line == 1 && p->table->n_rows <= p->most_rows;
    p->laid_out = s;
    p->left = mpl_labels_width(&s->labels) * (s->per_line > 1 ? 2 : 1);
    p->height = (int) s->n * ROW_PIXELS + AXIS_PIXELS;
    p->has_looks = true;
    if (s->is_exact) {
        for (size_t r = 0; r < p->table->n_rows && !s->has_errors; r++) {
            s->has_errors = is_error_seen(p, s, r);
        }
        p->key = s->has_errors
                     ? "A line at an end: by how much the clocks may be wrong there."
                     : NULL;
        return MPL_OK;
    }
    p->left_out = mpl_draw_words(
        &p->sheet,
        "%zu rows are too many to draw: a pixel shows what most of its time is, the line "
        "below it how much is waiting.%s",
        p->table->n_rows,
        s->per_line > 1 ? mpl_draw_words(&p->sheet, " A line is %u locations.", s->per_line)
                        : "");
    return bin(p, s, err);
}

static void draw_piece(const struct picture *p, const struct stretches *s, uint32_t line,
                       enum mpl_look look, double from_s, double to_s)
{
    const char *x = mpl_picture_x(p, from_s, s->from_s, s->to_s);

    if (to_s > from_s) {
        mpl_markup_print(p->sheet.out, "<path class=\"f-%s\" d=\"M%s %dH%sv%dH%sz\"/>",
                         mpl_looks[look].name, x, (int) line * ROW_PIXELS,
                         mpl_picture_x(p, to_s, s->from_s, s->to_s),
                         (int) BAR_PIXELS + STRIP_PIXELS, x);
    }
}

static void draw_rows(const struct picture *p, const struct stretches *s)
{
    for (size_t r = 0; r < p->table->n_rows; r++) {
        double at_s[3];

        mpl_picture_open_row(p, r);
        if (find_times(p, s, r, at_s)) {
            draw_piece(p, s, s->labels.of_row[r], MPL_LOOK_WAIT, at_s[0], at_s[1]);
            draw_piece(p, s, s->labels.of_row[r], look_of(p, r), at_s[1], at_s[2]);
            if (is_error_seen(p, s, r)) {
                draw_error(p, s, r, p->view->axes.x);
                draw_error(p, s, r, p->view->axes.x_end);
            }
        }
        mpl_picture_end_row(p);
    }
}

static void draw_bins(const struct picture *p, const struct stretches *s)
{
    const int height = (int) s->n * ROW_PIXELS;

    mpl_markup_print(p->sheet.out,
                     "<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                     "preserveAspectRatio=\"none\">\n",
                     p->width, height, (int) PLOT_WIDTH, height);
    for (uint32_t line = 0; line < s->n; line++) {
        mpl_markup_print(
            p->sheet.out,
            "<g data-%s=\"%s\" data-count=\"%u\" data-busy=\"%s\" data-waiting=\"%s\">",
            mpl_picture_column(p, p->view->axes.of[0]),
            mpl_labels_range(&p->sheet, &s->labels, s->per_line, line), s->n_rows[line],
            mpl_draw_number(&p->sheet, s->busy_s[line]),
            mpl_draw_number(&p->sheet, s->wait_s[line]));
        mpl_rows_bins_of(&p->sheet, &s->bins, line);
        mpl_picture_end_row(p);
    }
    mpl_markup_put(p->sheet.out, "</svg>\n");
}

static void draw(const struct picture *p)
{
    const struct stretches *s = p->laid_out;

    for (uint32_t line = 0; line < s->n; line++) {
        mpl_picture_label(p, (int) line * ROW_PIXELS + 11,
                          mpl_labels_range(&p->sheet, &s->labels, s->per_line, line));
    }
    mpl_markup_put(p->sheet.out, "\n");
    if (s->is_exact) {
        draw_rows(p, s);
    } else {
        draw_bins(p, s);
    }
    mpl_draw_scale(&p->sheet, s->from_s, s->to_s, "s", (int) s->n * ROW_PIXELS);
}

const struct mpl_marking mpl_marking_stretches = { lay_out, draw };
