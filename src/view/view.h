/*
 * Takes:        a run with its stages, and a selection: window, step, locations, communicators.
 * Makes:        tables with named columns and units, one per view: what a picture of the run shows.
 * Leaves alone: how tables look (report), and what is slow or to blame (analysis).
 *
 * The views are those of Bongo, Anshus and Bjørndalen, "Using a Virtual Event Space to Understand
 * Parallel Application Communication Behavior" (EventSpace), sections 4.5 and 5, on what an event
 * trace holds. Their element, which threads write to and read from, is a channel here: sender,
 * receiver, communicator and tag. Their event collectors along a path have no counterpart: a trace
 * knows the two ends of a message and nothing between them.
 */
#ifndef MPL_VIEW_VIEW_H
#define MPL_VIEW_VIEW_H

#include "analysis/analysis.h"

/* ---- what of a run is looked at ------------------------------------------------------------ */

/** What somebody asks for; zeros, and NaN for times, ask for everything. */
struct mpl_selection_asked {
    double from_s; /**< Since the first event of the run. */
    double to_s;
    long step;           /**< From 1. */
    const char *finding; /**< "f1": from its first wait to the end of its last one. */
    const char
        *locations; /**< "0-7,9": ranks, with all of their threads; "3.2": a thread. */
    const char *const *comms; /**< Names; "comm3" for the fourth of the trace. */
    size_t n_comms;
};

/** All views of a run answer to it. What lies across its borders counts as far as it is inside. */
struct mpl_selection {
    const struct mpl_diagnosis *diagnosis;
    const struct mpl_run *run;
    struct mpl_selection_asked asked;
    int64_t begin_ticks; /**< Of the whole, in which the stretches of all locations lie. */
    int64_t end_ticks;
    /** Per location: processes come to a step at different times. */
    const int64_t *begin_of_ticks;
    const int64_t *end_of_ticks;
    const bool *has_location;
    const bool *has_comm;          /**< Per communicator; NULL: all, and what is in none. */
    const char *const *comm_names; /**< Per communicator; "comm3" where a name is missing or
                                        another one has it. */
    const struct mpl_steps *steps; /**< NULL: nobody has asked so far. */
    uint32_t n_locations;          /**< That are selected. */
    bool is_whole;                 /**< Everything is. */
};
/**
 * \p diagnosis must have a run with events; where a finding is asked for, findings, too.
 *
 * Ownership: lives in \p arena, borrows the words of \p asked.
 * Errors:    MPL_E_USAGE for what does not exist, with what there is; MPL_E_NOMEM.
 */
enum mpl_status mpl_selection_create(const struct mpl_diagnosis *diagnosis,
                                     const struct mpl_selection_asked *asked,
                                     struct mpl_arena *arena, struct mpl_selection **out,
                                     struct mpl_err *err);

/** What of a span is selected. */
struct mpl_piece {
    struct mpl_span span; /**< Whole. */
    uint32_t location;
    uint32_t number;     /**< Of the span. */
    int64_t begin_ticks; /**< Of what is inside. */
    int64_t end_ticks;
    int64_t wait_ticks; /**< Of the span's wait, which is its beginning. */
    bool ends_inside;   /**< What is counted, not measured, counts where it ends. */
};
/** What is before the first span of a location that is selected, or has a part that is. */
struct mpl_piece mpl_pieces_of(const struct mpl_selection *s, uint32_t location);
/** False: there is none any more. */
bool mpl_piece_next(const struct mpl_selection *s, struct mpl_piece *piece);
/** Whether a span is one of these. */
bool mpl_selection_has_span(const struct mpl_selection *s, uint32_t location,
                            uint32_t span);
/** Finds the steps when the first one asks: s->steps is set then. Errors: MPL_E_NOMEM. */
enum mpl_status mpl_selection_steps(struct mpl_selection *s, struct mpl_arena *arena,
                                    struct mpl_err *err);
/** When a process is through with step \p step (1 to n), whose end is a call; 0: when it comes to the first one. */
int64_t mpl_step_end(const struct mpl_run *run, const struct mpl_steps *steps,
                     uint32_t process, uint32_t step);
/** When the first and the last of all processes are. */
void mpl_step_ends(const struct mpl_run *run, const struct mpl_steps *steps, uint32_t step,
                   int64_t *first, int64_t *last);
/** The first span of a location that ends behind \p ticks; its number of spans if none does. */
uint32_t mpl_span_at(const struct mpl_events *events, uint32_t location, int64_t ticks);
/** "compute", "p2p", … */
const char *mpl_span_class_name(enum mpl_span_class class);

