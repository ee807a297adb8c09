/*
 * Takes:        the spool files that the preloaded library left, of processes that ended well or not.
 * Makes:        an OTF2 archive of them.
 * Leaves alone: running the program (cli, experiment), and what the trace means.
 */
#ifndef MPL_SPOOL_SPOOL_H
#define MPL_SPOOL_SPOOL_H

#include "base/base.h"

/** A file beside the spools that holds the command of the run, if whoever ran it wrote it down. */
#define MPL_SPOOLS_COMMAND "command"

/** What became of a run. */
struct mpl_spool_summary {
    uint32_t n_processes; /**< Of the program, */
    uint32_t n_found;     /**< of which so many left a spool, */
    uint32_t n_cut;       /**< so many of these did not come to MPI_Finalize, */
    uint32_t n_full;      /**< and so many had no room for all records. */
    uint64_t
        n_stretches; /**< Between operations of all processes, where the size was limited, */
    uint64_t n_recorded; /**< and those of them that were recorded. */
    uint64_t n_events;
    uint64_t
        n_foreign; /**< Messages in communicators of other worlds, which are left out. */
};

/**
 * Writes what the spools in \p spools hold as an archive, which takes the place of the directory \p directory
 * with all that is in it. Where the run \p has_just_ended on this machine, processes that were cut off are said to have
 * been there until now.
 *
 * Errors: MPL_E_MEANING if there is no spool, or if there are some of several runs; MPL_E_IO; MPL_E_NOMEM.
 *         The directory is as before then.
 */
enum mpl_status mpl_spools_write(const char *spools, const char *directory,
                                 bool has_just_ended, struct mpl_spool_summary *summary,
                                 struct mpl_err *err);
/** Whether there is a spool in \p spools. */
bool mpl_spools_exist(const char *spools);

#endif
