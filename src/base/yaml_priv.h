/* Shared by the files that read YAML. */
#ifndef MPL_BASE_YAML_PRIV_H
#define MPL_BASE_YAML_PRIV_H

#include "base/base_priv.h"

#include <yaml.h>

/** Where libyaml's own words or places would puzzle the author of a pattern. */
struct mpl_yaml_advice {
    const char *problem; /**< In libyaml's words. */
    const char *text;    /**< In ours. */
    bool is_at_start;    /**< Shown where the construct begins, not where it went wrong. */
};
/** NULL where libyaml's words will do. */
const struct mpl_yaml_advice *mpl_yaml_advice(const char *problem);
/** What libyaml says of a tab, though not everywhere. */
extern const char mpl_yaml_tab[];

/** Whether only blanks stand before \p mark on its line. */
bool mpl_yaml_is_first_on_line(const char *text, size_t bytes, const yaml_mark_t *mark);
/** The byte at a mark, which counts lines and characters. */
size_t mpl_yaml_offset(const char *text, size_t bytes, const yaml_mark_t *mark);
/** The first byte that is not part of well-formed UTF-8; \p bytes if there is none. */
size_t mpl_yaml_bad_byte(const char *text, size_t bytes);

#endif
