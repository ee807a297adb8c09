/*
 * Takes:        a diagnosis, and a plan made of it.
 * Makes:        text for a person and JSON for a program, with the same content.
 * Leaves alone: what is found and how it is ranked; a report only shows.
 */
#ifndef MPL_REPORT_REPORT_H
#define MPL_REPORT_REPORT_H

#include "critical/critical.h"
#include "diff/similarity.h"
#include "experiment/experiment.h"
#include "query/query.h"
#include "view/view.h"

/* How reports grade causes: shares of the process time (warn at 5 %, critical from 15 %). */
#define MPL_SEVERITY_WARNING  0.05
#define MPL_SEVERITY_CRITICAL 0.15

struct mpl_report_options {
    size_t top; /**< Causes shown in text; 0: 5. JSON holds all. */
    bool
        is_verbose; /**< Also the rules that fired and every metric. Text only; JSON has them. */
    int width;      /**< Columns of text; 0: 92. */
    const struct mpl_plan
        *plan; /**< What to measure next; NULL: what the traces lack is shown. */
    size_t n_failed;
    const char *const *failed; /**< Of a case: runs that left no trace, and why. */
};

/** One screen, at most 30 lines of 80 columns if \p options says no width: verdict, efficiencies, the
 *  causes that matter most, what remains, what to measure next. Answers to --what-if stand below. */
enum mpl_status mpl_report_screen(const struct mpl_diagnosis *diagnosis,
                                  const struct mpl_report_options *options, FILE *out,
                                  struct mpl_err *err);
/** Two lines: the verdict, and what to do. They are cut only if \p options says a width. */
enum mpl_status mpl_report_brief(const struct mpl_diagnosis *diagnosis,
                                 const struct mpl_report_options *options, FILE *out,
                                 struct mpl_err *err);
/** The words of the screen, for whoever shows them in another way; all in \p arena. */
struct mpl_verdict_words {
    const char *verdict; /**< "PROBLEM, sure: " */
    const char *more;    /**< What to do, what that saves, what is not sure; "": nothing. */
    const char *title;   /**< "master-worker, 8 processes, …"; "" of what is unusable. */
    const char
        *unexplained; /**< "2 s of 9 s process time (22 %)"; NULL: there is no time. */
    const char *next; /**< What to measure next; NULL: there is no plan. */
};
struct mpl_cause_words {
    const char *cost;  /**< "1.2 s of 3 s lost process time"; "": not known. */
    const char *where; /**< "rank 3, MPI_Recv, main.c:12"; "": nowhere. */
    const char *gain;  /**< "about 0.4 s of 2.3 s (17 %, by replay)"; "not known" */
};
void mpl_report_words(const struct mpl_diagnosis *diagnosis, const struct mpl_plan *plan,
                      struct mpl_arena *arena, struct mpl_verdict_words *out);
void mpl_report_cause_words(const struct mpl_diagnosis *diagnosis,
                            const struct mpl_diagnosed *cause, struct mpl_arena *arena,
                            struct mpl_cause_words *out);
/** The causes that are shown, that of the verdict first; the \p i-th, or NULL. */
const struct mpl_diagnosed *mpl_report_cause(const struct mpl_diagnosis *diagnosis,
                                             size_t i);
/** "3.10 ms", "62,000 B", "0.385", "unknown": a metric in its unit. */
const char *mpl_report_value(struct mpl_arena *arena, double value, const char *unit);
/** "0, 1, 5 to 7": labels of locations. */
const char *mpl_report_labels(struct mpl_arena *arena, const char *const *labels, size_t n);

/** The efficiencies of the POP project of a run, the product before its factors. */
enum { MPL_EFFICIENCIES = 5 };
struct mpl_efficiency {
    const char *metric; /**< "run.load_balance" */
    const char *word;   /**< "load balance" */
    double value;       /**< 0-1; NaN when not known. */
};
void mpl_report_efficiencies(const struct mpl_diagnosis *diagnosis, uint32_t run,
                             struct mpl_efficiency out[MPL_EFFICIENCIES]);

