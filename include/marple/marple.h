/*
 * Takes:        traces of one program, and what a user may want otherwise than by default.
 * Makes:        a diagnosis: a verdict and findings that can be walked or printed.
 * Leaves alone: everything inside; all types are opaque, so that they may grow.
 *
 * A program that prints why a run was slow (link with `pkg-config --libs marple`):
 *
 *     struct mpl_err *err = mpl_err_create();
 *     struct mpl_traces *traces = mpl_traces_create();
 *     struct mpl_analysis *analysis = NULL;
 *
 *     if (mpl_traces_add(traces, "run7/traces.otf2", err) != MPL_OK ||
 *         mpl_diagnose(traces, NULL, &analysis, err) != MPL_OK ||
 *         mpl_analysis_print(analysis, MPL_PRINT_TEXT, NULL, stdout, err) != MPL_OK) {
 *         mpl_err_print(err, stderr);
 *     }
 *     mpl_analysis_destroy(analysis);
 *     mpl_traces_destroy(traces);
 *     mpl_err_destroy(err);
 *
 * Functions that create something answer NULL when memory is short, and every function takes
 * such a NULL: the call that does the work then fails with MPL_E_NOMEM. Different objects may be
 * used by different threads at the same time. Texts are UTF-8 as far as the trace's names are.
 */
#ifndef MARPLE_MARPLE_H
#define MARPLE_MARPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <marple/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** "0.1.0" */
MPL_API const char *mpl_version(void);

/* ---- errors ------------------------------------------------------------------------ */

/**
 * Why a call failed, as a chain of clauses. A call that fails writes it anew; one that succeeds
 * leaves it alone. NULL may be given instead wherever one is asked for.
 */
struct mpl_err;
MPL_API struct mpl_err *mpl_err_create(void);
MPL_API void mpl_err_destroy(struct mpl_err *err);
/** "marple: what was asked\n  because …\n  because the innermost reason\n". */
MPL_API void mpl_err_print(const struct mpl_err *err, FILE *out);

/* ---- what to diagnose ----------------------------------------------------------------- */

/** Traces of the same program, in the order in which they were added. */
struct mpl_traces;
MPL_API struct mpl_traces *mpl_traces_create(void);
MPL_API void mpl_traces_destroy(struct mpl_traces *traces);
/**
 * Adds an anchor file (*.otf2), a directory that holds exactly one, or a text trace. It is read
 * by mpl_diagnose().
 *
 * Errors: MPL_E_IO if there is nothing at \p path.
 */
MPL_API enum mpl_status mpl_traces_add(struct mpl_traces *traces, const char *path,
                                       struct mpl_err *err);

/* ---- how ---------------------------------------------------------------------------------- */

struct mpl_options;
MPL_API struct mpl_options *mpl_options_create(void);
MPL_API void mpl_options_destroy(struct mpl_options *options);
/**
 * The directory of the stock patterns/ and rules/. By default that of the environment variable
 * MARPLE_DATA, else the installed one.
 */
MPL_API enum mpl_status mpl_options_set_stock(struct mpl_options *options,
                                              const char *directory, struct mpl_err *err);
/** Adds \p directory/patterns and \p directory/rules, or \p directory itself, to the stock. */
MPL_API enum mpl_status mpl_options_add_knowledge(struct mpl_options *options,
                                                  const char *directory,
                                                  struct mpl_err *err);
/** Binds a role of patterns to the locations with the \p n \p labels ("3", "3.2") by hand. */
MPL_API enum mpl_status mpl_options_bind_role(struct mpl_options *options, const char *role,
                                              const char *const *labels, size_t n,
                                              struct mpl_err *err);
/** Tries only the pattern of that name; NULL: all. */
MPL_API enum mpl_status mpl_options_set_pattern(struct mpl_options *options,
                                                const char *pattern, struct mpl_err *err);
/**
 * Where the common time line comes from: "auto", "offsets", "messages", "none", "eventspace", as
 * in `marple diagnose --clock`.
 *
 * Errors: MPL_E_USAGE for another word.
 */
