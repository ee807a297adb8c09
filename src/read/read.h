/*
 * Takes:        an OTF2 archive (EZTrace, Score-P, others) or a text trace.
 * Makes:        a model with local clocks, capabilities and quality notes; writes models back.
 * Leaves alone: matching and time correction; it keeps recorded clock offsets beside the events.
 */
#ifndef MPL_READ_READ_H
#define MPL_READ_READ_H

#include "model/model.h"

/**
 * Reads \p path: an anchor file (*.otf2), a directory that holds exactly one, or a text trace
 * (any other regular file). Damaged archives are read as far as they go, with quality notes.
 *
 * Ownership: the model lives in \p arena.
 * Errors:    MPL_E_IO, MPL_E_SYNTAX, MPL_E_UNSUPPORTED with the reason: nothing can be read.
 * Cost:      linear in events; a few bytes per event beyond the columns.
 */
enum mpl_status mpl_read(const char *path, struct mpl_arena *arena,
                         const struct mpl_progress *progress, struct mpl_model **out,
                         struct mpl_err *err);

/**
 * Reads a text trace from memory; \p name is used in messages. The language:
 *
 *     # us. A comment; its first word, if it is a unit (s, ms, us, ns), is the unit of times.
 *     rank 0: compute 0..50  send 50..52 to 1 tag 7
 *     rank 1: compute 0..10  recv 10..53 from 0 tag 7
 *
 * Everything wrong goes to \p lint with line and column.
 */
enum mpl_status mpl_read_text(const char *name, const char *text, size_t bytes,
                              struct mpl_arena *arena, struct mpl_lint *lint,
                              struct mpl_model **out, struct mpl_err *err);

/**
 * Writes \p model as an OTF2 archive into the new directory \p directory (anchor "trace.otf2").
 * Appears complete or not at all; an existing directory is refused unless \p force.
 */
enum mpl_status mpl_write_otf2(const struct mpl_model *model, const char *directory,
                               bool force, struct mpl_err *err);

#endif
