/* Shared by the files that run rule tests. */
#ifndef MPL_INFER_RULETEST_PRIV_H
#define MPL_INFER_RULETEST_PRIV_H

#include "infer/infer_priv.h"

/** The facts that a (given …) of the case \p at stands for, one behind the other; \p cases are all of the file. False:
 *  something is wrong with it, which goes to \p lint. Sets \p *is_nomem when out of memory. */
bool mpl_given_read(const struct form *cases, const struct form *at,
                    const struct form *given, struct mpl_arena *arena,
                    struct mpl_lint *lint, const struct form **first, bool *is_nomem);

#endif
