/*
 * Takes:        a diagnosis, and the spans of its runs.
 * Makes:        pictures of it: one page of HTML that holds all it shows, with pictures in SVG.
 * Leaves alone: what is found, and how it is worded (report); it decides nothing.
 */
#ifndef MPL_DRAW_DRAW_H
#define MPL_DRAW_DRAW_H

#include "report/report.h"

struct mpl_draw_options {
    const struct mpl_plan *plan; /**< What to measure next; may be NULL. */
    size_t most_bytes; /**< The page leaves out data rather than exceed it; 0: 8 MB. */
};

/**
 * Writes the diagnosis as one page that needs nothing else: no file, no network, and JavaScript only to zoom.
 * What it leaves out it says. Names of the trace are text in it, whatever they hold.
 *
 * Errors: MPL_E_NOMEM, MPL_E_IO. Cost: linear in spans.
 */
enum mpl_status mpl_draw_page(struct mpl_analysis *analysis,
                              const struct mpl_draw_options *options, FILE *out,
                              struct mpl_err *err);

#endif