/** Everything: verdict first, then causes with reasons and remedies, the search level by level, what stays
 *  unexplained, what to measure next, and how far the data can be trusted. */
enum mpl_status mpl_report_text(const struct mpl_diagnosis *diagnosis,
                                const struct mpl_report_options *options, FILE *out,
                                struct mpl_err *err);

/** "marple-diagnosis/1": doc/diagnosis.schema.json. \p plan may be NULL, as above. */
enum mpl_status mpl_report_json(const struct mpl_diagnosis *diagnosis,
                                const struct mpl_plan *plan, FILE *out,
                                struct mpl_err *err);

/** The plan as a file that people read and `marple run` can carry out: doc/tracers.md. */
enum mpl_status mpl_report_plan_yaml(const struct mpl_plan *plan, FILE *out,
                                     struct mpl_err *err);
/** "marple-plan/1": doc/plan.schema.json. */
enum mpl_status mpl_report_plan_json(const struct mpl_plan *plan, FILE *out,
                                     struct mpl_err *err);
/** Why each experiment is asked for, what it shows and costs. */
enum mpl_status mpl_report_plan_text(const struct mpl_plan *plan,
                                     const struct mpl_report_options *options, FILE *out,
                                     struct mpl_err *err);

/** An answer to --why or --why-not as a tree. */
enum mpl_status mpl_report_why(const struct mpl_why *why,
                               const struct mpl_report_options *options, FILE *out,
                               struct mpl_err *err);

/** The story of an investigation, step by step, as it happens. */
struct mpl_narrative {
    FILE *out;
    int width; /**< Columns; 0: 92. */
    enum mpl_news last;
    int level; /**< Of the last step; 0: nothing has been shown. */
};
/** A mpl_tell_step; \p context is the narrative. */
void mpl_report_step(void *context, enum mpl_news what, int level, const char *text,
                     const struct mpl_case_run *run);

/** An experiment that was asked for and not carried out. */
struct mpl_asked {
    int level;
    const char *text;
};
/** What `marple run` did, beside the diagnosis. */
struct mpl_case_report {
    const struct mpl_case *c;
    const struct mpl_plan *plan; /**< What is still to be measured; may be NULL. */
    const char *ended;           /**< mpl_end_reason_name() */
    size_t n_asked;
    const struct mpl_asked *asked;
};
/** The diagnosis with a key "case"; \p diagnosis may be NULL: then there is only that. */
enum mpl_status mpl_report_case_json(const struct mpl_diagnosis *diagnosis,
                                     const struct mpl_case_report *report, FILE *out,
                                     struct mpl_err *err);

/** For `marple check`: what a trace records, its defects, its clocks. */
enum mpl_status mpl_report_check_text(const struct mpl_diagnosis *diagnosis,
                                      const struct mpl_report_options *options, FILE *out,
                                      struct mpl_err *err);
/** For `marple order`: answers of query about \p run. JSON is "marple-order/1": doc/order.schema.json. */
enum mpl_status mpl_report_between_text(const struct mpl_run *run,
                                        const struct mpl_between *between,
                                        const struct mpl_report_options *options, FILE *out,
                                        struct mpl_err *err);
enum mpl_status mpl_report_between_json(const struct mpl_run *run,
                                        const struct mpl_between *between, FILE *out,
                                        struct mpl_err *err);
enum mpl_status mpl_report_cut_text(const struct mpl_run *run, const struct mpl_cut *cut,
                                    const struct mpl_report_options *options, FILE *out,
                                    struct mpl_err *err);
enum mpl_status mpl_report_cut_json(const struct mpl_run *run, const struct mpl_cut *cut,
                                    FILE *out, struct mpl_err *err);
