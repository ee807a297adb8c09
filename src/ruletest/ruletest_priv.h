/* Shared by the files that run rule tests. */
#ifndef MPL_RULETEST_RULETEST_PRIV_H
#define MPL_RULETEST_RULETEST_PRIV_H

#include "infer/infer.h"
#include "rulebook/forms.h"

/** The facts that a (given …) of the case \p at stands for, one behind the other; \p cases are all of the file. False:
 *  something is wrong with it, which goes to \p lint. Sets \p *is_nomem when out of memory. */
bool mpl_given_read(const struct mpl_form *cases, const struct mpl_form *at,
                    const struct mpl_form *given, struct mpl_arena *arena,
                    struct mpl_lint *lint, const struct mpl_form **first, bool *is_nomem);

#endif
