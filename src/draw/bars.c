/* A bar per row: one number, or the parts of a whole; a line below it is waiting, which is a part of these. */
#include "config.h"

#include "draw/picture_priv.h"

#include <math.h>
#include <string.h>

enum { MOST_BARS = 64, BAR_HEIGHT = 11, STRIP_HEIGHT = 3, AXIS_HEIGHT = 22 };

struct bars {
    struct mpl_labels labels;
    const bool *is_drawn; /* per row */
    uint32_t n;
    double most;
};

static double sum_of(const struct picture *p, size_t row)
{
    const struct mpl_axes *axes = &p->view->axes;
    double sum = axes->n_y == 0 ? mpl_picture_value(p, row, p->view->by) : 0;

    for (size_t i = 0; i < axes->n_y; i++) {
        sum += mpl_picture_value(p, row, axes->y[i]);
    }
    return sum;
}

/* Columns of classes have their colours; others have shades. */
static const char *class_of(const struct picture *p, size_t part)
{
    const char *name = mpl_picture_column(p, p->view->axes.y[part]);

    for (int i = MPL_LOOK_COMPUTE; i < MPL_LOOK_EDGE; i++) {
        if (strcmp(name, mpl_looks[i].name) == 0) {
            return mpl_draw_words(&p->sheet, "f-%s", name);
        }
    }
    return strcmp(name, "startup") == 0 || strcmp(name, "shutdown") == 0
               ? "f-edge"
               : mpl_draw_words(&p->sheet, "h%zu", 3 + 3 * part % 6);
}

static enum mpl_status lay_out(struct picture *p, struct mpl_err *err)
{
    const struct mpl_axes *axes = &p->view->axes;
    struct bars *b = MPL_NEW(p->sheet.arena, struct bars);

    if (b == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = mpl_labels_create(p, axes->of, axes->n_of, &b->labels, err);

    b->is_drawn = mpl_report_top_rows(p->table, MOST_BARS, p->sheet.arena);
    if (st != MPL_OK || b->is_drawn == NULL) {
        return st != MPL_OK ? st : mpl_nomem(err);
    }
    for (size_t r = 0; r < p->table->n_rows; r++) {
        b->n += b->is_drawn[r];
        b->most = b->is_drawn[r] ? fmax(b->most, sum_of(p, r)) : b->most;
    }
    p->laid_out = b;
    p->left = mpl_labels_width(&b->labels);
    p->height = (int) b->n * LINE_PIXELS + AXIS_HEIGHT;
    p->has_looks = axes->wait != 0;
    p->key = p->has_looks     ? "A line below a bar: how much of it is waiting."
             : axes->n_y == 2 ? mpl_draw_words(&p->sheet, "Left %s, right %s: %s.",
                                               mpl_picture_column(p, axes->y[0]),
                                               mpl_picture_column(p, axes->y[1]),
                                               p->view->columns[axes->y[0]].says)
                              : mpl_draw_words(&p->sheet, "Bars: %s, %s.",
                                               mpl_picture_column(p, p->view->by),
                                               p->view->columns[p->view->by].says);
    p->left_out =
        b->n < p->table->n_rows
            ? mpl_draw_words(&p->sheet, "%u of %zu rows, those with the largest %s.", b->n,
                             p->table->n_rows, mpl_picture_column(p, p->view->by))
            : NULL;
    return MPL_OK;
}

static void draw_part(const struct picture *p, const char *class, int y, int height,
                      double from, double to, double most)
{
    const char *x = mpl_picture_x(p, from, 0, most);

    if (to > from) {
        mpl_markup_print(p->sheet.out, "<path class=\"%s\" d=\"M%s %dH%sv%dH%sz\"/>", class,
                         x, y, mpl_picture_x(p, to, 0, most), height, x);
    }
}

static void draw_bar(const struct picture *p, const struct bars *b, size_t row, int y)
{
    const struct mpl_axes *axes = &p->view->axes;
    double at = 0;

    mpl_picture_open_row(p, row);
    mpl_markup_print(p->sheet.out, "<path class=\"h0\" d=\"M0 %dh%dv%dh-%dz\"/>", y,
                     p->width, (int) BAR_HEIGHT, p->width);
    if (axes->n_y == 0) {
        draw_part(p, "h5", y, BAR_HEIGHT, 0, sum_of(p, row), b->most);
    }
    for (size_t i = 0; i < axes->n_y; i++) {
        const double value = mpl_picture_value(p, row, axes->y[i]);

        draw_part(p, class_of(p, i), y, BAR_HEIGHT, at, at + value, b->most);
        at += value;
    }
    /* Behind what is computed, in the first part, come the calls that wait. */
    if (axes->wait != 0) {
        const double from = mpl_picture_value(p, row, axes->y[0]);

        draw_part(p, "l-wait", y + BAR_HEIGHT, STRIP_HEIGHT, from,
                  from + mpl_picture_value(p, row, axes->wait), b->most);
    }
    mpl_picture_end_row(p);
}

static void draw(const struct picture *p)
{
    const struct bars *b = p->laid_out;
    const size_t of = p->view->axes.n_y > 0 ? p->view->axes.y[0] : p->view->by;
    int y = 0;

    for (size_t r = 0; r < p->table->n_rows; r++) {
        if (b->is_drawn[r]) {
            mpl_picture_label(p, y + 10, b->labels.names[b->labels.of_row[r]]);
            draw_bar(p, b, r, y);
            y += LINE_PIXELS;
        }
    }
    mpl_draw_scale(&p->sheet, 0, b->most, p->view->columns[of].unit, y);
}

const struct mpl_marking mpl_marking_bars = { lay_out, draw };
