/* Shared by sensitivity.c and weights.c: what other time lines say of the findings. */
#ifndef MPL_ANALYSIS_SENSITIVITY_PRIV_H
#define MPL_ANALYSIS_SENSITIVITY_PRIV_H

#include "analysis/analysis_priv.h"

/* A loss or a gain that another time line changes by this share is not known well enough to act
 * on: it could as well be the next smaller or larger cause. */
#define SENSITIVE_SHARE 0.25

/* What the time lines that were tried say of a finding. */
struct weight {
    bool is_unlimited; /* it involves a clock that nothing limits */
    bool is_certain;
    bool is_untried;     /* the trace is too long to try anything */
    double reach_s;      /* what clocks can change at most */
    bool is_gone;        /* on one of them it is not found … */
    const char *instead; /* … but of these locations; or NULL */
    const char *leader;  /* on one of them this other cause leads; or NULL */
    bool is_leader;      /* on one of them it leads, and did not */
    double low_s, high_s;
    double gain_low_s, gain_high_s;
};

struct weighing {
    struct mpl_analysis *a;
    struct mpl_arena *scratch;
    struct clock_doubt *doubts; /* per run */
    double *jumps_s;            /* per run; NaN until asked for */
    double *blame_s;            /* likewise */
    struct shifts *shifts;      /* per run; none where nothing is to be tried */
    struct weight *weights;     /* per finding */
    bool is_verdict_certain;
};

/* What is diagnosed, and its \p i-th finding. */
struct mpl_diagnosis *mpl_weighed_diagnosis(const struct weighing *w);
const struct mpl_diagnosed *mpl_weighed_finding(const struct weighing *w, size_t i);

/* Takes what \p in, a scenario with these shifts, says. Its texts are not kept. */
enum mpl_status mpl_weights_compare(struct weighing *w, const int64_t *const *ticks,
                                    const struct mpl_diagnosis *in, struct mpl_err *err);
bool mpl_weights_is_sensitive(const struct weighing *w, size_t i);
/* Why the \p i-th finding is sensitive, in the arena of the analysis; NULL: out of memory. */
const char *mpl_weights_reason(const struct weighing *w, size_t i);
/* That nothing limits a clock of \p run, likewise. */
const char *mpl_weights_unlimited(const struct weighing *w, uint32_t run);

#endif
