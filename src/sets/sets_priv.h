/* Shared by the files of sets only. */
#ifndef MPL_SETS_SETS_PRIV_H
#define MPL_SETS_SETS_PRIV_H

#include "sets/sets.h"

/* What a run does, as far as it distinguishes runs. */
struct work {
    double compute_s;     /* of all locations */
    uint32_t n_computing; /* processes that compute a quarter of the mean or more */
    uint64_t n_calls;     /* messages and collectives */
    uint32_t program;     /* runs that look like one program have the same number, from 0 */
    const char *settings; /* as the manifest says, or NULL */
    uint32_t expected;    /* processes as the manifest says; 0: it does not */
};

/* work.c: one per run; those of runs that cannot be used are zeros. */
enum mpl_status mpl_works_create(const struct mpl_sets_input *in, struct mpl_arena *arena,
                                 struct work **out, struct mpl_err *err);
/* Whether two amounts are about the same. */
bool mpl_works_are_same(double x, double y);

/* remarks.c: fills in the remarks of sets whose groups are known. */
enum mpl_status mpl_sets_remark(const struct mpl_sets_input *in, const struct work *works,
                                struct mpl_arena *arena, struct mpl_sets *sets,
                                struct mpl_err *err);

#endif
