/*
 * Waiting by process and step, in which one late process is a line and an idle wave a slanted one. A run without
 * common steps has equal stretches of time instead.
 */
#include "config.h"

#include "draw/draw_priv.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_COLUMNS = 200, MOST_ROWS = 64, SHADES = 8, CELL_PIXELS = 12, SLICES = 60 };

struct heat {
    const struct sheet *s;
    const struct mpl_run *run;
    const struct mpl_steps *steps; /* NULL: slices of time */
    uint32_t n_rows;
    uint32_t n_columns;
    uint32_t rows_per_cell;
    uint32_t columns_per_cell;
    uint32_t across; /* cells */
    uint32_t down;
    double *cells; /* [row * across + column], seconds: mean over what is taken together */
    double most;
    double top; /* from there on the strongest shade */
};

static uint32_t location_of(const struct heat *h, uint32_t row)
{
    return h->steps != NULL ? h->steps->loads[row].location : row;
}

static void add(struct heat *h, uint32_t row, uint32_t column, int64_t ticks)
{
    h->cells[(size_t) (row / h->rows_per_cell) * h->across +
             column / h->columns_per_cell] += mpl_model_seconds(h->run->model, ticks);
}

/* The calls behind the one that begins the step, to the one that ends it. */
static void add_steps(struct heat *h, uint32_t row)
{
    const uint32_t location = location_of(h, row);
    const uint32_t *calls = h->steps->calls[row];

    for (uint32_t step = 0; step < h->steps->n; step++) {
        int64_t ticks = 0;

        for (uint32_t call = calls[step] + 1; call <= calls[step + 1]; call++) {
            ticks += mpl_events_wait_ticks(h->run->events, location, 2 * call + 1);
        }
        add(h, row, step, ticks);
    }
}

/* A wait that lies in several slices counts in each as far as it lies there. */
static void add_slices(struct heat *h, uint32_t row)
{
    const uint32_t n = mpl_events_call_count(h->run->events, row);
    int64_t begin;
    int64_t end;

    mpl_events_window(h->run->events, &begin, &end);
    const int64_t width = (end > begin ? end - begin - 1 : 0) / SLICES + 1;

    for (uint32_t call = 0; call < n; call++) {
        int64_t from = mpl_events_enter_ticks(h->run->events, row, 2 * call + 1);
        int64_t to = from + mpl_events_wait_ticks(h->run->events, row, 2 * call + 1);

        from = from < begin ? begin : from;
        to = to > end ? end : to;
        while (from < to) {
            const int64_t slice = (from - begin) / width;
            const int64_t edge = begin + (slice + 1) * width;
            const int64_t until = edge < to ? edge : to;

            add(h, row, (uint32_t) slice, until - from);
            from = until;
        }
    }
}

static int by_value(const void *x, const void *y)
{
    const double *a = x;
    const double *b = y;

    return (*a > *b) - (*a < *b);
}

/*
 * A few long waits must not make all others look alike: where the longest is more than twice as long as 95 of 100 cells
 * with waiting, shades end at these.
 */
static enum mpl_status find_top(struct heat *h, struct mpl_err *err)
{
    const size_t n_cells = (size_t) h->down * h->across;
    double *waits = MPL_NEW_ARRAY(h->s->arena, n_cells, double);
    size_t n = 0;

    if (waits == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n_cells; i++) {
        if (h->cells[i] > 0) {
            waits[n++] = h->cells[i];
        }
    }
    qsort(waits, n, sizeof *waits, by_value);
    const double usual = n > 0 ? waits[(n - 1) * 95 / 100] : 0;

    h->top = h->most > 2 * usual ? usual : h->most;
    return MPL_OK;
}

static enum mpl_status measure(struct heat *h, struct mpl_err *err)
{
    h->n_rows = h->steps != NULL ? h->steps->n_processes : h->run->model->n_locations;
    h->n_columns = h->steps != NULL ? h->steps->n : SLICES;
    h->rows_per_cell = (h->n_rows - 1) / MOST_ROWS + 1;
    h->columns_per_cell = (h->n_columns - 1) / MOST_COLUMNS + 1;
    h->down = (h->n_rows - 1) / h->rows_per_cell + 1;
    h->across = (h->n_columns - 1) / h->columns_per_cell + 1;
    h->cells = MPL_NEW_ARRAY(h->s->arena, (size_t) h->down * h->across, double);
    if (h->cells == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t row = 0; row < h->n_rows; row++) {
        if (h->steps != NULL) {
            add_steps(h, row);
        } else {
            add_slices(h, row);
        }
    }
    /* Cells at the edge hold fewer rows and columns. */
    for (uint32_t r = 0; r < h->down; r++) {
        for (uint32_t c = 0; c < h->across; c++) {
            const uint32_t rows = h->n_rows - r * h->rows_per_cell;
            const uint32_t columns = h->n_columns - c * h->columns_per_cell;
            double *cell = &h->cells[(size_t) r * h->across + c];

            *cell /= rows < h->rows_per_cell ? rows : h->rows_per_cell;
            *cell /= columns < h->columns_per_cell ? columns : h->columns_per_cell;
            h->most = fmax(h->most, *cell);
        }
    }
    return find_top(h, err);
}

static uint32_t shade_of(const struct heat *h, double value)
{
    return value <= 0 ? 0 : 1 + (uint32_t) (fmin(value / h->top, 1) * (SHADES - 0.001));
}

