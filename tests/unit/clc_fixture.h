/*
 * Repairs of clocks and what every one of them must fulfil, for the tests of clc.
 */
#ifndef MPL_TESTS_CLC_FIXTURE_H
#define MPL_TESTS_CLC_FIXTURE_H

#include "clc/clc.h"

/** Brings all locations to the smallest base, clocks as recorded. */
void clc_take_one_base(struct mpl_model *model);

/** A model with one base and its times before the repair. */
struct clc_case {
    struct mpl_model *model;
    struct mpl_order_view *view;
    int64_t **before_ticks; /**< Per location. */
    struct mpl_violations before;
    struct mpl_violations after;
    const struct mpl_clc *clc;
    const char *what; /**< For messages; never NULL. */
};
struct clc_case clc_case_make(struct mpl_model *model, const struct mpl_match *match,
                              struct mpl_arena *arena, const char *what);
/** Gives the model its times back. */
void clc_case_reset(struct clc_case *c);
/** Repairs, and asserts all guarantees of mpl_clc_repair(). NULL options: the defaults. */
void clc_case_repair(struct clc_case *c, const struct mpl_clc_options *options,
                     struct mpl_arena *arena);
int64_t clc_case_shift(const struct clc_case *c, uint32_t location, uint32_t event);
bool clc_case_is_clean(const struct mpl_violations *violations);
uint64_t clc_case_sum(const struct mpl_violations *violations);

#endif
