/* Two columns against each other; the shade of a cell says how large the value is. */
#include "config.h"

#include "draw/picture_priv.h"

#include <math.h>

enum {
    MOST_ACROSS = 200,
    MOST_DOWN = 64,
    SHADES = 8,
    CELL_HEIGHT = 14,
    WIDEST_CELL = 40,
    LETTER = 7
};

struct matrix {
    struct mpl_labels side[2]; /* down, across */
    uint32_t per_cell[2];
    uint32_t n[2];
    double *values; /* of cells that are several rows: means, [row * across + column] */
    uint32_t *n_rows;
    double most;
    double cell_width;
    bool is_exact; /* each row has its cell, with all that it holds */
};

static size_t cell_of(const struct matrix *m, size_t row)
{
    return (size_t) (m->side[0].of_row[row] / m->per_cell[0]) * m->n[1] +
           m->side[1].of_row[row] / m->per_cell[1];
}

static enum mpl_status sum_up(struct picture *p, struct matrix *m, struct mpl_err *err)
{
    const size_t n = (size_t) m->n[0] * m->n[1];

    m->values = MPL_NEW_ARRAY(p->sheet.arena, n, double);
    m->n_rows = MPL_NEW_ARRAY(p->sheet.arena, n, uint32_t);
    if (m->values == NULL || m->n_rows == NULL) {
        return mpl_nomem(err);
    }
    for (size_t r = 0; r < p->table->n_rows; r++) {
        m->values[cell_of(m, r)] += mpl_picture_value(p, r, p->view->by);
        m->n_rows[cell_of(m, r)]++;
    }
    for (size_t i = 0; i < n; i++) {
        m->most = m->n_rows[i] > 0 ? fmax(m->most, m->values[i] / m->n_rows[i]) : m->most;
    }
    return MPL_OK;
}

static enum mpl_status lay_out(struct picture *p, struct mpl_err *err)
{
    static const uint32_t most[] = { MOST_DOWN, MOST_ACROSS };
    struct matrix *m = MPL_NEW(p->sheet.arena, struct matrix);
    enum mpl_status st = m == NULL ? mpl_nomem(err) : MPL_OK;

    for (int i = 0; i < 2 && st == MPL_OK; i++) {
        st = mpl_labels_create(p, &p->view->axes.of[i], 1, &m->side[i], err);
        m->per_cell[i] = (m->side[i].n + most[i] - 1) / most[i];
        m->per_cell[i] += m->per_cell[i] == 0;
        m->n[i] = (m->side[i].n + m->per_cell[i] - 1) / m->per_cell[i];
    }
    st = st == MPL_OK ? sum_up(p, m, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    p->laid_out = m;
    m->is_exact =
        m->per_cell[0] == 1 && m->per_cell[1] == 1 && p->table->n_rows <= p->most_rows;
    m->cell_width = fmin((double) PLOT_PIXELS / m->n[1], WIDEST_CELL);
    p->width = (int) ceil(m->cell_width * m->n[1]);
    p->width = p->width < PLOT_PIXELS / 2 ? PLOT_PIXELS / 2 : p->width;
    p->left = mpl_labels_width(&m->side[0]) * (m->per_cell[0] > 1 ? 2 : 1);
    p->height = (int) m->n[0] * CELL_HEIGHT + 2 * LINE_PIXELS;
    p->key = mpl_draw_words(&p->sheet, "%s down, %s across; colour: %s, from 0 to %s.",
                            mpl_picture_column(p, p->view->axes.of[0]),
                            mpl_picture_column(p, p->view->axes.of[1]),
                            mpl_picture_column(p, p->view->by),
                            mpl_picture_words(p, m->most, p->view->by));
    p->left_out =
        m->per_cell[0] == 1 && m->per_cell[1] == 1
            ? NULL
            : mpl_draw_words(&p->sheet, "A cell is the mean of %u %s by %u %s.",
                             m->per_cell[0], mpl_picture_column(p, p->view->axes.of[0]),
                             m->per_cell[1], mpl_picture_column(p, p->view->axes.of[1]));
    return MPL_OK;
}

static void draw_cell(const struct picture *p, const struct matrix *m, size_t cell,
                      double value)
{
    const uint32_t shade =
        value <= 0 ? 0 : 1 + (uint32_t) (value / m->most * (SHADES - 0.001));

    mpl_markup_print(
        p->sheet.out, "<rect class=\"h%u\" x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\"/>",
        shade, mpl_draw_short(&p->sheet, (double) (cell % m->n[1]) * m->cell_width),
        (int) (cell / m->n[1]) * CELL_HEIGHT, mpl_draw_short(&p->sheet, m->cell_width),
        (int) CELL_HEIGHT);
}

static const char *span_of(const struct picture *p, const struct matrix *m, int side,
                           size_t number)
{
    return mpl_labels_range(&p->sheet, &m->side[side], m->per_cell[side], number);
}

/* Cells without rows are paper, and cells of zeros have no group: a matrix of zeros is small. */
static void draw_means(const struct picture *p, const struct matrix *m)
{
    for (size_t i = 0; i < (size_t) m->n[0] * m->n[1]; i++) {
        if (m->values[i] > 0) {
            mpl_markup_print(
                p->sheet.out,
                "<g data-%s=\"%s\" data-%s=\"%s\" data-count=\"%u\" data-sum=\"%s\">",
                mpl_picture_column(p, p->view->axes.of[0]), span_of(p, m, 0, i / m->n[1]),
                mpl_picture_column(p, p->view->axes.of[1]), span_of(p, m, 1, i % m->n[1]),
                m->n_rows[i], mpl_draw_number(&p->sheet, m->values[i]));
            draw_cell(p, m, i, m->values[i] / m->n_rows[i]);
            mpl_picture_end_row(p);
        }
    }
}

static void draw(const struct picture *p)
{
    const struct matrix *m = p->laid_out;

    mpl_markup_print(p->sheet.out, "<rect class=\"h0\" width=\"%s\" height=\"%d\"/>\n",
                     mpl_draw_short(&p->sheet, m->cell_width * m->n[1]),
                     (int) m->n[0] * CELL_HEIGHT);
    if (!m->is_exact) {
        draw_means(p, m);
    }
    for (size_t r = 0; m->is_exact && r < p->table->n_rows; r++) {
        mpl_picture_open_row(p, r);
        draw_cell(p, m, cell_of(m, r), mpl_picture_value(p, r, p->view->by));
        mpl_picture_end_row(p);
    }
    const int y = (int) m->n[0] * CELL_HEIGHT;
    const int width = mpl_labels_width(&m->side[1]) * (m->per_cell[1] > 1 ? 2 : 1) + LETTER;
    const uint32_t every = (uint32_t) ceil(width / m->cell_width);

    for (uint32_t i = 0; i < m->n[0]; i++) {
        mpl_picture_label(p, (int) i * CELL_HEIGHT + 11, span_of(p, m, 0, i));
    }
    mpl_markup_put(p->sheet.out, "\n<g class=\"axis\">");
    for (uint32_t i = 0; i < m->n[1]; i += every) {
        mpl_markup_print(p->sheet.out, "<text x=\"%s\" y=\"%d\">%s</text>",
                         mpl_draw_short(&p->sheet, (i + 0.5) * m->cell_width), y + 13,
                         span_of(p, m, 1, i));
    }
    mpl_markup_put(p->sheet.out, "</g>\n");
}

const struct mpl_marking mpl_marking_matrix = { lay_out, draw };
