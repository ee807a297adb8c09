/* The commands, one per file; commands.c puts them into the order of the usage. */
#ifndef MPL_CLI_CLI_PRIV_H
#define MPL_CLI_CLI_PRIV_H

#include "cli/cli.h"
#include "draw/draw.h"
#include "plan/plan.h"

extern const struct mpl_cmd mpl_cmd_check;
extern const struct mpl_cmd mpl_cmd_convert;
extern const struct mpl_cmd mpl_cmd_diagnose;
extern const struct mpl_cmd mpl_cmd_diff;
extern const struct mpl_cmd mpl_cmd_help;
extern const struct mpl_cmd mpl_cmd_order;
extern const struct mpl_cmd mpl_cmd_view;
extern const struct mpl_cmd mpl_cmd_pattern;
extern const struct mpl_cmd mpl_cmd_plan;
extern const struct mpl_cmd mpl_cmd_rule;
extern const struct mpl_cmd mpl_cmd_run;
extern const struct mpl_cmd mpl_cmd_sync;
extern const struct mpl_cmd mpl_cmd_trace;
extern const struct mpl_cmd mpl_cmd_version;
extern const struct mpl_cmd mpl_cmd_vocab;

/** The tracers that the directories describe; faults of descriptions are printed on standard error. */
enum mpl_status mpl_tracers_of(const struct mpl_directories *directories,
                               struct mpl_arena *arena, const struct mpl_tracers **out,
                               struct mpl_err *err);
/** The plan that belongs to a diagnosis, with these tracers. \p tracer: NULL chooses. */
enum mpl_status mpl_plan_from(const struct mpl_directories *directories, const char *tracer,
                              const struct mpl_analysis *analysis, struct mpl_arena *arena,
                              const struct mpl_plan **out, struct mpl_err *err);

/** --map: "3=5,5=3"; adds struct mpl_rank_pair to a struct mpl_buf. Errors: MPL_E_USAGE with the column. */
mpl_take mpl_take_ranks;

/** Prints what the last of the \p n \p words behind "marple" may become, a word a line; nothing where files are meant. */
enum mpl_status mpl_complete(const char *const *words, size_t n, struct mpl_arena *arena,
                             FILE *out, struct mpl_err *err);
/** Prints the topics of vocab that begin so. */
void mpl_vocab_topics(const char *begin, FILE *out);
/** Says on standard error in which run \p pattern was asked for and not found, and which of its conditions
 *  fails; NULL: none was asked for. */
void mpl_named_pattern_tell(const struct mpl_diagnosis *diagnosis, const char *pattern);

#endif
