/*
 * The picture of a view: its table with the mark that the view names. Each mark first lays out what it draws, and then draws it;
 * lengths are pixels. What stands for one row of the table holds all of its cells as data- attributes, to the last digit; what
 * stands for several ones holds how many these are, and sums.
 */
#ifndef MPL_DRAW_PICTURE_PRIV_H
#define MPL_DRAW_PICTURE_PRIV_H

#include "draw/draw_priv.h"

enum { PLOT_PIXELS = 760, LINE_PIXELS = 16, LETTER_PIXELS = 7, MOST_DRAWN_ROWS = 2000 };

struct picture {
    struct sheet sheet;
    const struct mpl_view_report *report;
    const struct mpl_view *view;
    const struct mpl_table *table;
    size_t most_rows;     /**< More are summed up. */
    int left;             /**< Room for labels. */
    int width;            /**< Of what is right of it. */
    int right;            /**< Room for words beside the plot. */
    int height;           /**< Of what the mark draws, axes included. */
    const char *left_out; /**< A sentence, or NULL: all rows are drawn. */
    const char *key; /**< A sentence: what shades, lines and thickness mean; may be NULL. */
    bool has_looks;  /**< Colours are those of the legend. */
    void *laid_out;  /**< What the mark knows. */
};

/** A mark. */
struct mpl_marking {
    enum mpl_status (*lay_out)(struct picture *p, struct mpl_err *err);
    void (*draw)(const struct picture *p);
};
extern const struct mpl_marking mpl_marking_bars;
extern const struct mpl_marking mpl_marking_matrix;
extern const struct mpl_marking mpl_marking_stretches;
extern const struct mpl_marking mpl_marking_lines;
extern const struct mpl_marking mpl_marking_arrows;

/** The names in some columns, each once: locations in their order, others as they come. */
struct mpl_labels {
    uint32_t n;
    const char **names;
    uint32_t *of_row; /**< Per row of the table. */
};
/** Names of several columns become one, with blanks between. Ownership: the picture's arena. */
enum mpl_status mpl_labels_create(struct picture *p, const size_t *columns,
                                  size_t n_columns, struct mpl_labels *out,
                                  struct mpl_err *err);
/** Pixels that the widest one takes, at most a quarter of the picture. */
int mpl_labels_width(const struct mpl_labels *labels);
/** "3", "3–5": what stands for \p per of them. */
const char *mpl_labels_range(const struct sheet *s, const struct mpl_labels *labels,
                             uint32_t per, size_t number);

const struct mpl_cell *mpl_picture_cell(const struct picture *p, size_t row, size_t column);
/** 0 where nothing is known. */
double mpl_picture_value(const struct picture *p, size_t row, size_t column);
/** "12.5 ms", "3 bytes", "7" */
const char *mpl_picture_words(const struct picture *p, double value, size_t column);
/** Opens a group that is a row of the table, with all of its cells. */
void mpl_picture_open_row(const struct picture *p, size_t row);
void mpl_picture_end_row(const struct picture *p);
/** Columns that belong to a mark, in the order of their meaning. */
const char *mpl_picture_column(const struct picture *p, size_t column);
/** A label left of the plot, at this height. */
void mpl_picture_label(const struct picture *p, int y, const char *text);
/** A number for a coordinate. */
const char *mpl_picture_x(const struct picture *p, double value, double from, double to);

/** The same with unit, as in a tooltip. */
const char *mpl_picture_cell_words(const struct picture *p, size_t row, size_t column);

/** The whole picture as one element. \p is_file: with its style, as a file needs it. */
enum mpl_status mpl_picture_create(struct picture *p, const struct mpl_view_report *report,
                                   size_t most_rows, FILE *out, struct mpl_err *err);
void mpl_picture_draw(const struct picture *p, bool is_file);

#endif
