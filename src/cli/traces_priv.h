/* Which traces a command is asked about: by name, by manifest, or as the directory of a case. */
#ifndef MPL_CLI_TRACES_PRIV_H
#define MPL_CLI_TRACES_PRIV_H

#include "analysis/analysis.h"
#include "cli/cli.h"

struct mpl_traces_asked {
    struct mpl_words words;     /* operands */
    struct mpl_words manifests; /* --manifest */
};

struct mpl_traces_found {
    const char **paths;
    size_t n;
    const struct mpl_manifest *manifest; /* NULL when nothing is noted about any of them */
    const char *const *failed;           /* runs of cases that left no trace, and why */
    size_t n_failed;
};

/*
 * A directory that holds case.yaml stands for the runs of that case which came to their end. What
 * is wrong with a manifest goes to standard error.
 * Errors: those of mpl_manifest_read().
 */
enum mpl_status mpl_traces_find(const struct mpl_traces_asked *asked,
                                struct mpl_arena *arena, struct mpl_traces_found *out,
                                struct mpl_err *err);

/** What a command that diagnoses traces is asked for, and what that stands for. */
struct mpl_traces_work {
    struct mpl_traces_asked asked;
    struct mpl_traces_found found;
    struct mpl_knowledge_asked knowledge;
    struct mpl_directories directories;
    struct mpl_clock_options clock;
};
/** Finds traces and directories. Errors: those of mpl_traces_find() and mpl_directories_find(). */
enum mpl_status mpl_traces_prepare(struct mpl_traces_work *traces, struct mpl_arena *arena,
                                   struct mpl_err *err);
/** Diagnoses them, and says on standard error how far it is and what is wrong with the knowledge; \p asked says what
 *  else is asked for. As mpl_analysis_run(). */
enum mpl_status mpl_traces_analyse(const struct mpl_traces_work *traces,
                                   struct mpl_analysis_options *asked,
                                   struct mpl_analysis **out, struct mpl_err *err);

/** Says on standard error which archive a directory stands for, if that is not in it but below it. */
void mpl_trace_tell(const char *path);
/** Says on stderr which notes there are whose names begin with \p prefix. */
void mpl_notes_tell(const struct mpl_quality *quality, const char *prefix);
/**
 * Reads a trace, says where it lies as mpl_trace_tell() does, and diagnoses it if \p needs_findings.
 * \p *out may be there also after an error. Errors: MPL_E_MEANING for a trace without events, and those of reading.
 */
enum mpl_status mpl_trace_analyse(const char *path, bool needs_findings,
                                  const struct mpl_knowledge_asked *knowledge,
                                  const struct mpl_clock_options *clock,
                                  struct mpl_arena *arena, struct mpl_analysis **out,
                                  struct mpl_err *err);

#endif
