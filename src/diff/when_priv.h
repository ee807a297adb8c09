/* In which steps a difference lies. No numbers here know what they measure. */
#ifndef MPL_DIFF_WHEN_PRIV_H
#define MPL_DIFF_WHEN_PRIV_H

#include "diff/diff.h"

/**
 * Of \p n paired differences, one per step. From or up to a step: the least squares fit of two means, one of them at
 * most a quarter of the other, which has at least half of the sum, where a permutation test (999 of at most 1,024 stretches) sees it in fewer than 1 of 100 worlds
 * without order; the interval of 95 % is that of Bai (Estimation of a Change Point in Multiple Regression Models, 1997). In
 * some steps: a quarter of them or fewer has nine tenths. In all: three quarters have a quarter of the mean or more.
 *
 * Errors: MPL_E_NOMEM. Cost: steps times their logarithm, and a million additions.
 */
enum mpl_status mpl_when_find(const double *values, uint32_t n, struct mpl_when *out,
                              struct mpl_err *err);

#endif
