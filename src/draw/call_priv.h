#ifndef MPL_DRAW_CALL_PRIV_H
#define MPL_DRAW_CALL_PRIV_H

#include "draw/draw_priv.h"

/** "3: MPI_Recv, from 0, tag 7, 80 B; 8.1 ms, from 0.2 s to 0.2081 s; waits 8 ms for 0 (late-sender);
 *  record 3#57". \p records NULL: without the last. */
const char *mpl_call_words(const struct sheet *s, const struct mpl_run *run,
                           uint32_t location, uint32_t span,
                           const struct mpl_records *records);

/** The numbers of a location's records in \p room; NULL where the trace cannot be read again: then addresses are missing,
    and nothing else. \p arena is short where there was no memory. */
const struct mpl_records *mpl_call_records(const struct mpl_run *run, uint32_t location,
                                           struct mpl_arena *arena,
                                           struct mpl_records *room);

/** The name of a communicator, "comm3" where it has none. */
const char *mpl_call_comm(const struct sheet *s, const struct mpl_run *run, uint32_t comm);

#endif
