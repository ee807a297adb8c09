/*
 * Takes:        an OTF2 archive (EZTrace, Score-P, others), a text trace or a baseline.
 * Makes:        a model with local clocks, capabilities and quality notes; writes models back.
 * Leaves alone: matching and time correction; it keeps recorded clock offsets beside the events.
 */
#ifndef MPL_READ_READ_H
#define MPL_READ_READ_H

#include "model/model.h"

/**
 * Reads \p path: an anchor file (*.otf2), a directory that holds exactly one, a baseline (a file that
 * begins with "{"), or a text trace (any other regular file). Damaged archives are read as far as they go, with quality notes.
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
 * Numbers of the records in a location's event file, from 1. They are those of the file, whatever of
 * it the model keeps, so they stay the same however events are stored. A text trace has the
 * numbers that its events have when it is converted.
 */
struct mpl_records {
    uint32_t n;       /**< Records of the file, as far as it is sound. */
    uint32_t n_steps; /**< 0: event i is record i + 1. */
    /** Where events stop being numbered one after the other: from \p event on they are again. */
    const struct mpl_record_step {
        uint32_t event;
        uint32_t record;
    } * steps;
};
/**
 * Only where records were skipped is the file read again.
 *
 * Ownership: \p out's steps live in \p arena.
 * Errors: MPL_E_IO if the file is not the one that the model was read from; MPL_E_NOMEM.
 */
enum mpl_status mpl_records_read(const struct mpl_model *model, uint32_t location,
                                 struct mpl_arena *arena, struct mpl_records *out,
                                 struct mpl_err *err);
/** The number of the record that event \p event was made of. */
uint32_t mpl_records_number(const struct mpl_records *records, uint32_t event);
/**
 * The first event of record \p number, which must be 1 to n. False: that record is skipped, and
 * \p *event is the next one that is kept, or the number of events.
 */
bool mpl_records_find(const struct mpl_records *records,
                      const struct mpl_location *location, uint32_t number,
                      uint32_t *event);

/**
 * Writes \p model as an OTF2 archive into the new directory \p directory (anchor "trace.otf2").
 * Appears complete or not at all; an existing directory is refused unless \p force.
 */
enum mpl_status mpl_write_otf2(const struct mpl_model *model, const char *directory,
                               bool force, struct mpl_err *err);

/**
 * Writes \p model, whose times are corrected and as good as \p known says, as a baseline: JSON that mpl_read()
 * reads, of about a seventh of an archive's bytes. Quality notes are kept if \p keeps says so; those of
 * later stages are found again.
 *
 * Errors: MPL_E_IO, MPL_E_NOMEM. Cost: linear in events.
 */
enum mpl_status mpl_write_baseline(const struct mpl_model *model,
                                   const struct mpl_timeline *known,
                                   bool (*keeps)(const char *note), FILE *out,
                                   struct mpl_err *err);

#endif
