/* What the files of archive share. */
#ifndef MPL_ARCHIVE_ARCHIVE_PRIV_H
#define MPL_ARCHIVE_ARCHIVE_PRIV_H

#include "archive/archive.h"

enum { MPL_ARCHIVES_NAMED = 3 };

struct mpl_archives_below {
    unsigned n;
    const char *paths[MPL_ARCHIVES_NAMED]; /**< Anchors, the first by the alphabet. */
    bool is_cut;                           /**< There is more than was looked at. */
    bool has_local_definitions;            /**< In folders below: <location>.def, */
    bool has_events;                       /**< and <location>.evt. */
};

/** Anchors in \p directory and below, eight levels deep; see search.c. */
enum mpl_status mpl_archives_below(const char *directory, struct mpl_arena *arena,
                                   struct mpl_archives_below *out, struct mpl_err *err);

#endif
