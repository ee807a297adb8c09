/* Private to src/rulebook. */
#ifndef MPL_RULEBOOK_RULEBOOK_PRIV_H
#define MPL_RULEBOOK_RULEBOOK_PRIV_H

#include "rulebook/forms.h"

/**
 * False, and said, where there is a control character: CLIPS takes some of them for the end of the
 * text, C takes NUL for it, and terminals take others for commands.
 */
bool mpl_scan_bytes(const char *file, const char *text, size_t bytes,
                    struct mpl_lint *lint);
/** Finds the constructs of \p source (file, text, bytes are set). Faults go to \p lint. */
enum mpl_status mpl_scan(struct mpl_source *source, struct mpl_arena *arena,
                         struct mpl_lint *lint, struct mpl_err *err);

/** Names that are defined twice, unknown modules, recursion. False without memory. */
bool mpl_rules_check_together(const struct mpl_rules *rules, struct mpl_lint *lint);

#endif