MPL_API enum mpl_status mpl_options_set_clock(struct mpl_options *options,
                                              const char *choice, struct mpl_err *err);
/**
 * Long work calls \p tell now and then, from the thread that diagnoses: \p done of \p total
 * steps (0: unknown), \p what is a present participle such as "reading events".
 */
typedef void mpl_tell(void *context, const char *what, uint64_t done, uint64_t total);
MPL_API void mpl_options_set_progress(struct mpl_options *options, mpl_tell *tell,
                                      void *context);

/* ---- diagnosing ------------------------------------------------------------------------------ */

/** Everything that lives as long as an answer. */
struct mpl_analysis;

/**
 * Reads the traces, recognises patterns, and reasons. \p options may be NULL.
 *
 * A trace that cannot be used does not end the analysis; with none left the verdict is
 * "unusable" and the status nevertheless MPL_OK: that is the diagnosis.
 *
 * Ownership: \p *out is the caller's; written only on MPL_OK.
 * Errors:    MPL_E_IO, MPL_E_SYNTAX for knowledge that is missing or faulty; MPL_E_USAGE for
 *            patterns, roles and locations that do not exist; MPL_E_NOMEM.
 * Cost:      linear in events.
 */
MPL_API enum mpl_status mpl_diagnose(const struct mpl_traces *traces,
                                     const struct mpl_options *options,
                                     struct mpl_analysis **out, struct mpl_err *err);
MPL_API void mpl_analysis_destroy(struct mpl_analysis *analysis);

/** HTML: a page that needs nothing else; of a diagnosis or a comparison, not of a plan (MPL_E_USAGE). */
enum mpl_print { MPL_PRINT_TEXT, MPL_PRINT_JSON, MPL_PRINT_HTML };

/** How text looks; each 0 or false is the default. JSON holds everything. */
struct mpl_looks;
MPL_API struct mpl_looks *mpl_looks_create(void);
MPL_API void mpl_looks_destroy(struct mpl_looks *looks);
MPL_API void mpl_looks_set_top(struct mpl_looks *looks, size_t causes); /* shown at most */
MPL_API void mpl_looks_set_width(struct mpl_looks *looks, int columns);
/** Also shows the rules that fired and every metric. */
MPL_API void mpl_looks_set_verbose(struct mpl_looks *looks, bool is_verbose);

/** The document; \p looks may be NULL. JSON is of the schema "marple-diagnosis/1". */
MPL_API enum mpl_status mpl_analysis_print(struct mpl_analysis *analysis,
                                           enum mpl_print format,
                                           const struct mpl_looks *looks, FILE *out,
                                           struct mpl_err *err);

/* ---- what to measure next ------------------------------------------------------------------- */

/**
 * Prints which further runs of the program would tell more, with settings for a tracer, as
 * `marple plan` does. Tracers are described in the directories of \p options, those of the
 * diagnosis; it may be NULL. \p tracer names the one to use; NULL: whichever fits. JSON is of the
 * schema "marple-plan/1", text that of `marple plan --explain`; \p looks may be NULL.
 *
 * Errors: MPL_E_USAGE for a tracer that is not known; MPL_E_SYNTAX for a faulty description;
 *         MPL_E_MEANING if no trace can be used; MPL_E_IO, MPL_E_NOMEM.
 */
MPL_API enum mpl_status mpl_plan_print(const struct mpl_analysis *analysis,
                                       const struct mpl_options *options,
                                       const char *tracer, enum mpl_print format,
                                       const struct mpl_looks *looks, FILE *out,
                                       struct mpl_err *err);

/* ---- walking the answer -------------------------------------------------------------------------
 *
 * Texts are borrowed from the analysis. Numbers are NaN where they are unknown. Indexes must be
 * below their count.
 */

/** "problems", "no-significant-problem", "inconclusive" or "unusable". */
MPL_API const char *mpl_analysis_verdict(const struct mpl_analysis *analysis);
/** One or two sentences. */
MPL_API const char *mpl_analysis_summary(const struct mpl_analysis *analysis);
/** Seconds of location time that are not computation, and of those the explained ones. */
MPL_API double mpl_analysis_lost_s(const struct mpl_analysis *analysis);
MPL_API double mpl_analysis_explained_s(const struct mpl_analysis *analysis);