enum mpl_status mpl_report_races_text(const struct mpl_run *run,
                                      const struct mpl_races *races,
                                      const struct mpl_report_options *options, FILE *out,
                                      struct mpl_err *err);
enum mpl_status mpl_report_races_json(const struct mpl_run *run,
                                      const struct mpl_races *races, FILE *out,
                                      struct mpl_err *err);
/** \p n must be at least 1. */
enum mpl_status mpl_report_sizes_text(const struct mpl_run *run,
                                      const struct mpl_stamp_size *sizes, size_t n,
                                      const struct mpl_report_options *options, FILE *out,
                                      struct mpl_err *err);
enum mpl_status mpl_report_sizes_json(const struct mpl_run *run,
                                      const struct mpl_stamp_size *sizes, size_t n,
                                      FILE *out, struct mpl_err *err);

/** The critical path of \p run; at most \p top lines of each part, but all \p calls. */
enum mpl_status mpl_report_path_text(const struct mpl_run *run,
                                     const struct mpl_critical *path,
                                     const struct mpl_critical_shares *shares,
                                     const struct mpl_critical_calls *calls, size_t top,
                                     const struct mpl_report_options *options, FILE *out,
                                     struct mpl_err *err);
enum mpl_status mpl_report_origins_json(const struct mpl_run *run,
                                        const struct mpl_origins *origins, FILE *out,
                                        struct mpl_err *err);
enum mpl_status mpl_report_origins_text(const struct mpl_run *run,
                                        const struct mpl_origins *origins,
                                        const struct mpl_report_options *options, FILE *out,
                                        struct mpl_err *err);
enum mpl_status mpl_report_path_json(const struct mpl_run *run,
                                     const struct mpl_critical *path,
                                     const struct mpl_critical_shares *shares,
                                     const struct mpl_critical_calls *calls, FILE *out,
                                     struct mpl_err *err);

/** For `marple diff`: at most \p top changes in full; and which \p gates fail (NULL: there are none). */
enum mpl_status mpl_report_diff_text(const struct mpl_diff *diff,
                                     const struct mpl_gates *gates, size_t top,
                                     const struct mpl_report_options *options, FILE *out,
                                     struct mpl_err *err);
/** What of one configuration: sequences with their loops, formal contexts, their lattices (DOT), or
    similarities; or of many: which of them see a difference, or the clusters of each. */
enum mpl_show {
    MPL_SHOW_NLR,
    MPL_SHOW_CONTEXT,
    MPL_SHOW_LATTICE,
    MPL_SHOW_JSM,
    MPL_SHOW_RANKING,
    MPL_SHOW_CANDIDATES,
    MPL_SHOW_ALIGN
};
/** "nlr", "context", ... */
const char *mpl_show_name(enum mpl_show what);
enum mpl_status mpl_report_filtered(const struct mpl_run *run,
                                    const struct mpl_filtered *filtered, enum mpl_show what,
                                    struct mpl_context_kind kind,
                                    const struct mpl_report_options *options, FILE *out,
                                    struct mpl_err *err);
/** The calls of one location in both runs, in full. */
enum mpl_status mpl_report_aligned_text(const struct mpl_diff *diff,
                                        const struct mpl_aligned *aligned,
                                        const struct mpl_report_options *options, FILE *out,
                                        struct mpl_err *err);
/** The same for programs, "marple-diff-show/1": doc/diff-show.schema.json. */
enum mpl_status mpl_report_filtered_json(const struct mpl_diff *diff,
                                         const struct mpl_filtered *filtered,
                                         const struct mpl_filter_choice *how,
                                         enum mpl_show what, struct mpl_context_kind kind,
                                         FILE *out, struct mpl_err *err);
enum mpl_status mpl_report_aligned_json(const struct mpl_diff *diff,
                                        const struct mpl_aligned *aligned,
                                        const struct mpl_filter_choice *how, FILE *out,
                                        struct mpl_err *err);
