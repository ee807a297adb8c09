/* Shared by the commands that diagnose. */
#ifndef MPL_CLI_SEVERITY_PRIV_H
#define MPL_CLI_SEVERITY_PRIV_H

#include "analysis/analysis.h"
#include "cli/cli.h"

/** double: a share of all time, or one of the words by which reports grade causes. */
mpl_take mpl_take_severity;
/** Only causes count: symptoms and observations say where time went, in healthy runs, too. */
bool mpl_severity_is_reached(const struct mpl_diagnosis *diagnosis, double severity);

#endif
