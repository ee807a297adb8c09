/* What the modules that call libotf2 share: why a call of it failed, and how archives are written. */
#ifndef MPL_READ_LIBOTF2_H
#define MPL_READ_LIBOTF2_H

#include "archive/archive.h"

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

/** What is written into an archive. */
struct mpl_otf2_parts {
    void *context;             /**< All functions get it. */
    const uint64_t *locations; /**< Their references. */
    uint32_t n_locations;
    OTF2_ErrorCode (*properties)(void *context, OTF2_Archive *archive);
    /** Of the \p i-th location the comparisons of its clock, and its events; what fails of these is kept by \p writer. */
    OTF2_ErrorCode (*clock)(void *context, uint32_t i, OTF2_DefWriter *writer);
    void (*events)(void *context, uint32_t i, struct mpl_record_writer *writer);
    /** Come last: they may say how many events there are. */
    OTF2_ErrorCode (*definitions)(void *context, OTF2_GlobalDefWriter *writer);
};
/** Makes a new archive in \p directory. MPL_E_IO, MPL_E_NOMEM, or what the events have failed with. */
enum mpl_status mpl_otf2_write(const char *directory, const struct mpl_otf2_parts *parts,
                               struct mpl_arena *scratch, struct mpl_err *err);

#endif
