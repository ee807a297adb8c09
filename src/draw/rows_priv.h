/* Rows of a picture, one above the other. Lengths are pixels; in x a picture is PLOT_WIDTH wide, and is
 * stretched to the width of the page. */
#ifndef MPL_DRAW_ROWS_PRIV_H
#define MPL_DRAW_ROWS_PRIV_H

#include "draw/draw_priv.h"

enum {
    ROW_PIXELS = 18,
    BAR_PIXELS = 12,
    STRIP_PIXELS = 3,
    AXIS_PIXELS = 22,
    PLOT_WIDTH = 1000
};

/**
 * Opens a picture of the locations of a frame, \p per_row in each row, with their labels and, where these differ,
 * roles; and in it what is stretched. \p says is what those hear who do not see.
 */
void mpl_rows_open(const struct sheet *s, const char *id, const char *says,
                   const struct mpl_frame *frame, uint32_t per_row);
/** Ends what is stretched. */
void mpl_rows_end_stretched(const struct sheet *s);
/** What the rows of \p bins show, each with what the locations do in all. */
void mpl_rows_bins(const struct sheet *s, const struct mpl_frame *frame, uint32_t per_row,
                   const struct mpl_bins *bins);
/** Of one row the pictures alone. */
void mpl_rows_bins_of(const struct sheet *s, const struct mpl_bins *bins, uint32_t row);
void mpl_rows_end(const struct sheet *s, const struct mpl_frame *frame, uint32_t n_rows);

#endif