/* One path per shade and row: neighbours of a shade are one rectangle. */
static void draw_row(const struct heat *h, uint32_t row)
{
    const double *cells = h->cells + (size_t) row * h->across;

    for (uint32_t shade = 1; shade <= SHADES; shade++) {
        bool is_open = false;

        for (uint32_t i = 0; i < h->across; i++) {
            uint32_t end = i;

            while (end < h->across && shade_of(h, cells[end]) == shade) {
                end++;
            }
            if (end > i) {
                if (!is_open) {
                    mpl_markup_print(h->s->out, "<path class=\"h%u\" d=\"", shade);
                }
                mpl_markup_print(h->s->out, "M%u %uh%uv%dh-%uz", i, row * CELL_PIXELS,
                                 end - i, (int) CELL_PIXELS, end - i);
                is_open = true;
                i = end;
            }
        }
        mpl_markup_put(h->s->out, is_open ? "\"/>" : "");
    }
}

static const char *label_of(const struct heat *h, uint32_t row)
{
    const struct mpl_location *all = h->run->model->locations;
    const uint32_t first = row * h->rows_per_cell;
    const uint32_t end = first + h->rows_per_cell;
    const uint32_t last = end < h->n_rows ? end - 1 : h->n_rows - 1;

    return first == last ? all[location_of(h, first)].label
                         : mpl_draw_words(h->s, "%s–%s", all[location_of(h, first)].label,
                                          all[location_of(h, last)].label);
}

static void draw_rows(const struct heat *h)
{
    const struct sheet *s = h->s;

    mpl_markup_put(s->out, "<g class=\"labels\">");
    for (uint32_t row = 0; row < h->down; row++) {
        mpl_markup_print(s->out, "<text x=\"-6\" y=\"%u\">%s</text>",
                         row * CELL_PIXELS + 10, label_of(h, row));
    }
    mpl_markup_print(
        s->out,
        "</g>\n<svg data-columns=\"%u\" data-per=\"%u\" data-steps=\"%d\" width=\"100%%\" "
        "height=\"%u\" viewBox=\"0 0 %u %u\" "
        "preserveAspectRatio=\"none\"><path class=\"h0\" d=\"M0 0h%uv%uh-%uz\"/>\n",
        h->n_columns, h->columns_per_cell, h->steps != NULL, h->down * CELL_PIXELS,
        h->across, h->down * CELL_PIXELS, h->across, h->down * CELL_PIXELS, h->across);
    for (uint32_t row = 0; row < h->down; row++) {
        mpl_markup_print(s->out, "<g data-location=\"%s\" data-wait=\"", label_of(h, row));
        for (uint32_t i = 0; i < h->across; i++) {
            mpl_markup_print(s->out, "%s%s", i > 0 ? " " : "",
                             mpl_draw_short(s, h->cells[(size_t) row * h->across + i]));
        }
        mpl_markup_put(s->out, "\">");
        draw_row(h, row);
        mpl_markup_put(s->out, "</g>\n");
    }
    mpl_markup_put(s->out, "</svg>\n");
}

static void say_scale(const struct heat *h)
{
    const struct sheet *s = h->s;
    const char *together =
        h->rows_per_cell > 1 || h->columns_per_cell > 1
            ? mpl_draw_words(
                  s, " A cell is the mean of %u %s%s.", h->columns_per_cell,
                  h->steps != NULL ? "steps" : "slices",
                  h->rows_per_cell == 1
                      ? ""
                      : mpl_draw_words(s, " of %u %s", h->rows_per_cell,
                                       h->steps != NULL ? "processes" : "locations"))
            : "";

    mpl_markup_put(s->out, "<p class=\"note\">Waiting, from none ");
    for (int i = 0; i <= SHADES; i++) {
        mpl_markup_print(s->out,
                         "<svg width=\"14\" height=\"12\" aria-hidden=\"true\"><path "
                         "class=\"h%d\" d=\"M0 0h14v12h-14z\"/></svg>",
                         i);
    }
    mpl_markup_print(
        s->out, " to %s%s.%s%s</p>\n", mpl_draw_seconds(s, h->top),
        h->top < h->most
            ? mpl_draw_words(s, " and more, up to %s", mpl_draw_seconds(s, h->most))
            : "",
        together,
        h->steps != NULL ? ""
                         : " The run has no steps that all processes take "
                           "together: columns are equal stretches of its time.");
}

enum mpl_status mpl_draw_heat(const struct sheet *s, const struct mpl_run *run,
                              struct mpl_err *err)
{
    struct heat h = { .s = s, .run = run, .steps = s->steps };
    const enum mpl_status st = measure(&h, err);
    if (st != MPL_OK) {
        return st;
    }
    if (h.most <= 0) {
        mpl_markup_print(s->out,
                         "<p class=\"note\" id=\"steps%s\">Nobody is known to wait for "
                         "others.</p>\n",
                         s->key);
        return MPL_OK;
    }
    mpl_markup_print(
        s->out,
        "<section id=\"steps%s\"><h2>%s</h2>\n"
        "<div class=\"plot heat\" data-key=\"%s\"><svg role=\"img\" aria-label=\"Waiting "
        "of "
        "%u processes in %u columns, at most %s\" width=\"100%%\" height=\"%u\">\n",
        s->key, h.steps != NULL ? "Who waits in which step" : "Who waits when", s->key,
        h.n_rows, h.n_columns, mpl_draw_seconds(s, h.most), h.down * CELL_PIXELS + 20);
    draw_rows(&h);
    const uint32_t top = h.down * CELL_PIXELS + 14;

    mpl_markup_print(
        h.s->out,
        "<g class=\"axis\"><text class=\"first\" x=\"0\" y=\"%u\">%s</text>"
        "<text class=\"last\" x=\"100%%\" y=\"%u\">%s</text></g></svg></div>\n",
        top, h.steps != NULL ? "step 1" : "begin", top,
        h.steps != NULL ? mpl_draw_words(h.s, "step %u", h.n_columns) : "end");
    say_scale(&h);
    mpl_markup_put(s->out, "</section>\n");
    return MPL_OK;
}
