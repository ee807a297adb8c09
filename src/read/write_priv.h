/*
 * The parts of the archive writer.
 */
#ifndef MPL_READ_WRITE_PRIV_H
#define MPL_READ_WRITE_PRIV_H

#include "archive/archive.h"
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

#endif
