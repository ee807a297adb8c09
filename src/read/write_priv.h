/* The parts of the archive writer. */
#ifndef MPL_READ_WRITE_PRIV_H
#define MPL_READ_WRITE_PRIV_H

#include "archive/archive.h"
#include "read/read.h"

#include <otf2/otf2.h>

/** Reference under which a location is written; differs from the model's where that has none. */
uint64_t mpl_write_location_ref(const struct mpl_model *model, uint32_t location);
/** Records that a location's events make. */
uint64_t mpl_write_count(const struct mpl_location *location);

/** The communicators of teams and groups of threads; they follow those of the model. */
struct mpl_write_teams;
/** NULL when out of memory. */
struct mpl_write_teams *mpl_write_teams_create(const struct mpl_model *model,
                                               struct mpl_arena *scratch);
void mpl_write_teams_close(struct mpl_write_teams *teams);
/** Of a team's number in the model; of MPL_NONE, the undefined one. */
OTF2_CommRef mpl_write_teams_ref(const struct mpl_write_teams *teams,
                                 const struct mpl_model *model, uint32_t process,
                                 uint32_t number);
/** Defines them, with groups from \p first_group on. */
OTF2_ErrorCode mpl_write_teams_define(const struct mpl_write_teams *teams,
                                      OTF2_GlobalDefWriter *writer,
                                      const struct mpl_model *model, uint32_t first_group,
                                      OTF2_StringRef name, struct mpl_arena *scratch);

OTF2_ErrorCode mpl_write_definitions(OTF2_GlobalDefWriter *writer,
                                     const struct mpl_model *model,
                                     const struct mpl_write_teams *teams,
                                     struct mpl_arena *scratch);
/** What fails is kept by \p writer. */
void mpl_write_events(struct mpl_record_writer *writer, const struct mpl_model *model,
                      const struct mpl_write_teams *teams,
                      const struct mpl_location *location);

#endif
