/*
 * Takes:        an OTF2 archive, and its model before and after the clocks were corrected.
 * Makes:        a copy of the archive with corrected times.
 * Leaves alone: every record, also those that nothing here understands; only times change.
 */
#ifndef MPL_SYNC_SYNC_H
#define MPL_SYNC_SYNC_H

#include "clock/clock.h"
#include "read/read.h"

/** Times as recorded, kept while the model's are rewritten. */
struct mpl_sync_times;

/** Must be taken before mpl_clock_correct(). Lives in \p arena, at most as long as \p model;
 *  4 bytes per event of locations whose clock is bent, next to nothing of others. */
enum mpl_status mpl_sync_times_keep(struct mpl_model *model, struct mpl_arena *arena,
                                    const struct mpl_sync_times **out, struct mpl_err *err);

/**
 * Writes a copy of the archive that \p model was read from into the new directory \p directory,
 * under the archive's own name. A record that the model keeps gets its corrected time; one
 * that it does not keep lies between its neighbours in the proportion in which it lay there.
 * Locations that are not in the model (GPU streams, metrics) follow their process's master.
 * Clock offsets become 0 at the corrected times, so that the next reader adds nothing; where
 * there are none, offsets of 0 are added: they say that all clocks are one.
 *
 * \p error_ticks, where not NULL, says per location how wrong the times may still be (INT64_MAX:
 * unknown). It is stated as the standard deviation of the offsets, so that the next reader does
 * not take the clocks for better than they are.
 *
 * Appears complete or not at all; an existing directory is refused unless \p force. Where the
 * caller has blocked SIGINT, SIGTERM or SIGHUP, a pending one ends the work as an error, so that
 * nothing half written is left behind.
 *
 * What a reader of the copy ought to know is added to the model's quality notes, under names that
 * begin with "copy-".
 *
 * Errors: MPL_E_IO (also a full disk), MPL_E_UNSUPPORTED (a text trace, or something in the
 *         archive whose times cannot be found), MPL_E_NOMEM.
 * Cost:   linear in events; locations are written by two threads.
 */
enum mpl_status mpl_sync_write(const struct mpl_model *model,
                               const struct mpl_sync_times *recorded,
                               const int64_t *error_ticks, const char *directory,
                               bool force, const struct mpl_progress *progress,
                               struct mpl_err *err);

#endif
