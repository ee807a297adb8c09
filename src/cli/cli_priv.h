/* The commands, one per file; commands.c puts them into the order of the usage. */
#ifndef MPL_CLI_CLI_PRIV_H
#define MPL_CLI_CLI_PRIV_H

#include "cli/cli.h"

extern const struct mpl_cmd mpl_cmd_check;
extern const struct mpl_cmd mpl_cmd_convert;
extern const struct mpl_cmd mpl_cmd_diagnose;
extern const struct mpl_cmd mpl_cmd_help;
extern const struct mpl_cmd mpl_cmd_pattern;
extern const struct mpl_cmd mpl_cmd_rule;
extern const struct mpl_cmd mpl_cmd_run;
extern const struct mpl_cmd mpl_cmd_sync;
extern const struct mpl_cmd mpl_cmd_version;
extern const struct mpl_cmd mpl_cmd_vocab;

#endif