/** Causes by severity first, then what they rest on. */
MPL_API size_t mpl_finding_count(const struct mpl_analysis *analysis);
/** "f7" */
MPL_API const char *mpl_finding_id(const struct mpl_analysis *analysis, size_t i);
/** "symptom", "observation" or "cause". */
MPL_API const char *mpl_finding_kind(const struct mpl_analysis *analysis, size_t i);
/** "master-bottleneck" */
MPL_API const char *mpl_finding_name(const struct mpl_analysis *analysis, size_t i);
MPL_API const char *mpl_finding_pattern(const struct mpl_analysis *analysis, size_t i);
MPL_API const char *mpl_finding_text(const struct mpl_analysis *analysis, size_t i);
/** What to do; NULL when there is nothing to say. */
MPL_API const char *mpl_finding_remedy(const struct mpl_analysis *analysis, size_t i);
/** An observation that says "this is fine". */
MPL_API bool mpl_finding_is_healthy(const struct mpl_analysis *analysis, size_t i);
/** Seconds of location time attributed to it. */
MPL_API double mpl_finding_lost_s(const struct mpl_analysis *analysis, size_t i);
/** Those seconds over locations times run time, 0-1. */
MPL_API double mpl_finding_severity(const struct mpl_analysis *analysis, size_t i);
/** Those seconds over the lost time of the locations named, 0-1. */
MPL_API double mpl_finding_share_of_lost(const struct mpl_analysis *analysis, size_t i);
/** Seconds of run time that the remedy may save. */
MPL_API double mpl_finding_gain_s(const struct mpl_analysis *analysis, size_t i);
/** 0-1 */
MPL_API double mpl_finding_confidence(const struct mpl_analysis *analysis, size_t i);
/** Whether the clocks' error bound could make the loss. */
MPL_API bool mpl_finding_is_clock_sensitive(const struct mpl_analysis *analysis, size_t i);
MPL_API size_t mpl_finding_location_count(const struct mpl_analysis *analysis, size_t i);
/** "3" (rank 3) or "3.2" (its thread 2). */
MPL_API const char *mpl_finding_location(const struct mpl_analysis *analysis, size_t i,
                                         size_t k);
/** The findings that it rests on, as ids. */
MPL_API size_t mpl_finding_because_count(const struct mpl_analysis *analysis, size_t i);
MPL_API const char *mpl_finding_because(const struct mpl_analysis *analysis, size_t i,
                                        size_t k);
/** The metrics that it rests on. */
MPL_API size_t mpl_finding_evidence_count(const struct mpl_analysis *analysis, size_t i);
/** "worker.t_bn"; \p *location is a label or "", \p *unit "s", "1", …; each may be NULL. */
MPL_API const char *mpl_finding_evidence(const struct mpl_analysis *analysis, size_t i,
                                         size_t k, const char **location, double *value,
                                         const char **unit);
/** The places in the program's source. */
MPL_API size_t mpl_finding_where_count(const struct mpl_analysis *analysis, size_t i);
/** A function's name; \p *file is NULL and \p *line 0 where unknown; each may be NULL. */
MPL_API const char *mpl_finding_where(const struct mpl_analysis *analysis, size_t i,
                                      size_t k, const char **file, uint32_t *line);

/* ---- who was first ----------------------------------------------------------------------------- */

/** A trace that is asked what must have come before what. Nothing is diagnosed. */
struct mpl_order;
/**
 * Reads the trace at \p path, as mpl_traces_add() knows it. Of \p options, which may be NULL, the
 * clock and the progress count: clocks decide what is at a second, and nothing else.
 *
 * Ownership: \p *out is the caller's, one thread at a time may ask it; written only on MPL_OK.
 * Errors:    MPL_E_MEANING if the trace cannot be used, MPL_E_NOMEM.
 */
MPL_API enum mpl_status mpl_order_open(const char *path, const struct mpl_options *options,
                                       struct mpl_order **out, struct mpl_err *err);
