/*
 * The parts of the archive writer.
 */
#ifndef MPL_READ_WRITE_PRIV_H
#define MPL_READ_WRITE_PRIV_H

#include "read/read.h"

#include <otf2/otf2.h>

/** Reference under which a location is written; differs from the model's where that has none. */
uint64_t mpl_write_location_ref(const struct mpl_model *model, uint32_t location);
/** Records that a location's events make. */
uint64_t mpl_write_count(const struct mpl_location *location);

OTF2_ErrorCode mpl_write_definitions(OTF2_Archive *archive, const struct mpl_model *model,
                                     struct mpl_arena *scratch);
OTF2_ErrorCode mpl_write_events(OTF2_EvtWriter *writer, const struct mpl_model *model,
                                const struct mpl_location *location);

/* ---- directories ------------------------------------------------------------------------ */

/** Makes a new directory beside \p directory, in the same file system; \p *path is its name. */
enum mpl_status mpl_write_make_sibling(const char *directory, struct mpl_arena *scratch,
                                       const char **path, struct mpl_err *err);
/** Whether \p directory may be replaced: it does not exist, or \p force and it is an archive. */
enum mpl_status mpl_write_check_target(const char *directory, bool force,
                                       struct mpl_arena *scratch, struct mpl_err *err);
/** Puts \p from in the place of \p directory, which then holds nothing of what was there. */
enum mpl_status mpl_write_replace(const char *from, const char *directory,
                                  struct mpl_arena *scratch, struct mpl_err *err);
/** Removes a directory that holds files and directories of files. */
void mpl_write_remove(const char *directory, struct mpl_arena *scratch);

#endif