/* ---- tables ----------------------------------------------------------------------------------- */

enum mpl_cell_kind {
    MPL_CELL_NONE, /**< Not known, or nobody. */
    MPL_CELL_TEXT,
    MPL_CELL_WHOLE,
    MPL_CELL_NUMBER
};
struct mpl_cell {
    enum mpl_cell_kind kind;
    union {
        const char *text; /**< Of the trace, so anything may stand in it. */
        int64_t whole;
        double number;
    };
};

struct mpl_column {
    const char *name;
    const char *unit; /**< "s", "bytes", "1" of counts and shares; NULL of words. */
    const char *says; /**< One clause. */
};

/** How a picture shows the rows. */
enum mpl_mark {
    MPL_MARK_BARS,
    MPL_MARK_MATRIX,    /**< Two columns against each other, and in the cells `by`. */
    MPL_MARK_STRETCHES, /**< A stretch of time per row: a timeline. */
    MPL_MARK_LINES,
    MPL_MARK_ARROWS /**< From the first column to the second one: a graph. */
};
/** Which columns the mark takes; 0 where it takes none. */
struct mpl_axes {
    /** Whose row it is: names of bars and of stretches, first down and then across of a matrix; a chart
        of lines for each of the first ones, and in it a line for each of the others. */
    size_t of[3];
    size_t n_of;
    size_t x;     /**< Of lines; and where stretches begin */
    size_t x_end; /**< and end. */
    size_t y[6];  /**< Of lines; parts of bars, where these are not `by`. */
    size_t n_y;
    size_t
        error; /**< Of the first y, or of both ends of a stretch: how far it may be off to both sides. */
    size_t class; /**< Of stretches: what is done, as in the timeline; "waits". */
    size_t wait;  /**< Part of a stretch or of a bar. */
};

/** Takes the rows of a view, one after the other. \p cells: one per column, until it returns. */
struct mpl_row_sink {
    enum mpl_status (*take)(void *context, const struct mpl_cell *cells,
                            struct mpl_err *err);
    void *context;
};

struct mpl_view_rows;
struct mpl_view {
    const char *name;
    const char *says; /**< One clause: the question that it answers. */
    enum mpl_mark mark;
    struct mpl_axes axes;
    size_t n_columns;
    const struct mpl_column *columns;
    /** The column whose largest values matter most, where there are too many rows to show;
        0: the first rows. */
    size_t by;
    enum mpl_status (*make)(struct mpl_selection *selection, struct mpl_view_rows *rows,
                            struct mpl_err *err); /**< See mpl_view_make(). */
};
/** Errors: MPL_E_NOMEM, what \p sink returns, and those of mpl_records_read(). */
enum mpl_status mpl_view_make(const struct mpl_view *view, struct mpl_selection *selection,
                              struct mpl_arena *arena, const struct mpl_row_sink *sink,
                              struct mpl_err *err);
const struct mpl_view *const *mpl_views(size_t *n);
/** Errors: MPL_E_USAGE with a suggestion, or with all names. */
enum mpl_status mpl_view_find(const char *name, const struct mpl_view **out,
                              struct mpl_err *err);

/**
 * The views that \p pattern names as explaining what it finds, in their order; unknown names are left out, and
 * \p lint, which may be NULL, says so.
 *
 * Ownership: \p arena. Errors: MPL_E_NOMEM.
 */
enum mpl_status mpl_view_of_pattern(const struct mpl_pattern *pattern,
                                    struct mpl_arena *arena,
                                    const struct mpl_view *const **out, size_t *n,
                                    struct mpl_lint *lint, struct mpl_err *err);

/**
 * What the table of \p view cannot show, because the trace does not record it: one sentence each.
 * Ownership: \p arena. Errors: MPL_E_NOMEM.
 */
enum mpl_status mpl_view_notes(const struct mpl_view *view, struct mpl_selection *selection,
                               struct mpl_arena *arena, const char *const **out, size_t *n,
                               struct mpl_err *err);

/** A whole table. */
struct mpl_table {
    const struct mpl_view *view;
    size_t n_rows;
    const struct mpl_cell *cells; /**< [row * view->n_columns + column] */
};
/** Ownership: \p out lives in \p arena. Errors: those of the view. */
enum mpl_status mpl_table_create(const struct mpl_view *view,
                                 struct mpl_selection *selection, struct mpl_arena *arena,
                                 const struct mpl_table **out, struct mpl_err *err);

#endif
