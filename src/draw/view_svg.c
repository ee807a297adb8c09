/* The picture of a view: what its mark draws, and the frame around. */
#include "config.h"

#include "draw/picture_priv.h"

#include <string.h>

enum { MARGIN = 12 };

static const struct mpl_marking *marking_of(enum mpl_mark mark)
{
    switch (mark) {
    case MPL_MARK_MATRIX:
        return &mpl_marking_matrix;
    case MPL_MARK_STRETCHES:
        return &mpl_marking_stretches;
    case MPL_MARK_LINES:
        return &mpl_marking_lines;
    case MPL_MARK_ARROWS:
        return &mpl_marking_arrows;
    default:
        return &mpl_marking_bars;
    }
}

enum mpl_status mpl_picture_create(struct picture *p, const struct mpl_view_report *report,
                                   size_t most_rows, FILE *out, struct mpl_err *err)
{
    *p = (struct picture){ .most_rows = most_rows,
                           .sheet = { .out = out, .arena = report->arena },
                           .report = report,
                           .view = report->view,
                           .width = PLOT_PIXELS,
                           .height = LINE_PIXELS };
    const enum mpl_status st =
        mpl_table_create(report->view, report->selection, report->arena, &p->table, err);

    return st != MPL_OK || p->table->n_rows == 0
               ? st
               : marking_of(p->view->mark)->lay_out(p, err);
}

static int say(const struct picture *p, int y, const char *class, const char *text)
{
    mpl_markup_print(p->sheet.out, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n",
                     class, (int) MARGIN, y + LINE_PIXELS - 4, text);
    return y + LINE_PIXELS;
}

/* What the colours mean, side by side. */
static int draw_looks(const struct picture *p, int y)
{
    int x = MARGIN;

    for (int i = MPL_LOOK_COMPUTE; i < MPL_LOOKS; i++) {
        mpl_markup_print(p->sheet.out,
                         "<path class=\"f-%s\" d=\"M%d %dh18v10h-18z\"/>"
                         "<text x=\"%d\" y=\"%d\">%s</text>\n",
                         mpl_looks[i].name, x, y + 2, x + 22, y + 11, mpl_looks[i].says);
        x += 22 + ((int) strlen(mpl_looks[i].says) + 3) * LETTER_PIXELS;
    }
    return y + LINE_PIXELS + 4;
}

static int wider(int width, const char *text)
{
    const int columns = text != NULL ? (int) mpl_text_columns(text) : 0;

    return columns * LETTER_PIXELS > width ? columns * LETTER_PIXELS : width;
}

void mpl_picture_draw(const struct picture *p, bool is_file)
{
    FILE *out = p->sheet.out;
    const int n_lines = 2 + (int) p->report->n_notes + (p->key != NULL) +
                        (p->left_out != NULL) + 2 * p->has_looks;
    const int height = MARGIN * 3 + n_lines * LINE_PIXELS + p->height;
    const int plot = MARGIN * 2 + p->left + p->width + p->right;
    /* No line above the plot is cut: that of a small matrix is wider than its cells. */
    const int width = MARGIN * 2 + wider(wider(plot, p->key), p->left_out);
    int y = MARGIN;

    mpl_markup_put(out, is_file ? "<svg xmlns=\"http://www.w3.org/2000/svg\" " : "<svg ");
    mpl_markup_print(
        out,
        "class=\"picture\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
        "role=\"img\" aria-label=\"%s: %s\" data-view=\"%s\" data-rows=\"%zu\">\n",
        width, height, width, height, p->view->name, p->view->says, p->view->name,
        p->table->n_rows);
    if (is_file) {
        mpl_markup_print(out, "<title>%s: %s</title>\n<style>", p->view->name,
                         p->view->says);
        mpl_markup_put(out, mpl_asset_picture.text);
        mpl_markup_put(out, "</style>\n");
        mpl_draw_textures(&p->sheet);
    }
    mpl_markup_print(out, "<path class=\"paper\" d=\"M0 0h%dv%dh-%dz\"/>\n", width, height,
                     width);
    y = say(p, y, "flat",
            mpl_draw_words(&p->sheet, "%s: %s", p->view->name, p->view->says));
    y = say(p, y, "soft", mpl_report_selection_words(p->report->selection, p->sheet.arena));
    for (size_t i = 0; i < p->report->n_notes; i++) {
        y = say(p, y, "soft", mpl_draw_words(&p->sheet, "note: %s.", p->report->notes[i]));
    }
    y = p->left_out != NULL ? say(p, y, "soft", p->left_out) : y;
    y = p->key != NULL ? say(p, y, "soft", p->key) : y;
    y = p->has_looks ? draw_looks(p, y) : y;
    mpl_markup_print(out,
                     "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                     "overflow=\"visible\">\n",
                     MARGIN * 2 + p->left, y + MARGIN, p->width, p->height);
    if (p->table->n_rows == 0) {
        mpl_markup_put(out, "<text x=\"0\" y=\"11\">Nothing to show.</text>\n");
    } else {
        marking_of(p->view->mark)->draw(p);
    }
    mpl_markup_put(out, "</svg>\n</svg>\n");
}

enum mpl_status mpl_draw_view_svg(const struct mpl_view_report *report, FILE *out,
                                  struct mpl_err *err)
{
    struct picture p;
    const enum mpl_status st = mpl_picture_create(&p, report, MOST_DRAWN_ROWS, out, err);

    if (st != MPL_OK) {
        return st;
    }
    mpl_picture_draw(&p, true);
    return mpl_arena_is_short(p.sheet.arena) ? mpl_nomem(err) : mpl_file_flush(out, err);
}
