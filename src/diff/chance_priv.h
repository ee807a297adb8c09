/* Whether a difference is more than chance. No numbers here know what they measure. */
#ifndef MPL_DIFF_CHANCE_PRIV_H
#define MPL_DIFF_CHANCE_PRIV_H

#include "base/base.h"

/** Measured values that do not depend on each other. */
struct mpl_chance_sample {
    size_t n;
    const double *values;
};

/** What is known of a difference of two means, the first minus the second. */
struct mpl_chance {
    double mean;
    double low; /**< Of its 95 % confidence interval; NaN: nothing is known of chance. */
    double high;
    double
        p; /**< Of so large a difference, either way, where there is none; NaN likewise. */
};

/** Fewer blocks say nothing about chance. */
enum { MPL_BLOCKS_LEAST = 8 };
/** Resamples where nobody asks for more; of an interval always. */
enum { MPL_RESAMPLES = 999 };

/**
 * Of \p x minus \p y, values of blocks of a run that are long enough to be independent (Carlstein 1986).
 * Paired differences are \p x alone, with an empty \p y. The interval is that of a bootstrap of the blocks (Efron and
 * Tibshirani 1993, chapter 13). p is that of a randomisation test (Pitman 1937), which is right for any number of blocks and
 * however they are distributed: pairs change sides, or values do. So what a single block makes never looks like
 * more than chance. The same seed gives the same answer.
 *
 * Errors: MPL_E_NOMEM. Cost: \p resamples times the blocks.
 */
enum mpl_status mpl_chance_of_blocks(struct mpl_chance_sample x, struct mpl_chance_sample y,
                                     size_t resamples, uint64_t seed,
                                     struct mpl_chance *out, struct mpl_err *err);
/**
 * The same of repetitions, one value per run. Of three runs there are only ten different resamples, too few
 * for a bootstrap: Welch's test (1947). Where one side has a single run, it is taken to spread as the other one.
 */
void mpl_chance_of_runs(struct mpl_chance_sample x, struct mpl_chance_sample y,
                        struct mpl_chance *out);
/** Two-sided: the probability of more than \p t, either way, of Student's distribution. */
double mpl_student_p(double t, double freedom);

/**
 * The largest p that counts if among what counts at most \p share may be chance (Benjamini and Hochberg
 * 1995); 0: none. NaN among the \p n of \p p is a test that was not made. Sorts a copy in \p scratch.
 */
double mpl_discovery_limit(const double *p, size_t n, double share, double *scratch);

#endif