enum mpl_status mpl_report_ranking_json(const struct mpl_diff *diff,
                                        const struct mpl_ranking *ranking,
                                        enum mpl_show what, FILE *out, struct mpl_err *err);
/** A ranking as a table of at most \p top rows, or what clusters each row has. */
enum mpl_status mpl_report_ranking_text(const struct mpl_run *run,
                                        const struct mpl_ranking *ranking,
                                        enum mpl_show what, size_t top,
                                        const struct mpl_report_options *options, FILE *out,
                                        struct mpl_err *err);
/** "marple-diff/1": doc/diff.schema.json. */
enum mpl_status mpl_report_diff_json(const struct mpl_diff *diff,
                                     const struct mpl_gates *gates, FILE *out,
                                     struct mpl_err *err);
/** The lines of the answer in text for whoever shows them in another way: those of calls, with indentation, are not
    among them. The first is the sentence of the verdict, without its name. */
struct mpl_report_line {
    int depth; /**< 2: a sentence; 4: more about it. */
    const char *text;
};
enum mpl_status mpl_report_diff_lines(const struct mpl_diff *diff,
                                      const struct mpl_gates *gates, size_t top,
                                      struct mpl_arena *arena,
                                      const struct mpl_report_line **out, size_t *n,
                                      struct mpl_err *err);
/** The calls of a change beside each other, "Send(4) A^7", and what the loops are; all in \p arena. */
struct mpl_alignment_column {
    bool is_common; /**< Then both are the same. */
    const char *base;
    const char *new;
};
struct mpl_alignment_loop {
    const char *letter;
    const char *body;
};
struct mpl_alignment {
    size_t n_columns;
    const struct mpl_alignment_column *columns;
    size_t n_loops;
    const struct mpl_alignment_loop *loops;
};
enum mpl_status mpl_report_alignment(const struct mpl_diff *diff,
                                     const struct mpl_divergence *change,
                                     struct mpl_arena *arena, struct mpl_alignment *out,
                                     struct mpl_err *err);
/** A comment to a change, as forges show it: some lines, and the text folded away below them. */
enum mpl_status mpl_report_diff_markdown(const struct mpl_diff *diff,
                                         const struct mpl_gates *gates, size_t top,
                                         FILE *out, struct mpl_err *err);

/** A view of the run behind \p selection, and what its table cannot show. */
struct mpl_view_report {
    const struct mpl_view *view;
    struct mpl_selection *selection;
    struct mpl_arena *arena; /**< For the view's tables. */
    const char *const *notes;
    size_t n_notes;
    bool by_host; /**< Of a graph: hosts are its nodes. */
};
/** "step 3 of 20, 0.100000 to 0.200000 s, 4 of 16 locations" */
const char *mpl_report_selection_words(const struct mpl_selection *s,
                                       struct mpl_arena *arena);
/** Per row, whether it is one of the \p top rows with the largest values of the column that matters; NULL: no memory. */
const bool *mpl_report_top_rows(const struct mpl_table *table, size_t top,
                                struct mpl_arena *arena);
/** At most \p top rows: those with the largest values of the column that matters. */
enum mpl_status mpl_report_view_text(const struct mpl_view_report *report, size_t top,
                                     const struct mpl_report_options *options, FILE *out,
                                     struct mpl_err *err);
/** "marple-view/1": doc/view.schema.json. */
enum mpl_status mpl_report_view_json(const struct mpl_view_report *report, FILE *out,
                                     struct mpl_err *err);
/** Comma-separated values (RFC 4180) for spreadsheets: words that these would take for a formula
 *  begin with an apostrophe. Notes have no place in it. */
enum mpl_status mpl_report_view_csv(const struct mpl_view_report *report, FILE *out,
                                    struct mpl_err *err);

/** "marple-check/1": doc/check.schema.json. */
enum mpl_status mpl_report_check_json(const struct mpl_diagnosis *diagnosis, FILE *out,
                                      struct mpl_err *err);

#endif
