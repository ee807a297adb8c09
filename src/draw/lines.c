/* A chart for each of the first names, and in it a line for each of the others: Figs. 6 and 7 of the EventSpace paper. */
#include "config.h"

#include "draw/picture_priv.h"

#include <math.h>

enum {
    MOST_CHARTS = 12,
    MOST_LINES = 6,
    MOST_POINTS = 400,
    CHART_HEIGHT = 110,
    CHART_GAP = 26,
    RIGHT = 150,
    Y_MARKS = 4
};

struct line {
    uint32_t chart;
    uint32_t name;
    double sum; /* what it is chosen by */
    uint32_t n_rows;
    uint32_t per_point; /* rows, of which a point is the mean */
    uint32_t n;
    double *x;
    double *y[MOST_LINES];
    double *error;
};

struct chart {
    uint32_t name;
    size_t first; /* of the lines */
    size_t n;
};

struct lines {
    struct mpl_labels
        charts_of; /* rows by the name of their chart, and by that of their line */
    struct mpl_labels lines_of;
    struct line *lines; /* in order of charts; those chosen first in each */
    struct chart *charts;
    size_t n_charts;
    size_t n_left_out;
    uint32_t most_per_point;
    double x[2]; /* from, to */
    double y[2];
};

static bool is_known(const struct picture *p, size_t row)
{
    return mpl_picture_cell(p, row, p->view->axes.y[0])->kind != MPL_CELL_NONE;
}

/* ---- which lines ------------------------------------------------------------------------------ */

/* The largest ones of a chart first. */
static int by_chart(const void *x, const void *y)
{
    const struct line *a = x;
    const struct line *b = y;

    return a->chart != b->chart ? (a->chart > b->chart) - (a->chart < b->chart)
           : a->sum != b->sum   ? (a->sum < b->sum) - (a->sum > b->sum)
                                : (a->name > b->name) - (a->name < b->name);
}

/* Rows of each pair of names. */
static enum mpl_status sum_up(const struct picture *p, const struct lines *all,
                              struct mpl_map *line_of, struct mpl_buf *found,
                              struct mpl_err *err)
{
    const struct mpl_axes *axes = &p->view->axes;

    for (size_t r = 0; r < p->table->n_rows; r++) {
        const uint32_t chart = all->charts_of.of_row[r];
        const uint32_t name = all->lines_of.of_row[r];
        struct line *line = mpl_map_item(line_of, (uint64_t) chart << 32 | name, found);

        if (line == NULL) {
            return mpl_nomem(err);
        }
        line->chart = chart;
        line->name = name;
        line->n_rows += is_known(p, r);
        for (size_t k = 0; k < axes->n_y; k++) {
            line->sum += fabs(mpl_picture_value(p, r, axes->y[k]));
        }
    }
    mpl_sort(found->data, found->n, sizeof(struct line), by_chart);
    return MPL_OK;
}

static void add_line(struct lines *all, const struct line *line)
{
    struct chart *last = all->n_charts > 0 ? &all->charts[all->n_charts - 1] : NULL;

    if (last == NULL || last->name != line->chart) {
        if (all->n_charts == MOST_CHARTS) {
            all->n_left_out++;
            return;
        }
        last = &all->charts[all->n_charts];
        *last =
            (struct chart){ .name = line->chart, .first = all->n_charts++ * MOST_LINES };
    }
    if (last->n == MOST_LINES) {
        all->n_left_out++;
        return;
    }
    all->lines[last->first + last->n++] = *line;
}

static enum mpl_status choose(struct picture *p, struct lines *all, struct mpl_err *err)
{
    struct mpl_map *line_of = mpl_map_create();
    struct mpl_buf found = mpl_buf_make(sizeof(struct line));

    all->charts = MPL_NEW_ARRAY(p->sheet.arena, MOST_CHARTS, struct chart);
    all->lines = MPL_NEW_ARRAY(p->sheet.arena, MOST_CHARTS * MOST_LINES, struct line);
    enum mpl_status st = line_of == NULL || all->charts == NULL || all->lines == NULL
                             ? mpl_nomem(err)
                             : sum_up(p, all, line_of, &found, err);
    for (size_t i = 0; i < found.n && st == MPL_OK; i++) {
        const struct line *line = mpl_buf_get(&found, i);

        if (line->n_rows > 0) {
            add_line(all, line);
        }
    }
    mpl_map_destroy(line_of);
    mpl_buf_free(&found);
    return st;
}

/* ---- points ----------------------------------------------------------------------------------- */

