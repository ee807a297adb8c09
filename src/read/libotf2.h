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

/** Why an archive that ended with \p code could not be written. MPL_E_IO or MPL_E_NOMEM. */
enum mpl_status mpl_otf2_cannot_write(const struct mpl_otf2_reason *reason,
                                      OTF2_ErrorCode code, struct mpl_err *err);

/** A new archive in \p directory, which is ready to be filled. NULL: none was made.
 *  \p *code says whether all went well. */
OTF2_Archive *mpl_otf2_create(const char *directory, OTF2_ErrorCode *code);
/** The file in which it keeps the events of a location; its directory is there when files of definitions have been
 *  opened. NULL when out of memory. */
const char *mpl_otf2_events_path(const char *directory, uint64_t location,
                                 struct mpl_arena *arena);

#endif
