/*
 * What an engine knows after its rules have fired, as plain data: facts, globals, and which facts meet
 * conditions together. For src/whynot.
 */
#ifndef MPL_INFER_ASK_H
#define MPL_INFER_ASK_H

#include "infer/infer.h"
#include "rulebook/conditions.h"

struct mpl_rule_slot {
    const char *name;
    size_t n; /**< 1 unless it is a multislot. */
    const struct mpl_rule_value *values;
};

struct mpl_rule_fact {
    const char *template;
    long long index; /**< As CLIPS counts. */
    size_t n;
    const struct mpl_rule_slot *slots;
};

/** All facts but initial-fact, in the order of assertion. False without memory. */
bool mpl_infer_facts(struct mpl_infer *infer, struct mpl_arena *arena,
                     const struct mpl_rule_fact **facts, size_t *n);
/** The value of a global ("?*x*"); false when it has several. */
bool mpl_infer_global(struct mpl_infer *infer, const char *name, struct mpl_arena *arena,
                      struct mpl_rule_value *out);

/** Conditions that must be met together. */
struct mpl_rule_row {
    const char *module; /**< Of the rule. */
    size_t n;
    const struct mpl_rule_condition **conditions;
};

/** The combinations of facts that meet the conditions of a row. */
struct mpl_rule_match {
    size_t n;
    const long long *
        facts; /**< Indices, one per pattern of the row, of the combination that misses the tests by
                                 least, and of these the first in the order of assertion; NULL: there is none. */
    size_t failed;  /**< Of the tests that it does not meet, the first. */
    bool varies;    /**< Others miss them by more. */
    bool is_unsure; /**< A condition could not be evaluated. */
};
/** What meets \p row. A match need not meet \p tests. None once a limit is reached or memory is missing. */
struct mpl_rule_match mpl_infer_match(struct mpl_infer *infer,
                                      const struct mpl_rule_row *row,
                                      const struct mpl_form *const *tests, size_t n_tests,
                                      struct mpl_arena *arena);

#endif
