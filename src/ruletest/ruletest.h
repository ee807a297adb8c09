/*
 * Takes:        a rule base and the text of a rule test: given facts, and what is expected of the rules.
 * Makes:        messages, with their lines, about what comes out otherwise.
 * Leaves alone: what the rules say of traces.
 */
#ifndef MPL_RULETEST_RULETEST_H
#define MPL_RULETEST_RULETEST_H

#include "rulebook/rulebook.h"

/**
 * Runs the cases of a rule test ("<name>.test.clp", doc/rules.md): given facts, the expected
 * findings and no others. What does not come out as expected goes to \p lint with its line.
 * Errors: MPL_E_SYNTAX when there was any such message; others as mpl_infer_create.
 */
enum mpl_status mpl_rules_test(const struct mpl_rules *rules, const char *file,
                               const char *text, size_t bytes, struct mpl_arena *arena,
                               struct mpl_lint *lint, size_t *n_cases, struct mpl_err *err);

#endif