MPL_API void mpl_order_close(struct mpl_order *order);
/**
 * What one moment is to another: \p *answer is "before", "after", "same", "concurrent" or "not-known".
 * Messages, collectives and threads prove it, whatever the clocks say. Moments are written as in
 * `marple order`:
 *
 *     5#123            record 123 of location 5 in its OTF2 event file, counted from 1
 *     5@0.42           the call in which location 5 is at that second of the run
 *     5:MPI_Recv[42]   the 42nd call of that region on location 5, counted from 1
 *
 * A call is before another one if a part of it must have come before a part of that, and not the other
 * way round too. \p *why (NULL may be given) is a clause if the answer is "not-known", else NULL; texts
 * are constant.
 *
 * Errors: MPL_E_USAGE for an address at which there is nothing, with what is near; MPL_E_IO where the
 *         records of a location cannot be counted; MPL_E_NOMEM.
 * Cost:   the first question makes timestamps: once linear in events. Each other one is logarithmic, and
 *         for calls of a region linear in the events of their location.
 */
MPL_API enum mpl_status mpl_precedes(struct mpl_order *order, const char *a, const char *b,
                                     const char **answer, const char **why,
                                     struct mpl_err *err);

/* ---- what is different ---------------------------------------------------------------------------- */

/** A comparison of two runs, or of repetitions of two. */
struct mpl_differences;
/**
 * Compares \p new_runs with \p base, call by call, as `marple diff` does: several traces are repetitions. Of
 * \p options, which may be NULL, the clock and the progress count. A baseline is a trace, too.
 *
 * Runs that cannot be compared are a verdict, and the status nevertheless MPL_OK.
 *
 * Ownership: \p *out is the caller's; written only on MPL_OK.
 * Errors:    MPL_E_USAGE if a side has no trace, MPL_E_NOMEM.
 * Cost:      linear in events; where calls differ, the square of the locations that are not alike.
 */
MPL_API enum mpl_status mpl_diff(const struct mpl_traces *base,
                                 const struct mpl_traces *new_runs,
                                 const struct mpl_options *options,
                                 struct mpl_differences **out, struct mpl_err *err);
MPL_API void mpl_differences_destroy(struct mpl_differences *differences);
/** "SAME", "DIFFERENT", "SLOWER", "FASTER" or "NOT COMPARABLE". */
MPL_API const char *mpl_differences_verdict(const struct mpl_differences *differences);
/** Why the runs cannot be compared, a clause; NULL if they can. */
MPL_API const char *mpl_differences_reason(const struct mpl_differences *differences);
/** Locations whose calls go another way, who was first comes first. 0 also where runs of other numbers of processes are
    DIFFERENT: these are compared by role. */
MPL_API size_t mpl_suspect_count(const struct mpl_differences *differences);
/** "3" (rank 3) or "3.2" (its thread 2). */
MPL_API const char *mpl_suspect_location(const struct mpl_differences *differences,
                                         size_t i);
/** From which iteration of its outermost loop on, from 0; false: not inside of a loop. */
MPL_API bool mpl_suspect_iteration(const struct mpl_differences *differences, size_t i,
                                   uint32_t *iteration);
/** The document; \p looks may be NULL. JSON is of the schema "marple-diff/1". */
MPL_API enum mpl_status mpl_differences_print(const struct mpl_differences *differences,
                                              enum mpl_print format,
                                              const struct mpl_looks *looks, FILE *out,
                                              struct mpl_err *err);
/**
 * Writes the trace at \p path as a baseline, which stands for it wherever a trace is asked for: JSON of the schema
 * "marple-baseline/1", a sixth of an archive. \p options as above.
 *
 * Errors: MPL_E_MEANING if the trace cannot be used, MPL_E_IO, MPL_E_NOMEM.
 */
MPL_API enum mpl_status mpl_baseline_write(const char *path,
                                           const struct mpl_options *options, FILE *out,
                                           struct mpl_err *err);

#ifdef __cplusplus
}
#endif

#endif
