/* Comparing the first runs of two diagnoses. */
#ifndef MPL_TESTS_DIFF_FIXTURE_H
#define MPL_TESTS_DIFF_FIXTURE_H

#include "diff/diff.h"

/** As mpl_diff_create() does, with what is usual. */
enum mpl_status diff_first_runs(const struct mpl_diagnosis *base,
                                const struct mpl_diagnosis *new,
                                struct mpl_comparison **out, struct mpl_err *err);

#endif
