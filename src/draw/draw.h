/*
 * Takes:        a diagnosis, and the spans of its runs; tables of views.
 * Makes:        pictures of it: one page of HTML that holds all it shows, with pictures in SVG; graphs
 *               in the language of Graphviz.
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

/** Whether a table of \p view is a graph: rows from somebody to somebody. */
bool mpl_draw_has_graph(const struct mpl_view *view);

/**
 * The connection graph of section 4.6 of the EventSpace paper as DOT: a node per location, inside of
 * its host where that is known, and an edge per pair with messages, bytes and waiting; the longer the
 * receiver waits, the thicker. Rows without two ends, as of collective operations, are no edges: how many
 * there are stands in a comment.
 *
 * The view must have a graph. Errors: MPL_E_NOMEM, MPL_E_IO.
 */
enum mpl_status mpl_draw_dot(const struct mpl_table *table, FILE *out, struct mpl_err *err);

#endif
