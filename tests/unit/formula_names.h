/*
 * Names for formulas in tests: what recognition and metrics would supply.
 */
#ifndef TESTS_UNIT_FORMULA_NAMES_H
#define TESTS_UNIT_FORMULA_NAMES_H

#include "formula/formula.h"

enum { NAMES_TASKS = 8, NAMES_CALLS = 3 };

struct test_name {
    const char *name;
    struct mpl_formula_name meaning;
};
extern const struct test_name test_names[];
extern const size_t n_test_names;

extern const double test_scalars[];
extern const struct mpl_list test_lists[];

/** The lookup over test_names; the name "refused" gives a reason of its own. */
enum mpl_status look_up_test_name(void *context, const char *name,
                                  struct mpl_formula_name *out, const char **suggestion,
                                  const char **reason);

/** Compiles \p text as if it began at p.yaml:7:11, with the names above and a new lint. */
enum mpl_status compile_test_formula(const char *text, struct mpl_arena *arena,
                                     struct mpl_lint **lint,
                                     const struct mpl_formula **formula);

#endif
