/* What the modules that call libotf2 share: why a call of it failed, and how archives are written. */
#ifndef MPL_READ_LIBOTF2_H
#define MPL_READ_LIBOTF2_H

#include "base/base.h"

#include <otf2/otf2.h>

/* Definition chunks of 256 KiB, as Score-P writes them: every open file of definitions costs a
 * whole chunk, and there is one per location. */
enum { MPL_OTF2_EVENT_CHUNK = 1024 * 1024, MPL_OTF2_DEF_CHUNK = 256 * 1024 }; /* bytes */

/** The first reason that libotf2 gives, because the following ones are its consequences. */
struct mpl_otf2_reason {
    OTF2_ErrorCode code;
    int number;              /**< errno then. */
    char text[MPL_ERR_TEXT]; /**< "": it has given none. */
    OTF2_ErrorCallback before;
};

/** Keeps what libotf2 complains about in \p reason, until mpl_otf2_listen_no_more(). */
void mpl_otf2_listen(struct mpl_otf2_reason *reason);
void mpl_otf2_listen_no_more(const struct mpl_otf2_reason *reason);

/** What is written into an archive, in this order; all get the context. */
struct mpl_otf2_parts {
    /** Properties, and the definitions of locations, which make the directory of the events. */
    OTF2_ErrorCode (*begin)(void *context, OTF2_Archive *archive);
    /** The events; the definitions may say how much there is in them. */
    enum mpl_status (*events)(void *context, const char *directory, struct mpl_err *err);
    OTF2_ErrorCode (*define)(void *context, OTF2_Archive *archive);
};
/** Makes a new archive in \p directory. MPL_E_IO, MPL_E_NOMEM, or what the events have failed with. */
enum mpl_status mpl_otf2_write(const char *directory, const struct mpl_otf2_parts *parts,
                               void *context, struct mpl_err *err);
/** The file in which it keeps the events of a location; its directory is there when files of definitions have been
 *  opened. NULL when out of memory. */
const char *mpl_otf2_events_path(const char *directory, uint64_t location,
                                 struct mpl_arena *arena);

#endif
