/*
 * Takes:        a diagnosis, and the spans of its runs; tables of views.
 * Makes:        pictures of it: one page of HTML that holds all it shows, with pictures in SVG; graphs
 *               in the language of Graphviz.
 * Leaves alone: what is found, and how it is worded (report); it decides nothing.
 */
#ifndef MPL_DRAW_DRAW_H
#define MPL_DRAW_DRAW_H

#include "diff/diff.h"
#include "report/report.h"

struct mpl_draw_options {
    const struct mpl_plan *plan; /**< What to measure next; may be NULL. */
    size_t most_bytes; /**< The page leaves out data rather than exceed it; 0: 8 MB. */
    const struct mpl_case_report *ran; /**< What `marple run` did; may be NULL. */
};

/**
 * Writes the diagnosis as one page that needs nothing else: no file, no network, and JavaScript only to zoom.
 * What it leaves out it says. Names of the trace are text in it, whatever they hold. \p analysis may be NULL where
 * the options say what was run: then the page says that nothing could be diagnosed, and why.
 *
 * Errors: MPL_E_NOMEM, MPL_E_IO. Cost: linear in spans.
 */
enum mpl_status mpl_draw_page(struct mpl_analysis *analysis,
                              const struct mpl_draw_options *options, FILE *out,
                              struct mpl_err *err);

/**
 * A view as a picture in SVG, a file of its own: the mark of the view, and what stands for a row holds all of its cells
 * as data- attributes, to the last digit. Where there are too many rows, several become one, or those that matter
 * less are left out; the picture says which.
 *
 * Errors: MPL_E_NOMEM, MPL_E_IO, those of the view. Cost: linear in rows.
 */
enum mpl_status mpl_draw_view_svg(const struct mpl_view_report *report, FILE *out,
                                  struct mpl_err *err);
/** The picture and the table on a page that needs nothing else. */
enum mpl_status mpl_draw_view_page(const struct mpl_view_report *report, FILE *out,
                                   struct mpl_err *err);

/** The check of a trace as such a page: what can be trusted, the time line, what it records, and its clocks. */
enum mpl_status mpl_draw_check_page(const struct mpl_diagnosis *diagnosis,
                                    const struct mpl_draw_options *options, FILE *out,
                                    struct mpl_err *err);

/** The comparison as such a page: the answer, calls of both runs beside each other, who computes how long, and the two
    time lines, step by step. \p gates may be NULL. */
enum mpl_status mpl_draw_diff_page(const struct mpl_diff *diff,
                                   const struct mpl_gates *gates,
                                   const struct mpl_draw_options *options, FILE *out,
                                   struct mpl_err *err);

/** Whether a table of \p view is a graph: rows from somebody to somebody. */
bool mpl_draw_has_graph(const struct mpl_view *view);

/**
 * The connection graph of section 4.6 of the EventSpace paper as DOT: a node per location, inside of
 * its host where that is known, and an edge per pair with messages, bytes and waiting; the longer the
 * receiver waits, the thicker. Rows without two ends, as of collective operations, are no edges: how many
 * there are stands in a comment. \p by_host: a node per host.
 *
 * The view must have a graph. Errors: MPL_E_NOMEM, MPL_E_IO; MPL_E_USAGE where hosts are not known.
 */
enum mpl_status mpl_draw_dot(const struct mpl_table *table, bool by_host, FILE *out,
                             struct mpl_err *err);

/* ---- for other viewers ------------------------------------------------------------------------------- */

/** Files that viewers of traces read. */
enum mpl_export_format { MPL_EXPORT_PERFETTO, MPL_EXPORT_CHROME };
struct mpl_export_options {
    enum mpl_export_format format;
    const struct mpl_progress *progress; /**< NULL: silence. */
};
/** What was written. */
struct mpl_export_counts {
    uint64_t calls;
    uint64_t waits; /**< Calls with waiting. */
    uint64_t sends; /**< Message ends. */
    uint64_t receives;
    uint64_t bytes; /**< Of the file. */
};
/**
 * What is selected of a run as a trace for another viewer: a track per location with its calls, in each its waiting,
 * and marks where messages are sent and received, joined by flows; tracks of the critical path, steps, findings and
 * roles, as far as the diagnosis has them; counters of who waits and of bytes on their way. Calls that are partly
 * selected are there as a whole. Names are text without control characters, at most 500 bytes of each.
 *
 * Units:  nanoseconds since the first event of the run.
 * Errors: MPL_E_NOMEM, MPL_E_IO. Cost: linear in spans, times the logarithm of locations; nothing of the file is kept.
 */
enum mpl_status mpl_draw_export(struct mpl_selection *selection,
                                const struct mpl_export_options *options,
                                struct mpl_arena *arena, FILE *out,
                                struct mpl_export_counts *counts, struct mpl_err *err);

#endif
