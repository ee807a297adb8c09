/* A view on a page of its own: the picture, and the table with all columns. */
#include "config.h"

#include "draw/picture_priv.h"

enum { MOST_ROWS = 5000 };

static void draw_cell(const struct picture *p, size_t row, size_t column)
{
    const struct mpl_cell *cell = mpl_picture_cell(p, row, column);
    const char *words = mpl_picture_cell_words(p, row, column);

    if (cell->kind == MPL_CELL_NUMBER || cell->kind == MPL_CELL_WHOLE) {
        mpl_draw_value_cell(&p->sheet, mpl_picture_value(p, row, column), words);
    } else {
        mpl_markup_print(p->sheet.out, "<td>%s</td>", words);
    }
}

static enum mpl_status draw_table(const struct picture *p, struct mpl_err *err)
{
    const struct mpl_view *view = p->view;
    const char **heads = MPL_NEW_ARRAY(p->sheet.arena, view->n_columns + 1, const char *);
    const bool *is_shown = mpl_report_top_rows(p->table, MOST_ROWS, p->sheet.arena);

    if (heads == NULL || is_shown == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < view->n_columns; i++) {
        heads[i] =
            mpl_draw_words(&p->sheet, "%s%s", view->columns[i].unit != NULL ? "#" : "",
                           view->columns[i].name);
    }
    mpl_draw_table(&p->sheet, view->says, heads);
    for (size_t r = 0; r < p->table->n_rows; r++) {
        if (is_shown[r]) {
            mpl_markup_print(p->sheet.out, "<tr data-row=\"%zu\">", r);
            for (size_t i = 0; i < view->n_columns; i++) {
                draw_cell(p, r, i);
            }
            mpl_markup_put(p->sheet.out, "</tr>\n");
        }
    }
    mpl_draw_table_end(&p->sheet);
    if (p->table->n_rows > MOST_ROWS) {
        mpl_markup_print(p->sheet.out,
                         "<p class=\"note warn\">%d of %zu rows%s%s; --format csv has "
                         "all.</p>\n",
                         (int) MOST_ROWS, p->table->n_rows,
                         view->by == 0 ? ", the first ones" : ", those with the largest ",
                         view->by == 0 ? "" : view->columns[view->by].name);
    }
    return MPL_OK;
}

enum mpl_status mpl_draw_view_page(const struct mpl_view_report *report, FILE *out,
                                   struct mpl_err *err)
{
    struct picture p;
    enum mpl_status st = mpl_picture_create(&p, report, MOST_DRAWN_ROWS, out, err);

    if (st != MPL_OK) {
        return st;
    }
    mpl_draw_head(
        &p.sheet,
        mpl_draw_words(&p.sheet, "%s: %s", p.view->name, report->selection->run->path),
        false);
    mpl_draw_textures(&p.sheet);
    mpl_markup_print(out,
                     "<header><h1>%s: %s</h1>\n<p class=\"title\">%s</p></header>\n<main>\n"
                     "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
                     "aria-label=\"Picture\">\n",
                     p.view->name, p.view->says, report->selection->run->path);
    mpl_picture_draw(&p, false);
    mpl_markup_put(out, "</div>\n");
    mpl_markup_put(p.sheet.out, "<details><summary>What the columns are</summary><dl>\n");
    for (size_t i = 0; i < p.view->n_columns; i++) {
        mpl_markup_print(p.sheet.out, "<dt>%s</dt><dd>%s</dd>\n", p.view->columns[i].name,
                         p.view->columns[i].says);
    }
    mpl_markup_put(p.sheet.out, "</dl></details>\n");
    st = draw_table(&p, err);
    mpl_markup_put(out, "</main>\n</body></html>\n");
    st = st == MPL_OK && mpl_arena_is_short(p.sheet.arena) ? mpl_nomem(err) : st;
    return st == MPL_OK ? mpl_file_flush(out, err) : st;
}
