/* Shared by the files that look for what is wrong with knowledge although it can be loaded. */
#ifndef MPL_KNOWLEDGE_LINT_PRIV_H
#define MPL_KNOWLEDGE_LINT_PRIV_H

#include "knowledge/knowledge.h"

struct linter {
    const struct mpl_knowledge *known;
    const struct mpl_mention *mentions;
    size_t n_mentions;
    const char *const *files; /* only these are reported; none: all */
    size_t n_files;
    struct mpl_arena *arena;
    struct mpl_lint *lint;
    bool **asked; /* parallel to known->metric_sets, per metric: a rule asks for it */
};

bool mpl_linter_tells(const struct linter *l, const char *file);
void mpl_linter_warn(const struct linter *l, struct mpl_place place, const char *fmt, ...)
    MPL_PRINTF(3, 4);
/** Everything about one pattern but who asks for its metrics. */
void mpl_lint_pattern(const struct linter *l, const struct mpl_pattern *pattern);

#endif
