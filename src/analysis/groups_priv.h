/* Shared by group_work.c, groups.c, group_remarks.c and group_facts.c: what runs have in common. */
#ifndef MPL_ANALYSIS_GROUPS_PRIV_H
#define MPL_ANALYSIS_GROUPS_PRIV_H

#include "analysis/analysis_priv.h"

/*
 * Amounts of work are about the same up to this factor. On a machine that others use, too, what is
 * measured as computation of the same work differs by some 10 to 20 % from run to run; knobs that
 * somebody turns on purpose (tasks, grid, iterations) usually change it by half or more.
 */
#define SAME_WORK 1.25

/* What a run does, as far as it distinguishes runs. */
struct work {
    double compute_s;     /* of all locations */
    uint32_t n_computing; /* processes that compute a quarter of the mean or more */
    uint64_t n_calls;     /* messages and collectives */
    uint32_t program;     /* runs that look like one program have the same number, from 0 */
    const char *settings; /* as the manifest says, or NULL */
    uint32_t expected;    /* processes as the manifest says; 0: it does not */
};

/* group_work.c: one per run; those of runs that cannot be used are zeros. */
enum mpl_status mpl_works_create(struct mpl_analysis *a, struct work **out,
                                 struct mpl_err *err);
/* Whether two amounts are about the same. */
bool mpl_works_are_same(double x, double y);

/* group_remarks.c: sentences about runs that are no repetitions of one another, or of another
 * program. */
enum mpl_status mpl_groups_remark(struct mpl_analysis *a, const struct work *works,
                                  struct mpl_err *err);

#endif