static void add_row(const struct picture *p, struct line *line, size_t row, uint32_t number)
{
    const struct mpl_axes *axes = &p->view->axes;
    const uint32_t point = number / line->per_point;
    const uint32_t first = point * line->per_point;
    const uint32_t n =
        line->n_rows - first < line->per_point ? line->n_rows - first : line->per_point;

    /* Without a place on the scale rows stand one behind the other. */
    line->x[point] += (mpl_picture_cell(p, row, p->view->axes.x)->kind == MPL_CELL_NONE
                           ? number
                           : mpl_picture_value(p, row, p->view->axes.x)) /
                      n;
    for (size_t k = 0; k < axes->n_y; k++) {
        line->y[k][point] += mpl_picture_value(p, row, axes->y[k]) / n;
    }
    if (axes->error != 0) {
        line->error[point] += mpl_picture_value(p, row, axes->error) / n;
    }
}

static void widen(double *range, double value)
{
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

static enum mpl_status collect(struct picture *p, struct lines *all, struct line *line,
                               struct mpl_err *err)
{
    uint32_t number = 0;

    line->per_point = (line->n_rows - 1) / MOST_POINTS + 1;
    line->n = (line->n_rows - 1) / line->per_point + 1;
    line->x = MPL_NEW_ARRAY(p->sheet.arena, line->n, double);
    line->error = MPL_NEW_ARRAY(p->sheet.arena, line->n, double);
    for (size_t k = 0; k < p->view->axes.n_y; k++) {
        line->y[k] = MPL_NEW_ARRAY(p->sheet.arena, line->n, double);
        if (line->x == NULL || line->y[k] == NULL || line->error == NULL) {
            return mpl_nomem(err);
        }
    }
    for (size_t r = 0; r < p->table->n_rows; r++) {
        if (all->charts_of.of_row[r] == line->chart &&
            all->lines_of.of_row[r] == line->name && is_known(p, r)) {
            add_row(p, line, r, number++);
        }
    }
    for (uint32_t i = 0; i < line->n; i++) {
        widen(all->x, line->x[i]);
        for (size_t k = 0; k < p->view->axes.n_y; k++) {
            widen(all->y, line->y[k][i] - line->error[i]);
            widen(all->y, line->y[k][i] + line->error[i]);
        }
    }
    all->most_per_point =
        line->per_point > all->most_per_point ? line->per_point : all->most_per_point;
    return MPL_OK;
}

static const char *left_out_of(const struct picture *p, const struct lines *all)
{
    const char *lines =
        all->n_left_out == 0
            ? ""
            : mpl_draw_words(&p->sheet, "%zu lines with less are left out. ",
                             all->n_left_out);

    return all->most_per_point > 1
               ? mpl_draw_words(&p->sheet, "%sA point is the mean of up to %u rows.", lines,
                                all->most_per_point)
           : all->n_left_out > 0 ? lines
                                 : NULL;
}

static enum mpl_status lay_out(struct picture *p, struct mpl_err *err)
{
    const struct mpl_axes *axes = &p->view->axes;
    struct lines *all = MPL_NEW(p->sheet.arena, struct lines);
    enum mpl_status st = all == NULL ? mpl_nomem(err) : MPL_OK;

    st = st == MPL_OK ? mpl_labels_create(p, axes->of, 1, &all->charts_of, err) : st;
    st = st == MPL_OK
             ? mpl_labels_create(p, axes->of + 1, axes->n_of - 1, &all->lines_of, err)
             : st;
    st = st == MPL_OK ? choose(p, all, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    all->x[0] = INFINITY;
    all->x[1] = -INFINITY;
    for (size_t c = 0; c < all->n_charts; c++) {
        for (size_t i = 0; i < all->charts[c].n && st == MPL_OK; i++) {
            st = collect(p, all, &all->lines[all->charts[c].first + i], err);
        }
    }
    p->laid_out = all;
    p->left = 60;
    p->width = PLOT_PIXELS - RIGHT;
    p->right = RIGHT;
    p->height = (int) all->n_charts * (CHART_HEIGHT + CHART_GAP) + CHART_GAP;
    p->left_out = left_out_of(p, all);
    p->key =
        mpl_draw_words(&p->sheet, "Across %s; %s%s%s%s.", mpl_picture_column(p, axes->x),
                       mpl_picture_column(p, axes->y[0]), axes->n_y > 1 ? " solid, " : "",
                       axes->n_y > 1 ? mpl_picture_column(p, axes->y[1]) : "",
                       axes->n_y > 1      ? " dashed"
                       : axes->error != 0 ? " with how far it may be off"
                                          : "");
    return st;
}

static const char *y_at(const struct picture *p, const struct lines *all, double value)
{
    const double length = all->y[1] - all->y[0];
    const double share = length > 0 ? (value - all->y[0]) / length : 0;

    return mpl_draw_short(&p->sheet, CHART_HEIGHT * (1 - share));
}

static void put_numbers(const struct picture *p, size_t column, const double *values,
                        uint32_t n)
{
    mpl_markup_print(p->sheet.out, " data-%s=\"", mpl_picture_column(p, column));
    for (uint32_t i = 0; i < n; i++) {
        mpl_markup_print(p->sheet.out, "%s%s", i > 0 ? " " : "",
                         mpl_draw_number(&p->sheet, values[i]));
    }
    mpl_markup_put(p->sheet.out, "\"");
}

static void draw_path(const struct picture *p, const struct lines *all,
                      const struct line *line, size_t k, size_t look)
{
    FILE *out = p->sheet.out;

    mpl_markup_print(out, "<path class=\"s%zu%s\" d=\"", look, k > 0 ? " dashed" : "");
    for (uint32_t i = 0; i < line->n; i++) {
        const char *x = mpl_picture_x(p, line->x[i], all->x[0], all->x[1]);

        mpl_markup_print(out, "%s%s %s", i == 0 ? "M" : "L", x,
                         y_at(p, all, line->y[k][i]));
        if (line->error[i] > 0) {
            mpl_markup_print(out, "M%s %sV%sM%s %s", x,
                             y_at(p, all, line->y[k][i] - line->error[i]),
                             y_at(p, all, line->y[k][i] + line->error[i]), x,
                             y_at(p, all, line->y[k][i]));
        }
    }
    /* A single point is a short line. */
    mpl_markup_put(out, line->n == 1 ? "h4\"/>" : "\"/>");
}

static void draw_line(const struct picture *p, const struct lines *all,
                      const struct line *line, size_t number)
{
    const struct mpl_axes *axes = &p->view->axes;
    FILE *out = p->sheet.out;
    const char *name = all->lines_of.names[line->name];

    mpl_markup_print(out, "<g data-%s=\"%s\" data-%s=\"%s\" data-mean-of=\"%u\"",
                     mpl_picture_column(p, axes->of[0]), all->charts_of.names[line->chart],
                     mpl_picture_column(p, axes->of[1]), name, line->per_point);
    put_numbers(p, axes->x, line->x, line->n);
    for (size_t k = 0; k < axes->n_y; k++) {
        put_numbers(p, axes->y[k], line->y[k], line->n);
    }
    mpl_markup_print(out, "><title>%s %s, %s %s</title>",
                     mpl_picture_column(p, axes->of[0]), all->charts_of.names[line->chart],
                     mpl_picture_column(p, axes->of[1]), name);
    for (size_t k = 0; k < axes->n_y; k++) {
        draw_path(p, all, line, k, number);
    }
    mpl_markup_print(out,
                     "<path class=\"s%zu\" d=\"M%d %dh14\"/><text x=\"%d\" y=\"%d\">%s "
                     "%s</text>",
                     number, p->width + 8, 10 + (int) number * LINE_PIXELS, p->width + 26,
                     14 + (int) number * LINE_PIXELS, mpl_picture_column(p, axes->of[1]),
                     name);
    mpl_picture_end_row(p);
}

static void draw_marks(const struct picture *p, const struct lines *all)
{
    const size_t column = p->view->axes.y[0];

    if (!(all->y[1] > all->y[0])) {
        return;
    }
    const double step = mpl_draw_step_of(all->y[1] - all->y[0], Y_MARKS);

    mpl_markup_put(p->sheet.out, "<g class=\"axis labels\">");
    for (double k = ceil(all->y[0] / step); k * step <= all->y[1]; k++) {
        const char *y = y_at(p, all, k * step);

        mpl_markup_print(
            p->sheet.out,
            "<line x1=\"0\" x2=\"%d\" y1=\"%s\" y2=\"%s\"/>"
            "<text class=\"last\" x=\"-6\" y=\"%s\">%s</text>",
            p->width, y, y, y,
            mpl_draw_mark_words(&p->sheet, k * step, step, p->view->columns[column].unit));
    }
    mpl_markup_put(p->sheet.out, "</g>\n");
}

static void draw(const struct picture *p)
{
    const struct lines *all = p->laid_out;
    const struct mpl_axes *axes = &p->view->axes;

    for (size_t c = 0; c < all->n_charts; c++) {
        const struct chart *chart = &all->charts[c];

        mpl_markup_print(p->sheet.out,
                         "<svg y=\"%d\" width=\"%d\" height=\"%d\" overflow=\"visible\">"
                         "<text class=\"flat\" x=\"0\" y=\"-6\">%s %s</text>\n",
                         (int) c * (CHART_HEIGHT + CHART_GAP) + 14, p->width,
                         (int) CHART_HEIGHT, mpl_picture_column(p, axes->of[0]),
                         all->charts_of.names[chart->name]);
        draw_marks(p, all);
        for (size_t i = 0; i < chart->n; i++) {
            draw_line(p, all, &all->lines[chart->first + i], i);
        }
        if (c + 1 == all->n_charts) {
            mpl_draw_scale(&p->sheet, all->x[0], all->x[1], p->view->columns[axes->x].unit,
                           CHART_HEIGHT);
        }
        mpl_markup_put(p->sheet.out, "</svg>\n");
    }
}

const struct mpl_marking mpl_marking_lines = { lay_out, draw };
