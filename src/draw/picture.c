/* What pictures of all marks have in common: labels, and rows with their cells. */
#include "config.h"

#include "draw/picture_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct mpl_cell *mpl_picture_cell(const struct picture *p, size_t row, size_t column)
{
    return &p->table->cells[row * p->view->n_columns + column];
}

double mpl_picture_value(const struct picture *p, size_t row, size_t column)
{
    const struct mpl_cell *cell = mpl_picture_cell(p, row, column);

    return cell->kind == MPL_CELL_WHOLE    ? (double) cell->whole
           : cell->kind == MPL_CELL_NUMBER ? cell->number
                                           : 0;
}

static const char *exact(const struct picture *p, const struct mpl_cell *cell)
{
    switch (cell->kind) {
    case MPL_CELL_TEXT:
        return cell->text;
    case MPL_CELL_WHOLE:
        return mpl_draw_words(&p->sheet, "%lld", (long long) cell->whole);
    case MPL_CELL_NUMBER:
        return mpl_draw_number(&p->sheet, cell->number);
    default:
        return "";
    }
}

const char *mpl_picture_words(const struct picture *p, double value, size_t column)
{
    const char *unit = p->view->columns[column].unit;

    return unit != NULL && strcmp(unit, "s") == 0 ? mpl_draw_seconds(&p->sheet, value)
                                                  : mpl_draw_short(&p->sheet, value);
}

const char *mpl_picture_cell_words(const struct picture *p, size_t row, size_t column)
{
    const struct mpl_cell *cell = mpl_picture_cell(p, row, column);

    const char *unit = p->view->columns[column].unit;

    if (cell->kind != MPL_CELL_NUMBER) {
        return exact(p, cell);
    }
    /* Three digits would not tell when it is that something begins. */
    return unit != NULL && strcmp(unit, "s") == 0 && fabs(cell->number) >= 1e-3
               ? mpl_draw_words(&p->sheet, "%s s", mpl_draw_micros(&p->sheet, cell->number))
               : mpl_picture_words(p, cell->number, column);
}

const char *mpl_picture_column(const struct picture *p, size_t column)
{
    return p->view->columns[column].name;
}

struct place {
    uint32_t location; /* MPL_NONE: no location */
    uint32_t number;
};

static int by_place(const void *x, const void *y)
{
    const struct place *a = x;
    const struct place *b = y;

    return a->location != b->location
               ? (a->location > b->location) - (a->location < b->location)
               : (a->number > b->number) - (a->number < b->number);
}

static const char *name_of(struct picture *p, size_t row, const size_t *columns,
                           size_t n_columns)
{
    const char *name = "";

    for (size_t i = 0; i < n_columns; i++) {
        const char *word = exact(p, mpl_picture_cell(p, row, columns[i]));

        name = i == 0 ? word : mpl_draw_words(&p->sheet, "%s %s", name, word);
    }
    return name[0] != '\0' ? name : "–";
}

static enum mpl_status sort(struct picture *p, const struct mpl_names *names,
                            struct mpl_labels *out, struct mpl_err *err)
{
    const struct mpl_model *model = p->report->selection->run->model;
    struct place *places = MPL_NEW_ARRAY(p->sheet.arena, out->n + 1, struct place);
    uint32_t *rank_of = MPL_NEW_ARRAY(p->sheet.arena, out->n + 1, uint32_t);

    out->names = MPL_NEW_ARRAY(p->sheet.arena, out->n + 1, const char *);
    if (places == NULL || rank_of == NULL || out->names == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < out->n; i++) {
        places[i] =
            (struct place){ mpl_model_find_location(model, mpl_names_text(names, i)), i };
    }
    qsort(places, out->n, sizeof *places, by_place);
    for (uint32_t i = 0; i < out->n; i++) {
        out->names[i] =
            mpl_arena_strdup(p->sheet.arena, mpl_names_text(names, places[i].number));
        rank_of[places[i].number] = i;
        if (out->names[i] == NULL) {
            return mpl_nomem(err);
        }
    }
    for (size_t r = 0; r < p->table->n_rows; r++) {
        out->of_row[r] = rank_of[out->of_row[r]];
    }
    return MPL_OK;
}

enum mpl_status mpl_labels_create(struct picture *p, const size_t *columns,
                                  size_t n_columns, struct mpl_labels *out,
                                  struct mpl_err *err)
{
    struct mpl_names *names = mpl_names_create();
    enum mpl_status st = MPL_OK;

    *out = (struct mpl_labels){ .of_row = MPL_NEW_ARRAY(p->sheet.arena,
                                                        p->table->n_rows + 1, uint32_t) };
    if (names == NULL || out->of_row == NULL) {
        st = mpl_nomem(err);
    }
    for (size_t r = 0; r < p->table->n_rows && st == MPL_OK; r++) {
        out->of_row[r] = mpl_names_put(names, name_of(p, r, columns, n_columns));
        st = out->of_row[r] == MPL_NONE ? mpl_nomem(err) : MPL_OK;
    }
    if (st == MPL_OK) {
        out->n = (uint32_t) mpl_names_count(names);
        st = sort(p, names, out, err);
    }
    mpl_names_destroy(names);
    return st;
}

const char *mpl_labels_range(const struct sheet *s, const struct mpl_labels *labels,
                             uint32_t per, size_t number)
{
    const size_t first = number * per;
    const size_t last = first + per - 1;

    return per == 1
               ? labels->names[first]
               : mpl_draw_words(s, "%s–%s", labels->names[first],
                                labels->names[last < labels->n ? last : labels->n - 1]);
}

int mpl_labels_width(const struct mpl_labels *labels)
{
    size_t most = 0;

    for (uint32_t i = 0; i < labels->n; i++) {
        const size_t n = mpl_text_columns(labels->names[i]);

        most = n > most ? n : most;
    }
    most = most > PLOT_PIXELS / 4 / LETTER_PIXELS ? PLOT_PIXELS / 4 / LETTER_PIXELS : most;
    return (int) most * LETTER_PIXELS + LETTER_PIXELS;
}

void mpl_picture_open_row(const struct picture *p, size_t row)
{
    FILE *out = p->sheet.out;
    const char *between = "";

    mpl_markup_print(out, "<g data-row=\"%zu\"", row);
    for (size_t i = 0; i < p->view->n_columns; i++) {
        mpl_markup_print(out, " data-%s=\"%s\"", mpl_picture_column(p, i),
                         exact(p, mpl_picture_cell(p, row, i)));
    }
    mpl_markup_put(out, "><title>");
    for (size_t i = 0; i < p->view->n_columns; i++) {
        const struct mpl_cell *cell = mpl_picture_cell(p, row, i);

        if (cell->kind == MPL_CELL_TEXT || mpl_picture_value(p, row, i) != 0) {
            mpl_markup_print(out, "%s%s %s", between, mpl_picture_column(p, i),
                             mpl_picture_cell_words(p, row, i));
            between = ", ";
        }
    }
    mpl_markup_put(out, "</title>");
}

void mpl_picture_end_row(const struct picture *p)
{
    mpl_markup_put(p->sheet.out, "</g>\n");
}

void mpl_picture_label(const struct picture *p, int y, const char *text)
{
    mpl_markup_print(p->sheet.out,
                     "<g class=\"labels\"><text x=\"-6\" y=\"%d\">%s</text></g>", y, text);
}

const char *mpl_picture_x(const struct picture *p, double value, double from, double to)
{
    const double share = to > from ? (value - from) / (to - from) : 0;

    return mpl_draw_short(&p->sheet, (share < 0 ? 0 : share > 1 ? 1 : share) * p->width);
}
